// SPDX-License-Identifier: GPL-2.0
/*
 * Code shared by both carriers: a packet leaves on the rail that its entropy value selects, by a
 * route cached per peer and rail.  It is never fragmented and never larger than the configured
 * MTU of rail and route.
 *
 * A packet that carries a part of a message has the socket of the message as skb->sk, a burst
 * that of its first packet, so that rules see user, cgroup, mark and priority of the sender.  The
 * packet holds the socket and is not charged to it: its bytes are charged with the message.
 * ACKs, NACKs and control packets belong to no socket and are sent by the kernel.
 *
 * A path MTU learned from ICMP is ignored, because ICMP can be forged and a FEP cannot send
 * smaller packets.  IP obeys a learned MTU except for packets of a socket with
 * IP_PMTUDISC_INTERFACE.  All sockets of UET are such.  Each FEP has another one, of the kernel,
 * for packets without a socket, when the MTU matters.
 * Spec: UE 1.0.1 3.5.10.1, uet-wire 1.4, 1.6, 1.7.
 */
#include <net/inet_ecn.h>
#include <net/ip6_route.h>
#include <net/ipv6.h>
#include <net/route.h>

#include "base/base.h"
#include "burst.h"
#include "tss/tss.h"

/*
 * uet_carrier_of() - carrier of an encapsulation
 */
const struct uet_carrier *uet_carrier_of(enum uet_encap encap)
{
	return encap == UET_ENCAP_NATIVE ? &uet_native_carrier : &uet_udp_carrier;
}

/* The ToS or traffic class byte of a packet: DSCP by class, ECT(0). */
static u8 carrier_tos(const struct uet_fep *fep, enum uet_class class)
{
	return uet_fep_settings(fep)->dscp[class] << 2 | INET_ECN_ECT_0;
}

static int carrier_ignore_pmtu(struct socket *sock, bool is_v4)
{
	int value = is_v4 ? IP_PMTUDISC_INTERFACE : IPV6_PMTUDISC_INTERFACE;

	return sock->ops->setsockopt(sock, is_v4 ? SOL_IP : SOL_IPV6,
				     is_v4 ? IP_MTU_DISCOVER : IPV6_MTU_DISCOVER,
				     KERNEL_SOCKPTR(&value), sizeof(value));
}

/* The socket is unbound and receives nothing. */
static int carrier_open_pmtu_sk(struct uet_fep *fep)
{
	struct socket *sock;
	int err;

	err = sock_create_kern(fep->un->net, fep->cfg.fa.family, SOCK_DGRAM, IPPROTO_UDP, &sock);
	if (err)
		return err;
	err = carrier_ignore_pmtu(sock, uet_carrier_is_v4(fep));
	if (err) {
		sock_release(sock);
		return err;
	}
	sock_set_flag(sock->sk, SOCK_RCU_FREE);
	rcu_assign_pointer(fep->pmtu_sk, sock->sk);
	return 0;
}

/* Packets in flight may hold references to the socket. */
static void carrier_close_pmtu_sk(struct uet_fep *fep)
{
	struct sock *sk = rcu_dereference_protected(fep->pmtu_sk, true);

	RCU_INIT_POINTER(fep->pmtu_sk, NULL);
	sock_release(sk->sk_socket);
}

/*
 * uet_carrier_open() - start transmit and receive of an unpublished FEP
 * Context: Process context, uet_net.cfg_mutex held.
 * Return: 0, the error of uet_carrier.open, or the error of creating a socket.
 */
int uet_carrier_open(struct uet_fep *fep, struct netlink_ext_ack *extack)
{
	int err = carrier_open_pmtu_sk(fep);

	if (err)
		return uet_refuse(extack, err, "fep: no socket to send with");
	err = fep->carrier->open(fep, extack);
	if (err)
		carrier_close_pmtu_sk(fep);
	return err;
}

/*
 * uet_carrier_close() - stop receive of an unlisted FEP
 *
 * A grace period later the caller calls uet_carrier.free.
 * Context: Process context, uet_net.cfg_mutex held.
 */
void uet_carrier_close(struct uet_fep *fep)
{
	fep->carrier->close(fep);
	carrier_close_pmtu_sk(fep);
}

/* Interface of the route look-up, 0 for any: no rail leads to another FEP of this host. */
static int carrier_oif(const struct uet_fep *fep, const struct uet_fa *to,
		       const struct uet_rail *rail)
{
	return uet_fep_find_fa(fep->un, to) ? 0 : rail->ifindex;
}

/* Does the route use @oif, or for 0 stay on this host? */
static bool carrier_dst_fits(const struct dst_entry *dst, int oif)
{
	return oif ? dst->dev->ifindex == oif : dst->dev->flags & IFF_LOOPBACK;
}

/*
 * The keys by which policy routing and IPsec choose. All packets to a peer with a mark have the
 * route of its data packets. The source port is the entropy value, so it is left open. Sockets
 * share routes, so the uid is root of the user namespace, as that of packets of the kernel.
 */
static struct dst_entry *carrier_route4(const struct uet_fep *fep,
					const struct uet_fa *to, int oif, u32 mark)
{
	struct net *net = fep->un->net;
	struct flowi4 fl4 = {};
	struct rtable *rt;

	flowi4_init_output(&fl4, oif, mark, carrier_tos(fep, UET_CLASS_REQUEST) &
			   ~INET_ECN_MASK, RT_SCOPE_UNIVERSE, fep->cfg.proto, 0,
			   to->v4, fep->cfg.fa.v4, htons(fep->cfg.port), 0,
			   sock_net_uid(net, NULL));
	rt = ip_route_output_key(net, &fl4);
	if (IS_ERR(rt))
		return NULL;
	if (!(rt->rt_flags & (RTCF_BROADCAST | RTCF_MULTICAST)))
		return &rt->dst;
	ip_rt_put(rt);
	return NULL;
}

/*
 * For an IPv6 route look-up with a source address the interface is only a
 * preference; without a source address it is mandatory.
 */
static struct dst_entry *carrier_route6(const struct uet_fep *fep,
					const struct uet_fa *to, int oif, u32 mark)
{
	struct net *net = fep->un->net;
	u8 tos = carrier_tos(fep, UET_CLASS_REQUEST) & ~INET_ECN_MASK;
	struct flowi6 fl6 = {
		.flowi6_oif = oif,
		.flowi6_mark = mark,
		.flowi6_proto = fep->cfg.proto,
		.flowi6_uid = sock_net_uid(net, NULL),
		.flowlabel = ip6_make_flowinfo(tos, 0),
		.fl6_dport = htons(fep->cfg.port),
		.saddr = oif ? in6addr_any : fep->cfg.fa.v6,
		.daddr = to->v6,
	};
	struct dst_entry *dst;

	dst = ip6_dst_lookup_flow(net, NULL, &fl6, NULL);
	return IS_ERR(dst) ? NULL : dst;
}

static struct dst_entry *carrier_route(const struct uet_fep *fep,
				       const struct uet_fa *to, int oif, u32 mark)
{
	struct dst_entry *dst = to->family == AF_INET ? carrier_route4(fep, to, oif, mark) :
							carrier_route6(fep, to, oif, mark);

	if (!dst || carrier_dst_fits(dst, oif))
		return dst;
	dst_release(dst);
	return NULL;
}

static u32 carrier_mark(const struct sock *sk)
{
	return sk ? READ_ONCE(sk->sk_mark) : 0;
}

/*
 * Give a packet a route to @to over @rail.  The cache has that of packets without a mark.
 * Return: the route; NULL: there is none.
 */
static struct dst_entry *carrier_set_dst(const struct uet_fep *fep, const struct uet_fa *to,
					 struct uet_path_rail *cache,
					 const struct uet_rail *rail, struct sk_buff *skb)
{
	u32 mark = carrier_mark(uet_tx_skb_cb(skb)->sk);
	struct dst_entry *dst = cache && !mark ? uet_path_route(cache) : NULL;

	if (!dst || !(carrier_dst_fits(dst, rail->ifindex) || carrier_dst_fits(dst, 0))) {
		dst = carrier_route(fep, to, carrier_oif(fep, to, rail), mark);
		if (!dst)
			return NULL;
		if (!cache || mark) {
			skb_dst_set(skb, dst);
			return dst;
		}
		uet_path_set_route(cache, dst, uet_carrier_is_v4(fep) ? 0 :
				   rt6_get_cookie(container_of(dst, struct rt6_info, dst)));
	}
	skb_dst_set_noref(skb, dst);
	return dst;
}

/* The configured MTU of rail and route; that of an IPv6 route may have been learned. */
static u32 carrier_mtu(const struct dst_entry *dst)
{
	bool is_learnt = dst->ops->family == AF_INET6 &&
			 container_of(dst, struct rt6_info, dst)->rt6i_flags & RTF_MODIFIED;
	u32 mtu = is_learnt ? 0 : dst_metric_raw(dst, RTAX_MTU);
	u32 dev_mtu = READ_ONCE(dst->dev->mtu);

	return mtu ? min(mtu, dev_mtu) : dev_mtu;
}

/*
 * The socket that sends a packet without an owner that is larger than the path MTU known to
 * the stack.  IPv6 takes the socket from the packet.
 * Return: the socket, or NULL while the FEP is closed: the packet may be lost.
 */
static struct sock *carrier_pmtu_sk(const struct uet_fep *fep, struct sk_buff *skb)
{
	struct sock *sk = rcu_dereference(fep->pmtu_sk);

	if (!sk || uet_carrier_is_v4(fep) || !refcount_inc_not_zero(&sk->sk_refcnt))
		return sk;
	/* The host limit counts the packet as sent. */
	skb_orphan(skb);
	skb->sk = sk;
	skb->destructor = sock_efree;
	return sk;
}

/* Make a socket the owner of a packet, which holds it.  A datagram has it as its owner. */
static void carrier_own(struct sk_buff *skb, struct sock *sk)
{
	if (!sk || skb->sk)
		return;
	sock_hold(sk);
	skb->sk = sk;
	if (!skb->destructor)
		skb->destructor = sock_efree;
}

/*
 * What rules, queues and VLANs see of the sender.  Without SO_PRIORITY the priority is the
 * class selector of the DSCP, as switches have it.
 */
static void carrier_put_sender(struct sk_buff *skb, struct sock *sk, u8 tos)
{
	u32 priority = sk ? READ_ONCE(sk->sk_priority) : 0;

	skb->mark = carrier_mark(sk);
	skb->priority = priority ? : tos >> 5;
	carrier_own(skb, sk);
}

/* IP adds length and checksum.  An unfragmented packet needs no identification (RFC 6864). */
static void carrier_put_ipv4(const struct uet_fep *fep, const struct uet_fa *to,
			     const struct dst_entry *dst, u8 tos, struct sk_buff *skb)
{
	struct iphdr *iph = __skb_push(skb, sizeof(*iph));

	*iph = (struct iphdr) {
		.version = IPVERSION,
		.ihl = sizeof(*iph) / 4,
		.tos = tos,
		.frag_off = htons(IP_DF),
		.ttl = ip4_dst_hoplimit(dst),
		.protocol = fep->cfg.proto,
		.saddr = fep->cfg.fa.v4,
		.daddr = to->v4,
	};
	memset(IPCB(skb), 0, sizeof(*IPCB(skb)));
}

/* IP adds the length. */
static void carrier_put_ipv6(const struct uet_fep *fep, const struct uet_fa *to,
			     struct dst_entry *dst, u8 tos, struct sk_buff *skb)
{
	struct ipv6hdr *ip6h = __skb_push(skb, sizeof(*ip6h));

	ip6_flow_hdr(ip6h, tos, 0);
	ip6h->nexthdr = fep->cfg.proto;
	ip6h->hop_limit = ip6_dst_hoplimit(dst);
	ip6h->saddr = fep->cfg.fa.v6;
	ip6h->daddr = to->v6;
	memset(IP6CB(skb), 0, sizeof(*IP6CB(skb)));
}

/* Bytes that protection adds after a packet now; those of a burst have it, or get it later. */
static u32 carrier_trailer(const struct uet_fep *fep, const struct sk_buff *skb)
{
	if (skb_is_gso(skb))
		return 0;
	if (unlikely(fep->cfg.sd))
		return UET_ICV_LEN;
	return fep->cfg.crc ? UET_CRC_LEN : 0;
}

/* Write the carrier and IP headers, and the sender.  Overwrites uet_tx_skb_cb(). */
static void carrier_put_heads(const struct uet_fep *fep, const struct uet_fa *to,
			      struct dst_entry *dst, struct sk_buff *skb)
{
	const struct uet_tx_skb_cb cb = *uet_tx_skb_cb(skb);
	u32 len = skb->len + carrier_trailer(fep, skb);
	bool is_fixed = fep->cfg.port && uet_fep_settings(fep)->pdc.fixed_port;
	u8 tos = carrier_tos(fep, cb.class);

	carrier_put_sender(skb, cb.sk, tos);
	fep->carrier->put_head(fep, is_fixed ? fep->cfg.port : cb.ev, len,
			       __skb_push(skb, fep->head_len));
	skb_reset_transport_header(skb);
	if (skb_is_gso(skb))
		uet_burst_mark(skb, fep->head_len);
	if (uet_carrier_is_v4(fep))
		carrier_put_ipv4(fep, to, dst, tos, skb);
	else
		carrier_put_ipv6(fep, to, dst, tos, skb);
	skb_reset_network_header(skb);
}

/* Write headers and seal. */
static enum uet_drop carrier_finish_sealed(struct uet_fep *fep, const struct uet_fa *to,
					   struct dst_entry *dst, struct sk_buff *skb)
{
	bool is_burst = skb_is_gso(skb);
	struct uet_tss_op op;
	enum uet_drop why;

	why = is_burst ? uet_burst_seal(fep, to, skb) : uet_sd_seal_head(fep, to, skb, &op);
	if (why)
		return why;
	carrier_put_heads(fep, to, dst, skb);
	return is_burst ? UET_DROP_NONE : uet_sd_seal(fep, to, skb, &op);
}

/* Write headers and trailer.  Return: UET_DROP_NONE, or why it cannot be sent. */
static enum uet_drop carrier_finish(struct uet_fep *fep, const struct uet_fa *to,
				    struct dst_entry *dst, struct sk_buff *skb)
{
	if (unlikely(fep->cfg.sd))
		return carrier_finish_sealed(fep, to, dst, skb);
	carrier_put_heads(fep, to, dst, skb);
	if (fep->cfg.crc && !skb_is_gso(skb) &&
	    !uet_crc_put(skb, skb_transport_header(skb), uet_crc_addrs_len(fep)))
		return UET_DROP_NO_MEMORY;
	return UET_DROP_NONE;
}

static int carrier_local_out(const struct uet_fep *fep, struct sock *sk, struct sk_buff *skb)
{
	if (uet_carrier_is_v4(fep))
		return ip_local_out(fep->un->net, sk, skb);
	return ip6_local_out(fep->un->net, sk, skb);
}

/*
 * Hand a burst to IP as packets.  A route that encapsulates (MPLS, segment routing) overwrites
 * the fields by which the stack finds the packets of a burst.
 * Return: 0, or the first error of IP.
 */
static int carrier_output_cut(const struct uet_fep *fep, struct sock *sk, struct sk_buff *skb)
{
	struct sk_buff *packets, *packet, *next;
	struct sock *owner = skb->sk;
	int err = 0, one;

	skb->protocol = uet_carrier_is_v4(fep) ? htons(ETH_P_IP) : htons(ETH_P_IPV6);
	skb->dev = skb_dst(skb)->dev;
	packets = skb_gso_segment(skb, 0);
	if (IS_ERR_OR_NULL(packets)) {
		kfree_skb(skb);
		return -ENOBUFS;
	}
	skb_list_walk_safe(packets, packet, next) {
		skb_mark_not_on_list(packet);
		carrier_own(packet, owner);
		one = carrier_local_out(fep, sk, packet);
		if (!err)
			err = net_xmit_eval(one);
	}
	consume_skb(skb);
	return err;
}

/* Hand a packet of @width bytes, or a burst of such, to IP; consumes it. */
static enum uet_drop carrier_output(struct uet_fep *fep, struct dst_entry *dst,
				    struct sk_buff *skb, u32 width)
{
	struct sock *sk = skb->sk;
	int err;

	if (!sk && width > dst_mtu(dst))
		sk = carrier_pmtu_sk(fep, skb);
	if (unlikely(dst->lwtstate) && skb_is_gso(skb))
		err = carrier_output_cut(fep, sk, skb);
	else
		err = carrier_local_out(fep, sk, skb);
	err = net_xmit_eval(err);
	if (likely(!err))
		return UET_DROP_NONE;
	return err > 0 ? UET_DROP_TX_QUEUE : UET_DROP_TX_REFUSED;
}

/* No rail was found: distinguish a too small MTU from no usable rail. */
static enum uet_drop carrier_no_rail(const struct uet_fep *fep)
{
	return uet_path_pmtu(fep, NULL) ? UET_DROP_TX_TOO_BIG : UET_DROP_TX_NO_RAIL;
}

/* Send a packet or burst on a rail. Return: UET_DROP_NONE, @skb is consumed then. */
static enum uet_drop carrier_send(struct uet_fep *fep, const struct uet_fa *to,
				  struct uet_path *path, int slot, struct sk_buff **skb)
{
	struct uet_rail *rail = rcu_dereference(fep->rail[slot]);
	u32 count = uet_burst_count(*skb), width = uet_crc_ip_len(fep) + fep->head_len;
	u32 len = uet_burst_bytes(*skb, 0) + count * fep->cfg.protect_len;
	struct dst_entry *dst;
	enum uet_drop why;
	bool is_rail;

	if (!rail)
		return carrier_no_rail(fep);
	/* That of the packet, or of the longest of a burst, from the IP header on. */
	width += skb_is_gso(*skb) ? skb_shinfo(*skb)->gso_size : (*skb)->len + fep->cfg.protect_len;
	dst = carrier_set_dst(fep, to, path ? &path->rail[slot] : NULL, rail, *skb);
	if (!dst)
		return UET_DROP_TX_NO_ROUTE;
	is_rail = dst->dev == rail->dev;
	why = width > carrier_mtu(dst) ? UET_DROP_TX_TOO_BIG : carrier_finish(fep, to, dst, *skb);
	if (why) {
		if (why == UET_DROP_TX_TOO_BIG && path)
			uet_path_hint(path, slot, carrier_mtu(dst));
		return why;
	}
	why = carrier_output(fep, dst, *skb, width);
	*skb = NULL;
	if (!why && is_rail)
		uet_rail_count_tx(rail, count, len);
	return why;
}

/*
 * uet_carrier_xmit() - send a packet or burst on the rail that its entropy value selects
 * @path: paths to @to, or NULL
 * @skb: starts at the PDS header, uet_tx_skb_cb() filled in, or from uet_burst_next(); consumed
 * Context: BH disabled, rcu_read_lock() held, no lock of a PDC held.
 * Return: UET_DROP_NONE; TX_NO_RAIL, TX_NO_ROUTE, TX_TOO_BIG, NO_MEMORY, or the reason of the
 *	secure domain; TX_QUEUE: a queue of this host was full; TX_REFUSED: IP did not send the
 *	packet.
 */
enum uet_drop uet_carrier_xmit(struct uet_fep *fep, const struct uet_fa *to,
			       struct uet_path *path, struct sk_buff *skb)
{
	int slot = uet_fep_pick_slot(fep, uet_tx_skb_cb(skb)->ev, path ? uet_path_avoid(path) : 0);
	enum uet_drop why;

	why = slot < 0 ? carrier_no_rail(fep) : carrier_send(fep, to, path, slot, &skb);
	kfree_skb(skb);
	return why;
}

/*
 * uet_carrier_is_unicast() - is an address, of the family of @fep, that of one host?
 *
 * The broadcast addresses of IPv4 subnets look like others; only the routes of the namespace
 * tell them.
 */
bool uet_carrier_is_unicast(const struct uet_fep *fep, const struct uet_fa *to)
{
	unsigned int type;

	if (!uet_fa_is_unicast(to))
		return false;
	if (to->family != AF_INET)
		return true;
	type = inet_addr_type(fep->un->net, to->v4);
	return type != RTN_BROADCAST && type != RTN_MULTICAST;
}

/*
 * uet_carrier_check_route() - could a packet be sent to a peer now?
 *
 * For callers that need an immediate error where a lost packet would report it late.  An IPv4
 * route look-up bound to a rail treats an address without a route as on-link.
 * Context: rcu_read_lock() held.
 * Return: UET_DROP_NONE: over at least one rail; TX_NO_RAIL: no rail is usable; TX_NO_ROUTE.
 */
enum uet_drop uet_carrier_check_route(const struct uet_fep *fep, const struct uet_fa *to)
{
	/* Pairs with the WRITE_ONCE() in fep_set_usable(). */
	unsigned long usable = READ_ONCE(fep->usable);
	enum uet_drop why = UET_DROP_TX_NO_RAIL;
	struct dst_entry *dst;
	struct uet_rail *rail;
	unsigned int i;

	for_each_set_bit(i, &usable, fep->cfg.nr_rails) {
		rail = rcu_dereference(fep->rail[i]);
		if (!rail)
			continue;
		dst = carrier_route(fep, to, carrier_oif(fep, to, rail), 0);
		if (dst) {
			dst_release(dst);
			return UET_DROP_NONE;
		}
		why = UET_DROP_TX_NO_ROUTE;
	}
	return why;
}
