// SPDX-License-Identifier: GPL-2.0
/*
 * Trimmed packets: a switch that would drop a request truncates it after the
 * PDS header and sets a special DSCP. The switch adjusts the length in the IP
 * header but not in the UDP header. UDP drops such a packet as damaged before
 * any socket gets it. A netfilter hook therefore takes trimmed packets before
 * UDP, while any FEP has a DSCP for them. The hook runs last at its hook point,
 * so packets that a firewall drops stay dropped. The native form has no such
 * length field; native.c calls uet_trim_code() directly.
 *
 * Every packet for the address and port of a FEP with one of its DSCPs is
 * taken, whatever its length: a short packet looks the same trimmed or
 * complete.
 * Spec: UE 1.0.1 3.6.4.4, 4.1, uet-wire 1.8.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/netfilter.h>
#include <linux/netfilter_ipv4.h>
#include <linux/netfilter_ipv6.h>
#include <linux/rculist.h>
#include <linux/udp.h>
#include <net/dsfield.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/xfrm.h>

#include "base/base.h"
#include "carrier.h"
#include "fabric/fabric.h"
#include "trim.h"

/*
 * Check whether a packet for a FEP was trimmed.
 * @dsfield: ToS or traffic class byte of the packet
 *
 * Context: rcu_read_lock() held.
 * Return: the NACK code of the answer, 0 if the packet was not trimmed.
 * Spec: UE 1.0.1 3.6.4.4.
 */
u8 uet_trim_code(const struct uet_fep *fep, u8 dsfield)
{
	const struct uet_fep_settings *settings = uet_fep_settings(fep);
	u8 dscp = dsfield >> 2;

	if (dscp == settings->dscp_trimmed)
		return UET_NACK_TRIMMED;
	if (dscp == settings->dscp_trimmed_lasthop)
		return UET_NACK_TRIMMED_LASTHOP;
	return 0;
}

/* Return: the FEP that takes the packet as trimmed, and *@code, or NULL. */
static struct uet_fep *trim_fep(struct uet_net *un, const struct uet_fa *to,
				u16 port, u8 dsfield, u8 *code)
{
	struct uet_fep *fep = uet_fep_find_fa(un, to);

	if (!fep || fep->carrier != &uet_udp_carrier || fep->cfg.port != port)
		return NULL;
	*code = uet_trim_code(fep, dsfield);
	return *code ? fep : NULL;
}

/* Leaves the packet starting at the UDP header, in the linear part. */
static unsigned int trim_take(struct sk_buff *skb, unsigned int udp_off,
			      const struct uet_fa *to, u8 dsfield,
			      struct net *net)
{
	const struct udphdr *udp;
	struct udphdr space;
	struct uet_fep *fep;
	u8 code;

	udp = skb_header_pointer(skb, udp_off, sizeof(space), &space);
	if (!udp)
		return NF_ACCEPT;
	fep = trim_fep(uet_net(net), to, ntohs(udp->dest), dsfield, &code);
	if (!fep || !pskb_may_pull(skb, udp_off + sizeof(*udp)))
		return NF_ACCEPT;
	if (!xfrm_policy_check(NULL, XFRM_POLICY_IN, skb, to->family))
		return NF_DROP;
	__skb_pull(skb, udp_off);
	fep->rcv->trimmed(fep, skb, code);
	return NF_STOLEN;
}

static unsigned int trim_hook4(void *priv, struct sk_buff *skb,
			       const struct nf_hook_state *state)
{
	const struct iphdr *ip = ip_hdr(skb);
	struct uet_fa to;

	if (ip->protocol != IPPROTO_UDP)
		return NF_ACCEPT;
	to = uet_fa_v4(ip->daddr);
	return trim_take(skb, ip_hdrlen(skb), &to, ipv4_get_dsfield(ip),
			 state->net);
}

static unsigned int trim_hook6(void *priv, struct sk_buff *skb,
			       const struct nf_hook_state *state)
{
	const struct ipv6hdr *ip = ipv6_hdr(skb);
	struct uet_fa to;
	__be16 frag_off;
	u8 next = ip->nexthdr;
	int off;

	off = ipv6_skip_exthdr(skb, sizeof(*ip), &next, &frag_off);
	if (off < 0 || next != IPPROTO_UDP || frag_off)
		return NF_ACCEPT;
	to = uet_fa_v6(&ip->daddr, skb->skb_iif);
	return trim_take(skb, off, &to, ipv6_get_dsfield(ip), state->net);
}

static const struct nf_hook_ops trim_hooks[] = {
	{
		.hook = trim_hook4,
		.pf = NFPROTO_IPV4,
		.hooknum = NF_INET_LOCAL_IN,
		.priority = NF_IP_PRI_LAST,
	}, {
		.hook = trim_hook6,
		.pf = NFPROTO_IPV6,
		.hooknum = NF_INET_LOCAL_IN,
		.priority = NF_IP6_PRI_LAST,
	},
};

/**
 * uet_trim_want() - register or unregister a FEP for trimmed packets
 * @fep: FEP; gets trimmed packets while registered and on uet_net.feps
 * @wants: true to register
 * @extack: error text
 *
 * A CPU may still run the hook after the last FEP is unregistered. The code that
 * frees FEPs, the namespace or the module therefore waits for RCU readers.
 *
 * Context: Process context, uet_net.cfg_mutex held.
 * Return: 0; if @wants, -ENOMEM or the error of netfilter, without any change.
 */
int uet_trim_want(struct uet_fep *fep, bool wants,
		  struct netlink_ext_ack *extack)
{
	struct uet_net *un = fep->un;
	int err;

	lockdep_assert_held(&un->cfg_mutex);

	wants = wants && fep->carrier == &uet_udp_carrier;
	if (fep->wants_trimmed == wants)
		return 0;
	if (wants && !un->nr_wants_trimmed) {
		err = nf_register_net_hooks(un->net, trim_hooks,
					    ARRAY_SIZE(trim_hooks));
		if (err) {
			NL_SET_ERR_MSG(extack, "fep: no hook for trimmed packets: out of memory");
			return err;
		}
	}
	fep->wants_trimmed = wants;
	un->nr_wants_trimmed += wants ? 1 : -1;
	if (!un->nr_wants_trimmed)
		nf_unregister_net_hooks(un->net, trim_hooks,
					ARRAY_SIZE(trim_hooks));
	return 0;
}
