/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's side of uetd: what it has, and one change of it at a time, over
 * the generic netlink family of the module.  Level: tool.
 */
#ifndef UETD_KERNEL_H
#define UETD_KERNEL_H

#include "plan.h"

struct nl_sock;

/**
 * struct uetd_kernel - a connection
 * @sock: for questions and changes
 * @events: tells when a genl family comes or goes, not blocking
 * @changes: tells when rails, FEPs or jobs change, not blocking; NULL: nobody
 *	wants to know
 * @family: number of the genl family
 * @code: errno of the last refusal
 * @error: why the last thing went wrong, for people
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
