// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of kernel/core/pds/pdc_life.c: which PDC is idle, and what a PDC knows
 * after it had to do without its window.
 * Spec: none; UE 1.0.1 3.5.11 and 3.5.12.5 for what is answered.  Level: test of core L4.
 */
#include "pdctest.h"

static bool is_idle(const struct pdctest *t)
{
	return uet_pdc_window_idle_since(t->pdc) != UET_NEVER;
}

/* Is an address within the window among the bytes of a PDC? */
static bool points_into(const struct pdctest *t, const void *window)
{
	const void *const *word = (const void *const *)t->pdc;
	const u8 *from = window, *end = from + uet_pdc_window_size(&t->cfg);
	u32 i;

	for (i = 0; i < sizeof(*t->pdc) / sizeof(*word); i++)
		if ((const u8 *)word[i] >= from && (const u8 *)word[i] < end)
			return true;
	return false;
}

/* Without a window for a while; the next one has other contents. */
static void sleep_and_wake(struct pdctest *t)
{
	struct uet_pdc_info before = pt_info(t), after;
	u64 deadline = uet_pdc_deadline(t->pdc);
	void *window;

	ASSERT_EQ(is_idle(t), true);
	EXPECT_EQ(points_into(t, t->pdc->tx.slots), true);
	window = uet_pdc_window_reclaim(t->pdc);
	EXPECT_EQ(points_into(t, window), false);
	memset(window, 0xa5, uet_pdc_window_size(&t->cfg));
	EXPECT_EQ(uet_pdc_has_window(t->pdc), false);
	EXPECT_EQ(is_idle(t), false);
	after = pt_info(t);
	EXPECT_EQ(memcmp(&before, &after, sizeof(before)), 0);
	EXPECT_EQ(uet_pdc_deadline(t->pdc), deadline);
	pt_check(t);
	uet_pdc_window_lend(t->pdc, window);
	pt_check(t);
	pt_run(t);
	EXPECT_EQ(t->nr_tx + t->nr_up, 0);
}

TEST(pdc_window__a_new_pdc_needs_none)
{
	struct pdctest t;

	pt_open(&t, UET_PDC_INITIATOR);
	EXPECT_EQ(uet_pdc_window_idle_since(t.pdc), t.now);
	sleep_and_wake(&t);
	pt_close(&t);
}

TEST(pdc_window__is_needed_until_all_is_answered_and_reported)
{
	struct uet_pds_hdr hdr = pt_ack(START + 2, START + 2);
	struct uet_ses_rsp rsp = { .opcode = UET_RSP_DEFAULT };
	struct uet_pdc_up up;
	struct pdctest t;

	pt_established(&t, 2);
	EXPECT_EQ(is_idle(&t), false);
	t.now += 100 * US;
	EXPECT_EQ(uet_pdc_rx_ack(t.pdc, &hdr, &rsp, &pt_in, t.now),
		  UET_DROP_NONE);
	EXPECT_EQ(is_idle(&t), false);
	EXPECT_EQ(uet_pdc_poll_up(t.pdc, &up), true);
	EXPECT_EQ(is_idle(&t), false);
	EXPECT_EQ(uet_pdc_poll_up(t.pdc, &up), true);
	EXPECT_EQ(uet_pdc_window_idle_since(t.pdc), t.now);
	pt_close(&t);
}

TEST(pdc_window__packets_go_on_where_they_ended)
{
	struct pdctest t;

	pt_established(&t, 0);
	sleep_and_wake(&t);
	pt_send(&t, 2);
	ASSERT_EQ(t.nr_tx, 2);
	EXPECT_EQ(t.tx[0].hdr.u.req.psn, START + 1);
	EXPECT_EQ(pt_rx_ack(&t, pt_ack(START + 2, START + 2)), UET_DROP_NONE);
	EXPECT_EQ(t.nr_up, 2);
	pt_close(&t);
}

/* A copy of an ACK from before says nothing new. */
TEST(pdc_window__an_old_ack_is_harmless)
{
	struct pdctest t;

	pt_established(&t, 0);
	sleep_and_wake(&t);
	pt_rx_ack(&t, pt_ack(START, START));
	EXPECT_EQ(t.nr_up, 0);
	EXPECT_EQ(is_idle(&t), true);
	pt_close(&t);
}

TEST(pdc_window__returns_for_the_close_of_an_idle_pdc)
{
	struct pdctest t;

	pt_established(&t, 0);
	sleep_and_wake(&t);
	pt_expire(&t);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.next_hdr, UET_CP_CLOSE_COMMAND);
	EXPECT_EQ(is_idle(&t), false);
	pt_close(&t);
}

TEST(pdc_window__packets_are_dropped_without_one)
{
	struct uet_pds_hdr hdr = pt_req(START + 1, 0);
	struct uet_pdc_info before, after;
	struct pdctest t;

	pt_accepted(&t);
	uet_pdc_window_reclaim(t.pdc);
	before = pt_info(&t);
	EXPECT_EQ(pt_rx_req(&t, hdr), UET_DROP_NO_MEMORY);
	EXPECT_EQ(uet_pdc_rx_trimmed(t.pdc, &hdr, &pt_in, UET_NACK_TRIMMED,
				     t.now), UET_DROP_NO_MEMORY);
	EXPECT_EQ(pt_rx_ack(&t, pt_ack(START, START)), UET_DROP_NO_MEMORY);
	EXPECT_NE(pt_rx_nack(&t, pt_nack(UET_NACK_NO_RESOURCE, START)),
		  UET_DROP_NONE);
	EXPECT_EQ(pt_rx_cp(&t, pt_cp(UET_CP_NOOP, START + 1, 0)),
		  UET_DROP_NO_MEMORY);
	EXPECT_EQ(uet_pdc_rx_rival(t.pdc, t.now), UET_RIVAL_WAIT);
	EXPECT_EQ(uet_pdc_rx_may_run(t.pdc, START + 1), false);
	EXPECT_EQ(uet_pdc_tx_space(t.pdc), false);
	after = pt_info(&t);
	EXPECT_EQ(memcmp(&before, &after, sizeof(before)), 0);
	pt_close(&t);
}

TEST(pdc_window__is_not_needed_to_abort)
{
	struct pdctest t;

	pt_accepted(&t);
	uet_pdc_window_reclaim(t.pdc);
	uet_pdc_abort(t.pdc, t.now);
	pt_check(&t);
	EXPECT_EQ(uet_pdc_is_dead(t.pdc), true);
	EXPECT_EQ(pt_info(&t).error, UET_PDC_ERR_ABORT);
	pt_close(&t);
}

TEST(pdc_window__is_needed_while_an_ack_is_due)
{
	struct pdctest t;

	pt_accepted(&t);
	EXPECT_EQ(is_idle(&t), true);
	EXPECT_EQ(pt_rx_req(&t, pt_req(START + 1, 0)), UET_DROP_NONE);
	EXPECT_EQ(t.nr_tx, 0);
	EXPECT_EQ(is_idle(&t), false);
	pt_expire(&t);
	EXPECT_EQ(t.nr_tx, 1);
	EXPECT_EQ(is_idle(&t), true);
	pt_close(&t);
}

TEST(pdc_window__is_needed_while_a_packet_is_missing)
{
	struct pdctest t;

	pt_accepted(&t);
	EXPECT_EQ(pt_rx_req(&t, pt_req(START + 2, UET_F_AR)), UET_DROP_NONE);
	EXPECT_EQ(is_idle(&t), false);
	EXPECT_EQ(pt_rx_req(&t, pt_req(START + 1, UET_F_AR)), UET_DROP_NONE);
	EXPECT_EQ(is_idle(&t), true);
	pt_close(&t);
}

TEST(pdc_window__is_needed_while_a_response_is_stored)
{
	struct uet_pds_hdr hdr = pt_cp(UET_CP_CLEAR_COMMAND, 0, 0);
	struct pdctest t;

	pt_accepted(&t);
	EXPECT_EQ(pt_rx_req_rsp(&t, pt_req(START + 1, 0), UET_RSP_RESPONSE,
				UET_RC_NO_MATCH), UET_DROP_NONE);
	EXPECT_EQ(is_idle(&t), false);
	hdr.u.cp.payload = START + 1;
	EXPECT_EQ(pt_rx_cp(&t, hdr), UET_DROP_NONE);
	EXPECT_EQ(is_idle(&t), true);
	pt_close(&t);
}

/* The peer must not take UET_NO_RESPONSE for the default response. */
TEST(pdc_window__is_needed_for_no_response_until_cleared)
{
	struct uet_pds_hdr hdr = pt_req(START + 2, UET_F_AR);
	struct pdctest t;

	pt_accepted(&t);
	EXPECT_EQ(pt_rx_req_rsp(&t, pt_req(START + 1, 0), UET_RSP_NO_RESPONSE,
				UET_RC_OK), UET_DROP_NONE);
	EXPECT_EQ(t.nr_tx, 1);
	EXPECT_EQ(is_idle(&t), false);
	hdr.u.req.clear_off = -1;
	EXPECT_EQ(pt_rx_req(&t, hdr), UET_DROP_NONE);
	EXPECT_EQ(is_idle(&t), true);
	pt_close(&t);
}

/* A window later no copy of the packet is answered. */
TEST(pdc_window__no_response_is_forgotten_with_its_slot)
{
	struct pdctest t;
	u32 i;

	pt_accepted(&t);
	pt_rx_req_rsp(&t, pt_req(START + 1, 0), UET_RSP_NO_RESPONSE, UET_RC_OK);
	for (i = 2; i < t.cfg.window; i++) {
		pt_rx_req(&t, pt_req(START + i, UET_F_AR));
		EXPECT_EQ(is_idle(&t), false);
	}
	pt_rx_req(&t, pt_req(START + i, UET_F_AR));
	pt_rx_req(&t, pt_req(START + i + 1, UET_F_AR));
	EXPECT_EQ(is_idle(&t), true);
	pt_close(&t);
}

TEST(pdc_window__a_copy_of_a_request_gets_the_default_response)
{
	struct pdctest t;

	pt_accepted(&t);
	sleep_and_wake(&t);
	EXPECT_EQ(pt_rx_req(&t, pt_req(START, UET_F_SYN | UET_F_RETX)),
		  UET_DROP_DUPLICATE);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(pt_ack_psn(&t.tx[0]), START);
	EXPECT_EQ(t.tx[0].rsp.opcode, UET_RSP_DEFAULT);
	EXPECT_EQ(pt_rx_req(&t, pt_req(START + 1, UET_F_AR)), UET_DROP_NONE);
	pt_close(&t);
}

/* The packets of a run repeat the response to the packet before, which is gone. */
TEST(pdc_window__no_run_comes_first)
{
	struct pdctest t;

	pt_accepted(&t);
	EXPECT_EQ(pt_rx_req(&t, pt_req(START + 1, UET_F_AR)), UET_DROP_NONE);
	EXPECT_EQ(uet_pdc_rx_may_run(t.pdc, START + 2), true);
	sleep_and_wake(&t);
	EXPECT_EQ(uet_pdc_rx_may_run(t.pdc, START + 2), false);
	EXPECT_EQ(pt_rx_req(&t, pt_req(START + 2, UET_F_AR)), UET_DROP_NONE);
	EXPECT_EQ(uet_pdc_rx_may_run(t.pdc, START + 3), true);
	pt_close(&t);
}
