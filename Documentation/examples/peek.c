// SPDX-License-Identifier: GPL-2.0
/*
 * Looking for messages: the receiver learns tag and length of the first message with a
 * tag of 0x200 to 0x2ff, claims it, and receives it into memory of just that length.
 * No other receive or reader can take the message in between.
 *
 *	node2$ peek
 *	node1$ peek 10.0.0.2
 */
#include "common.h"

#define PID	41	/* PIDonFEP of the receiver */

static void sender(int fd, const char *fa)
{
	connect_to(fd, fa, PID);
	send_tagged(fd, UET_OP_TAGGED_SEND, 0x2aa, "pears of any number");
	send_tagged(fd, UET_OP_TAGGED_SEND, 0x100, "an apple");
	if (shutdown(fd, SHUT_WR))
		fail(fd, "send");
	printf("sent\n");
}

/* Claim the first message of the range, once there is one. */
static struct uet_recv_peek claim(int fd)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	struct uet_recv_peek peek = {
		.match = 0x200, .ignore = 0xff,
		.flags = UET_RECV_TAGGED | UET_RECV_ANY_SOURCE | UET_PEEK_CLAIM,
	};

	while (ioctl(fd, UET_IOC_RECV_PEEK, &peek)) {
		if (errno != ENOMSG)
			fail(fd, "look for a message");
		poll(&pfd, 1, 1);
	}
	return peek;
}

static void receiver(int fd)
{
	struct uet_recv_peek found;
	struct uet_mr_reg reg = { 0 };
	struct uet_recv_post post;
	char *memory, other[16] = "";

	bind_to(fd, NULL, PID);
	found = claim(fd);
	memory = malloc(found.ctx.length);
	if (!memory)
		fail(-1, "malloc");
	reg.addr = (unsigned long)memory;
	reg.length = found.ctx.length;
	if (ioctl(fd, UET_IOC_MR_REG, &reg))
		fail(fd, "register memory");
	post = (struct uet_recv_post){
		.match = found.claim, .key = reg.key, .length = reg.length,
		.flags = UET_RECV_CLAIM,
	};
	if (ioctl(fd, UET_IOC_RECV_POST, &post))
		fail(fd, "receive the message");
	must_complete(fd);
	if (recv(fd, other, sizeof(other) - 1, 0) < 0)
		fail(fd, "read the other message");
	printf("tag 0x%llx, %u bytes: %.*s, and %s\n", found.ctx.match,
	       found.ctx.length, (int)found.ctx.length, memory, other);
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
