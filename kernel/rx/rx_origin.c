// SPDX-License-Identifier: GPL-2.0
/*
 * Where a received packet or burst came from: its source address, the rail, and what IP
 * says about it.  Packets that arrived are counted here.
 * Spec: UE 1.0.1 3.5.10.1, uet-wire 1.4, 1.6.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/netdevice.h>
#include <net/dsfield.h>
#include <net/inet_ecn.h>
#include <net/ip.h>

#include "carrier/carrier.h"
#include "fabric/fabric.h"
#include "rx.h"

/*
 * Length after the carrier header.
 * Context: Softirq.
 * Return: bytes; 0 if the carrier header is incomplete.
 */
u32 uet_rx_bytes(const struct uet_rx *rx)
{
	u32 head_len = rx->fep->head_len;

	return rx->ip_len > head_len ? rx->ip_len - head_len : 0;
}

static void rx_count(const struct uet_rx *rx)
{
	struct uet_net *un = rx->fep->un;

	uet_mib_add(un, UET_MIB_RX_PACKETS, rx->count);
	uet_mib_add(un, UET_MIB_RX_BYTES, uet_rx_bytes(rx));
	if (rx->in.ce)
		uet_mib_add(un, UET_MIB_RX_CE, rx->count);
}

/*
 * Note source address and IP-level information, and count.
 * @rx: packet or burst, starting at the carrier header
 *
 * Context: Softirq.
 */
void uet_rx_set_origin(struct uet_rx *rx)
{
	const struct sk_buff *skb = rx->skb;
	u8 tos;

	if (rx->fep->cfg.fa.family == AF_INET) {
		rx->from = uet_fa_v4(ip_hdr(skb)->saddr);
		tos = ipv4_get_dsfield(ip_hdr(skb));
	} else {
		rx->from = uet_fa_v6(&ipv6_hdr(skb)->saddr, skb->skb_iif);
		tos = ipv6_get_dsfield(ipv6_hdr(skb));
	}
	rx->ip_len = uet_burst_bytes(skb, rx->fep->head_len);
	if (skb_is_gso(skb))
		rx->ip_len += rx->count * rx->fep->cfg.protect_len;
	rx->in.ce = INET_ECN_is_ce(tos);
	rx->in.bytes = skb->len + UET_RX_NOMINAL;
	rx_count(rx);
}

/*
 * A FEP receives on its rails, and on loopback the packets this host sends
 * itself.
 */
static enum uet_drop rx_check_rail(const struct uet_rx *rx)
{
	const struct net_device *dev = rx->dev;
	struct uet_rail *rail;
	int i;

	for (i = 0; i < UET_FEP_RAILS_MAX; i++) {
		rail = rcu_dereference(rx->fep->rail[i]);
		if (rail && rail->dev == dev) {
			uet_rail_count_rx(rail, rx->count,
					  uet_rx_bytes(rx));
			return UET_DROP_NONE;
		}
	}
	return dev->flags & IFF_LOOPBACK ? UET_DROP_NONE :
					   UET_DROP_RAIL_NOT_OURS;
}

static bool rx_was_fragmented(const struct uet_rx *rx)
{
	if (rx->fep->cfg.fa.family == AF_INET)
		return IPCB(rx->skb)->frag_max_size;
	return IP6CB(rx->skb)->flags & IP6SKB_FRAGMENTED;
}

static bool rx_has_options(const struct uet_rx *rx)
{
	return rx->fep->cfg.fa.family == AF_INET &&
	       ip_hdr(rx->skb)->ihl != sizeof(struct iphdr) / 4;
}

/*
 * Check rail and IP header.
 * @rx: packet or burst, after uet_rx_set_origin()
 *
 * Context: Softirq, rcu_read_lock() held.
 * Return: UET_DROP_NONE; RAIL_NOT_OURS, FRAGMENT or IP_OPTIONS.
 * Spec: UE 1.0.1 3.5.10.1, uet-wire 1.4.
 */
enum uet_drop uet_rx_check_origin(const struct uet_rx *rx)
{
	enum uet_drop why = rx_check_rail(rx);

	if (why)
		return why;
	if (rx_was_fragmented(rx))
		return UET_DROP_FRAGMENT;
	return rx_has_options(rx) ? UET_DROP_IP_OPTIONS : UET_DROP_NONE;
}
