/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The socket: one endpoint {FEP, JobID, PIDonFEP, RI}. sock.c owns its lifetime,
 * sock_addr.c its address, sock_job.c its job; sock_inet.c and sock_inet_addr.c make
 * it one of AF_INET or AF_INET6. sock_io.c, sock_dgram.c and sock_recv.c move
 * messages, sock_cancel.c cancels them, sock_peek.c looks for unexpected ones,
 * sock_op.c decodes operations, sock_submit.c takes them from the submission ring.
 * sock_peer.c numbers peers, sock_orphan.c bounds what closed sockets still send. cq.c and
 * cq_ring.c report completions; sock_opt.c has the options.
 */
#ifndef UET_EP_H
#define UET_EP_H

#include <linux/mutex.h>
#include <linux/rhashtable.h>
#include <linux/uet.h>
#include <linux/workqueue.h>
#include <net/inet_sock.h>
#include <net/sock.h>

#include "base/base.h"
#include "core/ses/match.h"
#include "core/ses/ses.h"
#include "cq.h"
#include "ep_table.h"
#include "fabric/fabric.h"
#include "mem.h"
#include "mr_count.h"
#include "mr_space.h"
#include "sq_ring.h"

struct uet_deferred_ops;
struct uet_domain;
struct uet_job;
struct uet_peers;

/* Size of the UET_LAST_ERROR text, with the terminating zero, bytes. */
#define UET_SOCK_ERROR_MAX	192

/* uet_sock.late_error: the message has not failed. */
#define UET_SOCK_MESSAGE_WAITS	1
/* For uet_sock_explain(): a completion reports the failure. */
#define UET_SOCK_MESSAGE_REPORTED 2

/*
 * Upper limit of both buffers, also for SO_SNDBUFFORCE: up to twice the buffer
 * size can be charged, see uet_tx_message_charge(), and the charge must fit an
 * int.
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
 * struct uet_ep_links - objects of other folders that belong to a socket
 * @lock: protects the lists; taken with BH disabled; a leaf
 * @pdcs: initiator PDCs of the bound socket, struct uet_pdc_entry; RCU
 * @latest: the one of @pdcs that a message used last, or NULL; RCU
 * @deferrables: deferrable messages that are not freed, struct uet_tx_deferrable
 * @arriving: messages of several packets that are not freed, struct uet_rx_message
 * @is_closed: @pdcs takes no more PDCs
 *
 * close() and UET_IOC_SEND_CANCEL walk these lists, so the objects of other sockets
 * cost them nothing.
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
 * @is_used: a message took one since @work ran
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
 * struct uet_sock - a socket of AF_UET, or of AF_INET or AF_INET6 with IPPROTO_UET
 * @sk: must be first
 * @inet: the same socket, as the kernel's IP code expects it, which sees it as the owner of
 *	packets
 * @destruct: sk_destruct of the socket's family
 * @node: in uet_ep_table.eps while bound
 * @number: index in uet_ep_table.by_number while bound
 * @on_host: in the list of all endpoints of the host while bound
 * @key: the address it is bound to
 * @mem: memory that is charged to the socket
 * @fep: the FEP while bound, one reference
 * @job: the job while bound, one reference
 * @grant: UET_JOB_FD: the only job the socket may be bound to, from a
 *	descriptor; the job may be deleted by now; one reference until close();
 *	NULL: the credentials of the binding process decide
 * @addr: own address, for outgoing requests
 * @cookie: unique number of this endpoint, never reused
 * @user: user whose share of the limits of a FEP counts, immutable; not sk_uid, which is of
 *	any user namespace and changes by fchown()
 * @host_user: user whose share of the limits of the host counts, immutable
 * @links: PDCs and messages of this socket
 * @peer: default destination while connected; fa.family is 0 when not connected
 * @initiator: UET_INITIATOR, 0 for the convention of the uapi header
 * @inet_job: UET_JOB, 0 for the default job of the namespace; AF_INET and AF_INET6
 * @inet_pid: UET_PIDONFEP, UET_PID_FIRST without; AF_INET and AF_INET6
 * @recv_ctx: UET_RECV_CTX
 * @reserved_pdc: UET_RESERVED_PDC; does not change once @has_sent
 * @has_sent: a message has reached the PDC look-up
 * @endpoint_wait_ms: UET_ENDPOINT_WAIT; written and read without a lock
 * @rx_lock: protects the fields below, and the fields of struct uet_rx_message
 *	that say so; taken with BH disabled; only uet_mem.lock inside it
 * @rx_ready: readable messages in the order in which they became readable: a
 *	streamed message at its start, others when complete
 * @rx_claimed: messages of @rx_ready that UET_IOC_RECV_PEEK has claimed
 * @rx_unread: unread bytes of @rx_ready and @rx_claimed plus the overhead of its messages;
 *	READ_ONCE by uet_rx_message_space()
 * @rx_closed: the socket is closed and queues no more messages
 * @rx_gap_bytes: bytes of sk_rmem_alloc that messages have reserved for filling a gap
 *	in their PDC, while the receive buffer was full; without the lock
 * @walk_mutex: taken by who walks through the messages of @match, which drops @rx_lock
 *	in between; @rx_lock inside it, lock_sock() outside
 * @match: posted receives, struct uet_posted_recv, and the messages of
 *	@rx_ready and @deferred that a receive could take; they are hashed from the
 *	first receive on, read without the lock by uet_recv_is_used()
 * @peers: endpoints that the process knows by numbers, NULL without; written under
 *	lock_sock() and the lock
 * @gen: generation of ordered messages to the socket; read without the lock to
 *	check whether the endpoint is disabled
 * @gen_policy: UET_GENERATION; constant while bound, so read without the lock
 * @is_paused: UET_PAUSE; written under the lock, read without
 * @last_error: text for UET_LAST_ERROR
 * @late_error: negative errno of the message that @last_error is about, or
 *	UET_SOCK_MESSAGE_WAITS; 0: the text is that of a call, or was reported or read
 * @error_seq: number of texts that @last_error has had, modulo 2^32; read without the lock
 * @stalled_ns: when a refused message last looked for others that have stalled, ns
 * @orphan_bytes: bytes charged to @orphan_owner since close(); constant from then on
 * @orphan_owner: the user of the socket at close()
 * @tx_pending: number of messages handed to PDCs and not finished; their bytes are
 *	charged to sk_wmem_alloc
 * @tx_waiters: threads in calls that wait for space or for the end of messages
 * @wants_space: poll() or a call that did not wait has found no space; without a lock
 * @spares: memory of sent messages
 * @cq: completion queue
 * @sq: submission queue
 * @space: memory regions: @own_space, or that of @domain; constant while bound
 * @domain: UET_DOMAIN_FD, one reference until the socket is freed; else NULL
 * @own_space: memory regions of this socket alone
 * @on_space: entry in uet_mr_space.socks until close()
 * @mr_uses: operations of peers on memory that were addressed to this socket, for
 *	UET_IOC_MR_COUNTS
 * @has_mr_uses: one of them, or of those of its regions, was counted since that call; by
 *	xchg(), READ_ONCE elsewhere
 * @read_rsp_bytes: memory charged for read responses, bytes
 * @deferred: struct uet_rx_deferrable of messages that wait for a receive or space; under
 *	@rx_lock
 * @restarting: struct uet_rx_deferrable of messages that peers restart; under @rx_lock
 * @nr_deferred: length of both lists; under @rx_lock, READ_ONCE elsewhere
 * @deferred_ops: operations on both lists, constant from the first deferred message on;
 *	written under @rx_lock
 * @rdvs: struct uet_rx_rdv of rendezvous messages that have not ended; under @rx_lock
 * @nr_works: works of @deferred, @restarting and @rdvs that are queued or run
 * @envelope_max: UET_ENVELOPES; read without the lock
 * @nr_envelopes: messages of @deferred and @rdvs that wait for a receive or space, and
 *	messages with uet_rx_message.is_kept; under @rx_lock
 *
 * @fep, @job, @grant, @addr, @key, @peer, @initiator, @inet_job, @inet_pid,
 * @reserved_pdc and @has_sent are written under lock_sock(). @fep, @job, @grant,
 * @addr and @key are constant while bound, and a bound socket stays bound until
 * close(): see uet_sock_is_bound().
 *
 * Lifetime: the receive path finds the socket under RCU, so it is freed after a
 * grace period. References: one of the struct socket, until close(); one for
 * each message in either direction. A closed socket therefore exists until its
 * last message is answered, but it is no endpoint any more and holds no FEP and
 * no job.
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
	u32 initiator;
	u32 inet_job;
	u16 inet_pid;
	bool recv_ctx;
	bool reserved_pdc;
	bool has_sent;
	u32 endpoint_wait_ms;

	spinlock_t rx_lock;
	struct list_head rx_ready;
	struct list_head rx_claimed;
	u32 rx_unread;
	bool rx_closed;
	atomic_t rx_gap_bytes;
	struct mutex walk_mutex;
	struct uet_match match;
	struct uet_peers *peers;
	struct uet_ri_gen gen;
	u8 gen_policy;
	bool is_paused;
	char last_error[UET_SOCK_ERROR_MAX];
	int late_error;
	u32 error_seq;

	u32 orphan_bytes;
	u64 stalled_ns;
	struct uet_share_owner orphan_owner;
	atomic_t tx_pending;
	atomic_t tx_waiters;
	bool wants_space;
	struct uet_spares spares;
	struct uet_cq cq;
	struct uet_sq sq;
	struct uet_mr_space *space;
	struct uet_domain *domain;
	struct uet_mr_space own_space;
	struct list_head on_space;
	struct uet_mr_uses mr_uses;
	int has_mr_uses;
	atomic_t read_rsp_bytes;
	struct list_head deferred;
	struct list_head restarting;
	u32 nr_deferred;
	const struct uet_deferred_ops *deferred_ops;
	struct list_head rdvs;
	atomic_t nr_works;
	u32 envelope_max;
	u32 nr_envelopes;
};

/* Values of sk_state: TCP's, as sock_diag and BPF expect. */
#define UET_SOCK_UNBOUND	TCP_CLOSE
#define UET_SOCK_BOUND		TCP_ESTABLISHED

static inline struct uet_sock *uet_sk(const struct sock *sk)
{
	return (struct uet_sock *)sk;
}

/**
 * uet_sock_mode() - delivery mode of an operation
 * @us: socket; not SOCK_DGRAM, which uses no PDC
 * @op: operation with a PDC
 *
 * Return: as the flags say, else RUD for SOCK_RDM, ROD for SOCK_SEQPACKET.
 */
static inline enum uet_pdc_mode uet_sock_mode(const struct uet_sock *us,
					      const struct uet_op *op)
{
	if (op->flags & (UET_OP_RUD | UET_OP_ROD))
		return op->flags & UET_OP_ROD ? UET_PDC_ROD : UET_PDC_RUD;
	return us->sk.sk_type == SOCK_SEQPACKET ? UET_PDC_ROD : UET_PDC_RUD;
}

/**
 * uet_sock_is_bound() - check whether the socket is an endpoint
 * @us: socket
 *
 * Return: true from bind() until close().
 */
static inline bool uet_sock_is_bound(const struct uet_sock *us)
{
	/* Pairs with the release in sock.c: the address is valid. */
	return smp_load_acquire(&us->sk.sk_state) == UET_SOCK_BOUND;
}

/**
 * uet_sock_is_receiving() - check whether the endpoint accepts messages
 * @us: endpoint
 *
 * Return: false after close() or shutdown for reading; messages are then
 *	refused as if the endpoint did not exist.
 */
static inline bool uet_sock_is_receiving(const struct uet_sock *us)
{
	return !(READ_ONCE(us->sk.sk_shutdown) & RCV_SHUTDOWN);
}

/**
 * uet_sock_owner() - whose shares what a socket takes counts against
 * @us: socket, bound
 *
 * Return: its job and its user.
 */
static inline struct uet_share_owner uet_sock_owner(const struct uet_sock *us)
{
	return (struct uet_share_owner){
		.job = us->addr.job,
		.uid = us->user,
	};
}

/**
 * uet_sock_sndbuf() - size of the send buffer
 * @us: socket
 *
 * Return: bytes.
 */
static inline u32 uet_sock_sndbuf(const struct uet_sock *us)
{
	return min_t(u32, READ_ONCE(us->sk.sk_sndbuf), uet_mem_sndbuf_max());
}

/**
 * uet_sock_has_space() - check whether the send buffer accepts another message
 * @us: socket
 *
 * Return: true while less than SO_SNDBUF bytes are charged.
 */
static inline bool uet_sock_has_space(const struct uet_sock *us)
{
	return sk_wmem_alloc_get(&us->sk) < uet_sock_sndbuf(us);
}

/**
 * uet_sock_is_writable() - check whether any sendmsg() would find space
 * @us: socket
 *
 * Return: true while less than SO_SNDBUF bytes are charged and UET_CQ_LIMIT is
 *	not reached; UET_CQ_LIMIT blocks only operations that request a
 *	completion.
 */
static inline bool uet_sock_is_writable(const struct uet_sock *us)
{
	return uet_sock_has_space(us) && uet_cq_has_space(&us->cq);
}

/**
 * uet_sock_begin_call() - begin a call that uet_sock_end_call() ends
 * @us: socket
 *
 * Return: for uet_sock_end_call().
 */
static inline u32 uet_sock_begin_call(const struct uet_sock *us)
{
	/* Pairs with the WRITE_ONCE() in endpoint.c. */
	return READ_ONCE(us->error_seq);
}

/**
 * uet_sock_wait_begin() - begin to wait for the end of messages, or for space
 * @us: socket
 *
 * Wake-ups look for this thread from now on.  It looks at its condition behind the barrier
 * of prepare_to_wait(), which pairs with those of who wakes.
 *
 * Context: Process.
 */
static inline void uet_sock_wait_begin(struct uet_sock *us)
{
	atomic_inc(&us->tx_waiters);
}

/**
 * uet_sock_wait_end() - end of uet_sock_wait_begin()
 * @us: socket
 *
 * Context: Process.
 */
static inline void uet_sock_wait_end(struct uet_sock *us)
{
	atomic_dec(&us->tx_waiters);
}

void uet_sock_wake(struct sock *sk, __poll_t events);
void uet_sock_wake_senders(struct uet_sock *us);
bool uet_sock_note_full(struct uet_sock *us);
bool uet_sock_set_error(struct uet_sock *us, int error);
__printf(3, 4)
int uet_sock_refuse(struct uet_sock *us, int error, const char *fmt, ...);
__printf(3, 4)
int uet_sock_explain(struct uet_sock *us, int error, const char *fmt, ...);
int uet_sock_end_call(struct uet_sock *us, u32 begun, int ret);

#endif
