/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RoCEv2 with DCQCN in the fabric simulator: what clusters run, to compare with.
 * Level: test.
 */
#ifndef UET_FABRIC_ROCE_H
#define UET_FABRIC_ROCE_H

#include "core/shim.h"

struct fab;

void fab_roce_init(struct fab *fab);
void fab_roce_add(struct fab *fab, u32 chan, u32 flow);
u32 fab_roce_pull(struct fab *fab, u32 chan);
void fab_roce_rx(struct fab *fab, u32 pkt);
void fab_roce_timer(struct fab *fab, u32 chan);

#endif
