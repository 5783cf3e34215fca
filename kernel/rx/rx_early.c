// SPDX-License-Identifier: GPL-2.0
/*
 * Requests of a ROD PDC that arrive before an earlier one.  They are kept, in PSN order,
 * until those before them have arrived, and are then received as if they came then.  The
 * window of the PDC bounds their number, a FEP keeps UET_RX_EARLY_MAX bytes of them, and a
 * PDC keeps as much as is free.  Beyond that requests are lost, as at a receiver of
 * go-back-N.
 * Spec: UE 1.0.1 3.5.21.
 */
#include <linux/skbuff.h>

#include "fabric/fabric.h"
#include "message/message.h"
#include "pdc/pdc.h"
#include "rx.h"

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
 * A PDC keeps as much as it leaves free: a half of all if no other PDC keeps any.  PDCs
 * whose gaps are never filled thus leave memory for others.
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

/*
 * Keep a request that arrived before an earlier one.
 * @pe: its PDC; uet_pdc_rx_req() just returned UET_DROP_ROD_OOO
 * @rx: the request, starting behind the PDS header
 *
 * Context: Softirq, uet_pdc_entry_lock() held.
 * Return: UET_DROP_NONE; ROD_OOO if there is no memory for it.
 */
enum uet_drop uet_rx_early_keep(struct uet_pdc_entry *pe, struct uet_rx *rx)
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

/*
 * Take the kept request that is expected next.
 * @rx: result: the request, starting behind the PDS header
 *
 * Context: Softirq, uet_pdc_entry_lock() held.
 * Return: false if no request is due.
 */
bool uet_rx_early_take(struct uet_pdc_entry *pe, const struct uet_rx *from,
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
