// SPDX-License-Identifier: GPL-2.0
/*
 * Commands from a file, one to a line: words with blanks between, quoted or not,
 * comments, and lines that go on.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ueadm.h"

#define BATCH_WORDS_MAX	128
#define BATCH_BLANKS	" \t\r\n"

/**
 * struct batch - a file of commands
 * @file: what is read
 * @name: for messages
 * @line: number of the line that was read last
 * @text: the command, of one line or more
 */
struct batch {
	FILE *file;
	const char *name;
	unsigned int line;
	char *text;
};

/* Append one line to the text; returns false at the end of the file. */
static bool read_line(struct batch *batch, size_t *used)
{
	char *line = NULL, *text;
	size_t size = 0;
	ssize_t length;

	length = getline(&line, &size, batch->file);
	if (length > 0) {
		text = realloc(batch->text, *used + length + 1);
		if (!text)
			abort();
		memcpy(text + *used, line, length + 1);
		batch->text = text;
		*used += length;
		batch->line++;
	}
	free(line);
	return length > 0;
}

/* A command: lines that end in a backslash go on. */
static bool read_command(struct batch *batch)
{
	size_t used = 0;

	while (read_line(batch, &used)) {
		if (used && batch->text[used - 1] == '\n')
			batch->text[--used] = 0;
		if (!used || batch->text[used - 1] != '\\')
			return true;
		batch->text[used - 1] = ' ';
	}
	return used > 0;
}

/* Remove the quotes of the word at *text; false: a quote is unbalanced. */
static bool cut_word(char **text)
{
	char *from = *text, *to = *text, quote = 0;

	for (; *from && (quote || !strchr(BATCH_BLANKS, *from)); from++) {
		if (quote ? *from == quote : *from == '"' || *from == '\'')
			quote = quote ? 0 : *from;
		else
			*to++ = *from;
	}
	/* The terminating zero may overwrite the blank behind the word. */
	*text = *from ? from + 1 : from;
	*to = 0;
	return !quote;
}

static int cut_words(struct batch *batch, char **words)
{
	static const struct uea_ctx nowhere;
	char *text = batch->text;
	int nr = 0;

	for (;;) {
		text += strspn(text, BATCH_BLANKS);
		if (!*text || *text == '#')
			break;
		if (nr == BATCH_WORDS_MAX)
			return uea_usage(&nowhere, "more than %d words",
					 BATCH_WORDS_MAX);
		words[nr++] = text;
		if (!cut_word(&text))
			return uea_usage(&nowhere, "a quote is not closed");
	}
	words[nr] = NULL;
	return UEA_OK;
}

static int run_all(struct uea_ctx *ctx, struct batch *batch, bool is_forced)
{
	char *words[BATCH_WORDS_MAX + 1];
	int status, first = UEA_OK;

	while ((is_forced || !first) && read_command(batch)) {
		uea_place(batch->name, batch->line);
		status = cut_words(batch, words);
		if (!status && *words)
			status = uea_command(ctx, words);
		fflush(stdout);
		if (!first)
			first = status;
	}
	uea_place(NULL, 0);
	if (ferror(batch->file))
		return uea_fail(errno, "reading \"%s\"", batch->name);
	return first;
}

/**
 * uea_batch() - execute the commands of a file
 * @ctx: run
 * @path: the file, "-" for standard input
 * @is_forced: continue after commands that fail
 *
 * Return: exit status of the first command that failed, or UEA_OK.
 */
int uea_batch(struct uea_ctx *ctx, const char *path, bool is_forced)
{
	struct batch batch = { .name = path };
	int status;

	batch.file = strcmp(path, "-") ? fopen(path, "re") : stdin;
	if (!batch.file)
		return uea_fail(errno, "batch \"%s\"", path);
	status = run_all(ctx, &batch, is_forced);
	if (batch.file != stdin)
		fclose(batch.file);
	free(batch.text);
	return status;
}
