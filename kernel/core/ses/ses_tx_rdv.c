// SPDX-License-Identifier: GPL-2.0
/*
 * SES, rendezvous sends: of such a message a part is pushed, its eager part, with a
 * header that says where the target can read the rest.  The target does so when it
 * has a place for the message, on whatever PDC it likes, and then says how that
 * ended.  That may take any time, so the message keeps its PDC, which finds out
 * whether the peer lives.  On a PDC that is to close nobody does that: there what
 * waits has as long as a living peer may be silent.
 *
 * The final response comes in the return direction of the PDC, like data for a
 * READ, because an ACK that comes late would not come again if it is lost; one in
 * an ACK is taken, too.
 *
 * Implements UE 1.0.1 Figure 3-15 and uet-wire 3.14 (rendezvous, no answer yet),
 * the initiator.  Level: core L5.
 */
#include "ses_tx.h"

/**
 * uet_ses_is_rendezvous() - is a part of such a message read by its target?
 * @opcode: enum uet_opcode
 *
 * Context: Any.
 * Return: true for UET_RENDEZVOUS_SEND and UET_RENDEZVOUS_TSEND.
 */
bool uet_ses_is_rendezvous(u8 opcode)
{
	return uet_wire_op(opcode)->ext == UET_EXT_RDV;
}

/**
 * uet_ses_tx_length() - how long is a message, with what is not pushed?
 * @tx: message
 *
 * Context: Any.
 * Return: bytes.
 */
u32 uet_ses_tx_length(const struct uet_ses_tx *tx)
{
	return uet_ses_is_rendezvous(tx->opcode) ? tx->rdv.length : tx->length;
}

/**
 * uet_ses_rdv_begin() - the first packet of a message is cut
 * @ses: SES
 * @tx: message, of any kind
 *
 * Context: Any; the caller serialises per SES.
 */
void uet_ses_rdv_begin(struct uet_ses *ses, struct uet_ses_tx *tx)
{
	if (uet_ses_is_rendezvous(tx->opcode))
		list_add_tail(&tx->rdv.link, &ses->rdvs);
}

/**
 * uet_ses_rdv_forget() - a message has ended: no response is taken for it
 * @tx: message, of any kind, that was queued
 *
 * Context: Any; the caller serialises per SES.
 */
void uet_ses_rdv_forget(struct uet_ses_tx *tx)
{
	if (uet_ses_is_rendezvous(tx->opcode))
		list_del_init(&tx->rdv.link);
}

/**
 * uet_ses_rdv_goes_on() - does an answer leave open how a message ends?
 * @tx: message of the packet, of any kind
 * @opcode: enum uet_rsp of the answer
 * @rc: enum uet_rc of it
 * @list: enum uet_list of it
 *
 * That a packet was accepted says nothing of what is to be read, nor does it that
 * no receive was waiting.
 *
 * Context: Any.
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

/**
 * uet_ses_rdv_request() - what the header of a packet has besides
 * @tx: message, of any kind
 * @req: its header in a standard form
 *
 * Context: Any; the caller serialises per SES.
 * Spec: UE 1.0.1 Figure 3-15: behind every packet.
 */
void uet_ses_rdv_request(const struct uet_ses_tx *tx, struct uet_ses_req *req)
{
	if (!uet_ses_is_rendezvous(req->opcode))
		return;
	req->ext = UET_EXT_RDV;
	req->x.rdv = tx->rdv.at;
	req->x.rdv.eager_length = tx->length;
}

/**
 * uet_ses_rdv_settle() - a message whose packets are all answered may have to end
 * @ses: SES
 * @tx: message, of any kind, cut
 *
 * Context: Any; the caller serialises per SES, and settles the message next.
 */
void uet_ses_rdv_settle(const struct uet_ses *ses, struct uet_ses_tx *tx)
{
	if (ses->rdv_shut && uet_ses_is_rendezvous(tx->opcode) &&
	    uet_ses_tx_is_waiting(tx))
		tx->is_aborted = true;
}

static struct uet_ses_tx *rdv_find(struct uet_ses *ses, u16 msg_id)
{
	struct uet_ses_tx *tx;

	list_for_each_entry(tx, &ses->rdvs, rdv.link)
		if (tx->msg_id == msg_id)
			return tx;
	return NULL;
}

/**
 * uet_ses_rdv_answer() - a response without data came in the return direction
 * @ses: SES of the PDC it came on
 * @rsp: its header
 *
 * Its sender may be slower to acknowledge the packets of the message.
 *
 * Context: Any; the caller serialises per SES, pumps and reaps next.
 * Return: UET_DROP_NONE; READ_UNKNOWN: it is not the final response of a message
 *	that has none yet.
 * Spec: uet-wire 3.14 (no answer yet).
 */
enum uet_drop uet_ses_rdv_answer(struct uet_ses *ses,
				 const struct uet_ses_rsp *rsp)
{
	struct uet_ses_tx *tx = NULL;

	if (rsp->form == UET_RSP_FORM_DATA && rsp->read_msg_id)
		tx = rdv_find(ses, rsp->read_msg_id);
	if (!tx || !tx->awaits_rsp)
		return UET_DROP_READ_UNKNOWN;
	uet_ses_tx_note_final(ses, tx, rsp->rc, rsp->modified_length);
	return UET_DROP_NONE;
}

/**
 * uet_ses_rdv_shut() - what is to be read is there no more
 * @ses: SES of a PDC that takes no new messages
 *
 * Rendezvous messages that wait are given up; those under way are, once their
 * packets are answered.
 *
 * Context: Any; the caller serialises per SES, pumps and reaps next.
 */
void uet_ses_rdv_shut(struct uet_ses *ses)
{
	struct list_head *lists[] = {
		&ses->txq, &ses->waitq, &ses->gen.refused,
	};
	struct uet_ses_tx *tx, *next;
	size_t i;

	ses->rdv_shut = true;
	for (i = 0; i < ARRAY_SIZE(lists); i++)
		list_for_each_entry_safe(tx, next, lists[i], link)
			if (uet_ses_is_rendezvous(tx->opcode))
				uet_ses_tx_abort(ses, tx);
}

/**
 * uet_ses_rdv_watch() - is the PDC needed for a rendezvous?
 * @ses: SES
 * @pdc: its PDC
 * @now: monotonic time, ns
 *
 * Context: Any; the caller serialises per SES and PDC.
 * Return: true if there is one.
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
 * uet_ses_rdv_tick() - time has passed
 * @ses: SES
 * @now: monotonic time, ns
 *
 * What has waited for too long on a PDC that is to close ends as if the peer had
 * not answered.
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
 * uet_ses_rdv_deadline() - when does uet_ses_rdv_tick() have to be called?
 * @ses: SES, after uet_ses_pump()
 *
 * Context: Any; the caller serialises per SES.
 * Return: monotonic time, ns; UET_NEVER if there is no hurry.
 */
u64 uet_ses_rdv_deadline(const struct uet_ses *ses)
{
	return ses->rdv_at ? ses->rdv_at : UET_NEVER;
}
