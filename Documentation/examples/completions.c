// SPDX-License-Identifier: GPL-2.0
/*
 * Completions: the sender gives each message a cookie and reads from the error
 * queue when the receiver has answered the message.  The sender uses that to keep
 * at most WINDOW messages in flight.  The receiver takes messages until an empty
 * message comes.
 *
 *	node2$ completions
 *	node1$ completions 10.0.0.2
 */
#include "common.h"

#define PID	22	/* PIDonFEP of the receiver */
#define COUNT	1000
#define WINDOW	16
#define SIZE	10000

/* Send a message; its completion will have that cookie. */
static void send_with_cookie(int fd, __u64 cookie, void *buf, size_t len)
{
	struct message m;

	message_init(&m, buf, len);
	add_op(&m, UET_OP_SEND, UET_OP_COMPLETE, cookie);
	if (sendmsg(fd, &m.msg, 0) < 0)
		fail(fd, "send");
}

/* Wait for completions.  Return: number of operations that they report. */
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
	/* poll() reports a completion as POLLERR, which needs no request. */
	struct pollfd pfd = { .fd = fd };
	struct cmsghdr *cmsg;
	unsigned int count = 0;

	if (poll(&pfd, 1, -1) < 0)
		fail(fd, "poll");
	if (recvmsg(fd, &msg, MSG_ERRQUEUE) < 0)
		fail(fd, "receive completions");
	for (cmsg = CMSG_FIRSTHDR(&msg); cmsg; cmsg = CMSG_NXTHDR(&msg, cmsg)) {
		memcpy(&done, CMSG_DATA(cmsg), sizeof(done));
		if (done.error) {
			fprintf(stderr, "message %llu: %s\n", done.cookie,
				strerror(done.error));
			exit(1);
		}
		/* One record covers operations with consecutive cookies. */
		count += done.count;
	}
	return count;
}

static void send_all(int fd, const char *fa)
{
	unsigned int sent, done = 0;
	static char buf[SIZE];

	connect_to(fd, fa, PID);
	for (sent = 0; sent < COUNT; sent++) {
		while (sent - done == WINDOW)
			done += completions(fd);
		send_with_cookie(fd, sent, buf, sizeof(buf));
	}
	while (done < sent)
		done += completions(fd);
	printf("%u messages completed\n", done);
	if (send(fd, NULL, 0, 0) < 0 || shutdown(fd, SHUT_WR))
		fail(fd, "end");
}

static void receive_all(int fd)
{
	unsigned int count = 0;
	char buf[SIZE];
	ssize_t len;

	bind_to(fd, NULL, PID);
	while ((len = recv(fd, buf, sizeof(buf), 0)) > 0)
		count++;
	if (len < 0)
		fail(fd, "receive");
	printf("%u messages received\n", count);
}

int main(int argc, char **argv)
{
	int fd = open_socket(SOCK_RDM);

	if (argc > 1)
		send_all(fd, argv[1]);
	else
		receive_all(fd);
	return 0;
}
