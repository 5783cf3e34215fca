/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared parts of the PDC tests: one PDC in a heap block of exactly its size, hand
 * made packets to feed it, and everything it sends and reports in arrays to look at.
 * Invariants are checked after every step.  A pair of PDCs joined by a scripted wire
 * is in pdcpair.h.  Level: test of core L4.
 */
#ifndef UET_SELFTESTS_PDCTEST_H
#define UET_SELFTESTS_PDCTEST_H

#include "utest.h"
#include "core/pds/pdc.h"
#include "pdc_block.h"
#include "pdc_check.h"

#define MS		1000000ULL
#define US		1000ULL
#define START		0xfffffff0U	/* PSNs wrap after 16 packets */
#define OUR_ID		0x0a01
#define PEER_ID		0x0b02
#define MAX_OUT		2048

/**
 * struct pdctest - a PDC under test
 * @pdc: the object
 * @now: its clock, ns
 * @tx: packets sent since the last run()
 * @nr_tx: how many
 * @up: outcomes since the last run()
 * @nr_up: how many
 */
struct pdctest {
	struct uet_pdc_cfg cfg;
	struct uet_pdc *pdc;
	u64 now;
	struct uet_pdc_tx tx[MAX_OUT];
	u32 nr_tx;
	struct uet_pdc_up up[MAX_OUT];
	u32 nr_up;
};

static const struct uet_rx_info pt_in = { .ev = 0x4242, .bytes = 1100 };

static inline void pt_check(const struct pdctest *t)
{
	const char *what = "";

	if (!uet_pdc_check(t->pdc, &what))
		UTEST_CHECK(false, "invariant: %s", what);
}

/* Take all pending packets, as the run loop of the shell does. */
static inline void pt_run(struct pdctest *t)
{
	bool is_at_rest = uet_pdc_is_at_rest(t->pdc);

	t->nr_tx = 0;
	t->nr_up = 0;
	while (uet_pdc_poll_up(t->pdc, &t->up[t->nr_up]))
		t->nr_up++;
	while (uet_pdc_poll_tx(t->pdc, &t->tx[t->nr_tx], t->now)) {
		pt_check(t);
		if (++t->nr_tx == MAX_OUT) {
			UTEST_CHECK(false, "%d packets pending at once", MAX_OUT);
			break;
		}
	}
	UTEST_CHECK(!is_at_rest || !(t->nr_tx + t->nr_up),
		    "at rest, and %d packets pending, %d outcomes to tell",
		    t->nr_tx, t->nr_up);
	pt_check(t);
}

static inline void pt_tick_to(struct pdctest *t, u64 when)
{
	t->now = when;
	uet_pdc_tick(t->pdc, t->now);
	pt_check(t);
	pt_run(t);
}

/* Let time pass until the deadline. */
static inline void pt_expire(struct pdctest *t)
{
	u64 at = uet_pdc_deadline(t->pdc);

	EXPECT_NE(at, UET_NEVER);
	pt_tick_to(t, at > t->now ? at : t->now);
}

static inline struct uet_pdc_open pt_open_how(enum uet_pdc_role role,
					      enum uet_pdc_mode mode)
{
	return (struct uet_pdc_open) {
		.role = role,
		.mode = mode,
		.local_pdcid = OUR_ID,
		.peer_pdcid = role == UET_PDC_TARGET ? PEER_ID : 0,
		.start_psn = START,
		.seed = 7,
	};
}

/* Time-outs are counted, as in the specification, unless a test says for how long. */
static inline struct uet_pdc_cfg pt_counted(const struct uet_pdc_cfg *cfg)
{
	struct uet_pdc_cfg counted = *cfg;

	if (cfg->peer_timeout_ns == uet_pdc_cfg_default.peer_timeout_ns)
		counted.peer_timeout_ns = 0;
	return counted;
}

static inline void pt_open_as(struct pdctest *t,
			      const struct uet_pdc_open *open,
			      const struct uet_pdc_cfg *cfg)
{
	memset(t, 0, sizeof(*t));
	t->cfg = pt_counted(cfg);
	t->pdc = malloc(pdc_block_size(cfg));
	memset(t->pdc, 0xa5, pdc_block_size(cfg));
	t->now = 1000 * MS;
	pdc_block_init(t->pdc, &t->cfg, open, t->now);
	pt_check(t);
}

static inline void pt_open_cfg(struct pdctest *t, enum uet_pdc_role role,
			       enum uet_pdc_mode mode,
			       const struct uet_pdc_cfg *cfg)
{
	struct uet_pdc_open open = pt_open_how(role, mode);

	pt_open_as(t, &open, cfg);
}

/* The default, without the probing that would come before each time-out. */
static inline struct uet_pdc_cfg pt_cfg(void)
{
	struct uet_pdc_cfg cfg = uet_pdc_cfg_default;

	cfg.tail_loss_ns = 0;
	return cfg;
}

static inline void pt_open(struct pdctest *t, enum uet_pdc_role role)
{
	struct uet_pdc_cfg cfg = pt_cfg();

	pt_open_cfg(t, role, UET_PDC_RUD, &cfg);
}

static inline void pt_close(struct pdctest *t)
{
	free(t->pdc);
	t->pdc = NULL;
}

static inline struct uet_pdc_info pt_info(const struct pdctest *t)
{
	struct uet_pdc_info info;

	uet_pdc_get_info(t->pdc, &info);
	return info;
}

static inline enum uet_pdc_state pt_state(const struct pdctest *t)
{
	return pt_info(t).state;
}

/* Hand packets of one message down; the last one ends it. */
static inline void pt_send(struct pdctest *t, u32 n)
{
	struct uet_pds_pkt pkt = {
		.len = 1024,
		.next_hdr = UET_NH_REQ_STD,
		.flags = UET_PKT_SOM,
	};
	u32 i;

	for (i = 0; i < n && uet_pdc_tx_space(t->pdc); i++) {
		pkt.offset = i * 1024;
		if (i + 1 == n)
			pkt.flags |= UET_PKT_EOM | UET_PKT_TAIL;
		uet_pdc_tx_req(t->pdc, &pkt, t->now);
		pkt.flags = 0;
	}
	EXPECT_EQ(i, n);
	pt_run(t);
}

static inline struct uet_pds_hdr pt_req(u32 psn, u8 flags)
{
	struct uet_pds_hdr hdr = {
		.type = UET_TY_RUD_REQ,
		.next_hdr = UET_NH_REQ_STD,
		.flags = flags,
		.u.req = {
			.psn = psn,
			.clear_off = (s16)(START - 1 - psn),
			.spdcid = PEER_ID,
			.dpdcid = flags & UET_F_SYN ? 0 : OUR_ID,
			.psn_offset = flags & UET_F_SYN ? psn - START : 0,
		},
	};

	return hdr;
}

static inline struct uet_pds_hdr pt_cp(u8 ctl, u32 psn, u8 flags)
{
	struct uet_pds_hdr hdr = {
		.type = UET_TY_CP,
		.next_hdr = ctl,
		.flags = flags,
		.u.cp = {
			.psn = psn,
			.spdcid = PEER_ID,
			.dpdcid = flags & UET_F_SYN ? 0 : OUR_ID,
			.psn_offset = flags & UET_F_SYN ? psn - START : 0,
		},
	};

	return hdr;
}

static inline struct uet_pds_hdr pt_ack(u32 cack, u32 psn)
{
	struct uet_pds_hdr hdr = {
		.type = UET_TY_ACK_CC,
		.next_hdr = UET_NH_RSP,
		.u.ack = {
			.cack_psn = cack,
			.ack_off = (s16)(psn - cack),
			.spdcid = PEER_ID,
			.dpdcid = OUR_ID,
			.mpr = 2,
			.sack_off = 1,
		},
	};

	return hdr;
}

static inline struct uet_pds_hdr pt_nack(u8 code, u32 psn)
{
	struct uet_pds_hdr hdr = {
		.type = UET_TY_NACK,
		.u.nack = {
			.code = code,
			.psn = psn,
			.spdcid = PEER_ID,
			.dpdcid = OUR_ID,
		},
	};

	return hdr;
}

static inline enum uet_drop pt_rx_ack_rsp(struct pdctest *t,
					  struct uet_pds_hdr hdr, u8 opcode,
					  u8 rc)
{
	struct uet_ses_rsp rsp = { .opcode = opcode, .rc = rc };
	enum uet_drop why;

	why = uet_pdc_rx_ack(t->pdc, &hdr, &rsp, &pt_in, t->now);
	pt_check(t);
	pt_run(t);
	return why;
}

static inline enum uet_drop pt_rx_ack(struct pdctest *t,
				      struct uet_pds_hdr hdr)
{
	return pt_rx_ack_rsp(t, hdr, UET_RSP_DEFAULT, UET_RC_OK);
}

static inline enum uet_drop pt_rx_nack(struct pdctest *t,
				       struct uet_pds_hdr hdr)
{
	enum uet_drop why;

	why = uet_pdc_rx_nack(t->pdc, &hdr, &pt_in, t->now);
	pt_check(t);
	pt_run(t);
	return why;
}

static inline enum uet_drop pt_rx_cp(struct pdctest *t, struct uet_pds_hdr hdr)
{
	enum uet_drop why = uet_pdc_rx_cp(t->pdc, &hdr, &pt_in, t->now);

	pt_check(t);
	pt_run(t);
	return why;
}

/* A request that SES answers with @opcode and @rc if it sees it. */
static inline enum uet_drop pt_rx_req_rsp(struct pdctest *t,
					  struct uet_pds_hdr hdr, u8 opcode,
					  u8 rc)
{
	struct uet_ses_rsp rsp = {
		.opcode = opcode,
		.rc = rc,
		.msg_id = 0x77,
		.job = 0x123456,
	};
	bool deliver = false;
	enum uet_drop why;

	why = uet_pdc_rx_req(t->pdc, &hdr, &pt_in, t->now, &deliver);
	EXPECT_EQ(deliver, why == UET_DROP_NONE);
	if (deliver)
		uet_pdc_rx_accept(t->pdc, &hdr, &pt_in, &rsp, t->now);
	pt_check(t);
	pt_run(t);
	return why;
}

static inline enum uet_drop pt_rx_req(struct pdctest *t,
				      struct uet_pds_hdr hdr)
{
	return pt_rx_req_rsp(t, hdr, UET_RSP_DEFAULT, UET_RC_OK);
}

/* An initiator that has sent @n packets and knows its peer. */
static inline void pt_established(struct pdctest *t, u32 n)
{
	pt_open(t, UET_PDC_INITIATOR);
	pt_send(t, 1);
	t->now += 100 * US;
	EXPECT_EQ(pt_rx_ack(t, pt_ack(START, START)), UET_DROP_NONE);
	EXPECT_EQ(pt_state(t), UET_PDC_ST_ESTABLISHED);
	if (n)
		pt_send(t, n);
}

/* A target that has received its first packet and answered it. */
static inline void pt_accepted(struct pdctest *t)
{
	pt_open(t, UET_PDC_TARGET);
	EXPECT_EQ(pt_rx_req(t, pt_req(START, UET_F_SYN)), UET_DROP_NONE);
	EXPECT_EQ(t->nr_tx, 1);
}

static inline u32 pt_ack_psn(const struct uet_pdc_tx *tx)
{
	return tx->hdr.u.ack.cack_psn + (u32)tx->hdr.u.ack.ack_off;
}

#endif /* UET_SELFTESTS_PDCTEST_H */
