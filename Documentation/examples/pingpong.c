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

static void echo(int fd)
{
	struct sockaddr_uet from;
	char buf[SIZE];
	socklen_t from_len;
	ssize_t len;
	int count = 0;

	bind_to(fd, NULL, PID);
	for (;;) {
		from_len = sizeof(from);
		len = recvfrom(fd, buf, sizeof(buf), 0,
			       (struct sockaddr *)&from, &from_len);
		if (len < 0)
			fail(fd, "receive");
		if (!len)
			break;
		/* The address of the sender can be answered. */
		if (sendto(fd, buf, len, 0, (struct sockaddr *)&from,
			   from_len) < 0)
			fail(fd, "send");
		count++;
	}
	printf("%d messages echoed\n", count);
}

static double microseconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e6 + ts.tv_nsec / 1e3;
}

static void play(int fd, const char *fa)
{
	char ping[SIZE], pong[SIZE];
	double start = microseconds();
	int i;

	connect_to(fd, fa, PID);
	for (i = 0; i < COUNT; i++) {
		memset(ping, i, sizeof(ping));
		if (send(fd, ping, sizeof(ping), 0) < 0)
			fail(fd, "send");
		if (recv(fd, pong, sizeof(pong), 0) != sizeof(pong))
			fail(fd, "receive");
		if (memcmp(ping, pong, sizeof(ping))) {
			fprintf(stderr, "message %d came back changed\n", i);
			exit(1);
		}
	}
	printf("%d round trips of %d bytes, %.1f us each\n", COUNT, SIZE,
	       (microseconds() - start) / COUNT);
	/* Waits until the empty message was answered, too. */
	if (send(fd, NULL, 0, 0) < 0 || shutdown(fd, SHUT_WR))
		fail(fd, "end");
}

int main(int argc, char **argv)
{
	int fd = open_socket(SOCK_RDM);

	if (argc > 1)
		play(fd, argv[1]);
	else
		echo(fd);
	return 0;
}
