/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random calls on sockets by io_uring, each thread with a ring of its own: the kernel
 * executes them later, or in threads of its own.  For chaos_calls.h.  Level: test.
 */
#ifndef UET_SELFTESTS_CHAOS_URING_H
#define UET_SELFTESTS_CHAOS_URING_H

#include <linux/io_uring.h>
#include <sys/syscall.h>

#include "fuzz_calls.h"

#define URING_ENTRIES	8

/**
 * struct uring - of one thread
 * @fd: of the ring, 0: none yet, -1: the kernel gives none
 * @head, @tail: of the submission queue
 * @cq_head, @cq_tail: of the completion queue, which nobody reads
 * @entries: of the submission queue
 * @msgs, @iovs, @addrs: of the entries with the same number
 */
struct uring {
	int fd;
	atomic_uint *head, *tail, *cq_head, *cq_tail;
	struct io_uring_sqe *entries;
	struct msghdr msgs[URING_ENTRIES];
	struct iovec iovs[URING_ENTRIES][IOVS];
	struct sockaddr_uet addrs[URING_ENTRIES];
};

static _Thread_local struct uring uring;

static inline void open_uring(struct uring *u)
{
	struct io_uring_params p = { 0 };
	uint8_t *ring;
	uint32_t *array;

	u->fd = syscall(__NR_io_uring_setup, URING_ENTRIES, &p);
	if (u->fd < 0)
		return;
	ring = mmap(NULL, p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe),
		    PROT_READ | PROT_WRITE, MAP_SHARED, u->fd, IORING_OFF_SQ_RING);
	u->entries = mmap(NULL, p.sq_entries * sizeof(*u->entries),
			  PROT_READ | PROT_WRITE, MAP_SHARED, u->fd, IORING_OFF_SQES);
	if (ring == MAP_FAILED || u->entries == MAP_FAILED) {
		u->fd = -1;
		return;
	}
	u->head = (void *)(ring + p.sq_off.head);
	u->tail = (void *)(ring + p.sq_off.tail);
	u->cq_head = (void *)(ring + p.cq_off.head);
	u->cq_tail = (void *)(ring + p.cq_off.tail);
	array = (void *)(ring + p.sq_off.array);
	for (uint32_t i = 0; i < URING_ENTRIES; i++)
		array[i] = i;
}

static inline void make_entry(struct thread *t, struct uring *u, unsigned int at)
{
	static const uint8_t opcodes[] = {
		IORING_OP_SENDMSG, IORING_OP_SENDMSG, IORING_OP_RECVMSG,
		IORING_OP_RECVMSG, IORING_OP_SEND, IORING_OP_RECV, IORING_OP_POLL_ADD,
		IORING_OP_READ, IORING_OP_WRITE, IORING_OP_ASYNC_CANCEL,
		IORING_OP_CONNECT, IORING_OP_SHUTDOWN, IORING_OP_CLOSE,
		47 /* SEND_ZC */, 48 /* SENDMSG_ZC */,
	};
	uint8_t opcode = opcodes[fuzz_below(&t->rand, NR(opcodes))];
	size_t len = fuzz_below(&t->rand, 9000);
	struct io_uring_sqe *sqe = &u->entries[at];
	bool receives = opcode == IORING_OP_RECV || opcode == IORING_OP_READ;

	make_send(t, &u->msgs[at], u->iovs[at], &u->addrs[at]);
	*sqe = (struct io_uring_sqe){
		.opcode = opcode, .fd = any_fd(t), .len = len,
		.flags = fuzz_below(&t->rand, 2) * IOSQE_ASYNC |
			 fuzz_one_in(&t->rand, 4) * IOSQE_IO_LINK,
		.addr = (uintptr_t)(receives ? t->buf : piece(t, len)),
		.msg_flags = make_flags(t),
	};
	switch (opcode) {
	case IORING_OP_SENDMSG:
	case IORING_OP_RECVMSG:
	case 48:
		sqe->addr = (uintptr_t)&u->msgs[at];
		sqe->len = 1;
		break;
	case IORING_OP_CONNECT:
		sqe->addr = (uintptr_t)&u->addrs[at];
		sqe->off = sizeof(u->addrs[at]);
		sqe->len = 0;
		break;
	case IORING_OP_POLL_ADD:
		sqe->addr = 0;
		sqe->len = fuzz_below(&t->rand, 2);
		sqe->poll32_events = fuzz_u32(&t->rand);
		break;
	case IORING_OP_SHUTDOWN:
		sqe->len = fuzz_below(&t->rand, 3);
		/* fall through */
	case IORING_OP_CLOSE:
	case IORING_OP_ASYNC_CANCEL:
		sqe->addr = 0;
		sqe->msg_flags = 0;
	}
}

static inline void call_uring(struct thread *t)
{
	struct uring *u = &uring;
	unsigned int nr = 1 + fuzz_below(&t->rand, 4), tail;

	if (!u->fd)
		open_uring(u);
	if (u->fd < 0)
		return;
	tail = atomic_load(u->tail);
	for (unsigned int i = 0; i < nr && tail - atomic_load(u->head) < URING_ENTRIES; i++)
		make_entry(t, u, tail++ % URING_ENTRIES);
	atomic_store(u->tail, tail);
	syscall(__NR_io_uring_enter, u->fd, nr, 0, 0, NULL, 0);
	atomic_store(u->cq_head, atomic_load(u->cq_tail));
	if (fuzz_one_in(&t->rand, 64)) {
		/* The mappings stay, until the process ends. */
		close(u->fd);
		memset(u, 0, sizeof(*u));
	}
}

#endif
