/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Netlink messages about rails, domains, FEPs and jobs: read into a model, written for a
 * change.  Level: tool.
 */
#ifndef UETD_KERNEL_MSG_H
#define UETD_KERNEL_MSG_H

#include "plan/plan.h"

struct nl_msg;
struct nlmsghdr;

bool uetd_msg_read(struct uetd_model *model, struct nlmsghdr *nlh);
uint8_t uetd_msg_cmd(enum uetd_op_kind kind);
bool uetd_msg_write(struct nl_msg *msg, const struct uetd_op *op);

/* kernel_sd.c: those about secure domains */
bool uetd_msg_read_sd(struct uetd_model *model, struct nlmsghdr *nlh);
bool uetd_msg_write_sd(struct nl_msg *msg, const struct uetd_op *op);

#endif
