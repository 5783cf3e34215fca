// SPDX-License-Identifier: GPL-2.0
/*
 * "ueadm job run" over several hosts: a remote shell starts one agent on each host
 * (job_agent.c).  Each agent makes the job with the same JobID and answers with its
 * fabric addresses; then all of them get the addresses of all ranks, and start theirs.
 * The output of the agents is printed line by line.  The first agent that fails ends the
 * others.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/uet.h>
#include <linux/uet_nl.h>

#include "job_run.h"

extern char **environ;

#define LINE_SIZE	4096
#define SHELL_WORDS	32
#define RUN_ID_MIN	0x800000u	/* as in job_run.c */

/**
 * struct agent - a host of the job
 * @host: the host
 * @first: its first rank
 * @nr: its processes
 * @pid: of the remote shell; 0: has ended
 * @to: pipe to its standard input; NULL: closed
 * @from: pipe from its standard output; -1: closed
 * @pid_min: first PIDonFEP of the job there
 * @pid_max: last PIDonFEP
 * @feps: fabric addresses of the job there
 * @nr_feps: their number
 * @line: output that was not printed yet
 * @used: its length, bytes
 */
struct agent {
	const struct uea_host *host;
	unsigned int first, nr;
	pid_t pid;
	FILE *to;
	int from;
	unsigned int pid_min, pid_max;
	char *feps[UET_JOB_FEPS_MAX];
	unsigned int nr_feps;
	char line[LINE_SIZE];
	size_t used;
};

/**
 * struct spawn - all hosts
 * @run: the run
 * @agents: the hosts that have processes
 * @nr: their number
 * @shell: words of the remote shell, in front of the name of the host
 * @shell_text: their memory
 * @status: of the first agent that failed
 */
struct spawn {
	struct uea_run *run;
	struct agent *agents;
	unsigned int nr;
	char *shell[SHELL_WORDS + 7];
	char *shell_text;
	int status;
};

/* Set by handlers: a signal to pass on. */
static volatile sig_atomic_t signals[NSIG];

static void note_signal(int number)
{
	signals[number] = 1;
}

/* ---------------------------------------------------------------- the hosts */

/* Fill the hosts in their order. */
static int assign(struct spawn *s, const struct uea_hosts *hosts)
{
	unsigned int slots = uea_hosts_slots(hosts), rank = 0, i;

	if (!s->run->ranks.nr)
		s->run->ranks.nr = slots;
	if (s->run->ranks.nr > slots)
		return uea_fail(0, "job: -n %u is more than the %u processes that the hosts may have",
				s->run->ranks.nr, slots);
	s->run->size = s->run->ranks.nr;
	s->agents = calloc(hosts->nr, sizeof(*s->agents));
	if (!s->agents)
		return uea_fail(ENOMEM, "job: %u hosts", hosts->nr);
	for (i = 0; i < hosts->nr && rank < s->run->size; i++) {
		struct agent *a = &s->agents[s->nr++];

		a->host = &hosts->host[i];
		a->first = rank;
		a->nr = hosts->host[i].slots;
		if (a->nr > s->run->size - rank)
			a->nr = s->run->size - rank;
		a->from = -1;
		rank += a->nr;
	}
	return UEA_OK;
}

static int split_shell(struct spawn *s, const char *shell)
{
	char *word, *rest = NULL;
	unsigned int nr = 0;

	s->shell_text = strdup(shell);
	if (!s->shell_text)
		return uea_fail(ENOMEM, "job: --ssh");
	for (word = strtok_r(s->shell_text, " ", &rest); word && nr < SHELL_WORDS;
	     word = strtok_r(NULL, " ", &rest))
		s->shell[nr++] = word;
	if (!nr || word)
		return uea_fail(0, "job: --ssh \"%s\" has not 1 to %u words", shell,
				SHELL_WORDS);
	return UEA_OK;
}

static void become_shell(struct spawn *s, const struct agent *a, int in, int out)
{
	static char *const agent[] = { "ueadm", "job", "run", "--agent", NULL };
	unsigned int nr = 0, i;

	while (s->shell[nr])
		nr++;
	s->shell[nr++] = (char *)a->host->name;
	for (i = 0; agent[i]; i++)
		s->shell[nr++] = agent[i];
	s->shell[nr] = NULL;
	signal(SIGPIPE, SIG_DFL);
	if (dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0)
		execvp(s->shell[0], s->shell);
	uea_fail(errno, "job: \"%s\"", s->shell[0]);
	_exit(127);
}

static int start_agent(struct spawn *s, struct agent *a)
{
	int to[2], from[2];

	if (pipe2(to, O_CLOEXEC))
		return uea_fail(errno, "job: a pipe to host %s", a->host->name);
	if (pipe2(from, O_CLOEXEC)) {
		close(to[0]);
		close(to[1]);
		return uea_fail(errno, "job: a pipe from host %s", a->host->name);
	}
	a->pid = fork();
	if (!a->pid)
		become_shell(s, a, to[0], from[1]);
	close(to[0]);
	close(from[1]);
	a->from = from[0];
	a->to = fdopen(to[1], "w");
	if (a->pid > 0 && a->to)
		return UEA_OK;
	if (!a->to)
		close(to[1]);
	return uea_fail(errno, "job: host %s", a->host->name);
}

/* --------------------------------------------------------------- the protocol */

static void put(struct agent *a, const char *text)
{
	fwrite(text, 1, strlen(text) + 1, a->to);
}

static void put_number(struct agent *a, unsigned int number)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", number);
	put(a, text);
}

static void put_words(struct agent *a, char **words)
{
	unsigned int nr = 0, i;

	while (words[nr])
		nr++;
	put_number(a, nr);
	for (i = 0; i < nr; i++)
		put(a, words[i]);
}

static bool is_launchers(const char *word)
{
	return !strcmp(word, "-n") || !strcmp(word, "--hosts") ||
	       !strcmp(word, "--hostfile") || !strcmp(word, "--ssh");
}

/*
 * The words about the job, without those about its hosts, and with a JobID that is
 * the same everywhere.  Return: to be freed, but not its words; NULL with an errno.
 */
static char **job_words(const struct uea_run *run, char **words, char *id, size_t size)
{
	unsigned int nr = 0, number = 0, i;
	char **all;

	while (words[nr])
		nr++;
	all = calloc(nr + 3, sizeof(*all));
	for (i = 0, nr = 0; all && words[i]; i++) {
		if (is_launchers(words[i]))
			i++;
		else
			all[nr++] = words[i];
	}
	if (!all || run->id || uea_run_arg(run->args, UET_A_JOB_ID))
		return all;
	if (getrandom(&number, sizeof(number), 0) != sizeof(number)) {
		free(all);
		return NULL;
	}
	snprintf(id, size, "%u", RUN_ID_MIN | (number & UET_JOBID_MAX));
	all[nr++] = "id";
	all[nr] = id;
	return all;
}

static int send_job(struct spawn *s, char **words)
{
	char id[16], **all = job_words(s->run, words, id, sizeof(id));
	unsigned int i;

	if (!all)
		return uea_fail(errno, "job: a JobID");
	for (i = 0; i < s->nr; i++) {
		put_words(&s->agents[i], all);
		fflush(s->agents[i].to);
	}
	free(all);
	return UEA_OK;
}

/* Return: the first line of the agent is read, and ends with a zero. */
static bool read_line(struct agent *a)
{
	while (a->used < LINE_SIZE - 1 && read(a->from, a->line + a->used, 1) == 1) {
		if (a->line[a->used] == '\n') {
			a->line[a->used] = 0;
			a->used = 0;
			return true;
		}
		a->used++;
	}
	a->line[a->used] = 0;
	return false;
}

static int read_feps(struct agent *a, char *list)
{
	char *fep, *rest = NULL;

	for (fep = strtok_r(list, ",", &rest); fep && a->nr_feps < UET_JOB_FEPS_MAX;
	     fep = strtok_r(NULL, ",", &rest)) {
		a->feps[a->nr_feps] = strdup(fep);
		if (!a->feps[a->nr_feps])
			return uea_fail(ENOMEM, "job: host %s", a->host->name);
		a->nr_feps++;
	}
	return UEA_OK;
}

/* Wait until the agent has the job. */
static int meet(struct agent *a)
{
	unsigned int last, id;
	int at = 0;

	if (!read_line(a))
		return uea_fail(0, "job: host %s: ueadm job run --agent has ended before the job was there",
				a->host->name);
	if (sscanf(a->line, UEA_AGENT_HELLO " %u %u %u %n", &id, &a->pid_min,
		   &a->pid_max, &at) != 3 || !at || !a->line[at])
		return uea_fail(0, "job: host %s: \"%s\" is not what ueadm job run --agent says",
				a->host->name, a->line);
	if (read_feps(a, a->line + at))
		return UEA_FAILED;
	last = a->pid_min + (a->nr - 1) / a->nr_feps;
	if (last <= a->pid_max)
		return UEA_OK;
	return uea_fail(0, "job: host %s: %u processes need PIDs up to %u, but job %u has them to %u",
			a->host->name, a->nr, last, id, a->pid_max);
}

static int name_peers(struct spawn *s)
{
	size_t size = (size_t)s->run->size * UEA_RUN_PEER_MAX, used = 0;
	unsigned int i, local;
	struct agent *a;

	s->run->peers = malloc(size);
	if (!s->run->peers)
		return uea_fail(ENOMEM, "job: names of peers");
	for (i = 0; i < s->nr; i++) {
		a = &s->agents[i];
		for (local = 0; local < a->nr; local++)
			used += snprintf(s->run->peers + used, size - used, "%s%s/%u",
					 used ? "," : "", a->feps[local % a->nr_feps],
					 a->pid_min + local / a->nr_feps);
	}
	return UEA_OK;
}

static int send_command(struct spawn *s)
{
	char *directory = getcwd(NULL, 0);
	unsigned int i;
	struct agent *a;

	if (!directory)
		return uea_fail(errno, "job: the current directory");
	for (i = 0; i < s->nr; i++) {
		a = &s->agents[i];
		put_number(a, a->first);
		put_number(a, a->nr);
		put_number(a, s->run->size);
		put(a, s->run->peers);
		put(a, directory);
		put_words(a, environ);
		put_words(a, s->run->ranks.argv);
		fflush(a->to);
	}
	free(directory);
	return UEA_OK;
}

/* ------------------------------------------------------------------- the end */

static void close_input(struct agent *a)
{
	if (a->to)
		fclose(a->to);
	a->to = NULL;
}

/* An agent whose input ends, ends its processes. */
static void end_all(struct spawn *s)
{
	unsigned int i;

	for (i = 0; i < s->nr; i++)
		close_input(&s->agents[i]);
}

static void pass_signals(struct spawn *s)
{
	unsigned int i;
	int number;

	for (number = 1; number < NSIG; number++) {
		if (!signals[number])
			continue;
		signals[number] = 0;
		for (i = 0; i < s->nr; i++) {
			if (!s->agents[i].to)
				continue;
			fputc(number, s->agents[i].to);
			fflush(s->agents[i].to);
		}
	}
}

/* Print whole lines, and what does not fit. */
static void print(struct agent *a, bool is_end)
{
	char *end = memrchr(a->line, '\n', a->used);
	size_t length = end ? (size_t)(end + 1 - a->line) : 0;

	if (is_end || (!length && a->used == LINE_SIZE))
		length = a->used;
	fwrite(a->line, 1, length, stdout);
	fflush(stdout);
	a->used -= length;
	memmove(a->line, a->line + length, a->used);
}

static void take_output(struct agent *a)
{
	ssize_t got = read(a->from, a->line + a->used, LINE_SIZE - a->used);

	if (got < 0 && errno == EINTR)
		return;
	a->used += got > 0 ? got : 0;
	print(a, got <= 0);
	if (got > 0)
		return;
	close(a->from);
	a->from = -1;
}

/* The agent closes its output when it ends. */
static void reap(struct spawn *s, struct agent *a)
{
	int how, status;

	close_input(a);
	if (a->pid <= 0 || waitpid(a->pid, &how, 0) != a->pid)
		return;
	a->pid = 0;
	status = WIFSIGNALED(how) ? 128 + WTERMSIG(how) : WEXITSTATUS(how);
	if (status && !s->status) {
		s->status = status;
		end_all(s);
	}
}

static void wait_all(struct spawn *s)
{
	struct pollfd *p = calloc(s->nr, sizeof(*p));
	unsigned int i, open;

	for (;;) {
		for (i = 0, open = 0; p && i < s->nr; i++) {
			p[i] = (struct pollfd){ s->agents[i].from, POLLIN, 0 };
			open += s->agents[i].from >= 0;
		}
		if (!open)
			break;
		/* A signal between the look and poll() is passed on a little later. */
		poll(p, s->nr, 100);
		pass_signals(s);
		for (i = 0; i < s->nr; i++) {
			if (s->agents[i].from < 0 || !p[i].revents)
				continue;
			take_output(&s->agents[i]);
			if (s->agents[i].from < 0)
				reap(s, &s->agents[i]);
		}
	}
	free(p);
}

static void catch_signals(void)
{
	static const int passed[] = {
		SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2,
	};
	struct sigaction action = { .sa_handler = note_signal };
	size_t i;

	for (i = 0; i < sizeof(passed) / sizeof(passed[0]); i++)
		sigaction(passed[i], &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
}

static void free_all(struct spawn *s)
{
	unsigned int i, j;

	for (i = 0; i < s->nr; i++) {
		close_input(&s->agents[i]);
		for (j = 0; j < s->agents[i].nr_feps; j++)
			free(s->agents[i].feps[j]);
	}
	free(s->agents);
	free(s->shell_text);
	free(s->run->peers);
}

static int go(struct spawn *s, char **words)
{
	int status = UEA_OK;
	unsigned int i;

	for (i = 0; i < s->nr && !status; i++)
		status = start_agent(s, &s->agents[i]);
	if (!status)
		status = send_job(s, words);
	for (i = 0; i < s->nr && !status; i++)
		status = meet(&s->agents[i]);
	if (!status)
		status = name_peers(s);
	if (!status)
		status = send_command(s);
	return status;
}

/**
 * uea_run_spawn() - run a job on several hosts
 * @run: run; its ranks have the program, and their number or 0 for all slots
 * @hosts: hosts
 * @shell: words in front of the name of a host, that run a command there
 * @words: words about the job, with those about its hosts
 *
 * Return: exit status; of the first agent that failed, if one did.
 */
int uea_run_spawn(struct uea_run *run, const struct uea_hosts *hosts, const char *shell,
		  char **words)
{
	struct spawn s = { .run = run };
	int status;

	fflush(stdout);
	status = assign(&s, hosts);
	if (!status)
		status = split_shell(&s, shell);
	if (!status) {
		catch_signals();
		status = go(&s, words);
		if (status)
			end_all(&s);
		wait_all(&s);
	}
	free_all(&s);
	return status ? status : s.status;
}
