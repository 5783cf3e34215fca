// SPDX-License-Identifier: GPL-2.0
/*
 * recvmsg(): from the messages that rx_message.c has queued to a user's buffer.
 *
 * One reader at a time works on a message; other readers take the next message. A message that
 * fits the receive buffer is complete before it is read; one call reads it, and bytes beyond
 * the user's buffer are lost. A streamed message is read while it arrives: a blocking call
 * reads to its end, a non-blocking call reads a part. Each packet of a streamed message is
 * freed after it is read, which advances the window of the message.
 *
 * UET_IOC_RECV_PEEK looks for an unexpected message of any kind: one that can be read, a
 * deferred one, or a rendezvous message that waits for its receive. All are in one list in the
 * order of arrival, so the message found is the one that a receive would take. A claimed
 * message leaves the searches of receives and the queue of recvmsg(), but keeps its place in
 * the receive buffer, or among the messages that wait for a receive. A discarded message is
 * taken by a receive without memory and completion.
 * Spec: uet-wire 3.14 (unexpected message).
 */
#include <linux/sched/signal.h>
#include <linux/uaccess.h>
#include <net/sock.h>

#include "message/message.h"
#include "pdc/pdc.h"
#include "socket.h"

/**
 * struct sockrx - a recvmsg() call
 * @us: socket
 * @msg: the caller's
 * @rm: message that is being read, busy: nobody else takes it from its queue, whose reference
 *	serves the reader
 * @len: size of the user's buffer
 * @copied: bytes copied to the buffer
 * @timeo: remaining SO_RCVTIMEO, jiffies
 * @at: last packet read, if it stays queued; else NULL
 * @pos: offset of the next byte to read, from the start of the message
 * @may_wait: a blocking call
 * @is_peek: MSG_PEEK: leave the queue unchanged
 * @is_over: the message leaves the queue with the call
 */
struct sockrx {
	struct uet_sock *us;
	struct msghdr *msg;
	struct uet_rx_message *rm;
	size_t len;
	size_t copied;
	long timeo;
	struct sk_buff *at;
	u32 pos;
	bool may_wait;
	bool is_peek;
	bool is_over;
};

/* ----------------------------------------------------- choosing the message */

/*
 * A partly returned streamed message stays first, see sockrx_release(), and other messages wait
 * until it is read to its end. Without UET_CMSG_CTX a caller could not identify the message of
 * a part.
 */
static struct uet_rx_message *sockrx_first(const struct uet_sock *us)
{
	struct uet_rx_message *rm;

	list_for_each_entry(rm, &us->rx.ready, link) {
		if (rm->is_busy)
			continue;
		if (uet_rx_message_has_report(rm))
			return rm;
		if (rm->read)
			return NULL;
	}
	return NULL;
}

/* Would recvmsg() return a message, or a part of a streamed one, now? */
bool uet_sock_is_readable(struct uet_sock *us)
{
	bool is_readable;

	spin_lock_bh(&us->rx_lock);
	is_readable = sockrx_first(us);
	spin_unlock_bh(&us->rx_lock);
	return is_readable;
}

/* Bytes the next recvmsg() could read: of a streamed message those that have arrived. */
int uet_sock_inq(struct uet_sock *us)
{
	struct uet_rx_message *rm;
	u32 bytes = 0;

	spin_lock_bh(&us->rx_lock);
	rm = sockrx_first(us);
	if (rm)
		bytes = rm->got - rm->read;
	spin_unlock_bh(&us->rx_lock);
	return min_t(u32, bytes, INT_MAX);
}

static bool sockrx_may_pick(struct uet_sock *us)
{
	const struct sock *sk = &us->sk;

	return uet_sock_is_readable(us) || READ_ONCE(sk->sk_err) ||
	       (READ_ONCE(sk->sk_shutdown) & RCV_SHUTDOWN);
}

/* Claim the first readable message. */
static bool sockrx_claim(struct sockrx *rx)
{
	struct uet_rx_message *rm;

	spin_lock_bh(&rx->us->rx_lock);
	rm = sockrx_first(rx->us);
	if (rm) {
		rm->is_busy = true;
		rm->match_entry.is_held = true;
		rx->rm = rm;
		rx->pos = rm->read;
	}
	spin_unlock_bh(&rx->us->rx_lock);
	return rm;
}

/* Returns 0 with rx->rm, or NULL there after a shutdown; or negative errno. */
static int sockrx_pick(struct sockrx *rx)
{
	struct sock *sk = &rx->us->sk;
	long left;
	int err;

	for (;;) {
		err = sock_error(sk);
		if (err || sockrx_claim(rx))
			return err;
		if (READ_ONCE(sk->sk_shutdown) & RCV_SHUTDOWN)
			return 0;
		uet_pdc_entry_uncork(rx->us);
		if (!rx->timeo)
			return -EAGAIN;
		left = wait_event_interruptible_timeout(*sk_sleep(sk),
							sockrx_may_pick(rx->us),
							rx->timeo);
		if (left < 0)
			return sock_intr_errno(rx->timeo);
		rx->timeo = left;
	}
}

/**
 * enum sockrx_after - state of a message after a read
 * @SOCKRX_TAKEN: not queued: a posted receive takes it, unread
 * @SOCKRX_KEPT: first in the queue, partly read; its next byte is missing
 * @SOCKRX_READABLE: in the queue, and another reader may read it now
 */
enum sockrx_after {
	SOCKRX_TAKEN,
	SOCKRX_KEPT,
	SOCKRX_READABLE,
};

/* Return the message to the other readers and receives. Under rx_lock. */
static enum sockrx_after sockrx_return(struct sockrx *rx, struct uet_rx_take *take)
{
	struct uet_rx_message *rm = rx->rm;

	lockdep_assert_held(&rx->us->rx_lock);
	rm->is_busy = false;
	uet_match_release_msg(&rm->us->match, &rm->match_entry);
	if (rm->read) {
		/* A queued message that was partly read is for no posted receive. */
		uet_match_del_msg(&rm->us->match, &rm->match_entry);
		list_move(&rm->link, &rm->us->rx.ready);
	} else if (uet_rx_match_offer(rm, take)) {
		return SOCKRX_TAKEN;
	}
	return uet_rx_message_has_report(rm) ? SOCKRX_READABLE : SOCKRX_KEPT;
}

/*
 * Remove the claimed message from the queue, with its reference; its later packets are dropped.
 * Under rx_lock. Return: true if no reference is left.
 */
static bool sockrx_dequeue(struct uet_rx_message *rm, struct sk_buff_head *unread)
{
	uet_rx_message_unqueue(rm);
	uet_match_del_msg(&rm->us->match, &rm->match_entry);
	rm->is_busy = false;
	rm->is_unwanted = true;
	if (!rm->is_complete)
		skb_queue_splice_init(&rm->skbs, unread);
	WRITE_ONCE(rm->read, rm->got);
	return refcount_dec_and_test(&rm->refs);
}

/* The message of the call is over. */
static void sockrx_end(struct sockrx *rx)
{
	struct uet_rx_message *rm = rx->rm;
	struct sk_buff_head unread;
	bool is_last, is_kept;

	__skb_queue_head_init(&unread);
	spin_lock_bh(&rx->us->rx_lock);
	is_last = sockrx_dequeue(rm, &unread);
	is_kept = is_last && uet_rx_done_add(rm);
	spin_unlock_bh(&rx->us->rx_lock);
	__skb_queue_purge(&unread);
	if (is_kept)
		uet_spares_watch(rx->us);
	else if (is_last)
		uet_rx_message_free(rm);
}

/* End the read. */
static void sockrx_release(struct sockrx *rx)
{
	enum sockrx_after after;
	struct uet_rx_take take;

	if (rx->is_over) {
		sockrx_end(rx);
		return;
	}
	uet_rx_take_init(&take);
	spin_lock_bh(&rx->us->rx_lock);
	after = sockrx_return(rx, &take);
	spin_unlock_bh(&rx->us->rx_lock);
	uet_rx_match_take(&take);
	/* Other readers may wait for this message. */
	if (after == SOCKRX_READABLE)
		rx->us->sk.sk_data_ready(&rx->us->sk);
}

/* Return: a message that is in no queue any more, with the reference of its queue; or NULL. */
static struct uet_rx_message *sockrx_purge_first(struct uet_sock *us)
{
	struct uet_rx_message *rm;

	spin_lock_bh(&us->rx_lock);
	rm = list_first_entry_or_null(&us->rx.ready, struct uet_rx_message, link) ? :
	     list_first_entry_or_null(&us->rx.claimed, struct uet_rx_message, link);
	if (rm) {
		list_del_init(&rm->link);
		rm->is_unwanted = true;
		uet_match_del_msg(&us->match, &rm->match_entry);
	}
	spin_unlock_bh(&us->rx_lock);
	return rm;
}

/* Drop all messages of a socket in close(). */
void uet_sock_purge(struct uet_sock *us)
{
	struct uet_rx_message *rm;

	spin_lock_bh(&us->rx_lock);
	/* Pairs with the READ_ONCE() in uet_rx_message_is_orphan(). */
	WRITE_ONCE(us->rx.is_closed, true);
	spin_unlock_bh(&us->rx_lock);
	uet_rx_done_drop(us);
	while ((rm = sockrx_purge_first(us))) {
		uet_rx_message_put(rm);
		cond_resched();
	}
}

/* ------------------------------------------------------------------ reading */

/* The packet after the last one read, or the first one. */
static struct sk_buff *sockrx_peek(const struct sockrx *rx)
{
	struct sk_buff_head *skbs = &rx->rm->skbs;

	return rx->at ? skb_peek_next(rx->at, skbs) : skb_peek(skbs);
}

/*
 * The packet with byte rx->pos, or NULL if it has not arrived. A complete message gets no more
 * packets and belongs to this reader, so it needs no lock.
 */
static struct sk_buff *sockrx_next(const struct sockrx *rx)
{
	struct sk_buff *skb;

	if (!uet_rx_message_is_streamed(rx->rm))
		return sockrx_peek(rx);
	spin_lock_bh(&rx->us->rx_lock);
	skb = sockrx_peek(rx);
	if (skb && uet_skb_cb(skb)->seg.offset > rx->pos)
		skb = NULL;
	spin_unlock_bh(&rx->us->rx_lock);
	return skb;
}

/*
 * @bytes of @skb were copied. Packets of a complete message stay until the whole message is
 * copied, so that a bad buffer does not lose the message.
 */
static void sockrx_advance(struct sockrx *rx, struct sk_buff *skb, u32 bytes)
{
	const struct uet_ses_seg *seg = &uet_skb_cb(skb)->seg;
	bool is_read;

	rx->pos += bytes;
	rx->copied += bytes;
	is_read = rx->pos - seg->offset == seg->len;
	if (rx->is_peek || !uet_rx_message_is_streamed(rx->rm)) {
		if (is_read)
			rx->at = skb;
		return;
	}
	spin_lock_bh(&rx->us->rx_lock);
	if (is_read)
		__skb_unlink(skb, &rx->rm->skbs);
	uet_rx_message_read_to(rx->rm, rx->pos);
	spin_unlock_bh(&rx->us->rx_lock);
	if (is_read)
		consume_skb(skb);
}

/* Copy the bytes that have arrived. */
static int sockrx_copy(struct sockrx *rx)
{
	const struct uet_ses_seg *seg;
	struct sk_buff *skb;
	u32 skip, bytes;

	while (rx->copied < rx->len) {
		skb = sockrx_next(rx);
		if (!skb)
			break;
		seg = &uet_skb_cb(skb)->seg;
		skip = rx->pos - seg->offset;
		bytes = min_t(size_t, seg->len - skip, rx->len - rx->copied);
		if (skb_copy_datagram_msg(skb, skip, rx->msg, bytes))
			return uet_sock_refuse(rx->us, -EFAULT, "recvmsg: the buffer cannot be written");
		sockrx_advance(rx, skb, bytes);
		cond_resched();
	}
	return 0;
}

static bool sockrx_is_at_end(const struct sockrx *rx)
{
	return rx->pos == rx->rm->length;
}

static bool sockrx_may_read_on(const struct sockrx *rx)
{
	bool may;

	spin_lock_bh(&rx->us->rx_lock);
	may = uet_rx_message_has_report(rx->rm);
	spin_unlock_bh(&rx->us->rx_lock);
	return may;
}

/*
 * Read until the buffer is full or the message ends. A streamed message may return less if the
 * call is non-blocking, or if the wait ends before the message.
 */
static int sockrx_read(struct sockrx *rx)
{
	struct sock *sk = &rx->us->sk;
	long left;
	int err;

	for (;;) {
		/*
		 * Pairs with the lock in uet_rx_message_fail(): the error is
		 * seen now or in the next pass.
		 */
		err = READ_ONCE(rx->rm->error);
		if (err)
			return err;
		err = sockrx_copy(rx);
		if (err)
			return rx->copied &&
			       uet_rx_message_is_streamed(rx->rm) ? 0 : err;
		if (rx->copied == rx->len || sockrx_is_at_end(rx) ||
		    rx->is_peek || !rx->timeo)
			return 0;
		left = wait_event_interruptible_timeout(*sk_sleep(sk),
							sockrx_may_read_on(rx),
							rx->timeo);
		if (left <= 0 && rx->copied)
			return 0;
		if (left < 0)
			return sock_intr_errno(rx->timeo);
		if (!left)
			return -EAGAIN;
		rx->timeo = left;
	}
}

/* -------------------------------------------------------- control messages */

/* The address of the sender of a message. */
static void sockrx_sender(const struct uet_rx_message *rm, struct sockaddr_uet *addr)
{
	const struct uet_ses_req *req = &rm->ses.req;

	uet_sock_addr_fill(addr, &rm->from);
	if (!req->rel)
		addr->suet_flags |= UET_ADDR_ABSOLUTE;
	addr->suet_job = req->job;
	addr->suet_pid = UET_INITIATOR_PID(req->initiator);
	addr->suet_ri = UET_INITIATOR_RI(req->initiator);
	addr->suet_initiator = req->initiator;
}

/* The context of a message, except the peer; @offset is that of the first byte returned. */
static void sockrx_ctx(const struct uet_rx_message *rm, u32 offset, struct uet_ctx *ctx)
{
	const struct uet_ses_req *req = &rm->ses.req;

	*ctx = (struct uet_ctx){
		.job = req->job,
		.initiator = req->initiator,
		.length = req->request_length,
		.offset = offset,
		.opcode = req->opcode,
		.delivery = rm->delivery,
	};
	if (uet_wire_op(req->opcode)->flags & UET_OPF_TAGGED)
		ctx->match = req->match;
	if (req->hd) {
		ctx->flags |= UET_CTX_HDATA;
		ctx->header_data = req->header_data;
	}
}

static void sockrx_put_name(const struct sockrx *rx)
{
	struct sockaddr_uet *addr = rx->msg->msg_name;

	if (!addr)
		return;
	sockrx_sender(rx->rm, addr);
	rx->msg->msg_namelen = sizeof(*addr);
}

static void sockrx_put_ctx(const struct sockrx *rx, u32 offset)
{
	struct uet_ctx ctx;

	if (!READ_ONCE(rx->us->opt.recv_ctx))
		return;
	sockrx_ctx(rx->rm, offset, &ctx);
	spin_lock_bh(&rx->us->rx_lock);
	ctx.peer = uet_peer_find(rx->us, &rx->rm->from, ctx.initiator);
	spin_unlock_bh(&rx->us->rx_lock);
	put_cmsg(rx->msg, SOL_UET, UET_CMSG_CTX, sizeof(ctx), &ctx);
}

/* The call has read rx->rm from @offset on. Has the message ended? Return: result of the call. */
static int sockrx_finish(struct sockrx *rx, u32 offset, int flags)
{
	struct uet_rx_message *rm = rx->rm;
	bool is_end = sockrx_is_at_end(rx);
	bool is_full = rx->copied == rx->len;
	u32 result = rx->copied;

	/* A non-blocking caller does not truncate a streamed message. */
	if (!is_end && is_full && (!uet_rx_message_is_streamed(rm) ||
				   rx->may_wait || rx->is_peek)) {
		is_end = true;
		rx->msg->msg_flags |= MSG_TRUNC;
		if (flags & MSG_TRUNC)
			result = rm->length - offset;
	}
	if (is_end) {
		rx->msg->msg_flags |= MSG_EOR;
		rx->is_over = !rx->is_peek;
	}
	return min_t(u32, result, INT_MAX);
}

static int sockrx_recv(struct uet_sock *us, struct msghdr *msg, size_t len, int flags)
{
	struct sockrx rx = {
		.us = us,
		.msg = msg,
		.len = len,
		.timeo = sock_rcvtimeo(&us->sk, flags & MSG_DONTWAIT),
		.is_peek = flags & MSG_PEEK,
	};
	u32 offset;
	int ret;

	rx.may_wait = rx.timeo;
	if (flags & MSG_OOB)
		return uet_sock_refuse(us, -EOPNOTSUPP, "recvmsg: there are no out-of-band messages");
	if (flags & MSG_ERRQUEUE) {
		if (!uet_cq_is_readable(&us->cq))
			uet_pdc_entry_uncork(us);
		return uet_sock_recv_cq(us, msg, flags);
	}
	ret = sockrx_pick(&rx);
	if (ret || !rx.rm)
		return ret;

	offset = rx.pos;
	ret = sockrx_read(&rx);
	if (!ret) {
		sockrx_put_name(&rx);
		sockrx_put_ctx(&rx, offset);
		ret = sockrx_finish(&rx, offset, flags);
	} else if (ret == READ_ONCE(rx.rm->error)) {
		uet_sock_refuse(us, ret, "recvmsg: message of %u bytes ended after %u, its sender failed or gave it up",
				rx.rm->length, rx.pos);
		rx.is_over = !rx.is_peek;
	}
	sockrx_release(&rx);
	return ret;
}

int uet_sock_recvmsg(struct socket *sock, struct msghdr *msg, size_t len, int flags)
{
	struct uet_sock *us = uet_sk(sock->sk);
	u32 begun = uet_sock_begin_call(us);

	return uet_sock_end_call(us, begun, sockrx_recv(us, msg, len, flags));
}

/* ---------------------------------------------------------- UET_IOC_RECV_PEEK */

#define PEEK_FLAGS	(UET_PEEK_CLAIM | UET_PEEK_DISCARD)

static int peek_check(struct uet_sock *us, const struct uet_recv_peek *peek,
		      struct uet_match_recv *at)
{
	const struct uet_recv_post want = {
		.match = peek->match,
		.ignore = peek->ignore,
		.initiator = peek->initiator,
		.flags = peek->flags & ~PEEK_FLAGS,
	};
	int err;

	err = uet_posted_recv_check(us, "UET_IOC_RECV_PEEK",
				    UET_RECV_TAGGED | UET_RECV_ANY_SOURCE |
				    UET_RECV_PEER, &want);
	if (err)
		return err;
	if ((peek->flags & PEEK_FLAGS) == PEEK_FLAGS)
		return uet_sock_refuse(us, -EINVAL, "UET_IOC_RECV_PEEK: flags UET_PEEK_CLAIM and UET_PEEK_DISCARD exclude each other");
	if (!uet_sock_is_bound(us))
		return uet_sock_refuse(us, -ENOTCONN, "UET_IOC_RECV_PEEK: the socket is not bound");
	uet_posted_recv_want(at, &want);
	return 0;
}

/* @gone: with UET_PEEK_DISCARD, the receive that takes the message; else NULL. */
static void peek_use(struct uet_rx_message *rm, struct uet_recv_peek *peek,
		     struct uet_posted_recv *gone, struct uet_rx_take *take)
{
	struct uet_sock *us = rm->us;

	if (peek->flags & UET_PEEK_CLAIM) {
		uet_rx_match_feed(us);
		uet_match_claim_msg(&us->match, &rm->match_entry);
		if (!list_empty(&rm->link))
			list_move_tail(&rm->link, &us->rx.claimed);
	}
	peek->claim = rm->match_entry.claim;
	sockrx_ctx(rm, 0, &peek->ctx);
	peek->ctx.peer = rm->match_entry.match_key.peer;
	sockrx_sender(rm, &peek->from);
	if (gone)
		uet_rx_match_use(rm, gone, take);
}

/* Return: 0; negative errno; or 1: call again, to look at the next messages. */
static int peek_look_once(struct uet_sock *us, const struct uet_match_recv *at,
			  struct uet_recv_peek *peek, struct uet_posted_recv *gone)
{
	struct uet_rx_message *rm = NULL;
	struct uet_rx_take take;
	int err;

	uet_rx_take_init(&take);
	spin_lock_bh(&us->rx_lock);
	if (!uet_sock_is_receiving(us))
		err = -ESHUTDOWN;
	else if (!uet_rx_match_find(us, at, &rm))
		err = fatal_signal_pending(current) ? -EINTR : 1;
	else
		/* Not if its header is not known yet. */
		err = rm && (!rm->ops || !rm->ops->is_known || rm->ops->is_known(rm)) ?
		      0 : -ENOMSG;
	if (!err)
		peek_use(rm, peek, gone, &take);
	spin_unlock_bh(&us->rx_lock);
	uet_rx_match_take(&take);
	return err;
}

static int peek_look(struct uet_sock *us, const struct uet_match_recv *at,
		     struct uet_recv_peek *peek, struct uet_posted_recv *gone)
{
	int err, prepared = uet_posted_recv_prepare(us, at->ignore);

	if (prepared < 0)
		return prepared;
	do {
		err = peek_look_once(us, at, peek, gone);
		cond_resched();
	} while (err > 0);
	uet_posted_recv_unprepare(us, prepared);
	return err;
}

static int peek_discard(struct uet_sock *us, const struct uet_match_recv *at,
			struct uet_recv_peek *peek)
{
	struct uet_posted_recv *gone = uet_posted_recv_discard(at);
	int err;

	if (!gone)
		return -ENOMEM;
	err = peek_look(us, at, peek, gone);
	if (err)
		kfree(gone);
	return err;
}

/*
 * From the first call on, messages without a receive are unexpected, as from the first posted
 * receive on.
 */
int uet_sock_ioctl_peek(struct uet_sock *us, void *arg)
{
	struct uet_recv_peek *peek = arg;
	struct uet_match_recv at = {};
	int err;

	err = peek_check(us, peek, &at);
	if (err)
		return err;
	err = peek->flags & UET_PEEK_DISCARD ? peek_discard(us, &at, peek) :
					       peek_look(us, &at, peek, NULL);
	if (err == -ESHUTDOWN)
		uet_sock_refuse(us, err, "UET_IOC_RECV_PEEK: the socket was shut down for reading");
	return err;
}
