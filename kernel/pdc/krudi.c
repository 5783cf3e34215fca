// SPDX-License-Identifier: GPL-2.0
/*
 * The requests of a FEP by RUDI: an object for each peer that is asked, made
 * for the first request and gone when there was none for a while, with a lock, a
 * timer and a run loop (krudi_run.c) around the core.  What happens to a request
 * is decided in core/rudi_req*.c, what is asked by whoever submits it.
 * Spec: UE 1.0.1 3.5.10.9.  Level: shell.
 */
#include <linux/random.h>
#include <linux/slab.h>

#include "base/compat.h"
#include "krudi.h"
#include "message/msg.h"
#include "fabric/net.h"
#include "rx/rx.h"

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

/**
 * uet_krudi_put() - drop a reference
 * @krudi: object; the last one frees it, after a grace period
 *
 * Context: Any.
 */
void uet_krudi_put(struct uet_krudi *krudi)
{
	if (refcount_dec_and_test(&krudi->refs))
		queue_rcu_work(krudi_wq, &krudi->free_work);
}

/**
 * uet_krudi_die() - it takes no request any more, and nobody finds it
 * @krudi: object
 *
 * Context: Lock held; the run loop must follow, or be the caller.
 */
void uet_krudi_die(struct uet_krudi *krudi)
	__must_hold(&krudi->lock)
{
	lockdep_assert_held(&krudi->lock);
	krudi->dead = true;
	if (!krudi->listed)
		return;
	krudi->listed = false;
	uet_table_del_rudi(&krudi->fep->table, krudi);
	uet_krudi_put(krudi);
}

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
	uet_ses_init(&krudi->ses);
	krudi->peer = *peer;
	krudi->busy_ns = ktime_get_ns();
	krudi->armed_ns = UET_NEVER;
	spin_lock_init(&krudi->lock);
	hrtimer_setup(&krudi->timer, uet_krudi_timer, CLOCK_MONOTONIC,
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

	uet_krudi_lock(krudi);
	if (!READ_ONCE(fep->dead))
		err = uet_table_add_rudi(&fep->table, krudi);
	if (!err) {
		krudi->listed = true;
		refcount_inc(&krudi->refs);
	}
	uet_krudi_unlock(krudi);
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
		uet_krudi_put(krudi);
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

/* Return: the object for a peer, with a reference, locked and alive; or an error. */
static struct uet_krudi *krudi_get_locked(struct uet_fep *fep,
					  const struct uet_fa *peer)
{
	struct uet_krudi *krudi;

	/* One that has just died of idleness is not found again. */
	for (;;) {
		krudi = krudi_get(fep, peer);
		if (IS_ERR(krudi))
			return krudi;
		uet_krudi_lock(krudi);
		if (!krudi->dead)
			return krudi;
		uet_krudi_unlock(krudi);
		uet_krudi_put(krudi);
	}
}

static int krudi_take(struct uet_krudi *krudi, struct uet_krudi_req *req)
	__must_hold(&krudi->lock)
{
	const struct uet_pds_pkt pkt = {
		.msg = &req->ses,
		.next_hdr = UET_NH_REQ_STD,
		.flags = UET_PKT_SOM | UET_PKT_EOM,
	};

	if (!uet_rudi_tx_room(krudi->rudi))
		return -EBUSY;
	req->ses.msg_id = krudi_new_id(krudi);
	uet_rudi_tx_req(krudi->rudi, &pkt);
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
	krudi = krudi_get_locked(fep, peer);
	if (IS_ERR(krudi))
		return PTR_ERR(krudi);
	err = krudi_take(krudi, req);
	uet_krudi_run_unlock(krudi);
	uet_krudi_put(krudi);
	return err;
}

/**
 * uet_krudi_send() - send a message, each packet a request
 * @fep: local FEP, see uet_krudi_submit()
 * @peer: where to, of the family of the FEP
 * @tm: message, all bytes supplied; on success uet_txmsg_finish() ends it, which
 *	may have happened when this returns
 *
 * Its chunks and @tm->ses are under the lock of the requests to the peer, as
 * they would be under that of a PDC.
 *
 * Context: Process, may sleep; sends packets.
 * Return: 0; -ENOSPC: too many peers; -ENOMEM; -ENETDOWN: the FEP is being
 *	deleted.
 * Spec: UE 1.0.1 3.5.10.9.
 */
int uet_krudi_send(struct uet_fep *fep, const struct uet_fa *peer,
		   struct uet_txmsg *tm)
{
	struct uet_krudi *krudi = krudi_get_locked(fep, peer);

	if (IS_ERR(krudi))
		return PTR_ERR(krudi);
	uet_ses_tx_queue(&krudi->ses, &tm->ses);
	uet_krudi_run_unlock(krudi);
	uet_krudi_put(krudi);
	return 0;
}

/* ------------------------------------------------------------------ answers */

/**
 * uet_krudi_rx_resp() - a RUDI_RESP came from a peer
 * @krudi: requests to it, found under RCU
 * @rx: the packet, from the data on
 * @rsp: decoded SES response
 * @len: bytes of data behind it
 *
 * Context: Softirq, rcu_read_lock() held; sends packets, calls users.
 * Return: UET_DROP_NONE; BAD_RUDI_ID: there is no such request; or why its data
 *	was not used.
 * Spec: UE 1.0.1 3.5.10.9.
 */
enum uet_drop uet_krudi_rx_resp(struct uet_krudi *krudi, struct uet_rx *rx,
				const struct uet_ses_rsp *rsp, u32 len)
{
	const struct uet_pds_hdr *hdr = &rx->hdr;
	struct uet_krudi_req *req;
	struct uet_pds_pkt pkt;
	enum uet_drop why;
	u64 now;

	uet_krudi_lock(krudi);
	/* The time under the lock: it never runs backwards for the core. */
	now = ktime_get_ns();
	why = uet_rudi_rx_resp(krudi->rudi, hdr, rsp, now, &pkt);
	req = why ? NULL : uet_krudi_req_of(&pkt);
	if (req) {
		req->answered_ns = now;
		req->is_ce = hdr->flags & UET_F_M;
	} else if (!why && rsp->form != UET_RSP_FORM_PLAIN) {
		why = uet_rx_data_answer(krudi->fep, &krudi->ses, rx, rsp, &pkt,
					 len);
	}
	uet_krudi_run_unlock(krudi);
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

	uet_krudi_lock(krudi);
	why = uet_rudi_rx_nack(krudi->rudi, hdr, ktime_get_ns());
	uet_krudi_run_unlock(krudi);
	return why;
}

/* ------------------------------------------------------------------ the end */

static void krudi_kill(struct uet_krudi *krudi)
{
	uet_krudi_lock(krudi);
	uet_rudi_abort(krudi->rudi);
	uet_krudi_die(krudi);
	uet_krudi_run_unlock(krudi);
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
