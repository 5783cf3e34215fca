// SPDX-License-Identifier: GPL-2.0
/*
 * Runs in bursts: packets that continue a message, one behind the other.  Their headers
 * follow from those of the first one (wire_run.c), and their payloads are contiguous in
 * the message.  So one socket buffer holds them all: the headers once, then the payloads.
 * Requests of a READ are a run without payload.
 * Only what has to be a packet of its own, in front of a device that does not know bursts
 * or in an unusual state of the receiver, is taken out.
 *
 * Spec: none; UE 1.0.1 3.4, 3.5.10.3 for each packet.
 */
#include <linux/skbuff.h>

#include "burst.h"
#include "burst_list.h"
#include "carrier.h"
#include "fabric/fabric.h"

/*
 * Longest payload that is copied into a packet of its own.  References to its pages, and
 * a piece of a page for the trailer, cost more.
 */
#define RUN_COPY	1024

/**
 * uet_burst_run_space() - bytes behind the headers that a run needs
 * @nr: number of packets
 *
 * Return: tail space of the linear part, bytes.
 */
u32 uet_burst_run_space(u32 nr)
{
	return BURST_ENTRY * nr;
}

/**
 * uet_burst_run_set() - make a run of a packet with the payloads of several
 * @skb: headers of the first packet in the linear part, with uet_burst_run_space()
 *	behind; the payloads in page fragments
 * @ev: entropy values of the packets
 * @nr: number of packets, 2 to UET_BURST_RUN_MAX
 * @unit: payload of each packet, bytes; 0 if they have none
 */
void uet_burst_run_set(struct sk_buff *skb, const u16 *ev, u32 nr, u32 unit)
{
	u8 *entry = skb_tail_pointer(skb);
	u32 i;

	for (i = 0; i < nr; i++, entry += BURST_ENTRY)
		burst_put_entry(entry, BURST_CONTINUES | unit, ev[i]);
	burst_put_entry(skb_tail_pointer(skb), skb_headlen(skb) + unit, ev[0]);
	uet_tx_skb_cb(skb)->nr = nr;
	uet_tx_skb_cb(skb)->unit = unit;
}

/*
 * A packet for the first payload of a run, with space in front for what a packet has there
 * and tail space for a trailer.  Its memory is a page fragment, as in tx.c.
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

/* The entries of uet_burst_run_set() without the first one. Return: these entries. */
static const u8 *run_shift_entries(struct sk_buff *run)
{
	u8 *entries = skb_tail_pointer(run);
	u32 nr = uet_tx_skb_nr(run);

	memmove(entries, entries + BURST_ENTRY, nr * BURST_ENTRY);
	burst_put_entry(entries, skb_headlen(run) + uet_tx_skb_cb(run)->unit,
			burst_entry_ev(entries));
	return entries;
}

/**
 * uet_burst_run_pop() - take the first packet out of a run
 * @run: run, not shared or cloned; without this packet afterwards
 * @entries: entries of its packets in the list of a burst; NULL: @run is not in a burst
 *
 * Context: Any but hard interrupt.
 * Return: the packet, with @run as sk_buff.next; NULL without memory, and nothing has
 *	changed then.
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
		entries += BURST_ENTRY;
	cb->ev = burst_entry_ev(entries);
	return packet;
}

/**
 * uet_burst_is_joined() - were the packets of a burst joined here?
 * @entries: from uet_burst_packets()
 *
 * Return: true if they came one by one, so that any sender may have sent them.
 */
bool uet_burst_is_joined(const u8 *entries)
{
	return entries[BURST_FLAGS - (int)BURST_LIST_LEN(0)] & BURST_JOINED;
}

/**
 * uet_burst_entry_ev() - entropy value of a packet
 * @entries: entries of packets
 * @i: number of the packet, from 0
 *
 * Return: the value.
 */
u16 uet_burst_entry_ev(const u8 *entries, u32 i)
{
	return burst_entry_ev(entries + i * BURST_ENTRY);
}

/**
 * uet_burst_entry_index() - number of a packet
 * @entries: entries of the packets of a burst
 * @entry: that of the packet, among them
 *
 * Return: the number, from 0.
 */
u32 uet_burst_entry_index(const u8 *entries, const u8 *entry)
{
	return (entry - entries) / BURST_ENTRY;
}

/**
 * uet_burst_entry_skip() - the entries behind those of some packets
 * @entries: entries of packets
 * @n: number of packets
 *
 * Return: the entries.
 */
const u8 *uet_burst_entry_skip(const u8 *entries, u32 n)
{
	return entries + n * BURST_ENTRY;
}
