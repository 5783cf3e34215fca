// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that the operations of other ranks change: one region on each rank,
 * in which each other rank has some places for itself, and with --verify the
 * check of what they have made of it.  Level: tool.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "uetperf.h"

/*
 * Places of one rank together, bytes: what is written again and again should be
 * no more than a few caches, what is to be checked needs places of its own.
 */
#define PLACES_REUSED	(4u << 20)
#define PLACES_CHECKED	(16u << 20)

static bool is_atomic(const struct bench *b)
{
	return b->op->opcode == UET_OP_ATOMIC;
}

static uint64_t slots_of(const struct bench *b)
{
	uint64_t room = b->o->is_verified ? PLACES_CHECKED : PLACES_REUSED;
	uint64_t slots = room / b->size;

	/* Sums add up in one place. */
	if (is_atomic(b) || !slots)
		return 1;
	if (!b->o->is_verified && slots > b->window)
		slots = b->window;
	return slots;
}

static int exchange_keys(struct bench *b)
{
	struct ctl ctl = { .kind = CTL_KEY, .value = { b->region.key } };
	struct net *net = b->net;
	int rank;

	for (rank = 0; rank < b->o->ranks; rank++)
		if (rank != b->o->rank && net->ops->ctl_send(net, rank, &ctl))
			return -1;
	for (rank = 0; rank < b->o->ranks; rank++) {
		if (rank == b->o->rank)
			continue;
		if (ctl_expect(net, rank, CTL_KEY, &ctl))
			return -1;
		b->region.peers[rank] = ctl.value[0];
	}
	return 0;
}

/**
 * region_open() - have memory for the others, and learn of theirs
 * @b: operation, size and iterations; gets the region
 *
 * Return: 0, or -1 and it was said why.
 */
int region_open(struct bench *b)
{
	struct region *r = &b->region;

	if (!b->op->is_memory)
		return 0;
	r->slots = slots_of(b);
	r->len = r->slots * b->size * b->o->ranks;
	r->base = mmap(NULL, r->len, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (r->base == MAP_FAILED) {
		r->base = NULL;
		warn_user("no memory for a region of %zu bytes", r->len);
		return -1;
	}
	if (b->net->ops->reg(b->net, r->base, r->len, b->op->access, &r->key))
		return -1;
	return exchange_keys(b);
}

/**
 * region_close() - nobody needs the memory any more
 * @b: region
 *
 * Return: 0, or -1 and it was said why.
 */
int region_close(struct bench *b)
{
	struct region *r = &b->region;
	int ret;

	if (!r->base)
		return 0;
	ret = b->net->ops->dereg(b->net, r->key);
	munmap(r->base, r->len);
	memset(r, 0, sizeof(*r));
	return ret;
}

/**
 * region_place() - where an operation goes
 * @b: region
 * @post: its target; gets key and offset
 * @seq: number of the operation
 */
void region_place(const struct bench *b, struct post *post, uint64_t seq)
{
	const struct region *r = &b->region;

	post->key = r->peers[post->to];
	post->offset = (b->o->rank * r->slots + seq % r->slots) * b->size;
}

/* Every value is the sum of as many operands as there were operations. */
static bool sums_are_right(const struct bench *b, const char *place)
{
	uint64_t sum, operand;

	for (uint32_t i = 0; i + sizeof(sum) <= b->size; i += sizeof(sum)) {
		memcpy(&sum, place + i, sizeof(sum));
		memcpy(&operand, b->payload + i, sizeof(operand));
		if (sum != operand * b->region.executed)
			return false;
	}
	return true;
}

/* And what was written is taken away, so that it must be written again. */
static bool place_is_right(const struct bench *b, int from, uint64_t seq)
{
	const struct region *r = &b->region;
	bool is_right;
	char *place;

	place = r->base + (from * r->slots + seq % r->slots) * b->size;
	if (is_atomic(b))
		return sums_are_right(b, place);
	is_right = payload_is_right(b, place, from, seq);
	memset(place, 0, b->size);
	return is_right;
}

/**
 * region_check() - compare what the others have made of the memory
 * @b: region; all operations have come to their end
 * @first: number of the first operation that was not checked yet
 * @count: operations of each rank to be checked, not more than there are places
 *
 * Return: 0, or -1 and it was said what is wrong.
 */
int region_check(struct bench *b, uint64_t first, uint64_t count)
{
	int from, rank = b->o->rank;
	uint64_t i;

	b->region.executed += count;
	if (is_atomic(b))
		count = 1;
	for (from = 0; from < b->o->ranks; from++) {
		if (from == rank || !b->o->pattern->sends(from, rank))
			continue;
		for (i = 0; i < count; i++) {
			if (!place_is_right(b, from, first + i)) {
				warn_user("%s: wrong bytes from rank %d, operation %ju, %u bytes",
					  b->op->name, from,
					  (uintmax_t)(first + i), b->size);
				return -1;
			}
			b->mine.verified += b->size;
		}
	}
	return 0;
}
