/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note OR BSD-3-Clause */
/*
 * The socket interface of the Ultra Ethernet Transport.
 *
 *	socket(AF_UET, SOCK_RDM, 0)		reliable messages, unordered (RUD)
 *	socket(AF_UET, SOCK_SEQPACKET, 0)	reliable messages, in order (ROD)
 *	socket(AF_UET, SOCK_DGRAM, 0)		datagrams of one packet (UUD)
 *	socket(AF_UET, SOCK_STREAM, 0)		a byte stream, whose port is suet_ri
 *
 * The same with AF_INET or AF_INET6 and IPPROTO_UET: addresses are then those of IP,
 * the port is the Resource Index.
 *
 * Documentation/uapi.rst is the reference.
 * All integers are in host byte order, fabric addresses in network order.
 */
#ifndef _UAPI_LINUX_UET_H
#define _UAPI_LINUX_UET_H

#include <linux/ioctl.h>
#include <linux/types.h>
#include <linux/socket.h>

/*
 * The family number. The kernel has no free number for a module, so this number
 * belongs to a protocol that has been unused for many years. Module parameter
 * "family" selects another number, and /proc/net/uet/features shows the number
 * in use.
 */
#ifndef AF_UET
#define AF_UET		25
#define PF_UET		AF_UET
#endif

/* Protocol of AF_INET and AF_INET6 sockets; no number on the wire. */
#ifndef IPPROTO_UET
#define IPPROTO_UET	260
#endif

#ifndef SOL_UET
#define SOL_UET		290
#endif

#define UET_ADDR_VERSION	1

/* sockaddr_uet.suet_flags */
#define UET_ADDR_ABSOLUTE	0x01	/* PIDonFEP is FEP-wide, not per job */
#define UET_ADDR_IPV6		0x02	/* suet_fa6 holds the fabric address */

/* Limits of the address fields. */
#define UET_JOBID_MAX		0xffffff
#define UET_PIDONFEP_MAX	0xfff
#define UET_RINDEX_MAX		0xfff
#define UET_RINDEX_STREAM	0xffe	/* at the first PIDonFEP of a job: that of its streams */
#define UET_RINDEX_CM		0xffd	/* there, too: that of connection managers of RDMA */
#define UET_PID_ANY		0xffff	/* bind: let the kernel choose */

/* The convention for initiator ids: the PIDonFEP and the Resource Index of the sender. */
#define UET_INITIATOR_ID(pid, ri)	((__u32)(pid) << 12 | (__u32)(ri))
#define UET_INITIATOR_PID(id)		((__u16)((__u32)(id) >> 12 & UET_PIDONFEP_MAX))
#define UET_INITIATOR_RI(id)		((__u16)((__u32)(id) & UET_RINDEX_MAX))

/**
 * struct sockaddr_uet - address of a UET endpoint
 * @suet_family: AF_UET, or the number found in /proc/net/uet/features
 * @suet_version: UET_ADDR_VERSION
 * @suet_flags: UET_ADDR_*
 * @suet_job: JobID, 1..UET_JOBID_MAX; bind: 0 means the job of UET_JOB_FD
 * @suet_pid: PIDonFEP, 0..UET_PIDONFEP_MAX; bind: UET_PID_ANY lets the kernel
 *	choose
 * @suet_ri: Resource Index, 1..UET_RINDEX_MAX; bind: 0 lets the kernel choose
 * @suet_initiator: initiator id; bind: 0 means UET_INITIATOR_ID(pid, ri)
 * @suet_scope_id: interface index of a link-local fabric address, else 0
 * @suet_fa4: IPv4 fabric address, network order; bind: 0 means the only FEP of
 *	the job, of either family
 * @suet_fa6: with UET_ADDR_IPV6, IPv6 fabric address; bind: 0 means the only
 *	IPv6 FEP of the job
 * @suet_reserved: zero
 *
 * An address returned by recvmsg() names the sender. Its pid and ri are derived
 * from the initiator id, by the convention above, so that the address can be
 * used for a reply. If the sender has set an own initiator id, the application
 * must map that id to an address.
 */
struct sockaddr_uet {
	__kernel_sa_family_t suet_family;
	__u8 suet_version;
	__u8 suet_flags;
	__u32 suet_job;
	__u16 suet_pid;
	__u16 suet_ri;
	__u32 suet_initiator;
	__u32 suet_scope_id;
	union {
		__be32 suet_fa4;
		__u8 suet_fa6[16];
	};
	__u32 suet_reserved;
};

/*
 * The ioctls of a socket. A number does not contain the size of its argument, because a
 * struct may grow: each struct begins with its size, in bytes, as its caller knows it. The
 * kernel takes bytes that it does not know as long as they are 0 (else E2BIG), and reads
 * those that the caller does not have as 0. It writes no byte beyond the size. Flags that it
 * does not know, reserved fields and results must be 0 (else EINVAL).
 *
 * The first letter says what the argument is: S the address of the struct that is named, N
 * the address of a number, V a number and no address.
 */
#define UET_IOC(n)		_IO('U', 0xc0 + (n))

#define UET_IOC_MR_REG		UET_IOC(0)	/* S uet_mr_reg */
#define UET_IOC_MR_DEREG	UET_IOC(1)	/* N __u64: key */
#define UET_IOC_MR_CHANGED	UET_IOC(2)	/* N __u64: returns a key */
#define UET_IOC_MR_COUNTS	UET_IOC(3)	/* S uet_mr_counts */
#define UET_IOC_DOMAIN_OPEN	UET_IOC(4)	/* V UET_DOMAIN_* */
#define UET_IOC_JOB_OPEN	UET_IOC(5)	/* S uet_job_open */
#define UET_IOC_RECV_POST	UET_IOC(6)	/* S uet_recv_post */
#define UET_IOC_RECV_POSTS	UET_IOC(7)	/* S uet_recv_posts */
#define UET_IOC_RECV_CANCEL	UET_IOC(8)	/* N __u64: cookie */
#define UET_IOC_RECV_PEEK	UET_IOC(9)	/* S uet_recv_peek */
#define UET_IOC_SEND_CANCEL	UET_IOC(10)	/* S uet_send_cancel */
#define UET_IOC_PEER		UET_IOC(11)	/* S uet_peer */
#define UET_IOC_PEER_REMOVE	UET_IOC(12)	/* N __u32: number of a peer */
#define UET_IOC_PEER_ADDR	UET_IOC(13)	/* S uet_peer */
#define UET_IOC_CQ_RING		UET_IOC(14)	/* S uet_cq_ring */
#define UET_IOC_SQ_RING		UET_IOC(15)	/* S uet_sq_ring */
#define UET_IOC_SUBMIT		UET_IOC(16)	/* V number of entries */
#define UET_IOC_SQ_POLL		UET_IOC(17)	/* V microseconds */

/**
 * struct uet_mr_reg - register memory that peers may access
 * @size: sizeof(struct uet_mr_reg)
 * @flags: UET_MR_FIXED_KEY, UET_MR_IDEMPOTENT_SAFE, UET_MR_OPTIMIZED, UET_MR_WATCH,
 *	UET_MR_READ_ONLY
 * @addr: start address, any alignment
 * @length: length, bytes, 1..UET_MR_LENGTH_MAX
 * @key: returns the memory key for peers; with UET_MR_FIXED_KEY the caller
 *	chooses the key, 0..UET_MR_KEY_MAX, with UET_MR_OPTIMIZED too
 *	0..UET_MR_OPTIMIZED_KEY_MAX, else 0
 * @access: permissions of peers, any of UET_MR_WRITE, UET_MR_READ and
 *	UET_MR_ATOMIC; 0: none, the region is for posted receives and results of
 *	operations of this socket
 * @reserved: zero
 *
 * The memory is pinned and counts against RLIMIT_MEMLOCK. Peers name the region
 * by the address of the socket and the key, and give offsets from its start,
 * bytes.
 */
struct uet_mr_reg {
	__u32 size;
	__u32 flags;
	__aligned_u64 addr;
	__aligned_u64 length;
	__aligned_u64 key;
	__u32 access;
	__u32 reserved;
};

/* uet_mr_reg.access */
#define UET_MR_WRITE		0x1
#define UET_MR_READ		0x2
#define UET_MR_ATOMIC		0x4

/* uet_mr_reg.flags */
#define UET_MR_FIXED_KEY	0x1
#define UET_MR_IDEMPOTENT_SAFE	0x2	/* may be accessed twice: RUDI */

#define UET_MR_OPTIMIZED	0x4	/* key for the shortest header */
/* Changes of the mapping are counted in uet_cq_ring_head.mr_generation. */
#define UET_MR_WATCH		0x8
/* With access UET_MR_READ: nothing is stored there, so the caller need not be able to. */
#define UET_MR_READ_ONLY	0x10

/* Set in the key of a region with UET_MR_IDEMPOTENT_SAFE. */
#define UET_MR_KEY_IDEMPOTENT_SAFE	(1ULL << 63)
#define UET_MR_KEY_OPTIMIZED		(1ULL << 62)

#define UET_MR_KEY_MAX		0xffffffffffffULL
#define UET_MR_OPTIMIZED_KEY_MAX	0xfffULL
#define UET_MR_LENGTH_MAX	(1ULL << 36)

/*
 * UET_IOC_MR_REG, UET_IOC_MR_DEREG and UET_IOC_MR_CHANGED want a bound socket. The last one
 * returns the key of a region with UET_MR_WATCH whose mapping has changed, each once.
 */

/**
 * struct uet_mr_counts - operations of peers on memory, since the last call
 * @size: sizeof(struct uet_mr_counts)
 * @flags: zero
 * @key: key of a region; UET_MR_ALL: all regions, by operations addressed to this socket
 * @writes: returns writes, and atomic operations without a result
 * @fetches: returns atomic operations with a result
 * @reads: returns reads
 *
 * A write counts when all its bytes are in memory, a read when it begins. Each operation
 * is returned once for its region, and once for its socket. Operations of RUDI, which may
 * be executed twice, are not counted.
 */
struct uet_mr_counts {
	__u32 size;
	__u32 flags;
	__aligned_u64 key;
	__aligned_u64 writes;
	__aligned_u64 fetches;
	__aligned_u64 reads;
};

/* After a count poll() of the socket reports EPOLLPRI until the next call. */
#define UET_MR_ALL		(~0ULL)

/*
 * UET_IOC_DOMAIN_OPEN makes a domain of memory regions, for UET_DOMAIN_FD, and returns its
 * descriptor.
 */
#define UET_DOMAIN_CLOEXEC	0x1

/* Sockets of a domain, at most. */
#define UET_DOMAIN_LIMIT	1024

/**
 * struct uet_job_open - open a descriptor of a job
 * @size: sizeof(struct uet_job_open)
 * @flags: UET_JOB_CLOEXEC
 * @job: JobID
 * @reserved: zero
 *
 * The call returns the descriptor. A process that may bind to the job may open a
 * descriptor. A process that holds the descriptor may bind to the job: see UET_JOB_FD.
 */
struct uet_job_open {
	__u32 size;
	__u32 flags;
	__u32 job;
	__u32 reserved;
};

/* uet_job_open.flags */
#define UET_JOB_CLOEXEC		0x1

/**
 * struct uet_recv_post - memory for a future message
 * @size: sizeof(struct uet_recv_post)
 * @flags: UET_RECV_*
 * @cookie: any value; returned in the completion
 * @match: UET_RECV_TAGGED: match bits of the message; UET_RECV_CLAIM: number of the
 *	claim; else 0
 * @ignore: UET_RECV_TAGGED: match bits that are not compared, else 0
 * @key: key of a memory region of this socket, with any access; 0 with
 *	UET_RECV_ADDR
 * @offset: offset of the memory in the region, bytes; with UET_RECV_ADDR address
 *	of the memory in the calling process
 * @length: length of the memory, bytes; 0: no memory, @key and @offset are
 *	unused
 * @initiator: initiator id of the sender; UET_RECV_PEER: number of the peer; 0 with
 *	UET_RECV_ANY_SOURCE or UET_RECV_CLAIM
 * @min_free: UET_RECV_MULTI: the receive ends when fewer bytes of the memory are free,
 *	1..@length; else 0
 */
struct uet_recv_post {
	__u32 size;
	__u32 flags;
	__aligned_u64 cookie;
	__aligned_u64 match;
	__aligned_u64 ignore;
	__aligned_u64 key;
	__aligned_u64 offset;
	__aligned_u64 length;
	__u32 initiator;
	__u32 min_free;
};

/* uet_recv_post.flags */
#define UET_RECV_TAGGED		0x1	/* UET_OP_TAGGED_SEND, else untagged ones */
#define UET_RECV_ANY_SOURCE	0x2	/* from any sender */
#define UET_RECV_TRUNC		0x4	/* truncate a longer message */
#define UET_RECV_ADDR		0x8	/* memory by its address, pinned until the end */
/* For a message that UET_IOC_RECV_PEEK has claimed; not with TAGGED or ANY_SOURCE. */
#define UET_RECV_CLAIM		0x10
/* Message after message, one behind the other; length at most 2^32 - 1. */
#define UET_RECV_MULTI		0x20

/* From one peer of UET_IOC_PEER: its fabric address is compared, too. */
#define UET_RECV_PEER		0x40

/**
 * struct uet_recv_posts - several receives to post
 * @size: sizeof(struct uet_recv_posts)
 * @flags: zero
 * @posts: address of struct uet_recv_post, one after the other; each begins where the one
 *	before ends, by its size
 * @count: entries, 1..UET_CQ_LIMIT
 * @reserved: zero
 */
struct uet_recv_posts {
	__u32 size;
	__u32 flags;
	__aligned_u64 posts;
	__u32 count;
	__u32 reserved;
};

/*
 * Values other than 0 of uet_recv_post.ignore that receives of a socket wait with: a
 * receive with one more fails with ENOSPC.
 */
#define UET_RECV_IGNORE_LIMIT	127

/* The socket is bound. UET_IOC_RECV_POSTS returns the number of posted receives. */

/**
 * struct uet_send_cancel - cancel operations that have not ended
 * @size: sizeof(struct uet_send_cancel)
 * @flags: UET_CANCEL_*, not 0; with both flags an operation must match both
 * @cookie: with UET_CANCEL_COOKIE, uet_op.cookie of the operations, else 0
 * @addr: with UET_CANCEL_PEER, destination of the operations, as for sendto(),
 *	else zero
 *
 * The socket is bound. The call returns the number of cancelled operations.
 */
struct uet_send_cancel {
	__u32 size;
	__u32 flags;
	__aligned_u64 cookie;
	struct sockaddr_uet addr;
};

/* uet_send_cancel.flags */
#define UET_CANCEL_COOKIE	0x1	/* select UET_OP_COMPLETE by cookie */
#define UET_CANCEL_PEER		0x2	/* select by destination */

/**
 * struct uet_peer - a peer in the table of a socket
 * @size: sizeof(struct uet_peer)
 * @flags: zero
 * @peer: UET_IOC_PEER returns its number, not 0; UET_IOC_PEER_ADDR takes it
 * @reserved: zero
 * @addr: its address, as for sendto(); with suet_initiator if that is not by the
 *	convention for initiator ids; UET_IOC_PEER_ADDR returns it, without suet_initiator
 *
 * The socket is bound. UET_IOC_PEER adds a peer, UET_IOC_PEER_REMOVE removes it.
 */
struct uet_peer {
	__u32 size;
	__u32 flags;
	__u32 peer;
	__u32 reserved;
	struct sockaddr_uet addr;
};

/* Peers per socket, at most. */
#define UET_PEER_LIMIT		65536

/*
 * Socket options at level SOL_UET. setsockopt() takes 4 bytes, or more as long as the others
 * are 0.
 */
enum {
	/* getsockopt: string, the reason for the last refused call on this
	 * socket; the length includes the terminating zero.
	 */
	UET_LAST_ERROR = 1,
	/* getsockopt/setsockopt: __u32, initiator id; before bind only. */
	UET_INITIATOR = 2,
	/* getsockopt/setsockopt: int, also return a UET_CMSG_CTX with each
	 * message.
	 */
	UET_RECV_CTX = 3,
	/* getsockopt: __u32, largest message that is sent as one packet, bytes. */
	UET_PAYLOAD_MTU = 4,
	/* getsockopt/setsockopt: __u32, 0 or 1: PDCs that this socket opens come
	 * from the reserved pools; needs CAP_NET_ADMIN, before sending only.
	 */
	UET_RESERVED_PDC = 5,
	/* setsockopt: int, a job descriptor; the socket may then be bound to
	 * its job, with suet_job 0 or the JobID, and to no other job; -1
	 * reverts this; before bind only.
	 */
	UET_JOB_FD = 8,
	/* getsockopt/setsockopt: __u32, UET_GEN_*, the generation policy for
	 * ordered messages without space; before bind only.
	 */
	UET_GENERATION = 12,
	/* getsockopt: __u32, the current generation, 0 without generations;
	 * with UET_RI_DISABLED while all ordered messages are refused.
	 */
	UET_RI_GENERATION = 13,
	/* getsockopt/setsockopt: __u32, 0 or 1: 1 refuses messages that have
	 * not started.
	 */
	UET_PAUSE = 14,
	/* getsockopt/setsockopt: __u32, 0..UET_ENDPOINT_WAIT_MAX, milliseconds:
	 * how long a message waits for its endpoint if the target has none yet.
	 */
	UET_ENDPOINT_WAIT = 15,
	/* getsockopt/setsockopt, AF_INET and AF_INET6: __u32, the job that the
	 * socket is bound to; 0: the default job of the network namespace;
	 * before bind only.
	 */
	UET_JOB = 20,
	/* getsockopt/setsockopt, AF_INET and AF_INET6: __u32, PIDonFEP of the
	 * socket and of its destinations; before bind only.
	 */
	UET_PIDONFEP = 21,
	/* setsockopt: int, a descriptor of UET_IOC_DOMAIN_OPEN: the memory regions
	 * of the socket are those of the domain; -1 reverts this; before bind
	 * only.
	 */
	UET_DOMAIN_FD = 22,
	/* getsockopt/setsockopt: __u32, 1..UET_ENVELOPE_LIMIT, the default: how
	 * many messages without a receive may wait that have no place in the
	 * receive buffer.
	 */
	UET_ENVELOPES = 23,
};

/* UET_GENERATION: the condition that refuses ordered messages. */
enum {
	UET_GEN_NONE = 0,	/* never: no generations */
	UET_GEN_BUFFER = 1,	/* no receive buffer space for a message */
	UET_GEN_POSTED = 2,	/* no posted receive for a message */
};

#define UET_RI_DISABLED	0x100	/* UET_RI_GENERATION */

#define UET_ENDPOINT_WAIT_MAX	3600000	/* UET_ENDPOINT_WAIT */

/*
 * Control messages at level SOL_UET. sendmsg() takes one that is longer than the kernel knows
 * it, as long as the bytes behind are 0. Those of recvmsg() may become longer.
 */
enum {
	/* recvmsg: struct uet_ctx */
	UET_CMSG_CTX = 1,
	/* sendmsg: struct uet_op, at most one */
	UET_CMSG_OP = 2,
	/* recvmsg with MSG_ERRQUEUE: struct uet_completion, one or more */
	UET_CMSG_COMPLETION = 3,
	/* sendmsg: struct uet_rma, with UET_OP_WRITE, UET_OP_READ, UET_OP_ATOMIC
	 * and UET_OP_FETCHING_ATOMIC
	 */
	UET_CMSG_RMA = 4,
	/* sendmsg: __u64, completion data for the receiver, with UET_OP_SEND,
	 * UET_OP_TAGGED_SEND and UET_OP_WRITE
	 */
	UET_CMSG_HDATA = 5,
	/* sendmsg: struct uet_atomic, with UET_OP_ATOMIC,
	 * UET_OP_FETCHING_ATOMIC, UET_OP_TSEND_ATOMIC and
	 * UET_OP_TSEND_FETCH_ATOMIC
	 */
	UET_CMSG_ATOMIC = 6,
	/* sendmsg: struct uet_local, with UET_OP_READ, UET_OP_FETCHING_ATOMIC
	 * and UET_OP_TSEND_FETCH_ATOMIC
	 */
	UET_CMSG_LOCAL = 7,
	/* sendmsg: __u64, match bits, with UET_OP_TAGGED_SEND,
	 * UET_OP_TSEND_ATOMIC and UET_OP_TSEND_FETCH_ATOMIC
	 */
	UET_CMSG_TAG = 8,
	/* sendmsg: __u32, number of a peer, instead of a destination address */
	UET_CMSG_PEER = 9,
};

/**
 * struct uet_ctx - the context of a received message
 * @job: JobID the message was sent under
 * @initiator: initiator id of the sender
 * @length: length of the whole message, bytes; for UET_OP_WRITE, which has no
 *	readable data, the number of bytes written
 * @offset: offset in the message of the first byte returned by this call; not
 *	zero only for a message longer than SO_RCVBUF that is read in parts
 * @header_data: completion data of the message, valid with UET_CTX_HDATA
 * @match: match bits of a tagged message, else 0
 * @opcode: SES opcode
 * @flags: UET_CTX_*
 * @delivery: UET_DELIVERY_*, chosen by the sender
 * @reserved: zero
 * @peer: number of the sender, if it is a peer of the socket, else 0
 */
struct uet_ctx {
	__u32 job;
	__u32 initiator;
	__u32 length;
	__u32 offset;
	__aligned_u64 header_data;
	__aligned_u64 match;
	__u8 opcode;
	__u8 flags;
	__u8 delivery;
	__u8 reserved;
	__u32 peer;
};

#define UET_CTX_HDATA	0x01

/* uet_ctx.delivery, uet_completion.delivery */
enum {
	UET_DELIVERY_RUD = 1,	/* reliable, unordered */
	UET_DELIVERY_ROD = 2,	/* reliable, ordered */
	UET_DELIVERY_UUD = 3,	/* unreliable, unordered */
	UET_DELIVERY_RUDI = 4,	/* reliable, unordered, RMA only */
};

/**
 * struct uet_recv_peek - look for an unexpected message
 * @size: sizeof(struct uet_recv_peek)
 * @flags: UET_RECV_TAGGED, UET_RECV_ANY_SOURCE, UET_RECV_PEER; UET_PEEK_CLAIM or
 *	UET_PEEK_DISCARD
 * @match: as in struct uet_recv_post
 * @ignore: as in struct uet_recv_post
 * @initiator: as in struct uet_recv_post
 * @reserved: zero
 * @claim: returns the number of the claim with UET_PEEK_CLAIM, else 0
 * @from: returns the sender, as recvmsg() does
 * @ctx: returns the context of the message; last, so that it may grow
 *
 * The message is the one that a receive with the same @match, @ignore, @initiator
 * and flags would take. The socket is bound.
 */
struct uet_recv_peek {
	__u32 size;
	__u32 flags;
	__aligned_u64 match;
	__aligned_u64 ignore;
	__u32 initiator;
	__u32 reserved;
	__aligned_u64 claim;
	struct sockaddr_uet from;
	struct uet_ctx ctx;
};

/* uet_recv_peek.flags */
#define UET_PEEK_CLAIM		0x100	/* only UET_RECV_CLAIM gets the message */
#define UET_PEEK_DISCARD	0x200	/* nobody gets the message */

/*
 * SES opcodes, UE 1.0.1 Table 3-17. struct uet_op lists the opcodes that can be
 * sent. The kernel defines them in its wire format.
 */
#ifndef __KERNEL__
enum {
	UET_OP_NO_OP = 0x00,
	UET_OP_WRITE = 0x01,
	UET_OP_READ = 0x02,
	UET_OP_ATOMIC = 0x03,
	UET_OP_FETCHING_ATOMIC = 0x04,
	UET_OP_SEND = 0x05,
	UET_OP_RENDEZVOUS_SEND = 0x06,
	UET_OP_DATAGRAM_SEND = 0x07,
	UET_OP_DEFERRABLE_SEND = 0x08,
	UET_OP_TAGGED_SEND = 0x09,
	UET_OP_RENDEZVOUS_TSEND = 0x0a,
	UET_OP_DEFERRABLE_TSEND = 0x0b,
	UET_OP_DEFERRABLE_RTR = 0x0c,
	UET_OP_TSEND_ATOMIC = 0x0d,
	UET_OP_TSEND_FETCH_ATOMIC = 0x0e,
	UET_OP_MSG_ERROR = 0x0f,
};
#endif

/**
 * struct uet_op - operation of a sendmsg(), and whether it reports a completion
 * @cookie: any value; returned in the completion
 * @opcode: UET_OP_SEND, the default without this control message; UET_OP_NO_OP,
 *	without payload, answered by the peer's FEP and not delivered;
 *	UET_OP_WRITE, writes the payload to a memory region of the peer;
 *	UET_OP_ATOMIC, changes values in such a region, each atomically;
 *	UET_OP_FETCHING_ATOMIC, changes one value and returns its previous
 *	value; UET_OP_READ, without payload, returns bytes of such a region;
 *	UET_OP_TAGGED_SEND, a send to a receive with its match bits;
 *	UET_OP_TSEND_ATOMIC and UET_OP_TSEND_FETCH_ATOMIC, atomic operations on
 *	the memory of a receive with its match bits; UET_OP_DEFERRABLE_SEND and
 *	UET_OP_DEFERRABLE_TSEND, as SEND and TAGGED_SEND, but the receiver may
 *	request the data later; UET_OP_RENDEZVOUS_SEND and
 *	UET_OP_RENDEZVOUS_TSEND, as SEND and TAGGED_SEND, but the receiver reads
 *	the data beyond the payload from a memory region of the sender
 * @flags: UET_OP_COMPLETE, UET_OP_RUDI, UET_OP_LOCAL_ADDR, UET_OP_RUD, UET_OP_ROD
 * @reserved: zero
 */
struct uet_op {
	__aligned_u64 cookie;
	__u8 opcode;
	__u8 flags;
	__u8 reserved[6];
};

/* MSG_ZEROCOPY: messages shorter than this are copied, bytes. */
#define UET_ZEROCOPY_MIN	16384

/**
 * struct uet_rma - remote memory of an operation
 * @key: key of the memory region, from its registration
 * @offset: offset of the first byte in the region
 *
 * The region must be registered on the endpoint that the message is sent to.
 */
struct uet_rma {
	__aligned_u64 key;
	__aligned_u64 offset;
};

/**
 * struct uet_local - local memory for returned data, or of a rendezvous message
 * @key: key of a memory region of this socket, with any access; for a
 *	rendezvous message with UET_MR_READ; 0 with UET_OP_LOCAL_ADDR
 * @offset: offset of the first byte in the region; with UET_OP_LOCAL_ADDR
 *	address of the memory in the calling process; for UET_OP_FETCHING_ATOMIC
 *	the memory must be aligned to the size of the value
 * @length: UET_OP_READ: bytes to read, at most 2^32 - 1;
 *	UET_OP_FETCHING_ATOMIC: 0 or the size of the value; rendezvous message:
 *	its length, at most 2^32 - 1
 */
struct uet_local {
	__aligned_u64 key;
	__aligned_u64 offset;
	__aligned_u64 length;
};

/**
 * struct uet_atomic - an atomic operation
 * @compare: UET_AMO_CSWAP*: value to compare with; UET_AMO_MSWAP: mask
 * @swap: UET_AMO_CSWAP*, UET_AMO_MSWAP: operand
 * @op: UET_AMO_*
 * @datatype: UET_DT_*
 * @reserved: zero
 *
 * Only the least significant bytes of @compare and @swap are used, as many as
 * the type has. An operation with these fields changes one value and has no
 * payload. All other operations take one operand per value from the payload, in
 * host byte order, at most one Payload MTU. Values are aligned to their size.
 */
struct uet_atomic {
	__aligned_u64 compare;
	__aligned_u64 swap;
	__u8 op;
	__u8 datatype;
	__u8 reserved[6];
};

/*
 * Supported atomic operations, UE 1.0.1 Table 3-21, and types, Table 3-22. The
 * kernel defines them in its wire format.
 */
#ifndef __KERNEL__
enum {
	UET_AMO_MIN = 0x00,
	UET_AMO_MAX = 0x01,
	UET_AMO_SUM = 0x02,
	UET_AMO_DIFF = 0x03,
	UET_AMO_PROD = 0x04,
	UET_AMO_LOR = 0x05,
	UET_AMO_LAND = 0x06,
	UET_AMO_BOR = 0x07,		/* not for floating point */
	UET_AMO_BAND = 0x08,		/* not for floating point */
	UET_AMO_LXOR = 0x09,
	UET_AMO_BXOR = 0x0a,		/* not for floating point */
	UET_AMO_READ = 0x0b,		/* fetching only; no operand */
	UET_AMO_WRITE = 0x0c,
	UET_AMO_CSWAP = 0x0d,		/* swap if compare == memory */
	UET_AMO_CSWAP_NE = 0x0e,	/* compare != memory */
	UET_AMO_CSWAP_LE = 0x0f,	/* compare <= memory */
	UET_AMO_CSWAP_LT = 0x10,	/* compare < memory */
	UET_AMO_CSWAP_GE = 0x11,	/* compare >= memory */
	UET_AMO_CSWAP_GT = 0x12,	/* compare > memory */
	UET_AMO_MSWAP = 0x13,		/* masked bits only; not for floating point */
};

enum {
	UET_DT_INT8 = 0x00,
	UET_DT_UINT8 = 0x01,
	UET_DT_INT16 = 0x02,
	UET_DT_UINT16 = 0x03,
	UET_DT_INT32 = 0x04,
	UET_DT_UINT32 = 0x05,
	UET_DT_INT64 = 0x06,
	UET_DT_UINT64 = 0x07,
	UET_DT_FLOAT = 0x0a,
	UET_DT_DOUBLE = 0x0b,
	UET_DT_BF16 = 0x10,
	UET_DT_FP16 = 0x11,
};
#endif

/* uet_op.flags */
#define UET_OP_COMPLETE	0x01	/* report by a struct uet_completion */
/* Without a PDC: UET_OP_READ, and UET_OP_WRITE without UET_CMSG_HDATA. */
#define UET_OP_RUDI	0x02
/*
 * UET_CMSG_LOCAL names memory by its address, pinned until the end: operations that
 * return data and rendezvous messages, with UET_OP_COMPLETE.
 */
#define UET_OP_LOCAL_ADDR	0x04
/* Delivery of this operation instead of that of the socket type; not SOCK_DGRAM. */
#define UET_OP_RUD	0x08	/* unordered */
#define UET_OP_ROD	0x10	/* after the earlier ordered ones to the same endpoint */

/*
 * UET_ENVELOPES at most: deferred and rendezvous messages of a socket whose bytes wait at
 * their senders for a receive or space, and messages that are kept. Further ones wait as
 * messages without space. 4096 by default.
 */
#define UET_ENVELOPE_LIMIT	131072

/*
 * Where receives are posted, a message of at most so many bytes is kept without a receive
 * although the receive buffer is full.
 */
#define UET_KEPT_MAX	1024

/*
 * Limit per socket of the sum of operations in progress with UET_OP_COMPLETE,
 * posted receives and unread completions; merged completions count as one.
 */
#define UET_CQ_LIMIT	131072

/* Records of a completion ring. */
#define UET_CQ_RING_LIMIT	16384

/**
 * struct uet_completion - result of operations, or of a posted receive
 * @cookie: uet_op.cookie of the first operation; uet_recv_post.cookie
 * @count: number of operations: their cookies are @cookie to @cookie + @count -
 *	1. Above 1 only if all of them succeeded and differ at most in length
 * @error: 0, or the errno of a late error
 * @length: sum of the bytes that the target reports as executed, or that were
 *	read; 0 without an answer; for a receive, bytes stored in the region
 * @job: zero; for an operation started by a peer, its JobID
 * @initiator: zero; for an operation started by a peer, its initiator id
 * @opcode: SES opcode; 0 for a cancelled receive
 * @rc: SES return code of the target, 1 (OK) or the reason for the refusal, UE
 *	1.0.1 Table 3-19; 0 without an answer
 * @nack_code: the NACK code that ended the operation, UE 1.0.1 Table 3-58, or 0
 * @delivery: UET_DELIVERY_*
 * @match: match bits of a tagged message, else zero
 * @header_data: completion data of the message, else zero
 * @flags: UET_COMPLETION_*
 * @msg_length: for a receive, length of the message, bytes; else zero
 * @offset: for a receive with UET_RECV_MULTI, offset of the message in the memory of
 *	the receive, bytes; else zero
 * @peer: for a receive, number of the sender, if it is a peer of the socket; for an
 *	operation that failed, number of the destination, if that was given by UET_CMSG_PEER
 *	or uet_sq_entry.peer; else zero
 */
struct uet_completion {
	__aligned_u64 cookie;
	__u32 count;
	__u32 error;
	__u32 length;
	__u32 job;
	__u32 initiator;
	__u8 opcode;
	__u8 rc;
	__u8 nack_code;
	__u8 delivery;
	__aligned_u64 match;
	__aligned_u64 header_data;
	__u32 flags;
	__u32 msg_length;
	__u32 offset;
	__u32 peer;
};

/**
 * struct uet_cq_ring - create the completion ring of a socket
 * @size: sizeof(struct uet_cq_ring)
 * @flags: zero
 * @entries: number of records requested, 1..UET_CQ_RING_LIMIT; returns the actual
 *	number, a power of two
 * @entry_size: returns uet_cq_ring_head.entry_size
 * @length: returns the length for mmap(), bytes; map shared, from offset 0
 *
 * From then on completions are reported in the ring and not by recvmsg().
 * Completions without space in the ring wait, see UET_CQ_RING_MORE. A socket
 * has at most one ring, which is charged to the memory cgroup of the process.
 */
struct uet_cq_ring {
	__u32 size;
	__u32 flags;
	__u32 entries;
	__u32 entry_size;
	__aligned_u64 length;
};

/* Entries of a submission ring, at most. */
#define UET_SQ_LIMIT	16384

/**
 * struct uet_sq_ring - create the submission ring of a socket
 * @size: sizeof(struct uet_sq_ring)
 * @flags: zero
 * @entries: number of entries requested, 1..UET_SQ_LIMIT; returns the actual number, a
 *	power of two
 * @entry_size: returns uet_sq_ring_head.entry_size
 * @length: returns the length for mmap(), bytes; map shared
 * @offset: returns the offset for mmap(), UET_SQ_RING_OFFSET
 *
 * UET_IOC_SUBMIT executes what the process writes into the ring. A socket has at most
 * one ring, which is charged to the memory cgroup of the process. Not for SOCK_DGRAM.
 */
struct uet_sq_ring {
	__u32 size;
	__u32 flags;
	__u32 entries;
	__u32 entry_size;
	__aligned_u64 length;
	__aligned_u64 offset;
};

#define UET_SQ_RING_OFFSET	0x10000000

/*
 * UET_IOC_SUBMIT executes entries in their order, at most as many as its argument says.
 * UET_IOC_SQ_POLL takes entries as they are written, in the calling thread, until none was
 * written for a time, 1..UET_SQ_POLL_MAX us. Both return how many were taken from the ring,
 * see uapi-operations.rst.
 */
#define UET_SQ_POLL_MAX		10000000

/* uet_sq_entry.kind */
#define UET_SQ_OP	1	/* begin an operation, as sendmsg() */
#define UET_SQ_RECV	2	/* post a receive, as UET_IOC_RECV_POST */

/* uet_sq_entry.flags, with UET_SQ_OP */
#define UET_SQ_INLINE	0x1	/* the payload is uet_sq_send.data */
#define UET_SQ_HDATA	0x2	/* uet_sq_send.header_data is for the receiver */
#define UET_SQ_MORE	0x4	/* MSG_MORE */
#define UET_SQ_ZEROCOPY	0x8	/* MSG_ZEROCOPY */

#define UET_SQ_INLINE_MAX	64	/* payload in an entry, bytes */

/**
 * struct uet_sq_send - an operation
 * @op: opcode, cookie and flags
 * @tag: match bits, for opcodes with UET_CMSG_TAG
 * @header_data: completion data, with UET_SQ_HDATA
 * @addr: address of the payload in the submitting process; zero with UET_SQ_INLINE
 * @length: length of the payload, bytes; with UET_SQ_INLINE at most UET_SQ_INLINE_MAX
 * @data: payload, with UET_SQ_INLINE; only for opcodes without UET_CMSG_RMA,
 *	UET_CMSG_LOCAL and UET_CMSG_ATOMIC
 * @memory: the contents of these control messages, for opcodes that have them
 *
 * What an operation does not use is zero.
 */
struct uet_sq_send {
	struct uet_op op;
	__aligned_u64 tag;
	__aligned_u64 header_data;
	__aligned_u64 addr;
	__aligned_u64 length;
	union {
		__u8 data[UET_SQ_INLINE_MAX];
		struct {
			struct uet_rma rma;
			struct uet_local local;
			struct uet_atomic atomic;
		} memory;
	};
};

/**
 * struct uet_sq_entry - entry of a submission ring
 * @kind: UET_SQ_OP or UET_SQ_RECV
 * @flags: UET_SQ_*
 * @reserved: zero
 * @peer: UET_SQ_OP: number of the destination, see UET_IOC_PEER; 0: the connected peer;
 *	UET_SQ_RECV: zero
 * @send: UET_SQ_OP
 * @recv: UET_SQ_RECV, with its size; the bytes behind it are zero
 * @reserved2: zero
 *
 * An entry is as long as uet_sq_ring_head.entry_size says, which may be more. The bytes that
 * a program does not know are zero.
 */
struct uet_sq_entry {
	__u8 kind;
	__u8 flags;
	__u16 reserved;
	__u32 peer;
	union {
		struct uet_sq_send send;
		struct uet_recv_post recv;
	};
	__aligned_u64 reserved2;
};

/**
 * struct uet_sq_ring_head - start of a submission ring; the entries follow
 * @tail: number of entries written, modulo 2^32, written by the process; store with
 *	release
 * @reserved: zero
 * @head: number of entries that the kernel has taken, modulo 2^32; load with acquire,
 *	then write the entries up to @head + @entries, each at its number modulo
 *	@entries
 * @entries: number of entries of the ring
 * @flags: UET_SQ_RING_*, written by the kernel; load after a full barrier behind the
 *	store to @tail
 * @entry_size: bytes from one entry to the next
 * @reserved2: zero
 *
 * Each half has one writer and is a cache line of its own.
 */
struct uet_sq_ring_head {
	__u32 tail;
	__u32 reserved[15];
	__u32 head;
	__u32 entries;
	__u32 flags;
	__u32 entry_size;
	__u32 reserved2[12];
};

/* uet_sq_ring_head.flags */
#define UET_SQ_RING_POLLED	0x1	/* UET_IOC_SQ_POLL takes what is written */

/**
 * struct uet_cq_ring_head - start of a completion ring; the records follow
 * @tail: number of records written by the kernel, modulo 2^32; load with
 *	acquire, then read the records from @head on, each at its number modulo
 *	@entries
 * @flags: UET_CQ_RING_*, written by the kernel
 * @entries: number of records of the ring
 * @mr_generation: number of changes of regions with UET_MR_WATCH, modulo 2^32, see
 *	UET_IOC_MR_CHANGED
 * @entry_size: bytes from one record to the next, at least those of the struct
 *	uet_completion that the kernel knows; the program may know more or less of them
 * @reserved: zero
 * @head: number of records consumed, modulo 2^32, written by the process; store
 *	with release
 * @reserved2: zero
 *
 * Each half has one writer and is a cache line of its own.
 */
struct uet_cq_ring_head {
	__u32 tail;
	__u32 flags;
	__u32 entries;
	__u32 mr_generation;
	__u32 entry_size;
	__u32 reserved[11];
	__u32 head;
	__u32 reserved2[15];
};

/*
 * Completions wait for space in the ring: the next poll() of the socket, or the
 * next completion, moves them to the ring.
 */
#define UET_CQ_RING_MORE	0x1
/* uet_completion.flags */
#define UET_COMPLETION_RECV	0x1	/* for a posted receive */
#define UET_COMPLETION_HDATA	0x2	/* header_data is valid */
#define UET_COMPLETION_TRUNC	0x4	/* the message was longer than the memory */
#define UET_COMPLETION_LAST	0x8	/* the last one of a receive with UET_RECV_MULTI */
#define UET_COMPLETION_REFUSED	0x10	/* an entry of the submission ring was not begun */

#endif
