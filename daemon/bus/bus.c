// SPDX-License-Identifier: GPL-2.0
/*
 * The connection to the system bus: opened in a round, lost, and reopened.
 * Owns the bus name, the object and its properties, the signals about jobs, and
 * the tracking of each job's maker.  A missing bus is reported as a problem and
 * blocks nothing else.  Level: tool.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <systemd/sd-bus.h>

#include "bus_job.h"
#include "daemon.h"
#include "version.h"

/* The kernel could not be read: return the reason to the caller. */
static int read_kernel(struct uetd *uetd, struct uetd_model *kernel,
		       sd_bus_error *error)
{
	if (uetd_kernel_read(&uetd->kernel, kernel))
		return 0;
	return sd_bus_error_set(error, SD_BUS_ERROR_FAILED,
				uetd->kernel.error);
}

static int get_version(sd_bus *bus, const char *path, const char *interface,
		       const char *property, sd_bus_message *reply, void *data,
		       sd_bus_error *error)
{
	return sd_bus_message_append(reply, "s", UET_TOOLS_VERSION);
}

static int get_status(sd_bus *bus, const char *path, const char *interface,
		      const char *property, sd_bus_message *reply, void *data,
		      sd_bus_error *error)
{
	const struct uetd *uetd = data;

	return sd_bus_message_append(reply, "s", uetd->bus.status);
}

static int get_limit(sd_bus *bus, const char *path, const char *interface,
		     const char *property, sd_bus_message *reply, void *data,
		     sd_bus_error *error)
{
	const struct uetd *uetd = data;

	return sd_bus_message_append(reply, "u", uetd->conf.jobs_per_user);
}

static int get_rails(sd_bus *bus, const char *path, const char *interface,
		     const char *property, sd_bus_message *reply, void *data,
		     sd_bus_error *error)
{
	struct uetd_model kernel;
	int status = read_kernel(data, &kernel, error);
	size_t i;

	if (status < 0)
		return status;
	status = sd_bus_message_open_container(reply, 'a', "(su)");
	for (i = 0; i < kernel.nr_rails && status >= 0; i++)
		status = sd_bus_message_append(reply, "(su)",
					       kernel.rails[i].name,
					       kernel.rails[i].plane);
	uetd_model_free(&kernel);
	return status < 0 ? status : sd_bus_message_close_container(reply);
}

static int get_feps(sd_bus *bus, const char *path, const char *interface,
		    const char *property, sd_bus_message *reply, void *data,
		    sd_bus_error *error)
{
	struct uetd_model kernel;
	int status = read_kernel(data, &kernel, error);
	char addr[64];
	size_t i;

	if (status < 0)
		return status;
	status = sd_bus_message_open_container(reply, 'a', "(ss)");
	for (i = 0; i < kernel.nr_feps && status >= 0; i++) {
		uetd_addr_text(addr, sizeof(addr), &kernel.feps[i].addr);
		status = sd_bus_message_append(reply, "(ss)",
					       kernel.feps[i].name, addr);
	}
	uetd_model_free(&kernel);
	return status < 0 ? status : sd_bus_message_close_container(reply);
}

static const sd_bus_vtable manager[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_PROPERTY("Version", "s", get_version, 0,
			SD_BUS_VTABLE_PROPERTY_CONST),
	SD_BUS_PROPERTY("Status", "s", get_status, 0,
			SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
	SD_BUS_PROPERTY("JobsPerUser", "u", get_limit, 0, 0),
	SD_BUS_PROPERTY("Rails", "a(su)", get_rails, 0, 0),
	SD_BUS_PROPERTY("Feps", "a(ss)", get_feps, 0, 0),
	SD_BUS_METHOD_WITH_NAMES("CreateJob", "suasa{sv}",
		SD_BUS_PARAM(name) SD_BUS_PARAM(id) SD_BUS_PARAM(feps)
		SD_BUS_PARAM(options), "uh",
		SD_BUS_PARAM(id) SD_BUS_PARAM(descriptor),
		uetd_bus_create_job, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_NAMES("DestroyJob", "u", SD_BUS_PARAM(id), "", ,
		uetd_bus_destroy_job, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_NAMES("ListJobs", "", , "a(usua{sv})",
		SD_BUS_PARAM(jobs), uetd_bus_list_jobs,
		SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_SIGNAL_WITH_NAMES("JobAdded", "usu",
		SD_BUS_PARAM(id) SD_BUS_PARAM(name) SD_BUS_PARAM(uid), 0),
	SD_BUS_SIGNAL_WITH_NAMES("JobRemoved", "u", SD_BUS_PARAM(id), 0),
	SD_BUS_VTABLE_END
};

/* ----------------------------------------------------------- makers of jobs */

/* The maker has left the bus; nobody else can use its job. */
static int on_maker_left(sd_bus_track *track, void *data)
{
	struct uetd *uetd = data;
	struct uetd_registry *registry = &uetd->bus.registry;
	struct uetd_record *record;
	size_t i;

	/* When the connection itself is lost, no maker has left. */
	if (!uetd->bus.has_name)
		return 0;
	for (i = 0; i < registry->nr; i++) {
		record = &registry->records[i];
		if (record->track == track)
			uetd_registry_leave(record);
	}
	uetd_registry_save(registry);
	return uetd_soon(uetd);
}

/**
 * uetd_bus_watch_maker() - watch for a job's maker leaving the bus
 * @uetd: daemon, with a name on the bus
 * @record: of the job
 *
 * The maker may have left already.
 */
void uetd_bus_watch_maker(struct uetd *uetd, struct uetd_record *record)
{
	if (record->track || *record->maker != ':')
		return;
	if (sd_bus_track_new(uetd->bus.bus, &record->track, on_maker_left,
			     uetd) < 0 ||
	    sd_bus_track_add_name(record->track, record->maker) < 0) {
		uetd_registry_leave(record);
		uetd_registry_save(&uetd->bus.registry);
		uetd_soon(uetd);
	}
}

/* ----------------------------------------------------------- the connection */

static int lose(struct uetd_bus *bus, const char *what, const char *why)
{
	snprintf(bus->error, sizeof(bus->error), "%s: %s", what, why);
	bus->has_name = false;
	bus->is_lost = true;
	return 0;
}

static int on_disconnect(sd_bus_message *signal, void *data,
			 sd_bus_error *error)
{
	struct uetd *uetd = data;

	lose(&uetd->bus, "the connection to the system bus",
	     strerror(ECONNRESET));
	return uetd_soon(uetd);
}

/* Makers may have left while uetd was not running. */
static void find_makers(struct uetd *uetd)
{
	struct uetd_registry *registry = &uetd->bus.registry;
	char text[SD_ID128_STRING_MAX] = "";
	sd_id128_t id;
	size_t i;

	if (sd_bus_get_bus_id(uetd->bus.bus, &id) >= 0)
		uetd_registry_set_bus(registry, sd_id128_to_string(id, text));
	for (i = 0; i < registry->nr; i++)
		uetd_bus_watch_maker(uetd, &registry->records[i]);
	uetd_registry_save(registry);
}

static int on_name(sd_bus_message *reply, void *data, sd_bus_error *unused)
{
	const sd_bus_error *error = sd_bus_message_get_error(reply);
	struct uetd *uetd = data;
	uint32_t answer = 0;

	if (!error && sd_bus_message_read(reply, "u", &answer) >= 0 &&
	    answer == 1) {
		uetd->bus.has_name = true;
		uetd_log(LOG_INFO, "bus", NULL, "known as " UETD_BUS_NAME);
		find_makers(uetd);
		return uetd_soon(uetd);
	}
	lose(&uetd->bus, "the name " UETD_BUS_NAME,
	     !error ? "somebody else has it" :
	     error->message ? error->message : error->name);
	return uetd_later(uetd);
}

static int connect_to_bus(struct uetd *uetd)
{
	struct uetd_bus *bus = &uetd->bus;
	int status = sd_bus_open_system(&bus->bus);

	if (status >= 0)
		status = sd_bus_attach_event(bus->bus, uetd->event, 0);
	if (status >= 0)
		status = sd_bus_match_signal_async(bus->bus, NULL,
				"org.freedesktop.DBus.Local",
				"/org/freedesktop/DBus/Local",
				"org.freedesktop.DBus.Local", "Disconnected",
				on_disconnect, NULL, uetd);
	if (status >= 0)
		status = sd_bus_add_object_vtable(bus->bus, NULL, UETD_BUS_PATH,
						  UETD_BUS_IFACE, manager,
						  uetd);
	if (status >= 0)
		status = sd_bus_request_name_async(bus->bus, NULL,
						   UETD_BUS_NAME, 0, on_name,
						   uetd);
	if (status < 0)
		lose(bus, "the system bus", strerror(-status));
	return status;
}

static void disconnect_from_bus(struct uetd_bus *bus)
{
	size_t i;

	for (i = 0; i < bus->registry.nr; i++) {
		sd_bus_track_unref(bus->registry.records[i].track);
		bus->registry.records[i].track = NULL;
	}
	bus->bus = sd_bus_close_unref(bus->bus);
	bus->has_name = false;
	bus->is_lost = false;
}

static bool open_registry(struct uetd_bus *bus, struct uetd_problems *problems)
{
	const char *dir = getenv("RUNTIME_DIRECTORY");

	if (bus->has_registry)
		return true;
	bus->has_registry =
		uetd_registry_open(&bus->registry, dir ? dir : UETD_RUN_DIR);
	if (bus->has_registry)
		return true;
	uetd_problem_add(problems, "bus", true, "%s: %s",
			 bus->registry.path ? bus->registry.path : "jobs",
			 strerror(errno));
	uetd_registry_close(&bus->registry);
	return false;
}

/**
 * uetd_bus_keep() - connect to the bus, if wanted and possible
 * @uetd: daemon; without an event loop, only the registry is opened
 * @problems: reasons for a failure are added
 */
void uetd_bus_keep(struct uetd *uetd, struct uetd_problems *problems)
{
	struct uetd_bus *bus = &uetd->bus;

	if (!bus->is_wanted || !open_registry(bus, problems) || !uetd->event)
		return;
	if (bus->is_lost) {
		uetd_problem_add(problems, "bus", true, "%s", bus->error);
		disconnect_from_bus(bus);
		connect_to_bus(uetd);
	} else if (!bus->bus && connect_to_bus(uetd) < 0) {
		uetd_problem_add(problems, "bus", true, "%s", bus->error);
	}
}

/**
 * uetd_bus_close() - leave the bus; jobs made over the bus stay
 * @bus: the bus
 */
void uetd_bus_close(struct uetd_bus *bus)
{
	bus->has_name = false;
	disconnect_from_bus(bus);
	uetd_registry_close(&bus->registry);
	free(bus->ids);
}

/* ---------------------------------------------------------------- signals */

/* Signals cover all jobs, whoever creates and deletes them. */
static void signal_jobs(struct uetd_bus *bus, const struct uetd_model *kernel)
{
	struct uetd_index known = { .order = uetd_index_number };
	const struct uetd_job *job;
	struct uetd_lookup lookup;
	size_t i;

	uetd_lookup_make(&lookup, kernel);
	for (i = 0; i < bus->nr_ids; i++) {
		uetd_index_add(&known, &bus->ids[i]);
		if (!uetd_index_find(&lookup.jobs, &bus->ids[i]))
			sd_bus_emit_signal(bus->bus, UETD_BUS_PATH,
					   UETD_BUS_IFACE, "JobRemoved", "u",
					   bus->ids[i]);
	}
	for (i = 0; i < kernel->nr_jobs; i++) {
		job = &kernel->jobs[i];
		if (!uetd_index_find(&known, &job->id))
			sd_bus_emit_signal(bus->bus, UETD_BUS_PATH,
					   UETD_BUS_IFACE, "JobAdded", "usu",
					   job->id, job->name, job->uid);
	}
	uetd_index_free(&known);
	uetd_lookup_free(&lookup);
}

/**
 * uetd_bus_see() - compare the known jobs with the kernel's
 * @bus: the bus
 * @kernel: state of the kernel; jobs made over the bus are marked
 */
void uetd_bus_see(struct uetd_bus *bus, struct uetd_model *kernel)
{
	size_t i;

	if (!bus->has_registry)
		return;
	if (uetd_registry_see(&bus->registry, kernel))
		uetd_registry_save(&bus->registry);
	if (bus->has_seen && bus->has_name)
		signal_jobs(bus, kernel);
	bus->has_seen = true;
	bus->nr_ids = 0;
	for (i = 0; i < kernel->nr_jobs; i++) {
		bus->ids = uetd_grow(bus->ids, bus->nr_ids, sizeof(*bus->ids));
		bus->ids[bus->nr_ids++] = kernel->jobs[i].id;
	}
}

/**
 * uetd_bus_tell_status() - publish the state that the service manager received
 * @bus: the bus
 * @status: state
 */
void uetd_bus_tell_status(struct uetd_bus *bus, const char *status)
{
	if (!strcmp(bus->status, status))
		return;
	snprintf(bus->status, sizeof(bus->status), "%s", status);
	if (bus->has_name)
		sd_bus_emit_properties_changed(bus->bus, UETD_BUS_PATH,
					       UETD_BUS_IFACE, "Status", NULL);
}

static int on_kernel_change(sd_event_source *source, int fd, uint32_t events,
			    void *data)
{
	struct uetd *uetd = data;
	struct uetd_model kernel;

	(void)source;
	(void)events;
	uetd_drain(fd);
	if (!uetd_kernel_read(&uetd->kernel, &kernel))
		return 0;
	uetd_bus_see(&uetd->bus, &kernel);
	uetd_model_free(&kernel);
	return 0;
}

/**
 * uetd_bus_watch_kernel() - watch the kernel for created and deleted jobs
 * @uetd: daemon, with an event loop
 *
 * Return: 0 or a negative errno.
 */
int uetd_bus_watch_kernel(struct uetd *uetd)
{
	int fd;

	if (!uetd->bus.is_wanted)
		return 0;
	fd = uetd_kernel_follow(&uetd->kernel);
	return fd < 0 ? fd :
	       sd_event_add_io(uetd->event, NULL, fd, EPOLLIN,
			       on_kernel_change, uetd);
}
