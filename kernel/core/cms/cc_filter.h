/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Delay filters of NSCC: the least round trip, which is the path without queues, and
 * the average of the delay above the least round trip.
 *
 * Implements UE 1.0.1 3.6.13 (base RTT, average delay).
 * Level: core L3.
 */
#ifndef UET_CORE_CC_FILTER_H
#define UET_CORE_CC_FILTER_H

#include "ccc.h"

void uet_cc_base_init(struct uet_ccc *ccc, u64 now);
void uet_cc_base_retune(struct uet_ccc *ccc);
u64 uet_cc_base_sample(struct uet_ccc *ccc, u64 rtt_ns, u64 now);
void uet_cc_base_jitter(struct uet_ccc *ccc, u32 jitter_ns);
void uet_cc_base_apply_drain(struct uet_ccc *ccc, u64 now);
void uet_cc_avg_sample(struct uet_ccc *ccc, u64 delay_ns, bool is_marked,
		       u64 now);

/**
 * uet_cc_avg_ns() - average queueing delay
 * @ccc: context with NSCC
 *
 * Return: ns.
 */
static inline u64 uet_cc_avg_ns(const struct uet_ccc *ccc)
{
	return (u64)ccc->nscc.avg_ns >> 6;
}

#endif /* UET_CORE_CC_FILTER_H */
