// SPDX-License-Identifier: GPL-2.0
/*
 * Datagrams: the client sends a datagram of one full packet again and again until
 * the server answers.  The server has a reliable socket, because the type of a
 * socket says only how the socket sends.
 *
 *	node2$ datagram
 *	node1$ datagram 10.0.0.2
 */
#include <poll.h>

#include "common.h"

#define PID	37	/* PIDonFEP of the server */
#define TRIES	50

static void client(const char *fa)
{
	uint32_t peer;
	struct uet *u = open_to(SOCK_DGRAM, fa, PID, &peer);
	struct pollfd pfd = { .fd = uet_fd(u), .events = POLLIN };
	static char buf[65536];
	__u32 mtu;
	socklen_t len = sizeof(mtu);
	int i;

	if (getsockopt(uet_fd(u), SOL_UET, UET_PAYLOAD_MTU, &mtu, &len))
		err(1, "UET_PAYLOAD_MTU");
	for (i = 0; i < TRIES; i++) {
		must(u, uet_send(u, peer, buf, mtu, 0, 0));
		if (poll(&pfd, 1, 100) > 0) {
			must(u, uet_recv(u, NULL, 0, 0, NULL, NULL));
			printf("a datagram of %u bytes was answered\n", mtu);
			uet_close(u);
			return;
		}
	}
	errx(1, "no answer");
}

static void server(void)
{
	struct uet *u = open_at(SOCK_RDM, "*", PID);

	answer(u, "yes", 3);
	printf("answered\n");
	finish(u);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		client(argv[1]);
	else
		server();
	return 0;
}
