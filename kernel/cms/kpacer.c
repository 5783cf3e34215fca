// SPDX-License-Identifier: GPL-2.0
/*
 * A source of credit demand is a congestion control context of a peer.  All RUD PDCs
 * that it sends by share its credit, so they share the source here, by peer and
 * ccc_id; in ROD each PDC has one of its own.  A source is there from the first
 * demand on until the last of its PDCs dies.  What it is granted is told by the PDC
 * that heard of it last.
 *
 * The timer runs while there is demand only, and at most each KPACER_TICK_NS: what a
 * tick grants grows with the time since the one before, and each source is told once.
 * Spec: UE 1.0.1 3.6.14.  Level: shell.
 */
#include <linux/jhash.h>
#include <linux/slab.h>

#include "base/compat.h"
#include "fabric/fep.h"
#include "kpacer.h"
#include "pdc/kpdc.h"

/* Between two runs, at least. */
#define KPACER_TICK_NS		20000

/* Sources told in one run; others are in the next. */
#define KPACER_TOLD		32

/**
 * struct uet_ksource - a context of a peer
 * @flow: its place in the pacer
 * @node: in uet_kpacer.sources; of ROD: in none
 * @pdcs: PDCs that it sends by, uet_kpdc.source_link, the one heard last first
 * @peer: fabric address of the peer
 * @id: its ccc_id
 *
 * Under uet_kpacer.lock.
 */
struct uet_ksource {
	struct uet_pacer_flow flow;
	struct hlist_node node;
	struct list_head pdcs;
	struct uet_fa peer;
	u8 id;
};

/**
 * struct kpacer_word - what a PDC is to tell
 * @kpdc: PDC, with a reference
 * @credit: 24 bits
 */
struct kpacer_word {
	struct uet_kpdc *kpdc;
	u32 credit;
};

static u32 kpacer_hash(const struct uet_fa *peer, u8 id)
{
	return jhash(peer, sizeof(*peer), id);
}

/* With the settings that the FEP has now; the caller is under RCU. */
static void kpacer_begin(struct uet_kpacer *kp, const struct uet_fep *fep,
			 u64 now)
	__must_hold(&kp->lock)
{
	const struct uet_fep_settings *settings = uet_fep_settings(fep);

	if (kp->nr_sources)
		return;
	uet_pacer_init(&kp->core, uet_kccc_rate(fep, &settings->pdc),
		       settings->pdc.cc_base_rtt_ns, uet_kccc_mtu(fep, true),
		       now);
}

static struct uet_ksource *kpacer_find(struct uet_kpacer *kp,
				       const struct uet_kpdc *kpdc, u8 id)
	__must_hold(&kp->lock)
{
	struct uet_ksource *source;

	if (kpdc->mode != UET_PDC_RUD)
		return NULL;
	hash_for_each_possible(kp->sources, source, node,
			       kpacer_hash(&kpdc->peer, id)) {
		if (source->id == id &&
		    uet_fa_equal(&source->peer, &kpdc->peer))
			return source;
	}
	return NULL;
}

/* Return: NULL without memory: it will ask again. */
static struct uet_ksource *kpacer_make(struct uet_kpacer *kp,
				       const struct uet_kpdc *kpdc, u8 id,
				       u64 now)
	__must_hold(&kp->lock)
{
	struct uet_ksource *source = kzalloc(sizeof(*source),
					     GFP_ATOMIC | __GFP_NOWARN);

	if (!source)
		return NULL;
	kpacer_begin(kp, kpdc->fep, now);
	uet_pacer_flow_init(&source->flow);
	INIT_HLIST_NODE(&source->node);
	INIT_LIST_HEAD(&source->pdcs);
	source->peer = kpdc->peer;
	source->id = id;
	if (kpdc->mode == UET_PDC_RUD)
		hash_add(kp->sources, &source->node,
			 kpacer_hash(&kpdc->peer, id));
	kp->nr_sources++;
	return source;
}

/* A PDC belongs to one context; what it says of others later is not believed. */
static struct uet_ksource *kpacer_join(struct uet_kpacer *kp,
				       struct uet_kpdc *kpdc, u8 id, u64 now)
	__must_hold(&kp->lock)
{
	if (!kpdc->source)
		kpdc->source = kpacer_find(kp, kpdc, id);
	if (!kpdc->source)
		kpdc->source = kpacer_make(kp, kpdc, id, now);
	if (kpdc->source)
		list_move(&kpdc->source_link, &kpdc->source->pdcs);
	return kpdc->source;
}

/* Rails become slower or faster, and go. */
static void kpacer_follow_rate(struct uet_kpacer *kp, u64 now)
	__must_hold(&kp->lock) __must_hold(RCU)
{
	const struct uet_fep *fep = container_of(kp, struct uet_fep, pacer);
	const struct uet_fep_settings *settings = uet_fep_settings(fep);
	u32 rate_mbps = uet_kccc_rate(fep, &settings->pdc);

	if (rate_mbps != kp->core.rate_mbps)
		uet_pacer_set_rate(&kp->core, rate_mbps, now);
}

static void kpacer_arm(struct uet_kpacer *kp)
	__must_hold(&kp->lock)
{
	u64 when = max(uet_pacer_deadline(&kp->core),
		       kp->ran_ns + KPACER_TICK_NS);

	if (kp->is_shut || when >= kp->armed_ns)
		return;
	kp->armed_ns = when;
	hrtimer_start(&kp->timer, ns_to_ktime(when), HRTIMER_MODE_ABS_SOFT);
}

/**
 * uet_kpacer_hear() - a PDC may have heard what its peer would like to have
 * @kpdc: PDC, not dead
 *
 * Context: Its lock held, under RCU.
 * Spec: UE 1.0.1 3.6.14.
 */
void uet_kpacer_hear(struct uet_kpdc *kpdc)
	__must_hold(&kpdc->lock)
{
	struct uet_kpacer *kp = &kpdc->fep->pacer;
	struct uet_pdc_demand demand;
	struct uet_ksource *source;
	u64 now;

	if (!uet_pdc_poll_demand(kpdc->pdc, &demand))
		return;
	spin_lock(&kp->lock);
	now = ktime_get_ns();
	source = kpacer_join(kp, kpdc, demand.ccc_id, now);
	if (source) {
		if (demand.was_asked)
			uet_pacer_asked(&kp->core, &source->flow,
					demand.target, now);
		else
			uet_pacer_demand(&kp->core, &source->flow,
					 demand.target, demand.was_trimmed,
					 now);
		kpacer_arm(kp);
	}
	spin_unlock(&kp->lock);
}

static void kpacer_drop(struct uet_kpacer *kp, struct uet_ksource *source)
	__must_hold(&kp->lock)
{
	uet_pacer_leave(&kp->core, &source->flow);
	hlist_del_init(&source->node);
	kp->nr_sources--;
	kfree(source);
}

/**
 * uet_kpacer_leave() - a PDC hears and tells nothing any more
 * @kpdc: PDC, dead or about to be freed; may have left before
 *
 * With the last PDC of a source its demand goes: what it would be granted is
 * others'.
 *
 * Context: Any but hard interrupt.
 */
void uet_kpacer_leave(struct uet_kpdc *kpdc)
{
	struct uet_kpacer *kp = &kpdc->fep->pacer;
	struct uet_ksource *source;

	spin_lock_bh(&kp->lock);
	source = kpdc->source;
	kpdc->source = NULL;
	list_del_init(&kpdc->source_link);
	if (source && list_empty(&source->pdcs))
		kpacer_drop(kp, source);
	spin_unlock_bh(&kp->lock);
}

/* Return: a PDC of the source, with a reference; NULL: all are being freed. */
static struct uet_kpdc *kpacer_voice(struct uet_ksource *source)
{
	struct uet_kpdc *kpdc;

	list_for_each_entry(kpdc, &source->pdcs, source_link) {
		if (refcount_inc_not_zero(&kpdc->refs))
			return kpdc;
	}
	return NULL;
}

/* Return: how many there are. */
static u32 kpacer_collect(struct uet_kpacer *kp, struct kpacer_word *words)
	__must_hold(&kp->lock)
{
	struct kpacer_word *word = words;
	struct uet_pacer_flow *flow;

	while (word < words + KPACER_TOLD &&
	       (flow = uet_pacer_poll(&kp->core, &word->credit))) {
		word->kpdc = kpacer_voice(container_of(flow,
						       struct uet_ksource,
						       flow));
		word += !!word->kpdc;
	}
	return word - words;
}

static void kpacer_tell(const struct kpacer_word *word)
{
	uet_kpdc_lock(word->kpdc);
	if (!word->kpdc->dead)
		uet_pdc_tell_credit(word->kpdc->pdc, word->credit);
	uet_kpdc_run_unlock(word->kpdc);
	uet_kpdc_put(word->kpdc);
}

static enum hrtimer_restart kpacer_tick(struct hrtimer *timer)
{
	struct uet_kpacer *kp = container_of(timer, struct uet_kpacer, timer);
	struct kpacer_word words[KPACER_TOLD];
	u32 nr, i;

	rcu_read_lock();
	spin_lock_bh(&kp->lock);
	kp->armed_ns = UET_NEVER;
	kp->ran_ns = ktime_get_ns();
	kpacer_follow_rate(kp, kp->ran_ns);
	uet_pacer_run(&kp->core, kp->ran_ns);
	nr = kpacer_collect(kp, words);
	kpacer_arm(kp);
	spin_unlock_bh(&kp->lock);
	rcu_read_unlock();
	for (i = 0; i < nr; i++)
		kpacer_tell(&words[i]);
	return HRTIMER_NORESTART;
}

/**
 * uet_kpacer_init() - a FEP is made
 * @kp: its pacer, zeroed
 *
 * Context: Process.
 */
void uet_kpacer_init(struct uet_kpacer *kp)
{
	spin_lock_init(&kp->lock);
	hash_init(kp->sources);
	kp->armed_ns = UET_NEVER;
	hrtimer_setup(&kp->timer, kpacer_tick, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_SOFT);
}

/**
 * uet_kpacer_shut() - a FEP dies
 * @kp: its pacer
 *
 * When this returns its timer does not run, nor will it.
 *
 * Context: Process, sleeps.
 */
void uet_kpacer_shut(struct uet_kpacer *kp)
{
	spin_lock_bh(&kp->lock);
	kp->is_shut = true;
	spin_unlock_bh(&kp->lock);
	hrtimer_cancel(&kp->timer);
}
