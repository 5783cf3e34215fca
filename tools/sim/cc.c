// SPDX-License-Identifier: GPL-2.0
/*
 * Congestion control contexts of the simulator, as the kernel's ccc_entry.c has them: the
 * RUD PDCs of a node with a peer share one, in both roles, and a ROD PDC has its own.
 * Who finds its window full waits, and gets a turn in the order of arrival.  Every
 * time it is looked at a context must be within its bounds, now and then what it
 * counts must be what its PDCs have, and when its last PDC ends nothing may be left.
 *
 * Spec: UE 1.0.1 3.6.12.  Level: test.
 */
#include "cc.h"

/* Packets of a turn. */
#define CC_QUANTUM		4

/* How often the packets of all PDCs are counted. */
#define CC_COUNT_EVERY	64

/* What a destination says is rounded up to this. */
#define CC_ROUNDING	256

/* UDP header: what a packet has besides PDS, SES and payload. */
#define CC_OVERHEAD	8

static void cc_derive(struct sim *sim, struct sim_ccc *ccc)
{
	const char *wrong = uet_cc_derive(&ccc->param, &sim->par.cc);

	if (wrong)
		sim_fail(sim, "congestion control: %s", wrong);
}

static struct sim_ccc *cc_new(struct sim *sim, u8 node, u8 peer)
{
	const struct uet_ev_cfg *ev = &sim->par.paths;
	struct sim_ccc *ccc;

	ccc = calloc(1, sizeof(*ccc) + uet_ev_sel_space(ev));
	if (!ccc)
		abort();
	ccc->node = node;
	ccc->peer = peer;
	INIT_LIST_HEAD(&ccc->waiting);
	cc_derive(sim, ccc);
	uet_ev_sel_init(&ccc->sel, ev, ccc->penalty, (u32)sim_rand(&sim->rng),
			sim->now);
	uet_ccc_init(&ccc->ccc, &ccc->param, &ccc->sel, sim->now);
	list_add(&ccc->link, &sim->cccs);
	sim->count.contexts++;
	return ccc;
}

static struct sim_ccc *cc_find(struct sim *sim, u8 node, u8 peer)
{
	struct sim_ccc *ccc;

	list_for_each_entry(ccc, &sim->cccs, link)
		if (ccc->pdcs && ccc->node == node && ccc->peer == peer)
			return ccc;
	return NULL;
}

/**
 * sim_cc_join() - the context of a new PDC
 * @p: PDC, its node and its peer known
 * @open: its identity, completed
 */
void sim_cc_join(struct sim_pdc *p, struct uet_pdc_open *open)
{
	struct sim *sim = p->sim;
	struct sim_ccc *ccc;

	INIT_LIST_HEAD(&p->cc_wait);
	if (!sim->par.pdc.has_cc)
		return;
	ccc = open->mode == UET_PDC_RUD ? cc_find(sim, p->node, p->peer) : NULL;
	if (!ccc)
		ccc = cc_new(sim, p->node, p->peer);
	p->ccc = ccc;
	ccc->pdcs++;
	open->ccc = &ccc->ccc;
	open->overhead = CC_OVERHEAD;
}

/* Of a context that no PDC has any more. */
static void cc_is_clean(struct sim *sim, const struct sim_ccc *ccc)
{
	const struct uet_ccc *c = &ccc->ccc;

	if (c->inflight || c->inflight_pkts || c->backlog || c->rtx_backlog ||
	    c->waiting_rtx || c->nr_waiting || c->state != UET_CCC_IDLE)
		sim_fail(sim, "context %u->%u ends with %lld bytes (%u packets) in flight, %llu+%llu queued, %u waiting, state %u",
			 ccc->node, ccc->peer, (long long)c->inflight,
			 c->inflight_pkts, (unsigned long long)c->backlog,
			 (unsigned long long)c->rtx_backlog, c->nr_waiting,
			 c->state);
}

/**
 * sim_cc_leave() - a PDC has ended
 * @p: PDC, out of the line, its packets reaped
 */
void sim_cc_leave(struct sim_pdc *p)
{
	const struct uet_cc_stats *from;
	struct sim_count *sum = &p->sim->count;

	if (!p->ccc || --p->ccc->pdcs)
		return;
	cc_is_clean(p->sim, p->ccc);
	from = &p->ccc->ccc.stats;
	sum->cc_marked += from->marked;
	sum->cc_trims += from->trims;
	sum->cc_losses += from->losses;
	sum->cc_found += from->found;
	sum->cc_decreases += from->decreases;
}

/* ------------------------------------------------------------------ invariants */

/* PDCs count their control packets, too. */
static void cc_count(struct sim *sim, const struct sim_ccc *ccc)
{
	struct uet_pdc_info info;
	const struct sim_pdc *p;
	u32 sum = 0;

	list_for_each_entry(p, &sim->node[ccc->node].pdcs, link) {
		if (p->ccc != ccc)
			continue;
		uet_pdc_get_info(p->pdc, &info);
		sum += info.inflight_pkts;
	}
	if (ccc->ccc.inflight_pkts > sum)
		sim_fail(sim, "context %u->%u counts %u packets in flight, its PDCs %u",
			 ccc->node, ccc->peer, ccc->ccc.inflight_pkts, sum);
}

static bool cc_window_is_wrong(const struct sim_ccc *ccc)
{
	const struct uet_cc_param *param = &ccc->param;
	u64 cwnd = ccc->ccc.cwnd;

	if (param->cfg.window == UET_WINDOW_CONST && param->cfg.cwnd)
		return cwnd != param->cfg.cwnd;
	return cwnd < param->cfg.mtu || cwnd > param->max_wnd;
}

static void cc_check(struct sim *sim, struct sim_ccc *ccc)
{
	const struct uet_ccc *c = &ccc->ccc;

	if (cc_window_is_wrong(ccc))
		sim_fail(sim, "context %u->%u has a window of %llu bytes, of %u..%u",
			 ccc->node, ccc->peer, (unsigned long long)c->cwnd,
			 ccc->param.cfg.mtu, ccc->param.max_wnd);
	/*
	 * A packet that is taken for lost may be among those that have arrived; and a
	 * mangled one that nobody noticed may say anything.
	 */
	if (!sim->par.forge_ppm && c->inflight < -(s64)c->rtx_backlog -
						 (s64)CC_ROUNDING * ccc->pdcs)
		sim_fail(sim, "context %u->%u has %lld bytes in flight",
			 ccc->node, ccc->peer, (long long)c->inflight);
	if (!c->inflight_pkts && c->inflight > 0)
		sim_fail(sim, "context %u->%u has no packet, but %lld bytes in flight",
			 ccc->node, ccc->peer, (long long)c->inflight);
	if (!(++ccc->looks % CC_COUNT_EVERY))
		cc_count(sim, ccc);
}

/* ----------------------------------------------------------------------- turns */

static bool cc_is_open(const struct sim_ccc *ccc)
{
	return ccc->ccc.state == UET_CCC_READY && !list_empty(&ccc->waiting);
}

/* Let a PDC wait, or wait no longer. */
static void cc_line_up(struct sim_ccc *ccc, struct sim_pdc *p, bool waits)
{
	if (waits == !list_empty(&p->cc_wait))
		return;
	if (!waits) {
		list_del_init(&p->cc_wait);
		ccc->ccc.nr_waiting--;
		return;
	}
	p->cc_last = ccc->turns + ccc->ccc.nr_waiting + 1;
	list_add_tail(&p->cc_wait, &ccc->waiting);
	ccc->ccc.nr_waiting++;
	p->sim->count.cc_waits++;
}

/**
 * sim_cc_note() - a PDC leaves its run loop
 * @p: PDC
 *
 * Before sim_cc_leave(), if it has ended.
 */
void sim_cc_note(struct sim_pdc *p)
{
	bool waits;

	if (!p->ccc)
		return;
	waits = !uet_pdc_is_dead(p->pdc) && uet_pdc_cc_waits(p->pdc);
	if (waits)
		uet_pdc_cc_give_quantum(p->pdc, 0);
	cc_line_up(p->ccc, p, waits);
	cc_check(p->sim, p->ccc);
}

static u64 cc_sent(const struct sim_pdc *p)
{
	const struct uet_pdc_stats *stats = uet_pdc_stats(p->pdc);

	return stats->tx_req + stats->tx_retx;
}

/* Who had a turn while there was space and still waits must have sent. */
static void cc_serve(struct sim *sim, struct sim_pdc *p)
{
	struct sim_ccc *ccc = p->ccc;
	u64 sent = cc_sent(p);

	list_del_init(&p->cc_wait);
	ccc->ccc.nr_waiting--;
	ccc->turns++;
	if (ccc->turns > p->cc_last)
		sim_fail(sim, "node %u PDC %04x waited for %llu turns too many",
			 p->node, p->id,
			 (unsigned long long)(ccc->turns - p->cc_last));
	uet_pdc_cc_give_quantum(p->pdc, CC_QUANTUM);
	sim_pdc_run(p);
	if (!list_empty(&p->cc_wait) && cc_sent(p) == sent)
		sim_fail(sim, "node %u PDC %04x had a turn and sent nothing",
			 p->node, p->id);
}

/**
 * sim_cc_run_waiters() - give those that wait their turn
 * @sim: the run
 * @ccc: context, or NULL
 *
 * One at a time does it, so that a turn does not end in another.
 */
void sim_cc_run_waiters(struct sim *sim, struct sim_ccc *ccc)
{
	if (!ccc || ccc->is_kicked)
		return;
	ccc->is_kicked = true;
	while (!sim->failed && cc_is_open(ccc))
		cc_serve(sim, list_first_entry(&ccc->waiting, struct sim_pdc,
					       cc_wait));
	ccc->is_kicked = false;
}

/**
 * sim_cc_fini() - return the memory of all contexts
 * @sim: the run
 */
void sim_cc_fini(struct sim *sim)
{
	struct sim_ccc *ccc, *next;

	list_for_each_entry_safe(ccc, next, &sim->cccs, link) {
		list_del(&ccc->link);
		free(ccc);
	}
}
