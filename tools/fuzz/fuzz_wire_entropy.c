// SPDX-License-Identifier: GPL-2.0
/*
 * Any bytes as an entropy header: decode, encode, decode.  Input: the header.
 * Spec: UE 1.0.1 Table 3-31.  Level: test of core L1.
 */
#include "core/wire/wire.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	u8 out[UET_ENTROPY_LEN];
	size_t used = 0;
	u16 a, b;

	if (uet_wire_entropy_decode(data, size, &a, &used))
		return 0;
	FUZZ_CHECK(used == UET_ENTROPY_LEN && used <= size);
	FUZZ_CHECK(uet_wire_entropy_encode(a, out, sizeof(out)) == used);
	FUZZ_CHECK(out[0] == data[0] && out[1] == data[1]);
	FUZZ_CHECK(!uet_wire_entropy_decode(out, sizeof(out), &b, &used));
	FUZZ_CHECK(a == b);
	return 0;
}
