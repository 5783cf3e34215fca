/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Flows of the fabric simulator, their sources and the triggers that start them.
 * Level: test.
 */
#ifndef UET_FABRIC_FLOW_H
#define UET_FABRIC_FLOW_H

#include <stdio.h>

#include "core/shim.h"

struct fab;

#define FAB_FLOWS_MAX	(1U << 24)
#define FAB_ENDLESS	(1ULL << 60)

/**
 * struct fab_flow - a flow, which is one message
 * @chan: channel of the flow
 * @bytes: size, bytes; FAB_ENDLESS: it sends until the run ends
 * @start: earliest start, ps since the start of the run
 * @began: actual start, ps
 * @done: arrival of the ACK that completed the flow, ps; 0: not complete
 * @handed: bytes passed to the PDC
 * @acked: bytes acknowledged
 * @rcvd: bytes received
 * @behind: next flow of the channel, or of the trigger that the flow waits for
 * @waits: trigger that starts the flow, or FAB_NONE
 * @on_sent: trigger that the flow fires when it is complete
 * @on_rcvd: trigger that the flow fires when all bytes have arrived
 */
struct fab_flow {
	u32 chan;
	u64 bytes;
	u64 start;
	u64 began;
	u64 done;
	u64 handed;
	u64 acked;
	u64 rcvd;
	u32 behind;
	u32 waits;
	u32 on_sent;
	u32 on_rcvd;
};

/* Effect of a trigger when it fires. */
enum fab_trigger_kind {
	FAB_ONESHOT,	/* starts all its flows, once */
	FAB_MULTISHOT,	/* starts one flow each time */
	FAB_BARRIER,	/* starts all flows after the given number of times */
};

/**
 * struct fab_trigger - starts flows when others are complete
 * @kind: enum fab_trigger_kind
 * @left: number of times the trigger must still be fired
 * @first: first waiting flow, or FAB_NONE
 * @last: last waiting flow
 * @is_waited: the matrix has a flow that waits for the trigger
 * @is_set_off: the matrix has a flow that fires the trigger
 */
struct fab_trigger {
	enum fab_trigger_kind kind;
	u32 left;
	u32 first;
	u32 last;
	bool is_waited;
	bool is_set_off;
};

u64 fab_wire_bytes(const struct fab *fab, u64 bytes);
u32 fab_flow_new(struct fab *fab, u32 src, u32 dst, u64 bytes);
void fab_flow_urgent(struct fab *fab, u32 flow);
struct fab_trigger *fab_trigger_get(struct fab *fab, u32 id);
void fab_flows_begin(struct fab *fab);
void fab_flow_start(struct fab *fab, u32 flow);
void fab_flow_arrived(struct fab *fab, u32 flow, u32 bytes);
void fab_flow_acked(struct fab *fab, u32 flow, u32 bytes);

bool fab_matrix_read(struct fab *fab, const char *name, FILE *file);

/* Generated flows.  @n is the number of hosts, @bytes the size of each flow. */
void fab_permutation(struct fab *fab, u64 bytes);
bool fab_incast(struct fab *fab, u32 n, u64 bytes);
bool fab_all_to_all(struct fab *fab, u32 n, u64 bytes);
bool fab_ring(struct fab *fab, u32 n, u64 bytes);
bool fab_rings(struct fab *fab, u32 steps, u64 bytes);
bool fab_trees(struct fab *fab, u64 bytes);
bool fab_slice(struct fab *fab, u32 n, u64 bytes);

#endif
