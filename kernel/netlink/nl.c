// SPDX-License-Identifier: GPL-2.0
/*
 * The genetlink family, and writing replies and dumps; nl_event.c writes events, and
 * nl_family.c registers the family. Documentation/netlink/specs/uet.yaml defines the
 * messages, and nl_gen.[ch] are generated from it. Operations on objects are in the files
 * of the objects.
 *
 * Operations run in parallel: the family does not use genl's mutex, because a grace
 * period of one namespace would delay all families. An operation takes
 * uet_net.cfg_mutex. Dumps need no lock and walk the arrays under RCU.
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

/*
 * UET state of a request's namespace.
 * Context: Process context.
 * Return: never NULL.
 */
struct uet_net *uet_nl_net(struct genl_info *info)
{
	return uet_net(genl_info_net(info));
}

/*
 * Read the name of a FEP or job.
 * Context: Process context.
 * Return: 0, or -EINVAL with an extack message.
 */
int uet_nl_get_name(struct genl_info *info, const struct nlattr *attr,
		    char *name)
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

/*
 * Write a fabric address.
 * Return: 0 or -EMSGSIZE.
 */
int uet_nl_put_fa(struct sk_buff *skb, const struct uet_fa *fa,
		  int attr4, int attr6)
{
	if (fa->family == AF_INET)
		return nla_put_in_addr(skb, attr4, fa->v4);
	return nla_put_in6_addr(skb, attr6, &fa->v6);
}

/*
 * Start the reply to a request.
 * Context: Process context, may sleep.
 * Return: message for uet_nl_reply_end(), or NULL.
 */
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
 * Send the reply to a request, or return its error.
 * @skb: from uet_nl_reply_begin(), may be NULL; consumed
 * @err: result of writing the reply; for -EMSGSIZE this function sets the
 *	extack message, for any other error the caller has set it
 *
 * Context: Process context.
 * Return: 0 or a negative errno, with an extack message.
 */
int uet_nl_reply_end(struct genl_info *info, struct sk_buff *skb, void *hdr,
		     int err)
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

/*
 * Prepare a message for the sender of a request.
 * Context: Process context.
 * Return: the message, without a buffer.
 */
struct uet_nl_out uet_nl_out_to(struct sk_buff *request, const struct uet_net *un)
{
	return (struct uet_nl_out) {
		.user_ns = sk_user_ns(NETLINK_CB(request).sk),
		.is_admin = netlink_ns_capable(request, un->net->user_ns,
					       CAP_NET_ADMIN),
		.uid = NETLINK_CB(request).creds.uid,
		.un = un,
	};
}

/* A message about objects of a kind. */
static struct uet_nl_out nl_out_of(struct sk_buff *request, const struct uet_net *un,
				   const struct uet_nl_kind *kind)
{
	if (kind->is_visible)
		return uet_nl_out_to(request, un);
	return (struct uet_nl_out) {
		.user_ns = sk_user_ns(NETLINK_CB(request).sk),
	};
}

static bool nl_is_visible(const struct uet_nl_out *out, const struct uet_nl_kind *kind,
			  const void *object)
{
	return !kind->is_visible || kind->is_visible(out, object);
}

/*
 * Reply to a request with one object.
 * @object: the object; the caller keeps it alive
 *
 * Context: Process context.
 * Return: 0 or a negative errno, with an extack message.
 */
int uet_nl_reply(struct genl_info *info, struct sk_buff *request,
		 const struct uet_nl_kind *kind, const void *object)
{
	struct uet_nl_out out = nl_out_of(request, uet_nl_net(info), kind);
	void *hdr = NULL;
	int err = 0;

	if (!nl_is_visible(&out, kind, object)) {
		GENL_SET_ERR_MSG(info, "net.uet.private_traffic is set: needs CAP_NET_ADMIN");
		return -EPERM;
	}
	out.skb = uet_nl_reply_begin(info, kind->cmd, &hdr);
	if (out.skb) {
		rcu_read_lock();
		err = kind->fill(&out, object);
		rcu_read_unlock();
	}
	return uet_nl_reply_end(info, out.skb, hdr, err);
}

/*
 * Start or resume a dump.
 * Context: Process context.
 * Return: UET state of the dump's namespace.
 */
struct uet_net *uet_nl_dump_begin(struct netlink_callback *cb)
{
	struct uet_net *un = uet_net(sock_net(cb->skb->sk));

	/* Pairs with the atomic_add() in uet_net_changed(). */
	cb->seq = atomic_read(&un->cfg_seq);
	return un;
}

/*
 * Start a message of a dump.
 * Return: header for genlmsg_end() or genlmsg_cancel(), NULL if it does not
 *	fit.
 */
void *uet_nl_dump_put(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd)
{
	void *hdr = genlmsg_put(skb, NETLINK_CB(cb->skb).portid,
				cb->nlh->nlmsg_seq, &uet_nl_family, NLM_F_MULTI,
				cmd);

	if (hdr)
		genl_dump_check_consistent(cb, hdr);
	return hdr;
}

/* Return: 0, or -EMSGSIZE if the object does not fit. */
static int nl_dump_one(const struct uet_nl_out *out, struct netlink_callback *cb,
		       const struct uet_nl_kind *kind, const void *object)
{
	void *hdr = uet_nl_dump_put(out->skb, cb, kind->cmd);

	if (!hdr)
		return -EMSGSIZE;
	if (kind->fill(out, object)) {
		genlmsg_cancel(out->skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(out->skb, hdr);
	return 0;
}

/*
 * Dump the objects of an array, in the order of their indexes.
 * @cb: dump; args[0] is the lowest index that has not been dumped
 * @objects: the array; its objects are valid under RCU
 *
 * Each message resumes at an index: it does not walk the objects of earlier ones.
 *
 * Context: Process context.
 * Return: length of @skb, or -EMSGSIZE if not even one object fits.
 */
int uet_nl_dump_xa(struct sk_buff *skb, struct netlink_callback *cb,
		   const struct uet_nl_kind *kind, struct xarray *objects)
{
	struct uet_nl_out out = nl_out_of(cb->skb, uet_net(sock_net(cb->skb->sk)), kind);
	unsigned long index;
	const void *object;
	int err = 0;

	out.skb = skb;
	rcu_read_lock();
	xa_for_each_start(objects, index, object, cb->args[0]) {
		if (nl_is_visible(&out, kind, object))
			err = nl_dump_one(&out, cb, kind, object);
		if (err)
			break;
		cb->args[0] = index + 1;
	}
	rcu_read_unlock();
	return skb->len ? skb->len : err;
}
