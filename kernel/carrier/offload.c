// SPDX-License-Identifier: GPL-2.0
/*
 * Offloads: what the stack calls by the number of an IP protocol.  In front of a device that
 * does not know bursts it has them cut here: each packet gets its headers, its own entropy
 * value and its CRC, as TCP's segments get their checksums.  What arrives for a native FEP
 * goes to gro.c.
 *
 * A burst over UDP looks like a tunnel with packets of BURST_PROTO in it, and is found by
 * that number.  A native burst is found by the number of its FEP.  The tables are those of
 * all namespaces.  A number is added with the first FEP that has it and stays until the
 * module goes, because GRO may hold packets that need it; packets that are none of a FEP
 * are left alone.  If another module has the number, the FEP sends no bursts.
 *
 * Spec: none; uet-wire 1.4, 1.5 for each packet.
 */
#include <linux/bitmap.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <net/protocol.h>

#include "base/base.h"
#include "burst.h"
#include "burst_list.h"
#include "carrier.h"
#include "crc.h"
#include "fabric/fabric.h"
#include "gro.h"
#include "offload.h"

/**
 * struct offload_cut - a burst that is cut; on the stack
 * @skb: the burst, starting at the carrier header
 * @is_native: native IP, else UDP
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

/* IP takes a packet from the link header on; UDP adds the headers in front itself. */
static void offload_start_at_link(const struct offload_cut *cut, struct sk_buff *packet)
{
	__skb_push(packet, cut->head_len);
	skb_reset_mac_header(packet);
	skb_set_transport_header(packet, cut->head_len - cut->carrier_len);
}

/* Return: the packets of the burst, linked by sk_buff.next; or an error. */
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
		if (cut->is_native)
			offload_start_at_link(cut, packet);
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
 * Segment a burst.  Of a native one skb->data is at the entropy header, else behind the UDP
 * header, which the stack has removed like that of a tunnel.  The link header begins where
 * the segmentation of the stack has noted it.
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

static const struct net_offload offload_v4 = {
	.callbacks.gso_segment = offload_segment,
	.callbacks.gro_receive = uet_gro_receive_v4,
	.callbacks.gro_complete = uet_gro_complete_v4,
};

static const struct net_offload offload_v6 = {
	.callbacks.gso_segment = offload_segment,
	.callbacks.gro_receive = uet_gro_receive_v6,
	.callbacks.gro_complete = uet_gro_complete_v6,
};

/* The numbers that the tables have callbacks of this module for, changed under the mutex. */
static DEFINE_MUTEX(offload_mutex);
static DECLARE_BITMAP(offload_numbers_v4, 1 + U8_MAX);
static DECLARE_BITMAP(offload_numbers_v6, 1 + U8_MAX);

static bool offload_add_v4(u8 proto)
{
	if (!test_bit(proto, offload_numbers_v4) && !inet_add_offload(&offload_v4, proto))
		set_bit(proto, offload_numbers_v4);
	return test_bit(proto, offload_numbers_v4);
}

static bool offload_add_v6(u8 proto)
{
	if (!test_bit(proto, offload_numbers_v6) && !inet6_add_offload(&offload_v6, proto))
		set_bit(proto, offload_numbers_v6);
	return test_bit(proto, offload_numbers_v6);
}

/*
 * Let the stack cut the bursts of a native FEP.
 * Context: Process.
 */
void uet_offload_add(const struct uet_fep *fep)
{
	mutex_lock(&offload_mutex);
	if (fep->cfg.fa.family == AF_INET)
		offload_add_v4(fep->cfg.proto);
	else
		offload_add_v6(fep->cfg.proto);
	mutex_unlock(&offload_mutex);
}

/*
 * Can the stack cut the bursts of a FEP?
 * Return: false: another module segments the packets of its protocol.
 */
bool uet_offload_cuts(const struct uet_fep *fep)
{
	if (fep->carrier != &uet_native_carrier)
		return true;
	return test_bit(fep->cfg.proto, fep->cfg.fa.family == AF_INET ?
			offload_numbers_v4 : offload_numbers_v6);
}

/**
 * uet_offload_init() - let the stack cut bursts over UDP
 *
 * Context: Process, module load.
 * Return: 0; -EBUSY: another module segments the packets of this protocol number.
 */
int uet_offload_init(void)
{
	uet_burst_init();
	if (offload_add_v4(BURST_PROTO) && offload_add_v6(BURST_PROTO))
		return 0;
	uet_offload_fini();
	return -EBUSY;
}

/**
 * uet_offload_fini() - bursts that are still in queues are dropped there
 *
 * Context: Process, module unload, no FEP is left; waits for grace periods.
 */
void uet_offload_fini(void)
{
	unsigned int proto;

	uet_gro_drain();
	for_each_set_bit(proto, offload_numbers_v6, 1 + U8_MAX)
		inet6_del_offload(&offload_v6, proto);
	for_each_set_bit(proto, offload_numbers_v4, 1 + U8_MAX)
		inet_del_offload(&offload_v4, proto);
}
