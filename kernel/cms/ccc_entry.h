/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Congestion control contexts in the kernel: one context for all RUD PDCs of a FEP with
 * the same peer, and one context for each ROD PDC.  ccc_entry.c owns the lifetime and
 * the service order of blocked PDCs.  The core computes the window.
 */
#ifndef UET_CCC_ENTRY_H
#define UET_CCC_ENTRY_H

#include <linux/interrupt.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/skbuff.h>

#include "base/base.h"
#include "cc_waiter.h"
#include "core/cms/ccc.h"
#include "core/pds/pds.h"

struct uet_fep;
struct uet_fep_settings;

/* Alignment of contexts: host_limit.c keeps numbers in the low bits of their addresses. */
#define UET_CCC_ENTRY_ALIGN	512UL

/**
 * struct uet_ccc_entry - a congestion control context
 *
 * Immutable:
 * @fep: local FEP; each PDC holds a reference to the FEP
 * @peer: fabric address of the other end
 * @mode: mode of the PDCs
 * @follows: the rate follows the speed of the rails; false: the rate is configured
 * @node: entry in uet_fep_cms.cccs, RCU
 * @refs: one for each PDC, dropped when the PDC is freed; under uet_fep_cms.lock
 * @rcu: for call_rcu()
 *
 * Under @ccc.lock:
 * @param: constants of @ccc
 * @ccc: the core object; its lock nests inside the lock of a PDC
 * @sel: selector of entropy values
 * @waiting: PDCs blocked on the window, longest wait first, struct uet_cc_waiter, each
 *	with a reference; @ccc.nr_waiting is the length
 * @cwnd_seen: last traced window, bytes
 * @is_busy: the context is counted in uet_fep_cms.nr_busy
 *
 * @run_flags: whether a CPU is running the PDCs in @waiting, see
 *	uet_ccc_entry_run_waiters()
 * @host_parts: data in the queues of this host, eighths of a full packet,
 *	host_limit.c
 * @host_limit: value of @host_parts that holds the context; written under @ccc.lock
 * @host_flags: bits: the context is held, @host_tasklet is scheduled
 * @host_tasklet: resumes the context after packets have left the host
 * @users: references to the memory: one for the PDCs, one for each packet in
 *	@host_parts, one for a scheduled @host_tasklet
 * @penalty: storage of @sel
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

struct uet_ccc_entry *uet_ccc_entry_get(struct uet_fep *fep,
					const struct uet_fa *peer,
					enum uet_pdc_mode mode, gfp_t gfp);
void uet_ccc_entry_put(struct uet_ccc_entry *cce);
u32 uet_ccc_entry_quantum(struct uet_ccc_entry *cce);
bool uet_ccc_entry_update(struct uet_ccc_entry *cce,
			  struct uet_cc_waiter *waiter, bool waits);
void uet_ccc_entry_run_waiters(struct uet_ccc_entry *cce);
void uet_ccc_entry_update_rates(struct uet_fep *fep);
void uet_ccc_entry_drop(struct uet_ccc_entry *cce);
void uet_ccc_entry_fini(void);

/*
 * Read the time of an event.
 * Context: Lock of @cce->ccc held.
 * Return: monotonic time, ns; no later event has an earlier time.
 */
static inline u64 uet_ccc_entry_now(struct uet_ccc_entry *cce)
{
	return uet_ns_latest(&cce->ccc.now_ns, uet_now_ns());
}

/**
 * struct uet_ubuf - MSG_ZEROCOPY pages of packets, and the context that counts these
 *	packets
 * @ubuf: pages, as the stack sees them
 * @owner: context of the counted packets, valid while such a packet exists; NULL: no
 *	packet was counted yet. Written and read by host_limit.c only
 *
 * skb_shinfo()->destructor_arg is one pointer: the pages, or the context. A packet with
 * pages therefore has its context here.
 */
struct uet_ubuf {
	struct ubuf_info ubuf;
	struct uet_ccc_entry *owner;
};

/* host_limit.c */
void uet_host_limit_init(struct uet_ccc_entry *cce);
void uet_host_limit_set(struct uet_ccc_entry *cce);
void uet_host_limit_add(struct uet_ccc_entry *cce, struct sk_buff *skb);
u32 uet_host_limit_room(const struct uet_ccc_entry *cce, struct sk_buff *like);
void uet_host_limit_leave(struct sk_buff *skb);
u32 uet_host_limit_bytes(const struct uet_ccc_entry *cce);

#endif
