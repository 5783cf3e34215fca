/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions shared by the reassembly of messages (ses_rx.c), messages into
 * memory regions (ses_rx_rma.c) and rendezvous (ses_rx_rdv.c) only.
 * Level: core L5, private.
 */
#ifndef UET_CORE_SES_RX_H
#define UET_CORE_SES_RX_H

#include "ses.h"

enum uet_drop uet_ses_req_check(const struct uet_ses_req *req,
				const struct uet_ses_seg *seg);
enum uet_drop uet_ses_rx_check(const struct uet_ses_rx *rx,
			       const struct uet_ses_req *req,
			       const struct uet_ses_seg *seg);
void uet_ses_rx_note_som(struct uet_ses_rx *rx, const struct uet_ses_req *req);
enum uet_ses_step uet_ses_rx_pass(struct uet_ses *ses, struct uet_ses_rx *rx,
				  const struct uet_ses_req *req, u32 len);

/* ses_rx_rdv.c */
u32 uet_ses_rx_length(const struct uet_ses_req *req);
bool uet_ses_rx_rdv_is_same(const struct uet_ses_req *a,
			    const struct uet_ses_req *b);

#endif /* UET_CORE_SES_RX_H */
