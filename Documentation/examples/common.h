/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Set-up that all example programs share: open and bind a socket, connect it, build
 * a message with control messages, wait for a completion, and report an error.
 *
 * Each program needs a FEP and job 1 on each node, see ueadm(8).  Addresses are
 * IPv4.  The family number is the one in the header; a program for every machine
 * reads the number from /proc/net/uet/features.
 */
#ifndef UET_EXAMPLE_COMMON_H
#define UET_EXAMPLE_COMMON_H

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <linux/uet.h>

#define JOB	1
#define RI	1	/* Resource Index of every endpoint that waits */

/* End the program.  The kernel may have a text for the refused call. */
static inline void __attribute__((noreturn)) fail(int fd, const char *what)
{
	char why[256] = "";
	socklen_t len = sizeof(why) - 1;

	perror(what);
	if (fd >= 0 && !getsockopt(fd, SOL_UET, UET_LAST_ERROR, why, &len) &&
	    *why)
		fprintf(stderr, "%s\n", why);
	exit(1);
}

/* An endpoint of the job; @fa NULL: on the only FEP that the job has here. */
static inline struct sockaddr_uet address(const char *fa, int pid)
{
	struct sockaddr_uet addr = {
		.suet_family = AF_UET, .suet_version = UET_ADDR_VERSION,
		.suet_job = JOB, .suet_pid = pid, .suet_ri = RI,
	};

	if (fa && inet_pton(AF_INET, fa, &addr.suet_fa4) != 1) {
		fprintf(stderr, "%s is not an IPv4 address\n", fa);
		exit(2);
	}
	return addr;
}

static inline int open_socket(int type)
{
	int fd = socket(AF_UET, type, 0);

	if (fd < 0)
		fail(fd, "socket");
	return fd;
}

static inline void bind_to(int fd, const char *fa, int pid)
{
	struct sockaddr_uet me = address(fa, pid);

	if (bind(fd, (struct sockaddr *)&me, sizeof(me)))
		fail(fd, "bind");
}

/* An unbound socket is bound to the job of the peer. */
static inline void connect_to(int fd, const char *fa, int pid)
{
	struct sockaddr_uet to = address(fa, pid);

	if (connect(fd, (struct sockaddr *)&to, sizeof(to)))
		fail(fd, "connect");
}

/* A message for sendmsg(), with space for its control messages. */
struct message {
	struct msghdr msg;
	struct iovec iov;
	union {
		char bytes[256];
		struct cmsghdr align;
	} control;
};

static inline void message_init(struct message *m, const void *buf, size_t len)
{
	memset(m, 0, sizeof(*m));
	m->iov.iov_base = (void *)buf;
	m->iov.iov_len = len;
	m->msg.msg_iov = &m->iov;
	m->msg.msg_iovlen = 1;
	m->msg.msg_control = &m->control;
}

static inline void add_control(struct message *m, int type, const void *data,
			       size_t len)
{
	struct cmsghdr *cmsg = (void *)(m->control.bytes + m->msg.msg_controllen);

	cmsg->cmsg_len = CMSG_LEN(len);
	cmsg->cmsg_level = SOL_UET;
	cmsg->cmsg_type = type;
	memcpy(CMSG_DATA(cmsg), data, len);
	m->msg.msg_controllen += CMSG_SPACE(len);
}

/* Say which operation the message is. */
static inline void add_op(struct message *m, int opcode, int flags, __u64 cookie)
{
	const struct uet_op op = {
		.cookie = cookie, .opcode = opcode, .flags = flags,
	};

	add_control(m, UET_CMSG_OP, &op, sizeof(op));
}

static inline void send_tagged(int fd, int opcode, __u64 tag, const char *text)
{
	struct message m;

	message_init(&m, text, strlen(text));
	add_op(&m, opcode, 0, 0);
	add_control(&m, UET_CMSG_TAG, &tag, sizeof(tag));
	if (sendmsg(fd, &m.msg, 0) < 0)
		fail(fd, "send");
}

/* Wait for one completion; its error is for the caller to check. */
static inline struct uet_completion wait_completion(int fd)
{
	struct pollfd pfd = { .fd = fd };	/* POLLERR needs no request */
	struct uet_completion done;
	union {
		char bytes[CMSG_SPACE(sizeof(done))];
		struct cmsghdr cmsg;
	} control;
	struct msghdr msg = {
		.msg_control = &control, .msg_controllen = sizeof(control),
	};

	if (poll(&pfd, 1, -1) < 0 || recvmsg(fd, &msg, MSG_ERRQUEUE) < 0)
		fail(fd, "receive a completion");
	memcpy(&done, CMSG_DATA(&control.cmsg), sizeof(done));
	return done;
}

/* The same for an operation that has to succeed. */
static inline struct uet_completion must_complete(int fd)
{
	struct uet_completion done = wait_completion(fd);

	errno = done.error;
	if (errno)
		fail(-1, "completion");
	return done;
}

/* Ask the connected peer for the key of its memory, or for anything else. */
static inline void ask(int fd, void *answer, size_t len)
{
	if (send(fd, "please", 6, 0) < 0)
		fail(fd, "ask");
	if (recv(fd, answer, len, 0) != (ssize_t)len)
		fail(fd, "receive the answer");
}

/* Answer the sender of the next message. */
static inline void answer(int fd, const void *what, size_t len)
{
	struct sockaddr_uet from;
	socklen_t from_len = sizeof(from);

	if (recvfrom(fd, NULL, 0, 0, (struct sockaddr *)&from, &from_len) < 0)
		fail(fd, "receive a question");
	if (sendto(fd, what, len, 0, (struct sockaddr *)&from, from_len) < 0)
		fail(fd, "answer");
}

#endif
