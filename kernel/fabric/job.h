/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Jobs: the users that may use a JobID, the range of PIDonFEP and the FEPs.  A job is the
 * authority behind bind() (UE 1.0.1 3.4.7: trusted software inserts JobIDs).
 */
#ifndef UET_JOB_H
#define UET_JOB_H

#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/uidgid.h>
#include <linux/wait.h>

#include "fep.h"

/*
 * struct uet_job_cfg - configuration of a job
 * @id: JobID, 1..UET_JOBID_MAX
 * @name: may be empty
 * @uid: user that may bind; CAP_NET_ADMIN always may
 * @gid: group that may bind; INVALID_GID: none
 * @pid_min: lowest PIDonFEP
 * @inet_only: only sockets of AF_INET and AF_INET6 may be bound
 * @fep: names of the FEPs that the job may use
 */
struct uet_job_cfg {
	u32 id;
	char name[UET_NAME_MAX];
	kuid_t uid;
	kgid_t gid;
	u16 pid_min;
	u16 pid_max;
	bool inet_only;
	u8 nr_feps;
	char fep[UET_JOB_FEPS_MAX][UET_NAME_MAX];
};

/*
 * struct uet_job - a job
 * @un: namespace of the job; NULL: deleted.  Written under uet_net.cfg_mutex; READ_ONCE() without
 *	the mutex, for comparisons only, because the namespace may be freed
 * @cfg: immutable once published
 * @fep: FEPs in the order of cfg.fep; immutable; a reference each while @un is not NULL
 * @refs: one for uet_net.jobs, one for each bound endpoint, each job descriptor and each socket
 *	with the authority of a job descriptor
 * @nr_eps: number of bound endpoints; written under uet_net.cfg_mutex, READ_ONCE in dumps
 * @nr_fds: number of open job descriptors, for netlink dumps
 * @traffic: as far as it was collected from PDCs
 * @gone: pollers of a descriptor, woken when @un becomes NULL
 *
 * Lifetime: uet_job_del() deletes a job without bound endpoints, and the end of the namespace
 * deletes all jobs.  A deleted job is not in uet_net.jobs and has dropped its FEPs.  Its memory
 * is freed a grace period after the last uet_job_put().
 */
struct uet_job {
	struct uet_net *un;
	struct uet_job_cfg cfg;
	struct uet_fep *fep[UET_JOB_FEPS_MAX];
	refcount_t refs;
	u32 nr_eps;
	atomic_t nr_fds;
	struct uet_traffic traffic;
	wait_queue_head_t gone;
	struct rcu_head rcu;
};

int uet_job_add(struct uet_net *un, const struct uet_job_cfg *cfg, struct netlink_ext_ack *extack);
int uet_job_del(struct uet_net *un, u32 id, struct netlink_ext_ack *extack);
struct uet_job *uet_job_find(struct uet_net *un, u32 id);
bool uet_job_may_bind(const struct uet_job *job);
bool uet_job_has_fep(const struct uet_job *job, const struct uet_fep *fep);
void uet_job_get(struct uet_job *job);
void uet_job_put(struct uet_job *job);
void uet_job_flush(struct uet_net *un);
int uet_job_fd_make(struct uet_job *job, bool is_cloexec);
struct uet_job *uet_job_fd_get(int fd);

#endif
