/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A PDC as congestion management sees it: a member of the list of PDCs that wait for
 * the window of a context, and of the list of PDCs that report the demand of a peer.
 */
#ifndef UET_CC_WAITER_H
#define UET_CC_WAITER_H

#include <linux/list.h>
#include <linux/types.h>

struct uet_cc_waiter;
struct uet_pacer_source;

/**
 * struct uet_cc_waiter_ops - the PDC behind a waiter
 * @get: take a reference; the caller has one or the lock of the PDC
 * @get_live: take a reference; false: the PDC is being freed
 * @put: drop a reference; no lock of the PDC held
 * @run: let it send up to quantum packets, although others wait; is_late: leave the
 *	packets to its timer.  No lock of a PDC held
 * @grant: send a Credit to its peer, 24 bits.  No lock of a PDC held
 *
 * Process or softirq context.
 */
struct uet_cc_waiter_ops {
	void (*get)(struct uet_cc_waiter *waiter);
	bool (*get_live)(struct uet_cc_waiter *waiter);
	void (*put)(struct uet_cc_waiter *waiter);
	void (*run)(struct uet_cc_waiter *waiter, u32 quantum, bool is_late);
	void (*grant)(struct uet_cc_waiter *waiter, u32 credit);
};

/**
 * struct uet_cc_waiter - part of a PDC
 * @ops: immutable
 * @link: in uet_ccc_entry.waiting, under the lock of the context
 * @source: source of credit demand that it reports, under uet_fep_pacer.lock; NULL:
 *	none
 * @source_link: in @source, under uet_fep_pacer.lock
 */
struct uet_cc_waiter {
	const struct uet_cc_waiter_ops *ops;
	struct list_head link;
	struct uet_pacer_source *source;
	struct list_head source_link;
};

/**
 * uet_cc_waiter_init() - a PDC that waits for nothing
 * @waiter: part of a new PDC
 * @ops: of the PDC
 *
 * Context: Any.
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
