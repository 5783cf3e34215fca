// SPDX-License-Identifier: GPL-2.0
/*
 * A process of a job that "ueadm job run" starts: it knows nothing but its UET_*
 * variables.  All bind by the descriptor of the job, wait for each other by files
 * in the directory $RANK_DIR, pass a message to the next and get one from the one
 * before, round the ring.  Exit status 0 if that went well.  Level: test.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/uet.h>

#include "uet_family.h"

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static const char *text(const char *name)
{
	const char *value = getenv(name);

	if (!value) {
		fprintf(stderr, "rank: no %s\n", name);
		exit(1);
	}
	return value;
}

static unsigned int number(const char *name)
{
	return strtoul(text(name), NULL, 10);
}

/* The address FA/PID; 0 as JobID is that of the descriptor. */
static struct sockaddr_uet address(const char *peer, unsigned int job)
{
	struct sockaddr_uet addr = {
		.suet_family = uet_family(),
		.suet_version = UET_ADDR_VERSION,
		.suet_job = job, .suet_ri = 1,
	};
	char fa[64];
	unsigned int pid;

	if (sscanf(peer, "%63[^/]/%u", fa, &pid) != 2 ||
	    inet_pton(AF_INET, fa, &addr.suet_fa4) != 1) {
		fprintf(stderr, "rank: no peer: %s\n", peer);
		exit(1);
	}
	addr.suet_pid = pid;
	return addr;
}

/* Element @which of UET_PEERS. */
static struct sockaddr_uet peer(unsigned int which, unsigned int job)
{
	const char *at = text("UET_PEERS");

	while (which-- && at)
		at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL;
	if (!at) {
		fprintf(stderr, "rank: too few peers\n");
		exit(1);
	}
	return address(at, job);
}

static void wait_for_all(unsigned int rank, unsigned int size)
{
	char path[256];
	unsigned int i;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%u", text("RANK_DIR"), rank);
	f = fopen(path, "w");
	if (!f)
		fail(path);
	fclose(f);
	for (i = 0; i < size; i++) {
		snprintf(path, sizeof(path), "%s/%u", text("RANK_DIR"), i);
		while (access(path, F_OK))
			usleep(1000);
	}
}

/* Is what was said the same, in another form? */
static void check_self(const struct sockaddr_uet *me)
{
	char fa[64];

	inet_ntop(AF_INET, &me->suet_fa4, fa, sizeof(fa));
	if (strcmp(fa, text("UET_ADDR")) || me->suet_pid != number("UET_PID")) {
		fprintf(stderr, "rank: UET_ADDR, UET_PID are not in UET_PEERS\n");
		exit(1);
	}
}

int main(void)
{
	unsigned int rank = number("UET_RANK"), size = number("UET_SIZE");
	struct sockaddr_uet me = peer(rank, 0);
	struct sockaddr_uet next = peer((rank + 1) % size, number("UET_JOB"));
	int fd = socket(uet_family(), SOCK_RDM, 0), job = number("UET_JOB_FD");
	unsigned int before;

	check_self(&me);
	if (fd < 0)
		fail("socket");
	if (setsockopt(fd, SOL_UET, UET_JOB_FD, &job, sizeof(job)))
		fail("UET_JOB_FD");
	if (bind(fd, (struct sockaddr *)&me, sizeof(me)))
		fail("bind");
	wait_for_all(rank, size);
	if (sendto(fd, &rank, sizeof(rank), 0, (struct sockaddr *)&next,
		   sizeof(next)) != sizeof(rank))
		fail("sendto");
	if (recv(fd, &before, sizeof(before), 0) != sizeof(before))
		fail("recv");
	if (before != (rank + size - 1) % size) {
		fprintf(stderr, "rank %u: a message of %u\n", rank, before);
		return 1;
	}
	if (shutdown(fd, SHUT_WR))
		fail("shutdown");
	return 0;
}
