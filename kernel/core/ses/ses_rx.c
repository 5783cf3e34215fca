// SPDX-License-Identifier: GPL-2.0
/*
 * SES, receiving half: reassembles the packets of a message in any order of
 * arrival, detects contradictions sent by a faulty or hostile peer, and keeps
 * failed messages while more of their packets may arrive.  PDS filters
 * duplicates before.  Payload bytes are not handled here.
 *
 * Implements UE 1.0.1 3.4.1.14 (message ids) and the placement and completion
 * rules of uet-wire 3.14.  Level: core L5.
 */
#include "ses_rx.h"

/* Is the operation of a request supported, as far as its common part tells? */
static u8 ses_rx_op(const struct uet_ses_req *req)
{
	if (req->version)
		return UET_RC_UNCOR;
	if (req->ie)
		return UET_RC_INITIATOR_ERROR;
	if (!uet_wire_op(req->opcode)->forms ||
	    req->opcode == UET_OP_DATAGRAM_SEND)
		return UET_RC_UNSUPPORTED_OP;
	if (req->opcode == UET_OP_NO_OP)
		return UET_RC_OK;
	/* By nothing else its final response can name it. */
	if (uet_ses_is_rendezvous(req->opcode))
		return req->msg_id ? UET_RC_OK : UET_RC_UNCOR;
	if (req->opcode == UET_OP_DEFERRABLE_RTR)
		return UET_RC_OK;
	/* Without a message id the packets cannot be put together. */
	if (!req->msg_id && !(req->som && req->eom))
		return UET_RC_UNCOR;
	return UET_RC_OK;
}

/**
 * uet_ses_rx_supported() - is this request supported at all?
 * @req: request; its common part is decoded, or zero
 * @why: UET_DROP_NONE, or why the rest could not be decoded
 *
 * UET_SEND, UET_TAGGED_SEND, UET_DEFERRABLE_SEND and UET_DEFERRABLE_TSEND carry
 * messages, UET_RENDEZVOUS_SEND and UET_RENDEZVOUS_TSEND a part of a message.
 * UET_DEFERRABLE_RTR requests a message, in one packet whatever som and eom
 * are.  UET_WRITE, UET_ATOMIC
 * and UET_FETCHING_ATOMIC change memory, see uet_ses_is_rma().  UET_READ is
 * handled separately, see uet_ses_read_share().  UET_TSEND_ATOMIC and
 * UET_TSEND_FETCH_ATOMIC change the memory of a receive.  UET_MSG_ERROR ends a
 * message.  A UET_NO_OP has no message: the caller answers it with the default
 * response.  The dc flag needs no action, because data is in memory before its
 * packet is answered.
 *
 * Return: UET_RC_OK, only without @why; or the return code of the error response.
 * Spec: UE 1.0.1 Table 3-17, 3.4.5.4.1 (ie), uet-wire 3.14.
 */
u8 uet_ses_rx_supported(const struct uet_ses_req *req, enum uet_drop why)
{
	u8 rc = ses_rx_op(req);

	if (rc != UET_RC_OK || !why)
		return rc;
	return why == UET_DROP_SES_RESERVED_AMO ? UET_RC_AMO_UNSUPPORTED_OP :
						  UET_RC_UNCOR;
}

/*
 * Bytes of the message of a packet with a payload of @len bytes.  Some senders state the
 * size of the result as the request_length of an atomic READ, which needs no operand.
 */
static u32 ses_rx_length(const struct uet_ses_req *req, u32 len)
{
	if (!len && req->ext == UET_EXT_AMO && req->x.amo.opcode == UET_AMO_READ)
		return 0;
	return uet_ses_rx_length(req);
}

/**
 * uet_ses_rx_mark_end() - set eom in a packet that reaches the end of its message
 * @req: decoded request; eom is set if the bytes of the packet end the message
 * @len: payload of the packet, bytes
 * @mtu: Payload MTU of the endpoint that received the packet, bytes
 *
 * A message is complete by byte count.  Some senders set eom only in a packet
 * without som.  For a READ the bytes are those that the packet requests; the
 * first packet requests one Payload MTU at most.  An eom before the end stays,
 * and is a contradiction.
 *
 * Spec: uet-wire 3.14 (completion: count bytes, not eom alone).
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

/**
 * uet_ses_rx_datagram() - is this request valid without a PDC?
 * @req: decoded request of a UUD packet
 *
 * A SEND is treated as the UET_DATAGRAM_SEND that it should be.
 *
 * Return: UET_DROP_NONE; SES_BAD_OP: another operation, or the initiator marked
 *	the request as wrong (ie); SES_NOT_SINGLE: part of a longer message.
 * Spec: UE 1.0.1 Table 3-17, 3.4.5.4.1 (ie).
 */
enum uet_drop uet_ses_rx_datagram(const struct uet_ses_req *req)
{
	if (req->ie || (req->opcode != UET_OP_DATAGRAM_SEND &&
			req->opcode != UET_OP_SEND))
		return UET_DROP_SES_BAD_OP;
	if (!req->som || !req->eom)
		return UET_DROP_SES_NOT_SINGLE;
	return UET_DROP_NONE;
}

/*
 * Does the packet with this PSN belong to a later message with the same id?
 * The packets of a message have consecutive PSNs, and a PSN is accepted only
 * when no PSN a window before it is missing.  So the message has no more
 * packets when the latest one of them is further away than that.  PDS filters
 * duplicates, so a second first packet also begins another message.  Only a
 * failed message is replaced: of a message in progress a second first packet
 * is a contradiction.  The id of a deferred message is in use until its sender
 * ends or restarts it.
 */
static bool ses_rx_is_over(const struct uet_ses_rx *rx,
			   const struct uet_ses_req *req, u32 psn)
{
	bool is_far = psn - rx->psn + UET_PDC_WINDOW_MAX >
		      2 * UET_PDC_WINDOW_MAX;

	return rx->failed && !rx->deferred &&
	       (is_far || (req->som && rx->has_som));
}

/**
 * uet_ses_rx_find() - the message that a request belongs to
 * @ses: SES of the PDC that received the request
 * @req: decoded request
 * @psn: PSN of the request
 *
 * A failed message whose id has been used again stays linked, and is not found:
 * uet_ses_rx_evict() removes it in its turn.
 *
 * Context: Any; the caller serialises per SES.  At most UET_SES_RX_MAX steps.
 * Return: a linked message, possibly failed; NULL if this is its first packet.
 * Spec: UE 1.0.1 3.4.1.14: message ids are unique while the message is open;
 *	uet-wire 2.18: the packets of two messages are not interleaved.
 */
struct uet_ses_rx *uet_ses_rx_find(struct uet_ses *ses,
				   const struct uet_ses_req *req, u32 psn)
{
	struct uet_ses_rx *rx;

	ses->rx_psn = psn;
	if (!req->msg_id)
		return NULL;
	list_for_each_entry(rx, &ses->rxq, link) {
		if (rx->req.msg_id == req->msg_id &&
		    !ses_rx_is_over(rx, req, psn)) {
			rx->psn = uet_psn_later(rx->psn, psn);
			list_move(&rx->link, &ses->rxq);
			return rx;
		}
	}
	return NULL;
}

/**
 * uet_ses_rx_has_space() - may another message be started?
 * @ses: SES
 *
 * Return: false if UET_SES_RX_MAX messages are linked; uet_ses_rx_evict() may
 *	help then, otherwise the packet is refused with
 *	UET_NACK_NO_SES_MSG_AVAIL.
 */
bool uet_ses_rx_has_space(const struct uet_ses *ses)
{
	return ses->nr_rx < UET_SES_RX_MAX;
}

/**
 * uet_ses_rx_evict() - remove the failed message that was active least recently
 * @ses: SES
 *
 * A failed message only needs to be kept while its packets are in flight.  Its
 * sender stops sending when the failure is reported, so the remaining packets
 * may never arrive, and the message would be kept for ever.  A deferred message
 * is ended by its sender, and stays until then.
 *
 * Return: a message, unlinked, that the caller frees or starts anew after
 *	uet_ses_rx_take_all(); NULL if none has failed.
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

/**
 * uet_ses_rx_start() - start a message with the packet that arrived first
 * @ses: SES, with space
 * @rx: memory of the caller, linked until the message ends
 * @req: request of that packet, for which uet_ses_rx_find() found no message;
 *	uet_ses_rx_seg() with @req must follow
 */
void uet_ses_rx_start(struct uet_ses *ses, struct uet_ses_rx *rx,
		      const struct uet_ses_req *req)
{
	memset(rx, 0, sizeof(*rx));
	INIT_LIST_HEAD(&rx->segs);
	rx->req = *req;
	rx->length = uet_ses_rx_length(req);
	rx->rc = UET_RC_OK;
	rx->psn = ses->rx_psn;
	list_add(&rx->link, &ses->rxq);
	ses->nr_rx++;
}

/* Each packet repeats opcode and addressing (uet-wire 3.14). */
static bool ses_rx_is_same(const struct uet_ses_req *a,
			   const struct uet_ses_req *b)
{
	return a->opcode == b->opcode && a->rel == b->rel && a->job == b->job &&
	       a->pid == b->pid && a->ri == b->ri && a->ri_gen == b->ri_gen &&
	       a->initiator == b->initiator && a->match == b->match &&
	       a->offset == b->offset && a->init_token == b->init_token &&
	       a->tgt_token == b->tgt_token && uet_ses_rx_rdv_is_same(a, b);
}

/*
 * Every packet except the last carries one full Payload MTU of its sender, and no
 * full packet is smaller than UET_SEGMENT_MIN.  Otherwise a peer could make the
 * receiver keep a message of many tiny segments.  @full is the payload of a full packet
 * as known with this packet.
 */
static bool ses_rx_fits_grid(const struct uet_ses_rx *rx,
			     const struct uet_ses_req *req,
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
 * The list entry to insert behind, possibly the list head.  The packets of a message have
 * ascending offsets, and fewer than a window of them overtake a packet.
 * Return: NULL beyond that.
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

static bool ses_rx_overlaps(const struct uet_ses_rx *rx,
			    const struct uet_ses_seg *seg,
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

/*
 * Check a packet for contradictions within itself.
 * @req: request header of the packet, after uet_ses_rx_mark_end()
 *
 * Return: UET_DROP_NONE, or the contradiction.
 */
enum uet_drop uet_ses_req_check(const struct uet_ses_req *req,
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

/*
 * Check a packet against itself and its message.
 * Return: UET_DROP_NONE, or the contradiction.
 */
enum uet_drop uet_ses_rx_check(const struct uet_ses_rx *rx,
			       const struct uet_ses_req *req,
			       const struct uet_ses_seg *seg)
{
	if (!ses_rx_is_same(&rx->req, req))
		return UET_DROP_SES_HDR_CHANGED;
	if (uet_ses_rx_length(req) != rx->length)
		return UET_DROP_SES_LENGTH_CHANGED;
	if (req->som && rx->has_som)
		return UET_DROP_SES_SOM_WRONG;
	return uet_ses_req_check(req, seg);
}

/*
 * Keep the fields that only the first packet of a message has.
 * @req: request header of any packet of the message
 */
void uet_ses_rx_note_som(struct uet_ses_rx *rx, const struct uet_ses_req *req)
{
	if (!req->som)
		return;
	rx->has_som = true;
	rx->req.hd = req->hd;
	rx->req.header_data = req->header_data;
}

static enum uet_drop ses_rx_insert(struct uet_ses_rx *rx,
				   const struct uet_ses_req *req,
				   struct uet_ses_seg *seg)
{
	enum uet_drop why = uet_ses_rx_check(rx, req, seg);
	struct list_head *at;

	if (why)
		return why;
	if (!ses_rx_fits_grid(rx, req, seg,
			      rx->mtu || req->eom ? rx->mtu : seg->len))
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
	uet_ses_rx_note_som(rx, req);
	return UET_DROP_NONE;
}

/*
 * Count a packet of a failed message.
 *
 * When all packets were counted, no more can arrive, and the message is
 * unlinked.
 *
 * Return: UET_SES_ERROR or UET_SES_IGNORE.
 */
enum uet_ses_step uet_ses_rx_pass(struct uet_ses *ses, struct uet_ses_rx *rx,
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
 * The sender aborted the message after message_offset bytes (UE 1.0.1 Table
 * 3-17); some of these bytes may still be in flight.
 */
static enum uet_ses_step ses_rx_abort(struct uet_ses *ses,
				      struct uet_ses_rx *rx,
				      const struct uet_ses_req *req)
{
	if (!rx->failed)
		uet_ses_rx_fail(rx, UET_RC_OK);
	rx->length = min(rx->length, req->message_offset);
	return uet_ses_rx_pass(ses, rx, req, 0);
}

/**
 * uet_ses_rx_seg() - check a packet and insert it into its message
 * @ses: SES
 * @rx: message of the packet, from uet_ses_rx_find() or uet_ses_rx_start()
 * @req: request header of the packet, supported
 * @seg: segment; linked into @rx->segs if kept
 * @why: with UET_SES_ERROR, the contradiction, or that the message had failed
 *	before; else UET_DROP_NONE
 *
 * Context: Any; the caller serialises per SES.  The search for the place runs
 *	backwards from the end, so a packet in order costs one step, and any other
 *	UET_PDC_WINDOW_MAX steps at most.
 * Return: enum uet_ses_step.
 * Spec: uet-wire 3.14 (segmentation, placement, completion by byte count).
 */
enum uet_ses_step uet_ses_rx_seg(struct uet_ses *ses, struct uet_ses_rx *rx,
				 const struct uet_ses_req *req,
				 struct uet_ses_seg *seg, enum uet_drop *why)
{
	*why = rx->failed && rx->rc != UET_RC_OK ? UET_DROP_SES_MSG_FAILED :
						   UET_DROP_NONE;
	seg->offset = uet_ses_req_offset(req);
	if (req->opcode == UET_OP_MSG_ERROR)
		return ses_rx_abort(ses, rx, req);
	if (rx->failed)
		return uet_ses_rx_pass(ses, rx, req, seg->len);
	*why = ses_rx_insert(rx, req, seg);
	if (*why) {
		uet_ses_rx_fail(rx, UET_RC_UNCOR);
		return uet_ses_rx_pass(ses, rx, req, seg->len);
	}
	if (rx->received < rx->length)
		return UET_SES_MORE;
	uet_ses_rx_drop(ses, rx);
	return UET_SES_DONE;
}

/**
 * uet_ses_rx_take() - take the complete prefix of a message
 * @rx: the message, complete or not
 * @segs: the segments that continue the prefix already taken are appended in
 *	order
 *
 * Context: Any; the caller serialises per SES while @rx is linked.
 */
void uet_ses_rx_take(struct uet_ses_rx *rx, struct list_head *segs)
{
	struct uet_ses_seg *seg;

	for (;;) {
		seg = list_first_entry_or_null(&rx->segs, struct uet_ses_seg,
					       link);
		if (!seg || seg->offset != rx->taken)
			return;
		rx->taken += seg->len;
		list_move_tail(&seg->link, segs);
	}
}

/**
 * uet_ses_rx_take_all() - take all segments of a message that will not be completed
 * @rx: the message, failed or unlinked
 * @segs: the segments are appended, ascending, with gaps
 *
 * Context: Any; the caller serialises per SES while @rx is linked.
 */
void uet_ses_rx_take_all(struct uet_ses_rx *rx, struct list_head *segs)
{
	list_splice_tail_init(&rx->segs, segs);
}

/**
 * uet_ses_rx_fail() - fail a message
 * @rx: the message, linked
 * @rc: return code of the answers to its packets from now on, enum uet_rc;
 *	UET_RC_OK if the sender aborted the message
 *
 * The caller may have its own reasons, such as a closed endpoint.  The first
 * reason is kept.  The message stays linked while packets of it may arrive;
 * uet_ses_rx_take_all() returns its segments.
 */
void uet_ses_rx_fail(struct uet_ses_rx *rx, u8 rc)
{
	if (rx->failed)
		return;
	rx->failed = true;
	rx->rc = rc;
}

/**
 * uet_ses_rx_drop() - unlink a message
 * @ses: SES
 * @rx: the message, linked; afterwards the caller alone owns it
 */
void uet_ses_rx_drop(struct uet_ses *ses, struct uet_ses_rx *rx)
{
	list_del_init(&rx->link);
	ses->nr_rx--;
}

/**
 * uet_ses_rx_begun() - the message in progress that a packet belongs to
 * @ses: SES
 * @req: request, possibly malformed; its common part is decoded, or zero
 * @psn: PSN of the packet
 *
 * A packet that must not be processed fails this message, so that nothing is reserved
 * for bytes that will not be used.  The message id of a NO_OP or an RTR names no message
 * that the peer sends.
 *
 * Return: the message, not failed; NULL if there is none.
 * Spec: UE 1.0.1 3.4.5.4.1.
 */
struct uet_ses_rx *uet_ses_rx_begun(struct uet_ses *ses,
				    const struct uet_ses_req *req, u32 psn)
{
	struct uet_ses_rx *rx;

	if (req->opcode == UET_OP_NO_OP || req->opcode == UET_OP_DEFERRABLE_RTR)
		return NULL;
	rx = uet_ses_rx_find(ses, req, psn);
	return rx && !rx->failed ? rx : NULL;
}

/**
 * uet_ses_rx_rudi() - check a RUDI request
 * @req: request; its common part is decoded, or zero
 * @why: UET_DROP_NONE, or why the rest could not be decoded
 *
 * A RUDI request may be executed more than once.  So it must be a read, or a
 * write without a completion, of memory whose key permits repetition.  A small
 * request does not contain its key: the caller has filled in the key.
 *
 * Return: UET_RC_OK for a NO_OP, which gets the default response, and for a
 *	WRITE or READ that may be executed if the memory exists; otherwise the
 *	return code of the error response.
 * Spec: uet-wire 3.14 (RUDI use), UE 1.0.1 Table 2-13, Table 3-19.
 */
u8 uet_ses_rx_rudi(const struct uet_ses_req *req, enum uet_drop why)
{
	if (req->version)
		return UET_RC_UNCOR;
	if (req->ie)
		return UET_RC_INITIATOR_ERROR;
	if (req->opcode == UET_OP_NO_OP)
		return why ? UET_RC_UNCOR : UET_RC_OK;
	if (req->opcode != UET_OP_READ &&
	    (req->opcode != UET_OP_WRITE || req->hd))
		return UET_RC_OP_VIOLATION;
	if (why)
		return UET_RC_UNCOR;
	if (!(req->match & UET_KEY_IDEMPOTENT_SAFE))
		return UET_RC_OP_VIOLATION;
	return UET_RC_OK;
}
