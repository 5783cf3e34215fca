// SPDX-License-Identifier: GPL-2.0
/*
 * Computes the keys that a domain should have at a given time.  Pure.  Level:
 * tool.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "rotation.h"

/**
 * struct rotator - a rotation in the making
 * @rotation: result
 * @wanted: configuration of the domain
 * @sa: association numbers of the domain, after the steps so far
 * @now: seconds since 1970
 * @number: key that should seal outgoing packets
 */
struct rotator {
	struct uetd_rotation *rotation;
	const struct uetd_sd *wanted;
	struct uetd_sa sa[UETD_AN_NR];
	uint64_t now;
	uint64_t number;
};

static uint8_t an_of(uint64_t number)
{
	return number % UETD_AN_NR;
}

static struct uetd_step *add_step(struct rotator *rotator,
				  enum uetd_step_kind kind, uint8_t an)
{
	struct uetd_rotation *rotation = rotator->rotation;
	struct uetd_step *step = &rotation->steps[rotation->nr++];

	step->kind = kind;
	step->an = an;
	step->number = rotator->sa[an].number;
	return step;
}

static void forget(struct rotator *rotator, uint8_t an)
{
	add_step(rotator, UETD_STEP_FORGET, an);
	memset(&rotator->sa[an], 0, sizeof(rotator->sa[an]));
}

static void use(struct rotator *rotator, uint8_t an)
{
	add_step(rotator, UETD_STEP_USE, an);
	rotator->sa[!an].is_used = false;
	rotator->sa[an].is_used = true;
}

/*
 * The first epoch of a key that is set now.  The epoch is close to that of
 * nodes that set the key earlier, so that no node rejects another's packets as
 * too old.
 */
static uint16_t epoch_of(const struct rotator *rotator, uint64_t number)
{
	const struct uetd_sd *wanted = rotator->wanted;
	uint64_t epochs = UETD_EPOCHS, begin, part = 0;

	if (!wanted->rotation)
		return wanted->epoch;
	if (epochs > wanted->rules.epoch_age)
		epochs = wanted->rules.epoch_age + 1;
	begin = number * wanted->rotation;
	if (rotator->now > begin)
		part = (rotator->now - begin) * epochs / wanted->rotation;
	if (part >= epochs)
		part = epochs - 1;
	return number * epochs + part;
}

static void set_key(struct rotator *rotator, uint64_t number)
{
	struct uetd_sa *sa = &rotator->sa[an_of(number)];
	struct uetd_step *step;

	*sa = (struct uetd_sa) {
		.is_set = true, .number = number,
		.check = rotator->wanted->check,
		.epoch = epoch_of(rotator, number),
	};
	step = add_step(rotator, UETD_STEP_KEY, an_of(number));
	step->epoch = sa->epoch;
}

/* The time at which another step is due. */
static void wake_at(struct rotator *rotator, uint64_t time)
{
	if (time > rotator->now &&
	    (!rotator->rotation->next || time < rotator->rotation->next))
		rotator->rotation->next = time;
}

__attribute__((format(printf, 2, 3)))
static void wait_for(struct rotator *rotator, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(rotator->rotation->wait, sizeof(rotator->rotation->wait), fmt,
		  args);
	va_end(args);
}

/* The association number in use, or NULL. */
static const struct uetd_sa *used_sa(const struct rotator *rotator)
{
	uint8_t an;

	for (an = 0; an < UETD_AN_NR; an++) {
		if (rotator->sa[an].is_set && rotator->sa[an].is_used)
			return &rotator->sa[an];
	}
	return NULL;
}

/* The key for the present time, which is not older than the key in use. */
static uint64_t number_for(struct rotator *rotator)
{
	const struct uetd_sa *used = used_sa(rotator);
	uint64_t period = rotator->wanted->rotation, number;

	if (!period)
		return rotator->wanted->number;
	number = rotator->now / period;
	if (!used || used->check != rotator->wanted->check ||
	    used->number <= number)
		return number;
	if (rotator->now + rotator->wanted->overlap < used->number * period)
		wait_for(rotator, "by the clock, the time of key %u, which is in use, has not come",
			 used->number);
	return used->number;
}

/*
 * Checks for a key of this number, from any key file: after a file change, the
 * keys of its periods replace the old keys only when their periods begin.
 */
static bool has_key(const struct rotator *rotator, uint64_t number)
{
	const struct uetd_sa *sa = &rotator->sa[an_of(number)];

	if (!sa->is_set || !sa->check || sa->number != number)
		return false;
	return rotator->wanted->rotation || sa->check == rotator->wanted->check;
}

/*
 * Set the present key at its association number, if it is not set.  Another key
 * may be in use there.  A key of the same file is from a period long past,
 * because this host was suspended; the key is replaced.  A key of another file
 * stays, because other nodes still use it.
 */
static bool have_key(struct rotator *rotator)
{
	struct uetd_sa *sa = &rotator->sa[an_of(rotator->number)];

	if (has_key(rotator, rotator->number))
		return true;
	if (sa->is_set && sa->is_used) {
		if (!rotator->wanted->rotation ||
		    sa->check != rotator->wanted->check) {
			wait_for(rotator, "key %" PRIu64 " is for association number %u, where another key is in use%s",
				 rotator->number, an_of(rotator->number),
				 rotator->wanted->rotation ? "" :
				 ": it needs the next number");
			return false;
		}
		forget(rotator, an_of(rotator->number));
	}
	set_key(rotator, rotator->number);
	return true;
}

/* A key of the file, from a period before the previous one. */
static bool is_stale(const struct rotator *rotator, const struct uetd_sa *sa)
{
	return sa->check == rotator->wanted->check &&
	       sa->number + 1 < rotator->number;
}

/* With rotation: set the keys of the adjacent periods, and forget expired keys. */
static void rotation_beside(struct rotator *rotator)
{
	uint64_t period = rotator->wanted->rotation;
	uint64_t overlap = rotator->wanted->overlap;
	uint64_t begin = rotator->number * period, end = begin + period;
	struct uetd_sa *sa = &rotator->sa[!an_of(rotator->number)];

	wake_at(rotator, begin + overlap);
	wake_at(rotator, end - overlap);
	wake_at(rotator, end);
	if (sa->is_set && sa->is_used)
		return;
	if (rotator->now >= end - overlap) {
		if (!has_key(rotator, rotator->number + 1))
			set_key(rotator, rotator->number + 1);
	} else if (rotator->now < begin + overlap) {
		if (rotator->number && (!sa->is_set || is_stale(rotator, sa)))
			set_key(rotator, rotator->number - 1);
	} else if (sa->is_set) {
		forget(rotator, !an_of(rotator->number));
	}
}

static void rotation_periods(struct rotator *rotator)
{
	uint8_t an = an_of(rotator->number);

	if (have_key(rotator) && !rotator->sa[an].is_used)
		use(rotator, an);
	rotation_beside(rotator);
}

static void rotation_file(struct rotator *rotator)
{
	uint64_t since = rotator->wanted->since;
	uint64_t overlap = rotator->wanted->overlap;
	uint8_t an = an_of(rotator->number);

	if (!have_key(rotator))
		return;
	if (!rotator->sa[an].is_used) {
		if (!used_sa(rotator) || rotator->now >= since + overlap)
			use(rotator, an);
		else
			wake_at(rotator, since + overlap);
	}
	if (!rotator->sa[!an].is_set)
		return;
	if (rotator->sa[an].is_used && rotator->now >= since + 2 * overlap)
		forget(rotator, !an);
	else
		wake_at(rotator, since + 2 * overlap);
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
 * uetd_rotation_make() - steps that a domain's keys need
 * @rotation: result
 * @wanted: configuration of the domain; without a key file, uetd does
 *	not change the keys
 * @has: the domain in the kernel; NULL: a new domain
 * @now: seconds since 1970
 */
void uetd_rotation_make(struct uetd_rotation *rotation,
			const struct uetd_sd *wanted, const struct uetd_sd *has,
			uint64_t now)
{
	struct rotator rotator = { .rotation = rotation,
				   .wanted = wanted,
				   .now = now };

	memset(rotation, 0, sizeof(*rotation));
	if (!wanted->check)
		return;
	if (has && is_revoked(wanted, has)) {
		wait_for(&rotator, "the key of %s is revoked, there must be another one",
			 *wanted->key_file ? wanted->key_file :
					     wanted->credential);
		return;
	}
	if (has)
		memcpy(rotator.sa, has->sa, sizeof(rotator.sa));
	rotator.number = number_for(&rotator);
	if (wanted->rotation)
		rotation_periods(&rotator);
	else
		rotation_file(&rotator);
	if (has && has->is_shut)
		wait_for(&rotator, "it is shut, there were %" PRIu64 " forged packets",
			 has->rules.fail_limit);
}
