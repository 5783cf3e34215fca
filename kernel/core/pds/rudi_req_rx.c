// SPDX-License-Identifier: GPL-2.0
/*
 * Answers to RUDI requests.  A response to any transmission of a request
 * completes the request, because its operation may be executed any number of
 * times.  A NACK causes a retransmission at once, a pause, or a failure.  An
 * answer to a request that is not outstanding changes nothing.
 *
 * Implements UE 1.0.1 3.5.10.9, 3.5.12.7 and Tables 3-58 and 3-59 for NACKs
 * with NT, and the sampling rule of 3.5.12.2.  Level: core L4.
 */
#include "rudi_req.h"

/* The request with this pkt_id that was sent and is not answered, or NULL. */
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
 * Karn's rule, as 3.5.12.2 has it for a PDC.  The transmission that was
 * answered is known if there was one transmission and the answer is to an
 * original, or if there were two and the answer is to a retransmission.
 */
static void rrx_sample_rtt(struct uet_rudi_peer *rudi,
			   const struct uet_rudi_slot *slot, bool retx, u64 now)
{
	if (slot->state == UET_RUDI_SENT && slot->sends == 1 + retx)
		uet_rtt_sample(&rudi->rtt, uet_ns_since(now, slot->since_ns));
}

/**
 * uet_rudi_rx_resp() - a RUDI_RESP arrived
 * @rudi: requests to the peer that sent the response
 * @hdr: its decoded header
 * @rsp: SES response behind it, in any form
 * @now: monotonic time, ns
 * @pkt: result: the request that the response answers, for a caller that has to
 *	place the data behind the response; unchanged if the response is dropped
 *
 * uet_rudi_poll_up() reports the outcome.  The caller runs the run loop next.
 *
 * Return: UET_DROP_NONE, or BAD_RUDI_ID if no such request is outstanding, as
 *	after another copy of the response; nothing changed then.
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
 * A NACK of the latest transmission.  A request lost once is retransmitted at
 * once.  After a second refusal, or if the peer has no space, the request
 * waits.  A NACK of an earlier transmission is ignored: the request is in
 * flight again.  From the third transmission on, RETX does not identify the
 * transmission, and a late copy of a NACK may cause one needless
 * retransmission.
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
 * @rudi: requests to the peer that sent the NACK
 * @hdr: its decoded header
 * @now: monotonic time, ns
 *
 * The caller runs the run loop next.
 *
 * Return: UET_DROP_NONE, or the reason why the NACK was dropped: BAD_NACK_ID
 *	(no such request is outstanding, or the NACK is for a PDC), UNSUPPORTED
 *	(a reserved code, or NEW_START_PSN).
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
