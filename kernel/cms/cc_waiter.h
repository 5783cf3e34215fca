/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interface of a PDC to congestion management.  A waiter is an entry in the list of PDCs
 * that are blocked on the window of a context, and in the list of PDCs that report the
 * demand of a peer.
 */
#ifndef UET_CC_WAITER_H
#define UET_CC_WAITER_H

#include <linux/list.h>
#include <linux/types.h>

struct uet_cc_waiter;
struct uet_pacer_source;

/**
 * struct uet_cc_waiter_ops - operations of the PDC of a waiter
 * @get: take a reference; the caller has a reference or the lock of the PDC
 * @get_live: take a reference; false: the PDC is being freed
 * @put: drop a reference; no lock of the PDC held
 * @run: send up to quantum packets, although other PDCs wait; is_late: the timer of the
 *	PDC sends the packets.  No lock of a PDC held
 * @grant: send a Credit of 24 bits to the peer.  No lock of a PDC held
 *
 * Context of each: process or softirq.
 */
struct uet_cc_waiter_ops {
	void (*get)(struct uet_cc_waiter *waiter);
	bool (*get_live)(struct uet_cc_waiter *waiter);
	void (*put)(struct uet_cc_waiter *waiter);
	void (*run)(struct uet_cc_waiter *waiter, u32 quantum, bool is_late);
	void (*grant)(struct uet_cc_waiter *waiter, u32 credit);
};

/**
 * struct uet_cc_waiter - membership of a PDC in the lists of congestion management
 * @ops: immutable
 * @link: entry in uet_ccc_entry.waiting, under uet_ccc.lock of the context
 * @source: source of credit demand that the PDC reports, under uet_fep_pacer.lock;
 *	NULL: none
 * @source_link: entry in uet_pacer_source.pdcs of @source, under uet_fep_pacer.lock
 */
struct uet_cc_waiter {
	const struct uet_cc_waiter_ops *ops;
	struct list_head link;
	struct uet_pacer_source *source;
	struct list_head source_link;
};

/**
 * uet_cc_waiter_init() - initialise the waiter of a new PDC
 * @waiter: waiter
 * @ops: operations of the PDC
 */
static inline void uet_cc_waiter_init(struct uet_cc_waiter *waiter,
				      const struct uet_cc_waiter_ops *ops)
{
	waiter->ops = ops;
	INIT_LIST_HEAD(&waiter->link);
	waiter->source = NULL;
	INIT_LIST_HEAD(&waiter->source_link);
}

#endif
