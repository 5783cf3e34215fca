// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of kernel/core/pds/pdc_ack.c: what each code does to the packet, the
 * send half and the PDC, and which NACKs are not believed.
 * Spec: UE 1.0.1 3.5.12.7, Tables 3-58 and 3-59.  Level: test of core L4.
 */
#include "pdctest.h"

static struct uet_pds_hdr nack_flags(u8 code, u32 psn, u8 flags)
{
	struct uet_pds_hdr hdr = pt_nack(code, psn);

	hdr.flags = flags;
	return hdr;
}

/* A NACK of somebody who has no PDC for us. */
static struct uet_pds_hdr nack_unknown_peer(u8 code, u32 psn)
{
	struct uet_pds_hdr hdr = pt_nack(code, psn);

	hdr.u.nack.spdcid = 0;
	return hdr;
}

/* An initiator in ROD mode with @n packets outstanding. */
static void rod_established(struct pdctest *t, u32 n)
{
	pt_open_cfg(t, UET_PDC_INITIATOR, UET_PDC_ROD, &uet_pdc_cfg_default);
	pt_send(t, 1);
	t->now += 100 * US;
	pt_rx_ack(t, pt_ack(START, START));
	pt_send(t, n);
}

TEST(pdc_nack__nack_of_unknown_psn_is_dropped)
{
	struct pdctest t;

	pt_established(&t, 3);
	EXPECT_EQ(pt_rx_nack(&t, pt_nack(UET_NACK_CLOSING, START)),
		  UET_DROP_BAD_NACK_PSN);
	EXPECT_EQ(pt_rx_nack(&t, pt_nack(UET_NACK_CLOSING, START + 4)),
		  UET_DROP_BAD_NACK_PSN);
	pt_rx_ack(&t, pt_ack(START, START + 2));
	EXPECT_EQ(pt_rx_nack(&t, pt_nack(UET_NACK_CLOSING, START + 2)),
		  UET_DROP_BAD_NACK_PSN);

	EXPECT_EQ(pt_state(&t), UET_PDC_ST_ESTABLISHED);
	EXPECT_EQ(t.nr_tx, 0);
	pt_close(&t);
}

TEST(pdc_pkt_of_nack__only_an_unanswered_packet_is_named)
{
	struct uet_pds_hdr nack;
	struct pdctest t;

	pt_established(&t, 3);
	nack = pt_nack(UET_NACK_CLOSING, START);
	EXPECT_NULL(uet_pdc_pkt_of_nack(t.pdc, &nack));
	nack = pt_nack(UET_NACK_CLOSING, START + 2);
	EXPECT_TRUE(uet_pdc_pkt_of_nack(t.pdc, &nack));
	nack = pt_nack(UET_NACK_CLOSING, START + 4);
	EXPECT_NULL(uet_pdc_pkt_of_nack(t.pdc, &nack));
	/* The look-up changes nothing. */
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_ESTABLISHED);
	pt_run(&t);
	EXPECT_EQ(t.nr_tx, 0);
	pt_rx_ack(&t, pt_ack(START, START + 2));
	nack = pt_nack(UET_NACK_CLOSING, START + 2);
	EXPECT_NULL(uet_pdc_pkt_of_nack(t.pdc, &nack));
	pt_close(&t);
}

TEST(pdc_nack__rudi_nack_is_dropped)
{
	struct pdctest t;

	pt_established(&t, 3);
	EXPECT_EQ(pt_rx_nack(&t, nack_flags(UET_NACK_CLOSING, START + 1,
					    UET_F_NT)), UET_DROP_BAD_NACK_PSN);
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_ESTABLISHED);
	pt_close(&t);
}

TEST(pdc_nack__foreign_pdcids_are_dropped)
{
	struct uet_pds_hdr hdr = pt_nack(UET_NACK_CLOSING, START + 1);
	struct pdctest t;

	pt_established(&t, 3);
	hdr.u.nack.spdcid ^= 1;
	EXPECT_EQ(pt_rx_nack(&t, hdr), UET_DROP_PDCID_MISMATCH);
	hdr.u.nack.spdcid ^= 1;
	hdr.u.nack.dpdcid ^= 1;
	EXPECT_EQ(pt_rx_nack(&t, hdr), UET_DROP_PDCID_MISMATCH);
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_ESTABLISHED);
	pt_close(&t);
}

TEST(pdc_nack__aborted_pdc_drops_nacks)
{
	struct pdctest t;

	pt_established(&t, 3);
	uet_pdc_abort(t.pdc, t.now);
	EXPECT_EQ(pt_rx_nack(&t, pt_nack(UET_NACK_TRIMMED, START + 1)),
		  UET_DROP_BAD_STATE);
	pt_close(&t);
}

TEST(pdc_nack__lost_packets_go_again_at_once)
{
	static const u8 codes[] = {
		UET_NACK_TRIMMED, UET_NACK_TRIMMED_LASTHOP,
		UET_NACK_PKT_NOT_RCVD, UET_NACK_ACK_WITH_DATA,
		UET_NACK_RCVR_INFER_LOSS, UET_NACK_EXP_NACK_NORMAL, UET_NACK_EXP_NACK_ERR,
		UET_NACK_ROD_OOO,
	};
	struct pdctest t;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(codes); i++) {
		pt_established(&t, 3);
		EXPECT_EQ(pt_rx_nack(&t, pt_nack(codes[i], START + 2)),
			  UET_DROP_NONE);
		EXPECT_EQ(pt_info(&t).nack_code, codes[i]);
		ASSERT_EQ(t.nr_tx, 1);
		EXPECT_TRUE(t.tx[0].is_retx);
		EXPECT_EQ(t.tx[0].hdr.u.req.psn, START + 2);
		EXPECT_EQ(t.tx[0].hdr.flags, UET_F_RETX | UET_F_AR);
		EXPECT_EQ(uet_pdc_stats(t.pdc)->nack_lost, 1);
		pt_close(&t);
	}
}

/* The second transmission is not to blame for what befell the first. */
TEST(pdc_nack__nack_of_an_earlier_transmission_is_ignored)
{
	struct pdctest t;

	pt_established(&t, 3);
	pt_rx_nack(&t, pt_nack(UET_NACK_TRIMMED, START + 2));
	EXPECT_EQ(pt_rx_nack(&t, pt_nack(UET_NACK_TRIMMED, START + 2)),
		  UET_DROP_NONE);
	EXPECT_EQ(t.nr_tx, 0);
	EXPECT_EQ(pt_rx_nack(&t, nack_flags(UET_NACK_TRIMMED, START + 2,
					    UET_F_RETX)), UET_DROP_NONE);
	EXPECT_EQ(t.nr_tx, 1);
	pt_close(&t);
}

TEST(pdc_nack__second_nack_before_the_retransmission_is_ignored)
{
	struct uet_pds_hdr hdr = pt_nack(UET_NACK_TRIMMED, START + 2);
	struct pdctest t;

	pt_established(&t, 3);
	uet_pdc_rx_nack(t.pdc, &hdr, &pt_in, t.now);
	EXPECT_EQ(pt_rx_nack(&t, hdr), UET_DROP_NONE);
	EXPECT_EQ(t.nr_tx, 1);
	EXPECT_EQ(uet_pdc_stats(t.pdc)->nack_lost, 1);
	pt_close(&t);
}

/* A SACKed packet that the peer, asked, does not have after all. */
TEST(pdc_nack__pkt_not_rcvd_overrides_a_sack)
{
	struct uet_pds_hdr hdr = pt_ack(START, START);
	struct pdctest t;

	pt_established(&t, 2);
	hdr.u.ack.sack_bitmap = 3;
	pt_rx_ack(&t, hdr);
	EXPECT_EQ(pt_rx_nack(&t, pt_nack(UET_NACK_PKT_NOT_RCVD, START + 1)),
		  UET_DROP_NONE);

	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.u.req.psn, START + 1);
	pt_close(&t);
}

TEST(pdc_nack__informational_codes_change_nothing)
{
	static const u8 codes[] = {
		UET_NACK_TRIMMED_ACK, UET_NACK_RCVD_SES_PROCG,
		UET_NACK_NO_PDC_AVAIL, UET_NACK_NO_CCC_AVAIL,
		UET_NACK_NO_BITMAP, UET_NACK_INVALID_SYN,
	};
	struct pdctest t;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(codes); i++) {
		pt_established(&t, 3);
		EXPECT_EQ(pt_rx_nack(&t, pt_nack(codes[i], START + 1)),
			  UET_DROP_NONE);
		EXPECT_EQ(t.nr_tx, 0);
		EXPECT_EQ(pt_info(&t).inflight_pkts, 3);
		EXPECT_EQ(pt_state(&t), UET_PDC_ST_ESTABLISHED);
		pt_close(&t);
	}
}

TEST(pdc_nack__a_busy_peer_is_alive)
{
	struct pdctest t;
	u64 before;

	pt_established(&t, 3);
	before = uet_pdc_deadline(t.pdc);
	t.now += MS;
	pt_rx_nack(&t, pt_nack(UET_NACK_RCVD_SES_PROCG, START + 1));
	EXPECT_EQ(uet_pdc_deadline(t.pdc), before + MS);
	pt_close(&t);
}

TEST(pdc_nack__unknown_codes_are_unsupported)
{
	static const u8 codes[] = {
		0, 0x0c, 0x1b, 0x80, 0xfc, UET_NACK_NEW_START_PSN,
	};
	struct pdctest t;
	u32 i;

	pt_established(&t, 3);
	for (i = 0; i < ARRAY_SIZE(codes); i++) {
		EXPECT_EQ(pt_rx_nack(&t, pt_nack(codes[i], START + 1)),
			  UET_DROP_UNSUPPORTED);
		EXPECT_EQ(t.nr_tx, 0);
	}
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_ESTABLISHED);
	pt_close(&t);
}

TEST(pdc_nack__fatal_codes_fail_every_packet)
{
	static const u8 codes[] = {
		UET_NACK_INV_DPDCID, UET_NACK_PDC_HDR_MISMATCH,
		UET_NACK_CLOSING, UET_NACK_CLOSING_IN_ERR,
		UET_NACK_GTD_RESP_UNAVAIL, UET_NACK_PDC_MODE_MISMATCH,
		UET_NACK_UNEXP_EVENT, UET_NACK_EXP_NACK_FATAL,
	};
	struct pdctest t;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(codes); i++) {
		pt_established(&t, 3);
		pt_rx_ack(&t, pt_ack(START, START + 2));
		EXPECT_EQ(t.nr_up, 0);
		EXPECT_EQ(pt_rx_nack(&t,
				     nack_unknown_peer(codes[i], START + 1)),
			  UET_DROP_NONE);

		EXPECT_TRUE(uet_pdc_is_dead(t.pdc));
		EXPECT_EQ(pt_state(&t), UET_PDC_ST_ERROR);
		EXPECT_EQ(pt_info(&t).nack_code, codes[i]);
		ASSERT_EQ(t.nr_up, 3);
		EXPECT_EQ(t.up[0].kind, UET_UP_FAILED);
		EXPECT_EQ(t.up[0].error, UET_PDC_ERR_NACK);
		EXPECT_EQ(t.up[0].nack_code, codes[i]);
		EXPECT_EQ(t.up[1].kind, UET_UP_ACKED);
		EXPECT_EQ(t.up[2].kind, UET_UP_FAILED);
		pt_close(&t);
	}
}

TEST(pdc_nack__retry_tells_what_was_not_executed)
{
	static const struct {
		u8 code;
		bool retries;
	} codes[] = {
		{ UET_NACK_INV_DPDCID, true },
		{ UET_NACK_PDC_HDR_MISMATCH, true },
		{ UET_NACK_CLOSING, true },
		{ UET_NACK_CLOSING_IN_ERR, false },
		{ UET_NACK_GTD_RESP_UNAVAIL, false },
		{ UET_NACK_EXP_NACK_FATAL, false },
	};
	struct pdctest t;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(codes); i++) {
		pt_established(&t, 3);
		pt_rx_nack(&t, nack_unknown_peer(codes[i].code, START + 2));
		EXPECT_EQ(uet_pdc_may_repeat(t.pdc), codes[i].retries);
		ASSERT_EQ(t.nr_up, 3);
		EXPECT_FALSE(t.up[0].is_unexecuted);
		EXPECT_EQ(t.up[1].is_unexecuted, codes[i].retries);
		EXPECT_FALSE(t.up[2].is_unexecuted);
		pt_close(&t);
	}
}

/* The first transmission may have been executed, and its ACK lost. */
TEST(pdc_nack__retransmission_may_have_been_executed)
{
	struct uet_pds_hdr nack = nack_unknown_peer(UET_NACK_INV_DPDCID, START + 1);
	struct pdctest t;

	pt_established(&t, 1);
	pt_expire(&t);
	nack.flags |= UET_F_RETX;
	pt_rx_nack(&t, nack);
	EXPECT_TRUE(uet_pdc_may_repeat(t.pdc));
	ASSERT_EQ(t.nr_up, 1);
	EXPECT_FALSE(t.up[0].is_unexecuted);
	pt_close(&t);
}

/* The peer reported the request as received; then it lost the PDC. */
TEST(pdc_nack__sacked_request_has_been_executed)
{
	struct uet_pds_hdr ack = pt_ack(START, START);
	struct pdctest t;

	pt_established(&t, 2);
	ack.u.ack.sack_bitmap = 2;
	pt_rx_ack(&t, ack);
	pt_rx_nack(&t, nack_unknown_peer(UET_NACK_INV_DPDCID, START + 2));
	EXPECT_TRUE(uet_pdc_may_repeat(t.pdc));
	ASSERT_EQ(t.nr_up, 2);
	EXPECT_FALSE(t.up[1].is_unexecuted);
	pt_close(&t);
}

/* On another PDC, requests of a ROD PDC would overtake those that are not repeated. */
TEST(pdc_nack_rod__no_request_is_repeated)
{
	struct pdctest t;

	rod_established(&t, 2);
	pt_rx_nack(&t, nack_unknown_peer(UET_NACK_INV_DPDCID, START + 1));
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_ERROR);
	EXPECT_FALSE(uet_pdc_may_repeat(t.pdc));
	pt_close(&t);
}

/* A SYN has no PDCID of the target that could be wrong. */
TEST(pdc_nack__no_request_with_syn_is_repeated)
{
	struct pdctest t;

	pt_open(&t, UET_PDC_INITIATOR);
	pt_send(&t, 1);
	pt_rx_nack(&t, nack_unknown_peer(UET_NACK_INV_DPDCID, START));
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_ERROR);
	EXPECT_FALSE(uet_pdc_may_repeat(t.pdc));
	pt_close(&t);
}

TEST(pdc_nack__nack_establishes_the_pdcid)
{
	struct pdctest t;

	pt_open(&t, UET_PDC_INITIATOR);
	pt_send(&t, 1);
	EXPECT_EQ(pt_rx_nack(&t, pt_nack(UET_NACK_TRIMMED, START)),
		  UET_DROP_NONE);

	EXPECT_EQ(pt_state(&t), UET_PDC_ST_ESTABLISHED);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.flags, UET_F_RETX | UET_F_AR);
	EXPECT_EQ(t.tx[0].hdr.u.req.dpdcid, PEER_ID);
	pt_close(&t);
}

/* Their spdcid is 0 by definition, so another value names no PDC of the target. */
TEST(pdc_nack__refusal_to_open_names_no_pdc)
{
	static const u8 codes[] = {
		UET_NACK_NO_PDC_AVAIL, UET_NACK_NO_CCC_AVAIL,
		UET_NACK_NO_BITMAP, UET_NACK_INVALID_SYN,
	};
	struct pdctest t;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(codes); i++) {
		pt_open(&t, UET_PDC_INITIATOR);
		pt_send(&t, 1);
		EXPECT_EQ(pt_rx_nack(&t, pt_nack(codes[i], START)),
			  UET_DROP_NONE);
		EXPECT_EQ(pt_state(&t), UET_PDC_ST_SYN_SENT);
		pt_expire(&t);
		ASSERT_EQ(t.nr_tx, 1);
		EXPECT_TRUE(t.tx[0].hdr.flags & UET_F_SYN);
		pt_close(&t);
	}
}

/* A refused packet did arrive: older packets of which nothing is known did not. */
TEST(pdc_nack__is_evidence_of_arrival)
{
	struct pdctest t;

	pt_open(&t, UET_PDC_INITIATOR);
	pt_send(&t, 3);
	t.now += 100 * US;
	pt_rx_nack(&t, pt_nack(UET_NACK_NO_PKT_BUFFER, START + 2));
	EXPECT_EQ(pt_info(&t).srtt_ns, 100 * US);
	pt_expire(&t);
	EXPECT_EQ(uet_pdc_stats(t.pdc)->sack_lost, 2);
	EXPECT_EQ(t.nr_tx, 0);
	pt_expire(&t);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.u.req.psn, START);
	pt_close(&t);
}

/* --- pauses --- */

TEST(pdc_nack_pause__one_packet_probes_after_the_pause)
{
	static const u8 codes[] = {
		UET_NACK_NO_PKT_BUFFER, UET_NACK_NO_GTD_DEL_AVAIL,
		UET_NACK_NO_SES_MSG_AVAIL, UET_NACK_NO_RESOURCE,
		UET_NACK_PSN_OOR_WINDOW,
	};
	struct pdctest t;
	u32 i, psn;

	for (i = 0; i < ARRAY_SIZE(codes); i++) {
		pt_established(&t, 5);
		for (psn = START + 5; psn != START; psn--)
			EXPECT_EQ(pt_rx_nack(&t, pt_nack(codes[i], psn)),
				  UET_DROP_NONE);
		EXPECT_EQ(t.nr_tx, 0);
		EXPECT_EQ(uet_pdc_deadline(t.pdc),
			  t.now + uet_pdc_cfg_default.nack_retx_ns);
		pt_expire(&t);

		ASSERT_EQ(t.nr_tx, 1);
		EXPECT_EQ(t.tx[0].hdr.u.req.psn, START + 1);
		EXPECT_EQ(uet_pdc_stats(t.pdc)->held, 1);
		pt_close(&t);
	}
}

TEST(pdc_nack_pause__new_packets_wait_too)
{
	struct pdctest t;

	pt_established(&t, 1);
	pt_rx_nack(&t, pt_nack(UET_NACK_NO_RESOURCE, START + 1));
	pt_send(&t, 5);
	EXPECT_EQ(t.nr_tx, 0);
	pt_expire(&t);
	EXPECT_EQ(t.nr_tx, 1);
	pt_close(&t);
}

/* Beyond it a pause is an eighth of the time since the first refusal, as far as the RTO. */
TEST(pdc_nack_pause__doubles_up_to_its_maximum)
{
	const struct uet_pdc_cfg *cfg = &uet_pdc_cfg_default;
	u64 want = cfg->nack_retx_ns, begin;
	struct pdctest t;
	u32 i;

	pt_established(&t, 1);
	begin = t.now;
	pt_rx_nack(&t, pt_nack(UET_NACK_NO_RESOURCE, START + 1));
	for (i = 0; i < 80; i++) {
		EXPECT_EQ(uet_pdc_deadline(t.pdc), t.now + want);
		pt_expire(&t);
		ASSERT_EQ(t.nr_tx, 1);
		EXPECT_EQ(pt_rx_nack(&t, nack_flags(UET_NACK_NO_RESOURCE,
						    START + 1, UET_F_RETX)),
			  UET_DROP_NONE);
		want = min(2 * want, max(cfg->nack_retx_max_ns,
					 min((t.now - begin) / 8, cfg->rto_max_ns)));
	}
	EXPECT_EQ(want, cfg->rto_max_ns);
	EXPECT_EQ(uet_pdc_stats(t.pdc)->rto_fired, 0);
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_ESTABLISHED);
	pt_close(&t);
}

/* Each acceptance lets two go: 1, 2, 4, 8 ... */
TEST(pdc_nack_pause__acceptance_opens_up)
{
	struct pdctest t;
	u32 psn;

	pt_established(&t, 20);
	for (psn = START + 1; psn != START + 21; psn++)
		pt_rx_nack(&t, pt_nack(UET_NACK_NO_RESOURCE, psn));
	pt_expire(&t);
	EXPECT_EQ(t.nr_tx, 1);
	pt_rx_ack(&t, pt_ack(START + 1, START + 1));
	EXPECT_EQ(t.nr_tx, 2);
	pt_rx_ack(&t, pt_ack(START + 3, START + 3));
	EXPECT_EQ(t.nr_tx, 4);
	pt_rx_ack(&t, pt_ack(START + 7, START + 7));
	EXPECT_EQ(t.nr_tx, 8);
	pt_close(&t);
}

TEST(pdc_nack_pause__refusal_after_acceptance_pauses_again)
{
	struct pdctest t;
	u32 psn;

	pt_established(&t, 20);
	for (psn = START + 1; psn != START + 21; psn++)
		pt_rx_nack(&t, pt_nack(UET_NACK_NO_RESOURCE, psn));
	pt_expire(&t);
	pt_rx_ack(&t, pt_ack(START + 1, START + 1));
	EXPECT_EQ(t.nr_tx, 2);
	pt_rx_nack(&t, nack_flags(UET_NACK_NO_RESOURCE, START + 2, UET_F_RETX));
	pt_rx_nack(&t, nack_flags(UET_NACK_NO_RESOURCE, START + 3, UET_F_RETX));
	EXPECT_EQ(t.nr_tx, 0);
	EXPECT_EQ(uet_pdc_deadline(t.pdc),
		  t.now + uet_pdc_cfg_default.nack_retx_ns);
	pt_expire(&t);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.u.req.psn, START + 2);
	pt_close(&t);
}

TEST(pdc_nack_pause__ends_when_nothing_is_outstanding)
{
	struct pdctest t;

	pt_established(&t, 1);
	pt_rx_nack(&t, pt_nack(UET_NACK_NO_RESOURCE, START + 1));
	pt_expire(&t);
	pt_rx_ack(&t, pt_ack(START + 1, START + 1));
	pt_send(&t, 50);
	EXPECT_EQ(t.nr_tx, 50);
	pt_close(&t);
}

/* Another copy of the refused packet has found space. */
TEST(pdc_nack_pause__refusal_after_a_late_answer_pauses_again)
{
	struct pdctest t;

	pt_established(&t, 1);
	pt_rx_nack(&t, pt_nack(UET_NACK_NO_RESOURCE, START + 1));
	pt_rx_ack(&t, pt_ack(START + 1, START + 1));
	pt_send(&t, 1);
	EXPECT_EQ(t.nr_tx, 1);
	pt_rx_nack(&t, pt_nack(UET_NACK_NO_RESOURCE, START + 2));
	EXPECT_EQ(pt_info(&t).stats.held, 2);
	EXPECT_EQ(t.pdc->tx.pause.until, t.now + uet_pdc_cfg_default.nack_retx_ns);
	pt_close(&t);
}

/* A lost probe is found by the time-out, which does not count as silence... */
TEST(pdc_nack_pause__a_lost_probe_is_repeated)
{
	struct pdctest t;

	pt_established(&t, 3);
	pt_rx_nack(&t, pt_nack(UET_NACK_NO_RESOURCE, START + 1));
	pt_expire(&t);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.u.req.psn, START + 1);
	pt_expire(&t);

	EXPECT_EQ(uet_pdc_stats(t.pdc)->rto_fired, 1);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.u.req.psn, START + 1);
	pt_close(&t);
}

/* ...unless nothing is heard any more. */
TEST(pdc_nack_pause__silent_peer_times_out_during_the_pause)
{
	struct pdctest t;
	u32 i;

	pt_established(&t, 3);
	pt_rx_nack(&t, pt_nack(UET_NACK_NO_RESOURCE, START + 2));
	for (i = 0; i < 20 && !uet_pdc_is_dead(t.pdc); i++)
		pt_expire(&t);
	EXPECT_EQ(pt_info(&t).error, UET_PDC_ERR_TIMEOUT);
	EXPECT_EQ(t.nr_up, 3);
	pt_close(&t);
}

TEST(pdc_nack_pause__nack_of_a_sacked_packet_is_ignored)
{
	struct uet_pds_hdr hdr = pt_ack(START, START);
	struct pdctest t;

	pt_established(&t, 2);
	hdr.u.ack.sack_bitmap = 1;
	pt_rx_ack(&t, hdr);
	pt_rx_nack(&t, pt_nack(UET_NACK_NO_RESOURCE, START + 1));
	EXPECT_EQ(uet_pdc_stats(t.pdc)->held, 0);
	pt_close(&t);
}

TEST(pdc_nack_pause__is_limited_if_configured)
{
	struct uet_pdc_cfg cfg = uet_pdc_cfg_default;
	struct pdctest t;
	u32 i;

	cfg.max_nack_retx = 3;
	pt_open_cfg(&t, UET_PDC_INITIATOR, UET_PDC_RUD, &cfg);
	pt_send(&t, 1);
	for (i = 0; i < 3; i++) {
		pt_rx_nack(&t, pt_nack(UET_NACK_NO_RESOURCE, START));
		EXPECT_EQ(pt_state(&t), UET_PDC_ST_ESTABLISHED);
		pt_expire(&t);
	}
	pt_rx_nack(&t, pt_nack(UET_NACK_NO_RESOURCE, START));

	EXPECT_EQ(pt_info(&t).error, UET_PDC_ERR_NACK_RETX);
	ASSERT_EQ(t.nr_up, 1);
	EXPECT_EQ(t.up[0].nack_code, UET_NACK_NO_RESOURCE);
	pt_close(&t);
}

/* The peer answers each packet, so no time-out ends the PDC. */
TEST(pdc_close_by__ends_a_pdc_that_is_refused_for_ever)
{
	struct pdctest t;
	u64 end;

	pt_established(&t, 1);
	end = t.now + 1000 * MS;
	uet_pdc_close_by(t.pdc, end);
	pt_rx_nack(&t, pt_nack(UET_NACK_NO_RESOURCE, START + 1));
	while (pt_state(&t) == UET_PDC_ST_ESTABLISHED) {
		ASSERT_EQ(t.now < end, true);
		pt_expire(&t);
		pt_rx_nack(&t, nack_flags(UET_NACK_NO_RESOURCE, START + 1,
					  UET_F_RETX));
	}
	EXPECT_EQ(t.now, end);
	EXPECT_EQ(pt_info(&t).error, UET_PDC_ERR_ABORT);
	EXPECT_EQ(uet_pdc_deadline(t.pdc), UET_NEVER);
	pt_close(&t);
}

/* --- the target has no space for a PDC --- */

TEST(pdc_nack_reopen__backs_off_and_gives_up)
{
	static const u8 codes[] = {
		UET_NACK_NO_PDC_AVAIL, UET_NACK_NO_CCC_AVAIL,
		UET_NACK_NO_BITMAP, UET_NACK_NO_RESOURCE, UET_NACK_INVALID_SYN,
	};
	u64 wait = uet_pdc_cfg_default.rto_init_ns;
	struct pdctest t;
	u32 i, n;

	for (i = 0; i < ARRAY_SIZE(codes); i++) {
		pt_open(&t, UET_PDC_INITIATOR);
		pt_send(&t, 3);
		wait = uet_pdc_cfg_default.rto_init_ns;
		for (n = 0; n < uet_pdc_cfg_default.max_rto_retx; n++) {
			pt_rx_nack(&t, nack_unknown_peer(codes[i], START));
			EXPECT_EQ(uet_pdc_deadline(t.pdc), t.now + wait);
			pt_rx_nack(&t, nack_unknown_peer(codes[i], START + 1));
			pt_expire(&t);
			ASSERT_EQ(t.nr_tx, 1);
			EXPECT_TRUE(t.tx[0].hdr.flags & UET_F_SYN);
			wait = min(2 * wait, uet_pdc_cfg_default.rto_max_ns);
		}
		pt_rx_nack(&t, nack_unknown_peer(codes[i], START));
		EXPECT_EQ(pt_info(&t).error, UET_PDC_ERR_NACK_RETX);
		EXPECT_EQ(t.nr_up, 3);
		EXPECT_EQ(t.up[0].nack_code, codes[i]);
		pt_close(&t);
	}
}

/* An answer that refuses is no silence, but does not last longer than silence may. */
TEST(pdc_nack_reopen__gives_up_after_the_peer_timeout)
{
	struct uet_pdc_cfg cfg = pt_cfg();
	struct pdctest t;
	u64 begin;
	u32 n = 0;

	cfg.peer_timeout_ns = 60000 * MS;
	pt_open_cfg(&t, UET_PDC_INITIATOR, UET_PDC_RUD, &cfg);
	pt_send(&t, 1);
	begin = t.now;
	while (!pt_info(&t).error && n++ < 1000) {
		pt_rx_nack(&t, nack_unknown_peer(UET_NACK_NO_PDC_AVAIL, START));
		if (!pt_info(&t).error)
			pt_expire(&t);
	}
	EXPECT_EQ(pt_info(&t).error, UET_PDC_ERR_NACK_RETX);
	EXPECT_TRUE(t.now - begin >= cfg.peer_timeout_ns);
	EXPECT_TRUE(t.now - begin <= cfg.peer_timeout_ns + cfg.rto_max_ns);
	pt_close(&t);
}

TEST(pdc_nack_reopen__succeeds_later)
{
	struct pdctest t;

	pt_open(&t, UET_PDC_INITIATOR);
	pt_send(&t, 1);
	pt_rx_nack(&t, nack_unknown_peer(UET_NACK_NO_PDC_AVAIL, START));
	pt_expire(&t);
	EXPECT_EQ(pt_rx_ack(&t, pt_ack(START, START)), UET_DROP_NONE);
	EXPECT_EQ(t.nr_up, 1);
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_ESTABLISHED);
	pt_close(&t);
}

/* The refusal of an unknown peer is ignored once the PDC is open. */
TEST(pdc_nack_reopen__established_pdc_ignores_nacks_of_unknown_peers)
{
	struct pdctest t;

	pt_established(&t, 1);
	EXPECT_EQ(pt_rx_nack(&t, nack_unknown_peer(UET_NACK_NO_RESOURCE,
						   START + 1)), UET_DROP_NONE);
	EXPECT_EQ(uet_pdc_stats(t.pdc)->held, 0);
	pt_close(&t);
}

/* --- ROD --- */

/* Half of the six in flight, then two more for each one accepted. */
TEST(pdc_nack_rod__goes_back_to_the_expected_packet)
{
	struct uet_pds_hdr hdr = pt_nack(UET_NACK_ROD_OOO, START + 4);
	struct pdctest t;
	u32 i;

	rod_established(&t, 6);
	hdr.u.nack.payload = START + 3;
	EXPECT_EQ(pt_rx_nack(&t, hdr), UET_DROP_NONE);
	EXPECT_EQ(uet_pdc_stats(t.pdc)->nack_lost, 4);
	ASSERT_EQ(t.nr_tx, 3);
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(t.tx[i].hdr.type, UET_TY_ROD_REQ);
		EXPECT_EQ(t.tx[i].hdr.u.req.psn, START + 3 + i);
		EXPECT_EQ(t.tx[i].ev, t.tx[0].ev);
	}
	hdr = pt_ack(START + 3, START + 3);
	hdr.flags = UET_F_RETX;
	pt_rx_ack(&t, hdr);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.u.req.psn, START + 6);
	pt_close(&t);
}

/* Each packet behind a lost one is refused; going back once is enough. */
TEST(pdc_nack_rod__goes_back_once)
{
	struct uet_pds_hdr hdr;
	struct pdctest t;
	u32 psn;

	rod_established(&t, 6);
	for (psn = START + 2; psn != START + 7; psn++) {
		hdr = pt_nack(UET_NACK_ROD_OOO, psn);
		hdr.u.nack.payload = START + 1;
		EXPECT_EQ(pt_rx_nack(&t, hdr), UET_DROP_NONE);
		EXPECT_EQ(t.nr_tx, psn == START + 2 ? 3 : 0);
	}
	pt_close(&t);
}

TEST(pdc_nack_rod__invalid_expected_psn_goes_back_to_the_oldest)
{
	struct uet_pds_hdr hdr = pt_nack(UET_NACK_ROD_OOO, START + 4);
	struct pdctest t;

	rod_established(&t, 6);
	hdr.u.nack.payload = 0;
	EXPECT_EQ(pt_rx_nack(&t, hdr), UET_DROP_NONE);

	EXPECT_EQ(uet_pdc_stats(t.pdc)->nack_lost, 6);
	EXPECT_EQ(t.nr_tx, 3);
	EXPECT_EQ(t.tx[0].hdr.u.req.psn, START + 1);
	pt_close(&t);
}

/* --- closing --- */

TEST(pdc_nack_close__forgotten_means_closed)
{
	struct pdctest t;

	pt_established(&t, 0);
	uet_pdc_close(t.pdc, t.now);
	pt_run(&t);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.next_hdr, UET_CP_CLOSE_COMMAND);
	EXPECT_EQ(pt_rx_nack(&t,
			     nack_unknown_peer(UET_NACK_INV_DPDCID, START + 1)),
		  UET_DROP_NONE);

	EXPECT_EQ(pt_state(&t), UET_PDC_ST_CLOSED);
	EXPECT_EQ(pt_info(&t).error, UET_PDC_OK);
	EXPECT_TRUE(uet_pdc_is_dead(t.pdc));
	pt_close(&t);
}

TEST(pdc_nack_close__refused_close_is_an_error)
{
	struct pdctest t;

	pt_established(&t, 0);
	uet_pdc_close(t.pdc, t.now);
	pt_run(&t);
	EXPECT_EQ(pt_rx_nack(&t, pt_nack(UET_NACK_CLOSING_IN_ERR, START + 1)),
		  UET_DROP_NONE);
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_ERROR);
	EXPECT_EQ(t.nr_up, 0);
	pt_close(&t);
}
