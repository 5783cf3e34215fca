/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Users and jobs for tests of sockets: becoming one user or another, endpoints in
 * a job of one's choice, and job descriptors.  For uetsock.h's FEPs.
 * Level: test.
 *
 * Environment besides that of uetsock.h, set by selftests/net/api/isolation.sh, all
 * jobs on both FEPs:
 *	UET_JOB_ANN	a job of user ANN and group CREW, PIDs 0..4095
 *	UET_JOB_BOB	a job of user BOB
 *	UET_JOB_FEW	a job of user ANN, PIDs 100..139
 */
#ifndef UET_SELFTESTS_UETJOB_H
#define UET_SELFTESTS_UETJOB_H

#include <grp.h>
#include <stdarg.h>

#include "uetsock.h"

/* Users and groups that need not be in any file. */
#define ANN	1001
#define BOB	1002
#define CREW	2000

static inline uint32_t uj_job(const char *name)
{
	return atoi(us_env(name));
}

/* Be a user with all its ids but the saved ones, by which one gets back to 0. */
static inline void uj_become(uid_t user, gid_t group)
{
	ASSERT_SYS(setresuid(0, 0, 0));
	ASSERT_SYS(setgroups(0, NULL));
	ASSERT_SYS(setresgid(group, group, 0));
	ASSERT_SYS(setresuid(user, user, 0));
}

static inline struct sockaddr_uet uj_addr(uint32_t job, int which, int pid,
					  int ri)
{
	struct sockaddr_uet addr = us_addr(which, pid, ri);

	addr.suet_job = job;
	return addr;
}

static inline int uj_bind(int fd, uint32_t job, int which, int pid, int ri)
{
	struct sockaddr_uet addr = uj_addr(job, which, pid, ri);

	return us_bind(fd, &addr);
}

/* A socket of any type that a user has bound in a job of his. */
static inline int uj_endpoint_of(int type, uid_t user, uint32_t job, int which,
				 int pid, int ri)
{
	int fd = us_socket_of(type);

	uj_become(user, user);
	ASSERT_SYS(uj_bind(fd, job, which, pid, ri));
	uj_become(0, 0);
	return fd;
}

static inline int uj_endpoint(uid_t user, uint32_t job, int which, int pid,
			      int ri)
{
	return uj_endpoint_of(SOCK_RDM, user, job, which, pid, ri);
}

/* A job descriptor, -1 with errno. */
static inline int uj_try_open(int fd, uint32_t job, uint32_t flags)
{
	struct uet_job_open open = { .job = job, .flags = flags };

	return uet_ioctl(fd, UET_IOC_JOB_OPEN, &open);
}

/* The same, of a user's job. */
static inline int uj_open(uid_t user, uint32_t job)
{
	int fd = us_socket(), ret;

	uj_become(user, user);
	ret = uj_try_open(fd, job, 0);
	ASSERT_SYS(ret);
	uj_become(0, 0);
	close(fd);
	return ret;
}

/* Give a socket the authority of a descriptor. */
static inline int uj_grant(int fd, int job)
{
	return setsockopt(fd, SOL_UET, UET_JOB_FD, &job, sizeof(job));
}

/* Runs a command of the administrator: "ueadm job ...", its status. */
static inline int uj_admin(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));
static inline int uj_admin(const char *fmt, ...)
{
	char words[128], line[160];
	va_list args;

	va_start(args, fmt);
	vsnprintf(words, sizeof(words), fmt, args);
	va_end(args);
	snprintf(line, sizeof(line), "ueadm %s > /dev/null 2>&1", words);
	return system(line);
}

/* Pass a descriptor through a socket of the Unix family. */
static inline void uj_pass(int via, int fd)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} space = { .align = { .cmsg_len = CMSG_LEN(sizeof(int)),
			      .cmsg_level = SOL_SOCKET,
			      .cmsg_type = SCM_RIGHTS } };
	struct iovec iov = { "x", 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1,
			      .msg_control = &space,
			      .msg_controllen = sizeof(space) };

	memcpy(CMSG_DATA(&space.align), &fd, sizeof(fd));
	ASSERT_EQ(sendmsg(via, &msg, 0), 1);
}

static inline int uj_take(int via)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} space;
	char byte;
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1,
			      .msg_control = &space,
			      .msg_controllen = sizeof(space) };
	int fd;

	ASSERT_EQ(recvmsg(via, &msg, 0), 1);
	ASSERT(CMSG_FIRSTHDR(&msg));
	memcpy(&fd, CMSG_DATA(&space.align), sizeof(fd));
	return fd;
}

#endif
