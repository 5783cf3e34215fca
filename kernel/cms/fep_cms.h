/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Congestion management of a FEP: its contexts by peer, and the pacer that grants the
 * credit of its rails.
 */
#ifndef UET_FEP_CMS_H
#define UET_FEP_CMS_H

#include <linux/atomic.h>
#include <linux/hashtable.h>
#include <linux/spinlock.h>

#include "fep_pacer.h"

struct uet_fep;

/*
 * Buckets of uet_fep_cms.cccs, as a power of two. There is at most one context for each
 * PDC, and the pools limit those of a FEP and of a peer.
 */
#define UET_FEP_CCC_BITS	10

/**
 * struct uet_fep_cms - congestion management of a FEP
 * @cccs: congestion control contexts, struct uet_ccc_entry, RUD by peer; RCU
 * @seed: of the hash of @cccs, random, so that peers cannot choose their bucket;
 *	immutable
 * @lock: protects changes of @cccs, references to contexts, and @next_id; BH disabled
 * @next_id: ccc_id of the next context; a new context has a new ccc_id, by which a peer
 *	distinguishes it from an older context
 * @nr_busy: number of contexts with data to send
 * @pacer: pacer of the credit for peers that send to this FEP
 */
struct uet_fep_cms {
	DECLARE_HASHTABLE(cccs, UET_FEP_CCC_BITS);
	u32 seed;
	spinlock_t lock;
	u8 next_id;
	atomic_t nr_busy;
	struct uet_fep_pacer pacer;
};

struct uet_fep_cms *uet_fep_cms_alloc(struct uet_fep *fep);

#endif
