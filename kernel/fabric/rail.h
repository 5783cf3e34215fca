/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rails: the netdevs the fabric may use, each with a plane number, and the
 * netdev notifier that follows them.  Level: shell.
 */
#ifndef UET_RAIL_H
#define UET_RAIL_H

#include <linux/netdevice.h>
#include <linux/netfilter.h>
#include <linux/u64_stats_sync.h>

struct netlink_ext_ack;
struct uet_net;

/**
 * struct uet_rail_stats - one CPU's counters of a rail
 * @rx_packets: UET packets received
 * @rx_bytes: what is behind their UDP or entropy headers, bytes
 * @tx_packets: UET packets sent
 * @tx_bytes: what is behind their UDP or entropy headers, bytes
 * @sync: makes 64-bit values whole on 32-bit machines
 */
struct uet_rail_stats {
	u64_stats_t rx_packets;
	u64_stats_t rx_bytes;
	u64_stats_t tx_packets;
	u64_stats_t tx_bytes;
	struct u64_stats_sync sync;
};

/**
 * struct uet_rail_sums - the counters of a rail, all CPUs together
 * @rx_packets: UET packets received
 * @rx_bytes: what is behind their UDP or entropy headers, bytes
 * @tx_packets: UET packets sent
 * @tx_bytes: what is behind their UDP or entropy headers, bytes
 */
struct uet_rail_sums {
	u64 rx_packets;
	u64 rx_bytes;
	u64 tx_packets;
	u64 tx_bytes;
};

/**
 * struct uet_rail - a netdev this fabric may use
 * @list: in uet_net.rails, RCU
 * @un: namespace
 * @dev: the netdev, held until the rail is freed after a grace period; its
 *	unregistration removes the rail
 * @tracker: of @dev
 * @plane: fabric plane number
 * @ifindex: of @dev, immutable
 * @speed_mbps: of @dev, 0: it does not say; written under rtnl, READ_ONCE elsewhere
 * @usable: running and carrier on; written under uet_net.cfg_mutex, READ_ONCE
 *	elsewhere.  What counts for a FEP is uet_fep.usable
 * @stats: per CPU
 * @is_ingress: @ingress is registered; written under uet_net.cfg_mutex
 * @ingress: hook that takes packets before IP, ingress.c
 * @rcu: frees it
 *
 * Lifetime: on the list from uet_config_add_rail() to uet_config_del_rail() (user request),
 * NETDEV_UNREGISTER, which includes leaving the namespace, or the end of the
 * namespace.  FEPs point to rails through RCU pointers cleared before the grace
 * period; no other references exist.
 */
struct uet_rail {
	struct list_head list;
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
				u32 plane);
void uet_rail_free(struct uet_rail *rail);
bool uet_rail_refresh(struct uet_rail *rail);
struct uet_rail *uet_rail_find(struct uet_net *un, int ifindex);
void uet_rail_count_rx(struct uet_rail *rail, u32 bytes);
void uet_rail_count_tx(struct uet_rail *rail, u32 bytes);
void uet_rail_sum(const struct uet_rail *rail, struct uet_rail_sums *sums);

#endif
