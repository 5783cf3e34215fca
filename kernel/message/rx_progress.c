// SPDX-License-Identifier: GPL-2.0
/*
 * Progress of incoming messages: which of them hold space that their senders do not use.
 * A sender goes on if the bytes come at a rate, not if a packet comes now and then.
 */
#include "message.h"

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

/**
 * uet_rx_message_is_stalled() - does a message hold space that its sender does not use?
 * @rm: message of several packets
 * @since: monotonic time, ns
 *
 * Not if its reader, or memory of this host, is what it waits for.
 *
 * Context: Any; exact under the lock of the PDC.
 * Return: true if too few bytes have arrived since then.
 */
bool uet_rx_message_is_stalled(const struct uet_rx_message *rm, u64 since)
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

/**
 * uet_rx_message_find_stalled() - find a message that holds space for nothing
 * @us: socket that has refused a message for lack of space
 * @since: monotonic time, ns, as for uet_rx_message_is_stalled()
 * @now: monotonic time, ns
 * @left: how many messages it may look at; is decreased
 * @pdcid: result: PDCID of uet_rx_message_link()
 *
 * Looks at other messages the next time.
 *
 * Context: Softirq.
 * Return: false if none was found.
 */
bool uet_rx_message_find_stalled(struct uet_sock *us, u64 since, u64 now,
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
		is_found = uet_rx_message_is_stalled(rm, since);
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
