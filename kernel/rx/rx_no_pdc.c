// SPDX-License-Identifier: GPL-2.0
/*
 * Packets without a PDC. A RUDI request of a peer is executed and answered, and no state
 * remains; its retransmission is executed again. A RUDI response is passed to the local request
 * that waits for it (pdc/rudi.c). A datagram (UUD) is a message of one packet, which gets no
 * answer.
 * Spec: UE 1.0.1 3.5.10.9, 3.5.10.12, Table 3-17 (UET_DATAGRAM_SEND), uet-wire 3.14 (RUDI use).
 */
#include <linux/uet.h>

#include "core/pds/rudi.h"
#include "core/ses/ses.h"
#include "endpoint/endpoint.h"
#include "fabric/fabric.h"
#include "fabric/trace.h"
#include "message/message.h"
#include "pdc/pdc.h"
#include "rx.h"

/* A READ; @read_rsp gets the data. */
static enum uet_drop rudi_read(struct uet_rx *rx, const struct uet_ses_req *req,
			       u8 *rc, struct uet_read_rsp_msg **read_rsp)
{
	struct uet_rx_rma rd;
	enum uet_drop why;

	why = uet_rx_read_check(rx, req, &rd, rc);
	if (!why && rd.len)
		*read_rsp = uet_read_rsp_copy(rd.us, rd.mr, rd.offset, rd.len, 1);
	uet_mr_release(rd.mr);
	if (why || !rd.len)
		return why;
	if (!*read_rsp)
		return UET_DROP_SES_NO_SPACE;
	uet_ses_rsp_data(&(*read_rsp)->ses.rsp, req, 0, rd.len);
	uet_mib_inc(rx->fep->un, UET_MIB_RX_READ);
	return UET_DROP_NONE;
}

static enum uet_drop rudi_write(struct uet_rx *rx, const struct uet_ses_req *req,
				u32 len, u8 *rc)
{
	struct uet_rx_rma rma;
	enum uet_drop why;

	why = uet_rx_rma_check(rx, req, len, &rma, rc);
	if (!why)
		uet_rx_rma_exec(rx, req, len, &rma, NULL);
	uet_mr_release(rma.mr);
	return why;
}

/* Execute the request; @rc gets the return code of the answer. */
static enum uet_drop rudi_exec(struct uet_rx *rx, struct uet_ses_req *req,
			       u8 *rc, struct uet_read_rsp_msg **read_rsp)
{
	enum uet_drop why;
	size_t len;

	why = uet_rx_request(rx, req, &len);
	if (why) {
		*rc = uet_ses_rx_rudi(req, why);
		return why;
	}
	why = uet_rx_resolve_small(rx->fep, req, rc);
	if (why)
		return why;
	*rc = uet_ses_rx_rudi(req, UET_DROP_NONE);
	if (*rc != UET_RC_OK)
		return UET_DROP_SES_BAD_OP;
	if (req->opcode == UET_OP_READ)
		return rudi_read(rx, req, rc, read_rsp);
	return req->opcode == UET_OP_WRITE ? rudi_write(rx, req, len, rc) :
					     UET_DROP_NONE;
}

/* A request that finds no memory is not answered, and its sender retransmits it. */
static enum uet_drop rudi_req(struct uet_rx *rx)
{
	struct uet_read_rsp_msg *read_rsp = NULL;
	struct uet_ses_rsp rsp;
	struct uet_ses_req req;
	struct uet_pdc_tx tx;
	enum uet_drop why;
	u8 rc;

	why = rudi_exec(rx, &req, &rc, &read_rsp);
	if (why == UET_DROP_SES_NO_SPACE)
		return why;
	if (rc != UET_RC_OK)
		uet_ses_rsp_error(&rsp, &req, rc);
	else if (read_rsp)
		rsp = read_rsp->ses.rsp;
	else
		uet_ses_rsp_default(&rsp, &req);
	if (!uet_rudi_reply(&rx->hdr, &rx->in, &rsp, 0, &tx))
		return why;
	/* A sender with a matching key may send any number of requests. */
	if (rc == UET_RC_OK && req.opcode != UET_OP_NO_OP) {
		uet_tx_reply(rx->fep, &rx->from, &tx, read_rsp);
		return why;
	}
	return uet_rx_reply(rx, &tx, UET_RUDI_LEN + UET_SES_RSP_LEN, why);
}

/**
 * struct rudi_data - the data of a response, and the packet that it is in
 * @data: for uet_rudi_entry_rx_resp()
 * @rx: packet, from the data on
 * @len: bytes of data
 */
struct rudi_data {
	struct uet_rudi_data data;
	struct uet_rx *rx;
	u32 len;
};

static enum uet_drop rudi_put(const struct uet_rudi_data *data, struct uet_ses *ses,
			      const struct uet_ses_rsp *rsp, const struct uet_pds_pkt *pkt)
{
	const struct rudi_data *d = container_of(data, struct rudi_data, data);

	return uet_rx_data_answer(d->rx->fep, ses, d->rx, rsp, pkt, d->len);
}

/* Only the peer that was asked can answer; its packet announces a response. */
static enum uet_drop rudi_resp(struct uet_rx *rx)
{
	struct uet_rudi_entry *re = uet_rudi_entry_find(rx->fep->pdcs, &rx->from);
	struct rudi_data d = { .data.put = rudi_put, .rx = rx };
	struct uet_ses_rsp space, *rsp;
	enum uet_drop why;
	size_t len;

	if (!re)
		return UET_DROP_BAD_RUDI_ID;
	why = uet_rx_response(rx, &space, &rsp, &len);
	if (why)
		return why;
	d.len = len;
	return uet_rudi_entry_rx_resp(re, &rx->hdr, rsp, &d.data);
}

/* ------------------------------------------------------------------ datagrams */

/* Pass the datagram to SES as a message, in a temporary SES of this packet only. */
static enum uet_drop uud_place(struct uet_rx *rx, struct uet_rx_message *rm,
			       const struct uet_ses_req *req, size_t len)
{
	struct uet_ses_seg *seg = &uet_skb_cb(rx->skb)->seg;
	enum uet_drop why;
	struct uet_ses ses;

	memset(seg, 0, sizeof(*seg));
	seg->len = len;
	uet_ses_init(&ses);
	uet_ses_rx_start(&ses, &rm->ses, req);
	if (uet_ses_rx_seg(&ses, &rm->ses, req, seg, &why) == UET_SES_DONE)
		return UET_DROP_NONE;
	if (uet_ses_rx_is_linked(&rm->ses))
		uet_ses_rx_drop(&ses, &rm->ses);
	return why;
}

static void uud_deliver(struct uet_rx *rx, struct uet_rx_message *rm)
{
	LIST_HEAD(segs);

	uet_rx_keep(rx);
	uet_ses_rx_take(&rm->ses, &segs);
	uet_rx_message_deliver(rm, &segs);
	uet_mib_inc(rx->fep->un, UET_MIB_MSG_RECEIVED);
	uet_mib_inc(rx->fep->un, UET_MIB_RX_UUD);
	uet_traffic_received(&rx->fep->traffic, rm->length);
	uet_traffic_received(&rm->us->job->traffic, rm->length);
	trace_uet_msg_rx_done(rx->fep, &rm->ses);
}

static enum uet_drop uud_req(struct uet_rx *rx)
{
	struct uet_rx_message *rm;
	struct uet_ses_req req;
	struct uet_sock *us;
	enum uet_drop why;
	enum uet_rc rc;
	size_t len;
	u8 ri_gen;

	why = uet_rx_request(rx, &req, &len);
	if (!why)
		why = uet_ses_rx_datagram(&req);
	if (why)
		return why;
	us = uet_rx_endpoint(rx, &req, &rc);
	if (!us)
		return uet_rx_no_endpoint(rc);
	if (uet_gen_check(us, &req, NULL, &ri_gen) != UET_RC_OK)
		return UET_DROP_SES_DISABLED;
	rm = uet_rx_message_admit(us, &req, &rx->from, UET_ORDER_IN_ORDER);
	if (!rm)
		return UET_DROP_SES_NO_SPACE;
	rm->delivery = UET_DELIVERY_UUD;
	why = uet_rx_message_hold(rm, rx->skb, len) ?
	      uud_place(rx, rm, &req, len) : UET_DROP_SES_NO_SPACE;
	if (!why)
		uud_deliver(rx, rm);
	uet_rx_message_put(rm);
	return why;
}

/* Receive a request, a response or a NACK; the packet starts after the PDS header. */
enum uet_drop uet_rx_no_pdc(struct uet_rx *rx)
{
	struct uet_rudi_entry *re;

	switch (rx->hdr.type) {
	case UET_TY_RUDI_REQ:
		return rudi_req(rx);
	case UET_TY_RUDI_RESP:
		return rudi_resp(rx);
	case UET_TY_UUD_REQ:
		return uud_req(rx);
	default:
		re = uet_rudi_entry_find(rx->fep->pdcs, &rx->from);
		return re ? uet_rudi_entry_rx_nack(re, &rx->hdr) : UET_DROP_BAD_NACK_ID;
	}
}
