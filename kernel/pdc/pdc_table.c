// SPDX-License-Identifier: GPL-2.0
/*
 * Tables that map packets and messages to PDCs, and the limits on PDCs of a FEP.
 *
 * Target PDCs, opened by peers, are counted in mem_units, and initiator PDCs are opened by
 * sockets.  Each kind has a reserved pool.  A peer cannot have more target PDCs than it leaves for
 * the other peers, and a job or a user cannot have more initiator PDCs than its share.  Module
 * parameters lower the limits.
 *
 * Peers with PDCs are bounded as PDCs are.  Of those without, the FEP remembers the last
 * UET_PDC_PEERS_IDLE_MAX, and only those that have answered or that this node has called: a flood
 * of SYNs from forged addresses leaves nothing behind.
 * Spec: UE 1.0.1 3.5.8.2 (PDC identifiers and selection), Table 3-33 (use_rsv_pdc).
 */
#include <linux/jhash.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "pdc.h"

struct workqueue_struct *uet_pdc_wq;

/* PDCID 0 is reserved, UE 1.0.1 3.5.8.2. */
#define TABLE_ID_LIMIT	XA_LIMIT(1, U16_MAX)

static const struct rhashtable_params table_targets_params = {
	.key_len = sizeof(struct uet_syn_key),
	.key_offset = offsetof(struct uet_pdc_entry, syn),
	.head_offset = offsetof(struct uet_pdc_entry, node),
	.automatic_shrinking = true,
};

static const struct rhashtable_params table_initiators_params = {
	.key_len = sizeof(struct uet_peer_key),
	.key_offset = offsetof(struct uet_pdc_entry, key),
	.head_offset = offsetof(struct uet_pdc_entry, node),
	.automatic_shrinking = true,
};

/* ------------------------------------------------------------------ limits on PDCs */

/*
 * A target PDC that is in use takes 40 KiB, or more with a large window, and any sender of
 * packets can open a target PDC, and use it.  The target PDCs of a FEP may use a
 * sixteenth of the memory.  quota.c limits their sum over all FEPs.
 */
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

static u32 max_targets, max_initiators;

static int pool_set_limit(const char *text, const struct kernel_param *kp)
{
	u32 most = kp->arg == &max_targets ? POOL_TARGETS_MAX : POOL_INITIATORS_MAX;
	u32 limit;

	if (kstrtouint(text, 0, &limit) || (limit && (limit < POOL_PDCS_MIN || limit > most))) {
		pr_err("uet: %s must be 0 or a number from %u to %u\n",
		       kp->name, POOL_PDCS_MIN, most);
		return -EINVAL;
	}
	/* Pairs with the READ_ONCE()s of this file. */
	WRITE_ONCE(*(u32 *)kp->arg, limit);
	return 0;
}

static const struct kernel_param_ops pool_limit_ops = {
	.set = pool_set_limit,
	.get = param_get_uint,
};

module_param_cb(max_targets, &pool_limit_ops, &max_targets, 0644);
MODULE_PARM_DESC(max_targets, "PDCs that peers can open with a FEP made from now on, in units of 40 KiB; 0: a sixteenth of the memory");
module_param_cb(max_initiators, &pool_limit_ops, &max_initiators, 0644);
MODULE_PARM_DESC(max_initiators, "PDCs that a FEP made from now on can open; 0: as many as there are numbers for");

static void pool_divide(u32 *max, u32 limit)
{
	max[UET_POOL_RESERVED] = DIV_ROUND_UP(limit, POOL_RESERVED_SHARE);
	max[UET_POOL_COMMON] = limit - max[UET_POOL_RESERVED];
}

static u32 pool_max_targets(void)
{
	u32 by_memory = clamp_t(unsigned long, totalram_pages() /
				POOL_TARGETS_SHARE / UET_PDC_MEM_PAGES,
				POOL_TARGETS_MIN, POOL_TARGETS_MAX);
	/* Pairs with the WRITE_ONCE() in pool_set_limit(). */
	u32 targets = READ_ONCE(max_targets);

	return targets ? min(targets, by_memory) : by_memory;
}

static void pools_fini(struct uet_pools *pools)
{
	int pool;

	for (pool = 0; pool < UET_POOLS; pool++)
		uet_shares_fini(&pools->initiators[pool]);
}

static int pools_init(struct uet_pools *pools, struct uet_net *un)
{
	/* Pairs with the WRITE_ONCE() in pool_set_limit(). */
	u32 initiators = READ_ONCE(max_initiators), max[UET_POOLS];
	int pool, err;

	pools->un = un;
	pool_divide(pools->max_targets, pool_max_targets());
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

/* -------------------------------------------------------------------- peers of a FEP */

static const struct rhashtable_params table_peers_params = {
	.key_len = sizeof(struct uet_fa),
	.key_offset = offsetof(struct uet_pdc_peer, fa),
	.head_offset = offsetof(struct uet_pdc_peer, node),
	.automatic_shrinking = true,
};

static int peers_init(struct uet_pdc_peers *peers)
{
	spin_lock_init(&peers->lock);
	xa_init_flags(&peers->by_number, XA_FLAGS_ALLOC | XA_FLAGS_LOCK_BH);
	INIT_LIST_HEAD(&peers->idle);
	return rhashtable_init(&peers->by_fa, &table_peers_params);
}

/* Drop the reference of a PDC. */
void uet_pdc_peer_put(struct uet_pdc_peer *peer)
{
	if (refcount_dec_and_test(&peer->refs))
		kfree_rcu(peer, rcu);
}

/* Take a peer without PDCs out of the tables. */
static void peer_forget(struct uet_pdc_peers *peers, struct uet_pdc_peer *peer)
	__must_hold(&peers->lock)
{
	rhashtable_remove_fast(&peers->by_fa, &peer->node, table_peers_params);
	xa_erase_bh(&peers->by_number, peer->number);
	uet_pdc_peer_put(peer);
}

static void peer_forget_first(struct uet_pdc_peers *peers)
	__must_hold(&peers->lock)
{
	struct uet_pdc_peer *peer;

	peer = list_first_entry(&peers->idle, struct uet_pdc_peer, idle);
	list_del(&peer->idle);
	peers->nr_idle--;
	peer_forget(peers, peer);
}

static void peers_fini(struct uet_pdc_peers *peers)
{
	spin_lock_bh(&peers->lock);
	while (peers->nr_idle)
		peer_forget_first(peers);
	spin_unlock_bh(&peers->lock);
	rhashtable_destroy(&peers->by_fa);
	xa_destroy(&peers->by_number);
}

/*
 * uet_pdc_peer_find() - find a peer, without a reference, under RCU
 */
struct uet_pdc_peer *uet_pdc_peer_find(struct uet_pdc_peers *peers, const struct uet_fa *fa)
{
	return rhashtable_lookup(&peers->by_fa, fa, table_peers_params);
}

/* Count a PDC for the peer of @fa. Return: the peer, with a reference; NULL: none. */
static struct uet_pdc_peer *peer_use(struct uet_pdc_peers *peers, const struct uet_fa *fa)
	__must_hold(&peers->lock)
{
	struct uet_pdc_peer *peer;

	rcu_read_lock();
	peer = uet_pdc_peer_find(peers, fa);
	rcu_read_unlock();
	if (!peer)
		return NULL;
	if (!peer->nr_pdcs) {
		list_del(&peer->idle);
		peers->nr_idle--;
	}
	WRITE_ONCE(peer->nr_pdcs, peer->nr_pdcs + 1);
	refcount_inc(&peer->refs);
	return peer;
}

static int peer_enlist(struct uet_pdc_peers *peers, struct uet_pdc_peer *peer)
	__must_hold(&peers->lock)
{
	int err = xa_alloc_cyclic_bh(&peers->by_number, &peer->number, peer, xa_limit_32b,
				     &peers->next_number, GFP_ATOMIC | __GFP_NOWARN);

	if (err < 0)
		return err;
	err = rhashtable_lookup_insert_fast(&peers->by_fa, &peer->node, table_peers_params);
	if (err)
		xa_erase_bh(&peers->by_number, peer->number);
	return err;
}

/*
 * The peer of a new PDC, found or made, with a reference, for uet_pdc_peer_leave() and
 * uet_pdc_peer_put(); NULL: out of memory.
 */
struct uet_pdc_peer *uet_pdc_peer_join(struct uet_pdc_peers *peers,
				       const struct uet_fa *fa, gfp_t gfp)
{
	struct uet_pdc_peer *peer, *new = NULL;

	spin_lock_bh(&peers->lock);
	peer = peer_use(peers, fa);
	spin_unlock_bh(&peers->lock);
	if (peer)
		return peer;
	new = kzalloc(sizeof(*new), gfp | __GFP_NOWARN);
	if (!new)
		return NULL;
	new->fa = *fa;
	new->nr_pdcs = 1;
	refcount_set(&new->refs, 2);
	spin_lock_bh(&peers->lock);
	peer = peer_use(peers, fa);
	if (!peer && !peer_enlist(peers, new)) {
		peer = new;
		new = NULL;
	}
	spin_unlock_bh(&peers->lock);
	kfree(new);
	return peer;
}

/* A PDC leaves the tables. */
void uet_pdc_peer_leave(struct uet_pdc_peers *peers, struct uet_pdc_peer *peer)
{
	spin_lock_bh(&peers->lock);
	WRITE_ONCE(peer->nr_pdcs, peer->nr_pdcs - 1);
	if (peer->nr_pdcs) {
		/* Remembered by its other PDCs. */
	} else if (!READ_ONCE(peer->is_known)) {
		peer_forget(peers, peer);
	} else {
		list_add_tail(&peer->idle, &peers->idle);
		if (++peers->nr_idle > UET_PDC_PEERS_IDLE_MAX)
			peer_forget_first(peers);
	}
	spin_unlock_bh(&peers->lock);
}

/*
 * A request for the reserved pool tries the reserved pool first, then the common pool. Return:
 * the pool or -ENOSPC.
 */
static int pool_with_space(const struct uet_pools *pools, const struct uet_pdc_peer *peer,
			   u32 mem_units, enum uet_pool wanted)
{
	int pool;

	for (pool = wanted; pool >= UET_POOL_COMMON; pool--) {
		if (peer->nr_targets[pool] + mem_units <=
		    pools->max_targets[pool] - pools->nr_targets[pool])
			return pool;
	}
	return -ENOSPC;
}

/*
 * Charge a target PDC to its peer, which uet_pdc_peer_join() finds or makes.
 *
 * In each pool a peer may not have more PDCs than are free for the other peers.  A single peer
 * can take half of a pool, and a new peer always finds space.  A request for the reserved pool
 * may also use the common pool, so it is never refused where a common request would succeed.
 *
 * Return: the charged pool; the charge lasts until uet_pdc_table_hide() or
 * uet_pools_give_target(); -ENOSPC; -ENOMEM.
 */
int uet_pools_take_target(struct uet_pdc_table *tab, const struct uet_fa *fa,
			  u32 mem_units, enum uet_pool wanted, struct uet_pdc_peer **peer)
{
	u32 pages = mem_units * UET_PDC_MEM_PAGES;
	struct uet_pools *pools = &tab->pools;
	int pool = -ENOMEM;

	if (!uet_quota_take_pages(pools->un, pages))
		return -ENOSPC;
	*peer = uet_pdc_peer_join(&tab->peers, fa, GFP_ATOMIC);
	if (!*peer)
		goto err_quota;
	spin_lock_bh(&tab->peers.lock);
	pool = pool_with_space(pools, *peer, mem_units, wanted);
	if (pool >= 0) {
		(*peer)->nr_targets[pool] += mem_units;
		pools->nr_targets[pool] += mem_units;
	}
	spin_unlock_bh(&tab->peers.lock);
	if (pool >= 0)
		return pool;
	uet_pdc_peer_leave(&tab->peers, *peer);
	uet_pdc_peer_put(*peer);
err_quota:
	uet_quota_give_pages(pools->un, pages);
	uet_quota_free_pages(pages);
	return pool;
}

/*
 * Uncharge a target PDC.  uet_quota_free_pages() follows when its memory is free.
 * @peer: valid, but may have left the tables
 */
void uet_pools_give_target(struct uet_pdc_table *tab, struct uet_pdc_peer *peer,
			   u32 mem_units, enum uet_pool pool)
{
	spin_lock_bh(&tab->peers.lock);
	peer->nr_targets[pool] -= mem_units;
	tab->pools.nr_targets[pool] -= mem_units;
	spin_unlock_bh(&tab->peers.lock);
	uet_quota_give_pages(tab->pools.un, mem_units * UET_PDC_MEM_PAGES);
}

/* ----------------------------------------------------------------------------- tables */

int uet_pdc_table_init(struct uet_pdc_table *tab, struct uet_net *un)
{
	int err;

	/* A peer may remember ids from before a restart: begin elsewhere. */
	tab->next_id = get_random_u32_below(U16_MAX) + 1;
	xa_init_flags(&tab->ids, XA_FLAGS_ALLOC | XA_FLAGS_LOCK_BH | XA_FLAGS_ACCOUNT);
	xa_init_flags(&tab->tokens, XA_FLAGS_ALLOC1 | XA_FLAGS_LOCK_BH | XA_FLAGS_ACCOUNT);

	err = rhashtable_init(&tab->targets, &table_targets_params);
	if (err)
		return err;
	err = pools_init(&tab->pools, un);
	if (err)
		goto err_targets;
	err = rhashtable_init(&tab->initiators, &table_initiators_params);
	if (err)
		goto err_pools;
	err = peers_init(&tab->peers);
	if (err)
		goto err_initiators;
	err = uet_rudi_table_init(tab);
	if (!err)
		return 0;
	peers_fini(&tab->peers);
err_initiators:
	rhashtable_destroy(&tab->initiators);
err_pools:
	pools_fini(&tab->pools);
err_targets:
	rhashtable_destroy(&tab->targets);
	return err;
}

/*
 * uet_pdc_table_fini() - take down tables without PDCs and requests, out of reach of RCU
 *	readers; sleeps
 */
void uet_pdc_table_fini(struct uet_pdc_table *tab)
{
	cancel_delayed_work_sync(&tab->sweep);
	uet_rudi_table_fini(tab);
	peers_fini(&tab->peers);
	rhashtable_destroy(&tab->initiators);
	pools_fini(&tab->pools);
	rhashtable_destroy(&tab->targets);
	xa_destroy(&tab->ids);
	xa_destroy(&tab->tokens);
}

/*
 * Reserve a PDCID, not 0; uet_pdc_table_find() does not find it before uet_pdc_table_add().
 * Return: 0, -ENOMEM, or -ENOSPC when all 65535 are in use.
 */
int uet_pdc_table_new_id(struct uet_pdc_table *tab, u16 *id, gfp_t gfp)
{
	u32 new;
	int err;

	err = xa_alloc_cyclic_bh(&tab->ids, &new, NULL, TABLE_ID_LIMIT, &tab->next_id, gfp);
	if (err == -EBUSY)
		return -ENOSPC;
	if (err < 0)
		return err;
	*id = new;
	return 0;
}

/*
 * Insert a PDC, with an id and charged, into the tables.  The caller holds its lock, so a CPU
 * that finds the PDC in the first table waits until the PDC is in all tables.
 * Return: 0; -EEXIST if another PDC has its key; -ENOMEM or -E2BIG from the hash table.
 */
int uet_pdc_table_add(struct uet_pdc_table *tab, struct uet_pdc_entry *pe)
{
	int err;

	lockdep_assert_held(&pe->lock);
	if (pe->role == UET_PDC_TARGET)
		err = rhashtable_lookup_insert_fast(&tab->targets, &pe->node,
						    table_targets_params);
	else
		err = rhashtable_lookup_insert_fast(&tab->initiators, &pe->node,
						    table_initiators_params);
	if (err)
		return err;
	/* Pairs with the READ_ONCE() in pe_find_initiator(). */
	WRITE_ONCE(pe->hashed, true);
	/* The slot exists since uet_pdc_table_new_id(): nothing is allocated. */
	xa_store_bh(&tab->ids, pe->id, pe, GFP_ATOMIC);
	return 0;
}

static u32 table_pair(const struct uet_peer_key *key)
{
	return jhash(key, sizeof(*key), 0) % UET_PDC_TABLE_FORMER;
}

/*
 * uet_pdc_table_start_psn() - Start_PSN for a new PDC of a pair of endpoints
 * Return: random, 2^16 or more away from the PSNs of the former PDC of the pair.
 * Spec: UE 1.0.1 3.5.8.2.
 */
u32 uet_pdc_table_start_psn(const struct uet_pdc_table *tab, const struct uet_peer_key *key,
			    enum uet_pdc_start start)
{
	return uet_pdc_start_psn(start, get_random_u32(),
				 READ_ONCE(tab->former_psn[table_pair(key)]));
}

/* Let a PDC, locked, be found by its PDCID only: its key is free for another PDC. */
void uet_pdc_table_hide(struct uet_pdc_table *tab, struct uet_pdc_entry *pe)
{
	struct uet_pdc_info info;

	lockdep_assert_held(&pe->lock);
	if (!pe->hashed)
		return;
	WRITE_ONCE(pe->hashed, false);
	if (pe->role == UET_PDC_TARGET) {
		rhashtable_remove_fast(&tab->targets, &pe->node, table_targets_params);
		uet_pools_give_target(tab, pe->traffic.peer, pe->mem_units, pe->pool);
	} else {
		uet_pdc_get_info(pe->pdc, &info);
		WRITE_ONCE(tab->former_psn[table_pair(&pe->key)], info.next_psn);
		rhashtable_remove_fast(&tab->initiators, &pe->node, table_initiators_params);
	}
}

/* RCU readers may still see the PDC. */
void uet_pdc_table_del(struct uet_pdc_table *tab, struct uet_pdc_entry *pe)
{
	uet_pdc_table_hide(tab, pe);
	xa_erase_bh(&tab->ids, pe->id);
	if (pe->role == UET_PDC_INITIATOR)
		uet_shares_give(&tab->pools.initiators[pe->pool], &pe->owner, 1);
}

/*
 * uet_pdc_table_find() - find a PDC by dpdcid of a packet without SYN (uet-wire 2.18)
 */
struct uet_pdc_entry *uet_pdc_table_find(struct uet_pdc_table *tab, u16 pdcid)
{
	return xa_load(&tab->ids, pdcid);
}

/*
 * uet_pdc_table_target() - find the PDC that a SYN opened (uet-wire 2.18)
 */
struct uet_pdc_entry *uet_pdc_table_target(struct uet_pdc_table *tab,
					   const struct uet_syn_key *key)
{
	return rhashtable_lookup(&tab->targets, key, table_targets_params);
}

struct uet_pdc_entry *uet_pdc_table_initiator(struct uet_pdc_table *tab,
					      const struct uet_peer_key *key)
{
	return rhashtable_lookup(&tab->initiators, key, table_initiators_params);
}
