// SPDX-License-Identifier: GPL-2.0
/*
 * The run loop of a PDC: whatever has changed, a packet, a message or the time,
 * it gives the core its say, builds the packets that are owed, and then, with
 * the lock released, sends them and tells sockets what became of their
 * messages.  One at a time runs it per PDC, so that packets leave in the order
 * in which they were numbered; who comes meanwhile leaves a note.  It also sees
 * a PDC die and settles what it leaves behind.
 * Spec: the run loop of core/pds.h.  Level: shell.
 */
#include <linux/slab.h>

#include "defer.h"
#include "kpdc.h"
#include "message/msg.h"
#include "fabric/net.h"
#include "netlink/nl.h"
#include "rdv.h"
#include "rx/rx.h"
#include "tss/sd.h"
#include "base/trace.h"
#include "tx.h"

/* Packets built under the lock at a time, and how often in a row. */
#define KRUN_PACKETS	64
#define KRUN_ROUNDS	8

/* As many where round trips are measured: they begin when a packet is built. */
#define KRUN_TIMED	16

/**
 * struct krun - what one round collects under the lock
 * @skbs: packets to send
 * @done: finished messages, uet_ses_tx.link
 * @lost: messages whose rest will never come, uet_ses_rx.link
 * @acked: message with bytes to free, referenced, or NULL
 * @freed: these bytes
 * @backs: data that was sent, uet_ses_back.link
 * @rdvs: rendezvous messages whose senders cannot be told, uet_rxrdv.on_pdc
 * @is_more: the budget ended before the debts did
 */
struct krun {
	struct sk_buff_head skbs;
	struct list_head done;
	struct list_head lost;
	struct uet_txmsg *acked;
	struct list_head freed;
	struct list_head backs;
	struct list_head rdvs;
	bool is_more;
};

/**
 * uet_kpdc_lock() - begin to use a PDC
 * @kpdc: PDC, referenced or under RCU
 *
 * Context: Any but hard interrupt; enters an RCU read side section and disables
 *	BH until uet_kpdc_unlock() or uet_kpdc_run_unlock().
 */
void uet_kpdc_lock(struct uet_kpdc *kpdc)
	__acquires(RCU) __acquires(&kpdc->lock)
{
	rcu_read_lock();
	spin_lock_bh(&kpdc->lock);
}

/**
 * uet_kpdc_unlock() - end to use a PDC without having changed what it owes
 * @kpdc: PDC
 *
 * Context: After uet_kpdc_lock().
 */
void uet_kpdc_unlock(struct uet_kpdc *kpdc)
	__releases(&kpdc->lock) __releases(RCU)
{
	spin_unlock_bh(&kpdc->lock);
	rcu_read_unlock();
}

/**
 * uet_kpdc_unlist() - take a PDC out of the tables and drop their reference
 * @kpdc: PDC; stays valid until the RCU read side section ends
 *
 * Context: Lock held.
 */
void uet_kpdc_unlist(struct uet_kpdc *kpdc)
	__must_hold(&kpdc->lock)
{
	lockdep_assert_held(&kpdc->lock);
	if (!kpdc->listed)
		return;
	kpdc->listed = false;
	uet_table_del_pdc(&kpdc->fep->table, kpdc);
	uet_kpdc_put(kpdc);
}

static void krun_free_segs(struct uet_ses_rx *rx)
{
	struct uet_ses_seg *seg, *next;
	LIST_HEAD(segs);

	uet_ses_rx_take_all(rx, &segs);
	list_for_each_entry_safe(seg, next, &segs, link)
		kfree_skb(uet_seg_skb(seg));
}

/**
 * uet_kpdc_bury() - remember of a failed message only that it failed
 * @kpdc: PDC
 * @rm: failed message; afterwards the caller's alone, without pieces
 *
 * SES has to know the message while packets of it may come.  The message itself
 * must not stay that long: it holds its socket and room in the receive buffer.
 * So a copy of what SES knows takes its place, bare, which is freed by kfree().
 * Without memory for that, a late packet can at worst look like the first one
 * of another message, which then fails with the PDC.
 *
 * Context: Lock held.
 */
void uet_kpdc_bury(struct uet_kpdc *kpdc, struct uet_rxmsg *rm)
	__must_hold(&kpdc->lock)
{
	struct uet_ses_rx *rx = &rm->ses;
	struct uet_ses_rx *stone;

	lockdep_assert_held(&kpdc->lock);
	krun_free_segs(rx);
	if (!uet_ses_rx_is_linked(rx))
		return;
	stone = kmalloc(sizeof(*stone), GFP_ATOMIC | __GFP_NOWARN);
	if (!stone) {
		uet_ses_rx_drop(&kpdc->ses, rx);
		return;
	}
	*stone = *rx;
	INIT_LIST_HEAD(&stone->segs);
	list_replace_init(&rx->link, &stone->link);
}

/* The messages being received die with their PDC. */
static void krun_lose_rx(struct uet_kpdc *kpdc, struct krun *run)
{
	struct uet_ses_rx *rx, *next;

	list_for_each_entry_safe(rx, next, &kpdc->ses.rxq, link) {
		uet_ses_rx_drop(&kpdc->ses, rx);
		if (rx->failed) {
			kfree(rx);
			continue;
		}
		krun_free_segs(rx);
		list_add_tail(&rx->link, &run->lost);
		uet_mib_inc(kpdc->fep->un, UET_MIB_MSG_LOST);
	}
}

/* Nobody answered, and no path was wide enough for them: that is why. */
static void krun_blame_path(struct uet_kpdc *kpdc, struct krun *run)
{
	u32 width = uet_path_width(kpdc->fep, &kpdc->path);
	struct uet_ses_tx *tx;

	if (!width)
		return;
	list_for_each_entry(tx, &run->done, link) {
		if (tx->error != UET_PDC_ERR_TIMEOUT)
			continue;
		tx->error = UET_PDC_ERR_TOO_BIG;
		container_of(tx, struct uet_txmsg, ses)->path_mtu = width;
	}
}

/**
 * uet_kpdc_linger() - a dead target stays in the tables for some time from now on
 * @kpdc: PDC
 * @now: monotonic time, ns
 *
 * There it stands in the way of copies of the SYN that opened it: they must not
 * deliver their message again.  One that failed also waits for an initiator that
 * knows nothing of it to send again what was not answered.
 *
 * Context: Lock held.
 */
void uet_kpdc_linger(struct uet_kpdc *kpdc, u64 now)
	__must_hold(&kpdc->lock)
{
	lockdep_assert_held(&kpdc->lock);
	kpdc->gone_ns = now + UET_KPDC_LINGER_NS;
	if (uet_pdc_state(kpdc->pdc) == UET_PDC_ST_ERROR)
		kpdc->gone_ns += uet_pdc_rto_max(kpdc->pdc);
}

/* The core says dead: give all messages back. */
static void krun_die(struct uet_kpdc *kpdc, struct krun *run, u64 now)
{
	struct uet_net *un = kpdc->fep->un;
	struct uet_pdc_info info;

	uet_pdc_get_info(kpdc->pdc, &info);
	uet_ses_fail(&kpdc->ses, info.error, &run->done);
	uet_ses_reap(&kpdc->ses, kpdc->pdc, &run->done);
	if (info.error == UET_PDC_ERR_TIMEOUT)
		krun_blame_path(kpdc, run);
	krun_lose_rx(kpdc, run);
	list_splice_init(&kpdc->rdvs, &run->rdvs);
	kpdc->dead = true;
	uet_kpacer_leave(kpdc);
	if (kpdc->is_started)
		uet_sd_used(kpdc->fep->cfg.sd, &kpdc->peer,
			    uet_pdc_next_expected_psn(kpdc->pdc));
	uet_mib_inc(un, info.error == UET_PDC_OK ? UET_MIB_PDC_CLOSED :
						   UET_MIB_PDC_FAILED);
	if (kpdc->role == UET_PDC_TARGET)
		uet_kpdc_linger(kpdc, now);
	else
		uet_kpdc_unlist(kpdc);
}

static void krun_add(struct uet_net *un, enum uet_mib which, u64 now, u64 *seen)
{
	if (now == *seen)
		return;
	uet_mib_add(un, which, now - *seen);
	*seen = now;
}

/*
 * Add what the core has counted since the last time to the namespace.  Done for
 * nearly every packet, so no loop over a table.
 */
static void krun_count(struct uet_kpdc *kpdc)
{
	const struct uet_pdc_stats *now = uet_pdc_stats(kpdc->pdc);
	struct uet_pdc_stats *seen = &kpdc->stats_seen;
	struct uet_net *un = kpdc->fep->un;

	krun_add(un, UET_MIB_TX_REQ, now->tx_req, &seen->tx_req);
	krun_add(un, UET_MIB_TX_RETX, now->tx_retx, &seen->tx_retx);
	krun_add(un, UET_MIB_TX_ACK, now->tx_ack, &seen->tx_ack);
	krun_add(un, UET_MIB_TX_NACK, now->tx_nack, &seen->tx_nack);
	krun_add(un, UET_MIB_TX_CP, now->tx_cp, &seen->tx_cp);
	krun_add(un, UET_MIB_RX_REQ, now->rx_req, &seen->rx_req);
	krun_add(un, UET_MIB_RX_DUP, now->rx_dup, &seen->rx_dup);
	krun_add(un, UET_MIB_RX_OOO, now->rx_ooo, &seen->rx_ooo);
	krun_add(un, UET_MIB_RX_ACK, now->rx_ack, &seen->rx_ack);
	krun_add(un, UET_MIB_RX_NACK, now->rx_nack, &seen->rx_nack);
	krun_add(un, UET_MIB_RX_CP, now->rx_cp, &seen->rx_cp);
	krun_add(un, UET_MIB_TX_CREDIT, now->tx_credit, &seen->tx_credit);
	krun_add(un, UET_MIB_TX_CREDIT_REQ, now->tx_credit_req,
		 &seen->tx_credit_req);
	krun_add(un, UET_MIB_RX_CREDIT, now->rx_credit, &seen->rx_credit);
	krun_add(un, UET_MIB_RX_CREDIT_REQ, now->rx_credit_req,
		 &seen->rx_credit_req);
	krun_add(un, UET_MIB_RTO, now->rto_fired, &seen->rto_fired);
	krun_add(un, UET_MIB_LOSS_SACK, now->sack_lost, &seen->sack_lost);
	krun_add(un, UET_MIB_LOSS_NACK, now->nack_lost, &seen->nack_lost);
	krun_add(un, UET_MIB_HELD, now->held, &seen->held);
	krun_add(un, UET_MIB_NACK_OVERFLOW, now->nack_overflow,
		 &seen->nack_overflow);
	krun_add(un, UET_MIB_TX_PEND, now->tx_pend, &seen->tx_pend);
	if (kpdc->ses.gen.resent) {
		uet_mib_add(un, UET_MIB_MSG_RESENT, kpdc->ses.gen.resent);
		kpdc->ses.gen.resent = 0;
	}
}

/*
 * Told under the lock, as only there the order of states is known; who listens
 * is told by a message that waits for nothing.
 */
static noinline void krun_tell_new_state(struct uet_kpdc *kpdc)
{
	enum uet_pdc_state old = kpdc->state_seen;
	struct uet_pdc_info info;

	uet_pdc_get_info(kpdc->pdc, &info);
	kpdc->state_seen = info.state;
	trace_uet_pdc_state(kpdc, old, &info);
	uet_nl_event_pdc(kpdc, &info);
}

/* Asked for nearly every packet, which is not to pay for room for the answer. */
static void krun_tell_state(struct uet_kpdc *kpdc)
{
	if (unlikely(uet_pdc_state(kpdc->pdc) != kpdc->state_seen))
		krun_tell_new_state(kpdc);
}

/*
 * Only the message being cut into packets can be so long that its acknowledged
 * bytes must be freed before its end.
 */
static void krun_free_acked(struct uet_kpdc *kpdc, struct krun *run)
{
	struct uet_ses_tx *tx = list_first_entry_or_null(&kpdc->ses.txq,
							 struct uet_ses_tx,
							 link);
	struct uet_txmsg *tm;

	if (!tx || !tx->acked || uet_ses_may_defer(tx))
		return;
	tm = container_of(tx, struct uet_txmsg, ses);
	if (!uet_txmsg_acked(tm, &run->freed))
		return;
	uet_txmsg_get(tm);
	run->acked = tm;
}

static void krun_build(struct uet_kpdc *kpdc, struct krun *run, u64 now)
{
	struct uet_pdc_tx tx __uninitialized;
	struct sk_buff *skb;
	int budget = kpdc->kccc ? KRUN_TIMED : KRUN_PACKETS;

	while (uet_pdc_poll_tx(kpdc->pdc, &tx, now)) {
		skb = uet_tx_build(kpdc->fep, &tx);
		if (skb && kpdc->kccc && tx.kind == UET_TX_REQ)
			uet_kccc_host_add(kpdc->kccc, skb);
		if (skb)
			__skb_queue_tail(&run->skbs, skb);
		/* Without memory it is a lost packet: it is sent again. */
		if (!--budget) {
			run->is_more = true;
			return;
		}
		if (kpdc->kccc)
			now = ktime_get_ns();
	}
}

/*
 * An initiator that takes no more messages makes way for another PDC; in ROD
 * only when it has none left, which the other's would overtake.
 */
static void krun_make_way(struct uet_kpdc *kpdc)
	__must_hold(&kpdc->lock)
{
	if (kpdc->role != UET_PDC_INITIATOR ||
	    uet_pdc_takes_messages(kpdc->pdc))
		return;
	if (kpdc->mode == UET_PDC_RUD || uet_ses_is_idle(&kpdc->ses))
		uet_table_hide_pdc(&kpdc->fep->table, kpdc);
}

static void krun_collect(struct uet_kpdc *kpdc, struct krun *run)
	__must_hold(&kpdc->lock)
{
	u64 now = ktime_get_ns();
	struct uet_ses_tx *tx;

	lockdep_assert_held(&kpdc->lock);
	uet_kpacer_hear(kpdc);
	if (uet_pdc_deadline(kpdc->pdc) <= now)
		uet_pdc_tick(kpdc->pdc, now);
	uet_ses_read_tick(&kpdc->ses, kpdc->pdc, now);
	uet_ses_rdv_tick(&kpdc->ses, now);
	uet_ses_reap(&kpdc->ses, kpdc->pdc, &run->done);
	if (!uet_pdc_is_dead(kpdc->pdc)) {
		if (kpdc->unused && uet_ses_is_idle(&kpdc->ses) &&
		    uet_pdc_takes_messages(kpdc->pdc))
			uet_pdc_close(kpdc->pdc, now);
		uet_ses_pump(&kpdc->ses, kpdc->pdc, now);
		krun_build(kpdc, run, now);
		krun_free_acked(kpdc, run);
	}
	if (uet_pdc_is_dead(kpdc->pdc))
		krun_die(kpdc, run, now);
	else
		krun_make_way(kpdc);
	uet_ses_take_back(&kpdc->ses, &run->backs);
	list_for_each_entry(tx, &run->done, link)
		uet_txmsg_set_done(container_of(tx, struct uet_txmsg, ses));
	krun_count(kpdc);
	krun_tell_state(kpdc);
}

static void krun_finish_tx(struct uet_kpdc *kpdc, struct krun *run)
{
	struct uet_net *un = kpdc->fep->un;
	struct uet_ses_tx *tx, *next;
	struct uet_txmsg *tm;
	int err;

	if (run->acked) {
		uet_txmsg_uncharge(run->acked, &run->freed);
		uet_txmsg_put(run->acked);
	}
	list_for_each_entry_safe(tx, next, &run->done, link) {
		list_del_init(&tx->link);
		tm = container_of(tx, struct uet_txmsg, ses);
		if (tm->rtr) {
			uet_rxdefer_told(tm);
			continue;
		}
		if (tm->rdv) {
			uet_rxrdv_read_done(tm);
			continue;
		}
		if (uet_txdefer_park(tm))
			continue;
		err = uet_ses_errno(tx);
		uet_mib_inc(un, err ? UET_MIB_MSG_FAILED : UET_MIB_MSG_SENT);
		trace_uet_msg_tx_done(kpdc, tx, err);
		uet_txmsg_finish(tm);
	}
}

static void krun_finish_rx(struct krun *run)
{
	struct uet_ses_rx *rx, *next;
	struct uet_rxmsg *rm;

	list_for_each_entry_safe(rx, next, &run->lost, link) {
		list_del_init(&rx->link);
		rm = container_of(rx, struct uet_rxmsg, ses);
		uet_rxmsg_fail(rm, -ECONNRESET);
		uet_rxmsg_put(rm);
	}
}

/* Collect under the lock, act after it. Return: there is more to do now. */
static bool krun_round(struct uet_kpdc *kpdc)
	__must_hold(&kpdc->lock)
{
	struct krun run = {
		.done = LIST_HEAD_INIT(run.done),
		.lost = LIST_HEAD_INIT(run.lost),
		.freed = LIST_HEAD_INIT(run.freed),
		.backs = LIST_HEAD_INIT(run.backs),
		.rdvs = LIST_HEAD_INIT(run.rdvs),
	};

	__skb_queue_head_init(&run.skbs);
	if (kpdc->dead)
		return false;
	krun_collect(kpdc, &run);

	spin_unlock(&kpdc->lock);
	uet_tx_send(kpdc->fep, &kpdc->peer, &kpdc->path, &run.skbs);
	krun_finish_tx(kpdc, &run);
	krun_finish_rx(&run);
	uet_rxrdv_lose_all(&run.rdvs);
	uet_back_free_all(&run.backs);
	spin_lock(&kpdc->lock);
	return run.is_more;
}

/*
 * The timer is moved only to fire earlier: deadlines move on with every ACK, and
 * a timer that fires early costs one look.
 */
static void krun_arm(struct uet_kpdc *kpdc, bool is_more)
	__must_hold(&kpdc->lock)
{
	u64 when;

	if (kpdc->dead)
		when = kpdc->listed ? kpdc->gone_ns : UET_NEVER;
	else if (is_more)
		when = ktime_get_ns();
	else
		when = min3(uet_pdc_deadline(kpdc->pdc),
			    uet_ses_read_deadline(&kpdc->ses),
			    min(uet_ses_gen_deadline(&kpdc->ses),
				uet_ses_rdv_deadline(&kpdc->ses)));
	if (when >= kpdc->armed_ns)
		return;
	kpdc->armed_ns = when;
	hrtimer_start(&kpdc->timer, ns_to_ktime(when), HRTIMER_MODE_ABS_SOFT);
}

/*
 * Those that wait for the window get it without our lock, which must not be inside
 * of theirs, but within our RCU read side section: the PDC keeps the context.
 */
static void krun_leave(struct uet_kpdc *kpdc)
	__releases(&kpdc->lock) __releases(RCU)
{
	bool is_open = kpdc->kccc && uet_kccc_note(kpdc);

	spin_unlock_bh(&kpdc->lock);
	if (is_open)
		uet_kccc_kick(kpdc->kccc);
	rcu_read_unlock();
}

/**
 * uet_kpdc_run_unlock() - end to use a PDC and do all that is owed now
 * @kpdc: PDC; the caller has a reference, or was under RCU before it locked
 *
 * The amount of work is bounded; what is left is done by the timer, at once.
 *
 * Context: After uet_kpdc_lock(); sends packets, calls sockets.
 */
void uet_kpdc_run_unlock(struct uet_kpdc *kpdc)
	__releases(&kpdc->lock) __releases(RCU)
{
	int rounds = KRUN_ROUNDS;
	bool is_more;

	lockdep_assert_held(&kpdc->lock);
	if (kpdc->running) {
		kpdc->rerun = true;
		uet_kpdc_unlock(kpdc);
		return;
	}
	kpdc->running = true;
	do {
		kpdc->rerun = false;
		is_more = krun_round(kpdc) || kpdc->rerun;
	} while (is_more && --rounds);
	kpdc->running = false;
	krun_arm(kpdc, is_more);
	krun_leave(kpdc);
}

/**
 * uet_kpdc_later_unlock() - end to use a PDC, and have its timer do what is owed
 * @kpdc: PDC; the caller has a reference, or was under RCU before it locked
 *
 * Context: After uet_kpdc_lock().
 */
void uet_kpdc_later_unlock(struct uet_kpdc *kpdc)
	__releases(&kpdc->lock) __releases(RCU)
{
	lockdep_assert_held(&kpdc->lock);
	krun_arm(kpdc, true);
	uet_kpdc_unlock(kpdc);
}

/* Is there nothing but to wait for time to pass, or for packets? */
static bool krun_is_at_rest(const struct uet_kpdc *kpdc)
{
	return !kpdc->dead && !kpdc->ses.nr_tx && !kpdc->ses.nr_backs &&
	       uet_pdc_is_at_rest(kpdc->pdc);
}

/**
 * uet_kpdc_rest_unlock() - end to use a PDC that has received a request
 * @kpdc: PDC, under RCU before it was locked
 *
 * Most requests are answered together with later ones: then nothing is owed now,
 * and running the loop to find that out would cost as much as the request.
 *
 * Context: After uet_kpdc_lock(); as uet_kpdc_run_unlock() if something is owed.
 */
void uet_kpdc_rest_unlock(struct uet_kpdc *kpdc)
	__releases(&kpdc->lock) __releases(RCU)
{
	lockdep_assert_held(&kpdc->lock);
	if (!krun_is_at_rest(kpdc)) {
		uet_kpdc_run_unlock(kpdc);
		return;
	}
	uet_kpacer_hear(kpdc);
	krun_count(kpdc);
	krun_tell_state(kpdc);
	krun_arm(kpdc, false);
	uet_kpdc_unlock(kpdc);
}

/**
 * uet_kpdc_timer() - a deadline may have passed
 * @timer: of a PDC, which is not freed before this returns
 *
 * Context: Softirq.
 * Return: HRTIMER_NORESTART.
 */
enum hrtimer_restart uet_kpdc_timer(struct hrtimer *timer)
{
	struct uet_kpdc *kpdc = container_of(timer, struct uet_kpdc, timer);

	uet_kpdc_lock(kpdc);
	kpdc->armed_ns = UET_NEVER;
	if (kpdc->dead && kpdc->listed && kpdc->gone_ns <= ktime_get_ns())
		uet_kpdc_unlist(kpdc);
	uet_kpdc_run_unlock(kpdc);
	return HRTIMER_NORESTART;
}
