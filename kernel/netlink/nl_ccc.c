// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink operations on congestion control contexts. Traffic creates the
 * contexts, so they can only be shown.
 */
#include <linux/rculist.h>
#include <net/sock.h>

#include "cms/cms.h"
#include "core/cms/ccc.h"
#include "fabric/fabric.h"
#include "netlink.h"
#include "nl_gen.h"

static const char *const nl_ccc_states[] = {
	[UET_CCC_IDLE] = "IDLE",
	[UET_CCC_ACTIVE] = "ACTIVE",
	[UET_CCC_READY] = "READY",
	[UET_CCC_PENDING] = "PENDING",
};

/**
 * struct nl_ccc - snapshot of a context
 * @ccc: the core object
 * @param: its congestion control parameters
 * @queued: bytes in the queues of this host
 * @feedbacks: feedback of its paths
 */
struct nl_ccc {
	struct uet_ccc ccc;
	struct uet_cc_param param;
	u32 queued;
	u32 feedbacks[UET_EV_FEEDBACK_NR];
};

static void nl_ccc_read(struct uet_ccc_entry *cce, struct nl_ccc *now)
{
	local_bh_disable();
	uet_lock_take(&cce->ccc.lock);
	now->ccc = cce->ccc;
	now->param = *cce->ccc.param;
	now->queued = uet_host_limit_bytes(cce);
	memcpy(now->feedbacks, cce->sel.feedbacks, sizeof(now->feedbacks));
	uet_lock_drop(&cce->ccc.lock);
	local_bh_enable();
}

static int nl_ccc_put_counters(struct sk_buff *skb, const struct nl_ccc *now)
{
	const struct uet_cc_stats *stats = &now->ccc.stats;
	const struct {
		int attr;
		u32 value;
	} counters[] = {
		{ UET_A_CCC_ACKS, stats->acks },
		{ UET_A_CCC_MARKED, stats->marked },
		{ UET_A_CCC_SAMPLES, stats->samples },
		{ UET_A_CCC_TRIMS, stats->trims },
		{ UET_A_CCC_TRIMS_LASTHOP, stats->trims_lasthop },
		{ UET_A_CCC_NACKS, stats->nacks },
		{ UET_A_CCC_LOSSES, stats->losses },
		{ UET_A_CCC_FOUND, stats->found },
		{ UET_A_CCC_DECREASES, stats->decreases },
		{ UET_A_CCC_QUICK_ADAPTS, stats->quick_adapts },
		{ UET_A_CCC_FAST_INCREASES, stats->fast_increases },
		{ UET_A_CCC_EV_GOOD, now->feedbacks[UET_EV_GOOD] },
		{ UET_A_CCC_EV_ECN, now->feedbacks[UET_EV_ECN] },
		{ UET_A_CCC_EV_NACK, now->feedbacks[UET_EV_NACK] },
		{ UET_A_CCC_EV_TIMEOUT, now->feedbacks[UET_EV_TIMEOUT] },
		{ UET_A_CCC_PEND, now->ccc.pend },
		{ UET_A_CCC_PENDS, stats->pends },
		{ UET_A_CCC_QUEUED, now->queued },
		{ UET_A_CCC_THROTTLED, stats->throttled },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(counters); i++) {
		if (nla_put_u32(skb, counters[i].attr, counters[i].value))
			return -EMSGSIZE;
	}
	return 0;
}

static int nl_ccc_put_u64(struct sk_buff *skb, int attr, u64 value)
{
	return nla_put_u64_64bit(skb, attr, value, UET_A_CCC_PAD);
}

static int nl_ccc_put_window(struct sk_buff *skb, const struct nl_ccc *now)
{
	const struct uet_ccc *ccc = &now->ccc;
	const struct uet_cc_param *param = &now->param;
	bool is_nscc = ccc->window == &uet_cc_nscc_ops;

	if (ccc->window &&
	    (nl_ccc_put_u64(skb, UET_A_CCC_CWND, ccc->cwnd) ||
	     nl_ccc_put_u64(skb, UET_A_CCC_MAX_CWND,
			    is_nscc ? ccc->nscc.max_wnd : ccc->cwnd)))
		return -EMSGSIZE;
	if (nl_ccc_put_u64(skb, UET_A_CCC_INFLIGHT,
			   max_t(s64, ccc->inflight, 0)) ||
	    nla_put_u32(skb, UET_A_CCC_INFLIGHT_PKTS, ccc->inflight_pkts) ||
	    nl_ccc_put_u64(skb, UET_A_CCC_BACKLOG, ccc->backlog) ||
	    nla_put_u32(skb, UET_A_CCC_RATE, param->cfg.rate_mbps))
		return -EMSGSIZE;
	if (!is_nscc)
		return 0;
	if (nl_ccc_put_u64(skb, UET_A_CCC_BASE_RTT_NS, ccc->nscc.base_ns) ||
	    nl_ccc_put_u64(skb, UET_A_CCC_DELAY_NS, uet_cc_avg_ns(ccc)) ||
	    nl_ccc_put_u64(skb, UET_A_CCC_TARGET_NS, param->cfg.target_ns))
		return -EMSGSIZE;
	return 0;
}

/* Credit in bytes; the cumulative credit on the wire wraps at 4 GiB. */
static int nl_ccc_put_credit(struct sk_buff *skb, const struct nl_ccc *now)
{
	const struct uet_rccc *rccc = &now->ccc.rccc;
	const struct uet_cc_stats *stats = &now->ccc.stats;

	if (now->ccc.grant != &uet_cc_rccc_ops)
		return 0;
	if (nl_ccc_put_u64(skb, UET_A_CCC_CREDIT, max_t(s64, rccc->credit, 0)) ||
	    nla_put_u32(skb, UET_A_CCC_CREDIT_TARGET,
			rccc->target * UET_CC_UNIT) ||
	    nla_put_u32(skb, UET_A_CCC_GRANTED, rccc->pull * UET_CC_UNIT) ||
	    nla_put_u8(skb, UET_A_CCC_UNPACED, rccc->is_unpaced) ||
	    nla_put_u32(skb, UET_A_CCC_CREDITS, stats->credits) ||
	    nla_put_u32(skb, UET_A_CCC_CREDIT_REQUESTS,
			stats->credit_requests))
		return -EMSGSIZE;
	return 0;
}

static int nl_ccc_fill(struct sk_buff *skb, struct uet_ccc_entry *cce)
{
	struct nl_ccc now;

	nl_ccc_read(cce, &now);
	if (nla_put_string(skb, UET_A_CCC_FEP, cce->fep->cfg.name) ||
	    uet_nl_put_fa(skb, &cce->peer, UET_A_CCC_PEER4,
			  UET_A_CCC_PEER6) ||
	    nla_put_u8(skb, UET_A_CCC_MODE,
		       cce->mode == UET_PDC_ROD ? UET_MODE_ROD :
						   UET_MODE_RUD) ||
	    nla_put_u8(skb, UET_A_CCC_CC, uet_fep_cc_algo(&cce->param.cfg)) ||
	    nla_put_u8(skb, UET_A_CCC_PATHS, cce->sel.cfg.policy) ||
	    nla_put_string(skb, UET_A_CCC_STATE,
			   nl_ccc_states[now.ccc.state]) ||
	    nla_put_u32(skb, UET_A_CCC_PDCS, refcount_read(&cce->refs)) ||
	    nla_put_u32(skb, UET_A_CCC_WAITING, now.ccc.nr_waiting) ||
	    nl_ccc_put_window(skb, &now) ||
	    nl_ccc_put_credit(skb, &now))
		return -EMSGSIZE;
	return nl_ccc_put_counters(skb, &now);
}

static int nl_ccc_dump_fep(const struct uet_nl_out *out,
			   struct netlink_callback *cb, struct uet_fep *fep)
{
	struct uet_ccc_entry *cce;
	long index = 0;
	int bucket;
	void *hdr;

	hash_for_each_rcu(fep->cms->cccs, bucket, cce, node) {
		if (index++ < cb->args[1])
			continue;
		hdr = uet_nl_dump_put(out->skb, cb, UET_CMD_CCC_GET);
		if (!hdr)
			return -EMSGSIZE;
		if (nl_ccc_fill(out->skb, cce)) {
			genlmsg_cancel(out->skb, hdr);
			return -EMSGSIZE;
		}
		genlmsg_end(out->skb, hdr);
		cb->args[1] = index;
	}
	return 0;
}

/*
 * UET_CMD_CCC_GET, all of them.
 * Context: Process context.
 * Return: length of @skb or -EMSGSIZE.
 */
int uet_nl_ccc_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return uet_nl_dump_feps(skb, cb, nl_ccc_dump_fep);
}

static int nl_ccc_find(struct genl_info *info, struct sk_buff *reply)
{
	struct nlattr *addr4 = info->attrs[UET_A_CCC_PEER4];
	struct nlattr *addr6 = info->attrs[UET_A_CCC_PEER6];
	struct uet_ccc_entry *cce;
	struct uet_fep *fep;
	struct uet_fa peer;
	int bucket;

	fep = uet_nl_dump_find_fep(info, info->attrs[UET_A_CCC_FEP]);
	if (!fep)
		return -ENOENT;
	peer = uet_nl_get_peer(addr4, addr6, fep);
	hash_for_each_rcu(fep->cms->cccs, bucket, cce, node) {
		if (cce->mode == UET_PDC_RUD &&
		    uet_fa_equal(&cce->peer, &peer))
			return nl_ccc_fill(reply, cce);
	}
	NL_SET_ERR_MSG_ATTR(info->extack, addr4 ? addr4 : addr6,
			    "ccc: no such peer");
	return -ENOENT;
}

/*
 * UET_CMD_CCC_GET.
 * Context: Process context.
 * Return: 0 or a negative errno, with an extack message.
 */
int uet_nl_ccc_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct sk_buff *reply;
	void *hdr = NULL;
	int err = 0;

	if (GENL_REQ_ATTR_CHECK(info, UET_A_CCC_FEP)) {
		GENL_SET_ERR_MSG(info, "ccc: fep is missing");
		return -EINVAL;
	}
	if (!info->attrs[UET_A_CCC_PEER4] == !info->attrs[UET_A_CCC_PEER6]) {
		GENL_SET_ERR_MSG(info, "ccc: needs one of peer4 and peer6");
		return -EINVAL;
	}
	reply = uet_nl_reply_begin(info, UET_CMD_CCC_GET, &hdr);
	if (reply) {
		rcu_read_lock();
		err = nl_ccc_find(info, reply);
		rcu_read_unlock();
	}
	return uet_nl_reply_end(info, reply, hdr, err);
}
