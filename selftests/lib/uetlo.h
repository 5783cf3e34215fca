/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Losses of the loopback device, by netem, for programs that send to themselves.
 * UET_NETEM has the arguments of the netem that the device has when it works, if any.
 * Level: test.
 */
#ifndef UET_SELFTESTS_UETLO_H
#define UET_SELFTESTS_UETLO_H

#include <stdio.h>
#include <stdlib.h>

#include "harness.h"

static inline void uetlo_run(const char *cmd)
{
	ASSERT_EQ(system(cmd), 0);
}

/* Nothing gets through, until uetlo_works(). */
static inline void uetlo_loses(void)
{
	uetlo_run("tc qdisc replace dev lo root netem limit 5000 loss 100%");
}

static inline void uetlo_works(void)
{
	const char *netem = getenv("UET_NETEM");
	char cmd[256];

	if (!netem || !*netem) {
		uetlo_run("tc qdisc del dev lo root");
		return;
	}
	snprintf(cmd, sizeof(cmd),
		 "tc qdisc replace dev lo root netem limit 5000 %s", netem);
	uetlo_run(cmd);
}

#endif
