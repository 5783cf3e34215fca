// SPDX-License-Identifier: GPL-2.0
/*
 * Completions: the sender gives each message a cookie and learns from the error
 * queue when the receiver has answered it, here to have no more than WINDOW of
 * them under way.  The receiver takes messages until an empty one comes.
 *
 *	node2$ completions
 *	node1$ completions 10.0.0.2
 *
 * A FEP and job 1 have to be there on both nodes, see ueadm(8).  IPv4 only.
 */
#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/uet.h>

#define JOB	1
#define PID	22	/* PIDonFEP of the receiver */
#define RI	1
#define COUNT	1000
#define WINDOW	16
#define SIZE	10000

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static struct sockaddr_uet address(const char *fa)
{
	struct sockaddr_uet addr = {
		.suet_family = AF_UET, .suet_version = UET_ADDR_VERSION,
		.suet_job = JOB, .suet_pid = PID, .suet_ri = RI,
	};

	if (fa && inet_pton(AF_INET, fa, &addr.suet_fa4) != 1) {
		fprintf(stderr, "%s is not an IPv4 address\n", fa);
		exit(2);
	}
	return addr;
}

/* Send a message; its completion will have that cookie. */
static void send_with_cookie(int fd, __u64 cookie, void *buf, size_t len)
{
	const struct uet_op op = { cookie, UET_OP_SEND, UET_OP_COMPLETE, { 0 } };
	union {
		char bytes[CMSG_SPACE(sizeof(op))];
		struct cmsghdr cmsg;
	} control = { .cmsg = { CMSG_LEN(sizeof(op)), SOL_UET, UET_CMSG_OP } };
	struct iovec iov = { buf, len };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};

	memcpy(CMSG_DATA(&control.cmsg), &op, sizeof(op));
	if (sendmsg(fd, &msg, 0) < 0)
		fail("send");
}

/* Wait for completions. Return: operations that they tell of. */
static unsigned int completions(int fd)
{
	struct uet_completion done;
	union {
		char bytes[8 * CMSG_SPACE(sizeof(done))];
		struct cmsghdr cmsg;
	} control;
	struct msghdr msg = {
		.msg_control = &control, .msg_controllen = sizeof(control),
	};
	/* Nothing is asked for: completions are an error to poll(). */
	struct pollfd pfd = { .fd = fd };
	struct cmsghdr *cmsg;
	unsigned int count = 0;

	if (poll(&pfd, 1, -1) < 0)
		fail("poll");
	if (recvmsg(fd, &msg, MSG_ERRQUEUE) < 0)
		fail("receive completions");
	for (cmsg = CMSG_FIRSTHDR(&msg); cmsg; cmsg = CMSG_NXTHDR(&msg, cmsg)) {
		memcpy(&done, CMSG_DATA(cmsg), sizeof(done));
		if (done.error) {
			fprintf(stderr, "message %llu: %s\n", done.cookie,
				strerror(done.error));
			exit(1);
		}
		/* One record can tell of many, with consecutive cookies. */
		count += done.count;
	}
	return count;
}

static void send_all(int fd, const char *fa)
{
	struct sockaddr_uet to = address(fa);
	unsigned int sent, done = 0;
	static char buf[SIZE];

	if (connect(fd, (struct sockaddr *)&to, sizeof(to)))
		fail("connect");
	for (sent = 0; sent < COUNT; sent++) {
		while (sent - done == WINDOW)
			done += completions(fd);
		send_with_cookie(fd, sent, buf, sizeof(buf));
	}
	while (done < sent)
		done += completions(fd);
	printf("%u messages completed\n", done);
	if (send(fd, NULL, 0, 0) < 0 || shutdown(fd, SHUT_WR))
		fail("end");
}

static void receive_all(int fd)
{
	struct sockaddr_uet me = address(NULL);
	unsigned int count = 0;
	char buf[SIZE];
	ssize_t len;

	if (bind(fd, (struct sockaddr *)&me, sizeof(me)))
		fail("bind");
	while ((len = recv(fd, buf, sizeof(buf), 0)) > 0)
		count++;
	if (len < 0)
		fail("receive");
	printf("%u messages received\n", count);
}

int main(int argc, char **argv)
{
	int fd = socket(AF_UET, SOCK_RDM, 0);

	if (fd < 0)
		fail("socket");
	if (argc > 1)
		send_all(fd, argv[1]);
	else
		receive_all(fd);
	return 0;
}
