// SPDX-License-Identifier: GPL-2.0
/*
 * Check of the requests and control packets that the real PDC sends: each packet must
 * be permitted now and each of its fields must be correct.  When the PDC has nothing
 * more to send, every permitted packet must have been sent.
 *
 * Spec: UE 1.0.1 3.5.8.2, 3.5.10.3, 3.5.10.8, 3.5.11.4, 3.5.15, 3.5.16.
 * Level: test.
 */
#include "model.h"

static bool send_fits_peer(const struct model *m)
{
	return m->tx.nxt <= m->tx.cack + m->tx.mpr;
}

/* First transmission of a packet. */
static void send_see_first(struct model *m, s64 nr, u64 now)
{
	s64 i;

	MODEL_RULE(m, nr < m->tx.write_seq, "packet %lld does not exist",
		   (long long)nr);
	MODEL_RULE(m, send_fits_peer(m), "packet %lld overruns the peer",
		   (long long)nr);
	for (i = m->tx.una; i < nr; i++)
		MODEL_RULE(m, !model_must_resend(&m->tx.out[i]),
			   "packet %lld is sent before %lld is sent again",
			   (long long)nr, (long long)i);
	if (m->tx.una == m->tx.nxt)
		m->tx.progress_ns = now;
	m->tx.nxt++;
}

/* Retransmission: demanded by a NACK, or no answer arrived for long enough. */
static void send_see_again(struct model *m, s64 nr, u64 now)
{
	const struct model_out *out;
	s64 i;

	MODEL_RULE(m, nr >= m->tx.una, "packet %lld was answered",
		   (long long)nr);
	out = &m->tx.out[nr];
	MODEL_RULE(m, !out->answered, "packet %lld was answered",
		   (long long)nr);
	MODEL_RULE(m, !out->has || out->lacks, "packet %lld has arrived",
		   (long long)nr);
	MODEL_RULE(m, out->again || out->may || out->lacks ||
		   now >= out->sent_ns + MODEL_TIMEOUT,
		   "packet %lld is sent again for no reason", (long long)nr);
	for (i = m->tx.una; i < nr; i++)
		MODEL_RULE(m, !model_must_resend(&m->tx.out[i]),
			   "packet %lld is sent again before %lld",
			   (long long)nr, (long long)i);
}

static void send_see_flags(const struct model *m, const struct uet_pdc_tx *tx,
			   const struct model_out *out, u8 more)
{
	bool ar = tx->hdr.flags & UET_F_AR;
	u8 flags = more | (out->sends ? UET_F_RETX : 0);

	MODEL_EQ(m, "flags", tx->hdr.flags & ~UET_F_AR, flags);
	MODEL_EQ(m, "is_retx", tx->is_retx, out->sends > 0);
	MODEL_RULE(m, ar || (!out->sends && out->kind == MODEL_REQ && m->peer &&
			     !(out->pkt.flags & UET_PKT_TAIL)),
		   "AR is missing");
}

/* A packet with a PSN is sent; returns its record. */
static struct model_out *send_see_numbered(struct model *m, u32 psn, u64 now)
{
	s64 nr = model_nr(m, psn, m->tx.nxt);

	MODEL_RULE(m, now >= m->tx.quiet_until, "it was told to wait");
	if (nr >= m->tx.nxt) {
		MODEL_EQ(m, "new packet", nr, m->tx.nxt);
		send_see_first(m, nr, now);
	} else {
		send_see_again(m, nr, now);
	}
	return &m->tx.out[nr];
}

static void send_note(struct model *m, struct model_out *out, u64 now)
{
	m->tx.busy_ns = now;
	out->sends++;
	out->sent_ns = now;
	out->again = false;
	out->may = false;
	out->has &= !out->lacks;
	out->lacks = false;
}

static void send_see_pkt(const struct model *m, const struct uet_pds_pkt *real,
			 const struct uet_pds_pkt *want)
{
	MODEL_RULE(m, real->msg == want->msg, "it is of another message");
	MODEL_EQ(m, "offset", real->offset, want->offset);
	MODEL_EQ(m, "len", real->len, want->len);
	MODEL_EQ(m, "next_hdr", real->next_hdr, want->next_hdr);
	MODEL_EQ(m, "packet flags", real->flags, want->flags);
}

/**
 * model_see_req() - check a request sent by the PDC
 * @m: model
 * @tx: the request
 * @now: time, ns
 */
void model_see_req(struct model *m, const struct uet_pdc_tx *tx, u64 now)
{
	const struct uet_req *req = &tx->hdr.u.req;
	struct model_out *out = send_see_numbered(m, req->psn, now);
	s64 nr = model_nr(m, req->psn, m->tx.nxt);

	model_cc_see_req(m, out);
	MODEL_EQ(m, "kind", out->kind, MODEL_REQ);
	MODEL_EQ(m, "type", tx->hdr.type, m->open.mode == UET_PDC_ROD ?
					  UET_TY_ROD_REQ : UET_TY_RUD_REQ);
	send_see_flags(m, tx, out, m->peer ? 0 : UET_F_SYN);
	send_see_pkt(m, &tx->pkt, &out->pkt);
	MODEL_EQ(m, "next_hdr", tx->hdr.next_hdr, out->pkt.next_hdr);
	MODEL_EQ(m, "CLEAR_PSN", nr + req->clear_off, m->tx.una - 1);
	MODEL_EQ(m, "spdcid", req->spdcid, m->open.local_pdcid);
	if (m->peer)
		MODEL_EQ(m, "dpdcid", req->dpdcid, m->peer);
	else
		MODEL_EQ(m, "psn_offset", req->psn_offset, nr - 1);
	if (out->sends)
		m->stats.tx_retx++;
	else
		m->stats.tx_req++;
	send_note(m, out, now);
	m->tx.clear_told = m->tx.una - 1;
	m->tx.clear_pending = false;
}

/* Control packets with a PSN: those that may open a PDC, and those that close it. */
static void send_see_numbered_cp(struct model *m, const struct uet_pdc_tx *tx,
				 u64 now)
{
	struct model_out *out = send_see_numbered(m, tx->hdr.u.cp.psn, now);
	bool is_rod = m->open.mode == UET_PDC_ROD;
	bool is_neg = out->kind == UET_CP_NEGOTIATION;
	bool opens = is_neg || out->kind == UET_CP_NOOP;
	s64 nr = model_nr(m, tx->hdr.u.cp.psn, m->tx.nxt);

	MODEL_EQ(m, "kind", out->kind, tx->hdr.next_hdr);
	send_see_flags(m, tx, out, (opens && is_rod ? UET_F_ISROD : 0) |
				   (opens && !m->peer ? UET_F_SYN : 0));
	MODEL_EQ(m, "payload", tx->hdr.u.cp.payload,
		 is_neg ? UET_CP_NEG_ON_OFF : 0);
	MODEL_EQ(m, "features", tx->hdr.u.cp.neg_mask, 0);
	if (!m->peer)
		MODEL_EQ(m, "psn_offset", tx->hdr.u.cp.psn_offset, nr - 1);
	send_note(m, out, now);
}

/* 3.5.15: for a received packet without response, or to reopen a closed window. */
static void send_see_ask(const struct model *m, const struct uet_pdc_tx *tx)
{
	s64 nr = model_nr(m, tx->hdr.u.cp.psn, m->tx.una);
	bool waits = nr >= m->tx.una && nr < m->tx.nxt &&
		     m->tx.out[nr].has && !m->tx.out[nr].answered;

	MODEL_RULE(m, waits || (model_tx_is_stalled(m) && nr == m->tx.una - 1),
		   "it asks about packet %lld", (long long)nr);
	MODEL_EQ(m, "flags", tx->hdr.flags, UET_F_AR);
}

/*
 * 3.5.15: a Probe is due when the latest packets were not answered for a while.  The
 * end of a pause resets the count.  Probes of congestion control are not counted.
 */
static void send_judge_probe(struct model *m, s64 nr, u64 now)
{
	MODEL_RULE(m, m->cfg.tail_loss_ns &&
		   now >= m->tx.busy_ns + m->cfg.tail_loss_ns,
		   "it probes too early");
	MODEL_RULE(m, ++m->tx.probes <= m->cfg.max_tail_loss_retx *
		   (m->tx.slow ? 2u : 1u), "it probes too often");
	MODEL_RULE(m, nr >= m->tx.una && nr < m->tx.nxt &&
		   !m->tx.out[nr].has && !m->tx.out[nr].answered,
		   "it probes for packet %lld", (long long)nr);
}

static void send_see_probe(struct model *m, const struct uet_pdc_tx *tx,
			   u64 now)
{
	const struct uet_cp *cp = &tx->hdr.u.cp;

	if (m->cc.wants_probe)
		m->cc.wants_probe = false;
	else
		send_judge_probe(m, model_nr(m, cp->payload, m->tx.una), now);
	MODEL_EQ(m, "flags", tx->hdr.flags, UET_F_AR);
	MODEL_EQ(m, "PSN of a Probe", cp->psn, 0);
	MODEL_RULE(m, cp->probe_opaque != m->tx.opaque,
		   "two Probes with one opaque value");
	m->tx.opaque = cp->probe_opaque;
	m->tx.busy_ns = now;
}

/* 3.5.16.3: a response was stored too long; requested at most as often as retries. */
static void send_see_clear_request(struct model *m,
				   const struct uet_pdc_tx *tx, u64 now)
{
	s64 nr = m->rx.cack + 1;

	MODEL_EQ(m, "PSN to be cleared", tx->hdr.u.cp.payload,
		 model_psn(m, nr));
	MODEL_RULE(m, nr <= m->rx.end && m->rx.in[nr].got &&
		   m->rx.in[nr].stored, "nothing is stored");
	if (m->rx.uncleared != nr) {
		m->rx.uncleared = nr;
		m->rx.requests = 0;
	} else {
		MODEL_RULE(m, now >= m->rx.request_ns + m->cfg.clear_ns,
			   "it asks for a clear too soon");
	}
	MODEL_RULE(m, m->rx.requests++ < m->cfg.max_rto_retx,
		   "it asks for a clear too often");
	m->rx.request_ns = now;
	MODEL_EQ(m, "flags", tx->hdr.flags, 0);
	MODEL_EQ(m, "PSN of a CLEAR_REQUEST", tx->hdr.u.cp.psn, 0);
}

/**
 * model_see_cp() - check a control packet sent by the PDC
 * @m: model
 * @tx: the control packet
 * @now: time, ns
 */
void model_see_cp(struct model *m, const struct uet_pdc_tx *tx, u64 now)
{
	const struct uet_cp *cp = &tx->hdr.u.cp;

	MODEL_EQ(m, "type", tx->hdr.type, UET_TY_CP);
	MODEL_EQ(m, "spdcid", cp->spdcid, m->open.local_pdcid);
	MODEL_EQ(m, "dpdcid", cp->dpdcid, m->peer);
	m->stats.tx_cp++;
	switch (tx->hdr.next_hdr) {
	case UET_CP_NOOP:
	case UET_CP_NEGOTIATION:
	case UET_CP_CLOSE_COMMAND:
	case UET_CP_CLOSE_REQUEST:
		send_see_numbered_cp(m, tx, now);
		break;
	case UET_CP_ACK_REQUEST:
		send_see_ask(m, tx);
		break;
	case UET_CP_CLEAR_COMMAND:
		MODEL_RULE(m, m->tx.clear_pending || model_tx_is_stalled(m),
			   "a CLEAR_COMMAND that nobody needs");
		MODEL_EQ(m, "flags", tx->hdr.flags, 0);
		MODEL_EQ(m, "CLEAR_PSN", cp->payload,
			 model_psn(m, m->tx.una - 1));
		m->tx.clear_told = m->tx.una - 1;
		m->tx.clear_pending = false;
		break;
	case UET_CP_CLEAR_REQUEST:
		send_see_clear_request(m, tx, now);
		break;
	case UET_CP_PROBE:
		send_see_probe(m, tx, now);
		break;
	default:
		model_diverged(m, "control packet %u", tx->hdr.next_hdr);
	}
}

/**
 * model_tx_drained() - check that no permitted packet was left unsent
 * @m: model
 */
void model_tx_drained(const struct model *m)
{
	s64 nr;

	if (m->over)
		return;
	MODEL_RULE(m, !m->tx.clear_pending, "CLEAR_PSN was not sent");
	if (m->tx.slow || model_cc_holds(m))
		return;
	MODEL_RULE(m, m->tx.nxt == m->tx.write_seq || !send_fits_peer(m),
		   "packet %lld could be sent", (long long)m->tx.nxt);
	for (nr = m->tx.una; nr < m->tx.nxt; nr++)
		MODEL_RULE(m, !model_must_resend(&m->tx.out[nr]),
			   "packet %lld was refused and is not sent again",
			   (long long)nr);
}
