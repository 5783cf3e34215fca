// SPDX-License-Identifier: GPL-2.0
/*
 * Zero copy: packets refer to the pages of the buffer, so the sender writes to the
 * buffer again only when the operation has completed.  The receiver compares all
 * bytes of each message.
 *
 *	node2$ zerocopy
 *	node1$ zerocopy 10.0.0.2
 */
#include "common.h"

#define PID	32	/* PIDonFEP of the receiver */
#define COUNT	4
#define SIZE	(1 << 20)	/* at least UET_ZEROCOPY_MIN */

static char buf[SIZE];

static void send_all(const char *fa)
{
	uint32_t peer;
	struct uet *u = open_to(SOCK_RDM, fa, PID, &peer);
	int i;

	for (i = 0; i < COUNT; i++) {
		memset(buf, 'a' + i, sizeof(buf));
		must(u, uet_send(u, peer, buf, sizeof(buf),
				 UET_F_ZEROCOPY | UET_F_COMPLETE, i));
		must_complete(u);
	}
	printf("%d messages of %d bytes sent\n", COUNT, SIZE);
	finish(u);
}

static void receive_all(void)
{
	struct uet *u = open_at(SOCK_RDM, "*", PID);
	int i, j;

	for (i = 0; i < COUNT; i++) {
		must(u, uet_recv(u, buf, sizeof(buf), 0, NULL, NULL));
		for (j = 0; j < SIZE; j++)
			if (buf[j] != 'a' + i)
				errx(1, "message %d: byte %d is wrong", i, j);
	}
	printf("%d messages received\n", COUNT);
	uet_close(u);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		send_all(argv[1]);
	else
		receive_all();
	return 0;
}
