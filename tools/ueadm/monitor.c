// SPDX-License-Identifier: GPL-2.0
/*
 * Events of the mgmt group, one line each, until interrupted.
 */
#include <linux/genetlink.h>

#include <linux/uet_nl.h>

#include "ueadm.h"

static const struct {
	uint8_t cmd;
	const struct uea_object *object;
	bool is_gone;
} events[] = {
	{ UET_CMD_RAIL_NTF, &uea_rail, false },
	{ UET_CMD_RAIL_DEL_NTF, &uea_rail, true },
	{ UET_CMD_FEP_NTF, &uea_fep, false },
	{ UET_CMD_FEP_DEL_NTF, &uea_fep, true },
	{ UET_CMD_JOB_NTF, &uea_job, false },
	{ UET_CMD_JOB_DEL_NTF, &uea_job, true },
};

static void event_print(const struct uea_ctx *ctx,
			const struct uea_object *object, bool is_gone,
			struct json_object *record)
{
	struct json_object *event;
	char what[32];

	if (!ctx->is_json) {
		snprintf(what, sizeof(what), "%s%s", is_gone ? "deleted " : "",
			 object->name);
		uea_print_line(what, record);
		return;
	}
	event = json_object_new_object();
	json_object_object_add(event, "object",
			       json_object_new_string(object->name));
	json_object_object_add(event, "deleted",
			       json_object_new_boolean(is_gone));
	json_object_object_add(event, object->name, json_object_get(record));
	uea_print_json(ctx, event);
	fflush(stdout);
	json_object_put(event);
}

static int event_cb(const struct nlmsghdr *nlh, void *data)
{
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(nlh);
	struct json_object *record;
	size_t i;

	for (i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		if (events[i].cmd != genl->cmd)
			continue;
		record = uea_record(events[i].object->fields, nlh);
		event_print(data, events[i].object, events[i].is_gone, record);
		json_object_put(record);
	}
	return MNL_CB_OK;
}

static int monitor_run(struct uea_ctx *ctx, const struct uea_object *object,
		       const struct uea_verb *verb, char **words)
{
	int status;

	(void)object;
	(void)verb;
	if (*words)
		return uea_usage(ctx, "unknown word: \"%s\"", *words);
	status = uea_nl_open(ctx);
	if (status)
		return status;
	return uea_nl_watch(ctx, event_cb, ctx);
}

static const struct uea_verb monitor_verbs[] = {
	{ .name = "mgmt", .run = monitor_run },
	{ .name = NULL },
};

const struct uea_object uea_monitor = {
	.name = "monitor",
	.verbs = monitor_verbs,
	.has_default = true,
};
