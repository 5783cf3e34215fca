/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions shared by the sending of messages (ses_tx.c), their repetition
 * (ses_tx_gen.c), their headers (ses_tx_form.c), read data (ses_tx_read.c),
 * read responses (ses_tx_read_rsp.c), deferrable sends (ses_tx_defer.c) and
 * rendezvous (ses_tx_rdv.c) only.  Level: core L5, private.
 */
#ifndef UET_CORE_SES_TX_H
#define UET_CORE_SES_TX_H

#include "ses.h"

/* ses_tx.c */
void uet_ses_tx_cut(struct uet_ses_tx *tx);
bool uet_ses_tx_is_waiting(const struct uet_ses_tx *tx);
void uet_ses_tx_settle(struct uet_ses *ses, struct uet_ses_tx *tx);
void uet_ses_tx_stop_waiting(struct uet_ses *ses, struct uet_ses_tx *tx);
void uet_ses_tx_note_late(struct uet_ses *ses, struct uet_ses_tx *tx,
			  const struct uet_ses_rsp *rsp);
void uet_ses_tx_note_final(struct uet_ses *ses, struct uet_ses_tx *tx, u8 rc,
			   u32 modified_length);

void uet_ses_tx_reset(struct uet_ses_tx *tx);
bool uet_ses_tx_is_started(const struct uet_ses_tx *tx);

/* ses_tx_final.c */
bool uet_ses_final_is_told(u8 opcode, u8 rc);
bool uet_ses_final_note(struct uet_ses_tx *tx, const struct uet_pdc_up *up);

/* ses_tx_gen.c */
void uet_ses_gen_expect(struct uet_ses *ses, const struct uet_ses_tx *tx);
bool uet_ses_gen_note(struct uet_ses *ses, struct uet_ses_tx *tx,
		      const struct uet_pdc_up *up);
bool uet_ses_gen_keep(struct uet_ses *ses, struct uet_ses_tx *tx);
bool uet_ses_gen_stops(const struct uet_ses *ses, const struct uet_ses_tx *tx);
void uet_ses_gen_abort(struct uet_ses *ses, struct uet_ses_tx *tx);
bool uet_ses_gen_fail_first(struct uet_ses *ses, enum uet_pdc_error error);
void uet_ses_gen_step(struct uet_ses *ses, struct uet_pdc *pdc, u64 now);

/* ses_tx_read.c */
void uet_ses_read_init(struct uet_ses_read *read);
void uet_ses_read_ask(struct uet_ses *ses, struct uet_ses_tx *tx, u32 nr);
u32 uet_ses_read_may_ask(const struct uet_ses *ses, const struct uet_ses_tx *tx);
bool uet_ses_read_has(const struct uet_ses_tx *tx, u32 offset);
void uet_ses_read_await(struct uet_ses *ses, const struct uet_ses_tx *tx);
void uet_ses_read_forget(struct uet_ses *ses, struct uet_ses_tx *tx);
void uet_ses_read_hold(struct uet_ses *ses, struct uet_pdc *pdc, u64 now);

/* ses_tx_read_rsp.c */
void uet_ses_read_rsp_pump(struct uet_ses *ses, struct uet_pdc *pdc, u64 now);
void uet_ses_read_rsp_note(struct uet_ses *ses, const struct uet_pdc_up *up, u32 nr);
void uet_ses_read_rsp_fail(struct uet_ses *ses);

/* ses_tx_form.c */
u8 uet_ses_form_nh(const struct uet_ses_tx *tx);
void uet_ses_form_request(const struct uet_ses_tx *tx, struct uet_ses_req *req);
bool uet_ses_form_is_for(const struct uet_ses *ses, const struct uet_ses_tx *tx,
			 u32 psn);
void uet_ses_form_response(struct uet_ses *ses, const struct uet_ses_rsp *rsp,
			   const struct uet_pds_hdr *hdr);

/* ses_tx_defer.c */
void uet_ses_defer_note(struct uet_ses_tx *tx, u8 opcode, u8 rc, u8 list);
void uet_ses_defer_request(const struct uet_ses_tx *tx, struct uet_ses_req *req);

/* ses_tx_rdv.c */
void uet_ses_rdv_init(struct uet_ses *ses);
void uet_ses_rdv_begin(struct uet_ses *ses, struct uet_ses_tx *tx);
struct uet_ses_tx *uet_ses_rdv_find(const struct uet_ses *ses, u16 msg_id);
void uet_ses_rdv_forget(struct uet_ses_tx *tx);
bool uet_ses_rdv_goes_on(const struct uet_ses_tx *tx, u8 opcode, u8 rc, u8 list);
void uet_ses_rdv_request(const struct uet_ses_tx *tx, struct uet_ses_req *req);
void uet_ses_rdv_settle(const struct uet_ses *ses, struct uet_ses_tx *tx);
bool uet_ses_rdv_watch(struct uet_ses *ses, const struct uet_pdc *pdc, u64 now);

#endif /* UET_CORE_SES_TX_H */
