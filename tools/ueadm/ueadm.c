// SPDX-License-Identifier: GPL-2.0
/*
 * The command: options, finding object and verb, usage text, exit status.
 */
#define _GNU_SOURCE	/* setns() */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <sched.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "ueadm.h"

#define UEA_VERSION	"0.1.0"

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
};

#define NR_OBJECTS	(sizeof(objects) / sizeof(objects[0]))

static void usage_object(FILE *out, const struct uea_object *object)
{
	const struct uea_verb *verb;

	for (verb = object->verbs; verb->name; verb++)
		uea_args_usage(out, object, verb);
}

static void usage_all(FILE *out)
{
	size_t i;

	fputs("Usage: ueadm [-d] [-j] [-p] [-n NETNS] OBJECT VERB [ARGUMENTS]\n"
	      "       ueadm help | version\n", out);
	for (i = 0; i < NR_OBJECTS; i++)
		usage_object(out, objects[i]);
	fputs("Options:\n"
	      "       -d, --details      print all there is, a line each\n"
	      "       -j, --json         print JSON\n"
	      "       -p, --pretty       print JSON with line breaks\n"
	      "       -n, --netns NETNS  work in this network namespace\n"
	      "       -V, --version      print the version\n"
	      "       -h, --help         print this text\n", out);
}

/**
 * uea_usage() - complain about words that make no sense
 * @ctx: tells how far they made sense, and so which usage text helps
 * @fmt: what is wrong
 *
 * Return: UEA_USAGE.
 */
int uea_usage(const struct uea_ctx *ctx, const char *fmt, ...)
{
	va_list args;

	fputs("ueadm: ", stderr);
	if (ctx->object)
		fprintf(stderr, "%s: ", ctx->object->name);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);

	if (ctx->verb) {
		fputs("Usage:\n", stderr);
		uea_args_usage(stderr, ctx->object, ctx->verb);
	} else if (ctx->object) {
		fputs("Usage:\n", stderr);
		usage_object(stderr, ctx->object);
	} else {
		usage_all(stderr);
	}
	return UEA_USAGE;
}

/**
 * uea_fail() - complain about something that did not work
 * @error: errno, or 0 when it adds nothing
 * @fmt: what did not work
 *
 * Return: UEA_FAILED.
 */
int uea_fail(int error, const char *fmt, ...)
{
	va_list args;

	fputs("ueadm: ", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	if (error)
		fprintf(stderr, " (%s)", strerror(error));
	fputc('\n', stderr);
	return UEA_FAILED;
}

/* Does @word mean @name?  2: exactly, 1: as its beginning, 0: no. */
static int word_matches(const char *word, const char *name)
{
	if (!strcmp(word, name))
		return 2;
	return *word && !strncmp(word, name, strlen(word));
}

static int find_object(struct uea_ctx *ctx, const char *word)
{
	const struct uea_object *found = NULL;
	bool is_ambiguous = false;
	size_t i;

	for (i = 0; i < NR_OBJECTS; i++) {
		int match = word_matches(word, objects[i]->name);

		if (match == 2) {
			found = objects[i];
			is_ambiguous = false;
			break;
		}
		if (!match)
			continue;
		is_ambiguous = found;
		found = objects[i];
	}
	if (!found)
		return uea_usage(ctx, "unknown object: \"%s\"", word);
	if (is_ambiguous)
		return uea_usage(ctx, "object \"%s\" is ambiguous", word);
	ctx->object = found;
	return UEA_OK;
}

/* Finds the verb of the command, and moves *words behind it. */
static int find_verb(struct uea_ctx *ctx, char ***words)
{
	const struct uea_verb *verb, *found = NULL;
	const char *word = **words;
	bool is_ambiguous = false;

	if (ctx->object->is_verb) {
		ctx->verb = ctx->object->verbs;
		return UEA_OK;
	}
	for (verb = ctx->object->verbs; word && verb->name; verb++) {
		int match = word_matches(word, verb->name);

		if (match == 2) {
			found = verb;
			is_ambiguous = false;
			break;
		}
		if (!match)
			continue;
		is_ambiguous = found;
		found = verb;
	}
	if (is_ambiguous)
		return uea_usage(ctx, "verb \"%s\" is ambiguous", word);
	if (found)
		++*words;
	else if (ctx->object->has_default)
		found = ctx->object->verbs;
	else if (word)
		return uea_usage(ctx, "unknown verb: \"%s\"", word);
	else
		return uea_usage(ctx, "a verb is missing");
	ctx->verb = found;
	return UEA_OK;
}

static int enter_netns(const char *name)
{
	char path[256];
	int fd;

	if (snprintf(path, sizeof(path), "%s%s",
		     strchr(name, '/') ? "" : "/run/netns/", name) >=
	    (int)sizeof(path))
		return uea_fail(ENAMETOOLONG, "network namespace \"%s\"", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return uea_fail(errno, "network namespace \"%s\"", name);
	if (setns(fd, CLONE_NEWNET)) {
		int error = errno;

		close(fd);
		return uea_fail(error, "network namespace \"%s\"", name);
	}
	close(fd);
	return UEA_OK;
}

/* Returns -1 to go on, or the exit status. */
static int read_options(struct uea_ctx *ctx, int argc, char **argv,
			const char **netns)
{
	static const struct option longs[] = {
		{ "details", no_argument, NULL, 'd' },
		{ "json", no_argument, NULL, 'j' },
		{ "pretty", no_argument, NULL, 'p' },
		{ "netns", required_argument, NULL, 'n' },
		{ "version", no_argument, NULL, 'V' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	/* Options stand in front of the object: a value may begin with '-'. */
	while ((c = getopt_long(argc, argv, "+djpn:Vh", longs, NULL)) != -1) {
		switch (c) {
		case 'd':
			ctx->is_detailed = true;
			break;
		case 'p':
			ctx->is_pretty = true;
			/* fall through */
		case 'j':
			ctx->is_json = true;
			break;
		case 'n':
			*netns = optarg;
			break;
		case 'V':
			puts("ueadm " UEA_VERSION);
			return UEA_OK;
		case 'h':
			usage_all(stdout);
			return UEA_OK;
		default:
			usage_all(stderr);
			return UEA_USAGE;
		}
	}
	return -1;
}

static int run(struct uea_ctx *ctx, const char *netns, char **words)
{
	int status;

	status = find_object(ctx, *words++);
	if (!status)
		status = find_verb(ctx, &words);
	if (status)
		return status;

	if (netns) {
		status = enter_netns(netns);
		if (status)
			return status;
	}
	return ctx->verb->run(ctx, ctx->object, ctx->verb, words);
}

/**
 * main() - ueadm
 * @argc: number of words
 * @argv: words
 *
 * Return: UEA_OK, UEA_FAILED or UEA_USAGE.
 */
int main(int argc, char **argv)
{
	struct uea_ctx ctx = { .nl = NULL };
	const char *netns = NULL;
	int status;

	status = read_options(&ctx, argc, argv, &netns);
	if (status >= 0)
		return status;
	argv += optind;
	if (!*argv)
		return uea_usage(&ctx, "an object is missing");
	if (!strcmp(*argv, "help")) {
		usage_all(stdout);
		return UEA_OK;
	}
	if (!strcmp(*argv, "version")) {
		puts("ueadm " UEA_VERSION);
		return UEA_OK;
	}

	status = run(&ctx, netns, argv);
	if (ctx.nl)
		mnl_socket_close(ctx.nl);
	if (fflush(stdout) && !status)
		return uea_fail(errno, "writing the output");
	return status;
}
