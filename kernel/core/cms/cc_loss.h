/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Loss inference of congestion control ahead of the RTO: from the amount of data that
 * arrived out of order, from the order of packets on one path, and from Probes.  The
 * functions name PSNs and packets; the PDC marks them lost by uet_ccc_loss().
 *
 * Implements UE 1.0.1 3.5.15 (loss detection) as interpreted in choices.rst.
 * Level: core L3.
 *
 * Locking: the caller serialises per PDC.
 */
#ifndef UET_CORE_CC_LOSS_H
#define UET_CORE_CC_LOSS_H

#include "ccc.h"

/**
 * struct uet_cc_ooo - recovery state of one PDC
 * @recovers: lost packets are being retransmitted
 * @end: first PSN not yet sent when the recovery started
 * @next: first PSN not yet examined
 */
struct uet_cc_ooo {
	bool recovers;
	u32 end;
	u32 next;
};

/**
 * struct uet_ev_order - arrivals on one path of a context
 * @newer: send time of the latest-sent packet that arrived, ns
 * @older: send time of the second-latest packet, ns
 */
struct uet_ev_order {
	u64 newer;
	u64 older;
};

u32 uet_cc_ooo_limit(const struct uet_ccc *ccc);
bool uet_cc_ooo_ack(struct uet_cc_ooo *ooo, const struct uet_ccc *ccc,
		    u32 base, u32 end, u32 ooo_pkts, u32 *from, u32 *to);
void uet_cc_ooo_force(struct uet_cc_ooo *ooo, u32 base, u32 end);

void uet_ev_order_arrived(struct uet_ev_order *order,
			  const struct uet_cc_pkt *pkt);
bool uet_ev_order_is_lost(const struct uet_ev_order *order,
			  const struct uet_cc_pkt *pkt, u32 guard_ns);

u64 uet_cc_probe_at(const struct uet_ccc *ccc, bool is_repeated, u64 now);
u64 uet_cc_rto_ns(const struct uet_cc_param *param);

#endif /* UET_CORE_CC_LOSS_H */
