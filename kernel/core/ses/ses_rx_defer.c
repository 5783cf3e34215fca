// SPDX-License-Identifier: GPL-2.0
/*
 * SES, deferrable sends of peers: which messages there is a way to ask for later,
 * the answer that defers one, and that its packets under way are of no use.
 *
 * Implements UE 1.0.1 Figure 3-11 and uet-wire 3.14 (deferrable send), the target.
 * Level: core L5.
 */
#include "ses_rx.h"

/**
 * uet_ses_rx_is_deferrable() - can we ask for such a message to be sent later?
 * @req: its request header, supported; or is it one that we have asked for
 *
 * Without a token of its sender there is nothing to ask by: it is a send as any.
 *
 * Context: Any.
 * Return: true if so.
 */
bool uet_ses_rx_is_deferrable(const struct uet_ses_req *req)
{
	return uet_ses_is_deferrable(req->opcode) &&
	       (req->init_token || req->tgt_token);
}

/**
 * uet_ses_rx_may_begin() - can a message begin, or be deferred, with this packet?
 * @req: its request header, supported
 * @len: its payload, bytes
 *
 * The empty packet that ends a deferred message begins none.
 *
 * Context: Any.
 * Return: UET_DROP_NONE, or how the packet contradicts itself.
 */
enum uet_drop uet_ses_rx_may_begin(const struct uet_ses_req *req, u32 len)
{
	const struct uet_ses_seg seg = {
		.offset = req->som ? 0 : req->message_offset,
		.len = len,
	};

	return uet_ses_req_check(req, &seg);
}

/**
 * uet_ses_rx_defer() - remember that packets of a message are of no use
 * @ses: SES, with space
 * @rx: memory of the caller, linked until all of them have come by; of a message
 *	of one packet nothing has to be remembered
 * @req: request of the packet that came first; uet_ses_rx_put_off() must follow
 *
 * Context: Any; the caller serialises per SES.
 */
void uet_ses_rx_defer(struct uet_ses *ses, struct uet_ses_rx *rx,
		      const struct uet_ses_req *req)
{
	uet_ses_rx_start(ses, rx, req);
	uet_ses_rx_fail(rx, UET_RC_OK);
	rx->deferred = true;
}

/**
 * uet_ses_rx_put_off() - a packet of a deferred message came by
 * @ses: SES
 * @rx: the message
 * @req: request header of the packet, which is to be answered with
 *	uet_ses_rsp_deferred()
 * @len: its payload, bytes
 *
 * The last packet tells how many bytes its sender has sent.
 *
 * Context: Any; the caller serialises per SES, and frees the message if it is not
 *	linked any more.
 */
void uet_ses_rx_put_off(struct uet_ses *ses, struct uet_ses_rx *rx,
			const struct uet_ses_req *req, u32 len)
{
	u32 offset = req->som ? 0 : req->message_offset;
	u32 end;

	if (req->eom && !check_add_overflow(offset, len, &end))
		rx->length = min(rx->length, end);
	uet_ses_rx_pass(ses, rx, req, len);
}

/**
 * uet_ses_rsp_deferred() - the answer to a packet of a message that is deferred
 * @rsp: result
 * @req: request of the packet
 *
 * Context: Any.
 * Spec: uet-wire 3.14: UET_RESPONSE, RC_OK, list OVERFLOW, modified_length 0:
 *	nothing is kept.
 */
void uet_ses_rsp_deferred(struct uet_ses_rsp *rsp,
			  const struct uet_ses_req *req)
{
	uet_ses_rsp_error(rsp, req, UET_RC_OK);
	rsp->list = UET_LIST_OVERFLOW;
}
