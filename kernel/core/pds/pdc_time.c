// SPDX-License-Identifier: GPL-2.0
/*
 * The timers of a PDC: one deadline for the single timer of the owner, and the actions when it
 * passes.  Each timer is kept where it is started, and this file combines them.
 *
 * Implements UE 1.0.1 Close_REQ_Time of 3.5.8.3, the idle close of 3.5.9, New_PDC_Time and
 * Tail_Loss_Time of Table 3-28.  Level: core L4.
 */
#include "pdc.h"

/*
 * A target whose initiator may retransmit must know the PDC for as long: a fault of the
 * network would otherwise cost the messages after all.
 */
static u64 time_idle_ns(const struct uet_pdc *pdc)
{
	if (pdc->role == UET_PDC_INITIATOR)
		return pdc->cfg->idle_ns;
	if (!pdc->cfg->target_idle_ns || !pdc->cfg->peer_timeout_ns)
		return pdc->cfg->target_idle_ns;
	return max(pdc->cfg->target_idle_ns, pdc->cfg->peer_timeout_ns + 2 * pdc->cfg->rto_max_ns);
}

static u64 time_idle_at(const struct uet_pdc *pdc)
{
	u64 idle_ns = time_idle_ns(pdc);

	if (!idle_ns || pdc->tx.una != pdc->tx.write_seq || !uet_pdc_allows(pdc, UET_PDC_EV_CLOSE))
		return UET_NEVER;
	return pdc->active_ns + idle_ns;
}

/*
 * A message in progress keeps the PDC open.  A NOOP shows the peer that this end is alive;
 * otherwise the target would request a close that cannot be granted.  The NOOP also detects
 * a peer that is gone.
 */
static void time_idle(struct uet_pdc *pdc, u64 now)
{
	pdc->active_ns = now;
	if (!pdc->tx.has_work)
		uet_pdc_event(pdc, UET_PDC_EV_CLOSE, now);
	else if (pdc->peer_pdcid && uet_pdc_allows(pdc, UET_PDC_EV_TX))
		uet_pdc_tx_add_cp(pdc, UET_CP_NOOP, now);
}

/* UE 1.0.1 3.5.15: at most Max_Tail_Loss_Retx Probes without progress of the peer. */
static void time_probe(struct uet_pdc *pdc)
{
	struct uet_pdc_tail *tail = &pdc->tx.tail;

	tail->at = UET_NEVER;
	if (!pdc->tx.nr_sent)
		return;
	tail->wanted = true;
	tail->cnt++;
}

/*
 * uet_pdc_deadline() - when must uet_pdc_tick() be called?
 *
 * Return: ns, possibly in the past; UET_NEVER if no timer is pending.
 */
u64 uet_pdc_deadline(const struct uet_pdc *pdc)
{
	u64 at;

	if (uet_pdc_is_over(pdc))
		return UET_NEVER;
	at = min3(pdc->rx.ack_at, pdc->tx.rto_at, pdc->tx.reorder_at);
	at = min3(at, pdc->orphan_at, pdc->tx.backoff_at);
	at = min3(at, pdc->close_at, time_idle_at(pdc));
	at = min3(at, pdc->tx.tail.at, pdc->rx.gtd_at);
	at = min(at, pdc->new_at);
	/* A PDC that waits for its context polls it for control packets. */
	if (pdc->cc.waits && pdc->peer_pdcid)
		at = min(at, uet_pdc_cc_deadline(pdc));
	return pdc->tx.pause.until ? min(at, pdc->tx.pause.until) : at;
}

/*
 * uet_pdc_tick() - run the timers that are due; may be called at any time
 */
void uet_pdc_tick(struct uet_pdc *pdc, u64 now)
{
	if (uet_pdc_is_over(pdc))
		return;
	if (pdc->orphan_at <= now) {
		uet_pdc_abort(pdc, now);
		return;
	}
	if (pdc->rx.ack_at <= now)
		uet_pdc_pend_delayed(pdc);
	uet_pdc_pause_step(pdc, now);
	uet_pdc_backoff_step(pdc, now);
	if (pdc->tx.reorder_at <= now)
		uet_pdc_loss_detect(pdc, now);
	if (pdc->tx.tail.at <= now)
		time_probe(pdc);
	if (pdc->tx.rto_at <= now)
		uet_pdc_rto_fire(pdc, now);
	if (pdc->new_at <= now)
		pdc->stats.start_expired += uet_pdc_event(pdc, UET_PDC_EV_NEW_TIME, now);
	if (pdc->rx.gtd_at <= now) {
		pdc->rx.gtd_request_pending = true;
		pdc->rx.gtd_at = UET_NEVER;
	}
	if (pdc->close_at <= now) {
		/* UE 1.0.1 3.5.8.3: no packet of the peer in Close_REQ_Time. */
		pdc->error = UET_PDC_ERR_TIMEOUT;
		pdc->nack_code = 0;
		uet_pdc_event(pdc, UET_PDC_EV_CLOSE_TIME, now);
	}
	if (time_idle_at(pdc) <= now)
		time_idle(pdc, now);
}
