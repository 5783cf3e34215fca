/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Congestion control contexts in the kernel: one for all RUD PDCs of a FEP with the
 * same peer, one for each ROD PDC.  ccc_entry.c owns their life and the order in which
 * PDCs that wait for a window get their turn; what a window is the core decides.
 * Level: shell.
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

/**
 * struct uet_ccc_entry - a congestion control context
 *
 * Immutable:
 * @fep: local FEP; a reference of each PDC keeps it
 * @peer: fabric address of the other end
 * @mode: of its PDCs
 * @follows: its rate is what the rails say, else it was configured
 * @node: in uet_fep_cms.cccs, RCU
 * @refs: one for each PDC, which gives it back when its memory goes
 * @rcu: frees it
 *
 * Under @ccc.lock:
 * @param: constants of @ccc
 * @ccc: the core object; its lock is taken inside that of a PDC
 * @sel: its selector of entropy values
 * @waiting: PDCs that it keeps back, longest first, struct uet_cc_waiter, each with a
 *	reference; @ccc.nr_waiting says how many
 * @cwnd_seen: the window last traced
 * @is_busy: counted in uet_fep_cms.nr_busy
 *
 * @run_flags: whether a CPU is running the PDCs in @waiting, see
 *	uet_ccc_entry_run_waiters()
 * @host_parts: eighths of full packets in the queues of this host, host_limit.c
 * @host_limit: of these, before it is held; written under @ccc.lock
 * @host_flags: whether it is, and whether @host_tasklet is to run
 * @host_tasklet: gives turns when packets have left
 * @users: of its memory: one for the PDCs, one for each packet in @host_parts, one for
 *	@host_tasklet while it is to run
 * @penalty: of @sel
 *
 * Lifetime: made for the first PDC, with the settings that the FEP has then, and
 * gone with the last: an idle PDC is kept for its idle time, and so is what was
 * learnt.  A change of settings reaches contexts made later, a change of the speed of
 * the rails these, too.
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
bool uet_ccc_entry_update(struct uet_ccc_entry *cce,
			  struct uet_cc_waiter *waiter, bool waits);
void uet_ccc_entry_run_waiters(struct uet_ccc_entry *cce);
void uet_ccc_entry_update_rates(struct uet_fep *fep);
void uet_ccc_entry_drop(struct uet_ccc_entry *cce);
void uet_ccc_entry_fini(void);

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
void uet_host_limit_leave(struct sk_buff *skb);
u32 uet_host_limit_bytes(const struct uet_ccc_entry *cce);

#endif
