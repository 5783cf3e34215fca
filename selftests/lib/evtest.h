/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared parts of the unit tests of entropy selectors: one selector with its memory
 * and its clock.  Level: test.
 */
#ifndef UET_SELFTESTS_EVTEST_H
#define UET_SELFTESTS_EVTEST_H

#include "core/cms/ev.h"
#include "utest.h"

struct evtest {
	struct uet_ev_cfg cfg;
	struct uet_ev_sel sel;
	u8 penalty[UET_EV_VALUES_MAX];
	u64 now;
};

static inline void evtest_init(struct evtest *t, u32 way, u32 values, u8 ports)
{
	uet_ev_cfg_init(&t->cfg);
	t->cfg.policy = (u8)way;
	t->cfg.values = values;
	t->cfg.bad_max = 0;
	t->cfg.ports = ports;
	t->now = 1000000;
	uet_ev_sel_init(&t->sel, &t->cfg, t->penalty, 1234, t->now);
}

static inline u16 evtest_value(const struct evtest *t, u16 index)
{
	return uet_ev_sel_value(&t->sel, index);
}

static inline u16 evtest_next(struct evtest *t)
{
	return uet_ev_sel_next(&t->sel, 0);
}

static inline void evtest_feedback(struct evtest *t, u16 ev,
				   enum uet_ev_feedback feedback)
{
	uet_ev_sel_feedback(&t->sel, ev, feedback, t->now);
}

#endif /* UET_SELFTESTS_EVTEST_H */
