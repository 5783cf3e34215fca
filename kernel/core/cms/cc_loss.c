// SPDX-License-Identifier: GPL-2.0
/*
 * Loss detection without an RTO, by three methods.  Spraying reorders packets by up
 * to a queue length, so only disorder of more than a window counts as loss.  Packets
 * that hash to the same path stay in order, so on one path two later arrivals are
 * enough.  A Probe that saw no queue proves that missing packets are lost, not late.
 *
 * Implements UE 1.0.1 3.5.15, as interpreted in choices.rst.  Level: core L3.
 */
#include "cc_loss.h"
#include "core/wire/psn.h"

/* Smallest disorder, in packets, that counts as loss; see choices.rst. */
#define OOO_PKTS_MIN	5

/* Base RTTs between Probes: with more data to send, and while no Probe is answered. */
#define PROBE_BUSY_RTTS	3
#define PROBE_AGAIN_RTTS 5

/* Lower bound of uet_cc_rto_ns(), ns. */
#define RTO_MIN_NS	200000

static u32 ooo_window(const struct uet_ccc *ccc)
{
	return (u32)div_u64(ccc->cwnd, ccc->param->cfg.mtu);
}

/**
 * uet_cc_ooo_limit() - disorder that counts as loss
 * @ccc: context
 *
 * The limit is 1.5 windows, at most the largest window, because paths differ in delay
 * by the length of their queues.
 *
 * Context: Any; the caller serialises per @ccc.
 * Return: limit in full packets.
 * Spec: UE 1.0.1 3.5.15.
 */
u32 uet_cc_ooo_limit(const struct uet_ccc *ccc)
{
	u64 bytes = min_t(u64, ccc->cwnd + ccc->cwnd / 2, ccc->param->max_wnd);

	return max_t(u32, (u32)div_u64(bytes, ccc->param->cfg.mtu),
		     OOO_PKTS_MIN);
}

/**
 * uet_cc_ooo_ack() - infer losses after an ACK
 * @ooo: recovery state of the PDC
 * @ccc: context of the PDC
 * @base: first unacknowledged PSN
 * @end: first PSN not yet sent
 * @ooo_pkts: packets beyond @base that the destination has received
 * @from: result: first PSN of the range to examine
 * @to: result: first PSN behind that range
 *
 * All PSNs of the range that are in flight are lost.  Each PSN is examined once per
 * recovery.  A recovery starts only when no packet waits for retransmission.
 *
 * Context: Any; the caller serialises per @ooo and @ccc.
 * Return: false if the range is empty; @from and @to are then unchanged.
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
 * uet_cc_ooo_force() - treat all missing packets as lost
 * @ooo: recovery state of the PDC
 * @base: first unacknowledged PSN
 * @end: first PSN not yet sent
 *
 * Called after a Probe, see uet_ccc_probed().  The next uet_cc_ooo_ack() returns the
 * range of PSNs.
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
 * uet_ev_order_arrived() - record the arrival of a packet on its path
 * @order: order state of the packet's entropy value
 * @pkt: record of the packet, before uet_cc_ack_pkt()
 *
 * Retransmitted packets are ignored: it is unknown which transmission arrived.
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
 * uet_ev_order_is_lost() - have two later packets on the same path arrived?
 * @order: order state of the packet's entropy value
 * @pkt: record of the packet
 * @guard_ns: minimum lead of the later packets, ns; a quarter of the base RTT
 *
 * Valid only where switches hash to a path and do not change the mapping.
 *
 * Context: Any; the caller serialises.
 * Return: true if the packet is in flight and lost.
 * Spec: UE 1.0.1 3.5.15: packets with one entropy value stay in order.
 */
bool uet_ev_order_is_lost(const struct uet_ev_order *order,
			  const struct uet_cc_pkt *pkt, u32 guard_ns)
{
	return pkt->state == UET_CC_PKT_OUT &&
	       order->older > pkt->sent_ns + guard_ns;
}

/**
 * uet_cc_probe_at() - time of the next tail-loss Probe
 * @ccc: context
 * @is_repeated: a Probe is in flight and unanswered
 * @now: time of the latest ACK or Probe; monotonic, ns
 *
 * Context: Any; the caller serialises per @ccc.
 * Return: monotonic time, ns; U64_MAX if nothing is in flight.
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
 * uet_cc_rto_ns() - initial RTO for a network
 * @param: derived constants of the network
 *
 * The RTO is four round trips plus six times the drain time of the fullest queue.
 *
 * Context: Any.
 * Return: ns, at least 200 us.
 * Spec: UE 1.0.1 3.5.15 defines RTO_Init_Time; this function computes a value.
 */
u64 uet_cc_rto_ns(const struct uet_cc_param *param)
{
	u64 queues = param->cfg.has_trim ? 1 : param->cfg.drop_bdp;

	return max_t(u64, (4 + 6 * queues) * param->cfg.base_rtt_ns,
		     RTO_MIN_NS);
}
