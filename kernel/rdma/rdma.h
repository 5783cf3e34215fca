/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An ib_device over UET: a PD is a domain of memory regions, a QP is an endpoint of the kernel,
 * and its number is PIDonFEP and Resource Index of that endpoint. RC uses ROD, so operations are
 * executed in the order in which they were posted, UD uses RUD. Documentation/rdma.rst has the
 * table of the objects.
 *
 * Locks, outermost first: uet_rdma_qp.send_mutex; uet_rdma_qp.recv_mutex; uet_cq.lock of the
 * endpoint; uet_rdma_qp.lock; uet_rdma_rq.lock or uet_rdma_cq.lock. The last three are taken with
 * interrupts disabled, because users of the kernel post and poll so. Nothing is sent while one of
 * them is held. uet_rdma_cq.change_mutex is outside uet_rdma_cq.lock only.
 */
#ifndef UET_RDMA_H
#define UET_RDMA_H

#include <linux/idr.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>

#include "endpoint/endpoint.h"
#include "fabric/fabric.h"

struct socket;
struct uet_rx_message;

/* Limits of a device. */
#define UET_RDMA_SGE_MAX	16
#define UET_RDMA_INLINE_MAX	(UET_RDMA_SGE_MAX * sizeof(struct ib_sge))
#define UET_RDMA_WR_MAX		8192
#define UET_RDMA_CQE_MAX	65536
#define UET_RDMA_GIDS		32
#define UET_RDMA_MESSAGE_MAX	SZ_2G

/* Bytes of a message of UET: a multiple of each Payload MTU. Longer operations are several. */
#define UET_RDMA_PIECE		SZ_256K

/* Send buffer of a QP, and receive buffer: for messages that no receive has taken yet, bytes. */
#define UET_RDMA_BUF		SZ_16M

/* Key of all memory, for users in the kernel. */
#define UET_RDMA_DMA_KEY	0

/* Pages of a region that a user in the kernel registers by an operation. */
#define UET_RDMA_FAST_PAGES	512

/* Entries that are ended while interrupts are disabled. */
#define UET_RDMA_BUDGET		64

/* Header data of a message with a receive: immediate data, or a key, and these flags. */
#define UET_RDMA_HAS_IMM	BIT_ULL(32)
#define UET_RDMA_SOLICITED	BIT_ULL(33)

/* Header data of a send, but for its last message. */
#define UET_RDMA_MORE		BIT_ULL(34)

/* Header data of a send: the receiver invalidates the region with the key. */
#define UET_RDMA_INVALIDATES	BIT_ULL(35)

/* Header data of the last message: from this bit on, the number of earlier ones. */
#define UET_RDMA_EARLIER	36

/**
 * struct uet_rdma_dev - a device
 * @ib: first
 * @link: in the list of all devices
 * @net: namespace of the netdev; the device goes before the namespace
 * @cfg: of the FEP when the device was made
 * @job: JobID, net.uet.default_job when the device was made
 * @ifindex: of the netdev
 * @shown: what completions of processes name, by QP number
 */
struct uet_rdma_dev {
	struct ib_device ib;
	struct list_head link;
	struct net *net;
	struct uet_fep_cfg cfg;
	u32 job;
	int ifindex;
	struct xarray shown;
};

/**
 * struct uet_rdma_ucontext - a process that has a device open
 * @ib: first
 */
struct uet_rdma_ucontext {
	struct ib_ucontext ib;
};

/**
 * struct uet_rdma_pd - a protection domain
 * @ib: first
 * @domain: memory regions, which the QPs of the PD find
 * @sock: endpoint on which they are registered; it accepts nothing
 * @fast: upper 24 bits of keys that belong to regions of users in the kernel
 */
struct uet_rdma_pd {
	struct ib_pd ib;
	struct uet_domain *domain;
	struct socket *sock;
	struct ida fast;
};

/**
 * struct uet_rdma_mr - a memory region
 * @ib: first
 * @is_dma: all memory, by the addresses of the kernel, local only
 * @pages: of a region that operations register: its pages; else NULL
 * @max_pages: length of @pages
 * @nr_pages: number of @pages in use
 * @key: with which such a region was registered last
 */
struct uet_rdma_mr {
	struct ib_mr ib;
	bool is_dma;
	struct page **pages;
	u32 max_pages;
	u32 nr_pages;
	u32 key;
};

/**
 * struct uet_rdma_ah - an address handle
 * @ib: first
 * @attr: as created, without a reference to the GID
 * @fa: fabric address of the destination
 */
struct uet_rdma_ah {
	struct ib_ah ib;
	struct rdma_ah_attr attr;
	struct uet_fa fa;
};

/**
 * struct uet_rdma_cqe - a completion
 * @wc: the completion
 * @qp: the QP; NULL once it is gone
 * @solicited: it wakes who waits for solicited ones
 */
struct uet_rdma_cqe {
	struct ib_wc wc;
	const struct ib_qp *qp;
	bool solicited;
};

/**
 * struct uet_rdma_cq - a completion queue
 * @ib: first
 * @change_mutex: one thread at a time goes through all entries
 * @lock: protects the fields below
 * @ring: the entries
 * @size: number of entries, a power of two
 * @head: entries taken, modulo 2^32
 * @tail: entries added
 * @notify: which completion calls the handler, or 0
 * @has_overrun: a completion found no space
 */
struct uet_rdma_cq {
	struct ib_cq ib;
	struct mutex change_mutex;
	spinlock_t lock;
	struct uet_rdma_cqe *ring;
	u32 size;
	u32 head;
	u32 tail;
	enum ib_cq_notify_flags notify;
	bool has_overrun;
};

/**
 * struct uet_rdma_rqe - a posted receive
 * @wr_id: of the work request
 * @length: of all @sge, bytes
 * @nr_sge: number of @sge
 * @sge: where the message goes
 */
struct uet_rdma_rqe {
	u64 wr_id;
	u32 length;
	u32 nr_sge;
	struct ib_sge sge[UET_RDMA_SGE_MAX];
};

/**
 * struct uet_rdma_rq - posted receives of a QP or an SRQ
 * @lock: protects the fields below
 * @ring: the entries
 * @size: number of entries, a power of two
 * @max_wr: receives that may wait
 * @max_sge: parts of a receive
 * @head: receives taken, modulo 2^32
 * @tail: receives posted
 */
struct uet_rdma_rq {
	spinlock_t lock;
	struct uet_rdma_rqe *ring;
	u32 size;
	u32 max_wr;
	u32 max_sge;
	u32 head;
	u32 tail;
};

/**
 * struct uet_rdma_srq - a shared receive queue
 * @ib: first
 * @rq: the receives
 * @limit: an event is reported once fewer receives wait; 0: none
 * @lock: protects @waiting
 * @waiting: QPs with a message that waits for a receive, uet_rdma_qp.on_srq
 */
struct uet_rdma_srq {
	struct ib_srq ib;
	struct uet_rdma_rq rq;
	u32 limit;
	spinlock_t lock;
	struct list_head waiting;
};

/**
 * struct uet_rdma_dest - where an operation goes
 * @fa: fabric address
 * @qpn: number of the QP there
 */
struct uet_rdma_dest {
	struct uet_fa fa;
	u32 qpn;
};

/**
 * struct uet_rdma_sqe - a posted operation
 * @wr_id: of the work request
 * @opcode: of the work request
 * @flags: IB_SEND_*
 * @length: bytes of all parts
 * @imm: immediate data, or the key that is invalidated
 * @raddr: remote address
 * @rkey: key of the remote memory, or with which @mr is registered
 * @mr: region that is registered
 * @access: IB_ACCESS_* of @mr
 * @compare: of a compare and swap
 * @operand: what is swapped in or added
 * @dest: of a datagram
 * @qkey: of a datagram
 * @nr_sge: number of @sge
 * @sge: local memory
 * @data: with IB_SEND_INLINE, the bytes
 * @sent: bytes handed over
 * @is_sent: all of it was handed over
 * @pending: messages in progress, and one while a thread hands over another
 * @status: first failure
 */
struct uet_rdma_sqe {
	u64 wr_id;
	enum ib_wr_opcode opcode;
	u32 flags;
	u32 length;
	u32 imm;
	u64 raddr;
	u32 rkey;
	struct uet_rdma_mr *mr;
	int access;
	u64 compare;
	u64 operand;
	struct uet_rdma_dest dest;
	u32 qkey;
	u32 nr_sge;
	union {
		struct ib_sge sge[UET_RDMA_SGE_MAX];
		u8 data[UET_RDMA_INLINE_MAX];
	};
	u32 sent;
	bool is_sent;
	u32 pending;
	enum ib_wc_status status;
};

/**
 * struct uet_rdma_sq - posted operations of a QP, under uet_rdma_qp.lock
 * @ring: the entries
 * @size: number of entries, a power of two
 * @max_wr: operations that may be in the queue
 * @max_sge: parts of an operation
 * @max_inline: bytes of an operation with IB_SEND_INLINE
 * @head: operations completed, modulo 2^32
 * @next: operations handed over to UET
 * @tail: operations posted
 * @round: counts resets; results of operations of an earlier round are ignored
 * @signals_all: each operation has a completion
 */
struct uet_rdma_sq {
	struct uet_rdma_sqe *ring;
	u32 size;
	u32 max_wr;
	u32 max_sge;
	u32 max_inline;
	u32 head;
	u32 next;
	u32 tail;
	u32 round;
	bool signals_all;
};

/**
 * struct uet_rdma_qp - a queue pair
 * @ib: first
 * @sock: the endpoint, until the QP is destroyed
 * @us: the same, one reference
 * @shown: what completions name: @ib, or for a process an object of uet_rdma_dev.shown
 * @attr: attributes that were set
 * @dest: of RC
 * @lock: protects the fields below; the state is read without
 * @state: enum ib_qp_state
 * @sq: posted operations
 * @rq: posted receives without an SRQ
 * @arrived: messages that arrived, struct uet_rx_message.link
 * @rqe: receive of the send that is arriving, under @recv_mutex, as @received and @has_rqe
 * @received: bytes of that send that have arrived
 * @has_rqe: there is such a send
 * @on_srq: in uet_rdma_srq.waiting
 * @send_mutex: one thread at a time hands operations over, or changes attributes and state; who
 *	releases it looks at @is_asked
 * @is_asked: operations are to be handed over
 * @recv_mutex: one thread at a time takes messages from @arrived
 * @work: hands operations over, and messages to receives
 */
struct uet_rdma_qp {
	struct ib_qp ib;
	struct socket *sock;
	struct uet_sock *us;
	struct ib_qp *shown;
	struct ib_qp_attr attr;
	struct uet_rdma_dest dest;
	spinlock_t lock;
	u32 state;
	struct uet_rdma_sq sq;
	struct uet_rdma_rq rq;
	struct list_head arrived;
	struct uet_rdma_rqe rqe;
	u32 received;
	bool has_rqe;
	struct list_head on_srq;
	struct mutex send_mutex;
	bool is_asked;
	struct mutex recv_mutex;
	struct delayed_work work;
};

/**
 * struct uet_rdma_span - local memory of an operation, mapped for a short time
 * @bv: parts of pages
 * @nr: number of @bv
 * @mrs: regions that are held
 * @nr_mrs: number of @mrs
 */
struct uet_rdma_span {
	struct bio_vec *bv;
	u32 nr;
	struct uet_mr *mrs[UET_RDMA_SGE_MAX];
	u32 nr_mrs;
};

static inline struct uet_rdma_dev *uet_rdma_dev(struct ib_device *ib)
{
	return container_of(ib, struct uet_rdma_dev, ib);
}

static inline struct uet_rdma_pd *uet_rdma_pd(struct ib_pd *ib)
{
	return container_of(ib, struct uet_rdma_pd, ib);
}

static inline struct uet_rdma_cq *uet_rdma_cq(struct ib_cq *ib)
{
	return container_of(ib, struct uet_rdma_cq, ib);
}

static inline struct uet_rdma_srq *uet_rdma_srq(struct ib_srq *ib)
{
	return container_of(ib, struct uet_rdma_srq, ib);
}

static inline struct uet_rdma_ah *uet_rdma_ah(struct ib_ah *ib)
{
	return container_of(ib, struct uet_rdma_ah, ib);
}

static inline struct uet_rdma_qp *uet_rdma_qp(struct ib_qp *ib)
{
	return container_of(ib, struct uet_rdma_qp, ib);
}

static inline struct uet_rdma_mr *uet_rdma_mr(struct ib_mr *ib)
{
	return container_of(ib, struct uet_rdma_mr, ib);
}

/* Is this memory named by an address of the kernel, without a region? */
static inline bool uet_rdma_is_dma(const struct uet_rdma_qp *qp, const struct ib_sge *sge)
{
	return !qp->ib.uobject && sge->lkey == UET_RDMA_DMA_KEY;
}

static inline bool uet_rdma_is_rc(const struct uet_rdma_qp *qp)
{
	return qp->ib.qp_type == IB_QPT_RC;
}

/* The fabric address that a GID stands for. */
static inline struct uet_fa uet_rdma_gid_fa(const union ib_gid *gid, const struct uet_fa *own)
{
	const struct in6_addr *v6 = (const struct in6_addr *)gid->raw;

	if (ipv6_addr_v4mapped(v6))
		return uet_fa_v4(v6->s6_addr32[3]);
	return uet_fa_v6(v6, own->scope_id);
}

/* rdma_dev.c */
extern const struct ib_device_ops uet_rdma_dev_ops;

/* rdma_stat.c */
extern const struct ib_device_ops uet_rdma_stat_ops;

/* rdma_ep.c; process context */
struct socket *uet_rdma_ep_make(struct uet_rdma_dev *dev, const struct uet_ep_ops *ops,
				void *owner, struct uet_domain *domain, u16 ri);
u32 uet_rdma_ep_qpn(const struct uet_sock *us);
void uet_rdma_ep_dest(const struct uet_sock *us, const struct uet_rdma_dest *to,
		      struct sockaddr_uet *addr);

/* rdma_mr.c */
extern const struct ib_device_ops uet_rdma_mr_ops;
u32 uet_rdma_rights(int access);
int uet_rdma_map(struct uet_rdma_qp *qp, const struct ib_sge *sge, u32 nr_sge, u32 right,
		 u32 skip, u32 len, struct uet_rdma_span *span);
void uet_rdma_unmap(struct uet_rdma_span *span);

/* rdma_fast.c */
extern const struct ib_device_ops uet_rdma_fast_ops;
int uet_rdma_fast_register(struct uet_rdma_mr *mr, u32 key, int access);
int uet_rdma_fast_invalidate(struct ib_pd *ib, u32 key);
void uet_rdma_fast_free(struct uet_rdma_mr *mr);

/* rdma_cq.c; any context */
extern const struct ib_device_ops uet_rdma_cq_ops;
bool uet_rdma_cq_add(struct ib_cq *ib, const struct ib_wc *wc, bool solicited);
void uet_rdma_cq_notify(struct ib_cq *ib);
void uet_rdma_cq_forget(struct ib_cq *ib, const struct ib_qp *qp);

/* rdma_rq.c */
extern const struct ib_device_ops uet_rdma_rq_ops;
int uet_rdma_rq_alloc(struct uet_rdma_rq *rq, u32 max_wr, u32 max_sge);
void uet_rdma_rq_deliver(struct uet_sock *us, struct uet_rx_message *rm);
void uet_rdma_rq_run(struct uet_rdma_qp *qp);
void uet_rdma_rq_reset(struct uet_rdma_qp *qp);
void uet_rdma_srq_leave(struct uet_rdma_qp *qp);

/* rdma_sq.c */
int uet_rdma_sq_alloc(struct uet_rdma_sq *sq, const struct ib_qp_cap *cap);
int uet_rdma_post_send(struct ib_qp *ib, const struct ib_send_wr *wr,
		       const struct ib_send_wr **bad);
void uet_rdma_sq_completed(struct uet_sock *us, const struct uet_completion *rec);
void uet_rdma_sq_run(struct uet_rdma_qp *qp);

/* rdma_qp.c */
extern const struct ib_device_ops uet_rdma_qp_ops;
extern struct workqueue_struct *uet_rdma_wq;
void uet_rdma_qp_kick(struct uet_rdma_qp *qp);
void uet_rdma_qp_fail(struct uet_rdma_qp *qp);

#endif
