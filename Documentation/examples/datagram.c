// SPDX-License-Identifier: GPL-2.0
/*
 * Datagrams: the client sends a datagram of one full packet again and again until
 * the server answers.  The server has a reliable socket, because the type of a
 * socket says only how the socket sends.
 *
 *	node2$ datagram
 *	node1$ datagram 10.0.0.2
 */
#include <sys/time.h>

#include "common.h"

#define PID	37	/* PIDonFEP of the server */
#define TRIES	50

static void client(const char *fa)
{
	const struct timeval limit = { .tv_usec = 100000 };
	int fd = open_socket(SOCK_DGRAM), i;
	static char buf[65536];
	__u32 mtu;
	socklen_t len = sizeof(mtu);

	connect_to(fd, fa, PID);
	if (getsockopt(fd, SOL_UET, UET_PAYLOAD_MTU, &mtu, &len) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)))
		fail(fd, "set-up");
	for (i = 0; i < TRIES; i++) {
		if (send(fd, buf, mtu, 0) < 0)
			fail(fd, "send");
		if (recv(fd, NULL, 0, 0) >= 0) {
			printf("a datagram of %u bytes was answered\n", mtu);
			return;
		}
		if (errno != EAGAIN)
			fail(fd, "receive");
	}
	fprintf(stderr, "no answer\n");
	exit(1);
}

static void server(void)
{
	int fd = open_socket(SOCK_RDM);

	bind_to(fd, NULL, PID);
	answer(fd, "yes", 3);
	if (shutdown(fd, SHUT_WR))
		fail(fd, "end");
	printf("answered\n");
}

int main(int argc, char **argv)
{
	if (argc > 1)
		client(argv[1]);
	else
		server();
	return 0;
}
