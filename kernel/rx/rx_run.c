// SPDX-License-Identifier: GPL-2.0
/*
 * Runs in the receive path.  After a packet of a burst that was accepted, the packets
 * that continue its message in order are a run: their headers are compared with those of
 * that packet, and PDC, message and memory region are looked up once.  The sender may have
 * put them in one socket buffer (carrier/burst_run.c).  A packet that is not as expected
 * ends the run, and takes the way of a single packet.  So a run refuses nothing.
 * Spec: none; the packets are those of UE 1.0.1 3.5.10.
 */
#include <linux/skbuff.h>

#include "carrier/carrier.h"
#include "endpoint/endpoint.h"
#include "fabric/fabric.h"
#include "fabric/trace.h"
#include "message/message.h"
#include "pdc/pdc.h"
#include "rx.h"

/**
 * struct rx_run - a run; on the stack
 * @whole: the burst
 * @wire: what the next packet must be
 * @pe: PDC, locked
 * @rm: message
 * @mr: memory region that a WRITE changes; else NULL
 * @at: offset of the message in @mr
 * @head_len: PDS and SES header, bytes
 * @space: most packets
 * @n: packets so far
 * @in: receive information of the latest packet
 */
struct rx_run {
	const struct uet_rx *whole;
	struct uet_wire_run *wire;
	struct uet_pdc_entry *pe;
	struct uet_rx_message *rm;
	const struct uet_mr *mr;
	u64 at;
	u32 head_len;
	u32 space;
	u32 n;
	struct uet_rx_info in;
};

/**
 * uet_rx_run_note() - note a packet that a run may follow
 * @rx: packet, accepted, starting at the payload
 * @req: its request header
 *
 * Context: Softirq, lock of the PDC held.
 */
void uet_rx_run_note(struct uet_rx *rx, const struct uet_ses_req *req)
{
	u32 len = uet_wire_ty(rx->hdr.type)->len + UET_SES_STD_LEN;

	if (rx->burst && req->form == UET_SES_STD_NOSOM)
		rx->burst->may_run = uet_wire_run_begin(&rx->burst->run, &rx->hdr,
							req, rx->skb->data - len);
}

/* The message of the packet before. Return: NULL if packets of it go singly. */
static struct uet_rx_message *run_find_message(const struct uet_wire_run *wire,
					       struct uet_pdc_entry *pe)
{
	struct uet_rx_message *rm;
	struct uet_ses_rx *sr;

	sr = uet_ses_rx_run_begin(&pe->ses, wire->msg_id,
				  wire->offset + wire->len);
	if (!sr)
		return NULL;
	rm = container_of(sr, struct uet_rx_message, ses);
	return rm->ops || uet_rx_message_is_orphan(rm) ? NULL : rm;
}

/* A WRITE whose message fits its region. */
static bool run_find_region(struct rx_run *run)
{
	const struct uet_ses_req *req = &run->rm->ses.req;
	u32 length = run->wire->request_length;
	u64 end;

	run->mr = NULL;
	if (!uet_ses_is_rma(req->opcode))
		return true;
	if (!uet_sock_is_receiving(run->rm->us) ||
	    check_add_overflow(req->offset, (u64)length, &end))
		return false;
	run->at = req->offset;
	run->mr = uet_mr_find(run->rm->us, req->match);
	return run->mr && uet_mr_check(run->mr, run->at, length,
				       UET_MR_WRITE) == UET_RC_OK;
}

static bool run_begin(struct rx_run *run, const struct uet_rx *whole,
		      struct uet_rx_burst *burst)
{
	struct uet_wire_run *wire = &burst->run;

	if (!burst->may_run || !burst->pe || whole->in.ce ||
	    trace_uet_pkt_rx_enabled())
		return false;
	run->whole = whole;
	run->wire = wire;
	run->pe = burst->pe;
	if (!uet_pdc_rx_may_run(run->pe->pdc, wire->psn + 1))
		return false;
	run->rm = run_find_message(wire, run->pe);
	if (!run->rm || !run_find_region(run))
		return false;
	run->head_len = wire->pds_len + UET_SES_STD_LEN;
	run->space = uet_ses_rx_run_space(&run->rm->ses, wire->len);
	run->n = 0;
	run->in.ce = false;
	run->in.bytes = whole->fep->head_len + run->head_len + wire->len +
			whole->fep->cfg.protect_len + UET_RX_NOMINAL;
	return true;
}

/* Is a message that keeps its packets ready for @nr more? */
static bool run_may_keep(const struct rx_run *run, struct sk_buff *skb, u32 nr)
{
	const struct uet_rx_message *rm = run->rm;

	if (run->mr || rm->is_placed)
		return true;
	return skb->truesize <= (u64)nr * rm->truesize &&
	       uet_rx_message_accepts(rm, run->wire->offset + run->wire->len,
				      nr * run->wire->len) &&
	       !skb_orphan_frags_rx(skb, GFP_ATOMIC);
}

/* Do the @nr packets of @skb continue the run?  Then it starts at their payload. */
static bool run_continues(struct rx_run *run, struct sk_buff *skb, u32 nr)
{
	const struct uet_tx_skb_cb *cb = uet_tx_skb_cb(skb);

	if (run->n + nr > run->space ||
	    skb->len != run->head_len + nr * run->wire->len ||
	    skb_headlen(skb) < run->head_len ||
	    !cb->crc_addrs == run->whole->fep->cfg.crc ||
	    !run_may_keep(run, skb, nr) ||
	    !uet_wire_run_next(run->wire, skb->data, nr))
		return false;
	__skb_pull(skb, run->head_len);
	return true;
}

/* Put @nr payloads where they belong. Return: false if their memory is gone. */
static bool run_place(struct rx_run *run, struct sk_buff *skb, u32 nr)
{
	struct uet_rx_message *rm = run->rm;
	u32 len = nr * run->wire->len;
	u32 offset = run->wire->offset + run->wire->len - len;

	if (!run->mr && !rm->is_placed) {
		uet_skb_strip(skb);
		uet_ses_rx_run_seg(&rm->ses, &uet_skb_cb(skb)->seg, offset, len);
		return true;
	}
	if (run->mr) {
		uet_mr_write(run->mr, run->at + offset, skb, len);
	} else if (uet_posted_recv_put(rm->us, rm->recv, offset, skb, len)) {
		__skb_push(skb, run->head_len);
		return false;
	}
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

static void run_end(struct rx_run *run)
	__must_hold(&run->pe->lock)
{
	const struct uet_wire_run *wire = run->wire;
	struct uet_net *un = run->whole->fep->un;

	if (!run->n)
		return;
	uet_ses_rx_run_end(&run->pe->ses, &run->rm->ses, run->n, wire->len,
			   uet_pdc_rx_run(run->pe->pdc, run->n, &run->in,
					  run->whole->now));
	if (run->mr)
		uet_mib_add(un, UET_MIB_RX_RMA, run->n);
	else if (run->rm->is_placed)
		uet_mib_add(un, UET_MIB_RX_POSTED, run->n);
	run_deliver(run);
}

/**
 * uet_rx_run() - receive packets that continue the message of the packet before
 * @whole: the burst
 * @burst: its state, after a packet
 * @packet: the packets and runs that are left, linked by sk_buff.next, or NULL
 *
 * Context: Softirq, rcu_read_lock() held; the PDC is locked if @burst->pe is set.
 * Return: the packets that the caller takes one by one, or NULL.
 */
struct sk_buff *uet_rx_run(const struct uet_rx *whole, struct uet_rx_burst *burst,
			   struct sk_buff *packet)
{
	struct sk_buff *next;
	struct rx_run run;
	u32 nr;

	if (!packet || !run_begin(&run, whole, burst))
		return packet;
	for (; packet; packet = next) {
		next = packet->next;
		nr = uet_tx_skb_nr(packet);
		if (!run_continues(&run, packet, nr))
			break;
		skb_mark_not_on_list(packet);
		if (!run_place(&run, packet, nr)) {
			packet->next = next;
			break;
		}
		run.in.ev = uet_burst_entry_ev(burst->entries, nr - 1);
		burst->entries = uet_burst_entry_skip(burst->entries, nr);
		run.n += nr;
	}
	run_end(&run);
	return packet;
}
