// SPDX-License-Identifier: GPL-2.0
/*
 * The requests of a FEP by RUDI: an object for each peer that is asked, made
 * for the first request and gone when there was none for a while, with the lock,
 * the timer and the run loop around the core.  What happens to a request is
 * decided in core/rudi_req*.c, what is asked by whoever submits it.
 * Spec: UE 1.0.1 3.5.10.9; the run loop of core/rudi.h.  Level: shell.
 */
#include <linux/random.h>
#include <linux/slab.h>

#include "compat.h"
#include "krudi.h"
#include "net.h"
#include "tx.h"

/* Packets built under the lock at a time, and how often in a row. */
#define KRUDI_PACKETS	64
#define KRUDI_ROUNDS	8

/**
 * struct krudi_round - what one round collects under the lock
 * @skbs: packets to send
 * @done: requests with an outcome, uet_krudi_req.link
 * @is_more: the budget ended before the debts did
 */
struct krudi_round {
	struct sk_buff_head skbs;
	struct list_head done;
	bool is_more;
};

/* Frees objects; a queue of our own, so that unloading can wait for it. */
static struct workqueue_struct *krudi_wq;

/**
 * uet_krudi_init() - prepare for requests
 *
 * Context: Process, module load.
 * Return: 0 or -ENOMEM.
 */
int uet_krudi_init(void)
{
	krudi_wq = alloc_workqueue("uet_rudi", WQ_UNBOUND, 0);
	return krudi_wq ? 0 : -ENOMEM;
}

/**
 * uet_krudi_fini() - wait until the last object is freed
 *
 * Context: Process, module unload; no FEP and no user is left.
 */
void uet_krudi_fini(void)
{
	/* First the grace periods that queue the work, then the work. */
	rcu_barrier();
	destroy_workqueue(krudi_wq);
}

/* ------------------------------------------------------------ the run loop */

static void krudi_lock(struct uet_krudi *krudi)
	__acquires(RCU) __acquires(&krudi->lock)
{
	rcu_read_lock();
	spin_lock_bh(&krudi->lock);
}

static void krudi_unlock(struct uet_krudi *krudi)
	__releases(&krudi->lock) __releases(RCU)
{
	spin_unlock_bh(&krudi->lock);
	rcu_read_unlock();
}

static void krudi_put(struct uet_krudi *krudi)
{
	if (refcount_dec_and_test(&krudi->refs))
		queue_rcu_work(krudi_wq, &krudi->free_work);
}

/* It takes no request any more, and nobody finds it. */
static void krudi_die(struct uet_krudi *krudi)
	__must_hold(&krudi->lock)
{
	lockdep_assert_held(&krudi->lock);
	krudi->dead = true;
	if (!krudi->listed)
		return;
	krudi->listed = false;
	uet_table_del_rudi(&krudi->fep->table, krudi);
	krudi_put(krudi);
}

static struct uet_krudi_req *krudi_req_of(const struct uet_pds_pkt *pkt)
{
	return container_of((struct uet_ses_tx *)pkt->msg,
			    struct uet_krudi_req, ses);
}

static void krudi_reap(struct uet_krudi *krudi, struct krudi_round *round)
{
	struct uet_krudi_req *req;
	struct uet_rudi_up up;

	while (uet_rudi_poll_up(krudi->rudi, &up)) {
		req = krudi_req_of(&up.pkt);
		req->up = up;
		req->ses.error = up.error;
		req->ses.nack_code = up.nack_code;
		req->ses.rc = up.rsp.rc;
		list_add_tail(&req->link, &round->done);
	}
}

static void krudi_note_sent(const struct uet_pdc_tx *tx, u64 now)
{
	struct uet_krudi_req *req = krudi_req_of(&tx->pkt);

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
		krudi_note_sent(&tx, now);
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
	if (!uet_rudi_is_idle(krudi->rudi) || !list_empty(&round->done))
		krudi->busy_ns = now;
	else if (now - krudi->busy_ns >= UET_KRUDI_IDLE_NS)
		krudi_die(krudi);
}

static void krudi_finish(struct uet_krudi *krudi, struct krudi_round *round)
{
	struct uet_krudi_req *req, *next;

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
	struct krudi_round round = { .done = LIST_HEAD_INIT(round.done) };

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

/*
 * End to use an object and do all that is owed now, as uet_kpdc_run_unlock()
 * does: one at a time, a bounded amount, the rest by the timer, at once.
 */
static void krudi_run_unlock(struct uet_krudi *krudi)
	__releases(&krudi->lock) __releases(RCU)
{
	int rounds = KRUDI_ROUNDS;
	bool is_more;

	lockdep_assert_held(&krudi->lock);
	if (krudi->running) {
		krudi->rerun = true;
		krudi_unlock(krudi);
		return;
	}
	krudi->running = true;
	do {
		krudi->rerun = false;
		is_more = krudi_round(krudi) || krudi->rerun;
	} while (is_more && --rounds);
	krudi->running = false;
	krudi_arm(krudi, is_more);
	krudi_unlock(krudi);
}

static enum hrtimer_restart krudi_timer(struct hrtimer *timer)
{
	struct uet_krudi *krudi = container_of(timer, struct uet_krudi, timer);

	krudi_lock(krudi);
	krudi->armed_ns = UET_NEVER;
	krudi_run_unlock(krudi);
	return HRTIMER_NORESTART;
}

/* ---------------------------------------------------------- life and death */

/*
 * The last reference is gone for a grace period.  The one thing that may still
 * look at the object is its timer, which does nothing any more, but has to
 * return.
 */
static void krudi_free_work(struct work_struct *work)
{
	struct uet_krudi *krudi = container_of(to_rcu_work(work),
					       struct uet_krudi, free_work);
	struct uet_fep *fep = krudi->fep;

	hrtimer_cancel(&krudi->timer);
	uet_path_fini(&krudi->path);
	kvfree(krudi);
	uet_fep_put(fep);
}

/* Return: an object nobody knows yet, or NULL without memory. */
static struct uet_krudi *krudi_alloc(struct uet_fep *fep,
				     const struct uet_fa *peer)
{
	struct uet_rudi_cfg cfg;
	struct uet_krudi *krudi;

	uet_fep_rudi_cfg(fep, &cfg);
	krudi = kvzalloc(sizeof(*krudi) + uet_rudi_size(&cfg),
			 GFP_KERNEL_ACCOUNT);
	if (!krudi)
		return NULL;
	if (uet_path_init(&krudi->path, GFP_KERNEL)) {
		kvfree(krudi);
		return NULL;
	}
	BUILD_BUG_ON(sizeof(struct uet_krudi) % __alignof__(u64));
	krudi->rudi = (struct uet_rudi_peer *)(krudi + 1);
	uet_rudi_init(krudi->rudi, &cfg, get_random_u32(), get_random_u32());
	krudi->peer = *peer;
	krudi->busy_ns = ktime_get_ns();
	krudi->armed_ns = UET_NEVER;
	spin_lock_init(&krudi->lock);
	hrtimer_setup(&krudi->timer, krudi_timer, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_SOFT);
	refcount_set(&krudi->refs, 1);
	INIT_RCU_WORK(&krudi->free_work, krudi_free_work);
	uet_fep_get(fep);
	krudi->fep = fep;
	return krudi;
}

/*
 * Enter the table, which takes a reference.  A FEP that is not dead here gets
 * round to killing the object: closing its carrier, which it does in between,
 * waits for a grace period.
 */
static int krudi_publish(struct uet_krudi *krudi)
{
	struct uet_fep *fep = krudi->fep;
	int err = -ENETDOWN;

	krudi_lock(krudi);
	if (!READ_ONCE(fep->dead))
		err = uet_table_add_rudi(&fep->table, krudi);
	if (!err) {
		krudi->listed = true;
		refcount_inc(&krudi->refs);
	}
	krudi_unlock(krudi);
	return err;
}

static struct uet_krudi *krudi_find(struct uet_fep *fep,
				    const struct uet_fa *peer)
{
	struct uet_krudi *krudi;

	rcu_read_lock();
	krudi = uet_table_rudi(&fep->table, peer);
	if (krudi && !refcount_inc_not_zero(&krudi->refs))
		krudi = NULL;
	rcu_read_unlock();
	return krudi;
}

/* Return: the object for a peer, with a reference, or an error. */
static struct uet_krudi *krudi_get(struct uet_fep *fep,
				   const struct uet_fa *peer)
{
	struct uet_krudi *krudi;
	int err;

	/* Two may make one at the same time: the loser finds the winner's. */
	do {
		krudi = krudi_find(fep, peer);
		if (krudi)
			return krudi;
		krudi = krudi_alloc(fep, peer);
		if (!krudi)
			return ERR_PTR(-ENOMEM);
		err = krudi_publish(krudi);
		if (!err)
			return krudi;
		krudi_put(krudi);
	} while (err == -EEXIST);
	return ERR_PTR(err);
}

/* Message ids of RUDI name nothing, but 0 is none (3.4.1.14). */
static u16 krudi_new_id(struct uet_krudi *krudi)
	__must_hold(&krudi->lock)
{
	if (!++krudi->msg_id)
		krudi->msg_id++;
	return krudi->msg_id;
}

static int krudi_take(struct uet_krudi *krudi, struct uet_krudi_req *req)
{
	const struct uet_pds_pkt pkt = {
		.msg = &req->ses,
		.next_hdr = UET_NH_REQ_STD,
		.flags = UET_PKT_SOM | UET_PKT_EOM,
	};
	int err = 0;

	krudi_lock(krudi);
	if (krudi->dead)
		err = -ESHUTDOWN;
	else if (!uet_rudi_tx_room(krudi->rudi))
		err = -EBUSY;
	if (err) {
		krudi_unlock(krudi);
		return err;
	}
	req->ses.msg_id = krudi_new_id(krudi);
	uet_rudi_tx_req(krudi->rudi, &pkt);
	krudi_run_unlock(krudi);
	return 0;
}

/**
 * uet_krudi_submit() - send a request
 * @fep: local FEP; it is not deleted meanwhile: a reference of a job or socket,
 *	or uet_net.cfg_mutex held
 * @peer: who is to answer, of the family of the FEP
 * @req: the request; on success, in use until its @done, which may come before
 *	this returns
 *
 * It is sent at once, and again until it is answered, refused for good, or the
 * limits of the FEP's settings are reached.
 *
 * Context: Process, may sleep; sends packets.
 * Return: 0; or, and then @done is not called, -EBUSY: too many requests to
 *	this peer are outstanding; -ENOSPC: too many peers; -ENOMEM; -ENETDOWN:
 *	the FEP is being deleted.
 * Spec: UE 1.0.1 3.5.10.9.
 */
int uet_krudi_submit(struct uet_fep *fep, const struct uet_fa *peer,
		     struct uet_krudi_req *req)
{
	struct uet_krudi *krudi;
	int err;

	INIT_LIST_HEAD(&req->link);
	req->sent_ns = 0;
	req->answered_ns = 0;
	req->retx = 0;
	req->is_ce = false;
	/* One that has just died of idleness is not found again. */
	do {
		krudi = krudi_get(fep, peer);
		if (IS_ERR(krudi))
			return PTR_ERR(krudi);
		err = krudi_take(krudi, req);
		krudi_put(krudi);
	} while (err == -ESHUTDOWN);
	return err;
}

/* ------------------------------------------------------------------ answers */

/**
 * uet_krudi_rx_resp() - a RUDI_RESP came from a peer
 * @krudi: requests to it, found under RCU
 * @hdr: decoded header
 * @rsp: decoded SES response
 *
 * Context: Softirq, rcu_read_lock() held; sends packets, calls users.
 * Return: UET_DROP_NONE, or BAD_RUDI_ID: there is no such request.
 * Spec: UE 1.0.1 3.5.10.9.
 */
enum uet_drop uet_krudi_rx_resp(struct uet_krudi *krudi,
				const struct uet_pds_hdr *hdr,
				const struct uet_ses_rsp *rsp)
{
	struct uet_krudi_req *req;
	struct uet_pds_pkt pkt;
	enum uet_drop why;
	u64 now;

	krudi_lock(krudi);
	/* The time under the lock: it never runs backwards for the core. */
	now = ktime_get_ns();
	why = uet_rudi_rx_resp(krudi->rudi, hdr, rsp, now, &pkt);
	if (!why) {
		req = krudi_req_of(&pkt);
		req->answered_ns = now;
		req->is_ce = hdr->flags & UET_F_M;
	}
	krudi_run_unlock(krudi);
	return why;
}

/**
 * uet_krudi_rx_nack() - a NACK with NT came from a peer
 * @krudi: requests to it, found under RCU
 * @hdr: decoded header
 *
 * Context: Softirq, rcu_read_lock() held; sends packets, calls users.
 * Return: UET_DROP_NONE, BAD_NACK_ID: there is no such request, or UNSUPPORTED.
 * Spec: UE 1.0.1 3.5.12.7.
 */
enum uet_drop uet_krudi_rx_nack(struct uet_krudi *krudi,
				const struct uet_pds_hdr *hdr)
{
	enum uet_drop why;

	krudi_lock(krudi);
	why = uet_rudi_rx_nack(krudi->rudi, hdr, ktime_get_ns());
	krudi_run_unlock(krudi);
	return why;
}

/* ------------------------------------------------------------------ the end */

static void krudi_kill(struct uet_krudi *krudi)
{
	krudi_lock(krudi);
	uet_rudi_abort(krudi->rudi);
	krudi_die(krudi);
	krudi_run_unlock(krudi);
}

/**
 * uet_krudi_kill_all() - end all requests of a FEP
 * @fep: dead, its carrier closed
 *
 * Each request that was outstanding is reported as failed, before this returns
 * or by whoever is in its run loop.  That one has BH disabled: after the next
 * grace period of synchronize_net(), which is the caller's affair, no request
 * of the FEP is outstanding, sends or counts.
 *
 * Context: Process.
 */
void uet_krudi_kill_all(struct uet_fep *fep)
{
	struct rhashtable_iter iter;
	struct uet_krudi *krudi;

	rhashtable_walk_enter(&fep->table.rudis, &iter);
	rhashtable_walk_start(&iter);
	/* After a resize it begins again. */
	while ((krudi = rhashtable_walk_next(&iter))) {
		if (!IS_ERR(krudi))
			krudi_kill(krudi);
	}
	rhashtable_walk_stop(&iter);
	rhashtable_walk_exit(&iter);
}
