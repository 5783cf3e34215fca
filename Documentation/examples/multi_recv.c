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

static void sender(const char *fa)
{
	uint32_t peer;
	struct uet *u = open_to(SOCK_SEQPACKET, fa, PID, &peer);
	char text[MESSAGE_MAX];
	int i;

	for (i = 0; i < 8; i++) {
		memset(text, 'a' + i, sizeof(text));
		must(u, uet_send(u, peer, text, sizeof(text) - i, 0, 0));
	}
	printf("sent\n");
	finish(u);
}

static void receiver(void)
{
	struct uet *u = open_at(SOCK_SEQPACKET, "*", PID);
	static char memory[SIZE];
	const struct uet_recv_post post = {
		.size = sizeof(post),
		.key = mem_reg(u, memory, sizeof(memory), 0), .length = SIZE,
		.min_free = MESSAGE_MAX, .flags = UET_RECV_ANY_SOURCE | UET_RECV_MULTI,
	};
	struct uet_completion done;

	must(u, uet_posts(u, &post, 1));
	do {
		done = must_complete(u);
		printf("%u bytes of %c at %u\n", done.length,
		       memory[done.offset], done.offset);
	} while (!(done.flags & UET_COMPLETION_LAST));
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
