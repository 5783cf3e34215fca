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
#include "kccc.h"
#include "pdc/kpdc.h"
#include "fabric/rail.h"
#include "tss/sd.h"
#include "base/trace.h"

/* Packets of a turn. */
#define KCCC_TURN	4

/* Turns that one gives at a time: the rest is left to timers. */
#define KCCC_KICKS	64

/* What is taken for the speed of rails that tell none, Mb/s. */
#define KCCC_RATE	10000

/* The largest BDP that core/cc_param.c takes, bytes. */
#define KCCC_BDP_MAX	38400000ULL

/* How long paths that went well are used after a loss, and one is kept at least. */
#define KCCC_FREEZE_NS	100000
#define KCCC_REROUTE_NS	1000000

/* Contexts whose memory is not free yet. */
static atomic_t kccc_live = ATOMIC_INIT(0);
static DECLARE_WAIT_QUEUE_HEAD(kccc_gone);

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
} kccc_algos[] = {
	[UET_CC_ALGO_NONE] = { UET_WINDOW_NONE, UET_GRANT_NONE },
	[UET_CC_ALGO_CONST] = { UET_WINDOW_CONST, UET_GRANT_NONE },
	[UET_CC_ALGO_NSCC] = { UET_WINDOW_NSCC, UET_GRANT_NONE },
	[UET_CC_ALGO_RCCC] = { UET_WINDOW_NONE, UET_GRANT_RCCC },
	[UET_CC_ALGO_NSCC_RCCC] = { UET_WINDOW_NSCC, UET_GRANT_RCCC },
};

/* Of these rails, as their drivers say. */
static u64 kccc_sum(const struct uet_fep *fep, unsigned long slots)
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
static u32 kccc_speed(const struct uet_fep *fep, u32 base_rtt_ns)
{
	u64 most = div64_u64(KCCC_BDP_MAX * 8000, base_rtt_ns);
	/* Pairs with the WRITE_ONCE() in fep_set_usable(). */
	u64 sum = kccc_sum(fep, READ_ONCE(fep->usable));

	if (!sum)
		sum = kccc_sum(fep, GENMASK(UET_FEP_RAILS_MAX - 1, 0));
	return min_t(u64, sum ? sum : KCCC_RATE, most);
}

/**
 * uet_kccc_rate() - line rate of a FEP, all rails together
 * @fep: FEP
 * @pdc: its parameters now
 *
 * What a driver says may be more than can be controlled; what is set may not.
 *
 * Context: Any.
 * Return: Mb/s, not 0.
 */
u32 uet_kccc_rate(const struct uet_fep *fep, const struct uet_pdc_cfg *pdc)
{
	return pdc->cc_rate_mbps ? pdc->cc_rate_mbps :
				   kccc_speed(fep, pdc->cc_base_rtt_ns);
}

static void kccc_cfg(const struct uet_fep_settings *settings, u32 rate_mbps,
		     u32 mtu, struct uet_cc_cfg *cfg)
{
	const struct uet_pdc_cfg *pdc = &settings->pdc;

	uet_cc_cfg_init(cfg);
	cfg->window = kccc_algos[settings->cc].window;
	cfg->grant = kccc_algos[settings->cc].grant;
	cfg->has_trim = uet_fep_settings_trim(settings);
	cfg->rate_mbps = rate_mbps;
	cfg->base_rtt_ns = pdc->cc_base_rtt_ns;
	cfg->mtu = mtu;
	cfg->target_ns = pdc->cc_target_ns;
	cfg->ack_gen_trigger = pdc->ack_gen_trigger;
	cfg->cwnd = pdc->cwnd ? max(pdc->cwnd, mtu) : 0;
}

/**
 * uet_kccc_check() - can there be contexts with these settings?
 * @settings: of a FEP, each within its own limits
 *
 * Context: Any.
 * Return: NULL, or a static text that says what is wrong.
 */
const char *uet_kccc_check(const struct uet_fep_settings *settings)
{
	u32 rate = settings->pdc.cc_rate_mbps;
	struct uet_cc_param param;
	struct uet_cc_cfg cfg;

	kccc_cfg(settings, rate ? rate : 1, UET_MTU_MIN, &cfg);
	if (!uet_cc_derive(&param, &cfg))
		return NULL;
	return "fep: cc-rate x cc-base-rtt must be at most 38400000 bytes";
}

/**
 * uet_kccc_overhead() - bytes of a packet besides PDS, SES and payload
 * @fep: FEP
 *
 * Context: Any.
 * Return: bytes, as the peer finds them.
 */
u16 uet_kccc_overhead(const struct uet_fep *fep)
{
	return fep->carrier->head_len + uet_sd_protect_len(&fep->cfg);
}

/**
 * uet_kccc_mtu() - nominal size of a full packet
 * @fep: FEP
 * @has_credit: its header says how much credit is wanted
 *
 * Context: Any.
 * Return: bytes.
 */
u16 uet_kccc_mtu(const struct uet_fep *fep, bool has_credit)
{
	return uet_cc_nominal(uet_kccc_overhead(fep) +
			      (has_credit ? UET_REQ_CC_LEN : UET_REQ_LEN) +
			      UET_SES_STD_LEN + fep->cfg.mtu);
}

/**
 * uet_kccc_is_paced() - do credit and its headers belong to these settings?
 * @settings: of a FEP
 *
 * Context: Any.
 * Return: true if so, at both ends: as a source and as a destination.
 */
bool uet_kccc_is_paced(const struct uet_fep_settings *settings)
{
	return kccc_algos[settings->cc].grant == UET_GRANT_RCCC;
}

/**
 * uet_kccc_algo() - how a context is called
 * @kccc: context
 *
 * Context: Any.
 * Return: enum uet_cc_algo.
 */
u8 uet_kccc_algo(const struct uet_kccc *kccc)
{
	const struct uet_cc_cfg *cfg = &kccc->param.cfg;
	u8 algo = ARRAY_SIZE(kccc_algos) - 1;

	while (algo && (kccc_algos[algo].window != cfg->window ||
			kccc_algos[algo].grant != cfg->grant))
		algo--;
	return algo;
}

static void kccc_ev_cfg(const struct uet_fep_settings *settings,
			struct uet_ev_cfg *cfg)
{
	uet_ev_cfg_init(cfg);
	cfg->way = settings->paths;
	cfg->values = settings->pdc.ev_count;
	cfg->burst = settings->pdc.ev_burst;
	cfg->bad_max = cfg->values / 2;
	cfg->freeze_ns = KCCC_FREEZE_NS;
	cfg->reroute_ns = KCCC_REROUTE_NS;
}

/* Return: the settings allow it. */
static bool kccc_derive(struct uet_kccc *kccc,
			const struct uet_fep_settings *settings)
{
	const struct uet_fep *fep = kccc->fep;
	u16 mtu = uet_kccc_mtu(fep, uet_kccc_is_paced(settings));
	struct uet_cc_cfg cfg;

	kccc_cfg(settings, uet_kccc_rate(fep, &settings->pdc), mtu, &cfg);
	return !uet_cc_derive(&kccc->param, &cfg);
}

/* Return: with one reference, in no table; NULL without memory. */
static struct uet_kccc *kccc_make(struct uet_fep *fep,
				  const struct uet_fep_settings *settings,
				  gfp_t gfp)
{
	u64 now = ktime_get_ns();
	struct uet_ev_cfg ev_cfg;
	struct uet_kccc *kccc;

	kccc_ev_cfg(settings, &ev_cfg);
	kccc = kzalloc(struct_size(kccc, penalty, uet_ev_sel_room(&ev_cfg)),
		       gfp | __GFP_NOWARN);
	if (!kccc)
		return NULL;
	kccc->fep = fep;
	kccc->follows = !settings->pdc.cc_rate_mbps;
	if (!kccc_derive(kccc, settings)) {
		kfree(kccc);
		return NULL;
	}
	uet_ev_sel_init(&kccc->sel, &ev_cfg, kccc->penalty, get_random_u32(),
			now);
	uet_ccc_init(&kccc->ccc, &kccc->param, &kccc->sel, now);
	kccc->cwnd_seen = kccc->ccc.cwnd;
	INIT_LIST_HEAD(&kccc->waiting);
	uet_kccc_host_init(kccc);
	refcount_set(&kccc->refs, 1);
	refcount_set(&kccc->users, 1);
	atomic_inc(&kccc_live);
	return kccc;
}

static void kccc_free_rcu(struct rcu_head *rcu)
{
	kfree(container_of(rcu, struct uet_kccc, rcu));
	if (atomic_dec_and_test(&kccc_live))
		wake_up(&kccc_gone);
}

/**
 * uet_kccc_drop() - the memory of a context is needed by one less
 * @kccc: context
 *
 * Context: Any.
 */
void uet_kccc_drop(struct uet_kccc *kccc)
{
	if (refcount_dec_and_test(&kccc->users))
		call_rcu(&kccc->rcu, kccc_free_rcu);
}

/**
 * uet_kccc_fini() - wait until no packet refers to a context
 *
 * Devices and qdiscs may have packets of PDCs that are gone.
 *
 * Context: Process, module unload; no PDC is left.
 */
void uet_kccc_fini(void)
{
	wait_event(kccc_gone, !atomic_read(&kccc_live));
	/* Who woke us up has yet to return. */
	rcu_barrier();
}

static u32 kccc_hash(const struct uet_fa *peer)
{
	return jhash(peer, sizeof(*peer), 0);
}

static struct uet_kccc *kccc_find(struct uet_fep *fep,
				  const struct uet_fa *peer,
				  enum uet_pdc_mode mode)
	__must_hold(&fep->ccc_lock)
{
	struct uet_kccc *kccc;

	if (mode != UET_PDC_RUD)
		return NULL;
	hash_for_each_possible(fep->cccs, kccc, node, kccc_hash(peer)) {
		if (kccc->mode == UET_PDC_RUD &&
		    uet_fa_equal(&kccc->peer, peer)) {
			refcount_inc(&kccc->refs);
			return kccc;
		}
	}
	return NULL;
}

static void kccc_trace(struct uet_kccc *kccc)
{
	if (kccc->ccc.cwnd == kccc->cwnd_seen)
		return;
	trace_uet_ccc_window(kccc, kccc->cwnd_seen);
	kccc->cwnd_seen = kccc->ccc.cwnd;
}

/* BH is disabled. */
static void kccc_follow(struct uet_kccc *kccc)
{
	struct uet_cc_param param;
	struct uet_cc_cfg cfg;
	u32 speed;

	if (!kccc->follows)
		return;
	uet_lock_take(&kccc->ccc.lock);
	cfg = kccc->param.cfg;
	speed = kccc_speed(kccc->fep, cfg.base_rtt_ns);
	if (speed != cfg.rate_mbps) {
		cfg.rate_mbps = speed;
		if (!uet_cc_derive(&param, &cfg)) {
			kccc->param = param;
			uet_kccc_host_set(kccc);
			uet_ccc_retune(&kccc->ccc, ktime_get_ns());
			kccc_trace(kccc);
		}
	}
	uet_lock_drop(&kccc->ccc.lock);
}

/**
 * uet_kccc_follow() - rails of a FEP came, went, or are faster or slower now
 * @fep: FEP
 *
 * A PDC that waits is given its turn by the next ACK, for some packets are in flight
 * then.
 *
 * Context: Process, uet_net.cfg_mutex held.
 */
void uet_kccc_follow(struct uet_fep *fep)
{
	struct uet_kccc *kccc;
	int bucket;

	spin_lock_bh(&fep->ccc_lock);
	hash_for_each(fep->cccs, bucket, kccc, node)
		kccc_follow(kccc);
	spin_unlock_bh(&fep->ccc_lock);
}

/* Return: @new, in the table now, or the one that is there already. */
static struct uet_kccc *kccc_enter(struct uet_kccc *new)
{
	struct uet_fep *fep = new->fep;
	struct uet_kccc *found;

	spin_lock_bh(&fep->ccc_lock);
	found = kccc_find(fep, &new->peer, new->mode);
	if (!found) {
		new->ccc.id = fep->ccc_next_id++;
		hash_add_rcu(fep->cccs, &new->node, kccc_hash(&new->peer));
		/* The speed may be another since it was made. */
		kccc_follow(new);
	}
	spin_unlock_bh(&fep->ccc_lock);
	if (!found)
		return new;
	uet_kccc_drop(new);
	return found;
}

/**
 * uet_kccc_get() - the context of a PDC
 * @fep: local FEP, with congestion control
 * @peer: where the PDC leads
 * @mode: its mode: ROD has one path, so it has a context of its own
 * @gfp: how to allocate
 *
 * Context: As @gfp says; not in hard interrupt.
 * Return: a context with a reference for the caller; NULL without memory.
 */
struct uet_kccc *uet_kccc_get(struct uet_fep *fep, const struct uet_fa *peer,
			      enum uet_pdc_mode mode, gfp_t gfp)
{
	struct uet_fep_settings settings;
	struct uet_kccc *kccc;

	spin_lock_bh(&fep->ccc_lock);
	kccc = kccc_find(fep, peer, mode);
	spin_unlock_bh(&fep->ccc_lock);
	if (kccc)
		return kccc;
	rcu_read_lock();
	settings = *uet_fep_settings(fep);
	rcu_read_unlock();
	kccc = kccc_make(fep, &settings, gfp);
	if (!kccc)
		return NULL;
	kccc->peer = *peer;
	kccc->mode = mode;
	return kccc_enter(kccc);
}

/**
 * uet_kccc_put() - a PDC does not need its context any more
 * @kccc: context
 *
 * Context: Any but hard interrupt.
 */
void uet_kccc_put(struct uet_kccc *kccc)
{
	struct uet_fep *fep = kccc->fep;
	bool is_last;

	spin_lock_bh(&fep->ccc_lock);
	is_last = refcount_dec_and_test(&kccc->refs);
	if (is_last)
		hash_del_rcu(&kccc->node);
	spin_unlock_bh(&fep->ccc_lock);
	if (!is_last)
		return;
	if (kccc->is_busy)
		atomic_dec(&fep->ccc_busy);
	uet_kccc_drop(kccc);
}

/* Those that have something to send share what destinations grant to this FEP. */
static void kccc_count(struct uet_kccc *kccc)
{
	atomic_t *nr = &kccc->fep->ccc_busy;
	bool is_busy = kccc->ccc.backlog || kccc->ccc.waiting_rtx;

	if (is_busy != kccc->is_busy)
		atomic_add(is_busy ? 1 : -1, nr);
	kccc->is_busy = is_busy;
	kccc->ccc.sharers = atomic_read(nr);
}

static bool kccc_is_open(const struct uet_kccc *kccc)
{
	return kccc->ccc.state == UET_CCC_READY && !list_empty(&kccc->waiting);
}

/* Let a PDC wait, or wait no longer. Return: it gave back its place. */
static bool kccc_line_up(struct uet_kccc *kccc, struct uet_kpdc *kpdc,
			 bool waits)
{
	bool is_listed = !list_empty(&kpdc->cc_wait);

	if (waits == is_listed)
		return false;
	if (is_listed) {
		list_del_init(&kpdc->cc_wait);
		kccc->ccc.nr_waiting--;
		return true;
	}
	refcount_inc(&kpdc->refs);
	list_add_tail(&kpdc->cc_wait, &kccc->waiting);
	kccc->ccc.nr_waiting++;
	return false;
}

/**
 * uet_kccc_note() - a PDC is about to leave its run loop
 * @kpdc: PDC with a context
 *
 * Context: Its lock held.
 * Return: true if uet_kccc_kick() is to be called, without it.
 */
bool uet_kccc_note(struct uet_kpdc *kpdc)
	__must_hold(&kpdc->lock)
{
	bool waits = !kpdc->dead && uet_pdc_cc_waits(kpdc->pdc);
	struct uet_kccc *kccc = kpdc->kccc;
	bool is_off, is_open;

	if (waits)
		uet_pdc_cc_turn(kpdc->pdc, 0);
	uet_lock_take(&kccc->ccc.lock);
	is_off = kccc_line_up(kccc, kpdc, waits);
	is_open = kccc_is_open(kccc);
	kccc_count(kccc);
	kccc_trace(kccc);
	uet_lock_drop(&kccc->ccc.lock);
	if (is_off)
		uet_kpdc_put(kpdc);
	return is_open;
}

/* Is it anybody's turn? */
static bool kccc_has_next(struct uet_kccc *kccc)
{
	bool has_next;

	local_bh_disable();
	uet_lock_take(&kccc->ccc.lock);
	has_next = kccc_is_open(kccc);
	uet_lock_drop(&kccc->ccc.lock);
	local_bh_enable();
	return has_next;
}

/* Return: the first that waits, out of the list, with its reference; or NULL. */
static struct uet_kpdc *kccc_next(struct uet_kccc *kccc)
{
	struct uet_kpdc *kpdc = NULL;

	local_bh_disable();
	uet_lock_take(&kccc->ccc.lock);
	if (kccc_is_open(kccc)) {
		kpdc = list_first_entry(&kccc->waiting, struct uet_kpdc,
					cc_wait);
		list_del_init(&kpdc->cc_wait);
		kccc->ccc.nr_waiting--;
	}
	uet_lock_drop(&kccc->ccc.lock);
	local_bh_enable();
	return kpdc;
}

static void kccc_serve(struct uet_kpdc *kpdc, bool is_late)
{
	uet_kpdc_lock(kpdc);
	if (!kpdc->dead)
		uet_pdc_cc_turn(kpdc->pdc, KCCC_TURN);
	if (is_late)
		uet_kpdc_later_unlock(kpdc);
	else
		uet_kpdc_run_unlock(kpdc);
	uet_kpdc_put(kpdc);
}

/**
 * uet_kccc_kick() - give those that wait their turn
 * @kccc: context; the caller has a PDC of it, or RCU
 *
 * One at a time does it, so that a turn does not end in another; who comes
 * meanwhile has it done.  The amount of work is bounded.
 *
 * Context: Process or softirq, no lock of a PDC held; sends packets.
 */
void uet_kccc_kick(struct uet_kccc *kccc)
{
	int left = KCCC_KICKS;
	struct uet_kpdc *kpdc;

	do {
		if (test_and_set_bit(0, &kccc->kicks))
			return;
		while (left >= 0 && (kpdc = kccc_next(kccc)))
			kccc_serve(kpdc, !left--);
		clear_bit(0, &kccc->kicks);
		/* Pairs with the full barrier of test_and_set_bit(). */
		smp_mb__after_atomic();
	} while (left >= 0 && kccc_has_next(kccc));
}
