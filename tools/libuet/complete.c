// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Completions: batches from the ring that the kernel shares, and waiting for one
 * operation.  A call that waits for one operation moves the records of others from the
 * ring to the backlog, so that poll() sleeps until the next record comes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "handle.h"

/* Return: number of records. */
static uint32_t take_backlog(struct uet *u, struct uet_completion *done, uint32_t max)
{
	size_t count = u->backlog_end - u->backlog_first;

	if (count > max)
		count = max;
	if (count)
		memcpy(done, u->backlog + u->backlog_first, count * sizeof(*done));
	u->backlog_first += count;
	if (u->backlog_first == u->backlog_end)
		u->backlog_first = u->backlog_end = 0;
	return count;
}

/* The record of an operation of the library, which the application never sees. */
static bool is_own(const struct uet_completion *done)
{
	return done->cookie > UET_COOKIE_MAX && !(done->flags & UET_COMPLETION_RECV);
}

static uint32_t take_ring(struct uet *u, struct uet_completion *done, uint32_t max)
{
	const struct uet_completion *record;
	uint32_t count = 0;

	while (count < max && (record = uet_cq_peek(&u->cq))) {
		if (is_own(record))
			libuet_probe_ended(u, record->cookie);
		else
			done[count++] = *record;
		uet_cq_next(&u->cq);
	}
	return count;
}

static bool has_more(const struct uet *u)
{
	return __atomic_load_n(&u->cq.shared->flags, __ATOMIC_RELAXED) & UET_CQ_RING_MORE;
}

int uet_poll(struct uet *u, struct uet_completion *done, uint32_t max)
{
	struct pollfd p = { .fd = u->fd };
	uint32_t count = take_backlog(u, done, max);

	count += take_ring(u, done + count, max - count);
	/* poll() moves records that had no space into the ring. */
	if (count < max && has_more(u)) {
		poll(&p, 1, 0);
		count += take_ring(u, done + count, max - count);
	}
	return count;
}

int uet_wait(struct uet *u, struct uet_completion *done, uint32_t max, int timeout)
{
	int64_t deadline = libuet_deadline(timeout);
	struct pollfd p = { .fd = u->fd };
	int count, left;

	if (!max)
		return libuet_refuse(u, EINVAL, "uet_wait: max is 0");
	for (;;) {
		count = uet_poll(u, done, max);
		if (count)
			return count;
		if (libuet_late(u))
			return -1;
		left = libuet_left(deadline);
		if (poll(&p, 1, left) < 0)
			return libuet_failed(u, "poll");
		if (uet_cq_peek(&u->cq))
			continue;
		if (p.revents & POLLERR)
			libuet_take_late(u);
		else if (!left || p.revents)
			return 0;
	}
}

static int push_backlog(struct uet *u, const struct uet_completion *record)
{
	struct uet_completion *more;
	size_t size;

	if (u->backlog_end == u->backlog_size) {
		size = u->backlog_size ? 2 * u->backlog_size : 64;
		more = realloc(u->backlog, size * sizeof(*more));
		if (!more)
			return -1;
		u->backlog = more;
		u->backlog_size = size;
	}
	u->backlog[u->backlog_end++] = *record;
	return 0;
}

/*
 * Take all records from the ring up to that of an operation of the library; @cookie 0:
 * all.  Return: 1, and @done is that record; 0: there is none; -1 without memory for the
 * records of the application.
 */
int libuet_take(struct uet *u, uint64_t cookie, struct uet_completion *done)
{
	const struct uet_completion *record;
	bool is_mine = false;

	while (!is_mine && (record = uet_cq_peek(&u->cq))) {
		is_mine = is_own(record) && record->cookie == cookie;
		if (is_mine)
			*done = *record;
		if (is_own(record))
			libuet_probe_ended(u, record->cookie);
		else if (push_backlog(u, record))
			return libuet_refuse(u, ENOMEM,
					     "no memory for %zu completions of other operations",
					     u->backlog_end + 1);
		uet_cq_next(&u->cq);
	}
	return is_mine;
}

/*
 * Wait for the end of an operation of the library.  Return: 1, and @done is its
 * completion; 0: it has not ended before the deadline; -1: see libuet_take().  Unless it
 * has ended it goes on, and its completion is dropped when it comes.
 */
int libuet_await(struct uet *u, uint64_t cookie, int64_t deadline,
		 struct uet_completion *done)
{
	struct pollfd p = { .fd = u->fd };
	int ret, left;

	for (;;) {
		ret = libuet_take(u, cookie, done);
		if (ret)
			return ret;
		left = libuet_left(deadline);
		if (poll(&p, 1, left) > 0 && !uet_cq_peek(&u->cq))
			libuet_take_late(u);
		if (!left && !uet_cq_peek(&u->cq))
			return 0;
	}
}
