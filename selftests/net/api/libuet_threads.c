// SPDX-License-Identifier: GPL-2.0
/*
 * libuet in processes with threads: each thread with a handle of its own, all of them at
 * the same time, and one handle that goes from thread to thread under a lock.  Built with
 * ThreadSanitizer as well.  Started by libuet.sh: UET_LOCAL and UET_REMOTE are the fabric
 * addresses, UET_JOB is the job.  Level: test.
 */
#include <pthread.h>
#include <sys/socket.h>
#include <uet.h>

#include "harness.h"

#define THREADS	8
#define ROUNDS	20
#define KEY	5

/**
 * struct worker - a thread
 * @rank: its number
 * @u: its handle
 * @sum: memory that the others add to
 * @thread: itself
 */
struct worker {
	uint32_t rank;
	struct uet *u;
	uint64_t sum;
	pthread_t thread;
};

static struct sockaddr_uet addrs[THREADS];
static struct worker workers[THREADS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct uet *shared;
static uint32_t shared_peer;

#define MUST(u, call) do {							\
	if ((call) < 0) {							\
		HARNESS_NOTE("%s: %s", #call, uet_strerror(u));			\
		exit(1);							\
	}									\
} while (0)

/* Ranks are on both FEPs in turn. */
static void make_addresses(void)
{
	char text[UET_ADDR_SIZE], why[UET_ERROR_SIZE];
	int i;

	for (i = 0; i < THREADS; i++) {
		snprintf(text, sizeof(text), "%s/%d",
			 getenv(i % 2 ? "UET_REMOTE" : "UET_LOCAL"), 20 + i);
		if (!EXPECT(!uet_addr_parse(&addrs[i], text, why)))
			HARNESS_NOTE("%s", why);
	}
}

static struct uet *open_rank(uint32_t rank)
{
	const struct uet_attr attr = { .rank = rank, .size = THREADS, .peers = addrs };
	char why[UET_ERROR_SIZE] = "";
	struct uet *u = uet_open(&attr, why);

	if (!u) {
		HARNESS_NOTE("uet_open: %s", why);
		exit(1);
	}
	return u;
}

static void run(void *(*body)(void *))
{
	int i;

	make_addresses();
	for (i = 0; i < THREADS; i++) {
		workers[i].rank = i;
		ASSERT_EQ(pthread_create(&workers[i].thread, NULL, body, &workers[i]), 0);
	}
	for (i = 0; i < THREADS; i++)
		ASSERT_EQ(pthread_join(workers[i].thread, NULL), 0);
}

/* A message to each other one, and its number added to the memory of each. */
static void exchange(struct worker *w, uint32_t round)
{
	const uint64_t one = 1;
	struct uet_ctx ctx;
	uint32_t i, from;

	for (i = 0; i < THREADS; i++) {
		uint32_t peer = uet_peer(w->u, i);

		if (i == w->rank)
			continue;
		MUST(w->u, uet_send(w->u, peer, &w->rank, sizeof(w->rank),
				    round % 2 ? UET_F_WAIT : 0, 0));
		MUST(w->u, uet_atomic(w->u, peer, (struct uet_rma){ KEY, 0 }, UET_AMO_SUM,
				      UET_DT_UINT64, &one, NULL, 1, UET_F_COMPLETE, i));
	}
	for (i = 1; i < THREADS; i++) {
		MUST(w->u, uet_recv(w->u, &from, sizeof(from), 0, &ctx, NULL));
		EXPECT_EQ(uet_peer_rank(w->u, ctx.peer), (int)from);
	}
}

static void completions(struct worker *w, uint32_t count)
{
	struct uet_completion done[4];
	int ret, i;

	while (count) {
		ret = uet_wait(w->u, done, 4, -1);
		MUST(w->u, ret);
		for (i = 0; i < ret; i++) {
			EXPECT_EQ(done[i].error, 0);
			count -= done[i].count;
		}
	}
}

static void *exchange_all(void *arg)
{
	struct worker *w = arg;
	__u64 key = KEY;
	uint32_t i;

	w->u = open_rank(w->rank);
	MUST(w->u, uet_mem_reg(w->u, &w->sum, sizeof(w->sum), UET_MR_ATOMIC,
			       UET_MR_FIXED_KEY, &key));
	MUST(w->u, uet_barrier(w->u, -1));
	for (i = 0; i < ROUNDS; i++) {
		exchange(w, i);
		completions(w, THREADS - 1);
	}
	MUST(w->u, uet_barrier(w->u, -1));
	MUST(w->u, uet_finish(w->u));
	uet_close(w->u);
	return NULL;
}

TEST(threads__each_has_a_handle)
{
	int i;

	run(exchange_all);
	for (i = 0; i < THREADS; i++)
		EXPECT_EQ(workers[i].sum, (THREADS - 1) * ROUNDS);
}

/* Each handle describes its own failure, not that of another. */
static void *fail_all(void *arg)
{
	struct worker *w = arg;
	char expected[64];
	int i;

	for (i = 0; i < ROUNDS; i++) {
		struct uet *u = open_rank(w->rank);

		snprintf(expected, sizeof(expected), "peer %u is no peer", 1000 + w->rank);
		EXPECT_EQ(uet_peer(u, THREADS + w->rank), 0);
		EXPECT_FAILS(uet_send(u, 1000 + w->rank, "x", 1, 0, 0), ENOENT);
		if (!EXPECT(strstr(uet_strerror(u), expected + 5)))
			HARNESS_NOTE("%s", uet_strerror(u));
		EXPECT_EQ(uet_poll(u, &(struct uet_completion){ 0 }, 1), 0);
		EXPECT_GT(uet_af(), 0);
		uet_close(u);
	}
	return NULL;
}

TEST(threads__each_opens_fails_and_closes)
{
	run(fail_all);
}

/* The lock protects the handle, its completions and its error texts. */
static void *share(void *arg)
{
	struct worker *w = arg;
	struct uet_completion done;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&lock);
		MUST(shared, uet_send(shared, shared_peer, &w->rank, sizeof(w->rank),
				      UET_F_COMPLETE, w->rank));
		MUST(shared, uet_wait(shared, &done, 1, -1));
		EXPECT_EQ(done.error, 0);
		EXPECT_EQ(done.cookie, w->rank);
		EXPECT_FAILS(uet_wait(shared, &done, 0, 0), EINVAL);
		EXPECT(!strcmp(uet_strerror(shared), "uet_wait: max is 0"));
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

TEST(threads__take_turns_with_a_handle)
{
	uint32_t from, seen[THREADS] = { 0 };
	struct uet *other;
	int i;

	make_addresses();
	shared = open_rank(0);
	other = open_rank(1);
	shared_peer = uet_peer(shared, 1);
	run(share);
	for (i = 0; i < THREADS * ROUNDS; i++) {
		MUST(other, uet_recv(other, &from, sizeof(from), MSG_DONTWAIT, NULL, NULL));
		ASSERT(from < THREADS);
		seen[from]++;
	}
	for (i = 0; i < THREADS; i++)
		EXPECT_EQ(seen[i], ROUNDS);
	uet_close(other);
	uet_close(shared);
}

HARNESS_MAIN()
