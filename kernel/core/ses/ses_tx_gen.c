// SPDX-License-Identifier: GPL-2.0
/*
 * SES, messages refused because of the generation of their Resource Index: the
 * index was disabled for lack of resources, or enabled again with another
 * generation; and messages whose senders wait for an endpoint that does not exist
 * yet.  The target executed no byte of these messages, nor of messages
 * sent after them.  SES sends all of them again from their first byte, in the
 * original order, when no packet is in flight that could overtake them.  The
 * callers are not involved.
 *
 * A target does not report that a disabled index is enabled.  SES therefore
 * probes with the first packet of the first message, after a pause that
 * doubles.  A new generation that the target reports is used at once.
 *
 * A PDC of ours has messages to one index only, so its SES keeps the generation
 * for {peer, JobID, PIDonFEP, RI}; a new PDC learns the generation anew.
 *
 * An endpoint that appears while messages are in flight may accept a later message
 * after it refused an earlier one.  Until it has answered, SES therefore sends one
 * packet at a time to an endpoint that is waited for.  An ordered PDC waits only until
 * then.
 *
 * Implements UE 1.0.1 3.4.1 (ri_generation), Table 3-19 (BAD_GENERATION,
 * DISABLED_GEN) and uet-wire 3.14 (RI generation), the initiator.
 * Level: core L5.
 */
#include "ses_tx.h"

/* All bytes of the message are still available.  A READ has none of its own. */
static bool gen_may_resend(const struct uet_ses_tx *tx)
{
	return !tx->error && tx->rc == UET_RC_OK &&
	       (!tx->acked || tx->opcode == UET_OP_READ);
}

/*
 * A BAD_GENERATION without a generation, or with the one we sent, is invalid:
 * it counts as an error response.
 */
static bool gen_is_refusal(const struct uet_ses_tx *tx,
			   const struct uet_pdc_up *up)
{
	if (up->rc == UET_RC_DISABLED_GEN)
		return true;
	return up->rc == UET_RC_BAD_GENERATION && up->ri_gen &&
	       up->ri_gen != tx->ri_gen;
}

/* @now is older than this answer, so that a message is tried once after its time. */
static bool gen_waits(const struct uet_ses_gen *gen, const struct uet_ses_tx *tx)
{
	return tx->wait_until > gen->now && !(gen->is_ordered && gen->is_known);
}

static void gen_learn(struct uet_ses_gen *gen, const struct uet_pdc_up *up)
{
	gen->is_disabled = up->rc != UET_RC_BAD_GENERATION;
	if (up->ri_gen)
		gen->value = up->ri_gen;
}

static void gen_note_accepted(struct uet_ses_gen *gen)
{
	gen->pause_ns = 0;
	gen->is_disabled = false;
	gen->was_wrong = false;
	gen->is_trying = false;
	gen->is_known = true;
}

/* Send one packet at a time to an endpoint that may not exist. */
void uet_ses_gen_expect(struct uet_ses *ses, const struct uet_ses_tx *tx)
{
	if (tx->wait_until && !ses->gen.is_known)
		ses->gen.is_trying = true;
}

/*
 * Does an answer refuse a packet for its generation or endpoint?
 * Context: Any; the caller serialises per SES, and settles the message next.
 * Return: true if the message is to be sent again, so that this answer is to be
 *	ignored.
 * Spec: UE 1.0.1 Table 3-19.
 */
bool uet_ses_gen_note(struct uet_ses *ses, struct uet_ses_tx *tx,
		      const struct uet_pdc_up *up)
{
	struct uet_ses_gen *gen = &ses->gen;

	if (!gen_is_refusal(tx, up) &&
	    !(uet_ses_rc_is_absent(up->rc) && gen_waits(gen, tx))) {
		if (!tx->is_refused && !uet_ses_rc_is_absent(up->rc))
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

/*
 * Must a message without packets in flight be sent again?
 * Return: false if the message has ended.
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

/*
 * Must a message wait for refused messages?
 *
 * A message that was in progress when another was refused is sent to its end,
 * so that no message is split.
 *
 * Return: true if the message must wait.
 */
bool uet_ses_gen_stops(const struct uet_ses *ses, const struct uet_ses_tx *tx)
{
	const struct uet_ses_gen *gen = &ses->gen;

	if (gen->nr)
		return !uet_ses_tx_is_started(tx);
	return gen->at || (gen->is_trying && ses->nr_packets);
}

/*
 * Abort a refused message.
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

/*
 * Fail the first refused message of a closed PDC.
 * @error: why the PDC failed; UET_PDC_OK counts as UET_PDC_ERR_ABORT
 *
 * Return: false if there is none.
 */
bool uet_ses_gen_fail_first(struct uet_ses *ses, enum uet_pdc_error error)
{
	struct uet_ses_tx *tx = list_first_entry_or_null(&ses->gen.refused,
							 struct uet_ses_tx,
							 link);

	if (!tx)
		return false;
	tx->error = error ?: UET_PDC_ERR_ABORT;
	list_del_init(&tx->link);
	uet_ses_tx_settle(ses, tx);
	return true;
}

/* A new generation is tried at once, except after two wrong generations in a row. */
static void gen_choose_pause(struct uet_ses_gen *gen, struct uet_pdc *pdc,
			     u64 now)
{
	if (!gen->is_disabled && !gen->was_wrong) {
		gen->was_wrong = true;
		gen->is_trying = false;
		return;
	}
	if (!gen->pause_ns)
		gen->since = now;
	gen->pause_ns = uet_pdc_longer_pause(pdc, gen->pause_ns,
					     uet_ns_since(now, gen->since));
	gen->at = now + gen->pause_ns;
	gen->was_wrong = false;
	gen->is_trying = true;
}

/* All packets are answered, and no message is partly sent. */
static bool gen_is_drained(struct uet_ses *ses)
{
	const struct uet_ses_tx *tx;

	if (ses->nr_packets)
		return false;
	tx = list_first_entry_or_null(&ses->txq, struct uet_ses_tx, link);
	return !tx || !uet_ses_tx_is_started(tx);
}

/*
 * Queue refused messages again when it is time.
 * Context: Any; the caller serialises per SES and PDC, and pumps next.
 */
void uet_ses_gen_step(struct uet_ses *ses, struct uet_pdc *pdc, u64 now)
{
	struct uet_ses_gen *gen = &ses->gen;
	struct uet_ses_tx *tx;

	gen->now = now;
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
 * uet_ses_gen_deadline() - when must uet_ses_pump() be called?
 * @ses: SES
 *
 * Return: monotonic time, ns; UET_NEVER without a pause.
 */
u64 uet_ses_gen_deadline(const struct uet_ses *ses)
{
	return ses->gen.at ? ses->gen.at : UET_NEVER;
}
