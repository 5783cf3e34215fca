// SPDX-License-Identifier: GPL-2.0
/*
 * Requests of a PDC for memory: writes, reads, and atomic operations on regions and on
 * posted receives.  The regions are in rx_rma.c and rx_read.c.
 * Spec: UE 1.0.1 3.4.1, 3.4.3.
 */
#include <linux/uet.h>

#include "endpoint/endpoint.h"
#include "fabric/fabric.h"
#include "message/message.h"
#include "rx_request.h"

/*
 * Check whether RMA needs a message. A single-packet operation without a
 * notification needs none; other operations are counted until all packets have
 * arrived.
 */
static bool rxm_rma_is_alone(const struct rxm *m)
{
	return m->req.som && m->req.eom && !m->req.hd;
}

static enum uet_drop rxm_rma_begin(struct rxm *m, struct uet_sock *us,
				   struct uet_ses_rx **sr)
{
	struct uet_ses *ses = &m->pe->ses;
	struct uet_rx_message *rm;

	if (!uet_rxm_make_space(ses))
		return uet_rxm_nack(m, UET_NACK_NO_SES_MSG_AVAIL);
	rm = uet_rx_message_admit_rma(us, &m->rx->from);
	if (!rm)
		return uet_rxm_nack(m, UET_NACK_NO_SES_MSG_AVAIL);
	uet_rxm_start(m, rm);
	*sr = &rm->ses;
	return UET_DROP_NONE;
}

/* Count the packet for its message, before the packet is executed. */
static enum uet_drop rxm_rma_count(struct rxm *m, struct uet_rx_message *rm)
{
	enum uet_ses_step step;
	enum uet_drop why;

	/* The notification at the end of the message needs memory. */
	if (m->req.hd && !uet_rx_message_reserve_note(rm, rxm_order(m)))
		return uet_rxm_nack(m, UET_NACK_NO_SES_MSG_AVAIL);
	step = uet_ses_rx_rma(&m->pe->ses, &rm->ses, &m->req, m->len, &why);
	if (step == UET_SES_ERROR) {
		uet_rxm_failed(m, rm);
		return uet_rxm_error(m, rm->ses.rc, why);
	}
	if (step == UET_SES_DONE) {
		m->up->rm = rm;
		m->up->is_complete = rm->ses.req.hd;
		m->up->is_silent = !rm->ses.req.hd;
	}
	return UET_DROP_NONE;
}

/* The answer carries @m->data, which is kept until the peer has confirmed it. */
static void rxm_answer(struct rxm *m, u32 len)
{
	uet_ses_rsp_data(&m->rsp, &m->req, m->rx->hdr.u.req.psn, len);
	m->rsp.data = m->data;
	uet_mib_inc(m->pe->fep->un, UET_MIB_RX_READ);
}

/* Count the packet for its message, which begins if @sr is NULL. */
static enum uet_drop rxm_rma_admit(struct rxm *m, struct uet_sock *us,
				   struct uet_ses_rx *sr)
{
	bool begins = !sr;
	enum uet_drop why = begins ? rxm_rma_begin(m, us, &sr) : UET_DROP_NONE;

	if (why)
		return why;
	why = rxm_rma_count(m, container_of(sr, struct uet_rx_message, ses));
	if (why == UET_DROP_SES_NO_SPACE && begins)
		uet_rxm_forget(m, sr);
	return why;
}

/* The packet was executed. @begins: its message has begun with it, if it has one. */
static void rxm_rma_note_end(const struct rxm *m, const struct uet_rx_rma *rma,
			     bool begins)
{
	bool is_fetch = m->req.opcode == UET_OP_FETCHING_ATOMIC;

	if (m->up->rm || (begins && rxm_rma_is_alone(m)))
		uet_mr_count(rma->us, rma->mr,
			     is_fetch ? UET_MR_USE_FETCH : UET_MR_USE_WRITE);
}

/* The region of @rma cannot be unpinned. */
static enum uet_drop rxm_rma_exec(struct rxm *m, const struct uet_rx_rma *rma,
				  struct uet_ses_rx *sr)
{
	enum uet_drop why = UET_DROP_NONE;

	if (!sr)
		why = uet_rxm_check_endpoint(m, rma->us);
	if (!why && (sr || !rxm_rma_is_alone(m)))
		why = rxm_rma_admit(m, rma->us, sr);
	if (why)
		return why;
	uet_rx_rma_exec(m->rx, &m->req, m->len, rma, m->data);
	rxm_rma_note_end(m, rma, !sr);
	if (m->req.opcode == UET_OP_FETCHING_ATOMIC)
		rxm_answer(m, rma->op.size);
	return UET_DROP_NONE;
}

/*
 * Execute a packet of a write or an atomic operation.
 * Return: UET_DROP_NONE, or the reason of the refusal.
 * Spec: UE 1.0.1 3.4.1
 */
enum uet_drop uet_rxm_rma(struct rxm *m)
{
	struct uet_ses_seg *seg = &uet_skb_cb(m->rx->skb)->seg;
	struct uet_rx_rma rma;
	struct uet_ses_rx *sr;
	enum uet_drop why;
	u8 rc;

	memset(seg, 0, sizeof(*seg));
	seg->len = m->len;
	sr = uet_ses_rx_find(&m->pe->ses, &m->req, m->rx->hdr.u.req.psn);
	if (sr && sr->failed)
		return uet_rxm_place_failed(m, sr);
	why = uet_rx_rma_check(m->pe->fep, &m->req, m->len, &rma, &rc);
	why = why ? uet_rxm_refuse(m, sr, rc, why) : rxm_rma_exec(m, &rma, sr);
	uet_mr_release(rma.mr);
	return why;
}

/* The response to a longer READ follows in the return direction. */
static enum uet_drop rxm_send_read_rsp(struct rxm *m,
				       const struct uet_rx_read *rd)
{
	struct uet_ses *ses = &m->pe->ses;
	struct uet_read_rsp_msg *read_rsp = NULL;

	if (uet_ses_read_rsp_space(ses))
		read_rsp = uet_read_rsp_copy(rd->us, rd->mr, rd->offset, rd->len, 1);
	if (!read_rsp)
		return uet_rxm_nack(m, UET_NACK_NO_PKT_BUFFER);
	uet_ses_rsp_data(&read_rsp->ses.rsp, &m->req, m->rx->hdr.u.req.psn,
			 rd->len);
	uet_ses_read_rsp_queue(ses, &read_rsp->ses, 1);
	uet_mib_inc(m->pe->fep->un, UET_MIB_RX_READ);
	return UET_DROP_NONE;
}

/* Give the bytes to the answer. */
static enum uet_drop rxm_read_data(struct rxm *m, const struct uet_rx_read *rd)
{
	if (!rd->len)
		return UET_DROP_NONE;
	if (!uet_ses_read_in_ack(&m->req, uet_pdc_max_ack_data(m->pe->pdc)))
		return rxm_send_read_rsp(m, rd);
	uet_mr_read(rd->mr, rd->offset, m->data, rd->len);
	rxm_answer(m, rd->len);
	return UET_DROP_NONE;
}

/* The region of @rd cannot be unpinned. */
static enum uet_drop rxm_read_exec(struct rxm *m, const struct uet_rx_read *rd)
{
	enum uet_drop why = uet_rxm_check_endpoint(m, rd->us);

	if (!why)
		why = rxm_read_data(m, rd);
	/* Each packet requests its part.  The target does not know when all have arrived. */
	if (!why && m->req.som)
		uet_mr_count(rd->us, rd->mr, UET_MR_USE_READ);
	return why;
}

/*
 * Answer a read.
 *
 * The answer is in the ACK if it fits there, else it follows in the return direction.
 *
 * Return: UET_DROP_NONE, or the reason of the refusal.
 * Spec: UE 1.0.1 3.4.1
 */
enum uet_drop uet_rxm_read(struct rxm *m)
{
	struct uet_rx_read rd;
	enum uet_drop why;
	u8 rc;

	why = uet_rx_read_check(m->pe->fep, &m->req, &rd, &rc);
	why = why ? uet_rxm_error(m, rc, why) : rxm_read_exec(m, &rd);
	uet_mr_release(rd.mr);
	return why;
}

/*
 * Execute a tagged atomic operation.
 *
 * The operation changes the values of one receive; it never matches a later one.
 *
 * Return: UET_DROP_NONE, or the reason of the refusal.
 * Spec: UE 1.0.1 3.4.1
 */
enum uet_drop uet_rxm_tagged_atomic(struct rxm *m)
{
	struct uet_rx_tagged_atomic ta = { .delivery = rxm_delivery(m) };
	enum uet_drop why = uet_rx_tagged_atomic_check(m->pe->fep, &m->req,
						       m->len, &ta);
	enum uet_rc rc;

	if (why)
		return uet_rxm_error(m, ta.rc, why);
	ta.us = uet_rx_endpoint(m->pe->fep, &m->req, &rc);
	if (!ta.us)
		return uet_rxm_error(m, rc, uet_rx_no_endpoint(rc));
	why = uet_rxm_check_endpoint(m, ta.us);
	if (why)
		return why;
	why = uet_rx_tagged_atomic(m->rx, &m->req, &ta, m->up);
	if (why == UET_DROP_SES_NO_SPACE)
		return uet_rxm_nack(m, UET_NACK_NO_SES_MSG_AVAIL);
	if (why == UET_DROP_SES_NO_MATCH && rxm_strict(m) &&
	    uet_gen_wants_recv(ta.us, &m->req))
		return uet_rxm_no_space(m, ta.us);
	if (why)
		return uet_rxm_error(m, ta.rc, why);
	if (uet_ses_is_fetching(m->req.opcode)) {
		uet_amo_put(m->data, ta.old, ta.op.size, ta.op.form);
		rxm_answer(m, ta.op.size);
	}
	return UET_DROP_NONE;
}
