// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink operations on FEPs.  A request is decoded completely, and each field is checked
 * against its own limits, before config/ gets it.  Settings that are PDC parameters come from the
 * table in core/pdc_param.def; each of its lines is an attribute here.
 */
#include <linux/capability.h>
#include <linux/stringify.h>

#include "carrier/carrier.h"
#include "config/config.h"
#include "core/pds/pdc_param.h"
#include "fabric/fabric.h"
#include "netlink.h"
#include "nl_gen.h"
#include "tss/tss.h"

/* Size of an attribute in bytes, by the kind of its parameter. */
#define NL_SIZE_COUNT	sizeof(u32)
#define NL_SIZE_POW2	sizeof(u32)
#define NL_SIZE_BYTES	sizeof(u32)
#define NL_SIZE_TIME	sizeof(u64)
#define NL_SIZE_SWITCH	sizeof(u8)

/* Valid range; times are in nanoseconds, as the attribute's name says. */
#define NL_MUST(min, max)	__stringify(min) " to " __stringify(max)
#define NL_MUST_COUNT(min, max)	" must be " NL_MUST(min, max)
#define NL_MUST_POW2(min, max)	" must be a power of two, " NL_MUST(min, max)
#define NL_MUST_BYTES(min, max)	" must be " NL_MUST(min, max)
#define NL_MUST_TIME(min, max)	"-ns must be " NL_MUST(min, max)
#define NL_MUST_SWITCH(min, max) " must be 0 or 1"

/*
 * Shortest timer that root of a user namespace can set, ns.  Shorter timers take CPU
 * time of the host that nobody is charged for.
 */
#define NL_USER_TIMER_MIN	100000

/*
 * struct nl_setting - the attribute of a PDC parameter
 * @size: length of the attribute, bytes
 * @text: extack message for a value out of range
 * @too_short: extack message for a timer below NL_USER_TIMER_MIN
 */
struct nl_setting {
	u16 attr;
	u8 size;
	const char *text;
	const char *too_short;
};

static const struct nl_setting nl_settings[UET_PDC_P_NR] = {
#define UET_PDC_PARAM(name, field, word, kind, min, max, dflt, doc)		\
	[UET_PDC_P_##name] = {						\
		.attr = UET_A_FEP_##name,				\
		.size = NL_SIZE_##kind,					\
		.text = "fep: " word NL_MUST_##kind(min, max),		\
		.too_short = "fep: " word "-ns below "			\
			     __stringify(NL_USER_TIMER_MIN)		\
			     " needs CAP_NET_ADMIN on the host",	\
	},
#include "core/pdc_param.def"
#undef UET_PDC_PARAM
};

static const int nl_set_classes[UET_CLASS_NR] = {
	[UET_CLASS_REQUEST] = UET_A_FEP_DSCP_REQUEST,
	[UET_CLASS_RETX] = UET_A_FEP_DSCP_RETX,
	[UET_CLASS_CONTROL] = UET_A_FEP_DSCP_CONTROL,
};

static u64 nl_set_value(const struct nl_setting *setting, const struct nlattr *attr)
{
	switch (setting->size) {
	case sizeof(u8):
		return nla_get_u8(attr);
	case sizeof(u32):
		return nla_get_u32(attr);
	default:
		return nla_get_u64(attr);
	}
}

/* Is a time that arms a timer, which 0 does not, too short for the requester? */
static bool nl_set_is_too_short(unsigned int param, u64 value)
{
	return nl_settings[param].size == NL_SIZE_TIME && param != UET_PDC_P_CC_BASE_RTT_NS &&
	       param != UET_PDC_P_CC_TARGET_NS && value && value < NL_USER_TIMER_MIN &&
	       !capable(CAP_NET_ADMIN);
}

static int nl_set_params(struct genl_info *info, struct uet_pdc_cfg *cfg)
{
	const struct nlattr *attr;
	unsigned int i;
	u64 value;

	for (i = 0; i < UET_PDC_P_NR; i++) {
		attr = info->attrs[nl_settings[i].attr];
		if (!attr)
			continue;
		value = nl_set_value(&nl_settings[i], attr);
		if (nl_set_is_too_short(i, value)) {
			NL_SET_BAD_ATTR(info->extack, attr);
			info->extack->_msg = nl_settings[i].too_short;
			return -EPERM;
		}
		if (!uet_pdc_param_set(cfg, i, value))
			continue;
		uet_extack_value(info->extack, attr, nl_settings[i].text, value);
		return -ERANGE;
	}
	return 0;
}

static int nl_set_trimmed(struct genl_info *info, int type, const char *text, u8 *dscp)
{
	const struct nlattr *attr = info->attrs[type];
	u8 value = attr ? nla_get_u8(attr) : *dscp;

	if (value > UET_DSCP_MAX && value != UET_DSCP_NONE) {
		uet_extack_value(info->extack, attr, text, (u64)value);
		return -ERANGE;
	}
	*dscp = value;
	return 0;
}

/*
 * Apply the settings of a request to @settings, which are partly updated after an error.
 * Return: 0, each setting within its limits; -ERANGE, -EINVAL, or -EPERM for a timer that needs
 * privilege.
 */
static int nl_get_settings(struct genl_info *info, struct uet_fep_settings *settings)
{
	const struct nlattr *attr;
	int i, err;

	for (i = 0; i < UET_CLASS_NR; i++) {
		attr = info->attrs[nl_set_classes[i]];
		if (attr)
			settings->dscp[i] = nla_get_u8(attr);
	}
	err = nl_set_trimmed(info, UET_A_FEP_DSCP_TRIMMED,
			     "fep: dscp-trimmed must be 0 to 63, or 255 for none",
			     &settings->dscp_trimmed);
	if (!err)
		err = nl_set_trimmed(info, UET_A_FEP_DSCP_TRIMMED_LASTHOP,
				     "fep: dscp-trimmed-lasthop must be 0 to 63, or 255 for none",
				     &settings->dscp_trimmed_lasthop);
	attr = info->attrs[UET_A_FEP_HEADERS];
	if (attr)
		settings->headers = nla_get_u8(attr);
	attr = info->attrs[UET_A_FEP_CC];
	if (attr)
		settings->cc = nla_get_u8(attr);
	attr = info->attrs[UET_A_FEP_PATHS];
	if (attr)
		settings->paths = nla_get_u8(attr);
	if (!err)
		err = nl_set_params(info, &settings->pdc);
	if (!err)
		err = uet_fep_settings_check(settings, info->extack);
	return err;
}

static int nl_set_put(struct sk_buff *skb, const struct nl_setting *setting, u64 value)
{
	switch (setting->size) {
	case sizeof(u8):
		return nla_put_u8(skb, setting->attr, value);
	case sizeof(u32):
		return nla_put_u32(skb, setting->attr, value);
	default:
		return nla_put_u64_64bit(skb, setting->attr, value, UET_A_FEP_PAD);
	}
}

static int nl_put_settings(struct sk_buff *skb, const struct uet_fep_settings *settings)
{
	unsigned int i;

	for (i = 0; i < UET_CLASS_NR; i++) {
		if (nla_put_u8(skb, nl_set_classes[i], settings->dscp[i]))
			return -EMSGSIZE;
	}
	if (nla_put_u8(skb, UET_A_FEP_DSCP_TRIMMED, settings->dscp_trimmed) ||
	    nla_put_u8(skb, UET_A_FEP_DSCP_TRIMMED_LASTHOP, settings->dscp_trimmed_lasthop) ||
	    nla_put_u8(skb, UET_A_FEP_HEADERS, settings->headers) ||
	    nla_put_u8(skb, UET_A_FEP_CC, settings->cc) ||
	    nla_put_u8(skb, UET_A_FEP_PATHS, settings->paths))
		return -EMSGSIZE;
	for (i = 0; i < UET_PDC_P_NR; i++) {
		if (nl_set_put(skb, &nl_settings[i], uet_pdc_param_get(&settings->pdc, i)))
			return -EMSGSIZE;
	}
	return 0;
}

static int nl_fep_put_rail(struct sk_buff *skb, const struct uet_fep *fep, int slot)
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
	    nla_put_u8(skb, UET_A_FEP_RAIL_STATE, uet_fep_rail_state(fep, rail)) ||
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

int uet_nl_fill_fep(const struct uet_nl_out *out, const void *object)
{
	const struct uet_fep *fep = object;
	const struct uet_fep_cfg *cfg = &fep->cfg;
	struct sk_buff *skb = out->skb;
	int i;

	if (nla_put_string(skb, UET_A_FEP_NAME, cfg->name) ||
	    uet_nl_put_fa(skb, &cfg->fa, UET_A_FEP_ADDR4, UET_A_FEP_ADDR6) ||
	    (cfg->fa.scope_id && nla_put_u32(skb, UET_A_FEP_SCOPE_ID, cfg->fa.scope_id)) ||
	    nla_put_u32(skb, UET_A_FEP_MTU, cfg->mtu) ||
	    nla_put_u32(skb, UET_A_FEP_NEED_MTU, READ_ONCE(fep->min_mtu)) ||
	    nla_put_u8(skb, UET_A_FEP_PROTECT, nl_fep_protect(cfg)) ||
	    (cfg->sd && nla_put_string(skb, UET_A_FEP_SD, cfg->sd->name)) ||
	    nl_put_settings(skb, uet_fep_settings(fep)) ||
	    nl_fep_put_encap(skb, cfg))
		return -EMSGSIZE;

	for (i = 0; i < cfg->nr_rails; i++) {
		if (nl_fep_put_rail(skb, fep, i))
			return -EMSGSIZE;
	}
	return 0;
}

static void *nl_fep_find(struct genl_info *info, struct uet_nl_out *out);

static const struct uet_nl_kind nl_fep_kind = {
	.cmd = UET_CMD_FEP_GET,
	.keys = { UET_A_FEP_NAME },
	.missing = "fep: name is missing",
	.find = nl_fep_find,
	.fill = uet_nl_fill_fep,
	.in_net = offsetof(struct uet_net, feps),
};

UET_NL_GET(fep)

/* Read the FEP name of a request.  Return: 0, or an errno with an extack message. */
static int nl_fep_name(struct genl_info *info, char *name)
{
	return uet_nl_check_keys(info, &nl_fep_kind) ? :
	       uet_nl_get_name(info, info->attrs[UET_A_FEP_NAME], name);
}

/* Context: rcu_read_lock() or uet_net.cfg_mutex held. */
static void *nl_fep_find(struct genl_info *info, struct uet_nl_out *out)
{
	char name[UET_NAME_MAX];
	int err = nl_fep_name(info, name);
	struct uet_fep *fep;

	if (err)
		return ERR_PTR(err);
	fep = uet_fep_find(uet_nl_net(info), name);
	if (fep)
		return fep;
	return ERR_PTR(uet_nl_refuse(info, info->attrs[UET_A_FEP_NAME], -ENOENT,
				     "fep: no such fep"));
}

static int nl_fep_addr6(struct genl_info *info, struct uet_fa *fa)
{
	struct nlattr *attr = info->attrs[UET_A_FEP_ADDR6];
	struct nlattr *scope = info->attrs[UET_A_FEP_SCOPE_ID];
	struct in6_addr v6 = nla_get_in6_addr(attr);

	*fa = uet_fa_v6(&v6, scope ? nla_get_u32(scope) : 0);
	if (ipv6_addr_type(&v6) & IPV6_ADDR_LINKLOCAL) {
		if (!fa->scope_id)
			return uet_nl_refuse(info, attr, -EINVAL,
					     "fep: a link-local addr needs a scope-id");
	} else if (scope) {
		return uet_nl_refuse(info, scope, -EINVAL,
				     "fep: scope-id is for a link-local addr only");
	}
	return 0;
}

static int nl_fep_addr(struct genl_info *info, struct uet_fa *fa)
{
	struct nlattr *addr4 = info->attrs[UET_A_FEP_ADDR4];
	struct nlattr *addr6 = info->attrs[UET_A_FEP_ADDR6];

	if (!addr4 == !addr6)
		return uet_nl_refuse(info, NULL, -EINVAL, "fep: needs one of addr4 and addr6");
	if (addr6)
		return nl_fep_addr6(info, fa);
	if (info->attrs[UET_A_FEP_SCOPE_ID])
		return uet_nl_refuse(info, info->attrs[UET_A_FEP_SCOPE_ID], -EINVAL,
				     "fep: scope-id is for a link-local addr only");
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
	if (mtu < UET_MTU_MIN || mtu > UET_MTU_MAX)
		return uet_nl_refuse(info, attr, -EINVAL, "fep: mtu must be 1024 to 8192");
	cfg->mtu = mtu;
	return 0;
}

static int nl_fep_port(struct genl_info *info, struct uet_fep_cfg *cfg)
{
	struct nlattr *attr = info->attrs[UET_A_FEP_PORT];

	cfg->port = attr ? nla_get_u16(attr) : UET_PORT_DEFAULT;
	if (!cfg->port)
		return uet_nl_refuse(info, attr, -EINVAL, "fep: port must be 1 to 65535");
	return 0;
}

static int nl_fep_proto(struct genl_info *info, struct uet_fep_cfg *cfg)
{
	struct nlattr *attr = info->attrs[UET_A_FEP_PROTO];

	cfg->proto = attr ? nla_get_u8(attr) : UET_IPPROTO_DEFAULT;
	if (!cfg->proto)
		return uet_nl_refuse(info, attr, -EINVAL, "fep: proto must be 1 to 255");
	if (uet_native_is_reserved(cfg->proto))
		return uet_nl_refuse(info, attr, -EINVAL,
				     "fep: proto is the number of another protocol");
	return 0;
}

/* The encapsulation, and its port or protocol number. */
static int nl_fep_encap(struct genl_info *info, struct uet_fep_cfg *cfg)
{
	struct nlattr *encap = info->attrs[UET_A_FEP_ENCAP];
	struct nlattr *proto = info->attrs[UET_A_FEP_PROTO];
	struct nlattr *port = info->attrs[UET_A_FEP_PORT];

	cfg->encap = encap ? nla_get_u8(encap) : UET_ENCAP_UDP;
	if (cfg->encap == UET_ENCAP_NATIVE && port)
		return uet_nl_refuse(info, port, -EINVAL, "fep: port is for encap udp only");
	if (cfg->encap == UET_ENCAP_UDP && proto)
		return uet_nl_refuse(info, proto, -EINVAL, "fep: proto is for encap native only");
	if (cfg->encap == UET_ENCAP_NATIVE)
		return nl_fep_proto(info, cfg);
	cfg->proto = IPPROTO_UDP;
	return nl_fep_port(info, cfg);
}

/* Without further attributes all DSCPs equal the DSCP of requests. */
static int nl_fep_new_settings(struct genl_info *info, struct uet_fep_settings *settings)
{
	const struct nlattr *attr = info->attrs[UET_A_FEP_DSCP_REQUEST];

	memset(settings, 0, sizeof(*settings));
	settings->pdc = uet_pdc_cfg_default;
	if (attr)
		memset(settings->dscp, nla_get_u8(attr), sizeof(settings->dscp));
	settings->dscp_trimmed = UET_DSCP_NONE;
	settings->dscp_trimmed_lasthop = UET_DSCP_NONE;
	settings->headers = UET_HEADERS_STANDARD;
	settings->cc = UET_CC_ALGO_NSCC;
	settings->paths = UET_PATHS_AUTO;
	return nl_get_settings(info, settings);
}

static int nl_fep_rails(struct genl_info *info, struct uet_fep_cfg *cfg)
{
	struct nlattr *attr;
	int rem;

	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem) {
		if (nla_type(attr) != UET_A_FEP_IFINDEX)
			continue;
		if (cfg->nr_rails == UET_FEP_RAILS_MAX)
			return uet_nl_refuse(info, attr, -EINVAL,
					     "fep: can have " __stringify(UET_FEP_RAILS_MAX)
					     " rails at most");
		cfg->ifindex[cfg->nr_rails] = nla_get_u32(attr);
		if (cfg->ifindex[cfg->nr_rails] <= 0)
			return uet_nl_refuse(info, attr, -EINVAL, "fep: ifindex must be above 0");
		cfg->nr_rails++;
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

	cfg->crc = protect ? nla_get_u8(protect) == UET_PROTECT_CRC : !info->attrs[UET_A_FEP_SD];
	return 0;
}

static int nl_fep_sd(struct genl_info *info, struct uet_fep_cfg *cfg)
{
	struct nlattr *protect = info->attrs[UET_A_FEP_PROTECT];
	struct nlattr *attr = info->attrs[UET_A_FEP_SD];
	char name[UET_NAME_MAX];
	int err;

	if (!attr != !(protect ? nla_get_u8(protect) == UET_PROTECT_TSS : !!attr))
		return uet_nl_refuse(info, attr ? attr : protect, -EINVAL,
				     "fep: protect tss and sd need each other");
	if (!attr)
		return 0;
	err = uet_nl_get_name(info, attr, name);
	if (err)
		return err;
	cfg->sd = uet_sd_find(uet_nl_net(info), name);
	if (!cfg->sd)
		return uet_nl_refuse(info, attr, -ENOENT, "fep: no such sd");
	return 0;
}

/* Context: uet_net.cfg_mutex held.  The netdev that is not a rail. */
static void nl_fep_mark_rail(struct genl_info *info, struct uet_net *un)
{
	struct nlattr *attr;
	int rem;

	mutex_lock(&un->rail_mutex);
	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem) {
		if (nla_type(attr) != UET_A_FEP_IFINDEX || uet_rail_find(un, nla_get_u32(attr)))
			continue;
		NL_SET_BAD_ATTR(info->extack, attr);
		break;
	}
	mutex_unlock(&un->rail_mutex);
}

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

static int nl_fep_set(struct genl_info *info)
{
	struct uet_fep *fep = nl_fep_find(info, NULL);
	struct uet_fep_settings settings;
	int err;

	if (IS_ERR(fep))
		return PTR_ERR(fep);
	settings = *uet_fep_settings(fep);
	err = nl_get_settings(info, &settings);
	return err ? err : uet_config_set_fep(fep, &settings, info->extack);
}

int uet_nl_fep_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct uet_net *un = uet_nl_net(info);
	char name[UET_NAME_MAX];
	int err = nl_fep_name(info, name);

	if (!err)
		err = nl_fep_refuse_fixed(info);
	if (err)
		return err;
	if (!nl_fep_has_more(info))
		return uet_nl_refuse(info, NULL, -EINVAL, "fep: nothing to set is given");

	mutex_lock(&un->cfg_mutex);
	err = nl_fep_set(info);
	mutex_unlock(&un->cfg_mutex);
	return err;
}

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
