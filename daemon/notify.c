// SPDX-License-Identifier: GPL-2.0
/*
 * Messages: to the journal if stderr is connected to it, with fields UET_OBJECT,
 * UET_VERB, UET_FILE, UET_LINE, UET_SECTION and UET_KEY, else to stderr.  State:
 * to the service manager if there is one.  Level: tool.
 */
#define SD_JOURNAL_SUPPRESS_LOCATION
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-journal.h>
#include <time.h>
#include <unistd.h>

#include "notify.h"

/* Whether the service manager has connected stderr to the journal. */
static bool is_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long dev, inode;
	struct stat st;

	return stream && sscanf(stream, "%llu:%llu", &dev, &inode) == 2 &&
	       !fstat(STDERR_FILENO, &st) && st.st_dev == dev &&
	       st.st_ino == inode;
}

/**
 * uetd_log() - log a message
 * @priority: LOG_*
 * @object: object of the message; NULL: uetd itself
 * @verb: what was done to the object, or NULL
 * @fmt: message
 */
void uetd_log(int priority, const char *object, const char *verb,
	      const char *fmt, ...)
{
	const char *colon = object ? ": " : "";
	char text[2 * UETD_TEXT_MAX];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (!is_journal()) {
		fprintf(stderr, "uetd: %s%s%s\n", object ? object : "", colon,
			text);
		return;
	}
	sd_journal_send("MESSAGE=%s%s%s", object ? object : "", colon, text,
			"PRIORITY=%d", priority,
			"UET_OBJECT=%s", object ? object : "",
			"UET_VERB=%s", verb ? verb : "", NULL);
}

/**
 * uetd_log_conf_error() - log an error in a file
 * @data: not used
 * @error_text: the error, with its place
 */
void uetd_log_conf_error(void *data, const struct uetd_conf_error *error_text)
{
	const char *section = error_text->section ? error_text->section : "";
	const char *key = error_text->key ? error_text->key : "";
	char text[3 * UETD_TEXT_MAX], line[16] = "", head[300] = "";

	(void)data;
	if (error_text->line)
		snprintf(line, sizeof(line), "%u:", error_text->line);
	if (error_text->section)
		snprintf(head, sizeof(head), "[%s] ", section);
	snprintf(text, sizeof(text), "%s:%s %s%s%s%s", error_text->file, line,
		 head, key, error_text->key ? ": " : "", error_text->text);
	if (!is_journal()) {
		fprintf(stderr, "uetd: %s\n", text);
		return;
	}
	sd_journal_send("MESSAGE=%s", text, "PRIORITY=%d", LOG_ERR,
			"UET_FILE=%s", error_text->file,
			"UET_LINE=%u", error_text->line,
			"UET_SECTION=%s", section, "UET_KEY=%s", key, NULL);
}

/**
 * uetd_problem_add() - add a problem
 * @problems: the problem is added here
 * @object: object with the problem
 * @is_failure: an operation failed; else the object only waits
 * @fmt: description
 */
void uetd_problem_add(struct uetd_problems *problems, const char *object,
		      bool is_failure, const char *fmt, ...)
{
	struct uetd_problem *problem;
	va_list args;

	problems->list = uetd_grow(problems->list, problems->nr,
				   sizeof(*problems->list));
	problem = &problems->list[problems->nr++];
	snprintf(problem->object, sizeof(problem->object), "%s", object);
	problem->is_failure = is_failure;
	va_start(args, fmt);
	vsnprintf(problem->text, sizeof(problem->text), fmt, args);
	va_end(args);
}

/* Order of problems by object and text. */
static int order_problems(const void *a, const void *b)
{
	const struct uetd_problem *x = a, *y = b;
	int order = strcmp(x->object, y->object);

	return order ? order : strcmp(x->text, y->text);
}

/**
 * uetd_problems_tell() - log each problem once
 * @problems: present problems
 * @before: problems that were logged before
 */
void uetd_problems_tell(const struct uetd_problems *problems,
			const struct uetd_problems *before)
{
	struct uetd_index known = { .order = order_problems };
	const struct uetd_problem *problem;
	size_t i;

	for (i = 0; i < before->nr; i++)
		uetd_index_add(&known, &before->list[i]);
	for (i = 0; i < problems->nr; i++) {
		problem = &problems->list[i];
		if (uetd_index_find(&known, problem))
			continue;
		if (problem->is_failure)
			uetd_log(LOG_ERR, problem->object, NULL, "%s",
				 problem->text);
		else
			uetd_log(LOG_NOTICE, problem->object, NULL,
				 "waiting: %s", problem->text);
	}
	uetd_index_free(&known);
}

/**
 * uetd_problems_free() - free a list of problems
 * @problems: emptied
 */
void uetd_problems_free(struct uetd_problems *problems)
{
	free(problems->list);
	memset(problems, 0, sizeof(*problems));
}

/**
 * uetd_notify_ready() - report that the configuration was read and
 * applied as far as possible
 */
void uetd_notify_ready(void)
{
	sd_notify(0, "READY=1");
}

/**
 * uetd_notify_reloading() - report that the configuration is being reloaded
 */
void uetd_notify_reloading(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64,
		   (uint64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000);
}

/**
 * uetd_notify_stopping() - report that uetd is stopping
 */
void uetd_notify_stopping(void)
{
	sd_notify(0, "STOPPING=1");
}

/**
 * uetd_notify_status() - report a line of status text
 * @fmt: the line
 */
void uetd_notify_status(const char *fmt, ...)
{
	char text[2 * UETD_TEXT_MAX];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	sd_notifyf(0, "STATUS=%s", text);
}
