// SPDX-License-Identifier: GPL-2.0
/*
 * Addresses of streams: bind(), listen(), connect() and the names. The IP address is the fabric
 * address of a FEP of the job; an AF_INET6 socket may also use FEPs with IPv4 addresses, as with
 * TCP (IPV6_V6ONLY), and an AF_UET socket all of its job. A process that may bind to the job may
 * use its streams; ports below net.ipv4.ip_unprivileged_port_start need CAP_NET_BIND_SERVICE. BPF
 * programs of the cgroup see the addresses of bind() and connect(), as those of TCP.
 */
#include <linux/in6.h>
#include <linux/sched/signal.h>
#include <net/inet_sock.h>
#include <net/ipv6.h>
#include <net/tcp_states.h>

#include "carrier/carrier.h"
#include "endpoint/endpoint.h"
#include "socket/socket.h"
#include "stream.h"

/* ------------------------------------------------------------------------- names */

/**
 * struct call_addr - what an address of a program says
 * @fa: fabric address; family 0: any
 * @port: 0: any
 * @job: JobID, of AF_UET; 0: that of the socket
 */
struct call_addr {
	struct uet_fa fa;
	u16 port;
	u32 job;
};

/* The Resource Index is the port, and the fields for other endpoints are 0. */
static int call_get_uet(const struct sockaddr_uet *suet, int len, struct call_addr *addr)
{
	if (len < (int)sizeof(*suet))
		return -EINVAL;
	if (suet->suet_family != uet_sock_family())
		return -EAFNOSUPPORT;
	if (suet->suet_version != UET_ADDR_VERSION || suet->suet_flags & ~UET_ADDR_IPV6 ||
	    suet->suet_job > UET_JOBID_MAX || suet->suet_pid || suet->suet_initiator ||
	    suet->suet_reserved)
		return -EINVAL;
	addr->fa = uet_sock_addr_fa(suet);
	addr->port = suet->suet_ri;
	addr->job = suet->suet_job;
	return 0;
}

static int call_get_inet(const struct sock *sk, const void *uaddr, int len,
			 struct call_addr *addr)
{
	const struct sockaddr_in6 *in6 = uaddr;
	const struct sockaddr_in *in = uaddr;

	if (len < (int)(sk->sk_family == AF_INET ? sizeof(*in) : SIN6_LEN_RFC2133))
		return -EINVAL;
	if (in->sin_family != sk->sk_family)
		return -EAFNOSUPPORT;
	/* The port is at the same place in both. */
	addr->port = ntohs(in->sin_port);
	if (sk->sk_family == AF_INET)
		addr->fa = uet_fa_v4(in->sin_addr.s_addr);
	else if (ipv6_addr_v4mapped(&in6->sin6_addr) && !sk->sk_ipv6only)
		addr->fa = uet_fa_v4(in6->sin6_addr.s6_addr32[3]);
	else
		addr->fa = uet_fa_v6(&in6->sin6_addr, len >= (int)sizeof(*in6) ?
				     in6->sin6_scope_id : 0);
	addr->job = 0;
	return 0;
}

/* Decode an address. Return: 0; -EINVAL: too short, or a wrong field; -EAFNOSUPPORT. */
static int call_get_addr(const struct sock *sk, const void *uaddr, int len,
			 struct call_addr *addr)
{
	int err = uet_stream_is_inet(sk) ? call_get_inet(sk, uaddr, len, addr) :
					   call_get_uet(uaddr, len, addr);

	if (!err && ipv6_addr_any(&addr->fa.v6))
		addr->fa.family = AF_UNSPEC;
	return err;
}

/* Return: length of the address, bytes. */
static int call_put_addr(const struct sock *sk, const struct uet_fa *fa, u16 port, void *uaddr)
{
	struct sockaddr_uet *suet = uaddr;
	struct sockaddr_in6 *in6 = uaddr;
	struct sockaddr_in *in = uaddr;

	if (!uet_stream_is_inet(sk)) {
		uet_sock_addr_fill(suet, fa);
		suet->suet_job = uet_stream(sk)->job;
		suet->suet_ri = port;
		return sizeof(*suet);
	}
	if (sk->sk_family == AF_INET) {
		memset(in, 0, sizeof(*in));
		in->sin_addr.s_addr = fa->v4;
	} else {
		memset(in6, 0, sizeof(*in6));
		if (fa->family == AF_INET)
			ipv6_addr_set_v4mapped(fa->v4, &in6->sin6_addr);
		else
			in6->sin6_addr = fa->v6;
		in6->sin6_scope_id = fa->scope_id;
	}
	in->sin_family = sk->sk_family;
	in->sin_port = htons(port);
	return sk->sk_family == AF_INET ? sizeof(*in) : sizeof(*in6);
}

/* A BPF program sees an address of IP, and may change it. */
#define CALL_RUN(sk_, addr_, hook4_, hook6_) ({						\
	struct sockaddr_unsized *addr__ = (void *)(addr_);				\
	struct sock *sk__ = (sk_);							\
	int len__ = sk__->sk_family == AF_INET ? sizeof(struct sockaddr_in) :		\
						 sizeof(struct sockaddr_in6);		\
											\
	sk__->sk_family == AF_INET ?							\
	uet_cgroup_run_addr(sk__, addr__, &len__, hook4_, NULL) :			\
	sk__->sk_family == AF_INET6 ?							\
	uet_cgroup_run_addr(sk__, addr__, &len__, hook6_, NULL) : 0;			\
})

/* Decode an address as the programs leave it. Return: as call_get_addr(). */
#define CALL_GET(sk_, uaddr_, len_, hook4_, hook6_, addr_) ({				\
	int err__ = call_get_addr(sk_, uaddr_, len_, addr_);				\
											\
	if (!err__)									\
		err__ = CALL_RUN(sk_, uaddr_, hook4_, hook6_);				\
	err__ ? : call_get_addr(sk_, uaddr_, len_, addr_);				\
})

int uet_stream_getname(struct socket *sock, struct sockaddr *uaddr, int peer)
{
	struct uet_stream *st = uet_stream(sock->sk);
	struct sock *sk = sock->sk;
	int ret = -ENOTCONN;

	lock_sock(sk);
	if (!peer)
		ret = call_put_addr(sk, &st->own, st->port, uaddr);
	else if (st->peer.family && sk->sk_state != TCP_CLOSE && sk->sk_state != TCP_SYN_SENT)
		ret = call_put_addr(sk, &st->peer, st->peer_port, uaddr);
	release_sock(sk);
	if (ret > 0 && peer)
		CALL_RUN(sk, uaddr, CGROUP_INET4_GETPEERNAME, CGROUP_INET6_GETPEERNAME);
	else if (ret > 0)
		CALL_RUN(sk, uaddr, CGROUP_INET4_GETSOCKNAME, CGROUP_INET6_GETSOCKNAME);
	return ret;
}

static struct in6_addr call_in6(const struct uet_fa *fa)
{
	struct in6_addr addr = fa->v6;

	if (fa->family == AF_INET)
		ipv6_addr_set_v4mapped(fa->v4, &addr);
	return addr;
}

/*
 * uet_stream_publish() - store the addresses where security modules, BPF programs and the IP
 *	layer look for them
 */
void uet_stream_publish(struct sock *sk)
{
	struct uet_stream *st = uet_stream(sk);
	struct inet_sock *inet = &st->inet;

	inet->inet_num = st->port;
	inet->inet_sport = htons(st->port);
	inet->inet_dport = htons(st->peer_port);
	if (st->own.family != AF_INET6)
		inet->inet_saddr = inet->inet_rcv_saddr = st->own.v4;
	if (st->peer.family != AF_INET6)
		inet->inet_daddr = st->peer.v4;
	if (sk->sk_family != AF_INET6)
		return;
	sk->sk_v6_rcv_saddr = call_in6(&st->own);
	inet6_sk(sk)->saddr = sk->sk_v6_rcv_saddr;
	sk->sk_v6_daddr = call_in6(&st->peer);
}

/* -------------------------------------------------------------------------- FEPs */

/* May the socket use a FEP with the address @has, if it is bound to @fa? */
static bool call_fits(const struct sock *sk, const struct uet_fa *fa, const struct uet_fa *has)
{
	return fa->family ? uet_fa_equal(fa, has) : uet_stream_uses(sk, has->family);
}

/* The job @id, 0: that of the socket, if the caller may use it. Under cfg_mutex. */
static struct uet_job *call_job(struct sock *sk, struct uet_net *un, u32 id)
{
	struct uet_job *job;

	id = id ? : uet_stream(sk)->job ? : READ_ONCE(un->default_job);
	job = id ? uet_job_find(un, id) : NULL;
	if (!job)
		return ERR_PTR(-ENOENT);
	/* The job may be for sockets which the programs of cgroups see. */
	if (!uet_job_may_bind(job) || (job->cfg.inet_only && !uet_stream_is_inet(sk)))
		return ERR_PTR(-EACCES);
	return job;
}

/*
 * The FEPs of a job, which is fixed from now on, that have the address @fa, with one reference
 * each. Return: their number; -EADDRNOTAVAIL: none; -ENOENT: no job; -EACCES: not the caller's.
 */
static int call_feps(struct sock *sk, const struct uet_fa *fa, u32 id,
		     struct uet_fep *feps[UET_JOB_FEPS_MAX])
{
	struct uet_net *un = uet_net(sock_net(sk));
	struct uet_job *job;
	int i, nr = 0;

	mutex_lock(&un->cfg_mutex);
	job = call_job(sk, un, id);
	for (i = 0; !IS_ERR(job) && i < job->cfg.nr_feps; i++) {
		if (!call_fits(sk, fa, &job->fep[i]->cfg.fa))
			continue;
		uet_fep_get(job->fep[i]);
		feps[nr++] = job->fep[i];
	}
	if (nr)
		uet_stream(sk)->job = job->cfg.id;
	mutex_unlock(&un->cfg_mutex);
	if (IS_ERR(job))
		return PTR_ERR(job);
	return nr ? : -EADDRNOTAVAIL;
}

static void call_put_feps(struct uet_fep **feps, int nr)
{
	while (nr--)
		uet_fep_put(feps[nr]);
}

/* ------------------------------------------------------------------------ bind() */

/* Under lock_sock(). */
static int call_bind(struct sock *sk, const struct call_addr *addr)
{
	struct uet_fep *feps[UET_JOB_FEPS_MAX];
	struct uet_stream *st = uet_stream(sk);
	int nr, err;

	if (sk->sk_state != TCP_CLOSE || st->is_bound || st->ep)
		return -EINVAL;
	nr = call_feps(sk, &addr->fa, addr->job, feps);
	if (nr < 0)
		return nr;
	call_put_feps(feps, nr);
	st->own = addr->fa;
	err = uet_stream_bind_port(st, addr->port);
	if (!err)
		uet_stream_publish(sk);
	return err;
}

int uet_stream_bind(struct socket *sock, struct sockaddr_unsized *uaddr, int len)
{
	struct sock *sk = sock->sk;
	struct net *net = sock_net(sk);
	struct call_addr addr;
	int err;

	err = CALL_GET(sk, uaddr, len, CGROUP_INET4_BIND, CGROUP_INET6_BIND, &addr);
	if (err)
		return err;
	if (addr.port && inet_port_requires_bind_service(net, addr.port) &&
	    !ns_capable(net->user_ns, CAP_NET_BIND_SERVICE))
		return -EACCES;
	lock_sock(sk);
	err = call_bind(sk, &addr);
	release_sock(sk);
	return err;
}

/* ---------------------------------------------------------------------- listen() */

/*
 * uet_stream_free_listen() - free the part of a socket that listened; NULL: none
 */
void uet_stream_free_listen(struct uet_stream_listen *listen)
{
	while (listen && listen->nr_eps)
		uet_stream_ep_put(listen->eps[--listen->nr_eps]);
	kfree(listen);
}

/* Open the endpoints of all addresses that the socket listens on. */
static int call_open_eps(struct sock *sk, struct uet_stream_listen *listen)
{
	struct uet_fep *feps[UET_JOB_FEPS_MAX];
	struct uet_stream *st = uet_stream(sk);
	int i, nr = call_feps(sk, &st->own, 0, feps), err = 0;
	struct uet_stream_ep *ep;

	for (i = 0; i < nr && !err; i++) {
		ep = uet_stream_ep_get(sock_net(sk), feps[i], st->job);
		err = PTR_ERR_OR_ZERO(ep);
		if (!err)
			listen->eps[listen->nr_eps++] = ep;
	}
	call_put_feps(feps, max(nr, 0));
	return nr < 0 ? nr : err;
}

/* Under lock_sock(). */
static int call_listen(struct sock *sk)
{
	struct uet_stream *st = uet_stream(sk);
	struct uet_stream_listen *listen;
	int err;

	if (sk->sk_state != TCP_CLOSE || st->ep)
		return -EINVAL;
	err = st->is_bound ? 0 : uet_stream_bind_port(st, 0);
	if (err)
		return err;
	listen = kzalloc(sizeof(*listen), GFP_KERNEL_ACCOUNT);
	if (!listen)
		return -ENOMEM;
	spin_lock_init(&listen->lock);
	INIT_LIST_HEAD(&listen->queue);
	INIT_LIST_HEAD(&listen->half);
	err = call_open_eps(sk, listen);
	if (err) {
		uet_stream_free_listen(listen);
		return err;
	}
	/* One is that of the socket itself. */
	st->ep = listen->eps[--listen->nr_eps];
	st->listen = listen;
	uet_stream_publish(sk);
	if (uet_stream_may_listen(st))
		return 0;
	st->listen = NULL;
	uet_stream_ep_put(st->ep);
	st->ep = NULL;
	uet_stream_free_listen(listen);
	return -EADDRINUSE;
}

int uet_stream_listen(struct socket *sock, int backlog)
{
	struct sock *sk = sock->sk;
	int err = 0;

	lock_sock(sk);
	if (sock->state != SS_UNCONNECTED)
		err = -EINVAL;
	else if (sk->sk_state != TCP_LISTEN)
		err = call_listen(sk);
	if (!err)
		WRITE_ONCE(sk->sk_max_ack_backlog, backlog);
	release_sock(sk);
	return err;
}

/*
 * uet_stream_drop_queue() - end the connections of a socket that listens no more
 */
void uet_stream_drop_queue(struct sock *sk)
{
	struct uet_stream_listen *listen = uet_stream(sk)->listen;
	struct uet_stream *st;

	for (;;) {
		spin_lock_bh(&listen->lock);
		list_splice_init(&listen->half, &listen->queue);
		st = list_first_entry_or_null(&listen->queue, struct uet_stream, on_queue);
		if (st)
			list_del_init(&st->on_queue);
		listen->nr -= !!st;
		spin_unlock_bh(&listen->lock);
		if (!st)
			return;
		local_bh_disable();
		bh_lock_sock_nested(&st->inet.sk);
		sock_orphan(&st->inet.sk);
		uet_stream_reset(&st->inet.sk, UET_STREAM_CLOSED, 0);
		st->parent = NULL;
		bh_unlock_sock(&st->inet.sk);
		local_bh_enable();
		sock_put(&st->inet.sk);
		sock_put(sk);
		cond_resched();
	}
}

/* --------------------------------------------------------------------- connect() */

/* Is the address one that packets of a FEP can get to? */
static bool call_reaches(const struct uet_fep *fep, const struct uet_fa *to)
{
	bool reaches;

	if (fep->cfg.fa.family != to->family || !uet_fa_is_on_link(to, &fep->cfg.fa) ||
	    !uet_carrier_is_unicast(fep, to))
		return false;
	if (to->family == AF_INET ? ipv4_is_loopback(to->v4) : ipv6_addr_loopback(&to->v6))
		return false;
	rcu_read_lock();
	reaches = uet_carrier_check_route(fep, to) == UET_DROP_NONE;
	rcu_read_unlock();
	return reaches;
}

/* The endpoint from which @to is reached. */
static struct uet_stream_ep *call_choose_ep(struct sock *sk, const struct call_addr *to)
{
	struct uet_stream_ep *ep = ERR_PTR(-ENETUNREACH);
	struct uet_fep *feps[UET_JOB_FEPS_MAX];
	struct uet_stream *st = uet_stream(sk);
	int i, nr = call_feps(sk, &st->own, to->job, feps);

	if (nr < 0)
		return ERR_PTR(nr);
	for (i = 0; i < nr && IS_ERR(ep); i++)
		if (call_reaches(feps[i], &to->fa))
			ep = uet_stream_ep_get(sock_net(sk), feps[i], st->job);
	call_put_feps(feps, nr);
	return ep;
}

/* Begin a connection. A socket that was refused may try again. Under lock_sock(). */
static int call_start(struct sock *sk, const struct call_addr *to)
{
	struct uet_stream *st = uet_stream(sk);
	struct uet_stream_ep *ep;
	int err;

	if (sk->sk_state != TCP_CLOSE || st->rcv_nxt || st->write_seq)
		return -EISCONN;
	if (to->job && st->is_bound && to->job != st->job)
		return -EINVAL;
	if (!to->port)
		return -ECONNREFUSED;
	ep = call_choose_ep(sk, to);
	if (IS_ERR(ep))
		return PTR_ERR(ep);
	/* Messages of the attempt before may use the endpoint still. */
	if (st->ep && st->ep != ep) {
		uet_stream_ep_put(ep);
		return -EADDRNOTAVAIL;
	}
	if (st->ep)
		uet_stream_ep_put(ep);
	st->ep = ep;
	err = st->is_bound ? 0 : uet_stream_bind_port(st, 0);
	if (!err)
		err = uet_stream_ep_hash(st);
	if (err)
		return err;
	st->own = ep->us->fep->cfg.fa;
	st->peer = to->fa;
	st->peer_port = to->port;
	st->busy = 0;
	st->retry = 0;
	st->opened = jiffies;
	uet_stream_publish(sk);
	WRITE_ONCE(sk->sk_shutdown, 0);
	sk->sk_err = 0;
	inet_sk_set_state(sk, TCP_SYN_SENT);
	st->pending |= UET_STREAM_PENDS(OPEN);
	uet_stream_push(sk);
	return 0;
}

static long call_wait(struct sock *sk, long timeo)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);

	add_wait_queue(sk_sleep(sk), &wait);
	while (sk->sk_state == TCP_SYN_SENT && timeo && !signal_pending(current)) {
		release_sock(sk);
		timeo = wait_woken(&wait, TASK_INTERRUPTIBLE, timeo);
		lock_sock(sk);
	}
	remove_wait_queue(sk_sleep(sk), &wait);
	return timeo;
}

/* Under lock_sock(); as inet_stream_connect(). */
static int call_connect(struct socket *sock, const struct call_addr *to, bool nonblock)
{
	struct sock *sk = sock->sk;
	int err = -EALREADY;
	long timeo;

	if (sock->state == SS_CONNECTED)
		return -EISCONN;
	if (sock->state == SS_UNCONNECTED) {
		err = call_start(sk, to);
		if (err)
			return err;
		sock->state = SS_CONNECTING;
		err = -EINPROGRESS;
	}
	timeo = sock_sndtimeo(sk, nonblock);
	if (sk->sk_state == TCP_SYN_SENT) {
		timeo = timeo ? call_wait(sk, timeo) : 0;
		if (sk->sk_state == TCP_SYN_SENT)
			return timeo && signal_pending(current) ? sock_intr_errno(timeo) : err;
	}
	if (sk->sk_state == TCP_CLOSE) {
		sock->state = SS_UNCONNECTED;
		return sock_error(sk) ? : -ECONNABORTED;
	}
	sock->state = SS_CONNECTED;
	return 0;
}

int uet_stream_connect(struct socket *sock, struct sockaddr_unsized *uaddr, int len, int flags)
{
	struct sock *sk = sock->sk;
	struct call_addr to;
	int err;

	if (len < (int)sizeof(sa_family_t))
		return -EINVAL;
	/* A connection ends by close() or shutdown(). */
	if (*(sa_family_t *)uaddr == AF_UNSPEC)
		return -EOPNOTSUPP;
	err = CALL_GET(sk, uaddr, len, CGROUP_INET4_CONNECT, CGROUP_INET6_CONNECT, &to);
	if (err)
		return err;
	if (!to.fa.family)
		return -ENETUNREACH;
	lock_sock(sk);
	err = call_connect(sock, &to, flags & O_NONBLOCK);
	release_sock(sk);
	return err;
}
