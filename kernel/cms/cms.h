/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Congestion management: one context for all RUD PDCs of a FEP with the same peer, and one
 * for each ROD PDC; the limit on the queues of this host; and the pacer that grants the
 * bandwidth of the rails to peers.  The core computes windows and grants.
 *
 * The lock of a context and that of the pacer nest inside the lock of a PDC, with BH off.
 */
#ifndef UET_CMS_H
#define UET_CMS_H

#include <linux/hashtable.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/refcount.h>
#include <linux/skbuff.h>

#include "base/base.h"
#include "core/cms/cc_pacer.h"
#include "core/cms/ccc.h"
#include "core/pds/pds.h"

struct uet_cc_waiter;
struct uet_fep;
struct uet_pacer_source;

/**
 * struct uet_cc_waiter_ops - operations of the PDC of a waiter, in process or softirq
 * @get: take a reference; the caller has a reference or the lock of the PDC
 * @get_live: take a reference; false: the PDC is being freed
 * @put: drop a reference; no lock of the PDC held
 * @run: send up to quantum packets, although other PDCs wait; is_late: the timer of the
 *	PDC sends the packets.  No lock of a PDC held
 * @grant: send a Credit of 24 bits to the peer.  No lock of a PDC held
 */
struct uet_cc_waiter_ops {
	void (*get)(struct uet_cc_waiter *waiter);
	bool (*get_live)(struct uet_cc_waiter *waiter);
	void (*put)(struct uet_cc_waiter *waiter);
	void (*run)(struct uet_cc_waiter *waiter, u32 quantum, bool is_late);
	void (*grant)(struct uet_cc_waiter *waiter, u32 credit);
};

/*
 * struct uet_cc_waiter - a PDC in the lists of congestion management
 * @link: entry in uet_ccc_entry.waiting, under uet_ccc.lock of the context
 * @source: source of credit demand that the PDC reports, under uet_fep_pacer.lock; NULL: none
 * @source_link: entry in uet_pacer_source.pdcs of @source, under uet_fep_pacer.lock
 */
struct uet_cc_waiter {
	const struct uet_cc_waiter_ops *ops;
	struct list_head link;
	struct uet_pacer_source *source;
	struct list_head source_link;
};

static inline void uet_cc_waiter_init(struct uet_cc_waiter *waiter,
				      const struct uet_cc_waiter_ops *ops)
{
	waiter->ops = ops;
	INIT_LIST_HEAD(&waiter->link);
	waiter->source = NULL;
	INIT_LIST_HEAD(&waiter->source_link);
}

/* Alignment of contexts: the charge of a packet is in the low bits of their addresses. */
#define UET_CCC_ENTRY_ALIGN	512UL

/*
 * struct uet_ccc_entry - a congestion control context
 *
 * Immutable:
 * @fep: each PDC holds a reference to the FEP
 * @follows: the rate follows the speed of the rails; false: the rate is configured
 * @node: entry in uet_fep_cms.cccs, RCU
 * @refs: one for each PDC, dropped when the PDC is freed; under uet_fep_cms.lock
 *
 * Under @ccc.lock:
 * @waiting: PDCs blocked on the window, longest wait first, struct uet_cc_waiter, each
 *	with a reference; @ccc.nr_waiting is the length
 * @cwnd_seen: last traced window, bytes
 * @is_busy: the context is counted in uet_fep_cms.nr_busy
 *
 * @run_flags: whether a CPU is running the PDCs in @waiting
 * @host_parts: data in the queues of this host, eighths of a full packet
 * @host_limit: value of @host_parts that holds the context; written under @ccc.lock
 * @host_flags: bits: the context is held, @host_tasklet is scheduled
 * @host_tasklet: resumes the context after packets have left the host
 * @users: references to the memory: one for the PDCs, one for each packet in
 *	@host_parts, one for a scheduled @host_tasklet
 *
 * Lifetime: created for the first PDC, with the current settings of the FEP, and freed
 * with the last PDC.  An idle PDC stays open for its idle time and so keeps the state of
 * its context.  A change of settings affects later contexts only.  A change of the speed
 * of the rails affects existing contexts, too.
 */
struct uet_ccc_entry {
	struct uet_fep *fep;
	struct uet_fa peer;
	enum uet_pdc_mode mode;
	bool follows;
	struct hlist_node node;
	refcount_t refs;
	struct rcu_head rcu;

	struct uet_cc_param param;
	struct uet_ccc ccc;
	struct uet_ev_sel sel;
	struct list_head waiting;
	u64 cwnd_seen;
	bool is_busy;

	unsigned long run_flags;
	atomic_t host_parts;
	int host_limit;
	unsigned long host_flags;
	struct tasklet_struct host_tasklet;
	refcount_t users;
	u8 penalty[];
} __aligned(8);

struct uet_ccc_entry *uet_ccc_entry_get(struct uet_fep *fep, const struct uet_fa *peer,
					enum uet_pdc_mode mode, gfp_t gfp);
void uet_ccc_entry_put(struct uet_ccc_entry *cce);
u32 uet_ccc_entry_quantum(struct uet_ccc_entry *cce);
bool uet_ccc_entry_update(struct uet_ccc_entry *cce, struct uet_cc_waiter *waiter, bool waits);
void uet_ccc_entry_run_waiters(struct uet_ccc_entry *cce);
void uet_ccc_entry_update_rates(struct uet_fep *fep);
void uet_ccc_entry_fini(void);

/*
 * struct uet_ubuf - pages of MSG_ZEROCOPY, and the context that counts their packets
 * @owner: valid while such a packet exists; NULL: no packet was counted yet
 *
 * skb_shinfo()->destructor_arg is one pointer: the pages, or the context.  A packet with
 * pages therefore has its context here.
 */
struct uet_ubuf {
	struct ubuf_info ubuf;
	struct uet_ccc_entry *owner;
};

void uet_host_limit_add(struct uet_ccc_entry *cce, struct sk_buff *skb);
u32 uet_host_limit_room(const struct uet_ccc_entry *cce, struct sk_buff *like);
void uet_host_limit_leave(struct sk_buff *skb);
u32 uet_host_limit_bytes(const struct uet_ccc_entry *cce);

/*
 * Buckets of a hash table by peer, as a power of two. There is at most one entry for each
 * PDC, and the pools limit those of a FEP and of a peer.
 */
#define UET_FEP_CMS_BITS	10

/*
 * struct uet_fep_pacer - credit pacer of a FEP
 * @lock: protects all fields, and uet_cc_waiter.source and .source_link
 * @sources: RUD contexts of peers, struct uet_pacer_source, by peer and ccc_id
 * @seed: of the hash of @sources, random, so that peers cannot choose their bucket
 * @armed_ns: expiry of @timer, monotonic, ns; UET_NEVER: not armed
 * @ran_ns: time of the last run of @core, monotonic, ns
 * @is_shut: the FEP is being deleted, so @timer must not be armed
 * @timer: runs @core when the next grant is due, at most once in FP_TICK_NS
 */
struct uet_fep_pacer {
	struct uet_fep *fep;
	spinlock_t lock;
	struct uet_pacer core;
	DECLARE_HASHTABLE(sources, UET_FEP_CMS_BITS);
	u32 seed;
	u32 nr_sources;
	u64 armed_ns;
	u64 ran_ns;
	bool is_shut;
	struct hrtimer timer;
};

/*
 * struct uet_fep_pacer_peer - peer of a PDC
 * @mode: mode of the PDC; RUD PDCs of the same context share a source
 */
struct uet_fep_pacer_peer {
	const struct uet_fa *fa;
	enum uet_pdc_mode mode;
};

void uet_fep_pacer_shut(struct uet_fep_pacer *fp);
void uet_fep_pacer_demand(struct uet_fep_pacer *fp, struct uet_cc_waiter *waiter,
			  const struct uet_fep_pacer_peer *from,
			  const struct uet_pdc_demand *demand);
void uet_fep_pacer_leave(struct uet_fep_pacer *fp, struct uet_cc_waiter *waiter);

/*
 * struct uet_fep_cms - congestion management of a FEP
 * @cccs: congestion control contexts, struct uet_ccc_entry, RUD by peer; RCU
 * @seed: of the hash of @cccs, as uet_fep_pacer.seed
 * @lock: protects changes of @cccs, references to contexts, and @next_id; BH disabled
 * @next_id: ccc_id of the next context, by which a peer distinguishes it from an older one
 * @nr_busy: number of contexts with data to send
 */
struct uet_fep_cms {
	DECLARE_HASHTABLE(cccs, UET_FEP_CMS_BITS);
	u32 seed;
	spinlock_t lock;
	u8 next_id;
	atomic_t nr_busy;
	struct uet_fep_pacer pacer;
};

struct uet_fep_cms *uet_fep_cms_alloc(struct uet_fep *fep);

#endif
