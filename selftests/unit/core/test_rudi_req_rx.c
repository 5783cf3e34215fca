// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of kernel/core/pds/rudi_req.c: responses in every form, round
 * trips, what each of the 256 NACK codes does, and answers not believed.
 * Spec: UE 1.0.1 3.5.10.9, 3.5.12.7, Tables 3-58 and 3-59.
 * Level: test of core L4.
 */
#include "ruditest.h"

/* -------------------------------------------------------------- responses */

TEST(rudi_rx_resp__every_form_is_handed_up)
{
	static const struct uet_ses_rsp rsps[] = {
		{ .form = UET_RSP_FORM_PLAIN, .opcode = UET_RSP_RESPONSE,
		  .rc = UET_RC_OP_VIOLATION, .msg_id = 5, .job = 9 },
		{ .form = UET_RSP_FORM_DATA, .opcode = UET_RSP_W_DATA,
		  .rc = UET_RC_OK, .payload_length = 100, .read_msg_id = 6,
		  .message_offset = 4096 },
		{ .form = UET_RSP_FORM_SMALL, .opcode = UET_RSP_W_DATA,
		  .rc = UET_RC_OK, .payload_length = 8, .orig_psn = 7 },
	};
	struct uet_pds_pkt pkt = { 0 };
	struct uet_pds_hdr hdr;
	struct ruditest t;
	u32 i;

	rt_open(&t);
	rt_send(&t, 3);
	for (i = 0; i < 3; i++) {
		hdr = rt_resp(FIRST_ID + i, 0);
		hdr.next_hdr = uet_wire_ses_rsp_nh(&rsps[i]);
		EXPECT_EQ(uet_rudi_rx_resp(t.rudi, &hdr, &rsps[i], t.now, &pkt),
			  UET_DROP_NONE);
		/* Where the data belongs is known at once. */
		EXPECT_EQ(pkt.offset, i);
		EXPECT_EQ(pkt.len, 1024);
	}
	rt_run(&t);
	ASSERT_EQ(t.nr_up, 3);
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(t.up[i].kind, UET_UP_ACKED);
		EXPECT_MEMEQ(&t.up[i].rsp, &rsps[i], sizeof(rsps[i]));
	}
	rt_close(&t);
}

/* Nothing but a drop reason comes of it. */
static void resp_changes_nothing(struct ruditest *t, u32 id)
{
	struct uet_ses_rsp rsp = { .rc = UET_RC_OK };
	struct uet_pds_pkt pkt = { .offset = 4711 };
	struct uet_pds_hdr hdr = rt_resp(id, 0);
	struct uet_rudi_info before, after;
	u64 at = uet_rudi_deadline(t->rudi);

	uet_rudi_get_info(t->rudi, &before);
	EXPECT_EQ(uet_rudi_rx_resp(t->rudi, &hdr, &rsp, t->now, &pkt),
		  UET_DROP_BAD_RUDI_ID);
	uet_rudi_get_info(t->rudi, &after);
	EXPECT_EQ(pkt.offset, 4711);
	EXPECT_MEMEQ(&before, &after, sizeof(before));
	EXPECT_EQ(uet_rudi_deadline(t->rudi), at);
	rt_run(t);
	EXPECT_EQ(t->nr_up, 0);
	EXPECT_EQ(t->nr_tx, 0);
}

TEST(rudi_rx_resp__response_to_unknown_id_changes_nothing)
{
	struct ruditest t;

	rt_open(&t);
	resp_changes_nothing(&t, FIRST_ID);
	rt_send(&t, 2);
	resp_changes_nothing(&t, FIRST_ID + 2);
	resp_changes_nothing(&t, FIRST_ID - 1);
	resp_changes_nothing(&t, FIRST_ID + UET_RUDI_WINDOW_DEFAULT);
	rt_close(&t);
}

TEST(rudi_rx_resp__response_to_unsent_request_is_dropped)
{
	struct uet_pds_pkt pkt = { .next_hdr = UET_NH_REQ_STD };
	struct uet_ses_rsp rsp = { .rc = UET_RC_OK };
	struct uet_pds_hdr hdr = rt_resp(FIRST_ID, 0);
	struct ruditest t;

	rt_open(&t);
	uet_rudi_tx_req(t.rudi, &pkt);
	EXPECT_EQ(uet_rudi_rx_resp(t.rudi, &hdr, &rsp, t.now, &pkt),
		  UET_DROP_BAD_RUDI_ID);
	rt_run(&t);
	EXPECT_EQ(t.nr_up, 0);
	EXPECT_EQ(t.nr_tx, 1);
	rt_close(&t);
}

TEST(rudi_rx_resp__second_response_is_ignored)
{
	struct uet_ses_rsp rsp = { .rc = UET_RC_OK };
	struct uet_pds_hdr hdr = rt_resp(FIRST_ID, 0);
	struct uet_pds_pkt pkt;
	struct ruditest t;

	/* Before the first outcome was taken, and after it. */
	rt_open(&t);
	rt_send(&t, 1);
	EXPECT_EQ(uet_rudi_rx_resp(t.rudi, &hdr, &rsp, t.now, &pkt),
		  UET_DROP_NONE);
	EXPECT_EQ(uet_rudi_rx_resp(t.rudi, &hdr, &rsp, t.now, &pkt),
		  UET_DROP_BAD_RUDI_ID);
	rt_run(&t);
	EXPECT_EQ(t.nr_up, 1);
	resp_changes_nothing(&t, FIRST_ID);
	EXPECT_EQ(rt_info(&t).stats.rx_resp, 1);
	rt_close(&t);
}

/* A slot has a new request with another id: the old id is nobody's. */
TEST(rudi_rx_resp__late_response_does_not_end_the_new_request)
{
	struct uet_rudi_cfg cfg = uet_rudi_cfg_default;
	struct ruditest t;

	cfg.window = 2;
	rt_open_cfg(&t, &cfg);
	rt_send(&t, 2);
	rt_rx_resp(&t, FIRST_ID, 0);
	rt_send(&t, 1);
	EXPECT_EQ(t.tx[0].hdr.u.rudi.pkt_id, FIRST_ID + 2);
	resp_changes_nothing(&t, FIRST_ID);
	EXPECT_EQ(rt_info(&t).nr_open, 2);
	rt_close(&t);
}

/* The answer to the first transmission will do after the second, too. */
TEST(rudi_rx_resp__response_to_any_transmission_ends_the_request)
{
	struct uet_pds_hdr hdr = rt_nack(UET_NACK_TRIMMED, FIRST_ID + 1, 0);
	struct ruditest t;

	rt_open(&t);
	rt_send(&t, 3);
	rt_expire(&t);
	EXPECT_EQ(rt_rx_resp(&t, FIRST_ID, 0), UET_DROP_NONE);
	EXPECT_EQ(t.nr_up, 1);
	/* Also while it waits to be sent again, which is then not done. */
	rt_rx_nack(&t, UET_NACK_NO_RESOURCE, FIRST_ID + 2, UET_F_RETX);
	EXPECT_EQ(rt_rx_resp(&t, FIRST_ID + 2, 0), UET_DROP_NONE);
	EXPECT_EQ(t.nr_up, 1);
	hdr.flags |= UET_F_RETX;
	uet_rudi_rx_nack(t.rudi, &hdr, t.now);
	EXPECT_EQ(rt_rx_resp(&t, FIRST_ID + 1, 0), UET_DROP_NONE);
	EXPECT_EQ(t.nr_up, 1);
	EXPECT_EQ(t.nr_tx, 0);
	EXPECT_TRUE(uet_rudi_is_idle(t.rudi));
	EXPECT_EQ(uet_rudi_deadline(t.rudi), UET_NEVER);
	rt_close(&t);
}

/* ------------------------------------------------------------ round trips */

TEST(rudi_rtt__first_sample_is_kept_and_later_ones_smoothed)
{
	struct ruditest t;

	rt_open(&t);
	rt_send(&t, 1);
	t.now += 80 * MS;
	rt_rx_resp(&t, FIRST_ID, 0);
	EXPECT_EQ(rt_info(&t).srtt_ns, 80 * MS);
	EXPECT_EQ(rt_info(&t).rto_ns, 80 * MS + 4 * 40 * MS);
	rt_send(&t, 1);
	EXPECT_EQ(uet_rudi_deadline(t.rudi), t.now + 240 * MS);
	t.now += 160 * MS;
	rt_rx_resp(&t, FIRST_ID + 1, 0);
	EXPECT_EQ(rt_info(&t).srtt_ns, 90 * MS);
	/* A shorter one. */
	rt_send(&t, 1);
	t.now += 10 * MS;
	rt_rx_resp(&t, FIRST_ID + 2, 0);
	EXPECT_EQ(rt_info(&t).srtt_ns, 80 * MS);
	rt_close(&t);
}

TEST(rudi_rtt__rto_has_a_lower_bound)
{
	struct ruditest t;

	rt_open(&t);
	rt_send(&t, 2);
	rt_rx_resp(&t, FIRST_ID, 0);
	EXPECT_EQ(rt_info(&t).srtt_ns, 1);
	EXPECT_EQ(rt_info(&t).rto_ns, uet_rudi_cfg_default.rto_init_ns);
	rt_close(&t);

	rt_open(&t);
	rt_send(&t, 1);
	t.now += 100000 * MS;
	rt_rx_resp(&t, FIRST_ID, 0);
	EXPECT_EQ(rt_info(&t).rto_ns, uet_rudi_cfg_default.rto_max_ns);
	rt_close(&t);
}

/* Sent @sends times, answered with @flags: is that a sample? */
static bool is_sampled(u32 sends, u8 flags)
{
	struct ruditest t;
	u64 srtt_ns;

	rt_open(&t);
	rt_send(&t, 1);
	while (--sends)
		rt_expire(&t);
	t.now += MS;
	EXPECT_EQ(rt_rx_resp(&t, FIRST_ID, flags), UET_DROP_NONE);
	srtt_ns = rt_info(&t).srtt_ns;
	EXPECT_TRUE(!srtt_ns || srtt_ns == MS);
	rt_close(&t);
	return srtt_ns;
}

TEST(rudi_rtt__ambiguous_answers_give_no_sample)
{
	EXPECT_TRUE(is_sampled(1, 0));
	EXPECT_FALSE(is_sampled(1, UET_F_RETX));
	EXPECT_FALSE(is_sampled(2, 0));
	EXPECT_TRUE(is_sampled(2, UET_F_RETX));
	EXPECT_FALSE(is_sampled(3, 0));
	EXPECT_FALSE(is_sampled(3, UET_F_RETX));
}

/* The pause began later than the transmission. */
TEST(rudi_rtt__refused_requests_give_no_sample)
{
	struct ruditest t;

	rt_open(&t);
	rt_send(&t, 1);
	rt_rx_nack(&t, UET_NACK_NO_RESOURCE, FIRST_ID, 0);
	t.now += 10 * US;
	EXPECT_EQ(rt_rx_resp(&t, FIRST_ID, 0), UET_DROP_NONE);
	EXPECT_EQ(rt_info(&t).srtt_ns, 0);
	rt_close(&t);
}

/* -------------------------------------------------------------- 256 codes */

enum effect { NOTHING, DROPPED, RESENT, PAUSED, FAILED };

/* The required effect of a code on a request that was sent once. */
static enum effect wanted(u8 code)
{
	switch (code) {
	case UET_NACK_TRIMMED:
	case UET_NACK_TRIMMED_LASTHOP:
	case UET_NACK_ROD_OOO:
	case UET_NACK_PKT_NOT_RCVD:
	case UET_NACK_ACK_WITH_DATA:
	case UET_NACK_INVALID_SYN:
	case UET_NACK_RCVR_INFER_LOSS:
	case UET_NACK_EXP_NACK_NORMAL:
	case UET_NACK_EXP_NACK_ERR:
		return RESENT;
	case UET_NACK_NO_PDC_AVAIL:
	case UET_NACK_NO_CCC_AVAIL:
	case UET_NACK_NO_BITMAP:
	case UET_NACK_NO_PKT_BUFFER:
	case UET_NACK_NO_GTD_DEL_AVAIL:
	case UET_NACK_NO_SES_MSG_AVAIL:
	case UET_NACK_NO_RESOURCE:
	case UET_NACK_PSN_OOR_WINDOW:
		return PAUSED;
	case UET_NACK_INV_DPDCID:
	case UET_NACK_PDC_HDR_MISMATCH:
	case UET_NACK_CLOSING:
	case UET_NACK_CLOSING_IN_ERR:
	case UET_NACK_GTD_RESP_UNAVAIL:
	case UET_NACK_PDC_MODE_MISMATCH:
	case UET_NACK_UNEXP_EVENT:
	case UET_NACK_EXP_NACK_FATAL:
		return FAILED;
	case UET_NACK_TRIMMED_ACK:
	case UET_NACK_RCVD_SES_PROCG:
		return NOTHING;
	}
	return DROPPED;
}

TEST(rudi_nack__every_code_has_its_effect)
{
	enum effect want;
	struct ruditest t;
	enum uet_drop why;
	u32 code;
	u64 rto;

	for (code = 0; code < 256; code++) {
		want = wanted((u8)code);
		rt_open(&t);
		rt_send(&t, 2);
		rto = uet_rudi_deadline(t.rudi);
		why = rt_rx_nack(&t, (u8)code, FIRST_ID, 0);
		EXPECT_EQ(why, want == DROPPED ? UET_DROP_UNSUPPORTED :
						 UET_DROP_NONE);
		EXPECT_EQ(rt_info(&t).stats.rx_nack, want != DROPPED);
		EXPECT_EQ(t.nr_tx, want == RESENT);
		EXPECT_EQ(rt_info(&t).stats.nack_lost, want == RESENT);
		EXPECT_EQ(rt_info(&t).stats.held, want == PAUSED);
		EXPECT_EQ(uet_rudi_deadline(t.rudi),
			  want == PAUSED ? t.now + MS : rto);
		EXPECT_EQ(t.nr_up, want == FAILED);
		if (want == FAILED) {
			EXPECT_EQ(t.up[0].error, UET_PDC_ERR_NACK);
			EXPECT_EQ(t.up[0].nack_code, code);
			EXPECT_EQ(t.up[0].pkt.offset, 0);
		}
		EXPECT_EQ(rt_info(&t).nr_open, want == FAILED ? 1 : 2);
		if (t.nr_tx)
			EXPECT_EQ(t.tx[0].hdr.flags, UET_F_RETX);
		rt_close(&t);
	}
}

/* ------------------------------------------------- refusals and their end */

TEST(rudi_nack__pauses_double)
{
	const struct uet_rudi_cfg *cfg = &uet_rudi_cfg_default;
	u64 pause = cfg->nack_retx_ns;
	struct ruditest t;
	u32 i;

	rt_open(&t);
	rt_send(&t, 1);
	for (i = 0; i < cfg->max_nack_retx; i++) {
		EXPECT_EQ(rt_rx_nack(&t, UET_NACK_NO_PKT_BUFFER, FIRST_ID,
				     i ? UET_F_RETX : 0), UET_DROP_NONE);
		EXPECT_EQ(t.nr_tx, 0);
		EXPECT_EQ(t.nr_up, 0);
		EXPECT_EQ(uet_rudi_deadline(t.rudi), t.now + pause);
		rt_expire(&t);
		ASSERT_EQ(t.nr_tx, 1);
		pause = min(2 * pause, cfg->nack_retx_max_ns);
	}
	EXPECT_EQ(pause, cfg->nack_retx_max_ns);
	rt_rx_nack(&t, UET_NACK_NO_PKT_BUFFER, FIRST_ID, UET_F_RETX);
	ASSERT_EQ(t.nr_up, 1);
	EXPECT_EQ(t.up[0].error, UET_PDC_ERR_NACK_RETX);
	EXPECT_EQ(t.up[0].nack_code, UET_NACK_NO_PKT_BUFFER);
	EXPECT_EQ(rt_info(&t).stats.rto_fired, 0);
	rt_close(&t);
}

TEST(rudi_nack__nack_limit_zero_fails_at_once_and_largest_never)
{
	struct uet_rudi_cfg cfg = uet_rudi_cfg_default;
	struct ruditest t;
	u32 i;

	cfg.max_nack_retx = 0;
	rt_open_cfg(&t, &cfg);
	rt_send(&t, 1);
	rt_rx_nack(&t, UET_NACK_TRIMMED, FIRST_ID, 0);
	ASSERT_EQ(t.nr_up, 1);
	EXPECT_EQ(t.up[0].error, UET_PDC_ERR_NACK_RETX);
	rt_close(&t);

	cfg.max_nack_retx = UET_PDC_NACK_RETX_FOREVER;
	rt_open_cfg(&t, &cfg);
	rt_send(&t, 1);
	for (i = 0; i < 1000; i++) {
		rt_rx_nack(&t, UET_NACK_NO_RESOURCE, FIRST_ID,
			   i ? UET_F_RETX : 0);
		ASSERT_EQ(t.nr_up, 0);
		rt_expire(&t);
		ASSERT_EQ(t.nr_tx, 1);
	}
	EXPECT_EQ(rt_rx_resp(&t, FIRST_ID, UET_F_RETX), UET_DROP_NONE);
	EXPECT_EQ(t.up[0].kind, UET_UP_ACKED);
	rt_close(&t);
}

/* Trimmed again and again it must not be sent as fast as NACKs come. */
TEST(rudi_nack__lost_again_it_waits)
{
	struct ruditest t;

	rt_open(&t);
	rt_send(&t, 1);
	rt_rx_nack(&t, UET_NACK_TRIMMED, FIRST_ID, 0);
	EXPECT_EQ(t.nr_tx, 1);
	rt_rx_nack(&t, UET_NACK_TRIMMED, FIRST_ID, UET_F_RETX);
	EXPECT_EQ(t.nr_tx, 0);
	EXPECT_EQ(uet_rudi_deadline(t.rudi), t.now + 2 * MS);
	rt_expire(&t);
	EXPECT_EQ(t.nr_tx, 1);
	rt_close(&t);
}

/* Copies of one NACK cost one transmission, and one step to the limit. */
TEST(rudi_nack__copies_count_once)
{
	struct uet_rudi_cfg cfg = uet_rudi_cfg_default;
	struct ruditest t;
	u32 i;

	cfg.max_nack_retx = 2;
	rt_open_cfg(&t, &cfg);
	rt_send(&t, 1);
	for (i = 0; i < 10; i++)
		EXPECT_EQ(rt_rx_nack(&t, UET_NACK_NO_RESOURCE, FIRST_ID, 0),
			  UET_DROP_NONE);
	EXPECT_EQ(t.nr_up, 0);
	EXPECT_EQ(rt_info(&t).stats.held, 1);
	rt_expire(&t);
	EXPECT_EQ(t.nr_tx, 1);
	/* Late copies do not speak of the second transmission. */
	for (i = 0; i < 10; i++)
		rt_rx_nack(&t, UET_NACK_NO_RESOURCE, FIRST_ID, 0);
	EXPECT_EQ(t.nr_up, 0);
	EXPECT_EQ(rt_info(&t).stats.held, 1);
	rt_close(&t);
}

/* Refusals do not stretch the time-out, nor time-outs the pause. */
TEST(rudi_nack__pause_and_time_out_are_distinct)
{
	const u64 rto = uet_rudi_cfg_default.rto_init_ns;
	struct ruditest t;

	rt_open(&t);
	rt_send(&t, 1);
	rt_expire(&t);
	rt_rx_nack(&t, UET_NACK_NO_RESOURCE, FIRST_ID, UET_F_RETX);
	EXPECT_EQ(uet_rudi_deadline(t.rudi), t.now + MS);
	rt_expire(&t);
	EXPECT_EQ(uet_rudi_deadline(t.rudi), t.now + 2 * rto);
	rt_close(&t);
}

/* Many wait, for different times, and each goes when it is its turn. */
TEST(rudi_nack__each_request_has_its_own_pause)
{
	struct ruditest t;
	u32 i;

	rt_open(&t);
	rt_send(&t, 8);
	for (i = 0; i < 8; i++) {
		rt_rx_nack(&t, UET_NACK_NO_RESOURCE, FIRST_ID + i, 0);
		t.now += 10 * US;
	}
	for (i = 0; i < 8; i++) {
		rt_expire(&t);
		ASSERT_EQ(t.nr_tx, 1);
		EXPECT_EQ(t.tx[0].hdr.u.rudi.pkt_id, FIRST_ID + i);
	}
	rt_close(&t);
}

/* -------------------------------------------------- NACKs not believed */

TEST(rudi_nack__nack_of_unknown_id_is_dropped)
{
	struct uet_rudi_info before, after;
	struct ruditest t;

	rt_open(&t);
	rt_send(&t, 2);
	rt_rx_resp(&t, FIRST_ID, 0);
	uet_rudi_get_info(t.rudi, &before);
	EXPECT_EQ(rt_rx_nack(&t, UET_NACK_UNEXP_EVENT, FIRST_ID, 0),
		  UET_DROP_BAD_NACK_ID);
	EXPECT_EQ(rt_rx_nack(&t, UET_NACK_UNEXP_EVENT, FIRST_ID + 2, 0),
		  UET_DROP_BAD_NACK_ID);
	EXPECT_EQ(rt_rx_nack(&t, UET_NACK_TRIMMED, FIRST_ID - 1, 0),
		  UET_DROP_BAD_NACK_ID);
	uet_rudi_get_info(t.rudi, &after);
	EXPECT_MEMEQ(&before, &after, sizeof(before));
	EXPECT_EQ(t.nr_tx, 0);
	EXPECT_EQ(t.nr_up, 0);
	rt_close(&t);
}

/* A PSN that happens to be the id of a request. */
TEST(rudi_nack__nack_of_a_pdc_is_dropped)
{
	struct uet_pds_hdr hdr = rt_nack(UET_NACK_CLOSING, FIRST_ID, 0);
	struct ruditest t;

	rt_open(&t);
	rt_send(&t, 1);
	hdr.flags = 0;
	EXPECT_EQ(uet_rudi_rx_nack(t.rudi, &hdr, t.now), UET_DROP_BAD_NACK_ID);
	rt_run(&t);
	EXPECT_EQ(t.nr_up, 0);
	rt_close(&t);
}
