// SPDX-License-Identifier: GPL-2.0
/*
 * RUDI requests of a FEP: one object per peer, with a lock, a timer and a run
 * loop (rudi_run.c) around the core. The first request creates the object, and
 * a time-out without requests removes it. core/pds/rudi_req*.c has the
 * protocol; the submitters fill in the requests.
 * Spec: UE 1.0.1 3.5.10.9.
 */
#include <linux/random.h>
#include <linux/slab.h>

#include "base/base.h"
#include "fabric/fabric.h"
#include "message/message.h"
#include "rudi_entry.h"

/*
 * The last reference was dropped a grace period ago. Only the timer may still
 * use the object: it does nothing, but must have returned before the object is
 * freed.
 */
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

/*
 * Drop a reference.
 * @re: object; freed a grace period after the last reference
 */
void uet_rudi_entry_put(struct uet_rudi_entry *re)
{
	if (!refcount_dec_and_test(&re->refs))
		return;
	INIT_RCU_WORK(&re->free_work, re_free_work);
	queue_rcu_work(uet_pdc_wq, &re->free_work);
}

/*
 * Stop accepting requests and remove the object from its table.
 * @re: object; the run loop drops the reference of the table with its last message
 *
 * Context: Lock held; the run loop must follow, or be the caller.
 */
void uet_rudi_entry_end(struct uet_rudi_entry *re)
	__must_hold(&re->lock)
{
	lockdep_assert_held(&re->lock);
	re->dead = true;
	if (!re->listed)
		return;
	re->listed = false;
	uet_pdc_table_del_rudi(re->fep->pdcs, re);
}

/* Return: a private object, or NULL without memory. */
static struct uet_rudi_entry *re_alloc(struct uet_fep *fep,
				       const struct uet_fa *peer,
				       const struct uet_share_owner *owner)
{
	struct uet_rudi_cfg cfg;
	struct uet_rudi_entry *re;

	uet_fep_rudi_cfg(fep, &cfg);
	re = kvzalloc(sizeof(*re) + uet_rudi_size(&cfg),
		      GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!re)
		return NULL;
	if (uet_path_init(&re->path, GFP_KERNEL)) {
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
	hrtimer_setup(&re->timer, uet_rudi_entry_timer, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_SOFT);
	refcount_set(&re->refs, 1);
	uet_fep_get(fep);
	re->fep = fep;
	return re;
}

/*
 * Insert the object into the table, which takes a reference. If the FEP is not
 * dead here, deleting the FEP later also aborts this object: closing the
 * carrier waits for a grace period between marking the FEP dead and aborting
 * its objects.
 */
static int re_publish(struct uet_rudi_entry *re)
{
	struct uet_fep *fep = re->fep;
	int err = -ENETDOWN;

	uet_rudi_entry_lock(re);
	if (!READ_ONCE(fep->dead))
		err = uet_pdc_table_add_rudi(fep->pdcs, re);
	if (!err) {
		re->listed = true;
		refcount_inc(&re->refs);
	}
	uet_rudi_entry_unlock(re);
	return err;
}

static struct uet_rudi_entry *re_find(struct uet_fep *fep,
				      const struct uet_fa *peer)
{
	struct uet_rudi_entry *re;

	rcu_read_lock();
	re = uet_pdc_table_rudi(fep->pdcs, peer);
	if (re && !refcount_inc_not_zero(&re->refs))
		re = NULL;
	rcu_read_unlock();
	return re;
}

/* Return: the object for a peer, with a reference, or an error. */
static struct uet_rudi_entry *re_get(struct uet_fep *fep,
				     const struct uet_fa *peer,
				     const struct uet_share_owner *owner)
{
	struct uet_rudi_entry *re;
	int err;

	/*
	 * Two threads may create one at the same time: the loser finds the
	 * winner's object.
	 */
	do {
		re = re_find(fep, peer);
		if (re)
			return re;
		re = re_alloc(fep, peer, owner);
		if (!re)
			return ERR_PTR(-ENOMEM);
		err = re_publish(re);
		if (!err)
			return re;
		uet_rudi_entry_put(re);
	} while (err == -EEXIST);
	return ERR_PTR(err);
}

/* RUDI message ids are not looked up, but 0 means no id (3.4.1.14). */
static u16 re_new_id(struct uet_rudi_entry *re)
	__must_hold(&re->lock)
{
	if (!++re->msg_id)
		re->msg_id++;
	return re->msg_id;
}

/*
 * Return: the object for a peer, with a reference, locked and not dead; or an
 *	error.
 */
static struct uet_rudi_entry *re_get_locked(struct uet_fep *fep,
					    const struct uet_fa *peer,
					    const struct uet_share_owner *owner)
{
	struct uet_rudi_entry *re;

	/* An object removed for idleness meanwhile is not found again. */
	for (;;) {
		re = re_get(fep, peer, owner);
		if (IS_ERR(re))
			return re;
		uet_rudi_entry_lock(re);
		if (!re->dead) {
			uet_pdc_table_charge_rudi(fep->pdcs, re, owner);
			return re;
		}
		uet_rudi_entry_unlock(re);
		uet_rudi_entry_put(re);
	}
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
	req->ses.msg_id = re_new_id(re);
	uet_rudi_tx_req(re->rudi, &pkt);
	return 0;
}

/**
 * uet_rudi_entry_submit() - send a request
 * @fep: local FEP, not deleted meanwhile: the caller holds a reference of a job
 *	or socket, or uet_net.cfg_mutex
 * @peer: destination, of the FEP's address family
 * @req: the request; on success in use until its @done, which may run before
 *	this function returns
 *
 * The request is sent at once, and retransmitted until it is answered, finally
 * refused, or the limits of the FEP's settings are reached.
 *
 * Context: Process, may sleep; sends packets.
 * Return: 0; on error @done is not called: -EBUSY: too many outstanding
 *	requests to this peer; -ENOSPC: the user has its share of the peers; -ENOMEM;
 *	-ENETDOWN: the FEP is being deleted.
 * Spec: UE 1.0.1 3.5.10.9.
 */
int uet_rudi_entry_submit(struct uet_fep *fep, const struct uet_fa *peer,
			  struct uet_rudi_user_req *req)
{
	const struct uet_share_owner owner = { .uid = current_uid() };
	struct uet_rudi_entry *re;
	int err;

	INIT_LIST_HEAD(&req->link);
	req->sent_ns = 0;
	req->answered_ns = 0;
	req->retx = 0;
	req->is_ce = false;
	re = re_get_locked(fep, peer, &owner);
	if (IS_ERR(re))
		return PTR_ERR(re);
	err = re_take(re, req);
	uet_rudi_entry_run(re);
	uet_rudi_entry_put(re);
	return err;
}

/**
 * uet_rudi_entry_send() - send a message as one request per packet
 * @fep: local FEP, see uet_rudi_entry_submit()
 * @peer: destination, of the FEP's address family
 * @tm: message, all data supplied; on success uet_tx_message_finish() ends it,
 *	possibly before this function returns
 *
 * The lock of the object protects the message's chunks and @tm->ses, as the
 * lock of a PDC would.
 *
 * Context: Process, may sleep; sends packets.
 * Return: 0; -ENOSPC: the job or the user has its share of the peers; -ENOMEM;
 *	-ENETDOWN: the FEP is being deleted.
 * Spec: UE 1.0.1 3.5.10.9.
 */
int uet_rudi_entry_send(struct uet_fep *fep, const struct uet_fa *peer,
			struct uet_tx_message *tm)
{
	const struct uet_share_owner owner = uet_sock_owner(tm->us);
	struct uet_rudi_entry *re = re_get_locked(fep, peer, &owner);

	if (IS_ERR(re))
		return PTR_ERR(re);
	uet_ses_tx_queue(&re->ses, &tm->ses);
	uet_rudi_entry_run(re);
	uet_rudi_entry_put(re);
	return 0;
}

/* ------------------------------------------------------------------ answers */

/**
 * uet_rudi_entry_rx_resp() - receive a RUDI_RESP of a peer
 * @re: object of the peer, found under RCU
 * @hdr: decoded PDS header
 * @rsp: decoded SES response
 * @data: data of the response, with the function that stores the data
 *
 * Context: Softirq, rcu_read_lock() held; sends packets, calls users.
 * Return: UET_DROP_NONE; BAD_RUDI_ID: there is no such request; or the reason why its
 *	data was not used.
 * Spec: UE 1.0.1 3.5.10.9.
 */
enum uet_drop uet_rudi_entry_rx_resp(struct uet_rudi_entry *re,
				     const struct uet_pds_hdr *hdr,
				     const struct uet_ses_rsp *rsp,
				     const struct uet_rudi_data *data)
{
	struct uet_rudi_user_req *req;
	struct uet_pds_pkt pkt;
	enum uet_drop why;
	u64 now;

	uet_rudi_entry_lock(re);
	/*
	 * The time is taken under the lock, so that it never decreases for the
	 * core.
	 */
	now = uet_now_ns();
	why = uet_rudi_rx_resp(re->rudi, hdr, rsp, now, &pkt);
	req = why ? NULL : uet_rudi_user_req_of(&pkt);
	if (req) {
		req->answered_ns = now;
		req->is_ce = hdr->flags & UET_F_M;
	} else if (!why && rsp->form != UET_RSP_FORM_PLAIN) {
		why = data->put(data, &re->ses, rsp, &pkt);
	}
	uet_rudi_entry_run(re);
	return why;
}

/**
 * uet_rudi_entry_rx_nack() - receive a NACK with NT of a peer
 * @re: object of the peer, found under RCU
 * @hdr: decoded header
 *
 * Context: Softirq, rcu_read_lock() held; sends packets, calls users.
 * Return: UET_DROP_NONE, BAD_NACK_ID: no such request, or UNSUPPORTED.
 * Spec: UE 1.0.1 3.5.12.7.
 */
enum uet_drop uet_rudi_entry_rx_nack(struct uet_rudi_entry *re,
				     const struct uet_pds_hdr *hdr)
{
	enum uet_drop why;

	uet_rudi_entry_lock(re);
	why = uet_rudi_rx_nack(re->rudi, hdr, uet_now_ns());
	uet_rudi_entry_run(re);
	return why;
}

/* ------------------------------------------------------------------ the end */

static void re_kill(struct uet_rudi_entry *re)
{
	uet_rudi_entry_lock(re);
	uet_rudi_abort(re->rudi);
	uet_rudi_entry_end(re);
	uet_rudi_entry_run(re);
}

/**
 * uet_rudi_entry_kill_all() - abort all RUDI requests of a FEP
 * @fep: FEP that is being deleted: no receiver
 *
 * Each outstanding request is reported as failed, before this function returns
 * or by the CPU in the run loop of its object. That CPU has BH disabled, or is a worker, so
 * after the caller's next grace period and uet_pdc_entry_wait() no request of the FEP is
 * outstanding, sends or counts.
 *
 * Context: Process.
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
