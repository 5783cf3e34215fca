// SPDX-License-Identifier: GPL-2.0
/*
 * Counters: increment on the local CPU, sum over all CPUs on a read.  core/mib.def and
 * core/drop.def define the meaning of each counter.
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
 * uet_stats_alloc() - allocate the counters of a namespace
 *
 * Context: Process context, may sleep.
 * Return: zeroed counters, to be freed by free_percpu(); NULL: out of memory.
 */
struct uet_stats __percpu *uet_stats_alloc(void)
{
	struct uet_stats __percpu *stats = alloc_percpu_gfp(struct uet_stats,
							  GFP_KERNEL_ACCOUNT);
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
 * uet_mib_add() - increase a counter
 * @un: namespace
 * @which: counter
 * @n: increment
 */
void uet_mib_add(struct uet_net *un, enum uet_mib which, u64 n)
{
	stats_add(un->stats, offsetof(struct uet_stats, mib[which]), n);
}

/**
 * uet_drop_add() - count dropped packets
 * @un: namespace
 * @why: the reason; UET_DROP_NONE is not counted
 * @count: number of packets
 */
void uet_drop_add(struct uet_net *un, enum uet_drop why, u32 count)
{
	if (why != UET_DROP_NONE)
		stats_add(un->stats, offsetof(struct uet_stats, drop[why]),
			  count);
}

/**
 * uet_drop_count() - count a dropped packet
 * @un: namespace
 * @why: the reason; UET_DROP_NONE is not counted
 */
void uet_drop_count(struct uet_net *un, enum uet_drop why)
{
	uet_drop_add(un, why, 1);
}

/**
 * uet_mib_sum() - read a counter
 * @un: namespace
 * @which: counter
 *
 * Return: the sum over all CPUs.
 */
u64 uet_mib_sum(const struct uet_net *un, enum uet_mib which)
{
	return stats_sum(un->stats, offsetof(struct uet_stats, mib[which]));
}

/**
 * uet_drop_sum() - read the number of packets dropped for a reason
 * @un: namespace
 * @why: the reason
 *
 * Return: the sum over all CPUs.
 */
u64 uet_drop_sum(const struct uet_net *un, enum uet_drop why)
{
	return stats_sum(un->stats, offsetof(struct uet_stats, drop[why]));
}

/**
 * uet_mib_name() - name of a counter
 * @which: counter
 *
 * Return: the name in core/mib.def; "?" for an unknown counter.
 */
const char *uet_mib_name(enum uet_mib which)
{
	return which < UET_MIB_NR ? stats_mib_names[which] : "?";
}
