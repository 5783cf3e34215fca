/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages of streams on the wire: what the match bits and the header data of a tagged send
 * contain. Documentation/spec/stream.rst is the specification.
 */
#ifndef UET_STREAM_WIRE_H
#define UET_STREAM_WIRE_H

#include "core/shim.h"

/* Version of the protocol. */
#define UET_STREAM_VERSION	1

/* Longest message, bytes, and messages from the oldest one that is not acknowledged on. */
#define UET_STREAM_MESSAGE_MAX	(512 << 10)
#define UET_STREAM_AHEAD_MAX	64

/* Connection ids have 28 bits; 0 is none. */
#define UET_STREAM_ID_MASK	GENMASK(27, 0)

/* Types of messages; others are ignored. */
enum uet_stream_type {
	UET_STREAM_OPEN = 1,
	UET_STREAM_ACCEPT = 2,
	UET_STREAM_DATA = 3,
	UET_STREAM_WINDOW = 4,
	UET_STREAM_FIN = 5,
	UET_STREAM_RESET = 6,
	UET_STREAM_PROBE = 7,
	UET_STREAM_EXTENSION = 15,
};

/* Reasons of a RESET. */
enum uet_stream_code {
	UET_STREAM_CLOSED = 0,
	UET_STREAM_REFUSED = 1,
	UET_STREAM_BUSY = 2,
	UET_STREAM_UNKNOWN = 3,
	UET_STREAM_PROTOCOL = 4,
	UET_STREAM_NO_MEMORY = 5,
	UET_STREAM_BAD_VERSION = 6,
};

/**
 * struct uet_stream_head - the fields of a message
 * @version: of the sender
 * @type: enum uet_stream_type
 * @dst: connection id of the receiver, 0 in OPEN
 * @src: connection id of the sender
 * @high: upper half of the header data: offset of the first byte (DATA), of the end (FIN), ports
 *	of sender and receiver (OPEN), code (RESET), else 0
 * @low: lower half: first offset that the sender of the message does not accept yet
 */
struct uet_stream_head {
	u8 version;
	u8 type;
	u32 dst;
	u32 src;
	u32 high;
	u32 low;
};

static inline u64 uet_stream_match(const struct uet_stream_head *head)
{
	return (u64)head->version << 60 | (u64)head->type << 56 | (u64)head->dst << 28 | head->src;
}

static inline u64 uet_stream_hdata(const struct uet_stream_head *head)
{
	return (u64)head->high << 32 | head->low;
}

static inline void uet_stream_head_read(struct uet_stream_head *head, u64 match, u64 hdata)
{
	head->version = match >> 60;
	head->type = match >> 56 & 0xf;
	head->dst = match >> 28 & UET_STREAM_ID_MASK;
	head->src = match & UET_STREAM_ID_MASK;
	head->high = hdata >> 32;
	head->low = (u32)hdata;
}

/* Is offset @a before @b, modulo 2^32? */
static inline bool uet_stream_before(u32 a, u32 b)
{
	return (s32)(a - b) < 0;
}

#endif
