// SPDX-License-Identifier: GPL-2.0
/*
 * Output to standard error: wrong arguments, with a pointer to help, and
 * failures; in a batch, with the line.
 */
#include <stdarg.h>
#include <string.h>

#include "ueadm.h"

static const char *place_file;
static bool is_quiet;
static unsigned int place_line;

/**
 * uea_place() - set the source of the words for further messages
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
	/* Flush stdout first, to keep the order of messages. */
	fflush(stdout);
	fputs("ueadm: ", stderr);
	if (place_file)
		fprintf(stderr, "%s:%u: ", place_file, place_line);
}

/* Where to read on; not in a batch, whose author has the manual. */
static void point_to_help(const struct uea_ctx *ctx)
{
	if (place_file)
		return;
	fprintf(stderr, " (see ueadm help%s%s%s%s)", ctx->object ? " " : "",
		ctx->object ? ctx->object->name : "",
		ctx->object && !ctx->object->is_verb && ctx->verb ? " " : "",
		ctx->object && !ctx->object->is_verb && ctx->verb ?
		ctx->verb->name : "");
}

/**
 * uea_usage() - report wrong arguments, in a line
 * @ctx: object and verb so far, whose help the line names
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
	point_to_help(ctx);
	fputc('\n', stderr);
	return UEA_USAGE;
}

/**
 * uea_fail() - report a failure
 * @error: errno, or 0 when it adds nothing
 * @fmt: the failed operation
 *
 * Return: UEA_FAILED.
 */
int uea_fail(int error, const char *fmt, ...)
{
	va_list args;

	if (is_quiet)
		return UEA_FAILED;
	begin();
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	if (error)
		fprintf(stderr, " (%s)", strerror(error));
	fputc('\n', stderr);
	return UEA_FAILED;
}

/**
 * uea_note() - say something that is no failure
 * @fmt: text
 */
void uea_note(const char *fmt, ...)
{
	va_list args;

	begin();
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
}

/**
 * uea_quiet() - report no failures for a while
 * @quiet: whether
 */
void uea_quiet(bool quiet)
{
	is_quiet = quiet;
}
