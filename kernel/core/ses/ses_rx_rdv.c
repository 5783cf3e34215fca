// SPDX-License-Identifier: GPL-2.0
/*
 * SES, rendezvous sends of peers: how long the part of a message is that its
 * packets carry, what is to be read of it, and the two answers: none yet, and the
 * final one.  Who reads, and where to, is the caller's affair.
 *
 * Implements UE 1.0.1 Figure 3-15 and uet-wire 3.14 (rendezvous, no answer yet),
 * the target.  Level: core L5.
 */
#include "ses_rx.h"

/**
 * uet_ses_rx_length() - how many bytes do the packets of a message carry?
 * @req: request header of one of them
 *
 * Context: Any.
 * Return: bytes: the eager part of a rendezvous, else the whole message.
 */
u32 uet_ses_rx_length(const struct uet_ses_req *req)
{
	return req->ext == UET_EXT_RDV ? req->x.rdv.eager_length :
					 req->request_length;
}

/**
 * uet_ses_rx_rdv_is_same() - do two packets tell the same of a rendezvous?
 * @a: a request header
 * @b: another one, with the same opcode
 *
 * Context: Any.
 * Return: true if so, or if they are of none.
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
 * uet_ses_rx_is_rdv() - is a part of the message to be read?
 * @req: its request header, supported
 *
 * Context: Any.
 * Return: false also for a rendezvous of which all is pushed: it is a send as any.
 */
bool uet_ses_rx_is_rdv(const struct uet_ses_req *req)
{
	return req->ext == UET_EXT_RDV &&
	       req->x.rdv.eager_length < req->request_length;
}

/**
 * uet_ses_rx_rdv_check() - can a rendezvous begin with this packet?
 * @req: its request header, supported
 * @len: its payload, bytes
 * @rc: the return code to answer if not
 *
 * Context: Any.
 * Return: UET_DROP_NONE, or how the packet contradicts itself; SES_BAD_RANGE: no
 *	memory has such an offset.
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
 * uet_ses_rdv_read() - make the READ of a rendezvous
 * @tx: message of the reader; gets the opcode and all that @req tells
 * @req: request header of the rendezvous, after uet_ses_rx_rdv_check()
 * @from: first byte of the message to be read
 * @end: first byte not to be read, above @from
 *
 * Context: Any.
 * Spec: uet-wire 3.14 (rendezvous): the offset told is that of the first byte of
 *	the message, whatever was pushed of it.
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
 * uet_ses_rsp_none() - the answer to a packet whose message is not at its end
 * @rsp: result
 * @req: request of the packet
 *
 * Context: Any.
 * Spec: uet-wire 3.14 (no answer yet): UET_NO_RESPONSE.
 */
void uet_ses_rsp_none(struct uet_ses_rsp *rsp, const struct uet_ses_req *req)
{
	uet_ses_rsp_default(rsp, req);
	rsp->opcode = UET_RSP_NO_RESPONSE;
	rsp->modified_length = 0;
}

/**
 * uet_ses_rsp_final() - the final response, for uet_ses_read_rsp_queue()
 * @rsp: result
 * @req: a request of the message
 * @rc: how it ended, enum uet_rc
 * @modified_length: bytes of it that are where they belong
 *
 * Context: Any.
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
	rsp->read_msg_id = req->msg_id;
	rsp->modified_length = modified_length;
}
