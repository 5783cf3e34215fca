/* SPDX-License-Identifier: GPL-2.0 */
/* Rails: the netdevs that the fabric may use, each with a plane number and counters. */
#ifndef UET_RAIL_H
#define UET_RAIL_H

#include <linux/netdevice.h>
#include <linux/netfilter.h>
#include <linux/percpu.h>

struct netlink_ext_ack;
struct uet_net;

/*
 * struct uet_rail_stats - per-CPU counters of a rail
 * @rx_bytes: received bytes behind the UDP or entropy headers, as @tx_bytes
 * @tx_retx: requests of PDCs that were sent again after they had left on the rail
 */
struct uet_rail_stats {
	u64 rx_packets;
	u64 rx_bytes;
	u64 tx_packets;
	u64 tx_bytes;
	u64 tx_retx;
};

/*
 * struct uet_rail - a netdev that the fabric may use
 * @dev: held until the rail is freed after a grace period; its unregistration removes the rail
 * @speed_mbps: speed of @dev, Mb/s; 0: unknown; written under rtnl, READ_ONCE elsewhere
 * @usable: @dev is running and its carrier is on; written under uet_net.rail_mutex, READ_ONCE
 *	elsewhere.  A FEP uses uet_fep.usable, which also covers the MTU
 * @is_ingress: @ingress is registered; written under uet_net.rail_mutex
 * @ingress: hook that receives packets before IP, carrier/ingress.c
 *
 * Lifetime: in uet_net.rails from uet_config_add_rail() to uet_config_del_rail() (user request),
 * NETDEV_UNREGISTER, which includes a move to another namespace, or the end of the namespace.
 * FEPs refer to rails by RCU pointers that are cleared before the grace period.  No other
 * references exist.
 */
struct uet_rail {
	struct uet_net *un;
	struct net_device *dev;
	netdevice_tracker tracker;
	u32 plane;
	int ifindex;
	u32 speed_mbps;
	bool usable;
	struct uet_rail_stats __percpu *stats;
	bool is_ingress;
	struct nf_hook_ops ingress;
	struct rcu_head rcu;
};

struct uet_rail *uet_rail_alloc(struct uet_net *un, struct net_device *dev,
				u32 plane, u32 speed_mbps);
void uet_rail_free(struct uet_rail *rail);
u32 uet_rail_read_speed(struct net_device *dev);
void uet_rail_update_speed(struct uet_rail *rail);
bool uet_rail_refresh(struct uet_rail *rail);
struct uet_rail *uet_rail_find(struct uet_net *un, int ifindex);

/* Packets of @bytes behind the UDP or entropy headers, together.  Any context. */
static inline void uet_rail_count_rx(struct uet_rail *rail, u32 count, u32 bytes)
{
	this_cpu_add(rail->stats->rx_packets, count);
	this_cpu_add(rail->stats->rx_bytes, bytes);
}

static inline void uet_rail_count_tx(struct uet_rail *rail, u32 count, u32 bytes)
{
	this_cpu_add(rail->stats->tx_packets, count);
	this_cpu_add(rail->stats->tx_bytes, bytes);
}

#endif
