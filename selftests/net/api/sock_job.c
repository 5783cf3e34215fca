// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of job descriptors and of the choice of PIDonFEPs: who gets a
 * descriptor, what it is good for in the hands of another user, what becomes of
 * it when the job or its namespace goes, and that processes which leave their
 * PIDonFEP open do not share one.  Started by isolation.sh, see uetjob.h for what
 * it needs.  Level: test.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/resource.h>

#include "uetjob.h"

/* The JobID of jobs that tests make themselves. */
#define JOB_MADE	77

/* A pair of connected sockets to pass descriptors through. */
static void unix_pair(int pair[2])
{
	ASSERT_SYS(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
}

static int events_of(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN | POLLOUT };

	ASSERT_SYS(poll(&p, 1, 0));
	return p.revents;
}

/* Does /proc say this of a descriptor? */
static bool fdinfo_has(int fd, const char *line)
{
	char path[64], text[512] = "";
	int info;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	info = open(path, O_RDONLY);
	ASSERT_SYS(info);
	ASSERT_SYS(read(info, text, sizeof(text) - 1));
	close(info);
	return strstr(text, line);
}

/* ---------------------------------------------------------- getting one */

TEST(open__of_bad_arguments_is_refused)
{
	int fd = us_socket();

	EXPECT_FAILS(uj_try_open(fd, 0, 0), EINVAL);
	EXPECT(us_explains(fd, "job 0 is not in 1..16777215"));
	EXPECT_FAILS(uj_try_open(fd, UET_JOBID_MAX + 1, 0), EINVAL);
	EXPECT(us_explains(fd, "job 16777216"));
	EXPECT_FAILS(uj_try_open(fd, 1, 2), EINVAL);
	EXPECT(us_explains(fd, "flags 0x2 are unknown"));
	EXPECT_FAILS(uj_try_open(fd, 999, 0), ENOENT);
	EXPECT(us_explains(fd, "there is no job 999"));
	EXPECT_FAILS(ioctl(fd, UET_IOC_JOB_OPEN, (void *)8), EFAULT);
}

TEST(open__needs_the_right_to_bind)
{
	uint32_t ann = uj_job("UET_JOB_ANN"), bob = uj_job("UET_JOB_BOB");
	int fd = us_socket();

	EXPECT_GE(uj_try_open(fd, ann, 0), 0);
	uj_become(ANN, ANN);
	EXPECT_GE(uj_try_open(fd, ann, 0), 0);
	EXPECT_FAILS(uj_try_open(fd, bob, 0), EACCES);
	EXPECT(us_explains(fd, "not the user or group of job"));
	EXPECT_FAILS(uj_try_open(fd, uj_job("UET_JOB"), 0), EACCES);
	uj_become(BOB, CREW);
	EXPECT_GE(uj_try_open(fd, bob, 0), 0);
	EXPECT_GE(uj_try_open(fd, ann, 0), 0);
	uj_become(BOB, BOB);
	EXPECT_FAILS(uj_try_open(fd, ann, 0), EACCES);
	/* A bound socket opens another job like any other socket. */
	fd = uj_endpoint(ANN, ann, 0, UET_PID_ANY, 0);
	EXPECT_GE(uj_try_open(fd, bob, 0), 0);
}

TEST(open__needs_a_descriptor_number)
{
	int fd = us_socket();
	struct rlimit limit = { fd + 1, fd + 1 };

	for (int i = 0; i < fd; i++)
		if (fcntl(i, F_GETFD) < 0)
			ASSERT_SYS(dup2(fd, i));
	ASSERT_SYS(setrlimit(RLIMIT_NOFILE, &limit));
	EXPECT_FAILS(uj_try_open(fd, 1, 0), EMFILE);
	EXPECT(us_explains(fd, "no descriptor or memory is left"));
}

TEST(open__closes_on_exec_if_asked)
{
	int fd = us_socket(), kept = uj_try_open(fd, 1, 0);
	int closed = uj_try_open(fd, 1, UET_JOB_CLOEXEC);

	EXPECT_EQ(fcntl(kept, F_GETFD), 0);
	EXPECT_EQ(fcntl(closed, F_GETFD), FD_CLOEXEC);
}

TEST(job_fd__shows_its_job)
{
	char path[64], link[64] = "", line[64];
	int fd = uj_open(ANN, uj_job("UET_JOB_ANN"));

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ASSERT_SYS(readlink(path, link, sizeof(link) - 1));
	EXPECT(!strcmp(link, "anon_inode:[uet-job]"));
	snprintf(line, sizeof(line), "\njob:\t%u\nname:\tann\nstate:\talive\n",
		 uj_job("UET_JOB_ANN"));
	EXPECT(fdinfo_has(fd, line));
	/* A job without a name has no such line. */
	fd = uj_open(0, uj_job("UET_JOB"));
	EXPECT(fdinfo_has(fd, "\njob:\t1\nstate:\talive\n"));
}

TEST(job_fd__can_do_nothing_else)
{
	int fd = uj_open(0, 1), value = 0;
	char byte = 0;

	EXPECT_FAILS(read(fd, &byte, 1), EINVAL);
	EXPECT_FAILS(write(fd, &byte, 1), EINVAL);
	EXPECT_FAILS(ioctl(fd, FIONREAD, &value), ENOTTY);
	EXPECT_FAILS(uj_try_open(fd, 1, 0), ENOTTY);
	EXPECT_FAILS(uj_bind(fd, 1, 0, 1, 1), ENOTSOCK);
	EXPECT_EQ(events_of(fd), 0);
}

/* The open descriptors of a job in "ueadm job show", -1 without a number. */
static int descriptors_of(uint32_t job)
{
	char line[64], text[512] = "", *at;
	int count = -1;
	FILE *f;

	snprintf(line, sizeof(line), "ueadm -j job show %u", job);
	f = popen(line, "r");
	ASSERT(f);
	if (!fgets(text, sizeof(text), f))
		text[0] = 0;
	pclose(f);
	at = strstr(text, "\"descriptors\":");
	if (at)
		sscanf(at, "\"descriptors\":%d", &count);
	return count;
}

/* Files are counted, not their numbers. */
TEST(job_fd__is_counted)
{
	uint32_t bob = uj_job("UET_JOB_BOB");
	int before = descriptors_of(bob), a, b, copy;

	EXPECT_GE(before, 0);
	a = uj_open(BOB, bob);
	b = uj_open(BOB, bob);
	copy = dup(b);
	EXPECT_EQ(descriptors_of(bob), before + 2);
	close(a);
	close(b);
	WAIT_FOR(descriptors_of(bob) == before + 1);
	close(copy);
	WAIT_FOR(descriptors_of(bob) == before);
}

/* ------------------------------------------------------------ binding by it */

TEST(grant__of_other_descriptors_is_refused)
{
	int fd = us_socket(), other = us_socket(), bound;
	int job = uj_open(0, 1);

	EXPECT_FAILS(uj_grant(fd, 12345), EBADF);
	EXPECT(us_explains(fd, "12345 is no descriptor of a job"));
	EXPECT_FAILS(uj_grant(fd, -2), EBADF);
	EXPECT_FAILS(uj_grant(fd, other), EINVAL);
	EXPECT_FAILS(setsockopt(fd, SOL_UET, UET_JOB_FD, &job, 3), EINVAL);
	EXPECT_FAILS(setsockopt(fd, SOL_UET, UET_JOB_FD, (void *)8, 4), EFAULT);
	EXPECT_FAILS(getsockopt(fd, SOL_UET, UET_JOB_FD, &job,
				&(socklen_t){ 4 }), ENOPROTOOPT);
	bound = us_endpoint(0, UET_PID_ANY, 0);
	EXPECT_FAILS(uj_grant(bound, job), EINVAL);
	EXPECT(us_explains(bound, "UET_JOB_FD cannot change"));
	/* Nothing was given to it. */
	EXPECT_FAILS(uj_bind(fd, 0, 0, 1, 1), EINVAL);
	EXPECT(us_explains(fd, "suet_job 0 is not in 1..16777215"));
}

/* By another process, of another user, that was given nothing but this. */
TEST(grant__lets_another_user_bind)
{
	uint32_t ann = uj_job("UET_JOB_ANN"), bob = uj_job("UET_JOB_BOB");
	struct sockaddr_uet to;
	int rx, pair[2];
	pid_t pid;

	rx = uj_endpoint(ANN, ann, 1, UET_PID_ANY, 0);
	to = us_name(rx);
	unix_pair(pair);
	pid = CHILD({
		int job, fd = us_socket();

		uj_become(BOB, BOB);
		ASSERT_SYS(setresuid(BOB, BOB, BOB));
		EXPECT_FAILS(uj_bind(fd, ann, 0, 9, 9), EACCES);
		job = uj_take(pair[1]);
		ASSERT_SYS(uj_grant(fd, job));
		/* For that job only, and be it his own. */
		EXPECT_FAILS(uj_bind(fd, bob, 0, 9, 9), EACCES);
		EXPECT(us_explains(fd, "is not job"));
		EXPECT_FAILS(uj_bind(fd, 1, 0, 9, 9), EACCES);
		/* He has not become somebody who may hand it out. */
		EXPECT_FAILS(uj_try_open(fd, ann, 0), EACCES);
		close(job);
		ASSERT_SYS(uj_bind(fd, 0, 0, UET_PID_ANY, 0));
		EXPECT_EQ(us_name(fd).suet_job, ann);
		ASSERT_SYS(us_connect(fd, &to));
		EXPECT_EQ(us_send(fd, 5, 10000, 0), 10000);
		EXPECT_EQ(shutdown(fd, SHUT_WR), 0);
	});
	uj_pass(pair[0], uj_open(ANN, ann));
	us_expect(rx, 5, 10000);
	harness_join(pid);
}

TEST(grant__is_of_one_socket)
{
	uint32_t ann = uj_job("UET_JOB_ANN"), bob = uj_job("UET_JOB_BOB");
	int with = us_socket(), without = us_socket(), taken = us_socket();
	int job = uj_open(ANN, ann);

	uj_become(BOB, BOB);
	ASSERT_SYS(uj_grant(with, job));
	EXPECT_FAILS(uj_bind(without, ann, 0, UET_PID_ANY, 0), EACCES);
	EXPECT_EQ(uj_bind(with, ann, 0, UET_PID_ANY, 0), 0);
	/* -1 gives it up; another descriptor takes its place. */
	ASSERT_SYS(uj_grant(taken, job));
	ASSERT_SYS(uj_grant(taken, -1));
	EXPECT_FAILS(uj_bind(taken, ann, 0, UET_PID_ANY, 0), EACCES);
	ASSERT_SYS(uj_grant(taken, job));
	ASSERT_SYS(uj_grant(taken, uj_try_open(taken, bob, 0)));
	EXPECT_EQ(uj_bind(taken, 0, 0, UET_PID_ANY, 0), 0);
	EXPECT_EQ(us_name(taken).suet_job, bob);
}

TEST(grant__is_for_automatic_binding)
{
	struct sockaddr_uet to = uj_addr(JOB_MADE, 0, 4, 4);
	struct sockaddr_uet own = uj_addr(uj_job("UET_JOB_BOB"), 0, 4, 4);
	int one = us_socket(), two = us_socket(), rx, job;
	char byte;

	/* It needs a job with one FEP of the family. */
	ASSERT_EQ(uj_admin("job add %u feps fep1 uid %u", JOB_MADE, ANN), 0);
	rx = uj_endpoint(ANN, JOB_MADE, 0, 4, 4);
	job = uj_open(ANN, JOB_MADE);
	uj_become(BOB, BOB);
	EXPECT_FAILS(us_connect(one, &to), EACCES);
	ASSERT_SYS(uj_grant(one, job));
	ASSERT_SYS(uj_grant(two, job));
	EXPECT_FAILS(us_connect(one, &own), EACCES);
	EXPECT_EQ(us_name(one).suet_job, 0);
	EXPECT_EQ(us_connect(one, &to), 0);
	EXPECT_EQ(us_name(one).suet_job, JOB_MADE);
	EXPECT_EQ(sendto(two, "x", 1, 0, (void *)&to, sizeof(to)), 1);
	EXPECT_EQ(recv(rx, &byte, 1, 0), 1);
	close(one);
	close(two);
	close(rx);
	uj_become(0, 0);
	EXPECT_EQ(uj_admin("job del %u", JOB_MADE), 0);
}

/* ------------------------------------------------------------- when it ends */

static bool is_asleep(pid_t pid)
{
	char path[64], state = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "r");
	if (!f)
		return false;
	if (fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
		state = 0;
	fclose(f);
	return state == 'S';
}

TEST(job_fd__of_a_deleted_job_is_stale)
{
	int job, early = us_socket(), late = us_socket();

	ASSERT_EQ(uj_admin("job add %u feps fep1 uid %u", JOB_MADE, ANN), 0);
	job = uj_open(ANN, JOB_MADE);
	ASSERT_SYS(uj_grant(early, job));
	/* It does not keep the job. */
	ASSERT_EQ(uj_admin("job del %u", JOB_MADE), 0);
	EXPECT_FAILS(uj_bind(early, 0, 0, 1, 1), ESTALE);
	EXPECT(us_explains(early, "job 77 of UET_JOB_FD was deleted"));
	EXPECT_FAILS(uj_grant(late, job), ESTALE);
	EXPECT(fdinfo_has(job, "\njob:\t77\nstate:\tdeleted\n"));
	EXPECT_EQ(events_of(job), POLLHUP);
	/* Nor is it one for a job of the same number. */
	ASSERT_EQ(uj_admin("job add %u feps fep1 uid %u", JOB_MADE, ANN), 0);
	EXPECT_FAILS(uj_bind(early, JOB_MADE, 0, 1, 1), ESTALE);
	EXPECT_FAILS(uj_grant(late, job), ESTALE);
	EXPECT_EQ(us_name(early).suet_job, 0);
	EXPECT_EQ(events_of(uj_open(ANN, JOB_MADE)), 0);
	ASSERT_SYS(uj_grant(early, uj_open(ANN, JOB_MADE)));
	EXPECT_EQ(uj_bind(early, 0, 0, 1, 1), 0);
	close(early);
	EXPECT_EQ(uj_admin("job del %u", JOB_MADE), 0);
}

TEST(job_fd__keeps_a_fep_from_nothing)
{
	int job;

	ASSERT_EQ(uj_admin("fep add fepx addr 10.0.1.3 rails lo mtu 4096"), 0);
	ASSERT_EQ(uj_admin("job add %u feps fepx", JOB_MADE), 0);
	job = uj_open(0, JOB_MADE);
	EXPECT_NE(uj_admin("fep del fepx"), 0);
	ASSERT_EQ(uj_admin("job del %u", JOB_MADE), 0);
	EXPECT_EQ(uj_admin("fep del fepx"), 0);
	EXPECT_FAILS(uj_grant(us_socket(), job), ESTALE);
}

TEST(job_fd__wakes_waiters_when_the_job_ends)
{
	struct epoll_event ev = { .events = EPOLLIN };
	int epoll = epoll_create1(0), job;
	pid_t pid;

	ASSERT_EQ(uj_admin("job add %u feps fep1", JOB_MADE), 0);
	job = uj_open(0, JOB_MADE);
	ASSERT_SYS(epoll_ctl(epoll, EPOLL_CTL_ADD, job, &ev));
	EXPECT_EQ(epoll_wait(epoll, &ev, 1, 0), 0);
	pid = CHILD({
		struct pollfd p = { .fd = job };

		EXPECT_EQ(poll(&p, 1, -1), 1);
		EXPECT_EQ(p.revents, POLLHUP);
	});
	WAIT_FOR(is_asleep(pid));
	ASSERT_EQ(uj_admin("job del %u", JOB_MADE), 0);
	harness_join(pid);
	EXPECT_EQ(epoll_wait(epoll, &ev, 1, 0), 1);
	EXPECT_EQ(ev.events, EPOLLHUP);
}

TEST(job__is_kept_by_endpoints_bound_by_a_descriptor)
{
	int fd = us_socket();

	ASSERT_EQ(uj_admin("job add %u feps fep1", JOB_MADE), 0);
	ASSERT_SYS(uj_grant(fd, uj_open(0, JOB_MADE)));
	ASSERT_SYS(uj_bind(fd, 0, 0, UET_PID_ANY, 0));
	EXPECT_NE(uj_admin("job del %u", JOB_MADE), 0);
	close(fd);
	EXPECT_EQ(uj_admin("job del %u", JOB_MADE), 0);
}

/* A job in a namespace of its own, and a descriptor of it. */
static int open_elsewhere(void)
{
	ASSERT_SYS(unshare(CLONE_NEWNET));
	ASSERT_EQ(system("ip link set lo up; ip addr add 10.9.0.1/32 dev lo"), 0);
	ASSERT_EQ(uj_admin("rail add lo plane 0"), 0);
	ASSERT_EQ(uj_admin("fep add fep1 addr 10.9.0.1 rails lo mtu 4096"), 0);
	ASSERT_EQ(uj_admin("job add 1 feps fep1"), 0);
	return uj_open(0, 1);
}

TEST(job_fd__of_another_namespace_is_refused)
{
	int fd = us_socket(), job, pair[2];
	char byte;
	pid_t pid;

	unix_pair(pair);
	pid = CHILD({
		uj_pass(pair[1], open_elsewhere());
		/* The namespace stays until the other end is closed. */
		EXPECT_EQ(read(pair[1], &byte, 1), 1);
	});
	job = uj_take(pair[0]);
	EXPECT_FAILS(uj_grant(fd, job), EXDEV);
	EXPECT(us_explains(fd, "of another network namespace"));
	EXPECT_EQ(events_of(job), 0);
	ASSERT_EQ(write(pair[0], "x", 1), 1);
	harness_join(pid);
	/* The descriptor does not keep it. */
	WAIT_FOR(events_of(job) == POLLHUP);
	EXPECT_FAILS(uj_grant(fd, job), ESTALE);
	EXPECT(fdinfo_has(job, "state:\tdeleted"));
	EXPECT_EQ(uj_bind(fd, 1, 0, UET_PID_ANY, 0), 0);
}

/* ------------------------------------------------------------ PIDonFEPs */

#define FEW_MIN	100
#define FEW	40

/* Children bind all at once, tell their PIDonFEPs, and stay. */
static void bind_children(int which, int ri, int *go, int *told)
{
	int start[2], tell[2], i;

	ASSERT_SYS(pipe(start));
	ASSERT_SYS(pipe(tell));
	for (i = 0; i < FEW; i++)
		CHILD({
			int fd = us_socket();
			int pid = -1;
			char byte;

			close(start[1]);
			EXPECT_EQ(read(start[0], &byte, 1), 0);
			if (!uj_bind(fd, uj_job("UET_JOB_FEW"), which,
				     UET_PID_ANY, ri))
				pid = us_name(fd).suet_pid;
			EXPECT_EQ(write(tell[1], &pid, sizeof(pid)),
				  sizeof(pid));
			pause();
		});
	*go = start[1];
	*told = tell[0];
}

/* Each PIDonFEP of the job went to one of them. */
static void expect_all_different(int go, int told)
{
	bool seen[FEW] = { false };
	int i, pid;

	close(go);
	for (i = 0; i < FEW; i++) {
		ASSERT_EQ(read(told, &pid, sizeof(pid)), sizeof(pid));
		ASSERT(pid >= FEW_MIN && pid < FEW_MIN + FEW);
		EXPECT(!seen[pid - FEW_MIN]);
		seen[pid - FEW_MIN] = true;
	}
}

TEST(pid_any__is_another_for_each_process)
{
	int go, told, fd = us_socket();

	bind_children(0, 0, &go, &told);
	expect_all_different(go, told);
	/* Only then one is shared. */
	EXPECT_EQ(uj_bind(fd, uj_job("UET_JOB_FEW"), 0, UET_PID_ANY, 0), 0);
}

TEST(pid_any__runs_out_in_one_job_of_one_fep)
{
	int go, told, fd = us_socket();

	bind_children(0, 7, &go, &told);
	expect_all_different(go, told);
	EXPECT_FAILS(uj_bind(fd, uj_job("UET_JOB_FEW"), 0, UET_PID_ANY, 7),
		     EADDRINUSE);
	EXPECT(us_explains(fd, "all that fit are in use"));
	EXPECT_EQ(uj_bind(fd, uj_job("UET_JOB_FEW"), 1, UET_PID_ANY, 7), 0);
	EXPECT_EQ(uj_bind(us_socket(), uj_job("UET_JOB_ANN"), 0, FEW_MIN, 7), 0);
	EXPECT_EQ(uj_bind(us_socket(), uj_job("UET_JOB_FEW"), 0, FEW_MIN, 8), 0);
}

HARNESS_MAIN()
