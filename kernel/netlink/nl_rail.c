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

static int nl_rail_put_counters(struct sk_buff *skb, const struct uet_rail *rail)
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
		if (nla_put_u64_64bit(skb, counters[i].attr, uet_stats_sum(counters[i].counter),
				      UET_A_RAIL_PAD))
			return -EMSGSIZE;
	}
	return 0;
}

int uet_nl_fill_rail(const struct uet_nl_out *out, const void *object)
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

static u32 nl_rail_ifindex(const struct genl_info *info)
{
	return nla_get_u32(info->attrs[UET_A_RAIL_IFINDEX]);
}

static void *nl_rail_find(struct genl_info *info, struct uet_nl_out *out)
{
	struct uet_rail *rail = uet_rail_find(out->un, nl_rail_ifindex(info));

	if (rail)
		return rail;
	return ERR_PTR(uet_nl_refuse(info, info->attrs[UET_A_RAIL_IFINDEX], -ENOENT,
				     "rail: netdev is not a rail"));
}

static const struct uet_nl_kind nl_rail_kind = {
	.cmd = UET_CMD_RAIL_GET,
	.keys = { UET_A_RAIL_IFINDEX },
	.missing = "rail: ifindex is missing",
	.find = nl_rail_find,
	.fill = uet_nl_fill_rail,
	.in_net = offsetof(struct uet_net, rails),
};

UET_NL_GET(rail)

int uet_nl_rail_new_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct uet_net *un = uet_nl_net(info);
	int err = uet_nl_check_keys(info, &nl_rail_kind);
	struct net_device *dev;
	u32 plane, speed_mbps;

	if (err)
		return err;
	if (GENL_REQ_ATTR_CHECK(info, UET_A_RAIL_PLANE))
		return uet_nl_refuse(info, NULL, -EINVAL, "rail: plane is missing");
	plane = nla_get_u32(info->attrs[UET_A_RAIL_PLANE]);

	rtnl_lock();
	dev = __dev_get_by_index(un->net, nl_rail_ifindex(info));
	if (dev) {
		speed_mbps = uet_rail_read_speed(dev);
		mutex_lock(&un->rail_mutex);
		err = uet_config_add_rail(un, dev, plane, speed_mbps, info->extack);
		mutex_unlock(&un->rail_mutex);
	} else {
		err = uet_nl_refuse(info, info->attrs[UET_A_RAIL_IFINDEX], -ENODEV,
				    "rail: no such netdev");
	}
	rtnl_unlock();
	return err;
}

int uet_nl_rail_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct uet_net *un = uet_nl_net(info);
	int err = uet_nl_check_keys(info, &nl_rail_kind);

	if (err)
		return err;
	mutex_lock(&un->rail_mutex);
	err = uet_config_del_rail(un, nl_rail_ifindex(info), info->extack);
	mutex_unlock(&un->rail_mutex);
	return err;
}

int uet_nl_rail_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct uet_net *un = uet_nl_net(info);
	int err = uet_nl_check_keys(info, &nl_rail_kind);
	bool on;

	if (err)
		return err;
	if (GENL_REQ_ATTR_CHECK(info, UET_A_RAIL_INGRESS))
		return uet_nl_refuse(info, NULL, -EINVAL, "rail: ingress is missing");
	on = nla_get_u8(info->attrs[UET_A_RAIL_INGRESS]);

	mutex_lock(&un->rail_mutex);
	err = uet_config_set_ingress(un, nl_rail_ifindex(info), on, info->extack);
	mutex_unlock(&un->rail_mutex);
	return err;
}
