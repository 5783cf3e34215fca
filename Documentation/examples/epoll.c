// SPDX-License-Identifier: GPL-2.0
/*
 * Waiting with epoll: neither end blocks in a send or receive call.  The sender
 * waits for space in the send buffer and the receiver waits for messages.  Messages
 * are ordered, so the empty message is the last one.
 *
 *	node2$ epoll
 *	node1$ epoll 10.0.0.2
 */
#include <sys/epoll.h>

#include "common.h"

#define PID	38	/* PIDonFEP of the receiver */
#define COUNT	1000
#define SIZE	10000

static int watch(struct uet *u, unsigned int events)
{
	struct epoll_event ev = { .events = events };
	int ep = epoll_create1(EPOLL_CLOEXEC);

	if (ep < 0 || epoll_ctl(ep, EPOLL_CTL_ADD, uet_fd(u), &ev))
		err(1, "epoll");
	return ep;
}

/* After a call that would have blocked: wait.  Other failures end the program. */
static void wait_for_event(struct uet *u, int ep)
{
	struct epoll_event ev;

	if (errno != EAGAIN)
		must(u, -1);
	if (epoll_wait(ep, &ev, 1, -1) < 0)
		err(1, "epoll_wait");
}

static void send_all(const char *fa)
{
	uint32_t peer;
	struct uet *u = open_to(SOCK_SEQPACKET, fa, PID, &peer);
	int ep = watch(u, EPOLLOUT), sent = 0;
	static char buf[SIZE];

	while (sent <= COUNT)
		if (!uet_send(u, peer, buf, sent < COUNT ? SIZE : 0, UET_F_NOWAIT, 0))
			sent++;
		else
			wait_for_event(u, ep);
	printf("%d messages sent\n", COUNT);
	finish(u);
}

static void receive_all(void)
{
	struct uet *u = open_at(SOCK_SEQPACKET, "*", PID);
	int ep = watch(u, EPOLLIN), count = 0;
	char buf[SIZE];
	ssize_t len;

	while ((len = uet_recv(u, buf, sizeof(buf), MSG_DONTWAIT, NULL, NULL)))
		if (len > 0)
			count++;
		else
			wait_for_event(u, ep);
	printf("%d messages received\n", count);
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
