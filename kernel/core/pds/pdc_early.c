// SPDX-License-Identifier: GPL-2.0
/*
 * Early requests: requests of a ROD PDC that arrive before an earlier one.  A NACK
 * reports the gap, once.  The owner may keep an early request until those before it have
 * arrived: then its PSN is reported as received, and the sender retransmits what is
 * missing only.  A request that is not kept is lost, and the sender goes back to it.
 *
 * In the bitmap of received PSNs, the PSNs of early requests are those behind
 * uet_pdc_rxh.base.
 *
 * Implements UE 1.0.1 3.5.21.  Level: core L4.
 */
#include "pdc.h"
#include "pdc_early.h"

/*
 * Is the request with a PSN kept until those before it arrive?
 * Return: true if so.
 */
bool uet_pdc_early_has(const struct uet_pdc *pdc, u32 psn)
{
	const struct uet_pdc_rxh *rx = &pdc->rx;

	return pdc->mode == UET_PDC_ROD && !uet_psn_before(psn, rx->base) &&
	       uet_pdc_rx_has(pdc, psn);
}

/*
 * One NACK for each gap, and another one when a retransmission behind it shows that the
 * sender has gone back, and that the expected packet was lost again.  If the NACK is lost,
 * the sender has the SACK, and its RTO.
 */
static void early_report_gap(struct uet_pdc *pdc, const struct uet_pdc_echo *echo)
{
	struct uet_pdc_rxh *rx = &pdc->rx;
	bool is_known = rx->ooo_base == rx->base &&
			(!echo->retx || uet_psn_after(echo->psn, rx->ooo_psn));

	rx->ooo_psn = !is_known || echo->retx ? echo->psn :
		      uet_psn_later(rx->ooo_psn, echo->psn);
	rx->ooo_base = rx->base;
	if (!is_known)
		uet_pdc_pend_nack(pdc, echo, UET_NACK_ROD_OOO, rx->base);
}

/*
 * A packet of a ROD PDC arrived before an earlier one.
 * @echo: the packet, inside the receive window
 *
 * Spec: UE 1.0.1 3.5.21.
 */
void uet_pdc_early_arrived(struct uet_pdc *pdc, const struct uet_pdc_echo *echo)
{
	pdc->stats.rx_ooo++;
	early_report_gap(pdc, echo);
}

/* An early request that is kept arrived again. */
void uet_pdc_early_again(struct uet_pdc *pdc, const struct uet_pdc_echo *echo)
{
	uet_pdc_pend_sack(pdc, echo);
	early_report_gap(pdc, echo);
}

/**
 * uet_pdc_early_keep() - the owner keeps a request that arrived early
 * @pdc: PDC whose uet_pdc_rx_req() just returned UET_DROP_ROD_OOO
 * @hdr: header passed to uet_pdc_rx_req()
 * @in: reception attributes passed to uet_pdc_rx_req()
 * @now: monotonic time, ns
 *
 * The owner keeps the packet until uet_pdc_early_is_due(), or until the PDC is over.  At
 * most one packet for each PSN of the window is kept.
 *
 * Context: Any; the caller serialises per @pdc, and runs the run loop next.
 * Spec: UE 1.0.1 3.5.21; the SACK reports a kept request as received.
 */
void uet_pdc_early_keep(struct uet_pdc *pdc, const struct uet_pds_hdr *hdr,
			const struct uet_rx_info *in, u64 now)
{
	struct uet_pdc_echo echo = uet_pdc_echo_of(hdr, in, now);
	struct uet_pdc_rxh *rx = &pdc->rx;
	bool is_first = !rx->nr_ooo;

	UET_ASSERT(pdc->mode == UET_PDC_ROD &&
		   uet_psn_within(echo.psn, rx->base + 1,
				  rx->cack + 1 + pdc->cfg->window));
	if (!uet_psn_map_set(&rx->rcvd, echo.psn))
		return;
	rx->nr_ooo++;
	rx->end = uet_psn_later(rx->end, echo.psn + 1);
	uet_pdc_rx_count(pdc, in);
	if (is_first || (in->ce && pdc->cfg->ack_on_ecn) ||
	    pdc->cfg->ack_per_pkt || rx->ack_gen >= pdc->cfg->ack_gen_trigger)
		uet_pdc_pend_sack(pdc, &echo);
	else
		uet_pdc_pend_sack_delayed(pdc, &echo, now);
}

/**
 * uet_pdc_early_is_due() - is the request that is expected next kept?
 * @pdc: PDC
 *
 * The owner asks after each packet that it passed to the PDC, and takes all requests that
 * are due before it runs the run loop.
 *
 * Return: true if the owner is to pass the request with the lowest PSN that it keeps to
 *	uet_pdc_early_take(), and then to uet_pdc_rx_req().
 */
bool uet_pdc_early_is_due(const struct uet_pdc *pdc)
{
	return pdc->rx.nr_ooo && uet_pdc_early_has(pdc, pdc->rx.base) &&
	       !uet_pdc_is_over(pdc);
}

/**
 * uet_pdc_early_take() - a kept request is passed to uet_pdc_rx_req() now
 * @pdc: PDC of which uet_pdc_early_is_due()
 * @in: reception attributes passed to uet_pdc_early_keep(); changed, because bytes and
 *	the mark of congestion are reported already
 *
 * If the request is refused, its sender is told by a NACK as ever, and sends it again.
 */
void uet_pdc_early_take(struct uet_pdc *pdc, struct uet_rx_info *in)
{
	struct uet_pdc_rxh *rx = &pdc->rx;

	UET_ASSERT(uet_pdc_early_is_due(pdc));
	uet_psn_map_clear(&rx->rcvd, rx->base);
	rx->nr_ooo--;
	in->bytes = 0;
	in->ce = false;
}
