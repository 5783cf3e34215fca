/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RCCC at the destination: one pacer per FEP and rail grants credit at close to the rate of its
 * link to all sources with demand, in turns of a quantum, or of as many bytes as the owner
 * sets.  The grants depend only on the elapsed time and on the waiting sources: the owner may
 * run it at any interval.
 *
 * The caller serialises per struct uet_pacer, with the flows of the pacer, regardless of their
 * PDC or context.
 *
 * Implements UE 1.0.1 3.6.14, as interpreted in choices.rst.  Level: core L3.
 */
#ifndef UET_CORE_CC_PACER_H
#define UET_CORE_CC_PACER_H

#include "cc_pkt.h"
#include "core/shim.h"

/* The list of its pacer that a source is on. */
enum uet_pacer_list {
	UET_PACER_OFF,		/* no list */
	UET_PACER_ACTIVE,	/* the source has demand */
	UET_PACER_SATED,	/* no demand; receives credit in advance */
};

/*
 * struct uet_pacer_flow - one source: a congestion control context of a peer
 * @link: entry in the list of the pacer that @list names
 * @pending: entry in the list of sources whose credit must be advertised, or empty
 * @target: highest credit_target received, 24 bits
 * @granted: credit granted since the start, 24 bits
 * @turn: number of its turn; sources with demand are served in this order
 * @run: units left of its turn
 */
struct uet_pacer_flow {
	struct list_head link;
	struct list_head pending;
	u32 target;
	u32 granted;
	u32 turn;
	u32 run;
	u8 list;
};

/*
 * struct uet_pacer - credit of one link
 * @active: sources with demand, in the order of their turns
 * @satisfied: sources without demand, in round-robin order
 * @pending: sources whose credit changed since it was advertised
 * @rate_mbps: rate of the link, all ports together, Mb/s
 * @permille: granted part of @rate_mbps, thousandths
 * @mtu: nominal size of a full packet, bytes; a quantum is four full packets
 * @run: units that a source is granted in a turn
 * @ahead: units that may be granted beyond demand, 1.5 BDP
 * @at: time up to which elapsed time was added to @budget, ns
 * @budget: bytes x 8000000 that may be granted; negative: granted too early
 * @lag_ns: maximum elapsed time that is made up for
 */
struct uet_pacer {
	struct list_head active;
	struct list_head satisfied;
	struct list_head pending;
	u32 rate_mbps;
	u16 permille;
	u32 mtu;
	u32 run;
	u32 turn;
	u32 ahead;
	u64 at;
	s64 budget;
	u32 base_rtt_ns;
	u64 lag_ns;
	u64 grants;
};

void uet_pacer_init(struct uet_pacer *pacer, u32 rate_mbps, u32 base_rtt_ns, u32 mtu, u64 now);
void uet_pacer_set_share(struct uet_pacer *pacer, u16 permille, u64 now);
void uet_pacer_set_run(struct uet_pacer *pacer, u32 bytes);
void uet_pacer_set_rate(struct uet_pacer *pacer, u32 rate_mbps, u64 now);

void uet_pacer_flow_init(struct uet_pacer_flow *flow);
void uet_pacer_demand(struct uet_pacer *pacer, struct uet_pacer_flow *flow,
		      u32 target, bool was_trimmed, u64 now);
void uet_pacer_request(struct uet_pacer *pacer, struct uet_pacer_flow *flow, u32 target, u64 now);
void uet_pacer_leave(struct uet_pacer *pacer, struct uet_pacer_flow *flow);

void uet_pacer_run(struct uet_pacer *pacer, u64 now);
struct uet_pacer_flow *uet_pacer_poll(struct uet_pacer *pacer, u32 *credit);
u64 uet_pacer_deadline(const struct uet_pacer *pacer);

#endif /* UET_CORE_CC_PACER_H */
