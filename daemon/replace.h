/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files that are replaced as a whole: a reader finds the old text or the new one.
 * Level: tool.
 */
#ifndef UETD_REPLACE_H
#define UETD_REPLACE_H

#include <stdbool.h>
#include <stdio.h>

bool uetd_replace(const char *path, void (*write)(FILE *f, const void *arg),
		  const void *arg);

#endif
