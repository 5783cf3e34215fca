/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Reading the variables of a launcher, for uet_open().  Missing variables change nothing;
 * wrong ones are refused by name.  Level: tool.
 */
#ifndef LIBUET_ENV_H
#define LIBUET_ENV_H

#include "handle.h"

/* All return 0, or -1 with errno and the reason in the handle. */
int libuet_env_job(struct uet *u, uint32_t *job, uint32_t *job_fd);
int libuet_env_wait(struct uet *u, uint32_t *wait);
int libuet_env_ranks(struct uet *u, int family, uint32_t ri);

#endif
