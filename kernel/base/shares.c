// SPDX-License-Identifier: GPL-2.0
/*
 * Shares of a limit, by job and by user. The share of an owner is not fixed: it is compared with
 * what is free, so that the limit can be used by few owners and is left to many.
 */
#include <linux/math.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>

#include "shares.h"

/* The accounts that an amount is counted in. */
enum share_kind {
	SHARE_USER,
	SHARE_JOB,
	SHARE_USER_OF_JOB,
	SHARE_NR,
};

/* A key: no @job in SHARE_USER, no @uid in SHARE_JOB. */
struct share_key {
	u32 kind;
	u32 job;
	u32 uid;
};

/* An account with something in it, under uet_shares.lock. */
struct share {
	struct rhash_head node;
	struct share_key key;
	u64 used;
	struct rcu_head rcu;
};

static const struct rhashtable_params shares_params = {
	.key_len = sizeof(struct share_key),
	.key_offset = offsetof(struct share, key),
	.head_offset = offsetof(struct share, node),
	.automatic_shrinking = true,
};

/*
 * uet_share_user() - the user that a process takes parts of limits for
 * @top: user namespace that has the limits
 *
 * A user of @top who creates user namespaces has many user ids in them, and none of these has a
 * share of its own: they count as the user, those of nested namespaces as the creator of the
 * outermost one.  The user ids of a namespace that root has created, as container managers do,
 * are those of different users.
 */
kuid_t uet_share_user(const struct cred *cred, const struct user_namespace *top)
{
	const struct user_namespace *ns;
	kuid_t uid = cred->fsuid;

	for (ns = cred->user_ns; ns != top && ns->parent; ns = ns->parent) {
		if (!uid_eq(ns->owner, GLOBAL_ROOT_UID))
			uid = ns->owner;
	}
	return uid;
}

/*
 * uet_shares_init() - initialise a limit of which nothing is taken
 * Context: Process.
 * Return: 0 or -ENOMEM.
 */
int uet_shares_init(struct uet_shares *shares, u64 max)
{
	spin_lock_init(&shares->lock);
	shares->max = max;
	shares->used = 0;
	return rhashtable_init(&shares->shares, &shares_params);
}

/*
 * uet_shares_fini() - destroy a limit of which nothing is taken, not reachable by RCU readers
 * Context: Process, sleeps: never from an RCU callback.
 */
void uet_shares_fini(struct uet_shares *shares)
{
	rhashtable_destroy(&shares->shares);
}

static struct share_key shares_key(const struct uet_share_owner *owner, enum share_kind kind)
{
	return (struct share_key){
		.kind = kind,
		.job = kind == SHARE_USER ? 0 : owner->job,
		.uid = kind == SHARE_JOB ? 0 : __kuid_val(owner->uid),
	};
}

static unsigned int shares_accounts(const struct uet_share_owner *owner)
{
	return owner->job ? SHARE_NR : SHARE_USER + 1;
}

/* The account, created if necessary; NULL: out of memory. */
static struct share *shares_open(struct uet_shares *shares, const struct share_key *key)
{
	struct share *share;

	lockdep_assert_held(&shares->lock);
	share = rhashtable_lookup_fast(&shares->shares, key, shares_params);
	if (share)
		return share;
	share = kzalloc(sizeof(*share), GFP_ATOMIC | __GFP_NOWARN);
	if (!share)
		return NULL;
	share->key = *key;
	if (rhashtable_insert_fast(&shares->shares, &share->node, shares_params)) {
		kfree(share);
		return NULL;
	}
	return share;
}

/* Forget an account with nothing in it. */
static void shares_close(struct uet_shares *shares, struct share *share)
{
	lockdep_assert_held(&shares->lock);
	if (share->used)
		return;
	rhashtable_remove_fast(&shares->shares, &share->node, shares_params);
	kfree_rcu(share, rcu);
}

static bool shares_fit(const struct uet_shares *shares,
		       struct share *const *share, unsigned int nr, u32 amount)
{
	u64 free = shares->max - shares->used, of_job;

	if (share[SHARE_USER]->used + amount > UET_SHARES_FACTOR * free)
		return false;
	if (nr == SHARE_USER + 1)
		return amount <= free;
	if (share[SHARE_JOB]->used + amount > UET_SHARES_FACTOR * free)
		return false;
	of_job = DIV_ROUND_UP_ULL(UET_SHARES_FACTOR *
				  (share[SHARE_JOB]->used + free),
				  UET_SHARES_FACTOR + 1);
	/* What the job has taken may exceed its share since others have more. */
	if (of_job < share[SHARE_JOB]->used)
		return false;
	return amount <= free && share[SHARE_USER_OF_JOB]->used + amount <=
				 UET_SHARES_FACTOR *
				 (of_job - share[SHARE_JOB]->used);
}

/*
 * uet_shares_take() - take an amount, not 0
 * Context: Any but hard interrupt.
 * Return: 0: taken until uet_shares_give(); -ENOSPC: above a share; -ENOMEM.
 */
int uet_shares_take(struct uet_shares *shares, const struct uet_share_owner *owner, u32 amount)
{
	unsigned int i, opened, nr = shares_accounts(owner);
	struct share *share[SHARE_NR];
	struct share_key key;
	int err = 0;

	spin_lock_bh(&shares->lock);
	for (opened = 0; opened < nr; opened++) {
		key = shares_key(owner, opened);
		share[opened] = shares_open(shares, &key);
		if (!share[opened])
			break;
	}
	if (opened < nr)
		err = -ENOMEM;
	else if (!shares_fit(shares, share, nr, amount))
		err = -ENOSPC;
	else
		shares->used += amount;
	for (i = 0; i < opened; i++) {
		if (!err)
			share[i]->used += amount;
		shares_close(shares, share[i]);
	}
	spin_unlock_bh(&shares->lock);
	return err;
}

/*
 * uet_shares_give() - give back what uet_shares_take() took
 * Context: Any but hard interrupt.
 */
void uet_shares_give(struct uet_shares *shares, const struct uet_share_owner *owner, u32 amount)
{
	struct share_key key;
	struct share *share;
	unsigned int i;

	spin_lock_bh(&shares->lock);
	for (i = 0; i < shares_accounts(owner); i++) {
		key = shares_key(owner, i);
		share = rhashtable_lookup_fast(&shares->shares, &key, shares_params);
		if (!share)
			continue;
		share->used -= amount;
		shares_close(shares, share);
	}
	shares->used -= amount;
	spin_unlock_bh(&shares->lock);
}
