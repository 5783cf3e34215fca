/* SPDX-License-Identifier: GPL-2.0 */
/*
 * SES: messages.  A struct uet_ses is the semantic state of one PDC, or of the RUDI requests
 * to one peer: its messages to be sent, and those being reassembled.  SES segments messages
 * into packets, reassembles packets in any order of arrival, and maps failures to return
 * codes.  A message is a length: the caller keeps the bytes, and knows sockets and addresses.
 * Level: core L5, above pds.
 *
 * Any context; the caller serialises per struct uet_ses and its PDC.  The caller owns the
 * messages.  SES uses a struct uet_ses_tx from uet_ses_tx_queue() until uet_ses_reap() or
 * uet_ses_fail() returns it, a struct uet_ses_rx from uet_ses_rx_start() until it is unlinked.
 *
 * Sending: queue, then after every event of the PDC reap, pump, and the poll_tx loop of the
 * PDC.  With RUDI: queue, note each outcome, pump_rudi, take_done.
 *
 * Receiving: uet_ses_rx_mark_end(), uet_ses_rx_supported(); a NO_OP needs no more.  Then find;
 * if there is no message, has_space or evict, and start.  Then uet_ses_rx_seg(), or
 * uet_ses_rma_place() and uet_ses_rx_rma() if the packets go directly to memory.
 *
 * Deferring: a target without a place for a deferrable send answers with
 * uet_ses_rsp_deferred(), and records the rest of the message by uet_ses_rx_defer().  If
 * uet_ses_tx_is_deferred(), the sender queues the message again when a DEFERRABLE_RTR asks.
 *
 * Rendezvous: the eager bytes are sent as any message, which then waits for the answer of
 * the target, uet_ses_rdv_answer(), or for uet_ses_rdv_shut().  A target answers packets with
 * uet_ses_rsp_none(), reads by uet_ses_rdv_read(), and queues uet_ses_rsp_final() as a read
 * response.
 *
 * Reading, initiator: for each packet of data uet_ses_read_find() or uet_pdc_answered(),
 * uet_ses_read_check(), place the data, uet_ses_read_take(); or uet_ses_read_fail().
 * uet_ses_read_tick() before reap.  Target: uet_ses_read_share(), then a response with data
 * for the ACK, or uet_ses_read_rsp_queue(), which ends in uet_ses_take_read_rsp().
 */
#ifndef UET_CORE_SES_H
#define UET_CORE_SES_H

#include "core/shim.h"
#include "core/wire/wire.h"
#include "core/pds/pds.h"
#include "core/wire/psn.h"
#include "core/pds/rudi.h"

/* Incomplete and failed messages per PDC at a receiver.  Bounds the search of uet_ses_rx_find(). */
#define UET_SES_RX_MAX		64

/*
 * Messages, not rendezvous, whose packets are all acknowledged and whose final response is to
 * come.  At the limit no message is started.  They do not keep the PDC open: the response
 * has to arrive within the idle time of the PDC.
 */
#define UET_SES_WAIT_MAX	64

/*
 * Rendezvous messages that wait for the target to read them; none is started at the limit.
 */
#define UET_SES_RDV_MAX		16384

/* Message ids, of messages that wait, that one uet_ses_pump() passes. */
#define UET_SES_ID_STEPS	64

/* Packets of requested data per PDC, and their span within one message.  A power of two. */
#define UET_SES_READ_AHEAD	256

/*
 * At that limit, requests wait until so many can follow.  If each packet of data let one
 * request out, no burst of requests, and so none of data, would ever form again.
 */
#define UET_SES_READ_BATCH	64

/*
 * Return packets per PDC at a target; further requests are refused for now.  Twice what a peer
 * with our limits requests: a packet counts until it is acknowledged, also after its arrival.
 */
#define UET_SES_READ_RSP_MAX	(2 * UET_SES_READ_AHEAD)

/*
 * Events of one uet_ses_reap(), and messages of one uet_ses_fail() or of a reap with a dead PDC.
 * The caller reports them with softirqs off; the report of a failed one takes ten times as long.
 */
#define UET_SES_REAP_MAX	64
#define UET_SES_FAIL_MAX	4

/*
 * struct uet_ses_addr - addressing of a request (UE 1.0.1 3.4.1)
 * @rel: relative addressing: @job is the scope of @pid
 */
struct uet_ses_addr {
	u32 job;
	u16 pid;
	u16 ri;
	bool rel;
	u32 initiator;
};

/**
 * struct uet_ses_tokens - restart tokens of a deferrable send (UE 1.0.1 Figures 3-11 and 3-12)
 * @init: of the sender of the message
 * @tgt: of the target; 0: the target may defer the message
 * @length: UET_OP_DEFERRABLE_RTR: bytes of the message
 */
struct uet_ses_tokens {
	u32 init;
	u32 tgt;
	u32 length;
};

/*
 * struct uet_ses_read - read data requested by a message
 * @want: bytes, set by the caller: the length of a READ, the size of a fetched value, else 0
 * @link: entry in uet_ses.reads, from the first packet until the message has ended
 * @asked: requests handed down, each for one packet of data
 * @come: requests whose data arrived
 * @base: packets from the start of the message whose data arrived without a gap
 * @map: packets behind @base whose data arrived, by their index in the message
 */
struct uet_ses_read {
	u32 want;
	struct list_head link;
	u32 got;
	u32 asked;
	u32 come;
	u32 base;
	struct uet_psn_map map;
	unsigned long bits[BITS_TO_LONGS(UET_SES_READ_AHEAD)];
};

/*
 * struct uet_ses_rdv_tx - fields of a rendezvous message (UE 1.0.1 Figure 3-15)
 * @length: bytes of the whole message; uet_ses_tx.length of them are eager
 * @at: where the target reads the whole message; its eager_length is unused
 * @link: entry in uet_ses.rdvs, from the first packet until the message has ended
 * @child: messages below this one in the tree uet_ses.rdv_ids, for as long
 */
struct uet_ses_rdv_tx {
	u32 length;
	struct uet_ses_rdv at;
	struct list_head link;
	struct uet_ses_tx *child[2];
};

/*
 * struct uet_ses_mark - the last of the answers of one kind to a message
 * @xmit: serial number of the PDC, latest transmission of a packet that was answered so
 * @answer: serial number of the PDC, latest ACK that answered so
 */
struct uet_ses_mark {
	u32 xmit;
	u32 answer;
	bool is_set;
};

/*
 * struct uet_ses_tx - a message being sent; the caller sets the fields above the blank line
 * @link: private while queued; in the done list of reap and fail
 * @avail: bytes the sender has supplied so far, <= @length; never decreases; READ: @length
 * @mtu: Payload MTU, bytes, not 0
 * @offset: buffer_offset (RMA), else 0
 * @amo: opcodes of atomics, else NULL; @length is one packet then
 * @match: memory key (RMA) or match bits (tagged opcodes), else 0
 * @has_more: others follow at once, so the ACK may be coalesced with theirs
 * @form: UET_SES_MEDIUM or UET_SES_SMALL, if uet_ses_form() permits; else the standard form
 * @wait_until: until then, ns, a target without the endpoint gets the message again; 0: not
 * @is_repeat: sent once before, on a PDC that failed; set by uet_ses_tx_may_repeat()
 *
 * @msg_id: 0 until the first packet was handed to PDS, and in a form without message ids
 * @next: offset of the next segment to hand to PDS
 * @acked: bytes answered so far, a prefix of the message
 * @executed: bytes that the target reported as executed; see uet_ses_executed()
 * @is_cut: the last segment to be sent was handed to PDS
 * @is_aborted: by the sender: a MSG_ERROR replaces the unsent rest
 * @awaits_rsp: the final response is still to come
 * @none: answers UET_NO_RESPONSE
 * @told: answers that state a result
 * @number: of the last packet: its PSN minus the Start_PSN, which a secure target may change
 * @has_psn: @number is valid; RUDI has no PSNs
 * @ri_gen: generation in the packets of the message, 0: none; set with @msg_id
 * @is_refused: for its generation, or because the endpoint does not exist yet; to be sent again
 * @is_deferred: by the target: an empty last packet replaces the unsent rest
 * @is_unexecuted: the first packet, with RMA each packet, failed, see struct uet_pdc_up
 */
struct uet_ses_tx {
	struct list_head link;
	struct uet_ses_addr to;
	u32 length;
	u32 avail;
	u16 mtu;
	u64 offset;
	const struct uet_ses_amo *amo;
	u64 header_data;
	u64 match;
	u8 opcode;
	bool has_hdata;
	bool has_more;
	struct uet_ses_read read;
	u8 form;
	struct uet_ses_tokens tokens;
	struct uet_ses_rdv_tx rdv;
	u64 wait_until;
	bool is_repeat;

	u16 msg_id;
	u32 next;
	u32 acked;
	u32 packets;
	u32 executed;
	u8 rc;
	enum uet_pdc_error error;
	u8 nack_code;
	bool is_cut;
	bool is_aborted;
	bool awaits_rsp;
	struct uet_ses_mark none;
	struct uet_ses_mark told;
	u32 number;
	bool has_psn;
	u8 ri_gen;
	bool is_refused;
	bool is_deferred;
	bool is_unexecuted;
};

/*
 * struct uet_ses_seg - a received segment of a message; part of the packet
 * @offset: message offset of the first payload byte; set by uet_ses_rx_seg()
 * @len: payload, bytes; set by the caller
 */
struct uet_ses_seg {
	struct list_head link;
	u32 offset;
	u32 len;
};

/*
 * struct uet_ses_rx - a message being received
 * @link: entry in the table of the struct uet_ses; empty when unlinked
 * @segs: segments present and not taken, ascending offset, never overlapping
 * @req: header of the first packet that arrived; hd, header_data of the som packet once @has_som
 * @length: bytes, of a rendezvous the eager part; when @failed, those that may still arrive
 * @received: payload bytes accepted so far; when @failed, that arrived
 * @taken: bytes of the prefix already removed by uet_ses_rx_take()
 * @mtu: payload bytes of a full packet of this message, 0 while unknown
 * @failed: the message will not be completed; its packets are not kept
 * @rc: with @failed, of the answers; UET_RC_OK if the sender aborted the message
 * @deferred: @failed because the sender is to send the message again later
 * @psn: latest of the packets of the message that arrived
 */
struct uet_ses_rx {
	struct list_head link;
	struct list_head segs;
	struct uet_ses_req req;
	u32 length;
	u32 received;
	u32 taken;
	u16 mtu;
	bool has_som;
	bool failed;
	u8 rc;
	bool deferred;
	u32 psn;
};

/*
 * struct uet_ses_read_rsp - packets of read data to be sent; the caller keeps the bytes
 * @link: private while queued; in the list of uet_ses_take_read_rsp() afterwards
 * @rsp: header of the first packet; each further one has as much data, and continues it
 * @open: packets not answered yet
 */
struct uet_ses_read_rsp {
	struct list_head link;
	struct uet_ses_rsp rsp;
	u32 nr;
	u32 next;
	u32 open;
};

/*
 * struct uet_ses_gen - Resource Index at the peer: its generation, and whether it exists
 * @refused: refused messages whose packets are all answered, in the order of sending
 * @nr: refused messages, including those with packets in flight
 * @resent: messages sent again; a counter that its reader resets to 0
 * @at: when the next message may start, ns; 0: now
 * @pause_ns: length of the last pause; 0 once a packet was accepted
 * @since: with @pause_ns, when the first of these pauses began, ns
 * @is_disabled: last reported as disabled
 * @was_wrong: the last attempt was made without a pause, with a new generation
 * @is_trying: send one packet at a time until a packet is accepted
 * @is_known: the endpoint has answered a packet of this PDC
 * @is_ordered: the PDC is of ROD; set by the caller
 * @is_strict: at the target: a message of this PDC was refused because of its generation, so
 *	a message without a generation could be out of order
 */
struct uet_ses_gen {
	struct list_head refused;
	u32 nr;
	u32 resent;
	u64 at;
	u64 now;
	u64 pause_ns, since;
	u8 value;
	bool is_disabled;
	bool was_wrong;
	bool is_trying;
	bool is_known;
	bool is_ordered;
	bool is_strict;
};

/*
 * struct uet_ses - SES state of one PDC
 * @txq: messages with segments to be handed to PDS; only the first can be partly sent
 * @waitq: acknowledged messages that wait for their final response, or data; no rendezvous
 * @rdv_waitq: the same, rendezvous messages
 * @doneq: messages finished and not reaped
 * @walk: the last entry of @txq, @waitq, @rdv_waitq or @gen.refused that a walk has passed, or
 *	the head of one of them; NULL: none goes on
 * @rxq: messages being received, most recently used first
 * @next_msg_id: of the next message that needs one, if it is free; @seeks_id: it is not
 * @first_psn: Start_PSN of the PDC at the latest uet_ses_pump()
 * @rx_psn: PSN of the request that was last looked up by uet_ses_rx_find()
 * @reads: messages waiting for read data, struct uet_ses_read, in the order of their start
 * @nr_reads: messages of @reads in @waitq
 * @nr_requested: packets of data requested and not received, over all of @reads
 * @reads_are_full: @nr_requested has reached its limit, and no batch fits since
 * @read_moved: @read_at must be recomputed: data was requested or arrived, or a wait began
 * @read_at: when the peer counts as silent for too long, ns
 * @read_rsp_queue: read data with packets to be handed to PDS, oldest first
 * @read_rsps: answered read data that the caller has not taken
 * @nr_read_rsps: packets of read data queued and not answered
 * @rdvs: rendezvous messages with packets sent, struct uet_ses_rdv_tx; @rdv_ids: the first
 *	of the tree of their message ids
 * @rdv_at: when they have waited too long on a closing PDC, ns; 0: none waits
 * @rdv_shut: no peer can read them any more: no message waits
 */
struct uet_ses {
	struct list_head txq;
	struct list_head waitq;
	struct list_head rdv_waitq;
	struct list_head doneq;
	struct list_head *walk;
	struct list_head rxq;
	u32 nr_tx;
	u32 nr_wait;
	u32 nr_rdv_wait;
	u32 nr_rx;
	u16 next_msg_id;
	bool seeks_id;
	u32 first_psn;
	u32 rx_psn;
	struct list_head reads;
	u32 nr_reads;
	u32 nr_requested;
	bool reads_are_full;
	bool read_moved;
	u64 read_at;
	struct list_head read_rsp_queue;
	struct list_head read_rsps;
	u32 nr_read_rsps;
	u32 nr_packets;
	struct uet_ses_gen gen;
	struct list_head rdvs;
	struct uet_ses_tx *rdv_ids;
	u64 rdv_at;
	bool rdv_shut;
};

/**
 * enum uet_ses_step - result of uet_ses_rx_seg() and uet_ses_rx_rma()
 * @UET_SES_MORE: kept; answer with the default response
 * @UET_SES_DONE: kept, the message is complete and unlinked; answer with the default response
 * @UET_SES_ERROR: the message failed; answer with the error response of uet_ses_rx.rc
 * @UET_SES_IGNORE: the sender aborted the message; answer with the default response
 *
 * After ERROR and IGNORE the caller frees the packet, what uet_ses_rx_take_all() yields, and the
 * message unless it is linked: a linked one serves to answer the rest of its packets.
 */
enum uet_ses_step {
	UET_SES_MORE,
	UET_SES_DONE,
	UET_SES_ERROR,
	UET_SES_IGNORE,
};

/* Operations (UE 1.0.1 Table 3-17). */

static inline bool uet_ses_is_deferrable(u8 opcode)
{
	return uet_wire_op(opcode)->forms & BIT(UET_SES_DEFER);
}

static inline bool uet_ses_is_rendezvous(u8 opcode)
{
	return uet_wire_op(opcode)->ext == UET_EXT_RDV;
}

/*
 * Memory identified by a key is changed: the packets are executed in any order of arrival,
 * and not delivered to a reader.
 */
static inline bool uet_ses_is_rma(u8 opcode)
{
	return uet_wire_op(opcode)->flags & UET_OPF_RMA;
}

static inline bool uet_ses_is_fetching(u8 opcode)
{
	const struct uet_op_prop *op = uet_wire_op(opcode);

	return op->ext == UET_EXT_AMO && op->flags & UET_OPF_RETURNS;
}

/* One packet, which consumes a receive as a message does (UE 1.0.1 Table 3-17). */
static inline bool uet_ses_is_tagged_amo(u8 opcode)
{
	const struct uet_op_prop *op = uet_wire_op(opcode);

	return op->ext == UET_EXT_AMO && op->flags & UET_OPF_TAGGED;
}

/* Sending: ses_tx.c */
void uet_ses_init(struct uet_ses *ses);
bool uet_ses_is_idle(const struct uet_ses *ses);
void uet_ses_tx_queue(struct uet_ses *ses, struct uet_ses_tx *tx);
void uet_ses_tx_abort(struct uet_ses *ses, struct uet_ses_tx *tx);
void uet_ses_tx_walk(struct uet_ses *ses);
struct uet_ses_tx *uet_ses_tx_walk_next(struct uet_ses *ses);
bool uet_ses_pump(struct uet_ses *ses, struct uet_pdc *pdc, u64 now);
bool uet_ses_reap(struct uet_ses *ses, struct uet_pdc *pdc, struct list_head *done);
bool uet_ses_fail(struct uet_ses *ses, enum uet_pdc_error error, struct list_head *done);
void uet_ses_tx_response(struct uet_ses *ses, const struct uet_ses_rsp *rsp,
			 const struct uet_pds_hdr *hdr);
void uet_ses_pump_rudi(struct uet_ses *ses, struct uet_rudi_peer *rudi);
void uet_ses_note_rudi(struct uet_ses *ses, const struct uet_rudi_up *up);
bool uet_ses_take_done(struct uet_ses *ses, struct list_head *done);
u64 uet_ses_gen_deadline(const struct uet_ses *ses);
bool uet_ses_tx_may_repeat(struct uet_ses_tx *tx);
bool uet_ses_may_defer(const struct uet_ses_tx *tx);
bool uet_ses_tx_is_deferred(const struct uet_ses_tx *tx);
bool uet_ses_defer_is_requested(const struct uet_ses_tx *tx, const struct uet_ses_req *rtr,
				u32 *tgt_token);

/* Reading and rendezvous: ses_tx_read.c */
struct uet_ses_tx *uet_ses_read_find(struct uet_ses *ses, const struct uet_ses_rsp *rsp);
enum uet_drop uet_ses_read_check(const struct uet_ses *ses, const struct uet_ses_tx *tx,
				 const struct uet_ses_rsp *rsp, u32 offset, u32 len);
struct uet_ses_tx *uet_ses_read_run_begin(struct uet_ses *ses, u16 msg_id, u32 len);
bool uet_ses_read_run_fits(const struct uet_ses_tx *tx, u32 offset, u32 nr);
void uet_ses_read_take(struct uet_ses *ses, struct uet_ses_tx *tx, u32 offset, u32 len, u32 nr);
void uet_ses_read_fail(struct uet_ses *ses, struct uet_ses_tx *tx, enum uet_pdc_error error,
		       u8 rc);
void uet_ses_read_tick(struct uet_ses *ses, struct uet_pdc *pdc, u64 now);
u64 uet_ses_read_deadline(const struct uet_ses *ses);
u32 uet_ses_read_rsp_space(const struct uet_ses *ses);
void uet_ses_read_rsp_queue(struct uet_ses *ses, struct uet_ses_read_rsp *read_rsp, u32 nr);
void uet_ses_take_read_rsp(struct uet_ses *ses, struct list_head *read_rsps);
enum uet_drop uet_ses_rdv_answer(struct uet_ses *ses, const struct uet_ses_rsp *rsp);
void uet_ses_rdv_shut(struct uet_ses *ses);
void uet_ses_rdv_tick(struct uet_ses *ses, u64 now);
u64 uet_ses_rdv_deadline(const struct uet_ses *ses);

/* Receiving: ses_rx.c */

/* In its message, of the first byte of a packet.  The first packet has no such field. */
static inline u32 uet_ses_req_offset(const struct uet_ses_req *req)
{
	return req->som ? 0 : req->message_offset;
}

static inline bool uet_ses_rx_is_linked(const struct uet_ses_rx *rx)
{
	return !list_empty(&rx->link);
}

void uet_ses_rx_mark_end(struct uet_ses_req *req, u32 len, u16 mtu);
u8 uet_ses_rx_supported(const struct uet_ses_req *req, enum uet_drop why);
enum uet_drop uet_ses_rx_datagram(const struct uet_ses_req *req);
u8 uet_ses_rx_rudi(const struct uet_ses_req *req, enum uet_drop why);
struct uet_ses_rx *uet_ses_rx_begun(struct uet_ses *ses, const struct uet_ses_req *req, u32 psn);
struct uet_ses_rx *uet_ses_rx_find(struct uet_ses *ses, const struct uet_ses_req *req, u32 psn);
bool uet_ses_rx_has_space(const struct uet_ses *ses);
struct uet_ses_rx *uet_ses_rx_evict(struct uet_ses *ses);
void uet_ses_rx_start(struct uet_ses *ses, struct uet_ses_rx *rx, const struct uet_ses_req *req);
enum uet_ses_step uet_ses_rx_seg(struct uet_ses *ses, struct uet_ses_rx *rx,
				 const struct uet_ses_req *req, struct uet_ses_seg *seg,
				 enum uet_drop *why);
void uet_ses_rx_take(struct uet_ses_rx *rx, struct list_head *segs);
void uet_ses_rx_take_all(struct uet_ses_rx *rx, struct list_head *segs);
void uet_ses_rx_fail(struct uet_ses_rx *rx, u8 rc);
void uet_ses_rx_drop(struct uet_ses *ses, struct uet_ses_rx *rx);

enum uet_drop uet_ses_rma_place(const struct uet_ses_req *req, u32 len, u64 *offset);
enum uet_ses_step uet_ses_rx_rma(struct uet_ses *ses, struct uet_ses_rx *rx,
				 const struct uet_ses_req *req, u32 len, enum uet_drop *why);
enum uet_drop uet_ses_read_share(const struct uet_ses_req *req, u16 mtu, u64 *offset, u32 *len,
				 u8 *rc);
bool uet_ses_read_in_ack(const struct uet_ses_req *req, u32 max);

struct uet_ses_rx *uet_ses_rx_run_begin(struct uet_ses *ses, u16 msg_id, u32 tgt_token,
					u32 offset);
u32 uet_ses_rx_run_space(const struct uet_ses_rx *rx, u32 len);
void uet_ses_rx_run_seg(struct uet_ses_rx *rx, struct uet_ses_seg *seg, u32 offset, u32 len);
void uet_ses_rx_run_end(struct uet_ses *ses, struct uet_ses_rx *rx, u32 n, u32 len, u32 psn);

bool uet_ses_rx_is_deferrable(const struct uet_ses_req *req);
enum uet_drop uet_ses_rx_may_begin(const struct uet_ses_req *req, u32 len);
void uet_ses_rx_defer(struct uet_ses *ses, struct uet_ses_rx *rx, const struct uet_ses_req *req);
bool uet_ses_rx_is_restarted(const struct uet_ses_rx *rx, const struct uet_ses_req *req);
bool uet_ses_rx_is_before_restart(const struct uet_ses_rx *rx, const struct uet_ses_req *req);
void uet_ses_rx_put_off(struct uet_ses *ses, struct uet_ses_rx *rx,
			const struct uet_ses_req *req, u32 len);

bool uet_ses_rx_is_rdv(const struct uet_ses_req *req);
enum uet_drop uet_ses_rx_rdv_check(const struct uet_ses_req *req, u32 len, u8 *rc);
void uet_ses_rdv_read(struct uet_ses_tx *tx, const struct uet_ses_req *req, u32 from, u32 end);

/* Headers and results: ses_hdr.c */

/* Including the bytes of a rendezvous that the target reads. */
static inline u32 uet_ses_tx_length(const struct uet_ses_tx *tx)
{
	return uet_ses_is_rendezvous(tx->opcode) ? tx->rdv.length : tx->length;
}

/* Has the header no message id?  The message is one packet then. */
static inline bool uet_ses_is_short(const struct uet_ses_tx *tx)
{
	return tx->form == UET_SES_MEDIUM || tx->form == UET_SES_SMALL;
}

/* A struct uet_ses_read_rsp, not part of a message. */
static inline bool uet_ses_is_read_rsp(const struct uet_pds_pkt *pkt)
{
	return uet_wire_nh(pkt->next_hdr)->kind == UET_NK_RSP;
}

u8 uet_ses_form(const struct uet_ses_tx *tx);
bool uet_ses_key_is_small(u64 key);
void uet_ses_tx_request(const struct uet_ses_tx *tx, const struct uet_pds_pkt *pkt,
			struct uet_ses_req *req);
void uet_ses_read_rsp_header(const struct uet_pds_pkt *pkt, struct uet_ses_rsp *rsp);
void uet_ses_rsp_default(struct uet_ses_rsp *rsp, const struct uet_ses_req *req);
void uet_ses_rsp_error(struct uet_ses_rsp *rsp, const struct uet_ses_req *req, u8 rc);
void uet_ses_rsp_data(struct uet_ses_rsp *rsp, const struct uet_ses_req *req, u32 psn, u32 len);
void uet_ses_rsp_taken(struct uet_ses_rsp *rsp, const struct uet_ses_rsp *data,
		       const struct uet_ses_tx *tx);
void uet_ses_rsp_deferred(struct uet_ses_rsp *rsp, const struct uet_ses_req *req);
void uet_ses_rsp_none(struct uet_ses_rsp *rsp, const struct uet_ses_req *req);
void uet_ses_rsp_final(struct uet_ses_rsp *rsp, const struct uet_ses_req *req, u8 rc,
		       u32 modified_length);
int uet_ses_errno(const struct uet_ses_tx *tx);
u8 uet_ses_reported_rc(const struct uet_ses_tx *tx);
u32 uet_ses_executed(const struct uet_ses_tx *tx);
bool uet_ses_rc_is_absent(u8 rc);
const char *uet_ses_why(const struct uet_ses_tx *tx);
const char *uet_ses_rc_name(u8 rc);

/**
 * struct uet_ri_gen - the generation of a Resource Index at its target
 * @value: 1..255; 0: the index uses no generations
 * @is_disabled: the index refuses all messages
 *
 * A receiver without resources for an ordered message disables the index.  Enabling it
 * again changes the generation: messages sent before the sender learnt the new one could
 * be out of order.  The caller serialises per struct (UE 1.0.1 3.4.1).
 */
struct uet_ri_gen {
	u8 value;
	bool is_disabled;
};

void uet_ri_gen_init(struct uet_ri_gen *gen, bool is_used);
u8 uet_ri_gen_check(const struct uet_ri_gen *gen, u8 said, bool *is_strict);
void uet_ri_gen_disable(struct uet_ri_gen *gen);
void uet_ri_gen_enable(struct uet_ri_gen *gen);

#endif
