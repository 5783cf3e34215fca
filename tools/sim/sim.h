/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The deterministic simulator: N endpoints built from the same core as uet.ko,
 * connected by links with rate, delay, loss, duplication, corruption and
 * reordering, on simulated time.  One struct sim is one run of one scenario.
 * The parameters, including the seed, determine every event of a run.
 * Spec: the rules a shell has to keep towards the core, pds.h and ses.h.
 * Level: test.
 *
 * main.c		command line, TAP
 * scenario.c	random scenarios
 * named.c		named scenarios:
 *		  named_link.c		links
 *		  named_life.c		receivers, PDCs
 *		  named_rudi.c		RUDI
 *		  named_back.c		return direction of a PDC
 *		  named_read.c		reads and fetching atomics
 *		  named_secure.c	sealed packets
 *		  named_cc.c		congestion control
 * run.c		one run: events, end conditions, verdict
 * app.c		senders
 * ep.c		receiving endpoints
 * node.c		PDC table and receive path, as the shell has them
 * pdc.c		run loop and timer of one PDC
 * net.c		links and frames
 * heap.c		event queue
 * rudi.c		senders, run loop and target of RUDI
 * back.c		messages in the return direction of a PDC
 * read.c		reads and fetching atomics
 * cc.c		congestion control contexts, and quanta
 * secure.c	sealed packets, and an attacker in the network
 * figures.c	figures of long messages
 * tail.c		figures of single messages that lose packets
 */
#ifndef UET_SIM_H
#define UET_SIM_H

#include <stdio.h>

#include "core/cms/ccc.h"
#include "core/pds/rudi.h"
#include "core/ses/ses.h"
#include "core/tss/tss.h"

#define SIM_US		1000ULL
#define SIM_MS		1000000ULL
#define SIM_S		1000000000ULL
#define SIM_NODES_MAX	16
#define SIM_RAILS_MAX	16
#define SIM_EPS		4	/* endpoints per node, PIDonFEP 0..3, RI 1 */
#define SIM_JOB		7	/* the only job */
#define SIM_RI		1
#define SIM_LINGER_NS	(2 * SIM_S)	/* life of a copy of a SYN at most */
#define SIM_RUDI_REQS_MAX	0xffff	/* requests per flow: message ids are 16 bits */

/* ------------------------------------------------------------- scenario */

/* The part of the target address that is wrong. */
enum sim_wrong {
	SIM_WRONG_NONE,
	SIM_WRONG_JOB,
	SIM_WRONG_PID,
	SIM_WRONG_RI,
};

/**
 * struct sim_blackout - a period during which links carry nothing
 * @start_ns: start, ns
 * @len_ns: length, ns; 0: no blackout; UET_NEVER: no end
 * @node: node whose links are affected, in both directions
 * @rails: affected rails, one bit per rail
 */
struct sim_blackout {
	u64 start_ns;
	u64 len_ns;
	u8 node;
	u16 rails;
};

/**
 * struct sim_params - parameters of a scenario
 * @seed: seed of every random choice during the run
 * @nodes: number of nodes, 2..SIM_NODES_MAX
 * @rails: number of rails, 1..SIM_RAILS_MAX
 * @mode: delivery mode of every PDC
 * @mtu: Payload MTU, bytes
 * @rate_bps: rate of every link, bit/s
 * @delay_ns: one-way delay per rail, ns
 * @jitter_ns: largest random addition to the delay of a frame, ns
 * @queue_bytes: capacity of the queue of a link, bytes; beyond it frames are
 *	dropped
 * @ecn_bytes: queue length above which frames are marked CE, bytes; 0: never
 * @loss_ppm: frames lost at random, ppm
 * @dup_ppm: frames that arrive twice, ppm
 * @corrupt_ppm: frames that arrive corrupted and fail their CRC, ppm
 * @forge_ppm: frames that arrive corrupted and pass their CRC, ppm: they stand
 *	for frames of an attacker, so only safety is verified, not success
 * @refuse_ppm: packets that a receiver refuses for lack of resources, ppm
 * @early_ppm: ROD: of the requests that arrive before earlier ones, those that a receiver
 *	keeps, ppm; 0: it is a receiver of go-back-N
 * @blackout: a period without any frames
 * @pdc: parameters of every PDC
 * @start_psn: Start_PSN of PDCs; 0: random
 * @share_pdc: one PDC per peer, else one per endpoint of the peer
 * @pdc_max: target PDCs per node at most
 * @close_pct: messages whose PDC is closed while they are in progress, per cent
 * @budget: packets that a PDC may send in a row; 0: no limit
 * @flows: number of senders; each sends its messages in order to one endpoint
 * @msgs: messages per flow
 * @depth: messages of a flow in progress at the same time
 * @size_min: smallest message, bytes
 * @size_max: largest message, bytes
 * @start_ns: flows start within this time, ns
 * @incast: all flows send to node 0
 * @stream_pct: messages whose bytes are supplied in pieces, per cent
 * @stream_ns: time between two pieces of such a message, ns
 * @abort_pct: of these, messages aborted half way, per cent
 * @wrong_pct: flows to an address without an endpoint, per cent
 * @rcvbuf: receive buffer of an endpoint, bytes
 * @read_bps: rate of the readers, bit/s; 0: no limit
 * @stall_ns: readers are idle before this time, ns
 * @unbind_ns: when endpoint 0 of node 0 is closed, ns; 0: never
 * @may_fail: a message may fail without a further reason
 * @reorder_ppm: frames that are delayed additionally, ppm
 * @reorder_ns: this additional delay, ns
 * @rudi: parameters of RUDI
 * @rudi_flows: senders of RUDI requests, at most @nodes; each node sends to the
 *	next
 * @rudi_reqs: requests per RUDI sender, at most SIM_RUDI_REQS_MAX
 * @rudi_depth: outstanding requests per RUDI sender at most
 * @trims: links with a full queue trim requests instead of dropping them
 * @back_pct: messages that the receiver answers with a message of its own, on
 *	the same PDC, per cent
 * @back_min: smallest such answer, bytes
 * @back_max: largest such answer, bytes
 * @back_free: a PDC does not wait for such answers before it closes
 * @read_pct: messages that are reads, per cent
 * @fetch_pct: of the other messages, fetching atomics, per cent
 * @short_headers: messages have the shortest header possible
 * @is_secure: packets are sealed
 * @attack_ppm: sealed packets that an attacker uses, ppm
 * @cc: network parameters for congestion control, if @pdc.has_cc
 * @paths: policy of the contexts for entropy values
 */
struct sim_params {
	u64 seed;
	u32 nodes;
	u32 rails;
	enum uet_pdc_mode mode;
	u32 mtu;
	u64 rate_bps;
	u64 delay_ns[SIM_RAILS_MAX];
	u64 jitter_ns;
	u32 queue_bytes;
	u32 ecn_bytes;
	u32 loss_ppm;
	u32 dup_ppm;
	u32 corrupt_ppm;
	u32 forge_ppm;
	u32 refuse_ppm;
	u32 early_ppm;
	struct sim_blackout blackout;
	struct uet_pdc_cfg pdc;
	u32 start_psn;
	bool share_pdc;
	u32 pdc_max;
	u32 close_pct;
	u32 budget;
	u32 flows;
	u32 msgs;
	u32 depth;
	u32 size_min;
	u32 size_max;
	u64 start_ns;
	bool incast;
	u32 stream_pct;
	u64 stream_ns;
	u32 abort_pct;
	u32 wrong_pct;
	u32 rcvbuf;
	u64 read_bps;
	u64 stall_ns;
	u64 unbind_ns;
	bool may_fail;
	u32 reorder_ppm;
	u64 reorder_ns;
	struct uet_rudi_cfg rudi;
	u32 rudi_flows;
	u32 rudi_reqs;
	u32 rudi_depth;
	bool trims;
	u32 back_pct;
	u32 back_min;
	u32 back_max;
	bool back_free;
	u32 read_pct;
	u32 fetch_pct;
	bool short_headers;
	bool is_secure;
	u32 attack_ppm;
	struct uet_cc_cfg cc;
	struct uet_ev_cfg paths;
};

/**
 * struct sim_trace - output of a run
 * @from_ns: simulated time at which the output starts, ns
 * @lines: lines at most; 0: none
 */
struct sim_trace {
	u64 from_ns;
	u64 lines;
};

/**
 * struct sim_count - counters of a run
 * @sent: frames handed to the network
 * @lost: frames lost at random or in a blackout
 * @lost_req: of these, requests
 * @tail_dropped: frames dropped by a full queue
 * @dup: frames duplicated
 * @corrupt: frames corrupted and detected
 * @forged: frames corrupted and not detected
 * @ce: frames marked Congestion Experienced
 * @refused: requests refused by receivers
 * @ok: messages that succeeded
 * @failed: messages that failed
 * @bytes: message bytes read and correct
 * @opened: initiator PDCs
 * @accepted: target PDCs
 * @mismatch: packets of a PDC with other PDCIDs
 * @no_pdc: packets without a PDC
 * @trimmed: requests trimmed by a full queue
 * @pdc: sums over all PDCs that ended
 * @rudi_lost: RUDI requests among the lost frames
 * @rudi_ok: RUDI requests answered
 * @rudi_failed: RUDI requests failed
 * @rudi_executed: executions of RUDI requests
 * @rudi_ooo: of these, executions after a later request
 * @rudi_stale: answers to RUDI requests that were not outstanding
 * @rudi: sums over all RUDI senders
 * @back_sent: messages in the return direction
 * @back_ok: of these, succeeded
 * @back_failed: of these, failed and did not arrive
 * @back_crossed: of these, arrived, but failed at their sender
 * @back_refused: answers not sent, because the PDC was closing
 * @protocol: PDCs that failed with UET_PDC_ERR_PROTOCOL
 * @told: PDCs that failed with UET_PDC_ERR_NACK
 * @read_ok: reads and fetching atomics that succeeded with correct data
 * @read_in_ack: packets of data that arrived in an ACK
 * @read_back: packets of data that arrived in the return direction
 * @read_refused: requests refused for lack of space for their data
 * @attacks: frames sent by the attacker
 * @tss_opened: sealed packets accepted
 * @tss_refused: sealed packets refused
 * @contexts: congestion control contexts
 * @cc_waits: times a PDC found its window full
 * @cc_marked: marked packets; like the next ones a sum over all contexts that
 *	ended
 * @cc_trims: trimmed packets
 * @cc_losses: packets inferred lost
 * @cc_found: of these, packets acknowledged later
 * @cc_decreases: window reductions
 */
struct sim_count {
	u64 sent;
	u64 lost;
	u64 lost_req;
	u64 tail_dropped;
	u64 dup;
	u64 corrupt;
	u64 forged;
	u64 ce;
	u64 refused;
	u64 ok;
	u64 failed;
	u64 bytes;
	u64 opened;
	u64 accepted;
	u64 mismatch;
	u64 no_pdc;
	u64 trimmed;
	struct uet_pdc_stats pdc;
	u64 rudi_lost;
	u64 rudi_ok;
	u64 rudi_failed;
	u64 rudi_executed;
	u64 rudi_ooo;
	u64 rudi_stale;
	struct uet_rudi_stats rudi;
	u64 back_sent;
	u64 back_ok;
	u64 back_failed;
	u64 back_crossed;
	u64 back_refused;
	u64 protocol;
	u64 told;
	u64 read_ok;
	u64 read_in_ack;
	u64 read_back;
	u64 read_refused;
	u64 attacks;
	u64 tss_opened;
	u64 tss_refused;
	u64 contexts;
	u64 cc_waits;
	u64 cc_marked;
	u64 cc_trims;
	u64 cc_losses;
	u64 cc_found;
	u64 cc_decreases;
};

/* --------------------------------------------------------------- randomness */

struct sim_rng {
	u64 state;
};

u64 sim_mix(u64 v);
u64 sim_rand(struct sim_rng *rng);
u64 sim_below(struct sim_rng *rng, u64 n);
u64 sim_between(struct sim_rng *rng, u64 lo, u64 hi);
bool sim_chance(struct sim_rng *rng, u32 ppm);

/* ------------------------------------------------------------------- events */

struct sim;

/**
 * struct sim_event - an event
 * @at: time, ns
 * @order: serial number; events of the same time run in this order
 * @fn: function to call
 * @arg: its argument; must be valid until then
 */
struct sim_event {
	u64 at;
	u64 order;
	void (*fn)(struct sim *sim, void *arg);
	void *arg;
};

struct sim_heap {
	struct sim_event *ev;
	size_t nr;
	size_t space;
	u64 order;
};

void sim_at(struct sim *sim, u64 at, void (*fn)(struct sim *, void *),
	    void *arg);
bool sim_heap_pop(struct sim_heap *heap, struct sim_event *ev);

/* ----------------------------------------------------------------- network */

/**
 * struct sim_frame - a frame in flight
 * @link: entry in the list of all frames, so that the leak checker finds them, or in
 *	sim_pdc.early
 * @psn: in sim_pdc.early: PSN of the request
 * @from: sending node
 * @to: receiving node
 * @rail: rail that carries the frame
 * @ev: entropy value
 * @ce: marked CE
 * @corrupt: the CRC is wrong
 * @trimmed: trimmed: only the first bytes are left, without CRC
 * @is_evil: sent by the attacker: no node sealed these bytes for @to
 * @op: contents of the security header of an opened frame
 * @len: bytes of the PDS header and all behind it, or of the sealed packet
 * @data: these bytes
 */
struct sim_frame {
	struct list_head link;
	u32 psn;
	u8 from;
	u8 to;
	u8 rail;
	u16 ev;
	bool ce;
	bool corrupt;
	bool trimmed;
	bool is_evil;
	struct uet_tss_op op;
	u32 len;
	u8 data[];
};

/**
 * struct sim_link - one direction of the cable between a node and a plane
 * @busy_ns: time at which the queue has been sent, ns
 */
struct sim_link {
	u64 busy_ns;
};

struct sim_frame *sim_frame_new(struct sim *sim, u32 space);
void sim_frame_free(struct sim_frame *frame);
void sim_net_send(struct sim *sim, struct sim_frame *frame);
void sim_net_carry(struct sim *sim, struct sim_frame *frame);
u32 sim_nominal_bytes(u32 len);

/* ------------------------------------------------------------ the endpoints */

struct sim_ccc;
struct sim_flow;
struct sim_pdc;

/**
 * struct sim_msg - a message from the first byte supplied to the verdict
 * @tx: for SES
 * @flow: flow of the message
 * @nr: serial number in the run, from 1; sent as header data
 * @pdc: PDC of the message
 * @piece: bytes per piece that the sender supplies; 0: all at once
 * @abort_at: bytes supplied at which the message is aborted; U32_MAX: never
 * @aborted: the message was aborted
 * @delivered: number of deliveries at the receiver
 * @finished: the verdict is known
 * @error: verdict: 0 or a negative errno
 * @start_ns: time of the start, ns
 * @done_ns: time of the verdict, ns
 * @for_nr: number of the message that this one answers; 0: message of a flow
 * @awaits_read_rsp: an answer to the message is pending
 * @is_answered: the answer was sent
 * @amo: operation of a fetching atomic
 * @data: data read; NULL for a message that reads nothing
 */
struct sim_msg {
	struct uet_ses_tx tx;
	struct sim_flow *flow;
	u32 nr;
	struct sim_pdc *pdc;
	u32 piece;
	u32 abort_at;
	bool aborted;
	u32 delivered;
	bool finished;
	int error;
	u64 start_ns;
	u64 done_ns;
	u32 for_nr;
	bool awaits_read_rsp;
	bool is_answered;
	struct uet_ses_amo amo;
	u8 *data;
};

/**
 * struct sim_flow - a sender
 * @node: sending node
 * @to: receiving node
 * @wrong: part of the target address that is wrong
 * @addr: target address
 * @started: messages started
 * @active: messages in progress
 * @last_pdc: PDC of the message delivered last; [1]: in the return direction
 * @last_nr: number of that message
 */
struct sim_flow {
	u8 node;
	u8 to;
	enum sim_wrong wrong;
	struct uet_ses_addr addr;
	u32 started;
	u32 active;
	const struct sim_pdc *last_pdc[2];
	u32 last_nr[2];
};

/**
 * struct sim_ep - a receiving endpoint and its reader
 * @sim: the run
 * @node: node of the endpoint
 * @bound: the endpoint serves its address
 * @reserved: bytes of the receive buffer reserved for messages
 * @held: bytes in the receive buffer
 * @ready: messages with bytes to read, by struct sim_rx.ready
 * @reading: an event of the reader is pending
 */
struct sim_ep {
	struct sim *sim;
	u8 node;
	bool bound;
	u32 reserved;
	u32 held;
	struct list_head ready;
	bool reading;
};

/**
 * struct sim_rx - a message at a receiver
 * @rx: for SES
 * @ready: entry in the list of its endpoint
 * @ep: its endpoint
 * @readable: segments taken from SES and not read
 * @reserved: bytes of the receive buffer reserved for it
 * @held: bytes in the receive buffer
 * @read: bytes read and compared
 * @complete: all bytes have arrived
 */
struct sim_rx {
	struct uet_ses_rx rx;
	struct list_head ready;
	struct sim_ep *ep;
	struct list_head readable;
	u32 reserved;
	u32 held;
	u32 read;
	bool complete;
};

/**
 * struct sim_seg - payload of a received packet
 * @seg: for SES
 * @data: its bytes
 */
struct sim_seg {
	struct uet_ses_seg seg;
	u8 data[];
};

/**
 * struct sim_pdc - a PDC and the state that a shell keeps with it
 * @link: entry in the list of the node, later in that of ended PDCs
 * @sim: the run
 * @node: node of this end
 * @peer: node at the other end
 * @pid: initiator: endpoint that the PDC serves; SIM_EPS: all
 * @id: our PDCID
 * @peer_id: target: spdcid of its SYN
 * @syn_psn: target: Start_PSN of its SYN
 * @start_psn: target: the Start_PSN used
 * @time_wait_ns: ended target: until this time late copies of its SYN open no
 *	other PDC, ns
 * @has_failed: the PDC ended in error
 * @role: initiator or target
 * @pdc: core object; NULL when ended
 * @ses: SES of the PDC
 * @timer_ns: time of the valid timer event, ns; UET_NEVER if none
 * @again: the PDC has more to send, and an event for it
 * @storm_ns: time of the last event, ns
 * @storm: number of events at that time
 * @early: frames of requests that arrived before earlier ones, in PSN order
 * @pending: messages pending in the return direction
 * @is_started: target of sealed packets that started at the Start_PSN it
 *	demanded
 * @ccc: congestion control context, or NULL
 * @cc_wait: entry in the queue of @ccc
 * @cc_last: number of the quantum of @ccc that this PDC must get at the latest
 */
struct sim_pdc {
	struct list_head link;
	struct sim *sim;
	u8 node;
	u8 peer;
	u16 pid;
	u16 id;
	u16 peer_id;
	u32 syn_psn;
	u32 start_psn;
	u64 time_wait_ns;
	bool has_failed;
	enum uet_pdc_role role;
	struct uet_pdc *pdc;
	struct uet_ses ses;
	u64 timer_ns;
	bool again;
	u64 storm_ns;
	u32 storm;
	struct list_head early;
	u32 pending;
	bool is_started;
	struct sim_ccc *ccc;
	struct list_head cc_wait;
	u64 cc_last;
};

/**
 * struct sim_node - a fabric endpoint
 * @pdcs: PDCs that have not ended
 * @targets: number of target PDCs
 * @next_id: next PDCID to try
 * @ep: endpoints by PIDonFEP
 * @up: links from the node into each rail's plane
 * @down: links from each plane to the node
 */
struct sim_node {
	struct list_head pdcs;
	u32 targets;
	u16 next_id;
	struct sim_ep ep[SIM_EPS];
	struct sim_link up[SIM_RAILS_MAX];
	struct sim_link down[SIM_RAILS_MAX];
};

/**
 * struct sim_rudi_req - a RUDI request
 * @executed: number of executions
 * @reported: number of outcomes reported
 */
struct sim_rudi_req {
	u32 executed;
	u32 reported;
};

/**
 * struct sim_rudi - RUDI requests of one node to another
 * @sim: the run
 * @node: sending node
 * @to: receiving node
 * @rudi: core object
 * @req: requests, by number
 * @started: requests handed to the core
 * @active: of these, requests without an outcome
 * @newest: highest number of an executed request
 * @timer_ns: time of the valid timer event, ns; UET_NEVER if none
 */
struct sim_rudi {
	struct sim *sim;
	u8 node;
	u8 to;
	struct uet_rudi_peer *rudi;
	struct sim_rudi_req *req;
	u32 started;
	u32 active;
	u32 newest;
	u64 timer_ns;
};

/**
 * struct sim - one run
 * @par: parameters of the scenario
 * @now: simulated time, ns
 * @rng: random numbers of the run
 * @heap: pending events
 * @node: endpoints
 * @flow: senders
 * @msg: all messages, by number - 1
 * @frames: frames in flight
 * @dead: ended PDCs; kept for late timer events
 * @cccs: congestion control contexts, including those without PDCs
 * @nr_msgs: messages started
 * @rudi: senders of RUDI requests
 * @unfinished: messages and RUDI requests without a verdict
 * @living: PDCs that have not ended
 * @finish_ns: time of the last verdict on a message, ns
 * @events: events processed
 * @count: counters
 * @failed: the run has failed, for the reason @why
 * @why: first failure
 * @secure: state of sealed packets, or NULL
 * @trace: output
 */
struct sim {
	struct sim_params par;
	u64 now;
	struct sim_rng rng;
	struct sim_heap heap;
	struct sim_node node[SIM_NODES_MAX];
	struct sim_flow *flow;
	struct sim_msg *msg;
	struct list_head frames;
	struct list_head dead;
	struct list_head cccs;
	u32 nr_msgs;
	struct sim_rudi rudi[SIM_NODES_MAX];
	u32 unfinished;
	u32 living;
	u64 finish_ns;
	u64 events;
	struct sim_count count;
	bool failed;
	char why[256];
	struct sim_secure *secure;
	struct sim_trace trace;
};

/* run.c */
bool sim_run(struct sim *sim, const struct sim_params *par,
	     const struct sim_trace *trace);
void sim_print(const struct sim *sim);
void sim_fini(struct sim *sim);
void sim_fail(struct sim *sim, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void sim_note(struct sim *sim, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void sim_payload_fill(u32 nr, u32 offset, u8 *buf, u32 len);
bool sim_payload_equal(u32 nr, u32 offset, const u8 *buf, u32 len);

/* app.c */
void sim_app_init(struct sim *sim);
void sim_app_done(struct sim *sim, struct list_head *done);
void sim_app_delivered(struct sim *sim, const struct uet_ses_rx *rx);
void sim_app_verdict(struct sim *sim);

/* ep.c */
void sim_ep_init(struct sim *sim, u8 node);
void sim_ep_fini(struct sim_ep *ep);
void sim_ep_verdict(struct sim_ep *ep);
void sim_ep_unbind(struct sim *sim, void *arg);
void sim_ep_rx(struct sim_pdc *p, const struct uet_pds_hdr *hdr,
	       const struct uet_ses_req *req, const struct uet_rx_info *in,
	       const u8 *data, u32 len);
void sim_ep_forget(struct sim_pdc *p);

/* node.c */
void sim_node_rx(struct sim *sim, void *frame);
struct sim_pdc *sim_node_initiator(struct sim *sim, u8 node, u8 peer, u16 pid);
void sim_node_answer(struct sim *sim, u8 from, u8 to,
		     const struct uet_pdc_tx *tx);

/* pdc.c */
struct sim_pdc *sim_pdc_new(struct sim *sim, u8 node, u8 peer,
			    const struct uet_pdc_open *open);
void sim_pdc_run(struct sim_pdc *p);
void sim_pdc_time_wait(struct sim_pdc *p);
void sim_pdc_free(struct sim_pdc *p);

/* rudi.c */
void sim_rudi_init(struct sim *sim);
void sim_rudi_verdict(struct sim *sim);
void sim_rudi_fini(struct sim *sim);
void sim_rudi_rx(struct sim *sim, const struct sim_frame *frame,
		 const struct uet_pds_hdr *hdr, const struct uet_rx_info *in,
		 const u8 *rest);
void sim_rudi_rx_nack(struct sim *sim, const struct sim_frame *frame,
		      const struct uet_pds_hdr *hdr);

/* back.c */
void sim_read_rsp_expect(struct sim *sim, struct sim_msg *msg);
void sim_read_rsp_settle(struct sim *sim, struct sim_msg *msg);
void sim_read_rsp_delivered(struct sim_pdc *p, u32 nr);
void sim_read_rsp_hold(struct sim_pdc *p);
void sim_read_rsp_done(struct sim *sim, struct sim_msg *msg);
bool sim_read_rsp_may_fail(struct sim *sim, const struct sim_msg *msg);

/* read.c */

/**
 * struct sim_answer - a request for data and its context
 * @p: PDC of the request, which expects accept or refuse
 * @hdr: PDS header of the request
 * @req: SES header of the request
 * @in: reception attributes
 */
struct sim_answer {
	struct sim_pdc *p;
	const struct uet_pds_hdr *hdr;
	const struct uet_ses_req *req;
	const struct uet_rx_info *in;
};

void sim_read_compose(struct sim *sim, struct sim_msg *msg);
void sim_read_rx(const struct sim_answer *a);
size_t sim_read_put(const struct uet_pds_pkt *pkt, u8 *buf, size_t space);
void sim_read_rx_data(struct sim_pdc *p, const struct uet_pds_hdr *hdr,
		      const struct uet_rx_info *in,
		      const struct uet_ses_rsp *rsp, const u8 *data, u32 len);
void sim_read_rx_ack(struct sim_pdc *p, const struct uet_pds_hdr *hdr,
		     const struct uet_rx_info *in,
		     const struct uet_ses_rsp *rsp, const u8 *data, u32 len);
void sim_read_free_rsps(struct sim_pdc *p);
void sim_read_done(struct sim *sim, struct sim_msg *msg);

/* scenario.c */
void sim_params_default(struct sim_params *par);
void sim_params_random(struct sim_params *par, u64 seed);
void sim_params_print(const struct sim_params *par, FILE *out);

/* figures.c */
void sim_figures(void);

/* secure.c */
void sim_secure_init(struct sim *sim);
void sim_secure_fini(struct sim *sim);
struct sim_frame *sim_secure_seal(struct sim *sim, struct sim_frame *frame);
bool sim_secure_open(struct sim *sim, struct sim_frame *frame);
void sim_secure_open_pdc(struct sim *sim, const struct sim_frame *frame,
			 struct uet_pdc_open *open);
void sim_secure_note_start(struct sim_pdc *p, const struct sim_frame *frame);
void sim_secure_end_pdc(struct sim_pdc *p);
void sim_secure_attack(struct sim *sim, struct sim_frame *frame);

/* tail.c */
void sim_tail_figures(void);

#endif
