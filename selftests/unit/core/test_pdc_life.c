// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of kernel/core/pds/pdc_life.c: parameters, memory, and the steps from
 * the request to close to the end.
 * Spec: UE 1.0.1 3.5.8.3, Table 3-28.  Level: test of core L4.
 */
#include "pdctest.h"

static struct uet_pdc_cfg cfg;

/* The default parameters, one of them changed. */
#define WITH(field, value) ({						\
	cfg = uet_pdc_cfg_default;					\
	cfg.field = (value);						\
	uet_pdc_cfg_check(&cfg); })

TEST(pdc_cfg_check__default_is_fine)
{
	EXPECT_EQ(uet_pdc_cfg_check(&uet_pdc_cfg_default), 0);
}

TEST(pdc_cfg_check__limits_are_enforced)
{
	EXPECT_EQ(WITH(window, UET_PDC_WINDOW_MIN), 0);
	EXPECT_EQ(WITH(window, UET_PDC_WINDOW_MAX), 0);
	EXPECT_EQ(WITH(window, UET_PDC_WINDOW_MIN / 2), -EINVAL);
	EXPECT_EQ(WITH(window, UET_PDC_WINDOW_MAX * 2), -EINVAL);
	EXPECT_EQ(WITH(window, 200), -EINVAL);
	EXPECT_EQ(WITH(window, 0), -EINVAL);
	EXPECT_EQ(WITH(default_mpr, 0), -EINVAL);
	EXPECT_EQ(WITH(mpr_zero, 0), 0);
	EXPECT_EQ(WITH(mpr_zero, 128), -EINVAL);
	EXPECT_EQ(WITH(burst, 0), 0);
	EXPECT_EQ(WITH(burst, 65001), -EINVAL);
	EXPECT_EQ(WITH(max_rto_retx, 0), -EINVAL);
	EXPECT_EQ(WITH(max_rto_retx, 15), 0);
	EXPECT_EQ(WITH(max_rto_retx, 16), -EINVAL);
	EXPECT_EQ(WITH(max_nack_retx, 32), -EINVAL);
	EXPECT_EQ(WITH(rto_init_ns, 0), -EINVAL);
	EXPECT_EQ(WITH(rto_max_ns, uet_pdc_cfg_default.rto_init_ns - 1),
		  -EINVAL);
	EXPECT_EQ(WITH(rto_max_ns, U64_MAX), -EINVAL);
	EXPECT_EQ(WITH(nack_retx_ns, 0), -EINVAL);
	EXPECT_EQ(WITH(nack_retx_max_ns, 1), -EINVAL);
	EXPECT_EQ(WITH(nack_retx_max_ns, U64_MAX), -EINVAL);
	EXPECT_EQ(WITH(close_req_ns, 0), -EINVAL);
	EXPECT_EQ(WITH(close_req_ns, U64_MAX), -EINVAL);
	EXPECT_EQ(WITH(ack_delay_ns, U64_MAX), -EINVAL);
	EXPECT_EQ(WITH(idle_ns, 0), 0);
	EXPECT_EQ(WITH(idle_ns, U64_MAX), -EINVAL);
	EXPECT_EQ(WITH(target_idle_ns, U64_MAX), -EINVAL);
	EXPECT_EQ(WITH(orphan_ns, 0), 0);
	EXPECT_EQ(WITH(orphan_ns, U64_MAX), -EINVAL);
}

/* The largest times back off as far as possible without an overflow. */
TEST(pdc_cfg_check__largest_times_work)
{
	struct pdctest t;
	u64 day = 86400ULL * 1000 * MS;
	u32 i;

	cfg = uet_pdc_cfg_default;
	cfg.rto_init_ns = day;
	cfg.rto_max_ns = day;
	cfg.max_rto_retx = 15;
	EXPECT_EQ(uet_pdc_cfg_check(&cfg), 0);
	pt_open_cfg(&t, UET_PDC_INITIATOR, UET_PDC_RUD, &cfg);
	pt_send(&t, 1);
	for (i = 0; i < 15; i++) {
		EXPECT_EQ(uet_pdc_deadline(t.pdc), t.now + day);
		pt_expire(&t);
	}
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_SYN_SENT);
	pt_close(&t);
}

TEST(pdc_init__initiator_starts_in_syn_sent)
{
	struct pdctest t;

	pt_open(&t, UET_PDC_INITIATOR);
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_SYN_SENT);
	EXPECT_TRUE(uet_pdc_takes_messages(t.pdc));
	EXPECT_TRUE(uet_pdc_tx_space(t.pdc));
	EXPECT_FALSE(uet_pdc_is_dead(t.pdc));
	EXPECT_EQ(pt_info(&t).start_psn, START);
	EXPECT_EQ(pt_info(&t).rx_cack_psn, START - 1);
	EXPECT_EQ(pt_info(&t).clear_psn, START - 1);
	EXPECT_EQ(t.pdc->tx.cack, START - 1);
	EXPECT_EQ(t.pdc->tx.clear_sent, START - 1);
	EXPECT_EQ(t.pdc->rx.ar_psn, START - 1);
	EXPECT_EQ(pt_info(&t).peer_mpr_pkts, 128);
	pt_run(&t);
	EXPECT_EQ(t.nr_tx, 0);
	pt_close(&t);
}

TEST(pdc_init__target_starts_in_new_established)
{
	struct pdctest t;

	pt_open(&t, UET_PDC_TARGET);
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_NEW_ESTABLISHED);
	EXPECT_EQ(pt_info(&t).peer_pdcid, PEER_ID);
	EXPECT_EQ(uet_pdc_deadline(t.pdc),
		  t.now + uet_pdc_cfg_default.target_idle_ns);
	pt_close(&t);
}

TEST(pdc_close__unused_initiator_closes_at_once)
{
	struct pdctest t;

	pt_open(&t, UET_PDC_INITIATOR);
	uet_pdc_close(t.pdc, t.now);
	EXPECT_FALSE(uet_pdc_takes_messages(t.pdc));
	pt_run(&t);
	EXPECT_EQ(t.nr_tx, 0);
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_CLOSED);
	EXPECT_TRUE(uet_pdc_is_dead(t.pdc));
	pt_close(&t);
}

TEST(pdc_close__idle_states_are_passed_at_once)
{
	struct pdctest t;

	pt_established(&t, 0);
	uet_pdc_close(t.pdc, t.now);
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_QUIESCE);
	pt_run(&t);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.next_hdr, UET_CP_CLOSE_COMMAND);
	EXPECT_EQ(t.tx[0].hdr.flags, UET_F_AR);
	EXPECT_EQ(t.tx[0].hdr.u.cp.psn, START + 1);
	EXPECT_EQ(t.tx[0].hdr.u.cp.dpdcid, PEER_ID);
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_CLOSE_ACK_WAIT);
	pt_rx_ack(&t, pt_ack(START + 1, START + 1));
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_CLOSED);
	EXPECT_EQ(t.nr_up, 0);
	pt_close(&t);
}

TEST(pdc_close__waits_for_answers)
{
	struct pdctest t;

	pt_established(&t, 3);
	uet_pdc_close(t.pdc, t.now);
	pt_run(&t);
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_ACK_WAIT);
	EXPECT_FALSE(uet_pdc_tx_space(t.pdc));
	uet_pdc_close(t.pdc, t.now);
	pt_rx_ack(&t, pt_ack(START + 3, START + 3));
	EXPECT_EQ(t.nr_up, 3);
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_CLOSE_ACK_WAIT);
	pt_close(&t);
}

/* A message of which SES has more keeps a closing PDC in QUIESCE. */
TEST(pdc_hold__finishes_the_message)
{
	struct pdctest t;

	pt_established(&t, 0);
	uet_pdc_hold(t.pdc, true, t.now);
	pt_send(&t, 1);
	uet_pdc_close(t.pdc, t.now);
	pt_run(&t);
	pt_rx_ack(&t, pt_ack(START + 1, START + 1));
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_QUIESCE);
	EXPECT_TRUE(uet_pdc_tx_space(t.pdc));
	EXPECT_FALSE(uet_pdc_takes_messages(t.pdc));

	pt_send(&t, 1);
	uet_pdc_hold(t.pdc, false, t.now);
	pt_run(&t);
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_ACK_WAIT);
	pt_rx_ack(&t, pt_ack(START + 2, START + 2));
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_CLOSE_ACK_WAIT);
	pt_close(&t);
}

TEST(pdc_hold__idle_time_begins_at_release)
{
	struct pdctest t;

	pt_established(&t, 0);
	uet_pdc_hold(t.pdc, true, t.now);
	t.now += 1000 * MS;
	uet_pdc_hold(t.pdc, false, t.now);
	EXPECT_EQ(uet_pdc_deadline(t.pdc),
		  t.now + uet_pdc_cfg_default.idle_ns);
	uet_pdc_hold(t.pdc, false, t.now + MS);
	EXPECT_EQ(uet_pdc_deadline(t.pdc),
		  t.now + uet_pdc_cfg_default.idle_ns);
	pt_close(&t);
}

TEST(pdc_close__lost_command_is_repeated)
{
	struct pdctest t;

	pt_established(&t, 0);
	uet_pdc_close(t.pdc, t.now);
	pt_run(&t);
	pt_expire(&t);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.next_hdr, UET_CP_CLOSE_COMMAND);
	EXPECT_EQ(t.tx[0].hdr.flags, UET_F_AR | UET_F_RETX);
	pt_close(&t);
}

TEST(pdc_close__a_silent_target_is_given_up)
{
	struct pdctest t;
	u32 i;

	pt_established(&t, 0);
	uet_pdc_close(t.pdc, t.now);
	pt_run(&t);
	for (i = 0; i < 20 && !uet_pdc_is_dead(t.pdc); i++)
		pt_expire(&t);
	EXPECT_EQ(pt_info(&t).error, UET_PDC_ERR_TIMEOUT);
	EXPECT_EQ(t.nr_up, 0);
	pt_close(&t);
}

/* UE 1.0.1 Table 3-28, Limit_PSN_Range. */
TEST(pdc_close__psn_range_ends_with_a_close)
{
	struct pdctest t;

	pt_established(&t, 0);
	t.pdc->start_psn -= UET_PDC_PSN_SPAN - 2;
	pt_run(&t);
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_ESTABLISHED);
	pt_send(&t, 1);
	EXPECT_FALSE(uet_pdc_takes_messages(t.pdc));
	pt_rx_ack(&t, pt_ack(START + 1, START + 1));
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_CLOSE_ACK_WAIT);
	pt_close(&t);
}

TEST(pdc_close__target_with_a_full_window_requests_close_in_acks)
{
	struct pdctest t;

	pt_accepted(&t);
	pt_send(&t, UET_PDC_WINDOW_DEFAULT);
	uet_pdc_close(t.pdc, t.now);
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_CLOSE_WAIT);
	EXPECT_EQ(pt_info(&t).next_psn, START + UET_PDC_WINDOW_DEFAULT);
	pt_rx_req(&t, pt_req(START + 1, UET_F_AR));
	ASSERT_NE(t.nr_tx, 0);
	EXPECT_EQ(t.tx[0].hdr.flags & UET_F_REQ_MASK, UET_F_REQ_CLOSE);
	pt_close(&t);
}

TEST(pdc_abort__second_abort_changes_nothing)
{
	struct pdctest t;

	pt_established(&t, 2);
	uet_pdc_abort(t.pdc, t.now);
	uet_pdc_abort(t.pdc, t.now);
	uet_pdc_close(t.pdc, t.now);
	EXPECT_TRUE(uet_pdc_is_dead(t.pdc));
	EXPECT_EQ(uet_pdc_deadline(t.pdc), UET_NEVER);
	pt_tick_to(&t, t.now + 1000 * MS);
	EXPECT_EQ(t.nr_up, 2);
	EXPECT_EQ(t.nr_tx, 0);
	pt_close(&t);
}
