// SPDX-License-Identifier: GPL-2.0
/*
 * A ring of the PDCs that failed last, one for each namespace that has had a FEP.  The
 * newest replaces the oldest, so the memory is bounded, and charged to the one who made the
 * first FEP.  Failures of namespaces of the initial user namespace are logged, too: those of
 * a container must not fill the log of the host.
 */
#include <linux/slab.h>
#include <linux/user_namespace.h>

#include "fabric/fabric.h"
#include "history.h"
#include "pdc_entry.h"

/**
 * uet_history_make() - make the ring of a namespace, unless it has one
 * @un: namespace
 *
 * Context: Process context, uet_net.cfg_mutex held, may sleep.
 * Return: 0 or -ENOMEM.
 */
int uet_history_make(struct uet_net *un)
{
	struct uet_history *history;

	if (un->history)
		return 0;
	history = kvzalloc(sizeof(*history),
			   GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!history)
		return -ENOMEM;
	spin_lock_init(&history->lock);
	ratelimit_state_init(&history->log, DEFAULT_RATELIMIT_INTERVAL,
			     DEFAULT_RATELIMIT_BURST);
	/* The ring has what the log leaves out. */
	ratelimit_set_flags(&history->log, RATELIMIT_MSG_ON_RELEASE);
	/* Pairs with the acquire in uet_history_read(). */
	smp_store_release(&un->history, history);
	return 0;
}

/**
 * uet_history_free() - free the ring of a namespace
 * @un: namespace without FEPs, and without dumps
 *
 * Context: Process context, may sleep.
 */
void uet_history_free(struct uet_net *un)
{
	kvfree(un->history);
	un->history = NULL;
}

static void history_log(struct uet_history *history, struct uet_net *un,
			const struct uet_history_rec *rec)
{
	char nack[16] = "", peer[UET_FA_TEXT];

	/* This node has asked for an abort. */
	if (rec->info.error == UET_PDC_ERR_ABORT ||
	    un->net->user_ns != &init_user_ns || !__ratelimit(&history->log))
		return;
	if (rec->info.nack_code)
		snprintf(nack, sizeof(nack), " 0x%02x", rec->info.nack_code);
	pr_info("uet: %s: PDC %u to %s failed: %s%s; messages lost %u, packets sent %llu, again %llu, received %llu\n",
		rec->fep, rec->info.local_pdcid, uet_fa_print(&rec->peer, peer),
		uet_pdc_error_name(rec->info.error), nack, rec->messages,
		rec->info.stats.tx_req, rec->info.stats.tx_retx,
		rec->info.stats.rx_req);
}

/*
 * Remember a PDC that has failed.
 * @messages: messages of this end that were lost
 *
 * Context: Lock of the PDC held, BH disabled.
 */
void uet_history_add(const struct uet_pdc_entry *pe,
		     const struct uet_pdc_info *info, u32 messages, u64 now)
{
	struct uet_net *un = pe->fep->un;
	struct uet_history *history = un->history;
	struct uet_history_rec *rec;

	spin_lock(&history->lock);
	rec = &history->rec[history->next++ % UET_HISTORY_MAX];
	strscpy(rec->fep, pe->fep->cfg.name, sizeof(rec->fep));
	rec->peer = pe->peer;
	rec->info = *info;
	rec->messages = messages;
	rec->ended_ns = now;
	rec->real_ns = ktime_get_real_ns();
	history_log(history, un, rec);
	spin_unlock(&history->lock);
}

/**
 * uet_history_read() - read the next record
 * @un: namespace
 * @number: the first number wanted; result: the number of the record that was read
 * @rec: result
 *
 * Context: Process context.
 * Return: false if there is none from @number on.
 */
bool uet_history_read(struct uet_net *un, u64 *number,
		      struct uet_history_rec *rec)
{
	/* Pairs with the release in uet_history_make(). */
	struct uet_history *history = smp_load_acquire(&un->history);
	bool is_found;

	if (!history)
		return false;
	spin_lock_bh(&history->lock);
	if (history->next > UET_HISTORY_MAX)
		*number = max(*number, history->next - UET_HISTORY_MAX);
	is_found = *number < history->next;
	if (is_found)
		*rec = history->rec[*number % UET_HISTORY_MAX];
	spin_unlock_bh(&history->lock);
	return is_found;
}
