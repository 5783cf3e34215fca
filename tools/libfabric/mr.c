// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Memory regions: one key, registered on each endpoint of the domain with remote memory.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/random.h>

#include "endpoint.h"
#include "hints.h"
#include "object.h"

/* UET_MR_ATOMIC permits all atomic operations, also those that change memory. */
static uint32_t access_of(uint64_t access)
{
	uint32_t mask = 0;

	if (access & FI_REMOTE_READ)
		mask |= UET_MR_READ;
	if (access & FI_REMOTE_WRITE)
		mask |= UET_MR_WRITE | UET_MR_ATOMIC;
	return mask;
}

static int register_on(const struct lf_mr *mr, int fd)
{
	struct uet_mr_reg reg = mr->reg;

	return !lf_mr_is_remote(mr) || !uet_ioctl(fd, UET_IOC_MR_REG, &reg) ? 0 : -errno;
}

static void deregister_on(const struct lf_mr *mr, int fd)
{
	__u64 key = mr->reg.key;

	if (lf_mr_is_remote(mr) && ioctl(fd, UET_IOC_MR_DEREG, &key))
		LF_WARN(MR, "deregistering key 0x%llx: errno %d\n", key, errno);
}

int lf_mr_register_all(struct lf_domain *domain, int fd)
{
	struct lf_mr *mr;
	int ret = 0;

	LIST_FOREACH(mr, &domain->mrs, link) {
		ret = register_on(mr, fd);
		if (ret)
			break;
	}
	return ret;
}

static bool has_key(const struct lf_domain *domain, uint64_t key)
{
	const struct lf_mr *mr;

	LIST_FOREACH(mr, &domain->mrs, link)
		if (mr->reg.access && mr->reg.key == key)
			return true;
	return false;
}

/*
 * A key that no other region has: the one asked for.  With FI_MR_PROV_KEY another one in
 * place of one that is 0 or in use.  Return: 0, or a negative FI_* error.
 */
static int choose_key(const struct lf_domain *domain, struct lf_mr *mr)
{
	bool is_free = mr->reg.key <= UET_MR_KEY_MAX && !has_key(domain, mr->reg.key);
	uint64_t key;

	if (!lf_mr_is_provider_key(domain->mr_mode))
		return mr->reg.key > UET_MR_KEY_MAX ? -FI_EKEYREJECTED :
		       is_free ? 0 : -FI_ENOKEY;
	if (mr->reg.key && is_free)
		return 0;
	do {
		if (getrandom(&key, sizeof(key), 0) != sizeof(key))
			return -FI_EIO;
		key &= UET_MR_KEY_MAX;
	} while (has_key(domain, key));
	mr->reg.key = key;
	return 0;
}

static int register_everywhere(struct lf_domain *domain, struct lf_mr *mr)
{
	struct lf_ep *ep, *done;
	int ret = 0;

	LIST_FOREACH(ep, &domain->eps, link) {
		ret = register_on(mr, ep->memory_fd);
		if (ret)
			break;
	}
	if (!ret)
		return 0;
	LIST_FOREACH(done, &domain->eps, link) {
		if (done == ep)
			break;
		deregister_on(mr, done->memory_fd);
	}
	return ret;
}

static int mr_close(struct fid *fid)
{
	struct lf_mr *mr = lf_container(fid, struct lf_mr, fid.fid);
	struct lf_domain *domain = mr->domain;
	struct lf_ep *ep;

	lf_mr_end_remote(mr);
	pthread_mutex_lock(&domain->lock);
	LIST_REMOVE(mr, link);
	LIST_FOREACH(ep, &domain->eps, link)
		deregister_on(mr, ep->memory_fd);
	pthread_mutex_unlock(&domain->lock);
	atomic_fetch_sub(&domain->refs, 1);
	free(mr);
	return 0;
}

static int mr_bind(struct fid *fid, struct fid *other, uint64_t flags)
{
	struct lf_mr *mr = lf_container(fid, struct lf_mr, fid.fid);

	if (other->fclass != FI_CLASS_CNTR)
		return -FI_EINVAL;
	if (flags != FI_REMOTE_WRITE) {
		LF_WARN(MR, "a counter of a memory region counts FI_REMOTE_WRITE\n");
		return -FI_EBADFLAGS;
	}
	return lf_mr_begin_remote(mr, lf_container(other, struct lf_cntr, fid.fid));
}

static struct fi_ops mr_fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = mr_close,
	.bind = mr_bind,
	.control = lf_no_control,
	.ops_open = lf_no_ops_open,
};

static int insert(struct lf_domain *domain, struct lf_mr *mr)
{
	int ret;

	pthread_mutex_lock(&domain->lock);
	ret = choose_key(domain, mr);
	if (!ret)
		ret = register_everywhere(domain, mr);
	if (!ret)
		LIST_INSERT_HEAD(&domain->mrs, mr, link);
	pthread_mutex_unlock(&domain->lock);
	return ret;
}

static int mr_regattr(struct fid *fid, const struct fi_mr_attr *attr, uint64_t flags,
		      struct fid_mr **mr)
{
	struct lf_domain *domain = lf_container(fid, struct lf_domain, fid.fid);
	struct lf_mr *new;
	int ret;

	if (fid->fclass != FI_CLASS_DOMAIN || attr->iov_count != 1 || flags & ~FI_RMA_EVENT ||
	    attr->iface != FI_HMEM_SYSTEM || attr->offset)
		return -FI_EINVAL;
	new = calloc(1, sizeof(*new));
	if (!new)
		return -FI_ENOMEM;
	new->domain = domain;
	new->reg.addr = (uintptr_t)attr->mr_iov->iov_base;
	new->reg.length = attr->mr_iov->iov_len;
	new->reg.key = attr->requested_key;
	new->reg.access = access_of(attr->access);
	/* The provider's own operations name memory by its address, not by this region. */
	new->reg.flags = UET_MR_FIXED_KEY |
			 (new->reg.access == UET_MR_READ ? UET_MR_READ_ONLY : 0);
	ret = insert(domain, new);
	if (ret) {
		LF_INFO(MR, "registering %llu bytes: %s\n", new->reg.length, fi_strerror(-ret));
		free(new);
		return ret;
	}
	atomic_fetch_add(&domain->refs, 1);
	new->fid.fid.fclass = FI_CLASS_MR;
	new->fid.fid.context = attr->context;
	new->fid.fid.ops = &mr_fid_ops;
	new->fid.mem_desc = new;
	new->fid.key = new->reg.key;
	*mr = &new->fid;
	return 0;
}

static int mr_regv(struct fid *fid, const struct iovec *iov, size_t count, uint64_t access,
		   uint64_t offset, uint64_t requested_key, uint64_t flags,
		   struct fid_mr **mr, void *context)
{
	const struct fi_mr_attr attr = {
		.mr_iov = iov, .iov_count = count, .access = access, .offset = offset,
		.requested_key = requested_key, .context = context,
	};

	return mr_regattr(fid, &attr, flags, mr);
}

static int mr_reg(struct fid *fid, const void *buf, size_t len, uint64_t access,
		  uint64_t offset, uint64_t requested_key, uint64_t flags,
		  struct fid_mr **mr, void *context)
{
	const struct iovec iov = { (void *)(uintptr_t)buf, len };

	return mr_regv(fid, &iov, 1, access, offset, requested_key, flags, mr, context);
}

struct fi_ops_mr lf_mr_ops = {
	.size = sizeof(struct fi_ops_mr),
	.reg = mr_reg,
	.regv = mr_regv,
	.regattr = mr_regattr,
};
