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
 * messages can block one another.  What finds no room is not lost: the PDC
 * refuses the packet and its sender comes back.  A message longer than the
 * receive buffer reserves all of it and is streamed: it is read while it
 * arrives, and may be one buffer ahead of its reader.  An idle socket admits
 * any message, so every message gets its turn.  So does the message at the front
 * of a PDC's window when the PDC has begun a later one, which otherwise would hold
 * the room its predecessor waits for: one message per PDC may exceed the buffer.
 *
 * Who has read a part of a streamed message waits for the rest and reads nothing
 * else.  The PDC sends the rest only when all that precedes it has arrived; were
 * there a streamed message in that, it would wait for its reader in turn.  So a
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

#include "pdc/defer.h"
#include "gen.h"
#include "msg.h"
#include "pdc/rdv.h"
#include "recv.h"
#include "rxrecv.h"
#include "socket/sock.h"

/*
 * What a message costs besides its bytes: itself, and one packet buffer, which
 * is the least the shortest message sits in.
 */
#define RXMSG_OVERHEAD	(sizeof(struct uet_rxmsg) + SKB_TRUESIZE(UET_MTU_MIN))

/*
 * A window smaller than a packet would never open.  Two, so that one can be on
 * its way while the other is read.
 */
#define RXMSG_WINDOW_MIN	(2 * UET_MTU_MAX)

static u32 rxmsg_rcvbuf(const struct sock *sk)
{
	return clamp_t(u32, READ_ONCE(sk->sk_rcvbuf), RXMSG_WINDOW_MIN,
		       UET_SOCK_BUF_MAX);
}

/**
 * uet_rxmsg_is_half_free() - is half of the receive buffer free?
 * @us: socket
 *
 * Context: Any.
 * Return: true if so; always when no message is there.
 */
bool uet_rxmsg_is_half_free(const struct uet_sock *us)
{
	return atomic_read(&us->sk.sk_rmem_alloc) <= rxmsg_rcvbuf(&us->sk) / 2;
}

/**
 * uet_rxmsg_room() - how far is the reader behind?
 * @us: socket
 * @used: result: bytes that can be read and were not, with what messages cost
 * @size: result: of so many, SO_RCVBUF
 *
 * Context: Any; a moment's look.
 */
void uet_rxmsg_room(const struct uet_sock *us, u32 *used, u32 *size)
{
	/* Pairs with the WRITE_ONCE() in rxmsg_count(). */
	*used = READ_ONCE(us->rx_unread);
	*size = rxmsg_rcvbuf(&us->sk);
}

/* Book @bytes, if nothing else is booked, or all together is within @limit. */
static bool rxmsg_reserve(struct sock *sk, u32 bytes, u32 limit)
{
	int old = atomic_read(&sk->sk_rmem_alloc);

	do {
		if (old && (u32)old + bytes > limit)
			return false;
	} while (!atomic_try_cmpxchg(&sk->sk_rmem_alloc, &old, old + bytes));
	return true;
}

static struct uet_rxmsg *rxmsg_alloc(struct uet_sock *us,
				     const struct uet_fa *from)
{
	struct uet_rxmsg *rm;

	rm = kzalloc(sizeof(*rm), GFP_ATOMIC | __GFP_NOWARN);
	if (!rm)
		return NULL;
	rm->us = us;
	rm->from = *from;
	refcount_set(&rm->refs, 1);
	__skb_queue_head_init(&rm->skbs);
	INIT_LIST_HEAD(&rm->link);
	uet_match_msg_init(&rm->um);
	return rm;
}

/**
 * uet_rxmsg_admit() - begin to receive a message, if there is room
 * @us: receiving endpoint
 * @req: request header of the packet that came first
 * @from: fabric address of its sender
 * @turn: where that packet stands among those of its PDC
 *
 * Context: Softirq, rcu_read_lock() held.  For uet_ses_rx_start() to begin.
 * Return: the message with one reference; NULL if the receive buffer is full, the
 *	message is early and to be streamed, there is no memory, or the endpoint
 *	is going away: try again later.
 */
struct uet_rxmsg *uet_rxmsg_admit(struct uet_sock *us,
				  const struct uet_ses_req *req,
				  const struct uet_fa *from,
				  enum uet_turn turn)
{
	u32 rcvbuf = rxmsg_rcvbuf(&us->sk);
	u32 window = min(req->request_length, rcvbuf);
	u32 bytes = window + RXMSG_OVERHEAD;
	struct uet_rxmsg *rm;

	if (!uet_sock_is_receiving(us))
		return NULL;
	if (req->request_length > rcvbuf && turn == UET_TURN_EARLY)
		return NULL;
	if (!refcount_inc_not_zero(&us->sk.sk_refcnt))
		return NULL;
	if (!rxmsg_reserve(&us->sk, bytes,
			   turn == UET_TURN_OVERTAKEN ? INT_MAX : rcvbuf))
		goto err_sock;
	rm = rxmsg_alloc(us, from);
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
 * uet_rxmsg_admit_rma() - begin a message whose bytes go to a memory region
 * @us: endpoint
 * @from: fabric address of its sender
 *
 * It has no bytes to be read and takes no room, so nobody has to read before
 * memory can be written: SES bounds the number of those that are incomplete.
 *
 * Context: Softirq, rcu_read_lock() held.  For uet_ses_rx_start() to begin.
 * Return: the message with one reference; NULL if there is no memory or the
 *	endpoint is going away: try again later.
 */
struct uet_rxmsg *uet_rxmsg_admit_rma(struct uet_sock *us,
				      const struct uet_fa *from)
{
	struct uet_rxmsg *rm;

	if (!uet_sock_is_receiving(us) ||
	    !refcount_inc_not_zero(&us->sk.sk_refcnt))
		return NULL;
	rm = rxmsg_alloc(us, from);
	if (!rm)
		sock_put(&us->sk);
	return rm;
}

/**
 * uet_rxmsg_would_stream() - would a message be read while it arrives?
 * @us: receiving endpoint
 * @length: bytes of the message
 *
 * Context: Any.
 * Return: true if it is longer than the receive buffer.
 */
bool uet_rxmsg_would_stream(const struct uet_sock *us, u32 length)
{
	return length > rxmsg_rcvbuf(&us->sk);
}

/**
 * uet_rxmsg_reserve() - book room for a message that was deferred
 * @rm: message, which has none
 *
 * Context: Any.
 * Return: false if the receive buffer is full.
 */
bool uet_rxmsg_reserve(struct uet_rxmsg *rm)
{
	u32 rcvbuf = rxmsg_rcvbuf(&rm->us->sk);
	u32 window = min(rm->length, rcvbuf);

	if (!rxmsg_reserve(&rm->us->sk, window + RXMSG_OVERHEAD, rcvbuf))
		return false;
	rm->window = window;
	rm->reserved = window + RXMSG_OVERHEAD;
	return true;
}

/**
 * uet_rxmsg_reserve_note() - book room for telling of the end of RMA
 * @rm: message, from uet_rxmsg_admit_rma()
 * @turn: where the packet stands that tells so
 *
 * Context: Softirq, lock of the PDC held.
 * Return: false if the receive buffer is full: try again later.
 */
bool uet_rxmsg_reserve_note(struct uet_rxmsg *rm, enum uet_turn turn)
{
	struct sock *sk = &rm->us->sk;

	if (rm->reserved)
		return true;
	if (!rxmsg_reserve(sk, RXMSG_OVERHEAD,
			   turn == UET_TURN_OVERTAKEN ? INT_MAX :
							rxmsg_rcvbuf(sk)))
		return false;
	rm->reserved = RXMSG_OVERHEAD;
	return true;
}

/**
 * uet_rxmsg_accepts() - may this part of a message be kept now?
 * @rm: message
 * @offset: of the first byte in the message
 * @len: bytes
 *
 * Context: Any.
 * Return: false for a part of a streamed message that lies too far ahead of its
 *	reader; it is to be refused and will come again.  What lies beyond the
 *	end of the message is accepted here, for SES to reject.
 */
bool uet_rxmsg_accepts(const struct uet_rxmsg *rm, u32 offset, u32 len)
{
	u64 end = (u64)offset + len;

	/* Pairs with the WRITE_ONCE()s under rx_lock: may be stale, then the
	 * packet comes once more.
	 */
	return end > rm->length ||
	       end <= (u64)READ_ONCE(rm->read) + rm->window;
}

/**
 * uet_rxmsg_is_streamed() - is the message read while it arrives?
 * @rm: message
 *
 * Context: Any.
 * Return: true if uet_rxmsg_deliver() wants each part as soon as it continues
 *	what was delivered, false if it wants the complete message.
 */
bool uet_rxmsg_is_streamed(const struct uet_rxmsg *rm)
{
	return rm->window < rm->length;
}

/**
 * uet_rxmsg_is_orphan() - has the endpoint of the message gone?
 * @rm: message
 *
 * Context: Any.
 * Return: true if the message is to be failed with UET_RC_CANCELLED.
 */
bool uet_rxmsg_is_orphan(const struct uet_rxmsg *rm)
{
	/* Pairs with the WRITE_ONCE() in uet_sock_purge(). */
	return READ_ONCE(rm->us->rx_closed);
}

/*
 * Deliveries of one message may overtake one another, so each packet is put at
 * its place, from the end, where it nearly always belongs.
 */
static void rxmsg_insert(struct uet_rxmsg *rm, struct sk_buff *skb)
{
	u32 offset = uet_skb_cb(skb)->seg.offset;
	struct sk_buff *prev;

	skb_queue_reverse_walk(&rm->skbs, prev)
		if (uet_skb_cb(prev)->seg.offset < offset)
			break;
	__skb_queue_after(&rm->skbs, prev, skb);
}

static void rxmsg_count(struct uet_sock *us, s64 bytes)
	__must_hold(&us->rx_lock)
{
	/* Pairs with the READ_ONCE() in uet_rxmsg_room(). */
	WRITE_ONCE(us->rx_unread, us->rx_unread + bytes);
}

static s64 rxmsg_unread(const struct uet_rxmsg *rm)
{
	return (s64)RXMSG_OVERHEAD + rm->got - rm->read;
}

/**
 * uet_rxmsg_unqueue() - a message leaves the queue of its socket
 * @rm: message in uet_sock.rx_ready; the reference of the queue is the caller's
 *
 * Context: rx_lock held.
 */
void uet_rxmsg_unqueue(struct uet_rxmsg *rm)
	__must_hold(&rm->us->rx_lock)
{
	lockdep_assert_held(&rm->us->rx_lock);
	list_del_init(&rm->link);
	rxmsg_count(rm->us, -rxmsg_unread(rm));
}

/**
 * uet_rxmsg_read_to() - a reader has taken bytes of a message in the queue
 * @rm: message in uet_sock.rx_ready
 * @pos: offset behind the last of them
 *
 * Context: rx_lock held.
 */
void uet_rxmsg_read_to(struct uet_rxmsg *rm, u32 pos)
	__must_hold(&rm->us->rx_lock)
{
	lockdep_assert_held(&rm->us->rx_lock);
	rxmsg_count(rm->us, (s64)rm->read - pos);
	/* Pairs with the READ_ONCE() in uet_rxmsg_accepts(). */
	WRITE_ONCE(rm->read, pos);
}

/*
 * A message is queued when there is something to be read of it, so that whoever
 * has peeked at the first one finds it there again; but no message that a posted
 * receive takes.
 */
static void rxmsg_enqueue(struct uet_rxmsg *rm, struct uet_rxtake *take)
{
	if (!list_empty(&rm->link) || rm->is_unwanted ||
	    !uet_rxmsg_has_news(rm) || uet_rxmsg_offer(rm, take))
		return;
	uet_rxmsg_get(rm);
	list_add_tail(&rm->link, &rm->us->rx_ready);
	rxmsg_count(rm->us, rxmsg_unread(rm));
	uet_rxmsg_list(rm);
}

/* Take over @segs; what nobody will read goes to @away.  Under rx_lock. */
static void rxmsg_take_segs(struct uet_rxmsg *rm, struct list_head *segs,
			    struct sk_buff_head *away)
{
	struct uet_ses_seg *seg, *next;

	list_for_each_entry_safe(seg, next, segs, link) {
		list_del(&seg->link);
		rm->got += seg->len;
		if (!list_empty(&rm->link))
			rxmsg_count(rm->us, seg->len);
		if (rm->is_unwanted || rm->recv)
			__skb_queue_tail(away, uet_seg_skb(seg));
		else
			rxmsg_insert(rm, uet_seg_skb(seg));
	}
	if (rm->is_unwanted)
		WRITE_ONCE(rm->read, rm->got);
}

/**
 * uet_rxmsg_deliver() - packets of a message for its reader
 * @rm: message, referenced
 * @segs: struct uet_ses_seg in the packets, taken over; of a message that is
 *	not streamed all at once
 *
 * The message is complete once its bytes are; the order of deliveries does not
 * matter.
 *
 * Context: Softirq or process; the lock of a PDC is held in ROD only.
 */
void uet_rxmsg_deliver(struct uet_rxmsg *rm, struct list_head *segs)
{
	struct uet_sock *us = rm->us;
	struct uet_rxtake take;

	uet_rxtake_init(&take);
	spin_lock_bh(&us->rx_lock);
	if (us->rx_closed)
		rm->is_unwanted = true;
	rxmsg_take_segs(rm, segs, &take.skbs);
	rm->is_complete = rm->got == rm->length;
	if (rm->recv && !rm->is_unwanted)
		uet_rxmsg_go_on(rm, &take);
	else
		rxmsg_enqueue(rm, &take);
	spin_unlock_bh(&us->rx_lock);

	uet_rxmsg_take(rm, &take);
	if (!take.is_placing)
		us->sk.sk_data_ready(&us->sk);
}

/**
 * uet_rxmsg_fail() - the rest of a message will never come
 * @rm: message, referenced, incomplete
 * @error: negative errno for its reader
 *
 * Nobody knows yet of a message that is not streamed: it just vanishes, unless a
 * posted receive has taken it, which is told.
 *
 * Context: Softirq or process; the lock of a PDC is held in ROD only.
 */
void uet_rxmsg_fail(struct uet_rxmsg *rm, int error)
{
	struct uet_sock *us = rm->us;
	struct uet_recv *recv;

	spin_lock_bh(&us->rx_lock);
	WRITE_ONCE(rm->error, error);	/* READ_ONCE in sockrx_read() */
	recv = uet_rxmsg_settle(rm);
	spin_unlock_bh(&us->rx_lock);

	if (recv)
		uet_recv_end(us, recv, rm, error);
	uet_rxrdv_end(rm);
	if (uet_rxmsg_is_streamed(rm))
		us->sk.sk_data_ready(&us->sk);
}

/**
 * uet_rxmsg_has_news() - is there something in it to be read or told?
 * @rm: message
 *
 * Context: rx_lock of its socket held.
 * Return: true if its next byte, its end or its failure is known; of a rendezvous
 *	message its end.
 */
bool uet_rxmsg_has_news(const struct uet_rxmsg *rm)
{
	struct sk_buff *skb = skb_peek(&rm->skbs);

	lockdep_assert_held(&rm->us->rx_lock);
	return rm->is_complete || rm->error ||
	       (skb && !rm->rdv && uet_skb_cb(skb)->seg.offset <= rm->read);
}

/**
 * uet_rxmsg_get() - take a reference
 * @rm: message
 *
 * Context: Any.
 */
void uet_rxmsg_get(struct uet_rxmsg *rm)
{
	refcount_inc(&rm->refs);
}

/**
 * uet_rxmsg_put() - drop a reference
 * @rm: message; with the last one it gives its reservation back and is freed,
 *	with the packets delivered and not read
 *
 * Context: Any.  SES holds no packets of it any more when the last one goes.
 */
void uet_rxmsg_put(struct uet_rxmsg *rm)
{
	struct sock *sk = &rm->us->sk;

	if (!refcount_dec_and_test(&rm->refs))
		return;
	__skb_queue_purge(&rm->skbs);
	if (rm->recv)
		uet_recv_end(rm->us, rm->recv, rm, -ECANCELED);
	atomic_sub(rm->reserved, &sk->sk_rmem_alloc);
	/* Pairs with the second look in rxdefer_begin(). */
	smp_mb__after_atomic();
	uet_gen_note_freed(rm->us);
	uet_rxdefer_use_room(rm->us);
	uet_rxdefer_free(rm);
	uet_rxrdv_free(rm);
	kfree(rm);
	sock_put(sk);
}
