// SPDX-License-Identifier: GPL-2.0
/*
 * The estimator of RFC 6298, section 2, in nanoseconds: gains of 1/8 and 1/4, and four times the
 * deviation.  PDCs and RUDI use it.
 *
 * Spec: UE 1.0.1 3.5.15: RTO_Init_Time x 2^retry; that the time-out follows measured round trips
 * is the sender's choice.  Level: core L3.
 */
#include "rtt.h"

/* A minimum that is not seen again rises by 1/1024 of the distance per sample. */
#define RTT_LEAST_FADE	10

/* Cap of the back-off level: above any limit on time-outs, and no bit is shifted out. */
#define RTT_LEVEL_MAX	16

/*
 * uet_rtt_sample() - add a measured round trip
 */
void uet_rtt_sample(struct uet_rtt *rtt, u64 rtt_ns)
{
	u64 dev;

	if (!rtt->srtt_ns || rtt_ns < rtt->least_ns)
		rtt->least_ns = rtt_ns;
	else
		rtt->least_ns += (rtt_ns - rtt->least_ns) >> RTT_LEAST_FADE;
	if (!rtt->srtt_ns) {
		rtt->srtt_ns = max_t(u64, rtt_ns, 1);
		rtt->rttvar_ns = rtt_ns / 2;
		return;
	}
	dev = rtt_ns > rtt->srtt_ns ? rtt_ns - rtt->srtt_ns : rtt->srtt_ns - rtt_ns;
	rtt->rttvar_ns += dev / 4 - rtt->rttvar_ns / 4;
	rtt->srtt_ns = max_t(u64, 1, rtt->srtt_ns + rtt_ns / 8 - rtt->srtt_ns / 8);
}

/*
 * uet_rtt_rto() - retransmission time-out, ns, @least_ns to @most_ns
 * @level: time-outs in a row so far, each of which doubles it
 * @least_ns: lower bound before back-off, RTO_Init_Time
 * @most_ns: upper bound; at least @least_ns and at most a day
 */
u64 uet_rtt_rto(const struct uet_rtt *rtt, u32 level, u64 least_ns, u64 most_ns)
{
	u64 base = clamp(rtt->srtt_ns + 4 * rtt->rttvar_ns, least_ns, most_ns);

	return min(base << min_t(u32, level, RTT_LEVEL_MAX), most_ns);
}
