// SPDX-License-Identifier: GPL-2.0
/*
 * Event queue of the fabric simulator.  Almost all events lie one of a few
 * times ahead: what a full packet or a control packet takes to leave a port, or
 * a bit to cross a link.  Events of one such time are in order when they are
 * added, so each time has a lane, which is a FIFO; only what is left needs a
 * heap. Level: test.
 */
#include <stdlib.h>

#include "fabric.h"

/* Packets of a lane that are fetched into the cache before they are due. */
#define CLOCK_AHEAD	6

/* Children of a node of the heap. */
#define CLOCK_KIDS	4

/**
 * fab_lane() - the lane of a time
 * @clock: event queue
 * @delay: how far its events lie ahead, ps
 *
 * Return: its number, for fab_after(); FAB_LANES if there are no more lanes.
 */
u8 fab_lane(struct fab_clock *clock, u64 delay)
{
	struct fab_lane *lane;
	u32 i;

	for (i = 0; i < clock->nr_lanes; i++)
		if (clock->lane[i].delay == delay)
			return i;
	if (i == FAB_LANES)
		return FAB_LANES;
	lane = &clock->lane[i];
	lane->delay = delay;
	lane->space = 1024;
	lane->ring = malloc(lane->space * sizeof(*lane->ring));
	if (!lane->ring)
		abort();
	clock->next[i] = UET_NEVER;
	clock->nr_lanes++;
	return i;
}

static void lane_grow(struct fab_lane *lane)
{
	struct fab_event *ring = malloc(2 * lane->space * sizeof(*ring));
	u32 i;

	if (!ring)
		abort();
	for (i = lane->head; i != lane->tail; i++)
		ring[i & (2 * lane->space - 1)] =
			lane->ring[i & (lane->space - 1)];
	free(lane->ring);
	lane->ring = ring;
	lane->space *= 2;
}

/**
 * fab_after() - have something happen after some time
 * @clock: event queue
 * @lane: lane of that time; FAB_LANES none
 * @delay: that time, ps
 * @what: enum fab_what
 * @arg: to what
 */
void fab_after(struct fab_clock *clock, u8 lane, u64 delay, u32 what, u32 arg)
{
	struct fab_lane *l = &clock->lane[lane];
	u64 at = clock->now + delay;

	if (lane == FAB_LANES) {
		fab_at(clock, at, what, arg);
		return;
	}
	if (l->tail - l->head == l->space)
		lane_grow(l);
	if (l->head == l->tail)
		clock->next[lane] = at;
	l->ring[l->tail++ & (l->space - 1)] = (struct fab_event) {
		.at = at, .what = what, .arg = arg,
	};
}

static bool late_before(const struct fab_late *a, const struct fab_late *b)
{
	return a->ev.at != b->ev.at ? a->ev.at < b->ev.at :
				      a->order < b->order;
}

/**
 * fab_at() - have something happen at some time
 * @clock: event queue
 * @at: when, ps; the past means now
 * @what: enum fab_what
 * @arg: to what
 */
void fab_at(struct fab_clock *clock, u64 at, u32 what, u32 arg)
{
	struct fab_late new = {
		.ev = { .at = max(at, clock->now), .what = what, .arg = arg },
		.order = clock->order++,
	};
	u32 i, up;

	if (clock->nr == clock->space) {
		clock->space = max(2 * clock->space, 1024U);
		clock->heap = realloc(clock->heap,
				      clock->space * sizeof(*clock->heap));
		if (!clock->heap)
			abort();
	}
	for (i = clock->nr++; i; i = up) {
		up = (i - 1) / CLOCK_KIDS;
		if (!late_before(&new, &clock->heap[up]))
			break;
		clock->heap[i] = clock->heap[up];
	}
	clock->heap[i] = new;
}

/* The child of a node that comes first, or the number of nodes. */
static u32 heap_first_kid(const struct fab_clock *clock, u32 i)
{
	u32 kid = CLOCK_KIDS * i + 1, best = kid, k;

	if (kid >= clock->nr)
		return clock->nr;
	for (k = kid + 1; k < min(kid + CLOCK_KIDS, clock->nr); k++)
		if (late_before(&clock->heap[k], &clock->heap[best]))
			best = k;
	return best;
}

static struct fab_event heap_pop(struct fab_clock *clock)
{
	struct fab_event first = clock->heap[0].ev;
	struct fab_late last = clock->heap[--clock->nr];
	u32 i = 0, kid;

	for (;;) {
		kid = heap_first_kid(clock, i);
		if (kid == clock->nr || !late_before(&clock->heap[kid], &last))
			break;
		clock->heap[i] = clock->heap[kid];
		i = kid;
	}
	clock->heap[i] = last;
	return first;
}

static struct fab_event lane_pop(struct fab_clock *clock, u32 i)
{
	struct fab_lane *lane = &clock->lane[i];
	struct fab_event ev = lane->ring[lane->head++ & (lane->space - 1)];

	clock->next[i] = lane->head == lane->tail ? UET_NEVER :
			 lane->ring[lane->head & (lane->space - 1)].at;
	return ev;
}

/**
 * fab_clock_take() - take the next event; it is its time now
 * @clock: event queue
 * @ev: result
 *
 * Return: false if there is none.
 */
bool fab_clock_take(struct fab_clock *clock, struct fab_event *ev)
{
	u64 at = clock->nr ? clock->heap[0].ev.at : UET_NEVER;
	u32 best = FAB_LANES, i;

	for (i = 0; i < clock->nr_lanes; i++) {
		if (clock->next[i] < at) {
			at = clock->next[i];
			best = i;
		}
	}
	if (at == UET_NEVER)
		return false;
	*ev = best == FAB_LANES ? heap_pop(clock) : lane_pop(clock, best);
	clock->now = at;
	clock->taken = best;
	clock->events++;
	return true;
}

/**
 * fab_clock_ahead() - an event like the last one that is due a little later
 * @clock: event queue
 * @next: result
 *
 * For whoever wants to have in the cache what it will need.
 *
 * Return: false if there is none.
 */
bool fab_clock_ahead(const struct fab_clock *clock, struct fab_event *next)
{
	const struct fab_lane *lane = &clock->lane[clock->taken];
	u32 at = lane->head + CLOCK_AHEAD;

	if (clock->taken == FAB_LANES || lane->tail - lane->head <= CLOCK_AHEAD)
		return false;
	*next = lane->ring[at & (lane->space - 1)];
	return true;
}

/**
 * fab_clock_fini() - return its memory
 * @clock: event queue
 */
void fab_clock_fini(struct fab_clock *clock)
{
	u32 i;

	for (i = 0; i < clock->nr_lanes; i++)
		free(clock->lane[i].ring);
	free(clock->heap);
}
