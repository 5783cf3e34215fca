// SPDX-License-Identifier: GPL-2.0
/*
 * Which keys a domain should have at a time.  Pure.  Level: tool.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "turn.h"

/**
 * struct turner - a turn in the making
 * @turn: result
 * @wanted: configuration of the domain
 * @sa: its association numbers, as they are after the steps that there are
 * @now: seconds since 1970
 * @number: key that packets should leave under
 */
struct turner {
	struct uetd_turn *turn;
	const struct uetd_sd *wanted;
	struct uetd_sa sa[UETD_AN_NR];
	uint64_t now;
	uint64_t number;
};

static uint8_t an_of(uint64_t number)
{
	return number % UETD_AN_NR;
}

static struct uetd_step *add_step(struct turner *turner,
				  enum uetd_step_kind kind, uint8_t an)
{
	struct uetd_turn *turn = turner->turn;
	struct uetd_step *step = &turn->steps[turn->nr++];

	step->kind = kind;
	step->an = an;
	step->number = turner->sa[an].number;
	return step;
}

static void forget(struct turner *turner, uint8_t an)
{
	add_step(turner, UETD_STEP_FORGET, an);
	memset(&turner->sa[an], 0, sizeof(turner->sa[an]));
}

static void use(struct turner *turner, uint8_t an)
{
	add_step(turner, UETD_STEP_USE, an);
	turner->sa[!an].is_used = false;
	turner->sa[an].is_used = true;
}

/*
 * The epoch that a key begins with when it is set now.  It is not far from those
 * of nodes that have set it earlier, so that none finds another too old.
 */
static uint16_t epoch_of(const struct turner *turner, uint64_t number)
{
	const struct uetd_sd *wanted = turner->wanted;
	uint64_t epochs = UETD_EPOCHS, begin, part = 0;

	if (!wanted->rotation)
		return wanted->epoch;
	if (epochs > wanted->rules.epoch_age)
		epochs = wanted->rules.epoch_age + 1;
	begin = number * wanted->rotation;
	if (turner->now > begin)
		part = (turner->now - begin) * epochs / wanted->rotation;
	if (part >= epochs)
		part = epochs - 1;
	return number * epochs + part;
}

static void set_key(struct turner *turner, uint64_t number)
{
	struct uetd_sa *sa = &turner->sa[an_of(number)];
	struct uetd_step *step;

	*sa = (struct uetd_sa) {
		.is_set = true, .number = number,
		.check = turner->wanted->check,
		.epoch = epoch_of(turner, number),
	};
	step = add_step(turner, UETD_STEP_KEY, an_of(number));
	step->epoch = sa->epoch;
}

/* What the clock has to reach for something to be done. */
static void wake_at(struct turner *turner, uint64_t time)
{
	if (time > turner->now &&
	    (!turner->turn->next || time < turner->turn->next))
		turner->turn->next = time;
}

__attribute__((format(printf, 2, 3)))
static void wait_for(struct turner *turner, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(turner->turn->wait, sizeof(turner->turn->wait), fmt, args);
	va_end(args);
}

/* The association number in use, or NULL. */
static const struct uetd_sa *used_sa(const struct turner *turner)
{
	uint8_t an;

	for (an = 0; an < UETD_AN_NR; an++) {
		if (turner->sa[an].is_set && turner->sa[an].is_used)
			return &turner->sa[an];
	}
	return NULL;
}

/* The key for now, which is not one of before the key in use. */
static uint64_t number_for(struct turner *turner)
{
	const struct uetd_sa *used = used_sa(turner);
	uint64_t period = turner->wanted->rotation, number;

	if (!period)
		return turner->wanted->number;
	number = turner->now / period;
	if (!used || used->check != turner->wanted->check ||
	    used->number <= number)
		return number;
	if (turner->now + turner->wanted->overlap < used->number * period)
		wait_for(turner, "by the clock, the time of key %u, which is in use, has not come",
			 used->number);
	return used->number;
}

/*
 * A key of the number, whatever it was made of: when another file has come, the
 * keys of its periods take their turn when those of the old one have had theirs.
 */
static bool has_key(const struct turner *turner, uint64_t number)
{
	const struct uetd_sa *sa = &turner->sa[an_of(number)];

	if (!sa->is_set || !sa->check || sa->number != number)
		return false;
	return turner->wanted->rotation || sa->check == turner->wanted->check;
}

/*
 * Have the key for now behind its association number.  If another one is in use
 * there: of the same file it is of a period long over, this host has slept; of
 * another file it stays, as others go on using it, too.
 */
static bool have_key(struct turner *turner)
{
	struct uetd_sa *sa = &turner->sa[an_of(turner->number)];

	if (has_key(turner, turner->number))
		return true;
	if (sa->is_set && sa->is_used) {
		if (!turner->wanted->rotation ||
		    sa->check != turner->wanted->check) {
			wait_for(turner, "key %" PRIu64 " is for association number %u, where another key is in use%s",
				 turner->number, an_of(turner->number),
				 turner->wanted->rotation ? "" :
				 ": it needs the next number");
			return false;
		}
		forget(turner, an_of(turner->number));
	}
	set_key(turner, turner->number);
	return true;
}

/* A key of the file, of a period before the last one. */
static bool is_stale(const struct turner *turner, const struct uetd_sa *sa)
{
	return sa->check == turner->wanted->check &&
	       sa->number + 1 < turner->number;
}

/* With rotation: the keys of the periods beside, and what is over. */
static void turn_beside(struct turner *turner)
{
	uint64_t period = turner->wanted->rotation;
	uint64_t overlap = turner->wanted->overlap;
	uint64_t begin = turner->number * period, end = begin + period;
	struct uetd_sa *sa = &turner->sa[!an_of(turner->number)];

	wake_at(turner, begin + overlap);
	wake_at(turner, end - overlap);
	wake_at(turner, end);
	if (sa->is_set && sa->is_used)
		return;
	if (turner->now >= end - overlap) {
		if (!has_key(turner, turner->number + 1))
			set_key(turner, turner->number + 1);
	} else if (turner->now < begin + overlap) {
		if (turner->number && (!sa->is_set || is_stale(turner, sa)))
			set_key(turner, turner->number - 1);
	} else if (sa->is_set) {
		forget(turner, !an_of(turner->number));
	}
}

static void turn_periods(struct turner *turner)
{
	uint8_t an = an_of(turner->number);

	if (have_key(turner) && !turner->sa[an].is_used)
		use(turner, an);
	turn_beside(turner);
}

static void turn_file(struct turner *turner)
{
	uint64_t since = turner->wanted->since;
	uint64_t overlap = turner->wanted->overlap;
	uint8_t an = an_of(turner->number);

	if (!have_key(turner))
		return;
	if (!turner->sa[an].is_used) {
		if (!used_sa(turner) || turner->now >= since + overlap)
			use(turner, an);
		else
			wake_at(turner, since + overlap);
	}
	if (!turner->sa[!an].is_set)
		return;
	if (turner->sa[an].is_used && turner->now >= since + 2 * overlap)
		forget(turner, !an);
	else
		wake_at(turner, since + 2 * overlap);
}

static bool is_revoked(const struct uetd_sd *wanted, const struct uetd_sd *has)
{
	uint8_t an;

	for (an = 0; an < UETD_AN_NR; an++) {
		if (has->revoked[an] == wanted->check)
			return true;
	}
	return false;
}

/**
 * uetd_turn_make() - what the keys of a domain take
 * @turn: result
 * @wanted: configuration of the domain; without a key file, its keys are no
 *	business of ours
 * @has: the domain in the kernel; NULL: it will be new
 * @now: seconds since 1970
 */
void uetd_turn_make(struct uetd_turn *turn, const struct uetd_sd *wanted,
		    const struct uetd_sd *has, uint64_t now)
{
	struct turner turner = { .turn = turn, .wanted = wanted, .now = now };

	memset(turn, 0, sizeof(*turn));
	if (!wanted->check)
		return;
	if (has && is_revoked(wanted, has)) {
		wait_for(&turner, "the key of %s is revoked, there must be another one",
			 *wanted->key_file ? wanted->key_file :
					     wanted->credential);
		return;
	}
	if (has)
		memcpy(turner.sa, has->sa, sizeof(turner.sa));
	turner.number = number_for(&turner);
	if (wanted->rotation)
		turn_periods(&turner);
	else
		turn_file(&turner);
	if (has && has->is_shut)
		wait_for(&turner, "it is shut, there were %" PRIu64 " forged packets",
			 has->rules.fail_limit);
}
