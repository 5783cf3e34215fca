/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inside of the folder: the list of the packets of a burst, between the carrier header and the
 * first packet.  Captures show the packets by it, and a burst that something on its way has
 * made one piece of is taken apart by it.  The list never is on a wire:
 *
 *	byte 0		BURST_LIST, a type that no PDS header has
 *	byte 1		number of packets, n
 *	byte 2		bytes of addresses that the CRC of each packet covers; 0: no CRC
 *	byte 3		0; BURST_JOINED: the packets came one by one, and offload.c joined them;
 *			else the length of the security header of each packet
 *	bytes 4 to 7	length of all packets, without CRC, security header and ICV
 *	4 n bytes	an entry of each packet: this length, entropy value; 16 bits each
 *
 * A length with BURST_CONTINUES is that of a payload, 0 in a READ: the packet is in a run,
 * and its headers are those of the packet before, after uet_wire_req_skip().  Packets that
 * are sealed have headers of their own all the same, and places of their own: burst_seal.c.
 * All numbers are in network order.
 */
#ifndef UET_BURST_H
#define UET_BURST_H

#include <linux/ipv6.h>
#include <linux/netdevice.h>

#include "carrier.h"

#define BURST_LIST		(31 << 3)
#define BURST_FLAGS		3	/* place of byte 3 */
#define BURST_JOINED		1	/* no length of a security header */
#define BURST_BYTES		4	/* place of the length */
#define BURST_LIST_LEN(n)	(8 + UET_BURST_ENTRY * (n))
#define BURST_CONTINUES		BIT(15)

/* The inner protocol of a burst, by which it is told from others: RFC 3692. */
#define BURST_PROTO		253

#define BURST_PACKETS_MAX	64

/* Most bytes of the places of a sealed burst, which is an IP packet with its list and headers. */
#define BURST_SEALED_MAX	(U16_MAX - sizeof(struct ipv6hdr) - \
				 sizeof(union uet_carrier_head) - \
				 BURST_LIST_LEN(BURST_PACKETS_MAX))

/* Space in front of a burst, and of a packet that is taken out of one. */
#define BURST_HEADROOM	(LL_MAX_HEADER + sizeof(struct ipv6hdr) + \
			 sizeof(union uet_carrier_head))

static inline void burst_put_entry(u8 *entry, u16 len, u16 ev)
{
	put_unaligned_be16(len, entry);
	put_unaligned_be16(ev, entry + 2);
}

/* An empty packet or burst with space for headers and @linear bytes, or NULL. */
static inline struct sk_buff *burst_alloc_skb(u32 linear)
{
	struct sk_buff *skb = alloc_skb(BURST_HEADROOM + linear, GFP_ATOMIC | __GFP_NOWARN);

	if (skb)
		skb_reserve(skb, BURST_HEADROOM);
	return skb;
}

/* burst.c */
void uet_burst_init(void);
bool uet_burst_make(struct sk_buff *skb, struct sk_buff *first, u32 count);
void uet_burst_mark(struct sk_buff *skb, u32 head_len);

/* burst_seal.c */
u32 uet_burst_seal_place(u32 tss_len, u32 len);
enum uet_drop uet_burst_seal(struct uet_fep *fep, const struct uet_fa *to, struct sk_buff *skb);
void uet_burst_seal_pass(struct sk_buff *skb, struct sk_buff *packet);
struct sk_buff *uet_burst_split(const struct sk_buff *skb, u32 list);

/* offload.c */
void uet_offload_open(const struct uet_fep *fep);
void uet_offload_close(const struct uet_fep *fep);
bool uet_offload_cuts(const struct uet_fep *fep);
struct sk_buff *uet_gro_receive(struct sock *sk, struct list_head *list, struct sk_buff *skb);
int uet_gro_complete(struct sock *sk, struct sk_buff *held, int offset);

/* crc.c */
u32 uet_crc_ip_len(const struct uet_fep *fep);
u32 uet_crc_addrs_len(const struct uet_fep *fep);
bool uet_crc_put(struct sk_buff *skb, const void *head, u32 addrs);
bool uet_crc_is_right(const struct uet_fep *fep, const struct uet_fa *from,
		      const struct sk_buff *skb);

/* native.c */
struct uet_fep *uet_native_fep(struct uet_net *un, const struct uet_fa *fa, u8 proto);

static inline bool uet_carrier_is_v4(const struct uet_fep *fep)
{
	return fep->cfg.fa.family == AF_INET;
}

/*
 * The NACK code that answers a packet that a switch has trimmed, which only its DSCP tells; 0:
 * it is complete.  Context: rcu_read_lock() held.  Spec: UE 1.0.1 3.6.4.4.
 */
static inline u8 uet_trim_code(const struct uet_fep *fep, u8 dsfield)
{
	const struct uet_fep_settings *settings = uet_fep_settings(fep);
	u8 dscp = dsfield >> 2;

	if (dscp == settings->dscp_trimmed)
		return UET_NACK_TRIMMED;
	return dscp == settings->dscp_trimmed_lasthop ? UET_NACK_TRIMMED_LASTHOP : 0;
}

#endif
