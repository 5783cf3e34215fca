// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The entry point of libuet_linux-fi.so: the same provider by a name that no other has.  libfabric
 * keeps one of several providers "uet".  This one answers only who names it, so that no place is
 * found twice.
 */
#include <stdlib.h>
#include <string.h>

#include "provider.h"

static bool alias_is_in(const char *names)
{
	const size_t len = strlen(lf_provider.name);

	while (names && *names) {
		if (strcspn(names, ",;") == len && !strncasecmp(names, lf_provider.name, len))
			return true;
		names += strcspn(names, ",;");
		names += strspn(names, ",;");
	}
	return false;
}

static int alias_getinfo(uint32_t version, const char *node, const char *service,
			 uint64_t flags, const struct fi_info *hints, struct fi_info **info)
{
	if (!alias_is_in(getenv("FI_PROVIDER")) &&
	    !(hints && hints->fabric_attr && alias_is_in(hints->fabric_attr->prov_name)))
		return -FI_ENODATA;
	return lf_getinfo(version, node, service, flags, hints, info);
}

struct fi_provider lf_provider = {
	.version = FI_VERSION(1, 0),
	.fi_version = FI_VERSION(FI_MAJOR_VERSION, FI_MINOR_VERSION),
	.name = "uet_linux",
	.getinfo = alias_getinfo,
	.fabric = lf_fabric_open,
	.cleanup = lf_cleanup,
};

FI_EXT_INI
{
	lf_read_params();
	return &lf_provider;
}
