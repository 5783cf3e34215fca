// SPDX-License-Identifier: GPL-2.0
/*
 * The change of the counters from interval to interval: of events, drops and rails, those
 * that have changed.
 */
#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include <time.h>

#include <linux/uet_nl.h>

#include "ueadm.h"

#define WATCH_MS	1000000ULL

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 * WATCH_MS + now.tv_nsec;
}

static void add(struct json_object *all, const char *front, const char *name,
		uint64_t value)
{
	char key[80];

	snprintf(key, sizeof(key), "%s%s%s", front, *front ? " " : "", name);
	json_object_object_add(all, key, json_object_new_uint64(value));
}

static void add_rail(struct json_object *all, struct json_object *rail)
{
	static const char *const keys[] = {
		"rx-packets", "rx-bytes", "tx-packets", "tx-bytes", "tx-retx",
	};
	const char *dev = uea_text_of(rail, "dev");
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		add(all, dev, keys[i], uea_number_of(rail, keys[i]));
}

/* All counters, by name: drops with "dropped" in front, rails with their netdev. */
static int read_all(struct uea_ctx *ctx, struct json_object **all)
{
	struct json_object *counters = NULL, *rails = NULL, *one;
	int status = uea_dump(ctx, &uea_stats, &counters);
	size_t i;

	*all = json_object_new_object();
	if (!status)
		status = uea_dump(ctx, &uea_rail, &rails);
	for (i = 0; !status && i < json_object_array_length(counters); i++) {
		one = json_object_array_get_idx(counters, i);
		add(*all, strcmp(uea_text_of(one, "kind"), "drops") ? "" :
								      "dropped",
		    uea_text_of(one, "name"), uea_number_of(one, "value"));
	}
	for (i = 0; !status && i < json_object_array_length(rails); i++)
		add_rail(*all, json_object_array_get_idx(rails, i));
	json_object_put(counters);
	json_object_put(rails);
	return status;
}

static void print_line(const char *name, uint64_t change, double seconds)
{
	printf("%-36s %12" PRIu64 " %12.0f\n", name, change, change / seconds);
}

static void print_changes(const struct uea_ctx *ctx, struct json_object *before,
			  struct json_object *now, double seconds)
{
	struct json_object *changes = json_object_new_object();
	struct json_object *record = json_object_new_object();
	uint64_t change;

	json_object_object_foreach(now, name, value) {
		change = json_object_get_uint64(value) -
			 uea_number_of(before, name);
		if (change)
			add(changes, "", name, change);
	}
	json_object_object_add(record, "seconds",
			       json_object_new_double(seconds));
	json_object_object_add(record, "changes", changes);
	if (ctx->is_json) {
		uea_print_json(ctx, record);
	} else {
		printf("%-36s %12s %12s\n", "COUNTER", "CHANGE", "PER-SECOND");
		json_object_object_foreach(changes, changed, by)
			print_line(changed, json_object_get_uint64(by), seconds);
	}
	fflush(stdout);
	json_object_put(record);
}

/**
 * uea_stats_watch() - print the change of the counters, interval by interval
 * @ctx: run; the module has been found
 * @interval: seconds
 * @count: number of intervals; 0: until interrupted
 *
 * Return: exit status.
 */
int uea_stats_watch(struct uea_ctx *ctx, uint32_t interval, uint32_t count)
{
	struct json_object *before, *now = NULL;
	uint64_t since = now_ns(), next = since;
	int status = read_all(ctx, &before);
	uint32_t nr;

	for (nr = 0; !status && (!count || nr < count); nr++) {
		next += interval * 1000 * WATCH_MS;
		while (now_ns() < next)
			poll(NULL, 0, (next - now_ns()) / WATCH_MS + 1);
		status = read_all(ctx, &now);
		if (!status)
			print_changes(ctx, before, now,
				      (now_ns() - since) / 1e9);
		since = now_ns();
		json_object_put(before);
		before = now;
	}
	json_object_put(before);
	return status;
}
