/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files that are replaced as a whole: a reader finds the old text or the new one.
 * Level: tool.
 */
#ifndef UETD_REPLACE_H
#define UETD_REPLACE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

bool uetd_replace(const char *path, mode_t mode,
		  void (*write)(FILE *f, const void *arg),
		  bool (*accept)(const char *new, const void *arg),
		  const void *arg);

#endif
