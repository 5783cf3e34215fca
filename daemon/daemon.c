// SPDX-License-Identifier: GPL-2.0
/*
 * A round reads netdevs and kernel, plans and applies.  A round begins when
 * uetd starts, when files were reloaded, when a netdev or address changes, when
 * another program changes a route of uetd, when the module is loaded, and when a
 * key rotation is due.  While problems remain,
 * rounds repeat after a pause that doubles each time.  Between rounds uetd
 * keeps only the reported problems; the kernel holds all other state, so uetd
 * may be killed at any time.  Level: tool.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <systemd/sd-event.h>
#include <time.h>
#include <unistd.h>

#include "apply.h"
#include "daemon.h"
#include "netlink/route.h"

#define DELAY_MIN	1	/* seconds */
#define DELAY_MAX	60
#define SETTLE_US	20000	/* pause after the first of several events */
#define TURN_US		1000	/* permitted delay of a rotation */

static uint64_t boot_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (uint64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* time() is not usable: it lags slightly behind the clock of timers. */
static uint64_t seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec;
}

/* Without the list, objects that leave the files stay. */
static void open_managed(struct uetd *uetd)
{
	const char *dir = getenv("RUNTIME_DIRECTORY");

	if (!dir)
		dir = UETD_RUN_DIR;
	if ((mkdir(dir, 0755) && errno != EEXIST) ||
	    !uetd_managed_open(&uetd->managed, dir) || access(dir, W_OK)) {
		uetd_log(LOG_WARNING, NULL, NULL,
			 "%s: %s: objects that leave the files while uetd does not run are not deleted",
			 dir, strerror(errno));
		uetd_managed_close(&uetd->managed);
	}
}

/* Two uetds with different files would undo each other's changes for ever. */
static bool is_alone(struct uetd *uetd)
{
	pid_t holder;

	if (!uetd->managed.path ||
	    uetd_managed_lock(&uetd->managed, uetd->path, &holder) || !holder)
		return true;
	uetd_log(LOG_ERR, NULL, NULL,
		 "process %d is the uetd of this network namespace", holder);
	return false;
}

/**
 * uetd_open() - prepare for rounds, as the only uetd of the network namespace
 * @uetd: daemon, its configuration read
 *
 * Return: true; false, with a message printed.
 */
bool uetd_open(struct uetd *uetd)
{
	int status;

	uetd->start_us = boot_us();
	uetd->delay = DELAY_MIN;
	if (!uetd_kernel_open(&uetd->kernel)) {
		uetd_log(LOG_ERR, NULL, NULL, "%s", uetd->kernel.error);
		return false;
	}
	status = uetd_watch_open(&uetd->watch);
	if (status < 0) {
		uetd_log(LOG_ERR, NULL, NULL, "watching netdevs: %s",
			 uetd_watch_error(status));
		return false;
	}
	open_managed(uetd);
	return is_alone(uetd);
}

/**
 * uetd_close() - free everything; the kernel's configuration stays
 * @uetd: daemon
 */
void uetd_close(struct uetd *uetd)
{
	uetd_bus_close(&uetd->bus);
	uetd_kernel_close(&uetd->kernel);
	uetd_watch_close(&uetd->watch);
	uetd_managed_close(&uetd->managed);
	uetd_problems_free(&uetd->problems);
	uetd_conf_free(&uetd->conf);
	sd_event_source_unref(uetd->retry);
	sd_event_source_unref(uetd->rotation);
	sd_event_unref(uetd->event);
}

static void tell_status(struct uetd *uetd)
{
	const struct uetd_model *model = &uetd->conf.model;
	const struct uetd_problem *first = uetd->problems.list;
	char counts[120], text[2 * UETD_TEXT_MAX];
	int used;

	used = snprintf(counts, sizeof(counts),
			"rails %zu, feps %zu, jobs %zu", model->nr_rails,
			model->nr_feps, model->nr_jobs);
	if (model->nr_sds)
		snprintf(counts + used, sizeof(counts) - used, ", sds %zu",
			 model->nr_sds);
	if (uetd->problems.nr)
		snprintf(text, sizeof(text), "%s; problems %zu: %s: %s",
			 counts, uetd->problems.nr, first->object,
			 first->text);
	else
		snprintf(text, sizeof(text), "%s", counts);
	uetd_notify_status("%s", text);
	uetd_bus_tell_status(&uetd->bus, text);
}

/* Log once how long the start took, for administrators who examine a boot. */
static void tell_complete(struct uetd *uetd)
{
	const struct uetd_model *model = &uetd->conf.model;
	uint64_t now_us = boot_us();

	if (uetd->is_complete)
		return;
	uetd->is_complete = true;
	uetd_log(LOG_INFO, NULL, "complete",
		 "configured: rails %zu, feps %zu, jobs %zu, %llu ms after the start of uetd, %llu ms after that of the kernel",
		 model->nr_rails, model->nr_feps, model->nr_jobs,
		 (unsigned long long)(now_us - uetd->start_us) / 1000,
		 (unsigned long long)now_us / 1000);
}

/* Read the present state as far as possible; report the rest as a problem. */
static unsigned int plan_and_apply(struct uetd *uetd,
				   struct uetd_problems *problems)
{
	struct uetd_model kernel;
	struct uetd_links links;
	struct uetd_plan plan;
	unsigned int done;
	size_t i;

	uetd_bus_keep(uetd, problems);
	if (uetd_watch_read(&uetd->watch, &links) < 0) {
		uetd_problem_add(problems, "netdevs", true,
				 "cannot be read for the time being");
		return 0;
	}
	if (!uetd_kernel_read(&uetd->kernel, &kernel)) {
		uetd_problem_add(problems, "module", true, "%s",
				 uetd->kernel.error);
		uetd_links_free(&links);
		return 0;
	}
	uetd_bus_see(&uetd->bus, &kernel);
	uetd_managed_mark(&uetd->managed, &kernel);
	uetd_plan_make(&plan, &uetd->conf, &links, &kernel,
		       seconds_now());
	if (!uetd_managed_take(&uetd->managed, &plan, &kernel))
		uetd_problem_add(problems, "managed objects", true, "%s: %s",
				 uetd->managed.path, strerror(errno));
	for (i = 0; i < plan.nr_waits; i++)
		uetd_problem_add(problems, plan.waits[i].object, false, "%s",
				 plan.waits[i].reason);
	uetd->next_rotation = plan.next;
	done = uetd_apply(&uetd->kernel, &plan, problems);
	done += uetd_route_keep(&uetd->watch, &uetd->conf, &links, problems);
	uetd_plan_free(&plan);
	uetd_model_free(&kernel);
	uetd_links_free(&links);
	return done;
}

/**
 * uetd_round() - configure the kernel as requested, as far as possible
 * @uetd: daemon
 *
 * Return: true if nothing remains to be done.
 */
bool uetd_round(struct uetd *uetd)
{
	struct uetd_problems problems = { .nr = 0 };

	if (plan_and_apply(uetd, &problems))
		uetd->delay = DELAY_MIN;
	uetd_problems_tell(&problems, &uetd->problems);
	if (uetd->problems.nr && !problems.nr)
		uetd_log(LOG_INFO, NULL, NULL, "all is as it should be");
	uetd_problems_free(&uetd->problems);
	uetd->problems = problems;
	tell_status(uetd);
	if (!problems.nr)
		tell_complete(uetd);
	return !problems.nr;
}

static int set_retry(struct uetd *uetd, uint64_t us)
{
	int err = sd_event_source_set_time_relative(uetd->retry, us);

	return err < 0 ? err :
	       sd_event_source_set_enabled(uetd->retry, SD_EVENT_ONESHOT);
}

/**
 * uetd_later() - begin a round after a pause that grows each time
 * @uetd: daemon, running
 *
 * Return: 0 or a negative errno.
 */
int uetd_later(struct uetd *uetd)
{
	uint64_t us = uetd->delay * 1000000ULL;

	uetd->delay *= 2;
	if (uetd->delay > DELAY_MAX)
		uetd->delay = DELAY_MAX;
	return set_retry(uetd, us);
}

/**
 * uetd_soon() - begin a round because something has changed
 * @uetd: daemon, running
 *
 * Return: 0 or a negative errno.
 */
int uetd_soon(struct uetd *uetd)
{
	uetd->delay = DELAY_MIN;
	if (uetd->is_settling)
		return 0;
	uetd->is_settling = true;
	return set_retry(uetd, SETTLE_US);
}

/* Uses the wall clock, which all nodes share, and follows clock steps. */
static int set_turn(struct uetd *uetd)
{
	int err;

	if (!uetd->next_rotation)
		return sd_event_source_set_enabled(uetd->rotation,
						   SD_EVENT_OFF);
	err = sd_event_source_set_time(uetd->rotation,
				       uetd->next_rotation * 1000000ULL);
	return err < 0 ? err :
	       sd_event_source_set_enabled(uetd->rotation, SD_EVENT_ONESHOT);
}

static int run_round(struct uetd *uetd)
{
	bool is_complete;
	int err;

	uetd->is_settling = false;
	is_complete = uetd_round(uetd);
	err = set_turn(uetd);
	if (err < 0)
		return err;
	if (is_complete)
		return sd_event_source_set_enabled(uetd->retry, SD_EVENT_OFF);
	return uetd_later(uetd);
}

static int on_retry(sd_event_source *source, uint64_t us, void *data)
{
	(void)source;
	(void)us;
	return run_round(data);
}

/* Events of netdevs and addresses arrive in bursts. */
static int on_watch(sd_event_source *source, int fd, uint32_t events, void *data)
{
	struct uetd *uetd = data;

	(void)source;
	(void)fd;
	(void)events;
	return uetd_watch_drain(&uetd->watch) ? uetd_soon(uetd) : 0;
}

/* The module was loaded or unloaded. */
static int on_module(sd_event_source *source, int fd, uint32_t events,
		     void *data)
{
	struct uetd *uetd = data;

	(void)source;
	(void)events;
	uetd_drain(fd);
	return uetd_soon(uetd);
}

static int on_hangup(sd_event_source *source, const struct signalfd_siginfo *si,
		     void *data)
{
	struct uetd_diag diag = { .tell = uetd_log_conf_error };
	struct uetd *uetd = data;
	struct uetd_conf conf;
	int err;

	(void)source;
	(void)si;
	uetd_notify_reloading();
	if (!uetd_conf_load(&conf, uetd->path, &diag)) {
		uetd_log(LOG_ERR, NULL, "reload",
			 "%s: errors: %u; the configuration stays as it was",
			 uetd->path, diag.nr);
		uetd_notify_ready();
		uetd_notify_status("reload refused, errors in %s: %u",
				   uetd->path, diag.nr);
		return 0;
	}
	uetd_conf_follow(&conf, &uetd->conf, seconds_now());
	uetd_conf_free(&uetd->conf);
	uetd->conf = conf;
	uetd->delay = DELAY_MIN;
	uetd_log(LOG_INFO, NULL, "reload", "%s was read again", uetd->path);
	err = run_round(uetd);
	uetd_notify_ready();
	return err;
}

static int on_end(sd_event_source *source, const struct signalfd_siginfo *si,
		  void *data)
{
	(void)si;
	(void)data;
	uetd_notify_stopping();
	return sd_event_exit(sd_event_source_get_event(source), 0);
}

static int add_sources(struct uetd *uetd)
{
	int err = sd_event_default(&uetd->event);

	if (err >= 0)
		err = sd_event_add_signal(uetd->event, NULL, SIGHUP, on_hangup,
					  uetd);
	if (err >= 0)
		err = sd_event_add_signal(uetd->event, NULL, SIGTERM, on_end,
					  uetd);
	if (err >= 0)
		err = sd_event_add_signal(uetd->event, NULL, SIGINT, on_end,
					  uetd);
	if (err >= 0)
		err = sd_event_add_io(uetd->event, NULL,
				      uetd_watch_fd(&uetd->watch), EPOLLIN,
				      on_watch, uetd);
	if (err >= 0)
		err = sd_event_add_io(uetd->event, NULL,
				      uetd_kernel_fd(&uetd->kernel), EPOLLIN,
				      on_module, uetd);
	if (err >= 0)
		err = sd_event_add_time_relative(uetd->event, &uetd->retry,
						 CLOCK_MONOTONIC, 0,
						 0, on_retry, uetd);
	if (err >= 0)
		err = sd_event_source_set_enabled(uetd->retry, SD_EVENT_OFF);
	if (err >= 0)
		err = sd_event_add_time(uetd->event, &uetd->rotation,
					CLOCK_REALTIME, 0, TURN_US, on_retry,
					uetd);
	if (err >= 0)
		err = sd_event_source_set_enabled(uetd->rotation, SD_EVENT_OFF);
	if (err >= 0)
		err = uetd_bus_watch_kernel(uetd);
	if (err >= 0)
		err = sd_event_set_watchdog(uetd->event, true);
	return err;
}

/**
 * uetd_run() - run the daemon until a signal ends it
 * @uetd: daemon, opened; SIGHUP, SIGTERM and SIGINT are blocked
 *
 * Return: exit status.
 */
int uetd_run(struct uetd *uetd)
{
	int err = add_sources(uetd);

	if (err >= 0)
		err = run_round(uetd);
	if (err >= 0) {
		uetd_notify_ready();
		err = sd_event_loop(uetd->event);
	}
	if (err < 0)
		uetd_log(LOG_ERR, NULL, NULL, "event loop: %s",
			 strerror(-err));
	return err < 0 ? 1 : 0;
}
