// SPDX-License-Identifier: GPL-2.0
/*
 * Answers to RUDI requests.  A response to any transmission of a request ends
 * it, as its operation may be executed any number of times; a NACK sends it
 * again, lets it wait, or ends it.  An answer to a request that is not
 * outstanding changes nothing.
 *
 * Implements UE 1.0.1 3.5.10.9, 3.5.12.7 and Tables 3-58 and 3-59 for NACKs
 * with NT, and the sampling rule of 3.5.12.2.  Level: core L4.
 */
#include "rudi_req.h"

/* The request an answer is for: was sent, has no answer yet; or NULL. */
static struct uet_rudi_slot *rrx_find(struct uet_rudi_peer *rudi, u32 id)
{
	struct uet_rudi_slot *slot = uet_rudi_slot(rudi, id);

	if (slot->id != id)
		return NULL;
	switch (slot->state) {
	case UET_RUDI_AGAIN:
	case UET_RUDI_SENT:
	case UET_RUDI_HELD:
		return slot;
	default:
		return NULL;
	}
}

/*
 * Karn's rule as 3.5.12.2 has it for a PDC: which transmission was answered is
 * known if there was one, and the answer says so, or two, and it answers the
 * second.
 */
static void rrx_sample_rtt(struct uet_rudi_peer *rudi,
			   const struct uet_rudi_slot *slot, bool retx, u64 now)
{
	if (slot->state == UET_RUDI_SENT && slot->sends == 1 + retx)
		uet_rtt_sample(&rudi->rtt, now - slot->since_ns);
}

/**
 * uet_rudi_rx_resp() - a RUDI_RESP arrived
 * @rudi: requests to the peer it came from
 * @hdr: its decoded header
 * @rsp: its SES response, in any form
 * @now: monotonic time, ns
 * @pkt: result: the request it answers, for a caller that has to put the data
 *	behind the response somewhere; unchanged if the response is dropped
 *
 * The outcome is reported by uet_rudi_poll_up().  To be followed by the run
 * loop.
 *
 * Context: Any; the caller serialises per @rudi.
 * Return: UET_DROP_NONE, or BAD_RUDI_ID: no such request is outstanding, as
 *	after another copy of the response, and nothing has changed.
 * Spec: UE 1.0.1 3.5.10.9.
 */
enum uet_drop uet_rudi_rx_resp(struct uet_rudi_peer *rudi,
			       const struct uet_pds_hdr *hdr,
			       const struct uet_ses_rsp *rsp, u64 now,
			       struct uet_pds_pkt *pkt)
{
	struct uet_rudi_slot *slot = rrx_find(rudi, hdr->u.rudi.pkt_id);

	if (!slot)
		return UET_DROP_BAD_RUDI_ID;
	rudi->stats.rx_resp++;
	rrx_sample_rtt(rudi, slot, hdr->flags & UET_F_RETX, now);
	slot->rsp = *rsp;
	*pkt = slot->pkt;
	uet_rudi_move(rudi, slot, UET_RUDI_DONE);
	return UET_DROP_NONE;
}

/*
 * The transmission did not help.  A packet lost once goes again at once; if
 * that is lost, too, or there is no space for it, it waits.  A NACK of an
 * earlier transmission than the latest costs nothing: the request is under way
 * again.  From the third on RETX does not tell them apart, and a late copy of a
 * NACK may cost one transmission more.
 */
static void rrx_refused(struct uet_rudi_peer *rudi, struct uet_rudi_slot *slot,
			const struct uet_pds_hdr *hdr, bool pause, u64 now)
{
	bool retx = hdr->flags & UET_F_RETX;

	if (slot->state != UET_RUDI_SENT || (slot->sends > 1) != retx)
		return;
	if (slot->nacks < U8_MAX)
		slot->nacks++;
	if (rudi->cfg.max_nack_retx != UET_PDC_NACK_RETX_FOREVER &&
	    slot->nacks > rudi->cfg.max_nack_retx) {
		uet_rudi_fail(rudi, slot, UET_PDC_ERR_NACK_RETX,
			      hdr->u.nack.code);
		return;
	}
	if (pause || slot->nacks > 1) {
		rudi->stats.held++;
		slot->since_ns = now;
		uet_rudi_move(rudi, slot, UET_RUDI_HELD);
		return;
	}
	rudi->stats.nack_lost++;
	uet_rudi_move(rudi, slot, UET_RUDI_AGAIN);
}

/**
 * uet_rudi_rx_nack() - a NACK or NACK_CCX with NT arrived
 * @rudi: requests to the peer it came from
 * @hdr: its decoded header
 * @now: monotonic time, ns
 *
 * To be followed by the run loop.
 *
 * Context: Any; the caller serialises per @rudi.
 * Return: UET_DROP_NONE, or why it changed nothing: BAD_NACK_ID (no such
 *	request is outstanding, or the NACK is one of a PDC), UNSUPPORTED (a
 *	reserved code, or NEW_START_PSN).
 * Spec: UE 1.0.1 3.5.12.7, Tables 3-58 and 3-59.
 */
enum uet_drop uet_rudi_rx_nack(struct uet_rudi_peer *rudi,
			       const struct uet_pds_hdr *hdr, u64 now)
{
	const struct uet_nack *nack = &hdr->u.nack;
	struct uet_rudi_slot *slot = rrx_find(rudi, nack->psn);
	enum uet_nack_action action = uet_wire_nack(nack->code)->rudi;

	if (!slot || !(hdr->flags & UET_F_NT))
		return UET_DROP_BAD_NACK_ID;
	if (action == UET_NA_UNKNOWN)
		return UET_DROP_UNSUPPORTED;
	rudi->stats.rx_nack++;
	if (action == UET_NA_FATAL)
		uet_rudi_fail(rudi, slot, UET_PDC_ERR_NACK, nack->code);
	else if (action != UET_NA_IGNORE)
		rrx_refused(rudi, slot, hdr, action == UET_NA_PAUSE, now);
	return UET_DROP_NONE;
}
