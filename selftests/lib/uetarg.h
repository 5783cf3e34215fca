/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Endpoints of programs whose arguments name them by IPv4 fabric address, PIDonFEP and
 * Resource Index, in job 1 or that of UET_TEST_JOB.  A failure ends the program.
 * Level: test.
 */
#ifndef UET_SELFTESTS_UETARG_H
#define UET_SELFTESTS_UETARG_H

#include <arpa/inet.h>
#include <err.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <linux/uet.h>

static inline struct sockaddr_uet arg_address(const char *fa, int pid, int ri)
{
	const char *job = getenv("UET_TEST_JOB");
	struct sockaddr_uet addr = {
		.suet_family = AF_UET, .suet_version = UET_ADDR_VERSION,
		.suet_job = job ? atoi(job) : 1, .suet_pid = pid, .suet_ri = ri,
	};

	if (inet_pton(AF_INET, fa, &addr.suet_fa4) != 1)
		errx(1, "%s is no IPv4 address", fa);
	return addr;
}

static inline int arg_endpoint(const char *fa, int pid, int ri)
{
	struct sockaddr_uet addr = arg_address(fa, pid, ri);
	int fd = socket(AF_UET, SOCK_RDM, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&addr, sizeof(addr)))
		err(1, "endpoint %s pid %d", fa, pid);
	return fd;
}

#endif
