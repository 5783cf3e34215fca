// SPDX-License-Identifier: GPL-2.0
/*
 * Rails: look-up by netdev, state of a rail, and its counters.  config/rail_life.c
 * creates and removes rails.  fep.c selects the rail of each packet.
 */
#include <linux/ethtool.h>
#include <linux/netdevice.h>
#include <linux/percpu.h>
#include <linux/slab.h>

#include "base/base.h"
#include "net.h"
#include "rail.h"

/*
 * The driver of a device that has neither hardware nor another device below it, a veth for
 * instance, reports a constant.
 *
 * Return: Mb/s; 0: unknown, or the settings could not be read.
 */
static u32 rail_speed_of(const struct net_device *dev, int err,
			 const struct ethtool_link_ksettings *link)
{
	bool is_measured = dev->dev.parent || !list_empty(&dev->adj_list.lower);
	bool is_known = !err && link->base.speed != (u32)SPEED_UNKNOWN;

	return is_known && is_measured ? link->base.speed : 0;
}

/**
 * uet_rail_read_speed() - read the speed of a netdev
 * @dev: netdev
 *
 * Context: Process context, rtnl held.  Takes the lock of @dev, inside which the netdev
 *	notifier takes uet_net.rail_mutex, so the caller holds neither.
 * Return: Mb/s; 0: unknown.
 */
u32 uet_rail_read_speed(struct net_device *dev)
{
	struct ethtool_link_ksettings link;

	return rail_speed_of(dev, __ethtool_get_link_ksettings(dev, &link), &link);
}

/**
 * uet_rail_update_speed() - read the speed of a rail again
 * @rail: the rail
 *
 * Context: Netdev notifier for NETDEV_UP or NETDEV_CHANGE, which has the lock of the
 *	netdev; uet_net.rail_mutex held.
 */
void uet_rail_update_speed(struct uet_rail *rail)
{
	struct ethtool_link_ksettings link;
	int err = netif_get_link_ksettings(rail->dev, &link);

	/* Pairs with the READ_ONCE() in fep_cc_sum(). */
	WRITE_ONCE(rail->speed_mbps, rail_speed_of(rail->dev, err, &link));
}

static bool rail_dev_is_usable(const struct net_device *dev)
{
	return netif_running(dev) && netif_carrier_ok(dev);
}

/**
 * uet_rail_alloc() - allocate a rail
 * @un: namespace
 * @dev: its netdev
 * @plane: fabric plane number
 * @speed_mbps: from uet_rail_read_speed()
 *
 * Context: Process context, rtnl held.
 * Return: the rail, unlisted, with a reference to @dev; NULL: out of memory.
 */
struct uet_rail *uet_rail_alloc(struct uet_net *un, struct net_device *dev,
				u32 plane, u32 speed_mbps)
{
	struct uet_rail *rail = kzalloc(sizeof(*rail), GFP_KERNEL_ACCOUNT);
	int cpu;

	if (!rail)
		return NULL;
	rail->stats = alloc_percpu_gfp(struct uet_rail_stats,
				       GFP_KERNEL_ACCOUNT);
	if (!rail->stats) {
		kfree(rail);
		return NULL;
	}
	for_each_possible_cpu(cpu)
		u64_stats_init(&per_cpu_ptr(rail->stats, cpu)->sync);

	rail->un = un;
	rail->dev = dev;
	rail->plane = plane;
	rail->ifindex = dev->ifindex;
	rail->usable = rail_dev_is_usable(dev);
	rail->speed_mbps = speed_mbps;
	netdev_hold(dev, &rail->tracker, GFP_KERNEL);
	return rail;
}

static void rail_free_rcu(struct rcu_head *rcu)
{
	struct uet_rail *rail = container_of(rcu, struct uet_rail, rcu);

	netdev_put(rail->dev, &rail->tracker);
	free_percpu(rail->stats);
	kfree(rail);
}

/**
 * uet_rail_free() - free a rail after a grace period
 * @rail: unlisted, used by no FEP
 */
void uet_rail_free(struct uet_rail *rail)
{
	call_rcu(&rail->rcu, rail_free_rcu);
}

/**
 * uet_rail_refresh() - read the state of the netdev
 * @rail: the rail
 *
 * Context: Process context, rtnl and uet_net.rail_mutex held.
 * Return: true if the rail became usable or unusable.
 */
bool uet_rail_refresh(struct uet_rail *rail)
{
	bool was_usable = rail->usable;

	/* Pairs with the READ_ONCE() in uet_fep_rail_state() and dumps. */
	WRITE_ONCE(rail->usable, rail_dev_is_usable(rail->dev));
	return rail->usable != was_usable;
}

/**
 * uet_rail_find() - look up a rail
 * @un: namespace
 * @ifindex: interface index of its netdev
 *
 * Context: rcu_read_lock() or uet_net.rail_mutex held.
 * Return: the rail, valid while the lock is held, or NULL.
 */
struct uet_rail *uet_rail_find(struct uet_net *un, int ifindex)
{
	return xa_load(&un->rails, ifindex);
}

static void rail_count(struct uet_rail *rail, bool is_tx, u32 count, u32 bytes)
{
	struct uet_rail_stats *mine = get_cpu_ptr(rail->stats);
	unsigned long flags;

	flags = u64_stats_update_begin_irqsave(&mine->sync);
	u64_stats_add(is_tx ? &mine->tx_packets : &mine->rx_packets, count);
	u64_stats_add(is_tx ? &mine->tx_bytes : &mine->rx_bytes, bytes);
	u64_stats_update_end_irqrestore(&mine->sync, flags);
	put_cpu_ptr(rail->stats);
}

/**
 * uet_rail_count_rx() - count received packets
 * @rail: rail that received the packets
 * @count: number of packets
 * @bytes: their length without the UDP or entropy header and below, bytes
 *
 * Context: Any, rcu_read_lock() held.
 */
void uet_rail_count_rx(struct uet_rail *rail, u32 count, u32 bytes)
{
	rail_count(rail, false, count, bytes);
}

/**
 * uet_rail_count_tx() - count sent packets
 * @rail: rail that sends the packets
 * @count: number of packets
 * @bytes: their length without the UDP or entropy header and below, bytes
 *
 * Context: Any, rcu_read_lock() held.
 */
void uet_rail_count_tx(struct uet_rail *rail, u32 count, u32 bytes)
{
	rail_count(rail, true, count, bytes);
}

/**
 * uet_rail_count_retx() - count a request of a PDC that is sent again
 * @rail: rail on which it left before
 *
 * Context: Any, rcu_read_lock() held.
 */
void uet_rail_count_retx(struct uet_rail *rail)
{
	struct uet_rail_stats *mine = get_cpu_ptr(rail->stats);
	unsigned long flags;

	flags = u64_stats_update_begin_irqsave(&mine->sync);
	u64_stats_inc(&mine->tx_retx);
	u64_stats_update_end_irqrestore(&mine->sync, flags);
	put_cpu_ptr(rail->stats);
}

/**
 * uet_rail_sum() - read the counters of a rail
 * @rail: rail
 * @sums: filled in
 *
 * Context: Any, rcu_read_lock() or uet_net.rail_mutex held.
 */
void uet_rail_sum(const struct uet_rail *rail, struct uet_rail_sums *sums)
{
	int cpu;

	memset(sums, 0, sizeof(*sums));
	for_each_possible_cpu(cpu) {
		const struct uet_rail_stats *one = per_cpu_ptr(rail->stats, cpu);
		struct uet_rail_sums part;
		unsigned int start;

		do {
			start = u64_stats_fetch_begin(&one->sync);
			part.rx_packets = u64_stats_read(&one->rx_packets);
			part.rx_bytes = u64_stats_read(&one->rx_bytes);
			part.tx_packets = u64_stats_read(&one->tx_packets);
			part.tx_bytes = u64_stats_read(&one->tx_bytes);
			part.tx_retx = u64_stats_read(&one->tx_retx);
		} while (u64_stats_fetch_retry(&one->sync, start));

		sums->rx_packets += part.rx_packets;
		sums->rx_bytes += part.rx_bytes;
		sums->tx_packets += part.tx_packets;
		sums->tx_bytes += part.tx_bytes;
		sums->tx_retx += part.tx_retx;
	}
}
