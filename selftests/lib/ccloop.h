/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The smallest network in which a window means anything: some sources, each with a
 * link of its own, one queue in front of one destination that marks and trims, and
 * a constant time on the way.  All sources always have something to send.  It is no
 * simulator of fabrics: it says whether control loops close.  Level: test.
 *
 * A packet is sent, reaches the queue after a time, leaves it, is acknowledged; one
 * that finds the queue full is trimmed there and refused.  As all times on the way
 * are constants, what waits for each of these is a FIFO.
 */
#ifndef UET_SELFTESTS_CCLOOP_H
#define UET_SELFTESTS_CCLOOP_H

#include "core/cms/cc_pacer.h"
#include "cctest.h"

#define LOOP_SOURCES	32
#define LOOP_FIFO	8192

struct loop_pkt {
	u64 at;		/* when it has gone this part of its way */
	u16 src;
	u16 slot;
	bool is_marked;
	bool is_trimmed;
	u32 value;	/* credit_target, or credit */
};

struct loop_fifo {
	struct loop_pkt pkt[LOOP_FIFO];
	u32 head, tail;
};

struct loop_source {
	struct uet_ccc ccc;
	struct uet_cc_pkt pkt[CC_PKTS];
	struct uet_pacer_flow flow;
	u64 free_at;
	u64 delivered;
};

struct ccloop {
	struct uet_cc_cfg cfg;
	struct uet_cc_param param;
	struct loop_source src[LOOP_SOURCES];
	u32 sources;
	struct loop_fifo way, queue, acks, nacks, credits, requests;
	struct uet_pacer pacer;
	bool marks;
	u32 lose_pct;	/* of credits and requests */
	u64 now, queued, free_at;
	/* Since the last ccloop_measure(). */
	u64 packets, marked, trims, delay_sum, cwnd_sum, asked, since;
};

static inline u64 loop_ns(const struct ccloop *l, u64 bytes)
{
	return bytes * 8000 / l->cfg.rate_mbps;
}

static inline void loop_put(struct loop_fifo *f, struct loop_pkt pkt, u64 at)
{
	pkt.at = at;
	f->pkt[f->tail++ % LOOP_FIFO] = pkt;
	if (f->tail - f->head > LOOP_FIFO) {
		printf("Bail out! more packets than a loop can hold\n");
		exit(1);
	}
}

static inline u64 loop_at(const struct loop_fifo *f)
{
	return f->head == f->tail ? U64_MAX : f->pkt[f->head % LOOP_FIFO].at;
}

static inline struct loop_pkt loop_get(struct loop_fifo *f)
{
	return f->pkt[f->head++ % LOOP_FIFO];
}

static inline void ccloop_init(struct ccloop *l, u32 sources,
			       const struct uet_cc_cfg *cfg)
{
	u32 i;

	memset(l, 0, sizeof(*l));
	l->cfg = *cfg;
	l->sources = sources;
	l->marks = cfg->grant != UET_GRANT_RCCC;
	l->now = CC_T0;
	l->since = l->now;
	if (uet_cc_derive(&l->param, cfg))
		exit(1);
	uet_pacer_init(&l->pacer, cfg->rate_mbps, cfg->base_rtt_ns, cfg->mtu,
		       l->now);
	for (i = 0; i < sources; i++) {
		uet_ccc_init(&l->src[i].ccc, &l->param, NULL, l->now);
		uet_ccc_new_data(&l->src[i].ccc, 1ULL << 40, l->now);
		uet_pacer_flow_init(&l->src[i].flow);
		l->src[i].free_at = l->now;
	}
}

/* Times on the way: the rest of a base RTT after sending through two links. */
static inline u64 loop_half(const struct ccloop *l)
{
	return (l->cfg.base_rtt_ns - 2 * loop_ns(l, l->cfg.mtu)) / 2;
}

/* Retransmissions go first. */
static inline u16 loop_slot(const struct loop_source *s)
{
	u16 slot, fresh = CC_PKTS;

	for (slot = 0; slot < CC_PKTS; slot++) {
		if (s->pkt[slot].state == UET_CC_PKT_WAITS)
			return slot;
		if (s->pkt[slot].state == UET_CC_PKT_NONE && fresh == CC_PKTS)
			fresh = slot;
	}
	return fresh;
}

static inline void loop_send(struct ccloop *l, u32 i)
{
	struct loop_source *s = &l->src[i];
	struct loop_pkt pkt = { .src = (u16)i, .slot = loop_slot(s) };
	struct uet_cc_send send;

	if (pkt.slot == CC_PKTS) {
		printf("Bail out! source %u has too much in flight\n", i);
		exit(1);
	}
	uet_ccc_send(&s->ccc, &s->pkt[pkt.slot], (u16)l->cfg.mtu, l->now,
		     &send);
	pkt.value = send.credit_target;
	s->free_at = l->now + loop_ns(l, l->cfg.mtu);
	loop_put(&l->way, pkt, s->free_at + loop_half(l));
}

/* The header of a trimmed packet overtakes the queue. */
static inline void loop_arrive(struct ccloop *l)
{
	struct loop_pkt pkt = loop_get(&l->way);

	if (l->queued + l->cfg.mtu > l->param.bdp) {
		l->trims++;
		uet_pacer_demand(&l->pacer, &l->src[pkt.src].flow, pkt.value,
				 true, l->now);
		loop_put(&l->nacks, pkt, l->now + loop_half(l));
		return;
	}
	l->queued += l->cfg.mtu;
	l->free_at = (l->free_at > l->now ? l->free_at : l->now) +
		     loop_ns(l, l->cfg.mtu);
	loop_put(&l->queue, pkt, l->free_at);
}

/* Marked by what is left behind: none at 0.2 BDP, all at 0.8. */
static inline void loop_leave(struct ccloop *l)
{
	struct loop_pkt pkt = loop_get(&l->queue);
	double share;

	l->queued -= l->cfg.mtu;
	share = ((double)l->queued / l->param.bdp - 0.2) / 0.6;
	pkt.is_marked = l->marks && utest_rand() % 1000000 < share * 1000000;
	if (share <= 0)
		pkt.is_marked = false;
	uet_pacer_demand(&l->pacer, &l->src[pkt.src].flow, pkt.value, false,
			 l->now);
	l->src[pkt.src].delivered += l->cfg.mtu;
	loop_put(&l->acks, pkt, l->now + loop_half(l));
}

static inline void loop_ack(struct ccloop *l)
{
	struct loop_pkt pkt = loop_get(&l->acks);
	struct loop_source *s = &l->src[pkt.src];
	struct uet_cc_pkt *rec = &s->pkt[pkt.slot];
	struct uet_cc_ack ack = { .new_bytes = l->cfg.mtu,
				  .is_marked = pkt.is_marked };

	ack.rtt_ns = uet_cc_sample_ns(rec, rec->sends > 1, 0, l->now);
	l->packets++;
	l->marked += pkt.is_marked;
	l->delay_sum += l->now - rec->sent_ns - l->cfg.base_rtt_ns;
	l->cwnd_sum += s->ccc.cwnd;
	uet_cc_ack_pkt(&ack, rec);
	uet_ccc_ack(&s->ccc, &ack, l->now);
}

static inline void loop_nack(struct ccloop *l)
{
	struct loop_pkt pkt = loop_get(&l->nacks);
	struct loop_source *s = &l->src[pkt.src];
	struct uet_cc_nack nack = { .code = UET_NACK_TRIMMED_LASTHOP };

	uet_ccc_nack(&s->ccc, &s->pkt[pkt.slot], &nack, l->now);
}

static inline bool loop_loses(const struct ccloop *l)
{
	return utest_rand() % 100 < l->lose_pct;
}

static inline void loop_pace(struct ccloop *l)
{
	struct uet_pacer_flow *flow;
	struct loop_source *s;
	u32 credit;

	uet_pacer_run(&l->pacer, l->now);
	while ((flow = uet_pacer_poll(&l->pacer, &credit))) {
		s = container_of(flow, struct loop_source, flow);
		if (loop_loses(l))
			continue;
		loop_put(&l->credits, (struct loop_pkt) {
			.src = (u16)(s - l->src), .value = credit },
			l->now + loop_half(l));
	}
}

static inline void loop_credit(struct ccloop *l)
{
	struct loop_pkt pkt = loop_get(&l->credits);

	uet_ccc_credit(&l->src[pkt.src].ccc, pkt.value, l->now);
}

static inline void loop_request(struct ccloop *l)
{
	struct loop_pkt pkt = loop_get(&l->requests);

	uet_pacer_request(&l->pacer, &l->src[pkt.src].flow, pkt.value, l->now);
}

/* A source that waits for nothing is skipped: its deadline is never. */
static inline void loop_ask(struct ccloop *l)
{
	struct loop_pkt pkt = { 0 };
	struct uet_ccc *ccc;
	u32 i;

	for (i = 0; i < l->sources; i++) {
		ccc = &l->src[i].ccc;
		if (uet_ccc_deadline(ccc) > l->now ||
		    uet_ccc_poll_cp(ccc, l->now, &pkt.value) !=
		    UET_CC_CP_CREDIT_REQUEST)
			continue;
		l->asked++;
		pkt.src = (u16)i;
		if (!loop_loses(l))
			loop_put(&l->requests, pkt, l->now + loop_half(l));
	}
}

static inline u64 loop_ask_at(const struct ccloop *l)
{
	u64 at = U64_MAX;
	u32 i;

	for (i = 0; i < l->sources; i++)
		at = min(at, uet_ccc_deadline(&l->src[i].ccc));
	return at;
}

/* When something happens next, and what: 0..sources - 1 is that one sends. */
static inline u64 loop_next(const struct ccloop *l, u32 *what)
{
	bool paces = l->cfg.grant == UET_GRANT_RCCC;
	u64 at[8] = { loop_at(&l->queue), loop_at(&l->way), loop_at(&l->acks),
		      loop_at(&l->nacks), loop_at(&l->credits),
		      loop_at(&l->requests),
		      paces ? uet_pacer_deadline(&l->pacer) : U64_MAX,
		      paces ? loop_ask_at(l) : U64_MAX };
	u64 first = U64_MAX;
	u32 i;

	for (i = 0; i < 8; i++) {
		if (at[i] < first) {
			first = at[i];
			*what = l->sources + i;
		}
	}
	for (i = 0; i < l->sources; i++) {
		u64 free_at = l->src[i].free_at;

		if (l->src[i].ccc.state != UET_CCC_READY)
			continue;
		if (free_at < l->now)
			free_at = l->now;
		if (free_at < first) {
			first = free_at;
			*what = i;
		}
	}
	return first;
}

/* Go on for some time. */
static inline void ccloop_run(struct ccloop *l, u64 ns)
{
	static void (*const act[])(struct ccloop *l) = {
		loop_leave, loop_arrive, loop_ack, loop_nack, loop_credit,
		loop_request, loop_pace, loop_ask };
	u64 end = l->now + ns, at;
	u32 what = 0;

	for (;;) {
		at = loop_next(l, &what);
		if (at >= end)
			break;
		if (at > l->now)
			l->now = at;
		if (what < l->sources)
			loop_send(l, what);
		else
			act[what - l->sources](l);
	}
	l->now = end;
}

/* From here on counts. */
static inline void ccloop_measure(struct ccloop *l)
{
	u32 i;

	l->packets = l->marked = l->trims = l->delay_sum = l->cwnd_sum = 0;
	l->asked = 0;
	l->since = l->now;
	for (i = 0; i < l->sources; i++)
		l->src[i].delivered = 0;
}

/* Share of the link that was used, and of the largest that the smallest got. */
static inline double ccloop_used(const struct ccloop *l)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < l->sources; i++)
		sum += l->src[i].delivered;
	return (double)loop_ns(l, sum) / (l->now - l->since);
}

static inline double ccloop_fair(const struct ccloop *l)
{
	u64 low = U64_MAX, high = 1;
	u32 i;

	for (i = 0; i < l->sources; i++) {
		low = min(low, l->src[i].delivered);
		high = max(high, l->src[i].delivered);
	}
	return (double)low / high;
}

#endif /* UET_SELFTESTS_CCLOOP_H */
