/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Carriers: the two encapsulations of packets in IP, with a UDP header (udp.c)
 * or with only the entropy header (native.c). carrier.c has the code that is
 * independent of the encapsulation, mainly the route over a rail.
 */
#ifndef UET_CARRIER_H
#define UET_CARRIER_H

#include <linux/skbuff.h>
#include <linux/udp.h>

#include "core/wire/wire.h"
#include "fabric/fabric.h"

struct netlink_ext_ack;
struct uet_path;

/**
 * union uet_carrier_head - header between the IP header and a packet
 * @udp: UDP encapsulation; its checksum is 0
 * @entropy: native encapsulation
 *
 * Both begin with the entropy value, in network order.
 */
union uet_carrier_head {
	struct udphdr udp;
	u8 entropy[UET_ENTROPY_LEN];
};

/**
 * struct uet_carrier - an encapsulation
 * @head_len: length of its header, bytes
 * @open: start receiving for an unpublished FEP. Process context,
 *	uet_net.cfg_mutex held, needs no rtnl. 0, or a negative errno with an
 *	extack message
 * @close: stop receiving for an unlisted FEP: a grace period after the return
 *	no receiver uses the FEP. Process context, waits for no grace period
 * @free: free what @close had to keep for receivers; NULL: nothing. Process
 *	context, a grace period after @close
 * @put_head: write the header of a packet with entropy value ev; len is the
 *	length after the header, trailer included, bytes. Any context
 */
struct uet_carrier {
	u32 head_len;
	int (*open)(struct uet_fep *fep, struct netlink_ext_ack *extack);
	void (*close)(struct uet_fep *fep);
	void (*free)(struct uet_fep *fep);
	void (*put_head)(const struct uet_fep *fep, u16 ev, u32 len,
			 union uet_carrier_head *head);
};

/**
 * struct uet_tx_skb_cb - per-packet data between building and sending
 * @sk: socket that the packet is sent for, or NULL; without a reference: what it is built
 *	of keeps the socket until uet_carrier_xmit() returns
 * @ev: entropy value: UDP source port or entropy header, and rail
 * @class: packet class, which selects the DSCP
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

/**
 * uet_tx_skb_cb() - per-packet data of a built packet
 * @skb: packet
 *
 * Return: its control block, valid until the packet is given to the IP layer.
 */
static inline struct uet_tx_skb_cb *uet_tx_skb_cb(struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct uet_tx_skb_cb) > sizeof(skb->cb));
	return (struct uet_tx_skb_cb *)skb->cb;
}

/**
 * uet_tx_skb_nr() - number of packets in a socket buffer of the fragment list of a burst
 * @skb: packet or run
 *
 * Return: 1 for a packet.
 */
static inline u32 uet_tx_skb_nr(struct sk_buff *skb)
{
	return uet_tx_skb_cb(skb)->nr ? : 1;
}

/**
 * uet_tx_skb_disown() - drop the reference of a packet to its socket
 * @skb: packet or burst, sent; in its destructor
 *
 * Context: Any but hard interrupt.
 */
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
void uet_carrier_free(struct uet_fep *fep);
enum uet_drop uet_carrier_xmit(struct uet_fep *fep, const struct uet_fa *to,
			       struct uet_path *path, struct sk_buff *skb);
bool uet_native_is_reserved(u8 proto);
struct uet_fep *uet_native_fep(struct uet_net *un, const struct uet_fa *fa, u8 proto);
bool uet_carrier_is_unicast(const struct uet_fep *fep, const struct uet_fa *to);
enum uet_drop uet_carrier_check_route(const struct uet_fep *fep,
				      const struct uet_fa *to);

/* The rest of the folder that others use. */
#include "burst.h"
#include "crc.h"
#include "crc32c.h"
#include "ingress.h"
#include "offload.h"
#include "trim.h"

#endif
