// SPDX-License-Identifier: GPL-2.0
/* The lock of a PDC, and the time of the events that it orders. */
#include "base/base.h"
#include "pdc_entry.h"

/**
 * uet_pdc_entry_lock() - lock a PDC
 * @pe: PDC, referenced or under RCU
 *
 * Context: Any but hard interrupt; enters an RCU read side section and disables
 *	BH until uet_pdc_entry_unlock() or uet_pdc_entry_run().
 */
void uet_pdc_entry_lock(struct uet_pdc_entry *pe)
	__acquires(RCU) __acquires(&pe->lock)
{
	rcu_read_lock();
	spin_lock_bh(&pe->lock);
}

/**
 * uet_pdc_entry_lock_at() - lock a PDC for an event whose time was read before
 * @pe: PDC, referenced or under RCU
 * @now: monotonic time, ns
 *
 * Context: As uet_pdc_entry_lock().
 * Return: time of the event, ns: @now, or the time of a later event.
 */
u64 uet_pdc_entry_lock_at(struct uet_pdc_entry *pe, u64 now)
	__acquires(RCU) __acquires(&pe->lock)
{
	uet_pdc_entry_lock(pe);
	return uet_ns_latest(&pe->now_ns, now);
}

/*
 * Read the time of an event.
 * Context: After uet_pdc_entry_lock().
 * Return: monotonic time, ns; no later event has an earlier time.
 */
u64 uet_pdc_entry_now(struct uet_pdc_entry *pe)
	__must_hold(&pe->lock)
{
	return pe->now_ns = uet_now_ns();
}

/**
 * uet_pdc_entry_unlock() - unlock a PDC without any change that requires
 *	packets
 * @pe: PDC
 *
 * Context: After uet_pdc_entry_lock().
 */
void uet_pdc_entry_unlock(struct uet_pdc_entry *pe)
	__releases(&pe->lock) __releases(RCU)
{
	spin_unlock_bh(&pe->lock);
	rcu_read_unlock();
}
