// SPDX-License-Identifier: GPL-2.0
/*
 * Output of records for people and for programs: one model, printed as JSON, as
 * aligned columns, as one "key: value" per line, or as one line.
 */
#include <grp.h>
#include <inttypes.h>
#include <net/if.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#include "ueadm.h"

#define PRINT_CELL_MAX	256
#define PRINT_COLUMNS	24

/* The value of a key; dots lead into nested objects.  NULL: not there. */
static struct json_object *lookup(struct json_object *record, const char *key)
{
	char copy[64], *rest = copy, *part;

	snprintf(copy, sizeof(copy), "%s", key);
	while ((part = strsep(&rest, "."))) {
		if (!json_object_object_get_ex(record, part, &record))
			return NULL;
	}
	return record;
}


/* An element of a list: a name, or a rail with the reason why it is unusable. */
static void format_element(char *buf, size_t size, struct json_object *element)
{
	struct json_object *dev = lookup(element, "dev");
	struct json_object *state = lookup(element, "state");
	size_t used;

	if (!state) {
		uea_format_value(buf, size, element);
		return;
	}
	if (dev)
		snprintf(buf, size, "%s", json_object_get_string(dev));
	else
		snprintf(buf, size, "#%d",
			 json_object_get_int(lookup(element, "ifindex")));
	used = strlen(buf);
	if (strcmp(json_object_get_string(state), "usable"))
		snprintf(buf + used, size - used, "(%s)",
			 json_object_get_string(state));
}

static void format_list(char *buf, size_t size, struct json_object *list)
{
	size_t nr = json_object_array_length(list);
	size_t i, used = 0;

	*buf = 0;
	for (i = 0; i < nr && used + 2 < size; i++) {
		if (i)
			buf[used++] = ',';
		format_element(buf + used, size - used,
			       json_object_array_get_idx(list, i));
		used += strlen(buf + used);
	}
}

/**
 * uea_format_value() - a value for people
 * @buf: text
 * @size: space
 * @value: the value; NULL: "-"
 */
void uea_format_value(char *buf, size_t size, struct json_object *value)
{
	switch (json_object_get_type(value)) {
	case json_type_null:
		snprintf(buf, size, "-");
		break;
	case json_type_boolean:
		snprintf(buf, size, "%s",
			 json_object_get_boolean(value) ? "yes" : "no");
		break;
	case json_type_array:
		format_list(buf, size, value);
		break;
	default:
		snprintf(buf, size, "%s", json_object_get_string(value));
	}
}

/**
 * uea_format_addr() - the address of a FEP, with the netdev it is local to
 * @buf: text
 * @size: space
 * @value: the address
 * @record: the FEP
 */
void uea_format_addr(char *buf, size_t size, struct json_object *value,
		     struct json_object *record)
{
	struct json_object *scope = lookup(record, "scope-id");
	char dev[IF_NAMESIZE];
	size_t used;

	uea_format_value(buf, size, value);
	used = strlen(buf);
	if (scope && if_indextoname(json_object_get_int(scope), dev))
		snprintf(buf + used, size - used, "%%%s", dev);
}

/**
 * uea_format_time() - a time as it is written on the command line
 * @buf: text
 * @size: space
 * @ns: the time, nanoseconds
 */
void uea_format_time(char *buf, size_t size, uint64_t ns)
{
	if (!ns)
		snprintf(buf, size, "0");
	else if (ns % 1000)
		snprintf(buf, size, "%" PRIu64 "ns", ns);
	else if (ns % 1000000)
		snprintf(buf, size, "%" PRIu64 "us", ns / 1000);
	else if (ns % 1000000000)
		snprintf(buf, size, "%" PRIu64 "ms", ns / 1000000);
	else
		snprintf(buf, size, "%" PRIu64 "s", ns / 1000000000);
}

/* A time that was measured, to a thousandth of the unit that fits; others are exact. */
static void format_measured(char *buf, size_t size, uint64_t ns)
{
	if (ns < 1000 || !(ns % 1000))
		uea_format_time(buf, size, ns);
	else if (ns < 1000000)
		snprintf(buf, size, "%.3fus", ns / 1e3);
	else if (ns < 1000000000)
		snprintf(buf, size, "%.3fms", ns / 1e6);
	else
		snprintf(buf, size, "%.3fs", ns / 1e9);
}

/**
 * uea_format_us() - a time in nanoseconds, for people
 * @buf: text
 * @size: space
 * @value: the time; 0 means not known
 * @record: not used
 */
void uea_format_us(char *buf, size_t size, struct json_object *value,
		   struct json_object *record)
{
	double ns = json_object_get_double(value);

	(void)record;
	if (!value || ns <= 0)
		snprintf(buf, size, "-");
	else
		snprintf(buf, size, "%.1fus", ns / 1000);
}

/**
 * uea_format_ago() - a span of time for people, with the unit that fits
 * @buf: text
 * @size: space
 * @value: nanoseconds, or NULL
 * @record: not used
 */
void uea_format_ago(char *buf, size_t size, struct json_object *value,
		    struct json_object *record)
{
	uint64_t ns = json_object_get_uint64(value), s = ns / 1000000000;

	(void)record;
	if (!value)
		snprintf(buf, size, "-");
	else if (ns < 1000000)
		snprintf(buf, size, "%" PRIu64 "us", ns / 1000);
	else if (!s)
		snprintf(buf, size, "%" PRIu64 "ms", ns / 1000000);
	else if (s < 60)
		snprintf(buf, size, "%" PRIu64 ".%" PRIu64 "s", s,
			 ns / 100000000 % 10);
	else if (s < 3600)
		snprintf(buf, size, "%" PRIu64 "m%02" PRIu64 "s", s / 60,
			 s % 60);
	else
		snprintf(buf, size, "%" PRIu64 "h%02" PRIu64 "m", s / 3600,
			 s / 60 % 60);
}

/**
 * uea_format_user() - a user by name, if it has one
 * @buf: text
 * @size: space
 * @value: its number, or NULL
 * @record: not used
 */
void uea_format_user(char *buf, size_t size, struct json_object *value,
		     struct json_object *record)
{
	const struct passwd *user;

	(void)record;
	user = value ? getpwuid(json_object_get_int64(value)) : NULL;
	if (user)
		snprintf(buf, size, "%s", user->pw_name);
	else
		uea_format_value(buf, size, value);
}

/**
 * uea_format_group() - a group by name, if it has one
 * @buf: text
 * @size: space
 * @value: its number, or NULL
 * @record: not used
 */
void uea_format_group(char *buf, size_t size, struct json_object *value,
		      struct json_object *record)
{
	const struct group *group;

	(void)record;
	group = value ? getgrgid(json_object_get_int64(value)) : NULL;
	if (group)
		snprintf(buf, size, "%s", group->gr_name);
	else
		uea_format_value(buf, size, value);
}

/**
 * uea_format_pids() - the PIDonFEP range of a job
 * @buf: text
 * @size: space
 * @value: its begin
 * @record: the job
 */
void uea_format_pids(char *buf, size_t size, struct json_object *value,
		     struct json_object *record)
{
	snprintf(buf, size, "%d-%d", json_object_get_int(value),
		 json_object_get_int(lookup(record, "pid-max")));
}

static void format_cell(char *buf, size_t size,
			const struct uea_column *column,
			struct json_object *record)
{
	struct json_object *value = lookup(record, column->key);

	if (column->format)
		column->format(buf, size, value, record);
	else
		uea_format_value(buf, size, value);
}

static bool is_number(const struct uea_column *column,
		      struct json_object *record)
{
	enum json_type type = json_object_get_type(lookup(record, column->key));

	return !column->format && type == json_type_int;
}

static void print_row(const struct uea_column *columns, const int *widths,
		      struct json_object *record)
{
	char cell[PRINT_CELL_MAX];
	bool is_last;
	int i, width;

	for (i = 0; columns[i].head; i++) {
		is_last = !columns[i + 1].head;
		width = is_last ? 0 : -widths[i];
		if (!record) {
			uea_colour_print(UEA_HEAD, columns[i].head, width);
		} else {
			format_cell(cell, sizeof(cell), &columns[i], record);
			if (is_number(&columns[i], record))
				width = widths[i];
			uea_colour_print(uea_colour_of(&columns[i], cell), cell,
					 width);
		}
		fputs(is_last ? "\n" : "  ", stdout);
	}
}

/**
 * uea_print_columns() - print records as a table
 * @columns: its columns
 * @records: JSON array
 *
 * Nothing at all is printed for no records.
 */
void uea_print_columns(const struct uea_column *columns,
		       struct json_object *records)
{
	size_t nr = json_object_array_length(records), row;
	int widths[PRINT_COLUMNS];
	char cell[PRINT_CELL_MAX];
	int i, width;

	if (!nr)
		return;
	for (i = 0; columns[i].head; i++) {
		widths[i] = strlen(columns[i].head);
		for (row = 0; row < nr; row++) {
			format_cell(cell, sizeof(cell), &columns[i],
				    json_object_array_get_idx(records, row));
			width = strlen(cell);
			if (width > widths[i])
				widths[i] = width;
		}
	}
	print_row(columns, widths, NULL);
	for (row = 0; row < nr; row++)
		print_row(columns, widths,
			  json_object_array_get_idx(records, row));
}

static const struct uea_field *find_field(const struct uea_field *fields,
					  const char *key)
{
	for (; fields->attr; fields++) {
		if (!strcmp(fields->key, key))
			return fields;
	}
	return NULL;
}

/**
 * uea_format_field() - a value of a record for people
 * @buf: text
 * @size: space
 * @fields: of the record
 * @key: of the value
 * @value: the value; NULL: "-"
 *
 * The key of a time ends in its unit; for people the unit follows the number.
 *
 * Return: length of the key for people.
 */
int uea_format_field(char *buf, size_t size, const struct uea_field *fields,
		     const char *key, struct json_object *value)
{
	const struct uea_field *field = find_field(fields, key);

	if (!field || field->type != UEA_TIME || !value) {
		uea_format_value(buf, size, value);
		return strlen(key);
	}
	format_measured(buf, size, json_object_get_uint64(value));
	return strlen(key) - strlen("-ns");
}

static void print_keys(const struct uea_field *fields,
		       struct json_object *record)
{
	const struct uea_field *field;
	char cell[PRINT_CELL_MAX];
	int length;

	json_object_object_foreach(record, key, value) {
		field = find_field(fields, key);
		length = uea_format_field(cell, sizeof(cell), fields, key,
					  value);
		printf("%.*s: %s%s%s\n", length, key, cell,
		       field && field->unit ? " " : "",
		       field && field->unit ? field->unit : "");
	}
}

/**
 * uea_print_json() - print JSON, as asked for
 * @ctx: run
 * @json: what to print
 */
void uea_print_json(const struct uea_ctx *ctx, struct json_object *json)
{
	int flags = JSON_C_TO_STRING_NOSLASHESCAPE;

	flags |= ctx->is_pretty ? JSON_C_TO_STRING_PRETTY |
				  JSON_C_TO_STRING_SPACED :
				  JSON_C_TO_STRING_PLAIN;
	puts(json_object_to_json_string_ext(json, flags));
}

/* Keys and values; nested values have their path in the key. */
static void print_words(const char *front, struct json_object *record)
{
	char cell[PRINT_CELL_MAX], inner[64];

	json_object_object_foreach(record, key, value) {
		if (json_object_is_type(value, json_type_object)) {
			snprintf(inner, sizeof(inner), "%s%s.", front, key);
			print_words(inner, value);
			continue;
		}
		uea_format_value(cell, sizeof(cell), value);
		printf(" %s%s %s", front, key, cell);
	}
}

/**
 * uea_print_line() - print a record on one line, at once
 * @what: first words of the line
 * @record: JSON object
 */
void uea_print_line(const char *what, struct json_object *record)
{
	fputs(what, stdout);
	print_words("", record);
	putchar('\n');
	fflush(stdout);
}

static void print_lines(const char *what, struct json_object *records)
{
	size_t i;

	for (i = 0; i < json_object_array_length(records); i++)
		uea_print_line(what, json_object_array_get_idx(records, i));
}

/**
 * uea_print() - print records, as asked for
 * @ctx: run
 * @object: what they are
 * @records: JSON array
 */
void uea_print(const struct uea_ctx *ctx, const struct uea_object *object,
	       struct json_object *records)
{
	const struct uea_column *columns = object->columns;
	size_t i;

	if (ctx->is_json) {
		uea_print_json(ctx, records);
		return;
	}
	if (ctx->has_statistics && object->counters)
		columns = object->counters;
	if (ctx->is_oneline) {
		print_lines(object->name, records);
		return;
	}
	if (columns && !ctx->is_detailed) {
		uea_print_columns(columns, records);
		return;
	}
	for (i = 0; i < json_object_array_length(records); i++) {
		if (i)
			putchar('\n');
		print_keys(object->fields,
			   json_object_array_get_idx(records, i));
	}
}
