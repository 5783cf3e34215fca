// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Life of an endpoint, its options, and cancelling.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "endpoint.h"

#define REMOTE_FLAGS	(FI_REMOTE_READ | FI_REMOTE_WRITE)
#define COUNT_FLAGS	(FI_SEND | FI_RECV | FI_READ | FI_WRITE | REMOTE_FLAGS)

/* The flag by which a counter is bound. */
static const uint64_t count_flags[LF_COUNTS] = {
	[LF_COUNT_SEND] = FI_SEND,
	[LF_COUNT_RECV] = FI_RECV,
	[LF_COUNT_READ] = FI_READ,
	[LF_COUNT_WRITE] = FI_WRITE,
	[LF_COUNT_REMOTE_READ] = FI_REMOTE_READ,
	[LF_COUNT_REMOTE_WRITE] = FI_REMOTE_WRITE,
};

static struct lf_ep *of_fid(struct fid *fid)
{
	return lf_container(fid, struct lf_ep, fid.fid);
}

static int bind_cq(struct lf_ep *ep, struct fid *fid, uint64_t flags)
{
	struct lf_cq *cq = lf_container(fid, struct lf_cq, fid.fid);

	if (flags & ~(FI_TRANSMIT | FI_RECV | FI_SELECTIVE_COMPLETION) ||
	    !(flags & (FI_TRANSMIT | FI_RECV)))
		return -FI_EBADFLAGS;
	if ((flags & FI_TRANSMIT && ep->tx_cq) || (flags & FI_RECV && ep->rx_cq))
		return -FI_EINVAL;
	if (flags & FI_TRANSMIT) {
		atomic_fetch_add(&cq->binds, 1);
		ep->tx_cq = cq;
		ep->is_tx_selective = flags & FI_SELECTIVE_COMPLETION;
	}
	if (flags & FI_RECV) {
		atomic_fetch_add(&cq->binds, 1);
		ep->rx_cq = cq;
		ep->is_rx_selective = flags & FI_SELECTIVE_COMPLETION;
	}
	return 0;
}

static void set_cntr(struct lf_ep *ep, enum lf_count count, struct lf_cntr *cntr)
{
	if (ep->cntrs[count])
		atomic_fetch_sub(&ep->cntrs[count]->binds, 1);
	if (cntr)
		atomic_fetch_add(&cntr->binds, 1);
	ep->cntrs[count] = cntr;
}

static int bind_cntr(struct lf_ep *ep, struct fid *fid, uint64_t flags)
{
	struct lf_cntr *cntr = lf_container(fid, struct lf_cntr, fid.fid);
	enum lf_count count;
	int ret;

	if (flags & ~COUNT_FLAGS || !flags) {
		LF_WARN(EP_CTRL, "a counter counts FI_SEND, FI_RECV, FI_READ, FI_WRITE, FI_REMOTE_READ and FI_REMOTE_WRITE\n");
		return -FI_EBADFLAGS;
	}
	if (flags & REMOTE_FLAGS && !(ep->caps & FI_RMA_EVENT)) {
		LF_WARN(EP_CTRL, "counting FI_REMOTE_READ and FI_REMOTE_WRITE needs the capability FI_RMA_EVENT\n");
		return -FI_EBADFLAGS;
	}
	ret = flags & REMOTE_FLAGS ? lf_cntr_begin_remote(cntr) : 0;
	if (ret)
		return ret;
	for (count = 0; count < LF_COUNTS; count++)
		if (flags & count_flags[count])
			set_cntr(ep, count, cntr);
	return 0;
}

static void set_av(struct lf_ep *ep, struct lf_av *av)
{
	if (ep->av)
		atomic_fetch_sub(&ep->av->binds, 1);
	if (av)
		atomic_fetch_add(&av->binds, 1);
	ep->av = av;
}

static void unbind_all(struct lf_ep *ep)
{
	enum lf_count count;

	if (ep->tx_cq)
		atomic_fetch_sub(&ep->tx_cq->binds, 1);
	if (ep->rx_cq)
		atomic_fetch_sub(&ep->rx_cq->binds, 1);
	for (count = 0; count < LF_COUNTS; count++)
		set_cntr(ep, count, NULL);
	set_av(ep, NULL);
	lf_eq_bind(&ep->eq, NULL);
}

static int ep_bind(struct fid *fid, struct fid *other, uint64_t flags)
{
	struct lf_ep *ep = of_fid(fid);

	if (ep->fd >= 0)
		return -FI_EOPBADSTATE;
	switch (other->fclass) {
	case FI_CLASS_CQ:
		return bind_cq(ep, other, flags);
	case FI_CLASS_CNTR:
		return bind_cntr(ep, other, flags);
	case FI_CLASS_AV:
		set_av(ep, lf_container(other, struct lf_av, fid.fid));
		return 0;
	case FI_CLASS_EQ:
		lf_eq_bind(&ep->eq, lf_container(other, struct fid_eq, fid));
		return 0;
	}
	return -FI_EINVAL;
}

static int ops_flags(struct lf_ep *ep, uint64_t *flags, bool is_set)
{
	uint64_t *own = *flags & FI_TRANSMIT ? &ep->tx_flags : &ep->rx_flags;

	if (!(*flags & FI_TRANSMIT) == !(*flags & FI_RECV))
		return -FI_EINVAL;
	if (is_set)
		*own = *flags & ~(FI_TRANSMIT | FI_RECV);
	else
		*flags = *own;
	return 0;
}

static int ep_control(struct fid *fid, int command, void *arg)
{
	switch (command) {
	case FI_ENABLE:
		return lf_ep_enable(of_fid(fid));
	case FI_GETOPSFLAG:
		return ops_flags(of_fid(fid), arg, false);
	case FI_SETOPSFLAG:
		return ops_flags(of_fid(fid), arg, true);
	}
	return -FI_ENOSYS;
}

static int ep_close(struct fid *fid)
{
	struct lf_ep *ep = of_fid(fid);

	if (ep->fd >= 0)
		lf_ep_shut(ep);
	unbind_all(ep);
	atomic_fetch_sub(&ep->domain->refs, 1);
	lf_reqs_free(ep);
	pthread_mutex_destroy(&ep->lock);
	free(ep);
	return 0;
}

static struct lf_req *find_context(const struct lf_ep *ep, const void *context)
{
	struct lf_req *req;
	uint64_t slot;

	for (slot = 0; slot < (uint64_t)ep->nr_chunks * LF_CHUNK; slot++) {
		req = lf_req_find(ep, slot);
		if (req && req->context == context)
			return req;
	}
	return NULL;
}

static int cancel(const struct lf_ep *ep, const struct lf_req *req)
{
	struct uet_send_cancel send = { .cookie = req->slot, .flags = UET_CANCEL_COOKIE };
	__u64 cookie = req->slot;
	int ret;

	if (req->flags & FI_RECV)
		ret = ioctl(ep->fd, UET_IOC_RECV_CANCEL, &cookie);
	else
		ret = uet_ioctl(ep->fd, UET_IOC_SEND_CANCEL, &send);
	return ret < 0 ? -errno : 0;
}

static ssize_t ep_cancel(fid_t fid, void *context)
{
	struct lf_ep *ep = of_fid(fid);
	const struct lf_req *req;
	int ret = -FI_ENOENT;

	pthread_mutex_lock(&ep->lock);
	req = find_context(ep, context);
	if (req)
		ret = cancel(ep, req);
	pthread_mutex_unlock(&ep->lock);
	return ret;
}

static int ep_getopt(fid_t fid, int level, int name, void *value, size_t *length)
{
	if (level != FI_OPT_ENDPOINT || name != FI_OPT_MIN_MULTI_RECV)
		return -FI_ENOPROTOOPT;
	if (*length < sizeof(size_t))
		return -FI_ETOOSMALL;
	memcpy(value, &of_fid(fid)->min_multi, sizeof(size_t));
	*length = sizeof(size_t);
	return 0;
}

static int ep_setopt(fid_t fid, int level, int name, const void *value, size_t length)
{
	size_t bytes;

	if (level != FI_OPT_ENDPOINT || name != FI_OPT_MIN_MULTI_RECV)
		return -FI_ENOPROTOOPT;
	if (length != sizeof(bytes))
		return -FI_EINVAL;
	memcpy(&bytes, value, sizeof(bytes));
	if (!bytes || bytes > LF_MESSAGE_MAX)
		return -FI_EINVAL;
	of_fid(fid)->min_multi = bytes;
	return 0;
}

static int no_tx_ctx(struct fid_ep *sep, int index, struct fi_tx_attr *attr,
		     struct fid_ep **tx, void *context)
{
	return -FI_ENOSYS;
}

static int no_rx_ctx(struct fid_ep *sep, int index, struct fi_rx_attr *attr,
		     struct fid_ep **rx, void *context)
{
	return -FI_ENOSYS;
}

static ssize_t no_size_left(struct fid_ep *ep)
{
	return -FI_ENOSYS;
}

/* The address, at least of the size that the format has. */
static int cm_getname(fid_t fid, void *addr, size_t *length)
{
	struct lf_ep *ep = of_fid(fid);
	char packed[sizeof(struct lf_name)];
	size_t size = lf_name_size(ep->domain->format), given = *length;

	if (ep->fd < 0)
		return -FI_EOPBADSTATE;
	lf_name_pack(&ep->name, ep->domain->format, packed);
	*length = size;
	memcpy(addr, packed, given < size ? given : size);
	return given < size ? -FI_ETOOSMALL : 0;
}

static int cm_setname(fid_t fid, void *addr, size_t length)
{
	struct lf_ep *ep = of_fid(fid);

	if (ep->fd >= 0)
		return -FI_EOPBADSTATE;
	if (length != lf_name_size(ep->domain->format))
		return -FI_EINVAL;
	return lf_name_unpack(&ep->name, ep->domain->format, addr, &ep->domain->place);
}

static int no_getpeer(struct fid_ep *ep, void *addr, size_t *length)
{
	return -FI_ENOSYS;
}

static int no_connect(struct fid_ep *ep, const void *addr, const void *param, size_t length)
{
	return -FI_ENOSYS;
}

static int no_listen(struct fid_pep *pep)
{
	return -FI_ENOSYS;
}

static int no_accept(struct fid_ep *ep, const void *param, size_t length)
{
	return -FI_ENOSYS;
}

static int no_reject(struct fid_pep *pep, fid_t handle, const void *param, size_t length)
{
	return -FI_ENOSYS;
}

static int no_shutdown(struct fid_ep *ep, uint64_t flags)
{
	return -FI_ENOSYS;
}

static int no_join(struct fid_ep *ep, const void *addr, uint64_t flags, struct fid_mc **mc,
		   void *context)
{
	return -FI_ENOSYS;
}

static struct fi_ops ep_fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = ep_close,
	.bind = ep_bind,
	.control = ep_control,
	.ops_open = lf_no_ops_open,
};

static struct fi_ops_ep ep_ops = {
	.size = sizeof(struct fi_ops_ep),
	.cancel = ep_cancel,
	.getopt = ep_getopt,
	.setopt = ep_setopt,
	.tx_ctx = no_tx_ctx,
	.rx_ctx = no_rx_ctx,
	.rx_size_left = no_size_left,
	.tx_size_left = no_size_left,
};

static struct fi_ops_cm cm_ops = {
	.size = sizeof(struct fi_ops_cm),
	.setname = cm_setname,
	.getname = cm_getname,
	.getpeer = no_getpeer,
	.connect = no_connect,
	.listen = no_listen,
	.accept = no_accept,
	.reject = no_reject,
	.shutdown = no_shutdown,
	.join = no_join,
};

static void set_ops(struct lf_ep *ep, void *context)
{
	ep->fid.fid.fclass = FI_CLASS_EP;
	ep->fid.fid.context = context;
	ep->fid.fid.ops = &ep_fid_ops;
	ep->fid.ops = &ep_ops;
	ep->fid.cm = &cm_ops;
	ep->fid.msg = &lf_msg_ops;
	ep->fid.tagged = &lf_tagged_ops;
	ep->fid.rma = &lf_rma_ops;
	ep->fid.atomic = &lf_atomic_ops;
}

/* The address to bind to: that of fi_getinfo(), or any of the place. */
static int set_name(struct lf_ep *ep, const struct fi_info *info)
{
	const struct lf_domain *domain = ep->domain;

	lf_name_of_place(&ep->name, &domain->place);
	if (!info->src_addr || info->src_addrlen != lf_name_size(domain->format))
		return 0;
	if (domain->format == FI_SOCKADDR_IN &&
	    !((const struct sockaddr_in *)info->src_addr)->sin_port)
		return 0;
	return lf_name_unpack(&ep->name, domain->format, info->src_addr, &domain->place);
}

int lf_ep_open(struct fid_domain *domain, struct fi_info *info, struct fid_ep **ep,
	       void *context)
{
	struct lf_ep *new = calloc(1, sizeof(*new));
	int ret;

	if (!new)
		return -FI_ENOMEM;
	new->fd = new->memory_fd = -1;
	new->domain = lf_container(domain, struct lf_domain, fid);
	ret = set_name(new, info);
	if (ret) {
		free(new);
		return ret;
	}
	set_ops(new, context);
	new->caps = info->caps;
	new->tx_flags = info->tx_attr ? info->tx_attr->op_flags : 0;
	new->rx_flags = info->rx_attr ? info->rx_attr->op_flags : 0;
	new->min_multi = LF_MIN_MULTI;
	pthread_mutex_init(&new->lock, NULL);
	STAILQ_INIT(&new->free);
	STAILQ_INIT(&new->unfinished);
	atomic_fetch_add(&new->domain->refs, 1);
	*ep = &new->fid;
	return 0;
}
