// SPDX-License-Identifier: GPL-2.0
/*
 * Any two numbers as match bits and header data of a message of a stream: decode, encode. Then
 * two offsets: one is before the other, unless they are equal or half of all numbers apart.
 * Input: match bits, header data, high half first.
 * Spec: Documentation/spec/stream.rst.  Level: test of kernel/stream/stream_wire.h.
 */
#include "core/shim.h"
#include "stream/stream_wire.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = { data, size };
	struct uet_stream_head head;
	u64 match, hdata;

	match = (u64)fuzz_take(&in, 4) << 32;
	match |= fuzz_take(&in, 4);
	hdata = (u64)fuzz_take(&in, 4) << 32;
	hdata |= fuzz_take(&in, 4);
	uet_stream_head_read(&head, match, hdata);
	FUZZ_CHECK(head.version <= 15 && head.type <= UET_STREAM_EXTENSION);
	FUZZ_CHECK(head.dst <= UET_STREAM_ID_MASK && head.src <= UET_STREAM_ID_MASK);
	FUZZ_CHECK(uet_stream_match(&head) == match);
	FUZZ_CHECK(uet_stream_hdata(&head) == hdata);

	FUZZ_CHECK(!uet_stream_before(head.low, head.low));
	FUZZ_CHECK(head.high == head.low || head.high - head.low == 1U << 31 ||
		   uet_stream_before(head.high, head.low) !=
		   uet_stream_before(head.low, head.high));
	return 0;
}
