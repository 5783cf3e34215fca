// SPDX-License-Identifier: GPL-2.0
/*
 * SES, rendezvous sends, initiator: the eager part of the message is sent, with
 * a header that contains where the target can read the rest.  The target reads
 * the rest when it has a place for the message, on any PDC, and then reports
 * the result.  This may take any time.  The message therefore keeps its PDC
 * open, and the PDC detects a peer that is gone.  A closing PDC does not detect
 * this; there the message waits no longer than uet_pdc_peer_timeout().
 *
 * The final response arrives in the return direction of the PDC, like data for
 * a READ: a late ACK would not be sent again after a loss.  A final response in
 * an ACK is accepted as well.
 *
 * Implements UE 1.0.1 Figure 3-15 and uet-wire 3.14 (rendezvous, no answer
 * yet), the initiator.  Level: core L5.
 */
#include "ses_tx.h"

/**
 * uet_ses_is_rendezvous() - is this an opcode of rendezvous sends?
 * @opcode: enum uet_opcode
 *
 * Return: true for UET_RENDEZVOUS_SEND and UET_RENDEZVOUS_TSEND.
 */
bool uet_ses_is_rendezvous(u8 opcode)
{
	return uet_wire_op(opcode)->ext == UET_EXT_RDV;
}

/**
 * uet_ses_tx_length() - length of a message, including bytes that the target reads
 * @tx: message
 *
 * Return: bytes.
 */
u32 uet_ses_tx_length(const struct uet_ses_tx *tx)
{
	return uet_ses_is_rendezvous(tx->opcode) ? tx->rdv.length : tx->length;
}

/* Initialise the lists of rendezvous messages. */
void uet_ses_rdv_init(struct uet_ses *ses)
{
	unsigned int i;

	INIT_LIST_HEAD(&ses->rdvs);
	for (i = 0; i < UET_SES_RDV_BUCKETS; i++)
		INIT_HLIST_HEAD(&ses->rdv_ids[i]);
}

/*
 * Record the start of a message.
 * @tx: message of any kind whose first packet is being built, with its message id
 */
void uet_ses_rdv_begin(struct uet_ses *ses, struct uet_ses_tx *tx)
{
	if (!uet_ses_is_rendezvous(tx->opcode))
		return;
	list_add_tail(&tx->rdv.link, &ses->rdvs);
	hlist_add_head(&tx->rdv.by_id,
		       &ses->rdv_ids[tx->msg_id % UET_SES_RDV_BUCKETS]);
}

/*
 * Find a rendezvous message.
 * Return: the message, with packets sent and not ended; or NULL.
 */
struct uet_ses_tx *uet_ses_rdv_find(const struct uet_ses *ses, u16 msg_id)
{
	struct uet_ses_tx *tx;

	hlist_for_each_entry(tx, &ses->rdv_ids[msg_id % UET_SES_RDV_BUCKETS],
			     rdv.by_id)
		if (tx->msg_id == msg_id)
			return tx;
	return NULL;
}

/* Accept no more responses for a message that has ended. */
void uet_ses_rdv_forget(struct uet_ses_tx *tx)
{
	if (!uet_ses_is_rendezvous(tx->opcode))
		return;
	list_del_init(&tx->rdv.link);
	hlist_del_init(&tx->rdv.by_id);
}

/*
 * Is the final response still to come?
 * @tx: message of the packet, of any kind
 *
 * An accepted packet does not mean that the target has read the rest, and
 * neither does an answer that no receive was posted.
 *
 * Return: true if the final response is still to come.
 */
bool uet_ses_rdv_goes_on(const struct uet_ses_tx *tx, u8 opcode, u8 rc, u8 list)
{
	if (uet_ses_tx_length(tx) == tx->length ||
	    (rc != UET_RC_OK && rc != UET_RC_NULL))
		return false;
	return opcode == UET_RSP_DEFAULT || opcode == UET_RSP_NO_RESPONSE ||
	       list == UET_LIST_OVERFLOW;
}

/*
 * Add the rendezvous extension to a header.
 * @req: header of the packet, in a standard form
 *
 * Spec: UE 1.0.1 Figure 3-15: in every packet.
 */
void uet_ses_rdv_request(const struct uet_ses_tx *tx, struct uet_ses_req *req)
{
	if (!uet_ses_is_rendezvous(req->opcode))
		return;
	req->ext = UET_EXT_RDV;
	req->x.rdv = tx->rdv.at;
	req->x.rdv.eager_length = tx->length;
}

/*
 * Abort an answered rendezvous that no peer can read any more.
 * Context: Any; the caller serialises per SES, and settles the message next.
 */
void uet_ses_rdv_settle(const struct uet_ses *ses, struct uet_ses_tx *tx)
{
	if (ses->rdv_shut && uet_ses_is_rendezvous(tx->opcode) &&
	    uet_ses_tx_is_waiting(tx))
		tx->is_aborted = true;
}

/**
 * uet_ses_rdv_answer() - process a response without data in the return direction
 * @ses: SES of the PDC that received the response
 * @rsp: its header
 *
 * The response may arrive before the acknowledgments of the packets of the
 * message.
 *
 * Context: Any; the caller serialises per SES, pumps and reaps next.
 * Return: UET_DROP_NONE; READ_UNKNOWN: no message waits for this final
 *	response.
 * Spec: uet-wire 3.14 (no answer yet).
 */
enum uet_drop uet_ses_rdv_answer(struct uet_ses *ses,
				 const struct uet_ses_rsp *rsp)
{
	struct uet_ses_tx *tx = NULL;

	if (rsp->form == UET_RSP_FORM_DATA && rsp->read_msg_id)
		tx = uet_ses_rdv_find(ses, rsp->read_msg_id);
	if (!tx || !tx->awaits_rsp)
		return UET_DROP_READ_UNKNOWN;
	uet_ses_tx_note_final(ses, tx, rsp->rc, rsp->modified_length);
	return UET_DROP_NONE;
}

/**
 * uet_ses_rdv_shut() - abort all rendezvous messages
 * @ses: SES of a PDC that accepts no new messages
 *
 * The bytes to be read are no longer available.  Waiting messages are aborted
 * at once; messages with packets in flight, when these packets are answered.
 *
 * Context: Any; the caller serialises per SES, pumps and reaps next.
 */
void uet_ses_rdv_shut(struct uet_ses *ses)
{
	struct list_head *lists[] = {
		&ses->txq, &ses->rdv_waitq, &ses->gen.refused,
	};
	struct uet_ses_tx *tx, *next;
	size_t i;

	ses->rdv_shut = true;
	for (i = 0; i < ARRAY_SIZE(lists); i++)
		list_for_each_entry_safe(tx, next, lists[i], link)
			if (uet_ses_is_rendezvous(tx->opcode))
				uet_ses_tx_abort(ses, tx);
}

/*
 * Does a rendezvous need the PDC?
 * Context: Any; the caller serialises per SES and PDC.
 * Return: true if there is a rendezvous.
 */
bool uet_ses_rdv_watch(struct uet_ses *ses, const struct uet_pdc *pdc, u64 now)
{
	if (list_empty(&ses->rdvs) || uet_pdc_takes_messages(pdc))
		ses->rdv_at = 0;
	else if (!ses->rdv_at)
		ses->rdv_at = now + uet_pdc_peer_timeout(pdc);
	return !list_empty(&ses->rdvs);
}

/**
 * uet_ses_rdv_tick() - end the rendezvous messages that waited too long
 * @ses: SES
 * @now: monotonic time, ns
 *
 * A message that waited too long on a closing PDC ends as if the peer had not
 * answered.
 *
 * Context: Any; the caller serialises per SES and PDC, reaps and pumps next.
 */
void uet_ses_rdv_tick(struct uet_ses *ses, u64 now)
{
	struct uet_ses_tx *tx, *next;

	if (uet_ses_rdv_deadline(ses) > now)
		return;
	ses->rdv_at = 0;
	list_for_each_entry_safe(tx, next, &ses->rdvs, rdv.link)
		if (uet_ses_tx_is_waiting(tx))
			uet_ses_read_fail(ses, tx, UET_PDC_ERR_TIMEOUT,
					  UET_RC_OK);
}

/**
 * uet_ses_rdv_deadline() - when must uet_ses_rdv_tick() be called?
 * @ses: SES, after uet_ses_pump()
 *
 * Return: monotonic time, ns; UET_NEVER without a limit.
 */
u64 uet_ses_rdv_deadline(const struct uet_ses *ses)
{
	return ses->rdv_at ? ses->rdv_at : UET_NEVER;
}
