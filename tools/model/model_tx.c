// SPDX-License-Identifier: GPL-2.0
/*
 * The send direction of the model: the outcome of each packet when an ACK or a NACK
 * arrives, and the conditions under which a packet may be sent, must be sent before
 * others, and is correct.
 *
 * A packet is retransmitted when a NACK demands it, or some time after its
 * transmission if its arrival is not known.  The model does not prescribe the exact
 * time, because the sender may choose it.  Spec: UE 1.0.1 3.5.8.2, 3.5.11, 3.5.12,
 * 3.5.15.  Level: test.
 */
#include "model.h"

/* ACKs older than this number of packets are ignored. */
#define TX_STALE	0x10000

static struct model_out *tx_out(const struct model *m, s64 nr)
{
	return &m->tx.out[nr];
}

/**
 * model_may_send() - may SES pass packets down in this state?
 * @m: model
 *
 * Return: false once the PDC is closing or has ended.
 */
bool model_may_send(const struct model *m)
{
	return !m->over && !m->is_pending && !m->is_drained && !m->close_nr;
}

/**
 * model_has_space() - has the send window of this end space?
 * @m: model
 *
 * Return: true if so.
 */
bool model_has_space(const struct model *m)
{
	return m->tx.write_seq - m->tx.una_reported < m->cfg.window;
}

/**
 * model_tx_add() - assign the next number to a packet
 * @m: model
 * @pkt: the packet
 * @kind: MODEL_REQ or enum uet_ctl
 * @now: time, ns
 *
 * Return: number of the packet.
 */
s64 model_tx_add(struct model *m, const struct uet_pds_pkt *pkt, u8 kind,
		 u64 now)
{
	s64 nr = m->tx.write_seq++;

	if (nr >= m->tx.space) {
		m->tx.space = 2 * nr + 64;
		m->tx.out =
			realloc(m->tx.out, m->tx.space * sizeof(*m->tx.out));
	}
	memset(tx_out(m, nr), 0, sizeof(*m->tx.out));
	tx_out(m, nr)->pkt = *pkt;
	tx_out(m, nr)->kind = kind;
	m->active_ns = now;
	return nr;
}

static bool tx_peer_has_space(const struct model *m)
{
	return m->tx.nxt <= m->tx.cack + m->tx.mpr;
}

/**
 * model_tx_is_stalled() - is the window of the peer the only reason not to send?
 * @m: model
 *
 * Return: true if all sent packets are answered, but the window permits no more.
 */
bool model_tx_is_stalled(const struct model *m)
{
	return m->tx.una == m->tx.nxt && m->tx.nxt != m->tx.write_seq &&
	       !tx_peer_has_space(m);
}

/* Sent and not answered. */
static bool tx_is_out(const struct model *m, s64 nr)
{
	return nr >= m->tx.una && nr < m->tx.nxt &&
	       !tx_out(m, nr)->answered;
}

/* Duration of @n retries, ns, 3.5.15. */
static u64 tx_peer_timeout(const struct model *m, u32 n)
{
	u64 wait = 0;
	u32 i;

	for (i = 0; i < n; i++)
		wait += min(m->cfg.rto_init_ns << i, m->cfg.rto_max_ns);
	return wait;
}

/**
 * model_may_time_out() - has the time of all retries of 3.5.15 passed?
 * @m: model
 * @now: time, ns
 *
 * Return: true if the peer has been silent for the duration of all retries.  A peer
 *	that sent nothing but SYNs may be forged, and has no more time than that.
 */
bool model_may_time_out(const struct model *m, u64 now)
{
	u64 retries = tx_peer_timeout(m, m->cfg.max_rto_retx + 1);
	u64 wait = m->cfg.peer_timeout_ns;

	if (!wait)
		wait = retries;
	else if (model_state(m) == UET_PDC_ST_NEW_ESTABLISHED &&
		 !m->stats.rx_ack && !m->stats.rx_nack)
		wait = min(wait, retries);
	return (m->tx.una != m->tx.nxt || model_tx_is_stalled(m)) &&
	       now >= m->tx.progress_ns + wait;
}

static void tx_answer(struct model *m, s64 nr, u8 opcode, u8 rc)
{
	struct model_out *out = tx_out(m, nr);

	out->answered = true;
	out->again = false;
	out->opcode = opcode;
	out->rc = rc;
	m->tx.opens = 0;
}

/* Advance over answered packets; the last answer closes a closing PDC. */
static bool tx_advance(struct model *m)
{
	s64 old = m->tx.una;
	u8 opcode;

	while (m->tx.una < m->tx.nxt && tx_out(m, m->tx.una)->answered) {
		opcode = tx_out(m, m->tx.una)->opcode;
		if (spec_is_gtd(opcode))
			m->tx.clear_pending = true;
		m->tx.una++;
	}
	if (m->tx.una == m->tx.nxt) {
		m->tx.slow = false;
		m->tx.quiet_until = 0;
	}
	if (m->close_nr && m->tx.una == m->tx.write_seq)
		model_finish(m);
	return m->tx.una != old;
}

/* -------------------------------------------------------------------- ACKs */

static enum uet_drop tx_check_ids(const struct model *m, u16 spdcid, u16 dpdcid)
{
	if (dpdcid != m->open.local_pdcid || (m->peer && spdcid != m->peer))
		return UET_DROP_PDCID_MISMATCH;
	return UET_DROP_NONE;
}

/* Contents of an ACK as packet numbers. */
struct tx_ack {
	s64 cack;
	s64 own;		/* 0 if it answers no packet */
	s64 sack;		/* number of bit 0 */
	u64 bits;
};

static struct tx_ack tx_read_ack(const struct model *m,
				 const struct uet_pds_hdr *hdr)
{
	const struct uet_ack *ack = &hdr->u.ack;
	u32 cack = ack->cack_psn;
	struct tx_ack say = {
		.cack = model_nr(m, cack, m->tx.nxt),
	};

	if (!(hdr->flags & UET_F_P))
		say.own = model_nr(m, cack + (u32)ack->ack_off, m->tx.nxt);
	if (hdr->type != UET_TY_ACK) {
		say.sack = model_nr(m, cack + (u32)ack->sack_off, m->tx.nxt);
		say.bits = ack->sack_bitmap;
	}
	return say;
}

static enum uet_drop tx_check_ack(const struct model *m,
				  const struct tx_ack *say, u16 spdcid)
{
	s64 last = say->sack - 1;
	u64 bits;

	for (bits = say->bits; bits; bits >>= 1)
		last++;
	if (say->cack >= m->tx.nxt || say->own >= m->tx.nxt ||
	    (say->bits && last >= m->tx.nxt))
		return UET_DROP_BAD_ACK_PSN;
	if (m->tx.nxt - say->cack > TX_STALE)
		return UET_DROP_STALE_ACK;
	if (!m->peer && (!spdcid || (!tx_is_out(m, say->cack) &&
				     !tx_is_out(m, say->own))))
		return UET_DROP_UNSOLICITED_ACK;
	return UET_DROP_NONE;
}

/*
 * 3.4.3.3: NO_RESPONSE is no response yet, so a response that comes before SES has taken
 * the outcome replaces it.  3.5.12.5: the default response to a retransmission comes from
 * PDS, which answers a duplicate without SES.
 */
static void tx_replace(struct model *m, s64 nr, const struct uet_ses_rsp *rsp,
		       bool retx)
{
	struct model_out *out = tx_out(m, nr);

	if (nr < m->tx.una_reported || nr >= m->tx.nxt || !rsp ||
	    !out->answered || out->kind != MODEL_REQ ||
	    out->opcode != SPEC_RSP_NO_RESPONSE ||
	    (rsp->opcode == SPEC_RSP_DEFAULT && retx))
		return;
	out->opcode = rsp->opcode;
	out->rc = rsp->rc;
	if (spec_is_gtd(rsp->opcode) && nr < m->tx.una)
		m->tx.clear_pending = true;
}

/*
 * 3.5.11.4: the response in an ACK belongs to the packet of ACK_PSN.  Other packets up
 * to CACK_PSN have the default response.  A SACK bit reports only the reception.
 */
static bool tx_apply_ack(struct model *m, const struct tx_ack *say,
			 const struct uet_ses_rsp *rsp, bool retx)
{
	bool news = false;
	s64 nr;
	int i;

	if (tx_is_out(m, say->own)) {
		news |= !tx_out(m, say->own)->has;
		tx_answer(m, say->own, rsp ? rsp->opcode : UET_RSP_DEFAULT,
			  rsp ? rsp->rc : UET_RC_OK);
	} else if (say->own) {
		tx_replace(m, say->own, rsp, retx);
	}
	for (nr = m->tx.una; nr <= say->cack; nr++) {
		if (!tx_is_out(m, nr))
			continue;
		news |= !tx_out(m, nr)->has;
		tx_answer(m, nr, UET_RSP_DEFAULT, UET_RC_OK);
	}
	for (i = 0; i < 64; i++) {
		nr = say->sack + i;
		if (!(say->bits >> i & 1) || !tx_is_out(m, nr))
			continue;
		news |= !tx_out(m, nr)->has;
		tx_out(m, nr)->has = true;
		tx_out(m, nr)->again = false;
		m->tx.opens = 0;
	}
	return news;
}

/**
 * model_rx_ack() - process an arriving ACK
 * @m: model
 * @hdr: header of the ACK
 * @rsp: response in the ACK, or NULL
 * @now: time, ns
 *
 * Return: required return value of uet_pdc_rx_ack().
 */
enum uet_drop model_rx_ack(struct model *m, const struct uet_pds_hdr *hdr,
			   const struct uet_ses_rsp *rsp, u64 now)
{
	const struct uet_ack *ack = &hdr->u.ack;
	struct tx_ack say = tx_read_ack(m, hdr);
	u8 wish = hdr->flags & UET_F_REQ_MASK;
	enum uet_drop why;

	if (m->over)
		return UET_DROP_BAD_STATE;
	why = tx_check_ids(m, ack->spdcid, ack->dpdcid);
	if (!why)
		why = tx_check_ack(m, &say, ack->spdcid);
	if (why)
		return why;
	m->stats.rx_ack++;
	m->active_ns = now;
	m->tx.probes = 0;
	model_learn(m, ack->spdcid);
	if (tx_apply_ack(m, &say, rsp, hdr->flags & SPEC_F_RETX))
		m->tx.progress_ns = now;
	if (say.cack >= m->tx.cack) {
		m->tx.cack = say.cack;
		/* choices.rst, "MPR in an ACK that repeats CACK_PSN" */
		if (hdr->type != UET_TY_ACK && ack->mpr)
			m->tx.mpr = ack->mpr * SPEC_MPR_UNIT;
		else if (hdr->type != UET_TY_ACK && m->cfg.mpr_zero)
			m->tx.mpr = m->cfg.mpr_zero;
	}
	if (tx_advance(m))
		m->tx.progress_ns = now;
	if (m->over)
		return UET_DROP_NONE;
	if (m->open.role == UET_PDC_INITIATOR) {
		if (wish == UET_F_REQ_CLEAR &&
		    m->tx.clear_told != m->tx.una - 1)
			m->tx.clear_pending = true;
		if (wish == UET_F_REQ_CLOSE)
			m->is_closing = true;
	}
	model_close_later(m, now);
	return UET_DROP_NONE;
}

/* ------------------------------------------------------------------- NACKs */

enum tx_verdict {
	TX_UNKNOWN,	/* reserved, or of an unsupported feature */
	TX_IGNORE,
	TX_RESEND,	/* the packet was lost */
	TX_GO_BACK,	/* ROD: resend the packet and all behind it */
	TX_PAUSE,	/* the peer lacks resources now */
	TX_REOPEN,	/* the peer has no PDC available now */
	TX_RESTART,	/* the peer demands another Start_PSN */
	TX_FATAL,
};

/*
 * The peer has no PDC for the packet, 3.5.10.10.  An initiator that awaits its first
 * answer retries on the same PDC: choices.rst, "NO_PDC, NO_CCC, NO_BITMAP" and "Resource
 * codes without the PDCID of the target".  For other PDCs the NACK has no effect.
 */
static enum tx_verdict tx_judge_no_pdc(const struct model *m)
{
	return m->peer ? TX_IGNORE : TX_REOPEN;
}

/* Deviations by choice from the action of Table 3-58. */
static enum tx_verdict tx_judge_choice(const struct model *m,
				       const struct uet_nack *nack,
				       enum tx_verdict verdict)
{
	switch (nack->code) {
	case SPEC_NACK_TRIMMED_ACK:
		return TX_IGNORE;	/* choices.rst, "TRIMMED_ACK" */
	case SPEC_NACK_INVALID_SYN:
		return tx_judge_no_pdc(m);	/* choices.rst, "INVALID_SYN" */
	case SPEC_NACK_PSN_OOR_WINDOW:
		/* choices.rst, "PSN_OOR_WINDOW" */
		return nack->spdcid ? TX_PAUSE : tx_judge_no_pdc(m);
	default:
		return verdict;
	}
}

/* The action of Table 3-58, in the state of this PDC. */
static enum tx_verdict tx_judge_table(const struct model *m,
				      const struct uet_nack *nack)
{
	const struct spec_nack *row = &spec_nacks[nack->code];

	if (!row->name)
		return TX_UNKNOWN;
	if (row->class == SPEC_PDC_FATAL)
		return TX_FATAL;
	switch (row->action) {
	case SPEC_NONE:
		/* A later time-out is permitted: choices.rst, "RCVD_SES_PROCG". */
		return TX_IGNORE;
	case SPEC_RETX:
	case SPEC_RETX_AHEAD:
		return TX_RESEND;
	case SPEC_RETX_WAIT:
		return nack->spdcid ? TX_PAUSE : tx_judge_no_pdc(m);
	case SPEC_GO_BACK:
		return m->open.mode == UET_PDC_ROD ? TX_GO_BACK : TX_RESEND;
	case SPEC_RETRY:
		return tx_judge_no_pdc(m);
	case SPEC_SHIFT:
		return m->open.start != UET_PDC_START_PLAIN && !m->peer ?
		       TX_RESTART : TX_UNKNOWN;
	default:
		return TX_UNKNOWN;
	}
}

static enum tx_verdict tx_judge(const struct model *m,
				const struct uet_nack *nack)
{
	return tx_judge_choice(m, nack, tx_judge_table(m, nack));
}

/*
 * The NACK refers to the latest transmission, or answers an ACK_REQUEST: choices.rst,
 * "NACK of an earlier transmission".
 */
static bool tx_is_current(const struct model_out *out, u8 flags)
{
	return out->has || (out->sends > 1) == !!(flags & UET_F_RETX);
}

/**
 * model_must_resend() - must a packet be sent again before all others?
 * @out: the packet
 *
 * Return: false if no NACK demands it, or so many that the packet may back off.
 */
bool model_must_resend(const struct model_out *out)
{
	return out->again && out->nacks <= MODEL_NACKS_AT_ONCE;
}

/*
 * Each NACK that costs a transmission counts, and the PDC fails when there are more than
 * Max_NACK_Retx_Cnt, Table 3-28.  A NACK for a packet that the PDC knows as lost already
 * need not count.  Return: true if the PDC has failed.
 */
static bool tx_count_nack(struct model *m, struct model_out *out, u8 code,
			  bool has_failed)
{
	bool has_limit = m->cfg.max_nack_retx != SPEC_NACK_RETX_NO_LIMIT;

	out->nacks++;
	if (!has_failed)
		return false;
	MODEL_RULE(m, has_limit && out->nacks > m->cfg.max_nack_retx,
		   "it gave up after %u NACKs", out->nacks);
	model_fail(m, UET_PDC_ERR_NACK_RETX, code);
	return true;
}

/* 3.5.21: packets behind one that waits must not overtake it in ROD. */
static void tx_lost(struct model *m, struct model_out *out, u8 code,
		    bool has_failed)
{
	if (tx_count_nack(m, out, code, has_failed))
		return;
	out->has = false;
	out->again = true;
	if (m->open.mode == UET_PDC_ROD && !model_must_resend(out))
		m->tx.slow = true;
}

static void tx_go_back(struct model *m, s64 refused, u32 expected_psn,
		       bool has_failed)
{
	s64 nr = model_nr(m, expected_psn, m->tx.una);

	if (nr < m->tx.una || nr >= refused)
		nr = m->tx.una;
	/* It was kept, and refused when it was its turn. */
	tx_out(m, nr)->lacks = tx_out(m, nr)->has;
	m->tx.slow = true;
	if (tx_count_nack(m, tx_out(m, m->tx.una), UET_NACK_ROD_OOO,
			  has_failed))
		return;
	for (; nr < m->tx.nxt; nr++)
		tx_out(m, nr)->may = true;
}

static void tx_pause(struct model *m, struct model_out *out, u8 code,
		     bool has_failed, u64 now)
{
	bool was_kept = out->has && m->open.mode == UET_PDC_ROD;

	if ((out->has && !was_kept) || tx_count_nack(m, out, code, has_failed))
		return;
	out->has = false;
	out->again = true;
	if (!m->tx.slow) {
		m->tx.quiet_until = now + m->cfg.nack_retx_ns;
		m->tx.progress_ns = now;
	}
	m->tx.slow = true;
}

static void tx_reopen(struct model *m, struct model_out *out, u8 code,
		      bool has_failed, u64 now)
{
	bool is_enough = true;
	u64 wait;

	out->again = true;
	m->tx.slow = true;
	if (!m->tx.opens++)
		m->tx.opens_ns = now;
	if (!has_failed)
		return;
	wait = m->cfg.peer_timeout_ns;
	if (!wait) {
		wait = tx_peer_timeout(m, m->cfg.max_rto_retx);
		is_enough = m->tx.opens > m->cfg.max_rto_retx;
	}
	MODEL_RULE(m, is_enough && now >= m->tx.opens_ns + wait,
		   "it gave up after %u refusals", m->tx.opens);
	model_fail(m, UET_PDC_ERR_NACK_RETX, code);
}

/* 3.5.8.3: a target that no longer knows the PDC has closed it. */
static void tx_fatal(struct model *m, s64 nr, u8 code)
{
	if (nr == m->close_nr && code == UET_NACK_INV_DPDCID) {
		tx_answer(m, nr, UET_RSP_DEFAULT, UET_RC_OK);
		tx_advance(m);
		return;
	}
	model_fail(m, UET_PDC_ERR_NACK, code);
}

static enum uet_drop tx_obey(struct model *m, const struct uet_pds_hdr *hdr,
			     s64 nr, bool has_failed, u64 now)
{
	const struct uet_nack *nack = &hdr->u.nack;
	struct model_out *out = tx_out(m, nr);
	bool current = tx_is_current(out, hdr->flags);

	switch (tx_judge(m, nack)) {
	case TX_UNKNOWN:
		return UET_DROP_UNSUPPORTED;
	case TX_IGNORE:
		break;
	case TX_RESEND:
		if (current)
			tx_lost(m, out, nack->code, has_failed);
		break;
	case TX_GO_BACK:
		if (current)
			tx_go_back(m, nr, nack->payload, has_failed);
		break;
	case TX_PAUSE:
		tx_pause(m, out, nack->code, has_failed, now);
		break;
	case TX_REOPEN:
		tx_reopen(m, out, nack->code, has_failed, now);
		break;
	case TX_RESTART:
		model_start_obey(m, nack->payload, now);
		break;
	case TX_FATAL:
		tx_fatal(m, nr, nack->code);
		break;
	}
	return UET_DROP_NONE;
}

/*
 * 3.5.8.2: the initiator takes the PDCID of the target from a NACK of its PDC.  The codes
 * of a target without such a PDC have spdcid 0, 3.5.10.10; choices.rst, "PDCID of a target
 * that opened no PDC".
 */
static bool tx_names_peer(const struct model *m, const struct uet_nack *nack)
{
	enum tx_verdict verdict = tx_judge(m, nack);

	/* A PDC that restarts or ends needs no PDCID of the peer. */
	if (verdict == TX_RESTART || verdict == TX_FATAL)
		return false;
	return nack->spdcid && !spec_nacks[nack->code].no_pdc &&
	       nack->code != SPEC_NACK_INVALID_SYN;
}

/**
 * model_rx_nack() - process an arriving NACK
 * @m: model
 * @hdr: header of the NACK
 * @has_failed: the PDC has failed because of the NACK
 * @now: time, ns
 *
 * Return: required return value of uet_pdc_rx_nack().
 */
enum uet_drop model_rx_nack(struct model *m, const struct uet_pds_hdr *hdr,
			    bool has_failed, u64 now)
{
	const struct uet_nack *nack = &hdr->u.nack;
	s64 nr = model_nr(m, nack->psn, m->tx.una);
	enum uet_drop why;

	if (m->over)
		return UET_DROP_BAD_STATE;
	if (hdr->flags & UET_F_NT || !tx_is_out(m, nr))
		return UET_DROP_BAD_NACK_PSN;
	why = tx_check_ids(m, nack->spdcid ? nack->spdcid : m->peer,
			   nack->dpdcid);
	if (why)
		return why;
	m->stats.rx_nack++;
	m->active_ns = now;
	m->tx.probes = 0;
	if (tx_names_peer(m, nack))
		model_learn(m, nack->spdcid);
	return tx_obey(m, hdr, nr, has_failed, now);
}

/**
 * model_next_up() - take the next outcome for SES
 * @m: model
 * @up: result
 *
 * Return: false if there is none.
 */
bool model_next_up(struct model *m, struct uet_pdc_up *up)
{
	s64 end = m->over ? m->tx.write_seq : m->tx.una;
	const struct model_out *out;

	memset(up, 0, sizeof(*up));
	while (m->tx.una_reported < end) {
		out = tx_out(m, m->tx.una_reported++);
		if (out->kind != MODEL_REQ && !out->reports)
			continue;
		up->pkt = out->pkt;
		if (out->reports)
			up->kind = out->answered ? UET_UP_NOOP_ACKED :
						   UET_UP_NOOP_FAILED;
		else
			up->kind = out->answered ? UET_UP_ACKED : UET_UP_FAILED;
		up->rsp_opcode = out->opcode;
		up->rc = out->rc;
		if (!out->answered) {
			up->error = m->error;
			up->nack_code = m->nack_code;
		}
		return true;
	}
	return false;
}
