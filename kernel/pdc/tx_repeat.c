// SPDX-License-Identifier: GPL-2.0
/*
 * Messages of a PDC that its peer has refused as unknown or closed: those that may be
 * repeated move to another PDC of the same endpoints, and their senders are not told.
 * uet_ses_tx_may_repeat() selects them.  The timer of the new PDC sends them, so that
 * the run loop of one PDC never runs inside that of another.
 * Spec: UE 1.0.1 Table 3-58 (RETRY).
 */
#include "endpoint/endpoint.h"
#include "fabric/fabric.h"
#include "message/message.h"
#include "pdc_entry.h"

/* As in sendmsg(): a PDC can close between look-up and use. */
#define TX_REPEAT_PDC_TRIES	8

static int tx_repeat_send(struct uet_pdc_entry *gone, struct uet_tx_message *tm)
{
	struct uet_pdc_entry *pe;
	int tries, err = -ESHUTDOWN;

	for (tries = 0; err == -ESHUTDOWN && tries < TX_REPEAT_PDC_TRIES;
	     tries++) {
		pe = uet_pdc_entry_get_initiator(gone->fep, &gone->key, tm->us,
						 GFP_ATOMIC);
		if (IS_ERR(pe))
			return PTR_ERR(pe);
		err = uet_pdc_entry_send_later(pe, tm);
		uet_pdc_entry_put(pe);
	}
	return err;
}

/*
 * Send a message of a failed PDC on another PDC, if that is safe.
 * @pe: the failed PDC, dead; uet_pdc_may_repeat() is true for it
 *
 * Context: Softirq or process with BH disabled, no PDC lock held.
 * Return: true if another PDC has taken over the message; false if the message ends
 *	with the error of @pe: a repetition could show, or no PDC can be opened.
 */
bool uet_tx_repeat(struct uet_pdc_entry *pe, struct uet_tx_message *tm)
{
	struct uet_net *un = pe->fep->un;

	if (!uet_ses_tx_may_repeat(&tm->ses))
		return false;
	tm->hint = NULL;
	tm->done = false;
	/* Packets that followed the message are not sent behind it again. */
	tm->ses.has_more = false;
	if (!tx_repeat_send(pe, tm)) {
		uet_mib_inc(un, UET_MIB_MSG_REPEATED);
		return true;
	}
	/* The message is unchanged, and ends. */
	tm->done = true;
	return false;
}
