// SPDX-License-Identifier: GPL-2.0
/*
 * SES, messages that are refused for the generation of the Resource Index they are
 * for: it was disabled for want of resources, or enabled anew under another
 * generation.  Nothing of them was executed, nor of what was sent behind them, so
 * all are sent again from their first byte, in the order in which they were sent,
 * once nothing is in flight any more that could overtake them.  Who has sent them
 * does not notice.
 *
 * A disabled index does not say when it is enabled: the first packet of the first
 * message asks for it, after a pause that doubles.  What is told of a new
 * generation is used at once.
 *
 * A PDC of ours has messages to one index only, so its SES is where the generation
 * is known by {peer, JobID, PIDonFEP, RI}; a new PDC learns it anew.
 *
 * Implements UE 1.0.1 3.4.1 (ri_generation), Table 3-19 (BAD_GENERATION,
 * DISABLED_GEN) and uet-wire 3.14 (RI generation), the initiator.  Level: core L5.
 */
#include "ses_tx.h"

/* Is what was sent still there?  A READ has no bytes of its own. */
static bool gen_may_resend(const struct uet_ses_tx *tx)
{
	return !tx->error && tx->rc == UET_RC_OK &&
	       (!tx->acked || tx->opcode == UET_OP_READ);
}

/* A target that asks for no other generation than it was told makes no sense. */
static bool gen_is_refusal(const struct uet_ses_tx *tx,
			   const struct uet_pdc_up *up)
{
	if (up->rc == UET_RC_DISABLED_GEN)
		return true;
	return up->rc == UET_RC_BAD_GENERATION && up->ri_gen &&
	       up->ri_gen != tx->ri_gen;
}

static void gen_learn(struct uet_ses_gen *gen, const struct uet_pdc_up *up)
{
	gen->is_disabled = up->rc == UET_RC_DISABLED_GEN;
	if (up->ri_gen)
		gen->value = up->ri_gen;
}

static void gen_note_accepted(struct uet_ses_gen *gen)
{
	gen->pause_ns = 0;
	gen->is_disabled = false;
	gen->was_wrong = false;
	gen->is_trying = false;
}

/**
 * uet_ses_gen_note() - a packet was answered: was it refused for its generation?
 * @ses: SES
 * @tx: its message
 * @up: the answer
 *
 * Context: Any; the caller serialises per SES, and settles the message next.
 * Return: true if the message is to be sent again, so that this answer means
 *	nothing to it.
 * Spec: UE 1.0.1 Table 3-19.
 */
bool uet_ses_gen_note(struct uet_ses *ses, struct uet_ses_tx *tx,
		      const struct uet_pdc_up *up)
{
	struct uet_ses_gen *gen = &ses->gen;

	if (!gen_is_refusal(tx, up)) {
		if (!tx->is_refused)
			gen_note_accepted(gen);
		return tx->is_refused;
	}
	gen_learn(gen, up);
	if (tx->is_refused)
		return true;
	if (!gen_may_resend(tx))
		return false;
	tx->is_refused = true;
	gen->nr++;
	uet_ses_tx_cut(tx);
	return true;
}

/**
 * uet_ses_gen_keep() - does a message without packets in flight wait to go again?
 * @ses: SES
 * @tx: message, cut
 *
 * Context: Any; the caller serialises per SES.
 * Return: false if it has ended.
 */
bool uet_ses_gen_keep(struct uet_ses *ses, struct uet_ses_tx *tx)
{
	if (!tx->is_refused)
		return false;
	if (tx->error || tx->is_aborted) {
		tx->is_refused = false;
		ses->gen.nr--;
		return false;
	}
	uet_ses_read_forget(ses, tx);
	list_add_tail(&tx->link, &ses->gen.refused);
	return true;
}

/**
 * uet_ses_gen_stops() - has a message to wait for those that were refused?
 * @ses: SES
 * @tx: message to be cut next
 *
 * One that was begun when another was refused goes on to its end, so that none is
 * cut in two.
 *
 * Context: Any; the caller serialises per SES.
 * Return: true if so.
 */
bool uet_ses_gen_stops(const struct uet_ses *ses, const struct uet_ses_tx *tx)
{
	const struct uet_ses_gen *gen = &ses->gen;

	if (gen->nr)
		return !uet_ses_tx_is_started(tx);
	return gen->at || (gen->is_trying && ses->nr_packets);
}

/**
 * uet_ses_gen_abort() - give a refused message up
 * @ses: SES
 * @tx: message, refused
 *
 * Context: Any; the caller serialises per SES, pumps and reaps next.
 */
void uet_ses_gen_abort(struct uet_ses *ses, struct uet_ses_tx *tx)
{
	tx->is_aborted = true;
	if (tx->packets)
		return;
	list_del_init(&tx->link);
	uet_ses_tx_settle(ses, tx);
}

/**
 * uet_ses_gen_fail() - nothing will be sent again
 * @ses: SES of a dead PDC
 * @error: why it died; UET_PDC_OK counts as UET_PDC_ERR_ABORT
 *
 * Context: Any; the caller serialises per SES.
 */
void uet_ses_gen_fail(struct uet_ses *ses, enum uet_pdc_error error)
{
	struct uet_ses_tx *tx, *next;

	list_for_each_entry_safe(tx, next, &ses->gen.refused, link) {
		tx->error = error ?: UET_PDC_ERR_ABORT;
		list_del_init(&tx->link);
		uet_ses_tx_settle(ses, tx);
	}
}

/* A generation that was wrong twice in a row is no reason to hurry, either. */
static void gen_choose_pause(struct uet_ses_gen *gen, struct uet_pdc *pdc,
			     u64 now)
{
	if (!gen->is_disabled && !gen->was_wrong) {
		gen->was_wrong = true;
		gen->is_trying = false;
		return;
	}
	gen->pause_ns = uet_pdc_longer_pause(pdc, gen->pause_ns);
	gen->at = now + gen->pause_ns;
	gen->was_wrong = false;
	gen->is_trying = true;
}

/* Is everything answered that was sent before, behind and beside them? */
static bool gen_is_drained(struct uet_ses *ses)
{
	const struct uet_ses_tx *tx;

	if (ses->nr_packets)
		return false;
	tx = list_first_entry_or_null(&ses->txq, struct uet_ses_tx, link);
	return !tx || !uet_ses_tx_is_started(tx);
}

/**
 * uet_ses_gen_step() - queue refused messages again when it is time
 * @ses: SES
 * @pdc: its PDC, alive
 * @now: monotonic time, ns
 *
 * Context: Any; the caller serialises per SES and PDC, and pumps next.
 */
void uet_ses_gen_step(struct uet_ses *ses, struct uet_pdc *pdc, u64 now)
{
	struct uet_ses_gen *gen = &ses->gen;
	struct uet_ses_tx *tx;

	if (gen->at && gen->at <= now)
		gen->at = 0;
	if (!gen->nr || !gen_is_drained(ses))
		return;
	list_for_each_entry(tx, &gen->refused, link)
		uet_ses_tx_reset(tx);
	list_splice_init(&gen->refused, &ses->txq);
	gen->resent += gen->nr;
	gen->nr = 0;
	gen_choose_pause(gen, pdc, now);
}

/**
 * uet_ses_gen_deadline() - when does uet_ses_pump() have to be called?
 * @ses: SES
 *
 * Context: Any; the caller serialises per SES.
 * Return: monotonic time, ns; UET_NEVER if no pause is made.
 */
u64 uet_ses_gen_deadline(const struct uet_ses *ses)
{
	return ses->gen.at ? ses->gen.at : UET_NEVER;
}
