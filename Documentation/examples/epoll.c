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

static int watch(int fd, unsigned int events)
{
	struct epoll_event ev = { .events = events };
	int ep = epoll_create1(EPOLL_CLOEXEC);

	if (ep < 0 || epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev))
		fail(-1, "epoll");
	return ep;
}

static void wait_for_event(int ep)
{
	struct epoll_event ev;

	if (epoll_wait(ep, &ev, 1, -1) < 0)
		fail(-1, "epoll_wait");
}

static void send_all(int fd, const char *fa)
{
	int ep = watch(fd, EPOLLOUT), sent = 0;
	static char buf[SIZE];

	connect_to(fd, fa, PID);
	while (sent <= COUNT) {
		if (send(fd, buf, sent < COUNT ? SIZE : 0, MSG_DONTWAIT) >= 0)
			sent++;
		else if (errno == EAGAIN)
			wait_for_event(ep);
		else
			fail(fd, "send");
	}
	if (shutdown(fd, SHUT_WR))
		fail(fd, "end");
	printf("%d messages sent\n", COUNT);
}

static void receive_all(int fd)
{
	int ep = watch(fd, EPOLLIN), count = 0;
	char buf[SIZE];
	ssize_t len;

	bind_to(fd, NULL, PID);
	for (;;) {
		len = recv(fd, buf, sizeof(buf), MSG_DONTWAIT);
		if (len > 0)
			count++;
		else if (!len)
			break;
		else if (errno == EAGAIN)
			wait_for_event(ep);
		else
			fail(fd, "receive");
	}
	printf("%d messages received\n", count);
}

int main(int argc, char **argv)
{
	int fd = open_socket(SOCK_SEQPACKET);

	if (argc > 1)
		send_all(fd, argv[1]);
	else
		receive_all(fd);
	return 0;
}
