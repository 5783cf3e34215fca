// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of tagged atomics: that each is applied once to the memory of the receive
 * that takes it, what the owner and the sender are told, and what is refused and
 * uses a receive up or not.  Started by sock_flow.sh, also on a device that loses
 * packets; see uetsock.h.  Level: test.
 */
#define _GNU_SOURCE
#include "uetpost.h"

#define PAGE	4096
#define MTU	4096

#define US_RC_NO_MATCH			0x05
#define US_RC_AMO_UNSUPPORTED_SIZE	0x11

/* A tagged atomic of a cookie, and what goes with it; @local NULL: not fetching. */
struct tagged_atomic {
	uint64_t tag, cookie;
	struct uet_atomic atomic;
	const struct uet_local *local;
	const uint64_t *hdata;
};

static ssize_t begin(int fd, const struct tagged_atomic *t, const void *buf,
		     size_t len)
{
	struct uet_op op = us_op(t->local ? UET_OP_TSEND_FETCH_ATOMIC :
					    UET_OP_TSEND_ATOMIC, t->cookie);
	struct us_control c = { .len = 0 };

	us_add_cmsg(&c, UET_CMSG_OP, &op, sizeof(op));
	us_add_cmsg(&c, UET_CMSG_TAG, &t->tag, sizeof(t->tag));
	us_add_cmsg(&c, UET_CMSG_ATOMIC, &t->atomic, sizeof(t->atomic));
	if (t->local)
		us_add_cmsg(&c, UET_CMSG_LOCAL, t->local, sizeof(*t->local));
	if (t->hdata)
		us_add_cmsg(&c, UET_CMSG_HDATA, t->hdata, sizeof(*t->hdata));
	return us_send_control(fd, &c, buf, len);
}

static const struct uet_atomic sum32 = { .op = UET_AMO_SUM,
					 .datatype = UET_DT_UINT32 };
static const struct uet_atomic sum64 = { .op = UET_AMO_SUM,
					 .datatype = UET_DT_UINT64 };

TEST(tagged_atomic__adds_up_in_the_memory_of_receives)
{
	static const int types[] = { SOCK_RDM, SOCK_SEQPACKET };
	const uint64_t hdata = 0x1122334455667788;
	struct tagged_atomic t = { .tag = 7, .atomic = sum32, .hdata = &hdata };
	uint32_t operands[] = { 1, 10, 100 }, *values;
	struct uet_completion rec;
	struct uet_recv_post post;
	struct us_mem mem;
	struct us_pair p;

	for (int i = 0; i < 2; i++) {
		p = us_pair_of(types[i]);
		mem = us_mem(p.rx, PAGE);
		values = (void *)(mem.buf + 16);
		for (uint32_t n = 1; n < 10; n++) {
			post = us_want(n, 7, &mem);
			post.offset = 16;
			post.length = 12;
			ASSERT_SYS(us_recv_post(p.rx, &post));
			t.cookie = 100 + n;
			EXPECT_EQ(begin(p.tx, &t, operands, 12), 12);
			rec = us_completion(p.tx);
			us_expect_done(&rec, 100 + n, 1, 12);
			EXPECT_EQ(rec.opcode, UET_OP_TSEND_ATOMIC);
			rec = us_completion(p.rx);
			us_expect_done(&rec, n, 1, 12);
			EXPECT_EQ(rec.opcode, UET_OP_TSEND_ATOMIC);
			EXPECT_EQ(rec.match, 7);
			EXPECT_EQ(rec.msg_length, 12);
			EXPECT_EQ(rec.flags, UET_COMPLETION_RECV |
					     UET_COMPLETION_HDATA);
			EXPECT_EQ(rec.header_data, hdata);
			EXPECT_EQ(rec.initiator, us_name(p.tx).suet_initiator);
			EXPECT_EQ(rec.delivery, i ? UET_DELIVERY_ROD :
						    UET_DELIVERY_RUD);
			for (int v = 0; v < 3; v++)
				EXPECT_EQ(values[v], n * operands[v]);
		}
		EXPECT(us_is_filled(mem.buf, 0, 16));
		EXPECT(us_is_filled(mem.buf + 28, 0, PAGE - 28));
	}
}

TEST(tagged_atomic__fetches_old_values)
{
	struct us_pair p = us_pair();
	struct us_mem mem = us_mem(p.rx, PAGE), old = us_mem(p.tx, PAGE);
	struct uet_local local = { .key = old.key, .offset = 24 };
	struct tagged_atomic t = { .tag = 7, .atomic = sum64, .local = &local };
	struct uet_recv_post post = us_want(1, 7, &mem);
	struct uet_completion rec;
	uint64_t five = 5;

	for (uint64_t n = 0; n < 5; n++) {
		if (n == 4)
			t.atomic = (struct uet_atomic){
				.op = UET_AMO_CSWAP, .datatype = UET_DT_UINT64,
				.compare = 20, .swap = 9 };
		ASSERT_SYS(us_recv_post(p.rx, &post));
		EXPECT_EQ(begin(p.tx, &t, &five, n == 4 ? 0 : 8),
			  n == 4 ? 0 : 8);
		EXPECT_EQ(us_completion(p.tx).error, 0);
		EXPECT_EQ(*(uint64_t *)(old.buf + 24), 5 * n);
		rec = us_completion(p.rx);
		us_expect_done(&rec, 1, 1, 8);
		EXPECT_EQ(rec.opcode, UET_OP_TSEND_FETCH_ATOMIC);
		EXPECT_EQ(rec.msg_length, 8);
	}
	EXPECT_EQ(*(uint64_t *)mem.buf, 9);
}

/* Order of receives, source and ignore bits as for messages. */
TEST(tagged_atomic__is_matched_as_messages_are)
{
	struct us_pair p = us_pair_of(SOCK_SEQPACKET);
	struct us_mem a = us_mem(p.rx, PAGE), b = us_mem(p.rx, PAGE);
	struct uet_recv_post post = us_want_plain(1, &a);
	struct tagged_atomic t = { .tag = 0x12, .cookie = 5, .atomic = sum32 };

	ASSERT_SYS(us_recv_post(p.rx, &post));
	post = us_want(2, 0x10, &b);
	post.ignore = 0xf;
	ASSERT_SYS(us_recv_post(p.rx, &post));
	EXPECT_EQ(begin(p.tx, &t, &(uint32_t){ 3 }, 4), 4);
	EXPECT_EQ(us_completion(p.tx).error, 0);
	us_tag(p.tx, 0x10, 6, 0);
	EXPECT_EQ(us_completion(p.rx).cookie, 2);
	EXPECT_EQ(*(uint32_t *)b.buf, 3);
	EXPECT_EQ(*(uint32_t *)a.buf, 0);
	/* The message behind it found none, and waits. */
	post = us_want(3, 0x10, &b);
	ASSERT_SYS(us_recv_post(p.rx, &post));
	EXPECT_EQ(us_completion(p.rx).cookie, 3);
}

static void expect_refused(int fd, uint32_t error, uint8_t rc)
{
	struct uet_completion rec = us_completion(fd);

	EXPECT_EQ(rec.error, error);
	EXPECT_EQ(rec.rc, rc);
	EXPECT_EQ(rec.length, 0);
}

TEST(tagged_atomic__without_a_receive_is_refused)
{
	struct us_pair p = us_pair();
	struct us_mem mem = us_mem(p.rx, PAGE);
	struct tagged_atomic t = { .tag = 7, .cookie = 5, .atomic = sum32 };
	struct uet_recv_post post = us_want(1, 8, &mem);

	EXPECT_EQ(begin(p.tx, &t, &(uint32_t){ 3 }, 4), 4);
	expect_refused(p.tx, ENOMSG, US_RC_NO_MATCH);
	ASSERT_SYS(us_recv_post(p.rx, &post));
	EXPECT_EQ(begin(p.tx, &t, &(uint32_t){ 3 }, 4), 4);
	expect_refused(p.tx, ENOMSG, US_RC_NO_MATCH);
	us_expect_none(p.rx);
	EXPECT_FAILS(recv(p.rx, mem.buf, 1, MSG_DONTWAIT), EAGAIN);
	EXPECT_EQ(us_queued(p.rx, SIOCINQ), 0);
}

/* Unless its order counts, and the endpoint lets it wait. */
TEST(tagged_atomic__waits_for_a_receive_with_generations)
{
	struct sockaddr_uet addr = us_addr(1, UET_PID_ANY, 0);
	int tx = us_endpoint_of(SOCK_SEQPACKET, 0, UET_PID_ANY, 0);
	struct tagged_atomic t = { .tag = 7, .cookie = 5, .atomic = sum32 };
	uint32_t policy = UET_GEN_POSTED;
	int rx = us_socket();
	struct uet_recv_post post;
	struct us_mem mem;

	ASSERT_SYS(setsockopt(rx, SOL_UET, UET_GENERATION, &policy, 4));
	ASSERT_SYS(us_bind(rx, &addr));
	addr = us_name(rx);
	ASSERT_SYS(us_connect(tx, &addr));
	mem = us_mem(rx, PAGE);
	EXPECT_EQ(begin(tx, &t, &(uint32_t){ 3 }, 4), 4);
	us_set_timeout(tx, SO_SNDTIMEO, 50);
	EXPECT_FAILS(shutdown(tx, SHUT_WR), EAGAIN);
	post = us_want(1, 7, &mem);
	ASSERT_SYS(us_recv_post(rx, &post));
	EXPECT_EQ(us_completion(rx).error, 0);
	EXPECT_EQ(*(uint32_t *)mem.buf, 3);
	EXPECT_EQ(us_completion(tx).error, 0);
}

TEST(tagged_atomic__that_does_not_fit_uses_the_receive_up)
{
	struct us_pair p = us_pair();
	struct us_mem mem = us_mem(p.rx, PAGE);
	struct tagged_atomic t = { .tag = 7, .cookie = 5, .atomic = sum32 };
	uint32_t operands[] = { 1, 2 };
	struct uet_recv_post post = us_want(1, 7, &mem);
	struct uet_completion rec;

	post.length = 7;
	post.flags |= UET_RECV_TRUNC;
	ASSERT_SYS(us_recv_post(p.rx, &post));
	EXPECT_EQ(begin(p.tx, &t, operands, 8), 8);
	expect_refused(p.tx, EMSGSIZE, US_RC_TOO_LONG);
	rec = us_expect_no_recv(p.rx, 1, EMSGSIZE);
	EXPECT_EQ(rec.msg_length, 8);
	post.length = 8;
	post.offset = 2;
	ASSERT_SYS(us_recv_post(p.rx, &post));
	EXPECT_EQ(begin(p.tx, &t, operands, 8), 8);
	expect_refused(p.tx, EINVAL, US_RC_AMO_UNALIGNED);
	us_expect_no_recv(p.rx, 1, EINVAL);
	post.offset = 0;
	ASSERT_SYS(us_recv_post(p.rx, &post));
	ASSERT_SYS(us_dereg(p.rx, mem.key));
	EXPECT_EQ(begin(p.tx, &t, operands, 8), 8);
	expect_refused(p.tx, ECANCELED, US_RC_CANCELLED);
	us_expect_no_recv(p.rx, 1, EFAULT);
	EXPECT(us_is_filled(mem.buf, 0, PAGE));
}

TEST(tagged_atomic__invalid_requests_are_not_sent)
{
	struct us_pair p = us_pair();
	struct us_mem mem = us_mem(p.tx, PAGE);
	struct uet_local local = { .key = mem.key, .offset = 4 };
	struct tagged_atomic t = { .tag = 7, .cookie = 5, .atomic = sum32 };
	struct uet_op op = us_op(UET_OP_TSEND_ATOMIC, 1);
	static uint8_t buf[MTU + 4];

	EXPECT_FAILS(us_send_op(p.tx, &op, NULL, "1234", 4, 0), EINVAL);
	EXPECT(us_explains(p.tx, "TSEND_ATOMIC) without UET_CMSG"));
	EXPECT_FAILS(begin(p.tx, &t, buf, 3), EINVAL);
	EXPECT_FAILS(begin(p.tx, &t, buf, MTU + 4), EMSGSIZE);
	t.atomic.op = UET_AMO_READ;
	EXPECT_FAILS(begin(p.tx, &t, buf, 0), EOPNOTSUPP);
	t.atomic = sum64;
	t.local = &local;
	EXPECT_FAILS(begin(p.tx, &t, buf, 8), EINVAL);
	local.offset = PAGE;
	EXPECT_FAILS(begin(p.tx, &t, buf, 8), EFAULT);
	local.offset = 0;
	EXPECT_FAILS(begin(p.tx, &t, buf, 16), EINVAL);
	p = us_pair_of(SOCK_DGRAM);
	t.local = NULL;
	EXPECT_FAILS(begin(p.tx, &t, buf, 8), EOPNOTSUPP);
	EXPECT(us_explains(p.tx, "TSEND_ATOMIC) is no datagram"));
}

/* Many, from two senders and into one value: each counts once. */
TEST(tagged_atomic__works_many_times_once_each)
{
	const char *env = getenv("UET_OPS");
	const uint32_t nr = env ? atoi(env) : 200 / harness_scale();
	struct us_pair p = us_pair_of(SOCK_SEQPACKET);
	struct sockaddr_uet to = us_name(p.rx);
	int other = us_endpoint(0, UET_PID_ANY, 0);
	struct us_mem mem = us_mem(p.rx, PAGE), old = us_mem(other, PAGE);
	struct uet_local local = { .key = old.key };
	struct tagged_atomic t = { .tag = 7, .atomic = sum64 };
	struct tagged_atomic f = { .tag = 7, .atomic = sum64, .local = &local };
	struct uet_recv_post post = us_want(1, 7, &mem);
	uint64_t one = 1, done = 0;

	ASSERT_SYS(us_connect(other, &to));
	for (uint32_t i = 0; i < 2 * nr; i++)
		ASSERT_SYS(us_recv_post(p.rx, &post));
	for (t.cookie = f.cookie = 0; t.cookie < nr; t.cookie++, f.cookie++) {
		EXPECT_EQ(begin(p.tx, &t, &one, 8), 8);
		EXPECT_EQ(begin(other, &f, &one, 8), 8);
	}
	for (uint32_t i = 0; i < 2 * nr; i++) {
		struct uet_completion rec = us_completion(p.rx);

		us_expect_done(&rec, 1, 1, 8);
	}
	EXPECT_EQ(*(uint64_t *)mem.buf, 2 * nr);
	while (done < nr) {
		struct uet_completion rec = us_completion(p.tx);

		ASSERT_EQ(rec.error, 0);
		done += rec.count;
	}
	EXPECT_EQ(shutdown(other, SHUT_WR), 0);
	EXPECT_GT(*(uint64_t *)old.buf, 0);
}

HARNESS_MAIN()
