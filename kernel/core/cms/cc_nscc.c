// SPDX-License-Identifier: GPL-2.0
/*
 * NSCC: a window at the source that follows the delay and the ECN marks of its
 * packets.  Below the target delay the window grows in proportion to the distance
 * from the target.  Above the target and unmarked, the window grows slowly.  Above the
 * target and marked, the window shrinks once per round trip by the average delay.
 * Trimmed packets make the window jump down to the amount that arrived.  All
 * arithmetic is integer: scales are documented where a value is kept (ccc.h,
 * cc_param.h).  The per-ACK path divides only when increases are applied or when the
 * window shrinks.
 *
 * Implements UE 1.0.1 3.6.13, base RTT and average delay as cc_filter.c keeps
 * them.  Level: core L3.
 */
#include "cc_blind.h"
#include "cc_filter.h"
#include "ccc.h"

/* Limit of bytes per ACK that count for gains; keeps products within 64 bits. */
#define NSCC_GAIN_BYTES_MAX	((1U << 22) - 1)

/* Quick adapt runs only if less than the largest window >> NSCC_QA_GATE arrived. */
#define NSCC_QA_GATE		3

/* A full packet is assumed to take longer than a Probe by this part. */
#define NSCC_PROBE_PART		4

/* gamma 0.8 and the largest decrease 0.5, Q16. */
#define NSCC_GAMMA		52429
#define NSCC_DECREASE_MAX	32768

/* Part of the window that a loss costs in a network that does not mark. */
#define NSCC_LOSS_PART		3

/* Increase of a window without delay in a network that does not mark: a packet / this. */
#define NSCC_BLIND_PART		4

/* A starting window grows by so many times the bytes that arrived. */
#define NSCC_START_GAIN	6

static bool nscc_is_htsim(const struct uet_ccc *ccc, enum uet_cc_htsim way)
{
	return ccc->param->cfg.htsim & way;
}

static void nscc_reset(struct uet_ccc *ccc, u64 now)
{
	struct uet_nscc *nscc = &ccc->nscc;

	ccc->cwnd = nscc->max_wnd;
	nscc->saved_cwnd = 0;
	nscc->avg_ns = 0;
	nscc->avg_at = 0;
	nscc->eta_rest = 0;
	nscc->received_bytes = 0;
	nscc->fi_count = 0;
	nscc->late_bytes = 0;
	nscc->bytes_to_ignore = 0;
	nscc->bytes_ignored = 0;
	nscc->inc_bytes = 0;
	nscc->last_adjust = now;
	nscc->last_dec = now;
	nscc->is_fast = false;
	nscc->is_starting = false;
	nscc->drain_end = 0;
	nscc->trigger_qa = false;
	nscc->is_new = true;
}

static void nscc_init(struct uet_ccc *ccc, u64 now)
{
	uet_cc_base_init(ccc, now);
	nscc_reset(ccc, now);
}

/*
 * The quick adapt meter covers an idle time.  Restart the meter, or the first ACK
 * would find that no data arrived.
 */
static void nscc_wake(struct uet_ccc *ccc, u64 idle_ns, u64 now)
{
	u64 limit = ccc->param->cfg.idle_ns;

	ccc->nscc.qa_end = 0;
	ccc->nscc.achieved_bytes = 0;
	if (limit && idle_ns >= limit)
		nscc_reset(ccc, now);
	if (ccc->nscc.is_new) {
		ccc->cwnd = min(ccc->cwnd, uet_cc_first_window(ccc));
		ccc->nscc.is_starting = uet_cc_can_be_blind(&ccc->param->cfg);
	}
	ccc->nscc.is_new = false;
}

static void nscc_shrink(struct uet_ccc *ccc, u32 bytes)
{
	u64 least = ccc->param->cfg.mtu;

	ccc->cwnd = ccc->cwnd > least + bytes ? ccc->cwnd - bytes : least;
}

static void nscc_grow(struct uet_ccc *ccc, u64 bytes)
{
	u64 most = max(ccc->nscc.max_wnd, ccc->param->cfg.mtu);

	ccc->cwnd = min(ccc->cwnd + bytes, most);
}

/* On a faster network the window grows by the regular increases. */
static void nscc_retune(struct uet_ccc *ccc)
{
	struct uet_nscc *nscc = &ccc->nscc;

	uet_cc_base_retune(ccc);
	nscc->saved_cwnd = min_t(u64, nscc->saved_cwnd, nscc->max_wnd);
	nscc_grow(ccc, 0);
}

/* UE 1.0.1 3.6.13, fast increase: a whole window without delay comes first. */
static bool nscc_fast(struct uet_ccc *ccc, u32 bytes, u64 delay)
{
	struct uet_nscc *nscc = &ccc->nscc;

	if (delay < ccc->param->cfg.near_zero_ns) {
		nscc->fi_count += bytes;
		if (nscc->is_fast || nscc->fi_count > ccc->cwnd) {
			nscc_grow(ccc,
				  (u64)bytes * ccc->param->fi_scale >> 16);
			nscc->is_fast = true;
			ccc->stats.fast_increases++;
			return true;
		}
	} else {
		nscc->fi_count = 0;
	}
	nscc->is_fast = false;
	return false;
}

static void nscc_proportional(struct uet_ccc *ccc, u32 bytes, u64 delay)
{
	u64 gain;

	if (nscc_fast(ccc, bytes, delay))
		return;
	/* Gain in bytes, per acknowledged byte and window, Q8. */
	gain = ccc->param->alpha * (ccc->param->cfg.target_ns - delay) >> 8;
	ccc->nscc.inc_bytes += gain * bytes >> 8;
}

/*
 * A window that is small because nothing was known of the path grows quickly until most
 * of it arrives with a part of the target delay.
 *
 * Return: true if the window is still starting.
 */
static bool nscc_start(struct uet_ccc *ccc, const struct uet_cc_ack *ack, u64 delay)
{
	struct uet_nscc *nscc = &ccc->nscc;

	if (!nscc->is_starting)
		return false;
	if (delay < ccc->param->cfg.target_ns / 4)
		nscc->fi_count += ack->new_bytes;
	else
		nscc->late_bytes += ack->new_bytes;
	if (nscc->fi_count + nscc->late_bytes + ccc->param->cfg.mtu <= ccc->cwnd &&
	    ccc->param == ccc->network)
		return true;
	if (ack->cwnd_pend || ccc->cwnd >= nscc->max_wnd || nscc->late_bytes > nscc->fi_count) {
		nscc->is_starting = false;
		nscc->blind.samples = 0;
	} else {
		nscc_grow(ccc, NSCC_START_GAIN * (nscc->fi_count - nscc->late_bytes));
	}
	nscc->fi_count = 0;
	nscc->late_bytes = 0;
	return nscc->is_starting;
}

/* UE 1.0.1 3.6.13: the part of the window by which a delay exceeds its target. */
static void nscc_cut(struct uet_ccc *ccc, u64 delay, u64 target)
{
	u64 part = min_t(u64, div64_u64((delay - target) * NSCC_GAMMA, delay),
			 NSCC_DECREASE_MAX);

	nscc_shrink(ccc, (u32)(ccc->cwnd * part >> 16));
	ccc->stats.decreases++;
}

/* UE 1.0.1 3.6.13: at most once per base RTT, by the excess of the average delay. */
static void nscc_decrease(struct uet_ccc *ccc, u64 now)
{
	struct uet_nscc *nscc = &ccc->nscc;
	u64 target = ccc->param->cfg.target_ns;
	u64 avg = uet_cc_avg_ns(ccc);

	nscc->is_fast = false;
	nscc->fi_count = 0;
	if (avg <= target || uet_ns_since(now, nscc->last_dec) <= nscc->base_ns)
		return;
	nscc_cut(ccc, avg, target);
	nscc->last_dec = now;
}

/* Reaction to newly received bytes: one cell of the table of UE 1.0.1 3.6.13. */
static void nscc_judge(struct uet_ccc *ccc, const struct uet_cc_ack *ack,
		       u64 delay, u64 now)
{
	u32 bytes = min_t(u32, ack->new_bytes, NSCC_GAIN_BYTES_MAX);
	bool is_late = delay >= ccc->param->cfg.target_ns;

	if (ack->is_marked) {
		if (is_late)
			nscc_decrease(ccc, now);
		return;
	}
	if (ack->cwnd_pend)
		return;
	if (is_late)
		ccc->nscc.inc_bytes += (u64)ccc->param->fi * bytes;
	else
		nscc_proportional(ccc, bytes, delay);
}

static void nscc_clamp(struct uet_ccc *ccc)
{
	if (nscc_is_htsim(ccc, UET_HTSIM_CLAMP))
		nscc_grow(ccc, 0);
}

/* UE 1.0.1 3.6.13, fulfil: apply the accumulated increase, and eta once per period. */
static void nscc_fulfil(struct uet_ccc *ccc, u64 now)
{
	const struct uet_cc_param *param = ccc->param;
	struct uet_nscc *nscc = &ccc->nscc;
	bool is_time = uet_ns_since(now, nscc->last_adjust) >= param->adjust_period_ns;
	u64 add;

	if (!is_time && nscc->received_bytes <= param->adjust_bytes)
		return;
	/* Round to nearest: on a slow link an increase is only a few bytes. */
	add = div64_u64(nscc->inc_bytes + ccc->cwnd / 2, ccc->cwnd);
	if (is_time) {
		nscc->last_adjust = now;
		nscc->eta_rest += param->eta;
		add += nscc->eta_rest >> 8;
		nscc->eta_rest &= 0xff;
	}
	if (param->cfg.adapts)
		add = min(add, nscc->received_bytes);
	nscc_grow(ccc, add);
	nscc->inc_bytes = 0;
	nscc->received_bytes = 0;
}

/*
 * UE 1.0.1 3.6.13, quick adapt: once per base RTT and target delay.  If loss is
 * heavy, the window becomes the number of bytes that arrived meanwhile.  Marks of
 * packets still in flight are then ignored, because they carry no new information.
 */
static bool nscc_quick_adapt(struct uet_ccc *ccc, bool is_loss, bool is_marked,
			     u64 delay, u64 now)
{
	const struct uet_cc_param *param = ccc->param;
	struct uet_nscc *nscc = &ccc->nscc;
	u64 late = nscc_is_htsim(ccc, UET_HTSIM_QA_AFTER);
	bool consumed = false;

	if (!param->cfg.has_quick_adapt)
		return false;
	if (nscc->bytes_ignored < nscc->bytes_to_ignore && is_marked) {
		consumed = true;
	} else if (now >= nscc->qa_end + late) {
		if (nscc->qa_end && (nscc->trigger_qa || is_loss ||
				     delay > param->qa_threshold_ns) &&
		    nscc->achieved_bytes < nscc->max_wnd >> NSCC_QA_GATE) {
			ccc->cwnd = max_t(u64, nscc->achieved_bytes,
					  param->cfg.mtu);
			nscc->bytes_to_ignore = ccc->inflight;
			nscc->bytes_ignored = 0;
			nscc->trigger_qa = false;
			consumed = true;
			ccc->stats.quick_adapts++;
		}
		nscc->achieved_bytes = 0;
		nscc->qa_end = now + nscc->base_ns + param->cfg.target_ns;
	}
	if (consumed) {
		nscc->inc_bytes = 0;
		nscc->received_bytes = 0;
	}
	return consumed;
}

/* UE 1.0.1 3.6.13 (DFC): a slow destination demands a smaller window. */
static void nscc_flow_control(struct uet_ccc *ccc, const struct uet_cc_ack *ack)
{
	struct uet_nscc *nscc = &ccc->nscc;
	s64 cwnd;

	if (ack->cwnd_pend) {
		if (!nscc->saved_cwnd)
			nscc->saved_cwnd = ccc->cwnd;
		cwnd = min_t(s64, ccc->cwnd, ccc->inflight) -
		       ((s64)ack->cwnd_pend * ack->new_bytes >> 7);
		ccc->cwnd = (u64)max_t(s64, cwnd, ccc->param->cfg.mtu);
	} else if (ack->restore_cwnd && nscc->saved_cwnd) {
		ccc->cwnd = nscc->saved_cwnd;
		nscc->saved_cwnd = 0;
	}
}

/*
 * A network that drops and does not mark: a queue that stands is a mark.  The increase is
 * small, because the sum of the increases of many flows must not fill a shallow queue.
 */
static void nscc_blind(struct uet_ccc *ccc, const struct uet_cc_ack *ack, u64 delay,
		       u64 now)
{
	u32 bytes = min_t(u32, ack->new_bytes, NSCC_GAIN_BYTES_MAX);
	u64 target = uet_cc_blind_target(ccc);

	if (uet_cc_blind_excess(ccc, now)) {
		nscc_cut(ccc, ccc->nscc.blind.standing, target);
		ccc->nscc.inc_bytes = 0;
	} else if (delay < target && !ack->cwnd_pend && !nscc_fast(ccc, bytes, delay)) {
		ccc->nscc.inc_bytes += (u64)ccc->param->cfg.mtu / NSCC_BLIND_PART * bytes;
	}
	nscc_fulfil(ccc, now);
}

/* The largest window follows a delay that is no queue; in a round with a queue less. */
static void nscc_jitter(struct uet_ccc *ccc, u64 now)
{
	u32 kept = ccc->nscc.jitter_ns - ccc->nscc.jitter_ns / 16;

	if (kept < ccc->param->cfg.near_zero_ns)
		kept = 0;
	uet_cc_base_jitter(ccc, uet_cc_blind_applies(ccc, now) ?
				max(kept, uet_cc_blind_jitter(ccc)) : 0);
}

/* Delay that is a queue: with neither trims nor marks, quick adapt has only delays to see. */
static u64 nscc_queue(const struct uet_ccc *ccc, u64 delay, u64 now)
{
	return uet_cc_blind_applies(ccc, now) ? ccc->nscc.blind.standing : delay;
}

static void nscc_on_ack(struct uet_ccc *ccc, const struct uet_cc_ack *ack,
			u64 now)
{
	struct uet_nscc *nscc = &ccc->nscc;
	u64 delay;

	nscc->bytes_ignored += ack->new_bytes;
	nscc->received_bytes += ack->new_bytes;
	nscc->achieved_bytes += ack->new_bytes;
	nscc_flow_control(ccc, ack);
	if (ack->rtt_ns) {
		delay = uet_cc_base_sample(ccc, ack->rtt_ns, now);
		uet_cc_avg_sample(ccc, delay, ack->is_marked, now);
	} else if (nscc_is_htsim(ccc, UET_HTSIM_NO_SAMPLE)) {
		delay = uet_cc_avg_ns(ccc);
	} else {
		return;
	}
	uet_cc_blind_sample(ccc, delay, ack->is_marked, now);
	if (nscc->blind.is_full)
		nscc_jitter(ccc, now);
	if (nscc_start(ccc, ack, delay))
		return;
	if (uet_cc_is_blind(ccc, now)) {
		nscc_blind(ccc, ack, delay, now);
		uet_cc_base_apply_drain(ccc, now);
		return;
	}
	if (nscc_quick_adapt(ccc, false, ack->is_marked,
			     nscc_queue(ccc, delay, now), now))
		return;
	nscc_judge(ccc, ack, delay, now);
	nscc_clamp(ccc);
	nscc_fulfil(ccc, now);
	nscc_clamp(ccc);
	uet_cc_base_apply_drain(ccc, now);
}

/*
 * UE 1.0.1 3.6.13 (OnNACK).  If the destination paces credit, the destination reacts
 * to packets trimmed at the last hop, and the source does not.
 */
static void nscc_on_nack(struct uet_ccc *ccc, const struct uet_cc_pkt *pkt,
			 const struct uet_cc_nack *nack, u64 now)
{
	bool is_last = nack->code == UET_NACK_TRIMMED_LASTHOP;
	bool is_paced = is_last && ccc->grant == &uet_cc_rccc_ops;
	struct uet_nscc *nscc = &ccc->nscc;

	if (nack->rtt_ns)
		uet_cc_base_sample(ccc, nack->rtt_ns, now);
	if (nack->code != UET_NACK_TRIMMED && !is_last)
		return;
	uet_cc_avg_sample(ccc, ccc->param->cfg.base_rtt_ns, true, now);
	nscc->bytes_ignored += pkt->size;
	if (is_paced && !nscc_is_htsim(ccc, UET_HTSIM_LASTHOP_QA))
		return;
	nscc->trigger_qa = true;
	if (!nscc_quick_adapt(ccc, true, true, 0, now) && !is_paced)
		nscc_shrink(ccc, pkt->size);
}

static void nscc_on_loss(struct uet_ccc *ccc, const struct uet_cc_pkt *pkt,
			 enum uet_cc_loss why, u64 now)
{
	if (why != UET_CC_LOSS_RTO && uet_cc_blind_loss(ccc, now)) {
		nscc_shrink(ccc, (u32)(ccc->cwnd / NSCC_LOSS_PART));
		ccc->nscc.inc_bytes = 0;
		ccc->stats.decreases++;
		return;
	}
	if (why != UET_CC_LOSS_RTO && nscc_is_htsim(ccc, UET_HTSIM_SACK_LOSS))
		return;
	ccc->nscc.bytes_ignored += pkt->size;
	nscc_shrink(ccc, pkt->size);
}

/*
 * The largest window is that of full packets, which take longer than a Probe on every
 * link.  A Probe does not feed the average: absence of delay may be due to the control
 * class.
 */
static bool nscc_on_probe(struct uet_ccc *ccc, u64 rtt_ns, u64 now)
{
	struct uet_nscc *nscc = &ccc->nscc;
	u32 most = nscc->max_wnd;
	u64 delay = uet_cc_base_sample(ccc, rtt_ns, now);

	nscc->max_wnd = min(most, nscc->max_wnd +
				  nscc->max_wnd / NSCC_PROBE_PART);
	nscc->has_probed = true;
	if (delay < ccc->param->cfg.target_ns)
		return true;
	uet_cc_avg_sample(ccc, delay, true, now);
	return false;
}

/*
 * UE 1.0.1 3.6.13: fairness needs a good early sample.  No Probe is sent before the
 * first answer, because a Probe that overtakes the first data packet finds no PDC.
 * No Probe is sent if the data fits one BDP.
 */
static enum uet_cc_cp nscc_poll_cp(struct uet_ccc *ccc, u64 now, u32 *target)
{
	struct uet_cc_stats *stats = &ccc->stats;

	if (ccc->nscc.has_probed || nscc_is_htsim(ccc, UET_HTSIM_NO_PROBE) ||
	    !(stats->acks || stats->nacks || stats->trims ||
	      stats->trims_lasthop))
		return UET_CC_CP_NONE;
	ccc->nscc.has_probed = true;
	if (ccc->inflight + (s64)ccc->backlog <= (s64)ccc->network->bdp)
		return UET_CC_CP_NONE;
	return UET_CC_CP_PROBE;
}

const struct uet_cc_ops uet_cc_nscc_ops = {
	.name = "nscc",
	.init = nscc_init,
	.on_ack = nscc_on_ack,
	.on_nack = nscc_on_nack,
	.on_loss = nscc_on_loss,
	.on_probe = nscc_on_probe,
	.can_send = uet_cc_window_can_send,
	.wants_ack = uet_cc_window_wants_ack,
	.room = uet_cc_window_room,
	.poll_cp = nscc_poll_cp,
	.retune = nscc_retune,
	.wake = nscc_wake,
};
