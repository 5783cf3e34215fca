// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Names of SES opcodes and return codes (UE 1.0.1 Tables 3-17 and 3-19), and completions
 * as text.
 */
#include <stdio.h>

#include "handle.h"
#include "uet_why.h"

#define UET_OPCODE(name, code, forms, ext, flags)	[code] = #name,
static const char *const opcodes[] = {
#include "core/opcode.def"
};
#undef UET_OPCODE

const char *uet_rc_name(uint8_t rc)
{
	const struct uet_result *result = uet_rc_result(rc);

	return result ? result->name : "reserved";
}

static const char *opcode_name(uint8_t opcode)
{
	if (opcode < sizeof(opcodes) / sizeof(*opcodes) && opcodes[opcode])
		return opcodes[opcode];
	return "operation";
}

const char *libuet_describe(const struct uet_completion *done, const char *at, char *text,
			    size_t size)
{
	bool is_recv = done->flags & UET_COMPLETION_RECV;
	const char *what = is_recv ? "receive" : opcode_name(done->opcode);
	char why[UET_WHY_SIZE];

	if (!done->error) {
		snprintf(text, size, "%s of %u bytes", what, done->length);
		return text;
	}
	uet_why(done, why);
	snprintf(text, size, "%s%s%s: %s%s%s%s", what,
		 !*at ? "" : is_recv ? " from " : " to ", at, why,
		 done->rc > 1 ? " (" : "", done->rc > 1 ? uet_rc_name(done->rc) : "",
		 done->rc > 1 ? ")" : "");
	return text;
}

const char *uet_completion_text(const struct uet_completion *done, char *text, size_t size)
{
	return libuet_describe(done, "", text, size);
}

const char *uet_failure_text(struct uet *u, const struct uet_completion *done, char *text,
			     size_t size)
{
	char at[UET_ADDR_SIZE] = "";

	if (done->peer)
		libuet_peer_name(u, done->peer, at);
	return libuet_describe(done, at, text, size);
}
