// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink operations on rails. Creating a rail takes rtnl, because its netdev
 * must not disappear meanwhile; the other operations use the interface index.
 */
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>

#include "config/config.h"
#include "fabric/fabric.h"
#include "netlink.h"
#include "nl_gen.h"

static int nl_rail_put_counters(struct sk_buff *skb,
				const struct uet_rail *rail)
{
	const struct {
		int attr;
		const u64 __percpu *counter;
	} counters[] = {
		{ UET_A_RAIL_RX_PACKETS, &rail->stats->rx_packets },
		{ UET_A_RAIL_RX_BYTES, &rail->stats->rx_bytes },
		{ UET_A_RAIL_TX_PACKETS, &rail->stats->tx_packets },
		{ UET_A_RAIL_TX_BYTES, &rail->stats->tx_bytes },
		{ UET_A_RAIL_TX_RETX, &rail->stats->tx_retx },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(counters); i++) {
		if (nla_put_u64_64bit(skb, counters[i].attr,
				      uet_stats_sum(counters[i].counter), UET_A_RAIL_PAD))
			return -EMSGSIZE;
	}
	return 0;
}

static int nl_rail_fill(const struct uet_nl_out *out, const void *object)
{
	const struct uet_rail *rail = object;
	struct sk_buff *skb = out->skb;

	if (nla_put_u32(skb, UET_A_RAIL_IFINDEX, rail->ifindex) ||
	    nla_put_string(skb, UET_A_RAIL_IFNAME, rail->dev->name) ||
	    nla_put_u32(skb, UET_A_RAIL_PLANE, rail->plane) ||
	    nla_put_u8(skb, UET_A_RAIL_USABLE, READ_ONCE(rail->usable)) ||
	    nla_put_u32(skb, UET_A_RAIL_MTU, READ_ONCE(rail->dev->mtu)) ||
	    nla_put_u8(skb, UET_A_RAIL_INGRESS, READ_ONCE(rail->is_ingress)))
		return -EMSGSIZE;
	return nl_rail_put_counters(skb, rail);
}

static const struct uet_nl_kind nl_rail_kind = {
	.cmd = UET_CMD_RAIL_GET,
	.fill = nl_rail_fill,
};

/*
 * Send an event: a rail was created, changed or deleted.
 * @cmd: UET_CMD_RAIL_NTF or UET_CMD_RAIL_DEL_NTF
 *
 * Context: Process context, uet_net.rail_mutex held.
 */
void uet_nl_notify_rail(u8 cmd, const struct uet_rail *rail)
{
	uet_nl_notify(rail->un, cmd, nl_rail_fill, rail, GFP_KERNEL);
}

/* Read the netdev of a request. Return: 0, or an errno with an extack message. */
static int nl_rail_ifindex(struct genl_info *info, int *ifindex)
{
	if (GENL_REQ_ATTR_CHECK(info, UET_A_RAIL_IFINDEX)) {
		GENL_SET_ERR_MSG(info, "rail: ifindex is missing");
		return -EINVAL;
	}
	*ifindex = nla_get_u32(info->attrs[UET_A_RAIL_IFINDEX]);
	return 0;
}

/* Return: 0, or an errno with an extack message. */
static int nl_rail_add(struct uet_net *un, struct net_device *dev,
		       struct genl_info *info)
{
	u32 plane = nla_get_u32(info->attrs[UET_A_RAIL_PLANE]);
	u32 speed_mbps = uet_rail_read_speed(dev);
	int err;

	mutex_lock(&un->rail_mutex);
	err = uet_config_add_rail(un, dev, plane, speed_mbps, info->extack);
	mutex_unlock(&un->rail_mutex);
	return err;
}

/*
 * UET_CMD_RAIL_NEW.
 * Context: Process context.
 * Return: 0 or a negative errno, with an extack message.
 */
int uet_nl_rail_new_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct uet_net *un = uet_nl_net(info);
	struct net_device *dev;
	int ifindex, err;

	err = nl_rail_ifindex(info, &ifindex);
	if (err)
		return err;
	if (GENL_REQ_ATTR_CHECK(info, UET_A_RAIL_PLANE)) {
		GENL_SET_ERR_MSG(info, "rail: plane is missing");
		return -EINVAL;
	}

	rtnl_lock();
	dev = __dev_get_by_index(un->net, ifindex);
	if (dev) {
		err = nl_rail_add(un, dev, info);
	} else {
		NL_SET_ERR_MSG_ATTR(info->extack,
				    info->attrs[UET_A_RAIL_IFINDEX],
				    "rail: no such netdev");
		err = -ENODEV;
	}
	rtnl_unlock();
	return err;
}

/*
 * UET_CMD_RAIL_DEL.
 * Context: Process context.
 * Return: 0 or a negative errno, with an extack message.
 */
int uet_nl_rail_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct uet_net *un = uet_nl_net(info);
	int ifindex, err;

	err = nl_rail_ifindex(info, &ifindex);
	if (err)
		return err;

	mutex_lock(&un->rail_mutex);
	err = uet_config_del_rail(un, ifindex, info->extack);
	mutex_unlock(&un->rail_mutex);
	return err;
}

/*
 * UET_CMD_RAIL_SET.
 * Context: Process context.
 * Return: 0 or a negative errno, with an extack message.
 */
int uet_nl_rail_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct uet_net *un = uet_nl_net(info);
	int ifindex, err;
	bool on;

	err = nl_rail_ifindex(info, &ifindex);
	if (err)
		return err;
	if (GENL_REQ_ATTR_CHECK(info, UET_A_RAIL_INGRESS)) {
		GENL_SET_ERR_MSG(info, "rail: ingress is missing");
		return -EINVAL;
	}
	on = nla_get_u8(info->attrs[UET_A_RAIL_INGRESS]);

	mutex_lock(&un->rail_mutex);
	err = uet_config_set_ingress(un, ifindex, on, info->extack);
	mutex_unlock(&un->rail_mutex);
	return err;
}

/*
 * UET_CMD_RAIL_GET.
 * Context: Process context.
 * Return: 0 or a negative errno, with an extack message.
 */
int uet_nl_rail_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct uet_net *un = uet_nl_net(info);
	struct uet_rail *rail;
	int ifindex, err;

	err = nl_rail_ifindex(info, &ifindex);
	if (err)
		return err;

	mutex_lock(&un->rail_mutex);
	rail = uet_rail_find(un, ifindex);
	if (rail) {
		err = uet_nl_reply(info, skb, &nl_rail_kind, rail);
	} else {
		NL_SET_ERR_MSG_ATTR(info->extack,
				    info->attrs[UET_A_RAIL_IFINDEX],
				    "rail: netdev is not a rail");
		err = -ENOENT;
	}
	mutex_unlock(&un->rail_mutex);
	return err;
}

/*
 * UET_CMD_RAIL_GET, all of them.
 * Context: Process context.
 * Return: length of @skb or -EMSGSIZE.
 */
int uet_nl_rail_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct uet_net *un = uet_nl_dump_begin(cb);

	return uet_nl_dump_xa(skb, cb, &nl_rail_kind, &un->rails);
}
