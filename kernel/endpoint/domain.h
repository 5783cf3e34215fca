/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Domains: memory regions that several sockets share, behind a descriptor.
 */
#ifndef UET_DOMAIN_H
#define UET_DOMAIN_H

#include <linux/types.h>

struct uet_domain;
struct uet_sock;

int uet_domain_fd_make(bool is_cloexec);
int uet_domain_join(struct uet_sock *us, int fd);
void uet_domain_leave(struct uet_sock *us);
void uet_domain_put(struct uet_domain *domain);

#endif
