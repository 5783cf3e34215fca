// SPDX-License-Identifier: GPL-2.0
/*
 * The run loop of RUDI requests to a peer: what the core owes, and the messages
 * of sockets that are cut into requests, is collected under the lock; packets
 * are sent and users are called without it.
 * Spec: UE 1.0.1 3.5.10.9; the run loop of core/rudi.h.  Level: shell.
 */
#include "base/compat.h"
#include "krudi.h"
#include "message/msg.h"
#include "fabric/net.h"
#include "tx.h"

/* Packets built under the lock at a time, and how often in a row. */
#define KRUDI_PACKETS	64
#define KRUDI_ROUNDS	8

/**
 * struct krudi_round - what one round collects under the lock
 * @skbs: packets to send
 * @done: requests with an outcome, uet_krudi_req.link
 * @msgs: messages that have ended, uet_ses_tx.link
 * @is_more: the budget ended before the debts did
 */
struct krudi_round {
	struct sk_buff_head skbs;
	struct list_head done;
	struct list_head msgs;
	bool is_more;
};

/**
 * uet_krudi_lock() - begin to use an object
 * @krudi: object; the caller has a reference, or is under RCU
 *
 * Context: Any but hard interrupt; BH disabled until it is unlocked.
 */
void uet_krudi_lock(struct uet_krudi *krudi)
	__acquires(RCU) __acquires(&krudi->lock)
{
	rcu_read_lock();
	spin_lock_bh(&krudi->lock);
}

/**
 * uet_krudi_unlock() - end to use an object to which nothing new came
 * @krudi: object
 *
 * Context: After uet_krudi_lock().
 */
void uet_krudi_unlock(struct uet_krudi *krudi)
	__releases(&krudi->lock) __releases(RCU)
{
	spin_unlock_bh(&krudi->lock);
	rcu_read_unlock();
}

static void krudi_note_up(struct uet_krudi_req *req,
			  const struct uet_rudi_up *up,
			  struct krudi_round *round)
{
	req->up = *up;
	req->ses.error = up->error;
	req->ses.nack_code = up->nack_code;
	req->ses.rc = up->rsp.rc;
	list_add_tail(&req->link, &round->done);
}

static void krudi_reap(struct uet_krudi *krudi, struct krudi_round *round)
{
	struct uet_krudi_req *req;
	struct uet_ses_tx *tx;
	struct uet_rudi_up up;

	while (uet_rudi_poll_up(krudi->rudi, &up)) {
		req = uet_krudi_req_of(&up.pkt);
		if (req)
			krudi_note_up(req, &up, round);
		else
			uet_ses_note_rudi(&krudi->ses, &up);
	}
	if (krudi->dead)
		uet_ses_fail(&krudi->ses, UET_PDC_ERR_ABORT, &round->msgs);
	else
		uet_ses_pump_rudi(&krudi->ses, krudi->rudi);
	uet_ses_take_done(&krudi->ses, &round->msgs);
	list_for_each_entry(tx, &round->msgs, link)
		uet_txmsg_set_done(container_of(tx, struct uet_txmsg, ses));
}

/*
 * The rail of a packet follows from its entropy value, so one that is wanted is
 * made by choosing that; what happens to rails until the packet is sent is missed.
 */
static int krudi_steer(struct uet_krudi *krudi, int rail,
		       struct uet_pdc_tx *tx)
{
	unsigned long avoid = uet_path_avoid(&krudi->path);
	int slot = uet_fep_pick_slot(krudi->fep, tx->ev, avoid), i;

	for (i = 0; rail >= 0 && slot != rail && i < UET_FEP_RAILS_MAX; i++) {
		/* 0 is no entropy value. */
		tx->ev = tx->ev == U16_MAX ? 1 : tx->ev + 1;
		slot = uet_fep_pick_slot(krudi->fep, tx->ev, avoid);
	}
	return slot;
}

static void krudi_note_sent(struct uet_krudi *krudi, struct uet_pdc_tx *tx,
			    u64 now)
{
	struct uet_krudi_req *req = uet_krudi_req_of(&tx->pkt);

	if (!req)
		return;
	req->slot = krudi_steer(krudi, req->rail, tx);
	if (tx->is_retx)
		req->retx++;
	else
		req->sent_ns = now;
}

static void krudi_build(struct uet_krudi *krudi, struct krudi_round *round,
			u64 now)
{
	struct uet_pdc_tx tx;
	struct sk_buff *skb;
	int budget = KRUDI_PACKETS;

	while (uet_rudi_poll_tx(krudi->rudi, &tx, now)) {
		krudi_note_sent(krudi, &tx, now);
		skb = uet_tx_build(krudi->fep, &tx);
		if (skb)
			__skb_queue_tail(&round->skbs, skb);
		/* Without memory it is a lost packet: it is sent again. */
		if (!--budget) {
			round->is_more = true;
			return;
		}
	}
}

/* Add what the core has counted since the last time to the namespace. */
static void krudi_count(struct uet_krudi *krudi)
{
	struct uet_rudi_stats *seen = &krudi->stats_seen;
	struct uet_net *un = krudi->fep->un;
	struct uet_rudi_info info;

	uet_rudi_get_info(krudi->rudi, &info);
	if (info.stats.tx_req != seen->tx_req)
		uet_mib_add(un, UET_MIB_RUDI_REQ,
			    info.stats.tx_req - seen->tx_req);
	if (info.stats.tx_retx != seen->tx_retx)
		uet_mib_add(un, UET_MIB_RUDI_RETX,
			    info.stats.tx_retx - seen->tx_retx);
	if (info.stats.rx_nack != seen->rx_nack)
		uet_mib_add(un, UET_MIB_RUDI_NACK,
			    info.stats.rx_nack - seen->rx_nack);
	*seen = info.stats;
}

static void krudi_collect(struct uet_krudi *krudi, struct krudi_round *round)
	__must_hold(&krudi->lock)
{
	u64 now = ktime_get_ns();

	lockdep_assert_held(&krudi->lock);
	if (uet_rudi_deadline(krudi->rudi) <= now)
		uet_rudi_tick(krudi->rudi, now);
	krudi_reap(krudi, round);
	krudi_build(krudi, round, now);
	krudi_count(krudi);
	if (!uet_rudi_is_idle(krudi->rudi) || !uet_ses_is_idle(&krudi->ses) ||
	    !list_empty(&round->done) || !list_empty(&round->msgs))
		krudi->busy_ns = now;
	else if (now - krudi->busy_ns >= UET_KRUDI_IDLE_NS)
		uet_krudi_die(krudi);
}

static void krudi_finish_msgs(struct uet_krudi *krudi,
			      struct krudi_round *round)
{
	struct uet_ses_tx *tx, *next;

	list_for_each_entry_safe(tx, next, &round->msgs, link) {
		list_del_init(&tx->link);
		uet_mib_inc(krudi->fep->un, uet_ses_errno(tx) ?
			    UET_MIB_MSG_FAILED : UET_MIB_MSG_SENT);
		uet_txmsg_finish(container_of(tx, struct uet_txmsg, ses));
	}
}

static void krudi_finish(struct uet_krudi *krudi, struct krudi_round *round)
{
	struct uet_krudi_req *req, *next;

	krudi_finish_msgs(krudi, round);
	list_for_each_entry_safe(req, next, &round->done, link) {
		list_del_init(&req->link);
		uet_mib_inc(krudi->fep->un, req->up.kind == UET_UP_ACKED ?
			    UET_MIB_RUDI_ANSWERED : UET_MIB_RUDI_FAILED);
		req->done(req, &req->up);
	}
}

/* Collect under the lock, act after it. Return: there is more to do now. */
static bool krudi_round(struct uet_krudi *krudi)
	__must_hold(&krudi->lock)
{
	struct krudi_round round = {
		.done = LIST_HEAD_INIT(round.done),
		.msgs = LIST_HEAD_INIT(round.msgs),
	};

	__skb_queue_head_init(&round.skbs);
	krudi_collect(krudi, &round);

	spin_unlock(&krudi->lock);
	uet_tx_send(krudi->fep, &krudi->peer, &krudi->path, &round.skbs);
	krudi_finish(krudi, &round);
	spin_lock(&krudi->lock);
	return round.is_more;
}

/* As with a PDC, the timer is moved only to fire earlier. */
static void krudi_arm(struct uet_krudi *krudi, bool is_more)
	__must_hold(&krudi->lock)
{
	u64 when;

	if (krudi->dead)
		return;
	if (is_more)
		when = ktime_get_ns();
	else if (uet_rudi_is_idle(krudi->rudi))
		when = krudi->busy_ns + UET_KRUDI_IDLE_NS;
	else
		when = uet_rudi_deadline(krudi->rudi);
	if (when >= krudi->armed_ns)
		return;
	krudi->armed_ns = when;
	hrtimer_start(&krudi->timer, ns_to_ktime(when), HRTIMER_MODE_ABS_SOFT);
}

/**
 * uet_krudi_run_unlock() - end to use an object and do all that is owed now
 * @krudi: object
 *
 * As uet_kpdc_run_unlock() does: one at a time, a bounded amount, the rest by
 * the timer, at once.
 *
 * Context: After uet_krudi_lock(); sends packets, calls users and sockets.
 */
void uet_krudi_run_unlock(struct uet_krudi *krudi)
	__releases(&krudi->lock) __releases(RCU)
{
	int rounds = KRUDI_ROUNDS;
	bool is_more;

	lockdep_assert_held(&krudi->lock);
	if (krudi->running) {
		krudi->rerun = true;
		uet_krudi_unlock(krudi);
		return;
	}
	krudi->running = true;
	do {
		krudi->rerun = false;
		is_more = krudi_round(krudi) || krudi->rerun;
	} while (is_more && --rounds);
	krudi->running = false;
	krudi_arm(krudi, is_more);
	uet_krudi_unlock(krudi);
}

/**
 * uet_krudi_timer() - something is due
 * @timer: of an object
 *
 * Context: Softirq.
 * Return: HRTIMER_NORESTART.
 */
enum hrtimer_restart uet_krudi_timer(struct hrtimer *timer)
{
	struct uet_krudi *krudi = container_of(timer, struct uet_krudi, timer);

	uet_krudi_lock(krudi);
	krudi->armed_ns = UET_NEVER;
	uet_krudi_run_unlock(krudi);
	return HRTIMER_NORESTART;
}
