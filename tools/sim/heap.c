// SPDX-License-Identifier: GPL-2.0
/*
 * Event queue and random numbers of the simulator.  The queue is a binary heap
 * ordered by time and, for equal times, by age, so that runs are repeatable.
 * Level: test.
 */
#include "sim.h"

static bool heap_before(const struct sim_event *a, const struct sim_event *b)
{
	return a->at != b->at ? a->at < b->at : a->order < b->order;
}

/**
 * sim_at() - schedule an event
 * @sim: the run
 * @at: time, ns; a time in the past means now
 * @fn: function to call
 * @arg: its argument; must be valid until then
 */
void sim_at(struct sim *sim, u64 at, void (*fn)(struct sim *, void *),
	    void *arg)
{
	struct sim_heap *heap = &sim->heap;
	struct sim_event new = {
		.at = max(at, sim->now), .order = heap->order++,
		.fn = fn, .arg = arg,
	};
	size_t i, up;

	if (heap->nr == heap->space) {
		heap->space = heap->space ? 2 * heap->space : 256;
		heap->ev = realloc(heap->ev, heap->space * sizeof(*heap->ev));
		if (!heap->ev)
			abort();
	}
	for (i = heap->nr++; i; i = up) {
		up = (i - 1) / 2;
		if (!heap_before(&new, &heap->ev[up]))
			break;
		heap->ev[i] = heap->ev[up];
	}
	heap->ev[i] = new;
}

/**
 * sim_heap_pop() - take the next event
 * @heap: event queue
 * @ev: result
 *
 * Return: false if there is none.
 */
bool sim_heap_pop(struct sim_heap *heap, struct sim_event *ev)
{
	struct sim_event *last;
	size_t i, kid;

	if (!heap->nr)
		return false;
	*ev = heap->ev[0];
	last = &heap->ev[--heap->nr];
	for (i = 0; (kid = 2 * i + 1) < heap->nr; i = kid) {
		if (kid + 1 < heap->nr &&
		    heap_before(&heap->ev[kid + 1], &heap->ev[kid]))
			kid++;
		if (!heap_before(&heap->ev[kid], last))
			break;
		heap->ev[i] = heap->ev[kid];
	}
	heap->ev[i] = *last;
	return true;
}

/**
 * sim_mix() - mix the bits of a number
 * @v: number
 *
 * Return: the finaliser of splitmix64 applied to @v.
 */
u64 sim_mix(u64 v)
{
	v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9ULL;
	v = (v ^ v >> 27) * 0x94d049bb133111ebULL;
	return v ^ v >> 31;
}

/**
 * sim_rand() - return the next random number
 * @rng: sequence
 *
 * Return: 64 random bits.
 */
u64 sim_rand(struct sim_rng *rng)
{
	rng->state += 0x9e3779b97f4a7c15ULL;
	return sim_mix(rng->state);
}

/**
 * sim_below() - return a random number below a limit
 * @rng: sequence
 * @n: the limit, not 0
 *
 * Return: 0..@n - 1.
 */
u64 sim_below(struct sim_rng *rng, u64 n)
{
	return sim_rand(rng) % n;
}

/**
 * sim_between() - return a random number in a range
 * @rng: sequence
 * @lo: least
 * @hi: greatest, not below @lo
 *
 * Return: @lo..@hi.
 */
u64 sim_between(struct sim_rng *rng, u64 lo, u64 hi)
{
	return lo + sim_below(rng, hi - lo + 1);
}

/**
 * sim_chance() - decide at random
 * @rng: sequence; not advanced if @ppm is 0
 * @ppm: probability, ppm
 *
 * Return: true with that probability.
 */
bool sim_chance(struct sim_rng *rng, u32 ppm)
{
	return ppm && sim_below(rng, 1000000) < ppm;
}
