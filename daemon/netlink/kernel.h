/* SPDX-License-Identifier: GPL-2.0 */
/*
 * uetd's access to the kernel: reading its objects and making one change at a
 * time, over the generic netlink family of the module.  Level: tool.
 */
#ifndef UETD_KERNEL_H
#define UETD_KERNEL_H

#include "plan/plan.h"

struct nl_sock;

/**
 * struct uetd_kernel - a connection
 * @sock: socket for dumps and changes
 * @events: socket for events of genl families, not blocking
 * @changes: socket for changes of rails, FEPs and jobs, not blocking;
 *	NULL: not subscribed
 * @family: number of the genl family
 * @code: errno of the last refusal
 * @error: reason of the last failure, for people
 */
struct uetd_kernel {
	struct nl_sock *sock;
	struct nl_sock *events;
	struct nl_sock *changes;
	int family;
	int code;
	char error[UETD_TEXT_MAX];
};

bool uetd_kernel_open(struct uetd_kernel *kernel);
void uetd_kernel_close(struct uetd_kernel *kernel);
int uetd_kernel_fd(const struct uetd_kernel *kernel);
int uetd_kernel_follow(struct uetd_kernel *kernel);
bool uetd_kernel_read(struct uetd_kernel *kernel, struct uetd_model *model);
bool uetd_kernel_change(struct uetd_kernel *kernel, const struct uetd_op *op);
int uetd_kernel_socket_family(struct uetd_kernel *kernel);

#endif
