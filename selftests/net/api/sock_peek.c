// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of looking for unexpected messages: which message is found, of all kinds and
 * in the order of arrival; that a claimed message goes to the receive for its claim
 * only; and that a discarded message is gone.
 * Started by sock_flow.sh, see uetsock.h for what it needs.  Level: test.
 */
#define _GNU_SOURCE
#include "uetpost.h"

#define TAG	0x77
#define LEN	5000
#define KINDS	3
#define FLAGS	(UET_RECV_TAGGED | UET_RECV_ANY_SOURCE)

static const uint8_t opcodes[KINDS] = {
	UET_OP_TAGGED_SEND, UET_OP_DEFERRABLE_TSEND, UET_OP_RENDEZVOUS_TSEND,
};

/* Memory that peers may read, with the message made from @seed. */
static struct us_mem source(int fd, uint32_t seed, size_t len)
{
	struct us_mem mem = { us_map(len), len, 0 };
	size_t i;

	for (i = 0; i < len; i++)
		mem.buf[i] = us_byte(seed, i);
	mem.key = us_reg(fd, mem.buf, len, UET_MR_READ);
	return mem;
}

/* Send all of @src, tagged and with completion data 1000 + @cookie. */
static void send_kind(int fd, uint8_t opcode, uint64_t tag, uint64_t cookie,
		      const struct us_mem *src)
{
	const struct uet_local local = { src->key, 0, src->len };
	uint64_t hdata = 1000 + cookie;
	struct uet_op op = us_op(opcode, cookie);
	struct us_control c = { .len = 0 };
	size_t pushed = src->len;

	us_add_cmsg(&c, UET_CMSG_OP, &op, sizeof(op));
	us_add_cmsg(&c, UET_CMSG_TAG, &tag, sizeof(tag));
	us_add_cmsg(&c, UET_CMSG_HDATA, &hdata, sizeof(hdata));
	if (opcode == UET_OP_RENDEZVOUS_TSEND) {
		us_add_cmsg(&c, UET_CMSG_LOCAL, &local, sizeof(local));
		pushed = 100;
	}
	EXPECT_EQ(us_send_control(fd, &c, src->buf, pushed), pushed);
}

/* For a message of that kind: the deferrable one finds no space, so it is deferred. */
static struct us_pair pair_for(uint8_t opcode)
{
	return opcode == UET_OP_DEFERRABLE_TSEND ? us_full_pair_of(SOCK_SEQPACKET) :
						   us_receiving_pair_of(SOCK_SEQPACKET);
}

static int peek(int fd, struct uet_recv_peek *p, uint64_t tag, uint32_t flags)
{
	*p = (struct uet_recv_peek){ .match = tag, .flags = FLAGS | flags };
	return uet_ioctl(fd, UET_IOC_RECV_PEEK, p);
}

/* The message of send_kind() is found, as soon as it is there. */
static struct uet_recv_peek found(int fd, uint64_t tag, uint32_t flags,
				  uint8_t opcode, uint64_t cookie)
{
	struct uet_recv_peek p;

	WAIT_FOR(!peek(fd, &p, tag, flags) || errno != ENOMSG);
	EXPECT_EQ(p.ctx.match, tag);
	EXPECT_EQ(p.ctx.opcode, opcode);
	EXPECT_EQ(p.ctx.length, LEN);
	EXPECT_EQ(p.ctx.offset, 0);
	EXPECT_EQ(p.ctx.job, atoi(us_env("UET_JOB")));
	EXPECT_EQ(p.ctx.flags, UET_CTX_HDATA);
	EXPECT_EQ(p.ctx.header_data, 1000 + cookie);
	EXPECT_EQ(!p.claim, !(flags & UET_PEEK_CLAIM));
	return p;
}

/* A receive for a claimed message, into all of @mem. */
static struct uet_recv_post want_claim(uint64_t cookie, uint64_t claim,
				       const struct us_mem *mem)
{
	return (struct uet_recv_post){
		.cookie = cookie, .match = claim, .key = mem->key,
		.length = mem->len, .flags = UET_RECV_CLAIM,
	};
}

static void expect_sent(int fd, uint64_t cookie, uint32_t length)
{
	struct uet_completion rec = us_completion(fd);

	us_expect_done(&rec, cookie, 1, length);
}

TEST(peek__bad_requests_are_refused)
{
	static const struct {
		struct uet_recv_peek p;
		const char *word;
	} bad[] = {
		{ { .flags = 0x8000 }, "flags" },
		{ { .flags = UET_RECV_TRUNC }, "flags" },
		{ { .flags = UET_RECV_CLAIM }, "flags" },
		{ { .flags = UET_PEEK_CLAIM | UET_PEEK_DISCARD }, "UET_PEEK_DISCARD" },
		{ { .match = 1 }, "match" },
		{ { .ignore = 1 }, "ignore" },
		{ { .initiator = 1, .flags = UET_RECV_ANY_SOURCE }, "initiator" },
	};
	int fd = us_endpoint(0, UET_PID_ANY, 0), unbound = us_socket();
	struct uet_recv_peek p;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		p = bad[i].p;
		EXPECT_FAILS(uet_ioctl(fd, UET_IOC_RECV_PEEK, &p), EINVAL);
		EXPECT(us_explains(fd, "UET_IOC_RECV_PEEK"));
		EXPECT(us_explains(fd, bad[i].word));
	}
	EXPECT_FAILS(peek(unbound, &p, TAG, 0), ENOTCONN);
	EXPECT_FAILS(ioctl(fd, UET_IOC_RECV_PEEK, NULL), EFAULT);
	EXPECT_FAILS(peek(fd, &p, TAG, 0), ENOMSG);
	ASSERT_SYS(shutdown(fd, SHUT_RD));
	EXPECT_FAILS(peek(fd, &p, TAG, 0), ESHUTDOWN);
}

TEST(claim__bad_receives_are_refused)
{
	struct us_pair p = us_pair();
	struct us_mem mem = us_mem(p.rx, LEN);
	struct uet_recv_post post = want_claim(1, 1, &mem);

	EXPECT_FAILS(us_recv_post(p.rx, &post), ENOENT);
	EXPECT(us_explains(p.rx, "claim"));
	post.flags |= UET_RECV_TAGGED;
	EXPECT_FAILS(us_recv_post(p.rx, &post), EINVAL);
	EXPECT(us_explains(p.rx, "UET_RECV_CLAIM"));
	post.flags = UET_RECV_CLAIM;
	post.ignore = 1;
	EXPECT_FAILS(us_recv_post(p.rx, &post), EINVAL);
	post.ignore = 0;
	post.initiator = 1;
	EXPECT_FAILS(us_recv_post(p.rx, &post), EINVAL);
	us_expect_none(p.rx);
}

/* Each kind of message is seen where it stands, and stays there. */
TEST(peek__sees_the_first_of_all_kinds_of_messages)
{
	struct us_pair p = us_receiving_pair_of(SOCK_SEQPACKET);
	struct us_mem mem = us_mem(p.rx, LEN), src[KINDS];
	struct sockaddr_uet tx = us_name(p.tx);
	struct uet_recv_peek got;
	struct uet_recv_post post;
	size_t i;

	for (i = 0; i < KINDS; i++) {
		src[i] = source(p.tx, i, LEN);
		send_kind(p.tx, opcodes[i], TAG, i, &src[i]);
	}
	for (i = 0; i < KINDS; i++) {
		found(p.rx, TAG, 0, opcodes[i], i);
		got = found(p.rx, TAG, 0, opcodes[i], i);
		EXPECT_EQ(got.from.suet_fa4, tx.suet_fa4);
		EXPECT_EQ(got.from.suet_pid, tx.suet_pid);
		EXPECT_EQ(got.ctx.initiator, tx.suet_initiator);
		EXPECT_EQ(got.ctx.delivery, UET_DELIVERY_ROD);
		EXPECT_FAILS(peek(p.rx, &got, TAG + 1, 0), ENOMSG);
		post = want_claim(i, 0, &mem);
		post.match = TAG;
		post.flags = FLAGS;
		ASSERT_SYS(us_recv_post(p.rx, &post));
		us_expect_recv(p.rx, i, mem.buf, i, LEN);
	}
	EXPECT_FAILS(peek(p.rx, &got, TAG, 0), ENOMSG);
}

/* Whether or not bits and source are compared. */
TEST(peek__selects_as_a_receive_does)
{
	struct us_pair p = us_receiving_pair_of(SOCK_SEQPACKET);
	struct us_mem src = source(p.tx, 1, LEN);
	struct sockaddr_uet tx = us_name(p.tx);
	const struct uet_recv_peek want = {
		.match = 0x100, .ignore = 0xff, .flags = UET_RECV_TAGGED,
		.initiator = tx.suet_initiator,
	};
	struct uet_recv_peek got = want;

	send_kind(p.tx, UET_OP_TAGGED_SEND, 0x1aa, 1, &src);
	expect_sent(p.tx, 1, LEN);
	EXPECT_EQ(uet_ioctl(p.rx, UET_IOC_RECV_PEEK, &got), 0);
	EXPECT_EQ(got.ctx.match, 0x1aa);
	got = want;
	got.initiator++;
	EXPECT_FAILS(uet_ioctl(p.rx, UET_IOC_RECV_PEEK, &got), ENOMSG);
	got.flags |= UET_RECV_ANY_SOURCE;
	got.initiator = 0;
	EXPECT_EQ(uet_ioctl(p.rx, UET_IOC_RECV_PEEK, &got), 0);
	got = want;
	got.flags |= UET_RECV_ANY_SOURCE;
	got.initiator = 0;
	got.ignore = 0xf0;
	EXPECT_FAILS(uet_ioctl(p.rx, UET_IOC_RECV_PEEK, &got), ENOMSG);
	got = (struct uet_recv_peek){ .flags = UET_RECV_ANY_SOURCE };
	EXPECT_FAILS(uet_ioctl(p.rx, UET_IOC_RECV_PEEK, &got), ENOMSG);
}

/* As MPI_Mprobe and MPI_Mrecv: other receives take the messages behind it. */
TEST(claim__its_receive_and_no_other_takes_the_message)
{
	struct us_pair p = us_receiving_pair_of(SOCK_SEQPACKET);
	struct us_mem mem = us_mem(p.rx, LEN), src[2 * KINDS];
	struct uet_recv_post post = us_want(0, TAG, &mem);
	uint64_t claims[KINDS];
	size_t i;

	for (i = 0; i < 2 * KINDS; i++) {
		src[i] = source(p.tx, i, LEN);
		send_kind(p.tx, opcodes[i % KINDS], TAG, i, &src[i]);
	}
	for (i = 0; i < KINDS; i++)
		claims[i] = found(p.rx, TAG, UET_PEEK_CLAIM, opcodes[i], i).claim;
	for (i = KINDS; i < 2 * KINDS; i++) {
		post.cookie = i;
		ASSERT_SYS(us_recv_post(p.rx, &post));
		us_expect_recv(p.rx, i, mem.buf, i, LEN);
	}
	for (i = KINDS; i-- > 0; ) {
		post = want_claim(i, claims[i], &mem);
		ASSERT_SYS(us_recv_post(p.rx, &post));
		EXPECT_EQ(us_expect_recv(p.rx, i, mem.buf, i, LEN).opcode,
			  opcodes[i]);
		EXPECT_FAILS(us_recv_post(p.rx, &post), ENOENT);
	}
	us_expect_none(p.rx);
}

/* A claimed message is not read, and readers get the messages behind it. */
TEST(claim__readers_do_not_get_the_message)
{
	struct us_pair p = us_receiving_pair_of(SOCK_SEQPACKET);
	struct us_mem src = source(p.tx, 1, LEN);
	uint8_t byte;

	send_kind(p.tx, UET_OP_TAGGED_SEND, TAG, 1, &src);
	found(p.rx, TAG, UET_PEEK_CLAIM, UET_OP_TAGGED_SEND, 1);
	EXPECT_EQ(us_events(p.rx) & POLLIN, 0);
	EXPECT_FAILS(recv(p.rx, &byte, 1, MSG_DONTWAIT), EAGAIN);
	EXPECT_EQ(us_send(p.tx, 9, 10, 0), 10);
	us_expect(p.rx, 9, 10);
}

TEST(claim__a_receive_too_short_leaves_it)
{
	struct uet_recv_post post;
	struct us_mem mem, src;
	struct us_pair p;
	uint64_t claim;
	size_t i;

	for (i = 0; i < KINDS; i++) {
		p = pair_for(opcodes[i]);
		mem = us_mem(p.rx, LEN);
		src = source(p.tx, i, LEN);
		send_kind(p.tx, opcodes[i], TAG, i, &src);
		claim = found(p.rx, TAG, UET_PEEK_CLAIM, opcodes[i], i).claim;
		post = want_claim(5, claim, &mem);
		post.length = 10;
		ASSERT_SYS(us_recv_post(p.rx, &post));
		us_expect_no_recv(p.rx, 5, EMSGSIZE);
		post.length = LEN;
		ASSERT_SYS(us_recv_post(p.rx, &post));
		us_expect_recv(p.rx, 5, mem.buf, i, LEN);
		close(p.tx);
		close(p.rx);
	}
}

/* It goes on arriving after the claim, as far as the buffer has space. */
TEST(claim__takes_a_message_longer_than_the_buffer)
{
	struct us_pair p = us_receiving_pair_of(SOCK_SEQPACKET);
	const size_t len = 300000;
	struct us_mem mem = us_mem(p.rx, len), src = source(p.tx, 3, len);
	struct uet_recv_peek got;
	struct uet_recv_post post;

	us_set_buf(p.rx, SO_RCVBUF, 65536);
	send_kind(p.tx, UET_OP_TAGGED_SEND, TAG, 3, &src);
	WAIT_FOR(!peek(p.rx, &got, TAG, UET_PEEK_CLAIM) || errno != ENOMSG);
	EXPECT_EQ(got.ctx.length, len);
	us_expect_none(p.tx);
	post = want_claim(5, got.claim, &mem);
	ASSERT_SYS(us_recv_post(p.rx, &post));
	us_expect_recv(p.rx, 5, mem.buf, 3, len);
	expect_sent(p.tx, 3, len);
}

/* Each sender learns its end: of a message that was not taken, no byte. */
TEST(discard__the_message_is_gone)
{
	static const uint32_t lengths[KINDS] = { LEN, 0, 0 };
	struct uet_recv_peek got;
	struct us_mem src;
	struct us_pair p;
	size_t i;

	for (i = 0; i < KINDS; i++) {
		p = pair_for(opcodes[i]);
		src = source(p.tx, i, LEN);
		send_kind(p.tx, opcodes[i], TAG, i, &src);
		found(p.rx, TAG, UET_PEEK_DISCARD, opcodes[i], i);
		EXPECT_FAILS(peek(p.rx, &got, TAG, 0), ENOMSG);
		expect_sent(p.tx, i, lengths[i]);
		us_expect_none(p.rx);
		close(p.tx);
		close(p.rx);
	}
}

/* The rest is dropped as it arrives, and does not wait for a reader. */
TEST(discard__takes_a_message_longer_than_the_buffer)
{
	struct us_pair p = us_receiving_pair_of(SOCK_SEQPACKET);
	const size_t len = 300000;
	struct us_mem src = source(p.tx, 3, len);
	struct uet_recv_peek got;

	us_set_buf(p.rx, SO_RCVBUF, 65536);
	send_kind(p.tx, UET_OP_TAGGED_SEND, TAG, 3, &src);
	WAIT_FOR(!peek(p.rx, &got, TAG, UET_PEEK_DISCARD) || errno != ENOMSG);
	expect_sent(p.tx, 3, len);
	us_expect_none(p.rx);
}

/* The sender of a claimed message gives it up. */
TEST(end__the_sender_closes)
{
	struct us_pair p;
	struct us_mem mem, src;
	struct uet_recv_post post;
	uint64_t claim;
	size_t i;

	for (i = 1; i < KINDS; i++) {
		p = pair_for(opcodes[i]);
		mem = us_mem(p.rx, LEN);
		src = source(p.tx, i, LEN);
		send_kind(p.tx, opcodes[i], TAG, i, &src);
		claim = found(p.rx, TAG, UET_PEEK_CLAIM, opcodes[i], i).claim;
		close(p.tx);
		post = want_claim(5, claim, &mem);
		/* The receive for a claim never takes another message. */
		if (us_recv_post(p.rx, &post) < 0)
			EXPECT_EQ(errno, ENOENT);
		else
			EXPECT(us_completion(p.rx).error);
		EXPECT_FAILS(us_recv_post(p.rx, &post), ENOENT);
		close(p.rx);
	}
}

TEST(end__the_receiver_closes)
{
	static const uint32_t errors[KINDS] = { 0, ECONNREFUSED, ECONNREFUSED };
	struct uet_completion rec;
	struct us_mem src;
	struct us_pair p;
	size_t i;

	for (i = 0; i < KINDS; i++) {
		p = pair_for(opcodes[i]);
		src = source(p.tx, i, LEN);
		send_kind(p.tx, opcodes[i], TAG, i, &src);
		found(p.rx, TAG, UET_PEEK_CLAIM, opcodes[i], i);
		close(p.rx);
		rec = us_completion(p.tx);
		EXPECT_EQ(rec.cookie, i);
		EXPECT_EQ(rec.error, errors[i]);
		close(p.tx);
	}
}

HARNESS_MAIN()
