// SPDX-License-Identifier: GPL-2.0
/*
 * Jobs of a namespace: creation, deletion, and the permission check of bind(), which
 * decides whether a caller may be an endpoint of a job on a FEP.
 * Spec: UE 1.0.1 3.4.7.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/poll.h>
#include <linux/slab.h>

#include "base/base.h"
#include "event.h"
#include "job.h"
#include "net.h"
#include "quota.h"

/**
 * uet_job_find() - look up a job
 * @un: namespace
 * @id: JobID
 *
 * Context: rcu_read_lock() or uet_net.cfg_mutex held.
 * Return: the job, without a reference, or NULL.
 */
struct uet_job *uet_job_find(struct uet_net *un, u32 id)
{
	return xa_load(&un->jobs, id);
}

/**
 * uet_job_may_bind() - check whether the calling process may bind to a job
 * @job: the job, not deleted
 *
 * Context: Process context, uet_net.cfg_mutex held.
 * Return: true for the owner, a member of the group, and CAP_NET_ADMIN in the
 *	namespace.
 */
bool uet_job_may_bind(const struct uet_job *job)
{
	if (uid_eq(current_euid(), job->cfg.uid))
		return true;
	if (gid_valid(job->cfg.gid) && in_egroup_p(job->cfg.gid))
		return true;
	return ns_capable(job->un->net->user_ns, CAP_NET_ADMIN);
}

/**
 * uet_job_has_fep() - check whether a job may use a FEP
 * @job: the job
 * @fep: the FEP
 *
 * Return: true if @fep is a FEP of @job.
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

/**
 * uet_job_get() - take a reference
 * @job: job; the caller has a reference, or holds uet_net.cfg_mutex and found @job
 *	in uet_net.jobs
 */
void uet_job_get(struct uet_job *job)
{
	refcount_inc(&job->refs);
}

/**
 * uet_job_put() - drop a reference
 * @job: job
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

	if (uet_job_find(un, cfg->id)) {
		NL_SET_ERR_MSG(extack, "job: id is taken");
		return -EEXIST;
	}
	if (!cfg->nr_feps) {
		NL_SET_ERR_MSG(extack, "job: needs a fep");
		return -EINVAL;
	}
	for (i = 0; i < cfg->nr_feps; i++) {
		if (!uet_fep_find(un, cfg->fep[i])) {
			NL_SET_ERR_MSG(extack, "job: no such fep");
			return -ENOENT;
		}
		for (k = 0; k < i; k++) {
			if (strcmp(cfg->fep[k], cfg->fep[i]))
				continue;
			NL_SET_ERR_MSG(extack, "job: a fep is named twice");
			return -EINVAL;
		}
	}
	return 0;
}

/* The memory of a job that has no FEPs yet. */
static struct uet_job *job_alloc(struct uet_net *un, const struct uet_job_cfg *cfg)
{
	struct uet_job *job = kzalloc(sizeof(*job), GFP_KERNEL_ACCOUNT);

	if (!job)
		return NULL;
	job->un = un;
	job->cfg = *cfg;
	atomic_set(&job->nr_fds, 0);
	init_waitqueue_head(&job->gone);
	refcount_set(&job->refs, 1);
	return job;
}

/*
 * Put a job into uet_net.jobs, where readers find it at once.
 * Return: 0 or -ENOMEM.
 */
static int job_publish(struct uet_job *job)
{
	unsigned int i;
	int err;

	for (i = 0; i < job->cfg.nr_feps; i++)
		job->fep[i] = uet_fep_find(job->un, job->cfg.fep[i]);
	err = xa_insert(&job->un->jobs, job->cfg.id, job, GFP_KERNEL);
	if (err)
		return err;
	for (i = 0; i < job->cfg.nr_feps; i++)
		uet_fep_get(job->fep[i]);
	return 0;
}

/**
 * uet_job_add() - create a job
 * @un: namespace
 * @cfg: configuration, each field within its range
 * @extack: reason of a failure
 *
 * Context: Process context, uet_net.cfg_mutex held.
 * Return: 0; -EEXIST; -ENOENT: no such FEP; -EINVAL; -ENOSPC: the quota is used up;
 *	-ENOMEM.
 */
int uet_job_add(struct uet_net *un, const struct uet_job_cfg *cfg,
		struct netlink_ext_ack *extack)
{
	struct uet_job *job;
	int err;

	lockdep_assert_held(&un->cfg_mutex);

	err = job_check(un, cfg, extack);
	if (!err)
		err = uet_quota_take(un, UET_QUOTA_JOB, extack);
	if (err)
		return err;

	job = job_alloc(un, cfg);
	if (!job || job_publish(job)) {
		kfree(job);
		uet_quota_give(un, UET_QUOTA_JOB);
		NL_SET_ERR_MSG(extack, "job: out of memory");
		return -ENOMEM;
	}
	uet_net_changed(un);
	uet_event_job(job, false);
	return 0;
}

/**
 * uet_job_del() - delete a job
 * @un: namespace
 * @id: JobID
 * @extack: reason of a failure
 *
 * Context: Process context, uet_net.cfg_mutex held.
 * Return: 0, -ENOENT, -EBUSY while endpoints are bound.
 */
int uet_job_del(struct uet_net *un, u32 id, struct netlink_ext_ack *extack)
{
	struct uet_job *job;

	lockdep_assert_held(&un->cfg_mutex);

	job = uet_job_find(un, id);
	if (!job) {
		NL_SET_ERR_MSG(extack, "job: no such job");
		return -ENOENT;
	}
	if (job->nr_eps) {
		uet_extack_fmt(extack, "job: endpoints are bound under it",
			       "job: %u endpoints are bound under it",
			       job->nr_eps);
		return -EBUSY;
	}
	uet_event_job(job, true);
	job_kill(job);
	uet_net_changed(un);
	return 0;
}

/**
 * uet_job_flush() - delete all jobs after the last endpoint
 * @un: namespace
 *
 * Context: Process context, uet_net.cfg_mutex held.
 */
void uet_job_flush(struct uet_net *un)
{
	struct uet_job *job;
	unsigned long id;

	xa_for_each(&un->jobs, id, job)
		job_kill(job);
}
