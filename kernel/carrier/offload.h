/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The callbacks of the module in the stack's tables of IP protocols (offload.c).
 */
#ifndef UET_OFFLOAD_H
#define UET_OFFLOAD_H

#include <linux/types.h>

struct uet_fep;

int uet_offload_init(void);
void uet_offload_fini(void);
void uet_offload_add(const struct uet_fep *fep);
bool uet_offload_cuts(const struct uet_fep *fep);

#endif
