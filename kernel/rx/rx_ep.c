// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the endpoint of a request, or the return code if no endpoint of the
 * request's job matches. For a small request it derives the address fields that
 * the header omits.
 * Spec: UE 1.0.1 3.4.1 (addressing), 3.4.7, Tables 3-10, 3-19.
 */
#include "endpoint/endpoint.h"
#include "fabric/fabric.h"
#include "rx.h"

static bool rxep_has_job(const struct uet_fep *fep, u32 id)
{
	const struct uet_job *job = uet_job_find(fep->un, id);

	return job && uet_job_has_fep(job, fep);
}

/* The return code for an address without an endpoint. */
static enum uet_rc rxep_why_none(struct uet_fep *fep,
				 const struct uet_ses_req *req,
				 const struct uet_ep_key *key)
{
	enum uet_rc rc = uet_ep_table_why_none(fep->eps, key);

	/*
	 * The job may be configured before any of its processes has bound an
	 * endpoint.
	 */
	if (rc == UET_RC_BAD_JOB_ID && rxep_has_job(fep, req->job))
		rc = UET_RC_BAD_PID;
	return rc;
}

/*
 * Find the endpoint of a request.
 * @rc: result if there is no endpoint: the return code
 *
 * Context: Softirq, rcu_read_lock() held.
 * Return: the endpoint, valid under RCU, or NULL.
 * Spec: UE 1.0.1 3.4.1.
 */
struct uet_sock *uet_rx_endpoint(struct uet_fep *fep,
				 const struct uet_ses_req *req,
				 enum uet_rc *rc)
{
	struct uet_ep_table *tab = fep->eps;
	struct uet_ep_key key = {
		.job = req->rel ? req->job : 0,
		.pid = req->pid,
		.ri = req->ri,
	};
	struct uet_sock *us = uet_ep_table_find(tab, &key);

	if (!us) {
		*rc = rxep_why_none(fep, req, &key);
		return NULL;
	}
	/* An absolute address contains no job, so the JobID is compared here. */
	if (us->addr.job != req->job) {
		*rc = UET_RC_PERM_VIOLATION;
		return NULL;
	}
	if (!uet_sock_is_receiving(us)) {
		*rc = UET_RC_BAD_INDEX;
		return NULL;
	}
	return us;
}

/*
 * Drop reason of a request without endpoint.
 * Return: SES_NO_JOB, SES_NO_PID, SES_NO_RI or SES_BAD_JOB.
 */
enum uet_drop uet_rx_no_endpoint(enum uet_rc rc)
{
	switch (rc) {
	case UET_RC_BAD_JOB_ID:
		return UET_DROP_SES_NO_JOB;
	case UET_RC_BAD_PID:
		return UET_DROP_SES_NO_PID;
	case UET_RC_PERM_VIOLATION:
		return UET_DROP_SES_BAD_JOB;
	default:
		return UET_DROP_SES_NO_RI;
	}
}

/*
 * Derive the fields that a small header omits.
 * @req: decoded request; a small request gets its Resource Index and memory key
 * @rc: return code of the error response if no such key exists
 *
 * The derived fields grant no permission: the request is checked afterwards
 * like any other.
 *
 * Context: Softirq, rcu_read_lock() held.
 * Return: UET_DROP_NONE, also if no field is omitted; or the drop reason.
 * Spec: UE 1.0.1 Table 3-10, Table 2-13.
 */
enum uet_drop uet_rx_resolve_small(struct uet_fep *fep, struct uet_ses_req *req,
				   u8 *rc)
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
