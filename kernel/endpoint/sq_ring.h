/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The submission ring of an AF_UET socket: memory shared with the process, in which
 * the process writes operations and receives for UET_IOC_SUBMIT and UET_IOC_SQ_POLL.
 */
#ifndef UET_SQ_RING_H
#define UET_SQ_RING_H

#include <linux/mutex.h>
#include <linux/types.h>

struct uet_sock;
struct uet_sq_entry;
struct vm_area_struct;

/**
 * struct uet_sq - submission queue of a socket
 * @lock: one thread at a time takes entries
 * @ring: the ring; NULL: none; set once, and valid as long as the socket has a file
 * @has_poller: bit 0: a thread is in UET_IOC_SQ_POLL
 */
struct uet_sq {
	struct mutex lock;
	struct uet_sq_mem *ring;
	unsigned long has_poller;
};

void uet_sq_init(struct uet_sq *sq);
void uet_sq_close(struct uet_sq *sq);
int uet_sq_ioctl_ring(struct uet_sock *us, void __user *arg);
int uet_sq_mmap(struct uet_sock *us, struct vm_area_struct *vma);
int uet_sq_begin_polling(struct uet_sock *us);
void uet_sq_set_polled(struct uet_sq *sq, bool is_polled);
void uet_sq_end_polling(struct uet_sq *sq);

/* For the thread that takes entries, with the lock. */
int uet_sq_ready(struct uet_sock *us, u32 *count);
void uet_sq_peek(const struct uet_sq *sq, struct uet_sq_entry *entry);
void uet_sq_advance(struct uet_sq *sq);

#endif
