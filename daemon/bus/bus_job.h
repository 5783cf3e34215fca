/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The job methods of org.ultraethernet.Uetd1.Manager, and the polkit actions
 * that they check.  Level: tool.
 */
#ifndef UETD_BUS_JOB_H
#define UETD_BUS_JOB_H

#include <systemd/sd-bus.h>

#define UETD_ACTION_CREATE	"org.ultraethernet.uetd1.create-job"
#define UETD_ACTION_DESTROY	"org.ultraethernet.uetd1.destroy-job"

int uetd_bus_create_job(sd_bus_message *call, void *data, sd_bus_error *error);
int uetd_bus_destroy_job(sd_bus_message *call, void *data,
			 sd_bus_error *error);
int uetd_bus_list_jobs(sd_bus_message *call, void *data, sd_bus_error *error);

#endif
