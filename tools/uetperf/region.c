// SPDX-License-Identifier: GPL-2.0
/*
 * Memory for operations of other ranks: one region on each rank, in which each
 * other rank has its own places, and another region for results of own
 * operations.  With --verify, the contents of both are checked.  Level: tool.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "uetperf.h"

/*
 * Bytes of one rank's places together: places that are only written should span
 * a few caches; places that are checked must be distinct.
 */
#define PLACES_REUSED	(4u << 20)
#define PLACES_CHECKED	(16u << 20)

static uint64_t slots_of(const struct bench *b)
{
	uint64_t space = b->o->is_verified ? PLACES_CHECKED : PLACES_REUSED;
	uint64_t slots = space / b->size;

	if (!slots)
		return 1;
	if (!b->o->is_verified && slots > b->window)
		slots = b->window;
	return slots;
}

static char *place_at(const struct bench *b, char *base, int rank, uint64_t seq)
{
	const struct region *r = &b->region;

	return base + (rank * r->slots + seq % r->slots) * b->size;
}

/* Memory for reads contains the reader and the place, and never changes. */
static void places_fill(struct bench *b, int to)
{
	struct post post = { .to = to, .op = b->op };
	char head[PAYLOAD_HEAD], *place;

	for (uint64_t slot = 0; slot < b->region.slots; slot++) {
		payload_fill(b, &post, head, slot);
		place = place_at(b, b->region.base, to, slot);
		if (post.head_len)
			memcpy(place, post.head, post.head_len);
		memcpy(place + post.head_len, post.data,
		       b->size - post.head_len);
	}
}

static char *memory_get(size_t len)
{
	char *base = mmap(NULL, len, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (base != MAP_FAILED)
		return base;
	warn_user("no memory for a region of %zu bytes", len);
	return NULL;
}

/* Allocate memory for the results of this rank's operations. */
static int back_open(struct bench *b)
{
	struct region *r = &b->region;

	if (!b->op->has_result)
		return 0;
	r->back = memory_get(r->len);
	if (!r->back)
		return -1;
	return b->net->ops->reg(b->net, r->back, r->len, 0, &r->back_key);
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
 * Return: 0, or -1 after printing the reason.
 */
int region_open(struct bench *b)
{
	struct region *r = &b->region;

	if (!b->op->is_memory)
		return 0;
	r->slots = slots_of(b);
	r->len = r->slots * b->size * b->o->ranks;
	r->base = memory_get(r->len);
	if (!r->base)
		return -1;
	for (int to = 0; b->op->opcode == UET_OP_READ && to < b->o->ranks; to++)
		places_fill(b, to);
	if (b->net->ops->reg(b->net, r->base, r->len, b->op->access, &r->key) ||
	    back_open(b))
		return -1;
	return exchange_keys(b);
}

/**
 * region_close() - free the memory
 * @b: region
 *
 * Return: 0, or -1 after printing the reason.
 */
int region_close(struct bench *b)
{
	struct region *r = &b->region;
	int ret;

	if (!r->base)
		return 0;
	ret = b->net->ops->dereg(b->net, r->key);
	munmap(r->base, r->len);
	if (r->back) {
		ret |= b->net->ops->dereg(b->net, r->back_key);
		munmap(r->back, r->len);
	}
	memset(r, 0, sizeof(*r));
	return ret;
}

/**
 * region_place() - choose the place of an operation
 * @b: region
 * @post: its target and bytes, of which a read has none; gets key and offset,
 *	also those of what comes back
 * @seq: number of the operation
 */
void region_place(const struct bench *b, struct post *post, uint64_t seq)
{
	const struct region *r = &b->region;
	/* Sums add up in one place. */
	uint64_t at = b->op->is_sum ? 0 : seq;

	post->key = r->peers[post->to];
	post->offset = place_at(b, r->base, b->o->rank, at) - r->base;
	if (!b->op->has_result)
		return;
	post->back_key = r->back_key;
	post->back_offset = place_at(b, r->back, post->to, seq) - r->back;
	post->back_len = b->size;
	if (b->op->opcode == UET_OP_READ)
		post->len = post->head_len = 0;
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

/* Clear the bytes, so that the next operations must write them again. */
static bool bytes_are_right(const struct bench *b, char *place, int from,
			    uint64_t seq)
{
	bool is_right = payload_is_right(b, place, from, seq);

	memset(place, 0, b->size);
	return is_right;
}

/*
 * Each operation has read another multiple of the operand, in any order;
 * together they are all multiples.
 */
static bool results_are_right(const struct bench *b, int from, uint64_t first,
			      uint64_t count)
{
	uint64_t i, result, operand, sum = 0, multiple = 0;
	char *place;

	memcpy(&operand, b->payload, sizeof(operand));
	for (i = 0; i < count; i++) {
		place = place_at(b, b->region.back, from, first + i);
		memcpy(&result, place, sizeof(result));
		sum += result;
		multiple += b->region.executed - count + i;
		memset(place, 0xff, b->size);
	}
	return sum == operand * multiple;
}

static int wrong(const struct bench *b, int from, uint64_t seq)
{
	warn_user("%s: wrong bytes from rank %d, operation %ju, %u bytes",
		  b->op->name, from, (uintmax_t)seq, b->size);
	return -1;
}

/* Check the changes that rank @from made to this rank's memory. */
static int changes_check(struct bench *b, int from, uint64_t first,
			 uint64_t count)
{
	char *base = b->region.base;
	uint64_t i;

	if (b->op->is_sum) {
		if (!sums_are_right(b, place_at(b, base, from, 0)))
			return wrong(b, from, first);
		b->mine.verified += b->size;
		return 0;
	}
	for (i = first; i < first + count; i++) {
		if (!bytes_are_right(b, place_at(b, base, from, i), from, i))
			return wrong(b, from, i);
		b->mine.verified += b->size;
	}
	return 0;
}

/* Check the results of operations on rank @from. */
static int results_check(struct bench *b, int from, uint64_t first,
			 uint64_t count)
{
	uint64_t i;
	char *place;

	if (b->op->is_sum && !results_are_right(b, from, first, count))
		return wrong(b, from, first);
	for (i = first; !b->op->is_sum && i < first + count; i++) {
		place = place_at(b, b->region.back, from, i);
		if (!bytes_are_right(b, place, from, i % b->region.slots))
			return wrong(b, from, i);
	}
	b->mine.verified += count * b->size;
	return 0;
}

/**
 * region_check() - check the contents of the memory
 * @b: region; all operations have come to their end
 * @first: number of the first operation that was not checked yet
 * @count: operations of each rank to be checked, not more than there are places
 *
 * Return: 0, or -1 after printing the reason.
 */
int region_check(struct bench *b, uint64_t first, uint64_t count)
{
	bool (*sends)(int from, int to) = b->o->pattern->sends;
	bool is_changed = b->op->opcode != UET_OP_READ;
	int from, rank = b->o->rank;

	b->region.executed += count;
	for (from = 0; from < b->o->ranks; from++) {
		if (from == rank)
			continue;
		if (is_changed && sends(from, rank) &&
		    changes_check(b, from, first, count))
			return -1;
		if (b->op->has_result && sends(rank, from) &&
		    results_check(b, from, first, count))
			return -1;
	}
	return 0;
}
