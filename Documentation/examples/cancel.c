// SPDX-License-Identifier: GPL-2.0
/*
 * Cancel an operation: the receiver has posted a receive, but none for the message
 * of the sender, which is longer than the receive buffer.  So the message stays deferred
 * until the sender cancels it by its cookie.  The completion then has the error ECANCELED.
 *
 *	node2$ cancel
 *	node1$ cancel 10.0.0.2
 */
#include <unistd.h>

#include "common.h"

#define PID	31	/* PIDonFEP of the receiver */
#define COOKIE	7
#define SIZE	100000	/* bytes for the message */
#define BUFFER	16384	/* bytes for the receive buffer */

static void send_and_cancel(const char *fa)
{
	static char message[SIZE];
	const struct iovec iov = { message, SIZE };
	struct uet_request send = {
		.opcode = UET_OP_DEFERRABLE_TSEND, .flags = UET_F_COMPLETE,
		.cookie = COOKIE, .tag = 2, .iov = &iov, .iov_count = 1,
	};
	struct uet *u = open_to(SOCK_RDM, fa, PID, &send.peer);
	char ready;

	ask(u, send.peer, &ready, sizeof(ready));
	must(u, uet_request(u, &send));
	/* ENOENT while the receiver has not answered the complete message. */
	while (uet_cancel(u, COOKIE) < 0) {
		if (errno != ENOENT)
			must(u, -1);
		usleep(10000);
	}
	printf("completion: %s\n", strerror(wait_completion(u).error));
	send_end(u, send.peer);
	finish(u);
}

static void receive_nothing(void)
{
	struct uet *u = open_at(SOCK_RDM, "*", PID);
	int buffer = BUFFER;

	must(u, setsockopt(uet_fd(u), SOL_SOCKET, SO_RCVBUF, &buffer, sizeof(buffer)));
	/* Length 0 needs no memory; only an empty message fits. */
	must(u, uet_post(u, 0, 1, 0, (struct uet_local){ 0 }, UET_RECV_TAGGED, 0));
	answer(u, "!", 1);
	wait_for_end(u);
	printf("nothing came\n");
	uet_close(u);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		send_and_cancel(argv[1]);
	else
		receive_nothing();
	return 0;
}
