// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Checks hints against what endpoints of AF_UET do, and answers them.
 */
#include <linux/uet.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <stdlib.h>
#include <string.h>

#include "hints.h"
#include "provider.h"

#define TX_OP_FLAGS	(FI_COMPLETION | FI_INJECT | FI_INJECT_COMPLETE | \
			 FI_TRANSMIT_COMPLETE | FI_DELIVERY_COMPLETE | FI_MORE)
#define RX_OP_FLAGS	(FI_COMPLETION | FI_MULTI_RECV | FI_MORE)

#define MEMORY_CAPS	(FI_RMA | FI_ATOMIC)
#define MODIFIERS	(FI_SEND | FI_RECV | FI_READ | FI_WRITE | FI_REMOTE_READ | \
			 FI_REMOTE_WRITE)
#define KEY_SIZE	6		/* bytes: keys have 48 bits */

/* The answer to capabilities: what they imply is named. */
static uint64_t full_caps(const struct fi_info *hints)
{
	uint64_t caps = hints ? hints->caps : 0;

	if (!(caps & (FI_MSG | FI_TAGGED | MEMORY_CAPS)))
		return LF_CAPS | (caps & FI_RMA_EVENT);
	if (!(caps & MODIFIERS)) {
		if (caps & (FI_MSG | FI_TAGGED))
			caps |= FI_SEND | FI_RECV;
		if (caps & MEMORY_CAPS)
			caps |= FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE;
	}
	return caps | LF_DOMAIN_CAPS;
}

uint32_t lf_hints_format(const struct fi_info *hints)
{
	if (!hints || hints->addr_format == FI_FORMAT_UNSPEC)
		return FI_FORMAT_UNSPEC;
	return FI_SOCKADDR_IN;
}

static bool is_known_format(uint32_t format)
{
	return format == FI_FORMAT_UNSPEC || format == FI_SOCKADDR ||
	       format == FI_SOCKADDR_IN;
}

bool lf_mr_is_provider_key(int mr_mode)
{
	return mr_mode & FI_MR_PROV_KEY;
}

/*
 * How memory is registered.  FI_MR_BASIC has addresses of the peer, but operations have
 * offsets: then there are messages only.  -1: the application cannot do as needed.
 */
static int mr_mode(uint32_t version, const struct fi_info *hints, uint64_t caps)
{
	int mode;

	if (!hints || !hints->domain_attr)
		return FI_MR_ALLOCATED;
	mode = hints->domain_attr->mr_mode;
	if (mode == FI_MR_SCALABLE ||
	    (!mode && FI_VERSION_LT(version, FI_VERSION(1, 5))))
		return FI_MR_SCALABLE;
	if (!(mode & FI_MR_ALLOCATED) && hints->caps & MEMORY_CAPS)
		return -1;
	if (mode & FI_MR_BASIC)
		return FI_MR_BASIC;
	if (!(mode & FI_MR_ALLOCATED) || !(caps & MEMORY_CAPS))
		return 0;
	return FI_MR_ALLOCATED | (mode & FI_MR_PROV_KEY);
}

static const char *refused_ep(const struct fi_ep_attr *ep)
{
	if (ep->type != FI_EP_UNSPEC && ep->type != FI_EP_RDM)
		return "endpoints are of type FI_EP_RDM only";
	if (ep->protocol != FI_PROTO_UNSPEC)
		return "ep_attr.protocol is another one";
	if (ep->max_msg_size > LF_MESSAGE_MAX)
		return "ep_attr.max_msg_size is above 2^31 - 1";
	if (ep->tx_ctx_cnt > 1 || ep->rx_ctx_cnt > 1)
		return "an endpoint has one context of each kind, not shared";
	if (ep->max_order_raw_size || ep->max_order_war_size || ep->max_order_waw_size)
		return "remote memory access has no order";
	return NULL;
}

static const char *refused_domain(const struct fi_domain_attr *domain)
{
	if (domain->caps & ~LF_DOMAIN_CAPS)
		return "domain_attr.caps has more than FI_LOCAL_COMM and FI_REMOTE_COMM";
	if (domain->cq_data_size > sizeof(uint64_t))
		return "completion data has 8 bytes";
	if (domain->mr_key_size > sizeof(uint64_t))
		return "keys have 6 bytes";
	if (domain->mr_iov_limit > 1)
		return "a memory region is one buffer";
	if (domain->auth_key_size && domain->auth_key_size != sizeof(uint32_t))
		return "domain_attr.auth_key is a JobID of 4 bytes";
	if (domain->max_ep_stx_ctx || domain->max_ep_srx_ctx)
		return "there are no shared contexts";
	return NULL;
}

static const char *refused_tx(const struct fi_tx_attr *tx)
{
	if (tx->caps & ~(LF_TX_CAPS | LF_DOMAIN_CAPS))
		return "tx_attr.caps has a capability that sending does not have";
	if (tx->op_flags & ~TX_OP_FLAGS)
		return "tx_attr.op_flags has a flag that is not a default";
	if (tx->msg_order & ~FI_ORDER_SAS)
		return "tx_attr.msg_order: only sends have an order (FI_ORDER_SAS)";
	if (tx->comp_order & (FI_ORDER_STRICT | FI_ORDER_DATA))
		return "tx_attr.comp_order: completions have no order";
	if (tx->inject_size > LF_INJECT_SIZE)
		return "tx_attr.inject_size is above 65536";
	if (tx->size > LF_QUEUE_MAX)
		return "tx_attr.size is above 8192";
	if (tx->iov_limit > LF_IOV_LIMIT)
		return "tx_attr.iov_limit is above 4";
	if (tx->rma_iov_limit > 1)
		return "tx_attr.rma_iov_limit is above 1";
	return NULL;
}

static const char *refused_rx(const struct fi_rx_attr *rx)
{
	if (rx->caps & ~(LF_RX_CAPS | FI_RMA_EVENT | LF_DOMAIN_CAPS))
		return "rx_attr.caps has a capability that receiving does not have";
	if (rx->op_flags & ~RX_OP_FLAGS)
		return "rx_attr.op_flags has a flag that is not a default";
	if (rx->msg_order & ~FI_ORDER_SAS)
		return "rx_attr.msg_order: only sends have an order (FI_ORDER_SAS)";
	if (rx->comp_order & (FI_ORDER_STRICT | FI_ORDER_DATA))
		return "rx_attr.comp_order: completions have no order";
	if (rx->size > LF_QUEUE_MAX)
		return "rx_attr.size is above 8192";
	if (rx->iov_limit > LF_IOV_LIMIT)
		return "rx_attr.iov_limit is above 4";
	return NULL;
}

static const char *refused_attrs(const struct fi_info *hints)
{
	const char *why = NULL;

	if (hints->ep_attr)
		why = refused_ep(hints->ep_attr);
	if (!why && hints->domain_attr)
		why = refused_domain(hints->domain_attr);
	if (!why && hints->tx_attr)
		why = refused_tx(hints->tx_attr);
	if (!why && hints->rx_attr)
		why = refused_rx(hints->rx_attr);
	return why;
}

/* A target counts operations of the socket, so that each write must be one. */
static const char *refused_events(const struct fi_info *hints)
{
	if (!(hints->caps & FI_RMA_EVENT))
		return NULL;
	if (!(full_caps(hints) & (FI_REMOTE_READ | FI_REMOTE_WRITE)))
		return "FI_RMA_EVENT needs FI_RMA or FI_ATOMIC, as a target";
	if (hints->ep_attr && hints->ep_attr->max_msg_size > LF_WRITE_MAX)
		return "ep_attr.max_msg_size is above 1048576, with FI_RMA_EVENT";
	return NULL;
}

const char *lf_hints_refused(uint32_t version, const struct fi_info *hints)
{
	const char *why;

	if (!hints)
		return NULL;
	why = refused_attrs(hints);
	if (why)
		return why;
	why = refused_events(hints);
	if (why)
		return why;
	if (hints->caps & ~(LF_CAPS | FI_RMA_EVENT))
		return "caps has a capability that the provider does not have";
	if (!is_known_format(hints->addr_format))
		return "addresses are of format FI_FORMAT_UNSPEC or FI_SOCKADDR_IN";
	if (hints->fabric_attr && hints->fabric_attr->name &&
	    strcmp(hints->fabric_attr->name, lf_provider.name))
		return "the fabric is another one";
	if (mr_mode(version, hints, full_caps(hints)) < 0)
		return "RMA and atomics need FI_MR_ALLOCATED in domain_attr.mr_mode";
	return NULL;
}

static void answer_tx(struct fi_tx_attr *tx, const struct fi_tx_attr *hint, uint64_t caps)
{
	tx->caps = caps & LF_TX_CAPS;
	tx->op_flags = hint ? hint->op_flags : 0;
	tx->msg_order = FI_ORDER_SAS;
	tx->comp_order = FI_ORDER_NONE;
	tx->inject_size = LF_INJECT_SIZE;
	tx->size = hint && hint->size ? hint->size : LF_QUEUE_SIZE;
	tx->iov_limit = LF_IOV_LIMIT;
	tx->rma_iov_limit = 1;
}

static void answer_rx(struct fi_rx_attr *rx, const struct fi_rx_attr *hint, uint64_t caps)
{
	rx->caps = caps & (LF_RX_CAPS | FI_RMA_EVENT);
	rx->op_flags = hint ? hint->op_flags : 0;
	rx->msg_order = FI_ORDER_SAS;
	rx->comp_order = FI_ORDER_NONE;
	rx->size = hint && hint->size ? hint->size : LF_QUEUE_SIZE;
	rx->iov_limit = LF_IOV_LIMIT;
}

static void answer_ep(struct fi_ep_attr *ep, const struct fi_ep_attr *hint, uint64_t caps)
{
	ep->type = FI_EP_RDM;
	ep->protocol = FI_PROTO_UNSPEC;
	ep->protocol_version = 1;
	ep->max_msg_size = lf_message_max(caps);
	ep->mem_tag_format = hint && hint->mem_tag_format ? hint->mem_tag_format :
							     LF_TAG_FORMAT;
	ep->tx_ctx_cnt = 1;
	ep->rx_ctx_cnt = 1;
}

static void answer_choices(struct fi_domain_attr *domain, const struct fi_domain_attr *hint)
{
	domain->threading = FI_THREAD_SAFE;
	domain->control_progress = FI_PROGRESS_AUTO;
	domain->data_progress = FI_PROGRESS_AUTO;
	domain->av_type = FI_AV_UNSPEC;
	if (!hint)
		return;
	/* Each of these is met by what there is; some applications want to see their own. */
	if (hint->threading)
		domain->threading = hint->threading;
	if (hint->control_progress)
		domain->control_progress = hint->control_progress;
	if (hint->data_progress)
		domain->data_progress = hint->data_progress;
	domain->av_type = hint->av_type;
}

static void answer_domain(struct fi_domain_attr *domain)
{
	domain->resource_mgmt = FI_RM_ENABLED;
	domain->mr_key_size = KEY_SIZE;
	domain->cq_data_size = sizeof(uint64_t);
	domain->cq_cnt = 1024;
	domain->ep_cnt = 1024;
	domain->tx_ctx_cnt = 1024;
	domain->rx_ctx_cnt = 1024;
	domain->max_ep_tx_ctx = 1;
	domain->max_ep_rx_ctx = 1;
	domain->cntr_cnt = 1024;
	domain->mr_iov_limit = 1;
	domain->mr_cnt = 65536;
	domain->max_err_data = LF_ERR_DATA;
	domain->caps = LF_DOMAIN_CAPS;
}

void lf_hints_answer(uint32_t version, const struct fi_info *hints, struct fi_info *info)
{
	uint64_t caps = full_caps(hints);
	int mode = mr_mode(version, hints, caps);

	if (!mode || mode == FI_MR_BASIC)
		caps &= ~(MEMORY_CAPS | FI_READ | FI_WRITE | FI_REMOTE_READ |
			  FI_REMOTE_WRITE | FI_RMA_EVENT);
	info->caps = caps;
	info->addr_format = lf_hints_format(hints);
	answer_tx(info->tx_attr, hints ? hints->tx_attr : NULL, caps);
	answer_rx(info->rx_attr, hints ? hints->rx_attr : NULL, caps);
	answer_ep(info->ep_attr, hints ? hints->ep_attr : NULL, caps);
	answer_choices(info->domain_attr, hints ? hints->domain_attr : NULL);
	answer_domain(info->domain_attr);
	info->domain_attr->mr_mode = mode;
}
