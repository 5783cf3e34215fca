// SPDX-License-Identifier: GPL-2.0
/*
 * Counting and timing: the measured iterations of one size over one transport, in
 * one slice, or, for a number of seconds, in as many slices as fill them.
 * Level: tool.
 */
#include <stdlib.h>
#include <string.h>

#include "uetperf.h"

/* Slices have a tenth of the requested time, at most this. */
#define SLICE_PART	10
#define SLICE_NS_MAX	250000000.0
/* The last slices are short; one of less than this part is left out. */
#define SLICE_PART_MIN	1000
/* Nobody knows how long the next one takes, so a little less is planned. */
#define SLICE_PLANNED	0.9
/* A trial gives a usable speed if it took at least this part of a slice. */
#define TRIAL_PART	4

static double wanted_ns(const struct bench *b)
{
	return b->o->seconds * 1e9;
}

static double slice_ns(const struct bench *b)
{
	double part = wanted_ns(b) / SLICE_PART;

	return part < SLICE_NS_MAX ? part : SLICE_NS_MAX;
}

static uint64_t limited(double iterations)
{
	return iterations < 1 ? 1 :
	       iterations > ITERATIONS_MAX ? ITERATIONS_MAX : iterations;
}

/**
 * calibrate() - repeat trials until rank 0 knows how many iterations a slice has
 * @b: measurement; gets the iterations of the first slice
 *
 * Return: 0, or -1 after printing the reason.
 */
int calibrate(struct bench *b)
{
	const double wanted = slice_ns(b);
	uint64_t start, next = 1;
	double took = 0;

	do {
		b->iterations = next;
		start = now_ns();
		if (b->o->pattern->run(b, b->iterations) ||
		    barrier(b->net, NULL))
			return -1;
		took = now_ns() - start + 1.0;
		/* Only rank 0 decides; 0 ends the trials. */
		next = took * TRIAL_PART < wanted ? limited(b->iterations * 4.0) : 0;
		if (next == b->iterations)
			next = 0;
		if (barrier(b->net, &next))
			return -1;
	} while (next);
	next = limited(b->iterations * (wanted / took));
	if (barrier(b->net, &next))
		return -1;
	b->iterations = next;
	return 0;
}

/* Space for the times of the next slice. */
static int samples_grow(struct bench *b, uint64_t slice)
{
	uint64_t size = b->nr_samples + slice, *more;

	if (size > SAMPLES_MAX)
		size = SAMPLES_MAX;
	if (!b->o->pattern->is_sampled || size <= b->samples_size)
		return 0;
	if (size < 2 * b->samples_size)
		size = 2 * b->samples_size;
	more = realloc(b->samples, size * sizeof(*more));
	if (!more) {
		warn_user("no memory for %ju samples", (uintmax_t)size);
		return -1;
	}
	b->samples = more;
	b->samples_size = size;
	return 0;
}

static int slice_run(struct bench *b, uint64_t slice)
{
	uint64_t start;

	if (samples_grow(b, slice))
		return -1;
	start = now_ns();
	if (b->o->pattern->run(b, slice))
		return -1;
	if (!b->o->pattern->is_sampled)
		b->mine.ns += now_ns() - start;
	b->idle_ns = idle_ns();
	b->iterations += slice;
	moved_show(b);
	return 0;
}

/* Iterations of the next slice, when the last one of @slice took @took ns; 0: the end. */
static uint64_t slice_next(const struct bench *b, uint64_t slice, uint64_t took)
{
	double left = wanted_ns(b) - b->mine.ns, next = slice_ns(b), rate;

	if (!b->o->seconds || left < wanted_ns(b) / SLICE_PART_MIN)
		return 0;
	if (next > left * SLICE_PLANNED)
		next = left * SLICE_PLANNED;
	/* Short slices say little about the speed. */
	if (took > b->mine.ns / 64)
		rate = slice / (took + 1.0);
	else
		rate = b->iterations / (b->mine.ns + 1.0);
	return left * rate < 1 ? 0 : limited(next * rate);
}

static int slices_run(struct bench *b)
{
	uint64_t next = b->iterations, slice, before;

	b->iterations = 0;
	for (;;) {
		if (barrier(b->net, &next))
			return -1;
		if (!next)
			return 0;
		slice = next;
		before = b->mine.ns;
		if (slice_run(b, slice))
			return -1;
		next = slice_next(b, slice, b->mine.ns - before);
	}
}

/**
 * measure() - run the measured iterations
 * @b: measurement, with the iterations, of the first slice if it is about seconds; gets
 *	what this rank has moved, and all iterations
 *
 * Return: 0, or -1 after printing the reason.
 */
int measure(struct bench *b)
{
	uint64_t before, idle, whose;
	int ret;

	memset(&b->mine, 0, sizeof(b->mine));
	b->is_measured = true;
	moved_show(b);
	if (barrier(b->net, NULL))
		return -1;
	before = b->net->ops->retransmissions(b->net, &whose);
	if (intervals_begin(b))
		return -1;
	idle = idle_ns();
	ret = slices_run(b);
	b->idle_ns -= idle;
	intervals_end(b);
	progress_end();
	b->mine.retransmissions = b->net->ops->retransmissions(b->net, &whose) - before;
	b->mine.whose = whose;
	return ret;
}
