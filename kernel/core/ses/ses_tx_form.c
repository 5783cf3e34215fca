// SPDX-License-Identifier: GPL-2.0
/*
 * SES, forms of the request header: which of them a message may have, and what
 * it takes to do without what the short ones leave out.  A MEDIUM header has no
 * message id, and either completion data or an offset; a SMALL one has neither
 * initiator nor key, but for the 12 bits of an optimized key where the Resource
 * Index is else.  Both are for messages of one packet, which PDS tells apart by
 * their PSN: so does SES when an answer comes late, or data in the return
 * direction.
 *
 * Implements UE 1.0.1 3.4, Figures 3-13 and 3-14, Table 3-10, Table 2-13, and
 * uet-wire 2.32 (original_request_psn).  Level: core L5.
 */
#include "ses_tx.h"

/**
 * uet_ses_key_is_small() - does a memory key fit a SMALL header?
 * @key: any
 *
 * Context: Any.
 * Return: true for a key with OPTIMIZED and with nothing in its reserved bits.
 * Spec: UE 1.0.1 Table 2-13.
 */
bool uet_ses_key_is_small(u64 key)
{
	return (key & ~(UET_KEY_IDEMPOTENT_SAFE | UET_KEY_SMALL_RKEY)) ==
	       UET_KEY_OPTIMIZED;
}

/**
 * uet_ses_form() - the shortest header that loses nothing of a message
 * @tx: message, all that the caller fills in but for @tx.form
 *
 * A message of one packet whose length has 14 bits may be MEDIUM, unless it has
 * completion data and an offset, for which there is one place.  It may be SMALL
 * if it is for memory whose key fits, and has no completion data.  Operations
 * that have no short form stay standard, and so do atomic ones: no public source
 * shows an extension behind a short header.  That there is no message id loses
 * nothing: a MSG_ERROR ends messages of several packets only, and every answer
 * names the PSN.
 *
 * Context: Any.
 * Return: UET_SES_MEDIUM, UET_SES_SMALL or UET_SES_STD.
 * Spec: UE 1.0.1 3.4, Tables 3-10 and 3-17; uet-wire 3.4, 3.5.
 */
u8 uet_ses_form(const struct uet_ses_tx *tx)
{
	const struct uet_op_prop *op = uet_wire_op(tx->opcode);

	if (tx->length > tx->mtu || tx->length > UET_LEN14_MAX)
		return UET_SES_STD;
	if (!(op->forms & BIT(UET_SES_MEDIUM)) || op->ext != UET_EXT_NONE)
		return UET_SES_STD;
	if (tx->has_hdata)
		return tx->offset ? UET_SES_STD : UET_SES_MEDIUM;
	return op->forms & BIT(UET_SES_SMALL) &&
	       uet_ses_key_is_small(tx->match) ? UET_SES_SMALL :
						 UET_SES_MEDIUM;
}

/**
 * uet_ses_is_short() - has a message a header without message id?
 * @tx: message
 *
 * Context: Any.
 * Return: true if so; it is one packet.
 */
bool uet_ses_is_short(const struct uet_ses_tx *tx)
{
	return tx->form == UET_SES_MEDIUM || tx->form == UET_SES_SMALL;
}

/**
 * uet_ses_form_nh() - the next_hdr of the packets of a message
 * @tx: message
 *
 * Context: Any.
 * Return: enum uet_nh.
 */
u8 uet_ses_form_nh(const struct uet_ses_tx *tx)
{
	if (tx->form == UET_SES_MEDIUM)
		return UET_NH_REQ_MEDIUM;
	return tx->form == UET_SES_SMALL ? UET_NH_REQ_SMALL : UET_NH_REQ_STD;
}

/**
 * uet_ses_form_request() - the part of a header that depends on its short form
 * @tx: message, short
 * @req: its header, the other parts filled in
 *
 * Context: Any.
 * Spec: UE 1.0.1 Figures 3-13 and 3-14.
 */
void uet_ses_form_request(const struct uet_ses_tx *tx, struct uet_ses_req *req)
{
	req->form = tx->form;
	if (tx->form == UET_SES_SMALL) {
		req->ri = tx->match & UET_KEY_SMALL_RKEY;
		return;
	}
	req->hd = tx->has_hdata;
	req->header_data = tx->has_hdata ? tx->header_data : 0;
}

/**
 * uet_ses_form_is_for() - is it the message that a PSN stands for?
 * @tx: message
 * @psn: PSN of a request, as an answer tells it
 *
 * Context: Any.
 * Return: true if that was its only packet, and it has no message id.
 */
bool uet_ses_form_is_for(const struct uet_ses_tx *tx, u32 psn)
{
	return uet_ses_is_short(tx) && tx->has_psn && tx->psn == psn;
}

/**
 * uet_ses_form_response() - a final response came for a message without an id
 * @ses: SES
 * @rsp: response of an ACK, any
 * @hdr: header of that ACK
 *
 * What uet_ses_tx_response() is for messages with one: what waits is found by the
 * PSN that the ACK is for.
 *
 * Context: Any; the caller serialises per SES, and reaps next.
 * Spec: uet-wire 3.14 (no answer yet).
 */
void uet_ses_form_response(struct uet_ses *ses, const struct uet_ses_rsp *rsp,
			   const struct uet_pds_hdr *hdr)
{
	const struct uet_ack *ack = &hdr->u.ack;
	u32 psn = ack->cack_psn + (u32)ack->ack_off;
	struct uet_ses_tx *tx;

	/* The answer to a Probe is for no packet. */
	if (rsp->form != UET_RSP_FORM_PLAIN || rsp->msg_id ||
	    hdr->flags & UET_F_P)
		return;
	list_for_each_entry(tx, &ses->waitq, link) {
		if (uet_ses_form_is_for(tx, psn)) {
			uet_ses_tx_note_late(ses, tx, rsp);
			return;
		}
	}
}
