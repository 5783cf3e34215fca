// SPDX-License-Identifier: GPL-2.0
/*
 * The native IP carrier: packets have the entropy header but no UDP header
 * after the IP header, under the FEP's IP protocol number. A protocol number
 * has one handler for all namespaces, registered while any FEP uses the number.
 * The handler finds the FEP by namespace, destination address and number. IP
 * parses extension headers and reassembles fragments; rx.c refuses reassembled
 * packets.
 *
 * ICMP errors are a hint about paths, see path.c. Packets for no FEP are
 * counted and not answered, because a raw socket in that namespace may use the
 * number.
 * Spec: UE 1.0.1 3.5.10.1, Table 3-31, uet-wire 1.3, 1.4, 1.7.
 */
#include <net/dsfield.h>
#include <net/ip6_route.h>
#include <net/ipv6.h>
#include <net/protocol.h>
#include <net/route.h>

#include "base/base.h"
#include "carrier.h"
#include "fabric/fabric.h"
#include "trim.h"

/*
 * Number of FEPs in all namespaces per protocol number, for IPv4 and for IPv6
 * addresses. The handler is registered while the number is not 0. Both arrays
 * are written under native_mutex, which is taken inside uet_net.cfg_mutex.
 */
static DEFINE_MUTEX(native_mutex);
static unsigned int native_users[2][MAX_INET_PROTOS];

/*
 * Numbers of IP itself, or of protocols that the kernel or a daemon on this
 * host may use although no handler is registered right now.
 */
static const u8 native_reserved[] = {
	IPPROTO_HOPOPTS, IPPROTO_ICMP, IPPROTO_IGMP, IPPROTO_IPIP, IPPROTO_TCP,
	IPPROTO_EGP, IPPROTO_PUP, IPPROTO_UDP, IPPROTO_IDP, IPPROTO_TP,
	IPPROTO_DCCP, IPPROTO_IPV6, IPPROTO_ROUTING, IPPROTO_FRAGMENT,
	IPPROTO_RSVP, IPPROTO_GRE, IPPROTO_ESP, IPPROTO_AH, IPPROTO_ICMPV6,
	IPPROTO_NONE, IPPROTO_DSTOPTS, 88 /* EIGRP */, 89 /* OSPF */,
	IPPROTO_MTP, IPPROTO_BEETPH, IPPROTO_ENCAP, IPPROTO_PIM, IPPROTO_COMP,
	112 /* VRRP */, IPPROTO_L2TP, 124 /* IS-IS */, IPPROTO_SCTP, IPPROTO_MH,
	IPPROTO_UDPLITE, IPPROTO_MPLS, 139 /* HIP */, 140 /* Shim6 */,
	IPPROTO_ETHERNET,
};

/**
 * uet_native_is_reserved() - check whether a protocol number is reserved
 * @proto: IP protocol number
 *
 * Context: Any.
 * Return: true: no FEP may use it.
 */
bool uet_native_is_reserved(u8 proto)
{
	return memchr(native_reserved, proto, sizeof(native_reserved));
}

/*
 * A namespace that is being removed will lose its counters; packets that arrive
 * then are not counted.
 */
static void native_drop(struct uet_net *un, struct sk_buff *skb)
{
	/* Pairs with the WRITE_ONCE() in netns_exit(). */
	if (!READ_ONCE(un->dead)) {
		uet_drop_count(un, UET_DROP_NO_FEP);
		uet_mib_inc(un, UET_MIB_RX_DROPS);
	}
	kfree_skb(skb);
}

static void native_rcv(struct sk_buff *skb, const struct uet_fa *to, u8 proto,
		       u8 dsfield)
{
	struct uet_net *un = uet_net(dev_net(skb->dev));
	struct uet_fep *fep = uet_fep_find_fa(un, to);
	u8 code;

	if (!fep || fep->carrier != &uet_native_carrier ||
	    fep->cfg.proto != proto) {
		native_drop(un, skb);
		return;
	}
	code = uet_trim_code(fep, dsfield);
	if (code)
		fep->rcv->trimmed(fep, skb, code);
	else
		fep->rcv->packet(fep, skb);
}

/* Under rcu_read_lock(). Return: 0, the packet was consumed. */
static int native_rcv_v4(struct sk_buff *skb)
{
	const struct uet_fa to = uet_fa_v4(ip_hdr(skb)->daddr);

	native_rcv(skb, &to, ip_hdr(skb)->protocol,
		   ipv4_get_dsfield(ip_hdr(skb)));
	return 0;
}

/* Under rcu_read_lock(). Return: 0, the packet was consumed. */
static int native_rcv_v6(struct sk_buff *skb)
{
	const struct uet_fa to = uet_fa_v6(&ipv6_hdr(skb)->daddr,
					   skb->skb_iif);

	/* The next-header field of the last header before the packet. */
	native_rcv(skb, &to, skb_network_header(skb)[IP6CB(skb)->nhoff],
		   ipv6_get_dsfield(ipv6_hdr(skb)));
	return 0;
}

/* ICMP errors for packets of others are ignored. */
static void native_err(struct sk_buff *skb, const struct uet_fa *from, u8 proto,
		       u32 offset)
{
	struct uet_fep *fep = uet_fep_find_fa(uet_net(dev_net(skb->dev)), from);

	if (fep && fep->carrier == &uet_native_carrier &&
	    fep->cfg.proto == proto)
		fep->rcv->icmp(fep, skb, offset);
}

/* Under rcu_read_lock(), the quoted packet in front. Return: 0. */
static int native_err_v4(struct sk_buff *skb, u32 info)
{
	const struct iphdr *iph = (const struct iphdr *)skb->data;
	const struct uet_fa from = uet_fa_v4(iph->saddr);

	native_err(skb, &from, iph->protocol, iph->ihl * 4);
	return 0;
}

/* Under rcu_read_lock(), the quoted packet in front. Return: 0. */
static int native_err_v6(struct sk_buff *skb, struct inet6_skb_parm *opt,
			 u8 type, u8 code, int offset, __be32 info)
{
	const struct ipv6hdr *ip6h = (const struct ipv6hdr *)skb->data;
	const struct uet_fa from = uet_fa_v6(&ip6h->saddr, skb->skb_iif);

	/* Packets are sent without extension headers. */
	native_err(skb, &from, ip6h->nexthdr, offset);
	return 0;
}

static const struct net_protocol native_v4 = {
	.handler = native_rcv_v4,
	.err_handler = native_err_v4,
};

static const struct inet6_protocol native_v6 = {
	.handler = native_rcv_v6,
	.err_handler = native_err_v6,
	.flags = INET6_PROTO_FINAL,
};

static bool native_is_v6(const struct uet_fep *fep)
{
	return fep->cfg.fa.family == AF_INET6;
}

static int native_open_fep(struct uet_fep *fep, struct netlink_ext_ack *extack)
{
	unsigned int *users;
	u8 proto = fep->cfg.proto;
	int err = 0;

	users = &native_users[native_is_v6(fep)][proto];
	mutex_lock(&native_mutex);
	if (!*users)
		err = native_is_v6(fep) ? inet6_add_protocol(&native_v6, proto) :
					  inet_add_protocol(&native_v4, proto);
	if (!err)
		++*users;
	mutex_unlock(&native_mutex);
	if (err) {
		NL_SET_ERR_MSG(extack, "fep: proto is taken: the kernel has a handler for it");
		return -EBUSY;
	}
	return 0;
}

/*
 * Wait for readers: the handler finds the FEP on the list under RCU, and the
 * FEP is off the list now. For the last FEP with its number,
 * inet_del_protocol() waits until no CPU runs the handler.
 */
static void native_close_fep(struct uet_fep *fep)
{
	unsigned int *users;
	u8 proto = fep->cfg.proto;

	users = &native_users[native_is_v6(fep)][proto];
	mutex_lock(&native_mutex);
	if (--*users == 0) {
		if (native_is_v6(fep))
			inet6_del_protocol(&native_v6, proto);
		else
			inet_del_protocol(&native_v4, proto);
	}
	mutex_unlock(&native_mutex);
	synchronize_net();
}

static void native_put_head(const struct uet_fep *fep, u16 ev, u32 len,
			    union uet_carrier_head *head)
{
	uet_wire_entropy_encode(ev, head->entropy, sizeof(head->entropy));
}

const struct uet_carrier uet_native_carrier = {
	.head_len = UET_ENTROPY_LEN,
	.open = native_open_fep,
	.close = native_close_fep,
	.put_head = native_put_head,
};
