// SPDX-License-Identifier: GPL-2.0
/*
 * Looking for messages: the receiver learns tag and length of the first message with a
 * tag of 0x200 to 0x2ff, claims it, and receives it into memory of just that length.
 * No other receive or reader can take the message in between.
 *
 *	node2$ peek
 *	node1$ peek 10.0.0.2
 */
#include <poll.h>

#include "common.h"

#define PID	41	/* PIDonFEP of the receiver */

static void sender(const char *fa)
{
	uint32_t peer;
	struct uet *u = open_to(SOCK_SEQPACKET, fa, PID, &peer);

	must(u, uet_tsend(u, peer, 0x2aa, "pears of any number", 19, 0, 0));
	must(u, uet_tsend(u, peer, 0x100, "an apple", 8, 0, 0));
	printf("sent\n");
	finish(u);
}

/* Claim the first message of the range, once there is one. */
static struct uet_recv_peek claim(struct uet *u)
{
	struct pollfd pfd = { .fd = uet_fd(u), .events = POLLIN };
	struct uet_recv_peek peek = {
		.size = sizeof(peek),
		.match = 0x200, .ignore = 0xff,
		.flags = UET_RECV_TAGGED | UET_RECV_ANY_SOURCE | UET_PEEK_CLAIM,
	};

	while (uet_peek(u, &peek)) {
		if (errno != ENOMSG)
			must(u, -1);
		poll(&pfd, 1, 1);
	}
	return peek;
}

static void receiver(void)
{
	struct uet *u = open_at(SOCK_SEQPACKET, "*", PID);
	struct uet_recv_peek found = claim(u);
	char *memory = malloc(found.ctx.length), other[16] = "";
	struct uet_local to = { .length = found.ctx.length };

	if (!memory)
		err(1, "malloc");
	to.key = mem_reg(u, memory, to.length, 0);
	must(u, uet_post(u, 0, found.claim, 0, to, UET_RECV_CLAIM, 0));
	must_complete(u);
	must(u, uet_recv(u, other, sizeof(other) - 1, 0, NULL, NULL));
	printf("tag 0x%llx, %u bytes: %.*s, and %s\n", found.ctx.match,
	       found.ctx.length, (int)found.ctx.length, memory, other);
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
