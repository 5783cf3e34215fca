// SPDX-License-Identifier: GPL-2.0
/*
 * Messages that posted receives take.
 *
 * A message whose first packet finds a receive waiting goes to its memory packet
 * by packet (rx_request.c), and no receive buffer is booked.  Any other is unexpected:
 * it goes to the receive buffer, and when it becomes readable it is offered again,
 * for a receive may have been posted meanwhile; if none takes it, it is queued for
 * recvmsg().  A receive that is posted looks at that queue first.  So of a message
 * in the queue and a receive that waits, neither is for the other, but for a
 * message that a reader has in hand: who puts it read_rsp offers it.
 *
 * A message in the receive buffer that is taken is copied by who makes the two
 * meet, without rx_lock; what still comes of a streamed one, by who delivers it.
 * Several of them may be at work on one message: the last one ends the receive.
 *
 * A message that is too long for a receive that may not cut ends the receive and
 * stays: its sender knows no more than that it has arrived.
 * Spec: uet-wire 3.14 (UE 1.0.1 3.4.3.6).  Level: shell.
 */
#include <linux/skbuff.h>

#include "msg.h"
#include "posted_recv.h"
#include "rx_match.h"

/**
 * uet_rx_match_admit() - begin a message that goes to a posted receive
 * @us: receiving endpoint
 * @req: request header of the packet that came first
 * @from: fabric address of its sender
 *
 * Context: Softirq, rcu_read_lock() held.  For uet_ses_rx_start() to begin.
 * Return: the message with one reference and the receive, which it may be too long
 *	for; NULL if none takes it, or without memory: uet_rx_message_admit().
 */
struct uet_rx_message *uet_rx_match_admit(struct uet_sock *us,
					  const struct uet_ses_req *req,
					  const struct uet_fa *from)
{
	struct uet_match_key match_key;
	struct uet_rx_message *rm;

	/* What is posted now finds the message when that becomes readable. */
	if (!READ_ONCE(us->match.nr_posted) || !uet_match_key(req, &match_key))
		return NULL;
	rm = uet_rx_message_admit_rma(us, from);
	if (!rm)
		return NULL;
	spin_lock_bh(&us->rx_lock);
	rm->recv = uet_posted_recv_take(us, &match_key);
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
 * uet_rx_take_init() - nothing is to be done yet
 * @take: on the stack
 *
 * Context: Any.
 */
void uet_rx_take_init(struct uet_rx_take *take)
{
	__skb_queue_head_init(&take->skbs);
	INIT_LIST_HEAD(&take->refused);
	take->is_placing = false;
}

/*
 * @recv takes @rm, which leaves the queue; the queue's reference is the caller's.  A
 * message that was deferred, or a rendezvous without a place, is in no queue, and
 * nothing of it is here.
 */
static void rx_match_claim(struct uet_rx_message *rm,
			   struct uet_posted_recv *recv,
			   struct uet_rx_take *take)
{
	/* Pairs with the READ_ONCE() in rxm_respond_unexpected(). */
	WRITE_ONCE(rm->recv, recv);
	uet_match_del_msg(&rm->us->match, &rm->match_entry);
	if (rm->ops && rm->ops->claim(rm)) {
		uet_rx_message_get(rm);
		return;
	}
	if (!list_empty(&rm->link))
		uet_rx_message_unqueue(rm);
	skb_queue_splice_tail_init(&rm->skbs, &take->skbs);
	uet_rx_match_go_on(rm, take);
}

/**
 * uet_rx_match_go_on() - what came of a message goes to the receive that has taken it
 * @rm: message with a receive
 * @take: its @skbs are what came
 *
 * Context: rx_lock held; uet_rx_match_take() must follow.
 */
void uet_rx_match_go_on(struct uet_rx_message *rm, struct uet_rx_take *take)
{
	lockdep_assert_held(&rm->us->rx_lock);
	rm->placing++;
	take->is_placing = true;
}

/**
 * uet_rx_match_offer() - does a receive that waits take a message?
 * @rm: message that has become readable, or that a reader gives read_rsp
 * @take: gets its packets, and receives it is too long for
 *
 * Context: rx_lock held; uet_rx_match_take() must follow.
 * Return: true if so; it is not queued any more, and the reference of the queue,
 *	if it was, is the caller's.
 */
bool uet_rx_match_offer(struct uet_rx_message *rm, struct uet_rx_take *take)
{
	struct uet_match_key match_key;
	struct uet_posted_recv *recv;

	lockdep_assert_held(&rm->us->rx_lock);
	if (rm->recv || rm->is_unwanted || rm->read ||
	    !uet_match_key(&rm->ses.req, &match_key))
		return false;
	while ((recv = uet_posted_recv_take(rm->us, &match_key))) {
		if (uet_recv_fits(recv, rm->length)) {
			rx_match_claim(rm, recv, take);
			return true;
		}
		list_add_tail(&recv->at.link, &take->refused);
	}
	return false;
}

/**
 * uet_rx_match_seek() - the unexpected message that a receive takes
 * @us: socket
 * @recv: receive, which does not wait yet
 * @take: gets packets of the message, or @recv if it is too long
 *
 * Context: rx_lock held; uet_rx_match_take() must follow.
 * Return: the message with a reference; NULL: there is none.
 */
struct uet_rx_message *uet_rx_match_seek(struct uet_sock *us,
					 struct uet_posted_recv *recv,
					 struct uet_rx_take *take)
{
	struct uet_match_msg *msg;
	struct uet_rx_message *rm;

	lockdep_assert_held(&us->rx_lock);
	msg = uet_match_find_msg(&us->match, &recv->at);
	if (!msg)
		return NULL;
	rm = container_of(msg, struct uet_rx_message, match_entry);
	if (uet_recv_fits(recv, rm->length)) {
		rx_match_claim(rm, recv, take);
	} else {
		uet_rx_message_get(rm);
		list_add_tail(&recv->at.link, &take->refused);
	}
	return rm;
}

/**
 * uet_rx_match_list() - receives that are posted may take a queued message
 * @rm: message in uet_sock.rx_ready
 *
 * Context: rx_lock held.
 */
void uet_rx_match_list(struct uet_rx_message *rm)
{
	lockdep_assert_held(&rm->us->rx_lock);
	if (!rm->read &&
	    uet_match_key(&rm->ses.req, &rm->match_entry.match_key))
		uet_match_add_msg(&rm->us->match, &rm->match_entry);
}

/**
 * uet_rx_match_list_all() - the same for all, when the first receive is posted
 * @us: socket
 *
 * Context: rx_lock held.
 */
void uet_rx_match_list_all(struct uet_sock *us)
{
	struct uet_rx_message *rm;

	list_for_each_entry(rm, &us->rx_ready, link)
		uet_rx_match_list(rm);
	if (us->deferred_ops)
		us->deferred_ops->list_all(us);
}

/**
 * uet_rx_match_settle() - has the receive of a message ended?
 * @rm: message
 *
 * It has when all bytes are where they belong, or will not be, and nobody is at
 * work on it.
 *
 * Context: rx_lock held.
 * Return: the receive, for uet_posted_recv_end(); NULL: not yet, or there is none.
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
 * uet_rx_match_placed() - all packets went to the receive that has taken the message
 * @rm: message, referenced
 *
 * Context: Softirq; the lock of a PDC is held in ROD only.
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
 * uet_rx_match_take() - do what was found out under rx_lock
 * @rm: message, referenced
 * @take: what
 *
 * Context: Any; the lock of a PDC is held in ROD only.
 */
void uet_rx_match_take(struct uet_rx_message *rm, struct uet_rx_take *take)
{
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
}
