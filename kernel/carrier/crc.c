// SPDX-License-Identifier: GPL-2.0
/*
 * The UET CRC: a CRC-32C over what no router changes, from the IP source address to the last
 * payload byte, behind which it stands, most significant byte first.  It is computed over
 * socket buffers as they are, without copying them.  Where crc32c() is slow (compat.h) its
 * algorithm is called with a state of its own size, one word.
 * Spec: UE 1.0.1 3.5.25, uet-wire 1.5.
 */
#include <crypto/hash.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/skbuff.h>

#include "base/base.h"
#include "burst.h"

static struct crypto_shash *crc_tfm;

/**
 * uet_crc32c_init() - find the fastest CRC-32C of the machine
 *
 * Return: 0, or a negative errno: there is none.
 */
int uet_crc32c_init(void)
{
	struct crypto_shash *tfm;

	if (!UET_CRC32C_IS_SLOW)
		return 0;
	tfm = crypto_alloc_shash("crc32c", 0, 0);
	if (IS_ERR(tfm))
		return PTR_ERR(tfm);
	if (crypto_shash_descsize(tfm) != sizeof(u32)) {
		crypto_free_shash(tfm);
		return -EOPNOTSUPP;
	}
	crc_tfm = tfm;
	return 0;
}

/**
 * uet_crc32c_fini() - undo uet_crc32c_init()
 */
void uet_crc32c_fini(void)
{
	if (UET_CRC32C_IS_SLOW)
		crypto_free_shash(crc_tfm);
}

/* Continue @crc, ~0 in front of the first byte.  The result is not inverted. */
static u32 crc_bytes(u32 crc, const void *data, u32 len)
{
	u8 space[sizeof(struct shash_desc) + sizeof(u32)]
		__aligned(__alignof__(struct shash_desc));
	struct shash_desc *desc = (struct shash_desc *)space;
	u32 *state = shash_desc_ctx(desc);

	if (!UET_CRC32C_IS_SLOW)
		return crc32c(crc, data, len);
	desc->tfm = crc_tfm;
	*state = crc;
	/* This algorithm cannot fail. */
	crypto_shash_update(desc, data, len);
	return *state;
}

/* No memory of a 64-bit kernel has to be mapped. */
static u32 crc_frags(u32 crc, const struct sk_buff *skb, u32 skip, u32 len)
{
	const skb_frag_t *frag = skb_shinfo(skb)->frags;
	u32 here;

	for (; len; frag++, len -= here, skip = 0) {
		while (skip >= skb_frag_size(frag))
			skip -= skb_frag_size(frag++);
		here = min(len, skb_frag_size(frag) - skip);
		crc = crc_bytes(crc, skb_frag_address(frag) + skip, here);
	}
	return crc;
}

/* Any socket buffer. */
static noinline u32 crc_slow(u32 crc, const struct sk_buff *skb, u32 skip, u32 len)
{
	struct skb_seq_state state;
	u32 done = 0, here;
	const u8 *data;

	skb_prepare_seq_read((struct sk_buff *)skb, skip, skip + len, &state);
	while ((here = skb_seq_read(done, &data, &state))) {
		here = min(here, len - done);
		crc = crc_bytes(crc, data, here);
		done += here;
	}
	return crc;
}

/* Continue @crc with the @len bytes behind the first @skip ones of @skb. */
static u32 crc_skb(u32 crc, const struct sk_buff *skb, u32 skip, u32 len)
{
	u32 linear = skb_headlen(skb), here;

	if (skb_has_frag_list(skb) || !skb_frags_readable(skb))
		return crc_slow(crc, skb, skip, len);
	if (skip < linear) {
		here = min(len, linear - skip);
		crc = crc_bytes(crc, skb->data + skip, here);
		skip += here;
		len -= here;
	}
	return len ? crc_frags(crc, skb, skip - linear, len) : crc;
}

/* Bytes of an IP header without options. */
u32 uet_crc_ip_len(const struct uet_fep *fep)
{
	return uet_carrier_is_v4(fep) ? sizeof(struct iphdr) : sizeof(struct ipv6hdr);
}

/* Bytes of both addresses, which stand last in the IP header. */
u32 uet_crc_addrs_len(const struct uet_fep *fep)
{
	static_assert(offsetofend(struct iphdr, daddr) == sizeof(struct iphdr));
	static_assert(offsetofend(struct ipv6hdr, daddr) == sizeof(struct ipv6hdr));
	return 2 * (uet_carrier_is_v4(fep) ? sizeof(struct in_addr) : sizeof(struct in6_addr));
}

/*
 * As it stands in the packet: from the addresses in front of the carrier's header
 * at @head to @len bytes from there.
 */
static u32 crc_whole(const struct sk_buff *skb, const u8 *head, u32 len, u32 addrs)
{
	u32 linear = min_t(u32, skb_tail_pointer(skb) - head, len);
	u32 crc = crc_bytes(~0U, head - addrs, addrs + linear);

	if (linear < len)
		crc = crc_skb(crc, skb, skb_headlen(skb), len - linear);
	return crc;
}

static u32 crc_addr(u32 crc, const struct uet_fa *fa)
{
	return fa->family == AF_INET ? crc_bytes(crc, &fa->v4, sizeof(fa->v4)) :
				       crc_bytes(crc, &fa->v6, sizeof(fa->v6));
}

/* IP options between the pieces, and a UDP checksum, are not covered. */
static u32 crc_pieces(const struct uet_fep *fep, const struct uet_fa *from,
		      const struct sk_buff *skb, u32 len)
{
	u32 crc = crc_addr(crc_addr(~0U, from), &fep->cfg.fa);
	u32 head_len = fep->head_len;
	union uet_carrier_head head;

	memcpy(&head, skb->data, head_len);
	if (fep->cfg.encap == UET_ENCAP_UDP)
		head.udp.check = 0;
	crc = crc_bytes(crc, &head, head_len);
	return crc_skb(crc, skb, head_len, len - head_len);
}

static bool crc_is_whole(const struct uet_fep *fep, const struct sk_buff *skb)
{
	if (skb_network_header(skb) + uet_crc_ip_len(fep) != skb->data)
		return false;
	return fep->cfg.encap != UET_ENCAP_UDP || !((const struct udphdr *)skb->data)->check;
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
	skb_add_rx_frag(skb, nr, page, trailer - (u8 *)page_address(page), UET_CRC_LEN, 0);
	return trailer;
}

/*
 * Put the CRC behind a packet that is not shared; its linear part may move.  The carrier header
 * at @head is in the linear part or in front of it, behind the IP header.
 * Return: false without memory.
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
			return skb_frag_address(frag) + skb_frag_size(frag) - UET_CRC_LEN;
	}
	return skb_header_pointer(skb, skb->len - UET_CRC_LEN, UET_CRC_LEN, space);
}

/* As uet_crc_check(), but the CRC stays.  Return: false: missing, wrong or not readable. */
bool uet_crc_is_right(const struct uet_fep *fep, const struct uet_fa *from,
		      const struct sk_buff *skb)
{
	u8 space[UET_CRC_LEN];
	const u8 *trailer;
	u32 crc, len;

	if (skb->len < fep->head_len + UET_CRC_LEN)
		return false;
	len = skb->len - UET_CRC_LEN;
	crc = crc_is_whole(fep, skb) ? crc_whole(skb, skb->data, len, uet_crc_addrs_len(fep)) :
				       crc_pieces(fep, from, skb, len);
	trailer = crc_find_trailer(skb, space);
	return trailer && ~crc == uet_wire_crc_get(trailer);
}

/*
 * uet_crc_check() - verify the CRC of a packet from @from and cut it off
 * @skb: from the carrier header on, which is in the linear part
 *
 * Return: UET_DROP_NONE; CRC: missing or wrong; NO_MEMORY.
 */
enum uet_drop uet_crc_check(const struct uet_fep *fep, const struct uet_fa *from,
			    struct sk_buff *skb)
{
	if (!uet_crc_is_right(fep, from, skb))
		return UET_DROP_CRC;
	return pskb_trim(skb, skb->len - UET_CRC_LEN) ? UET_DROP_NO_MEMORY : UET_DROP_NONE;
}
