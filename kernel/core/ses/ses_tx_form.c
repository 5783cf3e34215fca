// SPDX-License-Identifier: GPL-2.0
/*
 * SES, forms of the request header: the forms that a message may have, and the
 * handling of messages whose form lacks some fields.  A MEDIUM header has no
 * message id, and has either completion data or an offset.  A SMALL header has
 * neither initiator nor key; the field of the Resource Index holds the 12 bits
 * of an optimized key.  Both forms are for messages of one packet.  The PSN
 * identifies such a message, also in a late answer and in data of the return
 * direction.
 *
 * Implements UE 1.0.1 3.4, Figures 3-13 and 3-14, Table 3-10, Table 2-13, and
 * uet-wire 2.32 (original_request_psn).  Level: core L5.
 */
#include "ses_tx.h"

/*
 * Does a memory key fit into a SMALL header?
 * Return: true for a key with OPTIMIZED whose reserved bits are 0.
 * Spec: UE 1.0.1 Table 2-13.
 */
bool uet_ses_key_is_small(u64 key)
{
	return (key & ~(UET_KEY_IDEMPOTENT_SAFE | UET_KEY_SMALL_RKEY)) ==
	       UET_KEY_OPTIMIZED;
}

/**
 * uet_ses_form() - the shortest header that has all fields of a message
 * @tx: message, all fields of the caller set except @tx.form
 *
 * A message of one packet with a length of up to 14 bits may be MEDIUM, unless
 * it has both completion data and an offset, which share one field.  A message
 * may be SMALL if it is for memory whose key fits, and has no completion data.
 * Operations without a short form stay standard, and so do atomics: no public
 * source shows an extension behind a short header.  The missing message id is
 * no loss: a MSG_ERROR only ends messages of several packets, and every answer
 * contains the PSN.
 *
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

/*
 * Does a message have a header without message id?
 * Return: true if so; the message is one packet.
 */
bool uet_ses_is_short(const struct uet_ses_tx *tx)
{
	return tx->form == UET_SES_MEDIUM || tx->form == UET_SES_SMALL;
}

/*
 * The next_hdr of the packets of a message.
 * Return: enum uet_nh.
 */
u8 uet_ses_form_nh(const struct uet_ses_tx *tx)
{
	if (tx->form == UET_SES_MEDIUM)
		return UET_NH_REQ_MEDIUM;
	return tx->form == UET_SES_SMALL ? UET_NH_REQ_SMALL : UET_NH_REQ_STD;
}

/*
 * Fill in the fields of a short header form.
 * @req: header of the packet, other fields filled in
 *
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

/*
 * Does a PSN identify this message?
 * Return: true if the PSN is that of its only packet, and the message has no
 *	message id.
 */
bool uet_ses_form_is_for(const struct uet_ses *ses, const struct uet_ses_tx *tx,
			 u32 psn)
{
	return uet_ses_is_short(tx) && tx->has_psn &&
	       tx->number == psn - ses->first_psn;
}

/*
 * Process a final response to a message without an id.
 * @rsp: response of an ACK, without data and message id
 *
 * The PSN that the ACK answers identifies the waiting message.
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
	if (hdr->flags & UET_F_P)
		return;
	list_for_each_entry(tx, &ses->waitq, link) {
		if (uet_ses_form_is_for(ses, tx, psn)) {
			uet_ses_tx_note_late(ses, tx, rsp);
			return;
		}
	}
}
