// SPDX-License-Identifier: GPL-2.0
/*
 * Check of the answers that the real PDC sends: each answer must be pending, and each
 * of its fields must be correct.  The start of a SACK is free, but the SACK must cover
 * the answered packet and every received packet in its range.  When no answer is
 * pending any more, every received packet must have been reported to the peer.
 *
 * Spec: UE 1.0.1 3.5.10.6, 3.5.10.10, 3.5.12.2.  Level: test.
 */
#include "model.h"

static u8 answer_req(const struct model *m)
{
	s64 nr;

	if (m->open.role != UET_PDC_TARGET)
		return 0;
	for (nr = m->rx.cack + 1; nr <= m->rx.end; nr++)
		if (m->rx.in[nr].stored)
			return UET_F_REQ_CLEAR;
	return model_state(m) == UET_PDC_ST_CLOSE_WAIT ? UET_F_REQ_CLOSE : 0;
}

static bool answer_was_received(const struct model *m, s64 nr)
{
	return nr < 1 || (nr <= m->rx.end && m->rx.in[nr].got);
}

/* 3.5.10.6: a bit for every received packet; record the packets reported to the peer. */
static void answer_see_sack(struct model *m, const struct uet_ack *ack)
{
	s64 first = m->rx.cack + ack->sack_off, nr;
	bool bit;
	int i;

	for (i = 0; i < 64; i++) {
		nr = first + i;
		bit = ack->sack_bitmap >> i & 1;
		if (nr <= m->rx.cack)
			continue;
		MODEL_RULE(m, bit == answer_was_received(m, nr),
			   "SACK says %d of packet %lld", bit, (long long)nr);
		if (bit)
			m->rx.in[nr].told = true;
	}
}

static void answer_see_echo(struct model *m, const struct uet_pdc_tx *tx,
			    const struct model_echo *echo, u8 more)
{
	u8 flags = (echo->ce ? UET_F_M : 0) | (echo->retx ? UET_F_RETX : 0);

	MODEL_EQ(m, "flags of the answer", tx->hdr.flags, flags | more);
	MODEL_EQ(m, "entropy of the answer", tx->ev, echo->ev);
	if (echo->ce)
		m->rx.ce_pending = false;
}

static void answer_see_data(const struct model *m,
			    const struct uet_ses_rsp *rsp,
			    const struct uet_ses_rsp *want)
{
	MODEL_EQ(m, "message id of the read", rsp->read_msg_id,
		 want->read_msg_id);
	if (want->form == UET_RSP_FORM_DATA)
		MODEL_EQ(m, "message id of the response", rsp->msg_id,
			 want->read_msg_id);
	MODEL_EQ(m, "payload_length", rsp->payload_length,
		 want->payload_length);
	MODEL_RULE(m, !memcmp(rsp->data, want->data, want->payload_length),
		   "other data than was given");
}

static void answer_see_rsp(const struct model *m, const struct uet_pdc_tx *tx,
			   bool is_cp, const struct uet_ses_rsp *want)
{
	MODEL_EQ(m, "next_hdr of the ACK", tx->hdr.next_hdr,
		 is_cp ? UET_NH_NONE : uet_wire_ses_rsp_nh(want));
	if (is_cp)
		return;
	if (want->form != UET_RSP_FORM_PLAIN) {
		answer_see_data(m, &tx->rsp, want);
		return;
	}
	MODEL_EQ(m, "response", tx->rsp.opcode, want->opcode);
	MODEL_EQ(m, "return code", tx->rsp.rc, want->rc);
	MODEL_EQ(m, "message id", tx->rsp.msg_id, want->msg_id);
	MODEL_EQ(m, "list", tx->rsp.list, want->list);
	MODEL_EQ(m, "job", tx->rsp.job, want->job);
	MODEL_EQ(m, "generation", tx->rsp.ri_gen, want->ri_gen);
	MODEL_EQ(m, "modified_length", tx->rsp.modified_length,
		 want->modified_length);
}

/* Fields common to all ACKs. */
static void answer_see_common(struct model *m, const struct uet_pdc_tx *tx)
{
	const struct uet_ack *ack = &tx->hdr.u.ack;
	u32 out_of_order = 0;
	s64 nr;

	for (nr = model_rx_base(m); nr <= m->rx.end; nr++)
		out_of_order += m->rx.in[nr].got;
	MODEL_EQ(m, "type", tx->hdr.type, UET_TY_ACK_CC);
	MODEL_EQ(m, "cack_psn", ack->cack_psn, model_psn(m, m->rx.cack));
	MODEL_EQ(m, "spdcid", ack->spdcid, m->open.local_pdcid);
	MODEL_EQ(m, "dpdcid", ack->dpdcid, m->peer);
	MODEL_EQ(m, "mpr", ack->mpr, m->cfg.window / SPEC_MPR_UNIT);
	MODEL_EQ(m, "ooo_count", ack->state.nscc.ooo_count, out_of_order);
	MODEL_EQ(m, "rcvd_bytes", ack->state.nscc.rcvd_bytes,
		 DIV_ROUND_UP(m->rx.bytes, SPEC_RCVD_UNIT) & SPEC_RCVD_MAX);
	answer_see_sack(m, ack);
	m->stats.tx_ack++;
}

static void answer_see_probed(struct model *m, const struct uet_pdc_tx *tx)
{
	const struct uet_ack *ack = &tx->hdr.u.ack;
	s64 want = m->rx.probe.nr;

	MODEL_RULE(m, m->rx.probed, "an answer to a Probe that never came");
	m->rx.probed = false;
	answer_see_echo(m, tx, &m->rx.probe, UET_F_P | answer_req(m));
	answer_see_rsp(m, tx, true, NULL);
	MODEL_EQ(m, "probe_opaque", ack->probe_opaque, m->rx.opaque);
	if (want > m->rx.cack && want <= m->rx.end)
		MODEL_EQ(m, "SACK base", m->rx.cack + ack->sack_off, want);
}

/* 3.5.21: an ACK of earlier packets is pending, due or not. */
static bool answer_has_earlier(const struct model *m, s64 nr)
{
	return m->open.mode == UET_PDC_ROD && m->rx.last.nr < nr &&
	       (m->rx.ack_now || m->rx.ack_at != UET_NEVER);
}

/* In ROD the coalesced ACK is due early when the ACK of a later packet is pending. */
static bool answer_is_due(const struct model *m)
{
	s64 nr;

	for (nr = m->rx.cack + 1; nr <= m->rx.end; nr++)
		if (m->rx.in[nr].pending)
			return m->rx.ack_now || answer_has_earlier(m, nr);
	return m->rx.ack_now;
}

static void answer_see_own(struct model *m, const struct uet_pdc_tx *tx, s64 nr)
{
	const struct uet_ack *ack = &tx->hdr.u.ack;
	struct model_in *in = &m->rx.in[nr];
	struct uet_ses_rsp rsp = in->rsp;

	rsp.data = in->data;
	answer_see_echo(m, tx, &in->echo, answer_req(m));
	answer_see_rsp(m, tx, in->is_cp, &rsp);
	MODEL_RULE(m, nr <= m->rx.cack ||
		   (nr - m->rx.cack >= ack->sack_off &&
		    nr - m->rx.cack < ack->sack_off + 64),
		   "SACK leaves out packet %lld", (long long)nr);
}

/*
 * The ACK of packet @nr only is sent.  If it reports that there is no response yet, it is
 * the first ACK whose CACK_PSN covers the packet.
 */
static void answer_end_own(struct model *m, s64 nr)
{
	MODEL_RULE(m, !answer_has_earlier(m, nr),
		   "the ACK of %lld overtakes that of %lld", (long long)nr,
		   (long long)m->rx.last.nr);
	m->rx.in[nr].pending = false;
	model_raise_cack(m);
}

/* Receptions beyond the range of one SACK are reported by another ACK. */
static void answer_see_coalesced(struct model *m, const struct uet_pdc_tx *tx)
{
	s64 told = m->rx.cack + tx->hdr.u.ack.sack_off + 63;

	MODEL_RULE(m, answer_is_due(m), "an ACK that nothing asked for");
	MODEL_EQ(m, "ACK_PSN", m->rx.cack + tx->hdr.u.ack.ack_off,
		 m->rx.last.nr);
	answer_see_echo(m, tx, &m->rx.last, answer_req(m));
	answer_see_rsp(m, tx, m->rx.last.is_cp, &m->rx.last_rsp);
	m->rx.last.ce = false;
	m->rx.ack_now = m->rx.news > told;
	m->rx.ack_at = UET_NEVER;
	m->rx.gen = 0;
	if (!m->rx.ack_now)
		m->rx.news = 0;
}

/**
 * model_see_ack() - check an ACK sent by the PDC
 * @m: model
 * @tx: the ACK
 */
void model_see_ack(struct model *m, const struct uet_pdc_tx *tx)
{
	const struct uet_ack *ack = &tx->hdr.u.ack;
	s64 nr = model_nr(m, ack->cack_psn, m->rx.cack) + ack->ack_off;
	bool is_own = !(tx->hdr.flags & UET_F_P) && nr > m->rx.cack &&
		      nr <= m->rx.end && m->rx.in[nr].pending;

	if (is_own)
		answer_end_own(m, nr);
	answer_see_common(m, tx);
	if (tx->hdr.flags & UET_F_P)
		answer_see_probed(m, tx);
	else if (is_own)
		answer_see_own(m, tx, nr);
	else
		answer_see_coalesced(m, tx);
}

/**
 * model_see_nack() - check a NACK sent by the PDC
 * @m: model
 * @tx: the NACK
 */
void model_see_nack(struct model *m, const struct uet_pdc_tx *tx)
{
	const struct uet_nack *nack = &tx->hdr.u.nack;
	struct model_nack want = m->rx.nack[0];

	MODEL_RULE(m, m->rx.nr_nacks, "a NACK %u that is not pending", nack->code);
	m->rx.nr_nacks--;
	memmove(&m->rx.nack[0], &m->rx.nack[1],
		m->rx.nr_nacks * sizeof(m->rx.nack[0]));
	MODEL_EQ(m, "type", tx->hdr.type, UET_TY_NACK);
	MODEL_EQ(m, "nack_code", nack->code, want.code);
	MODEL_EQ(m, "nack_psn", nack->psn, want.psn);
	MODEL_EQ(m, "payload", nack->payload, want.payload);
	/*
	 * The PDCID of a PENDING target is not known to the peer yet.  3.5.10.10: a packet
	 * without a PDC gets none.
	 */
	MODEL_EQ(m, "spdcid", nack->spdcid,
		 want.code == UET_NACK_NEW_START_PSN || want.echo.is_foreign ?
		 0 : m->open.local_pdcid);
	MODEL_EQ(m, "dpdcid", nack->dpdcid, m->peer);
	MODEL_EQ(m, "next_hdr of the NACK", tx->hdr.next_hdr, UET_NH_NONE);
	if (want.any_ev)
		want.echo.ev = tx->ev;
	answer_see_echo(m, tx, &want.echo, 0);
	m->stats.tx_nack++;
}

/**
 * model_rx_drained() - check that no answer is pending when the PDC has none to send
 * @m: model
 */
void model_rx_drained(const struct model *m)
{
	s64 nr;

	MODEL_RULE(m, !model_has_answer(m),
		   "an answer that is pending is missing");
	if (m->over)
		return;
	MODEL_RULE(m, !m->rx.ce_pending, "a congestion mark was not reported");
	if (m->rx.ack_at != UET_NEVER)
		return;
	for (nr = m->rx.cack + 1; nr <= m->rx.end; nr++)
		MODEL_RULE(m, !m->rx.in[nr].got || m->rx.in[nr].told,
			   "packet %lld was received and the peer not told",
			   (long long)nr);
}
