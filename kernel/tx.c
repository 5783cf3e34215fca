// SPDX-License-Identifier: GPL-2.0
/*
 * Transmit: turns what the core wants sent into socket buffers, headers in the
 * linear part and payload as references to the pages of the message, and hands
 * them to the carrier.  When and what to send is the core's decision; addresses,
 * rails and the trailer are udp.c's.
 * Spec: UE 1.0.1 3.5.10, 3.4 (layout by core/wire).  Level: shell.
 */
#include <linux/netdevice.h>

#include "kpdc.h"
#include "msg.h"
#include "net.h"
#include "trace.h"
#include "tx.h"
#include "udp.h"

/* Linear part: room for every header in front, then ours, then the trailer. */
#define TX_HEADROOM	(LL_MAX_HEADER + sizeof(struct ipv6hdr) + \
			 sizeof(struct udphdr))
#define TX_HEADERS	(UET_PDS_MAX_LEN + UET_SES_REQ_MAX_LEN)

static enum uet_class tx_class(const struct uet_pdc_tx *tx)
{
	if (tx->kind != UET_TX_REQ)
		return UET_CLASS_CONTROL;
	return tx->is_retx ? UET_CLASS_RETX : UET_CLASS_REQUEST;
}

static bool tx_has_ses(const struct uet_pdc_tx *tx)
{
	return tx->kind == UET_TX_REQ ||
	       (tx->kind == UET_TX_ACK && tx->hdr.next_hdr != UET_NH_NONE);
}

/* Return: bytes of the SES header, 0 if it cannot be encoded. */
static size_t tx_put_ses(const struct uet_pdc_tx *tx, u8 *buf)
{
	struct uet_ses_req req;

	if (tx->kind == UET_TX_ACK)
		return uet_wire_ses_rsp_encode(&tx->rsp, buf,
					       UET_SES_RSP_MAX_LEN);
	uet_ses_tx_request(tx->pkt.msg, &tx->pkt, &req);
	return uet_wire_ses_req_encode(&req, buf, UET_SES_REQ_MAX_LEN);
}

/* Return: success. */
static bool tx_put_headers(struct sk_buff *skb, const struct uet_pdc_tx *tx)
{
	u8 *buf = skb_tail_pointer(skb);
	size_t pds, ses = 0;

	pds = uet_wire_pds_encode(&tx->hdr, buf, UET_PDS_MAX_LEN);
	if (!pds)
		return false;
	if (tx_has_ses(tx)) {
		ses = tx_put_ses(tx, buf + pds);
		if (!ses)
			return false;
	}
	skb_put(skb, pds + ses);
	return true;
}

/* The bytes of a request; they are not copied. Return: success. */
static bool tx_put_payload(struct sk_buff *skb, const struct uet_pds_pkt *pkt)
{
	struct uet_txmsg *tm;

	if (!pkt->len)
		return true;
	tm = container_of((struct uet_ses_tx *)pkt->msg, struct uet_txmsg, ses);
	return !uet_txmsg_frags(tm, skb, pkt->offset, pkt->len);
}

/**
 * uet_tx_build() - make a packet
 * @fep: local FEP
 * @tx: what the core wants sent
 *
 * Context: Any; for a request the lock of the PDC is held.
 * Return: the packet from the PDS header on, uet_tx_skb_cb() filled in; NULL
 *	without memory, which is counted.
 */
struct sk_buff *uet_tx_build(struct uet_fep *fep, const struct uet_pdc_tx *tx)
{
	struct sk_buff *skb;

	skb = alloc_skb(TX_HEADROOM + TX_HEADERS + UET_CRC_LEN,
			GFP_ATOMIC | __GFP_NOWARN);
	if (!skb)
		goto err_count;
	skb_reserve(skb, TX_HEADROOM);
	if (!tx_put_headers(skb, tx) ||
	    (tx->kind == UET_TX_REQ && !tx_put_payload(skb, &tx->pkt)))
		goto err_free;
	uet_tx_skb_cb(skb)->ev = tx->ev;
	uet_tx_skb_cb(skb)->class = tx_class(tx);
	trace_uet_pkt_tx(fep, &tx->hdr, tx->ev, skb->len);
	return skb;

err_free:
	kfree_skb(skb);
err_count:
	uet_drop_count(fep->un, UET_DROP_NO_MEMORY);
	uet_mib_inc(fep->un, UET_MIB_TX_DROPS);
	return NULL;
}

static void tx_one(struct uet_fep *fep, const struct uet_fa *to,
		   struct dst_cache *routes, struct sk_buff *skb)
{
	u32 len = skb->len + (fep->cfg.crc ? UET_CRC_LEN : 0);
	enum uet_drop why;

	why = uet_udp_xmit(fep, to, routes, skb);
	if (!why) {
		uet_mib_inc(fep->un, UET_MIB_TX_PACKETS);
		uet_mib_add(fep->un, UET_MIB_TX_BYTES, len);
		return;
	}
	uet_drop_count(fep->un, why);
	uet_mib_inc(fep->un, UET_MIB_TX_DROPS);
	trace_uet_drop(fep, why, len, true);
	kfree_skb(skb);
}

/**
 * uet_tx_send() - send packets of a PDC
 * @kpdc: PDC
 * @skbs: from uet_tx_build(), in order; empty afterwards
 *
 * Context: BH disabled, rcu_read_lock() held, lock of the PDC not held.
 */
void uet_tx_send(struct uet_kpdc *kpdc, struct sk_buff_head *skbs)
{
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(skbs)))
		tx_one(kpdc->fep, &kpdc->peer, kpdc->route, skb);
}

/**
 * uet_tx_reply() - answer a packet that belongs to no PDC
 * @fep: local FEP
 * @to: who sent it
 * @tx: from uet_pds_reply_no_pdc(); no request
 *
 * Context: BH disabled, rcu_read_lock() held.
 */
void uet_tx_reply(struct uet_fep *fep, const struct uet_fa *to,
		  const struct uet_pdc_tx *tx)
{
	struct sk_buff *skb = uet_tx_build(fep, tx);

	if (skb)
		tx_one(fep, to, NULL, skb);
}
