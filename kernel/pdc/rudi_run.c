// SPDX-License-Identifier: GPL-2.0
/*
 * The run loop of RUDI requests to a peer: collects the core's pending packets,
 * and the messages of sockets that are cut into requests, under the lock. Sends
 * packets and calls users without the lock.
 * Spec: UE 1.0.1 3.5.10.9; the run loop of core/pds/rudi.h.
 */
#include "base/base.h"
#include "fabric/fabric.h"
#include "message/message.h"
#include "rudi_entry.h"
#include "tx.h"

/*
 * Maximum number of packets that a round builds under the lock: bounds the time
 * that the lock is held.
 */
#define RUN_PACKETS_MAX	64

/*
 * Maximum number of rounds in a row, with BH disabled. The timer, which is armed
 * to expire immediately, runs the next ones.
 */
#define RUN_ROUNDS_MAX	8

/**
 * struct rudi_round - results of one round, collected under the lock
 * @packets: packets to send
 * @ended_reqs: requests with an outcome, uet_rudi_user_req.link
 * @ended_tx: outgoing messages that have ended, uet_ses_tx.link
 * @is_more: the round did its maximum of work; more may be pending
 */
struct rudi_round {
	struct sk_buff_head packets;
	struct list_head ended_reqs;
	struct list_head ended_tx;
	bool is_more;
};

/*
 * Lock an object.
 * @re: object; the caller has a reference, or is under RCU
 *
 * Context: Any but hard interrupt; BH disabled until it is unlocked.
 */
void uet_rudi_entry_lock(struct uet_rudi_entry *re)
	__acquires(RCU) __acquires(&re->lock)
{
	rcu_read_lock();
	spin_lock_bh(&re->lock);
}

/*
 * Unlock an object without new work.
 * Context: After uet_rudi_entry_lock().
 */
void uet_rudi_entry_unlock(struct uet_rudi_entry *re)
	__releases(&re->lock) __releases(RCU)
{
	spin_unlock_bh(&re->lock);
	rcu_read_unlock();
}

static void re_note_end(struct uet_rudi_user_req *req,
			const struct uet_rudi_up *up,
			struct rudi_round *round)
{
	req->up = *up;
	req->ses.error = up->error;
	req->ses.nack_code = up->nack_code;
	req->ses.rc = up->rsp.rc;
	list_add_tail(&req->link, &round->ended_reqs);
}

static void re_collect_ended(struct uet_rudi_entry *re,
			     struct rudi_round *round)
{
	struct uet_rudi_user_req *req;
	struct uet_ses_tx *tx;
	struct uet_rudi_up up;

	while (uet_rudi_poll_up(re->rudi, &up)) {
		req = uet_rudi_user_req_of(&up.pkt);
		if (req)
			re_note_end(req, &up, round);
		else
			uet_ses_note_rudi(&re->ses, &up);
	}
	if (re->dead)
		round->is_more = !uet_ses_fail(&re->ses, UET_PDC_ERR_ABORT, &round->ended_tx);
	else
		uet_ses_pump_rudi(&re->ses, re->rudi);
	uet_ses_take_done(&re->ses, &round->ended_tx);
	list_for_each_entry(tx, &round->ended_tx, link)
		uet_tx_message_set_done(
			container_of(tx, struct uet_tx_message, ses));
}

/*
 * The entropy value of a packet selects the rail, so a requested rail is
 * reached by choosing the value. Changes of the rails before the packet is sent
 * are not considered.
 */
static int re_choose_rail(struct uet_rudi_entry *re, int rail,
			  struct uet_pdc_tx *tx)
{
	unsigned long avoid = uet_path_avoid(&re->path);
	int slot = uet_fep_pick_slot(re->fep, tx->ev, avoid), i;

	for (i = 0; rail >= 0 && slot != rail && i < UET_EV_LANES; i++) {
		tx->ev += UET_EV_LANE_STEP;
		/* 0 is not a valid entropy value. */
		tx->ev += !tx->ev;
		slot = uet_fep_pick_slot(re->fep, tx->ev, avoid);
	}
	return slot;
}

static void re_note_sent(struct uet_rudi_entry *re, struct uet_pdc_tx *tx,
			 u64 now)
{
	struct uet_rudi_user_req *req = uet_rudi_user_req_of(&tx->pkt);

	if (!req)
		return;
	req->slot = re_choose_rail(re, req->rail, tx);
	if (tx->is_retx)
		req->retx++;
	else
		req->sent_ns = now;
}

static void re_build(struct uet_rudi_entry *re, struct rudi_round *round,
		     u64 now)
{
	struct uet_pdc_tx tx;
	struct sk_buff *skb;
	int budget = RUN_PACKETS_MAX;

	while (uet_rudi_poll_tx(re->rudi, &tx, now)) {
		re_note_sent(re, &tx, now);
		skb = uet_tx_build(re->fep, &tx);
		if (skb)
			__skb_queue_tail(&round->packets, skb);
		/*
		 * Lack of memory counts as a lost packet, which is
		 * retransmitted.
		 */
		if (!--budget) {
			round->is_more = true;
			return;
		}
	}
}

/* Add the core's statistics since the last call to the namespace. */
static void re_count(struct uet_rudi_entry *re)
{
	struct uet_rudi_stats *seen = &re->stats_seen;
	struct uet_net *un = re->fep->un;
	struct uet_rudi_info info;

	uet_rudi_get_info(re->rudi, &info);
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

static void re_collect(struct uet_rudi_entry *re, struct rudi_round *round)
	__must_hold(&re->lock)
{
	u64 now = uet_now_ns();

	lockdep_assert_held(&re->lock);
	if (uet_rudi_deadline(re->rudi) <= now)
		uet_rudi_tick(re->rudi, now);
	re_collect_ended(re, round);
	re_build(re, round, now);
	re_count(re);
	if (!uet_rudi_is_idle(re->rudi) || !uet_ses_is_idle(&re->ses) ||
	    !list_empty(&round->ended_reqs) || !list_empty(&round->ended_tx))
		re->busy_ns = now;
	else if (uet_ns_since(now, re->busy_ns) >= UET_RUDI_ENTRY_IDLE_NS)
		uet_rudi_entry_end(re);
	if (re->dead && !round->is_more && !re->is_over) {
		re->is_over = true;
		uet_rudi_entry_put(re);
	}
}

static void re_count_for(struct uet_traffic *traffic, const struct uet_ses_tx *tx)
{
	if (uet_ses_errno(tx))
		uet_traffic_add(traffic, UET_TRAFFIC_FAILED_MESSAGES, 1);
	else
		uet_traffic_sent(traffic,
				 tx->opcode == UET_OP_READ ? 0 : tx->length);
}

/* Count a message that has ended; its job may have gone with its socket. */
static void re_count_tx(struct uet_rudi_entry *re, const struct uet_tx_message *tm)
{
	const struct uet_ses_tx *tx = &tm->ses;
	struct uet_net *un = re->fep->un;
	struct uet_job *job;

	uet_mib_inc(un, uet_ses_errno(tx) ? UET_MIB_MSG_FAILED :
					    UET_MIB_MSG_SENT);
	re_count_for(&re->fep->traffic, tx);
	rcu_read_lock();
	job = uet_job_find(un, tm->us->addr.job);
	if (job)
		re_count_for(&job->traffic, tx);
	rcu_read_unlock();
}

static void re_report_tx(struct uet_rudi_entry *re,
			 struct rudi_round *round)
{
	struct uet_ses_tx *tx, *next;
	struct uet_tx_message *tm;

	list_for_each_entry_safe(tx, next, &round->ended_tx, link) {
		list_del_init(&tx->link);
		tm = container_of(tx, struct uet_tx_message, ses);
		re_count_tx(re, tm);
		uet_tx_message_finish(tm);
	}
}

static void re_report_reqs(struct uet_rudi_entry *re, struct rudi_round *round)
{
	struct uet_rudi_user_req *req, *next;

	list_for_each_entry_safe(req, next, &round->ended_reqs, link) {
		list_del_init(&req->link);
		uet_mib_inc(re->fep->un, req->up.kind == UET_UP_ACKED ?
			    UET_MIB_RUDI_ANSWERED : UET_MIB_RUDI_FAILED);
		req->done(req, &req->up);
	}
}

/* The second half of a round: send and report the results, without the lock. */
static void re_report(struct uet_rudi_entry *re, struct rudi_round *round)
{
	uet_tx_send(re->fep, &re->peer, &re->path, &round->packets,
		    U32_MAX);
	re_report_tx(re, round);
	re_report_reqs(re, round);
}

/* Return: true if packets may still be pending. */
static bool re_round(struct uet_rudi_entry *re)
	__must_hold(&re->lock)
{
	struct rudi_round round = {
		.ended_reqs = LIST_HEAD_INIT(round.ended_reqs),
		.ended_tx = LIST_HEAD_INIT(round.ended_tx),
	};

	__skb_queue_head_init(&round.packets);
	re_collect(re, &round);
	/* BH stays disabled until the run loop ends. */
	spin_unlock(&re->lock);
	re_report(re, &round);
	spin_lock(&re->lock);
	return round.is_more;
}

/* As for a PDC, the timer is only moved to an earlier expiry. */
static void re_arm(struct uet_rudi_entry *re, bool is_more)
	__must_hold(&re->lock)
{
	u64 when;

	if (re->dead)
		return;
	if (is_more)
		when = uet_now_ns();
	else if (uet_rudi_is_idle(re->rudi))
		when = re->busy_ns + UET_RUDI_ENTRY_IDLE_NS;
	else
		when = uet_rudi_deadline(re->rudi);
	if (when >= re->armed_ns)
		return;
	re->armed_ns = when;
	uet_timer_start(&re->timer, when);
}

/* One round.  Return: whether another one must follow. */
static bool re_run_once(struct uet_rudi_entry *re)
	__must_hold(&re->lock)
{
	re->run_state = UET_RUN_RUNNING;
	return re_round(re) || re->run_state == UET_RUN_RERUN;
}

static void re_leave(struct uet_rudi_entry *re, bool is_more)
	__releases(&re->lock) __releases(RCU)
{
	re->run_state = UET_RUN_IDLE;
	re_arm(re, is_more);
	uet_rudi_entry_unlock(re);
}

/* uet_rudi_entry.end_work: softirqs and other threads run between the rounds. */
static void re_end_work(struct work_struct *work)
{
	struct uet_rudi_entry *re = container_of(work, struct uet_rudi_entry, end_work);

	uet_rudi_entry_lock(re);
	while (re_run_once(re)) {
		uet_rudi_entry_unlock(re);
		cond_resched();
		uet_rudi_entry_lock(re);
	}
	re_leave(re, false);
}

/* An object that is over may have more messages than a caller should end. */
static void re_hand_over(struct uet_rudi_entry *re)
	__releases(&re->lock) __releases(RCU)
{
	INIT_WORK(&re->end_work, re_end_work);
	queue_work(uet_pdc_wq, &re->end_work);
	uet_rudi_entry_unlock(re);
}

/*
 * Unlock an object and send all pending packets.
 *
 * As uet_pdc_entry_run(): one CPU at a time, a limited amount of work,
 * the timer does the rest immediately, or a worker if the object is dead.
 *
 * Context: After uet_rudi_entry_lock(); sends packets, calls users and sockets.
 */
void uet_rudi_entry_run(struct uet_rudi_entry *re)
	__releases(&re->lock) __releases(RCU)
{
	int rounds = RUN_ROUNDS_MAX;
	bool is_more;

	lockdep_assert_held(&re->lock);
	if (re->run_state != UET_RUN_IDLE) {
		re->run_state = UET_RUN_RERUN;
		uet_rudi_entry_unlock(re);
		return;
	}
	do {
		is_more = re_run_once(re);
		if (is_more && re->dead && !re->is_over) {
			re_hand_over(re);
			return;
		}
	} while (uet_pds_runs_again(is_more, &rounds));
	re_leave(re, is_more);
}

/*
 * Timer callback: a deadline may have passed.
 * Context: Softirq.
 * Return: HRTIMER_NORESTART.
 */
enum hrtimer_restart uet_rudi_entry_timer(struct hrtimer *timer)
{
	struct uet_rudi_entry *re =
		container_of(timer, struct uet_rudi_entry, timer);

	uet_rudi_entry_lock(re);
	re->armed_ns = UET_NEVER;
	uet_rudi_entry_run(re);
	return HRTIMER_NORESTART;
}
