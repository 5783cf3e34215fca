// SPDX-License-Identifier: GPL-2.0
/*
 * Memory regions that users in the kernel register and invalidate by operations of a QP (FRWR).
 * A region keeps the upper 24 bits of its keys; its user changes the lower ones from one
 * registration to the next.
 */
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#include "rdma.h"

/* Bits of a key that the user changes. */
#define FAST_VARIANT_BITS	8

/* Attempts to find unused upper bits. */
#define FAST_TRIES		16

static int fast_take_key(struct uet_rdma_pd *pd)
{
	int tries, index, ret = -ENOSPC;

	for (tries = 0; tries < FAST_TRIES && ret == -ENOSPC; tries++) {
		/* The key of all memory is none of them. */
		index = get_random_u32() >> FAST_VARIANT_BITS | 1;
		ret = ida_alloc_range(&pd->fast, index, index, GFP_KERNEL);
	}
	return ret;
}

static struct ib_mr *fast_alloc(struct ib_pd *ib, enum ib_mr_type type, u32 max_pages)
{
	struct uet_rdma_mr *mr;
	int index;

	if (type != IB_MR_TYPE_MEM_REG)
		return ERR_PTR(-EOPNOTSUPP);
	if (!max_pages || max_pages > UET_RDMA_FAST_PAGES)
		return ERR_PTR(-EINVAL);
	mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	mr->max_pages = max_pages;
	mr->pages = kvcalloc(max_pages, sizeof(*mr->pages), GFP_KERNEL);
	index = mr->pages ? fast_take_key(uet_rdma_pd(ib)) : -ENOMEM;
	if (index < 0) {
		kvfree(mr->pages);
		kfree(mr);
		return ERR_PTR(index);
	}
	mr->ib.lkey = (u32)index << FAST_VARIANT_BITS;
	mr->ib.rkey = mr->ib.lkey;
	return &mr->ib;
}

static int fast_set_page(struct ib_mr *ib, u64 addr)
{
	struct uet_rdma_mr *mr = uet_rdma_mr(ib);

	if (mr->nr_pages == mr->max_pages)
		return -ENOMEM;
	mr->pages[mr->nr_pages++] = uet_mr_kernel_page((void *)(uintptr_t)addr);
	return 0;
}

static int fast_map_sg(struct ib_mr *ib, struct scatterlist *sg, int nr, unsigned int *offset)
{
	if (ib->page_size != PAGE_SIZE)
		return -EINVAL;
	uet_rdma_mr(ib)->nr_pages = 0;
	return ib_sg_to_pages(ib, sg, nr, offset, fast_set_page);
}

/**
 * uet_rdma_fast_register() - register what was mapped, in process context
 * @mr: the region
 * @key: its new key
 * @access: IB_ACCESS_*
 * Return: 0; -EINVAL: the key is not one of the region; -EEXIST: it is in use; -ENOMEM.
 */
int uet_rdma_fast_register(struct uet_rdma_mr *mr, u32 key, int access)
{
	struct uet_mr_reg reg = {
		.flags = UET_MR_FIXED_KEY,
		.key = key,
		.length = mr->ib.length,
	};

	if ((key ^ mr->ib.rkey) >> FAST_VARIANT_BITS || !mr->ib.length)
		return -EINVAL;
	/* Peers must not keep what was registered before, by a key that nobody ends. */
	uet_rdma_fast_invalidate(mr->ib.pd, mr->key);
	mr->key = key;
	return uet_mr_register_pages(uet_sk(uet_rdma_pd(mr->ib.pd)->sock->sk), &reg,
				     uet_rdma_rights(access), mr->ib.iova, mr->pages);
}

/**
 * uet_rdma_fast_invalidate() - end a registration, in process context; peers name the key, too
 * @ib: PD
 * @key: key
 * Return: 0; -ENOENT: the PD has no such region.
 */
int uet_rdma_fast_invalidate(struct ib_pd *ib, u32 key)
{
	return uet_mr_invalidate(uet_sk(uet_rdma_pd(ib)->sock->sk), key);
}

/**
 * uet_rdma_fast_free() - end what fast_alloc() has begun
 * @mr: region that no operation uses; it may be registered
 */
void uet_rdma_fast_free(struct uet_rdma_mr *mr)
{
	uet_rdma_fast_invalidate(mr->ib.pd, mr->key);
	ida_free(&uet_rdma_pd(mr->ib.pd)->fast, mr->ib.rkey >> FAST_VARIANT_BITS);
	kvfree(mr->pages);
}

const struct ib_device_ops uet_rdma_fast_ops = {
	.alloc_mr = fast_alloc,
	.map_mr_sg = fast_map_sg,
};
