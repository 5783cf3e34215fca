// SPDX-License-Identifier: GPL-2.0
/*
 * Words to netlink attributes, by the parameter table of a verb; and the usage
 * text, from the same table.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <grp.h>
#include <inttypes.h>
#include <net/if.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#include <linux/uet_nl.h>

#include "number.h"
#include "ueadm.h"
#include "uet_profiles.h"

/* Lists are cut up in a copy of the word. */
#define ARGS_WORD_MAX	512

static const char *param_name(const struct uea_param *param)
{
	return param->word ? param->word : param->value;
}

static uint64_t param_max(const struct uea_param *param)
{
	if (param->max)
		return param->max;
	switch (param->arg) {
	case UEA_ARG_U8:
		return UINT8_MAX;
	case UEA_ARG_U16:
	case UEA_ARG_RANGE:
		return UINT16_MAX;
	default:
		return UINT32_MAX;
	}
}

static bool read_number(const char *word, uint32_t *number)
{
	unsigned long long value;
	char *end;

	/* strtoull() would take blanks and signs. */
	if (*word < '0' || *word > '9')
		return false;
	errno = 0;
	value = strtoull(word, &end, 0);
	if (errno || *end || value > UINT32_MAX)
		return false;
	*number = value;
	return true;
}

static int arg_number(const struct uea_ctx *ctx, const struct uea_param *param,
		      const char *word, uint32_t *number)
{
	bool is_number = read_number(word, number);

	if (!is_number && strchr(param->value, '|'))
		return uea_usage(ctx, "%s must be %s, not \"%s\"",
				 param_name(param), param->value, word);
	if (is_number && *number >= param->min &&
	    *number <= param_max(param) &&
	    !(param->is_pow2 && *number & (*number - 1)))
		return UEA_OK;
	return uea_usage(ctx, "%s must be a %s from %" PRIu64 " to %" PRIu64
			 ", not \"%s\"", param_name(param),
			 param->is_pow2 ? "power of two" : "number",
			 param->min, param_max(param), word);
}

static int arg_time(const struct uea_ctx *ctx, const struct uea_param *param,
		    const char *word, struct nlmsghdr *nlh)
{
	char min[32], max[32];
	uint64_t ns;

	if (number_read_time(word, &ns) && ns >= param->min &&
	    ns <= param->max) {
		mnl_attr_put_u64(nlh, param->attr, ns);
		return UEA_OK;
	}
	uea_format_time(min, sizeof(min), param->min);
	uea_format_time(max, sizeof(max), param->max);
	return uea_usage(ctx, "%s must be a time with its unit, ns, us, ms or s, from %s to %s, not \"%s\"",
			 param_name(param), min, max, word);
}

static int arg_dscp(const struct uea_ctx *ctx, const struct uea_param *param,
		    const char *word, struct nlmsghdr *nlh)
{
	uint32_t number = UET_DSCP_NONE;
	int status = UEA_OK;

	if (strcmp(word, "none"))
		status = arg_number(ctx, param, word, &number);
	if (!status)
		mnl_attr_put_u8(nlh, param->attr, number);
	return status;
}

static int arg_string(const struct uea_ctx *ctx, const struct uea_param *param,
		      const char *word, struct nlmsghdr *nlh)
{
	if (!*word || strlen(word) > param->max)
		return uea_usage(ctx, "%s must be a name of 1 to %" PRIu64
				 " characters, not \"%s\"",
				 param_name(param), param->max, word);
	mnl_attr_put_strz(nlh, param->attr, word);
	return UEA_OK;
}

static int arg_dev(const struct uea_ctx *ctx, const struct uea_param *param,
		   const char *word, struct nlmsghdr *nlh)
{
	unsigned int ifindex = if_nametoindex(word);

	if (!ifindex)
		return uea_fail(errno, "%s: netdev \"%s\"", ctx->object->name,
				word);
	mnl_attr_put_u32(nlh, param->attr, ifindex);
	return UEA_OK;
}

/* Each of the words between the commas. */
static int arg_list(const struct uea_ctx *ctx, const struct uea_param *param,
		    const char *word, struct nlmsghdr *nlh)
{
	char copy[ARGS_WORD_MAX], *rest = copy, *one;
	unsigned int nr = 0;
	int status;

	if (strlen(word) >= sizeof(copy))
		return uea_usage(ctx, "%s is too long", param_name(param));
	strcpy(copy, word);
	while ((one = strsep(&rest, ","))) {
		if (!*one)
			return uea_usage(ctx, "%s has an empty name in \"%s\"",
					 param_name(param), word);
		if (++nr > UEA_LIST_MAX)
			return uea_usage(ctx, "%s takes %d names at most",
					 param_name(param), UEA_LIST_MAX);
		status = param->arg == UEA_ARG_DEVS ?
			 arg_dev(ctx, param, one, nlh) :
			 arg_string(ctx, param, one, nlh);
		if (status)
			return status;
	}
	return UEA_OK;
}

static int arg_addr(const struct uea_ctx *ctx, const struct uea_param *param,
		    const char *word, struct nlmsghdr *nlh)
{
	char copy[INET6_ADDRSTRLEN + IF_NAMESIZE + 1], *dev;
	struct in6_addr v6;
	struct in_addr v4;
	unsigned int scope;

	if (inet_pton(AF_INET, word, &v4) == 1) {
		mnl_attr_put(nlh, param->attr, sizeof(v4), &v4);
		return UEA_OK;
	}
	snprintf(copy, sizeof(copy), "%s", word);
	dev = strchr(copy, '%');
	if (dev)
		*dev++ = 0;
	if (strlen(word) >= sizeof(copy) || inet_pton(AF_INET6, copy, &v6) != 1)
		return uea_usage(ctx, "%s must be an IPv4 or IPv6 address, not \"%s\"",
				 param_name(param), word);
	mnl_attr_put(nlh, param->attr + 1, sizeof(v6), &v6);
	if (!dev)
		return UEA_OK;
	scope = if_nametoindex(dev);
	if (!scope)
		return uea_fail(errno, "%s: netdev \"%s\" of %s",
				ctx->object->name, dev, param_name(param));
	mnl_attr_put_u32(nlh, param->attr + 2, scope);
	return UEA_OK;
}

static int arg_choice(const struct uea_ctx *ctx, const struct uea_param *param,
		      const char *word, struct nlmsghdr *nlh)
{
	unsigned int i;

	for (i = 0; param->choices[i]; i++) {
		if (strcmp(word, param->choices[i]))
			continue;
		mnl_attr_put_u8(nlh, param->attr, i);
		return UEA_OK;
	}
	return uea_usage(ctx, "%s must be %s, not \"%s\"", param_name(param),
			 param->value, word);
}

static int arg_range(const struct uea_ctx *ctx, const struct uea_param *param,
		     const char *word, struct nlmsghdr *nlh)
{
	char copy[32], *last;
	uint32_t min, max;
	int status;

	snprintf(copy, sizeof(copy), "%s", word);
	last = strchr(copy, '-');
	if (last)
		*last++ = 0;
	status = arg_number(ctx, param, copy, &min);
	if (!status)
		status = arg_number(ctx, param, last ? last : copy, &max);
	if (status)
		return status;
	if (min > max)
		return uea_usage(ctx, "%s must not begin above its end: \"%s\"",
				 param_name(param), word);
	mnl_attr_put_u16(nlh, param->attr, min);
	mnl_attr_put_u16(nlh, param->attr + 1, max);
	return UEA_OK;
}

static int arg_owner(const struct uea_ctx *ctx, const struct uea_param *param,
		     const char *word, struct nlmsghdr *nlh)
{
	const struct passwd *user;
	const struct group *group;
	uint32_t id;

	if (read_number(word, &id)) {
		mnl_attr_put_u32(nlh, param->attr, id);
		return UEA_OK;
	}
	if (param->arg == UEA_ARG_USER) {
		user = getpwnam(word);
		if (!user)
			return uea_fail(0, "%s: no user is called \"%s\"",
					ctx->object->name, word);
		id = user->pw_uid;
	} else {
		group = getgrnam(word);
		if (!group)
			return uea_fail(0, "%s: no group is called \"%s\"",
					ctx->object->name, word);
		id = group->gr_gid;
	}
	mnl_attr_put_u32(nlh, param->attr, id);
	return UEA_OK;
}

static int put_number(const struct uea_ctx *ctx, const struct uea_param *param,
		      const char *word, struct nlmsghdr *nlh)
{
	uint32_t number;
	int status = arg_number(ctx, param, word, &number);

	if (status)
		return status;
	if (param->arg == UEA_ARG_U8)
		mnl_attr_put_u8(nlh, param->attr, number);
	else if (param->arg == UEA_ARG_U16)
		mnl_attr_put_u16(nlh, param->attr, number);
	else
		mnl_attr_put_u32(nlh, param->attr, number);
	return UEA_OK;
}

static int put_u64(const struct uea_ctx *ctx, const struct uea_param *param,
		   const char *word, struct nlmsghdr *nlh)
{
	unsigned long long number;
	char *end;

	errno = 0;
	number = strtoull(word, &end, 0);
	if (*word < '0' || *word > '9' || errno || *end ||
	    number < param->min || number > param->max)
		return uea_usage(ctx, "%s must be a number from %" PRIu64
				 " to %" PRIu64 ", not \"%s\"",
				 param_name(param), param->min, param->max, word);
	mnl_attr_put_u64(nlh, param->attr, number);
	return UEA_OK;
}

static int put_value(const struct uea_ctx *ctx, const struct uea_param *param,
		     const char *word, struct nlmsghdr *nlh)
{
	switch (param->arg) {
	case UEA_ARG_STRING:
		return arg_string(ctx, param, word, nlh);
	case UEA_ARG_STRINGS:
	case UEA_ARG_DEVS:
		return arg_list(ctx, param, word, nlh);
	case UEA_ARG_DEV:
		return arg_dev(ctx, param, word, nlh);
	case UEA_ARG_ADDR:
		return arg_addr(ctx, param, word, nlh);
	case UEA_ARG_CHOICE:
		return arg_choice(ctx, param, word, nlh);
	case UEA_ARG_RANGE:
		return arg_range(ctx, param, word, nlh);
	case UEA_ARG_TIME:
		return arg_time(ctx, param, word, nlh);
	case UEA_ARG_DSCP:
		return arg_dscp(ctx, param, word, nlh);
	case UEA_ARG_U64:
		return put_u64(ctx, param, word, nlh);
	case UEA_ARG_USER:
	case UEA_ARG_GROUP:
		return arg_owner(ctx, param, word, nlh);
	default:
		return put_number(ctx, param, word, nlh);
	}
}

/**
 * uea_param_word() - the words of a verb's parameters, for uea_word_find()
 * @verb: struct uea_verb
 * @i: number of the parameter
 *
 * Return: its word, "" if it has none; NULL behind the last.
 */
const char *uea_param_word(const void *verb, size_t i)
{
	const struct uea_verb *of = verb;

	if (i >= of->nr_params)
		return NULL;
	return of->params[i].word ? of->params[i].word : "";
}

/* The parameter a word is: the next without a word of its own, or by name. */
static int find_param(const struct uea_ctx *ctx, const char *word,
		      uint64_t seen, const struct uea_param **param)
{
	const struct uea_verb *verb = ctx->verb;
	int i, status;

	*param = NULL;
	for (i = 0; i < (int)verb->nr_params; i++) {
		if (verb->params[i].word || seen & 1ULL << i)
			continue;
		*param = &verb->params[i];
		return UEA_OK;
	}
	status = uea_word_find(ctx, "word", word, uea_param_word, verb, &i);
	if (status)
		return status;
	if (i == UEA_NO_WORD)
		return uea_word_unknown(ctx, "word", word, uea_param_word,
					verb);
	*param = &verb->params[i];
	return UEA_OK;
}

static int check_needed(const struct uea_ctx *ctx, uint64_t seen)
{
	const struct uea_verb *verb = ctx->verb;
	unsigned int i;

	for (i = 0; i < verb->nr_params; i++) {
		if (verb->params[i].is_needed && !(seen & 1ULL << i))
			return uea_usage(ctx, "%s is missing",
					 param_name(&verb->params[i]));
	}
	return UEA_OK;
}

/* Return: the profile that a word names, or NULL with a message printed. */
static const struct uet_profile *arg_profile(const struct uea_ctx *ctx,
					     const struct uea_param *param,
					     const char *word)
{
	const struct uet_profile *profile = uet_profile_find(word);

	if (!profile)
		uea_usage(ctx, "%s must be %s, not \"%s\"", param->word,
			  param->value, word);
	return profile;
}

/* The settings of a profile that are not given. */
static int put_profile(const struct uea_ctx *ctx,
		       const struct uet_profile *profile, uint64_t seen,
		       struct nlmsghdr *nlh)
{
	const struct uet_profile_setting *setting = profile->settings;
	const struct uea_param *param;
	int status = UEA_OK;

	for (; !status && setting->word; setting++) {
		status = find_param(ctx, setting->word, seen, &param);
		if (!status && !(seen & 1ULL << (param - ctx->verb->params)))
			status = put_value(ctx, param, setting->value, nlh);
	}
	return status;
}

/**
 * uea_args() - turn the words of a command into attributes
 * @ctx: run
 * @words: what stands behind the verb, NULL behind the last
 * @nlh: request, attributes are added
 *
 * Return: UEA_OK, or another exit status with a message printed.
 */
int uea_args(const struct uea_ctx *ctx, char **words, struct nlmsghdr *nlh)
{
	const struct uea_verb *verb = ctx->verb;
	const struct uet_profile *profile = NULL;
	const struct uea_param *param;
	uint64_t seen = 0, bit;
	int status;

	for (; *words; words++) {
		status = find_param(ctx, *words, seen, &param);
		if (status)
			return status;
		bit = 1ULL << (param - verb->params);
		if (param->arg == UEA_ARG_FIXED)
			return uea_usage(ctx, "%s is fixed, it takes %s del and %s add",
					 param->word, ctx->object->name,
					 ctx->object->name);
		if (seen & bit)
			return uea_usage(ctx, "%s is there twice",
					 param_name(param));
		seen |= bit;
		if (param->arg == UEA_ARG_FLAG) {
			mnl_attr_put(nlh, param->attr, 0, NULL);
			continue;
		}
		if (param->word && !*++words)
			return uea_usage(ctx, "%s needs a value: %s",
					 param->word, param->value);
		if (param->arg == UEA_ARG_PROFILE) {
			profile = arg_profile(ctx, param, *words);
			status = profile ? UEA_OK : UEA_USAGE;
		} else {
			status = put_value(ctx, param, *words, nlh);
		}
		if (status)
			return status;
	}
	status = verb->filters ? UEA_OK : check_needed(ctx, seen);
	return status || !profile ? status :
				    put_profile(ctx, profile, seen, nlh);
}

/**
 * uea_args_open() - read the words of a command, and open the netlink socket
 * @ctx: run
 * @words: as for uea_args()
 * @nlh: as for uea_args()
 *
 * Return: UEA_OK, else an error was printed.
 */
int uea_args_open(struct uea_ctx *ctx, char **words, struct nlmsghdr *nlh)
{
	int status = uea_args(ctx, words, nlh);

	return status ? status : uea_nl_open(ctx);
}

/* How a parameter looks in usage text; returns its length. */
static int param_usage(char *buf, size_t size, const struct uea_param *param,
		       bool is_needed)
{
	return snprintf(buf, size, "%s%s%s%s%s", is_needed ? "" : "[",
			param->word ? param->word : "",
			param->word && param->value ? " " : "",
			param->value ? param->value : "",
			is_needed ? "" : "]");
}

/**
 * uea_args_usage() - print the usage text of a verb
 * @out: where to
 * @object: what it is done to
 * @verb: what is done
 */
void uea_args_usage(FILE *out, const struct uea_object *object,
		    const struct uea_verb *verb)
{
	/* Showing all needs no arguments, the default no verb. */
	bool is_show = verb->run == uea_run_show && verb->nr_params &&
		       !verb->filters;
	const char *format = object->has_default ? " [%s]" : " %s";
	char text[80];
	unsigned int i;
	int column;

	column = fprintf(out, "       ueadm %s", object->name);
	if (!object->is_verb)
		column += fprintf(out, format, verb->name);
	for (i = 0; i < verb->nr_params; i++) {
		if (verb->params[i].arg == UEA_ARG_FIXED)
			continue;
		column += 2 + param_usage(text, sizeof(text), &verb->params[i],
					  verb->params[i].is_needed &&
					  !verb->filters);
		if (column > 78)
			column = fprintf(out, "\n%*s", 16, "") + strlen(text);
		fprintf(out, " %s%s", is_show && !i ? "[" : "", text);
	}
	if (verb->tail)
		fprintf(out, " %s", verb->tail);
	fputs(is_show ? "]\n" : "\n", out);
}
