// SPDX-License-Identifier: GPL-2.0
/*
 * Deferrable messages: the receiver has no receive for the first message, and a receive
 * buffer that is too short for it, so the bytes stay with the sender.  The receiver posts
 * the receive later and then gets the bytes.
 *
 *	node2$ deferrable
 *	node1$ deferrable 10.0.0.2
 */
#include "common.h"

#define PID	35	/* PIDonFEP of the receiver */
#define SIZE	100000	/* bytes for each message */
#define BUFFER	16384	/* bytes for the receive buffer */

static void sender(const char *fa)
{
	static char text[SIZE] = "wanted later";
	const struct iovec later = { text, SIZE };
	struct uet_request send = {
		.opcode = UET_OP_DEFERRABLE_TSEND, .tag = 2,
		.iov = &later, .iov_count = 1,
	};
	struct uet *u = open_to(SOCK_RDM, fa, PID, &send.peer);
	char ready;

	ask(u, send.peer, &ready, sizeof(ready));
	must(u, uet_request(u, &send));
	must(u, uet_tsend(u, send.peer, 1, "wanted first", 12, 0, 0));
	finish(u);		/* waits for both */
	printf("both are delivered\n");
}

static void receiver(void)
{
	struct uet *u = open_at(SOCK_RDM, "*", PID);
	static char memory[SIZE];
	const struct uet_local to = {
		.key = mem_reg(u, memory, sizeof(memory), 0), .length = SIZE,
	};
	struct uet_completion done;
	int buffer = BUFFER;
	__u64 tag;

	must(u, setsockopt(uet_fd(u), SOL_SOCKET, SO_RCVBUF, &buffer, sizeof(buffer)));
	must(u, uet_post(u, 0, 1, 0, to, UET_RECV_TAGGED, 0));
	answer(u, "!", 1);
	for (tag = 1; tag <= 2; tag++) {
		if (tag > 1)
			must(u, uet_post(u, 0, tag, 0, to, UET_RECV_TAGGED, 0));
		done = must_complete(u);
		printf("tag %llu: %.*s\n", done.match, (int)done.length, memory);
	}
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
