/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Paths: what a PDC knows of its ways to the peer, one for each rail: the route,
 * and how wide the network says the way is.  Level: shell.
 */
#ifndef UET_PATH_H
#define UET_PATH_H

#include <linux/skbuff.h>
#include <net/dst_cache.h>

#include "fep.h"

/**
 * struct uet_path - the ways to a peer
 * @route: one route for each rail; per CPU, BH disabled
 * @mtu: MTU each way was last said to have; valid while @hinted
 * @hinted_ns: when that was
 * @hinted: bit i: the way over rail i was said to be too narrow
 *
 * The last three are hints: written by receivers of ICMP and by senders, read by
 * others, READ_ONCE and WRITE_ONCE without a lock.  One that comes out mixed
 * makes a packet take another rail, or an error another text.
 */
struct uet_path {
	struct dst_cache route[UET_FEP_RAILS_MAX];
	u32 mtu[UET_FEP_RAILS_MAX];
	u64 hinted_ns[UET_FEP_RAILS_MAX];
	unsigned long hinted;
};

int uet_path_init(struct uet_path *path, gfp_t gfp);
void uet_path_fini(struct uet_path *path);
void uet_path_hint(struct uet_path *path, int slot, u32 mtu);
unsigned long uet_path_avoid(struct uet_path *path);
u32 uet_path_pmtu(const struct uet_fep *fep, struct uet_path *path);

#endif
