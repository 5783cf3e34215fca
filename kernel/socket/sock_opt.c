// SPDX-License-Identifier: GPL-2.0
/*
 * Options at level SOL_UET and ioctls of AF_UET sockets. The socket layer
 * handles the options at level SOL_SOCKET.
 */
#include <linux/capability.h>
#include <linux/compat.h>
#include <linux/sockios.h>
#include <linux/uaccess.h>
#include <asm/ioctls.h>
#include <net/sock.h>

#include "endpoint/endpoint.h"
#include "message/message.h"
#include "socket.h"

static int sockopt_set_initiator(struct uet_sock *us, u32 value)
{
	int err = 0;

	lock_sock(&us->sk);
	if (uet_sock_is_bound(us))
		err = uet_sock_refuse(us, -EINVAL, "setsockopt: UET_INITIATOR cannot change once the socket is bound");
	else
		/* Pairs with the READ_ONCE() in uet_sock_getsockopt(). */
		WRITE_ONCE(us->initiator, value);
	release_sock(&us->sk);
	return err;
}

/*
 * The pool is part of the key of a PDC. If it changed later, messages to one
 * endpoint would use two PDCs and be delivered out of order.
 */
static int sockopt_set_reserved(struct uet_sock *us, u32 value)
{
	int err = 0;

	if (!ns_capable(sock_net(&us->sk)->user_ns, CAP_NET_ADMIN))
		return uet_sock_refuse(us, -EPERM, "setsockopt: UET_RESERVED_PDC needs CAP_NET_ADMIN");
	if (us->sk.sk_type == SOCK_DGRAM)
		return uet_sock_refuse(us, -EOPNOTSUPP, "setsockopt: UET_RESERVED_PDC: a datagram socket has no PDCs");
	if (value > 1)
		return uet_sock_refuse(us, -EINVAL, "setsockopt: UET_RESERVED_PDC must be 0 or 1, not %u",
				       value);
	lock_sock(&us->sk);
	if (us->has_sent)
		err = uet_sock_refuse(us, -EBUSY, "setsockopt: UET_RESERVED_PDC cannot change once the socket has sent");
	else
		WRITE_ONCE(us->reserved_pdc, value);
	release_sock(&us->sk);
	return err;
}

/* Messages that are under way keep the time that they were sent with. */
static int sockopt_set_endpoint_wait(struct uet_sock *us, u32 value)
{
	if (us->sk.sk_type == SOCK_DGRAM)
		return uet_sock_refuse(us, -EOPNOTSUPP, "setsockopt: UET_ENDPOINT_WAIT: nobody answers a datagram");
	if (value > UET_ENDPOINT_WAIT_MAX)
		return uet_sock_refuse(us, -EINVAL, "setsockopt: UET_ENDPOINT_WAIT must be 0 to %u ms, not %u",
				       UET_ENDPOINT_WAIT_MAX, value);
	/* Pairs with the READ_ONCE() in sockio_wait_until(). */
	WRITE_ONCE(us->endpoint_wait_ms, value);
	return 0;
}

static int sockopt_set_envelopes(struct uet_sock *us, u32 value)
{
	if (!value || value > UET_ENVELOPE_LIMIT)
		return uet_sock_refuse(us, -EINVAL, "setsockopt: UET_ENVELOPES %u is not in 1..%d",
				       value, UET_ENVELOPE_LIMIT);
	/* Pairs with the READ_ONCE() where a message would wait. */
	WRITE_ONCE(us->envelope_max, value);
	return 0;
}

static int sockopt_set(struct uet_sock *us, int level, int optname,
		       sockptr_t optval, unsigned int optlen)
{
	u32 value;

	if (level != SOL_UET ||
	    (optname != UET_INITIATOR && optname != UET_RECV_CTX &&
	     optname != UET_RESERVED_PDC && optname != UET_JOB_FD &&
	     optname != UET_GENERATION && optname != UET_PAUSE &&
	     optname != UET_ENDPOINT_WAIT && optname != UET_DOMAIN_FD &&
	     optname != UET_ENVELOPES))
		return uet_sock_refuse(us, -ENOPROTOOPT, "setsockopt: no option %d at level %d can be set",
				       optname, level);
	if (optlen < sizeof(value))
		return uet_sock_refuse(us, -EINVAL, "setsockopt: value of %u bytes is shorter than %zu",
				       optlen, sizeof(value));
	if (copy_from_sockptr(&value, optval, sizeof(value)))
		return -EFAULT;

	if (optname == UET_INITIATOR)
		return sockopt_set_initiator(us, value);
	if (optname == UET_RESERVED_PDC)
		return sockopt_set_reserved(us, value);
	if (optname == UET_JOB_FD)
		return uet_sock_set_job_fd(us, value);
	if (optname == UET_GENERATION)
		return uet_gen_set(us, value);
	if (optname == UET_DOMAIN_FD)
		return uet_domain_join(us, value);
	if (optname == UET_ENVELOPES)
		return sockopt_set_envelopes(us, value);
	if (optname == UET_PAUSE)
		return uet_gen_set_pause(us, value);
	if (optname == UET_ENDPOINT_WAIT)
		return sockopt_set_endpoint_wait(us, value);
	/* Pairs with the READ_ONCE() in sock_recv.c. */
	WRITE_ONCE(us->recv_ctx, value);
	return 0;
}

/*
 * Set an option at level SOL_UET.
 * Context: Process.
 * Return: 0; -ENOPROTOOPT no such option; -EINVAL; -EFAULT; UET_RESERVED_PDC
 *	also -EPERM, -EBUSY, -EOPNOTSUPP; UET_ENDPOINT_WAIT also -EOPNOTSUPP;
 *	UET_JOB_FD also -EBADF, -ESTALE, -EXDEV; UET_DOMAIN_FD also -EBADF, -EUSERS.
 */
int uet_sock_setsockopt(struct socket *sock, int level, int optname,
			sockptr_t optval, unsigned int optlen)
{
	struct uet_sock *us = uet_sk(sock->sk);
	u32 begun = uet_sock_begin_call(us);

	return uet_sock_end_call(us, begun,
				 sockopt_set(us, level, optname, optval, optlen));
}

/*
 * Return the value of an option.
 * @optval: gets at most as many bytes as the caller has space for
 * @optlen: in: that space; result: length of what was stored, bytes
 *
 * Context: Process.
 * Return: 0; -EFAULT; -EINVAL.
 */
int uet_sock_opt_put(const void *value, int size, char __user *optval,
		     int __user *optlen)
{
	int len;

	if (get_user(len, optlen))
		return -EFAULT;
	if (len < 0)
		return -EINVAL;
	len = min(len, size);
	if (put_user(len, optlen) || copy_to_user(optval, value, len))
		return -EFAULT;
	return 0;
}

static int sockopt_get_error(struct uet_sock *us, char __user *optval,
			     int __user *optlen)
{
	char text[UET_SOCK_ERROR_MAX];

	spin_lock_bh(&us->rx_lock);
	memcpy(text, us->last_error, sizeof(text));
	us->late_error = 0;
	spin_unlock_bh(&us->rx_lock);
	return uet_sock_opt_put(text, strlen(text) + 1, optval, optlen);
}

static int sockopt_get(struct uet_sock *us, int level, int optname,
		       char __user *optval, int __user *optlen)
{
	u32 value;

	if (level != SOL_UET)
		optname = 0;
	switch (optname) {
	case UET_INITIATOR:
		value = uet_sock_is_bound(us) ? us->addr.initiator :
						READ_ONCE(us->initiator);
		break;
	case UET_RECV_CTX:
		value = READ_ONCE(us->recv_ctx);
		break;
	case UET_PAYLOAD_MTU:
		if (!uet_sock_is_bound(us))
			return uet_sock_refuse(us, -ENOTCONN, "getsockopt: UET_PAYLOAD_MTU is known once the socket is bound");
		value = us->fep->cfg.mtu;
		break;
	case UET_RESERVED_PDC:
		value = READ_ONCE(us->reserved_pdc);
		break;
	case UET_GENERATION:
		value = READ_ONCE(us->gen_policy);
		break;
	case UET_RI_GENERATION:
		value = uet_gen_get(us);
		break;
	case UET_ENVELOPES:
		value = READ_ONCE(us->envelope_max);
		break;
	case UET_PAUSE:
		value = READ_ONCE(us->is_paused);
		break;
	case UET_ENDPOINT_WAIT:
		value = READ_ONCE(us->endpoint_wait_ms);
		break;
	default:
		return uet_sock_refuse(us, -ENOPROTOOPT, "getsockopt: no such option at level %d",
				       level);
	}
	return uet_sock_opt_put(&value, sizeof(value), optval, optlen);
}

/*
 * Read an option at level SOL_UET.
 * @optlen: in: size of the buffer; result: length of the value, bytes
 *
 * Context: Process.
 * Return: 0; -ENOPROTOOPT: no such option; -EINVAL; -ENOTCONN: the socket is
 *	not bound; -EFAULT.
 */
int uet_sock_getsockopt(struct socket *sock, int level, int optname,
			char __user *optval, int __user *optlen)
{
	struct uet_sock *us = uet_sk(sock->sk);
	u32 begun = uet_sock_begin_call(us);

	if (level == SOL_UET && optname == UET_LAST_ERROR)
		return sockopt_get_error(us, optval, optlen);
	return uet_sock_end_call(us, begun,
				 sockopt_get(us, level, optname, optval, optlen));
}

/* UET_IOC_DOMAIN_OPEN. Return: the descriptor, or an errno. */
static int sockopt_open_domain(struct uet_sock *us, unsigned long flags)
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

static int sockopt_ioctl(struct uet_sock *us, unsigned int cmd, unsigned long arg)
{
	void __user *user = (void __user *)arg;
	int amount;

	switch (cmd) {
	case UET_IOC_MR_REG:
		return uet_mr_ioctl_reg(us, user);
	case UET_IOC_MR_DEREG:
		return uet_mr_ioctl_dereg(us, user);
	case UET_IOC_MR_CHANGED:
		return uet_mr_ioctl_changed(us, user);
	case UET_IOC_MR_COUNTS:
		return uet_mr_ioctl_counts(us, user);
	case UET_IOC_DOMAIN_OPEN:
		return sockopt_open_domain(us, arg);
	case UET_IOC_CQ_RING:
		return uet_sock_ioctl_ring(us, user);
	case UET_IOC_SQ_RING:
		return uet_sq_ioctl_ring(us, user);
	case UET_IOC_SUBMIT:
		return uet_sock_ioctl_submit(us, arg);
	case UET_IOC_SQ_POLL:
		return uet_sock_ioctl_sq_poll(us, arg);
	case UET_IOC_JOB_OPEN:
		return uet_sock_ioctl_job_open(us, user);
	case UET_IOC_RECV_POST:
		return uet_posted_recv_ioctl_post(us, user);
	case UET_IOC_RECV_POSTS:
		return uet_posted_recv_ioctl_posts(us, user);
	case UET_IOC_RECV_CANCEL:
		return uet_posted_recv_ioctl_cancel(us, user);
	case UET_IOC_RECV_PEEK:
		return uet_sock_ioctl_peek(us, user);
	case UET_IOC_PEER:
		return uet_sock_ioctl_peer(us, user);
	case UET_IOC_PEER_REMOVE:
		return uet_sock_ioctl_peer_remove(us, user);
	case UET_IOC_PEER_ADDR:
		return uet_sock_ioctl_peer_addr(us, user);
	case UET_IOC_SEND_CANCEL:
		return uet_sock_ioctl_cancel(us, user);
	case SIOCINQ:
		amount = uet_sock_inq(us);
		break;
	case SIOCOUTQ:
		amount = sk_wmem_alloc_get(&us->sk);
		break;
	default:
		return -ENOIOCTLCMD;
	}
	return put_user(amount, (int __user *)user);
}

/*
 * ioctl(): queued bytes, and the UET_IOC_* calls of the uapi header.
 * @cmd: SIOCINQ (FIONREAD), SIOCOUTQ (TIOCOUTQ), or UET_IOC_*
 * @arg: user address of an int, or of the argument of @cmd; UET_IOC_SUBMIT,
 *	UET_IOC_SQ_POLL and UET_IOC_DOMAIN_OPEN: a number
 *
 * Context: Process.
 * Return: 0 or the result of @cmd; -EFAULT; an error of the function for @cmd;
 *	-ENOIOCTLCMD: left to the socket layer.
 */
int uet_sock_ioctl(struct socket *sock, unsigned int cmd, unsigned long arg)
{
	struct uet_sock *us = uet_sk(sock->sk);
	u32 begun = uet_sock_begin_call(us);

	return uet_sock_end_call(us, begun,
				 sockopt_ioctl(us, cmd, arg));
}

/*
 * ioctl() of a 32-bit caller.
 * Context: Process.
 * Return: as uet_sock_ioctl().
 */
int uet_sock_compat_ioctl(struct socket *sock, unsigned int cmd,
			  unsigned long arg)
{
	return uet_sock_ioctl(sock, cmd, (unsigned long)compat_ptr(arg));
}
