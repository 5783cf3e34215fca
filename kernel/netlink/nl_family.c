// SPDX-License-Identifier: GPL-2.0
/*
 * Registration of the genetlink family with all of its operations, and the events of the
 * module that become netlink events.
 *
 * No event is written while its group has no listener, and no code waits for a listener.  An
 * event without memory, or without space in a socket, is lost and the socket gets ENOBUFS; a
 * listener that needs a complete state then dumps again.
 */
#include "fabric/fabric.h"
#include "netlink.h"
#include "nl_gen.h"

static const struct nl_event {
	u8 cmd;
	u8 group;
	uet_nl_fill_t fill;
} nl_events[] = {
	[UET_EVENT_RAIL] = { UET_CMD_RAIL_NTF, UET_NLGRP_RAIL, uet_nl_fill_rail },
	[UET_EVENT_RAIL_DEL] = { UET_CMD_RAIL_DEL_NTF, UET_NLGRP_RAIL, uet_nl_fill_rail },
	[UET_EVENT_FEP] = { UET_CMD_FEP_NTF, UET_NLGRP_MGMT, uet_nl_fill_fep },
	[UET_EVENT_FEP_DEL] = { UET_CMD_FEP_DEL_NTF, UET_NLGRP_MGMT, uet_nl_fill_fep },
	[UET_EVENT_JOB] = { UET_CMD_JOB_NTF, UET_NLGRP_MGMT, uet_nl_fill_job },
	[UET_EVENT_JOB_DEL] = { UET_CMD_JOB_DEL_NTF, UET_NLGRP_MGMT, uet_nl_fill_job },
	[UET_EVENT_PDC] = { UET_CMD_PDC_NTF, UET_NLGRP_PDC, uet_nl_fill_pdc_event },
};

/* Send an event about an object.  Context: the lock held that protects the object. */
static void nl_notify(struct uet_net *un, const struct nl_event *event, const void *object,
		      gfp_t gfp)
{
	struct uet_nl_out out = { .user_ns = un->net->user_ns, .un = un };
	void *hdr = NULL;
	int err = 0;

	if (!genl_has_listeners(&uet_nl_family, un->net, event->group))
		return;
	out.skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, gfp);
	if (out.skb)
		hdr = genlmsg_put(out.skb, 0, 0, &uet_nl_family, 0, event->cmd);
	rcu_read_lock();
	if (hdr)
		err = event->fill(&out, object);
	rcu_read_unlock();
	if (!hdr || err) {
		nlmsg_free(out.skb);
		genl_set_err(&uet_nl_family, un->net, 0, event->group, -ENOBUFS);
		return;
	}
	genlmsg_end(out.skb, hdr);
	genlmsg_multicast_netns(&uet_nl_family, un->net, out.skb, 0, event->group, gfp);
}

static int nl_family_config(struct notifier_block *nb, unsigned long event, void *data)
{
	struct uet_net *un = event <= UET_EVENT_RAIL_DEL ? ((struct uet_rail *)data)->un :
			     event <= UET_EVENT_FEP_DEL ? ((struct uet_fep *)data)->un :
							  ((struct uet_job *)data)->un;

	nl_notify(un, &nl_events[event], data, GFP_KERNEL);
	return NOTIFY_DONE;
}

/*
 * The lock of the PDC is held, so events come in the order of the states; the locks of
 * netlink are leaves inside it.
 */
static int nl_family_pdc(struct notifier_block *nb, unsigned long event, void *data)
{
	const struct uet_pdc_event_data *now = data;

	nl_notify(now->fep->un, &nl_events[UET_EVENT_PDC], now, GFP_ATOMIC | __GFP_NOWARN);
	return NOTIFY_DONE;
}

static struct notifier_block nl_family_config_nb = {
	.notifier_call = nl_family_config,
};

static struct notifier_block nl_family_pdc_nb = {
	.notifier_call = nl_family_pdc,
};

/**
 * uet_nl_init() - register the family, then follow events
 *
 * The last step of the module's start: requests may arrive at once.
 * Return: 0 or a negative errno.
 */
int __init uet_nl_init(void)
{
	int err;

	uet_nl_family.ops = uet_nl_ops;
	uet_nl_family.n_ops = ARRAY_SIZE(uet_nl_ops);
	err = genl_register_family(&uet_nl_family);
	if (err)
		return err;
	err = uet_event_subscribe(&nl_family_config_nb, &nl_family_pdc_nb);
	if (err)
		genl_unregister_family(&uet_nl_family);
	return err;
}

/**
 * uet_nl_fini() - unregister the family; no request arrives afterwards
 *
 * Events end first, because another family may reuse the group ids afterwards.  The end of the
 * subscription waits, by RCU, until every PDC event in progress is sent.
 */
void uet_nl_fini(void)
{
	uet_event_unsubscribe(&nl_family_config_nb, &nl_family_pdc_nb);
	genl_unregister_family(&uet_nl_family);
}
