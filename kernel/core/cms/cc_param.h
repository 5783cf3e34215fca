/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Configuration of congestion control for a network and a traffic class, and the constants
 * derived from it when a context is created and when a link changes its speed, so that
 * processing an ACK needs no division.
 *
 * Implements UE 1.0.1 3.6.13, Tables 3-76 and 3-77.  Level: core L3.
 */
#ifndef UET_CORE_CC_PARAM_H
#define UET_CORE_CC_PARAM_H

#include "core/shim.h"

/* Largest BDP, bytes: 800 Gb/s at 384 us, 307 Mb/s at 1 s. */
#define UET_CC_BDP_MAX	38400000U

/* Default of cc-base-rtt, ns: a guess, while an administrator knows the network. */
#define UET_CC_BASE_RTT_GUESS	100000

/* Limit of the bytes in flight. */
enum uet_cc_window {
	UET_WINDOW_NONE,	/* no limit */
	UET_WINDOW_CONST,	/* a window that never changes */
	UET_WINDOW_NSCC,	/* a window that follows delay and marks */
	UET_WINDOW_NR,
};

/* Second condition for sending. */
enum uet_cc_grant {
	UET_GRANT_NONE,		/* none */
	UET_GRANT_RCCC,		/* credit paced by the destination */
	UET_GRANT_NR,
};

/*
 * Behaviour of the public simulator htsim that deviates from the specification, one bit each,
 * so that a difference between the two can be attributed to its cause.
 */
enum uet_cc_htsim {
	UET_HTSIM_NO_SAMPLE	= BIT(0),  /* without sample: average instead */
	UET_HTSIM_QA_AFTER	= BIT(1),  /* quick adapt when now > end */
	UET_HTSIM_LASTHOP_QA	= BIT(2),  /* a last-hop trim runs quick adapt */
	UET_HTSIM_NACK_LATE	= BIT(3),  /* quick adapt, then inflight falls */
	UET_HTSIM_CLAMP		= BIT(4),  /* each ACK clamps the window */
	UET_HTSIM_MSS		= BIT(5),  /* gains use MTU - 64 */
	UET_HTSIM_SACK_LOSS	= BIT(6),  /* only time-outs cut the window */
	UET_HTSIM_FILTER	= BIT(7),  /* average delay by ACKs, not time */
	UET_HTSIM_NO_PROBE	= BIT(8),  /* base RTT from data only */
	UET_HTSIM_ALL		= GENMASK(8, 0),

	/* Default; choices.rst gives the reason. */
	UET_HTSIM_DEFAULT	= UET_HTSIM_NO_SAMPLE | UET_HTSIM_SACK_LOSS,
};

/*
 * struct uet_cc_cfg - configuration of congestion control (UE 1.0.1 Table 3-76, and additions)
 * @shares_start: the first window of a context is its share of all contexts of this end with
 *	data to send, not the largest window
 * @has_quick_adapt: NSCC may shrink the window to the amount that arrived
 * @adapts: NSCC learns what @base_rtt_ns and @has_trim do not say of the network, see
 *	congestion.rst
 * @rate_mbps: the lower line rate of the two ends, all ports, Mb/s
 * @base_rtt_ns: round trip of a full packet on the longest path, no queues; with @adapts a
 *	longer one is measured
 * @mtu: nominal size of a full packet, bytes
 * @target_ns: target queueing delay; 0: 0.75 or 1 x @base_rtt_ns
 * @near_zero_ns: delay that counts as zero; 0: the larger of 1 us and @base_rtt_ns / 16
 * @drop_bdp: BDPs after which a switch that does not trim drops; 0: 5
 * @ack_gen_trigger: bytes the destination coalesces into one ACK; 0: 16384
 * @burst: most bytes that the sender hands to the network at once; 0: one packet
 * @cwnd: window of UET_WINDOW_CONST, bytes; 0: the largest window
 * @base_window_ns: validity of the least round trip; 0: unlimited
 * @idle_ns: idle time after which a context restarts as new; 0: never
 */
struct uet_cc_cfg {
	u8 window;
	u8 grant;
	bool has_trim;
	bool shares_start;
	bool has_quick_adapt;
	bool adapts;
	u32 rate_mbps;
	u32 base_rtt_ns;
	u32 mtu;
	u32 target_ns;
	u32 near_zero_ns;
	u32 drop_bdp;
	u32 ack_gen_trigger;
	u32 burst;
	u32 cwnd;
	u64 base_window_ns;
	u64 idle_ns;
	u32 htsim;
};

/*
 * struct uet_cc_param - constants derived from a struct uet_cc_cfg (UE 1.0.1 Table 3-77)
 * @cfg: zeros replaced by defaults
 * @bdp: bandwidth-delay product of the empty network, bytes
 * @burst: most bytes that leave at once: @cfg.burst, or what the line carries in 60 us
 * @max_wnd: initial and largest window, uet_cc_max_window(), bytes
 * @alpha: gain of the proportional increase, bytes per ns, Q16
 * @fi: fair increase per window, bytes
 * @fi_scale: part of the acknowledged bytes that fast increase adds, Q16
 * @eta: bytes added each @adjust_period_ns, Q8
 * @adjust_bytes: received bytes after which increases are applied
 * @qa_threshold_ns: delay that triggers quick adapt
 */
struct uet_cc_param {
	struct uet_cc_cfg cfg;
	bool has_target;
	bool has_near_zero;
	u32 bdp;
	u32 burst;
	u32 max_wnd;
	u32 alpha;
	u32 fi;
	u32 fi_scale;
	u32 eta;
	u32 adjust_bytes;
	u32 adjust_period_ns;
	u64 qa_threshold_ns;
};

void uet_cc_cfg_init(struct uet_cc_cfg *cfg);
const char *uet_cc_derive(struct uet_cc_param *param, const struct uet_cc_cfg *cfg);
const char *uet_cc_set_rate(struct uet_cc_param *param, u32 rate_mbps);
void uet_cc_scale(struct uet_cc_param *param, const struct uet_cc_param *network,
		  u32 base_rtt_ns);
u32 uet_cc_bytes(u32 rate_mbps, u32 ns);

/* Only delays, losses and marks tell a context that adapts of congestion. */
static inline bool uet_cc_can_be_blind(const struct uet_cc_cfg *cfg)
{
	return cfg->adapts && !cfg->has_trim;
}

u32 uet_cc_max_window(const struct uet_cc_param *param, u32 bdp);

#endif /* UET_CORE_CC_PARAM_H */
