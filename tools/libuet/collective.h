/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * A collective operation as the messages of one rank, in order: what the functions of
 * coll_*.c fill in and collective.c executes.  No other file but tests includes this
 * header.  Level: tool.
 */
#ifndef LIBUET_COLLECTIVE_H
#define LIBUET_COLLECTIVE_H

#include "handle.h"

#define PIECE		131072	/* bytes of a message, at most; a multiple of all types */
#define TREE_MAX	32768	/* bytes that go along a tree; more go along a ring */
#define AHEAD		16	/* receives that are posted before their turn */
#define LAG		8	/* messages that are sent before one is taken; below AHEAD */

/* The next higher bits of a tag are the rank that sends. */
#define TAG_RANK_SHIFT	24
#define TAG_NUMBER_MAX	((1U << TAG_RANK_SHIFT) - 1)

struct schedule;

/**
 * struct call - the arguments of a collective operation
 * @name: of the function
 * @plan: fills in the steps, and copies what this rank contributes to its place
 * @from: what this rank contributes
 * @to: result
 * @length: bytes of a block
 * @type: UET_DT_*
 * @op: UET_AMO_*
 * @root: rank
 *
 * There is no padding, so calls can be compared as bytes.
 */
struct call {
	const char *name;
	void (*plan)(struct schedule *s);
	const char *from;
	char *to;
	size_t length, type, op, root;
};

/**
 * struct post - a receive
 * @tag: of the message
 * @to: memory
 * @length: of the message
 * @rank: that sends it
 */
struct post {
	uint64_t tag;
	char *to;
	size_t length;
	uint32_t rank;
};

/**
 * struct step - send a message, or wait for the next receive
 * @tag: of the message to send
 * @from: bytes to send; with @to operands
 * @to: NULL, or values that are combined with @from after the receive
 * @length: bytes
 * @rank: to which the message goes, or that sends it
 * @is_take: wait for a receive
 */
struct step {
	uint64_t tag;
	const char *from;
	char *to;
	size_t length;
	uint32_t rank;
	bool is_take;
};

/**
 * struct schedule - a collective operation
 * @call: its arguments
 * @rank: of this process
 * @size: number of ranks
 * @sequence: bits of the tags that tell collective operations apart
 * @posts: receives, in the order of their steps
 * @nr_posts: their number
 * @steps: in their order
 * @nr_steps: their number
 * @late: steps that are not in @steps yet: receives that come LAG messages later
 * @nr_late: their number
 * @meeting: steps of the barrier that waits for the endpoints of all ranks
 * @own: copy of what this rank contributes, or NULL
 * @slots: AHEAD places for messages that are combined with other values, or NULL
 * @is_short: there was no memory
 * @at: steps that have ended
 * @posted: receives that were posted
 * @taken: receives that have ended, in order
 * @has_come: for receives from @taken on, whether their message is there
 * @begun: messages sent, of which @ended were answered
 * @ended: messages answered
 * @is_begun: the step @at has sent its message
 * @is_refused: the last message of the meeting has met no endpoint
 * @is_asking: a probe is under way
 * @is_over: the operation has failed
 */
struct schedule {
	struct call call;
	uint32_t rank, size;
	uint64_t sequence;
	struct post *posts;
	size_t nr_posts;
	struct step *steps;
	size_t nr_steps;
	struct step late[LAG];
	size_t nr_late;
	size_t meeting;
	char *own;
	char *slots;
	bool is_short;
	size_t at, posted, taken;
	bool has_come[AHEAD];
	uint64_t begun, ended;
	bool is_begun, is_refused, is_asking, is_over;
};

/* coll_plan.c */
void libuet_plan_meeting(struct schedule *s);
void libuet_plan_barrier(struct schedule *s);
void libuet_plan_broadcast(struct schedule *s);
void libuet_plan_reduce(struct schedule *s);
void libuet_plan_allreduce(struct schedule *s);
void libuet_plan_allgather(struct schedule *s);
void libuet_plan_alltoall(struct schedule *s);
void libuet_plan_free(struct schedule *s);

/* coll_op.c */
size_t libuet_type_size(size_t type);
bool libuet_op_fits(size_t type, size_t op);
void libuet_combine(size_t type, size_t op, void *to, const void *from, size_t length);

#endif
