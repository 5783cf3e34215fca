// SPDX-License-Identifier: GPL-2.0
/*
 * How many PDCs a FEP may have: those that peers open, by mem_units, and those that
 * sockets open.  Of both kinds a share is kept for those who ask for it, and of
 * what peers open none gets more than it leaves for the others.  The module
 * parameters that lower these limits are here.
 * Spec: UE 1.0.1 3.5.8.2 (PDC selection), Table 3-33 (use_rsv_pdc).  Level: shell.
 */
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>

#include "pdc_entry.h"
#include "pool.h"

/*
 * A target PDC takes an allocation of 32 KiB or, with a large window, some, and
 * anybody who can send a packet can open one.  All of a FEP may take a sixteenth
 * of the memory.
 */
#define POOL_TARGET_PAGES	(UET_PDC_MEM_UNIT >> PAGE_SHIFT)
#define POOL_TARGETS_SHARE	16
#define POOL_TARGETS_MIN	256
#define POOL_TARGETS_MAX	16384

/*
 * Local users can open PDCs, too.  PDCIDs are never all theirs: with as many
 * initiators as there may be, each target there may be finds one.
 */
#define POOL_INITIATORS_MAX	(U16_MAX - POOL_TARGETS_MAX)

/* Of the PDCs of each kind one in so many is of the reserved pool, at least 1. */
#define POOL_RESERVED_SHARE	16

/* Below this nothing would be left for the one pool or the other. */
#define POOL_PDCS_MIN		2

/**
 * struct pool_peer - a peer that has opened target PDCs
 * @node: in uet_pools.peers
 * @fa: its fabric address
 * @nr: target PDCs it has by pool, by mem_units, under uet_pools.lock
 * @rcu: frees it
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
MODULE_PARM_DESC(max_targets, "PDCs that peers can open with a FEP made from now on, in units of 32 KiB; 0: a sixteenth of the memory");

static u32 max_initiators;
module_param_cb(max_initiators, &pool_initiators_ops, &max_initiators, 0644);
MODULE_PARM_DESC(max_initiators, "PDCs that a FEP made from now on can open; 0: as many as there are numbers for");

static void pool_divide(u32 *max, u32 limit)
{
	max[UET_POOL_RESERVED] = DIV_ROUND_UP(limit, POOL_RESERVED_SHARE);
	max[UET_POOL_COMMON] = limit - max[UET_POOL_RESERVED];
}

static void pool_init_limits(struct uet_pools *pools)
{
	u32 by_memory = clamp_t(unsigned long, totalram_pages() /
				POOL_TARGETS_SHARE / POOL_TARGET_PAGES,
				POOL_TARGETS_MIN, POOL_TARGETS_MAX);
	/* Pair with the WRITE_ONCE() in pool_set_limit(). */
	u32 targets = READ_ONCE(max_targets);
	u32 initiators = READ_ONCE(max_initiators);

	pool_divide(pools->max_targets,
		    targets ? min(targets, by_memory) : by_memory);
	pool_divide(pools->max_initiators, initiators ? : POOL_INITIATORS_MAX);
	memset(pools->nr_targets, 0, sizeof(pools->nr_targets));
	memset(pools->nr_initiators, 0, sizeof(pools->nr_initiators));
}

/**
 * uet_pools_init() - nothing is taken
 * @pools: memory of the caller
 *
 * Context: Process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int uet_pools_init(struct uet_pools *pools)
{
	spin_lock_init(&pools->lock);
	pool_init_limits(pools);
	return rhashtable_init(&pools->peers, &pool_peers_params);
}

/**
 * uet_pools_fini() - everything was given back
 * @pools: out of reach of RCU readers
 *
 * Context: Process, sleeps: never from an RCU callback.
 */
void uet_pools_fini(struct uet_pools *pools)
{
	rhashtable_destroy(&pools->peers);
}

/* Return: the peer, made if it is new, or NULL without memory. */
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
 * The pool that has space: of those who ask for the reserved one first that,
 * then the common one, like for everybody else.
 * Return: the pool or -ENOSPC.
 */
static int pool_with_space(const struct uet_pools *pools,
			   const struct pool_peer *peer, u32 mem_units,
			   enum uet_pool wish)
{
	int pool;

	lockdep_assert_held(&pools->lock);
	for (pool = wish; pool >= UET_POOL_COMMON; pool--) {
		if (peer->nr[pool] + mem_units <=
		    pools->max_targets[pool] - pools->nr_targets[pool])
			return pool;
	}
	return -ENOSPC;
}

/**
 * uet_pools_take_target() - may a peer open another target PDC?
 * @pools: of the FEP
 * @peer: its fabric address
 * @mem_units: of the PDC, see uet_pdc_entry.mem_units
 * @wish: UET_POOL_RESERVED if the peer asks for it
 *
 * In each pool no peer may have more PDCs than are left for the others: one
 * alone can take half of them, and there is always space for a newcomer.  The
 * reserved pool is kept for those who ask for it, and they are not confined to
 * it: what is important should not be refused where what is not would be taken.
 *
 * Context: Any but hard interrupt.
 * Return: the pool, enum uet_pool, and the place there is taken until
 *	uet_pdc_table_hide() or uet_pools_give_target(); -ENOSPC; -ENOMEM.
 * Spec: UE 1.0.1 Table 3-33 (use_rsv_pdc).
 */
int uet_pools_take_target(struct uet_pools *pools, const struct uet_fa *peer,
			  u32 mem_units, enum uet_pool wish)
{
	struct pool_peer *entry;
	int pool = -ENOMEM;

	spin_lock_bh(&pools->lock);
	entry = pool_peer(pools, peer);
	if (entry) {
		pool = pool_with_space(pools, entry, mem_units, wish);
		if (pool < 0) {
			pool_forget_peer(pools, entry);
		} else {
			entry->nr[pool] += mem_units;
			pools->nr_targets[pool] += mem_units;
		}
	}
	spin_unlock_bh(&pools->lock);
	return pool;
}

/**
 * uet_pools_give_target() - a target PDC is gone, or never came to be
 * @pools: of the FEP
 * @peer: fabric address of its peer
 * @mem_units: the same as in uet_pools_take_target()
 * @pool: what that returned
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
}

/**
 * uet_pools_take_initiator() - may a socket open another initiator PDC?
 * @pools: of the FEP
 * @wish: UET_POOL_RESERVED if the socket asks for it
 *
 * Context: Any but hard interrupt.
 * Return: the pool, enum uet_pool, and the place there is taken until
 *	uet_pdc_table_del() or uet_pools_give_initiator(); -ENOSPC.
 */
int uet_pools_take_initiator(struct uet_pools *pools, enum uet_pool wish)
{
	int pool;

	spin_lock_bh(&pools->lock);
	for (pool = wish; pool >= UET_POOL_COMMON; pool--) {
		if (pools->nr_initiators[pool] < pools->max_initiators[pool])
			break;
	}
	if (pool >= UET_POOL_COMMON)
		pools->nr_initiators[pool]++;
	else
		pool = -ENOSPC;
	spin_unlock_bh(&pools->lock);
	return pool;
}

/**
 * uet_pools_give_initiator() - an initiator PDC is gone, or never came to be
 * @pools: of the FEP
 * @pool: what uet_pools_take_initiator() returned
 *
 * Context: Any but hard interrupt.
 */
void uet_pools_give_initiator(struct uet_pools *pools, enum uet_pool pool)
{
	spin_lock_bh(&pools->lock);
	pools->nr_initiators[pool]--;
	spin_unlock_bh(&pools->lock);
}
