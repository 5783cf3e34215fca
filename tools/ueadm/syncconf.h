/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What showconf, syncconf and reset share: the kernel as uetd sees it, whose
 * parser and plan (daemon/) these commands use.
 */
#ifndef UEADM_SYNCCONF_H
#define UEADM_SYNCCONF_H

struct uea_ctx;
struct uetd_kernel;
struct uetd_model;

int uea_conf_kernel(struct uea_ctx *ctx, struct uetd_kernel *kernel,
		    struct uetd_model *model);

#endif
