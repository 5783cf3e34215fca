/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * libuet: messages, posted receives and remote memory over AF_UET sockets, for
 * applications in C and C++.  Link with -luet.
 *
 *	struct uet *u = uet_open(NULL, why);
 *
 *	uet_barrier(u, -1);
 *	uet_send(u, uet_peer(u, 1), "hello", 5, 0, 0);
 *	uet_close(u);
 *
 * The library is a thin layer over one socket.  It has no threads and no state outside
 * the handle, and copies no payload.  Different threads may use different handles at
 * the same time; one handle serves one thread at a time.
 *
 * Lengths and offsets are bytes, times are milliseconds, -1 is no limit.  A function
 * that fails returns -1 (NULL or 0 where the result is a pointer or a number of a peer)
 * with errno, and uet_strerror() explains the failure.  Each comment states whether the
 * function blocks and how many system calls it makes if it succeeds.  libuet(7) is the
 * overview, Documentation/uapi.rst the reference of the sockets.
 */
#ifndef LIBUET_UET_H
#define LIBUET_UET_H

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

#include <linux/uet.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define UET_API	__attribute__((visibility("default")))
#else
#define UET_API
#endif

/* A handle: an endpoint with its completions, and the peers that it knows. */
struct uet;

#define UET_ERROR_SIZE	256	/* text of an error, with its zero */
#define UET_ADDR_SIZE	96	/* text of an address, with its zero */

/* ------------------------------------------------------------------ addresses */

/*
 * Number of AF_UET on this machine, from /proc/net/uet/features; the number in
 * <linux/uet.h> if that file cannot be read.  Does not block; system calls: of a file
 * that is opened, read and closed.
 */
UET_API int uet_af(void);

/*
 * Parse "FA/PID", "FA/PID/RI" or "FA/PID/RI/absolute": an IPv4 or IPv6 fabric address
 * ("fe80::1%eth0" with its interface; "*" any FEP of the job), PIDonFEP 0..4095 ("*":
 * any), Resource Index 1..4095, 1 if it is missing ("*": any).  The JobID is 0, which
 * uet_open() and uet_peer_add() replace by that of the handle.  @error: NULL, or
 * UET_ERROR_SIZE bytes for the reason of a failure (EINVAL).  Does not block; no system
 * call but for the family, and for the name of an interface.
 */
UET_API int uet_addr_parse(struct sockaddr_uet *addr, const char *text, char *error);

/*
 * Write an address in the form that uet_addr_parse() reads.  @size: of @text, at least
 * UET_ADDR_SIZE for any address (ENOSPC).  EINVAL: no address of AF_UET.  Return: @text.
 * Does not block; no system call.
 */
UET_API const char *uet_addr_text(const struct sockaddr_uet *addr, char *text, size_t size);

/* --------------------------------------------------------------------- handles */

/* uet_attr.flags */
#define UET_OPEN_NO_ENV		0x1	/* ignore the variables of "ueadm job run" */
#define UET_OPEN_NO_BARRIER	0x2	/* no collective operations: no second socket */

/**
 * struct uet_attr - how to open a handle; 0 in each field is the default
 * @type: SOCK_RDM (default), SOCK_SEQPACKET: messages in order, SOCK_DGRAM
 * @flags: UET_OPEN_*
 * @job: JobID; 0: that of @local or UET_JOB, else that of @job_fd
 * @job_fd: descriptor of the job, above 0; 0: UET_JOB_FD, or none
 * @ri: Resource Index of this endpoint and of its peers, 1..2045; 0: 1 with peers,
 *	else any.  Processes with several handles need different ones
 * @wait: ms that a message waits for an endpoint that does not exist yet, at most
 *	UET_ENDPOINT_WAIT_MAX; 0: UET_WAIT, or it fails at once
 * @local: own address; NULL: entry @rank of @peers, or any free address of the job
 * @rank: number of this process, below @size
 * @size: number of processes; 0: UET_RANK, UET_SIZE and UET_PEERS, or 1 without them.
 *	Other launchers than "ueadm job run" give rank and size in variables of their own,
 *	see uet_open(3): these count if there is UET_PEERS
 * @peers: @size addresses by rank; the kernel gives each a number; NULL with @size 0
 * @completions: records that the completion ring holds, 1..UET_CQ_RING_LIMIT; 0: 1024
 * @generation: UET_GEN_*
 * @reserved: zero
 */
struct uet_attr {
	int type;
	uint32_t flags;
	uint32_t job;
	int job_fd;
	uint32_t ri;
	uint32_t wait;
	const struct sockaddr_uet *local;
	uint32_t rank;
	uint32_t size;
	const struct sockaddr_uet *peers;
	uint32_t completions;
	uint32_t generation;
	uint64_t reserved[4];
};

/*
 * Open a socket, bind it, map its completion ring (64 bytes for each record, charged
 * to the memory cgroup) and add the peers.  @attr: NULL: all defaults, for a process of
 * "ueadm job run".  @error: NULL, or UET_ERROR_SIZE bytes for the reason of a failure.
 * errno: EINVAL, of socket(), bind(), mmap(), UET_IOC_PEER or UET_IOC_CQ_RING.  Does not
 * block; about ten system calls, and one for each peer.
 */
UET_API struct uet *uet_open(const struct uet_attr *attr, char *error);

/*
 * Close the handle; NULL is allowed.  Messages in flight are still sent, completions
 * are lost, regions are deregistered.  See uet_finish().  Does not block, unless
 * SO_LINGER is set; three to five system calls.
 */
UET_API void uet_close(struct uet *u);

/*
 * The socket, for poll() and for options.  EPOLLIN: uet_recv() has a message; EPOLLERR:
 * uet_poll() has a completion, or an operation without completion has failed; EPOLLOUT:
 * sending does not block.  Before waiting for EPOLLERR call uet_poll() until it returns
 * 0.  No system call.
 */
UET_API int uet_fd(const struct uet *u);

/* Number of this process, below uet_size().  No system call. */
UET_API uint32_t uet_rank(const struct uet *u);

/* Number of processes.  No system call. */
UET_API uint32_t uet_size(const struct uet *u);

/* Own address.  Does not block; one system call. */
UET_API int uet_address(struct uet *u, struct sockaddr_uet *addr);

/* Number of the peer with a rank; 0 (EINVAL) if @rank >= uet_size().  No system call. */
UET_API uint32_t uet_peer(struct uet *u, uint32_t rank);

/* Rank of a peer, as completions name it; -1 (ENOENT) if it has none.  No system call. */
UET_API int uet_peer_rank(struct uet *u, uint32_t peer);

/*
 * Number for an address: uet_peer_add() twice gives the same number.  0: EINVAL, EACCES:
 * another job, ENOSPC: UET_PEER_LIMIT.  Does not block; one system call.
 */
UET_API uint32_t uet_peer_add(struct uet *u, const struct sockaddr_uet *addr);

/* Forget a number of uet_peer_add() (ENOENT).  Does not block; one system call. */
UET_API int uet_peer_remove(struct uet *u, uint32_t peer);

/*
 * Block until the peer has an endpoint, @timeout ms at most (ETIMEDOUT).  The peer
 * notices nothing.  Other errno: the peer cannot be reached; a node that does not answer
 * at all is given up after the peer-timeout of the FEP.  If @timeout is over earlier,
 * the request to that node stays in flight: a further call waits for its answer, and
 * uet_finish(), too.  System calls: four each 10 ms, and two with uet_attr.wait.  Not
 * with SOCK_DGRAM (EOPNOTSUPP).
 */
UET_API int uet_wait_peer(struct uet *u, uint32_t peer, int timeout);

/*
 * Block until all messages were answered, or SO_SNDTIMEO (EAGAIN), and end the sending.
 * Returns the first error of an operation without completion.  One system call.
 */
UET_API int uet_finish(struct uet *u);

/*
 * Reason of the last failure of a function with this handle: the text of the kernel, if
 * it has one.  The string is valid until the next call with the handle; "" before the
 * first failure.  One system call.
 */
UET_API const char *uet_strerror(struct uet *u);

/* --------------------------------------------------------------- collective operations */

/*
 * All ranks call the same functions in the same order, with the same lengths, counts,
 * types, operations and roots.  The messages go over a second socket with Resource Index
 * 4096 - ri, so they meet no receive of the application.  EOPNOTSUPP:
 * UET_OPEN_NO_BARRIER.
 *
 * The functions block, @timeout ms at most (ETIMEDOUT), and until a signal (EINTR): a
 * further call with the same arguments continues, until then no other collective function
 * may be called (EBUSY), and the memory is in use.  After 0 all memory may be reused: the
 * other ranks have what this rank has sent.  Each other error ends the collective
 * operations of all ranks: ECONNREFUSED: a rank has ended, which is noticed after about a
 * second; ECONNRESET: a node does not answer; EPROTO: lengths that differ.  The memory is
 * free then, too, and each further call fails at once.  System calls: about four for each
 * message.
 *
 * Ranks may start in any order: the first collective function of a handle waits for the
 * endpoints of all ranks.
 */

/* Block until all ranks have called the function. */
UET_API int uet_barrier(struct uet *u, int timeout);

/* All ranks get the @length bytes that the rank @root has at @buf. */
UET_API int uet_broadcast(struct uet *u, void *buf, size_t length, uint32_t root,
			  int timeout);

/*
 * The rank @root gets at @to the @count values at @from of all ranks, combined one by one.
 * @type: UET_DT_INT8 to UET_DT_DOUBLE; @op: UET_AMO_SUM, _PROD, _MIN, _MAX, _LOR, _LAND,
 * _LXOR, and for integers, which wrap, _BOR, _BAND, _BXOR.  @to: may be @from; ignored by
 * the other ranks.  EINVAL also: memory that is not aligned to its values.
 */
UET_API int uet_reduce(struct uet *u, const void *from, void *to, size_t count,
		       uint32_t type, uint32_t op, uint32_t root, int timeout);

/*
 * The same, but all ranks get the result, and all the same bits.  @to: may be @from, else
 * it does not overlap with it.
 */
UET_API int uet_allreduce(struct uet *u, const void *from, void *to, size_t count,
			  uint32_t type, uint32_t op, int timeout);

/*
 * All ranks get at @to the blocks of @length bytes at @from of all ranks, by rank.  @from:
 * may be the place of this rank in @to.
 */
UET_API int uet_allgather(struct uet *u, const void *from, void *to, size_t length,
			  int timeout);

/*
 * Each rank has a block of @length bytes for each rank at @from, by rank, and gets at @to
 * those of all ranks for it, by rank.  @to: may be @from.
 */
UET_API int uet_alltoall(struct uet *u, const void *from, void *to, size_t length,
			 int timeout);

/* -------------------------------------------------------------------- operations */

/* Flags of operations. */
#define UET_F_COMPLETE	0x01	/* report the end by a completion with the cookie */
#define UET_F_WAIT	0x02	/* block until the end, and return its error; no completion */
#define UET_F_NOWAIT	0x04	/* EAGAIN instead of waiting for the send buffer */
#define UET_F_MORE	0x08	/* other messages follow at once (MSG_MORE) */
#define UET_F_ZEROCOPY	0x10	/* send from the pages of the buffer (MSG_ZEROCOPY) */
#define UET_F_HDATA	0x20	/* uet_request.header_data is for the receiver */
#define UET_F_RUDI	0x40	/* without a PDC (UET_OP_RUDI) */
#define UET_F_RUD	0x80	/* unordered (UET_OP_RUD) */
#define UET_F_ROD	0x100	/* ordered (UET_OP_ROD) */
/* Own memory needs no region: key 0, and its address as the offset (UET_OP_LOCAL_ADDR). */
#define UET_F_LOCAL_ADDR 0x200

#define UET_COOKIE_MAX	0xfffffffeffffffffULL	/* largest cookie */

/**
 * struct uet_request - an operation with all its arguments
 * @peer: number of the destination, if @to is NULL
 * @opcode: UET_OP_*
 * @flags: UET_F_*
 * @reserved: zero
 * @to: address of the destination, or NULL
 * @cookie: for the completion, at most UET_COOKIE_MAX
 * @tag: match bits, for opcodes with UET_CMSG_TAG
 * @header_data: completion data, with UET_F_HDATA
 * @iov: payload
 * @iov_count: elements of @iov
 * @rma: remote memory, for opcodes with UET_CMSG_RMA
 * @local: own memory, for opcodes with UET_CMSG_LOCAL
 * @atomic: for opcodes with UET_CMSG_ATOMIC
 *
 * Documentation/uapi.rst, "Operations", lists the arguments of each opcode; the others
 * are ignored.
 */
struct uet_request {
	uint32_t peer;
	uint32_t opcode;
	uint32_t flags;
	uint32_t reserved;
	const struct sockaddr_uet *to;
	uint64_t cookie;
	uint64_t tag;
	uint64_t header_data;
	const struct iovec *iov;
	size_t iov_count;
	struct uet_rma rma;
	struct uet_local local;
	struct uet_atomic atomic;
};

/*
 * Begin an operation.  The functions below are short forms of this one.
 *
 * Return: 0: the kernel has the payload, or refers to it with UET_F_ZEROCOPY.  -1:
 * nothing was begun, with one exception: after ENOMEM with UET_F_WAIT the operation
 * goes on.  Blocks while the send buffer is full, and for the end with UET_F_WAIT, which
 * no signal interrupts.  errno: of sendmsg(), see uapi.rst; EAGAIN; EINVAL; with
 * UET_F_WAIT the error of the operation.  An operation without UET_F_COMPLETE and
 * UET_F_WAIT that fails later makes a further call fail, once.  One system call; with
 * UET_F_WAIT about two more.
 */
UET_API int uet_request(struct uet *u, const struct uet_request *request);

/* Send a message of any length.  Blocks, errors, system calls: as uet_request(). */
UET_API int uet_send(struct uet *u, uint32_t peer, const void *buf, size_t length,
		     uint32_t flags, uint64_t cookie);

/* The same for a receive with the match bits @tag. */
UET_API int uet_tsend(struct uet *u, uint32_t peer, uint64_t tag, const void *buf,
		      size_t length, uint32_t flags, uint64_t cookie);

/*
 * Write @length bytes of any memory to a region of the peer: key, and offset from the
 * start of the region.  Blocks, errors, system calls: as uet_request().
 */
UET_API int uet_put(struct uet *u, uint32_t peer, struct uet_rma to, const void *buf,
		    size_t length, uint32_t flags, uint64_t cookie);

/*
 * Read @to.length bytes (at most 2^32 - 1) of a region of the peer into a region of this
 * handle; with UET_F_LOCAL_ADDR, and UET_F_WAIT or UET_F_COMPLETE, into any memory.  The
 * bytes are there with the completion; until then the memory is in use.  Blocks, errors,
 * system calls: as uet_request(); EFAULT: @to is not within a region, or no memory.
 */
UET_API int uet_get(struct uet *u, uint32_t peer, struct uet_rma from, struct uet_local to,
		    uint32_t flags, uint64_t cookie);

/*
 * Change @count values in a region of the peer.  @op: UET_AMO_*; @type: UET_DT_*;
 * @operands: one for each value, in the byte order of this machine, at most one Payload
 * MTU; @compare: of one value, for UET_AMO_CSWAP*, or the mask of UET_AMO_MSWAP, where
 * @count is 1; else NULL.  Blocks, errors, system calls: as uet_request(); EINVAL: a
 * missing operand, an unknown type, a wrong count.
 */
UET_API int uet_atomic(struct uet *u, uint32_t peer, struct uet_rma at, uint32_t op,
		       uint32_t type, const void *operands, const void *compare,
		       uint32_t count, uint32_t flags, uint64_t cookie);

/*
 * Change one value and read the old one into a region of this handle, or with
 * UET_F_LOCAL_ADDR into any memory; @old is aligned to the value, and its length is 0 or
 * that of the value.  @operand: NULL with UET_AMO_READ.  All else: as uet_atomic().
 */
UET_API int uet_fetch(struct uet *u, uint32_t peer, struct uet_rma at, uint32_t op,
		      uint32_t type, const void *operand, const void *compare,
		      struct uet_local old, uint32_t flags, uint64_t cookie);

/* --------------------------------------------------------------------- receiving */

/*
 * Receive the next message that no posted receive takes.  @flags: MSG_DONTWAIT (EAGAIN),
 * MSG_PEEK.  @ctx: NULL, or gets the length of the whole message, its sender
 * (uet_ctx.peer), tag and completion data; @from: NULL, or gets the address of the
 * sender.  Return: bytes in @buf; fewer than ctx->length if the buffer is too short (the
 * rest is lost) or if the message is longer than SO_RCVBUF and comes in pieces.
 * ESHUTDOWN: the socket is shut down for reading.  Blocks for a message (SO_RCVTIMEO);
 * one system call.
 */
UET_API ssize_t uet_recv(struct uet *u, void *buf, size_t length, int flags,
			 struct uet_ctx *ctx, struct sockaddr_uet *from);

/*
 * Post a receive into a region of this handle.  @from: number of the sender, or 0: any;
 * @flags: UET_RECV_TAGGED, without it @tag and @ignore are 0, UET_RECV_TRUNC,
 * UET_RECV_CLAIM with the claim as @tag.  @ignore: bits of @tag that are not compared.
 * @to.length 0: for an empty message, without a region.  The completion has the cookie
 * and UET_COMPLETION_RECV.  Does not block; errno: of UET_IOC_RECV_POST; one system call.
 */
UET_API int uet_post(struct uet *u, uint32_t from, uint64_t tag, uint64_t ignore,
		     struct uet_local to, uint32_t flags, uint64_t cookie);

/*
 * Post several receives, of all kinds, each with its size.  Return: the number that was posted, at least 1.
 * Does not block; one system call.
 */
UET_API int uet_posts(struct uet *u, const struct uet_recv_post *posts, uint32_t count);

/*
 * Look for a message that no receive has taken, claim it or discard it: fields, with the size,
 * and errno of UET_IOC_RECV_PEEK; ENOMSG: there is none.  Does not block; one system call.
 */
UET_API int uet_peek(struct uet *u, struct uet_recv_peek *peek);

/*
 * Cancel the oldest posted receive with the cookie, or, if there is none, all operations
 * with the cookie that have not ended.  Each completes with ECANCELED.  Return: their
 * number; ENOENT: none could be cancelled.  Does not block; one or two system calls.
 */
UET_API int uet_cancel(struct uet *u, uint64_t cookie);

/* ------------------------------------------------------------------------- memory */

/*
 * Register memory and pin it.  @access: UET_MR_WRITE, _READ and _ATOMIC for peers, 0 for
 * receives and results of this handle only; @flags: UET_MR_*; @key: gets the key, with
 * UET_MR_FIXED_KEY it has it.  errno: of UET_IOC_MR_REG.  May sleep for memory; one
 * system call.
 */
UET_API int uet_mem_reg(struct uet *u, void *addr, size_t length, uint32_t access,
			uint32_t flags, __u64 *key);

/*
 * Deregister a region (ENOENT).  No peer uses the memory afterwards.  Blocks for some
 * milliseconds; one system call.
 */
UET_API int uet_mem_dereg(struct uet *u, uint64_t key);

/* -------------------------------------------------------------------- completions */

/*
 * Take up to @max completions, of operations and posted receives, in the order in which
 * they ended.  Return: their number; 0: there is none.  Does not block; no system call,
 * unless the completion ring was full.
 */
UET_API int uet_poll(struct uet *u, struct uet_completion *done, uint32_t max);

/*
 * The same, but block until there is one, @timeout ms at most (returns 0).  -1: EINTR,
 * or the error of an operation without completion.  No system call if there is a
 * completion, else one or two.
 */
UET_API int uet_wait(struct uet *u, struct uet_completion *done, uint32_t max, int timeout);

/*
 * Describe a completion: operation, length or reason of the failure.  Return: @text, cut to
 * @size bytes.  No system call.
 */
UET_API const char *uet_completion_text(const struct uet_completion *done, char *text,
					size_t size);

/*
 * The same with the address of the other end, if it is a peer of the handle: "SEND to
 * 10.0.0.2/20/1: no endpoint with that PIDonFEP (bad-pid)".  One system call.
 */
UET_API const char *uet_failure_text(struct uet *u, const struct uet_completion *done,
				     char *text, size_t size);

/* Name of an SES return code, "reserved" for an unknown one.  No system call. */
UET_API const char *uet_rc_name(uint8_t rc);

#ifdef __cplusplus
}
#endif

#endif
