// SPDX-License-Identifier: GPL-2.0
/*
 * Matching of messages with posted receives.
 *
 * A message whose first packet finds a waiting receive goes to the memory of
 * that receive packet by packet (rx_request.c) and reserves no receive buffer.
 * Any other message is unexpected: it goes to the receive buffer. When it
 * becomes readable it is offered to the receives again, because a receive may
 * have been posted meanwhile; without a match it is queued for recvmsg(). A new
 * receive searches that queue first. Invariant: no queued message matches a
 * waiting receive, except a message that a reader has claimed; the reader
 * offers the message when it returns it.
 *
 * The CPU that matches a message in the receive buffer copies it, without
 * rx_lock. The CPU that delivers a later part of a streamed message copies that
 * part. Several CPUs may copy parts of one message; the last of them ends the
 * receive.
 *
 * A message that is too long for a receive without truncation ends the receive
 * and stays in the buffer: its sender knows only that the message has arrived.
 * Spec: uet-wire 3.14 (UE 1.0.1 3.4.3.6).
 */
#include <linux/skbuff.h>
#include <linux/slab.h>

#include "msg.h"
#include "peer.h"
#include "posted_recv.h"
#include "rx_match.h"

/**
 * uet_rx_match_admit() - start a message that goes to a posted receive
 * @us: receiving endpoint
 * @req: request header of the first packet to arrive
 * @from: fabric address of its sender
 *
 * Context: Softirq, rcu_read_lock() held. For uet_ses_rx_start() to start.
 * Return: the message with one reference and the receive, for which it may be
 *	too long; NULL if none matches, or without memory: use
 *	uet_rx_message_admit().
 */
struct uet_rx_message *uet_rx_match_admit(struct uet_sock *us,
					  const struct uet_ses_req *req,
					  const struct uet_fa *from)
{
	struct uet_match_key match_key;
	struct uet_rx_message *rm;

	/*
	 * A receive posted later finds the message when the message becomes
	 * readable.
	 */
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

/**
 * uet_rx_take_init() - initialise an empty set of work
 * @take: on the stack
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
static void rx_match_refuse(struct uet_rx_message *rm,
			    struct uet_posted_recv *recv,
			    struct uet_rx_take *take)
{
	rx_take_hold(take, rm);
	list_add_tail(&recv->at.link, &take->refused);
}

/* The queue drops its reference; @rm has another one. */
static void rx_match_unqueue(struct uet_rx_message *rm)
{
	if (list_empty(&rm->link))
		return;
	uet_rx_message_unqueue(rm);
	uet_rx_message_put(rm);
}

/*
 * @recv takes @rm, which leaves the queue. A message that was deferred, or a
 * rendezvous without a receive, is in no queue and has no data here.
 */
static void rx_match_claim(struct uet_rx_message *rm,
			   struct uet_posted_recv *recv,
			   struct uet_rx_take *take)
{
	/* Pairs with the READ_ONCE() in rxm_respond_unexpected(). */
	WRITE_ONCE(rm->recv, recv);
	uet_match_del_msg(&rm->us->match, &rm->match_entry);
	rx_take_hold(take, rm);
	if (rm->ops && rm->ops->claim(rm))
		return;
	rx_match_unqueue(rm);
	skb_queue_splice_tail_init(&rm->skbs, &take->skbs);
	uet_rx_match_go_on(rm, take);
}

/*
 * Pass newly arrived packets to the receive that has taken the message.
 * @take: its @skbs are the packets; gets a reference to @rm
 *
 * Context: rx_lock held; uet_rx_match_take() must follow.
 */
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
 * @rm: message that has become readable, or that a reader returns
 * @take: gets the message's packets, and receives too short for the message
 *
 * The caller has a reference, and keeps it.
 *
 * Context: rx_lock held; uet_rx_match_take() must follow.
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
	while ((recv = uet_posted_recv_take(
			us, &rm->match_entry.match_key, rm->length))) {
		if (uet_recv_fits(recv, rm->length)) {
			rx_match_claim(rm, recv, take);
			return true;
		}
		rx_match_refuse(rm, recv, take);
	}
	return false;
}

/**
 * uet_rx_match_find() - find the unexpected message for a receive
 * @us: socket, after uet_posted_recv_prepare()
 * @at: the receive, not yet waiting
 * @rm: result: the message, or NULL
 *
 * Context: rx_lock held.
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

/*
 * Find the message of a claim.
 * Context: rx_lock held.
 * Return: the message, or NULL.
 */
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

/**
 * uet_rx_match_use() - let a receive take the message that was found for it
 * @rm: message
 * @recv: receive, not yet waiting
 * @take: gets packets of the message, or @recv if it is too short
 *
 * Context: rx_lock held since the message was found; uet_rx_match_take() must follow.
 * Return: @recv, which ends with the message; another receive: a part of @recv takes the
 *	message, and @recv takes more.
 */
struct uet_posted_recv *uet_rx_match_use(struct uet_rx_message *rm,
					 struct uet_posted_recv *recv,
					 struct uet_rx_take *take)
{
	lockdep_assert_held(&rm->us->rx_lock);
	recv = uet_posted_recv_part(rm->us, recv, rm->length);
	if (uet_recv_fits(recv, rm->length))
		rx_match_claim(rm, recv, take);
	else
		rx_match_refuse(rm, recv, take);
	return recv;
}

/**
 * uet_rx_match_feed() - let the hash table grow with its next entries
 * @us: socket
 *
 * Without memory the table works as it is.
 *
 * Context: rx_lock held; follows every few entries.
 */
void uet_rx_match_feed(struct uet_sock *us)
{
	void *block;

	lockdep_assert_held(&us->rx_lock);
	if (!uet_match_wants_block(&us->match) ||
	    !uet_mem_charge_rx(us, UET_MATCH_BLOCK))
		return;
	block = kzalloc(UET_MATCH_BLOCK, GFP_ATOMIC | __GFP_NOWARN);
	if (block)
		uet_match_add_block(&us->match, block);
	else
		uet_mem_uncharge_rx(us, UET_MATCH_BLOCK);
}

/**
 * uet_rx_match_add() - make a message available to posted receives
 * @rm: message with its key, not among the unexpected ones
 *
 * Context: rx_lock held.
 */
void uet_rx_match_add(struct uet_rx_message *rm)
{
	struct uet_sock *us = rm->us;

	if (uet_recv_is_used(us))
		uet_rx_match_feed(us);
	uet_match_add_msg(&us->match, &rm->match_entry);
}

/*
 * Make a queued message available to posted receives.
 * Context: rx_lock held.
 */
void uet_rx_match_list(struct uet_rx_message *rm)
{
	lockdep_assert_held(&rm->us->rx_lock);
	if (!rm->read && rx_match_key(rm))
		uet_rx_match_add(rm);
}

/*
 * Check whether the receive of a message has ended.
 *
 * The receive has ended when all bytes are copied or will not arrive, and no
 * CPU is copying.
 *
 * Context: rx_lock held.
 * Return: the receive, for uet_posted_recv_end(); NULL: not ended, or no
 *	receive.
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

/**
 * uet_rx_match_placed() - end a receive after all packets were placed
 * @rm: message, referenced
 *
 * Context: Softirq; the lock of a PDC is held in ROD and in bursts.
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

/* Copy packets to the memory of the receive. */
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
			err = uet_posted_recv_put(us, rm->recv, seg->offset,
						  skb, seg->len);
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

/**
 * uet_rx_match_take() - do the work collected under rx_lock
 * @take: the work; its reference to the message is dropped
 *
 * Context: Any; the lock of a PDC is held in ROD and in bursts.
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
