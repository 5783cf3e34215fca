/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Receives and messages for tests of matching, with the memory that its hash table asks
 * for and the walks that it takes.  Level: test.
 */
#ifndef UET_SELFTESTS_MATCHTEST_H
#define UET_SELFTESTS_MATCHTEST_H

#include "core/ses/match.h"
#include "utest.h"

#define MANY	10000

static inline void grow(struct uet_match *m)
{
	void *block;

	while (uet_match_wants_block(m)) {
		block = calloc(1, UET_MATCH_BLOCK);
		if (!block)
			abort();
		uet_match_add_block(m, block);
	}
}

/* Hash messages for ignore bits. Return: the calls that it took. */
static inline u32 prepare(struct uet_match *m, u64 ignore)
{
	u32 calls = 0;

	while (uet_match_must_index(m, ignore)) {
		uet_match_index_begin(m, ignore);
		do {
			calls++;
			grow(m);
		} while (!uet_match_index(m));
	}
	return calls;
}

static inline void init(struct uet_match *m)
{
	uet_match_init(m, utest_rand());
	prepare(m, 0);
}

static inline void fini(struct uet_match *m)
{
	struct hlist_head **blocks = uet_match_close(m);
	u32 i;

	for (i = 0; blocks && blocks[i]; i++)
		free(blocks[i]);
	free(blocks);
}

/* The message for a receive, with as many calls as it takes. */
static inline struct uet_match_msg *seek(struct uet_match *m,
				  const struct uet_match_recv *recv)
{
	struct uet_match_msg *msg = NULL;

	prepare(m, recv->ignore);
	if (uet_match_is_scan(m, recv->ignore))
		uet_match_walk(m);
	while (!uet_match_find_msg(m, recv, &msg))
		EXPECT_TRUE(!msg);
	return msg;
}

static inline struct uet_match_recv tagged(u64 bits, u64 ignore, u32 initiator,
				    bool is_any_source)
{
	return (struct uet_match_recv){
		.want = { bits, initiator, true, 0 },
		.ignore = ignore, .is_any_source = is_any_source,
	};
}

static inline void post(struct uet_match *m, struct uet_match_recv *recv)
{
	prepare(m, recv->ignore);
	uet_match_post(m, recv);
	grow(m);
}

static inline struct uet_match_recv *find(struct uet_match *m, u64 bits, u32 initiator)
{
	const struct uet_match_key match_key = { bits, initiator, true, 0 };

	return uet_match_find_recv(m, &match_key);
}

static inline void arrive(struct uet_match *m, struct uet_match_msg *msg, u64 bits,
		   u32 initiator)
{
	uet_match_msg_init(msg);
	msg->match_key = (struct uet_match_key){ bits, initiator, true, 0 };
	uet_match_add_msg(m, msg);
}

#endif
