/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whose rotation it is: which keys a domain should have at a time, and which of them
 * packets should leave under.  A pure function of the configuration, the kernel
 * and the time; all nodes whose files and clocks are about the same come to the
 * same, which is all the agreement there is.  Level: tool.
 *
 * With rotation, time since 1970 is cut into periods, and each has a key, which
 * has its number.  The key of an even number is behind association number 0, that
 * of an odd one behind 1:
 *
 *	period     |   n - 1   |     n     |   n + 1   |
 *	leave      |---- n-1 --|---- n ----|--- n+1 ---|
 *	taken   -----n-1---------|       |-----n+1---------
 *	                    |-------n--------|
 *	                    overlap       overlap
 *
 * So a packet is known wherever the clocks of its sender and receiver differ by
 * no more than the overlap, less the time it takes.
 *
 * Without rotation there is the key of the file, with the number that it has
 * there.  When another file has come, its key is taken at once, packets leave
 * under it an overlap later, and the old one is forgotten after another one.
 *
 * What has been used is not gone back from, whatever the clock says: the number
 * of the key that is in use only grows.
 */
#ifndef UETD_ROTATION_H
#define UETD_ROTATION_H

#include "model.h"

/* Changes of the keys of one domain at a time, at most. */
#define UETD_STEPS_MAX	4
/* Epochs of a key: who comes back in another part of a period has another. */
#define UETD_EPOCHS	8

enum uetd_step_kind {
	UETD_STEP_FORGET,	/* the key behind an association number */
	UETD_STEP_KEY,		/* set it there */
	UETD_STEP_USE,		/* let packets leave under it */
};

/**
 * struct uetd_step - a change
 * @kind: what is done
 * @an: to this association number
 * @number: the key it has then, or had
 * @epoch: UETD_STEP_KEY: to begin with
 */
struct uetd_step {
	enum uetd_step_kind kind;
	uint8_t an;
	uint32_t number;
	uint16_t epoch;
};

/**
 * struct uetd_rotation - what is to be done
 * @steps: in this order
 * @nr: how many
 * @next: when there will be something to do again, seconds since 1970; 0: not
 *	by the clock
 * @wait: why something cannot be done, or empty
 */
struct uetd_rotation {
	struct uetd_step steps[UETD_STEPS_MAX];
	unsigned int nr;
	uint64_t next;
	char wait[UETD_TEXT_MAX];
};

void uetd_rotation_make(struct uetd_rotation *rotation,
			const struct uetd_sd *wanted, const struct uetd_sd *has,
			uint64_t now);

#endif
