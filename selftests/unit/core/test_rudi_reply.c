// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of kernel/core/pds/pds_reply.c: the bytes of both answers to a RUDI
 * request, and that nothing else is answered.
 * Spec: UE 1.0.1 3.5.10.9, 3.5.12.7, Tables 3-39 and 3-40.
 * Level: test of core L4.
 */
#include "ruditest.h"

static const struct uet_rx_info plain = { .ev = 0x1234, .bytes = 100 };
static const struct uet_rx_info marked = { .ev = 0x4321, .ce = true };

static struct uet_pds_hdr request(u8 flags)
{
	struct uet_pds_hdr hdr = {
		.type = UET_TY_RUDI_REQ,
		.next_hdr = UET_NH_REQ_STD,
		.flags = flags,
		.u.rudi.pkt_id = 0x99887766,
	};

	return hdr;
}

/* The PDS header of an answer is these bytes. */
static void expect_bytes(const struct uet_pdc_tx *tx, const char *hex)
{
	u8 want[UET_PDS_MAX_LEN], got[UET_PDS_MAX_LEN];
	size_t n = utest_unhex(hex, want, sizeof(want));

	EXPECT_EQ(uet_wire_pds_encode(&tx->hdr, got, sizeof(got)), n);
	EXPECT_MEMEQ(got, want, n);
}

TEST(rudi_reply__response_bytes_are_exact)
{
	const struct uet_ses_rsp rsp = {
		.opcode = UET_RSP_DEFAULT, .rc = UET_RC_OK, .msg_id = 77,
	};
	struct uet_pds_hdr hdr = request(0);
	struct uet_pdc_tx tx;

	EXPECT_TRUE(uet_rudi_reply(&hdr, &plain, &rsp, 0, &tx));
	EXPECT_EQ(tx.kind, UET_TX_ACK);
	EXPECT_EQ(tx.ev, 0x1234);
	EXPECT_MEMEQ(&tx.rsp, &rsp, sizeof(rsp));
	expect_bytes(&tx, "2a000000 99887766");
	/* M tells of CE; the bytes are those of another implementation. */
	EXPECT_TRUE(uet_rudi_reply(&hdr, &marked, &rsp, 0, &tx));
	EXPECT_EQ(tx.ev, 0x4321);
	expect_bytes(&tx, "2a20000099887766");
	hdr = request(UET_F_RETX);
	EXPECT_TRUE(uet_rudi_reply(&hdr, &marked, &rsp, 0, &tx));
	expect_bytes(&tx, "2a300000 99887766");
}

TEST(rudi_reply__next_hdr_follows_the_form)
{
	static const u8 forms[][2] = {
		{ UET_RSP_FORM_PLAIN, UET_NH_RSP },
		{ UET_RSP_FORM_DATA, UET_NH_RSP_DATA },
		{ UET_RSP_FORM_SMALL, UET_NH_RSP_DATA_SMALL },
	};
	struct uet_pds_hdr hdr = request(0);
	struct uet_ses_rsp rsp = { .rc = UET_RC_OK };
	struct uet_pdc_tx tx;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(forms); i++) {
		rsp.form = forms[i][0];
		EXPECT_TRUE(uet_rudi_reply(&hdr, &plain, &rsp, 0, &tx));
		EXPECT_EQ(tx.hdr.next_hdr, forms[i][1]);
	}
}

TEST(rudi_reply__nack_bytes_are_exact)
{
	struct uet_pds_hdr hdr = request(0);
	struct uet_pdc_tx tx;

	EXPECT_TRUE(uet_rudi_reply(&hdr, &plain, NULL, UET_NACK_NO_PKT_BUFFER,
				   &tx));
	EXPECT_EQ(tx.kind, UET_TX_NACK);
	EXPECT_EQ(tx.ev, 0x1234);
	expect_bytes(&tx, "50080700 99887766 0000 0000 00000000");
	hdr = request(UET_F_RETX);
	EXPECT_TRUE(uet_rudi_reply(&hdr, &marked, NULL, UET_NACK_TRIMMED, &tx));
	expect_bytes(&tx, "50380100 99887766 0000 0000 00000000");
}

/* An initiator accepts the packets that it would send as a target. */
TEST(rudi_reply__initiator_accepts_the_reply)
{
	const struct uet_ses_rsp rsp = { .rc = UET_RC_OK, .msg_id = 77 };
	struct uet_pds_pkt pkt;
	struct uet_pdc_tx tx;
	struct ruditest t;

	rt_open(&t);
	rt_send(&t, 2);
	EXPECT_TRUE(uet_rudi_reply(&t.tx[0].hdr, &plain, &rsp, 0, &tx));
	EXPECT_EQ(uet_rudi_rx_resp(t.rudi, &tx.hdr, &tx.rsp, t.now, &pkt),
		  UET_DROP_NONE);
	EXPECT_TRUE(uet_rudi_reply(&t.tx[1].hdr, &plain, NULL,
				   UET_NACK_UNEXP_EVENT, &tx));
	EXPECT_EQ(uet_rudi_rx_nack(t.rudi, &tx.hdr, t.now), UET_DROP_NONE);
	rt_run(&t);
	ASSERT_EQ(t.nr_up, 2);
	EXPECT_EQ(t.up[0].kind, UET_UP_ACKED);
	EXPECT_EQ(t.up[1].nack_code, UET_NACK_UNEXP_EVENT);
	rt_close(&t);
}

TEST(rudi_reply__nothing_but_a_request_is_answered)
{
	const struct uet_ses_rsp rsp = { .rc = UET_RC_OK };
	struct uet_pds_hdr hdr = request(0);
	struct uet_pdc_tx tx;
	u32 type;

	for (type = 0; type < UET_TY_NR; type++) {
		hdr.type = (u8)type;
		EXPECT_EQ(uet_rudi_reply(&hdr, &plain, &rsp, 0, &tx),
			  type == UET_TY_RUDI_REQ);
		EXPECT_EQ(uet_rudi_reply(&hdr, &plain, NULL,
					 UET_NACK_TRIMMED, &tx),
			  type == UET_TY_RUDI_REQ);
	}
}
