// SPDX-License-Identifier: GPL-2.0
/*
 * What goes to standard error: what is wrong with words, with the usage text that
 * helps, and what did not work; of a batch, with its line.
 */
#include <stdarg.h>
#include <string.h>

#include "ueadm.h"

static const char *place_file;
static unsigned int place_line;

/**
 * uea_place() - say where the words of the next messages come from
 * @file: name of a file, kept; NULL: the command line
 * @line: of the file
 */
void uea_place(const char *file, unsigned int line)
{
	place_file = file;
	place_line = line;
}

static void begin(void)
{
	/* What was printed before stands before. */
	fflush(stdout);
	fputs("ueadm: ", stderr);
	if (place_file)
		fprintf(stderr, "%s:%u: ", place_file, place_line);
}

/* Of a batch the words alone: who writes one has the manual. */
static void usage(const struct uea_ctx *ctx)
{
	if (place_file)
		return;
	if (!ctx->object) {
		uea_usage_all(stderr);
		return;
	}
	fputs("Usage:\n", stderr);
	if (ctx->verb)
		uea_args_usage(stderr, ctx->object, ctx->verb);
	else
		uea_words_usage(stderr, ctx->object);
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

	begin();
	if (ctx->object)
		fprintf(stderr, "%s: ", ctx->object->name);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	usage(ctx);
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

	begin();
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	if (error)
		fprintf(stderr, " (%s)", strerror(error));
	fputc('\n', stderr);
	return UEA_FAILED;
}
