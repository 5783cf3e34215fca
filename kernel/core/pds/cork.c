// SPDX-License-Identifier: GPL-2.0
/*
 * Which messages of a PDC wait for the next ones.  A message waits if its sender says that others
 * follow, or if it is part of a stream: the sender has sent several in a row, without a pause.  A
 * stream ends when messages waited for others that did not come.  After each such mistake a stream
 * needs twice as many messages in a row, so a sender of short rows is soon left alone.
 *
 * Spec: none, the rule is local.  Level: core L4.
 */
#include "core/pds/cork.h"

/* At most so many messages wait, so many bytes, and so long. */
#define CORK_MESSAGES		32
#define CORK_BYTES		32768
#define CORK_NS			100000

/* A sender that does not send for longer has paused. */
#define CORK_PAUSE_NS		50000

/* If fewer messages than these come in CORK_NS, they need not wait for each other. */
#define CORK_FEW		4

/* Messages in a row that make a stream at first, and after many mistakes. */
#define CORK_ENOUGH_MIN		4
#define CORK_ENOUGH_MAX		1024

/*
 * A sender that waits after each message has no stream.  One whose window is full may do so
 * for some messages, until several are completed at once.
 */
#define CORK_LONE_MAX		16

/* A row of so many messages was worth it, even if the last ones waited in vain. */
#define CORK_ROW_GOOD		8

/*
 * uet_cork_init() - initialise the state of a new PDC
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
	cork->lone = 0;
	cork->enough = min(2 * cork->enough, CORK_ENOUGH_MAX);
}

/*
 * Another message of the sender itself came.  A sender that was preempted has not paused,
 * however late its message is.
 */
static void cork_note_row(struct uet_cork *cork, enum uet_cork_hint hint,
			  bool is_preempted, u64 now)
{
	bool is_doubted = cork->is_doubted;

	WRITE_ONCE(cork->is_doubted, false);
	if (hint != UET_CORK_STREAM) {
		cork->is_stream = false;
		cork->row = 0;
		return;
	}
	if (!is_preempted && is_doubted)
		cork_mistake(cork);
	else if (!is_preempted && cork_has_paused(cork, now))
		cork->row = 0;
	if (cork->row < CORK_ENOUGH_MAX)
		cork->row++;
	if (cork->row >= cork->enough)
		cork->is_stream = true;
}

/*
 * uet_cork_add() - a message was queued: must it wait for others?
 * @is_preempted: the sender was off its CPU since its previous message, and did not sleep
 *
 * A message of a stream does not join those whose sender said that others follow: it is the
 * last of them.  Return: true: it waits, at most until @cork->until_ns; false: send all
 * messages now.
 */
bool uet_cork_add(struct uet_cork *cork, u32 bytes, enum uet_cork_hint hint,
		  bool is_preempted, u64 now)
{
	cork_note_row(cork, hint, is_preempted, now);
	WRITE_ONCE(cork->last_ns, now);
	if (hint == UET_CORK_NEVER ||
	    (hint == UET_CORK_STREAM &&
	     (!cork->is_stream || (cork->nr && !cork->is_guess))))
		return false;
	if (!cork->nr) {
		cork->until_ns = now + CORK_NS;
		cork->bytes = 0;
	}
	/* Pairs with the READ_ONCE() in uet_cork_wants_awaited(). */
	WRITE_ONCE(cork->is_guess, hint == UET_CORK_STREAM);
	cork->nr++;
	cork->bytes += bytes;
	if (cork->nr < CORK_MESSAGES && cork->bytes < CORK_BYTES)
		return true;
	if (cork->is_guess && cork->enough > CORK_ENOUGH_MIN)
		cork->enough--;
	return false;
}

/*
 * uet_cork_sent() - messages were sent; the time that this took is no pause of the sender
 *
 * Need not be serialised with the others.
 */
void uet_cork_sent(struct uet_cork *cork, u64 now)
{
	WRITE_ONCE(cork->last_ns, now);
}

/*
 * uet_cork_open() - no message waits any more, all are sent now
 */
void uet_cork_open(struct uet_cork *cork)
{
	cork->until_ns = UET_NEVER;
	cork->nr = 0;
	WRITE_ONCE(cork->is_guess, false);
}

/*
 * uet_cork_tick() - time passed; uet_cork_open() follows when @cork->until_ns has passed
 *
 * Messages that waited in vain put the stream in doubt.  The next call of the sender tells
 * whether it was preempted, or has paused.
 */
void uet_cork_tick(struct uet_cork *cork, u64 now)
{
	if (cork->is_guess && now >= cork->until_ns &&
	    (cork->nr < CORK_FEW || cork_has_paused(cork, now)))
		WRITE_ONCE(cork->is_doubted, true);
}

/*
 * uet_cork_awaited() - the sender waits for answers or messages; uet_cork_open() follows
 */
void uet_cork_awaited(struct uet_cork *cork)
{
	if (cork->row > 1)
		cork->lone = 0;
	else if (cork->is_guess)
		cork->lone++;
	if (cork->lone == CORK_LONE_MAX || (cork->is_doubted && cork->row < CORK_ROW_GOOD))
		cork_mistake(cork);
	WRITE_ONCE(cork->is_doubted, false);
	cork->row = 0;
}
