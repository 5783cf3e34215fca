/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The SES interface: messages.  A struct uet_ses is the semantic state of one
 * PDC: the messages queued on the PDC for sending, and the messages being
 * reassembled.  SES segments messages into packets, reassembles packets in any
 * order of arrival, and maps failures to return codes.  SES has no access to
 * sockets, buffer contents and addresses: a message is a length, and the caller
 * keeps the bytes.  Level: core L5, above pds.
 *
 * Implements UE 1.0.1 3.4 for UET_SEND, UET_TAGGED_SEND, UET_NO_OP, UET_WRITE,
 * UET_READ, UET_ATOMIC, UET_FETCHING_ATOMIC, UET_TSEND_ATOMIC,
 * UET_TSEND_FETCH_ATOMIC, deferrable and rendezvous sends: 3.4.1 (addressing,
 * generations), 3.4.3 (responses), segmentation and reassembly as in uet-wire
 * 3.14.
 *
 * Locking: the caller serialises per struct uet_ses, in practice under the lock
 * of its PDC.  The caller owns the message objects.  SES uses a struct
 * uet_ses_tx from uet_ses_tx_queue() until uet_ses_reap() or uet_ses_fail()
 * returns it, and a struct uet_ses_rx from uet_ses_rx_start() until it is
 * unlinked.
 *
 * Sending: queue the message.  After every event of the PDC call reap (takes
 * PDC events, returns finished messages), pump (hands packets to the PDC), and
 * then the poll_tx loop of the PDC.  With RUDI a struct uet_ses belongs to the
 * requests to one peer: queue, then note each outcome, pump_rudi, take_done.
 *
 * Receiving: uet_ses_rx_mark_end() for every packet; then
 * uet_ses_rx_supported(); a NO_OP needs no more.  Then find; if no
 * message is found, has_space or evict, and start.  Then uet_ses_rx_seg(),
 * whose result determines the handling of packet, message and answer.  RMA uses
 * uet_ses_rma_place() and uet_ses_rx_rma() instead, and a message of one packet
 * need not be started.  uet_ses_rx_rma() also serves a message whose packets go
 * directly to the memory of the receiver.
 *
 * Deferring: a target that has no place for a deferrable send answers with
 * uet_ses_rsp_deferred(), and records the rest of the message by
 * uet_ses_rx_defer().  The sender gets the message back as any other.  If
 * uet_ses_tx_is_deferred(), the sender queues the message again when a
 * UET_DEFERRABLE_RTR requests it.
 *
 * Rendezvous: the eager bytes are sent as those of any message.  The message
 * then waits, without limit, for the answer of the target after the target has
 * read the rest: uet_ses_rdv_answer().  When no peer can read from this end any
 * more, uet_ses_rdv_shut() ends the wait.  A target answers the packets with
 * uet_ses_rsp_none() and reads with uet_ses_rdv_read().  The final response,
 * uet_ses_rsp_final(), is queued as a read response is.
 *
 * Reading, initiator: the message is queued as any other.  For each packet with
 * data call uet_ses_read_find() or uet_pdc_answered(), then
 * uet_ses_read_check(), place the data, then uet_ses_read_take(); or call
 * uet_ses_read_fail().  Packets that follow each other may be checked by
 * uet_ses_read_run_begin() and uet_ses_read_run_fits().  Call uet_ses_read_tick() before reap.
 *
 * Reading, target: uet_ses_read_share(), then a response with data for the ACK,
 * or uet_ses_read_rsp_queue(), which ends in uet_ses_take_read_rsp().
 */
#ifndef UET_CORE_SES_H
#define UET_CORE_SES_H

#include "core/shim.h"
#include "core/wire/wire.h"
#include "core/pds/pds.h"
#include "core/wire/psn.h"
#include "core/pds/rudi.h"

/*
 * Incomplete messages per PDC at a receiver, including failed ones.  The number
 * bounds the search in uet_ses_rx_find() and the memory per PDC.
 */
#define UET_SES_RX_MAX		64

/*
 * Messages whose packets are all acknowledged, but whose final response is
 * pending at the target.  At this limit no new message is started.  These
 * messages do not keep the PDC open: the response has to arrive within the idle
 * time of the PDC.  Rendezvous messages are not counted here.
 */
#define UET_SES_WAIT_MAX	64

/*
 * Rendezvous messages that wait for the target to read them.  At this limit no new
 * rendezvous message is started.  They are found by message id: a hash table,
 * so small that a PDC of the default window still fits in UET_PDC_MEM_UNIT.
 */
#define UET_SES_RDV_MAX		16384
#define UET_SES_RDV_BUCKETS	16

/*
 * Packets of requested data per PDC, and the span of such packets within one
 * message: received data is tracked packet by packet.  A power of two.
 */
#define UET_SES_READ_AHEAD	256

/*
 * At that limit, requests wait until so many can follow.  If each packet of data let
 * one request out, no burst of requests, and so none of data, would ever form again.
 */
#define UET_SES_READ_BATCH	64

/*
 * Return packets per PDC at a target; further requests are refused for now.
 * The number is twice the packets that a peer with our limits requests: a
 * return packet counts until it is acknowledged, also after its arrival.
 */
#define UET_SES_READ_RSP_MAX	(2 * UET_SES_READ_AHEAD)

/*
 * The most events of one call of uet_ses_reap(); and the most messages of one call of
 * uet_ses_fail(), which also limits uet_ses_reap() with a PDC that is over.  The caller
 * reports the messages with softirqs off, and the report of a failed one takes ten times as
 * long.
 */
#define UET_SES_REAP_MAX	64
#define UET_SES_FAIL_MAX	4

/**
 * struct uet_ses_addr - addressing fields of a request
 * @job: JobID, 24 bits
 * @pid: PIDonFEP, 12 bits
 * @ri: Resource Index, 12 bits
 * @rel: relative addressing: @job is the scope of @pid
 * @initiator: initiator id of the sender
 *
 * Spec: UE 1.0.1 3.4.1.
 */
struct uet_ses_addr {
	u32 job;
	u16 pid;
	u16 ri;
	bool rel;
	u32 initiator;
};

/**
 * struct uet_ses_tokens - restart tokens of a deferrable send
 * @init: restart token of the sender of the message
 * @tgt: restart token of the target; 0: the target may defer the message
 * @length: UET_OP_DEFERRABLE_RTR: bytes of the message
 *
 * Spec: UE 1.0.1 Figures 3-11 and 3-12.
 */
struct uet_ses_tokens {
	u32 init;
	u32 tgt;
	u32 length;
};

/**
 * struct uet_ses_read - read data requested by a message
 * @want: bytes requested: for UET_OP_READ uet_ses_tx.length, for a fetching
 *	atomic the size of the value, else 0; set by the caller
 * @link: entry in uet_ses.reads, from the first packet until the message has
 *	ended
 * @got: bytes received
 * @asked: requests handed down, each for one packet of data
 * @come: requests whose data arrived
 * @base: packets from the start of the message whose data arrived without a gap
 * @map: packets behind @base whose data arrived, by their index in the message
 * @bits: memory of @map
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

/**
 * struct uet_ses_rdv_tx - fields of a rendezvous message
 * @length: bytes of the whole message; uet_ses_tx.length of them are eager
 * @at: where the target reads the whole message; its eager_length is unused
 * @link: entry in uet_ses.rdvs, from the first packet until the message has
 *	ended
 * @by_id: entry in uet_ses.rdv_ids, as @link
 *
 * Spec: UE 1.0.1 Figure 3-15.
 */
struct uet_ses_rdv_tx {
	u32 length;
	struct uet_ses_rdv at;
	struct list_head link;
	struct hlist_node by_id;
};

/**
 * struct uet_ses_mark - the last of the answers of one kind to a message
 * @xmit: latest transmission of a packet that was answered so
 * @answer: latest ACK that answered so
 * @is_set: there was one
 *
 * Both numbers are serial numbers of the PDC, see struct uet_pdc_up.
 */
struct uet_ses_mark {
	u32 xmit;
	u32 answer;
	bool is_set;
};

/**
 * struct uet_ses_tx - a message being sent
 * @link: private while queued; in the @done list of reap and fail
 * @to: target address, and our initiator id
 * @length: request_length, bytes, 0..2^32-1; for a rendezvous the eager part
 * @avail: bytes the sender has supplied so far, <= @length; never decreases;
 *	for a UET_OP_READ, which sends none, @length
 * @mtu: Payload MTU, bytes, not 0
 * @offset: buffer_offset (RMA), else 0
 * @amo: atomic operation, for the opcodes of atomics, else NULL; @length is one
 *	packet then
 * @header_data: completion data, sent when @has_hdata
 * @match: memory key (RMA) or match bits (tagged opcodes), else 0
 * @opcode: enum uet_opcode; UET_OP_NO_OP has @length 0
 * @has_hdata: @header_data is valid
 * @has_more: other messages follow at once, so the ACK of this one may be
 *	coalesced with theirs
 * @read: read data; the caller sets @read.want
 * @form: UET_SES_MEDIUM or UET_SES_SMALL, if uet_ses_form() permits; any other
 *	value is the standard form
 * @tokens: for deferrable sends and UET_OP_DEFERRABLE_RTR
 * @rdv: for the rendezvous opcodes; SES uses @rdv.link
 *
 * @wait_until: until then, monotonic time in ns, a target without the endpoint gets the
 *	message again; 0: it does not
 * @is_repeat: sent once before, on a PDC that failed: never repeated again.  Set by
 *	uet_ses_tx_may_repeat(), kept until the message is freed
 *
 * The caller sets the fields above.  SES owns the fields below, and resets them
 * in uet_ses_tx_queue().  The caller may read them.
 *
 * @msg_id: message id; 0 until the first packet was handed to PDS, and always
 *	in a form without message ids
 * @next: offset of the next segment to hand to PDS
 * @acked: bytes answered so far, a prefix of the message
 * @packets: packets handed to PDS and not answered yet
 * @rc: first return code other than OK, enum uet_rc
 * @executed: bytes that the target reported as executed; see uet_ses_executed()
 * @error: the PDC failed, or read data was wrong: enum uet_pdc_error
 * @nack_code: with @error, the NACK code or 0
 * @is_cut: the last segment to be sent was handed to PDS
 * @is_aborted: the sender aborted the message: a MSG_ERROR replaces the unsent
 *	rest
 * @awaits_rsp: the final response is still to come, see uet_ses_final_note()
 * @none: answers UET_NO_RESPONSE
 * @told: answers that state a result
 * @number: with @has_psn, number of the last packet handed to the PDC: its PSN minus the
 *	Start_PSN, because a secure target may change the Start_PSN
 * @has_psn: @number is valid; RUDI has no PSNs
 * @ri_gen: generation in the packets of the message, 0: none; set with @msg_id
 * @is_refused: refused because of its generation, or because the endpoint does not
 *	exist yet; to be sent again from its first byte
 * @is_deferred: deferred by the target: an empty last packet replaces the
 *	unsent rest
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

/**
 * struct uet_ses_seg - a received segment of a message; part of the packet
 * @link: position in its message, ascending @offset
 * @offset: message offset of the first payload byte; set by uet_ses_rx_seg()
 * @len: payload bytes according to uet_wire_ses_payload(); set by the caller
 */
struct uet_ses_seg {
	struct list_head link;
	u32 offset;
	u32 len;
};

/**
 * struct uet_ses_rx - a message being received
 * @link: entry in the table of the struct uet_ses; empty when unlinked
 * @segs: segments present and not taken, ascending offset, never overlapping
 * @req: request header of the first packet that arrived; hd and header_data are
 *	those of the som packet once @has_som
 * @length: request_length, or the eager part of a rendezvous, bytes; when
 *	@failed, the bytes whose packets may still arrive
 * @received: payload bytes accepted so far; when @failed, payload bytes that
 *	arrived
 * @taken: bytes of the prefix already removed by uet_ses_rx_take()
 * @mtu: payload bytes of a full packet of this message, 0 while unknown
 * @has_som: the som packet arrived, header_data is valid
 * @failed: the message will not be completed; its packets are not kept
 * @rc: with @failed, return code of the answers; UET_RC_OK if the sender
 *	aborted the message
 * @deferred: @failed because the sender is to send the message again later
 * @psn: latest PSN of the packets of the message that arrived
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

/**
 * struct uet_ses_read_rsp - packets of read data to be sent
 * @link: private while queued; in the list of uet_ses_take_read_rsp()
 *	afterwards
 * @rsp: SES header of the first packet; in a form with data, unless it is a final
 *	response.  Each further packet has as much data, and begins where the one before
 *	ends
 *
 * The caller has the data, and keeps it until uet_ses_take_read_rsp() returns
 * the packets.  SES owns the fields below.
 *
 * @nr: number of packets
 * @next: packets handed to PDS
 * @open: packets not answered yet
 */
struct uet_ses_read_rsp {
	struct list_head link;
	struct uet_ses_rsp rsp;
	u32 nr;
	u32 next;
	u32 open;
};

/**
 * struct uet_ses_gen - Resource Index at the peer: its generation, and whether it exists
 * @refused: refused messages whose packets are all answered, in the order of
 *	sending
 * @nr: refused messages, including those with packets in flight
 * @resent: messages sent again; a counter that its reader resets to 0
 * @at: when the next message may start, ns; 0: now
 * @now: time of the latest uet_ses_pump(), ns
 * @pause_ns: length of the last pause, ns; 0 once a packet was accepted
 * @since: with @pause_ns, when the first of these pauses began, ns
 * @value: generation last reported by the peer; 0: none
 * @is_disabled: the index was last reported as disabled
 * @was_wrong: the last attempt was made without a pause, with a new generation
 * @is_trying: send one packet at a time until a packet is accepted
 * @is_known: the endpoint has answered a packet of this PDC
 * @is_ordered: the PDC is of ROD; set by the caller
 * @is_strict: at the target: a message of this PDC was refused because of its
 *	generation, so a message without a generation could be out of order
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

/**
 * struct uet_ses - SES state of one PDC
 * @txq: messages with segments to be handed to PDS, oldest first; only the
 *	first can be partly sent
 * @waitq: messages fully acknowledged that wait for their final response, or
 *	data; no rendezvous messages
 * @rdv_waitq: the same, rendezvous messages
 * @doneq: messages finished and not reaped
 * @rxq: messages being received, most recently used first
 * @nr_tx: messages queued and not reaped
 * @nr_wait: messages in @waitq
 * @nr_rdv_wait: messages in @rdv_waitq
 * @nr_rx: messages in @rxq
 * @next_msg_id: last message id assigned
 * @first_psn: Start_PSN of the PDC at the latest uet_ses_pump()
 * @rx_psn: PSN of the request that was last looked up by uet_ses_rx_find()
 * @reads: messages waiting for read data, struct uet_ses_read, in the order of
 *	their start
 * @nr_reads: messages of @reads in @waitq
 * @nr_requested: packets of data requested and not received, over all of @reads
 * @reads_are_full: @nr_requested has reached its limit, and no batch fits since
 * @read_moved: @read_at must be recomputed: data was requested or arrived, or a wait
 *	began
 * @read_at: with @nr_reads or @nr_requested: when the peer counts as silent for too long, ns
 * @read_rsp_queue: read data with packets to be handed to PDS, oldest first
 * @read_rsps: answered read data that the caller has not taken
 * @nr_read_rsps: packets of read data queued and not answered
 * @nr_packets: packets of messages handed to PDS and not answered yet
 * @gen: generation of the Resource Index
 * @rdvs: rendezvous messages with packets sent, struct uet_ses_rdv_tx
 * @rdv_ids: the same by message id
 * @rdv_at: when rendezvous messages have waited too long on a closing PDC, ns;
 *	0: none wait
 * @rdv_shut: no peer can read them any more: no message waits
 */
struct uet_ses {
	struct list_head txq;
	struct list_head waitq;
	struct list_head rdv_waitq;
	struct list_head doneq;
	struct list_head rxq;
	u32 nr_tx;
	u32 nr_wait;
	u32 nr_rdv_wait;
	u32 nr_rx;
	u16 next_msg_id;
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
	struct hlist_head rdv_ids[UET_SES_RDV_BUCKETS];
	u64 rdv_at;
	bool rdv_shut;
};

/**
 * enum uet_ses_step - result of uet_ses_rx_seg()
 * @UET_SES_MORE: kept, the message is incomplete; answer with the default
 *	response
 * @UET_SES_DONE: kept, the message is complete and no longer linked; answer
 *	with the default response
 * @UET_SES_ERROR: not kept, the message failed; answer with the error response
 *	of uet_ses_rx.rc
 * @UET_SES_IGNORE: not kept, the sender aborted the message; answer with the
 *	default response
 *
 * After ERROR and IGNORE the caller frees the packet and everything that
 * uet_ses_rx_take_all() yields.  The caller also frees the message if it is no
 * longer linked; a linked message only serves to answer the rest of its
 * packets.
 */
enum uet_ses_step {
	UET_SES_MORE,
	UET_SES_DONE,
	UET_SES_ERROR,
	UET_SES_IGNORE,
};

void uet_ses_init(struct uet_ses *ses);
bool uet_ses_is_idle(const struct uet_ses *ses);

/* Sending: ses_tx.c */
void uet_ses_tx_queue(struct uet_ses *ses, struct uet_ses_tx *tx);
void uet_ses_tx_abort(struct uet_ses *ses, struct uet_ses_tx *tx);
void uet_ses_pump(struct uet_ses *ses, struct uet_pdc *pdc, u64 now);
bool uet_ses_reap(struct uet_ses *ses, struct uet_pdc *pdc,
		  struct list_head *done);
bool uet_ses_fail(struct uet_ses *ses, enum uet_pdc_error error,
		  struct list_head *done);
void uet_ses_tx_response(struct uet_ses *ses, const struct uet_ses_rsp *rsp,
			 const struct uet_pds_hdr *hdr);
void uet_ses_pump_rudi(struct uet_ses *ses, struct uet_rudi_peer *rudi);
void uet_ses_note_rudi(struct uet_ses *ses, const struct uet_rudi_up *up);
bool uet_ses_tx_may_repeat(struct uet_ses_tx *tx);
void uet_ses_take_done(struct uet_ses *ses, struct list_head *done);
void uet_ses_tx_request(const struct uet_ses_tx *tx,
			const struct uet_pds_pkt *pkt,
			struct uet_ses_req *req);

/**
 * uet_ses_req_offset() - offset in its message of the first byte of a packet
 * @req: decoded request
 *
 * Return: bytes; the first packet of a message has no such field.
 */
static inline u32 uet_ses_req_offset(const struct uet_ses_req *req)
{
	return req->som ? 0 : req->message_offset;
}

/* Receiving: ses_rx.c */
void uet_ses_rx_mark_end(struct uet_ses_req *req, u32 len, u16 mtu);
u8 uet_ses_rx_supported(const struct uet_ses_req *req, enum uet_drop why);
enum uet_drop uet_ses_rx_datagram(const struct uet_ses_req *req);
struct uet_ses_rx *uet_ses_rx_begun(struct uet_ses *ses,
				    const struct uet_ses_req *req, u32 psn);
struct uet_ses_rx *uet_ses_rx_find(struct uet_ses *ses,
				   const struct uet_ses_req *req, u32 psn);
bool uet_ses_rx_has_space(const struct uet_ses *ses);
struct uet_ses_rx *uet_ses_rx_evict(struct uet_ses *ses);
void uet_ses_rx_start(struct uet_ses *ses, struct uet_ses_rx *rx,
		      const struct uet_ses_req *req);
enum uet_ses_step uet_ses_rx_seg(struct uet_ses *ses, struct uet_ses_rx *rx,
				 const struct uet_ses_req *req,
				 struct uet_ses_seg *seg, enum uet_drop *why);
void uet_ses_rx_take(struct uet_ses_rx *rx, struct list_head *segs);
void uet_ses_rx_take_all(struct uet_ses_rx *rx, struct list_head *segs);
void uet_ses_rx_fail(struct uet_ses_rx *rx, u8 rc);
void uet_ses_rx_drop(struct uet_ses *ses, struct uet_ses_rx *rx);
u8 uet_ses_rx_rudi(const struct uet_ses_req *req, enum uet_drop why);

/**
 * uet_ses_rx_is_linked() - is the message in the table of its PDC?
 * @rx: the message
 *
 * Return: false once the caller alone owns the message.
 */
static inline bool uet_ses_rx_is_linked(const struct uet_ses_rx *rx)
{
	return !list_empty(&rx->link);
}

/* Generations: ses_tx_gen.c */
u64 uet_ses_gen_deadline(const struct uet_ses *ses);

/* Reading, initiator: ses_tx_read.c */
struct uet_ses_tx *uet_ses_read_find(struct uet_ses *ses,
				     const struct uet_ses_rsp *rsp);
enum uet_drop uet_ses_read_check(const struct uet_ses *ses,
				 const struct uet_ses_tx *tx,
				 const struct uet_ses_rsp *rsp, u32 offset,
				 u32 len);
struct uet_ses_tx *uet_ses_read_run_begin(struct uet_ses *ses, u16 msg_id, u32 len);
bool uet_ses_read_run_fits(const struct uet_ses_tx *tx, u32 offset, u32 nr);
void uet_ses_read_take(struct uet_ses *ses, struct uet_ses_tx *tx, u32 offset,
		       u32 len, u32 nr);
void uet_ses_read_fail(struct uet_ses *ses, struct uet_ses_tx *tx,
		       enum uet_pdc_error error, u8 rc);
void uet_ses_read_tick(struct uet_ses *ses, struct uet_pdc *pdc, u64 now);
u64 uet_ses_read_deadline(const struct uet_ses *ses);

/* Reading, target: ses_rx_read.c */
enum uet_drop uet_ses_read_share(const struct uet_ses_req *req, u16 mtu,
				 u64 *offset, u32 *len, u8 *rc);
bool uet_ses_read_in_ack(const struct uet_ses_req *req, u32 max);

/* Reading, target: ses_tx_read_rsp.c */
u32 uet_ses_read_rsp_space(const struct uet_ses *ses);
void uet_ses_read_rsp_queue(struct uet_ses *ses,
			    struct uet_ses_read_rsp *read_rsp, u32 nr);
void uet_ses_read_rsp_header(const struct uet_pds_pkt *pkt, struct uet_ses_rsp *rsp);
void uet_ses_take_read_rsp(struct uet_ses *ses, struct list_head *read_rsps);
bool uet_ses_is_read_rsp(const struct uet_pds_pkt *pkt);

/* Receiving, into memory regions: ses_rx_rma.c */
bool uet_ses_is_rma(u8 opcode);
enum uet_drop uet_ses_rma_place(const struct uet_ses_req *req, u32 len,
				u64 *offset);
enum uet_ses_step uet_ses_rx_rma(struct uet_ses *ses, struct uet_ses_rx *rx,
				 const struct uet_ses_req *req, u32 len,
				 enum uet_drop *why);

/* Receiving, packets that continue a message in order: ses_rx_run.c */
struct uet_ses_rx *uet_ses_rx_run_begin(struct uet_ses *ses, u16 msg_id,
					u32 tgt_token, u32 offset);
u32 uet_ses_rx_run_space(const struct uet_ses_rx *rx, u32 len);
void uet_ses_rx_run_seg(struct uet_ses_rx *rx, struct uet_ses_seg *seg,
			u32 offset, u32 len);
void uet_ses_rx_run_end(struct uet_ses *ses, struct uet_ses_rx *rx, u32 n,
			u32 len, u32 psn);

/* Forms of the request header: ses_tx_form.c */
u8 uet_ses_form(const struct uet_ses_tx *tx);
bool uet_ses_is_short(const struct uet_ses_tx *tx);
bool uet_ses_key_is_small(u64 key);

/**
 * uet_ses_is_fetching() - does the operation return a value?
 * @opcode: enum uet_opcode
 *
 * Return: true if the answer contains the previous value.
 * Spec: UE 1.0.1 Table 3-17.
 */
static inline bool uet_ses_is_fetching(u8 opcode)
{
	const struct uet_op_prop *op = uet_wire_op(opcode);

	return op->ext == UET_EXT_AMO && op->flags & UET_OPF_RETURNS;
}

/**
 * uet_ses_is_tagged_amo() - does an atomic operate on the memory of a receive?
 * @opcode: enum uet_opcode
 *
 * Return: true if so; the operation is one packet, and consumes a receive as a
 *	message does.
 * Spec: UE 1.0.1 Table 3-17.
 */
static inline bool uet_ses_is_tagged_amo(u8 opcode)
{
	const struct uet_op_prop *op = uet_wire_op(opcode);

	return op->ext == UET_EXT_AMO && op->flags & UET_OPF_TAGGED;
}

/* Deferrable sends: ses_tx_defer.c, ses_rx_defer.c */
bool uet_ses_is_deferrable(u8 opcode);
bool uet_ses_rx_is_deferrable(const struct uet_ses_req *req);
bool uet_ses_may_defer(const struct uet_ses_tx *tx);
bool uet_ses_tx_is_deferred(const struct uet_ses_tx *tx);
bool uet_ses_defer_is_requested(const struct uet_ses_tx *tx,
				const struct uet_ses_req *rtr, u32 *tgt_token);
enum uet_drop uet_ses_rx_may_begin(const struct uet_ses_req *req, u32 len);
void uet_ses_rx_defer(struct uet_ses *ses, struct uet_ses_rx *rx,
		      const struct uet_ses_req *req);
bool uet_ses_rx_is_restarted(const struct uet_ses_rx *rx,
			     const struct uet_ses_req *req);
bool uet_ses_rx_is_before_restart(const struct uet_ses_rx *rx,
				  const struct uet_ses_req *req);
void uet_ses_rx_put_off(struct uet_ses *ses, struct uet_ses_rx *rx,
			const struct uet_ses_req *req, u32 len);
void uet_ses_rsp_deferred(struct uet_ses_rsp *rsp,
			  const struct uet_ses_req *req);

/* Rendezvous: ses_tx_rdv.c, ses_rx_rdv.c */
bool uet_ses_is_rendezvous(u8 opcode);
u32 uet_ses_tx_length(const struct uet_ses_tx *tx);
enum uet_drop uet_ses_rdv_answer(struct uet_ses *ses,
				 const struct uet_ses_rsp *rsp);
void uet_ses_rdv_shut(struct uet_ses *ses);
void uet_ses_rdv_tick(struct uet_ses *ses, u64 now);
u64 uet_ses_rdv_deadline(const struct uet_ses *ses);
bool uet_ses_rx_is_rdv(const struct uet_ses_req *req);
enum uet_drop uet_ses_rx_rdv_check(const struct uet_ses_req *req, u32 len,
				   u8 *rc);
void uet_ses_rdv_read(struct uet_ses_tx *tx, const struct uet_ses_req *req,
		      u32 from, u32 end);
void uet_ses_rsp_none(struct uet_ses_rsp *rsp, const struct uet_ses_req *req);
void uet_ses_rsp_final(struct uet_ses_rsp *rsp, const struct uet_ses_req *req,
		       u8 rc, u32 modified_length);

/* Responses: ses_rsp.c */
void uet_ses_rsp_default(struct uet_ses_rsp *rsp,
			 const struct uet_ses_req *req);
void uet_ses_rsp_error(struct uet_ses_rsp *rsp, const struct uet_ses_req *req,
		       u8 rc);
void uet_ses_rsp_data(struct uet_ses_rsp *rsp, const struct uet_ses_req *req,
		      u32 psn, u32 len);
void uet_ses_rsp_taken(struct uet_ses_rsp *rsp, const struct uet_ses_rsp *data,
		       const struct uet_ses_tx *tx);
int uet_ses_errno(const struct uet_ses_tx *tx);
u8 uet_ses_reported_rc(const struct uet_ses_tx *tx);
u32 uet_ses_executed(const struct uet_ses_tx *tx);
bool uet_ses_rc_is_absent(u8 rc);
const char *uet_ses_why(const struct uet_ses_tx *tx);
const char *uet_ses_rc_name(u8 rc);

#endif
