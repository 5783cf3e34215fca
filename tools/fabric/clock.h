/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Simulated time and the event queue of the fabric simulator.  Level: test.
 */
#ifndef UET_FABRIC_CLOCK_H
#define UET_FABRIC_CLOCK_H

#include "core/shim.h"

/* Kind of an event; selects the handler of its argument. */
enum fab_what {
	FAB_EV_ARRIVE,	/* a packet has crossed a link */
	FAB_EV_SENT,	/* the last bit of a packet has left a port */
	FAB_EV_TIMER,	/* a timer of a PDC fires */
	FAB_EV_PACER,	/* a timer of a pacer fires */
	FAB_EV_START,	/* a flow begins */
	FAB_EV_FAULT,	/* a fault begins or ends */
	FAB_EV_HOST,	/* a slow host has taken in a packet */
	FAB_EV_ROCE,	/* a timer of a RoCE connection fires */
	FAB_EV_PFC,	/* a pause frame has arrived */
	FAB_EV_TRACE,	/* a sample of the traces is due */
};

struct fab_event {
	u64 at;
	u32 what;
	u32 arg;
};

#define FAB_LANES	16

/**
 * struct fab_lane - FIFO of events that are all added with the same delay
 * @delay: the delay, ps
 * @ring: the events in the order of insertion, which is the order of time
 * @head: number of the oldest event
 * @tail: number of the next event
 * @space: size of @ring in events, a power of two
 */
struct fab_lane {
	u64 delay;
	struct fab_event *ring;
	u32 head;
	u32 tail;
	u32 space;
};

/* An event of the heap; events of the same time run in the order of insertion. */
struct fab_late {
	struct fab_event ev;
	u64 order;
};

/**
 * struct fab_clock - event queue
 * @now: current time, ps
 * @next: time of the oldest event of each lane, ps; UET_NEVER
 * @lane: lanes in use
 * @nr_lanes: number of lanes
 * @heap: all other events
 * @nr: number of events in @heap
 * @space: allocated events of @heap
 * @order: insertion number of the next event of @heap
 * @events: number of events processed
 * @taken: lane of the last event; FAB_LANES: the heap
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
bool fab_clock_has_lane_event(const struct fab_clock *clock);
bool fab_clock_ahead(const struct fab_clock *clock, u32 n,
		     struct fab_event *next);
void fab_clock_fini(struct fab_clock *clock);

#endif
