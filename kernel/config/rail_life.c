// SPDX-License-Identifier: GPL-2.0
/*
 * Creation and removal of rails, by the administrator or by a netdev notifier.  Link down makes a
 * rail unusable but does not remove the rail.  Unregistration of the netdev removes the rail.
 */
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>

#include "base/base.h"
#include "carrier/carrier.h"
#include "cms/cms.h"
#include "config.h"
#include "fabric/fabric.h"

/* Context: uet_net.rail_mutex held.  Return: NULL with an extack message. */
static struct uet_rail *rail_find(struct uet_net *un, int ifindex, struct netlink_ext_ack *extack)
{
	struct uet_rail *rail = uet_rail_find(un, ifindex);

	lockdep_assert_held(&un->rail_mutex);
	if (!rail)
		NL_SET_ERR_MSG(extack, "rail: netdev is not a rail");
	return rail;
}

/*
 * uet_config_add_rail() - make a netdev of the namespace a rail
 * @speed_mbps: from uet_rail_read_speed()
 * Context: Process context, rtnl and uet_net.rail_mutex held.  rtnl prevents that @dev is
 *	unregistered before the rail is in uet_net.rails.
 * Return: 0, -EEXIST, -ENOSPC: the quota is used up, -ENOMEM.
 */
int uet_config_add_rail(struct uet_net *un, struct net_device *dev, u32 plane,
			u32 speed_mbps, struct netlink_ext_ack *extack)
{
	struct uet_rail *rail;
	int err;

	ASSERT_RTNL();
	lockdep_assert_held(&un->rail_mutex);

	if (uet_rail_find(un, dev->ifindex))
		return uet_refuse(extack, -EEXIST, "rail: netdev is a rail already");

	err = uet_quota_take(un, UET_QUOTA_RAIL, extack);
	if (err)
		return err;
	rail = uet_rail_alloc(un, dev, plane, speed_mbps);
	if (!rail || xa_insert(&un->rails, dev->ifindex, rail, GFP_KERNEL)) {
		if (rail)
			uet_rail_free(rail);
		uet_quota_give(un, UET_QUOTA_RAIL);
		return uet_refuse(extack, -ENOMEM, "rail: out of memory");
	}
	uet_net_changed(un);
	uet_event_rail(rail, false);
	return 0;
}

static void rail_remove(struct uet_rail *rail)
{
	unsigned long number;
	struct uet_fep *fep;

	lockdep_assert_held(&rail->un->rail_mutex);

	uet_ingress_set(rail, false, NULL);
	xa_erase(&rail->un->rails, rail->ifindex);
	xa_for_each(&rail->un->feps, number, fep)
		if (uet_fep_forget_rail(fep, rail))
			uet_ccc_entry_update_rates(fep);
	uet_net_changed(rail->un);
	uet_event_rail(rail, true);
	uet_quota_give(rail->un, UET_QUOTA_RAIL);
	uet_rail_free(rail);
}

/*
 * uet_config_del_rail() - remove a rail
 * Context: Process context, uet_net.rail_mutex held.
 * Return: 0, -ENOENT, -EBUSY while a FEP uses the rail.
 */
int uet_config_del_rail(struct uet_net *un, int ifindex, struct netlink_ext_ack *extack)
{
	struct uet_rail *rail = rail_find(un, ifindex, extack);
	struct uet_fep *fep;

	if (!rail)
		return -ENOENT;
	fep = uet_fep_find_rail(un, rail);
	if (fep) {
		uet_extack_fmt(extack, "rail: a fep uses it",
			       "rail: fep %s uses it", fep->cfg.name);
		return -EBUSY;
	}
	rail_remove(rail);
	return 0;
}

/*
 * uet_config_set_ingress() - deliver UET packets from the ingress hook of a netdev, before IP,
 * or not
 * Context: Process context, uet_net.rail_mutex held.
 * Return: 0; -ENOENT; -ENOMEM; -EOPNOTSUPP: the kernel has no ingress hook.
 */
int uet_config_set_ingress(struct uet_net *un, int ifindex, bool on, struct netlink_ext_ack *extack)
{
	struct uet_rail *rail = rail_find(un, ifindex, extack);
	bool was_on;
	int err;

	if (!rail)
		return -ENOENT;
	was_on = rail->is_ingress;
	err = uet_ingress_set(rail, on, extack);
	if (!err && was_on != on)
		uet_event_rail(rail, false);
	return err;
}

/* Remove all rails.  Context: uet_net.rail_mutex held. */
void uet_config_flush_rails(struct uet_net *un)
{
	unsigned long ifindex;
	struct uet_rail *rail;

	xa_for_each(&un->rails, ifindex, rail)
		rail_remove(rail);
}

/* Handle a change of the link state, the MTU or the speed of the netdev. */
static void rail_refresh(struct uet_rail *rail, unsigned long event)
{
	unsigned long number;
	struct uet_fep *fep;

	if (event == NETDEV_UP || event == NETDEV_CHANGE)
		uet_rail_update_speed(rail);
	if (uet_rail_refresh(rail) || event == NETDEV_CHANGEMTU)
		uet_event_rail(rail, false);
	xa_for_each(&rail->un->feps, number, fep)
		if (uet_fep_refresh_rail(fep, rail))
			uet_ccc_entry_update_rates(fep);
}

static int rail_netdev_event(struct notifier_block *nb, unsigned long event, void *ptr)
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

	/*
	 * If the creation of a namespace fails, its loopback device is unregistered,
	 * possibly before the UET state exists.
	 */
	if (!un)
		return NOTIFY_DONE;

	/* Never cfg_mutex: its holder may wait for a grace period. */
	mutex_lock(&un->rail_mutex);
	rail = uet_rail_find(un, dev->ifindex);
	if (rail && event == NETDEV_UNREGISTER)
		rail_remove(rail);
	else if (rail)
		rail_refresh(rail, event);
	mutex_unlock(&un->rail_mutex);
	return NOTIFY_DONE;
}

static struct notifier_block rail_notifier = {
	.notifier_call = rail_netdev_event,
};

/**
 * uet_config_follow_netdevs() - register the netdev notifier, after uet_config_follow_netns()
 * Return: 0 or a negative errno.
 */
int uet_config_follow_netdevs(void)
{
	return register_netdevice_notifier(&rail_notifier);
}

/**
 * uet_config_ignore_netdevs() - unregister the netdev notifier
 *
 * Removes all rails: unregistering a notifier replays NETDEV_UNREGISTER for each netdev.
 */
void uet_config_ignore_netdevs(void)
{
	unregister_netdevice_notifier(&rail_notifier);
}
