// SPDX-License-Identifier: GPL-2.0
/*
 * Whose rotation it is among the keys of a domain, by tables of times, and by nodes
 * that start when they like, with clocks that are not the same: what one of them
 * seals, all others must be able to open, and what is too much for the overlap
 * must be found.  Then files that change, clocks that are set, and revoking.
 */
#include "utest.h"

#include "uetdtest.h"

#define CHECK	0xc0ffee	/* of the key file */
#define OTHER	0xdecade	/* of another one */

/* Period 10 of 100 s each begins at 1000. */
static struct uetd_sd rotating(uint32_t rotation, uint32_t overlap)
{
	struct uetd_sd sd = {
		.name = "s", .key_file = "/k", .rotation = rotation,
		.overlap = overlap, .check = CHECK,
	};

	uetd_conf_rules(&sd.rules, UET_SD_MODE_CLUSTER);
	return sd;
}

static struct uetd_sd fixed(uint32_t number, uint32_t check, uint64_t since)
{
	struct uetd_sd sd = rotating(0, 20);

	sd.number = number;
	sd.check = check;
	sd.since = since;
	return sd;
}

/* Into @text what is done: "set NUMBER/EPOCH", "use NUMBER", "forget NUMBER". */
static void steps_text(char *text, size_t size,
		       const struct uetd_rotation *rotation)
{
	const struct uetd_step *step;
	size_t used = 0;
	unsigned int i;

	*text = 0;
	for (i = 0; i < rotation->nr; i++) {
		step = &rotation->steps[i];
		used += snprintf(text + used, size - used, "%s%s %u",
				 i ? ", " : "",
				 step->kind == UETD_STEP_KEY ? "set" :
				 step->kind == UETD_STEP_USE ? "use" : "forget",
				 step->number);
		if (step->kind == UETD_STEP_KEY)
			used += snprintf(text + used, size - used, "/%u",
					 step->epoch);
	}
}

static bool carry_out(struct uetd_sd *has, const struct uetd_rotation *rotation,
		      uint32_t check)
{
	const char *refusal;
	unsigned int i;

	for (i = 0; i < rotation->nr; i++) {
		refusal = uetdtest_step(has, &rotation->steps[i], check);
		if (!refusal)
			continue;
		printf("# step %u: %s\n", i, refusal);
		return false;
	}
	return true;
}

/* A rotation, carried out: its text; a second one has nothing more to do. */
static const char *take_rotation(struct uetd_sd *has,
				 const struct uetd_sd *wanted, uint64_t now,
				 struct uetd_rotation *rotation)
{
	static char text[256];
	struct uetd_rotation again;

	uetd_rotation_make(rotation, wanted, has, now);
	steps_text(text, sizeof(text), rotation);
	EXPECT_TRUE(carry_out(has, rotation, wanted->check));
	uetd_rotation_make(&again, wanted, has, now);
	EXPECT_EQ(again.nr, 0);
	EXPECT_EQ(again.next, rotation->next);
	return text;
}

TEST(rotation__a_new_domain_has_the_keys_of_its_time)
{
	static const struct {
		uint64_t now;
		const char *steps;
		uint64_t next;
	} rows[] = {
		{ 1000, "set 10/80, use 10, set 9/79", 1020 },
		{ 1019, "set 10/81, use 10, set 9/79", 1020 },
		{ 1020, "set 10/81, use 10", 1080 },
		{ 1050, "set 10/84, use 10", 1080 },
		{ 1079, "set 10/86, use 10", 1080 },
		{ 1080, "set 10/86, use 10, set 11/88", 1100 },
		{ 1099, "set 10/87, use 10, set 11/88", 1100 },
		{ 1100, "set 11/88, use 11, set 10/87", 1120 },
		{ 0, "set 0/0, use 0", 20 },
	};
	const struct uetd_sd wanted = rotating(100, 20);
	struct uetd_rotation rotation;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct uetd_sd has = { .name = "s" };

		EXPECT_STREQ(take_rotation(&has, &wanted, rows[i].now,
					   &rotation),
			     rows[i].steps);
		EXPECT_EQ(rotation.next, rows[i].next);
		EXPECT_STREQ(rotation.wait, "");
	}
}

TEST(rotation__keys_take_over_from_one_another)
{
	static const struct {
		uint64_t now;
		const char *steps;
		uint64_t next;
	} rows[] = {
		{ 1050, "set 10/84, use 10", 1080 },
		{ 1080, "set 11/88", 1100 },
		{ 1100, "use 11", 1120 },
		{ 1120, "forget 10", 1180 },
		{ 1181, "set 12/96", 1200 },
		{ 1230, "use 12, forget 11", 1280 },
	};
	const struct uetd_sd wanted = rotating(100, 20);
	struct uetd_sd has = { .name = "s" };
	struct uetd_rotation rotation;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		EXPECT_STREQ(take_rotation(&has, &wanted, rows[i].now,
					   &rotation),
			     rows[i].steps);
		EXPECT_EQ(rotation.next, rows[i].next);
	}
}

/**
 * struct node - a node
 * @skew: seconds its clock is ahead
 * @start: when it starts, by the true time
 * @lose: when its kernel is loaded again, or 0
 * @sleep: when its uetd ends
 * @wake: and is started again; seconds, 0: does not
 * @has: its domain
 * @next: when its uetd wants to be asked, by its clock
 */
struct node {
	int skew;
	uint64_t start;
	uint64_t lose;
	uint64_t sleep;
	uint64_t wake;
	struct uetd_sd has;
	uint64_t next;
};

static void run_node(struct node *node, const struct uetd_sd *wanted,
		     uint64_t time)
{
	uint64_t now = time + node->skew;
	struct uetd_rotation rotation;

	if (time == node->lose) {
		memset(&node->has, 0, sizeof(node->has));
		node->next = 0;
	}
	if (time >= node->sleep && time < node->wake)
		return;
	if (time == node->wake)
		node->next = 0;
	if (time < node->start || now < node->next)
		return;
	take_rotation(&node->has, wanted, now, &rotation);
	EXPECT_STREQ(rotation.wait, "");
	EXPECT_TRUE(rotation.next > now);
	node->next = rotation.next;
}

/* Could @to open what @from seals now? */
static bool is_heard(const struct node *from, const struct node *to,
		     uint16_t epoch_age)
{
	const struct uetd_sa *a, *b;
	unsigned int an;

	for (an = 0; an < UETD_AN_NR; an++) {
		a = &from->has.sa[an];
		b = &to->has.sa[an];
		if (a->is_set && a->is_used)
			return b->is_set && a->number == b->number &&
			       a->check == b->check &&
			       (int16_t)(b->epoch - a->epoch) <= epoch_age;
	}
	return true;
}

/* Seconds in which one of the nodes refuses packets of another. */
static unsigned int deaf_seconds(struct node *nodes, size_t nr,
				 const struct uetd_sd *wanted, uint64_t until)
{
	unsigned int deaf = 0;
	uint64_t time;
	size_t i, k;

	for (time = 1000; time < until; time++) {
		for (i = 0; i < nr; i++)
			run_node(&nodes[i], wanted, time);
		for (i = 0; i < nr; i++) {
			for (k = 0; k < nr; k++)
				deaf += time >= nodes[i].start &&
					time >= nodes[k].start &&
					!is_heard(&nodes[i], &nodes[k],
						  wanted->rules.epoch_age);
		}
	}
	return deaf;
}

#define AHEAD(seconds)	{ .skew = (seconds) }

TEST(rotation__nodes_agree_within_the_overlap)
{
	static const struct {
		uint32_t rotation;
		uint32_t overlap;
		uint16_t epoch_age;
		struct node nodes[4];
	} rows[] = {
		{ 100, 20, 16, { AHEAD(0), AHEAD(20), AHEAD(10), AHEAD(7) } },
		{ 100, 50, 16, { AHEAD(-25), AHEAD(25), AHEAD(0), AHEAD(1) } },
		{ 4, 2, 16, { AHEAD(0), AHEAD(2), AHEAD(1), AHEAD(1) } },
		{ 100, 20, 16, {
			AHEAD(0), { .skew = 20, .start = 1079 }, { .skew = 10, .start = 1101 },
			{ .skew = 0, .start = 1150 },
		} },
		{ 100, 20, 16, {
			{ .skew = 0, .lose = 1095 }, { .skew = 20, .lose = 1250 },
			{ .skew = 10, .lose = 1199 }, { .skew = 7, .lose = 1340 },
		} },
		{ 100, 20, 7, { { .skew = 0, .lose = 1270 }, AHEAD(20), AHEAD(3), AHEAD(0) } },
		{ 100, 20, 0, { { .skew = 0, .lose = 1270 }, AHEAD(20), AHEAD(3), AHEAD(0) } },
		{ 100, 20, 16, {
			{ .skew = 0, .sleep = 1025, .wake = 1075 },
			{ .skew = 5, .sleep = 1121, .wake = 1170 }, AHEAD(1), AHEAD(2),
		} },
	};
	struct node nodes[4];
	struct uetd_sd wanted;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		printf("# row %zu\n", i);
		wanted = rotating(rows[i].rotation, rows[i].overlap);
		wanted.rules.epoch_age = rows[i].epoch_age;
		memcpy(nodes, rows[i].nodes, sizeof(nodes));
		EXPECT_EQ(deaf_seconds(nodes, 4, &wanted, 1800), 0);
	}
}

/* Packets outside the overlap are lost: the fact above can fail. */
TEST(rotation__clocks_too_far_apart_lose_packets)
{
	struct uetd_sd wanted = rotating(100, 20);
	struct node far[2] = { { .skew = 0 }, { .skew = 21 } };
	struct node asleep[2] = {
		{ .skew = 0 }, { .sleep = 1070, .wake = 1130 },
	};

	EXPECT_TRUE(deaf_seconds(far, 2, &wanted, 1800) > 0);
	EXPECT_TRUE(deaf_seconds(asleep, 2, &wanted, 1300) > 0);
}

/* It is among the others again when it wakes up, whatever it missed. */
TEST(rotation__a_node_that_slept_catches_up_at_once)
{
	const struct uetd_sd wanted = rotating(100, 20);
	struct uetd_sd has = { .name = "s" };
	struct uetd_rotation rotation;

	take_rotation(&has, &wanted, 1085, &rotation);
	EXPECT_STREQ(take_rotation(&has, &wanted, 1450, &rotation),
		     "forget 10, set 14/116, use 14, forget 11");
	EXPECT_STREQ(take_rotation(&has, &wanted, 1705, &rotation),
		     "set 17/136, use 17, set 16/135");
	EXPECT_STREQ(rotation.wait, "");
}

TEST(rotation__a_clock_that_is_set_back_takes_no_key_back)
{
	const struct uetd_sd wanted = rotating(100, 20);
	struct uetd_sd has = { .name = "s" };
	struct uetd_rotation rotation;

	take_rotation(&has, &wanted, 1110, &rotation);
	EXPECT_STREQ(take_rotation(&has, &wanted, 1095, &rotation), "");
	EXPECT_STREQ(rotation.wait, "");
	EXPECT_EQ(rotation.next, 1120);
	EXPECT_STREQ(take_rotation(&has, &wanted, 1010, &rotation), "");
	EXPECT_STREQ(rotation.wait,
		     "by the clock, the time of key 11, which is in use, has not come");
	EXPECT_STREQ(take_rotation(&has, &wanted, 1130, &rotation),
		     "forget 10");
	EXPECT_STREQ(rotation.wait, "");
	/* An administrator who knows that the clock was wrong before deletes the key. */
	memset(has.sa, 0, sizeof(has.sa));
	EXPECT_STREQ(take_rotation(&has, &wanted, 1050, &rotation), "set 10/84, use 10");
}

TEST(rotation__another_file_takes_its_turn)
{
	struct uetd_sd wanted = rotating(100, 20);
	struct uetd_sd has = { .name = "s" };
	struct uetd_rotation rotation;

	take_rotation(&has, &wanted, 1050, &rotation);
	wanted.check = OTHER;
	EXPECT_STREQ(take_rotation(&has, &wanted, 1060, &rotation), "");
	EXPECT_STREQ(rotation.wait, "");
	EXPECT_STREQ(take_rotation(&has, &wanted, 1080, &rotation),
		     "set 11/88");
	EXPECT_EQ(has.sa[0].check, CHECK);
	EXPECT_EQ(has.sa[1].check, OTHER);
	EXPECT_STREQ(take_rotation(&has, &wanted, 1100, &rotation), "use 11");
}

/* A key that was set by hand, and in which order its place is taken. */
TEST(rotation__a_key_by_hand_is_not_taken_away)
{
	struct uetd_sd wanted = rotating(100, 20);
	struct uetd_sd has = {
		.name = "s", .sa[0] = { .is_set = true, .is_used = true },
	};
	struct uetd_rotation rotation;

	EXPECT_STREQ(take_rotation(&has, &wanted, 1050, &rotation), "");
	EXPECT_STREQ(rotation.wait,
		     "key 10 is for association number 0, where another key is in use");
	EXPECT_STREQ(take_rotation(&has, &wanted, 1085, &rotation),
		     "set 11/88");
	EXPECT_STREQ(take_rotation(&has, &wanted, 1100, &rotation), "use 11");
	EXPECT_STREQ(rotation.wait, "");
	EXPECT_STREQ(take_rotation(&has, &wanted, 1120, &rotation), "forget 0");
	/* And without a key file all are by hand. */
	wanted.check = 0;
	EXPECT_STREQ(take_rotation(&has, &wanted, 1190, &rotation), "");
	EXPECT_EQ(rotation.next, 0);
}

TEST(rotation__the_key_of_a_file_stays)
{
	struct uetd_sd wanted = fixed(0, CHECK, 900), has = { .name = "s" };
	struct uetd_rotation rotation;

	wanted.epoch = 7;
	EXPECT_STREQ(take_rotation(&has, &wanted, 905, &rotation),
		     "set 0/7, use 0");
	EXPECT_EQ(rotation.next, 0);
	EXPECT_STREQ(take_rotation(&has, &wanted, 99999, &rotation), "");
	EXPECT_STREQ(take_rotation(&has, &wanted, 1, &rotation), "");
}

TEST(rotation__a_new_file_takes_over_with_overlap)
{
	struct uetd_sd wanted = fixed(4, CHECK, 900), has = { .name = "s" };
	struct uetd_rotation rotation;

	take_rotation(&has, &wanted, 905, &rotation);
	wanted = fixed(5, OTHER, 1000);
	EXPECT_STREQ(take_rotation(&has, &wanted, 1000, &rotation), "set 5/0");
	EXPECT_EQ(rotation.next, 1020);
	EXPECT_STREQ(take_rotation(&has, &wanted, 1019, &rotation), "");
	EXPECT_STREQ(take_rotation(&has, &wanted, 1020, &rotation), "use 5");
	EXPECT_EQ(rotation.next, 1040);
	EXPECT_STREQ(take_rotation(&has, &wanted, 1039, &rotation), "");
	EXPECT_STREQ(take_rotation(&has, &wanted, 1040, &rotation), "forget 4");
	EXPECT_EQ(rotation.next, 0);
}

/* Without the next number nobody could tell them apart on the wire. */
TEST(rotation__a_new_file_needs_the_next_number)
{
	struct uetd_sd wanted = fixed(4, CHECK, 900), has = { .name = "s" };
	struct uetd_rotation rotation;

	take_rotation(&has, &wanted, 905, &rotation);
	wanted = fixed(6, OTHER, 1000);
	EXPECT_STREQ(take_rotation(&has, &wanted, 1000, &rotation), "");
	EXPECT_STREQ(rotation.wait,
		     "key 6 is for association number 0, where another key is in use: it needs the next number");
	wanted = fixed(4, OTHER, 1000);
	EXPECT_STREQ(take_rotation(&has, &wanted, 1100, &rotation), "");
	EXPECT_TRUE(*rotation.wait);
}

/* Files that come within the overlap, on nodes whose clocks are not the same. */
TEST(rotation__new_files_lose_nothing)
{
	struct node nodes[3] = { { .skew = 0 }, { .skew = 9 }, { .skew = 4 } };
	static const uint64_t reload[3] = { 1100, 1108, 1119 };
	struct uetd_sd wanted[3];
	unsigned int deaf = 0;
	uint64_t time;
	size_t i, k;

	for (i = 0; i < 3; i++)
		wanted[i] = fixed(1, CHECK, 0);
	for (time = 1000; time < 1300; time++) {
		for (i = 0; i < 3; i++) {
			if (time == reload[i]) {
				wanted[i] = fixed(2, OTHER,
						  time + nodes[i].skew);
				nodes[i].next = 0;
			}
			if (nodes[i].next || time == 1000 || time == reload[i]) {
				struct uetd_rotation rotation;

				take_rotation(&nodes[i].has, &wanted[i],
					      time + nodes[i].skew, &rotation);
				nodes[i].next = rotation.next;
			}
		}
		for (i = 0; i < 3; i++) {
			for (k = 0; k < 3; k++)
				deaf += !is_heard(&nodes[i], &nodes[k], 16);
		}
	}
	EXPECT_EQ(deaf, 0);
	for (i = 0; i < 3; i++) {
		EXPECT_FALSE(nodes[i].has.sa[1].is_set);
		EXPECT_EQ(nodes[i].has.sa[0].check, OTHER);
	}
}

TEST(rotation__a_revoked_key_stays_away)
{
	struct uetd_sd wanted = rotating(100, 20), has = { .name = "s" };
	struct uetd_rotation rotation;
	uint64_t now;

	take_rotation(&has, &wanted, 1050, &rotation);
	memset(has.sa, 0, sizeof(has.sa));
	has.revoked[0] = CHECK;
	for (now = 1050; now < 1500; now += 10) {
		EXPECT_STREQ(take_rotation(&has, &wanted, now, &rotation), "");
		EXPECT_STREQ(rotation.wait,
			     "the key of /k is revoked, there must be another one");
	}
	wanted.check = OTHER;
	EXPECT_STREQ(take_rotation(&has, &wanted, 1550, &rotation),
		     "set 15/124, use 15");
	EXPECT_STREQ(rotation.wait, "");
}

TEST(rotation__a_shut_domain_is_reported)
{
	struct uetd_sd wanted = fixed(0, CHECK, 0);
	struct uetd_sd has = { .name = "s", .is_shut = true };
	struct uetd_rotation rotation;

	has.rules.fail_limit = 5;
	take_rotation(&has, &wanted, 1, &rotation);
	EXPECT_STREQ(rotation.wait, "it is shut, there were 5 forged packets");
}
