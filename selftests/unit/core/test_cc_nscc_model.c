// SPDX-License-Identifier: GPL-2.0
/*
 * kernel/core/cms/cc_nscc.c beside selftests/lib/nsccmodel.h, the same rules in
 * floating point: random networks, random events, the same window after each.
 *
 * Integers round, so a value near a limit may fall on either side of it, and from
 * there the two go different ways for a while.  Such forks are told from faults by
 * their number: after one both start anew from the state of the core.
 * Spec: UE 1.0.1 3.6.13.  Level: test of core L3.
 */
#include "cctest.h"
#include "nsccmodel.h"

/* How far apart the windows may be: of the window, and of rounding. */
#define TOLERANCE	0.001
#define ROUNDING	8.0

#define RUNS		200
#define EVENTS		2000
/* At most this many of ten thousand events may be forks. */
#define FORKS		1

struct pair {
	struct cctest t;
	struct nsccmodel m;
	u32 forks;
};

static double pair_now(const struct pair *p)
{
	return p->t.now / 1000.0;
}

static u64 pick(u64 low, u64 high)
{
	return low + utest_rand() % (high - low + 1);
}

static void pair_init(struct pair *p)
{
	static const u32 gbps[] = { 1, 10, 25, 100, 400, 800 };
	static const u16 mtus[] = { 1024, 1500, 4096, 8192 };
	struct uet_cc_cfg *cfg = &p->t.cfg;

	memset(p, 0, sizeof(*p));
	uet_cc_cfg_init(cfg);
	cfg->htsim = 0;
	cfg->adapts = false;
	cfg->grant = utest_rand() & 1 ? UET_GRANT_RCCC : UET_GRANT_NONE;
	cfg->has_trim = utest_rand() & 1;
	cfg->mtu = mtus[pick(0, 3)];
	cfg->rate_mbps = gbps[pick(0, 5)] * 1000;
	cfg->base_rtt_ns = (u32)pick(10000, 50000) & ~3U;
	cfg->base_window_ns = 0;
	cctest_start(&p->t);
	nsccmodel_init(&p->m, cfg->rate_mbps / 1000.0, cfg->base_rtt_ns / 1000.0,
		       cfg->mtu, cfg->has_trim, pair_now(p));
	p->m.has_rccc = cfg->grant == UET_GRANT_RCCC;
}

/* After a fork: the model goes on from where the core is. */
static void pair_join(struct pair *p)
{
	const struct uet_nscc *nscc = &p->t.ccc.nscc;
	struct nsccmodel *m = &p->m;

	m->cwnd = p->t.ccc.cwnd;
	m->inflight = p->t.ccc.inflight;
	m->saved = nscc->saved_cwnd;
	m->avg = nscc->avg_ns / 64000.0;
	m->achieved = nscc->achieved_bytes;
	m->received = nscc->received_bytes;
	m->fi_count = nscc->fi_count;
	m->to_ignore = nscc->bytes_to_ignore;
	m->ignored = nscc->bytes_ignored;
	m->inc = nscc->inc_bytes;
	m->qa_end = nscc->qa_end / 1000.0;
	m->last_adjust = nscc->last_adjust / 1000.0;
	m->last_dec = nscc->last_dec / 1000.0;
	m->is_fast = nscc->is_fast;
	m->trigger_qa = nscc->trigger_qa;
}

/* A round trip near one of the kinds that the rules tell apart. */
static u64 pick_rtt(const struct pair *p)
{
	u32 base = p->t.ccc.nscc.base_ns, target = p->t.param.cfg.target_ns;

	switch (pick(0, 9)) {
	case 0:
		return 0;
	case 1:
		return base - pick(0, base / 1000);
	case 2:
	case 3:
		return base + pick(0, base / 16);
	case 4:
	case 5:
	case 6:
		return base + pick(0, target);
	case 7:
	case 8:
		return base + pick(target, 3 * target);
	default:
		return base + pick(target, 10 * target);
	}
}

/* Not so much that the core would doubt it. */
static u32 pick_bytes(const struct pair *p)
{
	s64 most = p->t.ccc.inflight + p->t.param.max_wnd;

	return (u32)pick(0, min_t(u64, 8 * p->t.cfg.mtu, most));
}

static void step_ack(struct pair *p)
{
	struct uet_cc_ack ack = {
		.new_bytes = pick_bytes(p),
		.rtt_ns = pick_rtt(p),
		.is_marked = pick(0, 2) == 0,
		.cwnd_pend = pick(0, 99) ? 0 : (u8)pick(1, 127),
		.restore_cwnd = pick(0, 9) == 0,
	};

	uet_ccc_ack(&p->t.ccc, &ack, p->t.now);
	nsccmodel_ack(&p->m, ack.new_bytes, ack.rtt_ns / 1000.0, ack.is_marked,
		      ack.cwnd_pend, ack.restore_cwnd, pair_now(p));
}

static void step_send(struct pair *p)
{
	u32 slot = p->t.next++ % CC_PKTS;

	p->t.pkt[slot].state = UET_CC_PKT_NONE;
	uet_ccc_send(&p->t.ccc, &p->t.pkt[slot], p->t.cfg.mtu, p->t.now,
		     &p->t.send);
	nsccmodel_send(&p->m, p->t.cfg.mtu);
}

static void step_trim(struct pair *p)
{
	u32 slot = (u32)pick(0, CC_PKTS - 1);
	bool is_last = utest_rand() & 1;

	if (p->t.pkt[slot].state != UET_CC_PKT_OUT)
		return;
	cctest_nack(&p->t, slot, is_last ? UET_NACK_TRIMMED_LASTHOP :
					   UET_NACK_TRIMMED);
	nsccmodel_trim(&p->m, p->t.cfg.mtu, is_last, pair_now(p));
}

static void step_loss(struct pair *p)
{
	u32 slot = (u32)pick(0, CC_PKTS - 1);

	if (p->t.pkt[slot].state != UET_CC_PKT_OUT)
		return;
	uet_ccc_loss(&p->t.ccc, &p->t.pkt[slot], UET_CC_LOSS_RTO, p->t.now);
	nsccmodel_loss(&p->m, p->t.cfg.mtu);
}

static void step(struct pair *p)
{
	u64 kind = pick(0, 99);

	p->t.now += pick(100, 3000);
	/* Never idle, and no limit of inflight in the way. */
	p->t.ccc.inflight_pkts = 1000;
	if (p->t.ccc.inflight < (s64)p->t.ccc.cwnd / 2 || kind < 20)
		step_send(p);
	else if (kind < 97)
		step_ack(p);
	else if (kind < 99)
		step_trim(p);
	else
		step_loss(p);
}

static bool pair_agrees(struct pair *p)
{
	double cwnd = p->t.ccc.cwnd;

	return __builtin_fabs(p->m.cwnd - cwnd) <= TOLERANCE * cwnd + ROUNDING &&
	       p->m.inflight == p->t.ccc.inflight;
}

TEST(nscc_model__random_events_give_the_window_of_the_model)
{
	u32 run, i, forks = 0, acks = 0, decreases = 0, adapts = 0, fast = 0;
	struct pair p;

	for (run = 0; run < RUNS; run++) {
		pair_init(&p);
		for (i = 0; i < EVENTS; i++) {
			step(&p);
			if (!pair_agrees(&p)) {
				forks++;
				pair_join(&p);
			}
		}
		acks += p.t.ccc.stats.acks;
		decreases += p.t.ccc.stats.decreases;
		adapts += p.t.ccc.stats.quick_adapts;
		fast += p.t.ccc.stats.fast_increases;
	}
	printf("# seed %" PRIu64 ": %u ACKs, %u decreases, %u quick adapts, %u fast, %u forks\n",
	       utest.seed, acks, decreases, adapts, fast, forks);
	EXPECT_LE(forks, RUNS * EVENTS / 10000 * FORKS);
	/* Every rule was at work. */
	EXPECT_GT(acks, RUNS * EVENTS / 8);
	EXPECT_GT(decreases, RUNS);
	EXPECT_GT(adapts, RUNS / 10);
	EXPECT_GT(fast, RUNS);
}
