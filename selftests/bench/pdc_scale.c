// SPDX-License-Identifier: GPL-2.0
/*
 * Many PDCs between two FEPs: the cost of opening each, their memory, and the cost of a
 * WRITE of 64 bytes over one of many beside one over the only one.  Half of the PDCs are
 * opened by each node.  One process has both ends, so nothing waits for a scheduler; all
 * instructions count, also those of timers.  Started by scale.  Level: test.
 *
 * usage: pdc_scale JOB NETNS FABRIC-ADDRESS NETNS FABRIC-ADDRESS SOCKETS
 *
 * Prints one line: the number of PDCs, instructions and bytes for each of them, both ends,
 * in use and idle; the number of sockets and bytes for each of them; instructions of a WRITE
 * over the only PDC and over all of them in turn.
 */
#define _GNU_SOURCE
#include <err.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <uet.h>

#include "ends.h"
#include "times.h"

#define SIZE	64
#define KEY	7
#define PID	100

/* Longer than a PDC keeps the memory that it does not need while it is idle, s. */
#define IDLE_S	5

/* A node: its sockets, and the numbers that they have for those of the other node. */
struct node {
	struct uet **sockets;
	uint32_t *peers;
	const char *fa;
};

static struct node nodes[2];
static unsigned int nr_sockets;
static char memory[SIZE];

/* Bytes of memory that nothing uses. */
static long long free_bytes(void)
{
	FILE *info = fopen("/proc/meminfo", "r");
	long long kb = -1;
	char line[128];

	while (info && fgets(line, sizeof(line), info))
		if (sscanf(line, "MemFree: %lld kB", &kb) == 1)
			break;
	if (kb < 0)
		err(2, "/proc/meminfo");
	fclose(info);
	return kb * 1024;
}

static void node_open(struct node *node, uint32_t job, const char *netns, const char *fa)
{
	struct uet_attr attr = {
		.flags = UET_OPEN_NO_ENV | UET_OPEN_NO_BARRIER, .job = job,
		.completions = 64,
	};
	char why[UET_ERROR_SIZE];
	struct sockaddr_uet addr;
	__u64 key = KEY;
	unsigned int i;

	enter(netns);
	node->fa = fa;
	for (i = 0; i < nr_sockets; i++) {
		addr = address(fa, PID + i);
		attr.local = &addr;
		node->sockets[i] = uet_open(&attr, why);
		if (!node->sockets[i])
			errx(2, "%s", why);
		if (uet_mem_reg(node->sockets[i], memory, SIZE, UET_MR_WRITE,
				UET_MR_FIXED_KEY, &key))
			errx(2, "%s", uet_strerror(node->sockets[i]));
	}
}

static void node_meet(struct node *node, const struct node *other)
{
	struct sockaddr_uet addr;
	unsigned int i, j;

	for (i = 0; i < nr_sockets; i++)
		for (j = 0; j < nr_sockets; j++) {
			addr = address(other->fa, PID + j);
			node->peers[i * nr_sockets + j] =
				uet_peer_add(node->sockets[i], &addr);
			if (!node->peers[i * nr_sockets + j])
				errx(2, "%s", uet_strerror(node->sockets[i]));
		}
}

/* A WRITE over the PDC of two sockets; the first of them opens it. */
static void write_over(unsigned int pair)
{
	unsigned int i = pair / nr_sockets, j = pair % nr_sockets;
	struct node *node = &nodes[(i + j) % 2];
	struct uet *from = node->sockets[i];

	if (uet_put(from, node->peers[pair], (struct uet_rma){ KEY, 0 }, memory, SIZE,
		    UET_F_WAIT, 0))
		errx(2, "%s", uet_strerror(from));
}

/* Instructions for each of @count WRITEs, over all PDCs in turn or over one. */
static uint64_t cost(unsigned int count, bool all)
{
	/* Coprime to the number of PDCs: neighbours do not follow each other. */
	unsigned int step = 7919, pair = 0, i;
	uint64_t start = now_ns();

	for (i = 0; i < count; i++) {
		write_over(pair);
		if (all)
			pair = (pair + step) % count;
	}
	return (now_ns() - start) / count;
}

static void *array(size_t count, size_t size)
{
	void *memory = calloc(count, size);

	if (!memory)
		err(2, "memory");
	memset(memory, 0xff, count * size);
	return memory;
}

int main(int argc, char **argv)
{
	unsigned int pairs, i;
	uint64_t open_cost, one, many;
	long long before, sockets, used, idle;
	uint32_t job;

	if (argc != 7)
		errx(2, "usage: pdc_scale JOB NETNS FABRIC-ADDRESS NETNS FABRIC-ADDRESS SOCKETS");
	job = atoi(argv[1]);
	nr_sockets = atoi(argv[6]);
	pairs = nr_sockets * nr_sockets;
	for (i = 0; i < 2; i++) {
		nodes[i].sockets = array(nr_sockets, sizeof(*nodes[i].sockets));
		nodes[i].peers = array(pairs, sizeof(*nodes[i].peers));
	}
	before = free_bytes();
	for (i = 0; i < 2; i++)
		node_open(&nodes[i], job, argv[2 + 2 * i], argv[3 + 2 * i]);
	sockets = (before - free_bytes()) / (2 * nr_sockets);
	for (i = 0; i < 2; i++)
		node_meet(&nodes[i], &nodes[!i]);
	write_over(0);
	one = cost(pairs, false);
	before = free_bytes();
	open_cost = cost(pairs, true);
	used = (before - free_bytes()) / (pairs - 1);
	sleep(IDLE_S);
	idle = (before - free_bytes()) / (pairs - 1);
	/* Timers of the first WRITE of each PDC end in this round. */
	cost(pairs, true);
	many = cost(pairs, true);
	printf("%u %llu %lld %lld %u %lld %llu %llu\n", pairs,
	       (unsigned long long)open_cost, used, idle, 2 * nr_sockets, sockets,
	       (unsigned long long)one, (unsigned long long)many);
	return 0;
}
