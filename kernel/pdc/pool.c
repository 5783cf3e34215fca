// SPDX-License-Identifier: GPL-2.0
/*
 * Limits on the PDCs of a FEP: target PDCs, opened by peers and counted in mem_units,
 * and initiator PDCs, opened by sockets.  Each kind has a reserved pool.  A peer cannot
 * have more target PDCs than it leaves for the other peers, and a job or a user cannot
 * have more initiator PDCs than its share.  Module parameters lower the limits.
 * Spec: UE 1.0.1 3.5.8.2 (PDC selection), Table 3-33 (use_rsv_pdc).
 */
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>

#include "pdc_entry.h"
#include "pool.h"

/*
 * A target PDC that is in use takes 40 KiB, or more with a large window, and any sender of
 * packets can open a target PDC, and use it.  The target PDCs of a FEP may use a
 * sixteenth of the memory.  quota.c limits their sum over all FEPs.
 */
#define POOL_TARGET_PAGES	DIV_ROUND_UP(UET_PDC_MEM_UNIT, PAGE_SIZE)
#define POOL_TARGETS_SHARE	16
#define POOL_TARGETS_MIN	256
#define POOL_TARGETS_MAX	16384

/*
 * Limit of initiator PDCs, which local users open.  With the maximum number of
 * initiators, enough PDCIDs remain for the maximum number of targets.
 */
#define POOL_INITIATORS_MAX	(U16_MAX - POOL_TARGETS_MAX)

/* Divisor of a limit: the share of the reserved pool, at least 1 PDC. */
#define POOL_RESERVED_SHARE	16

/* Minimum limit: one PDC for each pool. */
#define POOL_PDCS_MIN		2

/**
 * struct pool_peer - a peer that has opened target PDCs
 * @node: entry in uet_pools.peers
 * @fa: fabric address of the peer
 * @nr: charged target PDCs by pool, mem_units; under uet_pools.lock
 * @rcu: for kfree_rcu()
 */
struct pool_peer {
	struct rhash_head node;
	struct uet_fa fa;
	u32 nr[UET_POOLS];
	struct rcu_head rcu;
};

static const struct rhashtable_params pool_peers_params = {
	.key_len = sizeof(struct uet_fa),
	.key_offset = offsetof(struct pool_peer, fa),
	.head_offset = offsetof(struct pool_peer, node),
	.automatic_shrinking = true,
};

static int pool_set_limit(const char *text, const struct kernel_param *kp,
			  u32 most)
{
	u32 limit;

	if (kstrtouint(text, 0, &limit) ||
	    (limit && (limit < POOL_PDCS_MIN || limit > most))) {
		pr_err("uet: %s must be 0 or a number from %u to %u\n",
		       kp->name, POOL_PDCS_MIN, most);
		return -EINVAL;
	}
	/* Pairs with the READ_ONCE() in uet_pools_init(). */
	WRITE_ONCE(*(u32 *)kp->arg, limit);
	return 0;
}

static int pool_set_targets(const char *text, const struct kernel_param *kp)
{
	return pool_set_limit(text, kp, POOL_TARGETS_MAX);
}

static int pool_set_initiators(const char *text, const struct kernel_param *kp)
{
	return pool_set_limit(text, kp, POOL_INITIATORS_MAX);
}

static const struct kernel_param_ops pool_targets_ops = {
	.set = pool_set_targets,
	.get = param_get_uint,
};

static const struct kernel_param_ops pool_initiators_ops = {
	.set = pool_set_initiators,
	.get = param_get_uint,
};

static u32 max_targets;
module_param_cb(max_targets, &pool_targets_ops, &max_targets, 0644);
MODULE_PARM_DESC(max_targets, "PDCs that peers can open with a FEP made from now on, in units of 40 KiB; 0: a sixteenth of the memory");

static u32 max_initiators;
module_param_cb(max_initiators, &pool_initiators_ops, &max_initiators, 0644);
MODULE_PARM_DESC(max_initiators, "PDCs that a FEP made from now on can open; 0: as many as there are numbers for");

static void pool_divide(u32 *max, u32 limit)
{
	max[UET_POOL_RESERVED] = DIV_ROUND_UP(limit, POOL_RESERVED_SHARE);
	max[UET_POOL_COMMON] = limit - max[UET_POOL_RESERVED];
}

static void pool_init_targets(struct uet_pools *pools)
{
	u32 by_memory = clamp_t(unsigned long, totalram_pages() /
				POOL_TARGETS_SHARE / POOL_TARGET_PAGES,
				POOL_TARGETS_MIN, POOL_TARGETS_MAX);
	/* Pairs with the WRITE_ONCE() in pool_set_limit(). */
	u32 targets = READ_ONCE(max_targets);

	pool_divide(pools->max_targets,
		    targets ? min(targets, by_memory) : by_memory);
	memset(pools->nr_targets, 0, sizeof(pools->nr_targets));
}

static void pool_fini_initiators(struct uet_pools *pools)
{
	int pool;

	for (pool = 0; pool < UET_POOLS; pool++)
		uet_shares_fini(&pools->initiators[pool]);
}

static int pool_init_initiators(struct uet_pools *pools)
{
	/* Pairs with the WRITE_ONCE() in pool_set_limit(). */
	u32 initiators = READ_ONCE(max_initiators), max[UET_POOLS];
	int pool, err;

	pool_divide(max, initiators ? : POOL_INITIATORS_MAX);
	for (pool = 0; pool < UET_POOLS; pool++) {
		err = uet_shares_init(&pools->initiators[pool], max[pool]);
		if (err)
			break;
	}
	while (err && pool--)
		uet_shares_fini(&pools->initiators[pool]);
	return err;
}

/*
 * Initialise empty pools.
 * Context: Process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int uet_pools_init(struct uet_pools *pools, struct uet_net *un)
{
	int err;

	pools->un = un;
	spin_lock_init(&pools->lock);
	pool_init_targets(pools);
	err = pool_init_initiators(pools);
	if (err)
		return err;
	err = rhashtable_init(&pools->peers, &pool_peers_params);
	if (err)
		pool_fini_initiators(pools);
	return err;
}

/*
 * Destroy empty pools.
 * @pools: pools without charged PDCs, not reachable by RCU readers
 *
 * Context: Process, sleeps: never from an RCU callback.
 */
void uet_pools_fini(struct uet_pools *pools)
{
	rhashtable_destroy(&pools->peers);
	pool_fini_initiators(pools);
}

/* Return: the entry of the peer, created if necessary; NULL: out of memory. */
static struct pool_peer *pool_peer(struct uet_pools *pools,
				   const struct uet_fa *fa)
{
	struct pool_peer *peer;

	lockdep_assert_held(&pools->lock);
	peer = rhashtable_lookup_fast(&pools->peers, fa, pool_peers_params);
	if (peer)
		return peer;
	peer = kzalloc(sizeof(*peer), GFP_ATOMIC | __GFP_NOWARN);
	if (!peer)
		return NULL;
	peer->fa = *fa;
	if (rhashtable_insert_fast(&pools->peers, &peer->node,
				   pool_peers_params)) {
		kfree(peer);
		return NULL;
	}
	return peer;
}

static void pool_forget_peer(struct uet_pools *pools, struct pool_peer *peer)
{
	lockdep_assert_held(&pools->lock);
	if (peer->nr[UET_POOL_COMMON] || peer->nr[UET_POOL_RESERVED])
		return;
	rhashtable_remove_fast(&pools->peers, &peer->node, pool_peers_params);
	kfree_rcu(peer, rcu);
}

/*
 * Select a pool with space.  A request for the reserved pool tries the reserved pool
 * first, then the common pool.
 * Return: the pool or -ENOSPC.
 */
static int pool_with_space(const struct uet_pools *pools,
			   const struct pool_peer *peer, u32 mem_units,
			   enum uet_pool wanted)
{
	int pool;

	lockdep_assert_held(&pools->lock);
	for (pool = wanted; pool >= UET_POOL_COMMON; pool--) {
		if (peer->nr[pool] + mem_units <=
		    pools->max_targets[pool] - pools->nr_targets[pool])
			return pool;
	}
	return -ENOSPC;
}

/*
 * Charge a target PDC.
 * @wanted: UET_POOL_RESERVED if the peer requests the reserved pool
 *
 * In each pool a peer may not have more PDCs than are free for the other peers.  A
 * single peer can take half of a pool, and a new peer always finds space.  A request for
 * the reserved pool may also use the common pool, so it is never refused where a common
 * request would succeed.
 *
 * Context: Any but hard interrupt.
 * Return: the charged pool, enum uet_pool; the charge lasts until
 *	uet_pdc_table_hide() or uet_pools_give_target(); -ENOSPC; -ENOMEM.
 * Spec: UE 1.0.1 Table 3-33 (use_rsv_pdc).
 */
int uet_pools_take_target(struct uet_pools *pools, const struct uet_fa *peer,
			  u32 mem_units, enum uet_pool wanted)
{
	u32 pages = mem_units * POOL_TARGET_PAGES;
	struct pool_peer *entry;
	int pool = -ENOMEM;

	if (!uet_quota_take_pages(pools->un, pages))
		return -ENOSPC;
	spin_lock_bh(&pools->lock);
	entry = pool_peer(pools, peer);
	if (entry) {
		pool = pool_with_space(pools, entry, mem_units, wanted);
		if (pool < 0) {
			pool_forget_peer(pools, entry);
		} else {
			entry->nr[pool] += mem_units;
			pools->nr_targets[pool] += mem_units;
		}
	}
	spin_unlock_bh(&pools->lock);
	if (pool < 0) {
		uet_quota_give_pages(pools->un, pages);
		uet_quota_free_pages(pages);
	}
	return pool;
}

/*
 * Uncharge a target PDC.
 * @mem_units: argument of uet_pools_take_target()
 *
 * uet_pools_free_target() follows when its memory is free.
 *
 * Context: Any but hard interrupt.
 */
void uet_pools_give_target(struct uet_pools *pools, const struct uet_fa *peer,
			   u32 mem_units, enum uet_pool pool)
{
	struct pool_peer *entry;

	spin_lock_bh(&pools->lock);
	entry = rhashtable_lookup_fast(&pools->peers, peer, pool_peers_params);
	if (entry) {
		entry->nr[pool] -= mem_units;
		pools->nr_targets[pool] -= mem_units;
		pool_forget_peer(pools, entry);
	}
	spin_unlock_bh(&pools->lock);
	uet_quota_give_pages(pools->un, mem_units * POOL_TARGET_PAGES);
}

/*
 * The memory of a target PDC is free.
 * @mem_units: argument of uet_pools_take_target()
 */
void uet_pools_free_target(u32 mem_units)
{
	uet_quota_free_pages(mem_units * POOL_TARGET_PAGES);
}

/*
 * Charge an initiator PDC.
 * @wanted: UET_POOL_RESERVED if the socket requests the reserved pool
 *
 * Context: Any but hard interrupt.
 * Return: the charged pool, enum uet_pool; the charge lasts until
 *	uet_pdc_table_del() or uet_pools_give_initiator(); -ENOSPC: the share of
 *	the job or of the user is used up; -ENOMEM.
 */
int uet_pools_take_initiator(struct uet_pools *pools,
			     const struct uet_share_owner *owner,
			     enum uet_pool wanted)
{
	int pool, err = -ENOSPC;

	for (pool = wanted; pool >= UET_POOL_COMMON; pool--) {
		err = uet_shares_take(&pools->initiators[pool], owner, 1);
		if (!err)
			return pool;
	}
	return err;
}

/*
 * Uncharge an initiator PDC.
 * @owner: argument of uet_pools_take_initiator()
 * @pool: result of uet_pools_take_initiator()
 *
 * Context: Any but hard interrupt.
 */
void uet_pools_give_initiator(struct uet_pools *pools,
			      const struct uet_share_owner *owner,
			      enum uet_pool pool)
{
	uet_shares_give(&pools->initiators[pool], owner, 1);
}
