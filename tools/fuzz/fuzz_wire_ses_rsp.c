// SPDX-License-Identifier: GPL-2.0
/*
 * Any bytes as a SES response with data.  Input: next_hdr in one byte, then the
 * header and the data behind it.
 * Spec: UE 1.0.1 Tables 3-11 to 3-13.  Level: test of core L1.
 */
#include "core/wire/wire.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	u8 out[UET_SES_RSP_MAX_LEN];
	struct uet_ses_rsp a, b;
	size_t n, len, used = 0;
	u8 nh;

	if (!size)
		return 0;
	nh = *data++;
	size--;
	if (uet_wire_ses_rsp_decode(nh, data, size, &a, &used))
		return 0;
	FUZZ_CHECK(used >= UET_SES_RSP_LEN && used <= size);
	FUZZ_CHECK(uet_wire_ses_rsp_nh(&a) == nh);

	n = uet_wire_ses_rsp_encode(&a, out, sizeof(out));
	FUZZ_CHECK(n == used);
	FUZZ_CHECK(!uet_wire_ses_rsp_decode(nh, out, n, &b, &used));
	FUZZ_CHECK(used == n);
	FUZZ_CHECK(!memcmp(&a, &b, sizeof(a)));

	if (uet_wire_ses_rsp_payload(&a, size - n, &len))
		return 0;
	/* Bytes behind a response without data are padding. */
	FUZZ_CHECK(len == (a.form == UET_RSP_FORM_PLAIN ? 0 : size - n));
	FUZZ_CHECK(len <= UET_MTU_MAX);
	FUZZ_CHECK((u64)a.message_offset + len <= U32_MAX);
	return 0;
}
