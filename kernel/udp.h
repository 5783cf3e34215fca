/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The UDP carrier (UE 1.0.1 3.5.10.1): the encapsulation socket of a FEP, and
 * handing a datagram to the IP layer on one rail.  Level: shell.
 */
#ifndef UET_UDP_H
#define UET_UDP_H

#include <linux/skbuff.h>
#include <net/dst_cache.h>

#include "fep.h"

struct netlink_ext_ack;

int uet_udp_open(struct uet_fep *fep, struct netlink_ext_ack *extack);
void uet_udp_close(struct uet_fep *fep);
enum uet_drop uet_udp_xmit(struct uet_fep *fep, const struct uet_fa *to,
			   struct dst_cache *routes, struct sk_buff *skb);

#endif
