/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RUDI in the kernel, the half that asks: the core's requests of one FEP to one
 * peer under one lock with one timer, and the run loop that moves them between
 * their users and the rails.  The half that answers is a function of rx.c.
 * Level: shell.
 */
#ifndef UET_RUDI_ENTRY_H
#define UET_RUDI_ENTRY_H

#include <linux/hrtimer.h>
#include <linux/refcount.h>
#include <linux/rhashtable.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "core/pds/rudi.h"
#include "core/ses/ses.h"
#include "fabric/fabric.h"
#include "pdc_table.h"

struct uet_tx_message;

/**
 * struct uet_rudi_user_req - a request by RUDI, memory of its user
 * @ses: what is asked: target and the rest of the public part, zeroes behind it;
 *	of opcode UET_OP_NO_OP, by which it is told from a message of a socket.  With the outcome its @error,
 *	@rc and @nack_code are set, so that uet_ses_errno() knows how it ended
 * @done: gets the outcome, once, for each request that uet_rudi_entry_submit() took;
 *	the request is its user's again, and may be freed.  In softirq or with BH
 *	disabled, under rcu_read_lock(), no lock of ours held; must not sleep
 *
 * @rail: place in uet_fep.rail that transmissions have to leave from while it is
 *	usable; -1: any
 *
 * The user fills in what is above and owns none of what follows before @done:
 *
 * @slot: place in uet_fep.rail that the last transmission left from; -1: none
 * @link: between the core's report and @done, in a list of the run loop
 * @up: the outcome
 * @sent_ns: of the first transmission, monotonic ns
 * @answered_ns: when the answer came, monotonic ns; 0 if none did
 * @retx: transmissions but the first
 * @is_ce: the target says that the request arrived with CE
 */
struct uet_rudi_user_req {
	struct uet_ses_tx ses;
	void (*done)(struct uet_rudi_user_req *req,
		     const struct uet_rudi_up *up);
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
 * struct uet_rudi_entry - the requests of a FEP to a peer
 *
 * Immutable once in the table:
 * @fep: local FEP, one reference
 * @peer: fabric address of the other end, the key
 * @path: the ways to the peer
 *
 * @lock: protects what follows; taken under rcu_read_lock(), with BH disabled,
 *	and with no lock of ours inside but those of the table
 * @node: in uet_pdc_table.rudis while @listed
 * @rudi: the core object, behind this structure
 * @ses: messages of sockets, cut into requests
 * @stats_seen: what was already added to the namespace's counters
 * @armed_ns: expiry of @timer, UET_NEVER when it is not armed; it may fire
 *	early, then it is armed anew
 * @busy_ns: when there was last a request
 * @msg_id: message id of the last request
 * @running: somebody is in the run loop
 * @rerun: something new came meanwhile, the one in the run loop must look
 * @listed: findable by its peer; the table holds a reference
 * @dead: takes no request; what was outstanding is reported by the run loop
 *
 * @timer: fires at or before uet_rudi_deadline(), or when idle for too long
 * @refs: one for the table, one for each user outside RCU
 * @free_work: frees it, a grace period after the last reference
 *
 * Lifetime: the first request to a peer creates it.  It dies when it has had no
 * request for UET_RUDI_ENTRY_IDLE_NS, or with its FEP, and leaves the table at once;
 * the next request creates another one, whose pkt_ids begin elsewhere.  What is
 * outstanding when the FEP dies is reported as UET_PDC_ERR_ABORT.  The last put
 * frees it after a grace period, because rx finds it under RCU only, in process
 * context, because the timer has to be waited for.  A request needs no
 * reference: the object does not go idle before it is reported.
 */
struct uet_rudi_entry {
	struct uet_fep *fep;
	struct uet_fa peer;
	struct uet_path path;

	spinlock_t lock;
	struct rhash_head node;
	struct uet_rudi_peer *rudi;
	struct uet_ses ses;
	struct uet_rudi_stats stats_seen;
	u64 armed_ns;
	u64 busy_ns;
	u16 msg_id;
	bool running;
	bool rerun;
	bool listed;
	bool dead;

	struct hrtimer timer;
	refcount_t refs;
	struct rcu_work free_work;
};

/* What stays of a peer for so long is its route and its round trip time. */
#define UET_RUDI_ENTRY_IDLE_NS	(10 * NSEC_PER_SEC)

/**
 * uet_rudi_user_req_of() - the request that a packet is
 * @pkt: from the core
 *
 * Context: Any.
 * Return: the request, or NULL: it is part of a message of a socket.
 */
static inline struct uet_rudi_user_req *
uet_rudi_user_req_of(const struct uet_pds_pkt *pkt)
{
	struct uet_ses_tx *tx = pkt->msg;

	return tx->opcode == UET_OP_NO_OP ?
	       container_of(tx, struct uet_rudi_user_req, ses) : NULL;
}

int uet_rudi_entry_init(void);
void uet_rudi_entry_fini(void);

/* By those who ask, in process context. */
int uet_rudi_entry_submit(struct uet_fep *fep, const struct uet_fa *peer,
			  struct uet_rudi_user_req *req);
int uet_rudi_entry_send(struct uet_fep *fep, const struct uet_fa *peer,
			struct uet_tx_message *tm);

/**
 * struct uet_rudi_data - the data of a RUDI_RESP
 * @put: put it where the request of @pkt wants it; softirq, lock of the entry held;
 *	returns UET_DROP_NONE or the reason why the data was not used
 */
struct uet_rudi_data {
	enum uet_drop (*put)(const struct uet_rudi_data *data,
			     struct uet_ses *ses, const struct uet_ses_rsp *rsp,
			     const struct uet_pds_pkt *pkt);
};

/* By the receive path, in softirq under rcu_read_lock(). */
enum uet_drop uet_rudi_entry_rx_resp(struct uet_rudi_entry *re,
				     const struct uet_pds_hdr *hdr,
				     const struct uet_ses_rsp *rsp,
				     const struct uet_rudi_data *data);
enum uet_drop uet_rudi_entry_rx_nack(struct uet_rudi_entry *re,
				     const struct uet_pds_hdr *hdr);

/* By the FEP. */
void uet_rudi_entry_kill_all(struct uet_fep *fep);

/* Between rudi_entry.c and rudi_run.c. */
void uet_rudi_entry_lock(struct uet_rudi_entry *re);
void uet_rudi_entry_unlock(struct uet_rudi_entry *re);
void uet_rudi_entry_unlock_xmit(struct uet_rudi_entry *re);
void uet_rudi_entry_put(struct uet_rudi_entry *re);
void uet_rudi_entry_die(struct uet_rudi_entry *re)
	__must_hold(&re->lock);
enum hrtimer_restart uet_rudi_entry_timer(struct hrtimer *timer);

#endif
