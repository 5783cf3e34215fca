// SPDX-License-Identifier: GPL-2.0
/*
 * Flows of the fabric simulator, and the triggers that start flows when others are
 * complete.  A flow is one message.  Flows between the same two hosts are messages of
 * one channel and run one after the other, unless each has a channel of its own.  Level: test.
 */
#include <stdlib.h>

#include "fabric.h"

/**
 * fab_grow() - make space for one more array entry
 * @array: array, or NULL
 * @nr: number of entries
 * @size: bytes of an entry
 *
 * Return: the array with space for at least @nr + 1 entries; reallocated when @nr is
 *	a power of two.
 */
void *fab_grow(void *array, u32 nr, size_t size)
{
	if (nr && !is_power_of_2(nr))
		return array;
	array = realloc(array, (nr ? 2 * (size_t)nr : 1) * size);
	if (!array)
		abort();
	return array;
}

/**
 * fab_wire_bytes() - size of a flow on the wire
 * @fab: run
 * @bytes: size of the flow, bytes
 *
 * Return: bytes, headers included.
 */
u64 fab_wire_bytes(const struct fab *fab, u64 bytes)
{
	u32 payload = fab->par.packet - FAB_HEADER;

	return bytes + FAB_HEADER * DIV_ROUND_UP(bytes, payload);
}

static u32 chan_slot(const struct fab *fab, u32 src, u32 dst, u8 class)
{
	u64 key = (u64)class << 63 | (u64)src << 32 | dst;
	u32 slot = fab_mix(key) & (fab->map_space - 1);
	const struct fab_chan *ch;

	for (;; slot = (slot + 1) & (fab->map_space - 1)) {
		if (fab->chan_map[slot] == FAB_NONE)
			return slot;
		ch = &fab->chan[fab->chan_map[slot]];
		if (ch->src == src && ch->dst == dst && ch->class == class)
			return slot;
	}
}

static void chan_map_grow(struct fab *fab)
{
	u32 i;

	fab->map_space = max(2 * fab->map_space, 64U);
	free(fab->chan_map);
	fab->chan_map = malloc(fab->map_space * sizeof(*fab->chan_map));
	if (!fab->chan_map)
		abort();
	for (i = 0; i < fab->map_space; i++)
		fab->chan_map[i] = FAB_NONE;
	for (i = 0; i < fab->nr_chans; i++)
		fab->chan_map[chan_slot(fab, fab->chan[i].src, fab->chan[i].dst,
					fab->chan[i].class)] = i;
}

/**
 * fab_chan_get() - get the channel between two hosts
 * @fab: run that has not started
 * @src: place of a host
 * @dst: place of another host
 * @class: enum fab_urgency
 *
 * Return: number of the channel; a new channel if there was none, or if each flow has its own.
 */
u32 fab_chan_get(struct fab *fab, u32 src, u32 dst, u8 class)
{
	u32 slot;

	if (2 * fab->nr_chans >= fab->map_space)
		chan_map_grow(fab);
	slot = chan_slot(fab, src, dst, class);
	if (fab->chan_map[slot] != FAB_NONE && !fab->par.has_own_pdcs)
		return fab->chan_map[slot];
	fab->chan = fab_grow(fab->chan, fab->nr_chans, sizeof(*fab->chan));
	fab->chan[fab->nr_chans] = (struct fab_chan) {
		.src = src,
		.dst = dst,
		.class = class,
		.head = FAB_NONE,
		.timer = { UET_NEVER, UET_NEVER },
	};
	fab->chan_map[slot] = fab->nr_chans;
	return fab->nr_chans++;
}

/**
 * fab_flow_new() - add a flow
 * @fab: run that has not started
 * @src: source host
 * @dst: destination host, different from @src
 * @bytes: size, bytes, not 0
 *
 * Return: number of the flow; by default the flow starts with the run.
 */
u32 fab_flow_new(struct fab *fab, u32 src, u32 dst, u64 bytes)
{
	const struct fab_shape *s = &fab->par.shape;
	u8 class = bytes <= fab->par.short_bytes ? FAB_URGENT : FAB_NORMAL;

	fab->flow = fab_grow(fab->flow, fab->nr_flows, sizeof(*fab->flow));
	fab->flow[fab->nr_flows] = (struct fab_flow) {
		.chan = fab_chan_get(fab, fab_shape_place(s, src),
				     fab_shape_place(s, dst), class),
		.bytes = bytes,
		.behind = FAB_NONE,
		.waits = FAB_NONE,
		.on_sent = FAB_NONE,
		.on_rcvd = FAB_NONE,
	};
	return fab->nr_flows++;
}

/**
 * fab_flow_urgent() - make a flow one of the urgent class
 * @fab: run that has not started
 * @flow: number of the flow
 */
void fab_flow_urgent(struct fab *fab, u32 flow)
{
	struct fab_flow *f = &fab->flow[flow];

	if (fab->par.has_own_pdcs)
		fab->chan[f->chan].class = FAB_URGENT;
	else
		f->chan = fab_chan_get(fab, fab->chan[f->chan].src,
				       fab->chan[f->chan].dst, FAB_URGENT);
}

/**
 * fab_trigger_get() - get a trigger by its number
 * @fab: run that has not started
 * @id: number of the trigger, below FAB_FLOWS_MAX
 *
 * Return: the trigger, valid until the next call; its default kind is one-shot.
 */
struct fab_trigger *fab_trigger_get(struct fab *fab, u32 id)
{
	while (fab->nr_triggers <= id) {
		fab->trigger = fab_grow(fab->trigger, fab->nr_triggers,
					sizeof(*fab->trigger));
		fab->trigger[fab->nr_triggers++] = (struct fab_trigger) {
			.kind = FAB_ONESHOT, .left = 1,
			.first = FAB_NONE, .last = FAB_NONE,
		};
	}
	return &fab->trigger[id];
}

static void trigger_add(struct fab *fab, struct fab_trigger *trigger, u32 flow)
{
	if (trigger->first == FAB_NONE)
		trigger->first = flow;
	else
		fab->flow[trigger->last].behind = flow;
	trigger->last = flow;
}

/**
 * fab_flows_begin() - schedule every flow, or queue it at its trigger
 * @fab: run about to start
 */
void fab_flows_begin(struct fab *fab)
{
	struct fab_flow *flow;
	u32 i;

	for (i = 0; i < fab->nr_flows; i++) {
		flow = &fab->flow[i];
		fab->chan[flow->chan].left++;
		if (flow->bytes < FAB_ENDLESS) {
			fab->left++;
			fab->bytes += flow->bytes;
		}
		if (flow->waits == FAB_NONE)
			fab_at(&fab->clock, FAB_EPOCH + flow->start,
			       FAB_EV_START, i);
		else
			trigger_add(fab, &fab->trigger[flow->waits], i);
	}
}

/**
 * fab_flow_start() - start a flow
 * @fab: run
 * @flow: number of the flow
 */
void fab_flow_start(struct fab *fab, u32 flow)
{
	fab->flow[flow].began = fab->clock.now;
	if (fab->roce)
		fab_roce_add(fab, fab->flow[flow].chan, flow);
	else
		fab_chan_add(fab, fab->flow[flow].chan, flow);
}

static void trigger_start_first(struct fab *fab, struct fab_trigger *trigger)
{
	u32 flow = trigger->first;

	if (flow == FAB_NONE)
		return;
	trigger->first = fab->flow[flow].behind;
	fab_at(&fab->clock, fab->clock.now, FAB_EV_START, flow);
}

/* Fire a trigger; without effect if the trigger is used up. */
static void trigger_set_off(struct fab *fab, u32 nr)
{
	struct fab_trigger *trigger = &fab->trigger[nr];

	if (trigger->kind == FAB_MULTISHOT) {
		trigger_start_first(fab, trigger);
		return;
	}
	if (!trigger->left || --trigger->left)
		return;
	while (trigger->first != FAB_NONE)
		trigger_start_first(fab, trigger);
}

/**
 * fab_flow_arrived() - count received bytes of a flow
 * @fab: run
 * @flow: number of the flow
 * @bytes: number of bytes, without duplicates
 */
void fab_flow_arrived(struct fab *fab, u32 flow, u32 bytes)
{
	struct fab_flow *f = &fab->flow[flow];

	f->rcvd += bytes;
	if (f->rcvd == f->bytes && f->on_rcvd != FAB_NONE)
		trigger_set_off(fab, f->on_rcvd);
}

/**
 * fab_flow_acked() - count acknowledged bytes of a flow
 * @fab: run
 * @flow: number of the flow
 * @bytes: payload bytes of the acknowledged packet
 */
void fab_flow_acked(struct fab *fab, u32 flow, u32 bytes)
{
	struct fab_flow *f = &fab->flow[flow];

	f->acked += bytes;
	fab->acked += bytes;
	if (f->acked < f->bytes)
		return;
	if (f->rcvd != f->bytes)
		fab->why = "a flow was acknowledged that has not arrived";
	f->done = fab->clock.now;
	fab->left--;
	fab->chan[f->chan].left--;
	if (f->on_sent != FAB_NONE)
		trigger_set_off(fab, f->on_sent);
}
