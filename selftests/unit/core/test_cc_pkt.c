// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of kernel/core/cc_pkt.[ch]: units and wraps of the fields of ACKs, and
 * which packets give a round trip.  Spec: UE 1.0.1 3.6.12.2, 3.6.13, Table 3-74.
 * Level: test of core L3.
 */
#include "cctest.h"

TEST(cc_nominal__is_udp_length_and_40)
{
	EXPECT_EQ(uet_cc_nominal(4056), 4096);
	EXPECT_EQ(uet_cc_nominal(70000), U16_MAX);
}

TEST(cc_rcvd_units__rounds_up_and_wraps)
{
	EXPECT_EQ(uet_cc_rcvd_units(0), 0);
	EXPECT_EQ(uet_cc_rcvd_units(1), 1);
	EXPECT_EQ(uet_cc_rcvd_units(256), 1);
	EXPECT_EQ(uet_cc_rcvd_units(257), 2);
	EXPECT_EQ(uet_cc_rcvd_units((1ULL << 32) + 256), 1);
}

TEST(cc_rcvd_new__only_new_bytes_are_counted)
{
	u32 seen = 0xfffffe;

	EXPECT_EQ(uet_cc_rcvd_new(&seen, 0xffffff), 256);
	EXPECT_EQ(uet_cc_rcvd_new(&seen, 0x000003), 4 * 256);
	EXPECT_EQ(seen, 3);
}

TEST(cc_rcvd_new__overtaken_ack_is_nothing)
{
	u32 seen = 100;

	EXPECT_EQ(uet_cc_rcvd_new(&seen, 100), 0);
	EXPECT_EQ(uet_cc_rcvd_new(&seen, 99), 0);
	EXPECT_EQ(uet_cc_rcvd_new(&seen, 0xfffff0), 0);
	EXPECT_EQ(seen, 100);
}

TEST(cc_service_time__never_says_unknown)
{
	EXPECT_EQ(uet_cc_service_time(0), 1);
	EXPECT_EQ(uet_cc_service_time(255), 1);
	EXPECT_EQ(uet_cc_service_time(256), 2);
	EXPECT_EQ(uet_cc_service_time(1000000000), UET_SERVICE_TIME_OVER);
}

TEST(cc_sample__subtracts_service_time)
{
	struct uet_cc_pkt pkt = { .sent_ns = 1000, .sends = 1,
				  .state = UET_CC_PKT_OUT };

	EXPECT_EQ(uet_cc_sample(&pkt, false, 2, 14256), 13000);
	EXPECT_EQ(uet_cc_sample_ns(&pkt, false, 0, 14000), 13000);
}

TEST(cc_sample__sample_needs_a_service_time)
{
	struct uet_cc_pkt pkt = { .sent_ns = 1000, .sends = 1,
				  .state = UET_CC_PKT_OUT };

	EXPECT_EQ(uet_cc_sample(&pkt, false, UET_SERVICE_TIME_NONE, 14000), 0);
	EXPECT_EQ(uet_cc_sample(&pkt, false, UET_SERVICE_TIME_OVER, 14000), 0);
	/* More than went by: the peer's clock or its word is bad. */
	EXPECT_EQ(uet_cc_sample(&pkt, false, 1000, 14000), 0);
	EXPECT_EQ(uet_cc_sample_ns(&pkt, false, 0, 1000), 0);
}

TEST(cc_sample__sample_needs_a_known_transmission)
{
	struct uet_cc_pkt pkt = { .sent_ns = 1000, .state = UET_CC_PKT_OUT };
	bool want[4][2] = { { 0, 0 }, { 1, 0 }, { 0, 1 }, { 0, 0 } };
	int is_retx;

	for (pkt.sends = 0; pkt.sends < 4; pkt.sends++)
		for (is_retx = 0; is_retx < 2; is_retx++)
			EXPECT_EQ(uet_cc_sample(&pkt, is_retx, 1, 14128) != 0,
				  want[pkt.sends][is_retx]);
	/* Nor if an earlier ACK freed the record. */
	pkt.sends = 1;
	pkt.state = UET_CC_PKT_NONE;
	EXPECT_EQ(uet_cc_sample(&pkt, false, 1, 14128), 0);
}
