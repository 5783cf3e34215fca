/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared parts of the RUDI tests: the requests to one peer in a heap block of exactly
 * their size, hand made answers to feed them, and everything that is sent and reported
 * in arrays to look at.  Invariants are checked after every step.  Level: test of core
 * L4.
 */
#ifndef UET_SELFTESTS_RUDITEST_H
#define UET_SELFTESTS_RUDITEST_H

#include "utest.h"
#include "rudi_check.h"

#define MS		1000000ULL
#define US		1000ULL
#define FIRST_ID	0xfffffffeU	/* ids wrap after two requests */
#define MAX_OUT		2048

/**
 * struct ruditest - requests under test
 * @rudi: the object
 * @now: its clock, ns
 * @tx: packets sent since the last run()
 * @nr_tx: how many
 * @up: outcomes since the last run()
 * @nr_up: how many
 */
struct ruditest {
	struct uet_rudi_peer *rudi;
	u64 now;
	struct uet_pdc_tx tx[MAX_OUT];
	u32 nr_tx;
	struct uet_rudi_up up[MAX_OUT];
	u32 nr_up;
};

static inline void rt_check(const struct ruditest *t)
{
	const char *what = "";

	if (!uet_rudi_check(t->rudi, &what))
		UTEST_CHECK(false, "invariant: %s", what);
}

/* Take all pending packets, as the run loop of a shell does. */
static inline void rt_run(struct ruditest *t)
{
	rt_check(t);
	t->nr_tx = 0;
	t->nr_up = 0;
	while (uet_rudi_poll_up(t->rudi, &t->up[t->nr_up]) &&
	       t->nr_up < MAX_OUT - 1)
		t->nr_up++;
	while (uet_rudi_poll_tx(t->rudi, &t->tx[t->nr_tx], t->now) &&
	       t->nr_tx < MAX_OUT - 1)
		t->nr_tx++;
	EXPECT_LT(t->nr_tx, MAX_OUT - 1);
	EXPECT_LT(t->nr_up, MAX_OUT - 1);
	rt_check(t);
}

static inline void rt_tick_to(struct ruditest *t, u64 when)
{
	t->now = when;
	uet_rudi_tick(t->rudi, t->now);
	rt_run(t);
}

/* Let time pass until the deadline. */
static inline void rt_expire(struct ruditest *t)
{
	u64 at = uet_rudi_deadline(t->rudi);

	EXPECT_NE(at, UET_NEVER);
	rt_tick_to(t, at > t->now ? at : t->now);
}

static inline void rt_open_cfg(struct ruditest *t,
			       const struct uet_rudi_cfg *cfg)
{
	memset(t, 0, sizeof(*t));
	t->rudi = malloc(uet_rudi_size(cfg));
	memset(t->rudi, 0xa5, uet_rudi_size(cfg));
	t->now = 1000 * MS;
	uet_rudi_init(t->rudi, cfg, FIRST_ID, 7);
	rt_check(t);
}

static inline void rt_open(struct ruditest *t)
{
	rt_open_cfg(t, &uet_rudi_cfg_default);
}

static inline void rt_close(struct ruditest *t)
{
	free(t->rudi);
	t->rudi = NULL;
}

static inline struct uet_rudi_info rt_info(const struct ruditest *t)
{
	struct uet_rudi_info info;

	uet_rudi_get_info(t->rudi, &info);
	return info;
}

/* Hand @n requests down and have them sent; pkt.offset counts them. */
static inline void rt_send(struct ruditest *t, u32 n)
{
	struct uet_pds_pkt pkt = { .len = 1024, .next_hdr = UET_NH_REQ_STD };
	u32 i;

	for (i = 0; i < n && uet_rudi_tx_space(t->rudi); i++) {
		pkt.offset = i;
		uet_rudi_tx_req(t->rudi, &pkt);
	}
	EXPECT_EQ(i, n);
	rt_run(t);
}

static inline struct uet_pds_hdr rt_resp(u32 id, u8 flags)
{
	struct uet_pds_hdr hdr = {
		.type = UET_TY_RUDI_RESP,
		.next_hdr = UET_NH_RSP,
		.flags = flags,
		.u.rudi.pkt_id = id,
	};

	return hdr;
}

static inline struct uet_pds_hdr rt_nack(u8 code, u32 id, u8 flags)
{
	struct uet_pds_hdr hdr = {
		.type = UET_TY_NACK,
		.flags = flags | UET_F_NT,
		.u.nack = { .code = code, .psn = id },
	};

	return hdr;
}

/* A response, after which all pending packets are taken. */
static inline enum uet_drop rt_rx_resp(struct ruditest *t, u32 id, u8 flags)
{
	struct uet_ses_rsp rsp = { .rc = UET_RC_OK, .msg_id = (u16)id };
	struct uet_pds_hdr hdr = rt_resp(id, flags);
	struct uet_pds_pkt pkt;
	enum uet_drop why;

	why = uet_rudi_rx_resp(t->rudi, &hdr, &rsp, t->now, &pkt);
	rt_run(t);
	return why;
}

/* A NACK, after which all pending packets are taken. */
static inline enum uet_drop rt_rx_nack(struct ruditest *t, u8 code, u32 id,
				       u8 flags)
{
	struct uet_pds_hdr hdr = rt_nack(code, id, flags);
	enum uet_drop why = uet_rudi_rx_nack(t->rudi, &hdr, t->now);

	rt_run(t);
	return why;
}

#endif /* UET_SELFTESTS_RUDITEST_H */
