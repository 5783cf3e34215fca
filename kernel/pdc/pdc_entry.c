// SPDX-License-Identifier: GPL-2.0
/*
 * Lifetime of PDCs in the shell: a PDC is created for a socket's first message
 * to an endpoint or by a peer's SYN, found again, closed after its socket, and
 * freed. Also the operations of a socket on a PDC. The run loop is in
 * pdc_run.c, the protocol in core/.
 * Spec: UE 1.0.1 3.5.8 (PDC selection, open, close).
 */
#include <linux/random.h>
#include <linux/rcupdate_wait.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "base/base.h"
#include "cms/cms.h"
#include "endpoint/endpoint.h"
#include "fabric/fabric.h"
#include "message/message.h"
#include "pdc_entry.h"

/**
 * uet_pdc_entry_init() - create the cache of PDCs and the work queue
 *
 * Context: Process, module load.
 * Return: 0 or -ENOMEM.
 */
int uet_pdc_entry_init(void)
{
	int err = uet_pdc_memory_init();

	if (err)
		return err;
	uet_pdc_wq = alloc_workqueue("uet_pdc", WQ_UNBOUND, 0);
	if (uet_pdc_wq)
		return 0;
	uet_pdc_memory_fini();
	return -ENOMEM;
}

/**
 * uet_pdc_entry_fini() - wait until the last PDC and the last RUDI object is freed
 *
 * Context: Process, module unload; no FEP and no reference to a PDC exists.
 */
void uet_pdc_entry_fini(void)
{
	/*
	 * First wait for the grace periods that queue the work, then for the
	 * work.
	 */
	rcu_barrier();
	destroy_workqueue(uet_pdc_wq);
	uet_pdc_memory_fini();
}

/*
 * The last reference was dropped a grace period ago. Only the timer may still
 * use the PDC: it does nothing, but must have returned before the PDC is freed.
 */
static void pe_free_work(struct work_struct *work)
{
	struct uet_pdc_entry *pe = container_of(
		to_rcu_work(work), struct uet_pdc_entry, free_work);
	struct uet_fep *fep = pe->fep;

	hrtimer_cancel(&pe->timer);
	uet_fep_pacer_leave(&fep->cms->pacer, &pe->waiter);
	uet_path_fini(&pe->path);
	if (pe->cce)
		uet_ccc_entry_put(pe->cce);
	uet_pdc_peer_put(pe->traffic.peer);
	if (pe->is_charged)
		uet_pools_free_target(pe->mem_units);
	uet_pdc_memory_free(pe);
	uet_fep_put(fep);
}

/**
 * uet_pdc_entry_put() - drop a reference
 * @pe: PDC; not valid afterwards, unless RCU protects it
 *
 * Context: Any but hard interrupt.
 */
void uet_pdc_entry_put(struct uet_pdc_entry *pe)
{
	if (!refcount_dec_and_test(&pe->refs))
		return;
	INIT_RCU_WORK(&pe->free_work, pe_free_work);
	queue_rcu_work(uet_pdc_wq, &pe->free_work);
}

/* The PDC of a socket that closes meanwhile closes, too. */
static void pe_join_ep(struct uet_pdc_entry *pe, struct uet_sock *us)
{
	struct uet_ep_links *links = &us->links;

	lockdep_assert_held(&pe->lock);
	spin_lock(&links->lock);
	if (links->is_closed) {
		pe->unused = true;
	} else {
		pe->us = us;
		list_add_tail_rcu(&pe->on_ep, &links->pdcs);
	}
	spin_unlock(&links->lock);
}

/*
 * Take a PDC off the list of its socket.
 *
 * The socket is valid: it is freed a grace period after uet_pdc_entry_release_ep() has
 * emptied its list.
 *
 * Context: Lock held.
 */
void uet_pdc_entry_leave_ep(struct uet_pdc_entry *pe)
{
	struct uet_ep_links *links;

	lockdep_assert_held(&pe->lock);
	if (!pe->us)
		return;
	links = &pe->us->links;
	spin_lock(&links->lock);
	list_del_rcu(&pe->on_ep);
	if (rcu_access_pointer(links->latest) == pe)
		RCU_INIT_POINTER(links->latest, NULL);
	pe->us = NULL;
	spin_unlock(&links->lock);
}

/**
 * uet_pdc_entry_set_latest() - note the PDC on which a socket sends from now on
 * @pe: PDC; the caller has a reference
 * @us: the socket
 *
 * Messages that wait on the one before have no reason to wait any more, and are sent.
 *
 * Context: Process, no PDC lock held; sends packets.
 */
void uet_pdc_entry_set_latest(struct uet_pdc_entry *pe, struct uet_sock *us)
{
	struct uet_ep_links *links = &us->links;

	if (rcu_access_pointer(links->latest) == pe)
		return;
	uet_pdc_entry_uncork(us);
	spin_lock_bh(&links->lock);
	if (pe->us == us)
		rcu_assign_pointer(links->latest, pe);
	spin_unlock_bh(&links->lock);
}

/*
 * Allocate the memory, the id and the shell's part of a PDC, which takes over the
 * reference of @settings, even if there is no memory. The caller sets the fields of its
 * role and calls pe_publish().
 */
static struct uet_pdc_entry *pe_alloc(struct uet_fep *fep,
				      struct uet_fep_settings *settings,
				      const struct uet_fa *peer,
				      enum uet_pdc_mode mode, gfp_t gfp)
{
	struct uet_pdc_entry *pe = uet_pdc_memory_alloc(settings, gfp);
	int err = -ENOMEM;

	if (!pe)
		return ERR_PTR(-ENOMEM);
	if (uet_path_init(&pe->path, gfp))
		goto err_free;
	if (pe->settings->pdc.has_cc) {
		pe->cce = uet_ccc_entry_get(fep, peer, mode, gfp);
		if (!pe->cce)
			goto err_path;
	}
	pe->traffic.peer = uet_pdc_peer_join(&fep->pdcs->peers, peer, gfp);
	if (!pe->traffic.peer)
		goto err_ccc;
	err = uet_pdc_table_new_id(fep->pdcs, &pe->id, gfp);
	if (err)
		goto err_peer;

	pe->mem_units = uet_pdc_memory_units(&pe->settings->pdc);
	pe->peer = *peer;
	uet_cc_waiter_init(&pe->waiter, &uet_pdc_entry_waiter_ops);
	spin_lock_init(&pe->lock);
	uet_ses_init(&pe->ses);
	pe->ses.gen.is_ordered = mode == UET_PDC_ROD;
	INIT_LIST_HEAD(&pe->rdvs);
	__skb_queue_head_init(&pe->early);
	pe->armed_ns = UET_NEVER;
	uet_cork_init(&pe->cork);
	hrtimer_setup(&pe->timer, uet_pdc_entry_timer, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_SOFT);
	refcount_set(&pe->refs, 1);
	uet_fep_get(fep);
	pe->fep = fep;
	return pe;

err_peer:
	uet_pdc_peer_leave(&fep->pdcs->peers, pe->traffic.peer);
	uet_pdc_peer_put(pe->traffic.peer);
err_ccc:
	if (pe->cce)
		uet_ccc_entry_put(pe->cce);
err_path:
	uet_path_fini(&pe->path);
err_free:
	uet_pdc_memory_free(pe);
	return ERR_PTR(err);
}

/*
 * Start the core and insert the PDC into the tables, which take over the
 * reference, and an initiator into the list of its socket. On failure @pe is freed.
 */
static int pe_publish(struct uet_pdc_entry *pe, const struct uet_pdc_open *how,
		      struct uet_sock *us)
{
	struct uet_pdc_table *tab = pe->fep->pdcs;
	struct uet_pdc_open open = *how;
	int err;

	open.local_pdcid = pe->id;
	open.seed = get_random_u32();
	open.paces_credit = uet_fep_paces_credit(pe->fep);
	if (pe->cce) {
		open.ccc = &pe->cce->ccc;
		open.overhead = uet_fep_overhead(pe->fep);
	}
	pe->role = open.role;
	pe->mode = open.mode;
	pe->syn_psn = open.start_psn;
	pe->start_psn = open.start_psn;
	uet_pdc_init(pe->pdc, &pe->settings->pdc, &open, uet_now_ns());

	uet_pdc_entry_lock(pe);
	uet_pdc_memory_start(pe);
	err = uet_pdc_table_add(tab, pe);
	pe->listed = !err;
	if (!err && us)
		pe_join_ep(pe, us);
	if (!err)
		uet_pdc_traffic_open(pe);
	uet_pdc_entry_unlock(pe);
	if (err) {
		uet_pdc_peer_leave(&tab->peers, pe->traffic.peer);
		uet_pdc_table_free_id(tab, pe->id);
		uet_pdc_entry_put(pe);
	}
	return err;
}

static enum uet_pool pe_pool(const struct uet_pdc_open *open)
{
	return open->is_reserved ? UET_POOL_RESERVED : UET_POOL_COMMON;
}

/* The PDC that the socket used last, if it is still found by this key. */
static struct uet_pdc_entry *pe_find_latest(struct uet_sock *us,
					    const struct uet_peer_key *key)
{
	struct uet_pdc_entry *pe = rcu_dereference(us->links.latest);

	/* Pairs with the WRITE_ONCE()s in pdc_table.c. */
	if (pe && READ_ONCE(pe->hashed) && !memcmp(&pe->key, key, sizeof(*key)))
		return pe;
	return NULL;
}

static struct uet_pdc_entry *pe_find_initiator(struct uet_fep *fep,
					       const struct uet_peer_key *key,
					       struct uet_sock *us)
{
	struct uet_pdc_entry *pe;

	rcu_read_lock();
	pe = pe_find_latest(us, key);
	if (!pe)
		pe = uet_pdc_table_initiator(fep->pdcs, key);
	if (pe && !refcount_inc_not_zero(&pe->refs))
		pe = NULL;
	rcu_read_unlock();
	return pe;
}

/* Return: the PDC with one reference for the tables and one for the caller. */
static struct uet_pdc_entry *pe_open_initiator(struct uet_fep *fep,
					       const struct uet_peer_key *key,
					       struct uet_sock *us,
					       gfp_t gfp)
{
	struct uet_pools *pools = &fep->pdcs->pools;
	const struct uet_share_owner owner = uet_sock_owner(us);
	struct uet_pdc_open open = {
		.role = UET_PDC_INITIATOR,
		.mode = key->mode,
		.is_reserved = key->is_reserved,
		/* A PDC of all sockets carries READs and restarts that peers have caused. */
		.is_answer = !key->cookie,
		.start = fep->cfg.sd ? UET_PDC_START_EXPECTED :
				       UET_PDC_START_PLAIN,
	};
	struct uet_pdc_entry *pe;
	int err, pool;

	open.start_psn = uet_pdc_table_start_psn(fep->pdcs, key, open.start);
	pool = uet_pools_take_initiator(pools, &owner, pe_pool(&open));
	if (pool < 0)
		return ERR_PTR(pool);
	pe = pe_alloc(fep, uet_fep_settings_get(fep), &key->peer, key->mode,
		      gfp);
	if (IS_ERR(pe)) {
		err = PTR_ERR(pe);
		goto err_give;
	}
	pe->key = *key;
	pe->owner = owner;
	pe->traffic.job = owner.job;
	pe->pool = pool;
	refcount_inc(&pe->refs);
	/* A PDC of all sockets ends when it is idle. */
	err = pe_publish(pe, &open, key->cookie ? us : NULL);
	if (err)
		goto err_put;
	uet_mib_inc(fep->un, UET_MIB_PDC_OPENED);
	return pe;

err_put:
	uet_pdc_entry_put(pe);
err_give:
	uet_pools_give_initiator(pools, &owner, pool);
	return ERR_PTR(err);
}

/* Return: the PDC, with its window; without memory for one, the reference is dropped. */
static struct uet_pdc_entry *pe_wake(struct uet_pdc_entry *pe, gfp_t gfp)
{
	int err = uet_pdc_entry_wake(pe, gfp);

	if (!err)
		return pe;
	uet_pdc_entry_put(pe);
	return ERR_PTR(err);
}

/**
 * uet_pdc_entry_get_initiator() - find or open the PDC for messages from a
 *	socket to an endpoint
 * @fep: local FEP; the caller has a reference
 * @key: the pair of endpoints
 * @us: socket of @key; a new PDC counts against the shares of its job and its user
 * @gfp: allocation flags
 *
 * Context: Process; sleeps if @gfp allows.
 * Return: a PDC with a reference for the caller, to be dropped by
 *	uet_pdc_entry_put(); -ENOMEM; -ENOSPC: the job or the user has its
 *	share of the FEP's PDCs; -ENETDOWN: the FEP is being deleted.
 * Spec: UE 1.0.1 3.5.8.2.
 */
struct uet_pdc_entry *
uet_pdc_entry_get_initiator(struct uet_fep *fep, const struct uet_peer_key *key,
			    struct uet_sock *us, gfp_t gfp)
{
	struct uet_pdc_entry *pe;

	if (READ_ONCE(fep->dead))
		return ERR_PTR(-ENETDOWN);
	/*
	 * Two threads may open one at the same time: the loser finds the
	 * winner's PDC.
	 */
	do {
		pe = pe_find_initiator(fep, key, us);
		if (pe)
			return pe_wake(pe, gfp);
		pe = pe_open_initiator(fep, key, us, gfp);
	} while (PTR_ERR_OR_ZERO(pe) == -EEXIST);
	return pe;
}

/* Has the PDC no message? Its lock is held. */
static bool pe_is_drained(const struct uet_pdc_entry *pe)
	__must_hold(&pe->lock)
{
	return pe->dead || uet_ses_is_idle(&pe->ses);
}

/**
 * uet_pdc_entry_is_drained() - check whether another PDC may take over
 * @pe: PDC
 *
 * Context: Process or softirq.
 * Return: true when all messages sent on the PDC were answered or have failed.
 */
bool uet_pdc_entry_is_drained(struct uet_pdc_entry *pe)
{
	bool is_drained;

	uet_pdc_entry_lock(pe);
	is_drained = pe_is_drained(pe);
	uet_pdc_entry_unlock(pe);
	return is_drained;
}

/* Queue a message, or take a PDC that is closing from the table. */
static int pe_queue(struct uet_pdc_entry *pe, struct uet_tx_message *tm)
	__must_hold(&pe->lock)
{
	if (!pe->dead && uet_pdc_takes_messages(pe->pdc)) {
		uet_ses_tx_queue(&pe->ses, &tm->ses);
		return 0;
	}
	if (pe->mode == UET_PDC_ROD && !pe_is_drained(pe))
		return -EBUSY;
	uet_pdc_table_hide(pe->fep->pdcs, pe);
	return -ESHUTDOWN;
}

/* Was the sender preempted since its previous message, and has it not slept? */
static bool pe_was_preempted(struct uet_pdc_sender *sender)
{
	const struct uet_pdc_sender now = {
		.pid = task_pid_nr(current),
		.nvcsw = current->nvcsw,
		.nivcsw = current->nivcsw,
	};
	bool was = now.pid == sender->pid && now.nvcsw == sender->nvcsw &&
		   now.nivcsw != sender->nivcsw;

	*sender = now;
	return was;
}

/**
 * uet_pdc_entry_send() - queue a message
 * @pe: from uet_pdc_entry_get_initiator()
 * @tm: message, with all of its data, or to be continued by
 *	uet_pdc_entry_supply()
 * @hint: may the message wait for others? Not unless @tm has all of its data
 *
 * Sends as much as possible at once, unless the message waits for the next ones, see
 * core/pds/cork.c. When the message is done, possibly before
 * this function returns, uet_tx_message_finish() is called for it exactly once.
 *
 * Context: Process or softirq; sends packets.
 * Return: 0: the PDC has taken over the reference of uet_tx_message_alloc();
 *	-ESHUTDOWN: the PDC is closing, nothing was done, get another PDC;
 *	-EBUSY: a closing ROD PDC still has messages, which a message on another
 *	PDC could overtake: wait for uet_pdc_entry_is_drained().
 */
int uet_pdc_entry_send(struct uet_pdc_entry *pe, struct uet_tx_message *tm,
		       enum uet_cork_hint hint)
{
	u32 bytes = tm->ses.length;
	int err;

	uet_pdc_entry_lock(pe);
	err = pe_queue(pe, tm);
	if (err) {
		uet_pdc_entry_unlock(pe);
		return err;
	}
	if (uet_cork_add(&pe->cork, bytes, hint, hint == UET_CORK_STREAM &&
			 pe_was_preempted(&pe->sender), uet_pdc_entry_now(pe))) {
		uet_pdc_entry_run(pe, UET_RUN_CORKED);
		return 0;
	}
	uet_pdc_entry_run(pe, UET_RUN_NOW);
	if (hint == UET_CORK_STREAM)
		uet_cork_sent(&pe->cork, uet_now_ns());
	return 0;
}

/**
 * uet_pdc_entry_uncork() - send messages of a socket that wait because others are expected
 * @us: socket whose process waits for something, or looks for it
 *
 * Context: Process or softirq, no PDC lock held; sends packets.
 */
void uet_pdc_entry_uncork(struct uet_sock *us)
{
	struct uet_pdc_entry *pe;
	bool is_waiting;

	rcu_read_lock();
	pe = rcu_dereference(us->links.latest);
	if (pe && uet_cork_wants_awaited(&pe->cork)) {
		uet_pdc_entry_lock(pe);
		is_waiting = pe->cork.is_guess;
		uet_cork_awaited(&pe->cork);
		if (is_waiting)
			uet_pdc_entry_run(pe, UET_RUN_NOW);
		else
			uet_pdc_entry_unlock(pe);
	}
	rcu_read_unlock();
}

/*
 * Queue a message that the timer of the PDC sends.
 * @pe: from uet_pdc_entry_get_initiator()
 * @tm: message, as for uet_pdc_entry_send()
 *
 * For callers in the run loop of another PDC, which run no second loop inside it.
 *
 * Context: Process or softirq, no PDC lock held.
 * Return: as uet_pdc_entry_send(); -EPIPE: the socket of @pe is closed, and @pe ends
 *	without the message.
 */
int uet_pdc_entry_send_later(struct uet_pdc_entry *pe,
			     struct uet_tx_message *tm)
{
	int err;

	uet_pdc_entry_lock(pe);
	err = pe->unused ? -EPIPE : pe_queue(pe, tm);
	uet_pdc_entry_run(pe, UET_RUN_LATER);
	return err;
}

/**
 * uet_pdc_entry_supply() - supply more data of a message
 * @pe: PDC that queues the message
 * @tm: message; the caller has a reference
 * @chunks: the data; on success ownership passes and the list is empty
 *
 * Context: Process or softirq; sends packets.
 * Return: 0; -EPIPE: the message is done and takes no more data.
 */
int uet_pdc_entry_supply(struct uet_pdc_entry *pe, struct uet_tx_message *tm,
			 struct list_head *chunks)
{
	bool taken;

	uet_pdc_entry_lock(pe);
	taken = uet_tx_message_append(tm, chunks);
	uet_pdc_entry_run(pe, UET_RUN_NOW);
	return taken ? 0 : -EPIPE;
}

/**
 * uet_pdc_entry_abort_msg() - cancel a message
 * @pe: PDC that queues the message
 * @tm: message; the caller has a reference
 *
 * Data that is not packetised yet is not sent, and the target is notified. The
 * message still ends by uet_tx_message_finish(). No effect if the message is
 * done.
 *
 * Context: Process or softirq; sends packets.
 */
void uet_pdc_entry_abort_msg(struct uet_pdc_entry *pe,
			     struct uet_tx_message *tm)
{
	uet_pdc_entry_lock(pe);
	if (!tm->done)
		uet_ses_tx_abort(&pe->ses, &tm->ses);
	uet_pdc_entry_run(pe, UET_RUN_NOW);
}

/* Refuse the rest of every incoming message for the endpoint @cookie. */
static void pe_cancel_rx(struct uet_pdc_entry *pe, u64 cookie,
			 struct list_head *cancelled)
{
	struct uet_ses_rx *rx, *next;
	struct uet_rx_message *rm;

	lockdep_assert_held(&pe->lock);
	list_for_each_entry_safe(rx, next, &pe->ses.rxq, link) {
		if (rx->failed)
			continue;
		rm = container_of(rx, struct uet_rx_message, ses);
		if (rm->us->cookie != cookie)
			continue;
		uet_ses_rx_fail(rx, UET_RC_CANCELLED);
		uet_pdc_entry_mark_failed(pe, rm);
		list_add_tail(&rx->link, cancelled);
	}
}

static void pe_release_target(struct uet_pdc_entry *pe, u64 cookie)
{
	struct uet_ses_rx *rx, *next;
	LIST_HEAD(cancelled);

	uet_pdc_entry_lock(pe);
	pe_cancel_rx(pe, cookie, &cancelled);
	uet_pdc_entry_unlock(pe);
	list_for_each_entry_safe(rx, next, &cancelled, link) {
		list_del_init(&rx->link);
		uet_rx_message_put(
			container_of(rx, struct uet_rx_message, ses));
	}
}

static void pe_release_initiator(struct uet_pdc_entry *pe, u64 end_ns)
{
	uet_pdc_entry_lock(pe);
	pe->unused = true;
	if (!pe->dead) {
		uet_ses_rdv_shut(&pe->ses);
		uet_pdc_close_by(pe->pdc, end_ns);
	}
	uet_pdc_table_hide(pe->fep->pdcs, pe);
	uet_pdc_entry_leave_ep(pe);
	uet_pdc_entry_run(pe, UET_RUN_NOW);
}

/* Return: one of the PDCs of the socket, with a reference; NULL: there is none. */
static struct uet_pdc_entry *pe_first_of_ep(struct uet_sock *us)
{
	struct uet_pdc_entry *pe;

	/* A PDC leaves the list before it drops the reference of the tables. */
	spin_lock_bh(&us->links.lock);
	pe = list_first_entry_or_null(&us->links.pdcs, struct uet_pdc_entry,
				      on_ep);
	if (pe)
		refcount_inc(&pe->refs);
	spin_unlock_bh(&us->links.lock);
	return pe;
}

/* No PDC joins the list of the socket from now on. */
static void pe_shut_ep(struct uet_sock *us)
{
	spin_lock_bh(&us->links.lock);
	us->links.is_closed = true;
	spin_unlock_bh(&us->links.lock);
}

/**
 * uet_pdc_entry_release_ep() - close the PDCs of an endpoint that is being
 *	removed
 * @us: the endpoint
 * @end_ns: monotonic time at which its PDCs end with their messages, ns
 *
 * The endpoint's PDCs close after delivering their queued messages, except
 * rendezvous messages, because the memory of the endpoint cannot be read any
 * more. Incoming messages for the endpoint fail, and their senders get
 * UET_RC_CANCELLED. The endpoint has left uet_ep_table.eps and refuses new
 * messages. The PDCs of other endpoints are not visited.
 *
 * Context: Process, sleeps.
 */
void uet_pdc_entry_release_ep(struct uet_sock *us, u64 end_ns)
{
	struct uet_pdc_entry *pe;
	u16 pdcid;

	pe_shut_ep(us);
	while ((pe = pe_first_of_ep(us))) {
		pe_release_initiator(pe, end_ns);
		uet_pdc_entry_put(pe);
		cond_resched();
	}
	rcu_read_lock();
	/* Another PDC with the PDCID of one that is gone has no such message. */
	while (uet_rx_message_unlink_first(us, &pdcid)) {
		pe = uet_pdc_table_find(us->fep->pdcs, pdcid);
		if (pe && pe->role == UET_PDC_TARGET)
			pe_release_target(pe, us->cookie);
		cond_resched_rcu();
	}
	rcu_read_unlock();
}

/**
 * uet_pdc_entry_accept() - open a PDC for a SYN that matches no PDC
 * @fep: FEP that received the packet
 * @key: key of the sender
 * @open: from uet_pds_opens_pdc(); this function adds ids and seed
 *
 * Context: Softirq, rcu_read_lock() held.
 * Return: the PDC, valid under RCU, new or opened by another packet meanwhile;
 *	-ENOSPC: the FEP or the peer has reached its limit in the available
 *	pools; -ENOMEM; -ENETDOWN.
 * Spec: UE 1.0.1 3.5.8.2.
 */
struct uet_pdc_entry *uet_pdc_entry_accept(struct uet_fep *fep,
					   const struct uet_syn_key *key,
					   const struct uet_pdc_open *open)
{
	struct uet_pools *pools = &fep->pdcs->pools;
	struct uet_fep_settings *settings;
	struct uet_pdc_entry *pe, *other;
	int err, pool;
	u32 units;

	if (READ_ONCE(fep->dead))
		return ERR_PTR(-ENETDOWN);
	settings = uet_fep_settings_get(fep);
	units = uet_pdc_memory_units(&settings->pdc);
	pool = uet_pools_take_target(pools, &key->peer, units, pe_pool(open));
	if (pool < 0) {
		uet_fep_settings_put(settings);
		return ERR_PTR(pool);
	}
	pe = pe_alloc(fep, settings, &key->peer, open->mode, GFP_ATOMIC);
	if (IS_ERR(pe)) {
		err = PTR_ERR(pe);
		uet_pools_free_target(units);
		goto err_give;
	}
	pe->is_charged = true;
	pe->syn = *key;
	pe->pool = pool;
	err = pe_publish(pe, open, NULL);
	if (err)
		goto err_give;
	uet_mib_inc(fep->un, UET_MIB_PDC_ACCEPTED);
	return pe;

err_give:
	uet_pools_give_target(pools, &key->peer, units, pool);
	other = err == -EEXIST ? uet_pdc_table_target(fep->pdcs, key) : NULL;
	return other ? other : ERR_PTR(err);
}

/**
 * uet_pdc_entry_kill() - abort a PDC and remove it from the tables
 * @pe: PDC; stays valid until the RCU read side section ends
 *
 * Queued messages fail, and packets in flight are lost. The peer is not notified.
 *
 * Context: Process or softirq; sends packets.
 */
void uet_pdc_entry_kill(struct uet_pdc_entry *pe)
{
	uet_pdc_entry_lock(pe);
	if (!pe->dead)
		uet_pdc_abort(pe->pdc, uet_pdc_entry_now(pe));
	uet_pdc_entry_unlist(pe);
	uet_pdc_entry_run(pe, UET_RUN_NOW);
}

/**
 * uet_pdc_entry_kill_all() - abort all PDCs of a FEP
 * @fep: FEP that is being deleted: no receiver, no endpoints
 *
 * A grace period after the return, and after uet_pdc_entry_wait() then, no PDC of the FEP
 * runs, sends or counts.  Receivers and timers run in softirq and senders have BH disabled,
 * so the grace period waits for all current users. New users are impossible: the PDC
 * is dead and not in the tables, and a timer that still fires returns at once.
 *
 * Context: Process.
 */
void uet_pdc_entry_kill_all(struct uet_fep *fep)
{
	struct uet_pdc_entry *pe;
	unsigned long id;

	rcu_read_lock();
	/* The next one is looked up by its number. */
	xa_for_each(&fep->pdcs->ids, id, pe) {
		uet_pdc_entry_kill(pe);
		cond_resched_rcu();
	}
	rcu_read_unlock();
}

/**
 * uet_pdc_entry_wait() - wait for workers that end PDCs and RUDI requests
 *
 * Context: Process, a grace period after uet_pdc_entry_kill_all() and
 *	uet_rudi_entry_kill_all().
 */
void uet_pdc_entry_wait(void)
{
	flush_workqueue(uet_pdc_wq);
}
