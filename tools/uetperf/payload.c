// SPDX-License-Identifier: GPL-2.0
/*
 * The payload.  All messages are cut out of one string of random bytes, which
 * every rank makes from the seed.  With --verify, each message begins with its
 * sender, receiver and number, which determine the position of the other bytes
 * in the string, so that the receiver can compare every byte.  Level: tool.
 */
#include <stdlib.h>
#include <string.h>

#include "uetperf.h"

/* Number of different messages before the payload repeats. */
#define SHIFTS	4096

/**
 * struct head - in front of a message that is long enough
 * @seq: number among the sender's messages to the same rank
 * @from: sender
 * @to: receiver
 */
struct head {
	uint64_t seq;
	uint32_t from;
	uint32_t to;
};

_Static_assert(sizeof(struct head) == PAYLOAD_HEAD, "the space for a head");

/**
 * payload_make() - make the string
 * @b: size; gets the payload
 *
 * Return: 0, or -1 after printing the reason.
 */
int payload_make(struct bench *b)
{
	uint64_t x = b->o->seed * 0x9e3779b97f4a7c15ull + 1;
	size_t len = (size_t)b->size + SHIFTS;

	b->payload = malloc(len);
	if (!b->payload) {
		warn_user("no memory for messages of %u bytes", b->size);
		return -1;
	}
	for (size_t i = 0; i < len; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		b->payload[i] = x >> 32;
	}
	return 0;
}

static const char *payload_at(const struct bench *b, int from, uint64_t seq)
{
	return b->payload + (from * 1021 + seq * 61) % SHIFTS;
}

/* Messages long enough to carry a head. */
static bool has_head(const struct bench *b)
{
	return b->size >= PAYLOAD_HEAD;
}

/**
 * payload_fill() - the bytes of a message
 * @b: payload
 * @post: its receiver; gets the bytes
 * @head: space for PAYLOAD_HEAD bytes, which @post will refer to
 * @seq: number of the message
 */
void payload_fill(const struct bench *b, struct post *post, char *head,
		  uint64_t seq)
{
	struct head h = { .seq = seq, .from = b->o->rank, .to = post->to };

	post->len = b->size;
	post->head_len = 0;
	post->data = b->payload;
	/* Sums use constant operands. */
	if (!b->o->is_verified || b->op->is_sum)
		return;
	post->data = payload_at(b, b->o->rank, has_head(b) ? seq : 0);
	if (!has_head(b))
		return;
	memcpy(head, &h, sizeof(h));
	post->head = head;
	post->head_len = sizeof(h);
	post->data = (const char *)post->data + sizeof(h);
}

/**
 * payload_seq() - the number that a message has
 * @b: payload
 * @data: the message
 * @from: its sender
 * @seq: returns the number
 *
 * Return: 1, 0 if it is too short to have one, -1 if it is not a message of
 * that sender to this rank.
 */
int payload_seq(const struct bench *b, const char *data, int from,
		uint64_t *seq)
{
	struct head h;

	if (!has_head(b))
		return 0;
	memcpy(&h, data, sizeof(h));
	*seq = h.seq;
	if (h.from != (uint32_t)from || h.to != (uint32_t)b->o->rank)
		return -1;
	return 1;
}

/**
 * payload_is_right() - compare every byte
 * @b: payload
 * @data: a message
 * @from: its sender
 * @seq: its number
 *
 * Return: true if all are as they were sent.
 */
bool payload_is_right(const struct bench *b, const char *data, int from,
		      uint64_t seq)
{
	const char *right = payload_at(b, from, has_head(b) ? seq : 0);
	size_t skip = has_head(b) ? sizeof(struct head) : 0;
	uint64_t said;

	if (skip && (payload_seq(b, data, from, &said) < 0 || said != seq))
		return false;
	return !memcmp(data + skip, right + skip, b->size - skip);
}
