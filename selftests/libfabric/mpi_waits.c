// SPDX-License-Identifier: GPL-2.0
/*
 * Two ranks with many messages that wait: receives before anything is sent, sends of both
 * ranks before any receive, and the last message received first.  Run by openmpi.sh.
 */
#include <err.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MANY		20000
#define LONG_COUNT	150
#define LONG_LENGTH	60000
/* MPI tries for ever what finds no space. */
#define SECONDS		300

static int rank, peer;
static MPI_Request requests[MANY];

static void *allocate(size_t bytes)
{
	void *memory = calloc(bytes, 1);

	if (!memory)
		err(1, "%zu bytes", bytes);
	return memory;
}

static void step_done(const char *name)
{
	MPI_Barrier(MPI_COMM_WORLD);
	if (!rank) {
		printf("%s: ok\n", name);
		fflush(stdout);
	}
}

/* The sender begins when the receiver has posted all. */
static void receives_before_sends(void)
{
	int32_t *values = allocate(MANY * sizeof(*values));
	int i;

	if (!rank) {
		for (i = 0; i < MANY; i++)
			MPI_Irecv(&values[i], 1, MPI_INT32_T, peer, i, MPI_COMM_WORLD,
				  &requests[i]);
		MPI_Barrier(MPI_COMM_WORLD);
		MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE);
		for (i = 0; i < MANY; i++)
			if (values[i] != i)
				errx(1, "receive %d has %d", i, values[i]);
	} else {
		MPI_Barrier(MPI_COMM_WORLD);
		for (i = MANY; i--; )
			MPI_Send(&i, 1, MPI_INT32_T, peer, i, MPI_COMM_WORLD);
	}
	free(values);
	step_done("20000 receives before the first send");
}

static void sends_before_receives(void)
{
	int32_t *values = allocate(MANY * sizeof(*values)), got;
	int i;

	for (i = 0; i < MANY; i++) {
		values[i] = rank * MANY + i;
		MPI_Isend(&values[i], 1, MPI_INT32_T, peer, i, MPI_COMM_WORLD, &requests[i]);
	}
	for (i = MANY; i--; ) {
		MPI_Recv(&got, 1, MPI_INT32_T, peer, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (got != peer * MANY + i)
			errx(1, "rank %d: message %d has %d", rank, i, got);
	}
	MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE);
	free(values);
	step_done("20000 sends of both ranks before the first receive");
}

static void last_to_first(void)
{
	uint8_t *out = allocate((size_t)LONG_COUNT * LONG_LENGTH), *in = allocate(LONG_LENGTH);
	int i;

	for (i = 0; i < LONG_COUNT; i++)
		memset(out + (size_t)i * LONG_LENGTH, i, LONG_LENGTH);
	for (i = 0; i < LONG_COUNT; i++) {
		uint8_t *message = out + (size_t)i * LONG_LENGTH;

		if (!rank)
			MPI_Isend(message, LONG_LENGTH, MPI_BYTE, peer, i, MPI_COMM_WORLD,
				  &requests[i]);
	}
	if (!rank)
		MPI_Waitall(LONG_COUNT, requests, MPI_STATUSES_IGNORE);
	for (i = LONG_COUNT; rank && i--; ) {
		MPI_Recv(in, LONG_LENGTH, MPI_BYTE, peer, i, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
		if (memcmp(in, out + (size_t)i * LONG_LENGTH, LONG_LENGTH))
			errx(1, "message %d is wrong", i);
	}
	free(out);
	free(in);
	step_done("150 messages of 60000 bytes from the last to the first");
}

int main(int argc, char **argv)
{
	alarm(SECONDS);
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	peer = !rank;
	receives_before_sends();
	sends_before_receives();
	last_to_first();
	MPI_Finalize();
	return 0;
}
