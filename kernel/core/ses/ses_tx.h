/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions shared by the sending of messages (ses_tx.c) and what comes back on its own
 * (ses_tx_read.c) only.  Level: core L5, private.
 */
#ifndef UET_CORE_SES_TX_H
#define UET_CORE_SES_TX_H

#include "ses.h"

/* Stop the segmentation of a message. */
void uet_ses_tx_cut(struct uet_ses *ses, struct uet_ses_tx *tx);
/* All packets are acknowledged, and the final response or data is missing. */
bool uet_ses_tx_is_waiting(const struct uet_ses_tx *tx);
/* Move a message that is neither waiting nor done, without packets in flight, to its list. */
void uet_ses_tx_settle(struct uet_ses *ses, struct uet_ses_tx *tx);
/* Complete a waiting message. */
void uet_ses_tx_stop_waiting(struct uet_ses *ses, struct uet_ses_tx *tx);
/* The final response, possibly before other answers. */
void uet_ses_tx_note_final(struct uet_ses *ses, struct uet_ses_tx *tx, u8 rc,
			   u32 modified_length);
/* Is this PSN that of the only packet of a message without message id? */
static inline bool uet_ses_form_is_for(const struct uet_ses *ses, const struct uet_ses_tx *tx,
				       u32 psn)
{
	return uet_ses_is_short(tx) && tx->has_psn && tx->number == psn - ses->first_psn;
}

/* Count packets that request data; so many may, 0 while a batch does not fit. */
void uet_ses_read_ask(struct uet_ses *ses, struct uet_ses_tx *tx, u32 nr);
u32 uet_ses_read_may_ask(const struct uet_ses *ses, const struct uet_ses_tx *tx);
/* Did the data that this packet requested arrive? */
bool uet_ses_read_has(const struct uet_ses_tx *tx, u32 offset);
/* A message has ended: accept no more data or responses for it. */
void uet_ses_read_forget(struct uet_ses *ses, struct uet_ses_tx *tx);
/* Inform the PDC whether it must stay open: while a read or a rendezvous is in progress. */
void uet_ses_read_hold(struct uet_ses *ses, struct uet_pdc *pdc, u64 now);
/* A rendezvous with packets sent, not ended; NULL without one of this id. */
struct uet_ses_tx *uet_ses_rdv_find(struct uet_ses *ses, u16 msg_id);
void uet_ses_rdv_add(struct uet_ses *ses, struct uet_ses_tx *tx);

void uet_ses_read_rsp_pump(struct uet_ses *ses, struct uet_pdc *pdc, u64 now);
/* So many packets were answered, or are not sent: the reader detects missing data. */
void uet_ses_read_rsp_done(struct uet_ses *ses, struct uet_ses_read_rsp *read_rsp, u32 nr);
/* Drop some of what is queued; PDS reports the packets it was handed.  Return: was this all? */
bool uet_ses_read_rsp_fail(struct uet_ses *ses);

#endif
