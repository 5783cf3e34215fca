// SPDX-License-Identifier: GPL-2.0
/*
 * Senders and receivers of the explorer: the messages of a world, what becomes of them at
 * the target, and their verdicts.  Payloads are tags: the number of the message and that of
 * the packet in it.
 * Level: test.
 */
#include "explore.h"

#define APP_BAD_PID	5

static const struct ex_spec *app_spec(const struct ex_msg *msg)
{
	return &ex_run.world->msg[msg - ex.msg];
}

static u32 app_length(const struct ex_msg *msg)
{
	const struct ex_spec *spec = app_spec(msg);

	return spec->bytes ?: spec->packets * EX_MTU;
}

static u32 app_tag(const struct ex_msg *msg, u32 offset)
{
	return (u32)(msg - ex.msg) << 16 | offset / EX_MTU;
}

static u32 app_number(const struct ex_msg *msg)
{
	return (u32)(msg - ex.msg) + 1;
}

/* ------------------------------------------------------------------------ the sender */

static void app_queue(struct ex_msg *msg)
{
	struct ex_pdc *p = ex_pdc_initiator();

	if (!p)
		return;
	uet_ses_tx_queue(&p->ses, &msg->tx);
	ex_pdc_run(p);
}

/**
 * ex_app_submit() - send the next message
 */
void ex_app_submit(void)
{
	struct ex_msg *msg = &ex.msg[ex.submitted++];
	const struct ex_spec *spec = app_spec(msg);
	struct uet_ses_tx *tx = &msg->tx;

	tx->to = (struct uet_ses_addr) {
		.job = EX_JOB, .ri = 1, .rel = true, .initiator = app_number(msg),
		.pid = spec->is_bad ? APP_BAD_PID : 0,
	};
	tx->opcode = spec->opcode;
	tx->mtu = EX_MTU;
	tx->length = app_length(msg);
	tx->avail = tx->length;
	tx->match = spec->opcode == UET_OP_SEND ? 0 : 1;
	if (spec->is_idempotent)
		tx->match |= UET_KEY_IDEMPOTENT_SAFE;
	if (spec->opcode == UET_OP_READ)
		tx->read.want = tx->length;
	if (spec->opcode == UET_OP_FETCHING_ATOMIC) {
		msg->amo.opcode = UET_AMO_READ;
		tx->amo = &msg->amo;
		tx->read.want = sizeof(msg->value);
	}
	app_queue(msg);
}

static const char *app_wrong(const struct ex_msg *msg)
{
	const struct ex_spec *spec = app_spec(msg);
	u32 i;

	if (spec->is_bad)
		return "succeeds without a receiver";
	if (spec->opcode == UET_OP_READ)
		return msg->got == BIT(spec->packets ?: 1) - 1 ? NULL :
		       "succeeds without all data";
	if (!msg->delivered)
		return "succeeds without being executed";
	if (spec->opcode == UET_OP_FETCHING_ATOMIC && msg->value != 1)
		return "returns a wrong value";
	for (i = 0; i < spec->packets && spec->opcode == UET_OP_WRITE; i++)
		if (!msg->runs[i])
			return "succeeds without all packets";
	return NULL;
}

static void app_judge(struct ex_msg *msg)
{
	const char *wrong = NULL;

	if (msg->is_done)
		wrong = "ends twice";
	msg->is_done = true;
	msg->error = uet_ses_errno(&msg->tx);
	ex_note("message %u ends: %d", app_number(msg), msg->error);
	if (!wrong && !msg->error)
		wrong = app_wrong(msg);
	if (!wrong && msg->error && !ex.excuse && !app_spec(msg)->is_bad)
		wrong = "fails without a reason";
	if (wrong)
		ex_fail("message %u %s: error %d, rc %s, PDC %s", app_number(msg), wrong,
			msg->error, uet_ses_rc_name(msg->tx.rc),
			uet_pdc_error_name(msg->tx.error));
}

/**
 * ex_app_done() - process messages that have ended on their PDC
 * @done: messages from uet_ses_reap() and uet_ses_fail(); emptied
 * @may_repeat: uet_pdc_may_repeat() was true for the PDC
 */
void ex_app_done(struct list_head *done, bool may_repeat)
{
	struct uet_ses_tx *tx, *next;
	struct ex_msg *msg;

	list_for_each_entry_safe(tx, next, done, link) {
		list_del_init(&tx->link);
		msg = container_of(tx, struct ex_msg, tx);
		if (may_repeat && uet_ses_tx_may_repeat(tx)) {
			ex_note("message %u is repeated", app_number(msg));
			tx->has_more = false;
			msg->got = 0;
			app_queue(msg);
		} else {
			app_judge(msg);
		}
	}
}

static size_t app_put_read_rsp(const struct uet_pds_pkt *pkt, struct ex_frame *frame,
			       size_t at)
{
	const struct ex_read_rsp *back = container_of(pkt->msg, struct ex_read_rsp, rsp);
	const struct uet_ses_rsp *rsp = &back->rsp.rsp;

	frame->tag = back->tag;
	frame->payload = rsp->payload_length;
	return uet_wire_ses_rsp_encode(rsp, frame->data + at, sizeof(frame->data) - at);
}

/**
 * ex_app_put() - encode a request; the bytes that PDS wants must not be acknowledged
 * @pkt: packet of PDS
 * @frame: result: SES header, tag, and length of the payload
 * @at: where the SES header begins
 *
 * Return: bytes of the SES header; 0: it does not fit.
 */
size_t ex_app_put(const struct uet_pds_pkt *pkt, struct ex_frame *frame, size_t at)
{
	struct ex_msg *msg;
	struct uet_ses_req req;

	if (uet_ses_is_read_rsp(pkt))
		return app_put_read_rsp(pkt, frame, at);
	msg = container_of(pkt->msg, struct ex_msg, tx);
	if (msg->is_done || pkt->offset < msg->tx.acked ||
	    (u64)pkt->offset + pkt->len > msg->tx.avail)
		ex_fail("message %u: PDS wants bytes %u+%u of %u..%u", app_number(msg),
			pkt->offset, pkt->len, msg->tx.acked, msg->tx.avail);
	uet_ses_tx_request(&msg->tx, pkt, &req);
	frame->tag = app_tag(msg, pkt->offset);
	frame->payload = req.opcode == UET_OP_READ ? 0 : pkt->len;
	return uet_wire_ses_req_encode(&req, frame->data + at, sizeof(frame->data) - at);
}

/* ---------------------------------------------------------------------- the target */

static void app_respond(const struct ex_req *r, const struct uet_ses_rsp *rsp)
{
	uet_pdc_rx_accept(ex_core(r->p), r->hdr, r->in, rsp, ex.now);
}

static void app_accept(const struct ex_req *r, u8 rc)
{
	struct uet_ses_rsp rsp;

	if (rc == UET_RC_OK)
		uet_ses_rsp_default(&rsp, r->req);
	else
		uet_ses_rsp_error(&rsp, r->req, rc);
	app_respond(r, &rsp);
}

static void app_refuse(const struct ex_req *r, u8 nack_code)
{
	uet_pdc_rx_refuse(ex_core(r->p), r->hdr, r->in, nack_code, ex.now);
}

/* The whole message was executed. */
static void app_delivered(struct ex_msg *msg)
{
	ex_note("message %u is executed", app_number(msg));
	if (++msg->delivered > 1 && !app_spec(msg)->is_idempotent)
		ex_fail("message %u is executed twice", app_number(msg));
}

/* A packet of it was executed. */
static void app_run(struct ex_msg *msg, u32 offset)
{
	u32 i = offset / EX_MTU;

	if (++msg->runs[i] > 1 && !app_spec(msg)->is_idempotent)
		ex_fail("packet %u of message %u is executed twice", i, app_number(msg));
}

/* The packet must be one that its message has. */
static bool app_fits(const struct ex_req *r, const struct ex_msg *msg)
{
	u32 offset = uet_ses_req_offset(r->req);

	if (r->tag == app_tag(msg, offset) && offset + r->len <= app_length(msg))
		return true;
	ex_fail("message %u gets bytes %u+%u of %u, tag %x", app_number(msg), offset,
		r->len, app_length(msg), r->tag);
	return false;
}

/* Find or begin the message of a packet; without space the packet is refused. */
static struct ex_rx *app_find(const struct ex_req *r)
{
	struct uet_ses_rx *found;
	struct ex_rx *rx;

	found = uet_ses_rx_find(&r->p->ses, r->req, r->hdr->u.req.psn);
	if (found)
		return container_of(found, struct ex_rx, rx);
	for (rx = r->p->rx; rx != r->p->rx + EX_RXS; rx++) {
		if (rx->is_used)
			continue;
		memset(rx, 0, sizeof(*rx));
		rx->is_used = true;
		uet_ses_rx_start(&r->p->ses, &rx->rx, r->req);
		return rx;
	}
	app_refuse(r, UET_NACK_NO_SES_MSG_AVAIL);
	return NULL;
}

/* SES keeps the message until its last packet. */
static void app_step(const struct ex_req *r, struct ex_msg *msg, struct ex_rx *rx,
		     enum uet_ses_step step, enum uet_drop why)
{
	if (step == UET_SES_ERROR || step == UET_SES_IGNORE)
		ex_fail("SES objects to message %u: %s", app_number(msg),
			uet_drop_name(why));
	if (step == UET_SES_DONE) {
		rx->is_used = false;
		app_delivered(msg);
	}
	app_accept(r, UET_RC_OK);
}

static void app_rx_write(const struct ex_req *r, struct ex_msg *msg)
{
	enum uet_ses_step step;
	enum uet_drop why;
	struct ex_rx *rx;
	u64 offset;

	if (uet_ses_rma_place(r->req, r->len, &offset) || offset >= app_length(msg)) {
		ex_fail("message %u is placed at %llu", app_number(msg),
			(unsigned long long)offset);
		return;
	}
	rx = app_find(r);
	if (!rx)
		return;
	app_run(msg, offset);
	step = uet_ses_rx_rma(&r->p->ses, &rx->rx, r->req, r->len, &why);
	app_step(r, msg, rx, step, why);
}

/* The segments of a message must be all of it. */
static void app_check_segs(struct ex_msg *msg, struct ex_rx *rx)
{
	struct uet_ses_seg *seg;
	LIST_HEAD(segs);
	u32 next = 0;

	uet_ses_rx_take(&rx->rx, &segs);
	list_for_each_entry(seg, &segs, link) {
		if (seg->offset != next)
			break;
		next += seg->len;
	}
	if (next != app_length(msg))
		ex_fail("message %u arrives with %u of %u bytes", app_number(msg), next,
			app_length(msg));
}

static void app_rx_send(const struct ex_req *r, struct ex_msg *msg)
{
	struct ex_rx *rx = app_find(r);
	struct uet_ses_seg *seg;
	enum uet_ses_step step;
	enum uet_drop why;

	if (!rx)
		return;
	seg = &rx->seg[uet_ses_req_offset(r->req) / EX_MTU];
	seg->len = r->len;
	step = uet_ses_rx_seg(&r->p->ses, &rx->rx, r->req, seg, &why);
	if (step == UET_SES_DONE)
		app_check_segs(msg, rx);
	app_step(r, msg, rx, step, why);
}

static void app_respond_data(const struct ex_req *r, const void *data, u32 len)
{
	struct uet_ses_rsp rsp;

	uet_ses_rsp_data(&rsp, r->req, r->hdr->u.req.psn, len);
	rsp.data = data;
	app_respond(r, &rsp);
}

static void app_rx_read(const struct ex_req *r, struct ex_msg *msg)
{
	static const u8 zeros[UET_PDC_ACK_DATA_MAX];
	struct ex_read_rsp *back;
	u64 offset;
	u32 len;
	u8 rc;

	if (uet_ses_read_share(r->req, EX_MTU, &offset, &len, &rc)) {
		ex_fail("message %u reads nonsense", app_number(msg));
		return;
	}
	if (uet_ses_read_in_ack(r->req, UET_PDC_ACK_DATA_MAX)) {
		app_respond_data(r, zeros, len);
		return;
	}
	for (back = r->p->rsp; back != r->p->rsp + EX_READ_RSPS; back++)
		if (!back->is_used)
			break;
	if (back == r->p->rsp + EX_READ_RSPS || !uet_ses_read_rsp_space(&r->p->ses)) {
		app_refuse(r, UET_NACK_NO_PKT_BUFFER);
		return;
	}
	memset(back, 0, sizeof(*back));
	back->is_used = true;
	back->tag = app_tag(msg, offset);
	uet_ses_rsp_data(&back->rsp.rsp, r->req, r->hdr->u.req.psn, len);
	uet_ses_read_rsp_queue(&r->p->ses, &back->rsp, 1);
	app_accept(r, UET_RC_OK);
}

/**
 * ex_app_rx() - process a request that PDS delivers
 * @r: the request; its PDC expects accept or refuse
 */
void ex_app_rx(const struct ex_req *r)
{
	struct uet_ses_req req = *r->req;
	struct ex_req same = *r;
	struct ex_msg *msg = &ex.msg[req.initiator - 1];

	same.req = &req;
	uet_ses_rx_mark_end(&req, r->len, EX_MTU);
	if (!req.initiator || req.initiator > ex.submitted ||
	    uet_ses_rx_supported(&req, UET_DROP_NONE) != UET_RC_OK ||
	    req.opcode != app_spec(msg)->opcode) {
		ex_fail("node %u gets a request that nobody sent", r->p->node);
	} else if (req.pid) {
		app_accept(&same, UET_RC_BAD_PID);
	} else if (req.opcode == UET_OP_READ) {
		app_rx_read(&same, msg);
	} else if (req.opcode == UET_OP_FETCHING_ATOMIC) {
		app_delivered(msg);
		app_respond_data(&same, (u32[]){ msg->delivered }, sizeof(u32));
	} else if (app_fits(&same, msg)) {
		if (req.opcode == UET_OP_WRITE)
			app_rx_write(&same, msg);
		else
			app_rx_send(&same, msg);
	}
}

/* ------------------------------------------------------------------ requested data */

static void app_take_data(const struct ex_req *r, struct uet_ses_tx *tx, u32 offset)
{
	struct ex_msg *msg = container_of(tx, struct ex_msg, tx);
	enum uet_drop why = uet_ses_read_check(&r->p->ses, tx, r->rsp, offset, r->len);

	if (why) {
		ex_fail("message %u gets data %u+%u: %s", app_number(msg), offset, r->len,
			uet_drop_name(why));
		return;
	}
	if (msg->got & BIT(offset / EX_MTU))
		ex_fail("message %u gets data %u twice", app_number(msg), offset);
	msg->got |= BIT(offset / EX_MTU);
	if (tx->amo)
		memcpy(&msg->value, r->rsp->data, sizeof(msg->value));
	uet_ses_read_take(&r->p->ses, tx, offset, r->len, 1);
}

/**
 * ex_app_rx_data() - process a read response in the return direction
 * @r: the packet; its PDC expects accept
 */
void ex_app_rx_data(const struct ex_req *r)
{
	struct uet_ses_tx *tx = uet_ses_read_find(&r->p->ses, r->rsp);
	struct uet_ses_rsp taken;

	if (tx && r->tag != app_tag(container_of(tx, struct ex_msg, tx),
				    r->rsp->message_offset))
		ex_fail("a READ gets data of tag %x", r->tag);
	if (tx)
		app_take_data(r, tx, r->rsp->message_offset);
	uet_ses_rsp_taken(&taken, r->rsp, tx);
	app_respond(r, &taken);
}

/**
 * ex_app_rx_ack() - process an ACK, which may contain data
 * @r: the packet; @r->req is unused
 */
void ex_app_rx_ack(const struct ex_req *r)
{
	const struct uet_pds_pkt *out = uet_pdc_answered(ex_core(r->p), r->hdr);
	struct uet_pds_pkt pkt = {};
	struct uet_ses_tx *tx;
	enum uet_drop why;

	if (out)
		pkt = *out;
	why = uet_pdc_rx_ack(ex_core(r->p), r->hdr, r->rsp, r->in, ex.now);
	if (why)
		ex_note("node %u PDC %x drops an ACK: %s", r->p->node, r->p->id,
			uet_drop_name(why));
	if (why || !out || r->rsp->form == UET_RSP_FORM_PLAIN || uet_ses_is_read_rsp(&pkt))
		return;
	tx = pkt.msg;
	if (tx->read.want)
		app_take_data(r, tx, pkt.offset);
}

/* ------------------------------------------------------------------------- the end */

/**
 * ex_app_free_rsps() - free the read responses that were answered or dropped
 * @p: PDC, after uet_ses_reap() or uet_ses_fail()
 */
void ex_app_free_rsps(struct ex_pdc *p)
{
	struct uet_ses_read_rsp *rsp, *next;
	LIST_HEAD(rsps);

	uet_ses_take_read_rsp(&p->ses, &rsps);
	list_for_each_entry_safe(rsp, next, &rsps, link)
		memset(container_of(rsp, struct ex_read_rsp, rsp), 0,
		       sizeof(struct ex_read_rsp));
}

/**
 * ex_app_free() - free all memory of a PDC that ends
 * @p: the PDC, after uet_ses_fail()
 */
void ex_app_free(struct ex_pdc *p)
{
	struct uet_ses_rx *rx, *next;
	u32 i;

	list_for_each_entry_safe(rx, next, &p->ses.rxq, link) {
		uet_ses_rx_drop(&p->ses, rx);
		container_of(rx, struct ex_rx, rx)->is_used = false;
	}
	ex_app_free_rsps(p);
	if (!uet_ses_is_idle(&p->ses))
		ex_fail("node %u PDC %x ends with messages", p->node, p->id);
	for (i = 0; i < EX_RXS; i++)
		if (p->rx[i].is_used)
			ex_fail("node %u PDC %x ends with a message at its receiver",
				p->node, p->id);
	for (i = 0; i < EX_READ_RSPS; i++)
		if (p->rsp[i].is_used)
			ex_fail("node %u PDC %x ends with a read response", p->node,
				p->id);
}

/**
 * ex_app_verdict() - at the end of a world: every message has a verdict
 */
void ex_app_verdict(void)
{
	u32 i;

	for (i = 0; i < ex.submitted; i++)
		if (!ex.msg[i].is_done)
			ex_fail("message %u never ends", i + 1);
}
