/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by showconf, syncconf and reset: the kernel's state as uetd reads it,
 * with uetd's parser and planner (daemon/).
 */
#ifndef UEADM_SYNCCONF_H
#define UEADM_SYNCCONF_H

struct uea_ctx;
struct uetd_kernel;
struct uetd_model;

int uea_conf_kernel(struct uea_ctx *ctx, struct uetd_kernel *kernel,
		    struct uetd_model *model);

#endif
