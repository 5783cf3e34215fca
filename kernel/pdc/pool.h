/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Limits on the number of PDCs of a FEP, in two pools: a common pool, and a smaller
 * reserved pool for special services, which stays available when the common pool is
 * exhausted.
 */
#ifndef UET_POOL_H
#define UET_POOL_H

#include <linux/rhashtable.h>
#include <linux/spinlock.h>

#include "base/base.h"

/**
 * enum uet_pool - pool that a PDC is charged to
 * @UET_POOL_COMMON: for all PDCs
 * @UET_POOL_RESERVED: for packets with use_rsv_pdc and sockets with UET_RESERVED_PDC
 * @UET_POOLS: number of pools
 */
enum uet_pool {
	UET_POOL_COMMON,
	UET_POOL_RESERVED,
	UET_POOLS,
};

/**
 * struct uet_pools - PDC pools of a FEP
 * @un: namespace of the FEP, whose quota counts the memory of target PDCs; immutable
 * @max_targets: maximum of target PDCs by pool, mem_units, derived from the memory of
 *	the machine; immutable
 * @initiators: initiator PDCs by pool, with the shares of jobs and of users
 * @lock: protects the fields below; taken with BH disabled, leaf
 * @peers: struct pool_peer by fabric address
 * @nr_targets: charged target PDCs by pool, mem_units
 */
struct uet_pools {
	struct uet_net *un;
	u32 max_targets[UET_POOLS];
	struct uet_shares initiators[UET_POOLS];
	spinlock_t lock;
	struct rhashtable peers;
	u32 nr_targets[UET_POOLS];
};

int uet_pools_init(struct uet_pools *pools, struct uet_net *un);
void uet_pools_fini(struct uet_pools *pools);
int uet_pools_take_target(struct uet_pools *pools, const struct uet_fa *peer,
			  u32 mem_units, enum uet_pool wanted);
void uet_pools_give_target(struct uet_pools *pools, const struct uet_fa *peer,
			   u32 mem_units, enum uet_pool pool);
void uet_pools_free_target(u32 mem_units);
int uet_pools_take_initiator(struct uet_pools *pools,
			     const struct uet_share_owner *owner,
			     enum uet_pool wanted);
void uet_pools_give_initiator(struct uet_pools *pools,
			      const struct uet_share_owner *owner,
			      enum uet_pool pool);

#endif
