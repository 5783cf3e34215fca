// SPDX-License-Identifier: GPL-2.0
/*
 * A limit on the packets of a context in the queues of this host, qdisc and device:
 * half a BDP.  A window says what the network may hold, and a round trip begins when a
 * packet is built, so what waits below would look like a queue in the network, and
 * be made by us alone.  What TCP Small Queues are to TCP.
 *
 * A packet tells that it has left by its destructor, which may run anywhere, also with
 * interrupts disabled: it counts, and when half of the space is free a tasklet gives the
 * PDCs of the context their turns.  Whoever delivers it on this host, or delays it on
 * purpose (netem), orphans it: then it has left.
 *
 * Which context it is of stands where the pages of MSG_ZEROCOPY would; packets with
 * such pages have it there (zcopy.c).
 * Level: shell.
 */
#include <linux/interrupt.h>
#include <linux/skbuff.h>

#include "ccc_entry.h"
#include "fabric/fabric.h"

/*
 * A packet counts in eighths of a full one: an aligned pointer has space to note how
 * many, while lengths and what memory a packet takes change on the way.
 */
#define HOST_PARTS	8UL

/* Full packets that there may always be: a device has to have some to send. */
#define HOST_PKTS_MIN	4

/* Bits of uet_ccc_entry.host_flags. */
enum { HOST_HELD, HOST_QUEUED };

/**
 * uet_host_limit_set() - follow the constants of a context
 * @cce: context
 *
 * Context: Lock of the context held, or nobody knows it yet.
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

/* Is half of the space free? */
static bool host_is_free(const struct uet_ccc_entry *cce, int parts)
{
	return parts <= host_limit(cce) / 2;
}

/**
 * uet_host_limit_bytes() - what of a context is in the queues of this host
 * @cce: context
 *
 * Context: Lock of the context held.
 * Return: about so many bytes.
 */
u32 uet_host_limit_bytes(const struct uet_ccc_entry *cce)
{
	return atomic_read(&cce->host_parts) * cce->param.cfg.mtu / HOST_PARTS;
}

/* The tasklet has a reference. */
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
	/* What leaves from now on queues the tasklet again. */
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

/* Of a packet that was counted. */
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

/* A packet has left.  Any context, but not in a hard interrupt. */
static void host_destruct(struct sk_buff *skb)
{
	struct uet_ccc_entry *cce;
	int parts;

	cce = host_of(skb, &parts);
	/* Once: its pages may be told to have gone next. */
	skb->destructor = NULL;
	rcu_read_lock();
	/* A full barrier, which pairs with that in host_hold(). */
	parts = atomic_sub_return(parts, &cce->host_parts);
	if (host_is_free(cce, parts) &&
	    test_bit(HOST_HELD, &cce->host_flags))
		host_wake(cce);
	uet_ccc_entry_drop(cce);
	rcu_read_unlock();
}

/* Nothing more, but what was lost. */
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
	/* Packets may have left before they could know. */
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

/* How much of a full packet it is; and note that, and whose it is. */
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
 * uet_host_limit_add() - a packet is on its way to the queues of this host
 * @cce: context
 * @skb: request of one of its PDCs, which nobody else knows yet
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
 * uet_host_limit_leave() - a packet is going to lose what says whose it is
 * @skb: packet with pages of MSG_ZEROCOPY; one that is not counted stays as it is
 *
 * Context: Any, but not in a hard interrupt.
 */
void uet_host_limit_leave(struct sk_buff *skb)
{
	if (skb->destructor == host_destruct)
		skb_orphan(skb);
}

/**
 * uet_host_limit_init() - nothing is in the queues of this host
 * @cce: new context, zeroed, with constants
 *
 * Context: Any.
 */
void uet_host_limit_init(struct uet_ccc_entry *cce)
{
	static_assert(__alignof__(struct uet_ccc_entry) >= HOST_PARTS);

	tasklet_setup(&cce->host_tasklet, host_tasklet);
	uet_host_limit_set(cce);
}
