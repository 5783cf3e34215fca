// SPDX-License-Identifier: GPL-2.0
/*
 * Counting: adding on the CPU at hand, summing over all of them when somebody
 * asks.  Who counts what is said in core/mib.def and core/drop.def.
 * Level: shell.
 */
#include <linux/build_bug.h>
#include <linux/kernel.h>

#include "net.h"
#include "stats.h"

static const char * const stats_mib_names[UET_MIB_NR] = {
#define UET_MIB(name, text, doc) [UET_MIB_##name] = text,
#include "core/mib.def"
#undef UET_MIB
};

/**
 * uet_stats_alloc() - counters at zero
 *
 * Context: Process context, may sleep.
 * Return: what free_percpu() frees, or NULL.
 */
struct uet_stats __percpu *uet_stats_alloc(void)
{
	struct uet_stats __percpu *stats = alloc_percpu(struct uet_stats);
	int cpu;

	if (!stats)
		return NULL;
	for_each_possible_cpu(cpu)
		u64_stats_init(&per_cpu_ptr(stats, cpu)->sync);
	return stats;
}

static void stats_add(struct uet_stats __percpu *stats, size_t offset, u64 n)
{
	struct uet_stats *mine = get_cpu_ptr(stats);
	unsigned long flags;

	flags = u64_stats_update_begin_irqsave(&mine->sync);
	u64_stats_add((void *)mine + offset, n);
	u64_stats_update_end_irqrestore(&mine->sync, flags);
	put_cpu_ptr(stats);
}

static u64 stats_sum(const struct uet_stats __percpu *stats, size_t offset)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct uet_stats *one = per_cpu_ptr(stats, cpu);
		unsigned int start;
		u64 value;

		do {
			start = u64_stats_fetch_begin(&one->sync);
			value = u64_stats_read((void *)one + offset);
		} while (u64_stats_fetch_retry(&one->sync, start));
		sum += value;
	}
	return sum;
}

/**
 * uet_mib_add() - count
 * @un: namespace
 * @which: counter
 * @n: how many
 *
 * Context: Any.
 */
void uet_mib_add(struct uet_net *un, enum uet_mib which, u64 n)
{
	stats_add(un->stats, offsetof(struct uet_stats, mib[which]), n);
}

/**
 * uet_drop_count() - count a packet that was not used
 * @un: namespace
 * @why: the reason; UET_DROP_NONE is not counted
 *
 * Context: Any.
 */
void uet_drop_count(struct uet_net *un, enum uet_drop why)
{
	if (why != UET_DROP_NONE)
		stats_add(un->stats, offsetof(struct uet_stats, drop[why]), 1);
}

/**
 * uet_mib_sum() - the value of a counter
 * @un: namespace
 * @which: counter
 *
 * Context: Any.
 * Return: the sum over all CPUs.
 */
u64 uet_mib_sum(const struct uet_net *un, enum uet_mib which)
{
	return stats_sum(un->stats, offsetof(struct uet_stats, mib[which]));
}

/**
 * uet_drop_sum() - how many packets were dropped for a reason
 * @un: namespace
 * @why: the reason
 *
 * Context: Any.
 * Return: the sum over all CPUs.
 */
u64 uet_drop_sum(const struct uet_net *un, enum uet_drop why)
{
	return stats_sum(un->stats, offsetof(struct uet_stats, drop[why]));
}

/**
 * uet_mib_name() - the name of a counter
 * @which: counter
 *
 * Context: Any.
 * Return: the name in core/mib.def; "?" for a number that is none.
 */
const char *uet_mib_name(enum uet_mib which)
{
	return which < UET_MIB_NR ? stats_mib_names[which] : "?";
}
