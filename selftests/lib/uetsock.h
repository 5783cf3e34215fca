/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared parts of the tests of the socket interface: endpoints on the two FEPs they
 * are given, messages whose bytes can be checked, and the kernel's explanations.
 * Level: test.
 *
 * Environment, set by selftests/net/api/sock_api.sh, all in one network namespace:
 *	UET_LOCAL, UET_REMOTE	IPv4 fabric addresses of two FEPs
 *	UET_JOB			a job of root on both of them, PIDs 0..4095
 *	UET_JOB_ONE		a job of root on the first only, PIDs 5..6
 *	UET_SIX, UET_JOB_SIX	an IPv6 one, and a job of root on its FEP only
 */
#ifndef UET_SELFTESTS_UETSOCK_H
#define UET_SELFTESTS_UETSOCK_H

#include <arpa/inet.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <linux/sockios.h>

#include "harness.h"
#include "uet_ioctl.h"

static inline const char *us_env(const char *name)
{
	const char *value = getenv(name);

	if (!value)
		SKIP("not started by sock_api.sh");
	return value;
}

/* An address: on the first (0) or the second FEP, in UET_JOB. */
/* Length of a page of this kernel, bytes. */
static inline size_t us_page(void)
{
	return sysconf(_SC_PAGESIZE);
}

static inline struct sockaddr_uet us_addr(int which, int pid, int ri)
{
	struct sockaddr_uet addr = {
		.suet_family = AF_UET,
		.suet_version = UET_ADDR_VERSION,
		.suet_job = atoi(us_env("UET_JOB")),
		.suet_pid = pid,
		.suet_ri = ri,
	};

	inet_pton(AF_INET, us_env(which ? "UET_REMOTE" : "UET_LOCAL"),
		  &addr.suet_fa4);
	return addr;
}

static inline int us_socket_of(int type)
{
	int fd = socket(AF_UET, type, 0);

	ASSERT_SYS(fd);
	return fd;
}

static inline int us_socket(void)
{
	return us_socket_of(SOCK_RDM);
}

static inline int us_bind(int fd, const struct sockaddr_uet *addr)
{
	return bind(fd, (const struct sockaddr *)addr, sizeof(*addr));
}

static inline int us_connect(int fd, const struct sockaddr_uet *addr)
{
	return connect(fd, (const struct sockaddr *)addr, sizeof(*addr));
}

/* A socket bound to an address. */
static inline int us_endpoint_of(int type, int which, int pid, int ri)
{
	struct sockaddr_uet addr = us_addr(which, pid, ri);
	int fd = us_socket_of(type);

	ASSERT_SYS(us_bind(fd, &addr));
	return fd;
}

static inline int us_endpoint(int which, int pid, int ri)
{
	return us_endpoint_of(SOCK_RDM, which, pid, ri);
}

static inline struct sockaddr_uet us_name(int fd)
{
	struct sockaddr_uet addr;
	socklen_t len = sizeof(addr);

	ASSERT_SYS(getsockname(fd, (struct sockaddr *)&addr, &len));
	ASSERT_EQ(len, sizeof(addr));
	return addr;
}

/**
 * struct us_pair - two endpoints
 * @tx: on the first FEP, connected to @rx
 * @rx: on the second FEP
 */
struct us_pair {
	int tx, rx;
};

static inline struct us_pair us_pair_of(int type)
{
	struct us_pair p = {
		.tx = us_endpoint_of(type, 0, UET_PID_ANY, 0),
		.rx = us_endpoint_of(type, 1, UET_PID_ANY, 0),
	};
	struct sockaddr_uet addr = us_name(p.rx);

	ASSERT_SYS(us_connect(p.tx, &addr));
	return p;
}

static inline struct us_pair us_pair(void)
{
	return us_pair_of(SOCK_RDM);
}

/* SO_SNDBUF or SO_RCVBUF: the kernel doubles what it is told. */
static inline void us_set_buf(int fd, int which, int bytes)
{
	int half = bytes / 2;

	ASSERT_SYS(setsockopt(fd, SOL_SOCKET, which, &half, sizeof(half)));
}

static inline void us_set_timeout(int fd, int which, int msec)
{
	struct timeval tv = {
		.tv_sec = msec / 1000,
		.tv_usec = msec % 1000 * 1000,
	};

	ASSERT_SYS(setsockopt(fd, SOL_SOCKET, which, &tv, sizeof(tv)));
}

/**
 * struct us_ctx_msg - a recvmsg() with space for the context of the message
 * @control: space for one control message, aligned
 * @iov: the buffer
 * @msg: what recvmsg() was given and gave back
 */
struct us_ctx_msg {
	union {
		char buf[CMSG_SPACE(sizeof(struct uet_ctx))];
		struct cmsghdr align;
	} control;
	struct iovec iov;
	struct msghdr msg;
};

/* From now on each message comes with its context. */
static inline void us_want_ctx(int fd)
{
	int on = 1;

	ASSERT_SYS(setsockopt(fd, SOL_UET, UET_RECV_CTX, &on, sizeof(on)));
}

static inline ssize_t us_recv_ctx(int fd, struct us_ctx_msg *m, void *buf,
				  size_t len, int flags)
{
	m->iov = (struct iovec){ buf, len };
	m->msg = (struct msghdr){ .msg_iov = &m->iov, .msg_iovlen = 1,
				  .msg_control = &m->control,
				  .msg_controllen = sizeof(m->control) };
	return recvmsg(fd, &m->msg, flags);
}

/* The context that came with a message, as the only control message. */
static inline struct uet_ctx us_ctx(struct us_ctx_msg *m)
{
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&m->msg);
	struct uet_ctx ctx;

	ASSERT(cmsg && cmsg->cmsg_len == CMSG_LEN(sizeof(ctx)));
	ASSERT_EQ(cmsg->cmsg_level, SOL_UET);
	ASSERT_EQ(cmsg->cmsg_type, UET_CMSG_CTX);
	memcpy(&ctx, CMSG_DATA(cmsg), sizeof(ctx));
	return ctx;
}

static inline int us_queued(int fd, unsigned long which)
{
	int bytes = -1;

	ASSERT_SYS(ioctl(fd, which, &bytes));
	return bytes;
}

/* Does the text for the last refused call contain @word? */
static inline bool us_explains(int fd, const char *word)
{
	char text[256] = "";
	socklen_t len = sizeof(text);

	ASSERT_SYS(getsockopt(fd, SOL_UET, UET_LAST_ERROR, text, &len));
	if (len == strlen(text) + 1 && strstr(text, word))
		return true;
	HARNESS_NOTE("\"%s\" (%u) does not contain \"%s\"", text, len, word);
	return false;
}

/* The byte at @at of the message made from @seed. */
static inline uint8_t us_byte(uint32_t seed, size_t at)
{
	return (seed + at * 0x9e3779b1u + (at >> 8)) >> 11;
}

static inline uint8_t *us_alloc(size_t len)
{
	uint8_t *buf = malloc(len ? len : 1);

	ASSERT(buf);
	return buf;
}

/* A new buffer with the message made from @seed. */
static inline uint8_t *us_message(uint32_t seed, size_t len)
{
	uint8_t *buf = us_alloc(len);

	for (size_t i = 0; i < len; i++)
		buf[i] = us_byte(seed, i);
	return buf;
}

/* Are these bytes @offset... of the message made from @seed? */
static inline bool us_matches(const uint8_t *buf, uint32_t seed, size_t offset,
			      size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (buf[i] == us_byte(seed, offset + i))
			continue;
		HARNESS_NOTE("byte %zu of message %u is wrong", offset + i,
			     seed);
		return false;
	}
	return true;
}

/* Send the message made from @seed to the connected peer. */
static inline ssize_t us_send(int fd, uint32_t seed, size_t len, int flags)
{
	uint8_t *buf = us_message(seed, len);
	ssize_t ret = send(fd, buf, len, flags | MSG_NOSIGNAL);
	int err = errno;

	free(buf);
	errno = err;
	return ret;
}

/* Receive one message and check that it is the one made from @seed. */
static inline void us_expect(int fd, uint32_t seed, size_t len)
{
	uint8_t *buf = us_alloc(len + 1);
	struct iovec iov = { buf, len + 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	EXPECT_EQ(recvmsg(fd, &msg, 0), len);
	EXPECT_EQ(msg.msg_flags & (MSG_EOR | MSG_TRUNC), MSG_EOR);
	EXPECT(us_matches(buf, seed, 0, len));
	free(buf);
}

/*
 * Receive one of the messages made from 0..@seeds - 1, that from @seed being
 * @base + @seed bytes long, each of them once.
 */
static inline void us_expect_any(int fd, size_t base, uint32_t seeds)
{
	static uint32_t seen;
	uint8_t *buf = us_alloc(base + seeds);
	ssize_t len = recv(fd, buf, base + seeds, 0);
	uint32_t seed = len - base;

	ASSERT(len >= (ssize_t)base && seed < seeds);
	EXPECT(!(seen & 1u << seed));
	seen |= 1u << seed;
	EXPECT(us_matches(buf, seed, 0, len));
	free(buf);
}

#endif
