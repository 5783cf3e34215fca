// SPDX-License-Identifier: GPL-2.0
/*
 * uetperf: measures what UET moves, and how fast, between ranks that are a
 * process each, here or on other machines.  This part starts them and waits
 * for their end.  See uetperf(1).  Level: tool.
 */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "uetperf.h"

/* Rank of this process, for what it says; -1: it is none. */
static int my_rank = -1;

/**
 * warn_as() - say from now on which rank it is that speaks
 * @rank: its number
 */
void warn_as(int rank)
{
	my_rank = rank;
}

/**
 * warn_user() - say something on standard error
 * @fmt: printf format, without newline
 */
void warn_user(const char *fmt, ...)
{
	char text[512], rank[32] = "";
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (my_rank >= 0)
		snprintf(rank, sizeof(rank), "rank %d: ", my_rank);
	progress_end();
	fprintf(stderr, "uetperf: %s%s\n", rank, text);
}

/**
 * now_ns() - the time
 *
 * Return: nanoseconds since some moment.
 */
uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

static pid_t rank_start(const struct options *o, int rank)
{
	struct options mine = *o;
	pid_t parent = getpid(), pid = fork();

	if (pid)
		return pid;
	/* Nobody waits for the ranks of a uetperf that was killed. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_FAILURE);
	mine.rank = rank;
	exit(run_rank(&mine) ? EXIT_FAILURE : EXIT_SUCCESS);
}

static void ranks_end(const pid_t *pids, int nr)
{
	for (int i = 0; i < nr; i++)
		if (pids[i] > 0)
			kill(pids[i], SIGTERM);
}

/* Wait for all; when one has failed the others would wait for it in vain. */
static int ranks_wait(pid_t *pids, int nr)
{
	int i, status, left = nr, ret = 0;
	pid_t pid;

	while (left && (pid = wait(&status)) > 0) {
		for (i = 0; i < nr && pids[i] != pid; i++)
			;
		if (i == nr)
			continue;
		pids[i] = 0;
		left--;
		if (status && !ret) {
			ret = -1;
			ranks_end(pids, nr);
		}
	}
	return ret;
}

/* All ranks as processes of their own on this machine. */
static int run_all(const struct options *o)
{
	pid_t pids[RANKS_MAX];
	int rank;

	fflush(NULL);
	for (rank = 0; rank < o->ranks; rank++) {
		pids[rank] = rank_start(o, rank);
		if (pids[rank] > 0)
			continue;
		warn_user("fork: %s", strerror(errno));
		ranks_end(pids, rank);
		return -1;
	}
	return ranks_wait(pids, o->ranks);
}

int main(int argc, char **argv)
{
	struct options o;

	parse_arguments(&o, argc, argv);
	if (o.rank < 0 ? run_all(&o) : run_rank(&o))
		return EXIT_FAILURE;
	return EXIT_SUCCESS;
}
