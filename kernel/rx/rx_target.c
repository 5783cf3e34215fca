// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the endpoint of a request, and checks and executes what the request does to memory
 * regions and, as a tagged atomic, to the memory of a posted receive. Each packet is
 * independent: it is checked and executed while its region cannot be unpinned. rx_request.c
 * decides when a message is complete.
 * Spec: UE 1.0.1 3.4.1, 3.4.7, Tables 3-10, 3-17, 3-19, 3-21; uet-wire 2.32, 3.14.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uet.h>

#include "core/ses/ses.h"
#include "endpoint/endpoint.h"
#include "fabric/fabric.h"
#include "message/message.h"
#include "rx.h"

/* The return code for an address without an endpoint. */
static enum uet_rc rxep_why_none(struct uet_fep *fep, const struct uet_ses_req *req,
				 const struct uet_ep_key *key)
{
	enum uet_rc rc = uet_ep_table_why_none(fep->eps, key);
	const struct uet_job *job;

	if (rc != UET_RC_BAD_JOB_ID)
		return rc;
	/* The job may be configured before any of its processes has bound an endpoint. */
	job = uet_job_find(fep->un, req->job);
	return job && uet_job_has_fep(job, fep) ? UET_RC_BAD_PID : rc;
}

/* May an endpoint that is not closed get a request? Under RCU. Return: UET_RC_OK, or why not. */
enum uet_rc uet_rx_may_get(const struct uet_rx *rx, const struct uet_sock *us,
			   const struct uet_ses_req *req)
{
	if (!uet_sock_is_receiving(us))
		return UET_RC_BAD_INDEX;
	if (us->ops && !us->ops->accepts(us, req, &rx->from))
		return UET_RC_UNSUPPORTED_OP;
	return UET_RC_OK;
}

/*
 * Find the endpoint of a request, valid under RCU; NULL with the return code. Spec: UE 1.0.1
 * 3.4.1.
 */
struct uet_sock *uet_rx_endpoint(const struct uet_rx *rx, const struct uet_ses_req *req,
				 enum uet_rc *rc)
{
	struct uet_ep_table *tab = rx->fep->eps;
	struct uet_ep_key key = {
		.job = req->rel ? req->job : 0,
		.pid = req->pid,
		.ri = req->ri,
	};
	struct uet_sock *us = uet_ep_table_find(tab, &key);

	if (!us) {
		*rc = rxep_why_none(rx->fep, req, &key);
		return NULL;
	}
	/* An absolute address contains no job, so the JobID is compared here. */
	if (us->addr.job != req->job) {
		*rc = UET_RC_PERM_VIOLATION;
		return NULL;
	}
	*rc = uet_rx_may_get(rx, us, req);
	return *rc == UET_RC_OK ? us : NULL;
}

/* Drop reason of a request without endpoint. */
enum uet_drop uet_rx_no_endpoint(enum uet_rc rc)
{
	switch (rc) {
	case UET_RC_BAD_JOB_ID:
		return UET_DROP_SES_NO_JOB;
	case UET_RC_BAD_PID:
		return UET_DROP_SES_NO_PID;
	case UET_RC_PERM_VIOLATION:
		return UET_DROP_SES_BAD_JOB;
	case UET_RC_UNSUPPORTED_OP:
		return UET_DROP_SES_BAD_OP;
	default:
		return UET_DROP_SES_NO_RI;
	}
}

/*
 * Derive Resource Index and memory key, which a small header omits. They grant no permission:
 * the request is checked afterwards like any other. Spec: UE 1.0.1 Table 3-10, Table 2-13.
 */
enum uet_drop uet_rx_resolve_small(struct uet_fep *fep, struct uet_ses_req *req, u8 *rc)
{
	const struct uet_ep_key name = {
		.job = req->rel ? req->job : 0,
		.pid = req->pid,
		.ri = req->ri,
	};
	enum uet_rc why;

	if (req->form != UET_SES_SMALL ||
	    uet_mr_key_find(fep->eps, &name, &req->ri, &req->match))
		return UET_DROP_NONE;
	why = rxep_why_none(fep, req, &name);
	*rc = why == UET_RC_BAD_INDEX ? UET_RC_BAD_MKEY : why;
	return why == UET_RC_BAD_INDEX ? UET_DROP_SES_BAD_KEY :
					 uet_rx_no_endpoint(why);
}

/* --------------------------------------------------------- writes and atomics */

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

/*
 * Check whether a packet may be executed. @req: after uet_rx_resolve_small(). @rma: for
 * uet_rx_rma_exec(); uet_mr_release() ends the access to its region, also after a refusal. @rc:
 * return code of the error response.
 */
enum uet_drop uet_rx_rma_check(const struct uet_rx *rx, const struct uet_ses_req *req, u32 len,
			       struct uet_rx_rma *rma, u8 *rc)
{
	enum uet_drop why;
	enum uet_rc no_ep;

	rma->mr = NULL;
	why = uet_ses_rma_place(req, len, &rma->offset);
	*rc = UET_RC_UNCOR;
	if (why)
		return why;
	rma->us = uet_rx_endpoint(rx, req, &no_ep);
	if (!rma->us) {
		*rc = no_ep;
		return uet_rx_no_endpoint(no_ep);
	}
	if (req->opcode == UET_OP_WRITE)
		rma->mr = uet_mr_get(rma->us, req->match, UET_MR_WRITE, rma->offset, len, rc);
	else
		*rc = rma_check_atomic(rx->fep, rma, req, len);
	return *rc == UET_RC_OK ? UET_DROP_NONE : rma_refused(*rc);
}

/*
 * @old: UET_OP_FETCHING_ATOMIC: gets the previous value, @rma.op.size bytes in the order of the
 * packet.
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

/* ---------------------------------------------------------------------- reads */

/* Check whether a packet may read the memory it requests; as uet_rx_rma_check(). */
enum uet_drop uet_rx_read_check(const struct uet_rx *rx, const struct uet_ses_req *req,
				struct uet_rx_rma *rd, u8 *rc)
{
	enum uet_drop why;
	enum uet_rc no_ep;

	rd->mr = NULL;
	why = uet_ses_read_share(req, rx->fep->cfg.mtu, &rd->offset, &rd->len, rc);
	if (why)
		return why;
	rd->us = uet_rx_endpoint(rx, req, &no_ep);
	if (!rd->us) {
		*rc = no_ep;
		return uet_rx_no_endpoint(no_ep);
	}
	rd->mr = uet_mr_get(rd->us, req->match, UET_MR_READ, rd->offset, rd->len, rc);
	if (*rc == UET_RC_OK)
		return UET_DROP_NONE;
	return *rc == UET_RC_BAD_ADDR ? UET_DROP_SES_BAD_RANGE :
					UET_DROP_SES_BAD_KEY;
}

/* ------------------------------------------------------------- tagged atomics */

/* Check a tagged atomic, independently of the receive. @ta gets operation or return code. */
enum uet_drop uet_rx_tagged_atomic_check(const struct uet_fep *fep,
					 const struct uet_ses_req *req, u32 len,
					 struct uet_rx_tagged_atomic *ta)
{
	ta->rc = UET_RC_AMO_UNSUPPORTED_SIZE;
	if (req->som && req->eom)
		ta->rc = uet_amo_prepare(&ta->op, &req->x.amo,
					 uet_fep_amo_form(fep),
					 uet_ses_is_fetching(req->opcode), len);
	return ta->rc == UET_RC_OK ? UET_DROP_NONE : UET_DROP_SES_BAD_ATOMIC;
}

/* The receive stops waiting; its completion is a message without bytes to read. */
static struct uet_posted_recv *tagged_take_recv(struct uet_rx_message *rm,
						const struct uet_ses_req *req, u32 length)
{
	struct uet_match_key *match_key = &rm->match_entry.match_key;
	struct uet_sock *us = rm->us;
	struct uet_posted_recv *recv;

	uet_match_key(req, match_key);
	spin_lock_bh(&us->rx_lock);
	match_key->peer = uet_peer_find(us, &rm->from, req->initiator);
	recv = uet_posted_recv_take(us, match_key, length);
	spin_unlock_bh(&us->rx_lock);
	return recv;
}

/* The completion reports the length of the values in bytes. */
static void tagged_describe(struct uet_rx_message *rm, const struct uet_ses_req *req,
			    const struct uet_rx_tagged_atomic *ta)
{
	rm->ses.req = *req;
	rm->ses.req.request_length = ta->op.count * ta->op.size;
	rm->ses.length = rm->ses.req.request_length;
	rm->delivery = ta->delivery;
	rm->is_placed = true;
	rm->length = rm->ses.length;
	rm->window = rm->length;
}

/* Return: 0, or the errno of the receive's completion. */
static int tagged_errno(u8 rc)
{
	switch (rc) {
	case UET_RC_OK:
		return 0;
	case UET_RC_TOO_LONG:
		return -EMSGSIZE;
	case UET_RC_AMO_UNALIGNED:
		return -EINVAL;
	case UET_RC_CANCELLED:
		return -EFAULT;
	default:
		return -EIO;
	}
}

/*
 * Execute a tagged atomic, of which the caller has set endpoint and delivery, on the memory of
 * a receive. It changes only if all operands fit. A packet without a matching receive is not
 * kept, because there is no memory to apply it to. Return: SES_NO_SPACE: no memory, try again
 * later; another reason with @ta->rc: UET_RC_TOO_LONG, UET_RC_AMO_UNALIGNED and
 * UET_RC_CANCELLED use up a receive.
 */
enum uet_drop uet_rx_tagged_atomic(struct uet_rx *rx, const struct uet_ses_req *req,
				   struct uet_rx_tagged_atomic *ta, struct uet_rx_up *up)
{
	struct uet_rx_message *rm = uet_rx_message_admit_rma(ta->us, &rx->from);
	struct uet_posted_recv *recv;

	if (!rm)
		return UET_DROP_SES_NO_SPACE;
	recv = tagged_take_recv(rm, req, ta->op.count * ta->op.size);
	if (!recv) {
		uet_rx_message_put(rm);
		ta->rc = UET_RC_NO_MATCH;
		return UET_DROP_SES_NO_MATCH;
	}
	tagged_describe(rm, req, ta);
	rm->recv = recv;
	up->rm = rm;
	/* Truncated operands would be other values. */
	ta->rc = rm->length > recv->length ? UET_RC_TOO_LONG :
		 uet_mr_apply(ta->us, &recv->place, &ta->op, rx->skb, &ta->old);
	up->error = tagged_errno(ta->rc);
	up->is_complete = !up->error;
	if (up->error)
		return UET_DROP_SES_BAD_ATOMIC;
	uet_mib_inc(rx->fep->un, UET_MIB_RX_POSTED);
	return UET_DROP_NONE;
}
