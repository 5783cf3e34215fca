// SPDX-License-Identifier: GPL-2.0
/*
 * Tagged messages: the receiver posts a receive for one tag and another receive for
 * a range of tags.  The sender sends in the other order, and each message goes to
 * memory of its own.  The cookie of a completion names the receive.
 *
 *	node2$ tagged
 *	node1$ tagged 10.0.0.2
 */
#include "common.h"

#define PID	28	/* PIDonFEP of the receiver */
#define SIZE	4096	/* bytes for each message */
#define RECEIVES 2

static void sender(int fd, const char *fa)
{
	connect_to(fd, fa, PID);
	send_tagged(fd, UET_OP_TAGGED_SEND, 0x2aa, "pears");
	send_tagged(fd, UET_OP_TAGGED_SEND, 0x100, "an apple");
	if (shutdown(fd, SHUT_WR))
		fail(fd, "send");
	printf("sent\n");
}

static void receiver(int fd)
{
	static char memory[RECEIVES][SIZE];
	struct uet_mr_reg reg = {
		.addr = (unsigned long)memory, .length = sizeof(memory),
	};
	struct uet_recv_post posts[RECEIVES] = {
		{ .match = 0x100 },
		{ .match = 0x200, .ignore = 0xff },	/* 0x200 to 0x2ff */
	};
	struct uet_completion done[RECEIVES], one;
	int i;

	bind_to(fd, NULL, PID);
	if (ioctl(fd, UET_IOC_MR_REG, &reg))
		fail(fd, "register memory");
	for (i = 0; i < RECEIVES; i++) {
		posts[i].cookie = i;
		posts[i].key = reg.key;
		posts[i].offset = i * SIZE;
		posts[i].length = SIZE;
		posts[i].flags = UET_RECV_TAGGED | UET_RECV_ANY_SOURCE;
		if (ioctl(fd, UET_IOC_RECV_POST, &posts[i]))
			fail(fd, "post a receive");
	}
	for (i = 0; i < RECEIVES; i++) {
		one = must_complete(fd);	/* in any order */
		done[one.cookie] = one;
	}
	for (i = 0; i < RECEIVES; i++)
		printf("receive %d, tag 0x%llx: %.*s\n", i, done[i].match,
		       (int)done[i].length, memory[i]);
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
