// SPDX-License-Identifier: GPL-2.0
/*
 * Messages that end before their time: cancelled by their sender or by their receiver, or because
 * the endpoint of either has closed.
 */
#include <linux/list.h>
#include <linux/rculist.h>
#include <linux/rcupdate_wait.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

#include "message/message.h"
#include "pdc.h"

/*
 * uet_pdc_entry_abort_msg() - cancel a message; sends packets
 *
 * Data that is not packetised yet is not sent, and the target is notified. The message still
 * ends by uet_tx_message_finish(). No effect if the message is done.
 */
void uet_pdc_entry_abort_msg(struct uet_pdc_entry *pe, struct uet_tx_message *tm)
{
	uet_pdc_entry_lock(pe);
	if (!tm->done)
		uet_ses_tx_abort(&pe->ses, &tm->ses);
	uet_pdc_entry_run(pe, UET_RUN_NOW);
}

/*
 * uet_pdc_entry_cancel_rx() - refuse the rest of incoming messages for an endpoint
 * @wants: whether a message is meant; NULL: all are
 * @cancelled: gets them, uet_ses_rx.link, without pieces
 */
void uet_pdc_entry_cancel_rx(struct uet_pdc_entry *pe, const struct uet_sock *us,
			     bool (*wants)(const struct uet_rx_message *rm, u64 since),
			     u64 since, struct list_head *cancelled)
{
	struct uet_ses_rx *rx, *next;
	struct uet_rx_message *rm;

	uet_pdc_entry_lock(pe);
	list_for_each_entry_safe(rx, next, &pe->ses.rxq, link) {
		if (rx->failed)
			continue;
		rm = container_of(rx, struct uet_rx_message, ses);
		if (rm->us != us || (wants && !wants(rm, since)))
			continue;
		uet_ses_rx_fail(rx, UET_RC_CANCELLED);
		uet_pdc_entry_mark_failed(pe, rm);
		list_add_tail(&rx->link, cancelled);
	}
	uet_pdc_entry_unlock(pe);
}

static void pe_release_target(struct uet_pdc_entry *pe, struct uet_sock *us)
{
	struct uet_ses_rx *rx, *next;
	LIST_HEAD(cancelled);

	uet_pdc_entry_cancel_rx(pe, us, NULL, 0, &cancelled);
	list_for_each_entry_safe(rx, next, &cancelled, link) {
		list_del_init(&rx->link);
		uet_rx_message_put(container_of(rx, struct uet_rx_message, ses));
	}
}

/* Messages that are looked at, and aborted, with softirqs off: these are reported as well. */
#define PE_ABORT_LOOKS	64
#define PE_ABORT_MAX	4

/* Abort some messages of a walk through them.  Return: true if it has passed all. */
static bool pe_abort_some(struct uet_pdc_entry *pe, uet_tx_wants_fn *wants, const void *arg,
			  u32 *count)
	__must_hold(&pe->lock)
{
	u32 left, end = *count + PE_ABORT_MAX;
	struct uet_ses_tx *tx;

	for (left = PE_ABORT_LOOKS; left && *count < end; left--) {
		tx = uet_ses_tx_walk_next(&pe->ses);
		if (!tx)
			return true;
		if (!wants(container_of(tx, struct uet_tx_message, ses), &pe->key, arg))
			continue;
		uet_ses_tx_abort(&pe->ses, tx);
		++*count;
	}
	return false;
}

/* The caller has a reference, and excludes others who abort.  Return: number of messages. */
static u32 pe_abort(struct uet_pdc_entry *pe, uet_tx_wants_fn *wants, const void *arg)
{
	bool is_over = false, is_begun = false;
	u32 before, count = 0;

	while (!is_over) {
		uet_pdc_entry_lock(pe);
		if (!is_begun)
			uet_ses_tx_walk(&pe->ses);
		is_begun = true;
		before = count;
		is_over = pe->dead || pe_abort_some(pe, wants, arg, &count);
		if (count != before)
			uet_pdc_entry_run(pe, UET_RUN_NOW);
		else
			uet_pdc_entry_unlock(pe);
		cond_resched();
	}
	return count;
}

static bool pe_wants_rdv(const struct uet_tx_message *tm, const struct uet_peer_key *key,
			 const void *arg)
{
	return uet_ses_is_rendezvous(tm->ses.opcode) && !tm->ses.is_aborted;
}

static void pe_release_initiator(struct uet_pdc_entry *pe, u64 end_ns)
{
	uet_pdc_entry_lock(pe);
	pe->unused = true;
	if (!pe->dead) {
		uet_ses_rdv_shut(&pe->ses);
		uet_pdc_close_by(pe->pdc, end_ns);
	}
	uet_pdc_table_hide(pe->fep->pdcs, pe);
	uet_pdc_entry_leave_ep(pe);
	uet_pdc_entry_run(pe, UET_RUN_NOW);
	pe_abort(pe, pe_wants_rdv, NULL);
}

/*
 * Return: the PDC of the socket behind @last, whose reference goes, with a reference; NULL: there
 * is none.  The first one if @last is NULL or has left the list.
 */
static struct uet_pdc_entry *pe_next_of_ep(struct uet_sock *us, struct uet_pdc_entry *last)
{
	struct list_head *pdcs = &us->links.pdcs, *at = pdcs;
	struct uet_pdc_entry *pe = NULL;

	/* A PDC leaves the list before it drops the reference of the tables. */
	spin_lock_bh(&us->links.lock);
	if (last && last->us)
		at = &last->on_ep;
	if (!list_is_last(at, pdcs)) {
		pe = list_entry(at->next, struct uet_pdc_entry, on_ep);
		refcount_inc(&pe->refs);
	}
	spin_unlock_bh(&us->links.lock);
	if (last)
		uet_pdc_entry_put(last);
	return pe;
}

/*
 * uet_pdc_entry_abort_all() - abort those messages of a socket, not completely sent or without an
 *	answer, that @wants, under the lock of the PDC, selects
 * Messages of one PDC have one receiver.  Context: process; the caller holds walk_mutex.
 * Return: their number.
 */
u32 uet_pdc_entry_abort_all(struct uet_sock *us, uet_tx_wants_fn *wants, const void *arg)
{
	struct uet_pdc_entry *pe = NULL;
	u32 count = 0;

	lockdep_assert_held(&us->walk_mutex);
	while ((pe = pe_next_of_ep(us, pe)))
		count += pe_abort(pe, wants, arg);
	return count;
}

/*
 * uet_pdc_entry_release_ep() - close the PDCs of an endpoint that has left uet_ep_table.eps
 * @end_ns: monotonic time at which its PDCs end with their messages, ns
 *
 * The endpoint's PDCs close after delivering their queued messages, except rendezvous messages,
 * because the memory of the endpoint cannot be read any more. Incoming messages for the
 * endpoint fail, and their senders get UET_RC_CANCELLED. The PDCs of other endpoints are not
 * visited.
 */
void uet_pdc_entry_release_ep(struct uet_sock *us, u64 end_ns)
{
	struct uet_pdc_entry *pe;
	u16 pdcid;

	/* No PDC joins the list from now on. */
	spin_lock_bh(&us->links.lock);
	us->links.is_closed = true;
	spin_unlock_bh(&us->links.lock);
	while ((pe = pe_next_of_ep(us, NULL))) {
		pe_release_initiator(pe, end_ns);
		uet_pdc_entry_put(pe);
		cond_resched();
	}
	rcu_read_lock();
	/* Another PDC with the PDCID of one that is gone has no such message. */
	while (uet_rx_message_unlink_first(us, &pdcid)) {
		pe = uet_pdc_table_find(us->fep->pdcs, pdcid);
		if (pe && pe->role == UET_PDC_TARGET)
			pe_release_target(pe, us);
		cond_resched_rcu();
	}
	rcu_read_unlock();
}
