/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All calls of sockets of the families AF_UET, AF_INET and AF_INET6, with random arguments,
 * many of them good: any_call() makes one of them.  For threads of fuzz_sock.h that
 * share descriptors.  Level: test.
 */
#ifndef UET_SELFTESTS_FUZZ_CALLS_H
#define UET_SELFTESTS_FUZZ_CALLS_H

#include <poll.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include <linux/net_tstamp.h>
#include <linux/sockios.h>

#include "fuzz_inet.h"
#include "fuzz_job.h"
#include "fuzz_post.h"
#include "fuzz_ring.h"

#define IOVS		8
#define MESSAGES	4

/* -------------------------------------------------------------- addresses */

/* An address of an endpoint that may exist, or one that is damaged. */
static struct sockaddr_uet make_addr(struct thread *t, bool is_own,
				     socklen_t *len)
{
	struct sockaddr_uet addr = {
		.suet_family = AF_UET, .suet_version = UET_ADDR_VERSION,
		.suet_job = 1, .suet_pid = fuzz_below(&t->rand, 4),
		.suet_ri = 1 + fuzz_one_in(&t->rand, 8),
		.suet_fa4 = own_fa,
	};

	*len = sizeof(addr);
	if (!is_own && !fuzz_one_in(&t->rand, 3))
		addr.suet_fa4 = peer_fa;
	if (is_own && fuzz_one_in(&t->rand, 8))
		addr.suet_pid = UET_PID_ANY;
	if (is_own && fuzz_one_in(&t->rand, 8))
		addr.suet_ri = 0;
	/* That of UET_JOB_FD, or one that comes and goes. */
	if (is_own && fuzz_one_in(&t->rand, 8))
		addr.suet_job = fuzz_one_in(&t->rand, 2) ? 0 : 2;
	if (fuzz_one_in(&t->rand, 8))
		fuzz_damage(&t->rand, (uint8_t *)&addr, sizeof(addr));
	if (fuzz_one_in(&t->rand, 16))
		*len = fuzz_one_in(&t->rand, 2) ? fuzz_below(&t->rand, 64) :
						  fuzz_edge(&t->rand);
	return addr;
}

static void try_bind(struct thread *t, int fd)
{
	socklen_t len;
	struct sockaddr_uet addr = make_addr(t, true, &len);

	CALL(t, BIND, bind(fd, pointer(t, &addr), len));
}

static void call_bind(struct thread *t)
{
	try_bind(t, any_fd(t));
}

static void call_connect(struct thread *t)
{
	socklen_t len;
	struct sockaddr_uet addr = make_addr(t, false, &len);

	if (fuzz_one_in(&t->rand, 16))
		addr.suet_family = AF_UNSPEC;
	CALL(t, CONNECT, connect(any_fd(t), pointer(t, &addr), len));
}

static void call_name(struct thread *t)
{
	struct sockaddr_storage addr;
	socklen_t len = fuzz_one_in(&t->rand, 2) ? sizeof(addr) :
						   fuzz_edge(&t->rand);

	if (len > sizeof(addr) && (int)len > 0)
		len = fuzz_below(&t->rand, sizeof(addr));
	if (fuzz_one_in(&t->rand, 2))
		CALL(t, NAME, getsockname(any_fd(t), pointer(t, &addr),
					  pointer(t, &len)));
	else
		CALL(t, NAME, getpeername(any_fd(t), pointer(t, &addr),
					  pointer(t, &len)));
}

/* ------------------------------------------------------------ descriptors */

static void call_socket(struct thread *t)
{
	static const int types[] = { SOCK_RDM, SOCK_SEQPACKET, SOCK_DGRAM };
	int type = types[fuzz_below(&t->rand, NR(types))], protocol = 0, buf;
	int fd;

	if (fuzz_one_in(&t->rand, 4))
		type |= fuzz_one_in(&t->rand, 2) ? SOCK_NONBLOCK : SOCK_CLOEXEC;
	if (fuzz_one_in(&t->rand, 16))
		type = fuzz_below(&t->rand, 16);
	if (fuzz_one_in(&t->rand, 16))
		protocol = fuzz_edge(&t->rand);
	fd = CALL(t, SOCKET, socket(AF_UET, type, protocol));
	if (fd < 0)
		return;
	set_timeout(fd, SO_SNDTIMEO, 20000);
	set_timeout(fd, SO_RCVTIMEO, 20000);
	if (fuzz_one_in(&t->rand, 2)) {
		buf = 2048 << fuzz_below(&t->rand, 10);
		setsockopt(fd, SOL_SOCKET, fuzz_one_in(&t->rand, 2) ?
			   SO_SNDBUF : SO_RCVBUF, &buf, sizeof(buf));
	}
	if (!fuzz_one_in(&t->rand, 4))
		try_bind(t, fd);
	put_slot(t, fd);
}

static void call_close(struct thread *t)
{
	int fd = atomic_exchange(any_slot(t), -1);

	if (fd >= 0)
		CALL(t, CLOSE, close(fd));
}

static void call_dup(struct thread *t)
{
	put_slot(t, CALL(t, DUP, dup(any_fd(t))));
}

/* A descriptor that travels; some are still on their way when all ends. */
static void call_pass(struct thread *t)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} space;
	struct iovec iov = { "x", 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = &space, .msg_controllen = sizeof(space),
	};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);
	char byte;

	memset(&space, 0, sizeof(space));
	*cmsg = (struct cmsghdr){
		.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET,
		.cmsg_type = SCM_RIGHTS,
	};
	*(int *)CMSG_DATA(cmsg) = any_fd(t);
	CALL(t, PASS, sendmsg(t->unix_pair[0], &msg, MSG_DONTWAIT));
	if (fuzz_one_in(&t->rand, 3))
		return;
	iov.iov_base = &byte;
	msg.msg_controllen = sizeof(space);
	if (CALL(t, PASS, recvmsg(t->unix_pair[1], &msg, MSG_DONTWAIT)) == 1 &&
	    msg.msg_controllen >= CMSG_LEN(sizeof(int)))
		put_slot(t, *(int *)CMSG_DATA(cmsg));
}

/* Another process that has all descriptors, closes one, and ends. */
static void call_fork(struct thread *t)
{
	int fd = any_fd(t);
	pid_t pid = CALL(t, FORK, fork());

	if (!pid) {
		close(fd);
		_exit(0);
	}
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* ---------------------------------------------------------------- messages */

/* Most are short, some are longer than any buffer here. */
static size_t make_length(struct thread *t)
{
	static const uint32_t limits[] = { 2, 64, 4097, 4200, 9000, 9000 };

	if (fuzz_one_in(&t->rand, 32))
		return fuzz_below(&t->rand, MESSAGE_MAX);
	if (fuzz_one_in(&t->rand, 16))
		return fuzz_below(&t->rand, 70000);
	return fuzz_below(&t->rand, limits[fuzz_below(&t->rand, NR(limits))]);
}

/* Pieces that lie one behind the other, so that together they are one, too. */
static void make_iovs(struct thread *t, struct msghdr *msg, struct iovec *iov,
		      uint8_t *bytes, size_t len)
{
	unsigned int i, nr = 1 + fuzz_below(&t->rand, IOVS);
	size_t part;

	bytes = pointer(t, bytes);
	for (i = 0; i < nr; i++) {
		part = i + 1 < nr ? fuzz_below(&t->rand, len + 1) : len;
		iov[i] = (struct iovec){ bytes, part };
		bytes += part;
		len -= part;
	}
	msg->msg_iov = iov;
	msg->msg_iovlen = nr;
	if (fuzz_one_in(&t->rand, 64))
		iov[nr - 1].iov_len = -1;
	if (fuzz_one_in(&t->rand, 64))
		msg->msg_iovlen = 1025 + fuzz_below(&t->rand, 9);
}

static int make_flags(struct thread *t)
{
	static const int known[] = {
		MSG_DONTWAIT, MSG_PEEK, MSG_TRUNC, MSG_WAITALL, MSG_ERRQUEUE,
		MSG_OOB, MSG_MORE, MSG_EOR, MSG_CONFIRM, MSG_CTRUNC,
	};
	int flags = MSG_NOSIGNAL;

	if (fuzz_one_in(&t->rand, 2))
		flags |= MSG_DONTWAIT;
	if (fuzz_one_in(&t->rand, 4))
		flags |= known[fuzz_below(&t->rand, NR(known))];
	if (fuzz_one_in(&t->rand, 32))
		flags |= fuzz_edge(&t->rand);
	/* Buffers are used again at once. */
	return flags & ~MSG_ZEROCOPY;
}

/* A control message, right in itself or not; none of these is for sending. */
static void make_control(struct thread *t, struct msghdr *msg)
{
	struct cmsghdr *cmsg = (void *)t->control;

	/* Content left from another call might be right. */
	memset(t->control, 0xff, sizeof(t->control));
	*cmsg = (struct cmsghdr){
		.cmsg_len = fuzz_one_in(&t->rand, 2) ? CMSG_LEN(8) :
						       fuzz_edge(&t->rand),
		.cmsg_level = fuzz_one_in(&t->rand, 2) ? SOL_UET : SOL_SOCKET,
		.cmsg_type = fuzz_below(&t->rand, 4),
	};
	msg->msg_control = pointer(t, cmsg);
	msg->msg_controllen = fuzz_one_in(&t->rand, 32) ?
		-1ul : fuzz_below(&t->rand, sizeof(t->control));
}

/*
 * Adds the control messages that name the operation, mostly good ones; they are the
 * same for all messages of a call, and the last of them count.
 */
static void make_op(struct thread *t, struct msghdr *msg)
{
	static const uint8_t opcodes[] = {
		UET_OP_SEND, UET_OP_NO_OP, UET_OP_WRITE, UET_OP_ATOMIC,
		UET_OP_TAGGED_SEND,
		UET_OP_READ, UET_OP_FETCHING_ATOMIC,
		UET_OP_DEFERRABLE_SEND, UET_OP_DEFERRABLE_TSEND,
		UET_OP_RENDEZVOUS_SEND, UET_OP_RENDEZVOUS_TSEND,
	};
	struct uet_op op = {
		.cookie = fuzz_below(&t->rand, 4),
		.opcode = opcodes[fuzz_below(&t->rand, NR(opcodes))],
		.flags = UET_OP_COMPLETE,
	};
	bool is_tagged = op.opcode == UET_OP_TAGGED_SEND ||
			 op.opcode == UET_OP_DEFERRABLE_TSEND ||
			 op.opcode == UET_OP_RENDEZVOUS_TSEND;
	bool is_rdv = op.opcode == UET_OP_RENDEZVOUS_SEND ||
		      op.opcode == UET_OP_RENDEZVOUS_TSEND;
	bool is_rma = !is_rdv && !is_tagged && op.opcode != UET_OP_SEND &&
		      op.opcode != UET_OP_NO_OP &&
		      op.opcode != UET_OP_DEFERRABLE_SEND;

	if ((op.opcode == UET_OP_WRITE || op.opcode == UET_OP_READ) &&
	    fuzz_one_in(&t->rand, 2))
		op.flags |= UET_OP_RUDI;
	if ((op.opcode == UET_OP_READ || op.opcode == UET_OP_FETCHING_ATOMIC ||
	     is_rdv) && fuzz_one_in(&t->rand, 2))
		op.flags |= UET_OP_LOCAL_ADDR;
	if (fuzz_one_in(&t->rand, 4))
		op.flags |= fuzz_one_in(&t->rand, 2) ? UET_OP_RUD : UET_OP_ROD;
	if (!is_rma && !is_rdv && fuzz_one_in(&t->rand, 16))
		fuzz_damage(&t->rand, &op.opcode,
			    sizeof(op) - sizeof(op.cookie));
	add_control(t, msg, UET_CMSG_OP, &op, sizeof(op));
	if (is_rma)
		make_rma(t, msg, op.opcode);
	if (is_rdv)
		make_rendezvous(t, msg, IOVS, op.flags & UET_OP_LOCAL_ADDR);
	if (is_tagged)
		make_tag(t, msg);
	if (fuzz_one_in(&t->rand, 8))
		make_peer(t, msg);
	msg->msg_control = pointer(t, t->control);
	if (fuzz_one_in(&t->rand, 32))
		msg->msg_controllen = fuzz_below(&t->rand, sizeof(t->control));
	if ((op.opcode == UET_OP_NO_OP || op.opcode == UET_OP_READ) &&
	    !fuzz_one_in(&t->rand, 8))
		msg->msg_iovlen = 0;
}

static void make_send(struct thread *t, struct msghdr *msg, struct iovec *iov,
		      struct sockaddr_uet *addr)
{
	size_t len = make_length(t);

	memset(msg, 0, sizeof(*msg));
	if (!fuzz_one_in(&t->rand, 4)) {
		*addr = make_addr(t, false, &msg->msg_namelen);
		msg->msg_name = pointer(t, addr);
	}
	make_iovs(t, msg, iov, piece(t, len), len);
	if (fuzz_one_in(&t->rand, 16))
		make_control(t, msg);
	else if (fuzz_one_in(&t->rand, 3))
		make_op(t, msg);
}

static void call_sendmsg(struct thread *t)
{
	struct sockaddr_uet addr;
	struct iovec iov[IOVS];
	struct msghdr msg;

	make_send(t, &msg, iov, &addr);
	CALL(t, SEND, sendmsg(any_fd(t), pointer(t, &msg), make_flags(t)));
}

static void call_sendmmsg(struct thread *t)
{
	struct sockaddr_uet addr[MESSAGES];
	struct iovec iov[MESSAGES][IOVS];
	struct mmsghdr msgs[MESSAGES];
	unsigned int i, nr = 1 + fuzz_below(&t->rand, MESSAGES);

	for (i = 0; i < nr; i++)
		make_send(t, &msgs[i].msg_hdr, iov[i], &addr[i]);
	share_payload(msgs, nr);
	CALL(t, SEND, sendmmsg(any_fd(t), pointer(t, msgs), nr, make_flags(t)));
}

static void call_sendto(struct thread *t)
{
	socklen_t addr_len;
	struct sockaddr_uet addr = make_addr(t, false, &addr_len);
	size_t len = make_length(t);
	uint8_t *bytes = piece(t, len);

	if (fuzz_one_in(&t->rand, 4))
		CALL(t, SEND, write(any_fd(t), pointer(t, bytes), len));
	else
		CALL(t, SEND, sendto(any_fd(t), pointer(t, bytes), len,
				     make_flags(t), pointer(t, &addr),
				     addr_len));
}

/* A socket of which poll() says one of @events, if there is one, or any. */
static int fd_with(struct thread *t, short events)
{
	struct pollfd fds[SLOTS];
	unsigned int i, start = fuzz_below(&t->rand, SLOTS);

	for (i = 0; i < SLOTS; i++)
		fds[i] = (struct pollfd){
			.fd = slots[(start + i) % SLOTS], .events = events,
		};
	if (!fuzz_one_in(&t->rand, 4) && poll(fds, SLOTS, 0) > 0)
		for (i = 0; i < SLOTS; i++)
			if (fds[i].revents & events)
				return fds[i].fd;
	return fds[0].fd;
}

/* Completions say nothing that they must not. */
static void check_completions(struct msghdr *msg)
{
	struct uet_completion rec;
	struct cmsghdr *cmsg;

	for (cmsg = CMSG_FIRSTHDR(msg); cmsg; cmsg = CMSG_NXTHDR(msg, cmsg)) {
		if (cmsg->cmsg_len != CMSG_LEN(sizeof(rec)) ||
		    cmsg->cmsg_level != SOL_UET ||
		    cmsg->cmsg_type != UET_CMSG_COMPLETION)
			fuzz_fail("the error queue holds no completion");
		memcpy(&rec, CMSG_DATA(cmsg), sizeof(rec));
		if (!is_sound(&rec))
			fuzz_fail("a completion of %llu, %u, %u",
				  (unsigned long long)rec.cookie, rec.count,
				  rec.error);
		atomic_fetch_add(&nr_completed, 1);
	}
}

static void call_completions(struct thread *t)
{
	struct msghdr msg = {
		.msg_control = pointer(t, t->control),
		.msg_controllen = fuzz_below(&t->rand, sizeof(t->control)),
	};
	int fd = fd_with(t, POLLERR);

	if (!CALL(t, RECV, recvmsg(fd, pointer(t, &msg), MSG_ERRQUEUE)) &&
	    !t->is_bad)
		check_completions(&msg);
}

static void call_recvmsg(struct thread *t)
{
	struct sockaddr_storage addr;
	struct iovec iov[IOVS];
	struct msghdr msg = {
		.msg_name = pointer(t, fuzz_one_in(&t->rand, 4) ? NULL : &addr),
		.msg_namelen = fuzz_below(&t->rand, sizeof(addr)),
	};
	int fd = fd_with(t, POLLIN), flags = make_flags(t);
	size_t len = make_length(t);
	ssize_t got;

	make_iovs(t, &msg, iov, t->buf, len);
	if (fuzz_one_in(&t->rand, 2))
		make_control(t, &msg);
	/* As much as it says is filled with completions. */
	if (msg.msg_controllen > sizeof(t->control))
		flags &= ~MSG_ERRQUEUE;
	got = CALL(t, RECV, recvmsg(fd, pointer(t, &msg), flags));
	if (got > 0)
		check_piece(t, t->buf, (size_t)got < len ? (size_t)got : len);
}

static void call_recvmmsg(struct thread *t)
{
	struct timespec wait = { 0, fuzz_below(&t->rand, 1100000000) };
	struct mmsghdr msgs[MESSAGES];
	struct iovec iov[MESSAGES];
	int i, nr, fd = fd_with(t, POLLIN);

	memset(msgs, 0, sizeof(msgs));
	for (i = 0; i < MESSAGES; i++) {
		iov[i] = (struct iovec){ t->buf + i * 80000, make_length(t) };
		if (iov[i].iov_len > 80000)
			iov[i].iov_len = 80000;
		msgs[i].msg_hdr.msg_iov = &iov[i];
		msgs[i].msg_hdr.msg_iovlen = 1;
	}
	nr = CALL(t, RECV, recvmmsg(fd, pointer(t, msgs), MESSAGES,
				    make_flags(t) & ~MSG_TRUNC,
				    pointer(t, &wait)));
	for (i = 0; i < nr; i++)
		check_piece(t, iov[i].iov_base, msgs[i].msg_len);
}

static void call_recvfrom(struct thread *t)
{
	struct sockaddr_storage addr;
	socklen_t addr_len = fuzz_below(&t->rand, sizeof(addr));
	size_t len = make_length(t);
	int fd = fd_with(t, POLLIN);
	ssize_t got;

	if (fuzz_one_in(&t->rand, 4))
		got = CALL(t, RECV, read(fd, pointer(t, t->buf), len));
	else
		got = CALL(t, RECV, recvfrom(fd, pointer(t, t->buf), len,
					     make_flags(t) & ~MSG_TRUNC,
					     pointer(t, &addr),
					     pointer(t, &addr_len)));
	if (got > 0)
		check_piece(t, t->buf, got);
}

/* ------------------------------------------------- files, pipes and memory */

static void call_splice(struct thread *t)
{
	size_t len = fuzz_below(&t->rand, 9000);
	loff_t at = fuzz_below(&t->rand, PATTERN - 9000);
	ssize_t got;

	switch (fuzz_below(&t->rand, 3)) {
	case 0:
		CALL(t, SPLICE, sendfile(any_fd(t), pattern_fd, &at, len));
		break;
	case 1:
		CALL(t, SPLICE, splice(pattern_fd, &at, t->pipe[1], NULL, len,
				       SPLICE_F_NONBLOCK));
		CALL(t, SPLICE, splice(t->pipe[0], NULL, any_fd(t), NULL, len,
				       SPLICE_F_NONBLOCK));
		break;
	default:
		CALL(t, SPLICE, splice(any_fd(t), NULL, t->pipe[1], NULL, len,
				       SPLICE_F_NONBLOCK));
	}
	/* Each received piece belongs to the pattern, whatever its size. */
	while ((got = read(t->pipe[0], t->buf, MESSAGE_MAX)) > 0)
		;
}

/* Few have one, so that there are error queues left to read. */
static void call_ring(struct thread *t)
{
	struct uet_cq_ring cq = { .size = sizeof(cq), .entries = fuzz_below(&t->rand, 64) };
	struct uet_sq_ring sq = {
		.size = sizeof(sq), .entries = fuzz_below(&t->rand, FUZZ_SQ_ENTRIES + 1),
	};
	bool is_sq = fuzz_one_in(&t->rand, 2);

	if (!fuzz_one_in(&t->rand, 8))
		fuzz_damage(&t->rand, is_sq ? (uint8_t *)&sq : (uint8_t *)&cq,
			    sizeof(cq));
	if (is_sq)
		CALL(t, IOCTL, ioctl(any_fd(t), UET_IOC_SQ_RING, pointer(t, &sq)));
	else
		CALL(t, IOCTL, ioctl(any_fd(t), UET_IOC_CQ_RING, pointer(t, &cq)));
}

static void call_mmap(struct thread *t)
{
	int fd = any_fd(t);

	CALL(t, MMAP, write_ring(t, fd));
	if (fuzz_one_in(&t->rand, 4))
		CALL(t, SUBMIT, ioctl(fd, UET_IOC_SQ_POLL, fuzz_below(&t->rand, 500)));
	else
		CALL(t, SUBMIT, ioctl(fd, UET_IOC_SUBMIT, fuzz_below(&t->rand, 20)));
}

/* ----------------------------------------------------------------- options */

static void call_setsockopt(struct thread *t)
{
	static const int uet[] = {
		UET_LAST_ERROR, UET_INITIATOR, UET_RECV_CTX, UET_PAYLOAD_MTU,
		UET_RESERVED_PDC, UET_JOB_FD, UET_GENERATION, UET_PAUSE,
		UET_JOB, UET_PIDONFEP, UET_ENDPOINT_WAIT, UET_DOMAIN_FD,
		UET_ENVELOPES,
	};
	uint8_t value[256];
	int level = SOL_SOCKET, name = fuzz_below(&t->rand, 80);
	uint32_t edge = fuzz_edge(&t->rand);
	socklen_t len = fuzz_one_in(&t->rand, 2) ? 4 :
					fuzz_below(&t->rand, sizeof(value));

	fuzz_fill(&t->rand, value, sizeof(value));
	memcpy(value, &edge, sizeof(edge));
	if (fuzz_one_in(&t->rand, 3)) {
		level = SOL_UET;
		name = uet[fuzz_below(&t->rand, NR(uet))];
	} else if (fuzz_one_in(&t->rand, 16)) {
		level = fuzz_edge(&t->rand);
		name = fuzz_edge(&t->rand);
	}
	if (waits(level, name)) {
		/* Any time is legal: a short one, or nonsense that is none. */
		memset(value, 0, sizeof(value));
		value[name == SO_LINGER ? 0 : 9] = 1;
		value[name == SO_LINGER ? 4 : 8] = fuzz_below(&t->rand, 2);
		value[11] = fuzz_one_in(&t->rand, 8) ? 0xff : 0;
	}
	/* The kernel complains in its log of a clock without a device. */
	if (name == SO_TIMESTAMPING_OLD || name == SO_TIMESTAMPING_NEW)
		value[1] &= ~(SOF_TIMESTAMPING_BIND_PHC >> 8);
	/* Their values have pointers. */
	t->is_bad = name == SO_ATTACH_FILTER ||
		    name == SO_ATTACH_REUSEPORT_CBPF;
	t->may_be_524 = level == SOL_SOCKET && name == SO_ZEROCOPY;
	CALL(t, SETSOCKOPT, setsockopt(any_fd(t), level, name,
				       pointer(t, value), len));
	t->may_be_524 = false;
}

static void call_getsockopt(struct thread *t)
{
	int level = fuzz_one_in(&t->rand, 2) ? SOL_UET : SOL_SOCKET;
	int name = fuzz_below(&t->rand, level == SOL_UET ? 10 : 80);
	socklen_t len = fuzz_one_in(&t->rand, 8) ? -fuzz_below(&t->rand, 9) :
						   fuzz_below(&t->rand, 512);

	if (fuzz_one_in(&t->rand, 16))
		level = fuzz_edge(&t->rand);
	CALL(t, GETSOCKOPT, getsockopt(any_fd(t), level, name,
				       pointer(t, t->control),
				       pointer(t, &len)));
}

/* Not those that change the network, or send signals to a random process. */
static void call_ioctl(struct thread *t)
{
	static const unsigned long known[] = {
		FIONREAD, SIOCOUTQ, FIONBIO, SIOCATMARK, SIOCGSTAMP_NEW,
		SIOCGSTAMPNS_NEW, SIOCGPGRP, SIOCPROTOPRIVATE,
		SIOCPROTOPRIVATE + 1, SIOCGIFCONF,
	};
	unsigned long number = known[fuzz_below(&t->rand, NR(known))];
	long value[64] = { 0 };

	if (fuzz_one_in(&t->rand, 4)) {
		number = fuzz_u32(&t->rand);
		if ((number >> 8 & 0xff) == 0x89)
			return;
	}
	CALL(t, IOCTL, ioctl(any_fd(t), number, pointer(t, value)));
}

static void call_fcntl(struct thread *t)
{
	int flags = fuzz_one_in(&t->rand, 3) ? O_NONBLOCK : 0;

	CALL(t, FCNTL, fcntl(any_fd(t), F_SETFL, flags));
}

/* ------------------------------------------------------------------- others */

static void call_poll(struct thread *t)
{
	struct epoll_event event = { .events = fuzz_u32(&t->rand) };
	struct pollfd fds[SLOTS];
	int i;

	for (i = 0; i < SLOTS; i++)
		fds[i] = (struct pollfd){ any_fd(t), fuzz_u32(&t->rand), 0 };
	if (fuzz_one_in(&t->rand, 2)) {
		CALL(t, POLL, poll(fds, SLOTS, fuzz_below(&t->rand, 5)));
		return;
	}
	CALL(t, EPOLL, epoll_ctl(t->epoll, 1 + fuzz_below(&t->rand, 3),
				 any_fd(t), &event));
	CALL(t, EPOLL, epoll_wait(t->epoll, &event, 1,
				  fuzz_below(&t->rand, 5)));
}

/* Seldom: such a socket is of little use afterwards. */
static void call_shutdown(struct thread *t)
{
	if (!fuzz_one_in(&t->rand, 3))
		return;
	CALL(t, SHUTDOWN, shutdown(any_fd(t), fuzz_one_in(&t->rand, 8) ?
				   (int)fuzz_edge(&t->rand) :
				   (int)fuzz_below(&t->rand, 3)));
}

static void call_never(struct thread *t)
{
	int fds[2];
	long ret;

	switch (fuzz_below(&t->rand, 3)) {
	case 0:
		ret = CALL(t, NEVER, listen(any_fd(t), 5));
		break;
	case 1:
		ret = CALL(t, NEVER, accept4(any_fd(t), NULL, NULL, 0));
		break;
	default:
		ret = CALL(t, NEVER, socketpair(AF_UET, SOCK_RDM, 0, fds));
	}
	if (ret >= 0)
		fuzz_fail("listen, accept or socketpair succeeds");
}

/* ---------------------------------------------------------------- any of all */

static const struct fuzz_call calls[] = {
	{ call_socket, 12 }, { call_bind, 12 }, { call_connect, 6 },
	{ call_sendmsg, 16 }, { call_sendmmsg, 4 }, { call_sendto, 16 },
	{ call_recvmsg, 16 }, { call_recvmmsg, 4 }, { call_recvfrom, 12 },
	{ call_setsockopt, 4 }, { call_getsockopt, 4 }, { call_ioctl, 3 },
	{ call_region, 6 }, { call_ring, 1 }, { call_post, 6 },
	{ call_fcntl, 3 }, { call_poll, 6 }, { call_shutdown, 1 },
	{ call_never, 1 }, { call_splice, 2 }, { call_mmap, 3 },
	{ call_name, 3 }, { call_dup, 2 }, { call_pass, 2 }, { call_fork, 1 },
	{ call_close, 4 }, { call_completions, 12 }, { call_job, 4 },
	{ call_inet, 16 }, { call_domain, 4 },
};

static void any_call(struct thread *t)
{
	t->is_bad = false;
	fuzz_call_one(t, calls, NR(calls));
}

#endif
