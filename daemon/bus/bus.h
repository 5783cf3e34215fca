/* SPDX-License-Identifier: GPL-2.0 */
/*
 * uetd on the system bus: org.ultraethernet.Uetd1, over which unprivileged
 * programs request jobs.  bus.c has the connection, properties and signals;
 * bus_job.c creates and destroys jobs.  Documentation/daemon.rst is the
 * reference.  Level: tool.
 */
#ifndef UETD_BUS_H
#define UETD_BUS_H

#include "state/registry.h"
#include "notify.h"

#define UETD_BUS_NAME	"org.ultraethernet.Uetd1"
#define UETD_BUS_PATH	"/org/ultraethernet/Uetd1"
#define UETD_BUS_IFACE	"org.ultraethernet.Uetd1.Manager"

struct sd_bus;
struct uetd;

/**
 * struct uetd_bus - the system bus
 * @is_wanted: jobs can be requested over the bus; else no other field is used
 * @has_registry: @registry was read
 * @registry: the jobs made over it
 * @bus: connection, or NULL
 * @has_name: uetd owns its name on the bus
 * @is_lost: the connection @bus is lost
 * @error: reason for the loss or for a missing connection, for people
 * @status: state of uetd, for people
 * @has_seen: @ids is valid
 * @ids: JobIDs that existed when the kernel was last read
 * @nr_ids: number of @ids
 */
struct uetd_bus {
	bool is_wanted;
	bool has_registry;
	struct uetd_registry registry;
	struct sd_bus *bus;
	bool has_name;
	bool is_lost;
	char error[UETD_TEXT_MAX];
	char status[2 * UETD_TEXT_MAX];
	bool has_seen;
	uint32_t *ids;
	size_t nr_ids;
};

void uetd_bus_keep(struct uetd *uetd, struct uetd_problems *problems);
void uetd_bus_see(struct uetd_bus *bus, struct uetd_model *kernel);
void uetd_bus_tell_status(struct uetd_bus *bus, const char *status);
int uetd_bus_watch_kernel(struct uetd *uetd);
void uetd_bus_watch_maker(struct uetd *uetd, struct uetd_record *record);
void uetd_bus_close(struct uetd_bus *bus);

#endif
