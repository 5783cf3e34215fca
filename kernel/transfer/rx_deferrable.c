// SPDX-License-Identifier: GPL-2.0
/*
 * Deferred messages of peers: messages that wait for a receive, messages that wait for receive
 * buffer space, and the restart requests to their senders.
 *
 * Where receives are posted, a deferrable message without a matching receive goes to the receive
 * buffer while that has space. Else it is deferred: its envelope joins the unexpected messages at
 * once, so that receives match in order. Where no receive was ever posted, a message without
 * space is deferred, except in ROD: a later message could be read before it.
 *
 * A message with its receive or reserved space is READY: its peer is asked to restart it. The
 * request is repeated after a time-out, to learn whether the peer still has the message. If the
 * peer is gone or has cancelled the message, receive or space is released. A copy of a waiting
 * message, by which its sender checks in turn, is recognised by the token of the sender. A copy
 * of a READY message is accepted as its restart: its place is there.
 * Spec: uet-wire 3.14 (deferrable send).
 */
#include <linux/random.h>
#include <linux/rhashtable.h>
#include <linux/slab.h>

#include "transfer.h"

/* Messages that get space at a time: bounds the time that the lock is held. */
#define RX_DEFER_BATCH	64

/**
 * enum uet_rx_deferrable_state - state of a peer's deferred message
 * @UET_RX_DEFER_WAITING: waits for a receive or space
 * @UET_RX_DEFER_READY: has its receive or space; the peer is asked to restart it
 * @UET_RX_DEFER_OVER: was restarted, or will not be
 */
enum uet_rx_deferrable_state {
	UET_RX_DEFER_WAITING,
	UET_RX_DEFER_READY,
	UET_RX_DEFER_OVER,
};

/*
 * struct uet_rx_defer_key - identifies a deferred message of a peer
 * @cookie: uet_sock.cookie of its endpoint
 * @token: restart token of the sender
 * @length: bytes
 *
 * A key of a hash table: no unnamed padding.
 */
struct uet_rx_defer_key {
	struct uet_fa from;
	u64 match;
	u64 cookie;
	u32 token;
	u32 initiator;
	u32 job;
	u32 length;
	u64 opcode;
};

/*
 * struct uet_rx_deferrable - state of a peer's deferred message
 * @link: entry in uet_sock.env.deferred while WAITING, in order of arrival; in uet_sock.env.restarting
 *	while READY
 * @node: entry in the table of deferred messages, with @link
 * @rm: the message, which owns this structure; one reference while linked
 * @fep: FEP of the socket, one reference
 * @work: asks the peer to restart the message, or gives it up
 * @token: local restart token of the message
 * @is_lost: the peer no longer has the message; set once, READ_ONCE
 *
 * uet_sock.rx_lock protects @link, @node and @state.
 */
struct uet_rx_deferrable {
	struct list_head link;
	struct rhash_head node;
	struct uet_rx_defer_key key;
	struct uet_rx_message *rm;
	struct uet_fep *fep;
	struct delayed_work work;
	u32 token;
	u8 state;
	bool is_lost;
	struct rcu_head rcu;
};

static_assert(sizeof(struct uet_rx_defer_key) == sizeof(struct uet_fa) + 40);

static const struct rhashtable_params rx_defer_params = {
	.key_len = sizeof(struct uet_rx_defer_key),
	.key_offset = offsetof(struct uet_rx_deferrable, key),
	.head_offset = offsetof(struct uet_rx_deferrable, node),
	.automatic_shrinking = true,
};

/* All deferred messages of peers, by what the packets of a copy say. */
static struct rhashtable rx_defer_table;

int uet_rx_deferrable_init(void)
{
	return rhashtable_init(&rx_defer_table, &rx_defer_params);
}

void uet_rx_deferrable_fini(void)
{
	rhashtable_destroy(&rx_defer_table);
}

/* ------------------------------------------------------------ restart requests */

/* Repeat the request after a delay, unless the message is OVER by then. */
static void rx_defer_work_later(struct uet_rx_message *rm, u64 delay_ns)
{
	spin_lock_bh(&rm->us->rx_lock);
	if (rm->defer->state == UET_RX_DEFER_READY)
		uet_defer_queue_rx(rm, &rm->defer->work, delay_ns);
	spin_unlock_bh(&rm->us->rx_lock);
}

/*
 * The end of a restart request.  The peer has answered, and may not know the message; then its
 * receive is posted again, which may take long.
 */
static bool rx_defer_rtr_ended(struct uet_tx_message *rtr)
{
	struct uet_rx_message *rm = rtr->serves;
	struct uet_fep *fep = rm->defer->fep;
	int err = uet_ses_errno(&rtr->ses);
	u8 rc = uet_ses_reported_rc(&rtr->ses);

	if (rc != UET_RC_OK && rc != UET_RC_NULL) {
		uet_mib_inc(fep->un, UET_MIB_RTR_REFUSED);
		uet_sock_explain(rm->us, 0, "deferred message of %u bytes: its sender refused the restart request: %s",
				 rm->ses.req.request_length, uet_ses_rc_name(rc));
	}
	if (err)
		WRITE_ONCE(rm->defer->is_lost, true);
	rx_defer_work_later(rm, err ? 0 : uet_defer_peer_timeout(fep));
	uet_tx_message_put(rtr);
	return true;
}

static const struct uet_tx_message_ops rx_defer_rtr_ops = {
	.ended = rx_defer_rtr_ended,
	.free = uet_defer_free_for,
};

/*
 * Return: NULL without memory. The sender of the message is named by the convention for
 * initiator ids; the token identifies the message.
 */
static struct uet_tx_message *rx_defer_make_rtr(struct uet_rx_message *rm)
{
	struct uet_tx_message *tm = uet_defer_alloc_for(rm, &rx_defer_rtr_ops);
	const struct uet_ses_req *req = &rm->ses.req;

	if (!tm)
		return NULL;
	tm->ses.opcode = UET_OP_DEFERRABLE_RTR;
	tm->ses.to.pid = UET_INITIATOR_PID(req->initiator);
	tm->ses.to.ri = UET_INITIATOR_RI(req->initiator);
	tm->ses.to.rel = req->rel;
	tm->ses.tokens.init = req->init_token;
	tm->ses.tokens.tgt = rm->defer->token;
	tm->ses.tokens.length = req->request_length;
	return tm;
}

/* All restart requests of a FEP to another one use one PDC.  Return: false: not now. */
static bool rx_defer_send_rtr(struct uet_rx_message *rm)
{
	struct uet_fep *fep = rm->defer->fep;
	struct uet_peer_key key;

	memset(&key, 0, sizeof(key));
	key.peer = rm->from;
	key.mode = UET_PDC_RUD;
	if (uet_defer_send_for(fep, &key, rx_defer_make_rtr(rm)))
		return false;
	uet_mib_inc(fep->un, UET_MIB_TX_RTR);
	return true;
}

/* The message waits no more; the reference of the list passes to the caller. */
static void rx_defer_set_over(struct uet_rx_message *rm)
{
	struct uet_sock *us = rm->us;

	lockdep_assert_held(&us->rx_lock);
	us->env.nr -= rm->defer->state == UET_RX_DEFER_WAITING;
	WRITE_ONCE(rm->defer->state, UET_RX_DEFER_OVER);
	list_del_init(&rm->defer->link);
	rhashtable_remove_fast(&rx_defer_table, &rm->defer->node, rx_defer_params);
	WRITE_ONCE(us->env.nr_deferred, us->env.nr_deferred - 1);
	uet_match_del_msg(&us->match, &rm->match_entry);
}

/* The peer no longer has the message: release its receive or space. */
static void rx_defer_lose(struct uet_rx_message *rm)
{
	struct uet_sock *us = rm->us;
	struct uet_posted_recv *recv = NULL;
	bool is_ready;

	spin_lock_bh(&us->rx_lock);
	is_ready = rm->defer->state == UET_RX_DEFER_READY;
	if (is_ready) {
		rx_defer_set_over(rm);
		recv = rm->recv;
		rm->recv = NULL;
	}
	spin_unlock_bh(&us->rx_lock);
	if (recv)
		uet_posted_recv_again(us, recv);
	if (is_ready)
		uet_rx_message_put(rm);
}

static void rx_defer_work(struct work_struct *work)
{
	struct uet_rx_deferrable *d = container_of(
		to_delayed_work(work), struct uet_rx_deferrable, work);
	struct uet_rx_message *rm = d->rm;

	/* Pairs with rx_lock; closing the socket waits for this function to return. */
	if (READ_ONCE(d->is_lost))
		rx_defer_lose(rm);
	else if (READ_ONCE(d->state) == UET_RX_DEFER_READY && !rx_defer_send_rtr(rm))
		rx_defer_work_later(rm, UET_DEFER_RETRY_NS);
	uet_defer_done_rx(rm);
}

/* The message has its receive or space. */
static void rx_defer_set_ready(struct uet_rx_message *rm)
{
	lockdep_assert_held(&rm->us->rx_lock);
	rm->us->env.nr--;
	uet_match_del_msg(&rm->us->match, &rm->match_entry);
	WRITE_ONCE(rm->defer->state, UET_RX_DEFER_READY);
	list_move_tail(&rm->defer->link, &rm->us->env.restarting);
	uet_defer_queue_rx(rm, &rm->defer->work, 0);
}

/* ---------------------------------------------------------------------- places */

/* The message goes to a posted receive, packet by packet. */
static void rx_deferrable_set_placed(struct uet_rx_message *rm)
{
	rm->is_placed = true;
	rm->window = rm->length;
}

/* uet_rx_message_ops.claim: one that is READY or has begun is as any message. */
static bool rx_defer_claim(struct uet_rx_message *rm)
{
	if (rm->defer->state != UET_RX_DEFER_WAITING)
		return false;
	rx_deferrable_set_placed(rm);
	rx_defer_set_ready(rm);
	return true;
}

/* Return: false: no other message fits. */
static bool rx_defer_use_space_once(struct uet_sock *us)
{
	struct uet_rx_deferrable *d;

	lockdep_assert_held(&us->rx_lock);
	if (uet_recv_is_used(us))
		return false;
	d = list_first_entry_or_null(&us->env.deferred, struct uet_rx_deferrable, link);
	if (!d || !uet_rx_message_reserve(d->rm))
		return false;
	rx_defer_set_ready(d->rm);
	return true;
}

/* uet_deferred_ops.use_space */
static void rx_defer_use_space(struct uet_sock *us)
{
	int left;

	/* Pairs with rx_lock: adding a message is followed by a check for space. */
	while (READ_ONCE(us->env.nr_deferred)) {
		spin_lock_bh(&us->rx_lock);
		for (left = RX_DEFER_BATCH; left; left--)
			if (!rx_defer_use_space_once(us))
				break;
		spin_unlock_bh(&us->rx_lock);
		if (left)
			break;
	}
}

static const struct uet_deferred_ops rx_defer_ops = {
	.use_space = rx_defer_use_space,
};

/* uet_rx_message_ops.free */
static void rx_defer_free(struct uet_rx_message *rm)
{
	uet_fep_put(rm->defer->fep);
	/* A search for another message may still compare its key. */
	kfree_rcu(rm->defer, rcu);
}

static const struct uet_rx_message_ops rx_defer_message_ops = {
	.claim = rx_defer_claim,
	.free = rx_defer_free,
};

/* ------------------------------------------------------------- the first packet */

static struct uet_rx_defer_key rx_defer_key(const struct uet_sock *us,
					    const struct uet_ses_req *req,
					    const struct uet_fa *from)
{
	return (struct uet_rx_defer_key){
		.from = *from,
		.match = req->match,
		.cookie = us->cookie,
		.token = req->init_token,
		.initiator = req->initiator,
		.job = req->job,
		.length = req->request_length,
		.opcode = req->opcode,
	};
}

/*
 * Does the message of this packet wait for its place already, or is this its restart?  A restart
 * is accepted only for a READY message with the tokens of its request, or with that of its
 * sender alone: a copy of a READY message is as good. The reference of the list passes to the
 * caller.
 */
static enum uet_admission rx_defer_admit_known(struct uet_sock *us, const struct uet_ses_req *req,
					       const struct uet_fa *from,
					       struct uet_rx_message **rm)
{
	struct uet_rx_defer_key key = rx_defer_key(us, req, from);
	enum uet_admission outcome = UET_ADMIT_BAD_TOKEN;
	struct uet_rx_deferrable *d;

	if (!READ_ONCE(us->env.nr_deferred))
		return UET_ADMIT_BAD_TOKEN;
	spin_lock_bh(&us->rx_lock);
	d = rhashtable_lookup_fast(&rx_defer_table, &key, rx_defer_params);
	if (d && (!req->tgt_token || d->token == req->tgt_token)) {
		if (d->state == UET_RX_DEFER_READY) {
			rx_defer_set_over(d->rm);
			outcome = UET_ADMIT_START;
		} else if (!req->tgt_token) {
			outcome = UET_ADMIT_DEFER;
		}
	}
	spin_unlock_bh(&us->rx_lock);
	/* Memory may be free now that was not when it was deferred. */
	if (outcome == UET_ADMIT_DEFER)
		rx_defer_use_space(us);
	if (outcome != UET_ADMIT_START)
		return outcome;
	*rm = d->rm;
	if (cancel_delayed_work(&d->work))
		uet_defer_done_rx(*rm);
	return outcome;
}

/* Return: a message that can be deferred, with one reference, or NULL. */
static struct uet_rx_message *rx_defer_make(struct uet_sock *us, const struct uet_ses_req *req,
					    const struct uet_fa *from, u8 delivery)
{
	struct uet_rx_deferrable *d = kzalloc(sizeof(*d), GFP_ATOMIC | __GFP_NOWARN);
	struct uet_rx_message *rm;

	if (!d)
		return NULL;
	rm = uet_rx_message_admit_rma(us, from);
	if (!rm || !uet_rx_message_charge(rm, sizeof(*d))) {
		if (rm)
			uet_rx_message_put(rm);
		kfree(d);
		return NULL;
	}
	rm->ses.req = *req;
	rm->delivery = delivery;
	rm->length = req->request_length;
	uet_match_key(req, &rm->match_entry.match_key);
	uet_fep_get(us->fep);
	d->fep = us->fep;
	d->rm = rm;
	d->token = get_random_u32() | 1;
	d->key = rx_defer_key(us, req, from);
	INIT_LIST_HEAD(&d->link);
	INIT_DELAYED_WORK(&d->work, rx_defer_work);
	rm->defer = d;
	rm->ops = &rx_defer_message_ops;
	return rm;
}

/*
 * Let a receive take the message, or add it to the waiting ones, or do neither.
 * Return: UET_ADMIT_DEFER: the list has the reference to the message.
 */
static enum uet_admission rx_defer_match_or_list(struct uet_sock *us, struct uet_rx_message *rm)
{
	lockdep_assert_held(&us->rx_lock);
	if (!uet_sock_is_receiving(us))
		return UET_ADMIT_NO_SPACE;
	uet_peer_note(rm);
	rm->recv = uet_posted_recv_take(us, &rm->match_entry.match_key, rm->length);
	if (rm->recv) {
		rm->defer->state = UET_RX_DEFER_OVER;
		rx_deferrable_set_placed(rm);
		return UET_ADMIT_START;
	}
	/* Without memory, too, it waits as a message without space. */
	if (us->env.nr >= READ_ONCE(us->env.max) ||
	    rhashtable_insert_fast(&rx_defer_table, &rm->defer->node, rx_defer_params))
		return UET_ADMIT_NO_SPACE;
	us->env.nr++;
	list_add_tail(&rm->defer->link, &us->env.deferred);
	WRITE_ONCE(us->env.nr_deferred, us->env.nr_deferred + 1);
	/* Pairs with the acquire in uet_rx_message_put(). */
	smp_store_release(&us->env.ops, &rx_defer_ops);
	uet_rx_match_add(rm);
	return UET_ADMIT_DEFER;
}

static enum uet_admission rx_defer_admit_new(struct uet_sock *us, const struct uet_ses_req *req,
					     const struct uet_fa *from, u8 delivery,
					     struct uet_rx_message **rm)
{
	struct uet_rx_message *new = rx_defer_make(us, req, from, delivery);
	enum uet_admission outcome;

	if (!new)
		return UET_ADMIT_NO_SPACE;
	spin_lock_bh(&us->rx_lock);
	outcome = rx_defer_match_or_list(us, new);
	spin_unlock_bh(&us->rx_lock);
	switch (outcome) {
	case UET_ADMIT_START:
		*rm = new;
		break;
	case UET_ADMIT_DEFER:
		uet_mib_inc(us->fep->un, UET_MIB_RX_DEFERRED);
		/* Some space may have been freed meanwhile. */
		rx_defer_use_space(us);
		break;
	default:
		uet_rx_message_put(new);
	}
	return outcome;
}

/*
 * Where receives are posted: the message goes to its receive, else to the receive buffer while
 * that has space. Else its bytes wait at the sender, and hold up no message behind them.
 */
static enum uet_admission
rx_defer_admit_unexpected(struct uet_sock *us, const struct uet_ses_req *req,
			  const struct uet_fa *from, u8 delivery, struct uet_rx_message **rm)
{
	*rm = uet_rx_match_admit(us, req, from);
	if (!*rm && !uet_gen_wants_recv(us, req) &&
	    !uet_rx_message_would_stream(us, req->request_length))
		/* What can be deferred needs no space of those that fill a gap. */
		*rm = uet_rx_message_admit(us, req, from, UET_ORDER_AHEAD);
	if (*rm)
		return UET_ADMIT_START;
	return rx_defer_admit_new(us, req, from, delivery, rm);
}

/*
 * uet_rx_deferrable_admit() - handle the first packet of a deferrable message
 * @delivery: UET_DELIVERY_*
 * @order: position of the packet in the PSN order of its PDC
 * @rm: result with UET_ADMIT_START: the message with one reference, for uet_ses_rx_start(); its
 *	receive may be too short. Else NULL
 */
enum uet_admission
uet_rx_deferrable_admit(struct uet_sock *us, const struct uet_ses_req *req,
			const struct uet_fa *from, u8 delivery,
			enum uet_order order, struct uet_rx_message **rm)
{
	enum uet_admission outcome;
	bool may_defer;

	*rm = NULL;
	outcome = rx_defer_admit_known(us, req, from, rm);
	if (outcome != UET_ADMIT_BAD_TOKEN || req->tgt_token)
		return outcome;
	if (uet_recv_is_used(us))
		return rx_defer_admit_unexpected(us, req, from, delivery, rm);
	may_defer = delivery != UET_DELIVERY_ROD &&
		    !uet_rx_message_would_stream(us, req->request_length);
	/* Waiting messages come first. */
	if (!may_defer || !READ_ONCE(us->env.nr_deferred))
		*rm = uet_rx_message_admit(us, req, from, order);
	if (*rm)
		return UET_ADMIT_START;
	return may_defer ? rx_defer_admit_new(us, req, from, delivery, rm) :
			   UET_ADMIT_NO_SPACE;
}

/* ---------------------------------------------------------------------- the end */

/* Return: one that is over now, with the reference of the list; or NULL. */
static struct uet_rx_message *rx_defer_drop_first(struct uet_sock *us, bool *was_ready)
{
	struct uet_rx_message *rm = NULL;
	struct uet_posted_recv *recv = NULL;
	struct uet_rx_deferrable *d;

	spin_lock_bh(&us->rx_lock);
	d = list_first_entry_or_null(&us->env.deferred, struct uet_rx_deferrable, link);
	if (!d)
		d = list_first_entry_or_null(&us->env.restarting, struct uet_rx_deferrable, link);
	if (d) {
		rm = d->rm;
		*was_ready = d->state == UET_RX_DEFER_READY;
		rx_defer_set_over(rm);
		recv = rm->recv;
		rm->recv = NULL;
	}
	spin_unlock_bh(&us->rx_lock);
	if (recv)
		uet_posted_recv_end(us, recv, NULL, -ECANCELED);
	return rm;
}

/*
 * uet_rx_deferrable_drop_all() - drop all deferred messages of a socket that was shut down for
 *	reading; sleeps
 *
 * Peers are still asked to restart their messages, and then get the refusal. Receives that wait
 * for deferred messages end with ECANCELED.
 */
void uet_rx_deferrable_drop_all(struct uet_sock *us)
{
	struct uet_rx_message *rm;
	bool was_ready;

	while ((rm = rx_defer_drop_first(us, &was_ready))) {
		if (cancel_delayed_work_sync(&rm->defer->work)) {
			was_ready = false;
			uet_defer_done_rx(rm);
		}
		if (!was_ready)
			rx_defer_send_rtr(rm);
		uet_rx_message_put(rm);
		cond_resched();
	}
}
