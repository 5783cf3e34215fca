// SPDX-License-Identifier: GPL-2.0
/*
 * RUDI requests of a FEP: one object per peer, with a lock, a timer and a run loop around the
 * core. The first request creates the object, and a time-out without requests removes it.
 * core/pds/rudi_req*.c has the protocol; the submitters fill in the requests.
 *
 * The run loop collects the core's pending packets, and the messages of sockets that are cut into
 * requests, under the lock. It sends packets and calls users without the lock.
 * Spec: UE 1.0.1 3.5.10.9; the run loop of core/pds/rudi.h.
 */
#include <linux/random.h>
#include <linux/slab.h>

#include "message/message.h"
#include "pdc.h"

/* Idle time-out of an object: keeps the route and round trip time of the peer. */
#define RUDI_IDLE_NS	(10 * NSEC_PER_SEC)

/*
 * Maximum number of packets that a round builds under the lock: bounds the time
 * that the lock is held.
 */
#define RUDI_PACKETS_MAX	64

/*
 * Maximum number of rounds in a row, with BH disabled. The timer, which is armed
 * to expire immediately, runs the next ones.
 */
#define RUDI_ROUNDS_MAX	8

/*
 * struct rudi_round - results of one round, collected under the lock
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

static const struct rhashtable_params re_params = {
	.key_len = sizeof(struct uet_fa),
	.key_offset = offsetof(struct uet_rudi_entry, peer),
	.head_offset = offsetof(struct uet_rudi_entry, node),
	.automatic_shrinking = true,
};

/* Tables of a FEP.  Return: 0 or -ENOMEM. */
int uet_rudi_table_init(struct uet_pdc_table *tab)
{
	int err = rhashtable_init(&tab->rudis, &re_params);

	if (err)
		return err;
	err = uet_shares_init(&tab->rudi_shares, UET_PDC_TABLE_RUDIS_MAX);
	if (err)
		rhashtable_destroy(&tab->rudis);
	return err;
}

void uet_rudi_table_fini(struct uet_pdc_table *tab)
{
	uet_shares_fini(&tab->rudi_shares);
	rhashtable_destroy(&tab->rudis);
}

/*
 * uet_rudi_entry_find() - find the object of a peer under RCU, possibly dead
 * Spec: UE 1.0.1 3.5.10.9: only the target of a request answers it.
 */
struct uet_rudi_entry *uet_rudi_entry_find(struct uet_pdc_table *tab, const struct uet_fa *peer)
{
	return rhashtable_lookup(&tab->rudis, peer, re_params);
}

static void re_lock(struct uet_rudi_entry *re)
	__acquires(RCU) __acquires(&re->lock)
{
	rcu_read_lock();
	spin_lock_bh(&re->lock);
}

static void re_unlock(struct uet_rudi_entry *re)
	__releases(&re->lock) __releases(RCU)
{
	spin_unlock_bh(&re->lock);
	rcu_read_unlock();
}

/* As pe_free_work(). */
static void re_free_work(struct work_struct *work)
{
	struct uet_rudi_entry *re = container_of(
		to_rcu_work(work), struct uet_rudi_entry, free_work);
	struct uet_fep *fep = re->fep;

	hrtimer_cancel(&re->timer);
	uet_path_fini(&re->path);
	kvfree(re);
	uet_fep_put(fep);
}

static void re_put(struct uet_rudi_entry *re)
{
	if (!refcount_dec_and_test(&re->refs))
		return;
	INIT_RCU_WORK(&re->free_work, re_free_work);
	queue_rcu_work(uet_pdc_wq, &re->free_work);
}

/*
 * Accept no more requests. The run loop, which follows or is the caller, drops the reference of
 * the table with the last message.
 */
static void re_end(struct uet_rudi_entry *re)
	__must_hold(&re->lock)
{
	lockdep_assert_held(&re->lock);
	re->dead = true;
	if (!re->listed)
		return;
	re->listed = false;
	rhashtable_remove_fast(&re->fep->pdcs->rudis, &re->node, re_params);
	uet_shares_give(&re->fep->pdcs->rudi_shares, &re->owner, 1);
}

/* ---------------------------------------------------------------------- the run loop */

static void re_collect_ended(struct uet_rudi_entry *re, struct rudi_round *round)
{
	struct uet_rudi_user_req *req;
	struct uet_ses_tx *tx;
	struct uet_rudi_up up;

	while (uet_rudi_poll_up(re->rudi, &up)) {
		req = uet_rudi_user_req_of(&up.pkt);
		if (!req) {
			uet_ses_note_rudi(&re->ses, &up);
			continue;
		}
		req->up = up;
		req->ses.error = up.error;
		req->ses.nack_code = up.nack_code;
		req->ses.rc = up.rsp.rc;
		list_add_tail(&req->link, &round->ended_reqs);
	}
	if (re->dead)
		round->is_more = !uet_ses_fail(&re->ses, UET_PDC_ERR_ABORT, &round->ended_tx);
	else
		uet_ses_pump_rudi(&re->ses, re->rudi);
	if (!uet_ses_take_done(&re->ses, &round->ended_tx))
		round->is_more = true;
	list_for_each_entry(tx, &round->ended_tx, link)
		uet_tx_message_set_done(container_of(tx, struct uet_tx_message, ses));
}

/*
 * The entropy value of a packet selects the rail, so a requested rail is reached by choosing
 * the value. Changes of the rails before the packet is sent are not considered.
 */
static int re_choose_rail(struct uet_rudi_entry *re, int rail, struct uet_pdc_tx *tx)
{
	unsigned long avoid = uet_path_avoid(&re->path);
	int slot = uet_fep_pick_slot(re->fep, tx->ev, avoid), i;

	for (i = 0; rail >= 0 && slot != rail && i < UET_EV_LANE_STEPS; i++) {
		tx->ev += UET_EV_LANE_STEP;
		/* 0 is not a valid entropy value. */
		tx->ev += !tx->ev;
		slot = uet_fep_pick_slot(re->fep, tx->ev, avoid);
	}
	return slot;
}

static void re_note_sent(struct uet_rudi_entry *re, struct uet_pdc_tx *tx, u64 now)
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

static void re_build(struct uet_rudi_entry *re, struct rudi_round *round, u64 now)
{
	struct uet_pdc_tx tx;
	struct sk_buff *skb;
	int budget = RUDI_PACKETS_MAX;

	while (uet_rudi_poll_tx(re->rudi, &tx, now)) {
		re_note_sent(re, &tx, now);
		skb = uet_tx_build(re->fep, &tx);
		if (skb)
			__skb_queue_tail(&round->packets, skb);
		/* Lack of memory counts as a lost packet, which is retransmitted. */
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
		uet_mib_add(un, UET_MIB_RUDI_REQ, info.stats.tx_req - seen->tx_req);
	if (info.stats.tx_retx != seen->tx_retx)
		uet_mib_add(un, UET_MIB_RUDI_RETX, info.stats.tx_retx - seen->tx_retx);
	if (info.stats.rx_nack != seen->rx_nack)
		uet_mib_add(un, UET_MIB_RUDI_NACK, info.stats.rx_nack - seen->rx_nack);
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
	else if (uet_ns_since(now, re->busy_ns) >= RUDI_IDLE_NS)
		re_end(re);
	if (re->dead && !round->is_more && !re->is_over) {
		re->is_over = true;
		re_put(re);
	}
}

static void re_count_for(struct uet_traffic *traffic, const struct uet_ses_tx *tx)
{
	if (uet_ses_errno(tx))
		uet_traffic_add(traffic, UET_TRAFFIC_FAILED_MESSAGES, 1);
	else
		uet_traffic_sent(traffic, tx->opcode == UET_OP_READ ? 0 : tx->length);
}

/* Count a message that has ended; its job may have gone with its socket. */
static void re_count_tx(struct uet_rudi_entry *re, const struct uet_tx_message *tm)
{
	const struct uet_ses_tx *tx = &tm->ses;
	struct uet_net *un = re->fep->un;
	struct uet_job *job;

	uet_mib_inc(un, uet_ses_errno(tx) ? UET_MIB_MSG_FAILED : UET_MIB_MSG_SENT);
	re_count_for(&re->fep->traffic, tx);
	rcu_read_lock();
	job = uet_job_find(un, tm->us->addr.job);
	if (job)
		re_count_for(&job->traffic, tx);
	rcu_read_unlock();
}

/* The second half of a round: send and report the results, without the lock. */
static void re_report(struct uet_rudi_entry *re, struct rudi_round *round)
{
	struct uet_rudi_user_req *req, *next_req;
	struct uet_ses_tx *tx, *next_tx;
	struct uet_tx_message *tm;

	uet_tx_send(re->fep, &re->peer, &re->path, &round->packets, U32_MAX);
	list_for_each_entry_safe(tx, next_tx, &round->ended_tx, link) {
		list_del_init(&tx->link);
		tm = container_of(tx, struct uet_tx_message, ses);
		re_count_tx(re, tm);
		uet_tx_message_finish(tm);
	}
	list_for_each_entry_safe(req, next_req, &round->ended_reqs, link) {
		list_del_init(&req->link);
		uet_mib_inc(re->fep->un, req->up.kind == UET_UP_ACKED ?
			    UET_MIB_RUDI_ANSWERED : UET_MIB_RUDI_FAILED);
		req->done(req, &req->up);
	}
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
		when = re->busy_ns + RUDI_IDLE_NS;
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
	re_unlock(re);
}

/* uet_rudi_entry.end_work: softirqs and other threads run between the rounds. */
static void re_end_work(struct work_struct *work)
{
	struct uet_rudi_entry *re = container_of(work, struct uet_rudi_entry, end_work);

	re_lock(re);
	while (re_run_once(re)) {
		re_unlock(re);
		cond_resched();
		re_lock(re);
	}
	re_leave(re, false);
}

/*
 * Unlock an object and send all pending packets, as uet_pdc_entry_run(): one CPU at a time, a
 * limited amount of work, the timer does the rest immediately, or a worker if the object is
 * dead.
 */
static void re_run(struct uet_rudi_entry *re)
	__releases(&re->lock) __releases(RCU)
{
	int rounds = RUDI_ROUNDS_MAX;
	bool is_more;

	lockdep_assert_held(&re->lock);
	if (re->run_state != UET_RUN_IDLE) {
		re->run_state = UET_RUN_RERUN;
		re_unlock(re);
		return;
	}
	do {
		is_more = re_run_once(re);
		if (is_more && re->dead && !re->is_over) {
			/* It may have more messages than a caller should end. */
			INIT_WORK(&re->end_work, re_end_work);
			queue_work(uet_pdc_wq, &re->end_work);
			re_unlock(re);
			return;
		}
	} while (uet_pds_runs_again(is_more, &rounds));
	re_leave(re, is_more);
}

static enum hrtimer_restart re_timer(struct hrtimer *timer)
{
	struct uet_rudi_entry *re = container_of(timer, struct uet_rudi_entry, timer);

	re_lock(re);
	re->armed_ns = UET_NEVER;
	re_run(re);
	return HRTIMER_NORESTART;
}

/* -------------------------------------------------------------------------- requests */

/* Return: a private object, or NULL without memory. */
static struct uet_rudi_entry *re_alloc(struct uet_fep *fep, const struct uet_fa *peer,
				       const struct uet_share_owner *owner)
{
	struct uet_rudi_cfg cfg;
	struct uet_rudi_entry *re;

	uet_fep_rudi_cfg(fep, &cfg);
	re = kvzalloc(sizeof(*re) + uet_rudi_size(&cfg), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!re)
		return NULL;
	if (uet_path_init(&re->path, fep, GFP_KERNEL)) {
		kvfree(re);
		return NULL;
	}
	BUILD_BUG_ON(sizeof(struct uet_rudi_entry) % __alignof__(u64));
	re->rudi = (struct uet_rudi_peer *)(re + 1);
	uet_rudi_init(re->rudi, &cfg, get_random_u32(), get_random_u32());
	uet_ses_init(&re->ses);
	re->peer = *peer;
	re->owner = *owner;
	re->busy_ns = uet_now_ns();
	re->armed_ns = UET_NEVER;
	spin_lock_init(&re->lock);
	hrtimer_setup(&re->timer, re_timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	refcount_set(&re->refs, 1);
	uet_fep_get(fep);
	re->fep = fep;
	return re;
}

/*
 * Somebody asks a peer: it counts for the latest who does, unless that one has no share left.
 */
static void re_charge(struct uet_pdc_table *tab, struct uet_rudi_entry *re,
		      const struct uet_share_owner *owner)
{
	lockdep_assert_held(&re->lock);
	if ((re->owner.job == owner->job && uid_eq(re->owner.uid, owner->uid)) ||
	    uet_shares_take(&tab->rudi_shares, owner, 1))
		return;
	uet_shares_give(&tab->rudi_shares, &re->owner, 1);
	re->owner = *owner;
}

/*
 * Insert the object into the table, which takes a reference.  Return: 0; -EEXIST if there is an
 * object for this peer; -ENOSPC if its owner has its share of UET_PDC_TABLE_RUDIS_MAX; -ENOMEM.
 * If the FEP is not dead here, deleting the FEP later also aborts this object: closing the
 * carrier waits for a grace period between marking the FEP dead and aborting its objects.
 */
static int re_publish(struct uet_rudi_entry *re)
{
	struct uet_fep *fep = re->fep;
	struct uet_pdc_table *tab = fep->pdcs;
	int err = -ENETDOWN;

	re_lock(re);
	if (!READ_ONCE(fep->dead))
		err = uet_shares_take(&tab->rudi_shares, &re->owner, 1);
	if (!err) {
		err = rhashtable_lookup_insert_fast(&tab->rudis, &re->node, re_params);
		if (err)
			uet_shares_give(&tab->rudi_shares, &re->owner, 1);
	}
	if (!err) {
		re->listed = true;
		refcount_inc(&re->refs);
	}
	re_unlock(re);
	return err;
}

/* Return: the object for a peer, with a reference, or an error. */
static struct uet_rudi_entry *re_get(struct uet_fep *fep, const struct uet_fa *peer,
				     const struct uet_share_owner *owner)
{
	struct uet_rudi_entry *re;
	int err;

	/* Two threads may create one at the same time: the loser finds the winner's object. */
	do {
		rcu_read_lock();
		re = uet_rudi_entry_find(fep->pdcs, peer);
		if (re && !refcount_inc_not_zero(&re->refs))
			re = NULL;
		rcu_read_unlock();
		if (re)
			return re;
		re = re_alloc(fep, peer, owner);
		if (!re)
			return ERR_PTR(-ENOMEM);
		err = re_publish(re);
		if (!err)
			return re;
		re_put(re);
	} while (err == -EEXIST);
	return ERR_PTR(err);
}

static int re_take(struct uet_rudi_entry *re, struct uet_rudi_user_req *req)
	__must_hold(&re->lock)
{
	const struct uet_pds_pkt pkt = {
		.msg = &req->ses,
		.len = req->ses.length,
		.next_hdr = UET_NH_REQ_STD,
		.flags = UET_PKT_SOM | UET_PKT_EOM |
			 (req->ses.opcode == UET_OP_READ ? UET_PKT_BARE : 0),
	};

	if (!uet_rudi_tx_space(re->rudi))
		return -EBUSY;
	/* RUDI message ids are not looked up, but 0 means no id (3.4.1.14). */
	if (!++re->msg_id)
		re->msg_id++;
	req->ses.msg_id = re->msg_id;
	uet_rudi_tx_req(re->rudi, &pkt);
	return 0;
}

/* Send a request, or a message as requests. */
static int re_send(struct uet_fep *fep, const struct uet_fa *peer,
		   const struct uet_share_owner *owner, struct uet_rudi_user_req *req,
		   struct uet_tx_message *tm)
{
	struct uet_rudi_entry *re;
	bool is_dead;
	int err = 0;

	/* An object removed for idleness meanwhile is not found again. */
	do {
		re = re_get(fep, peer, owner);
		if (IS_ERR(re))
			return PTR_ERR(re);
		re_lock(re);
		is_dead = re->dead;
		if (is_dead) {
			re_unlock(re);
		} else {
			re_charge(fep->pdcs, re, owner);
			if (req)
				err = re_take(re, req);
			else
				uet_ses_tx_queue(&re->ses, &tm->ses);
			re_run(re);
		}
		re_put(re);
	} while (is_dead);
	return err;
}

/*
 * uet_rudi_entry_submit() - send a request; may sleep, sends packets
 * @fep: not deleted meanwhile: the caller holds a reference of a job or socket, or
 *	uet_net.cfg_mutex
 * @req: on success in use until its @done, which may run before this function returns
 *
 * The request is sent at once, and retransmitted until it is answered, finally refused, or the
 * limits of the FEP's settings are reached.
 * Return: 0; on error @done is not called: -EBUSY: too many outstanding requests to this peer;
 *	-ENOSPC: the user has its share of the peers; -ENOMEM; -ENETDOWN: the FEP is being deleted.
 */
int uet_rudi_entry_submit(struct uet_fep *fep, const struct uet_fa *peer,
			  struct uet_rudi_user_req *req)
{
	const struct uet_share_owner owner = { .uid = current_uid() };

	INIT_LIST_HEAD(&req->link);
	req->sent_ns = 0;
	req->answered_ns = 0;
	req->retx = 0;
	req->is_ce = false;
	return re_send(fep, peer, &owner, req, NULL);
}

/*
 * uet_rudi_entry_send() - send a message as one request per packet; may sleep, sends packets
 * @tm: message, all data supplied; on success uet_tx_message_finish() ends it, possibly before
 *	this function returns
 *
 * The lock of the object protects the message's chunks and @tm->ses, as the lock of a PDC
 * would.
 * Return: 0; -ENOSPC: the job or the user has its share of the peers; -ENOMEM; -ENETDOWN: the
 *	FEP is being deleted.
 */
int uet_rudi_entry_send(struct uet_fep *fep, const struct uet_fa *peer,
			struct uet_tx_message *tm)
{
	const struct uet_share_owner owner = uet_sock_owner(tm->us);

	return re_send(fep, peer, &owner, NULL, tm);
}

/* ------------------------------------------------------------------ answers */

/*
 * uet_rudi_entry_rx_resp() - receive a RUDI_RESP of a peer; sends packets, calls users
 * @data: data of the response, with the function that stores the data
 * Return: UET_DROP_NONE; BAD_RUDI_ID: there is no such request; or the reason why its data was
 *	not used.
 */
enum uet_drop uet_rudi_entry_rx_resp(struct uet_rudi_entry *re, const struct uet_pds_hdr *hdr,
				     const struct uet_ses_rsp *rsp,
				     const struct uet_rudi_data *data)
{
	struct uet_rudi_user_req *req;
	struct uet_pds_pkt pkt;
	enum uet_drop why;
	u64 now;

	re_lock(re);
	/* The time is taken under the lock, so that it never decreases for the core. */
	now = uet_now_ns();
	why = uet_rudi_rx_resp(re->rudi, hdr, rsp, now, &pkt);
	req = why ? NULL : uet_rudi_user_req_of(&pkt);
	if (req) {
		req->answered_ns = now;
		req->is_ce = hdr->flags & UET_F_M;
	} else if (!why && rsp->form != UET_RSP_FORM_PLAIN) {
		why = data->put(data, &re->ses, rsp, &pkt);
	}
	re_run(re);
	return why;
}

/*
 * uet_rudi_entry_rx_nack() - receive a NACK with NT of a peer; sends packets, calls users
 * Return: UET_DROP_NONE, BAD_NACK_ID: no such request, or UNSUPPORTED (3.5.12.7).
 */
enum uet_drop uet_rudi_entry_rx_nack(struct uet_rudi_entry *re, const struct uet_pds_hdr *hdr)
{
	enum uet_drop why;

	re_lock(re);
	why = uet_rudi_rx_nack(re->rudi, hdr, uet_now_ns());
	re_run(re);
	return why;
}

/* ------------------------------------------------------------------ the end */

static void re_kill(struct uet_rudi_entry *re)
{
	re_lock(re);
	uet_rudi_abort(re->rudi);
	re_end(re);
	re_run(re);
}

/*
 * uet_rudi_entry_kill_all() - abort all RUDI requests of a FEP that is being deleted
 *
 * Each request ends by its user's done, before this function returns or by the CPU in the run
 * loop of its object. That CPU has BH disabled, or is a worker, so after the caller's next
 * grace period and uet_pdc_entry_wait() no request of the FEP is outstanding, sends or counts.
 */
void uet_rudi_entry_kill_all(struct uet_fep *fep)
{
	struct rhashtable_iter iter;
	struct uet_rudi_entry *re;

	rhashtable_walk_enter(&fep->pdcs->rudis, &iter);
	rhashtable_walk_start(&iter);
	/* After a resize the walk restarts. */
	while ((re = rhashtable_walk_next(&iter))) {
		if (!IS_ERR(re))
			re_kill(re);
	}
	rhashtable_walk_stop(&iter);
	rhashtable_walk_exit(&iter);
}
