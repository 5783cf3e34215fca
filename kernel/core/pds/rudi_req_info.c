// SPDX-License-Identifier: GPL-2.0
/*
 * Read-only views of the initiator of RUDI: a snapshot for dumps, and the
 * invariants of its lists for tests.
 *
 * Implements no section of its own.  Level: core L4.
 */
#include "rudi_req.h"

/**
 * uet_rudi_get_info() - take a snapshot
 * @rudi: requests to a peer
 * @info: result
 */
void uet_rudi_get_info(const struct uet_rudi_peer *rudi,
		       struct uet_rudi_info *info)
{
	memset(info, 0, sizeof(*info));
	info->nr_done = rudi->nr[UET_RUDI_DONE];
	info->nr_open = rudi->cfg.window - rudi->nr[UET_RUDI_FREE] -
			info->nr_done;
	info->srtt_ns = rudi->rtt.srtt_ns;
	info->rto_ns = uet_rudi_rto(rudi, 0);
	info->stats = rudi->stats;
}

static bool rinfo_is_waiting(const struct uet_rudi_slot *slot)
{
	return slot->state == UET_RUDI_SENT || slot->state == UET_RUDI_HELD;
}

/* Every slot is on the list of its state, and waiting slots are in order. */
static const char *rinfo_check_list(const struct uet_rudi_peer *rudi,
				    const struct list_head *list, u8 state,
				    u32 level, u32 *nr)
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
		if (rinfo_is_waiting(slot) && slot->since_ns < since_ns)
			return "requests do not wait in order";
		since_ns = slot->since_ns;
	}
	return NULL;
}

static const char *rinfo_check_lists(const struct uet_rudi_peer *rudi, u32 *nr)
{
	const char *wrong = NULL;
	u32 i;

	for (i = 0; i < UET_RUDI_STATES && !wrong; i++) {
		if (i == UET_RUDI_SENT || i == UET_RUDI_HELD) {
			if (!list_empty(&rudi->list[i]))
				wrong = "a list is used that has no meaning";
			continue;
		}
		wrong = rinfo_check_list(rudi, &rudi->list[i], i, 0, nr);
	}
	for (i = 0; i < UET_RUDI_LEVELS && !wrong; i++) {
		wrong = rinfo_check_list(rudi, &rudi->sent[i], UET_RUDI_SENT,
					 i, nr);
		if (!wrong)
			wrong = rinfo_check_list(rudi, &rudi->held[i],
						 UET_RUDI_HELD, i, nr);
	}
	return wrong;
}

/*
 * Do the invariants of the requests hold?
 * @what: result: a static text that names the invariant that does not hold
 *
 * Walks all slots; for tests and debug builds.
 *
 * Return: true if all hold; @what is unchanged then.
 */
bool uet_rudi_check(const struct uet_rudi_peer *rudi, const char **what)
{
	u32 nr[UET_RUDI_STATES] = { 0 };
	u32 mask = rudi->cfg.window - 1U, sum = 0, i;
	const char *wrong = rinfo_check_lists(rudi, nr);

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
