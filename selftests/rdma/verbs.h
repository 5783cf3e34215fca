/* SPDX-License-Identifier: GPL-2.0 */
/* Devices, queue pairs and their states, for the programs of the RDMA ring.  Level: test. */
#ifndef UET_SELFTESTS_VERBS_H
#define UET_SELFTESTS_VERBS_H

#include <err.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/verbs.h>

/* Most receives of a QP, and bytes of inline data. */
#define VERBS_RECEIVES	256
#define VERBS_INLINE	64

/**
 * struct end - what a QP needs
 * @context: device
 * @pd: all objects are in it
 * @cq: of sends and receives
 * @srq: receives of @qp, or NULL
 * @qp: the QP
 * @gid: index
 * @memory: zeroed
 * @mr: region of @memory, which peers may read and write
 */
struct end {
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_srq *srq;
	struct ibv_qp *qp;
	int gid;
	uint8_t *memory;
	struct ibv_mr *mr;
};

static inline void open_end(struct end *end, const char *name, int cqe, size_t size)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	int i;

	for (i = 0; list && list[i] && strcmp(ibv_get_device_name(list[i]), name); i++)
		;
	end->context = list && list[i] ? ibv_open_device(list[i]) : NULL;
	if (!end->context)
		err(1, "cannot open the device %s", name);
	ibv_free_device_list(list);
	end->pd = ibv_alloc_pd(end->context);
	end->cq = ibv_create_cq(end->context, cqe, NULL, NULL, 0);
	end->memory = calloc(1, size);
	if (!end->pd || !end->cq || !end->memory)
		err(1, "no PD or CQ on %s", name);
	end->mr = ibv_reg_mr(end->pd, end->memory, size, IBV_ACCESS_LOCAL_WRITE |
			     IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ);
	if (!end->mr)
		err(1, "no region on %s", name);
}

static inline void close_end(struct end *end)
{
	if (ibv_dereg_mr(end->mr) || ibv_destroy_cq(end->cq) || ibv_dealloc_pd(end->pd) ||
	    ibv_close_device(end->context))
		errx(1, "an object cannot be destroyed");
	free(end->memory);
}

static inline bool set_state(struct ibv_qp *qp, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };

	return !ibv_modify_qp(qp, &attr, IBV_QP_STATE);
}

/* From RESET; the peer may read and write. */
static inline bool init_qp(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ,
	};

	return !ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			      IBV_QP_ACCESS_FLAGS);
}

/* A QP of RC, of which each operation completes, or NULL. */
static inline struct ibv_qp *create_qp(const struct end *end)
{
	struct ibv_qp_init_attr init = {
		.send_cq = end->cq,
		.recv_cq = end->cq,
		.srq = end->srq,
		.cap = {
			.max_send_wr = 64,
			.max_recv_wr = VERBS_RECEIVES,
			.max_send_sge = 1,
			.max_recv_sge = 1,
			.max_inline_data = VERBS_INLINE,
		},
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 1,
	};

	return ibv_create_qp(end->pd, &init);
}

/* The same, in INIT. */
static inline struct ibv_qp *make_qp(const struct end *end)
{
	struct ibv_qp *qp = create_qp(end);

	if (!qp || !init_qp(qp))
		err(1, "no QP");
	return qp;
}

/* From INIT. Return: the QP is ready to send. */
static inline bool connect_qp(struct ibv_qp *qp, int gid, const union ibv_gid *to, uint32_t qpn)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = qpn,
		.max_dest_rd_atomic = 1,
		.ah_attr = {
			.is_global = 1,
			.port_num = 1,
			.grh = { .dgid = *to, .sgid_index = gid, .hop_limit = 64 },
		},
	};

	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
			  IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
			  IBV_QP_MIN_RNR_TIMER))
		return false;
	attr.qp_state = IBV_QPS_RTS;
	attr.retry_cnt = 7;
	attr.rnr_retry = 7;
	attr.timeout = 14;
	return !ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
			      IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
}

/* The same with the QP of another end. */
static inline bool connect_to(const struct end *end, const struct end *peer)
{
	union ibv_gid gid;

	if (ibv_query_gid(peer->context, 1, peer->gid, &gid))
		err(1, "no GID %d", peer->gid);
	return connect_qp(end->qp, end->gid, &gid, peer->qp->qp_num);
}

/* Post receives without memory: a QP that has failed ends them at once. */
static inline void post_empty(struct ibv_qp *qp, uint64_t first, uint64_t end)
{
	struct ibv_recv_wr *bad, wr = { .wr_id = first };

	for (; wr.wr_id < end; wr.wr_id++) {
		if (ibv_post_recv(qp, &wr, &bad))
			errx(1, "a receive cannot be posted");
	}
}

#endif
