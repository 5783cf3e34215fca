// SPDX-License-Identifier: GPL-2.0
/*
 * CreateJob, DestroyJob and ListJobs.  Root may do anything, and users may
 * change their own jobs.  polkit decides on all other calls; its answer runs
 * the handler for the same message again.  A job is in the registry before it
 * is in the kernel.  Level: tool.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bus_job.h"
#include "daemon.h"
#include "polkit.h"
#include "requested.h"
#include "uet_ioctl.h"

/**
 * struct request - arguments of CreateJob
 * @job: the job
 * @is_persistent: the job stays when its maker leaves
 */
struct request {
	struct uetd_job job;
	int is_persistent;
};

static int get_uid(sd_bus_message *call, uint32_t *uid)
{
	sd_bus_creds *creds = NULL;
	uid_t euid = 0;
	int status;

	status = sd_bus_query_sender_creds(call, SD_BUS_CREDS_EUID, &creds);
	if (status >= 0)
		status = sd_bus_creds_get_euid(creds, &euid);
	sd_bus_creds_unref(creds);
	*uid = euid;
	return status;
}

static int refuse(sd_bus_error *error, const struct uetd_refusal *refusal)
{
	return sd_bus_error_set(error, refusal->name, refusal->text);
}

static int look(struct uetd *uetd, struct uetd_model *kernel,
		sd_bus_error *error)
{
	if (!uetd_kernel_read(&uetd->kernel, kernel))
		return sd_bus_error_set(error, UETD_ERROR("NotReady"),
					uetd->kernel.error);
	uetd_bus_see(&uetd->bus, kernel);
	return 0;
}

/* ------------------------------------------------------------ the arguments */

static int read_name(char *name, const char *text, const char *what,
		     sd_bus_error *error)
{
	if (strlen(text) <= UET_NAME_LEN_MAX) {
		strcpy(name, text);
		return 0;
	}
	return sd_bus_error_setf(error, UETD_ERROR_ARGS,
				 "%s must be of 1 to %u characters, not \"%.64s\"",
				 what, UET_NAME_LEN_MAX, text);
}

static int read_feps(sd_bus_message *call, struct uetd_job *job,
		     sd_bus_error *error)
{
	const char *name;
	int status = sd_bus_message_enter_container(call, 'a', "s");

	while (status >= 0) {
		status = sd_bus_message_read(call, "s", &name);
		if (status <= 0)
			break;
		if (job->nr_feps == UET_JOB_FEPS_MAX)
			return sd_bus_error_setf(error, UETD_ERROR_ARGS,
						 "feps: a job can have %u at most",
						 UET_JOB_FEPS_MAX);
		status = read_name(job->fep[job->nr_feps++], name,
				   "the name of a FEP", error);
	}
	return status < 0 ? status : sd_bus_message_exit_container(call);
}

static int read_option(sd_bus_message *call, const char *key,
		       struct request *request, sd_bus_error *error)
{
	struct uetd_job *job = &request->job;
	const char *type;
	int status;

	if (!strcmp(key, "pids")) {
		type = "(qq)";
		status = sd_bus_message_read(call, "v", type, &job->pid_min,
					     &job->pid_max);
	} else if (!strcmp(key, "group")) {
		type = "u";
		status = sd_bus_message_read(call, "v", type, &job->gid);
	} else if (!strcmp(key, "persistent")) {
		type = "b";
		status = sd_bus_message_read(call, "v", type,
					     &request->is_persistent);
	} else {
		return sd_bus_error_setf(error, UETD_ERROR_ARGS,
					 "option \"%.64s\" is unknown; there are pids, group and persistent",
					 key);
	}
	if (status == -ENXIO)
		return sd_bus_error_setf(error, UETD_ERROR_ARGS,
					 "option \"%s\" must be of type %s",
					 key, type);
	return status;
}

static int read_options(sd_bus_message *call, struct request *request,
			sd_bus_error *error)
{
	const char *key;
	int status = sd_bus_message_enter_container(call, 'a', "{sv}");

	while (status >= 0) {
		status = sd_bus_message_enter_container(call, 'e', "sv");
		if (status <= 0)
			break;
		status = sd_bus_message_read(call, "s", &key);
		if (status >= 0)
			status = read_option(call, key, request, error);
		if (status >= 0)
			status = sd_bus_message_exit_container(call);
	}
	return status < 0 ? status : sd_bus_message_exit_container(call);
}

/* The handler may run repeatedly: each run reads the message from its beginning. */
static int read_request(sd_bus_message *call, struct request *request,
			sd_bus_error *error)
{
	const char *name;
	int status;

	*request = (struct request){ .job = {
		.gid = UETD_NO_GROUP, .pid_max = UET_PIDONFEP_MAX,
	} };
	status = sd_bus_message_rewind(call, true);
	if (status >= 0)
		status = sd_bus_message_read(call, "su", &name,
					     &request->job.id);
	if (status >= 0)
		status = read_name(request->job.name, name, "name", error);
	if (status >= 0)
		status = read_feps(call, &request->job, error);
	if (status >= 0)
		status = read_options(call, request, error);
	return status;
}

/* ------------------------------------------------------------- creating a job */

static int judge(struct uetd *uetd, struct uetd_job *job, sd_bus_error *error)
{
	struct uetd_world world = {
		.conf = &uetd->conf, .registry = &uetd->bus.registry,
	};
	struct uetd_refusal refusal;
	struct uetd_model kernel;
	uint32_t random = 0;
	int status;

	if (getrandom(&random, sizeof(random), 0) < 0)
		return -errno;
	status = look(uetd, &kernel, error);
	if (status < 0)
		return status;
	world.kernel = &kernel;
	if (!uetd_request_judge(job, &world, random, &refusal))
		status = refuse(error, &refusal);
	uetd_model_free(&kernel);
	return status;
}

/* Return: a descriptor, or a negative errno with an error. */
static int open_job(struct uetd_kernel *kernel, uint32_t id,
		    sd_bus_error *error)
{
	struct uet_job_open open = { .job = id, .flags = UET_JOB_CLOEXEC };
	int family = uetd_kernel_socket_family(kernel), fd, job_fd;

	if (!family)
		return sd_bus_error_set(error, UETD_ERROR("Kernel"),
					kernel->error);
	fd = socket(family, SOCK_RDM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return sd_bus_error_setf(error, UETD_ERROR("Kernel"),
					 "no descriptor of job %u: no socket of family %d: %s%s",
					 id, family, strerror(errno),
					 errno == EAFNOSUPPORT ?
					 ": RestrictAddressFamilies= of the service must have it" :
					 "");
	job_fd = uet_ioctl(fd, UET_IOC_JOB_OPEN, &open);
	if (job_fd < 0)
		job_fd = sd_bus_error_setf(error, UETD_ERROR("Kernel"),
					   "no descriptor of job %u: %s", id,
					   strerror(errno));
	close(fd);
	return job_fd;
}

static bool change(struct uetd *uetd, enum uetd_op_kind kind,
		   const struct uetd_job *job, const char *why, uint32_t uid)
{
	struct uetd_op op = { .kind = kind, .job = *job };
	char object[32], verb[UETD_TEXT_MAX];

	if (!uetd_kernel_change(&uetd->kernel, &op))
		return false;
	uetd_op_object(object, sizeof(object), &op);
	uetd_op_verb(verb, sizeof(verb), &op);
	uetd_log(LOG_INFO, object, verb, "%s, %s user %u", verb, why, uid);
	return true;
}

/* Return: a descriptor, or a negative errno with an error and no job left behind. */
static int make_job(struct uetd *uetd, const struct request *request,
		    const char *maker, sd_bus_error *error)
{
	struct uetd_registry *registry = &uetd->bus.registry;
	const struct uetd_job *job = &request->job;
	int fd;

	uetd_registry_add(registry, job->id, job->uid,
			  request->is_persistent ? UETD_MAKER_NONE : maker);
	if (!uetd_registry_save(registry)) {
		fd = sd_bus_error_setf(error, SD_BUS_ERROR_FAILED, "%s: %s",
				       registry->path, strerror(errno));
	} else if (!change(uetd, UETD_OP_JOB_ADD, job, "for", job->uid)) {
		fd = sd_bus_error_set(error, UETD_ERROR("Kernel"),
				      uetd->kernel.error);
	} else {
		fd = open_job(&uetd->kernel, job->id, error);
		if (fd >= 0)
			return fd;
		change(uetd, UETD_OP_JOB_DEL, job, "for", job->uid);
	}
	uetd_registry_drop(registry, job->id);
	uetd_registry_save(registry);
	return fd;
}

static int do_create(sd_bus_message *call, void *data, sd_bus_error *error)
{
	struct uetd *uetd = data;
	struct request request;
	int status, fd;

	if (sd_bus_error_is_set(error))
		return 0;
	status = read_request(call, &request, error);
	if (status >= 0)
		status = get_uid(call, &request.job.uid);
	if (status >= 0)
		status = judge(uetd, &request.job, error);
	if (status < 0)
		return status;
	fd = make_job(uetd, &request, sd_bus_message_get_sender(call), error);
	if (fd < 0)
		return fd;
	status = sd_bus_reply_method_return(call, "uh", request.job.id, fd);
	close(fd);
	uetd_bus_watch_maker(uetd, uetd_registry_find(&uetd->bus.registry,
						      request.job.id));
	return status;
}

/**
 * uetd_bus_create_job() - CreateJob
 * @call: message
 * @data: daemon
 * @error: reason of a refusal
 *
 * Return: the result of a message handler.
 */
int uetd_bus_create_job(sd_bus_message *call, void *data, sd_bus_error *error)
{
	struct request request;
	uint32_t uid;
	int status = read_request(call, &request, error);

	if (status >= 0)
		status = get_uid(call, &uid);
	if (status < 0)
		return status;
	if (!uid)
		return do_create(call, data, error);
	return uetd_polkit_ask(call, UETD_ACTION_CREATE, do_create, data);
}

/* ----------------------------------------------------------- destroying a job */

static int read_id(sd_bus_message *call, uint32_t *id)
{
	int status = sd_bus_message_rewind(call, true);

	return status < 0 ? status : sd_bus_message_read(call, "u", id);
}

static int check_destroy(struct uetd *uetd, uint32_t id, sd_bus_error *error)
{
	struct uetd_model kernel;
	bool is_there;
	int status;

	if (uetd_model_job(&uetd->conf.model, id))
		return sd_bus_error_setf(error, UETD_ERROR("Configured"),
					 "job %u is one of the configuration of uetd, and goes when no file names it",
					 id);
	status = look(uetd, &kernel, error);
	if (status < 0)
		return status;
	is_there = uetd_model_job(&kernel, id);
	uetd_model_free(&kernel);
	return is_there ? 0 :
	       sd_bus_error_setf(error, UETD_ERROR("NoSuchJob"),
				 "there is no job %u", id);
}

static int do_destroy(sd_bus_message *call, void *data, sd_bus_error *error)
{
	struct uetd_job job = { .pid_max = 0 };
	struct uetd *uetd = data;
	uint32_t uid;
	int status;

	if (sd_bus_error_is_set(error))
		return 0;
	status = read_id(call, &job.id);
	if (status >= 0)
		status = get_uid(call, &uid);
	if (status >= 0)
		status = check_destroy(uetd, job.id, error);
	if (status < 0)
		return status;
	if (!change(uetd, UETD_OP_JOB_DEL, &job, "by", uid))
		return sd_bus_error_set(error, uetd->kernel.code == EBUSY ?
					UETD_ERROR("JobBusy") :
					UETD_ERROR("Kernel"),
					uetd->kernel.error);
	uetd_registry_drop(&uetd->bus.registry, job.id);
	uetd_registry_save(&uetd->bus.registry);
	return sd_bus_reply_method_return(call, NULL);
}

/**
 * uetd_bus_destroy_job() - DestroyJob
 * @call: message
 * @data: daemon
 * @error: reason of a refusal
 *
 * Return: the result of a message handler.
 */
int uetd_bus_destroy_job(sd_bus_message *call, void *data,
			 sd_bus_error *error)
{
	struct uetd *uetd = data;
	struct uetd_record *record;
	uint32_t id, uid;
	int status = read_id(call, &id);

	if (status >= 0)
		status = get_uid(call, &uid);
	if (status >= 0)
		status = check_destroy(uetd, id, error);
	if (status < 0)
		return status;
	record = uetd_registry_find(&uetd->bus.registry, id);
	if (!uid || (record && record->uid == uid))
		return do_destroy(call, data, error);
	return uetd_polkit_ask(call, UETD_ACTION_DESTROY, do_destroy, data);
}

/* ----------------------------------------------------------------- listing */

static int append_feps(sd_bus_message *reply, const struct uetd_job *job)
{
	unsigned int i;
	int status;

	status = sd_bus_message_open_container(reply, 'e', "sv");
	if (status >= 0)
		status = sd_bus_message_append(reply, "s", "feps");
	if (status >= 0)
		status = sd_bus_message_open_container(reply, 'v', "as");
	if (status >= 0)
		status = sd_bus_message_open_container(reply, 'a', "s");
	for (i = 0; i < job->nr_feps && status >= 0; i++)
		status = sd_bus_message_append(reply, "s", job->fep[i]);
	for (i = 0; i < 3 && status >= 0; i++)
		status = sd_bus_message_close_container(reply);
	return status;
}

static int append_made(sd_bus_message *reply, const struct uetd_record *record)
{
	int status = sd_bus_message_append(reply, "{sv}", "persistent", "b",
					   !strcmp(record->maker,
						   UETD_MAKER_NONE));

	if (status >= 0 && *record->maker == ':')
		status = sd_bus_message_append(reply, "{sv}", "maker", "s",
					       record->maker);
	return status;
}

static int append_job(sd_bus_message *reply, const struct uetd_job *job,
		      const struct uetd_index *records)
{
	const struct uetd_record *record = uetd_index_find(records, &job->id);
	int status = sd_bus_message_open_container(reply, 'r', "usua{sv}");

	if (status >= 0)
		status = sd_bus_message_append(reply, "usu", job->id,
					       job->name, job->uid);
	if (status >= 0)
		status = sd_bus_message_open_container(reply, 'a', "{sv}");
	if (status >= 0)
		status = append_feps(reply, job);
	if (status >= 0)
		status = sd_bus_message_append(reply, "{sv}{sv}{sv}",
				"pids", "(qq)", job->pid_min, job->pid_max,
				"endpoints", "u", job->endpoints,
				"descriptors", "u", job->descriptors);
	if (status >= 0 && job->gid != UETD_NO_GROUP)
		status = sd_bus_message_append(reply, "{sv}", "group", "u",
					       job->gid);
	if (status >= 0 && record)
		status = append_made(reply, record);
	if (status >= 0)
		status = sd_bus_message_close_container(reply);
	return status < 0 ? status : sd_bus_message_close_container(reply);
}

/**
 * uetd_bus_list_jobs() - ListJobs
 * @call: message
 * @data: daemon
 * @error: reason of a refusal
 *
 * Return: the result of a message handler.
 */
int uetd_bus_list_jobs(sd_bus_message *call, void *data, sd_bus_error *error)
{
	sd_bus_message *reply = NULL;
	struct uetd *uetd = data;
	struct uetd_index records;
	struct uetd_model kernel;
	int status = look(uetd, &kernel, error);
	size_t i;

	if (status < 0)
		return status;
	uetd_registry_index(&uetd->bus.registry, &records);
	status = sd_bus_message_new_method_return(call, &reply);
	if (status >= 0)
		status = sd_bus_message_open_container(reply, 'a',
						       "(usua{sv})");
	for (i = 0; i < kernel.nr_jobs && status >= 0; i++)
		status = append_job(reply, &kernel.jobs[i], &records);
	if (status >= 0)
		status = sd_bus_message_close_container(reply);
	if (status >= 0)
		status = sd_bus_send(NULL, reply, NULL);
	sd_bus_message_unref(reply);
	uetd_index_free(&records);
	uetd_model_free(&kernel);
	return status < 0 ? status : 1;
}
