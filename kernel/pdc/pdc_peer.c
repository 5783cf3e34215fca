// SPDX-License-Identifier: GPL-2.0
/*
 * The table of the peers of a FEP.  Peers with PDCs are bounded as PDCs are, by the limits
 * of pool.c.  Of those without, the FEP remembers the last UET_PDC_PEERS_IDLE_MAX, and
 * only those that have answered or that this node has called: a flood of SYNs from forged
 * addresses leaves nothing behind.
 */
#include <linux/slab.h>

#include "pdc_peer.h"

static const struct rhashtable_params peer_params = {
	.key_len = sizeof(struct uet_fa),
	.key_offset = offsetof(struct uet_pdc_peer, fa),
	.head_offset = offsetof(struct uet_pdc_peer, node),
	.automatic_shrinking = true,
};

/*
 * Make an empty table.
 * Context: Process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int uet_pdc_peers_init(struct uet_pdc_peers *peers)
{
	spin_lock_init(&peers->lock);
	xa_init_flags(&peers->by_number, XA_FLAGS_ALLOC | XA_FLAGS_LOCK_BH);
	INIT_LIST_HEAD(&peers->idle);
	return rhashtable_init(&peers->by_fa, &peer_params);
}

/*
 * Drop the reference of a PDC.
 * @peer: peer; stays valid until the RCU read side section ends
 *
 * Context: Any but hard interrupt.
 */
void uet_pdc_peer_put(struct uet_pdc_peer *peer)
{
	if (refcount_dec_and_test(&peer->refs))
		kfree_rcu(peer, rcu);
}

/* Take a peer without PDCs out of the tables. */
static void peer_forget(struct uet_pdc_peers *peers, struct uet_pdc_peer *peer)
	__must_hold(&peers->lock)
{
	rhashtable_remove_fast(&peers->by_fa, &peer->node, peer_params);
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

/*
 * Take down a table.
 * @peers: table; no peer has a PDC, and no RCU reader finds the table
 *
 * Context: Process, may sleep.
 */
void uet_pdc_peers_fini(struct uet_pdc_peers *peers)
{
	spin_lock_bh(&peers->lock);
	while (peers->nr_idle)
		peer_forget_first(peers);
	spin_unlock_bh(&peers->lock);
	rhashtable_destroy(&peers->by_fa);
	xa_destroy(&peers->by_number);
}

/**
 * uet_pdc_peer_find() - find a peer
 * @peers: table
 * @fa: its fabric address
 *
 * Context: rcu_read_lock() held.
 * Return: the peer, without a reference, or NULL.
 */
struct uet_pdc_peer *uet_pdc_peer_find(struct uet_pdc_peers *peers,
				       const struct uet_fa *fa)
{
	return rhashtable_lookup(&peers->by_fa, fa, peer_params);
}

/* Count a PDC for the peer of @fa. Return: the peer, with a reference; NULL: none. */
static struct uet_pdc_peer *peer_use(struct uet_pdc_peers *peers,
				     const struct uet_fa *fa)
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
	int err = xa_alloc_cyclic_bh(&peers->by_number, &peer->number, peer,
				     xa_limit_32b, &peers->next_number,
				     GFP_ATOMIC | __GFP_NOWARN);

	if (err < 0)
		return err;
	err = rhashtable_lookup_insert_fast(&peers->by_fa, &peer->node,
					    peer_params);
	if (err)
		xa_erase_bh(&peers->by_number, peer->number);
	return err;
}

/*
 * Find or make the peer of a new PDC.
 * Context: As @gfp says; not in hard interrupt.
 * Return: the peer, with a reference for the PDC, for uet_pdc_peer_leave() and
 *	uet_pdc_peer_put(); NULL: out of memory.
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

/*
 * A PDC leaves the tables.
 * Context: Any but hard interrupt.
 */
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
