// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of completions on AF_UET sockets: what they tell, their order, that each
 * comes once, when they are coalesced, and how they are read, waited for and
 * bounded.  Started by sock_api.sh, see uetsock.h for what it needs; UET_OPS is the
 * number of operations of each test of many.  Level: test.
 */
#define _GNU_SOURCE
#include <sys/epoll.h>

#include "uetpost.h"

#define KIB	1024
#define MIB	(1024 * KIB)

static const int reliable[] = { SOCK_RDM, SOCK_SEQPACKET };

/* A process that reads messages and drops them, until it is killed. */
static pid_t eater(int fd)
{
	return CHILD({
		uint8_t *buf = us_alloc(MIB);

		while (recv(fd, buf, MIB, 0) >= 0)
			;
	});
}

/* ------------------------------------------------------ what completions tell */

TEST(completion__comes_only_if_asked_for)
{
	struct us_pair p = us_pair();
	struct uet_op op = { .opcode = UET_OP_SEND, .cookie = 5 };

	EXPECT_EQ(us_send(p.tx, 1, 100, 0), 100);
	EXPECT_EQ(us_send_op(p.tx, &op, NULL, "x", 1, 0), 1);
	EXPECT_EQ(shutdown(p.tx, SHUT_WR), 0);
	us_expect_none(p.tx);
}

TEST(completion__of_a_send_has_its_cookie)
{
	static const size_t lens[] = { 0, 1, 4096, 4097, 300 * KIB };
	struct uet_completion rec, want;
	struct us_pair p;
	size_t i, t;

	for (t = 0; t < 2; t++) {
		p = us_pair_of(reliable[t]);
		for (i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
			EXPECT_EQ(us_post(p.tx, ~i << 8, lens[i], 0), lens[i]);
			us_expect(p.rx, ~i << 8, lens[i]);
			rec = us_completion(p.tx);
			want = (struct uet_completion){
				.cookie = ~i << 8, .count = 1,
				.length = lens[i], .opcode = UET_OP_SEND,
				.rc = US_RC_OK,
				.delivery = t ? UET_DELIVERY_ROD :
						UET_DELIVERY_RUD,
			};
			us_expect_done(&rec, want.cookie, 1, lens[i]);
			EXPECT_EQ(memcmp(&rec, &want, sizeof(rec)), 0);
		}
	}
}

TEST(completion__of_a_streamed_message_comes_once)
{
	struct us_pair p = us_pair();
	struct uet_completion rec;
	pid_t child = eater(p.rx);

	us_set_buf(p.tx, SO_SNDBUF, 64 * KIB);
	EXPECT_EQ(us_post(p.tx, 3, 4 * MIB, 0), 4 * MIB);
	rec = us_completion(p.tx);
	us_expect_done(&rec, 3, 1, 4 * MIB);
	kill(child, SIGKILL);
}

TEST(completion__of_an_unknown_endpoint_has_its_code)
{
	struct sockaddr_uet to = us_addr(1, 4000, 4000);
	int fd = us_endpoint(0, UET_PID_ANY, 0), err = -1;
	struct uet_op op = us_op(UET_OP_SEND, 77);
	struct uet_completion rec;
	socklen_t len = sizeof(err);
	char text[256];

	EXPECT_EQ(us_send_op(fd, &op, &to, "x", 1, 0), 1);
	rec = us_completion(fd);
	EXPECT_EQ(rec.cookie, 77);
	EXPECT_EQ(rec.count, 1);
	EXPECT_EQ(rec.error, ECONNREFUSED);
	EXPECT_EQ(rec.length, 0);
	EXPECT_EQ(rec.rc, 0x1a);	/* BAD_PID */
	EXPECT_EQ(rec.nack_code, 0);
	EXPECT(us_explains(fd, "message of 1 bytes in job "));
	EXPECT(us_explains(fd, "/4000/4000: no endpoint with that PIDonFEP (bad-pid)"));
	/* Told by the completion, so not told again. */
	ASSERT_SYS(getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &len));
	EXPECT_EQ(err, 0);
	/* The text is not that of a later call. */
	EXPECT_FAILS(recv(fd, &err, 1, MSG_DONTWAIT), EAGAIN);
	len = sizeof(text);
	ASSERT_SYS(getsockopt(fd, SOL_UET, UET_LAST_ERROR, text, &len));
	EXPECT_EQ(len, 1);
	EXPECT_EQ(shutdown(fd, SHUT_WR), 0);
	us_expect_none(fd);
}

TEST(completion__does_not_replace_late_errors)
{
	struct sockaddr_uet to = us_addr(1, 4000, 4000);
	int fd = us_endpoint(0, UET_PID_ANY, 0);
	struct uet_op op = us_op(UET_OP_SEND, 78);

	EXPECT_EQ(sendto(fd, "x", 1, 0, (void *)&to, sizeof(to)), 1);
	WAIT_FOR(us_events(fd) & POLLERR);
	EXPECT_FAILS(us_read_cq(fd, &(struct uet_completion){}, 1), EAGAIN);
	EXPECT_FAILS(recv(fd, &(char){ 0 }, 1, 0), ECONNREFUSED);
	EXPECT(us_explains(fd, "message of 1 bytes"));
	EXPECT_EQ(us_send_op(fd, &op, &to, "xy", 2, 0), 2);
	EXPECT_EQ(us_completion(fd).error, ECONNREFUSED);
	EXPECT(us_explains(fd, "message of 2 bytes"));
}

TEST(completion__of_a_call_that_fails_does_not_come)
{
	struct us_pair p = us_pair();
	struct uet_op op = us_op(UET_OP_SEND, 1);

	EXPECT_FAILS(us_send_op(p.tx, &op, NULL, (void *)8, 100, 0), EFAULT);
	us_set_buf(p.tx, SO_SNDBUF, 64 * KIB);
	EXPECT_FAILS(us_post(p.tx, 2, 65 * KIB, MSG_DONTWAIT), EMSGSIZE);
	/* A streamed one that fails half way is told of by the call. */
	close(p.rx);
	EXPECT_FAILS(us_post(p.tx, 3, 4 * MIB, 0), ECONNREFUSED);
	EXPECT_EQ(shutdown(p.tx, SHUT_WR), 0);
	EXPECT_FAILS(us_post(p.tx, 4, 1, 0), EPIPE);
	us_expect_none(p.tx);
}

/* ------------------------------------------------------- order and coalescing */

TEST(completions__of_seqpacket_keep_the_order)
{
	enum { COUNT = 500 };
	struct us_pair p = us_pair_of(SOCK_SEQPACKET);
	struct uet_completion recs[US_CQ_MAX];
	pid_t child = eater(p.rx);
	uint64_t next = 0;
	int i, n;

	for (i = 0; i < COUNT; i++)
		EXPECT_EQ(us_post(p.tx, 2 * i, i * 10, 0), i * 10);
	EXPECT_EQ(shutdown(p.tx, SHUT_WR), 0);
	while ((n = us_read_cq(p.tx, recs, US_CQ_MAX)) > 0)
		for (i = 0; i < n; i++, next++)
			us_expect_done(&recs[i], 2 * next, 1, next * 10);
	EXPECT_EQ(next, COUNT);
	kill(child, SIGKILL);
}

TEST(completions__of_consecutive_cookies_are_one)
{
	enum { COUNT = 100 };
	struct us_pair p = us_pair_of(SOCK_SEQPACKET);
	struct uet_completion recs[2];
	pid_t child = eater(p.rx);
	uint32_t i, sum = 0;

	for (i = 0; i < COUNT; i++, sum += 50 * i)
		EXPECT_EQ(us_post(p.tx, 1000 + i, 50 * (i + 1), 0), 50 * (i + 1));
	EXPECT_EQ(shutdown(p.tx, SHUT_WR), 0);
	EXPECT_EQ(us_read_cq(p.tx, recs, 2), 1);
	us_expect_done(&recs[0], 1000, COUNT, sum);
	us_expect_none(p.tx);
	kill(child, SIGKILL);
}

TEST(completions__that_differ_are_not_one)
{
	static const struct {
		uint64_t cookie;
		int opcode;
	} ops[] = {
		{ 10, UET_OP_SEND }, { 11, UET_OP_NO_OP },	/* opcode */
		{ 11, UET_OP_NO_OP }, { 10, UET_OP_NO_OP },	/* backwards */
		{ 12, UET_OP_NO_OP },				/* a gap */
		{ ~0ull, UET_OP_NO_OP }, { 0, UET_OP_NO_OP },	/* the end */
	};
	enum { COUNT = sizeof(ops) / sizeof(ops[0]) };
	struct us_pair p = us_pair_of(SOCK_SEQPACKET);
	struct uet_completion recs[COUNT + 1];
	struct uet_op op;

	for (size_t i = 0; i < COUNT; i++) {
		op = us_op(ops[i].opcode, ops[i].cookie);
		EXPECT_EQ(us_send_op(p.tx, &op, NULL, NULL, 0, 0), 0);
	}
	EXPECT_EQ(shutdown(p.tx, SHUT_WR), 0);
	ASSERT_EQ(us_read_cq(p.tx, recs, COUNT + 1), COUNT);
	for (size_t i = 0; i < COUNT; i++) {
		us_expect_done(&recs[i], ops[i].cookie, 1, 0);
		EXPECT_EQ(recs[i].opcode, ops[i].opcode);
	}
}

TEST(completions__of_failures_are_not_one)
{
	struct sockaddr_uet to = us_addr(1, 4000, 4000);
	struct uet_op op = us_op(UET_OP_SEND, 0);
	int fd = us_endpoint(0, UET_PID_ANY, 0);
	struct uet_completion recs[5];

	for (op.cookie = 1; op.cookie < 5; op.cookie++)
		EXPECT_EQ(us_send_op(fd, &op, &to, "x", 1, 0), 1);
	EXPECT_EQ(shutdown(fd, SHUT_WR), 0);
	ASSERT_EQ(us_read_cq(fd, recs, 5), 4);
	for (int i = 0; i < 4; i++) {
		EXPECT_EQ(recs[i].cookie, i + 1);
		EXPECT_EQ(recs[i].count, 1);
		EXPECT_EQ(recs[i].error, ECONNREFUSED);
	}
}

/* ----------------------------------------------------------- how they are read */

/* Completions with the cookies 0, 2, 4..., waiting to be read. */
static struct us_pair with_completions(int count)
{
	struct us_pair p = us_pair_of(SOCK_SEQPACKET);

	for (int i = 0; i < count; i++)
		EXPECT_EQ(us_post_no_op(p.tx, 2 * i, 0), 0);
	EXPECT_EQ(shutdown(p.tx, SHUT_WR), 0);
	return p;
}

TEST(read__takes_as_many_as_fit)
{
	struct us_pair p = with_completions(5);
	struct uet_completion recs[4];

	EXPECT_EQ(us_read_cq(p.tx, recs, 3), 3);
	us_expect_done(&recs[2], 4, 1, 0);
	EXPECT_EQ(us_events(p.tx) & POLLERR, POLLERR);
	EXPECT_EQ(us_read_cq(p.tx, recs, 4), 2);
	us_expect_done(&recs[1], 8, 1, 0);
	us_expect_none(p.tx);
}

TEST(read__without_room_loses_nothing)
{
	static const size_t spaces[] = {
		0, 1, sizeof(struct cmsghdr),
		CMSG_LEN(sizeof(struct uet_completion)) - 1,
	};
	struct us_pair p = with_completions(2);
	struct uet_completion recs[3];
	char space[US_CQ_SPACE];
	struct msghdr msg;

	for (size_t i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++) {
		msg = (struct msghdr){ .msg_control = space,
				       .msg_controllen = spaces[i] };
		EXPECT_EQ(recvmsg(p.tx, &msg, MSG_ERRQUEUE), 0);
		EXPECT_EQ(msg.msg_flags, MSG_ERRQUEUE | MSG_CTRUNC);
		EXPECT_EQ(msg.msg_controllen, 0);
	}
	EXPECT_EQ(us_read_cq(p.tx, recs, 3), 2);
}

TEST(read__into_a_bad_buffer_loses_nothing)
{
	struct us_pair p = with_completions(2);
	struct uet_completion recs[3];
	struct msghdr msg = { .msg_control = (void *)8,
			      .msg_controllen = 2 * US_CQ_SPACE };

	EXPECT_FAILS(recvmsg(p.tx, &msg, MSG_ERRQUEUE), EFAULT);
	EXPECT(us_explains(p.tx, "the control buffer cannot be written"));
	EXPECT_EQ(us_read_cq(p.tx, recs, 3), 2);
	us_expect_done(&recs[0], 0, 1, 0);
	us_expect_done(&recs[1], 2, 1, 0);
}

TEST(read__never_waits_and_does_not_peek)
{
	struct us_pair p = us_pair();
	struct msghdr msg = { .msg_iovlen = 0 };

	EXPECT_FAILS(recvmsg(p.tx, &msg, MSG_ERRQUEUE), EAGAIN);
	EXPECT_FAILS(recvmsg(p.tx, &msg, MSG_ERRQUEUE | MSG_PEEK), EINVAL);
	EXPECT(us_explains(p.tx, "cannot be peeked at"));
}

TEST(epoll__reports_completions)
{
	struct us_pair p = us_pair_of(SOCK_SEQPACKET);
	struct epoll_event want = { .events = EPOLLET }, got;
	int ep = epoll_create1(0);
	struct uet_completion rec;

	ASSERT_SYS(ep);
	ASSERT_SYS(epoll_ctl(ep, EPOLL_CTL_ADD, p.tx, &want));
	EXPECT_EQ(epoll_wait(ep, &got, 1, 0), 0);
	for (int i = 0; i < 2; i++) {
		EXPECT_EQ(us_post_no_op(p.tx, i, 0), 0);
		EXPECT_EQ(epoll_wait(ep, &got, 1, -1), 1);
		EXPECT_EQ(got.events, EPOLLERR);
		EXPECT_EQ(us_read_cq(p.tx, &rec, 1), 1);
		us_expect_done(&rec, i, 1, 0);
		EXPECT_EQ(us_events(p.tx), POLLOUT);
		EXPECT_EQ(epoll_wait(ep, &got, 1, 0), 0);
	}
}

/* --------------------------------------------------------------------- bounds */

TEST(limit__stops_operations_that_complete)
{
	enum { MORE = 10, SAME = 1000 };
	struct uet_recv_post none = {
		.match = ~0ull, .flags = UET_RECV_TAGGED | UET_RECV_ANY_SOURCE,
	};
	struct us_pair p = us_pair_of(SOCK_SEQPACKET);
	struct uet_completion rec;
	pid_t child;
	int i;

	if (harness_scale() >= 10)
		SKIP("too many operations for a slow kernel");
	/* Receives count, too. */
	for (i = SAME; i < UET_CQ_LIMIT - 2; i++)
		ASSERT_SYS(us_recv_post(p.tx, &none));
	/* The same cookie again does not coalesce... */
	for (i = 0; i < SAME; i++)
		ASSERT_EQ(us_post_no_op(p.tx, 7, 0), 0);
	/* ...and those that do are one. */
	for (i = 0; i < MORE; i++) {
		WAIT_FOR(us_queued(p.tx, SIOCOUTQ) == 0);
		ASSERT_EQ(us_post_no_op(p.tx, 100 + i, MSG_DONTWAIT), 0);
	}
	WAIT_FOR(us_queued(p.tx, SIOCOUTQ) == 0);
	ASSERT_EQ(us_post_no_op(p.tx, 7, MSG_DONTWAIT), 0);
	WAIT_FOR(us_queued(p.tx, SIOCOUTQ) == 0);
	EXPECT_FAILS(us_post_no_op(p.tx, 9, MSG_DONTWAIT), EAGAIN);
	EXPECT(us_explains(p.tx, "operations are to complete"));
	EXPECT_EQ(us_events(p.tx), POLLERR);
	/* Others go on. */
	EXPECT_EQ(us_send(p.tx, 1, 100, MSG_DONTWAIT), 100);
	us_expect(p.rx, 1, 100);
	us_set_timeout(p.tx, SO_SNDTIMEO, 50);
	EXPECT_FAILS(us_post_no_op(p.tx, 9, 0), EAGAIN);

	us_set_timeout(p.tx, SO_SNDTIMEO, 0);
	child = CHILD({ EXPECT_EQ(us_post_no_op(p.tx, 9, 0), 0); });
	ASSERT_EQ(us_read_cq(p.tx, &rec, 1), 1);
	us_expect_done(&rec, 7, 1, 0);
	harness_join(child);
	ASSERT_EQ(us_read_cq(p.tx, &rec, 1), 1);
	WAIT_FOR(us_events(p.tx) & POLLOUT);
	EXPECT_EQ(us_post_no_op(p.tx, 11, MSG_DONTWAIT), 0);
}

/* ------------------------------------------------------------ every one, once */

/* The outcomes of operations with the cookies 0... */
struct outcome {
	uint8_t *seen;
	int count, done, failed;
	bool is_ordered;
};

static struct outcome outcome_of(int count)
{
	return (struct outcome){ .seen = calloc(count, 1), .count = count };
}

static void note(struct outcome *out, const struct uet_completion *rec)
{
	ASSERT(rec->count && rec->cookie + rec->count <= (uint64_t)out->count);
	ASSERT(rec->count == 1 || !rec->error);
	ASSERT(!out->is_ordered ||
	       rec->cookie == (uint64_t)(out->done + out->failed));
	for (uint64_t i = rec->cookie; i < rec->cookie + rec->count; i++) {
		ASSERT(!out->seen[i]);
		out->seen[i] = 1;
	}
	out->done += rec->error ? 0 : rec->count;
	out->failed += rec->error ? 1 : 0;
}

static void note_all(struct outcome *out, int fd)
{
	struct uet_completion recs[US_CQ_MAX];
	int i, n;

	while ((n = us_read_cq(fd, recs, US_CQ_MAX)) > 0)
		for (i = 0; i < n; i++)
			note(out, &recs[i]);
	EXPECT_EQ(errno, EAGAIN);
}

/* Operations whose completions are read now and then, and at the end. */
static void complete_many(int type)
{
	int count = getenv("UET_OPS") ? atoi(getenv("UET_OPS")) : 500;
	struct us_pair p = us_pair_of(type);
	struct outcome out = outcome_of(count);
	pid_t child = eater(p.rx);
	int i;

	out.is_ordered = type == SOCK_SEQPACKET;
	for (i = 0; i < count; i++) {
		ASSERT_EQ(us_post(p.tx, i, i % 100, 0), i % 100);
		if (i % 64 == 0)
			note_all(&out, p.tx);
	}
	EXPECT_EQ(shutdown(p.tx, SHUT_WR), 0);
	note_all(&out, p.tx);
	EXPECT_EQ(out.done, count);
	EXPECT_EQ(out.failed, 0);
	kill(child, SIGKILL);
}

TEST(many__operations_complete_once_each)
{
	complete_many(SOCK_RDM);
}

TEST(many__operations_complete_in_order)
{
	complete_many(SOCK_SEQPACKET);
}

TEST(kill__of_the_peer_completes_all)
{
	enum { COUNT = 60, SOME = 10 };
	struct us_pair p = us_pair();
	struct outcome out = outcome_of(COUNT);
	char buf[4 * KIB];
	pid_t child;
	int fds[2], i;

	us_set_buf(p.rx, SO_RCVBUF, 64 * KIB);
	ASSERT_SYS(pipe(fds));
	child = CHILD({
		for (int k = 0; k < SOME; k++)
			EXPECT_EQ(recv(p.rx, buf, sizeof(buf), 0), sizeof(buf));
		EXPECT_EQ(write(fds[1], "x", 1), 1);
		pause();
	});
	close(p.rx);
	for (i = 0; i < COUNT; i++)
		EXPECT_EQ(us_post(p.tx, i, sizeof(buf), 0), sizeof(buf));
	EXPECT_EQ(read(fds[0], buf, 1), 1);
	kill(child, SIGKILL);
	EXPECT_EQ(waitpid(child, NULL, 0), child);
	EXPECT_EQ(shutdown(p.tx, SHUT_WR), 0);
	note_all(&out, p.tx);
	EXPECT_EQ(out.done + out.failed, COUNT);
	EXPECT_GE(out.done, SOME);
	EXPECT_GE(out.failed, 1);
}

TEST(close__lets_operations_under_way_arrive)
{
	enum { COUNT = 100 };
	struct us_pair p = us_pair();
	pid_t child;
	int i;

	us_set_buf(p.rx, SO_RCVBUF, 64 * KIB);
	/* Some complete and are not read, others wait for a reader. */
	for (i = 0; i < COUNT; i++)
		EXPECT_EQ(us_post(p.tx, 2 * i, 4 * KIB, 0), 4 * KIB);
	WAIT_FOR(us_events(p.tx) & POLLERR);
	EXPECT_GT(us_queued(p.tx, SIOCOUTQ), 0);
	close(p.tx);
	child = CHILD({
		uint8_t buf[4 * KIB];

		for (int k = 0; k < COUNT; k++)
			EXPECT_EQ(recv(p.rx, buf, sizeof(buf), 0), sizeof(buf));
	});
	harness_join(child);
}

TEST(readers__share_the_queue)
{
	enum { COUNT = 200, READERS = 3 };
	struct us_pair p = with_completions(COUNT);
	pid_t child[READERS];
	int fds[2], i, sum = 0;
	char byte;

	ASSERT_SYS(pipe(fds));
	for (i = 0; i < READERS; i++)
		child[i] = CHILD({
			struct uet_completion rec;

			while (us_read_cq(p.tx, &rec, 1) == 1)
				EXPECT_EQ(write(fds[1], "x", 1), 1);
		});
	for (i = 0; i < READERS; i++)
		harness_join(child[i]);
	close(fds[1]);
	while (read(fds[0], &byte, 1) == 1)
		sum++;
	EXPECT_EQ(sum, COUNT);
}

HARNESS_MAIN()
