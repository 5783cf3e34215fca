/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Round trip estimator of a path or peer: smoothed mean, mean deviation, and the resulting RTO.
 * The owner decides which packets are sampled, because only the owner knows which transmission
 * was answered.
 *
 * Spec: UE 1.0.1 3.5.15 (time-outs).  Level: core L3.
 */
#ifndef UET_CORE_RTT_H
#define UET_CORE_RTT_H

#include "core/shim.h"

/**
 * struct uet_rtt - state of the estimator; all zero: no sample yet
 * @srtt_ns: smoothed round trip time; 0 before the first sample
 * @rttvar_ns: mean deviation of the round trip time
 * @least_ns: least round trip of late
 */
struct uet_rtt {
	u64 srtt_ns;
	u64 rttvar_ns;
	u64 least_ns;
};

void uet_rtt_sample(struct uet_rtt *rtt, u64 rtt_ns);
u64 uet_rtt_rto(const struct uet_rtt *rtt, u32 level, u64 least_ns, u64 most_ns);

#endif /* UET_CORE_RTT_H */
