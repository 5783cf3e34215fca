// SPDX-License-Identifier: GPL-2.0
/*
 * Deferrable messages of local sockets. Each has a restart token, by which it is found when its
 * target requests it, until it is freed. A deferred message is suspended: it keeps its data, its
 * completion and its count as an unanswered message, but is on no PDC. A request queues it again
 * on the PDC of its endpoints; the request may arrive before SES has returned the message.
 *
 * A target that never requests the message may have lost it or be gone. The message is therefore
 * sent again after a delay, to be deferred again: first after the idle time of a PDC, then after
 * twice that time, and so on, so that many suspended messages do not load the target. A target
 * that recognises the token answers so and drops the copy. A target without the endpoint refuses
 * the message. A target that is gone does not answer.
 *
 * A token consists of an index in the FEP's table and some random bits. To use a guessed token, a
 * packet must also come from the address and the job of the target.
 * Spec: uet-wire 3.14 (deferrable send).
 */
#include <linux/random.h>
#include <linux/slab.h>

#include "transfer.h"

/* Random bits of a token; the other bits are the index in the table. */
#define TX_DEFER_RANDOM_BITS	12
#define TX_DEFER_MAX		(BIT(32 - TX_DEFER_RANDOM_BITS) - 1)
#define TX_DEFER_PLACES		XA_LIMIT(1, TX_DEFER_MAX)

/* The delay before a suspended message is sent again doubles at most this many times. */
#define TX_DEFER_BACKOFF_MAX	6

/**
 * enum uet_tx_deferrable_state - owner of an outgoing deferrable message, with one reference
 * @UET_TX_DEFER_OWNED: a PDC, or the function that prepares, sends or ends the message
 * @UET_TX_DEFER_SUSPENDED: none: SES has returned the message as deferred. The first of @work,
 *	close() and cancellation takes the message
 * @UET_TX_DEFER_CLOSED: as OWNED, and the socket is closed: the message is not suspended again.
 *	Final
 */
enum uet_tx_deferrable_state {
	UET_TX_DEFER_OWNED,
	UET_TX_DEFER_SUSPENDED,
	UET_TX_DEFER_CLOSED,
};

/*
 * struct uet_tx_deferrable - state of an outgoing deferrable message
 * @tm: the message, which owns this structure
 * @on_ep: position in uet_ep_links.deferrables, under uet_ep_links.lock
 * @fep: its FEP, one reference: the token is in the FEP's table
 * @key: key of its PDC
 * @work: sends the message again; holds a reference to @tm while queued
 * @backoff: number of times the delay before sending again was doubled; only written by the
 *	owner of the message, which is about to suspend it
 * @lock: protects the fields below; taken with BH disabled, leaf
 * @tgt_token: with @is_requested, token of the target that has requested the message; may be 0
 */
struct uet_tx_deferrable {
	struct uet_tx_message *tm;
	struct list_head on_ep;
	struct uet_fep *fep;
	struct uet_peer_key key;
	struct delayed_work work;
	u8 backoff;
	spinlock_t lock;
	u32 tgt_token;
	bool is_requested;
	u8 state;
};

/* Sends messages again, and requests messages of peers. */
static struct workqueue_struct *defer_wq;

/* Messages by user, so that none takes all places of a FEP. */
static struct uet_shares defer_shares;

/**
 * uet_defer_init() - initialise the work queue and the table of deferrable sends: 0 or -ENOMEM
 */
int uet_defer_init(void)
{
	int err = uet_rx_deferrable_init();

	if (err)
		return err;
	err = uet_shares_init(&defer_shares, TX_DEFER_MAX);
	if (err)
		goto err_rx;
	defer_wq = alloc_workqueue("uet_defer", WQ_UNBOUND, 0);
	if (defer_wq)
		return 0;
	err = -ENOMEM;
	uet_shares_fini(&defer_shares);
err_rx:
	uet_rx_deferrable_fini();
	return err;
}

/**
 * uet_defer_fini() - wait for the last work, destroy the queue and the table, without sockets
 */
void uet_defer_fini(void)
{
	destroy_workqueue(defer_wq);
	uet_shares_fini(&defer_shares);
	uet_rx_deferrable_fini();
}

/* Queue work, or move work that is queued.  Return: false if it was queued. */
static bool defer_queue(struct delayed_work *work, u64 delay_ns)
{
	return !mod_delayed_work(defer_wq, work, nsecs_to_jiffies(delay_ns));
}

/*
 * Queue work of an incoming message with a delay, which also moves work that is queued.  The
 * work, or who cancels it, calls uet_defer_done_rx().
 */
void uet_defer_queue_rx(struct uet_rx_message *rm, struct delayed_work *work, u64 delay_ns)
{
	uet_rx_message_get(rm);
	atomic_inc(&rm->us->env.nr_works);
	if (!defer_queue(work, delay_ns))
		uet_defer_done_rx(rm);
}

/* Work of uet_defer_queue_rx() has run, or was cancelled. */
void uet_defer_done_rx(struct uet_rx_message *rm)
{
	if (atomic_dec_and_test(&rm->us->env.nr_works))
		wake_up_var(&rm->us->env.nr_works);
	uet_rx_message_put(rm);
}

/* A message of the kernel for one of a peer, with a reference to it; NULL without memory. */
struct uet_tx_message *uet_defer_alloc_for(struct uet_rx_message *rm,
					   const struct uet_tx_message_ops *ops)
{
	struct uet_tx_message *tm = uet_tx_message_alloc(rm->us, 0);

	if (!tm)
		return NULL;
	tm->fa = rm->from;
	tm->ses.to = rm->us->addr;
	uet_rx_message_get(rm);
	tm->serves = rm;
	tm->ops = ops;
	return tm;
}

/* uet_tx_message_ops.free of such a message. */
void uet_defer_free_for(struct uet_tx_message *tm)
{
	uet_rx_message_put(tm->serves);
}

/*
 * Send @tm on a PDC of no socket, so that it does not queue behind messages.  Return: 0 or an
 * error, with @tm freed.
 */
int uet_defer_send_for(struct uet_fep *fep, const struct uet_peer_key *key,
		       struct uet_tx_message *tm)
{
	int err = tm ? uet_pdc_entry_send_again(fep, key, tm, false, GFP_KERNEL_ACCOUNT) : -ENOMEM;

	if (err && tm)
		uet_tx_message_put(tm);
	return err;
}

/*
 * uet_defer_flush() - wait for work of incoming messages in close(); the socket queues no more
 */
void uet_defer_flush(struct uet_sock *us)
{
	wait_var_event(&us->env.nr_works, !atomic_read(&us->env.nr_works));
}

/* Time-out for checking whether a peer still exists, ns. */
u64 uet_defer_peer_timeout(const struct uet_fep *fep)
{
	struct uet_pdc_cfg cfg;

	uet_fep_pdc_cfg(fep, &cfg);
	return uet_pdc_cfg_peer_timeout(&cfg);
}

/* ------------------------------------------------------------------- ownership */

/* The work holds a reference to the message while the work is queued. */
static void tx_defer_queue(struct uet_tx_deferrable *d, u64 delay_ns)
{
	lockdep_assert_held(&d->lock);
	uet_tx_message_get(d->tm);
	if (!defer_queue(&d->work, delay_ns))
		uet_tx_message_put(d->tm);
}

/*
 * The caller, which owns the message, suspends it with its reference. The work sends the
 * message after @delay_ns, or after @requested_delay_ns if the target has requested the
 * message.
 * Return: false if its socket is closed: the caller still owns the message.
 */
static bool tx_defer_suspend(struct uet_tx_deferrable *d, u64 delay_ns, u64 requested_delay_ns)
{
	bool may_suspend;

	spin_lock_bh(&d->lock);
	may_suspend = d->state != UET_TX_DEFER_CLOSED;
	if (may_suspend) {
		d->state = UET_TX_DEFER_SUSPENDED;
		tx_defer_queue(d, d->is_requested ? requested_delay_ns : delay_ns);
	}
	spin_unlock_bh(&d->lock);
	return may_suspend;
}

/*
 * The only way from SUSPENDED to an owner. Return: true if the caller now owns the message with
 * its reference.
 */
static bool tx_defer_take(struct uet_tx_deferrable *d) __must_hold(&d->lock)
{
	lockdep_assert_held(&d->lock);
	if (d->state != UET_TX_DEFER_SUSPENDED)
		return false;
	d->state = UET_TX_DEFER_OWNED;
	return true;
}

/* --------------------------------------------------------------- sending again */

/* End a message that the caller owns and that is not sent again. */
static void tx_defer_finish_aborted(struct uet_tx_deferrable *d)
{
	d->tm->ses.is_aborted = true;
	uet_tx_message_finish(d->tm);
}

/*
 * The caller owns the message, and passes its reference to a PDC.  A target that names the
 * message by a token has taken its place in the order: then it does not wait behind ordered
 * messages that the target keeps waiting.
 */
static void tx_defer_send_again(struct uet_tx_deferrable *d)
{
	struct uet_peer_key key = d->key;

	if (d->tm->ses.tokens.tgt)
		key.mode = UET_PDC_RUD;
	/* The messages that followed it are not sent behind it again. */
	d->tm->ses.has_more = false;
	if (uet_pdc_entry_send_again(d->fep, &key, d->tm, false, GFP_KERNEL_ACCOUNT) &&
	    !tx_defer_suspend(d, UET_DEFER_RETRY_NS, UET_DEFER_RETRY_NS))
		tx_defer_finish_aborted(d);
}

static void tx_defer_work(struct work_struct *work)
{
	struct uet_tx_deferrable *d = container_of(
		to_delayed_work(work), struct uet_tx_deferrable, work);
	struct uet_tx_message *tm = d->tm;
	bool is_ours;

	spin_lock_bh(&d->lock);
	is_ours = tx_defer_take(d);
	if (is_ours)
		tm->ses.tokens.tgt = d->tgt_token;
	/* A target without a token may defer the message once more. */
	if (is_ours && !d->tgt_token)
		d->is_requested = false;
	spin_unlock_bh(&d->lock);
	if (is_ours)
		tx_defer_send_again(d);
	uet_tx_message_put(tm);
}

/* uet_tx_message_ops.ended: suspend a message that was deferred. */
static bool tx_defer_ended(struct uet_tx_message *tm)
{
	struct uet_tx_deferrable *d = tm->defer;
	u64 delay_ns;

	if (!uet_ses_tx_is_deferred(&tm->ses))
		return false;
	uet_mib_inc(d->fep->un, UET_MIB_TX_DEFERRED);
	/* Its PDC has a message less, which sockio_wait_drained() waits for. */
	if (tm->is_ordered) {
		/* In the place of the atomic operation that uet_sock_wake_senders() expects. */
		smp_mb();
		uet_sock_wake_senders(tm->us);
	}
	/* The caller owns the message, so it may write @backoff without the lock. */
	delay_ns = uet_defer_peer_timeout(d->fep) << d->backoff;
	if (d->backoff < TX_DEFER_BACKOFF_MAX)
		d->backoff++;
	if (tx_defer_suspend(d, delay_ns, 0))
		return true;
	tm->ses.is_aborted = true;
	return false;
}

/* ----------------------------------------------------------- restart requests */

/* Return: the message with a reference, or NULL. */
static struct uet_tx_message *tx_defer_find(struct uet_fep *fep, u32 token)
{
	struct xarray *tokens = &fep->pdcs->tokens;
	struct uet_tx_message *tm;

	xa_lock_bh(tokens);
	tm = xa_load(tokens, token >> TX_DEFER_RANDOM_BITS);
	if (tm && !refcount_inc_not_zero(&tm->refs))
		tm = NULL;
	xa_unlock_bh(tokens);
	return tm;
}

/* Return: false if the message is not sent again, or not for this token. */
static bool tx_defer_request(struct uet_tx_deferrable *d, u32 tgt_token)
{
	bool is_accepted;

	spin_lock_bh(&d->lock);
	is_accepted = d->state != UET_TX_DEFER_CLOSED &&
		      (!d->tgt_token || d->tgt_token == tgt_token);
	if (is_accepted && !d->is_requested) {
		d->is_requested = true;
		d->tgt_token = tgt_token;
		/* The work does nothing for a message that is not suspended. */
		tx_defer_queue(d, 0);
	}
	spin_unlock_bh(&d->lock);
	return is_accepted;
}

/* Return: false if @token is not that of a message for this target. */
static bool tx_defer_restart(struct uet_fep *fep, const struct uet_fa *from,
			     const struct uet_ses_req *req, u32 token)
{
	struct uet_tx_message *tm = tx_defer_find(fep, token);
	bool is_target, is_accepted;
	u32 tgt_token;

	if (!tm)
		return false;
	is_target = uet_fa_equal(&tm->defer->key.peer, from);
	is_accepted = is_target && tm->ses.to.job == req->job &&
		      uet_ses_defer_is_requested(&tm->ses, req, &tgt_token) &&
		      tx_defer_request(tm->defer, tgt_token);
	/* The token alone may be guessed; its target is the message's. */
	if (!is_accepted && is_target)
		uet_sock_explain(tm->us, 0, "deferred message of %u bytes to job %u waits: a restart request of its target was refused, job %u, tokens 0x%x and 0x%x, length %u",
				 tm->ses.length, tm->ses.to.job, req->job,
				 req->init_token, req->tgt_token,
				 req->request_length);
	uet_tx_message_put(tm);
	return is_accepted;
}

/*
 * uet_tx_deferrable_restart() - handle the request of a target for a message
 * @req: the UET_DEFERRABLE_RTR, with the token of the message in either place
 *
 * The request may be repeated, and may arrive before the response that defers the message.
 * Return: UET_RC_OK; UET_RC_NO_MATCH: no such message for this target.
 */
u8 uet_tx_deferrable_restart(struct uet_fep *fep, const struct uet_fa *from,
			     const struct uet_ses_req *req)
{
	if (tx_defer_restart(fep, from, req, req->tgt_token) ||
	    tx_defer_restart(fep, from, req, req->init_token))
		return UET_RC_OK;
	return UET_RC_NO_MATCH;
}

/* ------------------------------------------------------- preparing and ending */

static struct uet_share_owner tx_defer_owner(const struct uet_tx_message *tm)
{
	return (struct uet_share_owner){ .uid = tm->us->host_user };
}

/* Return: 0 and the index of the message in the table, or negative errno. */
static int tx_defer_place(struct uet_tx_deferrable *d, gfp_t gfp, u32 *place)
{
	const struct uet_share_owner owner = tx_defer_owner(d->tm);
	struct uet_pdc_table *tab = d->fep->pdcs;
	int err;

	err = uet_shares_take(&defer_shares, &owner, 1);
	if (err)
		return err == -ENOSPC ? -EBUSY : err;
	err = xa_alloc_cyclic_bh(&tab->tokens, place, d->tm, TX_DEFER_PLACES,
				 &tab->next_token, gfp);
	if (err >= 0)
		return 0;
	uet_shares_give(&defer_shares, &owner, 1);
	return err;
}

static void tx_defer_free(struct uet_tx_message *tm)
{
	const struct uet_share_owner owner = tx_defer_owner(tm);
	struct uet_tx_deferrable *d = tm->defer;

	spin_lock_bh(&tm->us->links.lock);
	list_del(&d->on_ep);
	spin_unlock_bh(&tm->us->links.lock);
	/* The table of a deleted FEP is empty, but it is there. */
	xa_cmpxchg_bh(&d->fep->pdcs->tokens,
		      tm->ses.tokens.init >> TX_DEFER_RANDOM_BITS, tm, NULL, 0);
	uet_shares_give(&defer_shares, &owner, 1);
	uet_fep_put(d->fep);
	kfree(d);
}

static const struct uet_tx_message_ops tx_defer_ops = {
	.ended = tx_defer_ended,
	.free = tx_defer_free,
};

/*
 * uet_tx_deferrable_begin() - prepare a deferrable message, still private, for sending
 * Return: 0; -ENOMEM; -EBUSY: too many on the FEP, or the share of the user is used up.
 */
int uet_tx_deferrable_begin(struct uet_tx_message *tm, const struct uet_peer_key *key)
{
	struct uet_sock *us = tm->us;
	struct uet_tx_deferrable *d;
	u32 place;
	int err;

	d = kzalloc(sizeof(*d), us->sk.sk_allocation);
	if (!d)
		return -ENOMEM;
	d->tm = tm;
	d->fep = us->fep;
	d->key = *key;
	spin_lock_init(&d->lock);
	INIT_DELAYED_WORK(&d->work, tx_defer_work);
	tm->defer = d;
	tm->ops = &tx_defer_ops;
	err = tx_defer_place(d, us->sk.sk_allocation, &place);
	if (err) {
		tm->ops = NULL;
		kfree(d);
		return err;
	}
	spin_lock_bh(&us->links.lock);
	list_add_tail(&d->on_ep, &us->links.deferrables);
	spin_unlock_bh(&us->links.lock);
	uet_fep_get(d->fep);
	tm->ses.tokens.init = place << TX_DEFER_RANDOM_BITS |
			      (get_random_u32() &
			       (BIT(TX_DEFER_RANDOM_BITS) - 1));
	return 0;
}

/*
 * The deferrable message of a socket after @prev, or the first for NULL. Takes a reference to
 * its message, and drops that of @prev, which keeps the place in the list.
 */
static struct uet_tx_deferrable *tx_defer_next(struct uet_sock *us,
					       struct uet_tx_deferrable *prev)
{
	struct uet_ep_links *links = &us->links;
	struct uet_tx_deferrable *d, *found = NULL;

	spin_lock_bh(&links->lock);
	d = list_prepare_entry(prev, &links->deferrables, on_ep);
	list_for_each_entry_continue(d, &links->deferrables, on_ep) {
		if (refcount_inc_not_zero(&d->tm->refs)) {
			found = d;
			break;
		}
	}
	spin_unlock_bh(&links->lock);
	if (prev)
		uet_tx_message_put(prev->tm);
	return found;
}

static void tx_defer_close(struct uet_tx_deferrable *d)
{
	bool is_ours;

	spin_lock_bh(&d->lock);
	is_ours = tx_defer_take(d);
	d->state = UET_TX_DEFER_CLOSED;
	spin_unlock_bh(&d->lock);
	if (cancel_delayed_work_sync(&d->work))
		uet_tx_message_put(d->tm);
	if (is_ours)
		tx_defer_finish_aborted(d);
}

/*
 * uet_tx_deferrable_close() - cancel the suspended messages of a socket in close(); sleeps
 *
 * Messages in flight are still sent, unless they are deferred.
 */
void uet_tx_deferrable_close(struct uet_sock *us)
{
	struct uet_tx_deferrable *d = NULL;

	/* If all messages were answered, none is suspended. */
	if (!atomic_read(&us->tx.pending))
		return;
	while ((d = tx_defer_next(us, d)))
		tx_defer_close(d);
}

/* Take over a suspended message that @wants selects. */
static bool tx_defer_claim(struct uet_tx_deferrable *d,
			   uet_tx_wants_fn *wants, const void *arg)
{
	bool is_ours;

	spin_lock_bh(&d->lock);
	/* The message of another owner may change while @wants reads it. */
	is_ours = d->state == UET_TX_DEFER_SUSPENDED &&
		  wants(d->tm, &d->key, arg) && tx_defer_take(d);
	spin_unlock_bh(&d->lock);
	return is_ours;
}

/*
 * uet_tx_deferrable_cancel() - cancel suspended messages that @wants, under the lock of the
 *	message, selects
 *
 * A message that is being sent again at this moment is on no PDC yet, and is not found.
 * Return: number of cancelled messages.
 */
u32 uet_tx_deferrable_cancel(struct uet_sock *us, uet_tx_wants_fn *wants, const void *arg)
{
	struct uet_tx_deferrable *d = NULL;
	u32 count = 0;

	if (!atomic_read(&us->tx.pending))
		return 0;
	while ((d = tx_defer_next(us, d))) {
		if (!tx_defer_claim(d, wants, arg))
			continue;
		if (cancel_delayed_work(&d->work))
			uet_tx_message_put(d->tm);
		tx_defer_finish_aborted(d);
		count++;
	}
	return count;
}
