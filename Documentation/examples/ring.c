// SPDX-License-Identifier: GPL-2.0
/*
 * A ring of ranks: a token goes round all ranks several times, each rank adds its
 * number to the token, and rank 0 compares the sum with the expected value.  Every
 * rank gets the same list of fabric addresses; rank 0 is started last.
 *
 *	node3$ ring 2 10.0.0.1 10.0.0.2 10.0.0.3
 *	node2$ ring 1 10.0.0.1 10.0.0.2 10.0.0.3
 *	node1$ ring 0 10.0.0.1 10.0.0.2 10.0.0.3
 */
#include "common.h"

#define PID	24	/* PIDonFEP of rank 0; rank 1 has 25, and so on */
#define ROUNDS	10

static void pass_on(int fd, long token)
{
	if (send(fd, &token, sizeof(token), 0) < 0)
		fail(fd, "send");
}

static long take(int fd)
{
	long token;

	if (recv(fd, &token, sizeof(token), 0) != sizeof(token))
		fail(fd, "receive");
	return token;
}

static void first(int fd, int ranks)
{
	long token = 0, right = (long)ROUNDS * ranks * (ranks - 1) / 2;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		pass_on(fd, token);
		token = take(fd);
	}
	printf("%d rounds through %d ranks: %ld\n", ROUNDS, ranks, token);
	if (token != right) {
		fprintf(stderr, "should be %ld\n", right);
		exit(1);
	}
}

int main(int argc, char **argv)
{
	int rank = argc > 3 ? atoi(argv[1]) : -1, ranks = argc - 2, next, i;
	int fd = open_socket(SOCK_RDM);

	if (rank < 0 || rank >= ranks) {
		fprintf(stderr, "usage: ring RANK FA FA...\n");
		return 2;
	}
	next = (rank + 1) % ranks;
	/* An endpoint has one address for sending and receiving. */
	bind_to(fd, argv[2 + rank], PID + rank);
	connect_to(fd, argv[2 + next], PID + next);
	if (!rank)
		first(fd, ranks);
	for (i = 0; rank && i < ROUNDS; i++)
		pass_on(fd, take(fd) + rank);
	/* The last token has to arrive before this process ends. */
	if (shutdown(fd, SHUT_WR))
		fail(fd, "end");
	return 0;
}
