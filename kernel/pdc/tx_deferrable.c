// SPDX-License-Identifier: GPL-2.0
/*
 * Deferrable messages of our sockets.  Each has a restart token, by which it is
 * found when its target asks for it, until it is freed.  One that was deferred is
 * suspended: with its bytes, its completion and its place in the count of messages
 * that are not answered, but on no PDC.  When it is asked for, and that may be
 * before SES has given it read_rsp, it is queued anew on the PDC of its endpoints.
 *
 * A target that never asks may have forgotten the message, or be gone.  So it is
 * sent again, to be deferred again, after as long as a PDC would be idle, then after
 * twice as long, and so on: many that wait shall not keep the target busy.  One that
 * knows it by its token says so and forgets the copy, one without endpoint refuses
 * it, one that is gone does not answer.
 *
 * A token is a place in the table of the FEP and some random bits.  Whoever
 * guesses one must have the address of the target, too, and its job.
 * Spec: uet-wire 3.14 (deferrable send).  Level: shell.
 */
#include <linux/random.h>
#include <linux/slab.h>

#include "deferrable.h"
#include "endpoint/endpoint.h"
#include "fabric/fabric.h"
#include "message/message.h"
#include "pdc_entry.h"

/* Bits of a token that are random; the others are the place in the table. */
#define TXDEFER_RANDOM_BITS	12
#define TXDEFER_PLACES		XA_LIMIT(1, BIT(32 - TXDEFER_RANDOM_BITS) - 1)

/* As when a message is sent: a PDC closes between being found and being used. */
#define TXDEFER_PDC_TRIES	8

/* Sends again, and asks for messages of peers. */
static struct workqueue_struct *defer_wq;

/**
 * uet_defer_init() - prepare for deferrable sends
 *
 * Context: Process, module load.
 * Return: 0 or -ENOMEM.
 */
int uet_defer_init(void)
{
	defer_wq = alloc_workqueue("uet_defer", WQ_UNBOUND, 0);
	return defer_wq ? 0 : -ENOMEM;
}

/**
 * uet_defer_fini() - wait until the last work has returned
 *
 * Context: Process, module unload; no socket is left, so none is queued.
 */
void uet_defer_fini(void)
{
	destroy_workqueue(defer_wq);
}

/**
 * uet_defer_queue() - let work run after a while
 * @work: work of a deferred message; the caller has taken a reference for it
 * @delay_ns: how long from now; moves work that is queued
 *
 * Context: Any.
 * Return: false if it was queued, and the reference is the caller's again.
 */
bool uet_defer_queue(struct delayed_work *work, u64 delay_ns)
{
	return !mod_delayed_work(defer_wq, work, nsecs_to_jiffies(delay_ns));
}

/**
 * uet_defer_flush() - wait for work that has begun
 *
 * Context: Process, sleeps.
 */
void uet_defer_flush(void)
{
	flush_workqueue(defer_wq);
}

/**
 * uet_defer_peer_timeout() - after which time to ask whether a peer is still there
 * @fep: local FEP
 *
 * Context: Any.
 * Return: ns.
 */
u64 uet_defer_peer_timeout(const struct uet_fep *fep)
{
	struct uet_pdc_cfg cfg;

	uet_fep_pdc_cfg(fep, &cfg);
	return uet_pdc_cfg_peer_timeout(&cfg);
}

/* --------------------------------------------------------------- sending again */

/*
 * Leave the message for a while, or, if it was asked for, for another. Return: false
 * if its socket is closed.
 */
static bool tx_defer_wait(struct uet_tx_deferrable *d, u64 delay_ns,
			  u64 asked_ns)
{
	bool may_wait;

	spin_lock_bh(&d->lock);
	may_wait = !d->is_closed;
	d->is_suspended = may_wait;
	if (may_wait) {
		uet_tx_message_get(d->tm);
		if (!uet_defer_queue(&d->work,
				     d->tgt_token ? asked_ns : delay_ns))
			uet_tx_message_put(d->tm);
	}
	spin_unlock_bh(&d->lock);
	return may_wait;
}

/* Nobody will ask for it any more. */
static void tx_defer_give_up(struct uet_tx_deferrable *d)
{
	d->tm->ses.is_aborted = true;
	uet_tx_message_finish(d->tm);
}

/* Return: as uet_pdc_entry_send(), or an error of uet_pdc_entry_get_initiator(). */
static int tx_defer_send(struct uet_tx_deferrable *d)
{
	struct uet_pdc_entry *pe;
	int tries, err = -ESHUTDOWN;

	for (tries = 0; err == -ESHUTDOWN && tries < TXDEFER_PDC_TRIES;
	     tries++) {
		pe = uet_pdc_entry_get_initiator(d->fep, &d->key,
						 GFP_KERNEL_ACCOUNT);
		if (IS_ERR(pe))
			return PTR_ERR(pe);
		err = uet_pdc_entry_send(pe, d->tm);
		uet_pdc_entry_put(pe);
	}
	return err;
}

/* The message is ours: not suspended, not on a PDC. */
static void tx_defer_send_again(struct uet_tx_deferrable *d)
{
	d->tm->hint = NULL;
	d->tm->done = false;
	/* What followed it has long gone. */
	d->tm->ses.has_more = false;
	if (!tx_defer_send(d))
		return;
	/* It stays as it was, and it is tried once more. */
	d->tm->done = true;
	if (!tx_defer_wait(d, UET_DEFER_RETRY_NS, UET_DEFER_RETRY_NS))
		tx_defer_give_up(d);
}

static void tx_defer_work(struct work_struct *work)
{
	struct uet_tx_deferrable *d = container_of(
		to_delayed_work(work), struct uet_tx_deferrable, work);
	struct uet_tx_message *tm = d->tm;
	bool is_ours;

	spin_lock_bh(&d->lock);
	is_ours = d->is_suspended;
	d->is_suspended = false;
	if (is_ours)
		tm->ses.tokens.tgt = d->tgt_token;
	spin_unlock_bh(&d->lock);
	if (is_ours)
		tx_defer_send_again(d);
	uet_tx_message_put(tm);
}

/**
 * uet_tx_deferrable_suspend() - a message that SES has returned may be a deferred one
 * @tm: message, done
 *
 * Context: Any, no PDC lock held.
 * Return: true if it waits to be asked for; false if it has ended.
 */
bool uet_tx_deferrable_suspend(struct uet_tx_message *tm)
{
	struct uet_tx_deferrable *d = tm->defer;
	u64 delay_ns;

	if (!d || !uet_ses_tx_is_deferred(&tm->ses))
		return false;
	uet_mib_inc(d->fep->un, UET_MIB_TX_DEFERRED);
	/* The message is ours until it is suspended. */
	delay_ns = uet_defer_peer_timeout(d->fep) << d->backoff;
	if (d->backoff < UET_DEFER_BACKOFF_MAX)
		d->backoff++;
	if (tx_defer_wait(d, delay_ns, 0))
		return true;
	tm->ses.is_aborted = true;
	return false;
}

/* ---------------------------------------------------------------- being asked */

/* Return: the message with a reference, or NULL. */
static struct uet_tx_message *tx_defer_find(struct uet_fep *fep, u32 token)
{
	struct xarray *tokens = &fep->pdcs->tokens;
	struct uet_tx_message *tm;

	xa_lock_bh(tokens);
	tm = xa_load(tokens, token >> TXDEFER_RANDOM_BITS);
	if (tm && !refcount_inc_not_zero(&tm->refs))
		tm = NULL;
	xa_unlock_bh(tokens);
	return tm;
}

static bool tx_defer_is_meant(const struct uet_tx_message *tm,
			      const struct uet_fa *from,
			      const struct uet_ses_req *req)
{
	return tm->ses.tokens.init == req->init_token && req->tgt_token &&
	       uet_fa_equal(&tm->defer->key.peer, from) &&
	       tm->ses.to.job == req->job &&
	       tm->ses.length == req->request_length;
}

/* Return: false if nothing waits for this to be said. */
static bool tx_defer_ask(struct uet_tx_deferrable *d, u32 tgt_token)
{
	bool is_meant;

	spin_lock_bh(&d->lock);
	is_meant = !d->is_closed &&
		   (!d->tgt_token || d->tgt_token == tgt_token);
	if (is_meant && !d->tgt_token) {
		d->tgt_token = tgt_token;
		uet_tx_message_get(d->tm);
		/* What is not suspended finds nothing to do. */
		if (!uet_defer_queue(&d->work, 0))
			uet_tx_message_put(d->tm);
	}
	spin_unlock_bh(&d->lock);
	return is_meant;
}

/**
 * uet_tx_deferrable_restart() - a target asks for a message
 * @fep: FEP it came to
 * @from: who asks
 * @req: its UET_DEFERRABLE_RTR
 *
 * It may ask again, and before we know that it has deferred the message.
 *
 * Context: Softirq; the lock of a PDC may be held.
 * Return: UET_RC_OK; UET_RC_NO_MATCH: there is no such message, or not for it.
 */
u8 uet_tx_deferrable_restart(struct uet_fep *fep, const struct uet_fa *from,
			     const struct uet_ses_req *req)
{
	struct uet_tx_message *tm = tx_defer_find(fep, req->init_token);
	bool is_meant;

	if (!tm)
		return UET_RC_NO_MATCH;
	is_meant = tx_defer_is_meant(tm, from, req) &&
		   tx_defer_ask(tm->defer, req->tgt_token);
	uet_tx_message_put(tm);
	return is_meant ? UET_RC_OK : UET_RC_NO_MATCH;
}

/* ------------------------------------------------------------ begin and end */

/* Return: 0 and the place of the message in the table, or negative errno. */
static int tx_defer_place(struct uet_tx_deferrable *d, gfp_t gfp, u32 *place)
{
	struct uet_pdc_table *tab = d->fep->pdcs;
	int err;

	err = xa_alloc_cyclic_bh(&tab->tokens, place, d->tm, TXDEFER_PLACES,
				 &tab->next_token, gfp);
	return err < 0 ? err : 0;
}

/* uet_tx_message.free_defer */
static void tx_defer_free(struct uet_tx_message *tm)
{
	struct uet_tx_deferrable *d = tm->defer;

	/* The table of a deleted FEP is empty, but it is there. */
	xa_cmpxchg_bh(&d->fep->pdcs->tokens,
		      tm->ses.tokens.init >> TXDEFER_RANDOM_BITS, tm, NULL, 0);
	uet_fep_put(d->fep);
	kfree(d);
}

/**
 * uet_tx_deferrable_begin() - a deferrable message is to be sent
 * @tm: message, known to nobody else
 * @key: the PDC it goes by
 *
 * Context: Process, sleeps.
 * Return: 0; -ENOMEM; -EBUSY: there are too many on the FEP.
 */
int uet_tx_deferrable_begin(struct uet_tx_message *tm,
			    const struct uet_peer_key *key)
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
	tm->free_defer = tx_defer_free;
	err = tx_defer_place(d, us->sk.sk_allocation, &place);
	if (err) {
		tm->defer = NULL;
		kfree(d);
		return err;
	}
	uet_fep_get(d->fep);
	tm->ses.tokens.init = place << TXDEFER_RANDOM_BITS |
			      (get_random_u32() &
			       (BIT(TXDEFER_RANDOM_BITS) - 1));
	return 0;
}

/* The next deferrable message of a socket, with a reference. */
static struct uet_tx_message *tx_defer_next(struct uet_sock *us,
					    unsigned long *place)
{
	struct xarray *tokens = &us->fep->pdcs->tokens;
	struct uet_tx_message *tm;

	xa_lock_bh(tokens);
	xa_for_each_start(tokens, *place, tm, *place)
		if (tm->us == us && refcount_inc_not_zero(&tm->refs))
			break;
	xa_unlock_bh(tokens);
	++*place;
	return tm;
}

static void tx_defer_close(struct uet_tx_deferrable *d)
{
	bool is_ours;

	spin_lock_bh(&d->lock);
	d->is_closed = true;
	is_ours = d->is_suspended;
	d->is_suspended = false;
	spin_unlock_bh(&d->lock);
	if (cancel_delayed_work_sync(&d->work))
		uet_tx_message_put(d->tm);
	if (is_ours)
		tx_defer_give_up(d);
}

/**
 * uet_tx_deferrable_close() - a socket is being closed
 * @us: socket, bound
 *
 * What waits to be asked for is given up; what is under way still goes, unless it is
 * deferred.
 *
 * Context: Process, sleeps.
 */
void uet_tx_deferrable_close(struct uet_sock *us)
{
	struct uet_tx_message *tm;
	unsigned long place = 0;

	/* None is suspended if all were answered. */
	if (!atomic_read(&us->tx_pending))
		return;
	while ((tm = tx_defer_next(us, &place))) {
		tx_defer_close(tm->defer);
		uet_tx_message_put(tm);
	}
}

/* Take a message that is suspended, if it is wanted. Return: true if it is ours. */
static bool tx_defer_claim(struct uet_tx_deferrable *d,
			   uet_tx_deferrable_wants_fn *wants, const void *arg)
{
	bool is_ours;

	spin_lock_bh(&d->lock);
	is_ours = d->is_suspended && wants(d->tm, &d->key, arg);
	if (is_ours)
		d->is_suspended = false;
	spin_unlock_bh(&d->lock);
	return is_ours;
}

/**
 * uet_tx_deferrable_cancel() - give up messages that wait to be asked for
 * @us: socket, bound
 * @wants: is this one to be given up? Called under the lock of the message
 * @arg: its last argument
 *
 * One that is just being sent again is on no PDC yet, and is not found.
 *
 * Context: Process, sleeps not.
 * Return: how many.
 */
u32 uet_tx_deferrable_cancel(struct uet_sock *us,
			     uet_tx_deferrable_wants_fn *wants, const void *arg)
{
	struct uet_tx_message *tm;
	unsigned long place = 0;
	u32 count = 0;

	if (!atomic_read(&us->tx_pending))
		return 0;
	while ((tm = tx_defer_next(us, &place))) {
		if (tx_defer_claim(tm->defer, wants, arg)) {
			if (cancel_delayed_work(&tm->defer->work))
				uet_tx_message_put(tm);
			tx_defer_give_up(tm->defer);
			count++;
		}
		uet_tx_message_put(tm);
	}
	return count;
}
