// SPDX-License-Identifier: GPL-2.0
/*
 * Messages there and back: the simplest pair of programs.  One echoes what
 * comes, until an empty message comes; the other sends messages and measures
 * how long their echo takes.
 *
 *	node2$ pingpong
 *	node1$ pingpong 10.0.0.2
 *
 * A FEP and job 1 have to be there on both nodes, see ueadm(8).  IPv4 only.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include <linux/uet.h>

#define JOB	1
#define PID	21	/* PIDonFEP of the one that echoes */
#define RI	1
#define COUNT	100
#define SIZE	1000

/* Ends the program, with the reason in the kernel's words if it has some. */
static void fail(int fd, const char *what)
{
	char why[256] = "";
	socklen_t len = sizeof(why) - 1;

	perror(what);
	if (fd >= 0 && !getsockopt(fd, SOL_UET, UET_LAST_ERROR, why, &len))
		fprintf(stderr, "%s\n", why);
	exit(1);
}

/* The endpoint PID at a fabric address; NULL: at the job's only one here. */
static struct sockaddr_uet address(const char *fa)
{
	struct sockaddr_uet addr = {
		.suet_family = AF_UET, .suet_version = UET_ADDR_VERSION,
		.suet_job = JOB, .suet_pid = PID, .suet_ri = RI,
	};

	if (fa && inet_pton(AF_INET, fa, &addr.suet_fa4) != 1) {
		fprintf(stderr, "%s is not an IPv4 address\n", fa);
		exit(2);
	}
	return addr;
}

static void echo(int fd)
{
	struct sockaddr_uet me = address(NULL), from;
	char buf[SIZE];
	socklen_t from_len;
	ssize_t len;
	int count = 0;

	if (bind(fd, (struct sockaddr *)&me, sizeof(me)))
		fail(fd, "bind");
	for (;;) {
		from_len = sizeof(from);
		len = recvfrom(fd, buf, sizeof(buf), 0,
			       (struct sockaddr *)&from, &from_len);
		if (len < 0)
			fail(fd, "receive");
		if (!len)
			break;
		/* The address a message came from is one to answer to. */
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
	struct sockaddr_uet to = address(fa);
	char ping[SIZE], pong[SIZE];
	double start = microseconds();
	int i;

	/* An unbound socket is bound to the job of its peer. */
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)))
		fail(fd, "connect");
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
	int fd = socket(AF_UET, SOCK_RDM, 0);

	if (fd < 0)
		fail(fd, "socket");
	if (argc > 1)
		play(fd, argv[1]);
	else
		echo(fd);
	return 0;
}
