// SPDX-License-Identifier: GPL-2.0
/*
 * From a request that a PDC accepts to its effect: decodes the SES header, finds the message or
 * starts one for the endpoint, or accesses memory (rx_target.c), and chooses the answer. The
 * answer is the default response, an error response, or a NACK while the receiver has no space.
 * Reassembly is in core/ses/ses_rx.c, the receive buffer in rx_message.c, posted receives in
 * rx_match.c, responses to local reads in rx_data.c.
 * Spec: UE 1.0.1 3.4.1, 3.4.3, 3.5.12.
 */
#include <linux/slab.h>
#include <linux/uet.h>

#include "endpoint/endpoint.h"
#include "fabric/fabric.h"
#include "fabric/trace.h"
#include "message/message.h"
#include "pdc/pdc.h"
#include "transfer/transfer.h"
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
static enum uet_order rxm_order(const struct rxm *m)
{
	if (!uet_pdc_rx_is_next(m->pe->pdc, &m->rx->hdr))
		return UET_ORDER_AHEAD;
	return m->pe->ses.nr_rx ? UET_ORDER_FILLS_GAP : UET_ORDER_IN_ORDER;
}

static u8 rxm_delivery(const struct rxm *m)
{
	return m->pe->mode == UET_PDC_ROD ? UET_DELIVERY_ROD :
					      UET_DELIVERY_RUD;
}

/* For an ordered message: whether its PDC may have lost an earlier message. */
static bool *rxm_strict(const struct rxm *m)
{
	return m->pe->mode == UET_PDC_ROD ? &m->pe->ses.gen.is_strict :
					      NULL;
}

/* Refuse a request for good. Return: @why. */
static enum uet_drop rxm_error(struct rxm *m, u8 rc, enum uet_drop why)
{
	uet_ses_rsp_error(&m->rsp, &m->req, rc);
	if (m->req.som)
		uet_mib_inc(m->pe->fep->un, UET_MIB_MSG_REFUSED);
	return why;
}

/* Refuse a request for now: the sender keeps the packet and sends it again later. */
static enum uet_drop rxm_nack(struct rxm *m, u8 nack)
{
	m->nack = nack;
	uet_mib_inc(m->pe->fep->un, UET_MIB_MSG_DEFERRED);
	return UET_DROP_SES_NO_SPACE;
}

/*
 * Make space for another message of a PDC. Return: false if the table is full of messages in
 * progress.
 */
static bool rxm_make_space(struct uet_ses *ses)
{
	struct uet_ses_rx *tombstone;

	if (uet_ses_rx_has_space(ses))
		return true;
	tombstone = uet_ses_rx_evict(ses);
	kfree(tombstone);
	return tombstone;
}

/* The endpoint is disabled, has another generation, or is paused. */
static enum uet_drop rxm_shut(struct rxm *m, u8 rc, u8 ri_gen)
{
	enum uet_drop why = rc == UET_RC_BAD_GENERATION ?
			    UET_DROP_SES_BAD_GEN : UET_DROP_SES_DISABLED;

	rxm_error(m, rc, why);
	m->rsp.ri_gen = ri_gen;
	return why;
}

/* Does the endpoint accept a new message? */
static enum uet_drop rxm_check_endpoint(struct rxm *m, struct uet_sock *us)
{
	u8 ri_gen, rc = uet_gen_check(us, &m->req, rxm_strict(m), &ri_gen);

	return rc == UET_RC_OK ? UET_DROP_NONE : rxm_shut(m, rc, ri_gen);
}

/*
 * An endpoint has no space for a message. Disables the generation of an ordered endpoint that
 * asked for it.
 */
static enum uet_drop rxm_no_space(struct rxm *m, struct uet_sock *us)
{
	bool *is_strict = rxm_strict(m);
	u8 ri_gen;

	m->up->full = us;
	if (!is_strict || !uet_gen_disable(us, &m->req, is_strict, &ri_gen))
		return rxm_nack(m, UET_NACK_NO_SES_MSG_AVAIL);
	uet_mib_inc(m->pe->fep->un, UET_MIB_GEN_DISABLED);
	return rxm_shut(m, UET_RC_DISABLED_GEN, ri_gen);
}

/* No endpoint receives a NO_OP, but its order after a refused message still counts. */
static enum uet_drop rxm_no_op(struct rxm *m)
{
	enum uet_drop why = UET_DROP_NONE;
	struct uet_sock *us;
	enum uet_rc rc;

	us = rxm_strict(m) ? uet_rx_endpoint(m->rx, &m->req, &rc) : NULL;
	if (us)
		why = rxm_check_endpoint(m, us);
	if (!why)
		uet_mib_inc(m->pe->fep->un, UET_MIB_RX_NO_OP);
	return why;
}

/* A packet of a deferred message: the sender keeps the message. */
static enum uet_drop rxm_respond_deferred(struct rxm *m, struct uet_ses_rx *tombstone)
{
	uet_ses_rx_put_off(&m->pe->ses, tombstone, &m->req, m->len);
	if (!uet_ses_rx_is_linked(tombstone))
		kfree(tombstone);
	uet_ses_rsp_deferred(&m->rsp, &m->req);
	return UET_DROP_NONE;
}

/* Answer a packet of a failed message; its tombstone is freed with its last packet. */
static enum uet_drop rxm_place_failed(struct rxm *m, struct uet_ses_rx *tombstone)
{
	struct uet_ses_seg *seg = &uet_skb_cb(m->rx->skb)->seg;
	enum uet_ses_step step;
	enum uet_drop why;
	u8 rc = tombstone->rc;

	if (tombstone->deferred && m->req.opcode != UET_OP_MSG_ERROR)
		return rxm_respond_deferred(m, tombstone);
	step = uet_ses_rx_seg(&m->pe->ses, tombstone, &m->req, seg, &why);
	if (!uet_ses_rx_is_linked(tombstone))
		kfree(tombstone);
	return step == UET_SES_ERROR ? rxm_error(m, rc, why) : why;
}

/*
 * Drop this packet: defer its message if @rc is UET_RC_OK, else refuse it with @rc. If the
 * message has several packets, the tombstone gives all of them the same answer.
 */
static enum uet_drop rxm_defer_or_refuse(struct rxm *m, u8 rc, enum uet_drop why)
{
	struct uet_ses_rx *tombstone;

	if (m->req.som && m->req.eom && rc == UET_RC_OK)
		uet_ses_rsp_deferred(&m->rsp, &m->req);
	if (m->req.som && m->req.eom)
		return rc == UET_RC_OK ? UET_DROP_NONE : rxm_error(m, rc, why);
	tombstone = kmalloc(sizeof(*tombstone), GFP_ATOMIC | __GFP_NOWARN);
	if (!tombstone)
		return rxm_nack(m, UET_NACK_NO_SES_MSG_AVAIL);
	uet_ses_rx_defer(&m->pe->ses, tombstone, &m->req);
	if (rc == UET_RC_OK)
		return rxm_respond_deferred(m, tombstone);
	tombstone->deferred = false;
	tombstone->rc = rc;
	rxm_place_failed(m, tombstone);
	return why;
}

/* The message needs a posted receive, and no receive was ever posted. */
static bool rxm_lacks_recv(const struct rxm *m, struct uet_sock *us)
{
	return rxm_strict(m) && uet_gen_wants_recv(us, &m->req) &&
	       !uet_recv_is_used(us);
}

/*
 * A message that may be deferred, or a rendezvous: that is matched now, and the rest of its data
 * is read later. A message that cannot be deferred needs a posted receive like any other.
 * Return: UET_DROP_NONE without a message if the message is deferred.
 */
static enum uet_drop rxm_admit_envelope(struct rxm *m, struct uet_sock *us,
					struct uet_rx_message **rm)
{
	bool is_rdv = uet_ses_rx_is_rdv(&m->req);
	enum uet_admission outcome;
	u8 rc = UET_RC_UNCOR;
	enum uet_drop why;

	*rm = NULL;
	why = is_rdv ? uet_ses_rx_rdv_check(&m->req, m->len, &rc) :
		       uet_ses_rx_may_begin(&m->req, m->len);
	if (why)
		return rxm_error(m, rc, why);
	if (rxm_lacks_recv(m, us))
		return rxm_no_space(m, us);
	if (is_rdv)
		outcome = uet_rx_rdv_admit(us, &m->req, &m->rx->from, m->pe, rxm_order(m), rm);
	else
		outcome = uet_rx_deferrable_admit(us, &m->req, &m->rx->from, rxm_delivery(m),
						  rxm_order(m), rm);
	switch (outcome) {
	case UET_ADMIT_START:
		return UET_DROP_NONE;
	case UET_ADMIT_DEFER:
		return rxm_defer_or_refuse(m, UET_RC_OK, UET_DROP_NONE);
	case UET_ADMIT_BAD_TOKEN:
		return rxm_defer_or_refuse(m, UET_RC_NO_MATCH, UET_DROP_SES_BAD_TOKEN);
	case UET_ADMIT_RDV_LONG:
		return rxm_defer_or_refuse(m, UET_RC_TOO_LONG, UET_DROP_SES_RDV_LONG);
	case UET_ADMIT_NO_SPACE:
		break;
	}
	return rxm_no_space(m, us);
}

/*
 * Reads complete in any order. If messages are delivered as they become readable, an ordered
 * message waits until the rendezvous before it is complete.
 */
static bool rxm_is_behind_rdv(const struct rxm *m, const struct uet_sock *us)
{
	return m->pe->mode == UET_PDC_ROD && !list_empty(&m->pe->rdvs) &&
	       !uet_recv_is_used(us);
}

static enum uet_drop rxm_admit(struct rxm *m, struct uet_sock *us, struct uet_rx_message **rm)
{
	if (rxm_is_behind_rdv(m, us))
		return rxm_nack(m, UET_NACK_NO_SES_MSG_AVAIL);
	if (uet_ses_rx_is_rdv(&m->req) || uet_ses_rx_is_deferrable(&m->req))
		return rxm_admit_envelope(m, us, rm);
	*rm = uet_rx_match_admit(us, &m->req, &m->rx->from);
	if (!*rm && !(rxm_strict(m) && uet_gen_wants_recv(us, &m->req)))
		*rm = uet_rx_message_admit(us, &m->req, &m->rx->from, rxm_order(m));
	return *rm ? UET_DROP_NONE : rxm_no_space(m, us);
}

/* Begin a message with its first packet. close() looks for it, unless this packet completes it. */
static void rxm_start(struct rxm *m, struct uet_rx_message *rm)
{
	rm->delivery = rxm_delivery(m);
	if (!m->req.som || !m->req.eom || rm->ops)
		uet_rx_message_link(rm, m->pe->id);
	uet_ses_rx_start(&m->pe->ses, &rm->ses, &m->req);
}

/*
 * Return: the reason why no message starts; UET_DROP_NONE without one if the request was
 * answered.
 */
static enum uet_drop rxm_begin(struct rxm *m, struct uet_ses_rx **sr)
{
	struct uet_ses *ses = &m->pe->ses;
	struct uet_rx_message *rm;
	struct uet_sock *us;
	enum uet_drop why;
	enum uet_rc rc;

	us = uet_rx_endpoint(m->rx, &m->req, &rc);
	if (!us)
		return rxm_error(m, rc, uet_rx_no_endpoint(rc));
	why = rxm_check_endpoint(m, us);
	if (why)
		return why;
	if (!rxm_make_space(ses))
		return rxm_nack(m, UET_NACK_NO_SES_MSG_AVAIL);
	why = rxm_admit(m, us, &rm);
	if (why || !rm)
		return why;
	rxm_start(m, rm);
	if (rm->is_placed && !(rm->rdv && rm->rdv->is_read_whole) &&
	    !uet_recv_fits(rm->recv, rm->length))
		uet_ses_rx_fail(&rm->ses, UET_RC_TOO_LONG);
	*sr = &rm->ses;
	return UET_DROP_NONE;
}

/* A packet of a message in progress. Return: the reason why it is not kept. */
static enum uet_drop rxm_continue(struct rxm *m, struct uet_rx_message *rm)
{
	if (uet_rx_message_is_orphan(rm))
		uet_ses_rx_fail(&rm->ses, UET_RC_CANCELLED);
	else if (!uet_rx_message_accepts(rm, m->req.message_offset, m->len))
		return rxm_nack(m, UET_NACK_NO_PKT_BUFFER);
	return UET_DROP_NONE;
}

/* SES has kept the packet; check whether the socket has become readable. */
static void rxm_kept(struct rxm *m, struct uet_rx_message *rm, bool is_complete)
{
	struct uet_rx_up *up = m->up;

	if (!is_complete && !uet_rx_message_is_streamed(rm))
		return;
	uet_ses_rx_take(&rm->ses, &up->segs);
	if (!is_complete && list_empty(&up->segs))
		return;
	if (!is_complete)
		uet_rx_message_get(rm);
	up->is_complete = is_complete && !rm->rdv;
	up->is_pushed = is_complete && rm->rdv;
	up->rm = rm;
}

/* A message failed with this packet. */
static void rxm_failed(struct rxm *m, struct uet_rx_message *rm)
{
	uet_pdc_entry_mark_failed(m->pe, rm);
	uet_rx_rdv_failed(rm);
	m->up->error = rm->ses.rc == UET_RC_TOO_LONG ? -EMSGSIZE : -EIO;
	m->up->rm = rm;
}

/* Refuse a packet, which is not executed, and the message it belongs to. Return: @why. */
static enum uet_drop rxm_refuse(struct rxm *m, struct uet_ses_rx *sr, u8 rc, enum uet_drop why)
{
	if (sr) {
		uet_ses_rx_fail(sr, rc);
		rxm_failed(m, container_of(sr, struct uet_rx_message, ses));
	}
	return rxm_error(m, rc, why);
}

/*
 * Where receives are posted, the response reports an unexpected message to the sender (uet-wire
 * 3.14). Where messages are only read by recvmsg(), no message is unexpected.
 */
static void rxm_respond_unexpected(struct rxm *m, const struct uet_rx_message *rm)
{
	/* Pairs with rx_lock: a receive may take the message at any time. */
	if (uet_recv_is_used(rm->us) && !READ_ONCE(rm->recv))
		m->rsp.list = UET_LIST_OVERFLOW;
}

/* The response is not final; with posted receives the message may be unexpected. */
static void rxm_respond_rdv(struct rxm *m, const struct uet_rx_message *rm)
{
	uet_ses_rsp_none(&m->rsp, &m->req);
	if (rm->rdv->is_read_whole)
		m->rsp.list = UET_LIST_OVERFLOW;
}

/* Pass the packet to SES. */
static enum uet_drop rxm_place(struct rxm *m, struct uet_rx_message *rm)
{
	struct uet_ses_seg *seg = &uet_skb_cb(m->rx->skb)->seg;
	enum uet_ses_step step;
	enum uet_drop why;

	step = uet_ses_rx_seg(&m->pe->ses, &rm->ses, &m->req, seg, &why);
	switch (step) {
	case UET_SES_MORE:
	case UET_SES_DONE:
		uet_rx_keep(m->rx);
		if (rm->rdv)
			rxm_respond_rdv(m, rm);
		else
			rxm_respond_unexpected(m, rm);
		rxm_kept(m, rm, step == UET_SES_DONE);
		break;
	case UET_SES_IGNORE:
		rxm_failed(m, rm);
		break;
	case UET_SES_ERROR:
		rxm_failed(m, rm);
		return rxm_error(m, rm->ses.rc, why);
	}
	return UET_DROP_NONE;
}

/* The response to a truncated message reports how many bytes were kept. */
static void rxm_respond_truncated(struct rxm *m, const struct uet_rx_message *rm)
{
	if (rm->rdv) {
		rxm_respond_rdv(m, rm);
	} else if (m->req.eom && rm->recv->length < rm->length) {
		m->rsp.opcode = UET_RSP_RESPONSE;
		m->rsp.modified_length = rm->recv->length;
	}
}

/*
 * A packet for a posted receive is copied to its memory at once. The payload of a rendezvous
 * that is read from its beginning is discarded.
 */
static enum uet_drop rxm_put(struct rxm *m, struct uet_rx_message *rm)
{
	u32 offset = uet_ses_req_offset(&m->req);
	enum uet_ses_step step;
	enum uet_drop why;
	int err;

	step = uet_ses_rx_rma(&m->pe->ses, &rm->ses, &m->req, m->len, &why);
	if (step == UET_SES_ERROR) {
		rxm_failed(m, rm);
		return rxm_error(m, rm->ses.rc, why);
	}
	err = uet_rx_rdv_discards(rm) ? 0 :
	      uet_posted_recv_put(rm->us, rm->recv, offset, m->rx->skb, m->len);
	if (err) {
		uet_ses_rx_fail(&rm->ses, UET_RC_CANCELLED);
		rxm_failed(m, rm);
		m->up->error = err;
		return rxm_error(m, UET_RC_CANCELLED, UET_DROP_SES_BAD_KEY);
	}
	if (rm->is_placed)
		uet_mib_inc(m->pe->fep->un, UET_MIB_RX_POSTED);
	rxm_respond_truncated(m, rm);
	if (step == UET_SES_DONE) {
		m->up->rm = rm;
		m->up->is_complete = !rm->rdv;
		m->up->is_pushed = rm->rdv;
	}
	return UET_DROP_NONE;
}

/*
 * Forget a message whose first packet is refused. Messages that wait for space behind a lost
 * packet would otherwise fill the table of the PDC, and the lost packet could not begin.
 */
static void rxm_forget(struct rxm *m, struct uet_ses_rx *sr)
{
	uet_ses_rx_drop(&m->pe->ses, sr);
	uet_rx_message_put(container_of(sr, struct uet_rx_message, ses));
}

/*
 * Charge the memory of the packet. A failed message keeps nothing, and a deferred message
 * cannot be restarted again.
 */
static bool rxm_hold(struct rxm *m, struct uet_rx_message *rm)
{
	return uet_rx_message_hold(rm, m->rx->skb, m->len) ||
	       rm->ses.failed || rm->defer;
}

static enum uet_drop rxm_find_place(struct rxm *m)
{
	struct uet_ses_seg *seg = &uet_skb_cb(m->rx->skb)->seg;
	struct uet_ses_rx *sr;
	struct uet_rx_message *rm;
	enum uet_drop why;
	bool begins;

	memset(seg, 0, sizeof(*seg));
	seg->len = m->len;
	sr = uet_ses_rx_find(&m->pe->ses, &m->req, m->rx->hdr.u.req.psn);
	if (sr && uet_ses_rx_is_restarted(sr, &m->req)) {
		uet_ses_rx_drop(&m->pe->ses, sr);
		kfree(sr);
		sr = NULL;
	}
	if (sr && sr->failed)
		return rxm_place_failed(m, sr);
	if (sr && uet_ses_rx_is_before_restart(sr, &m->req)) {
		uet_ses_rsp_deferred(&m->rsp, &m->req);
		return UET_DROP_NONE;
	}
	begins = !sr;
	if (begins)
		why = rxm_begin(m, &sr);
	else
		why = rxm_continue(m, container_of(sr, struct uet_rx_message,
						   ses));
	if (why || !sr)
		return why;
	rm = container_of(sr, struct uet_rx_message, ses);
	if ((rm->is_placed || uet_rx_rdv_discards(rm)) && !rm->ses.failed &&
	    m->req.opcode != UET_OP_MSG_ERROR)
		return rxm_put(m, rm);
	m->us = rm->us;
	if (rxm_hold(m, rm))
		return rxm_place(m, rm);
	m->up->full = rm->us;
	if (begins && !rm->ops)
		rxm_forget(m, sr);
	return rxm_nack(m, UET_NACK_NO_PKT_BUFFER);
}

/* --------------------------------------------------------------------- memory */

/*
 * A single-packet operation without a notification needs no message; others are counted until
 * all packets have arrived.
 */
static bool rxm_rma_is_alone(const struct rxm *m)
{
	return m->req.som && m->req.eom && !m->req.hd;
}

/* Count the packet for its message, before the packet is executed. */
static enum uet_drop rxm_rma_count(struct rxm *m, struct uet_rx_message *rm)
{
	enum uet_ses_step step;
	enum uet_drop why;

	/* The notification at the end of the message needs memory. */
	if (m->req.hd && !uet_rx_message_reserve_note(rm, rxm_order(m)))
		return rxm_nack(m, UET_NACK_NO_SES_MSG_AVAIL);
	step = uet_ses_rx_rma(&m->pe->ses, &rm->ses, &m->req, m->len, &why);
	if (step == UET_SES_ERROR) {
		rxm_failed(m, rm);
		return rxm_error(m, rm->ses.rc, why);
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
static enum uet_drop rxm_rma_admit(struct rxm *m, struct uet_sock *us, struct uet_ses_rx *sr)
{
	struct uet_rx_message *rm;
	enum uet_drop why;

	if (sr) {
		rm = container_of(sr, struct uet_rx_message, ses);
	} else {
		rm = rxm_make_space(&m->pe->ses) ? uet_rx_message_admit_rma(us, &m->rx->from) :
						   NULL;
		if (!rm)
			return rxm_nack(m, UET_NACK_NO_SES_MSG_AVAIL);
		rxm_start(m, rm);
	}
	why = rxm_rma_count(m, rm);
	if (why == UET_DROP_SES_NO_SPACE && !sr)
		rxm_forget(m, &rm->ses);
	return why;
}

/* The region of @rma cannot be unpinned. */
static enum uet_drop rxm_rma_exec(struct rxm *m, const struct uet_rx_rma *rma,
				  struct uet_ses_rx *sr)
{
	bool is_fetch = m->req.opcode == UET_OP_FETCHING_ATOMIC;
	enum uet_drop why = UET_DROP_NONE;

	if (!sr)
		why = rxm_check_endpoint(m, rma->us);
	if (!why && (sr || !rxm_rma_is_alone(m)))
		why = rxm_rma_admit(m, rma->us, sr);
	if (why)
		return why;
	uet_rx_rma_exec(m->rx, &m->req, m->len, rma, m->data);
	/* The operation is counted with its end. */
	if (m->up->rm || (!sr && rxm_rma_is_alone(m)))
		uet_mr_count(rma->us, rma->mr, is_fetch ? UET_MR_USE_FETCH : UET_MR_USE_WRITE);
	if (is_fetch)
		rxm_answer(m, rma->op.size);
	return UET_DROP_NONE;
}

/* Execute a packet of a write or an atomic operation. */
static enum uet_drop rxm_rma(struct rxm *m)
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
		return rxm_place_failed(m, sr);
	why = uet_rx_rma_check(m->rx, &m->req, m->len, &rma, &rc);
	why = why ? rxm_refuse(m, sr, rc, why) : rxm_rma_exec(m, &rma, sr);
	uet_mr_release(rma.mr);
	return why;
}

/* The response to a longer READ follows in the return direction. */
static enum uet_drop rxm_send_read_rsp(struct rxm *m, const struct uet_rx_rma *rd)
{
	struct uet_ses *ses = &m->pe->ses;
	struct uet_read_rsp_msg *read_rsp = NULL;

	if (uet_ses_read_rsp_space(ses))
		read_rsp = uet_read_rsp_copy(rd->us, rd->mr, rd->offset, rd->len, 1);
	if (!read_rsp)
		return rxm_nack(m, UET_NACK_NO_PKT_BUFFER);
	uet_ses_rsp_data(&read_rsp->ses.rsp, &m->req, m->rx->hdr.u.req.psn,
			 rd->len);
	uet_ses_read_rsp_queue(ses, &read_rsp->ses, 1);
	uet_mib_inc(m->pe->fep->un, UET_MIB_RX_READ);
	return UET_DROP_NONE;
}

/* Give the bytes to the answer. */
static enum uet_drop rxm_read_data(struct rxm *m, const struct uet_rx_rma *rd)
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
static enum uet_drop rxm_read_exec(struct rxm *m, const struct uet_rx_rma *rd)
{
	enum uet_drop why = rxm_check_endpoint(m, rd->us);

	if (!why)
		why = rxm_read_data(m, rd);
	/* Each packet requests its part.  The target does not know when all have arrived. */
	if (!why && m->req.som)
		uet_mr_count(rd->us, rd->mr, UET_MR_USE_READ);
	return why;
}

/*
 * Answer a read, in the ACK if the bytes fit there, else in the return direction. They are
 * copied when the request arrives, so that a retransmission is identical to the first
 * transmission, and no region is read after its deregistration. The memory for that is limited:
 * as much as the send buffer for each endpoint, and UET_SES_READ_RSP_MAX packets for each PDC.
 */
static enum uet_drop rxm_read(struct rxm *m)
{
	struct uet_rx_rma rd;
	enum uet_drop why;
	u8 rc;

	why = uet_rx_read_check(m->rx, &m->req, &rd, &rc);
	why = why ? rxm_error(m, rc, why) : rxm_read_exec(m, &rd);
	uet_mr_release(rd.mr);
	return why;
}

/* A tagged atomic changes the values of one receive; it never matches a later one. */
static enum uet_drop rxm_tagged_atomic(struct rxm *m)
{
	struct uet_rx_tagged_atomic ta = { .delivery = rxm_delivery(m) };
	enum uet_drop why = uet_rx_tagged_atomic_check(m->pe->fep, &m->req,
						       m->len, &ta);
	enum uet_rc rc;

	if (why)
		return rxm_error(m, ta.rc, why);
	ta.us = uet_rx_endpoint(m->rx, &m->req, &rc);
	if (!ta.us)
		return rxm_error(m, rc, uet_rx_no_endpoint(rc));
	why = rxm_check_endpoint(m, ta.us);
	if (why)
		return why;
	why = uet_rx_tagged_atomic(m->rx, &m->req, &ta, m->up);
	if (why == UET_DROP_SES_NO_SPACE)
		return rxm_nack(m, UET_NACK_NO_SES_MSG_AVAIL);
	if (why == UET_DROP_SES_NO_MATCH && rxm_strict(m) &&
	    uet_gen_wants_recv(ta.us, &m->req))
		return rxm_no_space(m, ta.us);
	if (why)
		return rxm_error(m, ta.rc, why);
	if (uet_ses_is_fetching(m->req.opcode)) {
		uet_amo_put(m->data, ta.old, ta.op.size, ta.op.form);
		rxm_answer(m, ta.op.size);
	}
	return UET_DROP_NONE;
}

/* ---------------------------------------------------------------- any request */

/* A target requests a local message that it has deferred before. */
static enum uet_drop rxm_restart(struct rxm *m)
{
	u8 rc = uet_tx_deferrable_restart(m->pe->fep, &m->rx->from, &m->req);

	if (rc != UET_RC_OK)
		return rxm_error(m, rc, UET_DROP_SES_BAD_TOKEN);
	uet_mib_inc(m->pe->fep->un, UET_MIB_RX_RTR);
	return UET_DROP_NONE;
}

/* Is it data of a READ, and no request of the peer? */
static bool rxm_is_data(const struct rxm *m)
{
	return uet_wire_nh(m->rx->hdr.next_hdr)->kind == UET_NK_RSP;
}

static enum uet_drop rxm_look(struct rxm *m)
{
	enum uet_drop why;
	u8 rc;

	if (rxm_is_data(m))
		return uet_rx_data_req(m->pe, m->rx, &m->rsp);
	why = uet_rx_request(m->rx, &m->req, &m->len);
	rc = uet_ses_rx_supported(&m->req, why);
	if (rc != UET_RC_OK)
		return rxm_refuse(m, uet_ses_rx_begun(&m->pe->ses, &m->req,
						  m->rx->hdr.u.req.psn),
				  rc, why ? : UET_DROP_SES_BAD_OP);
	why = uet_rx_resolve_small(m->pe->fep, &m->req, &rc);
	if (why)
		return rxm_error(m, rc, why);
	uet_ses_rsp_default(&m->rsp, &m->req);
	if (m->req.opcode == UET_OP_NO_OP)
		return rxm_no_op(m);
	if (m->req.opcode == UET_OP_DEFERRABLE_RTR)
		return rxm_restart(m);
	if (m->req.opcode == UET_OP_READ)
		return rxm_read(m);
	if (uet_ses_is_tagged_amo(m->req.opcode))
		return rxm_tagged_atomic(m);
	return uet_ses_is_rma(m->req.opcode) ? rxm_rma(m) : rxm_find_place(m);
}

/* With congestion control the source is informed of a slow reader. */
static void rxm_advertise_space(const struct rxm *m)
	__must_hold(&m->pe->lock)
{
	u32 used = 0, size = 0;

	if (m->us)
		uet_rx_message_space(m->us, &used, &size);
	uet_pdc_cc_space(m->pe->pdc, used, size);
}

/* A packet that was used; a response has neither a job nor a length. */
static void rxm_count(const struct rxm *m)
	__must_hold(&m->pe->lock)
{
	struct uet_pdc_traffic *traffic = &m->pe->traffic;

	if (m->req.job && m->req.job != traffic->job)
		uet_pdc_traffic_serve(m->pe, m->req.job);
	traffic->rx_bytes += m->len;
	traffic->rx_messages += m->up->rm && m->up->is_complete;
}

/*
 * Pass a request from the PDC to SES, and answer the PDC by uet_pdc_rx_accept() or
 * uet_pdc_rx_refuse(). @up, empty, gets the result for uet_rx_request_deliver().
 */
enum uet_drop uet_rx_request_msg(struct uet_pdc_entry *pe, struct uet_rx *rx,
				 struct uet_rx_up *up)
	__must_hold(&pe->lock)
{
	struct rxm m = { .pe = pe, .rx = rx, .up = up };
	enum uet_drop why;

	lockdep_assert_held(&pe->lock);
	why = rxm_look(&m);
	if (pe->cce && !m.nack)
		rxm_advertise_space(&m);
	if (m.nack)
		uet_pdc_rx_refuse(pe->pdc, &rx->hdr, &rx->in, m.nack,
				  rx->now);
	else
		uet_pdc_rx_accept(pe->pdc, &rx->hdr, &rx->in, &m.rsp, rx->now);
	if (!why) {
		rxm_count(&m);
		/* Data has noted its run, and its packet may be freed. */
		if (!rxm_is_data(&m))
			uet_rx_run_note(pe, rx, &m.req, m.len);
	}
	return why;
}

/*
 * Deliver the result of a packet to its socket. ROD: with the lock of the PDC, to keep the
 * order; RUD: with the lock only while packets of a burst are taken.
 */
void uet_rx_request_deliver(struct uet_fep *fep, struct uet_rx_up *up)
{
	struct uet_rx_message *rm = up->rm;

	if (!rm)
		return;
	if (up->error) {
		uet_rx_message_fail(rm, up->error);
	} else if (up->is_pushed) {
		if (!list_empty(&up->segs))
			uet_rx_message_deliver(rm, &up->segs);
		uet_rx_rdv_pushed(rm);
	} else if (!up->is_silent) {
		if (rm->is_placed)
			uet_rx_match_placed(rm);
		else
			uet_rx_message_deliver(rm, &up->segs);
		if (up->is_complete) {
			uet_mib_inc(fep->un, UET_MIB_MSG_RECEIVED);
			trace_uet_msg_rx_done(fep, &rm->ses);
		}
	}
	uet_rx_message_put(rm);
}
