// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Sleeping until a socket or another thread has something to report.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "object.h"

int lf_wait_open(struct lf_wait *wait, enum fi_wait_obj obj)
{
	int ret;

	wait->epoll = wait->event = -1;
	wait->obj = obj == FI_WAIT_UNSPEC ? FI_WAIT_FD : obj;
	if (wait->obj == FI_WAIT_NONE)
		return 0;
	if (wait->obj != FI_WAIT_FD) {
		LF_WARN(CQ, "wait objects are FI_WAIT_NONE, FI_WAIT_UNSPEC and FI_WAIT_FD\n");
		return -FI_ENOSYS;
	}
	wait->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (wait->epoll < 0)
		return -errno;
	wait->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (wait->event < 0) {
		close(wait->epoll);
		return -errno;
	}
	ret = lf_wait_add(wait, wait->event, EPOLLIN);
	if (ret)
		lf_wait_close(wait);
	return ret;
}

void lf_wait_close(struct lf_wait *wait)
{
	if (wait->obj == FI_WAIT_NONE)
		return;
	close(wait->event);
	close(wait->epoll);
}

int lf_wait_add(struct lf_wait *wait, int fd, uint32_t events)
{
	struct epoll_event event = { .events = events };

	if (wait->obj == FI_WAIT_NONE || fd < 0 ||
	    !epoll_ctl(wait->epoll, EPOLL_CTL_ADD, fd, &event))
		return 0;
	/* With EPOLLPRI it is watched for all that it may be watched for. */
	if (errno == EEXIST && (!(events & EPOLLPRI) ||
				!epoll_ctl(wait->epoll, EPOLL_CTL_MOD, fd, &event)))
		return 0;
	return -errno;
}

void lf_wait_del(struct lf_wait *wait, int fd)
{
	if (wait->obj != FI_WAIT_NONE && fd >= 0)
		epoll_ctl(wait->epoll, EPOLL_CTL_DEL, fd, NULL);
}

void lf_wait_signal(struct lf_wait *wait)
{
	const uint64_t one = 1;

	if (wait->obj == FI_WAIT_NONE)
		return;
	if (write(wait->event, &one, sizeof(one)) < 0 && errno != EAGAIN)
		LF_WARN(CQ, "eventfd: errno %d\n", errno);
	/* Not before the write: lf_wait_clear() would then leave it. */
	atomic_store(&wait->is_set, true);
}

void lf_wait_clear(struct lf_wait *wait)
{
	uint64_t count;

	if (atomic_load(&wait->is_set) && atomic_exchange(&wait->is_set, false) &&
	    read(wait->event, &count, sizeof(count)) < 0 && errno != EAGAIN)
		LF_WARN(CQ, "eventfd: errno %d\n", errno);
}

void lf_wait_sleep(struct lf_wait *wait, int timeout)
{
	struct epoll_event event;

	/* Some applications wait for counters that were opened not to be waited for. */
	if (wait->obj == FI_WAIT_NONE)
		sched_yield();
	else
		epoll_wait(wait->epoll, &event, 1, timeout);
}

int lf_wait_control(struct lf_wait *wait, int command, void *arg)
{
	switch (command) {
	case FI_GETWAIT:
		if (wait->obj != FI_WAIT_FD)
			return -FI_ENODATA;
		*(int *)arg = wait->epoll;
		return 0;
	case FI_GETWAITOBJ:
		*(enum fi_wait_obj *)arg = wait->obj;
		return 0;
	}
	return -FI_ENOSYS;
}

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

int64_t lf_deadline(int timeout)
{
	return timeout < 0 ? -1 : now_ms() + timeout;
}

int lf_rest(int64_t deadline)
{
	int64_t rest;

	if (deadline < 0)
		return -1;
	rest = deadline - now_ms();
	return rest > 0 ? (int)rest : 0;
}
