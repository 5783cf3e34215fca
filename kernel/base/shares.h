/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A limit that jobs and users share.  Each of them may have at most UET_SHARES_FACTOR times what
 * it leaves free, and in its job a user the same of what it leaves of the share of the job.  So a
 * single job can take four fifths of the limit, and a newcomer always finds something.
 */
#ifndef UET_SHARES_H
#define UET_SHARES_H

#include <linux/cred.h>
#include <linux/rhashtable.h>
#include <linux/spinlock.h>
#include <linux/uidgid.h>

#define UET_SHARES_FACTOR	4

/**
 * struct uet_share_owner - who takes a part of a limit
 * @job: JobID; 0: no job, only the share of the user counts
 * @uid: user, by uet_share_user()
 */
struct uet_share_owner {
	u32 job;
	kuid_t uid;
};

/**
 * struct uet_shares - a limit and its owners
 * @max: limit; immutable
 * @lock: protects the fields below; taken with BH disabled, leaf
 * @shares: struct share, of each job, each user, and each user of a job
 * @used: part of @max that is taken
 */
struct uet_shares {
	u64 max;
	spinlock_t lock;
	struct rhashtable shares;
	u64 used;
};

kuid_t uet_share_user(const struct cred *cred, const struct user_namespace *top);
int uet_shares_init(struct uet_shares *shares, u64 max);
void uet_shares_fini(struct uet_shares *shares);
int uet_shares_take(struct uet_shares *shares, const struct uet_share_owner *owner, u32 amount);
void uet_shares_give(struct uet_shares *shares, const struct uet_share_owner *owner, u32 amount);

#endif
