/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Netlink messages about rails, FEPs and jobs: read into a model, written for a
 * change.  Level: tool.
 */
#ifndef UETD_KERNEL_MSG_H
#define UETD_KERNEL_MSG_H

#include "plan.h"

struct nl_msg;
struct nlmsghdr;

bool uetd_msg_read(struct uetd_model *model, struct nlmsghdr *nlh);
uint8_t uetd_msg_cmd(enum uetd_op_kind kind);
bool uetd_msg_write(struct nl_msg *msg, const struct uetd_op *op);

#endif
