// SPDX-License-Identifier: GPL-2.0
/*
 * An all-reduce with libuet: every rank gets the sums of the values of all ranks.  The
 * ranks are a ring, and the values are one chunk for each rank.  In size - 1 steps each
 * chunk goes round and is summed; in further size - 1 steps the sums go round.  The
 * receive with the number of a step as its tag takes the chunk of that step.
 *
 *	gcc -o allreduce allreduce.c -luet
 *	ueadm job run -n 8 -- ./allreduce
 */
#include <err.h>
#include <stdbool.h>
#include <stdio.h>
#include <uet.h>

#define CHUNK	1000	/* values for each rank */
#define RANKS	64	/* at most */

static double values[RANKS][CHUNK], came[RANKS][CHUNK];

static void must(struct uet *u, long ret)
{
	if (ret < 0)
		errx(1, "rank %u: %s", uet_rank(u), uet_strerror(u));
}

/* Send a chunk to the right, and wait for the chunk from the left. */
static void exchange(struct uet *u, uint32_t step, const double *chunk)
{
	uint32_t right = uet_peer(u, (uet_rank(u) + 1) % uet_size(u));
	static bool is_there[2 * RANKS];
	struct uet_completion done;

	must(u, uet_tsend(u, right, step, chunk, sizeof(*values), 0, 0));
	while (!is_there[step]) {
		must(u, uet_wait(u, &done, 1, -1));
		if (done.error)
			errx(1, "rank %u: step %llu failed", uet_rank(u), done.cookie);
		is_there[done.cookie] = true;
	}
}

static void all_reduce(struct uet *u)
{
	uint32_t size = uet_size(u), rank = uet_rank(u), step, from, i;
	__u64 sums, chunks;

	must(u, uet_mem_reg(u, values, sizeof(values), 0, 0, &sums));
	must(u, uet_mem_reg(u, came, sizeof(came), 0, 0, &chunks));
	for (step = 0; step + 1 < size; step++) {
		from = (rank + size - step) % size;
		must(u, uet_post(u, 0, step, 0,
				 (struct uet_local){ chunks, step * sizeof(*came), sizeof(*came) },
				 UET_RECV_TAGGED, step));
		must(u, uet_post(u, 0, size + step, 0,
				 (struct uet_local){ sums, from * sizeof(*came), sizeof(*came) },
				 UET_RECV_TAGGED, size + step));
	}
	must(u, uet_barrier(u, -1));		/* all receives are posted */
	for (step = 0; step + 1 < size; step++) {
		exchange(u, step, values[(rank + size - step) % size]);
		from = (rank + 2 * size - step - 1) % size;
		for (i = 0; i < CHUNK; i++)
			values[from][i] += came[step][i];
	}
	for (step = 0; step + 1 < size; step++)
		exchange(u, size + step, values[(rank + size - step + 1) % size]);
	must(u, uet_mem_dereg(u, sums));
	must(u, uet_mem_dereg(u, chunks));
}

int main(void)
{
	char why[UET_ERROR_SIZE];
	struct uet *u = uet_open(NULL, why);
	double *value = values[0];
	uint32_t size, i, right = 0;

	if (!u)
		errx(1, "%s", why);
	size = uet_size(u);
	if (size > RANKS)
		errx(1, "more than %d ranks", RANKS);
	for (i = 0; i < size * CHUNK; i++)
		value[i] = uet_rank(u) + i;
	all_reduce(u);
	for (i = 0; i < size * CHUNK; i++)
		right += value[i] == size * (size - 1) / 2 + (double)size * i;
	if (right != size * CHUNK)
		errx(1, "rank %u: %u of %u sums are right", uet_rank(u), right, size * CHUNK);
	must(u, uet_barrier(u, -1));
	if (!uet_rank(u))
		printf("%u ranks: %u sums are right\n", size, right);
	uet_close(u);
	return 0;
}
