// SPDX-License-Identifier: GPL-2.0
/*
 * Output to standard error: wrong arguments with the matching usage text, and
 * failures; in a batch, with the line.
 */
#include <stdarg.h>
#include <string.h>

#include "ueadm.h"

static const char *place_file;
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

/* In a batch, without usage text: authors of batches have the manual. */
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
 * uea_usage() - report wrong arguments
 * @ctx: object and verb so far, which select the usage text
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
 * uea_fail() - report a failure
 * @error: errno, or 0 when it adds nothing
 * @fmt: the failed operation
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
