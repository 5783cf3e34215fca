// SPDX-License-Identifier: GPL-2.0
/*
 * From the counters of PDCs to those of their namespace, their FEP, their job and their
 * peer.  Walking the PDCs is the price of who asks, not of each packet.
 */
#include <linux/jiffies.h>
#include <linux/sched.h>

#include "fabric/fabric.h"
#include "pdc_entry.h"
#include "pdc_peer.h"
#include "pdc_traffic.h"

/* PDCs that a collection visits in one RCU read side section. */
#define TRAFFIC_CHUNK	256

/* Who may not see PDCs makes one walk over them in this time. */
#define TRAFFIC_PAUSE	(HZ / 10)

/**
 * struct traffic_to - where a PDC adds its counters
 * @fep: of its FEP
 * @peer: of its peer
 * @job: of its job, NULL: none
 */
struct traffic_to {
	struct uet_traffic *fep;
	struct uet_traffic *peer;
	struct uet_traffic *job;
};

/* Context: rcu_read_lock() held. */
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

static void traffic_sum(struct uet_net *un, enum uet_mib which, u32 count, u32 *seen)
{
	if (count == *seen)
		return;
	uet_mib_add(un, which, count - *seen);
	*seen = count;
}

/*
 * Add the statistics of the core to the counters of the namespace.
 *
 * Called for nearly every packet, so it does not loop over a table.
 *
 * Context: Lock of @pe held.
 */
void uet_pdc_traffic_sum(struct uet_pdc_entry *pe)
{
	const struct uet_pdc_stats *stats = uet_pdc_stats(pe->pdc);

#define UET_PDC_STAT(field, mib)						\
	traffic_sum(pe->fep->un, UET_MIB_##mib, stats->field,			\
		    &pe->counted[offsetof(struct uet_pdc_stats, field) / sizeof(u64)]);
#define UET_PDC_SUM	UET_PDC_STAT
#include "core/pdc_stat.def"
	if (pe->ses.gen.resent) {
		uet_mib_add(pe->fep->un, UET_MIB_MSG_RESENT, pe->ses.gen.resent);
		pe->ses.gen.resent = 0;
	}
}

static void traffic_add(const struct traffic_to *to,
			enum uet_traffic_counter which, u64 n)
{
	if (!n)
		return;
	uet_traffic_add(to->fep, which, n);
	uet_traffic_add(to->peer, which, n);
	if (to->job)
		uet_traffic_add(to->job, which, n);
}

static void traffic_move(const struct traffic_to *to,
			 enum uet_traffic_counter which, u64 *n)
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
	traffic_follow(to, UET_TRAFFIC_TIMEOUTS, now->rto_fired,
		       &seen->rto_fired);
	traffic_note_peer(pe);
}

/*
 * Count a PDC that is in the tables.
 * Context: Lock held.
 */
void uet_pdc_traffic_open(struct uet_pdc_entry *pe)
{
	const struct traffic_to to = traffic_to(pe);

	traffic_add(&to, UET_TRAFFIC_PDCS, 1);
	if (pe->role == UET_PDC_INITIATOR)
		WRITE_ONCE(pe->traffic.peer->is_known, true);
}

/* Count a message that has ended. */
void uet_pdc_traffic_count(struct uet_pdc_ended *ended,
			   const struct uet_ses_tx *tx, int err)
{
	if (err) {
		ended->failed++;
		return;
	}
	ended->sent++;
	if (tx->opcode == UET_OP_READ)
		ended->read_bytes += tx->length;
	else
		ended->sent_bytes += tx->length;
}

/* Count what was read for a rendezvous message. */
void uet_pdc_traffic_read(struct uet_pdc_ended *ended,
			  const struct uet_ses_tx *tx)
{
	if (!uet_ses_errno(tx))
		ended->read_bytes += tx->length;
}

/* The last counters of a dead PDC. */
static void traffic_end(struct uet_pdc_entry *pe)
	__must_hold(&pe->lock)
{
	const struct traffic_to to = traffic_to(pe);

	traffic_flush(pe, &to);
	if (uet_pdc_state(pe->pdc) == UET_PDC_ST_ERROR)
		traffic_add(&to, UET_TRAFFIC_FAILED_PDCS, 1);
}

/*
 * Count the messages of a round.
 * @pe: PDC; dead, it counts nothing afterwards
 * @ended: messages, which have been reported
 *
 * Context: Lock held.
 */
void uet_pdc_traffic_ended(struct uet_pdc_entry *pe,
			   const struct uet_pdc_ended *ended)
{
	pe->traffic.tx_messages += ended->sent;
	pe->traffic.failed_messages += ended->failed;
	pe->traffic.tx_bytes += ended->sent_bytes;
	pe->traffic.rx_bytes += ended->read_bytes;
	if (pe->dead)
		traffic_end(pe);
}

/**
 * uet_pdc_traffic_serve() - a target PDC has a request of another job
 * @pe: PDC
 * @job: JobID
 *
 * The earlier counts stay with the earlier job.
 *
 * Context: Lock held.
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

/* Count a message that ends without a packet of its own PDC. */
void uet_pdc_traffic_delivered(struct uet_pdc_entry *pe)
{
	struct traffic_to to;

	rcu_read_lock();
	to = traffic_to(pe);
	traffic_add(&to, UET_TRAFFIC_RX_MESSAGES, 1);
	rcu_read_unlock();
}

/*
 * Count a request that is sent again for the rail it left on before.
 * Context: Lock of the PDC held.
 */
void uet_pdc_traffic_retx(struct uet_pdc_entry *pe, const struct uet_pdc_tx *tx)
{
	int slot = uet_fep_slot_of(pe->fep, tx->lost_lane, uet_path_avoid(&pe->path));
	struct uet_rail *rail = slot < 0 ? NULL : rcu_dereference(pe->fep->rail[slot]);

	if (rail)
		uet_rail_count_retx(rail);
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

/**
 * uet_pdc_traffic_collect() - bring the counters of FEPs, jobs and peers up to date
 * @un: namespace
 * @is_admin: who asks may see PDCs; else it is done now and then only
 *
 * Context: Process context, may sleep.
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
