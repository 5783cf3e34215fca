// SPDX-License-Identifier: GPL-2.0
/*
 * Ports of streams, 1..65535, by namespace: whether a socket may have a port, which port a
 * socket without one gets, and which socket listens on one. They are no ports of TCP, and no
 * Resource Indexes. The rules are those of TCP: two sockets share a port if their addresses
 * differ, if both allow it (SO_REUSEADDR) and one at most listens, or with SO_REUSEPORT of one user.
 */
#include <linux/hash.h>
#include <linux/random.h>
#include <net/ip.h>
#include <net/ipv6.h>

#include "endpoint/endpoint.h"
#include "stream.h"

/* Sockets that share a port: what one look-up compares. */
#define PORT_SHARE_MAX	64

/* Sockets by port, struct uet_stream.on_port; who adds one has the lock. */
static struct rhltable port_table;
static DEFINE_SPINLOCK(port_lock);

static const struct rhashtable_params port_params = {
	.key_len = sizeof_field(struct uet_stream, port_key),
	.key_offset = offsetof(struct uet_stream, port_key),
	.head_offset = offsetof(struct uet_stream, on_port),
	.automatic_shrinking = true,
};

static u64 port_key(const struct net *net, u16 port)
{
	return uet_net_cookie(net) << 16 | port;
}

/**
 * uet_stream_port_init() - at module load: 0 or -ENOMEM
 */
int __init uet_stream_port_init(void)
{
	return rhltable_init(&port_table, &port_params);
}

/**
 * uet_stream_port_fini() - at module unload, without sockets
 */
void uet_stream_port_fini(void)
{
	rhltable_destroy(&port_table);
}

/* The sockets that have a port, under RCU. */
static struct rhlist_head *port_sockets(const struct net *net, u16 port)
{
	u64 key = port_key(net, port);

	return rhltable_lookup(&port_table, &key, port_params);
}

/* May a socket have connections to addresses of @family? */
static bool port_uses(const struct uet_stream *st, u16 family)
{
	return st->own.family ? st->own.family == family : uet_stream_uses(&st->inet.sk, family);
}

/* Could a connection to one address be for both sockets? */
static bool port_overlaps(const struct uet_stream *a, const struct uet_stream *b)
{
	if (a->own.family && b->own.family)
		return uet_fa_equal(&a->own, &b->own);
	return (port_uses(a, AF_INET) && port_uses(b, AF_INET)) ||
	       (port_uses(a, AF_INET6) && port_uses(b, AF_INET6));
}

/* May @a have the port of @b? */
static bool port_may_share(const struct uet_stream *a, const struct uet_stream *b)
{
	const struct sock *x = &a->inet.sk, *y = &b->inet.sk;

	if (x->sk_reuseport && y->sk_reuseport && uid_eq(x->sk_uid, y->sk_uid))
		return true;
	return x->sk_reuse && y->sk_reuse && y->sk_state != TCP_LISTEN;
}

/*
 * May @st have the port beside those that have it? @is_chosen: nobody asked for this port, so it
 * is shared with nobody. Under port_lock.
 */
static bool port_is_free(const struct uet_stream *st, u16 port, bool is_chosen)
{
	struct rhlist_head *list, *pos;
	struct uet_stream *other;
	bool is_free = true;
	int nr = 0;

	rcu_read_lock();
	list = port_sockets(sock_net(&st->inet.sk), port);
	rhl_for_each_entry_rcu(other, pos, list, on_port) {
		if (other == st)
			continue;
		is_free = !is_chosen && ++nr < PORT_SHARE_MAX &&
			  (!port_overlaps(st, other) || port_may_share(st, other));
		if (!is_free)
			break;
	}
	rcu_read_unlock();
	return is_free;
}

static int port_take(struct uet_stream *st, u16 port, bool is_chosen)
{
	int err = -EADDRINUSE;

	spin_lock_bh(&port_lock);
	if (port_is_free(st, port, is_chosen)) {
		st->port = port;
		st->port_key = port_key(sock_net(&st->inet.sk), port);
		err = rhltable_insert(&port_table, &st->on_port, port_params);
		st->is_bound = !err;
	}
	spin_unlock_bh(&port_lock);
	return err;
}

/*
 * uet_stream_bind_port() - give a socket a port, in process context
 * @port: 0: any of the ephemeral ports of the namespace
 * Return: 0; -EADDRINUSE; an errno of memory.
 */
int uet_stream_bind_port(struct uet_stream *st, u16 port)
{
	struct net *net = sock_net(&st->inet.sk);
	int low, high, err = -EADDRINUSE;
	u32 i, nr, start;

	if (port)
		return port_take(st, port, false);
	inet_get_local_port_range(net, &low, &high);
	nr = high - low + 1;
	start = reciprocal_scale(get_random_u32(), nr);
	for (i = 0; i < nr && err == -EADDRINUSE; i++) {
		port = low + (start + i) % nr;
		if (!inet_is_local_reserved_port(net, port))
			err = port_take(st, port, true);
		cond_resched();
	}
	return err;
}

/*
 * uet_stream_unbind_port() - give the port of a socket back
 */
void uet_stream_unbind_port(struct uet_stream *st)
{
	if (!st->is_bound)
		return;
	rhltable_remove(&port_table, &st->on_port, port_params);
	st->is_bound = false;
}

/*
 * uet_stream_may_listen() - may a socket listen on the port that it has? If so, its state
 *	becomes TCP_LISTEN
 */
bool uet_stream_may_listen(struct uet_stream *st)
{
	bool may;

	spin_lock_bh(&port_lock);
	may = port_is_free(st, st->port, false);
	if (may)
		inet_sk_set_state(&st->inet.sk, TCP_LISTEN);
	spin_unlock_bh(&port_lock);
	return may;
}

/* How well a listening socket fits a connection to @fa: 0: not at all. */
static int port_score(const struct uet_stream *st, const struct uet_stream_ep *ep,
		      const struct uet_fa *fa)
{
	const struct sock *sk = &st->inet.sk;

	if (sk->sk_state != TCP_LISTEN || st->job != ep->job)
		return 0;
	if (st->own.family)
		return uet_fa_equal(&st->own, fa) ? 3 : 0;
	if (sk->sk_family == fa->family)
		return 2;
	return uet_stream_uses(sk, fa->family);
}

/*
 * uet_stream_find_listener() - the socket that gets a connection to a port, with a reference;
 *	NULL: none
 * @hash: of the connection, to choose among sockets with SO_REUSEPORT
 */
struct sock *uet_stream_find_listener(struct uet_stream_ep *ep, u16 port, u32 hash)
{
	struct uet_sock *us = ep->us;
	struct rhlist_head *list, *pos;
	int score, best = 0, nr = 0;
	struct uet_stream *st;
	struct sock *sk = NULL;

	rcu_read_lock();
	list = port_sockets(sock_net(&us->sk), port);
	rhl_for_each_entry_rcu(st, pos, list, on_port) {
		score = port_score(st, ep, &us->fep->cfg.fa);
		if (!score || score < best)
			continue;
		nr = score > best ? 1 : nr + 1;
		best = score;
		if (!reciprocal_scale(hash_32(hash + nr, 32), nr))
			sk = &st->inet.sk;
	}
	if (sk && !refcount_inc_not_zero(&sk->sk_refcnt))
		sk = NULL;
	rcu_read_unlock();
	return sk;
}
