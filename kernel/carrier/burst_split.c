// SPDX-License-Identifier: GPL-2.0
/*
 * Bursts in one piece, without a fragment list: something on the way has copied the packets,
 * or they are sealed (burst_seal.c).  They are cut by the list in front of them.
 *
 * Spec: none.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/skbuff.h>

#include "base/base.h"
#include "burst_list.h"
#include "carrier.h"

/*
 * Copy @len bytes of a burst into a packet, with space in front for what a packet has
 * there and with tail space for a trailer.
 */
static struct sk_buff *burst_cut(const struct sk_buff *skb, u32 at, u32 len)
{
	struct sk_buff *packet = alloc_skb(BURST_HEADROOM + len + UET_CRC_LEN,
					   GFP_ATOMIC | __GFP_NOWARN);

	if (!packet)
		return NULL;
	skb_reserve(packet, BURST_HEADROOM);
	if (skb_copy_bits(skb, at, skb_put(packet, len), len)) {
		kfree_skb(packet);
		return NULL;
	}
	return packet;
}

/*
 * Copy @len bytes of payload of a burst into a packet that continues @last, a packet with
 * as much payload.
 */
static struct sk_buff *burst_cut_next(const struct sk_buff *skb, u32 at, u32 len,
				      const struct sk_buff *last)
{
	struct sk_buff *packet;
	u32 headers;

	if (!last || last->len < len || at < last->len)
		return NULL;
	headers = last->len - len;
	if (!uet_wire_may_skip(last->data, headers))
		return NULL;
	packet = burst_cut(skb, at - headers, last->len);
	if (!packet)
		return NULL;
	memcpy(packet->data, last->data, headers);
	uet_wire_req_skip(packet->data, 1);
	return packet;
}

/* Is @addrs the length of the addresses in the IP header, without options, or no CRC? */
static bool burst_addrs_fit(const struct sk_buff *skb, u8 addrs)
{
	if (addrs == 2 * sizeof(struct in_addr))
		return skb_headroom(skb) >= sizeof(struct iphdr) &&
		       skb->data[-(int)sizeof(struct iphdr)] >> 4 == 4;
	if (addrs == 2 * sizeof(struct in6_addr))
		return skb_headroom(skb) >= sizeof(struct ipv6hdr) &&
		       skb->data[-(int)sizeof(struct ipv6hdr)] >> 4 == 6;
	return !addrs;
}

/* The packets of a sealed burst. Return: as uet_burst_split(). */
static struct sk_buff *burst_split_sealed(const struct sk_buff *skb, u32 list,
					  u32 tss_len)
{
	const u8 *entry = skb->data + list + BURST_LIST_LEN(0);
	u32 count = skb_shinfo(skb)->gso_segs, len = 0, next, i;
	struct sk_buff *first = NULL, **link = &first;
	u32 at = list + BURST_LIST_LEN(count);

	for (i = 0; i < count; i++, entry += BURST_ENTRY) {
		next = get_unaligned_be16(entry);
		if (!(next & BURST_CONTINUES))
			len = next;
		*link = burst_cut(skb, at + uet_burst_seal_pad(tss_len),
				  tss_len + len + UET_ICV_LEN);
		if (!*link) {
			kfree_skb_list(first);
			return NULL;
		}
		uet_tx_skb_cb(*link)->ev = burst_entry_ev(entry);
		link = &(*link)->next;
		at += uet_burst_seal_place(tss_len, len);
	}
	return first;
}

/*
 * Take the packets out of a burst in one piece.
 * @skb: burst, starting at the carrier header; that and its list are in the linear part
 *
 * Context: Any but hard interrupt.
 * Return: the first packet, linked by sk_buff.next, starting at its first header, with
 *	uet_tx_skb_cb(); NULL without memory, or the burst was damaged.
 */
struct sk_buff *uet_burst_split(const struct sk_buff *skb, u32 list)
{
	struct sk_buff *first = NULL, *last = NULL, **link = &first;
	const u8 *entry = skb->data + list + BURST_LIST_LEN(0);
	u32 count = skb_shinfo(skb)->gso_segs, len, i;
	u8 tss_len = skb->data[list + BURST_FLAGS] & ~BURST_JOINED;
	u8 crc_addrs = skb->data[list + 2];
	u32 at = list + BURST_LIST_LEN(count);

	if (tss_len == UET_TSS_LEN || tss_len == UET_TSS_SSI_LEN)
		return burst_split_sealed(skb, list, tss_len);
	if (tss_len || !burst_addrs_fit(skb, crc_addrs))
		return NULL;
	for (i = 0; i < count; i++, entry += BURST_ENTRY) {
		len = get_unaligned_be16(entry);
		if (len & BURST_CONTINUES) {
			len &= ~BURST_CONTINUES;
			*link = burst_cut_next(skb, at, len, last);
		} else {
			*link = burst_cut(skb, at, len);
		}
		if (!*link)
			goto err;
		uet_tx_skb_cb(*link)->ev = burst_entry_ev(entry);
		uet_tx_skb_cb(*link)->crc_addrs = crc_addrs;
		at += len;
		last = *link;
		link = &last->next;
	}
	return first;

err:
	kfree_skb_list(first);
	return NULL;
}
