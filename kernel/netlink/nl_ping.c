// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink ping: sends a RUDI NO_OP to a fabric address and reports the outcome
 * as a message to the requesting port. The message is allocated with the
 * request, so that lack of memory never loses an outcome.
 * Spec: UE 1.0.1 3.5.10.9, uet-wire 3.14 (NO_OP).
 */
#include <linux/slab.h>

#include "carrier/carrier.h"
#include "fabric/fabric.h"
#include "netlink.h"
#include "nl_gen.h"
#include "pdc/pdc.h"

/* Pending requests per FEP; no window of a peer is smaller. */
#define NL_PING_MAX	128

/*
 * struct nl_ping - a pending ping request
 * @skb: the message for the outcome, with its header @hdr
 * @net: namespace of the requester and of the FEP; outlives the FEP
 * @fep: the FEP, alive until the request is reported
 * @portid: port of the requester, may be closed by now
 * @is_local: the destination FEP is on this host; no rail is used
 */
struct nl_ping {
	struct uet_rudi_user_req req;
	struct sk_buff *skb;
	void *hdr;
	struct net *net;
	struct uet_fep *fep;
	u32 portid;
	bool is_local;
};

/*
 * struct nl_ping_args - arguments of a ping request
 * @size: bytes of a WRITE; 0: none
 * @is_read: a READ of @read bytes
 * @rail: index in uet_fep.rail, or -1
 */
struct nl_ping_args {
	char fep[UET_NAME_MAX];
	struct uet_fa to;
	u32 job;
	u32 size;
	u32 read;
	bool is_read;
	int rail;
};

/* ------------------------------------------------------------- the outcome */

static int nl_ping_fill_answer(struct sk_buff *skb, const struct uet_rudi_user_req *req)
{
	if (nla_put_string(skb, UET_A_PING_RC, uet_ses_rc_name(req->up.rsp.rc)) ||
	    nla_put_u64_64bit(skb, UET_A_PING_RTT_NS, uet_ns_since(req->answered_ns, req->sent_ns),
			      UET_A_PING_PAD) ||
	    (req->is_ce && nla_put_flag(skb, UET_A_PING_CE)))
		return -EMSGSIZE;
	return 0;
}

static int nl_ping_fill_failure(struct sk_buff *skb, const struct uet_rudi_user_req *req)
{
	const struct uet_rudi_up *up = &req->up;

	if (nla_put_string(skb, UET_A_PING_REASON, uet_pdc_error_name(up->error)) ||
	    (up->nack_code && nla_put_u8(skb, UET_A_PING_NACK_CODE, up->nack_code)))
		return -EMSGSIZE;
	return 0;
}

/* Interface index of the rail of the last transmission, 0: no rail. */
static u32 nl_ping_ifindex(const struct nl_ping *ping)
{
	const struct uet_rail *rail;

	if (ping->is_local || ping->req.slot < 0)
		return 0;
	rail = rcu_dereference(ping->fep->rail[ping->req.slot]);
	return rail ? rail->ifindex : 0;
}

static int nl_ping_fill(struct sk_buff *skb, const struct nl_ping *ping)
{
	const struct uet_rudi_user_req *req = &ping->req;
	int error = -uet_ses_errno(&req->ses);
	u32 ifindex = nl_ping_ifindex(ping);

	if ((ifindex && nla_put_u32(skb, UET_A_PING_IFINDEX, ifindex)) ||
	    (error && nla_put_u32(skb, UET_A_PING_ERROR, error)) ||
	    nla_put_u32(skb, UET_A_PING_RETX, req->retx))
		return -EMSGSIZE;
	return req->up.kind == UET_UP_ACKED ? nl_ping_fill_answer(skb, req) :
					      nl_ping_fill_failure(skb, req);
}

/* Softirq or BH disabled: uet_rudi_user_req.done. */
static void nl_ping_done(struct uet_rudi_user_req *req, const struct uet_rudi_up *up)
{
	struct nl_ping *ping = container_of(req, struct nl_ping, req);

	if (nl_ping_fill(ping->skb, ping)) {
		nlmsg_free(ping->skb);
	} else {
		genlmsg_end(ping->skb, ping->hdr);
		/* The result is ignored: the port may be closed. */
		genlmsg_unicast(ping->net, ping->skb, ping->portid);
	}
	atomic_dec(&ping->fep->pings);
	kfree(ping);
}

/* ------------------------------------------------------------- the request */

static int nl_ping_addr6(struct genl_info *info, struct uet_fa *to)
{
	struct nlattr *attr = info->attrs[UET_A_PING_ADDR6];
	struct nlattr *scope = info->attrs[UET_A_PING_SCOPE_ID];
	struct in6_addr v6 = nla_get_in6_addr(attr);

	*to = uet_fa_v6(&v6, scope ? nla_get_u32(scope) : 0);
	if (scope && !to->scope_id)
		return uet_nl_refuse(info, scope, -EINVAL,
				     "ping: scope-id is for a link-local addr only, and not 0");
	return 0;
}

static int nl_ping_addr(struct genl_info *info, struct uet_fa *to)
{
	struct nlattr *addr4 = info->attrs[UET_A_PING_ADDR4];
	struct nlattr *addr6 = info->attrs[UET_A_PING_ADDR6];
	int err = 0;

	if (!addr4 == !addr6)
		return uet_nl_refuse(info, NULL, -EINVAL, "ping: needs one of addr4 and addr6");
	if (addr4 && info->attrs[UET_A_PING_SCOPE_ID])
		return uet_nl_refuse(info, info->attrs[UET_A_PING_SCOPE_ID], -EINVAL,
				     "ping: scope-id is for a link-local addr only, and not 0");
	if (addr4)
		*to = uet_fa_v4(nla_get_in_addr(addr4));
	else
		err = nl_ping_addr6(info, to);
	if (!err && !uet_fa_is_unicast(to))
		err = uet_nl_refuse(info, addr4 ? addr4 : addr6, -EINVAL,
				    "ping: addr must be a unicast address");
	return err;
}

static int nl_ping_kind(struct genl_info *info, struct nl_ping_args *args)
{
	struct nlattr *size = info->attrs[UET_A_PING_SIZE];
	struct nlattr *read = info->attrs[UET_A_PING_READ];

	if (size && read)
		return uet_nl_refuse(info, NULL, -EINVAL, "ping: size and read exclude each other");
	args->size = size ? nla_get_u32(size) : 0;
	args->is_read = read;
	args->read = read ? nla_get_u32(read) : 0;
	if (args->read <= U16_MAX)
		return 0;
	return uet_nl_refuse(info, read, -EINVAL, "ping: read must be 0 to 65535");
}

static int nl_ping_decode(struct genl_info *info, struct nl_ping_args *args)
{
	struct nlattr *job = info->attrs[UET_A_PING_JOB];
	int err;

	if (GENL_REQ_ATTR_CHECK(info, UET_A_PING_FEP))
		return uet_nl_refuse(info, NULL, -EINVAL, "ping: fep is missing");
	err = uet_nl_get_name(info, info->attrs[UET_A_PING_FEP], args->fep);
	if (!err)
		err = nl_ping_addr(info, &args->to);
	if (err)
		return err;
	args->job = job ? nla_get_u32(job) : 0;
	if (args->job > UET_JOB_MAX)
		return uet_nl_refuse(info, job, -EINVAL, "ping: job must be 0 to 16777215");
	return nl_ping_kind(info, args);
}

/* Can the FEP reach the address?  So errors are reported at once. */
static int nl_ping_check(struct genl_info *info, const struct uet_fep *fep, const struct uet_fa *to)
{
	enum uet_drop why;

	if (to->family != fep->cfg.fa.family)
		return uet_nl_refuse(info, NULL, -EAFNOSUPPORT,
				     "ping: addr is not of the family of the fep, one is IPv4 and one IPv6");
	if (!uet_carrier_is_unicast(fep, to))
		return uet_nl_refuse(info, NULL, -EINVAL,
				     "ping: addr is the broadcast address of a subnet");
	if (!uet_fa_is_on_link(to, &fep->cfg.fa))
		return uet_nl_refuse(info, NULL, -EINVAL,
				     "ping: a link-local addr must be on the netdev of the fep's own, which is link-local, too");
	rcu_read_lock();
	why = uet_carrier_check_route(fep, to);
	rcu_read_unlock();
	if (why == UET_DROP_TX_NO_RAIL)
		return uet_nl_refuse(info, NULL, -ENETDOWN,
				     "ping: no rail of the fep is usable, see fep show");
	if (why)
		return uet_nl_refuse(info, NULL, -EHOSTUNREACH,
				     "ping: no route to addr over a usable rail of the fep, see ip route");
	return 0;
}

/* Index of the requested rail; -1 without a request, or with an error. */
static int nl_ping_find_rail(struct genl_info *info, const struct uet_fep *fep,
			     struct nl_ping_args *args)
{
	struct nlattr *attr = info->attrs[UET_A_PING_IFINDEX];
	const struct uet_rail *rail;
	int i;

	args->rail = -1;
	if (!attr)
		return 0;
	rcu_read_lock();
	for (i = 0; i < fep->cfg.nr_rails; i++) {
		rail = rcu_dereference(fep->rail[i]);
		if (rail && rail->ifindex == nla_get_u32(attr))
			args->rail = i;
	}
	rcu_read_unlock();
	if (args->rail < 0)
		return uet_nl_refuse(info, attr, -ENODEV, "ping: the fep has no such rail");
	if (!test_bit(args->rail, &fep->usable))
		return uet_nl_refuse(info, attr, -ENETDOWN,
				     "ping: this rail of the fep is not usable, see fep show");
	return 0;
}

/*
 * Set the operation of the request.  A target refuses a WRITE with completion data by RUDI,
 * whatever its key; no process has the PIDonFEP of the READ but by accident.
 */
static void nl_ping_ask(struct uet_ses_tx *ses, const struct nl_ping_args *args)
{
	ses->to.job = args->job;
	ses->opcode = UET_OP_NO_OP;
	if (!args->size && !args->is_read)
		return;
	ses->opcode = args->is_read ? UET_OP_READ : UET_OP_WRITE;
	ses->length = args->is_read ? args->read : args->size;
	ses->to.rel = true;
	ses->to.pid = U16_MAX & 0xfff;
	ses->match = UET_KEY_IDEMPOTENT_SAFE;
	ses->has_hdata = !args->is_read;
}

/* Return: a RUDI request, counted in the FEP's limit. */
static struct nl_ping *nl_ping_make(struct genl_info *info, struct uet_fep *fep,
				    const struct nl_ping_args *args)
{
	struct nl_ping *ping = kzalloc(sizeof(*ping), GFP_KERNEL_ACCOUNT);

	if (!ping)
		return NULL;
	ping->skb = uet_nl_reply_begin(info, UET_CMD_PING, &ping->hdr);
	if (!ping->skb || nla_put_string(ping->skb, UET_A_PING_FEP, fep->cfg.name)) {
		nlmsg_free(ping->skb);
		kfree(ping);
		return NULL;
	}
	ping->net = genl_info_net(info);
	ping->fep = fep;
	ping->portid = info->snd_portid;
	ping->is_local = uet_fep_find_fa(fep->un, &args->to);
	ping->req.done = nl_ping_done;
	ping->req.rail = args->rail;
	ping->req.slot = -1;
	nl_ping_ask(&ping->req.ses, args);
	atomic_inc(&fep->pings);
	return ping;
}

static int nl_ping_refuse(struct genl_info *info, int err)
{
	switch (err) {
	case -EBUSY:
		return uet_nl_refuse(info, NULL, err, "ping: " __stringify(NL_PING_MAX)
				     " of this fep are under way, wait for their outcome");
	case -ENOSPC:
		return uet_nl_refuse(info, NULL, err, "ping: the share of the "
				     __stringify(UET_PDC_TABLE_RUDIS_MAX)
				     " addrs that the fep asks within 10 s is used up");
	case -ENETDOWN:
		return uet_nl_refuse(info, NULL, err, "ping: the fep is being deleted");
	default:
		return uet_nl_refuse(info, NULL, err, "ping: out of memory");
	}
}

static int nl_ping_send(struct genl_info *info, struct uet_net *un, struct nl_ping_args *args)
{
	struct uet_fep *fep = uet_fep_find(un, args->fep);
	struct nl_ping *ping;
	int err;

	if (!fep)
		return uet_nl_refuse(info, info->attrs[UET_A_PING_FEP], -ENOENT,
				     "ping: no such fep");
	if (args->size > fep->cfg.mtu)
		return uet_nl_refuse(info, info->attrs[UET_A_PING_SIZE], -EMSGSIZE,
				     "ping: size exceeds the mtu of the fep");
	err = nl_ping_check(info, fep, &args->to);
	if (!err)
		err = nl_ping_find_rail(info, fep, args);
	if (err)
		return err;
	if (atomic_read(&fep->pings) >= NL_PING_MAX)
		return nl_ping_refuse(info, -EBUSY);
	ping = nl_ping_make(info, fep, args);
	if (!ping)
		return nl_ping_refuse(info, -ENOMEM);
	err = uet_rudi_entry_submit(fep, &args->to, &ping->req);
	if (!err)
		return 0;
	atomic_dec(&fep->pings);
	nlmsg_free(ping->skb);
	kfree(ping);
	return nl_ping_refuse(info, err);
}

int uet_nl_ping_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct uet_net *un = uet_nl_net(info);
	struct nl_ping_args args;
	int err = nl_ping_decode(info, &args);

	if (err)
		return err;

	mutex_lock(&un->cfg_mutex);
	err = nl_ping_send(info, un, &args);
	mutex_unlock(&un->cfg_mutex);
	return err;
}
