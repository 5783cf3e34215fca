// SPDX-License-Identifier: GPL-2.0
/*
 * A PDC as congestion management uses it: it waits for the window of its context with a
 * reference, and sends when the context gives it a quantum or credit.
 * Spec: UE 1.0.1 3.6.12.3.
 */
#include "cms/cms.h"
#include "pdc_entry.h"

static struct uet_pdc_entry *waiter_entry(struct uet_cc_waiter *waiter)
{
	return container_of(waiter, struct uet_pdc_entry, waiter);
}

static void waiter_get(struct uet_cc_waiter *waiter)
{
	refcount_inc(&waiter_entry(waiter)->refs);
}

static bool waiter_get_live(struct uet_cc_waiter *waiter)
{
	return refcount_inc_not_zero(&waiter_entry(waiter)->refs);
}

static void waiter_put(struct uet_cc_waiter *waiter)
{
	uet_pdc_entry_put(waiter_entry(waiter));
}

static void waiter_run(struct uet_cc_waiter *waiter, u32 quantum,
		       bool is_late)
{
	struct uet_pdc_entry *pe = waiter_entry(waiter);

	uet_pdc_entry_lock(pe);
	if (!pe->dead)
		uet_pdc_cc_give_quantum(pe->pdc, quantum);
	if (is_late)
		uet_pdc_entry_run(pe, UET_RUN_LATER);
	else
		uet_pdc_entry_run(pe, UET_RUN_NOW);
}

static void waiter_grant(struct uet_cc_waiter *waiter, u32 credit)
{
	struct uet_pdc_entry *pe = waiter_entry(waiter);

	uet_pdc_entry_lock(pe);
	if (!pe->dead)
		uet_pdc_grant_credit(pe->pdc, credit);
	uet_pdc_entry_run(pe, UET_RUN_NOW);
}

const struct uet_cc_waiter_ops uet_pdc_entry_waiter_ops = {
	.get = waiter_get,
	.get_live = waiter_get_live,
	.put = waiter_put,
	.run = waiter_run,
	.grant = waiter_grant,
};
