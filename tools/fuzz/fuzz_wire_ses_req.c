// SPDX-License-Identifier: GPL-2.0
/*
 * Any bytes as a SES request with data: decoding is stable, and the data never
 * exceeds packet or message.  Input: next_hdr in one byte, then the header and
 * the bytes behind it.
 * Spec: UE 1.0.1 3.4.  Level: test of core L1.
 */
#include "core/wire/wire.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	u8 out[UET_SES_REQ_MAX_LEN];
	struct uet_ses_req a, b;
	size_t n, len, used = 0;
	u8 nh;

	if (!size)
		return 0;
	nh = *data++;
	size--;
	if (uet_wire_ses_req_decode(nh, data, size, &a, &used))
		return 0;
	FUZZ_CHECK(used >= UET_SES_SMALL_LEN && used <= size);
	FUZZ_CHECK(uet_wire_ses_req_nh(&a) == nh);

	n = uet_wire_ses_req_encode(&a, out, sizeof(out));
	FUZZ_CHECK(n == used);
	FUZZ_CHECK(!uet_wire_ses_req_decode(nh, out, n, &b, &used));
	FUZZ_CHECK(used == n);
	FUZZ_CHECK(!memcmp(&a, &b, sizeof(a)));

	if (uet_wire_ses_payload(&a, size - n, &len))
		return 0;
	FUZZ_CHECK(len == size - n && len <= UET_MTU_MAX);
	FUZZ_CHECK(!len || (u64)a.message_offset + len <= a.request_length);
	return 0;
}
