/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The deterministic simulator: N endpoints built from the very core that is in
 * uet.ko, joined by links with rate, delay, loss, duplication, corruption and
 * reordering, on simulated time.  One struct sim is one run of one scenario;
 * everything that happens in it follows from its parameters, the seed included.
 * Spec: the rules a shell has to keep towards the core, pds.h and ses.h.
 * Level: test.
 *
 *	main.c		command line, TAP
 *	scenario.c	random scenarios	named.c	  hand-made ones:
 *						named_link.c  of links
 *						named_life.c  of receivers, PDCs
 *						named_rudi.c  of RUDI
 *	run.c		one run: events, end conditions, verdict
 *	app.c		senders			ep.c	  receiving endpoints
 *	node.c		PDC table and receive path, as the shell has them
 *	pdc.c		run loop and timer of one PDC
 *	net.c		links and frames	heap.c	  event queue
 *	rudi.c		senders, run loop and target of RUDI
 *	back.c		messages in the return direction of a PDC
 *			named_read_rsp.c  hand-made scenarios of these
 *	read.c		reads and fetching atomics
 *			named_read.c  hand-made scenarios of these
 *	figures.c	figures of long messages
 *	tail.c		figures of single messages that lose packets
 *	cc.c		contexts of congestion control, and turns
 *			named_cc.c  hand-made scenarios of these
 *	secure.c	packets sealed, and an enemy in the network
 *			named_secure.c  hand-made scenarios of these
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
#define SIM_RAILS_MAX	2
#define SIM_EPS		4	/* endpoints of a node, PIDonFEP 0..3, RI 1 */
#define SIM_JOB		7	/* the only job there is */
#define SIM_RI		1
#define SIM_LINGER_NS	(2 * SIM_S)
#define SIM_RUDI_REQS_MAX	0xffff	/* requests of a flow: message ids */

/* ------------------------------------------------------------- scenario */

/* Which messages of a scenario go where none is served. */
enum sim_wrong {
	SIM_WRONG_NONE,
	SIM_WRONG_JOB,
	SIM_WRONG_PID,
	SIM_WRONG_RI,
};

/**
 * struct sim_blackout - a time in which links carry nothing
 * @start_ns: begins
 * @len_ns: lasts; 0 is no blackout, UET_NEVER lasts for ever
 * @node: whose links, in both directions
 * @rails: bit per rail
 */
struct sim_blackout {
	u64 start_ns;
	u64 len_ns;
	u8 node;
	u8 rails;
};

/**
 * struct sim_params - all there is to know about a scenario
 * @seed: of every random choice during the run
 * @nodes: endpoints, 2..SIM_NODES_MAX
 * @rails: 1..SIM_RAILS_MAX
 * @mode: of every PDC
 * @mtu: Payload MTU, bytes
 * @rate_bps: of every link
 * @delay_ns: one way, per rail
 * @jitter_ns: added to each frame's delay at random, up to this
 * @queue_bytes: of a link's queue, then it drops
 * @ecn_bytes: queue from which on frames get CE; 0 never
 * @loss_ppm: frames lost at random
 * @dup_ppm: frames that arrive twice
 * @corrupt_ppm: frames that arrive mangled, and fail their CRC
 * @forge_ppm: frames that arrive mangled, and do not: as if from an enemy, so
 *	only safety is judged, not success
 * @refuse_ppm: packets a receiver refuses for lack of some resource
 * @blackout: a time of silence
 * @pdc: parameters of every PDC
 * @start_psn: of PDCs if not 0, else random
 * @share_pdc: one PDC to a peer, else one to each endpoint of it
 * @pdc_max: target PDCs a node will have
 * @close_pct: messages whose PDC is asked to close under them, per cent
 * @budget: packets a PDC may send at a time, then others have their turn; 0 any
 * @flows: senders; each sends its messages in order to one endpoint
 * @msgs: messages of each flow
 * @depth: messages of a flow in progress at a time
 * @size_min: bytes of a message, at least
 * @size_max: bytes of a message, at most
 * @start_ns: flows begin within this time
 * @incast: all flows go to node 0
 * @stream_pct: messages whose bytes are supplied little by little, per cent
 * @stream_ns: time between two pieces of such a message
 * @abort_pct: of those, given up half way, per cent
 * @wrong_pct: flows that go where no endpoint is, per cent
 * @rcvbuf: receive buffer of an endpoint, bytes
 * @read_bps: readers take this much; 0 no limit
 * @stall_ns: readers do nothing before this time
 * @unbind_ns: at this time endpoint 0 of node 0 goes away; 0 never
 * @may_fail: a message may end in an error with no further reason
 * @reorder_ppm: frames that are held back on their way
 * @reorder_ns: for so long
 * @rudi: parameters of RUDI
 * @rudi_flows: senders of RUDI requests, at most @nodes; each node to the next
 * @rudi_reqs: requests of each of them, at most SIM_RUDI_REQS_MAX
 * @rudi_depth: of these, outstanding at a time
 * @trims: links whose queue is full trim requests instead of dropping them
 * @back_pct: messages that the receiver answers with one of its own, on the same
 *	PDC, per cent
 * @back_min: bytes of such an answer, at least
 * @back_max: bytes of such an answer, at most
 * @back_free: nobody waits for them, a PDC may be closed under them
 * @read_pct: messages that are reads, per cent
 * @fetch_pct: of the others, those that are fetching atomics, per cent
 * @short_headers: messages have the shortest header that they may have
 * @is_secure: packets are sealed
 * @attack_ppm: of these, those with which an enemy does something
 * @cc: what congestion control believes of the network, if @pdc.has_cc
 * @paths: how its contexts choose entropy values
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
 * struct sim_trace - what to print of a run
 * @from_ns: simulated time from which on
 * @lines: at most so many lines; 0 nothing
 */
struct sim_trace {
	u64 from_ns;
	u64 lines;
};

/**
 * struct sim_count - what happened in a run
 * @sent: frames handed to the network
 * @lost: frames lost at random or in a blackout
 * @lost_req: requests among them
 * @tail_dropped: frames that met a full queue
 * @dup: frames doubled
 * @corrupt: frames mangled and noticed
 * @forged: frames mangled and not noticed
 * @ce: frames marked Congestion Experienced
 * @refused: requests refused by receivers
 * @ok: messages that succeeded
 * @failed: messages that failed
 * @bytes: message bytes read and right
 * @opened: initiator PDCs
 * @accepted: target PDCs
 * @mismatch: packets of a PDC with another identity
 * @no_pdc: packets for no PDC
 * @trimmed: requests trimmed by a full queue
 * @pdc: sums over all PDCs that died
 * @rudi_lost: RUDI requests among the frames lost
 * @rudi_ok: RUDI requests that were answered
 * @rudi_failed: RUDI requests that failed
 * @rudi_executed: executions of RUDI requests
 * @rudi_ooo: of these, after a later request
 * @rudi_stale: answers to RUDI requests that were not outstanding
 * @rudi: sums over all flows
 * @back_sent: messages in the return direction
 * @back_ok: of these, succeeded
 * @back_failed: failed, and did not arrive
 * @back_crossed: arrived, but their sender was told of a failure
 * @back_refused: not to be had, because the PDC was closing
 * @protocol: PDCs that died of UET_PDC_ERR_PROTOCOL
 * @told: of UET_PDC_ERR_NACK
 * @read_ok: reads and fetching atomics that succeeded, with the right data
 * @read_in_ack: packets of data that came with the ACK
 * @read_back: packets of data that came in the return direction
 * @read_refused: requests that found no space for their data
 * @attacks: frames of an enemy
 * @tss_opened: sealed packets that were taken
 * @tss_refused: and those that were not
 * @contexts: of congestion control
 * @cc_waits: times a PDC found its window full
 * @cc_marked: sums over all contexts that ended, as the next ones
 * @cc_trims: trimmed packets
 * @cc_losses: packets taken for lost
 * @cc_found: of these, acknowledged after all
 * @cc_decreases: times a window was cut
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
 * struct sim_event - something to happen
 * @at: when, ns
 * @order: events of one time run in the order they were added
 * @fn: what
 * @arg: to what; must live until then
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
 * struct sim_frame - a packet on its way
 * @link: among all frames, so that none is lost to the leak checker
 * @from: node that sent it
 * @to: node it is for
 * @rail: it travels on
 * @ev: entropy value
 * @ce: marked Congestion Experienced
 * @corrupt: its CRC is wrong
 * @trimmed: it has lost all but its first bytes, and its CRC
 * @is_evil: an enemy has made it: nobody has sealed these bytes for @to
 * @op: opened: what its security header said
 * @len: bytes of PDS header and all behind it, or of what that is sealed in
 * @data: these bytes
 */
struct sim_frame {
	struct list_head link;
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
 * @busy_ns: time at which what is queued has been sent
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
 * @flow: of which flow
 * @nr: number in the run, from 1; travels as header data
 * @pdc: PDC it is on
 * @piece: bytes the sender supplies at a time; 0 all at once
 * @abort_at: given up when this much is supplied; U32_MAX never
 * @aborted: given up
 * @delivered: complete at the receiver so many times
 * @finished: verdict known
 * @error: verdict: 0 or a negative errno
 * @start_ns: begun
 * @done_ns: verdict known
 * @for_nr: the message that it answers; 0: none, it is of a flow
 * @awaits_read_rsp: an answer to it is due
 * @is_answered: one was sent
 * @amo: of a fetching atomic
 * @data: what was read; NULL for a message that reads nothing
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
 * @node: where it is
 * @to: where it sends
 * @wrong: what is wrong with its target address
 * @addr: target address
 * @started: messages begun
 * @active: messages in progress
 * @last_pdc: its message delivered last came on this PDC; then those of the
 *	return direction
 * @last_nr: and was this one
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
 * @node: where it is
 * @bound: it serves its address
 * @reserved: bytes of the receive buffer promised to messages
 * @held: bytes in the receive buffer
 * @ready: messages with bytes to read, struct sim_rx.ready
 * @reading: an event for the reader is pending
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
 * @ready: in the list of its endpoint
 * @ep: its endpoint
 * @readable: pieces taken from SES and not read
 * @reserved: bytes promised to it
 * @held: bytes present
 * @read: bytes read and compared
 * @complete: all bytes are here
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
 * struct sim_pdc - a PDC and what the shell keeps with it
 * @link: in the node's list, later among the dead
 * @sim: the run
 * @node: where it is
 * @peer: node at the other end
 * @pid: initiator: endpoint it serves, or SIM_EPS if all
 * @id: our PDCID
 * @peer_id: target: spdcid of its SYN
 * @syn_psn: target: Start_PSN of its SYN
 * @start_psn: target: the one it began with
 * @time_wait_ns: target that has ended: until then late copies of its SYN open no
 *	other PDC
 * @has_failed: it ended in error
 * @role: initiator or target
 * @pdc: core object; NULL when dead
 * @ses: its messages
 * @timer_ns: time of the timer event that counts, UET_NEVER if none
 * @again: it has more to send and an event to do so
 * @storm_ns: time of the last event
 * @storm: events at that time
 * @owed: messages that are due in the return direction
 * @is_started: target of sealed packets that began where it wanted
 * @ccc: its context of congestion control, or NULL
 * @cc_wait: in the line of @ccc
 * @cc_last: the turn of @ccc that has to be its own, at the latest
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
	u32 owed;
	bool is_started;
	struct sim_ccc *ccc;
	struct list_head cc_wait;
	u64 cc_last;
};

/**
 * struct sim_node - a fabric endpoint
 * @pdcs: living PDCs
 * @targets: how many of them are targets
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
 * @executed: so many times
 * @reported: so many outcomes
 */
struct sim_rudi_req {
	u32 executed;
	u32 reported;
};

/**
 * struct sim_rudi - RUDI requests of one node to another
 * @sim: the run
 * @node: where they come from
 * @to: where they go
 * @rudi: core object
 * @req: requests, by number
 * @started: requests handed to the core
 * @active: of these, without outcome
 * @newest: highest number of a request that was executed
 * @timer_ns: time of the timer event that counts, UET_NEVER if none
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
 * @par: what is run
 * @now: simulated time, ns
 * @rng: of the run
 * @heap: events to come
 * @node: endpoints
 * @flow: senders
 * @msg: all messages, by number - 1
 * @frames: frames under way
 * @dead: PDCs of the past; their structs stay for late timers
 * @cccs: contexts of congestion control, of the past too
 * @nr_msgs: messages begun
 * @rudi: senders of RUDI requests
 * @unfinished: messages and RUDI requests without a verdict
 * @living: PDCs alive
 * @finish_ns: time of the last verdict on a message
 * @events: events so far
 * @count: what happened
 * @failed: the run is over, @why says why
 * @why: first failure
 * @secure: of packets that are sealed, or NULL
 * @trace: print what happens
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
 * struct sim_answer - where a request stands that asks for data
 * @p: its PDC, which waits for accept or refuse
 * @hdr: its PDS header
 * @req: its SES header
 * @in: what the network says of it
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
