// SPDX-License-Identifier: GPL-2.0
/*
 * The UDP carrier: one encapsulation socket per FEP, bound to its fabric address and port, passes
 * datagrams to rx.c.  Packets are sent with the entropy value as source port, and checksum 0.
 * Two pairs of netfilter hooks stand beside the sockets: one takes trimmed packets, the other
 * guards the ports.  All run last at their hook points, so packets that a firewall drops stay
 * dropped, and they see the ports that it may have changed.
 * Spec: UE 1.0.1 3.5.10.1, 3.6.4.4, 4.1, uet-wire 1.2, 1.4, 1.7, 1.8.
 */
#include <linux/bitmap.h>
#include <linux/capability.h>
#include <linux/file.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/module.h>
#include <linux/netfilter.h>
#include <linux/netfilter_ipv4.h>
#include <linux/udp.h>
#include <net/dsfield.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/sock.h>
#include <net/udp.h>
#include <net/xfrm.h>

#include "base/base.h"
#include "burst.h"

/* Any non-zero value: udp_sock.encap_type only enables encap_rcv. */
#define UDP_ENCAP_TYPE	1

/**
 * struct udp_datagram - where UDP begins in a packet of netfilter
 * @off: offset of the UDP header
 * @is_part: a fragment but the first
 */
struct udp_datagram {
	unsigned int off;
	bool is_part;
};

/* Return: false: the packet is not of UDP.  A user may add a routing header of IPv6. */
static bool udp_find(const struct sk_buff *skb, const struct nf_hook_state *state,
		     struct udp_datagram *udp)
{
	__be16 frag_off = 0;
	u8 proto;
	int off;

	if (state->pf == NFPROTO_IPV4) {
		udp->is_part = false;
		udp->off = ip_hdrlen(skb);
		return ip_hdr(skb)->protocol == IPPROTO_UDP;
	}
	proto = ipv6_hdr(skb)->nexthdr;
	off = ipv6_skip_exthdr(skb, sizeof(struct ipv6hdr), &proto, &frag_off);
	udp->is_part = frag_off;
	udp->off = off;
	return off >= 0 && proto == IPPROTO_UDP;
}

/* ------------------------------------------------------------------ ports */

/*
 * A UET packet names its job itself and peers trust the kernel that sent it (UE 1.0.1 3.4.7), so
 * a datagram from any UDP socket could claim any job.  While a FEP of a namespace uses a port,
 * the hooks drop the packets that other sockets of the namespace send to that port, at any
 * address: before loopback delivers them to a FEP of this host, and before they leave for a FEP
 * of another host.
 *
 * A socket passes if it was opened with CAP_NET_RAW or CAP_NET_ADMIN in the user namespace
 * that owns the network namespace; its opener could use a raw socket just as well.  The
 * sockets of the kernel pass, and those of this module: only FEPs send packets for them.
 * Native IP needs no guard, because only raw sockets send other protocols.
 */

/*
 * struct uet_port_guard - the guarded ports of a namespace
 * @ports: bit N: a FEP uses UDP port N
 */
struct uet_port_guard {
	struct rcu_head rcu;
	DECLARE_BITMAP(ports, U16_MAX + 1);
};

/* May the sender of a packet use the port of a FEP? */
static bool guard_trusts(struct sock *sk, const struct net *net)
{
	bool is_trusted = false;

	if (!sk || !sk_fullsock(sk) || sk->sk_kern_sock || sk->sk_prot->owner == THIS_MODULE)
		return true;
	read_lock_bh(&sk->sk_callback_lock);
	if (sk->sk_socket && sk->sk_socket->file)
		is_trusted = file_ns_capable(sk->sk_socket->file, net->user_ns, CAP_NET_RAW) ||
			     file_ns_capable(sk->sk_socket->file, net->user_ns, CAP_NET_ADMIN);
	read_unlock_bh(&sk->sk_callback_lock);
	return is_trusted;
}

static unsigned int guard_hook(void *priv, struct sk_buff *skb, const struct nf_hook_state *state)
{
	const struct uet_port_guard *guard;
	struct udp_datagram datagram;
	const struct udphdr *udp;
	struct udphdr space;
	struct uet_net *un;

	if (!udp_find(skb, state, &datagram))
		return NF_ACCEPT;
	un = uet_net(state->net);
	guard = rcu_dereference(un->port_guard);
	udp = skb_header_pointer(skb, datagram.off, sizeof(space), &space);
	if (!guard || !udp || !test_bit(ntohs(udp->dest), guard->ports))
		return NF_ACCEPT;
	/* They differ if the packet is from a tunnel on a socket. */
	if (guard_trusts(skb->sk, state->net) && guard_trusts(state->sk, state->net))
		return NF_ACCEPT;
	uet_drop_count(un, UET_DROP_LOCAL_USER);
	return NF_DROP;
}

static const struct nf_hook_ops guard_hooks = {
	.hook = guard_hook,
	.pf = NFPROTO_INET,
	.hooknum = NF_INET_LOCAL_OUT,
	.priority = NF_IP_PRI_LAST,
};

static int guard_start(struct uet_net *un)
{
	struct uet_port_guard *guard = kzalloc(sizeof(*guard), GFP_KERNEL_ACCOUNT);
	int err;

	if (!guard)
		return -ENOMEM;
	rcu_assign_pointer(un->port_guard, guard);
	err = nf_register_net_hook(un->net, &guard_hooks);
	if (err) {
		RCU_INIT_POINTER(un->port_guard, NULL);
		kfree_rcu(guard, rcu);
	}
	return err;
}

/* Keep unprivileged sockets off the port of a FEP. */
static int guard_open(const struct uet_fep *fep, struct netlink_ext_ack *extack)
{
	struct uet_net *un = fep->un;
	struct uet_port_guard *guard;
	int err;

	lockdep_assert_held(&un->cfg_mutex);

	if (!rcu_access_pointer(un->port_guard)) {
		err = guard_start(un);
		if (err)
			return uet_refuse(extack, err,
					  "fep: no hook to guard its port: out of memory");
	}
	guard = rcu_dereference_protected(un->port_guard, true);
	set_bit(fep->cfg.port, guard->ports);
	return 0;
}

/*
 * The port stays guarded while another FEP uses it.  A CPU may still run the hooks afterwards:
 * the code that frees the namespace or the module waits for RCU readers.
 */
static void guard_close(const struct uet_fep *fep)
{
	struct uet_net *un = fep->un;
	struct uet_port_guard *guard;
	unsigned long number;
	struct uet_fep *other;

	lockdep_assert_held(&un->cfg_mutex);

	xa_for_each(&un->feps, number, other) {
		if (other->carrier == fep->carrier && other->cfg.port == fep->cfg.port)
			return;
	}
	guard = rcu_dereference_protected(un->port_guard, true);
	clear_bit(fep->cfg.port, guard->ports);
	if (!bitmap_empty(guard->ports, U16_MAX + 1))
		return;
	nf_unregister_net_hook(un->net, &guard_hooks);
	RCU_INIT_POINTER(un->port_guard, NULL);
	kfree_rcu(guard, rcu);
}

/* ---------------------------------------------------------------- trimmed */

/*
 * A switch that would drop a request truncates it after the PDS header and sets a special DSCP.
 * It adjusts the length in the IP header but not in the UDP header.  UDP drops such a packet as
 * damaged before any socket gets it, so a hook takes it before UDP, while any FEP has a DSCP
 * for trimmed packets.  Every packet for the address and port of a FEP with one of its DSCPs is
 * taken, whatever its length: a short packet looks the same trimmed or complete.
 */

static unsigned int trim_hook(void *priv, struct sk_buff *skb, const struct nf_hook_state *state)
{
	struct udp_datagram datagram;
	const struct udphdr *udp;
	struct udphdr space;
	struct uet_fep *fep;
	struct uet_fa to;
	u8 dsfield, code;

	if (!udp_find(skb, state, &datagram) || datagram.is_part)
		return NF_ACCEPT;
	if (state->pf == NFPROTO_IPV4) {
		to = uet_fa_v4(ip_hdr(skb)->daddr);
		dsfield = ipv4_get_dsfield(ip_hdr(skb));
	} else {
		to = uet_fa_v6(&ipv6_hdr(skb)->daddr, skb->skb_iif);
		dsfield = ipv6_get_dsfield(ipv6_hdr(skb));
	}
	udp = skb_header_pointer(skb, datagram.off, sizeof(space), &space);
	if (!udp)
		return NF_ACCEPT;
	fep = uet_fep_find_fa(uet_net(state->net), &to);
	if (!fep || fep->cfg.encap != UET_ENCAP_UDP || fep->cfg.port != ntohs(udp->dest))
		return NF_ACCEPT;
	code = uet_trim_code(fep, dsfield);
	if (!code || !pskb_may_pull(skb, datagram.off + sizeof(*udp)))
		return NF_ACCEPT;
	if (!xfrm_policy_check(NULL, XFRM_POLICY_IN, skb, to.family))
		return NF_DROP;
	__skb_pull(skb, datagram.off);
	fep->rcv->trimmed(fep, skb, code);
	return NF_STOLEN;
}

static const struct nf_hook_ops trim_hooks = {
	.hook = trim_hook,
	.pf = NFPROTO_INET,
	.hooknum = NF_INET_LOCAL_IN,
	.priority = NF_IP_PRI_LAST,
};

/*
 * uet_trim_want() - let a FEP get trimmed packets while it is in uet_net.feps, or no longer
 *
 * A CPU may still run the hook after the last FEP is unregistered.  The code that frees FEPs,
 * the namespace or the module therefore waits for RCU readers.
 *
 * Context: Process context, uet_net.cfg_mutex held.
 * Return: 0; if @wants, -ENOMEM or the error of netfilter, without any change.
 */
int uet_trim_want(struct uet_fep *fep, bool wants, struct netlink_ext_ack *extack)
{
	struct uet_net *un = fep->un;
	int err;

	lockdep_assert_held(&un->cfg_mutex);

	wants = wants && fep->cfg.encap == UET_ENCAP_UDP;
	if (fep->wants_trimmed == wants)
		return 0;
	if (wants && !un->nr_wants_trimmed) {
		err = nf_register_net_hook(un->net, &trim_hooks);
		if (err)
			return uet_refuse(extack, err,
					  "fep: no hook for trimmed packets: out of memory");
	}
	fep->wants_trimmed = wants;
	un->nr_wants_trimmed += wants ? 1 : -1;
	if (!un->nr_wants_trimmed)
		nf_unregister_net_hook(un->net, &trim_hooks);
	return 0;
}

/* ----------------------------------------------------------------- socket */

/* Return: 0, the packet is always consumed. */
static int udp_rcv_one(struct sock *sk, struct sk_buff *skb)
{
	struct uet_fep *fep = rcu_dereference_sk_user_data(sk);

	if (fep)
		fep->rcv->packet(fep, skb);
	else
		kfree_skb(skb);	/* after udp_close_fep() */
	return 0;
}

/*
 * An ICMP error quotes a packet of the FEP.  The socket did not send the packet, so neither its
 * error nor the route is changed.  Called under RCU.
 * Return: -ENOENT, so that the stack searches no further socket.
 */
static int udp_err_lookup(struct sock *sk, struct sk_buff *skb)
{
	struct uet_fep *fep = rcu_dereference_sk_user_data(sk);

	if (fep)
		fep->rcv->icmp(fep, skb, skb_transport_offset(skb));
	return -ENOENT;
}

/* Packets may arrive before this function returns. Errors are those of bind(). */
static int udp_open_fep(struct uet_fep *fep, struct netlink_ext_ack *extack)
{
	const struct uet_fa *fa = &fep->cfg.fa;
	struct udp_tunnel_sock_cfg tunnel = {
		.sk_user_data = fep,
		.encap_type = UDP_ENCAP_TYPE,
		.encap_rcv = udp_rcv_one,
		.encap_err_lookup = udp_err_lookup,
		.gro_receive = uet_gro_receive,
		.gro_complete = uet_gro_complete,
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
	err = guard_open(fep, extack);
	if (err)
		return err;
	err = udp_sock_create(fep->un->net, &port, &fep->udp);
	if (err) {
		if (err == -EADDRINUSE)
			NL_SET_ERR_MSG(extack, "fep: another socket has its addr and port");
		else
			NL_SET_ERR_MSG(extack, "fep: its UDP socket could not be opened");
		guard_close(fep);
		return err;
	}
	setup_udp_tunnel_sock(fep->un->net, fep->udp->sk, &tunnel);
	return 0;
}

/*
 * Readers of sk_user_data find the FEP under RCU. udp_tunnel_sock_release()
 * would wait for them with each socket.
 */
static void udp_close_fep(struct uet_fep *fep)
{
	rcu_assign_sk_user_data(fep->udp->sk, NULL);
	kernel_sock_shutdown(fep->udp, SHUT_RDWR);
	guard_close(fep);
}

static void udp_free_fep(struct uet_fep *fep)
{
	sock_release(fep->udp);
	fep->udp = NULL;
}

static void udp_put_head(const struct uet_fep *fep, u16 ev, u32 len, union uet_carrier_head *head)
{
	head->udp = (struct udphdr) {
		.source = htons(ev),
		.dest = htons(fep->cfg.port),
		.len = htons(sizeof(head->udp) + len),
	};
}

const struct uet_carrier uet_udp_carrier = {
	.head_len = sizeof(struct udphdr),
	.open = udp_open_fep,
	.close = udp_close_fep,
	.free = udp_free_fep,
	.put_head = udp_put_head,
};
