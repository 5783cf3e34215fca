// SPDX-License-Identifier: GPL-2.0
/*
 * SES, rendezvous sends, target: the length of the eager part, the READ of the
 * rest, and the two responses: none yet, and the final one.  The caller selects
 * the reader and the memory.
 *
 * Implements UE 1.0.1 Figure 3-15 and uet-wire 3.14 (rendezvous, no answer
 * yet), the target.  Level: core L5.
 */
#include "ses_rx.h"

/*
 * Bytes that the packets of a message carry.
 * @req: request header of one of the packets
 *
 * Return: bytes: the eager part of a rendezvous; 0 for an atomic operation with
 *	its operands in the extension, whose request_length some senders set to
 *	the size of the operands; else the whole message.
 */
u32 uet_ses_rx_length(const struct uet_ses_req *req)
{
	if (req->ext == UET_EXT_CSWAP)
		return 0;
	return req->ext == UET_EXT_RDV ? req->x.rdv.eager_length :
					 req->request_length;
}

/*
 * Do two packets agree on their rendezvous?
 * @b: another request header, with the same opcode
 *
 * Return: true if they agree, or are no rendezvous.
 */
bool uet_ses_rx_rdv_is_same(const struct uet_ses_req *a,
			    const struct uet_ses_req *b)
{
	const struct uet_ses_rdv *x = &a->x.rdv, *y = &b->x.rdv;

	if (a->ext != UET_EXT_RDV)
		return true;
	return a->request_length == b->request_length && x->pid == y->pid &&
	       x->ri == y->ri && x->ri_gen == y->ri_gen &&
	       x->offset == y->offset && x->key == y->key;
}

/**
 * uet_ses_rx_is_rdv() - must the target read a part of the message?
 * @req: request header, supported
 *
 * Return: true if so; false also for a rendezvous whose eager part is the whole
 *	message: it is an ordinary send.
 */
bool uet_ses_rx_is_rdv(const struct uet_ses_req *req)
{
	return req->ext == UET_EXT_RDV &&
	       req->x.rdv.eager_length < req->request_length;
}

/**
 * uet_ses_rx_rdv_check() - may this packet start a rendezvous?
 * @req: request header of the packet, supported
 * @len: payload of the packet, bytes
 * @rc: result: return code of the error response, if not
 *
 * Return: UET_DROP_NONE, or the contradiction within the packet; SES_BAD_RANGE:
 *	no memory has such an offset.
 */
enum uet_drop uet_ses_rx_rdv_check(const struct uet_ses_req *req, u32 len,
				   u8 *rc)
{
	u64 end;

	*rc = UET_RC_BAD_ADDR;
	if (check_add_overflow(req->x.rdv.offset, (u64)req->request_length,
			       &end))
		return UET_DROP_SES_BAD_RANGE;
	*rc = UET_RC_UNCOR;
	return uet_ses_rx_may_begin(req, len);
}

/**
 * uet_ses_rdv_read() - build the READ of a rendezvous
 * @tx: message of the reader; gets the opcode and the fields given by @req
 * @req: request header of the rendezvous, after uet_ses_rx_rdv_check()
 * @from: offset in the message of the first byte to read
 * @end: offset behind the last byte to read, above @from
 *
 * Spec: uet-wire 3.14 (rendezvous): the offset in the header is that of the
 *	first byte of the message, whatever the eager length.
 */
void uet_ses_rdv_read(struct uet_ses_tx *tx, const struct uet_ses_req *req,
		      u32 from, u32 end)
{
	const struct uet_ses_rdv *rdv = &req->x.rdv;

	tx->opcode = UET_OP_READ;
	tx->to.pid = rdv->pid;
	tx->to.ri = rdv->ri;
	tx->to.rel = req->rel;
	tx->match = rdv->key;
	tx->offset = rdv->offset + from;
	tx->length = end - from;
	tx->avail = tx->length;
	tx->read.want = tx->length;
}

/**
 * uet_ses_rsp_none() - build the response to a packet of an unfinished message
 * @rsp: result
 * @req: request of the packet
 *
 * Spec: uet-wire 3.14 (no answer yet): UET_NO_RESPONSE.
 */
void uet_ses_rsp_none(struct uet_ses_rsp *rsp, const struct uet_ses_req *req)
{
	uet_ses_rsp_default(rsp, req);
	rsp->opcode = UET_RSP_NO_RESPONSE;
	rsp->modified_length = 0;
}

/**
 * uet_ses_rsp_final() - build the final response, for uet_ses_read_rsp_queue()
 * @rsp: result
 * @req: a request of the message
 * @rc: result of the message, enum uet_rc
 * @modified_length: bytes of the message that were placed
 *
 * Spec: uet-wire 3.14 (no answer yet); UE 1.0.1 Table 3-12, without data.
 */
void uet_ses_rsp_final(struct uet_ses_rsp *rsp, const struct uet_ses_req *req,
		       u8 rc, u32 modified_length)
{
	memset(rsp, 0, sizeof(*rsp));
	rsp->form = UET_RSP_FORM_DATA;
	rsp->list = UET_LIST_EXPECTED;
	rsp->opcode = UET_RSP_W_DATA;
	rsp->rc = rc;
	rsp->job = req->job;
	rsp->msg_id = req->msg_id;
	rsp->read_msg_id = req->msg_id;
	rsp->modified_length = modified_length;
}
