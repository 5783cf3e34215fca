/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers on the command line of a tool.  Level: tool.
 */
#ifndef NUMBER_H
#define NUMBER_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

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
 * @text: what should be one, as strtoull() takes it
 * @is_bytes: a K, M or G may follow
 * @min: the smallest that is allowed
 * @max: the largest
 * @value: result
 *
 * Return: false if it is none, or not within @min..@max.
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

#endif
