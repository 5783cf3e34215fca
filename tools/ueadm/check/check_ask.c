// SPDX-License-Identifier: GPL-2.0
/*
 * Questions to peers that answer: whether long packets arrive, which Payload MTU their FEP
 * has, and which jobs.
 */
#include <string.h>

#include <linux/uet_nl.h>

#include "check_probe.h"

#define ASK_LONG	3	/* long packets for each path */
#define ASK_JOB_LAST	32	/* JobIDs that are tried if no job of the FEP is there */

static void take_long(struct uea_path *path, unsigned int nr,
		      struct json_object *record)
{
	(void)nr;
	path->long_answered += uea_has(record, "rtt-ns");
}

static void take_read(struct uea_path *path, unsigned int nr,
		      struct json_object *record)
{
	if (!uea_has(record, "rtt-ns"))
		return;
	path->read_answered |= 1U << nr;
	if (!strcmp(uea_text_of(record, "rc"), "unsupported-size"))
		path->read_refused |= 1U << nr;
}

static void take_job(struct uea_path *path, unsigned int nr,
		     struct json_object *record)
{
	const char *rc = uea_text_of(record, "rc");

	if (!strcmp(rc, "bad-job-id"))
		path->lacks_job |= 1ULL << nr;
	else if (uea_has(record, "rtt-ns"))
		path->has_job |= 1ULL << nr;
}

static int ask_long(struct uea_ctx *ctx, struct uea_path *path)
{
	const uint32_t mtu = uea_number_of(path->fep, "mtu");
	const uint32_t sizes[ASK_LONG] = { mtu, mtu, mtu };
	const struct uea_question question = {
		.attr = UET_A_PING_SIZE, .values = sizes, .each = ASK_LONG,
		.answer = take_long,
	};

	return uea_probe_uet(ctx, path, 1, &question);
}

static void add_own_jobs(const struct uea_check *check, struct uea_path *path)
{
	struct json_object *job;
	size_t i;

	for (i = 0; (job = uea_nth(check->jobs, i)) &&
		    path->nr_jobs < UEA_JOBS_MAX - ASK_JOB_LAST; i++) {
		if (uea_has_name(job, "feps", NULL, uea_text_of(path->fep, "name")))
			path->jobs[path->nr_jobs++] = uea_number_of(job, "id");
	}
	path->nr_own = path->nr_jobs;
}

/**
 * uea_ask_alive() - send long packets over the paths that answer short ones
 * @check: run
 * @paths: the paths
 *
 * Return: UEA_OK, or UEA_FAILED with a message printed.
 */
int uea_ask_alive(struct uea_check *check, struct uea_paths *paths)
{
	int status = UEA_OK;
	size_t i;

	for (i = 0; i < paths->nr && !status; i++) {
		add_own_jobs(check, &paths->list[i]);
		if (paths->list[i].answered)
			status = ask_long(check->ctx, &paths->list[i]);
	}
	return status;
}

static int ask_read(struct uea_ctx *ctx, struct uea_path *path)
{
	static const uint32_t sizes[UEA_SIZES] = { 1024, 2048, 4096, 8192, 16384 };
	static const struct uea_question question = {
		.attr = UET_A_PING_READ, .values = sizes, .each = UEA_SIZES,
		.answer = take_read,
	};

	return uea_probe_uet(ctx, path, 1, &question);
}

static int ask_jobs(struct uea_ctx *ctx, struct uea_path *path)
{
	const struct uea_question question = {
		.attr = UET_A_PING_JOB, .values = path->jobs,
		.each = path->nr_jobs, .answer = take_job,
	};

	return path->nr_jobs ? uea_probe_uet(ctx, path, 1, &question) : UEA_OK;
}

/* The jobs of the FEP; if none of them is there, others. */
static int ask_all_jobs(struct uea_check *check, struct uea_path *path)
{
	uint32_t id;
	int status;

	status = ask_jobs(check->ctx, path);
	if (status || path->has_job || !path->lacks_job)
		return status;
	for (id = 1; id <= ASK_JOB_LAST; id++)
		path->jobs[path->nr_jobs++] = id;
	path->has_job = 0;
	path->lacks_job = 0;
	return ask_jobs(check->ctx, path);
}

/* The first path that answers tells for the others to the peer. */
static bool is_first(const struct uea_paths *paths, const struct uea_path *path)
{
	const struct uea_path *other;

	for (other = paths->list; other < path; other++) {
		if (other->answered && other->fep == path->fep &&
		    !strcmp(other->peer, path->peer))
			return false;
	}
	return path->answered;
}

/**
 * uea_ask_peers() - ask each peer for its Payload MTU and its jobs
 * @check: run
 * @paths: the paths
 *
 * Return: UEA_OK, or UEA_FAILED with a message printed.
 */
int uea_ask_peers(struct uea_check *check, struct uea_paths *paths)
{
	int status = UEA_OK;
	size_t i;

	for (i = 0; i < paths->nr && !status; i++) {
		if (!is_first(paths, &paths->list[i]))
			continue;
		status = ask_read(check->ctx, &paths->list[i]);
		if (!status)
			status = ask_all_jobs(check, &paths->list[i]);
	}
	return status;
}
