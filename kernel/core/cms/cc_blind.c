// SPDX-License-Identifier: GPL-2.0
/*
 * Signals of congestion without marks: rounds of at least a base RTT, the least delay of
 * each, and the delay that a window of a given size may cause.
 *
 * The least delay of a round shows the queue that stands.  The average would also show
 * jitter, and queues of bursts that drain again.
 *
 * Spec: none; see Documentation/congestion.rst.  Level: core L3.
 */
#include "cc_blind.h"

/* Base RTTs without a mark after which a network is taken for one that does not mark. */
#define BLIND_MARK_RTTS		64

/* Base RTTs after a loss in which a queue that stands cuts the window. */
#define BLIND_LOSS_RTTS		16384

/* Samples of a round: the least delay of fewer may be luck. */
#define BLIND_SAMPLES		8

/*
 * Delay of a window of one BDP, and how much more a window of half its size may cause, in
 * parts of 256 of the target delay; for windows of 2 to 1/32 BDP.
 */
#define BLIND_TARGET		46
#define BLIND_TARGET_STEP	24
#define BLIND_LOG_MIN		(-1 * 16)
#define BLIND_LOG_MAX		(5 * 16)

static bool blind_is_recent(const struct uet_ccc *ccc, u64 at, u32 rtts, u64 now)
{
	return at && uet_ns_since(now, at) <= rtts * (u64)ccc->nscc.base_ns;
}

/*
 * Does the network neither trim nor mark, as far as is known?
 * Return: true if only losses and delays can tell of congestion.
 */
bool uet_cc_blind_applies(const struct uet_ccc *ccc, u64 now)
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

/* Add the delay of a packet, after the effect of the latest cut can be seen. */
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

/*
 * Delay that is no queue, of a round that is full.
 * Return: mean delay, ns, if nothing stands and the mean is above the target; else 0.
 */
u32 uet_cc_blind_jitter(const struct uet_ccc *ccc)
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
 * Delay that stands for a mark.
 *
 * It is smaller for larger windows.  Otherwise a flow whose base RTT was measured less
 * exactly would have another share for ever.
 *
 * Return: ns.
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

/*
 * A packet was lost.
 * Return: true if a queue stands and this is the first loss of a round trip.
 */
bool uet_cc_blind_loss(struct uet_ccc *ccc, u64 now)
{
	struct uet_cc_blind *blind = &ccc->nscc.blind;

	if (!uet_cc_blind_applies(ccc, now) || blind_is_jittery(ccc) ||
	    blind->standing < ccc->param->cfg.target_ns / 2)
		return false;
	blind->loss_at = now;
	if (now < blind->from)
		return false;
	blind_skip(ccc, now);
	return true;
}

/*
 * Does the network drop packets of a queue that it does not mark?
 * Return: true if so: then a queue that stands has to cut the window.
 */
bool uet_cc_is_blind(const struct uet_ccc *ccc, u64 now)
{
	return blind_is_recent(ccc, ccc->nscc.blind.loss_at, BLIND_LOSS_RTTS, now) &&
	       uet_cc_blind_applies(ccc, now) && !blind_is_jittery(ccc);
}

/*
 * Is the queue that stands too long?
 * Return: true once per round that says so.
 */
bool uet_cc_blind_excess(struct uet_ccc *ccc, u64 now)
{
	const struct uet_cc_blind *blind = &ccc->nscc.blind;

	if (!blind->is_full || blind->standing <= uet_cc_blind_target(ccc))
		return false;
	blind_skip(ccc, now);
	return true;
}
