// SPDX-License-Identifier: GPL-2.0
/*
 * Life of congestion control contexts, and turns: an ACK on one PDC may open the
 * window that another waits for.  Who waits is in a list; whoever leaves the run loop
 * of a PDC and finds the context ready gives those their turn, a few packets each, in
 * the order in which they came.  While any waits no other sends, so that a PDC whose
 * ACKs come first does not keep the window to itself.
 * Spec: UE 1.0.1 3.6.12.1 (one context per FEP pair and class), 3.6.12.3.
 * Level: shell.
 */
#include <linux/random.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include "carrier/carrier.h"
#include "fabric/fep.h"
#include "ccc_entry.h"
#include "pdc/pdc_entry.h"
#include "fabric/rail.h"
#include "tss/sd.h"
#include "base/trace.h"

/* Packets of a turn. */
#define CCE_QUANTUM	4

/* Turns that one gives at a time: the rest is left to timers. */
#define CCE_RUN_MAX	64

/* What is taken for the speed of rails that tell none, Mb/s. */
#define CCE_RATE	10000

/* The largest BDP that core/cc_param.c takes, bytes. */
#define CCE_BDP_MAX	38400000ULL

/* How long paths that went well are used after a loss, and one is kept at least. */
#define CCE_FREEZE_NS	100000
#define CCE_REROUTE_NS	1000000

/* Contexts whose memory is not free yet. */
static atomic_t cce_live = ATOMIC_INIT(0);
static DECLARE_WAIT_QUEUE_HEAD(cce_gone);

/* The numbers of netlink are those of the core. */
static_assert((int)UET_PATHS_SINGLE == UET_EV_SINGLE);
static_assert((int)UET_PATHS_OBLIVIOUS == UET_EV_OBLIVIOUS);
static_assert((int)UET_PATHS_REPS == UET_EV_REPS);
static_assert((int)UET_PATHS_MAP == UET_EV_MAP);
static_assert((int)UET_PATHS_MIXED == UET_EV_MIXED);

/* What an administrator names in one word; without either there is no context. */
static const struct {
	u8 window;
	u8 grant;
} cce_algos[] = {
	[UET_CC_ALGO_NONE] = { UET_WINDOW_NONE, UET_GRANT_NONE },
	[UET_CC_ALGO_CONST] = { UET_WINDOW_CONST, UET_GRANT_NONE },
	[UET_CC_ALGO_NSCC] = { UET_WINDOW_NSCC, UET_GRANT_NONE },
	[UET_CC_ALGO_RCCC] = { UET_WINDOW_NONE, UET_GRANT_RCCC },
	[UET_CC_ALGO_NSCC_RCCC] = { UET_WINDOW_NSCC, UET_GRANT_RCCC },
};

/* Of these rails, as their drivers say. */
static u64 cce_sum(const struct uet_fep *fep, unsigned long slots)
{
	const struct uet_rail *rail;
	u64 sum = 0;
	int i;

	rcu_read_lock();
	for_each_set_bit(i, &slots, UET_FEP_RAILS_MAX) {
		rail = rcu_dereference(fep->rail[i]);
		if (rail)
			sum += READ_ONCE(rail->speed_mbps);
	}
	rcu_read_unlock();
	return sum;
}

/*
 * Of the rails that can be used, or while there is none of all.  What drivers say
 * may be more than can be controlled; what is set may not.
 */
static u32 cce_speed(const struct uet_fep *fep, u32 base_rtt_ns)
{
	u64 most = div64_u64(CCE_BDP_MAX * 8000, base_rtt_ns);
	/* Pairs with the WRITE_ONCE() in fep_set_usable(). */
	u64 sum = cce_sum(fep, READ_ONCE(fep->usable));

	if (!sum)
		sum = cce_sum(fep, GENMASK(UET_FEP_RAILS_MAX - 1, 0));
	return min_t(u64, sum ? sum : CCE_RATE, most);
}

/**
 * uet_ccc_entry_rate() - line rate of a FEP, all rails together
 * @fep: FEP
 * @pdc: its parameters now
 *
 * What a driver says may be more than can be controlled; what is set may not.
 *
 * Context: Any.
 * Return: Mb/s, not 0.
 */
u32 uet_ccc_entry_rate(const struct uet_fep *fep, const struct uet_pdc_cfg *pdc)
{
	return pdc->cc_rate_mbps ? pdc->cc_rate_mbps :
				   cce_speed(fep, pdc->cc_base_rtt_ns);
}

static void cce_cfg(const struct uet_fep_settings *settings, u32 rate_mbps,
		    u32 mtu, struct uet_cc_cfg *cfg)
{
	const struct uet_pdc_cfg *pdc = &settings->pdc;

	uet_cc_cfg_init(cfg);
	cfg->window = cce_algos[settings->cc].window;
	cfg->grant = cce_algos[settings->cc].grant;
	cfg->has_trim = uet_fep_settings_trim(settings);
	cfg->rate_mbps = rate_mbps;
	cfg->base_rtt_ns = pdc->cc_base_rtt_ns;
	cfg->mtu = mtu;
	cfg->target_ns = pdc->cc_target_ns;
	cfg->ack_gen_trigger = pdc->ack_gen_trigger;
	cfg->cwnd = pdc->cwnd ? max(pdc->cwnd, mtu) : 0;
}

/**
 * uet_ccc_entry_check() - can there be contexts with these settings?
 * @settings: of a FEP, each within its own limits
 *
 * Context: Any.
 * Return: NULL, or a static text that says what is wrong.
 */
const char *uet_ccc_entry_check(const struct uet_fep_settings *settings)
{
	u32 rate = settings->pdc.cc_rate_mbps;
	struct uet_cc_param param;
	struct uet_cc_cfg cfg;

	cce_cfg(settings, rate ? rate : 1, UET_MTU_MIN, &cfg);
	if (!uet_cc_derive(&param, &cfg))
		return NULL;
	return "fep: cc-rate x cc-base-rtt must be at most 38400000 bytes";
}

/**
 * uet_ccc_entry_overhead() - bytes of a packet besides PDS, SES and payload
 * @fep: FEP
 *
 * Context: Any.
 * Return: bytes, as the peer finds them.
 */
u16 uet_ccc_entry_overhead(const struct uet_fep *fep)
{
	return fep->carrier->head_len + uet_sd_protect_len(&fep->cfg);
}

/**
 * uet_ccc_entry_mtu() - nominal size of a full packet
 * @fep: FEP
 * @has_credit: its header says how much credit is wanted
 *
 * Context: Any.
 * Return: bytes.
 */
u16 uet_ccc_entry_mtu(const struct uet_fep *fep, bool has_credit)
{
	return uet_cc_nominal(uet_ccc_entry_overhead(fep) +
			      (has_credit ? UET_REQ_CC_LEN : UET_REQ_LEN) +
			      UET_SES_STD_LEN + fep->cfg.mtu);
}

/**
 * uet_ccc_entry_is_paced() - do credit and its headers belong to these settings?
 * @settings: of a FEP
 *
 * Context: Any.
 * Return: true if so, at both ends: as a source and as a destination.
 */
bool uet_ccc_entry_is_paced(const struct uet_fep_settings *settings)
{
	return cce_algos[settings->cc].grant == UET_GRANT_RCCC;
}

/**
 * uet_ccc_entry_algo() - how a context is called
 * @cce: context
 *
 * Context: Any.
 * Return: enum uet_cc_algo.
 */
u8 uet_ccc_entry_algo(const struct uet_ccc_entry *cce)
{
	const struct uet_cc_cfg *cfg = &cce->param.cfg;
	u8 algo = ARRAY_SIZE(cce_algos) - 1;

	while (algo && (cce_algos[algo].window != cfg->window ||
			cce_algos[algo].grant != cfg->grant))
		algo--;
	return algo;
}

static void cce_ev_cfg(const struct uet_fep_settings *settings,
		       struct uet_ev_cfg *cfg)
{
	uet_ev_cfg_init(cfg);
	cfg->policy = settings->paths;
	cfg->values = settings->pdc.ev_count;
	cfg->burst = settings->pdc.ev_burst;
	cfg->bad_max = cfg->values / 2;
	cfg->freeze_ns = CCE_FREEZE_NS;
	cfg->reroute_ns = CCE_REROUTE_NS;
}

/* Return: the settings allow it. */
static bool cce_derive(struct uet_ccc_entry *cce,
		       const struct uet_fep_settings *settings)
{
	const struct uet_fep *fep = cce->fep;
	u16 mtu = uet_ccc_entry_mtu(fep, uet_ccc_entry_is_paced(settings));
	struct uet_cc_cfg cfg;

	cce_cfg(settings, uet_ccc_entry_rate(fep, &settings->pdc), mtu, &cfg);
	return !uet_cc_derive(&cce->param, &cfg);
}

/* Return: with one reference, in no table; NULL without memory. */
static struct uet_ccc_entry *cce_make(struct uet_fep *fep,
				      const struct uet_fep_settings *settings,
				      gfp_t gfp)
{
	u64 now = ktime_get_ns();
	struct uet_ev_cfg ev_cfg;
	struct uet_ccc_entry *cce;

	cce_ev_cfg(settings, &ev_cfg);
	cce = kzalloc(struct_size(cce, penalty, uet_ev_sel_space(&ev_cfg)),
		      gfp | __GFP_NOWARN);
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

/**
 * uet_ccc_entry_drop() - the memory of a context is needed by one less
 * @cce: context
 *
 * Context: Any.
 */
void uet_ccc_entry_drop(struct uet_ccc_entry *cce)
{
	if (refcount_dec_and_test(&cce->users))
		call_rcu(&cce->rcu, cce_free_rcu);
}

/**
 * uet_ccc_entry_fini() - wait until no packet refers to a context
 *
 * Devices and qdiscs may have packets of PDCs that are gone.
 *
 * Context: Process, module unload; no PDC is left.
 */
void uet_ccc_entry_fini(void)
{
	wait_event(cce_gone, !atomic_read(&cce_live));
	/* Who woke us up has yet to return. */
	rcu_barrier();
}

static u32 cce_hash(const struct uet_fa *peer)
{
	return jhash(peer, sizeof(*peer), 0);
}

static struct uet_ccc_entry *cce_find(struct uet_fep *fep,
				      const struct uet_fa *peer,
				      enum uet_pdc_mode mode)
	__must_hold(&fep->ccc_lock)
{
	struct uet_ccc_entry *cce;

	if (mode != UET_PDC_RUD)
		return NULL;
	hash_for_each_possible(fep->cccs, cce, node, cce_hash(peer)) {
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
	trace_uet_ccc_window(cce, cce->cwnd_seen);
	cce->cwnd_seen = cce->ccc.cwnd;
}

/* BH is disabled. */
static void cce_update_rate(struct uet_ccc_entry *cce)
{
	struct uet_cc_param param;
	struct uet_cc_cfg cfg;
	u32 speed;

	if (!cce->follows)
		return;
	uet_lock_take(&cce->ccc.lock);
	cfg = cce->param.cfg;
	speed = cce_speed(cce->fep, cfg.base_rtt_ns);
	if (speed != cfg.rate_mbps) {
		cfg.rate_mbps = speed;
		if (!uet_cc_derive(&param, &cfg)) {
			cce->param = param;
			uet_host_limit_set(cce);
			uet_ccc_retune(&cce->ccc, ktime_get_ns());
			cce_trace(cce);
		}
	}
	uet_lock_drop(&cce->ccc.lock);
}

/**
 * uet_ccc_entry_update_rates() - rails of a FEP came, went, or are faster or slower now
 * @fep: FEP
 *
 * A PDC that waits is given its turn by the next ACK, for some packets are in flight
 * then.
 *
 * Context: Process, uet_net.cfg_mutex held.
 */
void uet_ccc_entry_update_rates(struct uet_fep *fep)
{
	struct uet_ccc_entry *cce;
	int bucket;

	spin_lock_bh(&fep->ccc_lock);
	hash_for_each(fep->cccs, bucket, cce, node)
		cce_update_rate(cce);
	spin_unlock_bh(&fep->ccc_lock);
}

/* Return: @new, in the table now, or the one that is there already. */
static struct uet_ccc_entry *cce_enter(struct uet_ccc_entry *new)
{
	struct uet_fep *fep = new->fep;
	struct uet_ccc_entry *found;

	spin_lock_bh(&fep->ccc_lock);
	found = cce_find(fep, &new->peer, new->mode);
	if (!found) {
		new->ccc.id = fep->ccc_next_id++;
		hash_add_rcu(fep->cccs, &new->node, cce_hash(&new->peer));
		/* The speed may be another since it was made. */
		cce_update_rate(new);
	}
	spin_unlock_bh(&fep->ccc_lock);
	if (!found)
		return new;
	uet_ccc_entry_drop(new);
	return found;
}

/**
 * uet_ccc_entry_get() - the context of a PDC
 * @fep: local FEP, with congestion control
 * @peer: where the PDC leads
 * @mode: its mode: ROD has one path, so it has a context of its own
 * @gfp: how to allocate
 *
 * Context: As @gfp says; not in hard interrupt.
 * Return: a context with a reference for the caller; NULL without memory.
 */
struct uet_ccc_entry *uet_ccc_entry_get(struct uet_fep *fep,
					const struct uet_fa *peer,
					enum uet_pdc_mode mode, gfp_t gfp)
{
	struct uet_fep_settings settings;
	struct uet_ccc_entry *cce;

	spin_lock_bh(&fep->ccc_lock);
	cce = cce_find(fep, peer, mode);
	spin_unlock_bh(&fep->ccc_lock);
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
 * uet_ccc_entry_put() - a PDC does not need its context any more
 * @cce: context
 *
 * Context: Any but hard interrupt.
 */
void uet_ccc_entry_put(struct uet_ccc_entry *cce)
{
	struct uet_fep *fep = cce->fep;
	bool is_last;

	spin_lock_bh(&fep->ccc_lock);
	is_last = refcount_dec_and_test(&cce->refs);
	if (is_last)
		hash_del_rcu(&cce->node);
	spin_unlock_bh(&fep->ccc_lock);
	if (!is_last)
		return;
	if (cce->is_busy)
		atomic_dec(&fep->ccc_busy);
	uet_ccc_entry_drop(cce);
}

/* Those that have something to send share what destinations grant to this FEP. */
static void cce_count(struct uet_ccc_entry *cce)
{
	atomic_t *nr = &cce->fep->ccc_busy;
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

/* Let a PDC wait, or wait no longer. Return: it gave back its place. */
static bool cce_set_waiting(struct uet_ccc_entry *cce, struct uet_pdc_entry *pe,
			    bool waits)
{
	bool is_listed = !list_empty(&pe->cc_wait);

	if (waits == is_listed)
		return false;
	if (is_listed) {
		list_del_init(&pe->cc_wait);
		cce->ccc.nr_waiting--;
		return true;
	}
	refcount_inc(&pe->refs);
	list_add_tail(&pe->cc_wait, &cce->waiting);
	cce->ccc.nr_waiting++;
	return false;
}

/**
 * uet_ccc_entry_update() - a PDC is about to leave its run loop
 * @pe: PDC with a context
 *
 * Context: Its lock held.
 * Return: true if uet_ccc_entry_run_waiters() is to be called, without it.
 */
bool uet_ccc_entry_update(struct uet_pdc_entry *pe)
	__must_hold(&pe->lock)
{
	bool waits = !pe->dead && uet_pdc_cc_waits(pe->pdc);
	struct uet_ccc_entry *cce = pe->cce;
	bool is_off, is_open;

	if (waits)
		uet_pdc_cc_give_quantum(pe->pdc, 0);
	uet_lock_take(&cce->ccc.lock);
	is_off = cce_set_waiting(cce, pe, waits);
	is_open = cce_is_open(cce);
	cce_count(cce);
	cce_trace(cce);
	uet_lock_drop(&cce->ccc.lock);
	if (is_off)
		uet_pdc_entry_put(pe);
	return is_open;
}

/* Is it anybody's turn? */
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

/* Return: the first that waits, out of the list, with its reference; or NULL. */
static struct uet_pdc_entry *cce_next(struct uet_ccc_entry *cce)
{
	struct uet_pdc_entry *pe = NULL;

	local_bh_disable();
	uet_lock_take(&cce->ccc.lock);
	if (cce_is_open(cce)) {
		pe = list_first_entry(&cce->waiting, struct uet_pdc_entry,
				      cc_wait);
		list_del_init(&pe->cc_wait);
		cce->ccc.nr_waiting--;
	}
	uet_lock_drop(&cce->ccc.lock);
	local_bh_enable();
	return pe;
}

static void cce_serve(struct uet_pdc_entry *pe, bool is_late)
{
	uet_pdc_entry_lock(pe);
	if (!pe->dead)
		uet_pdc_cc_give_quantum(pe->pdc, CCE_QUANTUM);
	if (is_late)
		uet_pdc_entry_unlock_defer(pe);
	else
		uet_pdc_entry_unlock_xmit(pe);
	uet_pdc_entry_put(pe);
}

/**
 * uet_ccc_entry_run_waiters() - give those that wait their turn
 * @cce: context; the caller has a PDC of it, or RCU
 *
 * One at a time does it, so that a turn does not end in another; who comes
 * meanwhile has it done.  The amount of work is bounded.
 *
 * Context: Process or softirq, no lock of a PDC held; sends packets.
 */
void uet_ccc_entry_run_waiters(struct uet_ccc_entry *cce)
{
	int left = CCE_RUN_MAX;
	struct uet_pdc_entry *pe;

	do {
		if (test_and_set_bit(0, &cce->runs))
			return;
		while (left >= 0 && (pe = cce_next(cce)))
			cce_serve(pe, !left--);
		clear_bit(0, &cce->runs);
		/* Pairs with the full barrier of test_and_set_bit(). */
		smp_mb__after_atomic();
	} while (left >= 0 && cce_has_next(cce));
}
