// SPDX-License-Identifier: GPL-2.0
/*
 * Table of the endpoints of a FEP: hashing, and the decision between two endpoints with
 * the same address.  socket/sock_addr.c inserts and removes endpoints.
 * Spec: UE 1.0.1 3.4.1 (addressing).
 */
#include <linux/slab.h>

#include "endpoint.h"

/* No PIDonFEP: the scope is a whole job. */
#define EP_TABLE_PID_NONE	U16_MAX

/**
 * struct ep_table_scope - a job, or a PIDonFEP of a job, that has endpoints
 * @node: in uet_ep_table.scopes
 * @key: @key.pid is EP_TABLE_PID_NONE for the job, @key.ri is 0
 * @nr_eps: endpoints in it, under uet_ep_table.lock
 * @rcu: frees it
 */
struct ep_table_scope {
	struct rhash_head node;
	struct uet_ep_key key;
	u32 nr_eps;
	struct rcu_head rcu;
};

/* The endpoints of all FEPs. */
static LIST_HEAD(ep_host);
static DEFINE_SPINLOCK(ep_host_lock);

static const struct rhashtable_params ep_table_eps_params = {
	.key_len = sizeof(struct uet_ep_key),
	.key_offset = offsetof(struct uet_sock, key),
	.head_offset = offsetof(struct uet_sock, node),
	.automatic_shrinking = true,
};

static const struct rhashtable_params ep_table_scopes_params = {
	.key_len = sizeof(struct uet_ep_key),
	.key_offset = offsetof(struct ep_table_scope, key),
	.head_offset = offsetof(struct ep_table_scope, node),
	.automatic_shrinking = true,
};

/**
 * uet_ep_table_alloc() - make an empty table, for kfree() after uet_ep_table_fini()
 */
struct uet_ep_table *uet_ep_table_alloc(void)
{
	struct uet_ep_table *tab = kzalloc(sizeof(*tab), GFP_KERNEL_ACCOUNT);

	if (!tab)
		return NULL;
	spin_lock_init(&tab->lock);
	xa_init_flags(&tab->by_number, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	if (rhashtable_init(&tab->eps, &ep_table_eps_params))
		goto err_tab;
	if (rhashtable_init(&tab->scopes, &ep_table_scopes_params))
		goto err_eps;
	if (uet_mr_key_init(&tab->small_keys))
		goto err_scopes;
	return tab;

err_scopes:
	rhashtable_destroy(&tab->scopes);
err_eps:
	rhashtable_destroy(&tab->eps);
err_tab:
	kfree(tab);
	return NULL;
}

/**
 * uet_ep_table_fini() - take down a table without endpoints, which no RCU reader reaches; sleeps
 * @tab: table; its memory stays
 */
void uet_ep_table_fini(struct uet_ep_table *tab)
{
	rhashtable_destroy(&tab->small_keys);
	rhashtable_destroy(&tab->scopes);
	rhashtable_destroy(&tab->eps);
}

/* The caller frees @new if it is still there afterwards. */
static int ep_table_scope_get(struct uet_ep_table *tab, struct ep_table_scope **new)
{
	struct ep_table_scope *scope;

	lockdep_assert_held(&tab->lock);
	scope = rhashtable_lookup_get_insert_fast(&tab->scopes, &(*new)->node,
						  ep_table_scopes_params);
	if (IS_ERR(scope))
		return PTR_ERR(scope);
	if (!scope) {
		scope = *new;
		*new = NULL;
	}
	/* Pairs with the READ_ONCE() in uet_ep_table_nr_eps(). */
	WRITE_ONCE(scope->nr_eps, scope->nr_eps + 1);
	return 0;
}

static void ep_table_scope_put(struct uet_ep_table *tab, const struct uet_ep_key *key)
{
	struct ep_table_scope *scope;

	lockdep_assert_held(&tab->lock);
	scope = rhashtable_lookup_fast(&tab->scopes, key, ep_table_scopes_params);
	if (!scope)
		return;
	WRITE_ONCE(scope->nr_eps, scope->nr_eps - 1);
	if (scope->nr_eps)
		return;
	rhashtable_remove_fast(&tab->scopes, &scope->node, ep_table_scopes_params);
	kfree_rcu(scope, rcu);
}

static struct uet_ep_key ep_table_job_key(const struct uet_ep_key *key)
{
	return (struct uet_ep_key){ .job = key->job, .pid = EP_TABLE_PID_NONE };
}

static struct uet_ep_key ep_table_pid_key(const struct uet_ep_key *key)
{
	return (struct uet_ep_key){ .job = key->job, .pid = key->pid };
}

static int ep_table_insert(struct uet_ep_table *tab, struct uet_sock *us,
			   struct ep_table_scope **job, struct ep_table_scope **pid)
{
	struct uet_ep_key job_key = ep_table_job_key(&us->key);
	struct uet_ep_key pid_key = ep_table_pid_key(&us->key);
	int err;

	err = ep_table_scope_get(tab, job);
	if (err)
		return err;
	err = ep_table_scope_get(tab, pid);
	if (err)
		goto err_job;
	err = rhashtable_lookup_insert_fast(&tab->eps, &us->node,
					    ep_table_eps_params);
	if (err)
		goto err_pid;
	return 0;

err_pid:
	ep_table_scope_put(tab, &pid_key);
err_job:
	ep_table_scope_put(tab, &job_key);
	return err;
}

static int ep_table_add(struct uet_ep_table *tab, struct uet_sock *us)
{
	struct ep_table_scope *job, *pid;
	int err = -ENOMEM;

	job = kzalloc(sizeof(*job), GFP_KERNEL_ACCOUNT);
	pid = kzalloc(sizeof(*pid), GFP_KERNEL_ACCOUNT);
	if (!job || !pid)
		goto out;
	job->key = ep_table_job_key(&us->key);
	pid->key = ep_table_pid_key(&us->key);

	spin_lock(&tab->lock);
	err = ep_table_insert(tab, us, &job, &pid);
	spin_unlock(&tab->lock);
	if (err == -EEXIST)
		err = -EADDRINUSE;
out:
	kfree(job);
	kfree(pid);
	return err;
}

/**
 * uet_ep_table_add() - make an endpoint findable
 * @tab: tables of its FEP
 * @us: socket with its uet_sock.key set
 * Return: 0; -EADDRINUSE if another endpoint has the key; -ENOMEM.
 */
int uet_ep_table_add(struct uet_ep_table *tab, struct uet_sock *us)
{
	int err;

	/* A number that no dump finds yet. */
	if (xa_alloc_cyclic(&tab->by_number, &us->number, NULL, xa_limit_32b,
			    &tab->next, GFP_KERNEL) < 0)
		return -ENOMEM;
	err = ep_table_add(tab, us);
	if (err) {
		xa_erase(&tab->by_number, us->number);
		return err;
	}
	/* Allocates nothing: the number has its place. */
	xa_store(&tab->by_number, us->number, us, GFP_KERNEL);
	spin_lock_bh(&ep_host_lock);
	list_add_tail(&us->on_host, &ep_host);
	spin_unlock_bh(&ep_host_lock);
	return 0;
}

/**
 * uet_ep_table_del() - take an endpoint out of the tables; RCU readers may still see it
 * @tab: tables of its FEP
 * @us: socket, added before, and taken out or not
 */
void uet_ep_table_del(struct uet_ep_table *tab, struct uet_sock *us)
{
	struct uet_ep_key job = ep_table_job_key(&us->key);
	struct uet_ep_key pid = ep_table_pid_key(&us->key);
	bool is_out;

	spin_lock_bh(&ep_host_lock);
	is_out = list_empty(&us->on_host);
	list_del_init(&us->on_host);
	spin_unlock_bh(&ep_host_lock);
	if (is_out)
		return;
	xa_erase(&tab->by_number, us->number);
	spin_lock(&tab->lock);
	rhashtable_remove_fast(&tab->eps, &us->node, ep_table_eps_params);
	ep_table_scope_put(tab, &pid);
	ep_table_scope_put(tab, &job);
	spin_unlock(&tab->lock);
}

/**
 * uet_ep_of_host() - an endpoint of any FEP of the host, possibly closing, each in its turn;
 * under RCU
 */
struct uet_sock *uet_ep_of_host(void)
{
	struct uet_sock *us;

	spin_lock(&ep_host_lock);
	us = list_first_entry_or_null(&ep_host, struct uet_sock, on_host);
	if (us)
		list_move_tail(&us->on_host, &ep_host);
	spin_unlock(&ep_host_lock);
	return us;
}

/**
 * uet_ep_table_find() - find an endpoint, possibly closing; under RCU
 * @tab: tables
 * @key: address of the endpoint
 * Spec: UE 1.0.1 3.4.1 (addressing).
 */
struct uet_sock *uet_ep_table_find(struct uet_ep_table *tab, const struct uet_ep_key *key)
{
	return rhashtable_lookup(&tab->eps, key, ep_table_eps_params);
}

/**
 * uet_ep_table_why_none() - return code for an address that uet_ep_table_find() did not find;
 * under RCU
 * @tab: tables
 * @key: the address
 * Spec: UE 1.0.1 Table 3-19.
 */
enum uet_rc uet_ep_table_why_none(struct uet_ep_table *tab, const struct uet_ep_key *key)
{
	struct uet_ep_key scope = ep_table_pid_key(key);

	if (rhashtable_lookup(&tab->scopes, &scope, ep_table_scopes_params))
		return UET_RC_BAD_INDEX;
	scope = ep_table_job_key(key);
	if (!key->job ||
	    rhashtable_lookup(&tab->scopes, &scope, ep_table_scopes_params))
		return UET_RC_BAD_PID;
	return UET_RC_BAD_JOB_ID;
}

/**
 * uet_ep_table_has() - has an endpoint this address?  Under cfg_mutex none gets it, but one may
 * release it
 * @tab: tables
 * @key: the address
 */
bool uet_ep_table_has(struct uet_ep_table *tab, const struct uet_ep_key *key)
{
	return rhashtable_lookup_fast(&tab->eps, key, ep_table_eps_params);
}

/**
 * uet_ep_table_nr_eps() - number of endpoints with a PIDonFEP; under cfg_mutex it does not grow
 * @tab: tables
 * @key: job of a relative address, 0 for an absolute one, and PIDonFEP
 */
u32 uet_ep_table_nr_eps(struct uet_ep_table *tab, const struct uet_ep_key *key)
{
	struct uet_ep_key pid = ep_table_pid_key(key);
	struct ep_table_scope *scope;
	u32 nr_eps;

	rcu_read_lock();
	scope = rhashtable_lookup(&tab->scopes, &pid, ep_table_scopes_params);
	/* Pairs with the WRITE_ONCE()s under uet_ep_table.lock. */
	nr_eps = scope ? READ_ONCE(scope->nr_eps) : 0;
	rcu_read_unlock();
	return nr_eps;
}
