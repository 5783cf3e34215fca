// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Operations: one sendmsg() with the control messages of the opcode.
 */
#include <errno.h>
#include <string.h>

#include "handle.h"

#define FLAGS_ALL	(UET_F_COMPLETE | UET_F_WAIT | UET_F_NOWAIT | UET_F_MORE | \
			 UET_F_ZEROCOPY | UET_F_HDATA | UET_F_RUDI | UET_F_RUD | \
			 UET_F_ROD | UET_F_LOCAL_ADDR)

/* Arguments of opcodes. */
#define TAG	0x1
#define RMA	0x2
#define LOCAL	0x4
#define ATOMIC	0x8

static const uint8_t arguments[] = {
	[UET_OP_WRITE] = RMA,
	[UET_OP_READ] = RMA | LOCAL,
	[UET_OP_ATOMIC] = RMA | ATOMIC,
	[UET_OP_FETCHING_ATOMIC] = RMA | ATOMIC | LOCAL,
	[UET_OP_RENDEZVOUS_SEND] = LOCAL,
	[UET_OP_TAGGED_SEND] = TAG,
	[UET_OP_RENDEZVOUS_TSEND] = TAG | LOCAL,
	[UET_OP_DEFERRABLE_TSEND] = TAG,
	[UET_OP_TSEND_ATOMIC] = TAG | ATOMIC,
	[UET_OP_TSEND_FETCH_ATOMIC] = TAG | ATOMIC | LOCAL,
	[UET_OP_MSG_ERROR] = 0,
};

/* Append a control message. */
void libuet_cmsg(struct msghdr *msg, int type, const void *data, size_t length)
{
	struct cmsghdr *cmsg = (void *)((char *)msg->msg_control + msg->msg_controllen);

	cmsg->cmsg_len = CMSG_LEN(length);
	cmsg->cmsg_level = SOL_UET;
	cmsg->cmsg_type = type;
	memcpy(CMSG_DATA(cmsg), data, length);
	msg->msg_controllen += CMSG_SPACE(length);
}

static void add_arguments(struct msghdr *msg, const struct uet_request *r)
{
	uint8_t has = r->opcode < sizeof(arguments) ? arguments[r->opcode] : 0;

	if (has & TAG)
		libuet_cmsg(msg, UET_CMSG_TAG, &r->tag, sizeof(r->tag));
	if (has & RMA)
		libuet_cmsg(msg, UET_CMSG_RMA, &r->rma, sizeof(r->rma));
	if (has & LOCAL)
		libuet_cmsg(msg, UET_CMSG_LOCAL, &r->local, sizeof(r->local));
	if (has & ATOMIC)
		libuet_cmsg(msg, UET_CMSG_ATOMIC, &r->atomic, sizeof(r->atomic));
	if (r->flags & UET_F_HDATA)
		libuet_cmsg(msg, UET_CMSG_HDATA, &r->header_data, sizeof(r->header_data));
}

static int check(struct uet *u, const struct uet_request *r)
{
	if (r->flags & ~FLAGS_ALL)
		return libuet_refuse(u, EINVAL, "uet_request: flags 0x%x, known are 0x%x",
				     r->flags, FLAGS_ALL);
	if ((r->flags & (UET_F_COMPLETE | UET_F_WAIT)) == (UET_F_COMPLETE | UET_F_WAIT))
		return libuet_refuse(u, EINVAL,
				     "uet_request: flags UET_F_COMPLETE and UET_F_WAIT exclude each other");
	if (r->opcode > UET_OP_MSG_ERROR)
		return libuet_refuse(u, EINVAL, "uet_request: opcode %u is above %u",
				     r->opcode, UET_OP_MSG_ERROR);
	if (r->reserved)
		return libuet_refuse(u, EINVAL, "uet_request: reserved is not 0");
	if (r->to ? r->peer : !r->peer)
		return libuet_refuse(u, EINVAL, r->to ?
				     "uet_request: both peer %u and an address" :
				     "uet_request: peer is %u, not a number of uet_peer() or uet_peer_add()",
				     r->peer);
	if (r->cookie > UET_COOKIE_MAX)
		return libuet_refuse(u, EINVAL, "uet_request: cookie 0x%llx is above 0x%llx",
				     (unsigned long long)r->cookie, UET_COOKIE_MAX);
	return 0;
}

static int message_flags(uint32_t flags)
{
	return MSG_NOSIGNAL | (flags & UET_F_NOWAIT ? MSG_DONTWAIT : 0) |
	       (flags & UET_F_MORE ? MSG_MORE : 0) |
	       (flags & UET_F_ZEROCOPY ? MSG_ZEROCOPY : 0);
}

/* A cookie that no operation of the application has. */
uint64_t libuet_own_cookie(struct uet *u)
{
	return COOKIE_OWN + (uint32_t)(2 * u->awaited++);
}

/* Begin the operation; UET_F_WAIT does not wait here. */
int libuet_begin(struct uet *u, const struct uet_request *r, uint64_t cookie)
{
	union libuet_control control;
	struct uet_op op = {
		.cookie = cookie,
		.opcode = r->opcode,
		.flags = (r->flags & (UET_F_COMPLETE | UET_F_WAIT) ? UET_OP_COMPLETE : 0) |
			 (r->flags & UET_F_RUDI ? UET_OP_RUDI : 0) |
			 (r->flags & UET_F_RUD ? UET_OP_RUD : 0) |
			 (r->flags & UET_F_ROD ? UET_OP_ROD : 0) |
			 (r->flags & UET_F_LOCAL_ADDR ? UET_OP_LOCAL_ADDR : 0),
	};
	struct msghdr msg = {
		.msg_iov = (struct iovec *)r->iov, .msg_iovlen = r->iov_count,
		.msg_control = &control,
	};

	libuet_cmsg(&msg, UET_CMSG_OP, &op, sizeof(op));
	add_arguments(&msg, r);
	if (r->to) {
		msg.msg_name = (void *)r->to;
		msg.msg_namelen = sizeof(*r->to);
	} else {
		libuet_cmsg(&msg, UET_CMSG_PEER, &r->peer, sizeof(r->peer));
	}
	if (sendmsg(u->fd, &msg, message_flags(r->flags)) < 0)
		return libuet_failed(u, "sendmsg");
	return 0;
}

int uet_request(struct uet *u, const struct uet_request *r)
{
	uint64_t cookie = r->flags & UET_F_WAIT ? libuet_own_cookie(u) : r->cookie;
	char text[UET_ERROR_SIZE], at[UET_ADDR_SIZE];
	struct uet_completion done;

	if (check(u, r) || libuet_late(u) || libuet_begin(u, r, cookie))
		return -1;
	if (!(r->flags & UET_F_WAIT))
		return 0;
	if (libuet_await(u, cookie, -1, &done) < 0)
		return -1;
	if (!done.error)
		return 0;
	if (r->to)
		uet_addr_text(r->to, at, sizeof(at));
	else
		libuet_peer_name(u, r->peer, at);
	return libuet_refuse(u, done.error, "%s",
			     libuet_describe(&done, at, text, sizeof(text)));
}

int uet_send(struct uet *u, uint32_t peer, const void *buf, size_t length, uint32_t flags,
	     uint64_t cookie)
{
	const struct iovec iov = { (void *)buf, length };
	const struct uet_request r = {
		.peer = peer, .opcode = UET_OP_SEND, .flags = flags, .cookie = cookie,
		.iov = &iov, .iov_count = 1,
	};

	return uet_request(u, &r);
}

int uet_tsend(struct uet *u, uint32_t peer, uint64_t tag, const void *buf, size_t length,
	      uint32_t flags, uint64_t cookie)
{
	const struct iovec iov = { (void *)buf, length };
	const struct uet_request r = {
		.peer = peer, .opcode = UET_OP_TAGGED_SEND, .flags = flags,
		.cookie = cookie, .tag = tag, .iov = &iov, .iov_count = 1,
	};

	return uet_request(u, &r);
}

int uet_put(struct uet *u, uint32_t peer, struct uet_rma to, const void *buf, size_t length,
	    uint32_t flags, uint64_t cookie)
{
	const struct iovec iov = { (void *)buf, length };
	const struct uet_request r = {
		.peer = peer, .opcode = UET_OP_WRITE, .flags = flags, .cookie = cookie,
		.iov = &iov, .iov_count = 1, .rma = to,
	};

	return uet_request(u, &r);
}

int uet_get(struct uet *u, uint32_t peer, struct uet_rma from, struct uet_local to,
	    uint32_t flags, uint64_t cookie)
{
	const struct uet_request r = {
		.peer = peer, .opcode = UET_OP_READ, .flags = flags, .cookie = cookie,
		.rma = from, .local = to,
	};

	return uet_request(u, &r);
}
