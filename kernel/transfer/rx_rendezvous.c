// SPDX-License-Identifier: GPL-2.0
/*
 * Rendezvous messages of peers. If a posted receive takes the message when it
 * starts, the eager part is stored there. Where receives are posted but none
 * matches, the message joins the unexpected messages and the eager part is
 * discarded; the whole message is read when its receive is posted. Where no
 * receive was ever posted, space for the whole message is reserved, and the
 * packets that are read join the eager ones.
 *
 * The rest is read by a READ in RUD, on a PDC shared by all such reads of a job
 * at one peer. On the PDC of an endpoint the reads would queue behind its
 * messages, which may be rendezvous messages that wait for reads of the peer.
 *
 * The final response to the sender is a packet in the return direction of the
 * PDC of the request, allocated when the message starts. If that PDC fails,
 * messages waiting for a receive are dropped, because neither response nor read
 * is possible.
 *
 * Destination
 * -----------
 * Three fields name the destination of a message. They are constant from the
 * start of the message:
 *
 *   destination            is_kept  is_placed  is_read_whole  READ begins
 *   receive buffer         1        0          0              after the eager part
 *   receive, posted before 0        1          0              after the eager part
 *   receive, posted later  0        1          1              at offset 0
 *
 * State machine
 * -------------
 * uet_sock.rx_lock protects uet_rx_rdv.state. uet_sock.env.rdvs holds one reference
 * to a message that is not OVER. The thread that makes the transition to OVER
 * owns this reference.
 *
 *   state             event                         next      function
 *   (none)            first packet                  EAGER     rx_rdv_match_or_list()
 *   EAGER             eager part complete, receive  READING   uet_rx_rdv_pushed()
 *                     or receive buffer known
 *   EAGER             eager part complete,          WAITING   uet_rx_rdv_pushed()
 *                     no receive
 *   EAGER             the same, socket shut down    OVER (b)  uet_rx_rdv_pushed()
 *   EAGER             a receive takes the message   EAGER     rx_rdv_claim()
 *   EAGER             message failed                OVER (a)  rx_rdv_end()
 *   WAITING           a receive takes the message   READING   rx_rdv_claim()
 *   WAITING           PDC of the request failed     OVER (a)  rx_rdv_lose()
 *   WAITING           socket shut down or closed    OVER (b)  uet_rx_rdv_drop_all()
 *   EAGER or READING  socket closed                 OVER (c)  uet_rx_rdv_drop_all()
 *   READING           READ done, failed, not        OVER (d)  rx_rdv_finish()
 *                     needed or not possible
 *
 * (a) the message has no final response; (b) UET_RC_BAD_INDEX; (c)
 * UET_RC_CANCELLED; (d) the result of the READ. Any other event leaves the state
 * unchanged. Later events of a message that is OVER have no effect.
 * Spec: UE 1.0.1 Figure 3-15; uet-wire 3.14 (rendezvous).
 */
#include <linux/slab.h>

#include "transfer.h"

/* Messages that are looked at in one hold of rx_lock. */
#define RX_RDV_BATCH	64

/* ---------------------------------------------------------------- its sender */

/*
 * Send the final response, unless it was sent or the PDC is dead. The run loop of another PDC
 * calls this function without the lock of that PDC.
 */
static void rx_rdv_respond(struct uet_rx_message *rm, u8 rc, u32 bytes)
{
	struct uet_rx_rdv *d = rm->rdv;
	bool is_linked;

	uet_pdc_entry_lock(d->pe);
	/* rx_rdv_lose() handles the messages of a dead PDC. */
	is_linked = !d->pe->dead && !list_empty(&d->on_pdc.link);
	if (is_linked) {
		list_del_init(&d->on_pdc.link);
		uet_ses_rsp_final(&d->read_rsp->ses.rsp, &rm->ses.req, rc, bytes);
		uet_ses_read_rsp_queue(&d->pe->ses, &d->read_rsp->ses, 1);
		d->read_rsp = NULL;
	}
	uet_pdc_entry_run(d->pe, UET_RUN_NOW);
	if (is_linked)
		uet_rx_message_put(rm);
}

/* The message no longer counts for UET_ENVELOPES. */
static void rx_rdv_uncount(struct uet_rx_message *rm)
{
	lockdep_assert_held(&rm->us->rx_lock);
	rm->us->env.nr -= rm->rdv->is_counted;
	rm->rdv->is_counted = false;
}

/*
 * Transition of a message in state @from to OVER, under rx_lock. Return: true if the caller has
 * made the transition, and now owns the reference of uet_sock.env.rdvs; false if the message is in
 * another state.
 */
static bool rx_rdv_set_over_locked(struct uet_rx_message *rm, enum uet_rx_rdv_state from, u8 rc)
{
	struct uet_sock *us = rm->us;

	lockdep_assert_held(&us->rx_lock);
	if (rm->rdv->state != from)
		return false;
	rm->rdv->rc = rc;
	/* Pairs with the acquire in rx_rdv_work(), which sends @rc. */
	smp_store_release(&rm->rdv->state, UET_RX_RDV_OVER);
	list_del_init(&rm->rdv->link);
	rx_rdv_uncount(rm);
	/* A kept message joins the unexpected ones only after it is read. */
	if (!rm->rdv->is_kept)
		uet_match_del_msg(&us->match, &rm->match_entry);
	return true;
}

static bool rx_rdv_set_over(struct uet_rx_message *rm, enum uet_rx_rdv_state from, u8 rc)
{
	bool is_owner;

	spin_lock_bh(&rm->us->rx_lock);
	is_owner = rx_rdv_set_over_locked(rm, from, rc);
	spin_unlock_bh(&rm->us->rx_lock);
	return is_owner;
}

/* Return code of the final response after a READ has ended. */
static u8 rx_rdv_rc(const struct uet_ses_tx *tx)
{
	if (tx->rc != UET_RC_OK && tx->rc != UET_RC_NULL)
		return tx->rc;
	switch (tx->error) {
	case UET_PDC_OK:
		return UET_RC_OK;
	case UET_PDC_ERR_LOCAL:
		return UET_RC_CANCELLED;
	case UET_PDC_ERR_PROTOCOL:
		return UET_RC_UNCOR;
	default:
		return UET_RC_UNCOR_TRNSNT;
	}
}

/* Reading has ended: end the message for its receiver, then for its sender. */
static void rx_rdv_finish(struct uet_rx_message *rm, int err, u8 rc)
{
	if (!rx_rdv_set_over(rm, UET_RX_RDV_READING, rc))
		return;
	if (err)
		uet_rx_message_fail(rm, err);
	else if (rm->is_placed)
		uet_rx_match_placed(rm);
	uet_mib_inc(rm->rdv->pe->fep->un, err ? UET_MIB_MSG_LOST : UET_MIB_MSG_RECEIVED);
	if (!err)
		uet_pdc_traffic_delivered(rm->rdv->pe);
	rx_rdv_respond(rm, rc, err ? 0 : rm->rdv->end);
	uet_rx_message_put(rm);
}

/* ------------------------------------------------------------------- reading */

/* Offset of the first byte to read. */
static u32 rx_rdv_from(const struct uet_rx_message *rm)
{
	return rm->rdv->is_read_whole ? 0 : rm->ses.req.x.rdv.eager_length;
}

/* uet_tx_message_ops.ended: nobody else writes the code; the receive has not ended. */
static bool rx_rdv_read_ended(struct uet_tx_message *tm)
{
	struct uet_rx_message *rm = tm->serves;

	rm->read_rc = tm->ses.rc == UET_RC_OK ? UET_RC_NULL : tm->ses.rc;
	rx_rdv_finish(rm, uet_ses_errno(&tm->ses), rx_rdv_rc(&tm->ses));
	uet_tx_message_put(tm);
	return true;
}

static const struct uet_tx_message_ops rx_rdv_read_ops = {
	.ended = rx_rdv_read_ended,
	.free = uet_defer_free_for,
};

/* Return: NULL without memory. */
static struct uet_tx_message *rx_rdv_make_read(struct uet_rx_message *rm)
{
	struct uet_tx_message *tm = uet_defer_alloc_for(rm, &rx_rdv_read_ops);
	u32 from = rx_rdv_from(rm);

	if (!tm)
		return NULL;
	uet_ses_rdv_read(&tm->ses, &rm->ses.req, from, rm->rdv->end);
	if (rm->is_placed) {
		tm->local = rm->recv->place;
		uet_mr_own_get(&tm->local);
		tm->local.offset += from;
	}
	return tm;
}

/* Return: 0; -ENETDOWN: permanent; else retry later. */
static int rx_rdv_read(struct uet_rx_message *rm)
{
	struct uet_fep *fep = rm->rdv->pe->fep;
	struct uet_peer_key key;
	int err;

	memset(&key, 0, sizeof(key));
	key.peer = rm->from;
	key.job = rm->ses.req.job;
	key.rel = true;
	key.mode = UET_PDC_RUD;
	err = uet_defer_send_for(fep, &key, rx_rdv_make_read(rm));
	if (!err)
		uet_mib_inc(fep->un, UET_MIB_RX_RDV);
	return err;
}

static void rx_rdv_start(struct uet_rx_message *rm)
{
	struct uet_rx_rdv *d = rm->rdv;
	int err;

	if (!d->until) {
		d->until = uet_now_ns() + uet_defer_peer_timeout(d->pe->fep);
		/* Less than the length for a truncated message. */
		d->end = rm->is_placed ? min_t(u64, rm->length, rm->recv->length) : rm->length;
	}
	if (d->end <= rx_rdv_from(rm)) {
		rx_rdv_finish(rm, 0, UET_RC_OK);
		return;
	}
	err = rx_rdv_read(rm);
	if (err == -ENETDOWN || (err && uet_now_ns() >= d->until))
		rx_rdv_finish(rm, err, UET_RC_UNCOR_TRNSNT);
	if (err) {
		/* Retry, unless the message is OVER by then. */
		spin_lock_bh(&rm->us->rx_lock);
		if (d->state == UET_RX_RDV_READING)
			uet_defer_queue_rx(rm, &d->work, UET_DEFER_RETRY_NS);
		spin_unlock_bh(&rm->us->rx_lock);
	}
}

static void rx_rdv_work(struct work_struct *work)
{
	struct uet_rx_rdv *d = container_of(to_delayed_work(work), struct uet_rx_rdv, work);
	struct uet_rx_message *rm = d->rm;

	/*
	 * Pairs with the release in rx_rdv_set_over_locked(); closing the socket
	 * waits for this function to return.
	 */
	if (smp_load_acquire(&d->state) == UET_RX_RDV_READING)
		rx_rdv_start(rm);
	else
		rx_rdv_respond(rm, d->rc, 0);
	uet_defer_done_rx(rm);
}

static void rx_rdv_set_reading(struct uet_rx_message *rm)
{
	lockdep_assert_held(&rm->us->rx_lock);
	WRITE_ONCE(rm->rdv->state, UET_RX_RDV_READING);
	uet_defer_queue_rx(rm, &rm->rdv->work, 0);
}

/* The message that keeps the data of a READ, or NULL: a receive has memory for it. */
static struct uet_rx_message *rx_rdv_keeper(const struct uet_tx_message *tm)
{
	return tm->ops == &rx_rdv_read_ops && !tm->serves->is_placed ? tm->serves : NULL;
}

/*
 * uet_rx_rdv_may_put_run() - may data of a READ in one socket buffer of @nr packets be received
 *	at once?
 * Return: false if packets that came singly have not paid for so much memory.
 */
bool uet_rx_rdv_may_put_run(const struct uet_tx_message *tm, const struct sk_buff *skb, u32 nr)
{
	const struct uet_rx_message *rm = rx_rdv_keeper(tm);

	return !rm || skb->truesize <= (u64)nr * rm->truesize;
}

/*
 * uet_rx_rdv_put() - receive data of a READ for the receive buffer
 * @skb: @nr packets, starting at the data; kept if the result is true
 * @offset: offset of the data in the READ
 * @nr: more than one only after uet_rx_rdv_may_put_run()
 * Return: false if the data goes to memory of a receive: nothing was done.
 */
bool uet_rx_rdv_put(struct uet_tx_message *tm, struct sk_buff *skb, u32 offset, u32 len, u32 nr)
{
	struct uet_ses_seg *seg = &uet_skb_cb(skb)->seg;
	struct uet_rx_message *rm = rx_rdv_keeper(tm);
	LIST_HEAD(segs);

	if (!rm)
		return false;
	memset(seg, 0, sizeof(*seg));
	seg->offset = rx_rdv_from(rm) + offset;
	seg->len = len;
	list_add(&seg->link, &segs);
	uet_skb_strip(skb);
	/* A response is not refused; its payload is charged in any case. */
	if (nr == 1)
		uet_rx_message_hold(rm, skb, len);
	uet_rx_message_deliver(rm, &segs);
	return true;
}

/* ----------------------------------------------------------- its first packets */

/* Drop a message in state @from; no final response follows. */
static void rx_rdv_drop(struct uet_rx_message *rm, enum uet_rx_rdv_state from)
{
	if (rx_rdv_set_over(rm, from, UET_RC_NULL))
		uet_rx_message_put(rm);
}

/* uet_rx_message_ops.end: the message has failed before it could be read. */
static void rx_rdv_end(struct uet_rx_message *rm)
{
	rx_rdv_drop(rm, UET_RX_RDV_EAGER);
}

/*
 * uet_pdc_dependent.lost: no response is possible to a message that waits.  Reads in progress
 * continue, because their receives have started.
 */
static void rx_rdv_lose(struct uet_pdc_dependent *on_pdc)
{
	struct uet_rx_message *rm = container_of(on_pdc, struct uet_rx_rdv, on_pdc)->rm;

	rx_rdv_drop(rm, UET_RX_RDV_WAITING);
	uet_rx_message_put(rm);
}

/* uet_rx_message_ops.claim: a message whose bytes are kept is as any message. */
static bool rx_rdv_claim(struct uet_rx_message *rm)
{
	lockdep_assert_held(&rm->us->rx_lock);
	if (!rm->is_placed)
		return false;
	rx_rdv_uncount(rm);
	if (rm->rdv->state == UET_RX_RDV_WAITING)
		rx_rdv_set_reading(rm);
	return true;
}

/*
 * uet_rx_message_ops.is_known: the packet with the completion data may be the last one of the
 * eager part to arrive.
 */
static bool rx_rdv_is_known(const struct uet_rx_message *rm)
{
	return rm->rdv->state != UET_RX_RDV_EAGER;
}

static void rx_rdv_free(struct uet_rx_message *rm)
{
	struct uet_rx_rdv *d = rm->rdv;

	if (d->read_rsp)
		uet_read_rsp_free(d->read_rsp);
	uet_pdc_entry_put(d->pe);
	kfree(d);
}

static const struct uet_rx_message_ops rx_rdv_message_ops = {
	.claim = rx_rdv_claim,
	.is_known = rx_rdv_is_known,
	.end = rx_rdv_end,
	.free = rx_rdv_free,
};

static bool rx_rdv_make(struct uet_rx_message *rm, const struct uet_ses_req *req,
			struct uet_pdc_entry *pe, bool is_kept)
{
	struct uet_rx_rdv *d;

	if (!uet_rx_message_charge(rm, sizeof(*d) + sizeof(struct uet_read_rsp_msg)))
		return false;
	d = kzalloc(sizeof(*d), GFP_ATOMIC | __GFP_NOWARN);
	if (!d)
		return false;
	d->read_rsp = kzalloc(sizeof(*d->read_rsp), GFP_ATOMIC | __GFP_NOWARN);
	if (!d->read_rsp) {
		kfree(d);
		return false;
	}
	sock_hold(&rm->us->sk);
	d->read_rsp->us = rm->us;
	d->rm = rm;
	d->is_kept = is_kept;
	INIT_LIST_HEAD(&d->link);
	INIT_LIST_HEAD(&d->on_pdc.link);
	d->on_pdc.lost = rx_rdv_lose;
	INIT_DELAYED_WORK(&d->work, rx_rdv_work);
	/* The PDC is locked and not dead, so the tables hold a reference. */
	refcount_inc(&pe->refs);
	d->pe = pe;
	rm->rdv = d;
	rm->ops = &rx_rdv_message_ops;
	rm->ses.req = *req;
	rm->length = req->request_length;
	rm->window = rm->length;
	uet_match_key(req, &rm->match_entry.match_key);
	return true;
}

/* Let a receive take the message, or add it to the unexpected messages. */
static enum uet_admission rx_rdv_match_or_list(struct uet_sock *us, struct uet_rx_message *rm)
{
	struct uet_rx_rdv *d = rm->rdv;

	lockdep_assert_held(&us->rx_lock);
	if (!uet_sock_is_receiving(us))
		return UET_ADMIT_NO_SPACE;
	uet_peer_note(rm);
	if (!d->is_kept) {
		rm->is_placed = true;
		rm->recv = uet_posted_recv_take(us, &rm->match_entry.match_key, rm->length);
		d->is_read_whole = !rm->recv;
	}
	if (d->is_read_whole) {
		if (us->env.nr >= READ_ONCE(us->env.max))
			return UET_ADMIT_NO_SPACE;
		us->env.nr++;
		d->is_counted = true;
		uet_rx_match_add(rm);
		uet_mib_inc(us->fep->un, UET_MIB_RX_RDV_WAITED);
	}
	uet_rx_message_get(rm);
	list_add_tail(&d->link, &us->env.rdvs);
	return UET_ADMIT_START;
}

/*
 * uet_rx_rdv_admit() - handle the first packet of a rendezvous message
 * @order: position of the packet in the PSN order of its PDC
 * @rm: result with UET_ADMIT_START: the message with one reference, for uet_ses_rx_start(); its
 *	receive may be too short. Else NULL
 */
enum uet_admission
uet_rx_rdv_admit(struct uet_sock *us, const struct uet_ses_req *req, const struct uet_fa *from,
		 struct uet_pdc_entry *pe, enum uet_order order, struct uet_rx_message **rm)
{
	bool is_kept = !uet_recv_is_used(us);
	enum uet_admission outcome = UET_ADMIT_NO_SPACE;
	struct uet_rx_message *new;

	lockdep_assert_held(&pe->lock);
	*rm = NULL;
	if (is_kept && uet_rx_message_would_stream(us, req->request_length))
		return UET_ADMIT_RDV_LONG;
	new = is_kept ? uet_rx_message_admit(us, req, from, order) :
			uet_rx_message_admit_rma(us, from);
	if (!new)
		return UET_ADMIT_NO_SPACE;
	if ((!is_kept || uet_rx_message_hold_all(new)) && rx_rdv_make(new, req, pe, is_kept)) {
		spin_lock_bh(&us->rx_lock);
		outcome = rx_rdv_match_or_list(us, new);
		spin_unlock_bh(&us->rx_lock);
	}
	if (outcome != UET_ADMIT_START) {
		uet_rx_message_put(new);
		return outcome;
	}
	uet_rx_message_get(new);
	list_add_tail(&new->rdv->on_pdc.link, &pe->rdvs);
	*rm = new;
	return UET_ADMIT_START;
}

/*
 * uet_rx_rdv_failed() - the response to a packet has reported the end of a message of any kind
 */
void uet_rx_rdv_failed(struct uet_rx_message *rm)
{
	if (!rm->rdv || list_empty(&rm->rdv->on_pdc.link))
		return;
	list_del_init(&rm->rdv->on_pdc.link);
	uet_rx_message_put(rm);
}

/* Transition of a message in state EAGER. Return: as of rx_rdv_set_over_locked(). */
static bool rx_rdv_end_eager(struct uet_rx_message *rm)
{
	bool is_owner = false;

	lockdep_assert_held(&rm->us->rx_lock);
	if (rm->rdv->is_kept || rm->recv) {
		rx_rdv_set_reading(rm);
	} else if (uet_sock_is_receiving(rm->us)) {
		rm->rdv->state = UET_RX_RDV_WAITING;
	} else {
		is_owner = rx_rdv_set_over_locked(rm, UET_RX_RDV_EAGER, UET_RC_BAD_INDEX);
		uet_defer_queue_rx(rm, &rm->rdv->work, 0);
	}
	return is_owner;
}

/*
 * uet_rx_rdv_pushed() - handle the end of the eager part of a message
 */
void uet_rx_rdv_pushed(struct uet_rx_message *rm)
{
	struct uet_sock *us = rm->us;
	bool is_owner;

	spin_lock_bh(&us->rx_lock);
	is_owner = rm->rdv->state == UET_RX_RDV_EAGER && rx_rdv_end_eager(rm);
	spin_unlock_bh(&us->rx_lock);
	if (is_owner)
		uet_rx_message_put(rm);
}

/* ---------------------------------------------------------------------- the end */

/* Drop a message because of its socket. Return: as of rx_rdv_set_over_locked(). */
static bool rx_rdv_drop_by_sock(struct uet_rx_message *rm)
{
	if (rm->rdv->state == UET_RX_RDV_WAITING)
		return rx_rdv_set_over_locked(rm, UET_RX_RDV_WAITING, UET_RC_BAD_INDEX);
	return rm->us->rx.is_closed &&
	       rx_rdv_set_over_locked(rm, rm->rdv->state, UET_RC_CANCELLED);
}

/*
 * Look at the next messages of @todo, which move back to uet_sock.env.rdvs. Result in @rm: one that
 * is now OVER, with the reference of uet_sock.env.rdvs; or NULL. If the socket is not closed, only
 * messages that wait for a receive are dropped. Return: false: none is left.
 */
static bool rx_rdv_drop_next(struct uet_sock *us, struct list_head *todo,
			     struct uet_rx_message **rm)
{
	struct uet_rx_rdv *d = NULL;
	int left;

	*rm = NULL;
	spin_lock_bh(&us->rx_lock);
	for (left = RX_RDV_BATCH; left && !*rm; left--) {
		d = list_first_entry_or_null(todo, struct uet_rx_rdv, link);
		if (!d)
			break;
		list_move_tail(&d->link, &us->env.rdvs);
		if (rx_rdv_drop_by_sock(d->rm))
			*rm = d->rm;
	}
	spin_unlock_bh(&us->rx_lock);
	return d;
}

/*
 * uet_rx_rdv_drop_all() - drop all rendezvous messages of a socket that was shut down for
 *	reading; sleeps
 *
 * Messages that wait for a receive are refused. If the socket is being closed, messages that
 * are being read are refused too.
 */
void uet_rx_rdv_drop_all(struct uet_sock *us)
{
	struct uet_rx_message *rm;
	LIST_HEAD(todo);

	spin_lock_bh(&us->rx_lock);
	list_splice_init(&us->env.rdvs, &todo);
	spin_unlock_bh(&us->rx_lock);
	while (rx_rdv_drop_next(us, &todo, &rm)) {
		cond_resched();
		if (!rm)
			continue;
		if (cancel_delayed_work_sync(&rm->rdv->work))
			uet_defer_done_rx(rm);
		rx_rdv_respond(rm, rm->rdv->rc, 0);
		uet_rx_message_put(rm);
	}
}
