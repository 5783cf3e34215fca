// SPDX-License-Identifier: GPL-2.0
/*
 * The UET CRC: a CRC-32C over what no router changes, from the IP source address
 * to the last payload byte, behind which it stands, most significant byte
 * first.  Computed over socket buffers as they are, without copying them.
 * Spec: UE 1.0.1 3.5.25, uet-wire 1.5.  Level: shell.
 */
#include <linux/udp.h>

#include "compat.h"
#include "crc.h"
#include "tx.h"

static u32 crc_addr(u32 crc, const struct uet_fa *fa)
{
	if (fa->family == AF_INET)
		return crc32c(crc, &fa->v4, sizeof(fa->v4));
	return crc32c(crc, &fa->v6, sizeof(fa->v6));
}

/* The part of the coverage in front of the UDP payload. */
static u32 crc_begin(const struct uet_fa *from, const struct uet_fa *to,
		     const struct udphdr *udp)
{
	return crc32c(crc_addr(crc_addr(~0U, from), to), udp, sizeof(*udp));
}

/*
 * A packet that a socket is charged for must give back what was charged: its
 * truesize stays.
 * Return: where to write the trailer, or NULL without memory.
 */
static u8 *crc_trailer(struct sk_buff *skb)
{
	int nr = skb_shinfo(skb)->nr_frags;
	struct page *page;
	u8 *trailer;

	if (!skb_is_nonlinear(skb))
		return skb_put(skb, UET_CRC_LEN);

	trailer = nr < MAX_SKB_FRAGS ? netdev_alloc_frag(UET_CRC_LEN) : NULL;
	if (!trailer)
		return NULL;
	page = virt_to_head_page(trailer);
	skb_add_rx_frag(skb, nr, page, trailer - (u8 *)page_address(page),
			UET_CRC_LEN,
			skb->sk ? 0 : SKB_DATA_ALIGN(UET_CRC_LEN));
	return trailer;
}

/**
 * uet_crc_append() - put the CRC behind a packet
 * @fep: local FEP
 * @to: peer
 * @skb: UDP payload, uet_tx_skb_cb() filled in, not shared, with tail room for
 *	the trailer if it is linear
 *
 * Context: Any.
 * Return: false without memory.
 * Spec: UE 1.0.1 3.5.25.
 */
bool uet_crc_append(const struct uet_fep *fep, const struct uet_fa *to,
		    struct sk_buff *skb)
{
	u32 len = skb->len;
	struct udphdr udp = {
		.source = htons(uet_tx_skb_cb(skb)->ev),
		.dest = htons(fep->cfg.port),
		.len = htons(sizeof(udp) + len + UET_CRC_LEN),
	};
	u8 *trailer = crc_trailer(skb);
	u32 crc;

	if (!trailer)
		return false;
	crc = skb_crc32c(skb, 0, len, crc_begin(&fep->cfg.fa, to, &udp));
	uet_wire_crc_put(~crc, trailer);
	return true;
}

/**
 * uet_crc_check() - verify the CRC of a packet and cut it off
 * @fep: local FEP
 * @from: peer
 * @skb: datagram from the UDP header on, which is in the linear part
 *
 * Context: Any.
 * Return: UET_DROP_NONE; CRC: missing or wrong; NO_MEMORY.
 * Spec: UE 1.0.1 3.5.25.
 */
enum uet_drop uet_crc_check(const struct uet_fep *fep,
			    const struct uet_fa *from, struct sk_buff *skb)
{
	struct udphdr udp = *(const struct udphdr *)skb->data;
	u8 trailer[UET_CRC_LEN];
	u32 crc;
	int len;

	if (skb->len < sizeof(udp) + UET_CRC_LEN)
		return UET_DROP_CRC;
	len = skb->len - sizeof(udp) - UET_CRC_LEN;
	udp.check = 0;
	crc = skb_crc32c(skb, sizeof(udp), len,
			 crc_begin(from, &fep->cfg.fa, &udp));
	if (skb_copy_bits(skb, sizeof(udp) + len, trailer, UET_CRC_LEN) ||
	    ~crc != uet_wire_crc_get(trailer))
		return UET_DROP_CRC;
	if (pskb_trim(skb, sizeof(udp) + len))
		return UET_DROP_NO_MEMORY;
	return UET_DROP_NONE;
}
