/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The submission ring of an AF_UET socket for applications: only the operations whose
 * order matters.  Documentation/uapi.rst is the reference.
 *
 *	struct uet_sq sq;
 *	struct uet_sq_entry *entry;
 *
 *	if (uet_sq_open(&sq, fd, 1024))
 *		err(1, "uet_sq_open");
 *	...
 *	while ((entry = uet_sq_next(&sq))) {
 *		fill(entry);
 *		uet_sq_push(&sq);
 *	}
 *	if (uet_sq_submit(&sq) < 0 && errno != EAGAIN)
 *		err(1, "uet_sq_submit");
 *	uet_sq_close(&sq);
 *
 * One thread at a time writes entries.  Functions return -1 with errno, as system calls
 * do.
 */
#ifndef UET_SQ_H
#define UET_SQ_H

#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "uet_ioctl.h"

/**
 * struct uet_sq - a submission ring that is mapped
 * @fd: the socket
 * @shared: the mapping
 * @size: bytes of it
 * @tail: number of entries written
 */
struct uet_sq {
	int fd;
	struct uet_sq_ring_head *shared;
	size_t size;
	__u32 tail;
};

/* Make the ring of a socket, with space for @entries entries, and map it. */
static inline int uet_sq_open(struct uet_sq *sq, int fd, unsigned int entries)
{
	struct uet_sq_ring ring = { 0, 0, entries, 0, 0, 0 };
	void *shared;

	if (uet_ioctl(fd, UET_IOC_SQ_RING, &ring))
		return -1;
	shared = mmap(NULL, ring.length, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		      (off_t)ring.offset);
	if (shared == MAP_FAILED)
		return -1;
	sq->fd = fd;
	sq->shared = (struct uet_sq_ring_head *)shared;
	sq->size = ring.length;
	sq->tail = 0;
	return 0;
}

static inline void uet_sq_close(struct uet_sq *sq)
{
	munmap(sq->shared, sq->size);
}

/* The next entry to write, zeroed; NULL: the ring is full until uet_sq_submit(). */
static inline struct uet_sq_entry *uet_sq_next(const struct uet_sq *sq)
{
	struct uet_sq_ring_head *shared = sq->shared;
	char *first = (char *)(shared + 1);
	struct uet_sq_entry *entry;
	__u32 used = sq->tail - __atomic_load_n(&shared->head, __ATOMIC_ACQUIRE);

	if (used >= shared->entries)
		return NULL;
	entry = (struct uet_sq_entry *)
		(first + (size_t)(sq->tail & (shared->entries - 1)) * shared->entry_size);
	memset(entry, 0, sizeof(*entry));
	return entry;
}

/* The entry of uet_sq_next() is complete. */
static inline void uet_sq_push(struct uet_sq *sq)
{
	__atomic_store_n(&sq->shared->tail, ++sq->tail, __ATOMIC_RELEASE);
}

/* Number of entries that the kernel has not taken. */
static inline unsigned int uet_sq_waiting(const struct uet_sq *sq)
{
	__u32 head = __atomic_load_n(&sq->shared->head, __ATOMIC_ACQUIRE);

	return __atomic_load_n(&sq->shared->tail, __ATOMIC_ACQUIRE) - head;
}

/* Whether a thread in uet_sq_poll() takes all entries written so far. */
static inline int uet_sq_is_polled(const struct uet_sq *sq)
{
	/* Pairs with the kernel's barrier between the flag and its last look at tail. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return __atomic_load_n(&sq->shared->flags, __ATOMIC_RELAXED) &
	       UET_SQ_RING_POLLED;
}

/*
 * Let the kernel take all entries that need not wait.  Returns their number; EAGAIN: the
 * first one would have to wait, until EPOLLOUT.  Makes no call and returns 0 while a
 * thread polls.
 */
static inline int uet_sq_submit(const struct uet_sq *sq)
{
	return uet_sq_is_polled(sq) ? 0 : ioctl(sq->fd, UET_IOC_SUBMIT, ~0U);
}

/*
 * Take entries as other threads push them, until none was pushed for @idle_us
 * microseconds, or one has to wait.  Returns their number; EAGAIN: the first one has to
 * wait, until EPOLLOUT.  Call again while uet_sq_waiting() is not 0 afterwards.
 */
static inline int uet_sq_poll(const struct uet_sq *sq, unsigned int idle_us)
{
	return ioctl(sq->fd, UET_IOC_SQ_POLL, (unsigned long)idle_us);
}

#endif
