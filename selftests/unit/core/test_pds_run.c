// SPDX-License-Identifier: GPL-2.0
/* Tests of when a run loop goes around again.  Level: test. */
#include "core/pds/pds.h"
#include "utest.h"

TEST(runs_again__ends_without_work)
{
	int rounds = 8;

	EXPECT_FALSE(uet_pds_runs_again(false, &rounds));
}

TEST(runs_again__stops_after_the_last_round)
{
	int rounds = 3;

	EXPECT_TRUE(uet_pds_runs_again(true, &rounds));
	EXPECT_TRUE(uet_pds_runs_again(true, &rounds));
	EXPECT_FALSE(uet_pds_runs_again(true, &rounds));
}
