// SPDX-License-Identifier: GPL-2.0
/*
 * Runs in the receive path: packets that continue the latest message, READ or read data of
 * their PDC, in order. Their headers are compared with those of the latest packet, and PDC,
 * message and memory region are looked up once. The sender may have put the packets in one
 * socket buffer (carrier/burst.c). A packet that is not as expected ends the run, and takes
 * the way of a single packet. So a run refuses nothing.
 * Spec: none; the packets are those of UE 1.0.1 3.5.10, and of 3.4.1 and uet-wire 2.32 for
 * READs.
 */
#include <linux/skbuff.h>
#include <linux/uet.h>

#include "carrier/carrier.h"
#include "core/ses/ses.h"
#include "endpoint/endpoint.h"
#include "fabric/fabric.h"
#include "fabric/trace.h"
#include "message/message.h"
#include "pdc/pdc.h"
#include "transfer/transfer.h"
#include "rx.h"

struct rx_run;

/**
 * struct rx_run_ops - what a run does with its packets
 * @begin: prepare for packets that continue the latest one, set @mr and @space; false: they
 *	go singly, and @mr is not held
 * @fits: may the @nr packets of @skb, whose headers are not compared yet, be taken?  NULL: yes
 * @place: take the @nr packets of @skb, starting at the payload; consumes @skb.  False: the
 *	packets go singly, and nothing has changed
 * @account: tell other layers of the packets, one at least; @psn is that of the last one
 * @mib: without @account: their counter
 */
struct rx_run_ops {
	bool (*begin)(struct rx_run *run);
	bool (*fits)(struct rx_run *run, struct sk_buff *skb, u32 nr);
	bool (*place)(struct rx_run *run, struct sk_buff *skb, u32 nr);
	void (*account)(struct rx_run *run, u32 psn);
	enum uet_mib mib;
};

/**
 * struct rx_run - a run; on the stack
 * @ops: what its packets are
 * @whole: the burst
 * @wire: what the next packet must be
 * @pe: PDC, locked
 * @rm: message that the packets continue
 * @mr: memory region that a WRITE changes, or that a READ reads; else NULL; released at the end
 * @at: offset of the message in @mr
 * @us: endpoint whose memory a READ reads
 * @req: header of the latest request of that READ
 * @tm: local READ that data is for
 * @n: packets so far
 * @space: most packets
 * @in: receive information of the latest packet
 */
struct rx_run {
	const struct rx_run_ops *ops;
	const struct uet_rx *whole;
	struct uet_wire_run *wire;
	struct uet_pdc_entry *pe;
	struct uet_rx_message *rm;
	struct uet_mr *mr;
	u64 at;
	struct uet_sock *us;
	struct uet_ses_req req;
	struct uet_tx_message *tm;
	u32 n;
	u32 space;
	struct uet_rx_info in;
};

/* Offset in the message of the first byte of the next packet. */
static u32 rx_run_next_offset(const struct rx_run *run)
{
	return run->wire->offset + run->wire->len;
}

/* Offset in the message of the first byte of the latest @nr packets. */
static u32 rx_run_offset(const struct rx_run *run, u32 nr)
{
	return rx_run_next_offset(run) - nr * run->wire->len;
}

/* Note a packet, accepted and starting at the payload, that a run may follow. The PDC is locked. */
void uet_rx_run_note(struct uet_pdc_entry *pe, const struct uet_rx *rx,
		     const struct uet_ses_req *req, u32 payload)
{
	u32 len = uet_wire_ty(rx->hdr.type)->len + UET_SES_STD_LEN;

	if (!req->eom)
		uet_wire_run_begin(&pe->window->run, &rx->hdr, req, payload,
				   rx->skb->data - len);
}

/*
 * The same for read data; @total: bytes that the message has requested. If the packet is not
 * used, the caller resets the length of the run.
 */
void uet_rx_run_note_data(struct uet_pdc_entry *pe, const struct uet_rx *rx,
			  const struct uet_ses_rsp *rsp, u32 total)
{
	u32 len = uet_wire_ty(rx->hdr.type)->len + UET_SES_RSP_DATA_LEN;

	if (rsp->form == UET_RSP_FORM_DATA)
		uet_wire_run_begin_data(&pe->window->run, &rx->hdr, rsp, total,
					rx->skb->data - len);
}

/* ------------------------------------------------------ messages and WRITEs */

/* The message of the packet before. Return: NULL if packets of it go singly. */
static struct uet_rx_message *run_find_message(const struct uet_wire_run *wire,
					       struct uet_pdc_entry *pe)
{
	struct uet_rx_message *rm;
	struct uet_ses_rx *sr;

	sr = uet_ses_rx_run_begin(&pe->ses, wire->msg_id, wire->tgt_token,
				  wire->offset + wire->len);
	if (!sr)
		return NULL;
	rm = container_of(sr, struct uet_rx_message, ses);
	return rm->rdv || uet_rx_message_is_orphan(rm) ? NULL : rm;
}

/* A WRITE is a run if its message fits its region. */
static bool run_message_begin(struct rx_run *run)
{
	const struct uet_wire_run *wire = run->wire;
	const struct uet_ses_req *req;
	u64 end;
	u8 rc;

	run->rm = run_find_message(wire, run->pe);
	if (!run->rm)
		return false;
	req = &run->rm->ses.req;
	if (uet_ses_is_rma(req->opcode)) {
		if (uet_rx_may_get(run->whole, run->rm->us, req) != UET_RC_OK ||
		    check_add_overflow(req->offset, (u64)wire->request_length, &end))
			return false;
		run->at = req->offset;
		run->mr = uet_mr_get(run->rm->us, req->match, UET_MR_WRITE, run->at,
				     wire->request_length, &rc);
		if (!run->mr)
			return false;
	}
	run->space = uet_ses_rx_run_space(&run->rm->ses, wire->len);
	return true;
}

/* Is a message that keeps its packets ready for @nr more? */
static bool run_message_fits(struct rx_run *run, struct sk_buff *skb, u32 nr)
{
	struct uet_rx_message *rm = run->rm;

	if (run->mr || rm->is_placed)
		return true;
	return skb->truesize <= (u64)nr * rm->truesize &&
	       uet_rx_message_accepts(rm, rx_run_next_offset(run),
				      nr * run->wire->len) &&
	       uet_rx_message_hold_run(rm, skb->truesize) &&
	       !skb_orphan_frags_rx(skb, GFP_ATOMIC);
}

/* Put @nr payloads where they belong. Return: false if their memory is gone. */
static bool run_message_place(struct rx_run *run, struct sk_buff *skb, u32 nr)
{
	struct uet_rx_message *rm = run->rm;
	u32 offset = rx_run_offset(run, nr), len = nr * run->wire->len;

	if (!run->mr && !rm->is_placed) {
		uet_skb_strip(skb);
		uet_ses_rx_run_seg(&rm->ses, &uet_skb_cb(skb)->seg, offset, len);
		return true;
	}
	if (run->mr)
		uet_mr_write(run->mr, run->at + offset, skb, len);
	else if (uet_posted_recv_put(rm->us, rm->recv, offset, skb, len))
		return false;
	consume_skb(skb);
	return true;
}

/* Give a reader what it can read of the message. */
static void run_deliver(struct rx_run *run)
{
	struct uet_rx_up up = { .rm = run->rm, .segs = LIST_HEAD_INIT(up.segs) };

	if (run->mr || run->rm->is_placed ||
	    !uet_rx_message_is_streamed(run->rm))
		return;
	uet_ses_rx_take(&run->rm->ses, &up.segs);
	if (list_empty(&up.segs))
		return;
	uet_rx_message_get(run->rm);
	uet_rx_request_deliver(run->whole->fep, &up);
}

static void run_message_account(struct rx_run *run, u32 psn)
	__must_hold(&run->pe->lock)
{
	const struct uet_wire_run *wire = run->wire;
	struct uet_net *un = run->whole->fep->un;

	uet_ses_rx_run_end(&run->pe->ses, &run->rm->ses, run->n, wire->len, psn);
	run->pe->traffic.rx_bytes += (u64)run->n * wire->len;
	if (run->mr)
		uet_mib_add(un, UET_MIB_RX_RMA, run->n);
	else if (run->rm->is_placed)
		uet_mib_add(un, UET_MIB_RX_POSTED, run->n);
	run_deliver(run);
}

static const struct rx_run_ops run_message_ops = {
	.begin = run_message_begin,
	.fits = run_message_fits,
	.place = run_message_place,
	.account = run_message_account,
};

/* -------------------------------------------------------------------- READs */

/* Is the endpoint of the latest request ready for more of them? */
static bool run_read_find_endpoint(struct rx_run *run)
{
	bool *is_strict = run->pe->mode == UET_PDC_ROD ?
			  &run->pe->ses.gen.is_strict : NULL;
	enum uet_rc rc;
	u8 ri_gen;

	run->us = uet_rx_endpoint(run->whole, &run->req, &rc);
	return run->us &&
	       uet_gen_check(run->us, &run->req, is_strict, &ri_gen) == UET_RC_OK;
}

/* A READ whose message fits its region. */
static bool run_read_begin(struct rx_run *run)
{
	const struct uet_wire_run *wire = run->wire;
	u32 length = wire->request_length;
	size_t used;
	u64 end;
	u8 rc;

	if (uet_wire_ses_req_decode(wire->next_hdr, wire->head + wire->pds_len,
				    UET_SES_STD_LEN, &run->req, &used) ||
	    !run_read_find_endpoint(run))
		return false;
	run->space = uet_ses_read_rsp_space(&run->pe->ses);
	run->at = run->req.offset;
	if (check_add_overflow(run->at, (u64)length, &end))
		return false;
	run->mr = uet_mr_get(run->us, run->req.match, UET_MR_READ, run->at, length, &rc);
	return run->mr;
}

/* Without memory for all responses each request is answered or refused by itself. */
static bool run_read_place(struct rx_run *run, struct sk_buff *skb, u32 nr)
	__must_hold(&run->pe->lock)
{
	u32 offset = rx_run_offset(run, nr), len = run->wire->len;
	struct uet_read_rsp_msg *read_rsp;

	read_rsp = uet_read_rsp_copy(run->us, run->mr, run->at + offset, len, nr);
	if (!read_rsp)
		return false;
	run->req.message_offset = offset;
	uet_ses_rsp_data(&read_rsp->ses.rsp, &run->req, 0, len);
	uet_ses_read_rsp_queue(&run->pe->ses, &read_rsp->ses, nr);
	consume_skb(skb);
	return true;
}

static const struct rx_run_ops run_read_ops = {
	.begin = run_read_begin,
	.place = run_read_place,
	.mib = UET_MIB_RX_READ,
};

static bool run_data_begin(struct rx_run *run)
{
	struct uet_ses_tx *tx;

	tx = uet_ses_read_run_begin(&run->pe->ses, run->wire->msg_id, run->wire->len);
	if (!tx)
		return false;
	run->tm = container_of(tx, struct uet_tx_message, ses);
	run->space = UET_SES_READ_AHEAD;
	return true;
}

static bool run_data_fits(struct rx_run *run, struct sk_buff *skb, u32 nr)
{
	return uet_ses_read_run_fits(&run->tm->ses, rx_run_next_offset(run), nr) &&
	       uet_rx_rdv_may_put_run(run->tm, skb, nr);
}

/* Put data where it belongs. Return: false if its memory is gone. */
static bool run_data_place(struct rx_run *run, struct sk_buff *skb, u32 nr)
	__must_hold(&run->pe->lock)
{
	u32 offset = rx_run_offset(run, nr), len = nr * run->wire->len;
	struct uet_tx_message *tm = run->tm;

	if (!uet_rx_rdv_put(tm, skb, offset, len, nr)) {
		if (!uet_mr_put(tm->us, &tm->local, offset, skb, len, false))
			return false;
		consume_skb(skb);
	}
	uet_ses_read_take(&run->pe->ses, &tm->ses, offset, run->wire->len, nr);
	return true;
}

static const struct rx_run_ops run_data_ops = {
	.begin = run_data_begin,
	.fits = run_data_fits,
	.place = run_data_place,
	.mib = UET_MIB_RX_DATA,
};

/* ------------------------------------------------------------------- any run */

static const struct rx_run_ops *run_ops(const struct uet_wire_run *wire)
{
	if (wire->next_hdr == UET_NH_RSP_DATA)
		return &run_data_ops;
	return wire->payload ? &run_message_ops : &run_read_ops;
}

/* The PDC of a request, locked. Return: NULL if the packet goes singly. */
static struct uet_pdc_entry *run_find_pdc(struct uet_rx *whole, const struct sk_buff *packet)
{
	struct uet_pdc_entry *pe;
	u16 pdcid;

	if (!uet_wire_run_pdcid(packet->data, skb_headlen(packet), &pdcid))
		return NULL;
	pe = uet_pdc_table_find(whole->fep->pdcs, pdcid);
	if (!pe || !uet_fa_equal(&pe->peer, &whole->from))
		return NULL;
	whole->now = uet_pdc_entry_lock_at(pe, whole->now);
	if (!pe->dead && pe->window)
		return pe;
	uet_pdc_entry_unlock(pe);
	return NULL;
}

static bool run_begin(struct rx_run *run, const struct uet_rx *whole, struct uet_pdc_entry *pe)
{
	struct uet_wire_run *wire = &pe->window->run;

	run->n = 0;
	if (!wire->len || whole->in.ce || trace_uet_pkt_rx_enabled() ||
	    !uet_pdc_rx_may_run(pe->pdc, wire->psn + 1))
		return false;
	run->ops = run_ops(wire);
	run->whole = whole;
	run->wire = wire;
	run->pe = pe;
	run->mr = NULL;
	if (!run->ops->begin(run))
		return false;
	run->in.ce = false;
	run->in.in_burst = true;
	run->in.is_joined = whole->in.is_joined;
	run->in.bytes = whole->fep->head_len + wire->head_len + wire->payload +
			whole->fep->cfg.protect_len + UET_RX_NOMINAL;
	return true;
}

/* Do the @nr packets of @skb continue the run?  Then it starts at their payload. */
static bool run_continues(struct rx_run *run, struct sk_buff *skb, u32 nr)
{
	const struct uet_wire_run *wire = run->wire;

	if (run->n + nr > run->space ||
	    skb->len != wire->head_len + nr * wire->payload ||
	    skb_headlen(skb) < wire->head_len ||
	    (run->ops->fits && !run->ops->fits(run, skb, nr)) ||
	    !uet_wire_run_next(run->wire, skb->data, nr))
		return false;
	__skb_pull(skb, wire->head_len);
	return true;
}

/* Take the @nr packets of @skb, which is consumed. Return: false if they go singly. */
static bool run_take(struct rx_run *run, struct sk_buff *skb, u32 nr)
{
	if (run->ops->place(run, skb, nr)) {
		run->n += nr;
		return true;
	}
	__skb_push(skb, run->wire->head_len);
	return false;
}

/* After run_begin() */
static void run_end(struct rx_run *run)
	__must_hold(&run->pe->lock)
{
	u32 psn;

	if (run->n) {
		psn = uet_pdc_rx_run(run->pe->pdc, run->n, run->wire->clear_psn,
				     &run->in, run->whole->now);
		uet_mib_add(run->whole->fep->un, UET_MIB_RX_RUN_PACKETS, run->n);
		if (run->ops->account)
			run->ops->account(run, psn);
		else
			uet_mib_add(run->whole->fep->un, run->ops->mib, run->n);
	}
	uet_mr_release(run->mr);
}

/*
 * Receive packets of a burst that continue a message; the PDC is locked if @burst->pe is set.
 * Return: the packets that the caller takes one by one, or NULL.
 */
struct sk_buff *uet_rx_run(struct uet_rx *whole, struct uet_rx_burst *burst,
			   struct sk_buff *packet)
{
	struct sk_buff *next;
	struct rx_run run;
	u32 nr;

	if (packet && !burst->pe)
		burst->pe = run_find_pdc(whole, packet);
	if (!packet || !burst->pe || !run_begin(&run, whole, burst->pe))
		return packet;
	for (; packet; packet = next) {
		next = packet->next;
		nr = uet_tx_skb_nr(packet);
		if (!uet_tx_skb_cb(packet)->crc_addrs == whole->fep->cfg.crc ||
		    !run_continues(&run, packet, nr))
			break;
		skb_mark_not_on_list(packet);
		if (!run_take(&run, packet, nr)) {
			packet->next = next;
			break;
		}
		run.in.ev = uet_burst_entry_ev(burst->entries, nr - 1);
		burst->entries = uet_burst_entry_skip(burst->entries, nr);
	}
	run_end(&run);
	return packet;
}

/*
 * Receive a packet that continues a message, starting at the PDS header, without trailer.
 * Return: false: the caller takes it as it takes any packet.
 */
bool uet_rx_run_single(struct uet_rx *rx)
{
	struct sk_buff *skb = rx->skb;
	struct uet_pdc_entry *pe;
	struct rx_run run;

	if (!pskb_may_pull(skb, min_t(u32, skb->len,
				      UET_REQ_CC_LEN + UET_SES_STD_LEN)))
		return false;
	pe = run_find_pdc(rx, skb);
	if (!pe)
		return false;
	if (run_begin(&run, rx, pe)) {
		if (run_continues(&run, skb, 1) && run_take(&run, skb, 1))
			run.in = rx->in;
		run_end(&run);
	}
	if (run.n)
		uet_pdc_entry_run(pe, UET_RUN_IF_BUSY);
	else
		uet_pdc_entry_unlock(pe);
	return run.n;
}
