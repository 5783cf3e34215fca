// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of endpoints that use generations: that ordered messages which find no space
 * come again, each once and in order, without their sender's doing, whether the
 * receive buffer is full or no receive is posted; and of pausing.  Started by
 * sock_api.sh, also on a device that loses packets; see uetsock.h.  Level: test.
 */
#define _GNU_SOURCE
#include "uetpost.h"

#define PAGE	4096
#define KIB	1024
#define MIB	(1024 * 1024)

#define US_RC_DISABLED	0x03

static int set(int fd, int option, uint32_t value)
{
	return setsockopt(fd, SOL_UET, option, &value, sizeof(value));
}

static uint32_t get(int fd, int option)
{
	uint32_t value = ~0u;
	socklen_t len = sizeof(value);

	ASSERT_SYS(getsockopt(fd, SOL_UET, option, &value, &len));
	return value;
}

static uint32_t generation(int fd)
{
	return get(fd, UET_RI_GENERATION) & ~UET_RI_DISABLED;
}

static bool is_disabled(int fd)
{
	return get(fd, UET_RI_GENERATION) & UET_RI_DISABLED;
}

/* An ordered sender, and a receiver with that policy. */
static struct us_pair gen_pair(uint32_t policy, int rcvbuf)
{
	struct sockaddr_uet addr = us_addr(1, UET_PID_ANY, 0);
	struct us_pair p = {
		.tx = us_endpoint_of(SOCK_SEQPACKET, 0, UET_PID_ANY, 0),
		.rx = us_socket(),
	};

	ASSERT_SYS(set(p.rx, UET_GENERATION, policy));
	us_set_buf(p.rx, SO_RCVBUF, rcvbuf);
	ASSERT_SYS(us_bind(p.rx, &addr));
	addr = us_name(p.rx);
	ASSERT_SYS(us_connect(p.tx, &addr));
	return p;
}

/* ------------------------------------------------------------------- options */

TEST(gen__options_have_their_ranges)
{
	struct sockaddr_uet addr = us_addr(1, UET_PID_ANY, 0);
	int fd = us_socket();

	EXPECT_EQ(get(fd, UET_GENERATION), UET_GEN_NONE);
	EXPECT_EQ(get(fd, UET_RI_GENERATION), 0);
	EXPECT_EQ(get(fd, UET_PAUSE), 0);
	EXPECT_FAILS(set(fd, UET_GENERATION, 3), EINVAL);
	EXPECT(us_explains(fd, "UET_GENERATION must be 0 to 2, not 3"));
	EXPECT_FAILS(set(fd, UET_PAUSE, 2), EINVAL);
	EXPECT(us_explains(fd, "UET_PAUSE must be 0 or 1, not 2"));
	EXPECT_FAILS(set(fd, UET_RI_GENERATION, 1), ENOPROTOOPT);
	EXPECT_EQ(set(fd, UET_GENERATION, UET_GEN_POSTED), 0);
	EXPECT_EQ(set(fd, UET_GENERATION, UET_GEN_NONE), 0);
	EXPECT_EQ(get(fd, UET_RI_GENERATION), 0);
	EXPECT_EQ(set(fd, UET_PAUSE, 1), 0);
	EXPECT_EQ(set(fd, UET_GENERATION, UET_GEN_BUFFER), 0);
	EXPECT_EQ(get(fd, UET_RI_GENERATION), 1 | UET_RI_DISABLED);
	EXPECT_EQ(set(fd, UET_PAUSE, 0), 0);
	EXPECT_EQ(get(fd, UET_RI_GENERATION), 2);
	ASSERT_SYS(us_bind(fd, &addr));
	EXPECT_FAILS(set(fd, UET_GENERATION, UET_GEN_NONE), EINVAL);
	EXPECT(us_explains(fd, "cannot change once the socket is bound"));
	EXPECT_EQ(get(fd, UET_GENERATION), UET_GEN_BUFFER);
}

/* Does "ueadm ep show" contain @word? */
static bool is_shown(const char *word)
{
	FILE *f = popen("ueadm -j ep show", "r");
	char text[8192];
	size_t len;

	ASSERT(f);
	len = fread(text, 1, sizeof(text) - 1, f);
	text[len] = 0;
	ASSERT_EQ(pclose(f), 0);
	return strstr(text, word);
}

TEST(gen__is_shown)
{
	struct us_pair p = us_pair();
	struct sockaddr_uet addr = us_addr(1, UET_PID_ANY, 0);
	int fd = us_socket();

	EXPECT(!is_shown("generation"));
	ASSERT_SYS(set(fd, UET_GENERATION, UET_GEN_BUFFER));
	ASSERT_SYS(us_bind(fd, &addr));
	EXPECT(is_shown("\"generation\":1"));
	EXPECT(!is_shown("disabled"));
	ASSERT_SYS(set(fd, UET_PAUSE, 1));
	EXPECT(is_shown("\"disabled\":true"));
	ASSERT_SYS(set(fd, UET_PAUSE, 0));
	EXPECT(is_shown("\"generation\":2"));
	ASSERT_SYS(close(p.tx));
}

/* -------------------------------------------------------------- a full buffer */

/* Send messages @first to @end - 1, of a length by their number, to be completed. */
static void send_all(int fd, int first, int end, size_t len)
{
	for (int i = first; i < end; i++)
		EXPECT_EQ(us_post(fd, i, len + i, 0), len + i);
}

static void read_all(int fd, int first, int end, size_t len)
{
	for (int i = first; i < end; i++)
		us_expect(fd, i, len + i);
}

/* All of them complete, in the order of their cookies. */
static void expect_all(int fd, int first, int end)
{
	struct uet_completion rec;

	for (uint64_t next = first; next < (uint64_t)end; next += rec.count) {
		rec = us_completion(fd);
		ASSERT_EQ(rec.cookie, next);
		ASSERT_EQ(rec.error, 0);
		EXPECT_EQ(rec.rc, US_RC_OK);
	}
	us_expect_none(fd);
}

TEST(gen__a_slow_reader_gets_all_in_order)
{
	const int nr = 40, rounds = 3;
	struct us_pair p = gen_pair(UET_GEN_BUFFER, 64 * KIB);
	uint32_t seen = generation(p.rx);

	EXPECT_EQ(seen, 1);
	for (int r = 0; r < rounds; r++) {
		send_all(p.tx, r * nr, (r + 1) * nr, 3000);
		WAIT_FOR(is_disabled(p.rx));
		EXPECT_EQ(generation(p.rx), seen);
		read_all(p.rx, r * nr, (r + 1) * nr, 3000);
		expect_all(p.tx, r * nr, (r + 1) * nr);
		EXPECT(!is_disabled(p.rx));
		EXPECT_GT(generation(p.rx), seen);
		seen = generation(p.rx);
	}
	WAIT_FOR(us_queued(p.tx, SIOCOUTQ) == 0);
}

/* A sender that has lost nothing need not learn the generation. */
TEST(gen__a_sender_that_was_not_refused_goes_on)
{
	struct us_pair p = gen_pair(UET_GEN_BUFFER, 64 * KIB);
	struct sockaddr_uet to = us_name(p.rx);
	int other = us_endpoint_of(SOCK_SEQPACKET, 0, UET_PID_ANY, 0);

	ASSERT_SYS(us_connect(other, &to));
	send_all(p.tx, 0, 40, 3000);
	WAIT_FOR(is_disabled(p.rx));
	send_all(other, 100, 101, 0);
	for (int left = 41; left; left--)
		EXPECT_GT(recv(p.rx, (char[4000]){ 0 }, 4000, 0), 0);
	expect_all(other, 100, 101);
	expect_all(p.tx, 0, 40);
	send_all(other, 101, 141, 0);
	read_all(p.rx, 101, 141, 0);
	expect_all(other, 101, 141);
}

/* Longer than either buffer, with others in front and behind. */
TEST(gen__streamed_messages_arrive)
{
	struct us_pair p = gen_pair(UET_GEN_BUFFER, 64 * KIB);
	pid_t child;

	us_set_buf(p.tx, SO_SNDBUF, 64 * KIB);
	child = CHILD({
		for (int i = 0; i < 12; i++)
			EXPECT_EQ(us_send(p.tx, i, i % 3 ? 30 * KIB : MIB, 0),
				  i % 3 ? 30 * KIB : MIB);
		EXPECT_EQ(shutdown(p.tx, SHUT_WR), 0);
	});
	WAIT_FOR(us_queued(p.rx, SIOCINQ) > 0);
	for (int i = 0; i < 12; i++)
		us_expect(p.rx, i, i % 3 ? 30 * KIB : MIB);
	harness_join(child);
}

/* Also of operations that need no space, which come behind those that do. */
TEST(gen__all_operations_keep_their_order)
{
	struct us_pair p = gen_pair(UET_GEN_BUFFER, 64 * KIB);
	uint8_t *to = us_map(PAGE);
	struct us_mem mine = us_mem(p.tx, PAGE);
	struct uet_rma at = {
		.key = us_reg(p.rx, to, PAGE, UET_MR_WRITE | UET_MR_READ),
	};
	struct uet_local local = { .key = mine.key, .length = PAGE };
	struct us_rma put = { .opcode = UET_OP_WRITE, .cookie = 41, .at = at };
	struct us_rma fetch = { .opcode = UET_OP_READ, .cookie = 42, .at = at,
			       .local = &local };

	send_all(p.tx, 0, 40, 3000);
	WAIT_FOR(is_disabled(p.rx));
	EXPECT_EQ(us_post_no_op(p.tx, 40, 0), 0);
	EXPECT_EQ(us_rma(p.tx, &put, us_message(7, PAGE), PAGE), PAGE);
	EXPECT_EQ(us_rma(p.tx, &fetch, NULL, 0), 0);
	send_all(p.tx, 43, 44, 0);
	/* As long as nothing is read, nothing goes on. */
	us_set_timeout(p.tx, SO_SNDTIMEO, 100);
	EXPECT_FAILS(shutdown(p.tx, SHUT_WR), EAGAIN);
	EXPECT_EQ(to[1], 0);
	read_all(p.rx, 0, 40, 3000);
	us_expect(p.rx, 43, 43);
	EXPECT(us_matches(to, 7, 0, PAGE));
	WAIT_FOR(!shutdown(p.tx, SHUT_WR));
	expect_all(p.tx, 0, 44);
	EXPECT(us_matches(mine.buf, 7, 0, PAGE));
}

TEST(gen__the_reader_goes_away)
{
	struct us_pair p = gen_pair(UET_GEN_BUFFER, 64 * KIB);
	struct uet_completion rec;
	int failed = 0;

	send_all(p.tx, 0, 40, 3000);
	WAIT_FOR(is_disabled(p.rx));
	close(p.rx);
	for (uint64_t next = 0; next < 40; next += rec.count) {
		rec = us_completion(p.tx);
		ASSERT_EQ(rec.cookie, next);
		EXPECT(!rec.error || rec.error == ECONNREFUSED);
		failed += !!rec.error;
	}
	EXPECT_GT(failed, 0);
	EXPECT_EQ(shutdown(p.tx, SHUT_WR), 0);
}

TEST(gen__the_sender_goes_away)
{
	struct us_pair p = gen_pair(UET_GEN_BUFFER, 64 * KIB);

	send_all(p.tx, 0, 40, 3000);
	WAIT_FOR(is_disabled(p.rx));
	close(p.tx);
	read_all(p.rx, 0, 40, 3000);
}

/* ------------------------------------------------------------- posted receives */

TEST(gen__no_message_comes_without_a_receive)
{
	struct us_pair p = gen_pair(UET_GEN_POSTED, 64 * KIB);
	struct us_mem mem = us_mem(p.rx, 2 * PAGE);
	struct uet_recv_post post;

	send_all(p.tx, 0, 10, 5000);
	for (int i = 0; i < 10; i++) {
		WAIT_FOR(is_disabled(p.rx));
		EXPECT_EQ(us_queued(p.rx, SIOCINQ), 0);
		post = us_want_plain(100 + i, &mem);
		ASSERT_SYS(us_recv_post(p.rx, &post));
		us_expect_recv(p.rx, 100 + i, mem.buf, i, 5000 + i);
	}
	expect_all(p.tx, 0, 10);
	EXPECT_GT(generation(p.rx), 1);
}

/* Many at a time, so that many are under way when the last one is used up. */
TEST(gen__receives_in_batches)
{
	enum { NR = 150, BATCH = 30 };
	struct us_pair p = gen_pair(UET_GEN_POSTED, 64 * KIB);
	struct us_mem mem = us_mem(p.rx, BATCH * PAGE);
	struct uet_recv_post posts[BATCH];
	pid_t child = CHILD({
		for (int i = 0; i < NR; i++)
			EXPECT_EQ(us_send(p.tx, i, i * 13, 0), i * 13);
		EXPECT_EQ(shutdown(p.tx, SHUT_WR), 0);
	});

	for (int i = 0; i < NR; i += BATCH) {
		for (int k = 0; k < BATCH; k++) {
			posts[k] = us_want_plain(i + k, &mem);
			posts[k].offset = k * PAGE;
			posts[k].length = PAGE;
		}
		EXPECT_EQ(us_recv_posts(p.rx, posts, BATCH), BATCH);
		for (int k = 0; k < BATCH; k++)
			us_expect_recv(p.rx, i + k, mem.buf + k * PAGE, i + k,
				       (i + k) * 13);
	}
	harness_join(child);
	us_expect_none(p.rx);
}

/* And what it does not take is refused again. */
TEST(gen__a_receive_enables)
{
	struct us_pair p = gen_pair(UET_GEN_BUFFER, 64 * KIB);
	struct us_mem mem = us_mem(p.rx, PAGE);
	struct uet_recv_post post = us_want(1, 5, &mem);

	for (int i = 0; i < 40; i++)
		EXPECT_EQ(us_send_tag(p.tx, 4, i, NULL, mem.buf, 3000), 3000);
	EXPECT_EQ(us_send_tag(p.tx, 5, 40, NULL, us_message(9, 99), 99), 99);
	WAIT_FOR(is_disabled(p.rx));
	ASSERT_SYS(us_recv_post(p.rx, &post));
	EXPECT_GT(generation(p.rx), 1);
	WAIT_FOR(is_disabled(p.rx));
	for (int i = 0; i < 40; i++)
		EXPECT_EQ(recv(p.rx, (char[3000]){ 0 }, 3000, 0), 3000);
	us_expect_recv(p.rx, 1, mem.buf, 9, 99);
	expect_all(p.tx, 0, 41);
}

/* ------------------------------------------------------------------ at random */

/* Whether the buffer is ever full is up to who gets a CPU: sock_flow.sh counts. */
TEST(gen__many_messages_of_all_sizes_arrive)
{
	const char *env = getenv("UET_OPS");
	const int nr = env ? atoi(env) : 200 / harness_scale();
	const char *given = getenv("UET_SEED");
	uint32_t seed = given ? strtoul(given, NULL, 0) : (uint32_t)time(NULL);
	struct us_pair p = gen_pair(UET_GEN_BUFFER, 64 * KIB);
	pid_t child;

	HARNESS_NOTE("UET_SEED=%u", seed);
	srandom(seed);
	us_set_buf(p.tx, SO_SNDBUF, 256 * KIB);
	child = CHILD({
		for (int i = 0; i < nr; i++) {
			size_t len = us_byte(seed, i) * 120;

			EXPECT_EQ(us_send(p.tx, i, len, 0), len);
		}
		EXPECT_EQ(shutdown(p.tx, SHUT_WR), 0);
	});
	for (int i = 0; i < nr; i++) {
		if (random() % 32 == 0)
			nanosleep(&(struct timespec) { .tv_nsec = 3000000 },
				  NULL);
		us_expect(p.rx, i, us_byte(seed, i) * 120);
	}
	harness_join(child);
}

/* -------------------------------------------------------------------- pausing */

TEST(pause__refuses_new_messages)
{
	struct us_pair p = us_pair();
	struct uet_completion rec;

	EXPECT_EQ(us_send(p.tx, 1, 100, 0), 100);
	us_wait_unread(p.rx, 100);
	EXPECT_EQ(set(p.rx, UET_PAUSE, 1), 0);
	EXPECT_EQ(us_post(p.tx, 2, 100, 0), 100);
	rec = us_completion(p.tx);
	EXPECT_EQ(rec.error, ENOBUFS);
	EXPECT_EQ(rec.rc, US_RC_DISABLED);
	us_expect(p.rx, 1, 100);
	EXPECT_FAILS(recv(p.rx, &rec, 1, MSG_DONTWAIT), EAGAIN);
	EXPECT_EQ(us_send(p.tx, 3, 100, 0), 100);
	EXPECT_FAILS(shutdown(p.tx, SHUT_WR), ENOBUFS);
	EXPECT(us_explains(p.tx, ": the endpoint is paused (disabled)"));
	EXPECT_EQ(set(p.rx, UET_PAUSE, 0), 0);
	p.tx = us_endpoint(0, UET_PID_ANY, 0);
	ASSERT_SYS(us_connect(p.tx, &(struct sockaddr_uet[]){ us_name(p.rx) }[0]));
	EXPECT_EQ(us_send(p.tx, 4, 100, 0), 100);
	us_expect(p.rx, 4, 100);
}

TEST(pause__leaves_memory_alone)
{
	struct us_pair p = us_pair();
	uint8_t *to = us_map(PAGE);
	struct us_rma put = {
		.opcode = UET_OP_WRITE, .cookie = 1,
		.at = { .key = us_reg(p.rx, to, PAGE, UET_MR_WRITE) },
	};
	struct uet_completion rec;

	EXPECT_EQ(set(p.rx, UET_PAUSE, 1), 0);
	EXPECT_EQ(us_rma(p.tx, &put, us_message(7, PAGE), PAGE), PAGE);
	rec = us_completion(p.tx);
	us_expect_done(&rec, 1, 1, PAGE);
	EXPECT(us_matches(to, 7, 0, PAGE));
}

/* A streamed message that was begun is finished. */
TEST(pause__finishes_a_begun_message)
{
	struct us_pair p = us_pair();
	pid_t child;

	us_set_buf(p.rx, SO_RCVBUF, 64 * KIB);
	us_set_buf(p.tx, SO_SNDBUF, 64 * KIB);
	child = CHILD(EXPECT_EQ(us_send(p.tx, 1, MIB, 0), MIB));
	WAIT_FOR(us_queued(p.rx, SIOCINQ) > 0);
	EXPECT_EQ(set(p.rx, UET_PAUSE, 1), 0);
	us_expect(p.rx, 1, MIB);
	harness_join(child);
}

TEST(pause__loses_datagrams)
{
	struct us_pair p = us_pair_of(SOCK_DGRAM), q = us_pair();
	struct sockaddr_uet to = us_name(p.rx);

	ASSERT_SYS(us_connect(q.tx, &to));
	EXPECT_EQ(set(p.rx, UET_PAUSE, 1), 0);
	EXPECT_EQ(us_send(p.tx, 1, 100, 0), 100);
	/* Nothing that is sent later over the same device comes before it. */
	EXPECT_EQ(us_post_no_op(q.tx, 1, 0), 0);
	EXPECT_EQ(us_completion(q.tx).error, 0);
	EXPECT_EQ(set(p.rx, UET_PAUSE, 0), 0);
	EXPECT_FAILS(recv(p.rx, &to, 1, MSG_DONTWAIT), EAGAIN);
}

TEST(pause__with_generations_nothing_fails)
{
	struct us_pair p = gen_pair(UET_GEN_BUFFER, MIB);

	for (int r = 0; r < 3; r++) {
		EXPECT_EQ(set(p.rx, UET_PAUSE, 1), 0);
		EXPECT(is_disabled(p.rx));
		send_all(p.tx, 20 * r, 20 * r + 20, 100);
		us_set_timeout(p.tx, SO_SNDTIMEO, 20);
		EXPECT_EQ(us_queued(p.rx, SIOCINQ), 0);
		EXPECT_EQ(set(p.rx, UET_PAUSE, 0), 0);
		EXPECT_EQ(generation(p.rx), 2 + r);
		read_all(p.rx, 20 * r, 20 * r + 20, 100);
		expect_all(p.tx, 20 * r, 20 * r + 20);
	}
}

/* ------------------------------------------------------ what need not be refused */

/* A tagged message that can wait: by its bytes, or to be read from @key. */
static void send_patient(int fd, int opcode, uint64_t key, const uint8_t *buf,
			 size_t len)
{
	const struct uet_local local = { key, 0, len };
	struct uet_op op = us_op(opcode, 1);
	struct us_control c = { .len = 0 };
	bool is_read = opcode == UET_OP_RENDEZVOUS_TSEND;
	uint64_t tag = 7;

	us_add_cmsg(&c, UET_CMSG_OP, &op, sizeof(op));
	us_add_cmsg(&c, UET_CMSG_TAG, &tag, sizeof(tag));
	if (is_read)
		us_add_cmsg(&c, UET_CMSG_LOCAL, &local, sizeof(local));
	EXPECT_EQ(us_send_control(fd, &c, buf, is_read ? 10 : len),
		  is_read ? 10 : len);
}

static void expect_patient(const struct us_pair *p, const struct us_mem *mem)
{
	struct uet_recv_post post = us_want(5, 7, mem);
	struct uet_completion rec;

	us_expect_none(p->tx);
	ASSERT_SYS(us_recv_post(p->rx, &post));
	us_expect_recv(p->rx, 5, mem->buf, 3, mem->len);
	rec = us_completion(p->tx);
	us_expect_done(&rec, 1, 1, mem->len);
	memset(mem->buf, 0, mem->len);
}

/*
 * The first, where no receive was ever posted, is refused as any is; those that
 * follow wait for their receive, and the endpoint need not be disabled for that.
 */
TEST(posted__deferrable_and_rendezvous_sends_wait)
{
	static const int opcodes[] = { UET_OP_DEFERRABLE_TSEND,
				       UET_OP_RENDEZVOUS_TSEND };
	enum { LEN = 3 * PAGE };

	for (size_t i = 0; i < 2; i++) {
		struct us_pair p = gen_pair(UET_GEN_POSTED, MIB);
		struct us_mem mem = us_mem(p.rx, LEN);
		uint8_t *buf = us_map(LEN);
		uint32_t gen, round;
		uint64_t key;

		for (size_t at = 0; at < LEN; at++)
			buf[at] = us_byte(3, at);
		key = us_reg(p.tx, buf, LEN, UET_MR_READ);
		send_patient(p.tx, opcodes[i], key, buf, LEN);
		WAIT_FOR(is_disabled(p.rx));
		expect_patient(&p, &mem);
		gen = generation(p.rx);
		for (round = 0; round < 3; round++) {
			send_patient(p.tx, opcodes[i], key, buf, LEN);
			EXPECT_EQ(us_post_no_op(p.tx, 9, 0), 0);
			EXPECT_EQ(us_completion(p.tx).cookie, 9);
			EXPECT_EQ(get(p.rx, UET_RI_GENERATION), gen);
			expect_patient(&p, &mem);
		}
		EXPECT_EQ(shutdown(p.tx, SHUT_WR), 0);
	}
}

HARNESS_MAIN()
