// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The submission ring of an endpoint: one entry at a time, executed at once.
 */
#include <errno.h>

#include "endpoint.h"

#define TRIES	8	/* each may report the error of an earlier operation */

struct uet_sq_entry *lf_sq_begin(struct lf_ep *ep)
{
	return uet_sq_next(&ep->sq);
}

/* The kernel has not taken the entry, and looks at the ring only when asked to. */
static void take_back(struct uet_sq *sq)
{
	__atomic_store_n(&sq->shared->tail, --sq->tail, __ATOMIC_RELEASE);
}

int lf_sq_submit(struct lf_ep *ep)
{
	int i, error = 0;

	uet_sq_push(&ep->sq);
	for (i = 0; i < TRIES; i++) {
		if (uet_sq_submit(&ep->sq) >= 0)
			return 0;
		error = errno;
		if (error == EAGAIN || error == ENOMEM)
			break;
		if (error != EINTR)
			lf_ep_late(ep, error, NULL);
	}
	take_back(&ep->sq);
	/* Earlier operations have failed; a wrong ring stays wrong. */
	return error == ENXIO || error == EINVAL || error == ENOMEM ? -error : -FI_EAGAIN;
}
