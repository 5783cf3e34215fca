/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RUDI requester in the shell: the core's requests of one FEP to one peer under one lock with
 * one timer, and the run loop that moves them between their users and the rails. The responder
 * is a function of rx.c.
 */
#ifndef UET_RUDI_H
#define UET_RUDI_H

#include <linux/hrtimer.h>

#include "core/pds/rudi.h"
#include "core/ses/ses.h"
#include "pdc_table.h"

struct uet_tx_message;

/* Peers that a FEP has requests by RUDI to, or had lately. */
#define UET_PDC_TABLE_RUDIS_MAX	1024

/**
 * struct uet_rudi_user_req - a RUDI request, in memory of its user
 * @ses: in: target and the rest of the public part, followed by zeroes; @mtu is 0, which
 *	distinguishes it from a message of a socket.  A WRITE has @length zeroes as its
 *	payload.  Result: @error, @rc and @nack_code, for uet_ses_errno()
 * @done: called once for each accepted request, with the outcome; the request is the user's
 *	again and may be freed. In softirq or with BH disabled, under rcu_read_lock(), no UET
 *	lock held; must not sleep
 * @rail: index in uet_fep.rail for all transmissions while that rail is usable; -1: any
 * @slot: index in uet_fep.rail of the last transmission; -1: none
 * @link: entry in a list of the run loop, between the core's report and @done
 * @sent_ns: time of the first transmission, monotonic ns
 * @answered_ns: time of the answer, monotonic ns; 0: none
 * @is_ce: the target reports that the request arrived with CE
 *
 * The user fills in the fields up to @rail. RUDI owns the fields from @slot on until @done.
 */
struct uet_rudi_user_req {
	struct uet_ses_tx ses;
	void (*done)(struct uet_rudi_user_req *req, const struct uet_rudi_up *up);
	int rail;

	int slot;
	struct list_head link;
	struct uet_rudi_up up;
	u64 sent_ns;
	u64 answered_ns;
	u32 retx;
	bool is_ce;
};

/**
 * struct uet_rudi_entry - RUDI requests of a FEP to a peer
 * @fep: local FEP, one reference
 * @lock: protects the fields from @owner to @dead; taken under rcu_read_lock(),
 *	with BH disabled; inside it only the lock of the table is taken
 * @node: entry in uet_pdc_table.rudis while @listed
 * @rudi: the core object, after this structure
 * @ses: messages of sockets, cut into requests
 * @stats_seen: part of the statistics already added to the namespace's counters
 * @armed_ns: expiry of @timer, ns, UET_NEVER when not armed; the timer may fire
 *	early and is then re-armed
 * @busy_ns: time of the last request, ns
 * @listed: findable by its peer
 * @dead: accepts no request; the run loop reports outstanding ones
 * @is_over: @dead, and all are reported
 * @timer: fires no later than uet_rudi_deadline(), or at the idle time-out
 * @refs: one of the table, until @is_over, one of each user outside RCU
 *
 * @fep, @peer and @path are immutable once the object is in the table.
 *
 * Lifetime: the first request to a peer creates the object. The object is @dead and leaves the
 * table after RUDI_IDLE_NS without requests, or when its FEP is deleted. The next request
 * creates a new object with another first pkt_id. Requests outstanding when the FEP is deleted
 * are reported as UET_PDC_ERR_ABORT. The last reference frees the object as that of a PDC. A
 * request needs no reference: the object is not idle before the request is reported.
 */
struct uet_rudi_entry {
	struct uet_fep *fep;
	struct uet_fa peer;
	struct uet_path path;

	spinlock_t lock;
	struct uet_share_owner owner;
	struct rhash_head node;
	struct uet_rudi_peer *rudi;
	struct uet_ses ses;
	struct uet_rudi_stats stats_seen;
	u64 armed_ns;
	u64 busy_ns;
	u16 msg_id;
	u8 run_state;
	bool listed;
	bool dead;
	bool is_over;

	struct hrtimer timer;
	refcount_t refs;
	union {
		struct work_struct end_work;
		struct rcu_work free_work;
	};
};

/* The user request of a packet; NULL: the packet belongs to a message of a socket. */
static inline struct uet_rudi_user_req *
uet_rudi_user_req_of(const struct uet_pds_pkt *pkt)
{
	struct uet_ses_tx *tx = pkt->msg;

	return tx->mtu ? NULL : container_of(tx, struct uet_rudi_user_req, ses);
}

/* For requesters, in process context. */
int uet_rudi_entry_submit(struct uet_fep *fep, const struct uet_fa *peer,
			  struct uet_rudi_user_req *req);
int uet_rudi_entry_send(struct uet_fep *fep, const struct uet_fa *peer,
			struct uet_tx_message *tm);

/**
 * struct uet_rudi_data - consumer of the data of a RUDI_RESP
 * @put: store the data in the local memory of the request @pkt; softirq, lock of the
 *	entry held; returns UET_DROP_NONE or the reason why the data was not used
 */
struct uet_rudi_data {
	enum uet_drop (*put)(const struct uet_rudi_data *data, struct uet_ses *ses,
			     const struct uet_ses_rsp *rsp, const struct uet_pds_pkt *pkt);
};

/* By the receive path, in softirq under rcu_read_lock(). */
struct uet_rudi_entry *uet_rudi_entry_find(struct uet_pdc_table *tab,
					   const struct uet_fa *peer);
enum uet_drop uet_rudi_entry_rx_resp(struct uet_rudi_entry *re, const struct uet_pds_hdr *hdr,
				     const struct uet_ses_rsp *rsp,
				     const struct uet_rudi_data *data);
enum uet_drop uet_rudi_entry_rx_nack(struct uet_rudi_entry *re, const struct uet_pds_hdr *hdr);

void uet_rudi_entry_kill_all(struct uet_fep *fep);

#endif
