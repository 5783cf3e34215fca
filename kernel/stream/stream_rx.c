// SPDX-License-Identifier: GPL-2.0
/*
 * Received messages of a stream. RUD delivers them in any order; here the bytes get their order
 * back. A message is checked against what was advertised, so what a peer can make this host
 * keep is bounded: the bytes by the window, their number by the distance of messages, and the
 * buffers by copying short messages together.
 */
#include <linux/memcontrol.h>
#include <linux/skbuff.h>
#include <net/tcp_states.h>

#include "endpoint/endpoint.h"
#include "message/message.h"
#include "stream.h"

/* Payload up to this length is copied to a buffer that may get more, bytes. */
#define SRX_COPY	512
#define SRX_BUFFER	SKB_WITH_OVERHEAD(2048)

/* A half open connection that its peer does not confirm ends after this time, jiffies. */
#define SRX_HALF_OPEN	(10 * HZ)

/* Memory of received messages beyond four times the window: of short ones, bytes. */
#define SRX_SLACK	SZ_1M

/* ---------------------------------------------------------- from message to buffer */

/* The packets become the list of fragments of one buffer, however many they are. */
static void srx_chain(struct sk_buff *skb, struct uet_rx_message *rm)
{
	skb_shinfo(skb)->frag_list = rm->skbs.next;
	rm->skbs.prev->next = NULL;
	__skb_queue_head_init(&rm->skbs);
	skb->len = rm->length;
	skb->data_len = rm->length;
	skb->truesize += rm->came;
}

static void srx_copy(struct sk_buff *skb, struct sk_buff_head *packets)
{
	struct sk_buff *packet;

	skb_queue_walk(packets, packet)
		skb_copy_bits(packet, 0, skb_put(skb, packet->len), packet->len);
}

/* May the only packet of a message be the buffer? Of short ones, only while no other waits. */
static bool srx_is_buffer(struct uet_stream *st, const struct uet_rx_message *rm)
{
	return skb_queue_len(&rm->skbs) == 1 &&
	       (rm->length > SRX_COPY ||
		(skb_queue_empty_lockless(&st->in) &&
		 skb_queue_empty_lockless(&st->inet.sk.sk_receive_queue)));
}

/*
 * uet_stream_take() - take the bytes of a complete message
 * Return: a buffer, or NULL without memory.
 */
struct sk_buff *uet_stream_take(struct uet_stream *st, struct uet_rx_message *rm,
				const struct uet_stream_head *head)
{
	bool is_short = rm->length <= SRX_COPY, is_data = head->type == UET_STREAM_DATA;
	struct uet_stream_cb *cb;
	struct sk_buff *skb;

	if (is_data && srx_is_buffer(st, rm))
		skb = __skb_dequeue(&rm->skbs);
	else
		skb = alloc_skb(is_data && !is_short ? 0 : SRX_BUFFER,
				GFP_ATOMIC | __GFP_NOWARN);
	if (!skb)
		return NULL;
	/* Messages other than DATA may have bytes that mean something to later versions. */
	if (is_data && is_short)
		srx_copy(skb, &rm->skbs);
	else if (is_data && !skb_queue_empty(&rm->skbs))
		srx_chain(skb, rm);
	cb = uet_stream_cb(skb);
	memset(cb, 0, sizeof(*cb));
	cb->head = *head;
	cb->seq = head->high;
	cb->end = head->high + skb->len;
	return skb;
}

/* Append bytes to a buffer with space. Return: false if it has none. */
static bool srx_join(struct sk_buff *last, struct sk_buff *skb)
{
	if (skb_is_nonlinear(skb) || skb_cloned(last) || skb->len > skb_tailroom(last))
		return false;
	skb_put_data(last, skb->data, skb->len);
	uet_stream_cb(last)->end = uet_stream_cb(skb)->end;
	return true;
}

/* Append short bytes that follow those of the last message. Under the lock of st->in. */
static bool srx_merge(struct uet_stream *st, struct sk_buff *skb)
{
	struct sk_buff *last = skb_peek_tail(&st->in);
	struct uet_stream_cb *to;

	if (!last || !skb->len)
		return false;
	to = uet_stream_cb(last);
	if (to->head.type != UET_STREAM_DATA || to->end != uet_stream_cb(skb)->seq ||
	    uet_stream_cb(skb)->head.type != UET_STREAM_DATA || !srx_join(last, skb))
		return false;
	to->head.low = uet_stream_cb(skb)->head.low;
	return true;
}

/*
 * uet_stream_enqueue() - note a message for uet_stream_work(), with BH disabled
 */
void uet_stream_enqueue(struct uet_stream *st, struct sk_buff *skb)
{
	u32 limit = 4 * READ_ONCE(st->inet.sk.sk_rcvbuf) + SRX_SLACK;
	bool is_kept = false;

	spin_lock(&st->in.lock);
	if (srx_merge(st, skb)) {
		/* Its bytes are kept, the buffer is not. */
	} else if (st->in_bytes + skb->truesize > limit) {
		st->is_overrun = true;
	} else {
		st->in_bytes += skb->truesize;
		__skb_queue_tail(&st->in, skb);
		is_kept = true;
	}
	spin_unlock(&st->in.lock);
	if (!is_kept)
		consume_skb(skb);
}

static struct sk_buff *srx_dequeue(struct uet_stream *st)
{
	struct sk_buff *skb;

	spin_lock_bh(&st->in.lock);
	skb = __skb_dequeue(&st->in);
	if (skb)
		st->in_bytes -= skb->truesize;
	spin_unlock_bh(&st->in.lock);
	return skb;
}

/* -------------------------------------------------------------------- connections */

/*
 * uet_stream_refuse() - answer a message that no stream takes
 */
void uet_stream_refuse(struct uet_stream_ep *ep, const struct uet_fa *to,
		       const struct uet_stream_head *head, u32 code)
{
	const struct uet_stream_head reset = {
		.version = UET_STREAM_VERSION,
		.type = UET_STREAM_RESET,
		.dst = head->src,
		.src = head->dst,
		.high = code,
	};

	/* Without memory the peer gets the answer to its next message. */
	if (head->type != UET_STREAM_RESET)
		uet_stream_ep_send(ep, to, &reset, NULL, NULL);
}

/* Memory of a connection is charged to the cgroup of the process that listens, not to none. */
static void srx_inherit_cgroup(const struct sock *sk, struct sock *child)
{
#ifdef CONFIG_MEMCG
	if (child->sk_memcg || !sk->sk_memcg)
		return;
	css_get(&sk->sk_memcg->css);
	child->sk_memcg = sk->sk_memcg;
#endif
}

/*
 * A half open connection, locked, with a reference of the caller and one of its own. A peer that
 * does not confirm it, because an address was forged, loses it soon.
 */
static struct sock *srx_make_child(struct sock *sk, struct sk_buff *skb)
{
	struct sock *child = sk_clone_lock(sk, GFP_ATOMIC | __GFP_NOWARN);
	struct uet_stream_listen *listen = uet_stream(sk)->listen;
	const struct uet_stream_cb *cb = uet_stream_cb(skb);
	struct uet_stream *st;

	if (!child)
		return NULL;
	uet_mem_user_hold(uet_stream(child)->user);
	uet_stream_setup(child);
	srx_inherit_cgroup(sk, child);
	st = uet_stream(child);
	st->ep = cb->ep;
	atomic_inc(&st->ep->users);
	st->job = st->ep->job;
	st->own = st->ep->us->fep->cfg.fa;
	memcpy(&st->peer, skb->data, sizeof(st->peer));
	st->peer_port = cb->head.high >> 16;
	st->peer_id = cb->head.src;
	st->snd_edge = cb->head.low;
	st->parent = sk;
	sock_hold(sk);
	st->dead_at = jiffies + SRX_HALF_OPEN;
	uet_stream_publish(child);
	inet_sk_set_state(child, TCP_SYN_RECV);
	spin_lock_bh(&listen->lock);
	list_add_tail(&st->on_queue, &listen->half);
	listen->nr++;
	spin_unlock_bh(&listen->lock);
	return child;
}

static void srx_open(struct sock *sk, struct sk_buff *skb)
{
	const struct uet_stream_cb *cb = uet_stream_cb(skb);
	struct sock *child = NULL;
	int err;

	/* The number only falls meanwhile. */
	if (READ_ONCE(uet_stream(sk)->listen->nr) <= READ_ONCE(sk->sk_max_ack_backlog))
		child = srx_make_child(sk, skb);
	if (!child) {
		uet_mib_inc(uet_net(sock_net(sk)), UET_MIB_STREAM_BUSY);
		uet_stream_refuse(cb->ep, (const struct uet_fa *)skb->data, &cb->head,
				  UET_STREAM_BUSY);
		return;
	}
	__acquire(&child->sk_lock.slock);
	err = uet_stream_ep_hash(uet_stream(child));
	if (!err) {
		uet_stream(child)->pending = UET_STREAM_PENDS(ACCEPT);
		uet_stream_push(child);
	} else {
		uet_stream_reset(child, UET_STREAM_BUSY, 0);
	}
	bh_unlock_sock(child);
	sock_put(child);
}

/* The peer knows that its connection was accepted: it is for accept() now. */
static void srx_establish(struct sock *sk)
{
	struct uet_stream *st = uet_stream(sk);
	struct uet_stream_listen *listen;
	struct sock *parent = st->parent;
	bool is_listed;

	listen = uet_stream(parent)->listen;
	inet_sk_set_state(sk, TCP_ESTABLISHED);
	st->dead_at = 0;
	spin_lock_bh(&listen->lock);
	is_listed = !list_empty(&st->on_queue);
	if (is_listed)
		list_move_tail(&st->on_queue, &listen->queue);
	spin_unlock_bh(&listen->lock);
	/* Else the listening socket ends, and this one with it. */
	if (!is_listed)
		return;
	uet_mib_inc(uet_net(sock_net(sk)), UET_MIB_STREAM_ACCEPTED);
	parent->sk_data_ready(parent);
}

static void srx_accepted(struct sock *sk, const struct uet_stream_head *head)
{
	struct uet_stream *st = uet_stream(sk);

	if (sk->sk_state != TCP_SYN_SENT || !head->src) {
		uet_stream_reset(sk, UET_STREAM_PROTOCOL, EPROTO);
		return;
	}
	WRITE_ONCE(st->peer_id, head->src);
	st->snd_edge = head->low;
	st->retry = 0;
	inet_sk_set_state(sk, TCP_ESTABLISHED);
	uet_mib_inc(uet_net(sock_net(sk)), UET_MIB_STREAM_CONNECTED);
	sk->sk_state_change(sk);
	sk_wake_async(sk, SOCK_WAKE_IO, POLL_OUT);
}

static void srx_reset(struct sock *sk, u32 code)
{
	int error = ECONNRESET;

	if (sk->sk_state == TCP_SYN_SENT) {
		if (code == UET_STREAM_BUSY && uet_stream_busy(sk))
			return;
		error = code == UET_STREAM_BUSY ? ETIMEDOUT :
			code == UET_STREAM_BAD_VERSION ? EPROTONOSUPPORT : ECONNREFUSED;
	} else if (sk->sk_state == TCP_CLOSE_WAIT) {
		error = EPIPE;
	} else if (uet_stream(sk)->fin_acked && skb_queue_empty(&uet_stream(sk)->sent) &&
		   sk->sk_state != TCP_FIN_WAIT2) {
		error = 0;
	}
	uet_mib_inc(uet_net(sock_net(sk)), UET_MIB_STREAM_RESET);
	uet_stream_done(sk, error);
}

/* --------------------------------------------------------------------------- bytes */

/* Charge a buffer to the socket that keeps it. */
static bool srx_charge(struct sock *sk, struct sk_buff *skb)
{
	int missing = skb->truesize - sk->sk_forward_alloc;

	if (missing > 0 && !(uet_stream_may_grow(sk, missing) &&
			     __sk_mem_schedule(sk, missing, SK_MEM_RECV)))
		return false;
	skb_set_owner_r(skb, sk);
	return true;
}

static void srx_append(struct sock *sk, struct sk_buff *skb)
{
	struct sk_buff *last = skb_peek_tail(&sk->sk_receive_queue);
	struct uet_stream *st = uet_stream(sk);

	WRITE_ONCE(st->rcv_nxt, uet_stream_cb(skb)->end);
	if (last && srx_join(last, skb))
		consume_skb(skb);
	else
		__skb_queue_tail(&sk->sk_receive_queue, skb);
}

/* Keep a message that is ahead. Return: false if it contradicts another. */
static bool srx_keep_early(struct uet_stream *st, struct sk_buff *skb)
{
	const struct uet_stream_cb *cb = uet_stream_cb(skb);
	struct sk_buff *prev, *next;

	if (skb_queue_len(&st->early) >= UET_STREAM_AHEAD_MAX)
		return false;
	skb_queue_reverse_walk(&st->early, prev)
		if (uet_stream_before(uet_stream_cb(prev)->seq, cb->seq))
			break;
	if (prev != (struct sk_buff *)&st->early &&
	    uet_stream_before(cb->seq, uet_stream_cb(prev)->end))
		return false;
	next = prev->next;
	if (next != (struct sk_buff *)&st->early &&
	    uet_stream_before(uet_stream_cb(next)->seq, cb->end))
		return false;
	__skb_queue_after(&st->early, prev, skb);
	return true;
}

/* The peer has ended its stream, and all of it has arrived. */
static void srx_fin(struct sock *sk)
{
	WRITE_ONCE(sk->sk_shutdown, sk->sk_shutdown | RCV_SHUTDOWN);
	sock_set_flag(sk, SOCK_DONE);
	switch (sk->sk_state) {
	case TCP_ESTABLISHED:
		inet_sk_set_state(sk, TCP_CLOSE_WAIT);
		break;
	case TCP_FIN_WAIT1:
		inet_sk_set_state(sk, TCP_CLOSING);
		uet_stream_end(sk);
		return;
	case TCP_FIN_WAIT2:
		uet_stream_done(sk, 0);
		return;
	}
	sk->sk_state_change(sk);
	sk_wake_async(sk, SOCK_WAKE_WAITD, POLL_IN);
}

/* Why may bytes up to @end not come? 0: they may. */
static u32 srx_check_data(struct sock *sk, const struct uet_stream_cb *cb)
{
	struct uet_stream *st = uet_stream(sk);

	if (!((1 << sk->sk_state) & (TCPF_ESTABLISHED | TCPF_FIN_WAIT1 | TCPF_FIN_WAIT2)))
		return UET_STREAM_PROTOCOL;
	if (uet_stream_before(cb->seq, st->rcv_nxt) || uet_stream_before(st->edge, cb->end) ||
	    uet_stream_before(cb->end, cb->seq) ||
	    (st->has_fin && uet_stream_before(st->fin_at, cb->end)))
		return UET_STREAM_PROTOCOL;
	return 0;
}

static void srx_take_early(struct sock *sk)
{
	struct uet_stream *st = uet_stream(sk);
	struct sk_buff *skb;

	while ((skb = skb_peek(&st->early)) && uet_stream_cb(skb)->seq == st->rcv_nxt) {
		__skb_unlink(skb, &st->early);
		srx_append(sk, skb);
	}
	if (st->has_fin && st->rcv_nxt == st->fin_at && !sock_flag(sk, SOCK_DONE))
		srx_fin(sk);
}

/* Return: true if the socket keeps @skb. */
static bool srx_data(struct sock *sk, struct sk_buff *skb)
{
	const struct uet_stream_cb *cb = uet_stream_cb(skb);
	struct uet_stream *st = uet_stream(sk);
	u32 code = srx_check_data(sk, cb);

	if (!code && !skb->len)
		return false;
	/* Nobody will read the bytes. */
	if (!code && sock_flag(sk, SOCK_DEAD))
		code = UET_STREAM_CLOSED;
	else if (!code && !srx_charge(sk, skb))
		code = UET_STREAM_NO_MEMORY;
	if (!code && cb->seq != st->rcv_nxt) {
		if (srx_keep_early(st, skb))
			return true;
		code = UET_STREAM_PROTOCOL;
	}
	if (code) {
		uet_stream_reset(sk, code, code == UET_STREAM_NO_MEMORY ? ENOBUFS : ECONNRESET);
		return false;
	}
	srx_append(sk, skb);
	srx_take_early(sk);
	return true;
}

static void srx_end(struct sock *sk, u32 end)
{
	struct uet_stream *st = uet_stream(sk);
	struct sk_buff *last = skb_peek_tail(&st->early);

	if (st->has_fin || uet_stream_before(end, st->rcv_nxt) ||
	    (last && uet_stream_before(end, uet_stream_cb(last)->end)) ||
	    uet_stream_before(st->edge, end)) {
		uet_stream_reset(sk, UET_STREAM_PROTOCOL, ECONNRESET);
		return;
	}
	st->has_fin = true;
	st->fin_at = end;
	srx_take_early(sk);
}

/* ------------------------------------------------------------------------ dispatch */

static void srx_note_edge(struct uet_stream *st, u32 edge)
{
	if (!uet_stream_before(st->snd_edge, edge))
		return;
	st->snd_edge = edge;
	st->retry = 0;
}

/* Return: true if the socket keeps @skb. */
static bool srx_one(struct sock *sk, struct sk_buff *skb)
{
	const struct uet_stream_head *head = &uet_stream_cb(skb)->head;
	struct uet_stream *st = uet_stream(sk);

	st->heard = jiffies;
	if (head->type == UET_STREAM_OPEN) {
		if (sk->sk_state == TCP_LISTEN)
			srx_open(sk, skb);
		else
			uet_stream_refuse(uet_stream_cb(skb)->ep, (void *)skb->data, head,
					  UET_STREAM_REFUSED);
		return false;
	}
	if (sk->sk_state == TCP_CLOSE || sk->sk_state == TCP_LISTEN)
		return false;
	if (head->type == UET_STREAM_ACCEPT || head->type == UET_STREAM_RESET) {
		if (head->type == UET_STREAM_ACCEPT)
			srx_accepted(sk, head);
		else
			srx_reset(sk, head->high);
		return false;
	}
	/* The peer has seen the ACCEPT. */
	if (sk->sk_state == TCP_SYN_RECV && st->parent)
		srx_establish(sk);
	srx_note_edge(st, head->low);
	if (head->type == UET_STREAM_DATA)
		return srx_data(sk, skb);
	if (head->type == UET_STREAM_FIN)
		srx_end(sk, head->high);
	else if (head->type == UET_STREAM_PROBE)
		st->pending |= UET_STREAM_PENDS(WINDOW);
	return false;
}

/* Messages of this end that were acknowledged, or have failed. */
static void srx_acks(struct sock *sk)
{
	struct uet_stream *st = uet_stream(sk);
	unsigned long ended = xchg(&st->ended, 0);
	int error = xchg(&st->tx_error, 0);

	uet_stream_free_acked(sk);
	if (error) {
		uet_stream_done(sk, error);
		return;
	}
	if (ended & UET_STREAM_PENDS(ACCEPT) && sk->sk_state == TCP_SYN_RECV && st->parent)
		srx_establish(sk);
	if (ended & UET_STREAM_PENDS(FIN))
		st->fin_acked = true;
	uet_stream_end(sk);
}

/*
 * uet_stream_work() - do what messages have made necessary; with the spinlock, and no owner but
 *	the caller
 */
void uet_stream_work(struct sock *sk)
{
	struct uet_stream *st = uet_stream(sk);
	u32 before = st->rcv_nxt;
	struct sk_buff *skb;
	int budget;

	for (budget = UET_STREAM_BUDGET; budget; budget--) {
		skb = srx_dequeue(st);
		if (!skb)
			break;
		if (!srx_one(sk, skb))
			kfree_skb(skb);
	}
	if (!budget)
		uet_stream_ep_kick(st);
	if (READ_ONCE(st->is_overrun) && sk->sk_state != TCP_LISTEN) {
		st->is_overrun = false;
		uet_stream_reset(sk, UET_STREAM_PROTOCOL, ECONNRESET);
	}
	srx_acks(sk);
	if (st->rcv_nxt != before && !sock_flag(sk, SOCK_DEAD))
		sk->sk_data_ready(sk);
	if (sk->sk_state != TCP_LISTEN)
		uet_stream_push(sk);
	uet_stream_count(sk);
}
