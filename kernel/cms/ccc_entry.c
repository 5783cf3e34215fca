// SPDX-License-Identifier: GPL-2.0
/*
 * Lifetime of congestion control contexts, and the service order of PDCs blocked on a
 * window.  An ACK on one PDC may open the window for another PDC.  Blocked PDCs are
 * queued in uet_ccc_entry.waiting.  A PDC that leaves its run loop while the context is
 * ready serves the queue round-robin, CCE_QUANTUM packets for each PDC.  No other PDC
 * sends while the queue is not empty, so the PDC with the earliest ACKs cannot take the
 * whole window.
 * Spec: UE 1.0.1 3.6.12.1 (one context per FEP pair and class), 3.6.12.3.
 */
#include <linux/random.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include "ccc_entry.h"
#include "fabric/fabric.h"
#include "fabric/trace.h"
#include "fep_cms.h"

/* Quantum of a blocked PDC, packets. */
#define CCE_QUANTUM	4

/* Maximum number of waiting PDCs run in a row; timers run the other PDCs. */
#define CCE_RUN_MAX	64

/* Bit of uet_ccc_entry.run_flags: a CPU is running the waiters. */
enum { CCE_RUNNING };

/* Values of uet_ev_cfg.freeze_ns and uet_ev_cfg.reroute_ns, ns. */
#define CCE_FREEZE_NS	400000
#define CCE_REROUTE_NS	1000000

/* Number of contexts whose memory is not freed yet. */
static atomic_t cce_live = ATOMIC_INIT(0);
static DECLARE_WAIT_QUEUE_HEAD(cce_gone);

/**
 * uet_fep_cms_alloc() - allocate the congestion management of a new FEP
 * @fep: the FEP
 *
 * Context: Process, may sleep.
 * Return: the object, to be freed by kvfree() with the FEP; NULL: out of memory.
 */
struct uet_fep_cms *uet_fep_cms_alloc(struct uet_fep *fep)
{
	struct uet_fep_cms *cms = kvzalloc(sizeof(*cms),
					   GFP_KERNEL_ACCOUNT | __GFP_NOWARN);

	if (!cms)
		return NULL;
	hash_init(cms->cccs);
	cms->seed = get_random_u32();
	spin_lock_init(&cms->lock);
	uet_fep_pacer_init(&cms->pacer, fep);
	return cms;
}

static void cce_ev_cfg(const struct uet_fep_settings *settings,
		       struct uet_ev_cfg *cfg)
{
	uet_ev_cfg_init(cfg);
	cfg->policy = uet_fep_paths(settings);
	cfg->values = settings->pdc.ev_count;
	cfg->burst = settings->pdc.ev_burst;
	cfg->bad_max = cfg->values / 2;
	cfg->freeze_ns = CCE_FREEZE_NS;
	cfg->reroute_ns = CCE_REROUTE_NS;
}

/* Derive the constants of a context. Return: true if the settings are valid. */
static bool cce_derive(struct uet_ccc_entry *cce,
		       const struct uet_fep_settings *settings)
{
	const struct uet_fep *fep = cce->fep;
	u16 mtu = uet_fep_cc_mtu(fep, uet_fep_settings_is_paced(settings));
	struct uet_cc_cfg cfg;

	uet_fep_cc_cfg(settings, uet_fep_cc_rate(fep, &settings->pdc), mtu, &cfg);
	return !uet_cc_derive(&cce->param, &cfg);
}

/* Return: a context with one reference, not in the table; NULL: out of memory. */
static struct uet_ccc_entry *cce_make(struct uet_fep *fep,
				      const struct uet_fep_settings *settings,
				      gfp_t gfp)
{
	u64 now = uet_now_ns();
	struct uet_ev_cfg ev_cfg;
	struct uet_ccc_entry *cce;
	size_t size;

	cce_ev_cfg(settings, &ev_cfg);
	size = struct_size(cce, penalty, uet_ev_sel_space(&ev_cfg));
	/* kmalloc() aligns a power of two to itself. */
	size = roundup_pow_of_two(max(size, UET_CCC_ENTRY_ALIGN));
	cce = kzalloc(size, gfp | __GFP_NOWARN);
	if (!cce)
		return NULL;
	cce->fep = fep;
	cce->follows = !settings->pdc.cc_rate_mbps;
	if (!cce_derive(cce, settings)) {
		kfree(cce);
		return NULL;
	}
	uet_ev_sel_init(&cce->sel, &ev_cfg, cce->penalty, get_random_u32(),
			now);
	uet_ccc_init(&cce->ccc, &cce->param, &cce->sel, now);
	cce->cwnd_seen = cce->ccc.cwnd;
	INIT_LIST_HEAD(&cce->waiting);
	uet_host_limit_init(cce);
	refcount_set(&cce->refs, 1);
	refcount_set(&cce->users, 1);
	atomic_inc(&cce_live);
	return cce;
}

static void cce_free_rcu(struct rcu_head *rcu)
{
	kfree(container_of(rcu, struct uet_ccc_entry, rcu));
	if (atomic_dec_and_test(&cce_live))
		wake_up(&cce_gone);
}

/* Drop a reference to the memory of a context. */
void uet_ccc_entry_drop(struct uet_ccc_entry *cce)
{
	if (refcount_dec_and_test(&cce->users))
		call_rcu(&cce->rcu, cce_free_rcu);
}

/**
 * uet_ccc_entry_fini() - wait until no packet refers to a context
 *
 * Devices and qdiscs may still queue packets of freed PDCs.
 *
 * Context: Process, module unload; no PDC is left.
 */
void uet_ccc_entry_fini(void)
{
	wait_event(cce_gone, !atomic_read(&cce_live));
	/* The RCU callback that caused the wake-up may still be running. */
	rcu_barrier();
}

static u32 cce_hash(const struct uet_fep *fep, const struct uet_fa *peer)
{
	return jhash(peer, sizeof(*peer), fep->cms->seed);
}

/*
 * Nobody looks up a context of ROD. It is in any bucket, so that the many contexts of a
 * peer are not in the one of its RUD context.
 */
static u32 cce_hash_of(const struct uet_ccc_entry *cce)
{
	if (cce->mode == UET_PDC_RUD)
		return cce_hash(cce->fep, &cce->peer);
	return jhash(&cce, sizeof(cce), cce->fep->cms->seed);
}

static struct uet_ccc_entry *cce_find(struct uet_fep *fep,
				      const struct uet_fa *peer,
				      enum uet_pdc_mode mode)
	__must_hold(&fep->cms->lock)
{
	struct uet_ccc_entry *cce;

	if (mode != UET_PDC_RUD)
		return NULL;
	hash_for_each_possible(fep->cms->cccs, cce, node,
			       cce_hash(fep, peer)) {
		if (cce->mode == UET_PDC_RUD &&
		    uet_fa_equal(&cce->peer, peer)) {
			refcount_inc(&cce->refs);
			return cce;
		}
	}
	return NULL;
}

static void cce_trace(struct uet_ccc_entry *cce)
{
	if (cce->ccc.cwnd == cce->cwnd_seen)
		return;
	trace_uet_ccc_window(cce->fep, &cce->peer, &cce->ccc,
			     cce->cwnd_seen);
	cce->cwnd_seen = cce->ccc.cwnd;
}

/* The caller has disabled BH. */
static void cce_update_rate(struct uet_ccc_entry *cce)
{
	u32 speed;

	if (!cce->follows)
		return;
	uet_lock_take(&cce->ccc.lock);
	speed = uet_fep_cc_speed(cce->fep, cce->param.cfg.base_rtt_ns);
	if (speed != cce->param.cfg.rate_mbps && !uet_cc_set_rate(&cce->param, speed)) {
		uet_host_limit_set(cce);
		uet_ccc_retune(&cce->ccc, uet_ccc_entry_now(cce));
		cce_trace(cce);
	}
	uet_lock_drop(&cce->ccc.lock);
}

/**
 * uet_ccc_entry_update_rates() - adapt the contexts of a FEP to the speed of its rails
 * @fep: FEP
 *
 * The next ACK serves the PDCs that wait, because packets are in flight while a PDC
 * waits.
 *
 * Context: Process, uet_net.rail_mutex held.
 */
void uet_ccc_entry_update_rates(struct uet_fep *fep)
{
	struct uet_ccc_entry *cce;
	int bucket;

	spin_lock_bh(&fep->cms->lock);
	hash_for_each(fep->cms->cccs, bucket, cce, node)
		cce_update_rate(cce);
	spin_unlock_bh(&fep->cms->lock);
}

/* Return: @new, added to the table, or the context that the table has already. */
static struct uet_ccc_entry *cce_enter(struct uet_ccc_entry *new)
{
	struct uet_fep *fep = new->fep;
	struct uet_ccc_entry *found;

	spin_lock_bh(&fep->cms->lock);
	found = cce_find(fep, &new->peer, new->mode);
	if (!found) {
		new->ccc.id = fep->cms->next_id++;
		hash_add_rcu(fep->cms->cccs, &new->node, cce_hash_of(new));
		/* The speed may have changed since the allocation. */
		cce_update_rate(new);
	}
	spin_unlock_bh(&fep->cms->lock);
	if (!found)
		return new;
	uet_ccc_entry_drop(new);
	return found;
}

/**
 * uet_ccc_entry_get() - find or create the context of a PDC
 * @fep: local FEP, with congestion control
 * @peer: fabric address of the peer
 * @mode: mode of the PDC; a ROD PDC uses one path, so it has a separate context
 * @gfp: allocation flags
 *
 * Context: As @gfp says; not in hard interrupt.
 * Return: a context with a reference for the caller; NULL: out of memory.
 */
struct uet_ccc_entry *uet_ccc_entry_get(struct uet_fep *fep,
					const struct uet_fa *peer,
					enum uet_pdc_mode mode, gfp_t gfp)
{
	struct uet_fep_settings settings;
	struct uet_ccc_entry *cce;

	spin_lock_bh(&fep->cms->lock);
	cce = cce_find(fep, peer, mode);
	spin_unlock_bh(&fep->cms->lock);
	if (cce)
		return cce;
	rcu_read_lock();
	settings = *uet_fep_settings(fep);
	rcu_read_unlock();
	cce = cce_make(fep, &settings, gfp);
	if (!cce)
		return NULL;
	cce->peer = *peer;
	cce->mode = mode;
	return cce_enter(cce);
}

/**
 * uet_ccc_entry_put() - drop the reference of a PDC
 * @cce: context
 *
 * Context: Any but hard interrupt.
 */
void uet_ccc_entry_put(struct uet_ccc_entry *cce)
{
	struct uet_fep *fep = cce->fep;
	bool is_last;

	spin_lock_bh(&fep->cms->lock);
	is_last = refcount_dec_and_test(&cce->refs);
	if (is_last)
		hash_del_rcu(&cce->node);
	spin_unlock_bh(&fep->cms->lock);
	if (!is_last)
		return;
	if (cce->is_busy)
		atomic_dec(&fep->cms->nr_busy);
	uet_ccc_entry_drop(cce);
}

/* Contexts with data to send share the credit that destinations grant to this FEP. */
static void cce_count(struct uet_ccc_entry *cce)
{
	atomic_t *nr = &cce->fep->cms->nr_busy;
	bool is_busy = cce->ccc.backlog || cce->ccc.waiting_rtx;

	if (is_busy != cce->is_busy)
		atomic_add(is_busy ? 1 : -1, nr);
	cce->is_busy = is_busy;
	cce->ccc.sharers = atomic_read(nr);
}

static bool cce_is_open(const struct uet_ccc_entry *cce)
{
	return cce->ccc.state == UET_CCC_READY && !list_empty(&cce->waiting);
}

/*
 * Queue or dequeue a PDC. Return: true if the caller must drop the reference of the
 * queue.
 */
static bool cce_set_waiting(struct uet_ccc_entry *cce,
			    struct uet_cc_waiter *waiter, bool waits)
{
	bool is_listed = !list_empty(&waiter->link);

	if (waits == is_listed)
		return false;
	if (is_listed) {
		list_del_init(&waiter->link);
		cce->ccc.nr_waiting--;
		return true;
	}
	waiter->ops->get(waiter);
	list_add_tail(&waiter->link, &cce->waiting);
	cce->ccc.nr_waiting++;
	return false;
}

/**
 * uet_ccc_entry_quantum() - most bytes of a burst of packets to the peer of a context
 * @cce: context
 *
 * Context: BH disabled.
 * Return: bytes, see uet_ccc_quantum().
 */
u32 uet_ccc_entry_quantum(struct uet_ccc_entry *cce)
{
	u32 quantum;

	uet_lock_take(&cce->ccc.lock);
	quantum = uet_ccc_quantum(&cce->ccc);
	uet_lock_drop(&cce->ccc.lock);
	return quantum;
}

/**
 * uet_ccc_entry_update() - update the context before a PDC leaves its run loop
 * @cce: context of the PDC
 * @waiter: waiter of the PDC
 * @waits: the PDC is blocked on the window
 *
 * Context: Lock of the PDC held.
 * Return: true if the caller must call uet_ccc_entry_run_waiters() after it has dropped
 *	the lock of the PDC.
 */
bool uet_ccc_entry_update(struct uet_ccc_entry *cce,
			  struct uet_cc_waiter *waiter, bool waits)
{
	bool is_off, is_open;

	uet_lock_take(&cce->ccc.lock);
	is_off = cce_set_waiting(cce, waiter, waits);
	is_open = cce_is_open(cce);
	cce_count(cce);
	cce_trace(cce);
	uet_lock_drop(&cce->ccc.lock);
	if (is_off)
		waiter->ops->put(waiter);
	return is_open;
}

/* Is the window open, and does a PDC wait for it? */
static bool cce_has_next(struct uet_ccc_entry *cce)
{
	bool has_next;

	local_bh_disable();
	uet_lock_take(&cce->ccc.lock);
	has_next = cce_is_open(cce);
	uet_lock_drop(&cce->ccc.lock);
	local_bh_enable();
	return has_next;
}

/* Packets that the next PDC may send: a whole burst if no other one waits. */
static u32 cce_quantum(const struct uet_ccc_entry *cce)
{
	const struct uet_ccc *ccc = &cce->ccc;

	if (ccc->nr_waiting)
		return CCE_QUANTUM;
	return max_t(u32, CCE_QUANTUM, uet_ccc_quantum(ccc) / ccc->param->cfg.mtu);
}

/*
 * Return: the first PDC of the queue, dequeued, with the reference of the queue, and
 * @quantum; or NULL.
 */
static struct uet_cc_waiter *cce_next(struct uet_ccc_entry *cce, u32 *quantum)
{
	struct uet_cc_waiter *waiter = NULL;

	local_bh_disable();
	uet_lock_take(&cce->ccc.lock);
	if (cce_is_open(cce)) {
		waiter = list_first_entry(&cce->waiting, struct uet_cc_waiter,
					  link);
		list_del_init(&waiter->link);
		cce->ccc.nr_waiting--;
		*quantum = cce_quantum(cce);
	}
	uet_lock_drop(&cce->ccc.lock);
	local_bh_enable();
	return waiter;
}

/*
 * One CPU at a time runs the waiters of a context. A waiter that has sent leaves
 * its run loop and calls uet_ccc_entry_run_waiters(), so the bit also prevents
 * recursion.
 *
 * Invariant: if a waiter can be run, a CPU has set the bit, or is about to set it
 * or to check for waiters, or the timer of a PDC that was run late does so. A CPU
 * that finds the bit set may therefore return. The CPU that clears the bit checks
 * for waiters afterwards, unless the timer does. test_and_set_bit() is a
 * full barrier, even if the bit was set, and pairs with the barrier in
 * cce_end_run(). So either the first CPU finds the bit clear, or the second CPU
 * finds the waiter of the first one.
 */
static bool cce_try_begin_run(struct uet_ccc_entry *cce)
{
	return !test_and_set_bit(CCE_RUNNING, &cce->run_flags);
}

/* A check for waiters must follow. */
static void cce_end_run(struct uet_ccc_entry *cce)
{
	clear_bit(CCE_RUNNING, &cce->run_flags);
	/* Pairs with the full barrier in cce_try_begin_run(). */
	smp_mb__after_atomic();
}

/**
 * uet_ccc_entry_run_waiters() - run the PDCs that wait for the window
 * @cce: context; the caller has a PDC of the context, or RCU
 *
 * Each PDC may send a quantum of packets. If another CPU is running the waiters,
 * that CPU also runs the waiters of this call. After CCE_RUN_MAX PDCs, the timer
 * of the next PDC sends its packets and runs the PDCs behind it.
 *
 * Context: Process or softirq, no lock of a PDC held; sends packets.
 */
void uet_ccc_entry_run_waiters(struct uet_ccc_entry *cce)
{
	struct uet_cc_waiter *waiter;
	bool is_late = false;
	int count = 0;
	u32 quantum;

	do {
		if (!cce_try_begin_run(cce))
			return;
		while (!is_late && (waiter = cce_next(cce, &quantum))) {
			is_late = count++ == CCE_RUN_MAX;
			waiter->ops->run(waiter, quantum, is_late);
			waiter->ops->put(waiter);
		}
		cce_end_run(cce);
		/* If @is_late, the timer of the last PDC checks for waiters. */
	} while (!is_late && cce_has_next(cce));
}
