// SPDX-License-Identifier: GPL-2.0
/*
 * The UDP carrier: one encapsulation socket per FEP, bound to its fabric
 * address and port, hands datagrams to rx.c; packets leave on the rail their
 * entropy value picks, with that value as source port, checksum 0, ECT(0), a
 * DSCP by class, and never in fragments.  What is in the datagram is tx.c's
 * and rx.c's affair, the trailer crc.c's.
 * Spec: UE 1.0.1 3.5.10.1, uet-wire 1.2, 1.4, 1.7.  Level: shell.
 */
#include <net/inet_ecn.h>
#include <net/ip6_route.h>
#include <net/ipv6.h>
#include <net/route.h>
#include <net/udp.h>

#include "compat.h"
#include "crc.h"
#include "net.h"
#include "rail.h"
#include "rx.h"
#include "tx.h"
#include "udp.h"

/* Any number but 0: udp_sock.encap_type only switches encap_rcv on. */
#define UDP_ENCAP_TYPE	1

/* Return: 0, the packet was consumed, whatever became of it. */
static int udp_rcv_one(struct sock *sk, struct sk_buff *skb)
{
	struct uet_fep *fep = rcu_dereference_sk_user_data(sk);

	if (fep)
		uet_rx_skb(fep, skb);
	else
		kfree_skb(skb);	/* uet_udp_close() is waiting for us */
	return 0;
}

/**
 * uet_udp_open() - open the carrier of a FEP
 * @fep: not published; packets may arrive before this returns
 * @extack: says why not
 *
 * Context: Process; needs no rtnl.
 * Return: 0; -EADDRINUSE, -EADDRNOTAVAIL and other errors of bind().
 */
int uet_udp_open(struct uet_fep *fep, struct netlink_ext_ack *extack)
{
	const struct uet_fa *fa = &fep->cfg.fa;
	struct udp_tunnel_sock_cfg tunnel = {
		.sk_user_data = fep,
		.encap_type = UDP_ENCAP_TYPE,
		.encap_rcv = udp_rcv_one,
	};
	struct udp_port_cfg port = {
		.family = fa->family,
		.local_udp_port = htons(fep->cfg.port),
		.bind_ifindex = fa->scope_id,
		.ipv6_v6only = true,
	};
	int err;

	if (fa->family == AF_INET)
		port.local_ip.s_addr = fa->v4;
	else
		port.local_ip6 = fa->v6;
	err = udp_sock_create(fep->un->net, &port, &fep->carrier);
	if (err == -EADDRINUSE) {
		NL_SET_ERR_MSG(extack, "fep: another socket has its addr and port");
		return err;
	}
	if (err) {
		NL_SET_ERR_MSG(extack, "fep: its UDP socket could not be opened");
		return err;
	}
	setup_udp_tunnel_sock(fep->un->net, fep->carrier->sk, &tunnel);
	return 0;
}

/**
 * uet_udp_close() - close the carrier of a FEP
 * @fep: with an open carrier; when this returns no receiver is in the FEP and
 *	none will come
 *
 * Context: Process, sleeps.
 */
void uet_udp_close(struct uet_fep *fep)
{
	udp_tunnel_sock_release(fep->carrier->sk);
	fep->carrier = NULL;
	/* Whoever found the FEP in sk_user_data did so under RCU. */
	synchronize_net();
}

/*
 * Another FEP of this host is reached without a rail: no rail leads there.
 * Return: the interface to route on, 0 for any.
 */
static int udp_oif(const struct uet_fep *fep, const struct uet_fa *to,
		   const struct uet_rail *rail)
{
	return uet_fep_find_fa(fep->un, to) ? 0 : rail->ifindex;
}

/* Is this a way to @oif, or for 0 a way that stays on the host? */
static bool udp_dst_fits(const struct dst_entry *dst, int oif)
{
	return oif ? dst->dev->ifindex == oif : dst->dev->flags & IFF_LOOPBACK;
}

static struct dst_entry *udp_route4(const struct uet_fep *fep,
				    const struct uet_fa *to, int oif)
{
	struct flowi4 fl4 = {
		.flowi4_oif = oif,
		.flowi4_proto = IPPROTO_UDP,
		.saddr = fep->cfg.fa.v4,
		.daddr = to->v4,
	};
	struct rtable *rt = ip_route_output_key(fep->un->net, &fl4);

	return IS_ERR(rt) ? NULL : &rt->dst;
}

/*
 * With a source address the interface is only a preference to the IPv6 route
 * look-up, without one it is a must.
 */
static struct dst_entry *udp_route6(const struct uet_fep *fep,
				    const struct uet_fa *to, int oif)
{
	struct flowi6 fl6 = {
		.flowi6_oif = oif,
		.flowi6_proto = IPPROTO_UDP,
		.saddr = oif ? in6addr_any : fep->cfg.fa.v6,
		.daddr = to->v6,
	};
	struct dst_entry *dst;

	dst = ip6_dst_lookup_flow(fep->un->net, NULL, &fl6, NULL);
	return IS_ERR(dst) ? NULL : dst;
}

static struct dst_entry *udp_route(const struct uet_fep *fep,
				   const struct uet_fa *to, int oif)
{
	struct dst_entry *dst;

	dst = to->family == AF_INET ? udp_route4(fep, to, oif) :
				      udp_route6(fep, to, oif);
	if (dst && !udp_dst_fits(dst, oif)) {
		dst_release(dst);
		return NULL;
	}
	return dst;
}

static int udp_rail_slot(const struct uet_fep *fep, const struct uet_rail *rail)
{
	int i;

	for (i = 0; i < UET_FEP_RAILS_MAX; i++)
		if (rcu_access_pointer(fep->rail[i]) == rail)
			return i;
	return 0;
}

static void udp_cache_set(struct dst_cache *cache, struct dst_entry *dst,
			  const struct uet_fep *fep)
{
	if (fep->cfg.fa.family == AF_INET)
		dst_cache_set_ip4(cache, dst, fep->cfg.fa.v4);
	else
		dst_cache_set_ip6(cache, dst, &fep->cfg.fa.v6);
}

/* Return: a way to @to over @rail, with a reference, or NULL. */
static struct dst_entry *udp_dst(const struct uet_fep *fep,
				 const struct uet_fa *to,
				 struct dst_cache *routes,
				 const struct uet_rail *rail)
{
	struct dst_cache *cache = NULL;
	struct dst_entry *dst;

	if (routes) {
		cache = &routes[udp_rail_slot(fep, rail)];
		dst = dst_cache_get(cache);
		if (dst && (udp_dst_fits(dst, rail->ifindex) ||
			    udp_dst_fits(dst, 0)))
			return dst;
		dst_release(dst);
	}
	dst = udp_route(fep, to, udp_oif(fep, to, rail));
	if (dst && cache)
		udp_cache_set(cache, dst, fep);
	return dst;
}

static void udp_push(struct uet_fep *fep, const struct uet_fa *to,
		     struct dst_entry *dst, struct sk_buff *skb)
{
	const struct uet_tx_skb_cb cb = *uet_tx_skb_cb(skb);
	const struct uet_fa *fa = &fep->cfg.fa;
	u8 tos = fep->cfg.dscp[cb.class] << 2 | INET_ECN_ECT_0;
	__be16 dport = htons(fep->cfg.port);

	if (fa->family == AF_INET)
		udp_tunnel_xmit_skb(dst_rtable(dst), NULL, skb, fa->v4, to->v4,
				    tos, ip4_dst_hoplimit(dst), htons(IP_DF),
				    htons(cb.ev), dport, false, true, 0);
	else
		udp_tunnel6_xmit_skb(dst, NULL, skb, NULL, &fa->v6, &to->v6,
				     tos, ip6_dst_hoplimit(dst), 0,
				     htons(cb.ev), dport, true, 0);
}

static bool udp_fits_mtu(const struct uet_fep *fep, const struct sk_buff *skb,
			 const struct dst_entry *dst)
{
	u32 ip = fep->cfg.fa.family == AF_INET ? sizeof(struct iphdr) :
						 sizeof(struct ipv6hdr);

	return skb->len + sizeof(struct udphdr) + ip <= dst_mtu(dst);
}

/**
 * uet_udp_xmit() - send a packet on the rail its entropy value picks
 * @fep: local FEP
 * @to: peer
 * @routes: UET_FEP_RAILS_MAX route caches for @to, or NULL
 * @skb: PDS header and what follows, uet_tx_skb_cb() filled in; consumed unless
 *	a reason is returned
 *
 * Context: BH disabled, rcu_read_lock() held, no lock of a PDC held.
 * Return: UET_DROP_NONE; TX_NO_RAIL, TX_NO_ROUTE, TX_TOO_BIG, NO_MEMORY.
 * Spec: UE 1.0.1 3.5.10.1.
 */
enum uet_drop uet_udp_xmit(struct uet_fep *fep, const struct uet_fa *to,
			   struct dst_cache *routes, struct sk_buff *skb)
{
	struct uet_rail *rail = uet_fep_pick_rail(fep, uet_tx_skb_cb(skb)->ev);
	struct dst_entry *dst;

	if (!rail)
		return UET_DROP_TX_NO_RAIL;
	dst = udp_dst(fep, to, routes, rail);
	if (!dst)
		return UET_DROP_TX_NO_ROUTE;
	if (fep->cfg.crc && !uet_crc_append(fep, to, skb)) {
		dst_release(dst);
		return UET_DROP_NO_MEMORY;
	}
	if (!udp_fits_mtu(fep, skb, dst)) {
		dst_release(dst);
		return UET_DROP_TX_TOO_BIG;
	}
	if (dst->dev == rail->dev)
		uet_rail_count_tx(rail, skb->len);
	udp_push(fep, to, dst, skb);
	return UET_DROP_NONE;
}
