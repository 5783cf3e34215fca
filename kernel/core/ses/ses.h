/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The SES interface: messages.  A struct uet_ses is the semantic state that
 * belongs to one PDC: the messages queued on it for sending, and the messages
 * being reassembled from it.  It cuts messages into packets, puts packets
 * together again in whatever order they come, and turns failures into return
 * codes.  It knows no socket, no buffer contents and no address: a message is
 * a length, and the caller keeps the bytes.  Level: core L5, above pds.
 *
 * Implements UE 1.0.1 3.4 for UET_SEND, UET_TAGGED_SEND, UET_NO_OP, UET_WRITE,
 * UET_READ, UET_ATOMIC, UET_FETCHING_ATOMIC, UET_TSEND_ATOMIC,
 * UET_TSEND_FETCH_ATOMIC, deferrable and rendezvous sends: 3.4.1 (addressing,
 * generations), 3.4.3 (responses), segmentation and reassembly as in uet-wire 3.14.
 *
 * Locking: the caller serialises per struct uet_ses, in practice under the
 * lock of its PDC.  Message objects belong to the caller; between
 * uet_ses_tx_queue() and the uet_ses_reap() or uet_ses_fail() that returns it a
 * struct uet_ses_tx is in use here, between uet_ses_rx_start() and the moment
 * it is unlinked a struct uet_ses_rx is.
 *
 * Sending:	queue, then after whatever may have changed something
 *		reap (takes PDC events, returns finished messages), pump (hands
 *		packets to the PDC), and the PDC's own poll_tx loop.
 *		By RUDI, where a struct uet_ses belongs to the requests to one
 *		peer: queue, then note each outcome, pump_rudi, take_done.
 * Receiving:	uet_ses_rx_supported(); nothing more for a NO_OP; find;
 *		unless found: has_space or evict, start; then uet_ses_rx_seg(),
 *		whose result says what to do with packet, message and answer.
 *		In RMA uet_ses_rma_place() and uet_ses_rx_rma() instead, where a
 *		message of one packet need not be started; uet_ses_rx_rma() also
 *		for a message whose packets go to the memory of its receiver as
 *		they come.
 * Deferring:	a target that has no place for a deferrable send answers with
 *		uet_ses_rsp_deferred(), and remembers the rest of it by
 *		uet_ses_rx_defer().  Its sender gets the message read_rsp as any
 *		other, and if uet_ses_tx_is_deferred() queues it again once it
 *		was asked to by a UET_DEFERRABLE_RTR.
 * Rendezvous:	of such a message the bytes that are pushed are sent, as those of any.
 *		It then waits, without limit, for the answer that its target gives
 *		when it has read the rest: uet_ses_rdv_answer().  Who has nobody
 *		left to read from calls uet_ses_rdv_shut().  A target answers the
 *		packets with uet_ses_rsp_none(), asks by uet_ses_rdv_read() and
 *		sends uet_ses_rsp_final() as data is sent to who reads.
 * Reading:	who asks queues a message as any other.  For each packet with data
 *		uet_ses_read_find() or uet_pdc_answered(), uet_ses_read_check(),
 *		put the data where it belongs, uet_ses_read_take(); or
 *		uet_ses_read_fail().  Before reap, uet_ses_read_tick().
 *		Who is asked: uet_ses_read_share(), then a response with data for
 *		the ACK, or uet_ses_read_rsp_queue(), which ends in take_back.
 */
#ifndef UET_CORE_SES_H
#define UET_CORE_SES_H

#include "core/shim.h"
#include "core/wire/wire.h"
#include "core/pds/pds.h"
#include "core/wire/psn.h"
#include "core/pds/rudi.h"

/* Incomplete messages one PDC may have at a receiver, failed ones included. */
#define UET_SES_RX_MAX		64

/*
 * Messages whose packets are all acknowledged while the target still owes the
 * final response.  With so many of them no new message is started.  They do not
 * keep the PDC: the response has the PDC's idle time to come.
 */
#define UET_SES_WAIT_MAX	64

/*
 * Packets whose data may be awaited on one PDC, and the span of those of one
 * message: what has come is remembered packet by packet.  A power of two.
 */
#define UET_SES_READ_AHEAD	256

/*
 * Return packets one PDC may have at a target; further requests are refused for
 * now.  Twice what a peer like us asks for: those that have arrived there count
 * until they are acknowledged.
 */
#define UET_SES_READ_RSP_MAX	(2 * UET_SES_READ_AHEAD)

/**
 * struct uet_ses_addr - the addressing part of a request
 * @job: JobID, 24 bits
 * @pid: PIDonFEP, 12 bits
 * @ri: Resource Index, 12 bits
 * @rel: relative addressing: @pid is scoped by @job
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
 * struct uet_ses_tokens - what a deferrable send and the request to restart it carry
 * @init: restart token of the sender of the message
 * @tgt: that of its target; 0: the target may defer the message
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
 * struct uet_ses_read - the data that comes read_rsp for a message
 * @want: bytes of it: of UET_OP_READ uet_ses_tx.length, of a fetching atomic
 *	the size of the value, else 0; set by the caller
 * @link: in uet_ses.reads from the first packet on until the message has ended
 * @got: bytes that came
 * @asked: packets handed down, each for one packet of data
 * @come: of these, those whose data came
 * @base: packets from the start of the message whose data came without a gap
 * @map: of those behind @base, which came; at its place in the message
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
 * struct uet_ses_rdv_tx - what a rendezvous message has besides
 * @length: bytes of the whole message; uet_ses_tx.length are pushed
 * @at: where the whole message can be read; its eager_length means nothing
 * @link: in uet_ses.rdvs from the first packet on until the message has ended
 *
 * Spec: UE 1.0.1 Figure 3-15.
 */
struct uet_ses_rdv_tx {
	u32 length;
	struct uet_ses_rdv at;
	struct list_head link;
};

/**
 * struct uet_ses_tx - a message being sent
 * @link: private while queued; in the @done list of reap and fail
 * @to: target address, and who we are
 * @length: request_length, bytes, 0..2^32-1; of a rendezvous its eager part
 * @avail: bytes the sender has supplied so far, <= @length; only grows; of a
 *	UET_OP_READ, which has none, @length
 * @mtu: Payload MTU, bytes, not 0
 * @offset: buffer_offset (RMA), else 0
 * @amo: atomic operation of the opcodes that are one, else NULL; @length is one
 *	packet then
 * @header_data: completion data, sent when @has_hdata
 * @match: memory key (RMA) or match bits (tagged opcodes), else 0
 * @opcode: enum uet_opcode; UET_OP_NO_OP has @length 0
 * @has_hdata: @header_data is valid
 * @has_more: other messages follow at once, so that its answer may wait for theirs
 * @read: what comes read_rsp; @read.want is the caller's
 * @form: UET_SES_MEDIUM or UET_SES_SMALL, as uet_ses_form() says it may be; any
 *	other value is the standard form
 * @tokens: of deferrable sends and UET_OP_DEFERRABLE_RTR
 * @rdv: of the rendezvous opcodes; @rdv.link is not the caller's
 *
 * The caller fills in what is above; the rest belongs to SES, which resets it
 * in uet_ses_tx_queue().  The caller may read it.
 *
 * @msg_id: message id, 0 until the first packet was handed to PDS; for good in a
 *	form without
 * @next: offset of the next segment to hand to PDS
 * @acked: bytes answered so far, a prefix of the message
 * @packets: packets handed to PDS and not answered yet
 * @rc: first return code other than OK, enum uet_rc
 * @executed: bytes the target says it has executed; see uet_ses_executed()
 * @error: the PDC died, or what came read_rsp was wrong: enum uet_pdc_error
 * @nack_code: with @error, the NACK code or 0
 * @is_cut: all segments that will ever be sent were handed to PDS
 * @is_aborted: the sender gave up: what is unsent is replaced by a MSG_ERROR
 * @awaits_rsp: no answer but UET_NO_RESPONSE has come, a final one must
 * @psn: with @has_psn, PSN of the last packet handed to the PDC
 * @has_psn: that was the case; by RUDI there are no PSNs
 * @ri_gen: generation its packets name, 0 for none; set with @msg_id
 * @is_refused: refused for its generation, to be sent again from its first byte
 * @is_deferred: the target wants it later: what is unsent is replaced by an empty
 *	last packet
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
	u32 psn;
	bool has_psn;
	u8 ri_gen;
	bool is_refused;
	bool is_deferred;
};

/**
 * struct uet_ses_seg - one received piece of a message; lives in the packet
 * @link: position in its message, ascending @offset
 * @offset: message offset of the first payload byte; set by uet_ses_rx_seg()
 * @len: payload bytes, as told by uet_wire_ses_payload(); set by the caller
 */
struct uet_ses_seg {
	struct list_head link;
	u32 offset;
	u32 len;
};

/**
 * struct uet_ses_rx - a message being received
 * @link: position in the table of its struct uet_ses; empty when unlinked
 * @segs: pieces present and not taken, ascending offset, never overlapping
 * @req: the request header of its first seen packet; hd and header_data are
 *	those of the som packet once @has_som
 * @length: request_length, or the eager part of a rendezvous, bytes; when @failed,
 *	the bytes still to come by
 * @received: payload bytes accepted so far; when @failed, come by
 * @taken: bytes of the prefix already removed by uet_ses_rx_take()
 * @mtu: payload bytes of a full packet of this message, 0 while unknown
 * @has_som: the som packet came, header_data is known
 * @failed: the message will not be completed; its packets are not kept
 * @rc: with @failed, the code to answer; UET_RC_OK if the sender gave it up
 * @deferred: @failed because its sender is to send it again later
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
};

/**
 * struct uet_ses_read_rsp - a packet of data for a peer that reads
 * @link: private while queued; in the list of uet_ses_take_read_rsp()
 * @rsp: its header, in a form with data
 *
 * The caller has the data, and keeps it until the packet comes read_rsp.
 */
struct uet_ses_read_rsp {
	struct list_head link;
	struct uet_ses_rsp rsp;
};

/**
 * struct uet_ses_gen - the generation of the Resource Index at the other end
 * @refused: messages refused for it whose packets are all answered, in the order
 *	in which they were sent
 * @nr: messages refused for it, those with packets in flight among them
 * @resent: messages sent again; for who counts them, and sets it to 0
 * @at: when the next message may be begun, ns; 0: now
 * @pause_ns: the last pause, 0 once a packet was accepted
 * @value: the generation last heard of, 0: none
 * @is_disabled: it was disabled when last heard of
 * @was_wrong: the last attempt was made without a pause, with a new generation
 * @is_trying: one packet at a time, until one is accepted
 * @is_strict: at the target: a message of this PDC was refused for its generation,
 *	so one without could be out of order
 */
struct uet_ses_gen {
	struct list_head refused;
	u32 nr;
	u32 resent;
	u64 at;
	u64 pause_ns;
	u8 value;
	bool is_disabled;
	bool was_wrong;
	bool is_trying;
	bool is_strict;
};

/**
 * struct uet_ses - SES state of one PDC
 * @txq: messages with segments still to be handed to PDS, oldest first; only
 *	the first can be partly sent
 * @waitq: messages fully acknowledged that await their final response, or data
 * @doneq: messages finished and not reaped
 * @rxq: messages being received, most recently used first
 * @nr_tx: messages queued and not reaped
 * @nr_wait: messages in @waitq
 * @nr_rx: messages in @rxq
 * @next_msg_id: last message id given out
 * @reads: messages that data comes for, struct uet_ses_read, in the order begun
 * @nr_reads: those of them in @waitq
 * @nr_requested: packets whose data is awaited, of all in @reads
 * @read_moved: @read_at is to be set anew: something came, or began to be awaited
 * @read_at: with @nr_reads, when the peer has been silent for too long, ns
 * @read_rsp_queue: packets of data to be handed to PDS, oldest first
 * @read_rsps: those answered and not taken read_rsp
 * @nr_read_rsps: those queued and not taken read_rsp
 * @nr_packets: packets of messages handed to PDS and not answered yet
 * @gen: generations
 * @rdvs: rendezvous messages of which a packet was sent, struct uet_ses_rdv_tx
 * @rdv_at: when those that wait on a PDC that is to close have waited for too
 *	long, ns; 0: there are none
 * @rdv_shut: nobody can read them any more: none waits
 */
struct uet_ses {
	struct list_head txq;
	struct list_head waitq;
	struct list_head doneq;
	struct list_head rxq;
	u32 nr_tx;
	u32 nr_wait;
	u32 nr_rx;
	u16 next_msg_id;
	struct list_head reads;
	u32 nr_reads;
	u32 nr_requested;
	bool read_moved;
	u64 read_at;
	struct list_head read_rsp_queue;
	struct list_head read_rsps;
	u32 nr_read_rsps;
	u32 nr_packets;
	struct uet_ses_gen gen;
	struct list_head rdvs;
	u64 rdv_at;
	bool rdv_shut;
};

/**
 * enum uet_ses_step - what uet_ses_rx_seg() made of a packet
 * @UET_SES_MORE: kept, the message is incomplete; answer with the default
 *	response
 * @UET_SES_DONE: kept, the message is complete and no longer linked; answer
 *	with the default response
 * @UET_SES_ERROR: not kept, the message failed; answer with the error response
 *	of uet_ses_rx.rc
 * @UET_SES_IGNORE: not kept, the sender gave the message up; answer with the
 *	default response
 *
 * After ERROR and IGNORE the caller frees the packet and everything that
 * uet_ses_rx_take_all() yields, and the message too if it is not linked any
 * more; while linked it only remembers what to answer to the rest of it.
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
void uet_ses_reap(struct uet_ses *ses, struct uet_pdc *pdc,
		  struct list_head *done);
void uet_ses_fail(struct uet_ses *ses, enum uet_pdc_error error,
		  struct list_head *done);
void uet_ses_tx_response(struct uet_ses *ses, const struct uet_ses_rsp *rsp);
void uet_ses_pump_rudi(struct uet_ses *ses, struct uet_rudi_peer *rudi);
void uet_ses_note_rudi(struct uet_ses *ses, const struct uet_rudi_up *up);
void uet_ses_take_done(struct uet_ses *ses, struct list_head *done);
void uet_ses_tx_request(const struct uet_ses_tx *tx,
			const struct uet_pds_pkt *pkt,
			struct uet_ses_req *req);

/* Receiving: ses_rx.c */
u8 uet_ses_rx_supported(const struct uet_ses_req *req);
enum uet_drop uet_ses_rx_datagram(const struct uet_ses_req *req);
struct uet_ses_rx *uet_ses_rx_find(struct uet_ses *ses,
				   const struct uet_ses_req *req);
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
u8 uet_ses_rx_rudi(const struct uet_ses_req *req);

/**
 * uet_ses_rx_is_linked() - is the message still in the table of its PDC?
 * @rx: the message
 *
 * Context: Any; the caller serialises per PDC.
 * Return: false once it belongs to the caller alone.
 */
static inline bool uet_ses_rx_is_linked(const struct uet_ses_rx *rx)
{
	return !list_empty(&rx->link);
}

/* Generations: ses_tx_gen.c */
u64 uet_ses_gen_deadline(const struct uet_ses *ses);

/* Reading: ses_tx_read.c */
struct uet_ses_tx *uet_ses_read_find(struct uet_ses *ses,
				     const struct uet_ses_rsp *rsp);
enum uet_drop uet_ses_read_check(const struct uet_ses_tx *tx,
				 const struct uet_ses_rsp *rsp, u32 offset,
				 u32 len);
void uet_ses_read_take(struct uet_ses *ses, struct uet_ses_tx *tx, u32 offset,
		       u32 len);
void uet_ses_read_fail(struct uet_ses *ses, struct uet_ses_tx *tx,
		       enum uet_pdc_error error, u8 rc);
void uet_ses_read_tick(struct uet_ses *ses, struct uet_pdc *pdc, u64 now);
u64 uet_ses_read_deadline(const struct uet_ses *ses);

/* Being read: ses_rx_read.c */
enum uet_drop uet_ses_read_share(const struct uet_ses_req *req, u16 mtu,
				 u64 *offset, u32 *len, u8 *rc);
bool uet_ses_read_in_ack(const struct uet_ses_req *req, u32 max);

/* And ses_tx_read_rsp.c */
bool uet_ses_read_rsp_has_space(const struct uet_ses *ses);
void uet_ses_read_rsp_queue(struct uet_ses *ses,
			    struct uet_ses_read_rsp *read_rsp);
void uet_ses_take_read_rsp(struct uet_ses *ses, struct list_head *read_rsps);
bool uet_ses_is_read_rsp(const struct uet_pds_pkt *pkt);

/* Receiving, into memory regions: ses_rx_rma.c */
bool uet_ses_is_rma(u8 opcode);
enum uet_drop uet_ses_rma_place(const struct uet_ses_req *req, u32 len,
				u64 *offset);
enum uet_ses_step uet_ses_rx_rma(struct uet_ses *ses, struct uet_ses_rx *rx,
				 const struct uet_ses_req *req, u32 len,
				 enum uet_drop *why);

/* Forms of the request header: ses_tx_form.c */
u8 uet_ses_form(const struct uet_ses_tx *tx);
bool uet_ses_is_short(const struct uet_ses_tx *tx);
bool uet_ses_key_is_small(u64 key);
void uet_ses_form_response(struct uet_ses *ses, const struct uet_ses_rsp *rsp,
			   const struct uet_pds_hdr *hdr);
/**
 * uet_ses_is_fetching() - does the operation return a value?
 * @opcode: enum uet_opcode
 *
 * Context: Any.
 * Return: true if it is answered with what was there before.
 * Spec: UE 1.0.1 Table 3-17.
 */
static inline bool uet_ses_is_fetching(u8 opcode)
{
	const struct uet_op_prop *op = uet_wire_op(opcode);

	return op->ext == UET_EXT_AMO && op->flags & UET_OPF_RETURNS;
}

/**
 * uet_ses_is_tagged_amo() - is it an atomic operation on the memory of a receive?
 * @opcode: enum uet_opcode
 *
 * Context: Any.
 * Return: true if so; it is one packet, and takes a receive as a message does.
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
enum uet_drop uet_ses_rx_may_begin(const struct uet_ses_req *req, u32 len);
void uet_ses_rx_defer(struct uet_ses *ses, struct uet_ses_rx *rx,
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
		       u32 len);
int uet_ses_errno(const struct uet_ses_tx *tx);
u8 uet_ses_reported_rc(const struct uet_ses_tx *tx);
u32 uet_ses_executed(const struct uet_ses_tx *tx);
const char *uet_ses_rc_name(u8 rc);

#endif
