// SPDX-License-Identifier: GPL-2.0
/*
 * Takes packets, trimmed packets and ICMP errors from the carrier of a FEP. Decodes the PDS
 * header, finds the PDC by the local PDCID or by the fields of a SYN, which may open one, and
 * feeds the core. If there is no PDC, or the PDC has closed, it chooses the drop reason and the
 * NACK for the sender. Few fields of a trimmed packet are trusted.
 *
 * Requests of a ROD PDC that arrive before an earlier one are kept, in PSN order, until those
 * before them have arrived, and are then received as if they came then. The window of the PDC
 * bounds their number, a FEP keeps UET_RX_EARLY_MAX bytes of them, and a PDC keeps as much as
 * is free. Beyond that requests are lost, as at a receiver of go-back-N.
 *
 * By an ICMP error a router reports that a packet exceeds the MTU of its next hop. A report is
 * accepted as a hint (fabric/path.c) only if it quotes a packet in flight on a PDC.
 * Spec: UE 1.0.1 3.5.8.2, 3.5.10, 3.5.12.7, 3.5.21, uet-wire 1.6 (a packet must fit the path),
 * 1.9, 2.16, 2.18, 2.20.
 */
#include <linux/icmp.h>
#include <linux/icmpv6.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/skbuff.h>
#include <net/ip.h>

#include "carrier/carrier.h"
#include "core/ses/ses.h"
#include "core/wire/psn.h"
#include "fabric/fabric.h"
#include "fabric/trace.h"
#include "message/message.h"
#include "pdc/pdc.h"
#include "transfer/transfer.h"
#include "rx.h"
#include "tss/tss.h"

/* ----------------------------------------------------- the PDC of a packet */

/* Unlock the PDC of the packet before. */
void uet_rx_burst_release(struct uet_rx_burst *burst)
{
	struct uet_pdc_entry *pe = burst ? burst->pe : NULL;

	if (!pe)
		return;
	burst->pe = NULL;
	uet_pdc_entry_run(pe, UET_RUN_IF_BUSY);
}

/* The PDC of a packet, locked, if the packet before had the same; another one is unlocked. */
static struct uet_pdc_entry *rx_burst_lock(struct uet_rx *rx, u16 pdcid)
{
	struct uet_pdc_entry *pe = rx->burst ? rx->burst->pe : NULL;

	if (pe && pe->id == pdcid) {
		rx->burst->pe = NULL;
		return pe;
	}
	uet_rx_burst_release(rx->burst);
	return NULL;
}

/* Unlock the PDC of a request, now or after later packets. */
static void rx_burst_unlock(struct uet_rx *rx, struct uet_pdc_entry *pe)
{
	if (rx->burst && uet_pdc_answers_can_wait(pe->pdc))
		rx->burst->pe = pe;
	else
		uet_pdc_entry_run(pe, UET_RUN_IF_BUSY);
}

/* Answer a packet without a PDC with a NACK, if it has a PSN. */
static enum uet_drop rx_refuse(struct uet_rx *rx, u8 code, enum uet_drop why)
{
	struct uet_pdc_tx tx;

	if (!uet_pds_reply_no_pdc(&rx->hdr, &rx->in, code, &tx))
		return why;
	return uet_rx_reply(rx, &tx, UET_NACK_LEN, why);
}

/* A closed PDC that failed: only the failure remains to be reported to the peer. */
static bool rx_has_failed(const struct uet_pdc_entry *pe)
	__must_hold(&pe->lock)
{
	return uet_pdc_state(pe->pdc) == UET_PDC_ST_ERROR;
}

/* Return: the locked PDC, or NULL if there is no memory for its window. */
static struct uet_pdc_entry *rx_awake(struct uet_pdc_entry *pe, enum uet_drop *why)
{
	if (likely(uet_pdc_entry_awake(pe)))
		return pe;
	uet_pdc_entry_unlock(pe);
	*why = UET_DROP_NO_MEMORY;
	return NULL;
}

/*
 * An ACK_REQUEST of an initiator that has not learnt our PDCID. Maybe no SYN of it has arrived:
 * INV_DPDCID would end a PDC that its next SYN can open.
 */
static bool rx_asks_unlearnt(const struct uet_rx *rx)
{
	return uet_wire_ty(rx->hdr.type)->kind == UET_TK_CP &&
	       rx->hdr.next_hdr == UET_CP_ACK_REQUEST && !rx->hdr.u.cp.dpdcid;
}

/*
 * Find and lock the PDC of a packet without SYN, or answer the packet. The core compares the
 * peer's PDCID. A packet for the PDC of another peer is not answered here, but by
 * uet_rx_input().
 */
static struct uet_pdc_entry *rx_find_id(struct uet_rx *rx, u16 dpdcid, enum uet_drop *why)
{
	struct uet_pdc_entry *pe = rx_burst_lock(rx, dpdcid);
	u8 code = UET_NACK_INV_DPDCID;

	if (pe)
		return pe;
	pe = uet_pdc_table_find(rx->fep->pdcs, dpdcid);
	if (pe && !uet_fa_equal(&pe->peer, &rx->from)) {
		*why = UET_DROP_PDCID_MISMATCH;
		return NULL;
	}
	if (pe) {
		rx->now = uet_pdc_entry_lock_at(pe, rx->now);
		if (!pe->dead)
			return rx_awake(pe, why);
		if (rx_has_failed(pe))
			code = UET_NACK_CLOSING_IN_ERR;
		uet_pdc_entry_unlock(pe);
	}
	*why = UET_DROP_NO_PDC;
	if (code != UET_NACK_INV_DPDCID || !rx_asks_unlearnt(rx))
		*why = rx_refuse(rx, code, UET_DROP_NO_PDC);
	return NULL;
}

/*
 * The same for a control packet. With dpdcid 0 it is of an initiator that has not learnt our
 * PDCID. Its own PDCID finds the PDC then, as in a SYN.
 */
static struct uet_pdc_entry *rx_find_cp(struct uet_rx *rx, enum uet_drop *why)
{
	const struct uet_syn_key key = {
		.peer = rx->from,
		.spdcid = rx->hdr.u.cp.spdcid,
	};
	u16 id = rx->hdr.u.cp.dpdcid;
	struct uet_pdc_entry *pe;

	if (!id) {
		pe = uet_pdc_table_target(rx->fep->pdcs, &key);
		id = pe ? pe->id : 0;
	}
	return rx_find_id(rx, id, why);
}

/*
 * A closed PDC is still in the table under the key of a SYN. The SYN either opens a new PDC or
 * is a late copy of a SYN of the closed PDC. A late copy has the first start PSN or the start
 * PSN that this end chose, and must not be executed again. After an orderly close no sender
 * waits for an answer. After a failure the sender may still wait, and each of its SYNs restarts
 * TIME_WAIT. Return: UET_DROP_NONE to open a new PDC; NO_PDC: notify the sender of the failure.
 */
static enum uet_drop rx_late_syn(struct uet_pdc_entry *pe, u32 start_psn, u64 now)
	__must_hold(&pe->lock)
{
	if (start_psn != pe->start_psn && start_psn != pe->syn_psn) {
		uet_pdc_entry_unlist(pe);
		return UET_DROP_NONE;
	}
	if (!rx_has_failed(pe))
		return UET_DROP_DUPLICATE;
	uet_pdc_entry_time_wait(pe, now);
	return UET_DROP_NO_PDC;
}

/*
 * A SYN with the key of a PDC that lives, and another Start_PSN. A PENDING target has no
 * Start_PSN yet. Return: WAIT and REPLACE as the core decides.
 */
static enum uet_rival rx_rival(struct uet_rx *rx, struct uet_pdc_entry *pe, u32 start_psn)
	__must_hold(&pe->lock)
{
	if (start_psn == pe->start_psn || start_psn == pe->syn_psn ||
	    uet_pdc_state(pe->pdc) == UET_PDC_ST_PENDING)
		return UET_RIVAL_REFUSE;
	return uet_pdc_rx_rival(pe->pdc, rx->now);
}

/*
 * Return: the PDC, locked and not closed; or NULL with @why: UET_DROP_NONE to open a new PDC,
 * or the drop reason of a late copy.
 */
static struct uet_pdc_entry *rx_syn_look_up(struct uet_rx *rx, const struct uet_syn_key *key,
					    u32 start_psn, enum uet_drop *why)
{
	struct uet_pdc_entry *pe = uet_pdc_table_target(rx->fep->pdcs, key);
	enum uet_rival rival;

	*why = UET_DROP_NONE;
	if (!pe)
		return NULL;
	rx->now = uet_pdc_entry_lock_at(pe, rx->now);
	if (!pe->dead) {
		if (!rx_awake(pe, why))
			return NULL;
		rival = rx_rival(rx, pe, start_psn);
		if (rival == UET_RIVAL_REFUSE)
			return pe;
		uet_pdc_entry_run(pe, UET_RUN_NOW);
		if (rival == UET_RIVAL_REPLACE)
			uet_pdc_entry_kill(pe);
		else
			*why = UET_DROP_BAD_SYN;
		return NULL;
	}
	*why = rx_late_syn(pe, start_psn, rx->now);
	uet_pdc_entry_unlock(pe);
	/* With this NACK code the sender does not try another PDC. */
	if (*why == UET_DROP_NO_PDC)
		*why = rx_refuse(rx, UET_NACK_CLOSING_IN_ERR, *why);
	return NULL;
}

/* Find and lock the PDC of a packet with SYN, or open one. */
static struct uet_pdc_entry *rx_find_syn(struct uet_rx *rx, enum uet_drop *why)
{
	struct uet_pdc_open open = { .role = UET_PDC_TARGET };
	struct uet_syn_key key = { .peer = rx->from };
	struct uet_pdc_entry *pe;

	uet_rx_burst_release(rx->burst);
	*why = UET_DROP_BAD_SYN;
	if (!uet_pds_opens_pdc(&rx->hdr, &open.mode, &open.peer_pdcid, &open.start_psn))
		return NULL;
	open.is_reserved = uet_pds_wants_reserved(&rx->hdr);
	if (unlikely(rx->fep->cfg.sd))
		uet_sd_start(rx->fep->cfg.sd, &rx->from, rx->tss, &open);
	key.spdcid = open.peer_pdcid;
	pe = rx_syn_look_up(rx, &key, open.start_psn, why);
	if (pe || *why)
		return pe;
	pe = uet_pdc_entry_accept(rx->fep, &key, &open);
	if (IS_ERR(pe)) {
		*why = rx_refuse(rx, UET_NACK_NO_PDC_AVAIL, open.is_reserved ?
				     UET_DROP_NO_RSV_PDC_SPACE : UET_DROP_NO_PDC_SPACE);
		return NULL;
	}
	rx->now = uet_pdc_entry_lock_at(pe, rx->now);
	return rx_awake(pe, why);
}

/* ----------------------------------------------------------------- packets */

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
static void rx_take_early(struct uet_rx *rx, struct uet_pdc_entry *pe)
	__must_hold(&pe->lock)
{
	while (unlikely(rx_take_some_early(rx, pe))) {
		uet_pdc_entry_run(pe, UET_RUN_IF_BUSY);
		rx->now = uet_pdc_entry_lock_at(pe, rx->now);
	}
}

static enum uet_drop rx_req(struct uet_rx *rx)
{
	struct uet_rx_up up = { .segs = LIST_HEAD_INIT(up.segs) };
	enum uet_drop why = UET_DROP_NONE;
	struct uet_pdc_entry *pe;
	bool is_locked;

	if (rx->hdr.flags & UET_F_SYN)
		pe = rx_find_syn(rx, &why);
	else
		pe = rx_find_id(rx, rx->hdr.u.req.dpdcid, &why);
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
	rx_burst_unlock(rx, pe);
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
		pe = rx_find_syn(rx, &why);
	else
		pe = rx_find_cp(rx, &why);
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

	pe = rx_find_id(rx, rx->hdr.u.ack.dpdcid, &why);
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
	pe = rx_find_id(rx, rx->hdr.u.ack.dpdcid, &why);
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
	pe = rx_find_id(rx, rx->hdr.u.nack.dpdcid, &why);
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
		why = rx_refuse(rx, UET_NACK_PDC_HDR_MISMATCH, why);
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

/* ------------------------------------------------------------- ICMP errors */

/*
 * Return: the MTU that an ICMP error reports, bytes; 0: none. The ICMP header precedes the
 * quoted packet, because the stack has pulled the header.
 */
static u32 rxicmp_mtu(const struct uet_fep *fep, const struct sk_buff *skb)
{
	const struct icmp6hdr *icmp6 = (void *)(skb->data - sizeof(*icmp6));
	const struct icmphdr *icmp = (void *)(skb->data - sizeof(*icmp));

	if (fep->cfg.fa.family == AF_INET)
		return icmp->type == ICMP_DEST_UNREACH &&
		       icmp->code == ICMP_FRAG_NEEDED ?
		       ntohs(icmp->un.frag.mtu) : 0;
	return icmp6->icmp6_type == ICMPV6_PKT_TOOBIG ?
	       ntohl(icmp6->icmp6_mtu) : 0;
}

static bool rxicmp_waits_for(struct uet_pdc_entry *pe, u32 psn)
{
	struct uet_pdc_info info;

	uet_pdc_entry_lock(pe);
	uet_pdc_get_info(pe->pdc, &info);
	uet_pdc_entry_unlock(pe);
	return !uet_psn_before(psn, info.tx_base_psn) &&
	       uet_psn_before(psn, info.next_psn);
}

/*
 * Return: the PDC that sent the quoted request and has no answer to it, or NULL. As many bytes
 * are read as of a trimmed packet, which is enough for any request.
 */
static struct uet_pdc_entry *rxicmp_find_pdc(struct uet_fep *fep, const u8 *buf,
					     const struct uet_fa *peer)
{
	struct uet_pdc_entry *pe;
	struct uet_pds_hdr hdr;
	size_t used;

	if (uet_wire_pds_decode(buf, UET_TRIM_LEN, &hdr, &used) ||
	    uet_wire_ty(hdr.type)->kind != UET_TK_REQ)
		return NULL;
	pe = uet_pdc_table_find(fep->pdcs, hdr.u.req.spdcid);
	if (!pe || !uet_fa_equal(&pe->peer, peer) ||
	    !rxicmp_waits_for(pe, hdr.u.req.psn))
		return NULL;
	return pe;
}

/*
 * uet_fep_rcv.icmp: an ICMP error. @skb starts at the quoted IP header, as err_handler() gets
 * it; @offset is that of the carrier header, bytes. Planes are not connected, so the error
 * arrives on the rail of the quoted packet.
 */
static void rx_rcv_icmp(struct uet_fep *fep, struct sk_buff *skb, u32 offset)
{
	u32 head_len = fep->head_len;
	u32 mtu = rxicmp_mtu(fep, skb), list;
	struct uet_pdc_entry *pe;
	struct uet_fa peer;
	u8 buf[UET_TRIM_LEN];
	int slot;

	if (!mtu || mtu >= READ_ONCE(fep->min_mtu) ||
	    skb_copy_bits(skb, offset + head_len, buf, UET_TRIM_LEN))
		return;
	list = uet_burst_list_len(buf);
	if (list && skb_copy_bits(skb, offset + head_len + list, buf,
				  UET_TRIM_LEN))
		return;
	/* The destination of the quoted packet. */
	if (fep->cfg.fa.family == AF_INET)
		peer = uet_fa_v4(((const struct iphdr *)skb->data)->daddr);
	else
		peer = uet_fa_v6(&((const struct ipv6hdr *)skb->data)->daddr, fep->cfg.fa.scope_id);
	pe = rxicmp_find_pdc(fep, buf, &peer);
	if (!pe || !uet_rx_find_rail(fep, skb->dev, &slot))
		return;
	uet_path_hint(&pe->path, slot, mtu);
	uet_mib_inc(fep->un, UET_MIB_PMTU_EXCEEDED);
}

/* ----------------------------------------- what the carrier of a FEP calls */

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
	.icmp = rx_rcv_icmp,
};
