/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Why an operation has failed, as text: what its completion says, in the words that the
 * kernel has for UET_LAST_ERROR.  Level: tool.
 */
#ifndef UET_WHY_H
#define UET_WHY_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <linux/uet.h>

#define UET_WHY_SIZE	96	/* bytes of uet_why() */

struct uet_result {
	const char *name;
	int error;
	const char *text;
};

/* The name and the text of a return code, or NULL. */
static inline const struct uet_result *uet_rc_result(uint8_t rc)
{
#define UET_RESULT_PDC(id, error, text)
#define UET_RESULT_RC(id, code, name, error, text)	[code] = { name, error, text },
	static const struct uet_result results[] = {
#include "core/result.def"
	};
#undef UET_RESULT_PDC
#undef UET_RESULT_RC

	if (rc >= sizeof(results) / sizeof(*results) || !results[rc].name)
		return NULL;
	return &results[rc];
}

/* The text of an operation that its target has not answered. */
static inline const char *uet_unanswered(int error)
{
#define UET_RESULT_PDC(id, error, text)	{ NULL, error, text },
#define UET_RESULT_RC(id, code, name, error, text)
	static const struct uet_result results[] = {
#include "core/result.def"
	};
#undef UET_RESULT_PDC
#undef UET_RESULT_RC
	size_t i;

	for (i = 0; i < sizeof(results) / sizeof(*results); i++)
		if (results[i].error == error)
			return results[i].text;
	return strerror(error);
}

/* Why an operation or a receive has failed.  @text: UET_WHY_SIZE bytes.  Return: @text. */
static inline const char *uet_why(const struct uet_completion *done, char *text)
{
	const struct uet_result *result = uet_rc_result(done->rc);

	if (done->flags & UET_COMPLETION_REFUSED)
		snprintf(text, UET_WHY_SIZE, "refused here: %s", strerror(done->error));
	else if (done->rc > 1 && result)
		snprintf(text, UET_WHY_SIZE, "%s", result->text);
	else if (done->rc > 1)
		snprintf(text, UET_WHY_SIZE, "unknown return code 0x%02x", done->rc);
	else if (done->flags & UET_COMPLETION_RECV || done->error == ECANCELED)
		snprintf(text, UET_WHY_SIZE, "%s", strerror(done->error));
	else if (done->nack_code)
		snprintf(text, UET_WHY_SIZE, "%s, NACK code 0x%02x",
			 uet_unanswered(done->error), done->nack_code);
	else
		snprintf(text, UET_WHY_SIZE, "%s", uet_unanswered(done->error));
	return text;
}

#endif
