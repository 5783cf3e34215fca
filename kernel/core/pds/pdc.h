/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The private structures of a packet delivery context, shared by pdc_*.c only: struct uet_pdc
 * with its send half, its receive half and its timers, and the functions its files offer each
 * other.  Each file calls only those before it in Kbuild.  A function that builds a pending
 * packet returns false if there is none; the result is unchanged then.
 *
 * Both ends of a PDC are the same object.  The forward direction is the send half of the
 * initiator and the receive half of the target; the return direction is the reverse.  Each
 * half numbers its PSNs separately.  Times are in ns; UET_NEVER: not armed.
 *
 * Implements UE 1.0.1 3.5.8, 3.5.9, 3.5.11, 3.5.12, 3.5.15, 3.5.16.  Level: core L4, private.
 */
#ifndef UET_CORE_PDC_H
#define UET_CORE_PDC_H

#include "core/cms/cc_pkt.h"
#include "core/cms/ccc.h"
#include "pds.h"
#include "core/wire/psn.h"
#include "core/cms/rtt.h"

/*
 * enum uet_pdc_event - events of the state table of a PDC
 * @UET_PDC_EV_LEARN: initiator: the first answer contained the peer's PDCID
 * @UET_PDC_EV_RX_PSN: a request or a control packet with a PSN arrived
 * @UET_PDC_EV_RX_NEW: a request not received before is to be accepted
 * @UET_PDC_EV_RX_NOSYN: target: the first packet without SYN arrived
 * @UET_PDC_EV_RX_CP: a control packet without a PSN arrived
 * @UET_PDC_EV_CLOSE: the owner, idleness or the PSN range requires a close
 * @UET_PDC_EV_PEER_CLOSE: initiator: the target requested a close
 * @UET_PDC_EV_UNUSED: initiator: a close was requested before the first transmission
 * @UET_PDC_EV_DRAINED: initiator: SES hands down no more packets
 * @UET_PDC_EV_ALL_ACKED: initiator: every packet was answered and reported
 * @UET_PDC_EV_CLOSE_CMD: target: CLOSE_COMMAND arrived, return direction idle
 * @UET_PDC_EV_CLOSE_BUSY: target: CLOSE_COMMAND arrived, return packets outstanding
 * @UET_PDC_EV_CLOSE_TIME: target: CLOSE_REQUEST was not answered in Close_REQ_Time
 * @UET_PDC_EV_FATAL: fatal NACK, retry limit or abort
 * @UET_PDC_EV_OPEN_PENDING: target: opened, but not with the SYN's Start_PSN
 * @UET_PDC_EV_STARTED: target: a SYN with a valid Start_PSN arrived
 * @UET_PDC_EV_NEW_TIME: target: New_PDC_Time ran out before such a SYN
 */
enum uet_pdc_event {
	UET_PDC_EV_OPEN,
	UET_PDC_EV_TX,
	UET_PDC_EV_LEARN,
	UET_PDC_EV_RX_PSN,
	UET_PDC_EV_RX_NEW,
	UET_PDC_EV_RX_NOSYN,
	UET_PDC_EV_RX_CP,
	UET_PDC_EV_RX_ANSWER,
	UET_PDC_EV_CLOSE,
	UET_PDC_EV_PEER_CLOSE,
	UET_PDC_EV_UNUSED,
	UET_PDC_EV_DRAINED,
	UET_PDC_EV_ALL_ACKED,
	UET_PDC_EV_CLOSE_ACKED,
	UET_PDC_EV_CLOSE_CMD,
	UET_PDC_EV_CLOSE_BUSY,
	UET_PDC_EV_CLOSE_TIME,
	UET_PDC_EV_FATAL,
	UET_PDC_EV_OPEN_PENDING,
	UET_PDC_EV_STARTED,
	UET_PDC_EV_NEW_TIME,
	UET_PDC_EV_NR,
};

/*
 * enum uet_pdc_act - side effect of a state transition
 * @UET_PDC_ACT_ILLEGAL: there is no such transition
 * @UET_PDC_ACT_LATE_CLOSE: record the close request until the peer's PDCID is known
 * @UET_PDC_ACT_CLOSE_COMMAND: queue a CLOSE_COMMAND
 * @UET_PDC_ACT_CLOSE_REQUEST: queue a CLOSE_REQUEST, start Close_REQ_Time
 * @UET_PDC_ACT_FINISH: stop all timers; a pending ACK is still sent
 * @UET_PDC_ACT_FAIL: stop all timers, cancel all answers
 * @UET_PDC_ACT_FAIL_NACK: as FAIL, and queue a CLOSING_IN_ERR
 * @UET_PDC_ACT_WAIT_START: start New_PDC_Time
 */
enum uet_pdc_act {
	UET_PDC_ACT_ILLEGAL,
	UET_PDC_ACT_NONE,
	UET_PDC_ACT_LATE_CLOSE,
	UET_PDC_ACT_CLOSE_COMMAND,
	UET_PDC_ACT_CLOSE_REQUEST,
	UET_PDC_ACT_FINISH,
	UET_PDC_ACT_FAIL,
	UET_PDC_ACT_FAIL_NACK,
	UET_PDC_ACT_WAIT_START,
	UET_PDC_ACT_NR,
};

/**
 * struct uet_pdc_tr - one cell of a state table
 * @act: enum uet_pdc_act; an empty cell is ILLEGAL
 * @next: enum uet_pdc_state after it
 */
struct uet_pdc_tr {
	u8 act;
	u8 next;
};

/* Pending NACKs per PDC, which bound its memory. */
#define UET_PDC_NACKS		16

/*
 * NACKs of one packet that report a loss, after which the packet is retransmitted at
 * once.  A congested fabric trims a packet several times, and accepts other packets of
 * the PDC meanwhile: each of them begins the count again.  After further NACKs the packet
 * backs off, while the rest of the PDC goes on.
 */
#define UET_PDC_NACKS_AT_ONCE	3

/*
 * A PDC closes before its PSNs are 2^31 away from the first (Limit_PSN_Range, UE 1.0.1 Table
 * 3-28); the last 2^23 PSNs are left for the message in progress.
 */
#define UET_PDC_PSN_SPAN	(0x80000000U - 0x800000U)

/* uet_pdc_slot.kind of a request; that of a control packet is its enum uet_ctl. */
#define UET_PDC_KIND_REQ	UET_CP_NR

/*
 * enum uet_pdc_slot_state - state of a packet of the send half
 * @UET_SLOT_SENT: in flight; linked in uet_pdc_txh.sent
 * @UET_SLOT_SACKED: received by the peer, its response is not known yet
 * @UET_SLOT_LOST: to be retransmitted; linked in uet_pdc_txh.lost
 * @UET_SLOT_DONE: answered by its own ACK or covered by CACK_PSN
 */
enum uet_pdc_slot_state {
	UET_SLOT_FREE,
	UET_SLOT_READY,
	UET_SLOT_SENT,
	UET_SLOT_SACKED,
	UET_SLOT_LOST,
	UET_SLOT_DONE,
};

/* No more transmissions of a packet are counted. */
#define UET_PDC_SENDS_MAX	7

/* Most packets of a run, uet_pdc_slot.n. */
#define UET_PDC_RUN_MAX		255

/*
 * struct uet_pdc_slot - a packet of the send half, from admission to report, or a run
 * @pkt: of the first packet of a run; each other one begins where the one before it ends
 * @sent_ns: time of the latest transmission, or of the latest ACK_REQUEST
 * @first_ns: time of the first transmission
 * @backoff_until: LOST, and not retransmitted before this time; 0: none; not once DONE
 * @answer: DONE: serial number of the ACK with the response
 * @modified_length: DONE: U32_MAX: not reported
 * @psn: of the first packet
 * @xmit: serial number of the latest transmission on this PDC; those of a run are consecutive
 * @nacks_progress: uet_pdc_txh.progress at the latest NACK; not once DONE
 * @nacks: NACKs so far that cost a transmission, saturating; not once DONE
 * @nacks_in_row: of these, NACKs that report a loss since @nacks_progress, saturating
 * @rsp_opcode: DONE: enum uet_rsp; @rc, @ri_gen and @list likewise
 * @ri_gen: 0: not reported
 * @n: number of packets with consecutive PSNs, all READY, SENT once or DONE by CACK_PSN; they
 *	differ in PSN, offset, serial number and entropy value.  The slots of all but the first are
 *	FREE; of the values, their uet_cc_pkt.ev or, without a context, their @lane is valid.
 * @lane: uet_ev_lane() of the entropy value of the latest transmission
 * @kind: UET_PDC_KIND_REQ or the enum uet_ctl of a control packet
 * @state: enum uet_pdc_slot_state
 * @sends: transmissions so far, saturating at UET_PDC_SENDS_MAX
 * @is_probe: SENT while the send half is throttled, and counted in uet_pdc_pause
 * @asks: SACKED, and an ACK_REQUEST is pending for it
 * @reports: a NOOP; its outcome is reported as that of a request
 * @bypass_cc: LOST, and retransmitted whatever the congestion window is: lost packets may
 *	be what fills the window
 */
struct uet_pdc_slot {
	struct list_head link;
	struct uet_pds_pkt pkt;
	u64 sent_ns;
	u64 first_ns;
	union {
		u64 backoff_until;
		struct {
			u32 answer;
			u32 modified_length;
		};
	};
	u32 psn;
	u32 xmit;
	union {
		struct {
			u16 nacks_progress;
			u8 nacks;
			u8 nacks_in_row;
		};
		struct {
			u8 rsp_opcode;
			u8 rc;
			u8 ri_gen;
			u8 list;
		};
	};
	u8 n;
	u8 lane;
	u16 kind : 5;
	u16 state : 3;
	u16 sends : 3;
	u16 is_probe : 1;
	u16 asks : 1;
	u16 reports : 1;
	u16 bypass_cc : 1;
};

/* The default window fits in 32 KiB, 8 pages. */
static_assert(sizeof(struct uet_pdc_slot) <= 72);

/**
 * enum uet_pdc_stall - steps to reopen a window closed by a lost CLEAR_PSN
 * @UET_STALL_NEW: no step was taken since CACK_PSN moved or the time ran out
 * @UET_STALL_CLEARED: CLEAR_PSN was sent again
 * @UET_STALL_ACK_REQUESTED: an ACK_REQUEST was sent after it
 */
enum uet_pdc_stall {
	UET_STALL_NEW,
	UET_STALL_CLEARED,
	UET_STALL_ACK_REQUESTED,
};

/**
 * struct uet_pdc_pause - pause of the send half after a refusal or a time-out
 * @on: throttled: at most @space packets may be in flight
 * @until: end of the pause; 0: not paused
 * @ns: length of the latest pause; 0 once a packet was accepted since
 * @since: with @ns, time of the first refusal since then
 * @space: packets that may be in flight; grows by one for each accepted packet
 * @inflight: packets in flight that count against @space
 * @refused_ns: with @opens, time of the first of these refusals
 * @opens: consecutive refusals to open the PDC, at most 15
 */
struct uet_pdc_pause {
	bool on;
	u64 until, ns, since, refused_ns;
	u16 space, inflight;
	u8 opens;
};

/*
 * struct uet_pdc_tail - tail loss probing
 * @cnt: Probes since the peer last made progress
 * @wanted: a Probe is pending
 * @is_out: the latest Probe is not answered
 * @opaque: of the latest Probe
 * @xmit: serial number of the latest Probe among all transmissions
 */
struct uet_pdc_tail {
	u64 at;
	u8 cnt;
	bool wanted;
	bool is_out;
	u16 opaque;
	u32 xmit;
	u64 sent_ns;
};

/*
 * struct uet_pdc_txh - send half
 * @slots: packets @una_reported .. @write_seq - 1, at psn - Start_PSN modulo the window; a run
 *	never goes on over @una_reported, @una or @nxt
 * @una_reported: first PSN whose outcome SES has not taken
 * @una: first PSN that is not DONE; @una - 1 is our CLEAR_PSN
 * @nxt: first PSN never sent
 * @write_seq: PSN of the next packet handed down
 * @clear_sent: highest CLEAR_PSN sent to the peer
 * @ar_psn: latest PSN sent with AR
 * @mpr_pkts: PSNs the peer tracks beyond @cack
 * @sent: slots in state SENT, in the order of transmission
 * @lost: slots in state LOST, in PSN order
 * @nr_ack_requests: slots with a pending ACK_REQUEST
 * @xmit: serial number of the next transmission
 * @progress: ACKs so far that reported a packet as received for the first time, modulo 2^16
 * @rack: serial number of the latest transmission known to have arrived
 * @reorder_window_ns: longest delay beyond a round trip of packets taken for lost
 * @reorder_window_psn: late arrivals before this PSN are already part of @reorder_window_ns
 * @rto_at: when the RTO of the oldest unanswered packet fires
 * @reorder_at: when a packet overtaken by others counts as lost
 * @backoff_at: no back-off of a packet ends before this time
 * @rto_cnt: consecutive time-outs, up to 255
 * @silent_ns: when the silence of the peer began, ns; valid while @rto_at is armed
 * @clear_wanted: the peer stores responses that arrived here: send CLEAR_PSN
 * @stall: steps taken to reopen a window that stays closed
 * @has_work: SES has unfinished messages
 * @peer_keeps: ROD: the peer has reported packets behind a gap as received
 */
struct uet_pdc_txh {
	struct uet_pdc_slot *slots;
	u32 una_reported, una, nxt, write_seq;
	u32 cack;
	u32 clear_sent;
	u32 ar_psn;
	u16 mpr_pkts;
	struct list_head sent;
	struct list_head lost;
	u16 nr_sent, nr_lost, nr_ack_requests;
	u32 xmit;
	u16 progress;
	u32 rack;
	struct uet_rtt rtt;
	u64 reorder_window_ns;
	u32 reorder_window_psn;
	u64 rto_at, silent_ns;
	u64 reorder_at;
	u64 backoff_at;
	u8 rto_cnt;
	bool clear_wanted;
	enum uet_pdc_stall stall;
	bool has_work, peer_keeps;
	struct uet_pdc_pause pause;
	struct uet_pdc_tail tail;
};

/*
 * struct uet_pdc_cc - congestion control state of a PDC
 * @ccc: context shared with other PDCs; NULL: none, and the rest is unused
 * @pkts: one record per slot of the send half, at the same index
 * @overhead: bytes of a request besides SES header and payload
 * @quantum: packets that may be sent although other PDCs wait
 * @seen: rcvd_bytes of the newest ACK, 24 bits
 * @ack: the ACK being processed; memory of the window
 * @ack_bytes: nominal bytes of the packets that this ACK newly covers
 * @ahead: bytes the peer reported as received, less the bytes it acknowledged
 * @idle_epoch: uet_ccc.idle_epochs that @ahead belongs to
 * @wants_probe: the context requests a Probe
 * @space_used: bytes in use of the space for messages, when the newest packet for it
 *	arrived
 * @space_size: size of that space, bytes; 0: the newest packet needed none
 */
struct uet_pdc_cc {
	struct uet_ccc *ccc;
	struct uet_cc_pkt *pkts;
	u16 overhead;
	u32 quantum;
	bool waits;
	u32 seen;
	struct uet_cc_ack *ack;
	u32 ack_bytes;
	s64 ahead;
	u32 idle_epoch;
	bool wants_probe;
	struct uet_dfc dfc;
	u32 space_used;
	u32 space_size;
};

/*
 * struct uet_pdc_credit - credit, when the owner has a pacer
 * @has_demand: the owner has not taken @demand of the source yet
 * @value: to be sent to the source, if @is_pending; 24 bits
 */
struct uet_pdc_credit {
	bool paces;
	bool has_demand;
	struct uet_pdc_demand demand;
	bool is_pending;
	u32 value;
};

/*
 * struct uet_pdc_echo - fields that an answer copies from the packet it answers
 * @at: time of arrival, UET_SERVICE_TIME_NS, modulo 2^32
 * @is_cp: the packet was a control packet, which has no SES response
 * @is_foreign: the packet belongs to no PDC of this end, though its PDCID is in use
 */
struct uet_pdc_echo {
	u32 psn;
	u32 at;
	u16 ev;
	bool ce : 1;
	bool retx : 1;
	bool is_cp : 1;
	bool is_foreign : 1;
};

/* Time of an arrival in units of UET_SERVICE_TIME_NS, modulo 2^32. */
static inline u32 uet_pdc_echo_at(u64 now)
{
	return (u32)div_u64(now, UET_SERVICE_TIME_NS);
}

/*
 * struct uet_pdc_rsp - a SES response, compact
 * @job: JobID, 24 bits
 * @form: enum uet_rsp_form; a response with data answers a request of one packet: the
 *	offset of the data is 0
 * @is_cp: there is no response: the packet was a control packet
 * @data: data, as encoded behind the header
 */
struct uet_pdc_rsp {
	u32 modified_length;
	u32 job;
	u16 msg_id;
	u8 list;
	u8 opcode;
	u8 rc, ri_gen;
	u8 form;
	u8 len : 7, is_cp : 1;
	u8 data[UET_PDC_ACK_DATA_MAX];
};

/**
 * struct uet_pdc_rxslot - state of a received packet
 * @rsp: response to the packet
 * @echo: fields for its own ACK; valid while its bit in uet_pdc_rxh.own is set, and
 *	@echo.psn as long as @rsp is UET_NO_RESPONSE
 */
struct uet_pdc_rxslot {
	struct uet_pdc_rsp rsp;
	struct uet_pdc_echo echo;
};

/*
 * struct uet_pdc_pending_nack - a NACK to be sent
 * @payload: depends on @code
 */
struct uet_pdc_pending_nack {
	struct uet_pdc_echo echo;
	u32 payload;
	u8 code;
};

/*
 * struct uet_pdc_answers - contents of the answers that are pending
 * @trigger: the packet that the coalesced ACK answers
 * @probe: the Probe to be answered; @probe.psn is the SACK base it requests
 * @nacks: NACKs, a ring
 */
struct uet_pdc_answers {
	struct uet_pdc_echo trigger;
	struct uet_pdc_rsp trigger_rsp;
	struct uet_pdc_echo probe;
	u16 probe_opaque;
	struct uet_pdc_pending_nack nacks[UET_PDC_NACKS];
};

/*
 * struct uet_pdc_rxh - receive half
 * @slots: at psn modulo the window
 * @rcvd: PSNs received, of @cack + 1 .. @cack + window; early requests of ROD behind @base
 * @gtd: of @rcvd, PSNs with a stored response not cleared yet
 * @own: of @rcvd, PSNs with a pending ACK of their own
 * @cack: CACK_PSN, the last PSN before the first one missing, uncleared or untold
 * @base: first PSN not received
 * @end: PSN behind the highest one received
 * @clear: highest CLEAR_PSN received
 * @ar_psn: highest PSN received with AR
 * @nr_ooo: PSNs received at or behind @base
 * @bytes: nominal bytes of new packets
 * @ack_gen: ack_gen_count of UE 1.0.1 3.5.12.2, bytes
 * @ack_at: when a coalesced ACK becomes due; @ack_now: it is pending
 * @sack_pending: PSNs above @cack were received that no ACK has reported, @sack_first to
 *	@sack_last
 * @ooo_base: ROD: @base when a gap was last reported by a NACK
 * @ooo_psn: ROD: highest PSN behind that gap, or latest one retransmitted
 * @none_psn: highest PSN received whose response is UET_NO_RESPONSE
 * @lent_psn: @base when the window was lent
 * @gtd_waits: a stored response is not cleared, and holds CACK_PSN
 * @gtd_psn: its PSN, @cack + 1
 * @gtd_at: when a CLEAR_REQUEST is due
 */
struct uet_pdc_rxh {
	struct uet_pdc_rxslot *slots;
	struct uet_pdc_answers *answers;
	struct uet_psn_map rcvd;
	struct uet_psn_map gtd;
	struct uet_psn_map own;
	u32 cack, base, end, clear;
	u32 ar_psn;
	u16 nr_gtd, nr_own, nr_ooo;
	u64 bytes;
	u32 ack_gen;
	bool ack_now;
	u64 ack_at;
	bool sack_pending;
	u32 sack_first, sack_last;
	u32 ooo_base, ooo_psn;
	u8 nack_first;
	u8 nr_nacks;
	bool probed;
	u32 none_psn, lent_psn;
	bool gtd_waits;
	u32 gtd_psn;
	u64 gtd_at;
	u8 gtd_requests;
	bool gtd_request_pending;
};

/**
 * struct uet_pdc_rival - a SYN that may replace this PDC
 * @until: when the PDC is replaced unless its peer sends a packet; 0: no such SYN
 * @heard: packets that the peer had sent when the SYN arrived, or sent without this PDC
 */
struct uet_pdc_rival {
	u64 until;
	u64 heard;
};

/*
 * struct uet_pdc - one end of a packet delivery context
 * @cfg: memory of the owner
 * @state: written by uet_pdc_event() only
 * @may_repeat: the NACK that caused @error allows to send requests on another PDC
 * @refused_psn: with @may_repeat, PSN that the NACK refused
 * @close_wanted: a close was requested while the peer's PDCID was unknown
 * @will_close: our side requested the close: SES hands down no more packets
 * @expected_psn: target: the PSN to start with (RANDOM), or the least (EXPECTED)
 * @new_at: end of New_PDC_Time
 * @shifts: initiator: times the target changed @start_psn
 * @was_retried: initiator: @start_psn was changed because of a NACK in clear
 * @active_ns: when SES or the peer was last active
 * @heard_ns: when the last packet of the peer was accepted; 0: none was
 * @close_at: end of Close_REQ_Time
 * @orphan_at: time at which the PDC is aborted
 * @ev: entropy source for packets that answer no other packet
 *
 * @nack_code is that of the latest NACK; with @error, that of the NACK that caused it, or 0.
 * Lists connect this structure and the slots of its window: neither must move.
 */
struct uet_pdc {
	const struct uet_pdc_cfg *cfg;
	enum uet_pdc_role role;
	enum uet_pdc_mode mode;
	enum uet_pdc_state state;
	enum uet_pdc_error error;
	u8 nack_code;
	bool may_repeat, is_reserved, was_retried;
	u32 refused_psn;
	bool close_wanted, will_close, is_answer;
	u16 local_pdcid, peer_pdcid;
	u32 start_psn;
	enum uet_pdc_start start;
	u32 expected_psn;
	u64 new_at;
	u8 shifts;
	u64 active_ns, opened_ns, heard_ns;
	u64 close_at, orphan_at;
	u32 peer_features;
	struct uet_ev ev;
	struct uet_pdc_txh tx;
	struct uet_pdc_rxh rx;
	struct uet_pdc_cc cc;
	struct uet_pdc_credit credit;
	struct uet_pdc_rival rival;
	struct uet_pdc_stats stats;
};

/* With its entry an idle PDC takes 2 KiB. */
static_assert(sizeof(struct uet_pdc) <= 864);

/* The slot of a packet that is the first of its run, or alone; of others, uet_pdc_slot_run(). */
static inline struct uet_pdc_slot *uet_pdc_slot(const struct uet_pdc *pdc, u32 psn)
{
	return &pdc->tx.slots[(psn - pdc->start_psn) & (pdc->cfg->window - 1U)];
}

/* The receive slot of a PSN. */
static inline struct uet_pdc_rxslot *uet_pdc_rxslot(const struct uet_pdc *pdc, u32 psn)
{
	return &pdc->rx.slots[psn & (pdc->cfg->window - 1U)];
}

/* The congestion control record of a packet. */
static inline struct uet_cc_pkt *uet_pdc_cc_pkt(const struct uet_pdc *pdc,
						const struct uet_pdc_slot *slot)
{
	return &pdc->cc.pkts[slot - pdc->tx.slots];
}

/* A PDC with a window can handle packets, messages and deadlines. */
static inline bool uet_pdc_has_window(const struct uet_pdc *pdc)
{
	return pdc->tx.slots;
}

/* A final state, even if a last answer is pending. */
static inline bool uet_pdc_is_over(const struct uet_pdc *pdc)
{
	return pdc->state == UET_PDC_ST_CLOSED || pdc->state == UET_PDC_ST_ERROR;
}

/* An ACK or NACK is pending now. */
static inline bool uet_pdc_has_answer(const struct uet_pdc *pdc)
{
	const struct uet_pdc_rxh *rx = &pdc->rx;

	return rx->nr_own || rx->nr_nacks || rx->ack_now || rx->probed;
}

/* UE 1.0.1 3.5.12.2: the peer accepts PSNs up to the highest CACK_PSN plus MP_RANGE. */
static inline bool uet_pdc_peer_has_space(const struct uet_pdc_txh *tx)
{
	return uet_psn_diff(tx->nxt, tx->cack) <= tx->mpr_pkts;
}

/*
 * The peer's window is closed with nothing in flight: everything sent is answered, but
 * CACK_PSN waits for a CLEAR_PSN that may have been lost (UE 1.0.1 3.5.11.4).  So no answer
 * is in flight that could open the window.
 */
static inline bool uet_pdc_is_stalled(const struct uet_pdc_txh *tx)
{
	return tx->una == tx->nxt && tx->nxt != tx->write_seq && !uet_pdc_peer_has_space(tx);
}

/* UE 1.0.1 3.4.3.3, 3.5.11.4: all but the default response need guaranteed delivery. */
static inline bool uet_pdc_rsp_is_gtd(u8 opcode)
{
	return opcode != UET_RSP_DEFAULT && opcode != UET_RSP_NO_RESPONSE;
}

/*
 * CACK_PSN alone reports the default response, so it comes after an ACK that reports @rsp.
 * This ACK is repeated to duplicates while the response is known.  False for a response
 * that is stored until it is cleared.
 */
static inline bool uet_pdc_rsp_is_told_once(const struct uet_pdc *pdc,
					    const struct uet_pdc_rsp *rsp)
{
	return rsp->opcode == UET_RSP_NO_RESPONSE ||
	       (pdc->cfg->ack_clears && uet_pdc_rsp_is_gtd(rsp->opcode));
}

/* A packet of the peer was accepted. */
static inline void uet_pdc_heard(struct uet_pdc *pdc, u64 now)
{
	pdc->active_ns = now;
	pdc->heard_ns = now;
}

static inline struct uet_pdc_slot *uet_pdc_new_slot(struct uet_pdc *pdc, u8 kind)
{
	struct uet_pdc_slot *slot = uet_pdc_slot(pdc, pdc->tx.write_seq);

	slot->psn = pdc->tx.write_seq++;
	slot->state = UET_SLOT_READY;
	slot->kind = kind;
	slot->n = 1;
	slot->sends = 0;
	slot->nacks = 0;
	slot->nacks_in_row = 0;
	slot->backoff_until = 0;
	slot->reports = false;
	slot->bypass_cc = false;
	return slot;
}

/* pdc_sm.c: state machine */
const struct uet_pdc_tr *uet_pdc_transition(enum uet_pdc_role role, enum uet_pdc_state state,
					    enum uet_pdc_event event);
bool uet_pdc_allows(const struct uet_pdc *pdc, enum uet_pdc_event event);
bool uet_pdc_event(struct uet_pdc *pdc, enum uet_pdc_event event, u64 now);
void uet_pdc_fail(struct uet_pdc *pdc, enum uet_pdc_error error, u8 nack_code, u64 now);

/* pdc_life.c: closing, Start_PSN */
void uet_pdc_close_later(struct uet_pdc *pdc, u64 now);
bool uet_pdc_start_rx_syn(struct uet_pdc *pdc, u32 start_psn, const struct uet_pdc_echo *echo,
			  u64 now);
void uet_pdc_start_obey(struct uet_pdc *pdc, u32 start_psn, u64 now);

/* pdc_slot.c: state of the packets sent */
bool uet_pdc_tx_add_cp(struct uet_pdc *pdc, u8 ctl_type, u64 now);
void uet_pdc_slot_lost(struct uet_pdc *pdc, struct uet_pdc_slot *slot, enum uet_cc_loss why,
		       u64 now);
void uet_pdc_slot_refused(struct uet_pdc *pdc, struct uet_pdc_slot *slot,
			  const struct uet_cc_nack *nack, u64 now);
void uet_pdc_slot_sacked(struct uet_pdc *pdc, struct uet_pdc_slot *slot);
void uet_pdc_slot_done(struct uet_pdc *pdc, struct uet_pdc_slot *slot, u8 rsp_opcode, u8 rc);
struct uet_pdc_slot *uet_pdc_slot_run(const struct uet_pdc *pdc, u32 psn);
struct uet_pdc_slot *uet_pdc_slot_cut(struct uet_pdc *pdc, struct uet_pdc_slot *slot, u32 n);
struct uet_pdc_slot *uet_pdc_slot_single(struct uet_pdc *pdc, u32 psn);
void uet_pdc_slot_expand(struct uet_pdc *pdc, u32 psn, u32 end);
bool uet_pdc_slot_is_out(const struct uet_pdc *pdc, u32 psn);
void uet_pdc_slot_free(struct uet_pdc *pdc, struct uet_pdc_slot *slot);
void uet_pdc_backoff_step(struct uet_pdc *pdc, u64 now);
void uet_pdc_throttle(struct uet_pdc *pdc, u16 space);

/* pdc_loss.c: round trip times, RTO, inferred losses, pauses */
u64 uet_pdc_rto(const struct uet_pdc *pdc);
void uet_pdc_rto_start(struct uet_pdc *pdc, u64 now);
void uet_pdc_rto_restart(struct uet_pdc *pdc, u64 now);
void uet_pdc_rto_fire(struct uet_pdc *pdc, u64 now);
void uet_pdc_loss_received(struct uet_pdc *pdc, const struct uet_pdc_slot *slot, u64 now);
void uet_pdc_loss_trimmed(struct uet_pdc *pdc, const struct uet_pdc_slot *slot, bool retx,
			  u64 now);
void uet_pdc_loss_own_ack(struct uet_pdc *pdc, const struct uet_pdc_slot *slot, bool retx,
			  u64 now);
void uet_pdc_loss_doubtful(struct uet_pdc *pdc, u32 psn);
void uet_pdc_loss_detect(struct uet_pdc *pdc, u64 now);
void uet_pdc_tail_arm(struct uet_pdc *pdc, u64 from);
void uet_pdc_tail_answered(struct uet_pdc *pdc, const struct uet_pds_hdr *hdr, u64 now);
void uet_pdc_pause(struct uet_pdc *pdc, u64 until, u64 now);
void uet_pdc_pause_step(struct uet_pdc *pdc, u64 now);

/* pdc_rx.c */
bool uet_pdc_rx_has(const struct uet_pdc *pdc, u32 psn);

/* pdc_ack_sched.c: pending ACKs and NACKs, CACK_PSN */
void uet_pdc_pend_ack(struct uet_pdc *pdc, const struct uet_pdc_echo *echo,
		      const struct uet_pdc_rsp *rsp);
void uet_pdc_pend_ack_delayed(struct uet_pdc *pdc, const struct uet_pdc_echo *echo,
			      const struct uet_pdc_rsp *rsp, u64 now);
void uet_pdc_pend_delayed(struct uet_pdc *pdc);
void uet_pdc_pend_own_ack(struct uet_pdc *pdc, const struct uet_pdc_echo *echo,
			  const struct uet_pdc_rsp *rsp);
void uet_pdc_pend_sack(struct uet_pdc *pdc, const struct uet_pdc_echo *echo);
void uet_pdc_pend_sack_delayed(struct uet_pdc *pdc, const struct uet_pdc_echo *echo, u64 now);
void uet_pdc_pend_nack(struct uet_pdc *pdc, const struct uet_pdc_echo *echo, u8 code,
		       u32 payload);
void uet_pdc_cancel_answers(struct uet_pdc *pdc);
bool uet_pdc_poll_answer(struct uet_pdc *pdc, struct uet_pdc_tx *tx, u64 now);
void uet_pdc_rx_raise_cack(struct uet_pdc *pdc);
void uet_pdc_gtd_watch(struct uet_pdc *pdc, u64 now);

/* pdc_cc.c: the congestion control context.  Of a PDC that has one, unless NULL is allowed. */
void uet_pdc_cc_queue(struct uet_pdc *pdc, const struct uet_pdc_slot *slot, u32 n, u64 now);
bool uet_pdc_cc_send(struct uet_pdc *pdc, const struct uet_pdc_slot *slot, u64 now,
		     struct uet_cc_send *send);
u32 uet_pdc_cc_send_run(struct uet_pdc *pdc, u32 psn, u32 n, u16 *ev, u64 now);
void uet_pdc_cc_ack_begin(struct uet_pdc *pdc, const struct uet_pds_hdr *hdr,
			  const struct uet_pdc_slot *named, const struct uet_rx_info *in,
			  u64 now);
void uet_pdc_cc_unqueue(struct uet_pdc *pdc, const struct uet_pdc_slot *slot);
void uet_pdc_cc_ack_end(struct uet_pdc *pdc, const struct uet_pds_hdr *hdr, u64 now);
void uet_pdc_cc_read_nack(const struct uet_pdc *pdc, const struct uet_pds_hdr *hdr,
			  const struct uet_rx_info *in, struct uet_cc_nack *nack, u64 now);
void uet_pdc_cc_nacked(struct uet_pdc *pdc, const struct uet_pdc_slot *slot,
		       const struct uet_cc_nack *nack, u64 now);
void uet_pdc_cc_lost(struct uet_pdc *pdc, struct uet_pdc_slot *slot, enum uet_cc_loss why,
		     u64 now);
void uet_pdc_cc_forget(struct uet_pdc *pdc, const struct uet_pdc_slot *slot);
bool uet_pdc_cc_awaits_credit(struct uet_pdc *pdc);
bool uet_pdc_cc_wants_credit(struct uet_pdc *pdc, u32 *target, u64 now);
void uet_pdc_cc_credit(struct uet_pdc *pdc, u32 credit, u64 now);
u64 uet_pdc_cc_deadline(const struct uet_pdc *pdc);
void uet_pdc_cc_probed(struct uet_pdc *pdc, const struct uet_pds_hdr *hdr, u64 rtt_ns, u64 now);
void uet_pdc_cc_advertise_space(struct uet_pdc *pdc, struct uet_ack_nscc *nscc);

#endif /* UET_CORE_PDC_H */
