// SPDX-License-Identifier: GPL-2.0
/*
 * The congestion control context: the order of steps in each event as the specification gives
 * it, the counters of waiting and in-flight data, and the state machine that runs after each
 * event.  The algorithms compute window and grant.
 *
 * Implements UE 1.0.1 3.6.12.  Level: core L3.
 */
#include "ccc.h"

/* Call an optional operation of an optional algorithm. */
#define CCC_CALL(algo, op, ...) do {					\
	const struct uet_cc_ops *_ops = (algo);				\
	if (_ops && _ops->op)						\
		_ops->op(__VA_ARGS__);					\
} while (0)

/* Limit of a burst, see uet_ccc_quantum(). */
#define CCC_BURSTS_PER_WINDOW	2

static const struct uet_cc_ops *const ccc_windows[UET_WINDOW_NR] = {
	[UET_WINDOW_CONST] = &uet_cc_const_ops,
	[UET_WINDOW_NSCC] = &uet_cc_nscc_ops,
};

static const struct uet_cc_ops *const ccc_grants[UET_GRANT_NR] = {
	[UET_GRANT_RCCC] = &uet_cc_rccc_ops,
};

/*
 * uet_ccc_init() - initialise a context
 * @param: constants from uet_cc_derive(); must outlive @ccc
 * @ev: selector of entropy values, or NULL
 */
void uet_ccc_init(struct uet_ccc *ccc, const struct uet_cc_param *param,
		  struct uet_ev_sel *ev, u64 now)
{
	memset(ccc, 0, sizeof(*ccc));
	uet_lock_init(&ccc->lock);
	ccc->network = param;
	ccc->param = param;
	ccc->ev = ev;
	ccc->state = UET_CCC_IDLE;
	ccc->idle_since = now;
	ccc->cwnd = param->max_wnd;
	ccc->window = ccc_windows[param->cfg.window];
	ccc->grant = ccc_grants[param->cfg.grant];
	CCC_CALL(ccc->window, init, ccc, now);
	CCC_CALL(ccc->grant, init, ccc, now);
}

static bool ccc_can_send(const struct uet_ccc *ccc)
{
	return !ccc->is_held &&
	       (!ccc->window || ccc->window->can_send(ccc)) &&
	       (!ccc->grant || ccc->grant->can_send(ccc));
}

/* When no packet is in flight, inflight is reset: any residue is rounding or double counting. */
static void ccc_rest(struct uet_ccc *ccc, u64 now)
{
	if (ccc->inflight_pkts) {
		ccc->state = UET_CCC_PENDING;
		return;
	}
	if (ccc->state != UET_CCC_IDLE)
		ccc->idle_since = now;
	ccc->state = UET_CCC_IDLE;
	ccc->inflight = 0;
}

static void ccc_wake(struct uet_ccc *ccc, u64 now)
{
	u64 idle_ns = uet_ns_since(now, ccc->idle_since);

	if (ccc->state == UET_CCC_IDLE) {
		CCC_CALL(ccc->window, wake, ccc, idle_ns, now);
		CCC_CALL(ccc->grant, wake, ccc, idle_ns, now);
	}
	ccc->state = UET_CCC_ACTIVE;
}

/* UE 1.0.1 3.6.12.3: runs after every event. */
static void ccc_step(struct uet_ccc *ccc, u64 now)
{
	if (!ccc->backlog && !ccc->waiting_rtx) {
		ccc_rest(ccc, now);
		return;
	}
	if (ccc->state == UET_CCC_IDLE || ccc->state == UET_CCC_PENDING)
		ccc_wake(ccc, now);
	ccc->state = ccc_can_send(ccc) ? UET_CCC_READY : UET_CCC_ACTIVE;
}

/* A peer that reports bytes never sent gains at most one window. */
static void ccc_delivered(struct uet_ccc *ccc, s64 bytes)
{
	ccc->inflight = max_t(s64, ccc->inflight - bytes, -(s64)ccc->param->max_wnd);
}

/* A peer that counts bytes differently must not close the window for good. */
static void ccc_less_pkts(struct uet_ccc *ccc, u32 pkts)
{
	ccc->inflight_pkts -= min(ccc->inflight_pkts, pkts);
	if (ccc->inflight_pkts)
		return;
	ccc->inflight = 0;
	ccc->idle_epochs++;
}

static void ccc_feedback(struct uet_ccc *ccc, u16 ev, enum uet_ev_feedback feedback, u64 now)
{
	if (ccc->ev)
		uet_ev_sel_feedback(ccc->ev, ev, feedback, now);
}

/* Queue an in-flight packet for retransmission. */
static void ccc_mark(struct uet_ccc *ccc, struct uet_cc_pkt *pkt)
{
	pkt->state = UET_CC_PKT_WAITS;
	ccc->waiting_rtx++;
	ccc->rtx_backlog += pkt->size;
}

static void ccc_unmark(struct uet_ccc *ccc, u32 pkts, u32 bytes)
{
	ccc->waiting_rtx -= min(ccc->waiting_rtx, pkts);
	ccc->rtx_backlog -= min_t(u64, ccc->rtx_backlog, bytes);
}

/*
 * uet_ccc_retune() - apply changed constants of @ccc->network, for the same algorithms
 * Learned state is kept as far as it is inside the new limits.
 */
void uet_ccc_retune(struct uet_ccc *ccc, u64 now)
{
	CCC_CALL(ccc->window, retune, ccc);
	CCC_CALL(ccc->grant, retune, ccc);
	ccc_step(ccc, now);
}

/*
 * uet_ccc_hold() - hold or release a context while queues of this host are full
 * Data must wait in the context rather than in queues of this host, or the context would
 * measure the delay of its own queue.
 */
void uet_ccc_hold(struct uet_ccc *ccc, bool is_held, u64 now)
{
	ccc->stats.throttled += is_held && !ccc->is_held;
	ccc->is_held = is_held;
	ccc_step(ccc, now);
}

/*
 * uet_ccc_quantum() - most bytes that may leave as one burst; below two packets: one by one
 * A queue of the network gets a burst faster than a host sends packets.  A burst has at most
 * half of the window, but as many bytes as one ACK covers, which leave at once anyway; and no
 * more than the line carries in a short time.
 */
u32 uet_ccc_quantum(const struct uet_ccc *ccc)
{
	u32 on_line = ccc->param->burst;
	u32 of_window = max_t(u64, ccc->cwnd / CCC_BURSTS_PER_WINDOW,
			      ccc->param->cfg.ack_gen_trigger);

	return ccc->window ? min(of_window, on_line) : on_line;
}

static bool ccc_wants_ack(const struct uet_cc_ops *algo, const struct uet_ccc *ccc)
{
	return algo && algo->wants_ack(ccc);
}

static s64 ccc_room(const struct uet_cc_ops *algo, const struct uet_ccc *ccc)
{
	return algo ? algo->room(ccc) : S64_MAX;
}

/*
 * uet_ccc_run_room() - how many of @n new packets may follow the one just sent, as a run?
 * @size: nominal size of each, bytes
 *
 * Their headers follow from those of the packet before them: uet_ccc_send() would want no ACK
 * of any of them.  uet_ccc_run_sent() follows.
 */
u32 uet_ccc_run_room(const struct uet_ccc *ccc, u16 size, u32 n)
{
	s64 room = min(ccc_room(ccc->window, ccc), ccc_room(ccc->grant, ccc));

	if (room < size || ccc->state != UET_CCC_READY)
		return 0;
	return room >= (s64)size * n ? n : (u32)div_u64((u64)room, size);
}

/*
 * uet_ccc_new_data() - a PDC has more to send, in nominal bytes (UE 1.0.1 3.6.12.4)
 */
void uet_ccc_new_data(struct uet_ccc *ccc, u64 bytes, u64 now)
{
	ccc->backlog += bytes;
	/* Leave IDLE first: the reset on leaving IDLE must precede on_new_data. */
	ccc_step(ccc, now);
	if (!ccc->grant)
		return;
	CCC_CALL(ccc->grant, on_new_data, ccc, now);
	ccc_step(ccc, now);
}

static void ccc_sent(struct uet_ccc *ccc, u32 bytes, u32 n, u64 now)
{
	ccc->inflight += bytes;
	ccc->inflight_pkts += n;
	CCC_CALL(ccc->window, on_send, ccc, bytes, now);
	CCC_CALL(ccc->grant, on_send, ccc, bytes, now);
}

/* Account for the transmission of a packet, first or repeated. */
static void ccc_transmit(struct uet_ccc *ccc, struct uet_cc_pkt *pkt, u16 size, u64 now)
{
	if (pkt->state == UET_CC_PKT_WAITS)
		ccc_unmark(ccc, 1, pkt->size);
	else
		ccc->backlog -= min_t(u64, ccc->backlog, size);
	pkt->state = UET_CC_PKT_OUT;
	pkt->sends = min(pkt->sends + 1, UET_CC_SENDS_MAX);
	pkt->size = size;
	pkt->sent_ns = now;
	ccc_sent(ccc, size, 1, now);
}

/*
 * uet_ccc_send() - account for a packet that is sent now, first or repeated
 * @ccc: READY, unless the caller bypasses the check
 * @pkt: record of the packet, not in flight; filled in
 * @size: nominal size, bytes
 * @send: result; @send->ev is 0 without a selector
 *
 * A caller that later learns the real departure time writes it to @pkt->sent_ns.
 * Spec: UE 1.0.1 3.6.12.4 (OnSend, GetSendParams).
 */
void uet_ccc_send(struct uet_ccc *ccc, struct uet_cc_pkt *pkt, u16 size,
		  u64 now, struct uet_cc_send *send)
{
	const struct uet_cc_ops *window = ccc->window, *grant = ccc->grant;

	memset(send, 0, sizeof(*send));
	send->wants_ack = pkt->state == UET_CC_PKT_WAITS;
	ccc_transmit(ccc, pkt, size, now);
	send->wants_ack |= ccc_wants_ack(window, ccc) || ccc_wants_ack(grant, ccc);
	ccc->since_ar = send->wants_ack ? 0 : ccc->since_ar + size;
	CCC_CALL(grant, tell, ccc, send);
	if (ccc->ev)
		send->ev = uet_ev_sel_next(ccc->ev, ccc->free_ports);
	pkt->ev = send->ev;
	ccc_step(ccc, now);
}

/*
 * uet_ccc_run_sent() - account for @n new packets from uet_ccc_run_room() that are sent as a run
 * The caller fills in their records and takes their entropy values.
 */
void uet_ccc_run_sent(struct uet_ccc *ccc, u16 size, u32 n, u64 now)
{
	u32 bytes = size * n;

	ccc->backlog -= min_t(u64, ccc->backlog, bytes);
	ccc->since_ar += bytes;
	ccc_sent(ccc, bytes, n, now);
	ccc_step(ccc, now);
}

/*
 * uet_ccc_ack() - process an ACK (UE 1.0.1 3.6.12.4)
 * Bytes of packets marked lost too early were subtracted from inflight then, and are among the
 * newly received bytes now.  They are first added to inflight again.
 */
void uet_ccc_ack(struct uet_ccc *ccc, const struct uet_cc_ack *ack, u64 now)
{
	ccc->stats.acks++;
	ccc->stats.marked += ack->is_marked;
	ccc->stats.samples += ack->rtt_ns != 0;
	ccc->stats.pends += ack->cwnd_pend != 0;
	ccc->pend = ack->cwnd_pend;
	if (ack->found_pkts) {
		ccc->stats.found += ack->found_pkts;
		ccc_unmark(ccc, ack->found_pkts, ack->found_bytes);
	}
	if (ack->has_ev)
		ccc_feedback(ccc, ack->ev, ack->is_marked ? UET_EV_ECN : UET_EV_GOOD, now);
	ccc_delivered(ccc, (s64)ack->new_bytes - ack->found_bytes);
	CCC_CALL(ccc->window, on_ack, ccc, ack, now);
	CCC_CALL(ccc->grant, on_ack, ccc, ack, now);
	ccc_less_pkts(ccc, ack->acked_pkts);
	ccc_step(ccc, now);
}

static void ccc_count_nack(struct uet_ccc *ccc, const struct uet_cc_nack *nack)
{
	ccc->stats.samples += nack->rtt_ns != 0;
	if (nack->code == UET_NACK_TRIMMED)
		ccc->stats.trims++;
	else if (nack->code == UET_NACK_TRIMMED_LASTHOP)
		ccc->stats.trims_lasthop++;
	else
		ccc->stats.nacks++;
}

static void ccc_nack_feedback(struct uet_ccc *ccc, const struct uet_cc_nack *nack, u64 now)
{
	enum uet_ev_feedback feedback = UET_EV_GOOD;

	if (nack->code == UET_NACK_TRIMMED)
		feedback = UET_EV_NACK;
	else if (nack->is_marked)
		feedback = UET_EV_ECN;
	if (nack->has_ev)
		ccc_feedback(ccc, nack->ev, feedback, now);
}

/*
 * uet_ccc_nack() - process the NACK of a packet (UE 1.0.1 3.6.12.4): it waits to be sent again
 * Without effect unless the packet is in flight.
 */
void uet_ccc_nack(struct uet_ccc *ccc, struct uet_cc_pkt *pkt,
		  const struct uet_cc_nack *nack, u64 now)
{
	bool is_late = ccc->param->cfg.htsim & UET_HTSIM_NACK_LATE;

	if (pkt->state != UET_CC_PKT_OUT)
		return;
	ccc_count_nack(ccc, nack);
	ccc_nack_feedback(ccc, nack, now);
	if (!is_late)
		ccc_delivered(ccc, pkt->size);
	CCC_CALL(ccc->window, on_nack, ccc, pkt, nack, now);
	if (is_late)
		ccc_delivered(ccc, pkt->size);
	ccc_mark(ccc, pkt);
	CCC_CALL(ccc->grant, on_nack, ccc, pkt, nack, now);
	ccc_less_pkts(ccc, 1);
	ccc_step(ccc, now);
}

/*
 * uet_ccc_loss() - mark a packet in flight as lost (UE 1.0.1 3.6.12.4): it waits to be sent again
 */
void uet_ccc_loss(struct uet_ccc *ccc, struct uet_cc_pkt *pkt, enum uet_cc_loss why, u64 now)
{
	if (pkt->state != UET_CC_PKT_OUT)
		return;
	ccc->stats.losses++;
	ccc_delivered(ccc, pkt->size);
	CCC_CALL(ccc->window, on_loss, ccc, pkt, why, now);
	ccc_mark(ccc, pkt);
	CCC_CALL(ccc->grant, on_loss, ccc, pkt, why, now);
	ccc_feedback(ccc, pkt->ev, UET_EV_TIMEOUT, now);
	ccc_less_pkts(ccc, 1);
	ccc_step(ccc, now);
}

/*
 * uet_ccc_credit() - process the cumulative credit of a Credit control packet (UE 1.0.1 3.6.12.4)
 */
void uet_ccc_credit(struct uet_ccc *ccc, u32 credit, u64 now)
{
	CCC_CALL(ccc->grant, on_credit, ccc, credit & UET_CREDIT_MAX, now);
	ccc_step(ccc, now);
}

/*
 * uet_ccc_probed() - process the answer to a Probe; true if no queue exists
 * @rtt_ns: round trip without the time in the destination, or the base RTT remembered from an
 *	earlier context, which then requests no Probe
 *
 * Packets sent before the Probe that have not arrived are lost then (UE 1.0.1 3.5.20, 3.6.13).
 */
bool uet_ccc_probed(struct uet_ccc *ccc, u64 rtt_ns, u64 now)
{
	bool is_empty = false;

	if (ccc->window && ccc->window->on_probe)
		is_empty = ccc->window->on_probe(ccc, rtt_ns, now);
	ccc_step(ccc, now);
	return is_empty;
}

/*
 * uet_ccc_unqueue() - withdraw the unsent data of a PDC, nominal bytes
 */
void uet_ccc_unqueue(struct uet_ccc *ccc, u64 bytes, u64 now)
{
	ccc->backlog -= min(ccc->backlog, bytes);
	ccc_step(ccc, now);
}

/*
 * uet_ccc_settle() - correct inflight when a PDC has nothing in flight
 * @bytes: that left inflight for the PDC beyond the bytes it sent, since the latest idle epoch
 *	(@ccc->idle_epochs); may be negative
 *
 * Values in ACKs are rounded and may be wrong.  The errors would add up while other PDCs keep
 * the context busy.
 */
void uet_ccc_settle(struct uet_ccc *ccc, s64 bytes, u64 now)
{
	s64 most = ccc->param->max_wnd;

	ccc_delivered(ccc, -clamp_t(s64, bytes, -most, most));
	ccc_less_pkts(ccc, 0);
	ccc_step(ccc, now);
}

/*
 * uet_ccc_forget() - remove a packet of a closed PDC, without an outcome, from the counters
 */
void uet_ccc_forget(struct uet_ccc *ccc, struct uet_cc_pkt *pkt, u64 now)
{
	if (pkt->state == UET_CC_PKT_WAITS) {
		ccc_unmark(ccc, 1, pkt->size);
	} else if (pkt->state == UET_CC_PKT_OUT) {
		ccc_delivered(ccc, pkt->size);
		ccc_less_pkts(ccc, 1);
	}
	memset(pkt, 0, sizeof(*pkt));
	ccc_step(ccc, now);
}

/*
 * uet_ccc_may_send_unsolicited() - does only the grant forbid a PDC to send its first packet?
 * A destination must know a PDC before the PDC can demand credit, and the other PDCs of the
 * context may have nothing to send.
 */
bool uet_ccc_may_send_unsolicited(const struct uet_ccc *ccc)
{
	return uet_ccc_advertises(ccc) && (!ccc->window || ccc->window->can_send(ccc));
}

/*
 * uet_ccc_poll_cp() - take the next pending control packet, or UET_CC_CP_NONE
 * @target: result: credit_target of a Credit Request, 24 bits
 *
 * A source that stops sending requests may be READY afterwards.
 */
enum uet_cc_cp uet_ccc_poll_cp(struct uet_ccc *ccc, u64 now, u32 *target)
{
	enum uet_cc_cp cp = UET_CC_CP_NONE;

	*target = 0;
	if (ccc->window && ccc->window->poll_cp)
		cp = ccc->window->poll_cp(ccc, now, target);
	if (cp == UET_CC_CP_NONE && ccc->grant && ccc->grant->poll_cp)
		cp = ccc->grant->poll_cp(ccc, now, target);
	ccc_step(ccc, now);
	return cp;
}

/*
 * uet_ccc_deadline() - latest time to poll for control packets, ns; U64_MAX: after the next event
 */
u64 uet_ccc_deadline(const struct uet_ccc *ccc)
{
	if (!ccc->grant || !ccc->grant->deadline)
		return U64_MAX;
	return ccc->grant->deadline(ccc);
}
