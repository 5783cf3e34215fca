/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For programs of this folder that have both ends of libuet in one process: addresses from
 * the command line, and the network namespace of an end.  A failure ends the program.
 * Level: test.
 */
#ifndef UET_SELFTESTS_ENDS_H
#define UET_SELFTESTS_ENDS_H

#include <err.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include <uet.h>

static inline struct sockaddr_uet address(const char *fa, unsigned int pid)
{
	char text[UET_ADDR_SIZE], why[UET_ERROR_SIZE];
	struct sockaddr_uet addr;

	snprintf(text, sizeof(text), "%s/%u", fa, pid);
	if (uet_addr_parse(&addr, text, why))
		errx(2, "%s", why);
	return addr;
}

static inline void enter(const char *netns)
{
	int fd = open(netns, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || setns(fd, CLONE_NEWNET))
		err(2, "%s", netns);
	close(fd);
}

#endif
