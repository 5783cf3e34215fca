// SPDX-License-Identifier: GPL-2.0
/*
 * A module of the kernel that registers and invalidates a page by operations of a QP of its own.
 * Its parameters say with what the QP is connected. Writing to "command" does what it says; reading
 * "shown" returns the number of the QP, key and address of the region, and its first byte.
 * Level: test.
 */
#include <linux/delay.h>
#include <linux/gfp.h>
#include <linux/inet.h>
#include <linux/module.h>
#include <linux/scatterlist.h>
#include <net/ipv6.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_verbs.h>

#define REGION_ACCESS	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE)

static char *device = "uet1";
module_param(device, charp, 0444);
MODULE_PARM_DESC(device, "name of the device");
static char *peer = "";
module_param(peer, charp, 0444);
MODULE_PARM_DESC(peer, "IPv4 address of the peer");
static uint gid;
module_param(gid, uint, 0444);
MODULE_PARM_DESC(gid, "index of the GID");
static uint qpn;
module_param(qpn, uint, 0444);
MODULE_PARM_DESC(qpn, "QP number of the peer");

static struct ib_device *ib;
static struct ib_pd *pd;
static struct ib_cq *cq;
static struct ib_qp *qp;
static struct ib_mr *mr;
static u8 *memory;

/**
 * struct region_op - an operation
 * @cqe: called when it ends
 * @is_done: it has ended
 * @status: its result
 */
struct region_op {
	struct ib_cqe cqe;
	bool is_done;
	enum ib_wc_status status;
};

static void region_done(struct ib_cq *from, struct ib_wc *wc)
{
	struct region_op *op = container_of(wc->wr_cqe, struct region_op, cqe);

	op->status = wc->status;
	op->is_done = true;
}

/* Post an operation and wait for its end. */
static int region_execute(struct ib_send_wr *wr)
{
	struct region_op op = { .cqe.done = region_done };
	int err;

	wr->wr_cqe = &op.cqe;
	wr->send_flags = IB_SEND_SIGNALED;
	err = ib_post_send(qp, wr, NULL);
	while (!err && !op.is_done) {
		ib_process_cq_direct(cq, -1);
		msleep(1);
	}
	return err ? : op.status ? -EIO : 0;
}

static int region_register(void)
{
	struct ib_reg_wr wr = { .wr.opcode = IB_WR_REG_MR, .mr = mr, .access = REGION_ACCESS };
	struct scatterlist sg;

	sg_init_one(&sg, memory, PAGE_SIZE);
	ib_update_fast_reg_key(mr, ib_inc_rkey(mr->rkey));
	wr.key = mr->rkey;
	if (ib_dma_map_sg(ib, &sg, 1, DMA_BIDIRECTIONAL) != 1 ||
	    ib_map_mr_sg(mr, &sg, 1, NULL, PAGE_SIZE) != 1)
		return -EIO;
	return region_execute(&wr.wr);
}

static int region_invalidate(void)
{
	struct ib_send_wr wr = { .opcode = IB_WR_LOCAL_INV, .ex.invalidate_rkey = mr->rkey };

	return region_execute(&wr);
}

static int region_command(const char *word, const struct kernel_param *kp)
{
	if (!qp)
		return -ENODEV;
	if (sysfs_streq(word, "register"))
		return region_register();
	return sysfs_streq(word, "invalidate") ? region_invalidate() : -EINVAL;
}

static int region_show(char *to, const struct kernel_param *kp)
{
	return sysfs_emit(to, "%u %u %llu %u\n", qp->qp_num, mr->rkey, mr->iova, memory[0]);
}

static const struct kernel_param_ops region_command_ops = { .set = region_command };
static const struct kernel_param_ops region_shown_ops = { .get = region_show };
module_param_cb(command, &region_command_ops, NULL, 0200);
MODULE_PARM_DESC(command, "register or invalidate");
module_param_cb(shown, &region_shown_ops, NULL, 0444);
MODULE_PARM_DESC(shown, "QP number, key, address, first byte");

static int region_connect(void)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = IB_ACCESS_REMOTE_WRITE,
		.path_mtu = IB_MTU_1024,
		.dest_qp_num = qpn,
		.max_dest_rd_atomic = 1,
	};
	const struct ib_gid_attr *own;
	union ib_gid to;
	int err;

	err = ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT |
			   IB_QP_ACCESS_FLAGS);
	if (err)
		return err;
	own = rdma_get_gid_attr(ib, 1, gid);
	if (IS_ERR(own))
		return PTR_ERR(own);
	ipv6_addr_set_v4mapped(in_aton(peer), (struct in6_addr *)to.raw);
	attr.qp_state = IB_QPS_RTR;
	attr.ah_attr.type = rdma_ah_find_type(ib, 1);
	rdma_ah_set_port_num(&attr.ah_attr, 1);
	rdma_move_grh_sgid_attr(&attr.ah_attr, &to, 0, 64, 0, own);
	err = ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN |
			   IB_QP_RQ_PSN | IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER);
	rdma_destroy_ah_attr(&attr.ah_attr);
	attr.qp_state = IB_QPS_RTS;
	return err ? : ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_TIMEOUT | IB_QP_RETRY_CNT |
				    IB_QP_RNR_RETRY | IB_QP_SQ_PSN | IB_QP_MAX_QP_RD_ATOMIC);
}

static int region_make(void)
{
	struct ib_qp_init_attr init = {
		.cap = { .max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1 },
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.qp_type = IB_QPT_RC,
	};

	memory = (u8 *)get_zeroed_page(GFP_KERNEL);
	if (!memory)
		return -ENOMEM;
	pd = ib_alloc_pd(ib, 0);
	if (IS_ERR(pd))
		return PTR_ERR(pd);
	cq = ib_alloc_cq(ib, NULL, 4, 0, IB_POLL_DIRECT);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	init.send_cq = cq;
	init.recv_cq = cq;
	mr = ib_alloc_mr(pd, IB_MR_TYPE_MEM_REG, 1);
	if (IS_ERR(mr))
		return PTR_ERR(mr);
	qp = ib_create_qp(pd, &init);
	return PTR_ERR_OR_ZERO(qp) ? : region_connect();
}

static void region_end(void)
{
	if (!IS_ERR_OR_NULL(qp))
		ib_destroy_qp(qp);
	if (!IS_ERR_OR_NULL(mr))
		ib_dereg_mr(mr);
	if (!IS_ERR_OR_NULL(cq))
		ib_free_cq(cq);
	if (!IS_ERR_OR_NULL(pd))
		ib_dealloc_pd(pd);
	free_page((unsigned long)memory);
	ib_device_put(ib);
}

static int __init region_init(void)
{
	int err;

	ib = ib_device_get_by_name(device, RDMA_DRIVER_UNKNOWN);
	if (!ib)
		return -ENODEV;
	err = region_make();
	if (err)
		region_end();
	return err;
}

module_init(region_init);
module_exit(region_end);

MODULE_DESCRIPTION("Test of regions of users in the kernel");
MODULE_LICENSE("GPL");
