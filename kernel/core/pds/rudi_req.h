/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The inside of the initiator of RUDI, shared by rudi_req*.c and nobody else.
 * A request has a pkt_id, a time-out with its own back-off, and limits on how
 * often it is sent again; nothing that happens to one says anything about
 * another, except the round trip time.
 *
 * A request is always on one list, by its state.  Those that wait for time are
 * on a list for each length of the wait, in the order in which they began to
 * wait, so that only the first of each list can be due.
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

/* Lengths of a wait that are told apart: one for each time-out there can be. */
#define UET_RUDI_LEVELS		(UET_RUDI_RTO_RETX_MAX + 1)

/* Where a request stands; each state is a list, or one for each level. */
enum uet_rudi_state {
	UET_RUDI_FREE,	/* no request */
	UET_RUDI_FRESH,	/* never sent */
	UET_RUDI_AGAIN,	/* to be sent again now */
	UET_RUDI_SENT,	/* waits for its answer; by time-outs so far */
	UET_RUDI_HELD,	/* refused, waits to be sent again; by refusals */
	UET_RUDI_DONE,	/* its outcome is to be reported */
	UET_RUDI_STATES,
};

/**
 * struct uet_rudi_slot - a request, from admission to report
 * @link: in the list of its @state
 * @pkt: what SES handed down
 * @rsp: DONE: its response
 * @since_ns: SENT: time of the latest transmission; HELD: of the refusal
 * @id: its pkt_id; FREE: that of the next request here
 * @state: enum uet_rudi_state
 * @sends: transmissions so far, saturating
 * @rtos: time-outs so far, the level of SENT
 * @nacks: NACKs that cost a transmission, saturating
 * @error: DONE: why it failed, enum uet_pdc_error; 0: it was answered
 * @nack_code: DONE: with an error that a NACK caused
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

/**
 * struct uet_rudi_peer - RUDI requests to one peer
 * @cfg: parameters, fixed
 * @ev: entropy of requests, a new value for each transmission
 * @list: by state; SENT and HELD are in @sent and @held
 * @sent: state SENT by level, in the order of transmission
 * @held: state HELD by level, in the order of refusal
 * @nr: slots by state
 * @rtt: round trips
 * @stats: counters
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

/**
 * uet_rudi_slot() - the place of a request
 * @rudi: requests to a peer
 * @id: any pkt_id
 *
 * Context: Any; the caller serialises per @rudi.
 * Return: the slot, never NULL; it may hold another request or none.
 */
static inline struct uet_rudi_slot *uet_rudi_slot(struct uet_rudi_peer *rudi,
						  u32 id)
{
	return &rudi->slots[id & (rudi->cfg.window - 1U)];
}

/**
 * uet_rudi_nack_level() - how often was a request refused?
 * @slot: its slot
 *
 * Context: Any.
 * Return: level of its pause, 0..UET_RUDI_LEVELS - 1.
 */
static inline u32 uet_rudi_nack_level(const struct uet_rudi_slot *slot)
{
	return clamp_t(u32, slot->nacks, 1, UET_RUDI_LEVELS) - 1;
}

/* rudi_req.c */
u64 uet_rudi_rto(const struct uet_rudi_peer *rudi, u32 level);
void uet_rudi_move(struct uet_rudi_peer *rudi, struct uet_rudi_slot *slot,
		   enum uet_rudi_state state);
void uet_rudi_fail(struct uet_rudi_peer *rudi, struct uet_rudi_slot *slot,
		   enum uet_pdc_error error, u8 nack_code);

#endif /* UET_CORE_RUDI_REQ_H */
