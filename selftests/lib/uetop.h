/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Operations and completions for tests of sockets: a sendmsg() that says which
 * operation it is and asks for a completion, and the reading of completions from
 * the error queue.  For uetsock.h's endpoints.  Level: test.
 */
#ifndef UET_SELFTESTS_UETOP_H
#define UET_SELFTESTS_UETOP_H

#include <poll.h>

#include "uetsock.h"

#define US_RC_OK	1

/* Send with a control message that says which operation it is. */
static inline ssize_t us_send_op(int fd, const struct uet_op *op,
				 const struct sockaddr_uet *to, const void *buf,
				 size_t len, int flags)
{
	union {
		char bytes[CMSG_SPACE(sizeof(*op))];
		struct cmsghdr align;
	} control = { .align = { .cmsg_len = CMSG_LEN(sizeof(*op)),
				 .cmsg_level = SOL_UET,
				 .cmsg_type = UET_CMSG_OP } };
	struct iovec iov = { (void *)buf, len };
	struct msghdr msg = {
		.msg_name = (void *)to, .msg_namelen = to ? sizeof(*to) : 0,
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};

	memcpy(CMSG_DATA(&control.align), op, sizeof(*op));
	return sendmsg(fd, &msg, flags | MSG_NOSIGNAL);
}

#define US_CQ_MAX	64	/* records read at once */
#define US_CQ_SPACE	CMSG_SPACE(sizeof(struct uet_completion))

/*
 * Read completions, with space for @max of them. Returns how many, -1 with errno
 * when the call fails.
 */
static inline int us_read_cq(int fd, struct uet_completion *recs, int max)
{
	union {
		char bytes[US_CQ_MAX * US_CQ_SPACE];
		struct cmsghdr align;
	} control;
	struct msghdr msg = { .msg_control = &control,
			      .msg_controllen = max * US_CQ_SPACE };
	struct cmsghdr *cmsg;
	int n = 0;

	if (recvmsg(fd, &msg, MSG_ERRQUEUE) < 0)
		return -1;
	EXPECT_EQ(msg.msg_flags, MSG_ERRQUEUE);
	for (cmsg = CMSG_FIRSTHDR(&msg); cmsg; cmsg = CMSG_NXTHDR(&msg, cmsg)) {
		ASSERT_EQ(cmsg->cmsg_len, CMSG_LEN(sizeof(*recs)));
		ASSERT_EQ(cmsg->cmsg_level, SOL_UET);
		ASSERT_EQ(cmsg->cmsg_type, UET_CMSG_COMPLETION);
		ASSERT(n < max);
		memcpy(&recs[n++], CMSG_DATA(cmsg), sizeof(*recs));
	}
	return n;
}

/* The next completion, as soon as it is there. */
static inline struct uet_completion us_completion(int fd)
{
	struct uet_completion rec;

	WAIT_FOR(us_read_cq(fd, &rec, 1) == 1);
	return rec;
}

static inline int us_events(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN | POLLOUT };

	ASSERT_SYS(poll(&p, 1, 0));
	return p.revents;
}

static inline struct uet_op us_op(int opcode, uint64_t cookie)
{
	return (struct uet_op){
		.opcode = opcode, .cookie = cookie, .flags = UET_OP_COMPLETE,
	};
}

/* Send @len bytes to the peer, to be completed with @cookie. */
static inline ssize_t us_post(int fd, uint64_t cookie, size_t len, int flags)
{
	struct uet_op op = us_op(UET_OP_SEND, cookie);
	uint8_t *buf = us_message(cookie, len);
	ssize_t ret = us_send_op(fd, &op, NULL, buf, len, flags);
	int err = errno;

	free(buf);
	errno = err;
	return ret;
}

static inline ssize_t us_post_no_op(int fd, uint64_t cookie, int flags)
{
	struct uet_op op = us_op(UET_OP_NO_OP, cookie);

	return us_send_op(fd, &op, NULL, NULL, 0, flags);
}

static inline void us_expect_none(int fd)
{
	struct uet_completion rec;

	EXPECT_FAILS(us_read_cq(fd, &rec, 1), EAGAIN);
	EXPECT_EQ(us_events(fd) & POLLERR, 0);
}

static inline void us_expect_done(const struct uet_completion *rec,
				  uint64_t cookie, uint32_t count,
				  uint32_t length)
{
	EXPECT_EQ(rec->cookie, cookie);
	EXPECT_EQ(rec->count, count);
	EXPECT_EQ(rec->error, 0);
	EXPECT_EQ(rec->length, length);
	EXPECT_EQ(rec->rc, US_RC_OK);
}

#endif
