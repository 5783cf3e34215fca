// SPDX-License-Identifier: GPL-2.0
/*
 * Reads and fetching atomics in the simulator: messages that request data,
 * which arrives with the ACK or in the return direction.  The data of a read
 * are the bytes that the message would have if it were sent.  A fetching atomic
 * returns the number of its executions.  The data is compared byte by byte when
 * the message ends.
 * Level: test.
 *
 * Spec: uet-wire 2.32.
 */
#include "sim.h"

/**
 * struct read_back - a read response in the return direction
 * @back: for SES
 * @nr: number of the message that requested the data
 */
struct read_back {
	struct uet_ses_read_rsp back;
	u32 nr;
};

/**
 * sim_read_compose() - turn a message into a request for data, or not
 * @sim: the run
 * @msg: message of a flow, to be sent
 */
void sim_read_compose(struct sim *sim, struct sim_msg *msg)
{
	const struct sim_params *par = &sim->par;
	struct uet_ses_tx *tx = &msg->tx;

	if (par->read_pct && sim_chance(&sim->rng, par->read_pct * 10000)) {
		tx->opcode = UET_OP_READ;
		tx->read.want = tx->length;
		tx->avail = tx->length;
	} else if (par->fetch_pct &&
		   sim_chance(&sim->rng, par->fetch_pct * 10000)) {
		tx->opcode = UET_OP_FETCHING_ATOMIC;
		msg->amo.opcode = UET_AMO_READ;
		tx->amo = &msg->amo;
		tx->length = 0;
		tx->avail = 0;
		tx->read.want = sizeof(u32);
	} else {
		return;
	}
	/* Only the memory key identifies the request. */
	tx->has_hdata = false;
	tx->match = msg->nr;
	msg->data = calloc(1, tx->read.want + 1);
	if (!msg->data)
		abort();
}

/* ------------------------------------------------------------------- the target */

static void read_accept(const struct sim_answer *a, const struct uet_ses_rsp *rsp)
{
	uet_pdc_rx_accept(a->p->pdc, a->hdr, a->in, rsp, a->p->sim->now);
}

static void read_error(const struct sim_answer *a, u8 rc)
{
	struct uet_ses_rsp rsp;

	uet_ses_rsp_error(&rsp, a->req, rc);
	read_accept(a, &rsp);
}

/* Find the message that requests the data, or answer with an error. */
static struct sim_msg *read_msg(const struct sim_answer *a)
{
	const struct uet_ses_req *req = a->req;
	struct sim *sim = a->p->sim;
	const struct sim_ep *ep;
	u8 rc = UET_RC_OK;

	ep = &sim->node[a->p->node].ep[req->pid % SIM_EPS];
	if (!req->rel || req->job != SIM_JOB)
		rc = UET_RC_BAD_JOB_ID;
	else if (req->pid >= SIM_EPS || !ep->bound)
		rc = UET_RC_BAD_PID;
	else if (req->ri != SIM_RI)
		rc = UET_RC_BAD_INDEX;
	else if (!req->match || req->match > sim->nr_msgs)
		rc = UET_RC_BAD_MKEY;
	if (rc == UET_RC_OK)
		return &sim->msg[req->match - 1];
	read_error(a, rc);
	return NULL;
}

static void read_answer(const struct sim_answer *a, const void *data, u32 len)
{
	struct uet_ses_rsp rsp;

	uet_ses_rsp_data(&rsp, a->req, a->hdr->u.req.psn, len);
	rsp.data = data;
	read_accept(a, &rsp);
}

static void read_send_rsp(const struct sim_answer *a, u32 len)
{
	struct sim *sim = a->p->sim;
	struct read_back *rb;
	struct uet_ses_rsp rsp;

	if (!uet_ses_read_rsp_space(&a->p->ses)) {
		sim->count.read_refused++;
		uet_pdc_rx_refuse(a->p->pdc, a->hdr, a->in,
				  UET_NACK_NO_PKT_BUFFER, sim->now);
		return;
	}
	rb = malloc(sizeof(*rb));
	if (!rb)
		abort();
	rb->nr = a->req->match;
	uet_ses_rsp_data(&rb->back.rsp, a->req, a->hdr->u.req.psn, len);
	uet_ses_read_rsp_queue(&a->p->ses, &rb->back, 1);
	uet_ses_rsp_default(&rsp, a->req);
	read_accept(a, &rsp);
}

static void read_serve(const struct sim_answer *a, struct sim_msg *msg)
{
	u8 data[UET_PDC_ACK_DATA_MAX], rc;
	struct uet_ses_rsp rsp;
	enum uet_drop why;
	u64 at;
	u32 len;

	why = uet_ses_read_share(a->req, a->p->sim->par.mtu, &at, &len, &rc);
	if (why) {
		if (!a->p->sim->par.forge_ppm)
			sim_fail(a->p->sim, "a read asks for nonsense: %s",
				 uet_drop_name(why));
		read_error(a, rc);
	} else if (!len) {
		uet_ses_rsp_default(&rsp, a->req);
		read_accept(a, &rsp);
	} else if (uet_ses_read_in_ack(a->req, UET_PDC_ACK_DATA_MAX)) {
		sim_payload_fill(msg->nr, 0, data, len);
		read_answer(a, data, len);
	} else {
		read_send_rsp(a, len);
	}
}

/**
 * sim_read_rx() - process a request for data
 * @a: the request and its context
 */
void sim_read_rx(const struct sim_answer *a)
{
	struct sim *sim = a->p->sim;
	struct sim_msg *msg;

	if (sim_chance(&sim->rng, sim->par.refuse_ppm)) {
		sim->count.refused++;
		uet_pdc_rx_refuse(a->p->pdc, a->hdr, a->in,
				  UET_NACK_NO_RESOURCE, sim->now);
		return;
	}
	msg = read_msg(a);
	if (!msg)
		return;
	if (a->req->opcode == UET_OP_READ) {
		read_serve(a, msg);
		return;
	}
	msg->delivered++;
	read_answer(a, &msg->delivered, sizeof(msg->delivered));
}

/**
 * sim_read_put() - encode a read response
 * @pkt: packet for which uet_ses_is_read_rsp() is true
 * @buf: result: SES header and data
 * @space: capacity of @buf, bytes
 *
 * Return: bytes; 0 if they do not fit.
 */
size_t sim_read_put(const struct uet_pds_pkt *pkt, u8 *buf, size_t space)
{
	const struct read_back *rb = container_of(pkt->msg, struct read_back,
						  back);
	const struct uet_ses_rsp *rsp = &rb->back.rsp;
	size_t n = uet_wire_ses_rsp_encode(rsp, buf, space);

	if (!n || n + rsp->payload_length > space)
		return 0;
	sim_payload_fill(rb->nr, rsp->message_offset, buf + n,
			 rsp->payload_length);
	return n + rsp->payload_length;
}

/**
 * sim_read_free_rsps() - free the read responses that were answered or dropped
 * @p: PDC, after uet_ses_reap() or uet_ses_fail()
 */
void sim_read_free_rsps(struct sim_pdc *p)
{
	struct uet_ses_read_rsp *back, *next;
	LIST_HEAD(read_rsps);

	uet_ses_take_read_rsp(&p->ses, &read_rsps);
	list_for_each_entry_safe(back, next, &read_rsps, link)
		free(container_of(back, struct read_back, back));
}

/* ---------------------------------------------------------------- the initiator */

static void read_take(struct sim_pdc *p, struct uet_ses_tx *tx,
		      const struct uet_ses_rsp *rsp, u32 offset, const u8 *data,
		      u32 len)
{
	struct sim_msg *msg = container_of(tx, struct sim_msg, tx);
	enum uet_drop why = uet_ses_read_check(&p->ses, tx, rsp, offset, len);

	if (why) {
		if (!p->sim->par.forge_ppm)
			sim_fail(p->sim, "message %u: data at %u+%u: %s",
				 msg->nr, offset, len, uet_drop_name(why));
		uet_ses_read_fail(&p->ses, tx, UET_PDC_ERR_PROTOCOL, UET_RC_OK);
		return;
	}
	memcpy(msg->data + offset, data, len);
	uet_ses_read_take(&p->ses, tx, offset, len, 1);
}

/**
 * sim_read_rx_data() - process a read response in the return direction
 * @p: PDC of the packet, which expects accept
 * @hdr: PDS header of the packet
 * @in: reception attributes
 * @rsp: SES header of the packet
 * @data: data
 * @len: length of the data, bytes
 */
void sim_read_rx_data(struct sim_pdc *p, const struct uet_pds_hdr *hdr,
		      const struct uet_rx_info *in,
		      const struct uet_ses_rsp *rsp, const u8 *data, u32 len)
{
	struct uet_ses_tx *tx = uet_ses_read_find(&p->ses, rsp);
	struct uet_ses_rsp taken;

	p->sim->count.read_back++;
	if (tx)
		read_take(p, tx, rsp, rsp->message_offset, data, len);
	uet_ses_rsp_taken(&taken, rsp, tx);
	uet_pdc_rx_accept(p->pdc, hdr, in, &taken, p->sim->now);
}

/**
 * sim_read_rx_ack() - process an ACK that may contain data
 * @p: PDC of the ACK
 * @hdr: PDS header of the ACK
 * @in: reception attributes
 * @rsp: SES header of the ACK
 * @data: data
 * @len: length of the data, bytes
 */
void sim_read_rx_ack(struct sim_pdc *p, const struct uet_pds_hdr *hdr,
		     const struct uet_rx_info *in,
		     const struct uet_ses_rsp *rsp, const u8 *data, u32 len)
{
	const struct uet_pds_pkt *out = uet_pdc_answered(p->pdc, hdr);
	struct uet_pds_pkt pkt = {};
	struct uet_ses_tx *tx;
	enum uet_drop why;

	if (out)
		pkt = *out;
	why = uet_pdc_rx_ack(p->pdc, hdr, rsp, in, p->sim->now);
	if (why || !out || rsp->form == UET_RSP_FORM_PLAIN ||
	    uet_ses_is_read_rsp(&pkt))
		return;
	tx = pkt.msg;
	if (!tx->read.want)
		return;
	p->sim->count.read_in_ack++;
	read_take(p, tx, rsp, pkt.offset, data, len);
}

/**
 * sim_read_done() - verify the data of a message that has its verdict
 * @sim: the run
 * @msg: message of any kind
 */
void sim_read_done(struct sim *sim, struct sim_msg *msg)
{
	bool is_right;
	u32 count;

	if (!msg->data)
		return;
	if (msg->tx.opcode == UET_OP_READ) {
		is_right = sim_payload_equal(msg->nr, 0, msg->data,
					     msg->tx.length);
		msg->delivered += !msg->error;
	} else {
		memcpy(&count, msg->data, sizeof(count));
		is_right = count == 1;
	}
	if (!msg->error && !is_right && !sim->par.forge_ppm)
		sim_fail(sim, "message %u has read wrong bytes", msg->nr);
	sim->count.read_ok += !msg->error;
	free(msg->data);
	msg->data = NULL;
}
