/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Congestion in a network that neither marks nor trims, for NSCC: a queue that stands, and
 * losses while it stands.  A delay that comes and goes is no congestion, nor is a loss
 * without a queue.
 *
 * Spec: none; see Documentation/congestion.rst.  Level: core L3.
 */
#ifndef UET_CORE_CC_BLIND_H
#define UET_CORE_CC_BLIND_H

#include "ccc.h"

bool uet_cc_blind_applies(const struct uet_ccc *ccc, u64 now);
void uet_cc_blind_sample(struct uet_ccc *ccc, u64 delay_ns, bool is_marked, u64 now);
u32 uet_cc_blind_jitter(const struct uet_ccc *ccc);
bool uet_cc_blind_loss(struct uet_ccc *ccc, u64 now);
bool uet_cc_is_blind(const struct uet_ccc *ccc, u64 now);
bool uet_cc_blind_excess(struct uet_ccc *ccc, u64 now);
u64 uet_cc_blind_target(const struct uet_ccc *ccc);

#endif /* UET_CORE_CC_BLIND_H */
