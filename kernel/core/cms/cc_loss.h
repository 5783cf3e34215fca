/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What congestion control infers about loss before a time-out does: from how much
 * arrived out of order, from the order of packets on one path, and from Probes.
 * It names PSNs and packets; that they are taken for lost the PDC says, by
 * uet_ccc_loss().
 *
 * Implements UE 1.0.1 3.5.15 (loss detection) as choices.rst reads it.
 * Level: core L3.
 *
 * Locking: the caller serialises per PDC.
 */
#ifndef UET_CORE_CC_LOSS_H
#define UET_CORE_CC_LOSS_H

#include "ccc.h"

/**
 * struct uet_cc_ooo - recovery of one PDC
 * @recovers: packets are being sent again
 * @end: first PSN not sent when it began
 * @next: first PSN not judged yet
 */
struct uet_cc_ooo {
	bool recovers;
	u32 end;
	u32 next;
};

/**
 * struct uet_ev_order - what arrived by one path, of a context
 * @newer: when the latest packet that arrived was sent, ns
 * @older: the one before that
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
