/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Transmit path: from a packet descriptor of the core to a socket buffer on a
 * rail.
 */
#ifndef UET_TX_H
#define UET_TX_H

#include <linux/ipv6.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>

#include "carrier/carrier.h"
#include "core/ses/ses.h"
#include "fabric/fep.h"

struct uet_read_rsp_msg;

/*
 * Linear part: space for the outer headers, then the UET headers, then the
 * trailer.
 */
#define UET_TX_HEADROOM	(LL_MAX_HEADER + sizeof(struct ipv6hdr) + \
			 sizeof(union uet_carrier_head) + UET_TSS_SSI_LEN)
#define UET_TX_LINEAR	(UET_TX_HEADROOM + UET_PDS_MAX_LEN + \
			 UET_SES_REQ_MAX_LEN + UET_ICV_LEN)

/*
 * Payloads up to this size are copied into the linear part, bytes: cheaper than
 * a page reference.
 */
#define UET_TX_COPY	1024

/**
 * struct uet_tx_skb_cb - per-packet data between building and sending
 * @ev: entropy value: UDP source port or entropy header; selects the rail
 * @class: traffic class, for the DSCP
 * @next_hdr: for a datagram, enum uet_nh
 */
struct uet_tx_skb_cb {
	u16 ev;
	enum uet_class class;
	u8 next_hdr;
};

/**
 * uet_tx_skb_cb() - per-packet data of a built packet
 * @skb: packet
 *
 * Context: Any.
 * Return: its control block, valid until the packet is given to the IP layer.
 */
static inline struct uet_tx_skb_cb *uet_tx_skb_cb(struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct uet_tx_skb_cb) > sizeof(skb->cb));
	return (struct uet_tx_skb_cb *)skb->cb;
}

/**
 * uet_tx_has_space() - check whether a payload can be copied into a packet
 * @skb: packet with its headers
 * @len: length of the payload, bytes
 *
 * Context: Any.
 * Return: true if the linear part has space for payload and trailer.
 */
static inline bool uet_tx_has_space(const struct sk_buff *skb, u32 len)
{
	return len + UET_ICV_LEN <= skb_tailroom(skb);
}

struct sk_buff *uet_tx_build(struct uet_fep *fep, const struct uet_pdc_tx *tx);
void uet_tx_send(struct uet_fep *fep, const struct uet_fa *to,
		 struct uet_path *path, struct sk_buff_head *skbs);
bool uet_tx_dgram_begin(struct sk_buff *skb, const struct uet_ses_tx *msg);
enum uet_drop uet_tx_dgram_send(struct uet_fep *fep, const struct uet_fa *to,
				struct sk_buff *skb);
void uet_tx_reply(struct uet_fep *fep, const struct uet_fa *to,
		  const struct uet_pdc_tx *tx,
		  struct uet_read_rsp_msg *read_rsp);

#endif
