// SPDX-License-Identifier: GPL-2.0
/*
 * Collectives of MPI among many ranks, whose results each rank checks: a ring, an exchange of
 * all with all, a sum, barriers.  Run by many.sh and ranks.sh.
 *
 * usage: mpi_many [STEP]...	ring, alltoall, blocks, allreduce; all of them without
 */
#include <err.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS	3

static int rank, size;

/* Byte @at of a message from @from to @to. */
static uint8_t pattern(int from, int to, int at)
{
	return from * 31 + to * 7 + at + at / 256;
}

static void fill(uint8_t *bytes, int to, int count)
{
	int i;

	for (i = 0; i < count; i++)
		bytes[i] = pattern(rank, to, i);
}

static void check(const uint8_t *bytes, int from, int count)
{
	int i;

	for (i = 0; i < count; i++)
		if (bytes[i] != pattern(from, rank, i))
			errx(1, "rank %d: byte %d of %d from rank %d is %d, not %d", rank, i,
			     count, from, bytes[i], pattern(from, rank, i));
}

static uint8_t *allocate(size_t bytes)
{
	uint8_t *memory = calloc(bytes, 1);

	if (!memory)
		err(1, "%zu bytes", bytes);
	return memory;
}

static void do_ring(int count)
{
	int next = (rank + 1) % size, last = (rank + size - 1) % size, got;
	uint8_t *out = allocate(count), *in = allocate(count);
	MPI_Status status;

	fill(out, next, count);
	MPI_Sendrecv(out, count, MPI_BYTE, next, 5, in, count, MPI_BYTE, last, 5,
		     MPI_COMM_WORLD, &status);
	MPI_Get_count(&status, MPI_BYTE, &got);
	if (got != count)
		errx(1, "rank %d: %d bytes from rank %d, not %d", rank, got, last, count);
	check(in, last, count);
	free(out);
	free(in);
}

static void do_alltoall(int count)
{
	uint8_t *out = allocate((size_t)count * size), *in = allocate((size_t)count * size);
	int other;

	for (other = 0; other < size; other++)
		fill(out + other * count, other, count);
	MPI_Alltoall(out, count, MPI_BYTE, in, count, MPI_BYTE, MPI_COMM_WORLD);
	for (other = 0; other < size; other++)
		check(in + other * count, other, count);
	free(out);
	free(in);
}

static void do_allreduce(void)
{
	long values[2] = { rank, (long)rank * rank }, sums[2];
	long wanted[2] = { (long)size * (size - 1) / 2,
			   (long)size * (size - 1) * (2 * size - 1) / 6 };

	MPI_Allreduce(values, sums, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	if (sums[0] != wanted[0] || sums[1] != wanted[1])
		errx(1, "rank %d: sums are %ld and %ld, not %ld and %ld", rank, sums[0],
		     sums[1], wanted[0], wanted[1]);
}

static void step_ring(void)
{
	static const int lengths[] = { 0, 64, 4096, 65537, 300000 };
	size_t i;

	for (i = 0; i < sizeof(lengths) / sizeof(*lengths); i++)
		do_ring(lengths[i]);
}

static void step_alltoall(void)
{
	int i;

	for (i = 0; i < ROUNDS; i++)
		do_alltoall(16);
}

/* Blocks of this length do not travel through other ranks. */
static void step_blocks(void)
{
	int i;

	for (i = 0; i < ROUNDS; i++)
		do_alltoall(4096);
}

static void step_allreduce(void)
{
	int i;

	for (i = 0; i < ROUNDS; i++)
		do_allreduce();
}

static const struct {
	const char *name;
	void (*run)(void);
} steps[] = {
	{ "ring", step_ring },
	{ "alltoall", step_alltoall },
	{ "blocks", step_blocks },
	{ "allreduce", step_allreduce },
};

static int is_wanted(const char *name, char **wanted)
{
	if (!*wanted)
		return 1;
	for (; *wanted; wanted++)
		if (!strcmp(*wanted, name))
			return 1;
	return 0;
}

int main(int argc, char **argv)
{
	size_t i;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		if (!is_wanted(steps[i].name, argv + 1))
			continue;
		steps[i].run();
		MPI_Barrier(MPI_COMM_WORLD);
		if (!rank) {
			printf("%s, %d ranks: ok\n", steps[i].name, size);
			fflush(stdout);
		}
	}
	MPI_Finalize();
	return 0;
}
