// SPDX-License-Identifier: GPL-2.0
/*
 * Data in ACKs: stored with its response, sent again with it, cleared like any
 * other; and what tells its receiver which packet it answers, once.
 * Spec: UE 1.0.1 3.5.11.4, uet-wire 2.32.  Level: test of core L4.
 */
#include "pdcpair.h"

static const u8 data[UET_PDC_ACK_DATA_MAX] = "0123456789abcde";

/* A request that is answered with @len bytes of data. */
static void rx_read(struct pdctest *t, u32 psn, u32 clear, u8 form, u16 len)
{
	struct uet_ses_rsp rsp = {
		.form = form, .opcode = UET_RSP_W_DATA, .rc = UET_RC_OK,
		.job = 7, .read_msg_id = 88, .payload_length = len,
		.modified_length = len, .orig_psn = psn, .data = data,
	};
	struct uet_pds_hdr hdr = pt_req(psn, 0);
	bool deliver;

	hdr.u.req.clear_off = (s16)(clear - psn);
	uet_pdc_rx_req(t->pdc, &hdr, &pt_in, t->now, &deliver);
	ASSERT_TRUE(deliver);
	uet_pdc_rx_accept(t->pdc, &hdr, &pt_in, &rsp, t->now);
	pt_run(t);
}

static void expect_data(const struct pdctest *t, u32 psn, u16 len)
{
	const struct uet_pdc_tx *tx = &t->tx[0];
	const struct uet_ack *ack = &tx->hdr.u.ack;

	ASSERT_EQ(t->nr_tx, 1);
	EXPECT_EQ(tx->kind, UET_TX_ACK);
	EXPECT_EQ(ack->cack_psn + (u32)ack->ack_off, psn);
	EXPECT_EQ(ack->cack_psn, psn - 1);
	EXPECT_EQ(tx->hdr.flags & UET_F_REQ_MASK, UET_F_REQ_CLEAR);
	EXPECT_EQ(tx->rsp.opcode, UET_RSP_W_DATA);
	EXPECT_EQ(tx->rsp.payload_length, len);
	EXPECT_MEMEQ(tx->rsp.data, data, len);
}

TEST(pdc_data__is_stored_until_cleared)
{
	struct uet_pds_hdr again = pt_req(START + 1, UET_F_RETX);
	struct uet_pds_hdr clear = pt_cp(UET_CP_CLEAR_COMMAND, 0, 0);
	struct pdctest t;
	bool deliver;

	pt_accepted(&t);
	rx_read(&t, START + 1, START, UET_RSP_FORM_DATA, 16);
	expect_data(&t, START + 1, 16);
	EXPECT_EQ(t.tx[0].hdr.next_hdr, UET_NH_RSP_DATA);
	EXPECT_EQ(t.tx[0].rsp.read_msg_id, 88);
	EXPECT_EQ(t.tx[0].rsp.msg_id, 88);
	/* Lost: the copy gets the same, and is not executed. */
	again.u.req.clear_off = -1;
	EXPECT_EQ(uet_pdc_rx_req(t.pdc, &again, &pt_in, t.now, &deliver),
		  UET_DROP_DUPLICATE);
	EXPECT_FALSE(deliver);
	pt_run(&t);
	expect_data(&t, START + 1, 16);
	/* Cleared: there is only a default response left. */
	clear.u.cp.payload = START + 1;
	EXPECT_EQ(pt_rx_cp(&t, clear), UET_DROP_NONE);
	uet_pdc_rx_req(t.pdc, &again, &pt_in, t.now, &deliver);
	pt_run(&t);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].rsp.opcode, UET_RSP_DEFAULT);
	EXPECT_EQ(t.tx[0].hdr.u.ack.cack_psn, START + 1);
	pt_close(&t);
}

TEST(pdc_data__small_form_names_the_psn)
{
	struct pdctest t;

	pt_accepted(&t);
	rx_read(&t, START + 1, START, UET_RSP_FORM_SMALL, 3);
	expect_data(&t, START + 1, 3);
	EXPECT_EQ(t.tx[0].hdr.next_hdr, UET_NH_RSP_DATA_SMALL);
	EXPECT_EQ(t.tx[0].rsp.orig_psn, START + 1);
	pt_close(&t);
}

/* UE 1.0.1 Table 3-12 behind an ACK_CC. */
TEST(pdc_data__response_has_the_bytes_of_table_3_12)
{
	static const u8 golden[UET_SES_RSP_DATA_LEN] = {
		0x02, 0x01, 0x00, 0x58, 0x00, 0x00, 0x00, 0x07,
		0x00, 0x58, 0x00, 0x10, 0x00, 0x00, 0x00, 0x10,
		0x00, 0x00, 0x00, 0x00,
	};
	u8 buf[UET_SES_RSP_MAX_LEN];
	struct pdctest t;

	pt_accepted(&t);
	rx_read(&t, START + 1, START, UET_RSP_FORM_DATA, 16);
	EXPECT_EQ(uet_wire_ses_rsp_encode(&t.tx[0].rsp, buf, sizeof(buf)),
		  sizeof(golden));
	EXPECT_MEMEQ(buf, golden, sizeof(golden));
	pt_close(&t);
}

static struct uet_pds_hdr ack_of(u32 cack, u32 psn)
{
	return (struct uet_pds_hdr){
		.type = UET_TY_ACK, .next_hdr = UET_NH_RSP_DATA,
		.u.ack = {
			.cack_psn = cack, .ack_off = (s16)(psn - cack),
			.spdcid = PEER_ID, .dpdcid = OUR_ID,
		},
	};
}

TEST(pdc_answered__packet_is_found_until_it_is_answered)
{
	const struct uet_ses_rsp rsp = {
		.form = UET_RSP_FORM_DATA, .opcode = UET_RSP_W_DATA,
		.rc = UET_RC_OK,
	};
	struct uet_pds_hdr hdr = ack_of(START - 1, START + 1);
	const struct uet_pds_pkt *pkt;
	struct pdctest t;

	pt_open(&t, UET_PDC_INITIATOR);
	pt_send(&t, 3);
	pkt = uet_pdc_answered(t.pdc, &hdr);
	ASSERT_TRUE(pkt);
	EXPECT_EQ(pkt->offset, 1024);
	EXPECT_EQ(uet_pdc_rx_ack(t.pdc, &hdr, &rsp, &pt_in, t.now),
		  UET_DROP_NONE);
	EXPECT_NULL(uet_pdc_answered(t.pdc, &hdr));
	/*
	 * A packet that was never sent is not answered, not even by an answer to a
	 * Probe.
	 */
	hdr = ack_of(START - 1, START + 3);
	EXPECT_NULL(uet_pdc_answered(t.pdc, &hdr));
	hdr = ack_of(START - 1, START + 2);
	EXPECT_TRUE(uet_pdc_answered(t.pdc, &hdr));
	hdr.flags |= UET_F_P;
	EXPECT_NULL(uet_pdc_answered(t.pdc, &hdr));
	pt_close(&t);
}

TEST(pdc_answered__control_packets_have_no_data)
{
	struct uet_pds_hdr hdr = ack_of(START - 1, START);
	struct pdctest t;

	pt_open(&t, UET_PDC_INITIATOR);
	EXPECT_TRUE(uet_pdc_tx_noop(t.pdc, NULL, t.now));
	pt_run(&t);
	EXPECT_NULL(uet_pdc_answered(t.pdc, &hdr));
	pt_close(&t);
}

TEST(pdc_peer_timeout__outlasts_retransmission)
{
	struct uet_pdc_cfg cfg = pt_cfg();
	struct pdctest t;

	cfg.idle_ns = 500 * MS;
	cfg.rto_max_ns = 50 * MS;
	cfg.max_rto_retx = 5;
	pt_open_cfg(&t, UET_PDC_INITIATOR, UET_PDC_RUD, &cfg);
	EXPECT_EQ(uet_pdc_peer_timeout(t.pdc), 500 * MS);
	pt_close(&t);
	cfg.idle_ns = 0;
	pt_open_cfg(&t, UET_PDC_INITIATOR, UET_PDC_RUD, &cfg);
	EXPECT_EQ(uet_pdc_peer_timeout(t.pdc), 300 * MS);
	EXPECT_EQ(uet_pdc_rto_max(t.pdc), 50 * MS);
	pt_close(&t);
}
