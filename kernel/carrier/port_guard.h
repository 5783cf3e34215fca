/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The UDP port of a FEP belongs to the kernel: unprivileged sockets of the namespace
 * cannot send to it.
 */
#ifndef UET_PORT_GUARD_H
#define UET_PORT_GUARD_H

struct netlink_ext_ack;
struct uet_fep;

int uet_port_guard_open(const struct uet_fep *fep,
			struct netlink_ext_ack *extack);
void uet_port_guard_close(const struct uet_fep *fep);

#endif
