// SPDX-License-Identifier: GPL-2.0
/*
 * Memory regions: regions of UET with keys of 32 bits, in which offsets are addresses of the
 * process. Local memory of operations is found by these keys, too. Users in the kernel have a key
 * for all memory instead, by addresses of the kernel.
 */
#include <linux/bvec.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#include "rdma.h"

/* Attempts to find an unused random key. */
#define RMR_TRIES	16

#define RMR_ACCESS	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ | \
			 IB_ACCESS_REMOTE_ATOMIC | IB_ACCESS_RELAXED_ORDERING)

/**
 * uet_rdma_rights() - the rights of a region
 * @access: IB_ACCESS_*
 */
u32 uet_rdma_rights(int access)
{
	return (access & IB_ACCESS_LOCAL_WRITE ? UET_MR_LOCAL_WRITE : 0) |
	       (access & IB_ACCESS_REMOTE_WRITE ? UET_MR_WRITE : 0) |
	       (access & IB_ACCESS_REMOTE_READ ? UET_MR_READ : 0) |
	       (access & IB_ACCESS_REMOTE_ATOMIC ? UET_MR_ATOMIC : 0);
}

static int rmr_register(struct uet_rdma_pd *pd, struct uet_rdma_mr *mr, u64 start, u64 length,
			u64 iova, int access)
{
	struct uet_mr_reg reg = {
		.flags = UET_MR_FIXED_KEY,
		.addr = start,
		.length = length,
	};
	int tries, err = -EEXIST;

	for (tries = 0; tries < RMR_TRIES && err == -EEXIST; tries++) {
		reg.key = get_random_u32();
		if (reg.key != UET_RDMA_DMA_KEY)
			err = uet_mr_register(uet_sk(pd->sock->sk), &reg,
					      uet_rdma_rights(access), iova);
	}
	mr->ib.length = length;
	mr->ib.iova = iova;
	mr->ib.lkey = reg.key;
	mr->ib.rkey = reg.key;
	return err;
}

static struct ib_mr *rmr_reg_user(struct ib_pd *ib, u64 start, u64 length, u64 iova, int access,
				  UET_RDMA_DMAH struct ib_udata *udata)
{
	struct uet_rdma_mr *mr;
	u64 end;
	int err;

	if (access & ~RMR_ACCESS)
		return ERR_PTR(-EOPNOTSUPP);
	if (!length || length > UET_MR_LENGTH_MAX || check_add_overflow(start, length, &end) ||
	    check_add_overflow(iova, length, &end))
		return ERR_PTR(-EINVAL);
	mr = kzalloc(sizeof(*mr), GFP_KERNEL_ACCOUNT);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	err = rmr_register(uet_rdma_pd(ib), mr, start, length, iova, access);
	if (!err)
		return &mr->ib;
	kfree(mr);
	return ERR_PTR(err);
}

static struct ib_mr *rmr_get_dma(struct ib_pd *ib, int access)
{
	struct uet_rdma_mr *mr;

	/* Peers must not access all memory. */
	if (access & ~(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_RELAXED_ORDERING))
		return ERR_PTR(-EOPNOTSUPP);
	mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	mr->is_dma = true;
	mr->ib.lkey = UET_RDMA_DMA_KEY;
	return &mr->ib;
}

static int rmr_dereg(struct ib_mr *ib, struct ib_udata *udata)
{
	struct uet_rdma_mr *mr = uet_rdma_mr(ib);
	u64 key = ib->rkey;

	if (mr->pages)
		uet_rdma_fast_free(mr);
	else if (!mr->is_dma)
		uet_mr_ioctl_dereg(uet_sk(uet_rdma_pd(ib->pd)->sock->sk), &key);
	kfree(mr);
	return 0;
}

/* ------------------------------------------------------------ memory of operations */

static u32 rmr_dma_segments(u64 addr, u32 len, struct bio_vec *to, u32 max)
{
	void *at = (void *)(uintptr_t)addr;
	u32 nr, here;

	for (nr = 0; len && nr < max; nr++, at += here, len -= here) {
		here = min_t(u32, len, PAGE_SIZE - offset_in_page(at));
		to[nr].bv_page = uet_mr_kernel_page(at);
		to[nr].bv_offset = offset_in_page(at);
		to[nr].bv_len = here;
	}
	return len ? 0 : nr;
}

/* Return: number of parts of pages; 0: there is no such memory. */
static u32 rmr_segments(struct uet_rdma_qp *qp, const struct ib_sge *sge, u32 right, u32 skip,
			u32 len, struct uet_rdma_span *span, u32 max)
{
	struct bio_vec *to = span->bv + span->nr;
	struct uet_mr *mr;
	u8 rc;

	if (uet_rdma_is_dma(qp, sge))
		return rmr_dma_segments(sge->addr + skip, len, to, max);
	mr = uet_mr_get(qp->us, sge->lkey, right, sge->addr + skip, len, &rc);
	if (!mr)
		return 0;
	span->mrs[span->nr_mrs++] = mr;
	return uet_mr_segments(mr, sge->addr + skip, len, to, max);
}

/**
 * uet_rdma_map() - find the pages of local memory
 * @qp: QP, in whose PD the keys are
 * @sge: parts of the memory
 * @nr_sge: number of parts, at most UET_RDMA_SGE_MAX
 * @right: UET_MR_LOCAL_WRITE, or 0 to read
 * @skip: bytes at the front to leave out
 * @len: bytes, of which @sge have as many
 * @span: result, for uet_rdma_unmap(); deregistration waits for that
 * Return: 0; -EFAULT: no such memory; -ENOMEM.
 */
int uet_rdma_map(struct uet_rdma_qp *qp, const struct ib_sge *sge, u32 nr_sge, u32 right,
		 u32 skip, u32 len, struct uet_rdma_span *span)
{
	u32 max = len / PAGE_SIZE + 2 * nr_sge + 1;
	u32 i, here, nr;

	span->nr = 0;
	span->nr_mrs = 0;
	span->bv = kvmalloc_array(max, sizeof(*span->bv), GFP_KERNEL_ACCOUNT);
	if (!span->bv)
		return -ENOMEM;
	for (i = 0; i < nr_sge && len; i++) {
		if (skip >= sge[i].length) {
			skip -= sge[i].length;
			continue;
		}
		here = min(len, sge[i].length - skip);
		nr = rmr_segments(qp, &sge[i], right, skip, here, span, max - span->nr);
		if (!nr) {
			uet_rdma_unmap(span);
			return -EFAULT;
		}
		span->nr += nr;
		len -= here;
		skip = 0;
	}
	return 0;
}

/**
 * uet_rdma_unmap() - end the use of local memory
 * @span: from uet_rdma_map()
 */
void uet_rdma_unmap(struct uet_rdma_span *span)
{
	u32 i;

	for (i = 0; i < span->nr_mrs; i++)
		uet_mr_release(span->mrs[i]);
	kvfree(span->bv);
}

const struct ib_device_ops uet_rdma_mr_ops = {
	.reg_user_mr = rmr_reg_user,
	.get_dma_mr = rmr_get_dma,
	.dereg_mr = rmr_dereg,
};
