// SPDX-License-Identifier: GPL-2.0
/*
 * Peers: the receiver gives a sender a number, by the address of the first message.  It
 * then answers by this number, and takes further messages of this sender only.
 *
 *	node2$ peers
 *	node1$ peers 10.0.0.2
 */
#include "common.h"

#define PID	43	/* PIDonFEP of the receiver */
#define SIZE	64

static void sender(const char *fa)
{
	uint32_t peer;
	struct uet *u = open_to(SOCK_SEQPACKET, fa, PID, &peer);
	char text[SIZE] = "";

	must(u, uet_send(u, peer, "hello", 5, 0, 0));
	must(u, uet_recv(u, text, sizeof(text) - 1, 0, NULL, NULL));
	must(u, uet_send(u, peer, "more", 4, 0, 0));
	printf("answer: %s\n", text);
	finish(u);
}

static void receiver(void)
{
	struct uet *u = open_at(SOCK_SEQPACKET, "*", PID);
	static char memory[SIZE];
	const struct uet_local to = {
		.key = mem_reg(u, memory, sizeof(memory), 0), .length = SIZE,
	};
	struct uet_completion done;
	struct sockaddr_uet from;
	uint32_t peer;

	must(u, uet_recv(u, NULL, 0, 0, NULL, &from));
	peer = add_peer(u, &from);
	must(u, uet_post(u, peer, 0, 0, to, 0, 0));
	must(u, uet_send(u, peer, "welcome", 7, 0, 0));
	done = must_complete(u);
	printf("%s peer: %.*s\n", done.peer == peer ? "known" : "unknown",
	       (int)done.length, memory);
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
