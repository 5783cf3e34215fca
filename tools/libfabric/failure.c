// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Failures as text, with the address of the other end: for the log, and as error data of
 * completion queues and event queues.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "endpoint.h"
#include "uet_why.h"

/* The address of a peer as users know it, not that of the socket of its memory. */
static const char *peer_name(const struct lf_ep *ep, uint32_t number, char *text)
{
	struct uet_peer peer = { .peer = number };
	struct lf_name name;

	if (!number || uet_ioctl(ep->fd, UET_IOC_PEER_ADDR, &peer))
		return NULL;
	if (peer.addr.suet_ri > LF_RI_MEMORY)
		peer.addr.suet_ri -= LF_RI_MEMORY;
	lf_name_from_sockaddr(&name, &peer.addr);
	return lf_name_print(&name, text);
}

char *lf_failure_text(const struct lf_ep *ep, const struct uet_completion *done)
{
	char name[LF_NAME_TEXT], why[UET_WHY_SIZE], *text;
	const char *at = peer_name(ep, done->peer, name);

	if (done->error)
		uet_why(done, why);
	else
		snprintf(why, sizeof(why), "the message has %u bytes, its receive %u",
			 done->msg_length, done->length);
	if (asprintf(&text, "%s%s%s", at ? at : "", at ? ": " : "", why) < 0)
		return NULL;
	return text;
}

void lf_last_error(const struct lf_ep *ep, int error, char text[LF_ERR_DATA])
{
	socklen_t length = LF_ERR_DATA;

	if (getsockopt(ep->fd, SOL_UET, UET_LAST_ERROR, text, &length) || !*text)
		snprintf(text, LF_ERR_DATA, "%s", fi_strerror(error));
	text[LF_ERR_DATA - 1] = 0;
}

void lf_put_err_data(char *text, uint32_t api, void **data, size_t *size)
{
	size_t length = strlen(text) + 1;

	if (FI_VERSION_LT(api, FI_VERSION(1, 5)) || !*data || !*size) {
		*data = text;
	} else {
		if (length > *size)
			length = *size;
		memcpy(*data, text, length);
		((char *)*data)[length - 1] = 0;
	}
	*size = length;
}

const char *lf_put_text(const char *text, char *buf, size_t len)
{
	if (!buf || !len)
		return text;
	snprintf(buf, len, "%s", text);
	return buf;
}

const char *lf_code_text(int detail)
{
	const struct uet_result *result = uet_rc_result((uint8_t)(detail >> 8));
	static _Thread_local char text[UET_WHY_SIZE];

	snprintf(text, sizeof(text), "%s: return code 0x%02x, NACK code 0x%02x",
		 result ? result->text : "unknown", detail >> 8 & 0xff, detail & 0xff);
	return text;
}
