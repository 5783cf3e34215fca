/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Two PDCs, initiator and target, joined by a wire whose every decision is the
 * test's: a rule may lose, delay, double or refuse each packet.  Simulated time
 * jumps from event to event; invariants of both ends are checked after each.
 * For many endpoints, links and messages there is tools/sim; this is for
 * scripts of a few packets.  Level: test of core L4.
 */
#ifndef UET_SELFTESTS_PDCPAIR_H
#define UET_SELFTESTS_PDCPAIR_H

#include "pdctest.h"

#define PAIR_WIRE	4096
#define PAIR_DELAY	(20 * US)

/*
 * Headers that come with a payload, and the part of them that is neither PDS nor SES
 * nor counted.
 */
#define PAIR_HEADERS	100
#define PAIR_OVERHEAD	(PAIR_HEADERS - UET_REQ_LEN - UET_SES_STD_LEN - \
			 UET_CC_NOMINAL_ADD)

enum { INI, TGT };

struct pair;

/* The outcome of a packet on the wire: how many copies arrive, how late. */
struct pair_fate {
	u32 copies;
	u64 delay_ns;
};

/**
 * struct pair - both ends and what is between them
 * @end: INI and TGT
 * @now: time, ns
 * @wire: packets under way, in no order; @nr tells those of one time apart
 * @nr_wire: how many
 * @nr_put: packets ever put on the wire
 * @fate: decides on each packet; NULL: all arrive after PAIR_DELAY
 * @answer: SES of the receiver: fills the response and returns 0, or returns
 *	a NACK code; NULL: default responses
 * @keeps: ROD: the target keeps requests that arrive before earlier ones
 * @early: these requests, by PSN
 * @sent: packets sent so far, by the end that sent them
 * @delivered: how often SES of the target accepted PSN START + i
 * @order: PSNs in the order they were accepted
 * @nr_delivered: how many
 * @acked: outcomes at the initiator by kind: acked
 * @failed: and failed
 * @last_rc: return code of the last one
 * @spins: steps without time passing, to notice a loop
 */
struct pair {
	struct uet_pdc_cfg cfg;
	struct uet_pdc *end[2];
	u64 now;
	struct {
		u64 at;
		u64 nr;
		int to;
		struct uet_pdc_tx tx;
	} wire[PAIR_WIRE];
	u32 nr_wire;
	u64 nr_put;
	struct pair_fate (*fate)(struct pair *p, int from,
				 const struct uet_pdc_tx *tx);
	u8 (*answer)(struct pair *p, const struct uet_pds_hdr *hdr,
		     struct uet_ses_rsp *rsp);
	bool keeps;
	struct {
		struct uet_pds_hdr hdr;
		struct uet_rx_info in;
	} early[UET_PDC_WINDOW_MAX];
	u32 sent[2];
	u8 delivered[8192];
	u32 order[8192];
	u32 nr_delivered;
	u32 acked, failed;
	u8 last_rc;
	u32 spins;
};

/* With a context of congestion control for each end, or none. */
static inline void pair_open_cc(struct pair *p, enum uet_pdc_mode mode,
				const struct uet_pdc_cfg *cfg,
				struct uet_ccc *ccc[2])
{
	struct uet_pdc_open open = {
		.role = UET_PDC_INITIATOR,
		.mode = mode,
		.local_pdcid = 1,
		.start_psn = START,
		.seed = 3,
		.ccc = ccc[INI],
		.overhead = PAIR_OVERHEAD,
	};
	int i;

	memset(p, 0, sizeof(*p));
	p->cfg = pt_counted(cfg);
	p->now = MS;
	for (i = 0; i < 2; i++)
		p->end[i] = malloc(pdc_block_size(cfg));
	pdc_block_init(p->end[INI], &p->cfg, &open, p->now);
	open.role = UET_PDC_TARGET;
	open.local_pdcid = 2;
	open.peer_pdcid = 1;
	open.ccc = ccc[TGT];
	open.paces_credit = uet_ccc_advertises(ccc[TGT]);
	pdc_block_init(p->end[TGT], &p->cfg, &open, p->now);
}

static inline void pair_open(struct pair *p, enum uet_pdc_mode mode,
			     const struct uet_pdc_cfg *cfg)
{
	struct uet_ccc *none[2] = { NULL, NULL };

	pair_open_cc(p, mode, cfg, none);
}

static inline void pair_close(struct pair *p)
{
	free(p->end[INI]);
	free(p->end[TGT]);
}

static inline void pair_check(const struct pair *p)
{
	const char *what = "";
	int i;

	for (i = 0; i < 2; i++)
		if (!uet_pdc_check(p->end[i], &what))
			UTEST_CHECK(false, "%s at end %d", what, i);
}

static inline void pair_put_on_wire(struct pair *p, int from,
				    const struct uet_pdc_tx *tx)
{
	struct pair_fate fate = { 1, PAIR_DELAY };

	p->sent[from]++;
	if (p->fate)
		fate = p->fate(p, from, tx);
	while (fate.copies-- && p->nr_wire < PAIR_WIRE) {
		p->wire[p->nr_wire].at = p->now + fate.delay_ns;
		p->wire[p->nr_wire].nr = p->nr_put++;
		p->wire[p->nr_wire].to = !from;
		p->wire[p->nr_wire++].tx = *tx;
	}
}

static inline void pair_run(struct pair *p)
{
	struct uet_pdc_tx tx;
	struct uet_pdc_up up;
	int i;

	for (i = 0; i < 2; i++) {
		while (uet_pdc_poll_up(p->end[i], &up)) {
			p->acked += up.kind == UET_UP_ACKED;
			p->failed += up.kind == UET_UP_FAILED;
			p->last_rc = up.rc;
		}
		while (uet_pdc_poll_tx(p->end[i], &tx, p->now))
			pair_put_on_wire(p, i, &tx);
	}
	pair_check(p);
}

static inline void pair_keep(struct pair *p, int to,
			     const struct uet_pds_hdr *hdr,
			     const struct uet_rx_info *in)
{
	u32 at = hdr->u.req.psn % UET_PDC_WINDOW_MAX;

	if (!p->keeps)
		return;
	p->early[at].hdr = *hdr;
	p->early[at].in = *in;
	uet_pdc_early_keep(p->end[to], hdr, in, p->now);
}

static inline void pair_take_req(struct pair *p, int to,
				 const struct uet_pds_hdr *hdr,
				 const struct uet_rx_info *in)
{
	struct uet_ses_rsp rsp = { .rc = UET_RC_OK };
	u32 at = hdr->u.req.psn - START;
	bool deliver;
	u8 code;

	if (uet_pdc_rx_req(p->end[to], hdr, in, p->now, &deliver) ==
	    UET_DROP_ROD_OOO)
		pair_keep(p, to, hdr, in);
	if (!deliver)
		return;
	code = p->answer ? p->answer(p, hdr, &rsp) : 0;
	if (code) {
		uet_pdc_rx_refuse(p->end[to], hdr, in, code, p->now);
		return;
	}
	uet_pdc_rx_accept(p->end[to], hdr, in, &rsp, p->now);
	p->delivered[at % 8192]++;
	p->order[p->nr_delivered++ % 8192] = hdr->u.req.psn;
}

static inline void pair_rx_req(struct pair *p, int to,
			       const struct uet_pds_hdr *hdr,
			       const struct uet_rx_info *in)
{
	u32 at;

	pair_take_req(p, to, hdr, in);
	while (uet_pdc_early_is_due(p->end[to])) {
		at = p->end[to]->rx.base % UET_PDC_WINDOW_MAX;
		uet_pdc_early_take(p->end[to], &p->early[at].in);
		pair_take_req(p, to, &p->early[at].hdr, &p->early[at].in);
	}
}

/* The answer of the shell for a PDC that no longer exists. */
static inline void pair_rx_nobody(struct pair *p, int to,
				  const struct uet_pds_hdr *hdr,
				  const struct uet_rx_info *in)
{
	struct uet_pdc_tx tx;

	if (uet_pds_reply_no_pdc(hdr, in, UET_NACK_INV_DPDCID, &tx))
		pair_put_on_wire(p, to, &tx);
}

static inline void pair_arrive(struct pair *p, int to,
			       const struct uet_pdc_tx *tx)
{
	struct uet_rx_info in = { .ev = tx->ev, .bytes = tx->pkt.len + PAIR_HEADERS };
	const struct uet_pds_hdr *hdr = &tx->hdr;

	if (uet_pdc_is_dead(p->end[to])) {
		pair_rx_nobody(p, to, hdr, &in);
		return;
	}
	switch (tx->kind) {
	case UET_TX_REQ:
		pair_rx_req(p, to, hdr, &in);
		break;
	case UET_TX_ACK:
		uet_pdc_rx_ack(p->end[to], hdr,
			       hdr->next_hdr ? &tx->rsp : NULL, &in, p->now);
		break;
	case UET_TX_NACK:
		uet_pdc_rx_nack(p->end[to], hdr, &in, p->now);
		break;
	case UET_TX_CP:
		uet_pdc_rx_cp(p->end[to], hdr, &in, p->now);
		break;
	}
}

static inline u64 pair_next_at(const struct pair *p, u32 *which)
{
	u64 at = UET_NEVER, nr = 0;
	u32 i;

	*which = PAIR_WIRE;
	for (i = 0; i < p->nr_wire; i++)
		if (p->wire[i].at < at ||
		    (p->wire[i].at == at && p->wire[i].nr < nr)) {
			at = p->wire[i].at;
			nr = p->wire[i].nr;
			*which = i;
		}
	for (i = 0; i < 2; i++)
		if (uet_pdc_deadline(p->end[i]) < at) {
			at = uet_pdc_deadline(p->end[i]);
			*which = PAIR_WIRE;
		}
	return at;
}

/* The next thing that happens; false if nothing will before @until. */
static inline bool pair_step(struct pair *p, u64 until)
{
	struct uet_pdc_tx tx;
	u32 which;
	u64 at;
	int to;

	pair_run(p);
	at = pair_next_at(p, &which);
	if (at > until)
		return false;
	p->spins = at > p->now ? 0 : p->spins + 1;
	if (p->spins > 4 * PAIR_WIRE) {
		UTEST_CHECK(false, "%s", "no end of events at one time");
		return false;
	}
	p->now = max(p->now, at);
	if (which == PAIR_WIRE) {
		uet_pdc_tick(p->end[INI], p->now);
		uet_pdc_tick(p->end[TGT], p->now);
	} else {
		tx = p->wire[which].tx;
		to = p->wire[which].to;
		p->wire[which] = p->wire[--p->nr_wire];
		pair_arrive(p, to, &tx);
	}
	pair_check(p);
	return true;
}

static inline void pair_run_until(struct pair *p, u64 until)
{
	while (pair_step(p, until))
		;
	p->now = max(p->now, until);
}

/* Send @n packets of one message, as the window permits, and wait for all. */
static inline void pair_transfer(struct pair *p, u32 n, u64 limit_ns)
{
	struct uet_pds_pkt pkt = { .len = 1024, .next_hdr = UET_NH_REQ_STD };
	u32 want = p->acked + p->failed + n;
	u64 until = p->now + limit_ns;

	do {
		pair_run(p);
		while (n && uet_pdc_tx_space(p->end[INI])) {
			pkt.flags = n == 1 ? UET_PKT_EOM | UET_PKT_TAIL : 0;
			uet_pdc_tx_req(p->end[INI], &pkt, p->now);
			n--;
		}
		if (uet_pdc_is_dead(p->end[INI]))
			break;
	} while (p->acked + p->failed < want && pair_step(p, until));
	pair_run(p);
	EXPECT_EQ(p->acked + p->failed, want);
}

/* Each of the first @n PSNs was accepted once. */
static inline void pair_expect_once(const struct pair *p, u32 n)
{
	u32 i, wrong = 0;

	for (i = 0; i < n; i++)
		wrong += p->delivered[i] != 1;
	EXPECT_EQ(wrong, 0);
	EXPECT_EQ(p->nr_delivered, n);
}

static inline const struct uet_pdc_stats *pair_stats(const struct pair *p,
						     int end)
{
	return uet_pdc_stats(p->end[end]);
}

static inline enum uet_pdc_state pair_state(const struct pair *p, int end)
{
	struct uet_pdc_info info;

	uet_pdc_get_info(p->end[end], &info);
	return info.state;
}

/* Fates and wires more than one test uses. */

static inline struct pair_fate pair_intact(void)
{
	return (struct pair_fate) { 1, PAIR_DELAY };
}

static inline struct pair_fate pair_lost(void)
{
	return (struct pair_fate) { 0, 0 };
}

static inline struct pair_fate pair_dead_wire(struct pair *p, int from,
					      const struct uet_pdc_tx *tx)
{
	return pair_lost();
}

/* Each tenth new request is lost; retransmissions arrive. */
static inline struct pair_fate pair_lose_every_10th(struct pair *p, int from,
						    const struct uet_pdc_tx *tx)
{
	if (from == INI && tx->kind == UET_TX_REQ && !tx->is_retx &&
	    (tx->hdr.u.req.psn - START) % 10 == 4)
		return pair_lost();
	return pair_intact();
}

/* 10 % loss, 5 % duplication, any order within 300 us, both ways. */
static inline struct pair_fate pair_bad_wire(struct pair *p, int from,
					     const struct uet_pdc_tx *tx)
{
	struct pair_fate fate = pair_intact();

	if (utest_rand() % 10 == 0)
		return pair_lost();
	if (utest_rand() % 20 == 0)
		fate.copies = 2;
	fate.delay_ns += utest_rand() % (300 * US);
	return fate;
}

#endif /* UET_SELFTESTS_PDCPAIR_H */
