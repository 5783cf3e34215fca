// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink events, sent to the multicast group of
 * Documentation/netlink/specs/uet.yaml. No event is written while the group has
 * no listener, and no code waits for a listener. An event without memory, or
 * without space in a socket, is lost and the socket gets ENOBUFS; a listener
 * that needs a complete state then dumps again.
 */
#include "core/pds/pds.h"
#include "fabric/fep.h"
#include "pdc/pdc_entry.h"
#include "fabric/net.h"
#include "nl.h"
#include "nl_gen.h"

/* The family is registered, so events can be sent. */
static bool nl_is_up;

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
	/* Pairs with the WRITE_ONCE() in uet_nl_events_off(). */
	return READ_ONCE(nl_is_up) &&
	       genl_has_listeners(&uet_nl_family, un->net,
				  nl_event_group(cmd));
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

/**
 * uet_nl_notify() - send an event about a configured object
 * @un: namespace
 * @cmd: UET_CMD_*_NTF
 * @fill: writes the object
 * @pos: list head of the object
 *
 * Context: Process context, uet_net.cfg_mutex held.
 */
void uet_nl_notify(struct uet_net *un, u8 cmd, uet_nl_fill_t fill,
		   const struct list_head *pos)
{
	struct uet_nl_out out = { .user_ns = un->net->user_ns };
	void *hdr;

	lockdep_assert_held(&un->cfg_mutex);

	if (!nl_event_has_listener(un, cmd))
		return;
	out.skb = nl_event_begin(cmd, &hdr, GFP_KERNEL);
	nl_event_end(un, cmd, out.skb, hdr, hdr ? fill(&out, pos) : 0,
		     GFP_KERNEL);
}

/**
 * uet_nl_event_pdc() - send an event about a state change of a PDC
 * @pe: the PDC
 * @info: snapshot of the new state
 *
 * Context: uet_pdc_entry_lock() held, so that events are in the order of the
 *	states; the locks of netlink are leaves inside it.
 */
void uet_nl_event_pdc(const struct uet_pdc_entry *pe,
		      const struct uet_pdc_info *info)
{
	const gfp_t gfp = GFP_ATOMIC | __GFP_NOWARN;
	struct uet_net *un = pe->fep->un;
	struct sk_buff *skb;
	void *hdr;

	lockdep_assert_held(&pe->lock);

	if (!nl_event_has_listener(un, UET_CMD_PDC_NTF))
		return;
	skb = nl_event_begin(UET_CMD_PDC_NTF, &hdr, gfp);
	nl_event_end(un, UET_CMD_PDC_NTF, skb, hdr,
		     hdr ? uet_nl_put_pdc(skb, pe, info) : 0, gfp);
}

/**
 * uet_nl_events_on() - start events after the family is registered
 *
 * Context: Process context, module load.
 */
void uet_nl_events_on(void)
{
	WRITE_ONCE(nl_is_up, true);
}

/**
 * uet_nl_events_off() - stop events before the family is unregistered
 *
 * Another family may reuse the group ids afterwards. This function waits, by
 * RCU, until every PDC event in progress is sent.
 *
 * Context: Process context, module unload.
 */
void uet_nl_events_off(void)
{
	/* Pairs with the READ_ONCE() in nl_event_has_listener(). */
	WRITE_ONCE(nl_is_up, false);
	synchronize_net();
}
