// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Addresses as text, FA/PID/RI, and the number of the address family on this machine.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "handle.h"

#define FEATURES	"/proc/net/uet/features"

int uet_af(void)
{
	FILE *f = fopen(FEATURES, "re");
	int family = AF_UET;
	char line[256];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "family: %d", &family) == 1)
			break;
	if (f)
		fclose(f);
	return family;
}

static int __attribute__((format(printf, 2, 3)))
complain(char *error, const char *fmt, ...)
{
	va_list args;

	if (error) {
		va_start(args, fmt);
		vsnprintf(error, UET_ERROR_SIZE, fmt, args);
		va_end(args);
	}
	errno = EINVAL;
	return -1;
}

/* "*" is @any.  Return: 0, or -1 with errno and the reason in @error. */
static int parse_number(const char *text, const char *what, unsigned int min,
			unsigned int max, unsigned int any, uint16_t *number, char *error)
{
	unsigned long value;
	char *end;

	if (!strcmp(text, "*")) {
		*number = any;
		return 0;
	}
	value = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || value < min || value > max)
		return complain(error, "%s '%s' is neither a number %u..%u nor *", what,
				text, min, max);
	*number = value;
	return 0;
}

static int parse_fa(struct sockaddr_uet *addr, char *text, char *error)
{
	char *scope = strchr(text, '%');

	if (!strcmp(text, "*") || inet_pton(AF_INET, text, &addr->suet_fa4) == 1)
		return 0;
	if (scope)
		*scope++ = 0;
	if (inet_pton(AF_INET6, text, addr->suet_fa6) != 1)
		return complain(error, "'%s' is not an IPv4 or IPv6 fabric address", text);
	addr->suet_flags |= UET_ADDR_IPV6;
	if (!scope)
		return 0;
	addr->suet_scope_id = if_nametoindex(scope);
	if (!addr->suet_scope_id)
		return complain(error, "'%s' is not an interface of this host", scope);
	return 0;
}

int libuet_addr_parse(struct sockaddr_uet *addr, const char *text, int family, char *error)
{
	char copy[UET_ADDR_SIZE], *part[4] = { copy };
	unsigned int parts = 1;
	char *slash;

	if (strlen(text) >= sizeof(copy))
		return complain(error, "an address of %zu bytes is longer than %zu",
				strlen(text), sizeof(copy) - 1);
	strcpy(copy, text);
	while (parts < 4 && (slash = strchr(part[parts - 1], '/'))) {
		*slash = 0;
		part[parts++] = slash + 1;
	}
	if (parts < 2 || (parts == 4 && strcmp(part[3], "absolute")))
		return complain(error, "'%s' is not FA/PID, FA/PID/RI or FA/PID/RI/absolute",
				text);
	memset(addr, 0, sizeof(*addr));
	addr->suet_family = family;
	addr->suet_version = UET_ADDR_VERSION;
	addr->suet_ri = 1;
	if (parts == 4)
		addr->suet_flags = UET_ADDR_ABSOLUTE;
	if (parse_fa(addr, part[0], error) ||
	    parse_number(part[1], "PIDonFEP", 0, UET_PIDONFEP_MAX, UET_PID_ANY,
			 &addr->suet_pid, error))
		return -1;
	return parts < 3 ? 0 : parse_number(part[2], "Resource Index", 1, UET_RINDEX_MAX,
					    0, &addr->suet_ri, error);
}

int uet_addr_parse(struct sockaddr_uet *addr, const char *text, char *error)
{
	return libuet_addr_parse(addr, text, uet_af(), error);
}

static void put_fa(const struct sockaddr_uet *addr, char *text, size_t size)
{
	char scope[IF_NAMESIZE + 1] = "%";

	if (!(addr->suet_flags & UET_ADDR_IPV6)) {
		if (addr->suet_fa4)
			inet_ntop(AF_INET, &addr->suet_fa4, text, size);
		else
			strcpy(text, "*");
		return;
	}
	inet_ntop(AF_INET6, addr->suet_fa6, text, size);
	if (addr->suet_scope_id && if_indextoname(addr->suet_scope_id, scope + 1))
		strcat(text, scope);
}

static void put_number(unsigned int number, unsigned int any, char *text)
{
	if (number == any)
		strcpy(text, "*");
	else
		sprintf(text, "%u", number);
}

const char *uet_addr_text(const struct sockaddr_uet *addr, char *text, size_t size)
{
	char fa[INET6_ADDRSTRLEN + IF_NAMESIZE + 1], pid[8], ri[8];
	int length;

	if (addr->suet_version != UET_ADDR_VERSION ||
	    addr->suet_flags & ~(UET_ADDR_IPV6 | UET_ADDR_ABSOLUTE)) {
		errno = EINVAL;
		return NULL;
	}
	put_fa(addr, fa, sizeof(fa));
	put_number(addr->suet_pid, UET_PID_ANY, pid);
	put_number(addr->suet_ri, 0, ri);
	length = snprintf(text, size, "%s/%s/%s%s", fa, pid, ri,
			  addr->suet_flags & UET_ADDR_ABSOLUTE ? "/absolute" : "");
	if (length >= 0 && (size_t)length < size)
		return text;
	errno = ENOSPC;
	return NULL;
}
