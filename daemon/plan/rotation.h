/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Key rotation: the keys that a domain should have at a time, and the
 * key that seals outgoing packets.  A pure function of the configuration, the kernel
 * and the time; nodes with the same files and nearly the same clocks
 * compute the same keys, and no other agreement is needed.  Level: tool.
 *
 * With rotation, time since 1970 is cut into periods.  Each period has
 * a key with the number of the period.  Keys of even number have
 * association number 0, keys of odd number have 1:
 *
 *	period     |   n - 1   |     n     |   n + 1   |
 *	leave      |---- n-1 --|---- n ----|--- n+1 ---|
 *	taken   -----n-1---------|       |-----n+1---------
 *	                    |-------n--------|
 *	                    overlap       overlap
 *
 * A receiver therefore has the key of every packet if its clock and the
 * sender's differ by at most the overlap minus the transit time.
 *
 * Without rotation, the domain has the key of the file, with the number
 * in the file.  The key of a new file is accepted at once, seals
 * packets after one overlap, and the old key is forgotten after a second overlap.
 *
 * The number of the key in use only grows, even if the clock is set back.
 */
#ifndef UETD_ROTATION_H
#define UETD_ROTATION_H

#include "model/model.h"

/* Largest number of key changes of one domain at a time. */
#define UETD_STEPS_MAX	4
/*
 * Epochs per key: a node that restarts in another part of a period uses another
 * epoch.
 */
#define UETD_EPOCHS	8

enum uetd_step_kind {
	UETD_STEP_FORGET,	/* forget the key of an association number */
	UETD_STEP_KEY,		/* set the key */
	UETD_STEP_USE,		/* seal outgoing packets with the key */
};

/**
 * struct uetd_step - a change
 * @kind: the action
 * @an: association number of the key
 * @number: number of the key that is set, used or forgotten
 * @epoch: UETD_STEP_KEY: first epoch
 */
struct uetd_step {
	enum uetd_step_kind kind;
	uint8_t an;
	uint32_t number;
	uint16_t epoch;
};

/**
 * struct uetd_rotation - steps to take
 * @steps: in this order
 * @nr: number of steps
 * @next: time of the next step, seconds since 1970; 0: none by the clock
 * @wait: reason why a step has to wait, or empty
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
