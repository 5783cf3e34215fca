// SPDX-License-Identifier: GPL-2.0
/*
 * "ueadm job run": a job that lives as long as its processes.  Creates the job,
 * or uses an existing one, and opens a descriptor of the job, which the
 * processes inherit and bind with.  UET_* variables give each process its rank
 * and the addresses of the others.  Deletes the job at the end.  Without the
 * privilege to create jobs, requests the job from uetd (job_bus.c).  ranks.c
 * starts the processes.  With several hosts, job_spawn.c has one "ueadm job run
 * --agent" do this on each of them (job_agent.c).
 */
#include <errno.h>
#include <linux/genetlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <linux/uet.h>
#include <linux/uet_nl.h>

#include "job_run.h"
#include "uet_family.h"
#include "uet_ioctl.h"
#include "uet_launcher.h"

/* JobIDs that no user chose come from this half. */
#define RUN_ID_MIN	0x800000u
#define RUN_CLOSE_MS	5000	/* time for the last endpoints to close */
#define RUN_WAIT_MS	"30000"	/* for the endpoints of other processes */

/**
 * uea_run_arg() - find an argument of the command line
 * @args: attributes
 * @type: attribute
 *
 * Return: its first attribute, or NULL.
 */
const struct nlattr *uea_run_arg(const struct nlmsghdr *args, uint16_t type)
{
	const struct nlattr *attr;

	mnl_attr_for_each(attr, args, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) == type)
			return attr;
	}
	return NULL;
}

static const struct nlattr *arg_of(const struct uea_run *run, uint16_t type)
{
	return uea_run_arg(run->args, type);
}

static const char *text_of(const struct uea_run *run, uint16_t type)
{
	const struct nlattr *attr = arg_of(run, type);

	return attr ? mnl_attr_get_str(attr) : NULL;
}

/* ------------------------------------------------------------------ the job */

static bool is_taken(struct json_object *jobs, uint32_t id)
{
	size_t i;

	for (i = 0; i < json_object_array_length(jobs); i++) {
		if (uea_number_of(json_object_array_get_idx(jobs, i), "id") ==
		    id)
			return true;
	}
	return false;
}

/*
 * A JobID that was probably not used lately, because packets of an old job may
 * still be in flight.
 */
static int find_id(struct uea_run *run)
{
	struct json_object *jobs;
	int status;

	if (arg_of(run, UET_A_JOB_ID)) {
		run->id = mnl_attr_get_u32(arg_of(run, UET_A_JOB_ID));
		return UEA_OK;
	}
	status = uea_dump(run->ctx, &uea_job, &jobs);
	while (!status) {
		if (getrandom(&run->id, sizeof(run->id), 0) !=
		    sizeof(run->id))
			status = uea_fail(errno, "job: a random number");
		run->id = RUN_ID_MIN | (run->id & UET_JOBID_MAX);
		if (!is_taken(jobs, run->id))
			break;
	}
	json_object_put(jobs);
	return status;
}

/* Without named FEPs, as many FEPs as a job can have. */
static int put_all_feps(struct uea_run *run, struct nlmsghdr *nlh)
{
	struct json_object *feps;
	int status = uea_dump(run->ctx, &uea_fep, &feps);
	size_t i, nr = status ? 0 : json_object_array_length(feps);

	if (!status && !nr)
		status = uea_fail(0, "job: there is no fep, make one: ueadm fep add");
	for (i = 0; i < nr && i < UET_JOB_FEPS_MAX; i++)
		mnl_attr_put_strz(nlh, UET_A_JOB_FEP,
				  uea_text_of(json_object_array_get_idx(feps, i),
					      "name"));
	json_object_put(feps);
	return status;
}

static int make_job(struct uea_run *run)
{
	char buf[UEA_NL_BUF];
	struct nlmsghdr *nlh = uea_nl_request(run->ctx, buf, UET_CMD_JOB_NEW);
	const struct nlattr *attr;
	int status = find_id(run);

	if (status)
		return status;
	mnl_attr_put_u32(nlh, UET_A_JOB_ID, run->id);
	mnl_attr_for_each(attr, run->args, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) != UET_A_JOB_ID &&
		    mnl_attr_get_type(attr) <= UET_A_JOB_MAX)
			mnl_attr_put(nlh, mnl_attr_get_type(attr),
				     mnl_attr_get_payload_len(attr),
				     mnl_attr_get_payload(attr));
	}
	if (!arg_of(run, UET_A_JOB_FEP))
		status = put_all_feps(run, nlh);
	if (!status)
		status = uea_nl_talk(run->ctx, nlh, NULL, NULL);
	run->is_ours = !status;
	return status;
}

static int have_job_made(struct uea_run *run)
{
	int status = uea_bus_create(&run->bus_job, run->args);

	run->is_ours = true;
	run->id = run->bus_job.id;
	run->fd = run->bus_job.fd;
	return status;
}

/* The record of one object; NULL with a message printed. */
static struct json_object *ask_one(struct uea_ctx *ctx,
				   const struct uea_object *object,
				   struct nlmsghdr *nlh)
{
	struct json_object *records, *record = NULL;

	if (!uea_ask(ctx, object, nlh, &records) &&
	    json_object_array_length(records))
		record = json_object_get(json_object_array_get_idx(records, 0));
	json_object_put(records);
	return record;
}

static struct json_object *ask_job(const struct uea_run *run)
{
	char buf[UEA_NL_BUF];
	struct nlmsghdr *nlh = uea_nl_request(run->ctx, buf, UET_CMD_JOB_GET);

	mnl_attr_put_u32(nlh, UET_A_JOB_ID, run->id);
	return ask_one(run->ctx, &uea_job, nlh);
}

/* Environment variables that describe the job to the processes. */
static int read_job(struct uea_run *run)
{
	struct json_object *names, *fep;
	char buf[UEA_NL_BUF];
	struct nlmsghdr *nlh;
	size_t i;

	run->job = ask_job(run);
	if (!run->job)
		return UEA_FAILED;
	names = json_object_object_get(run->job, "feps");
	for (i = 0; i < json_object_array_length(names); i++) {
		nlh = uea_nl_request(run->ctx, buf, UET_CMD_FEP_GET);
		mnl_attr_put_strz(nlh, UET_A_FEP_NAME,
				  json_object_get_string(
					json_object_array_get_idx(names, i)));
		fep = ask_one(run->ctx, &uea_fep, nlh);
		if (!fep)
			return UEA_FAILED;
		json_object_array_add(run->feps, fep);
	}
	return UEA_OK;
}

static int open_job(struct uea_run *run)
{
	struct uet_job_open open = { .job = run->id };
	int fd = socket(uet_family(), SOCK_RDM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return uea_fail(errno, "job: a socket for its descriptor");
	run->fd = uet_ioctl(fd, UET_IOC_JOB_OPEN, &open);
	if (run->fd < 0)
		uea_fail(errno, "job: no descriptor of job %u", run->id);
	close(fd);
	return run->fd < 0 ? UEA_FAILED : UEA_OK;
}

static bool is_unused(const struct uea_run *run)
{
	struct json_object *job = ask_job(run);
	bool is = !job || !uea_number_of(job, "endpoints");

	json_object_put(job);
	return is;
}

/* Sockets that were closed with messages in flight need time to be freed. */
static int delete_job(struct uea_run *run)
{
	const struct timespec moment = { .tv_nsec = 10 * 1000000 };
	char buf[UEA_NL_BUF];
	struct nlmsghdr *nlh;
	int ms;

	for (ms = 0; run->id && ms < RUN_CLOSE_MS && !is_unused(run); ms += 10)
		nanosleep(&moment, NULL);
	if (run->is_bus)
		return uea_bus_destroy(&run->bus_job);
	nlh = uea_nl_request(run->ctx, buf, UET_CMD_JOB_DEL);
	mnl_attr_put_u32(nlh, UET_A_JOB_ID, run->id);
	return uea_nl_talk(run->ctx, nlh, NULL, NULL);
}

/* ------------------------------------------------------------ the processes */

/* Processes are distributed over the FEPs in order; each has its own PIDonFEP. */
static struct json_object *fep_of(const struct uea_run *run, unsigned int rank)
{
	return json_object_array_get_idx(run->feps, rank %
					 json_object_array_length(run->feps));
}

static unsigned int pid_of(const struct uea_run *run, unsigned int rank)
{
	return uea_number_of(run->job, "pid-min") +
	       rank / json_object_array_length(run->feps);
}

static void set_number(const char *name, unsigned int value)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", value);
	setenv(name, text, 1);
}

/* @local: number of the process on this host. */
static void prepare(unsigned int local, void *data)
{
	const struct uea_run *run = data;
	struct json_object *fep = fep_of(run, local);

	set_number("UET_JOB", run->id);
	set_number("UET_JOB_FD", run->fd);
	set_number("UET_RANK", run->first + local);
	set_number("UET_SIZE", run->size);
	set_number("UET_PID", pid_of(run, local));
	setenv("UET_WAIT", RUN_WAIT_MS, 0);
	setenv("UET_FEP", uea_text_of(fep, "name"), 1);
	setenv("UET_ADDR", uea_text_of(fep, "addr"), 1);
	setenv("UET_PEERS", run->peers, 1);
}

static int check_pids(const struct uea_run *run)
{
	unsigned int last = pid_of(run, run->ranks.nr - 1);
	unsigned int max = uea_number_of(run->job, "pid-max");

	if (last <= max)
		return UEA_OK;
	return uea_fail(0, "job: -n %u needs PIDs up to %u, but job %u has them to %u",
			run->ranks.nr, last, run->id, max);
}

static int name_peers(struct uea_run *run)
{
	size_t size = (size_t)run->ranks.nr * UEA_RUN_PEER_MAX, used = 0;
	unsigned int i;

	run->peers = malloc(size);
	if (!run->peers)
		return uea_fail(ENOMEM, "job: names of peers");
	for (i = 0; i < run->ranks.nr; i++)
		used += snprintf(run->peers + used, size - used, "%s%s/%u",
				 i ? "," : "",
				 uea_text_of(fep_of(run, i), "addr"),
				 pid_of(run, i));
	return UEA_OK;
}

/* ------------------------------------------------------------------ the run */

/**
 * uea_run_init() - prepare the run of a job
 * @run: result
 * @ctx: of the program
 */
void uea_run_init(struct uea_run *run, struct uea_ctx *ctx)
{
	*run = (struct uea_run){
		.ctx = ctx, .fd = -1,
		.ranks = { .prepare = prepare, .data = run, .control = -1 },
	};
}

/* An existing job keeps its settings. */
static int check_args(struct uea_run *run)
{
	const struct nlattr *attr = arg_of(run, UEA_JOB_A_TAKE);
	const struct nlattr *one;

	run->is_bus = arg_of(run, UEA_JOB_A_BUS) || (!attr && !uea_is_admin());
	if (!attr)
		return UEA_OK;
	if (run->is_bus)
		return uea_usage(run->ctx, "--bus is for a new job");
	run->id = mnl_attr_get_u32(attr);
	mnl_attr_for_each(one, run->args, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(one) <= UET_A_JOB_MAX)
			return uea_usage(run->ctx, "job %u is to be taken as it is, other words are for a new one",
					 run->id);
	}
	return UEA_OK;
}

/**
 * uea_run_read() - read the words about the job
 * @run: run
 * @words: words, NULL behind the last
 * @args: gets them as attributes; stays as long as @run
 *
 * Return: exit status, with a message printed.
 */
int uea_run_read(struct uea_run *run, char **words, struct nlmsghdr *args)
{
	int status = uea_args(run->ctx, words, args);

	run->args = args;
	return status ? status : check_args(run);
}

/**
 * uea_run_begin() - make or take the job on this host, and open its descriptor
 * @run: run; uea_run_end() follows even after a failure
 *
 * Return: exit status, with a message printed.
 */
int uea_run_begin(struct uea_run *run)
{
	int status = uea_nl_open(run->ctx);

	run->feps = json_object_new_array();
	if (!status && !run->id)
		status = run->is_bus ? have_job_made(run) : make_job(run);
	if (!status)
		status = read_job(run);
	if (!status && run->fd < 0)
		status = open_job(run);
	return status;
}

/**
 * uea_run_start() - start the processes of this host, and wait for them
 * @run: run, begun
 *
 * Return: exit status; of the first process that failed, if one did.
 */
int uea_run_start(struct uea_run *run)
{
	int status = check_pids(run);

	if (!status)
		status = uea_ranks_run(&run->ranks);
	return status ? status : run->ranks.status;
}

/**
 * uea_run_end() - delete the job, if this run made it
 * @run: run
 * @status: exit status so far
 *
 * Return: exit status.
 */
int uea_run_end(struct uea_run *run, int status)
{
	int after;

	if (run->fd >= 0)
		close(run->fd);
	if (run->is_ours) {
		after = delete_job(run);
		status = status ? status : after;
	}
	json_object_put(run->job);
	json_object_put(run->feps);
	free(run->peers);
	return status;
}

static int run_here(struct uea_run *run)
{
	int status;

	run->size = run->ranks.nr;
	status = uea_run_begin(run);
	if (!status)
		status = name_peers(run);
	if (!status)
		status = uea_run_start(run);
	return uea_run_end(run, status);
}

/* Each task of a step would start all processes. */
static int check_step(void)
{
	const char *tasks = getenv("SLURM_STEP_NUM_TASKS");

	if (!tasks || !strcmp(tasks, "1"))
		return UEA_OK;
	return uea_fail(0, "job: this is one of %s tasks of srun, and each would start a job; run it once in the allocation: salloc -n %s ueadm job run -- CMD",
			tasks, tasks);
}

/* Each process of mpirun, too, also in an allocation of Slurm. */
static int check_launcher(void)
{
	const struct uet_launcher *l = uet_launcher();
	const char *size = l ? uet_launcher_size(l) : NULL;
	const char *number = size ? getenv(size) : "several";

	if (!l || !strcmp(l->name, "srun") || !strcmp(number, "1"))
		return UEA_OK;
	return uea_fail(0, "job: this is one of %s processes of %s (%s=%s), and each would start a job; run it once: ueadm job run -n %s -- CMD",
			number, l->name, l->rank, getenv(l->rank), size ? number : "N");
}

/* The hosts of the command line, else those of Slurm, else none. */
static int find_hosts(const struct uea_run *run, struct uea_hosts *hosts)
{
	const char *list = text_of(run, UEA_JOB_A_HOSTS);
	const char *file = text_of(run, UEA_JOB_A_HOSTFILE);

	if (list && file)
		return uea_usage(run->ctx, "--hosts and --hostfile exclude each other");
	if (list)
		return uea_hosts_of_list(hosts, list);
	if (file)
		return uea_hosts_of_file(hosts, file);
	if (check_launcher())
		return UEA_FAILED;
	return uea_hosts_has_slurm() ? uea_hosts_of_slurm(hosts) : check_step();
}

/* The program that runs a command on another host. */
static const char *shell_of(const struct uea_run *run)
{
	const char *shell = text_of(run, UEA_JOB_A_SSH);

	if (!shell)
		shell = getenv("UET_SSH");
	if (shell)
		return shell;
	return text_of(run, UEA_JOB_A_HOSTS) || text_of(run, UEA_JOB_A_HOSTFILE) ||
	       !uea_hosts_has_slurm() ? "ssh" : "srun --overlap -N1 -n1 -w";
}

/* Return: the place of "--" in front of a command; NULL: there is none. */
static char **find_command(char **words)
{
	while (*words && strcmp(*words, "--"))
		words++;
	return *words && words[1] ? words : NULL;
}

/**
 * uea_job_run() - "ueadm job run"
 * @ctx: run
 * @object: job
 * @verb: run
 * @words: arguments
 *
 * Return: exit status; of the first process that failed, if one did.
 */
int uea_job_run(struct uea_ctx *ctx, const struct uea_object *object,
		const struct uea_verb *verb, char **words)
{
	static struct uea_hosts hosts;
	static struct uea_run run;
	const struct nlattr *number;
	char buf[UEA_NL_BUF];
	char **command;
	int status;

	(void)object;
	uea_run_init(&run, ctx);
	if (*words && !strcmp(*words, "--agent"))
		return words[1] ? uea_usage(ctx, "--agent has no arguments") :
				  uea_run_agent(&run);
	command = find_command(words);
	if (!command)
		return uea_usage(ctx, "-- CMD is missing");
	*command = NULL;
	run.ranks.argv = command + 1;
	status = uea_run_read(&run, words, uea_nl_request(ctx, buf, verb->cmd));
	if (!status)
		status = find_hosts(&run, &hosts);
	if (status)
		return status;
	number = arg_of(&run, UEA_JOB_A_RANKS);
	run.ranks.nr = number ? mnl_attr_get_u32(number) : hosts.nr ? 0 : 1;
	if (hosts.nr)
		return uea_run_spawn(&run, &hosts, shell_of(&run), words);
	return run_here(&run);
}
