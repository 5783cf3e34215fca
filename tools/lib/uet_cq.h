/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The completion ring of an AF_UET socket for applications: only the
 * operations whose order matters.  Documentation/uapi.rst is the reference.
 *
 *	struct uet_cq cq;
 *
 *	if (uet_cq_open(&cq, fd, 1024))
 *		err(1, "uet_cq_open");
 *	...
 *	while (uet_cq_wait(&cq, -1) > 0)
 *		while ((rec = uet_cq_peek(&cq))) {
 *			use(rec);
 *			uet_cq_next(&cq);
 *		}
 *	uet_cq_close(&cq);
 *
 * One thread at a time consumes.  Functions return -1 with errno, as system
 * calls do.
 */
#ifndef UET_CQ_H
#define UET_CQ_H

#include <poll.h>
#include <stddef.h>
#include <sys/mman.h>

#include "uet_ioctl.h"

/**
 * struct uet_cq - a completion ring that is mapped
 * @fd: the socket
 * @shared: the mapping
 * @size: bytes of it
 */
struct uet_cq {
	int fd;
	struct uet_cq_ring_head *shared;
	size_t size;
};

/* Make the ring of a socket, with space for @entries records, and map it. */
static inline int uet_cq_open(struct uet_cq *cq, int fd, unsigned int entries)
{
	struct uet_cq_ring ring = { 0, 0, entries, 0, 0 };
	void *shared;

	if (uet_ioctl(fd, UET_IOC_CQ_RING, &ring))
		return -1;
	shared = mmap(NULL, ring.length, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		      0);
	if (shared == MAP_FAILED)
		return -1;
	cq->fd = fd;
	cq->shared = (struct uet_cq_ring_head *)shared;
	cq->size = ring.length;
	return 0;
}

static inline void uet_cq_close(struct uet_cq *cq)
{
	munmap(cq->shared, cq->size);
}

/* The oldest record that was not consumed, or NULL. */
static inline const struct uet_completion *uet_cq_peek(const struct uet_cq *cq)
{
	const struct uet_cq_ring_head *shared = cq->shared;
	const char *first = (const char *)(shared + 1);
	size_t index;

	if (shared->head == __atomic_load_n(&shared->tail, __ATOMIC_ACQUIRE))
		return NULL;
	index = shared->head & (shared->entries - 1);
	return (const struct uet_completion *)(first + index * shared->entry_size);
}

/* Consume the oldest record: its ring entry belongs to the kernel again. */
static inline void uet_cq_next(struct uet_cq *cq)
{
	__atomic_store_n(&cq->shared->head, cq->shared->head + 1,
			 __ATOMIC_RELEASE);
}

/*
 * Wait for a record, @timeout ms, or without limit with -1.  Returns 1 if there
 * is a record, 0 if not.  A caller that never waits must still call this
 * function from time to time: the call moves records that had no space into the
 * ring (UET_CQ_RING_MORE).
 */
static inline int uet_cq_wait(struct uet_cq *cq, int timeout)
{
	struct pollfd p = { cq->fd, 0, 0 };
	int ret = 0;

	if (!uet_cq_peek(cq))
		ret = poll(&p, 1, timeout);
	if (uet_cq_peek(cq))
		return 1;
	return ret < 0 ? -1 : 0;
}

#endif
