// SPDX-License-Identifier: GPL-2.0
/*
 * Incoming messages: admission to a socket's receive buffer, and the hand-over
 * of their packets from the PDC, in softirq, to the socket, where sock_recv.c
 * reads them.  Putting packets together is SES's work.  Level: shell.
 *
 * Admission
 * ---------
 * A message reserves receive buffer for all its bytes before its first packet
 * is kept, so that whatever was begun can be finished: no set of half received
 * messages can block one another.  What finds no space is not lost: the PDC
 * refuses the packet and its sender comes read_rsp.  A message longer than the
 * receive buffer reserves all of it and is streamed: it is read while it
 * arrives, and may be one buffer ahead of its reader.  An idle socket admits
 * any message, so every message gets its order.  So does the message at the front
 * of a PDC's window when the PDC has begun a later one, which otherwise would hold
 * the space its predecessor waits for: one message per PDC may exceed the buffer.
 *
 * Who has read a part of a streamed message waits for the rest and reads nothing
 * else.  The PDC sends the rest only when all that precedes it has arrived; were
 * there a streamed message in that, it would wait for its reader in order.  So a
 * message that is to be streamed does not begin before its predecessors are there.
 *
 * How full the buffer is for a source that is to slow down is another matter: what
 * was booked for messages that are still coming says nothing of the reader.  What
 * has come and was not read does.
 *
 * What is booked is payload.  The packet buffers around it are larger, by a
 * factor that the driver decides, 2 to 3 with full packets of the smallest
 * Payload MTU.
 */
#include <linux/skbuff.h>
#include <linux/slab.h>

#include "endpoint/endpoint.h"
#include "gen.h"
#include "msg.h"
#include "posted_recv.h"
#include "rx_match.h"

/*
 * What a message costs besides its bytes: itself, and one packet buffer, which
 * is the least the shortest message sits in.
 */
#define RXMSG_OVERHEAD	(sizeof(struct uet_rx_message) + SKB_TRUESIZE(UET_MTU_MIN))

/*
 * A window smaller than a packet would never open.  Two, so that one can be on
 * its way while the other is read.
 */
#define RXMSG_WINDOW_MIN	(2 * UET_MTU_MAX)

static u32 rx_message_rcvbuf(const struct sock *sk)
{
	return clamp_t(u32, READ_ONCE(sk->sk_rcvbuf), RXMSG_WINDOW_MIN,
		       UET_SOCK_BUF_MAX);
}

/**
 * uet_rx_message_is_half_free() - is half of the receive buffer free?
 * @us: socket
 *
 * Context: Any.
 * Return: true if so; always when no message is there.
 */
bool uet_rx_message_is_half_free(const struct uet_sock *us)
{
	return atomic_read(&us->sk.sk_rmem_alloc) <=
	       rx_message_rcvbuf(&us->sk) / 2;
}

/**
 * uet_rx_message_space() - how far is the reader behind?
 * @us: socket
 * @used: result: bytes that can be read and were not, with what messages cost
 * @size: result: of so many, SO_RCVBUF
 *
 * Context: Any; a moment's look.
 */
void uet_rx_message_space(const struct uet_sock *us, u32 *used, u32 *size)
{
	/* Pairs with the WRITE_ONCE() in rx_message_count(). */
	*used = READ_ONCE(us->rx_unread);
	*size = rx_message_rcvbuf(&us->sk);
}

/* Book @bytes, if nothing else is booked, or all together is within @limit. */
static bool rx_message_reserve(struct sock *sk, u32 bytes, u32 limit)
{
	int old = atomic_read(&sk->sk_rmem_alloc);

	do {
		if (old && (u32)old + bytes > limit)
			return false;
	} while (!atomic_try_cmpxchg(&sk->sk_rmem_alloc, &old, old + bytes));
	return true;
}

static struct uet_rx_message *rx_message_alloc(struct uet_sock *us,
					       const struct uet_fa *from)
{
	struct uet_rx_message *rm;

	rm = kzalloc(sizeof(*rm), GFP_ATOMIC | __GFP_NOWARN);
	if (!rm)
		return NULL;
	rm->us = us;
	rm->from = *from;
	refcount_set(&rm->refs, 1);
	__skb_queue_head_init(&rm->skbs);
	INIT_LIST_HEAD(&rm->link);
	uet_match_msg_init(&rm->match_entry);
	return rm;
}

/**
 * uet_rx_message_admit() - begin to receive a message, if there is space
 * @us: receiving endpoint
 * @req: request header of the packet that came first
 * @from: fabric address of its sender
 * @order: where that packet stands among those of its PDC
 *
 * Context: Softirq, rcu_read_lock() held.  For uet_ses_rx_start() to begin.
 * Return: the message with one reference; NULL if the receive buffer is full, the
 *	message is early and to be streamed, there is no memory, or the endpoint
 *	is going away: try again later.
 */
struct uet_rx_message *uet_rx_message_admit(struct uet_sock *us,
					    const struct uet_ses_req *req,
					    const struct uet_fa *from,
					    enum uet_order order)
{
	u32 rcvbuf = rx_message_rcvbuf(&us->sk);
	u32 window = min(req->request_length, rcvbuf);
	u32 bytes = window + RXMSG_OVERHEAD;
	struct uet_rx_message *rm;

	if (!uet_sock_is_receiving(us))
		return NULL;
	if (req->request_length > rcvbuf && order == UET_ORDER_AHEAD)
		return NULL;
	if (!refcount_inc_not_zero(&us->sk.sk_refcnt))
		return NULL;
	if (!rx_message_reserve(&us->sk, bytes,
				order == UET_ORDER_FILLS_GAP ? INT_MAX
							     : rcvbuf))
		goto err_sock;
	rm = rx_message_alloc(us, from);
	if (!rm)
		goto err_reserve;

	rm->length = req->request_length;
	rm->window = window;
	rm->reserved = bytes;
	return rm;

err_reserve:
	atomic_sub(bytes, &us->sk.sk_rmem_alloc);
err_sock:
	sock_put(&us->sk);
	return NULL;
}

/**
 * uet_rx_message_admit_rma() - begin a message whose bytes go to a memory region
 * @us: endpoint
 * @from: fabric address of its sender
 *
 * It has no bytes to be read and takes no space, so nobody has to read before
 * memory can be written: SES bounds the number of those that are incomplete.
 *
 * Context: Softirq, rcu_read_lock() held.  For uet_ses_rx_start() to begin.
 * Return: the message with one reference; NULL if there is no memory or the
 *	endpoint is going away: try again later.
 */
struct uet_rx_message *uet_rx_message_admit_rma(struct uet_sock *us,
						const struct uet_fa *from)
{
	struct uet_rx_message *rm;

	if (!uet_sock_is_receiving(us) ||
	    !refcount_inc_not_zero(&us->sk.sk_refcnt))
		return NULL;
	rm = rx_message_alloc(us, from);
	if (!rm)
		sock_put(&us->sk);
	return rm;
}

/**
 * uet_rx_message_would_stream() - would a message be read while it arrives?
 * @us: receiving endpoint
 * @length: bytes of the message
 *
 * Context: Any.
 * Return: true if it is longer than the receive buffer.
 */
bool uet_rx_message_would_stream(const struct uet_sock *us, u32 length)
{
	return length > rx_message_rcvbuf(&us->sk);
}

/**
 * uet_rx_message_reserve() - book space for a message that was deferred
 * @rm: message, which has none
 *
 * Context: Any.
 * Return: false if the receive buffer is full.
 */
bool uet_rx_message_reserve(struct uet_rx_message *rm)
{
	u32 rcvbuf = rx_message_rcvbuf(&rm->us->sk);
	u32 window = min(rm->length, rcvbuf);

	if (!rx_message_reserve(&rm->us->sk, window + RXMSG_OVERHEAD, rcvbuf))
		return false;
	rm->window = window;
	rm->reserved = window + RXMSG_OVERHEAD;
	return true;
}

/**
 * uet_rx_message_reserve_note() - book space for telling of the end of RMA
 * @rm: message, from uet_rx_message_admit_rma()
 * @order: where the packet stands that tells so
 *
 * Context: Softirq, lock of the PDC held.
 * Return: false if the receive buffer is full: try again later.
 */
bool uet_rx_message_reserve_note(struct uet_rx_message *rm,
				 enum uet_order order)
{
	struct sock *sk = &rm->us->sk;

	if (rm->reserved)
		return true;
	if (!rx_message_reserve(sk, RXMSG_OVERHEAD,
				order == UET_ORDER_FILLS_GAP ? INT_MAX :
							rx_message_rcvbuf(sk)))
		return false;
	rm->reserved = RXMSG_OVERHEAD;
	return true;
}

/**
 * uet_rx_message_accepts() - may this part of a message be kept now?
 * @rm: message
 * @offset: of the first byte in the message
 * @len: bytes
 *
 * Context: Any.
 * Return: false for a part of a streamed message that lies too far ahead of its
 *	reader; it is to be refused and will come again.  What lies beyond the
 *	end of the message is accepted here, for SES to reject.
 */
bool uet_rx_message_accepts(const struct uet_rx_message *rm, u32 offset,
			    u32 len)
{
	u64 end = (u64)offset + len;

	/* Pairs with the WRITE_ONCE()s under rx_lock: may be stale, then the
	 * packet comes once more.
	 */
	return end > rm->length ||
	       end <= (u64)READ_ONCE(rm->read) + rm->window;
}

/**
 * uet_rx_message_is_streamed() - is the message read while it arrives?
 * @rm: message
 *
 * Context: Any.
 * Return: true if uet_rx_message_deliver() wants each part as soon as it continues
 *	what was delivered, false if it wants the complete message.
 */
bool uet_rx_message_is_streamed(const struct uet_rx_message *rm)
{
	return rm->window < rm->length;
}

/**
 * uet_rx_message_is_orphan() - has the endpoint of the message gone?
 * @rm: message
 *
 * Context: Any.
 * Return: true if the message is to be failed with UET_RC_CANCELLED.
 */
bool uet_rx_message_is_orphan(const struct uet_rx_message *rm)
{
	/* Pairs with the WRITE_ONCE() in uet_sock_purge(). */
	return READ_ONCE(rm->us->rx_closed);
}

/*
 * Deliveries of one message may overtake one another, so each packet is put at
 * its place, from the end, where it nearly always belongs.
 */
static void rx_message_insert(struct uet_rx_message *rm, struct sk_buff *skb)
{
	u32 offset = uet_skb_cb(skb)->seg.offset;
	struct sk_buff *prev;

	skb_queue_reverse_walk(&rm->skbs, prev)
		if (uet_skb_cb(prev)->seg.offset < offset)
			break;
	__skb_queue_after(&rm->skbs, prev, skb);
}

static void rx_message_count(struct uet_sock *us, s64 bytes)
	__must_hold(&us->rx_lock)
{
	/* Pairs with the READ_ONCE() in uet_rx_message_space(). */
	WRITE_ONCE(us->rx_unread, us->rx_unread + bytes);
}

static s64 rx_message_unread(const struct uet_rx_message *rm)
{
	return (s64)RXMSG_OVERHEAD + rm->got - rm->read;
}

/**
 * uet_rx_message_unqueue() - a message leaves the queue of its socket
 * @rm: message in uet_sock.rx_ready; the reference of the queue is the caller's
 *
 * Context: rx_lock held.
 */
void uet_rx_message_unqueue(struct uet_rx_message *rm)
	__must_hold(&rm->us->rx_lock)
{
	lockdep_assert_held(&rm->us->rx_lock);
	list_del_init(&rm->link);
	rx_message_count(rm->us, -rx_message_unread(rm));
}

/**
 * uet_rx_message_read_to() - a reader has taken bytes of a message in the queue
 * @rm: message in uet_sock.rx_ready
 * @pos: offset behind the last of them
 *
 * Context: rx_lock held.
 */
void uet_rx_message_read_to(struct uet_rx_message *rm, u32 pos)
	__must_hold(&rm->us->rx_lock)
{
	lockdep_assert_held(&rm->us->rx_lock);
	rx_message_count(rm->us, (s64)rm->read - pos);
	/* Pairs with the READ_ONCE() in uet_rx_message_accepts(). */
	WRITE_ONCE(rm->read, pos);
}

/*
 * A message is queued when there is something to be read of it, so that whoever
 * has peeked at the first one finds it there again; but no message that a posted
 * receive takes.
 */
static void rx_message_enqueue(struct uet_rx_message *rm,
			       struct uet_rx_take *take)
{
	if (!list_empty(&rm->link) || rm->is_unwanted ||
	    !uet_rx_message_has_report(rm) || uet_rx_match_offer(rm, take))
		return;
	uet_rx_message_get(rm);
	list_add_tail(&rm->link, &rm->us->rx_ready);
	rx_message_count(rm->us, rx_message_unread(rm));
	uet_rx_match_list(rm);
}

/* Take over @segs; what nobody will read goes to @away.  Under rx_lock. */
static void rx_message_take_segs(struct uet_rx_message *rm,
				 struct list_head *segs,
				 struct sk_buff_head *away)
{
	struct uet_ses_seg *seg, *next;

	list_for_each_entry_safe(seg, next, segs, link) {
		list_del(&seg->link);
		rm->got += seg->len;
		if (!list_empty(&rm->link))
			rx_message_count(rm->us, seg->len);
		if (rm->is_unwanted || rm->recv)
			__skb_queue_tail(away, uet_seg_skb(seg));
		else
			rx_message_insert(rm, uet_seg_skb(seg));
	}
	if (rm->is_unwanted)
		WRITE_ONCE(rm->read, rm->got);
}

/**
 * uet_rx_message_deliver() - packets of a message for its reader
 * @rm: message, referenced
 * @segs: struct uet_ses_seg in the packets, taken over; of a message that is
 *	not streamed all at once
 *
 * The message is complete once its bytes are; the order of deliveries does not
 * matter.
 *
 * Context: Softirq or process; the lock of a PDC is held in ROD only.
 */
void uet_rx_message_deliver(struct uet_rx_message *rm, struct list_head *segs)
{
	struct uet_sock *us = rm->us;
	struct uet_rx_take take;

	uet_rx_take_init(&take);
	spin_lock_bh(&us->rx_lock);
	if (us->rx_closed)
		rm->is_unwanted = true;
	rx_message_take_segs(rm, segs, &take.skbs);
	rm->is_complete = rm->got == rm->length;
	if (rm->recv && !rm->is_unwanted)
		uet_rx_match_go_on(rm, &take);
	else
		rx_message_enqueue(rm, &take);
	spin_unlock_bh(&us->rx_lock);

	uet_rx_match_take(rm, &take);
	if (!take.is_placing)
		us->sk.sk_data_ready(&us->sk);
}

/**
 * uet_rx_message_fail() - the rest of a message will never come
 * @rm: message, referenced, incomplete
 * @error: negative errno for its reader
 *
 * Nobody knows yet of a message that is not streamed: it just vanishes, unless a
 * posted receive has taken it, which is told.
 *
 * Context: Softirq or process; the lock of a PDC is held in ROD only.
 */
void uet_rx_message_fail(struct uet_rx_message *rm, int error)
{
	struct uet_sock *us = rm->us;
	struct uet_posted_recv *recv;

	spin_lock_bh(&us->rx_lock);
	WRITE_ONCE(rm->error, error);	/* READ_ONCE in sockrx_read() */
	recv = uet_rx_match_settle(rm);
	spin_unlock_bh(&us->rx_lock);

	if (recv)
		uet_posted_recv_end(us, recv, rm, error);
	if (rm->ops && rm->ops->end)
		rm->ops->end(rm);
	if (uet_rx_message_is_streamed(rm))
		us->sk.sk_data_ready(&us->sk);
}

/**
 * uet_rx_message_has_report() - is there something in it to be read or told?
 * @rm: message
 *
 * Context: rx_lock of its socket held.
 * Return: true if its next byte, its end or its failure is known; of a rendezvous
 *	message its end.
 */
bool uet_rx_message_has_report(const struct uet_rx_message *rm)
{
	struct sk_buff *skb = skb_peek(&rm->skbs);

	lockdep_assert_held(&rm->us->rx_lock);
	return rm->is_complete || rm->error ||
	       (skb && !rm->rdv && uet_skb_cb(skb)->seg.offset <= rm->read);
}

/**
 * uet_rx_message_get() - take a reference
 * @rm: message
 *
 * Context: Any.
 */
void uet_rx_message_get(struct uet_rx_message *rm)
{
	refcount_inc(&rm->refs);
}

/**
 * uet_rx_message_put() - drop a reference
 * @rm: message; with the last one it gives its reservation read_rsp and is freed,
 *	with the packets delivered and not read
 *
 * Context: Any.  SES holds no packets of it any more when the last one goes.
 */
void uet_rx_message_put(struct uet_rx_message *rm)
{
	const struct uet_deferred_ops *deferred;
	struct sock *sk = &rm->us->sk;

	if (!refcount_dec_and_test(&rm->refs))
		return;
	__skb_queue_purge(&rm->skbs);
	if (rm->recv)
		uet_posted_recv_end(rm->us, rm->recv, rm, -ECANCELED);
	atomic_sub(rm->reserved, &sk->sk_rmem_alloc);
	/* Pairs with the second look in rx_defer_begin(). */
	smp_mb__after_atomic();
	uet_gen_note_freed(rm->us);
	/* Pairs with the release in rx_defer_settle(). */
	deferred = smp_load_acquire(&rm->us->deferred_ops);
	if (deferred)
		deferred->use_space(rm->us);
	if (rm->ops)
		rm->ops->free(rm);
	kfree(rm);
	sock_put(sk);
}
