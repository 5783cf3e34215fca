// SPDX-License-Identifier: GPL-2.0
/*
 * SES, deferrable sends, target: which messages can be requested later, the
 * response that defers a message, and discarding of its packets in flight.
 *
 * Implements UE 1.0.1 Figure 3-11 and uet-wire 3.14 (deferrable send), the
 * target.
 * Level: core L5.
 */
#include "ses_rx.h"

/**
 * uet_ses_rx_is_deferrable() - can the target request this message later?
 * @req: request header, supported; possibly of a message that was requested
 *
 * Without a restart token of the sender the target cannot request the message:
 * it is an ordinary send.
 *
 * Return: true if the message can be requested.
 */
bool uet_ses_rx_is_deferrable(const struct uet_ses_req *req)
{
	return uet_ses_is_deferrable(req->opcode) &&
	       (req->init_token || req->tgt_token);
}

/**
 * uet_ses_rx_may_begin() - may this packet start a message, or its deferral?
 * @req: request header of the packet, supported
 * @len: payload of the packet, bytes
 *
 * The empty packet that ends a deferred message starts none.
 *
 * Return: UET_DROP_NONE, or the contradiction within the packet.
 */
enum uet_drop uet_ses_rx_may_begin(const struct uet_ses_req *req, u32 len)
{
	const struct uet_ses_seg seg = {
		.offset = uet_ses_req_offset(req),
		.len = len,
	};

	return uet_ses_req_check(req, &seg);
}

/**
 * uet_ses_rx_defer() - start to discard the packets of a message
 * @ses: SES, with space
 * @rx: memory of the caller, linked until all packets have arrived; not needed
 *	for a message of one packet
 * @req: request of the packet that arrived first; uet_ses_rx_put_off() must
 *	follow
 */
void uet_ses_rx_defer(struct uet_ses *ses, struct uet_ses_rx *rx,
		      const struct uet_ses_req *req)
{
	uet_ses_rx_start(ses, rx, req);
	uet_ses_rx_fail(rx, UET_RC_OK);
	rx->deferred = true;
}

/**
 * uet_ses_rx_is_restarted() - does a packet restart a deferred message?
 * @rx: linked message with the message id of the packet
 * @req: request header of the packet, supported
 *
 * Some initiators restart a message under its old message id, possibly before
 * they have ended the deferred one.
 *
 * Return: true if so: the caller unlinks and frees @rx, and starts the message.
 * Spec: UE 1.0.1 Figure 3-11.
 */
bool uet_ses_rx_is_restarted(const struct uet_ses_rx *rx,
			     const struct uet_ses_req *req)
{
	return rx->deferred && req->opcode == rx->req.opcode &&
	       uet_ses_is_deferrable(req->opcode) &&
	       req->init_token == rx->req.init_token && req->tgt_token &&
	       req->tgt_token != rx->req.tgt_token;
}

/**
 * uet_ses_rx_is_before_restart() - is a packet older than the restarted message?
 * @rx: linked message with the message id of the packet
 * @req: request header of the packet, supported
 *
 * Return: true for a packet of the deferred message that has the message id of
 *	its restart: it is answered with uet_ses_rsp_deferred() and dropped.
 */
bool uet_ses_rx_is_before_restart(const struct uet_ses_rx *rx,
				  const struct uet_ses_req *req)
{
	return rx->req.tgt_token && !req->tgt_token &&
	       req->opcode == rx->req.opcode &&
	       uet_ses_is_deferrable(req->opcode) &&
	       req->init_token == rx->req.init_token;
}

/**
 * uet_ses_rx_put_off() - count a packet of a deferred message
 * @ses: SES
 * @rx: the message
 * @req: request header of the packet, which the caller answers with
 *	uet_ses_rsp_deferred()
 * @len: payload of the packet, bytes
 *
 * The last packet contains the number of bytes that the sender has sent.
 *
 * Context: Any; the caller serialises per SES, and frees the message if it is
 *	no longer linked.
 */
void uet_ses_rx_put_off(struct uet_ses *ses, struct uet_ses_rx *rx,
			const struct uet_ses_req *req, u32 len)
{
	u32 offset = uet_ses_req_offset(req);
	u32 end;

	if (req->eom && !check_add_overflow(offset, len, &end))
		rx->length = min(rx->length, end);
	uet_ses_rx_pass(ses, rx, req, len);
}

/**
 * uet_ses_rsp_deferred() - build the response to a packet of a deferred message
 * @rsp: result
 * @req: request of the packet
 *
 * Spec: uet-wire 3.14: UET_RESPONSE, RC_OK, list OVERFLOW, modified_length 0:
 *	nothing is kept.
 */
void uet_ses_rsp_deferred(struct uet_ses_rsp *rsp,
			  const struct uet_ses_req *req)
{
	uet_ses_rsp_error(rsp, req, UET_RC_OK);
	rsp->list = UET_LIST_OVERFLOW;
}
