// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink events, sent to the multicast group of
 * Documentation/netlink/specs/uet.yaml. No event is written while the group has
 * no listener, and no code waits for a listener. An event without memory, or
 * without space in a socket, is lost and the socket gets ENOBUFS; a listener
 * that needs a complete state then dumps again.
 */
#include "core/pds/pds.h"
#include "fabric/fabric.h"
#include "netlink.h"
#include "nl_gen.h"
#include "pdc/pdc.h"

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
 * Send an event about a configured object.
 * Context: Process context, the mutex held that protects the object.
 */
void uet_nl_notify(struct uet_net *un, u8 cmd, uet_nl_fill_t fill,
		   const void *object)
{
	struct uet_nl_out out = { .user_ns = un->net->user_ns };
	void *hdr;
	int err = 0;

	if (!nl_event_has_listener(un, cmd))
		return;
	out.skb = nl_event_begin(cmd, &hdr, GFP_KERNEL);
	rcu_read_lock();
	if (hdr)
		err = fill(&out, object);
	rcu_read_unlock();
	nl_event_end(un, cmd, out.skb, hdr, err, GFP_KERNEL);
}

static int nl_event_config(struct notifier_block *nb, unsigned long event,
			   void *data)
{
	switch (event) {
	case UET_EVENT_RAIL:
		uet_nl_notify_rail(UET_CMD_RAIL_NTF, data);
		break;
	case UET_EVENT_RAIL_DEL:
		uet_nl_notify_rail(UET_CMD_RAIL_DEL_NTF, data);
		break;
	case UET_EVENT_FEP:
		uet_nl_notify_fep(UET_CMD_FEP_NTF, data);
		break;
	case UET_EVENT_FEP_DEL:
		uet_nl_notify_fep(UET_CMD_FEP_DEL_NTF, data);
		break;
	case UET_EVENT_JOB:
		uet_nl_notify_job(UET_CMD_JOB_NTF, data);
		break;
	case UET_EVENT_JOB_DEL:
		uet_nl_notify_job(UET_CMD_JOB_DEL_NTF, data);
		break;
	}
	return NOTIFY_DONE;
}

/*
 * The lock of the PDC is held, so events come in the order of the states; the locks of
 * netlink are leaves inside it.
 */
static int nl_event_pdc(struct notifier_block *nb, unsigned long event,
			void *data)
{
	const gfp_t gfp = GFP_ATOMIC | __GFP_NOWARN;
	const struct uet_pdc_event_data *now = data;
	struct uet_net *un = now->fep->un;
	struct sk_buff *skb;
	void *hdr;

	if (!nl_event_has_listener(un, UET_CMD_PDC_NTF))
		return NOTIFY_DONE;
	skb = nl_event_begin(UET_CMD_PDC_NTF, &hdr, gfp);
	nl_event_end(un, UET_CMD_PDC_NTF, skb, hdr,
		     hdr ? uet_nl_put_pdc(skb, now->fep->cfg.name,
					   &now->pe->peer, now->info) : 0, gfp);
	return NOTIFY_DONE;
}

static struct notifier_block nl_event_config_nb = {
	.notifier_call = nl_event_config,
};

static struct notifier_block nl_event_pdc_nb = {
	.notifier_call = nl_event_pdc,
};

/*
 * Start events after the family is registered.
 * Context: Process context, module load.
 * Return: 0 or a negative errno.
 */
int uet_nl_events_on(void)
{
	return uet_event_subscribe(&nl_event_config_nb, &nl_event_pdc_nb);
}

/*
 * Stop events before the family is unregistered.
 *
 * Another family may reuse the group ids afterwards. This function waits, by
 * RCU, until every PDC event in progress is sent.
 *
 * Context: Process context, module unload.
 */
void uet_nl_events_off(void)
{
	uet_event_unsubscribe(&nl_event_config_nb, &nl_event_pdc_nb);
}
