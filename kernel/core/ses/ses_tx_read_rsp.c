// SPDX-License-Identifier: GPL-2.0
/*
 * SES, reading, target: the queue of read responses in the return direction of
 * the PDC.  The queue has one packet of data for each request for more than an
 * ACK carries, in the order of the requests.  The caller owns the bytes.
 *
 * Implements uet-wire 2.32 (UE 1.0.1 3.5.12.1, 3.5.20), the target.
 * Level: core L5.
 */
#include "ses_tx.h"

/**
 * uet_ses_read_rsp_has_space() - may another read response be queued?
 * @ses: SES
 *
 * Context: Any; the caller serialises per SES.
 * Return: false if UET_SES_READ_RSP_MAX are queued; the request is to be
 *	refused with a resource NACK then.
 */
bool uet_ses_read_rsp_has_space(const struct uet_ses *ses)
{
	return ses->nr_read_rsps < UET_SES_READ_RSP_MAX;
}

/**
 * uet_ses_read_rsp_queue() - queue a read response
 * @ses: SES with space, unless the packet is a final response, which needs none
 * @read_rsp: the packet, @rsp set; SES uses it until uet_ses_take_read_rsp()
 *
 * Context: Any; the caller serialises per SES, and pumps next.
 */
void uet_ses_read_rsp_queue(struct uet_ses *ses,
			    struct uet_ses_read_rsp *read_rsp)
{
	list_add_tail(&read_rsp->link, &ses->read_rsp_queue);
	ses->nr_read_rsps++;
}

/**
 * uet_ses_read_rsp_pump() - hand read responses to the PDC while it has space
 * @ses: SES
 * @pdc: PDC of the SES, not over
 * @now: monotonic time, ns
 *
 * Context: Any; the caller serialises per SES and PDC.
 */
void uet_ses_read_rsp_pump(struct uet_ses *ses, struct uet_pdc *pdc, u64 now)
{
	struct uet_ses_read_rsp *read_rsp;
	struct uet_pds_pkt pkt;

	while (!list_empty(&ses->read_rsp_queue) && uet_pdc_tx_space(pdc)) {
		read_rsp = list_first_entry(&ses->read_rsp_queue,
					    struct uet_ses_read_rsp, link);
		list_del_init(&read_rsp->link);
		pkt = (struct uet_pds_pkt){
			.msg = read_rsp,
			.offset = read_rsp->rsp.message_offset,
			.len = read_rsp->rsp.payload_length,
			.next_hdr = uet_wire_ses_rsp_nh(&read_rsp->rsp),
			.flags = list_empty(&ses->read_rsp_queue) ? UET_PKT_TAIL
								  : 0,
		};
		uet_pdc_tx_req(pdc, &pkt, now);
	}
}

/**
 * uet_ses_is_read_rsp() - is this a read response, not part of a message?
 * @pkt: packet that SES handed down
 *
 * Context: Any.
 * Return: true if @pkt.msg is a struct uet_ses_read_rsp.
 */
bool uet_ses_is_read_rsp(const struct uet_pds_pkt *pkt)
{
	return uet_wire_nh(pkt->next_hdr)->kind == UET_NK_RSP;
}

/**
 * uet_ses_read_rsp_note() - process the outcome of a read response
 * @ses: SES
 * @up: outcome of the packet; it is ignored, because the reader detects missing
 *	data
 *
 * Context: Any; the caller serialises per SES.
 */
void uet_ses_read_rsp_note(struct uet_ses *ses, const struct uet_pdc_up *up)
{
	struct uet_ses_read_rsp *read_rsp = up->pkt.msg;

	list_add_tail(&read_rsp->link, &ses->read_rsps);
}

/**
 * uet_ses_read_rsp_fail() - drop the queued read responses
 * @ses: SES of a PDC that is over
 *
 * Context: Any; the caller serialises per SES.
 */
void uet_ses_read_rsp_fail(struct uet_ses *ses)
{
	list_splice_tail_init(&ses->read_rsp_queue, &ses->read_rsps);
}

/**
 * uet_ses_take_read_rsp() - take the read responses that were sent or dropped
 * @ses: SES
 * @read_rsps: the packets are appended
 *
 * Call this after uet_ses_reap(), and after uet_ses_fail().
 *
 * Context: Any; the caller serialises per SES.
 */
void uet_ses_take_read_rsp(struct uet_ses *ses, struct list_head *read_rsps)
{
	struct uet_ses_read_rsp *read_rsp;

	list_for_each_entry(read_rsp, &ses->read_rsps, link)
		ses->nr_read_rsps--;
	list_splice_tail_init(&ses->read_rsps, read_rsps);
}
