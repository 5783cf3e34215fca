// SPDX-License-Identifier: GPL-2.0
/*
 * The model of one end of a PDC, except its packets: the state that follows from past
 * events, the close sequence, the effect of time, and the comparison with a snapshot
 * of the real PDC.
 *
 * The model has no state table.  Each state is a condition on past events, and one
 * function gives these conditions their names.  The close after 2^31 packets is not
 * modelled.  Spec: UE 1.0.1 3.5.8, 3.5.9.  Level: test.
 */
#include "model.h"

/**
 * model_diverged() - report that the PDC differs from its model
 * @m: model of the PDC
 * @fmt: description of the difference, as printf()
 *
 * Ends the process, so that a fuzzer keeps the input and a simulator prints its seed.
 */
void model_diverged(const struct model *m, const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fprintf(stderr, "model: %s %04x in %s: ",
		m->open.role == UET_PDC_INITIATOR ? "initiator" : "target",
		m->open.local_pdcid, uet_pdc_state_name(model_state(m)));
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "\n(UET_MODEL_TRACE=1 shows every event)\n");
	abort();
}

/**
 * model_init() - start the model of a newly opened PDC
 * @m: model, any contents
 * @cfg: parameters of the PDC
 * @open: identity of the PDC
 * @now: time, ns
 */
void model_init(struct model *m, const struct uet_pdc_cfg *cfg,
		const struct uet_pdc_open *open, u64 now)
{
	memset(m, 0, sizeof(*m));
	m->cfg = *cfg;
	m->open = *open;
	m->peer = open->peer_pdcid;
	m->active_ns = now;
	m->close_at = UET_NEVER;
	m->rx.ack_at = UET_NEVER;
	m->tx.una_reported = 1;
	m->tx.una = 1;
	m->tx.nxt = 1;
	m->tx.write_seq = 1;
	m->tx.mpr = cfg->default_mpr * SPEC_MPR_UNIT;
	model_start_init(m, now);
}

/**
 * model_fini() - free the memory of a model
 * @m: model
 */
void model_fini(struct model *m)
{
	free(m->rx.in);
	free(m->tx.out);
}

/**
 * model_psn() - convert a packet number to a PSN
 * @m: model
 * @nr: packet number
 *
 * Return: the PSN.
 */
u32 model_psn(const struct model *m, s64 nr)
{
	return (u32)(m->open.start_psn - 1 + nr);
}

/**
 * model_nr() - convert a PSN to a packet number
 * @m: model
 * @psn: PSN
 * @near: a packet number less than 2^31 away
 *
 * Return: the packet number closest to @near that has this PSN.
 */
s64 model_nr(const struct model *m, u32 psn, s64 near)
{
	return near + (s32)(psn - model_psn(m, near));
}

static enum uet_pdc_state model_state_initiator(const struct model *m)
{
	if (!m->peer)
		return UET_PDC_ST_SYN_SENT;
	if (m->close_nr)
		return UET_PDC_ST_CLOSE_ACK_WAIT;
	if (m->is_drained)
		return UET_PDC_ST_ACK_WAIT;
	return m->is_closing ? UET_PDC_ST_QUIESCE : UET_PDC_ST_ESTABLISHED;
}

static enum uet_pdc_state model_state_target(const struct model *m)
{
	if (m->is_pending)
		return UET_PDC_ST_PENDING;
	if (m->is_closing)
		return UET_PDC_ST_CLOSE_WAIT;
	return m->heard_nosyn ? UET_PDC_ST_ESTABLISHED :
				UET_PDC_ST_NEW_ESTABLISHED;
}

/**
 * model_state() - derive the PDC state from past events
 * @m: model
 *
 * Return: the state of 3.5.9.
 */
enum uet_pdc_state model_state(const struct model *m)
{
	if (m->over)
		return m->error ? UET_PDC_ST_ERROR : UET_PDC_ST_CLOSED;
	return m->open.role == UET_PDC_INITIATOR ? model_state_initiator(m) :
						   model_state_target(m);
}

/**
 * model_takes_requests() - may the peer send requests and control packets?
 * @m: model
 *
 * Return: true unless the PDC has ended, or is an initiator without an answer yet.  A
 *	target may be PENDING: see model_start_rx().
 */
bool model_takes_requests(const struct model *m)
{
	return !m->over && m->peer;
}

static bool model_takes_messages(const struct model *m)
{
	return !m->over && !m->is_pending && !m->late_close && !m->is_closing;
}

/**
 * model_finish() - end the PDC without error
 * @m: model
 *
 * Answers that must be sent at once are still sent.
 */
void model_finish(struct model *m)
{
	m->over = true;
	m->close_at = UET_NEVER;
	m->new_at = UET_NEVER;
	m->rx.ack_at = UET_NEVER;
}

/**
 * model_fail() - end the PDC in error
 * @m: model
 * @error: reason
 * @nack_code: NACK code that caused the error, or 0
 */
void model_fail(struct model *m, enum uet_pdc_error error, u8 nack_code)
{
	s64 nr;

	if (m->over)
		return;
	model_finish(m);
	m->error = error;
	m->nack_code = nack_code;
	for (nr = 1; nr <= m->rx.end; nr++)
		m->rx.in[nr].pending = false;
	m->rx.nr_nacks = 0;
	m->rx.ack_now = false;
	m->rx.probed = false;
	model_raise_cack(m);
}

/**
 * model_fail_nack() - end the PDC in error and NACK the peer
 * @m: model
 * @error: reason
 */
void model_fail_nack(struct model *m, enum uet_pdc_error error)
{
	struct model_nack nack = {
		.psn = model_psn(m, model_rx_base(m)),
		.code = UET_NACK_CLOSING_IN_ERR,
		.any_ev = true,
	};

	model_fail(m, error, 0);
	model_pend_nack(m, &nack);
}

/**
 * model_learn() - store the PDCID of the peer, carried by an answer
 * @m: model
 * @spdcid: PDCID of the peer
 */
void model_learn(struct model *m, u16 spdcid)
{
	if (m->peer || m->over)
		return;
	m->peer = spdcid;
	m->tx.opens = 0;
	m->is_closing = m->late_close;
}

/**
 * model_ask_close() - start to close, on request of the owner or because of idleness
 * @m: model
 * @now: time, ns
 *
 * Return: false if the PDC has ended already.
 */
bool model_ask_close(struct model *m, u64 now)
{
	static const struct uet_pds_pkt none;

	if (m->over)
		return false;
	if (m->is_pending) {
		model_finish(m);
		return true;
	}
	if (!m->peer) {
		m->late_close = true;
		return true;
	}
	if (m->open.role == UET_PDC_TARGET && !m->is_closing) {
		if (model_has_space(m))
			model_tx_add(m, &none, UET_CP_CLOSE_REQUEST, now);
		m->close_at = now + m->cfg.close_req_ns;
	}
	m->is_closing = true;
	return true;
}

/**
 * model_close() - apply a call of uet_pdc_close()
 * @m: model
 * @now: time, ns
 */
void model_close(struct model *m, u64 now)
{
	if (model_ask_close(m, now))
		m->will_close = true;
}

/**
 * model_hold() - apply a call of uet_pdc_hold()
 * @m: model
 * @held: SES has work
 * @now: time, ns
 */
void model_hold(struct model *m, bool held, u64 now)
{
	if (m->held && !held)
		m->active_ns = now;
	m->held = held;
}

/**
 * model_close_later() - restart the close timer of a target after a sign of its peer
 * @m: model
 * @now: time, ns
 */
void model_close_later(struct model *m, u64 now)
{
	u64 wait = m->cfg.close_req_ns;

	if (m->close_at == UET_NEVER)
		return;
	if (m->tx.una == m->tx.write_seq)
		wait = max(wait, m->cfg.target_idle_ns);
	m->close_at = now + wait;
}

/* The coalesced ACK that waits is pending now. */
static void model_pend_delayed(struct model *m)
{
	m->rx.ack_now = true;
	m->rx.ack_at = UET_NEVER;
	m->rx.gen = 0;
}

/**
 * model_close_step() - let an initiator with a pending close proceed when it can
 * @m: model; the PDC is polled and has no pending answer
 * @now: time, ns
 */
void model_close_step(struct model *m, u64 now)
{
	static const struct uet_pds_pkt none;
	bool reported = m->tx.una_reported == m->tx.write_seq;

	if (m->over || m->open.role != UET_PDC_INITIATOR || m->held)
		return;
	if (!m->peer) {
		if (m->late_close && m->tx.write_seq == 1)
			model_finish(m);
		return;
	}
	if (!m->is_closing || m->close_nr)
		return;
	if (reported) {
		m->close_nr = model_tx_add(m, &none, UET_CP_CLOSE_COMMAND,
					   now);
		/* 3.5.8.3: the target must not have return packets outstanding. */
		if (m->rx.ack_at != UET_NEVER)
			model_pend_delayed(m);
	} else if (m->will_close && m->tx.nxt == m->tx.write_seq)
		m->is_drained = true;
}

static u64 model_idle_at(const struct model *m)
{
	u64 idle_ns = m->open.role == UET_PDC_INITIATOR ? m->cfg.idle_ns :
						 m->cfg.target_idle_ns;

	/* The initiator may retransmit for so long. */
	if (m->open.role == UET_PDC_TARGET && idle_ns && m->cfg.peer_timeout_ns)
		idle_ns = max(idle_ns, m->cfg.peer_timeout_ns +
					       2 * m->cfg.rto_max_ns);
	if (m->over || !idle_ns || m->tx.una != m->tx.write_seq)
		return UET_NEVER;
	return m->active_ns + idle_ns;
}

/**
 * model_deadline() - latest permitted deadline of the PDC
 * @m: model
 *
 * Return: time, ns; UET_NEVER if no deadline is needed.
 */
u64 model_deadline(const struct model *m)
{
	if (m->over)
		return UET_NEVER;
	return min(min3(m->rx.ack_at, m->close_at, model_idle_at(m)),
		   m->new_at);
}

static void model_idle(struct model *m, u64 now)
{
	static const struct uet_pds_pkt none;

	m->active_ns = now;
	if (!m->held)
		model_ask_close(m, now);
	else if (m->peer && model_may_send(m) && model_has_space(m))
		model_tx_add(m, &none, UET_CP_NOOP, now);
}

/**
 * model_tick() - apply the passage of time
 * @m: model
 * @now: time, ns
 * @timed_out: the PDC gave up a packet; the model knows only the earliest time for that
 */
void model_tick(struct model *m, u64 now, bool timed_out)
{
	if (m->over)
		return;
	if (m->rx.ack_at <= now)
		model_pend_delayed(m);
	if (timed_out) {
		MODEL_RULE(m, model_may_time_out(m, now),
			   "it gave up before all retries were over");
		model_fail(m, UET_PDC_ERR_TIMEOUT, 0);
	}
	model_start_tick(m, now);
	if (m->close_at <= now)
		model_fail_nack(m, UET_PDC_ERR_TIMEOUT);
	if (model_idle_at(m) <= now)
		model_idle(m, now);
}

static void model_compare_stats(const struct model *m,
				const struct uet_pdc_stats *real)
{
	const struct uet_pdc_stats *want = &m->stats;

	MODEL_EQ(m, "tx_req", real->tx_req, want->tx_req);
	MODEL_EQ(m, "tx_retx", real->tx_retx, want->tx_retx);
	MODEL_EQ(m, "tx_ack", real->tx_ack, want->tx_ack);
	MODEL_EQ(m, "tx_nack", real->tx_nack, want->tx_nack);
	MODEL_EQ(m, "tx_cp", real->tx_cp, want->tx_cp);
	MODEL_EQ(m, "rx_req", real->rx_req, want->rx_req);
	MODEL_EQ(m, "rx_dup", real->rx_dup, want->rx_dup);
	MODEL_EQ(m, "rx_ooo", real->rx_ooo, want->rx_ooo);
	MODEL_EQ(m, "rx_ack", real->rx_ack, want->rx_ack);
	MODEL_EQ(m, "rx_nack", real->rx_nack, want->rx_nack);
	MODEL_EQ(m, "rx_cp", real->rx_cp, want->rx_cp);
	MODEL_EQ(m, "nack_overflow", real->nack_overflow, want->nack_overflow);
	MODEL_EQ(m, "start_expired", real->start_expired, want->start_expired);
}

static u32 model_inflight_max(const struct model *m)
{
	u32 n = 0;
	s64 nr;

	for (nr = m->tx.una; nr < m->tx.nxt; nr++)
		n += !m->tx.out[nr].has && !m->tx.out[nr].answered;
	return n;
}

/**
 * model_compare() - compare a snapshot of the PDC with the model
 * @m: model
 * @pdc: the PDC
 */
void model_compare(const struct model *m, const struct uet_pdc *pdc)
{
	struct uet_pdc_info info;

	uet_pdc_get_info(pdc, &info);
	if (info.state != model_state(m))
		model_diverged(m, "its state is %s",
			       uet_pdc_state_name(info.state));
	MODEL_EQ(m, "error", info.error, m->error);
	MODEL_EQ(m, "peer_pdcid", info.peer_pdcid, m->peer);
	MODEL_EQ(m, "start_psn", info.start_psn, m->open.start_psn);
	MODEL_EQ(m, "next_psn", info.next_psn, model_psn(m, m->tx.write_seq));
	MODEL_EQ(m, "rx_cack_psn", info.rx_cack_psn, model_psn(m, m->rx.cack));
	MODEL_EQ(m, "takes_messages", uet_pdc_takes_messages(pdc),
		 model_takes_messages(m));
	MODEL_EQ(m, "tx_space", uet_pdc_tx_space(pdc),
		 model_may_send(m) && model_has_space(m));
	MODEL_EQ(m, "is_dead", uet_pdc_is_dead(pdc),
		 m->over && !model_has_answer(m));
	MODEL_EQ(m, "peer_mpr_pkts", info.peer_mpr_pkts, m->tx.mpr);
	model_compare_stats(m, &info.stats);
	if (m->over)
		return;
	MODEL_EQ(m, "tx_base_psn", info.tx_base_psn, model_psn(m, m->tx.una));
	MODEL_EQ(m, "clear_psn", info.clear_psn,
		 model_psn(m, m->tx.una - 1));
	MODEL_RULE(m, info.inflight_pkts <= model_inflight_max(m),
		   "%u packets in flight, %u are unanswered",
		   info.inflight_pkts, model_inflight_max(m));
}
