// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of kernel/core/pds/cork.c: which short messages wait for the next ones, when a
 * stream begins, and what ends it.  Level: test of core L4.
 */
#include "utest.h"
#include "core/pds/cork.h"

#define US	1000ULL
#define HOLD	(100 * US)
#define PAUSE	(50 * US)

/* A sender whose calls are 2 us apart; its next call comes after it was preempted. */
struct sender {
	struct uet_cork cork;
	bool is_preempted;
	u64 now;
};

static void sender_init(struct sender *s)
{
	uet_cork_init(&s->cork);
	s->is_preempted = false;
	s->now = 1000 * HOLD;
}

/* Return: the message waits. */
static bool send_one(struct sender *s, enum uet_cork_hint hint)
{
	bool waits;

	s->now += 2 * US;
	waits = uet_cork_add(&s->cork, 64, hint, s->is_preempted, s->now);
	s->is_preempted = false;
	if (!waits) {
		uet_cork_open(&s->cork);
		uet_cork_sent(&s->cork, s->now);
	}
	return waits;
}

/* Return: number of messages, of @nr in a row, that leave at once. */
static int send_row(struct sender *s, int nr)
{
	int left = 0;

	while (nr--)
		left += !send_one(s, UET_CORK_STREAM);
	return left;
}

/* The timer fires when the messages have waited for long enough. */
static void expire(struct sender *s)
{
	s->now = s->cork.until_ns;
	uet_cork_tick(&s->cork, s->now);
	uet_cork_open(&s->cork);
}

static void await(struct sender *s)
{
	uet_cork_awaited(&s->cork);
	uet_cork_open(&s->cork);
	s->now += 10 * PAUSE;
}

TEST(cork_add__announced_messages_wait)
{
	struct sender s;

	sender_init(&s);

	EXPECT_TRUE(send_one(&s, UET_CORK_MORE));
	EXPECT_EQ(s.cork.until_ns, s.now + HOLD);
	EXPECT_TRUE(send_one(&s, UET_CORK_MORE));
	EXPECT_EQ(s.cork.until_ns, s.now - 2 * US + HOLD);
	EXPECT_EQ(s.cork.nr, 2);
	EXPECT_FALSE(s.cork.is_guess);
}

TEST(cork_add__message_that_may_not_wait_sends_all)
{
	struct sender s;

	sender_init(&s);
	send_one(&s, UET_CORK_MORE);

	EXPECT_FALSE(send_one(&s, UET_CORK_NEVER));
	EXPECT_EQ(s.cork.nr, 0);
	EXPECT_EQ(s.cork.until_ns, UET_NEVER);
}

TEST(cork_add__number_and_bytes_are_bounded)
{
	struct sender s;
	int i;

	sender_init(&s);
	for (i = 0; i < 31; i++)
		EXPECT_TRUE(send_one(&s, UET_CORK_MORE));
	EXPECT_FALSE(send_one(&s, UET_CORK_MORE));

	EXPECT_TRUE(uet_cork_add(&s.cork, 32767, UET_CORK_MORE, false, s.now));
	EXPECT_FALSE(uet_cork_add(&s.cork, 1, UET_CORK_MORE, false, s.now));
}

TEST(cork_add__stream_begins_with_the_fourth_message)
{
	struct sender s;

	sender_init(&s);

	EXPECT_EQ(send_row(&s, 3), 3);
	EXPECT_TRUE(send_one(&s, UET_CORK_STREAM));
	EXPECT_TRUE(s.cork.is_guess);
}

TEST(cork_add__stream_leaves_in_groups)
{
	struct sender s;

	sender_init(&s);

	/* Three alone, and the last of three groups of 32. */
	EXPECT_EQ(send_row(&s, 3 + 3 * 32), 3 + 3);
	EXPECT_EQ(s.cork.nr, 0);
}

TEST(cork_add__messages_with_pauses_are_no_stream)
{
	struct sender s;
	int i;

	sender_init(&s);
	for (i = 0; i < 100; i++) {
		s.now += PAUSE;
		EXPECT_FALSE(send_one(&s, UET_CORK_STREAM));
	}
}

/* The last message after announced ones has no announcement, and sends them. */
TEST(cork_add__message_of_a_stream_sends_announced_ones)
{
	struct sender s;

	sender_init(&s);
	send_row(&s, 4);
	uet_cork_open(&s.cork);
	send_one(&s, UET_CORK_MORE);

	EXPECT_FALSE(send_one(&s, UET_CORK_STREAM));
}

TEST(cork_add__announcement_ends_a_stream)
{
	struct sender s;

	sender_init(&s);
	send_row(&s, 4);
	send_one(&s, UET_CORK_MORE);
	uet_cork_open(&s.cork);

	EXPECT_EQ(send_row(&s, 3), 3);
}

TEST(cork_tick__wait_in_vain_ends_a_stream)
{
	struct sender s;

	sender_init(&s);
	send_row(&s, 4);
	expire(&s);

	EXPECT_EQ(send_row(&s, 7), 7);
	EXPECT_TRUE(send_one(&s, UET_CORK_STREAM));
}

/* The sender goes on while its messages have waited for long enough. */
TEST(cork_tick__stream_goes_on)
{
	struct sender s;

	sender_init(&s);
	send_row(&s, 6);
	s.now = s.cork.until_ns - 4 * US;
	send_row(&s, 1);
	s.cork.last_ns = s.now;
	expire(&s);

	EXPECT_TRUE(s.cork.is_stream);
	EXPECT_TRUE(send_one(&s, UET_CORK_STREAM));
}

/* The receiver takes the CPU from the sender while messages wait. */
TEST(cork_tick__preempted_sender_has_not_paused)
{
	struct sender s;
	int i;

	sender_init(&s);
	send_row(&s, 4);
	for (i = 0; i < 10; i++) {
		expire(&s);
		s.is_preempted = true;
		EXPECT_TRUE(send_one(&s, UET_CORK_STREAM));
	}
	EXPECT_EQ(s.cork.enough, 4);
}

/* Nothing but the sender's own next call ends a doubt. */
TEST(cork_tick__doubt_does_not_last)
{
	struct sender s;

	sender_init(&s);
	send_row(&s, 8);
	expire(&s);
	await(&s);

	EXPECT_TRUE(send_one(&s, UET_CORK_STREAM));
}

TEST(cork_tick__wait_in_vain_in_a_short_row_was_wrong)
{
	struct sender s;

	sender_init(&s);
	send_row(&s, 4);
	expire(&s);
	await(&s);

	EXPECT_EQ(send_row(&s, 7), 7);
}

/* The sender is steady, but slow. */
TEST(cork_tick__few_messages_need_not_wait)
{
	struct sender s;
	int i, waits = 0;

	sender_init(&s);
	for (i = 0; i < 1000; i++) {
		s.now += 40 * US;
		if (s.cork.nr && s.now >= s.cork.until_ns)
			expire(&s);
		waits += send_one(&s, UET_CORK_STREAM);
	}
	EXPECT_LE(waits, 30);
}

TEST(cork_tick__nothing_ends_before_its_time)
{
	struct sender s;

	sender_init(&s);
	send_row(&s, 4);
	uet_cork_tick(&s.cork, s.cork.until_ns - 1);

	EXPECT_TRUE(s.cork.is_stream);
}

/* A sender of short rows that does not say when it waits is left alone soon. */
TEST(cork_tick__mistakes_become_rare)
{
	struct sender s;
	int i, waits = 0;

	sender_init(&s);
	for (i = 0; i < 1000; i++) {
		send_row(&s, 20);
		if (s.cork.nr) {
			waits++;
			expire(&s);
		}
		s.now += 10 * PAUSE;
	}

	EXPECT_LE(waits, 3);
}

TEST(cork_tick__mistakes_are_bounded)
{
	struct sender s;
	int i;

	sender_init(&s);
	for (i = 0; i < 20; i++) {
		while (!send_one(&s, UET_CORK_STREAM))
			;
		expire(&s);
	}

	EXPECT_EQ(s.cork.enough, 1024);
}

/* Each full group makes the next stream begin earlier, but none with fewer than four. */
TEST(cork_add__full_groups_are_right_guesses)
{
	struct sender s;

	sender_init(&s);
	s.cork.enough = 8;
	send_row(&s, 7 + 32);
	EXPECT_EQ(s.cork.enough, 7);
	send_row(&s, 3 * 32);
	EXPECT_EQ(s.cork.enough, 4);
	send_row(&s, 32);
	EXPECT_EQ(s.cork.enough, 4);
	/* Announced messages were no guess. */
	uet_cork_init(&s.cork);
	s.cork.enough = 9;
	while (send_one(&s, UET_CORK_MORE))
		;
	EXPECT_EQ(s.cork.enough, 9);
}

/* Its window is full: it sends as many as were completed, and waits again. */
TEST(cork_awaited__rows_of_two_are_a_stream)
{
	struct sender s;
	int i;

	sender_init(&s);
	send_row(&s, 4);
	await(&s);
	for (i = 0; i < 100; i++) {
		EXPECT_EQ(send_row(&s, 2), 0);
		await(&s);
	}
}

/* The sender lost the CPU after most of a row. */
TEST(cork_awaited__preempted_sender_is_a_stream)
{
	struct sender s;

	sender_init(&s);
	send_row(&s, 3 + 32);
	s.now += 10 * PAUSE;
	s.is_preempted = true;
	send_row(&s, 2);
	await(&s);

	EXPECT_TRUE(send_one(&s, UET_CORK_STREAM));
}

/* A sender that waits after each message. */
TEST(cork_awaited__ping_pong_is_no_stream)
{
	struct sender s;
	int i, waits = 0;

	sender_init(&s);
	send_row(&s, 40);
	await(&s);
	for (i = 0; i < 1000; i++) {
		waits += send_one(&s, UET_CORK_STREAM);
		await(&s);
	}

	EXPECT_EQ(waits, 16);
}

TEST(cork_awaited__some_lone_messages_do_not_end_a_stream)
{
	struct sender s;
	int i, j;

	sender_init(&s);
	send_row(&s, 40);
	for (i = 0; i < 10; i++) {
		await(&s);
		for (j = 0; j < 10; j++) {
			EXPECT_TRUE(send_one(&s, UET_CORK_STREAM));
			await(&s);
		}
		send_row(&s, 2);
	}
}

TEST(cork_awaited__without_a_guess_nothing_was_wrong)
{
	struct sender s;

	sender_init(&s);
	send_row(&s, 2);
	await(&s);

	EXPECT_EQ(s.cork.enough, 4);
}
