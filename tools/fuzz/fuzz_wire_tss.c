// SPDX-License-Identifier: GPL-2.0
/*
 * Any bytes as a security header: decode, encode, decode.  Input: the header.
 * Spec: UE 1.0.1 3.7.11.  Level: test of core L1.
 */
#include "core/wire/wire.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	u8 out[UET_TSS_SSI_LEN];
	struct uet_tss_hdr a, b;
	size_t n, used = 0;

	if (uet_wire_tss_decode(data, size, &a, &used))
		return 0;
	FUZZ_CHECK(used == (a.has_ssi ? UET_TSS_SSI_LEN : UET_TSS_LEN));
	FUZZ_CHECK(used <= size);

	n = uet_wire_tss_encode(&a, out, sizeof(out));
	FUZZ_CHECK(n == used);
	FUZZ_CHECK(!uet_wire_tss_decode(out, n, &b, &used));
	FUZZ_CHECK(!memcmp(&a, &b, sizeof(a)));
	return 0;
}
