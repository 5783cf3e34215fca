// SPDX-License-Identifier: GPL-2.0
/*
 * Receive path: takes a packet from the carrier of a FEP and checks its origin
 * and framing. Then it decodes the PDS header, finds or opens the PDC
 * (rx_pdc.c) and feeds the core. Trimmed packets arrive through their own entry
 * (trim.c); few of their fields are trusted. All packets end in one function,
 * which counts the drop reason, traces and frees. Packets for no PDC are
 * answered as the specification requires. A reply is never longer than the
 * packet and replies are rate-limited, so that forged packets cannot cause a
 * flood.
 * Spec: UE 1.0.1 3.5.10, uet-wire 1.9, 2.20.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/netdevice.h>
#include <linux/netfilter.h>
#include <net/dst.h>
#include <net/dsfield.h>
#include <net/inet_ecn.h>
#include <net/ip.h>

#include "carrier/carrier.h"
#include "core/ses/ses.h"
#include "fabric/fabric.h"
#include "fabric/trace.h"
#include "message/message.h"
#include "pdc/pdc.h"
#include "rx.h"
#include "tss/tss.h"

/* Replies to packets without a PDC, per FEP: 1000 per second, burst of 64. */
#define RX_REPLY_EVERY_NS	NSEC_PER_MSEC
#define RX_REPLY_BURST		64

/*
 * Check the carrier framing. Leaves the carrier header and up to @bytes after
 * it in the linear part. uet-wire 1.4.
 */
static enum uet_drop rx_check_framing(struct uet_rx *rx, u32 bytes)
{
	u32 head_len = rx->fep->head_len;
	struct sk_buff *skb = rx->skb;
	enum uet_drop why;

	why = uet_rx_check_origin(rx);
	if (why)
		return why;
	/* IP validated only its own header of the native form. */
	if (skb->len < head_len)
		return UET_DROP_TRUNC_ENTROPY;
	if (!pskb_may_pull(skb, min(skb->len, head_len + bytes)))
		return UET_DROP_NO_MEMORY;
	rx->in.ev = get_unaligned_be16(skb->data);
	return UET_DROP_NONE;
}

/*
 * Open a packet for a FEP in a secure domain.
 * @rx: packet, starting at the carrier header, which is in the linear part with what
 *	follows of a PDS header; on success starting at the PDS header, without ICV
 *
 * No field is trusted before.
 *
 * Context: Softirq, rcu_read_lock() held.
 * Return: UET_DROP_NONE, or the drop reason.
 */
enum uet_drop uet_rx_open(struct uet_rx *rx)
{
	u32 head_len = rx->fep->head_len;
	struct sk_buff *skb = rx->skb;
	enum uet_drop why;

	/* Require a non-empty packet after the carrier header. */
	if (skb->len <= head_len)
		return UET_DROP_TRUNC_TSS;
	why = uet_tss_policy(true, uet_wire_type(skb->data + head_len), false);
	if (why == UET_DROP_TSS_CLEAR)
		uet_rx_clear_nack(rx);
	if (!why)
		why = uet_sd_open(rx->fep, &rx->from, skb, rx->tss);
	if (why)
		return why;
	if (!pskb_may_pull(skb, min_t(u32, skb->len, UET_PDS_MAX_LEN)))
		return UET_DROP_NO_MEMORY;
	return UET_DROP_NONE;
}

/*
 * Check that the packet is complete and addressed to this FEP. Leaves the
 * packet starting at the PDS header, which is in the linear part, without
 * trailer. uet-wire 1.9.
 */
static enum uet_drop rx_check(struct uet_rx *rx)
{
	u32 head_len = rx->fep->head_len;
	struct sk_buff *skb = rx->skb;
	enum uet_drop why;

	why = rx_check_framing(rx, UET_PDS_MAX_LEN);
	if (why)
		return why;
	if (unlikely(rx->fep->cfg.sd))
		return uet_rx_open(rx);
	if (skb->len > head_len &&
	    uet_wire_type(skb->data + head_len) == UET_TY_TSS)
		return UET_DROP_TSS_UNSUPPORTED;
	if (rx->fep->cfg.crc) {
		why = uet_crc_check(rx->fep, &rx->from, skb);
		if (why)
			return why;
	}
	__skb_pull(skb, head_len);
	return UET_DROP_NONE;
}

/*
 * Pull the SES header into the linear part, and no more: payload that is pulled
 * too would have to be copied from two pieces. The packet starts after the PDS
 * header.
 */
static bool rx_pull_ses(const struct uet_rx *rx)
{
	const struct uet_nh_prop *nh = uet_wire_nh(rx->hdr.next_hdr);
	struct sk_buff *skb = rx->skb;
	u32 len = nh->len;

	if (!pskb_may_pull(skb, min(skb->len, len)))
		return false;
	if (nh->kind != UET_NK_REQ || skb->len <= len ||
	    uet_wire_op(uet_wire_ses_opcode(skb->data))->ext == UET_EXT_NONE)
		return true;
	return pskb_may_pull(skb, min(skb->len, len + UET_EXT_CSWAP_LEN));
}

/*
 * Answer a packet that has no PDC.
 * @len: length of the reply from the PDS header on, bytes
 *
 * The reply is sent only if it is no longer than the packet, and replies are
 * rate-limited.
 *
 * Context: Softirq.
 * Return: @why, or UET_DROP_RATE_LIMIT.
 */
enum uet_drop uet_rx_reply(struct uet_rx *rx, const struct uet_pdc_tx *tx,
			   u32 len, enum uet_drop why)
{
	len += rx->fep->cfg.protect_len;
	if (len > uet_rx_bytes(rx))
		return why;
	if (!uet_limit_pass(&rx->fep->replies, rx->now, RX_REPLY_EVERY_NS,
			    RX_REPLY_BURST))
		return UET_DROP_RATE_LIMIT;
	uet_tx_reply(rx->fep, &rx->from, tx, NULL);
	return why;
}

/* A secure PDC may start at the PSN that its target chose. */
static noinline void rx_note_secure_start(struct uet_rx *rx,
					  struct uet_pdc_entry *pe)
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
	return why == UET_DROP_ROD_OOO ? uet_rx_early_keep(pe, rx) : why;
}

/* Receive the requests that were kept and are due after this packet. */
static void rx_take_early(const struct uet_rx *rx, struct uet_pdc_entry *pe)
	__must_hold(&pe->lock)
{
	struct uet_rx early;
	enum uet_drop why;

	while (unlikely(uet_rx_early_take(pe, rx, &early))) {
		struct uet_rx_up up = { .segs = LIST_HEAD_INIT(up.segs) };

		why = rx_req_take(&early, pe, &up);
		uet_rx_request_deliver(early.fep, &up);
		uet_rx_end(&early, why);
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

/*
 * Decode the response a packet carries.
 * @rx: packet, starting after the PDS header; on success starting at the data
 * @rsp: result: the response; NULL if the packet has none
 * @len: result: length of the data, bytes, if there is a response
 *
 * Context: Softirq.
 * Return: UET_DROP_NONE, or the drop reason.
 * Spec: UE 1.0.1 3.4.3.
 */
enum uet_drop uet_rx_response(struct uet_rx *rx, struct uet_ses_rsp *space,
			      struct uet_ses_rsp **rsp, size_t *len)
{
	struct sk_buff *skb = rx->skb;
	enum uet_drop why;
	size_t used;

	*rsp = NULL;
	if (rx->hdr.next_hdr == UET_NH_NONE)
		return UET_DROP_NONE;
	why = uet_wire_ses_rsp_decode(rx->hdr.next_hdr, skb->data,
				      skb_headlen(skb), space, &used);
	if (!why)
		why = uet_wire_ses_rsp_payload(space, skb->len - used, len);
	if (!why)
		__skb_pull(skb, used);
	*rsp = space;
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
 * An ACK whose response cannot be read reports the arrival of packets like any other.  The
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
		return uet_rx_rudi_nack(rx);
	}
	pe = uet_rx_find_id(rx, rx->hdr.u.nack.dpdcid, &why);
	if (!pe)
		return why;
	why = uet_pdc_rx_nack(pe->pdc, &rx->hdr, &rx->in, rx->now);
	uet_pdc_entry_run(pe, UET_RUN_NOW);
	return why;
}

/*
 * Decode the request a packet carries.
 * @rx: packet, starting at the SES header; on success starting at the payload
 * @len: result: length of the payload, bytes
 *
 * Context: Softirq.
 * Return: UET_DROP_NONE, or the drop reason.
 * Spec: UE 1.0.1 3.4.
 */
enum uet_drop uet_rx_request(struct uet_rx *rx, struct uet_ses_req *req,
			     size_t *len)
{
	struct sk_buff *skb = rx->skb;
	enum uet_drop why;
	size_t used;

	why = uet_wire_ses_req_decode(rx->hdr.next_hdr, skb->data,
				      skb_headlen(skb), req, &used);
	if (why)
		return why;
	req->job = uet_fep_job(rx->fep, req->job);
	__skb_pull(skb, used);
	why = uet_wire_ses_payload(req, skb->len, len);
	if (!why)
		uet_ses_rx_mark_end(req, *len, rx->fep->cfg.mtu);
	return why;
}

/*
 * Receive a packet whose origin and framing are checked.
 * @rx: packet, starting at the PDS header, without trailer
 *
 * Context: Softirq, rcu_read_lock() held.
 * Return: UET_DROP_NONE, or the drop reason; the caller passes it to uet_rx_end().
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
	if (!rx_pull_ses(rx))
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
		uet_rx_burst_release(rx->burst);
		return uet_rx_uud(rx);
	case UET_TK_RUDI:
		uet_rx_burst_release(rx->burst);
		return uet_rx_rudi(rx);
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
 * A trimmed request is answered only if its PDC exists. A NACK with an
 * unknown-PDC code would close the sender's PDC, and no CRC protects the fields
 * of a trimmed packet.
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
	why = rx_check_framing(rx, UET_TRIM_LEN);
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

/*
 * End of each packet: count, trace and free.
 * Context: Softirq, rcu_read_lock() held.
 */
void uet_rx_end(struct uet_rx *rx, enum uet_drop why)
{
	struct uet_fep *fep = rx->fep;

	if (why) {
		uet_drop_count(fep->un, why);
		uet_mib_inc(fep->un, UET_MIB_RX_DROPS);
		uet_traffic_add(&fep->traffic, UET_TRAFFIC_DROPS, 1);
		trace_uet_drop(fep, &rx->from, rx->dev, &rx->hdr, why,
			       rx->ip_len, false);
	}
	if (rx->is_kept)
		return;
	if (why)
		kfree_skb(rx->skb);
	else
		consume_skb(rx->skb);
}

/*
 * Hand the packet over to a socket.
 *
 * Clears the receive-path state of the skb (device, dst, conntrack).
 *
 * Context: Softirq.
 */
void uet_rx_keep(struct uet_rx *rx)
{
	rx->is_kept = true;
	uet_skb_strip(rx->skb);
}

static void rx_single(struct uet_fep *fep, struct sk_buff *skb)
{
	struct uet_tss_op op;
	struct uet_rx rx = {
		.fep = fep,
		.skb = skb,
		.dev = skb->dev,
		.now = uet_now_ns(),
		.count = 1,
		.tss = &op,
	};
	enum uet_drop why;

	uet_rx_set_origin(&rx);
	why = rx_check(&rx);
	if (!why && uet_rx_run_single(&rx))
		return;
	if (!why)
		why = uet_rx_input(&rx);
	uet_rx_end(&rx, why);
}

/* uet_fep_rcv.packet: a packet or a burst arrived on the carrier of a FEP. */
static void rx_rcv_packet(struct uet_fep *fep, struct sk_buff *skb)
{
	if (skb_is_gso(skb))
		uet_rx_burst(fep, skb);
	else
		rx_single(fep, skb);
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
