// SPDX-License-Identifier: GPL-2.0
/*
 * Requests a job from uetd over sd-bus, and explains failures.  The connection
 * stays open as long as the job is needed.  When ueadm exits, the connection
 * closes, and uetd deletes the job as soon as no process uses the job.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/genetlink.h>
#include <string.h>
#include <sys/syscall.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

#include <linux/uet.h>
#include <linux/uet_nl.h>

#include "job_bus.h"
#include "ueadm.h"

#define BUS_NAME	"org.ultraethernet.Uetd1"
#define BUS_PATH	"/org/ultraethernet/Uetd1"
#define BUS_IFACE	"org.ultraethernet.Uetd1.Manager"
#define ANSWER_US	(150 * 1000000ULL)	/* to type a password */

static bool is_capable(unsigned int cap)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	return !syscall(SYS_capget, &head, data) &&
	       data[CAP_TO_INDEX(cap)].effective & CAP_TO_MASK(cap);
}

/**
 * uea_is_admin() - check for the privilege to change the configuration
 *
 * Return: true with CAP_NET_ADMIN.
 */
bool uea_is_admin(void)
{
	return is_capable(CAP_NET_ADMIN);
}

/**
 * uea_sees_peers() - check for the privilege to look at the peers of FEPs
 *
 * Return: true with CAP_NET_ADMIN or CAP_PERFMON.
 */
bool uea_sees_peers(void)
{
	return uea_is_admin() || is_capable(CAP_PERFMON);
}

/* Explain the error and suggest a fix. */
static int fail(int status, const sd_bus_error *error)
{
	static const char *const absent[] = {
		SD_BUS_ERROR_SERVICE_UNKNOWN, SD_BUS_ERROR_NAME_HAS_NO_OWNER,
		"org.freedesktop.systemd1.NoSuchUnit",
		"org.freedesktop.DBus.Error.Spawn.ChildExited",
		"org.freedesktop.DBus.Error.Spawn.Failed",
		/* The unit was started but found no configuration. */
		"org.freedesktop.DBus.Error.TimedOut",
	};
	const char *text = error->message ? error->message : error->name;
	size_t i;

	if (!sd_bus_error_is_set(error))
		return uea_fail(-status, "job: asking uetd over the system bus");
	for (i = 0; i < sizeof(absent) / sizeof(absent[0]); i++) {
		if (!strcmp(error->name, absent[i]))
			return uea_fail(0, "job: uetd is not on the system bus, start it: systemctl start uetd (%s)",
					text);
	}
	if (sd_bus_error_has_name(error, SD_BUS_ERROR_ACCESS_DENIED) ||
	    sd_bus_error_has_name(error,
			SD_BUS_ERROR_INTERACTIVE_AUTHORIZATION_REQUIRED))
		return uea_fail(0, "job: uetd says: %s; ask the administrator for a polkit rule, see uetd(8)",
				text);
	return uea_fail(0, "job: uetd says: %s", text);
}

static int new_call(struct uea_bus_job *job, sd_bus_message **call,
		    const char *method)
{
	int status = sd_bus_message_new_method_call(job->bus, call, BUS_NAME,
						    BUS_PATH, BUS_IFACE,
						    method);

	if (status >= 0)
		status = sd_bus_message_set_allow_interactive_authorization(
				*call, isatty(STDIN_FILENO));
	return status;
}

static const struct nlattr *find(const struct nlmsghdr *args, uint16_t type)
{
	const struct nlattr *attr;

	mnl_attr_for_each(attr, args, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) == type)
			return attr;
	}
	return NULL;
}

static int put_feps(sd_bus_message *call, const struct nlmsghdr *args)
{
	const struct nlattr *attr;
	int status = sd_bus_message_open_container(call, 'a', "s");

	mnl_attr_for_each(attr, args, sizeof(struct genlmsghdr)) {
		if (status >= 0 && mnl_attr_get_type(attr) == UET_A_JOB_FEP)
			status = sd_bus_message_append(call, "s",
						       mnl_attr_get_str(attr));
	}
	return status < 0 ? status : sd_bus_message_close_container(call);
}

static int put_options(sd_bus_message *call, const struct nlmsghdr *args)
{
	const struct nlattr *min = find(args, UET_A_JOB_PID_MIN);
	const struct nlattr *max = find(args, UET_A_JOB_PID_MAX);
	const struct nlattr *group = find(args, UET_A_JOB_GID);
	int status = sd_bus_message_open_container(call, 'a', "{sv}");

	if (status >= 0 && min && max)
		status = sd_bus_message_append(call, "{sv}", "pids", "(qq)",
					       mnl_attr_get_u16(min),
					       mnl_attr_get_u16(max));
	if (status >= 0 && group)
		status = sd_bus_message_append(call, "{sv}", "group", "u",
					       mnl_attr_get_u32(group));
	return status < 0 ? status : sd_bus_message_close_container(call);
}

static int put_request(sd_bus_message *call, const struct nlmsghdr *args)
{
	const struct nlattr *name = find(args, UET_A_JOB_NAME);
	const struct nlattr *id = find(args, UET_A_JOB_ID);
	int status;

	status = sd_bus_message_append(call, "su",
				       name ? mnl_attr_get_str(name) : "",
				       id ? mnl_attr_get_u32(id) : 0);
	if (status >= 0)
		status = put_feps(call, args);
	return status < 0 ? status : put_options(call, args);
}

/* The message owns its descriptor; the duplicate survives execve(). */
static int take_job(struct uea_bus_job *job, sd_bus_message *reply)
{
	int fd, status = sd_bus_message_read(reply, "uh", &job->id, &fd);

	if (status < 0)
		return status;
	job->fd = fcntl(fd, F_DUPFD, STDERR_FILENO + 1);
	return job->fd < 0 ? -errno : 0;
}

/**
 * uea_bus_create() - request a job from uetd
 * @job: filled in
 * @args: properties of the job, as attributes; the caller becomes its owner
 *
 * Return: exit status, with a message printed; uea_bus_destroy() even then.
 */
int uea_bus_create(struct uea_bus_job *job, const struct nlmsghdr *args)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;
	sd_bus_message *call = NULL, *reply = NULL;
	int status;

	*job = (struct uea_bus_job){ .fd = -1 };
	if (find(args, UET_A_JOB_UID))
		return uea_fail(0, "job: a job that uetd makes belongs to the user who asks, uid is not possible");
	status = sd_bus_open_system(&job->bus);
	if (status < 0)
		return uea_fail(-status, "job: there is no system bus to ask uetd over; without it, only CAP_NET_ADMIN makes jobs");
	status = new_call(job, &call, "CreateJob");
	if (status >= 0)
		status = put_request(call, args);
	if (status >= 0)
		status = sd_bus_call(job->bus, call, ANSWER_US, &error, &reply);
	if (status >= 0)
		status = take_job(job, reply);
	if (status < 0)
		status = fail(status, &error);
	sd_bus_error_free(&error);
	sd_bus_message_unref(call);
	sd_bus_message_unref(reply);
	return status > 0 ? UEA_FAILED : UEA_OK;
}

/**
 * uea_bus_destroy() - have the job deleted, and leave the bus
 * @job: job, or none
 *
 * Return: exit status, with a message printed.
 */
int uea_bus_destroy(struct uea_bus_job *job)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;
	sd_bus_message *call = NULL;
	int status = 0;

	if (job->id)
		status = new_call(job, &call, "DestroyJob");
	if (call && status >= 0)
		status = sd_bus_message_append(call, "u", job->id);
	if (call && status >= 0)
		status = sd_bus_call(job->bus, call, ANSWER_US, &error, NULL);
	if (status < 0)
		status = fail(status, &error);
	else
		status = UEA_OK;
	sd_bus_error_free(&error);
	sd_bus_message_unref(call);
	job->bus = sd_bus_flush_close_unref(job->bus);
	return status;
}
