// SPDX-License-Identifier: GPL-2.0
/*
 * Keeping the book of jobs made over the bus.  Its file has a line "bus ID" and a
 * line "job JOBID USER MAKER" for each; it is replaced as a whole, and in front of
 * what it tells of: a job that the kernel does not have, or that is another
 * user's, is struck out when that is seen.  Level: tool.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <systemd/sd-bus.h>

#include "book.h"

/* Longer than any line that is written. */
#define LINE_MAX_LEN	(UETD_BUS_NAME_MAX + 64)

/* What is not understood is passed over: such a job is one as any other. */
static void read_line(struct uetd_book *book, const char *line)
{
	char maker[UETD_BUS_NAME_MAX + 1];
	uint32_t id, uid;

	if (sscanf(line, "bus %32s", book->bus_id) == 1)
		return;
	if (sscanf(line, "job %" SCNu32 " %" SCNu32 " %255s", &id, &uid,
		   maker) == 3 && !uetd_book_find(book, id))
		uetd_book_add(book, id, uid, maker);
}

/**
 * uetd_book_open() - read the book, if there is one
 * @book: filled in
 * @dir: directory, made if it does not exist
 *
 * Return: true; false with an errno: it cannot be read.
 */
bool uetd_book_open(struct uetd_book *book, const char *dir)
{
	char line[LINE_MAX_LEN];
	FILE *f;

	memset(book, 0, sizeof(*book));
	if (asprintf(&book->path, "%s/jobs", dir) < 0) {
		book->path = NULL;
		errno = ENOMEM;
		return false;
	}
	if (mkdir(dir, 0755) && errno != EEXIST)
		return false;
	f = fopen(book->path, "re");
	if (!f)
		return errno == ENOENT;
	while (fgets(line, sizeof(line), f))
		read_line(book, line);
	fclose(f);
	return true;
}

static bool write_lines(const struct uetd_book *book, FILE *f)
{
	const struct uetd_record *record;
	size_t i;

	if (*book->bus_id)
		fprintf(f, "bus %s\n", book->bus_id);
	for (i = 0; i < book->nr; i++) {
		record = &book->records[i];
		fprintf(f, "job %" PRIu32 " %" PRIu32 " %s\n", record->id,
			record->uid, record->maker);
	}
	return !fflush(f) && !ferror(f);
}

/**
 * uetd_book_save() - replace the file
 * @book: book, opened
 *
 * Return: true; false with an errno, and the file is as it was.
 */
bool uetd_book_save(const struct uetd_book *book)
{
	char *path;
	bool is_good = false;
	int error = ENOMEM;
	FILE *f;

	if (asprintf(&path, "%s.new", book->path) < 0) {
		errno = error;
		return false;
	}
	f = fopen(path, "we");
	if (f) {
		is_good = write_lines(book, f);
		error = errno;
		fclose(f);
		is_good = is_good && !rename(path, book->path);
	}
	if (!is_good && !f)
		error = errno;
	free(path);
	errno = error;
	return is_good;
}

/**
 * uetd_book_close() - forget it; the file stays
 * @book: is empty then
 */
void uetd_book_close(struct uetd_book *book)
{
	while (book->nr)
		uetd_book_drop(book, book->records[0].id);
	free(book->records);
	free(book->path);
	memset(book, 0, sizeof(*book));
}

/**
 * uetd_book_find() - what is known of a job
 * @book: book
 * @id: JobID
 *
 * Return: its record, until the book changes; NULL: it was not made over the bus.
 */
struct uetd_record *uetd_book_find(const struct uetd_book *book, uint32_t id)
{
	size_t i;

	for (i = 0; i < book->nr; i++) {
		if (book->records[i].id == id)
			return &book->records[i];
	}
	return NULL;
}

/**
 * uetd_book_count() - how many jobs a user has
 * @book: book
 * @uid: user
 *
 * Return: number.
 */
unsigned int uetd_book_count(const struct uetd_book *book, uint32_t uid)
{
	unsigned int count = 0;
	size_t i;

	for (i = 0; i < book->nr; i++)
		count += book->records[i].uid == uid;
	return count;
}

/**
 * uetd_book_add() - a job is being made
 * @book: book
 * @id: JobID, of which there is no record
 * @uid: owner
 * @maker: unique name of who makes it, or UETD_MAKER_NONE
 *
 * Return: its record, until the book changes.
 */
struct uetd_record *uetd_book_add(struct uetd_book *book, uint32_t id,
				  uint32_t uid, const char *maker)
{
	struct uetd_record *record;

	book->records = uetd_grow(book->records, book->nr, sizeof(*record));
	record = &book->records[book->nr++];
	record->id = id;
	record->uid = uid;
	snprintf(record->maker, sizeof(record->maker), "%s", maker);
	return record;
}

/**
 * uetd_book_drop() - a job is gone
 * @book: book
 * @id: JobID
 */
void uetd_book_drop(struct uetd_book *book, uint32_t id)
{
	struct uetd_record *record = uetd_book_find(book, id);

	if (!record)
		return;
	sd_bus_track_unref(record->track);
	*record = book->records[--book->nr];
}

/**
 * uetd_book_leave() - who made a job has left the bus
 * @record: of the job
 */
void uetd_book_leave(struct uetd_record *record)
{
	if (strcmp(record->maker, UETD_MAKER_NONE))
		strcpy(record->maker, UETD_MAKER_LEFT);
	sd_bus_track_unref(record->track);
	record->track = NULL;
}

/**
 * uetd_book_set_bus() - which bus this is
 * @book: book
 * @bus_id: its number
 *
 * Who was on another one is not on this, whatever its names are.
 *
 * Return: true if it is another one than before.
 */
bool uetd_book_set_bus(struct uetd_book *book, const char *bus_id)
{
	size_t i;

	if (!strcmp(book->bus_id, bus_id))
		return false;
	for (i = 0; *book->bus_id && i < book->nr; i++)
		uetd_book_leave(&book->records[i]);
	snprintf(book->bus_id, sizeof(book->bus_id), "%s", bus_id);
	return true;
}

/**
 * uetd_book_see() - compare the book with what there is
 * @book: jobs that are gone are struck out
 * @kernel: what there is; those of its jobs that are in the book are told so
 *
 * Return: true if the book has changed.
 */
bool uetd_book_see(struct uetd_book *book, struct uetd_model *kernel)
{
	struct uetd_record *record;
	struct uetd_job *job;
	bool has_changed = false;
	size_t i = 0;

	while (i < book->nr) {
		record = &book->records[i];
		job = uetd_model_job(kernel, record->id);
		if (!job || job->uid != record->uid) {
			uetd_book_drop(book, record->id);
			has_changed = true;
			continue;
		}
		job->made = strcmp(record->maker, UETD_MAKER_LEFT) ?
			    UETD_BUS_KEPT : UETD_BUS_LEFT;
		i++;
	}
	return has_changed;
}
