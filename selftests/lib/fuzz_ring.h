/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random contents of the rings that a socket shares with its process, for the socket
 * fuzzer: whatever is in them deceives only the owner.  Level: test.
 */
#ifndef UET_SELFTESTS_FUZZ_RING_H
#define UET_SELFTESTS_FUZZ_RING_H

#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz_sock.h"

/* A ring of one page: more entries are in it if that is long. */
#define FUZZ_SQ_ENTRIES		16

/* A message is a piece of the pattern, wherever the entry has it. */
static inline void make_sq_send(struct thread *t, struct uet_sq_entry *entry)
{
	static const uint8_t opcodes[] = {
		UET_OP_SEND, UET_OP_TAGGED_SEND, UET_OP_DEFERRABLE_SEND,
		UET_OP_NO_OP, UET_OP_READ, UET_OP_WRITE, UET_OP_FETCHING_ATOMIC,
	};
	uint8_t at = fuzz_below(&t->rand, sizeof(opcodes));
	bool is_message = at < 3;
	size_t len = fuzz_below(&t->rand, is_message ? 100 : 16);

	*entry = (struct uet_sq_entry){
		.kind = UET_SQ_OP,
		.flags = fuzz_below(&t->rand, 16),
		.peer = fuzz_below(&t->rand, 4),
		.send = {
			.op.opcode = opcodes[at],
			.op.flags = fuzz_below(&t->rand, 2) * UET_OP_COMPLETE,
			.addr = (uintptr_t)piece(t, len),
			.length = len,
		},
	};
	if (is_message && entry->flags & UET_SQ_INLINE) {
		entry->send.addr = 0;
		entry->send.length = fuzz_below(&t->rand, UET_SQ_INLINE_MAX + 1);
		memcpy(entry->send.data, piece(t, UET_SQ_INLINE_MAX), entry->send.length);
	}
}

static inline void make_sq_recv(struct uet_sq_entry *entry)
{
	*entry = (struct uet_sq_entry){
		.kind = UET_SQ_RECV,
		.recv = {
			.size = sizeof(entry->recv),
			.flags = UET_RECV_ANY_SOURCE | UET_RECV_TRUNC,
		},
	};
}

/*
 * Entries of all kinds, some of them damaged in front of the payload except for the
 * cookie, by which completions are judged, and an index that is right or wrong.
 */
static inline void fill_sq(struct thread *t, struct uet_sq_ring_head *head)
{
	struct uet_sq_entry *entries = (void *)(head + 1), entry;

	for (int i = 0; i < FUZZ_SQ_ENTRIES; i++) {
		if (fuzz_one_in(&t->rand, 4))
			make_sq_recv(&entry);
		else
			make_sq_send(t, &entry);
		if (fuzz_one_in(&t->rand, 8))
			fuzz_damage(&t->rand, (uint8_t *)&entry,
				    offsetof(struct uet_sq_entry, send.addr));
		if (entry.kind == UET_SQ_RECV)
			entry.recv.cookie = fuzz_below(&t->rand, 4);
		else
			entry.send.op.cookie = fuzz_below(&t->rand, 4);
		entries[i] = entry;
	}
	if (fuzz_one_in(&t->rand, 8))
		fuzz_damage(&t->rand, (uint8_t *)head, sizeof(*head));
	else
		head->tail = head->head + fuzz_below(&t->rand, FUZZ_SQ_ENTRIES + 2);
}

/*
 * Write into a ring of the socket, if it has one. Return: of mmap(), 0 or -1 with errno.
 */
static inline int write_ring(struct thread *t, int fd)
{
	bool is_sq = fuzz_one_in(&t->rand, 2);
	size_t len = sysconf(_SC_PAGESIZE);
	void *ring = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			  is_sq ? UET_SQ_RING_OFFSET : 0);
	struct uet_cq_ring_head *head = ring;

	if (ring == MAP_FAILED)
		return -1;
	if (is_sq)
		fill_sq(t, ring);
	else if (fuzz_one_in(&t->rand, 2))
		head->head = head->tail;
	else
		fuzz_damage(&t->rand, ring, len);
	return munmap(ring, len);
}

#endif
