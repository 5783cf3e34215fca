// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The entry point of libuet-fi.so, by which libfabric finds the provider "uet".
 */
#include "provider.h"

struct fi_provider lf_provider = {
	.version = FI_VERSION(1, 0),
	.fi_version = FI_VERSION(FI_MAJOR_VERSION, FI_MINOR_VERSION),
	.name = "uet",
	.getinfo = lf_getinfo,
	.fabric = lf_fabric_open,
	.cleanup = lf_cleanup,
};

FI_EXT_INI
{
	lf_read_params();
	return &lf_provider;
}
