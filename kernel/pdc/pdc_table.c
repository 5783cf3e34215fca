// SPDX-License-Identifier: GPL-2.0
/*
 * Tables that map packets and messages to PDCs: hashing, the allocation of PDCIDs, and
 * the decision between two PDCs with the same key.  pdc_entry.c and rudi_entry.c insert
 * and remove the objects.
 * Spec: UE 1.0.1 3.5.8.2 (PDC identifiers and selection).
 */
#include <linux/jhash.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "pdc_entry.h"
#include "pdc_table.h"
#include "rudi_entry.h"

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

static const struct rhashtable_params table_rudis_params = {
	.key_len = sizeof(struct uet_fa),
	.key_offset = offsetof(struct uet_rudi_entry, peer),
	.head_offset = offsetof(struct uet_rudi_entry, node),
	.automatic_shrinking = true,
};

static int table_init(struct uet_pdc_table *tab, struct uet_net *un)
{
	int err;

	/* A peer may remember ids from before a restart: begin elsewhere. */
	tab->next_id = get_random_u32_below(U16_MAX) + 1;
	xa_init_flags(&tab->ids, XA_FLAGS_ALLOC | XA_FLAGS_LOCK_BH | XA_FLAGS_ACCOUNT);
	xa_init_flags(&tab->tokens,
		      XA_FLAGS_ALLOC1 | XA_FLAGS_LOCK_BH | XA_FLAGS_ACCOUNT);

	err = rhashtable_init(&tab->targets, &table_targets_params);
	if (err)
		return err;
	err = uet_pools_init(&tab->pools, un);
	if (err)
		goto err_targets;
	err = rhashtable_init(&tab->initiators, &table_initiators_params);
	if (err)
		goto err_pools;
	err = rhashtable_init(&tab->rudis, &table_rudis_params);
	if (err)
		goto err_initiators;
	err = uet_pdc_peers_init(&tab->peers);
	if (err)
		goto err_rudis;
	err = uet_shares_init(&tab->rudi_shares, UET_PDC_TABLE_RUDIS_MAX);
	if (err)
		goto err_peers;
	return 0;

err_peers:
	uet_pdc_peers_fini(&tab->peers);
err_rudis:
	rhashtable_destroy(&tab->rudis);
err_initiators:
	rhashtable_destroy(&tab->initiators);
err_pools:
	uet_pools_fini(&tab->pools);
err_targets:
	rhashtable_destroy(&tab->targets);
	return err;
}

/**
 * uet_pdc_table_alloc() - make empty tables
 * @un: namespace of the FEP
 *
 * Context: Process, may sleep.
 * Return: the tables, for kfree() after uet_pdc_table_fini(); NULL without memory.
 */
struct uet_pdc_table *uet_pdc_table_alloc(struct uet_net *un)
{
	struct uet_pdc_table *tab = kzalloc(sizeof(*tab), GFP_KERNEL_ACCOUNT);

	if (!tab)
		return NULL;
	if (table_init(tab, un)) {
		kfree(tab);
		return NULL;
	}
	INIT_DELAYED_WORK(&tab->sweep, uet_pdc_memory_sweep);
	return tab;
}

/**
 * uet_pdc_table_fini() - take down empty tables
 * @tab: without PDCs and requests, out of reach of RCU readers; its memory stays
 *
 * Context: Process, sleeps: never from an RCU callback.
 */
void uet_pdc_table_fini(struct uet_pdc_table *tab)
{
	cancel_delayed_work_sync(&tab->sweep);
	uet_shares_fini(&tab->rudi_shares);
	uet_pdc_peers_fini(&tab->peers);
	rhashtable_destroy(&tab->rudis);
	rhashtable_destroy(&tab->initiators);
	uet_pools_fini(&tab->pools);
	rhashtable_destroy(&tab->targets);
	xa_destroy(&tab->ids);
	xa_destroy(&tab->tokens);
}

/*
 * Reserve a PDCID.
 * @id: result, not 0; uet_pdc_table_find() does not find it before
 *	uet_pdc_table_add()
 *
 * Context: Any but hard interrupt, as @gfp allows.
 * Return: 0, -ENOMEM, or -ENOSPC when all 65535 are in use.
 */
int uet_pdc_table_new_id(struct uet_pdc_table *tab, u16 *id, gfp_t gfp)
{
	u32 new;
	int err;

	err = xa_alloc_cyclic_bh(&tab->ids, &new, NULL, TABLE_ID_LIMIT,
				 &tab->next_id, gfp);
	if (err == -EBUSY)
		return -ENOSPC;
	if (err < 0)
		return err;
	*id = new;
	return 0;
}

/*
 * Release a PDCID that no PDC has used.
 * Context: Any but hard interrupt.
 */
void uet_pdc_table_free_id(struct uet_pdc_table *tab, u16 id)
{
	xa_erase_bh(&tab->ids, id);
}

/*
 * Insert a PDC into the tables.
 * @pe: initialised PDC, with an id from uet_pdc_table_new_id(), and charged by
 *	uet_pools_take_target() or uet_pools_take_initiator()
 *
 * The caller holds the lock, so a CPU that finds the PDC in the first table waits until
 * the PDC is in all tables.
 *
 * Context: Any but hard interrupt, pe->lock held.
 * Return: 0; -EEXIST if another PDC has its key; -ENOMEM or -E2BIG from the
 *	hash table.
 */
int uet_pdc_table_add(struct uet_pdc_table *tab, struct uet_pdc_entry *pe)
{
	int err;

	lockdep_assert_held(&pe->lock);
	if (pe->role == UET_PDC_TARGET)
		err = rhashtable_lookup_insert_fast(&tab->targets, &pe->node,
						    table_targets_params);
	else
		err = rhashtable_lookup_insert_fast(&tab->initiators,
						    &pe->node,
						    table_initiators_params);
	if (err)
		return err;
	/* Pairs with the READ_ONCE() in pe_find_latest(). */
	WRITE_ONCE(pe->hashed, true);
	/* The slot exists since uet_pdc_table_new_id(): nothing is allocated. */
	xa_store_bh(&tab->ids, pe->id, pe, GFP_ATOMIC);
	return 0;
}

static u32 table_pair(const struct uet_peer_key *key)
{
	return jhash(key, sizeof(*key), 0) % UET_PDC_TABLE_FORMER;
}

static void table_note_psn(struct uet_pdc_table *tab,
			   const struct uet_pdc_entry *pe)
{
	struct uet_pdc_info info;

	uet_pdc_get_info(pe->pdc, &info);
	WRITE_ONCE(tab->former_psn[table_pair(&pe->key)], info.next_psn);
}

/**
 * uet_pdc_table_start_psn() - Start_PSN for a new PDC of a pair of endpoints
 * @tab: tables
 * @key: the pair
 * @start: PLAIN or a value for security
 *
 * Return: random, 2^16 or more away from the PSNs of the former PDC of the pair.
 * Spec: UE 1.0.1 3.5.8.2.
 */
u32 uet_pdc_table_start_psn(const struct uet_pdc_table *tab,
			    const struct uet_peer_key *key,
			    enum uet_pdc_start start)
{
	return uet_pdc_start_psn(start, get_random_u32(),
				 READ_ONCE(tab->former_psn[table_pair(key)]));
}

/*
 * Let a PDC be found by its PDCID only.
 * @pe: in the tables; its key is free for another PDC now
 *
 * Context: Any but hard interrupt, pe->lock held.
 */
void uet_pdc_table_hide(struct uet_pdc_table *tab, struct uet_pdc_entry *pe)
{
	lockdep_assert_held(&pe->lock);
	if (!pe->hashed)
		return;
	WRITE_ONCE(pe->hashed, false);
	if (pe->role == UET_PDC_TARGET) {
		rhashtable_remove_fast(&tab->targets, &pe->node,
				       table_targets_params);
		uet_pools_give_target(&tab->pools, &pe->peer, pe->mem_units,
				      pe->pool);
	} else {
		table_note_psn(tab, pe);
		rhashtable_remove_fast(&tab->initiators, &pe->node,
				       table_initiators_params);
	}
}

/*
 * Take a PDC out of the tables.
 * @pe: in the tables; RCU readers may still see it
 *
 * Context: Any but hard interrupt, pe->lock held.
 */
void uet_pdc_table_del(struct uet_pdc_table *tab, struct uet_pdc_entry *pe)
{
	uet_pdc_table_hide(tab, pe);
	xa_erase_bh(&tab->ids, pe->id);
	if (pe->role == UET_PDC_INITIATOR)
		uet_pools_give_initiator(&tab->pools, &pe->owner, pe->pool);
}

/**
 * uet_pdc_table_find() - find a PDC by the local PDCID
 * @tab: tables
 * @pdcid: dpdcid of a packet without SYN
 *
 * Context: rcu_read_lock() held.
 * Return: the PDC, possibly dead, or NULL.
 * Spec: uet-wire 2.18.
 */
struct uet_pdc_entry *uet_pdc_table_find(struct uet_pdc_table *tab, u16 pdcid)
{
	return xa_load(&tab->ids, pdcid);
}

/**
 * uet_pdc_table_target() - find the PDC a SYN opened
 * @tab: tables
 * @key: sender
 *
 * Context: rcu_read_lock() held.
 * Return: the PDC, possibly dead, or NULL.
 * Spec: uet-wire 2.18.
 */
struct uet_pdc_entry *uet_pdc_table_target(struct uet_pdc_table *tab,
				       const struct uet_syn_key *key)
{
	return rhashtable_lookup(&tab->targets, key, table_targets_params);
}

/*
 * Find the PDC that serves a pair of endpoints.
 * Context: rcu_read_lock() held.
 * Return: the PDC, possibly dead, or NULL.
 */
struct uet_pdc_entry *uet_pdc_table_initiator(struct uet_pdc_table *tab,
					  const struct uet_peer_key *key)
{
	return rhashtable_lookup(&tab->initiators, key,
				 table_initiators_params);
}

/*
 * Make the requests to a peer findable.
 * Context: Any but hard interrupt, re->lock held.
 * Return: 0; -EEXIST if there is an object for this peer; -ENOSPC if its owner has its
 *	share of UET_PDC_TABLE_RUDIS_MAX; -ENOMEM.
 */
int uet_pdc_table_add_rudi(struct uet_pdc_table *tab, struct uet_rudi_entry *re)
{
	int err;

	lockdep_assert_held(&re->lock);
	err = uet_shares_take(&tab->rudi_shares, &re->owner, 1);
	if (err)
		return err;
	err = rhashtable_lookup_insert_fast(&tab->rudis, &re->node,
					    table_rudis_params);
	if (err)
		uet_shares_give(&tab->rudi_shares, &re->owner, 1);
	return err;
}

/*
 * Somebody asks a peer: it counts for the latest who does.
 * @owner: who asks; without a share left, @re counts for who asked before
 *
 * Context: Any but hard interrupt, re->lock held.
 */
void uet_pdc_table_charge_rudi(struct uet_pdc_table *tab, struct uet_rudi_entry *re,
			       const struct uet_share_owner *owner)
{
	lockdep_assert_held(&re->lock);
	if ((re->owner.job == owner->job && uid_eq(re->owner.uid, owner->uid)) ||
	    uet_shares_take(&tab->rudi_shares, owner, 1))
		return;
	uet_shares_give(&tab->rudi_shares, &re->owner, 1);
	re->owner = *owner;
}

/*
 * Take the requests to a peer out of the table.
 * @re: in the table; RCU readers may still see it
 *
 * Context: Any but hard interrupt, re->lock held.
 */
void uet_pdc_table_del_rudi(struct uet_pdc_table *tab, struct uet_rudi_entry *re)
{
	lockdep_assert_held(&re->lock);
	rhashtable_remove_fast(&tab->rudis, &re->node, table_rudis_params);
	uet_shares_give(&tab->rudi_shares, &re->owner, 1);
}

/**
 * uet_pdc_table_rudi() - find the RUDI object of a peer
 * @tab: tables
 * @peer: fabric address of the peer
 *
 * Context: rcu_read_lock() held.
 * Return: the object, possibly dead, or NULL.
 * Spec: UE 1.0.1 3.5.10.9: only the target of a request answers it.
 */
struct uet_rudi_entry *uet_pdc_table_rudi(struct uet_pdc_table *tab,
				      const struct uet_fa *peer)
{
	return rhashtable_lookup(&tab->rudis, peer, table_rudis_params);
}
