// SPDX-License-Identifier: GPL-2.0
/*
 * The run loop of a PDC: after any change, by a packet, a message or time, it runs the core and
 * builds the pending packets under the lock. After releasing the lock it sends the packets and
 * reports finished messages to their sockets. One CPU at a time runs the loop per PDC, so that
 * packets leave in the order of their numbers; another CPU requests another round, see enum
 * uet_run_state. The loop also closes a dead PDC and ends its messages.
 * Spec: the run loop of core/pds/pds.h.
 */
#include <linux/slab.h>

#include "fabric/trace.h"
#include "message/message.h"
#include "pdc.h"
#include "tss/tss.h"

/*
 * Maximum number of packets that a round builds under the lock and sends afterwards. A burst
 * of 64 KiB holds as many with payloads of 1024 bytes; a longer round would end with a short
 * burst.
 */
#define RUN_PACKETS_MAX		60

/* The same in a secure domain, where each packet takes more of a burst. */
#define RUN_PACKETS_SEALED_MAX	58

/*
 * The same before a target in a secure domain has named the first PSN: it waits for packets
 * for New_PDC_Time only, and large bursts take longer over a slow path.
 */
#define RUN_PACKETS_START_MAX	4

/*
 * Packets after which congestion control reads the time again: the RTT measurement of a
 * packet starts when the packet is built.
 */
#define RUN_PACKETS_CLOCK	16

/* Without memory for the window of a PDC, the timer tries again after this time. */
#define RUN_STARVED_NS		(10 * NSEC_PER_MSEC)

/* Maximum number of rounds in a row, with BH disabled. The timer, at once, runs the next. */
#define RUN_ROUNDS_MAX		8

/*
 * Maximum number of socket buffers of all rounds.  A run of packets is one, so only short
 * messages reach it before RUN_PACKETS_MAX.
 */
#define RUN_SKBS_MAX		40

/*
 * struct pdc_round - results of one round, collected under the lock
 * @room: most socket buffers of @packets
 * @burst: most bytes of @packets that may leave as one burst
 * @ended_tx: outgoing messages that have ended, uet_ses_tx.link
 * @lost_rx: incoming messages that cannot complete, uet_ses_rx.link
 * @acked_tm: outgoing message with acknowledged data to free, one reference, or NULL
 * @acked_data: acknowledged data of @acked_tm, uet_chunk.link
 * @read_rsps: read responses that were sent, uet_ses_read_rsp.link
 * @ended: counts the messages of @ended_tx
 * @lost_rdvs: rendezvous messages whose senders cannot be notified, uet_pdc_dependent.link
 * @is_orphaned: the PDC has ended because its socket was closed
 * @may_repeat: the PDC has ended so that messages of @ended_tx may use another PDC
 * @is_more: the round did its maximum of work; more may be pending
 */
struct pdc_round {
	struct sk_buff_head packets;
	u32 room;
	u32 burst;
	struct list_head ended_tx;
	struct list_head lost_rx;
	struct uet_tx_message *acked_tm;
	struct list_head acked_data;
	struct list_head read_rsps;
	struct uet_pdc_ended ended;
	struct list_head lost_rdvs;
	bool is_orphaned;
	bool may_repeat;
	bool is_more;
};

/*
 * uet_pdc_entry_lock() - lock a PDC, referenced or under RCU
 *
 * The caller is in an RCU read side section with BH disabled until uet_pdc_entry_unlock() or
 * uet_pdc_entry_run().
 */
void uet_pdc_entry_lock(struct uet_pdc_entry *pe)
	__acquires(RCU) __acquires(&pe->lock)
{
	rcu_read_lock();
	spin_lock_bh(&pe->lock);
}

/*
 * uet_pdc_entry_lock_at() - lock a PDC for an event whose time was read before
 *
 * Return: time of the event, ns: @now, or the time of a later event.
 */
u64 uet_pdc_entry_lock_at(struct uet_pdc_entry *pe, u64 now)
	__acquires(RCU) __acquires(&pe->lock)
{
	uet_pdc_entry_lock(pe);
	return uet_ns_latest(&pe->now_ns, now);
}

/*
 * uet_pdc_entry_unlock() - unlock a PDC without any change that requires packets
 */
void uet_pdc_entry_unlock(struct uet_pdc_entry *pe)
	__releases(&pe->lock) __releases(RCU)
{
	spin_unlock_bh(&pe->lock);
	rcu_read_unlock();
}

/*
 * Take a PDC off the list of its socket, which is valid: it is freed a grace period after
 * uet_pdc_entry_release_ep() has emptied its list.
 */
void uet_pdc_entry_leave_ep(struct uet_pdc_entry *pe)
{
	struct uet_ep_links *links;

	lockdep_assert_held(&pe->lock);
	if (!pe->us)
		return;
	links = &pe->us->links;
	spin_lock(&links->lock);
	list_del_rcu(&pe->on_ep);
	if (rcu_access_pointer(links->latest) == pe)
		RCU_INIT_POINTER(links->latest, NULL);
	pe->us = NULL;
	spin_unlock(&links->lock);
}

/*
 * uet_pdc_entry_unlist() - remove a locked PDC from the tables; it stays valid until the RCU
 *	read side section ends
 *
 * The reference of the tables goes with it, or with the last of its messages.
 */
void uet_pdc_entry_unlist(struct uet_pdc_entry *pe)
	__must_hold(&pe->lock)
{
	lockdep_assert_held(&pe->lock);
	if (!pe->listed)
		return;
	pe->listed = false;
	uet_pdc_table_del(pe->fep->pdcs, pe);
	uet_pdc_peer_leave(&pe->fep->pdcs->peers, pe->traffic.peer);
	uet_pdc_entry_leave_ep(pe);
	if (pe->dead)
		uet_pdc_entry_put(pe);
}

/*
 * uet_pdc_entry_time_wait() - keep a dead target PDC, locked, in the tables, from now on
 *
 * The entry absorbs copies of the SYN that opened the PDC, which must not deliver their message
 * again. After a failure the entry also answers an initiator that is unaware of the failure and
 * retransmits unacknowledged requests.
 */
void uet_pdc_entry_time_wait(struct uet_pdc_entry *pe, u64 now)
	__must_hold(&pe->lock)
{
	lockdep_assert_held(&pe->lock);
	pe->gone_ns = now + pe->settings->pdc.syn_retx_safety_ns;
	if (uet_pdc_state(pe->pdc) == UET_PDC_ST_ERROR)
		pe->gone_ns += uet_pdc_rto_max(pe->pdc);
}

static void run_free_segs(struct uet_ses_rx *rx)
{
	struct uet_ses_seg *seg, *next;
	LIST_HEAD(segs);

	uet_ses_rx_take_all(rx, &segs);
	list_for_each_entry_safe(seg, next, &segs, link)
		kfree_skb(uet_seg_skb(seg));
}

/*
 * uet_pdc_entry_mark_failed() - replace a failed message by a tombstone; lock held
 * @rm: on return it belongs to the caller alone, without pieces
 *
 * SES must know the message while packets of it may arrive. The message itself cannot stay that
 * long, because it holds its socket and receive buffer space. A plain copy of the SES state
 * replaces it, and is freed by kfree(). Without memory for the copy, a late packet can at worst
 * look like the first packet of another message, which then fails with the PDC.
 */
void uet_pdc_entry_mark_failed(struct uet_pdc_entry *pe,
			       struct uet_rx_message *rm) __must_hold(&pe->lock)
{
	struct uet_ses_rx *rx = &rm->ses;
	struct uet_ses_rx *tombstone;

	lockdep_assert_held(&pe->lock);
	run_free_segs(rx);
	if (!uet_ses_rx_is_linked(rx))
		return;
	tombstone = kmalloc(sizeof(*tombstone), GFP_ATOMIC | __GFP_NOWARN);
	if (!tombstone) {
		uet_ses_rx_drop(&pe->ses, rx);
		return;
	}
	*tombstone = *rx;
	INIT_LIST_HEAD(&tombstone->segs);
	list_replace_init(&rx->link, &tombstone->link);
}

/* Incoming messages fail with their PDC, @max of them at most.  Return: whether all have. */
static bool run_fail_rx(struct uet_pdc_entry *pe, struct pdc_round *round, u32 max)
{
	struct uet_ses_rx *rx, *next;

	list_for_each_entry_safe(rx, next, &pe->ses.rxq, link) {
		if (!max--)
			return false;
		uet_ses_rx_drop(&pe->ses, rx);
		if (rx->failed) {
			kfree(rx);
			continue;
		}
		run_free_segs(rx);
		list_add_tail(&rx->link, &round->lost_rx);
		uet_mib_inc(pe->fep->un, UET_MIB_MSG_LOST);
	}
	return true;
}

/* If no answer arrived and all paths had a too small MTU, the MTU is the cause. */
static void run_map_timeout_to_emsgsize(struct uet_pdc_entry *pe, struct pdc_round *round)
{
	u32 width = uet_path_pmtu(pe->fep, &pe->path);
	struct uet_ses_tx *tx;

	if (!width)
		return;
	list_for_each_entry(tx, &round->ended_tx, link) {
		if (tx->error != UET_PDC_ERR_TIMEOUT)
			continue;
		tx->error = UET_PDC_ERR_TOO_BIG;
		container_of(tx, struct uet_tx_message, ses)->path_mtu = width;
	}
}

/* Requests that arrived before earlier ones are lost with the PDC. */
static void run_drop_early(struct uet_pdc_entry *pe)
	__must_hold(&pe->lock)
{
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(&pe->early))) {
		atomic_sub(skb->truesize, &pe->fep->early_bytes);
		kfree_skb(skb);
	}
	pe->early_bytes = 0;
}

/* Outgoing messages fail with their PDC: those of this round.  Return: whether all have. */
static bool run_fail_tx(struct uet_pdc_entry *pe, struct pdc_round *round,
			const struct uet_pdc_info *info)
{
	struct uet_ses_tx *tx;
	bool is_all;

	round->is_orphaned = pe->unused && info->error == UET_PDC_ERR_ABORT &&
			     !READ_ONCE(pe->fep->dead);
	round->may_repeat = pe->role == UET_PDC_INITIATOR && !pe->unused &&
			    uet_pdc_may_repeat(pe->pdc);
	is_all = uet_ses_reap(&pe->ses, pe->pdc, &round->ended_tx) &&
		 uet_ses_fail(&pe->ses, info->error, &round->ended_tx);
	if (info->error == UET_PDC_ERR_TIMEOUT)
		run_map_timeout_to_emsgsize(pe, round);
	list_for_each_entry(tx, &round->ended_tx, link)
		pe->nr_lost += tx->error != UET_PDC_OK;
	return is_all;
}

/* The core's PDC is dead: end its messages, in as many rounds as they need, then the PDC. */
static void run_end_pdc(struct uet_pdc_entry *pe, struct pdc_round *round, u64 now)
{
	struct uet_net *un = pe->fep->un;
	struct uet_pdc_info info;
	u32 left = UET_SES_FAIL_MAX;

	uet_pdc_get_info(pe->pdc, &info);
	round->is_more = !run_fail_tx(pe, round, &info) ||
			 !run_fail_rx(pe, round, UET_SES_FAIL_MAX);
	if (round->is_more)
		return;
	/* The senders of rendezvous messages cannot be notified. */
	while (left-- && !list_empty(&pe->rdvs))
		list_move_tail(pe->rdvs.next, &round->lost_rdvs);
	round->is_more = !list_empty(&pe->rdvs);
	if (round->is_more)
		return;
	if (info.error != UET_PDC_OK && !READ_ONCE(pe->fep->dead))
		uet_history_add(pe, &info, pe->nr_lost, now);
	run_drop_early(pe);
	pe->dead = true;
	uet_fep_pacer_leave(&pe->fep->cms->pacer, &pe->waiter);
	if (pe->is_started)
		uet_sd_used(pe->fep->cfg.sd, &pe->peer, uet_pdc_next_expected_psn(pe->pdc));
	uet_mib_inc(un, info.error == UET_PDC_OK ? UET_MIB_PDC_CLOSED : UET_MIB_PDC_FAILED);
	if (!pe->listed)
		uet_pdc_entry_put(pe);
	else if (pe->role == UET_PDC_TARGET)
		uet_pdc_entry_time_wait(pe, now);
	else
		uet_pdc_entry_unlist(pe);
}

/*
 * Reported under the lock, because only the lock orders the states; the event is sent without
 * waiting for its listeners.  Not inlined: it needs a stack of its own.
 */
static noinline void run_report_new_state(struct uet_pdc_entry *pe)
{
	enum uet_pdc_state old = pe->state_seen;
	struct uet_pdc_info info;

	uet_pdc_get_info(pe->pdc, &info);
	pe->state_seen = info.state;
	trace_uet_pdc_state(pe->fep, old, &info);
	uet_event_pdc(pe->fep, pe, &info);
}

static void run_report_state(struct uet_pdc_entry *pe)
{
	if (unlikely(uet_pdc_state(pe->pdc) != pe->state_seen))
		run_report_new_state(pe);
}

/*
 * Free acknowledged data early only for the message that is being packetised; other messages
 * are short enough to be freed at their end.
 */
static void run_free_acked(struct uet_pdc_entry *pe, struct pdc_round *round)
{
	struct uet_ses_tx *tx = list_first_entry_or_null(&pe->ses.txq, struct uet_ses_tx, link);
	struct uet_tx_message *tm;

	if (!tx || !tx->acked || uet_ses_may_defer(tx))
		return;
	tm = container_of(tx, struct uet_tx_message, ses);
	if (!uet_tx_message_acked(tm, &round->acked_data))
		return;
	uet_tx_message_get(tm);
	round->acked_tm = tm;
}

/*
 * A message of one packet has no run, and should not pay for one.  The limit on the queues of
 * this host cannot count runs that refer to pages of their sender.
 */
static bool run_has_next(const struct uet_pdc_entry *pe,
			 const struct uet_pdc_tx *tx, struct sk_buff *skb)
{
	return tx->kind == UET_TX_REQ && !(tx->pkt.flags & UET_PKT_MARKS) &&
	       !(pe->cce && skb_zcopy(skb));
}

/* Build the packets that continue the one just built, @like from @tx.  Return: their number. */
static u32 run_build_next(struct uet_pdc_entry *pe, struct pdc_round *round,
			  struct uet_pdc_tx *tx, struct sk_buff *like, u32 max, u64 now)
{
	u16 ev[RUN_PACKETS_MAX] __uninitialized;
	u32 psn = tx->hdr.u.req.psn + 1;
	struct sk_buff_head run;
	struct sk_buff *skb;
	u32 n;

	BUILD_BUG_ON(RUN_PACKETS_MAX > UET_BURST_RUN_MAX);
	if (pe->cce)
		max = min(max, uet_host_limit_room(pe->cce, like));
	n = uet_pdc_poll_tx_run(pe->pdc, tx, ev, max, now);
	if (!n)
		return 0;
	__skb_queue_head_init(&run);
	if (uet_tx_build_run(pe->fep, &pe->path, tx, like, ev, n, &run))
		uet_pdc_cc_set_ev(pe->pdc, psn, ev, n);
	if (pe->cce) {
		skb_queue_walk(&run, skb)
			uet_host_limit_add(pe->cce, skb);
	}
	skb_queue_splice_tail(&run, &round->packets);
	return n;
}

static u32 run_budget(const struct uet_pdc_entry *pe)
{
	if (pe->fep->cfg.sd && uet_pdc_state(pe->pdc) == UET_PDC_ST_SYN_SENT)
		return RUN_PACKETS_START_MAX;
	return pe->fep->cfg.sd ? RUN_PACKETS_SEALED_MAX : RUN_PACKETS_MAX;
}

/* Count a request that is sent again for the rail it left on before. */
static void run_count_retx(struct uet_pdc_entry *pe, const struct uet_pdc_tx *tx)
{
	int slot = uet_fep_slot_of(pe->fep, tx->lost_lane, uet_path_avoid(&pe->path));
	struct uet_rail *rail = slot < 0 ? NULL : rcu_dereference(pe->fep->rail[slot]);

	if (rail)
		this_cpu_inc(rail->stats->tx_retx);
}

/* Lack of memory counts as a lost packet, which is retransmitted. */
static void run_build(struct uet_pdc_entry *pe, struct pdc_round *round, u64 now)
{
	u32 budget = run_budget(pe);
	struct uet_pdc_tx tx __uninitialized;
	struct sk_buff *skb;

	while (uet_pdc_poll_tx(pe->pdc, &tx, now)) {
		budget--;
		if (unlikely(tx.is_retx) && tx.kind == UET_TX_REQ)
			run_count_retx(pe, &tx);
		skb = uet_tx_build(pe->fep, &tx);
		if (skb && pe->cce && tx.kind == UET_TX_REQ)
			uet_host_limit_add(pe->cce, skb);
		if (skb)
			__skb_queue_tail(&round->packets, skb);
		if (skb && run_has_next(pe, &tx, skb))
			budget -= run_build_next(pe, round, &tx, skb, budget, now);
		if (!budget || skb_queue_len(&round->packets) >= round->room) {
			round->is_more = true;
			return;
		}
		if (pe->cce && budget % RUN_PACKETS_CLOCK == 0)
			now = uet_pdc_entry_now(pe);
	}
}

static void run_report_demand(struct uet_pdc_entry *pe)
	__must_hold(&pe->lock)
{
	const struct uet_fep_pacer_peer from = {
		.fa = &pe->peer, .mode = pe->mode,
	};
	struct uet_pdc_demand demand;

	if (uet_pdc_poll_demand(pe->pdc, &demand))
		uet_fep_pacer_demand(&pe->fep->cms->pacer, &pe->waiter, &from, &demand);
}

static void run_add_stat(struct uet_net *un, enum uet_mib which, u32 count, u32 *seen)
{
	if (count == *seen)
		return;
	uet_mib_add(un, which, count - *seen);
	*seen = count;
}

/*
 * Add the statistics of the core to the counters of the namespace. Called for nearly every
 * packet, so it does not loop over a table.
 */
static void run_add_stats(struct uet_pdc_entry *pe)
{
	const struct uet_pdc_stats *stats = uet_pdc_stats(pe->pdc);

#define UET_PDC_STAT(field, mib)						\
	run_add_stat(pe->fep->un, UET_MIB_##mib, stats->field,			\
		     &pe->counted[offsetof(struct uet_pdc_stats, field) / sizeof(u64)]);
#define UET_PDC_SUM	UET_PDC_STAT
#include "core/pdc_stat.def"
	if (pe->ses.gen.resent) {
		uet_mib_add(pe->fep->un, UET_MIB_MSG_RESENT, pe->ses.gen.resent);
		pe->ses.gen.resent = 0;
	}
}

static void run_collect(struct uet_pdc_entry *pe, struct pdc_round *round)
	__must_hold(&pe->lock)
{
	u64 now = uet_pdc_entry_now(pe);
	struct uet_ses_tx *tx;

	lockdep_assert_held(&pe->lock);
	run_report_demand(pe);
	if (uet_pdc_deadline(pe->pdc) <= now)
		uet_pdc_tick(pe->pdc, now);
	uet_ses_read_tick(&pe->ses, pe->pdc, now);
	uet_ses_rdv_tick(&pe->ses, now);
	round->is_more = !uet_ses_reap(&pe->ses, pe->pdc, &round->ended_tx);
	if (!uet_pdc_is_dead(pe->pdc)) {
		if (pe->unused && uet_ses_is_idle(&pe->ses) && uet_pdc_takes_messages(pe->pdc))
			uet_pdc_close(pe->pdc, now);
		if (!uet_ses_pump(&pe->ses, pe->pdc, now))
			round->is_more = true;
		run_build(pe, round, now);
		if (pe->cce && skb_queue_len(&round->packets) > 1)
			round->burst = uet_ccc_entry_quantum(pe->cce);
		run_free_acked(pe, round);
	}
	/*
	 * An initiator that accepts no more messages leaves the pool to another PDC. In ROD it must
	 * have no messages left, because the new PDC's messages would overtake them.
	 */
	if (uet_pdc_is_dead(pe->pdc))
		run_end_pdc(pe, round, now);
	else if (pe->role == UET_PDC_INITIATOR && !uet_pdc_takes_messages(pe->pdc) &&
		 (pe->mode == UET_PDC_RUD || uet_ses_is_idle(&pe->ses)))
		uet_pdc_table_hide(pe->fep->pdcs, pe);
	uet_ses_take_read_rsp(&pe->ses, &round->read_rsps);
	list_for_each_entry(tx, &round->ended_tx, link)
		uet_tx_message_set_done(container_of(tx, struct uet_tx_message, ses));
	run_add_stats(pe);
	run_report_state(pe);
}

/*
 * Send a message of a PDC that its peer has refused as unknown or closed on another PDC, if
 * that is safe; its sender is not told.  uet_ses_tx_may_repeat() selects such messages.
 * Return: false if the message ends with the error of @pe: a repetition could show, or no PDC
 * can be opened.
 */
static bool run_repeat(struct uet_pdc_entry *pe, struct uet_tx_message *tm)
{
	struct uet_net *un = pe->fep->un;

	/* The messages that followed it are not sent behind it again. */
	tm->ses.has_more = false;
	if (!uet_ses_tx_may_repeat(&tm->ses) ||
	    uet_pdc_entry_send_again(pe->fep, &pe->key, tm, true, GFP_ATOMIC))
		return false;
	uet_mib_inc(un, UET_MIB_MSG_REPEATED);
	return true;
}

static void run_report_tx(struct uet_pdc_entry *pe, struct pdc_round *round)
{
	struct uet_net *un = pe->fep->un;
	struct uet_ses_tx *tx, *next;
	struct uet_tx_message *tm;
	int err;

	if (round->acked_tm) {
		uet_tx_message_uncharge(round->acked_tm, &round->acked_data);
		uet_tx_message_put(round->acked_tm);
	}
	list_for_each_entry_safe(tx, next, &round->ended_tx, link) {
		list_del_init(&tx->link);
		tm = container_of(tx, struct uet_tx_message, ses);
		err = uet_ses_errno(tx);
		if (!err && tx->opcode == UET_OP_READ)
			round->ended.read_bytes += tx->length;
		if ((tm->ops && tm->ops->ended(tm)) ||
		    (round->may_repeat && run_repeat(pe, tm)))
			continue;
		err = uet_ses_errno(tx);
		uet_mib_inc(un, err ? UET_MIB_MSG_FAILED : UET_MIB_MSG_SENT);
		if (err && round->is_orphaned)
			uet_mib_inc(un, UET_MIB_MSG_ORPHANED);
		if (err) {
			round->ended.failed++;
		} else {
			round->ended.sent++;
			if (tx->opcode != UET_OP_READ)
				round->ended.sent_bytes += tx->length;
		}
		trace_uet_msg_tx_done(pe->fep, pe->id, tx, err);
		uet_tx_message_finish(tm);
	}
}

static void run_report_rx(struct pdc_round *round)
{
	struct uet_ses_rx *rx, *next;
	struct uet_rx_message *rm;

	list_for_each_entry_safe(rx, next, &round->lost_rx, link) {
		list_del_init(&rx->link);
		rm = container_of(rx, struct uet_rx_message, ses);
		uet_rx_message_fail(rm, -ECONNRESET);
		uet_rx_message_put(rm);
	}
}

/* The second half of a round: send and report the results, without the lock. */
static void run_report(struct uet_pdc_entry *pe, struct pdc_round *round)
{
	struct uet_pdc_dependent *dep, *next;

	uet_tx_send(pe->fep, &pe->peer, &pe->path, &round->packets, round->burst);
	run_report_tx(pe, round);
	run_report_rx(round);
	list_for_each_entry_safe(dep, next, &round->lost_rdvs, link) {
		list_del_init(&dep->link);
		dep->lost(dep);
	}
	uet_read_rsp_free_all(&round->read_rsps);
}

/* Return: true if packets may still be pending.  @skbs: increased by what left. */
static bool run_round(struct uet_pdc_entry *pe, u32 *skbs)
	__must_hold(&pe->lock)
{
	struct pdc_round round = {
		.room = RUN_SKBS_MAX - *skbs,
		.burst = U32_MAX,
		.ended_tx = LIST_HEAD_INIT(round.ended_tx),
		.lost_rx = LIST_HEAD_INIT(round.lost_rx),
		.acked_data = LIST_HEAD_INIT(round.acked_data),
		.read_rsps = LIST_HEAD_INIT(round.read_rsps),
		.lost_rdvs = LIST_HEAD_INIT(round.lost_rdvs),
	};

	__skb_queue_head_init(&round.packets);
	uet_cork_open(&pe->cork);
	if (pe->dead)
		return false;
	/* A PDC that is over needs no window. */
	pe->is_starved = !uet_pdc_is_dead(pe->pdc) && !uet_pdc_entry_awake(pe);
	if (pe->is_starved)
		return false;
	run_collect(pe, &round);
	*skbs += skb_queue_len(&round.packets);
	/* BH stays disabled until the run loop ends. */
	spin_unlock(&pe->lock);
	run_report(pe, &round);
	spin_lock(&pe->lock);
	uet_pdc_traffic_ended(pe, &round.ended);
	return round.is_more;
}

/* The earliest time at which the PDC has something to do without a packet or a message. */
static u64 run_deadline(const struct uet_pdc_entry *pe)
	__must_hold(&pe->lock)
{
	return min3(min(uet_pdc_deadline(pe->pdc), pe->cork.until_ns),
		    uet_ses_read_deadline(&pe->ses),
		    min(uet_ses_gen_deadline(&pe->ses), uet_ses_rdv_deadline(&pe->ses)));
}

/*
 * Re-arm the timer only for an earlier expiry: deadlines advance with every ACK, and an early
 * timer costs only one check.
 */
static void run_arm(struct uet_pdc_entry *pe, bool is_more)
	__must_hold(&pe->lock)
{
	u64 when;

	if (pe->dead)
		when = pe->listed ? pe->gone_ns : UET_NEVER;
	else if (unlikely(pe->is_starved))
		when = uet_now_ns() + RUN_STARVED_NS;
	else if (is_more)
		when = uet_now_ns();
	else
		when = run_deadline(pe);
	if (when >= pe->armed_ns)
		return;
	pe->armed_ns = when;
	uet_timer_start(&pe->timer, when);
}

/*
 * Unlock the PDC and run the PDCs that wait for the window of its context. They are run without
 * the lock of this PDC: locks of two PDCs do not nest, and the lock of a PDC may not be taken
 * inside the lock of the context. The RCU read side section continues, so this PDC keeps the
 * context valid.
 */
static void run_unlock_serve_waiters(struct uet_pdc_entry *pe)
	__releases(&pe->lock) __releases(RCU)
{
	bool waits = pe->cce && !pe->dead && uet_pdc_cc_waits(pe->pdc);
	bool is_open;

	if (waits)
		uet_pdc_cc_give_quantum(pe->pdc, 0);
	is_open = pe->cce && uet_ccc_entry_update(pe->cce, &pe->waiter, waits);
	spin_unlock_bh(&pe->lock);
	if (is_open)
		uet_ccc_entry_run_waiters(pe->cce);
	rcu_read_unlock();
}

/* One round.  Return: whether another one must follow. */
static bool run_once(struct uet_pdc_entry *pe, u32 *skbs)
	__must_hold(&pe->lock)
{
	pe->run_state = UET_RUN_RUNNING;
	return run_round(pe, skbs) || pe->run_state == UET_RUN_RERUN;
}

static void run_leave(struct uet_pdc_entry *pe, bool is_more)
	__releases(&pe->lock) __releases(RCU)
{
	pe->run_state = UET_RUN_IDLE;
	run_arm(pe, is_more);
	run_unlock_serve_waiters(pe);
}

/*
 * uet_pdc_entry.end_work: softirqs and other threads run between the rounds.  The reference of
 * the tables lasts until the last of them.
 */
static void run_end_work(struct work_struct *work)
{
	struct uet_pdc_entry *pe = container_of(work, struct uet_pdc_entry, end_work);
	u32 skbs = 0;	/* The PDC sends none. */

	uet_pdc_entry_lock(pe);
	while (run_once(pe, &skbs)) {
		uet_pdc_entry_unlock(pe);
		cond_resched();
		uet_pdc_entry_lock(pe);
	}
	run_leave(pe, false);
}

static void run_now(struct uet_pdc_entry *pe)
	__releases(&pe->lock) __releases(RCU)
{
	int rounds = RUN_ROUNDS_MAX;
	bool is_more;
	u32 skbs = 0;

	if (pe->run_state != UET_RUN_IDLE) {
		pe->run_state = UET_RUN_RERUN;
		uet_pdc_entry_unlock(pe);
		return;
	}
	do {
		is_more = run_once(pe, &skbs);
		if (is_more && uet_pdc_is_dead(pe->pdc) && !pe->dead) {
			/*
			 * It may have more messages than a caller should end with softirqs off.
			 * From now on the loop belongs to a worker.
			 */
			INIT_WORK(&pe->end_work, run_end_work);
			queue_work(uet_pdc_wq, &pe->end_work);
			uet_pdc_entry_unlock(pe);
			return;
		}
	} while (uet_pds_runs_again(is_more && skbs < RUN_SKBS_MAX, &rounds));
	run_leave(pe, is_more);
}

/* Is the PDC waiting only for time or packets? */
static bool run_is_at_rest(const struct uet_pdc_entry *pe)
{
	return !pe->dead && !pe->unused && !pe->ses.nr_tx &&
	       !pe->ses.nr_read_rsps && uet_pdc_is_at_rest(pe->pdc);
}

static void run_skip(struct uet_pdc_entry *pe, bool is_more)
	__releases(&pe->lock) __releases(RCU)
{
	run_arm(pe, is_more);
	uet_pdc_entry_unlock(pe);
}

/*
 * uet_pdc_entry_run() - run the protocol of a locked PDC after a change, and unlock it; sends
 *	packets
 * @pe: the caller has a reference, or was under RCU before it locked
 *
 * The amount of work is limited; the timer does the rest immediately, and a worker ends the
 * rest of the messages of a PDC that the core has closed.
 */
void uet_pdc_entry_run(struct uet_pdc_entry *pe, enum uet_run how)
	__releases(&pe->lock) __releases(RCU)
{
	lockdep_assert_held(&pe->lock);
	if (how == UET_RUN_LATER) {
		run_skip(pe, true);
	} else if (how == UET_RUN_CORKED) {
		run_skip(pe, false);
	} else if (how == UET_RUN_IF_BUSY && run_is_at_rest(pe)) {
		run_report_demand(pe);
		run_add_stats(pe);
		run_report_state(pe);
		run_skip(pe, false);
	} else {
		run_now(pe);
	}
}

/* A deadline may have passed. */
enum hrtimer_restart uet_pdc_entry_timer(struct hrtimer *timer)
{
	struct uet_pdc_entry *pe = container_of(timer, struct uet_pdc_entry, timer);
	bool is_stream;
	u64 now;

	uet_pdc_entry_lock(pe);
	now = uet_pdc_entry_now(pe);
	pe->armed_ns = UET_NEVER;
	is_stream = pe->cork.is_guess;
	uet_cork_tick(&pe->cork, now);
	if (pe->dead && pe->listed && pe->gone_ns <= now)
		uet_pdc_entry_unlist(pe);
	uet_pdc_entry_run(pe, !pe->is_starved && run_deadline(pe) > now ?
			  UET_RUN_IF_BUSY : UET_RUN_NOW);
	/* The time that this took from the sender is no pause. */
	if (is_stream)
		uet_cork_sent(&pe->cork, uet_now_ns());
	return HRTIMER_NORESTART;
}

/* -------------------------------------------------- a PDC for congestion management */

static struct uet_pdc_entry *waiter_entry(struct uet_cc_waiter *waiter)
{
	return container_of(waiter, struct uet_pdc_entry, waiter);
}

static void waiter_get(struct uet_cc_waiter *waiter)
{
	refcount_inc(&waiter_entry(waiter)->refs);
}

static bool waiter_get_live(struct uet_cc_waiter *waiter)
{
	return refcount_inc_not_zero(&waiter_entry(waiter)->refs);
}

static void waiter_put(struct uet_cc_waiter *waiter)
{
	uet_pdc_entry_put(waiter_entry(waiter));
}

static void waiter_run(struct uet_cc_waiter *waiter, u32 quantum, bool is_late)
{
	struct uet_pdc_entry *pe = waiter_entry(waiter);

	uet_pdc_entry_lock(pe);
	if (!pe->dead)
		uet_pdc_cc_give_quantum(pe->pdc, quantum);
	uet_pdc_entry_run(pe, is_late ? UET_RUN_LATER : UET_RUN_NOW);
}

static void waiter_grant(struct uet_cc_waiter *waiter, u32 credit)
{
	struct uet_pdc_entry *pe = waiter_entry(waiter);

	uet_pdc_entry_lock(pe);
	if (!pe->dead)
		uet_pdc_grant_credit(pe->pdc, credit);
	uet_pdc_entry_run(pe, UET_RUN_NOW);
}

const struct uet_cc_waiter_ops uet_pdc_entry_waiter_ops = {
	.get = waiter_get,
	.get_live = waiter_get_live,
	.put = waiter_put,
	.run = waiter_run,
	.grant = waiter_grant,
};
