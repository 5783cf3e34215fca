/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RCCC at the destination: one pacer per FEP and rail hands out credit at close to
 * the rate of its link, to all sources that have demand in turn.  What it grants is
 * a function of the time that went by and of who is waiting: it has no timer of its
 * own, and may be run as rarely as its owner likes.
 *
 * Implements UE 1.0.1 3.6.14, as choices.rst reads it.
 * Level: core L3.
 *
 * Locking: the caller serialises per struct uet_pacer; its flows are under the same
 * lock, whichever PDC or context they belong to.
 */
#ifndef UET_CORE_CC_PACER_H
#define UET_CORE_CC_PACER_H

#include "cc_pkt.h"
#include "core/shim.h"

/* On which list of its pacer a source is. */
enum uet_pacer_list {
	UET_PACER_OFF,		/* none */
	UET_PACER_ACTIVE,	/* it has demand */
	UET_PACER_SATED,	/* it has none, and gets credit beforehand */
};

/**
 * struct uet_pacer_flow - one source: a congestion control context at its end
 * @link: in a list of its pacer, by @list
 * @owed: in the list of those whose credit is to be told, or empty
 * @target: highest credit_target heard, 24 bits
 * @granted: credit granted since the beginning, 24 bits
 * @list: enum uet_pacer_list
 */
struct uet_pacer_flow {
	struct list_head link;
	struct list_head owed;
	u32 target;
	u32 granted;
	u8 list;
};

/**
 * struct uet_pacer - credit of one link
 * @active: sources with demand, next first
 * @satisfied: sources without, next first
 * @owed: sources whose credit changed since it was told
 * @rate_mbps: of the link, all ports together
 * @mtu: nominal size of a full packet; a turn is worth four of them
 * @ahead: units that may be granted beyond demand, 1.5 BDP
 * @at: until when time was turned into @budget, ns
 * @budget: what may be granted, in bytes x 8000000; negative: granted too early
 * @base_rtt_ns: base RTT
 * @lag_ns: of the time that went by, so much is made up for at most
 * @grants: turns that granted something
 */
struct uet_pacer {
	struct list_head active;
	struct list_head satisfied;
	struct list_head owed;
	u32 rate_mbps;
	u32 mtu;
	u32 ahead;
	u64 at;
	s64 budget;
	u32 base_rtt_ns;
	u64 lag_ns;
	u64 grants;
};

void uet_pacer_init(struct uet_pacer *pacer, u32 rate_mbps, u32 base_rtt_ns,
		    u32 mtu, u64 now);
void uet_pacer_set_rate(struct uet_pacer *pacer, u32 rate_mbps, u64 now);

void uet_pacer_flow_init(struct uet_pacer_flow *flow);
void uet_pacer_demand(struct uet_pacer *pacer, struct uet_pacer_flow *flow,
		      u32 target, bool was_trimmed, u64 now);
void uet_pacer_request(struct uet_pacer *pacer, struct uet_pacer_flow *flow,
		       u32 target, u64 now);
void uet_pacer_leave(struct uet_pacer *pacer, struct uet_pacer_flow *flow);

void uet_pacer_run(struct uet_pacer *pacer, u64 now);
struct uet_pacer_flow *uet_pacer_poll(struct uet_pacer *pacer, u32 *credit);
u64 uet_pacer_deadline(const struct uet_pacer *pacer);

#endif /* UET_CORE_CC_PACER_H */
