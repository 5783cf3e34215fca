/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Endpoints {FEP, JobID, PIDonFEP, RI}: the object behind a socket (struct uet_sock), the table
 * in which the endpoints of a FEP are found, completions (cq.h), charged memory and memory
 * regions (mr.h). socket/ has its system calls.
 */
#ifndef UET_ENDPOINT_H
#define UET_ENDPOINT_H

#include <linux/mutex.h>
#include <linux/rhashtable.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/uet.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <net/inet_sock.h>
#include <net/sock.h>

#include "base/base.h"
#include "core/ses/match.h"
#include "core/ses/ses.h"
#include "core/wire/wire.h"
#include "cq.h"
#include "fabric/fabric.h"
#include "mr.h"

struct uet_deferred_ops;
struct uet_domain;
struct uet_job;
struct uet_mem_user;
struct uet_peers;
struct uet_rx_message;
struct uet_sock;

/**
 * struct uet_ep_key - finds a bound endpoint
 * @job: JobID of a relative address, 0 for an absolute one
 * @pid: PIDonFEP
 * @ri: Resource Index
 */
struct uet_ep_key {
	u32 job;
	u16 pid;
	u16 ri;
};

/**
 * struct uet_ep_table - the endpoints of one FEP
 * @eps: struct uet_ep_key -> struct uet_sock
 * @scopes: jobs and PIDonFEPs that have endpoints, so that a NACK names the part of an
 *	address that is unknown
 * @lock: serialises changes of @eps and @scopes; process context only
 * @by_number: the endpoints in the order of their bind(), for dumps
 * @next: number for the next endpoint, under the lock of @by_number
 * @small_keys: optimized keys of the endpoints' memory regions, see mr_key.c
 */
struct uet_ep_table {
	struct rhashtable eps;
	struct rhashtable scopes;
	spinlock_t lock;
	struct xarray by_number;
	u32 next;
	struct rhashtable small_keys;
};

/* Accounts of memory: net.uet.uet_mem, net.uet.stream_mem. */
enum uet_mem_kind {
	UET_MEM_MESSAGES,
	UET_MEM_STREAMS,
	UET_MEM_KINDS
};

/**
 * struct uet_mem - memory that is charged to a socket
 * @ledger: the account, a struct sock that no process can reach: its sk_rmem_alloc are bytes of
 *	received packets and messages, its sk_forward_alloc the unused rest of charged pages
 * @user: user whose share of net.uet.uet_mem counts; immutable
 * @lock: protects @ledger and @tx_bytes; taken with BH disabled, leaf
 * @tx_bytes: bytes of messages to send
 * @is_short: received memory found no place the last time; written under @lock
 */
struct uet_mem {
	struct sock *ledger;
	struct uet_mem_user *user;
	spinlock_t lock;
	u64 tx_bytes;
	bool is_short;
};

/* Size of the UET_LAST_ERROR text, with the terminating zero, bytes. */
#define UET_SOCK_ERROR_MAX	192

/* uet_sock_err.late: the message has not failed. */
#define UET_SOCK_MESSAGE_WAITS	1
/* For uet_sock_explain(): a completion reports the failure. */
#define UET_SOCK_MESSAGE_REPORTED 2

/*
 * Upper limit of both buffers, also for SO_SNDBUFFORCE: up to twice the buffer size can be
 * charged, see uet_tx_message_charge(), and the charge must fit an int.
 */
#define UET_SOCK_BUF_MAX	BIT(29)

/* UET_ENVELOPES unless it is set: what a peer can make wait at any socket. */
#define UET_ENVELOPES_DEFAULT	4096

/* PIDonFEP of a bind: the first of the job. */
#define UET_PID_FIRST		0xfffe

/**
 * struct uet_sock_dest - a destination, decoded from a struct sockaddr_uet
 * @fa: fabric address
 * @job: JobID
 * @pid: PIDonFEP
 * @ri: Resource Index
 * @rel: relative addressing
 */
struct uet_sock_dest {
	struct uet_fa fa;
	u32 job;
	u16 pid;
	u16 ri;
	bool rel;
};

/**
 * struct uet_deferred_ops - operations on the deferred messages of peers
 * @use_space: restart messages that now fit the receive buffer; rx_lock not held
 */
struct uet_deferred_ops {
	void (*use_space)(struct uet_sock *us);
};

/**
 * struct uet_ep_links - objects of other folders that belong to a socket, so that close()
 *	and UET_IOC_SEND_CANCEL do not search those of other sockets
 * @lock: protects the lists; taken with BH disabled; a leaf
 * @pdcs: initiator PDCs of the bound socket, struct uet_pdc_entry; RCU
 * @latest: the one of @pdcs that a message used last, or NULL; RCU
 * @deferrables: deferrable messages that are not freed, struct uet_tx_deferrable
 * @arriving: messages of several packets that are not freed, struct uet_rx_message
 * @is_closed: @pdcs takes no more PDCs
 */
struct uet_ep_links {
	spinlock_t lock;
	struct list_head pdcs;
	struct uet_pdc_entry __rcu *latest;
	struct list_head deferrables;
	struct list_head arriving;
	bool is_closed;
};

/**
 * struct uet_spares - memory of sent messages that a socket keeps for the next ones
 * @lock: protects the fields below; taken with BH disabled
 * @list: struct uet_chunk.link, oldest first
 * @bytes: their memory, charged by uet_mem_charge_tx(); READ_ONCE elsewhere
 * @is_used: a message took one or gave one back since @work ran
 * @work: frees them when they are not used; while pending it holds the socket
 */
struct uet_spares {
	spinlock_t lock;
	struct list_head list;
	u32 bytes;
	bool is_used;
	struct delayed_work work;
};

/**
 * struct uet_sq - submission queue of a socket
 * @lock: one thread at a time takes entries
 * @ring: the ring; NULL: none; set once, and valid as long as the socket has a file
 * @has_poller: bit 0: a thread is in UET_IOC_SQ_POLL
 */
struct uet_sq {
	struct mutex lock;
	struct uet_ring *ring;
	unsigned long has_poller;
};

/**
 * struct uet_sock_opt - options of a socket, written under lock_sock()
 * @initiator: UET_INITIATOR, 0 for the convention of the uapi header
 * @inet_job: UET_JOB, 0 for the default job of the namespace; AF_INET and AF_INET6
 * @inet_pid: UET_PIDONFEP, UET_PID_FIRST without; AF_INET and AF_INET6
 * @recv_ctx: UET_RECV_CTX; written and read without a lock
 * @reserved_pdc: UET_RESERVED_PDC; does not change once @has_sent
 * @has_sent: a message has reached the PDC look-up
 * @endpoint_wait_ms: UET_ENDPOINT_WAIT; written and read without a lock
 */
struct uet_sock_opt {
	u32 initiator;
	u32 inet_job;
	u16 inet_pid;
	bool recv_ctx;
	bool reserved_pdc;
	bool has_sent;
	u32 endpoint_wait_ms;
};

/**
 * struct uet_sock_rx - messages to be read, under uet_sock.rx_lock
 * @ready: readable messages in the order in which they became readable: a streamed message
 *	at its start, others when complete
 * @claimed: messages of @ready that UET_IOC_RECV_PEEK has claimed
 * @done: messages that were read, without a reference, see rx_message.c
 * @nr_done: length of @done
 * @unread: unread bytes of both plus the overhead of their messages; READ_ONCE elsewhere
 * @is_closed: the socket is closed and queues no more messages
 * @gap_bytes: bytes of sk_rmem_alloc that messages have reserved for filling a gap in their
 *	PDC, while the receive buffer was full; without the lock
 */
struct uet_sock_rx {
	struct list_head ready;
	struct list_head claimed;
	struct list_head done;
	u32 nr_done;
	u32 unread;
	bool is_closed;
	atomic_t gap_bytes;
};

/**
 * struct uet_sock_err - UET_LAST_ERROR, under uet_sock.rx_lock
 * @text: the text
 * @late: negative errno of the message that @text is about, or UET_SOCK_MESSAGE_WAITS; 0: the
 *	text is that of a call, or was reported or read
 * @seq: number of texts so far, modulo 2^32; read without the lock
 */
struct uet_sock_err {
	char text[UET_SOCK_ERROR_MAX];
	int late;
	u32 seq;
};

/**
 * struct uet_sock_orphan - what the messages of a closed socket are charged to
 * @bytes: bytes charged since close(); constant from then on
 * @owner: the user of the socket at close()
 */
struct uet_sock_orphan {
	u32 bytes;
	struct uet_share_owner owner;
};

/**
 * struct uet_sock_tx - messages under way
 * @pending: messages handed to PDCs and not finished; their bytes are charged to sk_wmem_alloc
 * @waiters: threads in calls that wait for space or for the end of messages
 * @wants_space: poll() or a call that did not wait has found no space; without a lock
 * @spares: memory of sent messages
 */
struct uet_sock_tx {
	atomic_t pending;
	atomic_t waiters;
	bool wants_space;
	struct uet_spares spares;
};

/**
 * struct uet_sock_mrs - memory regions
 * @space: where they are found: @own, or that of @domain; constant while bound
 * @domain: UET_DOMAIN_FD, one reference until the socket is freed; else NULL
 * @own: regions of this socket alone
 * @on_space: entry in uet_mr_space.socks until close()
 * @uses: operations of peers on memory that were addressed to this socket
 * @has_uses: some of @uses, or of those of a region, were counted since UET_IOC_MR_COUNTS; by
 *	xchg(), READ_ONCE elsewhere
 */
struct uet_sock_mrs {
	struct uet_mr_space *space;
	struct uet_domain *domain;
	struct uet_mr_space own;
	struct list_head on_space;
	struct uet_mr_uses uses;
	int has_uses;
};

/**
 * struct uet_sock_env - messages of peers that wait, under uet_sock.rx_lock
 * @deferred: struct uet_rx_deferrable of messages that wait for a receive or space
 * @restarting: struct uet_rx_deferrable of messages that peers restart
 * @nr_deferred: length of both lists; READ_ONCE without the lock
 * @ops: operations on both lists, constant from the first deferred message on
 * @rdvs: struct uet_rx_rdv of rendezvous messages that have not ended
 * @nr_works: works of the three lists that are queued or run
 * @max: UET_ENVELOPES; read without the lock
 * @nr: messages of @deferred and @rdvs that wait for a receive or space, and messages with
 *	uet_rx_message.is_kept
 */
struct uet_sock_env {
	struct list_head deferred;
	struct list_head restarting;
	u32 nr_deferred;
	const struct uet_deferred_ops *ops;
	struct list_head rdvs;
	atomic_t nr_works;
	u32 max;
	u32 nr;
};

/**
 * struct uet_ep_ops - an endpoint of which the kernel itself takes the messages
 * @accepts: may a message or an operation with this header come from this address?  Under RCU
 * @deliver: take a complete message, with one reference; the lock of a PDC may be held
 * @completed: an operation has ended; NULL: none has a completion.  Under uet_cq.lock, never
 *	after close(); the lock of a PDC may be held
 */
struct uet_ep_ops {
	bool (*accepts)(const struct uet_sock *us, const struct uet_ses_req *req,
			const struct uet_fa *from);
	void (*deliver)(struct uet_sock *us, struct uet_rx_message *rm);
	void (*completed)(struct uet_sock *us, const struct uet_completion *rec);
};

/**
 * struct uet_sock - a socket of AF_UET, or of AF_INET or AF_INET6 with IPPROTO_UET
 * @sk: must be first
 * @inet: the same socket for the kernel's IP code, which sees it as the owner of packets
 * @destruct: sk_destruct of the socket's family
 * @node: in uet_ep_table.eps while bound
 * @number: index in uet_ep_table.by_number while bound
 * @on_host: in the list of all endpoints of the host while bound
 * @key: the address it is bound to
 * @mem: memory that is charged to the socket
 * @fep: the FEP while bound, one reference
 * @job: the job while bound, one reference
 * @grant: UET_JOB_FD: the only job the socket may be bound to, from a descriptor; the job may
 *	be deleted by now; one reference until close(); NULL: the credentials of the binding
 *	process decide
 * @addr: own address, for outgoing requests
 * @cookie: unique number of this endpoint, never reused
 * @user: user whose share of the limits of a FEP counts, immutable; not sk_uid, which is of
 *	any user namespace and changes by fchown()
 * @host_user: user whose share of the limits of the host counts, immutable
 * @links: PDCs and messages of this socket
 * @peer: default destination while connected; fa.family is 0 when not connected
 * @opt: options
 * @ops: NULL: a process reads the messages; immutable once bound
 * @owner: with @ops, its object
 * @rx_lock: protects @rx, @match, @gen, @err, @env, and the fields of struct uet_rx_message that
 *	say so; taken with BH disabled; only uet_mem.lock inside it
 * @rx: messages to be read
 * @walk_mutex: taken by who walks through the messages of @match, which drops @rx_lock in
 *	between, or those of the PDCs of @links; @rx_lock inside it, lock_sock() outside
 * @match: posted receives, struct uet_posted_recv, and the messages of @rx.ready and of @env
 *	that a receive could take; they are hashed from the first receive on, read without the
 *	lock by uet_recv_is_used()
 * @peers: endpoints that the process knows by numbers, NULL without; written under lock_sock()
 *	and @rx_lock
 * @gen: generation of ordered messages to the socket; read without the lock to check whether
 *	the endpoint is disabled
 * @gen_policy: UET_GENERATION; constant while bound, so read without the lock
 * @is_paused: UET_PAUSE; read without the lock
 * @err: text for UET_LAST_ERROR
 * @stalled_ns: when a refused message last looked for others that have stalled, ns
 * @orphan: charge of a closed socket
 * @tx: messages under way
 * @cq: completion queue
 * @sq: submission queue
 * @mr: memory regions
 * @read_rsp_bytes: memory charged for read responses, bytes
 * @env: messages of peers that wait: deferred ones, and rendezvous
 *
 * @fep, @job, @grant, @addr, @key and @peer are written under lock_sock(). @fep, @job, @grant,
 * @addr and @key are constant while bound, and a bound socket stays bound until close().
 *
 * Lifetime: the receive path finds the socket under RCU, so it is freed after a grace period.
 * References: one of the struct socket, until close(); one for each message in either
 * direction. A closed socket therefore exists until its last message is answered, but it is
 * no endpoint any more and holds no FEP and no job.
 */
struct uet_sock {
	union {
		struct sock sk;
		struct inet_sock inet;
	};
	void (*destruct)(struct sock *sk);
	struct rhash_head node;
	u32 number;
	struct list_head on_host;
	struct uet_ep_key key;
	struct uet_mem mem;
	struct uet_fep *fep;
	struct uet_job *job;
	struct uet_job *grant;
	struct uet_ses_addr addr;
	u64 cookie;
	kuid_t user, host_user;
	struct uet_ep_links links;
	struct uet_sock_dest peer;
	struct uet_sock_opt opt;
	const struct uet_ep_ops *ops;
	void *owner;

	spinlock_t rx_lock;
	struct uet_sock_rx rx;
	struct mutex walk_mutex;
	struct uet_match match;
	struct uet_peers *peers;
	struct uet_ri_gen gen;
	u8 gen_policy;
	bool is_paused;
	struct uet_sock_err err;

	u64 stalled_ns;
	struct uet_sock_orphan orphan;
	struct uet_sock_tx tx;
	struct uet_cq cq;
	struct uet_sq sq;
	struct uet_sock_mrs mr;
	atomic_t read_rsp_bytes;
	struct uet_sock_env env;
};

/* mem.c; uet_mem_init(), _fini() and _open() in process context */
int uet_mem_init(void);
void uet_mem_fini(void);
void uet_mem_share(struct proto *prot, enum uet_mem_kind kind);
struct uet_mem_user *uet_mem_user_get(kuid_t uid, enum uet_mem_kind kind);
void uet_mem_user_hold(struct uet_mem_user *user);
void uet_mem_user_put(struct uet_mem_user *user);
void uet_mem_user_add(struct uet_mem_user *user, s64 bytes);
bool uet_mem_user_may_grow(struct uet_mem_user *user, struct proto *prot, s64 old, s64 bytes);
int uet_mem_open(struct uet_sock *us);
void uet_mem_close(struct uet_sock *us);
bool uet_mem_change_rx(struct uet_sock *us, u32 old, u32 bytes, u32 most);
void uet_mem_uncharge_rx(struct uet_sock *us, u32 bytes);
bool uet_mem_charge_tx(struct uet_sock *us, u32 bytes);
void uet_mem_uncharge_tx(struct uet_sock *us, u32 bytes);

/* Sysctls: values of SO_RCVBUF and SO_SNDBUF, bytes. */
enum { UET_MEM_MIN, UET_MEM_DEFAULT, UET_MEM_MAX };
extern int uet_mem_rmem[3], uet_mem_wmem[3];

/* As uet_mem_change_rx(). */
static inline bool uet_mem_charge_rx(struct uet_sock *us, u32 bytes)
{
	return uet_mem_change_rx(us, 0, bytes, bytes);
}

/* Values of sk_state: TCP's, as sock_diag and BPF expect. */
#define UET_SOCK_UNBOUND	TCP_CLOSE
#define UET_SOCK_BOUND		TCP_ESTABLISHED

static inline struct uet_sock *uet_sk(const struct sock *sk)
{
	return (struct uet_sock *)sk;
}

/* Delivery mode of an operation with a PDC: as its flags say, else that of the socket's type. */
static inline enum uet_pdc_mode uet_sock_mode(const struct uet_sock *us, const struct uet_op *op)
{
	if (op->flags & (UET_OP_RUD | UET_OP_ROD))
		return op->flags & UET_OP_ROD ? UET_PDC_ROD : UET_PDC_RUD;
	return us->sk.sk_type == SOCK_SEQPACKET ? UET_PDC_ROD : UET_PDC_RUD;
}

/* Is the socket an endpoint?  True from bind() until close(). */
static inline bool uet_sock_is_bound(const struct uet_sock *us)
{
	/* Pairs with the release in sock_addr.c: the address is valid. */
	return smp_load_acquire(&us->sk.sk_state) == UET_SOCK_BOUND;
}

/* False after close() or shutdown for reading: messages are refused as without the endpoint. */
static inline bool uet_sock_is_receiving(const struct uet_sock *us)
{
	return !(READ_ONCE(us->sk.sk_shutdown) & RCV_SHUTDOWN);
}

/* Whose shares of a limit a bound socket uses: its job and its user. */
static inline struct uet_share_owner uet_sock_owner(const struct uet_sock *us)
{
	return (struct uet_share_owner){
		.job = us->addr.job,
		.uid = us->user,
	};
}

/* Size of the send buffer, bytes. */
static inline u32 uet_sock_sndbuf(const struct uet_sock *us)
{
	return min_t(u32, READ_ONCE(us->sk.sk_sndbuf), READ_ONCE(uet_mem_wmem[UET_MEM_MAX]));
}

/* Does the send buffer accept another message?  While less than SO_SNDBUF bytes are charged. */
static inline bool uet_sock_has_space(const struct uet_sock *us)
{
	return sk_wmem_alloc_get(&us->sk) < uet_sock_sndbuf(us);
}

/* Would any sendmsg() find space?  UET_CQ_LIMIT blocks only those with a completion. */
static inline bool uet_sock_is_writable(const struct uet_sock *us)
{
	return uet_sock_has_space(us) && uet_cq_has_space(&us->cq);
}

/* Begin a call that uet_sock_end_call() ends, with the result. */
static inline u32 uet_sock_begin_call(const struct uet_sock *us)
{
	/* Pairs with the WRITE_ONCE() in endpoint.c. */
	return READ_ONCE(us->err.seq);
}

/*
 * Begin to wait for the end of messages, or for space: wake-ups look for this thread from now
 * on.  It looks at its condition behind the barrier of prepare_to_wait(), which pairs with
 * those of who wakes.
 */
static inline void uet_sock_wait_begin(struct uet_sock *us)
{
	atomic_inc(&us->tx.waiters);
}

static inline void uet_sock_wait_end(struct uet_sock *us)
{
	atomic_dec(&us->tx.waiters);
}

/* endpoint.c; uet_sock_refuse(), _explain() and _end_call() without rx_lock */
void uet_sock_wake(struct sock *sk, __poll_t events);
void uet_sock_wake_senders(struct uet_sock *us);
bool uet_sock_note_full(struct uet_sock *us);
bool uet_sock_set_error(struct uet_sock *us, int error);
__printf(3, 4)
int uet_sock_refuse(struct uet_sock *us, int error, const char *fmt, ...);
int uet_sock_take_struct(struct uet_sock *us, const char *call, void *to, u32 len, u32 first,
			 const void __user *user);
__printf(3, 4)
int uet_sock_explain(struct uet_sock *us, int error, const char *fmt, ...);
int uet_sock_end_call(struct uet_sock *us, u32 begun, int ret);

/* ep_table.c; look-ups for packets under RCU, the others in process context */
struct uet_ep_table *uet_ep_table_alloc(void);
void uet_ep_table_fini(struct uet_ep_table *tab);
int uet_ep_table_add(struct uet_ep_table *tab, struct uet_sock *us);
void uet_ep_table_del(struct uet_ep_table *tab, struct uet_sock *us);
struct uet_sock *uet_ep_of_host(void);
struct uet_sock *uet_ep_table_find(struct uet_ep_table *tab, const struct uet_ep_key *key);
enum uet_rc uet_ep_table_why_none(struct uet_ep_table *tab, const struct uet_ep_key *key);
bool uet_ep_table_has(struct uet_ep_table *tab, const struct uet_ep_key *key);
u32 uet_ep_table_nr_eps(struct uet_ep_table *tab, const struct uet_ep_key *key);

#endif
