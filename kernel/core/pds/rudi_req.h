/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The private structures of the initiator of RUDI.  A request has a pkt_id, a time-out with
 * its own back-off, and retransmission limits.  Requests are independent of each other,
 * except for the round trip time.
 *
 * A request is always on one list, selected by its state.  Requests that wait for time are on
 * one list per length of the wait, in the order in which their wait started, so that only the
 * first of each list can be due.
 *
 * Implements UE 1.0.1 3.5.10.9, 3.5.12.7, 3.5.15.  Level: core L4, private.
 */
#ifndef UET_CORE_RUDI_REQ_H
#define UET_CORE_RUDI_REQ_H

#include "rudi.h"
#include "core/cms/ev.h"
#include "core/cms/rtt.h"

/* Limits of UE 1.0.1 Table 3-28. */
#define UET_RUDI_RTO_RETX_MAX	15
#define UET_RUDI_NACK_RETX_MAX	31

/* Distinct lengths of a wait: one per possible time-out of a request. */
#define UET_RUDI_LEVELS		(UET_RUDI_RTO_RETX_MAX + 1)

/* State of a request.  Each state has one list; SENT and HELD have one per level. */
enum uet_rudi_state {
	UET_RUDI_FREE,	/* no request */
	UET_RUDI_FRESH,	/* never sent */
	UET_RUDI_AGAIN,	/* to be retransmitted now */
	UET_RUDI_SENT,	/* waits for its answer; lists by time-outs so far */
	UET_RUDI_HELD,	/* refused, waits for retransmission; lists by refusals so far */
	UET_RUDI_DONE,	/* outcome to be reported */
	UET_RUDI_STATES,
};

/*
 * struct uet_rudi_slot - a request, from admission to report
 * @since_ns: SENT: time of the latest transmission; HELD: time of the refusal
 * @id: pkt_id; FREE: pkt_id of the next request in this slot
 * @state: enum uet_rudi_state
 * @rtos: time-outs so far, the level of SENT
 * @nacks: NACKs that required a retransmission, saturating
 * @error: DONE: why the request failed, enum uet_pdc_error; 0: it was answered
 * @nack_code: DONE: code of the NACK that caused @error
 */
struct uet_rudi_slot {
	struct list_head link;
	struct uet_pds_pkt pkt;
	struct uet_ses_rsp rsp;
	u64 since_ns;
	u32 id;
	u8 state;
	u8 sends;
	u8 rtos;
	u8 nacks;
	u8 error;
	u8 nack_code;
};

/*
 * struct uet_rudi_peer - RUDI requests to one peer
 * @ev: entropy source of the requests; each transmission takes a new value
 * @list: requests by state; SENT and HELD are in @sent and @held
 * @sent: state SENT by level, in the order of transmission
 * @held: state HELD by level, in the order of refusal
 * @slots: at pkt_id modulo the window
 *
 * Lists point into the block of uet_rudi_size() bytes: it must not move.
 */
struct uet_rudi_peer {
	struct uet_rudi_cfg cfg;
	struct uet_ev ev;
	struct list_head list[UET_RUDI_STATES];
	struct list_head sent[UET_RUDI_LEVELS];
	struct list_head held[UET_RUDI_LEVELS];
	u16 nr[UET_RUDI_STATES];
	struct uet_rtt rtt;
	struct uet_rudi_stats stats;
	struct uet_rudi_slot slots[];
};

/* The slot of a request, which may hold another request or none. */
static inline struct uet_rudi_slot *uet_rudi_slot(struct uet_rudi_peer *rudi, u32 id)
{
	return &rudi->slots[id & (rudi->cfg.window - 1U)];
}

/* The pause level of a refused request, 0..UET_RUDI_LEVELS - 1. */
static inline u32 uet_rudi_nack_level(const struct uet_rudi_slot *slot)
{
	return clamp_t(u32, slot->nacks, 1, UET_RUDI_LEVELS) - 1;
}

#endif /* UET_CORE_RUDI_REQ_H */
