// SPDX-License-Identifier: GPL-2.0
/*
 * Creation and closing of a PDC: its parameters, the close request, and the steps from
 * there to CLOSE_COMMAND.  pdc_sm.c has the states and the events they allow.
 *
 * Implements UE 1.0.1 3.5.8.3 (close) and Table 3-28 (parameters). Level: core L4.
 */
#include "pdc.h"
#include "pdc_cc.h"
#include "pdc_param.h"

/* PSNs kept for messages that were begun, if PSNs end at all. */
#define LIFE_PSN_RESERVE	(1U << 30)

/**
 * uet_pdc_size() - memory of one PDC without its window
 *
 * Return: bytes; the block needs the alignment of a pointer or u64.
 */
size_t uet_pdc_size(void)
{
	return sizeof(struct uet_pdc);
}

/*
 * Are these parameters valid?
 * Return: 0, or -EINVAL if a parameter is outside the limits of pdc_param.def,
 *	or above another parameter that is its maximum.
 * Spec: UE 1.0.1 Table 3-28.
 */
int uet_pdc_cfg_check(const struct uet_pdc_cfg *cfg)
{
	struct uet_pdc_cfg copy = *cfg;
	enum uet_pdc_param param;

	for (param = 0; param < UET_PDC_P_NR; param++) {
		if (uet_pdc_param_set(&copy, param,
				      uet_pdc_param_get(cfg, param)))
			return -EINVAL;
	}
	return uet_pdc_param_order(cfg) ? -EINVAL : 0;
}

/**
 * uet_pdc_init() - open one end of a PDC
 * @pdc: uet_pdc_size() bytes, any contents
 * @cfg: parameters that passed uet_pdc_cfg_check(); they outlive the PDC, unchanged
 * @open: identity; not kept
 * @now: monotonic time, ns
 *
 * The PDC has no window yet: see uet_pdc_window_lend().
 *
 * An initiator sends its first packet with SYN as soon as SES hands one down.
 * For a target, the caller passes the SYN packet to uet_pdc_rx_req() next.
 *
 * Spec: UE 1.0.1 3.5.8.2.
 */
void uet_pdc_init(struct uet_pdc *pdc, const struct uet_pdc_cfg *cfg,
		  const struct uet_pdc_open *open, u64 now)
{
	memset(pdc, 0, sizeof(*pdc));
	pdc->cfg = cfg;
	pdc->role = open->role;
	pdc->mode = open->mode;
	pdc->local_pdcid = open->local_pdcid;
	pdc->peer_pdcid = open->peer_pdcid;
	pdc->start_psn = open->start_psn;
	pdc->is_reserved = open->is_reserved;
	pdc->is_answer = open->is_answer;
	pdc->credit.paces = open->paces_credit;
	pdc->active_ns = now;
	pdc->opened_ns = now;
	pdc->close_at = UET_NEVER;
	pdc->orphan_at = UET_NEVER;
	if (cfg->has_cc)
		uet_pdc_cc_init(pdc, open);
	uet_ev_init(&pdc->ev, open->seed, open->mode == UET_PDC_RUD);
	uet_pdc_tx_init(pdc);
	uet_pdc_rx_init(pdc);
	uet_pdc_start_init(pdc, open, now);
}

/**
 * uet_pdc_takes_messages() - may SES start a new message on this PDC?
 * @pdc: PDC
 *
 * Return: false once the PDC is closing or over, or a secure PDC has used half
 *	of its PSNs.  Packets of messages in progress are accepted as long as
 *	uet_pdc_tx_space() returns true.
 * Spec: UE 1.0.1 3.5.8.3 (QUIESCE).
 */
bool uet_pdc_takes_messages(const struct uet_pdc *pdc)
{
	return !pdc->close_wanted && uet_pdc_psn_left(pdc) > LIFE_PSN_RESERVE &&
	       (pdc->state == UET_PDC_ST_SYN_SENT ||
		pdc->state == UET_PDC_ST_ESTABLISHED ||
		pdc->state == UET_PDC_ST_NEW_ESTABLISHED);
}

/**
 * uet_pdc_hold() - record whether SES has messages in progress
 * @pdc: PDC
 * @held: SES has unfinished messages
 * @now: monotonic time, ns
 *
 * While held, the PDC does not close, even on request: the message may have
 * bytes that do not exist yet, or wait for a late response.  A held PDC that
 * receives nothing during its idle time sends a NOOP: the NOOP shows the peer
 * that this end is alive, and its answer or time-out shows whether the peer is.
 *
 * Spec: UE 1.0.1 3.5.8.3: QUIESCE lasts until the current message is out.
 */
void uet_pdc_hold(struct uet_pdc *pdc, bool held, u64 now)
{
	if (pdc->tx.has_work && !held)
		pdc->active_ns = now;
	pdc->tx.has_work = held;
}

/**
 * uet_pdc_close() - request an orderly close
 * @pdc: PDC
 * @now: monotonic time, ns
 *
 * An initiator finishes its pending packets, then closes.  A target requests
 * the close from the initiator.  The caller runs the run loop next.
 *
 * Spec: UE 1.0.1 3.5.8.3.
 */
void uet_pdc_close(struct uet_pdc *pdc, u64 now)
{
	if (uet_pdc_event(pdc, UET_PDC_EV_CLOSE, now))
		pdc->will_close = true;
}

/**
 * uet_pdc_close_by() - limit the remaining life of a PDC
 * @pdc: PDC
 * @at: monotonic time, ns; uet_pdc_tick() aborts a PDC that is not over by then
 *
 * A peer that refuses each packet for lack of resources, but answers, would
 * otherwise keep the PDC and its messages alive without limit.
 */
void uet_pdc_close_by(struct uet_pdc *pdc, u64 at)
{
	pdc->orphan_at = at;
}

/**
 * uet_pdc_abort() - close at once, without the peer
 * @pdc: PDC
 * @now: monotonic time, ns
 *
 * Every outstanding packet is reported as failed with UET_PDC_ERR_ABORT.
 * Nothing more is sent; the peer times out.
 */
void uet_pdc_abort(struct uet_pdc *pdc, u64 now)
{
	uet_pdc_fail(pdc, UET_PDC_ERR_ABORT, 0, now);
}

/**
 * uet_pdc_is_dead() - is the PDC finished, with nothing left to send?
 * @pdc: PDC
 *
 * Return: true once the PDC is over and has no pending answer.  The caller
 *	should take what uet_pdc_poll_up() still yields before it frees the
 *	memory.
 */
bool uet_pdc_is_dead(const struct uet_pdc *pdc)
{
	return uet_pdc_is_over(pdc) && !uet_pdc_has_answer(pdc);
}

/*
 * Restart Close_REQ_Time of a target whose peer is active.
 * @pdc: PDC; nothing happens unless Close_REQ_Time runs
 *
 * An initiator that acknowledged CLOSE_REQUEST only has to finish its message.
 * This may take as long as the idle time of the target.
 *
 * Spec: UE 1.0.1 3.5.8.3.
 */
void uet_pdc_close_later(struct uet_pdc *pdc, u64 now)
{
	bool acked = pdc->tx.una == pdc->tx.write_seq;

	if (pdc->close_at == UET_NEVER)
		return;
	pdc->close_at = now + (acked ? max(pdc->cfg->close_req_ns,
					   pdc->cfg->target_idle_ns) :
				       pdc->cfg->close_req_ns);
}

/*
 * Take the next step towards CLOSE_COMMAND if possible.
 *
 * uet_pdc_poll_tx() calls this after SES could hand down its packets: an ACK
 * alone does not close the PDC under a message that waits for window space.
 *
 * Spec: UE 1.0.1 3.5.8.3.
 */
void uet_pdc_close_step(struct uet_pdc *pdc, u64 now)
{
	struct uet_pdc_txh *tx = &pdc->tx;
	u32 used = tx->write_seq - pdc->start_psn;
	bool reported = tx->una_reported == tx->write_seq;

	if (pdc->role != UET_PDC_INITIATOR)
		return;
	if (used >= UET_PDC_PSN_SPAN && pdc->state == UET_PDC_ST_ESTABLISHED)
		uet_pdc_event(pdc, UET_PDC_EV_CLOSE, now);
	if (tx->has_work)
		return;
	if (pdc->close_wanted && !used)
		uet_pdc_event(pdc, UET_PDC_EV_UNUSED, now);
	else if (pdc->state == UET_PDC_ST_QUIESCE && pdc->will_close &&
		 tx->nxt == tx->write_seq && !reported)
		uet_pdc_event(pdc, UET_PDC_EV_DRAINED, now);
	else if (reported)
		uet_pdc_event(pdc, UET_PDC_EV_ALL_ACKED, now);
}
