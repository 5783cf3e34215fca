// SPDX-License-Identifier: GPL-2.0
/*
 * The receive direction of the model: acceptance or refusal of a packet and the
 * reason, the number up to which all packets are received, and the answers that
 * become pending.
 *
 * Spec: UE 1.0.1 3.5.8.2, 3.5.11.4, 3.5.12.2, 3.5.12.5, 3.5.16.  Level: test.
 */
#include "model.h"

static const struct uet_ses_rsp rx_default = {
	.opcode = UET_RSP_DEFAULT,
	.rc = UET_RC_OK,
};

/* Record of a packet; records exist up to the highest number received. */
static struct model_in *rx_in(struct model *m, s64 nr)
{
	s64 space = m->rx.space;

	if (nr >= space) {
		m->rx.space = 2 * nr + 64;
		m->rx.in = realloc(m->rx.in, m->rx.space * sizeof(*m->rx.in));
		memset(m->rx.in + space, 0,
		       (m->rx.space - space) * sizeof(*m->rx.in));
	}
	return &m->rx.in[nr];
}

static bool rx_has(const struct model *m, s64 nr)
{
	return nr < 1 || (nr <= m->rx.end && m->rx.in[nr].got);
}

/* 3.5.21: the packet is kept, and not delivered before those in front of it. */
static bool rx_is_early(const struct model *m, s64 nr)
{
	return nr >= 1 && rx_has(m, nr) && m->rx.in[nr].early;
}

/**
 * model_rx_base() - number of the first packet not received, or not in order
 * @m: model
 *
 * Return: its number.
 */
s64 model_rx_base(const struct model *m)
{
	s64 nr = m->rx.cack + 1;

	while (rx_has(m, nr) && !rx_is_early(m, nr))
		nr++;
	return nr;
}

/* ---------------------------------------------------------- pending answers */

/* A packet beyond CACK_PSN with a pending ACK of its own; 0 if there is none. */
static s64 rx_first_pending(const struct model *m)
{
	s64 nr;

	for (nr = m->rx.cack + 1; nr <= m->rx.end; nr++)
		if (m->rx.in[nr].pending)
			return nr;
	return 0;
}

/**
 * model_has_answer() - is any answer pending?
 * @m: model
 *
 * Return: true if so.
 */
bool model_has_answer(const struct model *m)
{
	return m->rx.nr_nacks || m->rx.probed || m->rx.ack_now ||
	       rx_first_pending(m);
}

/**
 * model_pend_nack() - queue a NACK, if there is space
 * @m: model
 * @nack: the NACK
 */
void model_pend_nack(struct model *m, const struct model_nack *nack)
{
	if (m->rx.nr_nacks == MODEL_NACKS)
		m->stats.nack_overflow++;
	else
		m->rx.nack[m->rx.nr_nacks++] = *nack;
}

static void rx_refuse(struct model *m, const struct model_echo *echo, u8 code,
		      u32 payload)
{
	struct model_nack nack = {
		.echo = *echo,
		.psn = model_psn(m, echo->nr),
		.payload = payload,
		.code = code,
	};

	model_pend_nack(m, &nack);
}

/* The coalesced ACK reports that a packet has no response yet. */
static bool rx_last_is_none(const struct model *m)
{
	return m->rx.ack_now && !m->rx.last.is_cp &&
	       m->rx.last_rsp.opcode == SPEC_RSP_NO_RESPONSE;
}

/*
 * The coalesced ACK answers the last packet, or the last packet with CE, or one of which
 * it reports that there is no response.
 */
static void rx_set_last(struct model *m, const struct model_echo *echo,
			const struct uet_ses_rsp *rsp)
{
	if (echo->nr > m->rx.cack)
		m->rx.news = max(m->rx.news, echo->nr);
	if (!echo->ce && ((m->rx.ack_now && m->rx.last.ce) || rx_last_is_none(m)))
		return;
	m->rx.last = *echo;
	m->rx.last_rsp = *rsp;
}

static void rx_pend_ack(struct model *m, const struct model_echo *echo,
			const struct uet_ses_rsp *rsp)
{
	rx_set_last(m, echo, rsp);
	m->rx.ack_now = true;
	m->rx.ack_at = UET_NEVER;
	m->rx.gen = 0;
}

/* Up to CACK_PSN any ACK is an answer.  A mark is kept until an ACK reports it. */
static void rx_pend_own_ack(struct model *m, const struct model_echo *echo,
			    const struct uet_ses_rsp *rsp)
{
	struct model_in *in;

	if (echo->nr <= m->rx.cack) {
		rx_pend_ack(m, echo, rsp);
		return;
	}
	in = rx_in(m, echo->nr);
	if (!in->pending || !in->echo.ce || echo->ce)
		in->echo = *echo;
	in->pending = true;
}

/*
 * 3.5.12.5: the response to a packet that was received before.  NO_RESPONSE is known until it
 * is cleared, or a packet one window later takes its place; beyond CACK_PSN every response is.
 */
static void rx_pend_known(struct model *m, const struct model_echo *echo)
{
	s64 next = echo->nr + m->cfg.window;

	if (echo->nr <= m->rx.clear ||
	    (rx_has(m, next) && !rx_is_early(m, next)) ||
	    m->rx.in[echo->nr].is_cp ||
	    m->rx.in[echo->nr].rsp.opcode != SPEC_RSP_NO_RESPONSE)
		rx_pend_own_ack(m, echo, &rx_default);
	else
		rx_pend_own_ack(m, echo, &m->rx.in[echo->nr].rsp);
}

/* ---------------------------------------------------------------- receiving */

/*
 * 3.5.12.2: an ACK of its own reports that a packet has no response yet.  CACK_PSN, which
 * would report the default response, does not come before this ACK.
 */
static bool rx_is_untold(const struct model_in *in)
{
	return in->pending && !in->is_cp &&
	       in->rsp.opcode == SPEC_RSP_NO_RESPONSE;
}

/**
 * model_raise_cack() - raise CACK_PSN as far as possible
 * @m: model
 *
 * 3.5.11.4: all packets before are received, and none has a stored response.
 */
void model_raise_cack(struct model *m)
{
	struct model_in *in;

	while (m->rx.cack < m->rx.end) {
		in = rx_in(m, m->rx.cack + 1);
		if (!in->got || in->early || in->stored || rx_is_untold(in))
			return;
		m->rx.cack++;
		if (in->pending)
			rx_pend_ack(m, &in->echo, &in->rsp);
		in->pending = false;
	}
}

/* The peer has these responses, so ACKs need not report them again. */
static enum uet_drop rx_clear(struct model *m, u32 psn)
{
	s64 base = model_rx_base(m);
	s64 nr = model_nr(m, psn, base);
	struct model_in *in;
	s64 i;

	if (nr >= base)
		return UET_DROP_BAD_CLEAR_PSN;
	m->rx.clear = max(m->rx.clear, nr);
	for (i = m->rx.cack + 1; i <= m->rx.clear; i++) {
		in = rx_in(m, i);
		if (!in->stored)
			continue;
		in->stored = false;
		in->pending = false;
		if (in->echo.ce)
			m->rx.ce_pending = false;
	}
	model_raise_cack(m);
	return UET_DROP_NONE;
}

/* 3.5.8.2: check the addresses, the PDCIDs and the SYN fields. */
static enum uet_drop rx_ids(struct model *m, const struct model_echo *echo,
			    const struct model_from *from, u64 now)
{
	bool unlearnt = model_is_unlearnt(m, from);
	struct model_echo foreign = *echo;
	bool syn = from->flags & UET_F_SYN;

	if (from->spdcid != m->peer ||
	    (!syn && !unlearnt && from->dpdcid != m->open.local_pdcid))
		return UET_DROP_PDCID_MISMATCH;
	if (syn && m->open.role != UET_PDC_TARGET)
		return UET_DROP_BAD_SYN;
	if (syn && from->psn - from->psn_offset != m->open.start_psn) {
		foreign.is_foreign = true;
		rx_refuse(m, &foreign, UET_NACK_INVALID_SYN, 0);
		return UET_DROP_BAD_SYN;
	}
	if (!syn && !unlearnt)
		m->heard_nosyn = true;
	m->active_ns = now;
	model_close_later(m, now);
	return UET_DROP_NONE;
}

/*
 * 3.5.21: the receiver drops or keeps each packet behind a gap and names the Expected_PSN
 * in a NACK.  By choice (choices.rst, "ROD_OOO") one NACK serves a gap until packets are
 * sent again: then the numbers of retransmissions go back, or a number is repeated.
 */
static void rx_report_gap(struct model *m, const struct model_echo *echo)
{
	s64 base = model_rx_base(m);
	bool same = m->rx.gap == base;
	bool again = echo->retx && echo->nr <= m->rx.gap_last;

	if (!same || echo->retx || echo->nr > m->rx.gap_last)
		m->rx.gap_last = echo->nr;
	m->rx.gap = base;
	if (!same || again)
		rx_refuse(m, echo, UET_NACK_ROD_OOO, model_psn(m, base));
}

/*
 * A kept packet has no response yet, so an ACK answers CACK_PSN without one and reports
 * the packet in its SACK.  An ACK that waits serves, unless a mark would be lost.
 */
static void rx_set_sack(struct model *m, const struct model_echo *echo)
{
	bool waits = m->rx.ack_now || m->rx.ack_at != UET_NEVER;

	m->rx.news = max(m->rx.news, echo->nr);
	if (waits && (m->rx.last.ce || !echo->ce))
		return;
	m->rx.last = *echo;
	m->rx.last.nr = m->rx.cack;
	m->rx.last.retx = false;
	m->rx.last.is_cp = true;
}

static void rx_pend_sack(struct model *m, const struct model_echo *echo)
{
	rx_set_sack(m, echo);
	m->rx.ack_now = true;
	m->rx.ack_at = UET_NEVER;
	m->rx.gen = 0;
}

/* 3.5.12.2, 3.5.12.5: check window and duplicate. */
static enum uet_drop rx_admit_any(struct model *m, const struct model_echo *echo,
				  bool syn)
{
	s64 window = m->cfg.window;

	if (echo->nr <= m->rx.cack - window) {
		if (syn)
			rx_refuse(m, echo, UET_NACK_INVALID_SYN, 0);
		return UET_DROP_FAR_BELOW_WINDOW;
	}
	if (echo->nr > m->rx.cack + window) {
		rx_refuse(m, echo, syn ? UET_NACK_INVALID_SYN :
					 UET_NACK_PSN_OOR_WINDOW, 0);
		return UET_DROP_OUT_OF_WINDOW;
	}
	if (rx_has(m, echo->nr)) {
		m->stats.rx_dup++;
		if (echo->retx && rx_is_early(m, echo->nr)) {
			rx_pend_sack(m, echo);
			rx_report_gap(m, echo);
		} else if (echo->retx) {
			rx_pend_known(m, echo);
		}
		return UET_DROP_DUPLICATE;
	}
	return UET_DROP_NONE;
}

/* 3.5.21: the same, and the order. */
static enum uet_drop rx_admit(struct model *m, const struct model_echo *echo,
			      bool syn)
{
	enum uet_drop why = rx_admit_any(m, echo, syn);

	if (!why && m->open.mode == UET_PDC_ROD &&
	    echo->nr != model_rx_base(m)) {
		m->stats.rx_ooo++;
		rx_report_gap(m, echo);
		return UET_DROP_ROD_OOO;
	}
	return why;
}

/*
 * 3.5.8.3: refuse packets behind the CLOSE_COMMAND of this end.  3.5.12.7: refuse a
 * packet without space for its response; the last space is reserved for the packet
 * that blocks CACK_PSN.
 */
static enum uet_drop rx_check_new(struct model *m,
				  const struct model_echo *echo)
{
	u32 stored = 0, most = m->cfg.max_gtd;
	s64 nr;

	if (m->close_nr) {
		rx_refuse(m, echo, UET_NACK_CLOSING, 0);
		return UET_DROP_CLOSING;
	}
	for (nr = m->rx.cack + 1; nr <= m->rx.end; nr++)
		stored += m->rx.in[nr].stored;
	if (echo->nr != model_rx_base(m))
		stored++;
	if (!most || most == m->cfg.window || stored < most)
		return UET_DROP_NONE;
	rx_refuse(m, echo, UET_NACK_NO_GTD_DEL_AVAIL, 0);
	return UET_DROP_GTD_FULL;
}

static void rx_take(struct model *m, const struct model_echo *echo,
		    const struct uet_ses_rsp *rsp)
{
	struct model_in *in = rx_in(m, echo->nr);

	in->got = true;
	in->early = false;
	in->told = false;
	in->stored = spec_is_gtd(rsp->opcode);
	in->rsp = *rsp;
	in->is_cp = echo->is_cp;
	if (rsp->data)
		memcpy(in->data, rsp->data, rsp->payload_length);
	m->rx.end = max(m->rx.end, echo->nr);
	if (!echo->is_cp && rsp->opcode == SPEC_RSP_NO_RESPONSE)
		rx_pend_own_ack(m, echo, rsp);
	model_raise_cack(m);
}

static struct model_echo rx_echo(const struct model *m, u32 psn, u8 flags,
				 const struct uet_rx_info *in)
{
	return (struct model_echo) {
		.nr = model_nr(m, psn, m->rx.cack),
		.ev = in->ev,
		.ce = in->ce,
		.retx = flags & UET_F_RETX,
	};
}

/* The number is left out, because a secure start may change it. */
static struct model_echo rx_echo_start(u8 flags, const struct uet_rx_info *in)
{
	return (struct model_echo) {
		.ev = in->ev,
		.ce = in->ce,
		.retx = flags & UET_F_RETX,
	};
}

/**
 * model_rx_req() - process an arriving request
 * @m: model
 * @hdr: header of the request
 * @in: circumstances of the arrival
 * @now: time, ns
 *
 * Return: required return value of uet_pdc_rx_req().
 */
enum uet_drop model_rx_req(struct model *m, const struct uet_pds_hdr *hdr,
			   const struct uet_rx_info *in, u64 now)
{
	const struct uet_req *req = &hdr->u.req;
	struct model_from from = {
		req->psn, req->spdcid, req->dpdcid, req->psn_offset, hdr->flags,
		false,
	};
	struct model_echo echo = rx_echo_start(hdr->flags, in);
	bool is_rod = hdr->type == UET_TY_ROD_REQ ||
		      hdr->type == UET_TY_ROD_CC_REQ;
	enum uet_drop why;

	if (!model_takes_requests(m))
		return UET_DROP_BAD_STATE;
	why = model_start_rx(m, &from, &echo, now);
	if (why)
		return why;
	echo = rx_echo(m, req->psn, hdr->flags, in);
	why = rx_ids(m, &echo, &from, now);
	if (why)
		return why;
	if (is_rod != (m->open.mode == UET_PDC_ROD)) {
		rx_refuse(m, &echo, UET_NACK_PDC_MODE_MISMATCH, 0);
		return UET_DROP_MODE_MISMATCH;
	}
	/* By choice (choices.rst): 0 clears what was received before the packet. */
	why = rx_clear(m, req->clear_off ? req->psn + (u32)req->clear_off :
			  model_psn(m, min(echo.nr, model_rx_base(m)) - 1));
	if (!why)
		why = rx_admit(m, &echo, hdr->flags & UET_F_SYN);
	return why ? why : rx_check_new(m, &echo);
}

/**
 * model_rx_trimmed() - process an arriving trimmed request
 * @m: model
 * @hdr: header of the request, without SYN
 * @in: circumstances of the arrival
 * @nack_code: code of the NACK to send
 * @now: time, ns
 *
 * Return: required return value of uet_pdc_rx_trimmed().
 */
enum uet_drop model_rx_trimmed(struct model *m, const struct uet_pds_hdr *hdr,
			       const struct uet_rx_info *in, u8 nack_code,
			       u64 now)
{
	const struct uet_req *req = &hdr->u.req;
	struct model_echo echo = rx_echo(m, req->psn, hdr->flags, in);
	bool is_rod = hdr->type == UET_TY_ROD_REQ ||
		      hdr->type == UET_TY_ROD_CC_REQ;
	enum uet_drop why;

	if (!model_takes_requests(m) || m->is_pending)
		return UET_DROP_BAD_STATE;
	if (req->spdcid != m->peer || req->dpdcid != m->open.local_pdcid)
		return UET_DROP_PDCID_MISMATCH;
	if (is_rod != (m->open.mode == UET_PDC_ROD))
		return UET_DROP_MODE_MISMATCH;
	m->active_ns = now;
	/* 4.1: a trimmed packet overtakes others, also in ROD. */
	why = rx_admit_any(m, &echo, false);
	if (why)
		return why;
	rx_refuse(m, &echo, nack_code, 0);
	return UET_DROP_TRIMMED;
}

/* 3.5.12.2: is the packet answered at once by its own ACK? */
static bool rx_wants_own(const struct model *m, u8 flags, bool ce,
			 const struct uet_ses_rsp *rsp)
{
	return rsp->opcode != SPEC_RSP_DEFAULT || (flags & (UET_F_AR | UET_F_SYN)) ||
	       (ce && m->cfg.ack_on_ecn) || m->cfg.ack_per_pkt;
}

/* A packet that was kept counts when it is kept, and has no bytes when it is taken. */
static void rx_count(struct model *m, const struct uet_rx_info *in)
{
	if (!in->bytes)
		return;
	m->rx.bytes += in->bytes;
	m->rx.gen += max(in->bytes, m->cfg.ack_gen_min_add);
}

/**
 * model_rx_accept() - SES accepted a request
 * @m: model
 * @hdr: header of the request
 * @in: circumstances of the arrival
 * @rsp: response
 * @now: time, ns
 */
void model_rx_accept(struct model *m, const struct uet_pds_hdr *hdr,
		     const struct uet_rx_info *in,
		     const struct uet_ses_rsp *rsp, u64 now)
{
	struct model_echo echo = rx_echo(m, hdr->u.req.psn, hdr->flags, in);
	s64 base = model_rx_base(m);

	m->stats.rx_req++;
	m->stats.rx_ooo += echo.nr != base;
	rx_count(m, in);
	if (hdr->flags & UET_F_AR)
		m->rx.asked = max(m->rx.asked, echo.nr);
	if (in->ce && m->cfg.ack_on_ecn)
		m->rx.ce_pending = true;
	rx_take(m, &echo, rsp);
	if (rx_wants_own(m, hdr->flags, in->ce, rsp)) {
		rx_pend_own_ack(m, &echo, rsp);
	} else if (m->rx.gen >= m->cfg.ack_gen_trigger ||
		   (m->rx.asked >= base && m->rx.asked < model_rx_base(m))) {
		rx_pend_ack(m, &echo, rsp);
	} else {
		rx_set_last(m, &echo, rsp);
		if (!m->rx.ack_now && m->rx.ack_at == UET_NEVER)
			m->rx.ack_at = now + m->cfg.ack_delay_ns;
	}
}

/**
 * model_rx_keep() - a request that came before others is kept
 * @m: model
 * @hdr: header of the request
 * @in: circumstances of the arrival
 * @now: time, ns
 */
void model_rx_keep(struct model *m, const struct uet_pds_hdr *hdr,
		   const struct uet_rx_info *in, u64 now)
{
	struct model_echo echo = rx_echo(m, hdr->u.req.psn, hdr->flags, in);
	bool is_first = true;
	struct model_in *kept;
	s64 nr;

	for (nr = model_rx_base(m); nr <= m->rx.end; nr++)
		is_first &= !m->rx.in[nr].got;
	kept = rx_in(m, echo.nr);
	kept->got = true;
	kept->early = true;
	kept->told = false;
	kept->stored = false;
	kept->pending = false;
	m->rx.end = max(m->rx.end, echo.nr);
	rx_count(m, in);
	if (in->ce && m->cfg.ack_on_ecn)
		m->rx.ce_pending = true;
	if (is_first || (in->ce && m->cfg.ack_on_ecn) || m->cfg.ack_per_pkt ||
	    m->rx.gen >= m->cfg.ack_gen_trigger) {
		rx_pend_sack(m, &echo);
		return;
	}
	rx_set_sack(m, &echo);
	if (!m->rx.ack_now && m->rx.ack_at == UET_NEVER)
		m->rx.ack_at = now + m->cfg.ack_delay_ns;
}

/**
 * model_rx_is_due() - is the packet that is expected next kept?
 * @m: model
 *
 * Return: true if so.
 */
bool model_rx_is_due(const struct model *m)
{
	return !m->over && rx_is_early(m, model_rx_base(m));
}

/**
 * model_rx_unkeep() - the packet that is expected next arrives, out of those kept
 * @m: model
 */
void model_rx_unkeep(struct model *m)
{
	struct model_in *kept = rx_in(m, model_rx_base(m));

	kept->got = false;
	kept->early = false;
}

/**
 * model_rx_refuse() - SES refused a request
 * @m: model
 * @hdr: header of the request
 * @in: circumstances of the arrival
 * @nack_code: code of the NACK to send
 * @now: time, ns
 */
void model_rx_refuse(struct model *m, const struct uet_pds_hdr *hdr,
		     const struct uet_rx_info *in, u8 nack_code, u64 now)
{
	struct model_echo echo = rx_echo(m, hdr->u.req.psn, hdr->flags, in);

	m->active_ns = now;
	rx_refuse(m, &echo, nack_code, 0);
}

/* ---------------------------------------------------------- control packets */

static enum uet_drop rx_take_cp(struct model *m, const struct model_echo *echo,
				bool syn)
{
	enum uet_drop why = rx_admit(m, echo, syn);

	if (!why) {
		rx_take(m, echo, &rx_default);
		rx_pend_own_ack(m, echo, &rx_default);
	}
	return why;
}

/*
 * 3.5.12.5.  A response with data is sent again, not refused with ACK_WITH_DATA:
 * choices.rst, "ACK_REQUEST for a response with data".
 */
static enum uet_drop rx_ack_request(struct model *m,
				    const struct model_echo *echo)
{
	if (echo->nr <= m->rx.cack - m->cfg.window)
		return UET_DROP_FAR_BELOW_WINDOW;
	if (rx_is_early(m, echo->nr))
		rx_pend_sack(m, echo);
	else if (rx_has(m, echo->nr))
		rx_pend_known(m, echo);
	else
		rx_refuse(m, echo, UET_NACK_PKT_NOT_RCVD, 0);
	return UET_DROP_NONE;
}

static bool rx_return_is_busy(const struct model *m)
{
	s64 nr;

	for (nr = m->tx.una; nr < m->tx.write_seq; nr++)
		if (m->tx.out[nr].kind == MODEL_REQ)
			return true;
	return false;
}

/* 3.5.8.3: comes after all other packets and clears all responses. */
static enum uet_drop rx_close_command(struct model *m,
				      const struct model_echo *echo)
{
	enum uet_drop why;

	if (m->open.role != UET_PDC_TARGET) {
		rx_refuse(m, echo, UET_NACK_UNEXP_EVENT, 0);
		return UET_DROP_UNEXPECTED_CP;
	}
	if (echo->nr > model_rx_base(m))
		return UET_DROP_BAD_STATE;
	if (echo->nr == model_rx_base(m) && rx_return_is_busy(m)) {
		model_fail_nack(m, UET_PDC_ERR_PROTOCOL);
		return UET_DROP_NONE;
	}
	why = rx_take_cp(m, echo, false);
	if (why)
		return why;
	rx_clear(m, model_psn(m, echo->nr));
	model_finish(m);
	return UET_DROP_NONE;
}

static enum uet_drop rx_close_request(struct model *m,
				      const struct model_echo *echo)
{
	enum uet_drop why;

	if (m->open.role != UET_PDC_INITIATOR) {
		rx_refuse(m, echo, UET_NACK_UNEXP_EVENT, 0);
		return UET_DROP_UNEXPECTED_CP;
	}
	why = rx_take_cp(m, echo, false);
	if (!why)
		m->is_closing = true;
	return why;
}

static enum uet_drop rx_clear_request(struct model *m, u32 psn)
{
	s64 nr = model_nr(m, psn, m->tx.nxt);

	if (nr >= m->tx.nxt)
		return UET_DROP_BAD_CLEAR_PSN;
	if (nr < m->tx.una)
		m->tx.clear_pending = true;
	return UET_DROP_NONE;
}

static enum uet_drop rx_probe(struct model *m, const struct model_echo *echo,
			      const struct uet_cp *cp)
{
	m->rx.probed = true;
	m->rx.probe = *echo;
	m->rx.probe.nr = model_nr(m, cp->payload, m->rx.cack);
	m->rx.opaque = cp->probe_opaque;
	return UET_DROP_NONE;
}

static enum uet_drop rx_dispatch_cp(struct model *m,
				    const struct uet_pds_hdr *hdr,
				    const struct model_echo *echo)
{
	const struct uet_cp *cp = &hdr->u.cp;
	bool opens = hdr->flags & SPEC_F_SYN;
	bool is_rod = hdr->flags & SPEC_F_ISROD;

	switch (hdr->next_hdr) {
	case UET_CP_NOOP:
	case UET_CP_NEGOTIATION:
		/* 3.5.10.2: ISROD has a meaning in packets that may open a PDC. */
		if (opens && is_rod != (m->open.mode == UET_PDC_ROD))
			return UET_DROP_MODE_MISMATCH;
		return rx_take_cp(m, echo, hdr->flags & UET_F_SYN);
	case UET_CP_ACK_REQUEST:
		return rx_ack_request(m, echo);
	case UET_CP_CLEAR_COMMAND:
		return rx_clear(m, cp->payload);
	case UET_CP_CLEAR_REQUEST:
		return rx_clear_request(m, cp->payload);
	case UET_CP_CLOSE_COMMAND:
		return rx_close_command(m, echo);
	case UET_CP_CLOSE_REQUEST:
		return rx_close_request(m, echo);
	case UET_CP_PROBE:
		return rx_probe(m, echo, cp);
	default:
		return UET_DROP_UNSUPPORTED;
	}
}

/**
 * model_rx_cp() - process an arriving control packet
 * @m: model
 * @hdr: header of the packet
 * @in: circumstances of the arrival
 * @now: time, ns
 *
 * Return: required return value of uet_pdc_rx_cp().
 */
enum uet_drop model_rx_cp(struct model *m, const struct uet_pds_hdr *hdr,
			  const struct uet_rx_info *in, u64 now)
{
	const struct uet_cp *cp = &hdr->u.cp;
	struct model_from from = {
		cp->psn, cp->spdcid, cp->dpdcid, cp->psn_offset, hdr->flags, true,
	};
	struct model_echo echo = rx_echo_start(hdr->flags, in);
	enum uet_drop why;

	if (!model_takes_requests(m) ||
	    (m->is_pending && !spec_takes_psn(hdr->next_hdr)))
		return UET_DROP_BAD_STATE;
	echo.is_cp = hdr->next_hdr != UET_CP_ACK_REQUEST;
	why = model_start_rx(m, &from, &echo, now);
	if (why)
		return why;
	echo = rx_echo(m, cp->psn, hdr->flags, in);
	why = rx_ids(m, &echo, &from, now);
	if (why)
		return why;
	m->stats.rx_cp++;
	echo.is_cp = hdr->next_hdr != UET_CP_ACK_REQUEST;
	return rx_dispatch_cp(m, hdr, &echo);
}
