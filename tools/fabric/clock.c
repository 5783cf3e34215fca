// SPDX-License-Identifier: GPL-2.0
/*
 * Event queue of the fabric simulator.  Almost all events use one of a few delays: the
 * transmission time of a full packet or a control packet, or the propagation delay of
 * a link.  Events with the same delay are inserted in the order of time, so each such
 * delay has a lane, which is a FIFO.  A heap holds the remaining events.  Level: test.
 */
#include <stdlib.h>

#include "fabric.h"

/* Children per node of the heap. */
#define CLOCK_KIDS	4

/**
 * fab_lane() - get the lane of a delay
 * @clock: event queue
 * @delay: the delay, ps
 *
 * Return: number of the lane, for fab_after(); FAB_LANES if no lane is left.
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
 * fab_after() - schedule an event after a delay
 * @clock: event queue
 * @lane: lane of that delay; FAB_LANES: none
 * @delay: the delay, ps
 * @what: enum fab_what
 * @arg: argument of the event
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
 * fab_at() - schedule an event at a time
 * @clock: event queue
 * @at: the time, ps; a past time means now
 * @what: enum fab_what
 * @arg: argument of the event
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

/* Return: the earliest child of a node, or the number of nodes if there is none. */
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
 * fab_clock_take() - take the next event and advance the time
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
 * fab_clock_has_lane_event() - is there an event in a lane?
 * @clock: event queue
 *
 * Return: true if there is.
 */
bool fab_clock_has_lane_event(const struct fab_clock *clock)
{
	u32 i;

	for (i = 0; i < clock->nr_lanes; i++)
		if (clock->next[i] != UET_NEVER)
			return true;
	return false;
}

/**
 * fab_clock_ahead() - peek at a later event of the lane used last
 * @clock: event queue
 * @n: number of events between the next one and that
 * @next: result
 *
 * The caller prefetches the memory that the event will use.
 *
 * Return: false if there is none.
 */
bool fab_clock_ahead(const struct fab_clock *clock, u32 n,
		     struct fab_event *next)
{
	const struct fab_lane *lane = &clock->lane[clock->taken];

	if (clock->taken == FAB_LANES || lane->tail - lane->head <= n)
		return false;
	*next = lane->ring[(lane->head + n) & (lane->space - 1)];
	return true;
}

/**
 * fab_clock_fini() - free the memory of an event queue
 * @clock: event queue
 */
void fab_clock_fini(struct fab_clock *clock)
{
	u32 i;

	for (i = 0; i < clock->nr_lanes; i++)
		free(clock->lane[i].ring);
	free(clock->heap);
}
