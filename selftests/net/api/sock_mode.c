// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of what the type of an AF_UET socket decides: SOCK_SEQPACKET keeps the order
 * of messages, SOCK_DGRAM sends single packets that nobody answers; and every type
 * receives what any other sends.  An operation may choose another delivery.  Started by sock_api.sh, see uetsock.h for what it
 * needs.  Behaviour of each type on bad networks is tested by modes.sh.  Level: test.
 */
#define _GNU_SOURCE
#include "uetop.h"

#define MTU	4096
#define MIB	(1024 * 1024)

static const struct {
	int type, delivery;
} types[] = {
	{ SOCK_RDM, UET_DELIVERY_RUD },
	{ SOCK_SEQPACKET, UET_DELIVERY_ROD },
	{ SOCK_DGRAM, UET_DELIVERY_UUD },
};

/* How the next message came; it is read. */
static int delivery_of_next(int fd)
{
	struct us_ctx_msg m;
	char byte;

	us_want_ctx(fd);
	ASSERT_EQ(us_recv_ctx(fd, &m, &byte, 1, 0), 1);
	return us_ctx(&m).delivery;
}

TEST(types__receive_from_each_other)
{
	struct sockaddr_uet to;
	size_t from, at;
	int tx, rx;

	for (from = 0; from < 3; from++) {
		for (at = 0; at < 3; at++) {
			tx = us_endpoint_of(types[from].type, 0, UET_PID_ANY, 0);
			rx = us_endpoint_of(types[at].type, 1, UET_PID_ANY, 0);
			to = us_name(rx);
			EXPECT_EQ(sendto(tx, "x", 1, 0, (void *)&to, sizeof(to)),
				  1);
			EXPECT_EQ(delivery_of_next(rx), types[from].delivery);
		}
	}
}

TEST(seqpacket__keeps_the_order)
{
	enum { COUNT = 500 };
	struct us_pair p = us_pair_of(SOCK_SEQPACKET);
	uint32_t i, got;

	for (i = 0; i < COUNT; i++)
		EXPECT_EQ(send(p.tx, &i, sizeof(i), 0), sizeof(i));
	for (i = 0; i < COUNT; i++) {
		ASSERT_EQ(recv(p.rx, &got, sizeof(got), 0), sizeof(got));
		ASSERT_EQ(got, i);
	}
}

TEST(seqpacket__carries_messages_of_every_length)
{
	static const size_t lens[] = { 0, 1, MTU - 1, MTU, MTU + 1, MIB + 1 };
	struct us_pair p = us_pair_of(SOCK_SEQPACKET);
	size_t i;

	for (i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		EXPECT_EQ(us_send(p.tx, i, lens[i], 0), lens[i]);
		us_expect(p.rx, i, lens[i]);
	}
	EXPECT_EQ(shutdown(p.tx, SHUT_WR), 0);
}

TEST(dgram__of_every_length_up_to_a_packet_arrives)
{
	static const size_t lens[] = { 0, 1, 1023, 1024, MTU - 1, MTU };
	struct us_pair p = us_pair_of(SOCK_DGRAM);
	size_t i;

	for (i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		EXPECT_EQ(us_send(p.tx, i, lens[i], 0), lens[i]);
		us_expect(p.rx, i, lens[i]);
	}
}

TEST(dgram__is_one_packet)
{
	struct us_pair p = us_pair_of(SOCK_DGRAM);
	char byte;

	EXPECT_FAILS(us_send(p.tx, 1, MTU + 1, 0), EMSGSIZE);
	EXPECT(us_explains(p.tx, "datagram of 4097 bytes"));
	EXPECT_FAILS(recv(p.rx, &byte, 1, MSG_DONTWAIT), EAGAIN);
}

TEST(dgram__needs_a_destination)
{
	int fd = us_socket_of(SOCK_DGRAM);

	EXPECT_FAILS(send(fd, "x", 1, 0), EDESTADDRREQ);
	EXPECT(us_explains(fd, "sendmsg: neither a destination"));
}

TEST(dgram__of_a_bad_buffer_is_not_sent)
{
	struct us_pair p = us_pair_of(SOCK_DGRAM);
	char byte;

	EXPECT_FAILS(send(p.tx, (void *)8, 100, 0), EFAULT);
	EXPECT(us_explains(p.tx, "the buffer cannot be read"));
	EXPECT_EQ(us_queued(p.tx, SIOCOUTQ), 0);
	EXPECT_FAILS(recv(p.rx, &byte, 1, MSG_DONTWAIT), EAGAIN);
}

TEST(dgram__to_an_unbound_address_is_no_error)
{
	int fd = us_endpoint_of(SOCK_DGRAM, 0, UET_PID_ANY, 0), i;
	struct sockaddr_uet to = us_addr(1, 4000, 1);

	for (i = 0; i < 3; i++)
		EXPECT_EQ(sendto(fd, "x", 1, 0, (void *)&to, sizeof(to)), 1);
	EXPECT_EQ(shutdown(fd, SHUT_WR), 0);
}

/* Send a short one; is it, or one before, among what has come by now? */
static bool short_arrives(const struct us_pair *p)
{
	char buf[MTU];
	ssize_t len;

	EXPECT_EQ(us_send(p->tx, 2, 100, 0), 100);
	do {
		len = recv(p->rx, buf, sizeof(buf), MSG_DONTWAIT);
	} while (len == MTU);
	return len == 100 && us_matches((uint8_t *)buf, 2, 0, 100);
}

TEST(dgram__beyond_a_full_buffer_is_lost)
{
	enum { COUNT = 200 };
	struct us_pair p = us_pair_of(SOCK_DGRAM);
	int i, got = 0;
	char buf[MTU];

	us_set_buf(p.rx, SO_RCVBUF, 4 * MTU);
	for (i = 0; i < COUNT; i++)
		EXPECT_EQ(us_send(p.tx, 1, MTU, 0), MTU);
	while (recv(p.rx, buf, sizeof(buf), MSG_DONTWAIT) == MTU)
		got++;
	EXPECT_GE(got, 1);
	EXPECT_LE(got, COUNT - 1);
	/* And space once made is used. */
	WAIT_FOR(short_arrives(&p));
}

TEST(dgram__after_shutdown_is_refused)
{
	struct us_pair p = us_pair_of(SOCK_DGRAM);

	EXPECT_EQ(shutdown(p.tx, SHUT_WR), 0);
	EXPECT_FAILS(send(p.tx, "x", 1, MSG_NOSIGNAL), EPIPE);
	EXPECT(us_explains(p.tx, "shut down for writing"));
}

TEST(dgram__names_its_sender)
{
	struct us_pair p = us_pair_of(SOCK_DGRAM);
	struct sockaddr_uet from, me = us_name(p.tx);
	socklen_t len = sizeof(from);
	char byte;

	EXPECT_EQ(send(p.tx, "x", 1, 0), 1);
	EXPECT_EQ(recvfrom(p.rx, &byte, 1, 0, (void *)&from, &len), 1);
	EXPECT_EQ(memcmp(&from, &me, sizeof(me)), 0);
}

static ssize_t send_by(int fd, int flags, const void *buf, size_t len)
{
	struct uet_op op = us_op(UET_OP_SEND, 7);

	op.flags |= flags;
	return us_send_op(fd, &op, NULL, buf, len, 0);
}

TEST(op__chooses_its_delivery)
{
	static const int flags[] = { 0, UET_OP_RUD, UET_OP_ROD };
	static const int chosen[] = { 0, UET_DELIVERY_RUD, UET_DELIVERY_ROD };
	struct uet_completion rec;
	struct us_pair p;
	int of, by, want;

	for (of = 0; of < 2; of++) {
		p = us_pair_of(types[of].type);
		for (by = 0; by < 3; by++) {
			want = by ? chosen[by] : types[of].delivery;
			EXPECT_EQ(send_by(p.tx, flags[by], "x", 1), 1);
			EXPECT_EQ(delivery_of_next(p.rx), want);
			rec = us_completion(p.tx);
			us_expect_done(&rec, 7, 1, 1);
			EXPECT_EQ(rec.delivery, want);
		}
	}
}

TEST(op__of_two_deliveries_is_refused)
{
	struct us_pair p = us_pair(), d = us_pair_of(SOCK_DGRAM);
	struct uet_op op = { .opcode = UET_OP_SEND, .flags = UET_OP_ROD };

	EXPECT_FAILS(send_by(p.tx, UET_OP_RUD | UET_OP_ROD, "x", 1), EINVAL);
	EXPECT(us_explains(p.tx, "more than one of UET_OP_RUD, UET_OP_ROD"));
	EXPECT_FAILS(send_by(p.tx, UET_OP_ROD | UET_OP_RUDI, "x", 1), EINVAL);
	EXPECT(us_explains(p.tx, "more than one of UET_OP_RUD, UET_OP_ROD"));
	EXPECT_FAILS(us_send_op(d.tx, &op, NULL, "x", 1, 0), EOPNOTSUPP);
	EXPECT(us_explains(d.tx, "are not for SOCK_DGRAM"));
	us_expect_none(p.tx);
}

/* Each third message is ordered; the others come once, in any order. */
TEST(mixed__ordered_messages_keep_their_order)
{
	enum { COUNT = 600 };
	static const int how[] = { UET_OP_ROD, 0, UET_OP_RUD };
	bool seen[COUNT] = { false };
	struct us_pair p = us_pair();
	uint32_t i, got, next = 0;

	for (i = 0; i < COUNT; i++) {
		struct uet_op op = { .opcode = UET_OP_SEND, .flags = how[i % 3] };

		EXPECT_EQ(us_send_op(p.tx, &op, NULL, &i, sizeof(i), 0), sizeof(i));
	}
	for (i = 0; i < COUNT; i++) {
		ASSERT_EQ(recv(p.rx, &got, sizeof(got), 0), sizeof(got));
		ASSERT(got < COUNT && !seen[got]);
		seen[got] = true;
		if (got % 3)
			continue;
		ASSERT_EQ(got, next);
		next += 3;
	}
	EXPECT_EQ(shutdown(p.tx, SHUT_WR), 0);
}

HARNESS_MAIN()
