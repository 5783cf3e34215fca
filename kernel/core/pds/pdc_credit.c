// SPDX-License-Identifier: GPL-2.0
/*
 * Credit as it crosses the wire.  A source whose context needs leave of the
 * destination says in each request how much it would like to have, or asks when it
 * may send none; the destination says how much it has.  Who gets how much the pacer
 * decides, which is the owner's: the destination's PDC hands it what it demand, and
 * sends what it is told.  Credit is cumulative, so of several values the latest is
 * enough, and one that is lost costs nothing but time.
 *
 * Implements UE 1.0.1 3.6.14 and Credit, Credit Request of 3.5.16.  Level: core L4.
 */
#include "pdc.h"
#include "pdc_cc.h"

/**
 * uet_pdc_credit_rx_target() - a packet tells what its source would like to have
 * @pdc: PDC at the destination, which the packet belongs to
 * @hdr: header of a request; nothing happens unless it has the field
 * @was_trimmed: only the header came
 *
 * It need not be new: one that was trimmed, or had no space, asks as well.
 *
 * Context: Any; the caller serialises per @pdc.
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

/**
 * uet_pdc_credit_rx_request() - a Credit Request arrived
 * @pdc: PDC
 * @payload: of the control packet
 *
 * Context: Any; the caller serialises per @pdc.
 * Return: UET_DROP_NONE; UNSUPPORTED if nobody here paces.
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
 * uet_pdc_poll_demand() - take what the source of a PDC would like to have
 * @pdc: PDC of an owner that paces credit
 * @demand: result
 *
 * To be called after each packet that arrived, and told the pacer.
 *
 * Context: Any; the caller serialises per @pdc.
 * Return: false if it said nothing since the last call.
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
 * uet_pdc_grant_credit() - the source of a PDC is to be told its credit
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

/**
 * uet_pdc_credit_poll() - send Credit or a Credit Request, if one is owed
 * @pdc: PDC, not over, with no request to send
 * @tx: result, zeroed by the caller
 * @now: monotonic time, ns
 *
 * Neither is of use to a peer that has not answered yet.
 *
 * Context: Any; the caller serialises per @pdc.
 * Return: false if none is owed; @tx is unchanged then.
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
