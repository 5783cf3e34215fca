// SPDX-License-Identifier: GPL-2.0
/*
 * Credit on the wire.  A source whose context needs credit puts its demand into
 * each request, or sends a Credit Request while it may send no request.  The
 * destination grants credit.  The owner's pacer divides the credit among the
 * sources: the destination's PDC passes the demand to the owner, and sends the
 * credit that the owner grants.  Credit is cumulative: the latest of several
 * values is sufficient, and a lost value costs time only.
 *
 * Implements UE 1.0.1 3.6.14 and Credit, Credit Request of 3.5.16.
 * Level: core L4.
 */
#include "pdc.h"
#include "pdc_credit.h"
#include "pdc_cc.h"

/*
 * Take the credit demand from a request.
 * @pdc: PDC at the destination that the request belongs to
 * @hdr: header of a request; nothing happens unless the header has the field
 * @was_trimmed: the request was trimmed: only its header arrived
 *
 * The request need not be new: a request that was trimmed, or found no space,
 * carries a demand as well.
 *
 * Spec: UE 1.0.1 3.6.14.
 */
void uet_pdc_credit_rx_target(struct uet_pdc *pdc,
			      const struct uet_pds_hdr *hdr, bool was_trimmed)
{
	struct uet_pdc_credit *credit = &pdc->credit;

	if (!credit->paces || !uet_wire_ty(hdr->type)->has_cc)
		return;
	credit->demand.target = hdr->u.req.credit_target;
	credit->demand.ccc_id = hdr->u.req.ccc_id;
	credit->demand.was_trimmed |= was_trimmed;
	credit->has_demand = true;
}

/*
 * A Credit Request arrived.
 * @payload: payload field of the control packet
 *
 * Return: UET_DROP_NONE; UNSUPPORTED if the owner does not pace credit.
 * Spec: UE 1.0.1 3.5.16.
 */
enum uet_drop uet_pdc_credit_rx_request(struct uet_pdc *pdc, u32 payload)
{
	struct uet_pdc_credit *credit = &pdc->credit;

	if (!credit->paces)
		return UET_DROP_UNSUPPORTED;
	pdc->stats.rx_credit_req++;
	credit->demand.target = FIELD_GET(UET_CP_PL_TARGET, payload);
	credit->demand.ccc_id = (u8)FIELD_GET(UET_CP_PL_CCC_ID, payload);
	credit->demand.was_requested = true;
	credit->has_demand = true;
	return UET_DROP_NONE;
}

/**
 * uet_pdc_poll_demand() - take the pending credit demand of the source
 * @pdc: PDC of an owner that paces credit
 * @demand: result
 *
 * The owner calls this after each received packet, and passes the demand to its
 * pacer.
 *
 * Return: false if no demand arrived since the last call.
 */
bool uet_pdc_poll_demand(struct uet_pdc *pdc, struct uet_pdc_demand *demand)
{
	struct uet_pdc_credit *credit = &pdc->credit;

	if (!credit->has_demand)
		return false;
	*demand = credit->demand;
	memset(&credit->demand, 0, sizeof(credit->demand));
	credit->has_demand = false;
	return true;
}

/**
 * uet_pdc_grant_credit() - make a Credit to the source pending
 * @pdc: PDC of an owner that paces credit
 * @value: credit, 24 bits
 *
 * Context: Any; the caller serialises per @pdc, and runs the run loop next.
 */
void uet_pdc_grant_credit(struct uet_pdc *pdc, u32 value)
{
	pdc->credit.value = value & UET_CREDIT_MAX;
	pdc->credit.is_pending = true;
}

static bool credit_poll_value(struct uet_pdc *pdc, struct uet_pdc_tx *tx)
{
	if (!pdc->credit.is_pending)
		return false;
	pdc->credit.is_pending = false;
	pdc->stats.tx_credit++;
	uet_pdc_cp_build(pdc, tx, UET_CP_CREDIT, 0);
	tx->hdr.u.cp.payload = FIELD_PREP(UET_CP_PL_CREDIT, pdc->credit.value);
	return true;
}

static bool credit_poll_request(struct uet_pdc *pdc, struct uet_pdc_tx *tx,
				u64 now)
{
	u32 target;

	if (!uet_pdc_cc_wants_credit(pdc, &target, now))
		return false;
	pdc->stats.tx_credit_req++;
	uet_pdc_cp_build(pdc, tx, UET_CP_CREDIT_REQUEST, 0);
	tx->hdr.u.cp.payload = FIELD_PREP(UET_CP_PL_TARGET, target) |
			       FIELD_PREP(UET_CP_PL_CCC_ID, pdc->cc.ccc->id);
	return true;
}

/*
 * Build a pending Credit or Credit Request.
 * @pdc: PDC, not over, with no request to send
 *
 * Nothing is sent before the peer's first answer: the peer's PDCID is unknown.
 *
 * Return: false if none is pending; @tx is unchanged then.
 * Spec: UE 1.0.1 Table 3-38.
 */
bool uet_pdc_credit_poll(struct uet_pdc *pdc, struct uet_pdc_tx *tx, u64 now)
{
	if (!pdc->peer_pdcid || (!credit_poll_value(pdc, tx) &&
				 !credit_poll_request(pdc, tx, now)))
		return false;
	tx->ev = uet_ev_next(&pdc->ev);
	pdc->stats.tx_cp++;
	return true;
}
