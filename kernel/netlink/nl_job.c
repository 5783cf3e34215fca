// SPDX-License-Identifier: GPL-2.0
/* Netlink operations on jobs. User and group ids are of the user namespace of the requester. */
#include <net/sock.h>

#include "core/wire/wire_codes.h"
#include "fabric/fabric.h"
#include "netlink.h"
#include "nl_gen.h"

int uet_nl_fill_job(const struct uet_nl_out *out, const void *object)
{
	const struct uet_job *job = object;
	const struct uet_job_cfg *cfg = &job->cfg;
	struct sk_buff *skb = out->skb;
	unsigned int i;

	if (nla_put_u32(skb, UET_A_JOB_ID, cfg->id) ||
	    (cfg->name[0] && nla_put_string(skb, UET_A_JOB_NAME, cfg->name)) ||
	    nla_put_u32(skb, UET_A_JOB_UID, from_kuid_munged(out->user_ns, cfg->uid)) ||
	    (gid_valid(cfg->gid) &&
	     nla_put_u32(skb, UET_A_JOB_GID, from_kgid_munged(out->user_ns, cfg->gid))) ||
	    nla_put_u16(skb, UET_A_JOB_PID_MIN, cfg->pid_min) ||
	    nla_put_u16(skb, UET_A_JOB_PID_MAX, cfg->pid_max) ||
	    nla_put_u32(skb, UET_A_JOB_ENDPOINTS, READ_ONCE(job->nr_eps)) ||
	    nla_put_u32(skb, UET_A_JOB_DESCRIPTORS, atomic_read(&job->nr_fds)) ||
	    nla_put_u8(skb, UET_A_JOB_INET_ONLY, cfg->inet_only))
		return -EMSGSIZE;

	for (i = 0; i < cfg->nr_feps; i++) {
		if (nla_put_string(skb, UET_A_JOB_FEP, cfg->fep[i]))
			return -EMSGSIZE;
	}
	return 0;
}

static void *nl_job_find(struct genl_info *info, struct uet_nl_out *out);

static const struct uet_nl_kind nl_job_kind = {
	.cmd = UET_CMD_JOB_GET,
	.keys = { UET_A_JOB_ID },
	.missing = "job: id is missing",
	.find = nl_job_find,
	.fill = uet_nl_fill_job,
	.in_net = offsetof(struct uet_net, jobs),
};

UET_NL_GET(job)

/* Read the JobID of a request. Return: 0, or an errno with an extack message. */
static int nl_job_id(struct genl_info *info, u32 *id)
{
	int err = uet_nl_check_keys(info, &nl_job_kind);

	if (err)
		return err;
	*id = nla_get_u32(info->attrs[UET_A_JOB_ID]);
	if (*id && *id <= UET_JOB_MAX)
		return 0;
	return uet_nl_refuse(info, info->attrs[UET_A_JOB_ID], -EINVAL,
			     "job: id must be 1 to 16777215");
}

static void *nl_job_find(struct genl_info *info, struct uet_nl_out *out)
{
	struct uet_job *job;
	u32 id;
	int err = nl_job_id(info, &id);

	if (err)
		return ERR_PTR(err);
	job = uet_job_find(out->un, id);
	if (job)
		return job;
	return ERR_PTR(uet_nl_refuse(info, info->attrs[UET_A_JOB_ID], -ENOENT, "job: no such job"));
}

static int nl_job_owner(struct sk_buff *skb, struct genl_info *info, struct uet_job_cfg *cfg)
{
	struct user_namespace *user_ns = sk_user_ns(NETLINK_CB(skb).sk);
	struct nlattr *uid = info->attrs[UET_A_JOB_UID];
	struct nlattr *gid = info->attrs[UET_A_JOB_GID];

	cfg->uid = uid ? make_kuid(user_ns, nla_get_u32(uid)) : NETLINK_CREDS(skb)->uid;
	if (!uid_valid(cfg->uid))
		return uet_nl_refuse(info, uid, -EINVAL, "job: no such uid in this user namespace");
	cfg->gid = gid ? make_kgid(user_ns, nla_get_u32(gid)) : INVALID_GID;
	if (gid && !gid_valid(cfg->gid))
		return uet_nl_refuse(info, gid, -EINVAL, "job: no such gid in this user namespace");
	return 0;
}

static int nl_job_pids(struct genl_info *info, struct uet_job_cfg *cfg)
{
	struct nlattr *min = info->attrs[UET_A_JOB_PID_MIN];
	struct nlattr *max = info->attrs[UET_A_JOB_PID_MAX];

	cfg->pid_min = min ? nla_get_u16(min) : 0;
	cfg->pid_max = max ? nla_get_u16(max) : UET_PID_MAX;
	if (cfg->pid_min > cfg->pid_max)
		return uet_nl_refuse(info, max ? max : min, -EINVAL,
				     "job: pid-min is above pid-max");
	return 0;
}

static int nl_job_feps(struct genl_info *info, struct uet_job_cfg *cfg)
{
	struct nlattr *attr;
	int rem, err;

	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem) {
		if (nla_type(attr) != UET_A_JOB_FEP)
			continue;
		if (cfg->nr_feps == UET_JOB_FEPS_MAX)
			return uet_nl_refuse(info, attr, -EINVAL,
					     "job: can have " __stringify(UET_JOB_FEPS_MAX)
					     " feps at most");
		err = uet_nl_get_name(info, attr, cfg->fep[cfg->nr_feps]);
		if (err)
			return err;
		cfg->nr_feps++;
	}
	return 0;
}

/* Context: uet_net.cfg_mutex held.  The name that uet_job_add() has not found. */
static void nl_job_mark_fep(struct genl_info *info, struct uet_net *un,
			    const struct uet_job_cfg *cfg)
{
	struct nlattr *attr;
	int rem, i = 0;

	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem) {
		if (nla_type(attr) != UET_A_JOB_FEP || uet_fep_find(un, cfg->fep[i++]))
			continue;
		NL_SET_BAD_ATTR(info->extack, attr);
		return;
	}
}

static int nl_job_decode(struct sk_buff *skb, struct genl_info *info, struct uet_job_cfg *cfg)
{
	struct nlattr *name = info->attrs[UET_A_JOB_NAME];
	struct nlattr *inet = info->attrs[UET_A_JOB_INET_ONLY];
	int err;

	memset(cfg, 0, sizeof(*cfg));
	cfg->inet_only = inet && nla_get_u8(inet);
	err = nl_job_id(info, &cfg->id);
	if (!err && name)
		err = uet_nl_get_name(info, name, cfg->name);
	if (!err)
		err = nl_job_owner(skb, info, cfg);
	if (!err)
		err = nl_job_pids(info, cfg);
	if (!err)
		err = nl_job_feps(info, cfg);
	return err;
}

int uet_nl_job_new_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct uet_net *un = uet_nl_net(info);
	struct uet_job_cfg cfg;
	int err = nl_job_decode(skb, info, &cfg);

	if (err)
		return err;

	mutex_lock(&un->cfg_mutex);
	err = uet_job_add(un, &cfg, info->extack);
	if (err == -ENOENT)
		nl_job_mark_fep(info, un, &cfg);
	mutex_unlock(&un->cfg_mutex);
	return err;
}

int uet_nl_job_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct uet_net *un = uet_nl_net(info);
	u32 id;
	int err = nl_job_id(info, &id);

	if (err)
		return err;

	mutex_lock(&un->cfg_mutex);
	err = uet_job_del(un, id, info->extack);
	mutex_unlock(&un->cfg_mutex);
	return err;
}
