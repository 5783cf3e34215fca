/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Jobs: who may use which JobID, with which PIDonFEP, on which FEPs.  A job is
 * the authority behind bind() (UE 1.0.1 3.4.7: JobIDs are inserted by trusted
 * software).  Level: shell.
 */
#ifndef UET_JOB_H
#define UET_JOB_H

#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/uidgid.h>
#include <linux/wait.h>

#include "fep.h"

/**
 * struct uet_job_cfg - what a job is configured with
 * @id: JobID, 1..UET_JOBID_MAX
 * @name: for people, may be empty
 * @uid: who may bind; CAP_NET_ADMIN always may
 * @gid: which group may bind; INVALID_GID: none
 * @pid_min: lowest PIDonFEP
 * @pid_max: highest PIDonFEP
 * @nr_feps: FEPs it may use
 * @fep: their names
 */
struct uet_job_cfg {
	u32 id;
	char name[UET_NAME_MAX];
	kuid_t uid;
	kgid_t gid;
	u16 pid_min;
	u16 pid_max;
	u8 nr_feps;
	char fep[UET_JOB_FEPS_MAX][UET_NAME_MAX];
};

/**
 * struct uet_job - a job
 * @list: in uet_net.jobs, RCU
 * @un: namespace it is a job of; NULL once it was deleted.  Written under
 *	uet_net.cfg_mutex; READ_ONCE() without, to compare it: the namespace may go
 * @cfg: immutable once published
 * @fep: resolved, in the order of cfg.fep; immutable, but one reference each only
 *	as long as @un is set
 * @refs: one for the list, one for each bound endpoint, each job descriptor and
 *	each socket with the authority of one
 * @nr_eps: bound endpoints; written under uet_net.cfg_mutex, READ_ONCE in dumps
 * @nr_fds: open job descriptors, for people
 * @gone: who polls a descriptor, woken when @un becomes NULL
 * @rcu: frees it
 *
 * Death: by uet_job_del() when no endpoint is bound, or with the namespace; it
 * leaves the list and drops the FEPs.  The memory stays for the last
 * uet_job_put(), and for a grace period after it.
 */
struct uet_job {
	struct list_head list;
	struct uet_net *un;
	struct uet_job_cfg cfg;
	struct uet_fep *fep[UET_JOB_FEPS_MAX];
	refcount_t refs;
	u32 nr_eps;
	atomic_t nr_fds;
	wait_queue_head_t gone;
	struct rcu_head rcu;
};

int uet_job_add(struct uet_net *un, const struct uet_job_cfg *cfg,
		struct netlink_ext_ack *extack);
int uet_job_del(struct uet_net *un, u32 id, struct netlink_ext_ack *extack);
struct uet_job *uet_job_find(struct uet_net *un, u32 id);
bool uet_job_may_bind(const struct uet_job *job);
bool uet_job_has_fep(const struct uet_job *job, const struct uet_fep *fep);
void uet_job_get(struct uet_job *job);
void uet_job_put(struct uet_job *job);
void uet_job_flush(struct uet_net *un);

/* job_fd.c */
int uet_job_fd_make(struct uet_job *job, bool is_cloexec);
struct uet_job *uet_job_fd_get(int fd);

#endif
