/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Words for the choices of a FEP, the modes of a PDC and the modes of a secure
 * domain: one list for ueadm and uetd, by the numbers of netlink, NULL behind the
 * last.
 */
#ifndef UET_NAMES_H
#define UET_NAMES_H

#include <linux/uet_nl.h>
#include <stddef.h>

static const char *const uet_encap_names[] = {
	[UET_ENCAP_UDP] = "udp",
	[UET_ENCAP_NATIVE] = "native",
	NULL,
};

static const char *const uet_headers_names[] = {
	[UET_HEADERS_STANDARD] = "standard",
	[UET_HEADERS_OPTIMIZED] = "optimized",
	NULL,
};

static const char *const uet_cc_names[] = {
	[UET_CC_ALGO_NONE] = "none",
	[UET_CC_ALGO_CONST] = "const",
	[UET_CC_ALGO_NSCC] = "nscc",
	[UET_CC_ALGO_RCCC] = "rccc",
	[UET_CC_ALGO_NSCC_RCCC] = "nscc-rccc",
	NULL,
};

static const char *const uet_paths_names[] = {
	[UET_PATHS_SINGLE] = "single",
	[UET_PATHS_OBLIVIOUS] = "oblivious",
	[UET_PATHS_REPS] = "reps",
	[UET_PATHS_MAP] = "map",
	[UET_PATHS_MIXED] = "mixed",
	[UET_PATHS_AUTO] = "auto",
	NULL,
};

static const char *const uet_mode_names[] = {
	[UET_MODE_RUD] = "rud",
	[UET_MODE_ROD] = "rod",
	NULL,
};

static const char *const uet_sd_mode_names[] = {
	[UET_SD_MODE_DIRECT] = "direct",
	[UET_SD_MODE_CLUSTER] = "cluster",
	[UET_SD_MODE_SERVER] = "server",
	NULL,
};

#endif
