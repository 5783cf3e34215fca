// SPDX-License-Identifier: GPL-2.0
/*
 * Registration of the genetlink family with all of its operations, and the events of the
 * module that become netlink events.
 */
#include "core/pds/pds.h"
#include "fabric/fabric.h"
#include "netlink.h"
#include "nl_gen.h"
#include "pdc/pdc.h"

static int nl_family_config(struct notifier_block *nb, unsigned long event,
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

static int nl_family_fill_pdc(const struct uet_nl_out *out, const void *object)
{
	const struct uet_pdc_event_data *now = object;

	return uet_nl_put_pdc(out->skb, now->fep->cfg.name, &now->pe->peer, now->info);
}

/*
 * The lock of the PDC is held, so events come in the order of the states; the locks of
 * netlink are leaves inside it.
 */
static int nl_family_pdc(struct notifier_block *nb, unsigned long event, void *data)
{
	const struct uet_pdc_event_data *now = data;

	uet_nl_notify(now->fep->un, UET_CMD_PDC_NTF, nl_family_fill_pdc, now,
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
 * Context: Process context, module load, last step: requests may arrive at
 *	once.
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
 * uet_nl_fini() - unregister the family
 *
 * Events end first, because another family may reuse the group ids afterwards. The end of
 * the subscription waits, by RCU, until every PDC event in progress is sent.
 *
 * Context: Process context, module unload, first step: no request arrives
 *	afterwards.
 */
void uet_nl_fini(void)
{
	uet_event_unsubscribe(&nl_family_config_nb, &nl_family_pdc_nb);
	genl_unregister_family(&uet_nl_family);
}
