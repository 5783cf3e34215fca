// SPDX-License-Identifier: GPL-2.0
/*
 * Any bytes as a PDS header: the encoder accepts every header that the decoder
 * accepts, and the second decoding yields the same struct.  Input: the header.
 * Spec: UE 1.0.1 3.5.10.  Level: test of core L1.
 */
#include "core/wire/wire.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	u8 out[UET_PDS_MAX_LEN];
	struct uet_pds_hdr a, b;
	size_t n, used = 0;

	if (uet_wire_pds_decode(data, size, &a, &used))
		return 0;
	FUZZ_CHECK(used >= UET_UUD_LEN && used <= size);
	FUZZ_CHECK(!(a.flags & ~uet_wire_ty(a.type)->flags));

	n = uet_wire_pds_encode(&a, out, sizeof(out));
	FUZZ_CHECK(n == used || (a.type == UET_TY_CP &&
				 used == UET_CP_SHORT_LEN && n == UET_CP_LEN));
	FUZZ_CHECK(!uet_wire_pds_decode(out, n, &b, &used));
	FUZZ_CHECK(used == n);
	FUZZ_CHECK(!memcmp(&a, &b, sizeof(a)));
	return 0;
}
