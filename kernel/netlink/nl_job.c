// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink operations on jobs. User and group ids are of the user namespace of
 * the requester.
 */
#include <net/sock.h>

#include "core/wire/wire_codes.h"
#include "fabric/fabric.h"
#include "netlink.h"
#include "nl_gen.h"

static int nl_job_fill(const struct uet_nl_out *out, const void *object)
{
	const struct uet_job *job = object;
	const struct uet_job_cfg *cfg = &job->cfg;
	struct sk_buff *skb = out->skb;
	unsigned int i;

	if (nla_put_u32(skb, UET_A_JOB_ID, cfg->id) ||
	    (cfg->name[0] && nla_put_string(skb, UET_A_JOB_NAME, cfg->name)) ||
	    nla_put_u32(skb, UET_A_JOB_UID,
			from_kuid_munged(out->user_ns, cfg->uid)) ||
	    (gid_valid(cfg->gid) &&
	     nla_put_u32(skb, UET_A_JOB_GID,
			 from_kgid_munged(out->user_ns, cfg->gid))) ||
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

static const struct uet_nl_kind nl_job_kind = {
	.cmd = UET_CMD_JOB_GET,
	.fill = nl_job_fill,
};

/*
 * Send an event: a job was created or deleted.
 * @cmd: UET_CMD_JOB_NTF or UET_CMD_JOB_DEL_NTF
 *
 * Context: Process context, uet_net.cfg_mutex held.
 */
void uet_nl_notify_job(u8 cmd, const struct uet_job *job)
{
	uet_nl_notify(job->un, cmd, nl_job_fill, job, GFP_KERNEL);
}

/* Read the JobID of a request. Return: 0, or an errno with an extack message. */
static int nl_job_id(struct genl_info *info, u32 *id)
{
	struct nlattr *attr = info->attrs[UET_A_JOB_ID];

	if (GENL_REQ_ATTR_CHECK(info, UET_A_JOB_ID)) {
		GENL_SET_ERR_MSG(info, "job: id is missing");
		return -EINVAL;
	}
	*id = nla_get_u32(attr);
	if (!*id || *id > UET_JOB_MAX) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "job: id must be 1 to 16777215");
		return -EINVAL;
	}
	return 0;
}

static int nl_job_owner(struct sk_buff *skb, struct genl_info *info,
			struct uet_job_cfg *cfg)
{
	struct user_namespace *user_ns = sk_user_ns(NETLINK_CB(skb).sk);
	struct nlattr *uid = info->attrs[UET_A_JOB_UID];
	struct nlattr *gid = info->attrs[UET_A_JOB_GID];

	cfg->uid = uid ? make_kuid(user_ns, nla_get_u32(uid)) :
			 NETLINK_CREDS(skb)->uid;
	if (!uid_valid(cfg->uid)) {
		NL_SET_ERR_MSG_ATTR(info->extack, uid,
				    "job: no such uid in this user namespace");
		return -EINVAL;
	}
	cfg->gid = gid ? make_kgid(user_ns, nla_get_u32(gid)) : INVALID_GID;
	if (gid && !gid_valid(cfg->gid)) {
		NL_SET_ERR_MSG_ATTR(info->extack, gid,
				    "job: no such gid in this user namespace");
		return -EINVAL;
	}
	return 0;
}

static int nl_job_pids(struct genl_info *info, struct uet_job_cfg *cfg)
{
	struct nlattr *min = info->attrs[UET_A_JOB_PID_MIN];
	struct nlattr *max = info->attrs[UET_A_JOB_PID_MAX];

	cfg->pid_min = min ? nla_get_u16(min) : 0;
	cfg->pid_max = max ? nla_get_u16(max) : UET_PID_MAX;
	if (cfg->pid_min > cfg->pid_max) {
		NL_SET_ERR_MSG_ATTR(info->extack, max ? max : min,
				    "job: pid-min is above pid-max");
		return -EINVAL;
	}
	return 0;
}

static int nl_job_feps(struct genl_info *info, struct uet_job_cfg *cfg)
{
	struct nlattr *attr;
	int rem, err;

	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem) {
		if (nla_type(attr) != UET_A_JOB_FEP)
			continue;
		if (cfg->nr_feps == UET_JOB_FEPS_MAX) {
			NL_SET_ERR_MSG_ATTR(info->extack, attr,
					    "job: can have "
					    __stringify(UET_JOB_FEPS_MAX)
					    " feps at most");
			return -EINVAL;
		}
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
		if (nla_type(attr) != UET_A_JOB_FEP ||
		    uet_fep_find(un, cfg->fep[i++]))
			continue;
		NL_SET_BAD_ATTR(info->extack, attr);
		return;
	}
}

static int nl_job_decode(struct sk_buff *skb, struct genl_info *info,
			 struct uet_job_cfg *cfg)
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

/*
 * UET_CMD_JOB_NEW.
 * Context: Process context.
 * Return: 0 or a negative errno, with an extack message.
 */
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

/*
 * UET_CMD_JOB_DEL.
 * Context: Process context.
 * Return: 0 or a negative errno, with an extack message.
 */
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

/*
 * UET_CMD_JOB_GET.
 * Context: Process context.
 * Return: 0 or a negative errno, with an extack message.
 */
int uet_nl_job_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct uet_net *un = uet_nl_net(info);
	struct uet_job *job;
	u32 id;
	int err = nl_job_id(info, &id);

	if (err)
		return err;

	mutex_lock(&un->cfg_mutex);
	job = uet_job_find(un, id);
	if (job) {
		err = uet_nl_reply(info, skb, &nl_job_kind, job);
	} else {
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[UET_A_JOB_ID],
				    "job: no such job");
		err = -ENOENT;
	}
	mutex_unlock(&un->cfg_mutex);
	return err;
}

/*
 * UET_CMD_JOB_GET, all of them.
 * Context: Process context.
 * Return: length of @skb or -EMSGSIZE.
 */
int uet_nl_job_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct uet_net *un = uet_nl_dump_begin(cb);

	return uet_nl_dump_xa(skb, cb, &nl_job_kind, &un->jobs);
}
