// SPDX-License-Identifier: GPL-2.0
/*
 * Deferrable messages: the receiver has no receive for the first message, so the
 * bytes stay with the sender.  The receiver posts the receive later and then gets
 * the bytes.
 *
 *	node2$ deferrable
 *	node1$ deferrable 10.0.0.2
 */
#include "common.h"

#define PID	35	/* PIDonFEP of the receiver */
#define SIZE	4096	/* bytes for each message */

static void sender(int fd, const char *fa)
{
	char ready;

	connect_to(fd, fa, PID);
	ask(fd, &ready, sizeof(ready));
	send_tagged(fd, UET_OP_DEFERRABLE_TSEND, 2, "wanted later");
	send_tagged(fd, UET_OP_TAGGED_SEND, 1, "wanted first");
	if (shutdown(fd, SHUT_WR))	/* waits for both */
		fail(fd, "send");
	printf("both are delivered\n");
}

static void post(int fd, __u64 key, __u64 tag)
{
	struct uet_recv_post post = {
		.match = tag, .key = key, .length = SIZE,
		.flags = UET_RECV_TAGGED | UET_RECV_ANY_SOURCE,
	};

	if (ioctl(fd, UET_IOC_RECV_POST, &post))
		fail(fd, "post a receive");
}

static void receiver(int fd)
{
	static char memory[SIZE];
	struct uet_mr_reg reg = {
		.addr = (unsigned long)memory, .length = sizeof(memory),
	};
	struct uet_completion done;
	__u64 tag;

	bind_to(fd, NULL, PID);
	if (ioctl(fd, UET_IOC_MR_REG, &reg))
		fail(fd, "register memory");
	post(fd, reg.key, 1);
	answer(fd, "!", 1);
	for (tag = 1; tag <= 2; tag++) {
		if (tag > 1)
			post(fd, reg.key, tag);
		done = must_complete(fd);
		printf("tag %llu: %.*s\n", done.match, (int)done.length, memory);
	}
}

int main(int argc, char **argv)
{
	int fd = open_socket(SOCK_RDM);

	if (argc > 1)
		sender(fd, argv[1]);
	else
		receiver(fd);
	return 0;
}
