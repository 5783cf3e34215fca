// SPDX-License-Identifier: GPL-2.0
/*
 * Options of streams: those of level TCP that mean something here, and the job at level SOL_UET.
 * Others are refused with EOPNOTSUPP, so that a program knows that they have no effect.
 */
#include <linux/tcp.h>
#include <linux/uaccess.h>
#include <linux/uet.h>
#include <net/tcp_states.h>

#include "endpoint/endpoint.h"
#include "stream.h"

/* Largest values of TCP_KEEPIDLE and TCP_KEEPINTVL, s, and of TCP_KEEPCNT, as TCP's. */
#define SOPT_KEEP_MAX	32767
#define SOPT_KEEPCNT_MAX	127

/* What TCP_CONGESTION reads: the contexts of UET decide. */
static const char sopt_congestion[] = "uet";

static int sopt_set_keep(u32 *opt, int value, int max)
{
	if (value < 1 || value > max)
		return -EINVAL;
	*opt = value;
	return 0;
}

/* Under lock_sock(). */
static int sopt_set_tcp(struct sock *sk, int optname, int value)
{
	struct uet_stream *st = uet_stream(sk);
	struct uet_stream_opt *opt = &st->opt;

	switch (optname) {
	case TCP_NODELAY:
		opt->nodelay = value;
		st->is_pushed |= opt->nodelay;
		return 0;
	case TCP_CORK:
		opt->cork = value;
		st->is_pushed |= !value;
		return 0;
	case TCP_KEEPIDLE:
		return sopt_set_keep(&opt->keep_idle, value, SOPT_KEEP_MAX);
	case TCP_KEEPINTVL:
		return sopt_set_keep(&opt->keep_intvl, value, SOPT_KEEP_MAX);
	case TCP_KEEPCNT:
		return sopt_set_keep(&opt->keep_cnt, value, SOPT_KEEPCNT_MAX);
	case TCP_USER_TIMEOUT:
		if (value < 0)
			return -EINVAL;
		opt->user_timeout = value;
		return 0;
	case TCP_QUICKACK:
	case TCP_DEFER_ACCEPT:
		/* Hints: acknowledgements and accept() do not depend on them. */
		return 0;
	}
	return -EOPNOTSUPP;
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
	info->tcpi_last_data_recv = jiffies_to_msecs(jiffies - st->heard);
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
	const struct uet_stream *st = uet_stream(sk);
	const struct uet_stream_opt *opt = &st->opt;

	switch (optname) {
	case TCP_NODELAY:
		return opt->nodelay;
	case TCP_CORK:
		return opt->cork;
	case TCP_KEEPIDLE:
		return opt->keep_idle;
	case TCP_KEEPINTVL:
		return opt->keep_intvl;
	case TCP_KEEPCNT:
		return opt->keep_cnt;
	case TCP_USER_TIMEOUT:
		return opt->user_timeout;
	case TCP_MAXSEG:
		return sopt_mss(st);
	}
	return -EOPNOTSUPP;
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
