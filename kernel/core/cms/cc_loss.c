// SPDX-License-Identifier: GPL-2.0
/*
 * Three ways to know of a loss before its time-out.  Spraying reorders by as much
 * as a queue is long, so disorder is believed only when it is more than a window;
 * packets that hash to the same path stay in order, so there two later ones are
 * enough; and a Probe that meets no queue says that what is missing is not late.
 *
 * Implements UE 1.0.1 3.5.15, as choices.rst reads it.  Level: core L3.
 */
#include "cc_loss.h"
#include "core/wire/psn.h"

/* Disorder below this is never loss. */
#define OOO_PKTS_MIN	5

/* Base RTTs between Probes: with more to send, and while none is answered. */
#define PROBE_BUSY_RTTS	3
#define PROBE_AGAIN_RTTS 5

#define RTO_MIN_NS	200000

static u32 ooo_window(const struct uet_ccc *ccc)
{
	return (u32)div_u64(ccc->cwnd, ccc->param->cfg.mtu);
}

/**
 * uet_cc_ooo_limit() - how much disorder is loss
 * @ccc: context
 *
 * One window and a half, at most the largest one: paths differ by what queues.
 *
 * Context: Any; the caller serialises per @ccc.
 * Return: full packets.
 * Spec: UE 1.0.1 3.5.15.
 */
u32 uet_cc_ooo_limit(const struct uet_ccc *ccc)
{
	u64 bytes = min_t(u64, ccc->cwnd + ccc->cwnd / 2, ccc->param->max_wnd);

	return max_t(u32, (u32)div_u64(bytes, ccc->param->cfg.mtu),
		     OOO_PKTS_MIN);
}

/**
 * uet_cc_ooo_ack() - an ACK was applied: is anything lost?
 * @ooo: recovery of the PDC
 * @ccc: its context
 * @base: first PSN that is not acknowledged
 * @end: first PSN that was not sent
 * @ooo_pkts: packets that the destination has beyond @base
 * @from: result: first PSN to be judged
 * @to: result: first PSN behind those
 *
 * Of these PSNs, all that are in flight are lost.  A PSN is judged once in each
 * recovery, and recovery begins only when nothing waits to be sent again.
 *
 * Context: Any; the caller serialises per @ooo and @ccc.
 * Return: false if there is nothing to judge; @from and @to are unchanged then.
 * Spec: UE 1.0.1 3.5.15.
 */
bool uet_cc_ooo_ack(struct uet_cc_ooo *ooo, const struct uet_ccc *ccc,
		    u32 base, u32 end, u32 ooo_pkts, u32 *from, u32 *to)
{
	u32 first, last;

	if (ooo->recovers && !uet_psn_before(base, ooo->end))
		ooo->recovers = false;
	if (!ooo->recovers && ooo_pkts >= uet_cc_ooo_limit(ccc) &&
	    !ccc->waiting_rtx)
		uet_cc_ooo_force(ooo, base, end);
	if (!ooo->recovers)
		return false;
	first = uet_psn_later(ooo->next, base);
	last = uet_psn_earlier(ooo->end, base + ooo_window(ccc));
	if (!uet_psn_before(first, last))
		return false;
	*from = first;
	*to = last;
	ooo->next = last;
	return true;
}

/**
 * uet_cc_ooo_force() - what was sent so far and did not arrive is lost
 * @ooo: recovery of the PDC
 * @base: first PSN that is not acknowledged
 * @end: first PSN that was not sent
 *
 * A Probe said so, see uet_ccc_probed(); uet_cc_ooo_ack() says which ones.
 *
 * Context: Any; the caller serialises per @ooo.
 */
void uet_cc_ooo_force(struct uet_cc_ooo *ooo, u32 base, u32 end)
{
	ooo->recovers = true;
	ooo->end = end;
	ooo->next = base;
}

/**
 * uet_ev_order_arrived() - a packet was acknowledged
 * @order: of its entropy value
 * @pkt: its record, before uet_cc_ack_pkt()
 *
 * One that was sent twice says nothing: which of the two arrived is not known.
 *
 * Context: Any; the caller serialises.
 */
void uet_ev_order_arrived(struct uet_ev_order *order,
			  const struct uet_cc_pkt *pkt)
{
	if (pkt->state == UET_CC_PKT_NONE || pkt->sends != 1)
		return;
	if (pkt->sent_ns > order->newer) {
		order->older = order->newer;
		order->newer = pkt->sent_ns;
	} else if (pkt->sent_ns > order->older) {
		order->older = pkt->sent_ns;
	}
}

/**
 * uet_ev_order_is_lost() - did two later packets on its path arrive?
 * @order: of its entropy value
 * @pkt: record of a packet
 * @guard_ns: so much later at least; a quarter of the base RTT
 *
 * Only where switches hash and do not change their minds.
 *
 * Context: Any; the caller serialises.
 * Return: true if it is in flight and lost.
 * Spec: UE 1.0.1 3.5.15: packets with one entropy value stay in order.
 */
bool uet_ev_order_is_lost(const struct uet_ev_order *order,
			  const struct uet_cc_pkt *pkt, u32 guard_ns)
{
	return pkt->state == UET_CC_PKT_OUT &&
	       order->older > pkt->sent_ns + guard_ns;
}

/**
 * uet_cc_probe_at() - when to probe for packets at the tail
 * @ccc: context
 * @is_repeated: a Probe is out, and was not answered
 * @now: time of the latest ACK or Probe; monotonic, ns
 *
 * Context: Any; the caller serialises per @ccc.
 * Return: monotonic time, ns; U64_MAX: nothing is in flight.
 * Spec: UE 1.0.1 3.5.15.
 */
u64 uet_cc_probe_at(const struct uet_ccc *ccc, bool is_repeated, u64 now)
{
	u64 base = ccc->param->cfg.base_rtt_ns;

	if (!ccc->inflight_pkts)
		return U64_MAX;
	if (ccc->window == &uet_cc_nscc_ops)
		base = ccc->nscc.base_ns;
	if (is_repeated)
		return now + PROBE_AGAIN_RTTS * base;
	if (ccc->backlog)
		return now + PROBE_BUSY_RTTS * base;
	return now + base + ccc->param->cfg.target_ns;
}

/**
 * uet_cc_rto_ns() - initial time-out for a network
 * @param: its constants
 *
 * Four round trips, and six times what the fullest queue takes to drain.
 *
 * Context: Any.
 * Return: ns, at least 200 us.
 * Spec: UE 1.0.1 3.5.15 has RTO_Init_Time; this is a value for it.
 */
u64 uet_cc_rto_ns(const struct uet_cc_param *param)
{
	u64 queues = param->cfg.has_trim ? 1 : param->cfg.drop_bdp;

	return max_t(u64, (4 + 6 * queues) * param->cfg.base_rtt_ns,
		     RTO_MIN_NS);
}
