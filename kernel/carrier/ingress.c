// SPDX-License-Identifier: GPL-2.0
/*
 * Fast receive path: a netfilter hook at the netdev of a rail passes the packets for the FEPs of
 * the host to rx.c.  These packets skip the route and socket look-up.  They also skip the
 * firewall's PREROUTING and INPUT rules, connection tracking, and the source address check, so an
 * administrator enables the hook per rail.  nftables chains at the ingress of the netdev run
 * first, whatever their priority.
 *
 * The hook takes only unambiguous packets: to the address and port of a FEP with UDP
 * encapsulation, complete, with consistent lengths, from a valid source address.  All other
 * packets go on to IP, which handles and counts them: fragments, options, extension headers,
 * checksums, trimmed packets, VLANs.
 * Spec: UE 1.0.1 3.5.10.1, uet-wire 1.4.
 */
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/netfilter.h>
#include <linux/udp.h>
#include <net/dsfield.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/xfrm.h>

#include "burst.h"

/*
 * struct ingress - a packet at the hook; on the stack
 * @ip_head: length of its IP header, bytes
 * @ip_len: length from its IP header on, bytes
 */
struct ingress {
	struct uet_net *un;
	struct uet_fa from;
	struct uet_fa to;
	struct udphdr udp;
	u32 ip_head;
	u32 ip_len;
	u8 dsfield;
};

/* Return: true for plain UDP over IPv4, without options or fragments. */
static bool ingress_look_v4(const struct sk_buff *skb, struct ingress *in)
{
	struct {
		struct iphdr ip;
		struct udphdr udp;
	} space;
	const typeof(space) *head;

	head = skb_header_pointer(skb, 0, sizeof(space), &space);
	if (!head || head->ip.version != 4 || head->ip.ihl != 5 ||
	    head->ip.protocol != IPPROTO_UDP || ip_is_fragment(&head->ip) ||
	    ip_fast_csum(&head->ip, 5) || ipv4_is_loopback(head->ip.saddr))
		return false;
	in->from = uet_fa_v4(head->ip.saddr);
	in->to = uet_fa_v4(head->ip.daddr);
	in->udp = head->udp;
	in->ip_head = sizeof(head->ip);
	in->ip_len = ntohs(head->ip.tot_len);
	in->dsfield = ipv4_get_dsfield(&head->ip);
	return true;
}

/* Return: true for plain UDP over IPv6, without extension headers. */
static bool ingress_look_v6(const struct sk_buff *skb, struct ingress *in)
{
	struct {
		struct ipv6hdr ip;
		struct udphdr udp;
	} space;
	const typeof(space) *head;

	head = skb_header_pointer(skb, 0, sizeof(space), &space);
	if (!head || head->ip.version != 6 || head->ip.nexthdr != IPPROTO_UDP ||
	    ipv6_addr_loopback(&head->ip.saddr))
		return false;
	in->from = uet_fa_v6(&head->ip.saddr, skb->skb_iif);
	in->to = uet_fa_v6(&head->ip.daddr, skb->skb_iif);
	in->udp = head->udp;
	in->ip_head = sizeof(head->ip);
	in->ip_len = sizeof(head->ip) + ntohs(head->ip.payload_len);
	in->dsfield = ipv6_get_dsfield(&head->ip);
	return true;
}

/* Return: the FEP that takes the packet, or NULL: IP handles the packet. */
static struct uet_fep *ingress_fep(const struct sk_buff *skb, const struct ingress *in)
{
	struct uet_fep *fep = uet_fep_find_fa(in->un, &in->to);

	if (!fep || fep->cfg.encap != UET_ENCAP_UDP ||
	    in->udp.dest != htons(fep->cfg.port) || in->udp.check ||
	    in->ip_len > skb->len || in->ip_len != in->ip_head + ntohs(in->udp.len) ||
	    ntohs(in->udp.len) < sizeof(in->udp))
		return NULL;
	if (uet_trim_code(fep, in->dsfield) || !uet_fa_is_unicast(&in->from) ||
	    uet_fep_find_fa(in->un, &in->from))
		return NULL;
	return fep;
}

/* Prepare the packet as IP does for UDP. Return: false without memory. */
static bool ingress_prepare(struct sk_buff *skb, const struct ingress *in)
{
	if (!pskb_may_pull(skb, in->ip_head + sizeof(in->udp)) || pskb_trim_rcsum(skb, in->ip_len))
		return false;
	memset(skb->cb, 0, sizeof(skb->cb));
	__skb_pull(skb, in->ip_head);
	skb_reset_transport_header(skb);
	return true;
}

/* Softirq, under rcu_read_lock(). */
static unsigned int ingress_hook(void *priv, struct sk_buff *skb, const struct nf_hook_state *state)
{
	const struct uet_rail *rail = priv;
	struct ingress in = { .un = rail->un };
	struct uet_fep *fep;
	bool is_udp;

	if (skb->pkt_type != PACKET_HOST || skb_vlan_tag_present(skb) ||
	    (skb_is_gso(skb) && !uet_burst_is(skb)))
		return NF_ACCEPT;
	is_udp = skb->protocol == htons(ETH_P_IP) ? ingress_look_v4(skb, &in) :
		 skb->protocol == htons(ETH_P_IPV6) && ingress_look_v6(skb, &in);
	if (!is_udp)
		return NF_ACCEPT;
	fep = ingress_fep(skb, &in);
	if (!fep)
		return NF_ACCEPT;
	if (!xfrm_policy_check(NULL, XFRM_POLICY_IN, skb, in.to.family))
		return NF_DROP;
	/* A packet capture may hold a reference. */
	skb = skb_share_check(skb, GFP_ATOMIC);
	if (skb && ingress_prepare(skb, &in)) {
		fep->rcv->packet(fep, skb);
		return NF_STOLEN;
	}
	kfree_skb(skb);
	uet_drop_count(in.un, UET_DROP_NO_MEMORY);
	uet_mib_inc(in.un, UET_MIB_RX_DROPS);
	return NF_STOLEN;
}

/*
 * uet_ingress_set() - switch the ingress hook of a rail on or off
 *
 * A CPU may still run the hook after it is off.  The code that frees the rail, FEPs, the
 * namespace or the module therefore waits for RCU readers.
 *
 * Context: Process context, uet_net.rail_mutex held.
 * Return: 0; if @on, the error of netfilter without any change: -ENOMEM; -EOPNOTSUPP: the kernel
 *	has no ingress hooks.
 */
int uet_ingress_set(struct uet_rail *rail, bool on, struct netlink_ext_ack *extack)
{
	struct net *net = rail->un->net;
	int err;

	lockdep_assert_held(&rail->un->rail_mutex);

	if (rail->is_ingress == on)
		return 0;
	if (on) {
		rail->ingress = (struct nf_hook_ops) {
			.hook = ingress_hook,
			.dev = rail->dev,
			.priv = rail,
			.pf = NFPROTO_NETDEV,
			.hooknum = NF_NETDEV_INGRESS,
			.priority = INT_MAX,
		};
		err = nf_register_net_hook(net, &rail->ingress);
		if (err)
			return uet_refuse(extack, err,
					  "rail: no ingress hook: out of memory, or not in this kernel");
	} else {
		nf_unregister_net_hook(net, &rail->ingress);
	}
	/* Pairs with the READ_ONCE() in uet_nl_fill_rail(). */
	WRITE_ONCE(rail->is_ingress, on);
	return 0;
}
