// SPDX-License-Identifier: GPL-2.0
/*
 * Target side of writes and atomics: checks and executes a packet that changes
 * a memory region. Each packet is independent: it is checked and executed while
 * its region cannot be unpinned. Completion of a message is decided in
 * rx_request.c.
 * Spec: UE 1.0.1 3.4.1, Tables 3-17, 3-19, 3-21; uet-wire 3.14.
 */
#include <linux/uet.h>

#include "core/ses/ses.h"
#include "endpoint/endpoint.h"
#include "fabric/fabric.h"
#include "rx.h"

/* The drop reason of a refused request. */
static enum uet_drop rma_refused(u8 rc)
{
	switch (rc) {
	case UET_RC_BAD_ADDR:
	case UET_RC_AMO_UNALIGNED:
		return UET_DROP_SES_BAD_RANGE;
	case UET_RC_AMO_UNSUPPORTED_OP:
	case UET_RC_AMO_UNSUPPORTED_DT:
	case UET_RC_AMO_UNSUPPORTED_SIZE:
		return UET_DROP_SES_BAD_ATOMIC;
	default:
		return UET_DROP_SES_BAD_KEY;
	}
}

/* An atomic operation is one packet; its payload holds all the elements. */
static u8 rma_check_atomic(const struct uet_fep *fep, struct uet_rx_rma *rma,
			   const struct uet_ses_req *req, u32 len)
{
	u8 rc;

	if (!req->som || !req->eom)
		return UET_RC_AMO_UNSUPPORTED_SIZE;
	rc = uet_amo_prepare(&rma->op, &req->x.amo, uet_fep_amo_form(fep),
			     req->opcode == UET_OP_FETCHING_ATOMIC, len);
	if (rc != UET_RC_OK)
		return rc;
	rma->mr = uet_mr_get(rma->us, req->match, UET_MR_ATOMIC, rma->offset,
			     rma->op.count * rma->op.size, &rc);
	if (rc == UET_RC_OK &&
	    !uet_mr_is_aligned(rma->mr, rma->offset, rma->op.size))
		return UET_RC_AMO_UNALIGNED;
	return rc;
}

static u8 rma_check(const struct uet_fep *fep, struct uet_rx_rma *rma,
		    const struct uet_ses_req *req, u32 len)
{
	u8 rc;

	if (req->opcode != UET_OP_WRITE)
		return rma_check_atomic(fep, rma, req, len);
	rma->mr = uet_mr_get(rma->us, req->match, UET_MR_WRITE, rma->offset, len, &rc);
	return rc;
}

/*
 * Check whether a packet may be executed.
 * @req: its request header, supported, after uet_rx_resolve_small()
 * @rma: result, for uet_rx_rma_exec(); uet_mr_release() ends the access to its
 *	region, also after a refusal
 * @rc: return code of the error response if the packet is refused
 *
 * Context: Softirq, rcu_read_lock() held.
 * Return: UET_DROP_NONE, or the reason for the refusal.
 */
enum uet_drop uet_rx_rma_check(struct uet_fep *fep,
			       const struct uet_ses_req *req, u32 len,
			       struct uet_rx_rma *rma, u8 *rc)
{
	enum uet_drop why;
	enum uet_rc no_ep;

	rma->mr = NULL;
	why = uet_ses_rma_place(req, len, &rma->offset);
	*rc = UET_RC_UNCOR;
	if (why)
		return why;
	rma->us = uet_rx_endpoint(fep, req, &no_ep);
	if (!rma->us) {
		*rc = no_ep;
		return uet_rx_no_endpoint(no_ep);
	}
	*rc = rma_check(fep, rma, req, len);
	return *rc == UET_RC_OK ? UET_DROP_NONE : rma_refused(*rc);
}

/*
 * Execute a packet.
 * @old: UET_OP_FETCHING_ATOMIC: gets the previous value, @rma.op.size bytes in
 *	the order of the packet
 *
 * Context: Softirq.
 */
void uet_rx_rma_exec(const struct uet_rx *rx, const struct uet_ses_req *req,
		     u32 len, const struct uet_rx_rma *rma, u8 *old)
{
	u64 value;

	/* The payload has the checked length, so none of these calls can fail. */
	if (req->opcode == UET_OP_WRITE)
		uet_mr_write(rma->mr, rma->offset, rx->skb, len);
	else if (!uet_mr_atomic(rma->mr, rma->offset, &rma->op, rx->skb,
				&value) &&
		 req->opcode == UET_OP_FETCHING_ATOMIC)
		uet_amo_put(old, value, rma->op.size, rma->op.form);
	uet_mib_inc(rx->fep->un, UET_MIB_RX_RMA);
}
