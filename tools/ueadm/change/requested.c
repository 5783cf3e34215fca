// SPDX-License-Identifier: GPL-2.0
/*
 * The state that the files of uetd request, and the changes that uetd would make: ueadm
 * says so when a command changes an object that uetd will change back.
 */
#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "plan/plan.h"
#include "state/registry.h"
#include "syncconf.h"
#include "ueadm.h"

/* "ueadm job run" and uetd choose JobIDs of temporary jobs from here on. */
#define TEMPORARY_JOB_MIN	0x800000u

/**
 * uea_requested_find() - find the uetd of this network namespace
 * @requested: zeroed; @path and @uetd are filled in
 * @ctx: run
 */
void uea_requested_find(struct uea_requested *requested, struct uea_ctx *ctx)
{
	struct uetd_managed managed;

	requested->ctx = ctx;
	snprintf(requested->path, sizeof(requested->path), "%s",
		 UETD_CONF_DEFAULT);
	if (uetd_managed_open(&managed, UETD_RUN_DIR))
		requested->uetd = uetd_managed_by(&managed, requested->path,
						  sizeof(requested->path));
	uetd_managed_close(&managed);
}

/**
 * uea_requested_read() - read the files
 * @requested: @path names the file, which may be missing
 * @how: receives errors
 *
 * Return: UEA_OK; UEA_FAILED with errors reported.
 */
int uea_requested_read(struct uea_requested *requested,
		       const struct uetd_diag *how)
{
	struct uetd_diag diag = *how;

	/* Messages may name keys. */
	prctl(PR_SET_DUMPABLE, 0);
	/* Only the service can read its credentials. */
	diag.is_check = true;
	if (!access(requested->path, F_OK) || errno != ENOENT)
		uetd_raw_main(&requested->raw, requested->path, &diag);
	return uetd_conf_make(&requested->conf, &requested->raw, &diag) ?
	       UEA_OK : UEA_FAILED;
}

/* Jobs made over the bus, or for the time of a program, are in no file. */
static void drop_temporary(struct uetd_model *kernel,
			   const struct uetd_model *wanted)
{
	struct uetd_registry registry;
	const struct uetd_job *job;
	size_t i, nr = 0;

	if (!access(UETD_RUN_DIR, F_OK)) {
		if (uetd_registry_open(&registry, UETD_RUN_DIR))
			uetd_registry_see(&registry, kernel);
		uetd_registry_close(&registry);
	}
	for (i = 0; i < kernel->nr_jobs; i++) {
		job = &kernel->jobs[i];
		if ((job->made == UETD_BUS_NOT && job->id < TEMPORARY_JOB_MIN) ||
		    uetd_model_job(wanted, job->id))
			kernel->jobs[nr++] = *job;
	}
	kernel->nr_jobs = nr;
}

/**
 * uea_requested_plan() - compare the files with the kernel
 * @requested: files read; @links, @kernel and @plan are filled in
 *
 * Return: UEA_OK; UEA_FAILED with a message printed.
 */
int uea_requested_plan(struct uea_requested *requested)
{
	struct uetd_managed managed;
	struct uetd_kernel kernel;
	int status;
	size_t i;

	status = uea_conf_kernel(requested->ctx, &kernel, &requested->kernel);
	uetd_kernel_close(&kernel);
	if (!status)
		status = uea_conf_links(requested->ctx, &requested->links);
	if (status)
		return status;
	drop_temporary(&requested->kernel, &requested->conf.model);
	/* Changes that wait for the users of an object count, too. */
	for (i = 0; i < requested->kernel.nr_jobs; i++) {
		requested->kernel.jobs[i].endpoints = 0;
		requested->kernel.jobs[i].descriptors = 0;
	}
	if (uetd_managed_open(&managed, UETD_RUN_DIR))
		uetd_managed_mark(&managed, &requested->kernel);
	uetd_managed_close(&managed);
	uetd_plan_make(&requested->plan, &requested->conf, &requested->links,
		       &requested->kernel, time(NULL));
	return UEA_OK;
}

/**
 * uea_requested_free() - free everything
 * @requested: emptied
 */
void uea_requested_free(struct uea_requested *requested)
{
	uetd_plan_free(&requested->plan);
	uetd_model_free(&requested->kernel);
	uetd_links_free(&requested->links);
	uetd_conf_free(&requested->conf);
	uetd_raw_free(&requested->raw);
}

/**
 * uea_op_name() - the object of a change, as ueadm names it
 * @buf: filled in: "rail NETDEV", "sd NAME", "fep NAME" or "job ID"
 * @size: of @buf
 * @op: the change
 */
void uea_op_name(char *buf, size_t size, const struct uetd_op *op)
{
	if (op->kind == UETD_OP_RAIL_ADD || op->kind == UETD_OP_RAIL_SET)
		snprintf(buf, size, "rail %s", op->rail.dev);
	else
		uetd_op_object(buf, size, op);
}

static void ignore_error(void *data, const struct uetd_conf_error *error_text)
{
	(void)data;
	(void)error_text;
}

static bool has_section(const struct uetd_op *op)
{
	return op->kind != UETD_OP_JOB_DEL && op->kind != UETD_OP_FEP_DEL &&
	       op->kind != UETD_OP_RAIL_DEL && op->kind != UETD_OP_SD_DEL;
}

static void warn(const struct uea_requested *requested,
		 const struct uetd_op *op, const char *object)
{
	char section[UETD_TEXT_MAX];

	uetd_op_object(section, sizeof(section), op);
	if (has_section(op))
		uea_note("%s: uetd will undo this, because [%s] of %s says otherwise; \"ueadm config save\" makes it permanent",
			 object, section, requested->path);
	else
		uea_note("%s: uetd will delete it, because %s does not name it; \"ueadm config save\" makes it permanent",
			 object, requested->path);
}

static const struct uetd_op *find_op(const struct uetd_plan *plan,
				     const char *object)
{
	const struct uetd_op *found = NULL;
	char name[UETD_TEXT_MAX];
	size_t i;

	/* The last: an object that is made again is first deleted. */
	for (i = 0; i < plan->nr_ops; i++) {
		uea_op_name(name, sizeof(name), &plan->ops[i]);
		if (!strcmp(name, object) &&
		    plan->ops[i].kind != UETD_OP_SD_KEYS)
			found = &plan->ops[i];
	}
	return found;
}

/**
 * uea_warn_undo() - say whether uetd will change an object back
 * @ctx: run
 * @kind: kind of the object, which was changed
 * @name: its name
 */
void uea_warn_undo(struct uea_ctx *ctx, const char *kind, const char *name)
{
	struct uetd_diag diag = { .tell = ignore_error };
	struct uea_requested requested = { .uetd = 0 };
	char object[UETD_TEXT_MAX];
	const struct uetd_op *op;

	uea_requested_find(&requested, ctx);
	if (!requested.uetd)
		return;
	snprintf(object, sizeof(object), "%s %s", kind, name);
	if (uea_requested_read(&requested, &diag)) {
		uea_note("%s: uetd may undo this: %s cannot be read, or has an error",
			 object, requested.path);
	} else if (!uea_requested_plan(&requested)) {
		op = find_op(&requested.plan, object);
		if (op)
			warn(&requested, op, object);
	}
	uea_requested_free(&requested);
}
