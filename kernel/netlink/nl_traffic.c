// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink operations on what FEPs, jobs and peers have sent and received.  FEPs and jobs
 * are visible to all, and so are their counters, unless net.uet.private_traffic keeps them
 * for the owner of the job and for CAP_NET_ADMIN.  The peers of a FEP are for CAP_NET_ADMIN,
 * like its PDCs, and for CAP_PERFMON, with which a monitor can read but change nothing.
 */
#include <linux/ktime.h>
#include <net/sock.h>

#include "fabric/fabric.h"
#include "netlink.h"
#include "nl_gen.h"
#include "pdc/pdc.h"

static int nl_traffic_put_u64(struct sk_buff *skb, int attr, u64 value)
{
	return nla_put_u64_64bit(skb, attr, value, UET_A_TRAFFIC_PAD);
}

static int nl_traffic_put(struct sk_buff *skb, const struct uet_traffic *traffic,
			  enum uet_traffic_counter end)
{
	static const int attrs[UET_TRAFFIC_NR] = {
		[UET_TRAFFIC_PDCS] = UET_A_TRAFFIC_PDCS,
		[UET_TRAFFIC_FAILED_PDCS] = UET_A_TRAFFIC_FAILED_PDCS,
		[UET_TRAFFIC_TX_MESSAGES] = UET_A_TRAFFIC_TX_MESSAGES,
		[UET_TRAFFIC_FAILED_MESSAGES] = UET_A_TRAFFIC_FAILED_MESSAGES,
		[UET_TRAFFIC_TX_BYTES] = UET_A_TRAFFIC_TX_BYTES,
		[UET_TRAFFIC_TX_PACKETS] = UET_A_TRAFFIC_TX_PACKETS,
		[UET_TRAFFIC_TX_RETX] = UET_A_TRAFFIC_TX_RETX,
		[UET_TRAFFIC_RX_MESSAGES] = UET_A_TRAFFIC_RX_MESSAGES,
		[UET_TRAFFIC_RX_BYTES] = UET_A_TRAFFIC_RX_BYTES,
		[UET_TRAFFIC_RX_PACKETS] = UET_A_TRAFFIC_RX_PACKETS,
		[UET_TRAFFIC_RX_DUPS] = UET_A_TRAFFIC_RX_DUPS,
		[UET_TRAFFIC_TIMEOUTS] = UET_A_TRAFFIC_TIMEOUTS,
		[UET_TRAFFIC_DROPS] = UET_A_TRAFFIC_DROPS,
	};
	unsigned int i;

	for (i = 0; i < end; i++) {
		if (nl_traffic_put_u64(skb, attrs[i],
				       atomic64_read(&traffic->n[i])))
			return -EMSGSIZE;
	}
	return 0;
}

static int nl_fep_traffic_fill(const struct uet_nl_out *out, const void *object)
{
	const struct uet_fep *fep = object;

	if (nla_put_string(out->skb, UET_A_TRAFFIC_FEP, fep->cfg.name))
		return -EMSGSIZE;
	return nl_traffic_put(out->skb, &fep->traffic, UET_TRAFFIC_NR);
}

static int nl_job_traffic_fill(const struct uet_nl_out *out, const void *object)
{
	const struct uet_job *job = object;

	if (nla_put_u32(out->skb, UET_A_TRAFFIC_JOB, job->cfg.id))
		return -EMSGSIZE;
	return nl_traffic_put(out->skb, &job->traffic, UET_TRAFFIC_DROPS);
}

static bool nl_traffic_is_open(const struct uet_nl_out *out)
{
	return out->is_admin || !READ_ONCE(out->un->private_traffic);
}

/* A FEP counts for all of its jobs. */
static bool nl_fep_traffic_is_visible(const struct uet_nl_out *out, const void *object)
{
	return nl_traffic_is_open(out);
}

static bool nl_job_traffic_is_visible(const struct uet_nl_out *out, const void *object)
{
	const struct uet_job *job = object;

	return nl_traffic_is_open(out) || uid_eq(out->uid, job->cfg.uid);
}

static const struct uet_nl_kind nl_fep_traffic_kind = {
	.cmd = UET_CMD_FEP_TRAFFIC_GET,
	.fill = nl_fep_traffic_fill,
	.is_visible = nl_fep_traffic_is_visible,
};

static const struct uet_nl_kind nl_job_traffic_kind = {
	.cmd = UET_CMD_JOB_TRAFFIC_GET,
	.fill = nl_job_traffic_fill,
	.is_visible = nl_job_traffic_is_visible,
};

static void nl_traffic_collect(const struct sk_buff *request, struct uet_net *un)
{
	uet_pdc_traffic_collect(un, netlink_ns_capable(request,
						       un->net->user_ns,
						       CAP_NET_ADMIN));
}

/* Once for each dump, which args[5] tells. */
static void nl_traffic_dump_collect(struct netlink_callback *cb)
{
	if (cb->args[5])
		return;
	nl_traffic_collect(cb->skb, uet_net(sock_net(cb->skb->sk)));
	cb->args[5] = 1;
}

/*
 * UET_CMD_FEP_TRAFFIC_GET.
 * Context: Process context.
 * Return: 0 or a negative errno, with an extack message.
 */
int uet_nl_fep_traffic_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *name = info->attrs[UET_A_TRAFFIC_FEP];
	struct uet_net *un = uet_nl_net(info);
	struct uet_fep *fep;
	int err = -ENOENT;

	if (GENL_REQ_ATTR_CHECK(info, UET_A_TRAFFIC_FEP)) {
		GENL_SET_ERR_MSG(info, "fep-traffic: fep is missing");
		return -EINVAL;
	}
	nl_traffic_collect(skb, un);
	mutex_lock(&un->cfg_mutex);
	fep = uet_nl_dump_find_fep(info, name);
	if (fep)
		err = uet_nl_reply(info, skb, &nl_fep_traffic_kind, fep);
	mutex_unlock(&un->cfg_mutex);
	return err;
}

/*
 * UET_CMD_FEP_TRAFFIC_GET, all of them.
 * Context: Process context.
 * Return: length of @skb or -EMSGSIZE.
 */
int uet_nl_fep_traffic_get_dumpit(struct sk_buff *skb,
				  struct netlink_callback *cb)
{
	struct uet_net *un = uet_nl_dump_begin(cb);

	nl_traffic_dump_collect(cb);
	return uet_nl_dump_xa(skb, cb, &nl_fep_traffic_kind, &un->feps);
}

/*
 * UET_CMD_JOB_TRAFFIC_GET.
 * Context: Process context.
 * Return: 0 or a negative errno, with an extack message.
 */
int uet_nl_job_traffic_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *id = info->attrs[UET_A_TRAFFIC_JOB];
	struct uet_net *un = uet_nl_net(info);
	struct uet_job *job;
	int err = -ENOENT;

	if (GENL_REQ_ATTR_CHECK(info, UET_A_TRAFFIC_JOB)) {
		GENL_SET_ERR_MSG(info, "job-traffic: job is missing");
		return -EINVAL;
	}
	nl_traffic_collect(skb, un);
	mutex_lock(&un->cfg_mutex);
	job = uet_job_find(un, nla_get_u32(id));
	if (job)
		err = uet_nl_reply(info, skb, &nl_job_traffic_kind, job);
	else
		NL_SET_ERR_MSG_ATTR(info->extack, id, "job-traffic: no such job");
	mutex_unlock(&un->cfg_mutex);
	return err;
}

/*
 * UET_CMD_JOB_TRAFFIC_GET, all of them.
 * Context: Process context.
 * Return: length of @skb or -EMSGSIZE.
 */
int uet_nl_job_traffic_get_dumpit(struct sk_buff *skb,
				  struct netlink_callback *cb)
{
	struct uet_net *un = uet_nl_dump_begin(cb);

	nl_traffic_dump_collect(cb);
	return uet_nl_dump_xa(skb, cb, &nl_job_traffic_kind, &un->jobs);
}

static int nl_peer_permit(const struct sk_buff *request, const struct uet_net *un,
			  struct netlink_ext_ack *extack)
{
	struct user_namespace *ns = un->net->user_ns;

	if (netlink_ns_capable(request, ns, CAP_NET_ADMIN) ||
	    netlink_ns_capable(request, ns, CAP_PERFMON))
		return 0;
	NL_SET_ERR_MSG(extack, "peer: needs CAP_NET_ADMIN or CAP_PERFMON");
	return -EPERM;
}

/* Context: rcu_read_lock() held. */
static int nl_peer_fill(struct sk_buff *skb, const struct uet_fep *fep,
			const struct uet_pdc_peer *peer)
{
	u64 heard = READ_ONCE(peer->heard_ns), srtt = READ_ONCE(peer->srtt_ns);

	if (nla_put_string(skb, UET_A_TRAFFIC_FEP, fep->cfg.name) ||
	    uet_nl_put_fa(skb, &peer->fa, UET_A_TRAFFIC_PEER4,
			  UET_A_TRAFFIC_PEER6) ||
	    nla_put_u32(skb, UET_A_TRAFFIC_OPEN_PDCS,
			READ_ONCE(peer->nr_pdcs)) ||
	    (heard && nl_traffic_put_u64(skb, UET_A_TRAFFIC_SILENT_NS,
					 uet_ns_since(uet_now_ns(), heard))) ||
	    (srtt && nl_traffic_put_u64(skb, UET_A_TRAFFIC_SRTT_NS, srtt)))
		return -EMSGSIZE;
	return nl_traffic_put(skb, &peer->traffic, UET_TRAFFIC_DROPS);
}

static int nl_peer_dump_fep(const struct uet_nl_out *out,
			    struct netlink_callback *cb, struct uet_fep *fep)
{
	struct uet_pdc_peer *peer;
	unsigned long number;
	void *hdr;

	xa_for_each_start(&fep->pdcs->peers.by_number, number, peer,
			  cb->args[1]) {
		hdr = uet_nl_dump_put(out->skb, cb, UET_CMD_PEER_GET);
		if (!hdr)
			return -EMSGSIZE;
		if (nl_peer_fill(out->skb, fep, peer)) {
			genlmsg_cancel(out->skb, hdr);
			return -EMSGSIZE;
		}
		genlmsg_end(out->skb, hdr);
		cb->args[1] = number + 1;
	}
	return 0;
}

/*
 * UET_CMD_PEER_GET, all of them.
 * Context: Process context.
 * Return: length of @skb; -EMSGSIZE; -EPERM.
 */
int uet_nl_peer_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	int err = nl_peer_permit(cb->skb, uet_net(sock_net(cb->skb->sk)), cb->extack);

	if (err)
		return err;
	nl_traffic_dump_collect(cb);
	return uet_nl_dump_feps(skb, cb, nl_peer_dump_fep);
}

static int nl_peer_find(struct genl_info *info, struct sk_buff *reply)
{
	struct nlattr *addr4 = info->attrs[UET_A_TRAFFIC_PEER4];
	struct nlattr *addr6 = info->attrs[UET_A_TRAFFIC_PEER6];
	struct uet_pdc_peer *peer;
	struct uet_fep *fep;
	struct uet_fa fa;

	fep = uet_nl_dump_find_fep(info, info->attrs[UET_A_TRAFFIC_FEP]);
	if (!fep)
		return -ENOENT;
	fa = uet_nl_get_peer(addr4, addr6, fep);
	peer = uet_pdc_peer_find(&fep->pdcs->peers, &fa);
	if (peer)
		return nl_peer_fill(reply, fep, peer);
	NL_SET_ERR_MSG_ATTR(info->extack, addr4 ? addr4 : addr6,
			    "peer: the fep has no such peer, and had none lately");
	return -ENOENT;
}

/*
 * UET_CMD_PEER_GET.
 * Context: Process context.
 * Return: 0 or a negative errno, with an extack message.
 */
int uet_nl_peer_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct sk_buff *reply;
	void *hdr = NULL;
	int err;

	err = nl_peer_permit(skb, uet_nl_net(info), info->extack);
	if (err)
		return err;
	if (GENL_REQ_ATTR_CHECK(info, UET_A_TRAFFIC_FEP)) {
		GENL_SET_ERR_MSG(info, "peer: fep is missing");
		return -EINVAL;
	}
	if (!info->attrs[UET_A_TRAFFIC_PEER4] ==
	    !info->attrs[UET_A_TRAFFIC_PEER6]) {
		GENL_SET_ERR_MSG(info, "peer: needs one of peer4 and peer6");
		return -EINVAL;
	}
	nl_traffic_collect(skb, uet_nl_net(info));
	reply = uet_nl_reply_begin(info, UET_CMD_PEER_GET, &hdr);
	if (reply) {
		rcu_read_lock();
		err = nl_peer_find(info, reply);
		rcu_read_unlock();
	}
	return uet_nl_reply_end(info, reply, hdr, err);
}
