// SPDX-License-Identifier: GPL-2.0
/*
 * What both carriers share: packets leave on the rail their entropy value
 * picks, by a route that is kept for each peer and rail, with the trailer, and
 * never larger than the way is wide.  What stands in front of a packet is
 * udp.c's and native.c's affair, what is in it tx.c's, the trailer crc.c's.
 * Spec: UE 1.0.1 3.5.10.1, uet-wire 1.4, 1.6, 1.7.  Level: shell.
 */
#include <net/inet_ecn.h>
#include <net/ip6_route.h>
#include <net/ipv6.h>
#include <net/route.h>

#include "carrier.h"
#include "crc.h"
#include "net.h"
#include "rail.h"
#include "tx.h"

/**
 * uet_carrier_of() - the carrier for a form
 * @encap: the form
 *
 * Context: Any.
 * Return: the carrier.
 */
const struct uet_carrier *uet_carrier_of(enum uet_encap encap)
{
	return encap == UET_ENCAP_NATIVE ? &uet_native_carrier :
					   &uet_udp_carrier;
}

/**
 * uet_carrier_tos() - the ToS or traffic class byte of a packet
 * @fep: local FEP
 * @class: of the packet
 *
 * Context: rcu_read_lock() held.
 * Return: DSCP by class, ECT(0).
 */
u8 uet_carrier_tos(const struct uet_fep *fep, enum uet_class class)
{
	return uet_fep_settings(fep)->dscp[class] << 2 | INET_ECN_ECT_0;
}

/*
 * Another FEP of this host is reached without a rail: no rail leads there.
 * Return: the interface to route on, 0 for any.
 */
static int carrier_oif(const struct uet_fep *fep, const struct uet_fa *to,
		       const struct uet_rail *rail)
{
	return uet_fep_find_fa(fep->un, to) ? 0 : rail->ifindex;
}

/* Is this a way to @oif, or for 0 a way that stays on the host? */
static bool carrier_dst_fits(const struct dst_entry *dst, int oif)
{
	return oif ? dst->dev->ifindex == oif : dst->dev->flags & IFF_LOOPBACK;
}

static struct dst_entry *carrier_route4(const struct uet_fep *fep,
					const struct uet_fa *to, int oif)
{
	struct flowi4 fl4 = {
		.flowi4_oif = oif,
		.flowi4_proto = fep->cfg.proto,
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
static struct dst_entry *carrier_route6(const struct uet_fep *fep,
					const struct uet_fa *to, int oif)
{
	struct flowi6 fl6 = {
		.flowi6_oif = oif,
		.flowi6_proto = fep->cfg.proto,
		.saddr = oif ? in6addr_any : fep->cfg.fa.v6,
		.daddr = to->v6,
	};
	struct dst_entry *dst;

	dst = ip6_dst_lookup_flow(fep->un->net, NULL, &fl6, NULL);
	return IS_ERR(dst) ? NULL : dst;
}

static struct dst_entry *carrier_route(const struct uet_fep *fep,
				       const struct uet_fa *to, int oif)
{
	struct dst_entry *dst;

	dst = to->family == AF_INET ? carrier_route4(fep, to, oif) :
				      carrier_route6(fep, to, oif);
	if (dst && !carrier_dst_fits(dst, oif)) {
		dst_release(dst);
		return NULL;
	}
	return dst;
}

static int carrier_rail_slot(const struct uet_fep *fep,
			     const struct uet_rail *rail)
{
	int i;

	for (i = 0; i < UET_FEP_RAILS_MAX; i++)
		if (rcu_access_pointer(fep->rail[i]) == rail)
			return i;
	return 0;
}

static void carrier_cache_set(struct dst_cache *cache, struct dst_entry *dst,
			      const struct uet_fep *fep)
{
	if (fep->cfg.fa.family == AF_INET)
		dst_cache_set_ip4(cache, dst, fep->cfg.fa.v4);
	else
		dst_cache_set_ip6(cache, dst, &fep->cfg.fa.v6);
}

/* Return: a way to @to over @rail, with a reference, or NULL. */
static struct dst_entry *carrier_dst(const struct uet_fep *fep,
				     const struct uet_fa *to,
				     struct dst_cache *routes,
				     const struct uet_rail *rail)
{
	struct dst_cache *cache = NULL;
	struct dst_entry *dst;

	if (routes) {
		cache = &routes[carrier_rail_slot(fep, rail)];
		dst = dst_cache_get(cache);
		if (dst && (carrier_dst_fits(dst, rail->ifindex) ||
			    carrier_dst_fits(dst, 0)))
			return dst;
		dst_release(dst);
	}
	dst = carrier_route(fep, to, carrier_oif(fep, to, rail));
	if (dst && cache)
		carrier_cache_set(cache, dst, fep);
	return dst;
}

static bool carrier_fits_mtu(const struct uet_fep *fep,
			     const struct sk_buff *skb,
			     const struct dst_entry *dst)
{
	u32 ip = fep->cfg.fa.family == AF_INET ? sizeof(struct iphdr) :
						 sizeof(struct ipv6hdr);

	return skb->len + fep->carrier->head_len + ip <= dst_mtu(dst);
}

/**
 * uet_carrier_xmit() - send a packet on the rail its entropy value picks
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
enum uet_drop uet_carrier_xmit(struct uet_fep *fep, const struct uet_fa *to,
			       struct dst_cache *routes, struct sk_buff *skb)
{
	struct uet_rail *rail = uet_fep_pick_rail(fep, uet_tx_skb_cb(skb)->ev);
	struct dst_entry *dst;

	if (!rail)
		return UET_DROP_TX_NO_RAIL;
	dst = carrier_dst(fep, to, routes, rail);
	if (!dst)
		return UET_DROP_TX_NO_ROUTE;
	if (fep->cfg.crc && !uet_crc_append(fep, to, skb)) {
		dst_release(dst);
		return UET_DROP_NO_MEMORY;
	}
	if (!carrier_fits_mtu(fep, skb, dst)) {
		dst_release(dst);
		return UET_DROP_TX_TOO_BIG;
	}
	if (dst->dev == rail->dev)
		uet_rail_count_tx(rail, skb->len);
	fep->carrier->push(fep, to, dst, skb);
	return UET_DROP_NONE;
}

/**
 * uet_carrier_check_way() - could a packet leave for a peer now?
 * @fep: local FEP
 * @to: peer
 *
 * For those who want to be told at once what a lost packet tells late.  A route
 * look-up bound to a rail takes an IPv4 address without a route for one on its
 * link.
 *
 * Context: rcu_read_lock() held.
 * Return: UET_DROP_NONE: over one rail at least; TX_NO_RAIL: none is usable;
 *	TX_NO_ROUTE: over none of those that are.
 */
enum uet_drop uet_carrier_check_way(const struct uet_fep *fep,
				    const struct uet_fa *to)
{
	/* Pairs with the WRITE_ONCE() in fep_set_usable(). */
	unsigned long usable = READ_ONCE(fep->usable);
	enum uet_drop why = UET_DROP_TX_NO_RAIL;
	struct dst_entry *dst;
	struct uet_rail *rail;
	unsigned int i;

	for_each_set_bit(i, &usable, UET_FEP_RAILS_MAX) {
		rail = rcu_dereference(fep->rail[i]);
		if (!rail)
			continue;
		dst = carrier_route(fep, to, carrier_oif(fep, to, rail));
		if (dst) {
			dst_release(dst);
			return UET_DROP_NONE;
		}
		why = UET_DROP_TX_NO_ROUTE;
	}
	return why;
}
