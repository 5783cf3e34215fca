// SPDX-License-Identifier: GPL-2.0
/*
 * A ring of ranks: a token goes round all ranks several times, each rank adds its
 * number to the token, and rank 0 compares the sum with the expected value.  Every
 * rank gets the same list of fabric addresses.  The ranks may start in any order.
 *
 *	node3$ ring 2 10.0.0.1 10.0.0.2 10.0.0.3
 *	node2$ ring 1 10.0.0.1 10.0.0.2 10.0.0.3
 *	node1$ ring 0 10.0.0.1 10.0.0.2 10.0.0.3
 */
#include "common.h"

#define PID	24	/* PIDonFEP of rank 0; rank 1 has 25, and so on */
#define ROUNDS	10

static struct uet *open_rank(uint32_t rank, uint32_t ranks, char **fas)
{
	struct sockaddr_uet *peers = calloc(ranks, sizeof(*peers));
	const struct uet_attr attr = {
		.job = JOB, .rank = rank, .size = ranks, .peers = peers,
	};
	char why[UET_ERROR_SIZE];
	struct uet *u;
	uint32_t i;

	if (!peers)
		err(1, "peers");
	for (i = 0; i < ranks; i++)
		peers[i] = address(fas[i], PID + i);
	u = uet_open(&attr, why);
	if (!u)
		errx(1, "%s", why);
	free(peers);
	return u;
}

static void pass_on(struct uet *u, long token)
{
	uint32_t next = (uet_rank(u) + 1) % uet_size(u);

	must(u, uet_send(u, uet_peer(u, next), &token, sizeof(token), 0, 0));
}

static long take(struct uet *u)
{
	long token;

	must(u, uet_recv(u, &token, sizeof(token), 0, NULL, NULL));
	return token;
}

static void first(struct uet *u, long ranks)
{
	long token = 0, right = ROUNDS * ranks * (ranks - 1) / 2;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		pass_on(u, token);
		token = take(u);
	}
	printf("%d rounds through %ld ranks: %ld\n", ROUNDS, ranks, token);
	if (token != right)
		errx(1, "should be %ld", right);
}

int main(int argc, char **argv)
{
	int rank = argc > 3 ? atoi(argv[1]) : -1, ranks = argc - 2, i;
	struct uet *u;

	if (rank < 0 || rank >= ranks)
		errx(2, "usage: ring RANK FA FA...");
	u = open_rank(rank, ranks, argv + 2);
	must(u, uet_barrier(u, -1));
	if (!rank)
		first(u, ranks);
	for (i = 0; rank && i < ROUNDS; i++)
		pass_on(u, take(u) + rank);
	finish(u);
	return 0;
}
