// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The provider of libibverbs for devices of uet_rdma.ko, whose names begin with "uet". Each call
 * is a system call: the kernel has the queues. Built against the private headers of rdma-core,
 * so for one version of its provider interface: "make rdma-provider".
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <infiniband/driver.h>
#include <infiniband/verbs.h>

static int query_device(struct ibv_context *context, const struct ibv_query_device_ex_input *input,
			struct ibv_device_attr_ex *attr, size_t size)
{
	struct ib_uverbs_ex_query_device_resp resp;
	size_t resp_size = sizeof(resp);

	return ibv_cmd_query_device_any(context, input, attr, size, &resp, &resp_size);
}

static int query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr)
{
	struct ibv_query_port cmd;

	return ibv_cmd_query_port(context, port, attr, &cmd, sizeof(cmd));
}

static struct ibv_pd *alloc_pd(struct ibv_context *context)
{
	struct ib_uverbs_alloc_pd_resp resp;
	struct ibv_alloc_pd cmd;
	struct ibv_pd *pd = calloc(1, sizeof(*pd));

	if (pd && ibv_cmd_alloc_pd(context, pd, &cmd, sizeof(cmd), &resp, sizeof(resp))) {
		free(pd);
		return NULL;
	}
	return pd;
}

static int dealloc_pd(struct ibv_pd *pd)
{
	int err = ibv_cmd_dealloc_pd(pd);

	if (!err)
		free(pd);
	return err;
}

static struct ibv_mr *reg_mr(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, int access)
{
	struct ib_uverbs_reg_mr_resp resp;
	struct ibv_reg_mr cmd;
	struct verbs_mr *mr = calloc(1, sizeof(*mr));

	if (!mr)
		return NULL;
	if (ibv_cmd_reg_mr(pd, addr, length, iova, access, mr, &cmd, sizeof(cmd), &resp,
			   sizeof(resp))) {
		free(mr);
		return NULL;
	}
	return &mr->ibv_mr;
}

static int dereg_mr(struct verbs_mr *mr)
{
	int err = ibv_cmd_dereg_mr(mr);

	if (!err)
		free(mr);
	return err;
}

static struct ibv_cq *create_cq(struct ibv_context *context, int cqe,
				struct ibv_comp_channel *channel, int vector)
{
	struct ib_uverbs_create_cq_resp resp = {};
	struct ibv_create_cq cmd;
	struct ibv_cq *cq = calloc(1, sizeof(*cq));

	if (cq && ibv_cmd_create_cq(context, cqe, channel, vector, cq, &cmd, sizeof(cmd), &resp,
				    sizeof(resp))) {
		free(cq);
		return NULL;
	}
	return cq;
}

static int resize_cq(struct ibv_cq *cq, int cqe)
{
	struct ib_uverbs_resize_cq_resp resp;
	struct ibv_resize_cq cmd;

	return ibv_cmd_resize_cq(cq, cqe, &cmd, sizeof(cmd), &resp, sizeof(resp));
}

static int destroy_cq(struct ibv_cq *cq)
{
	int err = ibv_cmd_destroy_cq(cq);

	if (!err)
		free(cq);
	return err;
}

static struct ibv_srq *create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attr)
{
	struct ib_uverbs_create_srq_resp resp;
	struct ibv_create_srq cmd;
	struct ibv_srq *srq = calloc(1, sizeof(*srq));

	if (srq && ibv_cmd_create_srq(pd, srq, attr, &cmd, sizeof(cmd), &resp, sizeof(resp))) {
		free(srq);
		return NULL;
	}
	return srq;
}

static int modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr, int mask)
{
	struct ibv_modify_srq cmd;

	return ibv_cmd_modify_srq(srq, attr, mask, &cmd, sizeof(cmd));
}

static int query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr)
{
	struct ibv_query_srq cmd;

	return ibv_cmd_query_srq(srq, attr, &cmd, sizeof(cmd));
}

static int destroy_srq(struct ibv_srq *srq)
{
	int err = ibv_cmd_destroy_srq(srq);

	if (!err)
		free(srq);
	return err;
}

static struct ibv_qp *create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	struct ib_uverbs_create_qp_resp resp;
	struct ibv_create_qp cmd;
	struct verbs_qp *qp = calloc(1, sizeof(*qp));

	if (!qp)
		return NULL;
	if (ibv_cmd_create_qp(pd, &qp->qp, attr, &cmd, sizeof(cmd), &resp, sizeof(resp))) {
		free(qp);
		return NULL;
	}
	return &qp->qp;
}

static int query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask,
		    struct ibv_qp_init_attr *init)
{
	struct ibv_query_qp cmd;

	return ibv_cmd_query_qp(qp, attr, mask, init, &cmd, sizeof(cmd));
}

static int modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	struct ibv_modify_qp cmd = {};

	return ibv_cmd_modify_qp(qp, attr, mask, &cmd, sizeof(cmd));
}

static int destroy_qp(struct ibv_qp *qp)
{
	int err = ibv_cmd_destroy_qp(qp);

	if (!err)
		free(qp);
	return err;
}

static struct ibv_ah *create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	struct ib_uverbs_create_ah_resp resp;
	struct ibv_ah *ah = calloc(1, sizeof(*ah));

	if (ah && ibv_cmd_create_ah(pd, ah, attr, &resp, sizeof(resp))) {
		free(ah);
		return NULL;
	}
	return ah;
}

static int destroy_ah(struct ibv_ah *ah)
{
	int err = ibv_cmd_destroy_ah(ah);

	if (!err)
		free(ah);
	return err;
}

static void free_context(struct ibv_context *context)
{
	struct verbs_context *ctx = verbs_get_ctx(context);

	verbs_uninit_context(ctx);
	free(ctx);
}

static const struct verbs_context_ops ops = {
	.free_context = free_context,
	.query_device_ex = query_device,
	.query_port = query_port,
	.alloc_pd = alloc_pd,
	.dealloc_pd = dealloc_pd,
	.reg_mr = reg_mr,
	.dereg_mr = dereg_mr,
	.create_cq = create_cq,
	.poll_cq = ibv_cmd_poll_cq,
	.req_notify_cq = ibv_cmd_req_notify_cq,
	.resize_cq = resize_cq,
	.destroy_cq = destroy_cq,
	.create_srq = create_srq,
	.modify_srq = modify_srq,
	.query_srq = query_srq,
	.destroy_srq = destroy_srq,
	.post_srq_recv = ibv_cmd_post_srq_recv,
	.create_qp = create_qp,
	.query_qp = query_qp,
	.modify_qp = modify_qp,
	.destroy_qp = destroy_qp,
	.post_send = ibv_cmd_post_send,
	.post_recv = ibv_cmd_post_recv,
	.create_ah = create_ah,
	.destroy_ah = destroy_ah,
};

static struct verbs_context *alloc_context(struct ibv_device *device, int fd, void *private_data)
{
	struct ib_uverbs_get_context_resp resp;
	struct ibv_get_context cmd;
	struct verbs_context *ctx;

	ctx = _verbs_init_and_alloc_context(device, fd, sizeof(*ctx), NULL, RDMA_DRIVER_UNKNOWN);
	if (!ctx)
		return NULL;
	if (ibv_cmd_get_context(ctx, &cmd, sizeof(cmd), &resp, sizeof(resp))) {
		verbs_uninit_context(ctx);
		free(ctx);
		return NULL;
	}
	verbs_set_ops(ctx, &ops);
	return ctx;
}

static struct verbs_device *alloc_device(struct verbs_sysfs_dev *sysfs)
{
	return calloc(1, sizeof(struct verbs_device));
}

static void free_device(struct verbs_device *device)
{
	free(device);
}

static const struct verbs_match_ent matches[] = {
	VERBS_NAME_MATCH("uet", NULL),
	{}
};

static const struct verbs_device_ops device_ops = {
	.name = "uet",
	.match_min_abi_version = 1,
	.match_max_abi_version = 1,
	.match_table = matches,
	.alloc_device = alloc_device,
	.uninit_device = free_device,
	.alloc_context = alloc_context,
};

PROVIDER_DRIVER(uet, device_ops);
