// SPDX-License-Identifier: GPL-2.0
/*
 * Which messages of a PDC wait for the next ones.  A message waits if its sender says that
 * others follow, or if it is part of a stream: the sender has sent several in a row,
 * without a pause.  A stream ends when messages waited for others that did not come: the
 * sender paused, or it waits for an answer after few messages.  After each such mistake a
 * stream needs twice as many messages in a row, so a sender of short rows is soon left
 * alone.
 *
 * Implements no rule of the specification: it sees messages when they are sent.
 * Level: core L4.
 */
#include "core/pds/cork.h"

/* At most so many messages wait, so many bytes, and so long. */
#define CORK_MESSAGES		32
#define CORK_BYTES		32768
#define CORK_NS			100000

/* A sender that does not send for longer has paused. */
#define CORK_PAUSE_NS		10000

/* Messages in a row that make a stream at first, and after many mistakes. */
#define CORK_ENOUGH_MIN		4
#define CORK_ENOUGH_MAX		1024

/* A row of so many messages was worth waiting for, even if its sender waits then. */
#define CORK_ROW_GOOD		8

/**
 * uet_cork_init() - initialise the state of a new PDC
 * @cork: memory of the caller
 *
 * Context: Any.
 */
void uet_cork_init(struct uet_cork *cork)
{
	*cork = (struct uet_cork){
		.until_ns = UET_NEVER,
		.enough = CORK_ENOUGH_MIN,
	};
}

/* Pairs with the WRITE_ONCE() in uet_cork_sent(), which another thread may be about to call. */
static bool cork_has_paused(const struct uet_cork *cork, u64 now)
{
	return now >= READ_ONCE(cork->last_ns) + CORK_PAUSE_NS;
}

/* Others were expected, and did not come. */
static void cork_mistake(struct uet_cork *cork)
{
	cork->is_stream = false;
	cork->row = 0;
	cork->enough = min(2 * cork->enough, CORK_ENOUGH_MAX);
}

/* Note that another message of the sender itself came. */
static void cork_note_row(struct uet_cork *cork, enum uet_cork_hint hint, u64 now)
{
	if (hint != UET_CORK_STREAM) {
		cork->is_stream = false;
		cork->row = 0;
		return;
	}
	/* In a stream, whose sender may have been preempted, it counts until the sender waits. */
	if (!cork->is_stream && cork_has_paused(cork, now))
		cork->row = 0;
	if (cork->row < CORK_ENOUGH_MAX)
		cork->row++;
	if (cork->row >= cork->enough)
		cork->is_stream = true;
}

/**
 * uet_cork_add() - a message was queued: must it wait for others?
 * @cork: the state
 * @bytes: length of the message
 * @hint: may it wait?
 * @now: monotonic time, ns
 *
 * A message of a stream does not join those whose sender said that others follow: it is
 * the last of them.
 *
 * Context: Any; the caller serialises.
 * Return: true if the message waits, at most until @cork->until_ns; false if all messages
 *	are to be sent now.
 */
bool uet_cork_add(struct uet_cork *cork, u32 bytes, enum uet_cork_hint hint,
		  u64 now)
{
	cork_note_row(cork, hint, now);
	WRITE_ONCE(cork->last_ns, now);
	if (hint == UET_CORK_NEVER ||
	    (hint == UET_CORK_STREAM &&
	     (!cork->is_stream || (cork->nr && !cork->is_guess))))
		return false;
	if (!cork->nr) {
		cork->until_ns = now + CORK_NS;
		cork->bytes = 0;
	}
	/* Pairs with the READ_ONCE() in uet_pdc_entry_uncork(). */
	WRITE_ONCE(cork->is_guess, hint == UET_CORK_STREAM);
	cork->nr++;
	cork->bytes += bytes;
	if (cork->nr < CORK_MESSAGES && cork->bytes < CORK_BYTES)
		return true;
	if (cork->is_guess && cork->enough > CORK_ENOUGH_MIN)
		cork->enough--;
	return false;
}

/**
 * uet_cork_sent() - a call that sent messages ends
 * @cork: the state
 * @now: monotonic time, ns
 *
 * The time that a call takes is no pause of the sender.
 *
 * Context: Any; need not be serialised with the others.
 */
void uet_cork_sent(struct uet_cork *cork, u64 now)
{
	WRITE_ONCE(cork->last_ns, now);
}

/**
 * uet_cork_open() - no message waits any more, all are sent now
 * @cork: the state
 *
 * Context: Any; the caller serialises.
 */
void uet_cork_open(struct uet_cork *cork)
{
	cork->until_ns = UET_NEVER;
	cork->nr = 0;
	WRITE_ONCE(cork->is_guess, false);
}

/**
 * uet_cork_tick() - time passed; uet_cork_open() follows when @cork->until_ns has passed
 * @cork: the state
 * @now: monotonic time, ns
 *
 * Context: Any; the caller serialises.
 */
void uet_cork_tick(struct uet_cork *cork, u64 now)
{
	if (cork->is_guess && now >= cork->until_ns && cork_has_paused(cork, now))
		cork_mistake(cork);
}

/**
 * uet_cork_awaited() - the sender waits for answers or messages; uet_cork_open() follows
 * @cork: the state
 *
 * Context: Any; the caller serialises.
 */
void uet_cork_awaited(struct uet_cork *cork)
{
	if (cork->is_guess && cork->row < CORK_ROW_GOOD)
		cork_mistake(cork);
	cork->row = 0;
}
