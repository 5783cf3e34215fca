// SPDX-License-Identifier: GPL-2.0
/*
 * SES, messages of a PDC that failed by a NACK with the action RETRY: which of them may
 * be sent on another PDC.  A repetition must not show at the target, so a message is
 * repeated only if the target cannot have executed it, or if executing it twice is the
 * same as once.  Each message is repeated once, so that no peer can make its sender loop.
 *
 * Implements UE 1.0.1 Table 3-58 (RETRY) and 3.5.12.7.  Level: core L5.
 */
#include "ses_tx.h"

static bool repeat_is_unexecuted(const struct uet_ses_tx *tx)
{
	return !tx->has_psn || (tx->is_unexecuted && !tx->acked);
}

/*
 * A WRITE may be executed twice only if the owner of the region says so: others read, write
 * and count what is there meanwhile.  Its bytes are all here only while none is acknowledged.
 */
static bool repeat_is_idempotent(const struct uet_ses_tx *tx)
{
	if (tx->opcode == UET_OP_READ)
		return true;
	return tx->opcode == UET_OP_WRITE && tx->match & UET_KEY_IDEMPOTENT_SAFE &&
	       !tx->has_hdata && !tx->acked;
}

/**
 * uet_ses_tx_may_repeat() - is a message to be sent again on another PDC?
 * @tx: message, returned by SES; uet_pdc_may_repeat() is true for its PDC
 *
 * These messages are repeated: one without a packet in the PDC; one whose first packet,
 * with RMA each packet, was not executed, and none of whose packets is acknowledged; a
 * READ; a WRITE without completion data to a region with UET_MR_IDEMPOTENT_SAFE, of
 * which no packet is acknowledged.  Of any other message nobody knows whether it was
 * executed.  A message is not repeated twice, nor if the target answered it with an
 * error, if its sender aborted it, or if its sender still supplies bytes.
 *
 * Return: true at most once for each message.
 */
bool uet_ses_tx_may_repeat(struct uet_ses_tx *tx)
{
	if (tx->error != UET_PDC_ERR_NACK || tx->rc != UET_RC_OK ||
	    tx->is_repeat || tx->is_aborted || tx->avail != tx->length)
		return false;
	tx->is_repeat = repeat_is_unexecuted(tx) || repeat_is_idempotent(tx);
	return tx->is_repeat;
}
