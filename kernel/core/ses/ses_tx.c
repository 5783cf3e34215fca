// SPDX-License-Identifier: GPL-2.0
/*
 * SES, sending half: the message queue of one PDC, the segmentation of messages
 * into request packets, and the result of each message when all its packets are
 * answered or lost.  SES does not keep message bytes, and is not informed when
 * a packet leaves: PDS requests the bytes by {message, offset, length}.
 * ses_tx_read.c handles read data.
 *
 * Implements UE 1.0.1 3.4.1.14 (message ids), 3.4.3 (responses, initiator) and
 * the segmentation and completion rules of uet-wire 3.14.  Level: core L5.
 */
#include "ses_tx.h"

/*
 * Was a packet of the message handed to PDS?
 *
 * A message of length zero stays at offset 0, but its only packet cuts the
 * message.
 *
 * Return: true if so.
 */
bool uet_ses_tx_is_started(const struct uet_ses_tx *tx)
{
	return tx->next || tx->is_cut;
}

/*
 * Every packet except the last carries one full Payload MTU (uet-wire 3.14).  A
 * message whose sender has not supplied that many bytes yet has to wait.
 */
static bool ses_tx_has_segment(const struct uet_ses_tx *tx)
{
	return tx->is_aborted || tx->is_deferred || tx->avail == tx->length ||
	       tx->avail - tx->next >= tx->mtu;
}

/* Do as many messages wait for an answer as may wait? */
static bool ses_tx_is_full(const struct uet_ses *ses, const struct uet_ses_tx *tx)
{
	if (uet_ses_is_rendezvous(tx->opcode))
		return ses->nr_rdv_wait >= UET_SES_RDV_MAX;
	return ses->nr_wait >= UET_SES_WAIT_MAX;
}

/* The message that uet_ses_pump() segments next, if it may do so now. */
static struct uet_ses_tx *ses_tx_sendable(struct uet_ses *ses)
{
	struct uet_ses_tx *tx;

	tx = list_first_entry_or_null(&ses->txq, struct uet_ses_tx, link);
	if (!tx || !ses_tx_has_segment(tx))
		return NULL;
	if (!uet_ses_tx_is_started(tx) && ses_tx_is_full(ses, tx))
		return NULL;
	if (tx->read.want && !uet_ses_read_may_ask(ses, tx))
		return NULL;
	if (uet_ses_gen_stops(ses, tx))
		return NULL;
	return tx;
}

/*
 * Stop the segmentation of a message.
 * @tx: message; nothing happens if it is cut already
 */
void uet_ses_tx_cut(struct uet_ses_tx *tx)
{
	if (!tx->is_cut) {
		tx->is_cut = true;
		list_del_init(&tx->link);
	}
}

/* No final response arrived, or read data is missing. */
static bool ses_tx_is_expected(const struct uet_ses_tx *tx)
{
	return tx->awaits_rsp ||
	       (tx->rc == UET_RC_OK && tx->read.got < tx->read.want);
}

/*
 * Is a message acknowledged but not complete?
 * Return: true if all packets are acknowledged, and a response or data is
 *	missing.
 */
bool uet_ses_tx_is_waiting(const struct uet_ses_tx *tx)
{
	return tx->is_cut && !tx->packets && ses_tx_is_expected(tx) &&
	       !tx->error && !tx->is_aborted && !tx->is_refused;
}

/*
 * Move a message without packets in flight to its next list.
 * @tx: message, neither waiting nor done; nothing happens if packets are in
 *	flight
 */
void uet_ses_tx_settle(struct uet_ses *ses, struct uet_ses_tx *tx)
{
	if (!tx->is_cut || tx->packets || uet_ses_gen_keep(ses, tx))
		return;
	uet_ses_rdv_settle(ses, tx);
	if (!uet_ses_tx_is_waiting(tx)) {
		uet_ses_read_forget(ses, tx);
		list_add_tail(&tx->link, &ses->doneq);
	} else if (uet_ses_is_rendezvous(tx->opcode)) {
		list_add_tail(&tx->link, &ses->rdv_waitq);
		ses->nr_rdv_wait++;
	} else {
		list_add_tail(&tx->link, &ses->waitq);
		ses->nr_wait++;
		uet_ses_read_await(ses, tx);
	}
}

/*
 * Complete a waiting message.
 * @tx: message in uet_ses.waitq or uet_ses.rdv_waitq
 */
void uet_ses_tx_stop_waiting(struct uet_ses *ses, struct uet_ses_tx *tx)
{
	if (uet_ses_is_rendezvous(tx->opcode))
		ses->nr_rdv_wait--;
	else
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
 * The first answer other than success ends the message.  A default response,
 * and one with data, mean that the whole message was executed; of other lengths
 * reported the least counts.
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
 * uet_ses_init() - initialise a SES without messages
 * @ses: memory of the caller
 */
void uet_ses_init(struct uet_ses *ses)
{
	memset(ses, 0, sizeof(*ses));
	INIT_LIST_HEAD(&ses->txq);
	INIT_LIST_HEAD(&ses->waitq);
	INIT_LIST_HEAD(&ses->rdv_waitq);
	INIT_LIST_HEAD(&ses->doneq);
	INIT_LIST_HEAD(&ses->rxq);
	INIT_LIST_HEAD(&ses->reads);
	INIT_LIST_HEAD(&ses->read_rsp_queue);
	INIT_LIST_HEAD(&ses->read_rsps);
	INIT_LIST_HEAD(&ses->gen.refused);
	uet_ses_rdv_init(ses);
}

/**
 * uet_ses_is_idle() - are there no messages?
 * @ses: SES
 *
 * Return: true if no message is being sent or received, so that the PDC may
 *	close and @ses may be freed.
 */
bool uet_ses_is_idle(const struct uet_ses *ses)
{
	return !ses->nr_tx && !ses->nr_rx && !ses->nr_read_rsps &&
	       list_empty(&ses->read_rsps);
}

/* Reset the sending state of a message. */
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
	tx->none.is_set = false;
	tx->told.is_set = false;
	tx->number = 0;
	tx->has_psn = false;
	tx->ri_gen = 0;
	tx->is_refused = false;
	tx->is_deferred = false;
	tx->is_unexecuted = false;
	uet_ses_read_init(&tx->read);
	INIT_LIST_HEAD(&tx->rdv.link);
	INIT_HLIST_NODE(&tx->rdv.by_id);
}

/**
 * uet_ses_tx_queue() - queue a message for sending
 * @ses: SES of the PDC that carries the message
 * @tx: the message, caller's fields set; SES uses it until uet_ses_reap() or
 *	uet_ses_fail() returns it
 *
 * Nothing is sent before uet_ses_pump().  The sender may supply more bytes
 * later, by raising @tx->avail and calling uet_ses_pump() again.
 */
void uet_ses_tx_queue(struct uet_ses *ses, struct uet_ses_tx *tx)
{
	uet_ses_tx_reset(tx);
	uet_ses_gen_expect(ses, tx);
	list_add_tail(&tx->link, &ses->txq);
	ses->nr_tx++;
}

/**
 * uet_ses_tx_abort() - abort a queued message
 * @ses: SES
 * @tx: the message, queued and not returned yet
 *
 * Packets not handed to PDS yet are not sent.  If a packet was handed down, a
 * MSG_ERROR reports the abort to the target.  uet_ses_reap() returns the
 * message as any other, at the next call if no packet of it is outstanding.  A
 * message that was handed down completely is finished normally, unless only its
 * final response or data is missing.
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
	return uet_ses_rdv_find(ses, id);
}

/*
 * UE 1.0.1 3.4.1.14: 0 is no message id; ids are unique while open.  Messages
 * with packets in flight are at most as many as the window has PSNs, and have
 * consecutive ids.  Only ids of messages that wait for a late response can
 * collide.
 */
static u16 ses_tx_new_id(struct uet_ses *ses)
{
	do {
		ses->next_msg_id++;
	} while (!ses->next_msg_id || ses_id_is_waiting(ses, ses->next_msg_id));
	return ses->next_msg_id;
}

/* The flags from which PDS computes the length of a packet. */
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

/* Segment the next packet of @tx; there is one. */
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
		uet_ses_read_ask(ses, tx, 1);
	if (tx->is_aborted || tx->is_deferred || tx->next == tx->length) {
		pkt->flags |= UET_PKT_EOM;
		uet_ses_tx_cut(tx);
	}
}

/*
 * Segment the packets behind @pkt that are like it: all of them full, and none the last
 * one that can be sent now.
 */
static void ses_tx_next_run(struct uet_ses *ses, struct uet_pdc *pdc,
			    struct uet_ses_tx *tx, struct uet_pds_pkt *pkt,
			    u64 now)
{
	u32 n = (tx->avail - tx->next) / tx->mtu;

	if (tx->avail < tx->length || n * tx->mtu == tx->avail - tx->next)
		n--;
	if (tx->read.want)
		n = min(n, uet_ses_read_may_ask(ses, tx) - 1);
	pkt->flags &= ~UET_PKT_SOM;
	pkt->offset = tx->next;
	n = uet_pdc_tx_reqs(pdc, pkt, n, now);
	if (tx->read.want && n)
		uet_ses_read_ask(ses, tx, n);
	tx->next += n * tx->mtu;
	tx->packets += n;
	tx->number += n;
	ses->nr_packets += n;
}

/**
 * uet_ses_pump() - hand packets to the PDC while it has space
 * @ses: SES
 * @pdc: PDC of the SES, not over
 * @now: monotonic time, ns
 *
 * Messages are sent in the order of queueing and are not interleaved: a message
 * whose next bytes are missing blocks the messages behind it.  Read responses
 * precede messages.
 *
 * The call informs the PDC whether a message is in progress, so that the PDC
 * does not close for idleness.  A message that only waits for its final
 * response does not count: a target that never sends the response would keep
 * the PDC, and the message, for ever.  A message that waits for read data
 * counts for a limited time, see uet_ses_read_tick().
 *
 * The last packet that can be sent now requests an ACK, unless its message
 * announces that others follow.
 *
 * Call this after uet_ses_reap(), and whenever a message was queued, aborted or
 * got more bytes.
 *
 * Context: Any; the caller serialises per SES and PDC.
 * Spec: UE 1.0.1 3.5.8.2 (no interleaving on a PDC), uet-wire 3.14.
 */
void uet_ses_pump(struct uet_ses *ses, struct uet_pdc *pdc, u64 now)
{
	struct uet_ses_tx *tx, *next;
	struct uet_pds_pkt pkt;

	ses->first_psn = uet_pdc_first_psn(pdc);
	uet_ses_read_rsp_pump(ses, pdc, now);
	uet_ses_gen_step(ses, pdc, now);
	for (tx = ses_tx_sendable(ses); tx && uet_pdc_tx_space(pdc);
	     tx = next) {
		ses_tx_next_pkt(ses, tx, &pkt);
		next = ses_tx_sendable(ses);
		if (!next && !(tx->has_more && tx->is_cut))
			pkt.flags |= UET_PKT_TAIL;
		tx->number = uet_pdc_tx_req(pdc, &pkt, now) - ses->first_psn;
		tx->has_psn = true;
		if (next == tx)
			ses_tx_next_run(ses, pdc, tx, &pkt, now);
	}
	uet_ses_read_hold(ses, pdc, now);
}

static void ses_tx_note_acked(struct uet_ses *ses, struct uet_ses_tx *tx,
			      const struct uet_pdc_up *up)
{
	if (uet_ses_gen_note(ses, tx, up))
		return;
	/* The sender reads this field without the lock of the PDC. */
	WRITE_ONCE(tx->acked, tx->acked + up->pkt.len);
	if (uet_ses_rdv_goes_on(tx, up->rsp_opcode, up->rc, up->list))
		return;
	uet_ses_defer_note(tx, up->rsp_opcode, up->rc, up->list);
	ses_tx_note_rsp(tx, up->rsp_opcode, up->rc, up->modified_length);
	tx->awaits_rsp = tx->rc == UET_RC_OK && uet_ses_final_note(tx, up);
}

/*
 * Without its first packet a message has no destination at the target, but each packet of
 * RMA states its own.
 */
static void ses_tx_note_unexecuted(struct uet_ses_tx *tx, const struct uet_pdc_up *up)
{
	if (up->pkt.flags & UET_PKT_SOM)
		tx->is_unexecuted = up->is_unexecuted;
	else if (uet_ses_is_rma(tx->opcode))
		tx->is_unexecuted &= up->is_unexecuted;
}

/* Process the outcome of one packet. */
static void ses_tx_note_up(struct uet_ses *ses, const struct uet_pdc_up *up)
{
	struct uet_ses_tx *tx = up->pkt.msg;

	tx->packets--;
	ses->nr_packets--;
	ses_tx_note_unexecuted(tx, up);
	if (up->kind == UET_UP_ACKED) {
		ses_tx_note_acked(ses, tx, up);
	} else if (!tx->error) {
		tx->error = up->error;
		tx->nack_code = up->nack_code;
		uet_ses_tx_cut(tx);
	}
	uet_ses_tx_settle(ses, tx);
}

/*
 * Process the outcomes of @n packets that are as @up.  What the message learned from @up
 * does not change.
 */
static void ses_tx_note_run(struct uet_ses *ses, const struct uet_pdc_up *up,
			    u32 n)
{
	struct uet_ses_tx *tx = up->pkt.msg;

	if (!n)
		return;
	tx->packets -= n;
	ses->nr_packets -= n;
	if (!tx->is_refused)
		WRITE_ONCE(tx->acked, tx->acked + n * up->pkt.len);
	uet_ses_tx_settle(ses, tx);
}

/**
 * uet_ses_reap() - process the events of the PDC
 * @ses: SES
 * @pdc: PDC of the SES, over or not
 * @done: finished messages are appended, linked by uet_ses_tx.link; SES no
 *	longer uses them, and uet_ses_errno() has their result
 *
 * Packets are reported in PSN order.  The @acked bytes of each message are
 * therefore a prefix, and PDS does not request these bytes again.
 *
 * Context: Any; the caller serialises per SES and PDC.
 * Return: false if the maximum of a call was not enough: call again.
 * Spec: uet-wire 3.14: a message is complete when all packets are acknowledged
 *	and the final response arrived; the first error response ends the
 *	message.
 */
bool uet_ses_reap(struct uet_ses *ses, struct uet_pdc *pdc,
		  struct list_head *done)
{
	u32 max = uet_pdc_is_dead(pdc) ? UET_SES_FAIL_MAX : UET_SES_REAP_MAX;
	struct uet_pdc_up up;
	u32 more, steps = 0;

	while (steps < max && uet_pdc_poll_up(pdc, &up)) {
		steps++;
		if (up.kind != UET_UP_ACKED && up.kind != UET_UP_FAILED)
			continue;
		more = up.pkt.flags & UET_PKT_MARKS ?
		       0 : uet_pdc_poll_up_run(pdc, &up);
		if (uet_ses_is_read_rsp(&up.pkt)) {
			uet_ses_read_rsp_note(ses, &up, 1 + more);
			continue;
		}
		ses_tx_note_up(ses, &up);
		ses_tx_note_run(ses, &up, more);
	}
	ses_tx_hand_out(ses, done);
	return steps < max;
}

/**
 * uet_ses_pump_rudi() - hand packets down as RUDI requests while there is space
 * @ses: SES
 * @rudi: requests to the peer
 *
 * Call this after uet_ses_note_rudi(), and whenever a message was queued.
 *
 * Context: Any; the caller serialises per SES and @rudi.
 * Spec: UE 1.0.1 3.5.10.9: each packet is a separate request.
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
 * uet_ses_note_rudi() - process the outcome of a RUDI request
 * @ses: SES
 * @up: its outcome
 *
 * Every answer is final, as no other follows.  Data that did not arrive with
 * the answer is missing.
 */
void uet_ses_note_rudi(struct uet_ses *ses, const struct uet_rudi_up *up)
{
	struct uet_ses_tx *tx = up->pkt.msg;
	struct uet_pdc_up as_pdc = {
		.kind = up->kind,
		.pkt = up->pkt,
		.rsp_opcode = up->rsp.opcode == UET_RSP_NO_RESPONSE ?
			      UET_RSP_DEFAULT : up->rsp.opcode,
		.rc = up->rsp.rc,
		.modified_length = up->rsp.modified_length,
		.error = up->error,
		.nack_code = up->nack_code,
	};

	if (up->kind == UET_UP_ACKED && up->rsp.rc == UET_RC_OK &&
	    tx->read.want && !uet_ses_read_has(tx, up->pkt.offset) &&
	    !tx->error) {
		tx->error = UET_PDC_ERR_PROTOCOL;
		uet_ses_tx_cut(tx);
	}
	ses_tx_note_up(ses, &as_pdc);
}

/**
 * uet_ses_take_done() - take the messages that have ended
 * @ses: SES
 * @done: the messages are appended, as by uet_ses_reap()
 */
void uet_ses_take_done(struct uet_ses *ses, struct list_head *done)
{
	ses_tx_hand_out(ses, done);
}

/* Fail the first message that does not need its PDC to end.  Return: false if there is none. */
static bool ses_tx_fail_first(struct uet_ses *ses, enum uet_pdc_error error)
{
	struct uet_ses_tx *tx;

	tx = list_first_entry_or_null(&ses->waitq, struct uet_ses_tx, link) ?:
	     list_first_entry_or_null(&ses->rdv_waitq, struct uet_ses_tx, link);
	if (tx) {
		tx->error = error ?: UET_PDC_ERR_TIMEOUT;
		uet_ses_tx_stop_waiting(ses, tx);
		return true;
	}
	tx = list_first_entry_or_null(&ses->txq, struct uet_ses_tx, link);
	if (tx) {
		tx->error = error ?: UET_PDC_ERR_ABORT;
		uet_ses_tx_cut(tx);
		uet_ses_tx_settle(ses, tx);
		return true;
	}
	return uet_ses_gen_fail_first(ses, error);
}

/**
 * uet_ses_fail() - fail the messages of a PDC that is over
 * @ses: SES
 * @error: why the PDC failed; with UET_PDC_OK, messages not sent fail with
 *	UET_PDC_ERR_ABORT, and messages without a final response with
 *	UET_PDC_ERR_TIMEOUT
 * @done: failed messages are appended, as by uet_ses_reap()
 *
 * A message with packets in the PDC is not returned here, but by the
 * uet_ses_reap() that takes the last of these packets.
 *
 * Context: Any; the caller serialises per SES and PDC.
 * Return: false if UET_SES_FAIL_MAX were not enough: call again.
 */
bool uet_ses_fail(struct uet_ses *ses, enum uet_pdc_error error,
		  struct list_head *done)
{
	u32 steps = 0;

	while (steps < UET_SES_FAIL_MAX && ses_tx_fail_first(ses, error))
		steps++;
	uet_ses_read_rsp_fail(ses);
	ses_tx_hand_out(ses, done);
	return steps < UET_SES_FAIL_MAX;
}

/*
 * Process a late response to a waiting message.
 * @tx: message in uet_ses.waitq or uet_ses.rdv_waitq
 * @rsp: response without data, possibly not the final one
 */
void uet_ses_tx_note_late(struct uet_ses *ses, struct uet_ses_tx *tx,
			  const struct uet_ses_rsp *rsp)
{
	if (!uet_ses_final_is_told(rsp->opcode, rsp->rc))
		return;
	if (uet_ses_rdv_goes_on(tx, rsp->opcode, rsp->rc, rsp->list))
		return;
	uet_ses_defer_note(tx, rsp->opcode, rsp->rc, rsp->list);
	ses_tx_note_rsp(tx, rsp->opcode, rsp->rc, rsp->modified_length);
	if (!uet_ses_tx_is_waiting(tx))
		uet_ses_tx_stop_waiting(ses, tx);
}

/*
 * Process a final response, possibly before other answers.
 * @tx: message that was started and has not ended
 * @modified_length: modified length of the response, bytes
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
 * uet_ses_tx_response() - process a final response after the acknowledgment
 * @ses: SES
 * @rsp: any response, also one without a waiting message; a response with data
 *	is ignored, uet_ses_read_take() handles it
 * @hdr: header of the ACK
 *
 * A target that answered the packets of a message with UET_NO_RESPONSE sends
 * the final response in a later ACK, when PDS no longer has the packet.  The
 * caller passes each response of an ACK here, after uet_pdc_rx_ack(), and reaps
 * next.
 *
 * The PDS of a target answers a duplicate with a default response by itself, so
 * the default response to a retransmission is not the final one.
 *
 * Spec: uet-wire 3.14 (no answer yet), 2.17.
 */
void uet_ses_tx_response(struct uet_ses *ses, const struct uet_ses_rsp *rsp,
			 const struct uet_pds_hdr *hdr)
{
	struct uet_ses_tx *tx;

	if (rsp->form != UET_RSP_FORM_PLAIN ||
	    (rsp->opcode == UET_RSP_DEFAULT && hdr->flags & UET_F_RETX))
		return;
	if (!rsp->msg_id) {
		uet_ses_form_response(ses, rsp, hdr);
		return;
	}
	tx = uet_ses_rdv_find(ses, rsp->msg_id);
	if (tx && uet_ses_tx_is_waiting(tx)) {
		uet_ses_tx_note_late(ses, tx, rsp);
		return;
	}
	list_for_each_entry(tx, &ses->waitq, link) {
		if (tx->msg_id == rsp->msg_id) {
			uet_ses_tx_note_late(ses, tx, rsp);
			return;
		}
	}
}

/*
 * In a message with a length, only a MSG_ERROR has no payload, except for the
 * last packet of a deferred message.  So a MSG_ERROR needs no flag in the slots
 * of PDS.
 */
static bool ses_pkt_is_msg_error(const struct uet_ses_tx *tx,
				 const struct uet_pds_pkt *pkt)
{
	return !pkt->len && tx->length && !tx->is_deferred;
}

/**
 * uet_ses_tx_request() - build the SES header of a packet
 * @tx: the message, @pkt.msg
 * @pkt: the packet that PDS sends
 * @req: result, ready for uet_wire_ses_req_encode()
 *
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
	if (req->ext == UET_EXT_CSWAP)
		req->request_length = UET_AMO_OPERANDS_LEN;
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
