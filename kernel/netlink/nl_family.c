// SPDX-License-Identifier: GPL-2.0
/*
 * Registration of the genetlink family with all of its operations, and the events of the
 * module that become netlink events.
 */
#include "fabric/fabric.h"
#include "netlink.h"
#include "nl_gen.h"

static const struct {
	u8 cmd;
	uet_nl_fill_t fill;
} nl_family_events[] = {
	[UET_EVENT_RAIL] = { UET_CMD_RAIL_NTF, uet_nl_fill_rail },
	[UET_EVENT_RAIL_DEL] = { UET_CMD_RAIL_DEL_NTF, uet_nl_fill_rail },
	[UET_EVENT_FEP] = { UET_CMD_FEP_NTF, uet_nl_fill_fep },
	[UET_EVENT_FEP_DEL] = { UET_CMD_FEP_DEL_NTF, uet_nl_fill_fep },
	[UET_EVENT_JOB] = { UET_CMD_JOB_NTF, uet_nl_fill_job },
	[UET_EVENT_JOB_DEL] = { UET_CMD_JOB_DEL_NTF, uet_nl_fill_job },
};

static int nl_family_config(struct notifier_block *nb, unsigned long event, void *data)
{
	struct uet_net *un = event <= UET_EVENT_RAIL_DEL ? ((struct uet_rail *)data)->un :
			     event <= UET_EVENT_FEP_DEL ? ((struct uet_fep *)data)->un :
							  ((struct uet_job *)data)->un;

	uet_nl_notify(un, nl_family_events[event].cmd, nl_family_events[event].fill, data,
		      GFP_KERNEL);
	return NOTIFY_DONE;
}

/*
 * The lock of the PDC is held, so events come in the order of the states; the locks of
 * netlink are leaves inside it.
 */
static int nl_family_pdc(struct notifier_block *nb, unsigned long event, void *data)
{
	const struct uet_pdc_event_data *now = data;

	uet_nl_notify(now->fep->un, UET_CMD_PDC_NTF, uet_nl_fill_pdc_event, now,
		      GFP_ATOMIC | __GFP_NOWARN);
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
