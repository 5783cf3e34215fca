// SPDX-License-Identifier: GPL-2.0
/*
 * Limit on the packets of a context in the queues of this host, qdisc and device: half
 * a BDP.  A window limits the data in the network, and the round trip begins when a
 * packet is built.  Without the limit, local queueing delay would look like a queue in
 * the network. TCP Small Queues are the equivalent for TCP.
 *
 * The destructor of a packet reports that the packet has left.  It may run in any
 * context, even with interrupts disabled, so it only counts.  When half of the limit is
 * free, a tasklet lets the PDCs of the context send.  Delivery on this host and
 * deliberate delay (netem) orphan a packet, which then counts as left.
 *
 * Only host_store() and host_load() know where the charge of a packet is stored.
 */
#include <linux/interrupt.h>
#include <linux/skbuff.h>

#include "carrier/carrier.h"
#include "ccc_entry.h"
#include "fabric/fabric.h"

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

/**
 * struct host_charge - the charge of a packet to a context
 * @owner: context that counts the packet
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

	return (void *)((unsigned long)charge->owner |
			(unsigned long)(charge->parts - 1));
}

static struct host_charge host_unpack(const void *packed)
{
	unsigned long bits = (unsigned long)packed;

	return (struct host_charge) {
		.owner = (struct uet_ccc_entry *)(bits & ~(HOST_CHARGE_MAX - 1)),
		.parts = (bits & (HOST_CHARGE_MAX - 1)) + 1,
	};
}

/* Return: the pages of MSG_ZEROCOPY that the packet refers to, or NULL. */
static struct uet_ubuf *host_pages(struct sk_buff *skb)
{
	struct ubuf_info *ubuf = skb_zcopy(skb);

	return ubuf ? container_of(ubuf, struct uet_ubuf, ubuf) : NULL;
}

/*
 * skb_shinfo()->destructor_arg holds the packed charge. The stack stores the address
 * of MSG_ZEROCOPY pages in the same field. A packet with such pages has its owner in
 * struct uet_ubuf, and is charged as a full packet.
 *
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

/* The charge of a packet that was stored by host_store(). */
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

/*
 * Follow the constants of a context.
 * Context: Lock of the context held, or context not published.
 */
void uet_host_limit_set(struct uet_ccc_entry *cce)
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

/**
 * uet_host_limit_bytes() - data of a context in the queues of this host
 * @cce: context
 *
 * Context: Lock of the context held.
 * Return: approximate number of bytes.
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
		uet_ccc_hold(&cce->ccc, false, uet_ccc_entry_now(cce));
	}
	uet_lock_drop(&cce->ccc.lock);
	uet_ccc_entry_run_waiters(cce);
	rcu_read_unlock();
	uet_ccc_entry_drop(cce);
}

/*
 * skb->destructor: the packet has left the queues of this host.
 *
 * Context: Any but hard interrupt.
 */
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
	if (host_is_free(cce, parts) &&
	    test_bit(HOST_HELD, &cce->host_flags))
		host_wake(cce);
	uet_ccc_entry_drop(cce);
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
		uet_ccc_hold(&cce->ccc, true, uet_ccc_entry_now(cce));
	uet_lock_drop(&cce->ccc.lock);
	if (!is_new)
		return;
	uet_mib_inc(cce->fep->un, UET_MIB_TX_THROTTLED);
	/* Packets may have left before HOST_HELD was visible to their destructors. */
	smp_mb__after_atomic();
	if (host_is_free(cce, atomic_read(&cce->host_parts)))
		host_wake(cce);
}

/**
 * uet_host_limit_add() - count a packet before it enters the queues of this host
 * @cce: context
 * @skb: request of a PDC of @cce, not shared yet
 *
 * The only packet of a context does not wait for others, so it is not counted.
 *
 * Context: Lock of the PDC held.
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
	if (atomic_add_return(charge.parts, &cce->host_parts) >=
	    host_limit(cce))
		host_hold(cce);
}

/**
 * uet_host_limit_room() - packets that may follow before the context is held
 * @cce: context
 * @like: a packet that is counted already; the others are as long
 *
 * Context: Lock of the PDC held.
 * Return: number of packets.
 */
u32 uet_host_limit_room(const struct uet_ccc_entry *cce, struct sk_buff *like)
{
	int parts = host_limit(cce) - atomic_read(&cce->host_parts);

	return parts > 0 ? DIV_ROUND_UP(parts, host_parts_of(cce, like)) : 0;
}

/**
 * uet_host_limit_leave() - uncharge a packet whose pages, with its owner, are released
 * @skb: packet with pages of MSG_ZEROCOPY; a packet that is not charged is unchanged
 *
 * Context: Any, but not in a hard interrupt.
 */
void uet_host_limit_leave(struct sk_buff *skb)
{
	if (skb->destructor == host_uncharge)
		skb_orphan(skb);
}

/*
 * Initialise the limit of a new context.
 * @cce: new context, zeroed, with derived constants
 */
void uet_host_limit_init(struct uet_ccc_entry *cce)
{
	tasklet_setup(&cce->host_tasklet, host_tasklet);
	uet_host_limit_set(cce);
}
