/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Messages of both kinds, with and without a tag: what the many calls of libfabric have
 * in common.  Level: tool.
 */
#ifndef UET_LF_MESSAGE_H
#define UET_LF_MESSAGE_H

#include "endpoint.h"

/**
 * struct lf_message - arguments of a send or a receive
 * @iov: buffers
 * @count: of them
 * @addr: peer
 * @tag: match bits
 * @ignore: bits of them that are not compared
 * @data: completion data
 * @context: of the user
 * @flags: FI_*
 * @is_tagged: it has a tag
 * @is_silent: its success is not reported
 */
struct lf_message {
	const struct iovec *iov;
	size_t count;
	fi_addr_t addr;
	uint64_t tag;
	uint64_t ignore;
	uint64_t data;
	void *context;
	uint64_t flags;
	bool is_tagged;
	bool is_silent;
};

/* Each returns 0 or a negative FI_* error. */
ssize_t lf_send(struct lf_ep *ep, const struct lf_message *m);
ssize_t lf_recv(struct lf_ep *ep, const struct lf_message *m);
/* FI_PEEK: look for a message, and claim or discard it. */
ssize_t lf_peek(struct lf_ep *ep, const struct lf_message *m);

#endif
