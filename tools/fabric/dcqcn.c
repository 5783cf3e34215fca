// SPDX-License-Identifier: GPL-2.0
/*
 * The reaction point of DCQCN.  Timers have no events: their effect is computed when the
 * rate is needed.  Steps are parts of the rate of the link, because the paper's are for
 * 40 Gb/s.
 *
 * Spec: see dcqcn.h.  Level: test.
 */
#include "dcqcn.h"

#define DCQCN_ONE	(1U << 20)
#define DCQCN_G		256		/* 1/g */
#define DCQCN_ALPHA_NS	55000ULL
#define DCQCN_TIMER_NS	55000ULL
#define DCQCN_BYTES	10000000ULL
#define DCQCN_FAST	5		/* steps of fast recovery */
#define DCQCN_ADD	1000		/* additive: this part of the link, 40 Mb/s of 40 Gb/s */
#define DCQCN_HYPER	100		/* hyper: ten times as much */
#define DCQCN_LEAST	1000		/* least rate: this part of the link */

/**
 * dcqcn_init() - begin at the rate of the link
 * @d: result
 * @line: rate of the link, kb/s
 * @now: ns
 */
void dcqcn_init(struct dcqcn *d, u64 line, u64 now)
{
	*d = (struct dcqcn) {
		.line = line, .rate = line, .target = line, .alpha = DCQCN_ONE,
		.alpha_at = now + DCQCN_ALPHA_NS, .timer_at = now + DCQCN_TIMER_NS,
	};
}

/* Fast recovery, then additive increase, then hyper increase if both counters agree. */
static void dcqcn_increase(struct dcqcn *d)
{
	u32 most = max(d->timer_steps, d->byte_steps);
	u32 least = min(d->timer_steps, d->byte_steps);

	if (least > DCQCN_FAST)
		d->target += (least - DCQCN_FAST) * (d->line / DCQCN_HYPER);
	else if (most > DCQCN_FAST)
		d->target += d->line / DCQCN_ADD;
	d->target = min(d->target, d->line);
	d->rate = (d->target + d->rate + 1) / 2;
}

/* Do what the timers have done until now. */
static void dcqcn_advance(struct dcqcn *d, u64 now)
{
	for (; d->alpha_at <= now && d->alpha; d->alpha_at += DCQCN_ALPHA_NS)
		d->alpha = (u64)d->alpha * (DCQCN_G - 1) / DCQCN_G;
	for (; d->timer_at <= now && d->rate < d->line; d->timer_at += DCQCN_TIMER_NS) {
		d->timer_steps++;
		dcqcn_increase(d);
	}
}

/**
 * dcqcn_cnp() - a CNP has arrived: decrease the rate
 * @d: rate
 * @now: ns
 */
void dcqcn_cnp(struct dcqcn *d, u64 now)
{
	dcqcn_advance(d, now);
	d->target = d->rate;
	d->rate -= d->rate * d->alpha / (2 * DCQCN_ONE);
	d->rate = max(d->rate, d->line / DCQCN_LEAST);
	d->alpha += (DCQCN_ONE - d->alpha) / DCQCN_G;
	d->timer_steps = 0;
	d->byte_steps = 0;
	d->bytes = 0;
	d->alpha_at = now + DCQCN_ALPHA_NS;
	d->timer_at = now + DCQCN_TIMER_NS;
}

/**
 * dcqcn_sent() - a packet was sent
 * @d: rate
 * @bytes: bytes of the packet
 * @now: ns
 */
void dcqcn_sent(struct dcqcn *d, u32 bytes, u64 now)
{
	dcqcn_advance(d, now);
	d->bytes += bytes;
	if (d->bytes < DCQCN_BYTES)
		return;
	d->bytes -= DCQCN_BYTES;
	d->byte_steps++;
	dcqcn_increase(d);
}
