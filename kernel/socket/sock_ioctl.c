// SPDX-License-Identifier: GPL-2.0
/*
 * The ioctls: one table, and one place that copies and checks their arguments. Those that
 * cancel sends and number peers are here, others where their objects are. A send by the number
 * of a peer needs no address: the address was checked when the peer was added, and socket and
 * job stay the same from bind() on.
 */
#include <asm/ioctls.h>
#include <linux/compat.h>
#include <linux/nospec.h>
#include <linux/sockios.h>
#include <linux/uaccess.h>
#include <net/sock.h>

#include "endpoint/endpoint.h"
#include "message/message.h"
#include "pdc/pdc.h"
#include "transfer/transfer.h"
#include "socket.h"

/* -------------------------------------------------------- UET_IOC_SEND_CANCEL */

#define CANCEL_FLAGS	(UET_CANCEL_COOKIE | UET_CANCEL_PEER)

/* A cancel request, with the decoded address. */
struct cancel {
	const struct uet_send_cancel *ask;
	struct uet_sock_dest dest;
};

static int cancel_check(struct uet_sock *us, const struct uet_send_cancel *ask)
{
	if (!ask->flags)
		return uet_sock_refuse(us, -EINVAL, "UET_IOC_SEND_CANCEL: flags are 0, not of 0x%x",
				       CANCEL_FLAGS);
	if (!(ask->flags & UET_CANCEL_COOKIE) && ask->cookie)
		return uet_sock_refuse(us, -EINVAL, "UET_IOC_SEND_CANCEL: cookie 0x%llx is not 0, without UET_CANCEL_COOKIE",
				       ask->cookie);
	if (!(ask->flags & UET_CANCEL_PEER) &&
	    memchr_inv(&ask->addr, 0, sizeof(ask->addr)))
		return uet_sock_refuse(us, -EINVAL, "UET_IOC_SEND_CANCEL: addr is not 0, without UET_CANCEL_PEER");
	if (!uet_sock_is_bound(us))
		return uet_sock_refuse(us, -ENOTCONN, "UET_IOC_SEND_CANCEL: the socket is not bound");
	return 0;
}

static bool cancel_wants_peer(const struct cancel *c, const struct uet_peer_key *key)
{
	const struct uet_sock_dest *dest = &c->dest;

	if (!(c->ask->flags & UET_CANCEL_PEER))
		return true;
	return uet_fa_equal(&key->peer, &dest->fa) && key->job == dest->job &&
	       key->pid == dest->pid && key->ri == dest->ri &&
	       key->rel == dest->rel;
}

static bool cancel_wants(const struct cancel *c, const struct uet_tx_message *tm)
{
	if (tm->ses.is_aborted)
		return false;
	return !(c->ask->flags & UET_CANCEL_COOKIE) ||
	       (tm->cqe && tm->cqe->rec.cookie == c->ask->cookie);
}

static bool cancel_wants_message(const struct uet_tx_message *tm, const struct uet_peer_key *key,
				 const void *arg)
{
	return cancel_wants_peer(arg, key) && cancel_wants(arg, tm);
}

/*
 * Messages that are on their way, all their packets sent and not answered, end as they will.
 * Deferred messages are on no PDC: see tx_deferrable.c. Spec: UE 1.0.1 Table 3-17
 * (UET_MSG_ERROR).
 */
static int cancel_ioctl(struct uet_sock *us, void *arg)
{
	struct cancel c = { .ask = arg };
	u32 count;
	int err;

	err = cancel_check(us, c.ask);
	if (!err && c.ask->flags & UET_CANCEL_PEER)
		err = uet_sock_addr_dest(us, "UET_IOC_SEND_CANCEL", &c.ask->addr,
					 sizeof(c.ask->addr), &c.dest);
	if (err)
		return err;
	mutex_lock(&us->walk_mutex);
	count = uet_pdc_entry_abort_all(us, cancel_wants_message, &c);
	mutex_unlock(&us->walk_mutex);
	count += uet_tx_deferrable_cancel(us, cancel_wants_message, &c);
	if (!count)
		return uet_sock_refuse(us, -ENOENT, "UET_IOC_SEND_CANCEL: no such operation can be taken back any more");
	return min_t(u32, count, INT_MAX);
}

/* -------------------------------------------------------------- UET_IOC_PEER* */

/* The initiator id that messages of the endpoint carry. */
static u32 peer_initiator(const struct sockaddr_uet *addr)
{
	return addr->suet_initiator ? :
	       UET_INITIATOR_ID(addr->suet_pid, addr->suet_ri);
}

static int peer_ioctl_add(struct uet_sock *us, void *arg)
{
	struct uet_sock_dest dest = {};
	struct uet_peer *peer = arg;
	int err;

	if (!uet_sock_is_bound(us))
		return uet_sock_refuse(us, -ENOTCONN, "UET_IOC_PEER: the socket is not bound");
	err = uet_sock_addr_dest(us, "UET_IOC_PEER", &peer->addr,
				 sizeof(peer->addr), &dest);
	if (!err)
		err = uet_sock_inet_peer(us, &dest);
	if (err)
		return err;
	lock_sock(&us->sk);
	err = uet_sock_check_dest(us, "UET_IOC_PEER", &dest);
	if (!err)
		err = uet_peer_add(us, &dest, peer_initiator(&peer->addr),
				   &peer->peer);
	release_sock(&us->sk);
	if (err == -EEXIST)
		uet_sock_refuse(us, err, "UET_IOC_PEER: peer %u has this fabric address and initiator 0x%x",
				peer->peer, peer_initiator(&peer->addr));
	else if (err == -ENOSPC)
		uet_sock_refuse(us, err, "UET_IOC_PEER: the socket has %d peers",
				UET_PEER_LIMIT);
	return err;
}

static int peer_ioctl_remove(struct uet_sock *us, void *arg)
{
	u32 number = *(u32 *)arg;
	int err;

	lock_sock(&us->sk);
	err = uet_peer_remove(us, number);
	release_sock(&us->sk);
	if (err)
		uet_sock_refuse(us, err, "UET_IOC_PEER_REMOVE: %u is no peer of the socket",
				number);
	return err;
}

static int peer_ioctl_addr(struct uet_sock *us, void *arg)
{
	struct uet_sock_dest dest;
	struct uet_peer *peer = arg;
	bool is_peer;

	lock_sock(&us->sk);
	is_peer = uet_peer_dest(us, peer->peer, &dest);
	release_sock(&us->sk);
	if (!is_peer)
		return uet_sock_refuse(us, -ENOENT, "UET_IOC_PEER_ADDR: %u is no peer of the socket",
				       peer->peer);
	uet_sock_dest_fill(&peer->addr, &dest);
	return 0;
}

/* ---------------------------------------------------------------- the table */

/* UET_IOC_DOMAIN_OPEN. Return: the descriptor, or an errno. */
static int sockioctl_open_domain(struct uet_sock *us, unsigned long flags)
{
	int fd;

	if (flags & ~(unsigned long)UET_DOMAIN_CLOEXEC)
		return uet_sock_refuse(us, -EINVAL, "UET_IOC_DOMAIN_OPEN: flags 0x%lx are unknown",
				       flags & ~(unsigned long)UET_DOMAIN_CLOEXEC);
	fd = uet_domain_fd_make(flags & UET_DOMAIN_CLOEXEC);
	if (fd < 0)
		uet_sock_refuse(us, fd, "UET_IOC_DOMAIN_OPEN: no descriptor or memory is left");
	return fd;
}

#define MR_FLAGS	(UET_MR_FIXED_KEY | UET_MR_IDEMPOTENT_SAFE | \
			 UET_MR_OPTIMIZED | UET_MR_WATCH | UET_MR_READ_ONLY)

/* The longest argument. */
union sockioctl_arg {
	u64 number;
	struct {
		u32 size;
		u32 flags;
	} head;
	struct uet_mr_reg mr_reg;
	struct uet_mr_counts mr_counts;
	struct uet_job_open job_open;
	struct uet_recv_post recv_post;
	struct uet_recv_posts recv_posts;
	struct uet_recv_peek recv_peek;
	struct uet_send_cancel send_cancel;
	struct uet_peer peer;
	struct uet_cq_ring cq_ring;
	struct uet_sq_ring sq_ring;
};

/**
 * struct sockioctl - an ioctl
 * @name: name in the uapi header
 * @value: executes one whose argument is a value and no address, else NULL
 * @run: executes one with its copied argument
 * @len: length of the argument, bytes
 * @first: length of the struct when it was published, bytes; 0: a number
 * @flags: flags that are known
 * @zero: the fields that must be zero, by their names
 * @zero_at: offset of these fields
 * @zero_len: length of these fields, bytes
 * @returns: changes the argument
 */
struct sockioctl {
	const char *name;
	int (*value)(struct uet_sock *us, unsigned long value);
	int (*run)(struct uet_sock *us, void *arg);
	u16 len;
	u16 first;
	u32 flags;
	const char *zero;
	u16 zero_at;
	u16 zero_len;
	bool returns;
};

#define IOCTL(ioc)		[UET_IOC_##ioc - UET_IOC(0)] = { .name = "UET_IOC_" #ioc,
#define IOCTL_VALUE(ioc, fn)	IOCTL(ioc) .value = (fn) }
#define IOCTL_NUMBER(ioc, fn, type, ...) \
	IOCTL(ioc) .run = (fn), .len = sizeof(type), ##__VA_ARGS__ }
/* A struct may grow; its first length stays the shortest that is taken. */
#define IOCTL_STRUCT(ioc, fn, type, first_len, known, ...)			\
	IOCTL(ioc) .run = (fn), .flags = (known), ##__VA_ARGS__,		\
	  .first = (first_len), .len = sizeof(struct type) +			\
	  BUILD_BUG_ON_ZERO(sizeof(struct type) < (first_len) || sizeof(struct type) % 8) }
#define IOCTL_ZERO(type, names, from, to)					\
	.zero = (names),							\
	.zero_at = offsetof(struct type, from),					\
	.zero_len = offsetofend(struct type, to) - offsetof(struct type, from)

static const struct sockioctl sockioctls[] = {
	IOCTL_STRUCT(MR_REG, uet_mr_ioctl_reg, uet_mr_reg, 40, MR_FLAGS, .returns = true,
		     IOCTL_ZERO(uet_mr_reg, "reserved", reserved, reserved)),
	IOCTL_NUMBER(MR_DEREG, uet_mr_ioctl_dereg, u64),
	IOCTL_NUMBER(MR_CHANGED, uet_mr_ioctl_changed, u64, .returns = true),
	IOCTL_STRUCT(MR_COUNTS, uet_mr_ioctl_counts, uet_mr_counts, 40, 0, .returns = true,
		     IOCTL_ZERO(uet_mr_counts, "writes, fetches, reads", writes, reads)),
	IOCTL_VALUE(DOMAIN_OPEN, sockioctl_open_domain),
	IOCTL_STRUCT(JOB_OPEN, uet_sock_ioctl_job_open, uet_job_open, 16, UET_JOB_CLOEXEC,
		     IOCTL_ZERO(uet_job_open, "reserved", reserved, reserved)),
	IOCTL_STRUCT(RECV_POST, uet_posted_recv_ioctl_post, uet_recv_post, 64, U32_MAX),
	IOCTL_STRUCT(RECV_POSTS, uet_posted_recv_ioctl_posts, uet_recv_posts, 24, 0,
		     IOCTL_ZERO(uet_recv_posts, "reserved", reserved, reserved)),
	IOCTL_NUMBER(RECV_CANCEL, uet_posted_recv_ioctl_cancel, u64),
	IOCTL_STRUCT(RECV_PEEK, uet_sock_ioctl_peek, uet_recv_peek, 120, U32_MAX, .returns = true,
		     IOCTL_ZERO(uet_recv_peek, "reserved, claim, from, ctx", reserved, ctx)),
	IOCTL_STRUCT(SEND_CANCEL, cancel_ioctl, uet_send_cancel, 56, CANCEL_FLAGS),
	IOCTL_STRUCT(PEER, peer_ioctl_add, uet_peer, 56, 0, .returns = true,
		     IOCTL_ZERO(uet_peer, "peer, reserved", peer, reserved)),
	IOCTL_NUMBER(PEER_REMOVE, peer_ioctl_remove, u32),
	IOCTL_STRUCT(PEER_ADDR, peer_ioctl_addr, uet_peer, 56, 0, .returns = true,
		     IOCTL_ZERO(uet_peer, "reserved, addr", reserved, addr)),
	IOCTL_STRUCT(CQ_RING, uet_sock_ioctl_ring, uet_cq_ring, 24, 0, .returns = true,
		     IOCTL_ZERO(uet_cq_ring, "entry_size, length", entry_size, length)),
	IOCTL_STRUCT(SQ_RING, uet_sq_ioctl_ring, uet_sq_ring, 32, 0, .returns = true,
		     IOCTL_ZERO(uet_sq_ring, "entry_size, length, offset", entry_size, offset)),
	IOCTL_VALUE(SUBMIT, uet_sock_ioctl_submit),
	IOCTL_VALUE(SQ_POLL, uet_sock_ioctl_sq_poll),
};

/* Return: length of the argument that the caller and the kernel know; or an errno. */
static int sockioctl_take(struct uet_sock *us, const struct sockioctl *ioc,
			  union sockioctl_arg *arg, const void __user *user)
{
	int len;

	if (!ioc->first)
		return copy_from_user(arg, user, ioc->len) ? -EFAULT : ioc->len;
	len = uet_sock_take_struct(us, ioc->name, arg, ioc->len, ioc->first, user);
	if (len < 0)
		return len;
	if (arg->head.flags & ~ioc->flags)
		return uet_sock_refuse(us, -EINVAL, "%s: flags 0x%x are unknown", ioc->name,
				       arg->head.flags & ~ioc->flags);
	if (memchr_inv((void *)arg + ioc->zero_at, 0, ioc->zero_len))
		return uet_sock_refuse(us, -EINVAL, "%s: %s must be 0", ioc->name, ioc->zero);
	return min_t(int, len, ioc->len);
}

/*
 * On -EFAULT nothing has happened, unless the memory of the result has gone during the call.
 */
static int sockioctl_run(struct uet_sock *us, const struct sockioctl *ioc, void __user *user)
{
	union sockioctl_arg arg;
	int len, ret;

	len = sockioctl_take(us, ioc, &arg, user);
	if (len < 0)
		return len;
	if (!ioc->returns)
		return ioc->run(us, &arg);
	if (copy_to_user(user, &arg, len))
		return -EFAULT;
	ret = ioc->run(us, &arg);
	/* The number of a peer that is there is a result, too. */
	if (ret && ret != -EEXIST)
		return ret;
	return copy_to_user(user, &arg, len) ? -EFAULT : ret;
}

static int sockioctl(struct uet_sock *us, unsigned int cmd, unsigned long arg)
{
	void __user *user = (void __user *)arg;
	const struct sockioctl *ioc;
	unsigned int index = cmd - UET_IOC(0);

	if (cmd == SIOCINQ)
		return put_user(uet_sock_inq(us), (int __user *)user);
	if (cmd == SIOCOUTQ)
		return put_user(sk_wmem_alloc_get(&us->sk), (int __user *)user);
	if (index >= ARRAY_SIZE(sockioctls))
		return -ENOIOCTLCMD;
	ioc = &sockioctls[array_index_nospec(index, ARRAY_SIZE(sockioctls))];
	return ioc->value ? ioc->value(us, arg) : sockioctl_run(us, ioc, user);
}

int uet_sock_ioctl(struct socket *sock, unsigned int cmd, unsigned long arg)
{
	struct uet_sock *us = uet_sk(sock->sk);
	u32 begun = uet_sock_begin_call(us);

	return uet_sock_end_call(us, begun, sockioctl(us, cmd, arg));
}

int uet_sock_compat_ioctl(struct socket *sock, unsigned int cmd, unsigned long arg)
{
	return uet_sock_ioctl(sock, cmd, (unsigned long)compat_ptr(arg));
}
