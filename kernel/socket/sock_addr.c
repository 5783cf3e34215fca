// SPDX-License-Identifier: GPL-2.0
/*
 * Addresses of AF_UET sockets: checks struct sockaddr_uet field by field and converts it to and
 * from the kernel's types. Decides which addresses a socket may bind or send to, and which job
 * it may be bound to: by the credentials of the caller, or by a job descriptor that the socket
 * was given. connect() and getsockname() are here, too.
 * Spec: UE 1.0.1 3.4.1 (addressing), 3.4.7.
 */
#include <linux/inet.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/uaccess.h>
#include <net/addrconf.h>

#include "base/base.h"
#include "carrier/carrier.h"
#include "fabric/fabric.h"
#include "pdc/pdc.h"
#include "socket.h"

static int family = AF_UET;
module_param(family, int, 0444);
MODULE_PARM_DESC(family, "address family number of AF_UET sockets");

/**
 * uet_sock_family() - number of the family AF_UET on this host, a module parameter
 */
int uet_sock_family(void)
{
	return family;
}
UET_EXPORT(uet_sock_family);

#define SADDR_FLAGS	(UET_ADDR_ABSOLUTE | UET_ADDR_IPV6)

/* The limits of addresses are those of the fields on the wire. */
static_assert(UET_JOBID_MAX == UET_JOB_MAX);
static_assert(UET_PIDONFEP_MAX == UET_PID_MAX);
static_assert(UET_RINDEX_MAX == UET_RI_MAX);

/* Check the parts of an address that do not depend on its use: form and JobID. */
static int saddr_check(struct uet_sock *us, const char *call,
		       const struct sockaddr_uet *addr, int len)
{
	if (len < (int)sizeof(*addr))
		return uet_sock_refuse(us, -EINVAL, "%s: address of %d bytes is shorter than %zu",
				       call, len, sizeof(*addr));
	if (addr->suet_family != uet_sock_family())
		return uet_sock_refuse(us, -EAFNOSUPPORT, "%s: suet_family %u is not %u",
				       call, addr->suet_family,
				       uet_sock_family());
	if (addr->suet_version != UET_ADDR_VERSION)
		return uet_sock_refuse(us, -EINVAL, "%s: suet_version %u is not %u",
				       call, addr->suet_version,
				       UET_ADDR_VERSION);
	if (addr->suet_flags & ~SADDR_FLAGS)
		return uet_sock_refuse(us, -EINVAL, "%s: suet_flags 0x%x has unknown bits",
				       call, addr->suet_flags);
	if (addr->suet_reserved)
		return uet_sock_refuse(us, -EINVAL, "%s: suet_reserved is not 0",
				       call);
	if (addr->suet_job > UET_JOBID_MAX)
		return uet_sock_refuse(us, -EINVAL, "%s: suet_job %u is above %u",
				       call, addr->suet_job, UET_JOBID_MAX);
	return 0;
}

/*
 * uet_sock_addr_fa() - the fabric address of a struct sockaddr_uet
 */
struct uet_fa uet_sock_addr_fa(const struct sockaddr_uet *addr)
{
	struct in6_addr v6;

	if (!(addr->suet_flags & UET_ADDR_IPV6))
		return uet_fa_v4(addr->suet_fa4);
	memcpy(&v6, addr->suet_fa6, sizeof(v6));
	return uet_fa_v6(&v6, addr->suet_scope_id);
}

/* Decode a destination of any call. */
int uet_sock_addr_dest(struct uet_sock *us, const char *call, const struct sockaddr_uet *addr,
		       int len, struct uet_sock_dest *dest)
{
	struct uet_fa fa;
	int err;

	err = saddr_check(us, call, addr, len);
	if (err)
		return err;
	if (!addr->suet_job)
		return uet_sock_refuse(us, -EINVAL, "%s: suet_job 0 is not in 1..%u",
				       call, UET_JOBID_MAX);
	fa = uet_sock_addr_fa(addr);
	if (!uet_fa_is_unicast(&fa))
		return uet_sock_refuse(us, -EINVAL, "%s: the fabric address is not a unicast address",
				       call);
	if (addr->suet_pid > UET_PIDONFEP_MAX)
		return uet_sock_refuse(us, -EINVAL, "%s: suet_pid %u is above %u",
				       call, addr->suet_pid, UET_PIDONFEP_MAX);
	if (!addr->suet_ri || addr->suet_ri > UET_RINDEX_MAX)
		return uet_sock_refuse(us, -EINVAL, "%s: suet_ri %u is not in 1..%u",
				       call, addr->suet_ri, UET_RINDEX_MAX);
	dest->fa = fa;
	dest->job = addr->suet_job;
	dest->pid = addr->suet_pid;
	dest->ri = addr->suet_ri;
	dest->rel = !(addr->suet_flags & UET_ADDR_ABSOLUTE);
	return 0;
}

/*
 * uet_sock_addr_fill() - start an address for user space: job, pid, ri and initiator are 0
 */
void uet_sock_addr_fill(struct sockaddr_uet *addr, const struct uet_fa *fa)
{
	memset(addr, 0, sizeof(*addr));
	addr->suet_family = uet_sock_family();
	addr->suet_version = UET_ADDR_VERSION;
	if (fa->family == AF_INET6) {
		addr->suet_flags |= UET_ADDR_IPV6;
		addr->suet_scope_id = fa->scope_id;
		memcpy(addr->suet_fa6, &fa->v6, sizeof(addr->suet_fa6));
	} else {
		addr->suet_fa4 = fa->v4;
	}
}

/*
 * uet_sock_dest_fill() - write an endpoint to a struct sockaddr_uet
 */
void uet_sock_dest_fill(struct sockaddr_uet *addr, const struct uet_sock_dest *dest)
{
	uet_sock_addr_fill(addr, &dest->fa);
	addr->suet_job = dest->job;
	addr->suet_pid = dest->pid;
	addr->suet_ri = dest->ri;
	if (!dest->rel)
		addr->suet_flags |= UET_ADDR_ABSOLUTE;
}
UET_EXPORT(uet_sock_dest_fill);

/* ----------------------------------------------------------------------- jobs */

/* The job that the calling process may bind to. */
static struct uet_job *sjob_of_caller(struct uet_sock *us, const char *call, u32 id)
{
	struct uet_job *job = uet_job_find(uet_net(sock_net(&us->sk)), id);
	int err;

	if (!job)
		err = uet_sock_refuse(us, -ENOENT, "%s: there is no job %u in this network namespace",
				      call, id);
	else if (!uet_job_may_bind(job))
		err = uet_sock_refuse(us, -EACCES, "%s: not the user or group of job %u",
				      call, id);
	else
		return job;
	return ERR_PTR(err);
}

/* Check that a job is in this namespace and not deleted. Return: 0 if so. */
static int sjob_check(struct uet_sock *us, const char *call, const struct uet_job *job)
{
	const struct uet_net *un = READ_ONCE(job->un);

	if (!un)
		return uet_sock_refuse(us, -ESTALE, "%s: job %u of UET_JOB_FD was deleted",
				       call, job->cfg.id);
	if (un != uet_net(sock_net(&us->sk)))
		return uet_sock_refuse(us, -EXDEV, "%s: job %u of UET_JOB_FD is of another network namespace",
				       call, job->cfg.id);
	return 0;
}

/* The job of the descriptor, independent of the caller. */
static struct uet_job *sjob_granted(struct uet_sock *us, const char *call, u32 id)
{
	struct uet_job *job = us->grant;
	int err = sjob_check(us, call, job);

	if (!err && id && id != job->cfg.id)
		err = uet_sock_refuse(us, -EACCES, "%s: suet_job %u is not job %u of UET_JOB_FD",
				      call, id, job->cfg.id);
	return err ? ERR_PTR(err) : job;
}

/*
 * Return: the job a socket may be bound to, without a reference; under lock_sock() and
 * cfg_mutex. Without @id that of UET_JOB_FD.
 */
static struct uet_job *sjob_of(struct uet_sock *us, const char *call, u32 id)
{
	struct uet_job *job;

	if (us->grant) {
		job = sjob_granted(us, call, id);
	} else if (id) {
		job = sjob_of_caller(us, call, id);
	} else {
		uet_sock_refuse(us, -EINVAL, "%s: suet_job 0 is not in 1..%u, without UET_JOB_FD",
				call, UET_JOBID_MAX);
		return ERR_PTR(-EINVAL);
	}
	/* The job may be for sockets which the programs of cgroups see. */
	if (IS_ERR(job) || !job->cfg.inet_only ||
	    us->sk.sk_family == AF_INET || us->sk.sk_family == AF_INET6)
		return job;
	uet_sock_refuse(us, -EACCES, "%s: job %u is for sockets of AF_INET and AF_INET6 only (inet-only)",
			call, job->cfg.id);
	return ERR_PTR(-EACCES);
}

/* UET_JOB_FD: accept the authority of a job descriptor; -1 drops it. */
int uet_sock_set_job_fd(struct uet_sock *us, int fd)
{
	struct uet_job *job = NULL;
	int err = 0;

	if (fd != -1)
		job = uet_job_fd_get(fd);
	if (IS_ERR(job))
		return uet_sock_refuse(us, PTR_ERR(job), "setsockopt: UET_JOB_FD: %d is no descriptor of a job",
				       fd);
	lock_sock(&us->sk);
	if (uet_sock_is_bound(us))
		err = uet_sock_refuse(us, -EINVAL, "setsockopt: UET_JOB_FD cannot change once the socket is bound");
	else if (job)
		err = sjob_check(us, "setsockopt", job);
	if (!err)
		swap(us->grant, job);
	release_sock(&us->sk);
	/* Either the unused new job or the replaced job. */
	if (job)
		uet_job_put(job);
	return err;
}

/*
 * Only the caller's own credentials count. Authority that the socket got from a descriptor is
 * not passed on to a process that received the socket.
 */
int uet_sock_ioctl_job_open(struct uet_sock *us, void *arg)
{
	struct uet_net *un = uet_net(sock_net(&us->sk));
	const struct uet_job_open *req = arg;
	struct uet_job *job;
	int fd;

	if (!req->job || req->job > UET_JOBID_MAX)
		return uet_sock_refuse(us, -EINVAL, "UET_IOC_JOB_OPEN: job %u is not in 1..%u",
				       req->job, UET_JOBID_MAX);
	mutex_lock(&un->cfg_mutex);
	job = sjob_of_caller(us, "UET_IOC_JOB_OPEN", req->job);
	if (!IS_ERR(job))
		uet_job_get(job);
	mutex_unlock(&un->cfg_mutex);
	if (IS_ERR(job))
		return PTR_ERR(job);
	fd = uet_job_fd_make(job, req->flags & UET_JOB_CLOEXEC);
	uet_job_put(job);
	if (fd < 0)
		uet_sock_refuse(us, fd, "UET_IOC_JOB_OPEN: no descriptor or memory is left");
	return fd;
}

/* ------------------------------------------------- becoming an endpoint */

/* Does @want, which may leave the address or the family open, match @fa? */
static bool saddr_means(const struct uet_fa *want, const struct uet_fa *fa)
{
	if (want->family == AF_UNSPEC)
		return true;
	if (ipv6_addr_any(&want->v6))
		return want->family == fa->family;
	return uet_fa_equal(want, fa);
}

/* The only FEP of @job that matches @fa. */
static struct uet_fep *saddr_pick_fep(struct uet_sock *us, const char *call,
				      const struct uet_job *job, const struct uet_fa *fa)
{
	struct uet_fep *found = NULL;
	unsigned int i;

	for (i = 0; i < job->cfg.nr_feps; i++) {
		if (!saddr_means(fa, &job->fep[i]->cfg.fa))
			continue;
		if (found) {
			uet_sock_refuse(us, 0, "%s: job %u has several FEPs, name one by its fabric address",
					call, job->cfg.id);
			return NULL;
		}
		found = job->fep[i];
	}
	if (!found)
		uet_sock_refuse(us, 0, "%s: no FEP of job %u has this fabric address",
				call, job->cfg.id);
	return found;
}

/* Is the address that of all streams of the job, or of its connection managers? */
static bool saddr_is_well_known(const struct uet_sock *us, u16 pid, u16 ri)
{
	return (ri == UET_RINDEX_STREAM || ri == UET_RINDEX_CM) &&
	       pid == us->job->cfg.pid_min && us->addr.rel;
}

/* Only the kernel binds such an address, by its number. */
static bool saddr_is_reserved(const struct uet_sock *us, u16 pid, u16 ri)
{
	return saddr_is_well_known(us, pid, ri) && !us->owner;
}

/* Make the socket endpoint {@pid, @ri} of us->fep; the other address fields are set. */
static int saddr_take_key(struct uet_sock *us, u16 pid, u16 ri)
{
	if (saddr_is_reserved(us, pid, ri))
		return -EADDRNOTAVAIL;
	us->addr.pid = pid;
	us->addr.ri = ri;
	us->addr.initiator = us->opt.initiator ? : UET_INITIATOR_ID(pid, ri);
	us->key.job = us->addr.rel ? us->addr.job : 0;
	us->key.pid = pid;
	us->key.ri = ri;
	return uet_ep_table_add(us->fep->eps, us);
}

/* Can an endpoint with the Resource Index @ri, 0 for any, be bound at @pid? */
static bool saddr_has_space(const struct uet_sock *us, u16 pid, u16 ri)
{
	const struct uet_ep_key key = {
		.job = us->addr.rel ? us->addr.job : 0,
		.pid = pid,
		.ri = ri,
	};

	if (saddr_is_reserved(us, pid, ri))
		return false;
	if (ri)
		return !uet_ep_table_has(us->fep->eps, &key);
	return uet_ep_table_nr_eps(us->fep->eps, &key) < UET_RINDEX_MAX;
}

/*
 * A PIDonFEP of the job without an endpoint, so that processes with an open PIDonFEP do not
 * share one; else one with space for @ri; else UET_PID_ANY.
 */
static u32 saddr_choose_pid(const struct uet_sock *us, u16 ri)
{
	const struct uet_job_cfg *cfg = &us->job->cfg;
	u32 pids = cfg->pid_max - cfg->pid_min + 1;
	u32 start = reciprocal_scale(get_random_u32(), pids);
	struct uet_ep_key key = { .job = us->addr.rel ? us->addr.job : 0 };
	u32 i, shared = UET_PID_ANY;

	for (i = 0; i < pids; i++) {
		key.pid = cfg->pid_min + (start + i) % pids;
		if (!uet_ep_table_nr_eps(us->fep->eps, &key) &&
		    !saddr_is_reserved(us, key.pid, ri))
			return key.pid;
		if (shared == UET_PID_ANY && saddr_has_space(us, key.pid, ri))
			shared = key.pid;
		cond_resched();
	}
	return shared;
}

/* A Resource Index without an endpoint at @pid; 0 if there is none. */
static u16 saddr_choose_ri(const struct uet_sock *us, u16 pid)
{
	u32 start = reciprocal_scale(get_random_u32(), UET_RINDEX_MAX);
	u32 i, ri;

	for (i = 0; i < UET_RINDEX_MAX; i++) {
		ri = 1 + (start + i) % UET_RINDEX_MAX;
		if (!saddr_is_well_known(us, pid, ri) && saddr_has_space(us, pid, ri))
			return ri;
		cond_resched();
	}
	return 0;
}

/*
 * Choose the open fields of @want from a random start, so that the address of a closed socket
 * is not reused at once. The PIDonFEP is chosen first, by the number of its endpoints, so the
 * look-ups are as many as PIDonFEPs plus Resource Indexes, not their product. Under cfg_mutex
 * no other address is taken meanwhile.
 */
static int saddr_choose_key(struct uet_sock *us, const struct uet_sock_dest *want)
{
	u32 pid = want->pid, ri = want->ri;

	if (pid == UET_PID_ANY)
		pid = saddr_choose_pid(us, ri);
	if (pid == UET_PID_ANY)
		return -EADDRINUSE;
	if (!ri && saddr_has_space(us, pid, 0))
		ri = saddr_choose_ri(us, pid);
	return ri ? saddr_take_key(us, pid, ri) : -EADDRINUSE;
}

/* Find the job and check that it has the PIDonFEP. Under cfg_mutex. */
static struct uet_job *saddr_check_job(struct uet_sock *us, const char *call,
				       const struct uet_sock_dest *want)
{
	struct uet_job *job = sjob_of(us, call, want->job);
	int err;

	if (IS_ERR(job) || want->pid == UET_PID_ANY ||
	    want->pid == UET_PID_FIRST ||
	    (want->pid >= job->cfg.pid_min && want->pid <= job->cfg.pid_max))
		return job;
	err = uet_sock_refuse(us, -EADDRNOTAVAIL, "%s: suet_pid %u is not in %u..%u of job %u",
			      call, want->pid, job->cfg.pid_min,
			      job->cfg.pid_max, job->cfg.id);
	return ERR_PTR(err);
}

static int saddr_explain_key(struct uet_sock *us, const char *call,
			     const struct uet_sock_dest *want, int err)
{
	if (err == -EADDRNOTAVAIL)
		return uet_sock_refuse(us, err, "%s: suet_ri %u of suet_pid %u is that of the %s of job %u",
				       call, want->ri, want->pid, want->ri == UET_RINDEX_CM ?
				       "connection managers" : "streams", us->addr.job);
	if (err != -EADDRINUSE)
		return uet_sock_refuse(us, err, "%s: out of memory", call);
	if (want->pid != UET_PID_ANY && want->ri)
		return uet_sock_refuse(us, err, "%s: pid %u ri %u of job %u is in use on FEP %s",
				       call, want->pid, want->ri, us->addr.job,
				       us->fep->cfg.name);
	return uet_sock_refuse(us, err, "%s: all that fit are in use: suet_job %u suet_pid %u suet_ri %u on FEP %s",
			       call, us->addr.job, want->pid, want->ri,
			       us->fep->cfg.name);
}

static int saddr_bind_locked(struct uet_sock *us, const char *call,
			     const struct uet_sock_dest *want)
{
	struct uet_sock_dest addr = *want;
	struct uet_fep *fep;
	struct uet_job *job;
	int err;

	job = saddr_check_job(us, call, want);
	if (IS_ERR(job))
		return PTR_ERR(job);
	fep = saddr_pick_fep(us, call, job, &want->fa);
	if (!fep)
		return -EADDRNOTAVAIL;

	us->fep = fep;
	us->job = job;
	us->addr.job = job->cfg.id;
	us->addr.rel = want->rel;
	if (addr.pid == UET_PID_FIRST)
		addr.pid = job->cfg.pid_min;
	err = saddr_choose_key(us, &addr);
	if (err)
		return saddr_explain_key(us, call, &addr, err);

	uet_fep_get(fep);
	uet_job_get(job);
	WRITE_ONCE(job->nr_eps, job->nr_eps + 1);
	/* Pairs with the acquire in uet_sock_is_bound(). */
	smp_store_release(&us->sk.sk_state, UET_SOCK_BOUND);
	return 0;
}

/*
 * The socket layer stores the device without asking the family, and the socket would use all
 * rails.
 */
int uet_sock_refuse_device(struct uet_sock *us, const char *call)
{
	return uet_sock_refuse(us, -EOPNOTSUPP, "%s: the socket has SO_BINDTODEVICE or SO_BINDTOIFINDEX, but the FEP chooses the rails; use a FEP with this rail only",
			       call);
}

/* Under lock_sock(); see uet_sock_bind_to(). */
static int saddr_bind_to(struct uet_sock *us, const char *call,
			 const struct uet_sock_dest *want)
{
	struct uet_net *un = uet_net(sock_net(&us->sk));
	int err;

	if (READ_ONCE(us->sk.sk_bound_dev_if))
		return uet_sock_refuse_device(us, call);
	mutex_lock(&un->cfg_mutex);
	err = saddr_bind_locked(us, call, want);
	mutex_unlock(&un->cfg_mutex);
	return err;
}

/* Bind an unbound socket to the job of its destination, on the FEP of the same address family. */
static int saddr_autobind(struct uet_sock *us, const char *call,
			  const struct uet_sock_dest *dest)
{
	struct uet_sock_dest want = {
		.fa.family = dest->fa.family,
		.job = dest->job,
		.pid = UET_PID_ANY,
		.rel = dest->rel,
	};

	if (uet_sock_is_bound(us))
		return 0;
	return saddr_bind_to(us, call, &want);
}

/*
 * A PDC leads to the address, so the address was that of a host when the PDC was opened, and
 * the carrier sends nothing over a route of a broadcast address.
 */
static bool saddr_is_known(struct uet_sock *us, const struct uet_fa *fa)
{
	const struct uet_pdc_entry *pe;
	bool is_known;

	rcu_read_lock();
	pe = rcu_dereference(us->links.latest);
	is_known = pe && uet_fa_equal(&pe->peer, fa);
	rcu_read_unlock();
	return is_known;
}

/*
 * May the socket, which is bound automatically, send to a destination? Under lock_sock(). The
 * JobID of a message is its sender's.
 */
int uet_sock_check_dest(struct uet_sock *us, const char *call, const struct uet_sock_dest *dest)
{
	int err = saddr_autobind(us, call, dest);

	if (err)
		return err;
	if (dest->job != us->addr.job)
		return uet_sock_refuse(us, -EACCES, "%s: suet_job %u is not job %u of the socket",
				       call, dest->job, us->addr.job);
	if (dest->fa.family != us->fep->cfg.fa.family)
		return uet_sock_refuse(us, -EAFNOSUPPORT, "%s: the fabric address is not of the family of FEP %s",
				       call, us->fep->cfg.name);
	if (!saddr_is_known(us, &dest->fa) &&
	    !uet_carrier_is_unicast(us->fep, &dest->fa))
		return uet_sock_refuse(us, -EINVAL, "%s: the fabric address is the broadcast address of a subnet, not a unicast address",
				       call);
	if (!uet_fa_is_on_link(&dest->fa, &us->fep->cfg.fa))
		return uet_sock_refuse(us, -EINVAL, "%s: suet_scope_id %u is not the interface of FEP %s, as for a link-local address it must be",
				       call, dest->fa.scope_id,
				       us->fep->cfg.name);
	return 0;
}

/*
 * uet_sock_bind_to() - make a socket an endpoint
 *
 * Fabric address (0) and its family (AF_UNSPEC), PIDonFEP
 * (UET_PID_ANY, UET_PID_FIRST) and Resource Index (0) may be left open, with UET_JOB_FD also
 * the job. @initiator: 0: that of UET_INITIATOR.
 */
int uet_sock_bind_to(struct uet_sock *us, const char *call,
		     const struct uet_sock_dest *want, u32 initiator)
{
	u32 before, begun = uet_sock_begin_call(us);
	int err;

	lock_sock(&us->sk);
	if (uet_sock_is_bound(us)) {
		err = uet_sock_refuse(us, -EINVAL, "%s: the socket is bound already",
				      call);
	} else {
		/* Pair with the READ_ONCE() in uet_sock_getsockopt(). */
		before = us->opt.initiator;
		if (initiator)
			WRITE_ONCE(us->opt.initiator, initiator);
		err = saddr_bind_to(us, call, want);
		if (err)
			WRITE_ONCE(us->opt.initiator, before);
	}
	release_sock(&us->sk);
	return uet_sock_end_call(us, begun, err);
}
UET_EXPORT(uet_sock_bind_to);

int uet_sock_bind(struct socket *sock, struct sockaddr_unsized *uaddr, int len)
{
	const struct sockaddr_uet *addr = (const struct sockaddr_uet *)uaddr;
	struct uet_sock *us = uet_sk(sock->sk);
	struct uet_sock_dest want;
	int err;

	err = saddr_check(us, "bind", addr, len);
	if (err)
		return err;
	if (addr->suet_pid > UET_PIDONFEP_MAX && addr->suet_pid != UET_PID_ANY)
		return uet_sock_refuse(us, -EINVAL, "bind: suet_pid %u is above %u and not UET_PID_ANY",
				       addr->suet_pid, UET_PIDONFEP_MAX);
	if (addr->suet_ri > UET_RINDEX_MAX)
		return uet_sock_refuse(us, -EINVAL, "bind: suet_ri %u is above %u",
				       addr->suet_ri, UET_RINDEX_MAX);
	want.fa = uet_sock_addr_fa(addr);
	if (want.fa.family == AF_INET && !want.fa.v4)
		want.fa.family = AF_UNSPEC;
	want.job = addr->suet_job;
	want.pid = addr->suet_pid;
	want.ri = addr->suet_ri;
	want.rel = !(addr->suet_flags & UET_ADDR_ABSOLUTE);
	return uet_sock_bind_to(us, "bind", &want, addr->suet_initiator);
}

int uet_sock_connect(struct socket *sock, struct sockaddr_unsized *uaddr, int len, int flags)
{
	const struct sockaddr_uet *addr = (const struct sockaddr_uet *)uaddr;
	struct uet_sock *us = uet_sk(sock->sk);
	u32 begun = uet_sock_begin_call(us);
	struct uet_sock_dest dest = {};
	bool dissolve;
	int err = 0;

	if (len < (int)sizeof(addr->suet_family))
		return uet_sock_refuse(us, -EINVAL, "connect: address of %d bytes has no family",
				       len);
	dissolve = addr->suet_family == AF_UNSPEC;
	if (!dissolve)
		err = uet_sock_addr_dest(us, "connect", addr, len, &dest);
	if (err)
		return err;

	lock_sock(&us->sk);
	if (!dissolve)
		err = uet_sock_check_dest(us, "connect", &dest);
	if (!err)
		us->peer = dest;
	release_sock(&us->sk);
	return uet_sock_end_call(us, begun, err);
}

int uet_sock_getname(struct socket *sock, struct sockaddr *uaddr, int peer)
{
	struct sockaddr_uet *addr = (struct sockaddr_uet *)uaddr;
	struct uet_sock *us = uet_sk(sock->sk);
	int ret = sizeof(*addr);

	lock_sock(&us->sk);
	if (peer && !us->peer.fa.family) {
		ret = -ENOTCONN;
	} else if (peer) {
		uet_sock_dest_fill(addr, &us->peer);
	} else if (uet_sock_is_bound(us)) {
		uet_sock_addr_fill(addr, &us->fep->cfg.fa);
		addr->suet_job = us->addr.job;
		addr->suet_pid = us->addr.pid;
		addr->suet_ri = us->addr.ri;
		addr->suet_initiator = us->addr.initiator;
		if (!us->addr.rel)
			addr->suet_flags |= UET_ADDR_ABSOLUTE;
	} else {
		uet_sock_addr_fill(addr, &(struct uet_fa) {});
	}
	release_sock(&us->sk);
	return ret;
}
