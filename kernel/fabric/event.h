/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events: creation, change and deletion of rails, FEPs and jobs, and state changes of
 * PDCs.  netlink/ subscribes to the events.
 */
#ifndef UET_EVENT_H
#define UET_EVENT_H

#include <linux/notifier.h>
#include <linux/types.h>

#include "core/pds/pds.h"

struct uet_fep;
struct uet_job;
struct uet_pdc_entry;
struct uet_rail;

/**
 * struct uet_pdc_event_data - state change of a PDC
 * @fep: FEP of the PDC
 * @pe: the PDC
 * @info: new state
 */
struct uet_pdc_event_data {
	const struct uet_fep *fep;
	const struct uet_pdc_entry *pe;
	const struct uet_pdc_info *info;
};

void uet_event_rail(const struct uet_rail *rail, bool is_deleted);
void uet_event_fep(const struct uet_fep *fep, bool is_deleted);
void uet_event_job(const struct uet_job *job, bool is_deleted);
void uet_event_pdc(const struct uet_fep *fep, const struct uet_pdc_entry *pe,
		   const struct uet_pdc_info *info);

/**
 * enum uet_event - action argument of a notifier call
 * @UET_EVENT_RAIL: a rail was created or changed; data: struct uet_rail
 * @UET_EVENT_RAIL_DEL: a rail is being deleted
 * @UET_EVENT_FEP: a FEP was created or changed; data: struct uet_fep
 * @UET_EVENT_FEP_DEL: a FEP is about to be deleted
 * @UET_EVENT_JOB: a job was created; data: struct uet_job
 * @UET_EVENT_JOB_DEL: a job is about to be deleted
 * @UET_EVENT_PDC: a PDC changed its state; data: struct uet_pdc_event_data
 */
enum uet_event {
	UET_EVENT_RAIL,
	UET_EVENT_RAIL_DEL,
	UET_EVENT_FEP,
	UET_EVENT_FEP_DEL,
	UET_EVENT_JOB,
	UET_EVENT_JOB_DEL,
	UET_EVENT_PDC,
};

int uet_event_subscribe(struct notifier_block *config,
			struct notifier_block *pdc);
void uet_event_unsubscribe(struct notifier_block *config,
			   struct notifier_block *pdc);

#endif
