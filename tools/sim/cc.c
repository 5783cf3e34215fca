// SPDX-License-Identifier: GPL-2.0
/*
 * Congestion control contexts of the simulator, as the kernel's ccc_entry.c has
 * them: the RUD PDCs of a node to a peer share a context in both roles, and a
 * ROD PDC has its own.  A PDC blocked on the window waits, and gets a quantum
 * in order of arrival.  On every access a context must be within its bounds.
 * At intervals its counters are compared with the packets of its PDCs.  When
 * its last PDC ends, all its counters must be 0.
 *
 * Spec: UE 1.0.1 3.6.12.  Level: test.
 */
#include "cc.h"

/* Packets of a quantum. */
#define CC_QUANTUM		4

/* Accesses to a context between two counts of the packets of its PDCs. */
#define CC_COUNT_EVERY	64

/* Received bytes are reported rounded up to a multiple of this number of bytes. */
#define CC_ROUNDING	256

/* Bytes of a packet besides PDS, SES and payload: the UDP header. */
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
 * sim_cc_join() - give a new PDC its context
 * @p: PDC, its node and its peer known
 * @open: identity of the PDC; its context is set here
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

/* Verify that a context without PDCs has counters of 0. */
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
 * sim_cc_leave() - release the context of a PDC that ended
 * @p: PDC, not waiting, its packets reaped
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

/* Compare the counters; the PDCs count their control packets as well. */
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

/* Without trimming a context measures how long its path is, and its jitter. */
static u64 cc_most(const struct uet_cc_param *param)
{
	bool measures = param->cfg.window == UET_WINDOW_NSCC &&
			uet_cc_can_be_blind(&param->cfg);

	return measures ? uet_cc_max_window(param, UET_CC_BDP_MAX) : param->max_wnd;
}

static bool cc_window_is_wrong(const struct sim_ccc *ccc)
{
	const struct uet_cc_param *param = &ccc->param;
	u64 cwnd = ccc->ccc.cwnd;

	if (param->cfg.window == UET_WINDOW_CONST && param->cfg.cwnd)
		return cwnd != param->cfg.cwnd;
	return cwnd < param->cfg.mtu || cwnd > cc_most(param);
}

static void cc_check(struct sim *sim, struct sim_ccc *ccc)
{
	const struct uet_ccc *c = &ccc->ccc;

	if (cc_window_is_wrong(ccc))
		sim_fail(sim, "context %u->%u has a window of %llu bytes, of %u..%llu",
			 ccc->node, ccc->peer, (unsigned long long)c->cwnd,
			 ccc->param.cfg.mtu, (unsigned long long)cc_most(&ccc->param));
	/*
	 * A packet inferred lost may have arrived.  A corrupted packet that was
	 * not detected may report any value.
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

/* ---------------------------------------------------------------------- quanta */

static bool cc_is_open(const struct sim_ccc *ccc)
{
	return ccc->ccc.state == UET_CCC_READY && !list_empty(&ccc->waiting);
}

/* Add a PDC to the waiting queue, or remove it. */
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
 * sim_cc_note() - update the waiting queue after a run loop
 * @p: PDC
 *
 * To be called before sim_cc_leave() if the PDC has ended.
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

/*
 * A PDC that gets a quantum while there is space, and still waits afterwards,
 * must have sent a packet.
 */
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
 * sim_cc_run_waiters() - give waiting PDCs their quantum
 * @sim: the run
 * @ccc: context, or NULL
 *
 * The flag @is_kicked prevents recursion: no quantum starts within another.
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
 * sim_cc_fini() - free the memory of all contexts
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
