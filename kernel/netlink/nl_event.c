// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink events, sent to the multicast group of
 * Documentation/netlink/specs/uet.yaml. No event is written while the group has
 * no listener, and no code waits for a listener. An event without memory, or
 * without space in a socket, is lost and the socket gets ENOBUFS; a listener
 * that needs a complete state then dumps again.
 */
#include "fabric/fabric.h"
#include "netlink.h"
#include "nl_gen.h"

static unsigned int nl_event_group(u8 cmd)
{
	switch (cmd) {
	case UET_CMD_RAIL_NTF:
	case UET_CMD_RAIL_DEL_NTF:
		return UET_NLGRP_RAIL;
	case UET_CMD_PDC_NTF:
		return UET_NLGRP_PDC;
	default:
		return UET_NLGRP_MGMT;
	}
}

static bool nl_event_has_listener(struct uet_net *un, u8 cmd)
{
	return genl_has_listeners(&uet_nl_family, un->net, nl_event_group(cmd));
}

static struct sk_buff *nl_event_begin(u8 cmd, void **hdr, gfp_t gfp)
{
	struct sk_buff *skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, gfp);

	*hdr = skb ? genlmsg_put(skb, 0, 0, &uet_nl_family, 0, cmd) : NULL;
	return skb;
}

/* @err: result of writing the event; @skb may be NULL and is consumed. */
static void nl_event_end(struct uet_net *un, u8 cmd, struct sk_buff *skb,
			 void *hdr, int err, gfp_t gfp)
{
	unsigned int group = nl_event_group(cmd);

	if (!hdr || err) {
		nlmsg_free(skb);
		genl_set_err(&uet_nl_family, un->net, 0, group, -ENOBUFS);
		return;
	}
	genlmsg_end(skb, hdr);
	genlmsg_multicast_netns(&uet_nl_family, un->net, skb, 0, group, gfp);
}

/*
 * Send an event about an object.
 * Context: the lock held that protects the object.
 */
void uet_nl_notify(struct uet_net *un, u8 cmd, uet_nl_fill_t fill,
		   const void *object, gfp_t gfp)
{
	struct uet_nl_out out = { .user_ns = un->net->user_ns };
	void *hdr;
	int err = 0;

	if (!nl_event_has_listener(un, cmd))
		return;
	out.skb = nl_event_begin(cmd, &hdr, gfp);
	rcu_read_lock();
	if (hdr)
		err = fill(&out, object);
	rcu_read_unlock();
	nl_event_end(un, cmd, out.skb, hdr, err, gfp);
}
