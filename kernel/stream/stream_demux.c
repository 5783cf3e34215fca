// SPDX-License-Identifier: GPL-2.0
/*
 * From a message at an endpoint to the stream that it is for: by the connection id of its
 * receiver, its sender, and the id of that; an OPEN goes to the socket that listens on its port.
 */
#include <net/sock.h>

#include "endpoint/endpoint.h"
#include "message/message.h"
#include "stream.h"

/* Is a message one of a connection that this stream has with its sender? */
static bool sdemux_is_of(const struct uet_stream *st, const struct uet_stream_head *head,
		      const struct uet_fa *from)
{
	u32 peer_id = READ_ONCE(st->peer_id);

	if (!uet_fa_equal(&st->peer, from))
		return false;
	/* Only the answer to an OPEN tells the id of the peer. */
	return peer_id ? peer_id == head->src : head->type == UET_STREAM_ACCEPT ||
						head->type == UET_STREAM_RESET;
}

/* The stream that a message is for, with a reference, or NULL. */
static struct sock *sdemux_look_up(struct uet_stream_ep *ep, const struct uet_stream_head *head,
				const struct uet_fa *from)
{
	struct uet_stream *st;
	struct sock *sk = NULL;

	if (head->type == UET_STREAM_OPEN)
		return uet_stream_find_listener(ep, (u16)head->high, head->high ^ head->src);
	rcu_read_lock();
	st = uet_stream_ep_find(ep, head->dst);
	if (st && sdemux_is_of(st, head, from) && refcount_inc_not_zero(&st->inet.sk.sk_refcnt))
		sk = &st->inet.sk;
	rcu_read_unlock();
	return sk;
}

static void sdemux_open(struct uet_stream_ep *ep, struct uet_stream *st, struct sk_buff *skb,
		     const struct uet_fa *from)
{
	uet_stream_cb(skb)->ep = ep;
	skb_put_data(skb, from, sizeof(*from));
	uet_stream_enqueue(st, skb);
}

/* Drops the reference of the caller. */
static void sdemux_run(struct sock *sk)
{
	bh_lock_sock(sk);
	if (!sock_owned_by_user(sk))
		uet_stream_work(sk);
	bh_unlock_sock(sk);
	sock_put(sk);
}

static void sdemux_message(struct uet_stream_ep *ep, struct uet_rx_message *rm)
{
	struct uet_stream_head head;
	struct sk_buff *skb;
	struct sock *sk;

	uet_stream_head_read(&head, rm->ses.req.match, rm->ses.req.header_data);
	if (head.version != UET_STREAM_VERSION) {
		if (head.type == UET_STREAM_OPEN)
			uet_stream_refuse(ep, &rm->from, &head, UET_STREAM_BAD_VERSION);
		return;
	}
	if (!head.type || head.type > UET_STREAM_PROBE)
		return;
	sk = sdemux_look_up(ep, &head, &rm->from);
	if (!sk) {
		uet_stream_refuse(ep, &rm->from, &head, head.type == UET_STREAM_OPEN ?
				  UET_STREAM_REFUSED : UET_STREAM_UNKNOWN);
		return;
	}
	skb = uet_stream_take(uet_stream(sk), rm, &head);
	if (!skb && head.type == UET_STREAM_OPEN)
		uet_stream_refuse(ep, &rm->from, &head, UET_STREAM_BUSY);
	else if (!skb)
		WRITE_ONCE(uet_stream(sk)->tx_error, ENOBUFS);
	else if (head.type == UET_STREAM_OPEN)
		sdemux_open(ep, uet_stream(sk), skb, &rm->from);
	else
		uet_stream_enqueue(uet_stream(sk), skb);
	sdemux_run(sk);
}

/*
 * uet_stream_demux() - the tasklet of an endpoint
 */
void uet_stream_demux(struct tasklet_struct *tasklet)
{
	struct uet_stream_ep *ep = container_of(tasklet, struct uet_stream_ep, tasklet);
	struct uet_rx_message *rm = NULL;
	struct sock *sk = NULL;
	int budget;

	/* The run of a stream may use the endpoint last. */
	for (budget = UET_STREAM_BUDGET; budget; budget--) {
		rm = uet_stream_ep_next_message(ep);
		if (rm) {
			sdemux_message(ep, rm);
			uet_rx_message_put(rm);
		}
		sk = uet_stream_ep_next_ready(ep);
		if (sk)
			sdemux_run(sk);
		if (!rm && !sk)
			return;
	}
	tasklet_schedule(&ep->tasklet);
}
