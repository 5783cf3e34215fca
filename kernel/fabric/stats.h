/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Per-CPU counters of a namespace: the MIB of core/mib.def, and one counter for each drop
 * reason of core/drop.def.
 */
#ifndef UET_STATS_H
#define UET_STATS_H

#include <linux/percpu.h>
#include <linux/types.h>
#include <linux/u64_stats_sync.h>

#include "core/wire/wire.h"

enum uet_mib {
#define UET_MIB(name, text, doc) UET_MIB_##name,
#include "core/mib.def"
#undef UET_MIB
	UET_MIB_NR,
};

/**
 * struct uet_stats - per-CPU counters of a namespace
 * @mib: counters by enum uet_mib
 * @drop: dropped packets, received or unsendable, by enum uet_drop
 * @sync: of the kernel's 64-bit counters; nothing on 64-bit machines
 */
struct uet_stats {
	u64_stats_t mib[UET_MIB_NR];
	u64_stats_t drop[UET_DROP_NR];
	struct u64_stats_sync sync;
};

struct uet_net;

struct uet_stats __percpu *uet_stats_alloc(void);
void uet_mib_add(struct uet_net *un, enum uet_mib which, u64 n);
void uet_drop_add(struct uet_net *un, enum uet_drop why, u32 count);
void uet_drop_count(struct uet_net *un, enum uet_drop why);
u64 uet_mib_sum(const struct uet_net *un, enum uet_mib which);
u64 uet_drop_sum(const struct uet_net *un, enum uet_drop why);
const char *uet_mib_name(enum uet_mib which);

/**
 * uet_mib_inc() - increase a counter by one
 * @un: namespace
 * @which: counter
 */
static inline void uet_mib_inc(struct uet_net *un, enum uet_mib which)
{
	uet_mib_add(un, which, 1);
}

#endif
