// SPDX-License-Identifier: GPL-2.0
/*
 * SES, reading, target: the queue of read responses in the return direction of
 * the PDC.  The queue has one packet of data for each request for more than an
 * ACK carries, in the order of the requests.  Packets whose requests were a run are one
 * entry of the queue; limits count packets.  The caller owns the bytes.
 *
 * Implements uet-wire 2.32 (UE 1.0.1 3.5.12.1, 3.5.20), the target.
 * Level: core L5.
 */
#include "ses_tx.h"

/**
 * uet_ses_read_rsp_space() - how many more packets of read data may be queued?
 * @ses: SES
 *
 * Return: packets; 0 if UET_SES_READ_RSP_MAX are queued: the request is to be
 *	refused with a resource NACK then.
 */
u32 uet_ses_read_rsp_space(const struct uet_ses *ses)
{
	return UET_SES_READ_RSP_MAX -
	       min_t(u32, ses->nr_read_rsps, UET_SES_READ_RSP_MAX);
}

/**
 * uet_ses_read_rsp_queue() - queue read responses
 * @ses: SES with space, unless the packet is a final response, which needs none
 * @read_rsp: the packets, @rsp set; SES uses it until uet_ses_take_read_rsp()
 * @nr: number of packets, at least 1
 *
 * Context: Any; the caller serialises per SES, and pumps next.
 */
void uet_ses_read_rsp_queue(struct uet_ses *ses,
			    struct uet_ses_read_rsp *read_rsp, u32 nr)
{
	read_rsp->nr = nr;
	read_rsp->next = 0;
	read_rsp->open = nr;
	list_add_tail(&read_rsp->link, &ses->read_rsp_queue);
	ses->nr_read_rsps += nr;
}

/*
 * Hand down a packet of the oldest responses, and those behind it that are like it.  The
 * last one of all requests an ACK.
 */
static void read_rsp_pump(struct uet_ses *ses, struct uet_pdc *pdc, u64 now)
{
	struct uet_ses_read_rsp *read_rsp = list_first_entry(&ses->read_rsp_queue,
							     struct uet_ses_read_rsp, link);
	const struct uet_ses_rsp *rsp = &read_rsp->rsp;
	bool has_tail = list_is_singular(&ses->read_rsp_queue);
	struct uet_pds_pkt pkt = {
		.msg = read_rsp,
		.offset = rsp->message_offset + read_rsp->next * rsp->payload_length,
		.len = rsp->payload_length,
		.next_hdr = uet_wire_ses_rsp_nh(rsp),
	};
	u32 left;

	if (has_tail && read_rsp->next + 1 == read_rsp->nr)
		pkt.flags = UET_PKT_TAIL;
	uet_pdc_tx_req(pdc, &pkt, now);
	left = read_rsp->nr - ++read_rsp->next;
	if (left > has_tail) {
		pkt.offset += pkt.len;
		read_rsp->next += uet_pdc_tx_reqs(pdc, &pkt, left - has_tail, now);
	}
	if (read_rsp->next == read_rsp->nr)
		list_del_init(&read_rsp->link);
}

/*
 * Hand read responses to the PDC while it has space.
 * Context: Any; the caller serialises per SES and PDC.
 */
void uet_ses_read_rsp_pump(struct uet_ses *ses, struct uet_pdc *pdc, u64 now)
{
	while (!list_empty(&ses->read_rsp_queue) && uet_pdc_tx_space(pdc))
		read_rsp_pump(ses, pdc, now);
}

/**
 * uet_ses_is_read_rsp() - is this a read response, not part of a message?
 * @pkt: packet that SES handed down
 *
 * Return: true if @pkt.msg is a struct uet_ses_read_rsp.
 */
bool uet_ses_is_read_rsp(const struct uet_pds_pkt *pkt)
{
	return uet_wire_nh(pkt->next_hdr)->kind == UET_NK_RSP;
}

/**
 * uet_ses_read_rsp_header() - SES header of a read response
 * @pkt: packet, uet_ses_is_read_rsp()
 * @rsp: result
 */
void uet_ses_read_rsp_header(const struct uet_pds_pkt *pkt, struct uet_ses_rsp *rsp)
{
	const struct uet_ses_read_rsp *read_rsp = pkt->msg;

	*rsp = read_rsp->rsp;
	rsp->message_offset = pkt->offset;
}

/* The last packet was answered, or is not sent. */
static void read_rsp_close(struct uet_ses *ses, struct uet_ses_read_rsp *read_rsp,
			   u32 nr)
{
	read_rsp->open -= nr;
	ses->nr_read_rsps -= nr;
	if (!read_rsp->open)
		list_add_tail(&read_rsp->link, &ses->read_rsps);
}

/*
 * Process the outcomes of read responses.
 * @up: outcome of a packet; it is ignored, because the reader detects missing
 *	data
 * @nr: number of packets that follow each other, from this one on
 */
void uet_ses_read_rsp_note(struct uet_ses *ses, const struct uet_pdc_up *up, u32 nr)
{
	read_rsp_close(ses, up->pkt.msg, nr);
}

/*
 * Drop the queued read responses.
 *
 * Packets that were handed to PDS are reported by it.
 */
void uet_ses_read_rsp_fail(struct uet_ses *ses)
{
	struct uet_ses_read_rsp *read_rsp, *next;

	list_for_each_entry_safe(read_rsp, next, &ses->read_rsp_queue, link) {
		list_del_init(&read_rsp->link);
		read_rsp_close(ses, read_rsp, read_rsp->nr - read_rsp->next);
	}
}

/**
 * uet_ses_take_read_rsp() - take the read responses that were sent or dropped
 * @ses: SES
 * @read_rsps: the responses are appended
 *
 * Call this after uet_ses_reap(), and after uet_ses_fail().
 */
void uet_ses_take_read_rsp(struct uet_ses *ses, struct list_head *read_rsps)
{
	list_splice_tail_init(&ses->read_rsps, read_rsps);
}
