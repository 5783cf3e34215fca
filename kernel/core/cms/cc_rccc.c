// SPDX-License-Identifier: GPL-2.0
/*
 * RCCC at the source: a balance of credit that the destination refills at the rate of its link.
 * The first window is sent without credit, or each message would wait for a round trip.
 * Grants are cumulative, so the next repairs a lost or late one.  A source that has demand and
 * receives no credit sends Credit Requests.  If several in a row remain unanswered, the
 * destination does not pace, and the source sends one window at a time instead of blocking
 * for ever.  The pacer of the destination is cc_pacer.c.
 *
 * Implements UE 1.0.1 3.6.14, as interpreted in choices.rst; the specification text was not
 * available.  Level: core L3.
 */
#include "ccc.h"

/* Back-off of fruitless Credit Requests: the interval grows to at most 2^6 times. */
#define RCCC_BACKOFF_MAX	6

/*
 * Unanswered requests in a row after which the destination is taken as not pacing.  One that has
 * never granted credit may not be able to.
 */
#define RCCC_SILENT_MAX		4
#define RCCC_SILENT_FIRST	1

/* Cap of the measured wait for a quantum, in base RTTs; bounds the request interval. */
#define RCCC_WAIT_MAX		16

static u64 rccc_demand(const struct uet_ccc *ccc)
{
	return ccc->backlog + ccc->rtx_backlog;
}

static void rccc_init(struct uet_ccc *ccc, u64 now)
{
	ccc->rccc.credit = ccc->param->max_wnd;
	ccc->rccc.speculates = true;
	ccc->rccc.said_at = now;
}

/* Longest part of the demand that is taken as sent, see rccc_target(). */
#define RCCC_AHEAD_MAX	65536

/*
 * The bytes that were sent and those that wait, without granted credit that is left, so that the
 * destination sees how far its grants are ahead.  What the credit allows leaves at once, so the
 * demand is that of the time afterwards: all packets of a run say the same.  A window limits
 * the demand to one window and one packet: a source throttled by its window must not hoard
 * credit of the destination.
 */
static u32 rccc_target(const struct uet_ccc *ccc)
{
	const struct uet_rccc *rccc = &ccc->rccc;
	u32 mtu = ccc->param->cfg.mtu;
	s64 ahead = clamp_t(s64, min_t(s64, rccc->credit, (s64)ccc->backlog), 0, RCCC_AHEAD_MAX);
	u64 demand = rccc_demand(ccc);
	s64 want;

	if (ccc->window)
		demand = min(demand, ccc->cwnd + mtu);
	demand -= min_t(u64, demand, (u64)ahead);
	want = (s64)min_t(u64, demand, ccc->param->max_wnd) - (rccc->credit - ahead);
	if (rccc->speculates)
		want = max_t(s64, want, ccc->backlog ? mtu : 0);
	if (want > 0 && ccc->sharers > 1)
		want = (s64)div_u64((u64)want, ccc->sharers);
	/* Rounded up. */
	want += want > 0 ? UET_CC_UNIT - 1 : 0;
	return (rccc->pull + (u32)(want / UET_CC_UNIT)) & UET_CREDIT_MAX;
}

/* The destination knows this source: from here only granted credit counts. */
static void rccc_saw_answer(struct uet_ccc *ccc)
{
	struct uet_rccc *rccc = &ccc->rccc;

	if (!rccc->speculates)
		return;
	rccc->speculates = false;
	rccc->credit = min_t(s64, rccc->credit, 0);
}

/* With many sources a quantum takes long; that is no reason to send a request. */
static void rccc_note_wait(struct uet_ccc *ccc, u64 now)
{
	u64 most = (u64)ccc->param->cfg.base_rtt_ns * RCCC_WAIT_MAX;
	struct uet_rccc *rccc = &ccc->rccc;

	if (rccc->credit <= 0 && rccc_demand(ccc))
		rccc->wait_ns = min(uet_ns_since(now, rccc->said_at), most);
}

static void rccc_on_credit(struct uet_ccc *ccc, u32 credit, u64 now)
{
	struct uet_rccc *rccc = &ccc->rccc;
	s32 units = uet_cc_diff24(credit, rccc->pull);

	rccc_saw_answer(ccc);
	/* Any credit message proves that the destination paces. */
	rccc->silent = 0;
	rccc->is_unpaced = false;
	rccc->has_paced = true;
	if (units <= 0)
		return;
	rccc_note_wait(ccc, now);
	rccc->credit = min_t(s64, rccc->credit + (s64)units * UET_CC_UNIT, ccc->param->max_wnd);
	rccc->pull = credit;
	rccc->said_at = now;
	rccc->tries = 0;
	rccc->wants_request = false;
	ccc->stats.credits++;
}

static void rccc_on_ack(struct uet_ccc *ccc, const struct uet_cc_ack *ack, u64 now)
{
	if (ack->has_credit)
		rccc_on_credit(ccc, ack->credit & UET_CREDIT_MAX, now);
	else
		rccc_saw_answer(ccc);
}

static void rccc_on_nack(struct uet_ccc *ccc, const struct uet_cc_pkt *pkt,
			 const struct uet_cc_nack *nack, u64 now)
{
	rccc_saw_answer(ccc);
}

/* Perhaps no packet in flight carries the demand: send a Credit Request. */
static void rccc_on_loss(struct uet_ccc *ccc, const struct uet_cc_pkt *pkt,
			 enum uet_cc_loss why, u64 now)
{
	if (why == UET_CC_LOSS_RTO && ccc->rccc.credit <= 0)
		ccc->rccc.wants_request = true;
}

static void rccc_on_send(struct uet_ccc *ccc, u32 size, u64 now)
{
	if (!ccc->rccc.is_unpaced)
		ccc->rccc.credit -= size;
	ccc->rccc.said_at = now;
}

/* Demand exceeds the advertised target, and no packet can be sent to carry it. */
static void rccc_on_new_data(struct uet_ccc *ccc, u64 now)
{
	struct uet_rccc *rccc = &ccc->rccc;

	if (rccc->credit <= 0 && uet_cc_diff24(rccc_target(ccc), rccc->target) > 0)
		rccc->wants_request = true;
}

/* Without credit: limit the bytes in flight to the unsolicited window. */
static bool rccc_has_space(const struct uet_ccc *ccc)
{
	const struct uet_cc_param *param = ccc->param;

	return ccc->inflight + param->cfg.mtu <= (s64)param->max_wnd;
}

static bool rccc_can_send(const struct uet_ccc *ccc)
{
	return ccc->rccc.credit > 0 || (ccc->rccc.is_unpaced && rccc_has_space(ccc));
}

static bool rccc_wants_ack(const struct uet_ccc *ccc)
{
	const struct uet_cc_param *param = ccc->param;

	if (ccc->rccc.is_unpaced)
		return !ccc->backlog || !rccc_has_space(ccc) ||
		       param->max_wnd < param->cfg.ack_gen_trigger;
	return ccc->rccc.credit <= 0;
}

/* The packet that takes the last credit wants an ACK. */
static s64 rccc_room(const struct uet_ccc *ccc)
{
	if (ccc->rccc.is_unpaced)
		return 0;
	return ccc->rccc.credit - 1;
}

static void rccc_advertise(struct uet_ccc *ccc, struct uet_cc_send *send)
{
	ccc->rccc.target = rccc_target(ccc);
	send->has_target = true;
	send->credit_target = ccc->rccc.target;
}

static u64 rccc_deadline(const struct uet_ccc *ccc)
{
	const struct uet_rccc *rccc = &ccc->rccc;
	u64 interval_ns = ccc->param->cfg.base_rtt_ns + rccc->wait_ns;

	if (rccc->credit > 0 || rccc->is_unpaced || !rccc_demand(ccc))
		return U64_MAX;
	if (!rccc->wants_request)
		interval_ns <<= 1 + (rccc->has_paced ?
				     min_t(u8, rccc->tries, RCCC_BACKOFF_MAX) : 0);
	else if (!rccc->tries)
		interval_ns = 0;
	return rccc->said_at + interval_ns;
}

static enum uet_cc_cp rccc_poll_cp(struct uet_ccc *ccc, u64 now, u32 *target)
{
	struct uet_rccc *rccc = &ccc->rccc;

	if (now < rccc_deadline(ccc))
		return UET_CC_CP_NONE;
	if (rccc->silent == (rccc->has_paced ? RCCC_SILENT_MAX : RCCC_SILENT_FIRST)) {
		rccc->is_unpaced = true;
		return UET_CC_CP_NONE;
	}
	rccc->silent++;
	ccc->stats.credit_requests++;
	rccc->target = rccc_target(ccc);
	rccc->said_at = now;
	rccc->tries = min_t(u8, rccc->tries + 1, RCCC_BACKOFF_MAX);
	rccc->wants_request = false;
	*target = rccc->target;
	return UET_CC_CP_CREDIT_REQUEST;
}

/* Reset to the initial state except @pull: the destination continues to count. */
static void rccc_wake(struct uet_ccc *ccc, u64 idle_ns, u64 now)
{
	u64 limit = ccc->param->cfg.idle_ns;

	if (limit && idle_ns >= limit) {
		ccc->rccc.speculates = true;
		ccc->rccc.credit = ccc->param->max_wnd;
		ccc->rccc.tries = 0;
		ccc->rccc.wait_ns = 0;
	}
}

const struct uet_cc_ops uet_cc_rccc_ops = {
	.name = "rccc",
	.init = rccc_init,
	.on_ack = rccc_on_ack,
	.on_nack = rccc_on_nack,
	.on_loss = rccc_on_loss,
	.on_send = rccc_on_send,
	.on_new_data = rccc_on_new_data,
	.on_credit = rccc_on_credit,
	.can_send = rccc_can_send,
	.wants_ack = rccc_wants_ack,
	.room = rccc_room,
	.tell = rccc_advertise,
	.poll_cp = rccc_poll_cp,
	.deadline = rccc_deadline,
	.wake = rccc_wake,
};
