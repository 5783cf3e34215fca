/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The places for PDCs on a FEP, in two pools: one for everybody, and a smaller
 * one for those who ask for it, so that special services get through when others
 * have taken all there is.  Level: shell.
 */
#ifndef UET_POOL_H
#define UET_POOL_H

#include <linux/rhashtable.h>
#include <linux/spinlock.h>

#include "base/base.h"

/**
 * enum uet_pool - whose share of a FEP's PDCs one of them counts for
 * @UET_POOL_COMMON: everybody's
 * @UET_POOL_RESERVED: kept for those who ask for it: packets with use_rsv_pdc,
 *	sockets with UET_RESERVED_PDC
 * @UET_POOLS: number of pools
 */
enum uet_pool {
	UET_POOL_COMMON,
	UET_POOL_RESERVED,
	UET_POOLS,
};

/**
 * struct uet_pools - the places of one FEP
 * @max_targets: target PDCs there may be by pool, by mem_units and the memory of
 *	the machine, fixed
 * @max_initiators: initiator PDCs there may be by pool, fixed
 * @lock: protects what follows; taken with BH disabled, leaf
 * @peers: how many target PDCs each peer has
 * @nr_targets: target PDCs there are or will be by pool, by mem_units
 * @nr_initiators: initiator PDCs there are or will be by pool
 */
struct uet_pools {
	u32 max_targets[UET_POOLS];
	u32 max_initiators[UET_POOLS];
	spinlock_t lock;
	struct rhashtable peers;
	u32 nr_targets[UET_POOLS];
	u32 nr_initiators[UET_POOLS];
};

int uet_pools_init(struct uet_pools *pools);
void uet_pools_fini(struct uet_pools *pools);
int uet_pools_take_target(struct uet_pools *pools, const struct uet_fa *peer,
			  u32 mem_units, enum uet_pool wish);
void uet_pools_give_target(struct uet_pools *pools, const struct uet_fa *peer,
			   u32 mem_units, enum uet_pool pool);
int uet_pools_take_initiator(struct uet_pools *pools, enum uet_pool wish);
void uet_pools_give_initiator(struct uet_pools *pools, enum uet_pool pool);

#endif
