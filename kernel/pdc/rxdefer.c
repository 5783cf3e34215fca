// SPDX-License-Identifier: GPL-2.0
/*
 * Messages of peers that were deferred: those that wait for a receive, those that
 * wait for room in the receive buffer, and the asking for them when they have it.
 *
 * Where receives are posted, a deferrable message that none takes is deferred and
 * takes its place among the unexpected messages at once, so that a receive that is
 * posted finds it in its order.  Where none was ever posted, one that finds no room
 * is deferred, unless it came by ROD: there another one could be read before it.
 *
 * A message that has its place, the receive or booked room, is READY: its peer is
 * asked to restart it, and asked again after a while, to learn whether it is still
 * there.  If it is not, or has given the message up, the place is free again.  A
 * copy of a message that waits, by which its sender asks the same of us, is known
 * by the token of the sender.
 * Spec: uet-wire 3.14 (deferrable send).  Level: shell.
 */
#include <linux/random.h>
#include <linux/slab.h>

#include "defer.h"
#include "fabric/fep.h"
#include "kpdc.h"
#include "message/msg.h"
#include "fabric/net.h"
#include "message/recv.h"
#include "socket/sock.h"

/* ------------------------------------------------------------------ asking for it */

/*
 * Return: the request, with a reference to @rm; NULL without memory.  It names the
 * sender of the message by the convention for initiator ids; the token is what
 * finds the message.
 */
static struct uet_txmsg *rxdefer_make_rtr(struct uet_rxmsg *rm)
{
	struct uet_txmsg *tm = uet_txmsg_alloc(rm->us, 0);
	const struct uet_ses_req *req = &rm->ses.req;

	if (!tm)
		return NULL;
	tm->ses.opcode = UET_OP_DEFERRABLE_RTR;
	tm->ses.to = rm->us->addr;
	tm->ses.to.pid = req->initiator >> 12 & UET_PIDONFEP_MAX;
	tm->ses.to.ri = req->initiator & UET_RINDEX_MAX;
	tm->ses.to.rel = req->rel;
	tm->ses.tokens.init = req->init_token;
	tm->ses.tokens.tgt = rm->defer->token;
	tm->ses.tokens.length = req->request_length;
	uet_rxmsg_get(rm);
	tm->rtr = rm;
	return tm;
}

/*
 * Return: false if it cannot be sent now.  All that a FEP asks of another one goes by
 * one PDC, of no socket's, so that it does not wait behind messages.
 */
static bool rxdefer_ask(struct uet_rxmsg *rm)
{
	struct uet_fep *fep = rm->defer->fep;
	struct uet_peer_key key;
	struct uet_kpdc *kpdc;
	struct uet_txmsg *tm;
	int err;

	memset(&key, 0, sizeof(key));
	key.peer = rm->from;
	key.mode = UET_PDC_RUD;
	kpdc = uet_kpdc_get_initiator(fep, &key, GFP_KERNEL_ACCOUNT);
	if (IS_ERR(kpdc))
		return false;
	tm = rxdefer_make_rtr(rm);
	err = tm ? uet_kpdc_send(kpdc, tm) : -ENOMEM;
	uet_kpdc_put(kpdc);
	if (!err) {
		uet_mib_inc(fep->un, UET_MIB_TX_RTR);
		return true;
	}
	if (tm) {
		uet_rxmsg_put(tm->rtr);
		uet_txmsg_put(tm);
	}
	return false;
}

/* Ask after a while, unless it is over by then. */
static void rxdefer_ask_later(struct uet_rxmsg *rm, u64 delay_ns)
{
	struct uet_sock *us = rm->us;
	bool is_ready, is_queued = false;

	uet_rxmsg_get(rm);
	spin_lock_bh(&us->rx_lock);
	is_ready = rm->defer->state == UET_RXDEFER_READY;
	if (is_ready)
		is_queued = uet_defer_queue(&rm->defer->work, delay_ns);
	spin_unlock_bh(&us->rx_lock);
	if (!is_queued)
		uet_rxmsg_put(rm);
}

static void rxdefer_work(struct work_struct *work)
{
	struct uet_rxdefer *d = container_of(to_delayed_work(work),
					     struct uet_rxdefer, work);
	struct uet_rxmsg *rm = d->rm;

	/* Pairs with rx_lock; who closes the socket waits for this to return. */
	if (READ_ONCE(d->state) == UET_RXDEFER_READY && !rxdefer_ask(rm))
		rxdefer_ask_later(rm, UET_DEFER_RETRY_NS);
	uet_rxmsg_put(rm);
}

/* It has its place. */
static void rxdefer_set_ready(struct uet_rxmsg *rm)
{
	lockdep_assert_held(&rm->us->rx_lock);
	WRITE_ONCE(rm->defer->state, UET_RXDEFER_READY);
	uet_rxmsg_get(rm);
	/* Nothing was queued before. */
	uet_defer_queue(&rm->defer->work, 0);
}

/* It waits for nothing any more; the reference of the list is the caller's. */
static void rxdefer_set_over(struct uet_rxmsg *rm)
{
	struct uet_sock *us = rm->us;

	lockdep_assert_held(&us->rx_lock);
	WRITE_ONCE(rm->defer->state, UET_RXDEFER_OVER);
	list_del_init(&rm->defer->link);
	WRITE_ONCE(us->nr_deferred, us->nr_deferred - 1);
	uet_match_del_msg(&us->match, &rm->um);
}

/* ---------------------------------------------------------------------- places */

/* The message goes to a posted receive, packet by packet. */
static void rxdefer_set_direct(struct uet_rxmsg *rm)
{
	rm->is_direct = true;
	rm->window = rm->length;
}

/**
 * uet_rxdefer_claim() - a receive that was posted has taken a deferred message
 * @rm: message, out of the unexpected ones, with its receive
 *
 * Context: rx_lock held.
 */
void uet_rxdefer_claim(struct uet_rxmsg *rm)
{
	rxdefer_set_direct(rm);
	rxdefer_set_ready(rm);
}

/**
 * uet_rxdefer_list_all() - receives that are posted may take deferred messages
 * @us: socket on which the first receive is posted
 *
 * Context: rx_lock held.
 */
void uet_rxdefer_list_all(struct uet_sock *us)
{
	struct uet_rxdefer *d;

	lockdep_assert_held(&us->rx_lock);
	list_for_each_entry(d, &us->deferred, link)
		if (d->state == UET_RXDEFER_WAITING)
			uet_match_add_msg(&us->match, &d->rm->um);
}

/* The first message that waits for room. */
static struct uet_rxdefer *rxdefer_first(struct uet_sock *us)
{
	struct uet_rxdefer *d;

	list_for_each_entry(d, &us->deferred, link)
		if (d->state == UET_RXDEFER_WAITING)
			return d;
	return NULL;
}

/**
 * uet_rxdefer_use_room() - there may be room for messages that were deferred
 * @us: socket, referenced
 *
 * Context: Any, rx_lock not held.
 */
void uet_rxdefer_use_room(struct uet_sock *us)
{
	struct uet_rxdefer *d;

	/* Pairs with rx_lock: who adds one looks for room afterwards. */
	if (!READ_ONCE(us->nr_deferred))
		return;
	spin_lock_bh(&us->rx_lock);
	while (!uet_recv_is_used(us) && (d = rxdefer_first(us)) &&
	       uet_rxmsg_reserve(d->rm))
		rxdefer_set_ready(d->rm);
	spin_unlock_bh(&us->rx_lock);
}

/* ------------------------------------------------------------- the first packet */

static bool rxdefer_is_from(const struct uet_rxmsg *rm,
			    const struct uet_ses_req *req,
			    const struct uet_fa *from)
{
	const struct uet_ses_req *was = &rm->ses.req;

	return was->init_token == req->init_token && was->job == req->job &&
	       was->initiator == req->initiator &&
	       was->request_length == req->request_length &&
	       was->match == req->match && was->opcode == req->opcode &&
	       uet_fa_equal(&rm->from, from);
}

/* A deferred message that this packet is of; of a restart also by our token. */
static struct uet_rxmsg *rxdefer_find(struct uet_sock *us,
				      const struct uet_ses_req *req,
				      const struct uet_fa *from)
{
	struct uet_rxdefer *d;

	lockdep_assert_held(&us->rx_lock);
	list_for_each_entry(d, &us->deferred, link)
		if ((!req->tgt_token || d->token == req->tgt_token) &&
		    rxdefer_is_from(d->rm, req, from))
			return d->rm;
	return NULL;
}

/* A restart: what it was asked for with is all that counts. */
static enum uet_rxdefer_how rxdefer_take(struct uet_sock *us,
					 const struct uet_ses_req *req,
					 const struct uet_fa *from,
					 struct uet_rxmsg **rm)
{
	spin_lock_bh(&us->rx_lock);
	*rm = rxdefer_find(us, req, from);
	if (*rm && (*rm)->defer->state != UET_RXDEFER_READY)
		*rm = NULL;
	if (*rm)
		rxdefer_set_over(*rm);
	spin_unlock_bh(&us->rx_lock);
	if (!*rm)
		return UET_RXDEFER_STALE;
	if (cancel_delayed_work(&(*rm)->defer->work))
		uet_rxmsg_put(*rm);
	return UET_RXDEFER_TAKE;
}

static bool rxdefer_knows(struct uet_sock *us, const struct uet_ses_req *req,
			  const struct uet_fa *from)
{
	bool is_known;

	if (!READ_ONCE(us->nr_deferred))
		return false;
	spin_lock_bh(&us->rx_lock);
	is_known = rxdefer_find(us, req, from);
	spin_unlock_bh(&us->rx_lock);
	return is_known;
}

/* Return: a message that could be deferred, with one reference, or NULL. */
static struct uet_rxmsg *rxdefer_make(struct uet_sock *us,
				      const struct uet_ses_req *req,
				      const struct uet_fa *from, u8 delivery)
{
	struct uet_rxdefer *d = kzalloc(sizeof(*d), GFP_ATOMIC | __GFP_NOWARN);
	struct uet_rxmsg *rm;

	if (!d)
		return NULL;
	rm = uet_rxmsg_admit_rma(us, from);
	if (!rm) {
		kfree(d);
		return NULL;
	}
	rm->ses.req = *req;
	rm->delivery = delivery;
	rm->length = req->request_length;
	uet_match_env(req, &rm->um.env);
	uet_fep_get(us->fep);
	d->fep = us->fep;
	d->rm = rm;
	d->token = get_random_u32() | 1;
	INIT_LIST_HEAD(&d->link);
	INIT_DELAYED_WORK(&d->work, rxdefer_work);
	rm->defer = d;
	return rm;
}

/* A receive takes it now, or it joins those that wait, or neither. */
static enum uet_rxdefer_how rxdefer_settle(struct uet_sock *us,
					   struct uet_rxmsg *rm)
{
	lockdep_assert_held(&us->rx_lock);
	if (!uet_sock_is_receiving(us))
		return UET_RXDEFER_LATER;
	rm->recv = uet_recv_take(us, &rm->um.env);
	if (rm->recv) {
		rm->defer->state = UET_RXDEFER_OVER;
		rxdefer_set_direct(rm);
		return UET_RXDEFER_TAKE;
	}
	/* For room it can wait in another way. */
	if (us->nr_deferred >= UET_DEFER_LIMIT)
		return uet_recv_is_used(us) ? UET_RXDEFER_FULL :
					      UET_RXDEFER_LATER;
	list_add_tail(&rm->defer->link, &us->deferred);
	WRITE_ONCE(us->nr_deferred, us->nr_deferred + 1);
	us->has_deferred = true;
	uet_match_add_msg(&us->match, &rm->um);
	return UET_RXDEFER_WAIT;
}

static enum uet_rxdefer_how rxdefer_begin(struct uet_sock *us,
					  const struct uet_ses_req *req,
					  const struct uet_fa *from,
					  u8 delivery, struct uet_rxmsg **rm)
{
	enum uet_rxdefer_how how;

	*rm = rxdefer_make(us, req, from, delivery);
	if (!*rm)
		return UET_RXDEFER_LATER;
	spin_lock_bh(&us->rx_lock);
	how = rxdefer_settle(us, *rm);
	spin_unlock_bh(&us->rx_lock);
	if (how == UET_RXDEFER_WAIT) {
		uet_mib_inc(us->fep->un, UET_MIB_RX_DEFERRED);
		/* Some may have come free meanwhile. */
		uet_rxdefer_use_room(us);
	}
	if (how == UET_RXDEFER_LATER || how == UET_RXDEFER_FULL)
		uet_rxmsg_put(*rm);
	return how;
}

/* Nobody posts receives: is it taken, or refused for now, as any other? */
static enum uet_rxdefer_how rxdefer_admit_plain(struct uet_sock *us,
						const struct uet_ses_req *req,
						const struct uet_fa *from,
						enum uet_turn turn,
						bool may_defer,
						struct uet_rxmsg **rm)
{
	/* Those that wait come first. */
	*rm = may_defer && READ_ONCE(us->nr_deferred) ?
	      NULL : uet_rxmsg_admit(us, req, from, turn);
	if (*rm)
		return UET_RXDEFER_TAKE;
	return may_defer ? UET_RXDEFER_WAIT : UET_RXDEFER_LATER;
}

/**
 * uet_rxdefer_admit() - the first packet of a deferrable message has come
 * @us: receiving endpoint
 * @req: its request header
 * @from: fabric address of its sender
 * @delivery: UET_DELIVERY_*
 * @turn: where the packet stands among those of its PDC
 * @rm: result with UET_RXDEFER_TAKE: the message with one reference, for
 *	uet_ses_rx_start(); its receive may be too short for it
 *
 * Context: Softirq, rcu_read_lock() held.
 * Return: enum uet_rxdefer_how.
 */
enum uet_rxdefer_how uet_rxdefer_admit(struct uet_sock *us,
				       const struct uet_ses_req *req,
				       const struct uet_fa *from, u8 delivery,
				       enum uet_turn turn,
				       struct uet_rxmsg **rm)
{
	enum uet_rxdefer_how how;
	bool may_defer;

	if (req->tgt_token)
		return rxdefer_take(us, req, from, rm);
	if (rxdefer_knows(us, req, from))
		return UET_RXDEFER_WAIT;
	if (!uet_recv_is_used(us)) {
		may_defer = delivery != UET_DELIVERY_ROD &&
			    !uet_rxmsg_would_stream(us, req->request_length);
		how = rxdefer_admit_plain(us, req, from, turn, may_defer, rm);
		if (how != UET_RXDEFER_WAIT)
			return how;
	}
	return rxdefer_begin(us, req, from, delivery, rm);
}

/* ---------------------------------------------------------------------- the end */

/* The peer does not have it any more: its place is free. */
static void rxdefer_lose(struct uet_rxmsg *rm)
{
	struct uet_sock *us = rm->us;
	struct uet_recv *recv = NULL;
	bool is_ready;

	spin_lock_bh(&us->rx_lock);
	is_ready = rm->defer->state == UET_RXDEFER_READY;
	if (is_ready) {
		rxdefer_set_over(rm);
		recv = rm->recv;
		rm->recv = NULL;
	}
	spin_unlock_bh(&us->rx_lock);
	if (recv)
		uet_recv_again(us, recv);
	if (is_ready)
		uet_rxmsg_put(rm);
}

/**
 * uet_rxdefer_told() - a peer has answered that it was asked to restart, or has not
 * @rtr: the request, done; the reference of its PDC is dropped
 *
 * Context: Any, no PDC lock held.
 */
void uet_rxdefer_told(struct uet_txmsg *rtr)
{
	struct uet_rxmsg *rm = rtr->rtr;
	int err = uet_ses_errno(&rtr->ses);

	if (err)
		rxdefer_lose(rm);
	else
		rxdefer_ask_later(rm, uet_defer_patience(rm->defer->fep));
	uet_rxmsg_put(rm);
	uet_txmsg_put(rtr);
}

/**
 * uet_rxdefer_free() - nobody has a message any more
 * @rm: message without references, before it is freed
 *
 * Context: Any.
 */
void uet_rxdefer_free(struct uet_rxmsg *rm)
{
	if (!rm->defer)
		return;
	uet_fep_put(rm->defer->fep);
	kfree(rm->defer);
}

/* Return: one that is over now, with the reference of the list; or NULL. */
static struct uet_rxmsg *rxdefer_drop_first(struct uet_sock *us, bool *was_ready)
{
	struct uet_rxmsg *rm = NULL;
	struct uet_recv *recv = NULL;
	struct uet_rxdefer *d;

	spin_lock_bh(&us->rx_lock);
	d = list_first_entry_or_null(&us->deferred, struct uet_rxdefer, link);
	if (d) {
		rm = d->rm;
		*was_ready = d->state == UET_RXDEFER_READY;
		rxdefer_set_over(rm);
		recv = rm->recv;
		rm->recv = NULL;
	}
	spin_unlock_bh(&us->rx_lock);
	if (recv)
		uet_recv_end(us, recv, NULL, -ECANCELED);
	return rm;
}

/**
 * uet_rxdefer_drop_all() - no messages are taken any more
 * @us: socket, bound, shut down for reading, so that no more are deferred
 *
 * Peers are asked for their messages all the same, and learn that there is nobody
 * to take them.  Receives that wait for some end with ECANCELED.
 *
 * Context: Process, sleeps.
 */
void uet_rxdefer_drop_all(struct uet_sock *us)
{
	struct uet_rxmsg *rm;
	bool was_ready;

	while ((rm = rxdefer_drop_first(us, &was_ready))) {
		if (cancel_delayed_work_sync(&rm->defer->work)) {
			was_ready = false;
			uet_rxmsg_put(rm);
		}
		if (!was_ready)
			rxdefer_ask(rm);
		uet_rxmsg_put(rm);
		cond_resched();
	}
	/* Work of a message that was restarted meanwhile may still use the FEP. */
	if (us->has_deferred)
		uet_defer_flush();
}
