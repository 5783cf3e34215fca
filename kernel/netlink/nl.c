// SPDX-License-Identifier: GPL-2.0
/*
 * The genetlink family: writing replies and dumps.  nl_family.c registers it and sends events.
 * Documentation/netlink/specs/uet.yaml defines the messages, and nl_gen.[ch] are generated from
 * it.  Operations on objects are in the files of the objects.
 *
 * Operations run in parallel: the family does not use genl's mutex, because a grace period of one
 * namespace would delay all families.  A change takes uet_net.cfg_mutex.  Replies and dumps need
 * no lock and walk the arrays under RCU.  A dump resumes at an index, or at {number of the FEP,
 * index of the object on it}: none is missing or dumped twice because others have ended.  If rails,
 * FEPs, jobs or domains are added or removed meanwhile, NLM_F_DUMP_INTR is set.
 */
#include <linux/ctype.h>
#include <net/sock.h>

#include "fabric/fabric.h"
#include "netlink.h"
#include "nl_gen.h"

static const struct genl_multicast_group nl_groups[] = {
	[UET_NLGRP_MGMT] = { .name = UET_MCGRP_MGMT },
	[UET_NLGRP_RAIL] = { .name = UET_MCGRP_RAIL },
	[UET_NLGRP_PDC] = {
		.name = UET_MCGRP_PDC,
		.flags = GENL_MCAST_CAP_NET_ADMIN,
	},
};

/* nl_family.c adds the operations. */
struct genl_family uet_nl_family __ro_after_init = {
	.name = UET_FAMILY_NAME,
	.version = UET_FAMILY_VERSION,
	.netnsok = true,
	.parallel_ops = true,
	.module = THIS_MODULE,
	.mcgrps = nl_groups,
	.n_mcgrps = ARRAY_SIZE(nl_groups),
};

struct uet_net *uet_nl_net(struct genl_info *info)
{
	return uet_net(genl_info_net(info));
}

/* Return: 0, or -EINVAL with an extack message: an attribute is missing. */
int uet_nl_check_keys(struct genl_info *info, const struct uet_nl_kind *kind)
{
	const u8 *key;

	for (key = kind->keys; *key; key++) {
		if (GENL_REQ_ATTR_CHECK(info, *key)) {
			info->extack->_msg = kind->missing;
			return -EINVAL;
		}
	}
	return 0;
}

/* Read the name of an object.  Return: 0, or -EINVAL with an extack message. */
int uet_nl_get_name(struct genl_info *info, const struct nlattr *attr, char *name)
{
	const char *c;

	nla_strscpy(name, attr, UET_NAME_MAX);
	for (c = name; isalnum(*c) || *c == '-' || *c == '_' || *c == '.'; c++)
		;
	if (*c || c == name) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "name must be 1 to 15 letters, digits, '-', '_' or '.'");
		return -EINVAL;
	}
	return 0;
}

/* Context: rcu_read_lock() or uet_net.cfg_mutex held.  Return: NULL with an extack message. */
struct uet_fep *uet_nl_find_fep(struct genl_info *info, const struct nlattr *name)
{
	struct uet_fep *fep;
	char buf[UET_NAME_MAX];

	nla_strscpy(buf, name, sizeof(buf));
	fep = uet_fep_find(uet_nl_net(info), buf);
	if (!fep)
		NL_SET_ERR_MSG_ATTR(info->extack, name, "no such fep");
	return fep;
}

/* The address of a peer in one of two attributes; a link-local one is on the link of @fep. */
struct uet_fa uet_nl_get_peer(const struct nlattr *addr4, const struct nlattr *addr6,
			      const struct uet_fep *fep)
{
	struct in6_addr v6;

	if (addr4)
		return uet_fa_v4(nla_get_in_addr(addr4));
	v6 = nla_get_in6_addr(addr6);
	return uet_fa_v6(&v6, fep->cfg.fa.scope_id);
}

int uet_nl_put_fa(struct sk_buff *skb, const struct uet_fa *fa, int attr4, int attr6)
{
	if (fa->family == AF_INET)
		return nla_put_in_addr(skb, attr4, fa->v4);
	return nla_put_in6_addr(skb, attr6, &fa->v6);
}

/* Return: a reply to a request, or NULL without memory. */
struct sk_buff *uet_nl_reply_begin(struct genl_info *info, u8 cmd, void **hdr)
{
	struct sk_buff *skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);

	if (!skb)
		return NULL;
	*hdr = genlmsg_put_reply(skb, info, &uet_nl_family, 0, cmd);
	if (!*hdr) {
		nlmsg_free(skb);
		return NULL;
	}
	return skb;
}

/*
 * Send a reply, which may be NULL, or return the error of writing it: for -EMSGSIZE this function
 * sets the extack message, for any other error the caller has set it.
 */
static int nl_reply_end(struct genl_info *info, struct sk_buff *skb, void *hdr, int err)
{
	if (!skb) {
		GENL_SET_ERR_MSG(info, "out of memory");
		return -ENOMEM;
	}
	if (err) {
		if (err == -EMSGSIZE)
			GENL_SET_ERR_MSG(info, "answer does not fit a message");
		nlmsg_free(skb);
		return err;
	}
	genlmsg_end(skb, hdr);
	return genlmsg_reply(skb, info);
}

/* Reply with an object that the caller keeps. */
int uet_nl_reply(struct genl_info *info, u8 cmd, uet_nl_fill_t fill, const void *object)
{
	struct uet_nl_out out = { .un = uet_nl_net(info) };
	void *hdr = NULL;
	int err = 0;

	out.skb = uet_nl_reply_begin(info, cmd, &hdr);
	if (out.skb)
		err = fill(&out, object);
	return nl_reply_end(info, out.skb, hdr, err);
}

/* A message about objects of a kind for the sender of a request. */
static struct uet_nl_out nl_out_to(struct sk_buff *request, struct uet_net *un,
				   const struct uet_nl_kind *kind)
{
	struct uet_nl_out out = {
		.user_ns = sk_user_ns(NETLINK_CB(request).sk),
		.un = un,
	};

	if (kind->is_visible) {
		out.is_admin = netlink_ns_capable(request, un->net->user_ns, CAP_NET_ADMIN);
		out.uid = NETLINK_CB(request).creds.uid;
	}
	return out;
}

static int nl_get_fill(struct genl_info *info, struct uet_nl_out *out,
		       const struct uet_nl_kind *kind)
{
	const void *object = kind->find(info, out);

	if (IS_ERR(object))
		return PTR_ERR(object);
	if (kind->is_visible && !kind->is_visible(out, object)) {
		GENL_SET_ERR_MSG(info, "net.uet.private_traffic is set: needs CAP_NET_ADMIN");
		return -EPERM;
	}
	return kind->fill(out, object);
}

/* Reply to a request for one object. */
int uet_nl_get(struct sk_buff *skb, struct genl_info *info, const struct uet_nl_kind *kind)
{
	struct uet_net *un = uet_nl_net(info);
	struct uet_nl_out out;
	void *hdr = NULL;
	int err = 0;

	if (kind->permit)
		err = kind->permit(skb, un, info->extack);
	if (!err)
		err = uet_nl_check_keys(info, kind);
	if (err)
		return err;
	if (kind->prepare)
		kind->prepare(skb, un);
	out = nl_out_to(skb, un, kind);
	out.skb = uet_nl_reply_begin(info, kind->cmd, &hdr);
	if (out.skb) {
		rcu_read_lock();
		err = nl_get_fill(info, &out, kind);
		rcu_read_unlock();
	}
	return nl_reply_end(info, out.skb, hdr, err);
}

/* Start or resume a dump. */
struct uet_net *uet_nl_dump_begin(struct netlink_callback *cb)
{
	struct uet_net *un = uet_net(sock_net(cb->skb->sk));

	/* Pairs with the atomic_add() in uet_net_changed(). */
	cb->seq = atomic_read(&un->cfg_seq);
	return un;
}

/* Return: 0, or -EMSGSIZE if the object does not fit. */
int uet_nl_dump_one(const struct uet_nl_out *out, struct netlink_callback *cb, u8 cmd,
		    uet_nl_fill_t fill, const void *object)
{
	void *hdr = genlmsg_put(out->skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
				&uet_nl_family, NLM_F_MULTI, cmd);

	if (!hdr)
		return -EMSGSIZE;
	genl_dump_check_consistent(cb, hdr);
	if (fill(out, object)) {
		genlmsg_cancel(out->skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(out->skb, hdr);
	return 0;
}

/* Dump the objects of an array from index *@at on, in the order of their indexes. */
static int nl_dump_array(const struct uet_nl_out *out, struct netlink_callback *cb,
			 const struct uet_nl_kind *kind, struct xarray *objects, long *at)
{
	unsigned long index;
	const void *object;
	int err;

	xa_for_each_start(objects, index, object, *at) {
		err = kind->is_visible && !kind->is_visible(out, object) ? 0 :
		      uet_nl_dump_one(out, cb, kind->cmd, kind->fill, object);
		if (err)
			return err;
		*at = index + 1;
	}
	return 0;
}

static int nl_dump_feps(struct uet_nl_out *out, struct netlink_callback *cb,
			const struct uet_nl_kind *kind)
{
	unsigned long number;
	struct uet_fep *fep;
	int err;

	xa_for_each_start(&out->un->feps, number, fep, cb->args[0]) {
		/* The FEP where the last message ended may be gone. */
		if (number != cb->args[0])
			cb->args[1] = 0;
		cb->args[0] = number;
		out->fep = fep;
		err = kind->in_fep ? nl_dump_array(out, cb, kind, kind->in_fep(fep), &cb->args[1]) :
				     kind->dump_fep(out, cb);
		if (err)
			return err;
		cb->args[0] = number + 1;
		cb->args[1] = 0;
	}
	return 0;
}

/* Dump all objects of a kind; cb->args[0] is the lowest index that has not been dumped. */
int uet_nl_dump(struct sk_buff *skb, struct netlink_callback *cb, const struct uet_nl_kind *kind)
{
	struct uet_net *un = uet_nl_dump_begin(cb);
	struct uet_nl_out out;
	int err = kind->permit ? kind->permit(cb->skb, un, cb->extack) : 0;

	if (err)
		return err;
	if (kind->prepare && !cb->args[5]) {
		kind->prepare(cb->skb, un);
		cb->args[5] = 1;
	}
	out = nl_out_to(cb->skb, un, kind);
	out.skb = skb;
	rcu_read_lock();
	err = kind->in_net ? nl_dump_array(&out, cb, kind, (void *)un + kind->in_net,
					   &cb->args[0]) :
			     nl_dump_feps(&out, cb, kind);
	rcu_read_unlock();
	return skb->len ? skb->len : err;
}
