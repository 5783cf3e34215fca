// SPDX-License-Identifier: GPL-2.0
/*
 * SES, deferrable sends, initiator: a target without a place for such a message
 * defers the message with its first answer.  An empty packet then ends the
 * message, and SES returns it to the caller.  When the target requests the
 * message, the caller sends it as a new message with the restart tokens of both
 * ends.  This message cannot be deferred.  The caller keeps the deferred
 * messages.
 *
 * Implements UE 1.0.1 Figures 3-11 and 3-12, and uet-wire 3.14 (deferrable
 * send, token order), the initiator.  Level: core L5.
 */
#include "ses_tx.h"

/**
 * uet_ses_is_deferrable() - is this an opcode of deferrable sends?
 * @opcode: enum uet_opcode
 *
 * Return: true for UET_DEFERRABLE_SEND and UET_DEFERRABLE_TSEND.
 */
bool uet_ses_is_deferrable(u8 opcode)
{
	return uet_wire_op(opcode)->forms & BIT(UET_SES_DEFER);
}

/**
 * uet_ses_may_defer() - may the target defer this message?
 * @tx: message
 *
 * Return: true if so: the sender must keep the bytes although they are
 *	acknowledged.
 */
bool uet_ses_may_defer(const struct uet_ses_tx *tx)
{
	return uet_ses_is_deferrable(tx->opcode) && !tx->tokens.tgt;
}

/**
 * uet_ses_tx_is_deferred() - was a returned message deferred?
 * @tx: message returned by uet_ses_reap() or uet_ses_fail()
 *
 * Return: true if the target deferred the message, without any error: the
 *	caller keeps the message for a later request.
 */
bool uet_ses_tx_is_deferred(const struct uet_ses_tx *tx)
{
	return tx->is_deferred && !tx->is_aborted && !tx->error &&
	       tx->rc == UET_RC_OK;
}

/**
 * uet_ses_defer_is_requested() - does a restart request name this message?
 * @tx: deferrable message
 * @rtr: header of the UET_DEFERRABLE_RTR
 * @tgt_token: result: token of the target, possibly 0
 *
 * Targets differ in the order of the two tokens, so the token of the message is
 * accepted in either place; the other one is that of the target.  Some targets
 * leave request_length 0.
 *
 * Return: true if so.
 * Spec: UE 1.0.1 Figure 3-12, uet-wire 3.14 (token order).
 */
bool uet_ses_defer_is_requested(const struct uet_ses_tx *tx,
				const struct uet_ses_req *rtr, u32 *tgt_token)
{
	if (rtr->request_length && rtr->request_length != tx->length)
		return false;
	*tgt_token = rtr->init_token;
	if (rtr->tgt_token == tx->tokens.init)
		return true;
	*tgt_token = rtr->tgt_token;
	return rtr->init_token == tx->tokens.init;
}

/*
 * Check whether an answer defers the message.
 *
 * A message that the target requested cannot be deferred again.  A target that
 * does so violates the protocol, and its answer must not count as delivery.
 *
 * Spec: uet-wire 3.14 (deferrable send).
 */
void uet_ses_defer_note(struct uet_ses_tx *tx, u8 opcode, u8 rc, u8 list)
{
	if (opcode != UET_RSP_RESPONSE || rc != UET_RC_OK ||
	    list != UET_LIST_OVERFLOW || tx->is_aborted || tx->error ||
	    !uet_ses_is_deferrable(tx->opcode))
		return;
	if (uet_ses_may_defer(tx)) {
		tx->is_deferred = true;
		return;
	}
	tx->error = UET_PDC_ERR_PROTOCOL;
	uet_ses_tx_cut(tx);
}

/*
 * Add the fields of deferrable sends to a header.
 * @req: header of the packet, in a standard form
 *
 * Spec: UE 1.0.1 Figures 3-11 and 3-12; a message is restarted from its
 *	beginning.
 */
void uet_ses_defer_request(const struct uet_ses_tx *tx, struct uet_ses_req *req)
{
	bool is_rtr = req->opcode == UET_OP_DEFERRABLE_RTR;

	if (!is_rtr && !uet_ses_is_deferrable(req->opcode))
		return;
	req->form = is_rtr ? UET_SES_RTR : UET_SES_DEFER;
	req->init_token = tx->tokens.init;
	req->tgt_token = tx->tokens.tgt;
	if (!is_rtr)
		return;
	/* The initiator of the restart request is the target of the message. */
	swap(req->init_token, req->tgt_token);
	req->request_length = tx->tokens.length;
}
