/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Round trips of one path or peer: their smoothed mean and mean deviation, and
 * the time-out that follows from them.  Which packets may be sampled is decided
 * by the owner, who knows which transmission was answered.
 *
 * Spec: UE 1.0.1 3.5.15 (time-outs).  Level: core L3.
 */
#ifndef UET_CORE_RTT_H
#define UET_CORE_RTT_H

#include "core/shim.h"

/**
 * struct uet_rtt - what is known of round trips; all zero: nothing
 * @srtt_ns: smoothed round trip time, 0 before the first sample
 * @rttvar_ns: its mean deviation
 */
struct uet_rtt {
	u64 srtt_ns;
	u64 rttvar_ns;
};

void uet_rtt_sample(struct uet_rtt *rtt, u64 rtt_ns);
u64 uet_rtt_rto(const struct uet_rtt *rtt, u32 level, u64 least_ns,
		u64 most_ns);

#endif /* UET_CORE_RTT_H */
