// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of messages on AF_UET sockets: their lengths and ends, what recvmsg()
 * tells about them, peeking, truncation, batches, and messages longer than the
 * socket buffers, read at once and in pieces.  Started by sock_api.sh, see
 * uetsock.h for what it needs.  Level: test.
 */
#define _GNU_SOURCE
#include "uetsock.h"

#define KIB	1024
#define MIB	(1024 * KIB)

TEST(message__of_every_length_around_a_packet_arrives)
{
	static const size_t lens[] = { 0, 1, 7, 1023, 1024, 1025, 4095, 4096,
				       4097, 8191, 8192, 8193, 64 * KIB,
				       MIB + 1 };
	struct us_pair p = us_pair();

	for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		EXPECT_EQ(us_send(p.tx, i, lens[i], 0), lens[i]);
		us_expect(p.rx, i, lens[i]);
	}
	EXPECT_EQ(shutdown(p.tx, SHUT_WR), 0);
}

TEST(message__each_arrives_once)
{
	enum { COUNT = 300 };
	struct us_pair p = us_pair();
	bool seen[COUNT] = {};
	uint32_t i, got;

	for (i = 0; i < COUNT; i++)
		EXPECT_EQ(send(p.tx, &i, sizeof(i), 0), sizeof(i));
	for (i = 0; i < COUNT; i++) {
		ASSERT_EQ(recv(p.rx, &got, sizeof(got), 0), sizeof(got));
		ASSERT(got < COUNT && !seen[got]);
		seen[got] = true;
	}
	EXPECT_FAILS(recv(p.rx, &got, sizeof(got), MSG_DONTWAIT), EAGAIN);
}

TEST(message__from_many_pieces_of_memory_arrives)
{
	struct us_pair p = us_pair();
	uint8_t *buf = us_message(5, 10000);
	struct iovec iov[] = {
		{ buf, 1 }, { buf + 1, 4999 }, { NULL, 0 }, { buf + 5000, 5000 },
	};
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 4 };

	EXPECT_EQ(sendmsg(p.tx, &msg, 0), 10000);
	us_expect(p.rx, 5, 10000);
}

TEST(message__of_a_bad_buffer_is_not_sent)
{
	struct us_pair p = us_pair();
	char byte;

	EXPECT_FAILS(send(p.tx, (void *)8, 4096, 0), EFAULT);
	EXPECT_EQ(us_queued(p.tx, SIOCOUTQ), 0);
	EXPECT_EQ(us_send(p.tx, 1, 5, 0), 5);
	/* Into a bad buffer it is not received, but not lost either. */
	EXPECT_FAILS(recv(p.rx, (void *)8, 5, 0), EFAULT);
	us_expect(p.rx, 1, 5);
	EXPECT_FAILS(recv(p.rx, &byte, 1, MSG_DONTWAIT), EAGAIN);
}

TEST(recvmsg__cuts_at_the_end_of_the_buffer)
{
	struct us_pair p = us_pair();
	char buf[10];
	struct iovec iov = { buf, sizeof(buf) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	us_send(p.tx, 1, 5000, 0);
	EXPECT_EQ(recvmsg(p.rx, &msg, 0), 10);
	EXPECT_EQ(msg.msg_flags, MSG_TRUNC | MSG_EOR);
	EXPECT(us_matches((uint8_t *)buf, 1, 0, 10));
	us_send(p.tx, 2, 5000, 0);
	EXPECT_EQ(recvmsg(p.rx, &msg, MSG_TRUNC), 5000);
	us_send(p.tx, 3, 6, 0);
	us_expect(p.rx, 3, 6);
}

TEST(recvmsg__can_peek_at_a_message)
{
	struct us_pair p = us_pair();
	uint8_t buf[9000];

	us_send(p.tx, 1, 9000, 0);
	EXPECT_EQ(recv(p.rx, NULL, 0, MSG_PEEK | MSG_TRUNC), 9000);
	EXPECT_EQ(recv(p.rx, buf, 100, MSG_PEEK), 100);
	EXPECT(us_matches(buf, 1, 0, 100));
	EXPECT_EQ(recv(p.rx, buf, sizeof(buf), MSG_PEEK), 9000);
	EXPECT(us_matches(buf, 1, 0, 9000));
	EXPECT_EQ(us_queued(p.rx, SIOCINQ), 9000);
	us_expect(p.rx, 1, 9000);
	EXPECT_EQ(us_queued(p.rx, SIOCINQ), 0);
}

TEST(recvmsg__names_the_sender)
{
	struct us_pair p = us_pair();
	struct sockaddr_uet from, me = us_name(p.tx);
	socklen_t len = sizeof(from);
	char byte;

	us_send(p.tx, 1, 1, 0);
	EXPECT_EQ(recvfrom(p.rx, &byte, 1, 0, (void *)&from, &len), 1);
	EXPECT_EQ(len, sizeof(from));
	EXPECT_EQ(memcmp(&from, &me, sizeof(me)), 0);
	/* So it can be answered. */
	EXPECT_EQ(sendto(p.rx, "y", 1, 0, (void *)&from, len), 1);
	EXPECT_EQ(recv(p.tx, &byte, 1, 0), 1);
	EXPECT_EQ(byte, 'y');
}

TEST(recvmsg__reports_the_context)
{
	struct us_pair p = us_pair();
	struct us_ctx_msg m;
	struct uet_ctx ctx;
	char byte;

	us_send(p.tx, 1, 3, 0);
	EXPECT_EQ(us_recv_ctx(p.rx, &m, &byte, 1, MSG_PEEK), 1);
	EXPECT_EQ(m.msg.msg_controllen, 0);
	us_want_ctx(p.rx);
	EXPECT_EQ(us_recv_ctx(p.rx, &m, &byte, 1, 0), 1);
	ctx = us_ctx(&m);
	EXPECT_EQ(ctx.job, us_name(p.tx).suet_job);
	EXPECT_EQ(ctx.initiator, us_name(p.tx).suet_initiator);
	EXPECT_EQ(ctx.length, 3);
	EXPECT_EQ(ctx.offset, 0);
	EXPECT_EQ(ctx.flags, 0);
	EXPECT_EQ(ctx.delivery, UET_DELIVERY_RUD);
}

TEST(sendmsg__refuses_unknown_control_messages_and_flags)
{
	struct us_pair p = us_pair();
	union {
		char buf[CMSG_SPACE(4)];
		struct cmsghdr header;
	} control = { .header = { .cmsg_len = CMSG_LEN(4),
				  .cmsg_level = SOL_UET, .cmsg_type = 77 } };
	struct msghdr msg = { .msg_control = &control,
			      .msg_controllen = sizeof(control) };

	EXPECT_FAILS(sendmsg(p.tx, &msg, 0), EINVAL);
	EXPECT(us_explains(p.tx, "control message of level 290 type 77"));
	EXPECT_FAILS(send(p.tx, "x", 1, MSG_OOB), EOPNOTSUPP);
	EXPECT_FAILS(recv(p.rx, &msg, 1, MSG_OOB), EOPNOTSUPP);
	EXPECT(us_explains(p.rx, "recvmsg:"));
}

TEST(sendmmsg__and_recvmmsg_take_batches)
{
	enum { COUNT = 16 };
	struct us_pair p = us_pair();
	struct mmsghdr vec[COUNT] = {};
	struct iovec iov[COUNT];
	char bytes[COUNT], got[COUNT];
	int i, sum = 0;

	for (i = 0; i < COUNT; i++) {
		bytes[i] = i;
		iov[i] = (struct iovec) { bytes + i, 1 };
		vec[i].msg_hdr.msg_iov = iov + i;
		vec[i].msg_hdr.msg_iovlen = 1;
	}
	EXPECT_EQ(sendmmsg(p.tx, vec, COUNT, 0), COUNT);
	for (i = 0; i < COUNT; i++)
		iov[i].iov_base = got + i;
	EXPECT_EQ(recvmmsg(p.rx, vec, COUNT, 0, NULL), COUNT);
	for (i = 0; i < COUNT; i++) {
		EXPECT_EQ(vec[i].msg_len, 1);
		sum += got[i];
	}
	EXPECT_EQ(sum, COUNT * (COUNT - 1) / 2);
}

TEST(more__message_arrives_without_the_next_one)
{
	struct us_pair p = us_pair();
	char got[4];

	EXPECT_EQ(send(p.tx, "one", 4, MSG_MORE), 4);
	EXPECT_EQ(recv(p.rx, got, 4, 0), 4);
	EXPECT_EQ(memcmp(got, "one", 4), 0);
}

TEST(more__message_arrives_from_a_closed_socket)
{
	struct us_pair p = us_pair();
	char got[4];

	EXPECT_EQ(send(p.tx, "one", 4, MSG_MORE), 4);
	EXPECT_EQ(send(p.tx, "two", 4, MSG_MORE), 4);
	close(p.tx);
	EXPECT_EQ(recv(p.rx, got, 4, 0), 4);
	EXPECT_EQ(recv(p.rx, got, 4, 0), 4);
}

/* -------------------------------------- longer than the buffers: streamed */

/* A pair with small buffers, and a child process that sends one message. */
static pid_t stream_from_child(struct us_pair *p, uint32_t seed, size_t len)
{
	*p = us_pair();
	us_set_buf(p->tx, SO_SNDBUF, 128 * KIB);
	us_set_buf(p->rx, SO_RCVBUF, 128 * KIB);
	return CHILD({
		close(p->rx);
		EXPECT_EQ(us_send(p->tx, seed, len, 0), len);
		EXPECT_EQ(shutdown(p->tx, SHUT_WR), 0);
	});
}

TEST(stream__is_read_to_its_end_by_a_blocking_call)
{
	struct us_pair p;
	pid_t child = stream_from_child(&p, 9, 3 * MIB + 5);

	us_expect(p.rx, 9, 3 * MIB + 5);
	harness_join(child);
}

TEST(stream__is_read_in_pieces_without_blocking)
{
	enum { LENGTH = MIB + 77 };
	struct us_pair p;
	pid_t child = stream_from_child(&p, 3, LENGTH);
	uint8_t *buf = us_alloc(100 * KIB);
	struct iovec iov = { buf, 50 * KIB };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	size_t at = 0;
	ssize_t n;

	do {
		WAIT_FOR((n = recvmsg(p.rx, &msg, MSG_DONTWAIT)) >= 0 ||
			 errno != EAGAIN);
		ASSERT_SYS(n);
		EXPECT(us_matches(buf, 3, at, n));
		EXPECT_EQ(msg.msg_flags & MSG_TRUNC, 0);
		at += n;
	} while (!(msg.msg_flags & MSG_EOR) && at < LENGTH);
	EXPECT_EQ(at, LENGTH);
	EXPECT(msg.msg_flags & MSG_EOR);
	harness_join(child);
	EXPECT_FAILS(recv(p.rx, buf, 1, MSG_DONTWAIT), EAGAIN);
}

TEST(stream__is_cut_by_a_short_buffer)
{
	struct us_pair p;
	pid_t child = stream_from_child(&p, 4, MIB);
	uint8_t buf[3000];
	struct iovec iov = { buf, sizeof(buf) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	EXPECT_EQ(recvmsg(p.rx, &msg, MSG_TRUNC), MIB);
	EXPECT_EQ(msg.msg_flags, MSG_TRUNC | MSG_EOR);
	EXPECT(us_matches(buf, 4, 0, sizeof(buf)));
	/* The rest of it still comes, to nobody, and gives its space back. */
	harness_join(child);
	EXPECT_FAILS(recv(p.rx, buf, 1, MSG_DONTWAIT), EAGAIN);
	us_send(p.tx, 5, 100 * KIB, 0);
}

TEST(stream__can_be_peeked)
{
	struct us_pair p;
	pid_t child = stream_from_child(&p, 6, MIB);
	uint8_t buf[500];

	EXPECT_EQ(recv(p.rx, buf, sizeof(buf), MSG_PEEK), sizeof(buf));
	EXPECT(us_matches(buf, 6, 0, sizeof(buf)));
	EXPECT_EQ(recv(p.rx, NULL, 0, MSG_PEEK | MSG_TRUNC), MIB);
	EXPECT_EQ(recv(p.rx, NULL, 0, MSG_PEEK | MSG_TRUNC | MSG_DONTWAIT),
		  MIB);
	EXPECT_GT(us_queued(p.rx, SIOCINQ), 0);
	us_expect(p.rx, 6, MIB);
	harness_join(child);
}

TEST(stream__reports_the_offset_of_a_piece)
{
	struct us_pair p;
	pid_t child = stream_from_child(&p, 6, MIB);
	struct us_ctx_msg m;
	struct uet_ctx ctx;
	uint8_t buf[1000];
	int i;

	us_want_ctx(p.rx);
	for (i = 0; i < 3; i++) {
		WAIT_FOR(us_recv_ctx(p.rx, &m, buf, sizeof(buf),
				     MSG_DONTWAIT) == sizeof(buf));
		ctx = us_ctx(&m);
		EXPECT_EQ(ctx.offset, i * sizeof(buf));
		EXPECT_EQ(ctx.length, MIB);
	}
	kill(child, SIGKILL);
}

static void set_link(const char *state)
{
	char command[32];

	snprintf(command, sizeof(command), "ip link set lo %s", state);
	ASSERT_EQ(system(command), 0);
}

TEST(stream__that_was_begun_is_finished_first)
{
	struct us_pair p;
	pid_t child = stream_from_child(&p, 6, MIB);
	int other = us_endpoint(0, UET_PID_ANY, 0);
	struct sockaddr_uet addr = us_name(p.rx);
	uint8_t *buf = us_alloc(MIB);
	ssize_t n, at;
	int window;

	/* The window is full, a short message is there, the rest cannot come. */
	WAIT_FOR(us_queued(p.rx, SIOCINQ) >= 128 * KIB);
	window = us_queued(p.rx, SIOCINQ);
	us_set_buf(p.rx, SO_RCVBUF, 256 * KIB);
	ASSERT_SYS(us_connect(other, &addr));
	us_send(other, 7, 100, 0);
	EXPECT_EQ(shutdown(other, SHUT_WR), 0);
	set_link("down");
	EXPECT_EQ(recv(p.rx, buf, MIB, MSG_DONTWAIT), window);
	n = recv(p.rx, buf + window, MIB, MSG_DONTWAIT);
	set_link("up");
	EXPECT_EQ(n, -1);

	for (at = window; at < MIB; at += n) {
		n = recv(p.rx, buf + at, MIB - at, 0);
		ASSERT(n > 0);
	}
	EXPECT(us_matches(buf, 6, 0, MIB));
	us_expect(p.rx, 7, 100);
	harness_join(child);
	free(buf);
}

TEST(stream__of_a_dead_sender_fails_once)
{
	struct us_pair p;
	pid_t child = stream_from_child(&p, 6, 4 * MIB);
	uint8_t *buf = us_alloc(4 * MIB);
	ssize_t n;

	/* Its window is full of what nobody reads, then its sender is killed. */
	close(p.tx);
	WAIT_FOR(us_queued(p.rx, SIOCINQ) > 64 * KIB);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	do {
		n = recv(p.rx, buf, 4 * MIB, 0);
	} while (n > 0);
	EXPECT_EQ(n, -1);
	EXPECT(errno == EIO || errno == ECONNRESET);
	EXPECT(us_explains(p.rx, "recvmsg: message of 4194304 bytes ended"));
	EXPECT_FAILS(recv(p.rx, buf, 1, MSG_DONTWAIT), EAGAIN);
}

TEST(stream__goes_on_with_short_messages_queued_behind_it)
{
	struct us_pair p = us_pair();
	pid_t child, other;
	int i;

	us_set_buf(p.tx, SO_SNDBUF, 128 * KIB);
	us_set_buf(p.rx, SO_RCVBUF, 128 * KIB);
	child = CHILD({
		EXPECT_EQ(us_send(p.tx, 6, 2 * MIB, 0), 2 * MIB);
	});
	/* They fill the send buffer, and cannot leave before it has ended. */
	WAIT_FOR(us_queued(p.rx, SIOCINQ) > 0);
	other = CHILD({
		for (int k = 0; k < 8; k++)
			EXPECT_EQ(us_send(p.tx, k, 60 * KIB + k, 0),
				  60 * KIB + k);
	});
	WAIT_FOR(us_queued(p.tx, SIOCOUTQ) > 128 * KIB);
	us_expect(p.rx, 6, 2 * MIB);
	for (i = 0; i < 8; i++)
		us_expect_any(p.rx, 60 * KIB, 8);
	harness_join(child);
	harness_join(other);
}

TEST(stream__of_several_messages_ends_each)
{
	enum { SENDERS = 4 };
	struct us_pair p = us_pair();
	pid_t child[SENDERS];
	int i;

	us_set_buf(p.tx, SO_SNDBUF, 8 * KIB);
	us_set_buf(p.rx, SO_RCVBUF, 64 * KIB);
	for (i = 0; i < SENDERS; i++)
		child[i] = CHILD({
			EXPECT_EQ(us_send(p.tx, i, 300 * KIB + i, 0),
				  300 * KIB + i);
		});
	for (i = 0; i < SENDERS; i++)
		us_expect_any(p.rx, 300 * KIB, SENDERS);
	for (i = 0; i < SENDERS; i++)
		harness_join(child[i]);
}

HARNESS_MAIN()
