/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Posted receives: memory of a socket for incoming messages, each with the
 * fields it matches. posted_recv.c owns receives while they wait and when they
 * end, rx_match.c assigns messages to them.
 */
#ifndef UET_POSTED_RECV_H
#define UET_POSTED_RECV_H

#include <linux/skbuff.h>

#include "core/ses/match.h"
#include "endpoint/endpoint.h"

struct uet_cqe;
struct uet_rx_message;

/**
 * struct uet_posted_recv - a posted receive; immutable except @at, and, while a
 *	receive with @min_free waits, @place, @length and @start
 * @at: entry among the waiting receives
 * @claim: number of the claim of the message; 0: @at decides. A receive for a claim
 *	never waits
 * @cqe: completion of the receive; NULL: none, the receive discards a message
 * @place: destination memory
 * @length: size of @place, bytes; 0: @place is unused
 * @start: offset of @place in the memory that was posted, bytes
 * @min_free: UET_RECV_MULTI: the receive takes no more messages when less is left,
 *	bytes; else 0
 * @may_cut: a longer message is truncated, else refused
 *
 * A waiting receive belongs to uet_sock.match, then to the message that takes
 * it, uet_rx_message.recv, or to its canceller. It ends exactly once, by
 * uet_posted_recv_end().
 */
struct uet_posted_recv {
	struct uet_match_recv at;
	u64 claim;
	struct uet_cqe *cqe;
	struct uet_mr_ref place;
	u64 length;
	u32 start;
	u32 min_free;
	bool may_cut;
};

/**
 * uet_recv_is_used() - check whether the socket has ever posted a receive
 * @us: socket
 *
 * Return: true if messages without a receive are unexpected.
 */
static inline bool uet_recv_is_used(const struct uet_sock *us)
{
	return READ_ONCE(us->match.nr_indexed);
}

/**
 * uet_recv_fits() - check whether a message's length suits a receive
 * @recv: receive
 * @length: length of the message, bytes
 *
 * Return: true if the message fits or may be truncated.
 */
static inline bool uet_recv_fits(const struct uet_posted_recv *recv, u32 length)
{
	return recv->may_cut || length <= recv->length;
}

/* For the owner of the socket, in process context. */
int uet_posted_recv_check(struct uet_sock *us, const char *call, u32 flags,
			  const struct uet_recv_post *want);
void uet_posted_recv_want(struct uet_match_recv *at,
			  const struct uet_recv_post *want);
int uet_posted_recv_prepare(struct uet_sock *us, u64 ignore);
void uet_posted_recv_unprepare(struct uet_sock *us, int prepared);
struct uet_posted_recv *
uet_posted_recv_discard(const struct uet_match_recv *at);
int uet_posted_recv_post(struct uet_sock *us, const struct uet_recv_post *post);
int uet_posted_recv_ioctl_post(struct uet_sock *us, const void __user *arg);
int uet_posted_recv_ioctl_posts(struct uet_sock *us, void __user *arg);
int uet_posted_recv_ioctl_cancel(struct uet_sock *us, void __user *arg);
void uet_posted_recv_cancel_all(struct uet_sock *us);
void uet_posted_recv_close(struct uet_sock *us);

/* For messages. */
void uet_posted_recv_again(struct uet_sock *us, struct uet_posted_recv *recv);
struct uet_posted_recv *uet_posted_recv_part(struct uet_sock *us,
					     struct uet_posted_recv *recv,
					     u32 length);
struct uet_posted_recv *
uet_posted_recv_take(struct uet_sock *us, const struct uet_match_key *match_key,
		     u32 length);
int uet_posted_recv_put(struct uet_sock *us, const struct uet_posted_recv *recv,
			u32 offset, const struct sk_buff *skb, u32 len);
void uet_posted_recv_end(struct uet_sock *us, struct uet_posted_recv *recv,
			 const struct uet_rx_message *rm, int error);

#endif
