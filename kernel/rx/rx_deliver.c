// SPDX-License-Identifier: GPL-2.0
/*
 * The result of a request reaches its socket: payload for the reader, the end of a
 * message, or its failure. This is done without the lock of the PDC where the order of
 * messages allows it.
 * Spec: UE 1.0.1 3.4.1, 3.4.3.
 */
#include "fabric/fabric.h"
#include "fabric/trace.h"
#include "message/message.h"
#include "pdc/pdc.h"
#include "transfer/transfer.h"
#include "rx.h"

/*
 * Deliver the result of a packet to its socket.
 * Context: Softirq, rcu_read_lock() held; ROD: lock of the PDC held, to keep
 *	the order; RUD: held only while packets of a burst are taken.
 */
void uet_rx_request_deliver(struct uet_fep *fep, struct uet_rx_up *up)
{
	struct uet_rx_message *rm = up->rm;

	if (!rm)
		return;
	if (up->error) {
		uet_rx_message_fail(rm, up->error);
	} else if (up->is_pushed) {
		if (!list_empty(&up->segs))
			uet_rx_message_deliver(rm, &up->segs);
		uet_rx_rdv_pushed(rm);
	} else if (!up->is_silent) {
		if (rm->is_placed)
			uet_rx_match_placed(rm);
		else
			uet_rx_message_deliver(rm, &up->segs);
		if (up->is_complete) {
			uet_mib_inc(fep->un, UET_MIB_MSG_RECEIVED);
			trace_uet_msg_rx_done(fep, &rm->ses);
		}
	}
	uet_rx_message_put(rm);
}
