// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink operations on what applications and traffic create: endpoints, PDCs, the PDCs that
 * failed last, and congestion control contexts.  They can only be shown, and PDCs be deleted.
 * PDCIDs and PSNs would let a user forge the packets of another, so PDCs are for CAP_NET_ADMIN.
 * A user without it sees his own endpoints and those of his jobs.
 */
#include <linux/rculist.h>
#include <linux/xarray.h>
#include <net/sock.h>

#include "cms/cms.h"
#include "core/cms/ccc.h"
#include "core/pds/pds.h"
#include "endpoint/endpoint.h"
#include "fabric/fabric.h"
#include "message/message.h"
#include "netlink.h"
#include "nl_gen.h"
#include "pdc/pdc.h"

/* Writes nothing for an endpoint without generations. */
static int nl_ep_put_gen(struct sk_buff *skb, struct uet_sock *us)
{
	u32 gen = uet_gen_get(us);

	if (gen && nla_put_u32(skb, UET_A_EP_GENERATION, gen & ~UET_RI_DISABLED))
		return -EMSGSIZE;
	if (gen & UET_RI_DISABLED)
		return nla_put_flag(skb, UET_A_EP_DISABLED);
	return 0;
}

static bool nl_ep_is_visible(const struct uet_nl_out *out, const void *object)
{
	const struct uet_sock *us = object;

	return out->is_admin || uid_eq(out->uid, READ_ONCE(us->sk.sk_uid)) ||
	       uid_eq(out->uid, us->job->cfg.uid);
}

static u8 nl_ep_type(const struct uet_sock *us)
{
	switch (us->sk.sk_type) {
	case SOCK_SEQPACKET:
		return UET_EP_TYPE_SEQPACKET;
	case SOCK_DGRAM:
		return UET_EP_TYPE_DGRAM;
	default:
		return UET_EP_TYPE_RDM;
	}
}

/* Write how many messages, receives and completions wait at an endpoint, and its regions. */
static int nl_ep_put_queues(struct sk_buff *skb, struct uet_sock *us)
{
	if (nla_put_u8(skb, UET_A_EP_TYPE, nl_ep_type(us)) ||
	    nla_put_u32(skb, UET_A_EP_UNREAD, READ_ONCE(us->rx.unread)) ||
	    nla_put_u32(skb, UET_A_EP_POSTED, READ_ONCE(us->match.nr_posted)) ||
	    nla_put_u32(skb, UET_A_EP_COMPLETIONS, atomic_read(&us->cq.count)) ||
	    nla_put_u32(skb, UET_A_EP_REGIONS, atomic_read(&us->mr.space->nr_mrs)))
		return -EMSGSIZE;
	return 0;
}

static int nl_ep_fill(const struct uet_nl_out *out, const void *object)
{
	struct uet_sock *us = (struct uet_sock *)object;
	const struct uet_fep *fep = out->fep;
	struct sk_buff *skb = out->skb;
	struct sock *sk = &us->sk;
	kuid_t uid = READ_ONCE(sk->sk_uid);

	if (nla_put_string(skb, UET_A_EP_FEP, fep->cfg.name) ||
	    uet_nl_put_fa(skb, &fep->cfg.fa, UET_A_EP_ADDR4, UET_A_EP_ADDR6) ||
	    nla_put_u32(skb, UET_A_EP_JOB, us->addr.job) ||
	    nla_put_u16(skb, UET_A_EP_PID, us->addr.pid) ||
	    nla_put_u16(skb, UET_A_EP_RI, us->addr.ri) ||
	    (!us->addr.rel && nla_put_flag(skb, UET_A_EP_ABSOLUTE)) ||
	    nla_put_u32(skb, UET_A_EP_INITIATOR, us->addr.initiator) ||
	    nla_put_u32(skb, UET_A_EP_UID, from_kuid_munged(out->user_ns, uid)) ||
	    nla_put_u32(skb, UET_A_EP_INODE, sock_i_ino(sk)) ||
	    nla_put_u32(skb, UET_A_EP_RMEM, sk_rmem_alloc_get(sk)) ||
	    nla_put_u32(skb, UET_A_EP_RCVBUF, READ_ONCE(sk->sk_rcvbuf)) ||
	    nla_put_u32(skb, UET_A_EP_WMEM, sk_wmem_alloc_get(sk)) ||
	    nla_put_u32(skb, UET_A_EP_SNDBUF, READ_ONCE(sk->sk_sndbuf)) ||
	    nla_put_u32(skb, UET_A_EP_TX_MESSAGES, atomic_read(&us->tx.pending)) ||
	    nl_ep_put_gen(skb, us))
		return -EMSGSIZE;
	return nl_ep_put_queues(skb, us);
}

static void *nl_ep_find(struct genl_info *info, struct uet_nl_out *out)
{
	struct uet_ep_key key = {
		.job = nla_get_u32(info->attrs[UET_A_EP_JOB]),
		.pid = nla_get_u16(info->attrs[UET_A_EP_PID]),
		.ri = nla_get_u16(info->attrs[UET_A_EP_RI]),
	};
	struct uet_sock *us;

	if (info->attrs[UET_A_EP_ABSOLUTE])
		key.job = 0;

	out->fep = uet_nl_find_fep(info, info->attrs[UET_A_EP_FEP]);
	if (!out->fep)
		return ERR_PTR(-ENOENT);
	us = uet_ep_table_find(out->fep->eps, &key);
	if (us && nl_ep_is_visible(out, us))
		return us;
	GENL_SET_ERR_MSG(info,
			 "ep: no such endpoint, or without CAP_NET_ADMIN one of another user");
	return ERR_PTR(-ENOENT);
}

static struct xarray *nl_ep_array(const struct uet_fep *fep)
{
	return &fep->eps->by_number;
}

static const struct uet_nl_kind nl_ep_kind = {
	.cmd = UET_CMD_EP_GET,
	.keys = { UET_A_EP_FEP, UET_A_EP_JOB, UET_A_EP_PID, UET_A_EP_RI },
	.missing = "ep: fep, job, pid or ri is missing",
	.find = nl_ep_find,
	.fill = nl_ep_fill,
	.is_visible = nl_ep_is_visible,
	.in_fep = nl_ep_array,
};

UET_NL_GET(ep)

static int nl_pdc_put_counters(struct sk_buff *skb, const struct uet_pdc_stats *stats)
{
	const struct {
		int attr;
		u64 value;
	} counters[] = {
#define UET_PDC_STAT(field, mib)	{ UET_A_PDC_COUNTERS_##mib, stats->field },
#define UET_PDC_SUM(field, mib)
#include "core/pdc_stat.def"
	};
	struct nlattr *nest = nla_nest_start(skb, UET_A_PDC_COUNTERS);
	unsigned int i;

	if (!nest)
		return -EMSGSIZE;
	for (i = 0; i < ARRAY_SIZE(counters); i++) {
		if (nla_put_u64_64bit(skb, counters[i].attr, counters[i].value,
				      UET_A_PDC_COUNTERS_PAD))
			return -EMSGSIZE;
	}
	nla_nest_end(skb, nest);
	return 0;
}

static int nl_pdc_put_psns(struct sk_buff *skb, const struct uet_pdc_info *info)
{
	if (nla_put_u32(skb, UET_A_PDC_START_PSN, info->start_psn) ||
	    nla_put_u32(skb, UET_A_PDC_NEXT_PSN, info->next_psn) ||
	    nla_put_u32(skb, UET_A_PDC_TX_BASE_PSN, info->tx_base_psn) ||
	    nla_put_u32(skb, UET_A_PDC_RX_CACK_PSN, info->rx_cack_psn) ||
	    nla_put_u32(skb, UET_A_PDC_CLEAR_PSN, info->clear_psn) ||
	    nla_put_u32(skb, UET_A_PDC_INFLIGHT, info->inflight_pkts) ||
	    nla_put_u32(skb, UET_A_PDC_PEER_MPR, info->peer_mpr_pkts))
		return -EMSGSIZE;
	return 0;
}

static int nl_pdc_put(struct sk_buff *skb, const char *fep, const struct uet_fa *peer,
		      const struct uet_pdc_info *info)
{
	u8 role = info->role == UET_PDC_INITIATOR ? UET_ROLE_INITIATOR : UET_ROLE_TARGET;
	u8 mode = info->mode == UET_PDC_ROD ? UET_MODE_ROD : UET_MODE_RUD;

	if (nla_put_string(skb, UET_A_PDC_FEP, fep) ||
	    nla_put_u32(skb, UET_A_PDC_ID, info->local_pdcid) ||
	    nla_put_u32(skb, UET_A_PDC_PEER_ID, info->peer_pdcid) ||
	    uet_nl_put_fa(skb, peer, UET_A_PDC_PEER4, UET_A_PDC_PEER6) ||
	    nla_put_u8(skb, UET_A_PDC_ROLE, role) ||
	    nla_put_u8(skb, UET_A_PDC_MODE, mode) ||
	    nla_put_string(skb, UET_A_PDC_STATE, uet_pdc_state_name(info->state)) ||
	    (info->error != UET_PDC_OK &&
	     nla_put_string(skb, UET_A_PDC_ERROR, uet_pdc_error_name(info->error))) ||
	    (info->nack_code && nla_put_u8(skb, UET_A_PDC_NACK_CODE, info->nack_code)) ||
	    (info->is_reserved && nla_put_flag(skb, UET_A_PDC_RESERVED)) ||
	    nl_pdc_put_psns(skb, info) ||
	    nla_put_u64_64bit(skb, UET_A_PDC_SRTT_NS, info->srtt_ns, UET_A_PDC_PAD) ||
	    nla_put_u64_64bit(skb, UET_A_PDC_RTO_NS, info->rto_ns, UET_A_PDC_PAD))
		return -EMSGSIZE;
	return nl_pdc_put_counters(skb, &info->stats);
}

int uet_nl_fill_pdc_event(const struct uet_nl_out *out, const void *object)
{
	const struct uet_pdc_event_data *now = object;

	return nl_pdc_put(out->skb, now->fep->cfg.name, &now->pe->peer, now->info);
}

/*
 * @messages: messages of this end that have not ended, or were lost
 * @now: monotonic time, ns: now, or the end of the PDC
 */
static int nl_pdc_put_times(struct sk_buff *skb, const struct uet_pdc_info *info,
			    u32 messages, u64 now)
{
	if (nla_put_u32(skb, UET_A_PDC_MESSAGES, messages) ||
	    (info->heard_ns &&
	     nla_put_u64_64bit(skb, UET_A_PDC_SILENT_NS, uet_ns_since(now, info->heard_ns),
			       UET_A_PDC_PAD)) ||
	    nla_put_u64_64bit(skb, UET_A_PDC_AGE_NS,
			      uet_ns_since(now, info->opened_ns), UET_A_PDC_PAD))
		return -EMSGSIZE;
	return 0;
}

static int nl_pdc_fill(const struct uet_nl_out *out, const void *object)
{
	struct uet_pdc_entry *pe = (struct uet_pdc_entry *)object;
	struct uet_pdc_info info;
	u32 messages;
	int err;

	spin_lock_bh(&pe->lock);
	uet_pdc_get_info(pe->pdc, &info);
	messages = pe->ses.nr_tx;
	spin_unlock_bh(&pe->lock);
	err = nl_pdc_put(out->skb, pe->fep->cfg.name, &pe->peer, &info);
	return err ? err : nl_pdc_put_times(out->skb, &info, messages, uet_now_ns());
}

static void *nl_pdc_find(struct genl_info *info, struct uet_nl_out *out)
{
	struct uet_fep *fep = uet_nl_find_fep(info, info->attrs[UET_A_PDC_FEP]);
	struct nlattr *attr = info->attrs[UET_A_PDC_ID];
	u32 id = nla_get_u32(attr);
	struct uet_pdc_entry *pe;

	if (!fep)
		return ERR_PTR(-ENOENT);
	pe = id <= U16_MAX ? uet_pdc_table_find(fep->pdcs, id) : NULL;
	if (pe)
		return pe;
	return ERR_PTR(uet_nl_refuse(info, attr, -ENOENT, "pdc: no such pdc"));
}

static struct xarray *nl_pdc_array(const struct uet_fep *fep)
{
	return &fep->pdcs->ids;
}

static const struct uet_nl_kind nl_pdc_kind = {
	.cmd = UET_CMD_PDC_GET,
	.keys = { UET_A_PDC_FEP, UET_A_PDC_ID },
	.missing = "pdc: fep or id is missing",
	.find = nl_pdc_find,
	.fill = nl_pdc_fill,
	.in_fep = nl_pdc_array,
};

UET_NL_GET(pdc)

int uet_nl_pdc_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct uet_pdc_entry *pe;
	int err = uet_nl_check_keys(info, &nl_pdc_kind);

	if (err)
		return err;
	rcu_read_lock();
	pe = nl_pdc_find(info, NULL);
	if (!IS_ERR(pe))
		uet_pdc_entry_kill(pe);
	rcu_read_unlock();
	return PTR_ERR_OR_ZERO(pe);
}

static int nl_history_fill(const struct uet_nl_out *out, const void *object)
{
	const struct uet_history_rec *rec = object;

	if (nl_pdc_put(out->skb, rec->fep, &rec->peer, &rec->info) ||
	    nl_pdc_put_times(out->skb, &rec->info, rec->messages, rec->ended_ns) ||
	    nla_put_u64_64bit(out->skb, UET_A_PDC_FAILED_NS, rec->real_ns, UET_A_PDC_PAD))
		return -EMSGSIZE;
	return 0;
}

/* cb->args[0] is the number of the next record. */
int uet_nl_pdc_history_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct uet_net *un = uet_nl_dump_begin(cb);
	struct uet_nl_out out = { .skb = skb };
	struct uet_history_rec rec;
	u64 number = cb->args[0];

	for (; uet_history_read(un, &number, &rec); number++)
		if (uet_nl_dump_one(&out, cb, UET_CMD_PDC_HISTORY_GET, nl_history_fill, &rec))
			break;
	cb->args[0] = number;
	return skb->len;
}

int uet_nl_pdc_history_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct uet_history_rec rec, one;
	bool is_found = false;
	u64 number;
	int err = uet_nl_check_keys(info, &nl_pdc_kind);

	if (err)
		return err;
	for (number = 0; uet_history_read(uet_nl_net(info), &number, &one); number++) {
		if (one.info.local_pdcid != nla_get_u32(info->attrs[UET_A_PDC_ID]) ||
		    nla_strcmp(info->attrs[UET_A_PDC_FEP], one.fep))
			continue;
		rec = one;
		is_found = true;
	}
	if (is_found)
		return uet_nl_reply(info, UET_CMD_PDC_HISTORY_GET, nl_history_fill, &rec);
	return uet_nl_refuse(info, NULL, -ENOENT, "pdc: none of this fep and id failed lately");
}

static const char *const nl_ccc_states[] = {
	[UET_CCC_IDLE] = "IDLE",
	[UET_CCC_ACTIVE] = "ACTIVE",
	[UET_CCC_READY] = "READY",
	[UET_CCC_PENDING] = "PENDING",
};

/*
 * struct nl_ccc - snapshot of a context
 * @queued: bytes in the queues of this host
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
	     nl_ccc_put_u64(skb, UET_A_CCC_MAX_CWND, is_nscc ? ccc->nscc.max_wnd : ccc->cwnd)))
		return -EMSGSIZE;
	if (nl_ccc_put_u64(skb, UET_A_CCC_INFLIGHT, max_t(s64, ccc->inflight, 0)) ||
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
	    nla_put_u32(skb, UET_A_CCC_CREDIT_TARGET, rccc->target * UET_CC_UNIT) ||
	    nla_put_u32(skb, UET_A_CCC_GRANTED, rccc->pull * UET_CC_UNIT) ||
	    nla_put_u8(skb, UET_A_CCC_UNPACED, rccc->is_unpaced) ||
	    nla_put_u32(skb, UET_A_CCC_CREDITS, stats->credits) ||
	    nla_put_u32(skb, UET_A_CCC_CREDIT_REQUESTS, stats->credit_requests))
		return -EMSGSIZE;
	return 0;
}

static int nl_ccc_fill(const struct uet_nl_out *out, const void *object)
{
	struct uet_ccc_entry *cce = (struct uet_ccc_entry *)object;
	struct sk_buff *skb = out->skb;
	struct nl_ccc now;

	nl_ccc_read(cce, &now);
	if (nla_put_string(skb, UET_A_CCC_FEP, cce->fep->cfg.name) ||
	    uet_nl_put_fa(skb, &cce->peer, UET_A_CCC_PEER4, UET_A_CCC_PEER6) ||
	    nla_put_u8(skb, UET_A_CCC_MODE,
		       cce->mode == UET_PDC_ROD ? UET_MODE_ROD : UET_MODE_RUD) ||
	    nla_put_u8(skb, UET_A_CCC_CC, uet_fep_cc_algo(&cce->param.cfg)) ||
	    nla_put_u8(skb, UET_A_CCC_PATHS, cce->sel.cfg.policy) ||
	    nla_put_string(skb, UET_A_CCC_STATE, nl_ccc_states[now.ccc.state]) ||
	    nla_put_u32(skb, UET_A_CCC_PDCS, refcount_read(&cce->refs)) ||
	    nla_put_u32(skb, UET_A_CCC_WAITING, now.ccc.nr_waiting) ||
	    nl_ccc_put_window(skb, &now) ||
	    nl_ccc_put_credit(skb, &now))
		return -EMSGSIZE;
	return nl_ccc_put_counters(skb, &now);
}

static int nl_ccc_dump_fep(const struct uet_nl_out *out, struct netlink_callback *cb)
{
	struct uet_ccc_entry *cce;
	long index = 0;
	int bucket;

	hash_for_each_rcu(out->fep->cms->cccs, bucket, cce, node) {
		if (index++ < cb->args[1])
			continue;
		if (uet_nl_dump_one(out, cb, UET_CMD_CCC_GET, nl_ccc_fill, cce))
			return -EMSGSIZE;
		cb->args[1] = index;
	}
	return 0;
}

static void *nl_ccc_find(struct genl_info *info, struct uet_nl_out *out)
{
	struct nlattr *addr4 = info->attrs[UET_A_CCC_PEER4];
	struct nlattr *addr6 = info->attrs[UET_A_CCC_PEER6];
	struct uet_ccc_entry *cce;
	struct uet_fep *fep;
	struct uet_fa peer;
	int bucket;

	if (!addr4 == !addr6)
		return ERR_PTR(uet_nl_refuse(info, NULL, -EINVAL,
					     "ccc: needs one of peer4 and peer6"));
	fep = uet_nl_find_fep(info, info->attrs[UET_A_CCC_FEP]);
	if (!fep)
		return ERR_PTR(-ENOENT);
	peer = uet_nl_get_peer(addr4, addr6, fep);
	hash_for_each_rcu(fep->cms->cccs, bucket, cce, node) {
		if (cce->mode == UET_PDC_RUD && uet_fa_equal(&cce->peer, &peer))
			return cce;
	}
	return ERR_PTR(uet_nl_refuse(info, addr4 ? addr4 : addr6, -ENOENT, "ccc: no such peer"));
}

static const struct uet_nl_kind nl_ccc_kind = {
	.cmd = UET_CMD_CCC_GET,
	.keys = { UET_A_CCC_FEP },
	.missing = "ccc: fep is missing",
	.find = nl_ccc_find,
	.fill = nl_ccc_fill,
	.dump_fep = nl_ccc_dump_fep,
};

UET_NL_GET(ccc)
