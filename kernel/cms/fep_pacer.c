// SPDX-License-Identifier: GPL-2.0
/*
 * A source of credit demand is a congestion control context of a peer.  All RUD PDCs
 * that it sends by share its credit, so they share the source here, by peer and
 * ccc_id; in ROD each PDC has one of its own.  A source is there from the first
 * demand on until the last of its PDCs dies.  What it is granted is told by the PDC
 * that heard of it last.
 *
 * The timer runs while there is demand only, and at most each FP_TICK_NS: what a
 * tick grants grows with the time since the one before, and each source is told once.
 * Spec: UE 1.0.1 3.6.14.  Level: shell.
 */
#include <linux/jhash.h>
#include <linux/slab.h>

#include "base/base.h"
#include "fabric/fabric.h"
#include "fep_pacer.h"

/* Between two runs, at least. */
#define FP_TICK_NS		20000

/* Sources told in one run; others are in the next. */
#define FP_GRANTS_MAX		32

/**
 * struct uet_pacer_source - a context of a peer
 * @flow: its place in the pacer
 * @node: in uet_fep_pacer.sources; of ROD: in none
 * @pdcs: PDCs that it sends by, struct uet_cc_waiter, the latest to report demand first
 * @peer: fabric address of the peer
 * @id: its ccc_id
 *
 * Under uet_fep_pacer.lock.
 */
struct uet_pacer_source {
	struct uet_pacer_flow flow;
	struct hlist_node node;
	struct list_head pdcs;
	struct uet_fa peer;
	u8 id;
};

/**
 * struct fp_grant - a Credit that a PDC is to send
 * @waiter: PDC, with a reference
 * @credit: 24 bits
 */
struct fp_grant {
	struct uet_cc_waiter *waiter;
	u32 credit;
};

static u32 fp_hash(const struct uet_fa *peer, u8 id)
{
	return jhash(peer, sizeof(*peer), id);
}

/* With the settings that the FEP has now; the caller is under RCU. */
static void fp_begin(struct uet_fep_pacer *fp, u64 now)
	__must_hold(&fp->lock)
{
	const struct uet_fep_settings *settings = uet_fep_settings(fp->fep);

	if (fp->nr_sources)
		return;
	uet_pacer_init(&fp->core, uet_fep_cc_rate(fp->fep, &settings->pdc),
		       settings->pdc.cc_base_rtt_ns,
		       uet_fep_cc_mtu(fp->fep, true), now);
}

static struct uet_pacer_source *fp_find(struct uet_fep_pacer *fp,
					const struct uet_fep_pacer_peer *from,
					u8 id)
	__must_hold(&fp->lock)
{
	struct uet_pacer_source *source;

	if (from->mode != UET_PDC_RUD)
		return NULL;
	hash_for_each_possible(fp->sources, source, node,
			       fp_hash(from->fa, id)) {
		if (source->id == id && uet_fa_equal(&source->peer, from->fa))
			return source;
	}
	return NULL;
}

/* Return: NULL without memory; the peer will request again. */
static struct uet_pacer_source *fp_make(struct uet_fep_pacer *fp,
					const struct uet_fep_pacer_peer *from,
					u8 id, u64 now)
	__must_hold(&fp->lock)
{
	struct uet_pacer_source *source = kzalloc(sizeof(*source),
						  GFP_ATOMIC | __GFP_NOWARN);

	if (!source)
		return NULL;
	fp_begin(fp, now);
	uet_pacer_flow_init(&source->flow);
	INIT_HLIST_NODE(&source->node);
	INIT_LIST_HEAD(&source->pdcs);
	source->peer = *from->fa;
	source->id = id;
	if (from->mode == UET_PDC_RUD)
		hash_add(fp->sources, &source->node, fp_hash(from->fa, id));
	fp->nr_sources++;
	return source;
}

/* A PDC belongs to one context; another ccc_id that it reports later is ignored. */
static struct uet_pacer_source *fp_join(struct uet_fep_pacer *fp,
					struct uet_cc_waiter *waiter,
					const struct uet_fep_pacer_peer *from,
					u8 id, u64 now)
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

/* Rails become slower or faster, and go. */
static void fp_follow_rate(struct uet_fep_pacer *fp, u64 now)
	__must_hold(&fp->lock) __must_hold(RCU)
{
	const struct uet_fep_settings *settings = uet_fep_settings(fp->fep);
	u32 rate_mbps = uet_fep_cc_rate(fp->fep, &settings->pdc);

	if (rate_mbps != fp->core.rate_mbps)
		uet_pacer_set_rate(&fp->core, rate_mbps, now);
}

static void fp_arm(struct uet_fep_pacer *fp)
	__must_hold(&fp->lock)
{
	u64 when = max(uet_pacer_deadline(&fp->core),
		       fp->ran_ns + FP_TICK_NS);

	if (fp->is_shut || when >= fp->armed_ns)
		return;
	fp->armed_ns = when;
	hrtimer_start(&fp->timer, ns_to_ktime(when), HRTIMER_MODE_ABS_SOFT);
}

/**
 * uet_fep_pacer_demand() - a peer has reported demand for credit
 * @fp: pacer of the FEP
 * @waiter: PDC that received the report
 * @from: the other end of that PDC
 * @demand: the report
 *
 * Context: Lock of the PDC held, rcu_read_lock() held.
 * Spec: UE 1.0.1 3.6.14.
 */
void uet_fep_pacer_demand(struct uet_fep_pacer *fp,
			  struct uet_cc_waiter *waiter,
			  const struct uet_fep_pacer_peer *from,
			  const struct uet_pdc_demand *demand)
{
	struct uet_pacer_source *source;
	u64 now;

	spin_lock(&fp->lock);
	now = ktime_get_ns();
	source = fp_join(fp, waiter, from, demand->ccc_id, now);
	if (source) {
		if (demand->was_requested)
			uet_pacer_request(&fp->core, &source->flow,
					  demand->target, now);
		else
			uet_pacer_demand(&fp->core, &source->flow,
					 demand->target, demand->was_trimmed,
					 now);
		fp_arm(fp);
	}
	spin_unlock(&fp->lock);
}

static void fp_drop(struct uet_fep_pacer *fp, struct uet_pacer_source *source)
	__must_hold(&fp->lock)
{
	uet_pacer_leave(&fp->core, &source->flow);
	hlist_del_init(&source->node);
	fp->nr_sources--;
	kfree(source);
}

/**
 * uet_fep_pacer_leave() - a PDC ends: it neither reports demand nor sends Credit
 * @fp: pacer of the FEP
 * @waiter: the PDC
 *
 * Context: Any but hard interrupt.
 */
void uet_fep_pacer_leave(struct uet_fep_pacer *fp, struct uet_cc_waiter *waiter)
{
	struct uet_pacer_source *source;

	spin_lock_bh(&fp->lock);
	source = waiter->source;
	waiter->source = NULL;
	list_del_init(&waiter->source_link);
	if (source && list_empty(&source->pdcs))
		fp_drop(fp, source);
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

/* Return: how many there are. */
static u32 fp_collect(struct uet_fep_pacer *fp, struct fp_grant *grants)
	__must_hold(&fp->lock)
{
	struct fp_grant *grant = grants;
	struct uet_pacer_flow *flow;

	while (grant < grants + FP_GRANTS_MAX &&
	       (flow = uet_pacer_poll(&fp->core, &grant->credit))) {
		grant->waiter = fp_pick_pdc(container_of(flow,
							 struct uet_pacer_source,
							 flow));
		grant += !!grant->waiter;
	}
	return grant - grants;
}

static void fp_grant_one(const struct fp_grant *grant)
{
	grant->waiter->ops->grant(grant->waiter, grant->credit);
	grant->waiter->ops->put(grant->waiter);
}

static enum hrtimer_restart fp_tick(struct hrtimer *timer)
{
	struct uet_fep_pacer *fp =
		container_of(timer, struct uet_fep_pacer, timer);
	struct fp_grant grants[FP_GRANTS_MAX];
	u32 nr, i;

	rcu_read_lock();
	spin_lock_bh(&fp->lock);
	fp->armed_ns = UET_NEVER;
	fp->ran_ns = ktime_get_ns();
	fp_follow_rate(fp, fp->ran_ns);
	uet_pacer_run(&fp->core, fp->ran_ns);
	nr = fp_collect(fp, grants);
	fp_arm(fp);
	spin_unlock_bh(&fp->lock);
	rcu_read_unlock();
	for (i = 0; i < nr; i++)
		fp_grant_one(&grants[i]);
	return HRTIMER_NORESTART;
}

/**
 * uet_fep_pacer_init() - a FEP is made
 * @fp: its pacer, zeroed
 * @fep: the FEP
 *
 * Context: Process.
 */
void uet_fep_pacer_init(struct uet_fep_pacer *fp, struct uet_fep *fep)
{
	fp->fep = fep;
	spin_lock_init(&fp->lock);
	hash_init(fp->sources);
	fp->armed_ns = UET_NEVER;
	hrtimer_setup(&fp->timer, fp_tick, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_SOFT);
}

/**
 * uet_fep_pacer_shut() - a FEP dies
 * @fp: its pacer
 *
 * When this returns its timer does not run, nor will it.
 *
 * Context: Process, sleeps.
 */
void uet_fep_pacer_shut(struct uet_fep_pacer *fp)
{
	spin_lock_bh(&fp->lock);
	fp->is_shut = true;
	spin_unlock_bh(&fp->lock);
	hrtimer_cancel(&fp->timer);
}
