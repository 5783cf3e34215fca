// SPDX-License-Identifier: GPL-2.0
/*
 * Jobs of a namespace: creation, deletion, and the permission check of bind(), which decides
 * whether a caller may be an endpoint of a job on a FEP.  A job descriptor is a file that carries
 * the authority of a job from one process to another.  It can be attached to a socket
 * (socket/sock_addr.c), polled for the deletion of the job, and inspected in procfs.
 * Spec: UE 1.0.1 3.4.7 (trusted software inserts JobIDs).
 */
#include <linux/anon_inodes.h>
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "base/base.h"
#include "job.h"
#include "net.h"

/*
 * uet_job_find() - a job, without a reference, or NULL
 * Context: rcu_read_lock() or uet_net.cfg_mutex held.
 */
struct uet_job *uet_job_find(struct uet_net *un, u32 id)
{
	return xa_load(&un->jobs, id);
}

/*
 * uet_job_may_bind() - may the calling process bind to a job that is not deleted?
 * Context: Process context, uet_net.cfg_mutex held.
 * Return: true for the owner, a member of the group, and CAP_NET_ADMIN in the namespace.
 */
bool uet_job_may_bind(const struct uet_job *job)
{
	if (uid_eq(current_euid(), job->cfg.uid))
		return true;
	if (gid_valid(job->cfg.gid) && in_egroup_p(job->cfg.gid))
		return true;
	return ns_capable(job->un->net->user_ns, CAP_NET_ADMIN);
}

/*
 * uet_job_has_fep() - may a job use a FEP?
 */
bool uet_job_has_fep(const struct uet_job *job, const struct uet_fep *fep)
{
	unsigned int i;

	for (i = 0; i < job->cfg.nr_feps; i++) {
		if (job->fep[i] == fep)
			return true;
	}
	return false;
}

/*
 * uet_job_get() - take a reference
 *
 * The caller has one, or holds uet_net.cfg_mutex and found @job in uet_net.jobs.
 */
void uet_job_get(struct uet_job *job)
{
	refcount_inc(&job->refs);
}

/*
 * uet_job_put() - drop a reference
 */
void uet_job_put(struct uet_job *job)
{
	if (refcount_dec_and_test(&job->refs))
		kfree_rcu(job, rcu);
}

/*
 * Take a job out of uet_net.jobs.  Job descriptors and sockets may keep the memory of a
 * deleted job.  The job drops its FEPs here, so that a process cannot keep FEPs alive.
 */
static void job_kill(struct uet_job *job)
{
	unsigned int i;

	lockdep_assert_held(&job->un->cfg_mutex);

	xa_erase(&job->un->jobs, job->cfg.id);
	uet_quota_give(job->un, UET_QUOTA_JOB);
	WRITE_ONCE(job->un, NULL);
	wake_up_poll(&job->gone, EPOLLHUP);
	for (i = 0; i < job->cfg.nr_feps; i++)
		uet_fep_put(job->fep[i]);
	uet_job_put(job);
}

static int job_check(struct uet_net *un, const struct uet_job_cfg *cfg,
		     struct netlink_ext_ack *extack)
{
	unsigned int i, k;

	if (uet_job_find(un, cfg->id))
		return uet_refuse(extack, -EEXIST, "job: id is taken");
	if (!cfg->nr_feps)
		return uet_refuse(extack, -EINVAL, "job: needs a fep");
	for (i = 0; i < cfg->nr_feps; i++) {
		if (!uet_fep_find(un, cfg->fep[i]))
			return uet_refuse(extack, -ENOENT, "job: no such fep");
		for (k = 0; k < i; k++) {
			if (strcmp(cfg->fep[k], cfg->fep[i]))
				continue;
			return uet_refuse(extack, -EINVAL, "job: a fep is named twice");
		}
	}
	return 0;
}

/* Put a job into uet_net.jobs, where readers find it at once. */
static int job_publish(struct uet_net *un, struct uet_job *job)
{
	unsigned int i;
	int err;

	job->un = un;
	atomic_set(&job->nr_fds, 0);
	init_waitqueue_head(&job->gone);
	refcount_set(&job->refs, 1);
	for (i = 0; i < job->cfg.nr_feps; i++)
		job->fep[i] = uet_fep_find(un, job->cfg.fep[i]);
	err = xa_insert(&un->jobs, job->cfg.id, job, GFP_KERNEL);
	if (err)
		return err;
	for (i = 0; i < job->cfg.nr_feps; i++)
		uet_fep_get(job->fep[i]);
	return 0;
}

/*
 * uet_job_add() - create a job, each field of @cfg within its range
 * Context: Process context, uet_net.cfg_mutex held.
 * Return: 0; -EEXIST; -ENOENT: no such FEP; -EINVAL; -ENOSPC: the quota is used up; -ENOMEM.
 */
int uet_job_add(struct uet_net *un, const struct uet_job_cfg *cfg, struct netlink_ext_ack *extack)
{
	struct uet_job *job;
	int err;

	lockdep_assert_held(&un->cfg_mutex);

	err = job_check(un, cfg, extack);
	if (!err)
		err = uet_quota_take(un, UET_QUOTA_JOB, extack);
	if (err)
		return err;

	job = kzalloc(sizeof(*job), GFP_KERNEL_ACCOUNT);
	if (job)
		job->cfg = *cfg;
	if (!job || job_publish(un, job)) {
		kfree(job);
		uet_quota_give(un, UET_QUOTA_JOB);
		return uet_refuse(extack, -ENOMEM, "job: out of memory");
	}
	uet_net_changed(un);
	uet_event_job(job, false);
	return 0;
}

/*
 * uet_job_del() - delete a job
 * Context: Process context, uet_net.cfg_mutex held.
 * Return: 0, -ENOENT, -EBUSY while endpoints are bound.
 */
int uet_job_del(struct uet_net *un, u32 id, struct netlink_ext_ack *extack)
{
	struct uet_job *job;

	lockdep_assert_held(&un->cfg_mutex);

	job = uet_job_find(un, id);
	if (!job)
		return uet_refuse(extack, -ENOENT, "job: no such job");
	if (job->nr_eps) {
		uet_extack_fmt(extack, "job: endpoints are bound under it",
			       "job: %u endpoints are bound under it", job->nr_eps);
		return -EBUSY;
	}
	uet_event_job(job, true);
	job_kill(job);
	uet_net_changed(un);
	return 0;
}

/*
 * uet_job_flush() - delete all jobs after the last endpoint
 * Context: Process context, uet_net.cfg_mutex held.
 */
void uet_job_flush(struct uet_net *un)
{
	struct uet_job *job;
	unsigned long id;

	xa_for_each(&un->jobs, id, job)
		job_kill(job);
}

/*
 * A file holds the memory of its job and, by its operations, the module.  The job and the
 * namespace may be deleted while the file is open, so uet_job.un is never dereferenced here.
 */

static int jobfd_release(struct inode *inode, struct file *file)
{
	struct uet_job *job = file->private_data;

	atomic_dec(&job->nr_fds);
	uet_job_put(job);
	return 0;
}

static __poll_t jobfd_poll(struct file *file, struct poll_table_struct *wait)
{
	struct uet_job *job = file->private_data;

	poll_wait(file, &job->gone, wait);
	return READ_ONCE(job->un) ? 0 : EPOLLHUP;
}

static void jobfd_show_fdinfo(struct seq_file *m, struct file *file)
{
	const struct uet_job *job = file->private_data;

	seq_printf(m, "job:\t%u\n", job->cfg.id);
	if (job->cfg.name[0])
		seq_printf(m, "name:\t%s\n", job->cfg.name);
	seq_printf(m, "state:\t%s\n", READ_ONCE(job->un) ? "alive" : "deleted");
}

static const struct file_operations jobfd_fops = {
	.owner = THIS_MODULE,
	.release = jobfd_release,
	.poll = jobfd_poll,
	.show_fdinfo = jobfd_show_fdinfo,
	.llseek = noop_llseek,
};

/*
 * uet_job_fd_make() - open a descriptor of a job in the calling process; the caller has a
 * reference
 * @is_cloexec: execve() closes the descriptor
 * Return: the descriptor; -EMFILE, -ENFILE; -ENOMEM.
 */
int uet_job_fd_make(struct uet_job *job, bool is_cloexec)
{
	int fd;

	uet_job_get(job);
	atomic_inc(&job->nr_fds);
	fd = anon_inode_getfd("[uet-job]", &jobfd_fops, job, O_RDWR | (is_cloexec ? O_CLOEXEC : 0));
	if (fd < 0) {
		atomic_dec(&job->nr_fds);
		uet_job_put(job);
	}
	return fd;
}

/*
 * uet_job_fd_get() - the job of a descriptor of the calling process
 * Return: the job, with a reference, possibly deleted; -EBADF: no such descriptor; -EINVAL: not
 *	a job descriptor.
 */
struct uet_job *uet_job_fd_get(int fd)
{
	struct file *file = fget(fd);
	struct uet_job *job = ERR_PTR(-EINVAL);

	if (!file)
		return ERR_PTR(-EBADF);
	if (file->f_op == &jobfd_fops) {
		job = file->private_data;
		uet_job_get(job);
	}
	fput(file);
	return job;
}
