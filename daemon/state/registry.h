/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The registry of jobs that were made over the bus: owner and maker of each
 * job.  All other properties of a job, and its existence, are read from the
 * kernel.  The registry is a file, so that uetd may be killed at any time, in a
 * directory that does not survive a boot, because jobs do not either.  Level:
 * tool.
 *
 * Lifetime of a job made over the bus: until the job is destroyed, or until its
 * maker has left the bus and no process uses the job.  With UETD_MAKER_NONE,
 * the job lives until it is destroyed.
 */
#ifndef UETD_REGISTRY_H
#define UETD_REGISTRY_H

#include "model/index.h"
#include "model/model.h"

#define UETD_BUS_NAME_MAX	255	/* length of a unique name */
#define UETD_BUS_ID_MAX		32	/* length of a bus ID */
#define UETD_MAKER_NONE		"-"	/* the job needs no maker */
#define UETD_MAKER_LEFT		"+"	/* the maker has left */

struct sd_bus_track;

/**
 * struct uetd_record - a job made over the bus
 * @id: JobID
 * @uid: owner
 * @maker: unique name of the maker, UETD_MAKER_NONE or UETD_MAKER_LEFT
 * @track: reports when @maker leaves; NULL if not watched
 */
struct uetd_record {
	uint32_t id;
	uint32_t uid;
	char maker[UETD_BUS_NAME_MAX + 1];
	struct sd_bus_track *track;
};

/**
 * struct uetd_registry - all records
 * @path: name of the file
 * @bus_id: ID of the makers' bus; empty: none yet
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
void uetd_registry_index(const struct uetd_registry *registry,
			 struct uetd_index *by_id);
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
