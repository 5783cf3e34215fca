/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The congestion control context, shared by all PDCs from one FEP to another in one traffic
 * class.  It counts waiting and in-flight data, calls its algorithms for each event in the
 * order of the specification, and decides whether a packet may be sent, on which path, and
 * with which credit target.  A packet needs the permission of both algorithms: a window
 * (cc_nscc.c) and a grant (cc_rccc.c).  The context owns no packet, no timer and no list.
 *
 * A PDC keeps a struct uet_cc_pkt per PSN.  For each ACK it collects the state of the
 * acknowledged packets in a struct uet_cc_ack and reports the struct once.
 *
 * The caller serialises per struct uet_ccc.  If PDCs with locks of their own share it, the
 * caller takes @lock inside the PDC lock, with BH disabled.  The same lock protects the entropy
 * selector of the context.  @now is the time of the event, ns, from uet_ccc_take().
 *
 * Implements UE 1.0.1 3.6.12 (context, events, states).  Level: core L3.
 */
#ifndef UET_CORE_CCC_H
#define UET_CORE_CCC_H

#include "cc_param.h"
#include "cc_pkt.h"
#include "ev.h"

struct uet_ccc;

/* States, UE 1.0.1 3.6.12.3. */
enum uet_ccc_state {
	UET_CCC_IDLE,		/* nothing to send, nothing in flight */
	UET_CCC_ACTIVE,		/* data to send, not permitted */
	UET_CCC_READY,		/* data to send, permitted: to be scheduled */
	UET_CCC_PENDING,	/* nothing to send, something in flight */
};

/* Reason for marking a packet as lost. */
enum uet_cc_loss {
	UET_CC_LOSS_RTO,	/* RTO */
	UET_CC_LOSS_SACK,	/* too many later packets arrived */
	UET_CC_LOSS_PROBE,	/* a Probe found no queue and was faster */
};

/* Control packet that a context requests; see uet_ccc_poll_cp(). */
enum uet_cc_cp {
	UET_CC_CP_NONE,
	UET_CC_CP_PROBE,	/* control class: to learn the base RTT */
	UET_CC_CP_CREDIT_REQUEST, /* demand without credit */
};

/*
 * struct uet_cc_ack - contents of one ACK, evaluated by its PDC
 * @acked_pkts: newly acknowledged packets that were in flight; uet_cc_ack_pkt()
 * @found_pkts: newly acknowledged packets that waited for retransmission
 * @found_bytes: nominal bytes of @found_pkts
 * @new_bytes: newly received bytes, uet_cc_rcvd_new()
 * @rtt_ns: round trip of the packet named by the ACK, uet_cc_sample(); 0: none
 * @restore_cwnd: rc
 * @cwnd_pend: rcv_cwnd_pend, 0..127
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

/*
 * struct uet_cc_nack - contents of one NACK
 * @rtt_ns: round trip, uet_cc_sample(); 0: no sample
 */
struct uet_cc_nack {
	u64 rtt_ns;
	u16 ev;
	bool has_ev;
	bool is_marked;
	u8 code;
};

/*
 * struct uet_cc_send - transmission parameters of a packet
 * @wants_ack: AR must be set
 * @has_target: header with CC state, RUD_CC_REQ or ROD_CC_REQ
 */
struct uet_cc_send {
	u16 ev;
	bool wants_ack;
	bool has_target;
	u32 credit_target;
};

/*
 * struct uet_cc_blind - congestion in a network that neither marks nor trims
 * @mark_at: time of the latest mark, ns; 0: none
 * @loss_at: time of the latest loss while a queue stood, ns; 0: none
 * @from: start of the round, ns; later than now: the effect of a cut is not seen yet
 * @least: least delay of the round, ns
 * @standing: least delay of the latest round with enough samples, ns
 * @is_full: the round has enough samples and has lasted long enough
 */
struct uet_cc_blind {
	u64 mark_at;
	u64 loss_at;
	u64 from;
	u32 least;
	u32 standing;
	u32 samples;
	u64 sum;
	bool is_full;
};

/*
 * struct uet_nscc - state of NSCC, except window and bytes in flight (UE 1.0.1 Table 3-78)
 * @saved_cwnd: window before the destination demanded less, bytes; 0: no demand
 * @max_wnd: largest window at @base_ns and @jitter_ns, bytes
 * @base_min: least round trips of the current and the previous window of time, ns
 * @base_since: start of the current window of time, ns; with a base RTT above the configured
 *	one, when @base_min[0] was seen last
 * @jitter_ns: part of the average delay that is no queue
 * @base_windows: windows of time that have ended, at most 8
 * @drain_end: end of a drain of the queue, ns; 0: none
 * @avg_ns: average delay, ns, Q6
 * @avg_weight: weight of a sample per ns since the previous sample, Q48
 * @eta_rest: fraction of a byte carried over, Q8
 * @achieved_bytes: acknowledged since the latest quick adapt check
 * @received_bytes: acknowledged since increases were applied
 * @fi_count: bytes acknowledged in a row without delay
 * @late_bytes: bytes of a starting window that were acknowledged late
 * @bytes_to_ignore: in flight when quick adapt shrank the window
 * @inc_bytes: increase not yet applied, bytes times window
 * @qa_end: time of the next quick adapt check, ns; 0: not armed
 * @last_adjust: time of the latest increase by eta, ns
 * @is_starting: the window grows with each ACK until a delay, a mark or a loss is seen
 * @trigger_qa: a trimmed packet requested quick adapt
 * @is_new: no packet was sent with the first window yet
 * @has_probed: a Probe was requested or answered
 */
struct uet_nscc {
	u64 saved_cwnd;
	u32 base_ns;
	u32 max_wnd;
	u32 base_min[2];
	u64 base_since;
	u32 jitter_ns;
	u32 base_windows;
	u64 drain_end;
	u64 drained;
	s64 avg_ns;
	u64 avg_at;
	u64 avg_weight;
	u32 eta_rest;
	u64 achieved_bytes;
	u64 received_bytes;
	u64 fi_count;
	u64 late_bytes;
	s64 bytes_to_ignore;
	s64 bytes_ignored;
	u64 inc_bytes;
	u64 qa_end;
	u64 last_adjust;
	u64 last_dec;
	struct uet_cc_blind blind;
	bool is_fast;
	bool is_starting;
	bool trigger_qa;
	bool is_new;
	bool has_probed;
};

/*
 * struct uet_rccc - state of RCCC at the source
 * @credit: bytes that may be sent; negative by less than a packet
 * @pull: latest cumulative grant, 24 bits, units of 256 bytes
 * @target: credit_target advertised last
 * @said_at: time of the latest advertisement of @target or arrival of credit, ns
 * @wait_ns: duration of the latest wait for credit since @said_at
 * @tries: Credit Requests in a row without new credit
 * @silent: Credit Requests in a row without any answer
 * @speculates: the first window is sent unsolicited
 * @is_unpaced: the destination does not answer; only a window limits the source
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
	bool has_paced;
};

/*
 * struct uet_cc_stats - counters of a context
 * @trims: NACKs for packets trimmed before the last hop
 * @trims_lasthop: NACKs for packets trimmed at the last hop
 * @nacks: NACKs for other reasons
 * @found: packets marked lost that were acknowledged later
 * @credits: grants with new credit
 * @pends: ACKs by which the destination demanded less
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

/*
 * struct uet_cc_ops - one algorithm; @init, @can_send and @room are required
 * @init: the context is initialised except for this algorithm
 * @on_nack: for a packet in flight
 * @on_loss: a packet in flight is marked lost
 * @on_probe: a Probe was answered after the given round trip; true if no queue exists
 * @wants_ack: must the packet just sent be acknowledged at once?
 * @room: bytes of new packets that may follow the one just sent with the same flags and fields
 * @tell: fill in the parameters of the sent packet that only this algorithm knows
 * @poll_cp: take the pending control packet and its credit_target
 * @deadline: time of the next @poll_cp, ns; U64_MAX: never; grants only
 * @wake: the context leaves IDLE after the given number of ns
 *
 * Only ccc.c calls these, under the lock of the context, and counts bytes and packets: bytes in
 * flight are already reduced when @on_ack is called, and increased when @on_send is called.
 */
struct uet_cc_ops {
	const char *name;
	void (*init)(struct uet_ccc *ccc, u64 now);
	void (*on_ack)(struct uet_ccc *ccc, const struct uet_cc_ack *ack, u64 now);
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
	s64 (*room)(const struct uet_ccc *ccc);
	void (*tell)(struct uet_ccc *ccc, struct uet_cc_send *send);
	enum uet_cc_cp (*poll_cp)(struct uet_ccc *ccc, u64 now, u32 *target);
	u64 (*deadline)(const struct uet_ccc *ccc);
	void (*retune)(struct uet_ccc *ccc);
	void (*wake)(struct uet_ccc *ccc, u64 idle_ns, u64 now);
};

/*
 * struct uet_ccc - one direction between two FEPs in one traffic class
 * @lock: protects all fields except the constants; see uet_ccc_take()
 * @network: constants; the owner changes them under @lock and calls uet_ccc_retune()
 * @path: constants of the path, if its base RTT is above that of the network
 * @param: @network or @path
 * @window: algorithm that limits the bytes in flight, or NULL
 * @grant: algorithm that needs permission of the destination, or NULL
 * @ev: selector of entropy values, or NULL: the caller chooses
 * @state: enum uet_ccc_state; read-only for callers
 * @pend: rcv_cwnd_pend of the newest ACK, 0..127; read-only for callers
 * @free_ports: bitmap of ports of @ev that accept a packet now; 0: all; set by the caller
 * @sharers: contexts of this FEP with data to send; RCCC divides its demand by this number,
 *	and a first window is divided by it; 0 equals 1; set by the caller
 * @nr_waiting: PDCs in the owner's queue for a quantum, see uet_pdc_cc_give_quantum(); other
 *	PDCs do not send meanwhile; set by the caller
 * @backlog: nominal bytes not sent yet, of all PDCs
 * @rtx_backlog: nominal bytes waiting for retransmission
 * @inflight_pkts: packets sent and neither acknowledged, refused nor lost
 * @idle_epochs: number of times that @inflight_pkts fell to 0 and @inflight was reset
 * @idle_since: time when the state became IDLE, ns
 * @inflight: bytes in flight; rounding of rcvd_bytes can make it negative
 * @since_ar: bytes sent since an algorithm wanted an ACK
 */
struct uet_ccc {
	struct uet_lock lock;
	u64 now_ns;
	const struct uet_cc_param *network;
	struct uet_cc_param path;
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
	u64 since_ar;
	struct uet_nscc nscc;
	struct uet_rccc rccc;
	struct uet_cc_stats stats;
};

/*
 * uet_ccc_take() - lock a context for an event, with BH disabled; uet_lock_drop() unlocks
 * Return: time of the event, ns: @now, or the time of a later event.
 */
static inline u64 uet_ccc_take(struct uet_ccc *ccc, u64 now)
	__acquires(&ccc->lock.lock)
{
	uet_lock_take(&ccc->lock);
	return uet_ns_latest(&ccc->now_ns, now);
}

/* Initialisation and constants. */
void uet_ccc_init(struct uet_ccc *ccc, const struct uet_cc_param *param,
		  struct uet_ev_sel *ev, u64 now);
void uet_ccc_retune(struct uet_ccc *ccc, u64 now);
u32 uet_ccc_quantum(const struct uet_ccc *ccc);
u32 uet_ccc_run_room(const struct uet_ccc *ccc, u16 size, u32 n);
void uet_ccc_hold(struct uet_ccc *ccc, bool is_held, u64 now);

/* Events.  After each event ->state tells the caller whether to schedule. */
void uet_ccc_new_data(struct uet_ccc *ccc, u64 bytes, u64 now);
void uet_ccc_send(struct uet_ccc *ccc, struct uet_cc_pkt *pkt, u16 size,
		  u64 now, struct uet_cc_send *send);
void uet_ccc_run_sent(struct uet_ccc *ccc, u16 size, u32 n, u64 now);
void uet_ccc_ack(struct uet_ccc *ccc, const struct uet_cc_ack *ack, u64 now);
void uet_ccc_nack(struct uet_ccc *ccc, struct uet_cc_pkt *pkt,
		  const struct uet_cc_nack *nack, u64 now);
void uet_ccc_loss(struct uet_ccc *ccc, struct uet_cc_pkt *pkt, enum uet_cc_loss why, u64 now);
void uet_ccc_credit(struct uet_ccc *ccc, u32 credit, u64 now);
bool uet_ccc_probed(struct uet_ccc *ccc, u64 rtt_ns, u64 now);

/* Correct inflight for a PDC with nothing in flight. */
void uet_ccc_settle(struct uet_ccc *ccc, s64 bytes, u64 now);

/* Remove the share of a PDC that is closed. */
void uet_ccc_unqueue(struct uet_ccc *ccc, u64 bytes, u64 now);
void uet_ccc_forget(struct uet_ccc *ccc, struct uet_cc_pkt *pkt, u64 now);

/* Do request headers carry a credit target?  Constant for a context. */
static inline bool uet_ccc_advertises(const struct uet_ccc *ccc)
{
	return ccc && ccc->grant && ccc->grant->tell;
}

bool uet_ccc_may_send_unsolicited(const struct uet_ccc *ccc);

/* Pending control packets, and the time of the next poll. */
enum uet_cc_cp uet_ccc_poll_cp(struct uet_ccc *ccc, u64 now, u32 *target);
u64 uet_ccc_deadline(const struct uet_ccc *ccc);

/*
 * Add a newly acknowledged packet to an ACK; its record is free then (UE 1.0.1 3.6.12.4, ACK,
 * step 1).  The caller takes the round trip of the packet named by the ACK before.
 */
static inline void uet_cc_ack_pkt(struct uet_cc_ack *ack, struct uet_cc_pkt *pkt)
{
	if (pkt->state == UET_CC_PKT_OUT) {
		ack->acked_pkts++;
	} else if (pkt->state == UET_CC_PKT_WAITS) {
		ack->found_pkts++;
		ack->found_bytes += pkt->size;
	}
	memset(pkt, 0, sizeof(*pkt));
}

/*
 * Is a control packet pending, or may one become so by time?  Without the lock of the context
 * the answer may be late by one event.
 */
static inline bool uet_ccc_may_have_cp(const struct uet_ccc *ccc)
{
	return ccc->grant || (ccc->window && ccc->window->poll_cp &&
			      !READ_ONCE(ccc->nscc.has_probed));
}

/* NSCC keeps the average queueing delay in 1/64 ns. */
static inline u64 uet_cc_avg_ns(const struct uet_ccc *ccc)
{
	return (u64)ccc->nscc.avg_ns >> 6;
}

/* Filters of NSCC; global for unit tests only. */
u64 uet_cc_base_sample(struct uet_ccc *ccc, u64 rtt_ns, u64 now);
void uet_cc_avg_sample(struct uet_ccc *ccc, u64 delay_ns, bool is_marked, u64 now);
void uet_cc_blind_sample(struct uet_ccc *ccc, u64 delay_ns, bool is_marked, u64 now);
u64 uet_cc_blind_target(const struct uet_ccc *ccc);
bool uet_cc_is_blind(const struct uet_ccc *ccc, u64 now);

/* Algorithms. */
extern const struct uet_cc_ops uet_cc_const_ops;
extern const struct uet_cc_ops uet_cc_nscc_ops;
extern const struct uet_cc_ops uet_cc_rccc_ops;

#endif /* UET_CORE_CCC_H */
