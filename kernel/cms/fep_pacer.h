/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Credit in the kernel: each FEP hands out that of its rails, to all that send to it
 * and ask for it.  Who gets how much the core decides; fep_pacer.c runs it by a timer,
 * knows which PDCs are whose, and hands them what they are to tell.
 * Level: shell.
 */
#ifndef UET_FEP_PACER_H
#define UET_FEP_PACER_H

#include <linux/hashtable.h>
#include <linux/hrtimer.h>
#include <linux/spinlock.h>

#include "base/base.h"
#include "cc_waiter.h"
#include "core/cms/cc_pacer.h"
#include "core/pds/pds.h"

struct uet_fep;

/* Buckets of uet_fep_pacer.sources, as a power of two. */
#define UET_FEP_PACER_BITS		6

/**
 * struct uet_fep_pacer - credit of a FEP
 * @fep: the FEP; immutable
 * @lock: protects all of it, and the places of PDCs in it; taken inside that of a
 *	PDC, with BH disabled
 * @core: who is granted what
 * @sources: RUD contexts of peers, struct uet_pacer_source, by peer and ccc_id
 * @nr_sources: how many there are, with those of ROD
 * @armed_ns: expiry of @timer, UET_NEVER when it is not armed
 * @ran_ns: when @core was run last
 * @is_shut: the FEP dies: the timer is not armed any more
 * @timer: runs @core when the next grant is due, but not too often
 *
 * Lifetime: part of its FEP, which each PDC keeps.
 */
struct uet_fep_pacer {
	struct uet_fep *fep;
	spinlock_t lock;
	struct uet_pacer core;
	DECLARE_HASHTABLE(sources, UET_FEP_PACER_BITS);
	u32 nr_sources;
	u64 armed_ns;
	u64 ran_ns;
	bool is_shut;
	struct hrtimer timer;
};

/**
 * struct uet_fep_pacer_peer - the other end of a PDC
 * @fa: its fabric address
 * @mode: of the PDC: in RUD the PDCs of a peer share a source
 */
struct uet_fep_pacer_peer {
	const struct uet_fa *fa;
	enum uet_pdc_mode mode;
};

void uet_fep_pacer_init(struct uet_fep_pacer *fp, struct uet_fep *fep);
void uet_fep_pacer_shut(struct uet_fep_pacer *fp);
void uet_fep_pacer_demand(struct uet_fep_pacer *fp,
			  struct uet_cc_waiter *waiter,
			  const struct uet_fep_pacer_peer *from,
			  const struct uet_pdc_demand *demand);
void uet_fep_pacer_leave(struct uet_fep_pacer *fp,
			 struct uet_cc_waiter *waiter);

#endif
