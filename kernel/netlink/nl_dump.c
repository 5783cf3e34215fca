// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink operations on endpoints and PDCs, which applications and traffic
 * create: they can only be shown. PDCIDs and PSNs would let a user forge the
 * packets of another, so PDCs are for CAP_NET_ADMIN. A user without it sees his
 * own endpoints and those of his jobs. A dump resumes at {number of the FEP, number of
 * the object on it}, so none is missing or dumped twice because others have ended. If
 * FEPs are added or removed meanwhile, NLM_F_DUMP_INTR is set.
 */
#include <linux/xarray.h>
#include <net/sock.h>

#include "core/pds/pds.h"
#include "endpoint/endpoint.h"
#include "fabric/fabric.h"
#include "message/message.h"
#include "netlink.h"
#include "nl_gen.h"
#include "pdc/pdc.h"

/*
 * Dump the objects of each FEP of a namespace.
 * @cb: dump; its args[0] is the number of the FEP, args[1] for @dump
 *
 * Context: Process context.
 * Return: length of @skb or -EMSGSIZE.
 */
int uet_nl_dump_feps(struct sk_buff *skb, struct netlink_callback *cb,
		     uet_nl_dump_fep_t dump)
{
	struct uet_net *un = uet_nl_dump_begin(cb);
	struct uet_nl_out out = uet_nl_out_to(cb->skb, un);
	unsigned long number;
	struct uet_fep *fep;
	int err = 0;

	out.skb = skb;
	rcu_read_lock();
	xa_for_each_start(&un->feps, number, fep, cb->args[0]) {
		/* The FEP where the last message ended may be gone. */
		if (number != cb->args[0])
			cb->args[1] = 0;
		cb->args[0] = number;
		err = dump(&out, cb, fep);
		if (err)
			break;
		cb->args[0] = number + 1;
		cb->args[1] = 0;
	}
	rcu_read_unlock();
	return skb->len ? skb->len : err;
}

/*
 * Find the FEP of a request.
 * Context: rcu_read_lock() held.
 * Return: the FEP, valid under RCU; NULL with an extack message.
 */
struct uet_fep *uet_nl_dump_find_fep(struct genl_info *info,
				     const struct nlattr *name)
{
	struct uet_fep *fep;
	char buf[UET_NAME_MAX];

	nla_strscpy(buf, name, sizeof(buf));
	fep = uet_fep_find(uet_nl_net(info), buf);
	if (!fep)
		NL_SET_ERR_MSG_ATTR(info->extack, name, "no such fep");
	return fep;
}

/*
 * Read the fabric address of a peer.
 * @addr4: attribute with an IPv4 address; NULL: none
 * @addr6: without @addr4: attribute with an IPv6 address
 *
 * Return: the address; a link-local one is on the link of the FEP.
 */
struct uet_fa uet_nl_get_peer(const struct nlattr *addr4,
			      const struct nlattr *addr6,
			      const struct uet_fep *fep)
{
	struct in6_addr v6;

	if (addr4)
		return uet_fa_v4(nla_get_in_addr(addr4));
	v6 = nla_get_in6_addr(addr6);
	return uet_fa_v6(&v6, fep->cfg.fa.scope_id);
}

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

/* Context: rcu_read_lock() held. */
static bool nl_ep_is_visible(const struct uet_nl_out *out,
			     const struct uet_sock *us)
{
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

/* What waits at an endpoint: messages, receives, completions; and its memory regions. */
static int nl_ep_put_queues(struct sk_buff *skb, struct uet_sock *us)
{
	if (nla_put_u8(skb, UET_A_EP_TYPE, nl_ep_type(us)) ||
	    nla_put_u32(skb, UET_A_EP_UNREAD, READ_ONCE(us->rx.unread)) ||
	    nla_put_u32(skb, UET_A_EP_POSTED, READ_ONCE(us->match.nr_posted)) ||
	    nla_put_u32(skb, UET_A_EP_COMPLETIONS, atomic_read(&us->cq.count)) ||
	    nla_put_u32(skb, UET_A_EP_REGIONS,
			atomic_read(&us->mr.space->nr_mrs)))
		return -EMSGSIZE;
	return 0;
}

static int nl_ep_fill(const struct uet_nl_out *out, const struct uet_fep *fep,
		      struct uet_sock *us)
{
	struct sk_buff *skb = out->skb;
	struct sock *sk = &us->sk;
	kuid_t uid = READ_ONCE(sk->sk_uid);

	if (nla_put_string(skb, UET_A_EP_FEP, fep->cfg.name) ||
	    uet_nl_put_fa(skb, &fep->cfg.fa, UET_A_EP_ADDR4,
			  UET_A_EP_ADDR6) ||
	    nla_put_u32(skb, UET_A_EP_JOB, us->addr.job) ||
	    nla_put_u16(skb, UET_A_EP_PID, us->addr.pid) ||
	    nla_put_u16(skb, UET_A_EP_RI, us->addr.ri) ||
	    (!us->addr.rel && nla_put_flag(skb, UET_A_EP_ABSOLUTE)) ||
	    nla_put_u32(skb, UET_A_EP_INITIATOR, us->addr.initiator) ||
	    nla_put_u32(skb, UET_A_EP_UID,
			from_kuid_munged(out->user_ns, uid)) ||
	    nla_put_u32(skb, UET_A_EP_INODE, sock_i_ino(sk)) ||
	    nla_put_u32(skb, UET_A_EP_RMEM, sk_rmem_alloc_get(sk)) ||
	    nla_put_u32(skb, UET_A_EP_RCVBUF, READ_ONCE(sk->sk_rcvbuf)) ||
	    nla_put_u32(skb, UET_A_EP_WMEM, sk_wmem_alloc_get(sk)) ||
	    nla_put_u32(skb, UET_A_EP_SNDBUF, READ_ONCE(sk->sk_sndbuf)) ||
	    nla_put_u32(skb, UET_A_EP_TX_MESSAGES,
			atomic_read(&us->tx.pending)) ||
	    nl_ep_put_gen(skb, us))
		return -EMSGSIZE;
	return nl_ep_put_queues(skb, us);
}

static int nl_ep_dump_one(const struct uet_nl_out *out,
			  struct netlink_callback *cb,
			  const struct uet_fep *fep, struct uet_sock *us)
{
	void *hdr = uet_nl_dump_put(out->skb, cb, UET_CMD_EP_GET);

	if (!hdr)
		return -EMSGSIZE;
	if (nl_ep_fill(out, fep, us)) {
		genlmsg_cancel(out->skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(out->skb, hdr);
	return 0;
}

static int nl_ep_dump_fep(const struct uet_nl_out *out,
			  struct netlink_callback *cb, struct uet_fep *fep)
{
	unsigned long number;
	struct uet_sock *us;
	int err;

	xa_for_each_start(&fep->eps->by_number, number, us, cb->args[1]) {
		err = nl_ep_is_visible(out, us) ?
		      nl_ep_dump_one(out, cb, fep, us) : 0;
		if (err)
			return err;
		cb->args[1] = number + 1;
	}
	return 0;
}

/*
 * UET_CMD_EP_GET, all of them.
 * Context: Process context.
 * Return: length of @skb or -EMSGSIZE.
 */
int uet_nl_ep_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return uet_nl_dump_feps(skb, cb, nl_ep_dump_fep);
}

static int nl_ep_find(struct genl_info *info, const struct uet_nl_out *out)
{
	struct uet_ep_key key = {
		.job = nla_get_u32(info->attrs[UET_A_EP_JOB]),
		.pid = nla_get_u16(info->attrs[UET_A_EP_PID]),
		.ri = nla_get_u16(info->attrs[UET_A_EP_RI]),
	};
	struct uet_sock *us;
	struct uet_fep *fep;

	if (info->attrs[UET_A_EP_ABSOLUTE])
		key.job = 0;

	fep = uet_nl_dump_find_fep(info, info->attrs[UET_A_EP_FEP]);
	if (!fep)
		return -ENOENT;
	us = uet_ep_table_find(fep->eps, &key);
	if (!us || !nl_ep_is_visible(out, us)) {
		GENL_SET_ERR_MSG(info,
				 "ep: no such endpoint, or without CAP_NET_ADMIN one of another user");
		return -ENOENT;
	}
	return nl_ep_fill(out, fep, us);
}

/*
 * UET_CMD_EP_GET.
 * Context: Process context.
 * Return: 0 or a negative errno, with an extack message.
 */
int uet_nl_ep_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct uet_nl_out out = uet_nl_out_to(skb, uet_nl_net(info));
	void *hdr = NULL;
	int err = 0;

	if (GENL_REQ_ATTR_CHECK(info, UET_A_EP_FEP) ||
	    GENL_REQ_ATTR_CHECK(info, UET_A_EP_JOB) ||
	    GENL_REQ_ATTR_CHECK(info, UET_A_EP_PID) ||
	    GENL_REQ_ATTR_CHECK(info, UET_A_EP_RI)) {
		GENL_SET_ERR_MSG(info, "ep: fep, job, pid or ri is missing");
		return -EINVAL;
	}
	out.skb = uet_nl_reply_begin(info, UET_CMD_EP_GET, &hdr);
	if (out.skb) {
		rcu_read_lock();
		err = nl_ep_find(info, &out);
		rcu_read_unlock();
	}
	return uet_nl_reply_end(info, out.skb, hdr, err);
}

static int nl_pdc_put_counters(struct sk_buff *skb,
			       const struct uet_pdc_stats *stats)
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

/*
 * Write the attributes of a PDC.
 * Return: 0 or -EMSGSIZE.
 */
int uet_nl_put_pdc(struct sk_buff *skb, const char *fep,
		   const struct uet_fa *peer, const struct uet_pdc_info *info)
{
	if (nla_put_string(skb, UET_A_PDC_FEP, fep) ||
	    nla_put_u32(skb, UET_A_PDC_ID, info->local_pdcid) ||
	    nla_put_u32(skb, UET_A_PDC_PEER_ID, info->peer_pdcid) ||
	    uet_nl_put_fa(skb, peer, UET_A_PDC_PEER4, UET_A_PDC_PEER6) ||
	    nla_put_u8(skb, UET_A_PDC_ROLE,
		       info->role == UET_PDC_INITIATOR ? UET_ROLE_INITIATOR :
							 UET_ROLE_TARGET) ||
	    nla_put_u8(skb, UET_A_PDC_MODE,
		       info->mode == UET_PDC_ROD ? UET_MODE_ROD :
						   UET_MODE_RUD) ||
	    nla_put_string(skb, UET_A_PDC_STATE,
			   uet_pdc_state_name(info->state)) ||
	    (info->error != UET_PDC_OK &&
	     nla_put_string(skb, UET_A_PDC_ERROR,
			    uet_pdc_error_name(info->error))) ||
	    (info->nack_code &&
	     nla_put_u8(skb, UET_A_PDC_NACK_CODE, info->nack_code)) ||
	    (info->is_reserved && nla_put_flag(skb, UET_A_PDC_RESERVED)) ||
	    nl_pdc_put_psns(skb, info) ||
	    nla_put_u64_64bit(skb, UET_A_PDC_SRTT_NS, info->srtt_ns,
			      UET_A_PDC_PAD) ||
	    nla_put_u64_64bit(skb, UET_A_PDC_RTO_NS, info->rto_ns,
			      UET_A_PDC_PAD))
		return -EMSGSIZE;
	return nl_pdc_put_counters(skb, &info->stats);
}

/*
 * Write messages and times of a PDC.
 * @messages: messages of this end that have not ended, or were lost
 * @now: monotonic time, ns: now, or the end of the PDC
 *
 * Return: 0 or -EMSGSIZE.
 */
int uet_nl_put_pdc_times(struct sk_buff *skb, const struct uet_pdc_info *info,
			 u32 messages, u64 now)
{
	if (nla_put_u32(skb, UET_A_PDC_MESSAGES, messages) ||
	    (info->heard_ns &&
	     nla_put_u64_64bit(skb, UET_A_PDC_SILENT_NS,
			       uet_ns_since(now, info->heard_ns),
			       UET_A_PDC_PAD)) ||
	    nla_put_u64_64bit(skb, UET_A_PDC_AGE_NS,
			      uet_ns_since(now, info->opened_ns), UET_A_PDC_PAD))
		return -EMSGSIZE;
	return 0;
}

static int nl_pdc_fill(struct sk_buff *skb, struct uet_pdc_entry *pe)
{
	struct uet_pdc_info info;
	u32 messages;
	int err;

	spin_lock_bh(&pe->lock);
	uet_pdc_get_info(pe->pdc, &info);
	messages = pe->ses.nr_tx;
	spin_unlock_bh(&pe->lock);
	err = uet_nl_put_pdc(skb, pe->fep->cfg.name, &pe->peer, &info);
	return err ? err : uet_nl_put_pdc_times(skb, &info, messages,
						uet_now_ns());
}

static int nl_pdc_dump_fep(const struct uet_nl_out *out,
			   struct netlink_callback *cb, struct uet_fep *fep)
{
	struct uet_pdc_entry *pe;
	unsigned long id;
	void *hdr;

	xa_for_each_start(&fep->pdcs->ids, id, pe, cb->args[1]) {
		hdr = uet_nl_dump_put(out->skb, cb, UET_CMD_PDC_GET);
		if (!hdr)
			return -EMSGSIZE;
		if (nl_pdc_fill(out->skb, pe)) {
			genlmsg_cancel(out->skb, hdr);
			return -EMSGSIZE;
		}
		genlmsg_end(out->skb, hdr);
		cb->args[1] = id + 1;
	}
	return 0;
}

/*
 * UET_CMD_PDC_GET, all of them.
 * Context: Process context.
 * Return: length of @skb or -EMSGSIZE.
 */
int uet_nl_pdc_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return uet_nl_dump_feps(skb, cb, nl_pdc_dump_fep);
}

/* Return: the PDC under RCU; or NULL, with an extack message. */
static struct uet_pdc_entry *nl_pdc_find(struct genl_info *info)
{
	struct nlattr *id = info->attrs[UET_A_PDC_ID];
	struct uet_pdc_entry *pe;
	struct uet_fep *fep;

	fep = uet_nl_dump_find_fep(info, info->attrs[UET_A_PDC_FEP]);
	if (!fep)
		return NULL;
	pe = nla_get_u32(id) <= U16_MAX ?
	       uet_pdc_table_find(fep->pdcs, nla_get_u32(id)) : NULL;
	if (!pe)
		NL_SET_ERR_MSG_ATTR(info->extack, id, "pdc: no such pdc");
	return pe;
}

static int nl_pdc_check_key(struct genl_info *info)
{
	if (!GENL_REQ_ATTR_CHECK(info, UET_A_PDC_FEP) &&
	    !GENL_REQ_ATTR_CHECK(info, UET_A_PDC_ID))
		return 0;
	GENL_SET_ERR_MSG(info, "pdc: fep or id is missing");
	return -EINVAL;
}

/*
 * UET_CMD_PDC_GET.
 * Context: Process context.
 * Return: 0 or a negative errno, with an extack message.
 */
int uet_nl_pdc_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct uet_pdc_entry *pe;
	struct sk_buff *reply;
	void *hdr = NULL;
	int err = nl_pdc_check_key(info);

	if (err)
		return err;
	reply = uet_nl_reply_begin(info, UET_CMD_PDC_GET, &hdr);
	if (reply) {
		rcu_read_lock();
		pe = nl_pdc_find(info);
		err = pe ? nl_pdc_fill(reply, pe) : -ENOENT;
		rcu_read_unlock();
	}
	return uet_nl_reply_end(info, reply, hdr, err);
}

/*
 * UET_CMD_PDC_DEL.
 * Context: Process context.
 * Return: 0 or a negative errno, with an extack message.
 */
int uet_nl_pdc_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct uet_pdc_entry *pe;
	int err = nl_pdc_check_key(info);

	if (err)
		return err;
	rcu_read_lock();
	pe = nl_pdc_find(info);
	if (pe)
		uet_pdc_entry_kill(pe);
	rcu_read_unlock();
	return pe ? 0 : -ENOENT;
}
