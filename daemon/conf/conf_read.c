// SPDX-License-Identifier: GPL-2.0
/*
 * Files to sections and entries, by libinih.  A reader of our own passes the
 * lines to libinih one by one.  Each entry therefore has its line number, and
 * lines that libinih would ignore or truncate are reported.  A section may
 * occur once in each file; a later file adds keys to the section and replaces
 * repeated keys.  Level: tool.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf.h"

/**
 * struct reader - a file that is being read
 * @raw: where its sections go
 * @diag: receives errors
 * @stream: the file
 * @file: its name
 * @line: number of the line passed to libinih
 * @space: size of libinih's line buffer, bytes with newline and zero
 * @section: present section; NULL before the first and after a bad one
 * @is_lost: the last section was bad, so its entries cannot be checked
 * @is_pending: the line should be an entry or section, not yet confirmed by libinih
 * @buf: for getline()
 * @size: of @buf
 */
struct reader {
	struct uetd_raw *raw;
	struct uetd_diag *diag;
	FILE *stream;
	const char *file;
	unsigned int line;
	int space;
	struct uetd_section *section;
	bool is_lost;
	bool is_pending;
	char *buf;
	size_t size;
};

static void complain(const struct reader *reader, const char *key,
		     const char *text)
{
	struct uetd_conf_error error_text = {
		.file = reader->file,
		.line = reader->line,
		.section = reader->section ? reader->section->name : NULL,
		.key = key,
		.text = text,
	};

	reader->diag->nr++;
	reader->diag->tell(reader->diag->data, &error_text);
}

/* Order of pointers to names. */
static int order_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static char *copy_text(const char *text)
{
	size_t size = strlen(text) + 1;

	return memcpy(uetd_grow(NULL, 0, size), text, size);
}

static void begin_section(struct reader *reader, const char *name)
{
	struct uetd_raw *raw = reader->raw;
	struct uetd_section *section;
	char text[80];

	raw->by_name.order = order_names;
	raw->by_name.key = offsetof(struct uetd_section, name);
	section = uetd_index_find(&raw->by_name, &name);
	if (section && section->file == reader->file) {
		snprintf(text, sizeof(text),
			 "the section is there twice, first in line %u",
			 section->line);
		reader->section = section;
		complain(reader, NULL, text);
		return;
	}
	if (!section) {
		section = uetd_grow(NULL, 0, sizeof(*section));
		section->name = copy_text(name);
		raw->sections = uetd_grow(raw->sections, raw->nr,
					  sizeof(*raw->sections));
		raw->sections[raw->nr++] = section;
		uetd_index_add(&raw->by_name, section);
	}
	section->file = reader->file;
	section->line = reader->line;
	reader->section = section;
}

/* [KIND NAME]: blanks around and between the words are ignored. */
static void read_heading(struct reader *reader, const char *line)
{
	const char *end = strchr(line, ']');
	const char *rest = end ? end + 1 : "";
	char name[256], *out = name;
	const char *in;

	reader->section = NULL;
	reader->is_lost = true;
	rest += strspn(rest, " \t\r\n");
	if (!end || (*rest && *rest != ';' && *rest != '#')) {
		complain(reader, NULL, "a section is [NAME] and nothing else");
		return;
	}
	for (in = line + 1; in < end && out < name + sizeof(name) - 1; in++) {
		if (!isblank(*in))
			*out++ = *in;
		else if (out > name && !isblank(out[-1]))
			*out++ = ' ';
	}
	while (out > name && isblank(out[-1]))
		out--;
	*out = 0;
	reader->is_lost = false;
	begin_section(reader, name);
}

/* Reports the previous line if libinih did not accept it. */
static void settle(struct reader *reader)
{
	if (reader->is_pending)
		complain(reader, NULL, "neither [SECTION] nor KEY = VALUE");
	reader->is_pending = false;
}

/* Checks whether libinih can read the line that begins at @text. */
static bool is_readable(struct reader *reader, const char *text, size_t size)
{
	char why[80];

	if (strlen(text) != size) {
		complain(reader, NULL, "there is a zero byte in the line");
		return false;
	}
	if (size < (size_t)reader->space)
		return true;
	snprintf(why, sizeof(why), "the line must be %d characters at most",
		 reader->space - 2);
	complain(reader, NULL, why);
	return false;
}

/*
 * An ini_reader: returns the next line without leading blanks, because libinih
 * treats an indented line as a continuation; empty if the line is not for
 * libinih.
 */
static char *next_line(char *str, int num, void *stream)
{
	struct reader *reader = stream;
	const char *text;
	ssize_t size;

	settle(reader);
	size = getline(&reader->buf, &reader->size, reader->stream);
	if (size < 0)
		return NULL;
	reader->line++;
	reader->space = num;
	text = reader->buf;
	if (reader->line == 1 && !strncmp(text, "\xef\xbb\xbf", 3))
		text += 3;
	text += strspn(text, " \t\r\f\v");
	size -= text - reader->buf;
	strcpy(str, "\n");
	if (!is_readable(reader, text, size) || strchr(";#\n", *text))
		return str;
	if (*text == '[') {
		read_heading(reader, text);
		return str;
	}
	reader->is_pending = true;
	return strcpy(str, text);
}

static void put_entry(struct reader *reader, const char *key,
		      const char *value)
{
	struct uetd_section *section = reader->section;
	struct uetd_entry *entry;
	char text[80];

	entry = (struct uetd_entry *)uetd_raw_entry(section, key);
	if (entry && entry->file == reader->file) {
		snprintf(text, sizeof(text),
			 "is there twice, first in line %u", entry->line);
		complain(reader, key, text);
		return;
	}
	if (!entry) {
		section->entries = uetd_grow(section->entries, section->nr,
					     sizeof(*section->entries));
		entry = &section->entries[section->nr++];
		entry->key = copy_text(key);
	}
	free(entry->value);
	entry->value = copy_text(value);
	entry->file = reader->file;
	entry->line = reader->line;
}

/* An ini_handler.  The section is the one that our own reader has seen. */
static int take_entry(void *user, const char *section, const char *key,
		      const char *value)
{
	struct reader *reader = user;

	(void)section;
	reader->is_pending = false;
	if (!*key)
		complain(reader, NULL, "there is no key in front of the \"=\"");
	else if (reader->section)
		put_entry(reader, key, value);
	else if (!reader->is_lost)
		complain(reader, key, "stands in front of the first section");
	return 1;
}

/**
 * uetd_raw_entry() - find an entry
 * @section: in this section
 * @key: its key
 *
 * Return: the entry or NULL.
 */
const struct uetd_entry *uetd_raw_entry(const struct uetd_section *section,
					const char *key)
{
	size_t i;

	for (i = 0; i < section->nr; i++) {
		if (!strcmp(section->entries[i].key, key))
			return &section->entries[i];
	}
	return NULL;
}

/**
 * uetd_raw_file() - read one file
 * @raw: sections are added
 * @path: name of the file
 * @diag: receives errors
 *
 * Return: true if there was no error.
 */
bool uetd_raw_file(struct uetd_raw *raw, const char *path,
		   struct uetd_diag *diag)
{
	struct reader reader = { .raw = raw, .diag = diag };
	unsigned int before = diag->nr;

	raw->files = uetd_grow(raw->files, raw->nr_files, sizeof(*raw->files));
	raw->files[raw->nr_files] = copy_text(path);
	reader.file = raw->files[raw->nr_files++];
	reader.stream = fopen(path, "re");
	if (!reader.stream) {
		complain(&reader, NULL, strerror(errno));
		return false;
	}
	ini_parse_stream(next_line, &reader, take_entry, &reader);
	if (ferror(reader.stream)) {
		reader.line = 0;
		reader.section = NULL;
		complain(&reader, NULL, strerror(errno));
	}
	fclose(reader.stream);
	free(reader.buf);
	return diag->nr == before;
}

static int is_conf(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return dot && dot != entry->d_name && !strcmp(dot, ".conf");
}

/**
 * uetd_raw_main() - read a file, and then PATH.d/\*.conf in the order of names
 * @raw: sections are added
 * @path: name of the file
 * @diag: receives errors
 *
 * Return: true if there was no error.
 */
bool uetd_raw_main(struct uetd_raw *raw, const char *path,
		   struct uetd_diag *diag)
{
	bool is_good = uetd_raw_file(raw, path, diag);
	size_t size = strlen(path) + sizeof(((struct dirent *)0)->d_name) + 4;
	char *name = uetd_grow(NULL, 0, size);
	struct dirent **entries;
	int nr, i;

	snprintf(name, size, "%s.d", path);
	nr = scandir(name, &entries, is_conf, alphasort);
	if (nr < 0 && errno != ENOENT) {
		complain(&(struct reader){ .diag = diag, .file = name },
			 NULL, strerror(errno));
		is_good = false;
	}
	for (i = 0; i < nr; i++) {
		snprintf(name, size, "%s.d/%s", path, entries[i]->d_name);
		is_good &= uetd_raw_file(raw, name, diag);
		free(entries[i]);
	}
	if (nr >= 0)
		free(entries);
	free(name);
	return is_good;
}

/**
 * uetd_raw_free() - free all sections
 * @raw: emptied
 */
void uetd_raw_free(struct uetd_raw *raw)
{
	struct uetd_section *section;
	size_t i, k;

	uetd_index_free(&raw->by_name);
	for (i = 0; i < raw->nr; i++) {
		section = raw->sections[i];
		for (k = 0; k < section->nr; k++) {
			free(section->entries[k].key);
			free(section->entries[k].value);
		}
		free(section->entries);
		free(section->name);
		free(section);
	}
	for (i = 0; i < raw->nr_files; i++)
		free(raw->files[i]);
	free(raw->sections);
	free(raw->files);
	memset(raw, 0, sizeof(*raw));
}
