/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the commands that work with configuration files: the kernel's state as uetd
 * reads it, with uetd's parser and planner (daemon/); what uetd would change (requested.c);
 * and the text of sections (showconf.c).
 */
#ifndef UEADM_SYNCCONF_H
#define UEADM_SYNCCONF_H

#include <stdio.h>
#include <sys/types.h>

#include "conf/conf.h"
#include "netlink/kernel.h"
#include "state/managed.h"

struct uea_ctx;

#define UEA_CONF_PATH	512

/**
 * struct uea_requested - what files request, beside the state of the kernel
 * @ctx: of the program
 * @path: name of the configuration file
 * @uetd: process of the uetd of this network namespace; 0: none
 * @raw: sections of the files
 * @conf: requested state
 * @links: the netdevs
 * @kernel: state of the kernel, with no object in use
 * @plan: changes from @kernel to @conf
 */
struct uea_requested {
	struct uea_ctx *ctx;
	char path[UEA_CONF_PATH];
	pid_t uetd;
	struct uetd_raw raw;
	struct uetd_conf conf;
	struct uetd_links links;
	struct uetd_model kernel;
	struct uetd_plan plan;
};

/* syncconf.c */
int uea_conf_kernel(struct uea_ctx *ctx, struct uetd_kernel *kernel,
		    struct uetd_model *model);
int uea_conf_links(struct uea_ctx *ctx, struct uetd_links *links);
void uea_conf_error(void *data, const struct uetd_conf_error *error_text);

/* requested.c */
void uea_requested_find(struct uea_requested *requested, struct uea_ctx *ctx);
int uea_requested_read(struct uea_requested *requested,
		       const struct uetd_diag *how);
int uea_requested_plan(struct uea_requested *requested);
void uea_requested_free(struct uea_requested *requested);
void uea_op_name(char *buf, size_t size, const struct uetd_op *op);

/* showconf.c */
void uea_conf_rail_name(char *name, const struct uetd_rail *rail);
void uea_conf_put_rail(FILE *out, const struct uetd_rail *rail);
void uea_conf_put_sd(FILE *out, const struct uetd_sd *sd);
void uea_conf_put_fep(FILE *out, const struct uetd_fep *fep,
		      const struct uetd_fep *usual);
void uea_conf_put_job(FILE *out, const struct uetd_job *job);
void uea_conf_usual(struct uetd_fep *usual);

#endif
