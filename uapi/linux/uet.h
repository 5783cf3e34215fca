/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note OR BSD-3-Clause */
/*
 * The socket interface of the Ultra Ethernet Transport.
 *
 *	socket(AF_UET, SOCK_RDM, 0)		reliable messages, unordered (RUD)
 *	socket(AF_UET, SOCK_SEQPACKET, 0)	reliable messages, in order (ROD)
 *	socket(AF_UET, SOCK_DGRAM, 0)		datagrams of one packet (UUD)
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
 * The family number.  The kernel has no free number for a module to take, so
 * one is used that no protocol has used for many years; module parameter
 * "family" picks another, and /proc/net/uet/features tells which is in use.
 */
#ifndef AF_UET
#define AF_UET		25
#define PF_UET		AF_UET
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
#define UET_PID_ANY		0xffff	/* bind: let the kernel choose */

/**
 * struct sockaddr_uet - address of a UET endpoint
 * @suet_family: AF_UET, or the number found in /proc/net/uet/features
 * @suet_version: UET_ADDR_VERSION
 * @suet_flags: UET_ADDR_*
 * @suet_job: JobID, 1..UET_JOBID_MAX; bind: 0 means that of UET_JOB_FD
 * @suet_pid: PIDonFEP, 0..UET_PIDONFEP_MAX; bind: UET_PID_ANY chooses one
 * @suet_ri: Resource Index, 1..UET_RINDEX_MAX; bind: 0 chooses one
 * @suet_initiator: initiator id; bind: 0 means pid << 12 | ri
 * @suet_scope_id: interface index of a link-local fabric address, else 0
 * @suet_fa4: IPv4 fabric address, network order; bind: 0 means the only FEP
 *	of the job, of either family
 * @suet_fa6: with UET_ADDR_IPV6, IPv6 fabric address; bind: 0 means the only
 *	IPv6 FEP of the job
 * @suet_reserved: zero
 *
 * An address that recvmsg() returns names the sender.  Its pid and ri are
 * taken from the initiator id, by the convention above, so that a reply can be
 * sent to it; a sender that sets an initiator id of its own has to be addressed
 * by what that id means to the application.
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

/**
 * struct uet_mr_reg - register memory that peers may access
 * @addr: its address, any alignment
 * @length: bytes, 1..UET_MR_LENGTH_MAX
 * @key: returns the memory key to tell peers; with UET_MR_FIXED_KEY the caller
 *	chooses it, 0..UET_MR_KEY_MAX, with UET_MR_OPTIMIZED too
 *	0..UET_MR_OPTIMIZED_KEY_MAX, else 0
 * @access: what peers may do, any of UET_MR_WRITE, UET_MR_READ and UET_MR_ATOMIC;
 *	0: nothing, it is for posted receives and results of operations of this
 *	socket
 * @flags: UET_MR_FIXED_KEY, UET_MR_IDEMPOTENT_SAFE, UET_MR_OPTIMIZED
 *
 * The memory is pinned and counts for RLIMIT_MEMLOCK.  Peers name it by the
 * address of the socket and the key, and count bytes from its start.
 */
struct uet_mr_reg {
	__aligned_u64 addr;
	__aligned_u64 length;
	__aligned_u64 key;
	__u32 access;
	__u32 flags;
};

/* uet_mr_reg.access */
#define UET_MR_WRITE		0x1
#define UET_MR_READ		0x2
#define UET_MR_ATOMIC		0x4

/* uet_mr_reg.flags */
#define UET_MR_FIXED_KEY	0x1
#define UET_MR_IDEMPOTENT_SAFE	0x2	/* may be written and read twice: RUDI */

#define UET_MR_OPTIMIZED	0x4	/* a key that fits the shortest header */

/* Set in the key of such a region. */
#define UET_MR_KEY_IDEMPOTENT_SAFE	(1ULL << 63)
#define UET_MR_KEY_OPTIMIZED		(1ULL << 62)

#define UET_MR_KEY_MAX		0xffffffffffffULL
#define UET_MR_OPTIMIZED_KEY_MAX	0xfffULL
#define UET_MR_LENGTH_MAX	(1ULL << 36)

/* ioctl() of a bound socket; UET_IOC_MR_DEREG takes a key. */
#define UET_IOC_MR_REG		_IOWR('U', 0xc0, struct uet_mr_reg)
#define UET_IOC_MR_DEREG	_IOW('U', 0xc1, __u64)

/**
 * struct uet_job_open - get a descriptor of a job
 * @job: JobID
 * @flags: UET_JOB_CLOEXEC
 *
 * Who may bind to the job may have one.  Whoever has it may bind to the job: see
 * UET_JOB_FD.
 */
struct uet_job_open {
	__u32 job;
	__u32 flags;
};

/* uet_job_open.flags */
#define UET_JOB_CLOEXEC		0x1

/* ioctl() of any socket; returns the descriptor. */
#define UET_IOC_JOB_OPEN	_IOW('U', 0xd0, struct uet_job_open)

/**
 * struct uet_recv_post - memory for a message that is to come
 * @cookie: the caller's, any value; comes back in the completion
 * @match: UET_RECV_TAGGED: match bits of the message, else 0
 * @ignore: UET_RECV_TAGGED: those of its match bits that may be anything, else 0
 * @key: key of a memory region of this socket, whatever its access
 * @offset: where the message goes, from the start of the region
 * @length: bytes that may go there; 0: none, @key and @offset mean nothing
 * @initiator: initiator id of the sender; with UET_RECV_ANY_SOURCE 0
 * @flags: UET_RECV_*
 * @reserved: zero
 */
struct uet_recv_post {
	__aligned_u64 cookie;
	__aligned_u64 match;
	__aligned_u64 ignore;
	__aligned_u64 key;
	__aligned_u64 offset;
	__aligned_u64 length;
	__u32 initiator;
	__u32 flags;
	__u32 reserved[2];
};

/* uet_recv_post.flags */
#define UET_RECV_TAGGED		0x1	/* UET_OP_TAGGED_SEND, else untagged ones */
#define UET_RECV_ANY_SOURCE	0x2	/* whoever the sender is */
#define UET_RECV_TRUNC		0x4	/* of a longer message take what fits */

/**
 * struct uet_recv_posts - several of them
 * @posts: address of an array of struct uet_recv_post
 * @count: entries, 1..UET_CQ_LIMIT
 * @reserved: zero
 */
struct uet_recv_posts {
	__aligned_u64 posts;
	__u32 count;
	__u32 reserved;
};

/* Receives with bits in uet_recv_post.ignore that one socket may have waiting. */
#define UET_RECV_IGNORE_LIMIT	1024

/*
 * ioctl() of a bound socket; UET_IOC_RECV_POSTS returns how many were posted,
 * UET_IOC_RECV_CANCEL takes a cookie.
 */
#define UET_IOC_RECV_POST	_IOW('U', 0xc8, struct uet_recv_post)
#define UET_IOC_RECV_POSTS	_IOW('U', 0xc9, struct uet_recv_posts)
#define UET_IOC_RECV_CANCEL	_IOW('U', 0xca, __u64)

/**
 * struct uet_send_cancel - give operations up that have not ended
 * @cookie: with UET_CANCEL_COOKIE, uet_op.cookie of the operations, else 0
 * @flags: UET_CANCEL_*, not 0; with both, operations that are both
 * @reserved: zero
 * @addr: with UET_CANCEL_PEER, where they go to, as for sendto(), else zero
 */
struct uet_send_cancel {
	__aligned_u64 cookie;
	__u32 flags;
	__u32 reserved;
	struct sockaddr_uet addr;
};

/* uet_send_cancel.flags */
#define UET_CANCEL_COOKIE	0x1	/* those with UET_OP_COMPLETE and the cookie */
#define UET_CANCEL_PEER		0x2	/* those to the address */

/* ioctl() of a bound socket; returns how many operations are given up. */
#define UET_IOC_SEND_CANCEL	_IOW('U', 0xcc, struct uet_send_cancel)

/* Socket options at level SOL_UET. */
enum {
	/* getsockopt: why the last refused call on this socket was refused, a
	 * string; the length includes the terminating zero.
	 */
	UET_LAST_ERROR = 1,
	/* getsockopt/setsockopt: __u32, initiator id; before bind only. */
	UET_INITIATOR = 2,
	/* getsockopt/setsockopt: int, also return a UET_CMSG_CTX with each
	 * message.
	 */
	UET_RECV_CTX = 3,
	/* getsockopt: __u32, largest message sent as one packet, bytes. */
	UET_PAYLOAD_MTU = 4,
	/* getsockopt/setsockopt: __u32, 0 or 1: PDCs that this socket opens come
	 * from the reserved pools; needs CAP_NET_ADMIN, before sending only.
	 */
	UET_RESERVED_PDC = 5,
	/* setsockopt: int, a descriptor of a job, which the socket may be bound to
	 * then, with suet_job 0 or its own, and to no other; -1 takes that back;
	 * before bind only.
	 */
	UET_JOB_FD = 8,
	/* getsockopt/setsockopt: __u32, UET_GEN_*, when ordered messages are
	 * refused until there is space, by which generation; before bind only.
	 */
	UET_GENERATION = 12,
	/* getsockopt: __u32, the generation in force, 0 without; and
	 * UET_RI_DISABLED while all ordered messages are refused.
	 */
	UET_RI_GENERATION = 13,
	/* getsockopt/setsockopt: __u32, 0 or 1: messages that were not begun are
	 * refused.
	 */
	UET_PAUSE = 14,
};

/* UET_GENERATION: what makes an endpoint refuse ordered messages. */
enum {
	UET_GEN_NONE = 0,	/* nothing: no generations */
	UET_GEN_BUFFER = 1,	/* one that the receive buffer has no space for */
	UET_GEN_POSTED = 2,	/* one that no posted receive waits for */
};

#define UET_RI_DISABLED	0x100	/* UET_RI_GENERATION */

/* Control messages at level SOL_UET. */
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
};

/**
 * struct uet_ctx - the context of a received message
 * @job: JobID the message was sent under
 * @initiator: initiator id of the sender
 * @length: length of the whole message, bytes; of UET_OP_WRITE, which leaves
 *	nothing to read, what was written
 * @offset: offset in the message of the first byte returned by this call; not
 *	zero only for a message longer than SO_RCVBUF read in pieces
 * @header_data: completion data sent along, valid with UET_CTX_HDATA
 * @match: match bits of a tagged message, else 0
 * @opcode: SES opcode
 * @flags: UET_CTX_*
 * @delivery: UET_DELIVERY_*, the sender's choice
 * @reserved: zero
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
	__u8 reserved[5];
};

#define UET_CTX_HDATA	0x01

/* uet_ctx.delivery, uet_completion.delivery */
enum {
	UET_DELIVERY_RUD = 1,	/* reliable, unordered */
	UET_DELIVERY_ROD = 2,	/* reliable, ordered */
	UET_DELIVERY_UUD = 3,	/* unreliable, unordered */
	UET_DELIVERY_RUDI = 4,	/* reliable, unordered, of RMA only */
};

/*
 * SES opcodes, UE 1.0.1 Table 3-17: what a message can be.  struct uet_op says
 * which of them can be sent.  The kernel has them in its wire format, opcode.def.
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
 * struct uet_op - which operation a sendmsg() is, and whether it is told of
 * @cookie: the caller's, any value; comes back in its completion
 * @opcode: UET_OP_SEND, as without this control message; UET_OP_NO_OP, which
 *	has no payload, is answered by the peer's FEP and delivered to nobody;
 *	UET_OP_WRITE, which puts the payload into a memory region of the peer;
 *	UET_OP_ATOMIC, which changes values there, one by one and in one step;
 *	UET_OP_FETCHING_ATOMIC, the same of one value, which returns what it was;
 *	UET_OP_READ, which has no payload and returns bytes from there;
 *	UET_OP_TAGGED_SEND, a send to who receives messages with its match bits;
 *	UET_OP_TSEND_ATOMIC and UET_OP_TSEND_FETCH_ATOMIC, atomic operations on the
 *	memory of a receive with its match bits;
 *	UET_OP_DEFERRABLE_SEND and UET_OP_DEFERRABLE_TSEND, the same as SEND and
 *	TAGGED_SEND but that the receiver may ask for the bytes later;
 *	UET_OP_RENDEZVOUS_SEND and UET_OP_RENDEZVOUS_TSEND, the same but that the
 *	receiver reads what is not in the payload from a memory region of the sender
 * @flags: UET_OP_COMPLETE, UET_OP_RUDI
 * @reserved: zero
 */
struct uet_op {
	__aligned_u64 cookie;
	__u8 opcode;
	__u8 flags;
	__u8 reserved[6];
};

/* MSG_ZEROCOPY: shorter messages are copied. */
#define UET_ZEROCOPY_MIN	16384

/**
 * struct uet_rma - the memory an operation is for
 * @key: key of the memory region, chosen where it was registered
 * @offset: of the first byte, from the start of the region
 *
 * The region must have been registered on the endpoint that the message goes to.
 */
struct uet_rma {
	__aligned_u64 key;
	__aligned_u64 offset;
};

/**
 * struct uet_local - where what an operation returns goes to, or a message is
 * @key: key of a memory region of this socket, with any access; of a rendezvous
 *	message with UET_MR_READ
 * @offset: of the first byte, from the start of the region; of
 *	UET_OP_FETCHING_ATOMIC the place in memory is aligned to the size of the value
 * @length: UET_OP_READ: bytes to read, at most 2^32 - 1; UET_OP_FETCHING_ATOMIC: 0
 *	or the size of the value; of a rendezvous message its length, at most 2^32 - 1
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
 * Of @compare and @swap the least significant bytes count, as many as the type
 * has; such an operation changes one value and has no payload.  The others take
 * their operands from the payload, in the byte order of this machine, one for
 * each value, at most one Payload MTU; values are aligned to their size.
 */
struct uet_atomic {
	__aligned_u64 compare;
	__aligned_u64 swap;
	__u8 op;
	__u8 datatype;
	__u8 reserved[6];
};

/*
 * Atomic operations, UE 1.0.1 Table 3-21, and types, Table 3-22, that are
 * executed.  The kernel takes them from its wire format.
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
	UET_AMO_BOR = 0x07,		/* not of floating point */
	UET_AMO_BAND = 0x08,		/* not of floating point */
	UET_AMO_LXOR = 0x09,
	UET_AMO_BXOR = 0x0a,		/* not of floating point */
	UET_AMO_READ = 0x0b,		/* fetching only; no operand */
	UET_AMO_WRITE = 0x0c,
	UET_AMO_CSWAP = 0x0d,		/* if the value to compare with is == */
	UET_AMO_CSWAP_NE = 0x0e,	/* != what is in memory, */
	UET_AMO_CSWAP_LE = 0x0f,	/* <=, */
	UET_AMO_CSWAP_LT = 0x10,	/* <, */
	UET_AMO_CSWAP_GE = 0x11,	/* >=, */
	UET_AMO_CSWAP_GT = 0x12,	/* > */
	UET_AMO_MSWAP = 0x13,		/* the bits of the mask; as BOR */
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
#define UET_OP_COMPLETE	0x01	/* tell by a struct uet_completion how it ended */
/* Without a PDC: UET_OP_READ, and UET_OP_WRITE without UET_CMSG_HDATA. */
#define UET_OP_RUDI	0x02

/* Deferred messages that may wait at one socket for a receive or for space. */
#define UET_DEFER_LIMIT	1024

/* Rendezvous messages that may wait at one socket for a receive. */
#define UET_RENDEZVOUS_LIMIT	1024

/*
 * Operations with UET_OP_COMPLETE that one socket may have under way, together
 * with receives posted and completions that were not read, coalesced ones counted
 * as one.
 */
#define UET_CQ_LIMIT	16384

/**
 * struct uet_completion - how operations, or a posted receive, ended
 * @cookie: uet_op.cookie of the first of them; uet_recv_post.cookie
 * @count: how many: those with the cookies @cookie to @cookie + @count - 1.  Not
 *	1 only if all of them succeeded and are alike but for their length
 * @error: 0, or the errno of a late error
 * @length: bytes the target says it has executed, or that were read, of all of
 *	them together; 0 if it did not answer; of a receive, bytes that are in the
 *	region
 * @job: zero; of an operation somebody else began, its JobID
 * @initiator: zero; of an operation somebody else began, its initiator id
 * @opcode: SES opcode; of a receive that was cancelled, 0
 * @rc: SES return code of the target, 1 (OK) or what it refused the operation
 *	for, UE 1.0.1 Table 3-19; 0 if it did not answer
 * @nack_code: the NACK code that ended the operation, UE 1.0.1 Table 3-58, or 0
 * @delivery: UET_DELIVERY_*
 * @match: zero; match bits of a tagged message
 * @header_data: zero; completion data that came with a message
 * @flags: UET_COMPLETION_*
 * @msg_length: zero; of a receive, length of the message it is for
 * @reserved: zero
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
	__u32 reserved[2];
};

/**
 * struct uet_cq_ring - make the completion ring of a socket
 * @entries: records wanted, 1..UET_CQ_LIMIT; returns those it has, a power of two
 * @flags: zero
 * @size: returns bytes to mmap(), shared, from offset 0
 *
 * From then on completions are told there and not by recvmsg().  What has no space
 * there waits for some, see UET_CQ_RING_MORE.  A socket has one ring, which counts
 * for RLIMIT_MEMLOCK.
 */
struct uet_cq_ring {
	__u32 entries;
	__u32 flags;
	__aligned_u64 size;
};

#define UET_IOC_CQ_RING		_IOWR('U', 0xd8, struct uet_cq_ring)

/**
 * struct uet_cq_ring_head - begin of a completion ring; the records follow
 * @tail: records the kernel has written, modulo 2^32; load it with acquire, then
 *	read the records from @head on, each at its number modulo @entries
 * @flags: UET_CQ_RING_*, the kernel's
 * @entries: of the ring
 * @reserved: zero
 * @head: records consumed, modulo 2^32, the process's; store it with release
 * @reserved2: zero
 *
 * The halves are of a cache line each, for who writes them.
 */
struct uet_cq_ring_head {
	__u32 tail;
	__u32 flags;
	__u32 entries;
	__u32 reserved[13];
	__u32 head;
	__u32 reserved2[15];
};

/*
 * Completions wait for space in the ring: the next poll() of the socket, or the
 * next completion, fills it.
 */
#define UET_CQ_RING_MORE	0x1
/* uet_completion.flags */
#define UET_COMPLETION_RECV	0x1	/* of a posted receive */
#define UET_COMPLETION_HDATA	0x2	/* header_data is valid */
#define UET_COMPLETION_TRUNC	0x4	/* the message was longer than the memory */

#endif
