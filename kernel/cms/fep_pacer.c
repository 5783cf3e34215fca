// SPDX-License-Identifier: GPL-2.0
/*
 * Sources of credit demand, and the timer that grants credit.  A source is a congestion
 * control context of a peer.  All RUD PDCs of that context share its credit, so they share the
 * source, which is found by peer and ccc_id.  Each ROD PDC has a separate source.  A source
 * exists from its first demand until its last PDC is freed.  The PDC with the most recent demand
 * sends the Credit.
 *
 * The timer runs only while demand exists, at most once in FP_TICK_NS.  The grants of a run cover
 * the time since the previous run, and each source gets one Credit.
 * Spec: UE 1.0.1 3.6.14.
 */
#include <linux/jhash.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "cms.h"
#include "fabric/fabric.h"

/* Minimum interval between two runs, ns. */
#define FP_TICK_NS		50000

/* Maximum number of Credits sent in a run; other sources follow in the next run. */
#define FP_GRANTS_MAX		32

/*
 * struct uet_pacer_source - a congestion control context of a peer, under uet_fep_pacer.lock
 * @node: entry in uet_fep_pacer.sources; unused for ROD
 * @pdcs: PDCs of the context, struct uet_cc_waiter, most recent demand first
 * @id: ccc_id of the context
 */
struct uet_pacer_source {
	struct uet_pacer_flow flow;
	struct hlist_node node;
	struct list_head pdcs;
	struct uet_fa peer;
	u8 id;
};

/*
 * struct fp_grant - a Credit of 24 bits to be sent by @waiter, with a reference
 */
struct fp_grant {
	struct uet_cc_waiter *waiter;
	u32 credit;
};

static u32 fp_hash(const struct uet_fep_pacer *fp, const struct uet_fa *peer, u8 id)
{
	return jhash(peer, sizeof(*peer), fp->seed ^ id);
}

static struct uet_pacer_source *fp_find(struct uet_fep_pacer *fp,
					const struct uet_fep_pacer_peer *from, u8 id)
	__must_hold(&fp->lock)
{
	struct uet_pacer_source *source;

	if (from->mode != UET_PDC_RUD)
		return NULL;
	hash_for_each_possible(fp->sources, source, node, fp_hash(fp, from->fa, id)) {
		if (source->id == id && uet_fa_equal(&source->peer, from->fa))
			return source;
	}
	return NULL;
}

/* Under RCU.  Return: NULL: out of memory, and the peer requests again. */
static struct uet_pacer_source *fp_make(struct uet_fep_pacer *fp,
					const struct uet_fep_pacer_peer *from, u8 id, u64 now)
	__must_hold(&fp->lock)
{
	/* The core pacer begins with the current settings. */
	const struct uet_fep_settings *settings = uet_fep_settings(fp->fep);
	struct uet_pacer_source *source = kzalloc(sizeof(*source), GFP_ATOMIC | __GFP_NOWARN);

	if (!source)
		return NULL;
	if (!fp->nr_sources)
		uet_pacer_init(&fp->core, uet_fep_cc_rate(fp->fep, &settings->pdc),
			       settings->pdc.cc_base_rtt_ns, uet_fep_cc_mtu(fp->fep, true), now);
	uet_pacer_flow_init(&source->flow);
	INIT_HLIST_NODE(&source->node);
	INIT_LIST_HEAD(&source->pdcs);
	source->peer = *from->fa;
	source->id = id;
	if (from->mode == UET_PDC_RUD)
		hash_add(fp->sources, &source->node, fp_hash(fp, from->fa, id));
	fp->nr_sources++;
	return source;
}

/* A PDC belongs to one context.  A different ccc_id in a later demand is ignored. */
static struct uet_pacer_source *fp_join(struct uet_fep_pacer *fp, struct uet_cc_waiter *waiter,
					const struct uet_fep_pacer_peer *from, u8 id, u64 now)
	__must_hold(&fp->lock)
{
	if (!waiter->source)
		waiter->source = fp_find(fp, from, id);
	if (!waiter->source)
		waiter->source = fp_make(fp, from, id, now);
	if (waiter->source)
		list_move(&waiter->source_link, &waiter->source->pdcs);
	return waiter->source;
}

static void fp_follow_rate(struct uet_fep_pacer *fp, u64 now)
	__must_hold(&fp->lock) __must_hold(RCU)
{
	const struct uet_fep_settings *settings = uet_fep_settings(fp->fep);
	u32 rate_mbps = uet_fep_cc_rate(fp->fep, &settings->pdc);

	if (rate_mbps != fp->core.rate_mbps)
		uet_pacer_set_rate(&fp->core, rate_mbps, now);
	if (settings->pdc.credit_rate != fp->core.permille)
		uet_pacer_set_share(&fp->core, settings->pdc.credit_rate, now);
	uet_pacer_set_run(&fp->core, settings->pdc.credit_run);
}

static void fp_arm(struct uet_fep_pacer *fp)
	__must_hold(&fp->lock)
{
	u64 when = max(uet_pacer_deadline(&fp->core), fp->ran_ns + FP_TICK_NS);

	if (fp->is_shut || when >= fp->armed_ns)
		return;
	fp->armed_ns = when;
	uet_timer_start(&fp->timer, when);
}

/*
 * uet_fep_pacer_demand() - process a demand for credit; lock of the PDC and rcu_read_lock()
 *	held
 */
void uet_fep_pacer_demand(struct uet_fep_pacer *fp, struct uet_cc_waiter *waiter,
			  const struct uet_fep_pacer_peer *from,
			  const struct uet_pdc_demand *demand)
{
	struct uet_pacer_source *source;
	u64 now;

	spin_lock(&fp->lock);
	now = uet_now_ns();
	source = fp_join(fp, waiter, from, demand->ccc_id, now);
	if (source) {
		if (demand->was_requested)
			uet_pacer_request(&fp->core, &source->flow, demand->target, now);
		else
			uet_pacer_demand(&fp->core, &source->flow, demand->target,
					 demand->was_trimmed, now);
		fp_arm(fp);
	}
	spin_unlock(&fp->lock);
}

/*
 * uet_fep_pacer_leave() - remove a PDC from its source
 */
void uet_fep_pacer_leave(struct uet_fep_pacer *fp, struct uet_cc_waiter *waiter)
{
	struct uet_pacer_source *source;

	spin_lock_bh(&fp->lock);
	source = waiter->source;
	waiter->source = NULL;
	list_del_init(&waiter->source_link);
	if (source && list_empty(&source->pdcs)) {
		uet_pacer_leave(&fp->core, &source->flow);
		hlist_del_init(&source->node);
		fp->nr_sources--;
		kfree(source);
	}
	spin_unlock_bh(&fp->lock);
}

/* Return: a PDC of the source, with a reference; NULL: all are being freed. */
static struct uet_cc_waiter *fp_pick_pdc(struct uet_pacer_source *source)
{
	struct uet_cc_waiter *waiter;

	list_for_each_entry(waiter, &source->pdcs, source_link) {
		if (waiter->ops->get_live(waiter))
			return waiter;
	}
	return NULL;
}

/* Collect grants until @grants is full or no flow is left. Return: number of grants. */
static u32 fp_collect(struct uet_fep_pacer *fp, struct fp_grant *grants)
	__must_hold(&fp->lock)
{
	struct fp_grant *grant = grants;
	struct uet_pacer_flow *flow;

	while (grant < grants + FP_GRANTS_MAX &&
	       (flow = uet_pacer_poll(&fp->core, &grant->credit))) {
		grant->waiter = fp_pick_pdc(container_of(flow, struct uet_pacer_source, flow));
		grant += !!grant->waiter;
	}
	return grant - grants;
}

static enum hrtimer_restart fp_tick(struct hrtimer *timer)
{
	struct uet_fep_pacer *fp = container_of(timer, struct uet_fep_pacer, timer);
	struct fp_grant grants[FP_GRANTS_MAX];
	u32 nr, i;

	rcu_read_lock();
	spin_lock_bh(&fp->lock);
	fp->armed_ns = UET_NEVER;
	fp->ran_ns = uet_now_ns();
	fp_follow_rate(fp, fp->ran_ns);
	uet_pacer_run(&fp->core, fp->ran_ns);
	nr = fp_collect(fp, grants);
	fp_arm(fp);
	spin_unlock_bh(&fp->lock);
	rcu_read_unlock();
	for (i = 0; i < nr; i++) {
		grants[i].waiter->ops->grant(grants[i].waiter, grants[i].credit);
		grants[i].waiter->ops->put(grants[i].waiter);
	}
	return HRTIMER_NORESTART;
}

/*
 * uet_fep_cms_alloc() - congestion management of a new FEP, for kvfree(); NULL: out of memory
 */
struct uet_fep_cms *uet_fep_cms_alloc(struct uet_fep *fep)
{
	struct uet_fep_cms *cms = kvzalloc(sizeof(*cms), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	struct uet_fep_pacer *fp;

	if (!cms)
		return NULL;
	hash_init(cms->cccs);
	cms->seed = get_random_u32();
	spin_lock_init(&cms->lock);
	fp = &cms->pacer;
	fp->fep = fep;
	spin_lock_init(&fp->lock);
	hash_init(fp->sources);
	fp->seed = get_random_u32();
	fp->armed_ns = UET_NEVER;
	hrtimer_setup(&fp->timer, fp_tick, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	return cms;
}

/*
 * uet_fep_pacer_shut() - stop the pacer of a FEP; its timer never runs again
 */
void uet_fep_pacer_shut(struct uet_fep_pacer *fp)
{
	spin_lock_bh(&fp->lock);
	fp->is_shut = true;
	spin_unlock_bh(&fp->lock);
	hrtimer_cancel(&fp->timer);
}
