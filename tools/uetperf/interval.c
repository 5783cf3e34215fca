// SPDX-License-Identifier: GPL-2.0
/*
 * What moves meanwhile: the ranks of one uetperf write into shared memory what they have
 * moved, and a thread of rank 0 looks at it once in so many seconds, whether anything
 * moves or not.  Level: tool.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "uetperf.h"

/* The one thread of a process; rank 0 measures one thing at a time. */
static struct {
	struct bench *b;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t end;
	bool is_running, is_ended;
	uint64_t start;
	struct interval last;
} watch = { .lock = PTHREAD_MUTEX_INITIALIZER };

/**
 * moved_share() - have memory that the ranks started here share
 * @o: command line, gets it
 *
 * Return: 0, or -1 after printing the reason.
 */
int moved_share(struct options *o)
{
	void *shared;

	if (!o->interval)
		return 0;
	shared = mmap(NULL, RANKS_MAX * sizeof(*o->moved), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED) {
		warn_user("no memory for the counters of %d ranks", o->ranks);
		return -1;
	}
	o->moved = shared;
	return 0;
}

/**
 * moved_show() - let rank 0 see what this rank has moved
 * @b: measurement
 */
void moved_show(const struct bench *b)
{
	struct moved *moved = b->o->moved;

	if (!moved || !b->is_measured)
		return;
	moved += b->o->rank;
	__atomic_store_n(&moved->sent, b->mine.bytes, __ATOMIC_RELAXED);
	__atomic_store_n(&moved->received, b->mine.received, __ATOMIC_RELAXED);
	__atomic_store_n(&moved->messages, b->mine.messages, __ATOMIC_RELAXED);
}

/* Sums since the start of the measurement. */
static struct interval sums_of(const struct bench *b)
{
	struct interval sum = { .to_ns = now_ns() - watch.start };
	const struct moved *moved = b->o->moved;
	uint64_t whose;

	for (int rank = 0; rank < b->o->ranks; rank++, moved++) {
		sum.moved.sent += __atomic_load_n(&moved->sent, __ATOMIC_RELAXED);
		sum.moved.received += __atomic_load_n(&moved->received, __ATOMIC_RELAXED);
		sum.moved.messages += __atomic_load_n(&moved->messages, __ATOMIC_RELAXED);
	}
	sum.retransmissions = b->net->ops->retransmissions(b->net, &whose);
	return sum;
}

static void interval_keep(struct intervals *all, const struct interval *i)
{
	struct interval *more = realloc(all->list, (all->nr + 1) * sizeof(*more));

	if (!more) {
		warn_user("no memory for %zu intervals", all->nr + 1);
		return;
	}
	all->list = more;
	all->list[all->nr++] = *i;
}

/* An interval ends; the last one is shorter, and none if nothing was moved in it. */
static void interval_take(struct bench *b, bool is_last)
{
	struct interval sum = sums_of(b), i = sum, *last = &watch.last;

	i.from_ns = last->to_ns;
	i.moved.sent -= last->moved.sent;
	i.moved.received -= last->moved.received;
	i.moved.messages -= last->moved.messages;
	i.retransmissions -= last->retransmissions;
	*last = sum;
	if (is_last && !i.moved.sent && !i.moved.received && !i.retransmissions)
		return;
	if (b->o->format == FORMAT_JSON)
		interval_keep(&b->intervals, &i);
	else
		output_interval(b, &i);
}

static struct timespec at(uint64_t ns)
{
	return (struct timespec){ .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };
}

static void *watch_run(void *arg)
{
	struct bench *b = arg;
	uint64_t next = watch.start;
	struct timespec until;
	int ret;

	pthread_mutex_lock(&watch.lock);
	while (!watch.is_ended) {
		next += b->o->interval * 1000000000ull;
		until = at(next);
		do {
			ret = pthread_cond_timedwait(&watch.end, &watch.lock, &until);
		} while (!ret && !watch.is_ended);
		interval_take(b, watch.is_ended);
	}
	pthread_mutex_unlock(&watch.lock);
	return NULL;
}

/**
 * intervals_begin() - begin to look, on rank 0
 * @b: measurement, whose ranks have moved nothing yet
 *
 * Return: 0, or -1 after printing the reason.
 */
int intervals_begin(struct bench *b)
{
	pthread_condattr_t attr;
	int ret;

	if (!b->o->interval || b->o->rank)
		return 0;
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&watch.end, &attr);
	pthread_condattr_destroy(&attr);
	watch.start = now_ns();
	watch.last = sums_of(b);
	watch.is_ended = false;
	ret = pthread_create(&watch.thread, NULL, watch_run, b);
	if (ret)
		warn_user("no thread for --interval: %s", strerror(ret));
	watch.is_running = !ret;
	return ret ? -1 : 0;
}

/**
 * intervals_end() - stop looking
 * @b: measurement
 */
void intervals_end(struct bench *b)
{
	if (!b->o->interval || b->o->rank || !watch.is_running)
		return;
	pthread_mutex_lock(&watch.lock);
	watch.is_ended = true;
	pthread_cond_signal(&watch.end);
	pthread_mutex_unlock(&watch.lock);
	pthread_join(watch.thread, NULL);
	pthread_cond_destroy(&watch.end);
	watch.is_running = false;
}
