/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The congestion control context: all PDCs from one FEP to another in one traffic
 * class share it.  It counts what waits and what is in flight, leads each event
 * through its algorithms in the order of the specification, and says whether a
 * packet may be sent, on which path, and what its header tells the destination.
 * It has up to two algorithms, and a send needs the consent of both: a window
 * (cc_const.c, cc_nscc.c) and a grant (cc_rccc.c, cc_tfc.c).  Time and random
 * numbers are arguments; it owns no packet, no timer and no list.
 *
 * A PDC keeps a struct uet_cc_pkt per PSN.  Of each ACK it first collects in a
 * struct uet_cc_ack what became of its packets, then reports that once.
 *
 * Implements UE 1.0.1 3.6.12 (context, events, states).
 * Level: core L3.
 *
 * Locking: the caller serialises per struct uet_ccc, by @lock of it where PDCs that
 * share it have locks of their own: it is taken inside those.  The entropy selector
 * belongs to the context and is under the same lock.
 */
#ifndef UET_CORE_CCC_H
#define UET_CORE_CCC_H

#include "cc_param.h"
#include "cc_pkt.h"
#include "ev_sel.h"

struct uet_ccc;

/* States, UE 1.0.1 3.6.12.3. */
enum uet_ccc_state {
	UET_CCC_IDLE,		/* nothing to send, nothing in flight */
	UET_CCC_ACTIVE,		/* something to send, but it may not be */
	UET_CCC_READY,		/* something to send now: to be scheduled */
	UET_CCC_PENDING,	/* nothing to send, something in flight */
};

/* Why a packet is taken for lost. */
enum uet_cc_loss {
	UET_CC_LOSS_RTO,	/* its time ran out */
	UET_CC_LOSS_SACK,	/* later ones arrived, too many of them */
	UET_CC_LOSS_EV,		/* a later one arrived by the same path */
	UET_CC_LOSS_PROBE,	/* a Probe was faster, and nothing queues */
};

/* What a context wants sent besides data; see uet_ccc_poll_cp(). */
enum uet_cc_cp {
	UET_CC_CP_NONE,
	UET_CC_CP_PROBE,	/* control class: to learn the base RTT */
	UET_CC_CP_CREDIT_REQUEST, /* there is demand and no credit */
};

/**
 * struct uet_cc_ack - what one ACK says, as its PDC works it out
 * @acked_pkts: packets in flight that it acknowledges; uet_cc_ack_pkt()
 * @found_pkts: packets that waited for retransmission, acknowledged after all
 * @found_bytes: their nominal sizes
 * @new_bytes: newly received bytes, uet_cc_rcvd_new()
 * @rtt_ns: round trip of the packet it names, uet_cc_sample(); 0: no sample
 * @ev: entropy value of the packet it names
 * @has_ev: @ev is known
 * @is_marked: M: that packet arrived with congestion experienced
 * @has_credit: @credit is there, cc_type CREDIT
 * @restore_cwnd: rc
 * @cwnd_pend: rcv_cwnd_pend, 0..127
 * @credit: 24 bits
 */
struct uet_cc_ack {
	u32 acked_pkts;
	u32 found_pkts;
	u32 found_bytes;
	u32 new_bytes;
	u64 rtt_ns;
	u16 ev;
	bool has_ev;
	bool is_marked;
	bool has_credit;
	bool restore_cwnd;
	u8 cwnd_pend;
	u32 credit;
};

/**
 * struct uet_cc_nack - what one NACK says
 * @rtt_ns: round trip, uet_cc_sample(); 0: no sample
 * @ev: entropy value of the packet that it refuses
 * @has_ev: @ev is known
 * @is_marked: M
 * @code: enum uet_nack_code
 */
struct uet_cc_nack {
	u64 rtt_ns;
	u16 ev;
	bool has_ev;
	bool is_marked;
	u8 code;
};

/**
 * struct uet_cc_send - how a packet is to be sent
 * @ev: entropy value
 * @wants_ack: AR is to be set
 * @has_target: header with CC state, RUD_CC_REQ or ROD_CC_REQ
 * @credit_target: its credit_target, 24 bits
 */
struct uet_cc_send {
	u16 ev;
	bool wants_ack;
	bool has_target;
	u32 credit_target;
};

/**
 * struct uet_nscc - state of NSCC, besides window and bytes in flight
 * @saved_cwnd: window before the destination asked for less, 0: it did not
 * @base_ns: least round trip
 * @max_wnd: 1.5 BDP at @base_ns
 * @base_min: least round trips of this and of the last window of time
 * @base_since: begin of this window of time
 * @avg_ns: average delay, Q6
 * @avg_at: when it was fed last
 * @avg_weight: of a sample per ns since the one before, Q32
 * @eta_rest: part of a byte left over, Q8
 * @achieved_bytes: acknowledged since quick adapt looked last
 * @received_bytes: acknowledged since increases were applied
 * @fi_count: bytes acknowledged in a row without delay
 * @bytes_to_ignore: that were in flight when quick adapt cut
 * @bytes_ignored: acknowledged of these
 * @inc_bytes: increase not applied yet, times window
 * @qa_end: when quick adapt looks next, 0: not armed
 * @last_adjust: when the window grew by eta last
 * @last_dec: when it was decreased last
 * @is_fast: fast increase is on
 * @trigger_qa: a trim asked for quick adapt
 * @has_probed: a Probe was asked for, or answered
 *
 * Spec: UE 1.0.1 Table 3-78.
 */
struct uet_nscc {
	u64 saved_cwnd;
	u32 base_ns;
	u32 max_wnd;
	u32 base_min[2];
	u64 base_since;
	s64 avg_ns;
	u64 avg_at;
	u32 avg_weight;
	u32 eta_rest;
	u64 achieved_bytes;
	u64 received_bytes;
	u64 fi_count;
	s64 bytes_to_ignore;
	s64 bytes_ignored;
	u64 inc_bytes;
	u64 qa_end;
	u64 last_adjust;
	u64 last_dec;
	bool is_fast;
	bool trigger_qa;
	bool has_probed;
};

/**
 * struct uet_rccc - state of RCCC at the source
 * @credit: bytes that may be sent; negative by less than a packet
 * @pull: latest cumulative grant, 24 bits, units of 256 bytes
 * @target: credit_target said last
 * @said_at: when @target was said, or credit came
 * @wait_ns: how long the latest credit that was waited for took since then
 * @tries: Credit Requests in a row that brought nothing new
 * @silent: Credit Requests in a row that nothing answered
 * @speculates: the first window goes out unasked
 * @wants_request: a Credit Request is owed
 * @is_unpaced: the destination does not answer, so a window is all that limits
 */
struct uet_rccc {
	s64 credit;
	u32 pull;
	u32 target;
	u64 said_at;
	u64 wait_ns;
	u8 tries;
	u8 silent;
	bool speculates;
	bool wants_request;
	bool is_unpaced;
};

/**
 * struct uet_tfc - state of TFC at the source
 * @advertised: cells granted since the beginning, 24 bits
 * @consumed: cells used, 24 bits
 */
struct uet_tfc {
	u32 advertised;
	u32 consumed;
};

/**
 * struct uet_cc_stats - what happened to a context
 * @acks: ACKs
 * @marked: of these, marked
 * @samples: round trips measured
 * @trims: NACKs for packets trimmed before the last hop
 * @trims_lasthop: and at the last hop
 * @nacks: NACKs for other reasons
 * @losses: packets taken for lost
 * @found: of these, acknowledged after all
 * @decreases: multiplicative decreases
 * @quick_adapts: jumps to what arrived
 * @fast_increases: ACKs that made the window grow fast
 * @credits: grants that told something new
 * @pends: ACKs by which the destination asked for less
 * @throttled: times that it was held, uet_ccc_hold()
 * @credit_requests: Credit Requests sent
 */
struct uet_cc_stats {
	u32 acks;
	u32 marked;
	u32 samples;
	u32 trims;
	u32 trims_lasthop;
	u32 nacks;
	u32 losses;
	u32 found;
	u32 decreases;
	u32 quick_adapts;
	u32 fast_increases;
	u32 credits;
	u32 pends;
	u32 throttled;
	u32 credit_requests;
};

/**
 * struct uet_cc_ops - one algorithm
 * @name: as an administrator writes it
 * @init: start; the context is set up but for this algorithm; required
 * @on_ack: an ACK
 * @on_nack: a NACK for a packet in flight
 * @on_loss: a packet in flight is taken for lost, by enum uet_cc_loss
 * @on_send: a packet of this nominal size leaves
 * @on_new_data: there is more to send
 * @on_credit: a credit value arrived, 24 bits
 * @on_probe: a Probe was answered after that round trip; true if nothing queues
 * @can_send: may a packet be sent?  required
 * @wants_ack: must the packet just sent be acknowledged at once?
 * @tell: fill what only this algorithm says of the packet just sent
 * @poll_cp: a control packet that is owed, and its credit_target
 * @deadline: when to poll for one, ns; U64_MAX: never; grants only
 * @retune: the constants of the network have changed
 * @wake: the context leaves IDLE, where it was for so many ns
 *
 * Bytes and packets are counted by ccc.c: bytes in flight have fallen when @on_ack
 * is called, and risen when @on_send is.
 *
 * All are called by ccc.c only, under the lock of the context.  An optional one
 * that is NULL does nothing.
 */
struct uet_cc_ops {
	const char *name;
	void (*init)(struct uet_ccc *ccc, u64 now);
	void (*on_ack)(struct uet_ccc *ccc, const struct uet_cc_ack *ack,
		       u64 now);
	void (*on_nack)(struct uet_ccc *ccc, const struct uet_cc_pkt *pkt,
			const struct uet_cc_nack *nack, u64 now);
	void (*on_loss)(struct uet_ccc *ccc, const struct uet_cc_pkt *pkt,
			enum uet_cc_loss why, u64 now);
	void (*on_send)(struct uet_ccc *ccc, u32 size, u64 now);
	void (*on_new_data)(struct uet_ccc *ccc, u64 now);
	void (*on_credit)(struct uet_ccc *ccc, u32 credit, u64 now);
	bool (*on_probe)(struct uet_ccc *ccc, u64 rtt_ns, u64 now);
	bool (*can_send)(const struct uet_ccc *ccc);
	bool (*wants_ack)(const struct uet_ccc *ccc);
	void (*tell)(struct uet_ccc *ccc, struct uet_cc_send *send);
	enum uet_cc_cp (*poll_cp)(struct uet_ccc *ccc, u64 now, u32 *target);
	u64 (*deadline)(const struct uet_ccc *ccc);
	void (*retune)(struct uet_ccc *ccc);
	void (*wake)(struct uet_ccc *ccc, u64 idle_ns, u64 now);
};

/**
 * struct uet_ccc - one direction between two FEPs in one traffic class
 * @lock: protects all but the constants; taken by pdc_cc.c
 * @param: what is known of the network; its owner changes it under @lock, with
 *	uet_ccc_retune()
 * @window: algorithm that limits the bytes in flight, or NULL
 * @grant: algorithm that needs leave of the destination, or NULL
 * @ev: selector of entropy values, or NULL: the caller chooses
 * @state: enum uet_ccc_state; read-only for callers
 * @id: ccc_id of the wire, the caller's
 * @pend: rcv_cwnd_pend of the newest ACK, 0..127; read-only for callers
 * @free_ports: ports of @ev that take a packet now, a bit each; 0: all; the
 *	caller's
 * @sharers: contexts of this FEP that have something to send, RCCC divides its
 *	demand among them; 0 and 1 are alike; the caller's
 * @nr_waiting: PDCs that the owner will give a turn, see uet_pdc_cc_give_quantum(); others
 *	do not send meanwhile; the caller's
 * @backlog: nominal bytes not sent yet, of all PDCs
 * @rtx_backlog: nominal bytes that wait to be sent again
 * @waiting_rtx: packets that do
 * @inflight_pkts: packets sent and neither acknowledged nor refused nor lost
 * @idle_epochs: how often there was none left, and @inflight began anew
 * @idle_since: when the state became IDLE
 * @is_held: nothing is to be sent for now, uet_ccc_hold()
 * @cwnd: window, bytes
 * @inflight: bytes in flight; rounding of rcvd_bytes can make it negative
 * @nscc: if @window is that
 * @rccc: if @grant is that
 * @tfc: if @grant is that
 * @stats: counters
 */
struct uet_ccc {
	struct uet_lock lock;
	const struct uet_cc_param *param;
	const struct uet_cc_ops *window;
	const struct uet_cc_ops *grant;
	struct uet_ev_sel *ev;
	u8 state;
	u8 id;
	u8 pend;
	u32 free_ports;
	u32 sharers;
	u32 nr_waiting;
	u64 backlog;
	u64 rtx_backlog;
	u32 waiting_rtx;
	u32 inflight_pkts;
	u32 idle_epochs;
	u64 idle_since;
	bool is_held;
	u64 cwnd;
	s64 inflight;
	struct uet_nscc nscc;
	struct uet_rccc rccc;
	struct uet_tfc tfc;
	struct uet_cc_stats stats;
};

/* Life. */
void uet_ccc_init(struct uet_ccc *ccc, const struct uet_cc_param *param,
		  struct uet_ev_sel *ev, u64 now);
void uet_ccc_retune(struct uet_ccc *ccc, u64 now);
void uet_ccc_hold(struct uet_ccc *ccc, bool is_held, u64 now);

/* Events.  After each of them ->state says whether to schedule. */
void uet_ccc_new_data(struct uet_ccc *ccc, u64 bytes, u64 now);
void uet_ccc_send(struct uet_ccc *ccc, struct uet_cc_pkt *pkt, u16 size,
		  u64 now, struct uet_cc_send *send);
void uet_ccc_ack(struct uet_ccc *ccc, const struct uet_cc_ack *ack, u64 now);
void uet_ccc_nack(struct uet_ccc *ccc, struct uet_cc_pkt *pkt,
		  const struct uet_cc_nack *nack, u64 now);
void uet_ccc_loss(struct uet_ccc *ccc, struct uet_cc_pkt *pkt,
		  enum uet_cc_loss why, u64 now);
void uet_ccc_credit(struct uet_ccc *ccc, u32 credit, u64 now);
bool uet_ccc_probed(struct uet_ccc *ccc, u64 rtt_ns, u64 now);

/* A PDC with nothing in flight has no part in the bytes that are. */
void uet_ccc_settle(struct uet_ccc *ccc, s64 bytes, u64 now);

/* A PDC that ends takes its share with it. */
void uet_ccc_unqueue(struct uet_ccc *ccc, u64 bytes, u64 now);
void uet_ccc_forget(struct uet_ccc *ccc, struct uet_cc_pkt *pkt, u64 now);

/**
 * uet_ccc_advertises() - do headers of requests have a credit target?
 * @ccc: context, or NULL
 *
 * Context: Any.
 * Return: true if so; never changes.
 */
static inline bool uet_ccc_advertises(const struct uet_ccc *ccc)
{
	return ccc && ccc->grant && ccc->grant->tell;
}

bool uet_ccc_may_send_unsolicited(const struct uet_ccc *ccc);

/* What is owed besides data, and when to look again. */
enum uet_cc_cp uet_ccc_poll_cp(struct uet_ccc *ccc, u64 now, u32 *target);
u64 uet_ccc_deadline(const struct uet_ccc *ccc);

/* Collecting an ACK. */
void uet_cc_ack_pkt(struct uet_cc_ack *ack, struct uet_cc_pkt *pkt);

/* What windows have in common. */
bool uet_cc_window_can_send(const struct uet_ccc *ccc);
bool uet_cc_window_wants_ack(const struct uet_ccc *ccc);

/* Algorithms. */
extern const struct uet_cc_ops uet_cc_const_ops;
extern const struct uet_cc_ops uet_cc_nscc_ops;
extern const struct uet_cc_ops uet_cc_rccc_ops;
extern const struct uet_cc_ops uet_cc_tfc_ops;

#endif /* UET_CORE_CCC_H */
