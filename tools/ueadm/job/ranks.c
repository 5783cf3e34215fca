// SPDX-License-Identifier: GPL-2.0
/*
 * Starts the processes of a job, passes signals on to them, and waits.  When a
 * process fails, the others receive SIGTERM, and later SIGKILL, because they
 * would wait for the failed process.  Orphans that the processes leave behind
 * are ended the same way, because orphans would keep the job in use.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ranks.h"
#include "ueadm.h"

#define RANKS_GRACE_S	5	/* from SIGTERM to SIGKILL */

/* Signals that are passed to the job; a stop signal stops the launcher only. */
static const int forwarded[] = {
	SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2,
};

static void wanted_signals(sigset_t *set)
{
	size_t i;

	sigemptyset(set);
	sigaddset(set, SIGCHLD);
	sigaddset(set, SIGIO);
	for (i = 0; i < sizeof(forwarded) / sizeof(forwarded[0]); i++)
		sigaddset(set, forwarded[i]);
}

static void kill_all(const struct uea_ranks *ranks, int number)
{
	unsigned int i;

	for (i = 0; i < ranks->nr; i++) {
		if (ranks->pids[i])
			kill(ranks->pids[i], number);
	}
}

/* Runs in the new process; the first process has the terminal or the piped input. */
static void become(const struct uea_ranks *ranks, unsigned int rank,
		   pid_t parent, const sigset_t *mask)
{
	int fd, error;

	sigprocmask(SIG_SETMASK, mask, NULL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(UEA_FAILED);
	if (rank || ranks->control >= 0) {
		fd = open("/dev/null", O_RDONLY);
		if (fd < 0 || dup2(fd, STDIN_FILENO) < 0)
			_exit(UEA_FAILED);
		if (fd != STDIN_FILENO)
			close(fd);
	}
	ranks->prepare(rank, ranks->data);
	execvp(ranks->argv[0], ranks->argv);
	error = errno;
	uea_fail(error, "job: \"%s\"", ranks->argv[0]);
	_exit(error == ENOENT ? 127 : 126);
}

static int start_all(struct uea_ranks *ranks, const sigset_t *mask)
{
	pid_t parent = getpid(), pid;
	unsigned int i;

	/* Flush the buffer, or each process would print it. */
	fflush(stdout);
	for (i = 0; i < ranks->nr; i++) {
		pid = fork();
		if (pid < 0)
			return uea_fail(errno, "job: process %u of %u", i,
					ranks->nr);
		if (!pid)
			become(ranks, i, parent, mask);
		ranks->pids[i] = pid;
		ranks->running++;
	}
	return UEA_OK;
}

static void ended(struct uea_ranks *ranks, pid_t pid, int how)
{
	int status = WIFSIGNALED(how) ? 128 + WTERMSIG(how) : WEXITSTATUS(how);
	unsigned int i;

	for (i = 0; i < ranks->nr && ranks->pids[i] != pid; i++)
		;
	if (i == ranks->nr)
		return;
	ranks->pids[i] = 0;
	ranks->running--;
	if (!ranks->status)
		ranks->status = status;
}

static void reap(struct uea_ranks *ranks)
{
	pid_t pid;
	int how;

	while ((pid = waitpid(-1, &how, WNOHANG)) > 0)
		ended(ranks, pid, how);
}

static bool is_rank(const struct uea_ranks *ranks, pid_t pid)
{
	unsigned int i;

	for (i = 0; i < ranks->nr; i++) {
		if (ranks->pids[i] == pid)
			return true;
	}
	return false;
}

/* Orphans are reparented to this process; returns their number. */
static unsigned int kill_orphans(const struct uea_ranks *ranks, int number)
{
	FILE *f = fopen("/proc/thread-self/children", "re");
	unsigned int nr = 0;
	pid_t pid;

	while (f && fscanf(f, "%d", &pid) == 1) {
		if (is_rank(ranks, pid))
			continue;
		kill(pid, number);
		nr++;
	}
	if (f)
		fclose(f);
	return nr;
}

/*
 * SIGTERM once to the remaining processes, and to orphans as they appear; this
 * starts the grace period.
 */
static void end_rest(const struct uea_ranks *ranks, struct timespec *end)
{
	kill_orphans(ranks, SIGTERM);
	if (end->tv_sec)
		return;
	clock_gettime(CLOCK_MONOTONIC, end);
	end->tv_sec += RANKS_GRACE_S;
	kill_all(ranks, SIGTERM);
}

static void kill_rest(const struct uea_ranks *ranks)
{
	kill_orphans(ranks, SIGKILL);
	kill_all(ranks, SIGKILL);
}

/* The control descriptor sends SIGIO when it has something to say. */
static void watch_control(const struct uea_ranks *ranks)
{
	if (ranks->control < 0)
		return;
	fcntl(ranks->control, F_SETOWN, getpid());
	fcntl(ranks->control, F_SETFL,
	      fcntl(ranks->control, F_GETFL) | O_ASYNC | O_NONBLOCK);
}

static void obey_control(struct uea_ranks *ranks)
{
	unsigned char number;
	ssize_t got;

	if (ranks->control < 0)
		return;
	while ((got = read(ranks->control, &number, 1)) > 0)
		kill_all(ranks, number);
	if (!got && !ranks->status)
		ranks->status = 128 + SIGHUP;
}

static void wait_all(struct uea_ranks *ranks, const sigset_t *wanted)
{
	struct timespec second = { .tv_sec = 1 }, end = { .tv_sec = 0 }, now;
	siginfo_t info;
	int number;

	for (;;) {
		reap(ranks);
		obey_control(ranks);
		if (!ranks->running && !kill_orphans(ranks, 0))
			return;
		if (ranks->status || !ranks->running)
			end_rest(ranks, &end);
		number = sigtimedwait(wanted, &info, &second);
		/* A key at the terminal sends the signal to all processes. */
		if (number > 0 && number != SIGCHLD && number != SIGIO &&
		    info.si_code != SI_KERNEL)
			kill_all(ranks, number);
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (end.tv_sec && now.tv_sec >= end.tv_sec)
			kill_rest(ranks);
	}
}

/**
 * uea_ranks_run() - start all, and wait until all have ended
 * @ranks: which; their status is set
 *
 * Return: UEA_OK, or UEA_FAILED with a message printed: not all were started.
 */
int uea_ranks_run(struct uea_ranks *ranks)
{
	sigset_t wanted, before;
	int status;

	/* If SIGCHLD were ignored, the ends of processes would not be reported. */
	signal(SIGCHLD, SIG_DFL);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	wanted_signals(&wanted);
	sigprocmask(SIG_BLOCK, &wanted, &before);
	watch_control(ranks);
	status = start_all(ranks, &before);
	if (status)
		ranks->status = status;
	wait_all(ranks, &wanted);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return status;
}
