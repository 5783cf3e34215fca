// SPDX-License-Identifier: GPL-2.0
/*
 * Messages in progress that hold the receive buffer of an endpoint, and whose senders do not go
 * on: they crashed in the middle, or never meant to.  A sender goes on if the bytes come at a
 * rate, not if a packet comes now and then.  Their PDCs live for minutes.  Such a message fails
 * when another one is refused for lack of space: one of the same endpoint, or, if memory is what
 * lacks, one of any endpoint of the host.  As long as nobody needs the space, a message waits for
 * its sender as long as the PDC does.
 * Spec: none; the refusal is UE 1.0.1 3.5.12.7, the response that of 3.4.3.
 */
#include "transfer.h"

/*
 * A sender retransmits once in this longest interval at least.  So many of them without a
 * packet are no loss.
 */
#define RX_STALLED_RTOS		16

/* An endpoint without space refuses many packets: look for such messages now and then. */
#define RX_STALLED_EVERY_NS	(10 * NSEC_PER_MSEC)

/* Messages of its endpoint that a refused message looks at. */
#define RX_STALLED_LOOKS	32

/* Endpoints of the host at which a message without memory looks, and their messages. */
#define RX_STALLED_HOST_LOOKS	64

/* When a message without memory last looked, ns. */
static atomic64_t rx_stalled_looked;

/* A message has stalled that receives less than this part of its reservation in the time. */
#define RX_STALLED_PARTS	16

/* Has the message received its part since the last look? */
static bool rx_message_goes_on(const struct uet_rx_message *rm, u32 received)
{
	return received - READ_ONCE(rm->seen) >= rm->reserved / RX_STALLED_PARTS;
}

static bool rx_message_waits_for_reader(const struct uet_rx_message *rm, u32 received)
{
	return uet_rx_message_is_streamed(rm) && READ_ONCE(rm->read) != received;
}

/*
 * Have too few bytes arrived since then?  Not if its reader, or memory of this host, is what
 * the message waits for.  Exact under the lock of the PDC.
 */
static bool rx_stalled_is(const struct uet_rx_message *rm, u64 since)
{
	u32 received = data_race(rm->ses.received);
	u64 seen_ns = READ_ONCE(rm->seen_ns);

	if (!rm->reserved || rm->ops || data_race(rm->ses.failed) ||
	    received >= rm->length || rx_message_goes_on(rm, received))
		return false;
	if (rx_message_waits_for_reader(rm, received))
		return false;
	return seen_ns && seen_ns <= since;
}

/*
 * Find a message that holds space for nothing, among @left at most, and the PDCID of its PDC.
 * Looks at other messages the next time.
 */
static bool rx_stalled_find(struct uet_sock *us, u64 since, u64 now,
			    unsigned int *left, u16 *pdcid)
{
	struct list_head *arriving = &us->links.arriving;
	struct uet_rx_message *rm, *first = NULL;
	bool is_found = false;
	u32 received;

	spin_lock_bh(&us->links.lock);
	for (; *left && !list_empty(arriving); --*left) {
		rm = list_first_entry(arriving, struct uet_rx_message, on_ep);
		if (rm == first)
			break;
		if (!first)
			first = rm;
		is_found = rx_stalled_is(rm, since);
		*pdcid = rm->pdcid;
		if (is_found)
			break;
		received = data_race(rm->ses.received);
		if (!READ_ONCE(rm->seen_ns) || rx_message_goes_on(rm, received) ||
		    rx_message_waits_for_reader(rm, received)) {
			WRITE_ONCE(rm->seen, received);
			WRITE_ONCE(rm->seen_ns, now);
		}
		list_move_tail(&rm->on_ep, arriving);
	}
	spin_unlock_bh(&us->links.lock);
	return is_found;
}

static void rx_stalled_end(struct uet_net *un, struct list_head *lost)
{
	struct uet_ses_rx *rx, *next;
	struct uet_rx_message *rm;

	list_for_each_entry_safe(rx, next, lost, link) {
		list_del_init(&rx->link);
		rm = container_of(rx, struct uet_rx_message, ses);
		uet_mib_inc(un, UET_MIB_MSG_STALLED);
		uet_mib_inc(un, UET_MIB_MSG_LOST);
		uet_rx_message_fail(rm, -ETIMEDOUT);
		uet_rx_message_put(rm);
	}
}

/* Return: true if the endpoint had such a message. */
static bool rx_stalled_drop_of(struct uet_sock *us, u64 now, unsigned int *left)
{
	struct uet_fep *fep = us->fep;
	struct uet_pdc_entry *pe;
	struct uet_pdc_cfg cfg;
	LIST_HEAD(lost);
	u16 pdcid;
	u64 since;

	uet_fep_pdc_cfg(fep, &cfg);
	since = uet_ns_before(now, RX_STALLED_RTOS * cfg.rto_max_ns);
	if (!rx_stalled_find(us, since, now, left, &pdcid))
		return false;
	pe = uet_pdc_table_find(fep->pdcs, pdcid);
	if (!pe)
		return false;
	uet_pdc_entry_cancel_rx(pe, us, rx_stalled_is, since, &lost);
	rx_stalled_end(fep->un, &lost);
	return true;
}

/* The FEP of an endpoint is not freed before a grace period after it was unlisted. */
static void rx_stalled_drop_of_host(u64 now)
{
	s64 last = atomic64_read(&rx_stalled_looked);
	unsigned int left = RX_STALLED_HOST_LOOKS;
	struct uet_sock *us;

	if (uet_ns_since(now, last) < RX_STALLED_EVERY_NS ||
	    !atomic64_try_cmpxchg(&rx_stalled_looked, &last, now))
		return;
	while (left) {
		left--;
		us = uet_ep_of_host();
		if (!us || rx_stalled_drop_of(us, now, &left))
			return;
	}
}

/*
 * uet_rx_stalled_drop() - fail messages in progress that keep others out
 * @us: endpoint that has refused a message or a packet for lack of space or memory
 *
 * In softirq, no PDC lock held.
 */
void uet_rx_stalled_drop(struct uet_sock *us, u64 now)
{
	unsigned int left = RX_STALLED_LOOKS;

	if (uet_ns_since(now, READ_ONCE(us->stalled_ns)) < RX_STALLED_EVERY_NS)
		return;
	WRITE_ONCE(us->stalled_ns, now);
	if (!rx_stalled_drop_of(us, now, &left) && READ_ONCE(us->mem.is_short))
		rx_stalled_drop_of_host(now);
}
