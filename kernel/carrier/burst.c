// SPDX-License-Identifier: GPL-2.0
/*
 * Bursts: packets to one peer, of one class and over one rail, cross the stack as one
 * socket buffer.  Its fragment list holds the packets as tx.c has built them, with their
 * entropy values; in front is one set of IP and carrier headers.  Route, netfilter, qdisc
 * and device handle a burst once.
 *
 * To the kernel a burst is a GSO packet, of a type that veth and other virtual devices
 * pass on whole, and that no hardware is known to support.  In front of any other device
 * the stack calls burst_segment(), behind the qdisc.  There each packet gets its headers,
 * its own entropy value and its CRC, as TCP's segments get their checksums.
 *
 * A burst that arrives whole was made on this host and was on no wire, because neither
 * the wire nor a program can make a packet of this type.  Its packets have no CRC.
 *
 * Between the carrier header and the first packet is a list of the packets, so that
 * captures show them, and so that a burst that something on its way has made one piece of
 * is taken apart.  The list never is on a wire:
 *
 *	byte 0		BURST_LIST, a type that no PDS header has
 *	byte 1		number of packets, n
 *	byte 2		bytes of addresses that the CRC of each packet covers; 0: no CRC
 *	byte 3		0
 *	4 n bytes	of each packet: length, entropy value; 16 bits each, network order
 *
 * Spec: none; uet-wire 1.4, 1.5 for each packet.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <net/protocol.h>

#include "base/base.h"
#include "burst.h"
#include "carrier.h"
#include "crc.h"
#include "fabric/fabric.h"

/* A tunnel bit, so that the socket of a FEP gets the burst whole, and packets by list. */
#define BURST_GSO_TYPE	(SKB_GSO_UDP_TUNNEL | SKB_GSO_SCTP)

/* The inner protocol under which the stack finds burst_segment(): RFC 3692. */
#define BURST_PROTO	253

/* Most packets of a burst. */
#define BURST_PACKETS_MAX	64

/* The list of the packets. */
#define BURST_LIST	(31 << 3)
#define BURST_LIST_LEN(n)	(4 + 4 * (n))

/* Headers of the head: link, IP and carrier. */
#define BURST_HEADROOM	(LL_MAX_HEADER + sizeof(struct ipv6hdr) + \
			 sizeof(union uet_carrier_head))

/**
 * uet_burst_is() - is a socket buffer a burst?
 * @skb: packet or burst
 *
 * Context: Any.
 * Return: true for a burst of this module, at any place of its way.
 */
bool uet_burst_is(const struct sk_buff *skb)
{
	const struct skb_shared_info *info = skb_shinfo(skb);

	return info->gso_type == BURST_GSO_TYPE && info->gso_segs > 1 &&
	       skb->inner_protocol_type == ENCAP_TYPE_IPPROTO &&
	       skb->inner_ipproto == BURST_PROTO;
}

/**
 * uet_burst_count() - number of packets
 * @skb: packet or burst
 *
 * Context: Any.
 * Return: 1 for a packet.
 */
u32 uet_burst_count(const struct sk_buff *skb)
{
	return skb_is_gso(skb) ? skb_shinfo(skb)->gso_segs : 1;
}

/**
 * uet_burst_bytes() - length of a packet, or of all packets of a burst
 * @skb: packet or burst
 *
 * Context: Any.
 * Return: bytes from skb->data on, without the list of a burst.
 */
u32 uet_burst_bytes(const struct sk_buff *skb)
{
	if (!uet_burst_is(skb))
		return skb->len;
	return skb->len - BURST_LIST_LEN(skb_shinfo(skb)->gso_segs);
}

/**
 * uet_burst_widest() - length of the longest packet on a wire
 * @fep: local FEP
 * @skb: packet or burst, not sent yet, starting at the PDS header
 *
 * Context: Any.
 * Return: length from the PDS header on, with the trailer, bytes.
 */
u32 uet_burst_widest(const struct uet_fep *fep, const struct sk_buff *skb)
{
	return skb_is_gso(skb) ? skb_shinfo(skb)->gso_size :
				 skb->len + fep->cfg.protect_len;
}

/**
 * uet_burst_list_len() - length of the list of a burst that an ICMP error quotes
 * @head: 2 bytes behind the carrier header
 *
 * Context: Any.
 * Return: bytes; 0: a packet is quoted.
 */
u32 uet_burst_list_len(const u8 *head)
{
	return head[0] == BURST_LIST ? BURST_LIST_LEN(head[1]) : 0;
}

/**
 * struct burst_group - which packets may be in a burst; on the stack
 * @fep: local FEP
 * @avoid: slots of rails that the paths avoid
 * @slot: the rail
 * @class: their class
 * @bytes: length of the packets of the burst
 * @limit: most of them
 * @widest: length of the longest one
 * @crc_addrs: uet_tx_skb_cb.crc_addrs
 */
struct burst_group {
	const struct uet_fep *fep;
	unsigned long avoid;
	int slot;
	enum uet_class class;
	u32 bytes;
	u32 limit;
	u32 widest;
	u8 crc_addrs;
};

/* skb->destructor of a burst: its packets have left the queues of this host. */
static void burst_orphan(struct sk_buff *skb)
{
	struct sk_buff *packet;

	skb_walk_frags(skb, packet)
		skb_orphan(packet);
}

/* Return: an empty burst, or NULL without memory. */
static struct sk_buff *burst_alloc(struct sk_buff *first)
{
	struct sk_buff *skb = alloc_skb(BURST_HEADROOM +
					BURST_LIST_LEN(BURST_PACKETS_MAX),
					GFP_ATOMIC | __GFP_NOWARN);

	if (!skb)
		return NULL;
	skb_reserve(skb, BURST_HEADROOM);
	*uet_tx_skb_cb(skb) = *uet_tx_skb_cb(first);
	skb_shinfo(skb)->gso_type = BURST_GSO_TYPE;
	skb->encapsulation = 1;
	skb->ip_summed = CHECKSUM_UNNECESSARY;
	skb_set_inner_ipproto(skb, BURST_PROTO);
	return skb;
}

/* Append a packet; @last is the one before, or NULL. */
static void burst_add(struct burst_group *group, struct sk_buff *skb,
		      struct sk_buff *last, struct sk_buff *packet)
{
	u8 *entry = skb->data + BURST_LIST_LEN(skb_shinfo(skb)->gso_segs);

	put_unaligned_be16(packet->len, entry);
	put_unaligned_be16(uet_tx_skb_cb(packet)->ev, entry + 2);
	uet_tx_skb_cb(packet)->crc_addrs = group->crc_addrs;
	if (last)
		last->next = packet;
	else
		skb_shinfo(skb)->frag_list = packet;
	skb_shinfo(skb)->gso_segs++;
	group->widest = max(group->widest, packet->len);
	skb->truesize += packet->truesize;
	if (packet->destructor)
		skb->destructor = burst_orphan;
}

/* The list is complete; the packets follow it. */
static void burst_close(const struct burst_group *group, struct sk_buff *skb)
{
	u32 count = skb_shinfo(skb)->gso_segs;
	u8 *list = skb_put(skb, BURST_LIST_LEN(count));

	list[0] = BURST_LIST;
	list[1] = count;
	list[2] = group->crc_addrs;
	list[3] = 0;
	skb->len += group->bytes;
	skb->data_len = group->bytes;
	/* Routers compare this with their MTU. */
	skb_shinfo(skb)->gso_size = group->widest +
				    (group->crc_addrs ? UET_CRC_LEN : 0);
}

/*
 * A device of the hardware that offers to segment SCTP packets would not understand a
 * burst.  A virtual device has no parent.
 */
static bool burst_fits_dev(const struct net_device *dev)
{
	return !(dev->features & NETIF_F_GSO_SCTP) || !dev->dev.parent;
}

/* Return: most bytes of a burst on a rail; 0: packets go one by one. */
static u32 burst_limit(const struct uet_fep *fep, int slot)
{
	const struct uet_rail *rail;

	if (fep->carrier != &uet_udp_carrier || fep->cfg.sd || slot < 0)
		return 0;
	rail = rcu_dereference(fep->rail[slot]);
	if (!rail || !burst_fits_dev(rail->dev))
		return 0;
	return uet_fep_settings(fep)->pdc.burst;
}

static bool burst_is_on_rail(const struct burst_group *group,
			     struct sk_buff *skb)
{
	return uet_fep_pick_slot(group->fep, uet_tx_skb_cb(skb)->ev,
				 group->avoid) == group->slot;
}

/*
 * The packets of a class on a rail keep their order.  A packet that does not fit ends
 * the burst.
 */
static struct sk_buff *burst_collect(struct burst_group *group,
				     struct sk_buff *first,
				     struct sk_buff_head *skbs)
{
	struct sk_buff *skb = NULL, *last = first, *packet, *next;

	skb_queue_walk_safe(skbs, packet, next) {
		if (uet_tx_skb_cb(packet)->class != group->class ||
		    group->bytes + packet->len > group->limit)
			break;
		if (!burst_is_on_rail(group, packet))
			continue;
		if (!skb) {
			skb = burst_alloc(first);
			if (!skb)
				return first;
			burst_add(group, skb, NULL, first);
		}
		__skb_unlink(packet, skbs);
		burst_add(group, skb, last, packet);
		group->bytes += packet->len;
		last = packet;
		if (skb_shinfo(skb)->gso_segs == BURST_PACKETS_MAX)
			break;
	}
	if (!skb)
		return first;
	burst_close(group, skb);
	return skb;
}

/**
 * uet_burst_next() - take the next packet, and those that can leave with it
 * @fep: local FEP
 * @path: paths to the peer, or NULL
 * @skbs: packets to one peer, not empty, uet_tx_skb_cb() filled in
 * @most: most bytes of the packets of a burst; the setting of the FEP may be less
 *
 * Context: BH disabled, rcu_read_lock() held.
 * Return: a packet, or a burst; never NULL.  Both start at the PDS header.
 */
struct sk_buff *uet_burst_next(struct uet_fep *fep, struct uet_path *path,
			       struct sk_buff_head *skbs, u32 most)
{
	struct sk_buff *first = __skb_dequeue(skbs);
	struct burst_group group;
	u32 limit;

	if (skb_queue_empty(skbs))
		return first;
	group.fep = fep;
	group.avoid = path ? uet_path_avoid(path) : 0;
	group.class = uet_tx_skb_cb(first)->class;
	group.slot = uet_fep_pick_slot(fep, uet_tx_skb_cb(first)->ev,
				       group.avoid);
	limit = min(burst_limit(fep, group.slot), most);
	if (first->len >= limit)
		return first;
	group.bytes = first->len;
	group.limit = limit;
	group.widest = 0;
	group.crc_addrs = fep->cfg.crc ? uet_crc_addrs_len(fep) : 0;
	return burst_collect(&group, first, skbs);
}

/**
 * uet_burst_mark() - tell the stack where the packets of a burst begin
 * @skb: burst, with the carrier header in front of its packets
 *
 * Context: Any.
 */
void uet_burst_mark(struct sk_buff *skb)
{
	u16 packets = skb->transport_header + sizeof(struct udphdr);

	skb->inner_mac_header = packets;
	skb->inner_network_header = packets;
	skb->inner_transport_header = packets;
}

/* Copies of the packets of a burst whose data others use as well. */
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

/* Packets of a burst in one piece, whose list begins at @list bytes from skb->data. */
static struct sk_buff *burst_split(const struct sk_buff *skb, u32 list)
{
	struct sk_buff *first = NULL, **link = &first;
	u32 count = skb_shinfo(skb)->gso_segs, i;
	u32 at = list + BURST_LIST_LEN(count);
	u8 head[BURST_LIST_LEN(0)];
	__be16 entry[2];

	if (skb_copy_bits(skb, list, head, sizeof(head)))
		return NULL;
	for (i = 0; i < count; i++) {
		if (skb_copy_bits(skb, list + BURST_LIST_LEN(i), entry,
				  sizeof(entry)))
			goto err;
		*link = burst_cut(skb, at, ntohs(entry[0]));
		if (!*link)
			goto err;
		uet_tx_skb_cb(*link)->ev = ntohs(entry[1]);
		uet_tx_skb_cb(*link)->crc_addrs = head[2];
		at += ntohs(entry[0]);
		link = &(*link)->next;
	}
	return first;

err:
	kfree_skb_list(first);
	return NULL;
}

/**
 * uet_burst_packets() - take the packets out of a burst
 * @skb: burst; the caller frees it
 * @list: offset of the list of its packets from skb->data, bytes
 *
 * Context: Any but hard interrupt.
 * Return: the first packet, linked by sk_buff.next, starting at the PDS header, with
 *	uet_tx_skb_cb(); NULL without memory.
 */
struct sk_buff *uet_burst_packets(struct sk_buff *skb, u32 list)
{
	struct sk_buff *first = skb_shinfo(skb)->frag_list;

	if (!first)
		return burst_split(skb, list);
	if (skb_cloned(skb) || skb_shared(skb))
		return burst_copy(skb);
	skb_shinfo(skb)->frag_list = NULL;
	skb->len -= skb->data_len;
	skb->data_len = 0;
	return first;
}

/*
 * Give a packet what a packet of its own has: the headers, @head_len bytes in front of
 * the data of the burst, its entropy value and its CRC.
 */
static bool burst_finish(const struct sk_buff *skb, struct sk_buff *packet,
			 u32 head_len)
{
	const struct uet_tx_skb_cb cb = *uet_tx_skb_cb(packet);
	u32 len = packet->len + (cb.crc_addrs ? UET_CRC_LEN : 0);
	struct udphdr *udp;

	if (skb_headroom(packet) < head_len &&
	    pskb_expand_head(packet, head_len, 0, GFP_ATOMIC))
		return false;
	skb_copy_header(packet, skb);
	skb_shinfo(packet)->gso_size = 0;
	skb_shinfo(packet)->gso_type = 0;
	skb_shinfo(packet)->gso_segs = 0;
	packet->encapsulation = 0;
	packet->ip_summed = CHECKSUM_NONE;
	memcpy(packet->data - head_len, skb->data - head_len, head_len);
	udp = (struct udphdr *)(packet->data - sizeof(*udp));
	udp->source = htons(cb.ev);
	udp->len = htons(sizeof(*udp) + len);
	return !cb.crc_addrs || uet_crc_put(packet, udp, cb.crc_addrs);
}

/*
 * Segment a burst.  skb->data is behind the UDP header, and the link header begins where
 * the segmentation of the stack has noted it.
 */
static struct sk_buff *burst_segment(struct sk_buff *skb,
				     netdev_features_t features)
{
	u32 head_len = skb_tnl_header_len(skb);
	struct sk_buff *first, *packet, *last = NULL;

	if (!uet_burst_is(skb))
		return ERR_PTR(-EINVAL);
	first = uet_burst_packets(skb, 0);
	if (!first)
		return ERR_PTR(-ENOMEM);
	for (packet = first; packet; packet = packet->next) {
		if (!burst_finish(skb, packet, head_len)) {
			kfree_skb_list(first);
			return ERR_PTR(-ENOMEM);
		}
		last = packet;
	}
	/* The stack expects the last one here. */
	first->prev = last;
	return first;
}

static const struct net_offload burst_offload = {
	.callbacks.gso_segment = burst_segment,
};

/**
 * uet_burst_init() - let the stack segment bursts
 *
 * Context: Process.
 * Return: 0; -EBUSY: another module segments the packets of this protocol number.
 */
int uet_burst_init(void)
{
	int err = inet_add_offload(&burst_offload, BURST_PROTO);

	if (err)
		return -EBUSY;
	err = inet6_add_offload(&burst_offload, BURST_PROTO);
	if (err) {
		inet_del_offload(&burst_offload, BURST_PROTO);
		return -EBUSY;
	}
	return 0;
}

/**
 * uet_burst_fini() - bursts that are still in queues are dropped there
 *
 * Context: Process, waits for a grace period.
 */
void uet_burst_fini(void)
{
	inet6_del_offload(&burst_offload, BURST_PROTO);
	inet_del_offload(&burst_offload, BURST_PROTO);
}
