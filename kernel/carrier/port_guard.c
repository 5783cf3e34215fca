// SPDX-License-Identifier: GPL-2.0
/*
 * Keeps unprivileged users off the UDP ports of FEPs. A UET packet names its job itself
 * and peers trust the kernel that sent it (UE 1.0.1 3.4.7), so a datagram from any UDP
 * socket could claim any job. While a FEP of a namespace uses a port, netfilter hooks drop
 * the packets that other sockets of the namespace send to that port, at any address: here,
 * before loopback delivers them to a FEP of this host, and before they leave for a FEP of
 * another host.
 *
 * A socket passes if it was opened with CAP_NET_RAW or CAP_NET_ADMIN in the user namespace
 * that owns the network namespace; its opener could use a raw socket just as well. The
 * sockets of the kernel pass, and those of this module: only FEPs send packets for them.
 * Native IP needs no guard, because only raw sockets send other protocols.
 *
 * The hooks run last, so they see the port that a firewall may have changed.
 * Spec: UE 1.0.1 3.5.10.1.
 */
#include <linux/bitmap.h>
#include <linux/capability.h>
#include <linux/file.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/module.h>
#include <linux/netfilter.h>
#include <linux/netfilter_ipv4.h>
#include <linux/netfilter_ipv6.h>
#include <linux/udp.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/sock.h>

#include "carrier.h"
#include "fabric/fabric.h"
#include "port_guard.h"

/**
 * struct uet_port_guard - the guarded ports of a namespace
 * @rcu: for kfree_rcu()
 * @ports: bit N: a FEP uses UDP port N
 */
struct uet_port_guard {
	struct rcu_head rcu;
	DECLARE_BITMAP(ports, U16_MAX + 1);
};

static bool guard_may_send(const struct file *file, struct user_namespace *user_ns)
{
	return file_ns_capable(file, user_ns, CAP_NET_RAW) ||
	       file_ns_capable(file, user_ns, CAP_NET_ADMIN);
}

/* May the sender of a packet use the port of a FEP? */
static bool guard_trusts(struct sock *sk, const struct net *net)
{
	bool is_trusted = false;

	if (!sk || !sk_fullsock(sk) || sk->sk_kern_sock ||
	    sk->sk_prot->owner == THIS_MODULE)
		return true;
	read_lock_bh(&sk->sk_callback_lock);
	if (sk->sk_socket && sk->sk_socket->file)
		is_trusted = guard_may_send(sk->sk_socket->file, net->user_ns);
	read_unlock_bh(&sk->sk_callback_lock);
	return is_trusted;
}

static unsigned int guard_check(const struct sk_buff *skb, unsigned int udp_off,
				const struct nf_hook_state *state)
{
	struct uet_net *un = uet_net(state->net);
	const struct uet_port_guard *guard = rcu_dereference(un->port_guard);
	const struct udphdr *udp;
	struct udphdr space;

	udp = skb_header_pointer(skb, udp_off, sizeof(space), &space);
	if (!guard || !udp || !test_bit(ntohs(udp->dest), guard->ports))
		return NF_ACCEPT;
	/* They differ if the packet is from a tunnel on a socket. */
	if (guard_trusts(skb->sk, state->net) &&
	    guard_trusts(state->sk, state->net))
		return NF_ACCEPT;
	uet_drop_count(un, UET_DROP_LOCAL_USER);
	return NF_DROP;
}

static unsigned int guard_hook4(void *priv, struct sk_buff *skb,
				const struct nf_hook_state *state)
{
	if (ip_hdr(skb)->protocol != IPPROTO_UDP)
		return NF_ACCEPT;
	return guard_check(skb, ip_hdrlen(skb), state);
}

static unsigned int guard_hook6(void *priv, struct sk_buff *skb,
				const struct nf_hook_state *state)
{
	u8 next = ipv6_hdr(skb)->nexthdr;
	__be16 frag_off;
	int off;

	/* A user may add a routing header. */
	off = ipv6_skip_exthdr(skb, sizeof(struct ipv6hdr), &next, &frag_off);
	if (off < 0 || next != IPPROTO_UDP)
		return NF_ACCEPT;
	return guard_check(skb, off, state);
}

static const struct nf_hook_ops guard_hooks[] = {
	{
		.hook = guard_hook4,
		.pf = NFPROTO_IPV4,
		.hooknum = NF_INET_LOCAL_OUT,
		.priority = NF_IP_PRI_LAST,
	}, {
		.hook = guard_hook6,
		.pf = NFPROTO_IPV6,
		.hooknum = NF_INET_LOCAL_OUT,
		.priority = NF_IP6_PRI_LAST,
	},
};

static int guard_start(struct uet_net *un)
{
	struct uet_port_guard *guard = kzalloc(sizeof(*guard), GFP_KERNEL_ACCOUNT);
	int err;

	if (!guard)
		return -ENOMEM;
	rcu_assign_pointer(un->port_guard, guard);
	err = nf_register_net_hooks(un->net, guard_hooks,
				    ARRAY_SIZE(guard_hooks));
	if (err) {
		RCU_INIT_POINTER(un->port_guard, NULL);
		kfree_rcu(guard, rcu);
	}
	return err;
}

/*
 * Keep unprivileged sockets off the port of a FEP.
 * Context: Process context, uet_net.cfg_mutex held.
 * Return: 0; -ENOMEM or the error of netfilter, without any change.
 */
int uet_port_guard_open(const struct uet_fep *fep,
			struct netlink_ext_ack *extack)
{
	struct uet_net *un = fep->un;
	struct uet_port_guard *guard;
	int err;

	lockdep_assert_held(&un->cfg_mutex);

	if (!rcu_access_pointer(un->port_guard)) {
		err = guard_start(un);
		if (err) {
			NL_SET_ERR_MSG(extack, "fep: no hook to guard its port: out of memory");
			return err;
		}
	}
	guard = rcu_dereference_protected(un->port_guard, true);
	set_bit(fep->cfg.port, guard->ports);
	return 0;
}

/*
 * Give the port of a FEP back.
 *
 * The port stays guarded while another FEP uses it. A CPU may still run the hooks
 * afterwards. The code that frees the namespace or the module therefore waits for RCU
 * readers.
 *
 * Context: Process context, uet_net.cfg_mutex held.
 */
void uet_port_guard_close(const struct uet_fep *fep)
{
	struct uet_net *un = fep->un;
	struct uet_port_guard *guard;
	unsigned long number;
	struct uet_fep *other;

	lockdep_assert_held(&un->cfg_mutex);

	xa_for_each(&un->feps, number, other) {
		if (other->carrier == fep->carrier &&
		    other->cfg.port == fep->cfg.port)
			return;
	}
	guard = rcu_dereference_protected(un->port_guard, true);
	clear_bit(fep->cfg.port, guard->ports);
	if (!bitmap_empty(guard->ports, U16_MAX + 1))
		return;
	nf_unregister_net_hooks(un->net, guard_hooks, ARRAY_SIZE(guard_hooks));
	RCU_INIT_POINTER(un->port_guard, NULL);
	kfree_rcu(guard, rcu);
}
