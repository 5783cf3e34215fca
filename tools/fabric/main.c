// SPDX-License-Identifier: GPL-2.0
/*
 * The command uetfabric: runs flows through a simulated fabric, once per seed, and
 * prints a line of results for each run.  Several runs at a time are processes of their
 * own, whose output appears in the order of the seeds.  Exit status: 1 if flows were
 * not complete, 2 for a wrong command line.  Level: test.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "report.h"

/* Where the output of a run goes: its line of results, and its files. */
enum {
	MAIN_OUT = FAB_FILE_NR,
	MAIN_ERR,
	MAIN_STREAMS,
};

/**
 * struct main_progress - how far a run is, shared with the processes
 * @part: done part of its bytes, 0 to 1
 * @now_us: its simulated time, us
 */
struct main_progress {
	double part;
	double now_us;
};

/**
 * struct main_run - runs of a command line
 * @opts: command line
 * @stream: output of all runs
 * @started: time when the runs began, s
 * @told: time of the last report, s
 * @finished: number of finished runs
 * @progress: of each run under way, by slot
 * @slot: slot of this process
 * @is_child: this process executes one run
 */
struct main_run {
	const struct fab_options *opts;
	FILE *stream[MAIN_STREAMS];
	double started;
	double told;
	u32 finished;
	struct main_progress *progress;
	u32 slot;
	bool is_child;
};

static volatile sig_atomic_t main_stop;

static void main_on_signal(int sig)
{
	(void)sig;
	main_stop = 1;
}

static double main_seconds(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

/* Report the progress of all runs, once per second. */
static void main_tell(struct main_run *run)
{
	double now = main_seconds(CLOCK_MONOTONIC), part = run->finished;
	const char *end = isatty(STDERR_FILENO) ? "\r" : "\n";
	double us = 0;
	u32 i;

	if (!run->opts->has_progress || now < run->told + 1)
		return;
	run->told = now;
	for (i = 0; i < run->opts->jobs; i++) {
		part += run->progress[i].part;
		us = max(us, run->progress[i].now_us);
	}
	part /= run->opts->seeds;
	fprintf(stderr, "uetfabric: %.1f %% of the bytes, %u of %u runs, %.0f us simulated, about %.0f s left %s",
		100 * part, run->finished, run->opts->seeds, us,
		part > 0 ? (now - run->started) * (1 - part) / part : 0, end);
}

static void main_watch(struct fab *fab, void *arg)
{
	struct main_run *run = arg;
	struct main_progress *mine = &run->progress[run->slot];

	mine->part = fab->bytes ? (double)fab->acked / fab->bytes : 0;
	mine->now_us = (double)(fab->clock.now - FAB_EPOCH) / FAB_US;
	if (main_stop)
		fab->why = "interrupted";
	else if (run->opts->wall_s &&
		 main_seconds(CLOCK_MONOTONIC) >
		 run->started + run->opts->wall_s)
		fab->why = "--wall-s is reached";
	if (!run->is_child)
		main_tell(run);
}

static void main_print(const struct fab_options *opts, FILE *out,
		       const struct fab *fab, double cpu_s)
{
	struct fab_result res;

	fab_result(fab, cpu_s, &res);
	if (opts->form == FAB_JSON)
		fab_print_json(out, fab, &res);
	else if (opts->form == FAB_CSV)
		fab_print_csv(out, fab, &res);
	else
		fab_print_text(out, fab, &res);
	fflush(out);
}

static void main_traces(const struct main_run *run, FILE *const *stream,
			struct fab *fab, struct fab_trace *trace)
{
	bool has_trace = false;
	u32 i;

	*trace = (struct fab_trace) {
		.period = run->opts->trace_us * FAB_US,
	};
	for (i = 0; i < FAB_TRACE_NR; i++) {
		trace->out[i] = stream[i];
		has_trace = has_trace || stream[i];
	}
	if (has_trace)
		fab_trace_begin(fab, trace);
}

/* Execute one run, which writes to @stream. Return: exit status. */
static int main_one(struct main_run *run, u64 seed, FILE *const *stream)
{
	const struct fab_options *opts = run->opts;
	double start = main_seconds(CLOCK_PROCESS_CPUTIME_ID);
	struct fab_params par = opts->par;
	struct fab_trace trace;
	struct fab fab;
	int status = 2;

	par.seed = seed;
	fab_init(&fab, &par);
	fab.watch = main_watch;
	fab.watch_arg = run;
	if (fab_options_flows(opts, &fab)) {
		main_traces(run, stream, &fab, &trace);
		status = !fab_run(&fab);
		main_print(opts, stream[MAIN_OUT], &fab,
			   main_seconds(CLOCK_PROCESS_CPUTIME_ID) - start);
		if (status)
			fprintf(stream[MAIN_ERR], "uetfabric: seed %" PRIu64 ": %s; %u of %u flows are not complete after %.0f us\n",
				seed, fab.why, fab.left, fab.nr_flows,
				(double)(fab.clock.now - FAB_EPOCH) / FAB_US);
		if (stream[FAB_FILE_FLOWS])
			fab_print_flows(&fab, stream[FAB_FILE_FLOWS]);
	}
	fab_fini(&fab);
	return status;
}

/* Execute all runs in this process. */
static int main_in_turn(struct main_run *run)
{
	int status = 0;
	u64 i;

	for (i = 0; i < run->opts->seeds && !status; i++) {
		status = main_one(run, run->opts->par.seed + i, run->stream);
		run->finished++;
		run->progress[0].part = 0;
	}
	return status;
}

/**
 * struct main_job - a run in a process of its own
 * @pid: the process; 0: it has ended
 * @status: exit status
 * @slot: number of its progress
 * @stream: temporary files with its output; NULL: not wanted
 */
struct main_job {
	pid_t pid;
	int status;
	u32 slot;
	FILE *stream[MAIN_STREAMS];
};

static void main_fork(struct main_run *run, struct main_job *job, u64 seed,
		      u32 slot)
{
	u32 i;

	job->slot = slot;
	job->status = 2;
	for (i = 0; i < MAIN_STREAMS; i++) {
		job->stream[i] = run->stream[i] ? tmpfile() : NULL;
		if (run->stream[i] && !job->stream[i]) {
			perror("uetfabric: a temporary file");
			exit(2);
		}
	}
	fflush(NULL);
	job->pid = fork();
	if (job->pid < 0) {
		perror("uetfabric: fork");
		exit(2);
	}
	if (job->pid)
		return;
	run->is_child = true;
	run->slot = slot;
	i = main_one(run, seed, job->stream);
	fflush(NULL);
	_exit(i);
}

/* Pass the output of a job on. */
static void main_collect(struct main_run *run, struct main_job *job)
{
	char buf[16384];
	size_t got;
	u32 i;

	for (i = 0; i < MAIN_STREAMS; i++) {
		if (!job->stream[i])
			continue;
		rewind(job->stream[i]);
		while ((got = fread(buf, 1, sizeof(buf), job->stream[i])) > 0)
			fwrite(buf, 1, got, run->stream[i]);
		fflush(run->stream[i]);
		fclose(job->stream[i]);
	}
}

/* Wait until a job of this process ends. */
static void main_wait(struct main_run *run, struct main_job *jobs, u32 nr)
{
	const struct timespec pause = { .tv_nsec = 20000000 };
	int status;
	pid_t pid;
	u32 i;

	while (!(pid = waitpid(-1, &status, WNOHANG))) {
		main_tell(run);
		for (i = 0; i < nr && main_stop == 1; i++)
			if (jobs[i].pid)
				kill(jobs[i].pid, SIGTERM);
		main_stop = main_stop ? 2 : 0;
		nanosleep(&pause, NULL);
	}
	for (i = 0; i < nr; i++) {
		if (jobs[i].pid != pid)
			continue;
		jobs[i].pid = 0;
		jobs[i].status = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
		run->progress[jobs[i].slot] = (struct main_progress) { 0 };
		run->finished++;
	}
}

/* Return: a slot that no job uses. */
static u32 main_free_slot(const struct main_job *jobs, u32 nr)
{
	u32 slot = 0, i;

	for (i = 0; i < nr; i++) {
		if (jobs[i].pid && jobs[i].slot == slot) {
			slot++;
			i = -1;
		}
	}
	return slot;
}

/* Execute several runs at a time. */
static int main_at_a_time(struct main_run *run)
{
	u32 seeds = run->opts->seeds, begun = 0, out = 0, busy = 0;
	struct main_job *jobs = calloc(seeds, sizeof(*jobs));
	int status = 0;

	if (!jobs)
		abort();
	while (out < begun || (begun < seeds && !status && !main_stop)) {
		if (begun < seeds && busy < run->opts->jobs && !status &&
		    !main_stop) {
			main_fork(run, &jobs[begun],
				  run->opts->par.seed + begun,
				  main_free_slot(jobs, begun));
			begun++;
			busy++;
			continue;
		}
		main_wait(run, jobs, begun);
		busy--;
		for (; out < begun && !jobs[out].pid; out++) {
			main_collect(run, &jobs[out]);
			status = status ? status : jobs[out].status;
		}
	}
	free(jobs);
	return status;
}

/* Open the files of the command line, and print the heads. */
static bool main_open(struct main_run *run)
{
	const struct fab_options *opts = run->opts;
	u32 i;

	for (i = 0; i < FAB_FILE_NR; i++) {
		if (!opts->file[i])
			continue;
		run->stream[i] = fopen(opts->file[i], "w");
		if (!run->stream[i]) {
			fprintf(stderr, "uetfabric: --%s %s: %s\n",
				fab_file_options[i], opts->file[i],
				strerror(errno));
			return false;
		}
		if (i == FAB_FILE_FLOWS)
			fab_print_flows_head(run->stream[i]);
		else
			fab_trace_head(run->stream[i], i);
	}
	run->stream[MAIN_OUT] = stdout;
	run->stream[MAIN_ERR] = stderr;
	if (opts->form == FAB_CSV)
		fab_print_csv_head(stdout);
	return true;
}

static int main_close(struct main_run *run, int status)
{
	u32 i;

	for (i = 0; i < FAB_FILE_NR; i++) {
		if (!run->stream[i] || !fclose(run->stream[i]))
			continue;
		fprintf(stderr, "uetfabric: --%s %s: %s\n",
			fab_file_options[i], run->opts->file[i],
			strerror(errno));
		status = 1;
	}
	return status;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = main_on_signal };
	struct main_run run = { 0 };
	struct fab_options opts;
	int status;

	if (!fab_options_read(&opts, argc, argv))
		return 2;
	if (opts.has_gates)
		return fab_gates(opts.is_quick);
	run.opts = &opts;
	run.started = main_seconds(CLOCK_MONOTONIC);
	run.told = run.started;
	run.progress = mmap(NULL, opts.jobs * sizeof(*run.progress),
			    PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			    -1, 0);
	if (run.progress == MAP_FAILED)
		abort();
	if (!main_open(&run))
		return 2;
	/* A second signal ends the program at once. */
	action.sa_flags = SA_RESETHAND;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	status = opts.jobs > 1 ? main_at_a_time(&run) : main_in_turn(&run);
	return main_close(&run, status);
}
