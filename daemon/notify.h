/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Output of uetd: messages to the journal, with searchable fields, or to
 * stderr; state to the service manager; and the list of problems that were
 * already logged.  Level: tool.
 */
#ifndef UETD_NOTIFY_H
#define UETD_NOTIFY_H

#include <syslog.h>

#include "conf/conf.h"

/**
 * struct uetd_problem - a deviation from the requested state
 * @object: object with the problem
 * @text: for people
 * @is_failure: the kernel refused or an operation failed; else the object waits
 */
struct uetd_problem {
	char object[32];
	char text[UETD_TEXT_MAX];
	bool is_failure;
};

/**
 * struct uetd_problems - all present problems
 * @list: array
 * @nr: its length
 */
struct uetd_problems {
	struct uetd_problem *list;
	size_t nr;
};

__attribute__((format(printf, 4, 5)))
void uetd_log(int priority, const char *object, const char *verb,
	      const char *fmt, ...);
void uetd_log_conf_error(void *data, const struct uetd_conf_error *error_text);

__attribute__((format(printf, 4, 5)))
void uetd_problem_add(struct uetd_problems *problems, const char *object,
		      bool is_failure, const char *fmt, ...);
void uetd_problems_tell(const struct uetd_problems *problems,
			const struct uetd_problems *before);
void uetd_problems_free(struct uetd_problems *problems);

void uetd_notify_ready(void);
void uetd_notify_reloading(void);
void uetd_notify_stopping(void);
__attribute__((format(printf, 1, 2)))
void uetd_notify_status(const char *fmt, ...);

#endif
