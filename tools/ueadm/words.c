// SPDX-License-Identifier: GPL-2.0
/*
 * The grammar: a word among those that may stand at its place, in full or as the
 * beginning of one alone; object and verb of a command; and help on each level.
 */
#include <string.h>

#include "ueadm.h"

#define WORDS_LIST_MAX	256

static const struct uea_object *const objects[] = {
	&uea_rail,
	&uea_fep,
	&uea_job,
	&uea_ep,
	&uea_pdc,
	&uea_stats,
	&uea_features,
	&uea_monitor,
	&uea_ping,
	&uea_check_object,
	&uea_showconf,
	&uea_syncconf,
	&uea_reset,
	&uea_config,
	&uea_help,
	&uea_version,
	&uea_sd,
	&uea_ccc,
	&uea_top,
	&uea_peer,
};

#define NR_OBJECTS	(sizeof(objects) / sizeof(objects[0]))

/**
 * uea_object_at() - the objects there are
 * @i: number
 *
 * Return: the object; NULL behind the last.
 */
const struct uea_object *uea_object_at(size_t i)
{
	return i < NR_OBJECTS ? objects[i] : NULL;
}

/**
 * uea_object_name() - the words of the objects, for uea_word_find()
 * @table: not used
 * @i: number of the object
 *
 * Return: its word; NULL behind the last.
 */
const char *uea_object_name(const void *table, size_t i)
{
	(void)table;
	return i < NR_OBJECTS ? objects[i]->name : NULL;
}

/**
 * uea_verb_name() - the words of an object's verbs, for uea_word_find()
 * @table: first struct uea_verb
 * @i: number of the verb
 *
 * Return: its word; NULL behind the last.
 */
const char *uea_verb_name(const void *table, size_t i)
{
	const struct uea_verb *verbs = table;

	return verbs[i].name;
}

/* All that begin with @word, with commas between. */
static void candidates(char *buf, size_t size, const char *word,
		       const char *(*name_at)(const void *table, size_t i),
		       const void *table)
{
	const char *name;
	size_t i, used = 0;

	*buf = 0;
	for (i = 0; (name = name_at(table, i)) && used < size; i++) {
		if (!strncmp(name, word, strlen(word)))
			used += snprintf(buf + used, size - used, "%s%s",
					 used ? ", " : "", name);
	}
}

/**
 * uea_word_find() - which of some words is meant
 * @ctx: run, for messages
 * @what: what these words are, for messages
 * @word: one of them, or the beginning of one alone
 * @name_at: gives word @i, "" for none, NULL behind the last
 * @table: for @name_at
 * @found: number of the word, or UEA_NO_WORD
 *
 * Return: UEA_OK, or UEA_USAGE with a message printed: more than one is meant.
 */
int uea_word_find(const struct uea_ctx *ctx, const char *what, const char *word,
		  const char *(*name_at)(const void *table, size_t i),
		  const void *table, int *found)
{
	char list[WORDS_LIST_MAX];
	bool is_ambiguous = false;
	const char *name;
	size_t i;

	*found = UEA_NO_WORD;
	if (!*word)
		return UEA_OK;
	for (i = 0; (name = name_at(table, i)); i++) {
		if (strncmp(name, word, strlen(word)))
			continue;
		is_ambiguous = *found != UEA_NO_WORD;
		*found = i;
		if (!strcmp(name, word))
			return UEA_OK;
	}
	if (!is_ambiguous)
		return UEA_OK;
	candidates(list, sizeof(list), word, name_at, table);
	return uea_usage(ctx, "%s \"%s\" is ambiguous: %s", what, word, list);
}

/**
 * uea_word_first() - which of some words is meant, as ip has it
 * @word: one of them, or the beginning of some
 * @name_at: gives word @i, NULL behind the last
 * @table: for @name_at
 *
 * Return: number of the word, else of the first that begins so; UEA_NO_WORD.
 */
int uea_word_first(const char *word,
		   const char *(*name_at)(const void *table, size_t i),
		   const void *table)
{
	int found = UEA_NO_WORD;
	const char *name;
	size_t i;

	for (i = 0; *word && (name = name_at(table, i)); i++) {
		if (!strcmp(name, word))
			return i;
		if (found == UEA_NO_WORD && !strncmp(name, word, strlen(word)))
			found = i;
	}
	return found;
}

/* How many letters differ: changed, added, left out or exchanged. */
static unsigned int distance(const char *a, const char *b)
{
	if (*a == *b)
		return *a ? distance(a + 1, b + 1) : 0;
	if (!*a || !*b)
		return strlen(a) + strlen(b);
	if (a[1] == b[0] && a[0] == b[1])
		return 1 + distance(a + 2, b + 2);
	if (!strcmp(a + 1, b) || !strncmp(a + 1, b, 2))
		return 1 + distance(a + 1, b);
	if (!strcmp(a, b + 1) || !strncmp(a, b + 1, 2))
		return 1 + distance(a, b + 1);
	return 1 + distance(a + 1, b + 1);
}

/* How far a word is from one of those that may be meant: "delete" means "del". */
static unsigned int distance_to(const char *word, const char *name)
{
	size_t length = strlen(name);

	return length > 2 && !strncmp(word, name, length) ? 1 :
							    distance(word, name);
}

/**
 * uea_word_unknown() - report a word that is none of some words
 * @ctx: run
 * @what: what these words are
 * @word: the word
 * @name_at: gives word @i, "" for none, NULL behind the last
 * @table: for @name_at
 *
 * Return: UEA_USAGE.
 */
int uea_word_unknown(const struct uea_ctx *ctx, const char *what,
		     const char *word,
		     const char *(*name_at)(const void *table, size_t i),
		     const void *table)
{
	unsigned int best = strlen(word) < 4 ? 2 : 3, is;
	const char *name, *meant = NULL;
	size_t i;

	for (i = 0; *word && (name = name_at(table, i)); i++) {
		is = *name ? distance_to(word, name) : best;
		if (is < best) {
			best = is;
			meant = name;
		}
	}
	if (meant)
		return uea_usage(ctx, "unknown %s: \"%s\", did you mean \"%s\"?",
				 what, word, meant);
	return uea_usage(ctx, "unknown %s: \"%s\"", what, word);
}

/**
 * uea_words_usage() - print the usage text of an object
 * @out: where to
 * @object: the object
 */
void uea_words_usage(FILE *out, const struct uea_object *object)
{
	const struct uea_verb *verb;

	for (verb = object->verbs; verb->name; verb++)
		uea_args_usage(out, object, verb);
}

static int find_object(struct uea_ctx *ctx, const char *word)
{
	int i = uea_word_first(word, uea_object_name, NULL);

	if (i == UEA_NO_WORD)
		return uea_word_unknown(ctx, "object", word, uea_object_name,
					NULL);
	ctx->object = objects[i];
	return UEA_OK;
}

/* The verb "show", for which there are other words; NULL: there is none. */
static const struct uea_verb *find_show(const struct uea_object *object)
{
	const struct uea_verb *verb;

	for (verb = object->verbs; verb->name; verb++) {
		if (!strcmp(verb->name, "show"))
			return verb;
	}
	return NULL;
}

static bool is_list(const char *word)
{
	return !strcmp(word, "list") || !strcmp(word, "lst") ||
	       !strcmp(word, "ls");
}

/* Finds the verb of the command, and moves *words behind it. */
static int find_verb(struct uea_ctx *ctx, char ***words)
{
	const struct uea_verb *verbs = ctx->object->verbs;
	const struct uea_verb *show = find_show(ctx->object);
	const char *word = **words;
	int i = UEA_NO_WORD;

	if (ctx->object->is_verb) {
		ctx->verb = verbs;
		return UEA_OK;
	}
	if (word)
		i = uea_word_first(word, uea_verb_name, verbs);
	if (i == UEA_NO_WORD && word && show && is_list(word)) {
		++*words;
		ctx->verb = show;
		return UEA_OK;
	}
	if (i != UEA_NO_WORD) {
		++*words;
		ctx->verb = &verbs[i];
		return UEA_OK;
	}
	if (ctx->object->has_default || (!word && show)) {
		ctx->verb = ctx->object->has_default ? verbs : show;
		return UEA_OK;
	}
	if (word)
		return uea_word_unknown(ctx, "verb", word, uea_verb_name,
					verbs);
	return uea_usage(ctx, "a verb is missing");
}

/*
 * "help" alone requests help; behind "--" it is a name, unless it has a meaning
 * of its own.
 */
static bool is_question(const struct uea_ctx *ctx, char ***words)
{
	char **behind = *words;

	if (!behind[0])
		return false;
	if (!strcmp(behind[0], "help"))
		return !behind[1];
	if (!strcmp(behind[0], "--") && behind[1] &&
	    !strcmp(behind[1], "help") && !(ctx->verb && ctx->verb->tail))
		++*words;
	return false;
}

/* Parse object and verb, as far as @words go, and answer requests for help. */
static int find(struct uea_ctx *ctx, char ***words, bool *is_answered)
{
	int status = find_object(ctx, *(*words)++);

	if (status)
		return status;
	if (is_question(ctx, words) && ctx->object != &uea_help) {
		puts("Usage:");
		uea_words_usage(stdout, ctx->object);
		*is_answered = true;
		return UEA_OK;
	}
	status = find_verb(ctx, words);
	if (status || !is_question(ctx, words) || ctx->object->is_verb)
		return status;
	puts("Usage:");
	uea_args_usage(stdout, ctx->object, ctx->verb);
	*is_answered = true;
	return UEA_OK;
}

/**
 * uea_command() - execute a command
 * @ctx: run
 * @words: object, verb and arguments, NULL behind the last
 *
 * Return: exit status.
 */
int uea_command(struct uea_ctx *ctx, char **words)
{
	bool is_answered = false;
	int status;

	ctx->object = NULL;
	ctx->verb = NULL;
	if (!*words)
		return uea_usage(ctx, "an object is missing");
	status = find(ctx, &words, &is_answered);
	if (status || is_answered)
		return status;
	if (ctx->is_json && ctx->verb->is_text)
		return uea_usage(ctx, "it has no JSON form");
	return ctx->verb->run(ctx, ctx->object, ctx->verb, words);
}

static int help_run(struct uea_ctx *ctx, const struct uea_object *object,
		    const struct uea_verb *verb, char **words)
{
	int status;

	(void)object;
	(void)verb;
	ctx->object = NULL;
	ctx->verb = NULL;
	if (!*words) {
		uea_usage_all(stdout);
		return UEA_OK;
	}
	status = find_object(ctx, *words++);
	if (!status && *words)
		status = find_verb(ctx, &words);
	if (!status && *words)
		return uea_usage(ctx, "unknown word: \"%s\"", *words);
	if (status)
		return status;
	puts("Usage:");
	if (ctx->verb)
		uea_args_usage(stdout, ctx->object, ctx->verb);
	else
		uea_words_usage(stdout, ctx->object);
	return UEA_OK;
}

static const struct uea_param help_params[] = {
	{ .value = "OBJECT [VERB]", .arg = UEA_ARG_STRING },
};

static const struct uea_verb help_verbs[] = {
	{ .name = "help", .is_text = true, .run = help_run,
	  UEA_PARAMS(help_params) },
	{ .name = NULL },
};

const struct uea_object uea_help = {
	.name = "help",
	.verbs = help_verbs,
	.is_verb = true,
};
