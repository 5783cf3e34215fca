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
 * The context of a packet is stored in skb_shinfo()->destructor_arg, the field of
 * MSG_ZEROCOPY buffers.  Packets with such a buffer refer to their context by
 * uet_ubuf.owner (message/zcopy.c).
 */
#include <linux/interrupt.h>
#include <linux/skbuff.h>

#include "ccc_entry.h"
#include "fabric/fabric.h"

/*
 * A packet counts in eighths of a full packet: the low bits of an aligned pointer can
 * store the number.  Length and truesize are unsuitable, because they change below UET.
 */
#define HOST_PARTS	8UL

/* Minimum limit, full packets: a device needs some packets to transmit. */
#define HOST_PKTS_MIN	4

/* Bits of uet_ccc_entry.host_flags. */
enum { HOST_HELD, HOST_QUEUED };

/**
 * uet_host_limit_set() - derive the limit from the constants of a context
 * @cce: context
 *
 * Context: Lock of the context held, or context not published.
 */
void uet_host_limit_set(struct uet_ccc_entry *cce)
{
	const struct uet_cc_param *param = &cce->param;
	u32 pkts = max(param->bdp / 2 / param->cfg.mtu, (u32)HOST_PKTS_MIN);

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
		uet_ccc_hold(&cce->ccc, false, ktime_get_ns());
	}
	uet_lock_drop(&cce->ccc.lock);
	uet_ccc_entry_run_waiters(cce);
	rcu_read_unlock();
	uet_ccc_entry_drop(cce);
}

/* Return: the context of a counted packet, and in @parts its share. */
static struct uet_ccc_entry *host_of(struct sk_buff *skb, int *parts)
{
	struct ubuf_info *ubuf = skb_zcopy(skb);
	unsigned long arg;

	if (ubuf) {
		*parts = HOST_PARTS;
		return container_of(ubuf, struct uet_ubuf, ubuf)->owner;
	}
	arg = (unsigned long)skb_shinfo(skb)->destructor_arg;
	*parts = (arg & (HOST_PARTS - 1)) + 1;
	return (struct uet_ccc_entry *)(arg & ~(HOST_PARTS - 1));
}

/* Destructor of a counted packet.  Runs in any context except hard interrupt. */
static void host_destruct(struct sk_buff *skb)
{
	struct uet_ccc_entry *cce;
	int parts;

	cce = host_of(skb, &parts);
	/* The release of the zero-copy pages must not call the destructor again. */
	skb->destructor = NULL;
	rcu_read_lock();
	/* A full barrier, which pairs with the barrier in host_hold(). */
	parts = atomic_sub_return(parts, &cce->host_parts);
	if (host_is_free(cce, parts) &&
	    test_bit(HOST_HELD, &cce->host_flags))
		host_wake(cce);
	uet_ccc_entry_drop(cce);
	rcu_read_unlock();
}

/* Hold the context: only retransmissions of lost packets may leave. */
static void host_hold(struct uet_ccc_entry *cce)
{
	bool is_new;

	uet_lock_take(&cce->ccc.lock);
	is_new = !test_and_set_bit(HOST_HELD, &cce->host_flags);
	if (is_new)
		uet_ccc_hold(&cce->ccc, true, ktime_get_ns());
	uet_lock_drop(&cce->ccc.lock);
	if (!is_new)
		return;
	uet_mib_inc(cce->fep->un, UET_MIB_TX_THROTTLED);
	/* Packets may have left before HOST_HELD was visible to their destructors. */
	smp_mb__after_atomic();
	if (host_is_free(cce, atomic_read(&cce->host_parts)))
		host_wake(cce);
}

/* Return: false if another context counts the packets with these pages. */
static bool host_own(struct ubuf_info *ubuf, struct uet_ccc_entry *cce)
{
	struct uet_ubuf *pages = container_of(ubuf, struct uet_ubuf, ubuf);

	if (!pages->owner)
		pages->owner = cce;
	return pages->owner == cce;
}

/* Store the context and the share of a packet. Return: its share; 0: not counted. */
static int host_mark(struct uet_ccc_entry *cce, struct sk_buff *skb)
{
	struct ubuf_info *ubuf = skb_zcopy(skb);
	unsigned long parts;

	if (ubuf)
		return host_own(ubuf, cce) ? HOST_PARTS : 0;
	parts = clamp(DIV_ROUND_UP(skb->len * HOST_PARTS,
				   cce->fep->cfg.mtu), 1UL, HOST_PARTS);
	skb_shinfo(skb)->destructor_arg =
		(void *)((unsigned long)cce | (parts - 1));
	return parts;
}

/**
 * uet_host_limit_add() - count a packet before it enters the queues of this host
 * @cce: context
 * @skb: request of a PDC of @cce, not shared yet
 *
 * Context: Lock of the PDC held.
 */
void uet_host_limit_add(struct uet_ccc_entry *cce, struct sk_buff *skb)
{
	int parts = host_mark(cce, skb);

	if (!parts)
		return;
	refcount_inc(&cce->users);
	skb->destructor = host_destruct;
	if (atomic_add_return(parts, &cce->host_parts) >= host_limit(cce))
		host_hold(cce);
}

/**
 * uet_host_limit_leave() - stop counting a packet before it loses its zero-copy buffer
 * @skb: packet with pages of MSG_ZEROCOPY; unchanged if it is not counted
 *
 * Context: Any, but not in a hard interrupt.
 */
void uet_host_limit_leave(struct sk_buff *skb)
{
	if (skb->destructor == host_destruct)
		skb_orphan(skb);
}

/**
 * uet_host_limit_init() - initialise the limit of a new context
 * @cce: new context, zeroed, with derived constants
 *
 * Context: Any.
 */
void uet_host_limit_init(struct uet_ccc_entry *cce)
{
	static_assert(__alignof__(struct uet_ccc_entry) >= HOST_PARTS);

	tasklet_setup(&cce->host_tasklet, host_tasklet);
	uet_host_limit_set(cce);
}
