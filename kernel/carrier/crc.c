// SPDX-License-Identifier: GPL-2.0
/*
 * The UET CRC: a CRC-32C over what no router changes, from the IP source address
 * to the last payload byte, behind which it stands, most significant byte
 * first.  Computed over socket buffers as they are, without copying them.
 * Spec: UE 1.0.1 3.5.25, uet-wire 1.5.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>

#include "base/base.h"
#include "carrier.h"
#include "crc.h"
#include "crc32c.h"

/*
 * Bytes of an IP header without options.
 * Return: the length.
 */
u32 uet_crc_ip_len(const struct uet_fep *fep)
{
	return fep->cfg.fa.family == AF_INET ? sizeof(struct iphdr) :
					       sizeof(struct ipv6hdr);
}

/*
 * Bytes of both addresses, which stand last in the IP header.
 * Return: the length.
 */
u32 uet_crc_addrs_len(const struct uet_fep *fep)
{
	static_assert(offsetofend(struct iphdr, daddr) == sizeof(struct iphdr));
	static_assert(offsetofend(struct ipv6hdr, daddr) ==
		      sizeof(struct ipv6hdr));
	return fep->cfg.fa.family == AF_INET ? 2 * sizeof(struct in_addr) :
					       2 * sizeof(struct in6_addr);
}

/*
 * As it stands in the packet: from the addresses in front of the carrier's header
 * at @head to @len bytes from there.
 */
static u32 crc_whole(const struct sk_buff *skb, const u8 *head, u32 len,
		     u32 addrs)
{
	u32 linear = min_t(u32, skb_tail_pointer(skb) - head, len);
	u32 crc = uet_crc32c(~0U, head - addrs, addrs + linear);

	if (linear < len)
		crc = uet_crc32c_skb(crc, skb, skb_headlen(skb), len - linear);
	return crc;
}

static u32 crc_addr(u32 crc, const struct uet_fa *fa)
{
	if (fa->family == AF_INET)
		return uet_crc32c(crc, &fa->v4, sizeof(fa->v4));
	return uet_crc32c(crc, &fa->v6, sizeof(fa->v6));
}

/* With options between, or a UDP checksum, which is not covered. */
static u32 crc_pieces(const struct uet_fep *fep, const struct uet_fa *from,
		      const struct sk_buff *skb, u32 len)
{
	u32 crc = crc_addr(crc_addr(~0U, from), &fep->cfg.fa);
	u32 head_len = fep->head_len;
	union uet_carrier_head head;

	memcpy(&head, skb->data, head_len);
	if (fep->cfg.encap == UET_ENCAP_UDP)
		head.udp.check = 0;
	crc = uet_crc32c(crc, &head, head_len);
	return uet_crc32c_skb(crc, skb, head_len, len - head_len);
}

static bool crc_is_whole(const struct uet_fep *fep, const struct sk_buff *skb)
{
	if (skb_network_header(skb) + uet_crc_ip_len(fep) != skb->data)
		return false;
	return fep->cfg.encap != UET_ENCAP_UDP ||
	       !((const struct udphdr *)skb->data)->check;
}

/* Return: where to write the trailer, or NULL without memory. */
static u8 *crc_trailer(struct sk_buff *skb)
{
	int nr = skb_shinfo(skb)->nr_frags;
	struct page *page;
	u8 *trailer;

	if (!skb_is_nonlinear(skb)) {
		if (skb_tailroom(skb) < UET_CRC_LEN &&
		    pskb_expand_head(skb, 0, UET_CRC_LEN, GFP_ATOMIC))
			return NULL;
		return skb_put(skb, UET_CRC_LEN);
	}

	trailer = nr < MAX_SKB_FRAGS ? netdev_alloc_frag(UET_CRC_LEN) : NULL;
	if (!trailer)
		return NULL;
	page = virt_to_head_page(trailer);
	/* No truesize: a datagram is charged with that which it has. */
	skb_add_rx_frag(skb, nr, page, trailer - (u8 *)page_address(page),
			UET_CRC_LEN, 0);
	return trailer;
}

/*
 * Put the CRC behind a packet.
 * @skb: not shared; its linear part may move
 * @head: carrier header, in the linear part or in front of it, behind the IP header
 *
 * Context: Any but hard interrupt.
 * Return: false without memory.
 * Spec: UE 1.0.1 3.5.25.
 */
bool uet_crc_put(struct sk_buff *skb, const void *head, u32 addrs)
{
	ptrdiff_t at = (const u8 *)head - skb->data;
	u32 len = skb->len - at;
	u8 *trailer = crc_trailer(skb);

	if (!trailer)
		return false;
	uet_wire_crc_put(~crc_whole(skb, skb->data + at, len, addrs), trailer);
	return true;
}

/* The last bytes of a packet. Return: @space, or where they are; NULL: not readable. */
static const u8 *crc_find_trailer(const struct sk_buff *skb, u8 *space)
{
	const struct skb_shared_info *info = skb_shinfo(skb);
	const skb_frag_t *frag;

	if (info->nr_frags && !info->frag_list && skb_frags_readable(skb)) {
		frag = &info->frags[info->nr_frags - 1];
		if (skb_frag_size(frag) >= UET_CRC_LEN)
			return skb_frag_address(frag) + skb_frag_size(frag) -
			       UET_CRC_LEN;
	}
	return skb_header_pointer(skb, skb->len - UET_CRC_LEN, UET_CRC_LEN, space);
}

/*
 * Verify the CRC of a packet.
 * @skb: packet from the header of the carrier on, which is in the linear part
 *
 * Context: Any but hard interrupt.
 * Return: false: missing, wrong or not readable.
 * Spec: UE 1.0.1 3.5.25.
 */
bool uet_crc_is_right(const struct uet_fep *fep, const struct uet_fa *from,
		      const struct sk_buff *skb)
{
	u8 space[UET_CRC_LEN];
	const u8 *trailer;
	u32 crc, len;

	if (skb->len < fep->head_len + UET_CRC_LEN)
		return false;
	len = skb->len - UET_CRC_LEN;
	crc = crc_is_whole(fep, skb) ? crc_whole(skb, skb->data, len,
						  uet_crc_addrs_len(fep)) :
				       crc_pieces(fep, from, skb, len);
	trailer = crc_find_trailer(skb, space);
	return trailer && ~crc == uet_wire_crc_get(trailer);
}

/**
 * uet_crc_check() - verify the CRC of a packet and cut it off
 * @fep: local FEP
 * @from: peer
 * @skb: packet from the header of the carrier on, which is in the linear part
 *
 * Context: Any but hard interrupt.
 * Return: UET_DROP_NONE; CRC: missing or wrong; NO_MEMORY.
 * Spec: UE 1.0.1 3.5.25.
 */
enum uet_drop uet_crc_check(const struct uet_fep *fep,
			    const struct uet_fa *from, struct sk_buff *skb)
{
	if (!uet_crc_is_right(fep, from, skb))
		return UET_DROP_CRC;
	return pskb_trim(skb, skb->len - UET_CRC_LEN) ? UET_DROP_NO_MEMORY :
							UET_DROP_NONE;
}
