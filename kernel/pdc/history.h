/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The PDCs of a namespace that failed last, for netlink dumps, and a line in the kernel's
 * log for each failure.
 */
#ifndef UET_PDC_HISTORY_H
#define UET_PDC_HISTORY_H

#include <linux/ratelimit.h>
#include <linux/spinlock.h>

#include "base/base.h"
#include "core/pds/pds.h"

struct uet_net;
struct uet_pdc_entry;

/* Failed PDCs that a namespace remembers; a power of 2. */
#define UET_HISTORY_MAX		64

/**
 * struct uet_history_rec - a PDC that has failed
 * @fep: name of its FEP
 * @peer: fabric address of the peer
 * @info: its state at the end
 * @messages: messages of this end that were lost
 * @ended_ns: when it failed, monotonic, ns
 * @real_ns: when it failed, ns since 1970
 */
struct uet_history_rec {
	char fep[UET_NAME_MAX];
	struct uet_fa peer;
	struct uet_pdc_info info;
	u32 messages;
	u64 ended_ns;
	u64 real_ns;
};

/**
 * struct uet_history - the PDCs of a namespace that failed last
 * @lock: protects the fields below; taken with BH disabled; a leaf
 * @next: number of the next record, from 0
 * @rec: record n is at n % UET_HISTORY_MAX
 * @log: limit of the lines in the log
 */
struct uet_history {
	spinlock_t lock;
	u64 next;
	struct uet_history_rec rec[UET_HISTORY_MAX];
	struct ratelimit_state log;
};

int uet_history_make(struct uet_net *un);
void uet_history_free(struct uet_net *un);
void uet_history_add(const struct uet_pdc_entry *pe,
		     const struct uet_pdc_info *info, u32 messages, u64 now);
bool uet_history_read(struct uet_net *un, u64 *number,
		      struct uet_history_rec *rec);

#endif
