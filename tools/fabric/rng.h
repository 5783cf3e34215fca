/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random number generator and hash function of the fabric simulator: splitmix64.  The
 * functions are inline, because each packet needs several numbers.  Level: test.
 */
#ifndef UET_FABRIC_RNG_H
#define UET_FABRIC_RNG_H

#include "core/shim.h"

struct fab_rng {
	u64 state;
};

/**
 * fab_mix() - hash a number so that each result bit depends on each input bit
 * @v: the number
 *
 * Return: 64 bits.
 */
static inline u64 fab_mix(u64 v)
{
	v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9ULL;
	v = (v ^ v >> 27) * 0x94d049bb133111ebULL;
	return v ^ v >> 31;
}

/**
 * fab_rand() - draw the next random number
 * @rng: sequence
 *
 * Return: 64 random bits.
 */
static inline u64 fab_rand(struct fab_rng *rng)
{
	rng->state += 0x9e3779b97f4a7c15ULL;
	return fab_mix(rng->state);
}

/**
 * fab_scale() - scale a random number to a range
 * @v: 64 random bits
 * @n: limit, not 0
 *
 * Return: 0..@n - 1.
 */
static inline u32 fab_scale(u64 v, u32 n)
{
	return (v >> 32) * n >> 32;
}

/**
 * fab_below() - draw a random number below a limit
 * @rng: sequence
 * @n: the limit, not 0
 *
 * Return: 0..@n - 1.
 */
static inline u32 fab_below(struct fab_rng *rng, u32 n)
{
	return fab_scale(fab_rand(rng), n);
}

#endif
