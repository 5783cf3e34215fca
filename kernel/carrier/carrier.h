/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Carriers: the two encapsulations of packets in IP, with a UDP header (udp.c) or with only the
 * entropy header (native.c), and bursts: packets to one peer over one rail that cross the stack
 * as one socket buffer.  A run is the part of a burst that continues a message.
 *
 * Unless stated otherwise functions may be called in any context but hard interrupt.
 */
#ifndef UET_CARRIER_H
#define UET_CARRIER_H

#include <linux/skbuff.h>
#include <linux/udp.h>

#include "core/shim.h"
#include "core/wire/wire.h"
#include "fabric/fabric.h"

struct netlink_ext_ack;
struct uet_path;
struct uet_tss_op;

/*
 * union uet_carrier_head - header between the IP header and a packet
 * @udp: its checksum is 0
 *
 * Both begin with the entropy value, in network order.
 */
union uet_carrier_head {
	struct udphdr udp;
	u8 entropy[UET_ENTROPY_LEN];
};

/*
 * struct uet_carrier - an encapsulation
 * @open: start receiving for an unpublished FEP; needs no rtnl.  0, or a negative errno with
 *	an extack message
 * @close: stop receiving for an unlisted FEP: a grace period after the return no receiver
 *	uses the FEP.  Waits for no grace period
 * @free: free what @close had to keep for receivers, a grace period later; NULL: nothing
 * @put_head: write the header of a packet; len is the length after the header, trailer
 *	included, bytes.  Any context
 *
 * @open, @close, @free: process context, uet_net.cfg_mutex held.
 */
struct uet_carrier {
	u32 head_len;
	int (*open)(struct uet_fep *fep, struct netlink_ext_ack *extack);
	void (*close)(struct uet_fep *fep);
	void (*free)(struct uet_fep *fep);
	void (*put_head)(const struct uet_fep *fep, u16 ev, u32 len, union uet_carrier_head *head);
};

/**
 * struct uet_tx_skb_cb - per-packet data between building and sending
 * @sk: socket that the packet is sent for, or NULL; without a reference: what it is built
 *	of keeps the socket until uet_carrier_xmit() returns
 * @ev: entropy value: UDP source port or entropy header, and rail
 * @class: selects the DSCP
 * @crc_addrs: packet of a burst: uet_crc_addrs_len() if it has a CRC on a wire, else 0
 * @nr: number of packets of a run; 0: one packet
 * @unit: payload of each packet of a run, bytes
 */
struct uet_tx_skb_cb {
	struct sock *sk;
	u16 ev;
	enum uet_class class;
	u8 crc_addrs;
	u8 nr;
	u16 unit;
};

/* Valid until the packet is given to IP. */
static inline struct uet_tx_skb_cb *uet_tx_skb_cb(struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct uet_tx_skb_cb) > sizeof(skb->cb));
	return (struct uet_tx_skb_cb *)skb->cb;
}

/* Number of packets in a socket buffer of the fragment list of a burst. */
static inline u32 uet_tx_skb_nr(struct sk_buff *skb)
{
	return uet_tx_skb_cb(skb)->nr ? : 1;
}

/* Drop the reference of a sent packet or burst to its socket, in its destructor. */
static inline void uet_tx_skb_disown(struct sk_buff *skb)
{
	if (!skb->sk)
		return;
	sock_put(skb->sk);
	skb->sk = NULL;
}

extern const struct uet_carrier uet_udp_carrier;
extern const struct uet_carrier uet_native_carrier;

const struct uet_carrier *uet_carrier_of(enum uet_encap encap);
int uet_carrier_open(struct uet_fep *fep, struct netlink_ext_ack *extack);
void uet_carrier_close(struct uet_fep *fep);
enum uet_drop uet_carrier_xmit(struct uet_fep *fep, const struct uet_fa *to,
			       struct uet_path *path, struct sk_buff *skb);
bool uet_carrier_is_unicast(const struct uet_fep *fep, const struct uet_fa *to);
enum uet_drop uet_carrier_check_route(const struct uet_fep *fep, const struct uet_fa *to);

/* udp.c, native.c, ingress.c */
bool uet_native_is_reserved(u8 proto);
int uet_trim_want(struct uet_fep *fep, bool wants, struct netlink_ext_ack *extack);
int uet_ingress_set(struct uet_rail *rail, bool on, struct netlink_ext_ack *extack);

/* crc.c */
int uet_crc32c_init(void);
void uet_crc32c_fini(void);
enum uet_drop uet_crc_check(const struct uet_fep *fep, const struct uet_fa *from,
			    struct sk_buff *skb);

/* offload.c */
int uet_offload_init(void);
void uet_offload_fini(void);

/* burst.c, burst_seal.c */
#define UET_BURST_RUN_MAX	63	/* most packets of a run */
#define UET_BURST_ENTRY		4	/* length of an entry in the list of the packets */

/* Entropy value of packet @i. */
static inline u16 uet_burst_entry_ev(const u8 *entries, u32 i)
{
	return get_unaligned_be16(entries + i * UET_BURST_ENTRY + 2);
}

/* Number of the packet with @entry, from 0. */
static inline u32 uet_burst_entry_index(const u8 *entries, const u8 *entry)
{
	return (entry - entries) / UET_BURST_ENTRY;
}

/* The entries behind those of @n packets. */
static inline const u8 *uet_burst_entry_skip(const u8 *entries, u32 n)
{
	return entries + n * UET_BURST_ENTRY;
}

/* Tail space of the linear part that a run needs. */
static inline u32 uet_burst_run_space(u32 nr)
{
	return UET_BURST_ENTRY * nr;
}

struct sk_buff *uet_burst_next(struct uet_fep *fep, struct uet_path *path,
			       struct sk_buff_head *skbs, u32 most);
bool uet_burst_is(const struct sk_buff *skb);
u32 uet_burst_count(const struct sk_buff *skb);
u32 uet_burst_bytes(const struct sk_buff *skb, u32 list);
u32 uet_burst_list_len(const u8 *head);
struct sk_buff *uet_burst_open(struct uet_fep *fep, const struct uet_fa *from,
			       struct sk_buff *skb, const u8 **entries, struct uet_tss_op *op);
bool uet_burst_is_joined(const u8 *entries);
struct sk_buff *uet_burst_packets(struct sk_buff *skb, u32 list, const u8 **entries);
bool uet_burst_sort(const struct uet_fep *fep, struct uet_path *path, u16 *ev, u32 n);
u32 uet_burst_run_fit(const struct uet_fep *fep, struct uet_path *path, const u16 *ev, u32 n,
		      u32 headers, u32 unit);
void uet_burst_run_set(struct sk_buff *skb, const u16 *ev, u32 nr, u32 unit);
struct sk_buff *uet_burst_run_pop(struct sk_buff *run, const u8 *entries);

#endif
