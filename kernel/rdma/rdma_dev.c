// SPDX-License-Identifier: GPL-2.0
/*
 * This file has the attributes of a device and of its only port, the processes that have it open,
 * its protection domains and its address handles. To the core of RDMA the port is one of RoCE v2:
 * its GIDs are the addresses of the netdev, and connections are made by datagrams to the QP with
 * the number 1.
 */
#include <linux/net.h>
#include <linux/netdevice.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_verbs.h>

#include "rdma.h"

static int rdev_query_device(struct ib_device *ib, struct ib_device_attr *attr,
			     struct ib_udata *udata)
{
	if (udata->inlen || udata->outlen)
		return -EINVAL;
	memset(attr, 0, sizeof(*attr));
	attr->sys_image_guid = ib->node_guid;
	attr->max_mr_size = UET_MR_LENGTH_MAX;
	attr->page_size_cap = PAGE_SIZE;
	attr->max_qp = UET_RINDEX_MAX;
	attr->max_qp_wr = UET_RDMA_WR_MAX;
	attr->device_cap_flags = IB_DEVICE_RC_RNR_NAK_GEN | IB_DEVICE_MEM_MGT_EXTENSIONS;
	attr->kernel_cap_flags = IBK_LOCAL_DMA_LKEY | IBK_ALLOW_USER_UNREG;
	attr->max_send_sge = UET_RDMA_SGE_MAX;
	attr->max_recv_sge = UET_RDMA_SGE_MAX;
	attr->max_sge_rd = UET_RDMA_SGE_MAX;
	attr->max_cq = UET_RINDEX_MAX;
	attr->max_cqe = UET_RDMA_CQE_MAX;
	attr->max_mr = 1 << 20;
	attr->max_pd = UET_RINDEX_MAX;
	attr->max_qp_rd_atom = 128;
	attr->max_qp_init_rd_atom = 128;
	attr->max_res_rd_atom = 128 * UET_RINDEX_MAX;
	attr->atomic_cap = IB_ATOMIC_GLOB;
	attr->max_ah = 1 << 20;
	attr->max_fast_reg_page_list_len = UET_RDMA_FAST_PAGES;
	attr->max_srq = UET_RINDEX_MAX;
	attr->max_srq_wr = UET_RDMA_WR_MAX;
	attr->max_srq_sge = UET_RDMA_SGE_MAX;
	attr->max_pkeys = 1;
	return 0;
}

static int rdev_query_port(struct ib_device *ib, u32 port, struct ib_port_attr *attr)
{
	struct uet_rdma_dev *dev = uet_rdma_dev(ib);
	struct net_device *ndev = dev_get_by_index(dev->net, dev->ifindex);

	attr->state = IB_PORT_DOWN;
	attr->phys_state = IB_PORT_PHYS_STATE_DISABLED;
	if (ndev && netif_running(ndev) && netif_carrier_ok(ndev)) {
		attr->state = IB_PORT_ACTIVE;
		attr->phys_state = IB_PORT_PHYS_STATE_LINK_UP;
	}
	attr->max_mtu = IB_MTU_4096;
	attr->active_mtu = ndev ? iboe_get_mtu(ndev->mtu) : IB_MTU_256;
	dev_put(ndev);
	attr->gid_tbl_len = UET_RDMA_GIDS;
	attr->port_cap_flags = IB_PORT_CM_SUP;
	attr->ip_gids = true;
	attr->max_msg_sz = UET_RDMA_MESSAGE_MAX;
	attr->pkey_tbl_len = 1;
	attr->max_vl_num = 1;
	if (ib_get_eth_speed(ib, port, &attr->active_speed, &attr->active_width)) {
		attr->active_speed = IB_SPEED_SDR;
		attr->active_width = IB_WIDTH_1X;
	}
	return 0;
}

static int rdev_get_port_immutable(struct ib_device *ib, u32 port,
				   struct ib_port_immutable *immutable)
{
	immutable->core_cap_flags = RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP;
	immutable->gid_tbl_len = UET_RDMA_GIDS;
	immutable->pkey_tbl_len = 1;
	immutable->max_mad_size = IB_MGMT_MAD_SIZE;
	return 0;
}

static enum rdma_link_layer rdev_get_link_layer(struct ib_device *ib, u32 port)
{
	return IB_LINK_LAYER_ETHERNET;
}

static int rdev_query_pkey(struct ib_device *ib, u32 port, u16 index, u16 *pkey)
{
	if (index)
		return -EINVAL;
	*pkey = IB_DEFAULT_PKEY_FULL;
	return 0;
}

static int rdev_alloc_ucontext(struct ib_ucontext *ib, struct ib_udata *udata)
{
	return 0;
}

static void rdev_dealloc_ucontext(struct ib_ucontext *ib)
{
}

/* No memory is shared with processes. */
static void rdev_disassociate_ucontext(struct ib_ucontext *ib)
{
}

/* ------------------------------------------------------------- protection domains */

static bool rpd_accepts(const struct uet_sock *us, const struct uet_ses_req *req,
			const struct uet_fa *from)
{
	return false;
}

static const struct uet_ep_ops rpd_ep_ops = {
	.accepts = rpd_accepts,
};

static int rpd_alloc(struct ib_pd *ib, struct ib_udata *udata)
{
	struct uet_rdma_pd *pd = uet_rdma_pd(ib);

	pd->domain = uet_domain_alloc();
	if (!pd->domain)
		return -ENOMEM;
	ida_init(&pd->fast);
	pd->sock = uet_rdma_ep_make(uet_rdma_dev(ib->device), &rpd_ep_ops, NULL, pd->domain, 0);
	if (!IS_ERR(pd->sock))
		return 0;
	uet_domain_unuse(pd->domain);
	return PTR_ERR(pd->sock);
}

static int rpd_dealloc(struct ib_pd *ib, struct ib_udata *udata)
{
	struct uet_rdma_pd *pd = uet_rdma_pd(ib);

	sock_release(pd->sock);
	uet_domain_unuse(pd->domain);
	ida_destroy(&pd->fast);
	return 0;
}

/* ---------------------------------------------------------------- address handles */

static int rah_create(struct ib_ah *ib, struct rdma_ah_init_attr *init, struct ib_udata *udata)
{
	const struct uet_fa *own = &uet_rdma_dev(ib->device)->cfg.fa;
	struct uet_rdma_ah *ah = uet_rdma_ah(ib);

	if (!(rdma_ah_get_ah_flags(init->ah_attr) & IB_AH_GRH))
		return -EINVAL;
	ah->fa = uet_rdma_gid_fa(&init->ah_attr->grh.dgid, own);
	if (ah->fa.family != own->family)
		return -EADDRNOTAVAIL;
	ah->attr = *init->ah_attr;
	ah->attr.grh.sgid_attr = NULL;
	return 0;
}

static int rah_query(struct ib_ah *ib, struct rdma_ah_attr *attr)
{
	*attr = uet_rdma_ah(ib)->attr;
	return 0;
}

static int rah_destroy(struct ib_ah *ib, u32 flags)
{
	return 0;
}

const struct ib_device_ops uet_rdma_dev_ops = {
	.owner = THIS_MODULE,
	.driver_id = RDMA_DRIVER_UNKNOWN,
	.uverbs_abi_ver = 1,

	.query_device = rdev_query_device,
	.query_port = rdev_query_port,
	.get_port_immutable = rdev_get_port_immutable,
	.get_link_layer = rdev_get_link_layer,
	.query_pkey = rdev_query_pkey,
	.alloc_ucontext = rdev_alloc_ucontext,
	.dealloc_ucontext = rdev_dealloc_ucontext,
	.disassociate_ucontext = rdev_disassociate_ucontext,
	.alloc_pd = rpd_alloc,
	.dealloc_pd = rpd_dealloc,
	.create_ah = rah_create,
	.create_user_ah = rah_create,
	.query_ah = rah_query,
	.destroy_ah = rah_destroy,

	INIT_RDMA_OBJ_SIZE(ib_ucontext, uet_rdma_ucontext, ib),
	INIT_RDMA_OBJ_SIZE(ib_pd, uet_rdma_pd, ib),
	INIT_RDMA_OBJ_SIZE(ib_ah, uet_rdma_ah, ib),
};
