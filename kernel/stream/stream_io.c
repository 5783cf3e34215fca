// SPDX-License-Identifier: GPL-2.0
/*
 * Bytes of streams: sendmsg(), recvmsg(), poll() and the ioctls that count bytes. Bytes to send
 * are copied to page fragments, up to UET_STREAM_MESSAGE_MAX for each message. Short writes are
 * added to the last message as long as that waits: for the window, for the acknowledgement of
 * earlier messages (unless TCP_NODELAY), or for the process (TCP_CORK, MSG_MORE).
 */
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/sockios.h>
#include <linux/uaccess.h>
#include <asm/ioctls.h>
#include <net/tcp_states.h>

#include "message/message.h"
#include "stream.h"

/* --------------------------------------------------------------------- sendmsg() */

/* An empty message, which nothing is charged for yet, or NULL: there is no space. */
static struct sk_buff *sio_new_skb(struct sock *sk)
{
	struct sk_buff *skb = NULL;

	if (sk_stream_memory_free(sk))
		skb = alloc_skb(0, sk->sk_allocation);
	/* Nobody uses a checksum of its bytes. */
	if (skb)
		skb->ip_summed = CHECKSUM_PARTIAL;
	return skb;
}

static bool sio_takes(struct sk_buff *skb, const struct page_frag *frag)
{
	int nr = skb_shinfo(skb)->nr_frags;

	return skb->len < UET_STREAM_MESSAGE_MAX &&
	       (nr < MAX_SKB_FRAGS || skb_can_coalesce(skb, nr, frag->page, frag->offset));
}

static void sio_add_frag(struct sk_buff *skb, struct page_frag *frag, u32 len)
{
	int nr = skb_shinfo(skb)->nr_frags;

	if (skb_can_coalesce(skb, nr, frag->page, frag->offset)) {
		skb_frag_size_add(&skb_shinfo(skb)->frags[nr - 1], len);
	} else {
		skb_fill_page_desc(skb, nr, frag->page, frag->offset, len);
		get_page(frag->page);
	}
	frag->offset += len;
}

/* Copy some bytes to the last message, or to a new one. Return: as sio_copy(). */
static int sio_copy_to(struct sock *sk, struct msghdr *msg, struct page_frag *frag)
{
	struct sk_buff *skb = skb_peek_tail(&sk->sk_write_queue);
	u32 len, head = 0;
	int err = 0;

	if (!skb || !sio_takes(skb, frag)) {
		skb = sio_new_skb(sk);
		if (!skb)
			return 0;
		head = skb->truesize;
	}
	len = min3((size_t)(frag->size - frag->offset), msg_data_left(msg),
		   (size_t)(UET_STREAM_MESSAGE_MAX - skb->len));
	if (!uet_stream_may_grow(sk, head + len) || !sk_wmem_schedule(sk, head + len))
		goto no_bytes;
	err = skb_copy_to_page_nocache(sk, &msg->msg_iter, skb, frag->page, frag->offset, len);
	if (err)
		goto no_bytes;
	if (head) {
		sk_wmem_queued_add(sk, head);
		sk_mem_charge(sk, head);
		__skb_queue_tail(&sk->sk_write_queue, skb);
	}
	sio_add_frag(skb, frag, len);
	uet_stream(sk)->write_seq += len;
	return len;

no_bytes:
	if (head)
		kfree_skb(skb);
	return err;
}

/*
 * Copy some bytes. Many go to a page of an earlier message: fresh pages are cleared first.
 * Return: their number; 0: no space; an errno.
 */
static int sio_copy(struct sock *sk, struct msghdr *msg)
{
	struct page_frag *shared = sk_page_frag(sk), whole = { .size = UET_PIECE };
	int copied;

	if (msg_data_left(msg) >= UET_PIECE)
		whole.page = uet_tx_message_page(uet_stream(sk)->ep->us);
	if (!whole.page)
		return sk_page_frag_refill(sk, shared) ? sio_copy_to(sk, msg, shared) : 0;
	copied = sio_copy_to(sk, msg, &whole);
	put_page(whole.page);
	return copied;
}

static int sio_send(struct sock *sk, struct msghdr *msg, size_t len)
{
	long timeo = sock_sndtimeo(sk, msg->msg_flags & MSG_DONTWAIT);
	struct uet_stream *st = uet_stream(sk);
	int err = 0, copied = 0, got;

	if (msg->msg_flags & MSG_OOB)
		return -EOPNOTSUPP;
	if (!((1 << sk->sk_state) & (TCPF_ESTABLISHED | TCPF_CLOSE_WAIT)))
		err = sk_stream_wait_connect(sk, &timeo);
	sk_clear_bit(SOCKWQ_ASYNC_NOSPACE, sk);
	while (!err && msg_data_left(msg)) {
		if (sk->sk_err || sk->sk_shutdown & SEND_SHUTDOWN) {
			err = -EPIPE;
			break;
		}
		got = sio_copy(sk, msg);
		if (got < 0)
			err = got;
		if (got > 0) {
			copied += got;
			if (skb_peek_tail(&sk->sk_write_queue)->len == UET_STREAM_MESSAGE_MAX)
				uet_stream_push(sk);
			continue;
		}
		if (err)
			break;
		st->opt.more = false;
		uet_stream_push(sk);
		set_bit(SOCK_NOSPACE, &sk->sk_socket->flags);
		err = sk_stream_wait_memory(sk, &timeo);
	}
	st->opt.more = msg->msg_flags & MSG_MORE && !err;
	if (copied) {
		uet_stream_push(sk);
		return copied;
	}
	err = sk_stream_error(sk, msg->msg_flags, err);
	/* Space may have come between the look and the flag. */
	if (err == -EAGAIN)
		sk->sk_write_space(sk);
	return err;
}

int uet_stream_sendmsg(struct socket *sock, struct msghdr *msg, size_t len)
{
	struct sock *sk = sock->sk;
	int ret;

	if (msg->msg_controllen)
		return -EINVAL;
	lock_sock(sk);
	ret = len ? sio_send(sk, msg, len) : 0;
	release_sock(sk);
	return ret;
}

/* --------------------------------------------------------------------- recvmsg() */

/* The buffer with byte @seq, or NULL. */
static struct sk_buff *sio_find(struct sock *sk, u32 seq)
{
	struct sk_buff *skb;

	skb_queue_walk(&sk->sk_receive_queue, skb)
		if (uet_stream_before(seq, uet_stream_cb(skb)->end))
			return skb;
	return NULL;
}

/* The process has taken the bytes of @skb before @seq. */
static void sio_taken(struct sock *sk, struct sk_buff *skb, u32 seq)
{
	WRITE_ONCE(uet_stream(sk)->copied, seq);
	if (uet_stream_cb(skb)->end == seq) {
		__skb_unlink(skb, &sk->sk_receive_queue);
		consume_skb(skb);
	}
	uet_stream_advertise(sk);
}

/* Nothing is there to be read. Return: 0: wait; 1: return what was copied; an errno. */
static int sio_empty(struct sock *sk, size_t copied, size_t target, long timeo)
{
	if (copied >= target)
		return 1;
	if (sock_flag(sk, SOCK_DONE) || (copied && (sk->sk_err || signal_pending(current))))
		return 1;
	if (sk->sk_err)
		return sock_error(sk);
	if (sk->sk_shutdown & RCV_SHUTDOWN)
		return 1;
	if (sk->sk_state == TCP_CLOSE)
		return copied ? 1 : -ENOTCONN;
	if (!timeo)
		return -EAGAIN;
	return signal_pending(current) ? sock_intr_errno(timeo) : 0;
}

static int sio_recv(struct sock *sk, struct msghdr *msg, size_t len, int flags)
{
	long timeo = sock_rcvtimeo(sk, flags & MSG_DONTWAIT);
	size_t target = sock_rcvlowat(sk, flags & MSG_WAITALL, len);
	struct uet_stream *st = uet_stream(sk);
	struct sk_buff *skb;
	u32 used, seq = st->copied;
	size_t copied = 0;
	int err = 0;

	if (sk->sk_state == TCP_LISTEN)
		return -ENOTCONN;
	if (flags & MSG_OOB)
		return -EINVAL;
	while (copied < len) {
		skb = sio_find(sk, seq);
		if (!skb) {
			err = sio_empty(sk, copied, target, timeo);
			/* More behind bytes that stay would not be noticed. */
			if (err || (flags & MSG_PEEK && copied))
				break;
			sk_wait_data(sk, &timeo, NULL);
			/* Another reader may have taken bytes meanwhile. */
			seq = st->copied;
			continue;
		}
		used = min_t(size_t, len - copied, uet_stream_cb(skb)->end - seq);
		if (!(flags & MSG_TRUNC))
			err = skb_copy_datagram_msg(skb, seq - uet_stream_cb(skb)->seq, msg, used);
		if (err)
			break;
		copied += used;
		seq += used;
		if (!(flags & MSG_PEEK))
			sio_taken(sk, skb, seq);
	}
	return copied || err > 0 ? copied : err;
}

int uet_stream_recvmsg(struct socket *sock, struct msghdr *msg, size_t len, int flags)
{
	struct sock *sk = sock->sk;
	int ret;

	if (flags & MSG_ERRQUEUE)
		return -EAGAIN;
	msg->msg_namelen = 0;
	lock_sock(sk);
	ret = sio_recv(sk, msg, len, flags);
	release_sock(sk);
	return ret;
}

/* ------------------------------------------------------------------------- poll() */

static u32 sio_unread(const struct sock *sk)
{
	const struct uet_stream *st = uet_stream(sk);

	/* Pair with the WRITE_ONCE()s of reader and receiver: a wake-up follows. */
	return READ_ONCE(st->rcv_nxt) - READ_ONCE(st->copied);
}

/* Are as many bytes there as SO_RCVLOWAT wants, or as the window allows? */
static bool sio_is_readable(struct sock *sk)
{
	u32 most = uet_stream_window(sk) / 2;

	return sio_unread(sk) >= min_t(u32, sock_rcvlowat(sk, 0, INT_MAX), most);
}

static __poll_t sio_poll_write(struct sock *sk)
{
	if (READ_ONCE(sk->sk_shutdown) & SEND_SHUTDOWN || sk_stream_is_writeable(sk))
		return EPOLLOUT | EPOLLWRNORM;
	sk_set_bit(SOCKWQ_ASYNC_NOSPACE, sk);
	set_bit(SOCK_NOSPACE, &sk->sk_socket->flags);
	/* Pairs with the barrier of conn_write_space(): it or this one sees the other. */
	smp_mb__after_atomic();
	return sk_stream_is_writeable(sk) ? EPOLLOUT | EPOLLWRNORM : 0;
}

__poll_t uet_stream_poll(struct file *file, struct socket *sock, struct poll_table_struct *wait)
{
	struct sock *sk = sock->sk;
	int state = inet_sk_state_load(sk);
	__poll_t mask = 0;
	u8 shut;

	sock_poll_wait(file, sock, wait);
	if (state == TCP_LISTEN)
		return list_empty(&uet_stream(sk)->listen->queue) ? 0 : EPOLLIN | EPOLLRDNORM;
	shut = READ_ONCE(sk->sk_shutdown);
	if (shut == SHUTDOWN_MASK || state == TCP_CLOSE)
		mask |= EPOLLHUP;
	if (shut & RCV_SHUTDOWN)
		mask |= EPOLLIN | EPOLLRDNORM | EPOLLRDHUP;
	if (state != TCP_SYN_SENT && state != TCP_SYN_RECV) {
		if (sio_is_readable(sk))
			mask |= EPOLLIN | EPOLLRDNORM;
		mask |= sio_poll_write(sk);
	}
	if (READ_ONCE(sk->sk_err))
		mask |= EPOLLERR;
	return mask;
}

/* ------------------------------------------------------------------------ ioctl() */

/* Bytes that the peer has not acknowledged, or that were not sent. */
static u32 sio_outq(struct sock *sk, bool unsent)
{
	struct uet_stream *st = uet_stream(sk);
	struct sk_buff *skb = skb_peek(&st->sent);

	if (sk->sk_state == TCP_CLOSE)
		return 0;
	return st->write_seq - (unsent || !skb ? st->snd_nxt : uet_stream_cb(skb)->seq);
}

int uet_stream_ioctl(struct socket *sock, unsigned int cmd, unsigned long arg)
{
	struct sock *sk = sock->sk;
	int value = 0;

	if (cmd != SIOCINQ && cmd != SIOCOUTQ && cmd != SIOCOUTQNSD && cmd != SIOCATMARK)
		return -ENOIOCTLCMD;
	if (cmd != SIOCATMARK && sk->sk_state == TCP_LISTEN)
		return -EINVAL;
	lock_sock(sk);
	if (cmd == SIOCINQ)
		value = sio_unread(sk);
	else if (cmd != SIOCATMARK)
		value = sio_outq(sk, cmd == SIOCOUTQNSD);
	release_sock(sk);
	return put_user(value, (int __user *)arg);
}
