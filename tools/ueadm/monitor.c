// SPDX-License-Identifier: GPL-2.0
/*
 * Prints events, one line each, until interrupted: of all groups of the family,
 * or of the groups for the selected kinds of objects.
 */
#include <linux/genetlink.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#include <linux/uet_nl.h>

#include "ueadm.h"

#define MONITOR_STAMP_MAX	64

static const struct {
	uint8_t cmd;
	const struct uea_object *object;
	const char *group;
	bool is_gone;
} events[] = {
	{ UET_CMD_RAIL_NTF, &uea_rail, UET_MCGRP_RAIL, false },
	{ UET_CMD_RAIL_DEL_NTF, &uea_rail, UET_MCGRP_RAIL, true },
	{ UET_CMD_FEP_NTF, &uea_fep, UET_MCGRP_MGMT, false },
	{ UET_CMD_FEP_DEL_NTF, &uea_fep, UET_MCGRP_MGMT, true },
	{ UET_CMD_JOB_NTF, &uea_job, UET_MCGRP_MGMT, false },
	{ UET_CMD_JOB_DEL_NTF, &uea_job, UET_MCGRP_MGMT, true },
	{ UET_CMD_PDC_NTF, &uea_pdc, UET_MCGRP_PDC, false },
};

/* The attributes of these words are bits of kinds in struct monitor. */
static const struct uea_param monitor_params[] = {
	{ .word = "rail", .arg = UEA_ARG_FLAG, .attr = 1 },
	{ .word = "fep", .arg = UEA_ARG_FLAG, .attr = 2 },
	{ .word = "job", .arg = UEA_ARG_FLAG, .attr = 4 },
	{ .word = "pdc", .arg = UEA_ARG_FLAG, .attr = 8 },
};

/**
 * struct monitor - a run
 * @ctx: of the program
 * @kinds: kinds of objects to report
 */
struct monitor {
	const struct uea_ctx *ctx;
	unsigned int kinds;
};

/* The local time, to the microsecond, and how far that is from UTC. */
static void stamp(char *buf, size_t size)
{
	char date[32], zone[8];
	struct timeval now;
	struct tm tm;

	gettimeofday(&now, NULL);
	localtime_r(&now.tv_sec, &tm);
	strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &tm);
	strftime(zone, sizeof(zone), "%z", &tm);
	snprintf(buf, size, "%s.%06ld%s", date, (long)now.tv_usec, zone);
}

static void print_text(const struct uea_ctx *ctx, const char *name,
		       bool is_gone, struct json_object *record)
{
	char what[MONITOR_STAMP_MAX + 32], time[MONITOR_STAMP_MAX] = "";

	if (ctx->is_stamped)
		stamp(time, sizeof(time));
	snprintf(what, sizeof(what), "%s%s%s%s", time, *time ? " " : "",
		 is_gone ? "deleted " : "", name);
	uea_print_line(what, record);
}

static void print_json(const struct uea_ctx *ctx, const char *name,
		       bool is_gone, struct json_object *record)
{
	struct json_object *event = json_object_new_object();
	char time[MONITOR_STAMP_MAX];

	if (ctx->is_stamped) {
		stamp(time, sizeof(time));
		json_object_object_add(event, "timestamp",
				       json_object_new_string(time));
	}
	json_object_object_add(event, "object", json_object_new_string(name));
	json_object_object_add(event, "deleted",
			       json_object_new_boolean(is_gone));
	json_object_object_add(event, name, json_object_get(record));
	uea_print_json(ctx, event);
	fflush(stdout);
	json_object_put(event);
}

static void print_event(const struct uea_ctx *ctx,
			const struct uea_object *object, bool is_gone,
			struct json_object *record)
{
	if (ctx->is_json)
		print_json(ctx, object->name, is_gone, record);
	else
		print_text(ctx, object->name, is_gone, record);
}

/* An event of a newer kernel: print that it happened, with its number. */
static void print_unknown(const struct uea_ctx *ctx, uint8_t cmd)
{
	static const struct uea_object unknown = { .name = "unknown" };
	struct json_object *record = json_object_new_object();

	json_object_object_add(record, "command", json_object_new_int(cmd));
	print_event(ctx, &unknown, false, record);
	json_object_put(record);
}

static bool is_wanted(const struct monitor *monitor, const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(monitor_params) / sizeof(monitor_params[0]);
	     i++) {
		if (!strcmp(monitor_params[i].word, name))
			return monitor->kinds & monitor_params[i].attr;
	}
	return false;
}

/* Events of PDCs are costly, so the kernel only sends them to subscribers. */
static bool is_group_wanted(const char *group, void *data)
{
	const struct monitor *monitor = data;
	size_t i;

	for (i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		if (!strcmp(events[i].group, group) &&
		    is_wanted(monitor, events[i].object->name))
			return true;
	}
	return monitor->kinds == ~0u;
}

static int event_cb(const struct nlmsghdr *nlh, void *data)
{
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(nlh);
	const struct monitor *monitor = data;
	const struct uea_object *object;
	struct json_object *record;
	size_t i;

	for (i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		object = events[i].object;
		if (events[i].cmd != genl->cmd)
			continue;
		if (!is_wanted(monitor, object->name))
			return MNL_CB_OK;
		record = uea_record(object->fields, nlh);
		print_event(monitor->ctx, object, events[i].is_gone, record);
		json_object_put(record);
		return MNL_CB_OK;
	}
	if (monitor->kinds == ~0u)
		print_unknown(monitor->ctx, genl->cmd);
	return MNL_CB_OK;
}

static int monitor_run(struct uea_ctx *ctx, const struct uea_object *object,
		       const struct uea_verb *verb, char **words)
{
	struct monitor monitor = { .ctx = ctx };
	const struct nlattr *attr;
	char buf[UEA_NL_BUF];
	struct nlmsghdr *args;
	int status;

	(void)object;
	args = uea_nl_request(ctx, buf, verb->cmd);
	status = uea_args(ctx, words, args);
	if (!status)
		status = uea_nl_open(ctx);
	if (status)
		return status;
	mnl_attr_for_each(attr, args, sizeof(struct genlmsghdr))
		monitor.kinds |= mnl_attr_get_type(attr);
	if (!monitor.kinds)
		monitor.kinds = ~0u;
	return uea_nl_watch(ctx, is_group_wanted, event_cb, &monitor);
}

static const struct uea_verb monitor_verbs[] = {
	{ .name = "monitor", .run = monitor_run, UEA_PARAMS(monitor_params) },
	{ .name = NULL },
};

const struct uea_object uea_monitor = {
	.name = "monitor",
	.verbs = monitor_verbs,
	.is_verb = true,
};
