// SPDX-License-Identifier: GPL-2.0
/*
 * Target side of reads: checks a packet that requests bytes of a memory region
 * and copies the bytes when the packet arrives. The copy keeps a retransmission
 * identical to the first transmission, and no region is read after its
 * deregistration. The copy costs memory: each endpoint may use as much as its
 * send buffer size, and each PDC UET_SES_READ_RSP_MAX packets.
 * Spec: UE 1.0.1 3.4.1, Table 3-19; uet-wire 2.32.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uet.h>

#include "endpoint/endpoint.h"
#include "fabric/fabric.h"
#include "rx.h"

/*
 * Check whether a packet may read the memory it requests.
 * @req: its request header, a supported READ, after uet_rx_resolve_small()
 * @rd: result; uet_mr_release() ends the access to its region, also after a
 *	refusal
 * @rc: return code of the error response if the read is refused
 *
 * Context: Softirq, rcu_read_lock() held.
 * Return: UET_DROP_NONE, or the reason for the refusal.
 */
enum uet_drop uet_rx_read_check(struct uet_fep *fep,
				const struct uet_ses_req *req,
				struct uet_rx_read *rd, u8 *rc)
{
	enum uet_drop why;
	enum uet_rc no_ep;

	rd->mr = NULL;
	why = uet_ses_read_share(req, fep->cfg.mtu, &rd->offset, &rd->len, rc);
	if (why)
		return why;
	rd->us = uet_rx_endpoint(fep, req, &no_ep);
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
