// SPDX-License-Identifier: GPL-2.0
/*
 * Counters: events, reasons for dropped packets, and traffic of each rail.
 * Names come from the kernel; there is no list of names here.
 */
#include <string.h>

#include <linux/uet_nl.h>

#include "ueadm.h"

static const char *const kind_names[] = {
	[UET_COUNTER_KIND_MIB] = "mib",
	[UET_COUNTER_KIND_DROP] = "drops",
	NULL,
};

static const struct uea_field stats_fields[] = {
	UEA_NAMED_FIELD(UET_A_STATS_KIND, "kind", kind_names),
	UEA_FIELD(UET_A_STATS_NAME, UEA_STRING, "name"),
	UEA_FIELD(UET_A_STATS_VALUE, UEA_U64, "value"),
	{ .attr = 0 },
};

static const struct uea_column counter_columns[] = {
	UEA_COLUMN("COUNTER", "name", NULL),
	UEA_COLUMN("VALUE", "value", NULL),
	{ .head = NULL },
};

static const struct uea_column drop_columns[] = {
	UEA_COLUMN("DROPPED", "name", NULL),
	UEA_COLUMN("PACKETS", "value", NULL),
	{ .head = NULL },
};

/* {"mib": {NAME: VALUE...}, "drops": {...}, "rails": [...]} */
static struct json_object *stats_json(struct json_object *counters,
				      struct json_object *rails)
{
	struct json_object *all = json_object_new_object();
	struct json_object *counter, *kind, *list;
	size_t i;

	for (i = 0; kind_names[i]; i++)
		json_object_object_add(all, kind_names[i],
				       json_object_new_object());
	for (i = 0; i < json_object_array_length(counters); i++) {
		counter = json_object_array_get_idx(counters, i);
		kind = json_object_object_get(counter, "kind");
		list = json_object_object_get(all,
					      json_object_get_string(kind));
		if (!list)
			continue;
		json_object_object_add(list,
			json_object_get_string(json_object_object_get(counter,
								      "name")),
			json_object_get(json_object_object_get(counter,
							       "value")));
	}
	json_object_object_add(all, "rails", json_object_get(rails));
	return all;
}

/* The counters of a kind; for people, without zeros unless requested. */
static struct json_object *counters_of(const struct uea_ctx *ctx,
				       struct json_object *counters,
				       const char *kind)
{
	struct json_object *some = json_object_new_array();
	struct json_object *counter;
	size_t i;

	for (i = 0; i < json_object_array_length(counters); i++) {
		counter = json_object_array_get_idx(counters, i);
		if (!strcmp(json_object_get_string(
				json_object_object_get(counter, "kind")), kind) &&
		    (ctx->has_statistics || json_object_get_uint64(
				json_object_object_get(counter, "value"))))
			json_object_array_add(some, json_object_get(counter));
	}
	return some;
}

static void print_counters(const struct uea_ctx *ctx,
			   const struct uea_column *columns,
			   struct json_object *counters, const char *kind)
{
	struct json_object *some = counters_of(ctx, counters, kind);

	uea_print_columns(columns, some);
	json_object_put(some);
}

static void stats_print(const struct uea_ctx *ctx, struct json_object *counters,
			struct json_object *rails)
{
	struct json_object *all;

	if (ctx->is_json) {
		all = stats_json(counters, rails);
		uea_print_json(ctx, all);
		json_object_put(all);
		return;
	}
	if (ctx->is_oneline) {
		uea_print(ctx, &uea_stats, counters);
		uea_print(ctx, &uea_rail, rails);
		return;
	}
	print_counters(ctx, counter_columns, counters,
		       kind_names[UET_COUNTER_KIND_MIB]);
	print_counters(ctx, drop_columns, counters,
		       kind_names[UET_COUNTER_KIND_DROP]);
	uea_print_columns(uea_rail.columns, rails);
}

static int stats_show(struct uea_ctx *ctx, const struct uea_object *object)
{
	struct json_object *counters, *rails;
	int status;

	status = uea_dump(ctx, object, &counters);
	if (!status) {
		status = uea_dump(ctx, &uea_rail, &rails);
		if (!status)
			stats_print(ctx, counters, rails);
		json_object_put(rails);
	}
	json_object_put(counters);
	return status;
}

/* Attributes that are not for the kernel have numbers behind the kernel's. */
enum {
	STATS_A_OPENMETRICS = UET_A_STATS_MAX + 1,
	STATS_A_INTERVAL,
	STATS_A_COUNT,
};

static const struct uea_param stats_params[] = {
	{
		.word = "--openmetrics", .arg = UEA_ARG_FLAG,
		.attr = STATS_A_OPENMETRICS,
	}, {
		.word = "-i", .value = "SECONDS", .arg = UEA_ARG_U32,
		.attr = STATS_A_INTERVAL, .min = 1, .max = 86400,
	}, {
		.word = "count", .value = "N", .arg = UEA_ARG_U32,
		.attr = STATS_A_COUNT, .min = 1,
	},
};

/* The counters of a FEP are those of "fep show -s". */
static int stats_show_fep(struct uea_ctx *ctx, char **words)
{
	const struct uea_verb *verb = uea_fep.verbs;

	while (strcmp(verb->name, "show"))
		verb++;
	ctx->object = &uea_fep;
	ctx->verb = verb;
	ctx->has_statistics = true;
	return uea_run_show(ctx, &uea_fep, verb, words);
}

static bool is_fep(struct uea_ctx *ctx, const char *name)
{
	struct json_object *feps = NULL;
	bool is_there = false;
	size_t i;

	uea_quiet(true);
	if (!uea_nl_open(ctx) && !uea_dump(ctx, &uea_fep, &feps))
		for (i = 0; i < json_object_array_length(feps); i++)
			is_there |= !strcmp(name, uea_text_of(
				json_object_array_get_idx(feps, i), "name"));
	uea_quiet(false);
	json_object_put(feps);
	return is_there;
}

static int stats_run_show(struct uea_ctx *ctx, const struct uea_object *object,
			  const struct uea_verb *verb, char **words)
{
	char buf[UEA_NL_BUF];
	struct nlmsghdr *args = uea_nl_request(ctx, buf, verb->cmd);
	uint32_t interval = 0, count = 0;
	const struct nlattr *attr;
	bool is_openmetrics = false;
	int status;

	if (*words && is_fep(ctx, *words))
		return stats_show_fep(ctx, words);
	status = uea_args(ctx, words, args);
	if (status)
		return status;
	mnl_attr_for_each(attr, args, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) == STATS_A_OPENMETRICS)
			is_openmetrics = true;
		else if (mnl_attr_get_type(attr) == STATS_A_INTERVAL)
			interval = mnl_attr_get_u32(attr);
		else
			count = mnl_attr_get_u32(attr);
	}
	if (is_openmetrics && (interval || count))
		return uea_usage(ctx, "--openmetrics and -i exclude each other");
	if (count && !interval)
		return uea_usage(ctx, "count needs -i");
	status = uea_nl_open(ctx);
	if (status)
		return status;
	if (interval)
		return uea_stats_watch(ctx, interval, count);
	return is_openmetrics ? uea_openmetrics(ctx) : stats_show(ctx, object);
}

static const struct uea_verb stats_verbs[] = {
	{
		.name = "show", .cmd = UET_CMD_STATS_GET,
		.run = stats_run_show, .tail = "| FEP",
		UEA_PARAMS(stats_params),
	},
	{ .name = NULL },
};

const struct uea_object uea_stats = {
	.name = "stats",
	.fields = stats_fields,
	.columns = counter_columns,
	.verbs = stats_verbs,
	.has_default = true,
};
