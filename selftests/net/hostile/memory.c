// SPDX-License-Identifier: GPL-2.0
/*
 * A flood for memory.sh and memory_users.sh: many endpoints that read nothing, and senders that fill them.
 * Level: test.
 *
 * usage: memory receive ADDR PID COUNT		endpoints PID and following, read nothing
 *	  memory send ADDR TO PID COUNT SIZE	fill them with messages of SIZE bytes
 *	  memory keep ADDR PID SIZE		send one message to itself, then wait
 *	  memory copy ADDR SIZE			receives of SIZE bytes by address, until the
 *						kernel refuses one, then wait
 * ADDR is the own IPv4 fabric address, TO the other's; job 1 or that of UET_TEST_JOB,
 * Resource Index 1.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "uet_ioctl.h"
#include "uetarg.h"

#define COUNT_MAX	1024

static int count_of(const char *word)
{
	int count = atoi(word);

	if (count < 1 || count > COUNT_MAX)
		errx(1, "COUNT %s is not in 1..%d", word, COUNT_MAX);
	return count;
}

static void receive(const char *fa, int pid, int count)
{
	int i;

	for (i = 0; i < count; i++)
		arg_endpoint(fa, pid + i, 1);
	puts("ready");
	for (;;)
		pause();
}

/* Whenever the kernel takes a message, it gets one; without memory, soon again. */
static void flood(const char *fa, const char *to, int pid, int count, size_t size)
{
	struct pollfd fds[COUNT_MAX];
	struct sockaddr_uet addr;
	char *bytes = calloc(1, size);
	int i;

	if (!bytes)
		err(1, "calloc");
	for (i = 0; i < count; i++) {
		addr = arg_address(to, pid + i, 1);
		fds[i] = (struct pollfd){
			.fd = arg_endpoint(fa, UET_PID_ANY, 0), .events = POLLOUT,
		};
		if (connect(fds[i].fd, (struct sockaddr *)&addr, sizeof(addr)))
			err(1, "connect");
	}
	puts("ready");
	while (poll(fds, count, -1) > 0)
		for (i = 0; i < count; i++)
			if (fds[i].revents & POLLOUT &&
			    send(fds[i].fd, bytes, size, MSG_DONTWAIT) < 0 &&
			    errno == ENOBUFS)
				usleep(10000);
}

/* The send buffer and the receive buffer hold all of the message. */
static void keep(const char *fa, int pid, size_t size)
{
	struct sockaddr_uet addr = arg_address(fa, pid, 1);
	int rx = arg_endpoint(fa, pid, 1), tx = arg_endpoint(fa, UET_PID_ANY, 0);
	int half = size;
	char *bytes = calloc(1, size);

	if (!bytes || setsockopt(tx, SOL_SOCKET, SO_SNDBUFFORCE, &half, sizeof(half)) ||
	    setsockopt(rx, SOL_SOCKET, SO_RCVBUFFORCE, &half, sizeof(half)))
		err(1, "setsockopt");
	if (sendto(tx, bytes, size, 0, (struct sockaddr *)&addr, sizeof(addr)) < 0)
		err(1, "sendto");
	if (recv(rx, bytes, size, MSG_WAITALL) != (ssize_t)size)
		err(1, "recv");
	puts("ready");
	for (;;)
		pause();
}

/* All of them in the same memory of the process. */
static void copy(const char *fa, size_t size)
{
	int fd = arg_endpoint(fa, UET_PID_ANY, 0), posted = 0;
	struct uet_recv_post post = {
		.offset = (uintptr_t)calloc(1, size), .length = size,
		.flags = UET_RECV_ANY_SOURCE | UET_RECV_ADDR,
	};

	while (!uet_ioctl(fd, UET_IOC_RECV_POST, &post))
		posted++;
	printf("ready %d: %s\n", posted, strerrorname_np(errno));
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc == 5 && !strcmp(argv[1], "receive"))
		receive(argv[2], atoi(argv[3]), count_of(argv[4]));
	else if (argc == 7 && !strcmp(argv[1], "send"))
		flood(argv[2], argv[3], atoi(argv[4]), count_of(argv[5]),
		      atoi(argv[6]));
	else if (argc == 5 && !strcmp(argv[1], "keep"))
		keep(argv[2], atoi(argv[3]), atoi(argv[4]));
	else if (argc == 4 && !strcmp(argv[1], "copy"))
		copy(argv[2], atoi(argv[3]));
	return 2;
}
