// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink operations on secure domains. Keys are write-only: a reply reports
 * only that a key exists, and its counters.
 */
#include "fabric/fabric.h"
#include "netlink.h"
#include "nl_gen.h"
#include "tss/tss.h"

/* The numbers of netlink are those of the core. */
static_assert((int)UET_SD_MODE_DIRECT == UET_TSS_DIRECT);
static_assert((int)UET_SD_MODE_CLUSTER == UET_TSS_CLUSTER);
static_assert((int)UET_SD_MODE_SERVER == UET_TSS_SERVER);

static int nl_sd_put_u64(struct sk_buff *skb, int attr, u64 value)
{
	return nla_put_u64_64bit(skb, attr, value, UET_A_SD_PAD);
}

static int nl_sd_put_sa(struct sk_buff *skb, const struct uet_tss_sd *core, u8 an)
{
	const struct uet_tss_sa *sa = &core->sa[an];
	struct nlattr *nest;

	if (!sa->is_set)
		return 0;
	nest = nla_nest_start(skb, UET_A_SD_SA);
	if (!nest || nla_put_u8(skb, UET_A_SD_SA_AN, an) ||
	    (core->an == an && nla_put_flag(skb, UET_A_SD_SA_USED)) ||
	    nla_put_u16(skb, UET_A_SD_SA_EPOCH, sa->epoch) ||
	    nla_put_u32(skb, UET_A_SD_SA_NUMBER, sa->number) ||
	    nla_put_u32(skb, UET_A_SD_SA_CHECK, sa->check) ||
	    nla_put_u64_64bit(skb, UET_A_SD_SA_TSC, sa->tsc, UET_A_SD_SA_PAD) ||
	    nla_put_u64_64bit(skb, UET_A_SD_SA_SEALED, sa->sealed, UET_A_SD_SA_PAD) ||
	    nla_put_u64_64bit(skb, UET_A_SD_SA_OPENED, sa->opened, UET_A_SD_SA_PAD))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int nl_sd_put_cfg(struct sk_buff *skb, const struct uet_tss_cfg *cfg)
{
	if (nla_put_u32(skb, UET_A_SD_SDI, cfg->sdi) ||
	    nla_put_u8(skb, UET_A_SD_MODE, cfg->mode) ||
	    (cfg->is_client && nla_put_flag(skb, UET_A_SD_CLIENT)) ||
	    (cfg->is_v6 && nla_put_flag(skb, UET_A_SD_IPV6)) ||
	    (cfg->has_ssi && nla_put_u32(skb, UET_A_SD_SSI, cfg->ssi)) ||
	    nl_sd_put_u64(skb, UET_A_SD_REKEY_MASK, cfg->rekey_mask) ||
	    nla_put_u8(skb, UET_A_SD_REKEY_SHIFT, cfg->rekey_shift) ||
	    nla_put_u16(skb, UET_A_SD_EPOCH_AGE, cfg->epoch_age) ||
	    nl_sd_put_u64(skb, UET_A_SD_SEAL_LIMIT, cfg->seal_limit) ||
	    nl_sd_put_u64(skb, UET_A_SD_FAIL_LIMIT, cfg->fail_limit))
		return -EMSGSIZE;
	return 0;
}

static int nl_sd_put_core(struct sk_buff *skb, const struct uet_tss_sd *core)
{
	u8 an;

	if (nl_sd_put_cfg(skb, &core->cfg))
		return -EMSGSIZE;
	for (an = 0; an < UET_TSS_AN_NR; an++)
		if (nl_sd_put_sa(skb, core, an) ||
		    (core->revoked[an] && nla_put_u32(skb, UET_A_SD_REVOKED, core->revoked[an])))
			return -EMSGSIZE;
	if (nl_sd_put_u64(skb, UET_A_SD_LEFT, uet_tss_left(core)) ||
	    (core->is_shut && nla_put_flag(skb, UET_A_SD_SHUT)) ||
	    nl_sd_put_u64(skb, UET_A_SD_AUTH_FAILS, core->stats.auth_fails) ||
	    nl_sd_put_u64(skb, UET_A_SD_REPLAYS, core->stats.replays) ||
	    nl_sd_put_u64(skb, UET_A_SD_REFUSED, core->stats.refused))
		return -EMSGSIZE;
	return 0;
}

static int nl_sd_fill(const struct uet_nl_out *out, const void *object)
{
	struct uet_sd *sd = (struct uet_sd *)object;
	struct sk_buff *skb = out->skb;
	int err;

	if (nla_put_string(skb, UET_A_SD_NAME, sd->name) ||
	    nla_put_u32(skb, UET_A_SD_FEPS, READ_ONCE(sd->nr_feps)) ||
	    nla_put_u32(skb, UET_A_SD_SENDERS, atomic_read(&sd->srcs.nelems)))
		return -EMSGSIZE;
	spin_lock_bh(&sd->lock);
	err = nl_sd_put_core(skb, &sd->core);
	spin_unlock_bh(&sd->lock);
	return err;
}

static void *nl_sd_find(struct genl_info *info, struct uet_nl_out *out);

static const struct uet_nl_kind nl_sd_kind = {
	.cmd = UET_CMD_SD_GET,
	.keys = { UET_A_SD_NAME },
	.missing = "sd: name is missing",
	.find = nl_sd_find,
	.fill = nl_sd_fill,
	.in_net = offsetof(struct uet_net, sds),
};

UET_NL_GET(sd)

/* Read the domain name of a request.  Return: 0, or an errno with an extack message. */
static int nl_sd_name(struct genl_info *info, char *name)
{
	return uet_nl_check_keys(info, &nl_sd_kind) ? :
	       uet_nl_get_name(info, info->attrs[UET_A_SD_NAME], name);
}

/* Context: rcu_read_lock() or uet_net.cfg_mutex held. */
static void *nl_sd_find(struct genl_info *info, struct uet_nl_out *out)
{
	char name[UET_NAME_MAX];
	int err = nl_sd_name(info, name);
	struct uet_sd *sd;

	if (err)
		return ERR_PTR(err);
	sd = uet_sd_find(uet_nl_net(info), name);
	if (sd)
		return sd;
	return ERR_PTR(uet_nl_refuse(info, info->attrs[UET_A_SD_NAME], -ENOENT, "sd: no such sd"));
}

static int nl_sd_decode(struct genl_info *info, struct uet_tss_cfg *cfg)
{
	struct nlattr **attrs = info->attrs;

	uet_tss_cfg_init(cfg);
	if (GENL_REQ_ATTR_CHECK(info, UET_A_SD_SDI))
		return uet_nl_refuse(info, NULL, -EINVAL, "sd: sdi is missing");
	cfg->sdi = nla_get_u32(attrs[UET_A_SD_SDI]);
	if (attrs[UET_A_SD_MODE])
		cfg->mode = nla_get_u8(attrs[UET_A_SD_MODE]);
	if (cfg->mode != UET_TSS_CLUSTER)
		cfg->rekey_mask = 0;
	cfg->is_client = attrs[UET_A_SD_CLIENT];
	cfg->is_v6 = attrs[UET_A_SD_IPV6];
	cfg->has_ssi = attrs[UET_A_SD_SSI];
	if (cfg->has_ssi)
		cfg->ssi = nla_get_u32(attrs[UET_A_SD_SSI]);
	if (attrs[UET_A_SD_REKEY_MASK])
		cfg->rekey_mask = nla_get_u64(attrs[UET_A_SD_REKEY_MASK]);
	if (attrs[UET_A_SD_REKEY_SHIFT])
		cfg->rekey_shift = nla_get_u8(attrs[UET_A_SD_REKEY_SHIFT]);
	if (attrs[UET_A_SD_EPOCH_AGE])
		cfg->epoch_age = nla_get_u16(attrs[UET_A_SD_EPOCH_AGE]);
	if (attrs[UET_A_SD_SEAL_LIMIT])
		cfg->seal_limit = nla_get_u64(attrs[UET_A_SD_SEAL_LIMIT]);
	if (attrs[UET_A_SD_FAIL_LIMIT])
		cfg->fail_limit = nla_get_u64(attrs[UET_A_SD_FAIL_LIMIT]);
	return 0;
}

int uet_nl_sd_new_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct uet_net *un = uet_nl_net(info);
	struct uet_tss_cfg cfg;
	char name[UET_NAME_MAX];
	int err = nl_sd_name(info, name);

	if (!err)
		err = nl_sd_decode(info, &cfg);
	if (err)
		return err;

	mutex_lock(&un->cfg_mutex);
	err = uet_sd_add(un, name, &cfg, info->extack);
	mutex_unlock(&un->cfg_mutex);
	return err;
}

int uet_nl_sd_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct uet_net *un = uet_nl_net(info);
	char name[UET_NAME_MAX];
	int err = nl_sd_name(info, name);

	if (err)
		return err;

	mutex_lock(&un->cfg_mutex);
	err = uet_sd_del(un, name, info->extack);
	mutex_unlock(&un->cfg_mutex);
	return err;
}

static int nl_sd_set_key(struct uet_sd *sd, struct genl_info *info)
{
	struct nlattr **attrs = info->attrs;
	struct uet_sd_new new = {};
	int err;

	if (!attrs[UET_A_SD_AN])
		return uet_nl_refuse(info, NULL, -EINVAL, "sd: a key needs an");
	if (sd->core.cfg.is_client != !!attrs[UET_A_SD_MASK])
		return uet_nl_refuse(info, NULL, -EINVAL,
				     "sd: a client's key has a mask, others have none");
	new.an = nla_get_u8(attrs[UET_A_SD_AN]);
	if (attrs[UET_A_SD_NUMBER])
		new.number = nla_get_u32(attrs[UET_A_SD_NUMBER]);
	if (attrs[UET_A_SD_CHECK])
		new.check = nla_get_u32(attrs[UET_A_SD_CHECK]);
	if (attrs[UET_A_SD_EPOCH])
		new.epoch = nla_get_u16(attrs[UET_A_SD_EPOCH]);
	new.has_tsc = attrs[UET_A_SD_TSC];
	if (new.has_tsc)
		new.tsc = nla_get_u64(attrs[UET_A_SD_TSC]);
	memcpy(new.key.key, nla_data(attrs[UET_A_SD_KEY]), sizeof(new.key.key));
	if (attrs[UET_A_SD_MASK])
		memcpy(new.key.mask, nla_data(attrs[UET_A_SD_MASK]), sizeof(new.key.mask));
	err = uet_sd_key_set(sd, &new, info->extack);
	memzero_explicit(&new, sizeof(new));
	return err;
}

static int nl_sd_set(struct uet_sd *sd, struct genl_info *info)
{
	struct nlattr **attrs = info->attrs;
	struct nlattr *use = attrs[UET_A_SD_USE];
	struct nlattr *forget = attrs[UET_A_SD_FORGET];
	struct nlattr *epoch = attrs[UET_A_SD_EPOCH];
	bool has_key = attrs[UET_A_SD_KEY];
	bool is_revoke = attrs[UET_A_SD_REVOKE];

	if (has_key + !!use + !!forget + is_revoke + (epoch && !has_key) != 1 ||
	    (!has_key && (attrs[UET_A_SD_AN] || attrs[UET_A_SD_TSC] ||
			  attrs[UET_A_SD_MASK] || attrs[UET_A_SD_NUMBER] || attrs[UET_A_SD_CHECK])))
		return uet_nl_refuse(info, NULL, -EINVAL,
				     "sd: needs one of key (with an), use, forget, revoke and epoch");
	if (has_key)
		return nl_sd_set_key(sd, info);
	if (use)
		return uet_sd_key_use(sd, nla_get_u8(use), info->extack);
	if (forget)
		return uet_sd_key_del(sd, nla_get_u8(forget), info->extack);
	if (epoch)
		return uet_sd_set_epoch(sd, nla_get_u16(epoch), info->extack);
	uet_sd_revoke(sd);
	return 0;
}

/* A request may have a key several times, and only the last one is used. */
static void nl_sd_wipe(struct genl_info *info)
{
	struct nlattr *attr;
	int left;

	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, left)
		if (nla_type(attr) == UET_A_SD_KEY || nla_type(attr) == UET_A_SD_MASK)
			memzero_explicit(nla_data(attr), nla_len(attr));
}

/*
 * A key in the request is always wiped: the request may stay in memory for a long time, and the
 * error reply contains a copy of the request.
 */
int uet_nl_sd_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct uet_net *un = uet_nl_net(info);
	struct uet_sd *sd;
	int err;

	mutex_lock(&un->cfg_mutex);
	sd = nl_sd_find(info, NULL);
	err = IS_ERR(sd) ? PTR_ERR(sd) : nl_sd_set(sd, info);
	mutex_unlock(&un->cfg_mutex);
	nl_sd_wipe(info);
	return err;
}
