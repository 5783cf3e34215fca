// SPDX-License-Identifier: GPL-2.0
/*
 * Each peer over each rail: all evidence is gathered here, and judged afterwards.
 */
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include <linux/uet_nl.h>

#include "check_probe.h"
#include "job/job_bus.h"

#define PATH_MAX_NR	512
#define PATH_FIRST	4	/* NO_OPs that find out whether there is an answer */
#define PATH_MORE	200	/* that measure loss, at most */
#define PATH_ALL_MORE	400	/* of all paths together */
#define PATH_LATE_MS	200

static void add_path(struct uea_check *check, struct json_object *fep,
		     const char *peer, struct json_object *rail, void *arg)
{
	struct uea_paths *paths = arg;
	struct uea_path *path;

	(void)check;
	if (paths->nr == PATH_MAX_NR)
		return;
	path = &paths->list[paths->nr];
	path->fep = fep;
	path->peer = peer;
	path->ifindex = uea_number_of(rail, "ifindex");
	path->plane = uea_number_of(rail, "plane");
	snprintf(path->dev, sizeof(path->dev), "%s", uea_text_of(rail, "dev"));
	uea_route_via(path->via, sizeof(path->via), uea_text_of(fep, "addr"),
		      peer, path->ifindex);
	/* Without a route, which is a finding of its own, there is nothing to try. */
	paths->nr += path->via[0] != 0;
}

static void take_noop(struct uea_path *path, unsigned int nr,
		      struct json_object *record)
{
	uint64_t rtt = uea_number_of(record, "rtt-ns");

	(void)nr;
	path->answered += uea_has(record, "rtt-ns");
	path->retx += uea_number_of(record, "retx");
	if (rtt && (!path->rtt_ns || rtt < path->rtt_ns))
		path->rtt_ns = rtt;
}

/* Measure loss where there are answers; the rest would only fill the queues. */
static int measure(struct uea_check *check, struct uea_paths *paths)
{
	struct uea_path *alive = calloc(paths->nr, sizeof(*alive));
	size_t each = PATH_ALL_MORE / paths->nr, nr = 0, i, k = 0;
	const struct uea_question question = {
		.each = each > PATH_MORE ? PATH_MORE :
			each < PATH_FIRST ? PATH_FIRST : each,
		.answer = take_noop,
	};
	int status = UEA_OK;

	if (!alive)
		abort();
	for (i = 0; i < paths->nr; i++) {
		if (paths->list[i].answered)
			alive[nr++] = paths->list[i];
	}
	if (nr)
		status = uea_probe_uet(check->ctx, alive, nr, &question);
	for (i = 0; i < paths->nr; i++) {
		if (paths->list[i].answered)
			paths->list[i] = alive[k++];
	}
	free(alive);
	return status;
}

static int gather(struct uea_check *check, struct uea_paths *paths)
{
	static const struct uea_question first = {
		.each = PATH_FIRST, .answer = take_noop,
	};
	int status;
	size_t i;

	uea_link_queues(paths, true);
	status = uea_probe_uet(check->ctx, paths->list, paths->nr, &first);
	for (i = 0; i < paths->nr && !status; i++) {
		uea_probe_icmp(&paths->list[i]);
		uea_probe_hop(&paths->list[i]);
	}
	uea_link_look(paths);
	if (!status)
		status = measure(check, paths);
	/* Answers to what was sent again come later. */
	poll(NULL, 0, PATH_LATE_MS);
	uea_tap_count(paths);
	if (!status)
		status = uea_ask_alive(check, paths);
	uea_link_queues(paths, false);
	return status ? status : uea_ask_peers(check, paths);
}

static int look(struct uea_check *check, struct uea_paths *paths)
{
	struct json_object *now = NULL;
	int status = gather(check, paths);

	if (!status)
		status = uea_dump(check->ctx, &uea_stats, &now);
	paths->crc = uea_check_change(check, now, "drops", "crc");
	paths->rx_drops = uea_check_change(check, now, "mib", "rx-drops");
	if (!status)
		uea_check_judge(check, paths);
	json_object_put(now);
	return status;
}

/**
 * uea_check_paths() - send packets to each peer over each rail
 * @check: run
 *
 * Return: UEA_OK, or another exit status with a message printed.
 */
int uea_check_paths(struct uea_check *check)
{
	struct uea_paths paths = {
		.list = calloc(PATH_MAX_NR, sizeof(*paths.list)),
	};
	int status = UEA_OK;

	if (!paths.list)
		abort();
	/* Probes need CAP_NET_ADMIN. */
	if (uea_is_admin())
		uea_check_each_path(check, add_path, &paths);
	if (paths.nr) {
		uea_tap_open(&paths);
		status = look(check, &paths);
		uea_tap_close(&paths);
	}
	free(paths.list);
	return status;
}
