// SPDX-License-Identifier: GPL-2.0
/*
 * The short way in: a netfilter hook at the netdev of a rail hands the packets
 * for the FEPs of the host to rx.c.  What a packet is spared is the look-up of
 * a route and of a socket; what it is not subject to any more are the firewall's
 * PREROUTING and INPUT rules, connection tracking, and the check of its source
 * address.  So an administrator has to want it, rail by rail.  nftables chains
 * at the ingress of the netdev come first, whatever their priority.
 *
 * Only what can be nothing else is taken: to the address and port of a FEP in
 * its UDP form, whole, with lengths that agree, from an address that can send.
 * Everything odd goes on to IP, which knows what to do with it and counts it:
 * fragments, options, extension headers, checksums, trimmed packets, VLANs.
 * Spec: UE 1.0.1 3.5.10.1, uet-wire 1.4.  Level: shell.
 */
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/netfilter.h>
#include <linux/udp.h>
#include <net/dsfield.h>
#include <net/ip.h>
#include <net/ipv6.h>

#include "carrier.h"
#include "fabric/fabric.h"
#include "ingress.h"
#include "trim.h"

/**
 * struct ingress - a packet at the hook; on the stack
 * @un: namespace
 * @from: its source
 * @to: its destination
 * @udp: its UDP header
 * @ip_head: bytes of its IP header
 * @ip_len: bytes from its IP header on
 * @dsfield: its ToS or traffic class byte
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

/* Return: it is UDP over IPv4 without anything unusual. */
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

/* Return: it is UDP over IPv6 without anything unusual. */
static bool ingress_look_v6(const struct sk_buff *skb, struct ingress *in)
{
	struct {
		struct ipv6hdr ip;
		struct udphdr udp;
	} space;
	const typeof(space) *head;

	head = skb_header_pointer(skb, 0, sizeof(space), &space);
	if (!head || head->ip.version != 6 ||
	    head->ip.nexthdr != IPPROTO_UDP ||
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

static bool ingress_look(const struct sk_buff *skb, struct ingress *in)
{
	switch (skb->protocol) {
	case htons(ETH_P_IP):
		return ingress_look_v4(skb, in);
	case htons(ETH_P_IPV6):
		return ingress_look_v6(skb, in);
	default:
		return false;
	}
}

/* Return: the FEP that gets the packet, or NULL: IP gets it. */
static struct uet_fep *ingress_fep(const struct sk_buff *skb,
				   const struct ingress *in)
{
	struct uet_fep *fep = uet_fep_find_fa(in->un, &in->to);

	if (!fep || fep->carrier != &uet_udp_carrier ||
	    in->udp.dest != htons(fep->cfg.port) || in->udp.check ||
	    in->ip_len > skb->len ||
	    in->ip_len != in->ip_head + ntohs(in->udp.len) ||
	    ntohs(in->udp.len) < sizeof(in->udp))
		return NULL;
	if (uet_trim_code(fep, in->dsfield) || !uet_fa_is_unicast(&in->from) ||
	    uet_fep_find_fa(in->un, &in->from))
		return NULL;
	return fep;
}

/* As IP leaves a packet to UDP.  Return: false without memory. */
static bool ingress_prepare(struct sk_buff *skb, const struct ingress *in)
{
	if (!pskb_may_pull(skb, in->ip_head + sizeof(in->udp)) ||
	    pskb_trim_rcsum(skb, in->ip_len))
		return false;
	memset(skb->cb, 0, sizeof(skb->cb));
	__skb_pull(skb, in->ip_head);
	skb_reset_transport_header(skb);
	return true;
}

/* Softirq, under rcu_read_lock(). */
static unsigned int ingress_hook(void *priv, struct sk_buff *skb,
				 const struct nf_hook_state *state)
{
	const struct uet_rail *rail = priv;
	struct ingress in = { .un = rail->un };
	struct uet_fep *fep;

	if (skb->pkt_type != PACKET_HOST || skb_vlan_tag_present(skb) ||
	    skb_is_gso(skb) || !ingress_look(skb, &in))
		return NF_ACCEPT;
	fep = ingress_fep(skb, &in);
	if (!fep)
		return NF_ACCEPT;
	/* Somebody who captures packets may have a reference. */
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

/**
 * uet_ingress_set() - switch the ingress hook of a rail
 * @rail: rail
 * @on: packets do not go through IP
 * @extack: says why not; NULL to switch it off
 *
 * Somebody may still be in the hook when it is off: whoever frees what it looks
 * at, rail, FEPs, namespace or code, waits for RCU readers.
 *
 * Context: Process context, uet_net.cfg_mutex held.
 * Return: 0; if @on, what netfilter returned, and nothing was changed:
 *	-ENOMEM; -EOPNOTSUPP: the kernel has no such hooks.
 */
int uet_ingress_set(struct uet_rail *rail, bool on,
		    struct netlink_ext_ack *extack)
{
	struct net *net = rail->un->net;
	int err;

	lockdep_assert_held(&rail->un->cfg_mutex);

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
		if (err) {
			NL_SET_ERR_MSG(extack, "rail: no ingress hook: out of memory, or not in this kernel");
			return err;
		}
	} else {
		nf_unregister_net_hook(net, &rail->ingress);
	}
	/* Pairs with the READ_ONCE() in nl_rail_fill(). */
	WRITE_ONCE(rail->is_ingress, on);
	return 0;
}
