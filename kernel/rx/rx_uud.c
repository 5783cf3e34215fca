// SPDX-License-Identifier: GPL-2.0
/*
 * Datagrams: requests in UUD mode, each a message of one packet without a PDC.
 * No answer is sent. A datagram without an endpoint or without space is counted
 * and dropped.
 * Spec: UE 1.0.1 3.5.10.12, Table 3-17 (UET_DATAGRAM_SEND).
 */
#include <linux/uet.h>

#include "endpoint/endpoint.h"
#include "fabric/fabric.h"
#include "fabric/trace.h"
#include "message/message.h"
#include "rx.h"

/* Pass the datagram to SES as a message, in a temporary SES of this packet only. */
static enum uet_drop uud_place(struct uet_rx *rx, struct uet_rx_message *rm,
			       const struct uet_ses_req *req, size_t len)
{
	struct uet_ses_seg *seg = &uet_skb_cb(rx->skb)->seg;
	enum uet_drop why;
	struct uet_ses ses;

	memset(seg, 0, sizeof(*seg));
	seg->len = len;
	uet_ses_init(&ses);
	uet_ses_rx_start(&ses, &rm->ses, req);
	if (uet_ses_rx_seg(&ses, &rm->ses, req, seg, &why) == UET_SES_DONE)
		return UET_DROP_NONE;
	if (uet_ses_rx_is_linked(&rm->ses))
		uet_ses_rx_drop(&ses, &rm->ses);
	return why;
}

static void uud_deliver(struct uet_rx *rx, struct uet_rx_message *rm)
{
	LIST_HEAD(segs);

	uet_rx_keep(rx);
	uet_ses_rx_take(&rm->ses, &segs);
	uet_rx_message_deliver(rm, &segs);
	uet_mib_inc(rx->fep->un, UET_MIB_MSG_RECEIVED);
	uet_mib_inc(rx->fep->un, UET_MIB_RX_UUD);
	uet_traffic_received(&rx->fep->traffic, rm->length);
	uet_traffic_received(&rm->us->job->traffic, rm->length);
	trace_uet_msg_rx_done(rx->fep, &rm->ses);
}

/*
 * Receive a UUD request.
 * Context: Softirq, rcu_read_lock() held.
 * Return: UET_DROP_NONE, or the reason why no socket received it.
 */
enum uet_drop uet_rx_uud(struct uet_rx *rx)
{
	struct uet_rx_message *rm;
	struct uet_ses_req req;
	struct uet_sock *us;
	enum uet_drop why;
	enum uet_rc rc;
	size_t len;
	u8 ri_gen;

	why = uet_rx_request(rx, &req, &len);
	if (!why)
		why = uet_ses_rx_datagram(&req);
	if (why)
		return why;
	us = uet_rx_endpoint(rx->fep, &req, &rc);
	if (!us)
		return uet_rx_no_endpoint(rc);
	if (uet_gen_check(us, &req, NULL, &ri_gen) != UET_RC_OK)
		return UET_DROP_SES_DISABLED;
	rm = uet_rx_message_admit(us, &req, &rx->from, UET_ORDER_IN_ORDER);
	if (!rm)
		return UET_DROP_SES_NO_SPACE;
	rm->delivery = UET_DELIVERY_UUD;
	why = uet_rx_message_hold(rm, rx->skb, len) ?
	      uud_place(rx, rm, &req, len) : UET_DROP_SES_NO_SPACE;
	if (!why)
		uud_deliver(rx, rm);
	uet_rx_message_put(rm);
	return why;
}
