// SPDX-License-Identifier: GPL-2.0
/*
 * Makes the kernel match a configuration file, or empties it: once, with uetd's
 * parser and planner.  An error in the file changes nothing; objects in use
 * stay.
 */
#include <linux/genetlink.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "conf/conf.h"
#include "netlink/kernel.h"
#include "netlink/link.h"
#include "plan/plan.h"
#include "syncconf.h"
#include "ueadm.h"

/* Attributes that are not for the kernel. */
enum {
	SYNC_A_FILE = 1,
	SYNC_A_DRY_RUN,
};

static const struct uea_param sync_params[] = {
	{
		.value = "FILE", .arg = UEA_ARG_STRING, .attr = SYNC_A_FILE,
		.max = 255, .is_needed = true,
	},
	{ .word = "dry-run", .arg = UEA_ARG_FLAG, .attr = SYNC_A_DRY_RUN },
};

static const struct uea_param reset_params[] = {
	{ .word = "dry-run", .arg = UEA_ARG_FLAG, .attr = SYNC_A_DRY_RUN },
};

/**
 * struct sync - a run
 * @ctx: of the program
 * @file: configuration file; NULL: delete all objects
 * @is_dry: print the changes without making them
 * @conf: requested state
 * @links: the netdevs
 * @model: state of the kernel
 * @kernel: connection to it
 * @plan: changes to make
 * @done: JSON array of the changes made, or planned
 */
struct sync {
	struct uea_ctx *ctx;
	const char *file;
	bool is_dry;
	struct uetd_conf conf;
	struct uetd_links links;
	struct uetd_model model;
	struct uetd_kernel kernel;
	struct uetd_plan plan;
	struct json_object *done;
};

/**
 * uea_conf_kernel() - read the kernel's state like uetd
 * @ctx: run
 * @kernel: connection, to be closed, also after an error
 * @model: filled in, to be freed
 *
 * Return: UEA_OK, or UEA_FAILED with a message printed.
 */
int uea_conf_kernel(struct uea_ctx *ctx, struct uetd_kernel *kernel,
		    struct uetd_model *model)
{
	int status;

	memset(kernel, 0, sizeof(*kernel));
	/* This call prints the message for a missing module. */
	status = uea_nl_open(ctx);
	if (status)
		return status;
	if (uetd_kernel_open(kernel) && uetd_kernel_read(kernel, model))
		return UEA_OK;
	return uea_fail(0, "%s: %s", ctx->object->name, kernel->error);
}

/**
 * uea_conf_error() - report an error in a file
 * @data: not used
 * @error_text: the error
 */
void uea_conf_error(void *data, const struct uetd_conf_error *error_text)
{
	char line[16] = "";

	(void)data;
	/* 0: the error concerns the file. */
	if (error_text->line)
		snprintf(line, sizeof(line), "%u:", error_text->line);
	uea_fail(0, "%s:%s %s%s%s%s%s%s", error_text->file, line,
		 error_text->section ? "[" : "",
		 error_text->section ? error_text->section : "",
		 error_text->section ? "]: " : "",
		 error_text->key ? error_text->key : "",
		 error_text->key ? ": " : "", error_text->text);
}

static int read_file(struct sync *sync)
{
	struct uetd_diag diag = { .tell = uea_conf_error };
	bool is_stdin = sync->file && !strcmp(sync->file, "-");
	char *paths[] = {
		is_stdin ? "/dev/stdin" : (char *)sync->file, NULL,
	};

	/* Messages may name keys. */
	prctl(PR_SET_DUMPABLE, 0);
	if (!sync->file || uetd_conf_load_files(&sync->conf, paths, &diag))
		return UEA_OK;
	return UEA_FAILED;
}

/**
 * uea_conf_links() - read the netdevs
 * @ctx: run
 * @links: filled in, to be freed
 *
 * Return: UEA_OK, or UEA_FAILED with a message printed.
 */
int uea_conf_links(struct uea_ctx *ctx, struct uetd_links *links)
{
	struct uetd_watch watch = { .sock = NULL };
	int status = uetd_watch_open(&watch);

	if (status >= 0)
		status = uetd_watch_read(&watch, links);
	uetd_watch_close(&watch);
	return status >= 0 ? UEA_OK :
	       uea_fail(0, "%s: reading the netdevs: %s", ctx->object->name,
			uetd_watch_error(status));
}

static void tell_done(struct sync *sync, const char *object, const char *verb)
{
	struct json_object *one = json_object_new_object();

	if (!sync->ctx->is_json)
		printf("%s: %s\n", object, verb);
	json_object_object_add(one, "object", json_object_new_string(object));
	json_object_object_add(one, "change", json_object_new_string(verb));
	json_object_array_add(sync->done, one);
}

/* @failed: the failed change that @op depends on, or NULL */
static int apply_op(struct sync *sync, const struct uetd_op *op,
		    const struct uetd_op *failed)
{
	char object[UETD_TEXT_MAX], verb[UETD_TEXT_MAX], other[UETD_TEXT_MAX];

	uetd_op_object(object, sizeof(object), op);
	uetd_op_verb(verb, sizeof(verb), op);
	if (failed) {
		uetd_op_object(other, sizeof(other), failed);
		return uea_fail(0, "%s: %s: not done after %s", object, verb,
				other);
	}
	if (!sync->is_dry && !uetd_kernel_change(&sync->kernel, op))
		return uea_fail(0, "%s: %s: %s", object, verb,
				sync->kernel.error);
	tell_done(sync, object, verb);
	return UEA_OK;
}

static int apply(struct sync *sync)
{
	const struct uetd_plan *plan = &sync->plan;
	struct uetd_failed failed = { .marks.root = NULL };
	const struct uetd_op *op;
	int status = UEA_OK;
	size_t i;

	for (i = 0; i < plan->nr_ops; i++) {
		op = &plan->ops[i];
		if (apply_op(sync, op, uetd_failed_find(&failed, op)) == UEA_OK)
			continue;
		uetd_failed_add(&failed, op);
		status = UEA_FAILED;
	}
	for (i = 0; i < plan->nr_waits; i++)
		status = uea_fail(0, "%s: %s", plan->waits[i].object,
				  plan->waits[i].reason);
	uetd_failed_free(&failed);
	return status;
}

static int synchronise(struct sync *sync)
{
	int status = read_file(sync);

	if (!status)
		status = uea_conf_kernel(sync->ctx, &sync->kernel,
					 &sync->model);
	if (!status)
		status = uea_conf_links(sync->ctx, &sync->links);
	if (status)
		return status;
	/* The kernel is to be equal to the file, unless the file says otherwise. */
	if (!sync->conf.has_foreign)
		sync->conf.foreign = UETD_FOREIGN_DELETE;
	uetd_plan_make(&sync->plan, &sync->conf, &sync->links, &sync->model,
		       time(NULL));
	status = apply(sync);
	if (sync->ctx->is_json)
		uea_print_json(sync->ctx, sync->done);
	return status;
}

static int sync_run(struct uea_ctx *ctx, const struct uea_object *object,
		    const struct uea_verb *verb, char **words)
{
	struct sync sync = { .ctx = ctx };
	char buf[UEA_NL_BUF];
	struct nlmsghdr *args = uea_nl_request(ctx, buf, verb->cmd);
	const struct nlattr *attr;
	int status = uea_args(ctx, words, args);

	(void)object;
	if (status)
		return status;
	mnl_attr_for_each(attr, args, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) == SYNC_A_FILE)
			sync.file = mnl_attr_get_str(attr);
		else
			sync.is_dry = true;
	}
	sync.done = json_object_new_array();
	status = synchronise(&sync);
	json_object_put(sync.done);
	uetd_plan_free(&sync.plan);
	uetd_model_free(&sync.model);
	uetd_links_free(&sync.links);
	uetd_conf_free(&sync.conf);
	uetd_kernel_close(&sync.kernel);
	return status;
}

static const struct uea_verb sync_verbs[] = {
	{ .name = "syncconf", .run = sync_run, UEA_PARAMS(sync_params) },
	{ .name = NULL },
};

const struct uea_object uea_syncconf = {
	.name = "syncconf",
	.verbs = sync_verbs,
	.is_verb = true,
};

static const struct uea_verb reset_verbs[] = {
	{ .name = "reset", .run = sync_run, UEA_PARAMS(reset_params) },
	{ .name = NULL },
};

const struct uea_object uea_reset = {
	.name = "reset",
	.verbs = reset_verbs,
	.is_verb = true,
};
