// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Names of SES opcodes and return codes (UE 1.0.1 Tables 3-17 and 3-19), and completions
 * as text.
 */
#include <stdio.h>
#include <string.h>

#include "handle.h"

#define UET_OPCODE(name, code, forms, ext, flags)	[code] = #name,
static const char *const opcodes[] = {
#include "core/opcode.def"
};
#undef UET_OPCODE

/* As in kernel/core/ses/ses_rsp.c; a unit test compares the two. */
static const char *const return_codes[] = {
	[0x00] = "null", [0x01] = "ok", [0x02] = "bad-generation", [0x03] = "disabled",
	[0x04] = "disabled-gen", [0x05] = "no-match", [0x06] = "unsupported-op",
	[0x07] = "unsupported-size", [0x08] = "at-invalid", [0x09] = "at-perm",
	[0x0a] = "at-ats-error", [0x0b] = "at-no-trans", [0x0c] = "at-out-of-range",
	[0x0d] = "host-poisoned", [0x0e] = "host-unsuccess-cmpl",
	[0x0f] = "amo-unsupported-op", [0x10] = "amo-unsupported-dt",
	[0x11] = "amo-unsupported-size", [0x12] = "amo-unaligned", [0x13] = "amo-fp-nan",
	[0x14] = "amo-fp-underflow", [0x15] = "amo-fp-overflow", [0x16] = "amo-fp-inexact",
	[0x17] = "perm-violation", [0x18] = "op-violation", [0x19] = "bad-index",
	[0x1a] = "bad-pid", [0x1b] = "bad-job-id", [0x1c] = "bad-mkey", [0x1d] = "bad-addr",
	[0x1e] = "cancelled", [0x1f] = "undeliverable", [0x20] = "uncor",
	[0x21] = "uncor-trnsnt", [0x22] = "too-long", [0x23] = "initiator-error",
	[0x24] = "dropped", [0x3e] = "extended",
};

const char *uet_rc_name(uint8_t rc)
{
	if (rc < sizeof(return_codes) / sizeof(*return_codes) && return_codes[rc])
		return return_codes[rc];
	return "reserved";
}

static const char *opcode_name(uint8_t opcode)
{
	if (opcode < sizeof(opcodes) / sizeof(*opcodes) && opcodes[opcode])
		return opcodes[opcode];
	return "operation";
}

const char *uet_completion_text(const struct uet_completion *done, char *text, size_t size)
{
	const char *what = done->flags & UET_COMPLETION_RECV ? "receive" :
			   opcode_name(done->opcode);

	if (!done->error)
		snprintf(text, size, "%s of %u bytes", what, done->length);
	else if (done->rc > 1)
		snprintf(text, size, "%s: %s: the return code is 0x%02x (%s)", what,
			 strerror(done->error), done->rc, uet_rc_name(done->rc));
	else if (done->nack_code)
		snprintf(text, size, "%s: %s: the NACK code is 0x%02x", what,
			 strerror(done->error), done->nack_code);
	else
		snprintf(text, size, "%s: %s", what, strerror(done->error));
	return text;
}
