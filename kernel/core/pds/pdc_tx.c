// SPDX-License-Identifier: GPL-2.0
/*
 * The send half: accepts packets from SES, assigns PSNs, transmits and retransmits within the
 * peer's window and the pause, builds pending control packets, and reports outcomes in PSN
 * order.  Loss detection is not done here.
 *
 * Implements UE 1.0.1 3.5.8.2 (SYN), 3.5.8.3 (close), 3.5.11 (PSNs, CLEAR_PSN of requests),
 * 3.5.12.2 (windows, AR), 3.5.15 (retransmission) and 3.5.16 (control packets sent).
 * Level: core L4.
 */
#include "pdc.h"

/* The last PSNs of a secure PDC are reserved for closing it. */
static u32 tx_space(const struct uet_pdc *pdc)
{
	u32 used = pdc->tx.write_seq - pdc->tx.una_reported;
	u32 left = uet_pdc_psn_left(pdc);

	if (!uet_pdc_has_window(pdc) || used >= pdc->cfg->window ||
	    left <= UET_PDC_WINDOW_MAX || !uet_pdc_allows(pdc, UET_PDC_EV_TX))
		return 0;
	return min(pdc->cfg->window - used, left - UET_PDC_WINDOW_MAX);
}

/*
 * uet_pdc_tx_space() - would uet_pdc_tx_req() accept a packet now?
 */
bool uet_pdc_tx_space(const struct uet_pdc *pdc)
{
	return tx_space(pdc);
}

/*
 * uet_pdc_tx_reqs() - accept a run of request packets from SES
 * @pkt: the first; each further one differs in its offset only, and begins where the one
 *	before ends
 *
 * Return: number of packets accepted, less than @n if there is no space for more.
 */
u32 uet_pdc_tx_reqs(struct uet_pdc *pdc, const struct uet_pds_pkt *pkt, u32 n, u64 now)
{
	struct uet_pdc_slot *slot;
	u32 at;

	n = min(n, tx_space(pdc));
	if (!n)
		return 0;
	for (at = 0; at < n; at += slot->n) {
		slot = uet_pdc_new_slot(pdc, UET_PDC_KIND_REQ);
		slot->pkt = *pkt;
		slot->pkt.offset += at * pkt->len;
		slot->n = min(n - at, (u32)UET_PDC_RUN_MAX);
		pdc->tx.write_seq += slot->n - 1;
	}
	if (pdc->cc.ccc)
		uet_pdc_cc_queue(pdc, slot, n, now);
	pdc->active_ns = now;
	return n;
}

/*
 * uet_pdc_tx_req() - accept a request packet from SES, for which uet_pdc_tx_space() is true
 *
 * Return: PSN of the packet.
 */
u32 uet_pdc_tx_req(struct uet_pdc *pdc, const struct uet_pds_pkt *pkt, u64 now)
{
	u32 psn = pdc->tx.write_seq;
	bool fits = uet_pdc_tx_reqs(pdc, pkt, 1, now);

	UET_ASSERT(fits);
	return psn;
}

/*
 * Send a NOOP, which may be the first packet.  uet_pdc_poll_up() yields its outcome in PSN
 * order, with @cookie.  Return: false if there is no space or the PDC is closing.
 */
bool uet_pdc_tx_noop(struct uet_pdc *pdc, void *cookie, u64 now)
{
	struct uet_pdc_slot *slot = uet_pdc_slot(pdc, pdc->tx.write_seq);

	if (!uet_pdc_tx_space(pdc))
		return false;
	uet_pdc_tx_add_cp(pdc, UET_CP_NOOP, now);
	slot->pkt.msg = cookie;
	slot->reports = true;
	return true;
}

/*
 * UE 1.0.3 3.5.16.7.1: offer the features of this implementation; false as for
 * uet_pdc_tx_noop().
 */
bool uet_pdc_tx_negotiate(struct uet_pdc *pdc, u64 now)
{
	return uet_pdc_tx_space(pdc) && uet_pdc_tx_add_cp(pdc, UET_CP_NEGOTIATION, now);
}

/* The next packet to send, or NULL if none may be sent: lost packets first, lowest PSN first. */
static struct uet_pdc_slot *tx_pick(const struct uet_pdc *pdc)
{
	const struct uet_pdc_txh *tx = &pdc->tx;
	struct uet_pdc_slot *slot;

	if (tx->pause.on && (tx->pause.until || tx->pause.inflight >= tx->pause.space))
		return NULL;
	list_for_each_entry(slot, &tx->lost, link) {
		if (!slot->backoff_until)
			return slot;
		if (pdc->mode == UET_PDC_ROD)
			return NULL;
	}
	if (tx->nxt != tx->write_seq && uet_pdc_peer_has_space(tx))
		return uet_pdc_slot(pdc, tx->nxt);
	return NULL;
}

static bool tx_has_syn(const struct uet_pdc *pdc)
{
	return pdc->state == UET_PDC_ST_SYN_SENT;
}

/*
 * If the window is the limit, every packet fills it, so AR is set at most once per half
 * window.
 */
static bool tx_fills_window(const struct uet_pdc *pdc, u32 psn)
{
	const struct uet_pdc_txh *tx = &pdc->tx;
	s32 window = min(tx->mpr_pkts, pdc->cfg->window);

	return (psn == tx->cack + tx->mpr_pkts ||
		psn == tx->una_reported + pdc->cfg->window - 1) &&
	       uet_psn_diff(psn, tx->ar_psn) >= window / 2;
}

/* Set AR on the last packet for now, and on any packet that may be a probe. */
static bool tx_wants_ack(const struct uet_pdc *pdc, const struct uet_pdc_slot *slot)
{
	return slot->kind != UET_PDC_KIND_REQ || slot->sends ||
	       tx_has_syn(pdc) || pdc->tx.pause.on ||
	       (slot->pkt.flags & UET_PKT_TAIL) || tx_fills_window(pdc, slot->psn);
}

static u8 tx_flags(struct uet_pdc *pdc, const struct uet_pdc_slot *slot, bool wants_ack)
{
	u8 flags = 0;

	if (slot->sends)
		flags |= UET_F_RETX;
	if (wants_ack || tx_wants_ack(pdc, slot)) {
		flags |= UET_F_AR;
		pdc->tx.ar_psn = uet_psn_later(pdc->tx.ar_psn, slot->psn);
	}
	return flags;
}

static u8 tx_type(const struct uet_pdc *pdc, const struct uet_cc_send *send)
{
	if (pdc->mode == UET_PDC_ROD)
		return send->has_target ? UET_TY_ROD_CC_REQ : UET_TY_ROD_REQ;
	return send->has_target ? UET_TY_RUD_CC_REQ : UET_TY_RUD_REQ;
}

/* A packet with CLEAR_PSN was built. */
static void tx_note_clear(struct uet_pdc *pdc)
{
	pdc->tx.clear_sent = pdc->tx.una - 1;
	pdc->tx.clear_wanted = false;
}

/* UE 1.0.1 3.5.8.2: SYN until the peer's PDCID is known, as each such packet may open the PDC. */
static void tx_build_req(struct uet_pdc *pdc, const struct uet_pdc_slot *slot,
			 const struct uet_cc_send *send, struct uet_pdc_tx *out)
{
	struct uet_req *req = &out->hdr.u.req;

	out->kind = UET_TX_REQ;
	out->pkt = slot->pkt;
	out->hdr.type = tx_type(pdc, send);
	out->hdr.next_hdr = slot->pkt.next_hdr;
	out->ev = send->ev;
	out->hdr.flags = tx_flags(pdc, slot, send->wants_ack);
	req->psn = slot->psn;
	req->clear_off = (s16)uet_psn_diff(pdc->tx.una - 1, slot->psn);
	req->spdcid = pdc->local_pdcid;
	if (send->has_target) {
		req->ccc_id = pdc->cc.ccc->id;
		req->credit_target = send->credit_target;
	}
	if (tx_has_syn(pdc)) {
		out->hdr.flags |= UET_F_SYN;
		req->psn_offset = slot->psn - pdc->start_psn;
		req->pdc_info = pdc->is_reserved ? UET_PDC_INFO_RSV : 0;
	} else {
		req->dpdcid = pdc->peer_pdcid;
	}
	tx_note_clear(pdc);
}

/* @psn: of the control packet, or the PSN it asks about, or 0. */
static void tx_build_ctl(struct uet_pdc *pdc, struct uet_pdc_tx *tx, u8 ctl_type, u32 psn)
{
	struct uet_cp *cp = &tx->hdr.u.cp;

	tx->kind = UET_TX_CP;
	tx->ev = pdc->ev.last;
	tx->hdr.type = UET_TY_CP;
	tx->hdr.next_hdr = ctl_type;
	cp->psn = psn;
	cp->spdcid = pdc->local_pdcid;
	cp->dpdcid = pdc->peer_pdcid;
}

static void tx_build_cp(struct uet_pdc *pdc, const struct uet_pdc_slot *slot,
			struct uet_pdc_tx *out)
{
	struct uet_cp *cp = &out->hdr.u.cp;

	tx_build_ctl(pdc, out, slot->kind, slot->psn);
	out->ev = uet_ev_next(&pdc->ev);
	out->hdr.flags |= tx_flags(pdc, slot, false);
	if (!uet_wire_ctl(slot->kind)->may_syn)
		return;
	if (pdc->mode == UET_PDC_ROD)
		out->hdr.flags |= UET_F_ISROD;
	if (tx_has_syn(pdc)) {
		out->hdr.flags |= UET_F_SYN;
		cp->psn_offset = slot->psn - pdc->start_psn;
		cp->pdc_info = pdc->is_reserved ? UET_PDC_INFO_RSV : 0;
	}
	if (slot->kind == UET_CP_NEGOTIATION) {
		cp->payload = UET_CP_NEG_ON_OFF;
		cp->neg_mask = UET_PDS_FEATURES_OFFERED;
	}
}

static void tx_mark_sent(struct uet_pdc_txh *tx, struct uet_pdc_slot *slot, u64 now)
{
	slot->state = UET_SLOT_SENT;
	list_add_tail(&slot->link, &tx->sent);
	slot->sent_ns = now;
	if (!slot->sends)
		slot->first_ns = now;
	slot->xmit = tx->xmit;
	tx->xmit += slot->n;
	if (slot->sends < UET_PDC_SENDS_MAX)
		slot->sends++;
}

static void tx_note_sent(struct uet_pdc *pdc, struct uet_pdc_slot *slot, u64 now)
{
	struct uet_pdc_txh *tx = &pdc->tx;

	if (slot->state == UET_SLOT_LOST) {
		list_del_init(&slot->link);
		tx->nr_lost--;
	} else {
		tx->nxt++;
	}
	tx_mark_sent(tx, slot, now);
	slot->bypass_cc = false;
	tx->nr_sent++;
	if (tx->pause.on) {
		slot->is_probe = true;
		tx->pause.inflight++;
	}
	uet_pdc_rto_start(pdc, now);
	uet_pdc_tail_arm(pdc, now);
}

static void tx_count(struct uet_pdc *pdc, const struct uet_pdc_slot *slot)
{
	if (slot->kind != UET_PDC_KIND_REQ)
		pdc->stats.tx_cp++;
	else if (slot->sends)
		pdc->stats.tx_retx++;
	else
		pdc->stats.tx_req++;
}

/* Send a request now, if the context permits; else nothing changes. */
static bool tx_may_send(struct uet_pdc *pdc, const struct uet_pdc_slot *slot, u64 now,
			struct uet_cc_send *send)
{
	if (pdc->cc.ccc)
		return uet_pdc_cc_send(pdc, slot, now, send);
	*send = (struct uet_cc_send){ .ev = uet_ev_next(&pdc->ev) };
	return true;
}

/* A request may be blocked by congestion control, and blocks the packets behind it. */
static bool tx_poll_slot(struct uet_pdc *pdc, struct uet_pdc_tx *tx, u64 now)
{
	struct uet_pdc_slot *slot = tx_pick(pdc);
	bool is_req = slot && slot->kind == UET_PDC_KIND_REQ;
	struct uet_cc_send send;

	if (slot && slot->n > 1)
		uet_pdc_slot_cut(pdc, slot, 1);
	pdc->cc.waits = is_req && !tx_may_send(pdc, slot, now, &send);
	if (!slot || pdc->cc.waits)
		return false;
	if (is_req)
		tx_build_req(pdc, slot, &send, tx);
	else
		tx_build_cp(pdc, slot, tx);
	tx->is_retx = slot->sends > 0;
	tx->lost_lane = tx->is_retx ? slot->lane : 0;
	slot->lane = uet_ev_lane(tx->ev);
	tx_count(pdc, slot);
	tx_note_sent(pdc, slot, now);
	return true;
}

static void tx_build_ask(struct uet_pdc *pdc, struct uet_pdc_tx *tx, u32 psn)
{
	tx_build_ctl(pdc, tx, UET_CP_ACK_REQUEST, psn);
	tx->hdr.flags = UET_F_AR;
	pdc->stats.tx_cp++;
}

static bool tx_poll_ask(struct uet_pdc *pdc, struct uet_pdc_tx *tx)
{
	struct uet_pdc_slot *slot;
	u32 psn;

	if (!pdc->tx.nr_ack_requests)
		return false;
	for (psn = pdc->tx.una; psn != pdc->tx.nxt; psn += slot->n) {
		slot = uet_pdc_slot(pdc, psn);
		if (slot->asks)
			break;
	}
	slot = uet_pdc_slot(pdc, psn);
	slot->asks = false;
	pdc->tx.nr_ack_requests--;
	tx_build_ask(pdc, tx, psn);
	return true;
}

/*
 * UE 1.0.1 3.5.11.4, 3.5.16.3: if the window stays closed, CLEAR_PSN is repeated first.  An
 * ACK_REQUEST follows, and its answer brings the CACK_PSN that opens the window.
 */
static bool tx_poll_clear(struct uet_pdc *pdc, struct uet_pdc_tx *tx, u64 now)
{
	struct uet_pdc_txh *txh = &pdc->tx;
	bool stalled = uet_pdc_is_stalled(txh);

	if (stalled && txh->stall == UET_STALL_NEW) {
		txh->stall = UET_STALL_CLEARED;
		txh->clear_wanted = true;
	}
	if (txh->clear_wanted) {
		tx_build_ctl(pdc, tx, UET_CP_CLEAR_COMMAND, 0);
		tx->hdr.u.cp.payload = txh->una - 1;
		pdc->stats.tx_cp++;
		tx_note_clear(pdc);
		return true;
	}
	if (!stalled || txh->stall == UET_STALL_ACK_REQUESTED)
		return false;
	txh->stall = UET_STALL_ACK_REQUESTED;
	tx_build_ask(pdc, tx, txh->una - 1);
	uet_pdc_rto_start(pdc, now);
	return true;
}

/*
 * CLEAR_REQUESTs are limited as the retransmissions of a packet are, at doubling intervals.
 * A peer that does not react has not received the response, and retransmits its request.
 */
static bool tx_poll_clear_request(struct uet_pdc *pdc, struct uet_pdc_tx *tx, u64 now)
{
	struct uet_pdc_rxh *rx = &pdc->rx;

	if (!rx->gtd_request_pending)
		return false;
	rx->gtd_request_pending = false;
	if (++rx->gtd_requests < pdc->cfg->max_rto_retx)
		rx->gtd_at = now + (pdc->cfg->clear_ns << rx->gtd_requests);
	tx_build_ctl(pdc, tx, UET_CP_CLEAR_REQUEST, 0);
	tx->hdr.u.cp.payload = rx->gtd_psn;
	pdc->stats.tx_cp++;
	return true;
}

static bool tx_poll_grant(struct uet_pdc *pdc, struct uet_pdc_tx *tx)
{
	if (!pdc->credit.is_pending)
		return false;
	pdc->credit.is_pending = false;
	pdc->stats.tx_credit++;
	tx_build_ctl(pdc, tx, UET_CP_CREDIT, 0);
	tx->hdr.u.cp.payload = FIELD_PREP(UET_CP_PL_CREDIT, pdc->credit.value);
	return true;
}

static bool tx_poll_credit_request(struct uet_pdc *pdc, struct uet_pdc_tx *tx, u64 now)
{
	u32 target;

	if (!pdc->cc.ccc || !uet_pdc_cc_wants_credit(pdc, &target, now))
		return false;
	pdc->stats.tx_credit_req++;
	tx_build_ctl(pdc, tx, UET_CP_CREDIT_REQUEST, 0);
	tx->hdr.u.cp.payload = FIELD_PREP(UET_CP_PL_TARGET, target) |
			       FIELD_PREP(UET_CP_PL_CCC_ID, pdc->cc.ccc->id);
	return true;
}

/* Nothing is sent before the peer's first answer: the peer's PDCID is unknown. */
static bool tx_poll_credit(struct uet_pdc *pdc, struct uet_pdc_tx *tx, u64 now)
{
	if (!pdc->peer_pdcid || (!tx_poll_grant(pdc, tx) && !tx_poll_credit_request(pdc, tx, now)))
		return false;
	tx->ev = uet_ev_next(&pdc->ev);
	pdc->stats.tx_cp++;
	return true;
}

/* The lowest PSN in flight whose reception is unknown. */
static u32 tx_probe_base(const struct uet_pdc *pdc)
{
	u32 psn = pdc->tx.una;

	while (psn != pdc->tx.nxt && uet_pdc_slot(pdc, psn)->state != UET_SLOT_SENT)
		psn += uet_pdc_slot(pdc, psn)->n;
	return psn;
}

/* UE 1.0.1 Table 3-38: opaque value, PSN requested as SACK base. */
static bool tx_poll_probe(struct uet_pdc *pdc, struct uet_pdc_tx *out, u64 now)
{
	struct uet_pdc_tail *tail = &pdc->tx.tail;

	if (!tail->wanted || !pdc->tx.nr_sent) {
		if (!pdc->cc.wants_probe)
			return false;
		pdc->cc.wants_probe = false;
	}
	tail->opaque++;
	tail->is_out = true;
	tail->xmit = pdc->tx.xmit++;
	tail->sent_ns = now;
	tx_build_ctl(pdc, out, UET_CP_PROBE, 0);
	out->hdr.flags = UET_F_AR;
	out->hdr.u.cp.probe_opaque = tail->opaque;
	out->hdr.u.cp.payload = tx_probe_base(pdc);
	out->ev = uet_ev_next(&pdc->ev);
	pdc->stats.tx_cp++;
	uet_pdc_tail_arm(pdc, now);
	return true;
}

/*
 * UE 1.0.1 3.5.8.3: the next step towards CLOSE_COMMAND, after SES could hand down its
 * packets: an ACK alone does not close the PDC under a message that waits for window space.
 */
static void tx_close_step(struct uet_pdc *pdc, u64 now)
{
	struct uet_pdc_txh *tx = &pdc->tx;
	u32 used = tx->write_seq - pdc->start_psn;
	bool reported = tx->una_reported == tx->write_seq;

	if (pdc->role != UET_PDC_INITIATOR)
		return;
	if (used >= UET_PDC_PSN_SPAN)
		uet_pdc_event(pdc, UET_PDC_EV_CLOSE, now);
	if (tx->has_work)
		return;
	if (pdc->close_wanted && !used)
		uet_pdc_event(pdc, UET_PDC_EV_UNUSED, now);
	else if (pdc->state == UET_PDC_ST_QUIESCE && pdc->will_close &&
		 tx->nxt == tx->write_seq && !reported)
		uet_pdc_event(pdc, UET_PDC_EV_DRAINED, now);
	else if (reported)
		uet_pdc_event(pdc, UET_PDC_EV_ALL_ACKED, now);
}

/* Nothing goes ahead of new packets, or holds them up. */
static bool tx_is_undisturbed(const struct uet_pdc *pdc)
{
	const struct uet_pdc_txh *tx = &pdc->tx;

	return !tx->pause.on && !tx->nr_lost && !tx->nr_ack_requests &&
	       tx->backoff_at == UET_NEVER && !pdc->rx.gtd_request_pending &&
	       !uet_pdc_has_answer(pdc);
}

/* The context has no control packet, and the PDC does not wait for it. */
static bool tx_cc_is_quiet(const struct uet_pdc *pdc)
{
	return !pdc->cc.ccc || (!pdc->cc.waits && !pdc->cc.wants_probe &&
				!uet_ccc_may_have_cp(pdc->cc.ccc));
}

/*
 * Nothing is to be sent, and none of the steps of uet_pdc_poll_tx() would change anything.
 * Nearly every run loop ends in this state.
 */
static bool tx_is_quiet(const struct uet_pdc *pdc)
{
	const struct uet_pdc_txh *tx = &pdc->tx;
	u32 used = tx->write_seq - pdc->start_psn;

	return pdc->state == UET_PDC_ST_ESTABLISHED && tx_cc_is_quiet(pdc) &&
	       tx->nxt == tx->write_seq && tx_is_undisturbed(pdc) &&
	       !tx->clear_wanted && !tx->tail.wanted && !pdc->credit.is_pending &&
	       used < UET_PDC_PSN_SPAN;
}

/*
 * uet_pdc_is_at_rest() - has the run loop nothing to do before uet_pdc_deadline()?
 *
 * This is the normal state, between two ACKs, of a target that only receives, and of an
 * initiator all of whose messages have ended.  An initiator with congestion control reports
 * each change to its context, for which other PDCs wait.
 */
bool uet_pdc_is_at_rest(const struct uet_pdc *pdc)
{
	const struct uet_pdc_txh *tx = &pdc->tx;

	if (uet_pdc_is_over(pdc) || tx->una_reported != tx->write_seq)
		return false;
	if (pdc->role == UET_PDC_INITIATOR)
		return !pdc->cc.ccc && tx_is_quiet(pdc) && uet_pdc_takes_messages(pdc);
	return !uet_pdc_has_answer(pdc) && !tx->clear_wanted &&
	       !pdc->rx.gtd_request_pending && !pdc->credit.is_pending;
}

/*
 * uet_pdc_poll_tx() - build the most urgent pending packet
 *
 * The order is: ACKs and NACKs; ACK_REQUESTs and CLEAR_REQUESTs; retransmissions; new
 * packets; a CLEAR_COMMAND, if no request carries CLEAR_PSN instead; Credit and Credit
 * Requests; a Probe.  A packet returned counts as sent: a caller that drops it relies on
 * time-outs.
 * Return: false if nothing is pending; the contents of @tx are undefined then.
 */
bool uet_pdc_poll_tx(struct uet_pdc *pdc, struct uet_pdc_tx *tx, u64 now)
{
	if (tx_is_quiet(pdc))
		return false;
	memset(tx, 0, sizeof(*tx));
	if (uet_pdc_poll_answer(pdc, tx, now))
		return true;
	if (uet_pdc_is_over(pdc))
		return false;
	uet_pdc_pause_step(pdc, now);
	uet_pdc_backoff_step(pdc, now);
	tx_close_step(pdc, now);
	if (uet_pdc_is_over(pdc))
		return false;
	return uet_pdc_poll_answer(pdc, tx, now) ||
	       tx_poll_ask(pdc, tx) ||
	       tx_poll_clear_request(pdc, tx, now) ||
	       tx_poll_slot(pdc, tx, now) ||
	       tx_poll_clear(pdc, tx, now) ||
	       tx_poll_credit(pdc, tx, now) ||
	       tx_poll_probe(pdc, tx, now);
}

/* The headers of two packets of a message differ in the offset only. */
static bool tx_is_like(const struct uet_pds_pkt *a, const struct uet_pds_pkt *b)
{
	return a->msg == b->msg && a->len == b->len && a->flags == b->flags &&
	       a->next_hdr == b->next_hdr;
}

/*
 * How many new packets continue @like, at most @max?  None of them fills a window or
 * requests an ACK.
 */
static u32 tx_run_length(const struct uet_pdc *pdc, const struct uet_pds_pkt *like, u32 max)
{
	const struct uet_pdc_txh *tx = &pdc->tx;
	u32 full = uet_psn_earlier(tx->cack + tx->mpr_pkts,
				   tx->una_reported + pdc->cfg->window - 1);
	u32 end = uet_psn_earlier(full, tx->write_seq);
	const struct uet_pdc_slot *slot;
	u32 n;

	for (n = 0; n < max && uet_psn_before(tx->nxt + n, end); n += slot->n) {
		slot = uet_pdc_slot(pdc, tx->nxt + n);
		if (slot->kind != UET_PDC_KIND_REQ || !tx_is_like(&slot->pkt, like))
			break;
	}
	return n ? min3(n, max, end - tx->nxt) : 0;
}

/* The @n new packets from nxt on leave with these entropy values, now. */
static void tx_send_run(struct uet_pdc *pdc, const u16 *ev, u32 n, u64 now)
{
	struct uet_pdc_txh *tx = &pdc->tx;
	struct uet_pdc_slot *slot;
	u32 i;

	for (i = 0; !pdc->cc.ccc && i < n; i++)
		uet_pdc_slot(pdc, tx->nxt + i)->lane = uet_ev_lane(ev[i]);
	for (i = 0; i < n; i += slot->n) {
		slot = uet_pdc_slot(pdc, tx->nxt + i);
		slot->lane = uet_ev_lane(ev[i]);
		if (slot->n > n - i)
			uet_pdc_slot_cut(pdc, slot, n - i);
		tx_mark_sent(tx, slot, now);
	}
	tx->nxt += n;
	tx->nr_sent += n;
	pdc->stats.tx_req += n;
}

/*
 * uet_pdc_poll_tx_run() - send up to @max new packets that continue the one just built
 * @tx: result of the latest call on @pdc, uet_pdc_poll_tx()
 * @ev: result: their entropy values, space for @max
 *
 * The state is that after so many calls of uet_pdc_poll_tx().  Their results would be @tx
 * after as many calls of uet_pdc_tx_step().  Packets that need any more thought are left to
 * uet_pdc_poll_tx().  Return: number of packets.
 */
u32 uet_pdc_poll_tx_run(struct uet_pdc *pdc, const struct uet_pdc_tx *tx, u16 *ev, u32 max, u64 now)
{
	u32 n, i;

	if (tx->kind != UET_TX_REQ || tx->hdr.flags || !uet_wire_run_form(tx->hdr.next_hdr) ||
	    (tx->pkt.flags & UET_PKT_MARKS) || !tx_is_undisturbed(pdc))
		return 0;
	n = tx_run_length(pdc, &tx->pkt, max);
	if (pdc->cc.ccc && n)
		n = uet_pdc_cc_send_run(pdc, pdc->tx.nxt, n, ev, now);
	for (i = 0; !pdc->cc.ccc && i < n; i++)
		ev[i] = uet_ev_next(&pdc->ev);
	tx_send_run(pdc, ev, n, now);
	return n;
}

/*
 * uet_pdc_tx_step() - from the descriptor of a packet of a run to that of the next
 * @ev: entropy value, from uet_pdc_poll_tx_run()
 */
void uet_pdc_tx_step(struct uet_pdc_tx *tx, u16 ev)
{
	tx->hdr.u.req.psn++;
	tx->hdr.u.req.clear_off--;
	tx->pkt.offset += tx->pkt.len;
	tx->ev = ev;
}

/*
 * A refused packet that was sent twice may have been executed the first time.  The NACK of
 * a SACKED packet answers an ACK_REQUEST: the packet itself was received.
 */
static bool tx_is_unexecuted(const struct uet_pdc *pdc, const struct uet_pdc_slot *slot)
{
	if (!slot->sends)
		return true;
	return pdc->may_repeat && slot->psn == pdc->refused_psn &&
	       slot->sends == 1 && slot->state != UET_SLOT_SACKED;
}

static void tx_report(const struct uet_pdc *pdc, const struct uet_pdc_slot *slot,
		      struct uet_pdc_up *up)
{
	bool is_noop = slot->kind == UET_CP_NOOP;

	memset(up, 0, sizeof(*up));
	up->pkt = slot->pkt;
	if (slot->state == UET_SLOT_DONE) {
		up->kind = is_noop ? UET_UP_NOOP_ACKED : UET_UP_ACKED;
		up->rsp_opcode = slot->rsp_opcode;
		up->rc = slot->rc;
		up->ri_gen = slot->ri_gen;
		up->modified_length = slot->modified_length;
		up->list = slot->list;
		up->xmit = slot->xmit;
		up->answer = slot->answer;
		return;
	}
	up->kind = is_noop ? UET_UP_NOOP_FAILED : UET_UP_FAILED;
	up->error = pdc->error;
	up->nack_code = pdc->nack_code;
	up->is_unexecuted = tx_is_unexecuted(pdc, slot);
}

/*
 * uet_pdc_poll_up() - take the next outcome for SES
 *
 * Packets are reported in PSN order, each exactly once.  An answered packet is reported as
 * soon as all packets before it are answered; the others when the PDC is over.
 * Return: false if there is none; @up is unchanged then.
 */
bool uet_pdc_poll_up(struct uet_pdc *pdc, struct uet_pdc_up *up)
{
	struct uet_pdc_txh *tx = &pdc->tx;
	u32 end = uet_pdc_is_over(pdc) ? tx->write_seq : tx->una;
	struct uet_pdc_slot *slot;
	bool reports;

	while (tx->una_reported != end) {
		slot = uet_pdc_slot(pdc, tx->una_reported);
		if (slot->n > 1)
			uet_pdc_slot_cut(pdc, slot, 1);
		reports = slot->kind == UET_PDC_KIND_REQ || slot->reports;
		if (reports)
			tx_report(pdc, slot, up);
		uet_pdc_slot_free(pdc, slot);
		tx->una_reported++;
		tx->una = uet_psn_later(tx->una, tx->una_reported);
		tx->nxt = uet_psn_later(tx->nxt, tx->una_reported);
		if (reports)
			return true;
	}
	return false;
}

/*
 * SES learns no more from an outcome than that the packet has arrived: a response that reports
 * a generation or a list reports a length, too.
 */
static bool tx_slot_is_default(const struct uet_pdc_slot *slot)
{
	return slot->kind == UET_PDC_KIND_REQ &&
	       slot->rsp_opcode == UET_RSP_DEFAULT &&
	       slot->rc == UET_RC_OK && slot->modified_length == U32_MAX;
}

/*
 * uet_pdc_poll_up_run() - take the outcomes that are like the one just taken
 * @up: result of the latest call on @pdc, uet_pdc_poll_up()
 *
 * The outcome of each packet is that of @up: answered, with the default response that a
 * CACK_PSN implies.  Besides its offset and its serial numbers the packet is as @up->pkt,
 * without UET_PKT_MARKS.  The state is that after so many calls of uet_pdc_poll_up().
 * Return: number of outcomes.
 */
u32 uet_pdc_poll_up_run(struct uet_pdc *pdc, const struct uet_pdc_up *up)
{
	struct uet_pdc_txh *tx = &pdc->tx;
	struct uet_pdc_slot *slot;
	u32 psn, n;

	/* The slot of @up still has its outcome. */
	if (!tx_slot_is_default(uet_pdc_slot(pdc, tx->una_reported - 1)) ||
	    (up->pkt.flags & UET_PKT_MARKS) || uet_pdc_is_over(pdc))
		return 0;
	for (psn = tx->una_reported; psn != tx->una; psn += slot->n) {
		slot = uet_pdc_slot(pdc, psn);
		if (!tx_slot_is_default(slot) || !tx_is_like(&slot->pkt, &up->pkt))
			break;
		slot->state = UET_SLOT_FREE;
	}
	n = psn - tx->una_reported;
	tx->una_reported = psn;
	return n;
}
