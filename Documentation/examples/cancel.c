// SPDX-License-Identifier: GPL-2.0
/*
 * Cancel an operation: the receiver has posted a receive, but none for the message
 * of the sender, so the message stays deferred until the sender cancels it by its
 * cookie.  The completion then has the error ECANCELED.
 *
 *	node2$ cancel
 *	node1$ cancel 10.0.0.2
 */
#include <unistd.h>

#include "common.h"

#define PID	31	/* PIDonFEP of the receiver */
#define COOKIE	7

static void send_and_cancel(int fd, const char *fa)
{
	struct uet_send_cancel cancel = {
		.cookie = COOKIE, .flags = UET_CANCEL_COOKIE,
	};
	const __u64 tag = 2;
	struct message m;
	char ready;

	connect_to(fd, fa, PID);
	ask(fd, &ready, sizeof(ready));
	message_init(&m, "hello", 5);
	add_op(&m, UET_OP_DEFERRABLE_TSEND, UET_OP_COMPLETE, COOKIE);
	add_control(&m, UET_CMSG_TAG, &tag, sizeof(tag));
	if (sendmsg(fd, &m.msg, 0) < 0)
		fail(fd, "send");
	/* ENOENT while the receiver has not answered the complete message. */
	while (ioctl(fd, UET_IOC_SEND_CANCEL, &cancel) < 0) {
		if (errno != ENOENT)
			fail(fd, "cancel");
		usleep(10000);
	}
	printf("completion: %s\n", strerror(wait_completion(fd).error));
	if (send(fd, NULL, 0, 0) < 0 || shutdown(fd, SHUT_WR))
		fail(fd, "end");
}

static void receive_nothing(int fd)
{
	/* Length 0 needs no memory; only an empty message fits. */
	struct uet_recv_post post = {
		.match = 1, .flags = UET_RECV_TAGGED | UET_RECV_ANY_SOURCE,
	};

	bind_to(fd, NULL, PID);
	if (ioctl(fd, UET_IOC_RECV_POST, &post))
		fail(fd, "post a receive");
	answer(fd, "!", 1);
	if (recv(fd, NULL, 0, 0) < 0)
		fail(fd, "receive");
	printf("nothing came\n");
}

int main(int argc, char **argv)
{
	int fd = open_socket(SOCK_RDM);

	if (argc > 1)
		send_and_cancel(fd, argv[1]);
	else
		receive_nothing(fd);
	return 0;
}
