// SPDX-License-Identifier: GPL-2.0
/*
 * Rails: look-up by netdev, and state of a rail.  config/life.c creates and removes rails.
 * fep.c selects the rail of each packet.
 */
#include <linux/ethtool.h>
#include <linux/netdevice.h>
#include <linux/percpu.h>
#include <linux/slab.h>

#include "base/base.h"
#include "net.h"
#include "rail.h"

/*
 * Mb/s; 0: unknown.  The driver of a device that has neither hardware nor another device below
 * it, a veth for instance, reports a constant.
 */
static u32 rail_speed_of(const struct net_device *dev, int err,
			 const struct ethtool_link_ksettings *link)
{
	bool is_measured = dev->dev.parent || !list_empty(&dev->adj_list.lower);
	bool is_known = !err && link->base.speed != (u32)SPEED_UNKNOWN;

	return is_known && is_measured ? link->base.speed : 0;
}

/*
 * uet_rail_read_speed() - read the speed of a netdev
 * Context: Process context, rtnl held.  Takes the lock of @dev, inside which the netdev notifier
 *	takes uet_net.rail_mutex, so the caller holds neither.
 * Return: Mb/s; 0: unknown.
 */
u32 uet_rail_read_speed(struct net_device *dev)
{
	struct ethtool_link_ksettings link;

	return rail_speed_of(dev, __ethtool_get_link_ksettings(dev, &link), &link);
}

/*
 * uet_rail_update_speed() - read the speed of a rail again
 * Context: Netdev notifier for NETDEV_UP or NETDEV_CHANGE, which has the lock of the netdev;
 *	uet_net.rail_mutex held.
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

/*
 * uet_rail_alloc() - an unlisted rail with a reference to @dev
 * @speed_mbps: from uet_rail_read_speed()
 * Context: Process context, rtnl held.
 * Return: NULL: out of memory.
 */
struct uet_rail *uet_rail_alloc(struct uet_net *un, struct net_device *dev,
				u32 plane, u32 speed_mbps)
{
	struct uet_rail *rail = kzalloc(sizeof(*rail), GFP_KERNEL_ACCOUNT);

	if (!rail)
		return NULL;
	rail->stats = alloc_percpu_gfp(struct uet_rail_stats, GFP_KERNEL_ACCOUNT);
	if (!rail->stats) {
		kfree(rail);
		return NULL;
	}
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

/*
 * uet_rail_free() - free an unlisted rail that no FEP uses, after a grace period
 */
void uet_rail_free(struct uet_rail *rail)
{
	call_rcu(&rail->rcu, rail_free_rcu);
}

/*
 * uet_rail_refresh() - read the state of the netdev
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

/*
 * uet_rail_find() - the rail with an interface index, valid while the lock is held, or NULL
 * Context: rcu_read_lock() or uet_net.rail_mutex held.
 */
struct uet_rail *uet_rail_find(struct uet_net *un, int ifindex)
{
	return xa_load(&un->rails, ifindex);
}
