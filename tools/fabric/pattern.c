// SPDX-License-Identifier: GPL-2.0
/*
 * Patterns of flows: permutation, incast, all to all, and all-reduce by rings and by
 * trees.  A step of a ring or a tree starts when the data that the step passes on has
 * arrived.  Level: test.
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

/* The trigger of a flow, which another sets off. */
static void pattern_wait(struct fab *fab, u32 flow, u32 id)
{
	fab_trigger_get(fab, id);
	fab->flow[flow].waits = id;
}

/**
 * fab_rings() - steps of a ring all-reduce on each rail of all servers
 * @fab: run without flows
 * @steps: number of steps, not 0
 * @bytes: bytes that each host passes on in a step
 *
 * The ring of a rail has the hosts of that rail, in the order of their servers.
 *
 * Return: false if there are not two whole servers.
 */
bool fab_rings(struct fab *fab, u32 steps, u64 bytes)
{
	u32 gpus = fab->par.shape.gpus, n = fab->nr_hosts / gpus * gpus;
	u32 step, i, flow;

	if (n < 2 * gpus)
		return false;
	for (step = 0; step < steps; step++) {
		for (i = 0; i < n; i++) {
			flow = fab_flow_new(fab, i, (i + gpus) % n, bytes);
			if (!step)
				continue;
			pattern_wait(fab, flow, flow);
			fab->flow[flow - n - i + (i + n - gpus) % n].on_rcvd =
				flow;
		}
	}
	return true;
}

/**
 * fab_trees() - all-reduce over a binary tree on each rail of all servers
 * @fab: run without flows
 * @bytes: bytes to reduce
 *
 * A host sends to its parent when the data of its children has arrived, and to its
 * children when that of its parent has.
 *
 * Return: false if there are not two whole servers.
 */
bool fab_trees(struct fab *fab, u64 bytes)
{
	u32 gpus = fab->par.shape.gpus, servers = fab->nr_hosts / gpus;
	u32 rail, s, up, flow, parent, down, kids;

	if (servers < 2)
		return false;
	/* Triggers of server s: number 2 s is its reduction, 2 s + 1 its result. */
	for (rail = 0; rail < gpus; rail++) {
		up = 2 * rail * servers + 1;
		for (s = 0; s < servers; s++) {
			kids = 2 * s + 2 < servers ? 2 :
			       2 * s + 1 < servers ? 1 : 0;
			fab_trigger_get(fab, up + 2 * s + 1);
			fab_trigger_get(fab, up + 2 * s)->kind = FAB_BARRIER;
			fab_trigger_get(fab, up + 2 * s)->left = kids;
		}
		for (s = 1; s < servers; s++) {
			parent = (s - 1) / 2;
			flow = fab_flow_new(fab, s * gpus + rail,
					    parent * gpus + rail, bytes);
			if (2 * s + 1 < servers)
				fab->flow[flow].waits = up + 2 * s;
			fab->flow[flow].on_rcvd = up + 2 * parent;
			down = fab_flow_new(fab, parent * gpus + rail,
					    s * gpus + rail, bytes);
			fab->flow[down].waits = up + 2 * parent +
						(parent ? 1 : 0);
			fab->flow[down].on_rcvd = up + 2 * s + 1;
		}
	}
	return true;
}

/**
 * fab_slice() - a part of an all-to-all
 * @fab: run without flows
 * @n: destinations of each host
 * @bytes: size of each flow, bytes
 *
 * Each host sends to its destinations one after the other; they are at distances that
 * divide the hosts evenly, and each host receives from one at a time if all keep pace.
 *
 * Return: false if the network has too few hosts.
 */
bool fab_slice(struct fab *fab, u32 n, u64 bytes)
{
	u32 hosts = fab->nr_hosts, k, i, step, flow;

	if (n >= hosts)
		return false;
	for (k = 0; k < n; k++) {
		step = 1 + (u64)(hosts - 1) * (2 * k + 1) / (2 * n);
		for (i = 0; i < hosts; i++) {
			flow = fab_flow_new(fab, i, (i + step) % hosts, bytes);
			if (!k)
				continue;
			pattern_wait(fab, flow, flow);
			fab->flow[flow - hosts].on_sent = flow;
		}
	}
	return true;
}
