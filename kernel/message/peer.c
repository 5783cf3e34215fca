// SPDX-License-Identifier: GPL-2.0
/*
 * Peers of a socket. A table finds a peer by the fabric address and the initiator id
 * that its messages carry, an array by its number. The array is made by the first peer,
 * and is used under lock_sock(); the table is used under uet_sock.rx_lock, so that a
 * message gets its peer in the step that matches it or makes it unexpected.
 *
 * A new peer looks through the unexpected messages, because some may be from it; a
 * peer that is removed does, too. Numbers count up and are not used again before
 * 2^31 others, so a number of a removed peer names nobody.
 */
#include <linux/rhashtable.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include "endpoint/endpoint.h"
#include "msg.h"
#include "peer.h"
#include "posted_recv.h"
#include "rx_match.h"

/**
 * struct uet_peer_id - what the messages of a peer carry; key of the table
 * @fa: fabric address
 * @initiator: initiator id
 */
struct uet_peer_id {
	struct uet_fa fa;
	u32 initiator;
};

/**
 * struct uet_peer_entry - a peer; immutable except @node
 * @node: entry in uet_peers.by_id
 * @id: key
 * @dest: destination of messages to the peer
 * @number: number of the peer
 * @rcu: frees the entry, because the table may just be growing
 */
struct uet_peer_entry {
	struct rhash_head node;
	struct uet_peer_id id;
	struct uet_sock_dest dest;
	u32 number;
	struct rcu_head rcu;
};

/**
 * struct uet_peers - the peers of a socket
 * @by_id: entries by @id; under uet_sock.rx_lock
 * @by_number: entries by number; written under lock_sock()
 * @nr: number of peers; under lock_sock()
 * @next: where the search for a free number starts; under lock_sock()
 */
struct uet_peers {
	struct rhashtable by_id;
	struct xarray by_number;
	u32 nr;
	u32 next;
};

static const struct rhashtable_params peer_params = {
	.head_offset = offsetof(struct uet_peer_entry, node),
	.key_offset = offsetof(struct uet_peer_entry, id),
	.key_len = sizeof(struct uet_peer_id),
	.automatic_shrinking = true,
};

/* Numbers of peers; INT_MAX leaves room for flags in 32 bits. */
static const struct xa_limit peer_numbers = XA_LIMIT(1, INT_MAX);

static struct uet_peer_id peer_id(const struct uet_fa *fa, u32 initiator)
{
	return (struct uet_peer_id){ .fa = *fa, .initiator = initiator };
}

/**
 * uet_peer_find() - the number of the sender of a message
 * @us: socket
 * @fa: fabric address of the sender
 * @initiator: initiator id of the message
 *
 * Context: rx_lock held.
 * Return: the number; 0: the sender is no peer of the socket.
 */
u32 uet_peer_find(const struct uet_sock *us, const struct uet_fa *fa,
		  u32 initiator)
{
	struct uet_peer_id id = peer_id(fa, initiator);
	struct uet_peer_entry *peer;

	lockdep_assert_held(&us->rx_lock);
	if (!us->peers)
		return 0;
	peer = rhashtable_lookup_fast(&us->peers->by_id, &id, peer_params);
	return peer ? peer->number : 0;
}

/**
 * uet_peer_note() - note the peer that has sent a message
 * @rm: message that is not among the unexpected ones
 *
 * Context: rx_lock held.
 */
void uet_peer_note(struct uet_rx_message *rm)
{
	rm->match_entry.match_key.peer =
		uet_peer_find(rm->us, &rm->from, rm->ses.req.initiator);
}

/* Return: true if all messages have been looked at. */
static bool peer_mark_some(struct uet_sock *us, const struct uet_peer_entry *peer,
			   u32 number)
{
	struct uet_match_msg *msg;
	struct uet_rx_message *rm;
	u32 left;

	lockdep_assert_held(&us->rx_lock);
	for (left = UET_MATCH_BATCH; left; left--) {
		msg = uet_match_walk_next(&us->match);
		if (!msg)
			return true;
		rm = container_of(msg, struct uet_rx_message, match_entry);
		if (msg->match_key.initiator == peer->id.initiator &&
		    uet_fa_equal(&rm->from, &peer->id.fa))
			uet_match_set_peer(&us->match, msg, number);
	}
	return false;
}

/*
 * The unexpected messages of a sender get a number. Drops rx_lock between two batches, so
 * messages may arrive meanwhile; none when this has returned.
 */
static void peer_mark_msgs(struct uet_sock *us, const struct uet_peer_entry *peer,
			   u32 number)
{
	lockdep_assert_held(&us->walk_mutex);
	uet_match_walk(&us->match);
	for (;;) {
		if (uet_recv_is_used(us))
			uet_rx_match_feed(us);
		if (peer_mark_some(us, peer, number))
			break;
		spin_unlock_bh(&us->rx_lock);
		cond_resched();
		spin_lock_bh(&us->rx_lock);
	}
}

static int peers_make(struct uet_sock *us)
{
	struct uet_peers *peers;
	int err;

	if (us->peers)
		return 0;
	peers = kzalloc(sizeof(*peers), GFP_KERNEL_ACCOUNT);
	if (!peers)
		return -ENOMEM;
	err = rhashtable_init(&peers->by_id, &peer_params);
	if (err) {
		kfree(peers);
		return err;
	}
	xa_init_flags(&peers->by_number, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	spin_lock_bh(&us->rx_lock);
	/* Pairs with the READ_ONCE() in uet_peer_exists(). */
	WRITE_ONCE(us->peers, peers);
	spin_unlock_bh(&us->rx_lock);
	return 0;
}

/*
 * The messages that have arrived get the number first, so that those that arrive then are
 * behind them. Return: 0, -EEXIST with the number of the peer that has the address, or
 * -ENOMEM.
 */
static int peer_insert(struct uet_sock *us, struct uet_peer_entry *peer,
		       u32 *number)
{
	int err;

	mutex_lock(&us->walk_mutex);
	spin_lock_bh(&us->rx_lock);
	*number = uet_peer_find(us, &peer->id.fa, peer->id.initiator);
	err = *number ? -EEXIST : 0;
	if (!err) {
		peer_mark_msgs(us, peer, peer->number);
		err = rhashtable_insert_fast(&us->peers->by_id, &peer->node,
					     peer_params);
		if (err)
			peer_mark_msgs(us, peer, 0);
	}
	spin_unlock_bh(&us->rx_lock);
	mutex_unlock(&us->walk_mutex);
	if (!err)
		*number = peer->number;
	return !err || err == -EEXIST ? err : -ENOMEM;
}

static struct uet_peer_entry *peer_alloc(struct uet_sock *us)
{
	struct uet_peer_entry *peer;

	if (!uet_mem_charge_rx(us, sizeof(*peer)))
		return NULL;
	peer = kzalloc(sizeof(*peer), GFP_KERNEL);
	if (!peer)
		uet_mem_uncharge_rx(us, sizeof(*peer));
	return peer;
}

static void peer_free(struct uet_sock *us, struct uet_peer_entry *peer)
{
	uet_mem_uncharge_rx(us, sizeof(*peer));
	kfree_rcu(peer, rcu);
}

/**
 * uet_peer_add() - add a peer
 * @us: bound socket
 * @dest: its address, to which the socket may send
 * @initiator: initiator id of its messages
 * @number: result: the number of the peer, also with -EEXIST
 *
 * Context: Process, lock_sock() held; sleeps.
 * Return: 0; -EEXIST; -ENOSPC: UET_PEER_LIMIT; -ENOMEM.
 */
int uet_peer_add(struct uet_sock *us, const struct uet_sock_dest *dest,
		 u32 initiator, u32 *number)
{
	struct uet_peer_entry *peer;
	int err = peers_make(us);

	if (err)
		return err;
	peer = peer_alloc(us);
	if (!peer)
		return -ENOMEM;
	peer->id = peer_id(&dest->fa, initiator);
	peer->dest = *dest;
	err = us->peers->nr < UET_PEER_LIMIT ? 0 : -ENOSPC;
	if (!err)
		err = xa_alloc_cyclic(&us->peers->by_number, &peer->number, peer,
				      peer_numbers, &us->peers->next,
				      GFP_KERNEL_ACCOUNT);
	if (err < 0)
		goto err_free;
	err = peer_insert(us, peer, number);
	if (err)
		goto err_number;
	us->peers->nr++;
	return 0;

err_number:
	xa_erase(&us->peers->by_number, peer->number);
err_free:
	peer_free(us, peer);
	return err;
}

/**
 * uet_peer_remove() - remove a peer
 * @us: socket
 * @number: number of the peer
 *
 * Context: Process, lock_sock() held.
 * Return: 0; -ENOENT.
 */
int uet_peer_remove(struct uet_sock *us, u32 number)
{
	struct uet_peer_entry *peer = NULL;

	if (us->peers)
		peer = xa_erase(&us->peers->by_number, number);
	if (!peer)
		return -ENOENT;
	mutex_lock(&us->walk_mutex);
	spin_lock_bh(&us->rx_lock);
	rhashtable_remove_fast(&us->peers->by_id, &peer->node, peer_params);
	peer_mark_msgs(us, peer, 0);
	spin_unlock_bh(&us->rx_lock);
	mutex_unlock(&us->walk_mutex);
	us->peers->nr--;
	peer_free(us, peer);
	return 0;
}

/**
 * uet_peer_dest() - the destination of messages to a peer
 * @us: socket
 * @number: number of the peer, of any value
 * @dest: result
 *
 * Context: Process, lock_sock() held.
 * Return: false if there is no such peer.
 */
bool uet_peer_dest(const struct uet_sock *us, u32 number,
		   struct uet_sock_dest *dest)
{
	struct uet_peer_entry *peer = NULL;

	if (us->peers)
		peer = xa_load(&us->peers->by_number, number);
	if (peer)
		*dest = peer->dest;
	return peer;
}

/*
 * Check the number of a peer.
 * Context: Process.
 * Return: true if the socket has such a peer.
 */
bool uet_peer_exists(const struct uet_sock *us, u32 number)
{
	/* Pairs with the WRITE_ONCE() in peers_make(): xa_load() takes RCU. */
	struct uet_peers *peers = READ_ONCE(us->peers);

	return peers && xa_load(&peers->by_number, number);
}

static void peer_free_last(void *ptr, void *arg)
{
	peer_free(arg, ptr);
}

/**
 * uet_peers_close() - free the peers of a socket in close()
 * @us: socket; messages to it may still be arriving
 *
 * Context: Process, sleeps.
 */
void uet_peers_close(struct uet_sock *us)
{
	struct uet_peers *peers;

	spin_lock_bh(&us->rx_lock);
	peers = us->peers;
	us->peers = NULL;
	spin_unlock_bh(&us->rx_lock);
	if (!peers)
		return;
	rhashtable_free_and_destroy(&peers->by_id, peer_free_last, us);
	xa_destroy(&peers->by_number);
	kfree(peers);
}
