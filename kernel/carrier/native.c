// SPDX-License-Identifier: GPL-2.0
/*
 * The native IP carrier: packets have the entropy header but no UDP header after the IP header,
 * under the FEP's IP protocol number.  A netfilter hook takes the packets for the address and
 * number of a FEP, in namespaces that have such a FEP.  No handler is registered with IP, because
 * the root of any user namespace may create a FEP, and a handler would take the packets of all
 * namespaces.  All other packets go on to IP: to a raw socket, or to the ICMP error that says
 * that nobody uses the number.
 *
 * The hook runs last at its hook point, so packets that a firewall drops stay dropped.  IPv4 has
 * reassembled fragments by then, IPv6 has not; rx_packet.c refuses both.  ICMP errors are a
 * hint about paths, see path.c.
 * Spec: UE 1.0.1 3.5.10.1, Table 3-31, uet-wire 1.3, 1.4, 1.7.
 */
#include <linux/icmp.h>
#include <linux/icmpv6.h>
#include <linux/netfilter.h>
#include <linux/netfilter_ipv4.h>
#include <net/checksum.h>
#include <net/dsfield.h>
#include <net/ip6_checksum.h>
#include <net/ipv6.h>
#include <net/protocol.h>
#include <net/xfrm.h>

#include "base/base.h"
#include "burst.h"

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
	112 /* VRRP */, 115 /* L2TP */, 124 /* IS-IS */, IPPROTO_SCTP, IPPROTO_MH,
	IPPROTO_UDPLITE, IPPROTO_MPLS, 139 /* HIP */, 140 /* Shim6 */,
	IPPROTO_ETHERNET,
};

/*
 * uet_native_is_reserved() - may no FEP use this IP protocol number?
 */
bool uet_native_is_reserved(u8 proto)
{
	return memchr(native_reserved, proto, sizeof(native_reserved));
}

/* The native FEP of an address and number, or NULL.  Context: rcu_read_lock() held. */
struct uet_fep *uet_native_fep(struct uet_net *un, const struct uet_fa *fa, u8 proto)
{
	struct uet_fep *fep;

	/* Most packets of a host have one of these numbers. */
	if (uet_native_is_reserved(proto))
		return NULL;
	fep = uet_fep_find_fa(un, fa);
	return fep && fep->cfg.encap == UET_ENCAP_NATIVE && fep->cfg.proto == proto ? fep : NULL;
}

/*
 * Receive a packet whose carrier header begins at @off.  IP would have checked the IPsec policy
 * and dropped the connection tracking entry.
 */
static unsigned int native_take(struct uet_fep *fep, struct sk_buff *skb, u32 off, u8 dsfield)
{
	u8 code;

	if (!xfrm_policy_check(NULL, XFRM_POLICY_IN, skb, fep->cfg.fa.family) ||
	    !pskb_may_pull(skb, off))
		return NF_DROP;
	nf_reset_ct(skb);
	__skb_pull(skb, off);
	skb_reset_transport_header(skb);
	code = uet_trim_code(fep, dsfield);
	if (code)
		fep->rcv->trimmed(fep, skb, code);
	else
		fep->rcv->packet(fep, skb);
	return NF_STOLEN;
}

/*
 * Report an ICMP error to the FEP whose packet it quotes at @quote, with its carrier header at
 * @carrier in it.  IP handles the error as well.
 */
static void native_icmp(struct uet_fep *fep, struct sk_buff *skb, u32 quote, u32 carrier)
{
	__skb_pull(skb, quote);
	fep->rcv->icmp(fep, skb, carrier);
	__skb_push(skb, quote);
}

static void native_icmp4(struct uet_net *un, struct sk_buff *skb, u32 off)
{
	u32 quote = off + sizeof(struct icmphdr);
	const struct icmphdr *icmp;
	const struct iphdr *quoted;
	struct uet_fep *fep;
	struct uet_fa from;

	if (!pskb_may_pull(skb, quote + sizeof(*quoted)))
		return;
	icmp = (const struct icmphdr *)(skb->data + off);
	quoted = (const struct iphdr *)(skb->data + quote);
	if (icmp->type != ICMP_DEST_UNREACH || icmp->code != ICMP_FRAG_NEEDED)
		return;
	from = uet_fa_v4(quoted->saddr);
	fep = uet_native_fep(un, &from, quoted->protocol);
	if (fep && !csum_fold(skb_checksum(skb, off, skb->len - off, 0)))
		native_icmp(fep, skb, quote, quoted->ihl * 4);
}

/* Packets are sent without extension headers. */
static void native_icmp6(struct uet_net *un, struct sk_buff *skb, u32 off)
{
	u32 quote = off + sizeof(struct icmp6hdr), len = skb->len - off;
	const struct icmp6hdr *icmp;
	const struct ipv6hdr *quoted;
	struct uet_fep *fep;
	struct uet_fa from;

	if (!pskb_may_pull(skb, quote + sizeof(*quoted)))
		return;
	icmp = (const struct icmp6hdr *)(skb->data + off);
	quoted = (const struct ipv6hdr *)(skb->data + quote);
	if (icmp->icmp6_type != ICMPV6_PKT_TOOBIG)
		return;
	from = uet_fa_v6(&quoted->saddr, skb->skb_iif);
	fep = uet_native_fep(un, &from, quoted->nexthdr);
	if (fep && !csum_ipv6_magic(&ipv6_hdr(skb)->saddr, &ipv6_hdr(skb)->daddr, len,
				    IPPROTO_ICMPV6, skb_checksum(skb, off, len, 0)))
		native_icmp(fep, skb, quote, sizeof(*quoted));
}

/* Softirq, under rcu_read_lock(). */
static unsigned int native_hook4(struct uet_net *un, struct sk_buff *skb)
{
	const struct iphdr *ip = ip_hdr(skb);
	struct uet_fep *fep;
	struct uet_fa to;

	if (ip->protocol == IPPROTO_ICMP) {
		native_icmp4(un, skb, ip_hdrlen(skb));
		return NF_ACCEPT;
	}
	to = uet_fa_v4(ip->daddr);
	fep = uet_native_fep(un, &to, ip->protocol);
	return fep ? native_take(fep, skb, ip_hdrlen(skb), ipv4_get_dsfield(ip)) : NF_ACCEPT;
}

/* The first fragment of a packet is refused for all of them; the others are useless without it. */
static unsigned int native_hook6(struct uet_net *un, struct sk_buff *skb)
{
	const struct ipv6hdr *ip = ipv6_hdr(skb);
	u16 frag_off = 0;
	unsigned int off = 0;
	struct uet_fep *fep;
	struct uet_fa to;
	int flags = 0;
	int proto;

	proto = ipv6_find_hdr(skb, &off, -1, &frag_off, &flags);
	if (proto < 0)
		return NF_ACCEPT;
	if (proto == IPPROTO_ICMPV6) {
		if (!(flags & IP6_FH_F_FRAG))
			native_icmp6(un, skb, off);
		return NF_ACCEPT;
	}
	to = uet_fa_v6(&ip->daddr, skb->skb_iif);
	fep = uet_native_fep(un, &to, proto);
	if (!fep)
		return NF_ACCEPT;
	if (frag_off)
		return NF_DROP;
	if (flags & IP6_FH_F_FRAG)
		IP6CB(skb)->flags |= IP6SKB_FRAGMENTED;
	return native_take(fep, skb, off, ipv6_get_dsfield(ip));
}

static unsigned int native_hook(void *priv, struct sk_buff *skb, const struct nf_hook_state *state)
{
	struct uet_net *un = uet_net(state->net);

	return state->pf == NFPROTO_IPV4 ? native_hook4(un, skb) : native_hook6(un, skb);
}

static const struct nf_hook_ops native_hooks = {
	.hook = native_hook,
	.pf = NFPROTO_INET,
	.hooknum = NF_INET_LOCAL_IN,
	.priority = NF_IP_PRI_LAST,
};

/* Does the kernel have a handler for the number? */
static bool native_is_taken(const struct uet_fep *fep)
{
	u8 proto = fep->cfg.proto;

	if (uet_carrier_is_v4(fep))
		return rcu_access_pointer(inet_protos[proto]);
	return rcu_access_pointer(inet6_protos[proto]);
}

static int native_open_fep(struct uet_fep *fep, struct netlink_ext_ack *extack)
{
	struct uet_net *un = fep->un;
	int err;

	if (native_is_taken(fep))
		return uet_refuse(extack, -EBUSY,
				  "fep: proto is taken: the kernel has a handler for it");
	if (!un->nr_native) {
		err = nf_register_net_hook(un->net, &native_hooks);
		if (err)
			return uet_refuse(extack, err,
					  "fep: no hook for native packets: out of memory");
	}
	un->nr_native++;
	uet_offload_open(fep);
	return 0;
}

/* The hook finds the FEP in uet_net, and the FEP is not listed any more. */
static void native_close_fep(struct uet_fep *fep)
{
	struct uet_net *un = fep->un;

	uet_offload_close(fep);
	if (!--un->nr_native)
		nf_unregister_net_hook(un->net, &native_hooks);
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
