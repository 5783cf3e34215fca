// SPDX-License-Identifier: GPL-2.0
/*
 * Multi-receive: one receive takes message after message.  The completion of each
 * message has its offset, and the last completion says that the memory is free.
 *
 *	node2$ multi_recv
 *	node1$ multi_recv 10.0.0.2
 */
#include "common.h"

#define PID		42	/* PIDonFEP of the receiver */
#define SIZE		4096	/* bytes of the receive */
#define MESSAGE_MAX	512	/* longest message: one more must always fit */

static void sender(int fd, const char *fa)
{
	char text[MESSAGE_MAX];
	int i;

	connect_to(fd, fa, PID);
	for (i = 0; i < 8; i++) {
		memset(text, 'a' + i, sizeof(text));
		if (send(fd, text, sizeof(text) - i, 0) < 0)
			fail(fd, "send");
	}
	if (shutdown(fd, SHUT_WR))
		fail(fd, "send");
	printf("sent\n");
}

static void receiver(int fd)
{
	static char memory[SIZE];
	struct uet_mr_reg reg = {
		.addr = (unsigned long)memory, .length = sizeof(memory),
	};
	struct uet_recv_post post = {
		.length = SIZE, .min_free = MESSAGE_MAX,
		.flags = UET_RECV_ANY_SOURCE | UET_RECV_MULTI,
	};
	struct uet_completion done;

	bind_to(fd, NULL, PID);
	if (ioctl(fd, UET_IOC_MR_REG, &reg))
		fail(fd, "register memory");
	post.key = reg.key;
	if (ioctl(fd, UET_IOC_RECV_POST, &post))
		fail(fd, "post a receive");
	do {
		done = must_complete(fd);
		printf("%u bytes of %c at %u\n", done.length,
		       memory[done.offset], done.offset);
	} while (!(done.flags & UET_COMPLETION_LAST));
}

int main(int argc, char **argv)
{
	int fd = open_socket(SOCK_SEQPACKET);

	if (argc > 1)
		sender(fd, argv[1]);
	else
		receiver(fd);
	return 0;
}
