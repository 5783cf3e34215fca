// SPDX-License-Identifier: GPL-2.0
/*
 * Life and death of PDCs in the kernel: created for a socket's first message to
 * an endpoint or by a peer's SYN, found again, told that their socket has gone,
 * and freed.  Also the few things a socket may ask of a PDC.  What a PDC does
 * while it lives is in kpdc_run.c, what it decides in core/.
 * Spec: UE 1.0.1 3.5.8 (PDC selection, open, close).  Level: shell.
 */
#include <linux/random.h>
#include <linux/slab.h>

#include "base/compat.h"
#include "kpdc.h"
#include "message/msg.h"
#include "fabric/net.h"
#include "socket/sock.h"

/* Frees PDCs; a queue of our own, so that unloading can wait for it. */
static struct workqueue_struct *kpdc_wq;

/**
 * uet_kpdc_init() - prepare for PDCs
 *
 * Context: Process, module load.
 * Return: 0 or -ENOMEM.
 */
int uet_kpdc_init(void)
{
	kpdc_wq = alloc_workqueue("uet_pdc", WQ_UNBOUND, 0);
	return kpdc_wq ? 0 : -ENOMEM;
}

/**
 * uet_kpdc_fini() - wait until the last PDC is freed
 *
 * Context: Process, module unload; no FEP and no reference to a PDC is left.
 */
void uet_kpdc_fini(void)
{
	/* First the grace periods that queue the work, then the work. */
	rcu_barrier();
	destroy_workqueue(kpdc_wq);
}

/*
 * The last reference is gone for a grace period.  The one thing that may still
 * look at the PDC is its timer, which does nothing any more, but has to return.
 */
static void kpdc_free_work(struct work_struct *work)
{
	struct uet_kpdc *kpdc = container_of(to_rcu_work(work), struct uet_kpdc,
					     free_work);
	struct uet_fep *fep = kpdc->fep;

	hrtimer_cancel(&kpdc->timer);
	uet_kpacer_leave(kpdc);
	uet_path_fini(&kpdc->path);
	if (kpdc->kccc)
		uet_kccc_put(kpdc->kccc);
	kvfree(kpdc);
	uet_fep_put(fep);
}

/**
 * uet_kpdc_put() - give a reference back
 * @kpdc: PDC; not to be touched afterwards, unless RCU protects it
 *
 * Context: Any but hard interrupt.
 */
void uet_kpdc_put(struct uet_kpdc *kpdc)
{
	if (refcount_dec_and_test(&kpdc->refs))
		queue_rcu_work(kpdc_wq, &kpdc->free_work);
}

static size_t kpdc_size(const struct uet_pdc_cfg *cfg)
{
	return sizeof(struct uet_kpdc) + uet_pdc_size(cfg);
}

static u32 kpdc_weight(const struct uet_pdc_cfg *cfg)
{
	return DIV_ROUND_UP(kpdc_size(cfg), UET_KPDC_UNIT);
}

/*
 * Memory, an id and the shell's half of a PDC; the caller sets what its role
 * adds and calls kpdc_publish(), with the same @cfg.
 */
static struct uet_kpdc *kpdc_alloc(struct uet_fep *fep,
				   const struct uet_pdc_cfg *cfg,
				   const struct uet_fa *peer,
				   enum uet_pdc_mode mode, gfp_t gfp)
{
	size_t size = kpdc_size(cfg);
	struct uet_kpdc *kpdc;
	int err = -ENOMEM;

	/* kvzalloc() has no atomic form. */
	kpdc = gfpflags_allow_blocking(gfp) ? kvzalloc(size, gfp) :
					      kzalloc(size, gfp | __GFP_NOWARN);
	if (!kpdc)
		return ERR_PTR(-ENOMEM);
	if (uet_path_init(&kpdc->path, gfp))
		goto err_free;
	if (cfg->has_cc) {
		kpdc->kccc = uet_kccc_get(fep, peer, mode, gfp);
		if (!kpdc->kccc)
			goto err_path;
	}
	err = uet_table_new_id(&fep->table, &kpdc->id, gfp);
	if (err)
		goto err_ccc;

	BUILD_BUG_ON(sizeof(struct uet_kpdc) % __alignof__(u64));
	kpdc->pdc = (struct uet_pdc *)(kpdc + 1);
	kpdc->weight = kpdc_weight(cfg);
	kpdc->peer = *peer;
	INIT_LIST_HEAD(&kpdc->cc_wait);
	INIT_LIST_HEAD(&kpdc->source_link);
	spin_lock_init(&kpdc->lock);
	uet_ses_init(&kpdc->ses);
	INIT_LIST_HEAD(&kpdc->rdvs);
	kpdc->armed_ns = UET_NEVER;
	hrtimer_setup(&kpdc->timer, uet_kpdc_timer, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_SOFT);
	refcount_set(&kpdc->refs, 1);
	INIT_RCU_WORK(&kpdc->free_work, kpdc_free_work);
	uet_fep_get(fep);
	kpdc->fep = fep;
	return kpdc;

err_ccc:
	if (kpdc->kccc)
		uet_kccc_put(kpdc->kccc);
err_path:
	uet_path_fini(&kpdc->path);
err_free:
	kvfree(kpdc);
	return ERR_PTR(err);
}

/*
 * Start the core and enter the tables, which take over the reference.  If that
 * fails, @kpdc is gone.
 */
static int kpdc_publish(struct uet_kpdc *kpdc, const struct uet_pdc_cfg *cfg,
			const struct uet_pdc_open *how)
{
	struct uet_table *tab = &kpdc->fep->table;
	struct uet_pdc_open open = *how;
	int err;

	open.local_pdcid = kpdc->id;
	open.seed = get_random_u32();
	open.paces_credit = uet_fep_paces_credit(kpdc->fep);
	if (kpdc->kccc) {
		open.ccc = &kpdc->kccc->ccc;
		open.overhead = uet_kccc_overhead(kpdc->fep);
	}
	kpdc->role = open.role;
	kpdc->mode = open.mode;
	kpdc->syn_psn = open.start_psn;
	kpdc->start_psn = open.start_psn;
	uet_pdc_init(kpdc->pdc, cfg, &open, ktime_get_ns());

	uet_kpdc_lock(kpdc);
	err = uet_table_add_pdc(tab, kpdc);
	kpdc->listed = !err;
	uet_kpdc_unlock(kpdc);
	if (err) {
		uet_table_free_id(tab, kpdc->id);
		uet_kpdc_put(kpdc);
	}
	return err;
}

static enum uet_pool kpdc_wish(const struct uet_pdc_open *open)
{
	return open->is_reserved ? UET_POOL_RESERVED : UET_POOL_COMMON;
}

static struct uet_kpdc *kpdc_find_initiator(struct uet_fep *fep,
					    const struct uet_peer_key *key)
{
	struct uet_kpdc *kpdc;

	rcu_read_lock();
	kpdc = uet_table_initiator(&fep->table, key);
	if (kpdc && !refcount_inc_not_zero(&kpdc->refs))
		kpdc = NULL;
	rcu_read_unlock();
	return kpdc;
}

/* Return: with one reference for the tables and one for the caller. */
static struct uet_kpdc *kpdc_open_initiator(struct uet_fep *fep,
					    const struct uet_peer_key *key,
					    gfp_t gfp)
{
	struct uet_pdc_open open = {
		.role = UET_PDC_INITIATOR,
		.mode = key->mode,
		.start_psn = get_random_u32(),
		.is_reserved = key->is_reserved,
		.start = fep->cfg.sd ? UET_PDC_START_EXPECTED :
				       UET_PDC_START_PLAIN,
	};
	struct uet_pdc_cfg cfg;
	struct uet_kpdc *kpdc;
	int err, pool;

	pool = uet_pools_take_initiator(&fep->table.pools, kpdc_wish(&open));
	if (pool < 0)
		return ERR_PTR(pool);
	uet_fep_pdc_cfg(fep, &cfg);
	kpdc = kpdc_alloc(fep, &cfg, &key->peer, key->mode, gfp);
	if (IS_ERR(kpdc)) {
		err = PTR_ERR(kpdc);
		goto err_give;
	}
	kpdc->key = *key;
	kpdc->pool = pool;
	refcount_inc(&kpdc->refs);
	err = kpdc_publish(kpdc, &cfg, &open);
	if (err)
		goto err_put;
	uet_mib_inc(fep->un, UET_MIB_PDC_OPENED);
	return kpdc;

err_put:
	uet_kpdc_put(kpdc);
err_give:
	uet_pools_give_initiator(&fep->table.pools, pool);
	return ERR_PTR(err);
}

/**
 * uet_kpdc_get_initiator() - the PDC for messages from a socket to an endpoint
 * @fep: local FEP; the caller has a reference
 * @key: the pair of endpoints
 * @gfp: how to allocate
 *
 * Context: Process; sleeps if @gfp allows.
 * Return: a PDC with a reference for the caller, to be given back with
 *	uet_kpdc_put(); -ENOMEM; -ENOSPC when the FEP has as many as it may;
 *	-ENETDOWN when the FEP is being deleted.
 * Spec: UE 1.0.1 3.5.8.2.
 */
struct uet_kpdc *uet_kpdc_get_initiator(struct uet_fep *fep,
					const struct uet_peer_key *key,
					gfp_t gfp)
{
	struct uet_kpdc *kpdc;

	if (READ_ONCE(fep->dead))
		return ERR_PTR(-ENETDOWN);
	/* Two may open one at the same time: the loser finds the winner's. */
	do {
		kpdc = kpdc_find_initiator(fep, key);
		if (kpdc)
			return kpdc;
		kpdc = kpdc_open_initiator(fep, key, gfp);
	} while (PTR_ERR_OR_ZERO(kpdc) == -EEXIST);
	return kpdc;
}

/* A PDC without message; its lock is held. */
static bool kpdc_is_drained(const struct uet_kpdc *kpdc)
	__must_hold(&kpdc->lock)
{
	return kpdc->dead || uet_ses_is_idle(&kpdc->ses);
}

/**
 * uet_kpdc_is_drained() - may another PDC take over?
 * @kpdc: PDC
 *
 * Context: Process or softirq.
 * Return: true when everything sent on it was answered or has failed.
 */
bool uet_kpdc_is_drained(struct uet_kpdc *kpdc)
{
	bool is_drained;

	uet_kpdc_lock(kpdc);
	is_drained = kpdc_is_drained(kpdc);
	uet_kpdc_unlock(kpdc);
	return is_drained;
}

/**
 * uet_kpdc_send() - queue a message
 * @kpdc: from uet_kpdc_get_initiator()
 * @tm: message; with all of its bytes, or to be continued with
 *	uet_kpdc_supply()
 *
 * Sends what can be sent at once.  When the message is done, and it may be
 * before this returns, uet_txmsg_finish() is called for it, once.
 *
 * Context: Process or softirq; sends packets.
 * Return: 0, and the PDC has taken over the reference of uet_txmsg_alloc();
 *	-ESHUTDOWN: the PDC closes, nothing was done, get another PDC;
 *	-EBUSY: so does this one, in ROD and with messages under way, which a
 *	message on another PDC could overtake: wait for uet_kpdc_is_drained().
 */
int uet_kpdc_send(struct uet_kpdc *kpdc, struct uet_txmsg *tm)
{
	int err = 0;

	uet_kpdc_lock(kpdc);
	if (kpdc->dead || !uet_pdc_takes_messages(kpdc->pdc))
		err = kpdc->mode == UET_PDC_ROD && !kpdc_is_drained(kpdc) ?
		      -EBUSY : -ESHUTDOWN;
	if (err == -ESHUTDOWN)
		uet_table_hide_pdc(&kpdc->fep->table, kpdc);
	if (err) {
		uet_kpdc_unlock(kpdc);
		return err;
	}
	uet_ses_tx_queue(&kpdc->ses, &tm->ses);
	uet_kpdc_run_unlock(kpdc);
	return 0;
}

/**
 * uet_kpdc_supply() - more bytes for a message
 * @kpdc: PDC it was queued on
 * @tm: message; the caller has a reference
 * @chunks: bytes; on success, taken over and empty afterwards
 *
 * Context: Process or softirq; sends packets.
 * Return: 0; -EPIPE: the message is done and takes no more bytes.
 */
int uet_kpdc_supply(struct uet_kpdc *kpdc, struct uet_txmsg *tm,
		    struct list_head *chunks)
{
	bool taken;

	uet_kpdc_lock(kpdc);
	taken = uet_txmsg_append(tm, chunks);
	uet_kpdc_run_unlock(kpdc);
	return taken ? 0 : -EPIPE;
}

/**
 * uet_kpdc_abort_msg() - give a message up
 * @kpdc: PDC it was queued on
 * @tm: message; the caller has a reference
 *
 * What was not handed to the PDC is not sent, and the target is told.  The
 * message still ends with uet_txmsg_finish().  Nothing happens if it is done.
 *
 * Context: Process or softirq; sends packets.
 */
void uet_kpdc_abort_msg(struct uet_kpdc *kpdc, struct uet_txmsg *tm)
{
	uet_kpdc_lock(kpdc);
	if (!tm->done)
		uet_ses_tx_abort(&kpdc->ses, &tm->ses);
	uet_kpdc_run_unlock(kpdc);
}

/* Refuse the rest of every message under way to the endpoint @cookie. */
static void kpdc_cancel_rx(struct uet_kpdc *kpdc, u64 cookie,
			   struct list_head *cancelled)
{
	struct uet_ses_rx *rx, *next;
	struct uet_rxmsg *rm;

	lockdep_assert_held(&kpdc->lock);
	list_for_each_entry_safe(rx, next, &kpdc->ses.rxq, link) {
		if (rx->failed)
			continue;
		rm = container_of(rx, struct uet_rxmsg, ses);
		if (rm->us->cookie != cookie)
			continue;
		uet_ses_rx_fail(rx, UET_RC_CANCELLED);
		uet_kpdc_bury(kpdc, rm);
		list_add_tail(&rx->link, cancelled);
	}
}

static void kpdc_release_target(struct uet_kpdc *kpdc, u64 cookie)
{
	struct uet_ses_rx *rx, *next;
	LIST_HEAD(cancelled);

	uet_kpdc_lock(kpdc);
	kpdc_cancel_rx(kpdc, cookie, &cancelled);
	uet_kpdc_unlock(kpdc);
	list_for_each_entry_safe(rx, next, &cancelled, link) {
		list_del_init(&rx->link);
		uet_rxmsg_put(container_of(rx, struct uet_rxmsg, ses));
	}
}

static void kpdc_release_initiator(struct uet_kpdc *kpdc)
{
	uet_kpdc_lock(kpdc);
	kpdc->unused = true;
	if (!kpdc->dead)
		uet_ses_rdv_shut(&kpdc->ses);
	uet_table_hide_pdc(&kpdc->fep->table, kpdc);
	uet_kpdc_run_unlock(kpdc);
}

/**
 * uet_kpdc_release_ep() - an endpoint goes away
 * @fep: its FEP
 * @cookie: its uet_sock.cookie
 *
 * Its PDCs close as soon as they have delivered what is queued, but for rendezvous
 * messages, as its memory cannot be read any more.  Messages under
 * way to it are given up, and their senders are told UET_RC_CANCELLED.  The
 * endpoint is out of uet_table.eps and refuses new messages.
 *
 * Context: Process.
 */
void uet_kpdc_release_ep(struct uet_fep *fep, u64 cookie)
{
	struct uet_kpdc *kpdc;
	unsigned long id;

	rcu_read_lock();
	xa_for_each(&fep->table.ids, id, kpdc) {
		if (kpdc->role == UET_PDC_TARGET)
			kpdc_release_target(kpdc, cookie);
		else if (kpdc->key.cookie == cookie)
			kpdc_release_initiator(kpdc);
	}
	rcu_read_unlock();
}

/**
 * uet_kpdc_accept() - a PDC for a SYN that fits none
 * @fep: FEP the packet came to
 * @key: sender
 * @open: from uet_pds_opens_pdc(); ids and seed are filled in here
 *
 * Context: Softirq, rcu_read_lock() held.
 * Return: the PDC, valid under RCU, new or opened by another packet meanwhile;
 *	-ENOSPC when the FEP or the peer has too many in the pools open to it;
 *	-ENOMEM; -ENETDOWN.
 * Spec: UE 1.0.1 3.5.8.2.
 */
struct uet_kpdc *uet_kpdc_accept(struct uet_fep *fep,
				 const struct uet_syn_key *key,
				 const struct uet_pdc_open *open)
{
	struct uet_pools *pools = &fep->table.pools;
	struct uet_kpdc *kpdc, *other;
	struct uet_pdc_cfg cfg;
	int err, pool;

	if (READ_ONCE(fep->dead))
		return ERR_PTR(-ENETDOWN);
	uet_fep_pdc_cfg(fep, &cfg);
	pool = uet_pools_take_target(pools, &key->peer, kpdc_weight(&cfg),
				     kpdc_wish(open));
	if (pool < 0)
		return ERR_PTR(pool);
	kpdc = kpdc_alloc(fep, &cfg, &key->peer, open->mode, GFP_ATOMIC);
	if (IS_ERR(kpdc)) {
		err = PTR_ERR(kpdc);
		goto err_give;
	}
	kpdc->syn = *key;
	kpdc->pool = pool;
	err = kpdc_publish(kpdc, &cfg, open);
	if (err)
		goto err_give;
	uet_mib_inc(fep->un, UET_MIB_PDC_ACCEPTED);
	return kpdc;

err_give:
	uet_pools_give_target(pools, &key->peer, kpdc_weight(&cfg), pool);
	other = err == -EEXIST ? uet_table_target(&fep->table, key) : NULL;
	return other ? other : ERR_PTR(err);
}

/* No grace is given: what is queued fails, what is under way is lost. */
static void kpdc_kill(struct uet_kpdc *kpdc)
{
	uet_kpdc_lock(kpdc);
	if (!kpdc->dead)
		uet_pdc_abort(kpdc->pdc, ktime_get_ns());
	uet_kpdc_unlist(kpdc);
	uet_kpdc_run_unlock(kpdc);
}

/**
 * uet_kpdc_kill_all() - end all PDCs of a FEP
 * @fep: dead, its carrier closed, without endpoints
 *
 * When this returns no PDC of the FEP runs, sends or counts any more.  Who is
 * in a PDC meanwhile, and why that ends: receivers and timers run in softirq,
 * senders have BH disabled, so the grace period waits for all of them; none can
 * come after it, because the PDC is dead and out of the tables, and its timer,
 * should it still fire, sees that and returns.
 *
 * Context: Process, sleeps.
 */
void uet_kpdc_kill_all(struct uet_fep *fep)
{
	struct uet_kpdc *kpdc;
	unsigned long id;

	rcu_read_lock();
	xa_for_each(&fep->table.ids, id, kpdc)
		kpdc_kill(kpdc);
	rcu_read_unlock();
	synchronize_net();
}
