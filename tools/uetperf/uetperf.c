// SPDX-License-Identifier: GPL-2.0
/*
 * uetperf: measures amount and speed of UET transfers between ranks, each a
 * process on this or another machine.  This part starts the ranks of this machine and
 * waits for their end.  See uetperf(1).  Level: tool.
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

/* Rank of this process, for its messages; -1: none. */
static int my_rank = -1;

/**
 * warn_as() - set the rank that precedes messages
 * @rank: its number
 */
void warn_as(int rank)
{
	my_rank = rank;
}

/**
 * warn_user() - print a message on standard error
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
	/* Ranks must not outlive a killed uetperf. */
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

/*
 * Wait for all ranks; when one has failed, end the others, which would wait
 * forever.
 */
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

/* Start ranks as processes on this machine. */
static int run_several(const struct options *o)
{
	pid_t pids[RANKS_MAX];
	int rank, nr = 0;

	fflush(NULL);
	for (rank = 0; rank < o->ranks; rank++) {
		if (!o->is_here[rank])
			continue;
		pids[nr] = rank_start(o, rank);
		if (pids[nr++] > 0)
			continue;
		warn_user("fork: %s", strerror(errno));
		ranks_end(pids, nr - 1);
		return -1;
	}
	return ranks_wait(pids, nr);
}

/**
 * run_here() - run the ranks of this machine
 * @o: command line
 *
 * Return: 0 when everything was moved and was right, or -1 after printing the reason.
 */
int run_here(const struct options *o)
{
	return o->rank < 0 ? run_several(o) : run_rank(o);
}

int main(int argc, char **argv)
{
	struct options o;

	parse_arguments(&o, argc, argv);
	if (o.is_server ? serve(&o) : moved_share(&o) || run_here(&o))
		return EXIT_FAILURE;
	return EXIT_SUCCESS;
}
