// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of kernel/core/ses/match.c: which receive takes a message and which
 * message a receive takes, in what order, at what cost, and the same at random
 * against a model that looks through arrays.
 * Spec: uet-wire 3.14.  Level: test of core L5.
 */
#include "matchtest.h"

TEST(match_key__only_sends_have_a_key)
{
	struct uet_ses_req req = { .match = 77, .initiator = 5 };
	struct uet_match_key match_key;
	u32 opcode;

	for (opcode = 0; opcode <= UET_OP_MSG_ERROR; opcode++) {
		bool is_tagged = opcode == UET_OP_TAGGED_SEND ||
				 opcode == UET_OP_DEFERRABLE_TSEND ||
				 opcode == UET_OP_RENDEZVOUS_TSEND ||
				 opcode == UET_OP_TSEND_ATOMIC ||
				 opcode == UET_OP_TSEND_FETCH_ATOMIC;

		req.opcode = opcode;
		EXPECT_EQ(uet_match_key(&req, &match_key),
			  opcode == UET_OP_SEND ||
			  opcode == UET_OP_DATAGRAM_SEND ||
			  opcode == UET_OP_DEFERRABLE_SEND ||
			  opcode == UET_OP_RENDEZVOUS_SEND ||
			  is_tagged);
		EXPECT_EQ(match_key.is_tagged, is_tagged);
		EXPECT_EQ(match_key.bits, is_tagged ? 77 : 0);
		EXPECT_EQ(match_key.initiator, 5);
	}
}

TEST(match_find_recv__exact_tag_and_source_match)
{
	struct uet_match_recv a = tagged(1, 0, 10, false);
	struct uet_match_recv b = tagged(2, 0, 10, false);
	struct uet_match m;

	init(&m);
	EXPECT_TRUE(find(&m, 1, 10) == NULL);
	post(&m, &a);
	post(&m, &b);
	EXPECT_EQ(m.nr_posted, 2);
	EXPECT_TRUE(find(&m, 1, 10) == &a);
	EXPECT_TRUE(find(&m, 2, 10) == &b);
	EXPECT_TRUE(find(&m, 1, 11) == NULL);
	EXPECT_TRUE(find(&m, 3, 10) == NULL);
	uet_match_unpost(&m, &a);
	EXPECT_TRUE(find(&m, 1, 10) == NULL);
	uet_match_unpost(&m, &b);
	EXPECT_EQ(m.nr_posted + m.nr_nodes, 0);
	fini(&m);
}

TEST(match_find_recv__tagged_and_untagged_are_apart)
{
	struct uet_match_recv a = tagged(0, 0, 10, false), b = a;
	const struct uet_match_key match_key = { 0, 10, false, 0 };
	struct uet_match m;

	init(&m);
	post(&m, &a);
	EXPECT_TRUE(uet_match_find_recv(&m, &match_key) == NULL);
	b.want.is_tagged = false;
	post(&m, &b);
	EXPECT_TRUE(uet_match_find_recv(&m, &match_key) == &b);
	EXPECT_TRUE(find(&m, 0, 10) == &a);
	fini(&m);
}

/* Exact, any source and ignore bits: the order of posting decides. */
TEST(match_find_recv__first_posted_of_all_matches_wins)
{
	struct uet_match_recv r[3], *first;
	struct uet_match m;
	u32 order, i;

	for (order = 0; order < 6; order++) {
		const u32 which[3] = { order % 3,
				       (order % 3 + 1 + order / 3) % 3,
				       (order % 3 + 2 - order / 3) % 3 };

		r[0] = tagged(0xab, 0, 10, false);
		r[1] = tagged(0xab, 0, 0, true);
		r[2] = tagged(0xa0, 0xf, 0, true);
		init(&m);
		for (i = 0; i < 3; i++)
			post(&m, &r[which[i]]);
		for (i = 0; i < 3; i++) {
			first = find(&m, 0xab, 10);
			EXPECT_TRUE(first == &r[which[i]]);
			if (first)
				uet_match_unpost(&m, first);
		}
		EXPECT_TRUE(find(&m, 0xab, 10) == NULL);
		fini(&m);
	}
}

TEST(match_find_recv__ignore_bits_are_not_compared)
{
	struct uet_match_recv a = tagged(0x1200, 0xff, 10, false);
	struct uet_match_recv all = tagged(0, U64_MAX, 0, true);
	struct uet_match m;

	init(&m);
	post(&m, &a);
	EXPECT_TRUE(find(&m, 0x1234, 10) == &a);
	EXPECT_TRUE(find(&m, 0x1234, 11) == NULL);
	EXPECT_TRUE(find(&m, 0x1334, 10) == NULL);
	post(&m, &all);
	EXPECT_TRUE(find(&m, 0x1334, 11) == &all);
	EXPECT_TRUE(find(&m, 0x12ff, 10) == &a);
	uet_match_unpost(&m, &a);
	EXPECT_TRUE(find(&m, 0x12ff, 10) == &all);
	uet_match_unpost(&m, &all);
	EXPECT_EQ(m.nr_nodes, 0);
	fini(&m);
}

/* Receives for the same leave in any order and keep theirs. */
TEST(match_unpost__equal_receives_leave_in_any_order)
{
	struct uet_match_recv r[5];
	struct uet_match m;
	u32 gone, i;

	for (gone = 0; gone < 5; gone++) {
		init(&m);
		for (i = 0; i < 5; i++) {
			r[i] = tagged(7, 0, 0, true);
			post(&m, &r[i]);
		}
		uet_match_unpost(&m, &r[gone]);
		for (i = 0; i < 5; i++) {
			if (i == gone)
				continue;
			EXPECT_TRUE(find(&m, 7, i) == &r[i]);
			uet_match_unpost(&m, &r[i]);
		}
		EXPECT_EQ(m.nr_nodes, 0);
		fini(&m);
	}
}

TEST(match_find_cookie__first_posted_with_the_cookie_is_found)
{
	struct uet_match_recv r[3];
	struct uet_match m;
	u32 i;

	init(&m);
	EXPECT_TRUE(uet_match_find_cookie(&m, 4) == NULL);
	for (i = 0; i < 3; i++) {
		r[i] = tagged(i, i == 1 ? 1 : 0, 0, true);
		r[i].cookie = i ? 4 : 3;
		post(&m, &r[i]);
	}
	EXPECT_TRUE(uet_match_find_cookie(&m, 3) == &r[0]);
	EXPECT_TRUE(uet_match_find_cookie(&m, 4) == &r[1]);
	uet_match_unpost(&m, &r[1]);
	EXPECT_TRUE(uet_match_find_cookie(&m, 4) == &r[2]);
	EXPECT_TRUE(uet_match_find_cookie(&m, 5) == NULL);
	fini(&m);
}

TEST(match_find_msg__first_arrived_message_is_found)
{
	struct uet_match_recv exact = tagged(1, 0, 10, false);
	struct uet_match_recv any = tagged(1, 0, 0, true);
	struct uet_match_recv wild = tagged(0, U64_MAX, 0, true);
	struct uet_match_recv other = tagged(3, 0, 0, true);
	struct uet_match_msg msg[4];
	struct uet_match m;

	init(&m);
	arrive(&m, &msg[0], 2, 10);
	arrive(&m, &msg[1], 1, 11);
	arrive(&m, &msg[2], 1, 10);
	arrive(&m, &msg[3], 1, 10);
	EXPECT_TRUE(seek(&m, &wild) == &msg[0]);
	EXPECT_TRUE(seek(&m, &any) == &msg[1]);
	EXPECT_TRUE(seek(&m, &exact) == &msg[2]);
	EXPECT_TRUE(seek(&m, &other) == NULL);
	uet_match_del_msg(&m, &msg[2]);
	uet_match_del_msg(&m, &msg[2]);
	EXPECT_TRUE(seek(&m, &exact) == &msg[3]);
	uet_match_del_msg(&m, &msg[0]);
	EXPECT_TRUE(seek(&m, &wild) == &msg[1]);
	uet_match_del_msg(&m, &msg[1]);
	uet_match_del_msg(&m, &msg[3]);
	EXPECT_TRUE(seek(&m, &wild) == NULL);
	EXPECT_EQ(m.nr_nodes, 0);
	fini(&m);
}

TEST(match_find_msg__held_messages_are_skipped)
{
	struct uet_match_recv exact = tagged(1, 0, 10, false);
	struct uet_match_recv wild = tagged(0, U64_MAX, 0, true);
	struct uet_match_msg msg[3];
	struct uet_match m;
	u32 i;

	init(&m);
	for (i = 0; i < 3; i++)
		arrive(&m, &msg[i], 1, 10);
	msg[0].is_held = true;
	msg[1].is_held = true;
	EXPECT_TRUE(seek(&m, &exact) == &msg[2]);
	EXPECT_TRUE(seek(&m, &wild) == &msg[2]);
	msg[2].is_held = true;
	EXPECT_TRUE(seek(&m, &exact) == NULL);
	EXPECT_TRUE(seek(&m, &wild) == NULL);
	msg[0].is_held = false;
	EXPECT_TRUE(seek(&m, &exact) == &msg[0]);
	fini(&m);
}

/* Before the first receive nobody pays for matching. */
/* One search that finds its receive or not; none is long. */
static void search(struct uet_match *m, u64 bits, u32 initiator, bool is_there)
{
	u64 steps = m->steps;

	EXPECT_EQ(find(m, bits, initiator) != NULL, is_there);
	EXPECT_LE(m->steps - steps, 40);
}

/*
 * Steps to find each of @nr receives and messages, on average in hundredths.
 * Receives ignore the bits of @ignore in turn.
 */
static u64 cost_ignoring(u32 nr, bool is_same, const u64 *ignore, u32 nr_ignore)
{
	struct uet_match_recv *r = calloc(nr, sizeof(*r));
	struct uet_match_msg *msg = calloc(nr, sizeof(*msg));
	struct uet_match m;
	u64 steps;
	u32 i;

	if (!r || !msg)
		abort();
	init(&m);
	for (i = 0; i < nr; i++) {
		r[i] = tagged(is_same ? 5 : i, ignore[i % nr_ignore], i % 3,
			      i % 2);
		r[i].cookie = i;
		post(&m, &r[i]);
	}
	steps = m.steps;
	for (i = 0; i < nr; i++) {
		search(&m, is_same ? 5 : i, i % 3, true);
		search(&m, nr + i, i % 3, false);
		search(&m, 2 * nr + i, i % 3, false);
	}
	steps = m.steps - steps;
	for (i = 0; i < nr; i++)
		uet_match_unpost(&m, &r[i]);
	for (i = 0; i < nr; i++) {
		arrive(&m, &msg[i], is_same ? 5 : i, i % 3);
		grow(&m);
	}
	steps -= m.steps;
	for (i = 0; i < nr; i++)
		EXPECT_TRUE(seek(&m, &r[i]) != NULL);
	steps += m.steps;
	for (i = 0; i < nr; i++)
		uet_match_del_msg(&m, &msg[i]);
	EXPECT_EQ(m.nr_nodes, 0);
	fini(&m);
	free(r);
	free(msg);
	return steps * 100 / nr;
}

static u64 cost(u32 nr, bool is_same)
{
	static const u64 none[] = { 0 };

	return cost_ignoring(nr, is_same, none, 1);
}

/*
 * A table has two buckets for each key: for three searches by the hash of four places,
 * and what is found, seven steps are much.
 */
TEST(match__search_cost_does_not_grow_with_the_table)
{
	EXPECT_LE(cost(10, false), 700);
	EXPECT_LE(cost(MANY, false), 700);
	EXPECT_LE(cost(10, true), 700);
	EXPECT_LE(cost(MANY, true), 700);
}

/* As MPI: all receives ignore bits, in up to three ways; a way costs two searches. */
TEST(match__search_cost_with_ignore_bits_does_not_grow_with_the_table)
{
	static const u64 one[] = { 1ULL << 32 };
	static const u64 ways[] = { 1ULL << 32, 7ULL << 40, 0xffULL << 48 };

	EXPECT_LE(cost_ignoring(10, false, one, 1), 700);
	EXPECT_LE(cost_ignoring(MANY, false, one, 1), 700);
	EXPECT_LE(cost_ignoring(MANY, true, one, 1), 700);
	EXPECT_LE(cost_ignoring(10, false, ways, 3), 1800);
	EXPECT_LE(cost_ignoring(MANY, false, ways, 3), 1800);
	EXPECT_LE(cost_ignoring(MANY, true, ways, 3), 1800);
}

TEST(match_may_post__number_of_ways_to_ignore_is_limited)
{
	struct uet_match_recv r[UET_MATCH_MASKS], more;
	struct uet_match_msg msg;
	struct uet_match m;
	u32 i;

	init(&m);
	for (i = 1; i < UET_MATCH_MASKS; i++) {
		EXPECT_TRUE(uet_match_may_post(&m, i));
		r[i] = tagged((u64)i << 16, i, 0, true);
		post(&m, &r[i]);
	}
	EXPECT_TRUE(!uet_match_may_post(&m, 0x100));
	EXPECT_TRUE(uet_match_is_scan(&m, 0x100));
	EXPECT_TRUE(uet_match_may_post(&m, 0));
	EXPECT_TRUE(uet_match_may_post(&m, UET_MATCH_MASKS - 1));

	/* A receive that only looks for a message may ignore what it likes. */
	more = tagged(0x7000, 0x100, 0, true);
	arrive(&m, &msg, 0x7100, 10);
	EXPECT_TRUE(seek(&m, &more) == &msg);

	/* The last receive of its kind makes room for another kind. */
	uet_match_unpost(&m, &r[UET_MATCH_MASKS - 1]);
	EXPECT_TRUE(uet_match_may_post(&m, 0x100));
	post(&m, &more);
	EXPECT_TRUE(!uet_match_may_post(&m, UET_MATCH_MASKS - 1));
	EXPECT_TRUE(find(&m, 0x7100, 10) == &more);
	EXPECT_TRUE(find(&m, 0x10001, 10) == &r[1]);
	fini(&m);
}

/* A message that came first is found by ways to ignore that came later. */
TEST(match_find_msg__takes_ignore_bits_that_were_not_used_before)
{
	struct uet_match_recv wild;
	struct uet_match_msg msg[3];
	struct uet_match m;
	u32 i;

	init(&m);
	for (i = 0; i < 3; i++)
		arrive(&m, &msg[i], 0x100 | i, 10);
	for (i = 2; i < 2 + 2 * UET_MATCH_INDEXES; i++) {
		wild = tagged(0x100, 1ULL << i | 3, 10, false);
		EXPECT_TRUE(seek(&m, &wild) == &msg[0]);
		wild = tagged(0x102, 1ULL << i | 1, 10, i % 2);
		EXPECT_TRUE(seek(&m, &wild) == &msg[2]);
	}
	for (i = 0; i < 3; i++)
		uet_match_del_msg(&m, &msg[i]);
	EXPECT_EQ(m.nr_nodes, 0);
	fini(&m);
}

TEST(match_claim__only_the_claim_finds_the_message)
{
	struct uet_match_recv r = tagged(5, 0, 0, true);
	struct uet_match_msg msg[2];
	struct uet_match m;

	init(&m);
	EXPECT_TRUE(uet_match_find_claim(&m, 1) == NULL);
	arrive(&m, &msg[0], 5, 10);
	arrive(&m, &msg[1], 5, 10);
	uet_match_claim_msg(&m, &msg[0]);
	EXPECT_TRUE(seek(&m, &r) == &msg[1]);
	uet_match_claim_msg(&m, &msg[1]);
	EXPECT_TRUE(seek(&m, &r) == NULL);
	r.ignore = 0xf;
	EXPECT_TRUE(seek(&m, &r) == NULL);
	EXPECT_TRUE(uet_match_find_claim(&m, msg[0].claim) == &msg[0]);
	EXPECT_TRUE(uet_match_find_claim(&m, msg[1].claim) == &msg[1]);
	EXPECT_TRUE(uet_match_find_claim(&m, 0) == NULL);
	uet_match_del_msg(&m, &msg[0]);
	uet_match_del_msg(&m, &msg[0]);
	uet_match_del_msg(&m, &msg[1]);
	EXPECT_EQ(m.nr_nodes, 0);
	fini(&m);
}

TEST(match_claim__numbers_are_not_used_again)
{
	struct uet_match_msg msg;
	struct uet_match m;
	u64 claim;

	init(&m);
	arrive(&m, &msg, 5, 10);
	uet_match_claim_msg(&m, &msg);
	claim = msg.claim;
	EXPECT_TRUE(claim != 0);
	uet_match_del_msg(&m, &msg);
	EXPECT_EQ(msg.claim, 0);
	EXPECT_TRUE(uet_match_find_claim(&m, claim) == NULL);
	arrive(&m, &msg, 5, 10);
	uet_match_claim_msg(&m, &msg);
	EXPECT_TRUE(msg.claim != claim);
	uet_match_del_msg(&m, &msg);
	fini(&m);
}

TEST(match_claim__takes_one_of_many_in_a_few_steps)
{
	struct uet_match_recv r = tagged(5, 0, 0, true);
	struct uet_match_msg *msg = calloc(MANY, sizeof(*msg));
	struct uet_match m;
	u32 i, before;

	if (!msg)
		abort();
	init(&m);
	for (i = 0; i < MANY; i++) {
		arrive(&m, &msg[i], 5, 10);
		grow(&m);
	}
	before = m.steps;
	for (i = 0; i < MANY; i++) {
		EXPECT_TRUE(seek(&m, &r) == &msg[i]);
		uet_match_claim_msg(&m, &msg[i]);
		grow(&m);
	}
	for (i = 0; i < MANY; i++)
		EXPECT_TRUE(uet_match_find_claim(&m, msg[i].claim) == &msg[i]);
	EXPECT_TRUE(m.steps - before < 10 * MANY);
	for (i = 0; i < MANY; i++)
		uet_match_del_msg(&m, &msg[i]);
	EXPECT_EQ(m.nr_nodes, 0);
	fini(&m);
	free(msg);
}

static struct uet_match_recv of_peer(u64 bits, u32 peer)
{
	return (struct uet_match_recv){
		.want = { .bits = bits, .is_tagged = true, .peer = peer },
		.is_of_peer = true,
	};
}

TEST(match_peer__equal_initiator_ids_are_apart)
{
	const struct uet_match_key of_1 = { 5, 10, true, 1 };
	const struct uet_match_key of_2 = { 5, 10, true, 2 };
	const struct uet_match_key unknown = { 5, 10, true, 0 };
	struct uet_match_recv a = of_peer(5, 2), b = tagged(5, 0, 10, false);
	struct uet_match m;

	init(&m);
	post(&m, &a);
	EXPECT_TRUE(uet_match_find_recv(&m, &of_1) == NULL);
	EXPECT_TRUE(uet_match_find_recv(&m, &unknown) == NULL);
	EXPECT_TRUE(uet_match_find_recv(&m, &of_2) == &a);
	post(&m, &b);
	EXPECT_TRUE(uet_match_find_recv(&m, &of_1) == &b);
	EXPECT_TRUE(uet_match_find_recv(&m, &of_2) == &a);
	uet_match_unpost(&m, &a);
	EXPECT_TRUE(uet_match_find_recv(&m, &of_2) == &b);
	uet_match_unpost(&m, &b);
	EXPECT_EQ(m.nr_posted + m.nr_nodes, 0);
	fini(&m);
}

/* Both with hashed ignore bits, and with others, which compare one by one. */
TEST(match_peer__messages_get_a_peer_and_lose_it)
{
	struct uet_match_recv r = of_peer(5, 7), none = of_peer(5, 8);
	struct uet_match_msg msg[3];
	struct uet_match m;
	u64 ignore;
	u32 i;

	init(&m);
	for (i = 0; i < 3; i++)
		arrive(&m, &msg[i], 5, 10);
	EXPECT_TRUE(seek(&m, &r) == NULL);
	for (i = 1; i < 3; i++)
		uet_match_set_peer(&m, &msg[i], 7);
	for (ignore = 0; ignore < 0x60; ignore += 0x10) {
		r.ignore = ignore;
		none.ignore = ignore;
		EXPECT_TRUE(seek(&m, &r) == &msg[1]);
		EXPECT_TRUE(seek(&m, &none) == NULL);
	}
	uet_match_set_peer(&m, &msg[1], 0);
	EXPECT_TRUE(seek(&m, &r) == &msg[2]);
	uet_match_claim_msg(&m, &msg[2]);
	EXPECT_TRUE(seek(&m, &r) == NULL);
	for (i = 0; i < 3; i++)
		uet_match_del_msg(&m, &msg[i]);
	EXPECT_EQ(m.nr_nodes, 0);
	fini(&m);
}

/* ------------------------------------------------------------------ at random */

#define MODEL_MAX	300

/* Receives and messages in the order in which they came, NULL where one left. */
struct model {
	struct uet_match m;
	struct uet_match_recv *recv[MODEL_MAX];
	struct uet_match_msg *msg[MODEL_MAX];
	u32 nr_recv, nr_msg;
};

/* Few values, so that much fits. */
static struct uet_match_key any_env(void)
{
	return (struct uet_match_key){
		.bits = utest_rand() % 6, .initiator = utest_rand() % 3,
		.is_tagged = utest_rand() % 4,
	};
}

static bool model_fits(const struct uet_match_recv *r,
		       const struct uet_match_key *match_key)
{
	if (r->want.is_tagged != match_key->is_tagged)
		return false;
	if (!r->is_any_source && r->want.initiator != match_key->initiator)
		return false;
	return (r->want.bits | r->ignore) == (match_key->bits | r->ignore);
}

static void model_post(struct model *w)
{
	struct uet_match_recv *r = calloc(1, sizeof(*r));
	struct uet_match_msg *want = NULL, *got;
	u32 i;

	if (!r)
		abort();
	r->want = any_env();
	r->is_any_source = utest_rand() % 2;
	r->ignore = utest_rand() % 3 ? 0 : utest_rand() % 8;
	r->cookie = utest_rand() % 50;
	for (i = 0; i < w->nr_msg && !want; i++)
		if (w->msg[i] && !w->msg[i]->is_held &&
		    model_fits(r, &w->msg[i]->match_key))
			want = w->msg[i];
	got = seek(&w->m, r);
	EXPECT_TRUE(got == want);
	if (!want && w->nr_recv < MODEL_MAX) {
		post(&w->m, r);
		w->recv[w->nr_recv++] = r;
		return;
	}
	free(r);
	if (!want)
		return;
	uet_match_del_msg(&w->m, want);
	w->msg[i - 1] = NULL;
	free(want);
}

static void model_arrive(struct model *w)
{
	struct uet_match_msg *msg = calloc(1, sizeof(*msg));
	struct uet_match_recv *want = NULL;
	u32 i;

	if (!msg)
		abort();
	uet_match_msg_init(msg);
	msg->match_key = any_env();
	for (i = 0; i < w->nr_recv && !want; i++)
		if (w->recv[i] && model_fits(w->recv[i], &msg->match_key))
			want = w->recv[i];
	EXPECT_TRUE(uet_match_find_recv(&w->m, &msg->match_key) == want);
	if (!want && w->nr_msg < MODEL_MAX) {
		uet_match_add_msg(&w->m, msg);
		w->msg[w->nr_msg++] = msg;
		return;
	}
	free(msg);
	if (!want)
		return;
	uet_match_unpost(&w->m, want);
	w->recv[i - 1] = NULL;
	free(want);
}

static void model_cancel(struct model *w)
{
	u64 cookie = utest_rand() % 50;
	struct uet_match_recv *want = NULL;
	u32 i;

	for (i = 0; i < w->nr_recv && !want; i++)
		if (w->recv[i] && w->recv[i]->cookie == cookie)
			want = w->recv[i];
	EXPECT_TRUE(uet_match_find_cookie(&w->m, cookie) == want);
	if (!want)
		return;
	uet_match_unpost(&w->m, want);
	w->recv[i - 1] = NULL;
	free(want);
}

static void model_hold(struct model *w)
{
	u32 i = w->nr_msg ? utest_rand() % w->nr_msg : 0;

	if (w->msg[i])
		w->msg[i]->is_held = !w->msg[i]->is_held;
}

static void model_end(struct model *w)
{
	u32 i;

	for (i = 0; i < w->nr_recv; i++) {
		if (w->recv[i])
			uet_match_unpost(&w->m, w->recv[i]);
		free(w->recv[i]);
	}
	for (i = 0; i < w->nr_msg; i++) {
		if (w->msg[i])
			uet_match_del_msg(&w->m, w->msg[i]);
		free(w->msg[i]);
	}
	EXPECT_EQ(w->m.nr_posted + w->m.nr_nodes, 0);
	fini(&w->m);
}

TEST(match__random_operations_agree_with_the_model)
{
	struct model w;
	u32 round, i;

	for (round = 0; round < 50; round++) {
		memset(&w, 0, sizeof(w));
		init(&w.m);
		for (i = 0; i < 1000; i++) {
			switch (utest_rand() % 10) {
			case 0:
				model_cancel(&w);
				break;
			case 1:
				model_hold(&w);
				break;
			case 2 ... 5:
				model_post(&w);
				break;
			default:
				model_arrive(&w);
				break;
			}
		}
		model_end(&w);
	}
}
