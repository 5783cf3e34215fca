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
 * @suet_job: JobID, 1..UET_JOBID_MAX
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
};

/* Control messages at level SOL_UET. */
enum {
	/* recvmsg: struct uet_ctx */
	UET_CMSG_CTX = 1,
	/* sendmsg: struct uet_op, at most one */
	UET_CMSG_OP = 2,
	/* recvmsg with MSG_ERRQUEUE: struct uet_completion, one or more */
	UET_CMSG_COMPLETION = 3,
};

/**
 * struct uet_ctx - the context of a received message
 * @job: JobID the message was sent under
 * @initiator: initiator id of the sender
 * @length: length of the whole message, bytes
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
};

/*
 * SES opcodes, UE 1.0.1 Table 3-17: what a message can be.  struct uet_op says
 * which of them can be sent.  The kernel takes them from its wire format.
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
 * @opcode: UET_OP_SEND, as without this control message; or UET_OP_NO_OP, which
 *	has no payload, is answered by the peer's FEP and delivered to nobody
 * @flags: UET_OP_COMPLETE
 * @reserved: zero
 */
struct uet_op {
	__aligned_u64 cookie;
	__u8 opcode;
	__u8 flags;
	__u8 reserved[6];
};

/* uet_op.flags: tell by a struct uet_completion how it ended. */
#define UET_OP_COMPLETE	0x01

/*
 * Operations with UET_OP_COMPLETE that one socket may have under way, together
 * with completions that were not read, coalesced ones counted as one.
 */
#define UET_CQ_LIMIT	16384

/**
 * struct uet_completion - how operations ended
 * @cookie: uet_op.cookie of the first of them
 * @count: how many: those with the cookies @cookie to @cookie + @count - 1.  Not
 *	1 only if all of them succeeded and are alike but for their length
 * @error: 0, or the errno of a late error
 * @length: bytes the target says it has executed, of all of them together; 0 if
 *	it did not answer
 * @job: zero; of an operation somebody else began, its JobID
 * @initiator: zero; of an operation somebody else began, its initiator id
 * @opcode: SES opcode
 * @rc: SES return code of the target, 1 (OK) or what it refused the operation
 *	for, UE 1.0.1 Table 3-19; 0 if it did not answer
 * @nack_code: the NACK code that ended the operation, UE 1.0.1 Table 3-58, or 0
 * @delivery: UET_DELIVERY_*
 * @match: zero; match bits of a tagged message
 * @header_data: zero; completion data that came with a message
 * @flags: zero
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
	__u32 reserved[3];
};

#endif
