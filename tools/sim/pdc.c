// SPDX-License-Identifier: GPL-2.0
/*
 * One PDC of the simulator and its run loop: the actions of a shell after each
 * call into the core, in the required order, followed by every possible check
 * of the core's state.  Level: test.
 */
#include "cc.h"
#include "pdc_block.h"
#include "pdc_check.h"
#include "../model/shadow.h"

/* Events of one PDC at the same time; a larger number means an endless loop. */
#define PDC_STORM_MAX	20000

/* Packets of a run that are sent in one step. */
#define PDC_RUN_MAX	64

static void pdc_timer(struct sim *sim, void *arg)
{
	struct sim_pdc *p = arg;

	/* The timer was armed for an earlier time, or the PDC has ended. */
	if (!p->pdc || sim->now != p->timer_ns)
		return;
	p->timer_ns = UET_NEVER;
	if (uet_pdc_deadline(p->pdc) <= sim->now)
		uet_pdc_tick(p->pdc, sim->now);
	sim_pdc_run(p);
}

/*
 * As an hrtimer that is only moved to earlier times, and compares the deadline
 * when it fires.
 */
static void pdc_arm(struct sim_pdc *p)
{
	u64 at = min(uet_pdc_deadline(p->pdc),
		     uet_ses_read_deadline(&p->ses));

	if (at == UET_NEVER || at >= p->timer_ns)
		return;
	p->timer_ns = max(at, p->sim->now);
	sim_at(p->sim, p->timer_ns, pdc_timer, p);
}

static void pdc_check(struct sim_pdc *p)
{
	struct sim *sim = p->sim;
	const char *what = "";
	struct uet_pdc_info info;

	if (!uet_pdc_check(p->pdc, &what))
		sim_fail(sim, "node %u PDC %04x: %s", p->node, p->id, what);
	uet_pdc_get_info(p->pdc, &info);
	if (info.inflight_pkts > sim->par.pdc.window)
		sim_fail(sim, "node %u PDC %04x: %u packets in flight",
			 p->node, p->id, info.inflight_pkts);
	if (p->ses.nr_rx > UET_SES_RX_MAX)
		sim_fail(sim, "node %u PDC %04x: %u messages incomplete",
			 p->node, p->id, p->ses.nr_rx);
	if (p->storm_ns != sim->now) {
		p->storm_ns = sim->now;
		p->storm = 0;
	}
	if (++p->storm > PDC_STORM_MAX)
		sim_fail(sim, "node %u PDC %04x: event storm in state %s",
			 p->node, p->id, uet_pdc_state_name(info.state));
}

/* Free the requests that were kept for their turn. */
static void pdc_free_early(struct sim_pdc *p)
{
	struct sim_frame *frame, *next;

	list_for_each_entry_safe(frame, next, &p->early, link)
		sim_frame_free(frame);
}

/* Add up the counters of a PDC that ended, and free its memory. */
static void pdc_mark_failed(struct sim_pdc *p)
{
	const struct uet_pdc_stats *from = uet_pdc_stats(p->pdc);
	struct uet_pdc_stats *sum = &p->sim->count.pdc;

#define UET_PDC_STAT(field, mib)	sum->field += from->field;
#define UET_PDC_SUM			UET_PDC_STAT
#include "core/pdc_stat.def"

	sim_ep_forget(p);
	if (!uet_ses_is_idle(&p->ses))
		sim_fail(p->sim, "node %u PDC %04x: dead, but %u messages",
			 p->node, p->id, p->ses.nr_tx);
	if (p->role == UET_PDC_TARGET)
		p->sim->node[p->node].targets--;
	p->sim->living--;
	list_move_tail(&p->link, &p->sim->dead);
	pdc_free_early(p);
	shadow_forget(p->pdc);
	free(p->pdc);
	p->pdc = NULL;
	sim_cc_leave(p);
}

/**
 * sim_pdc_time_wait() - let late packets find a target that has ended
 * @p: PDC that has ended
 *
 * The time is the longest life of a copy of a SYN.  After a failure the longest
 * interval between two SYNs of an initiator unaware of the failure is added.
 */
void sim_pdc_time_wait(struct sim_pdc *p)
{
	const struct sim *sim = p->sim;

	p->time_wait_ns = sim->now + SIM_LINGER_NS;
	if (p->has_failed)
		p->time_wait_ns += sim->par.pdc.rto_max_ns;
}

/* End the messages of a PDC that is over. */
static void pdc_end(struct sim_pdc *p, struct list_head *done)
{
	struct uet_pdc_info info;

	uet_pdc_get_info(p->pdc, &info);
	sim_note(p->sim, "node %u PDC %04x dead: %s", p->node, p->id,
		 uet_pdc_error_name(info.error));
	p->sim->count.protocol += info.error == UET_PDC_ERR_PROTOCOL;
	p->sim->count.told += info.error == UET_PDC_ERR_NACK;
	p->has_failed = info.error != UET_PDC_OK;
	sim_pdc_time_wait(p);
	while (!uet_ses_reap(&p->ses, p->pdc, done) ||
	       !uet_ses_fail(&p->ses, info.error, done))
		;
	sim_read_free_rsps(p);
	sim_secure_end_pdc(p);
	pdc_mark_failed(p);
}

/* Continue a PDC that had used up its budget. */
static void pdc_go_on(struct sim *sim, void *arg)
{
	struct sim_pdc *p = arg;

	(void)sim;
	p->again = false;
	if (p->pdc)
		sim_pdc_run(p);
}

/* Send a packet, and those that continue it. Return: their number. */
static u32 pdc_send(struct sim_pdc *p, struct uet_pdc_tx *tx, u32 max)
{
	u16 ev[PDC_RUN_MAX];
	u32 n, i;

	sim_node_answer(p->sim, p->node, p->peer, tx);
	n = uet_pdc_poll_tx_run(p->pdc, tx, ev, min_t(u32, max - 1, PDC_RUN_MAX),
				p->sim->now);
	for (i = 0; i < n; i++) {
		uet_pdc_tx_step(tx, ev[i]);
		sim_node_answer(p->sim, p->node, p->peer, tx);
	}
	return n + 1;
}

/* Until the next call nothing is to be done, so an idle PDC forgets its window. */
static void pdc_rest(struct sim_pdc *p)
{
	pdc_arm(p);
	pdc_block_renew(p->pdc);
}

/**
 * sim_pdc_run() - run loop of a PDC
 * @p: a PDC that has not ended, after a call into its core object; may have
 *	ended afterwards
 *
 * A PDC that is over sends its last answer before it ends.
 */
void sim_pdc_run(struct sim_pdc *p)
{
	struct sim *sim = p->sim;
	u32 left = sim->par.budget ? sim->par.budget : U32_MAX;
	struct uet_pdc_tx tx;
	LIST_HEAD(done);

	uet_ses_read_tick(&p->ses, p->pdc, sim->now);
	while (!uet_ses_reap(&p->ses, p->pdc, &done))
		;
	sim_read_free_rsps(p);
	if (!uet_pdc_is_dead(p->pdc))
		while (!uet_ses_pump(&p->ses, p->pdc, sim->now))
			;
	sim_read_rsp_hold(p);
	while (!sim->failed && left &&
	       uet_pdc_poll_tx(p->pdc, &tx, sim->now))
		left -= pdc_send(p, &tx, left);
	if (!left && !p->again) {
		p->again = true;
		sim_at(sim, sim->now + SIM_US, pdc_go_on, p);
	}
	pdc_check(p);
	if (!sim->failed)
		sim_cc_note(p);
	if (sim->failed)
		return;
	if (uet_pdc_is_dead(p->pdc))
		pdc_end(p, &done);
	else
		pdc_rest(p);
	sim_app_done(sim, &done);
	sim_cc_run_waiters(sim, p->ccc);
}

/**
 * sim_pdc_new() - create a PDC
 * @sim: the run
 * @node: node of this end
 * @peer: node at the other end
 * @open: identity of the PDC
 *
 * Return: the PDC, in the list of its node.
 */
struct sim_pdc *sim_pdc_new(struct sim *sim, u8 node, u8 peer,
			    const struct uet_pdc_open *open)
{
	struct sim_pdc *p = calloc(1, sizeof(*p));
	struct uet_pdc_open full = *open;

	if (!p)
		abort();
	p->pdc = malloc(pdc_block_size(&sim->par.pdc));
	if (!p->pdc)
		abort();
	p->sim = sim;
	p->node = node;
	p->peer = peer;
	p->pid = SIM_EPS;
	p->id = open->local_pdcid;
	p->peer_id = open->peer_pdcid;
	p->syn_psn = open->start_psn;
	p->start_psn = open->start_psn;
	p->role = open->role;
	p->timer_ns = UET_NEVER;
	uet_ses_init(&p->ses);
	INIT_LIST_HEAD(&p->early);
	sim_cc_join(p, &full);
	pdc_block_init(p->pdc, &sim->par.pdc, &full, sim->now);
	list_add_tail(&p->link, &sim->node[node].pdcs);
	sim->living++;
	if (open->role == UET_PDC_TARGET) {
		sim->count.accepted++;
		sim->node[node].targets++;
	} else {
		sim->count.opened++;
	}
	return p;
}

/**
 * sim_pdc_free() - free the memory of a PDC at the end of a run
 * @p: PDC, ended or not
 */
void sim_pdc_free(struct sim_pdc *p)
{
	LIST_HEAD(lost);

	if (p->pdc)
		sim_ep_forget(p);
	while (!uet_ses_fail(&p->ses, UET_PDC_ERR_ABORT, &lost))
		;
	sim_read_free_rsps(p);
	pdc_free_early(p);
	list_del(&p->link);
	shadow_forget(p->pdc);
	free(p->pdc);
	free(p);
}
