/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The version that the tools and the daemon print.  It is that of the module,
 * UET_VERSION.  Level: tool.
 */
#ifndef UET_TOOLS_VERSION_H
#define UET_TOOLS_VERSION_H

#define UET_TOOLS_VERSION	"0.1.0"

#endif
