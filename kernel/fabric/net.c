// SPDX-License-Identifier: GPL-2.0
/*
 * UET state of a network namespace: look-up, the counter of configuration changes, sums of
 * per-CPU counters, and the notifier chains for events.  Subscribers of the configuration chain
 * may sleep, those of the PDC chain run in softirq.  config/life.c creates and destroys the
 * state.
 */
#include <net/net_namespace.h>
#include <net/netns/generic.h>

#include "net.h"

/* The place of struct uet_net in a namespace; config/life.c registers it. */
unsigned int uet_net_id __read_mostly;

/*
 * uet_net() - the UET state of a namespace
 *
 * Context: Any, while the module is loaded and @net is referenced.
 * Return: the UET state; NULL while @net is being created or after its creation failed.  Only
 *	the netdev notifier can get NULL.
 */
struct uet_net *uet_net(const struct net *net)
{
	return net_generic(net, uet_net_id);
}
UET_EXPORT(uet_net);

/*
 * uet_net_changed() - count a change of the configuration
 */
void uet_net_changed(struct uet_net *un)
{
	/*
	 * Pairs with the atomic_read() in uet_nl_dump_begin().  An odd number is never
	 * 0, which would disable the consistency check of dumps.
	 */
	atomic_add(2, &un->cfg_seq);
}

/*
 * uet_stats_sum() - the sum of a counter over all CPUs
 */
u64 uet_stats_sum(const u64 __percpu *counter)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(*per_cpu_ptr(counter, cpu));
	return sum;
}

static BLOCKING_NOTIFIER_HEAD(net_config_events);
static ATOMIC_NOTIFIER_HEAD(net_pdc_events);

static void net_config_event(enum uet_event event, const void *data)
{
	blocking_notifier_call_chain(&net_config_events, event, (void *)data);
}

/*
 * uet_event_rail() - report a new, changed or deleted rail
 *
 * Context: Process context, uet_net.rail_mutex held.
 */
void uet_event_rail(const struct uet_rail *rail, bool is_deleted)
{
	net_config_event(is_deleted ? UET_EVENT_RAIL_DEL : UET_EVENT_RAIL, rail);
}

/*
 * uet_event_fep() - report a new, changed or deleted FEP
 *
 * Context: Process context, uet_net.rail_mutex held.
 */
void uet_event_fep(const struct uet_fep *fep, bool is_deleted)
{
	net_config_event(is_deleted ? UET_EVENT_FEP_DEL : UET_EVENT_FEP, fep);
}

/* Context: Process context, uet_net.cfg_mutex held. */
void uet_event_job(const struct uet_job *job, bool is_deleted)
{
	net_config_event(is_deleted ? UET_EVENT_JOB_DEL : UET_EVENT_JOB, job);
}

/*
 * uet_event_pdc() - report a state change of a PDC
 *
 * Context: Lock of the PDC held, which keeps events in the order of the states.
 */
void uet_event_pdc(const struct uet_fep *fep, const struct uet_pdc_entry *pe,
		   const struct uet_pdc_info *info)
{
	struct uet_pdc_event_data data = { .fep = fep, .pe = pe, .info = info };

	atomic_notifier_call_chain(&net_pdc_events, UET_EVENT_PDC, &data);
}

/**
 * uet_event_subscribe() - register notifier blocks for events
 * @config: for rails, FEPs and jobs, called as uet_event_rail() and its kin
 * @pdc: for PDCs: softirq or BH disabled, lock of the PDC held, must not sleep
 *
 * Return: 0 or a negative errno.
 */
int uet_event_subscribe(struct notifier_block *config, struct notifier_block *pdc)
{
	int err = blocking_notifier_chain_register(&net_config_events, config);

	if (err)
		return err;
	err = atomic_notifier_chain_register(&net_pdc_events, pdc);
	if (err)
		blocking_notifier_chain_unregister(&net_config_events, config);
	return err;
}

/*
 * uet_event_unsubscribe() - unregister notifier blocks
 *
 * Neither runs after the return.  Context: Process context, sleeps.
 */
void uet_event_unsubscribe(struct notifier_block *config, struct notifier_block *pdc)
{
	atomic_notifier_chain_unregister(&net_pdc_events, pdc);
	blocking_notifier_chain_unregister(&net_config_events, config);
}
