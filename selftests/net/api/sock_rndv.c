// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of rendezvous sends: what is pushed and what is read of a message arrives
 * where it belongs, whole, once and in its order; what can be sent so; and that each
 * ends once, and says why, when the memory at either end, or an end, goes away.
 * Started by sock_flow.sh, see uetsock.h for what it needs.  Level: test.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/wait.h>

#include "uetpost.h"

#define PAGE	4096
#define MTU	4096
#define MIB	(1024 * 1024)
#define RC_NO_MATCH	5

/* Memory that peers may read, with the message made from @seed. */
static struct us_mem source(int fd, uint32_t seed, size_t len)
{
	struct us_mem mem = { us_map(len ? len : 1), len, 0 };
	size_t i;

	for (i = 0; i < len; i++)
		mem.buf[i] = us_byte(seed, i);
	mem.key = us_reg(fd, mem.buf, len ? len : 1, UET_MR_READ);
	return mem;
}

/* Makes the operation a rendezvous whose first @eager bytes are pushed. */
static ssize_t meet_as(int fd, const struct uet_op *op, const uint64_t *tag,
		       const struct uet_local *local, const void *buf,
		       size_t eager)
{
	struct us_control c = { .len = 0 };

	us_add_cmsg(&c, UET_CMSG_OP, op, sizeof(*op));
	if (tag)
		us_add_cmsg(&c, UET_CMSG_TAG, tag, sizeof(*tag));
	if (local)
		us_add_cmsg(&c, UET_CMSG_LOCAL, local, sizeof(*local));
	return us_send_control(fd, &c, buf, eager);
}

/* Send @len bytes of @mem from @from on, tagged. */
static ssize_t meet_part(int fd, const struct us_mem *mem, uint64_t from,
			 uint64_t tag, uint64_t cookie, size_t eager, size_t len)
{
	const struct uet_local local = { mem->key, from, len };
	struct uet_op op = us_op(UET_OP_RENDEZVOUS_TSEND, cookie);

	return meet_as(fd, &op, &tag, &local, mem->buf + from, eager);
}

static ssize_t meet(int fd, const struct us_mem *mem, uint64_t tag,
		    uint64_t cookie, size_t eager)
{
	return meet_part(fd, mem, 0, tag, cookie, eager, mem->len);
}

static ssize_t meet_plain(int fd, const struct us_mem *mem, uint64_t cookie,
			  size_t eager)
{
	const struct uet_local local = { mem->key, 0, mem->len };
	struct uet_op op = us_op(UET_OP_RENDEZVOUS_SEND, cookie);

	return meet_as(fd, &op, NULL, &local, mem->buf, eager);
}

static void expect_sent(int fd, uint64_t cookie, size_t len)
{
	struct uet_completion rec = us_completion(fd);

	us_expect_done(&rec, cookie, 1, len);
	EXPECT(rec.opcode == UET_OP_RENDEZVOUS_SEND ||
	       rec.opcode == UET_OP_RENDEZVOUS_TSEND);
}

static void expect_failed(int fd, uint64_t cookie, uint32_t error, uint8_t rc)
{
	struct uet_completion rec = us_completion(fd);

	EXPECT_EQ(rec.cookie, cookie);
	EXPECT_EQ(rec.error, error);
	EXPECT_EQ(rec.rc, rc);
	EXPECT_EQ(rec.length, 0);
}

static const int types[] = { SOCK_RDM, SOCK_SEQPACKET };

/* --------------------------------------------------------------------- receives */

/* Each length with nothing, some packets and all of it pushed. */
TEST(meet__a_receive_that_waits_takes_it)
{
	static const size_t lens[] = { 0, 1, MTU, MTU + 1, 100000, 1000001 };
	static const size_t eagers[] = { 0, 1, MTU, 2 * MTU + 1, 1000001 };
	struct uet_completion rec;
	struct us_mem mem, src;
	struct us_pair p;
	size_t t, i, j;

	for (t = 0; t < 2; t++) {
		p = us_pair_of(types[t]);
		mem = us_mem(p.rx, 1000001);
		for (i = 0; i < 6; i++) {
			src = source(p.tx, i, lens[i]);
			for (j = 0; j < 5 && eagers[j] <= lens[i]; j++) {
				struct uet_recv_post post =
					us_want(5, 0x77, &mem);

				memset(mem.buf, 0xa5, mem.len);
				ASSERT_SYS(us_recv_post(p.rx, &post));
				EXPECT_EQ(meet(p.tx, &src, 0x77, i, eagers[j]),
					  eagers[j]);
				rec = us_expect_recv(p.rx, 5, mem.buf, i,
						     lens[i]);
				EXPECT_EQ(rec.opcode, UET_OP_RENDEZVOUS_TSEND);
				EXPECT_EQ(rec.match, 0x77);
				EXPECT_EQ(rec.msg_length, lens[i]);
				EXPECT(us_is_filled(mem.buf + lens[i], 0xa5,
						    mem.len - lens[i]));
				expect_sent(p.tx, i, lens[i]);
			}
			ASSERT_SYS(us_dereg(p.tx, src.key));
		}
		us_expect_none(p.tx);
		us_expect_none(p.rx);
	}
}

/* Nothing of it is to be read until the receive is there, in either mode. */
TEST(meet__waits_for_its_receive)
{
	static const size_t lens[] = { 1, MTU + 1, 1000000 };
	struct us_mem mem, src;
	struct us_pair p;
	size_t t, i;

	for (t = 0; t < 2; t++) {
		p = us_receiving_pair_of(types[t]);
		mem = us_mem(p.rx, 1000000);
		for (i = 0; i < 6; i++) {
			size_t len = lens[i / 2], eager = i % 2 ? len / 2 : 0;
			struct uet_recv_post post = us_want(5, 0x77, &mem);

			src = source(p.tx, i, len);
			EXPECT_EQ(meet(p.tx, &src, 0x77, i, eager), eager);
			if (types[t] == SOCK_SEQPACKET)
				us_settle(p.tx);
			EXPECT_FAILS(recv(p.rx, mem.buf, 1, MSG_DONTWAIT),
				     EAGAIN);
			EXPECT_EQ(us_queued(p.rx, SIOCINQ), 0);
			us_expect_none(p.tx);
			ASSERT_SYS(us_recv_post(p.rx, &post));
			us_expect_recv(p.rx, 5, mem.buf, i, len);
			expect_sent(p.tx, i, len);
		}
	}
}

/* It is matched in its order, whatever was sent before and behind it. */
TEST(meet__keeps_its_place_among_the_unexpected)
{
	enum { COUNT = 60, LEN = 9000 };
	struct us_pair p = us_receiving_pair_of(SOCK_SEQPACKET);
	struct us_mem mem[COUNT], src;
	struct uet_completion rec;
	uint32_t i, done;

	for (i = 0; i < COUNT; i++) {
		mem[i] = us_mem(p.rx, LEN);
		src = source(p.tx, i, LEN);
		if (i % 3 == 1) {
			us_tag(p.tx, 0x77, i, LEN);
		} else {
			EXPECT_EQ(meet(p.tx, &src, 0x77, i, i % 2 * 100),
				  i % 2 * 100);
			us_settle(p.tx);
		}
	}
	for (i = 0; i < COUNT; i++) {
		struct uet_recv_post post = us_want(i, 0x77, &mem[i]);

		ASSERT_SYS(us_recv_post(p.rx, &post));
	}
	for (done = 0; done < COUNT; done++) {
		rec = us_completion(p.rx);
		EXPECT_EQ(rec.error, 0);
		i = rec.cookie;
		ASSERT(i < COUNT);
		EXPECT(us_matches(mem[i].buf, i, 0, LEN));
	}
	EXPECT_EQ(shutdown(p.tx, SHUT_WR), 0);
}

/* A part of a region, untagged, with data that completes it. */
TEST(meet__untagged_messages_with_data_arrive)
{
	struct us_pair p = us_receiving_pair_of(SOCK_RDM);
	struct us_mem mem = us_mem(p.rx, PAGE), src = source(p.tx, 9, 3 * PAGE);
	struct uet_recv_post post = us_want_plain(5, &mem);
	struct uet_op op = us_op(UET_OP_RENDEZVOUS_SEND, 9);
	const struct uet_local local = { src.key, PAGE - 7, 1000 };
	struct us_control c = { .len = 0 };
	uint64_t hdata = 0x123456789a;
	struct uet_completion rec;

	us_add_cmsg(&c, UET_CMSG_OP, &op, sizeof(op));
	us_add_cmsg(&c, UET_CMSG_LOCAL, &local, sizeof(local));
	us_add_cmsg(&c, UET_CMSG_HDATA, &hdata, sizeof(hdata));
	EXPECT_EQ(us_send_control(p.tx, &c, src.buf + PAGE - 7, 10), 10);
	ASSERT_SYS(us_recv_post(p.rx, &post));
	rec = us_completion(p.rx);
	us_expect_done(&rec, 5, 1, 1000);
	EXPECT_EQ(rec.flags, UET_COMPLETION_RECV | UET_COMPLETION_HDATA);
	EXPECT_EQ(rec.header_data, hdata);
	EXPECT_EQ(rec.opcode, UET_OP_RENDEZVOUS_SEND);
	EXPECT(us_matches(mem.buf, 9, PAGE - 7, 1000));
	expect_sent(p.tx, 9, 1000);
}

/*
 * A message that is cut is read only up to the size of the receive, and the sender is
 * told the size.
 */
TEST(meet__a_shorter_receive_cuts_it)
{
	static const size_t eagers[] = { 0, 100, 5000, 20000 };
	struct us_pair p = us_pair();
	struct us_mem mem = us_mem(p.rx, PAGE), src = source(p.tx, 9, 100000);
	struct uet_recv_post post = us_want(5, 0x77, &mem);
	struct uet_completion rec;
	size_t i;

	post.flags |= UET_RECV_TRUNC;
	for (i = 0; i < 8; i++) {
		if (i % 2)
			EXPECT_EQ(meet(p.tx, &src, 0x77, 1, eagers[i / 2]),
				  eagers[i / 2]);
		ASSERT_SYS(us_recv_post(p.rx, &post));
		if (!(i % 2))
			EXPECT_EQ(meet(p.tx, &src, 0x77, 1, eagers[i / 2]),
				  eagers[i / 2]);
		rec = us_expect_recv(p.rx, 5, mem.buf, 9, PAGE);
		EXPECT_EQ(rec.flags & UET_COMPLETION_TRUNC,
			  UET_COMPLETION_TRUNC);
		EXPECT_EQ(rec.msg_length, 100000);
		expect_sent(p.tx, 1, PAGE);
	}
}

/* A waiting message is left for a longer receive; an arriving message is refused. */
TEST(meet__a_receive_too_short_leaves_it)
{
	struct us_pair p = us_receiving_pair_of(SOCK_SEQPACKET);
	struct us_mem mem = us_mem(p.rx, 2 * MTU), src = source(p.tx, 9, 2 * MTU);
	struct uet_recv_post small = us_want(1, 0x77, &mem);
	struct uet_recv_post big = us_want(2, 0x77, &mem);
	struct uet_completion rec;

	small.length = 2 * MTU - 1;
	EXPECT_EQ(meet(p.tx, &src, 0x77, 9, 5), 5);
	us_settle(p.tx);
	ASSERT_SYS(us_recv_post(p.rx, &small));
	us_expect_no_recv(p.rx, 1, EMSGSIZE);
	us_expect_none(p.tx);
	ASSERT_SYS(us_recv_post(p.rx, &big));
	rec = us_expect_recv(p.rx, 2, mem.buf, 9, 2 * MTU);
	EXPECT_EQ(rec.error, 0);
	expect_sent(p.tx, 9, 2 * MTU);

	ASSERT_SYS(us_recv_post(p.rx, &small));
	EXPECT_EQ(meet(p.tx, &src, 0x77, 9, MTU + 5), MTU + 5);
	us_expect_no_recv(p.rx, 1, EMSGSIZE);
	expect_failed(p.tx, 9, EMSGSIZE, US_RC_TOO_LONG);
}

/* A message begun for recvmsg() goes to a receive that is posted in the meantime. */
TEST(meet__comes_while_the_first_receive_is_posted)
{
	struct uet_recv_post first = {
		.cookie = 1, .flags = UET_RECV_ANY_SOURCE,
	};
	struct uet_recv_post post;
	struct us_mem mem, src;
	struct us_pair p;
	const size_t len = 200000;
	int tries = 20;

	do {
		p = us_pair_of(SOCK_RDM);
		mem = us_mem(p.rx, len);
		src = source(p.tx, 9, len);
		EXPECT_EQ(meet(p.tx, &src, 0x77, 9, 100), 100);
		/* Too late at first; then when it has begun and is not yet there. */
		usleep(250 * tries);
		ASSERT_SYS(us_recv_post(p.rx, &first));
	} while (us_queued(p.rx, SIOCINQ) && --tries);
	EXPECT(tries);
	expect_sent(p.tx, 9, len);
	EXPECT_EQ(us_queued(p.rx, SIOCINQ), len);
	post = us_want(5, 0x77, &mem);
	ASSERT_SYS(us_recv_post(p.rx, &post));
	us_expect_recv(p.rx, 5, mem.buf, 9, len);
}

/* More than may wait from one to another, both ways: none waits for itself. */
TEST(meet__many_messages_pass_both_ways)
{
	enum { LEN = 20000 };
	const uint32_t count = 100;
	struct us_pair p;
	struct sockaddr_uet to;
	struct us_mem src[2], dst[2];
	struct uet_completion rec;
	uint32_t i, n, end;
	int fd[2];

	p = us_receiving_pair_of(SOCK_RDM);
	to = us_name(p.tx);
	fd[0] = p.tx;
	fd[1] = p.rx;
	ASSERT_SYS(us_connect(p.rx, &to));
	for (end = 0; end < 2; end++) {
		src[end] = source(fd[end], end, count * LEN);
		dst[end] = us_mem(fd[end], count * LEN);
		for (i = 0; i < count; i++)
			EXPECT_EQ(meet_part(fd[end], &src[end], i * LEN, i, i,
					    i % 2 * 5000, LEN), i % 2 * 5000);
	}
	for (end = 0; end < 2; end++) {
		for (i = count; i--; ) {
			struct uet_recv_post post = us_want(count + i, i,
							    &dst[end]);

			post.offset = (uint64_t)i * LEN;
			post.length = LEN;
			ASSERT_SYS(us_recv_post(fd[end], &post));
		}
	}
	for (end = 0; end < 2; end++) {
		for (n = 0; n < 2 * count; n += rec.count) {
			rec = us_completion(fd[end]);
			EXPECT_EQ(rec.error, 0);
		}
		EXPECT(us_matches(dst[end].buf, !end, 0, count * LEN));
	}
}

/* -------------------------------------------------------------------- recvmsg() */

TEST(read__plain_reader_gets_it_whole)
{
	static const size_t lens[] = { 0, 1, MTU, MTU + 1, 100000, 1000001 };
	static const size_t eagers[] = { 0, 1, MTU, 2 * MTU + 1, 1000001 };
	struct us_mem src;
	struct us_pair p;
	size_t t, i, j;

	for (t = 0; t < 2; t++) {
		p = us_pair_of(types[t]);
		for (i = 0; i < 6; i++) {
			src = source(p.tx, i, lens[i]);
			for (j = 0; j < 5 && eagers[j] <= lens[i]; j++) {
				EXPECT_EQ(meet_plain(p.tx, &src, i, eagers[j]),
					  eagers[j]);
				us_expect(p.rx, i, lens[i]);
				expect_sent(p.tx, i, lens[i]);
			}
			ASSERT_SYS(us_dereg(p.tx, src.key));
		}
	}
}

/* In order, what is sent behind it is read behind it. */
TEST(read__keeps_the_order_among_others)
{
	enum { COUNT = 30, LEN = 20000 };
	struct us_pair p = us_pair_of(SOCK_SEQPACKET);
	struct us_mem src;
	uint32_t i;

	for (i = 0; i < COUNT; i++) {
		src = source(p.tx, i, LEN);
		if (i % 3)
			EXPECT_EQ(us_send(p.tx, i, LEN, 0), LEN);
		else
			EXPECT_EQ(meet_plain(p.tx, &src, i, i % 2 * 5000),
				  i % 2 * 5000);
	}
	for (i = 0; i < COUNT; i++)
		us_expect(p.rx, i, LEN);
	EXPECT_EQ(shutdown(p.tx, SHUT_WR), 0);
}

/* It takes the space it needs, and none that it does not get. */
TEST(read__no_more_than_there_is_room_for)
{
	enum { COUNT = 20, LEN = 50000 };
	struct us_pair p = us_pair();
	struct us_mem src[COUNT];
	struct uet_completion rec;
	uint32_t i, seen = 0, done;
	uint8_t *buf = us_alloc(LEN + COUNT);

	us_set_buf(p.rx, SO_RCVBUF, 4 * LEN);
	for (i = 0; i < COUNT; i++) {
		src[i] = source(p.tx, i, LEN + i);
		EXPECT_EQ(meet_plain(p.tx, &src[i], i, 100), 100);
	}
	for (i = 0; i < COUNT; i++) {
		ssize_t len = recv(p.rx, buf, LEN + COUNT, 0);

		ASSERT(len >= LEN && len < LEN + COUNT);
		EXPECT(us_matches(buf, len - LEN, 0, len));
		seen += len - LEN;
	}
	EXPECT_EQ(seen, COUNT * (COUNT - 1) / 2);
	for (done = 0; done < COUNT; done += rec.count) {
		rec = us_completion(p.tx);
		EXPECT_EQ(rec.error, 0);
	}
	free(buf);
}

TEST(read__longer_than_the_buffer_is_refused)
{
	static const size_t eagers[] = { 0, 10000 };
	struct us_pair p = us_pair();
	struct us_mem src = source(p.tx, 1, 60000);
	size_t i;

	us_set_buf(p.rx, SO_RCVBUF, 50000);
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(meet_plain(p.tx, &src, 1, eagers[i]), eagers[i]);
		expect_failed(p.tx, 1, EMSGSIZE, US_RC_TOO_LONG);
	}
	EXPECT_EQ(us_send(p.tx, 2, 100, 0), 100);
	us_expect(p.rx, 2, 100);
}

/* The first receive that is posted may take one that is being read. */
TEST(read__goes_on_into_a_posted_receive)
{
	struct us_pair p = us_pair();
	struct us_mem mem = us_mem(p.rx, 500000), src = source(p.tx, 1, 500000);
	struct uet_recv_post post = us_want(5, 7, &mem);

	EXPECT_EQ(meet(p.tx, &src, 7, 1, 0), 0);
	ASSERT_SYS(us_recv_post(p.rx, &post));
	us_expect_recv(p.rx, 5, mem.buf, 1, 500000);
	expect_sent(p.tx, 1, 500000);
}

/* ------------------------------------------------------------- what can be sent */

TEST(send__invalid_requests_are_refused)
{
	struct us_pair d = us_pair_of(SOCK_DGRAM), p = us_pair();
	struct uet_op op = us_op(UET_OP_RENDEZVOUS_SEND, 1);
	struct us_mem src = source(p.tx, 1, PAGE), hidden = us_mem(p.tx, PAGE);
	struct us_mem theirs = source(p.rx, 1, PAGE);
	struct uet_local local = { src.key, 0, PAGE };
	struct sockaddr_uet to = us_name(p.rx);
	uint64_t tag = 1;

	EXPECT_FAILS(meet_as(p.tx, &op, NULL, NULL, "x", 1), EINVAL);
	EXPECT(us_explains(p.tx, "(RENDEZVOUS_SEND) without UET_CMSG_LOCAL"));
	EXPECT_FAILS(meet_as(p.tx, &op, &tag, &local, "x", 1), EINVAL);
	EXPECT_FAILS(meet_as(d.tx, &op, NULL, &local, "x", 1), EOPNOTSUPP);
	op.flags |= UET_OP_RUDI;
	EXPECT_FAILS(meet_as(p.tx, &op, NULL, &local, "x", 1), EINVAL);
	op.flags &= ~UET_OP_RUDI;
	op.opcode = UET_OP_RENDEZVOUS_TSEND;
	EXPECT_FAILS(meet_as(p.tx, &op, NULL, &local, "x", 1), EINVAL);
	EXPECT(us_explains(p.tx, "without UET_CMSG_TAG"));
	local.length = 10;
	EXPECT_FAILS(meet_as(p.tx, &op, &tag, &local, src.buf, 11), EINVAL);
	EXPECT(us_explains(p.tx, "11 bytes is longer than the message, 10"));
	local.length = 1ull << 32;
	EXPECT_FAILS(meet_as(p.tx, &op, &tag, &local, "x", 1), EINVAL);
	local = (struct uet_local){ src.key, 1, PAGE };
	EXPECT_FAILS(meet_as(p.tx, &op, &tag, &local, "x", 1), EFAULT);
	local = (struct uet_local){ src.key, ~0ull, 1 };
	EXPECT_FAILS(meet_as(p.tx, &op, &tag, &local, "x", 1), EFAULT);
	local = (struct uet_local){ theirs.key, 0, PAGE };
	EXPECT_FAILS(meet_as(p.tx, &op, &tag, &local, "x", 1), EFAULT);
	local = (struct uet_local){ hidden.key, 0, PAGE };
	EXPECT_FAILS(meet_as(p.tx, &op, &tag, &local, "x", 1), EACCES);
	EXPECT(us_explains(p.tx, "without UET_MR_READ"));
	to.suet_flags |= UET_ADDR_ABSOLUTE;
	ASSERT_SYS(us_connect(p.tx, &to));
	EXPECT_FAILS(meet(p.tx, &src, 1, 1, 1), EINVAL);
	EXPECT(us_explains(p.tx, "both relative or absolute"));
	us_expect_none(p.tx);
}

/* ------------------------------------------------------------------ memory is gone */

/* Deregistered while it waits: both are told, with the same return code. */
TEST(gone__the_memory_of_the_sender_fails_both_ends)
{
	struct uet_completion rec;
	struct us_mem mem, src;
	struct us_pair p;
	size_t t;

	for (t = 0; t < 2; t++) {
		p = us_receiving_pair_of(types[t]);
		mem = us_mem(p.rx, PAGE);
		src = source(p.tx, 1, PAGE);
		struct uet_recv_post post = us_want(5, 0x77, &mem);

		EXPECT_EQ(meet(p.tx, &src, 0x77, 3, 100), 100);
		ASSERT_SYS(us_dereg(p.tx, src.key));
		ASSERT_SYS(us_recv_post(p.rx, &post));
		rec = us_completion(p.rx);
		EXPECT_EQ(rec.cookie, 5);
		EXPECT_EQ(rec.error, EFAULT);
		EXPECT_EQ(rec.rc, US_RC_BAD_MKEY);
		EXPECT_EQ(rec.length, 0);
		EXPECT_EQ(rec.msg_length, PAGE);
		expect_failed(p.tx, 3, EFAULT, US_RC_BAD_MKEY);
	}
}

/* A reader never learns of a message that could not be read; its space is free. */
TEST(gone__the_memory_of_the_sender_hides_the_message)
{
	struct us_pair p = us_pair();
	struct us_mem src = source(p.tx, 1, 3 * MIB);
	uint32_t i;

	for (i = 0; i < 4; i++) {
		struct us_mem gone = source(p.tx, 1, 3 * MIB);
		struct uet_completion rec;

		EXPECT_EQ(meet_plain(p.tx, &gone, 3, 0), 0);
		ASSERT_SYS(us_dereg(p.tx, gone.key));
		rec = us_completion(p.tx);
		EXPECT(rec.error == 0 || rec.error == EFAULT);
		if (!rec.error)
			us_expect(p.rx, 1, 3 * MIB);
	}
	EXPECT_FAILS(recv(p.rx, src.buf, 1, MSG_DONTWAIT), EAGAIN);
	EXPECT_EQ(meet_plain(p.tx, &src, 4, 10), 10);
	us_expect(p.rx, 1, 3 * MIB);
	expect_sent(p.tx, 4, 3 * MIB);
}

TEST(gone__the_memory_of_the_receive_fails_the_message)
{
	static const size_t eagers[] = { 0, 10, MTU + 10 };
	struct us_pair p = us_pair();
	struct us_mem mem, src = source(p.tx, 1, 3 * MTU);
	size_t i;

	for (i = 0; i < 3; i++) {
		mem = us_mem(p.rx, 3 * MTU);
		struct uet_recv_post post = us_want(5, 0x77, &mem);

		ASSERT_SYS(us_recv_post(p.rx, &post));
		ASSERT_SYS(us_dereg(p.rx, mem.key));
		EXPECT_EQ(meet(p.tx, &src, 0x77, 3, eagers[i]), eagers[i]);
		us_expect_no_recv(p.rx, 5, EFAULT);
		expect_failed(p.tx, 3, ECANCELED, US_RC_CANCELLED);
	}
}

/* ------------------------------------------------------------------- giving it up */

TEST(end__the_receiver_closes)
{
	struct us_mem src;
	struct us_pair p;
	size_t i;

	for (i = 0; i < 4; i++) {
		p = us_receiving_pair_of(types[i / 2]);
		src = source(p.tx, 1, 100000);
		EXPECT_EQ(meet(p.tx, &src, 1, 2, i % 2 * 9000), i % 2 * 9000);
		if (i / 2)
			us_settle(p.tx);
		ASSERT_SYS(close(p.rx));
		struct uet_completion rec = us_completion(p.tx);

		EXPECT_EQ(rec.cookie, 2);
		EXPECT(rec.error == ECONNREFUSED ||
		       (rec.error == ECANCELED && !(i / 2)));
		EXPECT_EQ(rec.length, 0);
		EXPECT_EQ(shutdown(p.tx, SHUT_WR), 0);
	}
}

/* Both read from one peer, over one PDC that belongs to neither. */
TEST(end__another_receiver_closes_at_once)
{
	enum { LEN = 8 << 20 };
	struct linger at_once = { .l_onoff = 1 };
	struct us_pair p = us_receiving_pair_of(SOCK_RDM);
	int other = us_endpoint(0, UET_PID_ANY, 0);
	struct us_mem src = source(p.tx, 1, LEN), small = us_mem(p.rx, PAGE);
	struct us_mem big = us_mem(other, LEN);
	struct uet_recv_post first = us_want(5, 0x77, &small);
	struct uet_recv_post second = us_want(6, 0x78, &big);
	struct sockaddr_uet to = us_name(other);

	ASSERT_SYS(us_recv_post(p.rx, &first));
	EXPECT_EQ(meet_part(p.tx, &src, 0, 0x77, 1, 0, PAGE), 0);
	us_expect_recv(p.rx, 5, small.buf, 1, PAGE);
	expect_sent(p.tx, 1, PAGE);
	ASSERT_SYS(us_connect(p.tx, &to));
	ASSERT_SYS(us_recv_post(other, &second));
	EXPECT_EQ(meet(p.tx, &src, 0x78, 2, 0), 0);
	/* The request and a part of the data, on a device with a delay of 1 ms. */
	usleep(6000);
	ASSERT_SYS(setsockopt(p.rx, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once)));
	ASSERT_SYS(close(p.rx));
	us_expect_recv(other, 6, big.buf, 1, LEN);
	expect_sent(p.tx, 2, LEN);
}

TEST(end__the_receiver_is_shut_down)
{
	struct us_pair p = us_receiving_pair_of(SOCK_SEQPACKET);
	struct us_mem src = source(p.tx, 1, 50000);
	struct uet_completion rec;

	EXPECT_EQ(meet(p.tx, &src, 1, 2, 10), 10);
	us_settle(p.tx);
	ASSERT_SYS(shutdown(p.rx, SHUT_RD));
	rec = us_completion(p.tx);
	EXPECT_EQ(rec.cookie, 2);
	EXPECT_EQ(rec.error, ECONNREFUSED);
	us_expect_no_recv(p.rx, ~0ull, ECANCELED);
}

/* The waiting message is discarded, and the receive takes a message of another sender. */
TEST(end__the_sender_closes)
{
	struct us_pair p = us_receiving_pair_of(SOCK_SEQPACKET);
	struct us_mem mem = us_mem(p.rx, PAGE), src = source(p.tx, 1, 1000);
	struct uet_recv_post post = us_want(5, 0x77, &mem);
	struct sockaddr_uet to = us_name(p.rx);
	int other = us_endpoint(0, UET_PID_ANY, 0);
	struct us_mem more = source(other, 2, 900);
	struct uet_completion rec;
	int tries = 0;

	EXPECT_EQ(meet(p.tx, &src, 0x77, 1, 10), 10);
	us_settle(p.tx);
	ASSERT_SYS(close(p.tx));
	ASSERT_SYS(us_connect(other, &to));
	/* It takes a while until its PDC has closed. */
	do {
		ASSERT_SYS(us_recv_post(p.rx, &post));
		EXPECT_EQ(meet(other, &more, 0x77, 2, 10), 10);
		rec = us_completion(p.rx);
		EXPECT(!rec.error || rec.error == ECONNREFUSED);
	} while (rec.error && !tries++);
	us_expect_done(&rec, 5, 1, 900);
	EXPECT(us_matches(mem.buf, 2, 0, 900));
	expect_sent(other, 2, 900);
}

TEST(end__shutdown_waits_for_unread_messages)
{
	struct us_pair p = us_receiving_pair_of(SOCK_RDM);
	struct us_mem mem = us_mem(p.rx, PAGE), src = source(p.tx, 1, 1000);
	struct uet_recv_post post = us_want(5, 0x77, &mem);

	EXPECT_EQ(meet(p.tx, &src, 0x77, 1, 0), 0);
	us_set_timeout(p.tx, SO_SNDTIMEO, 200);
	EXPECT_FAILS(shutdown(p.tx, SHUT_WR), EAGAIN);
	us_set_timeout(p.tx, SO_SNDTIMEO, 0);
	ASSERT_SYS(us_recv_post(p.rx, &post));
	EXPECT_EQ(shutdown(p.tx, SHUT_WR), 0);
	us_expect_recv(p.rx, 5, mem.buf, 1, 1000);
}

TEST(end__waiting_message_can_be_taken_back)
{
	struct us_pair p = us_receiving_pair_of(SOCK_SEQPACKET);
	struct uet_send_cancel ask = {
		.cookie = 1, .flags = UET_CANCEL_COOKIE,
	};
	struct us_mem src = source(p.tx, 1, 1000);
	struct uet_completion rec;

	EXPECT_EQ(meet(p.tx, &src, 0x77, 1, 5), 5);
	us_settle(p.tx);
	EXPECT_EQ(uet_ioctl(p.tx, UET_IOC_SEND_CANCEL, &ask), 1);
	rec = us_completion(p.tx);
	EXPECT_EQ(rec.cookie, 1);
	EXPECT_EQ(rec.error, ECANCELED);
	EXPECT_FAILS(uet_ioctl(p.tx, UET_IOC_SEND_CANCEL, &ask), ENOENT);
	us_expect_none(p.tx);
}

/* A message without completion fails late. */
TEST(end__without_completion_fails_late)
{
	struct us_pair p = us_receiving_pair_of(SOCK_RDM);
	struct uet_op op = { .opcode = UET_OP_RENDEZVOUS_SEND };
	struct us_mem src = source(p.tx, 1, 1000);
	const struct uet_local local = { src.key, 0, 1000 };

	EXPECT_EQ(meet_as(p.tx, &op, NULL, &local, src.buf, 5), 5);
	ASSERT_SYS(close(p.rx));
	EXPECT_EQ(shutdown(p.tx, SHUT_WR), -1);
	EXPECT(errno == ECONNREFUSED || errno == ECANCELED);
}

/* More than may wait hold up their sender, and none fails. */
TEST(end__more_than_may_wait)
{
	enum { MOST = 100, COUNT = MOST + 2 };
	struct us_pair p = us_receiving_pair_of(SOCK_SEQPACKET);
	struct us_mem mem = us_mem(p.rx, PAGE), src = source(p.tx, 1, 100);
	uint32_t i, most = MOST;

	ASSERT_SYS(setsockopt(p.rx, SOL_UET, UET_ENVELOPES, &most, sizeof(most)));
	for (i = 0; i < COUNT; i++)
		EXPECT_EQ(meet(p.tx, &src, i, i, 10), 10);
	us_expect_none(p.tx);
	for (i = 0; i < COUNT; i++) {
		struct uet_recv_post post =
			us_want(i, i < MOST ? MOST - 1 - i : i, &mem);

		ASSERT_SYS(us_recv_post(p.rx, &post));
		us_expect_recv(p.rx, i, mem.buf, 1, 100);
		expect_sent(p.tx, post.match, 100);
	}
}

/* Killed at any time, neither end leaves anything. */
TEST(end__either_end_is_killed)
{
	struct us_mem mem, src;
	int status, round, i;
	struct us_pair p;
	pid_t pid;

	for (round = 0; round < 6; round++) {
		pid = fork();
		ASSERT_SYS(pid);
		if (!pid) {
			p = round % 3 ? us_receiving_pair_of(types[round % 2]) :
					us_pair_of(types[round % 2]);
			mem = us_mem(p.rx, MIB);
			src = source(p.tx, 1, 200000);
			for (i = 0; i < 20; i++)
				meet(p.tx, &src, i, i, i % 2 * 50000);
			for (i = 0; i < 20 && round % 3; i += 2) {
				struct uet_recv_post post = us_want(i, i, &mem);

				us_recv_post(p.rx, &post);
			}
			raise(SIGKILL);
		}
		ASSERT_EQ(waitpid(pid, &status, 0), pid);
		EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	}
}

HARNESS_MAIN()
