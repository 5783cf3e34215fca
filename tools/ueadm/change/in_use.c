// SPDX-License-Identifier: GPL-2.0
/*
 * Users of an object, for which the kernel does not delete it: FEPs of a rail or secure
 * domain, jobs of a FEP, programs of a job.
 */
#include <linux/genetlink.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <linux/uet_nl.h>

#include "ueadm.h"

#define USERS_MAX	8

/**
 * struct users - names of users, with commas between
 * @text: the names
 * @nr: number of users
 */
struct users {
	char text[256];
	unsigned int nr;
};

__attribute__((format(printf, 2, 3)))
static void add_user(struct users *users, const char *fmt, ...)
{
	size_t used = strlen(users->text);
	va_list args;

	if (users->nr++ >= USERS_MAX)
		return;
	if (used)
		used += snprintf(users->text + used, sizeof(users->text) - used,
				 ", ");
	va_start(args, fmt);
	if (used < sizeof(users->text))
		vsnprintf(users->text + used, sizeof(users->text) - used, fmt,
			  args);
	va_end(args);
}

/**
 * uea_has_name() - is a name in a list of a record?
 * @record: the record
 * @key: of the list
 * @sub_key: of the name in an element; NULL: elements are names
 * @name: the name
 *
 * Return: whether it is there.
 */
bool uea_has_name(struct json_object *record, const char *key,
		  const char *sub_key, const char *name)
{
	struct json_object *list = json_object_object_get(record, key), *one;
	size_t i;

	for (i = 0; list && i < json_object_array_length(list); i++) {
		one = json_object_array_get_idx(list, i);
		if (!strcmp(sub_key ? uea_text_of(one, sub_key) :
				      json_object_get_string(one), name))
			return true;
	}
	return false;
}

static void find_users(struct uea_ctx *ctx, struct users *users,
		       const char *name)
{
	const struct uea_object *kind = ctx->object;
	struct json_object *all = NULL, *one;
	size_t i;

	if (uea_dump(ctx, kind == &uea_fep ? &uea_job : &uea_fep, &all))
		goto out;
	for (i = 0; i < json_object_array_length(all); i++) {
		one = json_object_array_get_idx(all, i);
		if (kind == &uea_fep && uea_has_name(one, "feps", NULL, name))
			add_user(users, "job %s", uea_text_of(one, "id"));
		if (kind == &uea_rail && uea_has_name(one, "rails", "dev", name))
			add_user(users, "fep %s", uea_text_of(one, "name"));
		if (kind == &uea_sd && !strcmp(uea_text_of(one, "sd"), name))
			add_user(users, "fep %s", uea_text_of(one, "name"));
	}
out:
	json_object_put(all);
}

static void find_programs(struct uea_ctx *ctx, struct users *users,
			  const char *job)
{
	struct json_object *eps = NULL, *ep;
	size_t i;

	if (uea_dump(ctx, &uea_ep, &eps))
		goto out;
	uea_find_processes(eps);
	for (i = 0; i < json_object_array_length(eps); i++) {
		ep = json_object_array_get_idx(eps, i);
		if (uea_number_of(ep, "job") == strtoul(job, NULL, 10) &&
		    uea_has(ep, "process"))
			add_user(users, "process %s (%s)",
				 uea_text_of(ep, "process"),
				 uea_text_of(ep, "command"));
	}
out:
	json_object_put(eps);
}

/* The name of the object, from the request. */
static bool read_name(const struct uea_ctx *ctx, char *name, size_t size,
		      const struct nlmsghdr *request)
{
	const struct nlattr *attr;

	mnl_attr_for_each(attr, request, sizeof(struct genlmsghdr)) {
		if (ctx->object == &uea_rail)
			return if_indextoname(mnl_attr_get_u32(attr), name);
		if (ctx->object == &uea_job)
			snprintf(name, size, "%u", mnl_attr_get_u32(attr));
		else
			snprintf(name, size, "%s", mnl_attr_get_str(attr));
		return true;
	}
	return false;
}

/**
 * uea_in_use_explain() - say who uses an object that was not deleted
 * @ctx: run
 * @request: what was refused
 * @text: text of the kernel
 *
 * Return: whether a message was printed instead of @text.
 */
bool uea_in_use_explain(struct uea_ctx *ctx, const struct nlmsghdr *request,
			const char *text)
{
	struct users users = { .text = "" };
	char name[64];

	if ((!strstr(text, "use") && !strstr(text, "bound")) ||
	    !read_name(ctx, name, sizeof(name), request))
		return false;
	if (ctx->object == &uea_job)
		find_programs(ctx, &users, name);
	else
		find_users(ctx, &users, name);
	if (!users.nr)
		return false;
	uea_fail(0, "%s %s: in use by %s%s", ctx->object->name, name,
		 users.text, users.nr > USERS_MAX ? " and others" : "");
	return true;
}
