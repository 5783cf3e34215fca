// SPDX-License-Identifier: GPL-2.0
/*
 * Options at level SOL_UET: what they accept, and when they may change.
 */
#include <linux/capability.h>
#include <linux/uaccess.h>
#include <net/sock.h>

#include "endpoint/endpoint.h"
#include "message/message.h"
#include "pdc/pdc.h"
#include "transfer/transfer.h"
#include "socket.h"

static int sockopt_set_initiator(struct uet_sock *us, u32 value)
{
	int err = 0;

	lock_sock(&us->sk);
	if (uet_sock_is_bound(us))
		err = uet_sock_refuse(us, -EINVAL, "setsockopt: UET_INITIATOR cannot change once the socket is bound");
	else
		/* Pairs with the READ_ONCE() in uet_sock_getsockopt(). */
		WRITE_ONCE(us->opt.initiator, value);
	release_sock(&us->sk);
	return err;
}

/*
 * The pool is part of the key of a PDC. If it changed later, messages to one endpoint would use
 * two PDCs and be delivered out of order.
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
	if (us->opt.has_sent)
		err = uet_sock_refuse(us, -EBUSY, "setsockopt: UET_RESERVED_PDC cannot change once the socket has sent");
	else
		WRITE_ONCE(us->opt.reserved_pdc, value);
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
	WRITE_ONCE(us->opt.endpoint_wait_ms, value);
	return 0;
}

static int sockopt_set_envelopes(struct uet_sock *us, u32 value)
{
	if (!value || value > UET_ENVELOPE_LIMIT)
		return uet_sock_refuse(us, -EINVAL, "setsockopt: UET_ENVELOPES %u is not in 1..%d",
				       value, UET_ENVELOPE_LIMIT);
	/* Pairs with the READ_ONCE() where a message would wait. */
	WRITE_ONCE(us->env.max, value);
	return 0;
}

/* Copy the value of an option; what is longer ends in zeroes. */
int uet_sock_opt_take(struct uet_sock *us, u32 *value, sockptr_t optval, unsigned int optlen)
{
	int err;

	if (optlen < sizeof(*value))
		return uet_sock_refuse(us, -EINVAL, "setsockopt: value of %u bytes is shorter than %zu",
				       optlen, sizeof(*value));
	err = optlen > PAGE_SIZE ? -E2BIG :
	      uet_struct_from_sockptr(value, sizeof(*value), optval, optlen);
	if (err == -E2BIG)
		uet_sock_refuse(us, err, "setsockopt: value of %u bytes is longer than %zu, and the others are not 0",
				optlen, sizeof(*value));
	else if (err)
		uet_sock_refuse(us, err, "setsockopt: the value cannot be read");
	return err;
}

static int sockopt_set(struct uet_sock *us, int level, int optname,
		       sockptr_t optval, unsigned int optlen)
{
	u32 value;
	int err;

	if (level != SOL_UET ||
	    (optname != UET_INITIATOR && optname != UET_RECV_CTX &&
	     optname != UET_RESERVED_PDC && optname != UET_JOB_FD &&
	     optname != UET_GENERATION && optname != UET_PAUSE &&
	     optname != UET_ENDPOINT_WAIT && optname != UET_DOMAIN_FD &&
	     optname != UET_ENVELOPES))
		return uet_sock_refuse(us, -ENOPROTOOPT, "setsockopt: no option %d at level %d can be set",
				       optname, level);
	err = uet_sock_opt_take(us, &value, optval, optlen);
	if (err)
		return err;
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
	if (value > 1)
		return uet_sock_refuse(us, -EINVAL, "setsockopt: UET_RECV_CTX must be 0 or 1, not %u",
				       value);
	/* Pairs with the READ_ONCE() in sock_recv.c. */
	WRITE_ONCE(us->opt.recv_ctx, value);
	return 0;
}

int uet_sock_setsockopt(struct socket *sock, int level, int optname,
			sockptr_t optval, unsigned int optlen)
{
	struct uet_sock *us = uet_sk(sock->sk);
	u32 begun = uet_sock_begin_call(us);

	return uet_sock_end_call(us, begun,
				 sockopt_set(us, level, optname, optval, optlen));
}

int uet_sock_opt_put(const void *value, int size, char __user *optval, int __user *optlen)
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

static int sockopt_get_error(struct uet_sock *us, char __user *optval, int __user *optlen)
{
	char text[UET_SOCK_ERROR_MAX];

	spin_lock_bh(&us->rx_lock);
	memcpy(text, us->err.text, sizeof(text));
	us->err.late = 0;
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
						READ_ONCE(us->opt.initiator);
		break;
	case UET_RECV_CTX:
		value = READ_ONCE(us->opt.recv_ctx);
		break;
	case UET_PAYLOAD_MTU:
		if (!uet_sock_is_bound(us))
			return uet_sock_refuse(us, -ENOTCONN, "getsockopt: UET_PAYLOAD_MTU is known once the socket is bound");
		value = us->fep->cfg.mtu;
		break;
	case UET_RESERVED_PDC:
		value = READ_ONCE(us->opt.reserved_pdc);
		break;
	case UET_GENERATION:
		value = READ_ONCE(us->gen_policy);
		break;
	case UET_RI_GENERATION:
		value = uet_gen_get(us);
		break;
	case UET_ENVELOPES:
		value = READ_ONCE(us->env.max);
		break;
	case UET_PAUSE:
		value = READ_ONCE(us->is_paused);
		break;
	case UET_ENDPOINT_WAIT:
		value = READ_ONCE(us->opt.endpoint_wait_ms);
		break;
	default:
		return uet_sock_refuse(us, -ENOPROTOOPT, "getsockopt: no such option at level %d",
				       level);
	}
	return uet_sock_opt_put(&value, sizeof(value), optval, optlen);
}

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
