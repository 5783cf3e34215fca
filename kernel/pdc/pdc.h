/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A PDC in the shell: the core's PDC and SES state under one lock with one timer, the run loop
 * that moves packets and messages between the core, the rails and the sockets, and what a PDC
 * counts; the tables of a FEP; requests by RUDI, in the same way; and packets, from descriptors
 * of the core to socket buffers.
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
#include <linux/rhashtable.h>
#include <linux/sizes.h>
#include <linux/skbuff.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "carrier/carrier.h"
#include "cms/cms.h"
#include "core/pds/cork.h"
#include "core/pds/rudi.h"
#include "core/ses/ses.h"
#include "fabric/fabric.h"

struct uet_pdc_entry;
struct uet_read_rsp_msg;
struct uet_rudi_entry;
struct uet_rx_message;
struct uet_sock;
struct uet_tx_message;

/*
 * Tables.  A look-up runs under RCU, takes no reference, and may find a PDC that is dead.  An
 * insertion decides which of two objects gets a key.
 */

/**
 * enum uet_pool - pool that a PDC is charged to
 * @UET_POOL_COMMON: for all PDCs
 * @UET_POOL_RESERVED: for packets with use_rsv_pdc and sockets with UET_RESERVED_PDC; smaller,
 *	and available when the common pool is exhausted
 * @UET_POOLS: their number
 */
enum uet_pool {
	UET_POOL_COMMON,
	UET_POOL_RESERVED,
	UET_POOLS,
};

/**
 * struct uet_pools - PDC pools of a FEP
 * @un: namespace of the FEP, whose quota counts the memory of target PDCs
 * @max_targets: maximum of target PDCs by pool, mem_units, derived from the memory of
 *	the machine; immutable
 * @initiators: initiator PDCs by pool, with the shares of jobs and of users
 * @nr_targets: charged target PDCs by pool, mem_units; under uet_pdc_peers.lock
 */
struct uet_pools {
	struct uet_net *un;
	u32 max_targets[UET_POOLS];
	struct uet_shares initiators[UET_POOLS];
	u32 nr_targets[UET_POOLS];
};

/* Peers without a PDC that a FEP remembers. */
#define UET_PDC_PEERS_IDLE_MAX	256

/*
 * struct uet_pdc_peer - a fabric address that has a PDC with the FEP, or had one lately
 * @node: entry in uet_pdc_peers.by_fa
 * @idle: position in uet_pdc_peers.idle while @nr_pdcs is 0; under uet_pdc_peers.lock
 * @nr_pdcs: PDCs in the tables of the FEP; written under uet_pdc_peers.lock
 * @is_known: it has answered, or this node has opened a PDC to it: it is remembered
 * @heard_ns: when its last packet was accepted, as the PDCs have reported, monotonic, ns;
 *	0: never
 * @srtt_ns: round trip time of the PDC that has heard it last, ns; 0: unknown
 * @nr_targets: charged target PDCs by pool, mem_units; under uet_pdc_peers.lock
 * @refs: one for the tables, one for each PDC
 */
struct uet_pdc_peer {
	struct uet_fa fa;
	struct rhash_head node;
	u32 number;
	struct list_head idle;
	u32 nr_pdcs;
	bool is_known;
	u64 heard_ns;
	u64 srtt_ns;
	u32 nr_targets[UET_POOLS];
	struct uet_traffic traffic;
	refcount_t refs;
	struct rcu_head rcu;
};

/*
 * struct uet_pdc_peers - the peers of a FEP
 * @lock: protects the fields below; taken with BH disabled, inside the lock of a PDC
 * @by_fa: struct uet_fa -> struct uet_pdc_peer, read under RCU
 * @by_number: the same by number, for dumps, read under RCU
 * @idle: peers without a PDC, the one that had one last at the end
 */
struct uet_pdc_peers {
	spinlock_t lock;
	struct rhashtable by_fa;
	struct xarray by_number;
	u32 next_number;
	struct list_head idle;
	u32 nr_idle;
};

/*
 * struct uet_syn_key - finds the target PDC of a packet with SYN (2.18)
 * @spdcid: PDCID of the sender
 */
struct uet_syn_key {
	struct uet_fa peer;
	u32 spdcid;
};

/*
 * struct uet_peer_key - finds the initiator PDC from one socket to one endpoint
 * @pid: PIDonFEP of the destination
 * @ri: Resource Index of the destination
 * @mode: enum uet_pdc_mode; the type of the sending socket decides it
 * @is_reserved: request the reserved pool
 * @cookie: uet_sock.cookie of the sending endpoint
 *
 * A local initiator PDC serves one pair of endpoints, so a slow reader delays only its
 * own senders.  The choice is local (uet-wire 2.18) and invisible on the wire.
 */
struct uet_peer_key {
	struct uet_fa peer;
	u32 job;
	u16 pid;
	u16 ri;
	u32 rel;
	u16 mode;
	u16 is_reserved;
	u64 cookie;
};

/* Is this message to be cancelled?  @key: of the PDC that it is or was on. */
typedef bool uet_tx_wants_fn(const struct uet_tx_message *tm, const struct uet_peer_key *key,
			     const void *arg);

/* Pairs of endpoints whose latest PSN is remembered; a power of 2. */
#define UET_PDC_TABLE_FORMER	256

/*
 * struct uet_pdc_table - the tables of one FEP
 * @ids: local PDCID -> struct uet_pdc_entry, cyclic allocation, so an id is reused
 *	only after all other ids
 * @targets: struct uet_syn_key -> struct uet_pdc_entry
 * @initiators: struct uet_peer_key -> struct uet_pdc_entry
 * @former_psn: by the hash of a struct uet_peer_key: PSN behind those of the latest
 *	initiator PDC that has left @initiators; pairs with one hash share an entry
 * @rudis: struct uet_fa -> struct uet_rudi_entry
 * @tokens: restart token without its random bits -> struct uet_tx_message; look-up and
 *	removal under the lock of @tokens
 * @sweep: takes the windows of idle PDCs back; queued while there are any
 */
struct uet_pdc_table {
	struct xarray ids;
	u32 next_id;
	struct rhashtable targets;
	struct rhashtable initiators;
	u32 former_psn[UET_PDC_TABLE_FORMER];
	struct uet_pools pools;
	struct uet_pdc_peers peers;
	struct rhashtable rudis;
	struct uet_shares rudi_shares;
	struct xarray tokens;
	u32 next_token;
	struct delayed_work sweep;
};

int uet_pdc_table_init(struct uet_pdc_table *tab, struct uet_net *un);
struct uet_pdc_table *uet_pdc_table_alloc(struct uet_net *un);
void uet_pdc_table_fini(struct uet_pdc_table *tab);

int uet_pdc_table_new_id(struct uet_pdc_table *tab, u16 *id, gfp_t gfp);
int uet_pdc_table_add(struct uet_pdc_table *tab, struct uet_pdc_entry *pe);
void uet_pdc_table_hide(struct uet_pdc_table *tab, struct uet_pdc_entry *pe);
void uet_pdc_table_del(struct uet_pdc_table *tab, struct uet_pdc_entry *pe);
struct uet_pdc_entry *uet_pdc_table_find(struct uet_pdc_table *tab, u16 pdcid);
struct uet_pdc_entry *uet_pdc_table_target(struct uet_pdc_table *tab,
					   const struct uet_syn_key *key);
struct uet_pdc_entry *uet_pdc_table_initiator(struct uet_pdc_table *tab,
					      const struct uet_peer_key *key);
u32 uet_pdc_table_start_psn(const struct uet_pdc_table *tab, const struct uet_peer_key *key,
			    enum uet_pdc_start start);

struct uet_pdc_peer *uet_pdc_peer_join(struct uet_pdc_peers *peers,
				       const struct uet_fa *fa, gfp_t gfp);
void uet_pdc_peer_leave(struct uet_pdc_peers *peers, struct uet_pdc_peer *peer);
void uet_pdc_peer_put(struct uet_pdc_peer *peer);
struct uet_pdc_peer *uet_pdc_peer_find(struct uet_pdc_peers *peers, const struct uet_fa *fa);

int uet_pools_take_target(struct uet_pdc_table *tab, const struct uet_fa *fa,
			  u32 mem_units, enum uet_pool wanted, struct uet_pdc_peer **peer);
void uet_pools_give_target(struct uet_pdc_table *tab, struct uet_pdc_peer *peer,
			   u32 mem_units, enum uet_pool pool);

/* Tables of RUDI: rudi.c */
int uet_rudi_table_init(struct uet_pdc_table *tab);
void uet_rudi_table_fini(struct uet_pdc_table *tab);

/* --------------------------------------------------------------------------- a PDC */

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

/*
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

/*
 * struct uet_pdc_ended - messages of a PDC that have ended in a round
 */
struct uet_pdc_ended {
	u32 sent, failed;
	u64 sent_bytes, read_bytes;
};

/*
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

/*
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

/*
 * Ends and frees PDCs and RUDI requests; a separate queue, so that their FEP and the module
 * can wait for it.
 */
extern struct workqueue_struct *uet_pdc_wq;

void uet_pdc_entry_lock(struct uet_pdc_entry *pe);
u64 uet_pdc_entry_lock_at(struct uet_pdc_entry *pe, u64 now);
void uet_pdc_entry_unlock(struct uet_pdc_entry *pe);

/* The time of an event of a locked PDC, ns; no later event has an earlier time. */
static inline u64 uet_pdc_entry_now(struct uet_pdc_entry *pe)
{
	return pe->now_ns = uet_now_ns();
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
u32 uet_pdc_entry_abort_all(struct uet_sock *us, uet_tx_wants_fn *wants, const void *arg);
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

/* For the FEP. */
void uet_pdc_entry_kill(struct uet_pdc_entry *pe);
void uet_pdc_entry_kill_all(struct uet_fep *fep);

/*
 * Counters.  A PDC counts without atomics, under its lock, and adds what is new when somebody
 * asks, when its job changes, and when it ends.  So nothing is counted twice or lost, and no
 * sum ever falls.
 */
void uet_pdc_traffic_ended(struct uet_pdc_entry *pe, const struct uet_pdc_ended *ended);
void uet_pdc_traffic_open(struct uet_pdc_entry *pe);
void uet_pdc_traffic_serve(struct uet_pdc_entry *pe, u32 job);
void uet_pdc_traffic_delivered(struct uet_pdc_entry *pe);
void uet_pdc_traffic_collect(struct uet_net *un, bool is_admin);

/* Failed PDCs that a namespace remembers; a power of 2. */
#define UET_HISTORY_MAX		64

/*
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

/* ---------------------------------------------------------------------- RUDI, requester */

/* Peers that a FEP has requests by RUDI to, or had lately. */
#define UET_PDC_TABLE_RUDIS_MAX	1024

/*
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

/*
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
