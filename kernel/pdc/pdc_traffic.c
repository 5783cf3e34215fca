// SPDX-License-Identifier: GPL-2.0
/*
 * From the counters of PDCs to those of their FEP, their job and their peer.  Walking the PDCs is
 * the price of who asks, not of each packet.
 *
 * And a ring of the PDCs that failed last, one for each namespace that has had a FEP.  The newest
 * replaces the oldest, so the memory is bounded, and charged to the one who made the first FEP.
 * Failures of namespaces of the initial user namespace are logged, too: those of a container must
 * not fill the log of the host.
 */
#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>

#include "pdc.h"

/* PDCs that a collection visits in one RCU read side section. */
#define TRAFFIC_CHUNK	256

/* Who may not see PDCs makes one walk over them in this time. */
#define TRAFFIC_PAUSE	(HZ / 10)

/*
 * struct traffic_to - where a PDC adds its counters: of its FEP, its peer, and its job, NULL:
 *	none
 */
struct traffic_to {
	struct uet_traffic *fep;
	struct uet_traffic *peer;
	struct uet_traffic *job;
};

/* Under RCU. */
static struct traffic_to traffic_to(const struct uet_pdc_entry *pe)
{
	const u32 id = READ_ONCE(pe->traffic.job);
	struct uet_job *job = id ? uet_job_find(pe->fep->un, id) : NULL;

	return (struct traffic_to) {
		.fep = &pe->fep->traffic,
		.peer = &pe->traffic.peer->traffic,
		.job = job ? &job->traffic : NULL,
	};
}

static void traffic_add(const struct traffic_to *to, enum uet_traffic_counter which, u64 n)
{
	if (!n)
		return;
	uet_traffic_add(to->fep, which, n);
	uet_traffic_add(to->peer, which, n);
	if (to->job)
		uet_traffic_add(to->job, which, n);
}

static void traffic_move(const struct traffic_to *to, enum uet_traffic_counter which, u64 *n)
{
	traffic_add(to, which, *n);
	*n = 0;
}

static void traffic_follow(const struct traffic_to *to,
			   enum uet_traffic_counter which, u64 count, u64 *seen)
{
	traffic_add(to, which, count - *seen);
	*seen = count;
}

/* When the peer was heard, and whether it is more than the sender of a SYN. */
static void traffic_note_peer(struct uet_pdc_entry *pe)
	__must_hold(&pe->lock)
{
	struct uet_pdc_peer *peer = pe->traffic.peer;
	struct uet_pdc_info info;

	uet_pdc_get_info(pe->pdc, &info);
	if (info.stats.rx_cp || info.state == UET_PDC_ST_ESTABLISHED ||
	    pe->state_seen == UET_PDC_ST_ESTABLISHED)
		WRITE_ONCE(peer->is_known, true);
	if (info.heard_ns <= READ_ONCE(peer->heard_ns))
		return;
	WRITE_ONCE(peer->heard_ns, info.heard_ns);
	if (info.srtt_ns)
		WRITE_ONCE(peer->srtt_ns, info.srtt_ns);
}

/* Add what the PDC has counted since the last time. */
static void traffic_flush(struct uet_pdc_entry *pe, const struct traffic_to *to)
	__must_hold(&pe->lock)
{
	const struct uet_pdc_stats *now = uet_pdc_stats(pe->pdc);
	struct uet_pdc_traffic *seen = &pe->traffic;

	lockdep_assert_held(&pe->lock);
	traffic_move(to, UET_TRAFFIC_TX_MESSAGES, &seen->tx_messages);
	traffic_move(to, UET_TRAFFIC_FAILED_MESSAGES, &seen->failed_messages);
	traffic_move(to, UET_TRAFFIC_TX_BYTES, &seen->tx_bytes);
	traffic_move(to, UET_TRAFFIC_RX_MESSAGES, &seen->rx_messages);
	traffic_move(to, UET_TRAFFIC_RX_BYTES, &seen->rx_bytes);
	traffic_follow(to, UET_TRAFFIC_TX_PACKETS, now->tx_req, &seen->tx_req);
	traffic_follow(to, UET_TRAFFIC_TX_RETX, now->tx_retx, &seen->tx_retx);
	traffic_follow(to, UET_TRAFFIC_RX_PACKETS, now->rx_req, &seen->rx_req);
	traffic_follow(to, UET_TRAFFIC_RX_DUPS, now->rx_dup, &seen->rx_dup);
	traffic_follow(to, UET_TRAFFIC_TIMEOUTS, now->rto_fired, &seen->rto_fired);
	traffic_note_peer(pe);
}

/* Count a PDC that is in the tables. */
void uet_pdc_traffic_open(struct uet_pdc_entry *pe)
{
	const struct traffic_to to = traffic_to(pe);

	traffic_add(&to, UET_TRAFFIC_PDCS, 1);
	if (pe->role == UET_PDC_INITIATOR)
		WRITE_ONCE(pe->traffic.peer->is_known, true);
}

/*
 * Count the messages of a round, which have been reported; a dead PDC counts nothing
 * afterwards.
 */
void uet_pdc_traffic_ended(struct uet_pdc_entry *pe, const struct uet_pdc_ended *ended)
{
	struct traffic_to to;

	pe->traffic.tx_messages += ended->sent;
	pe->traffic.failed_messages += ended->failed;
	pe->traffic.tx_bytes += ended->sent_bytes;
	pe->traffic.rx_bytes += ended->read_bytes;
	if (!pe->dead)
		return;
	to = traffic_to(pe);
	traffic_flush(pe, &to);
	if (uet_pdc_state(pe->pdc) == UET_PDC_ST_ERROR)
		traffic_add(&to, UET_TRAFFIC_FAILED_PDCS, 1);
}

/*
 * uet_pdc_traffic_serve() - a target PDC, locked, has a request of another job
 *
 * The earlier counts stay with the earlier job.
 */
void uet_pdc_traffic_serve(struct uet_pdc_entry *pe, u32 job)
{
	struct traffic_to to = traffic_to(pe);

	/* The packets before the first message are of its job. */
	if (pe->traffic.job)
		traffic_flush(pe, &to);
	WRITE_ONCE(pe->traffic.job, job);
	to = traffic_to(pe);
	if (to.job)
		uet_traffic_add(to.job, UET_TRAFFIC_PDCS, 1);
}

/*
 * uet_pdc_traffic_delivered() - count a message that ends without a packet of its own PDC
 */
void uet_pdc_traffic_delivered(struct uet_pdc_entry *pe)
{
	struct traffic_to to;

	rcu_read_lock();
	to = traffic_to(pe);
	traffic_add(&to, UET_TRAFFIC_RX_MESSAGES, 1);
	rcu_read_unlock();
}

/* Return: false after the last PDC. */
static bool traffic_collect_some(struct uet_fep *fep, unsigned long *id)
{
	struct uet_pdc_entry *pe;
	struct traffic_to to;
	int n = 0;

	rcu_read_lock();
	xa_for_each_start(&fep->pdcs->ids, *id, pe, *id) {
		if (++n > TRAFFIC_CHUNK)
			break;
		uet_pdc_entry_lock(pe);
		to = traffic_to(pe);
		traffic_flush(pe, &to);
		uet_pdc_entry_unlock(pe);
	}
	rcu_read_unlock();
	return pe;
}

/*
 * uet_pdc_traffic_collect() - bring the counters of FEPs, jobs and peers up to date; may sleep
 * @is_admin: who asks may see PDCs; else it is done now and then only
 */
void uet_pdc_traffic_collect(struct uet_net *un, bool is_admin)
{
	struct uet_fep *fep;
	unsigned long number, id;

	mutex_lock(&un->cfg_mutex);
	if (!is_admin && time_before(jiffies, un->collected + TRAFFIC_PAUSE))
		goto out;
	un->collected = jiffies;
	xa_for_each(&un->feps, number, fep) {
		id = 0;
		while (traffic_collect_some(fep, &id))
			cond_resched();
	}
out:
	mutex_unlock(&un->cfg_mutex);
}
UET_EXPORT(uet_pdc_traffic_collect);

/* ---------------------------------------------------------------- PDCs that have failed */

/*
 * uet_history_make() - make the ring of a namespace, unless it has one: 0 or -ENOMEM
 *
 * Under uet_net.cfg_mutex.
 */
int uet_history_make(struct uet_net *un)
{
	struct uet_history *history;

	if (un->history)
		return 0;
	history = kvzalloc(sizeof(*history), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
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

/*
 * uet_history_free() - free the ring of a namespace without FEPs, and without dumps
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

/* Remember a PDC, locked, that has failed, with the messages of this end that were lost. */
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

/*
 * uet_history_read() - read the next record; false: there is none from @number on
 * @number: the first number wanted; result: the number of the record that was read
 */
bool uet_history_read(struct uet_net *un, u64 *number, struct uet_history_rec *rec)
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
