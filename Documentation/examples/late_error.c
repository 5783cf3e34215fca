// SPDX-License-Identifier: GPL-2.0
/*
 * A late error: uet_send() succeeds, although the peer has no such endpoint.  The
 * next call with the handle reports the error, here uet_finish(), and uet_strerror()
 * names the message and the answer of the peer.
 *
 *	node1$ late_error 10.0.0.2
 */
#include "common.h"

#define PID	39	/* a PIDonFEP without an endpoint */

int main(int argc, char **argv)
{
	struct uet *u;
	uint32_t peer;

	if (argc < 2)
		errx(2, "usage: late_error FA");
	u = open_to(SOCK_RDM, argv[1], PID, &peer);
	must(u, uet_send(u, peer, "hello", 5, 0, 0));
	if (!uet_finish(u))
		errx(1, "the message was delivered");
	printf("late error: %s\n", strerror(errno));
	printf("%s\n", uet_strerror(u));
	uet_close(u);
	return 0;
}
