// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The sockets of an endpoint: opening, binding, their rings.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "endpoint.h"

#define CQ_ENTRIES	1024	/* records of 64 bytes */
#define SQ_ENTRIES	16	/* each is executed at once */

/* Return: the error, after a line in the log with the reason of the kernel. */
static int failed(int fd, const char *call)
{
	char why[256] = "";
	socklen_t length = sizeof(why) - 1;
	int error = errno;

	getsockopt(fd, SOL_UET, UET_LAST_ERROR, why, &length);
	LF_WARN(EP_CTRL, "%s: %s%s%s\n", call, strerror(error), *why ? ": " : "", why);
	return -error;
}

static int open_socket(const struct lf_ep *ep, int type)
{
	int fd = socket(ep->domain->family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int job = lf_job_fd();
	uint32_t envelopes = UET_ENVELOPE_LIMIT;

	if (fd < 0)
		return failed(fd, "socket");
	/* A launcher may have closed it and opened something else. */
	if (job >= 0 && setsockopt(fd, SOL_UET, UET_JOB_FD, &job, sizeof(job)))
		LF_INFO(EP_CTRL, "UET_JOB_FD=%d is no job descriptor: %s\n", job,
			strerror(errno));
	/* An MPI program may receive the last of any number of messages first. */
	if (setsockopt(fd, SOL_UET, UET_ENVELOPES, &envelopes, sizeof(envelopes)))
		LF_INFO(EP_CTRL, "UET_ENVELOPES: %s\n", strerror(errno));
	return fd;
}

static bool needs_memory(const struct lf_ep *ep)
{
	return ep->caps & (FI_RMA | FI_ATOMIC) &&
	       ep->caps & (FI_REMOTE_READ | FI_REMOTE_WRITE);
}

static int bind_memory(struct lf_ep *ep, const struct sockaddr_uet *message)
{
	struct sockaddr_uet addr = *message;
	int on = 1;

	addr.suet_ri += LF_RI_MEMORY;
	addr.suet_initiator = 0;
	if (bind(ep->memory_fd, (struct sockaddr *)&addr, sizeof(addr)))
		return errno == EADDRINUSE ? -errno : failed(ep->memory_fd, "bind");
	if (setsockopt(ep->memory_fd, SOL_UET, UET_RECV_CTX, &on, sizeof(on)))
		return failed(ep->memory_fd, "UET_RECV_CTX");
	return 0;
}

static int get_name(struct lf_ep *ep, struct sockaddr_uet *addr)
{
	socklen_t length = sizeof(*addr);

	if (getsockname(ep->fd, (struct sockaddr *)addr, &length))
		return failed(ep->fd, "getsockname");
	lf_name_from_sockaddr(&ep->name, addr);
	return 0;
}

/* Open and bind both sockets.  @ri 0: that of the address, which names all. */
static int bind_at(struct lf_ep *ep, uint16_t ri)
{
	struct sockaddr_uet addr;
	int ret;

	lf_name_to_sockaddr(&ep->name, ep->domain->family, &addr);
	addr.suet_scope_id = ep->domain->place.scope_id;
	addr.suet_initiator = 0;
	if (ri) {
		addr.suet_ri = ri;
		addr.suet_pid = UET_PID_ANY;
	}
	ep->fd = open_socket(ep, SOCK_SEQPACKET);
	if (ep->fd < 0)
		return ep->fd;
	if (bind(ep->fd, (struct sockaddr *)&addr, sizeof(addr)))
		return ri && errno == EADDRINUSE ? -errno : failed(ep->fd, "bind");
	if (needs_memory(ep)) {
		ep->memory_fd = open_socket(ep, SOCK_RDM);
		if (ep->memory_fd < 0)
			return ep->memory_fd;
	}
	ret = get_name(ep, &addr);
	return !ret && ep->memory_fd >= 0 ? bind_memory(ep, &addr) : ret;
}

/* The end of the endpoint, whoever has inherited the descriptor. */
static void close_socket(int fd)
{
	if (fd < 0)
		return;
	shutdown(fd, SHUT_RDWR);
	close(fd);
}

static void close_sockets(struct lf_ep *ep)
{
	close_socket(ep->fd);
	close_socket(ep->memory_fd);
	ep->fd = ep->memory_fd = -1;
}

/* The first Resource Index that is free; mostly 1, with a PIDonFEP of its own. */
static int bind_sockets(struct lf_ep *ep)
{
	const struct lf_name asked = ep->name;
	uint16_t ri;
	int ret;

	if (asked.ri)
		return bind_at(ep, 0);
	for (ri = 1; ri <= LF_RI_MAX; ri++) {
		ret = bind_at(ep, ri);
		if (ret != -EADDRINUSE)
			return ret;
		close_sockets(ep);
		ep->name = asked;
	}
	return -EADDRINUSE;
}

/* From the first look on, all messages wait for receives. */
static int begin_matching(const struct lf_ep *ep)
{
	struct uet_recv_peek peek = { .flags = UET_RECV_ANY_SOURCE };

	if (!uet_ioctl(ep->fd, UET_IOC_RECV_PEEK, &peek) || errno == ENOMSG)
		return 0;
	return failed(ep->fd, "UET_IOC_RECV_PEEK");
}

/* Deferrable messages leave a quarter of the send buffer to others. */
static int limit_deferred(struct lf_ep *ep)
{
	socklen_t length = sizeof(int);
	int bytes;

	if (getsockopt(ep->fd, SOL_SOCKET, SO_SNDBUF, &bytes, &length))
		return failed(ep->fd, "SO_SNDBUF");
	ep->deferred_max = (size_t)bytes / 4 * 3;
	return 0;
}

static int open_rings(struct lf_ep *ep)
{
	if (uet_cq_open(&ep->cq, ep->fd, CQ_ENTRIES)) {
		ep->cq.shared = NULL;
		return failed(ep->fd, "UET_IOC_CQ_RING");
	}
	if (uet_sq_open(&ep->sq, ep->fd, SQ_ENTRIES)) {
		ep->sq.shared = NULL;
		return failed(ep->fd, "UET_IOC_SQ_RING");
	}
	return begin_matching(ep);
}

static int watch(struct lf_ep *ep, struct lf_wait *wait, struct lf_eps *eps,
		 uint32_t memory_events)
{
	int ret = lf_wait_add(wait, ep->fd, 0);

	if (!ret)
		ret = lf_wait_add(wait, ep->memory_fd, memory_events);
	return ret ? ret : lf_eps_add(eps, ep);
}

int lf_ep_watch_remote(struct lf_ep *ep, struct lf_cntr *cntr)
{
	return watch(ep, &cntr->wait, &cntr->eps, EPOLLIN | EPOLLPRI);
}

static int attach(struct lf_ep *ep)
{
	int i, ret = 0;

	if (ep->tx_cq)
		ret = watch(ep, &ep->tx_cq->wait, &ep->tx_cq->eps, EPOLLIN);
	if (!ret && ep->rx_cq)
		ret = watch(ep, &ep->rx_cq->wait, &ep->rx_cq->eps, EPOLLIN);
	for (i = 0; i < LF_COUNTS && !ret; i++)
		if (ep->cntrs[i])
			ret = watch(ep, &ep->cntrs[i]->wait, &ep->cntrs[i]->eps,
				    EPOLLIN);
	return ret;
}

static void unwatch(const struct lf_ep *ep, struct lf_wait *wait, struct lf_eps *eps)
{
	lf_eps_del(eps, ep);
	lf_wait_del(wait, ep->fd);
	lf_wait_del(wait, ep->memory_fd);
}

static void detach(struct lf_ep *ep)
{
	int i;

	if (ep->tx_cq)
		unwatch(ep, &ep->tx_cq->wait, &ep->tx_cq->eps);
	if (ep->rx_cq)
		unwatch(ep, &ep->rx_cq->wait, &ep->rx_cq->eps);
	for (i = 0; i < LF_COUNTS; i++)
		if (ep->cntrs[i])
			unwatch(ep, &ep->cntrs[i]->wait, &ep->cntrs[i]->eps);
}

/* The lock of the domain is held. */
static int join_memory(struct lf_ep *ep)
{
	struct lf_domain *domain = ep->domain;
	int ret = lf_mr_register_all(domain, ep->memory_fd);
	struct lf_cntr *cntr;

	LIST_FOREACH(cntr, &domain->cntrs, link)
		if (!ret)
			ret = lf_ep_watch_remote(ep, cntr);
	if (!ret)
		LIST_INSERT_HEAD(&domain->eps, ep, link);
	return ret;
}

/* Addresses inserted before and after have numbers; so do regions. */
static int join(struct lf_ep *ep)
{
	struct lf_domain *domain = ep->domain;
	int ret = 0;

	pthread_mutex_lock(&domain->lock);
	if (ep->memory_fd >= 0)
		ret = join_memory(ep);
	pthread_mutex_unlock(&domain->lock);
	if (!ret)
		ret = lf_eps_add(&ep->av->eps, ep);
	if (ret)
		return ret;
	pthread_mutex_lock(&ep->av->eps.lock);
	ret = lf_av_each(ep->av, ep);
	pthread_mutex_unlock(&ep->av->eps.lock);
	return ret;
}

static void leave(struct lf_ep *ep)
{
	struct lf_domain *domain = ep->domain;
	struct lf_cntr *cntr;
	struct lf_ep *other;

	if (ep->av)
		lf_eps_del(&ep->av->eps, ep);
	pthread_mutex_lock(&domain->lock);
	LIST_FOREACH(cntr, &domain->cntrs, link)
		unwatch(ep, &cntr->wait, &cntr->eps);
	LIST_FOREACH(other, &domain->eps, link)
		if (other == ep) {
			LIST_REMOVE(ep, link);
			break;
		}
	pthread_mutex_unlock(&domain->lock);
}

int lf_ep_enable(struct lf_ep *ep)
{
	int ret;

	if (ep->fd >= 0)
		return -FI_EOPBADSTATE;
	if (!ep->av || (!ep->tx_cq && !ep->rx_cq && !ep->cntrs[LF_COUNT_SEND] &&
			!ep->cntrs[LF_COUNT_RECV]))
		return ep->av ? -FI_ENOCQ : -FI_ENOAV;
	ret = bind_sockets(ep);
	if (!ret)
		ret = limit_deferred(ep);
	if (!ret)
		ret = open_rings(ep);
	if (!ret)
		ret = join(ep);
	if (!ret)
		ret = attach(ep);
	if (ret)
		lf_ep_shut(ep);
	return ret;
}

void lf_ep_shut(struct lf_ep *ep)
{
	if (ep->memory_fd >= 0)
		lf_ep_count_remote(ep);
	detach(ep);
	leave(ep);
	lf_ep_free_peers(ep);
	if (ep->sq.shared)
		uet_sq_close(&ep->sq);
	if (ep->cq.shared)
		uet_cq_close(&ep->cq);
	ep->sq.shared = NULL;
	ep->cq.shared = NULL;
	close_sockets(ep);
}
