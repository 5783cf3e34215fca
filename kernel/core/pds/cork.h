/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Short messages of a PDC that wait for the next ones, so that they leave as one burst: how
 * many, how long, and whether others are likely to follow.  Level: core L4.
 */
#ifndef UET_CORE_CORK_H
#define UET_CORE_CORK_H

#include "core/pds/pds.h"

/* A message never waits for others, or as part of a stream, or because its sender asks for it. */
enum uet_cork_hint {
	UET_CORK_NEVER,
	UET_CORK_STREAM,
	UET_CORK_MORE,
};

/*
 * struct uet_cork - messages of a PDC that wait for others
 * @until_ns: time when the messages that wait are sent; UET_NEVER: none waits
 * @last_ns: end of the latest call that sent a message; written without serialisation, too
 * @lone: messages of a stream, each of which the sender waited after, without a row since
 * @enough: messages in a row that make a stream
 * @row: messages in a row, without a pause of their sender
 * @is_stream: others are expected to follow each message
 * @is_guess: messages wait because others are expected; no sender said so
 * @is_doubted: messages have waited in vain since the sender's last call
 */
struct uet_cork {
	u64 until_ns;
	u64 last_ns;
	u32 bytes;
	u8 nr;
	u8 lone;
	bool is_stream;
	bool is_guess;
	bool is_doubted;
	u16 enough;
	u16 row;
};

/*
 * uet_cork_wants_awaited() - is uet_cork_awaited() to be called when the sender waits?
 *
 * Need not be serialised with the others.
 */
static inline bool uet_cork_wants_awaited(const struct uet_cork *cork)
{
	/* Pairs with the WRITE_ONCE()s in cork.c. */
	return READ_ONCE(cork->is_guess) || READ_ONCE(cork->is_doubted);
}

void uet_cork_init(struct uet_cork *cork);
bool uet_cork_add(struct uet_cork *cork, u32 bytes, enum uet_cork_hint hint, bool is_preempted,
		  u64 now);
void uet_cork_sent(struct uet_cork *cork, u64 now);
void uet_cork_open(struct uet_cork *cork);
void uet_cork_tick(struct uet_cork *cork, u64 now);
void uet_cork_awaited(struct uet_cork *cork);

#endif /* UET_CORE_CORK_H */
