/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Paths from a PDC to its peer, one for each rail: the cached route, and the path MTU
 * that ICMP reported.
 */
#ifndef UET_PATH_H
#define UET_PATH_H

#include <linux/skbuff.h>
#include <net/dst_cache.h>

#include "fep.h"

/**
 * struct uet_path_rail - path over one rail
 * @route: cached route; per CPU, BH disabled
 * @mtu: last reported path MTU, bytes; valid if the bit in uet_path.hinted is set
 * @hinted_ns: time of that report
 */
struct uet_path_rail {
	struct dst_cache route;
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
void uet_path_hint(struct uet_path *path, int slot, u32 mtu);
unsigned long uet_path_avoid(struct uet_path *path);
u32 uet_path_pmtu(const struct uet_fep *fep, struct uet_path *path);

#endif
