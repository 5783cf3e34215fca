// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of kernel/core/pds/pdc_rx.c: what is believed of a trimmed packet,
 * which NACK it gets, that nothing else moves, and that the sender makes good
 * for it.
 * Spec: UE 1.0.1 3.6.4.4, 4.1.  Level: test of core L4.
 */
#include "pdctest.h"

static enum uet_drop trim(struct pdctest *t, struct uet_pds_hdr hdr,
			  const struct uet_rx_info *in, u8 code)
{
	enum uet_drop why;

	why = uet_pdc_rx_trimmed(t->pdc, &hdr, in, code, t->now);
	pt_check(t);
	pt_run(t);
	return why;
}

static enum uet_drop trimmed(struct pdctest *t, struct uet_pds_hdr hdr)
{
	return trim(t, hdr, &pt_in, UET_NACK_TRIMMED);
}

/* The bytes of a packet: its header and 8 bytes that follow it. */
static size_t encode(const struct uet_pds_hdr *hdr, u8 *buf)
{
	size_t len = uet_wire_pds_encode(hdr, buf, UET_PDS_MAX_LEN);

	EXPECT_NE(len, 0);
	memset(buf + len, 0xee, 8);
	return len + 8;
}

TEST(pds_trimmed__trimmed_request_is_decoded)
{
	static const u8 types[] = {
		UET_TY_RUD_REQ, UET_TY_ROD_REQ, UET_TY_RUD_CC_REQ,
		UET_TY_ROD_CC_REQ,
	};
	struct uet_pds_hdr hdr, got;
	u8 buf[UET_PDS_MAX_LEN + 8];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		hdr = pt_req(START + 5, UET_F_RETX);
		hdr.type = types[i];
		encode(&hdr, buf);
		EXPECT_EQ(uet_pds_trimmed(buf, UET_TRIM_LEN, &got),
			  UET_DROP_NONE);
		EXPECT_EQ(got.type, types[i]);
		EXPECT_EQ(got.flags, UET_F_RETX);
		EXPECT_EQ(got.u.req.psn, START + 5);
		EXPECT_EQ(got.u.req.spdcid, PEER_ID);
		EXPECT_EQ(got.u.req.dpdcid, OUR_ID);
	}
}

TEST(pds_trimmed__trimmed_syn_is_dropped)
{
	struct uet_pds_hdr hdr = pt_req(START, UET_F_SYN), got;
	u8 buf[UET_PDS_MAX_LEN + 8];

	encode(&hdr, buf);
	EXPECT_EQ(uet_pds_trimmed(buf, UET_TRIM_LEN, &got),
		  UET_DROP_TRIMMED_SYN);
}

/* All are longer when whole, or as long: the length says nothing. */
TEST(pds_trimmed__answers_and_control_packets_are_named)
{
	struct uet_pds_hdr rudi = {
		.type = UET_TY_RUDI_REQ, .next_hdr = UET_NH_REQ_STD,
	};
	const struct {
		struct uet_pds_hdr hdr;
		enum uet_drop why;
	} rows[] = {
		{ pt_ack(START, START), UET_DROP_TRIMMED_ACK },
		{ pt_nack(UET_NACK_TRIMMED, START), UET_DROP_TRIMMED_NACK },
		{ pt_cp(UET_CP_NOOP, START, 0), UET_DROP_TRIMMED_CP },
		{ pt_cp(UET_CP_NOOP, START, UET_F_SYN), UET_DROP_TRIMMED_CP },
		{ rudi, UET_DROP_TRIMMED_OTHER },
	};
	struct uet_pds_hdr got;
	u8 buf[UET_PDS_MAX_LEN + 8];
	size_t len, cut;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		len = encode(&rows[i].hdr, buf);
		for (cut = 2; cut <= len; cut++)
			EXPECT_EQ(uet_pds_trimmed(buf, cut, &got),
				  rows[i].why);
	}
}

TEST(pds_trimmed__shorter_rest_is_truncated)
{
	struct uet_pds_hdr hdr = pt_req(START, 0), got;
	u8 buf[UET_PDS_MAX_LEN + 8] = { 0 };

	EXPECT_EQ(uet_pds_trimmed(buf, 0, &got), UET_DROP_TRUNC_PROLOGUE);
	EXPECT_EQ(uet_pds_trimmed(buf, UET_TRIM_LEN, &got), UET_DROP_BAD_TYPE);
	encode(&hdr, buf);
	EXPECT_EQ(uet_pds_trimmed(buf, 1, &got), UET_DROP_TRUNC_PROLOGUE);
	EXPECT_EQ(uet_pds_trimmed(buf, UET_REQ_LEN - 1, &got),
		  UET_DROP_TRUNC_REQ);
	EXPECT_EQ(uet_pds_trimmed(buf, UET_REQ_LEN, &got), UET_DROP_NONE);
}

TEST(pdc_trim__is_nacked)
{
	static const u8 codes[] = {
		UET_NACK_TRIMMED, UET_NACK_TRIMMED_LASTHOP,
	};
	struct uet_rx_info in = { .ev = 0x7171, .bytes = 64 };
	struct pdctest t;
	u32 i;

	for (i = 0; i < 4; i++) {
		in.ce = i & 1;
		pt_accepted(&t);
		EXPECT_EQ(trim(&t, pt_req(START + 3, i & 1 ? UET_F_RETX : 0),
			       &in, codes[i / 2]), UET_DROP_TRIMMED);

		ASSERT_EQ(t.nr_tx, 1);
		EXPECT_EQ(t.tx[0].kind, UET_TX_NACK);
		EXPECT_EQ(t.tx[0].hdr.u.nack.code, codes[i / 2]);
		EXPECT_EQ(t.tx[0].hdr.u.nack.psn, START + 3);
		EXPECT_EQ(t.tx[0].hdr.u.nack.spdcid, OUR_ID);
		EXPECT_EQ(t.tx[0].hdr.u.nack.dpdcid, PEER_ID);
		EXPECT_EQ(t.tx[0].hdr.flags,
			  i & 1 ? UET_F_M | UET_F_RETX : 0);
		EXPECT_EQ(t.tx[0].ev, 0x7171);
		pt_close(&t);
	}
}

/* Not the window, not CLEAR_PSN, not the state, not what an ACK would say. */
TEST(pdc_trim__moves_nothing)
{
	struct uet_pds_hdr hdr = pt_req(START + 1, 0);
	struct uet_pdc_rxh before;
	struct pdctest t;

	pt_open(&t, UET_PDC_TARGET);
	pt_rx_req_rsp(&t, pt_req(START, UET_F_SYN), UET_RSP_RESPONSE,
		      UET_RC_NO_MATCH);
	before = t.pdc->rx;
	hdr.u.req.clear_off = -1;	/* would clear the stored response */
	EXPECT_EQ(trimmed(&t, hdr), UET_DROP_TRIMMED);

	EXPECT_EQ(pt_state(&t), UET_PDC_ST_NEW_ESTABLISHED);
	EXPECT_EQ(t.pdc->rx.cack, before.cack);
	EXPECT_EQ(t.pdc->rx.clear, before.clear);
	EXPECT_EQ(t.pdc->rx.base, before.base);
	EXPECT_EQ(t.pdc->rx.end, before.end);
	EXPECT_EQ(t.pdc->rx.nr_gtd, 1);
	EXPECT_EQ(t.pdc->rx.bytes, before.bytes);
	EXPECT_EQ(t.pdc->rx.ack_gen, before.ack_gen);
	EXPECT_EQ(uet_pdc_stats(t.pdc)->rx_req, 1);
	EXPECT_EQ(uet_pdc_stats(t.pdc)->rx_ooo, 0);
	/* The packet itself is as new as ever. */
	EXPECT_EQ(pt_rx_req(&t, pt_req(START + 1, 0)), UET_DROP_NONE);
	pt_close(&t);
}

/* A peer of which only trimmed packets arrive is not gone. */
TEST(pdc_trim__the_peer_is_alive)
{
	struct pdctest t;

	pt_accepted(&t);
	t.now += uet_pdc_cfg_default.target_idle_ns / 2;
	EXPECT_EQ(trimmed(&t, pt_req(START + 1, 0)), UET_DROP_TRIMMED);
	EXPECT_EQ(uet_pdc_deadline(t.pdc),
		  t.now + uet_pdc_cfg_default.target_idle_ns);
	pt_close(&t);
}

TEST(pdc_trim__trimmed_duplicate_is_acked_not_nacked)
{
	struct pdctest t;

	pt_accepted(&t);
	EXPECT_EQ(trimmed(&t, pt_req(START, 0)), UET_DROP_DUPLICATE);
	EXPECT_EQ(t.nr_tx, 0);
	EXPECT_EQ(trimmed(&t, pt_req(START, UET_F_RETX)), UET_DROP_DUPLICATE);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].kind, UET_TX_ACK);
	EXPECT_EQ(t.tx[0].hdr.u.ack.cack_psn, START);
	pt_close(&t);
}

TEST(pdc_trim__trimmed_packet_beyond_the_window_is_out_of_window)
{
	struct pdctest t;

	pt_accepted(&t);
	EXPECT_EQ(trimmed(&t, pt_req(START + UET_PDC_WINDOW_DEFAULT, 0)),
		  UET_DROP_TRIMMED);
	EXPECT_EQ(trimmed(&t, pt_req(START + UET_PDC_WINDOW_DEFAULT + 1, 0)),
		  UET_DROP_OUT_OF_WINDOW);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.u.nack.code, UET_NACK_PSN_OOR_WINDOW);
	EXPECT_EQ(trimmed(&t, pt_req(START - UET_PDC_WINDOW_DEFAULT, 0)),
		  UET_DROP_FAR_BELOW_WINDOW);
	EXPECT_EQ(t.nr_tx, 0);
	pt_close(&t);
}

/* A bit that flipped unnoticed must not end anything: no answer at all. */
TEST(pdc_trim__wrong_pdcid_or_mode_is_not_answered)
{
	struct uet_pds_hdr hdr;
	struct pdctest t;

	pt_accepted(&t);
	hdr = pt_req(START + 1, 0);
	hdr.u.req.spdcid ^= 1;
	EXPECT_EQ(trimmed(&t, hdr), UET_DROP_PDCID_MISMATCH);
	EXPECT_EQ(t.nr_tx, 0);
	hdr = pt_req(START + 1, 0);
	hdr.u.req.dpdcid ^= 1;
	EXPECT_EQ(trimmed(&t, hdr), UET_DROP_PDCID_MISMATCH);
	EXPECT_EQ(t.nr_tx, 0);
	hdr = pt_req(START + 1, 0);
	hdr.type = UET_TY_ROD_REQ;
	EXPECT_EQ(trimmed(&t, hdr), UET_DROP_MODE_MISMATCH);
	EXPECT_EQ(t.nr_tx, 0);
	uet_pdc_abort(t.pdc, t.now);
	EXPECT_EQ(trimmed(&t, pt_req(START + 1, 0)), UET_DROP_BAD_STATE);
	EXPECT_EQ(t.nr_tx, 0);
	pt_close(&t);
}

/*
 * A switch forwards the rest of a trimmed packet ahead of its queue, so a packet that
 * overtakes others is no sign of a loss.
 */
TEST(pdc_trim__rod_nacks_a_trimmed_packet_ahead_of_others)
{
	struct uet_pds_hdr hdr = pt_req(START, UET_F_SYN);
	struct pdctest t;
	u32 i;

	pt_open_cfg(&t, UET_PDC_TARGET, UET_PDC_ROD, &uet_pdc_cfg_default);
	hdr.type = UET_TY_ROD_REQ;
	EXPECT_EQ(pt_rx_req(&t, hdr), UET_DROP_NONE);
	for (i = 1; i <= 2; i++) {
		hdr = pt_req(START + i, 0);
		hdr.type = UET_TY_ROD_REQ;
		EXPECT_EQ(trimmed(&t, hdr), UET_DROP_TRIMMED);
		ASSERT_EQ(t.nr_tx, 1);
		EXPECT_EQ(t.tx[0].hdr.u.nack.code, UET_NACK_TRIMMED);
		EXPECT_EQ(t.tx[0].hdr.u.nack.psn, START + i);
		EXPECT_EQ(t.tx[0].hdr.u.nack.payload, 0);
	}
	EXPECT_EQ(uet_pdc_stats(t.pdc)->rx_ooo, 0);
	pt_close(&t);
}

/* Only the trimmed packet is sent again, and it comes in its order. */
TEST(pdc_trim__rod_sends_only_the_trimmed_packet_again)
{
	struct uet_pds_hdr nack = pt_nack(UET_NACK_TRIMMED, START + 3);
	struct uet_pdc_cfg cfg = pt_cfg();
	struct pdctest t;

	pt_open_cfg(&t, UET_PDC_INITIATOR, UET_PDC_ROD, &cfg);
	pt_send(&t, 1);
	t.now += 100 * US;
	EXPECT_EQ(pt_rx_ack(&t, pt_ack(START, START)), UET_DROP_NONE);
	pt_send(&t, 5);
	EXPECT_EQ(t.nr_tx, 5);
	t.now += 10 * US;
	EXPECT_EQ(pt_rx_nack(&t, nack), UET_DROP_NONE);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.u.req.psn, START + 3);
	EXPECT_EQ(t.tx[0].hdr.flags & UET_F_RETX, UET_F_RETX);
	pt_close(&t);
}

/* Sixteen NACKs may be pending at once; dropped ones are counted. */
TEST(pdc_trim__pending_nacks_are_bounded_and_excess_is_counted)
{
	struct uet_pds_hdr hdr;
	struct pdctest t;
	u32 i;

	pt_accepted(&t);
	for (i = 1; i <= UET_PDC_NACKS + 3; i++) {
		hdr = pt_req(START + i, 0);
		EXPECT_EQ(uet_pdc_rx_trimmed(t.pdc, &hdr, &pt_in,
					     UET_NACK_TRIMMED, t.now),
			  UET_DROP_TRIMMED);
	}
	pt_run(&t);
	EXPECT_EQ(t.nr_tx, UET_PDC_NACKS);
	EXPECT_EQ(uet_pdc_stats(t.pdc)->nack_overflow, 3);
	pt_close(&t);
}

/* Both ends: what was trimmed is sent again at once and then received. */
TEST(pdc_trim__makes_the_sender_send_again)
{
	static const u8 codes[] = {
		UET_NACK_TRIMMED, UET_NACK_TRIMMED_LASTHOP,
	};
	struct pdctest tx, rx;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(codes); i++) {
		pt_established(&tx, 2);
		pt_accepted(&rx);
		EXPECT_EQ(trim(&rx, pt_req(START + 1, 0), &pt_in, codes[i]),
			  UET_DROP_TRIMMED);
		ASSERT_EQ(rx.nr_tx, 1);
		EXPECT_EQ(pt_rx_nack(&tx, pt_nack(rx.tx[0].hdr.u.nack.code,
						  START + 1)), UET_DROP_NONE);
		ASSERT_EQ(tx.nr_tx, 1);
		EXPECT_TRUE(tx.tx[0].is_retx);
		EXPECT_EQ(tx.tx[0].hdr.u.req.psn, START + 1);
		EXPECT_EQ(uet_pdc_stats(tx.pdc)->rto_fired, 0);
		EXPECT_EQ(pt_rx_req(&rx, pt_req(START + 1, UET_F_RETX)),
			  UET_DROP_NONE);
		pt_close(&tx);
		pt_close(&rx);
	}
}
