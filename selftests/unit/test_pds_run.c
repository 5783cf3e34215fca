// SPDX-License-Identifier: GPL-2.0
/* Tests of when a run loop goes around again.  Level: test. */
#include "core/pds/pds.h"
#include "utest.h"

TEST(runs_again__ends_without_work)
{
	int rounds = 8;

	EXPECT_FALSE(uet_pds_runs_again(false, false, &rounds));
	EXPECT_FALSE(uet_pds_runs_again(false, true, &rounds));
}

TEST(runs_again__stops_after_the_last_round_of_a_live_object)
{
	int rounds = 3;

	EXPECT_TRUE(uet_pds_runs_again(true, false, &rounds));
	EXPECT_TRUE(uet_pds_runs_again(true, false, &rounds));
	EXPECT_FALSE(uet_pds_runs_again(true, false, &rounds));
}

/* The FEP ends while another CPU is in its last round. */
TEST(runs_again__reports_all_of_an_object_without_a_timer)
{
	int rounds = 1;

	for (int i = 0; i < 100; i++)
		EXPECT_TRUE(uet_pds_runs_again(true, true, &rounds));
	EXPECT_FALSE(uet_pds_runs_again(false, true, &rounds));
}
