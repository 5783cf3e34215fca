// SPDX-License-Identifier: GPL-2.0
/*
 * From a request that a PDC takes to a message of a socket: decodes the SES
 * header, finds the message or begins one for the endpoint, and decides
 * on the answer: the default response, an error response, or, when a receiver
 * has no room for now, a NACK.  Putting the pieces together is core/ses_rx.c,
 * the receive buffer is rxmsg.c, posted receives are rxrecv.c, memory regions are
 * rx_rma.c's and rx_read.c's; data that we have read ourselves is rx_data.c's.
 * Spec: UE 1.0.1 3.4.1, 3.4.3, 3.5.12.  Level: shell.
 */
#include <linux/slab.h>
#include <linux/uet.h>

#include "pdc/defer.h"
#include "message/gen.h"
#include "pdc/kpdc.h"
#include "endpoint/mr.h"
#include "message/msg.h"
#include "fabric/net.h"
#include "pdc/rdv.h"
#include "message/recv.h"
#include "rx.h"
#include "message/rxrecv.h"
#include "base/trace.h"

/**
 * struct rxm - a request on its way to a message; on the stack
 * @kpdc: PDC it came on
 * @rx: the packet
 * @up: what to tell the socket afterwards
 * @req: its SES header
 * @len: payload bytes
 * @nack: enum uet_nack_code to refuse it with; 0: it is accepted
 * @rsp: response to accept it with
 * @data: data of @rsp
 * @us: endpoint whose receive buffer it goes to, or NULL
 */
struct rxm {
	struct uet_kpdc *kpdc;
	struct uet_rx *rx;
	struct uet_rx_up *up;
	struct uet_ses_req req;
	size_t len;
	u8 nack;
	struct uet_ses_rsp rsp;
	u8 data[UET_PDC_ACK_DATA_MAX];
	const struct uet_sock *us;
};

/* Return: @why. */
static enum uet_drop rxm_error(struct rxm *m, u8 rc, enum uet_drop why)
{
	uet_ses_rsp_error(&m->rsp, &m->req, rc);
	if (m->req.som)
		uet_mib_inc(m->kpdc->fep->un, UET_MIB_MSG_REFUSED);
	return why;
}

/* Not now: the sender keeps the packet and tries again later. */
static enum uet_drop rxm_defer(struct rxm *m, u8 nack)
{
	m->nack = nack;
	uet_mib_inc(m->kpdc->fep->un, UET_MIB_MSG_DEFERRED);
	return UET_DROP_SES_NO_ROOM;
}

/* Make room for one more message in the table of the PDC. */
static bool rxm_make_room(struct uet_ses *ses)
{
	struct uet_ses_rx *stone;

	if (uet_ses_rx_has_room(ses))
		return true;
	stone = uet_ses_rx_evict(ses);
	kfree(stone);
	return stone;
}

/* Where the packet stands among those of its PDC. */
static enum uet_turn rxm_turn(const struct rxm *m)
{
	if (!uet_pdc_rx_is_next(m->kpdc->pdc, &m->rx->hdr))
		return UET_TURN_EARLY;
	return m->kpdc->ses.nr_rx ? UET_TURN_OVERTAKEN : UET_TURN_NEXT;
}

static u8 rxm_delivery(const struct rxm *m)
{
	return m->kpdc->mode == UET_PDC_ROD ? UET_DELIVERY_ROD :
					      UET_DELIVERY_RUD;
}

/* Of an ordered message: whether its PDC may have lost one before. */
static bool *rxm_strict(const struct rxm *m)
{
	return m->kpdc->mode == UET_PDC_ROD ? &m->kpdc->ses.gen.is_strict :
					      NULL;
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

/* Return: UET_DROP_NONE if the endpoint lets a message begin. */
static enum uet_drop rxm_ask(struct rxm *m, struct uet_sock *us)
{
	u8 ri_gen, rc = uet_gen_check(us, &m->req, rxm_strict(m), &ri_gen);

	return rc == UET_RC_OK ? UET_DROP_NONE : rxm_shut(m, rc, ri_gen);
}

/* The endpoint has no room for a message. */
static enum uet_drop rxm_no_room(struct rxm *m, struct uet_sock *us)
{
	bool *is_strict = rxm_strict(m);
	u8 ri_gen;

	if (!is_strict || !uet_gen_disable(us, &m->req, is_strict, &ri_gen))
		return rxm_defer(m, UET_NACK_NO_SES_MSG_AVAIL);
	uet_mib_inc(m->kpdc->fep->un, UET_MIB_GEN_DISABLED);
	return rxm_shut(m, UET_RC_DISABLED_GEN, ri_gen);
}

/* Nobody gets it, but in order it comes behind what was refused. */
static enum uet_drop rxm_no_op(struct rxm *m)
{
	enum uet_drop why = UET_DROP_NONE;
	struct uet_sock *us;
	enum uet_rc rc;

	us = rxm_strict(m) ? uet_rx_endpoint(m->kpdc->fep, &m->req, &rc) : NULL;
	if (us)
		why = rxm_ask(m, us);
	if (!why)
		uet_mib_inc(m->kpdc->fep->un, UET_MIB_RX_NO_OP);
	return why;
}

/* A packet of a deferred message: its sender keeps it. */
static enum uet_drop rxm_put_off(struct rxm *m, struct uet_ses_rx *stone)
{
	uet_ses_rx_put_off(&m->kpdc->ses, stone, &m->req, m->len);
	if (!uet_ses_rx_is_linked(stone))
		kfree(stone);
	uet_ses_rsp_deferred(&m->rsp, &m->req);
	return UET_DROP_NONE;
}

/* A packet of a message of which only the failure is remembered. */
static enum uet_drop rxm_place_failed(struct rxm *m, struct uet_ses_rx *stone)
{
	struct uet_ses_seg *seg = &uet_skb_cb(m->rx->skb)->seg;
	enum uet_ses_step step;
	enum uet_drop why;
	u8 rc = stone->rc;

	if (stone->deferred && m->req.opcode != UET_OP_MSG_ERROR)
		return rxm_put_off(m, stone);
	step = uet_ses_rx_seg(&m->kpdc->ses, stone, &m->req, seg, &why);
	if (!uet_ses_rx_is_linked(stone))
		kfree(stone);
	return step == UET_SES_ERROR ? rxm_error(m, rc, why) : why;
}

/*
 * No packet of this message is kept: it is deferred, or refused with @rc.  Of one of
 * several packets the others have to meet the same fate.
 */
static enum uet_drop rxm_turn_away(struct rxm *m, u8 rc, enum uet_drop why)
{
	struct uet_ses_rx *stone;

	if (m->req.som && m->req.eom && rc == UET_RC_OK)
		uet_ses_rsp_deferred(&m->rsp, &m->req);
	if (m->req.som && m->req.eom)
		return rc == UET_RC_OK ? UET_DROP_NONE : rxm_error(m, rc, why);
	stone = kmalloc(sizeof(*stone), GFP_ATOMIC | __GFP_NOWARN);
	if (!stone)
		return rxm_defer(m, UET_NACK_NO_SES_MSG_AVAIL);
	uet_ses_rx_defer(&m->kpdc->ses, stone, &m->req);
	if (rc == UET_RC_OK)
		return rxm_put_off(m, stone);
	stone->deferred = false;
	stone->rc = rc;
	rxm_place_failed(m, stone);
	return why;
}

/* Return: UET_DROP_NONE without message if it is deferred. */
static enum uet_drop rxm_admit_deferrable(struct rxm *m, struct uet_sock *us,
					  struct uet_rxmsg **rm)
{
	enum uet_drop why = uet_ses_rx_may_begin(&m->req, m->len);

	*rm = NULL;
	if (why)
		return rxm_error(m, UET_RC_UNCOR, why);
	/* Unless it can be deferred, it has to find a receive as any other. */
	if (rxm_strict(m) && uet_gen_wants_recv(us, &m->req) &&
	    !uet_recv_is_used(us))
		return rxm_no_room(m, us);
	switch (uet_rxdefer_admit(us, &m->req, &m->rx->from, rxm_delivery(m),
				  rxm_turn(m), rm)) {
	case UET_RXDEFER_TAKE:
		return UET_DROP_NONE;
	case UET_RXDEFER_WAIT:
		*rm = NULL;
		return rxm_turn_away(m, UET_RC_OK, UET_DROP_NONE);
	case UET_RXDEFER_FULL:
		return rxm_turn_away(m, UET_RC_NO_MATCH,
				     UET_DROP_SES_DEFER_LIMIT);
	case UET_RXDEFER_STALE:
		return rxm_turn_away(m, UET_RC_NO_MATCH, UET_DROP_SES_BAD_TOKEN);
	case UET_RXDEFER_LATER:
		break;
	}
	return rxm_no_room(m, us);
}

/* A rendezvous: its place is looked for now, its rest is read later. */
static enum uet_drop rxm_admit_rdv(struct rxm *m, struct uet_sock *us,
				   struct uet_rxmsg **rm)
{
	enum uet_drop why;
	u8 rc;

	*rm = NULL;
	why = uet_ses_rx_rdv_check(&m->req, m->len, &rc);
	if (why)
		return rxm_error(m, rc, why);
	if (rxm_strict(m) && uet_gen_wants_recv(us, &m->req) &&
	    !uet_recv_is_used(us))
		return rxm_no_room(m, us);
	switch (uet_rxrdv_admit(us, &m->req, &m->rx->from, m->kpdc, rxm_turn(m),
				rm)) {
	case UET_RXRDV_TAKE:
		return UET_DROP_NONE;
	case UET_RXRDV_FULL:
		return rxm_turn_away(m, UET_RC_NO_MATCH,
				     UET_DROP_SES_RDV_LIMIT);
	case UET_RXRDV_LONG:
		return rxm_turn_away(m, UET_RC_TOO_LONG, UET_DROP_SES_RDV_LONG);
	case UET_RXRDV_LATER:
		break;
	}
	return rxm_no_room(m, us);
}

/*
 * What is read comes in no order: where messages are read as they become readable,
 * an ordered one waits until the rendezvous before it is there.
 */
static bool rxm_is_behind_rdv(const struct rxm *m, const struct uet_sock *us)
{
	return m->kpdc->mode == UET_PDC_ROD && !list_empty(&m->kpdc->rdvs) &&
	       !uet_recv_is_used(us);
}

static enum uet_drop rxm_admit(struct rxm *m, struct uet_sock *us,
			       struct uet_rxmsg **rm)
{
	if (rxm_is_behind_rdv(m, us))
		return rxm_defer(m, UET_NACK_NO_SES_MSG_AVAIL);
	if (uet_ses_rx_is_rdv(&m->req))
		return rxm_admit_rdv(m, us, rm);
	if (uet_ses_rx_is_deferrable(&m->req))
		return rxm_admit_deferrable(m, us, rm);
	*rm = uet_rxmsg_admit_recv(us, &m->req, &m->rx->from);
	if (!*rm && !(rxm_strict(m) && uet_gen_wants_recv(us, &m->req)))
		*rm = uet_rxmsg_admit(us, &m->req, &m->rx->from, rxm_turn(m));
	return *rm ? UET_DROP_NONE : rxm_no_room(m, us);
}

/*
 * The first packet of a message. Return: why it does not begin one; UET_DROP_NONE
 * without message: it was answered.
 */
static enum uet_drop rxm_begin(struct rxm *m, struct uet_ses_rx **sr)
{
	struct uet_ses *ses = &m->kpdc->ses;
	struct uet_rxmsg *rm;
	struct uet_sock *us;
	enum uet_drop why;
	enum uet_rc rc;

	us = uet_rx_endpoint(m->kpdc->fep, &m->req, &rc);
	if (!us)
		return rxm_error(m, rc, uet_rx_no_endpoint(rc));
	why = rxm_ask(m, us);
	if (why)
		return why;
	if (!rxm_make_room(ses))
		return rxm_defer(m, UET_NACK_NO_SES_MSG_AVAIL);
	why = rxm_admit(m, us, &rm);
	if (why || !rm)
		return why;
	rm->delivery = rxm_delivery(m);
	uet_ses_rx_start(ses, &rm->ses, &m->req);
	if (rm->is_direct && !(rm->rdv && rm->rdv->is_read_whole) &&
	    !uet_recv_fits(rm->recv, rm->length))
		uet_ses_rx_fail(&rm->ses, UET_RC_TOO_LONG);
	*sr = &rm->ses;
	return UET_DROP_NONE;
}

/* A packet of a message under way. Return: why it cannot be kept. */
static enum uet_drop rxm_continue(struct rxm *m, struct uet_rxmsg *rm)
{
	if (uet_rxmsg_is_orphan(rm))
		uet_ses_rx_fail(&rm->ses, UET_RC_CANCELLED);
	else if (!uet_rxmsg_accepts(rm, m->req.message_offset, m->len))
		return rxm_defer(m, UET_NACK_NO_PKT_BUFFER);
	return UET_DROP_NONE;
}

/* SES has kept the packet; is there something to read now? */
static void rxm_kept(struct rxm *m, struct uet_rxmsg *rm, bool is_complete)
{
	struct uet_rx_up *up = m->up;

	if (!is_complete && !uet_rxmsg_is_streamed(rm))
		return;
	uet_ses_rx_take(&rm->ses, &up->segs);
	if (!is_complete && list_empty(&up->segs))
		return;
	if (!is_complete)
		uet_rxmsg_get(rm);
	up->is_complete = is_complete && !rm->rdv;
	up->is_pushed = is_complete && rm->rdv;
	up->rm = rm;
}

/* The message failed with this packet. */
static void rxm_failed(struct rxm *m, struct uet_rxmsg *rm)
{
	uet_kpdc_bury(m->kpdc, rm);
	uet_rxrdv_failed(rm);
	m->up->error = rm->ses.rc == UET_RC_TOO_LONG ? -EMSGSIZE : -EIO;
	m->up->rm = rm;
}

/*
 * Where receives are posted the sender is told that none was waiting (uet-wire
 * 3.14); where messages are read by recvmsg() only, none is unexpected.
 */
static void rxm_tell_unexpected(struct rxm *m, const struct uet_rxmsg *rm)
{
	/* Pairs with rx_lock: a receive may take it at any time. */
	if (uet_recv_is_used(rm->us) && !READ_ONCE(rm->recv))
		m->rsp.list = UET_LIST_OVERFLOW;
}

/* Nothing is final yet; where receives are posted, none may have been waiting. */
static void rxm_tell_rdv(struct rxm *m, const struct uet_rxmsg *rm)
{
	uet_ses_rsp_none(&m->rsp, &m->req);
	if (rm->rdv->is_read_whole)
		m->rsp.list = UET_LIST_OVERFLOW;
}

/* Give the packet to SES. */
static enum uet_drop rxm_place(struct rxm *m, struct uet_rxmsg *rm)
{
	struct uet_ses_seg *seg = &uet_skb_cb(m->rx->skb)->seg;
	enum uet_ses_step step;
	enum uet_drop why;

	step = uet_ses_rx_seg(&m->kpdc->ses, &rm->ses, &m->req, seg, &why);
	switch (step) {
	case UET_SES_MORE:
	case UET_SES_DONE:
		uet_rx_keep(m->rx);
		if (rm->rdv)
			rxm_tell_rdv(m, rm);
		else
			rxm_tell_unexpected(m, rm);
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

/* Of a message that is cut the sender is told how much has been kept. */
static void rxm_tell_cut(struct rxm *m, const struct uet_rxmsg *rm)
{
	if (rm->rdv) {
		rxm_tell_rdv(m, rm);
	} else if (m->req.eom && rm->recv->length < rm->length) {
		m->rsp.opcode = UET_RSP_RESPONSE;
		m->rsp.modified_length = rm->recv->length;
	}
}

/*
 * A packet for a posted receive goes to its place at once; one of a rendezvous that
 * is read from its begin to none.
 */
static enum uet_drop rxm_put(struct rxm *m, struct uet_rxmsg *rm)
{
	u32 offset = m->req.som ? 0 : m->req.message_offset;
	enum uet_ses_step step;
	enum uet_drop why;
	int err;

	step = uet_ses_rx_rma(&m->kpdc->ses, &rm->ses, &m->req, m->len, &why);
	if (step == UET_SES_ERROR) {
		rxm_failed(m, rm);
		return rxm_error(m, rm->ses.rc, why);
	}
	err = uet_rxrdv_discards(rm) ? 0 :
	      uet_recv_put(rm->us, rm->recv, offset, m->rx->skb, m->len);
	if (err) {
		uet_ses_rx_fail(&rm->ses, UET_RC_CANCELLED);
		rxm_failed(m, rm);
		m->up->error = err;
		return rxm_error(m, UET_RC_CANCELLED, UET_DROP_SES_BAD_KEY);
	}
	if (rm->is_direct)
		uet_mib_inc(m->kpdc->fep->un, UET_MIB_RX_POSTED);
	rxm_tell_cut(m, rm);
	if (step == UET_SES_DONE) {
		m->up->rm = rm;
		m->up->is_complete = !rm->rdv;
		m->up->is_pushed = rm->rdv;
	}
	return UET_DROP_NONE;
}

static enum uet_drop rxm_find_place(struct rxm *m)
{
	struct uet_ses_seg *seg = &uet_skb_cb(m->rx->skb)->seg;
	struct uet_ses_rx *sr;
	struct uet_rxmsg *rm;
	enum uet_drop why;

	memset(seg, 0, sizeof(*seg));
	seg->len = m->len;
	sr = uet_ses_rx_find(&m->kpdc->ses, &m->req);
	if (sr && sr->failed)
		return rxm_place_failed(m, sr);
	if (sr)
		why = rxm_continue(m, container_of(sr, struct uet_rxmsg, ses));
	else
		why = rxm_begin(m, &sr);
	if (why || !sr)
		return why;
	rm = container_of(sr, struct uet_rxmsg, ses);
	if ((rm->is_direct || uet_rxrdv_discards(rm)) && !rm->ses.failed &&
	    m->req.opcode != UET_OP_MSG_ERROR)
		return rxm_put(m, rm);
	m->us = rm->us;
	return rxm_place(m, rm);
}

/*
 * Does RMA need a message?  Packets that come alone and tell nobody anything need
 * none; of others it is counted when all have come.
 */
static bool rxm_rma_is_alone(const struct rxm *m)
{
	return m->req.som && m->req.eom && !m->req.hd;
}

static enum uet_drop rxm_rma_begin(struct rxm *m, struct uet_sock *us,
				   struct uet_ses_rx **sr)
{
	struct uet_ses *ses = &m->kpdc->ses;
	struct uet_rxmsg *rm;

	if (!rxm_make_room(ses))
		return rxm_defer(m, UET_NACK_NO_SES_MSG_AVAIL);
	rm = uet_rxmsg_admit_rma(us, &m->rx->from);
	if (!rm)
		return rxm_defer(m, UET_NACK_NO_SES_MSG_AVAIL);
	rm->delivery = rxm_delivery(m);
	uet_ses_rx_start(ses, &rm->ses, &m->req);
	*sr = &rm->ses;
	return UET_DROP_NONE;
}

/* It must not be executed; a message it belongs to fails. */
static enum uet_drop rxm_rma_refuse(struct rxm *m, struct uet_ses_rx *sr, u8 rc,
				    enum uet_drop why)
{
	if (sr) {
		uet_ses_rx_fail(sr, rc);
		rxm_failed(m, container_of(sr, struct uet_rxmsg, ses));
	}
	return rxm_error(m, rc, why);
}

/*
 * A packet that is deferred comes again; without a message id it does not find
 * its message then, but begins another one.
 */
static void rxm_rma_forget(struct rxm *m, struct uet_rxmsg *rm)
{
	if (m->req.msg_id)
		return;
	uet_ses_rx_drop(&m->kpdc->ses, &rm->ses);
	uet_rxmsg_put(rm);
}

/* Count the packet for its message, before it is executed. */
static enum uet_drop rxm_rma_count(struct rxm *m, struct uet_rxmsg *rm)
{
	enum uet_ses_step step;
	enum uet_drop why;

	/* Who is to be told at the end needs room for that. */
	if (m->req.hd && !uet_rxmsg_reserve_note(rm, rxm_turn(m))) {
		rxm_rma_forget(m, rm);
		return rxm_defer(m, UET_NACK_NO_SES_MSG_AVAIL);
	}
	step = uet_ses_rx_rma(&m->kpdc->ses, &rm->ses, &m->req, m->len, &why);
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

/* The answer has @m->data, which is kept until the peer has it for sure. */
static void rxm_answer(struct rxm *m, u32 len)
{
	uet_ses_rsp_data(&m->rsp, &m->req, m->rx->hdr.u.req.psn, len);
	m->rsp.data = m->data;
	uet_mib_inc(m->kpdc->fep->un, UET_MIB_RX_READ);
}

static enum uet_drop rxm_rma(struct rxm *m)
{
	struct uet_ses_seg *seg = &uet_skb_cb(m->rx->skb)->seg;
	struct uet_rx_rma rma;
	struct uet_ses_rx *sr;
	enum uet_drop why;
	u8 rc;

	memset(seg, 0, sizeof(*seg));
	seg->len = m->len;
	sr = uet_ses_rx_find(&m->kpdc->ses, &m->req);
	if (sr && sr->failed)
		return rxm_place_failed(m, sr);
	why = uet_rx_rma_check(m->kpdc->fep, &m->req, m->len, &rma, &rc);
	if (why)
		return rxm_rma_refuse(m, sr, rc, why);
	if (!sr)
		why = rxm_ask(m, rma.us);
	if (!why && !sr && !rxm_rma_is_alone(m))
		why = rxm_rma_begin(m, rma.us, &sr);
	if (!why && sr)
		why = rxm_rma_count(m, container_of(sr, struct uet_rxmsg, ses));
	if (why)
		return why;
	uet_rx_rma_exec(m->rx, &m->req, m->len, &rma, m->data);
	if (m->req.opcode == UET_OP_FETCHING_ATOMIC)
		rxm_answer(m, rma.op.size);
	return UET_DROP_NONE;
}

/* The answer to a READ that is longer follows in the return direction. */
static enum uet_drop rxm_send_back(struct rxm *m, const struct uet_rx_read *rd)
{
	struct uet_ses *ses = &m->kpdc->ses;
	struct uet_back *back = NULL;

	if (uet_ses_back_has_room(ses))
		back = uet_rx_read_copy(rd);
	if (!back)
		return rxm_defer(m, UET_NACK_NO_PKT_BUFFER);
	uet_ses_rsp_data(&back->ses.rsp, &m->req, m->rx->hdr.u.req.psn,
			 rd->len);
	uet_ses_back_queue(ses, &back->ses);
	uet_mib_inc(m->kpdc->fep->un, UET_MIB_RX_READ);
	return UET_DROP_NONE;
}

static enum uet_drop rxm_read(struct rxm *m)
{
	struct uet_rx_read rd;
	enum uet_drop why;
	u8 rc;

	why = uet_rx_read_check(m->kpdc->fep, &m->req, &rd, &rc);
	if (why)
		return rxm_error(m, rc, why);
	why = rxm_ask(m, rd.us);
	if (why || !rd.len)
		return why;
	if (!uet_ses_read_in_ack(&m->req, uet_pdc_max_ack_data(m->kpdc->pdc)))
		return rxm_send_back(m, &rd);
	uet_mr_read(rd.mr, rd.offset, m->data, rd.len);
	rxm_answer(m, rd.len);
	return UET_DROP_NONE;
}

/* The values of a receive are changed; no other receive will do later. */
static enum uet_drop rxm_tamo(struct rxm *m)
{
	struct uet_rx_tamo ta = { .delivery = rxm_delivery(m) };
	enum uet_drop why = uet_rx_tamo_check(&m->req, m->len, &ta);
	enum uet_rc rc;

	if (why)
		return rxm_error(m, ta.rc, why);
	ta.us = uet_rx_endpoint(m->kpdc->fep, &m->req, &rc);
	if (!ta.us)
		return rxm_error(m, rc, uet_rx_no_endpoint(rc));
	why = rxm_ask(m, ta.us);
	if (why)
		return why;
	why = uet_rx_tamo(m->rx, &m->req, &ta, m->up);
	if (why == UET_DROP_SES_NO_ROOM)
		return rxm_defer(m, UET_NACK_NO_SES_MSG_AVAIL);
	if (why == UET_DROP_SES_NO_MATCH && rxm_strict(m) &&
	    uet_gen_wants_recv(ta.us, &m->req))
		return rxm_no_room(m, ta.us);
	if (why)
		return rxm_error(m, ta.rc, why);
	if (uet_ses_is_fetching(m->req.opcode)) {
		memcpy(m->data, &ta.old, ta.op.size);
		rxm_answer(m, ta.op.size);
	}
	return UET_DROP_NONE;
}

/* A target asks for a message of ours that it has deferred. */
static enum uet_drop rxm_restart(struct rxm *m)
{
	u8 rc = uet_txdefer_restart(m->kpdc->fep, &m->rx->from, &m->req);

	if (rc != UET_RC_OK)
		return rxm_error(m, rc, UET_DROP_SES_BAD_TOKEN);
	uet_mib_inc(m->kpdc->fep->un, UET_MIB_RX_RTR);
	return UET_DROP_NONE;
}

static enum uet_drop rxm_look(struct rxm *m)
{
	enum uet_drop why;
	u8 rc;

	if (uet_wire_nh(m->rx->hdr.next_hdr)->kind == UET_NK_RSP)
		return uet_rx_data_req(m->kpdc, m->rx, &m->rsp);
	why = uet_rx_request(m->rx, &m->req, &m->len);
	if (why)
		return rxm_error(m, UET_RC_UNCOR, why);
	rc = uet_ses_rx_supported(&m->req);
	if (rc != UET_RC_OK)
		return rxm_error(m, rc, UET_DROP_SES_BAD_OP);
	why = uet_rx_resolve_small(m->kpdc->fep, &m->req, &rc);
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
		return rxm_tamo(m);
	return uet_ses_is_rma(m->req.opcode) ? rxm_rma(m) : rxm_find_place(m);
}

/* With congestion control a source hears of a reader that is slow. */
static void rxm_tell_room(const struct rxm *m)
	__must_hold(&m->kpdc->lock)
{
	u32 used = 0, size = 0;

	if (m->us)
		uet_rxmsg_room(m->us, &used, &size);
	uet_pdc_cc_room(m->kpdc->pdc, used, size);
}

/**
 * uet_rx_msg() - a request that the PDC wants SES to look at
 * @kpdc: PDC
 * @rx: packet, from the SES header on
 * @up: empty; what to tell a socket by uet_rx_msg_up() without the lock
 *
 * Answers the PDC, by uet_pdc_rx_accept() or uet_pdc_rx_refuse().
 *
 * Context: Softirq, uet_kpdc_lock() held.
 * Return: UET_DROP_NONE, or why the packet was not used.
 */
enum uet_drop uet_rx_msg(struct uet_kpdc *kpdc, struct uet_rx *rx,
			 struct uet_rx_up *up)
	__must_hold(&kpdc->lock)
{
	struct rxm m = { .kpdc = kpdc, .rx = rx, .up = up };
	enum uet_drop why;

	lockdep_assert_held(&kpdc->lock);
	why = rxm_look(&m);
	if (kpdc->kccc && !m.nack)
		rxm_tell_room(&m);
	if (m.nack)
		uet_pdc_rx_refuse(kpdc->pdc, &rx->hdr, &rx->in, m.nack,
				  rx->now);
	else
		uet_pdc_rx_accept(kpdc->pdc, &rx->hdr, &rx->in, &m.rsp,
				  rx->now);
	return why;
}

/**
 * uet_rx_msg_up() - tell a socket what a packet meant to it
 * @fep: FEP of the message
 * @up: from uet_rx_msg()
 *
 * Context: Softirq, rcu_read_lock() held; in ROD with the lock of the PDC, for
 *	the sake of the order, in RUD without.
 */
void uet_rx_msg_up(struct uet_fep *fep, struct uet_rx_up *up)
{
	struct uet_rxmsg *rm = up->rm;

	if (!rm)
		return;
	if (up->error) {
		uet_rxmsg_fail(rm, up->error);
	} else if (up->is_pushed) {
		if (!list_empty(&up->segs))
			uet_rxmsg_deliver(rm, &up->segs);
		uet_rxrdv_pushed(rm);
	} else if (!up->is_silent) {
		if (rm->is_direct)
			uet_rxmsg_placed(rm);
		else
			uet_rxmsg_deliver(rm, &up->segs);
		if (up->is_complete) {
			uet_mib_inc(fep->un, UET_MIB_MSG_RECEIVED);
			trace_uet_msg_rx_done(fep, &rm->ses);
		}
	}
	uet_rxmsg_put(rm);
}
