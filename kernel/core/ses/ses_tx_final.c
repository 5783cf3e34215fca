// SPDX-License-Identifier: GPL-2.0
/*
 * SES, sending half: which answer to the packets of a message is the final one.
 * A target may answer a packet with UET_NO_RESPONSE, and send the final response
 * later.  It answers packets in the order of their arrival, so the answer given
 * last decides.  The initiator knows two approximations of that order: the order
 * of its latest transmissions and the order in which the ACKs arrived.  Fabrics
 * reorder packets, so the final response counts if it is last in either order.
 *
 * A packet that only CACK_PSN covers had a default response or
 * UET_NO_RESPONSE.  This is success as long as the target has not used
 * UET_NO_RESPONSE for another packet of the message.
 *
 * Implements UE 1.0.1 3.4.3, 3.5.11.4 and uet-wire 3.14 (no answer yet).
 * Level: core L5.
 */
#include "ses_tx.h"

/*
 * Does a response state the result of its message?
 *
 * PDS may answer a duplicate with a default response and RC_NULL, "status
 * unknown", without asking SES.
 *
 * Return: true if it does.
 * Spec: UE 1.0.1 Table 3-43.
 */
bool uet_ses_final_is_told(u8 opcode, u8 rc)
{
	return opcode != UET_RSP_NO_RESPONSE &&
	       !(opcode == UET_RSP_DEFAULT && rc == UET_RC_NULL);
}

/* No response to the packet arrived, but a CACK_PSN that covers it. */
static bool final_is_cack(const struct uet_pdc_up *up)
{
	return up->rsp_opcode == UET_RSP_DEFAULT && up->modified_length == U32_MAX;
}

static void final_mark(struct uet_ses_mark *mark, const struct uet_pdc_up *up)
{
	mark->xmit = mark->is_set ? uet_psn_later(mark->xmit, up->xmit) :
				    up->xmit;
	mark->answer = mark->is_set ? uet_psn_later(mark->answer, up->answer) :
				      up->answer;
	mark->is_set = true;
}

/*
 * Note the answer to a packet.
 * Return: true if, by the answers so far, the final response is still to come.
 */
bool uet_ses_final_note(struct uet_ses_tx *tx, const struct uet_pdc_up *up)
{
	const struct uet_ses_mark *none = &tx->none, *told = &tx->told;

	if (up->rsp_opcode == UET_RSP_NO_RESPONSE)
		final_mark(&tx->none, up);
	else if (!final_is_cack(up) &&
		 uet_ses_final_is_told(up->rsp_opcode, up->rc))
		final_mark(&tx->told, up);
	if (!none->is_set)
		return false;
	return !told->is_set || !(uet_psn_after(told->xmit, none->xmit) ||
				  uet_psn_after(told->answer, none->answer));
}
