// SPDX-License-Identifier: GPL-2.0
/*
 * SES, receiving half: reassembles the packets of a message in any order of arrival,
 * detects contradictions sent by a faulty or hostile peer, and keeps failed messages while
 * more of their packets may arrive.  PDS filters duplicates before.  Payload bytes are not
 * handled here.
 *
 * Implements UE 1.0.1 3.4.1 (generations, message ids), 3.5.12.1, 3.5.20, Figures 3-11 and
 * 3-15, and uet-wire 2.32 and 3.14, the target.  Level: core L5.
 */
#include "ses.h"

static struct uet_ses_seg ses_rx_place_of(const struct uet_ses_req *req, u32 len)
{
	return (struct uet_ses_seg){
		.offset = uet_ses_req_offset(req),
		.len = len,
	};
}

/* Is the operation of a request supported, as far as its common part tells? */
static u8 ses_rx_op(const struct uet_ses_req *req)
{
	if (req->version)
		return UET_RC_UNCOR;
	if (req->ie)
		return UET_RC_INITIATOR_ERROR;
	if (!uet_wire_op(req->opcode)->forms || req->opcode == UET_OP_DATAGRAM_SEND)
		return UET_RC_UNSUPPORTED_OP;
	if (req->opcode == UET_OP_NO_OP)
		return UET_RC_OK;
	/* The final response names it by its message id alone. */
	if (uet_ses_is_rendezvous(req->opcode))
		return req->msg_id ? UET_RC_OK : UET_RC_UNCOR;
	if (req->opcode == UET_OP_DEFERRABLE_RTR)
		return UET_RC_OK;
	/* Without a message id the packets cannot be put together. */
	if (!req->msg_id && !(req->som && req->eom))
		return UET_RC_UNCOR;
	return UET_RC_OK;
}

/*
 * uet_ses_rx_supported() - is this request supported at all? Its common part is decoded, or zero
 * @why: UET_DROP_NONE, or why the rest could not be decoded; the result is an error then
 *
 * The caller answers a NO_OP with the default response.  The dc flag needs no action: data is
 * in memory before its packet is answered.
 * Spec: UE 1.0.1 Table 3-17, 3.4.5.4.1 (ie), uet-wire 3.14.
 */
u8 uet_ses_rx_supported(const struct uet_ses_req *req, enum uet_drop why)
{
	u8 rc = ses_rx_op(req);

	if (rc != UET_RC_OK || !why)
		return rc;
	return why == UET_DROP_SES_RESERVED_AMO ? UET_RC_AMO_UNSUPPORTED_OP : UET_RC_UNCOR;
}

/*
 * Bytes that the packets of a message carry: of a rendezvous the eager part; 0 for an atomic
 * with its operands in the extension, for which some senders state the size of the operands.
 */
static u32 ses_req_length(const struct uet_ses_req *req)
{
	if (req->ext == UET_EXT_CSWAP)
		return 0;
	return req->ext == UET_EXT_RDV ? req->x.rdv.eager_length : req->request_length;
}

/*
 * Some senders state the size of the result as the request_length of an atomic READ, which
 * needs no operand.
 */
static u32 ses_rx_length(const struct uet_ses_req *req, u32 len)
{
	if (!len && req->ext == UET_EXT_AMO && req->x.amo.opcode == UET_AMO_READ)
		return 0;
	return ses_req_length(req);
}

/*
 * uet_ses_rx_mark_end() - set eom in a packet that reaches the end of its message
 * @mtu: Payload MTU of the endpoint that received the packet, bytes
 *
 * A message is complete by byte count (uet-wire 3.14): some senders set eom only in a packet
 * without som.  For a READ the bytes are those requested, at most one Payload MTU by the first
 * packet.  An eom before the end stays, and is a contradiction.
 */
void uet_ses_rx_mark_end(struct uet_ses_req *req, u32 len, u16 mtu)
{
	const u32 length = ses_rx_length(req, len);
	u32 offset = uet_ses_req_offset(req);

	if (req->opcode == UET_OP_READ)
		len = req->som ? min_t(u32, mtu, length) : req->payload_length;
	if (offset <= length && len == length - offset)
		req->eom = true;
}

/*
 * uet_ses_rx_datagram() - is this request valid without a PDC? A SEND counts as DATAGRAM_SEND
 * Return: UET_DROP_NONE; SES_BAD_OP, also for ie (UE 1.0.1 3.4.5.4.1); SES_NOT_SINGLE.
 */
enum uet_drop uet_ses_rx_datagram(const struct uet_ses_req *req)
{
	if (req->ie || (req->opcode != UET_OP_DATAGRAM_SEND && req->opcode != UET_OP_SEND))
		return UET_DROP_SES_BAD_OP;
	if (!req->som || !req->eom)
		return UET_DROP_SES_NOT_SINGLE;
	return UET_DROP_NONE;
}

/*
 * Does the packet with this PSN belong to a later message with the same id?  The packets of a
 * message have consecutive PSNs, and a PSN is accepted only when no PSN a window before it is
 * missing.  So the message has no more packets when the latest of them is further away.  PDS
 * filters duplicates, so a second first packet also begins another message.  Only a failed
 * message is replaced: of a message in progress a second first packet is a contradiction.  The
 * id of a deferred message is in use until its sender ends or restarts it.
 */
static bool ses_rx_is_over(const struct uet_ses_rx *rx, const struct uet_ses_req *req, u32 psn)
{
	bool is_far = psn - rx->psn + UET_PDC_WINDOW_MAX > 2 * UET_PDC_WINDOW_MAX;

	return rx->failed && !rx->deferred && (is_far || (req->som && rx->has_som));
}

/*
 * uet_ses_rx_find() - the linked message, possibly failed, of a request, or NULL
 * A failed message whose id was used again is not found: uet_ses_rx_evict() removes it in turn.
 * Spec: UE 1.0.1 3.4.1.14: ids are unique while open; uet-wire 2.18: no interleaving.
 */
struct uet_ses_rx *uet_ses_rx_find(struct uet_ses *ses, const struct uet_ses_req *req, u32 psn)
{
	struct uet_ses_rx *rx;

	ses->rx_psn = psn;
	if (!req->msg_id)
		return NULL;
	list_for_each_entry(rx, &ses->rxq, link) {
		if (rx->req.msg_id == req->msg_id && !ses_rx_is_over(rx, req, psn)) {
			rx->psn = uet_psn_later(rx->psn, psn);
			list_move(&rx->link, &ses->rxq);
			return rx;
		}
	}
	return NULL;
}

/*
 * uet_ses_rx_has_space() - may another message be started?
 * If uet_ses_rx_evict() does not help, UET_NACK_NO_SES_MSG_AVAIL refuses the packet.
 */
bool uet_ses_rx_has_space(const struct uet_ses *ses)
{
	return ses->nr_rx < UET_SES_RX_MAX;
}

/*
 * uet_ses_rx_evict() - unlink and return the failed message that was active least recently, or
 * NULL
 * Its sender stops when the failure is reported, so the rest may never arrive.  A deferred
 * message is ended by its sender.  Call uet_ses_rx_take_all() before it is freed or reused.
 */
struct uet_ses_rx *uet_ses_rx_evict(struct uet_ses *ses)
{
	struct uet_ses_rx *rx;

	list_for_each_entry_reverse(rx, &ses->rxq, link) {
		if (rx->failed && !rx->deferred) {
			uet_ses_rx_drop(ses, rx);
			return rx;
		}
	}
	return NULL;
}

/*
 * uet_ses_rx_start() - start a message with its first packet; uet_ses_rx_seg() must follow
 */
void uet_ses_rx_start(struct uet_ses *ses, struct uet_ses_rx *rx, const struct uet_ses_req *req)
{
	memset(rx, 0, sizeof(*rx));
	INIT_LIST_HEAD(&rx->segs);
	rx->req = *req;
	rx->length = ses_req_length(req);
	rx->rc = UET_RC_OK;
	rx->psn = ses->rx_psn;
	list_add(&rx->link, &ses->rxq);
	ses->nr_rx++;
}

static bool ses_rx_rdv_is_same(const struct uet_ses_req *a, const struct uet_ses_req *b)
{
	const struct uet_ses_rdv *x = &a->x.rdv, *y = &b->x.rdv;

	if (a->ext != UET_EXT_RDV)
		return true;
	return a->request_length == b->request_length && x->pid == y->pid &&
	       x->ri == y->ri && x->ri_gen == y->ri_gen &&
	       x->offset == y->offset && x->key == y->key;
}

/* Each packet repeats opcode and addressing (uet-wire 3.14). */
static bool ses_rx_is_same(const struct uet_ses_req *a, const struct uet_ses_req *b)
{
	return a->opcode == b->opcode && a->rel == b->rel && a->job == b->job &&
	       a->pid == b->pid && a->ri == b->ri && a->ri_gen == b->ri_gen &&
	       a->initiator == b->initiator && a->match == b->match &&
	       a->offset == b->offset && a->init_token == b->init_token &&
	       a->tgt_token == b->tgt_token && ses_rx_rdv_is_same(a, b);
}

/*
 * Every packet except the last carries one full Payload MTU of its sender, and no full packet
 * is smaller than UET_SEGMENT_MIN.  Otherwise a peer could make the receiver keep a message of
 * many tiny segments.  @full: payload of a full packet as known with this packet.
 */
static bool ses_rx_fits_grid(const struct uet_ses_rx *rx, const struct uet_ses_req *req,
			     const struct uet_ses_seg *seg, u32 full)
{
	const struct uet_ses_seg *last;

	if (!full)	/* the last packet arrived first */
		return seg->len <= UET_MTU_MAX;
	if (seg->offset % full || seg->len > full)
		return false;
	if (req->eom)
		return true;
	if (seg->len != full || full < UET_SEGMENT_MIN || full > UET_MTU_MAX)
		return false;
	if (rx->mtu || list_empty(&rx->segs))
		return true;
	/* Before the first full packet arrives, only the last can have arrived. */
	last = list_first_entry(&rx->segs, struct uet_ses_seg, link);
	return !(last->offset % full) && last->len <= full;
}

/*
 * The list entry to insert behind, possibly the list head.  Fewer packets than a window
 * overtake one.  Return: NULL beyond that.
 */
static struct list_head *ses_rx_place(struct uet_ses_rx *rx, u32 offset)
{
	struct uet_ses_seg *prev;
	u32 steps = 0;

	list_for_each_entry_reverse(prev, &rx->segs, link) {
		if (prev->offset < offset)
			break;
		if (steps++ == UET_PDC_WINDOW_MAX)
			return NULL;
	}
	return &prev->link;
}

static bool ses_rx_overlaps(const struct uet_ses_rx *rx, const struct uet_ses_seg *seg,
			    const struct list_head *at)
{
	const struct uet_ses_seg *near;

	if (seg->offset < rx->taken)
		return true;
	if (at != &rx->segs) {
		near = list_entry(at, struct uet_ses_seg, link);
		if (seg->offset - near->offset < near->len)
			return true;
	}
	if (at->next != &rx->segs) {
		near = list_entry(at->next, struct uet_ses_seg, link);
		if (near->offset - seg->offset < seg->len)
			return true;
	}
	return false;
}

/* Contradictions within a packet, after uet_ses_rx_mark_end(). */
static enum uet_drop ses_rx_req_check(const struct uet_ses_req *req,
				      const struct uet_ses_seg *seg)
{
	const u32 length = ses_rx_length(req, seg->len);

	if (req->som != !seg->offset)
		return UET_DROP_SES_SOM_WRONG;
	if (seg->offset > length || seg->len > length - seg->offset)
		return UET_DROP_SES_BEYOND_LENGTH;
	if (req->eom && seg->len != length - seg->offset)
		return UET_DROP_SES_EOM_WRONG;
	if (!seg->len && length)
		return UET_DROP_SES_SHORT_SEGMENT;
	return UET_DROP_NONE;
}

static enum uet_drop ses_rx_check(const struct uet_ses_rx *rx, const struct uet_ses_req *req,
				  const struct uet_ses_seg *seg)
{
	if (!ses_rx_is_same(&rx->req, req))
		return UET_DROP_SES_HDR_CHANGED;
	if (ses_req_length(req) != rx->length)
		return UET_DROP_SES_LENGTH_CHANGED;
	if (req->som && rx->has_som)
		return UET_DROP_SES_SOM_WRONG;
	return ses_rx_req_check(req, seg);
}

/* Keep the fields that only the first packet of a message has. */
static void ses_rx_note_som(struct uet_ses_rx *rx, const struct uet_ses_req *req)
{
	if (!req->som)
		return;
	rx->has_som = true;
	rx->req.hd = req->hd;
	rx->req.header_data = req->header_data;
}

static enum uet_drop ses_rx_insert(struct uet_ses_rx *rx, const struct uet_ses_req *req,
				   struct uet_ses_seg *seg)
{
	enum uet_drop why = ses_rx_check(rx, req, seg);
	struct list_head *at;

	if (why)
		return why;
	if (!ses_rx_fits_grid(rx, req, seg, rx->mtu || req->eom ? rx->mtu : seg->len))
		return UET_DROP_SES_SHORT_SEGMENT;
	at = ses_rx_place(rx, seg->offset);
	if (!at)
		return UET_DROP_SES_DISORDER;
	if (ses_rx_overlaps(rx, seg, at))
		return UET_DROP_SES_OVERLAP;

	list_add(&seg->link, at);
	rx->received += seg->len;
	if (!req->eom)
		rx->mtu = seg->len;
	ses_rx_note_som(rx, req);
	return UET_DROP_NONE;
}

/* Count a packet of a failed message.  When all were counted, the message is unlinked. */
static enum uet_ses_step ses_rx_pass(struct uet_ses *ses, struct uet_ses_rx *rx,
				     const struct uet_ses_req *req, u32 len)
{
	rx->has_som |= req->som;
	if (rx->received < rx->length)
		rx->received += min(len, rx->length - rx->received);
	if (rx->received >= rx->length || (req->som && req->eom))
		uet_ses_rx_drop(ses, rx);
	return rx->rc == UET_RC_OK ? UET_SES_IGNORE : UET_SES_ERROR;
}

/*
 * uet_ses_rx_seg() - check a packet and insert it into its message, which was found or started
 * @seg: linked into @rx->segs if kept
 * @why: with UET_SES_ERROR, the contradiction, or that the message had failed before
 *
 * The place is searched from the end: one step for a packet in order, else UET_PDC_WINDOW_MAX
 * at most (uet-wire 3.14: segmentation, placement, completion by byte count).
 */
enum uet_ses_step uet_ses_rx_seg(struct uet_ses *ses, struct uet_ses_rx *rx,
				 const struct uet_ses_req *req,
				 struct uet_ses_seg *seg, enum uet_drop *why)
{
	*why = rx->failed && rx->rc != UET_RC_OK ? UET_DROP_SES_MSG_FAILED : UET_DROP_NONE;
	seg->offset = uet_ses_req_offset(req);
	if (req->opcode == UET_OP_MSG_ERROR) {
		/*
		 * The sender aborted the message after message_offset bytes (UE 1.0.1 Table
		 * 3-17); some of these may still be in flight.
		 */
		if (!rx->failed)
			uet_ses_rx_fail(rx, UET_RC_OK);
		rx->length = min(rx->length, req->message_offset);
		return ses_rx_pass(ses, rx, req, 0);
	}
	if (rx->failed)
		return ses_rx_pass(ses, rx, req, seg->len);
	*why = ses_rx_insert(rx, req, seg);
	if (*why) {
		uet_ses_rx_fail(rx, UET_RC_UNCOR);
		return ses_rx_pass(ses, rx, req, seg->len);
	}
	if (rx->received < rx->length)
		return UET_SES_MORE;
	uet_ses_rx_drop(ses, rx);
	return UET_SES_DONE;
}

/*
 * uet_ses_rx_take() - take the segments that continue the prefix already taken, in order
 */
void uet_ses_rx_take(struct uet_ses_rx *rx, struct list_head *segs)
{
	struct uet_ses_seg *seg;

	for (;;) {
		seg = list_first_entry_or_null(&rx->segs, struct uet_ses_seg, link);
		if (!seg || seg->offset != rx->taken)
			return;
		rx->taken += seg->len;
		list_move_tail(&seg->link, segs);
	}
}

/*
 * uet_ses_rx_take_all() - take all segments of a failed or unlinked message, ascending, with gaps
 */
void uet_ses_rx_take_all(struct uet_ses_rx *rx, struct list_head *segs)
{
	list_splice_tail_init(&rx->segs, segs);
}

/*
 * uet_ses_rx_fail() - fail a linked message; the first reason is kept
 * @rc: of the answers to its packets from now on; UET_RC_OK if the sender aborted it
 *
 * The message stays linked while packets of it may arrive.
 */
void uet_ses_rx_fail(struct uet_ses_rx *rx, u8 rc)
{
	if (rx->failed)
		return;
	rx->failed = true;
	rx->rc = rc;
}

/*
 * uet_ses_rx_drop() - unlink a message: the caller alone owns it
 */
void uet_ses_rx_drop(struct uet_ses *ses, struct uet_ses_rx *rx)
{
	list_del_init(&rx->link);
	ses->nr_rx--;
}

/*
 * uet_ses_rx_begun() - the message in progress, or NULL, of a request that may be malformed
 * A packet that must not be processed fails this message, so that nothing is reserved for
 * bytes that will not be used (UE 1.0.1 3.4.5.4.1).  The message id of a NO_OP or an RTR names
 * no message that the peer sends.
 */
struct uet_ses_rx *uet_ses_rx_begun(struct uet_ses *ses, const struct uet_ses_req *req, u32 psn)
{
	struct uet_ses_rx *rx;

	if (req->opcode == UET_OP_NO_OP || req->opcode == UET_OP_DEFERRABLE_RTR)
		return NULL;
	rx = uet_ses_rx_find(ses, req, psn);
	return rx && !rx->failed ? rx : NULL;
}

/**
 * uet_ses_rx_rudi() - check a RUDI request, whose common part is decoded, or zero
 * @req: the caller has filled in the key of a small one
 * @why: UET_DROP_NONE, or why the rest could not be decoded
 *
 * It may be executed more than once.  So it must be a read, or a write without a completion,
 * of memory whose key permits repetition (uet-wire 3.14, RUDI use; UE 1.0.1 Table 2-13).
 */
u8 uet_ses_rx_rudi(const struct uet_ses_req *req, enum uet_drop why)
{
	if (req->version)
		return UET_RC_UNCOR;
	if (req->ie)
		return UET_RC_INITIATOR_ERROR;
	if (req->opcode == UET_OP_NO_OP)
		return why ? UET_RC_UNCOR : UET_RC_OK;
	if (req->opcode != UET_OP_READ && (req->opcode != UET_OP_WRITE || req->hd))
		return UET_RC_OP_VIOLATION;
	if (why)
		return UET_RC_UNCOR;
	if (!(req->match & UET_KEY_IDEMPOTENT_SAFE))
		return UET_RC_OP_VIOLATION;
	return UET_RC_OK;
}

/*
 * uet_ses_rma_place() - place of an RMA packet in its memory region (uet-wire 3.14)
 * @offset: result; U64_MAX if the sum overflows
 */
enum uet_drop uet_ses_rma_place(const struct uet_ses_req *req, u32 len, u64 *offset)
{
	const struct uet_ses_seg seg = ses_rx_place_of(req, len);

	if (check_add_overflow(req->offset, (u64)seg.offset, offset))
		*offset = U64_MAX;
	return ses_rx_req_check(req, &seg);
}

/*
 * uet_ses_rx_rma() - account a packet of RMA, or for a posted receive, after uet_ses_rma_place()
 * Return: as uet_ses_rx_seg(), not UET_SES_IGNORE; complete when all bytes were received.
 */
enum uet_ses_step uet_ses_rx_rma(struct uet_ses *ses, struct uet_ses_rx *rx,
				 const struct uet_ses_req *req, u32 len, enum uet_drop *why)
{
	const struct uet_ses_seg seg = ses_rx_place_of(req, len);

	*why = ses_rx_check(rx, req, &seg);
	if (*why) {
		uet_ses_rx_fail(rx, UET_RC_UNCOR);
		return ses_rx_pass(ses, rx, req, len);
	}
	ses_rx_note_som(rx, req);
	rx->received += min(len, rx->length - rx->received);
	if (rx->received < rx->length)
		return UET_SES_MORE;
	uet_ses_rx_drop(ses, rx);
	return UET_SES_DONE;
}

/*
 * uet_ses_rx_run_begin() - find the message that packets continue in order, behind an accepted one
 * @tgt_token: in that packet; a message and its restart may have the same message id
 * @offset: of the first byte behind that packet
 *
 * uet_wire_run_next() has compared the headers, so the checks of uet_ses_rx_seg() and
 * uet_ses_rx_rma() are not repeated, and the progress is counted once.
 */
struct uet_ses_rx *uet_ses_rx_run_begin(struct uet_ses *ses, u16 msg_id,
					u32 tgt_token, u32 offset)
{
	const struct uet_ses_seg *last;
	struct uet_ses_rx *rx;

	rx = list_first_entry_or_null(&ses->rxq, struct uet_ses_rx, link);
	if (!rx || rx->req.msg_id != msg_id || rx->failed || rx->req.tgt_token != tgt_token)
		return NULL;
	if (list_empty(&rx->segs))
		return rx;
	last = list_last_entry(&rx->segs, struct uet_ses_seg, link);
	return last->offset + last->len == offset ? rx : NULL;
}

/*
 * uet_ses_rx_run_space() - how many packets of @len bytes, not 0, leave a message incomplete?
 * The packet that completes a message is never part of a run.
 */
u32 uet_ses_rx_run_space(const struct uet_ses_rx *rx, u32 len)
{
	u32 missing = rx->length - rx->received;

	return missing ? (missing - 1) / len : 0;
}

/*
 * uet_ses_rx_run_seg() - keep a segment of a run, which begins where the one before ends
 */
void uet_ses_rx_run_seg(struct uet_ses_rx *rx, struct uet_ses_seg *seg, u32 offset, u32 len)
{
	seg->offset = offset;
	seg->len = len;
	list_add_tail(&seg->link, &rx->segs);
}

/*
 * uet_ses_rx_run_end() - count @n packets of @len bytes, at most uet_ses_rx_run_space()
 * @psn: of the last one
 */
void uet_ses_rx_run_end(struct uet_ses *ses, struct uet_ses_rx *rx, u32 n, u32 len, u32 psn)
{
	UET_ASSERT(n <= uet_ses_rx_run_space(rx, len));
	ses->rx_psn = psn;
	rx->psn = uet_psn_later(rx->psn, psn);
	rx->received += n * len;
}

/*
 * uet_ses_read_share() - the bytes that a packet of a READ requests, in its memory region
 * @mtu: Payload MTU of the endpoint that received the packet, bytes
 * @offset: result; U64_MAX if the sum overflows
 * @rc: result: of the error response, if the packet is dropped
 *
 * The first of several packets does not contain the number of bytes it requests: it requests
 * one Payload MTU, so both ends must use the same (uet-wire 2.32, 3.2).
 */
enum uet_drop uet_ses_read_share(const struct uet_ses_req *req, u16 mtu,
				 u64 *offset, u32 *len, u8 *rc)
{
	struct uet_ses_seg seg = { .len = req->request_length };

	if (!req->som) {
		seg.offset = req->message_offset;
		seg.len = req->payload_length;
	} else if (!req->eom) {
		seg.len = min_t(u32, mtu, req->request_length);
	}
	if (check_add_overflow(req->offset, (u64)seg.offset, offset))
		*offset = U64_MAX;
	*len = seg.len;
	*rc = seg.len > mtu ? UET_RC_UNSUPPORTED_SIZE : UET_RC_UNCOR;
	if (seg.len > mtu)
		return UET_DROP_SES_DATA_OVERSIZED;
	return ses_rx_req_check(req, &seg);
}

/*
 * uet_ses_read_in_ack() - does the ACK carry the data of a READ? All packets are answered alike
 * @max: uet_pdc_max_ack_data() of the PDC, bytes (uet-wire 2.32)
 */
bool uet_ses_read_in_ack(const struct uet_ses_req *req, u32 max)
{
	return req->som && req->eom && req->request_length <= max;
}

/*
 * uet_ses_rx_is_deferrable() - can the target request this message later? Only with a token
 */
bool uet_ses_rx_is_deferrable(const struct uet_ses_req *req)
{
	return uet_ses_is_deferrable(req->opcode) && (req->init_token || req->tgt_token);
}

/*
 * uet_ses_rx_may_begin() - may this packet start a message, or its deferral?
 * The empty packet that ends a deferred message starts none.
 */
enum uet_drop uet_ses_rx_may_begin(const struct uet_ses_req *req, u32 len)
{
	const struct uet_ses_seg seg = ses_rx_place_of(req, len);

	return ses_rx_req_check(req, &seg);
}

/*
 * uet_ses_rx_defer() - start to discard the packets of a message, then uet_ses_rx_put_off()
 * @rx: linked until all packets have arrived; not needed for a message of one packet
 */
void uet_ses_rx_defer(struct uet_ses *ses, struct uet_ses_rx *rx, const struct uet_ses_req *req)
{
	uet_ses_rx_start(ses, rx, req);
	uet_ses_rx_fail(rx, UET_RC_OK);
	rx->deferred = true;
}

/*
 * uet_ses_rx_is_restarted() - does a packet restart a deferred message? The caller frees @rx then
 * Some initiators use the old message id, possibly before they have ended the deferred message
 * (UE 1.0.1 Figure 3-11).
 */
bool uet_ses_rx_is_restarted(const struct uet_ses_rx *rx, const struct uet_ses_req *req)
{
	return rx->deferred && req->opcode == rx->req.opcode &&
	       uet_ses_is_deferrable(req->opcode) &&
	       req->init_token == rx->req.init_token && req->tgt_token &&
	       req->tgt_token != rx->req.tgt_token;
}

/*
 * uet_ses_rx_is_before_restart() - is a packet of the deferred message, with the id of its restart?
 * It is answered with uet_ses_rsp_deferred() and dropped.
 */
bool uet_ses_rx_is_before_restart(const struct uet_ses_rx *rx, const struct uet_ses_req *req)
{
	return rx->req.tgt_token && !req->tgt_token &&
	       req->opcode == rx->req.opcode &&
	       uet_ses_is_deferrable(req->opcode) && req->init_token == rx->req.init_token;
}

/*
 * uet_ses_rx_put_off() - count a packet of a deferred message; the caller frees @rx if unlinked
 * The last packet contains the number of bytes that the sender has sent.
 */
void uet_ses_rx_put_off(struct uet_ses *ses, struct uet_ses_rx *rx,
			const struct uet_ses_req *req, u32 len)
{
	u32 offset = uet_ses_req_offset(req);
	u32 end;

	if (req->eom && !check_add_overflow(offset, len, &end))
		rx->length = min(rx->length, end);
	ses_rx_pass(ses, rx, req, len);
}

/*
 * uet_ses_rx_is_rdv() - must the target read a part of the message, behind the eager part?
 */
bool uet_ses_rx_is_rdv(const struct uet_ses_req *req)
{
	return req->ext == UET_EXT_RDV && req->x.rdv.eager_length < req->request_length;
}

/*
 * uet_ses_rx_rdv_check() - may this packet start a rendezvous?
 * @rc: result: of the error response, if not
 *
 * SES_BAD_RANGE: no memory has such an offset.
 */
enum uet_drop uet_ses_rx_rdv_check(const struct uet_ses_req *req, u32 len, u8 *rc)
{
	u64 end;

	*rc = UET_RC_BAD_ADDR;
	if (check_add_overflow(req->x.rdv.offset, (u64)req->request_length, &end))
		return UET_DROP_SES_BAD_RANGE;
	*rc = UET_RC_UNCOR;
	return uet_ses_rx_may_begin(req, len);
}

/*
 * uet_ses_rdv_read() - set the fields of the READ of a rendezvous, after uet_ses_rx_rdv_check()
 * @from: offset in the message of the first byte to read
 * @end: offset behind the last, above @from
 *
 * The offset in the header is that of the whole message, whatever the eager length
 * (uet-wire 3.14, rendezvous).
 */
void uet_ses_rdv_read(struct uet_ses_tx *tx, const struct uet_ses_req *req, u32 from, u32 end)
{
	const struct uet_ses_rdv *rdv = &req->x.rdv;

	tx->opcode = UET_OP_READ;
	tx->to.pid = rdv->pid;
	tx->to.ri = rdv->ri;
	tx->to.rel = req->rel;
	tx->match = rdv->key;
	tx->offset = rdv->offset + from;
	tx->length = end - from;
	tx->avail = tx->length;
	tx->read.want = tx->length;
}

/*
 * uet_ri_gen_init() - initialise an enabled index; @is_used: it uses generations
 */
void uet_ri_gen_init(struct uet_ri_gen *gen, bool is_used)
{
	gen->value = is_used;
	gen->is_disabled = false;
}

/*
 * uet_ri_gen_check() - may an ordered message start? (UE 1.0.1 Table 3-19)
 * @said: generation in the request, 0: its sender has none, or has not learnt this one yet
 * @is_strict: state of the PDC: a message was refused here; set if this one is
 *
 * A message without a generation is accepted until then: none can be missing before it.
 */
u8 uet_ri_gen_check(const struct uet_ri_gen *gen, u8 said, bool *is_strict)
{
	if (!gen->value)
		return UET_RC_OK;
	if (!gen->is_disabled && (said == gen->value || (!said && !*is_strict)))
		return UET_RC_OK;
	*is_strict = true;
	return gen->is_disabled ? UET_RC_DISABLED_GEN : UET_RC_BAD_GENERATION;
}

/*
 * uet_ri_gen_disable() - refuse all messages
 */
void uet_ri_gen_disable(struct uet_ri_gen *gen)
{
	WRITE_ONCE(gen->is_disabled, true);
}

/*
 * uet_ri_gen_enable() - enable a disabled index again, with the next generation, of 1 to 255
 */
void uet_ri_gen_enable(struct uet_ri_gen *gen)
{
	if (!gen->is_disabled)
		return;
	WRITE_ONCE(gen->is_disabled, false);
	gen->value = gen->value == U8_MAX ? 1 : gen->value + 1;
}
