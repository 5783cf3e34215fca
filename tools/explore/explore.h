/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The explorer: two endpoints built from the same core as uet.ko, in small worlds.  A world
 * has a few messages, and a network and an environment with a few faults.  The explorer
 * visits all states that a world can reach, depth first, and checks invariants in each.
 * Spec: the rules a shell has to keep towards the core, pds.h and ses.h.
 * Level: test.
 *
 * main.c	command line, TAP
 * worlds.c	the worlds
 * search.c	depth first search, fair continuations, shortest traces
 * table.c	set of visited states
 * action.c	what can happen in a state
 * state.c	copies of a state, and its hash
 * node.c	PDC table and receive path, as the shell has them
 * pdc.c	run loop of one PDC
 * check.c	what both ends must agree on
 * app.c	senders and receivers of messages
 * secure.c	sealed packets
 * plants.c	names of the planted errors, and how they are found
 */
#ifndef UET_EXPLORE_H
#define UET_EXPLORE_H

#include <stdio.h>

#include "core/pds/pdc.h"
#include "core/ses/ses.h"
#include "core/tss/tss.h"

#define EX_US		1000ULL
#define EX_MS		1000000ULL
#define EX_S		1000000000ULL
#define EX_NODES	2
#define EX_PDCS		4	/* per node, those in TIME_WAIT included */
#define EX_MSGS		6
#define EX_PKTS		6	/* per message */
#define EX_RXS		4	/* incomplete messages per PDC */
#define EX_READ_RSPS	4
#define EX_WINDOW_MAX	8
#define EX_FRAMES	20
#define EX_FRAME_BYTES	128
#define EX_MTU		UET_MTU_MIN
#define EX_JOB		7
#define EX_LIFE_NS	(2 * EX_S)	/* life of a packet at most, and TIME_WAIT */
#define EX_SLACK_NS	(5 * EX_MS)	/* a timer may be so late */

/**
 * enum ex_fault - what a world may do to the endpoints, a limited number of times
 * @EX_LOSE: lose a packet, or corrupt it so that its CRC is wrong
 * @EX_DUP: deliver a packet, and keep a copy
 * @EX_EARLY: let a timer expire while packets are in flight, or before an earlier one
 * @EX_MARK: mark a packet IP CE, and deliver it
 * @EX_TRIM: trim a request, and deliver its first bytes
 * @EX_CORRUPT: change a sealed packet, and deliver it
 * @EX_CLOSE: close a PDC at either end
 * @EX_ABORT: abort the PDC of a target, as an administrator may
 * @EX_FORGET: a target loses the state of a PDC
 * @EX_REFUSE: a target has no resources for a new request
 * @EX_NACK: a target sends a NACK with any code for the oldest packet in flight
 * @EX_REKEY: both nodes begin to use another key
 * @EX_FAULTS: number of faults
 */
enum ex_fault {
	EX_LOSE,
	EX_DUP,
	EX_EARLY,
	EX_MARK,
	EX_TRIM,
	EX_CORRUPT,
	EX_CLOSE,
	EX_ABORT,
	EX_FORGET,
	EX_REFUSE,
	EX_NACK,
	EX_REKEY,
	EX_FAULTS,
};

/**
 * struct ex_spec - a message of a world
 * @opcode: enum uet_opcode; 0: no message
 * @packets: its packets; 0: an empty message
 * @bytes: bytes of a READ that is answered in the ACK; 0: @packets packets
 * @is_bad: the endpoint of its address does not exist
 * @is_idempotent: WRITE: the owner of the region allows repetitions
 */
struct ex_spec {
	u8 opcode;
	u8 packets;
	u8 bytes;
	bool is_bad;
	bool is_idempotent;
};

/**
 * struct ex_world - a world
 * @name: name
 * @doc: what it is for
 * @mode: delivery mode
 * @is_secure: packets are sealed
 * @drops_early: ROD: the target drops what arrives before earlier requests
 * @window: PSNs tracked per direction; 0: 4
 * @max_gtd: stored responses at most; 0: as many as the window has PSNs
 * @msg: messages; the first is sent at once, each other one at any time
 * @most: how often each fault may happen
 */
struct ex_world {
	const char *name;
	const char *doc;
	enum uet_pdc_mode mode;
	bool is_secure;
	bool drops_early;
	u16 window;
	u16 max_gtd;
	struct ex_spec msg[EX_MSGS];
	u8 most[EX_FAULTS];
};

extern const struct ex_world ex_worlds[];	/* ends with one without a name */

/**
 * struct ex_frame - a packet in flight; its payload is a tag
 * @born_ns: when it was sent, ns
 * @tag: message and offset of the payload
 * @len: bytes of the headers
 * @payload: bytes of the payload
 * @from: sending node
 * @is_touched: changed by the network
 * @is_marked: marked IP CE
 * @kid: sealed packet: its key
 * @data: headers
 */
struct ex_frame {
	u64 born_ns;
	u32 tag;
	u16 len;
	u16 payload;
	u8 from;
	bool is_touched, is_marked;
	struct uet_tss_kid kid;
	u8 data[EX_FRAME_BYTES];
};

/**
 * struct ex_msg - a message of node 0
 * @tx: for SES
 * @amo: operation of a fetching atomic
 * @pdc: index of its PDC
 * @is_done: it has a verdict
 * @error: verdict: 0 or a negative errno
 * @delivered: executions of the whole message
 * @runs: executions of each packet
 * @got: packets of requested data that arrived, one bit each
 * @value: what a fetching atomic returned
 */
struct ex_msg {
	struct uet_ses_tx tx;
	struct uet_ses_amo amo;
	u8 pdc;
	bool is_done;
	int error;
	u8 delivered;
	u8 runs[EX_PKTS];
	u8 got;
	u32 value;
};

/* A message at its receiver. */
struct ex_rx {
	bool is_used;
	struct uet_ses_rx rx;
	struct uet_ses_seg seg[EX_PKTS];
};

/* Data of a READ in the return direction. */
struct ex_read_rsp {
	bool is_used;
	u32 tag;
	struct uet_ses_read_rsp rsp;
};

/* Memory of a PDC and its window. */
#define EX_BLOCK	(sizeof(struct uet_pdc) +				\
			 EX_WINDOW_MAX * (sizeof(struct uet_pdc_slot) +	\
					  sizeof(struct uet_pdc_rxslot)) +	\
			 3 * sizeof(long) + sizeof(struct uet_pdc_answers))

/**
 * struct ex_pdc - a PDC and the state that a shell keeps with it
 * @is_used: the entry is used
 * @is_dead: it has ended; a target stays until @gone_ns
 * @has_failed: it ended in error
 * @is_started: target of sealed packets that started at the Start_PSN it demanded
 * @node: node of this end
 * @marks: packets marked IP CE that no answer has reported
 * @nr_early: requests kept before earlier ones
 * @role: initiator or target
 * @id: our PDCID
 * @peer_id: target: spdcid of its SYN
 * @syn_psn: target: Start_PSN of its SYN
 * @start_psn: target: the Start_PSN used
 * @taken: PSNs that SES got, from the Start_PSN on, one bit each
 * @last_psn: PSN of the latest of them
 * @gone_ns: ended target: end of TIME_WAIT, ns
 * @block: the PDC of the core, and its window
 * @ses: SES of the PDC
 * @rx: messages being received
 * @rsp: read responses
 * @early: requests that arrived before earlier ones, in PSN order
 */
struct ex_pdc {
	bool is_used, is_dead, has_failed, is_started;
	u8 node, nr_early, marks;
	enum uet_pdc_role role;
	u16 id, peer_id;
	u32 syn_psn, start_psn;
	u32 taken, last_psn;
	u64 gone_ns;
	u8 block[EX_BLOCK] __aligned(8);
	struct uet_ses ses;
	struct ex_rx rx[EX_RXS];
	struct ex_read_rsp rsp[EX_READ_RSPS];
	struct ex_frame early[EX_WINDOW_MAX];
};

/**
 * struct ex_state - a state; its pointers are valid only in ex
 * @now: time, ns
 * @left: how often each fault may still happen
 * @faults: how many faults may still happen
 * @excuse: a fault has happened that may fail messages
 * @proven: keys under which the peer has proven to each node that it lives, by serial
 *	number, one bit each
 * @submitted: messages that were sent
 * @next_id: latest PDCID of each node
 * @randoms: random numbers drawn
 * @nr_frames: packets in flight
 * @msg: messages
 * @sd: secure domain of each node
 * @src: what each node knows of the other
 * @pdc: PDCs of each node
 * @frame: packets in flight
 */
struct ex_state {
	u64 now;
	u8 left[EX_FAULTS];
	u8 faults;
	bool excuse;
	u8 submitted;
	u8 proven[EX_NODES];
	u16 next_id[EX_NODES];
	u16 randoms;
	u16 nr_frames;
	struct ex_msg msg[EX_MSGS];
	struct uet_tss_sd sd[EX_NODES];
	struct uet_tss_src src[EX_NODES];
	struct ex_pdc pdc[EX_NODES][EX_PDCS];
	struct ex_frame frame[EX_FRAMES];
};

extern struct ex_state ex;		/* the present state */

/**
 * struct ex_run - what is outside of the states
 * @world: the world
 * @cfg: parameters of all PDCs
 * @failed: an invariant does not hold
 * @overflows: a table is too small for what happened: the state is not continued
 * @why: with @failed, which one
 * @refuse: NACK code with which the target refuses the next new request; 0: none
 * @refuses_kept: that request is one that was kept before earlier ones
 * @prints: print what happens
 */
struct ex_run {
	const struct ex_world *world;
	struct uet_pdc_cfg cfg;
	bool failed;
	bool overflows;
	char why[200];
	u8 refuse;
	bool refuses_kept;
	bool prints;
};

extern struct ex_run ex_run;

static inline struct uet_pdc *ex_core(struct ex_pdc *p)
{
	return (struct uet_pdc *)p->block;
}

void ex_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void ex_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* state.c */
struct ex_copy;
void ex_begin(const struct ex_world *world, u8 faults);
struct ex_copy *ex_copy_take(struct ex_copy *old);
void ex_copy_back(const struct ex_copy *copy);
u64 ex_hash(void);
u64 ex_hash_faults(u64 hash);
u64 ex_frame_hash(const struct ex_frame *frame);

/* node.c */
void ex_send(u8 from, const struct uet_pdc_tx *tx);
void ex_receive(const struct ex_frame *frame);
void ex_receive_trimmed(const struct ex_frame *frame);
void ex_frame_drop(u32 i);

/* pdc.c */
struct ex_pdc *ex_pdc_new(u8 node, const struct uet_pdc_open *open);
struct ex_pdc *ex_pdc_initiator(void);
u64 ex_pdc_deadline(struct ex_pdc *p);
void ex_pdc_run(struct ex_pdc *p);
void ex_pdc_forget(struct ex_pdc *p);
void ex_pdc_time_wait(struct ex_pdc *p);
u32 ex_random(void);

/* app.c */

/* A received request. */
struct ex_req {
	struct ex_pdc *p;
	const struct uet_pds_hdr *hdr;
	const struct uet_ses_req *req;
	const struct uet_ses_rsp *rsp;
	const struct uet_rx_info *in;
	u32 len, tag;
};

void ex_app_submit(void);
void ex_app_rx(const struct ex_req *r);
void ex_app_rx_data(const struct ex_req *r);
void ex_app_rx_ack(const struct ex_req *r);
void ex_app_done(struct list_head *done, bool may_repeat);
void ex_app_free_rsps(struct ex_pdc *p);
void ex_app_free(struct ex_pdc *p);
size_t ex_app_put(const struct uet_pds_pkt *pkt, struct ex_frame *frame, size_t at);
void ex_app_verdict(void);

/* secure.c */
void ex_secure_init(void);
void ex_secure_rekey(void);
size_t ex_secure_seal(struct ex_frame *frame);
bool ex_secure_open(struct ex_frame *frame, struct uet_tss_op *op);
void ex_secure_start(u8 node, const struct uet_tss_op *op, struct uet_pdc_open *open);
void ex_secure_note(struct ex_pdc *p, const struct uet_tss_op *op);

/* check.c */
void ex_check(void);

/* action.c */

/**
 * struct ex_action - something that can happen in a state
 * @kind: what
 * @fault: EX_DO_FAULT: which one
 * @node: node it happens to
 * @index: packet in flight, or PDC
 * @code: NACK code
 * @is_kept: the NACK refuses a request that was kept, and is due after this one
 */
struct ex_action {
	enum {
		EX_DO_DELIVER,
		EX_DO_FAULT,
		EX_DO_SUBMIT,
		EX_DO_TICK,
	} kind;
	enum ex_fault fault;
	u8 node;
	u8 index;
	u8 code;
	bool is_kept;
};

#define EX_ACTIONS	160

u32 ex_actions(struct ex_action *a);
bool ex_action_fair(struct ex_action *a);
void ex_catch(void);
void ex_do(const struct ex_action *a);
void ex_action_print(const struct ex_action *a, FILE *out);
void ex_action_write(const struct ex_action *a, FILE *out);
bool ex_action_read(struct ex_action *a, const char **text);

/* table.c */
struct ex_table;
struct ex_table *ex_table_new(void);
void ex_table_free(struct ex_table *table);
void ex_table_clear(struct ex_table *table);
bool ex_table_add(struct ex_table *table, u64 key, u16 depth);
bool ex_table_has(const struct ex_table *table, u64 key);

/* search.c */

/**
 * struct ex_result - what a search has found
 * @states: states visited
 * @steps: actions done
 * @depth: longest sequence of actions
 * @faults: all states with so many faults or fewer were visited; -1: not even those
 *	without faults
 * @is_complete: all states that the world can reach were visited
 * @overflows: states that were not continued, because a table was full
 * @failed: a violation was found
 * @round: with so many faults or fewer
 * @why: which one
 * @nr: actions of the shortest trace
 * @is_shortest: no shorter trace exists
 * @trace: its actions
 */
struct ex_result {
	u64 states, steps;
	u32 depth;
	int faults;
	bool is_complete;
	u64 overflows;
	bool failed;
	u8 round;
	char why[200];
	u32 nr;
	bool is_shortest;
	struct ex_action *trace;
};

#define EX_DEPTH_MAX	400

void ex_search(const struct ex_world *world, u64 states, struct ex_result *result);
void ex_replay(const struct ex_world *world, const struct ex_result *result);
bool ex_replay_text(const struct ex_world *world, const char *text);

/* plants.c */

/**
 * struct ex_plant - a planted error
 * @name: name, as in planted.txt
 * @world: world that finds it
 */
struct ex_plant {
	const char *name;
	const char *world;
};

extern const struct ex_plant ex_plants[];	/* ends with one without a name */

#endif
