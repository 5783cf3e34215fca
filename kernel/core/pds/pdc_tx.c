// SPDX-License-Identifier: GPL-2.0
/*
 * The send half: accepts packets from SES, assigns PSNs, transmits and
 * retransmits within the peer's window and the pause, and reports outcomes in
 * PSN order.  Loss detection is not done here.
 *
 * Implements UE 1.0.1 3.5.8.2 (SYN), 3.5.11 (PSNs, CLEAR_PSN of requests),
 * 3.5.12.2 (windows, AR) and 3.5.15 (retransmission).  Level: core L4.
 */
#include "pdc.h"
#include "pdc_credit.h"
#include "pdc_cc.h"

/*
 * Set up an empty send half.
 * Spec: UE 1.0.1 3.5.11: CACK_PSN and CLEAR_PSN start at Start_PSN - 1.
 */
void uet_pdc_tx_init(struct uet_pdc *pdc)
{
	struct uet_pdc_txh *tx = &pdc->tx;

	tx->una_reported = pdc->start_psn;
	tx->una = pdc->start_psn;
	tx->nxt = pdc->start_psn;
	tx->write_seq = pdc->start_psn;
	tx->cack = pdc->start_psn - 1;
	tx->clear_sent = pdc->start_psn - 1;
	tx->ar_psn = pdc->start_psn - UET_PDC_WINDOW_MAX;
	tx->reorder_window_psn = pdc->start_psn;
	tx->mpr_pkts = pdc->cfg->default_mpr * UET_MPR_UNIT;
	tx->xmit = 1;
	tx->rto_at = UET_NEVER;
	tx->reorder_at = UET_NEVER;
	tx->backoff_at = UET_NEVER;
	tx->tail.at = UET_NEVER;
	INIT_LIST_HEAD(&tx->sent);
	INIT_LIST_HEAD(&tx->lost);
}

static bool tx_has_slot(const struct uet_pdc *pdc)
{
	return uet_pdc_has_window(pdc) &&
	       pdc->tx.write_seq - pdc->tx.una_reported < pdc->cfg->window;
}

/* The last PSNs of a secure PDC are reserved for closing it. */
static bool tx_has_psn(const struct uet_pdc *pdc)
{
	return uet_pdc_psn_left(pdc) > UET_PDC_WINDOW_MAX;
}

/**
 * uet_pdc_tx_space() - may SES hand a packet down?
 * @pdc: PDC
 *
 * Return: true if uet_pdc_tx_req() would accept a packet now.
 */
bool uet_pdc_tx_space(const struct uet_pdc *pdc)
{
	return tx_has_slot(pdc) && tx_has_psn(pdc) &&
	       uet_pdc_allows(pdc, UET_PDC_EV_TX);
}

static struct uet_pdc_slot *tx_new_slot(struct uet_pdc *pdc, u8 kind)
{
	struct uet_pdc_slot *slot = uet_pdc_slot(pdc, pdc->tx.write_seq);

	slot->psn = pdc->tx.write_seq++;
	slot->state = UET_SLOT_READY;
	slot->kind = kind;
	slot->sends = 0;
	slot->nacks = 0;
	slot->nacks_in_row = 0;
	slot->backoff_until = 0;
	slot->reports = false;
	slot->bypass_cc = false;
	return slot;
}

/**
 * uet_pdc_tx_req() - accept a request packet from SES
 * @pdc: PDC for which uet_pdc_tx_space() is true
 * @pkt: the packet; copied
 * @now: monotonic time, ns
 *
 * Context: Any; the caller serialises per @pdc, and runs the run loop next.
 * Return: PSN of the packet.
 */
u32 uet_pdc_tx_req(struct uet_pdc *pdc, const struct uet_pds_pkt *pkt, u64 now)
{
	struct uet_pdc_slot *slot;
	bool space = uet_pdc_tx_space(pdc);

	UET_ASSERT(space);
	if (!space)
		return pdc->tx.write_seq;
	slot = tx_new_slot(pdc, UET_PDC_KIND_REQ);
	slot->pkt = *pkt;
	uet_pdc_cc_queue(pdc, slot, 1, now);
	pdc->active_ns = now;
	uet_pdc_event(pdc, UET_PDC_EV_TX, now);
	return slot->psn;
}

/* Packets that uet_pdc_tx_req() would accept one after the other. */
static u32 tx_space(const struct uet_pdc *pdc)
{
	const struct uet_pdc_txh *tx = &pdc->tx;

	if (!uet_pdc_tx_space(pdc))
		return 0;
	return min(pdc->cfg->window - (tx->write_seq - tx->una_reported),
		   uet_pdc_psn_left(pdc) - UET_PDC_WINDOW_MAX);
}

/**
 * uet_pdc_tx_reqs() - accept a run of request packets from SES
 * @pdc: PDC
 * @pkt: the first packet; each further one differs in its offset only, and begins
 *	where the one before ends
 * @n: number of packets
 * @now: monotonic time, ns
 *
 * The result is that of uet_pdc_tx_req() for each packet.
 *
 * Context: Any; the caller serialises per @pdc, and runs the run loop next.
 * Return: number of packets accepted, less than @n if there is no space for more.
 */
u32 uet_pdc_tx_reqs(struct uet_pdc *pdc, const struct uet_pds_pkt *pkt, u32 n,
		    u64 now)
{
	struct uet_pds_pkt next = *pkt;
	struct uet_pdc_slot *slot;
	u32 i;

	n = min(n, tx_space(pdc));
	if (!n)
		return 0;
	for (i = 0; i < n; i++) {
		slot = tx_new_slot(pdc, UET_PDC_KIND_REQ);
		slot->pkt = next;
		next.offset += next.len;
	}
	uet_pdc_cc_queue(pdc, slot, n, now);
	pdc->active_ns = now;
	uet_pdc_event(pdc, UET_PDC_EV_TX, now);
	return n;
}

/*
 * Queue a control packet that takes a PSN.
 * @ctl_type: UET_CP_NOOP, UET_CP_NEGOTIATION, UET_CP_CLOSE_COMMAND or
 *	UET_CP_CLOSE_REQUEST
 *
 * Return: false if the window is full, or there is none; nothing is queued then.
 * Spec: UE 1.0.1 3.5.16.
 */
bool uet_pdc_tx_add_cp(struct uet_pdc *pdc, u8 ctl_type, u64 now)
{
	struct uet_pdc_slot *slot;

	if (!tx_has_slot(pdc))
		return false;
	slot = tx_new_slot(pdc, ctl_type);
	memset(&slot->pkt, 0, sizeof(slot->pkt));
	pdc->active_ns = now;
	return true;
}

/*
 * Send a NOOP whose outcome is reported.
 * @pdc: PDC, possibly one that has sent nothing yet
 * @cookie: returned with the outcome; opaque here
 *
 * A NOOP goes through the window like a request.  A lost NOOP is retransmitted,
 * and uet_pdc_poll_up() yields the outcome in PSN order.
 *
 * Context: Any; the caller serialises per @pdc, and runs the run loop next.
 * Return: false if there is no space or the PDC is closing; nothing is sent
 *	then.
 * Spec: UE 1.0.1 3.5.16.
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
 * Offer the features of this implementation.
 * @pdc: PDC, possibly one that has sent nothing yet
 *
 * Context: Any; the caller serialises per @pdc, and runs the run loop next.
 * Return: false if there is no space or the PDC is closing; nothing is sent then.
 * Spec: UE 1.0.3 3.5.16.7.1: PDS_NEG_ON_OFF.
 */
bool uet_pdc_tx_negotiate(struct uet_pdc *pdc, u64 now)
{
	return uet_pdc_tx_space(pdc) &&
	       uet_pdc_tx_add_cp(pdc, UET_CP_NEGOTIATION, now);
}

/* UE 1.0.1 3.5.12.2: the peer accepts PSNs up to the highest CACK_PSN plus MP_RANGE. */
static bool tx_peer_has_space(const struct uet_pdc_txh *tx)
{
	return uet_psn_diff(tx->nxt, tx->cack) <= tx->mpr_pkts;
}

/*
 * Is the peer's window closed with nothing in flight?
 *
 * Everything sent is answered, but CACK_PSN waits for a CLEAR_PSN that may have
 * been lost.  So no answer is in flight that could open the window.
 *
 * Return: true if the PDC is stalled.
 * Spec: UE 1.0.1 3.5.11.4.
 */
bool uet_pdc_tx_is_stalled(const struct uet_pdc *pdc)
{
	const struct uet_pdc_txh *tx = &pdc->tx;

	return tx->una == tx->nxt && tx->nxt != tx->write_seq &&
	       !tx_peer_has_space(tx);
}

/* The next packet to send, or NULL if none may be sent. */
static struct uet_pdc_slot *tx_pick(const struct uet_pdc *pdc)
{
	const struct uet_pdc_txh *tx = &pdc->tx;
	struct uet_pdc_slot *slot;

	if (tx->pause.on &&
	    (tx->pause.until || tx->pause.inflight >= tx->pause.space))
		return NULL;
	list_for_each_entry(slot, &tx->lost, link) {
		if (!slot->backoff_until)
			return slot;
		if (pdc->mode == UET_PDC_ROD)
			return NULL;
	}
	if (tx->nxt != tx->write_seq && tx_peer_has_space(tx))
		return uet_pdc_slot(pdc, tx->nxt);
	return NULL;
}

static bool tx_has_syn(const struct uet_pdc *pdc)
{
	return pdc->state == UET_PDC_ST_SYN_SENT;
}

/* Every packet with SYN carries this, because any of them may open the PDC. */
static u8 tx_pdc_info(const struct uet_pdc *pdc)
{
	return pdc->is_reserved ? UET_PDC_INFO_RSV : 0;
}

/*
 * This packet fills the window.  If the window is the limit, this holds for
 * every packet, so AR is set at most once per half window.
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
static bool tx_wants_ack(const struct uet_pdc *pdc,
			 const struct uet_pdc_slot *slot)
{
	return slot->kind != UET_PDC_KIND_REQ || slot->sends ||
	       tx_has_syn(pdc) || pdc->tx.pause.on ||
	       (slot->pkt.flags & UET_PKT_TAIL) ||
	       tx_fills_window(pdc, slot->psn);
}

static u8 tx_flags(struct uet_pdc *pdc, const struct uet_pdc_slot *slot,
		   bool wants_ack)
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

/* UE 1.0.1 3.5.8.2: SYN with psn_offset until the peer's PDCID is known. */
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
		req->pdc_info = tx_pdc_info(pdc);
	} else {
		req->dpdcid = pdc->peer_pdcid;
	}
	uet_pdc_cp_clear_sent(pdc);
}

static void tx_build_cp(struct uet_pdc *pdc, const struct uet_pdc_slot *slot,
			struct uet_pdc_tx *out)
{
	struct uet_cp *cp = &out->hdr.u.cp;

	uet_pdc_cp_build(pdc, out, slot->kind, slot->psn);
	out->ev = uet_ev_next(&pdc->ev);
	out->hdr.flags |= tx_flags(pdc, slot, false);
	if (!uet_wire_ctl(slot->kind)->may_syn)
		return;
	if (pdc->mode == UET_PDC_ROD)
		out->hdr.flags |= UET_F_ISROD;
	if (tx_has_syn(pdc)) {
		out->hdr.flags |= UET_F_SYN;
		cp->psn_offset = slot->psn - pdc->start_psn;
		cp->pdc_info = tx_pdc_info(pdc);
	}
	if (slot->kind == UET_CP_NEGOTIATION) {
		cp->payload = UET_CP_NEG_ON_OFF;
		cp->neg_mask = UET_PDS_FEATURES_OFFERED;
	}
}

static void tx_note_sent(struct uet_pdc *pdc, struct uet_pdc_slot *slot,
			 u64 now)
{
	struct uet_pdc_txh *tx = &pdc->tx;

	if (slot->state == UET_SLOT_LOST) {
		list_del_init(&slot->link);
		tx->nr_lost--;
	} else {
		tx->nxt++;
	}
	slot->state = UET_SLOT_SENT;
	slot->bypass_cc = false;
	list_add_tail(&slot->link, &tx->sent);
	tx->nr_sent++;
	slot->sent_ns = now;
	if (!slot->sends)
		slot->first_ns = now;
	slot->xmit = tx->xmit++;
	if (slot->sends < U8_MAX)
		slot->sends++;
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

/*
 * Build the next packet with a PSN.
 *
 * Lost packets precede new ones, lowest PSN first.  A request may be blocked by
 * congestion control, and blocks the packets behind it.
 *
 * Return: false if none may be sent; @tx is unchanged then.
 */
bool uet_pdc_tx_poll_slot(struct uet_pdc *pdc, struct uet_pdc_tx *tx, u64 now)
{
	struct uet_pdc_slot *slot = tx_pick(pdc);
	bool is_req = slot && slot->kind == UET_PDC_KIND_REQ;
	struct uet_cc_send send;

	pdc->cc.waits = is_req && !uet_pdc_cc_send(pdc, slot, now, &send);
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

/* Nothing goes ahead of new packets, or holds them up. */
static bool tx_is_undisturbed(const struct uet_pdc *pdc)
{
	const struct uet_pdc_txh *tx = &pdc->tx;

	return !tx->pause.on && !tx->nr_lost && !tx->nr_ack_requests &&
	       tx->backoff_at == UET_NEVER && !pdc->rx.gtd_request_pending &&
	       !uet_pdc_has_answer(pdc);
}

/*
 * Nothing is to be sent, and none of the steps of uet_pdc_poll_tx() would change anything.
 * Nearly every run loop ends in this state.
 */
static bool tx_is_quiet(const struct uet_pdc *pdc)
{
	const struct uet_pdc_txh *tx = &pdc->tx;
	u32 used = tx->write_seq - pdc->start_psn;

	return pdc->state == UET_PDC_ST_ESTABLISHED && uet_pdc_cc_is_quiet(pdc) &&
	       tx->nxt == tx->write_seq && tx_is_undisturbed(pdc) &&
	       !tx->clear_wanted && !tx->tail.wanted && !pdc->credit.is_pending &&
	       used < UET_PDC_PSN_SPAN;
}

/**
 * uet_pdc_is_at_rest() - has the run loop nothing to do now?
 * @pdc: PDC
 *
 * This is the normal state, between two ACKs, of a target that only receives, and of an
 * initiator all of whose messages have ended.  An initiator with congestion control reports
 * each change to its context, for which other PDCs wait.
 *
 * Return: true if no packet and no outcome is pending, and nothing happens
 *	before uet_pdc_deadline() without a packet or a call of SES.
 */
bool uet_pdc_is_at_rest(const struct uet_pdc *pdc)
{
	const struct uet_pdc_txh *tx = &pdc->tx;

	if (uet_pdc_is_over(pdc) || tx->una_reported != tx->write_seq)
		return false;
	if (pdc->role == UET_PDC_INITIATOR)
		return !pdc->cc.ccc && tx_is_quiet(pdc) &&
		       uet_pdc_takes_messages(pdc);
	return !uet_pdc_has_answer(pdc) && !tx->clear_wanted &&
	       !pdc->rx.gtd_request_pending && !pdc->credit.is_pending;
}

/**
 * uet_pdc_poll_tx() - build the most urgent pending packet
 * @pdc: PDC
 * @tx: result
 * @now: monotonic time, ns
 *
 * The order is: ACKs and NACKs; ACK_REQUESTs and CLEAR_REQUESTs;
 * retransmissions; new packets; a CLEAR_COMMAND, if no request carries
 * CLEAR_PSN instead; Credit and Credit Requests; a Probe.  A packet returned
 * counts as sent: a caller that drops the packet relies on time-outs.
 *
 * Context: Any; the caller serialises per @pdc and calls until nothing is
 *	pending or its budget is used up.
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
	uet_pdc_close_step(pdc, now);
	if (uet_pdc_is_over(pdc))
		return false;
	return uet_pdc_poll_answer(pdc, tx, now) ||
	       uet_pdc_cp_poll_ask(pdc, tx) ||
	       uet_pdc_gtd_poll(pdc, tx, now) ||
	       uet_pdc_tx_poll_slot(pdc, tx, now) ||
	       uet_pdc_cp_poll_clear(pdc, tx, now) ||
	       uet_pdc_credit_poll(pdc, tx, now) ||
	       uet_pdc_tail_poll(pdc, tx, now);
}

/* Nothing is more urgent than the packets behind @tx, and @tx has no flags of its own. */
static bool tx_has_run(const struct uet_pdc *pdc, const struct uet_pdc_tx *tx)
{
	return tx->kind == UET_TX_REQ && !tx->hdr.flags &&
	       uet_wire_run_form(tx->hdr.next_hdr) &&
	       !(tx->pkt.flags & UET_PKT_MARKS) && tx_is_undisturbed(pdc);
}

/* Do two packets of a message have the same headers but for the offset? */
static bool tx_is_like(const struct uet_pds_pkt *a, const struct uet_pds_pkt *b)
{
	return a->msg == b->msg && a->len == b->len && a->flags == b->flags &&
	       a->next_hdr == b->next_hdr;
}

/*
 * How many new packets continue @like, at most @max?  None of them fills a window or requests
 * an ACK.
 */
static u32 tx_run_length(const struct uet_pdc *pdc, const struct uet_pds_pkt *like,
			 u32 max)
{
	const struct uet_pdc_txh *tx = &pdc->tx;
	u32 full = uet_psn_earlier(tx->cack + tx->mpr_pkts,
				   tx->una_reported + pdc->cfg->window - 1);
	u32 end = uet_psn_earlier(full, tx->write_seq);
	const struct uet_pdc_slot *slot;
	u32 n;

	for (n = 0; n < max && uet_psn_before(tx->nxt + n, end); n++) {
		slot = uet_pdc_slot(pdc, tx->nxt + n);
		if (slot->kind != UET_PDC_KIND_REQ || !tx_is_like(&slot->pkt, like))
			break;
	}
	return n;
}

/**
 * uet_pdc_poll_tx_run() - send new packets that continue the one just built
 * @pdc: PDC
 * @tx: result of the latest call on @pdc, uet_pdc_poll_tx()
 * @ev: result: their entropy values, space for @max
 * @max: most packets
 * @now: as for uet_pdc_poll_tx()
 *
 * The state is that after so many calls of uet_pdc_poll_tx().  Their results would
 * be @tx after as many calls of uet_pdc_tx_step().  Packets that need any more
 * thought are left to uet_pdc_poll_tx().
 *
 * Return: number of packets, 0 to @max.
 */
u32 uet_pdc_poll_tx_run(struct uet_pdc *pdc, const struct uet_pdc_tx *tx,
			u16 *ev, u32 max, u64 now)
{
	struct uet_pdc_txh *txh = &pdc->tx;
	struct uet_pdc_slot *slot;
	u32 n, i;

	if (!tx_has_run(pdc, tx))
		return 0;
	n = tx_run_length(pdc, &tx->pkt, max);
	n = uet_pdc_cc_send_run(pdc, txh->nxt, n, ev, now);
	for (i = 0; i < n; i++) {
		slot = uet_pdc_slot(pdc, txh->nxt + i);
		slot->state = UET_SLOT_SENT;
		list_add_tail(&slot->link, &txh->sent);
		slot->sent_ns = now;
		slot->first_ns = now;
		slot->xmit = txh->xmit++;
		slot->sends = 1;
		slot->lane = uet_ev_lane(ev[i]);
	}
	txh->nxt += n;
	txh->nr_sent += n;
	pdc->stats.tx_req += n;
	return n;
}

/**
 * uet_pdc_tx_step() - the descriptor of the next packet of a run
 * @tx: descriptor of the packet before it, changed
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
static bool tx_is_unexecuted(const struct uet_pdc *pdc,
			     const struct uet_pdc_slot *slot)
{
	if (!slot->sends)
		return true;
	return pdc->may_repeat && slot->psn == pdc->refused_psn &&
	       slot->sends == 1 && slot->state != UET_SLOT_SACKED;
}

static void tx_report(const struct uet_pdc *pdc,
		      const struct uet_pdc_slot *slot, struct uet_pdc_up *up)
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

/**
 * uet_pdc_poll_up() - take the next outcome for SES
 * @pdc: PDC
 * @up: result
 *
 * Packets are reported in PSN order, each exactly once.  An answered packet is
 * reported as soon as all packets before it are answered; the others when the
 * PDC is over.
 *
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

/* Does SES learn no more from an outcome than that the packet has arrived? */
static bool tx_is_default(const struct uet_pdc_up *up)
{
	return up->kind == UET_UP_ACKED && up->rsp_opcode == UET_RSP_DEFAULT &&
	       up->rc == UET_RC_OK && up->modified_length == U32_MAX &&
	       !up->ri_gen && up->list == UET_LIST_EXPECTED;
}

static bool tx_slot_is_default(const struct uet_pdc_slot *slot)
{
	return slot->kind == UET_PDC_KIND_REQ &&
	       slot->rsp_opcode == UET_RSP_DEFAULT &&
	       slot->rc == UET_RC_OK && slot->modified_length == U32_MAX &&
	       !slot->ri_gen && slot->list == UET_LIST_EXPECTED;
}

/**
 * uet_pdc_poll_up_run() - take the outcomes that are like the one just taken
 * @pdc: PDC
 * @up: result of the latest call on @pdc, uet_pdc_poll_up()
 *
 * The outcome of each packet is that of @up: answered, with the default response
 * that a CACK_PSN implies.  Besides its offset and its serial numbers the packet
 * is as @up->pkt, without UET_PKT_MARKS.  The state is that after so many calls of
 * uet_pdc_poll_up().
 *
 * Return: number of outcomes.
 */
u32 uet_pdc_poll_up_run(struct uet_pdc *pdc, const struct uet_pdc_up *up)
{
	struct uet_pdc_txh *tx = &pdc->tx;
	struct uet_pdc_slot *slot;
	u32 psn, n;

	if (!tx_is_default(up) || (up->pkt.flags & UET_PKT_MARKS) ||
	    uet_pdc_is_over(pdc))
		return 0;
	for (psn = tx->una_reported; psn != tx->una; psn++) {
		slot = uet_pdc_slot(pdc, psn);
		if (!tx_slot_is_default(slot) ||
		    !tx_is_like(&slot->pkt, &up->pkt))
			break;
		slot->state = UET_SLOT_FREE;
	}
	n = psn - tx->una_reported;
	tx->una_reported = psn;
	return n;
}
