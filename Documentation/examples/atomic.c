// SPDX-License-Identifier: GPL-2.0
/*
 * Atomic operations: the owner registers a counter, and the client adds 1 to the
 * counter several times.  Each operation returns the value that the counter had
 * before, so that many clients could draw numbers without a conflict.
 *
 *	node2$ atomic
 *	node1$ atomic 10.0.0.2
 */
#include "common.h"

#define PID	33	/* PIDonFEP of the owner */
#define COUNT	10

static void client(const char *fa)
{
	uint32_t peer;
	struct uet *u = open_to(SOCK_RDM, fa, PID, &peer);
	static volatile __u64 ticket;
	struct uet_local old = { .key = mem_reg(u, &ticket, sizeof(ticket), 0) };
	struct uet_rma counter = { .offset = 0 };
	const __u64 one = 1;
	int i;

	ask(u, peer, &counter.key, sizeof(counter.key));
	for (i = 0; i < COUNT; i++)
		must(u, uet_fetch(u, peer, counter, UET_AMO_SUM, UET_DT_UINT64, &one, NULL,
				  old, UET_F_WAIT, 0));
	printf("the last ticket is %llu\n", ticket);
	send_end(u, peer);
	finish(u);
}

static void owner(void)
{
	struct uet *u = open_at(SOCK_RDM, "*", PID);
	static volatile __u64 counter;
	__u64 key = mem_reg(u, &counter, sizeof(counter), UET_MR_ATOMIC);

	answer(u, &key, sizeof(key));
	wait_for_end(u);
	printf("the counter is %llu\n", counter);
	uet_close(u);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		client(argv[1]);
	else
		owner();
	return 0;
}
