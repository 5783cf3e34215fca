// SPDX-License-Identifier: GPL-2.0
/*
 * Congestion control contexts: their lifetime, the service order of PDCs blocked on a window,
 * and the limit on the packets of a context in the queues of this host.
 *
 * An ACK on one PDC may open the window for another PDC.  A PDC that leaves its run loop
 * while the context is ready serves uet_ccc_entry.waiting round-robin, CCE_QUANTUM packets for
 * each PDC.  No other PDC sends while the queue is not empty, so the PDC with the earliest ACKs
 * cannot take the whole window.
 *
 * A window limits the data in the network, and the round trip begins when a packet is built.
 * Without a limit on the queues of this host (qdisc and device), local queueing delay would look
 * like a queue in the network.  TCP Small Queues are the equivalent for TCP.  The destructor of a
 * packet reports that the packet has left.  It may run in any context, even with interrupts
 * disabled, so it only counts.  When half of the limit is free, a tasklet lets the PDCs of the
 * context send.  Delivery on this host and deliberate delay (netem) orphan a packet, which then
 * counts as left.
 * Spec: UE 1.0.1 3.6.12.1 (one context per FEP pair and class), 3.6.12.3.
 */
#include <linux/jhash.h>
#include <linux/random.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include "carrier/carrier.h"
#include "cms.h"
#include "fabric/fabric.h"
#include "fabric/trace.h"

/* Quantum of a blocked PDC, packets. */
#define CCE_QUANTUM	4

/* Maximum number of waiting PDCs run in a row; timers run the other PDCs. */
#define CCE_RUN_MAX	64

/* A packet is charged in eighths of a full packet, a run for each of its packets. */
#define HOST_PARTS	8UL

/*
 * Most parts of a charge.  It is stored with the packet, because the length and the memory
 * of a packet change on its path, in the low bits of an aligned pointer.
 */
#define HOST_CHARGE_MAX	UET_CCC_ENTRY_ALIGN

/* Minimum limit, full packets: a device needs some packets to transmit. */
#define HOST_PKTS_MIN	4

/* Minimum limit, bursts: one leaves while another is built. */
#define HOST_BURSTS_MIN	2

/* Bits of uet_ccc_entry.host_flags. */
enum { HOST_HELD, HOST_QUEUED };

/* Bit of uet_ccc_entry.run_flags: a CPU is running the waiters. */
enum { CCE_RUNNING };

/* Values of uet_ev_cfg.freeze_ns and uet_ev_cfg.reroute_ns, ns. */
#define CCE_FREEZE_NS	400000
#define CCE_REROUTE_NS	1000000

/* Number of contexts whose memory is not freed yet. */
static atomic_t cce_live = ATOMIC_INIT(0);
static DECLARE_WAIT_QUEUE_HEAD(cce_gone);

static void cce_free_rcu(struct rcu_head *rcu)
{
	kfree(container_of(rcu, struct uet_ccc_entry, rcu));
	if (atomic_dec_and_test(&cce_live))
		wake_up(&cce_gone);
}

/* Drop a reference to the memory of a context. */
static void cce_drop(struct uet_ccc_entry *cce)
{
	if (refcount_dec_and_test(&cce->users))
		call_rcu(&cce->rcu, cce_free_rcu);
}

/* Monotonic time, ns; no later event of the context has an earlier time.  Its lock is held. */
static u64 cce_now(struct uet_ccc_entry *cce)
{
	return uet_ns_latest(&cce->ccc.now_ns, uet_now_ns());
}

/* ------------------------------------------------- the limit on the queues of this host */

/*
 * struct host_charge - the charge of a packet to a context
 * @parts: eighths of a full packet, 1 to HOST_CHARGE_MAX
 */
struct host_charge {
	struct uet_ccc_entry *owner;
	int parts;
};

/* The low bits of the context's address are 0; they hold @parts - 1. */
static void *host_pack(const struct host_charge *charge)
{
	static_assert(UET_BURST_RUN_MAX * HOST_PARTS <= HOST_CHARGE_MAX);

	return (void *)((unsigned long)charge->owner | (unsigned long)(charge->parts - 1));
}

static struct host_charge host_unpack(const void *packed)
{
	unsigned long bits = (unsigned long)packed;

	return (struct host_charge) {
		.owner = (struct uet_ccc_entry *)(bits & ~(HOST_CHARGE_MAX - 1)),
		.parts = (bits & (HOST_CHARGE_MAX - 1)) + 1,
	};
}

/* The pages of MSG_ZEROCOPY that the packet refers to, or NULL. */
static struct uet_ubuf *host_pages(struct sk_buff *skb)
{
	struct ubuf_info *ubuf = skb_zcopy(skb);

	return ubuf ? container_of(ubuf, struct uet_ubuf, ubuf) : NULL;
}

/*
 * skb_shinfo()->destructor_arg holds the packed charge. The stack stores the address of
 * MSG_ZEROCOPY pages in the same field. A packet with such pages has its owner in struct
 * uet_ubuf, and is charged as a full packet.
 * Return: false if another context counts the packets with these pages.
 */
static bool host_store(struct sk_buff *skb, const struct host_charge *charge)
{
	struct uet_ubuf *pages = host_pages(skb);

	if (!pages) {
		skb_shinfo(skb)->destructor_arg = host_pack(charge);
		return true;
	}
	if (!pages->owner)
		pages->owner = charge->owner;
	return pages->owner == charge->owner;
}

static struct host_charge host_load(struct sk_buff *skb)
{
	struct uet_ubuf *pages = host_pages(skb);

	if (pages)
		return (struct host_charge) { pages->owner, HOST_PARTS };
	return host_unpack(skb_shinfo(skb)->destructor_arg);
}

static int host_parts_of(const struct uet_ccc_entry *cce, struct sk_buff *skb)
{
	u32 nr = uet_tx_skb_nr(skb);

	if (host_pages(skb))
		return HOST_PARTS;
	return nr * clamp(DIV_ROUND_UP(skb->len / nr * HOST_PARTS, cce->fep->cfg.mtu),
			  1UL, HOST_PARTS);
}

/* Follow the constants of a context: half a BDP.  Its lock is held, or it is not published. */
static void host_limit_set(struct uet_ccc_entry *cce)
{
	const struct uet_cc_param *param = &cce->param;
	u32 bytes = max(param->bdp / 2, HOST_BURSTS_MIN * param->burst);
	u32 pkts = max(bytes / param->cfg.mtu, (u32)HOST_PKTS_MIN);

	/* Pairs with the READ_ONCE() in host_limit(). */
	WRITE_ONCE(cce->host_limit, pkts * HOST_PARTS);
}

static int host_limit(const struct uet_ccc_entry *cce)
{
	return READ_ONCE(cce->host_limit);
}

static bool host_is_free(const struct uet_ccc_entry *cce, int parts)
{
	return parts <= host_limit(cce) / 2;
}

/*
 * uet_host_limit_bytes() - data of a context, about, in the queues of this host; the lock of
 *	the context is held
 */
u32 uet_host_limit_bytes(const struct uet_ccc_entry *cce)
{
	return atomic_read(&cce->host_parts) * cce->param.cfg.mtu / HOST_PARTS;
}

/* Schedule the tasklet, which holds a reference while it is scheduled. */
static void host_wake(struct uet_ccc_entry *cce)
{
	if (test_and_set_bit(HOST_QUEUED, &cce->host_flags))
		return;
	refcount_inc(&cce->users);
	tasklet_schedule(&cce->host_tasklet);
}

static void host_tasklet(struct tasklet_struct *tasklet)
{
	struct uet_ccc_entry *cce = from_tasklet(cce, tasklet, host_tasklet);

	clear_bit(HOST_QUEUED, &cce->host_flags);
	/* Packets that leave after this point schedule the tasklet again. */
	smp_mb__after_atomic();
	rcu_read_lock();
	uet_lock_take(&cce->ccc.lock);
	if (host_is_free(cce, atomic_read(&cce->host_parts))) {
		clear_bit(HOST_HELD, &cce->host_flags);
		uet_ccc_hold(&cce->ccc, false, cce_now(cce));
	}
	uet_lock_drop(&cce->ccc.lock);
	uet_ccc_entry_run_waiters(cce);
	rcu_read_unlock();
	cce_drop(cce);
}

/* skb->destructor, in any context but hard interrupt. */
static void host_uncharge(struct sk_buff *skb)
{
	struct host_charge charge = host_load(skb);
	struct uet_ccc_entry *cce = charge.owner;
	int parts;

	/* The release of the pages may follow; a packet is uncharged once. */
	skb->destructor = NULL;
	rcu_read_lock();
	/* A full barrier, which pairs with the barrier in host_hold(). */
	parts = atomic_sub_return(charge.parts, &cce->host_parts);
	if (host_is_free(cce, parts) && test_bit(HOST_HELD, &cce->host_flags))
		host_wake(cce);
	cce_drop(cce);
	rcu_read_unlock();
	uet_tx_skb_disown(skb);
}

/* Hold the context: only retransmissions of lost packets may leave. */
static void host_hold(struct uet_ccc_entry *cce)
{
	bool is_new;

	uet_lock_take(&cce->ccc.lock);
	is_new = !test_and_set_bit(HOST_HELD, &cce->host_flags);
	if (is_new)
		uet_ccc_hold(&cce->ccc, true, cce_now(cce));
	uet_lock_drop(&cce->ccc.lock);
	if (!is_new)
		return;
	uet_mib_inc(cce->fep->un, UET_MIB_TX_THROTTLED);
	/* Packets may have left before HOST_HELD was visible to their destructors. */
	smp_mb__after_atomic();
	if (host_is_free(cce, atomic_read(&cce->host_parts)))
		host_wake(cce);
}

/*
 * uet_host_limit_add() - count a packet before it enters the queues of this host
 * @skb: request of a PDC of @cce, not shared yet
 *
 * The only packet of a context does not wait for others, so it is not counted.  The lock of the
 * PDC is held.
 */
void uet_host_limit_add(struct uet_ccc_entry *cce, struct sk_buff *skb)
{
	const struct host_charge charge = {
		.owner = cce,
		.parts = host_parts_of(cce, skb),
	};

	if (READ_ONCE(cce->ccc.inflight_pkts) <= 1 || !host_store(skb, &charge))
		return;
	refcount_inc(&cce->users);
	skb->destructor = host_uncharge;
	if (atomic_add_return(charge.parts, &cce->host_parts) >= host_limit(cce))
		host_hold(cce);
}

/*
 * uet_host_limit_room() - packets as long as @like that may follow before the context is held
 */
u32 uet_host_limit_room(const struct uet_ccc_entry *cce, struct sk_buff *like)
{
	int parts = host_limit(cce) - atomic_read(&cce->host_parts);

	return parts > 0 ? DIV_ROUND_UP(parts, host_parts_of(cce, like)) : 0;
}

/*
 * uet_host_limit_leave() - uncharge a packet whose pages of MSG_ZEROCOPY, with its owner, are
 *	released
 */
void uet_host_limit_leave(struct sk_buff *skb)
{
	if (skb->destructor == host_uncharge)
		skb_orphan(skb);
}

/* ------------------------------------------------------------------------- contexts */

static void cce_ev_cfg(const struct uet_fep_settings *settings, struct uet_ev_cfg *cfg)
{
	uet_ev_cfg_init(cfg);
	cfg->policy = uet_fep_paths(settings);
	cfg->values = settings->pdc.ev_count;
	cfg->burst = settings->pdc.ev_burst;
	cfg->bad_max = UET_EV_BAD_MAX(cfg->values);
	cfg->freeze_ns = CCE_FREEZE_NS;
	cfg->reroute_ns = CCE_REROUTE_NS;
}

/* Return: true if the settings are valid. */
static bool cce_derive(struct uet_ccc_entry *cce, const struct uet_fep_settings *settings)
{
	const struct uet_fep *fep = cce->fep;
	u16 mtu = uet_fep_cc_mtu(fep, uet_fep_settings_is_paced(settings));
	struct uet_cc_cfg cfg;

	uet_fep_cc_cfg(settings, uet_fep_cc_rate(fep, &settings->pdc), mtu, &cfg);
	return !uet_cc_derive(&cce->param, &cfg);
}

/* Return: a context with one reference, not in the table; NULL: out of memory. */
static struct uet_ccc_entry *cce_make(struct uet_fep *fep,
				      const struct uet_fep_settings *settings, gfp_t gfp)
{
	u64 now = uet_now_ns();
	struct uet_ev_cfg ev_cfg;
	struct uet_ccc_entry *cce;
	size_t size;

	cce_ev_cfg(settings, &ev_cfg);
	size = struct_size(cce, penalty, uet_ev_sel_space(&ev_cfg));
	/* kmalloc() aligns a power of two to itself. */
	size = roundup_pow_of_two(max(size, UET_CCC_ENTRY_ALIGN));
	cce = kzalloc(size, gfp | __GFP_NOWARN);
	if (!cce)
		return NULL;
	cce->fep = fep;
	cce->follows = !settings->pdc.cc_rate_mbps;
	if (!cce_derive(cce, settings)) {
		kfree(cce);
		return NULL;
	}
	uet_ev_sel_init(&cce->sel, &ev_cfg, cce->penalty, get_random_u32(), now);
	uet_ccc_init(&cce->ccc, &cce->param, &cce->sel, now);
	cce->cwnd_seen = cce->ccc.cwnd;
	INIT_LIST_HEAD(&cce->waiting);
	tasklet_setup(&cce->host_tasklet, host_tasklet);
	host_limit_set(cce);
	refcount_set(&cce->refs, 1);
	refcount_set(&cce->users, 1);
	atomic_inc(&cce_live);
	return cce;
}

/**
 * uet_ccc_entry_fini() - wait until no packet refers to a context
 *
 * In module unload: devices and qdiscs may still queue packets of freed PDCs.
 */
void uet_ccc_entry_fini(void)
{
	wait_event(cce_gone, !atomic_read(&cce_live));
	/* The RCU callback that caused the wake-up may still be running. */
	rcu_barrier();
}

static u32 cce_hash(const struct uet_fep *fep, const struct uet_fa *peer)
{
	return jhash(peer, sizeof(*peer), fep->cms->seed);
}

/*
 * Nobody looks up a context of ROD. It is in any bucket, so that the many contexts of a
 * peer are not in the one of its RUD context.
 */
static u32 cce_hash_of(const struct uet_ccc_entry *cce)
{
	if (cce->mode == UET_PDC_RUD)
		return cce_hash(cce->fep, &cce->peer);
	return jhash(&cce, sizeof(cce), cce->fep->cms->seed);
}

static struct uet_ccc_entry *cce_find(struct uet_fep *fep, const struct uet_fa *peer,
				      enum uet_pdc_mode mode)
	__must_hold(&fep->cms->lock)
{
	struct uet_ccc_entry *cce;

	if (mode != UET_PDC_RUD)
		return NULL;
	hash_for_each_possible(fep->cms->cccs, cce, node, cce_hash(fep, peer)) {
		if (cce->mode == UET_PDC_RUD && uet_fa_equal(&cce->peer, peer)) {
			refcount_inc(&cce->refs);
			return cce;
		}
	}
	return NULL;
}

static void cce_trace(struct uet_ccc_entry *cce)
{
	if (cce->ccc.cwnd == cce->cwnd_seen)
		return;
	trace_uet_ccc_window(cce->fep, &cce->peer, &cce->ccc, cce->cwnd_seen);
	cce->cwnd_seen = cce->ccc.cwnd;
}

/* The caller has disabled BH. */
static void cce_update_rate(struct uet_ccc_entry *cce)
{
	u32 speed;

	if (!cce->follows)
		return;
	uet_lock_take(&cce->ccc.lock);
	speed = uet_fep_cc_speed(cce->fep, cce->param.cfg.base_rtt_ns);
	if (speed != cce->param.cfg.rate_mbps && !uet_cc_set_rate(&cce->param, speed)) {
		host_limit_set(cce);
		uet_ccc_retune(&cce->ccc, cce_now(cce));
		cce_trace(cce);
	}
	uet_lock_drop(&cce->ccc.lock);
}

/*
 * uet_ccc_entry_update_rates() - adapt the contexts of a FEP to the speed of its rails
 *
 * The next ACK serves the PDCs that wait, because packets are in flight while a PDC waits.
 */
void uet_ccc_entry_update_rates(struct uet_fep *fep)
{
	struct uet_fep_cms *cms = fep->cms;
	struct uet_ccc_entry *cce;
	size_t i;

	/* One that enters meanwhile has the new speed. */
	for (i = 0; i < HASH_SIZE(cms->cccs); i++) {
		spin_lock_bh(&cms->lock);
		hlist_for_each_entry(cce, &cms->cccs[i], node)
			cce_update_rate(cce);
		spin_unlock_bh(&cms->lock);
	}
}

/* Return: @new, added to the table, or the context that the table has already. */
static struct uet_ccc_entry *cce_enter(struct uet_ccc_entry *new)
{
	struct uet_fep *fep = new->fep;
	struct uet_ccc_entry *found;

	spin_lock_bh(&fep->cms->lock);
	found = cce_find(fep, &new->peer, new->mode);
	if (!found) {
		new->ccc.id = fep->cms->next_id++;
		hash_add_rcu(fep->cms->cccs, &new->node, cce_hash_of(new));
		/* The speed may have changed since the allocation. */
		cce_update_rate(new);
	}
	spin_unlock_bh(&fep->cms->lock);
	if (!found)
		return new;
	cce_drop(new);
	return found;
}

/*
 * uet_ccc_entry_get() - find or create the context of a PDC; NULL: out of memory
 * @mode: a ROD PDC uses one path, so it has a separate context
 */
struct uet_ccc_entry *uet_ccc_entry_get(struct uet_fep *fep, const struct uet_fa *peer,
					enum uet_pdc_mode mode, gfp_t gfp)
{
	struct uet_fep_settings settings;
	struct uet_ccc_entry *cce;

	spin_lock_bh(&fep->cms->lock);
	cce = cce_find(fep, peer, mode);
	spin_unlock_bh(&fep->cms->lock);
	if (cce)
		return cce;
	rcu_read_lock();
	settings = *uet_fep_settings(fep);
	rcu_read_unlock();
	cce = cce_make(fep, &settings, gfp);
	if (!cce)
		return NULL;
	cce->peer = *peer;
	cce->mode = mode;
	return cce_enter(cce);
}

/*
 * uet_ccc_entry_put() - drop the reference of a PDC
 */
void uet_ccc_entry_put(struct uet_ccc_entry *cce)
{
	struct uet_fep *fep = cce->fep;
	bool is_last;

	spin_lock_bh(&fep->cms->lock);
	is_last = refcount_dec_and_test(&cce->refs);
	if (is_last)
		hash_del_rcu(&cce->node);
	spin_unlock_bh(&fep->cms->lock);
	if (!is_last)
		return;
	if (cce->is_busy)
		atomic_dec(&fep->cms->nr_busy);
	cce_drop(cce);
}

/* Contexts with data to send share the credit that destinations grant to this FEP. */
static void cce_count(struct uet_ccc_entry *cce)
{
	atomic_t *nr = &cce->fep->cms->nr_busy;
	bool is_busy = cce->ccc.backlog || cce->ccc.waiting_rtx;

	if (is_busy != cce->is_busy)
		atomic_add(is_busy ? 1 : -1, nr);
	cce->is_busy = is_busy;
	cce->ccc.sharers = atomic_read(nr);
}

static bool cce_is_open(const struct uet_ccc_entry *cce)
{
	return cce->ccc.state == UET_CCC_READY && !list_empty(&cce->waiting);
}

/* Return: true if the caller must drop the reference of the queue. */
static bool cce_set_waiting(struct uet_ccc_entry *cce, struct uet_cc_waiter *waiter, bool waits)
{
	bool is_listed = !list_empty(&waiter->link);

	if (waits == is_listed)
		return false;
	if (is_listed) {
		list_del_init(&waiter->link);
		cce->ccc.nr_waiting--;
		return true;
	}
	waiter->ops->get(waiter);
	list_add_tail(&waiter->link, &cce->waiting);
	cce->ccc.nr_waiting++;
	return false;
}

/*
 * uet_ccc_entry_quantum() - most bytes of a burst of packets to the peer of a context, see
 *	uet_ccc_quantum()
 */
u32 uet_ccc_entry_quantum(struct uet_ccc_entry *cce)
{
	u32 quantum;

	uet_lock_take(&cce->ccc.lock);
	quantum = uet_ccc_quantum(&cce->ccc);
	uet_lock_drop(&cce->ccc.lock);
	return quantum;
}

/*
 * uet_ccc_entry_update() - update the context before a PDC, whose lock is held, leaves its run
 *	loop
 * @waits: the PDC is blocked on the window
 * Return: true if the caller must call uet_ccc_entry_run_waiters() after it has dropped the
 *	lock of the PDC.
 */
bool uet_ccc_entry_update(struct uet_ccc_entry *cce, struct uet_cc_waiter *waiter, bool waits)
{
	bool is_off, is_open;

	uet_lock_take(&cce->ccc.lock);
	is_off = cce_set_waiting(cce, waiter, waits);
	is_open = cce_is_open(cce);
	cce_count(cce);
	cce_trace(cce);
	uet_lock_drop(&cce->ccc.lock);
	if (is_off)
		waiter->ops->put(waiter);
	return is_open;
}

static bool cce_has_next(struct uet_ccc_entry *cce)
{
	bool has_next;

	local_bh_disable();
	uet_lock_take(&cce->ccc.lock);
	has_next = cce_is_open(cce);
	uet_lock_drop(&cce->ccc.lock);
	local_bh_enable();
	return has_next;
}

/* Packets that the next PDC may send: a whole burst if no other one waits. */
static u32 cce_quantum(const struct uet_ccc_entry *cce)
{
	const struct uet_ccc *ccc = &cce->ccc;

	if (ccc->nr_waiting)
		return CCE_QUANTUM;
	return max_t(u32, CCE_QUANTUM, uet_ccc_quantum(ccc) / ccc->param->cfg.mtu);
}

/*
 * Return: the first PDC of the queue, with the reference of the queue, and @quantum; or NULL.
 */
static struct uet_cc_waiter *cce_next(struct uet_ccc_entry *cce, u32 *quantum)
{
	struct uet_cc_waiter *waiter = NULL;

	local_bh_disable();
	uet_lock_take(&cce->ccc.lock);
	if (cce_is_open(cce)) {
		waiter = list_first_entry(&cce->waiting, struct uet_cc_waiter, link);
		list_del_init(&waiter->link);
		cce->ccc.nr_waiting--;
		*quantum = cce_quantum(cce);
	}
	uet_lock_drop(&cce->ccc.lock);
	local_bh_enable();
	return waiter;
}

/*
 * One CPU at a time runs the waiters of a context. A waiter that has sent leaves its run loop
 * and calls uet_ccc_entry_run_waiters(), so the bit also prevents recursion.
 *
 * Invariant: if a waiter can be run, a CPU has set the bit, or is about to set it or to check
 * for waiters, or the timer of a PDC that was run late does so. The CPU that clears the bit
 * checks for waiters afterwards, unless the timer does. test_and_set_bit() is a full barrier,
 * even if the bit was set: either the first CPU finds the bit clear, or the second CPU finds
 * the waiter of the first one.
 */
static bool cce_try_begin_run(struct uet_ccc_entry *cce)
{
	return !test_and_set_bit(CCE_RUNNING, &cce->run_flags);
}

/**
 * uet_ccc_entry_run_waiters() - run the PDCs that wait for the window
 * @cce: context; the caller has a PDC of the context, or RCU
 *
 * If another CPU is running the waiters, that CPU also runs the waiters of this call. After
 * CCE_RUN_MAX PDCs, the timer of the next PDC sends its packets and runs the PDCs behind it. No
 * lock of a PDC is held.
 */
void uet_ccc_entry_run_waiters(struct uet_ccc_entry *cce)
{
	struct uet_cc_waiter *waiter;
	bool is_late = false;
	int count = 0;
	u32 quantum;

	do {
		if (!cce_try_begin_run(cce))
			return;
		while (!is_late && (waiter = cce_next(cce, &quantum))) {
			is_late = count++ == CCE_RUN_MAX;
			waiter->ops->run(waiter, quantum, is_late);
			waiter->ops->put(waiter);
		}
		clear_bit(CCE_RUNNING, &cce->run_flags);
		/* Pairs with the full barrier in cce_try_begin_run(). */
		smp_mb__after_atomic();
		/* If @is_late, the timer of the last PDC checks for waiters. */
	} while (!is_late && cce_has_next(cce));
}
