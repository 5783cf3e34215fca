/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The registry of the jobs that were made over the bus: for each, whose it is and who
 * made it.  Everything else about a job, and whether there is one at all, the
 * kernel knows better and is asked.  The registry is a file, so that uetd can die at
 * any time, in a directory that does not survive a boot, as jobs do not.
 * Level: tool.
 *
 * Lifetime of a job made over the bus: until it is destroyed, or until who made
 * it has left the bus and nobody uses it any more; with UETD_MAKER_NONE, only
 * until it is destroyed.
 */
#ifndef UETD_REGISTRY_H
#define UETD_REGISTRY_H

#include "model.h"

#define UETD_BUS_NAME_MAX	255	/* of a unique name */
#define UETD_BUS_ID_MAX		32	/* of a bus */
#define UETD_MAKER_NONE		"-"	/* it stays without */
#define UETD_MAKER_LEFT		"+"	/* has left */

struct sd_bus_track;

/**
 * struct uetd_record - a job made over the bus
 * @id: JobID
 * @uid: owner
 * @maker: unique name of who made it, UETD_MAKER_NONE or UETD_MAKER_LEFT
 * @track: tells when @maker leaves; NULL while nobody watches
 */
struct uetd_record {
	uint32_t id;
	uint32_t uid;
	char maker[UETD_BUS_NAME_MAX + 1];
	struct sd_bus_track *track;
};

/**
 * struct uetd_registry - all of them
 * @path: name of the file
 * @bus_id: of the bus the makers are on; empty: none yet
 * @records: array
 * @nr: its length
 */
struct uetd_registry {
	char *path;
	char bus_id[UETD_BUS_ID_MAX + 1];
	struct uetd_record *records;
	size_t nr;
};

bool uetd_registry_open(struct uetd_registry *registry, const char *dir);
bool uetd_registry_save(const struct uetd_registry *registry);
void uetd_registry_close(struct uetd_registry *registry);
struct uetd_record *uetd_registry_find(const struct uetd_registry *registry,
				       uint32_t id);
unsigned int uetd_registry_count(const struct uetd_registry *registry,
				 uint32_t uid);
struct uetd_record *uetd_registry_add(struct uetd_registry *registry,
				      uint32_t id, uint32_t uid,
				      const char *maker);
void uetd_registry_drop(struct uetd_registry *registry, uint32_t id);
void uetd_registry_leave(struct uetd_record *record);
bool uetd_registry_set_bus(struct uetd_registry *registry, const char *bus_id);
bool uetd_registry_see(struct uetd_registry *registry,
		       struct uetd_model *kernel);

#endif
