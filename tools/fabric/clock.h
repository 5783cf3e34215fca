/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Time of the fabric simulator, and what is to happen when.  Level: test.
 */
#ifndef UET_FABRIC_CLOCK_H
#define UET_FABRIC_CLOCK_H

#include "core/shim.h"

/* What an event does to its argument. */
enum fab_what {
	FAB_EV_ARRIVE,	/* a packet has crossed a link */
	FAB_EV_SENT,	/* the last bit of a packet has left a port */
	FAB_EV_TIMER,	/* a PDC wants to look at the clock */
	FAB_EV_PACER,	/* a pacer wants to look at the clock */
	FAB_EV_START,	/* a flow begins */
};

struct fab_event {
	u64 at;
	u32 what;
	u32 arg;
};

#define FAB_LANES	12

/**
 * struct fab_lane - events that all lie the same time ahead when they are added
 * @delay: that time, ps
 * @ring: the events, in the order they were added, which is that of time
 * @head: number of the oldest
 * @tail: number of the next
 * @space: events of @ring, a power of two
 */
struct fab_lane {
	u64 delay;
	struct fab_event *ring;
	u32 head;
	u32 tail;
	u32 space;
};

/* An event of the heap; those of one time run in the order they were added. */
struct fab_late {
	struct fab_event ev;
	u64 order;
};

/**
 * struct fab_clock - event queue
 * @now: ps
 * @next: of each lane, when its oldest event is due; UET_NEVER
 * @lane: lanes in use
 * @nr_lanes: how many
 * @heap: all other events
 * @nr: how many
 * @space: of @heap
 * @order: of the next event of @heap
 * @events: events taken so far
 * @taken: lane of the last one; FAB_LANES: the heap
 */
struct fab_clock {
	u64 now;
	u64 next[FAB_LANES];
	struct fab_lane lane[FAB_LANES];
	u32 nr_lanes;
	struct fab_late *heap;
	u32 nr;
	u32 space;
	u64 order;
	u64 events;
	u32 taken;
};

u8 fab_lane(struct fab_clock *clock, u64 delay);
void fab_after(struct fab_clock *clock, u8 lane, u64 delay, u32 what, u32 arg);
void fab_at(struct fab_clock *clock, u64 at, u32 what, u32 arg);
bool fab_clock_take(struct fab_clock *clock, struct fab_event *ev);
bool fab_clock_ahead(const struct fab_clock *clock, struct fab_event *next);
void fab_clock_fini(struct fab_clock *clock);

#endif
