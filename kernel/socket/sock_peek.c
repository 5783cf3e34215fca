// SPDX-License-Identifier: GPL-2.0
/*
 * UET_IOC_RECV_PEEK: looks for an unexpected message of any kind: one that can be
 * read, a deferred one, or a rendezvous message that waits for its receive. All are
 * in one list in the order of arrival, so the message found is the one that a receive
 * would take.
 *
 * A claimed message leaves the searches of receives and the queue of recvmsg(), but
 * keeps its place in the receive buffer, or among the messages that wait for a
 * receive. A discarded message is taken by a receive without memory and completion.
 * Spec: uet-wire 3.14 (unexpected message).
 */
#include <linux/uaccess.h>

#include "message/message.h"
#include "socket.h"

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

static bool peek_is_known(const struct uet_rx_message *rm)
{
	return !rm->ops || !rm->ops->is_known || rm->ops->is_known(rm);
}

static void peek_claim(struct uet_sock *us, struct uet_rx_message *rm)
{
	uet_rx_match_feed(us);
	uet_match_claim_msg(&us->match, &rm->match_entry);
	if (!list_empty(&rm->link))
		list_move_tail(&rm->link, &us->rx_claimed);
}

static void peek_describe(const struct uet_rx_message *rm,
			  struct uet_recv_peek *peek)
{
	peek->claim = rm->match_entry.claim;
	uet_sock_ctx(rm, 0, &peek->ctx);
	peek->ctx.peer = rm->match_entry.match_key.peer;
	uet_sock_sender(rm, &peek->from);
}

/* @gone: with UET_PEEK_DISCARD, the receive that takes the message; else NULL. */
static void peek_use(struct uet_rx_message *rm, struct uet_recv_peek *peek,
		     struct uet_posted_recv *gone, struct uet_rx_take *take)
{
	if (peek->flags & UET_PEEK_CLAIM)
		peek_claim(rm->us, rm);
	peek_describe(rm, peek);
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
		err = rm && peek_is_known(rm) ? 0 : -ENOMSG;
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
 * UET_IOC_RECV_PEEK: look for an unexpected message.
 * @arg: user's struct uet_recv_peek; gets the description of the message
 *
 * From the first call on, messages without a receive are unexpected, as from the first
 * posted receive on.
 *
 * Context: Process, sleeps.
 * Return: 0; -ENOMSG: there is no such message; -ENOENT: no such peer; -EFAULT: no message
 *	was claimed or discarded, unless the memory has gone during the call; -EINVAL;
 *	-ENOTCONN; -ESHUTDOWN; -ENOMEM.
 */
int uet_sock_ioctl_peek(struct uet_sock *us, void __user *arg)
{
	struct uet_match_recv at = {};
	struct uet_recv_peek peek;
	int err;

	if (copy_from_user(&peek, arg, sizeof(peek)))
		return -EFAULT;
	err = peek_check(us, &peek, &at);
	if (err)
		return err;
	/* The result of the call must not be lost. */
	if (copy_to_user(arg, &peek, sizeof(peek)))
		return -EFAULT;
	err = peek.flags & UET_PEEK_DISCARD ? peek_discard(us, &at, &peek) :
					      peek_look(us, &at, &peek, NULL);
	if (err == -ESHUTDOWN)
		uet_sock_refuse(us, err, "UET_IOC_RECV_PEEK: the socket was shut down for reading");
	if (err)
		return err;
	return copy_to_user(arg, &peek, sizeof(peek)) ? -EFAULT : 0;
}
