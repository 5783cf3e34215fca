// SPDX-License-Identifier: GPL-2.0
/*
 * Prints events, one line each, until interrupted: of all groups of the family,
 * or of the groups for the selected kinds of objects.
 */
#include <linux/genetlink.h>
#include <stdarg.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#include <linux/uet_nl.h>

#include "ueadm.h"

#define MONITOR_STAMP_MAX	64
/* A line has less than 120 characters. */
#define MONITOR_LINE_MAX	120

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

/* Keys that tell a new object from others. */
static const char *const told_keys[] = {
	"plane", "usable", "addr", "rails", "mtu", "feps", "uid", NULL,
};

/* Append to a line; dots stand for what does not fit. */
__attribute__((format(printf, 2, 3)))
static void append(char *line, const char *fmt, ...)
{
	static const char dots[] = "...";
	size_t used = strlen(line);
	va_list args;
	int length;

	va_start(args, fmt);
	length = vsnprintf(line + used, MONITOR_LINE_MAX - used, fmt, args);
	va_end(args);
	if (length >= (int)(MONITOR_LINE_MAX - used))
		strcpy(line + MONITOR_LINE_MAX - sizeof(dots), dots);
}

/* What names the object: "fep fep0", "pdc fep0 17 to 10.0.0.2". */
static void name_it(char *line, const char *kind, struct json_object *record)
{
	if (!strcmp(kind, "pdc"))
		append(line, "pdc %s %s %s %s", uea_text_of(record, "fep"),
		       uea_text_of(record, "pdcid"),
		       !strcmp(uea_text_of(record, "role"), "target") ? "from" :
									"to",
		       uea_text_of(record, "peer"));
	else
		append(line, "%s %s", kind,
		       uea_text_of(record, uea_has(record, "name") &&
					   !uea_has(record, "id") ? "name" :
				   uea_has(record, "dev") ? "dev" : "id"));
}

static void tell_pdc(char *line, struct json_object *record,
		     struct json_object *before)
{
	const char *state = uea_text_of(record, "state");

	if (uea_has(record, "error"))
		append(line, " failed: %s", uea_text_of(record, "error"));
	else if (!strcmp(state, "CLOSED"))
		append(line, " closed");
	else if (!before)
		append(line, " opened: state %s", state);
	else
		append(line, " changed: state %s -> %s",
		       uea_text_of(before, "state"), state);
}

static void tell_new(char *line, struct json_object *record)
{
	const char *front = " added:";
	char text[64];
	size_t i;

	for (i = 0; told_keys[i]; i++) {
		if (!uea_has(record, told_keys[i]))
			continue;
		uea_format_value(text, sizeof(text),
				 json_object_object_get(record, told_keys[i]));
		append(line, "%s %s %s", front, told_keys[i], text);
		front = ",";
	}
}

/* Counters always change, so they are no news. */
static bool is_counter(const char *key)
{
	return !strncmp(key, "rx-", 3) || !strncmp(key, "tx-", 3);
}

static void tell_change(char *line, const struct uea_field *fields,
			struct json_object *record, struct json_object *before)
{
	const char *front = " changed:";
	struct json_object *old;
	char was[64], is[64];
	int length;

	json_object_object_foreach(record, key, value) {
		old = json_object_object_get(before, key);
		if (is_counter(key) || json_object_equal(old, value))
			continue;
		uea_format_field(was, sizeof(was), fields, key, old);
		length = uea_format_field(is, sizeof(is), fields, key, value);
		append(line, "%s %.*s %s -> %s", front, length, key, was, is);
		front = ",";
	}
	if (*front == ' ')
		append(line, " set");
}

/* The objects that have been told, by their names; those that are gone leave. */
static struct json_object *known;

static void remember(const char *name, bool is_gone, struct json_object *record)
{
	const char *state = uea_text_of(record, "state");

	if (is_gone || !strcmp(state, "CLOSED") || !strcmp(state, "ERROR"))
		json_object_object_del(known, name);
	else
		json_object_object_add(known, name, json_object_get(record));
}

static void print_text(const struct uea_ctx *ctx,
		       const struct uea_object *object, bool is_gone,
		       struct json_object *record)
{
	const char *kind = object->name;
	char line[MONITOR_LINE_MAX] = "", name[MONITOR_LINE_MAX] = "";
	char time[MONITOR_STAMP_MAX] = "";
	struct json_object *before;

	if (ctx->is_stamped)
		stamp(time, sizeof(time));
	name_it(name, kind, record);
	before = json_object_object_get(known, name);
	append(line, "%s%s%s", time, *time ? " " : "", name);
	if (is_gone)
		append(line, " deleted");
	else if (!strcmp(kind, "pdc"))
		tell_pdc(line, record, before);
	else if (before)
		tell_change(line, object->fields, record, before);
	else
		tell_new(line, record);
	puts(line);
	fflush(stdout);
	remember(name, is_gone, record);
}

/* All values, in a line as long as it takes. */
static void print_details(const struct uea_ctx *ctx, const char *kind,
			  bool is_gone, struct json_object *record)
{
	char what[MONITOR_STAMP_MAX + 32], time[MONITOR_STAMP_MAX] = "";

	if (ctx->is_stamped)
		stamp(time, sizeof(time));
	snprintf(what, sizeof(what), "%s%s%s%s", time, *time ? " " : "",
		 is_gone ? "deleted " : "", kind);
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
	else if (ctx->is_oneline || ctx->is_detailed ||
		 !strcmp(object->name, "unknown"))
		print_details(ctx, object->name, is_gone, record);
	else
		print_text(ctx, object, is_gone, record);
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

/* The objects there are, so that the first event of each tells what has changed. */
static int learn(struct uea_ctx *ctx, const struct monitor *monitor)
{
	static const struct uea_object *const kinds[] = {
		&uea_rail, &uea_fep, &uea_job,
	};
	struct json_object *all = NULL, *one;
	int status = UEA_OK;
	char name[MONITOR_LINE_MAX];
	size_t i, k;

	for (k = 0; !status && k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		if (!is_wanted(monitor, kinds[k]->name))
			continue;
		status = uea_dump(ctx, kinds[k], &all);
		for (i = 0; !status && i < json_object_array_length(all); i++) {
			one = json_object_array_get_idx(all, i);
			*name = 0;
			name_it(name, kinds[k]->name, one);
			remember(name, false, one);
		}
		json_object_put(all);
		all = NULL;
	}
	return status;
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
	status = uea_args_open(ctx, words, args);
	if (status)
		return status;
	mnl_attr_for_each(attr, args, sizeof(struct genlmsghdr))
		monitor.kinds |= mnl_attr_get_type(attr);
	if (!monitor.kinds)
		monitor.kinds = ~0u;
	known = json_object_new_object();
	status = learn(ctx, &monitor);
	if (!status)
		status = uea_nl_watch(ctx, is_group_wanted, event_cb, &monitor);
	json_object_put(known);
	return status;
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
