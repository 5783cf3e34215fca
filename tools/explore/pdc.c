// SPDX-License-Identifier: GPL-2.0
/*
 * One PDC of the explorer and its run loop: the actions of a shell after each call into the
 * core, in the required order, and checks of the core's state.  Messages of a PDC that its
 * peer has refused move to another PDC as run_repeat() of the shell has it, by the same rules
 * of the core: uet_pdc_may_repeat() and uet_ses_tx_may_repeat().
 * Level: test.
 */
#include "explore.h"
#include "pdc_block.h"
#include "pdc_check.h"

/* Packets that a PDC may send in a row; more are an endless loop. */
#define PDC_STORM	64

/**
 * ex_random() - the next random number
 *
 * Return: different numbers with room for many PSNs between them.
 */
u32 ex_random(void)
{
	return ++ex.randoms * 0x100000U;
}

/**
 * ex_pdc_new() - create a PDC
 * @node: node of this end
 * @open: identity of the PDC; its PDCID is chosen here
 *
 * PDCIDs ascend, so that a late packet finds no new PDC.
 *
 * Return: the PDC, or NULL if the node has too many.
 */
struct ex_pdc *ex_pdc_new(u8 node, const struct uet_pdc_open *open)
{
	struct uet_pdc_open full = *open;
	struct ex_pdc *p;

	for (p = ex.pdc[node]; p != ex.pdc[node] + EX_PDCS; p++)
		if (!p->is_used || (p->is_dead && ex.now >= p->gone_ns))
			break;
	if (p == ex.pdc[node] + EX_PDCS) {
		ex_run.overflows = true;
		return NULL;
	}
	memset(p, 0, sizeof(*p));
	full.local_pdcid = ++ex.next_id[node];
	full.seed = 1;
	p->is_used = true;
	p->node = node;
	p->role = full.role;
	p->id = full.local_pdcid;
	p->peer_id = full.peer_pdcid;
	p->syn_psn = full.start_psn;
	p->start_psn = full.start_psn;
	uet_ses_init(&p->ses);
	p->ses.gen.is_ordered = full.mode == UET_PDC_ROD;
	pdc_block_init(ex_core(p), &ex_run.cfg, &full, ex.now);
	return p;
}

/**
 * ex_pdc_initiator() - find or open the PDC for a new message
 *
 * Return: a PDC that accepts messages, or NULL if node 0 has too many.
 */
struct ex_pdc *ex_pdc_initiator(void)
{
	struct uet_pdc_open open = {
		.role = UET_PDC_INITIATOR,
		.mode = ex_run.world->mode,
	};
	struct ex_pdc *p;

	for (p = ex.pdc[0]; p != ex.pdc[0] + EX_PDCS; p++)
		if (p->is_used && !p->is_dead && uet_pdc_takes_messages(ex_core(p)))
			return p;
	open.start_psn = ex_random();
	if (ex_run.world->is_secure)
		open.start = UET_PDC_START_EXPECTED;
	return ex_pdc_new(0, &open);
}

/**
 * ex_pdc_deadline() - when must the timer of a PDC expire?
 * @p: PDC
 *
 * Return: time, ns; UET_NEVER: never.
 */
u64 ex_pdc_deadline(struct ex_pdc *p)
{
	u64 at;

	if (!p->is_used || p->is_dead)
		return UET_NEVER;
	at = min(uet_pdc_deadline(ex_core(p)), uet_ses_read_deadline(&p->ses));
	return at == UET_NEVER ? at : max(at, ex.now);
}

static void pdc_check(struct ex_pdc *p)
{
	const u16 max_gtd = ex_run.cfg.max_gtd;
	const char *what = "";

	if (max_gtd && ex_core(p)->rx.nr_gtd > max_gtd)
		ex_fail("node %u PDC %x stores %u responses", p->node, p->id,
			ex_core(p)->rx.nr_gtd);
	if (!uet_pdc_check(ex_core(p), &what))
		ex_fail("node %u PDC %x: %s", p->node, p->id, what);
}

/* The PSN of a request must be one that the peer tracks. */
static void pdc_check_tx(struct ex_pdc *p, const struct uet_pdc_tx *tx)
{
	const struct uet_pdc_txh *txh = &ex_core(p)->tx;
	u32 psn = tx->hdr.u.req.psn;

	if (tx->kind == UET_TX_REQ &&
	    (psn - txh->una_reported >= ex_run.cfg.window ||
	     uet_psn_diff(psn, txh->cack) > txh->mpr_pkts))
		ex_fail("node %u PDC %x sends PSN %x outside the window", p->node,
			p->id, psn);
}

/* ACKs report each mark once; a NACK may have it as well. */
static void pdc_check_mark(struct ex_pdc *p, const struct uet_pdc_tx *tx)
{
	if (tx->kind != UET_TX_ACK || !(tx->hdr.flags & UET_F_M))
		return;
	if (!p->marks)
		ex_fail("node %u PDC %x reports a mark that no packet had", p->node, p->id);
	p->marks--;
}

/* Send a packet, and those that continue it. */
static void pdc_send(struct ex_pdc *p, struct uet_pdc_tx *tx)
{
	u16 ev[EX_WINDOW_MAX];
	u32 n, i;

	pdc_check_tx(p, tx);
	pdc_check_mark(p, tx);
	ex_send(p->node, tx);
	n = uet_pdc_poll_tx_run(ex_core(p), tx, ev, EX_WINDOW_MAX, ex.now);
	for (i = 0; i < n; i++) {
		uet_pdc_tx_step(tx, ev[i]);
		pdc_check_tx(p, tx);
		ex_send(p->node, tx);
	}
}

/**
 * ex_pdc_time_wait() - let late packets find a target that has ended
 * @p: PDC that has ended
 */
void ex_pdc_time_wait(struct ex_pdc *p)
{
	p->gone_ns = ex.now + EX_LIFE_NS;
	if (p->has_failed)
		p->gone_ns += ex_run.cfg.rto_max_ns;
}

/* Free the PDC; a target stays in TIME_WAIT. */
static void pdc_free(struct ex_pdc *p)
{
	ex_app_free(p);
	if (p->is_started)
		uet_tss_src_used(&ex.src[p->node],
				 uet_pdc_next_expected_psn(ex_core(p)));
	p->nr_early = 0;
	if (p->role == UET_PDC_INITIATOR) {
		memset(p, 0, sizeof(*p));
		return;
	}
	p->is_dead = true;
	ex_pdc_time_wait(p);
}

/* The PDC is over: end its messages.  Some may be sent again on another PDC. */
static void pdc_end(struct ex_pdc *p, struct list_head *done)
{
	struct uet_pdc *core = ex_core(p);
	bool may_repeat = p->role == UET_PDC_INITIATOR && uet_pdc_may_repeat(core);

	ex_note("node %u PDC %x ends: %s", p->node, p->id,
		uet_pdc_error_name(core->error));
	p->has_failed = core->error != UET_PDC_OK;
	/* A CLOSE_COMMAND may overtake the last ACK of data, and ends in error then. */
	if (p->has_failed && p->role == UET_PDC_INITIATOR && !ex.excuse &&
	    !ex_run.world->most[EX_CLOSE])
		ex_fail("PDC %x fails without a reason: %s", p->id,
			uet_pdc_error_name(core->error));
	while (!uet_ses_reap(&p->ses, core, done) ||
	       !uet_ses_fail(&p->ses, core->error, done))
		;
	pdc_free(p);
	ex_app_done(done, may_repeat);
}

/**
 * ex_pdc_forget() - a target loses a PDC and all that it knows of it
 * @p: PDC of a target
 */
void ex_pdc_forget(struct ex_pdc *p)
{
	LIST_HEAD(done);

	uet_pdc_abort(ex_core(p), ex.now);
	while (!uet_ses_fail(&p->ses, UET_PDC_ERR_ABORT, &done) ||
	       !uet_ses_reap(&p->ses, ex_core(p), &done))
		;
	pdc_free(p);
	memset(p, 0, sizeof(*p));
}

/**
 * ex_pdc_run() - run loop of a PDC
 * @p: a PDC that has not ended, after a call into its core object; may have ended
 *	afterwards
 */
void ex_pdc_run(struct ex_pdc *p)
{
	struct uet_pdc *core = ex_core(p);
	struct uet_pdc_tx tx;
	LIST_HEAD(done);
	u32 n = 0;

	uet_ses_read_tick(&p->ses, core, ex.now);
	while (!uet_ses_reap(&p->ses, core, &done))
		;
	ex_app_free_rsps(p);
	if (!uet_pdc_is_dead(core))
		while (!uet_ses_pump(&p->ses, core, ex.now))
			;
	while (!ex_run.failed && uet_pdc_poll_tx(core, &tx, ex.now)) {
		pdc_send(p, &tx);
		if (++n > PDC_STORM)
			ex_fail("node %u PDC %x sends without end", p->node, p->id);
	}
	pdc_check(p);
	if (ex_run.failed)
		return;
	if (uet_pdc_is_dead(core)) {
		pdc_end(p, &done);
		return;
	}
	/* An idle PDC forgets its window. */
	pdc_block_renew(core);
	ex_app_done(&done, false);
}
