// SPDX-License-Identifier: GPL-2.0
/*
 * UET_IOC_SEND_CANCEL: cancels unfinished sends by cookie or by destination. A
 * message that is not completely sent is still in a list of SES. A PDC serves
 * one pair of endpoints, so the code searches the lists of the socket's own
 * PDCs. Deferred messages are on no PDC; tx_deferrable.c cancels those.
 * Spec: UE 1.0.1 Table 3-17 (UET_MSG_ERROR).
 */
#include <linux/uaccess.h>

#include "message/message.h"
#include "pdc/pdc.h"
#include "transfer/transfer.h"
#include "socket.h"

#define CANCEL_FLAGS	(UET_CANCEL_COOKIE | UET_CANCEL_PEER)

/**
 * struct cancel - a cancel request
 * @us: socket
 * @flags: UET_CANCEL_*
 * @cookie: cookie to match, with UET_CANCEL_COOKIE
 * @dest: destination to match, with UET_CANCEL_PEER
 * @count: number of operations cancelled so far
 */
struct cancel {
	struct uet_sock *us;
	u32 flags;
	u64 cookie;
	struct uet_sock_dest dest;
	u32 count;
};

static int cancel_check(struct uet_sock *us, const struct uet_send_cancel *ask)
{
	if (!ask->flags || ask->flags & ~CANCEL_FLAGS)
		return uet_sock_refuse(us, -EINVAL, "UET_IOC_SEND_CANCEL: flags 0x%x are not of 0x%x, or none",
				       ask->flags, CANCEL_FLAGS);
	if (ask->reserved)
		return uet_sock_refuse(us, -EINVAL, "UET_IOC_SEND_CANCEL: reserved is not 0");
	if (!(ask->flags & UET_CANCEL_COOKIE) && ask->cookie)
		return uet_sock_refuse(us, -EINVAL, "UET_IOC_SEND_CANCEL: cookie 0x%llx is not 0, without UET_CANCEL_COOKIE",
				       ask->cookie);
	if (!(ask->flags & UET_CANCEL_PEER) &&
	    memchr_inv(&ask->addr, 0, sizeof(ask->addr)))
		return uet_sock_refuse(us, -EINVAL, "UET_IOC_SEND_CANCEL: addr is not 0, without UET_CANCEL_PEER");
	if (!uet_sock_is_bound(us))
		return uet_sock_refuse(us, -ENOTCONN, "UET_IOC_SEND_CANCEL: the socket is not bound");
	return 0;
}

static bool cancel_wants_peer(const struct cancel *c,
			      const struct uet_peer_key *key)
{
	const struct uet_sock_dest *dest = &c->dest;

	if (!(c->flags & UET_CANCEL_PEER))
		return true;
	return uet_fa_equal(&key->peer, &dest->fa) && key->job == dest->job &&
	       key->pid == dest->pid && key->ri == dest->ri &&
	       key->rel == dest->rel;
}

static bool cancel_wants(const struct cancel *c,
			 const struct uet_tx_message *tm)
{
	if (tm->ses.is_aborted)
		return false;
	return !(c->flags & UET_CANCEL_COOKIE) ||
	       (tm->cqe && tm->cqe->rec.cookie == c->cookie);
}

static bool cancel_wants_deferred(const struct uet_tx_message *tm,
				  const struct uet_peer_key *key,
				  const void *arg)
{
	return cancel_wants_peer(arg, key) && cancel_wants(arg, tm);
}

/*
 * Cancel messages that are not yet packetised, that wait for an answer, or that
 * are to be sent again after a refusal.
 */
static void cancel_list(struct cancel *c, struct uet_ses *ses,
			struct list_head *list)
{
	struct uet_ses_tx *tx, *next;

	list_for_each_entry_safe(tx, next, list, link) {
		if (!cancel_wants(c,
				  container_of(tx, struct uet_tx_message, ses)))
			continue;
		uet_ses_tx_abort(ses, tx);
		c->count++;
	}
}

static void cancel_pdc(struct cancel *c, struct uet_pdc_entry *pe)
{
	struct uet_ses *ses = &pe->ses;

	uet_pdc_entry_lock(pe);
	if (!pe->dead) {
		cancel_list(c, ses, &ses->txq);
		cancel_list(c, ses, &ses->waitq);
		cancel_list(c, ses, &ses->rdv_waitq);
		cancel_list(c, ses, &ses->gen.refused);
	}
	uet_pdc_entry_run(pe, UET_RUN_NOW);
}

static void cancel_all(struct cancel *c)
{
	struct uet_pdc_entry *pe;

	rcu_read_lock();
	list_for_each_entry_rcu(pe, &c->us->links.pdcs, on_ep)
		if (cancel_wants_peer(c, &pe->key))
			cancel_pdc(c, pe);
	rcu_read_unlock();
	c->count += uet_tx_deferrable_cancel(c->us, cancel_wants_deferred, c);
}

/*
 * UET_IOC_SEND_CANCEL: cancel operations.
 * Context: Process; sends packets.
 * Return: number of cancelled operations; -ENOENT: no unfinished operation can
 *	be cancelled; -EFAULT; -EINVAL; -ENOTCONN; -EAFNOSUPPORT.
 */
int uet_sock_ioctl_cancel(struct uet_sock *us, const void __user *arg)
{
	struct cancel c = { .us = us };
	struct uet_send_cancel ask;
	int err;

	if (copy_from_user(&ask, arg, sizeof(ask)))
		return -EFAULT;
	err = cancel_check(us, &ask);
	if (!err && ask.flags & UET_CANCEL_PEER)
		err = uet_sock_addr_dest(us, "UET_IOC_SEND_CANCEL", &ask.addr,
					 sizeof(ask.addr), &c.dest);
	if (err)
		return err;
	c.flags = ask.flags;
	c.cookie = ask.cookie;
	cancel_all(&c);
	if (!c.count)
		return uet_sock_refuse(us, -ENOENT, "UET_IOC_SEND_CANCEL: no such operation can be taken back any more");
	return min_t(u32, c.count, INT_MAX);
}
