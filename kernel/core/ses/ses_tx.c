// SPDX-License-Identifier: GPL-2.0
/*
 * SES, sending half: the message queue of one PDC, the segmentation of messages into
 * request packets, and the result of each message when all its packets are answered or lost.
 * SES does not keep message bytes, and is not informed when a packet leaves: PDS requests the
 * bytes by {message, offset, length}.  ses_tx_read.c handles reads and rendezvous.
 *
 * Implements UE 1.0.1 3.4.1 (generations, message ids), 3.4.3, 3.5.11.4, 3.5.12.7, Tables 3-19
 * and 3-58, and uet-wire 3.14, the initiator.  Level: core L5.
 */
#include "ses_tx.h"

/* A message of length zero stays at offset 0, but its only packet cuts the message. */
static bool ses_tx_is_started(const struct uet_ses_tx *tx)
{
	return tx->next || tx->is_cut;
}

/* Every packet except the last carries one full Payload MTU (uet-wire 3.14): otherwise wait. */
static bool ses_tx_has_segment(const struct uet_ses_tx *tx)
{
	return tx->is_aborted || tx->is_deferred || tx->avail == tx->length ||
	       tx->avail - tx->next >= tx->mtu;
}

/* Take a message off its list.  A walk goes on behind it. */
static void ses_tx_unlink(struct uet_ses *ses, struct uet_ses_tx *tx)
{
	if (ses->walk == &tx->link)
		ses->walk = tx->link.prev;
	list_del_init(&tx->link);
}

void uet_ses_tx_cut(struct uet_ses *ses, struct uet_ses_tx *tx)
{
	if (!tx->is_cut) {
		tx->is_cut = true;
		ses_tx_unlink(ses, tx);
	}
}

bool uet_ses_tx_is_waiting(const struct uet_ses_tx *tx)
{
	return tx->is_cut && !tx->packets && !tx->error && !tx->is_aborted && !tx->is_refused &&
	       (tx->awaits_rsp || (tx->rc == UET_RC_OK && tx->read.got < tx->read.want));
}

static void ses_tx_reset(struct uet_ses_tx *tx)
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
	INIT_LIST_HEAD(&tx->read.link);
	tx->read.got = 0;
	tx->read.asked = 0;
	tx->read.come = 0;
	tx->read.base = 0;
	uet_psn_map_init(&tx->read.map, tx->read.bits, UET_SES_READ_AHEAD);
	INIT_LIST_HEAD(&tx->rdv.link);
	tx->rdv.child[0] = NULL;
	tx->rdv.child[1] = NULL;
}

/*
 * PDS may answer a duplicate with a default response and RC_NULL, "status unknown", without
 * asking SES (UE 1.0.1 Table 3-43).
 */
static bool ses_final_is_told(u8 opcode, u8 rc)
{
	return opcode != UET_RSP_NO_RESPONSE && !(opcode == UET_RSP_DEFAULT && rc == UET_RC_NULL);
}

/* No response to the packet arrived, but a CACK_PSN that covers it. */
static bool final_is_cack(const struct uet_pdc_up *up)
{
	return up->rsp_opcode == UET_RSP_DEFAULT && up->modified_length == U32_MAX;
}

static void final_mark(struct uet_ses_mark *mark, const struct uet_pdc_up *up)
{
	mark->xmit = mark->is_set ? uet_psn_later(mark->xmit, up->xmit) : up->xmit;
	mark->answer = mark->is_set ? uet_psn_later(mark->answer, up->answer) : up->answer;
	mark->is_set = true;
}

/*
 * Note an answer.  Return: true if, by the answers so far, the final response is still to come.
 *
 * A target may answer with UET_NO_RESPONSE, and send the final response later.  It answers
 * packets in the order of arrival, so the answer given last decides.  The initiator knows two
 * approximations of that order: that of its latest transmissions and that in which the ACKs
 * arrived.  Fabrics reorder packets, so the final response counts if it is last in either.
 *
 * A packet that only CACK_PSN covers had a default response or UET_NO_RESPONSE.  This is
 * success as long as no other packet of the message got UET_NO_RESPONSE (UE 1.0.1 3.5.11.4).
 */
static bool ses_final_note(struct uet_ses_tx *tx, const struct uet_pdc_up *up)
{
	const struct uet_ses_mark *none = &tx->none, *told = &tx->told;

	if (up->rsp_opcode == UET_RSP_NO_RESPONSE)
		final_mark(&tx->none, up);
	else if (!final_is_cack(up) && ses_final_is_told(up->rsp_opcode, up->rc))
		final_mark(&tx->told, up);
	if (!none->is_set)
		return false;
	return !told->is_set || !(uet_psn_after(told->xmit, none->xmit) ||
				  uet_psn_after(told->answer, none->answer));
}

/* All bytes of the message are still available.  A READ has none of its own. */
static bool gen_may_resend(const struct uet_ses_tx *tx)
{
	return !tx->error && tx->rc == UET_RC_OK && (!tx->acked || tx->opcode == UET_OP_READ);
}

/* A BAD_GENERATION without a generation, or with the one we sent, is an error response. */
static bool gen_is_refusal(const struct uet_ses_tx *tx, const struct uet_pdc_up *up)
{
	if (up->rc == UET_RC_DISABLED_GEN)
		return true;
	return up->rc == UET_RC_BAD_GENERATION && up->ri_gen && up->ri_gen != tx->ri_gen;
}

/* @now is older than this answer, so that a message is tried once after its time. */
static bool gen_waits(const struct uet_ses_gen *gen, const struct uet_ses_tx *tx)
{
	return tx->wait_until > gen->now && !(gen->is_ordered && gen->is_known);
}

/*
 * Does an answer refuse a packet for its generation or endpoint (UE 1.0.1 Table 3-19), so
 * that the message is to be sent again and the answer is ignored?
 *
 * The index was disabled, or enabled again with another generation, or the endpoint does not
 * exist yet.  The target executed no byte of the message, nor of messages sent after it.  All
 * of them are sent again from their first byte, in the original order, when no packet is in
 * flight that could overtake them.  A target does not report that it enabled an index: the
 * first packet of the first message probes it, after a pause that doubles.  A new generation
 * is used at once.  A PDC has messages to one index only.
 *
 * An endpoint that appears meanwhile may accept a later message after it refused an earlier
 * one.  Until it has answered, SES therefore sends one packet at a time.  An ordered PDC
 * waits only until then.
 */
static bool ses_gen_note(struct uet_ses *ses, struct uet_ses_tx *tx, const struct uet_pdc_up *up)
{
	struct uet_ses_gen *gen = &ses->gen;

	if (!gen_is_refusal(tx, up) && !(uet_ses_rc_is_absent(up->rc) && gen_waits(gen, tx))) {
		if (!tx->is_refused && !uet_ses_rc_is_absent(up->rc)) {
			gen->pause_ns = 0;
			gen->is_disabled = false;
			gen->was_wrong = false;
			gen->is_trying = false;
			gen->is_known = true;
		}
		return tx->is_refused;
	}
	gen->is_disabled = up->rc != UET_RC_BAD_GENERATION;
	if (up->ri_gen)
		gen->value = up->ri_gen;
	if (tx->is_refused)
		return true;
	if (!gen_may_resend(tx))
		return false;
	tx->is_refused = true;
	gen->nr++;
	uet_ses_tx_cut(ses, tx);
	return true;
}

/* Must a message without packets in flight be sent again? */
static bool ses_gen_keep(struct uet_ses *ses, struct uet_ses_tx *tx)
{
	if (!tx->is_refused)
		return false;
	if (tx->error || tx->is_aborted) {
		tx->is_refused = false;
		ses->gen.nr--;
		return false;
	}
	uet_ses_read_forget(ses, tx);
	list_add_tail(&tx->link, &ses->gen.refused);
	return true;
}

/*
 * Must a message wait for refused ones?  One in progress is sent to its end, so that none is
 * split.
 */
static bool ses_gen_stops(const struct uet_ses *ses, const struct uet_ses_tx *tx)
{
	const struct uet_ses_gen *gen = &ses->gen;

	if (gen->nr)
		return !ses_tx_is_started(tx);
	return gen->at || (gen->is_trying && ses->nr_packets);
}

/* A new generation is tried at once, except after two wrong generations in a row. */
static void gen_choose_pause(struct uet_ses_gen *gen, struct uet_pdc *pdc, u64 now)
{
	if (!gen->is_disabled && !gen->was_wrong) {
		gen->was_wrong = true;
		gen->is_trying = false;
		return;
	}
	if (!gen->pause_ns)
		gen->since = now;
	gen->pause_ns = uet_pdc_longer_pause(pdc, gen->pause_ns, uet_ns_since(now, gen->since));
	gen->at = now + gen->pause_ns;
	gen->was_wrong = false;
	gen->is_trying = true;
}

/* All packets are answered, and no message is partly sent. */
static bool gen_is_drained(struct uet_ses *ses)
{
	const struct uet_ses_tx *tx;

	if (ses->nr_packets)
		return false;
	tx = list_first_entry_or_null(&ses->txq, struct uet_ses_tx, link);
	return !tx || !ses_tx_is_started(tx);
}

/* Queue refused messages again when it is time. */
static void ses_gen_step(struct uet_ses *ses, struct uet_pdc *pdc, u64 now)
{
	struct uet_ses_gen *gen = &ses->gen;
	struct uet_ses_tx *tx;

	gen->now = now;
	if (gen->at && gen->at <= now)
		gen->at = 0;
	if (!gen->nr || !gen_is_drained(ses))
		return;
	list_for_each_entry(tx, &gen->refused, link)
		ses_tx_reset(tx);
	list_splice_init(&gen->refused, &ses->txq);
	/* A walk may have passed the place where they are now. */
	if (ses->walk)
		uet_ses_tx_walk(ses);
	gen->resent += gen->nr;
	gen->nr = 0;
	gen_choose_pause(gen, pdc, now);
}

/*
 * uet_ses_gen_deadline() - when must uet_ses_pump() be called? ns; UET_NEVER without a pause
 */
u64 uet_ses_gen_deadline(const struct uet_ses *ses)
{
	return ses->gen.at ? ses->gen.at : UET_NEVER;
}

/*
 * uet_ses_may_defer() - may the target defer this message? Its sender must keep the bytes
 */
bool uet_ses_may_defer(const struct uet_ses_tx *tx)
{
	return uet_ses_is_deferrable(tx->opcode) && !tx->tokens.tgt;
}

/*
 * uet_ses_tx_is_deferred() - was a returned message deferred, without error? The caller keeps it
 */
bool uet_ses_tx_is_deferred(const struct uet_ses_tx *tx)
{
	return tx->is_deferred && !tx->is_aborted && !tx->error && tx->rc == UET_RC_OK;
}

/*
 * uet_ses_defer_is_requested() - does a restart request name this message?
 * @tgt_token: result: token of the target, possibly 0
 *
 * Targets differ in the order of the two tokens, so that of the message is accepted in either
 * place.  Some targets leave request_length 0 (uet-wire 3.14, token order).
 */
bool uet_ses_defer_is_requested(const struct uet_ses_tx *tx,
				const struct uet_ses_req *rtr, u32 *tgt_token)
{
	if (rtr->request_length && rtr->request_length != tx->length)
		return false;
	*tgt_token = rtr->init_token;
	if (rtr->tgt_token == tx->tokens.init)
		return true;
	*tgt_token = rtr->tgt_token;
	return rtr->init_token == tx->tokens.init;
}

/*
 * A message that the target requested cannot be deferred again: such an answer violates the
 * protocol, and must not count as delivery (uet-wire 3.14, deferrable send).
 */
static void ses_defer_note(struct uet_ses *ses, struct uet_ses_tx *tx, u8 opcode, u8 rc, u8 list)
{
	if (opcode != UET_RSP_RESPONSE || rc != UET_RC_OK ||
	    list != UET_LIST_OVERFLOW || tx->is_aborted || tx->error ||
	    !uet_ses_is_deferrable(tx->opcode))
		return;
	if (uet_ses_may_defer(tx)) {
		tx->is_deferred = true;
		return;
	}
	tx->error = UET_PDC_ERR_PROTOCOL;
	uet_ses_tx_cut(ses, tx);
}

/*
 * Is the final response still to come?  An accepted packet does not mean that the target has
 * read the rest, and neither does an answer that no receive was posted.
 */
static bool ses_rdv_goes_on(const struct uet_ses_tx *tx, u8 opcode, u8 rc, u8 list)
{
	if (uet_ses_tx_length(tx) == tx->length || (rc != UET_RC_OK && rc != UET_RC_NULL))
		return false;
	return opcode == UET_RSP_DEFAULT || opcode == UET_RSP_NO_RESPONSE ||
	       list == UET_LIST_OVERFLOW;
}

/* Do as many messages wait for an answer as may? */
static bool ses_tx_is_full(const struct uet_ses *ses, const struct uet_ses_tx *tx)
{
	if (uet_ses_is_rendezvous(tx->opcode))
		return ses->rdv_shut || ses->nr_rdv_wait >= UET_SES_RDV_MAX;
	return ses->nr_wait >= UET_SES_WAIT_MAX;
}

static bool ses_id_is_waiting(struct uet_ses *ses, u16 id)
{
	struct uet_ses_tx *tx;

	list_for_each_entry(tx, &ses->waitq, link)
		if (tx->msg_id == id)
			return true;
	return uet_ses_rdv_find(ses, id);
}

/*
 * UE 1.0.1 3.4.1.14: 0 is no message id; ids are unique while open.  Messages with packets in
 * flight have consecutive ids, and the window is smaller than the ids.  Only ids of messages
 * that wait for a late response can collide: as many in a row as wait, so one call does not try
 * all.  Return: is next_msg_id free?
 */
static bool ses_tx_seek_id(struct uet_ses *ses)
{
	u32 left = UET_SES_ID_STEPS;

	while (!ses->next_msg_id || ses_id_is_waiting(ses, ses->next_msg_id)) {
		ses->seeks_id = !left--;
		if (ses->seeks_id)
			return false;
		ses->next_msg_id++;
	}
	ses->seeks_id = false;
	return true;
}

/* The message that uet_ses_pump() segments next, if it may do so now. */
static struct uet_ses_tx *ses_tx_sendable(struct uet_ses *ses)
{
	struct uet_ses_tx *tx;

	tx = list_first_entry_or_null(&ses->txq, struct uet_ses_tx, link);
	if (!tx || !ses_tx_has_segment(tx))
		return NULL;
	if (!ses_tx_is_started(tx) && ses_tx_is_full(ses, tx))
		return NULL;
	if (tx->read.want && !uet_ses_read_may_ask(ses, tx))
		return NULL;
	if (ses_gen_stops(ses, tx))
		return NULL;
	if (!ses_tx_is_started(tx) && !uet_ses_is_short(tx) && !ses_tx_seek_id(ses))
		return NULL;
	return tx;
}

void uet_ses_tx_settle(struct uet_ses *ses, struct uet_ses_tx *tx)
{
	if (!tx->is_cut || tx->packets || ses_gen_keep(ses, tx))
		return;
	/* No peer can read its bytes any more. */
	if (ses->rdv_shut && uet_ses_is_rendezvous(tx->opcode) && uet_ses_tx_is_waiting(tx))
		tx->is_aborted = true;
	if (!uet_ses_tx_is_waiting(tx)) {
		uet_ses_read_forget(ses, tx);
		list_add_tail(&tx->link, &ses->doneq);
	} else if (uet_ses_is_rendezvous(tx->opcode)) {
		list_add_tail(&tx->link, &ses->rdv_waitq);
		ses->nr_rdv_wait++;
	} else {
		list_add_tail(&tx->link, &ses->waitq);
		ses->nr_wait++;
		if (tx->read.want) {
			ses->nr_reads++;
			ses->read_moved = true;
		}
	}
}

void uet_ses_tx_stop_waiting(struct uet_ses *ses, struct uet_ses_tx *tx)
{
	if (uet_ses_is_rendezvous(tx->opcode))
		ses->nr_rdv_wait--;
	else
		ses->nr_wait--;
	if (tx->read.want)
		ses->nr_reads--;
	uet_ses_read_forget(ses, tx);
	ses_tx_unlink(ses, tx);
	list_add_tail(&tx->link, &ses->doneq);
}

/* The effort of the report of a message, compared with that of a success. */
static u32 ses_tx_report(const struct uet_ses_tx *tx)
{
	return tx->error || tx->is_aborted ? UET_SES_REAP_MAX / UET_SES_FAIL_MAX : 1;
}

/*
 * uet_ses_take_done() - take messages that have ended, as by uet_ses_reap()
 * Return: false if more have than a caller should report with softirqs off.
 */
bool uet_ses_take_done(struct uet_ses *ses, struct list_head *done)
{
	struct uet_ses_tx *tx, *next;
	u32 effort = 0;

	list_for_each_entry_safe(tx, next, &ses->doneq, link) {
		effort += ses_tx_report(tx);
		if (effort > UET_SES_REAP_MAX)
			return false;
		list_move_tail(&tx->link, done);
		ses->nr_tx--;
	}
	return true;
}

/*
 * The first answer other than success ends the message.  A default response, and one with
 * data, mean that the whole message was executed; of other lengths the least counts.
 */
static void ses_tx_note_rsp(struct uet_ses *ses, struct uet_ses_tx *tx, u8 opcode, u8 rc,
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
	uet_ses_tx_cut(ses, tx);
}

/*
 * uet_ses_init() - initialise a SES without messages
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
	INIT_LIST_HEAD(&ses->rdvs);
}

/*
 * uet_ses_is_idle() - is no message being sent or received? Then the PDC may close
 */
bool uet_ses_is_idle(const struct uet_ses *ses)
{
	return !ses->nr_tx && !ses->nr_rx && !ses->nr_read_rsps && list_empty(&ses->read_rsps);
}

/*
 * uet_ses_tx_queue() - queue a message, the caller's fields set, for the next uet_ses_pump()
 * The sender may supply more bytes later, by raising @tx->avail and calling uet_ses_pump().
 */
void uet_ses_tx_queue(struct uet_ses *ses, struct uet_ses_tx *tx)
{
	ses_tx_reset(tx);
	/* One packet at a time goes to an endpoint that may not exist. */
	if (tx->wait_until && !ses->gen.is_known)
		ses->gen.is_trying = true;
	list_add_tail(&tx->link, &ses->txq);
	ses->nr_tx++;
}

/*
 * uet_ses_tx_abort() - abort a queued message; pump and reap next
 * Packets not handed to PDS are not sent; if one was, a MSG_ERROR reports the abort to the
 * target (UE 1.0.1 Table 3-17).  uet_ses_reap() returns the message as any other.  A message
 * that was handed down completely ends normally, unless only its final response or data is
 * missing.
 */
void uet_ses_tx_abort(struct uet_ses *ses, struct uet_ses_tx *tx)
{
	if (tx->is_refused) {
		tx->is_aborted = true;
		if (tx->packets)
			return;
		ses_tx_unlink(ses, tx);
		uet_ses_tx_settle(ses, tx);
	} else if (!tx->is_cut) {
		tx->is_aborted = true;
		tx->is_deferred = false;
		if (ses_tx_is_started(tx))
			return;
		uet_ses_tx_cut(ses, tx);
		uet_ses_tx_settle(ses, tx);
	} else if (uet_ses_tx_is_waiting(tx)) {
		tx->is_aborted = true;
		uet_ses_tx_stop_waiting(ses, tx);
	}
}

/*
 * uet_ses_tx_walk() - begin a walk through the messages without packets in flight that are not
 *	completely sent, or wait for an answer; another walk has ended
 */
void uet_ses_tx_walk(struct uet_ses *ses)
{
	ses->walk = &ses->txq;
}

/*
 * uet_ses_tx_walk_next() - the next message of the walk; NULL if it has passed all
 * Messages may come, go and be aborted meanwhile; the walk may meet one twice.
 */
struct uet_ses_tx *uet_ses_tx_walk_next(struct uet_ses *ses)
{
	struct list_head *next = ses->walk->next;

	if (next == &ses->txq)
		next = ses->waitq.next;
	if (next == &ses->waitq)
		next = ses->rdv_waitq.next;
	if (next == &ses->rdv_waitq)
		next = ses->gen.refused.next;
	if (next == &ses->gen.refused)
		next = NULL;
	ses->walk = next;
	return next ? list_entry(next, struct uet_ses_tx, link) : NULL;
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

static void ses_tx_next_pkt(struct uet_ses *ses, struct uet_ses_tx *tx, struct uet_pds_pkt *pkt)
{
	memset(pkt, 0, sizeof(*pkt));
	pkt->msg = tx;
	pkt->next_hdr = tx->form == UET_SES_MEDIUM ? UET_NH_REQ_MEDIUM :
			tx->form == UET_SES_SMALL ? UET_NH_REQ_SMALL : UET_NH_REQ_STD;
	pkt->offset = tx->next;
	if (!tx->is_aborted)
		pkt->flags = ses_tx_pkt_size(tx);
	if (!ses_tx_is_started(tx)) {
		if (!uet_ses_is_short(tx))
			tx->msg_id = ses->next_msg_id++;
		tx->ri_gen = ses->gen.value;
		if (uet_ses_is_rendezvous(tx->opcode))
			uet_ses_rdv_add(ses, tx);
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
		uet_ses_tx_cut(ses, tx);
	}
}

/* Segment the full packets behind @pkt, except for the last one that can be sent now. */
static void ses_tx_next_run(struct uet_ses *ses, struct uet_pdc *pdc, struct uet_ses_tx *tx,
			    struct uet_pds_pkt *pkt, u64 now)
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

/*
 * uet_ses_pump() - hand packets to a PDC, which is not over, while it has space
 * Call it after uet_ses_reap(), and when a message was queued, aborted or got more bytes.
 * Messages are not interleaved (UE 1.0.1 3.5.8.2): one whose next bytes are missing blocks
 * those behind it.  Read responses precede messages.
 *
 * The PDC does not close while a message is in progress.  One that only waits for its final
 * response does not count: a target that never sends it would keep the PDC for ever.  One that
 * waits for read data counts for a limited time, see uet_ses_read_tick().
 *
 * The last packet that can be sent now requests an ACK, unless others follow.
 * Return: false if the search for a message id was not over: call it again, and soon.
 */
bool uet_ses_pump(struct uet_ses *ses, struct uet_pdc *pdc, u64 now)
{
	struct uet_ses_tx *tx, *next;
	struct uet_pds_pkt pkt;

	ses->seeks_id = false;
	ses->first_psn = uet_pdc_first_psn(pdc);
	uet_ses_read_rsp_pump(ses, pdc, now);
	ses_gen_step(ses, pdc, now);
	for (tx = ses_tx_sendable(ses); tx && uet_pdc_tx_space(pdc); tx = next) {
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
	return !ses->seeks_id;
}

static void ses_tx_note_acked(struct uet_ses *ses, struct uet_ses_tx *tx,
			      const struct uet_pdc_up *up)
{
	if (ses_gen_note(ses, tx, up))
		return;
	/* The sender reads this field without the lock of the PDC. */
	WRITE_ONCE(tx->acked, tx->acked + up->pkt.len);
	if (ses_rdv_goes_on(tx, up->rsp_opcode, up->rc, up->list))
		return;
	ses_defer_note(ses, tx, up->rsp_opcode, up->rc, up->list);
	ses_tx_note_rsp(ses, tx, up->rsp_opcode, up->rc, up->modified_length);
	tx->awaits_rsp = tx->rc == UET_RC_OK && ses_final_note(tx, up);
}

/* Without its first packet a message has no destination, but each packet of RMA states its own. */
static void ses_tx_note_unexecuted(struct uet_ses_tx *tx, const struct uet_pdc_up *up)
{
	if (up->pkt.flags & UET_PKT_SOM)
		tx->is_unexecuted = up->is_unexecuted;
	else if (uet_ses_is_rma(tx->opcode))
		tx->is_unexecuted &= up->is_unexecuted;
}

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
		uet_ses_tx_cut(ses, tx);
	}
	uet_ses_tx_settle(ses, tx);
}

/* The outcomes of @n packets as @up; what the message learned from @up does not change. */
static void ses_tx_note_run(struct uet_ses *ses, const struct uet_pdc_up *up, u32 n)
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

/*
 * uet_ses_reap() - process the events of the PDC
 * @done: finished messages are appended; uet_ses_errno() has their result
 *
 * Packets are reported in PSN order, so the @acked bytes are a prefix.  A message is complete
 * when all packets are acknowledged and the final response arrived; the first error response
 * ends it (uet-wire 3.14).  Return: false if the maximum of a call was not enough.
 */
bool uet_ses_reap(struct uet_ses *ses, struct uet_pdc *pdc, struct list_head *done)
{
	u32 max = uet_pdc_is_dead(pdc) ? UET_SES_FAIL_MAX : UET_SES_REAP_MAX;
	struct uet_pdc_up up;
	u32 more, steps = 0;

	while (steps < max && uet_pdc_poll_up(pdc, &up)) {
		steps++;
		if (up.kind != UET_UP_ACKED && up.kind != UET_UP_FAILED)
			continue;
		more = up.pkt.flags & UET_PKT_MARKS ? 0 : uet_pdc_poll_up_run(pdc, &up);
		if (uet_ses_is_read_rsp(&up.pkt)) {
			uet_ses_read_rsp_done(ses, up.pkt.msg, 1 + more);
			continue;
		}
		ses_tx_note_up(ses, &up);
		ses_tx_note_run(ses, &up, more);
	}
	return uet_ses_take_done(ses, done) && steps < max;
}

/*
 * uet_ses_pump_rudi() - hand packets down as RUDI requests, each on its own, while there is space
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

/*
 * uet_ses_note_rudi() - process the outcome of a RUDI request
 * Every answer is final.  Data that did not arrive with the answer is missing.
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
	    tx->read.want && !uet_ses_read_has(tx, up->pkt.offset) && !tx->error) {
		tx->error = UET_PDC_ERR_PROTOCOL;
		uet_ses_tx_cut(ses, tx);
	}
	ses_tx_note_up(ses, &as_pdc);
}

/* Fail a message that does not need its PDC to end, if there is one. */
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
	tx = list_first_entry_or_null(&ses->txq, struct uet_ses_tx, link) ?:
	     list_first_entry_or_null(&ses->gen.refused, struct uet_ses_tx, link);
	if (!tx)
		return false;
	tx->error = error ?: UET_PDC_ERR_ABORT;
	tx->is_cut = true;
	ses_tx_unlink(ses, tx);
	uet_ses_tx_settle(ses, tx);
	return true;
}

/*
 * uet_ses_fail() - fail the messages of a PDC that is over
 * @error: with UET_PDC_OK, messages not sent fail with UET_PDC_ERR_ABORT, and messages
 *	without a final response with UET_PDC_ERR_TIMEOUT
 *
 * A message with packets in the PDC is returned by the uet_ses_reap() that takes the last of
 * these.  Read responses fail, too.  Return: false if UET_SES_FAIL_MAX of either were not enough.
 */
bool uet_ses_fail(struct uet_ses *ses, enum uet_pdc_error error, struct list_head *done)
{
	u32 steps = 0;
	bool is_all;

	while (steps < UET_SES_FAIL_MAX && ses_tx_fail_first(ses, error))
		steps++;
	is_all = uet_ses_read_rsp_fail(ses) && steps < UET_SES_FAIL_MAX;
	return uet_ses_take_done(ses, done) && is_all;
}

static void ses_tx_note_late(struct uet_ses *ses, struct uet_ses_tx *tx,
			     const struct uet_ses_rsp *rsp)
{
	if (!ses_final_is_told(rsp->opcode, rsp->rc))
		return;
	if (ses_rdv_goes_on(tx, rsp->opcode, rsp->rc, rsp->list))
		return;
	ses_defer_note(ses, tx, rsp->opcode, rsp->rc, rsp->list);
	ses_tx_note_rsp(ses, tx, rsp->opcode, rsp->rc, rsp->modified_length);
	if (!uet_ses_tx_is_waiting(tx))
		uet_ses_tx_stop_waiting(ses, tx);
}

void uet_ses_tx_note_final(struct uet_ses *ses, struct uet_ses_tx *tx, u8 rc, u32 modified_length)
{
	bool was_waiting = uet_ses_tx_is_waiting(tx);
	bool was_cut = tx->is_cut;

	ses_tx_note_rsp(ses, tx, UET_RSP_RESPONSE, rc, modified_length);
	if (was_waiting)
		uet_ses_tx_stop_waiting(ses, tx);
	else if (!was_cut)
		uet_ses_tx_settle(ses, tx);
}

/* For a message without an id: the PSN that the ACK answers identifies the waiting message. */
static void ses_form_response(struct uet_ses *ses, const struct uet_ses_rsp *rsp,
			      const struct uet_pds_hdr *hdr)
{
	const struct uet_ack *ack = &hdr->u.ack;
	u32 psn = ack->cack_psn + (u32)ack->ack_off;
	struct uet_ses_tx *tx;

	/* The answer to a Probe is for no packet. */
	if (hdr->flags & UET_F_P)
		return;
	list_for_each_entry(tx, &ses->waitq, link) {
		if (uet_ses_form_is_for(ses, tx, psn)) {
			ses_tx_note_late(ses, tx, rsp);
			return;
		}
	}
}

/*
 * uet_ses_tx_response() - process each response of an ACK after uet_pdc_rx_ack(); reap next
 * A target that answered with UET_NO_RESPONSE sends the final response in a later ACK, when PDS
 * no longer has the packet.  The PDS of a target answers a duplicate with a default response
 * by itself, so the default response to a retransmission is not final (uet-wire 2.17, 3.14).
 */
void uet_ses_tx_response(struct uet_ses *ses, const struct uet_ses_rsp *rsp,
			 const struct uet_pds_hdr *hdr)
{
	struct uet_ses_tx *tx;

	if (rsp->form != UET_RSP_FORM_PLAIN ||
	    (rsp->opcode == UET_RSP_DEFAULT && hdr->flags & UET_F_RETX))
		return;
	if (!rsp->msg_id) {
		ses_form_response(ses, rsp, hdr);
		return;
	}
	tx = uet_ses_rdv_find(ses, rsp->msg_id);
	if (tx && uet_ses_tx_is_waiting(tx)) {
		ses_tx_note_late(ses, tx, rsp);
		return;
	}
	list_for_each_entry(tx, &ses->waitq, link) {
		if (tx->msg_id == rsp->msg_id) {
			ses_tx_note_late(ses, tx, rsp);
			return;
		}
	}
}

/*
 * A WRITE may be executed twice only if the owner of the region says so: others read, write
 * and count what is there meanwhile.  Its bytes are all here only while none is acknowledged.
 */
static bool repeat_is_idempotent(const struct uet_ses_tx *tx)
{
	if (tx->opcode == UET_OP_READ)
		return true;
	return tx->opcode == UET_OP_WRITE && tx->match & UET_KEY_IDEMPOTENT_SAFE &&
	       !tx->has_hdata && !tx->acked;
}

/*
 * uet_ses_tx_may_repeat() - is a message of a refused PDC to be sent on another one?
 * Only if the target cannot have executed it, or if twice is the same as once: a repetition
 * must not show.  True once for each message, so that no peer can make its sender loop; false if
 * the target answered with an error, or the sender aborted it or still supplies bytes (UE 1.0.1
 * Table 3-58, RETRY; 3.5.12.7).
 */
bool uet_ses_tx_may_repeat(struct uet_ses_tx *tx)
{
	if (tx->error != UET_PDC_ERR_NACK || tx->rc != UET_RC_OK ||
	    tx->is_repeat || tx->is_aborted || tx->avail != tx->length)
		return false;
	tx->is_repeat = !tx->has_psn || (tx->is_unexecuted && !tx->acked) ||
			repeat_is_idempotent(tx);
	return tx->is_repeat;
}
