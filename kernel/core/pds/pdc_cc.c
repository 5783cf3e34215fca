// SPDX-License-Identifier: GPL-2.0
/*
 * The events that a PDC reports to its congestion control context, which decides what packets may
 * be sent.  PDCs with locks of their own share the context, so each event is reported under the
 * context's lock.  Control packets, ACKs and NACKs are not subject to congestion control, except
 * those that the context requests.
 *
 * Retransmissions wait for window space and credit, as new packets do.  Bytes of a lost or refused
 * packet no longer count as in flight, so that the window cannot be full of packets that will
 * never be acknowledged.  Only a packet whose RTO fired bypasses the context (UE 1.0.1 3.5.15):
 * the context may never open again.
 *
 * Implements UE 1.0.1 3.6.12.4 (events, the side of the PDC).  Level: core L4.
 */
#include "pdc.h"

static bool cc_has(const struct uet_pdc *pdc, const struct uet_pdc_slot *slot)
{
	return pdc->cc.ccc && slot->kind == UET_PDC_KIND_REQ;
}

/* The nominal size of a packet, as the destination counts it. */
static u16 cc_size(const struct uet_pdc *pdc, const struct uet_pdc_slot *slot)
{
	const struct uet_pds_pkt *pkt = &slot->pkt;
	u32 len = pdc->cc.overhead + uet_wire_nh(pkt->next_hdr)->len + UET_PKT_EXT_LEN(pkt->flags);

	if (!(pkt->flags & UET_PKT_BARE))
		len += pkt->len;
	return uet_cc_nominal(len);
}

/* UE 1.0.1 3.6.12.4 (new data): @n packets are to be sent, @slot and others like it. */
void uet_pdc_cc_queue(struct uet_pdc *pdc, const struct uet_pdc_slot *slot, u32 n, u64 now)
{
	struct uet_ccc *ccc = pdc->cc.ccc;

	if (!cc_has(pdc, slot))
		return;
	now = uet_ccc_take(ccc, now);
	uet_ccc_new_data(ccc, (u64)n * cc_size(pdc, slot), now);
	uet_lock_drop(&ccc->lock);
}

/* A PDC without a quantum may not overtake PDCs that wait for the window. */
static bool cc_has_quantum(const struct uet_pdc *pdc)
{
	return pdc->cc.quantum || !pdc->cc.ccc->nr_waiting;
}

/* No packet of this PDC reached the peer or is in flight. */
static bool cc_is_unknown(const struct uet_pdc *pdc)
{
	return !pdc->peer_pdcid && !pdc->tx.nr_sent;
}

static bool cc_may_send(const struct uet_pdc *pdc, const struct uet_pdc_slot *slot)
{
	return slot->bypass_cc ||
	       (cc_is_unknown(pdc) &&
		uet_ccc_may_send_unsolicited(pdc->cc.ccc)) ||
	       (pdc->cc.ccc->state == UET_CCC_READY && cc_has_quantum(pdc));
}

/*
 * In-order delivery needs a single path.  A context shared by PDCs spreads its packets, so
 * a ROD PDC takes the entropy value from its own state.
 */
static bool cc_has_paths(const struct uet_pdc *pdc)
{
	return pdc->cc.ccc->ev && pdc->mode != UET_PDC_ROD;
}

/*
 * UE 1.0.1 3.6.12.4 (OnSend, GetSendParams), 3.5.15: send a request now, if the context
 * permits; else nothing changes.
 */
bool uet_pdc_cc_send(struct uet_pdc *pdc, const struct uet_pdc_slot *slot, u64 now,
		     struct uet_cc_send *send)
{
	struct uet_cc_pkt *pkt = uet_pdc_cc_pkt(pdc, slot);
	struct uet_ccc *ccc = pdc->cc.ccc;
	u16 size = cc_size(pdc, slot);
	bool may_send;

	now = uet_ccc_take(ccc, now);
	may_send = cc_may_send(pdc, slot);
	if (may_send)
		uet_ccc_send(ccc, pkt, size, now, send);
	uet_lock_drop(&ccc->lock);
	if (!may_send)
		return false;
	if (pdc->cc.quantum)
		pdc->cc.quantum--;
	if (!cc_has_paths(pdc))
		send->ev = uet_ev_next(&pdc->ev);
	pkt->ev = send->ev;
	return true;
}

/*
 * Send new requests that continue the one just sent, as far as the context permits: from @psn
 * on, where a run begins.  They are alike.  @ev gets their entropy values.  Return: number of
 * packets, at most @n.
 */
u32 uet_pdc_cc_send_run(struct uet_pdc *pdc, u32 psn, u32 n, u16 *ev, u64 now)
{
	u16 size = cc_size(pdc, uet_pdc_slot(pdc, psn));
	struct uet_ccc *ccc = pdc->cc.ccc;
	u32 first = psn - pdc->start_psn, mask = pdc->cfg->window - 1U;
	bool has_paths = cc_has_paths(pdc);
	const struct uet_pdc_slot *slot;
	struct uet_cc_pkt *pkt;
	u32 i;

	if (pdc->cc.quantum)
		n = min(n, pdc->cc.quantum);
	now = uet_ccc_take(ccc, now);
	n = cc_has_quantum(pdc) ? uet_ccc_run_room(ccc, size, n) : 0;
	if (has_paths)
		uet_ev_sel_run(ccc->ev, ev, n, ccc->free_ports);
	for (i = 0; !has_paths && i < n; i++)
		ev[i] = uet_ev_next(&pdc->ev);
	for (i = 0; i < n; i++)
		pdc->cc.pkts[(first + i) & mask].ev = ev[i];
	for (i = 0; i < n; i += slot->n) {
		slot = uet_pdc_slot(pdc, psn + i);
		pkt = uet_pdc_cc_pkt(pdc, slot);
		pkt->sent_ns = now;
		pkt->size = size;
		pkt->state = UET_CC_PKT_OUT;
		pkt->sends = 1;
	}
	if (n)
		uet_ccc_run_sent(ccc, size, n, now);
	uet_lock_drop(&ccc->lock);
	if (pdc->cc.quantum)
		pdc->cc.quantum -= n;
	return n;
}

/*
 * uet_pdc_cc_set_ev() - record the entropy values of a run in the order of departure
 * @ev: the values of uet_pdc_poll_tx_run(), in another order
 */
void uet_pdc_cc_set_ev(struct uet_pdc *pdc, u32 psn, const u16 *ev, u32 n)
{
	struct uet_pdc_slot *slot;
	u32 i;

	for (i = 0; i < n; i++) {
		slot = uet_pdc_slot(pdc, psn + i);
		slot->lane = uet_ev_lane(ev[i]);
		if (pdc->cc.ccc)
			uet_pdc_cc_pkt(pdc, slot)->ev = ev[i];
	}
}

/*
 * uet_pdc_cc_waits() - does the context block what is left after the run loop?
 */
bool uet_pdc_cc_waits(const struct uet_pdc *pdc)
{
	return pdc->cc.waits && !uet_pdc_is_over(pdc);
}

/*
 * uet_pdc_cc_give_quantum() - let a waiting PDC send packets before other waiting PDCs
 */
void uet_pdc_cc_give_quantum(struct uet_pdc *pdc, u32 packets)
{
	pdc->cc.quantum = packets;
}

/* The NSCC state of an ACK, or NULL. */
static const struct uet_ack_nscc *cc_nscc(const struct uet_pds_hdr *hdr)
{
	const struct uet_ack *ack = &hdr->u.ack;

	return hdr->type == UET_TY_ACK_CC && ack->cc_type == UET_CC_NSCC ? &ack->state.nscc : NULL;
}

/*
 * An ACK is about to be applied.  @named is the request in flight that it names, or NULL.
 * UE 1.0.1 3.6.13: the round trip is that of the packet the ACK
 * names.  A destination may put credit into any ACK.
 */
void uet_pdc_cc_ack_begin(struct uet_pdc *pdc, const struct uet_pds_hdr *hdr,
			  const struct uet_pdc_slot *named, const struct uet_rx_info *in, u64 now)
{
	const struct uet_ack_nscc *nscc = cc_nscc(hdr);
	struct uet_cc_ack *ack = pdc->cc.ack;

	memset(ack, 0, sizeof(*ack));
	pdc->cc.ack_bytes = 0;
	ack->has_credit = hdr->type == UET_TY_ACK_CC && hdr->u.ack.cc_type == UET_CC_CREDIT;
	if (ack->has_credit)
		ack->credit = hdr->u.ack.state.credit.credit;
	if (!named)
		return;
	ack->ev = in->ev;
	ack->has_ev = pdc->mode == UET_PDC_RUD;
	ack->is_marked = hdr->flags & UET_F_M;
	if (nscc)
		ack->rtt_ns = uet_cc_sample(uet_pdc_cc_pkt(pdc, named), hdr->flags & UET_F_RETX,
					    nscc->service_time, now);
}

/*
 * The context has counted the packet as acknowledged or forgotten: a retransmission counts
 * as a new packet.
 */
static bool cc_is_new_again(const struct uet_pdc *pdc, const struct uet_pdc_slot *slot)
{
	return uet_pdc_cc_pkt(pdc, slot)->state == UET_CC_PKT_NONE;
}

static bool cc_is_queued(const struct uet_pdc *pdc, const struct uet_pdc_slot *slot)
{
	return (slot->state == UET_SLOT_READY || slot->state == UET_SLOT_LOST) &&
	       cc_is_new_again(pdc, slot);
}

/* A packet that was to be sent as a new one is covered by an ACK. */
void uet_pdc_cc_unqueue(struct uet_pdc *pdc, const struct uet_pdc_slot *slot)
{
	struct uet_ccc *ccc = pdc->cc.ccc;
	u64 now;

	if (!cc_has(pdc, slot) || !cc_is_queued(pdc, slot))
		return;
	now = uet_ccc_take(ccc, pdc->active_ns);
	uet_ccc_unqueue(ccc, cc_size(pdc, slot), now);
	uet_lock_drop(&ccc->lock);
}

static bool cc_ack_has_new(const struct uet_cc_ack *ack)
{
	return ack->new_bytes || ack->acked_pkts || ack->found_pkts ||
	       ack->has_ev || ack->has_credit;
}

/*
 * When nothing is in flight the context resets its inflight, and thus the difference that
 * this PDC had accumulated.
 */
static void cc_note_idle(struct uet_pdc *pdc)
{
	if (pdc->cc.idle_epoch == pdc->cc.ccc->idle_epochs)
		return;
	pdc->cc.idle_epoch = pdc->cc.ccc->idle_epochs;
	pdc->cc.ahead = 0;
}

/*
 * When no packet of this PDC is in flight or lost, bytes received and bytes acknowledged
 * must agree.  Any difference is settled with the context.
 */
static void cc_settle(struct uet_pdc *pdc, u64 now)
{
	cc_note_idle(pdc);
	if (!pdc->cc.ahead || pdc->tx.nr_sent || pdc->tx.nr_lost)
		return;
	uet_ccc_settle(pdc->cc.ccc, pdc->cc.ahead, now);
	pdc->cc.ahead = 0;
}

/*
 * UE 1.0.1 3.6.12.4 (ACK).  If the destination does not count bytes, the bytes it
 * acknowledges stand for the bytes it received.
 */
void uet_pdc_cc_ack_end(struct uet_pdc *pdc, const struct uet_pds_hdr *hdr, u64 now)
{
	const struct uet_ack_nscc *nscc = cc_nscc(hdr);
	struct uet_cc_ack *ack = pdc->cc.ack;
	struct uet_ccc *ccc = pdc->cc.ccc;

	ack->new_bytes = pdc->cc.ack_bytes;
	if (nscc) {
		ack->new_bytes = uet_cc_rcvd_new(&pdc->cc.seen, nscc->rcvd_bytes);
		ack->restore_cwnd = nscc->restore_cwnd;
		ack->cwnd_pend = nscc->rcv_cwnd_pend;
	}
	if (!cc_ack_has_new(ack) && !pdc->cc.ahead)
		return;
	now = uet_ccc_take(ccc, now);
	cc_note_idle(pdc);
	pdc->cc.ahead += (s64)ack->new_bytes - pdc->cc.ack_bytes;
	if (cc_ack_has_new(ack))
		uet_ccc_ack(ccc, ack, now);
	cc_settle(pdc, now);
	uet_lock_drop(&ccc->lock);
}

/*
 * Read the congestion information of a NACK for a packet in flight.  A NACK has no service
 * time: it is sent without delay, so zero is assumed.
 */
void uet_pdc_cc_read_nack(const struct uet_pdc *pdc, const struct uet_pds_hdr *hdr,
			  const struct uet_rx_info *in, struct uet_cc_nack *nack, u64 now)
{
	const struct uet_pdc_slot *slot = uet_pdc_slot(pdc, hdr->u.nack.psn);

	if (!cc_has(pdc, slot))
		return;
	*nack = (struct uet_cc_nack) {
		.rtt_ns = uet_cc_sample_ns(uet_pdc_cc_pkt(pdc, slot),
					   hdr->flags & UET_F_RETX, 0, now),
		.ev = in->ev,
		.has_ev = pdc->mode == UET_PDC_RUD,
		.is_marked = hdr->flags & UET_F_M,
		.code = hdr->u.nack.code,
	};
}

/* UE 1.0.1 3.6.12.4 (NACK) */
void uet_pdc_cc_nacked(struct uet_pdc *pdc, const struct uet_pdc_slot *slot,
		       const struct uet_cc_nack *nack, u64 now)
{
	struct uet_ccc *ccc = pdc->cc.ccc;

	if (!cc_has(pdc, slot))
		return;
	if (cc_is_new_again(pdc, slot)) {
		uet_pdc_cc_queue(pdc, slot, 1, now);
		return;
	}
	now = uet_ccc_take(ccc, now);
	uet_ccc_nack(ccc, uet_pdc_cc_pkt(pdc, slot), nack, now);
	uet_lock_drop(&ccc->lock);
}

/* UE 1.0.1 3.6.12.4 (inferred loss) */
void uet_pdc_cc_lost(struct uet_pdc *pdc, struct uet_pdc_slot *slot, enum uet_cc_loss why, u64 now)
{
	struct uet_ccc *ccc = pdc->cc.ccc;

	if (!cc_has(pdc, slot))
		return;
	if (cc_is_new_again(pdc, slot)) {
		uet_pdc_cc_queue(pdc, slot, 1, now);
		return;
	}
	now = uet_ccc_take(ccc, now);
	uet_ccc_loss(ccc, uet_pdc_cc_pkt(pdc, slot), why, now);
	uet_lock_drop(&ccc->lock);
}

/* A packet without an answer leaves the context, before it becomes FREE. */
void uet_pdc_cc_forget(struct uet_pdc *pdc, const struct uet_pdc_slot *slot)
{
	struct uet_ccc *ccc = pdc->cc.ccc;
	struct uet_cc_pkt *pkt;
	bool is_queued;

	if (!cc_has(pdc, slot))
		return;
	pkt = uet_pdc_cc_pkt(pdc, slot);
	is_queued = cc_is_queued(pdc, slot);
	if (!is_queued && pkt->state == UET_CC_PKT_NONE)
		return;
	uet_lock_take(&ccc->lock);
	if (is_queued)
		uet_ccc_unqueue(ccc, cc_size(pdc, slot), pdc->active_ns);
	else
		uet_ccc_forget(ccc, pkt, pdc->active_ns);
	cc_settle(pdc, pdc->active_ns);
	uet_lock_drop(&ccc->lock);
}

/* This PDC waits only for credit of its peer, and will send Credit Requests. */
bool uet_pdc_cc_awaits_credit(struct uet_pdc *pdc)
{
	struct uet_ccc *ccc = pdc->cc.ccc;
	bool awaits;

	if (!pdc->cc.waits || !pdc->peer_pdcid)
		return false;
	uet_lock_take(&ccc->lock);
	awaits = uet_ccc_may_send_unsolicited(ccc) && !ccc->grant->can_send(ccc) &&
		 !ccc->rccc.is_unpaced;
	uet_lock_drop(&ccc->lock);
	return awaits;
}

/*
 * UE 1.0.1 3.6.13 (base RTT), 3.6.14: must a Credit Request with @target, 24 bits, be sent
 * now?  True once per request of the context, which may request a Probe instead.  The
 * peer's PDCID is known.
 */
bool uet_pdc_cc_wants_credit(struct uet_pdc *pdc, u32 *target, u64 now)
{
	struct uet_ccc *ccc = pdc->cc.ccc;
	enum uet_cc_cp cp;

	now = uet_ccc_take(ccc, now);
	cp = uet_ccc_poll_cp(ccc, now, target);
	uet_lock_drop(&ccc->lock);
	pdc->cc.wants_probe |= cp == UET_CC_CP_PROBE;
	return cp == UET_CC_CP_CREDIT_REQUEST;
}

/* UE 1.0.1 3.6.12.4 (credit update) */
void uet_pdc_cc_credit(struct uet_pdc *pdc, u32 credit, u64 now)
{
	struct uet_ccc *ccc = pdc->cc.ccc;

	if (!ccc)
		return;
	now = uet_ccc_take(ccc, now);
	uet_ccc_credit(ccc, credit, now);
	uet_lock_drop(&ccc->lock);
}

/* When must the context, for which the PDC waits, be polled for control packets? */
u64 uet_pdc_cc_deadline(const struct uet_pdc *pdc)
{
	struct uet_ccc *ccc = pdc->cc.ccc;
	u64 at;

	uet_lock_take(&ccc->lock);
	at = uet_ccc_deadline(ccc);
	uet_lock_drop(&ccc->lock);
	return at;
}

/* UE 1.0.1 3.6.13 (base RTT): @rtt_ns is the time from the Probe to its answer. */
void uet_pdc_cc_probed(struct uet_pdc *pdc, const struct uet_pds_hdr *hdr, u64 rtt_ns, u64 now)
{
	const struct uet_ack_nscc *nscc = cc_nscc(hdr);
	struct uet_ccc *ccc = pdc->cc.ccc;
	u64 service_ns;

	if (!ccc || !nscc || nscc->service_time == UET_SERVICE_TIME_NONE ||
	    nscc->service_time == UET_SERVICE_TIME_OVER)
		return;
	service_ns = nscc->service_time * UET_SERVICE_TIME_NS;
	if (rtt_ns <= service_ns)
		return;
	now = uet_ccc_take(ccc, now);
	uet_ccc_probed(ccc, rtt_ns - service_ns, now);
	uet_lock_drop(&ccc->lock);
}

/*
 * uet_pdc_cc_space() - the fill level of the space for messages, before a packet is accepted
 * @used: bytes in use of the space that the packet needs
 * @size: bytes; 0: the packet needs none, and its ACK advertises nothing (UE 1.0.1 3.6.13,
 *	DFC)
 */
void uet_pdc_cc_space(struct uet_pdc *pdc, u32 used, u32 size)
{
	pdc->cc.space_used = used;
	pdc->cc.space_size = size;
}

/*
 * UE 1.0.1 3.6.13 (DFC): an ACK advertises the space of uet_pdc_cc_space().  rcv_cwnd_pend
 * and rc of @nscc are zero before.
 */
void uet_pdc_cc_advertise_space(struct uet_pdc *pdc, struct uet_ack_nscc *nscc)
{
	nscc->rcv_cwnd_pend = uet_dfc_ack(&pdc->cc.dfc, pdc->cc.space_used,
					  pdc->cc.space_size,
					  &nscc->restore_cwnd);
	if (nscc->rcv_cwnd_pend)
		pdc->stats.tx_pend++;
}
