// SPDX-License-Identifier: GPL-2.0
/*
 * Reports of an endpoint to its process: wake-ups, the pending error of the socket, and
 * the text of UET_LAST_ERROR.
 */
#include <linux/poll.h>

#include "ep.h"

/**
 * uet_sock_refuse() - record the reason of a refused call
 * @us: socket
 * @error: negative errno of the call
 * @fmt: text for UET_LAST_ERROR, naming object, field and limit; printf style
 *
 * Context: Any.
 * Return: @error.
 */
int uet_sock_refuse(struct uet_sock *us, int error, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	spin_lock_bh(&us->rx_lock);
	vscnprintf(us->last_error, sizeof(us->last_error), fmt, args);
	spin_unlock_bh(&us->rx_lock);
	va_end(args);
	return error;
}

/**
 * uet_sock_wake() - wake the waiters of a socket
 * @sk: socket
 * @events: new events, EPOLL*
 *
 * Context: Any.
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
 * uet_sock_set_error() - let the next call on a socket fail
 * @us: socket
 * @error: negative errno
 *
 * The first error stays until it was reported.
 *
 * Context: Any.
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
