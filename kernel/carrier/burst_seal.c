// SPDX-License-Identifier: GPL-2.0
/*
 * Bursts in one piece, without a fragment list: sealed ones, and those that something on the way
 * has copied.  They are cut by the list in front of them.
 *
 * In a secure domain each packet of a burst is sealed as it would be alone, in pages of the burst,
 * before this gets its headers: what a device cuts out of it behind a queue is final.  A receiver
 * on the same host opens them to pages of its own, as the packets and runs that the sender had.
 * It uses none before all were found authentic and new.  If anything is unusual, it takes them
 * one by one.
 *
 * Behind the list of a sealed burst, whose lengths are those in clear, each packet has a place of
 * a multiple of UET_SD_ALIGN bytes.  It is at the end of its place but for what pads the sealed
 * part to that alignment.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/skbuff.h>

#include "base/base.h"
#include "burst.h"
#include "tss/tss.h"

/* Longest packet in clear that is opened to a linear part. */
#define SEAL_LINEAR_MAX	2048

/* Headers of a request that may be in a run, at most. */
#define SEAL_HEADERS_MAX	64

/* Bytes in front of a packet in its place, so that its sealed part is aligned. */
static u32 seal_pad(u32 tss_len)
{
	return -tss_len & (UET_SD_ALIGN - 1);
}

/* Length of the place of a packet with @len bytes in clear. */
u32 uet_burst_seal_place(u32 tss_len, u32 len)
{
	return ALIGN(seal_pad(tss_len) + tss_len + len + UET_ICV_LEN, UET_SD_ALIGN);
}

static u32 seal_tss_len(const struct uet_fep *fep)
{
	return fep->cfg.protect_len - UET_ICV_LEN;
}

/*
 * struct seal - a burst that is being sealed; on the stack
 * @entry: entry of the next packet in its list
 * @left: packets that are not sealed
 * @need: bytes of their places
 * @at: next place
 * @space: bytes from there on in the last fragment
 * @used: bytes of all places
 */
struct seal {
	struct uet_fep *fep;
	const struct uet_fa *to;
	struct sk_buff *skb;
	const u8 *entry;
	u32 left;
	u32 need;
	u8 *at;
	u32 space;
	u32 used;
	struct uet_sd_run run;
};

static struct page *seal_alloc_pages(u32 len)
{
	gfp_t gfp = GFP_ATOMIC | __GFP_NOWARN | __GFP_COMP;
	u32 order = get_order(len);

	return alloc_pages(order ? gfp | __GFP_NORETRY : gfp, order);
}

/* Add a fragment with space for a place of @len bytes, and for some of those behind it. */
static bool seal_add_page(struct seal *seal, u32 len)
{
	u32 size = max_t(u32, len, min_t(u32, seal->need, UET_PIECE));
	struct skb_shared_info *info = skb_shinfo(seal->skb);
	struct page *page;

	if (info->nr_frags == MAX_SKB_FRAGS)
		return false;
	page = seal_alloc_pages(size);
	if (!page) {
		size = len;
		page = seal_alloc_pages(size);
	}
	if (!page)
		return false;
	seal->at = page_address(page);
	seal->space = PAGE_SIZE << get_order(size);
	seal->skb->truesize += seal->space;
	skb_fill_page_desc(seal->skb, info->nr_frags, page, 0, 0);
	return true;
}

/* The next place, for a packet of @len bytes. Return: the packet, or NULL without memory. */
static u8 *seal_next_place(struct seal *seal, u32 len)
{
	u32 tss_len = seal->run.tss_len, pad = seal_pad(tss_len);
	u32 place = uet_burst_seal_place(tss_len, len);
	u32 end = pad + tss_len + len + UET_ICV_LEN;
	struct skb_shared_info *info = skb_shinfo(seal->skb);
	u8 *at;

	if (seal->space < place && !seal_add_page(seal, place))
		return NULL;
	at = seal->at;
	memset(at, 0, pad);
	memset(at + end, 0, place - end);
	skb_frag_size_add(&info->frags[info->nr_frags - 1], place);
	seal->at += place;
	seal->space -= place;
	seal->used += place;
	seal->need -= min(seal->need, place);
	return at + pad;
}

/* Copy packet @i of @packet, a packet or a run. */
static bool seal_copy(struct sk_buff *packet, u32 i, u8 *to)
{
	const struct uet_tx_skb_cb *cb = uet_tx_skb_cb(packet);
	u32 headers = skb_headlen(packet);

	if (!cb->nr)
		return !skb_copy_bits(packet, 0, to, packet->len);
	memcpy(to, packet->data, headers);
	if (i)
		uet_wire_req_skip(to, i);
	return !skb_copy_bits(packet, headers + i * cb->unit, to + headers, cb->unit);
}

static enum uet_drop seal_one(struct seal *seal, struct sk_buff *packet, u32 i)
{
	const struct uet_tx_skb_cb *cb = uet_tx_skb_cb(packet);
	u32 len = cb->nr ? skb_headlen(packet) + cb->unit : packet->len;
	union uet_carrier_head head;
	enum uet_drop why;
	u8 *at;

	if (!seal->run.nr) {
		why = uet_sd_seal_begin(seal->fep, seal->to, seal->left, &seal->run);
		if (why)
			return why;
	}
	at = seal_next_place(seal, len);
	if (!at || !seal_copy(packet, i, at + seal->run.tss_len))
		return UET_DROP_NO_MEMORY;
	seal->fep->carrier->put_head(seal->fep, uet_burst_entry_ev(seal->entry, 0),
				     len + seal->fep->cfg.protect_len, &head);
	if (!uet_sd_seal_next(&seal->run, &head, seal->fep->head_len, at, len))
		return UET_DROP_NO_MEMORY;
	seal->entry += UET_BURST_ENTRY;
	seal->left--;
	return UET_DROP_NONE;
}

/* skb->destructor of a sealed burst: its packets have left the queues of this host. */
static void seal_orphan(struct sk_buff *skb)
{
	kfree_skb_list(skb_shinfo(skb)->destructor_arg);
	skb_shinfo(skb)->destructor_arg = NULL;
	uet_tx_skb_disown(skb);
}

/* Packets of a burst are taken out: what counts as queued leaves with one of them. */
void uet_burst_seal_pass(struct sk_buff *skb, struct sk_buff *packet)
{
	if (skb->destructor != seal_orphan)
		return;
	skb_shinfo(packet)->destructor_arg = skb_shinfo(skb)->destructor_arg;
	packet->destructor = seal_orphan;
	packet->sk = skb->sk;
	skb_shinfo(skb)->destructor_arg = NULL;
	skb->destructor = NULL;
	skb->sk = NULL;
}

/*
 * The packets in clear are no part of the burst any more.  Those that count as queued on this
 * host do so until the burst has left, without their payload.
 */
static void seal_drop_clear(struct sk_buff *skb)
{
	struct skb_shared_info *info = skb_shinfo(skb);
	struct sk_buff *packet, *next, *kept = NULL;

	skb_walk_frags(skb, packet)
		skb->truesize -= packet->truesize;
	skb_list_walk_safe(info->frag_list, packet, next) {
		skb_mark_not_on_list(packet);
		if (!packet->destructor || skb_zcopy(packet) ||
		    pskb_trim(packet, skb_headlen(packet))) {
			kfree_skb(packet);
			continue;
		}
		packet->next = kept;
		kept = packet;
	}
	info->frag_list = NULL;
	info->uet_shinfo_flags &= ~SKBFL_ALL_ZEROCOPY;
	info->destructor_arg = kept;
	skb->destructor = kept ? seal_orphan : NULL;
}

/*
 * Seal the packets of a burst from uet_burst_next(), without headers.
 * Return: UET_DROP_NONE, or the drop reason of all packets; the caller frees them.
 */
enum uet_drop uet_burst_seal(struct uet_fep *fep, const struct uet_fa *to, struct sk_buff *skb)
{
	u32 count = skb_shinfo(skb)->gso_segs, plain = skb->data_len, i;
	struct seal seal = {
		.fep = fep,
		.to = to,
		.skb = skb,
		.entry = skb->data + BURST_LIST_LEN(0),
		.left = count,
		.need = plain + count * uet_burst_seal_place(seal_tss_len(fep), 0) +
			count * SEAL_HEADERS_MAX,
	};
	struct sk_buff *packet;
	enum uet_drop why;

	skb_walk_frags(skb, packet) {
		for (i = 0; i < uet_tx_skb_nr(packet); i++) {
			why = seal_one(&seal, packet, i);
			if (why)
				return why;
		}
	}
	seal_drop_clear(skb);
	skb->data[BURST_FLAGS] = seal.run.tss_len;
	skb->len += seal.used - plain;
	skb->data_len = seal.used;
	return UET_DROP_NONE;
}

/*
 * struct unseal - a burst that is being opened; on the stack
 * @skb: the burst, starting at the carrier header
 * @tss_len: length of a security header, bytes
 * @packets: packets in clear so far
 * @link: end of @packets
 */
struct unseal {
	struct uet_fep *fep;
	const struct sk_buff *skb;
	u32 tss_len;
	struct uet_sd_run run;
	struct sk_buff *packets;
	struct sk_buff **link;
};

/**
 * struct unseal_group - packets of a burst that its sender had as a packet or a run
 * @first: number of the first one
 * @nr: number of packets
 * @entries: entries of the packets in the list
 * @headers: length of the headers of each one, bytes; 0: there is one packet
 * @unit: the other bytes of each one
 * @at: places of the packets in the burst
 */
struct unseal_group {
	u32 first;
	u32 nr;
	const u8 *entries;
	u32 headers;
	u32 unit;
	const u8 *at[BURST_PACKETS_MAX];
};

static u32 unseal_len(const struct unseal_group *group)
{
	return group->headers + group->unit;
}

/* Return: @len bytes of the burst; NULL: they are not in one piece, or not readable. */
static const u8 *unseal_find(const struct sk_buff *skb, u32 at, u32 len)
{
	const struct skb_shared_info *info = skb_shinfo(skb);
	const skb_frag_t *frag = info->frags;
	u32 i;

	if (at + len <= skb_headlen(skb))
		return skb->data + at;
	if (at < skb_headlen(skb) || !skb_frags_readable(skb))
		return NULL;
	at -= skb_headlen(skb);
	for (i = 0; i < info->nr_frags; at -= skb_frag_size(frag), i++, frag++)
		if (at < skb_frag_size(frag))
			return at + len <= skb_frag_size(frag) &&
			       !PageHighMem(skb_frag_page(frag)) ?
			       (u8 *)skb_frag_address(frag) + at : NULL;
	return NULL;
}

/* The packets of the burst from @first on that its sender had as one. */
static bool unseal_group(const struct unseal *un, const u8 *entries, u32 left,
			 struct unseal_group *group)
{
	u32 len = get_unaligned_be16(entries), next;

	if (len & BURST_CONTINUES || len < UET_PROLOGUE_LEN)
		return false;
	group->entries = entries;
	group->headers = 0;
	group->unit = len;
	for (group->nr = 1; group->nr < left; group->nr++) {
		next = get_unaligned_be16(entries + group->nr * UET_BURST_ENTRY);
		if (!(next & BURST_CONTINUES))
			break;
		group->headers = len - (next & ~BURST_CONTINUES);
		if (group->nr > 1 && next != (BURST_CONTINUES | group->unit))
			return false;
		group->unit = next & ~BURST_CONTINUES;
	}
	return group->nr == 1 || (group->headers >= UET_REQ_LEN &&
				  group->headers <= SEAL_HEADERS_MAX);
}

/* Find the packets of @group from @at on, which continue those before. */
static bool unseal_places(struct unseal *un, struct unseal_group *group, u32 at)
{
	u32 place = uet_burst_seal_place(un->tss_len, unseal_len(group)), i;
	u32 len = un->tss_len + unseal_len(group) + UET_ICV_LEN;

	for (i = 0; i < group->nr; i++, at += place) {
		group->at[i] = unseal_find(un->skb, at + seal_pad(un->tss_len), len);
		if (!group->at[i] ||
		    !uet_sd_open_continues(&un->run, group->first + i, group->at[i], len))
			return false;
	}
	return true;
}

/* Open packet @i of @group to @to. */
static bool unseal_one(const struct unseal *un, const struct unseal_group *group, u32 i, u8 *to)
{
	u32 len = un->tss_len + unseal_len(group) + UET_ICV_LEN;
	union uet_carrier_head head;

	un->fep->carrier->put_head(un->fep, uet_burst_entry_ev(group->entries, i), len, &head);
	return uet_sd_open_next(&un->run, group->first + i, &head, un->fep->head_len,
				group->at[i], len, to);
}

/*
 * Open the packets of a run, the last one first: the headers of each are then overwritten by the
 * payload in front of it, and the payloads are one piece behind the headers of the first one.
 * Those of the others have to follow from them.
 */
static bool unseal_run(const struct unseal *un, const struct unseal_group *group, u8 *to)
{
	u8 next[SEAL_HEADERS_MAX], head[SEAL_HEADERS_MAX];
	u32 i = group->nr;
	u8 *at;

	while (i--) {
		at = to + i * group->unit;
		if (!unseal_one(un, group, i, at))
			return false;
		memcpy(head, at, group->headers);
		if (group->nr > 1 && !uet_wire_may_skip(head, group->headers))
			return false;
		uet_wire_req_skip(head, 1);
		if (i + 1 < group->nr && memcmp(head, next, group->headers))
			return false;
		memcpy(next, at, group->headers);
	}
	return true;
}

static struct sk_buff *unseal_packet(const struct unseal *un, const struct unseal_group *group)
{
	struct sk_buff *skb = burst_alloc_skb(group->unit + UET_SD_ALIGN);

	if (!skb)
		return NULL;
	skb_reserve(skb, -(unsigned long)skb->data & (UET_SD_ALIGN - 1));
	if (unseal_one(un, group, 0, skb_put(skb, group->unit)))
		return skb;
	kfree_skb(skb);
	return NULL;
}

/* Return: packets in clear that continue a message, or a long one; or NULL. */
static struct sk_buff *unseal_pages(const struct unseal *un, const struct unseal_group *group)
{
	u32 headers = group->headers, bytes = group->nr * group->unit;
	struct page *page = seal_alloc_pages(headers + bytes);
	struct sk_buff *skb;
	u8 *to;

	if (!page)
		return NULL;
	to = page_address(page);
	skb = burst_alloc_skb(SEAL_HEADERS_MAX);
	if (!skb || !unseal_run(un, group, to)) {
		kfree_skb(skb);
		put_page(page);
		return NULL;
	}
	skb_put_data(skb, to, headers);
	if (bytes)
		skb_add_rx_frag(skb, 0, page, headers, bytes,
				PAGE_SIZE << get_order(headers + bytes));
	else
		put_page(page);
	return skb;
}

static bool unseal_add(struct unseal *un, struct unseal_group *group)
{
	struct sk_buff *skb;

	/* The headers of a long packet are where those of a run would be. */
	if (group->nr == 1 && group->unit > SEAL_LINEAR_MAX) {
		group->headers = SEAL_HEADERS_MAX;
		group->unit -= SEAL_HEADERS_MAX;
	}
	skb = group->headers ? unseal_pages(un, group) : unseal_packet(un, group);
	if (!skb)
		return false;
	*uet_tx_skb_cb(skb) = (struct uet_tx_skb_cb) {
		.ev = uet_burst_entry_ev(group->entries, 0),
		.nr = group->nr > 1 ? group->nr : 0,
		.unit = group->nr > 1 ? group->unit : 0,
	};
	*un->link = skb;
	un->link = &skb->next;
	return true;
}

static bool unseal_all(struct unseal *un, const struct uet_fa *from, const u8 *entries, u32 at)
{
	u32 count = skb_shinfo(un->skb)->gso_segs, len;
	struct unseal_group group __uninitialized;
	const u8 *first;

	for (group.first = 0; group.first < count; group.first += group.nr) {
		if (!unseal_group(un, entries, count - group.first, &group))
			return false;
		len = un->tss_len + unseal_len(&group) + UET_ICV_LEN;
		if (!group.first) {
			first = unseal_find(un->skb, at + seal_pad(un->tss_len), len);
			if (!first || !uet_sd_open_begin(un->fep, from, first, len, &un->run))
				return false;
		}
		if (!unseal_places(un, &group, at))
			return false;
		at += group.nr * uet_burst_seal_place(un->tss_len, unseal_len(&group));
		entries += group.nr * UET_BURST_ENTRY;
		if (!unseal_add(un, &group))
			return false;
	}
	return at == un->skb->len && uet_sd_open_end(&un->run, count);
}

/*
 * uet_burst_open() - open the packets of a burst from @from, of a FEP in a secure domain
 * @skb: burst, starting at the carrier header; is not changed but for what is pulled
 * @entries: result: the entries of the packets, valid as long as @skb
 * @op: result: security header of the first packet; uet_tss_op_step() leads to the others
 * Context: Softirq, rcu_read_lock() held.
 * Return: the first packet or run, in clear, linked by sk_buff.next, starting at the PDS header,
 *	with uet_tx_skb_cb(): all packets are authentic and new; NULL: something is unusual,
 *	nothing has changed or was counted, and the caller takes the packets one by one.
 */
struct sk_buff *uet_burst_open(struct uet_fep *fep, const struct uet_fa *from, struct sk_buff *skb,
			       const u8 **entries, struct uet_tss_op *op)
{
	u32 list = BURST_LIST_LEN(skb_shinfo(skb)->gso_segs);
	struct unseal un = {
		.fep = fep,
		.skb = skb,
		.tss_len = seal_tss_len(fep),
	};

	un.link = &un.packets;
	if (skb_has_frag_list(skb) || skb_shinfo(skb)->gso_segs > BURST_PACKETS_MAX ||
	    !pskb_may_pull(skb, fep->head_len + list) ||
	    skb->data[fep->head_len + BURST_FLAGS] != un.tss_len)
		return NULL;
	*entries = skb->data + fep->head_len + BURST_LIST_LEN(0);
	if (!unseal_all(&un, from, *entries, fep->head_len + list)) {
		kfree_skb_list(un.packets);
		return NULL;
	}
	*op = un.run.op;
	return un.packets;
}

/* Copy @len bytes of a burst into a packet, with space in front and for a trailer. */
static struct sk_buff *burst_cut(const struct sk_buff *skb, u32 at, u32 len)
{
	struct sk_buff *packet = burst_alloc_skb(len + UET_CRC_LEN);

	if (!packet)
		return NULL;
	if (skb_copy_bits(skb, at, skb_put(packet, len), len)) {
		kfree_skb(packet);
		return NULL;
	}
	return packet;
}

/*
 * Copy @len bytes of payload of a burst into a packet that continues @last, a packet with as
 * much payload.
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

static struct sk_buff *burst_split_sealed(const struct sk_buff *skb, u32 list, u32 tss_len)
{
	const u8 *entry = skb->data + list + BURST_LIST_LEN(0);
	u32 count = skb_shinfo(skb)->gso_segs, len = 0, next, i;
	struct sk_buff *first = NULL, **link = &first;
	u32 at = list + BURST_LIST_LEN(count);

	for (i = 0; i < count; i++, entry += UET_BURST_ENTRY) {
		next = get_unaligned_be16(entry);
		if (!(next & BURST_CONTINUES))
			len = next;
		*link = burst_cut(skb, at + seal_pad(tss_len), tss_len + len + UET_ICV_LEN);
		if (!*link) {
			kfree_skb_list(first);
			return NULL;
		}
		uet_tx_skb_cb(*link)->ev = uet_burst_entry_ev(entry, 0);
		link = &(*link)->next;
		at += uet_burst_seal_place(tss_len, len);
	}
	return first;
}

/*
 * Take the packets out of a burst in one piece that starts at the carrier header; that and its
 * list are in the linear part.
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
	for (i = 0; i < count; i++, entry += UET_BURST_ENTRY) {
		len = get_unaligned_be16(entry);
		if (len & BURST_CONTINUES) {
			len &= ~BURST_CONTINUES;
			*link = burst_cut_next(skb, at, len, last);
		} else {
			*link = burst_cut(skb, at, len);
		}
		if (!*link)
			goto err;
		uet_tx_skb_cb(*link)->ev = uet_burst_entry_ev(entry, 0);
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
