/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An endpoint with what it needs, for programs that have both ends of a transfer.  Each call
 * must succeed.  Level: test.
 */
#ifndef UET_SELFTESTS_SIDE_H
#define UET_SELFTESTS_SIDE_H

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#include "must.h"

/**
 * struct side - an endpoint, and a queue and an address vector for it
 * @ep: endpoint, which the program enables
 * @cq: all its completions
 * @av: has the other side
 * @peer: the other side in @av, after insert_peer()
 * @ended: operations that have ended
 */
struct side {
	struct fid_ep *ep;
	struct fid_cq *cq;
	struct fid_av *av;
	fi_addr_t peer;
	unsigned int ended;
};

static inline void open_side(struct side *side, struct fid_domain *domain,
			     struct fi_info *info, struct fi_cq_attr cq_attr)
{
	struct fi_av_attr av_attr = {};

	MUST(fi_endpoint(domain, info, &side->ep, NULL));
	MUST(fi_cq_open(domain, &cq_attr, &side->cq, NULL));
	MUST(fi_av_open(domain, &av_attr, &side->av, NULL));
	MUST(fi_ep_bind(side->ep, &side->cq->fid, FI_TRANSMIT | FI_RECV));
	MUST(fi_ep_bind(side->ep, &side->av->fid, 0));
}

static inline void insert_peer(struct side *side, const struct side *other)
{
	size_t length = 64;
	char name[64];

	MUST(fi_getname(&other->ep->fid, name, &length));
	if (fi_av_insert(side->av, name, 1, &side->peer, 0, NULL) != 1)
		errx(1, "fi_av_insert");
}

static inline void close_side(struct side *side)
{
	MUST(fi_close(&side->ep->fid));
	MUST(fi_close(&side->cq->fid));
	MUST(fi_close(&side->av->fid));
}

#endif
