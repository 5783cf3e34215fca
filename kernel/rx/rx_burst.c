// SPDX-License-Identifier: GPL-2.0
/*
 * Bursts in the receive path.  The origin of a burst is checked once.  Its packets then take the
 * way of single packets, or are a run (rx_run.c).  The PDC of a request stays locked for the
 * next one: one lock, one pass of its run loop and one ACK serve for the whole burst.
 * Spec: none; the packets are those of UE 1.0.1 3.5.10.
 */
#include <linux/skbuff.h>

#include "carrier/carrier.h"
#include "fabric/fabric.h"
#include "pdc/pdc.h"
#include "rx.h"

/* A FEP takes the packets of a peer only if both use the CRC, or none does. */
static enum uet_drop burst_check_packet(struct uet_rx *rx)
{
	const struct uet_tx_skb_cb *cb = uet_tx_skb_cb(rx->skb);

	/* Sealed, and not opened. */
	if (skb_headlen(rx->skb) && uet_wire_type(rx->skb->data) == UET_TY_TSS)
		return UET_DROP_TSS_UNSUPPORTED;
	if (!cb->crc_addrs == rx->fep->cfg.crc)
		return UET_DROP_CRC;
	rx->in.ev = cb->ev;
	if (skb_orphan_frags_rx(rx->skb, GFP_ATOMIC) ||
	    !pskb_may_pull(rx->skb, min_t(u32, rx->skb->len, UET_PDS_MAX_LEN)))
		return UET_DROP_NO_MEMORY;
	return UET_DROP_NONE;
}

static void burst_packet(const struct uet_rx *whole, struct uet_rx_burst *burst,
			 struct sk_buff *skb)
{
	struct uet_rx rx = {
		.fep = whole->fep,
		.skb = skb,
		.dev = whole->dev,
		.from = whole->from,
		.now = whole->now,
		.in.ce = whole->in.ce,
		.in.in_burst = true,
		.in.is_joined = whole->in.is_joined,
		.count = 1,
		.burst = burst,
	};
	struct uet_tss_op tss;
	enum uet_drop why;

	if (unlikely(rx.fep->cfg.sd)) {
		/* The packet was opened with its burst. */
		tss = burst->tss;
		uet_tss_op_step(&tss, uet_burst_entry_index(burst->begin, burst->entries));
		rx.tss = &tss;
	}
	rx.ip_len = rx.fep->head_len + skb->len + rx.fep->cfg.protect_len;
	rx.in.bytes = rx.ip_len + UET_RX_NOMINAL;
	why = burst_check_packet(&rx);
	if (!why)
		why = uet_rx_input(&rx);
	uet_rx_end(&rx, why);
}

/*
 * The first packet of a run takes the way of a single packet. Return: @packet, or that packet
 * with the rest of the run behind it; NULL without memory, which is counted: the run is lost.
 */
static struct sk_buff *burst_first(const struct uet_rx *whole, struct uet_rx_burst *burst,
				   struct sk_buff *packet)
{
	struct uet_net *un = whole->fep->un;
	u32 nr = uet_tx_skb_cb(packet)->nr;
	struct sk_buff *first;

	if (!nr)
		return packet;
	first = uet_burst_run_pop(packet, burst->entries);
	if (first)
		return first;
	uet_drop_add(un, UET_DROP_NO_MEMORY, nr);
	uet_mib_add(un, UET_MIB_RX_DROPS, nr);
	uet_traffic_add(&whole->fep->traffic, UET_TRAFFIC_DROPS, nr);
	burst->entries = uet_burst_entry_skip(burst->entries, nr);
	kfree_skb(packet);
	return NULL;
}

/* A sealed packet of a burst that was not opened as a whole, as it would arrive alone. */
static void burst_sealed_packet(const struct uet_rx *whole, struct sk_buff *skb)
{
	struct uet_fep *fep = whole->fep;
	struct uet_tss_op tss;
	struct uet_rx rx = {
		.fep = fep,
		.skb = skb,
		.dev = whole->dev,
		.from = whole->from,
		.now = whole->now,
		.in.ce = whole->in.ce,
		.in.ev = uet_tx_skb_cb(skb)->ev,
		.count = 1,
		.tss = &tss,
	};
	u32 len = skb->len;
	enum uet_drop why;

	fep->carrier->put_head(fep, rx.in.ev, len, __skb_push(skb, fep->head_len));
	rx.ip_len = skb->len;
	rx.in.bytes = rx.ip_len + UET_RX_NOMINAL;
	why = uet_rx_open(&rx);
	if (!why)
		why = uet_rx_input(&rx);
	uet_rx_end(&rx, why);
}

/* The packets of a burst of which something is unusual. */
static enum uet_drop burst_take_sealed(const struct uet_rx *whole)
{
	struct sk_buff *packet, *next;
	const u8 *entries;

	/* Packets in clear. */
	if (skb_has_frag_list(whole->skb))
		return UET_DROP_BAD_BURST;
	packet = uet_burst_packets(whole->skb, whole->fep->head_len, &entries);
	if (!packet)
		return UET_DROP_BAD_BURST;
	skb_list_walk_safe(packet, packet, next) {
		skb_mark_not_on_list(packet);
		burst_sealed_packet(whole, packet);
	}
	return UET_DROP_NONE;
}

/* The packets of a burst, which is left empty. */
static enum uet_drop burst_take(struct uet_rx *whole)
{
	struct uet_rx_burst burst;
	struct sk_buff *packet, *next;

	burst.pe = NULL;
	skb_orphan(whole->skb);
	if (unlikely(whole->fep->cfg.sd)) {
		packet = uet_burst_open(whole->fep, &whole->from, whole->skb,
					&burst.entries, &burst.tss);
		if (!packet)
			return burst_take_sealed(whole);
	} else {
		packet = uet_burst_packets(whole->skb, whole->fep->head_len,
					   &burst.entries);
		if (!packet)
			return UET_DROP_BAD_BURST;
		whole->in.is_joined = uet_burst_is_joined(burst.entries);
	}
	burst.begin = burst.entries;
	while ((packet = uet_rx_run(whole, &burst, packet))) {
		next = packet->next;
		packet = burst_first(whole, &burst, packet);
		if (packet) {
			next = packet->next;
			skb_mark_not_on_list(packet);
			burst_packet(whole, &burst, packet);
			burst.entries = uet_burst_entry_skip(burst.entries, 1);
		}
		packet = next;
	}
	uet_rx_burst_release(&burst);
	return UET_DROP_NONE;
}

/* Receive a GSO packet, starting at the carrier header. */
void uet_rx_burst(struct uet_fep *fep, struct sk_buff *skb)
{
	struct uet_rx rx = {
		.fep = fep,
		.skb = skb,
		.dev = skb->dev,
		.now = uet_now_ns(),
		.count = uet_burst_count(skb),
	};
	enum uet_drop why;

	uet_rx_set_origin(&rx);
	uet_mib_inc(fep->un, UET_MIB_RX_BURSTS);
	uet_mib_add(fep->un, UET_MIB_RX_BURST_PACKETS, rx.count);
	why = uet_burst_is(skb) ? UET_DROP_NONE : UET_DROP_BAD_BURST;
	if (!why)
		why = uet_rx_check_origin(&rx);
	if (!why)
		why = burst_take(&rx);
	uet_rx_end(&rx, why);
}
