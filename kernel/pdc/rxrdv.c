// SPDX-License-Identifier: GPL-2.0
/*
 * Rendezvous messages of peers.  One that a posted receive takes when it begins has
 * what is pushed of it put there; one that finds none, where receives are posted,
 * takes its place among the unexpected messages, and what is pushed is forgotten:
 * all of it is read when its receive is posted.  Where none was ever posted, room
 * for all of it is booked, and the packets that are read join those that were
 * pushed.
 *
 * What is read comes by a READ of our own, by RUD, on a PDC that all such reads of a
 * job at one peer share: were it that of an endpoint, they would wait behind its
 * messages, which may be rendezvous messages that wait for reads of the other end.
 *
 * Its sender is told how the message ended by a packet in the return direction of
 * the PDC it came on, whose memory is there from the beginning.  If that PDC dies,
 * who waits for a receive is forgotten, as nobody is left to be told or read from.
 * Spec: UE 1.0.1 Figure 3-15; uet-wire 3.14 (rendezvous).  Level: shell.
 */
#include <linux/slab.h>

#include "defer.h"
#include "fabric/fep.h"
#include "kpdc.h"
#include "fabric/net.h"
#include "rdv.h"
#include "message/recv.h"
#include "rx/rx.h"
#include "message/rxrecv.h"
#include "socket/sock.h"

/* ---------------------------------------------------------------- its sender */

/*
 * Tell the sender, unless it was told, or its PDC has died.  In the run loop of
 * another PDC this is called without the lock of that.
 */
static void rxrdv_tell(struct uet_rxmsg *rm, u8 rc, u32 bytes)
{
	struct uet_rxrdv *d = rm->rdv;
	bool is_linked;

	uet_kpdc_lock(d->kpdc);
	/* Those of a PDC that is dead are uet_rxrdv_lose_all()'s. */
	is_linked = !d->kpdc->dead && !list_empty(&d->on_pdc);
	if (is_linked) {
		list_del_init(&d->on_pdc);
		uet_ses_rsp_final(&d->back->ses.rsp, &rm->ses.req, rc, bytes);
		uet_ses_back_queue(&d->kpdc->ses, &d->back->ses);
		d->back = NULL;
	}
	uet_kpdc_run_unlock(d->kpdc);
	if (is_linked)
		uet_rxmsg_put(rm);
}

/* It has ended; the reference of the socket's list is the caller's. */
static void rxrdv_set_over(struct uet_rxmsg *rm, u8 rc)
{
	struct uet_sock *us = rm->us;

	lockdep_assert_held(&us->rx_lock);
	rm->rdv->rc = rc;
	/* Pairs with the acquire in rxrdv_work(), which tells the code. */
	smp_store_release(&rm->rdv->state, UET_RXRDV_OVER);
	list_del_init(&rm->rdv->link);
	us->nr_rdvs--;
	/* One that is kept joins the unexpected ones when it is read. */
	if (!rm->rdv->is_kept)
		uet_match_del_msg(&us->match, &rm->um);
}

/* What a READ that failed means to the sender of the message. */
static u8 rxrdv_rc(const struct uet_ses_tx *tx)
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

/* Nothing is read any more: the message ends for its receiver, then its sender. */
static void rxrdv_finish(struct uet_rxmsg *rm, int err, u8 rc)
{
	struct uet_sock *us = rm->us;
	bool is_ours;

	spin_lock_bh(&us->rx_lock);
	is_ours = rm->rdv->state == UET_RXRDV_READING;
	if (is_ours)
		rxrdv_set_over(rm, rc);
	spin_unlock_bh(&us->rx_lock);
	if (!is_ours)
		return;
	if (err)
		uet_rxmsg_fail(rm, err);
	else if (rm->is_direct)
		uet_rxmsg_placed(rm);
	uet_mib_inc(rm->rdv->kpdc->fep->un,
		    err ? UET_MIB_MSG_LOST : UET_MIB_MSG_RECEIVED);
	rxrdv_tell(rm, rc, err ? 0 : rm->rdv->end);
	uet_rxmsg_put(rm);
}

/* ------------------------------------------------------------------- reading */

/* Where reading begins. */
static u32 rxrdv_from(const struct uet_rxmsg *rm)
{
	return rm->rdv->is_read_whole ? 0 : rm->ses.req.x.rdv.eager_length;
}

/* Return: the READ, with a reference to @rm; NULL without memory. */
static struct uet_txmsg *rxrdv_make_read(struct uet_rxmsg *rm)
{
	struct uet_txmsg *tm = uet_txmsg_alloc(rm->us, 0);
	u32 from = rxrdv_from(rm);

	if (!tm)
		return NULL;
	tm->ses.to = rm->us->addr;
	uet_ses_rdv_read(&tm->ses, &rm->ses.req, from, rm->rdv->end);
	if (rm->is_direct) {
		tm->local = rm->recv->place;
		tm->local.offset += from;
	}
	uet_rxmsg_get(rm);
	tm->rdv = rm;
	return tm;
}

/* Return: 0; -ENETDOWN: it will never be; else a reason to try again later. */
static int rxrdv_read(struct uet_rxmsg *rm)
{
	struct uet_fep *fep = rm->rdv->kpdc->fep;
	struct uet_peer_key key;
	struct uet_kpdc *kpdc;
	struct uet_txmsg *tm;
	int err;

	memset(&key, 0, sizeof(key));
	key.peer = rm->from;
	key.job = rm->ses.req.job;
	key.rel = true;
	key.mode = UET_PDC_RUD;
	kpdc = uet_kpdc_get_initiator(fep, &key, GFP_KERNEL_ACCOUNT);
	if (IS_ERR(kpdc))
		return PTR_ERR(kpdc);
	tm = rxrdv_make_read(rm);
	err = tm ? uet_kpdc_send(kpdc, tm) : -ENOMEM;
	uet_kpdc_put(kpdc);
	if (!err)
		uet_mib_inc(fep->un, UET_MIB_RX_RDV);
	if (!err || !tm)
		return err;
	uet_rxmsg_put(tm->rdv);
	uet_txmsg_put(tm);
	return err;
}

/* Try again after a while, unless it is over by then. */
static void rxrdv_read_later(struct uet_rxmsg *rm)
{
	struct uet_sock *us = rm->us;
	bool is_queued = false;

	uet_rxmsg_get(rm);
	spin_lock_bh(&us->rx_lock);
	if (rm->rdv->state == UET_RXRDV_READING)
		is_queued = uet_defer_queue(&rm->rdv->work, UET_DEFER_RETRY_NS);
	spin_unlock_bh(&us->rx_lock);
	if (!is_queued)
		uet_rxmsg_put(rm);
}

/* How much is wanted; of a message that is cut, less than there is. */
static u32 rxrdv_wanted(const struct uet_rxmsg *rm)
{
	return rm->is_direct ? min_t(u64, rm->length, rm->recv->length) :
			       rm->length;
}

static void rxrdv_start(struct uet_rxmsg *rm)
{
	struct uet_rxrdv *d = rm->rdv;
	int err;

	if (!d->until) {
		d->until = ktime_get_ns() + uet_defer_patience(d->kpdc->fep);
		d->end = rxrdv_wanted(rm);
	}
	if (d->end <= rxrdv_from(rm)) {
		rxrdv_finish(rm, 0, UET_RC_OK);
		return;
	}
	err = rxrdv_read(rm);
	if (err == -ENETDOWN || (err && ktime_get_ns() >= d->until))
		rxrdv_finish(rm, err, UET_RC_UNCOR_TRNSNT);
	else if (err)
		rxrdv_read_later(rm);
}

static void rxrdv_work(struct work_struct *work)
{
	struct uet_rxrdv *d = container_of(to_delayed_work(work),
					   struct uet_rxrdv, work);
	struct uet_rxmsg *rm = d->rm;

	/* Pairs with the release in rxrdv_set_over(); who closes the socket waits
	 * for this to return.
	 */
	if (smp_load_acquire(&d->state) == UET_RXRDV_READING)
		rxrdv_start(rm);
	else
		rxrdv_tell(rm, d->rc, 0);
	uet_rxmsg_put(rm);
}

/* Nothing was queued before. */
static void rxrdv_queue(struct uet_rxmsg *rm)
{
	lockdep_assert_held(&rm->us->rx_lock);
	uet_rxmsg_get(rm);
	uet_defer_queue(&rm->rdv->work, 0);
}

static void rxrdv_set_reading(struct uet_rxmsg *rm)
{
	WRITE_ONCE(rm->rdv->state, UET_RXRDV_READING);
	rxrdv_queue(rm);
}

/**
 * uet_rxrdv_put() - data of a message that is read into the receive buffer has come
 * @tm: the READ
 * @rx: packet, from the data on; kept
 * @offset: of the data in the READ
 * @len: bytes
 *
 * Context: Softirq; the lock of the PDC is held.
 * Return: false if it is to go to memory instead: nothing was done.
 */
bool uet_rxrdv_put(struct uet_txmsg *tm, struct uet_rx *rx, u32 offset, u32 len)
{
	struct uet_ses_seg *seg = &uet_skb_cb(rx->skb)->seg;
	struct uet_rxmsg *rm = tm->rdv;
	LIST_HEAD(segs);

	if (!rm || rm->is_direct)
		return false;
	memset(seg, 0, sizeof(*seg));
	seg->offset = rxrdv_from(rm) + offset;
	seg->len = len;
	list_add(&seg->link, &segs);
	uet_rx_keep(rx);
	uet_rxmsg_deliver(rm, &segs);
	return true;
}

/**
 * uet_rxrdv_read_done() - the READ of a message has ended
 * @tm: the READ, done; the reference of its PDC is dropped
 *
 * Context: Any, no PDC lock held.
 */
void uet_rxrdv_read_done(struct uet_txmsg *tm)
{
	struct uet_rxmsg *rm = tm->rdv;

	/* Nobody else writes it; its receive has not ended. */
	rm->rdv->read_rc = tm->ses.rc == UET_RC_OK ? UET_RC_NULL : tm->ses.rc;
	rxrdv_finish(rm, uet_ses_errno(&tm->ses), rxrdv_rc(&tm->ses));
	uet_rxmsg_put(rm);
	uet_txmsg_put(tm);
}

/* ----------------------------------------------------------- its first packets */

static struct uet_back *rxrdv_make_back(struct uet_sock *us)
{
	struct uet_back *back = kzalloc(sizeof(*back), GFP_ATOMIC | __GFP_NOWARN);

	if (!back)
		return NULL;
	sock_hold(&us->sk);
	back->us = us;
	return back;
}

/* Return: false without memory. */
static bool rxrdv_make(struct uet_rxmsg *rm, const struct uet_ses_req *req,
		       struct uet_kpdc *kpdc, bool is_kept)
{
	struct uet_rxrdv *d = kzalloc(sizeof(*d), GFP_ATOMIC | __GFP_NOWARN);

	if (!d)
		return false;
	d->back = rxrdv_make_back(rm->us);
	if (!d->back) {
		kfree(d);
		return false;
	}
	d->rm = rm;
	d->is_kept = is_kept;
	INIT_LIST_HEAD(&d->link);
	INIT_LIST_HEAD(&d->on_pdc);
	INIT_DELAYED_WORK(&d->work, rxrdv_work);
	/* It is locked and alive, so that the tables have a reference. */
	refcount_inc(&kpdc->refs);
	d->kpdc = kpdc;
	rm->rdv = d;
	rm->ses.req = *req;
	rm->length = req->request_length;
	rm->window = rm->length;
	uet_match_env(req, &rm->um.env);
	return true;
}

/* A receive takes it now, or it joins the unexpected messages. */
static enum uet_rxrdv_how rxrdv_settle(struct uet_sock *us, struct uet_rxmsg *rm)
{
	struct uet_rxrdv *d = rm->rdv;

	lockdep_assert_held(&us->rx_lock);
	if (!uet_sock_is_receiving(us))
		return UET_RXRDV_LATER;
	if (!d->is_kept) {
		rm->is_direct = true;
		rm->recv = uet_recv_take(us, &rm->um.env);
		d->is_read_whole = !rm->recv;
	}
	if (d->is_read_whole) {
		if (us->nr_rdvs >= UET_RENDEZVOUS_LIMIT)
			return UET_RXRDV_FULL;
		uet_match_add_msg(&us->match, &rm->um);
		uet_mib_inc(us->fep->un, UET_MIB_RX_RDV_WAITED);
	}
	uet_rxmsg_get(rm);
	list_add_tail(&d->link, &us->rdvs);
	us->nr_rdvs++;
	us->has_rdvs = true;
	return UET_RXRDV_TAKE;
}

/**
 * uet_rxrdv_admit() - the first packet of a rendezvous message has come
 * @us: receiving endpoint
 * @req: its request header
 * @from: fabric address of its sender
 * @kpdc: PDC it came on
 * @turn: where the packet stands among those of its PDC
 * @rm: result with UET_RXRDV_TAKE: the message with one reference, for
 *	uet_ses_rx_start(); its receive may be too short for it
 *
 * Context: Softirq, rcu_read_lock() and the lock of @kpdc held.
 * Return: enum uet_rxrdv_how.
 */
enum uet_rxrdv_how uet_rxrdv_admit(struct uet_sock *us,
				   const struct uet_ses_req *req,
				   const struct uet_fa *from,
				   struct uet_kpdc *kpdc, enum uet_turn turn,
				   struct uet_rxmsg **rm)
{
	bool is_kept = !uet_recv_is_used(us);
	enum uet_rxrdv_how how = UET_RXRDV_LATER;

	lockdep_assert_held(&kpdc->lock);
	if (is_kept && uet_rxmsg_would_stream(us, req->request_length))
		return UET_RXRDV_LONG;
	*rm = is_kept ? uet_rxmsg_admit(us, req, from, turn) :
			uet_rxmsg_admit_rma(us, from);
	if (!*rm)
		return UET_RXRDV_LATER;
	if (rxrdv_make(*rm, req, kpdc, is_kept)) {
		spin_lock_bh(&us->rx_lock);
		how = rxrdv_settle(us, *rm);
		spin_unlock_bh(&us->rx_lock);
	}
	if (how != UET_RXRDV_TAKE) {
		uet_rxmsg_put(*rm);
		return how;
	}
	uet_rxmsg_get(*rm);
	list_add_tail(&(*rm)->rdv->on_pdc, &kpdc->rdvs);
	return UET_RXRDV_TAKE;
}

/**
 * uet_rxrdv_failed() - the answer to a packet has told how a message ended
 * @rm: message; of any kind
 *
 * Context: Softirq, lock of its PDC held, and a reference.
 */
void uet_rxrdv_failed(struct uet_rxmsg *rm)
{
	if (!rm->rdv || list_empty(&rm->rdv->on_pdc))
		return;
	list_del_init(&rm->rdv->on_pdc);
	uet_rxmsg_put(rm);
}

/**
 * uet_rxrdv_pushed() - all packets of a message have come
 * @rm: message, referenced
 *
 * Context: Softirq; the lock of its PDC is held in ROD only.
 */
void uet_rxrdv_pushed(struct uet_rxmsg *rm)
{
	struct uet_sock *us = rm->us;
	bool is_over = false;

	spin_lock_bh(&us->rx_lock);
	if (rm->rdv->state == UET_RXRDV_EAGER) {
		if (rm->rdv->is_kept || rm->recv) {
			rxrdv_set_reading(rm);
		} else if (uet_sock_is_receiving(us)) {
			rm->rdv->state = UET_RXRDV_WAITING;
		} else {
			is_over = true;
			rxrdv_set_over(rm, UET_RC_BAD_INDEX);
			rxrdv_queue(rm);
		}
	}
	spin_unlock_bh(&us->rx_lock);
	if (is_over)
		uet_rxmsg_put(rm);
}

/**
 * uet_rxrdv_claim() - a receive that was posted has taken a message that had none
 * @rm: message, out of the unexpected ones, with its receive
 *
 * Context: rx_lock held.
 */
void uet_rxrdv_claim(struct uet_rxmsg *rm)
{
	lockdep_assert_held(&rm->us->rx_lock);
	if (rm->rdv->state == UET_RXRDV_WAITING)
		rxrdv_set_reading(rm);
}

/* ---------------------------------------------------------------------- the end */

/**
 * uet_rxrdv_end() - a message has failed before it could be read
 * @rm: message, of any kind, referenced
 *
 * Context: Any; in ROD the lock of its PDC may be held.
 */
void uet_rxrdv_end(struct uet_rxmsg *rm)
{
	bool is_ours;

	if (!rm->rdv)
		return;
	spin_lock_bh(&rm->us->rx_lock);
	is_ours = rm->rdv->state == UET_RXRDV_EAGER;
	if (is_ours)
		rxrdv_set_over(rm, UET_RC_NULL);
	spin_unlock_bh(&rm->us->rx_lock);
	if (is_ours)
		uet_rxmsg_put(rm);
}

/* Who waits for a receive will not be told. */
static void rxrdv_lose(struct uet_rxmsg *rm)
{
	bool is_ours;

	spin_lock_bh(&rm->us->rx_lock);
	is_ours = rm->rdv->state == UET_RXRDV_WAITING;
	if (is_ours)
		rxrdv_set_over(rm, UET_RC_NULL);
	spin_unlock_bh(&rm->us->rx_lock);
	if (is_ours)
		uet_rxmsg_put(rm);
}

/**
 * uet_rxrdv_lose_all() - the PDC that messages came on has died
 * @rdvs: those of which the sender was not told, uet_rxrdv.on_pdc; empty afterwards
 *
 * What is being read goes on: its receive has begun.
 *
 * Context: Any, no PDC lock held.
 */
void uet_rxrdv_lose_all(struct list_head *rdvs)
{
	struct uet_rxrdv *d, *next;

	list_for_each_entry_safe(d, next, rdvs, on_pdc) {
		list_del_init(&d->on_pdc);
		rxrdv_lose(d->rm);
		uet_rxmsg_put(d->rm);
	}
}

/**
 * uet_rxrdv_free() - nobody has a message any more
 * @rm: message without references, of any kind, before it is freed
 *
 * Context: Any.
 */
void uet_rxrdv_free(struct uet_rxmsg *rm)
{
	struct uet_rxrdv *d = rm->rdv;

	if (!d)
		return;
	if (d->back)
		uet_back_free(d->back);
	uet_kpdc_put(d->kpdc);
	kfree(d);
}

/*
 * A message that is over now, with the reference of the list; or NULL.  Of a socket
 * that is not closed, only one that waits for a receive.
 */
static struct uet_rxmsg *rxrdv_drop_first(struct uet_sock *us)
{
	struct uet_rxmsg *rm = NULL;
	struct uet_rxrdv *d;
	bool is_waiting;

	spin_lock_bh(&us->rx_lock);
	list_for_each_entry(d, &us->rdvs, link) {
		is_waiting = d->state == UET_RXRDV_WAITING;
		if (!is_waiting && !us->rx_closed)
			continue;
		rm = d->rm;
		rxrdv_set_over(rm, is_waiting ? UET_RC_BAD_INDEX :
						UET_RC_CANCELLED);
		break;
	}
	spin_unlock_bh(&us->rx_lock);
	return rm;
}

/**
 * uet_rxrdv_drop_all() - no messages are taken any more
 * @us: socket, bound, shut down for reading, so that no more are begun
 *
 * Those that wait for a receive are refused; of a socket that is being closed, also
 * those that are being read.
 *
 * Context: Process, sleeps.
 */
void uet_rxrdv_drop_all(struct uet_sock *us)
{
	struct uet_rxmsg *rm;

	while ((rm = rxrdv_drop_first(us))) {
		if (cancel_delayed_work_sync(&rm->rdv->work))
			uet_rxmsg_put(rm);
		rxrdv_tell(rm, rm->rdv->rc, 0);
		uet_rxmsg_put(rm);
		cond_resched();
	}
	/* Work of a message that has ended meanwhile may still use the FEP. */
	if (us->has_rdvs)
		uet_defer_flush();
}
