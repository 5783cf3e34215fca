// SPDX-License-Identifier: GPL-2.0
/*
 * Responses stored until the peer clears them: space for another response, and
 * recovery from a lost clear.  CACK_PSN stays below the first stored response.
 * A lost CLEAR_PSN therefore keeps the peer's window small and the response in
 * memory; on an idle PDC this would last for ever.  pdc_rx.c stores and clears
 * the responses.
 *
 * Implements UE 1.0.1 3.5.11.4 (guaranteed delivery), 3.5.16.3 (CLEAR_REQUEST,
 * requesting side) and PDS_Clear_Time of Table 3-28.  Level: core L4.
 */
#include "pdc.h"

/* A response can be cleared only if no PSN below it is missing. */
static bool gtd_can_be_cleared(const struct uet_pdc_rxh *rx)
{
	return rx->base != rx->cack + 1 &&
	       uet_psn_map_test(&rx->gtd, rx->cack + 1);
}

/*
 * Is there space for the response to a new request?
 * @psn: PSN of the request, new and in the window
 *
 * The last place is reserved for the first missing PSN: until this PSN is
 * received, no response behind it can be cleared.
 *
 * Return: false if a guaranteed response might find no space.
 * Spec: UE 1.0.1 3.5.12.7 (NO_GTD_DEL_AVAIL).
 */
bool uet_pdc_gtd_has_space(const struct uet_pdc *pdc, u32 psn)
{
	const struct uet_pdc_rxh *rx = &pdc->rx;
	u16 max = pdc->cfg->max_gtd;

	if (!max || max == pdc->cfg->window)
		return true;
	return rx->nr_gtd + (psn != rx->base) < max;
}

/*
 * Restart or stop PDS_Clear_Time after a packet or a clear.
 *
 * PDS_Clear_Time runs while a response waits for its clear, and restarts with
 * each response that is cleared.
 */
void uet_pdc_gtd_watch(struct uet_pdc *pdc, u64 now)
{
	struct uet_pdc_rxh *rx = &pdc->rx;
	bool waits = gtd_can_be_cleared(rx);

	if (rx->gtd_waits == waits && (!waits || rx->gtd_psn == rx->cack + 1))
		return;
	rx->gtd_waits = waits;
	rx->gtd_psn = rx->cack + 1;
	rx->gtd_requests = 0;
	rx->gtd_request_pending = false;
	rx->gtd_at = waits && pdc->cfg->clear_ns ? now + pdc->cfg->clear_ns :
						  UET_NEVER;
}

/*
 * PDS_Clear_Time ran out: make a CLEAR_REQUEST pending.
 * Spec: UE 1.0.1 3.5.16.3.
 */
void uet_pdc_gtd_fire(struct uet_pdc *pdc)
{
	pdc->rx.gtd_request_pending = true;
	pdc->rx.gtd_at = UET_NEVER;
}

/*
 * Build the pending CLEAR_REQUEST.
 *
 * The number of CLEAR_REQUESTs is limited as the retransmissions of a packet
 * are (Max_RTO_Retx_Cnt), at doubling intervals.  A peer that does not react
 * has not received the response, and retransmits its request.
 *
 * Return: false if none is pending; @tx is unchanged then.
 * Spec: UE 1.0.1 Table 3-38.
 */
bool uet_pdc_gtd_poll(struct uet_pdc *pdc, struct uet_pdc_tx *tx, u64 now)
{
	struct uet_pdc_rxh *rx = &pdc->rx;

	if (!rx->gtd_request_pending)
		return false;
	rx->gtd_request_pending = false;
	if (++rx->gtd_requests < pdc->cfg->max_rto_retx)
		rx->gtd_at = now + (pdc->cfg->clear_ns << rx->gtd_requests);
	uet_pdc_cp_build(pdc, tx, UET_CP_CLEAR_REQUEST, 0);
	tx->hdr.u.cp.payload = rx->gtd_psn;
	pdc->stats.tx_cp++;
	return true;
}

/**
 * uet_pdc_max_ack_data() - how many bytes of a read does an ACK carry?
 * @pdc: PDC
 *
 * Return: bytes, 0 to UET_PDC_ACK_DATA_MAX.
 * Spec: UE 1.0.1 Table 3-28 (Max_ACK_Data_Size).
 */
u32 uet_pdc_max_ack_data(const struct uet_pdc *pdc)
{
	return pdc->cfg->max_ack_data;
}
