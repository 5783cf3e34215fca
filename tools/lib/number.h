/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers on the command line of a tool, and in its files.  Level: tool.
 */
#ifndef NUMBER_H
#define NUMBER_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static inline uint64_t number_unit(char suffix)
{
	switch (suffix) {
	case 'K': return 1ull << 10;
	case 'M': return 1ull << 20;
	case 'G': return 1ull << 30;
	default: return 0;
	}
}

/**
 * number_read() - read a number
 * @text: a number in the form of strtoull()
 * @is_bytes: a K, M or G may follow
 * @min: the smallest that is allowed
 * @max: the largest
 * @value: result
 *
 * Return: false if @text is no number, or outside @min..@max.
 */
static inline bool number_read(const char *text, bool is_bytes, uint64_t min,
			       uint64_t max, uint64_t *value)
{
	uint64_t unit = 1;
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 0);
	if (is_bytes && *end && !end[1] && number_unit(*end))
		unit = number_unit(*end++);
	if (*text < '0' || *text > '9' || *end || errno ||
	    *value > UINT64_MAX / unit)
		return false;
	*value *= unit;
	return *value >= min && *value <= max;
}

/**
 * number_read_time() - read a time
 * @text: a whole number with ns, us, ms or s; 0 needs no unit
 * @ns: result
 *
 * Return: false if @text is no time, or too large for @ns.
 */
static inline bool number_read_time(const char *text, uint64_t *ns)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 },
		{ "s", 1000000000 },
	};
	size_t i;
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*ns = strtoull(text, &end, 10);
	if (errno)
		return false;
	if (!*end)
		return !*ns;
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(end, units[i].name))
			return !__builtin_mul_overflow(*ns, units[i].ns, ns);
	return false;
}

#endif
