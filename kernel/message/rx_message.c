// SPDX-License-Identifier: GPL-2.0
/*
 * Incoming messages: admission to a socket's receive buffer, and delivery of
 * their packets from the PDC, in softirq, to the socket, where sock_recv.c
 * reads them. SES reassembles the packets.
 *
 * Admission
 * ---------
 * A message reserves receive buffer for all its bytes before its first packet
 * is kept, so that every started message can be finished and partly received
 * messages cannot block one another. A message without space is not lost: the
 * PDC refuses the packet with a NACK and its sender retransmits it. A message
 * longer than the receive buffer reserves the whole buffer and is streamed: it
 * is read while it arrives, and may be one buffer ahead of its reader. An idle
 * socket admits any message, so every message is admitted eventually.
 *
 * The message at the front of a PDC's window can depend on space that later
 * messages of the PDC hold, and these cannot finish before it. Messages of
 * several PDCs, or to several endpoints, can depend on each other in this way.
 * Such a message fills a gap. If the buffer is full, it reserves space in a
 * second budget of the endpoint, which has the size of the buffer and which an
 * idle endpoint gives to any message. Each message in this budget was at the
 * front of its window, so it finishes without further space, and its reader
 * gives the space to the next. An endpoint therefore reserves at most two
 * buffers and the overhead of two messages, whatever the number of PDCs and
 * peers.
 *
 * The reader of a partly read streamed message waits for the rest and reads
 * nothing else. The PDC sends the rest only when all earlier data has arrived.
 * If that data contained another streamed message, this message would in turn
 * wait for its reader. A message that will be streamed therefore does not start
 * before all its predecessors have arrived.
 *
 * A message that no receive waits for must not keep out one that a receive waits for.
 * Where receives are posted, a message of at most UET_KEPT_MAX bytes is therefore kept
 * beyond a full buffer: it takes little more memory than the envelope of a deferred
 * message, and counts as one (UET_ENVELOPES).
 *
 * The buffer fill level that a source uses for its rate is a different value.
 * Reservations for messages in progress are not caused by the reader. Bytes
 * that have arrived and are unread are.
 *
 * Reservations count payload against SO_RCVBUF. Memory is charged beside them
 * (endpoint/mem.c), as it arrives: a message is charged for its structure and
 * for at most twice the packet buffers that have come. So a sender that does not
 * go on costs what it has sent and RX_MESSAGE_START. Each time there must be a
 * place for the packet buffers of all of the message. So of all messages in
 * progress the one that was charged last can be finished without another, then
 * the one before it. A message or a packet that finds no memory is refused like
 * one without space.
 */
#include <linux/skbuff.h>
#include <linux/slab.h>

#include "endpoint/endpoint.h"
#include "gen.h"
#include "msg.h"
#include "posted_recv.h"
#include "rx_match.h"

/*
 * Overhead of a message: its structure and one packet buffer, the minimum for
 * the shortest message.
 */
#define RX_MESSAGE_OVERHEAD	(sizeof(struct uet_rx_message) + SKB_TRUESIZE(UET_MTU_MIN))

/* Payload that is charged in advance. */
#define RX_MESSAGE_START	(64U << 10)

/* Most memory that is charged to a message: sums of it must fit an int. */
#define RX_MESSAGE_CHARGE_MAX	BIT(30)

/*
 * A window below one packet would never open. Two packets: one in flight while
 * the other is read.
 */
#define RX_MESSAGE_WINDOW_MIN	(2 * UET_MTU_MAX)

static u32 rx_message_rcvbuf(const struct sock *sk)
{
	return clamp_t(u32, READ_ONCE(sk->sk_rcvbuf), RX_MESSAGE_WINDOW_MIN,
		       uet_mem_rcvbuf_max());
}

/*
 * Check whether half of the receive buffer is free.
 * Return: true if so; always true without messages.
 */
bool uet_rx_message_is_half_free(const struct uet_sock *us)
{
	return atomic_read(&us->sk.sk_rmem_alloc) <=
	       rx_message_rcvbuf(&us->sk) / 2;
}

/**
 * uet_rx_message_space() - unread bytes of a socket
 * @us: socket
 * @used: result: readable, unread bytes plus the overhead of their messages
 * @size: result: SO_RCVBUF, bytes
 *
 * Context: Any; a snapshot.
 */
void uet_rx_message_space(const struct uet_sock *us, u32 *used, u32 *size)
{
	/* Pairs with the WRITE_ONCE() in rx_message_count(). */
	*used = READ_ONCE(us->rx_unread);
	*size = rx_message_rcvbuf(&us->sk);
}

/* Reserve @bytes if nothing is reserved, or if the sum is within @limit. */
static bool rx_message_reserve(atomic_t *reserved, u32 bytes, u32 limit)
{
	int old = atomic_read(reserved);

	do {
		if (old && (u32)old + bytes > limit)
			return false;
	} while (!atomic_try_cmpxchg(reserved, &old, old + bytes));
	return true;
}

/*
 * Reserve space for a message, in the budget of gaps only if the buffer is
 * full. Result in @fills_gap: the budget.
 */
static bool rx_message_reserve_any(struct uet_sock *us, u32 bytes,
				   enum uet_order order, bool *fills_gap)
{
	u32 rcvbuf = rx_message_rcvbuf(&us->sk);

	*fills_gap = false;
	if (rx_message_reserve(&us->sk.sk_rmem_alloc, bytes, rcvbuf))
		return true;
	if (order != UET_ORDER_FILLS_GAP ||
	    !rx_message_reserve(&us->rx_gap_bytes, bytes, rcvbuf))
		return false;
	atomic_add(bytes, &us->sk.sk_rmem_alloc);
	*fills_gap = true;
	return true;
}

/*
 * The buffer is full. Return: true if the message is kept all the same, and counted in
 * uet_sock.nr_envelopes. One that may be deferred is, and with generations it is refused.
 */
static bool rx_message_keep(struct uet_sock *us, const struct uet_ses_req *req)
{
	bool is_kept;

	if (!uet_recv_is_used(us) || us->gen_policy || !req->som || !req->eom ||
	    req->request_length > UET_KEPT_MAX || uet_ses_rx_is_deferrable(req))
		return false;
	spin_lock_bh(&us->rx_lock);
	is_kept = us->nr_envelopes < READ_ONCE(us->envelope_max);
	us->nr_envelopes += is_kept;
	spin_unlock_bh(&us->rx_lock);
	return is_kept;
}

/* Give up the reservation, or the place of a message that is kept without one. */
static void rx_message_release(struct uet_sock *us, u32 bytes, bool fills_gap,
			       bool is_kept)
{
	if (is_kept) {
		spin_lock_bh(&us->rx_lock);
		us->nr_envelopes--;
		spin_unlock_bh(&us->rx_lock);
		return;
	}
	atomic_sub(bytes, &us->sk.sk_rmem_alloc);
	if (fills_gap)
		atomic_sub(bytes, &us->rx_gap_bytes);
}

/* Return: a message that is charged for @bytes and can get @most, or NULL. */
static struct uet_rx_message *rx_message_alloc(struct uet_sock *us,
					       const struct uet_fa *from,
					       u32 bytes, u32 most)
{
	struct uet_rx_message *rm;

	if (!uet_mem_change_rx(us, 0, bytes, most))
		return NULL;
	rm = kzalloc(sizeof(*rm), GFP_ATOMIC | __GFP_NOWARN);
	if (!rm) {
		uet_mem_uncharge_rx(us, bytes);
		return NULL;
	}
	rm->us = us;
	rm->charged = bytes;
	rm->most = most;
	rm->from = *from;
	refcount_set(&rm->refs, 1);
	__skb_queue_head_init(&rm->skbs);
	INIT_LIST_HEAD(&rm->link);
	uet_match_msg_init(&rm->match_entry);
	return rm;
}

/**
 * uet_rx_message_charge() - charge memory that belongs to a message
 * @rm: new message; the memory is uncharged with it
 * @bytes: number of bytes
 *
 * Return: false if there is no memory.
 */
bool uet_rx_message_charge(struct uet_rx_message *rm, u32 bytes)
{
	if (!uet_mem_charge_rx(rm->us, bytes))
		return false;
	rm->charged += bytes;
	rm->most += bytes;
	return true;
}

/**
 * uet_rx_message_admit() - start receiving a message, if there is space
 * @us: receiving endpoint
 * @req: request header of the first packet to arrive
 * @from: fabric address of its sender
 * @order: position of that packet in the PSN order of its PDC
 *
 * Context: Softirq, rcu_read_lock() held. For uet_ses_rx_start() to start.
 * Return: the message with one reference; NULL if the receive buffer is full, a
 *	message to be streamed is out of order, there is no memory, or the
 *	endpoint is closing: retry later.
 */
struct uet_rx_message *uet_rx_message_admit(struct uet_sock *us,
					    const struct uet_ses_req *req,
					    const struct uet_fa *from,
					    enum uet_order order)
{
	u32 rcvbuf = rx_message_rcvbuf(&us->sk);
	u32 window = min(req->request_length, rcvbuf);
	u32 bytes = window + RX_MESSAGE_OVERHEAD;
	bool fills_gap, is_kept = false;
	struct uet_rx_message *rm;

	if (!uet_sock_is_receiving(us))
		return NULL;
	if (req->request_length > rcvbuf && order == UET_ORDER_AHEAD)
		return NULL;
	if (!refcount_inc_not_zero(&us->sk.sk_refcnt))
		return NULL;
	if (!rx_message_reserve_any(us, bytes, order, &fills_gap)) {
		is_kept = rx_message_keep(us, req);
		if (!is_kept)
			goto err_sock;
	}
	rm = rx_message_alloc(us, from, min(window, RX_MESSAGE_START) +
			      RX_MESSAGE_OVERHEAD, bytes);
	if (!rm)
		goto err_reserve;

	rm->length = req->request_length;
	rm->window = window;
	rm->reserved = is_kept ? 0 : bytes;
	rm->fills_gap = fills_gap;
	rm->is_kept = is_kept;
	return rm;

err_reserve:
	rx_message_release(us, bytes, fills_gap, is_kept);
err_sock:
	sock_put(&us->sk);
	return NULL;
}

/**
 * uet_rx_message_admit_rma() - start a message whose bytes go to a memory
 *	region
 * @us: endpoint
 * @from: fabric address of its sender
 *
 * The message has no readable bytes and reserves no space, so writes to memory
 * do not depend on a reader. SES limits the number of incomplete messages.
 *
 * Context: Softirq, rcu_read_lock() held. For uet_ses_rx_start() to start.
 * Return: the message with one reference; NULL if there is no memory or the
 *	endpoint is closing: retry later.
 */
struct uet_rx_message *uet_rx_message_admit_rma(struct uet_sock *us,
						const struct uet_fa *from)
{
	struct uet_rx_message *rm;

	if (!uet_sock_is_receiving(us) ||
	    !refcount_inc_not_zero(&us->sk.sk_refcnt))
		return NULL;
	rm = rx_message_alloc(us, from, sizeof(*rm), sizeof(*rm));
	if (!rm)
		sock_put(&us->sk);
	return rm;
}

/* Charge a message, which needs @most in the end, for @truesize bytes that come. */
static bool rx_message_cover(struct uet_rx_message *rm, u32 truesize, u32 most)
{
	u32 came = min_t(u64, (u64)rm->came + truesize, RX_MESSAGE_CHARGE_MAX);
	u32 need = min_t(u32, sizeof(*rm) + came, most);
	u32 bytes = rm->charged;

	if (need > bytes)
		bytes = min(2 * need, most);
	if ((bytes > rm->charged || most > rm->most) &&
	    !uet_mem_change_rx(rm->us, rm->charged, bytes, max(bytes, most))) {
		/* Its sender goes on, and waits for memory here. */
		WRITE_ONCE(rm->seen_ns, 0);
		return false;
	}
	rm->came = came;
	rm->charged = bytes;
	rm->most = max(rm->most, most);
	return true;
}

/**
 * uet_rx_message_hold_run() - charge a message for packets no larger than earlier ones
 * @rm: message that keeps its packets, with its reservation
 * @truesize: of their buffers together, bytes
 *
 * Context: Softirq, lock of the PDC held.
 * Return: false if there is no memory.
 */
bool uet_rx_message_hold_run(struct uet_rx_message *rm, u32 truesize)
{
	return rx_message_cover(rm, truesize, rm->most);
}

/**
 * uet_rx_message_hold_all() - charge a message for all that it needs in the end
 * @rm: message that keeps its packets, with its reservation; its packets are not refused
 *
 * Context: Softirq, lock of the PDC held.
 * Return: false if there is no memory.
 */
bool uet_rx_message_hold_all(struct uet_rx_message *rm)
{
	return rx_message_cover(rm, RX_MESSAGE_CHARGE_MAX, rm->most);
}

/**
 * uet_rx_message_hold() - charge a message for a packet
 * @rm: message that keeps its packets, with its reservation
 * @skb: packet of the message
 * @len: length of its payload, bytes
 *
 * Packet buffers are larger than their payload.  A packet that is larger than those
 * before it tells what the message needs in the end.
 *
 * Context: Softirq, lock of the PDC held.
 * Return: false if there is no memory: refuse the packet with a NACK.
 */
bool uet_rx_message_hold(struct uet_rx_message *rm, const struct sk_buff *skb,
			 u32 len)
{
	u64 packets, bytes;

	if (skb->truesize <= rm->truesize)
		return uet_rx_message_hold_run(rm, skb->truesize);
	/* Only the last packet of a message is shorter than the Payload MTU. */
	len = rm->ses.mtu ? : max_t(u32, len, UET_SEGMENT_MIN);
	packets = DIV_ROUND_UP(rm->window, len) ? : 1;
	bytes = min_t(u64, sizeof(*rm) + packets * skb->truesize,
		      RX_MESSAGE_CHARGE_MAX);
	if (!rx_message_cover(rm, skb->truesize, max_t(u32, bytes, rm->most)))
		return false;
	rm->truesize = skb->truesize;
	return true;
}

/* Reserve space and charge memory for a message without either. */
static bool rx_message_reserve_later(struct uet_rx_message *rm, u32 window,
				     enum uet_order order)
{
	u32 bytes = window + RX_MESSAGE_OVERHEAD;

	if (!rx_message_reserve_any(rm->us, bytes, order, &rm->fills_gap))
		return false;
	if (!uet_mem_charge_rx(rm->us, bytes)) {
		rx_message_release(rm->us, bytes, rm->fills_gap, false);
		return false;
	}
	rm->charged += bytes;
	rm->most = rm->charged;
	rm->reserved = bytes;
	return true;
}

/**
 * uet_rx_message_would_stream() - check whether a message would be read while
 *	it arrives
 * @us: receiving endpoint
 * @length: length of the message, bytes
 *
 * Return: true if it is longer than the receive buffer.
 */
bool uet_rx_message_would_stream(const struct uet_sock *us, u32 length)
{
	return length > rx_message_rcvbuf(&us->sk);
}

/**
 * uet_rx_message_reserve() - reserve space for a message that was deferred
 * @rm: message without a reservation
 *
 * Return: false if the receive buffer is full.
 */
bool uet_rx_message_reserve(struct uet_rx_message *rm)
{
	u32 rcvbuf = rx_message_rcvbuf(&rm->us->sk);
	u32 window = min(rm->length, rcvbuf);

	if (!rx_message_reserve_later(rm, window, UET_ORDER_IN_ORDER))
		return false;
	rm->window = window;
	return true;
}

/**
 * uet_rx_message_reserve_note() - reserve space for the notification at the end
 *	of RMA
 * @rm: message, from uet_rx_message_admit_rma()
 * @order: position of the packet with the notification in the PSN order
 *
 * Context: Softirq, lock of the PDC held.
 * Return: false if the receive buffer is full: retry later.
 */
bool uet_rx_message_reserve_note(struct uet_rx_message *rm,
				 enum uet_order order)
{
	return rm->reserved || rx_message_reserve_later(rm, 0, order);
}

/**
 * uet_rx_message_accepts() - check whether a part of a message may be kept now
 * @rm: message
 * @offset: offset of the first byte in the message
 * @len: length, bytes
 *
 * Return: false for a part of a streamed message too far ahead of its reader:
 *	refuse it with a NACK, its sender retransmits it. A part beyond the end
 *	of the message returns true; SES rejects it.
 */
bool uet_rx_message_accepts(const struct uet_rx_message *rm, u32 offset,
			    u32 len)
{
	u64 end = (u64)offset + len;

	/*
	 * Pairs with the WRITE_ONCE()s under rx_lock. The value may be stale;
	 * then the packet is retransmitted once more.
	 */
	return end > rm->length ||
	       end <= (u64)READ_ONCE(rm->read) + rm->window;
}

/**
 * uet_rx_message_is_streamed() - check whether a message is read while it
 *	arrives
 * @rm: message
 *
 * Return: true if uet_rx_message_deliver() expects each part as soon as it is
 *	in order, false if it expects the complete message.
 */
bool uet_rx_message_is_streamed(const struct uet_rx_message *rm)
{
	return rm->window < rm->length;
}

/**
 * uet_rx_message_is_orphan() - check whether the endpoint of a message is
 *	closed
 * @rm: message
 *
 * Return: true if the message is to fail with UET_RC_CANCELLED.
 */
bool uet_rx_message_is_orphan(const struct uet_rx_message *rm)
{
	/* Pairs with the WRITE_ONCE() in uet_sock_purge(). */
	return READ_ONCE(rm->us->rx_closed);
}

/*
 * Deliveries of one message may be out of order, so each packet is inserted by
 * offset. The search starts at the end, the usual position.
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
	return (s64)RX_MESSAGE_OVERHEAD + rm->got - rm->read;
}

/**
 * uet_rx_message_unqueue() - remove a message from the queue of its socket
 * @rm: message in uet_sock.rx_ready; the reference of the queue passes to the
 *	caller
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
 * uet_rx_message_read_to() - note that a reader has read bytes of a queued
 *	message
 * @rm: message in uet_sock.rx_ready
 * @pos: offset after the last byte read
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
 * Queue a message as soon as it is readable, so that a message peeked at first
 * stays first. A message that a posted receive takes is not queued.
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

/* Take over @segs; packets that will not be read go to @away. Under rx_lock. */
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
 * uet_rx_message_deliver() - deliver packets of a message to its reader
 * @rm: message, referenced
 * @segs: struct uet_ses_seg in the packets, ownership passes; all at once
 *	unless the message is streamed
 *
 * The message is complete when all its bytes are delivered, in any order of
 * deliveries.
 *
 * Context: Softirq or process; the lock of a PDC is held in ROD and in bursts.
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

	uet_rx_match_take(&take);
	if (!take.is_placing)
		us->sk.sk_data_ready(&us->sk);
}

/**
 * uet_rx_message_fail() - fail a message whose rest will not arrive
 * @rm: message, referenced, incomplete
 * @error: negative errno for its reader
 *
 * A message that is not streamed is not visible yet and is freed silently. A
 * posted receive that has taken the message ends with the error.
 *
 * Context: Softirq or process; the lock of a PDC is held in ROD and in bursts.
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
 * uet_rx_message_has_report() - check whether a message has something to report
 * @rm: message
 *
 * Context: rx_lock of its socket held.
 * Return: true if its next byte, its end or its failure is known; for a
 *	rendezvous message only its end.
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
 */
void uet_rx_message_get(struct uet_rx_message *rm)
{
	refcount_inc(&rm->refs);
}

/**
 * uet_rx_message_link() - let close() find a message that may stay incomplete
 * @rm: message of several packets, or one that may wait for its first packet
 * @pdcid: local PDCID of its PDC
 *
 * Context: Softirq, lock of the PDC held.
 */
void uet_rx_message_link(struct uet_rx_message *rm, u16 pdcid)
{
	struct uet_ep_links *links = &rm->us->links;

	rm->pdcid = pdcid;
	rm->is_linked = true;
	spin_lock_bh(&links->lock);
	list_add_tail(&rm->on_ep, &links->arriving);
	spin_unlock_bh(&links->lock);
}

static void rx_message_unlink(struct uet_rx_message *rm)
{
	struct uet_ep_links *links = &rm->us->links;

	if (!rm->is_linked)
		return;
	spin_lock_bh(&links->lock);
	list_del_init(&rm->on_ep);
	spin_unlock_bh(&links->lock);
}

/**
 * uet_rx_message_unlink_first() - next message of uet_rx_message_link(), in close()
 * @us: socket
 * @pdcid: result: PDCID of uet_rx_message_link(); the message may have left this PDC
 *
 * Context: Process.
 * Return: false if there is none.
 */
bool uet_rx_message_unlink_first(struct uet_sock *us, u16 *pdcid)
{
	struct uet_rx_message *rm;

	spin_lock_bh(&us->links.lock);
	rm = list_first_entry_or_null(&us->links.arriving,
				      struct uet_rx_message, on_ep);
	if (rm) {
		list_del_init(&rm->on_ep);
		*pdcid = rm->pdcid;
	}
	spin_unlock_bh(&us->links.lock);
	return rm;
}

/**
 * uet_rx_message_put() - drop a reference
 * @rm: message; the last reference releases its reservation and frees the
 *	message and its unread packets
 *
 * Context: Any. SES holds no packets of the message at its last reference.
 */
void uet_rx_message_put(struct uet_rx_message *rm)
{
	const struct uet_deferred_ops *deferred;
	struct sock *sk = &rm->us->sk;

	if (!refcount_dec_and_test(&rm->refs))
		return;
	rx_message_unlink(rm);
	__skb_queue_purge(&rm->skbs);
	if (rm->recv)
		uet_posted_recv_end(rm->us, rm->recv, rm, -ECANCELED);
	uet_mem_uncharge_rx(rm->us, rm->charged);
	rx_message_release(rm->us, rm->reserved, rm->fills_gap, rm->is_kept);
	/* Pairs with the second check in rx_defer_admit_new(). */
	smp_mb__after_atomic();
	uet_gen_note_freed(rm->us);
	/* Pairs with the release in rx_defer_match_or_list(). */
	deferred = smp_load_acquire(&rm->us->deferred_ops);
	if (deferred)
		deferred->use_space(rm->us);
	if (rm->ops)
		rm->ops->free(rm);
	kfree(rm);
	sock_put(sk);
}
