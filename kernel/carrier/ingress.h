/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ingress hook of a rail, which takes packets for FEPs before IP processes
 * them.
 */
#ifndef UET_INGRESS_H
#define UET_INGRESS_H

#include <linux/types.h>

struct netlink_ext_ack;
struct uet_rail;

int uet_ingress_set(struct uet_rail *rail, bool on,
		    struct netlink_ext_ack *extack);

#endif
