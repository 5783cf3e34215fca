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
 * struct uet_path - path state of a PDC
 * @route: cached route for each rail; per CPU, BH disabled
 * @mtu: last reported path MTU of each rail, bytes; valid if the bit in @hinted is set
 * @hinted_ns: time of that report
 * @hinted: bit i: the path over rail i exceeded its MTU
 *
 * The ICMP receive path and senders access @mtu, @hinted_ns and @hinted without a lock,
 * by READ_ONCE and WRITE_ONCE.  A race can at worst select another rail for a packet or
 * another error code.
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
