/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A request that a PDC accepts: state and functions of rx_request.c (messages) and
 * rx_request_rma.c (memory).  No other file includes this header.
 */
#ifndef _UET_RX_REQUEST_H
#define _UET_RX_REQUEST_H

#include "pdc/pdc.h"
#include "rx.h"

/**
 * struct rxm - a request in the receive path; on the stack
 * @pe: PDC that received the request
 * @rx: the packet
 * @up: result for the socket
 * @req: its SES header
 * @len: length of the payload, bytes
 * @nack: enum uet_nack_code of the refusal; 0: accepted
 * @rsp: response that accepts the request
 * @data: data of @rsp
 * @us: endpoint whose receive buffer gets the payload, or NULL
 */
struct rxm {
	struct uet_pdc_entry *pe;
	struct uet_rx *rx;
	struct uet_rx_up *up;
	struct uet_ses_req req;
	size_t len;
	u8 nack;
	struct uet_ses_rsp rsp;
	u8 data[UET_PDC_ACK_DATA_MAX];
	const struct uet_sock *us;
};

/* Position of the packet in the PSN order of its PDC. */
static inline enum uet_order rxm_order(const struct rxm *m)
{
	if (!uet_pdc_rx_is_next(m->pe->pdc, &m->rx->hdr))
		return UET_ORDER_AHEAD;
	return m->pe->ses.nr_rx ? UET_ORDER_FILLS_GAP : UET_ORDER_IN_ORDER;
}

static inline u8 rxm_delivery(const struct rxm *m)
{
	return m->pe->mode == UET_PDC_ROD ? UET_DELIVERY_ROD :
					      UET_DELIVERY_RUD;
}

/* For an ordered message: whether its PDC may have lost an earlier message. */
static inline bool *rxm_strict(const struct rxm *m)
{
	return m->pe->mode == UET_PDC_ROD ? &m->pe->ses.gen.is_strict :
					      NULL;
}

/* rx_request.c */
enum uet_drop uet_rxm_error(struct rxm *m, u8 rc, enum uet_drop why);
enum uet_drop uet_rxm_nack(struct rxm *m, u8 nack);
enum uet_drop uet_rxm_refuse(struct rxm *m, struct uet_ses_rx *sr, u8 rc,
			     enum uet_drop why);
enum uet_drop uet_rxm_check_endpoint(struct rxm *m, struct uet_sock *us);
enum uet_drop uet_rxm_no_space(struct rxm *m, struct uet_sock *us);
bool uet_rxm_make_space(struct uet_ses *ses);
void uet_rxm_start(struct rxm *m, struct uet_rx_message *rm);
void uet_rxm_forget(struct rxm *m, struct uet_ses_rx *sr);
void uet_rxm_failed(struct rxm *m, struct uet_rx_message *rm);
enum uet_drop uet_rxm_place_failed(struct rxm *m, struct uet_ses_rx *tombstone);

/* rx_request_rma.c */
enum uet_drop uet_rxm_rma(struct rxm *m);
enum uet_drop uet_rxm_read(struct rxm *m);
enum uet_drop uet_rxm_tagged_atomic(struct rxm *m);

#endif
