// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Life of a handle: a socket that is bound in its job, its completion ring, the numbers
 * of its peers, and the second socket, of the collective operations.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "env.h"

#define COMPLETIONS	1024
#define RI_MAX		2045	/* the collective operations have as many above, the kernel the last */

/**
 * struct plan - the values that attributes and environment give
 * @attr: attributes
 * @family: number of AF_UET
 * @job: JobID, 0: that of the descriptor
 * @job_fd: descriptor, 0: none
 * @ri: Resource Index, 0: any
 * @wait: ms that messages wait for endpoints, 0: they do not
 */
struct plan {
	struct uet_attr attr;
	int family;
	uint32_t job;
	uint32_t job_fd;
	uint32_t ri;
	uint32_t wait;
};

static int check(struct uet *u, const struct uet_attr *a)
{
	unsigned int i;

	if (a->type && a->type != SOCK_RDM && a->type != SOCK_SEQPACKET &&
	    a->type != SOCK_DGRAM)
		return libuet_refuse(u, EINVAL,
				     "uet_attr.type %d is not SOCK_RDM, SOCK_SEQPACKET or SOCK_DGRAM",
				     a->type);
	if (a->flags & ~(UET_OPEN_NO_ENV | UET_OPEN_NO_BARRIER))
		return libuet_refuse(u, EINVAL, "uet_attr.flags 0x%x, known are 0x%x",
				     a->flags, UET_OPEN_NO_ENV | UET_OPEN_NO_BARRIER);
	if (a->job > UET_JOBID_MAX)
		return libuet_refuse(u, EINVAL, "uet_attr.job %u is above %u", a->job,
				     UET_JOBID_MAX);
	if (a->job_fd < 0)
		return libuet_refuse(u, EINVAL, "uet_attr.job_fd %d is below 0", a->job_fd);
	if (a->ri > RI_MAX)
		return libuet_refuse(u, EINVAL, "uet_attr.ri %u is above %u", a->ri,
				     RI_MAX);
	if (a->wait > UET_ENDPOINT_WAIT_MAX)
		return libuet_refuse(u, EINVAL, "uet_attr.wait %u is above %u", a->wait,
				     UET_ENDPOINT_WAIT_MAX);
	if (a->size > UET_PEER_LIMIT)
		return libuet_refuse(u, EINVAL, "uet_attr.size %u is above %u", a->size,
				     UET_PEER_LIMIT);
	if (!a->peers != !a->size)
		return libuet_refuse(u, EINVAL, a->size ?
				     "uet_attr.peers is NULL with size %u" :
				     "uet_attr.peers is not NULL with size %u", a->size);
	if (a->rank && a->rank >= a->size)
		return libuet_refuse(u, EINVAL, "uet_attr.rank %u is not below size %u",
				     a->rank, a->size);
	if (a->completions > UET_CQ_RING_LIMIT)
		return libuet_refuse(u, EINVAL, "uet_attr.completions %u is above %u",
				     a->completions, UET_CQ_RING_LIMIT);
	for (i = 0; i < sizeof(a->reserved) / sizeof(*a->reserved); i++)
		if (a->reserved[i])
			return libuet_refuse(u, EINVAL, "uet_attr.reserved is not 0");
	return 0;
}

static int copy_peers(struct uet *u, const struct uet_attr *a)
{
	u->rank = a->rank;
	u->size = a->size;
	u->addrs = malloc(a->size * sizeof(*u->addrs));
	if (!u->addrs)
		return libuet_refuse(u, ENOMEM, "no memory for %u peers", a->size);
	memcpy(u->addrs, a->peers, a->size * sizeof(*u->addrs));
	return 0;
}

/* Attributes go before the environment. */
static int make_plan(struct uet *u, struct plan *p)
{
	bool env = !(p->attr.flags & UET_OPEN_NO_ENV);
	uint32_t i;

	if (check(u, &p->attr) || (env && (libuet_env_job(u, &p->job, &p->job_fd) ||
					   libuet_env_wait(u, &p->wait))))
		return -1;
	if (p->attr.wait)
		p->wait = p->attr.wait;
	p->ri = p->attr.ri ? : 1;
	if (p->attr.size ? copy_peers(u, &p->attr) :
			   env && libuet_env_ranks(u, p->family, p->ri))
		return -1;
	if (!u->addrs)
		p->ri = p->attr.ri;
	if (p->attr.job_fd)
		p->job_fd = p->attr.job_fd;
	if (p->attr.local && p->attr.local->suet_job)
		p->job = p->attr.local->suet_job;
	if (p->attr.job)
		p->job = p->attr.job;
	if (!p->job && u->addrs)
		p->job = u->addrs[u->rank].suet_job;
	if (!p->job && !p->job_fd)
		return libuet_refuse(u, EINVAL,
				     "no job: neither uet_attr.job, UET_JOB nor UET_JOB_FD; start with \"ueadm job run\"");
	for (i = 0; u->addrs && i < u->size; i++)
		u->addrs[i].suet_job = p->job;
	return 0;
}

/* A module from before an upgrade may not have the option, which then only the launcher
 * has asked for.
 */
static int set_wait(struct uet *u, const struct plan *p)
{
	if (!p->wait || p->attr.type == SOCK_DGRAM)
		return 0;
	if (!libuet_set_wait(u, p->wait)) {
		u->wait = p->wait;
		return 0;
	}
	return errno == ENOPROTOOPT && !p->attr.wait ? 0 : -1;
}

static int open_socket(struct uet *u, const struct plan *p)
{
	int on = 1, job_fd = p->job_fd;
	uint32_t generation = p->attr.generation;

	u->fd = socket(p->family, (p->attr.type ? : SOCK_RDM) | SOCK_CLOEXEC, 0);
	if (u->fd < 0 && errno == EAFNOSUPPORT)
		return libuet_refuse(u, EAFNOSUPPORT,
				     "socket: there is no AF_UET %d: the module uet is not loaded",
				     p->family);
	if (u->fd < 0)
		return libuet_failed(u, "socket");
	if (job_fd && setsockopt(u->fd, SOL_UET, UET_JOB_FD, &job_fd, sizeof(job_fd)))
		return libuet_failed(u, "setsockopt");
	if (generation && setsockopt(u->fd, SOL_UET, UET_GENERATION, &generation,
				     sizeof(generation)))
		return libuet_failed(u, "setsockopt");
	if (setsockopt(u->fd, SOL_UET, UET_RECV_CTX, &on, sizeof(on)))
		return libuet_failed(u, "setsockopt");
	return set_wait(u, p);
}

static int bind_socket(struct uet *u, const struct plan *p)
{
	struct sockaddr_uet me = {
		.suet_family = p->family, .suet_version = UET_ADDR_VERSION,
		.suet_pid = UET_PID_ANY, .suet_ri = p->ri,
	};

	if (p->attr.local)
		me = *p->attr.local;
	else if (u->addrs)
		me = u->addrs[u->rank];
	me.suet_job = p->job;
	if (bind(u->fd, (struct sockaddr *)&me, sizeof(me)))
		return libuet_failed(u, "bind");
	if (uet_address(u, &me))
		return -1;
	u->job = me.suet_job;
	return 0;
}

static int open_ring(struct uet *u, const struct plan *p)
{
	if (uet_cq_open(&u->cq, u->fd, p->attr.completions ? : COMPLETIONS)) {
		u->cq.shared = NULL;
		return libuet_failed(u, "UET_IOC_CQ_RING");
	}
	return 0;
}

static int number_peers(struct uet *u)
{
	uint32_t i;

	if (!u->addrs)
		return 0;
	u->peers = calloc(u->size, sizeof(*u->peers));
	if (!u->peers)
		return libuet_refuse(u, ENOMEM, "no memory for %u peers", u->size);
	for (i = 0; i < u->size; i++) {
		u->addrs[i].suet_job = u->job;
		u->peers[i] = uet_peer_add(u, &u->addrs[i]);
		if (!u->peers[i])
			return -1;
	}
	return 0;
}

static int open_all(struct uet *u, const struct uet_attr *attr)
{
	struct plan p = { .family = uet_af() };

	if (attr)
		p.attr = *attr;
	if (make_plan(u, &p) || open_socket(u, &p) || bind_socket(u, &p) ||
	    open_ring(u, &p) || number_peers(u))
		return -1;
	if (u->size == 1 || p.attr.flags & UET_OPEN_NO_BARRIER)
		return 0;
	return libuet_control_open(u, RI_MAX + p.ri, p.job_fd);
}

struct uet *uet_open(const struct uet_attr *attr, char *error)
{
	struct uet *u = calloc(1, sizeof(*u));
	int why;

	if (!u) {
		if (error)
			strcpy(error, "no memory for a handle");
		return NULL;
	}
	u->fd = u->control = -1;
	u->size = 1;
	if (!open_all(u, attr))
		return u;
	why = u->error;
	if (error)
		memcpy(error, uet_strerror(u), UET_ERROR_SIZE);
	uet_close(u);
	errno = why;
	return NULL;
}

/* The end of the socket, whoever has inherited it; nobody waits for answers. */
void libuet_close_socket(int fd)
{
	if (fd < 0)
		return;
	fcntl(fd, F_SETFL, O_NONBLOCK);
	shutdown(fd, SHUT_RDWR);
	close(fd);
}

void uet_close(struct uet *u)
{
	if (!u)
		return;
	if (u->cq.shared)
		uet_cq_close(&u->cq);
	libuet_close_socket(u->control);
	libuet_close_socket(u->fd);
	libuet_collective_end(u);
	free(u->backlog);
	free(u->probes);
	free(u->peers);
	free(u->addrs);
	free(u);
}

int uet_fd(const struct uet *u)
{
	return u->fd;
}

int uet_address(struct uet *u, struct sockaddr_uet *addr)
{
	socklen_t length = sizeof(*addr);

	if (getsockname(u->fd, (struct sockaddr *)addr, &length))
		return libuet_failed(u, "getsockname");
	return 0;
}

int uet_finish(struct uet *u)
{
	if (libuet_late(u))
		return -1;
	if (shutdown(u->fd, SHUT_WR))
		return libuet_failed(u, "shutdown");
	return 0;
}
