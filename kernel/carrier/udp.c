// SPDX-License-Identifier: GPL-2.0
/*
 * The UDP carrier: one encapsulation socket per FEP, bound to its fabric
 * address and port, passes datagrams to rx.c. Packets are sent with the entropy
 * value as source port, and checksum 0.
 * Spec: UE 1.0.1 3.5.10.1, uet-wire 1.2, 1.4, 1.7.
 */
#include <net/udp.h>

#include "base/base.h"
#include "carrier.h"
#include "fabric/fabric.h"
#include "gro.h"
#include "port_guard.h"

/* Any non-zero value: udp_sock.encap_type only enables encap_rcv. */
#define UDP_ENCAP_TYPE	1

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
 * An ICMP error quotes a packet of the FEP. The socket did not send the packet,
 * so neither its error nor the route is changed. Called under RCU.
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
	err = uet_port_guard_open(fep, extack);
	if (err)
		return err;
	err = udp_sock_create(fep->un->net, &port, &fep->udp);
	if (err == -EADDRINUSE) {
		NL_SET_ERR_MSG(extack, "fep: another socket has its addr and port");
		goto err_guard;
	}
	if (err) {
		NL_SET_ERR_MSG(extack, "fep: its UDP socket could not be opened");
		goto err_guard;
	}
	setup_udp_tunnel_sock(fep->un->net, fep->udp->sk, &tunnel);
	return 0;

err_guard:
	uet_port_guard_close(fep);
	return err;
}

/*
 * Readers of sk_user_data find the FEP under RCU. udp_tunnel_sock_release()
 * would wait for them with each socket.
 */
static void udp_close_fep(struct uet_fep *fep)
{
	rcu_assign_sk_user_data(fep->udp->sk, NULL);
	kernel_sock_shutdown(fep->udp, SHUT_RDWR);
	uet_port_guard_close(fep);
}

static void udp_free_fep(struct uet_fep *fep)
{
	sock_release(fep->udp);
	fep->udp = NULL;
}

static void udp_put_head(const struct uet_fep *fep, u16 ev, u32 len,
			 union uet_carrier_head *head)
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
