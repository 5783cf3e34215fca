// SPDX-License-Identifier: GPL-2.0
/*
 * Reports of an endpoint to its process: wake-ups, the pending error of the socket, and
 * the text of UET_LAST_ERROR.
 */
#include <linux/poll.h>

#include "endpoint.h"

static __printf(3, 0)
void ep_set_text(struct uet_sock *us, int late_error, const char *fmt, va_list args)
{
	bool is_reported = late_error == UET_SOCK_MESSAGE_REPORTED;

	spin_lock_bh(&us->rx_lock);
	/* An error that no call has reported yet keeps its text. */
	if (!is_reported || us->err.late >= 0) {
		vscnprintf(us->err.text, sizeof(us->err.text), fmt, args);
		us->err.late = is_reported ? 0 : late_error;
		/* Pairs with the READ_ONCE() in uet_sock_begin_call(). */
		WRITE_ONCE(us->err.seq, us->err.seq + 1);
	}
	spin_unlock_bh(&us->rx_lock);
}

/**
 * uet_sock_refuse() - record the reason of a refused call
 * @us: socket
 * @error: negative errno of the call
 * @fmt: text for UET_LAST_ERROR, naming object, field and limit; printf style
 * Return: @error.
 */
int uet_sock_refuse(struct uet_sock *us, int error, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	ep_set_text(us, 0, fmt, args);
	va_end(args);
	return error;
}

/**
 * uet_sock_take_struct() - copy a struct of the user that begins with its size
 * @us: socket
 * @call: name of the call, for UET_LAST_ERROR
 * @to: gets the struct; bytes that the user does not have are 0
 * @len: length of @to, bytes
 * @first: shortest length, bytes
 * @user: its address
 * Return: the size, at most PAGE_SIZE; -EFAULT; -EINVAL: too short; -E2BIG: it has bytes behind
 * @len that are not 0.
 */
int uet_sock_take_struct(struct uet_sock *us, const char *call, void *to, u32 len, u32 first,
			 const void __user *user)
{
	u32 size;
	int err;

	if (get_user(size, (const u32 __user *)user))
		return -EFAULT;
	if (size < first)
		return uet_sock_refuse(us, -EINVAL, "%s: size %u is below %u", call, size, first);
	err = size > PAGE_SIZE ? -E2BIG : copy_struct_from_user(to, len, user, size);
	if (err == -E2BIG)
		uet_sock_refuse(us, err, "%s: size %u is above %u, and bytes behind are not 0",
				call, size, len);
	if (err)
		return err;
	/* Another thread may have changed it. */
	*(u32 *)to = size;
	return size;
}

/**
 * uet_sock_explain() - record why a message has failed, or waits
 * @us: socket
 * @error: negative errno of the message; 0: it waits; UET_SOCK_MESSAGE_REPORTED: a
 *	completion has its errno
 * @fmt: text for UET_LAST_ERROR, naming the message and the reason; printf style
 * Return: @error.
 */
int uet_sock_explain(struct uet_sock *us, int error, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	ep_set_text(us, error ? : UET_SOCK_MESSAGE_WAITS, fmt, args);
	va_end(args);
	return error;
}

/**
 * uet_sock_end_call() - end a call that must not leave the text of an earlier one
 * @us: socket
 * @begun: result of uet_sock_begin_call()
 * @ret: result of the call, negative errno if it has failed
 *
 * A failed call without a text removes the text of an earlier call. The text of a message stays
 * until a call has reported the error of the message.
 * Return: @ret.
 */
int uet_sock_end_call(struct uet_sock *us, u32 begun, int ret)
{
	if (ret >= 0)
		return ret;
	spin_lock_bh(&us->rx_lock);
	if (us->err.late == ret)
		us->err.late = 0;
	else if (!us->err.late && us->err.seq == begun)
		us->err.text[0] = 0;
	spin_unlock_bh(&us->rx_lock);
	return ret;
}

/**
 * uet_sock_wake() - wake the waiters of a socket
 * @sk: socket
 * @events: new events, EPOLL*
 */
void uet_sock_wake(struct sock *sk, __poll_t events)
{
	struct socket_wq *wq;

	rcu_read_lock();
	wq = rcu_dereference(sk->sk_wq);
	if (skwq_has_sleeper(wq))
		wake_up_interruptible_sync_poll(&wq->wait, events);
	rcu_read_unlock();
}

/**
 * uet_sock_wake_senders() - wake threads in calls that wait for the end of messages; no poll()
 * does
 * @us: socket, after an atomic operation that follows the end
 */
void uet_sock_wake_senders(struct uet_sock *us)
{
	/* Between the end of the message and the look: see uet_sock_wait_begin(). */
	smp_mb__after_atomic();
	if (atomic_read(&us->tx.waiters))
		uet_sock_wake(&us->sk, EPOLLOUT);
}

/**
 * uet_sock_note_full() - poll(), or a call that does not wait, has found no space
 * @us: socket; the next space wakes who polls
 * Return: true if there is space by now, which may have woken nobody.
 */
bool uet_sock_note_full(struct uet_sock *us)
{
	sk_set_bit(SOCKWQ_ASYNC_NOSPACE, &us->sk);
	WRITE_ONCE(us->tx.wants_space, true);
	/* Before the look for space: pairs with that of usock_write_space(). */
	smp_mb();
	return uet_sock_is_writable(us);
}

/**
 * uet_sock_set_error() - let the next call on a socket fail; the first error stays until it was
 * reported
 * @us: socket
 * @error: negative errno
 * Return: false if another error is there to be reported.
 */
bool uet_sock_set_error(struct uet_sock *us, int error)
{
	struct sock *sk = &us->sk;

	if (cmpxchg(&sk->sk_err, 0, -error))
		return false;
	sk_error_report(sk);
	return true;
}
