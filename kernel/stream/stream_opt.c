// SPDX-License-Identifier: GPL-2.0
/*
 * Options of streams: those of level TCP that mean something here, IP_TOS and IPV6_TCLASS, which
 * set the priority of packets, and the job at level SOL_UET. Others are refused with EOPNOTSUPP,
 * so that a program knows that they have no effect.
 */
#include <linux/tcp.h>
#include <linux/uaccess.h>
#include <linux/uet.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/tcp_states.h>

#include "endpoint/endpoint.h"
#include "stream.h"

#define SOPT(name_, field_, min_, max_) {						\
	.name = name_, .offset = offsetof(struct uet_stream_opt, field_), .min = min_, .max = max_ }

/* Options that are numbers, in struct uet_stream_opt; limits of TCP. */
static const struct {
	int name;
	u32 offset;
	int min;
	int max;
} sopt_numbers[] = {
	SOPT(TCP_NODELAY, nodelay, INT_MIN, INT_MAX),
	SOPT(TCP_CORK, cork, INT_MIN, INT_MAX),
	SOPT(TCP_KEEPIDLE, keep_idle, 1, 32767),
	SOPT(TCP_KEEPINTVL, keep_intvl, 1, 32767),
	SOPT(TCP_KEEPCNT, keep_cnt, 1, 127),
	SOPT(TCP_USER_TIMEOUT, user_timeout, 0, INT_MAX),
};

/* What TCP_CONGESTION reads: the contexts of UET decide. */
static const char sopt_congestion[] = "uet";

/* Under lock_sock(). Return: the place of an option that is a number; NULL: it is none. */
static u32 *sopt_number(struct sock *sk, int optname, unsigned int *i)
{
	for (*i = 0; *i < ARRAY_SIZE(sopt_numbers); ++*i)
		if (sopt_numbers[*i].name == optname)
			return (void *)&uet_stream(sk)->opt + sopt_numbers[*i].offset;
	return NULL;
}

/* Under lock_sock(). */
static int sopt_set_tcp(struct sock *sk, int optname, int value)
{
	struct uet_stream *st = uet_stream(sk);
	unsigned int i;
	u32 *number = sopt_number(sk, optname, &i);

	/* Hints: acknowledgements and accept() do not depend on them. */
	if (optname == TCP_QUICKACK || optname == TCP_DEFER_ACCEPT)
		return 0;
	if (!number)
		return -EOPNOTSUPP;
	if (value < sopt_numbers[i].min || value > sopt_numbers[i].max)
		return -EINVAL;
	if (optname == TCP_NODELAY || optname == TCP_CORK) {
		value = !!value;
		st->is_pushed |= value == (optname == TCP_NODELAY);
	}
	*number = value;
	return 0;
}

/* Under lock_sock(). */
static int sopt_set_job(struct sock *sk, u32 value)
{
	struct uet_stream *st = uet_stream(sk);

	if (value > UET_JOBID_MAX)
		return -EINVAL;
	if (sk->sk_state != TCP_CLOSE || st->is_bound)
		return -EINVAL;
	st->job = value;
	return 0;
}

int uet_stream_setsockopt(struct socket *sock, int level, int optname, sockptr_t optval,
			  unsigned int optlen)
{
	struct sock *sk = sock->sk;
	int value, err = -ENOPROTOOPT;

	if (level == SOL_IP && optname == IP_TOS)
		return ip_setsockopt(sk, level, optname, optval, optlen);
	if (level == SOL_IPV6 && optname == IPV6_TCLASS && sk->sk_family == AF_INET6)
		return ipv6_setsockopt(sk, level, optname, optval, optlen);
	if (optlen < sizeof(value))
		return -EINVAL;
	if (copy_from_sockptr(&value, optval, sizeof(value)))
		return -EFAULT;
	lock_sock(sk);
	if (level == SOL_TCP) {
		err = sopt_set_tcp(sk, optname, value);
		if (!err)
			uet_stream_push(sk);
	} else if (level == SOL_UET && optname == UET_JOB) {
		err = sopt_set_job(sk, value);
	} else if (level == SOL_IPV6 && optname == IPV6_V6ONLY && sk->sk_family == AF_INET6) {
		err = uet_stream(sk)->is_bound ? -EINVAL : 0;
		if (!err)
			sk->sk_ipv6only = !!value;
	}
	release_sock(sk);
	return err;
}

/* ---------------------------------------------------------------------- getsockopt() */

static int sopt_put(const void *value, int size, char __user *optval, int __user *optlen)
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

static u32 sopt_mss(const struct uet_stream *st)
{
	return st->ep ? st->ep->us->fep->cfg.mtu : UET_MTU_MAX;
}

/* Under lock_sock(). Fields that a stream does not know stay 0. */
static void sopt_info(struct sock *sk, struct tcp_info *info)
{
	const struct uet_stream *st = uet_stream(sk);

	memset(info, 0, sizeof(*info));
	info->tcpi_state = sk->sk_state;
	info->tcpi_snd_mss = sopt_mss(st);
	info->tcpi_rcv_mss = sopt_mss(st);
	info->tcpi_advmss = sopt_mss(st);
	info->tcpi_pmtu = sopt_mss(st);
	info->tcpi_last_data_recv = jiffies_delta_to_msecs(jiffies - st->heard);
	info->tcpi_probes = st->retry;
	if (sk->sk_state == TCP_LISTEN) {
		info->tcpi_unacked = st->listen->nr;
		info->tcpi_sacked = sk->sk_max_ack_backlog;
		return;
	}
	info->tcpi_unacked = skb_queue_len(&st->sent);
	info->tcpi_notsent_bytes = st->write_seq - st->snd_nxt;
	info->tcpi_rcv_space = uet_stream_window(sk);
	info->tcpi_bytes_received = st->rcv_nxt;
	info->tcpi_bytes_sent = st->snd_nxt;
}

/* Under lock_sock(). Return: the value; an errno. */
static int sopt_get_tcp(struct sock *sk, int optname)
{
	unsigned int i;
	const u32 *number = sopt_number(sk, optname, &i);

	if (optname == TCP_MAXSEG)
		return sopt_mss(uet_stream(sk));
	return number ? *number : -EOPNOTSUPP;
}

/* Under lock_sock(). Return: the value; an errno. */
static int sopt_get(struct sock *sk, int level, int optname)
{
	const struct uet_stream *st = uet_stream(sk);

	if (level == SOL_TCP)
		return sopt_get_tcp(sk, optname);
	if (level == SOL_UET && optname == UET_JOB)
		return st->job;
	if (level == SOL_IPV6 && optname == IPV6_V6ONLY && sk->sk_family == AF_INET6)
		return sk->sk_ipv6only;
	return -ENOPROTOOPT;
}

int uet_stream_getsockopt(struct socket *sock, int level, int optname, char __user *optval,
			  int __user *optlen)
{
	struct sock *sk = sock->sk;
	struct tcp_info info;
	int value;

	if (level == SOL_IP && optname == IP_TOS)
		return ip_getsockopt(sk, level, optname, optval, optlen);
	if (level == SOL_IPV6 && optname == IPV6_TCLASS && sk->sk_family == AF_INET6)
		return ipv6_getsockopt(sk, level, optname, optval, optlen);
	if (level == SOL_TCP && optname == TCP_CONGESTION)
		return sopt_put(sopt_congestion, sizeof(sopt_congestion), optval, optlen);
	lock_sock(sk);
	if (level == SOL_TCP && optname == TCP_INFO) {
		sopt_info(sk, &info);
		release_sock(sk);
		return sopt_put(&info, sizeof(info), optval, optlen);
	}
	value = sopt_get(sk, level, optname);
	release_sock(sk);
	return value < 0 ? value : sopt_put(&value, sizeof(value), optval, optlen);
}
