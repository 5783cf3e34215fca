// SPDX-License-Identifier: GPL-2.0
/*
 * Storage of the registry of jobs made over the bus.  The file has a line "bus
 * ID" and a line "job JOBID USER MAKER" for each job.  The file is replaced as
 * a whole, before the kernel is changed.  An entry is removed when its job is
 * missing in the kernel or belongs to another user.  Level: tool.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <systemd/sd-bus.h>

#include "registry.h"
#include "replace.h"

/* Longer than any line in the file. */
#define LINE_MAX_LEN	(UETD_BUS_NAME_MAX + 64)

/* Malformed lines are skipped: their jobs are treated as not made over the bus. */
static void read_line(struct uetd_registry *registry, const char *line)
{
	char maker[UETD_BUS_NAME_MAX + 1];
	uint32_t id, uid;

	if (sscanf(line, "bus %32s", registry->bus_id) == 1)
		return;
	if (sscanf(line, "job %" SCNu32 " %" SCNu32 " %255s", &id, &uid,
		   maker) == 3)
		uetd_registry_add(registry, id, uid, maker);
}

/* The last record moves to its place. */
static void drop_record(struct uetd_registry *registry,
			struct uetd_record *record)
{
	sd_bus_track_unref(record->track);
	*record = registry->records[--registry->nr];
}

/* Drops records of JobIDs that are in the file already. */
static void drop_doubles(struct uetd_registry *registry)
{
	struct uetd_index by_id;
	size_t i;

	uetd_registry_index(registry, &by_id);
	for (i = 0; i < registry->nr; i++) {
		if (uetd_index_find(&by_id, &registry->records[i].id) !=
		    &registry->records[i])
			registry->records[i].id = 0;
	}
	uetd_index_free(&by_id);
	for (i = registry->nr; i--; ) {
		if (!registry->records[i].id)
			drop_record(registry, &registry->records[i]);
	}
}

/**
 * uetd_registry_open() - read the registry, if there is one
 * @registry: filled in
 * @dir: directory, made if it does not exist
 *
 * Return: true; false with an errno: it cannot be read.
 */
bool uetd_registry_open(struct uetd_registry *registry, const char *dir)
{
	char line[LINE_MAX_LEN];
	FILE *f;

	memset(registry, 0, sizeof(*registry));
	if (asprintf(&registry->path, "%s/jobs", dir) < 0) {
		registry->path = NULL;
		errno = ENOMEM;
		return false;
	}
	if (mkdir(dir, 0755) && errno != EEXIST)
		return false;
	f = fopen(registry->path, "re");
	if (!f)
		return errno == ENOENT;
	while (fgets(line, sizeof(line), f))
		read_line(registry, line);
	fclose(f);
	drop_doubles(registry);
	return true;
}

static void write_lines(FILE *f, const void *arg)
{
	const struct uetd_registry *registry = arg;
	const struct uetd_record *record;
	size_t i;

	if (*registry->bus_id)
		fprintf(f, "bus %s\n", registry->bus_id);
	for (i = 0; i < registry->nr; i++) {
		record = &registry->records[i];
		fprintf(f, "job %" PRIu32 " %" PRIu32 " %s\n", record->id,
			record->uid, record->maker);
	}
}

/**
 * uetd_registry_save() - replace the file
 * @registry: registry, opened
 *
 * Return: true; false with an errno, and the file is as it was.
 */
bool uetd_registry_save(const struct uetd_registry *registry)
{
	return uetd_replace(registry->path, 0600, write_lines, NULL, registry);
}

/**
 * uetd_registry_close() - free the registry; the file stays
 * @registry: emptied
 */
void uetd_registry_close(struct uetd_registry *registry)
{
	while (registry->nr)
		drop_record(registry, &registry->records[0]);
	free(registry->records);
	free(registry->path);
	memset(registry, 0, sizeof(*registry));
}

/**
 * uetd_registry_find() - find the record of a job
 * @registry: registry
 * @id: JobID
 *
 * Return: its record, until the registry changes; NULL: it was not made over the bus.
 */
struct uetd_record *uetd_registry_find(const struct uetd_registry *registry,
				       uint32_t id)
{
	size_t i;

	for (i = 0; i < registry->nr; i++) {
		if (registry->records[i].id == id)
			return &registry->records[i];
	}
	return NULL;
}

/**
 * uetd_registry_index() - prepare look-ups of many records
 * @registry: registry, which stays as it is until @by_id is freed
 * @by_id: filled in: records by JobID; to be freed
 */
void uetd_registry_index(const struct uetd_registry *registry,
			 struct uetd_index *by_id)
{
	size_t i;

	*by_id = UETD_INDEX(struct uetd_record, id, uetd_index_number);
	for (i = 0; i < registry->nr; i++)
		uetd_index_add(by_id, &registry->records[i]);
}

/**
 * uetd_registry_count() - count the jobs of a user
 * @registry: registry
 * @uid: user
 *
 * Return: number.
 */
unsigned int uetd_registry_count(const struct uetd_registry *registry,
				 uint32_t uid)
{
	unsigned int count = 0;
	size_t i;

	for (i = 0; i < registry->nr; i++)
		count += registry->records[i].uid == uid;
	return count;
}

/**
 * uetd_registry_add() - a job is being made
 * @registry: registry
 * @id: JobID, of which there is no record
 * @uid: owner
 * @maker: unique name of the maker, or UETD_MAKER_NONE
 *
 * Return: its record, until the registry changes.
 */
struct uetd_record *uetd_registry_add(struct uetd_registry *registry,
				      uint32_t id, uint32_t uid,
				      const char *maker)
{
	struct uetd_record *record;

	registry->records =
		uetd_grow(registry->records, registry->nr, sizeof(*record));
	record = &registry->records[registry->nr++];
	record->id = id;
	record->uid = uid;
	snprintf(record->maker, sizeof(record->maker), "%s", maker);
	return record;
}

/**
 * uetd_registry_drop() - a job is gone
 * @registry: registry
 * @id: JobID
 */
void uetd_registry_drop(struct uetd_registry *registry, uint32_t id)
{
	struct uetd_record *record = uetd_registry_find(registry, id);

	if (record)
		drop_record(registry, record);
}

/**
 * uetd_registry_leave() - record that a job's maker has left the bus
 * @record: of the job
 */
void uetd_registry_leave(struct uetd_record *record)
{
	if (strcmp(record->maker, UETD_MAKER_NONE))
		strcpy(record->maker, UETD_MAKER_LEFT);
	sd_bus_track_unref(record->track);
	record->track = NULL;
}

/**
 * uetd_registry_set_bus() - record the identity of the bus
 * @registry: registry
 * @bus_id: its number
 *
 * Makers on an earlier bus count as having left, even if their names are reused.
 *
 * Return: true if the bus has changed.
 */
bool uetd_registry_set_bus(struct uetd_registry *registry, const char *bus_id)
{
	size_t i;

	if (!strcmp(registry->bus_id, bus_id))
		return false;
	for (i = 0; *registry->bus_id && i < registry->nr; i++)
		uetd_registry_leave(&registry->records[i]);
	snprintf(registry->bus_id, sizeof(registry->bus_id), "%s", bus_id);
	return true;
}

/**
 * uetd_registry_see() - compare the registry with the kernel
 * @registry: records of deleted jobs are removed
 * @kernel: state of the kernel; its jobs that are in the registry are marked
 *
 * Return: true if the registry has changed.
 */
bool uetd_registry_see(struct uetd_registry *registry,
		       struct uetd_model *kernel)
{
	struct uetd_record *record;
	struct uetd_lookup lookup;
	struct uetd_job *job;
	bool has_changed = false;
	size_t i = 0;

	uetd_lookup_make(&lookup, kernel);
	while (i < registry->nr) {
		record = &registry->records[i];
		job = uetd_index_find(&lookup.jobs, &record->id);
		if (!job || job->uid != record->uid) {
			drop_record(registry, record);
			has_changed = true;
			continue;
		}
		job->made = strcmp(record->maker, UETD_MAKER_LEFT) ?
			    UETD_BUS_KEPT : UETD_BUS_LEFT;
		i++;
	}
	uetd_lookup_free(&lookup);
	return has_changed;
}
