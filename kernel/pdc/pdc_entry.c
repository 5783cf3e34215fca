// SPDX-License-Identifier: GPL-2.0
/*
 * Lifetime of PDCs in the shell: a PDC is created for a socket's first message to an endpoint or
 * by a peer's SYN, found again, closed after its socket, and freed. Also the operations of a
 * socket on a PDC. The run loop is in pdc_run.c, the protocol in core/.
 *
 * A PDC is an object of 2 KiB, and while it is in use a window of 30 KiB for packets in flight.
 * A sweep each second takes the windows of idle PDCs back.  A window comes back with the next
 * message, packet or deadline.  If there is no memory for it, a packet is lost, and what is to be
 * sent waits.  The pools count a PDC as if it always had its window.
 * Spec: UE 1.0.1 3.5.8 (PDC selection, open, close), Table 3-58 (RETRY).
 */
#include <linux/random.h>
#include <linux/rcupdate_wait.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "message/message.h"
#include "pdc.h"

/* A PDC that is idle for so long gives its window back, with the next sweep. */
#define MEMORY_IDLE_NS		NSEC_PER_SEC

/* Time between sweeps. */
#define MEMORY_SWEEP		HZ

static struct kmem_cache *memory_cache;

/* Memory of an idle PDC: the entry and struct uet_pdc, bytes; more with debug options. */
#define MEMORY_IDLE		SZ_2K

/* As in sendmsg(): a PDC can close between look-up and use. */
#define PE_SEND_TRIES		8

/**
 * uet_pdc_entry_init() - create the cache of PDCs and the work queue: 0 or -ENOMEM
 */
int uet_pdc_entry_init(void)
{
	size_t size = sizeof(struct uet_pdc_entry) + uet_pdc_size();

	BUILD_BUG_ON(sizeof(struct uet_pdc_entry) % __alignof__(u64));
	memory_cache = kmem_cache_create("uet_pdc", size, __alignof__(u64), 0, NULL);
	if (!memory_cache)
		return -ENOMEM;
	uet_pdc_wq = alloc_workqueue("uet_pdc", WQ_UNBOUND, 0);
	if (uet_pdc_wq)
		return 0;
	kmem_cache_destroy(memory_cache);
	return -ENOMEM;
}

/**
 * uet_pdc_entry_fini() - wait until the last PDC and the last RUDI object is freed
 */
void uet_pdc_entry_fini(void)
{
	/* First wait for the grace periods that queue the work, then for the work. */
	rcu_barrier();
	destroy_workqueue(uet_pdc_wq);
	kmem_cache_destroy(memory_cache);
}

/* --------------------------------------------------------------------------- memory */

static size_t memory_window_size(const struct uet_pdc_cfg *cfg)
{
	return sizeof(struct uet_pdc_window) + uet_pdc_window_size(cfg);
}

/* Units of UET_PDC_MEM_UNIT, rounded up, of a PDC with its window. */
static u32 memory_units(const struct uet_pdc_cfg *cfg)
{
	return DIV_ROUND_UP(MEMORY_IDLE + memory_window_size(cfg), UET_PDC_MEM_UNIT);
}

/*
 * With congestion control the default window takes 9 pages, for which kmalloc() would take 16.
 * Atomic context has no vmalloc().
 */
static struct uet_pdc_window *memory_get_window(const struct uet_pdc_entry *pe, gfp_t gfp)
{
	size_t size = memory_window_size(&pe->settings->pdc);
	struct uet_pdc_window *window;

	gfp |= __GFP_NOWARN;
	if (!gfpflags_allow_blocking(gfp))
		return alloc_pages_exact(size, gfp);
	window = alloc_pages_exact(size, gfp | __GFP_NORETRY);
	return window ? window : __vmalloc(size, gfp);
}

static void memory_put_window(const struct uet_pdc_entry *pe, struct uet_pdc_window *window)
{
	if (!window)
		return;
	if (is_vmalloc_addr(window))
		kvfree(window);
	else
		free_pages_exact(window, memory_window_size(&pe->settings->pdc));
}

static void memory_free(struct uet_pdc_entry *pe)
{
	memory_put_window(pe, pe->window);
	uet_fep_settings_put(pe->settings);
	kmem_cache_free(memory_cache, pe);
}

/*
 * A zeroed PDC, or NULL, with a window that the core does not have yet.  The reference of
 * @settings passes to it, or is dropped.
 */
static struct uet_pdc_entry *memory_alloc(struct uet_fep_settings *settings, gfp_t gfp)
{
	struct uet_pdc_entry *pe;

	pe = kmem_cache_zalloc(memory_cache, gfp | __GFP_NOWARN);
	if (!pe) {
		uet_fep_settings_put(settings);
		return NULL;
	}
	pe->settings = settings;
	pe->pdc = (struct uet_pdc *)(pe + 1);
	pe->window = memory_get_window(pe, gfp);
	if (pe->window)
		return pe;
	memory_free(pe);
	return NULL;
}

static void memory_sweep_later(struct uet_pdc_table *tab)
{
	queue_delayed_work(uet_pdc_wq, &tab->sweep, MEMORY_SWEEP);
}

static void memory_lend(struct uet_pdc_entry *pe, struct uet_pdc_window *window)
	__must_hold(&pe->lock)
{
	window->run.len = 0;
	uet_pdc_window_lend(pe->pdc, window->core);
	/* Pairs with the READ_ONCE()s of this file. */
	WRITE_ONCE(pe->window, window);
	memory_sweep_later(pe->fep->pdcs);
}

static void memory_wake(struct uet_pdc_entry *pe, struct uet_pdc_window *window)
	__must_hold(&pe->lock)
{
	memory_lend(pe, window);
	uet_mib_inc(pe->fep->un, UET_MIB_PDC_WOKEN);
}

/*
 * Give a PDC that is about to be used its window, charged to the caller like that of a new PDC.
 * Return: 0 or -ENOMEM.
 */
static int memory_make_awake(struct uet_pdc_entry *pe, gfp_t gfp)
{
	struct uet_pdc_window *window;

	/* Pairs with the WRITE_ONCE()s of this file. */
	if (likely(READ_ONCE(pe->window)))
		return 0;
	window = memory_get_window(pe, gfp);
	if (!window)
		return -ENOMEM;
	uet_pdc_entry_lock(pe);
	/* Without @dead the tables, and their sweep, exist. */
	if (!pe->window && !pe->dead) {
		memory_wake(pe, window);
		window = NULL;
	}
	uet_pdc_entry_unlock(pe);
	memory_put_window(pe, window);
	return 0;
}

/*
 * uet_pdc_entry_awake() - has a PDC, locked and not @dead, its window, or can it get one at
 *	once?
 * Return: false: there is no memory; then the core must not be called.
 */
bool uet_pdc_entry_awake(struct uet_pdc_entry *pe)
{
	struct uet_pdc_window *window;

	lockdep_assert_held(&pe->lock);
	if (likely(pe->window))
		return true;
	window = memory_get_window(pe, GFP_ATOMIC);
	if (!window)
		return false;
	memory_wake(pe, window);
	return true;
}

/* Take the window of a PDC back if it has been idle for long. Return: it has one. */
static bool memory_sleep(struct uet_pdc_entry *pe)
	__must_hold(&pe->lock)
{
	struct uet_pdc_window *window = pe->window;
	u64 since;

	if (!window)
		return false;
	since = uet_pdc_window_idle_since(pe->pdc);
	if (since == UET_NEVER || since + MEMORY_IDLE_NS > uet_now_ns())
		return true;
	uet_pdc_window_reclaim(pe->pdc);
	WRITE_ONCE(pe->window, NULL);
	memory_put_window(pe, window);
	uet_mib_inc(pe->fep->un, UET_MIB_PDC_SLEPT);
	return false;
}

/* Work: take the windows of idle PDCs back. */
static void memory_sweep(struct work_struct *work)
{
	struct uet_pdc_table *tab = container_of(to_delayed_work(work),
						 struct uet_pdc_table, sweep);
	struct uet_pdc_entry *pe;
	bool are_left = false;
	unsigned long id;

	rcu_read_lock();
	xa_for_each(&tab->ids, id, pe) {
		if (READ_ONCE(pe->window)) {
			uet_pdc_entry_lock(pe);
			are_left |= memory_sleep(pe);
			uet_pdc_entry_unlock(pe);
		}
		cond_resched_rcu();
	}
	rcu_read_unlock();
	if (are_left)
		memory_sweep_later(tab);
}

/*
 * uet_pdc_table_alloc() - make empty tables, for kfree() after uet_pdc_table_fini(); NULL
 *	without memory
 */
struct uet_pdc_table *uet_pdc_table_alloc(struct uet_net *un)
{
	struct uet_pdc_table *tab = kzalloc(sizeof(*tab), GFP_KERNEL_ACCOUNT);

	if (!tab)
		return NULL;
	if (uet_pdc_table_init(tab, un)) {
		kfree(tab);
		return NULL;
	}
	INIT_DELAYED_WORK(&tab->sweep, memory_sweep);
	return tab;
}

/* -------------------------------------------------------------------------- lifetime */

/*
 * The last reference was dropped a grace period ago. Only the timer may still use the PDC: it
 * does nothing, but must have returned before the PDC is freed.
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
		uet_quota_free_pages(pe->mem_units * UET_PDC_MEM_PAGES);
	memory_free(pe);
	uet_fep_put(fep);
}

/*
 * uet_pdc_entry_put() - drop a reference, in any context but hard interrupt
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
 * uet_pdc_entry_set_latest() - note the PDC on which a socket sends from now on; sends packets
 *
 * Messages that wait on the one before have no reason to wait any more, and are sent.
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
 * Allocate the memory, the id and the shell's part of a PDC, which takes over the references of
 * @settings and @peer, even if there is no memory. The caller sets the fields of its role and calls
 * pe_publish().
 */
static struct uet_pdc_entry *pe_alloc(struct uet_fep *fep, struct uet_fep_settings *settings,
				      struct uet_pdc_peer *peer, enum uet_pdc_mode mode,
				      gfp_t gfp)
{
	struct uet_pdc_entry *pe = memory_alloc(settings, gfp);
	int err = -ENOMEM;

	if (!pe)
		goto err_peer;
	if (uet_path_init(&pe->path, fep, gfp))
		goto err_free;
	if (pe->settings->pdc.has_cc) {
		pe->cce = uet_ccc_entry_get(fep, &peer->fa, mode, gfp);
		if (!pe->cce)
			goto err_path;
	}
	err = uet_pdc_table_new_id(fep->pdcs, &pe->id, gfp);
	if (err)
		goto err_ccc;

	pe->mem_units = memory_units(&pe->settings->pdc);
	pe->traffic.peer = peer;
	pe->peer = peer->fa;
	uet_cc_waiter_init(&pe->waiter, &uet_pdc_entry_waiter_ops);
	spin_lock_init(&pe->lock);
	uet_ses_init(&pe->ses);
	pe->ses.gen.is_ordered = mode == UET_PDC_ROD;
	INIT_LIST_HEAD(&pe->rdvs);
	__skb_queue_head_init(&pe->early);
	pe->armed_ns = UET_NEVER;
	uet_cork_init(&pe->cork);
	hrtimer_setup(&pe->timer, uet_pdc_entry_timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	refcount_set(&pe->refs, 1);
	uet_fep_get(fep);
	pe->fep = fep;
	return pe;

err_ccc:
	if (pe->cce)
		uet_ccc_entry_put(pe->cce);
err_path:
	uet_path_fini(&pe->path);
err_free:
	memory_free(pe);
err_peer:
	uet_pdc_peer_leave(&fep->pdcs->peers, peer);
	uet_pdc_peer_put(peer);
	return ERR_PTR(err);
}

/*
 * Start the core and insert the PDC into the tables, which take over the reference, and an
 * initiator into the list of its socket. On failure @pe is freed.
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
	memory_lend(pe, pe->window);
	err = uet_pdc_table_add(tab, pe);
	pe->listed = !err;
	if (!err && us)
		pe_join_ep(pe, us);
	if (!err)
		uet_pdc_traffic_open(pe);
	uet_pdc_entry_unlock(pe);
	if (err) {
		uet_pdc_peer_leave(&tab->peers, pe->traffic.peer);
		xa_erase_bh(&tab->ids, pe->id);
		uet_pdc_entry_put(pe);
	}
	return err;
}

static enum uet_pool pe_pool(const struct uet_pdc_open *open)
{
	return open->is_reserved ? UET_POOL_RESERVED : UET_POOL_COMMON;
}

static struct uet_pdc_entry *pe_find_initiator(struct uet_fep *fep,
					       const struct uet_peer_key *key,
					       struct uet_sock *us)
{
	struct uet_pdc_entry *pe;

	rcu_read_lock();
	/* The PDC that the socket used last.  Pairs with the WRITE_ONCE()s in pdc_table.c. */
	pe = rcu_dereference(us->links.latest);
	if (!pe || !READ_ONCE(pe->hashed) || memcmp(&pe->key, key, sizeof(*key)))
		pe = uet_pdc_table_initiator(fep->pdcs, key);
	if (pe && !refcount_inc_not_zero(&pe->refs))
		pe = NULL;
	rcu_read_unlock();
	return pe;
}

/* Return: the PDC with one reference for the tables and one for the caller. */
static struct uet_pdc_entry *pe_open_initiator(struct uet_fep *fep,
					       const struct uet_peer_key *key,
					       struct uet_sock *us, gfp_t gfp)
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
	struct uet_pdc_peer *peer;
	int err, pool = pe_pool(&open);

	open.start_psn = uet_pdc_table_start_psn(fep->pdcs, key, open.start);
	/* The share of the job or of the user, of the reserved pool before the common one. */
	do {
		err = uet_shares_take(&pools->initiators[pool], &owner, 1);
	} while (err && --pool >= UET_POOL_COMMON);
	if (err)
		return ERR_PTR(err);
	err = -ENOMEM;
	peer = uet_pdc_peer_join(&fep->pdcs->peers, &key->peer, gfp);
	if (!peer)
		goto err_give;
	pe = pe_alloc(fep, uet_fep_settings_get(fep), peer, key->mode, gfp);
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
	uet_shares_give(&pools->initiators[pool], &owner, 1);
	return ERR_PTR(err);
}

/*
 * uet_pdc_entry_get_initiator() - find or open the PDC for messages from a socket to an
 *	endpoint
 * @us: socket of @key; a new PDC counts against the shares of its job and its user
 * Return: a PDC with a reference; -ENOMEM; -ENOSPC: the job or the user has its share of the
 *	FEP's PDCs; -ENETDOWN: the FEP is being deleted.
 * Spec: UE 1.0.1 3.5.8.2.
 */
struct uet_pdc_entry *
uet_pdc_entry_get_initiator(struct uet_fep *fep, const struct uet_peer_key *key,
			    struct uet_sock *us, gfp_t gfp)
{
	struct uet_pdc_entry *pe;
	int err;

	if (READ_ONCE(fep->dead))
		return ERR_PTR(-ENETDOWN);
	/* Two threads may open one at the same time: the loser finds the winner's PDC. */
	do {
		pe = pe_find_initiator(fep, key, us);
		if (pe)
			break;
		pe = pe_open_initiator(fep, key, us, gfp);
		if (!IS_ERR(pe))
			return pe;
	} while (PTR_ERR(pe) == -EEXIST);
	if (IS_ERR(pe))
		return pe;
	err = memory_make_awake(pe, gfp);
	if (!err)
		return pe;
	uet_pdc_entry_put(pe);
	return ERR_PTR(err);
}

static bool pe_is_drained(const struct uet_pdc_entry *pe)
	__must_hold(&pe->lock)
{
	return pe->dead || uet_ses_is_idle(&pe->ses);
}

/*
 * uet_pdc_entry_is_drained() - were all messages of a PDC answered, or failed, so that another
 *	PDC may take over?
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

/*
 * uet_pdc_entry_send() - queue a message, and send as much as possible; sends packets
 * @tm: with all of its data, or to be continued by uet_pdc_entry_supply()
 * @hint: may the message wait for others, see core/pds/cork.c? Not unless @tm has all of its
 *	data
 *
 * When the message is done, possibly before this function returns, uet_tx_message_finish() is
 * called for it exactly once.
 * Return: 0: the PDC has taken over the reference of uet_tx_message_alloc(); -ESHUTDOWN: the
 *	PDC is closing, nothing was done, get another PDC; -EBUSY: a closing ROD PDC still has
 *	messages, which a message on another PDC could overtake: wait for
 *	uet_pdc_entry_is_drained().
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
 * uet_pdc_entry_uncork() - send messages that wait because others are expected; sends packets
 * @us: socket whose process waits for something, or looks for it
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
UET_EXPORT(uet_pdc_entry_uncork);

/* Return: as uet_pdc_entry_send(); -EPIPE: the socket of @pe is closed, and @pe ends without it. */
static int pe_send_later(struct uet_pdc_entry *pe, struct uet_tx_message *tm)
{
	int err;

	uet_pdc_entry_lock(pe);
	err = pe->unused ? -EPIPE : pe_queue(pe, tm);
	uet_pdc_entry_run(pe, UET_RUN_LATER);
	return err;
}

/*
 * uet_pdc_entry_send_again() - send a message on a PDC of @key
 * @is_later: the timer of the PDC sends it: the run loop of one PDC never runs inside that of
 *	another
 *
 * Return: 0; else the message is unchanged.
 */
int uet_pdc_entry_send_again(struct uet_fep *fep, const struct uet_peer_key *key,
			     struct uet_tx_message *tm, bool is_later, gfp_t gfp)
{
	struct uet_pdc_entry *pe;
	int tries, err = -ESHUTDOWN;

	tm->hint = NULL;
	tm->done = false;
	for (tries = 0; err == -ESHUTDOWN && tries < PE_SEND_TRIES; tries++) {
		pe = uet_pdc_entry_get_initiator(fep, key, tm->us, gfp);
		err = PTR_ERR_OR_ZERO(pe);
		if (err)
			break;
		err = is_later ? pe_send_later(pe, tm) :
				 uet_pdc_entry_send(pe, tm, UET_CORK_NEVER);
		uet_pdc_entry_put(pe);
	}
	if (err)
		tm->done = true;
	return err;
}

/*
 * uet_pdc_entry_supply() - supply more data, @chunks, of a message; sends packets
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

/*
 * uet_pdc_entry_accept() - open a PDC for a SYN that matches no PDC
 * @open: from uet_pds_opens_pdc(); this function adds ids and seed
 * Return: the PDC, valid under RCU, new or opened by another packet meanwhile; -ENOSPC: the FEP
 *	or the peer has reached its limit in the available pools; -ENOMEM; -ENETDOWN.
 * Spec: UE 1.0.1 3.5.8.2.
 */
struct uet_pdc_entry *uet_pdc_entry_accept(struct uet_fep *fep, const struct uet_syn_key *key,
					   const struct uet_pdc_open *open)
{
	struct uet_fep_settings *settings;
	struct uet_pdc_entry *pe, *other;
	struct uet_pdc_peer *peer;
	int err, pool;
	u32 units;

	if (READ_ONCE(fep->dead))
		return ERR_PTR(-ENETDOWN);
	settings = uet_fep_settings_get(fep);
	units = memory_units(&settings->pdc);
	pool = uet_pools_take_target(fep->pdcs, &key->peer, units, pe_pool(open), &peer);
	if (pool < 0) {
		uet_fep_settings_put(settings);
		return ERR_PTR(pool);
	}
	pe = pe_alloc(fep, settings, peer, open->mode, GFP_ATOMIC);
	if (IS_ERR(pe)) {
		err = PTR_ERR(pe);
		uet_quota_free_pages(units * UET_PDC_MEM_PAGES);
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
	/* RCU keeps the peer valid. */
	uet_pools_give_target(fep->pdcs, peer, units, pool);
	other = err == -EEXIST ? uet_pdc_table_target(fep->pdcs, key) : NULL;
	return other ? other : ERR_PTR(err);
}

/*
 * uet_pdc_entry_kill() - abort a PDC and remove it from the tables; sends packets
 *
 * Queued messages fail, and packets in flight are lost. The peer is not notified. @pe stays
 * valid until the RCU read side section ends.
 */
void uet_pdc_entry_kill(struct uet_pdc_entry *pe)
{
	uet_pdc_entry_lock(pe);
	if (!pe->dead)
		uet_pdc_abort(pe->pdc, uet_pdc_entry_now(pe));
	uet_pdc_entry_unlist(pe);
	uet_pdc_entry_run(pe, UET_RUN_NOW);
}

/*
 * uet_pdc_entry_kill_all() - abort all PDCs of a FEP that is being deleted: no receiver, no
 *	endpoints
 *
 * A grace period after the return, and after uet_pdc_entry_wait() then, no PDC of the FEP runs,
 * sends or counts.  Receivers and timers run in softirq and senders have BH disabled, so the
 * grace period waits for all current users. New users are impossible: the PDC is dead and not
 * in the tables, and a timer that still fires returns at once.
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
 * uet_pdc_entry_wait() - wait for workers that end PDCs and RUDI requests, after the grace
 *	period
 */
void uet_pdc_entry_wait(void)
{
	flush_workqueue(uet_pdc_wq);
}
