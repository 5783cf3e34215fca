/* SPDX-License-Identifier: GPL-2.0 */
/*
 * NSCC once more, in floating point and straight from the text, to compare
 * kernel/core/cms/cc_nscc.c with: no scales, no bounds, no bit tricks, nothing shared
 * with it but the numbers a network is described by.  Times are microseconds,
 * sizes bytes.  Spec: UE 1.0.1 3.6.13.  Level: test.
 */
#ifndef UET_SELFTESTS_NSCCMODEL_H
#define UET_SELFTESTS_NSCCMODEL_H

#include <float.h>
#include <stdbool.h>

struct nsccmodel {
	/* Network. */
	double rate;		/* bytes per us */
	double t0, mtu, target, near_zero;
	bool has_trim, has_rccc;
	/* Constants. */
	double alpha, fi, fi_scale, eta, adjust_bytes, qa_threshold;
	/* State. */
	double cwnd, inflight, saved, base, max_wnd, avg, avg_at;
	double achieved, received, fi_count, to_ignore, ignored, inc;
	double qa_end, last_adjust, last_dec;
	bool is_fast, trigger_qa, has_avg;
};

/* libm has them; so little need not link it. */
static inline double larger(double a, double b)
{
	return a > b ? a : b;
}

static inline double smaller(double a, double b)
{
	return a < b ? a : b;
}

static inline void nsccmodel_init(struct nsccmodel *m, double gbps, double t0,
				  double mtu, bool has_trim, double now)
{
	double bdp = gbps * 125 * t0, a = bdp / 150000;

	*m = (struct nsccmodel) { .rate = gbps * 125, .t0 = t0, .mtu = mtu,
				  .has_trim = has_trim };
	m->target = has_trim ? 0.75 * t0 : t0;
	m->near_zero = larger(1, t0 / 16);
	m->alpha = 4 * a * (m->target / 12) * mtu / m->target;
	m->fi = 5 * mtu * a;
	m->fi_scale = 0.25 * a;
	m->eta = 0.15 * mtu * a;
	m->adjust_bytes = 8 * mtu;
	m->qa_threshold = has_trim ? DBL_MAX : 4 * m->target;
	m->base = t0;
	m->max_wnd = larger(1.5 * bdp, mtu);
	m->cwnd = m->max_wnd;
	m->last_adjust = now;
	m->last_dec = now;
}

static inline double nsccmodel_base(struct nsccmodel *m, double rtt)
{
	if (rtt < m->base) {
		m->base = rtt;
		m->max_wnd = larger(1.5 * m->rate * rtt, m->mtu);
	}
	return rtt - m->base;
}

static inline void nsccmodel_avg(struct nsccmodel *m, double delay, double now)
{
	double w = smaller(1, (now - m->avg_at) / (4 * m->base));

	m->avg += (m->has_avg ? w : 1) * (delay - m->avg);
	m->avg_at = now;
	m->has_avg = true;
}

static inline bool nsccmodel_quick(struct nsccmodel *m, bool loss, bool mark,
				   double delay, double now)
{
	bool consumed = false;

	if (m->ignored < m->to_ignore && mark) {
		consumed = true;
	} else if (now >= m->qa_end) {
		if (m->qa_end != 0 &&
		    (m->trigger_qa || loss || delay > m->qa_threshold) &&
		    m->achieved < m->max_wnd / 8) {
			m->cwnd = larger(m->achieved, m->mtu);
			m->to_ignore = m->inflight;
			m->ignored = 0;
			m->trigger_qa = false;
			consumed = true;
		}
		m->achieved = 0;
		m->qa_end = now + m->base + m->target;
	}
	if (consumed)
		m->inc = m->received = 0;
	return consumed;
}

static inline void nsccmodel_below(struct nsccmodel *m, double n, double delay)
{
	if (delay < m->near_zero) {
		m->fi_count += n;
		if (m->fi_count > m->cwnd || m->is_fast) {
			m->cwnd = smaller(m->cwnd + n * m->fi_scale, m->max_wnd);
			m->is_fast = true;
			return;
		}
	} else {
		m->fi_count = 0;
	}
	m->is_fast = false;
	m->inc += m->alpha * n * (m->target - delay);
}

static inline void nsccmodel_decrease(struct nsccmodel *m, double now)
{
	m->is_fast = false;
	m->fi_count = 0;
	if (m->avg > m->target && now - m->last_dec > m->base) {
		m->cwnd *= larger(1 - 0.8 * (m->avg - m->target) / m->avg, 0.5);
		m->cwnd = larger(m->cwnd, m->mtu);
		m->last_dec = now;
	}
}

static inline void nsccmodel_fulfil(struct nsccmodel *m, double now)
{
	bool is_time = now - m->last_adjust >= m->t0;

	if (!is_time && m->received <= m->adjust_bytes)
		return;
	m->cwnd += m->inc / m->cwnd;
	if (is_time) {
		m->cwnd += m->eta;
		m->last_adjust = now;
	}
	m->cwnd = smaller(m->cwnd, m->max_wnd);
	m->inc = m->received = 0;
}

/* An ACK of @n bytes; @rtt is 0 without sample, @pend and @rc are DFC's. */
static inline void nsccmodel_ack(struct nsccmodel *m, double n, double rtt,
				 bool mark, int pend, bool rc, double now)
{
	double delay;

	m->inflight -= n;
	m->ignored += n;
	m->received += n;
	m->achieved += n;
	if (pend) {
		if (m->saved == 0)
			m->saved = m->cwnd;
		m->cwnd = larger(m->mtu, smaller(m->cwnd, m->inflight) -
				       pend * n / 128);
	} else if (rc && m->saved > 0) {
		m->cwnd = m->saved;
		m->saved = 0;
	}
	if (rtt == 0)
		return;
	delay = nsccmodel_base(m, rtt);
	nsccmodel_avg(m, delay, now);
	if (nsccmodel_quick(m, false, mark, delay, now))
		return;
	if (mark && delay >= m->target)
		nsccmodel_decrease(m, now);
	else if (!mark && !pend && delay >= m->target)
		m->inc += m->fi * n;
	else if (!mark && !pend)
		nsccmodel_below(m, n, delay);
	nsccmodel_fulfil(m, now);
}

static inline void nsccmodel_trim(struct nsccmodel *m, double size, bool last,
				  double now)
{
	m->inflight -= size;
	nsccmodel_avg(m, m->t0, now);
	m->ignored += size;
	if (last && m->has_rccc)
		return;
	m->trigger_qa = true;
	if (!nsccmodel_quick(m, true, true, 0, now))
		m->cwnd = larger(m->cwnd - size, m->mtu);
}

static inline void nsccmodel_loss(struct nsccmodel *m, double size)
{
	m->inflight -= size;
	m->ignored += size;
	m->cwnd = larger(m->cwnd - size, m->mtu);
}

static inline void nsccmodel_send(struct nsccmodel *m, double size)
{
	m->inflight += size;
}

#endif /* UET_SELFTESTS_NSCCMODEL_H */
