// SPDX-License-Identifier: GPL-2.0
/*
 * Job descriptors: files that carry the authority of a job from one process to another.
 * A descriptor can be attached to a socket (socket/sock_addr.c), polled for the deletion
 * of the job, and inspected in procfs.
 * Spec: UE 1.0.1 3.4.7 (trusted software inserts JobIDs).
 *
 * Lifetime: a file holds the memory of its job and, by its operations, the module.  The
 * job and the namespace may be deleted while the file is open, so this file never
 * dereferences uet_job.un.
 */
#include <linux/anon_inodes.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/seq_file.h>

#include "job.h"

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

/**
 * uet_job_fd_make() - open a descriptor of a job in the calling process
 * @job: the job; the caller has a reference
 * @is_cloexec: execve() closes the descriptor
 *
 * Context: Process, may sleep.
 * Return: the descriptor; -EMFILE, -ENFILE; -ENOMEM.
 */
int uet_job_fd_make(struct uet_job *job, bool is_cloexec)
{
	int fd;

	uet_job_get(job);
	atomic_inc(&job->nr_fds);
	fd = anon_inode_getfd("[uet-job]", &jobfd_fops, job,
			      O_RDWR | (is_cloexec ? O_CLOEXEC : 0));
	if (fd < 0) {
		atomic_dec(&job->nr_fds);
		uet_job_put(job);
	}
	return fd;
}

/**
 * uet_job_fd_get() - look up the job of a descriptor
 * @fd: descriptor of the calling process
 *
 * Context: Process.
 * Return: the job, with a reference, possibly deleted; -EBADF: no such descriptor;
 *	-EINVAL: not a job descriptor.
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
