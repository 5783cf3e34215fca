/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A PDC in the shell: the core's PDC and SES state under one lock with one
 * timer, and the run loop that moves packets and messages between the core, the
 * rails and the sockets. pdc_entry.c owns the lifetime, pdc_run.c the run loop.
 */
#ifndef UET_PDC_ENTRY_H
#define UET_PDC_ENTRY_H

#include <linux/hrtimer.h>
#include <linux/refcount.h>
#include <linux/rhashtable.h>
#include <linux/sizes.h>
#include <linux/skbuff.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "cms/cms.h"
#include "core/pds/cork.h"
#include "core/ses/ses.h"
#include "fabric/fabric.h"
#include "pdc_table.h"
#include "pdc_traffic.h"

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
 * enum uet_run_state - run loop of a PDC or of RUDI requests
 * @UET_RUN_IDLE: no CPU is in the run loop; the next CPU that has work enters
 * @UET_RUN_RUNNING: a CPU is in the run loop
 * @UET_RUN_RERUN: a CPU is in the run loop, and another CPU has added work since
 *	the round began; the CPU in the loop runs another round, or leaves it to
 *	the timer after the maximum number of rounds
 *
 * The lock of the object protects the state. The CPU in the loop releases the
 * lock within each round; other CPUs may then change RUNNING to RERUN. Only the
 * CPU in the loop changes the state back to RUNNING, when a round begins, and to
 * IDLE, when the loop ends.
 */
enum uet_run_state {
	UET_RUN_IDLE,
	UET_RUN_RUNNING,
	UET_RUN_RERUN,
};

/**
 * struct uet_pdc_sender - the thread that sent the last message of a stream
 * @pid: its pid, of the initial namespace
 * @nvcsw: how often it had slept by then
 * @nivcsw: how often it had been preempted by then
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
 * struct uet_pdc_entry - a PDC with its shell state
 * @fep: local FEP, one reference
 * @settings: parameters, one reference
 * @peer: fabric address of the peer
 * @role: initiator or target
 * @mode: RUD or ROD
 * @id: local PDCID
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
 * @cce: congestion control context, one reference; NULL: none
 * @waiter: membership in the lists of congestion management
 *
 * @lock: protects the fields below; taken by uet_pdc_entry_lock(), with BH disabled;
 *	only the locks of the tables, of @cce and of uet_fep_cms.pacer nest inside
 * @node: entry in uet_pdc_table.targets or uet_pdc_table.initiators while @hashed
 * @ses: messages; incoming messages are struct uet_rx_message, tombstones of failed
 *	messages are bare, see uet_pdc_entry_mark_failed()
 * @rdvs: rendezvous messages whose senders have not been notified of the result,
 *	struct uet_rx_rdv
 * @early: requests that arrived before earlier ones, in PSN order; rx/rx_early.c
 * @early_bytes: their memory, bytes
 * @pdc: the core object, behind this structure
 * @window: memory of a PDC in use, or NULL; written under @lock
 * @counted: statistics already added to the counters of the namespace, modulo 2^32
 * @traffic: what is counted for the FEP, the job and the peer
 * @state_seen: last traced and reported state, enum uet_pdc_state
 * @now_ns: latest time of an event, ns
 * @armed_ns: expiry of @timer, ns; UET_NEVER: not armed; the timer may fire early and
 *	is then re-armed
 * @gone_ns: time when a @dead PDC leaves the tables, ns
 * @nr_lost: messages of this end that were lost with the PDC
 * @cork: initiator: messages that wait for others
 * @sender: initiator: the thread that sent last
 * @run_state: run loop, enum uet_run_state
 * @hashed: findable by its key
 * @listed: findable by its PDCID
 * @unused: the owning socket is closed: close when idle, and after a time
 * @is_starved: there was no memory for @window
 * @is_started: target under security: its Start_PSN was accepted
 * @dead: all messages were returned; no message may start
 * @timer: fires no later than uet_pdc_deadline()
 * @refs: one for the tables until the PDC is neither in them nor has messages, one for
 *	each user
 * @end_work: ends the messages of a PDC that is over
 * @free_work: frees the PDC, a grace period after the last reference
 *
 * The fields from @fep to @source_link are immutable once the PDC is in the
 * tables, unless noted otherwise.
 *
 * Lifetime: uet_pdc_entry_get_initiator() or a SYN creates a PDC. It becomes
 * @dead in the run loop when the core has closed the PDC or its FEP is deleted. Then
 * the PDC leaves the tables at once, except a target whose FEP is not deleted.
 * Such a target leaves them after uet_pdc_entry_time_wait(). Until then it
 * absorbs late copies of its SYN, and counts against the limits of pool.c. The
 * last reference frees the PDC after a grace period, because the receive path
 * finds it under RCU only, and in process context, because the timer must be
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

/* Memory of an idle PDC: the entry and struct uet_pdc, bytes; more with debug options. */
#define UET_PDC_IDLE_MEM		SZ_2K

extern struct workqueue_struct *uet_pdc_wq;

int uet_pdc_entry_init(void);
void uet_pdc_entry_fini(void);
void uet_pdc_entry_wait(void);

/* For sockets, in process context. */
struct uet_pdc_entry *
uet_pdc_entry_get_initiator(struct uet_fep *fep, const struct uet_peer_key *key,
			    struct uet_sock *us, gfp_t gfp);
int uet_pdc_entry_send(struct uet_pdc_entry *pe, struct uet_tx_message *tm,
		       enum uet_cork_hint hint);
void uet_pdc_entry_set_latest(struct uet_pdc_entry *pe, struct uet_sock *us);
void uet_pdc_entry_uncork(struct uet_sock *us);
int uet_pdc_entry_send_later(struct uet_pdc_entry *pe,
			     struct uet_tx_message *tm);
int uet_pdc_entry_supply(struct uet_pdc_entry *pe, struct uet_tx_message *tm,
			 struct list_head *chunks);
bool uet_pdc_entry_is_drained(struct uet_pdc_entry *pe);
void uet_pdc_entry_abort_msg(struct uet_pdc_entry *pe,
			     struct uet_tx_message *tm);
void uet_pdc_entry_release_ep(struct uet_sock *us, u64 end_ns);
void uet_pdc_entry_put(struct uet_pdc_entry *pe);

/* For the receive path, in softirq under rcu_read_lock(). */
struct uet_pdc_entry *uet_pdc_entry_accept(struct uet_fep *fep,
					   const struct uet_syn_key *key,
					   const struct uet_pdc_open *open);

/* pdc_memory.c */
int uet_pdc_memory_init(void);
void uet_pdc_memory_fini(void);
u32 uet_pdc_memory_units(const struct uet_pdc_cfg *cfg);
struct uet_pdc_entry *uet_pdc_memory_alloc(struct uet_fep_settings *settings,
					   gfp_t gfp);
void uet_pdc_memory_start(struct uet_pdc_entry *pe);
void uet_pdc_memory_free(struct uet_pdc_entry *pe);
int uet_pdc_entry_wake(struct uet_pdc_entry *pe, gfp_t gfp);
bool uet_pdc_entry_awake(struct uet_pdc_entry *pe);

/* pdc_waiter.c */
extern const struct uet_cc_waiter_ops uet_pdc_entry_waiter_ops;

/* pdc_run.c */
void uet_pdc_entry_lock(struct uet_pdc_entry *pe);
u64 uet_pdc_entry_lock_at(struct uet_pdc_entry *pe, u64 now);
u64 uet_pdc_entry_now(struct uet_pdc_entry *pe);
void uet_pdc_entry_unlock(struct uet_pdc_entry *pe);
void uet_pdc_entry_run(struct uet_pdc_entry *pe, enum uet_run how);
enum hrtimer_restart uet_pdc_entry_timer(struct hrtimer *timer);
void uet_pdc_entry_unlist(struct uet_pdc_entry *pe);
void uet_pdc_entry_leave_ep(struct uet_pdc_entry *pe);
void uet_pdc_entry_time_wait(struct uet_pdc_entry *pe, u64 now);
void uet_pdc_entry_mark_failed(struct uet_pdc_entry *pe,
			       struct uet_rx_message *rm);

/* rx_stalled.c */
void uet_rx_stalled_drop(struct uet_sock *us, u64 now);

/* tx_repeat.c */
bool uet_tx_repeat(struct uet_pdc_entry *pe, struct uet_tx_message *tm);

/* For the FEP. */
void uet_pdc_entry_kill(struct uet_pdc_entry *pe);
void uet_pdc_entry_kill_all(struct uet_fep *fep);

#endif
