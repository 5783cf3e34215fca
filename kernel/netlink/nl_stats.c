// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink operations on counters and features. Both are identified by name, so
 * that existing tools show counters and capabilities of a newer module.
 */
#include <linux/string.h>
#include <linux/uet.h>

#include "config/config.h"
#include "core/wire/wire.h"
#include "fabric/fabric.h"
#include "netlink.h"
#include "nl_gen.h"
#include "socket/socket.h"

/* Counter numbers: the MIB first, then the drop reasons. */
#define NL_STATS_NR	((unsigned int)UET_MIB_NR + (unsigned int)UET_DROP_NR)

static const char *const nl_stats_mib_names[UET_MIB_NR] = {
#define UET_MIB(name, text, doc) [UET_MIB_##name] = text,
#include "core/mib.def"
#undef UET_MIB
};

struct nl_counter {
	enum uet_counter_kind kind;
	const char *name;
	u64 value;
};

static void nl_stats_counter(const struct uet_net *un, unsigned int index,
			     struct nl_counter *counter)
{
	if (index < UET_MIB_NR) {
		counter->kind = UET_COUNTER_KIND_MIB;
		counter->name = nl_stats_mib_names[index];
		counter->value = uet_stats_sum(&un->stats->mib[index]);
		return;
	}
	index -= UET_MIB_NR;
	counter->kind = UET_COUNTER_KIND_DROP;
	counter->name = uet_drop_name(index);
	counter->value = uet_stats_sum(&un->stats->drop[index]);
}

/* UET_DROP_NONE is not a drop reason and is never counted. */
static bool nl_stats_is_shown(unsigned int index)
{
	return index != (unsigned int)UET_MIB_NR + (unsigned int)UET_DROP_NONE;
}

static int nl_stats_fill(struct sk_buff *skb, const struct nl_counter *counter)
{
	if (nla_put_u8(skb, UET_A_STATS_KIND, counter->kind) ||
	    nla_put_string(skb, UET_A_STATS_NAME, counter->name) ||
	    nla_put_u64_64bit(skb, UET_A_STATS_VALUE, counter->value,
			      UET_A_STATS_PAD))
		return -EMSGSIZE;
	return 0;
}

static int nl_stats_find(struct genl_info *info, struct nl_counter *counter)
{
	struct nlattr *kind = info->attrs[UET_A_STATS_KIND];
	struct nlattr *name = info->attrs[UET_A_STATS_NAME];
	unsigned int i;

	if (GENL_REQ_ATTR_CHECK(info, UET_A_STATS_KIND) ||
	    GENL_REQ_ATTR_CHECK(info, UET_A_STATS_NAME)) {
		GENL_SET_ERR_MSG(info, "stats: kind or name is missing");
		return -EINVAL;
	}
	for (i = 0; i < NL_STATS_NR; i++) {
		if (!nl_stats_is_shown(i))
			continue;
		nl_stats_counter(uet_nl_net(info), i, counter);
		if (counter->kind == nla_get_u8(kind) &&
		    !nla_strcmp(name, counter->name))
			return 0;
	}
	NL_SET_ERR_MSG_ATTR(info->extack, name, "stats: no such counter");
	return -ENOENT;
}

/*
 * UET_CMD_STATS_GET.
 * Context: Process context.
 * Return: 0 or a negative errno, with an extack message.
 */
int uet_nl_stats_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct nl_counter counter;
	struct sk_buff *reply;
	void *hdr = NULL;
	int err;

	err = nl_stats_find(info, &counter);
	if (err)
		return err;

	reply = uet_nl_reply_begin(info, UET_CMD_STATS_GET, &hdr);
	if (reply)
		err = nl_stats_fill(reply, &counter);
	return uet_nl_reply_end(info, reply, hdr, err);
}

/*
 * UET_CMD_STATS_GET, all counters.
 * Context: Process context.
 * Return: length of @skb or -EMSGSIZE.
 */
int uet_nl_stats_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct uet_net *un = uet_nl_dump_begin(cb);
	struct nl_counter counter;
	void *hdr;

	for (; cb->args[0] < NL_STATS_NR; cb->args[0]++) {
		if (!nl_stats_is_shown(cb->args[0]))
			continue;
		hdr = uet_nl_dump_put(skb, cb, UET_CMD_STATS_GET);
		if (!hdr)
			break;
		nl_stats_counter(un, cb->args[0], &counter);
		if (nl_stats_fill(skb, &counter)) {
			genlmsg_cancel(skb, hdr);
			break;
		}
		genlmsg_end(skb, hdr);
	}
	return skb->len;
}

static int nl_features_fill(struct sk_buff *skb, const char *only)
{
	const char *capability;
	unsigned int i;

	if (nla_put_string(skb, UET_A_FEATURES_VERSION, UET_VERSION) ||
	    nla_put_u32(skb, UET_A_FEATURES_FAMILY, uet_sock_family()) ||
	    nla_put_u32(skb, UET_A_FEATURES_SOL, SOL_UET) ||
	    nla_put_string(skb, UET_A_FEATURES_WIRE_VERSION,
			   UET_WIRE_VERSION) ||
	    nla_put_u16(skb, UET_A_FEATURES_PORT, UET_PORT_DEFAULT))
		return -EMSGSIZE;

	for (i = 0; (capability = uet_features_capability(i)); i++) {
		if (only && strcmp(only, capability))
			continue;
		if (nla_put_string(skb, UET_A_FEATURES_CAPABILITY, capability))
			return -EMSGSIZE;
	}
	return 0;
}

static bool nl_features_has(const char *capability)
{
	const char *known;
	unsigned int i;

	for (i = 0; (known = uet_features_capability(i)); i++) {
		if (!strcmp(known, capability))
			return true;
	}
	return false;
}

/*
 * UET_CMD_FEATURES_GET.
 * Context: Process context.
 * Return: 0 or a negative errno, with an extack message.
 */
int uet_nl_features_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *attr = info->attrs[UET_A_FEATURES_CAPABILITY];
	struct sk_buff *reply;
	char only[16] = "";
	void *hdr = NULL;
	int err = 0;

	if (attr && (nla_strscpy(only, attr, sizeof(only)) < 0 ||
		     !nl_features_has(only))) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "features: the module does not have this capability");
		return -EOPNOTSUPP;
	}
	reply = uet_nl_reply_begin(info, UET_CMD_FEATURES_GET, &hdr);
	if (reply)
		err = nl_features_fill(reply, attr ? only : NULL);
	return uet_nl_reply_end(info, reply, hdr, err);
}
