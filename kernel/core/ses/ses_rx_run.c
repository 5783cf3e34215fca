// SPDX-License-Identifier: GPL-2.0
/*
 * SES, receiving half: packets that continue a message in order, after a packet that was
 * accepted.  uet_wire_run_next() has compared their headers with those of that packet.
 * So the checks of uet_ses_rx_seg() and uet_ses_rx_rma() need not be repeated, and the
 * progress of the message is counted once.
 *
 * Implements uet-wire 3.14.  Level: core L5.
 */
#include "ses_rx.h"

/**
 * uet_ses_rx_run_begin() - find the message that a run continues
 * @ses: SES of the PDC that received the packet before
 * @msg_id: message id of that packet
 * @tgt_token: restart token of the target in that packet; 0 without one.  A message and its
 *	restart may have the same message id
 * @offset: offset of the first byte behind that packet
 *
 * Return: the message; NULL if it is not the latest one, has failed, or has segments
 *	from @offset on.
 */
struct uet_ses_rx *uet_ses_rx_run_begin(struct uet_ses *ses, u16 msg_id,
					u32 tgt_token, u32 offset)
{
	const struct uet_ses_seg *last;
	struct uet_ses_rx *rx;

	rx = list_first_entry_or_null(&ses->rxq, struct uet_ses_rx, link);
	if (!rx || rx->req.msg_id != msg_id || rx->failed ||
	    rx->req.tgt_token != tgt_token)
		return NULL;
	if (list_empty(&rx->segs))
		return rx;
	last = list_last_entry(&rx->segs, struct uet_ses_seg, link);
	return last->offset + last->len == offset ? rx : NULL;
}

/**
 * uet_ses_rx_run_space() - how many packets leave a message incomplete?
 * @rx: message, from uet_ses_rx_run_begin()
 * @len: payload of each packet, bytes, not 0
 *
 * The packet that completes a message is never part of a run.
 *
 * Return: number of packets.
 */
u32 uet_ses_rx_run_space(const struct uet_ses_rx *rx, u32 len)
{
	u32 missing = rx->length - rx->received;

	return missing ? (missing - 1) / len : 0;
}

/**
 * uet_ses_rx_run_seg() - keep a segment of a run
 * @rx: message, from uet_ses_rx_run_begin(), whose packets are kept
 * @seg: segment; linked into @rx->segs
 * @offset: offset of its first byte: the end of the segment before
 * @len: its length, bytes
 */
void uet_ses_rx_run_seg(struct uet_ses_rx *rx, struct uet_ses_seg *seg,
			u32 offset, u32 len)
{
	seg->offset = offset;
	seg->len = len;
	list_add_tail(&seg->link, &rx->segs);
}

/**
 * uet_ses_rx_run_end() - count the packets of a run
 * @ses: SES
 * @rx: message, from uet_ses_rx_run_begin()
 * @n: number of packets, at most uet_ses_rx_run_space()
 * @len: payload of each, bytes
 * @psn: PSN of the last one
 */
void uet_ses_rx_run_end(struct uet_ses *ses, struct uet_ses_rx *rx, u32 n,
			u32 len, u32 psn)
{
	UET_ASSERT(n <= uet_ses_rx_run_space(rx, len));
	ses->rx_psn = psn;
	rx->psn = uet_psn_later(rx->psn, psn);
	rx->received += n * len;
}
