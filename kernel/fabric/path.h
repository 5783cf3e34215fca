/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Paths from a PDC to its peer, one for each rail: the cached route, and the path MTU
 * that ICMP reported.
 */
#ifndef UET_PATH_H
#define UET_PATH_H

#include <linux/skbuff.h>
#include <net/dst.h>

#include "fep.h"

/**
 * struct uet_path_rail - path over one rail
 * @route: route of the latest packet, with a reference, or NULL; RCU pointer, replaced without a
 *	lock
 * @cookie: by which IPv6 tells that @route is no longer valid
 * @mtu: last reported path MTU, bytes; valid if the bit in uet_path.hinted is set
 * @hinted_ns: time of that report
 */
struct uet_path_rail {
	struct dst_entry __rcu *route;
	u32 cookie;
	u32 mtu;
	u64 hinted_ns;
};

/**
 * struct uet_path - path state of a PDC
 * @rail: by slot of the FEP
 * @nr_rails: length of @rail
 * @hinted: bit i: the path over rail i exceeded its MTU
 *
 * The ICMP receive path and senders access the hints without a lock, by READ_ONCE and
 * WRITE_ONCE.  A race can at worst select another rail for a packet or another error code.
 */
struct uet_path {
	struct uet_path_rail *rail;
	unsigned int nr_rails;
	unsigned long hinted;
};

int uet_path_init(struct uet_path *path, const struct uet_fep *fep, gfp_t gfp);
void uet_path_fini(struct uet_path *path);
struct dst_entry *uet_path_route(struct uet_path_rail *rail);
void uet_path_set_route(struct uet_path_rail *rail, struct dst_entry *dst, u32 cookie);
void uet_path_hint(struct uet_path *path, int slot, u32 mtu);
unsigned long uet_path_avoid(struct uet_path *path);
u32 uet_path_pmtu(const struct uet_fep *fep, struct uet_path *path);

#endif
