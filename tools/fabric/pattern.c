// SPDX-License-Identifier: GPL-2.0
/*
 * Patterns of flows: permutation, incast, all to all, and ring all-reduce.  A step of
 * the ring starts when the data that the step passes on has arrived.  Level: test.
 */
#include "fabric.h"

/* Step and offset of the permutation; an odd prime step reaches each host once. */
#define PATTERN_STEP	5
#define PATTERN_SHIFT	17

static u32 pattern_gcd(u32 a, u32 b)
{
	return b ? pattern_gcd(b, a % b) : a;
}

/**
 * fab_permutation() - each host sends to one and receives from one
 * @fab: run without flows
 * @bytes: size of each flow, bytes
 *
 * Host i sends to 5 i + 17 modulo the number of hosts, which is P5 of the
 * baseline.  If 5 divides the number of hosts, the factor is 7, 11 or a later one.  A
 * host that would send to itself sends nothing.
 */
void fab_permutation(struct fab *fab, u64 bytes)
{
	u32 n = fab->nr_hosts, step = PATTERN_STEP, i, to;

	while (pattern_gcd(step, n) != 1)
		step += 2;
	for (i = 0; i < n; i++) {
		to = ((u64)step * i + PATTERN_SHIFT) % n;
		if (to != i)
			fab_flow_new(fab, i, to, bytes);
	}
}

/**
 * fab_incast() - many send to host 0
 * @fab: run without flows
 * @n: number of senders
 * @bytes: size of each flow, bytes
 *
 * The senders are the hosts from the middle on, so they are far from host 0.
 *
 * Return: false if the network has too few hosts.
 */
bool fab_incast(struct fab *fab, u32 n, u64 bytes)
{
	u32 first = fab->nr_hosts / 2, i;

	if (n >= fab->nr_hosts)
		return false;
	if (n > fab->nr_hosts - first)
		first = fab->nr_hosts - n;
	for (i = 0; i < n; i++)
		fab_flow_new(fab, first + i, 0, bytes);
	return true;
}

/**
 * fab_all_to_all() - each host sends to each other host, all at once
 * @fab: run without flows
 * @n: number of hosts that take part, from host 0 on
 * @bytes: size of each flow, bytes
 *
 * Return: false if the network has too few hosts.
 */
bool fab_all_to_all(struct fab *fab, u32 n, u64 bytes)
{
	u32 i, k;

	if (n > fab->nr_hosts)
		return false;
	for (k = 1; k < n; k++)
		for (i = 0; i < n; i++)
			fab_flow_new(fab, i, (i + k) % n, bytes);
	return true;
}

/**
 * fab_ring() - ring all-reduce
 * @fab: run without flows
 * @n: number of hosts that take part, from host 0 on, at least 2
 * @bytes: bytes to reduce; each step passes 1/@n of them on
 *
 * Each host passes a part to the next host 2 (n - 1) times, each time after the
 * previous part has arrived.
 *
 * Return: false if the network has too few hosts.
 */
bool fab_ring(struct fab *fab, u32 n, u64 bytes)
{
	u32 steps = 2 * (n - 1), step, i, flow, before = 0;

	if (n > fab->nr_hosts)
		return false;
	for (step = 0; step < steps; step++) {
		for (i = 0; i < n; i++) {
			flow = fab_flow_new(fab, i, (i + 1) % n,
					    max_t(u64, bytes / n, 1));
			if (!step)
				continue;
			before = flow - n - i + (i + n - 1) % n;
			fab_trigger_get(fab, flow);
			fab->flow[flow].waits = flow;
			fab->flow[before].on_rcvd = flow;
		}
	}
	return true;
}
