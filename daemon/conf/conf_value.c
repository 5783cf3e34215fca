// SPDX-License-Identifier: GPL-2.0
/*
 * Words of configuration files to values.  Each function returns NULL, or a
 * text that describes the expected form; the text holds until the next call.
 * Level: tool.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <grp.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/uet.h>

#include "conf.h"
#include "number.h"

static char must_be[160];

__attribute__((format(printf, 1, 2)))
static const char *must(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(must_be, sizeof(must_be), fmt, args);
	va_end(args);
	return must_be;
}

/* Digits only: strtoull() would accept blanks and signs. */
static bool read_digits(const char *word, uint64_t *value, char **end)
{
	if (*word < '0' || *word > '9')
		return false;
	errno = 0;
	*value = strtoull(word, end, 10);
	return !errno;
}

/**
 * uetd_value_number() - read a number
 * @word: decimal
 * @min: smallest that is allowed
 * @max: largest
 * @value: result
 *
 * Return: NULL, or the expected form.
 */
const char *uetd_value_number(const char *word, uint64_t min, uint64_t max,
			      uint64_t *value)
{
	char *end;

	if (read_digits(word, value, &end) && !*end && *value >= min &&
	    *value <= max)
		return NULL;
	return must("a number from %" PRIu64 " to %" PRIu64, min, max);
}

static void time_text(char *buf, size_t size, uint64_t ns)
{
	if (ns && ns % 1000000000 == 0)
		snprintf(buf, size, "%" PRIu64 "s", ns / 1000000000);
	else if (ns && ns % 1000 == 0)
		snprintf(buf, size, "%" PRIu64 "us", ns / 1000);
	else
		snprintf(buf, size, "%" PRIu64, ns);
}

static const char *value_time(const char *word,
			      const struct uetd_param_row *row, uint64_t *value)
{
	char min[32], max[32];

	if (number_read_time(word, value) && *value >= row->min &&
	    *value <= row->max)
		return NULL;
	time_text(min, sizeof(min), row->min);
	time_text(max, sizeof(max), row->max);
	return must("a time with its unit, ns, us, ms or s, from %s to %s",
		    min, max);
}

static const char *value_switch(const char *word, uint64_t *value)
{
	static const char *const words[] = { "no", "yes", NULL };
	unsigned int number;
	const char *wrong = uetd_value_choice(word, words, &number);

	*value = number;
	return wrong;
}

/**
 * uetd_value_param() - read a parameter of PDCs
 * @word: in the form of "ueadm fep set"
 * @param: the parameter
 * @value: result, in the unit of the parameter
 *
 * Return: NULL, or the expected form.
 */
const char *uetd_value_param(const char *word, enum uetd_param param,
			     uint64_t *value)
{
	const struct uetd_param_row *row = &uetd_params[param];
	const char *wrong;

	switch (row->kind) {
	case UETD_KIND_TIME:
		return value_time(word, row, value);
	case UETD_KIND_SWITCH:
		return value_switch(word, value);
	case UETD_KIND_POW2:
		wrong = uetd_value_number(word, row->min, row->max, value);
		if (!wrong && !(*value & (*value - 1)))
			return NULL;
		return must("a power of two from %" PRIu64 " to %" PRIu64,
			    row->min, row->max);
	default:
		return uetd_value_number(word, row->min, row->max, value);
	}
}

/**
 * uetd_value_dscp() - read a DSCP
 * @word: number, or "none" where there may be none
 * @dscp: the DSCP
 * @value: result
 *
 * Return: NULL, or the expected form.
 */
const char *uetd_value_dscp(const char *word, enum uetd_dscp dscp,
			    uint8_t *value)
{
	bool may_be_none = uetd_dscps[dscp].may_be_none;
	uint64_t number;

	*value = UET_DSCP_NONE;
	if (may_be_none && !strcmp(word, "none"))
		return NULL;
	if (uetd_value_number(word, 0, 63, &number))
		return may_be_none ? must("a number from 0 to 63, or none") :
		       must("a number from 0 to 63");
	*value = number;
	return NULL;
}

/**
 * uetd_value_choice() - read a word from a list
 * @word: one of them
 * @choices: the words, NULL behind the last
 * @value: its position
 *
 * Return: NULL, or the expected form.
 */
const char *uetd_value_choice(const char *word, const char *const *choices,
			      unsigned int *value)
{
	size_t size = 0;
	unsigned int i;

	for (i = 0; choices[i]; i++) {
		if (!strcmp(word, choices[i])) {
			*value = i;
			return NULL;
		}
	}
	*value = 0;
	for (i = 0; choices[i] && size < sizeof(must_be); i++)
		size += snprintf(must_be + size, sizeof(must_be) - size, "%s%s",
				 !i ? "" : choices[i + 1] ? ", " : " or ",
				 choices[i]);
	return must_be;
}

/**
 * uetd_value_name() - read a name of a rail, FEP, job or netdev
 * @word: the name
 * @max: longest one
 * @name: filled in, with space for @max and a zero
 *
 * Return: NULL, or the expected form.
 */
const char *uetd_value_name(const char *word, size_t max, char *name)
{
	size_t size = strspn(word, "abcdefghijklmnopqrstuvwxyz"
			     "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.");

	if (!size || word[size] || size > max)
		return must("a name of 1 to %zu letters, digits, \"-\", \"_\" or \".\"",
			    max);
	strcpy(name, word);
	return NULL;
}

/**
 * uetd_value_mac() - read a hardware address
 * @word: six bytes with colons between
 * @mac: result
 *
 * Return: NULL, or the expected form.
 */
const char *uetd_value_mac(const char *word, uint8_t *mac)
{
	unsigned int byte[UETD_MAC_LEN], i;
	int size = -1;

	sscanf(word, "%2x:%2x:%2x:%2x:%2x:%2x%n", &byte[0], &byte[1], &byte[2],
	       &byte[3], &byte[4], &byte[5], &size);
	/*
	 * Require two digits each: scanf() would accept signs and blanks as a
	 * digit.
	 */
	if (size != 17 || word[size] ||
	    strspn(word, "0123456789abcdefABCDEF:") != 17)
		return must("a hardware address such as 02:00:5e:10:00:01");
	for (i = 0; i < UETD_MAC_LEN; i++)
		mac[i] = byte[i];
	return NULL;
}

/**
 * uetd_value_addr() - read an IP address
 * @word: the address
 * @addr: result
 *
 * Return: NULL, or the expected form.
 */
const char *uetd_value_addr(const char *word, struct uetd_addr *addr)
{
	memset(addr, 0, sizeof(*addr));
	addr->family = strchr(word, ':') ? AF_INET6 : AF_INET;
	if (inet_pton(addr->family, word, addr->bytes) == 1)
		return NULL;
	return must("an IPv4 or IPv6 address");
}

/**
 * uetd_value_net() - read an address with a prefix length
 * @word: ADDR or ADDR/BITS
 * @addr: the address
 * @prefix: its prefix length, bits
 *
 * Return: NULL, or the expected form.
 */
const char *uetd_value_net(const char *word, struct uetd_addr *addr,
			   unsigned int *prefix)
{
	static const char *const wanted =
		"an IP address, with or without /BITS, 1 to 32 or 128";
	char copy[INET6_ADDRSTRLEN], *bits;
	uint64_t number, most;

	if (strlen(word) >= sizeof(copy))
		return must("%s", wanted);
	strcpy(copy, word);
	bits = strchr(copy, '/');
	if (bits)
		*bits++ = 0;
	if (uetd_value_addr(copy, addr))
		return must("%s", wanted);
	most = addr->family == AF_INET ? 32 : 128;
	number = most;
	if (bits && uetd_value_number(bits, 1, most, &number))
		return must("%s", wanted);
	*prefix = number;
	return NULL;
}

/**
 * uetd_value_user() - read a user
 * @word: name or number
 * @uid: result
 *
 * Return: NULL, or the expected form.
 */
const char *uetd_value_user(const char *word, uint32_t *uid)
{
	const struct passwd *user = getpwnam(word);
	uint64_t number;

	if (user) {
		*uid = user->pw_uid;
		return NULL;
	}
	/* The last number is reserved: it means no user. */
	if (uetd_value_number(word, 0, UINT32_MAX - 1, &number))
		return must("the name or number of a user");
	*uid = number;
	return NULL;
}

/**
 * uetd_value_group() - read a group
 * @word: name or number
 * @gid: result
 *
 * Return: NULL, or the expected form.
 */
const char *uetd_value_group(const char *word, uint32_t *gid)
{
	const struct group *group = getgrnam(word);
	uint64_t number;

	if (group) {
		*gid = group->gr_gid;
		return NULL;
	}
	if (uetd_value_number(word, 0, UINT32_MAX - 1, &number))
		return must("the name or number of a group");
	*gid = number;
	return NULL;
}

/**
 * uetd_value_pids() - read a range of PIDonFEP
 * @word: N or MIN-MAX
 * @min: lowest
 * @max: highest
 *
 * Return: NULL, or the expected form.
 */
const char *uetd_value_pids(const char *word, uint16_t *min, uint16_t *max)
{
	uint64_t low, high;
	char *end;

	if (!read_digits(word, &low, &end))
		goto err_range;
	high = low;
	if (*end == '-' && !read_digits(end + 1, &high, &end))
		goto err_range;
	if (*end || low > high || high > UET_PIDONFEP_MAX)
		goto err_range;
	*min = low;
	*max = high;
	return NULL;

err_range:
	return must("N or MIN-MAX within 0-%d", UET_PIDONFEP_MAX);
}

/**
 * uetd_value_names() - read a list of names
 * @word: names with commas, blanks or both between
 * @size: bytes for each name in @names, with its zero
 * @most: number of names that fit there
 * @names: filled in
 * @nr: number of names
 *
 * Return: NULL, or the expected form.
 */
const char *uetd_value_names(const char *word, size_t size, unsigned int most,
			     char *names, unsigned int *nr)
{
	const char *wrong = NULL;
	char one[64];
	size_t length;

	*nr = 0;
	for (;;) {
		word += strspn(word, ", \t");
		length = strcspn(word, ", \t");
		if (!length || wrong)
			break;
		if (*nr == most)
			return must("1 to %u names", most);
		snprintf(one, sizeof(one), "%.*s", (int)length, word);
		wrong = uetd_value_name(one, size - 1, names + *nr * size);
		*nr += 1;
		word += length;
	}
	if (wrong)
		return wrong;
	return *nr ? NULL : must("1 to %u names", most);
}
