// SPDX-License-Identifier: GPL-2.0
/*
 * A ring: a token goes round all ranks some times, each adds its number to it,
 * and rank 0 knows what must come out.  Every rank gets the same list of fabric
 * addresses; rank 0 is started last.
 *
 *	node3$ ring 2 10.0.0.1 10.0.0.2 10.0.0.3
 *	node2$ ring 1 10.0.0.1 10.0.0.2 10.0.0.3
 *	node1$ ring 0 10.0.0.1 10.0.0.2 10.0.0.3
 *
 * A FEP and job 1 have to be there on all nodes, see ueadm(8).  IPv4 only.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <linux/uet.h>

#define JOB	1
#define PID	24	/* PIDonFEP of rank 0; rank 1 has one more, ... */
#define RI	1
#define ROUNDS	10

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

/* The endpoint of a rank: job, fabric address and PIDonFEP name it. */
static struct sockaddr_uet address(const char *fa, int rank)
{
	struct sockaddr_uet addr = {
		.suet_family = AF_UET, .suet_version = UET_ADDR_VERSION,
		.suet_job = JOB, .suet_pid = PID + rank, .suet_ri = RI,
	};

	if (inet_pton(AF_INET, fa, &addr.suet_fa4) != 1) {
		fprintf(stderr, "%s is not an IPv4 address\n", fa);
		exit(2);
	}
	return addr;
}

static void pass_on(int fd, long token)
{
	if (send(fd, &token, sizeof(token), 0) < 0)
		fail("send");
}

static long take(int fd)
{
	long token;

	if (recv(fd, &token, sizeof(token), 0) != sizeof(token))
		fail("receive");
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
	int rank = argc > 3 ? atoi(argv[1]) : -1, ranks = argc - 2, i;
	int fd = socket(AF_UET, SOCK_RDM, 0);
	struct sockaddr_uet me, right;

	if (fd < 0)
		fail("socket");
	if (rank < 0 || rank >= ranks) {
		fprintf(stderr, "usage: ring RANK FA FA...\n");
		return 2;
	}
	me = address(argv[2 + rank], rank);
	right = address(argv[2 + (rank + 1) % ranks], (rank + 1) % ranks);
	/* An endpoint has one address for all it sends and receives. */
	if (bind(fd, (struct sockaddr *)&me, sizeof(me)))
		fail("bind");
	if (connect(fd, (struct sockaddr *)&right, sizeof(right)))
		fail("connect");
	if (!rank)
		first(fd, ranks);
	for (i = 0; rank && i < ROUNDS; i++)
		pass_on(fd, take(fd) + rank);
	/* The last token has to arrive before this end is gone. */
	if (shutdown(fd, SHUT_WR))
		fail("end");
	return 0;
}
