// SPDX-License-Identifier: GPL-2.0
/*
 * Settings of a FEP as netlink attributes: reading, with an extack message for
 * each invalid value, and writing. PDC parameters come from the table in
 * core/pdc_param.def; each of its lines is an attribute here.
 */
#include <linux/capability.h>
#include <linux/stringify.h>

#include "base/base.h"
#include "core/pds/pdc_param.h"
#include "fabric/fabric.h"
#include "netlink.h"

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

/**
 * struct nl_setting - the attribute of a PDC parameter
 * @attr: attribute number
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

static u64 nl_set_value(const struct nl_setting *setting,
			const struct nlattr *attr)
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

/* A time that arms a timer; 0 arms none. */
static bool nl_set_is_timer(unsigned int param)
{
	return nl_settings[param].size == NL_SIZE_TIME &&
	       param != UET_PDC_P_CC_BASE_RTT_NS &&
	       param != UET_PDC_P_CC_TARGET_NS;
}

/* Is the timer too short for the requester? */
static bool nl_set_is_too_short(unsigned int param, u64 value)
{
	return nl_set_is_timer(param) && value && value < NL_USER_TIMER_MIN &&
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
		uet_extack_value(info->extack, attr, nl_settings[i].text,
				 value);
		return -ERANGE;
	}
	return 0;
}

static int nl_set_trimmed(struct genl_info *info, int type, const char *text,
			  u8 *dscp)
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
 * Apply the settings of a request.
 * @settings: in: the current settings; result; partly updated after an error
 *
 * Context: Process context.
 * Return: 0, each setting within its limits; -ERANGE, -EINVAL, or -EPERM for a timer
 *	that needs privilege, with an extack message.
 */
int uet_nl_get_settings(struct genl_info *info,
			struct uet_fep_settings *settings)
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

static int nl_set_put(struct sk_buff *skb, const struct nl_setting *setting,
		      u64 value)
{
	switch (setting->size) {
	case sizeof(u8):
		return nla_put_u8(skb, setting->attr, value);
	case sizeof(u32):
		return nla_put_u32(skb, setting->attr, value);
	default:
		return nla_put_u64_64bit(skb, setting->attr, value,
					 UET_A_FEP_PAD);
	}
}

/*
 * Write all settings.
 * Return: 0 or -EMSGSIZE.
 */
int uet_nl_put_settings(struct sk_buff *skb,
			const struct uet_fep_settings *settings)
{
	unsigned int i;

	for (i = 0; i < UET_CLASS_NR; i++) {
		if (nla_put_u8(skb, nl_set_classes[i], settings->dscp[i]))
			return -EMSGSIZE;
	}
	if (nla_put_u8(skb, UET_A_FEP_DSCP_TRIMMED, settings->dscp_trimmed) ||
	    nla_put_u8(skb, UET_A_FEP_DSCP_TRIMMED_LASTHOP,
		       settings->dscp_trimmed_lasthop) ||
	    nla_put_u8(skb, UET_A_FEP_HEADERS, settings->headers) ||
	    nla_put_u8(skb, UET_A_FEP_CC, settings->cc) ||
	    nla_put_u8(skb, UET_A_FEP_PATHS, settings->paths))
		return -EMSGSIZE;
	for (i = 0; i < UET_PDC_P_NR; i++) {
		if (nl_set_put(skb, &nl_settings[i],
			       uet_pdc_param_get(&settings->pdc, i)))
			return -EMSGSIZE;
	}
	return 0;
}
