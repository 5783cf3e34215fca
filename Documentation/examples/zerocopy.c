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

static void send_all(int fd, const char *fa)
{
	struct message m;
	int i;

	connect_to(fd, fa, PID);
	for (i = 0; i < COUNT; i++) {
		memset(buf, 'a' + i, sizeof(buf));
		message_init(&m, buf, sizeof(buf));
		add_op(&m, UET_OP_SEND, UET_OP_COMPLETE, i);
		if (sendmsg(fd, &m.msg, MSG_ZEROCOPY) < 0)
			fail(fd, "send");
		must_complete(fd);
	}
	if (shutdown(fd, SHUT_WR))
		fail(fd, "end");
	printf("%d messages of %d bytes sent\n", COUNT, SIZE);
}

static void receive_all(int fd)
{
	int i, j;

	bind_to(fd, NULL, PID);
	for (i = 0; i < COUNT; i++) {
		if (recv(fd, buf, sizeof(buf), 0) != sizeof(buf))
			fail(fd, "receive");
		for (j = 0; j < SIZE; j++) {
			if (buf[j] == 'a' + i)
				continue;
			fprintf(stderr, "message %d: byte %d is wrong\n", i, j);
			exit(1);
		}
	}
	printf("%d messages received\n", COUNT);
}

int main(int argc, char **argv)
{
	int fd = open_socket(SOCK_RDM);

	if (argc > 1)
		send_all(fd, argv[1]);
	else
		receive_all(fd);
	return 0;
}
