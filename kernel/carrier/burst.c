// SPDX-License-Identifier: GPL-2.0
/*
 * Bursts: packets to one peer, of one class and over one rail, cross the stack as one socket
 * buffer.  Its fragment list holds the packets and runs as tx.c has built them, with their
 * entropy values; in front is one set of IP and carrier headers, and the list of burst.h.
 *
 * To the kernel a burst is a GSO packet, of a type that veth and other virtual devices pass on
 * whole, and that no hardware is known to support.  One that arrives whole was made on this host,
 * because neither the wire nor a program can make a packet of this type, and its packets have no
 * CRC.  But tc and netfilter write to it and copy a part of the packets to the linear part.  So
 * its shape is checked before packets are taken out, and what the list says is never trusted.
 *
 * A burst of packets that refer to pages of their sender (MSG_ZEROCOPY) counts as such a packet
 * itself, so that the stack tells burst_complete() before somebody keeps it.
 *
 * A run is packets that continue a message, in one socket buffer: the headers of the first one,
 * from which those of the others follow (wire_run.c), then the payloads, none in requests of a
 * READ.  A packet is taken out only if it has to be one of its own.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>

#include "base/base.h"
#include "burst.h"

/* A tunnel bit, so that the socket of a FEP gets the burst whole, and packets by list. */
#define BURST_GSO_TYPE	(SKB_GSO_UDP_TUNNEL | SKB_GSO_SCTP)

/* Most bytes of headers that a packet of a run has and the burst does not hold. */
#define BURST_HEADERS_MAX	128

/*
 * Longest payload of a run that is copied into a packet of its own.  References to its pages,
 * and a piece of a page for the trailer, cost more.
 */
#define RUN_COPY	1024

/*
 * uet_burst_is() - is a socket buffer a burst of this module, at any place of its way?
 */
bool uet_burst_is(const struct sk_buff *skb)
{
	const struct skb_shared_info *info = skb_shinfo(skb);

	return info->gso_type == BURST_GSO_TYPE && info->gso_segs > 1 &&
	       skb->inner_protocol_type == ENCAP_TYPE_IPPROTO &&
	       skb->inner_ipproto == BURST_PROTO;
}

/*
 * uet_burst_count() - number of packets, 1 without a burst
 */
u32 uet_burst_count(const struct sk_buff *skb)
{
	return skb_is_gso(skb) ? skb_shinfo(skb)->gso_segs : 1;
}

/*
 * uet_burst_bytes() - length of a packet, or of all packets of a burst
 * @list: offset of the list from skb->data, bytes
 * Return: bytes from skb->data on; of a burst those in front of its list, and those of its
 *	packets without their CRC.
 */
u32 uet_burst_bytes(const struct sk_buff *skb, u32 list)
{
	u32 most = skb->len + uet_burst_count(skb) * BURST_HEADERS_MAX;
	__be32 bytes;

	if (!uet_burst_is(skb) || skb_copy_bits(skb, list + BURST_BYTES, &bytes, sizeof(bytes)))
		return skb->len;
	return min(list + ntohl(bytes), most);
}

/**
 * uet_burst_list_len() - length of the list of a burst that an ICMP error quotes
 * @head: 2 bytes behind the carrier header
 * Return: bytes; 0: a packet is quoted.
 */
u32 uet_burst_list_len(const u8 *head)
{
	return head[0] == BURST_LIST ? BURST_LIST_LEN(head[1]) : 0;
}

/*
 * struct burst_group - which packets may be in a burst; on the stack
 * @avoid: slots of rails that the paths avoid
 * @slot: the rail
 * @bytes: length of what the burst holds, in clear
 * @space: the same, or of a FEP in a secure domain the length of their places; @limit at most
 * @wire: length of the packets of the burst, with the headers that a run does not hold
 * @widest: length of the longest one
 * @protect: bytes that protection adds to each packet
 * @crc_addrs: uet_tx_skb_cb.crc_addrs
 */
struct burst_group {
	const struct uet_fep *fep;
	unsigned long avoid;
	int slot;
	enum uet_class class;
	u32 bytes;
	u32 space;
	u32 limit;
	u32 wire;
	u32 widest;
	u32 protect;
	u8 crc_addrs;
};

/* skb->destructor of a burst: its packets have left the queues of this host. */
static void burst_orphan(struct sk_buff *skb)
{
	struct sk_buff *packet;

	skb_walk_frags(skb, packet)
		skb_orphan(packet);
	uet_tx_skb_disown(skb);
}

/*
 * ubuf_info_ops.complete: a consumer gets the burst who may keep it, so it must not refer to
 * pages of its sender any more.  Where a copy of the burst refers to its packets, too, they
 * cannot change, and the burst gets their bytes in one piece.  A burst without all of its
 * packets is dropped.
 */
static void burst_complete(struct sk_buff *skb, struct ubuf_info *ubuf, bool success)
{
	struct sk_buff *packet;

	if (success || !skb)
		return;
	skb_walk_frags(skb, packet)
		if (skb_orphan_frags_rx(packet, GFP_ATOMIC))
			break;
	if (!packet || !skb_linearize(skb))
		return;
	kfree_skb_list(skb_shinfo(skb)->frag_list);
	skb_shinfo(skb)->frag_list = NULL;
	skb->len -= skb->data_len;
	skb->data_len = 0;
}

static const struct ubuf_info_ops burst_ubuf_ops = {
	.complete = burst_complete,
};

/* Of all bursts with such packets; nobody counts its references. */
static struct ubuf_info burst_ubuf;

void uet_burst_init(void)
{
	uet_ubuf_set_ops(&burst_ubuf, &burst_ubuf_ops);
	uet_ubuf_set_flags(&burst_ubuf);
}

static void burst_set_type(struct sk_buff *skb)
{
	skb_shinfo(skb)->gso_type = BURST_GSO_TYPE;
	skb->encapsulation = 1;
	skb->ip_summed = CHECKSUM_UNNECESSARY;
	skb_set_inner_ipproto(skb, BURST_PROTO);
}

static struct sk_buff *burst_alloc(struct sk_buff *first)
{
	struct sk_buff *skb = burst_alloc_skb(BURST_LIST_LEN(BURST_PACKETS_MAX));

	if (!skb)
		return NULL;
	*uet_tx_skb_cb(skb) = *uet_tx_skb_cb(first);
	burst_set_type(skb);
	return skb;
}

/* Append a packet or a run; @last is the one before, or NULL. */
static void burst_add(struct burst_group *group, struct sk_buff *skb,
		      struct sk_buff *last, struct sk_buff *packet)
{
	u8 *entry = skb_tail_pointer(skb) + BURST_LIST_LEN(skb_shinfo(skb)->gso_segs);
	struct uet_tx_skb_cb *cb = uet_tx_skb_cb(packet);
	u32 headers = skb_headlen(packet);

	if (cb->nr) {
		memcpy(entry, skb_tail_pointer(packet), cb->nr * UET_BURST_ENTRY);
		group->widest = max(group->widest, headers + cb->unit);
		group->wire += cb->nr * (headers + cb->unit);
	} else {
		burst_put_entry(entry, packet->len, cb->ev);
		group->widest = max(group->widest, packet->len);
		group->wire += packet->len;
	}
	cb->crc_addrs = group->crc_addrs;
	if (last)
		last->next = packet;
	else
		skb_shinfo(skb)->frag_list = packet;
	skb_shinfo(skb)->gso_segs += uet_tx_skb_nr(packet);
	skb->truesize += packet->truesize;
	if (packet->destructor)
		skb->destructor = burst_orphan;
	if (skb_zcopy(packet))
		skb_zcopy_init(skb, &burst_ubuf);
}

/* The list is complete; the packets follow it. */
static void burst_close(const struct burst_group *group, struct sk_buff *skb)
{
	u32 count = skb_shinfo(skb)->gso_segs;
	u8 *list = skb_put(skb, BURST_LIST_LEN(count));

	list[0] = BURST_LIST;
	list[1] = count;
	list[2] = group->crc_addrs;
	list[BURST_FLAGS] = 0;
	put_unaligned_be32(group->wire, list + BURST_BYTES);
	skb->len += group->bytes;
	skb->data_len = group->bytes;
	/* Routers compare this with their MTU. */
	skb_shinfo(skb)->gso_size = group->widest + group->protect;
}

/*
 * Make a burst of headers, the carrier header as the last one, and packets that start at the PDS
 * header, linked by sk_buff.next, uet_tx_skb_cb() filled in; their truesize is in that of @skb.
 * Return: false without memory; nothing has changed then.
 */
bool uet_burst_make(struct sk_buff *skb, struct sk_buff *first, u32 count)
{
	u8 crc_addrs = uet_tx_skb_cb(first)->crc_addrs;
	struct burst_group group = {
		.protect = crc_addrs ? UET_CRC_LEN : 0,
		.crc_addrs = crc_addrs,
	};
	u32 need = BURST_LIST_LEN(count), truesize = skb->truesize;
	struct sk_buff *packet, *next, *last = NULL;

	if (skb_tailroom(skb) < need &&
	    pskb_expand_head(skb, 0, need - skb_tailroom(skb), GFP_ATOMIC))
		return false;
	burst_set_type(skb);
	skb_shinfo(skb)->gso_segs = 0;
	for (packet = first; packet; last = packet, packet = next) {
		next = packet->next;
		burst_add(&group, skb, last, packet);
	}
	skb->truesize = truesize;
	group.bytes = group.wire;
	burst_close(&group, skb);
	return true;
}

/*
 * A device of the hardware that offers to segment SCTP packets would not understand a
 * burst.  A virtual device has no parent.  A bond or team chooses one of its devices by
 * the entropy value of each packet.
 */
static bool burst_fits_dev(const struct net_device *dev)
{
	if (netif_is_bond_master(dev) || netif_is_team_master(dev))
		return false;
	return !(dev->features & NETIF_F_GSO_SCTP) || !dev->dev.parent;
}

/* Most bytes of a burst on a rail; 0: packets go one by one. */
static u32 burst_limit(const struct uet_fep *fep, int slot)
{
	u32 most = uet_fep_settings(fep)->pdc.burst;
	const struct uet_rail *rail;

	if (slot < 0 || !uet_offload_cuts(fep))
		return 0;
	rail = rcu_dereference(fep->rail[slot]);
	if (!rail || !burst_fits_dev(rail->dev))
		return 0;
	return fep->cfg.sd ? min_t(u32, most, BURST_SEALED_MAX) : most;
}

/* Bytes of a burst that a sealed packet takes. */
static u32 burst_place(const struct uet_fep *fep, u32 len)
{
	return uet_burst_seal_place(fep->cfg.protect_len - UET_ICV_LEN, len);
}

/* Bytes of a burst that a packet or a run takes. */
static u32 burst_space(const struct uet_fep *fep, struct sk_buff *packet)
{
	const struct uet_tx_skb_cb *cb = uet_tx_skb_cb(packet);

	if (!fep->cfg.sd)
		return packet->len;
	if (!cb->nr)
		return burst_place(fep, packet->len);
	return cb->nr * burst_place(fep, skb_headlen(packet) + cb->unit);
}

static struct sk_buff *burst_begin(struct burst_group *group, struct sk_buff *first)
{
	struct sk_buff *skb = burst_alloc(first);

	if (skb)
		burst_add(group, skb, NULL, first);
	return skb;
}

/*
 * The packets of a class on a rail keep their order.  A packet that does not fit ends the burst.
 * Return: a burst; NULL: @first, a packet, leaves alone, or there is no memory.
 */
static struct sk_buff *burst_collect(struct burst_group *group, struct sk_buff *first,
				     struct sk_buff_head *skbs)
{
	struct sk_buff *skb = NULL, *last = first, *packet, *next;
	u32 nr = uet_tx_skb_nr(first);

	if (nr > 1) {
		skb = burst_begin(group, first);
		if (!skb)
			return NULL;
	}
	skb_queue_walk_safe(skbs, packet, next) {
		if (uet_tx_skb_cb(packet)->class != group->class ||
		    group->space + burst_space(group->fep, packet) > group->limit ||
		    nr + uet_tx_skb_nr(packet) > BURST_PACKETS_MAX)
			break;
		if (uet_fep_pick_slot(group->fep, uet_tx_skb_cb(packet)->ev, group->avoid) !=
		    group->slot)
			continue;
		if (!skb) {
			skb = burst_begin(group, first);
			if (!skb)
				return NULL;
		}
		__skb_unlink(packet, skbs);
		burst_add(group, skb, last, packet);
		group->bytes += packet->len;
		group->space += burst_space(group->fep, packet);
		nr += uet_tx_skb_nr(packet);
		last = packet;
	}
	if (skb)
		burst_close(group, skb);
	return skb;
}

/*
 * A run that cannot be a part of a burst, because the FEP has changed since: its packets leave
 * one by one.
 */
static struct sk_buff *burst_pop_first(struct uet_fep *fep, struct sk_buff *first,
				       struct sk_buff_head *skbs)
{
	struct sk_buff *packet = uet_burst_run_pop(first, NULL);

	if (!packet) {
		uet_drop_add(fep->un, UET_DROP_NO_MEMORY, uet_tx_skb_nr(first));
		uet_mib_add(fep->un, UET_MIB_TX_DROPS, uet_tx_skb_nr(first));
		kfree_skb(first);
		return NULL;
	}
	skb_mark_not_on_list(packet);
	__skb_queue_head(skbs, first);
	return packet;
}

/*
 * uet_burst_next() - take the next packet, and those that can leave with it
 * @path: paths to the peer, or NULL
 * @skbs: packets and runs to one peer, not empty, uet_tx_skb_cb() filled in
 * @most: most bytes that a burst holds; the setting of the FEP may be less
 * Context: BH disabled, rcu_read_lock() held.
 * Return: a packet or a burst, starting at the PDS header; NULL: there was no memory for the
 *	packets of a run, which are counted as dropped.
 */
struct sk_buff *uet_burst_next(struct uet_fep *fep, struct uet_path *path,
			       struct sk_buff_head *skbs, u32 most)
{
	struct sk_buff *first = __skb_dequeue(skbs), *skb = NULL;
	bool is_run = uet_tx_skb_nr(first) > 1;
	struct burst_group group;

	if (skb_queue_empty(skbs) && !is_run)
		return first;
	group = (struct burst_group) {
		.fep = fep,
		.avoid = path ? uet_path_avoid(path) : 0,
		.class = uet_tx_skb_cb(first)->class,
		.bytes = first->len,
		.space = burst_space(fep, first),
		.protect = fep->cfg.protect_len,
		.crc_addrs = fep->cfg.crc ? uet_crc_addrs_len(fep) : 0,
	};
	group.slot = uet_fep_pick_slot(fep, uet_tx_skb_cb(first)->ev, group.avoid);
	group.limit = min(burst_limit(fep, group.slot), most);
	if (group.space <= group.limit)
		skb = burst_collect(&group, first, skbs);
	if (skb)
		return skb;
	return is_run ? burst_pop_first(fep, first, skbs) : first;
}

/*
 * uet_burst_sort() - order @n entropy values by rail
 *
 * Packets that follow each other and leave over the same rail may be a run.
 * Context: BH disabled, rcu_read_lock() held.
 * Return: true if the order may have changed.
 */
bool uet_burst_sort(const struct uet_fep *fep, struct uet_path *path, u16 *ev, u32 n)
{
	unsigned long avoid = path ? uet_path_avoid(path) : 0;
	u8 end[UET_FEP_RAILS_MAX + 1] = { }, of[UET_BURST_RUN_MAX];
	u16 old[UET_BURST_RUN_MAX];
	u32 i;

	if (hweight_long(READ_ONCE(fep->usable)) < 2)
		return false;
	n = min_t(u32, n, UET_BURST_RUN_MAX);
	memcpy(old, ev, n * sizeof(*ev));
	for (i = 0; i < n; i++) {
		of[i] = uet_fep_pick_slot(fep, old[i], avoid) + 1;
		end[of[i]]++;
	}
	for (i = 1; i < ARRAY_SIZE(end); i++)
		end[i] += end[i - 1];
	for (i = n; i--; )
		ev[--end[of[i]]] = old[i];
	return true;
}

/*
 * Most packets of a run.  Of a FEP in a secure domain the packet in front shall fit into the
 * same burst.
 */
static u32 burst_run_most(const struct uet_fep *fep, u32 limit, u32 headers, u32 unit)
{
	u32 place;

	if (!fep->cfg.sd && limit < headers + 2 * unit)
		return 0;
	if (!fep->cfg.sd)
		return unit ? (limit - headers) / unit : UET_BURST_RUN_MAX;
	place = burst_place(fep, headers + unit);
	return limit > place ? limit / place - 1 : 0;
}

/*
 * uet_burst_run_fit() - how many of @n packets with entropy values @ev may be a run, at least 1?
 * @headers: length of the headers of a packet, bytes
 * @unit: payload of each packet, bytes; 0 if they have none
 * Context: BH disabled, rcu_read_lock() held.
 */
u32 uet_burst_run_fit(const struct uet_fep *fep, struct uet_path *path,
		      const u16 *ev, u32 n, u32 headers, u32 unit)
{
	unsigned long avoid = path ? uet_path_avoid(path) : 0;
	int slot = uet_fep_pick_slot(fep, ev[0], avoid);
	u32 most = burst_run_most(fep, burst_limit(fep, slot), headers, unit), i;

	if (most < 2)
		return 1;
	most = min3(n, most, (u32)UET_BURST_RUN_MAX);
	if (hweight_long(READ_ONCE(fep->usable)) < 2)
		return most;
	for (i = 1; i < most; i++)
		if (uet_fep_pick_slot(fep, ev[i], avoid) != slot)
			break;
	return i;
}

/* Tell the stack where the packets of a burst begin, behind the carrier header. */
void uet_burst_mark(struct sk_buff *skb, u32 head_len)
{
	u16 packets = skb->transport_header + head_len;

	skb->inner_mac_header = packets;
	skb->inner_network_header = packets;
	skb->inner_transport_header = packets;
}

static struct sk_buff *burst_copy(const struct sk_buff *skb)
{
	struct sk_buff *packet, *first = NULL, **link = &first;

	skb_walk_frags(skb, packet) {
		*link = pskb_copy(packet, GFP_ATOMIC);
		if (!*link) {
			kfree_skb_list(first);
			return NULL;
		}
		link = &(*link)->next;
	}
	return first;
}

/*
 * Are the packets where burst_close() left them?  Else a part of them was copied to the linear
 * part, and a run may lack headers or payload.
 */
static bool burst_is_intact(const struct sk_buff *skb, u32 list)
{
	u32 count = 0, bytes = 0;
	struct sk_buff *packet;

	skb_walk_frags(skb, packet) {
		const struct uet_tx_skb_cb *cb = uet_tx_skb_cb(packet);

		if (cb->nr && (packet->data_len != cb->nr * cb->unit ||
			       !uet_wire_may_skip(packet->data, skb_headlen(packet))))
			return false;
		count += uet_tx_skb_nr(packet);
		bytes += packet->len;
	}
	return count == skb_shinfo(skb)->gso_segs && bytes == skb->data_len &&
	       skb_headlen(skb) == list + BURST_LIST_LEN(count);
}

/* Does somebody else use the packets, by a copy of the burst? */
static bool burst_is_shared(const struct sk_buff *skb)
{
	const struct sk_buff *packet;

	if (skb_cloned(skb) || skb_shared(skb))
		return true;
	skb_walk_frags(skb, packet)
		if (skb_shared(packet) || skb_cloned(packet))
			return true;
	return false;
}

/**
 * uet_burst_packets() - take the packets and runs out of a burst
 * @skb: burst, starting at the carrier header; the caller frees it
 * @list: length of the carrier header, bytes
 * @entries: result: the entries of the packets, valid as long as @skb
 * Return: the first packet or run, linked by sk_buff.next, starting at the PDS header, with
 *	uet_tx_skb_cb(); NULL without memory, or the burst was damaged.
 */
struct sk_buff *uet_burst_packets(struct sk_buff *skb, u32 list, const u8 **entries)
{
	struct sk_buff *first = skb_shinfo(skb)->frag_list, *packets;

	if (!pskb_may_pull(skb, list + BURST_LIST_LEN(skb_shinfo(skb)->gso_segs)))
		return NULL;
	*entries = skb->data + list + BURST_LIST_LEN(0);
	if (!first)
		return uet_burst_split(skb, list);
	if (!burst_is_intact(skb, list))
		return NULL;
	if (burst_is_shared(skb)) {
		/* Of a packet that refers to pages of its sender there is no cheap copy. */
		packets = burst_copy(skb);
		return packets ? packets : uet_burst_split(skb, list);
	}
	skb_shinfo(skb)->frag_list = NULL;
	skb->len -= skb->data_len;
	skb->data_len = 0;
	return first;
}

/*
 * uet_burst_run_set() - make a run of a packet with the payloads of several
 * @skb: headers of the first packet in the linear part, with uet_burst_run_space() behind; the
 *	payloads in page fragments
 * @unit: payload of each packet, bytes; 0 if they have none
 */
void uet_burst_run_set(struct sk_buff *skb, const u16 *ev, u32 nr, u32 unit)
{
	u8 *entry = skb_tail_pointer(skb);
	u32 i;

	for (i = 0; i < nr; i++, entry += UET_BURST_ENTRY)
		burst_put_entry(entry, BURST_CONTINUES | unit, ev[i]);
	burst_put_entry(skb_tail_pointer(skb), skb_headlen(skb) + unit, ev[0]);
	uet_tx_skb_cb(skb)->nr = nr;
	uet_tx_skb_cb(skb)->unit = unit;
}

/*
 * A packet with space in front for what a packet has there and tail space for a trailer.  Its
 * memory is a page fragment, as in tx.c.
 */
static struct sk_buff *run_alloc(u32 linear)
{
	u32 size = SKB_DATA_ALIGN(BURST_HEADROOM + linear + UET_CRC_LEN) +
		   SKB_DATA_ALIGN(sizeof(struct skb_shared_info));
	void *head = netdev_alloc_frag(size);
	struct sk_buff *packet;

	if (!head)
		return NULL;
	packet = build_skb(head, size);
	if (!packet) {
		skb_free_frag(head);
		return NULL;
	}
	skb_reserve(packet, BURST_HEADROOM);
	return packet;
}

/* Copy the first @len bytes of the fragments of @run into @packet. */
static void run_copy_payload(struct sk_buff *packet, const struct sk_buff *run, u32 len)
{
	const skb_frag_t *frag = skb_shinfo(run)->frags;
	u32 here;

	for (; len; frag++, len -= here) {
		here = min(len, skb_frag_size(frag));
		skb_put_data(packet, skb_frag_address(frag), here);
	}
}

/* Let @packet refer to the first @len bytes of the fragments of @run. */
static void run_ref_payload(struct sk_buff *packet, struct sk_buff *run, u32 len)
{
	const skb_frag_t *frag = skb_shinfo(run)->frags;
	u32 here;

	for (; len; frag++, len -= here) {
		here = min(len, skb_frag_size(frag));
		get_page(skb_frag_page(frag));
		skb_add_rx_frag(packet, skb_shinfo(packet)->nr_frags,
				skb_frag_page(frag), skb_frag_off(frag), here, here);
	}
	skb_zcopy_set(packet, skb_zcopy(run), NULL);
}

/* Remove the first @len bytes from the fragments of @run. */
static void run_drop_payload(struct sk_buff *run, u32 len)
{
	struct skb_shared_info *info = skb_shinfo(run);
	u32 left = len, nr = 0;

	while (left && left >= skb_frag_size(&info->frags[nr])) {
		left -= skb_frag_size(&info->frags[nr]);
		put_page(skb_frag_page(&info->frags[nr++]));
	}
	info->nr_frags -= nr;
	memmove(info->frags, info->frags + nr, info->nr_frags * sizeof(*info->frags));
	if (left) {
		skb_frag_off_add(&info->frags[0], left);
		skb_frag_size_sub(&info->frags[0], left);
	}
	run->len -= len;
	run->data_len -= len;
	run->truesize -= len;
}

/* The entries of uet_burst_run_set() without the first one. */
static const u8 *run_shift_entries(struct sk_buff *run)
{
	u8 *entries = skb_tail_pointer(run);

	memmove(entries, entries + UET_BURST_ENTRY, uet_tx_skb_nr(run) * UET_BURST_ENTRY);
	burst_put_entry(entries, skb_headlen(run) + uet_tx_skb_cb(run)->unit,
			uet_burst_entry_ev(entries, 0));
	return entries;
}

/**
 * uet_burst_run_pop() - take the first packet out of a run
 * @run: not shared or cloned; without this packet afterwards
 * @entries: entries of its packets in the list of a burst; NULL: @run is not in a burst
 * Return: the packet, with @run as sk_buff.next; NULL without memory, and nothing has changed
 *	then.
 */
struct sk_buff *uet_burst_run_pop(struct sk_buff *run, const u8 *entries)
{
	struct uet_tx_skb_cb *cb = uet_tx_skb_cb(run);
	bool is_copied = cb->unit <= RUN_COPY;
	u32 headers = skb_headlen(run);
	struct sk_buff *packet = run_alloc(headers + (is_copied ? cb->unit : 0));

	if (!packet)
		return NULL;
	skb_put_data(packet, run->data, headers);
	if (is_copied)
		run_copy_payload(packet, run, cb->unit);
	else
		run_ref_payload(packet, run, cb->unit);
	*uet_tx_skb_cb(packet) = *cb;
	uet_tx_skb_cb(packet)->nr = 0;
	packet->next = run;

	uet_wire_req_skip(run->data, 1);
	run_drop_payload(run, cb->unit);
	if (--cb->nr == 1)
		cb->nr = 0;
	if (!entries)
		entries = run_shift_entries(run);
	else
		entries += UET_BURST_ENTRY;
	cb->ev = uet_burst_entry_ev(entries, 0);
	return packet;
}

/*
 * uet_burst_is_joined() - did the packets of a burst come one by one, so that any sender may
 * have sent them?
 */
bool uet_burst_is_joined(const u8 *entries)
{
	return entries[BURST_FLAGS - (int)BURST_LIST_LEN(0)] & BURST_JOINED;
}
