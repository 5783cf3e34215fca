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

static void sender(const char *fa)
{
	uint32_t peer;
	struct uet *u = open_to(SOCK_RDM, fa, PID, &peer);

	must(u, uet_tsend(u, peer, 0x2aa, "pears", 5, 0, 0));
	must(u, uet_tsend(u, peer, 0x100, "an apple", 8, 0, 0));
	printf("sent\n");
	finish(u);
}

static void receiver(void)
{
	struct uet *u = open_at(SOCK_RDM, "*", PID);
	static char memory[RECEIVES][SIZE];
	__u64 key = mem_reg(u, memory, sizeof(memory), 0);
	struct uet_completion done[RECEIVES], one;
	int i;

	must(u, uet_post(u, 0, 0x100, 0, (struct uet_local){ key, 0, SIZE },
			 UET_RECV_TAGGED, 0));
	/* 0x200 to 0x2ff */
	must(u, uet_post(u, 0, 0x200, 0xff, (struct uet_local){ key, SIZE, SIZE },
			 UET_RECV_TAGGED, 1));
	for (i = 0; i < RECEIVES; i++) {
		one = must_complete(u);		/* in any order */
		done[one.cookie] = one;
	}
	for (i = 0; i < RECEIVES; i++)
		printf("receive %d, tag 0x%llx: %.*s\n", i, done[i].match,
		       (int)done[i].length, memory[i]);
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
