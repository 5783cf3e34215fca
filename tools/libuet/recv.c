// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Receiving: messages from the receive buffer, posted receives, unexpected messages, and
 * taking operations back.
 */
#include <errno.h>
#include <string.h>

#include "handle.h"

ssize_t uet_recv(struct uet *u, void *buf, size_t length, int flags, struct uet_ctx *ctx,
		 struct sockaddr_uet *from)
{
	union {
		char bytes[CMSG_SPACE(sizeof(*ctx))];
		struct cmsghdr cmsg;
	} control;
	struct iovec iov = { buf, length };
	struct msghdr msg = {
		.msg_name = from, .msg_namelen = from ? sizeof(*from) : 0,
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};
	ssize_t ret;

	if (flags & ~(MSG_DONTWAIT | MSG_PEEK))
		return libuet_refuse(u, EINVAL,
				     "uet_recv: flags 0x%x are not of MSG_DONTWAIT, MSG_PEEK",
				     flags);
	if (libuet_late(u))
		return -1;
	ret = recvmsg(u->fd, &msg, flags);
	if (ret < 0)
		return libuet_failed(u, "recvmsg");
	if (!ret && !msg.msg_controllen)
		return libuet_refuse(u, ESHUTDOWN,
				     "uet_recv: the socket was shut down for reading");
	if (ctx && msg.msg_controllen >= CMSG_LEN(sizeof(*ctx)))
		memcpy(ctx, CMSG_DATA(&control.cmsg), sizeof(*ctx));
	return ret;
}

static int check_cookie(struct uet *u, uint64_t cookie)
{
	if (cookie <= UET_COOKIE_MAX)
		return 0;
	return libuet_refuse(u, EINVAL, "uet_post: cookie 0x%llx is above 0x%llx",
			     (unsigned long long)cookie, UET_COOKIE_MAX);
}

int uet_post(struct uet *u, uint32_t from, uint64_t tag, uint64_t ignore,
	     struct uet_local to, uint32_t flags, uint64_t cookie)
{
	struct uet_recv_post post = {
		.cookie = cookie, .match = tag, .ignore = ignore, .key = to.key,
		.offset = to.offset, .length = to.length, .initiator = from,
		.flags = flags,
	};

	if (flags & ~(UET_RECV_TAGGED | UET_RECV_TRUNC | UET_RECV_CLAIM))
		return libuet_refuse(u, EINVAL,
				     "uet_post: flags 0x%x are not of UET_RECV_TAGGED, _TRUNC, _CLAIM",
				     flags);
	if (!(flags & UET_RECV_CLAIM))
		post.flags |= from ? UET_RECV_PEER : UET_RECV_ANY_SOURCE;
	if (check_cookie(u, cookie))
		return -1;
	if (uet_ioctl(u->fd, UET_IOC_RECV_POST, &post))
		return libuet_failed(u, "UET_IOC_RECV_POST");
	return 0;
}

int uet_posts(struct uet *u, const struct uet_recv_post *posts, uint32_t count)
{
	struct uet_recv_posts all = { .posts = (uintptr_t)posts, .count = count };
	uint32_t i;
	int ret;

	for (i = 0; i < count; i++) {
		if (posts->size < sizeof(*posts))
			return libuet_refuse(u, EINVAL, "uet_posts: size %u is below %zu",
					     posts->size, sizeof(*posts));
		if (check_cookie(u, posts->cookie))
			return -1;
		posts = (const void *)((const char *)posts + posts->size);
	}
	ret = uet_ioctl(u->fd, UET_IOC_RECV_POSTS, &all);
	return ret < 0 ? libuet_failed(u, "UET_IOC_RECV_POST") : ret;
}

int uet_peek(struct uet *u, struct uet_recv_peek *peek)
{
	if (!ioctl(u->fd, UET_IOC_RECV_PEEK, peek))
		return 0;
	if (errno == ENOMSG)
		return libuet_refuse(u, ENOMSG, "uet_peek: no unexpected message fits");
	return libuet_failed(u, "UET_IOC_RECV_PEEK");
}

int uet_cancel(struct uet *u, uint64_t cookie)
{
	struct uet_send_cancel send = { .cookie = cookie, .flags = UET_CANCEL_COOKIE };
	__u64 receive = cookie;
	int ret;

	if (!ioctl(u->fd, UET_IOC_RECV_CANCEL, &receive))
		return 1;
	if (errno != ENOENT)
		return libuet_failed(u, "UET_IOC_RECV_CANCEL");
	ret = uet_ioctl(u->fd, UET_IOC_SEND_CANCEL, &send);
	if (ret >= 0)
		return ret;
	if (errno != ENOENT)
		return libuet_failed(u, "UET_IOC_SEND_CANCEL");
	return libuet_refuse(u, ENOENT,
			     "uet_cancel: no receive or operation with cookie 0x%llx can be cancelled",
			     (unsigned long long)cookie);
}
