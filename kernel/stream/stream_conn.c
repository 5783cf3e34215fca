// SPDX-License-Identifier: GPL-2.0
/*
 * A connection: what it may send and when, its timer, and its end. Documentation/spec/stream.rst
 * has the states. Messages neither get lost nor come twice as long as their PDC lives, so there
 * are no retransmissions here; the failure of a message ends the connection.
 */
#include <linux/jiffies.h>
#include <net/tcp_states.h>

#include "endpoint/endpoint.h"
#include "stream.h"

/* Pauses of what is tried again: doubled each time up to the second value, jiffies. */
#define CONN_RETRY_MIN	(HZ / 50)
#define CONN_RETRY_MAX	(8 * HZ)
#define CONN_RETRIES	16

/* A peer that finds no space for a connection is asked again so long, jiffies: as TCP's SYN. */
#define CONN_OPEN_TIME	(127 * HZ)

/* Bytes that are held back on purpose leave after this time, jiffies: as with TCP_CORK. */
#define CONN_CORK	(HZ / 5)

/* A window is no smaller: a message of a Payload MTU. */
#define CONN_WINDOW_MIN	UET_MTU_MAX

/* Closed sockets of the host that may go on. */
#define CONN_ORPHANS_MAX	8192

/* Defaults of SO_SNDBUF and SO_RCVBUF, bytes. */
#define CONN_BUF_DEFAULT	SZ_2M

static atomic_t conn_orphans = ATOMIC_INIT(0);

/* --------------------------------------------------------------------- new sockets */

/*
 * uet_stream_setup() - the state of a new connection, also of one that is a copy of the
 *	listening socket
 */
void uet_stream_setup(struct sock *sk)
{
	struct uet_stream *st = uet_stream(sk);

	memset_startat(st, 0, id);
	if (sk->sk_family == AF_INET6)
		inet_sk(sk)->pinet6 = &((struct uet6_stream *)sk)->inet6;
	sock_prot_inuse_add(sock_net(sk), sk->sk_prot, 1);
	INIT_LIST_HEAD(&st->on_ready);
	INIT_LIST_HEAD(&st->on_queue);
	skb_queue_head_init(&st->in);
	__skb_queue_head_init(&st->early);
	__skb_queue_head_init(&st->sent);
	st->listen = NULL;
	st->ep = NULL;
	st->is_bound = false;
	st->edge = uet_stream_may_grow(sk, uet_stream_window(sk)) ? uet_stream_window(sk) :
								CONN_WINDOW_MIN;
	st->heard = jiffies;
	timer_setup(&sk->sk_timer, uet_stream_timer, 0);
}

/* Wake writers once a third of the buffer is free, as TCP. */
static void conn_write_space(struct sock *sk)
{
	struct socket *sock = sk->sk_socket;

	if (!sock || !sk_stream_is_writeable(sk))
		return;
	clear_bit(SOCK_NOSPACE, &sock->flags);
	/* Pairs with the barrier of sio_poll_write(). */
	smp_mb__after_atomic();
	uet_sock_wake(sk, EPOLLOUT | EPOLLWRNORM | EPOLLWRBAND);
	sk_wake_async(sk, SOCK_WAKE_SPACE, POLL_OUT);
}

/*
 * uet_stream_open() - set up a socket of a process: 0 or -ENOMEM
 */
int uet_stream_open(struct sock *sk)
{
	struct uet_stream *st = uet_stream(sk);

	st->user = uet_mem_user_get(uet_share_user(current_cred(), &init_user_ns),
				    UET_MEM_STREAMS);
	if (!st->user)
		return -ENOMEM;
	WRITE_ONCE(sk->sk_sndbuf, min(CONN_BUF_DEFAULT, READ_ONCE(uet_mem_wmem[UET_MEM_MAX])));
	WRITE_ONCE(sk->sk_rcvbuf, min(CONN_BUF_DEFAULT, READ_ONCE(uet_mem_rmem[UET_MEM_MAX])));
	sk->sk_write_space = conn_write_space;
	sk->sk_allocation = GFP_KERNEL;
	st->inet.pmtudisc = IP_PMTUDISC_INTERFACE;
	sock_set_flag(sk, SOCK_RCU_FREE);
	sock_set_flag(sk, SOCK_USE_WRITE_QUEUE);
	uet_stream_setup(sk);
	st->opt.keep_idle = 7200;
	st->opt.keep_intvl = 75;
	st->opt.keep_cnt = 9;
	return 0;
}

/* ---------------------------------------------------------------------- the window */

/*
 * uet_stream_window() - bytes that a peer may be ahead of the reader
 *
 * Buffers of packets are larger than their payload.
 */
u32 uet_stream_window(const struct sock *sk)
{
	return max_t(u32, READ_ONCE(sk->sk_rcvbuf) / 2, CONN_WINDOW_MIN);
}

/*
 * uet_stream_may_grow() - has the user of a stream a place for more bytes in its share?
 */
bool uet_stream_may_grow(struct sock *sk, u32 bytes)
{
	return uet_mem_user_may_grow(uet_stream(sk)->user, sk->sk_prot, 0, bytes);
}

/*
 * uet_stream_count() - count what the buffers of a stream have for its user
 */
void uet_stream_count(struct sock *sk)
{
	u32 bytes = atomic_read(&sk->sk_rmem_alloc) + sk->sk_wmem_queued;
	struct uet_stream *st = uet_stream(sk);

	if (bytes != st->counted)
		uet_mem_user_add(st->user, (s64)bytes - st->counted);
	st->counted = bytes;
}

/* The window for the next message. It never shrinks. */
static u32 conn_edge(struct sock *sk)
{
	struct uet_stream *st = uet_stream(sk);
	u32 edge = st->copied + uet_stream_window(sk);

	if (uet_stream_before(st->edge, edge) &&
	    atomic_read(&sk->sk_rmem_alloc) <= READ_ONCE(sk->sk_rcvbuf) &&
	    uet_stream_may_grow(sk, edge - st->edge))
		st->edge = edge;
	return st->edge;
}

/*
 * uet_stream_advertise() - bytes were read: tell the peer of a window that has opened by half
 */
void uet_stream_advertise(struct sock *sk)
{
	struct uet_stream *st = uet_stream(sk);
	u32 window = uet_stream_window(sk);

	if (st->has_fin || !((1 << sk->sk_state) & (TCPF_ESTABLISHED | TCPF_FIN_WAIT1 |
						     TCPF_FIN_WAIT2)))
		return;
	if ((s32)(st->copied + window - st->edge) < (s32)(window / 2))
		return;
	st->pending |= UET_STREAM_PENDS(WINDOW);
	uet_stream_send_pending(sk);
}

/* ------------------------------------------------------------------------- sending */

static void conn_head(struct sock *sk, u8 type, u32 high, struct uet_stream_head *head)
{
	const struct uet_stream *st = uet_stream(sk);

	*head = (struct uet_stream_head){
		.version = UET_STREAM_VERSION,
		.type = type,
		.dst = st->peer_id,
		.src = st->id,
		.high = high,
		.low = conn_edge(sk),
	};
}

/* Is the errno one of memory or of a share, which another try may not get? */
static bool conn_may_retry(int err)
{
	return err == -ENOBUFS || err == -ENOMEM || err == -ENOSPC || err == -EAGAIN ||
	       err == -ESHUTDOWN;
}

/* Something could not be sent. */
static void conn_failed(struct sock *sk, int err)
{
	struct uet_stream *st = uet_stream(sk);

	if (!conn_may_retry(err)) {
		WRITE_ONCE(st->tx_error, -err);
		uet_stream_ep_kick(st);
		return;
	}
	st->tried = jiffies + min_t(unsigned long, CONN_RETRY_MIN << st->retry, CONN_RETRY_MAX);
	st->retry = min(st->retry + 1, CONN_RETRIES);
}

static u32 conn_high(const struct uet_stream *st, u8 type)
{
	if (type == UET_STREAM_OPEN)
		return (u32)st->port << 16 | st->peer_port;
	return type == UET_STREAM_FIN ? st->snd_nxt : 0;
}

/*
 * uet_stream_send_pending() - send the messages without bytes that are due
 */
void uet_stream_send_pending(struct sock *sk)
{
	struct uet_stream *st = uet_stream(sk);
	struct uet_stream_head head;
	unsigned long due;
	u8 type;
	int err;

	due = st->pending & ~READ_ONCE(st->flying);
	for (type = UET_STREAM_OPEN; due && type <= UET_STREAM_PROBE; type++) {
		/* A peer that had no space for a connection is left alone for a time. */
		if (!(due & BIT(type)) || (type == UET_STREAM_OPEN && st->busy &&
					   time_before(jiffies, st->tried)))
			continue;
		conn_head(sk, type, conn_high(st, type), &head);
		set_bit(type, &st->flying);
		err = uet_stream_ep_send(st->ep, &st->peer, &head, st, NULL);
		if (err) {
			clear_bit(type, &st->flying);
			conn_failed(sk, err);
			break;
		}
		st->pending &= ~BIT(type);
		if (type == UET_STREAM_PROBE)
			st->probed = jiffies;
		else if (type != UET_STREAM_OPEN)
			st->retry = 0;
	}
}

/* Move the bytes of @skb beyond the first @len to a buffer behind it. */
static bool conn_split(struct sock *sk, struct sk_buff *skb, u32 len)
{
	u32 moved = skb->len - len;
	struct sk_buff *rest;

	rest = alloc_skb(0, GFP_ATOMIC | __GFP_NOWARN);
	if (!rest)
		return false;
	sk_wmem_queued_add(sk, rest->truesize);
	sk_mem_charge(sk, rest->truesize);
	skb_split(skb, rest, len);
	rest->truesize += moved;
	skb->truesize -= moved;
	__skb_queue_after(&sk->sk_write_queue, skb, rest);
	return true;
}

/* May the last, short bytes wait for more? */
static bool conn_holds(struct sock *sk, const struct sk_buff *skb)
{
	struct uet_stream *st = uet_stream(sk);

	if (st->is_pushed || st->wants_fin || !skb_queue_is_last(&sk->sk_write_queue, skb) ||
	    skb->len >= UET_STREAM_MESSAGE_MAX)
		return false;
	if (st->opt.cork || st->opt.more)
		return true;
	return !st->opt.nodelay && !skb_queue_empty(&st->sent) &&
	       skb->len < st->ep->us->fep->cfg.mtu;
}

static bool conn_may_send(struct sock *sk, struct sk_buff *skb)
{
	struct uet_stream *st = uet_stream(sk);
	s32 room = st->snd_edge - st->snd_nxt;

	if (room <= 0 || skb_queue_len(&st->sent) >= UET_STREAM_AHEAD_MAX || conn_holds(sk, skb))
		return false;
	if (skb->len <= room)
		return true;
	/* A part only if nothing else will open the window further. */
	return skb_queue_empty(&st->sent) && conn_split(sk, skb, room);
}

static int conn_send(struct sock *sk, struct sk_buff *skb)
{
	struct uet_stream_cb *cb = uet_stream_cb(skb);
	struct uet_stream *st = uet_stream(sk);
	struct uet_stream_head head;
	int err;

	conn_head(sk, UET_STREAM_DATA, st->snd_nxt, &head);
	*cb = (struct uet_stream_cb){
		.seq = st->snd_nxt,
		.end = st->snd_nxt + skb->len,
		.sent = jiffies,
	};
	__skb_unlink(skb, &sk->sk_write_queue);
	__skb_queue_tail(&st->sent, skb);
	err = uet_stream_ep_send(st->ep, &st->peer, &head, st, skb);
	if (err) {
		__skb_unlink(skb, &st->sent);
		__skb_queue_head(&sk->sk_write_queue, skb);
		conn_failed(sk, err);
		return err;
	}
	st->snd_nxt = cb->end;
	st->retry = 0;
	return 0;
}

/* Do bytes wait for the window, so that nothing but a message of the peer lets them go? */
static bool conn_is_stuck(struct sock *sk)
{
	const struct uet_stream *st = uet_stream(sk);

	return !skb_queue_empty(&sk->sk_write_queue) && skb_queue_empty(&st->sent) &&
	       (s32)(st->snd_edge - st->snd_nxt) <= 0;
}

/*
 * uet_stream_push() - send what may be sent
 */
void uet_stream_push(struct sock *sk)
{
	struct uet_stream *st = uet_stream(sk);
	struct sk_buff *skb;
	int budget;

	if ((1 << sk->sk_state) & (TCPF_CLOSE | TCPF_LISTEN | TCPF_SYN_SENT | TCPF_SYN_RECV)) {
		if (st->ep)
			uet_stream_send_pending(sk);
		uet_stream_arm(sk);
		return;
	}
	for (budget = UET_STREAM_BUDGET; budget; budget--) {
		skb = skb_peek(&sk->sk_write_queue);
		if (!skb || !conn_may_send(sk, skb) || conn_send(sk, skb))
			break;
	}
	if (!budget)
		uet_stream_ep_kick(st);
	if (skb_queue_empty(&sk->sk_write_queue)) {
		st->is_pushed = false;
		if (st->wants_fin)
			st->pending |= UET_STREAM_PENDS(FIN);
		st->wants_fin = false;
	}
	/* Only a message of the peer opens the window; it is asked for if none comes. */
	if (conn_is_stuck(sk) && !st->retry)
		conn_failed(sk, -EAGAIN);
	uet_stream_send_pending(sk);
	uet_stream_arm(sk);
}

static void conn_free_skb(struct sock *sk, struct sk_buff *skb)
{
	sk_wmem_queued_add(sk, -skb->truesize);
	sk_mem_uncharge(sk, skb->truesize);
	__kfree_skb(skb);
}

/*
 * uet_stream_free_acked() - free the messages before the oldest one that is not acknowledged
 */
void uet_stream_free_acked(struct sock *sk)
{
	struct uet_stream *st = uet_stream(sk);
	bool is_freed = false;
	struct sk_buff *skb;

	while ((skb = skb_peek(&st->sent))) {
		/* Pairs with the release in sep_free(). */
		if (!smp_load_acquire(&uet_stream_cb(skb)->is_acked))
			break;
		__skb_unlink(skb, &st->sent);
		conn_free_skb(sk, skb);
		is_freed = true;
	}
	if (!is_freed)
		return;
	if (st->dead_at)
		st->dead_at = jiffies + UET_STREAM_ORPHAN_TIME;
	sk->sk_write_space(sk);
}

/* --------------------------------------------------------------------------- timer */

static void conn_sooner(unsigned long *when, bool *is_set, unsigned long at)
{
	if (time_before(at, jiffies + 1))
		at = jiffies + 1;
	if (!*is_set || time_before(at, *when))
		*when = at;
	*is_set = true;
}

static bool conn_is_corked(struct sock *sk)
{
	const struct uet_stream *st = uet_stream(sk);

	return (st->opt.cork || st->opt.more) && !skb_queue_empty(&sk->sk_write_queue);
}

static bool conn_is_kept_alive(struct sock *sk)
{
	return sock_flag(sk, SOCK_KEEPOPEN) &&
	       (1 << sk->sk_state) & (TCPF_ESTABLISHED | TCPF_CLOSE_WAIT | TCPF_FIN_WAIT2);
}

/*
 * uet_stream_arm() - set the timer to the next time at which there is something to do
 */
void uet_stream_arm(struct sock *sk)
{
	const struct uet_stream *st = uet_stream(sk);
	const struct uet_stream_opt *opt = &st->opt;
	unsigned long when = 0;
	bool is_set = false;

	if (sk->sk_state == TCP_CLOSE || sk->sk_state == TCP_LISTEN)
		return;
	if (st->pending & ~READ_ONCE(st->flying) || conn_is_stuck(sk) || st->retry)
		conn_sooner(&when, &is_set, st->tried);
	if (conn_is_corked(sk))
		conn_sooner(&when, &is_set, jiffies + CONN_CORK);
	if (st->dead_at)
		conn_sooner(&when, &is_set, st->dead_at);
	if (opt->user_timeout && !skb_queue_empty(&st->sent))
		conn_sooner(&when, &is_set, uet_stream_cb(skb_peek(&st->sent))->sent +
			    msecs_to_jiffies(opt->user_timeout));
	if (conn_is_kept_alive(sk))
		conn_sooner(&when, &is_set, st->heard + opt->keep_idle * HZ);
	if (test_bit(UET_STREAM_PROBE, &st->flying))
		conn_sooner(&when, &is_set, st->probed + opt->keep_intvl * opt->keep_cnt * HZ);
	if (is_set)
		sk_reset_timer(sk, &sk->sk_timer, when);
}

/* Has the peer been silent for too long? */
static bool conn_is_late(struct sock *sk)
{
	const struct uet_stream *st = uet_stream(sk);
	const struct uet_stream_opt *opt = &st->opt;
	unsigned long limit;

	if (st->dead_at && time_after_eq(jiffies, st->dead_at))
		return true;
	if (test_bit(UET_STREAM_PROBE, &st->flying) && sock_flag(sk, SOCK_KEEPOPEN) &&
	    time_after_eq(jiffies, st->probed + opt->keep_intvl * opt->keep_cnt * HZ))
		return true;
	limit = msecs_to_jiffies(opt->user_timeout);
	return limit && !skb_queue_empty(&st->sent) &&
	       time_after_eq(jiffies, uet_stream_cb(skb_peek(&st->sent))->sent + limit);
}

/* Ask a peer whose window is shut, or which was not heard for long. */
static void conn_probe(struct sock *sk)
{
	struct uet_stream *st = uet_stream(sk);

	if (conn_is_stuck(sk) && time_after_eq(jiffies, st->tried)) {
		st->pending |= UET_STREAM_PENDS(PROBE);
		conn_failed(sk, -EAGAIN);
	}
	if (conn_is_kept_alive(sk) &&
	    time_after_eq(jiffies, st->heard + st->opt.keep_idle * HZ)) {
		st->pending |= UET_STREAM_PENDS(PROBE);
		/* The next one after as long. */
		st->heard = jiffies;
	}
}

void uet_stream_timer(struct timer_list *timer)
{
	struct sock *sk = container_of(timer, struct sock, sk_timer);
	struct uet_stream *st = uet_stream(sk);

	bh_lock_sock(sk);
	if (sk->sk_state == TCP_CLOSE) {
		/* It has ended meanwhile. */
	} else if (sock_owned_by_user(sk)) {
		sk_reset_timer(sk, &sk->sk_timer, jiffies + CONN_RETRY_MIN);
	} else if (conn_is_late(sk)) {
		uet_stream_reset(sk, sk->sk_state == TCP_SYN_RECV ? UET_STREAM_BUSY :
				 UET_STREAM_CLOSED, ETIMEDOUT);
	} else {
		if (conn_is_corked(sk))
			st->is_pushed = true;
		conn_probe(sk);
		uet_stream_push(sk);
	}
	bh_unlock_sock(sk);
	sock_put(sk);
}

/* ----------------------------------------------------------------------------- end */

/*
 * uet_stream_leave() - a closed socket has ended
 */
void uet_stream_leave(struct sock *sk)
{
	struct uet_stream *st = uet_stream(sk);

	uet_stream_unbind_port(st);
	if (st->is_orphan)
		atomic_dec(&conn_orphans);
	st->is_orphan = false;
}

/*
 * A connection that was not accepted yet ends: nobody else knows it, and its place in the
 * backlog is free, unless accept() or the end of the listening socket has just taken it.
 */
static void conn_leave_parent(struct sock *sk)
{
	struct uet_stream *st = uet_stream(sk);
	struct uet_stream_listen *listen;
	bool is_listed;

	if (!st->parent)
		return;
	listen = uet_stream(st->parent)->listen;
	spin_lock_bh(&listen->lock);
	is_listed = !list_empty(&st->on_queue);
	list_del_init(&st->on_queue);
	listen->nr -= is_listed;
	spin_unlock_bh(&listen->lock);
	if (!is_listed)
		return;
	sock_put(st->parent);
	st->parent = NULL;
	sock_orphan(sk);
	/* The caller has another one. */
	sock_put(sk);
}

/*
 * uet_stream_done() - a connection has ended; the caller has a reference
 * @error: positive errno, or 0
 *
 * Received bytes may still be read. Messages in flight keep the socket until they have ended.
 */
void uet_stream_done(struct sock *sk, int error)
{
	struct uet_stream *st = uet_stream(sk);
	struct sk_buff *skb;

	if (sk->sk_state == TCP_CLOSE)
		return;
	sk_stop_timer(sk, &sk->sk_timer);
	inet_sk_set_state(sk, TCP_CLOSE);
	WRITE_ONCE(sk->sk_shutdown, SHUTDOWN_MASK);
	st->pending = 0;
	while ((skb = __skb_dequeue(&sk->sk_write_queue)))
		conn_free_skb(sk, skb);
	__skb_queue_purge(&st->early);
	if (error) {
		WRITE_ONCE(sk->sk_err, error);
		sk_error_report(sk);
	}
	sk->sk_state_change(sk);
	if (sock_flag(sk, SOCK_DEAD))
		uet_stream_leave(sk);
	conn_leave_parent(sk);
	uet_stream_ep_unhash(st);
}

/*
 * uet_stream_reset() - end a connection, and tell the peer
 * @code: enum uet_stream_code
 * @error: positive errno for the own process, or 0
 */
void uet_stream_reset(struct sock *sk, u32 code, int error)
{
	struct uet_stream *st = uet_stream(sk);
	struct uet_stream_head head;

	if (sk->sk_state != TCP_CLOSE && st->ep && st->peer_id) {
		conn_head(sk, UET_STREAM_RESET, code, &head);
		/* Without memory the peer learns it from the answer to its next message. */
		uet_stream_ep_send(st->ep, &st->peer, &head, NULL, NULL);
	}
	uet_stream_done(sk, error);
}

/*
 * uet_stream_end() - go on if the end of the own stream and all before it was acknowledged
 */
void uet_stream_end(struct sock *sk)
{
	struct uet_stream *st = uet_stream(sk);

	if (!st->fin_acked || !skb_queue_empty(&st->sent))
		return;
	if (sk->sk_state == TCP_FIN_WAIT1) {
		inet_sk_set_state(sk, TCP_FIN_WAIT2);
		if (sock_flag(sk, SOCK_DEAD))
			st->dead_at = jiffies + UET_STREAM_ORPHAN_TIME;
		sk->sk_state_change(sk);
	} else if (sk->sk_state == TCP_CLOSING || sk->sk_state == TCP_LAST_ACK) {
		uet_stream_done(sk, 0);
	}
}

/*
 * uet_stream_busy() - a peer has no space for another connection: ask it again later
 * Return: false after too long a time.
 */
bool uet_stream_busy(struct sock *sk)
{
	struct uet_stream *st = uet_stream(sk);

	if (time_after_eq(jiffies, st->opened + CONN_OPEN_TIME))
		return false;
	st->pending |= UET_STREAM_PENDS(OPEN);
	st->busy = min(st->busy + 1, CONN_RETRIES);
	st->retry = st->busy;
	conn_failed(sk, -EAGAIN);
	return true;
}

/*
 * uet_stream_be_orphan() - a socket was closed, and goes on until its peer has all bytes
 *
 * It is no process's any more, so the number of such sockets is limited, and one whose peer
 * takes nothing for long ends.
 */
void uet_stream_be_orphan(struct sock *sk)
{
	struct uet_stream *st = uet_stream(sk);

	st->is_orphan = true;
	if (atomic_inc_return(&conn_orphans) > CONN_ORPHANS_MAX) {
		uet_mib_inc(uet_net(sock_net(sk)), UET_MIB_ORPHAN_LIMIT);
		uet_stream_reset(sk, UET_STREAM_CLOSED, 0);
		return;
	}
	st->dead_at = jiffies + UET_STREAM_ORPHAN_TIME;
	uet_stream_arm(sk);
}
