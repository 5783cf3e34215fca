// SPDX-License-Identifier: GPL-2.0
/*
 * The states of a PDC from outside: in each state, reached by packets and calls
 * alone, each packet and call does what is written here and is otherwise
 * refused as BAD_STATE, without an answer.  test_pdc_sm compares the tables with
 * what is documented; this shows that all code asks them.
 * Spec: UE 1.0.1 3.5.8, 3.5.9.  Level: test of core L4.
 */
#include "pdctest.h"

/* The possible events from outside. */
enum cause {
	C_SEND,			/* SES hands a packet down */
	C_LEARN,		/* an ACK that tells the PDCID of the peer */
	C_ANSWER,		/* an ACK, or in SYN_SENT a NACK, with no news */
	C_REQUEST,		/* a request, on a new PDC with SYN */
	C_NOSYN,		/* a request without SYN */
	C_NOOP,			/* a control packet with a PSN of its own */
	C_PROBE,		/* one without */
	C_CLOSE,		/* our side wants the end */
	C_REQ_CLOSE,		/* the peer does: the flag in an ACK */
	C_CLOSE_REQUEST,	/* the same as a control packet */
	C_CLOSE_COMMAND,
	C_BUSY_COMMAND,		/* CLOSE_COMMAND while a request is out */
	C_ABORT,
	C_NR,
};

static const char * const cause_names[C_NR] = {
	"send", "learn", "answer", "request", "nosyn", "noop", "probe", "close",
	"req_close", "close_request", "close_command", "busy_command", "abort",
};

/*
 * A cell: the state that follows; the NACK with which it is refused, the state
 * staying; or 0 where it is refused without an answer.
 */
#define TO(st)		(1 + UET_PDC_ST_##st)
#define REFUSED(code)	(0x80 | UET_NACK_##code)

typedef const u8 after_table[UET_PDC_ST_NR][C_NR];

/* Only the other end may close so. */
#define NO_COMMAND \
	[C_CLOSE_COMMAND] = REFUSED(UNEXP_EVENT), \
	[C_BUSY_COMMAND] = REFUSED(UNEXP_EVENT)
#define NO_REQUEST	[C_CLOSE_REQUEST] = REFUSED(UNEXP_EVENT)

static after_table initiator_after = {
	[UET_PDC_ST_SYN_SENT] = {
		[C_SEND] = TO(SYN_SENT), [C_LEARN] = TO(ESTABLISHED),
		[C_ANSWER] = TO(SYN_SENT), [C_CLOSE] = TO(SYN_SENT),
		[C_ABORT] = TO(ERROR),
	},
	[UET_PDC_ST_ESTABLISHED] = {
		[C_SEND] = TO(ESTABLISHED), [C_LEARN] = TO(ESTABLISHED),
		[C_ANSWER] = TO(ESTABLISHED), [C_REQUEST] = TO(ESTABLISHED),
		[C_NOSYN] = TO(ESTABLISHED), [C_NOOP] = TO(ESTABLISHED),
		[C_PROBE] = TO(ESTABLISHED), [C_CLOSE] = TO(QUIESCE),
		[C_REQ_CLOSE] = TO(QUIESCE), [C_CLOSE_REQUEST] = TO(QUIESCE),
		[C_ABORT] = TO(ERROR), NO_COMMAND,
	},
	[UET_PDC_ST_QUIESCE] = {
		[C_SEND] = TO(QUIESCE), [C_LEARN] = TO(QUIESCE),
		[C_ANSWER] = TO(QUIESCE), [C_REQUEST] = TO(QUIESCE),
		[C_NOSYN] = TO(QUIESCE), [C_NOOP] = TO(QUIESCE),
		[C_PROBE] = TO(QUIESCE), [C_CLOSE] = TO(QUIESCE),
		[C_REQ_CLOSE] = TO(QUIESCE), [C_CLOSE_REQUEST] = TO(QUIESCE),
		[C_ABORT] = TO(ERROR), NO_COMMAND,
	},
	[UET_PDC_ST_ACK_WAIT] = {
		[C_LEARN] = TO(ACK_WAIT), [C_ANSWER] = TO(ACK_WAIT),
		[C_REQUEST] = TO(ACK_WAIT), [C_NOSYN] = TO(ACK_WAIT),
		[C_NOOP] = TO(ACK_WAIT), [C_PROBE] = TO(ACK_WAIT),
		[C_CLOSE] = TO(ACK_WAIT), [C_REQ_CLOSE] = TO(ACK_WAIT),
		[C_CLOSE_REQUEST] = TO(ACK_WAIT), [C_ABORT] = TO(ERROR), NO_COMMAND,
	},
	[UET_PDC_ST_CLOSE_ACK_WAIT] = {
		[C_LEARN] = TO(CLOSE_ACK_WAIT), [C_ANSWER] = TO(CLOSE_ACK_WAIT),
		[C_REQUEST] = REFUSED(CLOSING), [C_NOSYN] = REFUSED(CLOSING),
		[C_NOOP] = TO(CLOSE_ACK_WAIT), [C_PROBE] = TO(CLOSE_ACK_WAIT),
		[C_CLOSE] = TO(CLOSE_ACK_WAIT),
		[C_REQ_CLOSE] = TO(CLOSE_ACK_WAIT),
		[C_CLOSE_REQUEST] = TO(CLOSE_ACK_WAIT), [C_ABORT] = TO(ERROR), NO_COMMAND,
	},
};

/* A target knows its peer from the start, and nobody asks it to close. */
static after_table target_after = {
	[UET_PDC_ST_PENDING] = {
		[C_REQUEST] = REFUSED(NEW_START_PSN),
		[C_NOOP] = REFUSED(NEW_START_PSN),
		[C_CLOSE] = TO(CLOSED), [C_ABORT] = TO(ERROR),
		[C_CLOSE_COMMAND] = REFUSED(NEW_START_PSN),
		[C_BUSY_COMMAND] = REFUSED(NEW_START_PSN),
		[C_CLOSE_REQUEST] = REFUSED(NEW_START_PSN),
	},
	[UET_PDC_ST_NEW_ESTABLISHED] = {
		[C_SEND] = TO(NEW_ESTABLISHED), [C_ANSWER] = TO(NEW_ESTABLISHED),
		[C_REQ_CLOSE] = TO(NEW_ESTABLISHED),
		[C_REQUEST] = TO(NEW_ESTABLISHED), [C_NOSYN] = TO(ESTABLISHED),
		[C_NOOP] = TO(NEW_ESTABLISHED), [C_PROBE] = TO(NEW_ESTABLISHED),
		[C_CLOSE] = TO(CLOSE_WAIT), [C_CLOSE_COMMAND] = TO(CLOSED),
		[C_BUSY_COMMAND] = TO(ERROR), [C_ABORT] = TO(ERROR), NO_REQUEST,
	},
	[UET_PDC_ST_ESTABLISHED] = {
		[C_SEND] = TO(ESTABLISHED), [C_ANSWER] = TO(ESTABLISHED),
		[C_REQ_CLOSE] = TO(ESTABLISHED),
		[C_REQUEST] = TO(ESTABLISHED), [C_NOSYN] = TO(ESTABLISHED),
		[C_NOOP] = TO(ESTABLISHED), [C_PROBE] = TO(ESTABLISHED),
		[C_CLOSE] = TO(CLOSE_WAIT), [C_CLOSE_COMMAND] = TO(CLOSED),
		[C_BUSY_COMMAND] = TO(ERROR), [C_ABORT] = TO(ERROR), NO_REQUEST,
	},
	[UET_PDC_ST_CLOSE_WAIT] = {
		[C_SEND] = TO(CLOSE_WAIT), [C_ANSWER] = TO(CLOSE_WAIT),
		[C_REQ_CLOSE] = TO(CLOSE_WAIT),
		[C_REQUEST] = TO(CLOSE_WAIT), [C_NOSYN] = TO(CLOSE_WAIT),
		[C_NOOP] = TO(CLOSE_WAIT), [C_PROBE] = TO(CLOSE_WAIT),
		[C_CLOSE] = TO(CLOSE_WAIT), [C_CLOSE_COMMAND] = TO(CLOSED),
		[C_BUSY_COMMAND] = TO(ERROR), [C_ABORT] = TO(ERROR), NO_REQUEST,
	},
};

/* SES holds the PDC in the end, so that it goes nowhere on its own. */
static void reach_initiator(struct pdctest *t, enum uet_pdc_state state)
{
	pt_open(t, UET_PDC_INITIATOR);
	pt_send(t, 1);
	if (state == UET_PDC_ST_SYN_SENT)
		return;
	pt_rx_ack(t, pt_ack(START, START));
	if (state == UET_PDC_ST_ACK_WAIT)
		pt_send(t, 1);
	if (state == UET_PDC_ST_ESTABLISHED || state == UET_PDC_ST_QUIESCE)
		uet_pdc_hold(t->pdc, true, t->now);
	if (state != UET_PDC_ST_ESTABLISHED)
		uet_pdc_close(t->pdc, t->now);
	pt_run(t);
	uet_pdc_hold(t->pdc, true, t->now);
	if (state == UET_PDC_ST_CLOSED)
		pt_rx_ack(t, pt_ack(START + 1, START + 1));
	if (state == UET_PDC_ST_ERROR)
		uet_pdc_abort(t->pdc, t->now);
}

static void reach_pending(struct pdctest *t)
{
	struct uet_pdc_open open = pt_open_how(UET_PDC_TARGET, UET_PDC_RUD);
	struct uet_pdc_cfg cfg = pt_cfg();

	open.start = UET_PDC_START_EXPECTED;
	open.expected_psn = START + 1000;
	pt_open_as(t, &open, &cfg);
}

static void reach_target(struct pdctest *t, enum uet_pdc_state state)
{
	if (state == UET_PDC_ST_PENDING) {
		reach_pending(t);
		return;
	}
	pt_accepted(t);
	if (state == UET_PDC_ST_NEW_ESTABLISHED)
		return;
	pt_rx_req(t, pt_req(START + 1, UET_F_AR));
	if (state == UET_PDC_ST_CLOSE_WAIT)
		uet_pdc_close(t->pdc, t->now);
	pt_run(t);
	if (state == UET_PDC_ST_CLOSED)
		pt_rx_cp(t, pt_cp(UET_CP_CLOSE_COMMAND, START + 2, UET_F_AR));
	if (state == UET_PDC_ST_ERROR)
		uet_pdc_abort(t->pdc, t->now);
}

static enum uet_drop cause_answer(struct pdctest *t, u8 flags)
{
	struct uet_pds_hdr hdr = pt_ack(START - 1, START - 1);

	if (pt_state(t) == UET_PDC_ST_SYN_SENT) {
		if (flags)
			return UET_DROP_BAD_STATE;
		hdr = pt_nack(UET_NACK_NO_PDC_AVAIL, START);
		hdr.u.nack.spdcid = 0;
		return pt_rx_nack(t, hdr);
	}
	hdr.flags |= flags;
	return pt_rx_ack(t, hdr);
}

/* The result of a call, as if it were a packet. */
static enum uet_drop call(bool did)
{
	return did ? UET_DROP_NONE : UET_DROP_BAD_STATE;
}

static enum uet_drop cause_send(struct pdctest *t)
{
	bool space = uet_pdc_tx_space(t->pdc);

	if (space)
		pt_send(t, 1);
	return call(space);
}

static enum uet_drop cause_close(struct pdctest *t)
{
	t->pdc->will_close = false;
	uet_pdc_close(t->pdc, t->now);
	return call(t->pdc->will_close);
}

static enum uet_drop cause_abort(struct pdctest *t)
{
	enum uet_pdc_state before = pt_state(t);

	uet_pdc_abort(t->pdc, t->now);
	pt_run(t);
	return call(pt_state(t) != before);
}

static enum uet_drop cause_busy_command(struct pdctest *t, u32 psn, u8 syn)
{
	if (t->pdc->role == UET_PDC_TARGET)
		cause_send(t);
	return pt_rx_cp(t, pt_cp(UET_CP_CLOSE_COMMAND, psn, syn));
}

static enum uet_drop cause_it(struct pdctest *t, enum cause cause)
{
	bool is_new = pt_state(t) == UET_PDC_ST_NEW_ESTABLISHED ||
		      pt_state(t) == UET_PDC_ST_PENDING;
	u8 syn = is_new ? UET_F_SYN : 0;
	u32 psn = t->pdc->rx.base;

	switch (cause) {
	case C_SEND:
		return cause_send(t);
	case C_LEARN:
		return t->pdc->role == UET_PDC_TARGET ? UET_DROP_BAD_STATE :
		       pt_rx_ack(t, pt_ack(START, START));
	case C_ANSWER:
		return cause_answer(t, 0);
	case C_REQUEST:
		return pt_rx_req(t, pt_req(psn, syn));
	case C_NOSYN:
		return pt_rx_req(t, pt_req(psn, 0));
	case C_NOOP:
		return pt_rx_cp(t, pt_cp(UET_CP_NOOP, psn, syn));
	case C_PROBE:
		return pt_rx_cp(t, pt_cp(UET_CP_PROBE, psn, syn));
	case C_CLOSE:
		return cause_close(t);
	case C_REQ_CLOSE:
		return cause_answer(t, UET_F_REQ_CLOSE);
	case C_CLOSE_REQUEST:
		return pt_rx_cp(t, pt_cp(UET_CP_CLOSE_REQUEST, psn, syn));
	case C_CLOSE_COMMAND:
		return pt_rx_cp(t, pt_cp(UET_CP_CLOSE_COMMAND, psn, syn));
	case C_BUSY_COMMAND:
		return cause_busy_command(t, psn, syn);
	default:
		return cause_abort(t);
	}
}

static bool is_refused(u8 after)
{
	return after & 0x80;
}

static enum uet_drop expected_drop(u8 after)
{
	if (after == REFUSED(CLOSING))
		return UET_DROP_CLOSING;
	if (after == REFUSED(NEW_START_PSN))
		return UET_DROP_BAD_SYN;
	return is_refused(after) ? UET_DROP_UNEXPECTED_CP : call(after);
}

/* A refused packet is answered by the right NACK, or not at all. */
static bool is_answered_well(const struct pdctest *t, u8 after)
{
	if (!is_refused(after))
		return after || !t->nr_tx;
	return t->nr_tx == 1 && t->tx[0].kind == UET_TX_NACK &&
	       t->tx[0].hdr.u.nack.code == (after & 0x7f);
}

static void try_cause(enum uet_pdc_role role, enum uet_pdc_state state,
		      enum cause cause, u8 after)
{
	enum uet_drop why, expected = expected_drop(after);
	const char *from = uet_pdc_state_name(state);
	struct pdctest *t = malloc(sizeof(*t));
	u32 next = after && !is_refused(after) ? after - 1u : state;

	if (role == UET_PDC_INITIATOR)
		reach_initiator(t, state);
	else
		reach_target(t, state);
	UTEST_CHECK(pt_state(t) == state, "%s was not reached", from);
	t->nr_tx = 0;
	why = cause_it(t, cause);
	UTEST_CHECK(why == expected, "%s, %s: drop reason %u, not %u", from,
		    cause_names[cause], why, expected);
	UTEST_CHECK(pt_state(t) == next, "%s, %s: now %s", from,
		    cause_names[cause], uet_pdc_state_name(pt_state(t)));
	UTEST_CHECK(is_answered_well(t, after), "%s, %s: refused with %u packets",
		    from, cause_names[cause], t->nr_tx);
	pt_close(t);
	free(t);
}

static bool is_reachable(enum uet_pdc_role role, enum uet_pdc_state state)
{
	bool of_target = state == UET_PDC_ST_NEW_ESTABLISHED ||
			 state == UET_PDC_ST_CLOSE_WAIT ||
			 state == UET_PDC_ST_PENDING;

	if (state == UET_PDC_ST_CLOSED || state == UET_PDC_ST_ERROR ||
	    state == UET_PDC_ST_ESTABLISHED)
		return true;
	return of_target == (role == UET_PDC_TARGET);
}

static void try_all(enum uet_pdc_role role, after_table after)
{
	u32 state, cause;

	for (state = 0; state < UET_PDC_ST_NR; state++)
		for (cause = 0; is_reachable(role, state) && cause < C_NR; cause++)
			try_cause(role, state, cause, after[state][cause]);
}

TEST(pdc_states__each_state_of_an_initiator_handles_each_event)
{
	try_all(UET_PDC_INITIATOR, initiator_after);
}

TEST(pdc_states__each_state_of_a_target_handles_each_event)
{
	try_all(UET_PDC_TARGET, target_after);
}

/* The peer is told, and that is the last of it. */
static void expect_last_nack(struct pdctest *t)
{
	EXPECT_EQ(t->nr_tx, 1);
	EXPECT_EQ(t->tx[0].kind, UET_TX_NACK);
	EXPECT_EQ(t->tx[0].hdr.u.nack.code, UET_NACK_CLOSING_IN_ERR);
	EXPECT_TRUE(uet_pdc_is_dead(t->pdc));
}

TEST(pdc_states__busy_target_refuses_to_close_in_each_state)
{
	static const enum uet_pdc_state states[] = {
		UET_PDC_ST_NEW_ESTABLISHED, UET_PDC_ST_ESTABLISHED,
		UET_PDC_ST_CLOSE_WAIT,
	};
	struct pdctest t;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(states); i++) {
		reach_target(&t, states[i]);
		cause_it(&t, C_BUSY_COMMAND);

		expect_last_nack(&t);
		EXPECT_EQ(t.nr_up, 1);
		EXPECT_EQ(t.up[0].kind, UET_UP_FAILED);
		EXPECT_EQ(t.up[0].error, UET_PDC_ERR_PROTOCOL);
		pt_run(&t);
		EXPECT_EQ(t.nr_tx, 0);
		pt_close(&t);
	}
}

/* ACKs pending at the time of the abort are not sent any more. */
static void expect_silent_abort(struct pdctest *t)
{
	u8 syn = pt_state(t) == UET_PDC_ST_NEW_ESTABLISHED ? UET_F_SYN : 0;
	struct uet_pds_hdr noop = pt_cp(UET_CP_NOOP, t->pdc->rx.base, syn);

	EXPECT_EQ(uet_pdc_rx_cp(t->pdc, &noop, &pt_in, t->now), UET_DROP_NONE);
	EXPECT_TRUE(uet_pdc_has_answer(t->pdc));
	uet_pdc_abort(t->pdc, t->now);

	EXPECT_TRUE(uet_pdc_is_dead(t->pdc));
	pt_run(t);
	EXPECT_EQ(t->nr_tx, 0);
	pt_close(t);
}

TEST(pdc_states__abort_is_silent_in_each_state)
{
	struct pdctest t;
	u32 state;

	for (state = 0; state < UET_PDC_ST_NR; state++) {
		if (initiator_after[state][C_NOOP]) {
			reach_initiator(&t, state);
			expect_silent_abort(&t);
		}
		if (target_after[state][C_NOOP] && state != UET_PDC_ST_PENDING) {
			reach_target(&t, state);
			expect_silent_abort(&t);
		}
	}
}
