/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A PDC in the shell: the core's PDC and SES state under one lock with one timer, the run loop
 * that moves packets and messages between the core, the rails and the sockets, and what a PDC
 * counts.  Also packets, from descriptors of the core to socket buffers.
 *
 * Functions of a PDC run in process context or softirq; "sends packets" means that they take
 * and drop the lock of the PDC, and call sockets.
 */
#ifndef UET_PDC_H
#define UET_PDC_H

#include <linux/hrtimer.h>
#include <linux/ipv6.h>
#include <linux/netdevice.h>
#include <linux/ratelimit.h>
#include <linux/sizes.h>
#include <linux/skbuff.h>

#include "carrier/carrier.h"
#include "cms/cms.h"
#include "core/pds/cork.h"
#include "core/ses/ses.h"
#include "fabric/fabric.h"
#include "pdc_table.h"
#include "rudi.h"

struct uet_read_rsp_msg;
struct uet_rx_message;
struct uet_sock;
struct uet_tx_message;

/**
 * enum uet_run - when the run loop of a PDC runs
 * @UET_RUN_NOW: at once
 * @UET_RUN_IF_BUSY: at once, unless the PDC is at rest.  Most requests are acknowledged
 *	together with later ones, and most timers expire before the deadline, which an ACK has
 *	moved: then no packet is pending, and finding that out in the loop would cost as much as
 *	the request
 * @UET_RUN_LATER: by the timer, at once
 * @UET_RUN_CORKED: by the timer at uet_cork.until_ns, because messages wait for others, or
 *	with the next run for another reason
 */
enum uet_run {
	UET_RUN_NOW,
	UET_RUN_IF_BUSY,
	UET_RUN_LATER,
	UET_RUN_CORKED,
};

/**
 * enum uet_run_state - run loop of a PDC or of RUDI requests, under the lock of the object
 * @UET_RUN_IDLE: no CPU is in the run loop; the next CPU that has work enters
 * @UET_RUN_RUNNING: a CPU is in the run loop
 * @UET_RUN_RERUN: a CPU is in the run loop, and another CPU has added work since
 *	the round began; the CPU in the loop runs another round, or leaves it to
 *	the timer after the maximum number of rounds
 *
 * The CPU in the loop releases the lock within each round; other CPUs may then change RUNNING
 * to RERUN. Only the CPU in the loop changes the state back to RUNNING, when a round begins,
 * and to IDLE, when the loop ends.
 */
enum uet_run_state {
	UET_RUN_IDLE,
	UET_RUN_RUNNING,
	UET_RUN_RERUN,
};

/**
 * struct uet_pdc_traffic - what a PDC has counted and not added yet
 * @peer: its peer, one reference
 * @job: JobID of its messages; target: of the latest one, 0: none yet
 * @tx_messages: UET_TRAFFIC_TX_MESSAGES, likewise the others of its line
 * @tx_req: uet_pdc_stats.tx_req as added; likewise the others of its line
 */
struct uet_pdc_traffic {
	struct uet_pdc_peer *peer;
	u32 job;
	u64 tx_messages, failed_messages, tx_bytes, rx_messages, rx_bytes;
	u64 tx_req, tx_retx, rx_req, rx_dup, rto_fired;
};

/**
 * struct uet_pdc_ended - messages of a PDC that have ended in a round
 */
struct uet_pdc_ended {
	u32 sent, failed;
	u64 sent_bytes, read_bytes;
};

/**
 * struct uet_pdc_sender - the thread that sent the last message of a stream, and how often it
 *	had slept and been preempted by then
 */
struct uet_pdc_sender {
	pid_t pid;
	unsigned long nvcsw;
	unsigned long nivcsw;
};

/* Counters of a PDC, at the position of each in struct uet_pdc_stats. */
#define UET_PDC_COUNTERS	(sizeof(struct uet_pdc_stats) / sizeof(u64))

/**
 * struct uet_pdc_window - memory of a PDC that is in use
 * @run: the latest request, if packets may continue its message; else an older one
 * @core: uet_pdc_window_size() bytes of the core
 */
struct uet_pdc_window {
	struct uet_wire_run run;
	u64 core[];
};

/**
 * struct uet_pdc_dependent - an object that ends with a PDC
 * @link: entry in uet_pdc_entry.rdvs, under the lock of the PDC
 * @lost: the PDC has ended; in any context, no PDC lock held
 */
struct uet_pdc_dependent {
	struct list_head link;
	void (*lost)(struct uet_pdc_dependent *dep);
};

/**
 * struct uet_pdc_entry - a PDC with its shell state
 * @fep: local FEP, one reference
 * @settings: parameters, one reference
 * @mem_units: memory of the PDC with its window, in units of UET_PDC_MEM_UNIT, rounded up
 * @is_charged: the host counts it until it is free: see uet_pools_take_target()
 * @pool: pool that the PDC is charged to, enum uet_pool
 * @syn_psn: target: first PSN according to the SYN that created the PDC
 * @start_psn: first PSN of both directions; for a secure target, changed once, with
 *	@is_started, under @lock
 * @owner: initiator: whose share of @pool the PDC counts against
 * @key: initiator: key of the endpoint pair
 * @us: initiator: the socket of @key while the PDC is in uet_ep_links.pdcs, else NULL;
 *	under @lock, without a reference
 * @on_ep: initiator: position in uet_ep_links.pdcs, RCU, under uet_ep_links.lock
 * @syn: target: key of the SYN
 * @path: paths to the peer; access needs no lock, see struct uet_path
 * @cce: one reference; NULL: none
 *
 * @lock: protects the fields below; taken by uet_pdc_entry_lock(), with BH disabled;
 *	only the locks of the tables, of @cce and of uet_fep_cms.pacer nest inside
 * @node: entry in uet_pdc_table.targets or uet_pdc_table.initiators while @hashed
 * @ses: messages; incoming messages are struct uet_rx_message, tombstones of failed
 *	messages are bare, see uet_pdc_entry_mark_failed()
 * @rdvs: rendezvous messages whose senders have not been notified of the result,
 *	struct uet_pdc_dependent
 * @early: requests that arrived before earlier ones, in PSN order; rx/rx.c
 * @pdc: the core object, behind this structure
 * @window: memory of a PDC in use, or NULL; written under @lock
 * @counted: statistics already added to the counters of the namespace, modulo 2^32
 * @now_ns: latest time of an event, ns
 * @armed_ns: expiry of @timer, ns; UET_NEVER: not armed; the timer may fire early and
 *	is then re-armed
 * @gone_ns: time when a @dead PDC leaves the tables, ns
 * @nr_lost: messages of this end that were lost with the PDC
 * @hashed: findable by its key
 * @listed: findable by its PDCID
 * @unused: the owning socket is closed: close when idle, and after a time
 * @is_starved: there was no memory for @window
 * @is_started: target under security: its Start_PSN was accepted
 * @dead: all messages were returned; no message may start
 * @timer: fires no later than uet_pdc_deadline()
 * @refs: one for the tables until the PDC is neither in them nor has messages, one for
 *	each user
 *
 * The fields from @fep to @waiter are immutable once the PDC is in the tables, unless noted
 * otherwise.
 *
 * Lifetime: uet_pdc_entry_get_initiator() or a SYN creates a PDC. It becomes @dead in the run
 * loop when the core has closed the PDC or its FEP is deleted. Then the PDC leaves the tables
 * at once, except a target whose FEP is not deleted. Such a target leaves them after
 * uet_pdc_entry_time_wait(). Until then it absorbs late copies of its SYN, and counts against
 * the limits on targets. The last reference frees the PDC after a grace period, because the
 * receive path finds it under RCU only, and in process context, because the timer must be
 * cancelled synchronously.
 */
struct uet_pdc_entry {
	spinlock_t lock;
	struct uet_fep *fep;
	struct uet_fep_settings *settings;
	struct uet_fa peer;
	enum uet_pdc_role role;
	enum uet_pdc_mode mode;
	u16 id;
	u16 mem_units;
	bool is_charged;
	u8 pool;
	u32 syn_psn;
	u32 start_psn;
	struct uet_share_owner owner;
	struct uet_peer_key key;
	struct uet_sock *us;
	struct list_head on_ep;
	struct uet_syn_key syn;
	struct uet_path path;
	struct uet_ccc_entry *cce;
	struct uet_cc_waiter waiter;

	struct rhash_head node;
	struct uet_ses ses;
	struct list_head rdvs;
	struct sk_buff_head early;
	u32 early_bytes;
	struct uet_pdc_window *window;
	u32 counted[UET_PDC_COUNTERS];
	struct uet_pdc_traffic traffic;
	enum uet_pdc_state state_seen;
	u64 now_ns;
	u64 armed_ns;
	u64 gone_ns;
	u32 nr_lost;
	struct uet_cork cork;
	struct uet_pdc_sender sender;
	u8 run_state;
	bool hashed;
	bool listed;
	bool unused;
	bool is_starved;
	bool is_started;
	bool dead;

	struct hrtimer timer;
	refcount_t refs;
	union {
		struct work_struct end_work;
		struct rcu_work free_work;
	};
	struct uet_pdc *pdc;
};

/* Memory of a PDC with the default window and congestion control, bytes. */
#define UET_PDC_MEM_UNIT		(SZ_32K + SZ_8K)

/*
 * Ends and frees PDCs and RUDI requests; a separate queue, so that their FEP and the module
 * can wait for it.
 */
extern struct workqueue_struct *uet_pdc_wq;

void uet_pdc_entry_lock(struct uet_pdc_entry *pe)
	__acquires(RCU) __acquires(&pe->lock);

/**
 * uet_pdc_entry_lock_at() - lock a PDC for an event whose time was read before
 *
 * Return: time of the event, ns: @now, or the time of a later event.
 */
static inline u64 uet_pdc_entry_lock_at(struct uet_pdc_entry *pe, u64 now)
	__acquires(RCU) __acquires(&pe->lock)
{
	uet_pdc_entry_lock(pe);
	return uet_ns_latest(&pe->now_ns, now);
}

/* The time of an event of a locked PDC, ns; no later event has an earlier time. */
static inline u64 uet_pdc_entry_now(struct uet_pdc_entry *pe)
	__must_hold(&pe->lock)
{
	return pe->now_ns = uet_now_ns();
}

/**
 * uet_pdc_entry_unlock() - unlock a PDC without any change that requires packets
 */
static inline void uet_pdc_entry_unlock(struct uet_pdc_entry *pe)
	__releases(&pe->lock) __releases(RCU)
{
	spin_unlock_bh(&pe->lock);
	rcu_read_unlock();
}

int uet_pdc_entry_init(void);
void uet_pdc_entry_fini(void);
void uet_pdc_entry_wait(void);

/* For sockets, in process context. */
struct uet_pdc_entry *
uet_pdc_entry_get_initiator(struct uet_fep *fep, const struct uet_peer_key *key,
			    struct uet_sock *us, gfp_t gfp);
int uet_pdc_entry_send(struct uet_pdc_entry *pe, struct uet_tx_message *tm,
		       enum uet_cork_hint hint);
int uet_pdc_entry_send_again(struct uet_fep *fep, const struct uet_peer_key *key,
			     struct uet_tx_message *tm, bool is_later, gfp_t gfp);
void uet_pdc_entry_set_latest(struct uet_pdc_entry *pe, struct uet_sock *us);
void uet_pdc_entry_uncork(struct uet_sock *us);
int uet_pdc_entry_supply(struct uet_pdc_entry *pe, struct uet_tx_message *tm,
			 struct list_head *chunks);
bool uet_pdc_entry_is_drained(struct uet_pdc_entry *pe);
void uet_pdc_entry_abort_msg(struct uet_pdc_entry *pe, struct uet_tx_message *tm);
void uet_pdc_entry_cancel_rx(struct uet_pdc_entry *pe, const struct uet_sock *us,
			     bool (*wants)(const struct uet_rx_message *rm, u64 since),
			     u64 since, struct list_head *cancelled);
void uet_pdc_entry_release_ep(struct uet_sock *us, u64 end_ns);
void uet_pdc_entry_put(struct uet_pdc_entry *pe);

/* For the receive path, in softirq under rcu_read_lock(). */
struct uet_pdc_entry *uet_pdc_entry_accept(struct uet_fep *fep, const struct uet_syn_key *key,
					   const struct uet_pdc_open *open);
bool uet_pdc_entry_awake(struct uet_pdc_entry *pe);

/* The run loop: pdc_run.c */
extern const struct uet_cc_waiter_ops uet_pdc_entry_waiter_ops;

void uet_pdc_entry_run(struct uet_pdc_entry *pe, enum uet_run how);
enum hrtimer_restart uet_pdc_entry_timer(struct hrtimer *timer);
void uet_pdc_entry_unlist(struct uet_pdc_entry *pe);
void uet_pdc_entry_leave_ep(struct uet_pdc_entry *pe);
void uet_pdc_entry_time_wait(struct uet_pdc_entry *pe, u64 now);
void uet_pdc_entry_mark_failed(struct uet_pdc_entry *pe, struct uet_rx_message *rm);
bool uet_pdc_entry_repeat(struct uet_pdc_entry *pe, struct uet_tx_message *tm);

/* For the FEP. */
void uet_pdc_entry_kill(struct uet_pdc_entry *pe);
void uet_pdc_entry_kill_all(struct uet_fep *fep);

/*
 * Counters.  A PDC counts without atomics, under its lock, and adds what is new when somebody
 * asks, when its job changes, and when it ends.  So nothing is counted twice or lost, and no
 * sum ever falls.
 */
void uet_pdc_traffic_sum(struct uet_pdc_entry *pe);
void uet_pdc_traffic_ended(struct uet_pdc_entry *pe, const struct uet_pdc_ended *ended);
void uet_pdc_traffic_open(struct uet_pdc_entry *pe);
void uet_pdc_traffic_serve(struct uet_pdc_entry *pe, u32 job);
void uet_pdc_traffic_delivered(struct uet_pdc_entry *pe);
void uet_pdc_traffic_retx(struct uet_pdc_entry *pe, const struct uet_pdc_tx *tx);
void uet_pdc_traffic_collect(struct uet_net *un, bool is_admin);

/* Failed PDCs that a namespace remembers; a power of 2. */
#define UET_HISTORY_MAX		64

/**
 * struct uet_history_rec - a PDC that has failed
 * @messages: messages of this end that were lost
 * @ended_ns: when it failed, monotonic, ns
 * @real_ns: when it failed, ns since 1970
 */
struct uet_history_rec {
	char fep[UET_NAME_MAX];
	struct uet_fa peer;
	struct uet_pdc_info info;
	u32 messages;
	u64 ended_ns;
	u64 real_ns;
};

/**
 * struct uet_history - the PDCs of a namespace that failed last
 * @lock: protects the fields below; taken with BH disabled; a leaf
 * @next: number of the next record, from 0
 * @rec: record n is at n % UET_HISTORY_MAX
 * @log: limit of the lines in the log
 */
struct uet_history {
	spinlock_t lock;
	u64 next;
	struct uet_history_rec rec[UET_HISTORY_MAX];
	struct ratelimit_state log;
};

int uet_history_make(struct uet_net *un);
void uet_history_free(struct uet_net *un);
void uet_history_add(const struct uet_pdc_entry *pe,
		     const struct uet_pdc_info *info, u32 messages, u64 now);
bool uet_history_read(struct uet_net *un, u64 *number, struct uet_history_rec *rec);

/* Linear part of a packet: space for the outer headers, the UET headers, and the trailer. */
#define UET_TX_HEADROOM	(LL_MAX_HEADER + sizeof(struct ipv6hdr) + \
			 sizeof(union uet_carrier_head) + UET_TSS_SSI_LEN)
#define UET_TX_LINEAR	(UET_TX_HEADROOM + UET_PDS_MAX_LEN + \
			 UET_SES_REQ_MAX_LEN + UET_ICV_LEN)

struct sk_buff *uet_tx_build(struct uet_fep *fep, const struct uet_pdc_tx *tx);
bool uet_tx_build_run(struct uet_fep *fep, struct uet_path *path, struct uet_pdc_tx *tx,
		      const struct sk_buff *like, u16 *ev, u32 n, struct sk_buff_head *skbs);
void uet_tx_send(struct uet_fep *fep, const struct uet_fa *to,
		 struct uet_path *path, struct sk_buff_head *skbs, u32 burst);
bool uet_tx_dgram_begin(struct sk_buff *skb, const struct uet_ses_tx *msg);
enum uet_drop uet_tx_dgram_send(struct uet_fep *fep, const struct uet_fa *to,
				struct sk_buff *skb);
void uet_tx_reply(struct uet_fep *fep, const struct uet_fa *to, const struct uet_pdc_tx *tx,
		  struct uet_read_rsp_msg *read_rsp);

#endif
