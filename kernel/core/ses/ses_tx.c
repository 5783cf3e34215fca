// SPDX-License-Identifier: GPL-2.0
/*
 * SES, sending half: the queue of messages of one PDC, their segmentation into
 * request packets, and the verdict on each message once all its packets are
 * answered or lost.  It does not keep message bytes and does not know when a
 * packet really leaves: PDS asks for its bytes by {message, offset, length}.
 * What comes read_rsp for a message is ses_tx_read.c's affair.
 *
 * Implements UE 1.0.1 3.4.1.14 (message ids), 3.4.3 (responses, initiator) and
 * the segmentation and completion rules of uet-wire 3.14.  Level: core L5.
 */
#include "ses_tx.h"

/**
 * uet_ses_tx_is_started() - was a packet of a message handed to PDS?
 * @tx: message
 *
 * One of length zero has no offset to tell, but is cut by its only packet.
 *
 * Context: Any; the caller serialises per SES.
 * Return: true if so.
 */
bool uet_ses_tx_is_started(const struct uet_ses_tx *tx)
{
	return tx->next || tx->is_cut;
}

/*
 * Every packet but the last carries one full Payload MTU (uet-wire 3.14), so a
 * message whose sender has not supplied that much yet has to wait.
 */
static bool ses_tx_has_segment(const struct uet_ses_tx *tx)
{
	return tx->is_aborted || tx->is_deferred || tx->avail == tx->length ||
	       tx->avail - tx->next >= tx->mtu;
}

/* The message that uet_ses_pump() would cut next, if it could be cut now. */
static struct uet_ses_tx *ses_tx_sendable(struct uet_ses *ses)
{
	struct uet_ses_tx *tx;

	tx = list_first_entry_or_null(&ses->txq, struct uet_ses_tx, link);
	if (!tx || !ses_tx_has_segment(tx))
		return NULL;
	if (!uet_ses_tx_is_started(tx) && ses->nr_wait >= UET_SES_WAIT_MAX)
		return NULL;
	if (tx->read.want && !uet_ses_read_may_ask(ses, tx))
		return NULL;
	if (uet_ses_gen_stops(ses, tx))
		return NULL;
	return tx;
}

/**
 * uet_ses_tx_cut() - no more packets of this message will be cut
 * @tx: message; nothing happens if that is so
 *
 * Context: Any; the caller serialises per SES.
 */
void uet_ses_tx_cut(struct uet_ses_tx *tx)
{
	if (!tx->is_cut) {
		tx->is_cut = true;
		list_del_init(&tx->link);
	}
}

/* No answer was a final one, or not all that was asked for came read_rsp. */
static bool ses_tx_is_expected(const struct uet_ses_tx *tx)
{
	return tx->awaits_rsp ||
	       (tx->rc == UET_RC_OK && tx->read.got < tx->read.want);
}

/**
 * uet_ses_tx_is_waiting() - is everything acknowledged, but something owed?
 * @tx: message
 *
 * Context: Any; the caller serialises per SES.
 * Return: true if so.
 */
bool uet_ses_tx_is_waiting(const struct uet_ses_tx *tx)
{
	return tx->is_cut && !tx->packets && ses_tx_is_expected(tx) &&
	       !tx->error && !tx->is_aborted && !tx->is_refused;
}

/**
 * uet_ses_tx_settle() - a message without packets in flight moves on
 * @ses: SES
 * @tx: message, neither waiting nor done; nothing happens if it has some
 *
 * Context: Any; the caller serialises per SES.
 */
void uet_ses_tx_settle(struct uet_ses *ses, struct uet_ses_tx *tx)
{
	if (!tx->is_cut || tx->packets || uet_ses_gen_keep(ses, tx))
		return;
	uet_ses_rdv_settle(ses, tx);
	if (uet_ses_tx_is_waiting(tx)) {
		list_add_tail(&tx->link, &ses->waitq);
		ses->nr_wait++;
		uet_ses_read_await(ses, tx);
	} else {
		uet_ses_read_forget(ses, tx);
		list_add_tail(&tx->link, &ses->doneq);
	}
}

/**
 * uet_ses_tx_stop_waiting() - nothing is owed for a message any more
 * @ses: SES
 * @tx: message in uet_ses.waitq
 *
 * Context: Any; the caller serialises per SES.
 */
void uet_ses_tx_stop_waiting(struct uet_ses *ses, struct uet_ses_tx *tx)
{
	ses->nr_wait--;
	if (tx->read.want)
		ses->nr_reads--;
	uet_ses_read_forget(ses, tx);
	list_move_tail(&tx->link, &ses->doneq);
}

static void ses_tx_hand_out(struct uet_ses *ses, struct list_head *done)
{
	struct uet_ses_tx *tx;

	list_for_each_entry(tx, &ses->doneq, link)
		ses->nr_tx--;
	list_splice_tail_init(&ses->doneq, done);
}

/*
 * The first answer other than success ends the message.  A default response, and
 * one with data, mean that all was executed; of others the least is believed.
 */
static void ses_tx_note_rsp(struct uet_ses_tx *tx, u8 opcode, u8 rc,
			    u32 modified_length)
{
	bool is_ok = rc == UET_RC_OK || rc == UET_RC_NULL;

	if (opcode == UET_RSP_NO_RESPONSE)
		return;
	tx->awaits_rsp = false;
	if (!is_ok || (opcode != UET_RSP_DEFAULT && opcode != UET_RSP_W_DATA))
		tx->executed = min(tx->executed, modified_length);
	if (is_ok || tx->rc != UET_RC_OK)
		return;
	tx->rc = rc;
	uet_ses_tx_cut(tx);
}

/**
 * uet_ses_init() - make a SES without messages
 * @ses: memory of the caller
 *
 * Context: Any.
 */
void uet_ses_init(struct uet_ses *ses)
{
	memset(ses, 0, sizeof(*ses));
	INIT_LIST_HEAD(&ses->txq);
	INIT_LIST_HEAD(&ses->waitq);
	INIT_LIST_HEAD(&ses->doneq);
	INIT_LIST_HEAD(&ses->rxq);
	INIT_LIST_HEAD(&ses->reads);
	INIT_LIST_HEAD(&ses->read_rsp_queue);
	INIT_LIST_HEAD(&ses->read_rsps);
	INIT_LIST_HEAD(&ses->gen.refused);
	INIT_LIST_HEAD(&ses->rdvs);
}

/**
 * uet_ses_is_idle() - is there no message at all?
 * @ses: SES
 *
 * Context: Any; the caller serialises per SES.
 * Return: true if nothing is being sent or received, so that the PDC may close
 *	and @ses may go away.
 */
bool uet_ses_is_idle(const struct uet_ses *ses)
{
	return !ses->nr_tx && !ses->nr_rx && !ses->nr_read_rsps;
}

/**
 * uet_ses_tx_reset() - nothing of a message was sent, or nothing is to count
 * @tx: message, in no list but one of the caller's
 *
 * Context: Any.
 */
void uet_ses_tx_reset(struct uet_ses_tx *tx)
{
	tx->msg_id = 0;
	tx->next = 0;
	tx->acked = 0;
	tx->packets = 0;
	tx->executed = uet_ses_tx_length(tx);
	tx->rc = UET_RC_OK;
	tx->error = UET_PDC_OK;
	tx->nack_code = 0;
	tx->is_cut = false;
	tx->is_aborted = false;
	tx->awaits_rsp = true;
	tx->psn = 0;
	tx->has_psn = false;
	tx->ri_gen = 0;
	tx->is_refused = false;
	tx->is_deferred = false;
	uet_ses_read_init(&tx->read);
	INIT_LIST_HEAD(&tx->rdv.link);
}

/**
 * uet_ses_tx_queue() - queue a message for sending
 * @ses: SES of the PDC that is to carry it
 * @tx: the message, public part filled in; SES uses it until uet_ses_reap() or
 *	uet_ses_fail() returns it
 *
 * Nothing is sent before uet_ses_pump().  More bytes may be supplied later by
 * raising @tx->avail and pumping again.
 *
 * Context: Any; the caller serialises per SES.
 */
void uet_ses_tx_queue(struct uet_ses *ses, struct uet_ses_tx *tx)
{
	uet_ses_tx_reset(tx);
	list_add_tail(&tx->link, &ses->txq);
	ses->nr_tx++;
}

/**
 * uet_ses_tx_abort() - give a queued message up
 * @ses: SES
 * @tx: the message, queued and not returned yet
 *
 * What was not handed to PDS is not sent; if something was, a MSG_ERROR tells
 * the target.  The message comes read_rsp by uet_ses_reap() as any other, at the
 * next call if no packet of it is outstanding.  One that is already completely
 * handed down runs to its end.
 *
 * Context: Any; the caller serialises per SES and pumps and reaps next.
 * Spec: UE 1.0.1 Table 3-17 (UET_MSG_ERROR).
 */
void uet_ses_tx_abort(struct uet_ses *ses, struct uet_ses_tx *tx)
{
	if (tx->is_refused) {
		uet_ses_gen_abort(ses, tx);
	} else if (!tx->is_cut) {
		tx->is_aborted = true;
		tx->is_deferred = false;
		if (uet_ses_tx_is_started(tx))
			return;
		uet_ses_tx_cut(tx);
		uet_ses_tx_settle(ses, tx);
	} else if (uet_ses_tx_is_waiting(tx)) {
		tx->is_aborted = true;
		uet_ses_tx_stop_waiting(ses, tx);
	}
}

static bool ses_id_is_waiting(const struct uet_ses *ses, u16 id)
{
	struct uet_ses_tx *tx;

	list_for_each_entry(tx, &ses->waitq, link)
		if (tx->msg_id == id)
			return true;
	return false;
}

/*
 * UE 1.0.1 3.4.1.14: 0 is no message id; ids are unique while open.  Messages
 * with packets in flight are at most as many as the window has PSNs and have
 * consecutive ids, so only those awaiting a late response can stand in the way.
 */
static u16 ses_tx_new_id(struct uet_ses *ses)
{
	do {
		ses->next_msg_id++;
	} while (!ses->next_msg_id || ses_id_is_waiting(ses, ses->next_msg_id));
	return ses->next_msg_id;
}

/* What PDS has to know of a packet to tell how long it will be. */
static u8 ses_tx_pkt_size(const struct uet_ses_tx *tx)
{
	u8 flags = tx->opcode == UET_OP_READ ? UET_PKT_BARE : 0;
	u8 ext = UET_EXT_NONE;

	if (uet_ses_is_rendezvous(tx->opcode))
		ext = UET_EXT_RDV;
	else if (tx->amo)
		ext = uet_wire_amo_ext(tx->amo->opcode);
	return flags | UET_PKT_EXT(uet_wire_ext_len(ext));
}

/* Cut the next packet off @tx, which has one. */
static void ses_tx_next_pkt(struct uet_ses *ses, struct uet_ses_tx *tx,
			    struct uet_pds_pkt *pkt)
{
	memset(pkt, 0, sizeof(*pkt));
	pkt->msg = tx;
	pkt->next_hdr = uet_ses_form_nh(tx);
	pkt->offset = tx->next;
	if (!tx->is_aborted)
		pkt->flags = ses_tx_pkt_size(tx);
	if (!uet_ses_tx_is_started(tx)) {
		if (!uet_ses_is_short(tx))
			tx->msg_id = ses_tx_new_id(ses);
		tx->ri_gen = ses->gen.value;
		uet_ses_rdv_begin(ses, tx);
		pkt->flags |= UET_PKT_SOM;
	}
	if (!tx->is_aborted && !tx->is_deferred)
		pkt->len = min_t(u32, tx->mtu, tx->length - tx->next);
	tx->next += pkt->len;
	tx->packets++;
	ses->nr_packets++;
	if (tx->read.want)
		uet_ses_read_ask(ses, tx);
	if (tx->is_aborted || tx->is_deferred || tx->next == tx->length) {
		pkt->flags |= UET_PKT_EOM;
		uet_ses_tx_cut(tx);
	}
}

/**
 * uet_ses_pump() - hand packets to the PDC while it has space
 * @ses: SES
 * @pdc: its PDC, alive
 * @now: monotonic time, ns
 *
 * Messages go in the order they were queued and are not interleaved; a message
 * whose next bytes are not there yet holds up the ones behind it.  Tells the
 * PDC whether a message is in progress, so that it does not close for idleness;
 * one that only awaits its final response is not, or a target that never sends
 * it would keep the PDC, and the message, for ever.  One that awaits data is, but
 * not for ever: see uet_ses_read_tick().  Data for a peer that reads goes first.
 * Behind the last packet that can be cut now an ACK is asked for, unless its
 * message says that others follow.
 * To be called after uet_ses_reap() and whenever a message was queued, aborted
 * or got more bytes.
 *
 * Context: Any; the caller serialises per SES and PDC.
 * Spec: UE 1.0.1 3.5.8.2 (no interleaving on a PDC), uet-wire 3.14.
 */
void uet_ses_pump(struct uet_ses *ses, struct uet_pdc *pdc, u64 now)
{
	struct uet_ses_tx *tx, *next;
	struct uet_pds_pkt pkt;

	uet_ses_read_rsp_pump(ses, pdc, now);
	uet_ses_gen_step(ses, pdc, now);
	for (tx = ses_tx_sendable(ses); tx && uet_pdc_tx_space(pdc);
	     tx = next) {
		ses_tx_next_pkt(ses, tx, &pkt);
		next = ses_tx_sendable(ses);
		if (!next && !(tx->has_more && tx->is_cut))
			pkt.flags |= UET_PKT_TAIL;
		tx->psn = uet_pdc_tx_req(pdc, &pkt, now);
		tx->has_psn = true;
	}
	uet_ses_read_hold(ses, pdc, now);
}

static void ses_tx_note_acked(struct uet_ses *ses, struct uet_ses_tx *tx,
			      const struct uet_pdc_up *up)
{
	if (uet_ses_gen_note(ses, tx, up))
		return;
	/* The sender looks at it, too, without the lock of the PDC. */
	WRITE_ONCE(tx->acked, tx->acked + up->pkt.len);
	if (uet_ses_rdv_goes_on(tx, up->rsp_opcode, up->rc, up->list))
		return;
	uet_ses_defer_note(tx, up->rsp_opcode, up->rc, up->list);
	ses_tx_note_rsp(tx, up->rsp_opcode, up->rc, up->modified_length);
}

/* One packet of @tx will not be heard of any more. */
static void ses_tx_note_up(struct uet_ses *ses, const struct uet_pdc_up *up)
{
	struct uet_ses_tx *tx = up->pkt.msg;

	tx->packets--;
	ses->nr_packets--;
	if (up->kind == UET_UP_ACKED) {
		ses_tx_note_acked(ses, tx, up);
	} else if (!tx->error) {
		tx->error = up->error;
		tx->nack_code = up->nack_code;
		uet_ses_tx_cut(tx);
	}
	uet_ses_tx_settle(ses, tx);
}

/**
 * uet_ses_reap() - take what the PDC has to say about sent packets
 * @ses: SES
 * @pdc: its PDC, alive or dead
 * @done: finished messages are appended, linked by uet_ses_tx.link; SES has
 *	forgotten them and uet_ses_errno() tells how they ended
 *
 * Packets are reported in PSN order, so @acked of each message is a prefix of
 * it whose bytes PDS will not ask for again.
 *
 * Context: Any; the caller serialises per SES and PDC.
 * Spec: uet-wire 3.14: complete after all packets are acknowledged and the
 *	final response came; the first error response ends the message.
 */
void uet_ses_reap(struct uet_ses *ses, struct uet_pdc *pdc,
		  struct list_head *done)
{
	struct uet_pdc_up up;

	while (uet_pdc_poll_up(pdc, &up)) {
		if (up.kind != UET_UP_ACKED && up.kind != UET_UP_FAILED)
			continue;
		if (uet_ses_is_read_rsp(&up.pkt))
			uet_ses_read_rsp_note(ses, &up);
		else
			ses_tx_note_up(ses, &up);
	}
	ses_tx_hand_out(ses, done);
}

/**
 * uet_ses_pump_rudi() - hand packets down as RUDI requests while there is space
 * @ses: SES
 * @rudi: requests to its peer
 *
 * To be called after uet_ses_note_rudi() and whenever a message was queued.
 *
 * Context: Any; the caller serialises per SES and @rudi.
 * Spec: UE 1.0.1 3.5.10.9: each packet is a request of its own.
 */
void uet_ses_pump_rudi(struct uet_ses *ses, struct uet_rudi_peer *rudi)
{
	struct uet_ses_tx *tx;
	struct uet_pds_pkt pkt;

	while (uet_rudi_tx_space(rudi) && (tx = ses_tx_sendable(ses))) {
		ses_tx_next_pkt(ses, tx, &pkt);
		uet_rudi_tx_req(rudi, &pkt);
	}
}

/**
 * uet_ses_note_rudi() - what became of a packet that was a RUDI request
 * @ses: SES
 * @up: its outcome
 *
 * An answer is final whatever it is, as no other will come: data that did not come
 * with it neither.
 *
 * Context: Any; the caller serialises per SES.
 */
void uet_ses_note_rudi(struct uet_ses *ses, const struct uet_rudi_up *up)
{
	struct uet_ses_tx *tx = up->pkt.msg;
	struct uet_pdc_up as_pdc = {
		.kind = up->kind,
		.pkt = up->pkt,
		.rsp_opcode = up->rsp.opcode,
		.rc = up->rsp.rc,
		.modified_length = up->rsp.modified_length,
		.error = up->error,
		.nack_code = up->nack_code,
	};

	tx->awaits_rsp = false;
	if (up->kind == UET_UP_ACKED && up->rsp.rc == UET_RC_OK &&
	    tx->read.want && !uet_ses_read_has(tx, up->pkt.offset) &&
	    !tx->error) {
		tx->error = UET_PDC_ERR_PROTOCOL;
		uet_ses_tx_cut(tx);
	}
	ses_tx_note_up(ses, &as_pdc);
}

/**
 * uet_ses_take_done() - take messages that have ended
 * @ses: SES
 * @done: they are appended, as by uet_ses_reap()
 *
 * Context: Any; the caller serialises per SES.
 */
void uet_ses_take_done(struct uet_ses *ses, struct list_head *done)
{
	ses_tx_hand_out(ses, done);
}

/**
 * uet_ses_fail() - end all messages of a dead PDC
 * @ses: SES
 * @error: why it died; for UET_PDC_OK, messages that were not sent fail with
 *	UET_PDC_ERR_ABORT, those without a final response with
 *	UET_PDC_ERR_TIMEOUT
 * @done: failed messages are appended, as by uet_ses_reap()
 *
 * A message that still has packets in the PDC is not returned here but by the
 * uet_ses_reap() that takes the last of them, so the order of both calls does
 * not matter.
 *
 * Context: Any; the caller serialises per SES and PDC.
 */
void uet_ses_fail(struct uet_ses *ses, enum uet_pdc_error error,
		  struct list_head *done)
{
	struct uet_ses_tx *tx, *next;

	list_for_each_entry_safe(tx, next, &ses->waitq, link) {
		tx->error = error ?: UET_PDC_ERR_TIMEOUT;
		uet_ses_tx_stop_waiting(ses, tx);
	}
	list_for_each_entry_safe(tx, next, &ses->txq, link) {
		tx->error = error ?: UET_PDC_ERR_ABORT;
		uet_ses_tx_cut(tx);
		uet_ses_tx_settle(ses, tx);
	}
	uet_ses_gen_fail(ses, error);
	uet_ses_read_rsp_fail(ses);
	ses_tx_hand_out(ses, done);
}

/**
 * uet_ses_tx_note_late() - the final response of a message that waits came
 * @ses: SES
 * @tx: message in uet_ses.waitq
 * @rsp: response without data, perhaps not the final one
 *
 * Context: Any; the caller serialises per SES.
 */
void uet_ses_tx_note_late(struct uet_ses *ses, struct uet_ses_tx *tx,
			  const struct uet_ses_rsp *rsp)
{
	if (uet_ses_rdv_goes_on(tx, rsp->opcode, rsp->rc, rsp->list))
		return;
	uet_ses_defer_note(tx, rsp->opcode, rsp->rc, rsp->list);
	ses_tx_note_rsp(tx, rsp->opcode, rsp->rc, rsp->modified_length);
	if (!uet_ses_tx_is_waiting(tx))
		uet_ses_tx_stop_waiting(ses, tx);
}

/**
 * uet_ses_tx_note_final() - the final response came, perhaps before the others
 * @ses: SES
 * @tx: message that was begun and has not ended
 * @rc: return code of the response
 * @modified_length: bytes, of the response
 *
 * Context: Any; the caller serialises per SES, pumps and reaps next.
 */
void uet_ses_tx_note_final(struct uet_ses *ses, struct uet_ses_tx *tx, u8 rc,
			   u32 modified_length)
{
	bool was_waiting = uet_ses_tx_is_waiting(tx);
	bool was_cut = tx->is_cut;

	ses_tx_note_rsp(tx, UET_RSP_RESPONSE, rc, modified_length);
	if (was_waiting)
		uet_ses_tx_stop_waiting(ses, tx);
	else if (!was_cut)
		uet_ses_tx_settle(ses, tx);
}

/**
 * uet_ses_tx_response() - a final response came behind the acknowledgment
 * @ses: SES
 * @rsp: the response; any, also one that no message waits for; of one with data
 *	nothing is taken, that is uet_ses_read_take()'s affair
 *
 * A target that answered a message's packets with UET_NO_RESPONSE sends the
 * final response in an ACK of its own, when PDS has long forgotten the packet.
 * The caller passes each response of an ACK here, after uet_pdc_rx_ack(), and
 * reaps next.  Messages without an id are uet_ses_form_response()'s affair.
 *
 * Context: Any; the caller serialises per SES.
 * Spec: uet-wire 3.14 (no answer yet).
 */
void uet_ses_tx_response(struct uet_ses *ses, const struct uet_ses_rsp *rsp)
{
	struct uet_ses_tx *tx;

	if (rsp->form != UET_RSP_FORM_PLAIN || !rsp->msg_id)
		return;
	list_for_each_entry(tx, &ses->waitq, link) {
		if (tx->msg_id == rsp->msg_id) {
			uet_ses_tx_note_late(ses, tx, rsp);
			return;
		}
	}
}

/*
 * A MSG_ERROR is the only packet without payload of a message with length, but for
 * the last one of a deferred message; it needs no mark of its own in the window of
 * PDS.
 */
static bool ses_pkt_is_msg_error(const struct uet_ses_tx *tx,
				 const struct uet_pds_pkt *pkt)
{
	return !pkt->len && tx->length && !tx->is_deferred;
}

/**
 * uet_ses_tx_request() - the SES header of one packet
 * @tx: the message @pkt.msg points to
 * @pkt: the packet, as PDS wants it sent
 * @req: result, ready for uet_wire_ses_req_encode()
 *
 * Context: Any; the caller serialises per SES.
 * Spec: UE 1.0.1 Figures 3-9 to 3-14, 3-16 and 3-17.
 */
void uet_ses_tx_request(const struct uet_ses_tx *tx,
			const struct uet_pds_pkt *pkt,
			struct uet_ses_req *req)
{
	memset(req, 0, sizeof(*req));
	req->opcode = ses_pkt_is_msg_error(tx, pkt) ? UET_OP_MSG_ERROR :
						      tx->opcode;
	req->som = pkt->flags & UET_PKT_SOM;
	req->eom = pkt->flags & UET_PKT_EOM;
	req->rel = tx->to.rel;
	req->msg_id = tx->msg_id;
	req->ri_gen = tx->ri_gen;
	req->job = tx->to.job;
	req->pid = tx->to.pid;
	req->ri = tx->to.ri;
	req->initiator = tx->to.initiator;
	req->offset = tx->offset;
	req->match = tx->match;
	req->request_length = uet_ses_tx_length(tx);
	if (tx->amo) {
		req->ext = uet_wire_amo_ext(tx->amo->opcode);
		req->x.amo = *tx->amo;
	}
	if (uet_ses_is_short(tx)) {
		uet_ses_form_request(tx, req);
	} else if (req->som) {
		req->form = UET_SES_STD;
		req->hd = tx->has_hdata;
		req->header_data = tx->has_hdata ? tx->header_data : 0;
	} else {
		req->form = UET_SES_STD_NOSOM;
		req->payload_length = pkt->len;
		req->message_offset = pkt->offset;
	}
	uet_ses_defer_request(tx, req);
	uet_ses_rdv_request(tx, req);
}
