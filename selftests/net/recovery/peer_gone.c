// SPDX-License-Identifier: GPL-2.0
/*
 * The ends of a message whose peer goes away, for peer_gone.sh: says what it does
 * and how it ended, in lines.  Level: test.
 *
 * usage: peer_gone post ADDR PID		post a receive, tell its completion
 *	  peer_gone sit ADDR PID		take what comes, read nothing
 *	  peer_gone send ADDR TO PID		send a long message, tell how it ended
 * ADDR is the own IPv4 fabric address, TO the other's; job 1, Resource Index 1.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "uet_ioctl.h"
#include "uetarg.h"

#define LENGTH	(64UL << 20)

static void *memory(void)
{
	void *p = mmap(NULL, LENGTH, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		err(1, "mmap");
	return p;
}

/* The next completion, whenever it comes. */
static struct uet_completion completion(int fd)
{
	union {
		char bytes[CMSG_SPACE(sizeof(struct uet_completion))];
		struct cmsghdr align;
	} control;
	struct msghdr msg = { .msg_control = &control,
			      .msg_controllen = sizeof(control) };
	struct pollfd p = { .fd = fd };
	struct uet_completion rec;

	if (poll(&p, 1, -1) < 0 || recvmsg(fd, &msg, MSG_ERRQUEUE))
		err(1, "recvmsg");
	memcpy(&rec, CMSG_DATA(&control.align), sizeof(rec));
	return rec;
}

static void post(const char *fa, int pid)
{
	int fd = arg_endpoint(fa, pid, 1);
	struct uet_mr_reg reg = { .addr = (uintptr_t)memory(),
				  .length = LENGTH };
	struct uet_recv_post want = { .cookie = 7, .length = LENGTH,
				      .flags = UET_RECV_ANY_SOURCE };
	struct uet_completion rec;

	if (uet_ioctl(fd, UET_IOC_MR_REG, &reg))
		err(1, "UET_IOC_MR_REG");
	want.key = reg.key;
	if (uet_ioctl(fd, UET_IOC_RECV_POST, &want))
		err(1, "UET_IOC_RECV_POST");
	puts("ready");
	rec = completion(fd);
	printf("cookie %d length %u: %s\n", (int)rec.cookie, rec.length,
	       strerrorname_np(rec.error));
}

static void sit(const char *fa, int pid)
{
	int fd = arg_endpoint(fa, pid, 1), size = 32768;

	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size)))
		err(1, "SO_RCVBUF");
	puts("ready");
	for (;;)
		pause();
}

static void send_long(const char *fa, const char *to, int pid)
{
	struct sockaddr_uet addr = arg_address(to, pid, 1);
	int fd = arg_endpoint(fa, UET_PID_ANY, 0), error;
	char text[256] = "";
	socklen_t len = sizeof(text);

	puts("ready");
	if (sendto(fd, memory(), LENGTH, 0, (struct sockaddr *)&addr,
		   sizeof(addr)) >= 0) {
		puts("sent");
		return;
	}
	error = errno;
	getsockopt(fd, SOL_UET, UET_LAST_ERROR, text, &len);
	printf("%s: %s\n", strerrorname_np(error), text);
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc == 4 && !strcmp(argv[1], "post"))
		post(argv[2], atoi(argv[3]));
	else if (argc == 4 && !strcmp(argv[1], "sit"))
		sit(argv[2], atoi(argv[3]));
	else if (argc == 5 && !strcmp(argv[1], "send"))
		send_long(argv[2], argv[3], atoi(argv[4]));
	else
		return 2;
	return 0;
}
