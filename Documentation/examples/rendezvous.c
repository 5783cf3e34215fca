// SPDX-License-Identifier: GPL-2.0
/*
 * Rendezvous messages: the message is in a memory region of the sender, and the
 * receiver reads the region when it has space.  The receiver of this program posts
 * no receives and reads the message with recv().
 *
 *	node2$ rendezvous
 *	node1$ rendezvous 10.0.0.2
 */
#include "common.h"

#define PID	36	/* PIDonFEP of the receiver */
#define SIZE	100000

static char memory[SIZE];

static void sender(int fd, const char *fa)
{
	struct uet_mr_reg reg = {
		.addr = (unsigned long)memory, .length = sizeof(memory),
		.access = UET_MR_READ,
	};
	struct uet_local local = { .length = SIZE };
	struct message m;

	memset(memory, 'x', sizeof(memory));
	connect_to(fd, fa, PID);
	if (ioctl(fd, UET_IOC_MR_REG, &reg))
		fail(fd, "register memory");
	local.key = reg.key;
	message_init(&m, NULL, 0);	/* no eager part */
	add_op(&m, UET_OP_RENDEZVOUS_SEND, UET_OP_COMPLETE, 0);
	add_control(&m, UET_CMSG_LOCAL, &local, sizeof(local));
	if (sendmsg(fd, &m.msg, 0) < 0)
		fail(fd, "send");
	/* The region must not change before. */
	printf("%u bytes were read\n", must_complete(fd).length);
	if (send(fd, NULL, 0, 0) < 0 || shutdown(fd, SHUT_WR))
		fail(fd, "end");
}

static void receiver(int fd)
{
	ssize_t len, i;

	bind_to(fd, NULL, PID);
	len = recv(fd, memory, sizeof(memory), 0);
	if (len < 0)
		fail(fd, "receive");
	for (i = 0; i < len && memory[i] == 'x'; i++)
		;
	printf("%zd bytes received, %zd are right\n", len, i);
	if (recv(fd, NULL, 0, 0) < 0)	/* the sender reports the end */
		fail(fd, "receive");
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
