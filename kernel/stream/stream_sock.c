// SPDX-License-Identifier: GPL-2.0
/*
 * Sockets of streams: creation, accept(), shutdown(), close(), and registration with AF_INET,
 * AF_INET6 and AF_UET.
 */
#include <linux/module.h>
#include <linux/net.h>
#include <linux/sched/signal.h>
#include <linux/udp.h>
#include <net/inet_common.h>
#include <net/ipv6.h>
#include <net/protocol.h>
#include <net/tcp_states.h>

#include "endpoint/endpoint.h"
#include "socket/socket.h"
#include "stream.h"

/* Their locks are outside the configuration mutex; those of other IP sockets are inside rtnl. */
static struct lock_class_key stream_lock_key, stream_slock_key;

/* ---------------------------------------------------------------------- lifetime */

static void stream_destruct(struct sock *sk)
{
	struct uet_stream *st = uet_stream(sk);

	skb_queue_purge(&st->in);
	__skb_queue_purge(&st->early);
	sk_stream_kill_queues(sk);
	uet_stream_free_listen(st->listen);
	if (st->ep)
		uet_stream_ep_put(st->ep);
	if (st->user) {
		uet_mem_user_add(st->user, -(s64)st->counted);
		uet_mem_user_put(st->user);
	}
	sk_sockets_allocated_dec(sk);
	sock_prot_inuse_add(sock_net(sk), sk->sk_prot, -1);
	st->destruct(sk);
}

static int stream_create(struct sock *sk)
{
	struct uet_stream *st = uet_stream(sk);
	int err;

	sock_lock_init_class_and_name(sk, "slock-UET-STREAM", &stream_slock_key,
				      "sk_lock-UET-STREAM", &stream_lock_key);
	err = uet_stream_open(sk);
	if (err)
		return err;
	st->destruct = sk->sk_destruct;
	sk->sk_destruct = stream_destruct;
	sk_sockets_allocated_inc(sk);
	return 0;
}

/* The own stream ends behind the bytes that were written. */
static void stream_finish(struct sock *sk)
{
	if (sk->sk_state == TCP_ESTABLISHED)
		inet_sk_set_state(sk, TCP_FIN_WAIT1);
	else if (sk->sk_state == TCP_CLOSE_WAIT)
		inet_sk_set_state(sk, TCP_LAST_ACK);
	else
		return;
	uet_stream(sk)->wants_fin = true;
	uet_stream_push(sk);
}

static void stream_stop_listening(struct sock *sk)
{
	inet_sk_set_state(sk, TCP_CLOSE);
	uet_stream_unbind_port(uet_stream(sk));
	uet_stream_drop_queue(sk);
}

/* Drop what was not read. Return: true if there was something. */
static bool stream_purge(struct sock *sk)
{
	struct uet_stream *st = uet_stream(sk);
	bool is_any = !skb_queue_empty(&sk->sk_receive_queue) || !skb_queue_empty(&st->early);

	__skb_queue_purge(&sk->sk_receive_queue);
	__skb_queue_purge(&st->early);
	return is_any;
}

static bool stream_is_closing(const struct sock *sk)
{
	return (1 << sk->sk_state) & (TCPF_FIN_WAIT1 | TCPF_CLOSING | TCPF_LAST_ACK);
}

/* SO_LINGER: wait until the peer has all bytes.  The kernel's function is for TCP alone now. */
static void stream_linger(struct sock *sk, long timeout)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);

	add_wait_queue(sk_sleep(sk), &wait);
	while (timeout && !signal_pending(current))
		if (sk_wait_event(sk, &timeout, !stream_is_closing(sk), &wait))
			break;
	remove_wait_queue(sk_sleep(sk), &wait);
}

/* Under lock_sock(). */
static void stream_end(struct sock *sk, long timeout)
{
	bool is_reset = stream_purge(sk) ||
			(sock_flag(sk, SOCK_LINGER) && !sk->sk_lingertime);

	if (sk->sk_state == TCP_LISTEN) {
		stream_stop_listening(sk);
	} else if (sk->sk_state == TCP_SYN_SENT) {
		uet_stream_done(sk, 0);
	} else if (is_reset) {
		uet_stream_reset(sk, UET_STREAM_CLOSED, 0);
	} else {
		stream_finish(sk);
		stream_linger(sk, timeout);
	}
}

static void stream_close(struct sock *sk, long timeout)
{
	lock_sock(sk);
	WRITE_ONCE(sk->sk_shutdown, SHUTDOWN_MASK);
	stream_end(sk, timeout);
	sock_orphan(sk);
	if (sk->sk_state == TCP_CLOSE)
		uet_stream_leave(sk);
	else
		uet_stream_be_orphan(sk);
	release_sock(sk);
	sock_put(sk);
}

/* --------------------------------------------------------------------- accept() */

/* A connection may end, and leave the queue, at any time. */
static struct sock *stream_next_child(struct sock *sk)
{
	struct uet_stream_listen *listen = uet_stream(sk)->listen;
	struct uet_stream *st;

	spin_lock_bh(&listen->lock);
	st = list_first_entry_or_null(&listen->queue, struct uet_stream, on_queue);
	if (st)
		list_del_init(&st->on_queue);
	listen->nr -= !!st;
	spin_unlock_bh(&listen->lock);
	return st ? &st->inet.sk : NULL;
}

/* Under lock_sock(), which it gives up while it waits. */
static struct sock *stream_wait_child(struct sock *sk, long timeo)
{
	DEFINE_WAIT(wait);
	struct sock *child;

	while (sk->sk_state == TCP_LISTEN) {
		child = stream_next_child(sk);
		if (child)
			return child;
		if (!timeo)
			return ERR_PTR(-EAGAIN);
		if (signal_pending(current))
			return ERR_PTR(sock_intr_errno(timeo));
		prepare_to_wait_exclusive(sk_sleep(sk), &wait, TASK_INTERRUPTIBLE);
		release_sock(sk);
		if (list_empty(&uet_stream(sk)->listen->queue))
			timeo = schedule_timeout(timeo);
		lock_sock(sk);
		finish_wait(sk_sleep(sk), &wait);
	}
	return ERR_PTR(-EINVAL);
}

static int stream_do_accept(struct socket *sock, struct socket *newsock, int flags)
{
	struct sock *child, *sk = sock->sk;

	lock_sock(sk);
	child = stream_wait_child(sk, sock_rcvtimeo(sk, flags & O_NONBLOCK));
	release_sock(sk);
	if (IS_ERR(child))
		return PTR_ERR(child);
	lock_sock_nested(child, SINGLE_DEPTH_NESTING);
	uet_stream(child)->parent = NULL;
	sock_graft(child, newsock);
	newsock->state = SS_CONNECTED;
	release_sock(child);
	/* That of its child. */
	sock_put(sk);
	return 0;
}

UET_SOCK_ACCEPT(stream_accept, stream_do_accept)

/* ------------------------------------------------------------------- shutdown() */

static int stream_shutdown(struct socket *sock, int how)
{
	struct sock *sk = sock->sk;
	int err = 0;

	if (how < SHUT_RD || how > SHUT_RDWR)
		return -EINVAL;
	lock_sock(sk);
	if (sk->sk_state == TCP_CLOSE) {
		err = -ENOTCONN;
	} else if (sk->sk_state == TCP_LISTEN) {
		if (how != SHUT_WR) {
			stream_stop_listening(sk);
			uet_stream_bind_port(uet_stream(sk), uet_stream(sk)->port);
		}
	} else if (sk->sk_state == TCP_SYN_SENT) {
		uet_stream_done(sk, 0);
		sock->state = SS_UNCONNECTED;
		err = -ENOTCONN;
	} else {
		WRITE_ONCE(sk->sk_shutdown, sk->sk_shutdown | (how + 1));
		if (how != SHUT_RD)
			stream_finish(sk);
	}
	sk->sk_state_change(sk);
	release_sock(sk);
	return err;
}

/* ------------------------------------------------------------------ registration */

/* With the spinlock, before the owner gives the lock up. */
static void stream_release_cb(struct sock *sk)
{
	if (uet_stream(sk)->ep)
		uet_stream_work(sk);
}

/* The kernel calls it when a new socket is refused, by a BPF program or for want of memory. */
static void stream_unhash(struct sock *sk)
{
}

static struct proto stream_proto = {
	.name = "UETSTREAMv4",
	.owner = THIS_MODULE,
	.obj_size = sizeof(struct uet_stream),
	.init = stream_create,
	.close = stream_close,
	.unhash = stream_unhash,
	.release_cb = stream_release_cb,
};

static struct proto stream6_proto = {
	.name = "UETSTREAMv6",
	.owner = THIS_MODULE,
	.obj_size = sizeof(struct uet6_stream),
	UET_PROTO_PINFO6(struct uet6_stream, inet6)
	.init = stream_create,
	.close = stream_close,
	.unhash = stream_unhash,
	.release_cb = stream_release_cb,
};

#ifdef CONFIG_COMPAT
#define STREAM_COMPAT_IOCTL	.compat_ioctl = uet_stream_ioctl,
#else
#define STREAM_COMPAT_IOCTL
#endif

#define STREAM_OPS(family_, release_)				\
	{							\
		.family = family_,				\
		.owner = THIS_MODULE,				\
		.release = release_,				\
		.bind = uet_stream_bind,			\
		.connect = uet_stream_connect,			\
		.socketpair = sock_no_socketpair,		\
		.accept = stream_accept,			\
		.getname = uet_stream_getname,			\
		.poll = uet_stream_poll,			\
		.ioctl = uet_stream_ioctl,			\
		STREAM_COMPAT_IOCTL				\
		.gettstamp = sock_gettstamp,			\
		.listen = uet_stream_listen,			\
		.shutdown = stream_shutdown,			\
		.setsockopt = uet_stream_setsockopt,		\
		.getsockopt = uet_stream_getsockopt,		\
		.sendmsg = uet_stream_sendmsg,			\
		.recvmsg = uet_stream_recvmsg,			\
		.mmap = sock_no_mmap,				\
	}

static const struct proto_ops stream_ops = STREAM_OPS(PF_INET, inet_release);
static const struct proto_ops stream6_ops = STREAM_OPS(PF_INET6, inet6_release);
static const struct proto_ops stream_uet_ops = STREAM_OPS(PF_UET, inet_release);

static struct inet_protosw stream_sw = {
	.type = SOCK_STREAM,
	.protocol = IPPROTO_UET,
	.prot = &stream_proto,
	.ops = &stream_ops,
};

static struct inet_protosw stream6_sw = {
	.type = SOCK_STREAM,
	.protocol = IPPROTO_UET,
	.prot = &stream6_proto,
	.ops = &stream6_ops,
};

/**
 * uet_stream_init() - register streams with their families: 0, or an errno
 */
int __init uet_stream_init(void)
{
	int err = uet_stream_port_init();

	if (err)
		return err;
	uet_mem_share(&stream_proto, UET_MEM_STREAMS);
	uet_mem_share(&stream6_proto, UET_MEM_STREAMS);
	err = proto_register(&stream_proto, 1);
	if (err)
		goto err_port;
	err = proto_register(&stream6_proto, 1);
	if (err)
		goto err_proto;
	err = inet6_register_protosw(&stream6_sw);
	if (err)
		goto err_proto6;
	inet_register_protosw(&stream_sw);
	uet_sock_set_stream(&stream_proto, &stream_uet_ops);
	return 0;

err_proto6:
	proto_unregister(&stream6_proto);
err_proto:
	proto_unregister(&stream_proto);
err_port:
	uet_stream_port_fini();
	return err;
}

/**
 * uet_stream_fini() - unregister; each socket holds a reference to the module
 */
void uet_stream_fini(void)
{
	inet_unregister_protosw(&stream_sw);
	inet6_unregister_protosw(&stream6_sw);
	proto_unregister(&stream6_proto);
	proto_unregister(&stream_proto);
	uet_stream_port_fini();
}
