// SPDX-License-Identifier: GPL-2.0
/*
 * The subject of a refusal, as it was typed: the object that a command names, or the
 * value that the kernel points to.
 */
#include <arpa/inet.h>
#include <inttypes.h>
#include <linux/genetlink.h>
#include <net/if.h>
#include <stdarg.h>
#include <string.h>

#include "ueadm.h"

__attribute__((format(printf, 3, 4)))
static void append(char *buf, size_t size, const char *fmt, ...)
{
	size_t used = strlen(buf);
	va_list args;

	va_start(args, fmt);
	vsnprintf(buf + used, size - used, fmt, args);
	va_end(args);
}

/* An IPv6 address has the number behind that of the parameter. */
static bool is_of(const struct uea_param *param, const struct nlattr *attr)
{
	uint16_t type = mnl_attr_get_type(attr);

	return type == param->attr ||
	       (param->arg == UEA_ARG_ADDR && type == param->attr + 1);
}

/**
 * uea_param_of() - the parameter that became an attribute
 * @verb: verb; may be NULL
 * @attr: attribute of a request; may be NULL
 *
 * Return: the parameter, or NULL.
 */
const struct uea_param *uea_param_of(const struct uea_verb *verb,
				     const struct nlattr *attr)
{
	unsigned int i;

	for (i = 0; attr && verb && i < verb->nr_params; i++) {
		if (is_of(&verb->params[i], attr))
			return &verb->params[i];
	}
	return NULL;
}

/* The first verb with the request: "job run" sends that of "add".  NULL: of another object. */
static const struct uea_verb *verb_of(const struct uea_ctx *ctx,
				      const struct nlmsghdr *request)
{
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(request);
	const struct uea_verb *verb;

	for (verb = ctx->object->verbs; verb->name; verb++) {
		if (verb->cmd == genl->cmd)
			return verb;
	}
	return NULL;
}

static void append_netdev(char *buf, size_t size, unsigned int ifindex)
{
	char dev[IF_NAMESIZE];

	if (if_indextoname(ifindex, dev))
		append(buf, size, "%s", dev);
	else
		append(buf, size, "#%u", ifindex);
}

static void append_value(char *buf, size_t size, const struct uea_param *param,
			 const struct nlattr *attr)
{
	const void *payload = mnl_attr_get_payload(attr);
	char addr[INET6_ADDRSTRLEN];

	switch (param->arg) {
	case UEA_ARG_STRING:
	case UEA_ARG_STRINGS:
		append(buf, size, "%s", mnl_attr_get_str(attr));
		break;
	case UEA_ARG_DEV:
	case UEA_ARG_DEVS:
		append_netdev(buf, size, mnl_attr_get_u32(attr));
		break;
	case UEA_ARG_ADDR:
		inet_ntop(mnl_attr_get_type(attr) == param->attr ? AF_INET :
								   AF_INET6,
			  payload, addr, sizeof(addr));
		append(buf, size, "%s", addr);
		break;
	case UEA_ARG_U16:
		append(buf, size, "%u", mnl_attr_get_u16(attr));
		break;
	case UEA_ARG_U32:
	case UEA_ARG_USER:
	case UEA_ARG_GROUP:
		append(buf, size, "%u", mnl_attr_get_u32(attr));
		break;
	default:
		append(buf, size, "?");
	}
}

static const char *param_name(const struct uea_param *param)
{
	return param->word ? param->word : param->value;
}

/* The words that name the object: "fep fep0" or "pdc fep fep0 id 7". */
static void name_object(char *buf, size_t size, const struct uea_verb *verb,
			const struct nlmsghdr *request)
{
	bool has_words = verb->nr_params && verb->params->word;
	const struct uea_param *param;
	const struct nlattr *attr;

	mnl_attr_for_each(attr, request, sizeof(struct genlmsghdr)) {
		param = uea_param_of(verb, attr);
		if (!param || !param->is_needed || !!param->word != has_words)
			continue;
		append(buf, size, " ");
		if (has_words)
			append(buf, size, "%s ", param->word);
		append_value(buf, size, param, attr);
	}
}

/**
 * uea_subject() - say what a refused request is about
 * @buf: text: "fep fep0", "pdc fep fep0 id 7" or, for the value of a new object,
 *	"job: feps fep7"
 * @size: space
 * @ctx: run
 * @request: what was refused
 * @attr: attribute that the kernel points to; NULL: none
 */
void uea_subject(char *buf, size_t size, const struct uea_ctx *ctx,
		 const struct nlmsghdr *request, const struct nlattr *attr)
{
	const struct uea_verb *verb = verb_of(ctx, request);
	const struct uea_param *param = uea_param_of(verb, attr);

	snprintf(buf, size, "%s", ctx->object->name);
	if (param && (!param->is_needed || !strcmp(verb->name, "add"))) {
		append(buf, size, ": %s ", param_name(param));
		append_value(buf, size, param, attr);
	} else if (verb) {
		name_object(buf, size, verb, request);
	}
}
