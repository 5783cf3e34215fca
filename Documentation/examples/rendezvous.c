// SPDX-License-Identifier: GPL-2.0
/*
 * Rendezvous messages: the message is in a memory region of the sender, and the
 * receiver reads the region when it has space.  The receiver of this program posts
 * no receives and reads the message with uet_recv().
 *
 *	node2$ rendezvous
 *	node1$ rendezvous 10.0.0.2
 */
#include "common.h"

#define PID	36	/* PIDonFEP of the receiver */
#define SIZE	100000

static char memory[SIZE];

static void sender(const char *fa)
{
	struct uet_request send = {	/* no payload: no eager part */
		.opcode = UET_OP_RENDEZVOUS_SEND, .flags = UET_F_COMPLETE,
		.local = { .length = SIZE },
	};
	struct uet *u = open_to(SOCK_RDM, fa, PID, &send.peer);

	memset(memory, 'x', sizeof(memory));
	send.local.key = mem_reg(u, memory, sizeof(memory), UET_MR_READ);
	must(u, uet_request(u, &send));
	/* The region must not change before. */
	printf("%u bytes were read\n", must_complete(u).length);
	send_end(u, send.peer);
	finish(u);
}

static void receiver(void)
{
	struct uet *u = open_at(SOCK_RDM, "*", PID);
	ssize_t len, i;

	len = uet_recv(u, memory, sizeof(memory), 0, NULL, NULL);
	must(u, len);
	for (i = 0; i < len && memory[i] == 'x'; i++)
		;
	printf("%zd bytes received, %zd are right\n", len, i);
	wait_for_end(u);
	uet_close(u);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		sender(argv[1]);
	else
		receiver();
	return 0;
}
