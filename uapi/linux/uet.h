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
};

/* Control messages at level SOL_UET. */
enum {
	/* recvmsg: struct uet_ctx */
	UET_CMSG_CTX = 1,
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

/* uet_ctx.delivery */
enum {
	UET_DELIVERY_RUD = 1,	/* reliable, unordered */
	UET_DELIVERY_ROD = 2,	/* reliable, ordered */
	UET_DELIVERY_UUD = 3,	/* unreliable, unordered */
};

#endif
