// SPDX-License-Identifier: GPL-2.0
/*
 * RDS for comparison: one-way messages or round trips between two
 * addresses, like a uetperf of two ranks, for a protocol that uetperf
 * lacks.  Prints nanoseconds: of all messages together for bw,
 * the median of a round trip for lat.  Started by run.  Level: test.
 *
 * usage: rds_peer bw|lat FROM TO SIZE COUNT	measures
 *	  rds_peer -l bw|lat FROM TO SIZE COUNT	is the other end
 */
#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "times.h"

#define PORT	4000
/* The default buffer is too small for a message of 1 MiB. */
#define BUFFER	(4 << 20)

/**
 * struct peer - one end
 * @fd: socket, bound
 * @to: the other end
 * @buf: space for a message
 * @size: of messages, bytes
 * @count: messages measured; a tenth as many come before
 */
struct peer {
	int fd;
	struct sockaddr_in to;
	char *buf;
	size_t size;
	unsigned int count;
};

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void put(const struct peer *p, size_t len)
{
	if (sendto(p->fd, p->buf, len, 0, (const void *)&p->to,
		   sizeof(p->to)) != (ssize_t)len)
		fail("rds_peer: send");
}

static void take(const struct peer *p, size_t len)
{
	if (recv(p->fd, p->buf, p->size, 0) != (ssize_t)len)
		fail("rds_peer: receive");
}

/* A short message reports that all messages have arrived. */
static void stream(const struct peer *p, unsigned int count, int is_sender)
{
	for (unsigned int i = 0; i < count; i++) {
		if (is_sender)
			put(p, p->size);
		else
			take(p, p->size);
	}
	if (is_sender)
		take(p, 1);
	else
		put(p, 1);
}

static uint64_t measure_bw(const struct peer *p)
{
	uint64_t start;

	stream(p, p->count / 10 + 1, 1);
	start = now_ns();
	stream(p, p->count, 1);
	return now_ns() - start;
}

static uint64_t measure_lat(const struct peer *p)
{
	unsigned int i, warmup = p->count / 10 + 1;
	uint64_t *ns = calloc(warmup + p->count, sizeof(*ns)), median;

	if (!ns)
		fail("rds_peer");
	for (i = 0; i < warmup + p->count; i++) {
		ns[i] = now_ns();
		put(p, p->size);
		take(p, p->size);
		ns[i] = now_ns() - ns[i];
	}
	median = times_median(ns + warmup, p->count);
	free(ns);
	return median;
}

static void answer(const struct peer *p, int is_bw)
{
	unsigned int i, warmup = p->count / 10 + 1;

	if (is_bw) {
		stream(p, warmup, 0);
		stream(p, p->count, 0);
		return;
	}
	for (i = 0; i < warmup + p->count; i++) {
		take(p, p->size);
		put(p, p->size);
	}
}

int main(int argc, char **argv)
{
	int is_listener = argc > 1 && !strcmp(argv[1], "-l"), is_bw;
	struct sockaddr_in me = {
		.sin_family = AF_INET, .sin_port = htons(PORT),
	};
	struct peer p = { .to = me };
	int buffer = BUFFER;

	argv += is_listener;
	if (argc - is_listener != 6 ||
	    inet_pton(AF_INET, argv[2], &me.sin_addr) != 1 ||
	    inet_pton(AF_INET, argv[3], &p.to.sin_addr) != 1) {
		fputs("usage: rds_peer [-l] bw|lat FROM TO SIZE COUNT\n",
		      stderr);
		return 2;
	}
	is_bw = !strcmp(argv[1], "bw");
	p.size = atoi(argv[4]);
	p.count = atoi(argv[5]);
	p.buf = calloc(1, p.size);
	p.fd = socket(AF_RDS, SOCK_SEQPACKET, 0);
	if (!p.buf || p.fd < 0 || bind(p.fd, (void *)&me, sizeof(me)) ||
	    setsockopt(p.fd, SOL_SOCKET, SO_SNDBUFFORCE, &buffer,
		       sizeof(buffer)) ||
	    setsockopt(p.fd, SOL_SOCKET, SO_RCVBUFFORCE, &buffer,
		       sizeof(buffer)))
		fail("rds_peer");
	/* Messages to an address that is not bound are lost. */
	if (is_listener) {
		puts("ready");
		fflush(stdout);
		answer(&p, is_bw);
		return 0;
	}
	printf("%ju\n", (uintmax_t)(is_bw ? measure_bw(&p) : measure_lat(&p)));
	return 0;
}
