// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink operations on counters and features.  Counters of the namespace and features are
 * identified by name, so that existing tools show those of a newer module.
 *
 * What FEPs and jobs have sent and received is visible to all, unless net.uet.private_traffic
 * keeps it for the owner of the job and for CAP_NET_ADMIN.  The peers of a FEP are for
 * CAP_NET_ADMIN, like its PDCs, and for CAP_PERFMON, with which a monitor can read but change
 * nothing.
 */
#include <linux/ktime.h>
#include <linux/string.h>
#include <linux/uet.h>
#include <net/sock.h>

#include "config/config.h"
#include "core/wire/wire.h"
#include "fabric/fabric.h"
#include "netlink.h"
#include "nl_gen.h"
#include "pdc/pdc.h"
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

static int nl_stats_fill(const struct uet_nl_out *out, const void *object)
{
	const struct nl_counter *counter = object;
	struct sk_buff *skb = out->skb;

	if (nla_put_u8(skb, UET_A_STATS_KIND, counter->kind) ||
	    nla_put_string(skb, UET_A_STATS_NAME, counter->name) ||
	    nla_put_u64_64bit(skb, UET_A_STATS_VALUE, counter->value, UET_A_STATS_PAD))
		return -EMSGSIZE;
	return 0;
}

int uet_nl_stats_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *kind = info->attrs[UET_A_STATS_KIND];
	struct nlattr *name = info->attrs[UET_A_STATS_NAME];
	struct nl_counter counter;
	unsigned int i;

	if (GENL_REQ_ATTR_CHECK(info, UET_A_STATS_KIND) ||
	    GENL_REQ_ATTR_CHECK(info, UET_A_STATS_NAME))
		return uet_nl_refuse(info, NULL, -EINVAL, "stats: kind or name is missing");
	for (i = 0; i < NL_STATS_NR; i++) {
		if (!nl_stats_is_shown(i))
			continue;
		nl_stats_counter(uet_nl_net(info), i, &counter);
		if (counter.kind == nla_get_u8(kind) && !nla_strcmp(name, counter.name))
			return uet_nl_reply(info, UET_CMD_STATS_GET, nl_stats_fill, &counter);
	}
	return uet_nl_refuse(info, name, -ENOENT, "stats: no such counter");
}

int uet_nl_stats_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct uet_net *un = uet_nl_dump_begin(cb);
	struct uet_nl_out out = { .skb = skb };
	struct nl_counter counter;

	for (; cb->args[0] < NL_STATS_NR; cb->args[0]++) {
		if (!nl_stats_is_shown(cb->args[0]))
			continue;
		nl_stats_counter(un, cb->args[0], &counter);
		if (uet_nl_dump_one(&out, cb, UET_CMD_STATS_GET, nl_stats_fill, &counter))
			break;
	}
	return skb->len;
}

/* @object: the name of a single capability, or NULL for all */
static int nl_features_fill(const struct uet_nl_out *out, const void *object)
{
	const char *only = object, *capability;
	struct sk_buff *skb = out->skb;
	unsigned int i;

	if (nla_put_string(skb, UET_A_FEATURES_VERSION, UET_VERSION) ||
	    nla_put_u32(skb, UET_A_FEATURES_FAMILY, uet_sock_family()) ||
	    nla_put_u32(skb, UET_A_FEATURES_SOL, SOL_UET) ||
	    nla_put_string(skb, UET_A_FEATURES_WIRE_VERSION, UET_WIRE_VERSION) ||
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

int uet_nl_features_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *attr = info->attrs[UET_A_FEATURES_CAPABILITY];
	char only[16] = "";

	if (attr && (nla_strscpy(only, attr, sizeof(only)) < 0 || !nl_features_has(only)))
		return uet_nl_refuse(info, attr, -EOPNOTSUPP,
				     "features: the module does not have this capability");
	return uet_nl_reply(info, UET_CMD_FEATURES_GET, nl_features_fill, attr ? only : NULL);
}

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
		if (nl_traffic_put_u64(skb, attrs[i], atomic64_read(&traffic->n[i])))
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

static void nl_traffic_collect(const struct sk_buff *request, struct uet_net *un)
{
	uet_pdc_traffic_collect(un, netlink_ns_capable(request, un->net->user_ns, CAP_NET_ADMIN));
}

static void *nl_fep_traffic_find(struct genl_info *info, struct uet_nl_out *out)
{
	return uet_nl_find_fep(info, info->attrs[UET_A_TRAFFIC_FEP]) ? : ERR_PTR(-ENOENT);
}

static void *nl_job_traffic_find(struct genl_info *info, struct uet_nl_out *out)
{
	struct nlattr *id = info->attrs[UET_A_TRAFFIC_JOB];
	struct uet_job *job = uet_job_find(out->un, nla_get_u32(id));

	if (job)
		return job;
	return ERR_PTR(uet_nl_refuse(info, id, -ENOENT, "job-traffic: no such job"));
}

static const struct uet_nl_kind nl_fep_traffic_kind = {
	.cmd = UET_CMD_FEP_TRAFFIC_GET,
	.keys = { UET_A_TRAFFIC_FEP },
	.missing = "fep-traffic: fep is missing",
	.prepare = nl_traffic_collect,
	.find = nl_fep_traffic_find,
	.fill = nl_fep_traffic_fill,
	.is_visible = nl_fep_traffic_is_visible,
	.in_net = offsetof(struct uet_net, feps),
};

UET_NL_GET(fep_traffic)

static const struct uet_nl_kind nl_job_traffic_kind = {
	.cmd = UET_CMD_JOB_TRAFFIC_GET,
	.keys = { UET_A_TRAFFIC_JOB },
	.missing = "job-traffic: job is missing",
	.prepare = nl_traffic_collect,
	.find = nl_job_traffic_find,
	.fill = nl_job_traffic_fill,
	.is_visible = nl_job_traffic_is_visible,
	.in_net = offsetof(struct uet_net, jobs),
};

UET_NL_GET(job_traffic)

static int nl_peer_permit(const struct sk_buff *request, const struct uet_net *un,
			  struct netlink_ext_ack *extack)
{
	struct user_namespace *ns = un->net->user_ns;

	if (netlink_ns_capable(request, ns, CAP_NET_ADMIN) ||
	    netlink_ns_capable(request, ns, CAP_PERFMON))
		return 0;
	return uet_refuse(extack, -EPERM, "peer: needs CAP_NET_ADMIN or CAP_PERFMON");
}

static int nl_peer_fill(const struct uet_nl_out *out, const void *object)
{
	const struct uet_pdc_peer *peer = object;
	struct sk_buff *skb = out->skb;
	u64 heard = READ_ONCE(peer->heard_ns), srtt = READ_ONCE(peer->srtt_ns);

	if (nla_put_string(skb, UET_A_TRAFFIC_FEP, out->fep->cfg.name) ||
	    uet_nl_put_fa(skb, &peer->fa, UET_A_TRAFFIC_PEER4, UET_A_TRAFFIC_PEER6) ||
	    nla_put_u32(skb, UET_A_TRAFFIC_OPEN_PDCS, READ_ONCE(peer->nr_pdcs)) ||
	    (heard && nl_traffic_put_u64(skb, UET_A_TRAFFIC_SILENT_NS,
					 uet_ns_since(uet_now_ns(), heard))) ||
	    (srtt && nl_traffic_put_u64(skb, UET_A_TRAFFIC_SRTT_NS, srtt)))
		return -EMSGSIZE;
	return nl_traffic_put(skb, &peer->traffic, UET_TRAFFIC_DROPS);
}

static void *nl_peer_find(struct genl_info *info, struct uet_nl_out *out)
{
	struct nlattr *addr4 = info->attrs[UET_A_TRAFFIC_PEER4];
	struct nlattr *addr6 = info->attrs[UET_A_TRAFFIC_PEER6];
	struct uet_pdc_peer *peer;
	struct uet_fa fa;

	if (!addr4 == !addr6)
		return ERR_PTR(uet_nl_refuse(info, NULL, -EINVAL,
					     "peer: needs one of peer4 and peer6"));
	out->fep = uet_nl_find_fep(info, info->attrs[UET_A_TRAFFIC_FEP]);
	if (!out->fep)
		return ERR_PTR(-ENOENT);
	fa = uet_nl_get_peer(addr4, addr6, out->fep);
	peer = uet_pdc_peer_find(&out->fep->pdcs->peers, &fa);
	if (peer)
		return peer;
	return ERR_PTR(uet_nl_refuse(info, addr4 ? addr4 : addr6, -ENOENT,
				     "peer: the fep has no such peer, and had none lately"));
}

static struct xarray *nl_peer_array(const struct uet_fep *fep)
{
	return &fep->pdcs->peers.by_number;
}

static const struct uet_nl_kind nl_peer_kind = {
	.cmd = UET_CMD_PEER_GET,
	.keys = { UET_A_TRAFFIC_FEP },
	.missing = "peer: fep is missing",
	.permit = nl_peer_permit,
	.prepare = nl_traffic_collect,
	.find = nl_peer_find,
	.fill = nl_peer_fill,
	.in_fep = nl_peer_array,
};

UET_NL_GET(peer)
