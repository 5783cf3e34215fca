// SPDX-License-Identifier: GPL-2.0
/*
 * A rank of "ueadm job run", or of another launcher, that uses libuet: the ranks start one
 * after the other, the last one first, meet at a barrier, send to each other by rank, and
 * sum their numbers at rank 0 by remote atomics.  Exit status 0 if that went well.
 * Level: test.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <uet.h>

#define KEY	1

static struct uet *u;

static void must(int ret, const char *what)
{
	if (ret >= 0)
		return;
	fprintf(stderr, "rank %u: %s: %s\n", u ? uet_rank(u) : 0, what, uet_strerror(u));
	exit(1);
}

/* Each sends its rank to each other one. */
static void exchange(uint32_t rank, uint32_t size)
{
	uint32_t i, from, sum = 0;
	struct uet_ctx ctx;

	for (i = 0; i < size; i++)
		must(uet_send(u, uet_peer(u, i), &rank, sizeof(rank), 0, 0), "send");
	for (i = 0; i < size; i++) {
		must(uet_recv(u, &from, sizeof(from), 0, &ctx, NULL), "recv");
		if (uet_peer_rank(u, ctx.peer) != (int)from) {
			fprintf(stderr, "rank %u: peer %u is not rank %u\n", rank, ctx.peer,
				from);
			exit(1);
		}
		sum += from;
	}
	if (sum != size * (size - 1) / 2) {
		fprintf(stderr, "rank %u: the sum is %u\n", rank, sum);
		exit(1);
	}
}

int main(void)
{
	static uint64_t total;
	char why[UET_ERROR_SIZE];
	__u64 key = KEY;
	uint64_t mine;
	uint32_t size;

	if (getenv("UET_RANK"))
		poll(NULL, 0, 40 * (atoi(getenv("UET_SIZE")) - atoi(getenv("UET_RANK"))));
	u = uet_open(NULL, why);
	if (!u) {
		fprintf(stderr, "uet_open: %s\n", why);
		return 1;
	}
	mine = uet_rank(u) + 1;
	size = uet_size(u);
	must(uet_mem_reg(u, &total, sizeof(total), UET_MR_ATOMIC, UET_MR_FIXED_KEY, &key),
	     "register memory");
	must(uet_barrier(u, -1), "barrier");
	exchange(uet_rank(u), size);
	must(uet_atomic(u, uet_peer(u, 0), (struct uet_rma){ KEY, 0 }, UET_AMO_SUM,
			UET_DT_UINT64, &mine, NULL, 1, UET_F_WAIT, 0), "add");
	must(uet_barrier(u, -1), "barrier");
	if (!uet_rank(u))
		printf("%u ranks: %llu\n", size, (unsigned long long)total);
	must(uet_finish(u), "end");
	uet_close(u);
	return 0;
}
