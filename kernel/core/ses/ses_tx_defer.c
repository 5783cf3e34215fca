// SPDX-License-Identifier: GPL-2.0
/*
 * SES, deferrable sends: a target without a place for such a message says so with
 * its first answer.  The message is then ended with an empty packet and given read_rsp;
 * when the target asks for it, it is sent anew, as another message with the restart
 * tokens of both, and is deferred no more.  Who waits for what is the caller's
 * affair.
 *
 * Implements UE 1.0.1 Figures 3-11 and 3-12, and uet-wire 3.14 (deferrable send,
 * token order), the initiator.  Level: core L5.
 */
#include "ses_tx.h"

/**
 * uet_ses_is_deferrable() - may a target ask for such a message to be sent later?
 * @opcode: enum uet_opcode
 *
 * Context: Any.
 * Return: true for UET_DEFERRABLE_SEND and UET_DEFERRABLE_TSEND.
 */
bool uet_ses_is_deferrable(u8 opcode)
{
	return uet_wire_op(opcode)->forms & BIT(UET_SES_DEFER);
}

/**
 * uet_ses_may_defer() - may the target ask for this message to be sent later?
 * @tx: message
 *
 * Context: Any.
 * Return: true if so: its bytes are to be kept although they are acknowledged.
 */
bool uet_ses_may_defer(const struct uet_ses_tx *tx)
{
	return uet_ses_is_deferrable(tx->opcode) && !tx->tokens.tgt;
}

/**
 * uet_ses_tx_is_deferred() - is a message that SES returned to be sent again?
 * @tx: message returned by uet_ses_reap() or uet_ses_fail()
 *
 * Context: Any.
 * Return: true if the target has deferred it and nothing else has happened to it.
 */
bool uet_ses_tx_is_deferred(const struct uet_ses_tx *tx)
{
	return tx->is_deferred && !tx->is_aborted && !tx->error &&
	       tx->rc == UET_RC_OK;
}

/**
 * uet_ses_defer_note() - does an answer defer the message?
 * @tx: message of the packet
 * @opcode: enum uet_rsp of the answer
 * @rc: enum uet_rc of it
 * @list: enum uet_list of it
 *
 * A message that was asked for can be deferred no more: a target that does so
 * contradicts itself, and would have the sender believe that it was delivered.
 *
 * Context: Any; the caller serialises per SES.
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

/**
 * uet_ses_defer_request() - what the header of a packet has besides
 * @tx: message, of any kind
 * @req: its header in a standard form
 *
 * Context: Any; the caller serialises per SES.
 * Spec: UE 1.0.1 Figures 3-11 and 3-12; a message is restarted from its begin.
 */
void uet_ses_defer_request(const struct uet_ses_tx *tx, struct uet_ses_req *req)
{
	bool is_rtr = req->opcode == UET_OP_DEFERRABLE_RTR;

	if (!is_rtr && !uet_ses_is_deferrable(req->opcode))
		return;
	req->form = is_rtr ? UET_SES_RTR : UET_SES_DEFER;
	req->init_token = tx->tokens.init;
	req->tgt_token = tx->tokens.tgt;
	if (is_rtr)
		req->request_length = tx->tokens.length;
}
