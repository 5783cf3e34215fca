// SPDX-License-Identifier: GPL-2.0
/*
 * The target of RUDI: builds the single answer to a request from the request
 * and the decision of SES.  The target keeps no state, so the answer to a copy
 * of a request is built like the first answer.  The owner decides whether to
 * execute a request, and how often to answer unknown peers.
 *
 * Implements UE 1.0.1 3.5.10.9 (response) and 3.5.12.7 (NACK with NT).
 * Level: core L4.
 */
#include "rudi.h"

/* UE 1.0.1 Table 3-40: with NT the PDCIDs are 0. */
static void reply_nack(const struct uet_pds_hdr *hdr, u8 nack_code,
		       struct uet_pdc_tx *tx)
{
	tx->kind = UET_TX_NACK;
	tx->hdr.type = UET_TY_NACK;
	tx->hdr.next_hdr = UET_NH_NONE;
	tx->hdr.flags = UET_F_NT;
	tx->hdr.u.nack.code = nack_code;
	tx->hdr.u.nack.psn = hdr->u.rudi.pkt_id;
}

static void reply_resp(const struct uet_pds_hdr *hdr,
		       const struct uet_ses_rsp *rsp, struct uet_pdc_tx *tx)
{
	tx->kind = UET_TX_ACK;
	tx->rsp = *rsp;
	tx->hdr.type = UET_TY_RUDI_RESP;
	tx->hdr.next_hdr = uet_wire_ses_rsp_nh(rsp);
	tx->hdr.u.rudi.pkt_id = hdr->u.rudi.pkt_id;
}

/**
 * uet_rudi_reply() - build the answer to a RUDI request
 * @hdr: decoded header of the request
 * @in: reception attributes
 * @rsp: SES response, in any form; ignored with a @nack_code
 * @nack_code: enum uet_nack_code if the request was not executed for lack of
 *	resources; 0: the request was executed, or refused by SES
 * @tx: result; the caller appends the data that a response in a form with data
 *	announces
 *
 * Answers are never answered, so two endpoints cannot enter an endless
 * exchange.
 *
 * Return: true if @tx is to be sent to the source of the request, like an ACK;
 *	false if @hdr is no RUDI request, and @tx is undefined.
 * Spec: UE 1.0.1 3.5.10.9: the same pkt_id; M reports CE, RETX is copied.
 */
bool uet_rudi_reply(const struct uet_pds_hdr *hdr, const struct uet_rx_info *in,
		    const struct uet_ses_rsp *rsp, u8 nack_code,
		    struct uet_pdc_tx *tx)
{
	memset(tx, 0, sizeof(*tx));
	if (hdr->type != UET_TY_RUDI_REQ)
		return false;
	if (nack_code)
		reply_nack(hdr, nack_code, tx);
	else
		reply_resp(hdr, rsp, tx);
	tx->ev = in->ev;
	tx->hdr.flags |= (in->ce ? UET_F_M : 0) | (hdr->flags & UET_F_RETX);
	return true;
}
