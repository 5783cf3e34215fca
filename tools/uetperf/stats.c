// SPDX-License-Identifier: GPL-2.0
/*
 * Times: samples, percentiles and histogram buckets; and the progress line of
 * long runs on a terminal.  Level: tool.
 */
#include <stdlib.h>
#include <unistd.h>

#include "uetperf.h"

/* Nanoseconds before the first progress line, and between two of them. */
#define PROGRESS_FIRST	2000000000ull
#define PROGRESS_NEXT	500000000ull

/* Buckets per doubling of the time. */
#define BUCKETS_LOG2	2

/**
 * sample() - keep the time of an iteration
 * @b: measurement
 * @ns: the time
 */
void sample(struct bench *b, uint64_t ns)
{
	if (!b->is_measured)
		return;
	b->mine.ns += ns;
	if (b->nr_samples < b->samples_size)
		b->samples[b->nr_samples++] = ns;
}

/**
 * idle_ns() - how long the CPUs of this machine have had nothing to do
 *
 * Return: nanoseconds of all CPUs together since boot, in steps of 10 ms; 0 if
 * nobody knows.
 */
uint64_t idle_ns(void)
{
	FILE *f = fopen("/proc/uptime", "r");
	double idle = 0;

	if (!f)
		return 0;
	if (fscanf(f, "%*f %lf", &idle) != 1)
		idle = 0;
	fclose(f);
	return idle * 1e9;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The smallest sample with this share, in 1/1000, of samples at or below. */
static uint64_t quantile(const struct row *row, uint64_t permille)
{
	uint64_t nr = (row->nr_samples * permille + 999) / 1000;

	return row->samples[nr ? nr - 1 : 0];
}

/**
 * latency_of() - sort the samples of a row and fill in its latency
 * @row: with one sample at least
 */
void latency_of(struct row *row)
{
	struct latency *l = &row->latency;
	uint64_t sum = 0;

	qsort(row->samples, row->nr_samples, sizeof(*row->samples), compare);
	for (uint64_t i = 0; i < row->nr_samples; i++)
		sum += row->samples[i];
	l->min = row->samples[0];
	l->mean = sum / row->nr_samples;
	l->p50 = quantile(row, 500);
	l->p90 = quantile(row, 900);
	l->p99 = quantile(row, 990);
	l->p999 = quantile(row, 999);
	l->max = row->samples[row->nr_samples - 1];
}

/**
 * bucket_of() - the bucket of a histogram that a time belongs to
 * @ns: the time
 *
 * Return: its number; buckets are a quarter of a doubling wide.
 */
int bucket_of(uint64_t ns)
{
	int bits = 63 - __builtin_clzll(ns | 1);

	if (bits < BUCKETS_LOG2)
		return ns;
	return (bits - BUCKETS_LOG2 + 1) << BUCKETS_LOG2 |
	       (ns >> (bits - BUCKETS_LOG2) & ((1 << BUCKETS_LOG2) - 1));
}

/**
 * bucket_start() - the shortest time of a bucket
 * @bucket: its number
 *
 * Return: nanoseconds.
 */
uint64_t bucket_start(int bucket)
{
	int doublings = bucket >> BUCKETS_LOG2;
	uint64_t part = bucket & ((1 << BUCKETS_LOG2) - 1);

	if (!doublings)
		return part;
	return (part | 1 << BUCKETS_LOG2) << (doublings - 1);
}

static bool progress_is_shown;
static uint64_t progress_next;

/**
 * progress() - show what was done so far: to rank 0, which prints a line on a terminal
 * @b: measurement
 * @done: iterations that have come to their end
 */
void progress(struct bench *b, uint64_t done)
{
	uint64_t now;

	moved_show(b);
	/* Reading the clock has a cost. */
	if (b->o->rank || b->o->interval || ++b->progress % 256 ||
	    !isatty(STDERR_FILENO))
		return;
	now = now_ns();
	if (!progress_next)
		progress_next = now + PROGRESS_FIRST;
	if (now < progress_next)
		return;
	progress_next = now + PROGRESS_NEXT;
	progress_is_shown = true;
	fprintf(stderr, "\r%s %s %u bytes: %ju iterations\033[K", b->net->ops->name,
		b->op->name, b->size, (uintmax_t)done);
}

/** progress_end() - take the line away, before something else is said */
void progress_end(void)
{
	if (progress_is_shown)
		fputs("\r\033[K", stderr);
	progress_is_shown = false;
}
