/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Flows of the fabric simulator, where they come from and what they wait for.
 * Level: test.
 */
#ifndef UET_FABRIC_FLOW_H
#define UET_FABRIC_FLOW_H

#include <stdio.h>

#include "core/shim.h"

struct fab;

#define FAB_FLOWS_MAX	(1U << 24)

/**
 * struct fab_flow - a message
 * @chan: its channel
 * @bytes: its size
 * @start: when it may begin, ps since the run began
 * @began: when it did, ps
 * @done: when the ACK that completed it arrived; 0 not yet
 * @handed: bytes handed to the PDC
 * @acked: bytes that are answered
 * @rcvd: bytes that have arrived
 * @behind: next flow of the channel, or of the trigger it waits for
 * @waits: trigger that begins it, or FAB_NONE
 * @on_sent: trigger that it sets off when it is complete
 * @on_rcvd: trigger that it sets off when all has arrived
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

/* What a trigger does when it is set off. */
enum fab_trigger_kind {
	FAB_ONESHOT,	/* begins all its flows, once */
	FAB_MULTISHOT,	/* begins one of them each time */
	FAB_BARRIER,	/* begins all after so many times */
};

/**
 * struct fab_trigger - what begins flows when others are complete
 * @kind: what it does
 * @left: times it has to be set off before it does
 * @first: flow that waits, or FAB_NONE
 * @last: the last one of them
 * @is_waited: the matrix has such a flow
 * @is_set_off: the matrix has a flow that sets it off
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
struct fab_trigger *fab_trigger_get(struct fab *fab, u32 id);
void fab_flows_begin(struct fab *fab);
void fab_flow_start(struct fab *fab, u32 flow);
void fab_flow_arrived(struct fab *fab, u32 flow, u32 bytes);
void fab_flow_acked(struct fab *fab, u32 flow, u32 bytes);

bool fab_matrix_read(struct fab *fab, const char *name, FILE *file);

/* Patterns of flows.  @n is whom they are among, @bytes what each has. */
void fab_permutation(struct fab *fab, u64 bytes);
bool fab_incast(struct fab *fab, u32 n, u64 bytes);
bool fab_all_to_all(struct fab *fab, u32 n, u64 bytes);
bool fab_ring(struct fab *fab, u32 n, u64 bytes);

#endif
