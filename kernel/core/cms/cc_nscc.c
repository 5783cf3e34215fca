// SPDX-License-Identifier: GPL-2.0
/*
 * Windows: one that never changes, and NSCC, a window at the source that follows the delay and
 * the ECN marks of its packets.  Below the target delay the window grows in proportion to the
 * distance from the target.  Above it and unmarked, the window grows slowly; marked, it
 * shrinks once per round trip by the average delay.  Trimmed packets make it jump down to the
 * amount that arrived.  All arithmetic is integer: scales are documented where a value is
 * kept.  The per-ACK path divides only when increases are applied or the window shrinks.
 *
 * Implements UE 1.0.1 3.6.13; windows and weights of the filters, and what is done in a network
 * that does not mark, are of this project, see Documentation/congestion.rst.  Level: core L3.
 */
#include "ccc.h"

/*
 * Bytes that a context may send before the first answer.  A host that begins to send to many
 * others at once sends one window to all together, or its own queue and those of the network
 * fill with the first windows.
 */
static u64 first_window(const struct uet_ccc *ccc)
{
	const struct uet_cc_param *param = ccc->param;
	u32 window = param->max_wnd;

	if (uet_cc_can_be_blind(&param->cfg))
		window = param->bdp / 8;
	if (param->cfg.shares_start && ccc->sharers > 1)
		window /= ccc->sharers;
	return max(window, param->cfg.mtu);
}

/*
 * UE 1.0.1 3.6.13 (CanSend).  The window must have space for a full packet, or small packets
 * would always pass large ones.
 */
static bool window_can_send(const struct uet_ccc *ccc)
{
	return ccc->inflight + ccc->param->cfg.mtu <= (s64)ccc->cwnd;
}

/*
 * Bytes that may be sent before a packet fills the window; not positive if each is to be
 * acknowledged.
 */
static s64 window_room(const struct uet_ccc *ccc)
{
	const struct uet_cc_cfg *cfg = &ccc->param->cfg;

	if (ccc->cwnd < cfg->ack_gen_trigger)
		return 0;
	return (s64)ccc->cwnd - ccc->inflight - cfg->mtu;
}

/*
 * UE 1.0.1 3.6.13 (ack_request).  If the window is full, or smaller than the amount that a
 * destination coalesces into one ACK, the sender would stall until the RTO without an immediate
 * ACK.  A full window of bursts is answered once per burst, not once per packet.
 */
static bool window_wants_ack(const struct uet_ccc *ccc)
{
	const struct uet_cc_cfg *cfg = &ccc->param->cfg;

	return ccc->cwnd < cfg->ack_gen_trigger ||
	       (window_room(ccc) < 0 &&
		ccc->since_ar + cfg->mtu >= min_t(u64, ccc->cwnd / 2, ccc->param->burst));
}

static void const_retune(struct uet_ccc *ccc)
{
	const struct uet_cc_param *param = ccc->param;

	ccc->cwnd = param->cfg.cwnd ? param->cfg.cwnd : param->max_wnd;
}

static void const_init(struct uet_ccc *ccc, u64 now)
{
	const_retune(ccc);
}

const struct uet_cc_ops uet_cc_const_ops = {
	.name = "const",
	.init = const_init,
	.retune = const_retune,
	.can_send = window_can_send,
	.wants_ack = window_wants_ack,
	.room = window_room,
};

/* Round trips are clamped to 2^31 ns, two seconds. */
#define DELAY_MAX_NS	(1U << 31)

/* Weight of one ACK in htsim: 1/80, Q16. */
#define HTSIM_WEIGHT	819

/*
 * Base RTTs that the average covers.  With one, windows shrink because of the fluctuation of a
 * single queue, see Documentation/congestion.rst.
 */
#define AVG_RTTS	4

/*
 * Round trips of the first window of time of a base RTT above the configured one, and how
 * often the next windows double: a first guess with others' queues in it does not last.
 */
#define BASE_WINDOW_RTTS	32
#define BASE_DOUBLINGS		8

/* Round trips of a drain: one until the queue has shrunk, one to see that. */
#define BASE_DRAIN_RTTS		2

static void base_set(struct uet_ccc *ccc, u32 base_ns)
{
	struct uet_nscc *nscc = &ccc->nscc;
	u32 bdp;

	/* Constants of the network, unless the path is longer. */
	ccc->param = ccc->network;
	if (base_ns > ccc->network->cfg.base_rtt_ns) {
		uet_cc_scale(&ccc->path, ccc->network, base_ns);
		ccc->param = &ccc->path;
	}
	bdp = min(uet_cc_bytes(ccc->param->cfg.rate_mbps, base_ns + nscc->jitter_ns),
		  nscc->jitter_ns ? UET_CC_BDP_MAX : ccc->param->bdp);
	nscc->base_ns = base_ns;
	nscc->max_wnd = uet_cc_max_window(ccc->param, bdp);
	nscc->avg_weight = div64_u64(1ULL << 48, AVG_RTTS * (u64)base_ns);
}

/* Is the path longer than configured? */
static bool base_is_far(const struct uet_ccc *ccc)
{
	return ccc->param == &ccc->path;
}

/*
 * A window of time has ended: drop the minimum of the window before.  A queue that is always
 * there looks like a longer path.  From time to time a context with a longer path therefore
 * sends so little that its part of a queue drains.
 */
static void base_turn(struct uet_ccc *ccc, u32 rtt, u64 now)
{
	u64 window = ccc->param->cfg.base_window_ns;
	struct uet_nscc *nscc = &ccc->nscc;
	u64 far;

	if (base_is_far(ccc)) {
		far = BASE_WINDOW_RTTS * (u64)nscc->base_ns;
		window = clamp_t(u64, window, far, far << nscc->base_windows);
	}
	if (!window || uet_ns_since(now, nscc->base_since) < window)
		return;
	nscc->base_min[1] = uet_ns_since(now, nscc->base_since) < 2 * window ?
			    nscc->base_min[0] : U32_MAX;
	nscc->base_min[0] = U32_MAX;
	nscc->base_since = now;
	nscc->base_windows = min_t(u32, nscc->base_windows + 1, BASE_DOUBLINGS);
	if (base_is_far(ccc)) {
		nscc->drain_end = now + BASE_DRAIN_RTTS * (u64)rtt;
		nscc->drained = ccc->cwnd;
	}
}

/*
 * Base RTT by the least round trip of two windows of time: one lucky packet, or a path that no
 * longer exists, must not pin the minimum for ever.
 *
 * Queues of others can make all round trips long for a while.  A base RTT that was configured
 * is therefore exceeded only after both windows.  The default is no knowledge: it is exceeded
 * at once, unless a queue of a BDP, or several where switches trim, would explain the round trip.
 */
static u32 base_of(const struct uet_ccc *ccc)
{
	u32 least = min(ccc->nscc.base_min[0], ccc->nscc.base_min[1]);
	const struct uet_cc_cfg *cfg = &ccc->network->cfg;
	u64 queued = (u64)cfg->base_rtt_ns * (cfg->has_trim ? 4 : 2);
	bool is_guess = cfg->base_rtt_ns == UET_CC_BASE_RTT_GUESS;

	if (cfg->adapts && ((is_guess && least > queued) || ccc->nscc.base_windows > 1))
		return least;
	return min(least, cfg->base_rtt_ns);
}

/*
 * Update the base RTT by a round trip (UE 1.0.1 3.6.13).  Return: its queueing delay, ns.  The
 * largest window is recomputed now; the window is limited to it at the next increase.
 */
u64 uet_cc_base_sample(struct uet_ccc *ccc, u64 rtt_ns, u64 now)
{
	struct uet_nscc *nscc = &ccc->nscc;
	u32 rtt = (u32)clamp_t(u64, rtt_ns, 1, DELAY_MAX_NS);
	bool is_far;
	u32 base;

	base_turn(ccc, rtt, now);
	if (rtt <= nscc->base_min[0] && base_is_far(ccc))
		nscc->base_since = now;
	nscc->base_min[0] = min(nscc->base_min[0], rtt);
	base = base_of(ccc);
	is_far = base / 2 > nscc->base_ns && !base_is_far(ccc);
	if (base != nscc->base_ns)
		base_set(ccc, base);
	if (is_far) {
		nscc->is_starting = true;
		ccc->cwnd = max(ccc->cwnd, first_window(ccc));
	}
	return rtt - base;
}

/* After an ACK: keep the window small during a drain, and restore it afterwards. */
static void base_apply_drain(struct uet_ccc *ccc, u64 now)
{
	struct uet_nscc *nscc = &ccc->nscc;
	u64 small;

	if (!nscc->drain_end)
		return;
	if (now < nscc->drain_end) {
		small = max_t(u64, min_t(u64, ccc->param->bdp, nscc->drained) / 8,
			      ccc->param->cfg.mtu);
		ccc->cwnd = min(ccc->cwnd, small);
		return;
	}
	nscc->drain_end = 0;
	ccc->cwnd = max(ccc->cwnd, min_t(u64, nscc->drained, nscc->max_wnd));
}

/* Unmarked but late: the queue drains already, so the next delay will be shorter. */
static u64 avg_htsim(const struct uet_ccc *ccc, u64 delay, bool is_marked)
{
	if (!is_marked && delay > ccc->param->cfg.target_ns)
		return ccc->nscc.base_ns / 4;
	return delay;
}

/*
 * Update the average by a queueing delay.  A sample is weighed by the time since the previous
 * one, so that the average does not depend on how a destination coalesces ACKs.  UE 1.0.1 3.6.13:
 * over about one base RTT; AVG_RTTS differs.
 */
void uet_cc_avg_sample(struct uet_ccc *ccc, u64 delay_ns, bool is_marked, u64 now)
{
	struct uet_nscc *nscc = &ccc->nscc;
	u64 delay = min_t(u64, delay_ns, DELAY_MAX_NS);
	s64 weight = HTSIM_WEIGHT;

	if (ccc->param->cfg.htsim & UET_HTSIM_FILTER)
		delay = avg_htsim(ccc, delay, is_marked);
	else if (!nscc->avg_at ||
		 uet_ns_since(now, nscc->avg_at) >= AVG_RTTS * (u64)nscc->base_ns)
		weight = 1 << 16;
	else
		weight = (s64)(uet_ns_since(now, nscc->avg_at) * nscc->avg_weight >> 32);
	nscc->avg_at = max(nscc->avg_at, now);
	nscc->avg_ns += ((s64)(delay << 6) - nscc->avg_ns) * weight >> 16;
}

/* Base RTTs without a mark after which a network is taken for one that does not mark. */
#define BLIND_MARK_RTTS		64

/* Base RTTs after a loss in which a queue that stands cuts the window. */
#define BLIND_LOSS_RTTS		16384

/* Samples of a round: the least delay of fewer may be luck. */
#define BLIND_SAMPLES		8

/*
 * Delay of a window of one BDP, and how much more a window of half its size may cause, in parts
 * of 256 of the target delay; for windows of 2 to 1/32 BDP.
 */
#define BLIND_TARGET		46
#define BLIND_TARGET_STEP	24
#define BLIND_LOG_MIN		(-1 * 16)
#define BLIND_LOG_MAX		(5 * 16)

static bool blind_is_recent(const struct uet_ccc *ccc, u64 at, u32 rtts, u64 now)
{
	return at && uet_ns_since(now, at) <= rtts * (u64)ccc->nscc.base_ns;
}

/* Does the network neither trim nor mark, as far as is known? */
static bool blind_applies(const struct uet_ccc *ccc, u64 now)
{
	return uet_cc_can_be_blind(&ccc->param->cfg) &&
	       !blind_is_recent(ccc, ccc->nscc.blind.mark_at, BLIND_MARK_RTTS, now);
}

/* Jitter hides a queue. */
static bool blind_is_jittery(const struct uet_ccc *ccc)
{
	return ccc->nscc.jitter_ns > ccc->param->cfg.target_ns;
}

static void blind_begin(struct uet_cc_blind *blind, u64 from)
{
	blind->from = from;
	blind->samples = 0;
	blind->sum = 0;
	blind->is_full = false;
}

/*
 * Add the delay of a packet, after the effect of the latest cut can be seen.  The least delay
 * of a round, of at least a base RTT, is the queue that stands.  The average would also show
 * jitter, and queues of bursts that drain again.
 */
void uet_cc_blind_sample(struct uet_ccc *ccc, u64 delay_ns, bool is_marked, u64 now)
{
	struct uet_cc_blind *blind = &ccc->nscc.blind;

	if (is_marked)
		blind->mark_at = now;
	if (now < blind->from)
		return;
	if (blind->is_full)
		blind_begin(blind, now);
	blind->least = blind->samples ? min_t(u64, blind->least, delay_ns) : delay_ns;
	blind->sum += delay_ns;
	blind->samples++;
	blind->is_full = blind->samples >= BLIND_SAMPLES &&
			 uet_ns_since(now, blind->from) >= ccc->nscc.base_ns;
	if (blind->samples >= BLIND_SAMPLES)
		blind->standing = blind->least;
}

/* Mean delay of a full round, ns, if nothing stands and the mean is above the target; else 0. */
static u32 blind_jitter(const struct uet_ccc *ccc)
{
	const struct uet_cc_blind *blind = &ccc->nscc.blind;
	u64 target = ccc->param->cfg.target_ns;

	if (blind->standing >= target / 4 || blind->sum <= target * blind->samples)
		return 0;
	return (u32)div_u64(blind->sum, blind->samples);
}

/* log2 of a number of bytes, Q4. */
static s32 blind_log(u64 bytes)
{
	u32 bits = fls64(bytes | 16) - 1;

	return (s32)(bits << 4 | (bytes >> (bits - 4) & 15));
}

/*
 * Delay that stands for a mark, ns.  It is smaller for larger windows.  Otherwise a flow whose
 * base RTT was measured less exactly would have another share for ever.
 */
u64 uet_cc_blind_target(const struct uet_ccc *ccc)
{
	s32 part = blind_log(ccc->param->bdp) - blind_log(ccc->cwnd);

	part = clamp(part, BLIND_LOG_MIN, BLIND_LOG_MAX);
	part = BLIND_TARGET + BLIND_TARGET_STEP * part / 16;
	return (u64)ccc->param->cfg.target_ns * (u32)part >> 8;
}

/* The effect of a cut is seen after a round trip. */
static void blind_skip(struct uet_ccc *ccc, u64 now)
{
	struct uet_cc_blind *blind = &ccc->nscc.blind;

	blind_begin(blind, now + ccc->nscc.base_ns + blind->standing);
}

/* A packet was lost: does a queue stand, and is this the first loss of a round trip? */
static bool blind_loss(struct uet_ccc *ccc, u64 now)
{
	struct uet_cc_blind *blind = &ccc->nscc.blind;

	if (!blind_applies(ccc, now) || blind_is_jittery(ccc) ||
	    blind->standing < ccc->param->cfg.target_ns / 2)
		return false;
	blind->loss_at = now;
	if (now < blind->from)
		return false;
	blind_skip(ccc, now);
	return true;
}

/*
 * Does the network drop packets of a queue that it does not mark?  Then a queue that stands has
 * to cut the window.
 */
bool uet_cc_is_blind(const struct uet_ccc *ccc, u64 now)
{
	return blind_is_recent(ccc, ccc->nscc.blind.loss_at, BLIND_LOSS_RTTS, now) &&
	       blind_applies(ccc, now) && !blind_is_jittery(ccc);
}

/* Is the queue that stands too long?  True once per round that says so. */
static bool blind_excess(struct uet_ccc *ccc, u64 now)
{
	const struct uet_cc_blind *blind = &ccc->nscc.blind;

	if (!blind->is_full || blind->standing <= uet_cc_blind_target(ccc))
		return false;
	blind_skip(ccc, now);
	return true;
}

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
	ccc->nscc.base_min[0] = U32_MAX;
	ccc->nscc.base_min[1] = U32_MAX;
	ccc->nscc.base_since = now;
	base_set(ccc, ccc->network->cfg.base_rtt_ns);
	nscc_reset(ccc, now);
}

/*
 * The quick adapt meter covers an idle time.  Restart it, or the first ACK would find that no
 * data arrived.
 */
static void nscc_wake(struct uet_ccc *ccc, u64 idle_ns, u64 now)
{
	u64 limit = ccc->param->cfg.idle_ns;

	ccc->nscc.qa_end = 0;
	ccc->nscc.achieved_bytes = 0;
	if (limit && idle_ns >= limit)
		nscc_reset(ccc, now);
	if (ccc->nscc.is_new) {
		ccc->cwnd = min(ccc->cwnd, first_window(ccc));
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

	base_set(ccc, ccc->nscc.base_ns);
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
			nscc_grow(ccc, (u64)bytes * ccc->param->fi_scale >> 16);
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
 * Is the window still starting?  One that is small because nothing was known of the path grows
 * quickly until most of it arrives with a part of the target delay.
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
	u64 part = min_t(u64, div64_u64((delay - target) * NSCC_GAMMA, delay), NSCC_DECREASE_MAX);

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
static void nscc_judge(struct uet_ccc *ccc, const struct uet_cc_ack *ack, u64 delay, u64 now)
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
 * UE 1.0.1 3.6.13, quick adapt: once per base RTT and target delay.  If loss is heavy, the window
 * becomes the number of bytes that arrived meanwhile.  Marks of packets still in flight are
 * then ignored, because they carry no new information.
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
			ccc->cwnd = max_t(u64, nscc->achieved_bytes, param->cfg.mtu);
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
 * A network that drops and does not mark: a queue that stands is a mark.  The increase is small,
 * because the sum of the increases of many flows must not fill a shallow queue.
 */
static void nscc_blind(struct uet_ccc *ccc, const struct uet_cc_ack *ack, u64 delay, u64 now)
{
	u32 bytes = min_t(u32, ack->new_bytes, NSCC_GAIN_BYTES_MAX);
	u64 target = uet_cc_blind_target(ccc);

	if (blind_excess(ccc, now)) {
		nscc_cut(ccc, ccc->nscc.blind.standing, target);
		ccc->nscc.inc_bytes = 0;
	} else if (delay < target && !ack->cwnd_pend && !nscc_fast(ccc, bytes, delay)) {
		ccc->nscc.inc_bytes += (u64)ccc->param->cfg.mtu / NSCC_BLIND_PART * bytes;
	}
	nscc_fulfil(ccc, now);
}

/*
 * Packets in flight fill a path for its least round trip and its jitter, so the largest window
 * follows a delay that is no queue; in a round with a queue less.
 */
static void nscc_jitter(struct uet_ccc *ccc, u64 now)
{
	struct uet_nscc *nscc = &ccc->nscc;
	u32 jitter_ns = nscc->jitter_ns - nscc->jitter_ns / 16;

	if (jitter_ns < ccc->param->cfg.near_zero_ns)
		jitter_ns = 0;
	jitter_ns = blind_applies(ccc, now) ? max(jitter_ns, blind_jitter(ccc)) : 0;
	if (jitter_ns == nscc->jitter_ns)
		return;
	nscc->jitter_ns = jitter_ns;
	base_set(ccc, nscc->base_ns);
}

static void nscc_on_ack(struct uet_ccc *ccc, const struct uet_cc_ack *ack, u64 now)
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
		base_apply_drain(ccc, now);
		return;
	}
	/* With neither trims nor marks, quick adapt has only delays to see. */
	if (nscc_quick_adapt(ccc, false, ack->is_marked, blind_applies(ccc, now) ?
			     nscc->blind.standing : delay, now))
		return;
	nscc_judge(ccc, ack, delay, now);
	nscc_clamp(ccc);
	nscc_fulfil(ccc, now);
	nscc_clamp(ccc);
	base_apply_drain(ccc, now);
}

/*
 * UE 1.0.1 3.6.13 (OnNACK).  If the destination paces credit, the destination reacts to packets
 * trimmed at the last hop, and the source does not.
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
	if (why != UET_CC_LOSS_RTO && blind_loss(ccc, now)) {
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
 * The largest window is that of full packets, which take longer than a Probe on every link.  A
 * Probe does not feed the average: absence of delay may be due to the control class.
 */
static bool nscc_on_probe(struct uet_ccc *ccc, u64 rtt_ns, u64 now)
{
	struct uet_nscc *nscc = &ccc->nscc;
	u32 most = nscc->max_wnd;
	u64 delay = uet_cc_base_sample(ccc, rtt_ns, now);

	nscc->max_wnd = min(most, nscc->max_wnd + nscc->max_wnd / NSCC_PROBE_PART);
	nscc->has_probed = true;
	if (delay < ccc->param->cfg.target_ns)
		return true;
	uet_cc_avg_sample(ccc, delay, true, now);
	return false;
}

/*
 * UE 1.0.1 3.6.13: fairness needs a good early sample.  No Probe is sent before the first answer,
 * because a Probe that overtakes the first data packet finds no PDC; nor if the data fits one
 * BDP.
 */
static enum uet_cc_cp nscc_poll_cp(struct uet_ccc *ccc, u64 now, u32 *target)
{
	struct uet_cc_stats *stats = &ccc->stats;

	if (ccc->nscc.has_probed || nscc_is_htsim(ccc, UET_HTSIM_NO_PROBE) ||
	    !(stats->acks || stats->nacks || stats->trims || stats->trims_lasthop))
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
	.can_send = window_can_send,
	.wants_ack = window_wants_ack,
	.room = window_room,
	.poll_cp = nscc_poll_cp,
	.retune = nscc_retune,
	.wake = nscc_wake,
};
