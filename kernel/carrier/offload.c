// SPDX-License-Identifier: GPL-2.0
/*
 * Offloads: what the stack calls by the number of an IP protocol.  In front of a device that does
 * not know bursts it has them cut here: each packet gets its headers, its own entropy value and
 * its CRC.  A burst over UDP looks like a tunnel with packets of BURST_PROTO in it, and is found by
 * that number, a native burst by the number of its FEP.
 *
 * Generic receive offload joins requests of one peer that a netdev receives one by one, in one
 * poll, to a burst.  Their entropy values may differ.  Only packets whose CRC is right are
 * joined; it is cut off, so the burst is as one that was made on this host, and a device that sends
 * it on gives each packet its CRC again.
 *
 * The tables of the stack are those of all namespaces.  A number is added with the first FEP that
 * has it and stays until the module goes, because GRO may hold packets that need it; packets that
 * are none of a FEP are left alone.  If another module has the number, the FEP sends no bursts.
 */
#include <linux/bitmap.h>
#include <linux/delay.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <net/gro.h>
#include <net/protocol.h>

#include "base/base.h"
#include "burst.h"

/*
 * struct offload_cut - a burst that is cut; on the stack
 * @skb: the burst, starting at the carrier header
 * @carrier_len: length of the carrier header, bytes
 * @head_len: length of all headers in front of a packet, bytes
 */
struct offload_cut {
	struct sk_buff *skb;
	bool is_native;
	u32 carrier_len;
	u32 head_len;
};

/* Give a packet what a packet of its own has: headers, entropy value and CRC. */
static bool offload_finish(const struct offload_cut *cut, struct sk_buff *packet)
{
	const struct uet_tx_skb_cb cb = *uet_tx_skb_cb(packet);
	u32 len = packet->len + (cb.crc_addrs ? UET_CRC_LEN : 0);
	union uet_carrier_head *head;

	if (skb_headroom(packet) < cut->head_len &&
	    pskb_expand_head(packet, cut->head_len, 0, GFP_ATOMIC))
		return false;
	skb_copy_header(packet, cut->skb);
	skb_shinfo(packet)->gso_size = 0;
	skb_shinfo(packet)->gso_type = 0;
	skb_shinfo(packet)->gso_segs = 0;
	packet->encapsulation = 0;
	packet->ip_summed = CHECKSUM_NONE;
	/* It was that of the first packet; each has its own entropy value. */
	skb_clear_hash(packet);
	memcpy(packet->data - cut->head_len,
	       cut->skb->data + cut->carrier_len - cut->head_len, cut->head_len);
	head = (void *)(packet->data - cut->carrier_len);
	put_unaligned_be16(cb.ev, head);
	if (!cut->is_native)
		head->udp.len = htons(sizeof(head->udp) + len);
	return !cb.crc_addrs || uet_crc_put(packet, head, cb.crc_addrs);
}

/* The packets of the burst, linked by sk_buff.next; or an error. */
static struct sk_buff *offload_packets(const struct offload_cut *cut)
{
	struct sk_buff *first, **link = &first, *packet, *last = NULL;
	const u8 *entries;

	first = uet_burst_packets(cut->skb, cut->carrier_len, &entries);
	while (*link) {
		packet = *link;
		if (uet_tx_skb_nr(packet) > 1)
			packet = uet_burst_run_pop(packet, entries);
		if (!packet)
			goto err;
		*link = packet;
		if (!offload_finish(cut, packet))
			goto err;
		/* IP takes a packet from the link header on; UDP adds the headers in front. */
		if (cut->is_native) {
			__skb_push(packet, cut->head_len);
			skb_reset_mac_header(packet);
			skb_set_transport_header(packet, cut->head_len - cut->carrier_len);
		}
		entries = uet_burst_entry_skip(entries, 1);
		last = packet;
		link = &packet->next;
	}
	if (!first)
		return ERR_PTR(-ENOMEM);
	uet_burst_seal_pass(cut->skb, last);
	/* The stack expects the last one here. */
	first->prev = last;
	return first;

err:
	kfree_skb_list(first);
	return ERR_PTR(-ENOMEM);
}

/*
 * Of a native burst skb->data is at the entropy header, else behind the UDP header, which the
 * stack has removed like that of a tunnel.  The link header begins where the segmentation of the
 * stack has noted it.
 */
static struct sk_buff *offload_segment(struct sk_buff *skb, netdev_features_t features)
{
	struct offload_cut cut = {
		.skb = skb,
		.is_native = skb->encapsulation,
	};
	struct sk_buff *packets;
	u32 removed;

	if (!uet_burst_is(skb))
		return ERR_PTR(-EINVAL);
	cut.carrier_len = cut.is_native ? UET_ENTROPY_LEN : sizeof(struct udphdr);
	removed = cut.is_native ? 0 : cut.carrier_len;
	/* Somebody may have changed the protocol in the IP header. */
	if (skb_inner_mac_header(skb) != skb->data + cut.carrier_len - removed)
		return ERR_PTR(-EINVAL);
	__skb_push(skb, removed);
	cut.head_len = skb_headroom(skb) - SKB_GSO_CB(skb)->mac_offset + cut.carrier_len;
	packets = offload_packets(&cut);
	__skb_pull(skb, removed);
	return packets;
}

/*
 * The stack holds the first packet, "held" here, and the others are chained to it.  Its packets
 * have one length, but the last, which may be shorter.  All other packets, and those of FEPs with
 * burst 0, go on as they are.
 */

/* Most bytes of the packets of a burst: with its list and headers it is an IP packet. */
#define GRO_BYTES_MAX	65000

/* Number of native FEPs of all namespaces. */
static atomic_t gro_native = ATOMIC_INIT(0);

/* Native packets that the stack holds, and others were joined to. */
static atomic_t gro_joined = ATOMIC_INIT(0);

/* How long the module waits for them before it goes, at most. */
#define GRO_DRAIN_MS	1000

/* The carrier header, in front of what the stack has to handle. */
static union uet_carrier_head *gro_head(const struct uet_fep *fep, const struct sk_buff *skb)
{
	return (void *)(skb->data + skb_gro_offset(skb) - fep->head_len);
}

static void *gro_ip(const struct uet_fep *fep, const struct sk_buff *skb)
{
	return (u8 *)gro_head(fep, skb) - uet_crc_ip_len(fep);
}

/* Is that IP header the outer one, behind the link header?  All may be held in the list. */
static bool gro_is_outer(const struct uet_fep *fep, const struct sk_buff *skb)
{
	return skb_gro_offset(skb) >= uet_crc_ip_len(fep) + fep->head_len &&
	       gro_ip(fep, skb) == skb_mac_header(skb) + ETH_HLEN;
}

static bool gro_is_plain_udp(const struct uet_fep *fep, const struct sk_buff *skb)
{
	const struct udphdr *udp = &gro_head(fep, skb)->udp;

	return !udp->check && udp->dest == htons(fep->cfg.port) &&
	       ntohs(udp->len) == sizeof(*udp) + skb_gro_len(skb);
}

/* Is a packet complete, for this FEP, without options and not trimmed? */
static bool gro_is_plain(const struct uet_fep *fep, const struct sk_buff *skb)
{
	const struct ipv6hdr *v6 = gro_ip(fep, skb);
	const struct iphdr *v4 = gro_ip(fep, skb);
	u32 len = fep->head_len + skb_gro_len(skb);

	if (fep->cfg.encap == UET_ENCAP_UDP && !gro_is_plain_udp(fep, skb))
		return false;
	if (uet_carrier_is_v4(fep))
		return v4->version == 4 && v4->ihl == 5 && v4->protocol == fep->cfg.proto &&
		       ntohs(v4->tot_len) == sizeof(*v4) + len &&
		       v4->daddr == fep->cfg.fa.v4 && !uet_trim_code(fep, v4->tos);
	return v6->version == 6 && v6->nexthdr == fep->cfg.proto &&
	       ntohs(v6->payload_len) == len &&
	       ipv6_addr_equal(&v6->daddr, &fep->cfg.fa.v6) &&
	       !uet_trim_code(fep, ipv6_get_dsfield(v6));
}

/* Does a packet have what others need not have: an owner, a route, marks of programs? */
static bool gro_has_state(struct sk_buff *skb)
{
	return skb_vlan_tag_present(skb) || skb_metadata_len(skb) ||
	       (uet_skb_is_slow_gro(skb) && (skb->sk || skb_dst(skb) || skb_get_nfct(skb) ||
				  skb_has_extensions(skb)));
}

/* Pull the PDS and the SES header of a request into the linear part: runs are compared there. */
static bool gro_pull_headers(struct sk_buff *skb)
{
	u32 offset = skb_gro_offset(skb), len;
	const struct uet_ty_prop *ty;
	u8 space, *type;

	type = skb_header_pointer(skb, offset, sizeof(space), &space);
	if (!type)
		return false;
	ty = uet_wire_ty(uet_wire_type(type));
	len = min_t(u32, ty->len + UET_SES_STD_LEN, skb_gro_len(skb));
	return ty->kind == UET_TK_REQ && skb_gro_header_slow(skb, offset + len, offset);
}

/*
 * May a packet be in a burst?  Then its headers are in the linear part.  A packet for the MAC
 * address of another station would take those that are joined to it along.
 */
static bool gro_may_join(const struct uet_fep *fep, struct sk_buff *skb)
{
	return fep && !fep->cfg.sd && uet_fep_settings(fep)->pdc.burst &&
	       skb->pkt_type == PACKET_HOST &&
	       skb_gro_len(skb) >= UET_REQ_LEN + UET_CRC_LEN && gro_is_outer(fep, skb) &&
	       !gro_has_state(skb) && !skb_zcopy(skb) && !skb_has_frag_list(skb) &&
	       skb_frags_readable(skb) && gro_pull_headers(skb) &&
	       gro_is_plain(fep, skb);
}

static bool gro_is_same_ip(const struct uet_fep *fep, const struct sk_buff *held,
			   const struct sk_buff *skb)
{
	const struct ipv6hdr *a6 = gro_ip(fep, held), *b6 = gro_ip(fep, skb);
	const struct iphdr *a = gro_ip(fep, held), *b = gro_ip(fep, skb);

	if (uet_carrier_is_v4(fep))
		return a->version == b->version && a->ihl == b->ihl && a->tos == b->tos &&
		       a->frag_off == b->frag_off && a->ttl == b->ttl &&
		       a->protocol == b->protocol && a->saddr == b->saddr &&
		       a->daddr == b->daddr;
	return a6->version == b6->version && a6->nexthdr == b6->nexthdr &&
	       ipv6_get_dsfield(a6) == ipv6_get_dsfield(b6) &&
	       a6->hop_limit == b6->hop_limit && ipv6_addr_equal(&a6->saddr, &b6->saddr) &&
	       ipv6_addr_equal(&a6->daddr, &b6->daddr);
}

/*
 * Is a held packet one of this FEP, of the same peer and class?  The stack has compared ports,
 * too, and the source port of a packet is its entropy value.
 */
static bool gro_is_same_flow(const struct uet_fep *fep, const struct sk_buff *held,
			     const struct sk_buff *skb)
{
	return NAPI_GRO_CB(held)->encap_mark && held->dev == skb->dev &&
	       held->protocol == skb->protocol &&
	       skb_gro_offset(held) == skb_gro_offset(skb) && gro_is_outer(fep, held) &&
	       (fep->cfg.encap != UET_ENCAP_UDP ||
		gro_head(fep, held)->udp.dest == gro_head(fep, skb)->udp.dest) &&
	       gro_is_same_ip(fep, held, skb);
}

static bool gro_crc_is_right(const struct uet_fep *fep, struct sk_buff *skb)
{
	u32 head = skb_gro_offset(skb) - fep->head_len;
	const struct ipv6hdr *v6 = gro_ip(fep, skb);
	const struct iphdr *v4 = gro_ip(fep, skb);
	struct uet_fa from;
	bool is_right;

	if (!fep->cfg.crc)
		return true;
	from = uet_carrier_is_v4(fep) ? uet_fa_v4(v4->saddr) : uet_fa_v6(&v6->saddr, 0);
	skb_set_network_header(skb, head - uet_crc_ip_len(fep));
	__skb_pull(skb, head);
	is_right = uet_crc_is_right(fep, &from, skb);
	__skb_push(skb, head);
	return is_right;
}

/* Length of a packet without its CRC, from the PDS header on. */
static u32 gro_len(const struct uet_fep *fep, const struct sk_buff *skb)
{
	return skb_gro_len(skb) - fep->cfg.protect_len;
}

/* Chain a packet to the held one. */
static void gro_chain(const struct uet_fep *fep, struct sk_buff *held, struct sk_buff *skb)
{
	struct sk_buff *last = NAPI_GRO_CB(held)->last;

	if (last != held) {
		last->next = skb;
	} else {
		skb_shinfo(held)->frag_list = skb;
		if (fep->cfg.encap == UET_ENCAP_NATIVE)
			atomic_inc(&gro_joined);
	}
	NAPI_GRO_CB(held)->last = skb;
	__skb_pull(skb, skb_gro_offset(skb));
	NAPI_GRO_CB(held)->count++;
	held->len += skb->len;
	held->data_len += skb->len;
	held->truesize += skb->truesize;
	NAPI_GRO_CB(skb)->same_flow = 1;
}

static bool gro_is_alone(const struct sk_buff *held)
{
	return NAPI_GRO_CB(held)->count == 1;
}

/*
 * Cut the CRC off both, of the held one with the first packet that joins it.  Without memory,
 * which only a shared buffer needs, IP drops what was cut as too short.
 */
static bool gro_cut_both(const struct uet_fep *fep, struct sk_buff *held, struct sk_buff *skb)
{
	u32 crc = fep->cfg.protect_len;

	if (crc && pskb_trim(skb, skb->len - crc))
		return false;
	if (!gro_is_alone(held))
		return true;
	if (crc && pskb_trim(held, held->len - crc))
		return false;
	skb_shinfo(held)->gso_size = skb_gro_len(held);
	return true;
}

/* Return: the held packet if it takes no more, and goes on; else NULL. */
static struct sk_buff *gro_join(const struct uet_fep *fep, struct sk_buff *held,
				struct sk_buff *skb)
{
	/* Payload and headers of each packet of the burst that @held is, or may begin. */
	u32 unit = gro_is_alone(held) ? gro_len(fep, held) : skb_shinfo(held)->gso_size;
	u32 len = gro_len(fep, skb);

	if (len > unit || held->len + len > GRO_BYTES_MAX)
		return held;
	/* A packet with a wrong CRC goes on by itself, and is dropped and counted there. */
	if (!gro_crc_is_right(fep, skb))
		goto flush;
	if (gro_is_alone(held) && !gro_crc_is_right(fep, held))
		return held;
	if (!gro_cut_both(fep, held, skb))
		goto flush;
	gro_chain(fep, held, skb);
	return len < unit || NAPI_GRO_CB(held)->count == BURST_PACKETS_MAX ? held : NULL;

flush:
	NAPI_GRO_CB(skb)->flush = 1;
	return NULL;
}

/* Return: a held packet that goes on now, or NULL. */
static struct sk_buff *gro_receive(const struct uet_fep *fep, struct list_head *list,
				   struct sk_buff *skb)
{
	struct sk_buff *held;

	if (NAPI_GRO_CB(skb)->flush || !gro_may_join(fep, skb)) {
		NAPI_GRO_CB(skb)->flush = 1;
		return NULL;
	}
	list_for_each_entry(held, list, list)
		if (gro_is_same_flow(fep, held, skb))
			return gro_join(fep, held, skb);
	return NULL;
}

/* A netdev has received a packet for a FEP over UDP; the UDP header has been handled. */
struct sk_buff *uet_gro_receive(struct sock *sk, struct list_head *list, struct sk_buff *skb)
{
	return gro_receive(rcu_dereference_sk_user_data(sk), list, skb);
}

/*
 * The FEP of a native packet, or NULL.  The entropy header is at @offset, behind an IP header in
 * the linear part.
 */
static const struct uet_fep *gro_native_fep(const struct sk_buff *skb, u32 offset, u16 family)
{
	struct uet_net *un = uet_net(dev_net(skb->dev));
	const struct ipv6hdr *v6;
	const struct iphdr *v4;
	struct uet_fa to;

	if (family == AF_INET) {
		v4 = (const struct iphdr *)(skb->data + offset) - 1;
		to = uet_fa_v4(v4->daddr);
		return uet_native_fep(un, &to, v4->protocol);
	}
	v6 = (const struct ipv6hdr *)(skb->data + offset) - 1;
	to = uet_fa_v6(&v6->daddr, skb->dev->ifindex);
	return uet_native_fep(un, &to, v6->nexthdr);
}

/* Only while there are native FEPs does each namespace have a struct uet_net for sure. */
static struct sk_buff *gro_receive_native(struct list_head *list, struct sk_buff *skb,
					  u16 family, u32 ip_len)
{
	u32 offset = skb_gro_offset(skb);

	if (!atomic_read(&gro_native) || NAPI_GRO_CB(skb)->flush || offset < ip_len ||
	    !skb_gro_header_slow(skb, offset + UET_ENTROPY_LEN, offset)) {
		NAPI_GRO_CB(skb)->flush = 1;
		return NULL;
	}
	skb_gro_pull(skb, UET_ENTROPY_LEN);
	NAPI_GRO_CB(skb)->encap_mark = 1;
	return gro_receive(gro_native_fep(skb, offset, family), list, skb);
}

static struct sk_buff *gro_receive_v4(struct list_head *list, struct sk_buff *skb)
{
	return gro_receive_native(list, skb, AF_INET, sizeof(struct iphdr));
}

static struct sk_buff *gro_receive_v6(struct list_head *list, struct sk_buff *skb)
{
	return gro_receive_native(list, skb, AF_INET6, sizeof(struct ipv6hdr));
}

/* The first packet, out of the buffer that is held, whose PDS header is at @offset. */
static struct sk_buff *gro_take_first(struct sk_buff *held, u32 offset)
{
	struct skb_shared_info *info = skb_shinfo(held);
	u32 linear = skb_headlen(held) - offset, truesize = held->truesize, i;
	struct sk_buff *skb, *next;

	skb = burst_alloc_skb(linear);
	if (!skb)
		return NULL;
	skb_put_data(skb, held->data + offset, linear);
	for (i = 0; i < info->nr_frags; i++)
		skb_add_rx_frag(skb, i, skb_frag_page(&info->frags[i]),
				skb_frag_off(&info->frags[i]), skb_frag_size(&info->frags[i]),
				skb_frag_size(&info->frags[i]));
	skb_shinfo(skb)->uet_shinfo_flags |= info->uet_shinfo_flags & SKBFL_SHARED_FRAG;
	uet_skb_share_pool(skb, held);
	skb->dev = held->dev;
	skb->next = info->frag_list;
	/* The driver knows the size of the fragments. */
	skb_walk_frags(held, next)
		truesize -= next->truesize;
	skb->truesize = max(skb->truesize, truesize);

	info->nr_frags = 0;
	info->frag_list = NULL;
	held->tail -= linear;
	held->len = offset;
	held->data_len = 0;
	return skb;
}

/* Store entropy value and CRC of each packet.  Its carrier header is in front of it. */
static void gro_note(const struct uet_fep *fep, struct sk_buff *first, u16 ev)
{
	const struct uet_tx_skb_cb cb = {
		.crc_addrs = fep->cfg.crc ? uet_crc_addrs_len(fep) : 0,
	};
	struct sk_buff *skb;

	for (skb = first; skb; skb = skb->next) {
		*uet_tx_skb_cb(skb) = cb;
		if (skb != first)
			ev = get_unaligned_be16(skb->data - fep->head_len);
		uet_tx_skb_cb(skb)->ev = ev;
	}
}

/* Behind headers that the stack has adapted to the length without the list. */
static void gro_fix_lengths(const struct uet_fep *fep, struct sk_buff *skb, u32 offset)
{
	union uet_carrier_head *head = (void *)(skb->data + offset - fep->head_len);
	u32 len = skb->len - offset + fep->head_len;
	struct ipv6hdr *v6 = (struct ipv6hdr *)head - 1;
	struct iphdr *v4 = (struct iphdr *)head - 1;

	if (fep->cfg.encap == UET_ENCAP_UDP)
		head->udp.len = htons(len);
	if (uet_carrier_is_v4(fep)) {
		v4->tot_len = htons(len + sizeof(*v4));
		ip_send_check(v4);
	} else {
		v6->payload_len = htons(len);
	}
}

/*
 * Make a burst of packets that were joined; the PDS header of @held is at @offset.
 * Return: 0; -ENOMEM: the caller drops the packets, which are counted; -ENOENT: likewise, but
 *	there is no FEP any more that counts.
 */
static int gro_complete(const struct uet_fep *fep, struct sk_buff *held, int offset)
{
	u32 count = NAPI_GRO_CB(held)->count;
	struct sk_buff *first;
	u16 ev;

	if (!fep)
		return -ENOENT;
	ev = get_unaligned_be16(held->data + offset - fep->head_len);
	first = gro_take_first(held, offset);
	if (first)
		gro_note(fep, first, ev);
	if (!first || !uet_burst_make(held, first, count)) {
		kfree_skb_list(first);
		uet_drop_add(fep->un, UET_DROP_NO_MEMORY, count);
		uet_mib_add(fep->un, UET_MIB_RX_DROPS, count);
		return -ENOMEM;
	}
	held->data[offset + BURST_FLAGS] = BURST_JOINED;
	skb_set_transport_header(held, offset - fep->head_len);
	uet_burst_mark(held, fep->head_len);
	gro_fix_lengths(fep, held, offset);
	uet_mib_add(fep->un, UET_MIB_RX_JOINED, count);
	return 0;
}

int uet_gro_complete(struct sock *sk, struct sk_buff *held, int offset)
{
	return gro_complete(rcu_dereference_sk_user_data(sk), held, offset);
}

static int gro_complete_native(struct sk_buff *held, int offset, u16 family)
{
	const struct uet_fep *fep = NULL;

	atomic_dec(&gro_joined);
	if (atomic_read(&gro_native))
		fep = gro_native_fep(held, offset, family);
	return gro_complete(fep, held, offset + UET_ENTROPY_LEN);
}

static int gro_complete_v4(struct sk_buff *held, int offset)
{
	return gro_complete_native(held, offset, AF_INET);
}

static int gro_complete_v6(struct sk_buff *held, int offset)
{
	return gro_complete_native(held, offset, AF_INET6);
}

/*
 * Wait until no native packets are held that others were joined to.  The stack warns of packets
 * that it cannot complete.  It holds them for one poll, or the time of gro_flush_timeout; what a
 * netdev has thrown away is waited for in vain.
 */
static void gro_drain(void)
{
	int ms;

	synchronize_net();
	for (ms = 0; ms < GRO_DRAIN_MS && atomic_read(&gro_joined) > 0; ms += 10)
		msleep(10);
}

static const struct net_offload offload_v4 = {
	.callbacks.gso_segment = offload_segment,
	.callbacks.gro_receive = gro_receive_v4,
	.callbacks.gro_complete = gro_complete_v4,
};

static const struct net_offload offload_v6 = {
	.callbacks.gso_segment = offload_segment,
	.callbacks.gro_receive = gro_receive_v6,
	.callbacks.gro_complete = gro_complete_v6,
};

/* The numbers that the tables have callbacks of this module for, changed under the mutex. */
static DEFINE_MUTEX(offload_mutex);
static DECLARE_BITMAP(offload_numbers_v4, 1 + U8_MAX);
static DECLARE_BITMAP(offload_numbers_v6, 1 + U8_MAX);

static bool offload_add(bool is_v4, u8 proto)
{
	unsigned long *numbers = is_v4 ? offload_numbers_v4 : offload_numbers_v6;

	if (!test_bit(proto, numbers) &&
	    !(is_v4 ? inet_add_offload(&offload_v4, proto) : inet6_add_offload(&offload_v6, proto)))
		set_bit(proto, numbers);
	return test_bit(proto, numbers);
}

/* Let the stack cut and join the packets of a native FEP. */
void uet_offload_open(const struct uet_fep *fep)
{
	atomic_inc(&gro_native);
	mutex_lock(&offload_mutex);
	offload_add(uet_carrier_is_v4(fep), fep->cfg.proto);
	mutex_unlock(&offload_mutex);
}

/* The last struct uet_net is freed a grace period later. */
void uet_offload_close(const struct uet_fep *fep)
{
	atomic_dec(&gro_native);
}

/* Can the stack cut the bursts of a FEP, or does another module segment its protocol? */
bool uet_offload_cuts(const struct uet_fep *fep)
{
	return fep->cfg.encap != UET_ENCAP_NATIVE ||
	       test_bit(fep->cfg.proto, uet_carrier_is_v4(fep) ?
			offload_numbers_v4 : offload_numbers_v6);
}

/**
 * uet_offload_init() - let the stack cut bursts over UDP
 * Return: 0; -EBUSY: another module segments the packets of this protocol number.
 */
int uet_offload_init(void)
{
	uet_burst_init();
	if (offload_add(true, BURST_PROTO) && offload_add(false, BURST_PROTO))
		return 0;
	uet_offload_fini();
	return -EBUSY;
}

/**
 * uet_offload_fini() - no FEP is left; bursts that are still in queues are dropped there
 * Context: Process; waits for grace periods.
 */
void uet_offload_fini(void)
{
	unsigned int proto;

	gro_drain();
	for_each_set_bit(proto, offload_numbers_v6, 1 + U8_MAX)
		inet6_del_offload(&offload_v6, proto);
	for_each_set_bit(proto, offload_numbers_v4, 1 + U8_MAX)
		inet_del_offload(&offload_v4, proto);
}
