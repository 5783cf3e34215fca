/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared parts of the unit tests of congestion control: a context on the network of
 * the golden vectors (100 Gb/s, 12 us, 4096 bytes, trimming), and events with one line
 * each.  Level: test.
 */
#ifndef UET_SELFTESTS_CCTEST_H
#define UET_SELFTESTS_CCTEST_H

#include "core/cms/ccc.h"
#include "utest.h"

#define CC_US		1000ULL
#define CC_T0		(1000 * CC_US)	/* when contexts begin */
#define CC_PKTS		256

struct cctest {
	struct uet_cc_cfg cfg;
	struct uet_cc_param param;
	struct uet_ccc ccc;
	struct uet_cc_pkt pkt[CC_PKTS];
	struct uet_cc_send send;
	uint32_t next;
	uint64_t now;
};

/* After changes of t->cfg. */
static inline void cctest_start(struct cctest *t)
{
	const char *error = uet_cc_derive(&t->param, &t->cfg);

	if (error) {
		printf("Bail out! %s\n", error);
		exit(1);
	}
	memset(t->pkt, 0, sizeof(t->pkt));
	t->next = 0;
	t->now = CC_T0;
	uet_ccc_init(&t->ccc, &t->param, NULL, t->now);
}

static inline void cctest_init(struct cctest *t, u8 window, u8 grant)
{
	memset(t, 0, sizeof(*t));
	uet_cc_cfg_init(&t->cfg);
	t->cfg.htsim = 0;
	t->cfg.adapts = false;
	t->cfg.window = window;
	t->cfg.grant = grant;
	cctest_start(t);
}

/* Send full packets, whatever the context says of it. */
static inline void cctest_send(struct cctest *t, u32 pkts)
{
	for (; pkts; pkts--, t->next++)
		uet_ccc_send(&t->ccc, &t->pkt[t->next % CC_PKTS], t->cfg.mtu,
			     t->now, &t->send);
}

/* As many as the context lets out of what it has to send. */
static inline u32 cctest_burst(struct cctest *t)
{
	u32 pkts = 0;

	for (; t->ccc.state == UET_CCC_READY && pkts < CC_PKTS; pkts++)
		cctest_send(t, 1);
	return pkts;
}

/* An ACK for @bytes that names a packet with that round trip, 0: no sample. */
static inline void cctest_ack(struct cctest *t, u32 bytes, u64 rtt_ns,
			      bool is_marked)
{
	struct uet_cc_ack ack = { .new_bytes = bytes, .rtt_ns = rtt_ns,
				  .is_marked = is_marked, .acked_pkts = 1 };

	uet_ccc_ack(&t->ccc, &ack, t->now);
}

static inline void cctest_nack(struct cctest *t, u32 slot, u8 code)
{
	struct uet_cc_nack nack = { .code = code };

	uet_ccc_nack(&t->ccc, &t->pkt[slot % CC_PKTS], &nack, t->now);
}

/* Within a thousandth, as the golden vectors are given. */
#define EXPECT_NEAR(a, b) do {						\
	double _na = (double)(a), _nb = (double)(b);			\
	double _nd = _na > _nb ? _na - _nb : _nb - _na;			\
	UTEST_CHECK(_nd <= _nb / 1000, "%s: %f, expected %f", #a, _na,	\
		    _nb);						\
} while (0)

#endif /* UET_SELFTESTS_CCTEST_H */
