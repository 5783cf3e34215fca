/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The AF_UET socket: one endpoint {FEP, JobID, PIDonFEP, RI}.  sock.c owns its
 * life, sock_addr.c its address, sock_job.c its job; sock_io.c, sock_dgram.c and
 * sock_recv.c move messages, sock_cancel.c takes them back, sock_op.c knows operations, cq.c and
 * cq_ring.c tell how they ended; sock_opt.c has the options.  Level: shell.
 */
#ifndef UET_SOCK_H
#define UET_SOCK_H

#include <linux/rhashtable.h>
#include <linux/uet.h>
#include <net/inet_sock.h>
#include <net/sock.h>

#include "base/compat.h"
#include "core/ses/match.h"
#include "core/ses/ri_gen.h"
#include "core/ses/ses.h"
#include "fabric/fep.h"
#include "endpoint/cq.h"
#include "fabric/table.h"

struct uet_job;
struct uet_mr_ref;

/* Space for UET_LAST_ERROR, with the terminating zero. */
#define UET_SOCK_ERROR_MAX	128

/*
 * SO_SNDBUF and SO_RCVBUF of a new socket.  A PDC has at most
 * UET_PDC_WINDOW_DEFAULT packets of at most UET_MTU_MAX bytes in flight, 2 MiB;
 * twice that lets one windowful be copied while the next is on the wire.
 */
#define UET_SOCK_BUF_DEFAULT	(2 * UET_PDC_WINDOW_DEFAULT * UET_MTU_MAX)

/*
 * No buffer counts for more, whatever SO_SNDBUFFORCE says: up to twice as much
 * can be booked, see uet_tx_message_charge(), and that has to fit an int.
 */
#define UET_SOCK_BUF_MAX	BIT(29)

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
 * struct uet_sock_op - what a sendmsg() is, by its control messages
 * @seen: BIT(UET_CMSG_*) of each that was there; the others are zero
 * @op: UET_CMSG_OP; without it a SEND
 * @rma: UET_CMSG_RMA
 * @header_data: UET_CMSG_HDATA
 * @atomic: UET_CMSG_ATOMIC
 * @tag: UET_CMSG_TAG
 * @local: UET_CMSG_LOCAL
 */
struct uet_sock_op {
	u32 seen;
	struct uet_op op;
	struct uet_rma rma;
	u64 header_data;
	struct uet_atomic atomic;
	u64 tag;
	struct uet_local local;
};

/**
 * struct uet_sock - an AF_UET socket
 * @sk: must be first
 * @inet: what IPv6 takes the owner of a packet for, see usock_create(); behind
 *	@sk it is zero but for that
 * @node: in uet_table.eps while bound
 * @key: the address it is bound to
 * @fep: bound: the FEP, one reference
 * @job: bound: the job, one reference
 * @grant: UET_JOB_FD: the only job it may be bound to, by a descriptor, perhaps
 *	deleted by now, one reference until close(); NULL: who binds decides
 * @addr: who we are, for outgoing requests
 * @cookie: unique number of this endpoint, never reused
 * @peer: connected: default destination; fa.family 0 when not connected
 * @initiator: UET_INITIATOR, 0 for the convention of the uapi header
 * @recv_ctx: UET_RECV_CTX
 * @reserved_pdc: UET_RESERVED_PDC; does not change once @has_sent
 * @has_sent: a message has got as far as to look for its PDC
 * @rx_lock: protects what follows, and the fields of struct uet_rx_message that say
 *	so; taken with BH disabled, leaf
 * @rx_ready: messages to be read, in the order in which they became readable:
 *	when complete, streamed ones when they have begun
 * @rx_unread: bytes that @rx_ready has to be read, and what its messages cost
 *	besides; READ_ONCE by uet_rx_message_space()
 * @rx_closed: closed: nothing is queued any more
 * @match: receives that wait, struct uet_posted_recv, and those of @rx_ready that one
 *	could take; its hash table is there from the first receive on, read without
 *	the lock by uet_recv_is_used()
 * @gen: generation of ordered messages to it; read without the lock by who asks
 *	whether it is disabled
 * @gen_policy: UET_GENERATION; does not change while bound, so read without the lock
 * @is_paused: UET_PAUSE; written under the lock, read without
 * @last_error: text for UET_LAST_ERROR
 * @tx_pending: messages handed to PDCs and not finished; sk_wmem_alloc tells
 *	their bytes, this their number
 * @cq: how operations ended that asked for a completion
 * @mrs: struct uet_mr by key; they come and go by ioctl() and are found under RCU
 * @back_bytes: memory that copies of regions take on their way to peers
 * @deferred: struct uet_rx_deferrable of messages that peers are to send later; under
 *	@rx_lock
 * @nr_deferred: how many; under @rx_lock, READ_ONCE to see whether there are any
 * @has_deferred: there has been one; under @rx_lock
 * @rdvs: struct uet_rx_rdv of rendezvous messages that have not ended; under @rx_lock
 * @nr_rdvs: how many; under @rx_lock
 * @has_rdvs: there has been one; under @rx_lock, read without when no more begin
 *
 * @fep, @job, @grant, @addr, @key, @peer, @initiator, @reserved_pdc and @has_sent
 * are written under lock_sock().
 * @fep, @job, @grant, @addr and @key do not change while bound, and a bound socket
 * stays so until it is closed: see uet_sock_is_bound().
 *
 * Lifetime: found under RCU by the receive path, hence freed after a grace
 * period.  References: the struct socket's, until close(); one for each
 * message in either direction.  So a closed socket lives until its last message
 * is answered, but is no endpoint any more and holds no FEP and no job.
 */
struct uet_sock {
	union {
		struct sock sk;
		struct inet_sock inet;
	};
	struct rhash_head node;
	struct uet_ep_key key;
	struct uet_fep *fep;
	struct uet_job *job;
	struct uet_job *grant;
	struct uet_ses_addr addr;
	u64 cookie;
	struct uet_sock_dest peer;
	u32 initiator;
	bool recv_ctx;
	bool reserved_pdc;
	bool has_sent;

	spinlock_t rx_lock;
	struct list_head rx_ready;
	u32 rx_unread;
	bool rx_closed;
	struct uet_match match;
	struct uet_ri_gen gen;
	u8 gen_policy;
	bool is_paused;
	char last_error[UET_SOCK_ERROR_MAX];

	atomic_t tx_pending;
	struct uet_cq cq;
	struct xarray mrs;
	atomic_t back_bytes;
	struct list_head deferred;
	u32 nr_deferred;
	bool has_deferred;
	struct list_head rdvs;
	u32 nr_rdvs;
	bool has_rdvs;
};

/* Values of sk_state; they are TCP's, as sock_diag and BPF expect. */
#define UET_SOCK_UNBOUND	TCP_CLOSE
#define UET_SOCK_BOUND		TCP_ESTABLISHED

static inline struct uet_sock *uet_sk(const struct sock *sk)
{
	return (struct uet_sock *)sk;
}

/**
 * uet_sock_mode() - how a socket wants its messages delivered
 * @us: socket, not of type SOCK_DGRAM, which has no PDC
 *
 * Context: Any.
 * Return: RUD for SOCK_RDM, ROD for SOCK_SEQPACKET.
 */
static inline enum uet_pdc_mode uet_sock_mode(const struct uet_sock *us)
{
	return us->sk.sk_type == SOCK_SEQPACKET ? UET_PDC_ROD : UET_PDC_RUD;
}

/**
 * uet_sock_is_bound() - is the socket an endpoint?
 * @us: socket
 *
 * Context: Any.
 * Return: true once it is; it stays one until it is closed.
 */
static inline bool uet_sock_is_bound(const struct uet_sock *us)
{
	/* Pairs with the release in sock.c: the address is valid. */
	return smp_load_acquire(&us->sk.sk_state) == UET_SOCK_BOUND;
}

/**
 * uet_sock_is_receiving() - does the endpoint take messages?
 * @us: endpoint
 *
 * Context: Any.
 * Return: false once it was closed or shut down for reading: messages to it are
 *	to be refused as if it did not exist.
 */
static inline bool uet_sock_is_receiving(const struct uet_sock *us)
{
	return !(READ_ONCE(us->sk.sk_shutdown) & RCV_SHUTDOWN);
}

/**
 * uet_sock_sndbuf() - size of the send buffer
 * @us: socket
 *
 * Context: Any.
 * Return: bytes.
 */
static inline u32 uet_sock_sndbuf(const struct uet_sock *us)
{
	return min_t(u32, READ_ONCE(us->sk.sk_sndbuf), UET_SOCK_BUF_MAX);
}

/**
 * uet_sock_has_space() - does the send buffer take another message?
 * @us: socket
 *
 * Context: Any.
 * Return: true while less than SO_SNDBUF is booked.
 */
static inline bool uet_sock_has_space(const struct uet_sock *us)
{
	return sk_wmem_alloc_get(&us->sk) < uet_sock_sndbuf(us);
}

/**
 * uet_sock_is_writable() - would any sendmsg() find space?
 * @us: socket
 *
 * Context: Any.
 * Return: true while less than SO_SNDBUF is booked and UET_CQ_LIMIT is not
 *	reached, which stops only those that want a completion.
 */
static inline bool uet_sock_is_writable(const struct uet_sock *us)
{
	return uet_sock_has_space(us) && uet_cq_has_space(&us->cq);
}

int uet_sock_init(void);
void uet_sock_fini(void);
int uet_sock_family(void);
void uet_sock_wake(struct sock *sk, __poll_t events);
bool uet_sock_set_error(struct uet_sock *us, int error);
__printf(3, 4)
int uet_sock_refuse(struct uet_sock *us, int error, const char *fmt, ...);

/* sock_addr.c */
int uet_sock_bind(struct socket *sock, struct sockaddr_unsized *uaddr, int len);
int uet_sock_connect(struct socket *sock, struct sockaddr_unsized *uaddr,
		     int len, int flags);
int uet_sock_getname(struct socket *sock, struct sockaddr *uaddr, int peer);
void uet_sock_unbind(struct uet_sock *us);
int uet_sock_check_dest(struct uet_sock *us, const char *call,
			const struct uet_sock_dest *dest);
int uet_sock_addr_dest(struct uet_sock *us, const char *call,
		       const struct sockaddr_uet *addr, int len,
		       struct uet_sock_dest *dest);
void uet_sock_addr_fill(struct sockaddr_uet *addr, const struct uet_fa *fa,
			const struct uet_sock *us);

/* sock_job.c */
struct uet_job *uet_sock_job(struct uet_sock *us, const char *call, u32 id);
int uet_sock_set_job_fd(struct uet_sock *us, int fd);
int uet_sock_ioctl_job_open(struct uet_sock *us, void __user *arg);
void uet_sock_drop_grant(struct uet_sock *us);

/* sock_io.c */
int uet_sock_check_msg(struct uet_sock *us, struct msghdr *msg,
		       struct uet_sock_op *sop);
int uet_sock_get_dest(struct uet_sock *us, const struct msghdr *msg,
		      struct uet_sock_dest *dest);
int uet_sock_sendmsg(struct socket *sock, struct msghdr *msg, size_t len);
int uet_sock_flush(struct uet_sock *us, long timeo);

/* sock_op.c */
int uet_sock_get_op(struct uet_sock *us, struct msghdr *msg,
		    struct uet_sock_op *sop);
void uet_sock_op_apply(const struct uet_sock *us, const struct uet_sock_op *sop,
		       const struct uet_sock_dest *dest,
		       struct uet_ses_tx *ses);
void uet_sock_op_form(const struct uet_sock *us, struct uet_ses_tx *ses);
int uet_sock_op_amo(struct uet_sock *us, const struct uet_sock_op *sop,
		    size_t len, struct uet_ses_amo *amo, u8 *size);
int uet_sock_op_local(struct uet_sock *us, const struct uet_sock_op *sop,
		      u8 size, struct uet_mr_ref *ref);
int uet_sock_op_rdv(struct uet_sock *us, const struct uet_sock_op *sop,
		    const struct uet_sock_dest *dest, size_t len,
		    struct uet_ses_rdv_tx *rdv);

/* sock_cancel.c */
int uet_sock_ioctl_cancel(struct uet_sock *us, const void __user *arg);

/* sock_dgram.c */
int uet_sock_send_dgram(struct socket *sock, struct msghdr *msg, size_t len);

/* sock_recv.c */
int uet_sock_recvmsg(struct socket *sock, struct msghdr *msg, size_t len,
		     int flags);
int uet_sock_inq(struct uet_sock *us);
bool uet_sock_is_readable(struct uet_sock *us);
void uet_sock_purge(struct uet_sock *us);

/* sock_opt.c */
int uet_sock_setsockopt(struct socket *sock, int level, int optname,
			sockptr_t optval, unsigned int optlen);
int uet_sock_getsockopt(struct socket *sock, int level, int optname,
			char __user *optval, int __user *optlen);
int uet_sock_ioctl(struct socket *sock, unsigned int cmd, unsigned long arg);
int uet_sock_compat_ioctl(struct socket *sock, unsigned int cmd,
			  unsigned long arg);

#endif
