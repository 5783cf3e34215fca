// SPDX-License-Identifier: GPL-2.0
/*
 * A late error: send() succeeds, although the peer has no such endpoint.  The next
 * call on the socket reports the error, here shutdown(), and UET_LAST_ERROR names
 * the message and the answer of the peer.
 *
 *	node1$ late_error 10.0.0.2
 */
#include "common.h"

#define PID	39	/* a PIDonFEP without an endpoint */

int main(int argc, char **argv)
{
	int fd = open_socket(SOCK_RDM);
	char why[256];
	socklen_t len = sizeof(why);

	if (argc < 2) {
		fprintf(stderr, "usage: late_error FA\n");
		return 2;
	}
	connect_to(fd, argv[1], PID);
	if (send(fd, "hello", 5, 0) < 0)
		fail(fd, "send");
	if (!shutdown(fd, SHUT_WR)) {
		fprintf(stderr, "the message was delivered\n");
		return 1;
	}
	printf("late error: %s\n", strerror(errno));
	if (getsockopt(fd, SOL_UET, UET_LAST_ERROR, why, &len))
		fail(-1, "UET_LAST_ERROR");
	printf("%s\n", why);
	return 0;
}
