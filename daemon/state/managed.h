/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The objects of a network namespace that uetd manages: those that its files name or
 * named.  Other objects were made by hand.  A file in UETD_RUN_DIR lists them, because
 * uetd may be restarted after its files have changed.  A lock beside that file says
 * which uetd runs, for ueadm.  Level: tool.
 */
#ifndef UETD_MANAGED_H
#define UETD_MANAGED_H

#include <sys/types.h>

#include "plan/plan.h"

#define UETD_RUN_DIR	"/run/uet"

/**
 * struct uetd_managed - the managed objects of a network namespace
 * @path: name of the file
 * @names: sorted array
 * @nr: its length
 * @lock: descriptor of the lock, or -1
 */
struct uetd_managed {
	char *path;
	struct uetd_name *names;
	size_t nr;
	int lock;
};

bool uetd_managed_open(struct uetd_managed *managed, const char *dir);
void uetd_managed_close(struct uetd_managed *managed);
void uetd_managed_mark(const struct uetd_managed *managed,
		       struct uetd_model *kernel);
bool uetd_managed_take(struct uetd_managed *managed,
		       const struct uetd_plan *plan,
		       const struct uetd_model *kernel);
bool uetd_managed_lock(struct uetd_managed *managed, const char *conf,
		       pid_t *holder);
pid_t uetd_managed_by(const struct uetd_managed *managed, char *conf,
		      size_t size);

#endif
