// SPDX-License-Identifier: GPL-2.0
/*
 * Notifier chains for events.  Subscribers of the configuration chain may sleep.
 * Subscribers of the PDC chain run in softirq.
 */
#include "event.h"

static BLOCKING_NOTIFIER_HEAD(event_config);
static ATOMIC_NOTIFIER_HEAD(event_pdcs);

static void event_call(enum uet_event event, const void *data)
{
	blocking_notifier_call_chain(&event_config, event, (void *)data);
}

/**
 * uet_event_rail() - report a new, changed or deleted rail
 * @rail: the rail
 * @is_deleted: the rail is being deleted
 *
 * Context: Process context, uet_net.rail_mutex held.
 */
void uet_event_rail(const struct uet_rail *rail, bool is_deleted)
{
	event_call(is_deleted ? UET_EVENT_RAIL_DEL : UET_EVENT_RAIL, rail);
}

/**
 * uet_event_fep() - report a new, changed or deleted FEP
 * @fep: the FEP
 * @is_deleted: the FEP is about to be deleted
 *
 * Context: Process context, uet_net.rail_mutex held.
 */
void uet_event_fep(const struct uet_fep *fep, bool is_deleted)
{
	event_call(is_deleted ? UET_EVENT_FEP_DEL : UET_EVENT_FEP, fep);
}

/*
 * Report a new or deleted job.
 * Context: Process context, uet_net.cfg_mutex held.
 */
void uet_event_job(const struct uet_job *job, bool is_deleted)
{
	event_call(is_deleted ? UET_EVENT_JOB_DEL : UET_EVENT_JOB, job);
}

/**
 * uet_event_pdc() - report a state change of a PDC
 * @fep: FEP of the PDC
 * @pe: the PDC
 * @info: new state
 *
 * Context: Lock of the PDC held, which keeps events in the order of the states.
 */
void uet_event_pdc(const struct uet_fep *fep, const struct uet_pdc_entry *pe,
		   const struct uet_pdc_info *info)
{
	struct uet_pdc_event_data data = { .fep = fep, .pe = pe, .info = info };

	atomic_notifier_call_chain(&event_pdcs, UET_EVENT_PDC, &data);
}

/**
 * uet_event_subscribe() - register notifier blocks for events
 * @config: for rails and FEPs: process context, uet_net.rail_mutex held; for jobs:
 *	process context, uet_net.cfg_mutex held
 * @pdc: for PDCs: softirq or BH disabled, lock of the PDC held, must not sleep
 *
 * Context: Process context, module load.
 * Return: 0 or a negative errno.
 */
int uet_event_subscribe(struct notifier_block *config,
			struct notifier_block *pdc)
{
	int err = blocking_notifier_chain_register(&event_config, config);

	if (err)
		return err;
	err = atomic_notifier_chain_register(&event_pdcs, pdc);
	if (err)
		blocking_notifier_chain_unregister(&event_config, config);
	return err;
}

/**
 * uet_event_unsubscribe() - unregister notifier blocks
 * @config: registered
 * @pdc: registered
 *
 * Neither notifier runs after the return.
 *
 * Context: Process context, module unload, sleeps.
 */
void uet_event_unsubscribe(struct notifier_block *config,
			   struct notifier_block *pdc)
{
	atomic_notifier_chain_unregister(&event_pdcs, pdc);
	blocking_notifier_chain_unregister(&event_config, config);
}
