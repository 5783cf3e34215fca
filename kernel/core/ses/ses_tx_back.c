// SPDX-License-Identifier: GPL-2.0
/*
 * SES, being read: the queue of packets of data in the return direction of the
 * PDC, one for each packet that asked for more than goes into an ACK, in the order
 * in which they were asked for.  Whose bytes they are is the caller's affair.
 *
 * Implements uet-wire 2.32 (UE 1.0.1 3.5.12.1, 3.5.20), the target.
 * Level: core L5.
 */
#include "ses_tx.h"

/**
 * uet_ses_back_has_room() - may another packet of data be queued?
 * @ses: SES
 *
 * Context: Any; the caller serialises per SES.
 * Return: false with UET_SES_BACK_MAX of them; the request is to be refused with
 *	a resource NACK then.
 */
bool uet_ses_back_has_room(const struct uet_ses *ses)
{
	return ses->nr_backs < UET_SES_BACK_MAX;
}

/**
 * uet_ses_back_queue() - queue a packet of data
 * @ses: SES with room, unless the packet is a final response, which needs none
 * @back: the packet, @rsp filled in; SES uses it until uet_ses_take_back()
 *
 * Context: Any; the caller serialises per SES, and pumps next.
 */
void uet_ses_back_queue(struct uet_ses *ses, struct uet_ses_back *back)
{
	list_add_tail(&back->link, &ses->backq);
	ses->nr_backs++;
}

/**
 * uet_ses_back_pump() - hand packets of data to the PDC while it has room
 * @ses: SES
 * @pdc: its PDC, alive
 * @now: monotonic time, ns
 *
 * Context: Any; the caller serialises per SES and PDC.
 */
void uet_ses_back_pump(struct uet_ses *ses, struct uet_pdc *pdc, u64 now)
{
	struct uet_ses_back *back;
	struct uet_pds_pkt pkt;

	while (!list_empty(&ses->backq) && uet_pdc_tx_room(pdc)) {
		back = list_first_entry(&ses->backq, struct uet_ses_back, link);
		list_del_init(&back->link);
		pkt = (struct uet_pds_pkt){
			.msg = back,
			.offset = back->rsp.message_offset,
			.len = back->rsp.payload_length,
			.next_hdr = uet_wire_ses_rsp_nh(&back->rsp),
			.flags = list_empty(&ses->backq) ? UET_PKT_TAIL : 0,
		};
		uet_pdc_tx_req(pdc, &pkt, now);
	}
}

/**
 * uet_ses_is_back() - is this a packet of data, and not of a message?
 * @pkt: packet that SES handed down
 *
 * Context: Any.
 * Return: true if @pkt.msg is a struct uet_ses_back.
 */
bool uet_ses_is_back(const struct uet_pds_pkt *pkt)
{
	return uet_wire_nh(pkt->next_hdr)->kind == UET_NK_RSP;
}

/**
 * uet_ses_back_note() - a packet of data will not be heard of any more
 * @ses: SES
 * @up: its outcome; who has asked knows best what came of it
 *
 * Context: Any; the caller serialises per SES.
 */
void uet_ses_back_note(struct uet_ses *ses, const struct uet_pdc_up *up)
{
	struct uet_ses_back *back = up->pkt.msg;

	list_add_tail(&back->link, &ses->backs);
}

/**
 * uet_ses_back_fail() - what is queued will not be sent
 * @ses: SES of a dead PDC
 *
 * Context: Any; the caller serialises per SES.
 */
void uet_ses_back_fail(struct uet_ses *ses)
{
	list_splice_tail_init(&ses->backq, &ses->backs);
}

/**
 * uet_ses_take_back() - take back packets of data that were sent, or never will
 * @ses: SES
 * @backs: they are appended
 *
 * To be called after uet_ses_reap(), and after uet_ses_fail().
 *
 * Context: Any; the caller serialises per SES.
 */
void uet_ses_take_back(struct uet_ses *ses, struct list_head *backs)
{
	struct uet_ses_back *back;

	list_for_each_entry(back, &ses->backs, link)
		ses->nr_backs--;
	list_splice_tail_init(&ses->backs, backs);
}
