// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of receives that take several messages: each message goes behind the one before
 * it, also if it came before the receive, is deferred, or is read from its sender; and
 * exactly the last completion says that the memory is free.
 * Started by sock_flow.sh, see uetsock.h for what it needs.  Level: test.
 */
#define _GNU_SOURCE
#include "uetpost.h"

#define TAG	0x77

static struct uet_recv_post want_multi(uint64_t cookie, uint32_t min_free,
				       const struct us_mem *mem)
{
	struct uet_recv_post post = us_want(cookie, TAG, mem);

	post.flags |= UET_RECV_MULTI;
	post.min_free = min_free;
	return post;
}

/* The next completion is of the message made from @seed, at @offset. */
static void expect_part(int fd, uint64_t cookie, const struct us_mem *mem,
			uint32_t seed, uint32_t offset, size_t len, bool is_last)
{
	struct uet_completion rec = us_completion(fd);

	us_expect_done(&rec, cookie, 1, len);
	EXPECT_EQ(rec.offset, offset);
	EXPECT_EQ(rec.msg_length, len);
	EXPECT_EQ(rec.flags, UET_COMPLETION_RECV |
			     (is_last ? UET_COMPLETION_LAST : 0));
	EXPECT(us_matches(mem->buf + offset, seed, 0, len));
}

static void expect_end(int fd, uint64_t cookie, uint32_t error, uint32_t offset)
{
	struct uet_completion rec = us_completion(fd);

	EXPECT_EQ(rec.cookie, cookie);
	EXPECT_EQ(rec.error, error);
	EXPECT_EQ(rec.offset, offset);
	EXPECT_EQ(rec.length, 0);
	EXPECT_EQ(rec.flags, UET_COMPLETION_RECV | UET_COMPLETION_LAST);
}

TEST(multi__bad_requests_are_refused)
{
	int fd = us_endpoint(0, UET_PID_ANY, 0);
	struct us_mem mem = us_mem(fd, 1000);
	static const struct {
		uint32_t flags, min_free;
		uint64_t length;
		const char *text;
	} bad[] = {
		{ 0, 1, 1000, "min_free 1 is not 0" },
		{ UET_RECV_MULTI, 0, 1000, "min_free 0 is not in 1..1000" },
		{ UET_RECV_MULTI, 1001, 1000, "min_free 1001 is not in 1..1000" },
		{ UET_RECV_MULTI, 1, 0, "min_free 1 is not in 1..0" },
		{ UET_RECV_MULTI, 1, 1ull << 32, "length 4294967296 is above" },
		{ UET_RECV_MULTI | UET_RECV_CLAIM, 1, 1000, "UET_RECV_CLAIM" },
	};
	struct uet_recv_post post;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		post = (struct uet_recv_post){
			.flags = bad[i].flags, .min_free = bad[i].min_free,
			.length = bad[i].length, .key = mem.key,
		};
		EXPECT_FAILS(us_recv_post(fd, &post), EINVAL);
		EXPECT(us_explains(fd, bad[i].text));
	}
	us_expect_none(fd);
}

/* The last message leaves 250 bytes, and the next message is for the other receive. */
TEST(multi__messages_lie_one_behind_the_other)
{
	static const size_t lens[] = { 100, 200, 0, 300, 150 };
	struct us_pair p = us_pair_of(SOCK_SEQPACKET);
	struct us_mem mem = us_mem(p.rx, 1000), more = us_mem(p.rx, 500);
	struct uet_recv_post post = want_multi(7, 300, &mem);
	struct uet_recv_post next = want_multi(8, 500, &more);
	uint32_t offset = 0, i;

	memset(mem.buf, 0xa5, mem.len);
	ASSERT_SYS(us_recv_post(p.rx, &post));
	ASSERT_SYS(us_recv_post(p.rx, &next));
	for (i = 0; i < 5; i++) {
		us_tag(p.tx, TAG, i, lens[i]);
		expect_part(p.rx, 7, &mem, i, offset, lens[i], i == 4);
		offset += lens[i];
	}
	EXPECT(us_is_filled(mem.buf + 750, 0xa5, 250));
	us_tag(p.tx, TAG, 9, 1);
	expect_part(p.rx, 8, &more, 9, 0, 1, true);
	us_expect_none(p.rx);
}

TEST(multi__takes_messages_that_came_before)
{
	enum { COUNT = 20, LEN = 100 };
	struct us_pair p = us_receiving_pair_of(SOCK_SEQPACKET);
	struct us_mem mem = us_mem(p.rx, COUNT / 2 * LEN);
	struct uet_recv_post post = want_multi(7, LEN, &mem);
	uint32_t i, at;

	for (i = 0; i < COUNT; i++)
		us_tag(p.tx, TAG, i, LEN);
	for (i = 0; i < COUNT; i++) {
		at = i % (COUNT / 2);
		if (!at)
			ASSERT_SYS(us_recv_post(p.rx, &post));
		expect_part(p.rx, 7, &mem, i, at * LEN, LEN,
			    at == COUNT / 2 - 1);
	}
	us_expect_none(p.rx);
}

/* Deferred ones are asked for, rendezvous are read: each to its place. */
TEST(multi__takes_all_kinds_of_messages)
{
	enum { LEN = 20000, KINDS = 3, COUNT = 12 };
	static const uint8_t opcodes[KINDS] = {
		UET_OP_TAGGED_SEND, UET_OP_DEFERRABLE_TSEND,
		UET_OP_RENDEZVOUS_TSEND,
	};
	struct us_pair p = us_receiving_pair_of(SOCK_SEQPACKET);
	struct us_mem mem = us_mem(p.rx, COUNT * LEN);
	struct uet_recv_post post = want_multi(7, 1, &mem);
	struct uet_completion rec;
	uint32_t i, nr_last = 0;
	uint64_t tag = TAG;
	uint8_t *buf;

	for (i = 0; i < COUNT; i++) {
		struct uet_op op = { .opcode = opcodes[i % KINDS] };
		struct us_control c = { .len = 0 };
		struct uet_local local = { .length = LEN };
		bool is_read = i % KINDS == 2;

		buf = us_map(LEN);
		for (size_t j = 0; j < LEN; j++)
			buf[j] = us_byte(i, j);
		us_add_cmsg(&c, UET_CMSG_OP, &op, sizeof(op));
		us_add_cmsg(&c, UET_CMSG_TAG, &tag, sizeof(tag));
		if (is_read) {
			local.key = us_reg(p.tx, buf, LEN, UET_MR_READ);
			us_add_cmsg(&c, UET_CMSG_LOCAL, &local, sizeof(local));
		}
		EXPECT_EQ(us_send_control(p.tx, &c, buf, is_read ? 100 : LEN),
			  is_read ? 100 : LEN);
		/* One half comes before the receive. */
		if (i == COUNT / 2 - 1) {
			us_settle(p.tx);
			ASSERT_SYS(us_recv_post(p.rx, &post));
		}
	}
	for (i = 0; i < COUNT; i++) {
		EXPECT_EQ(nr_last, 0);
		rec = us_completion(p.rx);
		us_expect_done(&rec, 7, 1, LEN);
		EXPECT_EQ(rec.offset % LEN, 0);
		EXPECT_EQ(rec.opcode, opcodes[rec.offset / LEN % KINDS]);
		EXPECT(us_matches(mem.buf + rec.offset, rec.offset / LEN, 0, LEN));
		nr_last += !!(rec.flags & UET_COMPLETION_LAST);
	}
	EXPECT_EQ(nr_last, 1);
	us_expect_none(p.rx);
}

TEST(multi__a_longer_message_is_cut)
{
	struct us_pair p = us_pair_of(SOCK_SEQPACKET);
	struct us_mem mem = us_mem(p.rx, 1000);
	struct uet_recv_post post = want_multi(7, 1, &mem);
	struct uet_completion rec;
	uint8_t *buf = us_message(2, 900);

	post.flags |= UET_RECV_TRUNC;
	ASSERT_SYS(us_recv_post(p.rx, &post));
	us_tag(p.tx, TAG, 1, 600);
	expect_part(p.rx, 7, &mem, 1, 0, 600, false);
	EXPECT_EQ(us_send_tag(p.tx, TAG, 2, NULL, buf, 900), 900);
	rec = us_completion(p.rx);
	us_expect_done(&rec, 7, 1, 400);
	EXPECT_EQ(rec.offset, 600);
	EXPECT_EQ(rec.msg_length, 900);
	EXPECT_EQ(rec.flags, UET_COMPLETION_RECV | UET_COMPLETION_TRUNC |
			     UET_COMPLETION_LAST);
	EXPECT(us_matches(mem.buf + 600, 2, 0, 400));
	free(buf);
}

/* Whether it comes before the receive or after: the memory is free then. */
TEST(multi__a_longer_message_ends_it)
{
	struct us_pair p = us_receiving_pair_of(SOCK_SEQPACKET);
	struct us_mem mem = us_mem(p.rx, 1000);
	struct uet_recv_post post = want_multi(7, 1, &mem);
	struct uet_completion rec;
	uint8_t *buf = us_message(2, 1001);

	ASSERT_SYS(us_recv_post(p.rx, &post));
	us_tag(p.tx, TAG, 1, 600);
	expect_part(p.rx, 7, &mem, 1, 0, 600, false);
	EXPECT_EQ(us_send_tag(p.tx, TAG, 2, NULL, buf, 1001), 1001);
	expect_end(p.rx, 7, EMSGSIZE, 600);
	rec = us_completion(p.tx);
	EXPECT_EQ(rec.rc, US_RC_TOO_LONG);
	us_tag(p.tx, TAG, 2, 1001);
	ASSERT_SYS(us_recv_post(p.rx, &post));
	expect_end(p.rx, 7, EMSGSIZE, 0);
	us_expect(p.rx, 2, 1001);
	us_expect_none(p.rx);
	free(buf);
}

TEST(multi__is_cancelled)
{
	struct us_pair p = us_pair_of(SOCK_SEQPACKET);
	struct us_mem mem = us_mem(p.rx, 1000);
	struct uet_recv_post post = want_multi(7, 1, &mem);

	ASSERT_SYS(us_recv_post(p.rx, &post));
	us_tag(p.tx, TAG, 1, 600);
	expect_part(p.rx, 7, &mem, 1, 0, 600, false);
	ASSERT_SYS(us_recv_cancel(p.rx, 7));
	expect_end(p.rx, 7, ECANCELED, 600);
	ASSERT_SYS(us_recv_post(p.rx, &post));
	ASSERT_SYS(shutdown(p.rx, SHUT_RD));
	expect_end(p.rx, 7, ECANCELED, 0);
	EXPECT_FAILS(us_recv_post(p.rx, &post), ESHUTDOWN);
	us_expect_none(p.rx);
}

TEST(multi__values_of_tagged_atomics_lie_one_behind_the_other)
{
	struct us_pair p = us_pair_of(SOCK_SEQPACKET);
	struct us_mem mem = us_mem(p.rx, 32);
	struct uet_recv_post post = want_multi(7, 8, &mem);
	struct uet_atomic sum = { .op = UET_AMO_SUM, .datatype = UET_DT_UINT64 };
	uint64_t tag = TAG, values[2] = { 5, 6 };
	struct uet_completion rec;
	int i;

	memset(mem.buf, 0, mem.len);
	ASSERT_SYS(us_recv_post(p.rx, &post));
	for (i = 0; i < 2; i++) {
		struct uet_op op = us_op(UET_OP_TSEND_ATOMIC, i);
		struct us_control c = { .len = 0 };

		us_add_cmsg(&c, UET_CMSG_OP, &op, sizeof(op));
		us_add_cmsg(&c, UET_CMSG_TAG, &tag, sizeof(tag));
		us_add_cmsg(&c, UET_CMSG_ATOMIC, &sum, sizeof(sum));
		EXPECT_EQ(us_send_control(p.tx, &c, values, 16), 16);
		rec = us_completion(p.rx);
		us_expect_done(&rec, 7, 1, 16);
		EXPECT_EQ(rec.offset, 16 * i);
		EXPECT_EQ(!(rec.flags & UET_COMPLETION_LAST), !i);
		EXPECT(!memcmp(mem.buf + 16 * i, values, 16));
	}
}

/* At the limit the receive ends early: the message does not wait for a completion. */
TEST(multi__ends_when_no_completion_can_be_made)
{
	struct us_pair p = us_pair_of(SOCK_SEQPACKET);
	struct us_mem mem = us_mem(p.rx, 1000);
	struct uet_recv_post post = want_multi(7, 1, &mem);
	struct uet_recv_post none = {
		.cookie = 5, .match = ~0ull,
		.flags = UET_RECV_TAGGED | UET_RECV_ANY_SOURCE,
	};
	int i;

	ASSERT_SYS(us_recv_post(p.rx, &post));
	for (i = 1; i < UET_CQ_LIMIT; i++)
		ASSERT_SYS(us_recv_post(p.rx, &none));
	us_tag(p.tx, TAG, 1, 600);
	expect_part(p.rx, 7, &mem, 1, 0, 600, true);
	ASSERT_SYS(us_recv_cancel(p.rx, 5));
	us_expect_no_recv(p.rx, 5, ECANCELED);
	ASSERT_SYS(us_recv_post(p.rx, &post));
	us_tag(p.tx, TAG, 2, 600);
	expect_part(p.rx, 7, &mem, 2, 0, 600, false);
}

/* Unordered and long, so that several fill the memory at a time. */
TEST(multi__takes_many_messages)
{
	enum { LEN = 20000, COUNT = 100, ROUNDS = 5 };
	struct us_pair p = us_pair();
	struct us_mem mem = us_mem(p.rx, COUNT * LEN);
	struct uet_recv_post post = want_multi(7, 1, &mem);
	struct uet_completion rec;
	uint32_t round, i, seed;

	for (round = 0; round < ROUNDS; round++) {
		ASSERT_SYS(us_recv_post(p.rx, &post));
		for (i = 0; i < COUNT; i++) {
			uint8_t *buf = us_message(i, LEN);
			uint64_t hdata = i;

			EXPECT_EQ(us_send_tag(p.tx, TAG, i, &hdata, buf, LEN),
				  LEN);
			free(buf);
		}
		for (i = 0; i < COUNT; i++) {
			rec = us_completion(p.rx);
			us_expect_done(&rec, 7, 1, LEN);
			seed = rec.header_data;
			EXPECT(us_matches(mem.buf + rec.offset, seed, 0, LEN));
			EXPECT_EQ(!(rec.flags & UET_COMPLETION_LAST),
				  i < COUNT - 1);
		}
		us_expect_none(p.rx);
	}
}

TEST(multi__close_frees_what_is_left)
{
	struct us_pair p = us_pair_of(SOCK_SEQPACKET);
	struct us_mem mem = us_mem(p.rx, 1000);
	struct uet_recv_post post = want_multi(7, 1, &mem);

	ASSERT_SYS(us_recv_post(p.rx, &post));
	us_tag(p.tx, TAG, 1, 600);
	ASSERT_SYS(close(p.rx));
}

HARNESS_MAIN()
