// SPDX-License-Identifier: GPL-2.0
/*
 * Incoming messages: admission to a socket's receive buffer, and delivery of their packets from
 * the PDC, in softirq, to the socket, where sock_recv.c reads them. SES reassembles the packets.
 *
 * Admission
 * ---------
 * A message reserves receive buffer for all its bytes before its first packet is kept, so that
 * every started message can be finished and partly received messages cannot block one another.
 * A message without space is not lost: the PDC refuses the packet with a NACK and its sender
 * retransmits it. A message longer than the receive buffer reserves the whole buffer and is
 * streamed: it is read while it arrives, and may be one buffer ahead of its reader. An idle
 * socket admits any message, so every message is admitted eventually.
 *
 * The message at the front of a PDC's window can depend on space that later messages of the PDC
 * hold, and these cannot finish before it. Messages of several PDCs, or to several endpoints, can
 * depend on each other in this way. Such a message fills a gap. If the buffer is full, it
 * reserves space in a second budget of the endpoint, which has the size of the buffer and which
 * an idle endpoint gives to any message. Each message in this budget was at the front of its
 * window, so it finishes without further space, and its reader gives the space to the next. An
 * endpoint therefore reserves at most two buffers and the overhead of two messages.
 *
 * The reader of a partly read streamed message waits for the rest and reads nothing else. The
 * PDC sends the rest only when all earlier data has arrived. If that data contained another
 * streamed message, this message would in turn wait for its reader. A message that will be
 * streamed therefore does not start before all its predecessors have arrived.
 *
 * A message that no receive waits for must not keep out one that a receive waits for. Where
 * receives are posted, a message of at most UET_KEPT_MAX bytes is therefore kept beyond a full
 * buffer: it takes little more memory than the envelope of a deferred message, and counts as one
 * (UET_ENVELOPES).
 *
 * Reservations count payload against SO_RCVBUF. Memory is charged beside them (endpoint/mem.c),
 * as it arrives: a message is charged for its structure and for at most twice the packet buffers
 * that have come. So a sender that does not go on costs what it has sent and RX_MESSAGE_START.
 * Each time there must be a place for the packet buffers of all of the message. So of all
 * messages in progress the one that was charged last can be finished without another, then the
 * one before it. A message or a packet that finds no memory is refused like one without space.
 *
 * Messages that were read
 * -----------------------
 * Short messages that were read go back to the CPU that has received them: the next delivery to
 * the socket frees them. It allocates the next message and its packets from the same memory,
 * which is in the cache of that CPU except for the lines that the reader has touched, and
 * changes the counts of the socket's memory where it has charged them. A socket that gets no
 * message frees them by the work of its spares, after SPARES_IDLE at the latest. Until then
 * they keep their place in the receive buffer; a message that finds no place frees them first.
 *
 * A message that others may wait for is freed at once: its endpoint has deferred messages or
 * generations, or it is kept beyond the buffer.
 *
 * Generations
 * -----------
 * An ordered message that finds no space disables an endpoint with generations. Free space of
 * half a receive buffer, or a posted receive, enables it again. No code waits for that; senders
 * retry. One CPU may disable an endpoint while another CPU frees its buffer. They must not miss
 * each other, or the endpoint would stay disabled. The last freed message always leaves half of
 * the buffer free, so it suffices that one of the two CPUs sees the other. Receives are posted
 * under rx_lock, under which the endpoint is also disabled.
 * Spec: UE 1.0.1 3.4.1 (ri_generation), Table 3-19; uet-wire 3.14.
 */
#include <linux/slab.h>
#include <linux/uet.h>

#include "message.h"

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

/* Messages, and memory of each, bytes, that wait for the next delivery. */
#define RX_DONE_MAX		32
#define RX_DONE_CHARGE_MAX	4096

static u32 rx_message_rcvbuf(const struct sock *sk)
{
	return clamp_t(u32, READ_ONCE(sk->sk_rcvbuf), RX_MESSAGE_WINDOW_MIN,
		       READ_ONCE(uet_mem_rmem[UET_MEM_MAX]));
}

/*
 * uet_rx_message_space() - a snapshot of the receive buffer of a socket
 * @used: result: readable, unread bytes plus the overhead of their messages
 * @size: result: SO_RCVBUF, bytes
 */
void uet_rx_message_space(const struct uet_sock *us, u32 *used, u32 *size)
{
	/* Pairs with the WRITE_ONCE() in rx_message_count(). */
	*used = READ_ONCE(us->rx.unread);
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

/* Reserve space for a message, in the budget of gaps only if the buffer is full. */
static bool rx_message_reserve_any(struct uet_sock *us, u32 bytes,
				   enum uet_order order, bool *fills_gap)
{
	u32 rcvbuf = rx_message_rcvbuf(&us->sk);

	*fills_gap = false;
	if (rx_message_reserve(&us->sk.sk_rmem_alloc, bytes, rcvbuf))
		return true;
	if (order != UET_ORDER_FILLS_GAP ||
	    !rx_message_reserve(&us->rx.gap_bytes, bytes, rcvbuf))
		return false;
	atomic_add(bytes, &us->sk.sk_rmem_alloc);
	*fills_gap = true;
	return true;
}

/*
 * The buffer is full. Return: true if the message is kept all the same, and counted in
 * uet_sock.env.nr. One that may be deferred is, and with generations it is refused.
 */
static bool rx_message_keep(struct uet_sock *us, const struct uet_ses_req *req)
{
	bool is_kept;

	if (!uet_recv_is_used(us) || us->gen_policy || !req->som || !req->eom ||
	    req->request_length > UET_KEPT_MAX || uet_ses_rx_is_deferrable(req))
		return false;
	spin_lock_bh(&us->rx_lock);
	is_kept = us->env.nr < READ_ONCE(us->env.max);
	us->env.nr += is_kept;
	spin_unlock_bh(&us->rx_lock);
	return is_kept;
}

/* Give up the reservation, or the place of a message that is kept without one. */
static void rx_message_release(struct uet_sock *us, u32 bytes, bool fills_gap, bool is_kept)
{
	if (is_kept) {
		spin_lock_bh(&us->rx_lock);
		us->env.nr--;
		spin_unlock_bh(&us->rx_lock);
		return;
	}
	atomic_sub(bytes, &us->sk.sk_rmem_alloc);
	if (fills_gap)
		atomic_sub(bytes, &us->rx.gap_bytes);
}

/* Return: a message that is charged for @bytes and can get @most, or NULL. */
static struct uet_rx_message *rx_message_alloc(struct uet_sock *us, const struct uet_fa *from,
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

/*
 * uet_rx_message_charge() - charge memory that belongs to a new message, until its end; false:
 *	there is none
 */
bool uet_rx_message_charge(struct uet_rx_message *rm, u32 bytes)
{
	if (!uet_mem_charge_rx(rm->us, bytes))
		return false;
	rm->charged += bytes;
	rm->most += bytes;
	return true;
}

/*
 * uet_rx_message_admit() - start receiving a message, if there is space, for uet_ses_rx_start()
 *	to start
 * @order: position of the first packet in the PSN order of its PDC
 * Return: the message with one reference; NULL if the receive buffer is full, a message to be
 *	streamed is out of order, there is no memory, or the endpoint is closing: retry later.
 */
struct uet_rx_message *uet_rx_message_admit(struct uet_sock *us, const struct uet_ses_req *req,
					    const struct uet_fa *from, enum uet_order order)
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
		uet_rx_done_drop(us);
		is_kept = !rx_message_reserve_any(us, bytes, order, &fills_gap);
		if (is_kept && !rx_message_keep(us, req))
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
	uet_rx_done_drop(us);
	rx_message_release(us, bytes, fills_gap, is_kept);
err_sock:
	sock_put(&us->sk);
	return NULL;
}

/*
 * uet_rx_message_admit_rma() - start a message whose bytes go to a memory region
 *
 * The message has no readable bytes and reserves no space, so writes to memory do not depend on
 * a reader. SES limits the number of incomplete messages.
 * Return: as uet_rx_message_admit().
 */
struct uet_rx_message *uet_rx_message_admit_rma(struct uet_sock *us, const struct uet_fa *from)
{
	struct uet_rx_message *rm;

	if (!uet_sock_is_receiving(us) || !refcount_inc_not_zero(&us->sk.sk_refcnt))
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

/*
 * uet_rx_message_hold_run() - charge a message, which keeps them, for packets no larger than
 *	earlier ones
 * @truesize: of their buffers together, bytes
 */
bool uet_rx_message_hold_run(struct uet_rx_message *rm, u32 truesize)
{
	return rx_message_cover(rm, truesize, rm->most);
}

/*
 * uet_rx_message_hold_all() - charge a message, whose packets are not refused, for all that it
 *	needs in the end
 */
bool uet_rx_message_hold_all(struct uet_rx_message *rm)
{
	return rx_message_cover(rm, RX_MESSAGE_CHARGE_MAX, rm->most);
}

/*
 * uet_rx_message_hold() - charge a message, which keeps it, for a packet with @len bytes of
 *	payload
 *
 * Packet buffers are larger than their payload.  A packet that is larger than those before it
 * tells what the message needs in the end.
 * Return: false if there is no memory: refuse the packet with a NACK.
 */
bool uet_rx_message_hold(struct uet_rx_message *rm, const struct sk_buff *skb, u32 len)
{
	u64 packets, bytes;

	if (skb->truesize <= rm->truesize)
		return uet_rx_message_hold_run(rm, skb->truesize);
	/* Only the last packet of a message is shorter than the Payload MTU. */
	len = rm->ses.mtu ? : max_t(u32, len, UET_SEGMENT_MIN);
	packets = DIV_ROUND_UP(rm->window, len) ? : 1;
	bytes = min_t(u64, sizeof(*rm) + packets * skb->truesize, RX_MESSAGE_CHARGE_MAX);
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

/*
 * uet_rx_message_would_stream() - is a message of @length bytes longer than the receive buffer,
 *	to be read as it arrives?
 */
bool uet_rx_message_would_stream(const struct uet_sock *us, u32 length)
{
	return length > rx_message_rcvbuf(&us->sk);
}

/*
 * uet_rx_message_reserve() - reserve space for a message that was deferred; false: the receive
 *	buffer is full
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

/*
 * uet_rx_message_reserve_note() - reserve space for the notification at the end of RMA
 * @order: position of the packet with the notification in the PSN order
 * Return: false if the receive buffer is full: retry later.
 */
bool uet_rx_message_reserve_note(struct uet_rx_message *rm, enum uet_order order)
{
	if (rm->reserved || rx_message_reserve_later(rm, 0, order))
		return true;
	uet_rx_done_drop(rm->us);
	return rx_message_reserve_later(rm, 0, order);
}

/*
 * uet_rx_message_accepts() - check whether a part of a message may be kept now
 * Return: false for a part of a streamed message too far ahead of its reader: refuse it with a
 *	NACK, its sender retransmits it. A part beyond the end of the message returns true; SES
 *	rejects it.
 */
bool uet_rx_message_accepts(const struct uet_rx_message *rm, u32 offset, u32 len)
{
	u64 end = (u64)offset + len;

	/*
	 * Pairs with the WRITE_ONCE()s under rx_lock. The value may be stale;
	 * then the packet is retransmitted once more.
	 */
	return end > rm->length || end <= (u64)READ_ONCE(rm->read) + rm->window;
}

/*
 * Deliveries of one message may be out of order, so each packet is inserted by offset. The
 * search starts at the end, the usual position.
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
	WRITE_ONCE(us->rx.unread, us->rx.unread + bytes);
}

static s64 rx_message_unread(const struct uet_rx_message *rm)
{
	return (s64)RX_MESSAGE_OVERHEAD + rm->got - rm->read;
}

/*
 * uet_rx_message_unqueue() - remove a message from uet_sock.rx.ready, whose reference passes to
 *	the caller
 */
void uet_rx_message_unqueue(struct uet_rx_message *rm)
	__must_hold(&rm->us->rx_lock)
{
	lockdep_assert_held(&rm->us->rx_lock);
	list_del_init(&rm->link);
	rx_message_count(rm->us, -rx_message_unread(rm));
}

/*
 * uet_rx_message_read_to() - a reader has read a queued message up to offset @pos
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
 * Queue a message as soon as it is readable, so that a message peeked at first stays first. A
 * message that a posted receive takes is not queued.
 */
static void rx_message_enqueue(struct uet_rx_message *rm, struct uet_rx_take *take)
{
	if (!list_empty(&rm->link) || rm->is_unwanted ||
	    !uet_rx_message_has_report(rm) || uet_rx_match_offer(rm, take))
		return;
	uet_rx_message_get(rm);
	list_add_tail(&rm->link, &rm->us->rx.ready);
	rx_message_count(rm->us, rx_message_unread(rm));
	uet_rx_match_list(rm);
}

/* Take over @segs; packets that will not be read go to @away. Under rx_lock. */
static void rx_message_take_segs(struct uet_rx_message *rm, struct list_head *segs,
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

/* --------------------------------------------------------- messages that were read */

/*
 * uet_rx_done_add() - keep a message without a reference for the next delivery; false: the
 *	caller has to free it
 */
bool uet_rx_done_add(struct uet_rx_message *rm)
{
	struct uet_sock *us = rm->us;

	lockdep_assert_held(&us->rx_lock);
	/* READ_ONCE: set once, by rx_defer_match_or_list(). */
	if (us->rx.nr_done == RX_DONE_MAX || rm->charged > RX_DONE_CHARGE_MAX ||
	    rm->is_kept || us->rx.is_closed || us->gen_policy || READ_ONCE(us->env.ops))
		return false;
	list_add_tail(&rm->link, &us->rx.done);
	us->rx.nr_done++;
	return true;
}

/* Take all messages that wait. */
static void rx_done_take(struct uet_sock *us, struct list_head *done)
{
	lockdep_assert_held(&us->rx_lock);
	if (!us->rx.nr_done)
		return;
	list_splice_tail_init(&us->rx.done, done);
	us->rx.nr_done = 0;
}

/* Free messages of rx_done_take(); their sockets may go with them. */
static void rx_done_free(struct list_head *done)
{
	struct uet_rx_message *rm, *next;

	list_for_each_entry_safe(rm, next, done, link)
		uet_rx_message_free(rm);
}

/*
 * uet_rx_done_drop() - free all messages that wait, of a referenced socket
 */
void uet_rx_done_drop(struct uet_sock *us)
{
	LIST_HEAD(done);

	spin_lock_bh(&us->rx_lock);
	rx_done_take(us, &done);
	spin_unlock_bh(&us->rx_lock);
	rx_done_free(&done);
}

/* ------------------------------------------------------------------------ delivery */

/*
 * uet_rx_message_deliver() - deliver packets of a message to its reader, in any order
 * @segs: struct uet_ses_seg in the packets, ownership passes; all at once unless the message is
 *	streamed
 *
 * The lock of a PDC is held in ROD and in bursts.
 */
void uet_rx_message_deliver(struct uet_rx_message *rm, struct list_head *segs)
{
	struct uet_sock *us = rm->us;
	struct uet_rx_take take;
	bool is_taken = false;
	LIST_HEAD(done);

	uet_rx_take_init(&take);
	spin_lock_bh(&us->rx_lock);
	rx_done_take(us, &done);
	if (us->rx.is_closed)
		rm->is_unwanted = true;
	rx_message_take_segs(rm, segs, &take.skbs);
	rm->is_complete = rm->got == rm->length;
	if (us->ops)
		is_taken = rm->is_complete && !rm->is_unwanted;
	else if (rm->recv && !rm->is_unwanted)
		uet_rx_match_go_on(rm, &take);
	else
		rx_message_enqueue(rm, &take);
	spin_unlock_bh(&us->rx_lock);

	uet_rx_match_take(&take);
	if (is_taken) {
		uet_rx_message_get(rm);
		us->ops->deliver(us, rm);
	} else if (!take.is_placing) {
		us->sk.sk_data_ready(&us->sk);
	}
	rx_done_free(&done);
}

/*
 * uet_rx_message_fail() - fail a message whose rest will not arrive, with a negative errno for
 *	its reader
 *
 * A message that is not streamed is not visible yet and is freed silently. A posted receive
 * that has taken the message ends with the error.
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

/*
 * uet_rx_message_has_report() - is the next byte, the end or the failure of a message known?
 *
 * For a rendezvous message only its end counts.
 */
bool uet_rx_message_has_report(const struct uet_rx_message *rm)
{
	struct sk_buff *skb = skb_peek(&rm->skbs);

	lockdep_assert_held(&rm->us->rx_lock);
	return rm->is_complete || rm->error ||
	       (skb && !rm->rdv && uet_skb_cb(skb)->seg.offset <= rm->read);
}

/*
 * uet_rx_message_link() - let close() find a message that may stay incomplete; lock of the PDC
 *	held
 * @pdcid: local PDCID of its PDC
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

/*
 * uet_rx_message_unlink_first() - next message of uet_rx_message_link(), in close(); false:
 *	there is none
 * @pdcid: result; the message may have left this PDC
 */
bool uet_rx_message_unlink_first(struct uet_sock *us, u16 *pdcid)
{
	struct uet_rx_message *rm;

	spin_lock_bh(&us->links.lock);
	rm = list_first_entry_or_null(&us->links.arriving, struct uet_rx_message, on_ep);
	if (rm) {
		list_del_init(&rm->on_ep);
		*pdcid = rm->pdcid;
	}
	spin_unlock_bh(&us->links.lock);
	return rm;
}

/* ------------------------------------------------------------------------ generations */

/* Enable an endpoint of which half of the receive buffer is free again. */
static void gen_freed(struct uet_sock *us)
{
	if (us->gen_policy != UET_GEN_BUFFER)
		return;
	spin_lock_bh(&us->rx_lock);
	if (!us->is_paused &&
	    atomic_read(&us->sk.sk_rmem_alloc) <= rx_message_rcvbuf(&us->sk) / 2)
		uet_ri_gen_enable(&us->gen);
	spin_unlock_bh(&us->rx_lock);
}

/*
 * uet_gen_disable() - disable an endpoint without space for an ordered message that
 *	uet_gen_check() accepted
 * @is_strict: uet_ses_gen.is_strict of its PDC
 * @ri_gen: result: generation for the answer
 * Return: true: answer UET_RC_DISABLED_GEN; false: retry later, because the endpoint uses no
 *	generations or a receive was posted meanwhile.
 */
bool uet_gen_disable(struct uet_sock *us, const struct uet_ses_req *req,
		     bool *is_strict, u8 *ri_gen)
{
	struct uet_match_key match_key;
	bool is_disabled = false;

	if (!us->gen_policy)
		return false;
	spin_lock_bh(&us->rx_lock);
	if (!uet_match_key(req, &match_key) || !uet_match_find_recv(&us->match, &match_key)) {
		uet_ri_gen_disable(&us->gen);
		*is_strict = true;
		*ri_gen = us->gen.value;
		is_disabled = true;
	}
	spin_unlock_bh(&us->rx_lock);
	/* Pairs with the barrier in uet_rx_message_put(). */
	smp_mb();
	if (is_disabled && !atomic_read(&us->sk.sk_rmem_alloc))
		gen_freed(us);
	return is_disabled;
}

/* ---------------------------------------------------------------------------- the end */

/*
 * uet_rx_message_put() - drop a reference; the last one frees the message
 */
void uet_rx_message_put(struct uet_rx_message *rm)
{
	if (refcount_dec_and_test(&rm->refs))
		uet_rx_message_free(rm);
}

/*
 * uet_rx_message_free() - free a message without a reference, its reservation and its unread
 *	packets; SES holds no packets of it
 */
void uet_rx_message_free(struct uet_rx_message *rm)
{
	const struct uet_deferred_ops *deferred;
	struct uet_ep_links *links = &rm->us->links;
	struct sock *sk = &rm->us->sk;

	if (rm->is_linked) {
		spin_lock_bh(&links->lock);
		list_del_init(&rm->on_ep);
		spin_unlock_bh(&links->lock);
	}
	__skb_queue_purge(&rm->skbs);
	if (rm->recv)
		uet_posted_recv_end(rm->us, rm->recv, rm, -ECANCELED);
	uet_mem_uncharge_rx(rm->us, rm->charged);
	rx_message_release(rm->us, rm->reserved, rm->fills_gap, rm->is_kept);
	/* Pairs with the second check in rx_defer_admit_new(). */
	smp_mb__after_atomic();
	/* Also pairs with the barrier in uet_gen_disable(): at least one side sees the other. */
	if (READ_ONCE(rm->us->gen.is_disabled)) /* WRITE_ONCE in uet_ri_gen_enable() */
		gen_freed(rm->us);
	/* Pairs with the release in rx_defer_match_or_list(). */
	deferred = smp_load_acquire(&rm->us->env.ops);
	if (deferred)
		deferred->use_space(rm->us);
	if (rm->ops)
		rm->ops->free(rm);
	kfree(rm);
	sock_put(sk);
}
UET_EXPORT(uet_rx_message_put);
