// SPDX-License-Identifier: GPL-2.0
/*
 * Takes a packet from the carrier of a FEP, decodes the PDS header, finds or opens the PDC
 * (rx_pdc.c) and feeds the core. Trimmed packets arrive through their own entry; few of their
 * fields are trusted. Packets for no PDC are answered as the specification requires.
 *
 * Requests of a ROD PDC that arrive before an earlier one are kept, in PSN order, until those
 * before them have arrived, and are then received as if they came then. The window of the PDC
 * bounds their number, a FEP keeps UET_RX_EARLY_MAX bytes of them, and a PDC keeps as much as
 * is free. Beyond that requests are lost, as at a receiver of go-back-N.
 * Spec: UE 1.0.1 3.5.10, 3.5.21, uet-wire 1.9, 2.20.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/netdevice.h>
#include <linux/netfilter.h>
#include <linux/skbuff.h>
#include <net/dsfield.h>
#include <net/dst.h>
#include <net/inet_ecn.h>
#include <net/ip.h>

#include "carrier/carrier.h"
#include "core/ses/ses.h"
#include "fabric/fabric.h"
#include "fabric/trace.h"
#include "message/message.h"
#include "pdc/pdc.h"
#include "transfer/transfer.h"
#include "rx.h"
#include "tss/tss.h"

/* A secure PDC may start at the PSN that its target chose. */
static noinline void rx_note_secure_start(struct uet_rx *rx, struct uet_pdc_entry *pe)
	__must_hold(&pe->lock)
{
	struct uet_pdc_info info;

	uet_pdc_get_info(pe->pdc, &info);
	if (info.state != UET_PDC_ST_NEW_ESTABLISHED &&
	    info.state != UET_PDC_ST_ESTABLISHED)
		return;
	pe->is_started = true;
	pe->start_psn = info.start_psn;
	uet_sd_live(rx->fep->cfg.sd, &rx->from, rx->tss, info.start_psn);
}

static void rx_note_start(struct uet_rx *rx, struct uet_pdc_entry *pe)
	__must_hold(&pe->lock)
{
	if (unlikely(rx->fep->cfg.sd) && pe->role == UET_PDC_TARGET &&
	    !pe->is_started)
		rx_note_secure_start(rx, pe);
}

/* Memory of the requests that a FEP keeps, bytes. */
#define UET_RX_EARLY_MAX	(4 << 20)

/**
 * struct rx_early_cb - how a request arrived, in sk_buff.cb while it is kept
 * @in: receive information for the core
 * @psn: its PSN
 * @ip_len: as uet_rx.ip_len
 */
struct rx_early_cb {
	struct uet_rx_info in;
	u32 psn;
	u32 ip_len;
};

static struct rx_early_cb *rx_early_cb(const struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct rx_early_cb) > sizeof(skb->cb));
	return (struct rx_early_cb *)skb->cb;
}

static void early_insert(struct sk_buff_head *early, struct sk_buff *skb)
{
	struct sk_buff *at;

	skb_queue_reverse_walk(early, at)
		if (uet_psn_before(rx_early_cb(at)->psn, rx_early_cb(skb)->psn))
			break;
	__skb_queue_after(early, at, skb);
}

/*
 * A PDC keeps as much as it leaves free: a half of all if no other PDC keeps any. PDCs whose
 * gaps are never filled thus leave memory for others.
 */
static bool early_charge(struct uet_pdc_entry *pe, u32 bytes)
	__must_hold(&pe->lock)
{
	u32 used = atomic_add_return(bytes, &pe->fep->early_bytes);

	if (used <= UET_RX_EARLY_MAX &&
	    pe->early_bytes + bytes <= UET_RX_EARLY_MAX - used) {
		pe->early_bytes += bytes;
		return true;
	}
	atomic_sub(bytes, &pe->fep->early_bytes);
	return false;
}

/* Keep a request for which uet_pdc_rx_req() just returned UET_DROP_ROD_OOO. */
static enum uet_drop rx_early_keep(struct uet_pdc_entry *pe, struct uet_rx *rx)
{
	struct sk_buff *skb = rx->skb;
	struct rx_early_cb *cb = rx_early_cb(skb);

	lockdep_assert_held(&pe->lock);
	if (skb_orphan_frags_rx(skb, GFP_ATOMIC))
		return UET_DROP_ROD_OOO;
	if (!early_charge(pe, skb->truesize))
		return UET_DROP_ROD_OOO;
	uet_rx_keep(rx);
	__skb_push(skb, uet_wire_ty(rx->hdr.type)->len);
	cb->in = rx->in;
	cb->psn = rx->hdr.u.req.psn;
	cb->ip_len = rx->ip_len;
	early_insert(&pe->early, skb);
	uet_pdc_early_keep(pe->pdc, &rx->hdr, &rx->in, rx->now);
	uet_mib_inc(pe->fep->un, UET_MIB_RX_EARLY);
	return UET_DROP_NONE;
}

/* Take the kept request that is expected next. Return: false if none is due. */
static bool rx_early_take(struct uet_pdc_entry *pe, const struct uet_rx *from,
			  struct uet_rx *rx)
{
	const struct rx_early_cb *cb;
	struct sk_buff *skb;
	size_t used;

	lockdep_assert_held(&pe->lock);
	if (!uet_pdc_early_is_due(pe->pdc))
		return false;
	skb = __skb_dequeue(&pe->early);
	if (!skb)
		return false;
	atomic_sub(skb->truesize, &pe->fep->early_bytes);
	pe->early_bytes -= skb->truesize;
	cb = rx_early_cb(skb);
	*rx = (struct uet_rx) {
		.fep = from->fep,
		.skb = skb,
		.from = from->from,
		.in = cb->in,
		.now = from->now,
		.ip_len = cb->ip_len,
		.count = 1,
		.burst = from->burst,
		.tss = from->tss,
	};
	/* It was decoded before. */
	uet_wire_pds_decode(skb->data, skb_headlen(skb), &rx->hdr, &used);
	__skb_pull(skb, used);
	uet_pdc_early_take(pe->pdc, &rx->in);
	return true;
}

/* Pass a request to its PDC, and to SES. */
static enum uet_drop rx_req_take(struct uet_rx *rx, struct uet_pdc_entry *pe,
				 struct uet_rx_up *up)
	__must_hold(&pe->lock)
{
	bool deliver = false;
	enum uet_drop why;

	why = uet_pdc_rx_req(pe->pdc, &rx->hdr, &rx->in, rx->now, &deliver);
	rx_note_start(rx, pe);
	if (deliver && !rx->hdr.u.req.clear_off)
		uet_mib_inc(rx->fep->un, UET_MIB_RX_CLEAR_ZERO);
	if (deliver)
		return uet_rx_request_msg(pe, rx, up);
	return why == UET_DROP_ROD_OOO ? rx_early_keep(pe, rx) : why;
}

/* Kept requests that are received while the lock of their PDC is held once. */
#define RX_EARLY_BATCH	16

/* Receive some of the requests that were kept and are due.  Return: whether more are. */
static bool rx_take_some_early(const struct uet_rx *rx, struct uet_pdc_entry *pe)
	__must_hold(&pe->lock)
{
	u32 left = RX_EARLY_BATCH;
	struct uet_rx early;
	enum uet_drop why;

	while (unlikely(rx_early_take(pe, rx, &early))) {
		struct uet_rx_up up = { .segs = LIST_HEAD_INIT(up.segs) };

		why = rx_req_take(&early, pe, &up);
		uet_rx_request_deliver(early.fep, &up);
		uet_rx_end(&early, why);
		if (!--left)
			return true;
	}
	return false;
}

/*
 * Receive the requests that were kept and are due after this packet.  The lock, which their
 * sender may wait for on another CPU, is dropped in between.
 */
static void rx_take_early(const struct uet_rx *rx, struct uet_pdc_entry *pe)
	__must_hold(&pe->lock)
{
	while (unlikely(rx_take_some_early(rx, pe))) {
		uet_pdc_entry_run(pe, UET_RUN_IF_BUSY);
		uet_pdc_entry_lock(pe);
	}
}

static enum uet_drop rx_req(struct uet_rx *rx)
{
	struct uet_rx_up up = { .segs = LIST_HEAD_INIT(up.segs) };
	enum uet_drop why = UET_DROP_NONE;
	struct uet_pdc_entry *pe;
	bool is_locked;

	if (rx->hdr.flags & UET_F_SYN)
		pe = uet_rx_find_syn(rx, &why);
	else
		pe = uet_rx_find_id(rx, rx->hdr.u.req.dpdcid, &why);
	if (!pe)
		return why;
	why = rx_req_take(rx, pe, &up);
	/*
	 * ROD delivers under the lock: after the unlock another CPU could
	 * deliver the packets that follow first.  A burst keeps the lock.
	 */
	is_locked = pe->mode == UET_PDC_ROD || rx->burst;
	if (is_locked)
		uet_rx_request_deliver(rx->fep, &up);
	rx_take_early(rx, pe);
	uet_rx_burst_unlock(rx, pe);
	if (!is_locked)
		uet_rx_request_deliver(rx->fep, &up);
	/* The NACK that is pending then has ended a burst, too: no PDC is locked. */
	if (unlikely(up.full))
		uet_rx_stalled_drop(up.full, rx->now);
	return why;
}

static enum uet_drop rx_cp(struct uet_rx *rx)
{
	enum uet_drop why = UET_DROP_NONE;
	struct uet_pdc_entry *pe;

	if (rx->hdr.flags & UET_F_SYN)
		pe = uet_rx_find_syn(rx, &why);
	else
		pe = uet_rx_find_cp(rx, &why);
	if (!pe)
		return why;
	why = uet_pdc_rx_cp(pe->pdc, &rx->hdr, &rx->in, rx->now);
	rx_note_start(rx, pe);
	rx_take_early(rx, pe);
	uet_pdc_entry_run(pe, UET_RUN_NOW);
	return why;
}

/* An ACK that carries data. */
static enum uet_drop rx_ack_data(struct uet_pdc_entry *pe, struct uet_rx *rx,
				 const struct uet_ses_rsp *rsp, u32 len)
	__must_hold(&pe->lock)
{
	const struct uet_pds_pkt *out;
	struct uet_pds_pkt pkt = {};
	enum uet_drop why;

	out = uet_pdc_answered(pe->pdc, &rx->hdr);
	if (out)
		pkt = *out;
	why = uet_pdc_rx_ack(pe->pdc, &rx->hdr, rsp, &rx->in, rx->now);
	if (why)
		return why;
	return uet_rx_data_answer(rx->fep, &pe->ses, rx, rsp,
				  out ? &pkt : NULL, len);
}

/*
 * An ACK whose response cannot be read reports the arrival of packets like any other. The
 * response is not the default one, so it fails the message of its packet.
 */
static enum uet_drop rx_ack_unread(struct uet_rx *rx, enum uet_drop unread)
{
	const struct uet_ses_rsp rsp = {
		.form = UET_RSP_FORM_PLAIN,
		.opcode = UET_RSP_RESPONSE,
		.rc = UET_RC_UNCOR,
	};
	struct uet_pdc_entry *pe;
	enum uet_drop why;

	pe = uet_rx_find_id(rx, rx->hdr.u.ack.dpdcid, &why);
	if (!pe)
		return why;
	why = uet_pdc_rx_ack(pe->pdc, &rx->hdr, &rsp, &rx->in, rx->now);
	uet_pdc_entry_run(pe, UET_RUN_NOW);
	return why ? why : unread;
}

static enum uet_drop rx_ack(struct uet_rx *rx)
{
	struct uet_ses_rsp space, *rsp;
	struct uet_pdc_entry *pe;
	enum uet_drop why;
	size_t len;

	why = uet_rx_response(rx, &space, &rsp, &len);
	if (why)
		return rx_ack_unread(rx, why);
	pe = uet_rx_find_id(rx, rx->hdr.u.ack.dpdcid, &why);
	if (!pe)
		return why;
	if (rsp && rsp->form != UET_RSP_FORM_PLAIN)
		why = rx_ack_data(pe, rx, rsp, len);
	else
		why = uet_pdc_rx_ack(pe->pdc, &rx->hdr, rsp, &rx->in,
				     rx->now);
	if (!why && rsp)
		uet_ses_tx_response(&pe->ses, rsp, &rx->hdr);
	uet_pdc_entry_run(pe, UET_RUN_NOW);
	return why;
}

static enum uet_drop rx_nack(struct uet_rx *rx)
{
	struct uet_pdc_entry *pe;
	enum uet_drop why;

	if (rx->hdr.flags & UET_F_NT) {
		uet_rx_burst_release(rx->burst);
		return uet_rx_no_pdc(rx);
	}
	pe = uet_rx_find_id(rx, rx->hdr.u.nack.dpdcid, &why);
	if (!pe)
		return why;
	why = uet_pdc_rx_nack(pe->pdc, &rx->hdr, &rx->in, rx->now);
	uet_pdc_entry_run(pe, UET_RUN_NOW);
	return why;
}

/*
 * Receive a packet whose origin and framing are checked, starting at the PDS header, without
 * trailer. The caller passes the reason to uet_rx_end().
 */
enum uet_drop uet_rx_input(struct uet_rx *rx)
{
	struct sk_buff *skb = rx->skb;
	enum uet_drop why;
	size_t used;

	why = uet_wire_pds_decode(skb->data, skb_headlen(skb), &rx->hdr, &used);
	if (why)
		return why;
	trace_uet_pkt_rx(rx->fep, &rx->from, rx->dev, &rx->hdr, rx->in.ev,
			 skb->len);
	__skb_pull(skb, used);
	if (!uet_rx_pull_ses(rx))
		return UET_DROP_NO_MEMORY;
	switch (uet_wire_ty(rx->hdr.type)->kind) {
	case UET_TK_REQ:
		why = rx_req(rx);
		break;
	case UET_TK_ACK:
		return rx_ack(rx);
	case UET_TK_NACK:
		return rx_nack(rx);
	case UET_TK_CP:
		why = rx_cp(rx);
		break;
	case UET_TK_UUD:
	case UET_TK_RUDI:
		uet_rx_burst_release(rx->burst);
		return uet_rx_no_pdc(rx);
	default:
		return UET_DROP_UNSUPPORTED;
	}
	/* The PDC exists, but for another sender: uet-wire 2.16, code 0x0f. */
	if (why == UET_DROP_PDCID_MISMATCH) {
		uet_rx_burst_release(rx->burst);
		why = uet_rx_refuse(rx, UET_NACK_PDC_HDR_MISMATCH, why);
	}
	return why;
}

/*
 * A trimmed request is answered only if its PDC exists. A NACK with an unknown-PDC code would
 * close the sender's PDC, and no CRC protects the fields of a trimmed packet.
 */
static enum uet_drop rx_trimmed_req(struct uet_rx *rx, u8 nack_code)
{
	struct uet_pdc_entry *pe;
	enum uet_drop why;

	pe = uet_pdc_table_find(rx->fep->pdcs, rx->hdr.u.req.dpdcid);
	if (!pe)
		return UET_DROP_NO_PDC;
	if (!uet_fa_equal(&pe->peer, &rx->from))
		return UET_DROP_PDCID_MISMATCH;
	rx->now = uet_pdc_entry_lock_at(pe, rx->now);
	if (pe->dead || !uet_pdc_entry_awake(pe)) {
		why = pe->dead ? UET_DROP_NO_PDC : UET_DROP_NO_MEMORY;
		uet_pdc_entry_unlock(pe);
		return why;
	}
	why = uet_pdc_rx_trimmed(pe->pdc, &rx->hdr, &rx->in, nack_code,
				 rx->now);
	uet_pdc_entry_run(pe, UET_RUN_NOW);
	return why;
}

static enum uet_drop rx_trimmed(struct uet_rx *rx, u8 nack_code)
{
	struct sk_buff *skb = rx->skb;
	enum uet_drop why;

	uet_rx_set_origin(rx);
	uet_mib_inc(rx->fep->un, UET_MIB_RX_TRIMMED);
	why = uet_rx_check_framing(rx, UET_TRIM_LEN);
	if (!why && skb->len > rx->fep->head_len)
		why = uet_tss_policy(rx->fep->cfg.sd, uet_wire_type(skb->data +
				     rx->fep->head_len), true);
	if (why)
		return why;
	__skb_pull(skb, rx->fep->head_len);
	why = uet_pds_trimmed(skb->data, skb_headlen(skb), &rx->hdr);
	if (why)
		return why;
	trace_uet_pkt_rx(rx->fep, &rx->from, rx->dev, &rx->hdr, rx->in.ev,
			 skb->len);
	return rx_trimmed_req(rx, nack_code);
}

/* uet_fep_rcv.packet: a packet or a burst arrived on the carrier of a FEP. */
static void rx_rcv_packet(struct uet_fep *fep, struct sk_buff *skb)
{
	struct uet_tss_op op;
	struct uet_rx rx = {
		.fep = fep,
		.skb = skb,
		.dev = skb->dev,
		.count = 1,
		.tss = &op,
	};
	enum uet_drop why;

	if (skb_is_gso(skb)) {
		uet_rx_burst(fep, skb);
		return;
	}
	rx.now = uet_now_ns();
	uet_rx_set_origin(&rx);
	why = uet_rx_check(&rx);
	if (!why && uet_rx_run_single(&rx))
		return;
	if (!why)
		why = uet_rx_input(&rx);
	uet_rx_end(&rx, why);
}

/* uet_fep_rcv.trimmed: a packet for a FEP arrived trimmed. */
static void rx_rcv_trimmed(struct uet_fep *fep, struct sk_buff *skb, u8 nack_code)
{
	struct uet_rx rx = {
		.fep = fep,
		.skb = skb,
		.dev = skb->dev,
		.now = uet_now_ns(),
		.count = 1,
	};

	uet_rx_end(&rx, rx_trimmed(&rx, nack_code));
}

/* The receive path of a FEP. */
const struct uet_fep_rcv uet_rx_rcv = {
	.packet = rx_rcv_packet,
	.trimmed = rx_rcv_trimmed,
	.icmp = uet_rx_icmp,
};
