/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Job descriptors for the socket fuzzer: given to sockets at random, those of a
 * job that stays and those of one that comes and goes.  For fuzz_sock.h's
 * threads, in which nothing but sockets is opened: new descriptors are opened by
 * processes of their own, on the same sockets.  Level: test.
 */
#ifndef UET_SELFTESTS_FUZZ_JOB_H
#define UET_SELFTESTS_FUZZ_JOB_H

#include <sys/wait.h>

#include "fuzz_sock.h"
#include "uet_ioctl.h"

/* The job that stays, and that which comes and goes, or -1. */
static int job_fds[2];

/* Before the threads begin. */
static inline void open_jobs(void)
{
	int fd = socket(AF_UET, SOCK_RDM, 0);
	struct uet_job_open open;

	for (int i = 0; i < 2; i++) {
		open = (struct uet_job_open){ .job = 1 + i };
		job_fds[i] = uet_ioctl(fd, UET_IOC_JOB_OPEN, &open);
	}
	if (job_fds[0] < 0)
		fuzz_fail("UET_IOC_JOB_OPEN: %s", strerror(errno));
	close(fd);
}

static inline void give_job(struct thread *t, int sock, int job)
{
	CALL(t, SETSOCKOPT, setsockopt(sock, SOL_UET, UET_JOB_FD,
				       pointer(t, &job), sizeof(job)));
}

/* Mostly of a job that is there. */
static inline int open_job(struct thread *t, int sock)
{
	struct uet_job_open open = {
		.size = sizeof(open), .job = 1 + fuzz_below(&t->rand, 2),
		.flags = fuzz_below(&t->rand, 2),
	};

	if (fuzz_one_in(&t->rand, 8))
		fuzz_damage(&t->rand, (uint8_t *)&open, sizeof(open));
	return CALL(t, IOCTL, ioctl(sock, UET_IOC_JOB_OPEN, pointer(t, &open)));
}

/* In a process of its own: get a descriptor, and perhaps use it. */
static inline void use_new_job(struct thread *t, int sock)
{
	struct pollfd p = { .events = POLLIN };

	alarm(CALL_SECONDS * fuzz_setting("UET_TEST_SCALE", 1));
	p.fd = open_job(t, sock);
	if (p.fd >= 0 && fuzz_one_in(&t->rand, 2))
		give_job(t, sock, p.fd);
	poll(&p, 1, 0);
	_exit(0);
}

static inline void call_job(struct thread *t)
{
	int sock = any_fd(t), job = job_fds[fuzz_below(&t->rand, 2)], status = 0;
	pid_t pid;

	if (fuzz_one_in(&t->rand, 4))
		job = fuzz_one_in(&t->rand, 4) ? (int)fuzz_edge(&t->rand) : -1;
	if (!fuzz_one_in(&t->rand, 4)) {
		give_job(t, sock, job);
		return;
	}
	pid = CALL(t, FORK, fork());
	if (!pid)
		use_new_job(t, sock);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (status)
		fuzz_fail("a process that uses a job ends with 0x%x", status);
}

#endif
