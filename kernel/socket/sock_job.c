// SPDX-License-Identifier: GPL-2.0
/*
 * Decides which job a socket may be bound to: by the credentials of the caller, or by a
 * job descriptor that the socket was given.
 * Spec: UE 1.0.1 3.4.7.
 */
#include <linux/uaccess.h>

#include "fabric/fabric.h"
#include "socket.h"

/* The job that the calling process may bind to. */
static struct uet_job *sjob_of_caller(struct uet_sock *us, const char *call,
				      u32 id)
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
static int sjob_check(struct uet_sock *us, const char *call,
		      const struct uet_job *job)
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
static struct uet_job *sjob_granted(struct uet_sock *us, const char *call,
				    u32 id)
{
	struct uet_job *job = us->grant;
	int err = sjob_check(us, call, job);

	if (!err && id && id != job->cfg.id)
		err = uet_sock_refuse(us, -EACCES, "%s: suet_job %u is not job %u of UET_JOB_FD",
				      call, id, job->cfg.id);
	return err ? ERR_PTR(err) : job;
}

/* The family of a job that is for sockets which the programs of cgroups see. */
static struct uet_job *sjob_check_family(struct uet_sock *us, const char *call,
					 struct uet_job *job)
{
	int err;

	if (IS_ERR(job) || !job->cfg.inet_only ||
	    us->sk.sk_family == AF_INET || us->sk.sk_family == AF_INET6)
		return job;
	err = uet_sock_refuse(us, -EACCES, "%s: job %u is for sockets of AF_INET and AF_INET6 only (inet-only)",
			      call, job->cfg.id);
	return ERR_PTR(err);
}

/*
 * Find the job a socket may be bound to.
 * @id: JobID, at most UET_JOBID_MAX; 0: the job of UET_JOB_FD
 *
 * Context: Process, lock_sock() and uet_net.cfg_mutex held.
 * Return: the job, on the list, without a reference; -EINVAL: JobID 0 without
 *	UET_JOB_FD; -ENOENT; -EACCES: no right to bind, or not with this family; -ESTALE.
 */
struct uet_job *uet_sock_job(struct uet_sock *us, const char *call, u32 id)
{
	if (us->grant)
		return sjob_check_family(us, call, sjob_granted(us, call, id));
	if (id)
		return sjob_check_family(us, call, sjob_of_caller(us, call, id));
	uet_sock_refuse(us, -EINVAL, "%s: suet_job 0 is not in 1..%u, without UET_JOB_FD",
			call, UET_JOBID_MAX);
	return ERR_PTR(-EINVAL);
}

/*
 * UET_JOB_FD: accept the authority of a job descriptor.
 * @fd: descriptor, or -1 to drop the authority
 *
 * Context: Process.
 * Return: 0; -EBADF; -EINVAL: not a job descriptor, or the socket is bound;
 *	-ESTALE; -EXDEV.
 */
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

/* The job for a new descriptor of the calling process, with a reference. */
static struct uet_job *sjob_get(struct uet_sock *us, u32 id)
{
	struct uet_net *un = uet_net(sock_net(&us->sk));
	struct uet_job *job;

	mutex_lock(&un->cfg_mutex);
	job = sjob_of_caller(us, "UET_IOC_JOB_OPEN", id);
	if (!IS_ERR(job))
		uet_job_get(job);
	mutex_unlock(&un->cfg_mutex);
	return job;
}

/*
 * UET_IOC_JOB_OPEN: open a descriptor of a job.
 * @us: socket in the namespace of the job
 *
 * Only the caller's own credentials count. Authority that the socket got from a
 * descriptor is not passed on to a process that received the socket.
 *
 * Context: Process, sleeps.
 * Return: the descriptor; -EFAULT; -EINVAL; -ENOENT: no such job; -EACCES:
 *	caller is not in the job's user or group; -EMFILE, -ENFILE; -ENOMEM.
 */
int uet_sock_ioctl_job_open(struct uet_sock *us, void __user *arg)
{
	struct uet_job_open req;
	struct uet_job *job;
	int fd;

	if (copy_from_user(&req, arg, sizeof(req)))
		return -EFAULT;
	if (!req.job || req.job > UET_JOBID_MAX)
		return uet_sock_refuse(us, -EINVAL, "UET_IOC_JOB_OPEN: job %u is not in 1..%u",
				       req.job, UET_JOBID_MAX);
	if (req.flags & ~UET_JOB_CLOEXEC)
		return uet_sock_refuse(us, -EINVAL, "UET_IOC_JOB_OPEN: flags 0x%x are unknown",
				       req.flags & ~UET_JOB_CLOEXEC);
	job = sjob_get(us, req.job);
	if (IS_ERR(job))
		return PTR_ERR(job);
	fd = uet_job_fd_make(job, req.flags & UET_JOB_CLOEXEC);
	uet_job_put(job);
	if (fd < 0)
		uet_sock_refuse(us, fd, "UET_IOC_JOB_OPEN: no descriptor or memory is left");
	return fd;
}

/*
 * Drop the job reference of UET_JOB_FD in close().
 * Context: Process, no other user of the socket.
 */
void uet_sock_drop_grant(struct uet_sock *us)
{
	if (us->grant)
		uet_job_put(us->grant);
	us->grant = NULL;
}
