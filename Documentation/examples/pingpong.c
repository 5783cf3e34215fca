// SPDX-License-Identifier: GPL-2.0
/*
 * Messages there and back: the simplest pair of programs.  One program echoes
 * messages until an empty message comes.  The other program sends messages and
 * measures the time until their echo arrives.
 *
 *	node2$ pingpong
 *	node1$ pingpong 10.0.0.2
 */
#include <time.h>

#include "common.h"

#define PID	21	/* PIDonFEP of the program that echoes */
#define COUNT	100
#define SIZE	1000

static void echo(void)
{
	struct uet *u = open_at(SOCK_RDM, "*", PID);
	struct sockaddr_uet from;
	char buf[SIZE];
	ssize_t len;
	int count = 0;

	while ((len = uet_recv(u, buf, sizeof(buf), 0, NULL, &from)) > 0) {
		/* The address of the sender can be answered. */
		must(u, uet_send(u, add_peer(u, &from), buf, len, 0, 0));
		count++;
	}
	must(u, len);
	printf("%d messages echoed\n", count);
	finish(u);
}

static double microseconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e6 + ts.tv_nsec / 1e3;
}

static void play(const char *fa)
{
	uint32_t peer;
	struct uet *u = open_to(SOCK_RDM, fa, PID, &peer);
	char ping[SIZE], pong[SIZE];
	double start = microseconds();
	int i;

	for (i = 0; i < COUNT; i++) {
		memset(ping, i, sizeof(ping));
		must(u, uet_send(u, peer, ping, sizeof(ping), 0, 0));
		must(u, uet_recv(u, pong, sizeof(pong), 0, NULL, NULL));
		if (memcmp(ping, pong, sizeof(ping)))
			errx(1, "message %d came back changed", i);
	}
	printf("%d round trips of %d bytes, %.1f us each\n", COUNT, SIZE,
	       (microseconds() - start) / COUNT);
	send_end(u, peer);
	finish(u);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		play(argv[1]);
	else
		echo();
	return 0;
}
