/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The credit pacer of a FEP: grants the bandwidth of the rails to the peers that request
 * credit.  The core computes the grants.  fep_pacer.c runs the core by a timer, maps
 * contexts of peers to PDCs, and lets the PDCs send the Credits.
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

/*
 * Buckets of uet_fep_pacer.sources, as a power of two. There is at most one source for
 * each PDC, and the pools limit those of a FEP and of a peer.
 */
#define UET_FEP_PACER_BITS		10

/**
 * struct uet_fep_pacer - credit pacer of a FEP
 * @fep: the FEP; immutable
 * @lock: protects all fields, and uet_cc_waiter.source and .source_link; nests inside
 *	the lock of a PDC; BH disabled
 * @core: core pacer, which computes the grants
 * @sources: RUD contexts of peers, struct uet_pacer_source, by peer and ccc_id
 * @seed: of the hash of @sources, random, so that peers cannot choose their bucket;
 *	immutable
 * @nr_sources: number of sources, including ROD
 * @armed_ns: expiry of @timer, monotonic, ns; UET_NEVER: not armed
 * @ran_ns: time of the last run of @core, monotonic, ns
 * @is_shut: the FEP is being deleted, so @timer must not be armed
 * @timer: runs @core when the next grant is due, at most once in FP_TICK_NS
 *
 * Lifetime: part of uet_fep.cms; each PDC holds a reference to the FEP.
 */
struct uet_fep_pacer {
	struct uet_fep *fep;
	spinlock_t lock;
	struct uet_pacer core;
	DECLARE_HASHTABLE(sources, UET_FEP_PACER_BITS);
	u32 seed;
	u32 nr_sources;
	u64 armed_ns;
	u64 ran_ns;
	bool is_shut;
	struct hrtimer timer;
};

/**
 * struct uet_fep_pacer_peer - peer of a PDC
 * @fa: fabric address of the peer
 * @mode: mode of the PDC; RUD PDCs of the same context share a source
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
