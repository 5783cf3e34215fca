// SPDX-License-Identifier: GPL-2.0
/*
 * The UET CRC: a CRC-32C over what no router changes, from the IP source address
 * to the last payload byte, behind which it stands, most significant byte
 * first.  Computed over socket buffers as they are, without copying them.
 * Spec: UE 1.0.1 3.5.25, uet-wire 1.5.  Level: shell.
 */
#include "compat.h"
#include "carrier.h"
#include "crc.h"
#include "tx.h"

static u32 crc_addr(u32 crc, const struct uet_fa *fa)
{
	if (fa->family == AF_INET)
		return crc32c(crc, &fa->v4, sizeof(fa->v4));
	return crc32c(crc, &fa->v6, sizeof(fa->v6));
}

/* The part of the coverage in front of the packet. */
static u32 crc_begin(const struct uet_fa *from, const struct uet_fa *to,
		     const union uet_carrier_head *head, u32 head_len)
{
	return crc32c(crc_addr(crc_addr(~0U, from), to), head, head_len);
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
 * @skb: PDS header and what follows, uet_tx_skb_cb() filled in, not shared, with
 *	tail room for the trailer if it is linear
 *
 * Context: Any.
 * Return: false without memory.
 * Spec: UE 1.0.1 3.5.25.
 */
bool uet_crc_append(const struct uet_fep *fep, const struct uet_fa *to,
		    struct sk_buff *skb)
{
	const struct uet_carrier *carrier = fep->carrier;
	union uet_carrier_head head;
	u32 crc, len = skb->len;
	u8 *trailer = crc_trailer(skb);

	if (!trailer)
		return false;
	carrier->put_head(fep, uet_tx_skb_cb(skb)->ev, len + UET_CRC_LEN,
			  &head);
	crc = skb_crc32c(skb, 0, len, crc_begin(&fep->cfg.fa, to, &head,
						carrier->head_len));
	uet_wire_crc_put(~crc, trailer);
	return true;
}

/**
 * uet_crc_check() - verify the CRC of a packet and cut it off
 * @fep: local FEP
 * @from: peer
 * @skb: packet from the header of the carrier on, which is in the linear part
 *
 * Context: Any.
 * Return: UET_DROP_NONE; CRC: missing or wrong; NO_MEMORY.
 * Spec: UE 1.0.1 3.5.25.
 */
enum uet_drop uet_crc_check(const struct uet_fep *fep,
			    const struct uet_fa *from, struct sk_buff *skb)
{
	u32 head_len = fep->carrier->head_len;
	union uet_carrier_head head;
	u8 trailer[UET_CRC_LEN];
	u32 crc;
	int len;

	if (skb->len < head_len + UET_CRC_LEN)
		return UET_DROP_CRC;
	len = skb->len - head_len - UET_CRC_LEN;
	memcpy(&head, skb->data, head_len);
	if (fep->cfg.encap == UET_ENCAP_UDP)
		head.udp.check = 0;
	crc = skb_crc32c(skb, head_len, len,
			 crc_begin(from, &fep->cfg.fa, &head, head_len));
	if (skb_copy_bits(skb, head_len + len, trailer, UET_CRC_LEN) ||
	    ~crc != uet_wire_crc_get(trailer))
		return UET_DROP_CRC;
	if (pskb_trim(skb, head_len + len))
		return UET_DROP_NO_MEMORY;
	return UET_DROP_NONE;
}
