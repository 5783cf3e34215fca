/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What congestion control is told about a network and a class of traffic, and the
 * constants that follow from it.  They are derived when a context is made and when
 * a link changes its speed, so that an ACK costs no division.
 *
 * Implements UE 1.0.1 3.6.13, Tables 3-76 and 3-77 (configuration and derived
 * constants of NSCC), and what RCCC and TFC are configured with.
 * Level: core L3.
 */
#ifndef UET_CORE_CC_PARAM_H
#define UET_CORE_CC_PARAM_H

#include "core/shim.h"

/* How the bytes in flight are limited. */
enum uet_cc_window {
	UET_WINDOW_NONE,	/* they are not */
	UET_WINDOW_CONST,	/* by a window that never changes */
	UET_WINDOW_NSCC,	/* by one that follows delay and marks */
	UET_WINDOW_NR,
};

/* What else must be held before anything is sent. */
enum uet_cc_grant {
	UET_GRANT_NONE,		/* nothing */
	UET_GRANT_RCCC,		/* credit paced by the destination */
	UET_GRANT_TFC,		/* buffer cells of the destination */
	UET_GRANT_NR,
};

/*
 * Ways of the public simulator that are not those of the specification, one by
 * one, so that a difference between the two can be attributed.  The module uses
 * UET_HTSIM_DEFAULT only; the gates of tools/fabric compare UET_HTSIM_ALL with
 * figures of htsim.
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

	/* What is used unless somebody says otherwise; choices.rst has why. */
	UET_HTSIM_DEFAULT	= UET_HTSIM_NO_SAMPLE,
};

/**
 * struct uet_cc_cfg - what is known about the network and wanted from it
 * @window: UET_WINDOW_*
 * @grant: UET_GRANT_*; UET_GRANT_TFC stands alone
 * @has_trim: switches trim
 * @has_quick_adapt: NSCC may jump down to what arrived
 * @rate_mbps: the lower line rate of both ends, all ports, Mb/s
 * @base_rtt_ns: round trip of a full packet on the longest path, no queues
 * @mtu: nominal size of a full packet, bytes
 * @target_ns: queueing delay aimed at; 0: 0.75 or 1 x @base_rtt_ns
 * @near_zero_ns: delay that counts as none; 0: the larger of 1 us and
 *	@base_rtt_ns / 16
 * @drop_bdp: BDPs after which a switch that does not trim drops; 0: 5
 * @ack_gen_trigger: bytes the destination coalesces into one ACK; 0: 16384
 * @cwnd: window of UET_WINDOW_CONST, bytes; 0: 1.5 BDP
 * @base_window_ns: for how long the least round trip is believed; 0: for ever
 * @idle_ns: a context idle for that long starts as a new one; 0: never
 * @htsim: UET_HTSIM_*
 * @tfc_cell: bytes per cell of TFC; 0: 256
 * @tfc_overhead: bytes that a packet takes there besides its own
 *
 * Spec: UE 1.0.1 Table 3-76; @near_zero_ns, @base_window_ns and @idle_ns are ours.
 */
struct uet_cc_cfg {
	u8 window;
	u8 grant;
	bool has_trim;
	bool has_quick_adapt;
	u32 rate_mbps;
	u32 base_rtt_ns;
	u32 mtu;
	u32 target_ns;
	u32 near_zero_ns;
	u32 drop_bdp;
	u32 ack_gen_trigger;
	u32 cwnd;
	u64 base_window_ns;
	u64 idle_ns;
	u32 htsim;
	u32 tfc_cell;
	u32 tfc_overhead;
};

/**
 * struct uet_cc_param - constants derived from a struct uet_cc_cfg
 * @cfg: what they are derived from, zeros replaced by what they stand for
 * @bdp: bytes on the way in an empty network
 * @max_wnd: initial and largest window, 1.5 BDP, bytes
 * @alpha: gain of the proportional increase, bytes per ns, Q16
 * @fi: fair increase per window, bytes
 * @fi_scale: part of the acknowledged bytes that fast increase adds, Q16
 * @eta: bytes added each @adjust_period_ns, Q8
 * @adjust_bytes: received bytes after which increases are applied
 * @adjust_period_ns: time after which they are
 * @qa_threshold_ns: delay that triggers quick adapt
 *
 * Spec: UE 1.0.1 Table 3-77.
 */
struct uet_cc_param {
	struct uet_cc_cfg cfg;
	u32 bdp;
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
const char *uet_cc_derive(struct uet_cc_param *param,
			  const struct uet_cc_cfg *cfg);
u32 uet_cc_bytes(u32 rate_mbps, u32 ns);

#endif /* UET_CORE_CC_PARAM_H */
