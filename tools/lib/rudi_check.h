/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The invariants of the lists of RUDI requests to a peer, and of their parameters, for tests
 * and simulators.
 */
#ifndef RUDI_CHECK_H
#define RUDI_CHECK_H

#include "core/pds/rudi_req.h"

static inline bool rudi_is_waiting(const struct uet_rudi_slot *slot)
{
	return slot->state == UET_RUDI_SENT || slot->state == UET_RUDI_HELD;
}

/* Every slot is on the list of its state, and waiting slots are in order. */
static inline const char *rudi_fault_list(const struct uet_rudi_peer *rudi,
					  const struct list_head *list, u8 state, u32 level,
					  u32 *nr)
{
	const struct uet_rudi_slot *slot;
	u64 since_ns = 0;

	list_for_each_entry(slot, list, link) {
		if (++nr[state] > rudi->cfg.window || slot->state != state)
			return "a list has what does not belong there";
		if (state == UET_RUDI_SENT && slot->rtos != level)
			return "a request is on the list of another time-out";
		if (state == UET_RUDI_HELD &&
		    uet_rudi_nack_level(slot) != level)
			return "a request is on the list of another pause";
		if (rudi_is_waiting(slot) && slot->since_ns < since_ns)
			return "requests do not wait in order";
		since_ns = slot->since_ns;
	}
	return NULL;
}

static inline const char *rudi_fault_lists(const struct uet_rudi_peer *rudi, u32 *nr)
{
	const char *wrong = NULL;
	u32 i;

	for (i = 0; i < UET_RUDI_STATES && !wrong; i++) {
		if (i == UET_RUDI_SENT || i == UET_RUDI_HELD) {
			if (!list_empty(&rudi->list[i]))
				wrong = "a list is used that has no meaning";
			continue;
		}
		wrong = rudi_fault_list(rudi, &rudi->list[i], i, 0, nr);
	}
	for (i = 0; i < UET_RUDI_LEVELS && !wrong; i++) {
		wrong = rudi_fault_list(rudi, &rudi->sent[i], UET_RUDI_SENT, i, nr);
		if (!wrong)
			wrong = rudi_fault_list(rudi, &rudi->held[i], UET_RUDI_HELD, i, nr);
	}
	return wrong;
}

/* Walk all slots; false: @what names an invariant that does not hold. */
static inline bool uet_rudi_check(const struct uet_rudi_peer *rudi, const char **what)
{
	u32 nr[UET_RUDI_STATES] = { 0 };
	u32 mask = rudi->cfg.window - 1U, sum = 0, i;
	const char *wrong = rudi_fault_lists(rudi, nr);

	for (i = 0; i < UET_RUDI_STATES && !wrong; i++) {
		sum += nr[i];
		if (nr[i] != rudi->nr[i])
			wrong = "the number of requests in a state is wrong";
	}
	if (!wrong && sum != rudi->cfg.window)
		wrong = "a slot is on no list";
	for (i = 0; i < rudi->cfg.window && !wrong; i++)
		if ((rudi->slots[i].id & mask) != i)
			wrong = "a pkt_id is not where it is looked for";
	if (wrong)
		*what = wrong;
	return !wrong;
}

/* A sum of a time and the clock stays far below 2^64. */
#define RUDI_TIME_MAX	(86400 * 1000000000ULL)

/* -EINVAL if a parameter is out of its range, or a maximum below its minimum. */
static inline int uet_rudi_cfg_check(const struct uet_rudi_cfg *cfg)
{
	if (!is_power_of_2(cfg->window) || cfg->window > UET_RUDI_WINDOW_MAX)
		return -EINVAL;
	if (!cfg->max_rto_retx || cfg->max_rto_retx > UET_RUDI_RTO_RETX_MAX ||
	    cfg->max_nack_retx > UET_RUDI_NACK_RETX_MAX)
		return -EINVAL;
	if (!cfg->rto_init_ns || cfg->rto_init_ns > cfg->rto_max_ns ||
	    cfg->rto_max_ns > RUDI_TIME_MAX)
		return -EINVAL;
	if (!cfg->nack_retx_ns || cfg->nack_retx_ns > cfg->nack_retx_max_ns ||
	    cfg->nack_retx_max_ns > RUDI_TIME_MAX)
		return -EINVAL;
	return 0;
}

#endif /* RUDI_CHECK_H */
