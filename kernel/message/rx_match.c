// SPDX-License-Identifier: GPL-2.0
/*
 * Matching of messages with posted receives, and the peers of a socket.
 *
 * A message whose first packet finds a waiting receive goes to the memory of that receive packet
 * by packet (rx_request.c) and reserves no receive buffer. Any other message is unexpected: it
 * goes to the receive buffer. When it becomes readable it is offered to the receives again,
 * because a receive may have been posted meanwhile; without a match it is queued for recvmsg(). A
 * new receive searches that queue first. Invariant: no queued message matches a waiting receive,
 * except a message that a reader has claimed; the reader offers the message when it returns it.
 *
 * The CPU that matches a message in the receive buffer copies it, without rx_lock. The CPU that
 * delivers a later part of a streamed message copies that part. Several CPUs may copy parts of
 * one message; the last of them ends the receive.
 *
 * A message that is too long for a receive without truncation ends the receive and stays in the
 * buffer: its sender knows only that the message has arrived.
 *
 * A table finds a peer by the fabric address and the initiator id that its messages carry, an
 * array by its number. The array is made by the first peer, and is used under lock_sock(); the
 * table is used under uet_sock.rx_lock, so that a message gets its peer in the step that matches
 * it or makes it unexpected. A new peer looks through the unexpected messages, because some may
 * be from it; a peer that is removed does, too. Numbers count up and are not used again before
 * 2^31 others, so a number of a removed peer names nobody.
 * Spec: uet-wire 3.14 (UE 1.0.1 3.4.3.6).
 */
#include <linux/rhashtable.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include "message.h"

/*
 * uet_rx_match_admit() - start a message that goes to a posted receive, for uet_ses_rx_start()
 *	to start
 * Return: the message with one reference and the receive, for which it may be too long; NULL if
 *	none matches, or without memory: use uet_rx_message_admit().
 */
struct uet_rx_message *uet_rx_match_admit(struct uet_sock *us, const struct uet_ses_req *req,
					  const struct uet_fa *from)
{
	struct uet_match_key match_key;
	struct uet_rx_message *rm;

	/* A receive posted later finds the message when the message becomes readable. */
	if (!READ_ONCE(us->match.nr_posted) || !uet_match_key(req, &match_key))
		return NULL;
	rm = uet_rx_message_admit_rma(us, from);
	if (!rm)
		return NULL;
	spin_lock_bh(&us->rx_lock);
	match_key.peer = uet_peer_find(us, from, req->initiator);
	rm->match_entry.match_key = match_key;
	rm->recv = uet_posted_recv_take(us, &match_key, req->request_length);
	spin_unlock_bh(&us->rx_lock);
	if (!rm->recv) {
		uet_rx_message_put(rm);
		return NULL;
	}
	rm->is_placed = true;
	rm->length = req->request_length;
	rm->window = rm->length;
	return rm;
}

/*
 * uet_rx_take_init() - initialise an empty set of work
 */
void uet_rx_take_init(struct uet_rx_take *take)
{
	take->rm = NULL;
	__skb_queue_head_init(&take->skbs);
	INIT_LIST_HEAD(&take->refused);
	take->is_placing = false;
}

/* @take gets its reference to @rm, once. */
static void rx_take_hold(struct uet_rx_take *take, struct uet_rx_message *rm)
{
	if (take->rm)
		return;
	uet_rx_message_get(rm);
	take->rm = rm;
}

/* @recv is too short for @rm. */
static void rx_match_refuse(struct uet_rx_message *rm, struct uet_posted_recv *recv,
			    struct uet_rx_take *take)
{
	rx_take_hold(take, rm);
	list_add_tail(&recv->at.link, &take->refused);
}

/*
 * @recv takes @rm, which leaves the queue. A message that was deferred, or a rendezvous without
 * a receive, is in no queue and has no data here.
 */
static void rx_match_claim(struct uet_rx_message *rm, struct uet_posted_recv *recv,
			   struct uet_rx_take *take)
{
	/* Pairs with the READ_ONCE() in rxm_respond_unexpected(). */
	WRITE_ONCE(rm->recv, recv);
	uet_match_del_msg(&rm->us->match, &rm->match_entry);
	rx_take_hold(take, rm);
	if (rm->ops && rm->ops->claim(rm))
		return;
	if (!list_empty(&rm->link)) {
		uet_rx_message_unqueue(rm);
		/* Of the queue; @take has another reference. */
		uet_rx_message_put(rm);
	}
	skb_queue_splice_tail_init(&rm->skbs, &take->skbs);
	uet_rx_match_go_on(rm, take);
}

/* Pass newly arrived packets, @take->skbs, to the receive that has taken the message. */
void uet_rx_match_go_on(struct uet_rx_message *rm, struct uet_rx_take *take)
{
	lockdep_assert_held(&rm->us->rx_lock);
	rx_take_hold(take, rm);
	rm->placing++;
	take->is_placing = true;
}

/* Set the key of the message. Return: false if no receive takes such a message. */
static bool rx_match_key(struct uet_rx_message *rm)
{
	/* The key of an unexpected message follows the peers of the socket. */
	if (!list_empty(&rm->match_entry.link))
		return true;
	if (!uet_match_key(&rm->ses.req, &rm->match_entry.match_key))
		return false;
	uet_peer_note(rm);
	return true;
}

/**
 * uet_rx_match_offer() - offer a message to the waiting receives
 * @rm: has become readable, or a reader returns it; the caller has a reference, and keeps it
 * @take: gets the message's packets, and receives too short for the message
 * Return: true if a receive takes the message, which is then not queued.
 */
bool uet_rx_match_offer(struct uet_rx_message *rm, struct uet_rx_take *take)
{
	struct uet_sock *us = rm->us;
	struct uet_posted_recv *recv;

	lockdep_assert_held(&us->rx_lock);
	if (rm->recv || rm->is_unwanted || rm->read || !us->match.nr_posted ||
	    !rx_match_key(rm))
		return false;
	while ((recv = uet_posted_recv_take(us, &rm->match_entry.match_key, rm->length))) {
		if (uet_recv_fits(recv, rm->length)) {
			rx_match_claim(rm, recv, take);
			return true;
		}
		rx_match_refuse(rm, recv, take);
	}
	return false;
}

/*
 * uet_rx_match_find() - find the unexpected message for a receive after
 *	uet_posted_recv_prepare()
 * @rm: result: the message, or NULL
 * Return: false: the search has not ended, call again; rx_lock may be dropped before.
 */
bool uet_rx_match_find(struct uet_sock *us, const struct uet_match_recv *at,
		       struct uet_rx_message **rm)
{
	struct uet_match_msg *msg;
	bool is_over;

	lockdep_assert_held(&us->rx_lock);
	is_over = uet_match_find_msg(&us->match, at, &msg);
	*rm = msg ? container_of(msg, struct uet_rx_message, match_entry) : NULL;
	return is_over;
}

struct uet_rx_message *uet_rx_match_find_claim(struct uet_sock *us, u64 claim)
{
	struct uet_match_msg *msg;
	struct uet_rx_message *rm;

	lockdep_assert_held(&us->rx_lock);
	msg = uet_match_find_claim(&us->match, claim);
	if (!msg)
		return NULL;
	rm = container_of(msg, struct uet_rx_message, match_entry);
	/* Peers added or removed since the claim. */
	uet_peer_note(rm);
	return rm;
}

/*
 * uet_rx_match_use() - let a receive, not yet waiting, take the message that was found for it
 * @take: gets packets of the message, or @recv if it is too short
 * Return: @recv, which ends with the message; another receive: a part of @recv takes the
 *	message, and @recv takes more.
 */
struct uet_posted_recv *uet_rx_match_use(struct uet_rx_message *rm,
					 struct uet_posted_recv *recv, struct uet_rx_take *take)
{
	lockdep_assert_held(&rm->us->rx_lock);
	recv = uet_posted_recv_part(rm->us, recv, rm->length);
	if (uet_recv_fits(recv, rm->length))
		rx_match_claim(rm, recv, take);
	else
		rx_match_refuse(rm, recv, take);
	return recv;
}

/*
 * uet_rx_match_feed() - let the hash table grow with its next entries; follows every few
 *	entries
 *
 * Without memory the table works as it is.
 */
void uet_rx_match_feed(struct uet_sock *us)
{
	void *block;

	lockdep_assert_held(&us->rx_lock);
	if (!uet_match_wants_block(&us->match) || !uet_mem_charge_rx(us, UET_MATCH_BLOCK))
		return;
	block = kzalloc(UET_MATCH_BLOCK, GFP_ATOMIC | __GFP_NOWARN);
	if (block)
		uet_match_add_block(&us->match, block);
	else
		uet_mem_uncharge_rx(us, UET_MATCH_BLOCK);
}

/*
 * uet_rx_match_add() - make a message with its key available to posted receives
 */
void uet_rx_match_add(struct uet_rx_message *rm)
{
	struct uet_sock *us = rm->us;

	if (uet_recv_is_used(us))
		uet_rx_match_feed(us);
	uet_match_add_msg(&us->match, &rm->match_entry);
}

/* Make a queued message available to posted receives. */
void uet_rx_match_list(struct uet_rx_message *rm)
{
	lockdep_assert_held(&rm->us->rx_lock);
	if (!rm->read && rx_match_key(rm))
		uet_rx_match_add(rm);
}

/*
 * The receive of a message has ended when all bytes are copied or will not arrive, and no CPU
 * is copying.
 * Return: the receive, for uet_posted_recv_end(); NULL: not ended, or no receive.
 */
struct uet_posted_recv *uet_rx_match_settle(struct uet_rx_message *rm)
{
	struct uet_posted_recv *recv = rm->recv;

	lockdep_assert_held(&rm->us->rx_lock);
	if (!recv || rm->placing || (!rm->error && rm->read < rm->length))
		return NULL;
	WRITE_ONCE(rm->recv, NULL);
	rm->is_unwanted = true;
	return recv;
}

/*
 * uet_rx_match_placed() - end a receive after all packets were placed
 */
void uet_rx_match_placed(struct uet_rx_message *rm)
{
	struct uet_sock *us = rm->us;
	struct uet_posted_recv *recv;

	spin_lock_bh(&us->rx_lock);
	rm->got = rm->length;
	WRITE_ONCE(rm->read, rm->length);
	rm->is_complete = true;
	recv = uet_rx_match_settle(rm);
	spin_unlock_bh(&us->rx_lock);
	if (recv)
		uet_posted_recv_end(us, recv, rm, 0);
}

static void rx_match_place(struct uet_rx_message *rm, struct sk_buff_head *skbs)
{
	struct uet_sock *us = rm->us;
	struct uet_posted_recv *recv;
	struct sk_buff *skb;
	u32 bytes = 0;
	int err = 0;

	while ((skb = __skb_dequeue(skbs))) {
		const struct uet_ses_seg *seg = &uet_skb_cb(skb)->seg;

		bytes += seg->len;
		if (!err)
			err = uet_posted_recv_put(us, rm->recv, seg->offset, skb, seg->len);
		consume_skb(skb);
	}
	spin_lock_bh(&us->rx_lock);
	rm->placing--;
	/* Pairs with the READ_ONCE() in uet_rx_message_accepts(). */
	WRITE_ONCE(rm->read, rm->read + bytes);
	if (err && !rm->error)
		WRITE_ONCE(rm->error, err); /* as in uet_rx_message_fail() */
	recv = uet_rx_match_settle(rm);
	spin_unlock_bh(&us->rx_lock);
	if (recv)
		uet_posted_recv_end(us, recv, rm, rm->error);
}

/*
 * uet_rx_match_take() - do the work collected under rx_lock; the lock of a PDC is held in ROD
 *	and in bursts
 */
void uet_rx_match_take(struct uet_rx_take *take)
{
	struct uet_rx_message *rm = take->rm;
	struct uet_match_recv *at, *next;

	list_for_each_entry_safe(at, next, &take->refused, link) {
		list_del(&at->link);
		uet_posted_recv_end(
			rm->us, container_of(at, struct uet_posted_recv, at),
			rm, -EMSGSIZE);
	}
	if (take->is_placing)
		rx_match_place(rm, &take->skbs);
	else
		__skb_queue_purge(&take->skbs);
	if (rm)
		uet_rx_message_put(rm);
}

/* ------------------------------------------------------------------ peers of a socket */

/*
 * struct uet_peer_id - what the messages of a peer carry; key of the table
 */
struct uet_peer_id {
	struct uet_fa fa;
	u32 initiator;
};

/*
 * struct uet_peer_entry - a peer; immutable except @node
 * @dest: destination of messages to the peer
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
 * @by_number: written under lock_sock()
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

/*
 * uet_peer_find() - the number of the sender of a message; 0: it is no peer of the socket
 */
u32 uet_peer_find(const struct uet_sock *us, const struct uet_fa *fa, u32 initiator)
{
	struct uet_peer_id id = peer_id(fa, initiator);
	struct uet_peer_entry *peer;

	lockdep_assert_held(&us->rx_lock);
	if (!us->peers)
		return 0;
	peer = rhashtable_lookup_fast(&us->peers->by_id, &id, peer_params);
	return peer ? peer->number : 0;
}

/*
 * uet_peer_note() - note the peer that has sent a message, which is not among the unexpected
 *	ones
 */
void uet_peer_note(struct uet_rx_message *rm)
{
	rm->match_entry.match_key.peer =
		uet_peer_find(rm->us, &rm->from, rm->ses.req.initiator);
}

/* Return: true if all messages have been looked at. */
static bool peer_mark_some(struct uet_sock *us, const struct uet_peer_entry *peer, u32 number)
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
static void peer_mark_msgs(struct uet_sock *us, const struct uet_peer_entry *peer, u32 number)
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
 * behind them. Return: 0, -EEXIST with the number of the peer that has the address, or -ENOMEM.
 */
static int peer_insert(struct uet_sock *us, struct uet_peer_entry *peer, u32 *number)
{
	int err;

	mutex_lock(&us->walk_mutex);
	spin_lock_bh(&us->rx_lock);
	*number = uet_peer_find(us, &peer->id.fa, peer->id.initiator);
	err = *number ? -EEXIST : 0;
	if (!err) {
		peer_mark_msgs(us, peer, peer->number);
		err = rhashtable_insert_fast(&us->peers->by_id, &peer->node, peer_params);
		if (err)
			peer_mark_msgs(us, peer, 0);
	}
	spin_unlock_bh(&us->rx_lock);
	mutex_unlock(&us->walk_mutex);
	if (!err)
		*number = peer->number;
	return !err || err == -EEXIST ? err : -ENOMEM;
}

static void peer_free(struct uet_sock *us, struct uet_peer_entry *peer)
{
	uet_mem_uncharge_rx(us, sizeof(*peer));
	kfree_rcu(peer, rcu);
}

/*
 * uet_peer_add() - add a peer
 * @dest: its address, to which the socket may send
 * @number: result: the number of the peer, also with -EEXIST
 * Return: 0; -EEXIST; -ENOSPC: UET_PEER_LIMIT; -ENOMEM.
 */
int uet_peer_add(struct uet_sock *us, const struct uet_sock_dest *dest,
		 u32 initiator, u32 *number)
{
	struct uet_peer_entry *peer;
	int err = peers_make(us);

	if (err)
		return err;
	if (!uet_mem_charge_rx(us, sizeof(*peer)))
		return -ENOMEM;
	peer = kzalloc(sizeof(*peer), GFP_KERNEL);
	if (!peer) {
		uet_mem_uncharge_rx(us, sizeof(*peer));
		return -ENOMEM;
	}
	peer->id = peer_id(&dest->fa, initiator);
	peer->dest = *dest;
	err = us->peers->nr < UET_PEER_LIMIT ? 0 : -ENOSPC;
	if (!err)
		err = xa_alloc_cyclic(&us->peers->by_number, &peer->number, peer, peer_numbers,
				      &us->peers->next, GFP_KERNEL_ACCOUNT);
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

/*
 * uet_peer_remove() - remove a peer: 0, -ENOENT
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

/*
 * uet_peer_dest() - the destination of messages to a peer; false: there is no such peer
 */
bool uet_peer_dest(const struct uet_sock *us, u32 number, struct uet_sock_dest *dest)
{
	struct uet_peer_entry *peer = NULL;

	if (us->peers)
		peer = xa_load(&us->peers->by_number, number);
	if (peer)
		*dest = peer->dest;
	return peer;
}

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

/*
 * uet_peers_close() - free the peers of a socket in close(), while messages may still be
 *	arriving
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
