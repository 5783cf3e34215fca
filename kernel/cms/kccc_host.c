// SPDX-License-Identifier: GPL-2.0
/*
 * A limit on the packets of a context in the queues of this host, qdisc and device:
 * half a BDP.  A window says what the network may hold, and a round trip begins when a
 * packet is built, so what waits below would look like a queue in the network, and
 * be made by us alone.  What TCP Small Queues are to TCP.
 *
 * A packet tells that it has left by its destructor, which may run anywhere, also with
 * interrupts disabled: it counts, and when half of the room is free a tasklet gives the
 * PDCs of the context their turns.  Whoever delivers it on this host, or delays it on
 * purpose (netem), orphans it: then it has left.
 *
 * Which context it is of stands where the pages of MSG_ZEROCOPY would; packets with
 * such pages have it there (zcopy.c).
 * Level: shell.
 */
#include <linux/interrupt.h>
#include <linux/skbuff.h>

#include "fabric/fep.h"
#include "kccc.h"
#include "fabric/net.h"
#include "message/zcopy.h"

/*
 * A packet counts in eighths of a full one: an aligned pointer has room to note how
 * many, while lengths and what memory a packet takes change on the way.
 */
#define HOST_PARTS	8UL

/* Full packets that there may always be: a device has to have some to send. */
#define HOST_PKTS_MIN	4

/* Bits of uet_kccc.host_flags. */
enum { HOST_HELD, HOST_QUEUED };

/**
 * uet_kccc_host_set() - follow the constants of a context
 * @kccc: context
 *
 * Context: Lock of the context held, or nobody knows it yet.
 */
void uet_kccc_host_set(struct uet_kccc *kccc)
{
	const struct uet_cc_param *param = &kccc->param;
	u32 pkts = max(param->bdp / 2 / param->cfg.mtu, (u32)HOST_PKTS_MIN);

	/* Pairs with the READ_ONCE() in host_limit(). */
	WRITE_ONCE(kccc->host_limit, pkts * HOST_PARTS);
}

static int host_limit(const struct uet_kccc *kccc)
{
	return READ_ONCE(kccc->host_limit);
}

/* Is half of the room free? */
static bool host_is_free(const struct uet_kccc *kccc, int parts)
{
	return parts <= host_limit(kccc) / 2;
}

/**
 * uet_kccc_host_bytes() - what of a context is in the queues of this host
 * @kccc: context
 *
 * Context: Lock of the context held.
 * Return: about so many bytes.
 */
u32 uet_kccc_host_bytes(const struct uet_kccc *kccc)
{
	return atomic_read(&kccc->host_parts) * kccc->param.cfg.mtu / HOST_PARTS;
}

/* The tasklet has a reference. */
static void host_wake(struct uet_kccc *kccc)
{
	if (test_and_set_bit(HOST_QUEUED, &kccc->host_flags))
		return;
	refcount_inc(&kccc->users);
	tasklet_schedule(&kccc->host_tasklet);
}

static void host_tasklet(struct tasklet_struct *tasklet)
{
	struct uet_kccc *kccc = from_tasklet(kccc, tasklet, host_tasklet);

	clear_bit(HOST_QUEUED, &kccc->host_flags);
	/* What leaves from now on queues the tasklet again. */
	smp_mb__after_atomic();
	rcu_read_lock();
	uet_lock_take(&kccc->ccc.lock);
	if (host_is_free(kccc, atomic_read(&kccc->host_parts))) {
		clear_bit(HOST_HELD, &kccc->host_flags);
		uet_ccc_hold(&kccc->ccc, false, ktime_get_ns());
	}
	uet_lock_drop(&kccc->ccc.lock);
	uet_kccc_kick(kccc);
	rcu_read_unlock();
	uet_kccc_drop(kccc);
}

/* Of a packet that was counted. */
static struct uet_kccc *host_of(struct sk_buff *skb, int *parts)
{
	struct ubuf_info *ubuf = skb_zcopy(skb);
	unsigned long arg;

	if (ubuf) {
		*parts = HOST_PARTS;
		return uet_zcopy_kccc(ubuf);
	}
	arg = (unsigned long)skb_shinfo(skb)->destructor_arg;
	*parts = (arg & (HOST_PARTS - 1)) + 1;
	return (struct uet_kccc *)(arg & ~(HOST_PARTS - 1));
}

/* A packet has left.  Any context, but not in a hard interrupt. */
static void host_destruct(struct sk_buff *skb)
{
	struct uet_kccc *kccc;
	int parts;

	kccc = host_of(skb, &parts);
	/* Once: its pages may be told to have gone next. */
	skb->destructor = NULL;
	rcu_read_lock();
	/* A full barrier, which pairs with that in host_hold(). */
	parts = atomic_sub_return(parts, &kccc->host_parts);
	if (host_is_free(kccc, parts) &&
	    test_bit(HOST_HELD, &kccc->host_flags))
		host_wake(kccc);
	uet_kccc_drop(kccc);
	rcu_read_unlock();
}

/* Nothing more, but what was lost. */
static void host_hold(struct uet_kccc *kccc)
{
	bool is_new;

	uet_lock_take(&kccc->ccc.lock);
	is_new = !test_and_set_bit(HOST_HELD, &kccc->host_flags);
	if (is_new)
		uet_ccc_hold(&kccc->ccc, true, ktime_get_ns());
	uet_lock_drop(&kccc->ccc.lock);
	if (!is_new)
		return;
	uet_mib_inc(kccc->fep->un, UET_MIB_TX_THROTTLED);
	/* Packets may have left before they could know. */
	smp_mb__after_atomic();
	if (host_is_free(kccc, atomic_read(&kccc->host_parts)))
		host_wake(kccc);
}

/* How much of a full packet it is; and note that, and whose it is. */
static int host_mark(struct uet_kccc *kccc, struct sk_buff *skb)
{
	struct ubuf_info *ubuf = skb_zcopy(skb);
	unsigned long parts;

	if (ubuf)
		return uet_zcopy_set_kccc(ubuf, kccc) ? HOST_PARTS : 0;
	parts = clamp(DIV_ROUND_UP(skb->len * HOST_PARTS,
				   kccc->fep->cfg.mtu), 1UL, HOST_PARTS);
	skb_shinfo(skb)->destructor_arg =
		(void *)((unsigned long)kccc | (parts - 1));
	return parts;
}

/**
 * uet_kccc_host_add() - a packet is on its way to the queues of this host
 * @kccc: context
 * @skb: request of one of its PDCs, which nobody else knows yet
 *
 * Context: Lock of the PDC held.
 */
void uet_kccc_host_add(struct uet_kccc *kccc, struct sk_buff *skb)
{
	int parts = host_mark(kccc, skb);

	if (!parts)
		return;
	refcount_inc(&kccc->users);
	skb->destructor = host_destruct;
	if (atomic_add_return(parts, &kccc->host_parts) >= host_limit(kccc))
		host_hold(kccc);
}

/**
 * uet_kccc_host_leave() - a packet is going to lose what says whose it is
 * @skb: packet with pages of MSG_ZEROCOPY; one that is not counted stays as it is
 *
 * Context: Any, but not in a hard interrupt.
 */
void uet_kccc_host_leave(struct sk_buff *skb)
{
	if (skb->destructor == host_destruct)
		skb_orphan(skb);
}

/**
 * uet_kccc_host_init() - nothing is in the queues of this host
 * @kccc: new context, zeroed, with constants
 *
 * Context: Any.
 */
void uet_kccc_host_init(struct uet_kccc *kccc)
{
	static_assert(__alignof__(struct uet_kccc) >= HOST_PARTS);

	tasklet_setup(&kccc->host_tasklet, host_tasklet);
	uet_kccc_host_set(kccc);
}
