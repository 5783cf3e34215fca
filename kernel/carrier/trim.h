/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Trimmed packets (UE 1.0.1 4.1): identified by their DSCP, and taken from the
 * IP layer before UDP, which would drop them, while any FEP is registered for
 * them.
 */
#ifndef UET_TRIM_H
#define UET_TRIM_H

#include <linux/types.h>

struct netlink_ext_ack;
struct uet_fep;

u8 uet_trim_code(const struct uet_fep *fep, u8 dsfield);
int uet_trim_want(struct uet_fep *fep, bool wants,
		  struct netlink_ext_ack *extack);

#endif
