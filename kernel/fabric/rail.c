// SPDX-License-Identifier: GPL-2.0
/*
 * The list of rails of a namespace, and the notifier that keeps it true: link
 * down leaves a rail in place but unusable, unregistration removes it.  What
 * that means for traffic is decided by the FEPs (fep.c).  Level: shell.
 */
#include <linux/ethtool.h>
#include <linux/netdevice.h>
#include <linux/percpu.h>
#include <linux/rculist.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>

#include "base/compat.h"
#include "fep.h"
#include "carrier/ingress.h"
#include "net.h"
#include "netlink/nl.h"
#include "rail.h"

/* Drivers are asked under rtnl. */
static void rail_read_speed(struct uet_rail *rail)
{
	struct ethtool_link_ksettings link;
	u32 speed = 0;

	ASSERT_RTNL();
	if (!__ethtool_get_link_ksettings(rail->dev, &link) &&
	    link.base.speed != (u32)SPEED_UNKNOWN)
		speed = link.base.speed;
	/* Pairs with the READ_ONCE() in cce_sum(). */
	WRITE_ONCE(rail->speed_mbps, speed);
}

static bool rail_dev_is_usable(const struct net_device *dev)
{
	return netif_running(dev) && netif_carrier_ok(dev);
}

static struct uet_rail *rail_alloc(struct uet_net *un, struct net_device *dev,
				   u32 plane)
{
	struct uet_rail *rail = kzalloc(sizeof(*rail), GFP_KERNEL);
	int cpu;

	if (!rail)
		return NULL;
	rail->stats = alloc_percpu(struct uet_rail_stats);
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
	rail_read_speed(rail);
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
 * uet_rail_find() - look up a rail
 * @un: namespace
 * @ifindex: of its netdev
 *
 * Context: rcu_read_lock() or uet_net.cfg_mutex held.
 * Return: the rail, valid as long as the lock is held, or NULL.
 */
struct uet_rail *uet_rail_find(struct uet_net *un, int ifindex)
{
	struct uet_rail *rail;

	list_for_each_entry_rcu(rail, &un->rails, list,
				lockdep_is_held(&un->cfg_mutex)) {
		if (rail->ifindex == ifindex)
			return rail;
	}
	return NULL;
}

/**
 * uet_rail_add() - let the fabric use a netdev
 * @un: namespace
 * @dev: netdev in that namespace
 * @plane: fabric plane number
 * @extack: says why not
 *
 * Context: Process context, rtnl and uet_net.cfg_mutex held.  With rtnl, @dev
 *	cannot leave before the notifier knows that it is a rail.
 * Return: 0, -EEXIST, -ENOMEM.
 */
int uet_rail_add(struct uet_net *un, struct net_device *dev, u32 plane,
		 struct netlink_ext_ack *extack)
{
	struct uet_rail *rail;

	ASSERT_RTNL();
	lockdep_assert_held(&un->cfg_mutex);

	if (uet_rail_find(un, dev->ifindex)) {
		NL_SET_ERR_MSG(extack, "rail: netdev is a rail already");
		return -EEXIST;
	}

	rail = rail_alloc(un, dev, plane);
	if (!rail) {
		NL_SET_ERR_MSG(extack, "rail: out of memory");
		return -ENOMEM;
	}
	list_add_tail_rcu(&rail->list, &un->rails);
	uet_net_changed(un);
	uet_nl_notify_rail(UET_CMD_RAIL_NTF, rail);
	return 0;
}

static void rail_remove(struct uet_rail *rail)
{
	lockdep_assert_held(&rail->un->cfg_mutex);

	uet_ingress_set(rail, false, NULL);
	list_del_rcu(&rail->list);
	uet_fep_forget_rail(rail->un, rail);
	uet_net_changed(rail->un);
	uet_nl_notify_rail(UET_CMD_RAIL_DEL_NTF, rail);
	call_rcu(&rail->rcu, rail_free_rcu);
}

/**
 * uet_rail_del() - take a netdev back from the fabric
 * @un: namespace
 * @ifindex: of the netdev
 * @extack: says why not
 *
 * Context: Process context, uet_net.cfg_mutex held.
 * Return: 0, -ENOENT, -EBUSY while a FEP has it.
 */
int uet_rail_del(struct uet_net *un, int ifindex,
		 struct netlink_ext_ack *extack)
{
	struct uet_rail *rail;
	struct uet_fep *fep;

	lockdep_assert_held(&un->cfg_mutex);

	rail = uet_rail_find(un, ifindex);
	if (!rail) {
		NL_SET_ERR_MSG(extack, "rail: netdev is not a rail");
		return -ENOENT;
	}
	fep = uet_fep_find_rail(un, rail);
	if (fep) {
		uet_extack_fmt(extack, "rail: a fep uses it",
			       "rail: fep %s uses it", fep->cfg.name);
		return -EBUSY;
	}
	rail_remove(rail);
	return 0;
}

/**
 * uet_rail_set_ingress() - choose the way in for the packets of a rail
 * @un: namespace
 * @ifindex: of its netdev
 * @on: FEPs get them before IP sees them
 * @extack: says why not
 *
 * Context: Process context, uet_net.cfg_mutex held.
 * Return: 0; -ENOENT; -ENOMEM; -EOPNOTSUPP: the kernel cannot.
 */
int uet_rail_set_ingress(struct uet_net *un, int ifindex, bool on,
			 struct netlink_ext_ack *extack)
{
	struct uet_rail *rail;
	bool was_on;
	int err;

	lockdep_assert_held(&un->cfg_mutex);

	rail = uet_rail_find(un, ifindex);
	if (!rail) {
		NL_SET_ERR_MSG(extack, "rail: netdev is not a rail");
		return -ENOENT;
	}
	was_on = rail->is_ingress;
	err = uet_ingress_set(rail, on, extack);
	if (!err && was_on != on)
		uet_nl_notify_rail(UET_CMD_RAIL_NTF, rail);
	return err;
}

/**
 * uet_rail_flush() - remove all rails
 * @un: namespace
 *
 * Context: Process context, uet_net.cfg_mutex held.
 */
void uet_rail_flush(struct uet_net *un)
{
	struct uet_rail *rail, *next;

	list_for_each_entry_safe(rail, next, &un->rails, list)
		rail_remove(rail);
}

static void rail_count(struct uet_rail *rail, bool is_tx, u32 bytes)
{
	struct uet_rail_stats *mine = get_cpu_ptr(rail->stats);
	unsigned long flags;

	flags = u64_stats_update_begin_irqsave(&mine->sync);
	u64_stats_inc(is_tx ? &mine->tx_packets : &mine->rx_packets);
	u64_stats_add(is_tx ? &mine->tx_bytes : &mine->rx_bytes, bytes);
	u64_stats_update_end_irqrestore(&mine->sync, flags);
	put_cpu_ptr(rail->stats);
}

/**
 * uet_rail_count_rx() - count a received packet
 * @rail: it came in here
 * @bytes: what is behind its UDP or entropy header
 *
 * Context: Any, rcu_read_lock() held.
 */
void uet_rail_count_rx(struct uet_rail *rail, u32 bytes)
{
	rail_count(rail, false, bytes);
}

/**
 * uet_rail_count_tx() - count a sent packet
 * @rail: it goes out here
 * @bytes: what is behind its UDP or entropy header
 *
 * Context: Any, rcu_read_lock() held.
 */
void uet_rail_count_tx(struct uet_rail *rail, u32 bytes)
{
	rail_count(rail, true, bytes);
}

/**
 * uet_rail_sum() - read the counters of a rail
 * @rail: rail
 * @sums: filled in
 *
 * Context: Any, rcu_read_lock() or uet_net.cfg_mutex held.
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
		} while (u64_stats_fetch_retry(&one->sync, start));

		sums->rx_packets += part.rx_packets;
		sums->rx_bytes += part.rx_bytes;
		sums->tx_packets += part.tx_packets;
		sums->tx_bytes += part.tx_bytes;
	}
}

/* The netdev of a rail came up, went down, or has another MTU or speed. */
static void rail_refresh(struct uet_rail *rail, unsigned long event)
{
	bool was_usable = rail->usable;

	rail_read_speed(rail);

	/* Pairs with the READ_ONCE() in uet_fep_rail_state() and dumps. */
	WRITE_ONCE(rail->usable, rail_dev_is_usable(rail->dev));
	if (rail->usable != was_usable || event == NETDEV_CHANGEMTU)
		uet_nl_notify_rail(UET_CMD_RAIL_NTF, rail);
	uet_fep_refresh_rail(rail->un, rail);
}

static int rail_netdev_event(struct notifier_block *nb, unsigned long event,
			     void *ptr)
{
	struct net_device *dev = netdev_notifier_info_to_dev(ptr);
	struct uet_net *un = uet_net(dev_net(dev));
	struct uet_rail *rail;

	switch (event) {
	case NETDEV_UP:
	case NETDEV_DOWN:
	case NETDEV_CHANGE:
	case NETDEV_CHANGEMTU:
	case NETDEV_UNREGISTER:
		break;
	default:
		return NOTIFY_DONE;
	}

	/* A namespace that cannot be made loses its loopback device, perhaps
	 * before it has got any state of ours.
	 */
	if (!un)
		return NOTIFY_DONE;

	mutex_lock(&un->cfg_mutex);
	rail = uet_rail_find(un, dev->ifindex);
	if (rail && event == NETDEV_UNREGISTER)
		rail_remove(rail);
	else if (rail)
		rail_refresh(rail, event);
	mutex_unlock(&un->cfg_mutex);
	return NOTIFY_DONE;
}

static struct notifier_block rail_notifier = {
	.notifier_call = rail_netdev_event,
};

/**
 * uet_rail_init() - begin to follow netdevs
 *
 * Context: Process context, module load, after uet_net_init().
 * Return: 0 or a negative errno.
 */
int uet_rail_init(void)
{
	return register_netdevice_notifier(&rail_notifier);
}

/**
 * uet_rail_fini() - stop following netdevs
 *
 * Removes all rails: unregistering a notifier tells it that all netdevs go.
 *
 * Context: Process context, module unload.
 */
void uet_rail_fini(void)
{
	unregister_netdevice_notifier(&rail_notifier);
}
