/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Posted receives: memory of a socket's own that messages are to go to, each
 * named beforehand by what the message is matched by.  posted_recv.c has them while they
 * wait and when they end, rx_match.c gives messages to them.  Level: shell.
 */
#ifndef UET_RECV_H
#define UET_RECV_H

#include <linux/skbuff.h>

#include "core/ses/match.h"
#include "endpoint/endpoint.h"

struct uet_cqe;
struct uet_rx_message;

/**
 * struct uet_posted_recv - a posted receive; does not change but for @at
 * @at: its place among those that wait
 * @cqe: its completion
 * @place: where the message goes
 * @length: and how many bytes at most; 0: @place means nothing
 * @may_cut: a longer message is cut, else it is refused
 *
 * While it waits it belongs to uet_sock.match; then to the message that it takes,
 * uet_rx_message.recv; or to who cancels it.  It ends once, by uet_posted_recv_end().
 */
struct uet_posted_recv {
	struct uet_match_recv at;
	struct uet_cqe *cqe;
	struct uet_mr_ref place;
	u64 length;
	bool may_cut;
};

/**
 * uet_recv_is_used() - has the socket ever posted a receive?
 * @us: socket
 *
 * Context: Any.
 * Return: true if messages that no receive takes are unexpected.
 */
static inline bool uet_recv_is_used(const struct uet_sock *us)
{
	return READ_ONCE(us->match.buckets);
}

/**
 * uet_recv_fits() - may a message of this length go to a receive?
 * @recv: receive
 * @length: bytes of the message
 *
 * Context: Any.
 * Return: true if it is short enough or may be cut.
 */
static inline bool uet_recv_fits(const struct uet_posted_recv *recv, u32 length)
{
	return recv->may_cut || length <= recv->length;
}

/* By the owner, in process context. */
int uet_posted_recv_ioctl_post(struct uet_sock *us, const void __user *arg);
int uet_posted_recv_ioctl_posts(struct uet_sock *us, void __user *arg);
int uet_posted_recv_ioctl_cancel(struct uet_sock *us, void __user *arg);
void uet_posted_recv_cancel_all(struct uet_sock *us);
void uet_posted_recv_close(struct uet_sock *us);

/* By messages. */
void uet_posted_recv_again(struct uet_sock *us, struct uet_posted_recv *recv);
struct uet_posted_recv *
uet_posted_recv_take(struct uet_sock *us,
		     const struct uet_match_key *match_key);
int uet_posted_recv_put(struct uet_sock *us, const struct uet_posted_recv *recv,
			u32 offset, const struct sk_buff *skb, u32 len);
void uet_posted_recv_end(struct uet_sock *us, struct uet_posted_recv *recv,
			 const struct uet_rx_message *rm, int error);

#endif
