// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink operations on FEPs. A request is decoded completely, and each field
 * is checked against its own limits, before fep.c gets it.
 */
#include "carrier/carrier.h"
#include "config/config.h"
#include "fabric/fabric.h"
#include "netlink.h"
#include "nl_gen.h"
#include "tss/tss.h"

static int nl_fep_put_rail(struct sk_buff *skb, const struct uet_fep *fep,
			   int slot)
{
	const struct uet_rail *rail;
	struct nlattr *nest;
	const char *name;
	u32 plane;

	rail = rcu_dereference(fep->rail[slot]);
	/* Pairs with the smp_wmb() of uet_fep_forget_rail(). */
	if (!rail)
		smp_rmb();
	name = rail ? rail->dev->name : fep->gone_rail[slot].name;
	plane = rail ? rail->plane : fep->gone_rail[slot].plane;
	nest = nla_nest_start(skb, UET_A_FEP_RAIL);
	if (!nest ||
	    nla_put_u32(skb, UET_A_FEP_RAIL_IFINDEX, fep->cfg.ifindex[slot]) ||
	    nla_put_u8(skb, UET_A_FEP_RAIL_STATE,
		       uet_fep_rail_state(fep, rail)) ||
	    nla_put_string(skb, UET_A_FEP_RAIL_IFNAME, name) ||
	    nla_put_u32(skb, UET_A_FEP_RAIL_PLANE, plane))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/* The encapsulation, and its port or protocol number. */
static int nl_fep_put_encap(struct sk_buff *skb, const struct uet_fep_cfg *cfg)
{
	if (nla_put_u8(skb, UET_A_FEP_ENCAP, cfg->encap))
		return -EMSGSIZE;
	return cfg->encap == UET_ENCAP_NATIVE ?
	       nla_put_u8(skb, UET_A_FEP_PROTO, cfg->proto) :
	       nla_put_u16(skb, UET_A_FEP_PORT, cfg->port);
}

static u8 nl_fep_protect(const struct uet_fep_cfg *cfg)
{
	if (cfg->sd)
		return UET_PROTECT_TSS;
	return cfg->crc ? UET_PROTECT_CRC : UET_PROTECT_NONE;
}

static int nl_fep_fill(const struct uet_nl_out *out, const void *object)
{
	const struct uet_fep *fep = object;
	const struct uet_fep_cfg *cfg = &fep->cfg;
	struct sk_buff *skb = out->skb;
	int i;

	if (nla_put_string(skb, UET_A_FEP_NAME, cfg->name) ||
	    uet_nl_put_fa(skb, &cfg->fa, UET_A_FEP_ADDR4, UET_A_FEP_ADDR6) ||
	    (cfg->fa.scope_id &&
	     nla_put_u32(skb, UET_A_FEP_SCOPE_ID, cfg->fa.scope_id)) ||
	    nla_put_u32(skb, UET_A_FEP_MTU, cfg->mtu) ||
	    nla_put_u32(skb, UET_A_FEP_NEED_MTU, READ_ONCE(fep->min_mtu)) ||
	    nla_put_u8(skb, UET_A_FEP_PROTECT,
		       nl_fep_protect(cfg)) ||
	    (cfg->sd && nla_put_string(skb, UET_A_FEP_SD, cfg->sd->name)) ||
	    uet_nl_put_settings(skb, uet_fep_settings(fep)) ||
	    nl_fep_put_encap(skb, cfg))
		return -EMSGSIZE;

	for (i = 0; i < UET_FEP_RAILS_MAX && cfg->ifindex[i]; i++) {
		if (nl_fep_put_rail(skb, fep, i))
			return -EMSGSIZE;
	}
	return 0;
}

static const struct uet_nl_kind nl_fep_kind = {
	.cmd = UET_CMD_FEP_GET,
	.fill = nl_fep_fill,
};

/*
 * Send an event: a FEP was created, changed or deleted.
 * @cmd: UET_CMD_FEP_NTF or UET_CMD_FEP_DEL_NTF
 *
 * Context: Process context, uet_net.rail_mutex held.
 */
void uet_nl_notify_fep(u8 cmd, const struct uet_fep *fep)
{
	uet_nl_notify(fep->un, cmd, nl_fep_fill, fep, GFP_KERNEL);
}

/*
 * Read the FEP name of a request. Return: 0, or an errno with an extack
 * message.
 */
static int nl_fep_name(struct genl_info *info, char *name)
{
	if (GENL_REQ_ATTR_CHECK(info, UET_A_FEP_NAME)) {
		GENL_SET_ERR_MSG(info, "fep: name is missing");
		return -EINVAL;
	}
	return uet_nl_get_name(info, info->attrs[UET_A_FEP_NAME], name);
}

static int nl_fep_addr6(struct genl_info *info, struct uet_fa *fa)
{
	struct nlattr *attr = info->attrs[UET_A_FEP_ADDR6];
	struct nlattr *scope = info->attrs[UET_A_FEP_SCOPE_ID];
	struct in6_addr v6 = nla_get_in6_addr(attr);

	*fa = uet_fa_v6(&v6, scope ? nla_get_u32(scope) : 0);
	if (ipv6_addr_type(&v6) & IPV6_ADDR_LINKLOCAL) {
		if (!fa->scope_id) {
			NL_SET_ERR_MSG_ATTR(info->extack, attr,
					    "fep: a link-local addr needs a scope-id");
			return -EINVAL;
		}
	} else if (scope) {
		NL_SET_ERR_MSG_ATTR(info->extack, scope,
				    "fep: scope-id is for a link-local addr only");
		return -EINVAL;
	}
	return 0;
}

static int nl_fep_addr(struct genl_info *info, struct uet_fa *fa)
{
	struct nlattr *addr4 = info->attrs[UET_A_FEP_ADDR4];
	struct nlattr *addr6 = info->attrs[UET_A_FEP_ADDR6];

	if (!addr4 == !addr6) {
		GENL_SET_ERR_MSG(info, "fep: needs one of addr4 and addr6");
		return -EINVAL;
	}
	if (addr6)
		return nl_fep_addr6(info, fa);
	if (info->attrs[UET_A_FEP_SCOPE_ID]) {
		NL_SET_ERR_MSG_ATTR(info->extack,
				    info->attrs[UET_A_FEP_SCOPE_ID],
				    "fep: scope-id is for a link-local addr only");
		return -EINVAL;
	}
	*fa = uet_fa_v4(nla_get_in_addr(addr4));
	return 0;
}

static int nl_fep_mtu(struct genl_info *info, struct uet_fep_cfg *cfg)
{
	struct nlattr *attr = info->attrs[UET_A_FEP_MTU];
	u32 mtu;

	/* 0: the largest that fits all rails. */
	if (!attr)
		return 0;
	mtu = nla_get_u32(attr);
	if (mtu < UET_MTU_MIN || mtu > UET_MTU_MAX) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "fep: mtu must be 1024 to 8192");
		return -EINVAL;
	}
	cfg->mtu = mtu;
	return 0;
}

static int nl_fep_port(struct genl_info *info, struct uet_fep_cfg *cfg)
{
	struct nlattr *attr = info->attrs[UET_A_FEP_PORT];

	cfg->port = attr ? nla_get_u16(attr) : UET_PORT_DEFAULT;
	if (!cfg->port) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "fep: port must be 1 to 65535");
		return -EINVAL;
	}
	return 0;
}

static int nl_fep_proto(struct genl_info *info, struct uet_fep_cfg *cfg)
{
	struct nlattr *attr = info->attrs[UET_A_FEP_PROTO];

	cfg->proto = attr ? nla_get_u8(attr) : UET_IPPROTO_DEFAULT;
	if (!cfg->proto) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "fep: proto must be 1 to 255");
		return -EINVAL;
	}
	if (uet_native_is_reserved(cfg->proto)) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "fep: proto is the number of another protocol");
		return -EINVAL;
	}
	return 0;
}

/* The encapsulation, and its port or protocol number. */
static int nl_fep_encap(struct genl_info *info, struct uet_fep_cfg *cfg)
{
	struct nlattr *encap = info->attrs[UET_A_FEP_ENCAP];
	struct nlattr *proto = info->attrs[UET_A_FEP_PROTO];
	struct nlattr *port = info->attrs[UET_A_FEP_PORT];

	cfg->encap = encap ? nla_get_u8(encap) : UET_ENCAP_UDP;
	if (cfg->encap == UET_ENCAP_NATIVE && port) {
		NL_SET_ERR_MSG_ATTR(info->extack, port,
				    "fep: port is for encap udp only");
		return -EINVAL;
	}
	if (cfg->encap == UET_ENCAP_UDP && proto) {
		NL_SET_ERR_MSG_ATTR(info->extack, proto,
				    "fep: proto is for encap native only");
		return -EINVAL;
	}
	if (cfg->encap == UET_ENCAP_NATIVE)
		return nl_fep_proto(info, cfg);
	cfg->proto = IPPROTO_UDP;
	return nl_fep_port(info, cfg);
}

/* Without further attributes all DSCPs equal the DSCP of requests. */
static int nl_fep_new_settings(struct genl_info *info,
			       struct uet_fep_settings *settings)
{
	const struct nlattr *attr = info->attrs[UET_A_FEP_DSCP_REQUEST];

	memset(settings, 0, sizeof(*settings));
	settings->pdc = uet_pdc_cfg_default;
	if (attr)
		memset(settings->dscp, nla_get_u8(attr),
		       sizeof(settings->dscp));
	settings->dscp_trimmed = UET_DSCP_NONE;
	settings->dscp_trimmed_lasthop = UET_DSCP_NONE;
	settings->headers = UET_HEADERS_STANDARD;
	settings->cc = UET_CC_ALGO_NSCC;
	settings->paths = UET_PATHS_AUTO;
	return uet_nl_get_settings(info, settings);
}

static int nl_fep_rails(struct genl_info *info, struct uet_fep_cfg *cfg)
{
	struct nlattr *attr;
	int nr = 0;
	int rem;

	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem) {
		if (nla_type(attr) != UET_A_FEP_IFINDEX)
			continue;
		if (nr == UET_FEP_RAILS_MAX) {
			NL_SET_ERR_MSG_ATTR(info->extack, attr,
					    "fep: can have "
					    __stringify(UET_FEP_RAILS_MAX)
					    " rails at most");
			return -EINVAL;
		}
		cfg->ifindex[nr] = nla_get_u32(attr);
		if (cfg->ifindex[nr] <= 0) {
			NL_SET_ERR_MSG_ATTR(info->extack, attr,
					    "fep: ifindex must be above 0");
			return -EINVAL;
		}
		nr++;
	}
	return 0;
}

static int nl_fep_decode(struct genl_info *info, struct uet_fep_cfg *cfg)
{
	struct nlattr *protect = info->attrs[UET_A_FEP_PROTECT];
	int err;

	memset(cfg, 0, sizeof(*cfg));
	err = nl_fep_name(info, cfg->name);
	if (!err)
		err = nl_fep_addr(info, &cfg->fa);
	if (!err)
		err = nl_fep_mtu(info, cfg);
	if (!err)
		err = nl_fep_encap(info, cfg);
	if (!err)
		err = nl_fep_rails(info, cfg);
	if (err)
		return err;

	cfg->crc = protect ? nla_get_u8(protect) == UET_PROTECT_CRC :
			     !info->attrs[UET_A_FEP_SD];
	return 0;
}

static int nl_fep_sd(struct genl_info *info, struct uet_fep_cfg *cfg)
{
	struct nlattr *protect = info->attrs[UET_A_FEP_PROTECT];
	struct nlattr *attr = info->attrs[UET_A_FEP_SD];
	char name[UET_NAME_MAX];
	int err;

	if (!attr != !(protect ? nla_get_u8(protect) == UET_PROTECT_TSS :
				 !!attr)) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr ? attr : protect,
				    "fep: protect tss and sd need each other");
		return -EINVAL;
	}
	if (!attr)
		return 0;
	err = uet_nl_get_name(info, attr, name);
	if (err)
		return err;
	cfg->sd = uet_sd_find(uet_nl_net(info), name);
	if (!cfg->sd) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr, "fep: no such sd");
		return -ENOENT;
	}
	return 0;
}

/* Context: uet_net.cfg_mutex held.  The netdev that is not a rail. */
static void nl_fep_mark_rail(struct genl_info *info, struct uet_net *un)
{
	struct nlattr *attr;
	int rem;

	mutex_lock(&un->rail_mutex);
	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem) {
		if (nla_type(attr) != UET_A_FEP_IFINDEX ||
		    uet_rail_find(un, nla_get_u32(attr)))
			continue;
		NL_SET_BAD_ATTR(info->extack, attr);
		break;
	}
	mutex_unlock(&un->rail_mutex);
}

/*
 * UET_CMD_FEP_NEW.
 * Context: Process context.
 * Return: 0 or a negative errno, with an extack message.
 */
int uet_nl_fep_new_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct uet_net *un = uet_nl_net(info);
	struct uet_fep_settings settings;
	struct uet_fep_cfg cfg;
	int err = nl_fep_decode(info, &cfg);

	if (!err)
		err = nl_fep_new_settings(info, &settings);
	if (err)
		return err;

	mutex_lock(&un->cfg_mutex);
	err = nl_fep_sd(info, &cfg);
	if (!err) {
		err = uet_config_add_fep(un, &cfg, &settings, info->extack);
		if (err == -ENOENT)
			nl_fep_mark_rail(info, un);
	}
	mutex_unlock(&un->cfg_mutex);
	return err;
}

#define NL_FEP_FIXED(attr, word) \
	{ attr, "fep: " word " is fixed, it takes fep del and fep add" }

/* Peers identify a FEP by these attributes: they cannot be changed. */
static int nl_fep_refuse_fixed(struct genl_info *info)
{
	static const struct {
		int attr;
		const char *text;
	} fixed[] = {
		NL_FEP_FIXED(UET_A_FEP_ADDR4, "addr"),
		NL_FEP_FIXED(UET_A_FEP_ADDR6, "addr"),
		NL_FEP_FIXED(UET_A_FEP_SCOPE_ID, "scope-id"),
		NL_FEP_FIXED(UET_A_FEP_MTU, "mtu"),
		NL_FEP_FIXED(UET_A_FEP_PORT, "port"),
		NL_FEP_FIXED(UET_A_FEP_PROTECT, "protect"),
		NL_FEP_FIXED(UET_A_FEP_IFINDEX, "rails"),
		NL_FEP_FIXED(UET_A_FEP_ENCAP, "encap"),
		NL_FEP_FIXED(UET_A_FEP_PROTO, "proto"),
		NL_FEP_FIXED(UET_A_FEP_SD, "sd"),
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(fixed); i++) {
		if (!info->attrs[fixed[i].attr])
			continue;
		NL_SET_BAD_ATTR(info->extack, info->attrs[fixed[i].attr]);
		info->extack->_msg = fixed[i].text;
		return -EOPNOTSUPP;
	}
	return 0;
}

static bool nl_fep_has_more(struct genl_info *info)
{
	const struct nlattr *attr;
	int rem;

	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem) {
		if (nla_type(attr) != UET_A_FEP_NAME)
			return true;
	}
	return false;
}

static int nl_fep_set(struct uet_net *un, struct genl_info *info,
		      const char *name)
{
	struct uet_fep *fep = uet_fep_find(un, name);
	struct uet_fep_settings settings;
	int err;

	if (!fep) {
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[UET_A_FEP_NAME],
				    "fep: no such fep");
		return -ENOENT;
	}
	settings = *uet_fep_settings(fep);
	err = uet_nl_get_settings(info, &settings);
	return err ? err : uet_config_set_fep(fep, &settings, info->extack);
}

/*
 * UET_CMD_FEP_SET.
 * Context: Process context.
 * Return: 0 or a negative errno, with an extack message.
 */
int uet_nl_fep_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct uet_net *un = uet_nl_net(info);
	char name[UET_NAME_MAX];
	int err = nl_fep_name(info, name);

	if (!err)
		err = nl_fep_refuse_fixed(info);
	if (err)
		return err;
	if (!nl_fep_has_more(info)) {
		GENL_SET_ERR_MSG(info, "fep: nothing to set is given");
		return -EINVAL;
	}

	mutex_lock(&un->cfg_mutex);
	err = nl_fep_set(un, info, name);
	mutex_unlock(&un->cfg_mutex);
	return err;
}

/*
 * UET_CMD_FEP_DEL.
 * Context: Process context.
 * Return: 0 or a negative errno, with an extack message.
 */
int uet_nl_fep_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct uet_net *un = uet_nl_net(info);
	char name[UET_NAME_MAX];
	int err = nl_fep_name(info, name);

	if (err)
		return err;

	mutex_lock(&un->cfg_mutex);
	err = uet_config_del_fep(un, name, info->extack);
	mutex_unlock(&un->cfg_mutex);
	return err;
}

/*
 * UET_CMD_FEP_GET.
 * Context: Process context.
 * Return: 0 or a negative errno, with an extack message.
 */
int uet_nl_fep_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct uet_net *un = uet_nl_net(info);
	char name[UET_NAME_MAX];
	struct uet_fep *fep;
	int err = nl_fep_name(info, name);

	if (err)
		return err;

	mutex_lock(&un->cfg_mutex);
	fep = uet_fep_find(un, name);
	if (fep) {
		err = uet_nl_reply(info, skb, &nl_fep_kind, fep);
	} else {
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[UET_A_FEP_NAME],
				    "fep: no such fep");
		err = -ENOENT;
	}
	mutex_unlock(&un->cfg_mutex);
	return err;
}

/*
 * UET_CMD_FEP_GET, all of them.
 * Context: Process context.
 * Return: length of @skb or -EMSGSIZE.
 */
int uet_nl_fep_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct uet_net *un = uet_nl_dump_begin(cb);

	return uet_nl_dump_xa(skb, cb, &nl_fep_kind, &un->feps);
}
