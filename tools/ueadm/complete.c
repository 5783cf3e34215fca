// SPDX-License-Identifier: GPL-2.0
/*
 * Completion for the shell: the words that may stand at the end of a command,
 * one per line.  The words come from the tables that parse commands; names of
 * rails, FEPs and jobs come from the kernel.
 */
#define _GNU_SOURCE	/* strchrnul() */
#include <ctype.h>
#include <net/if.h>
#include <string.h>

#include "ueadm.h"

/* Prints @name behind @front if it begins with @part. */
static void offer(const char *front, size_t front_length, const char *part,
		  const char *name, size_t length)
{
	if (length && !strncmp(name, part, strlen(part)) &&
	    strlen(part) <= length)
		printf("%.*s%.*s\n", (int)front_length, front, (int)length,
		       name);
}

static void offer_word(const char *part, const char *name)
{
	offer("", 0, part, name, strlen(name));
}

/* The words among the values that usage text has for a parameter. */
static void offer_choices(const char *part, const char *values)
{
	const char *end;

	for (; *values; values = *end ? end + 1 : end) {
		end = strchrnul(values, '|');
		if (!isupper(*values))
			offer("", 0, part, values, end - values);
	}
}

/* The first field of an object is its name. */
static void offer_names(struct uea_ctx *ctx, const struct uea_object *object,
			const char *word)
{
	const char *comma = strrchr(word, ','), *name;
	const char *part = comma ? comma + 1 : word;
	struct json_object *records;
	size_t i;

	if (uea_nl_open(ctx))
		return;
	if (!uea_dump(ctx, object, &records)) {
		for (i = 0; i < json_object_array_length(records); i++) {
			name = json_object_get_string(json_object_object_get(
				json_object_array_get_idx(records, i),
				object->fields[0].key));
			if (name)
				offer(word, part - word, part, name,
				      strlen(name));
		}
	}
	json_object_put(records);
}

static void offer_netdevs(const char *part)
{
	struct if_nameindex *all = if_nameindex(), *one;

	for (one = all; one && one->if_name; one++)
		offer_word(part, one->if_name);
	if (all)
		if_freenameindex(all);
}

static void offer_values(struct uea_ctx *ctx, const struct uea_param *param,
			 const char *part)
{
	if (param->names)
		offer_names(ctx, param->names, part);
	else if (param->arg == UEA_ARG_DEV)
		offer_netdevs(part);
	else if (strchr(param->value, '|'))
		offer_choices(part, param->value);
}

/* The number of the parameter that @word names; UEA_NO_WORD: none. */
static int param_of(const struct uea_ctx *ctx, const char *word, uint64_t seen)
{
	const struct uea_verb *verb = ctx->verb;
	int i;

	for (i = 0; i < (int)verb->nr_params; i++) {
		if (!verb->params[i].word && !(seen & 1ULL << i))
			return i;
	}
	if (uea_word_find(ctx, "word", word, uea_param_word, verb, &i))
		return UEA_NO_WORD;
	return i;
}

static void offer_params(const struct uea_verb *verb, uint64_t seen,
			 const char *part)
{
	const struct uea_param *param;
	unsigned int i;

	for (i = 0; i < verb->nr_params; i++) {
		param = &verb->params[i];
		if (param->word && param->arg != UEA_ARG_FIXED &&
		    !(seen & 1ULL << i))
			offer_word(part, param->word);
	}
}

/* @words are those behind the verb; the last is the one to complete. */
static void complete_params(struct uea_ctx *ctx, char **words)
{
	const struct uea_param *param;
	uint64_t seen = 0;
	int i;

	for (;; words++) {
		i = param_of(ctx, *words, seen);
		param = i == UEA_NO_WORD ? NULL : &ctx->verb->params[i];
		if (!words[1] && param && !param->word) {
			offer_values(ctx, param, *words);
			return;
		}
		if (!words[1]) {
			offer_params(ctx->verb, seen, *words);
			return;
		}
		if (!param)
			return;
		seen |= 1ULL << i;
		if (!param->word || param->arg == UEA_ARG_FLAG)
			continue;
		if (!*++words || words[1])
			continue;
		offer_values(ctx, param, *words);
		return;
	}
}

static void complete_verb(struct uea_ctx *ctx, const char *part)
{
	const struct uea_verb *verb;

	for (verb = ctx->object->verbs; verb->name; verb++)
		offer_word(part, verb->name);
	offer_word(part, "help");
	if (ctx->object->has_default)
		offer_params(ctx->object->verbs, 0, part);
}

/* Finds the verb of @words; returns how many of them it takes. */
static int take_verb(struct uea_ctx *ctx, char **words)
{
	const struct uea_verb *verbs = ctx->object->verbs;
	int i = UEA_NO_WORD;

	ctx->verb = verbs;
	if (ctx->object->is_verb)
		return 0;
	if (uea_word_find(ctx, "verb", *words, uea_verb_name, verbs, &i))
		i = UEA_NO_WORD;
	if (i == UEA_NO_WORD) {
		ctx->verb = ctx->object->has_default ? verbs : NULL;
		return 0;
	}
	ctx->verb = &verbs[i];
	return 1;
}

/* "help OBJECT VERB" */
static void complete_help(struct uea_ctx *ctx, char **words)
{
	const char *name;
	size_t i;
	int found;

	if (!words[1]) {
		for (i = 0; (name = uea_object_name(NULL, i)); i++)
			offer_word(words[0], name);
		return;
	}
	if (words[2] || uea_word_find(ctx, "object", words[0], uea_object_name,
				      NULL, &found) || found == UEA_NO_WORD)
		return;
	ctx->object = uea_object_at(found);
	complete_verb(ctx, words[1]);
}

/**
 * uea_complete() - print what the last of some words may be
 * @ctx: run
 * @words: of a command, the last to be completed, perhaps empty
 *
 * Return: exit status.
 */
int uea_complete(struct uea_ctx *ctx, char **words)
{
	char *nothing[] = { "", NULL };
	int i;

	/* Errors in the words before do not matter here. */
	if (!freopen("/dev/null", "we", stderr))
		return UEA_FAILED;
	if (!*words)
		words = nothing;
	if (!words[1]) {
		complete_help(ctx, words);
		return UEA_OK;
	}
	i = uea_word_first(*words, uea_object_name, NULL);
	if (i == UEA_NO_WORD)
		return UEA_USAGE;
	ctx->object = uea_object_at(i);
	words++;
	if (ctx->object == &uea_help) {
		complete_help(ctx, words);
		return UEA_OK;
	}
	if (!words[1] && !ctx->object->is_verb) {
		complete_verb(ctx, words[0]);
		return UEA_OK;
	}
	words += take_verb(ctx, words);
	if (ctx->verb)
		complete_params(ctx, words);
	return UEA_OK;
}
