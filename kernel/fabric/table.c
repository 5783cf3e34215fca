// SPDX-License-Identifier: GPL-2.0
/*
 * Look-up tables of a FEP: finding the PDC of a packet or of a message and the
 * endpoint a message is for.  What an entry is and when it goes is decided
 * elsewhere (pdc_entry.c, sock.c); here is only the hashing, the numbering and the
 * settling of races between two that want the same key.
 * Spec: UE 1.0.1 3.5.8.2 (PDC identifiers and selection).  Level: shell.
 */
#include <linux/random.h>
#include <linux/slab.h>

#include "pdc/pdc_entry.h"
#include "pdc/rudi_entry.h"
#include "endpoint/mr_key.h"
#include "socket/sock.h"
#include "table.h"

/* PDCID 0 is reserved, UE 1.0.1 3.5.8.2. */
#define TABLE_ID_LIMIT	XA_LIMIT(1, U16_MAX)

/* No PIDonFEP: the scope is a whole job. */
#define TABLE_PID_NONE	U16_MAX

/**
 * struct table_scope - a job, or a PIDonFEP of a job, that has endpoints
 * @node: in uet_table.scopes
 * @key: @key.pid is TABLE_PID_NONE for the job, @key.ri is 0
 * @nr_eps: endpoints in it, under uet_table.ep_lock
 * @rcu: frees it
 */
struct table_scope {
	struct rhash_head node;
	struct uet_ep_key key;
	u32 nr_eps;
	struct rcu_head rcu;
};

static const struct rhashtable_params table_targets_params = {
	.key_len = sizeof(struct uet_syn_key),
	.key_offset = offsetof(struct uet_pdc_entry, syn),
	.head_offset = offsetof(struct uet_pdc_entry, node),
	.automatic_shrinking = true,
};

static const struct rhashtable_params table_initiators_params = {
	.key_len = sizeof(struct uet_peer_key),
	.key_offset = offsetof(struct uet_pdc_entry, key),
	.head_offset = offsetof(struct uet_pdc_entry, node),
	.automatic_shrinking = true,
};

static const struct rhashtable_params table_eps_params = {
	.key_len = sizeof(struct uet_ep_key),
	.key_offset = offsetof(struct uet_sock, key),
	.head_offset = offsetof(struct uet_sock, node),
	.automatic_shrinking = true,
};

static const struct rhashtable_params table_scopes_params = {
	.key_len = sizeof(struct uet_ep_key),
	.key_offset = offsetof(struct table_scope, key),
	.head_offset = offsetof(struct table_scope, node),
	.automatic_shrinking = true,
};

/* A hash table takes twice as many entries as it may have buckets. */
static const struct rhashtable_params table_rudis_params = {
	.key_len = sizeof(struct uet_fa),
	.key_offset = offsetof(struct uet_rudi_entry, peer),
	.head_offset = offsetof(struct uet_rudi_entry, node),
	.max_size = UET_TABLE_RUDIS_MAX / 2,
	.automatic_shrinking = true,
};

/**
 * uet_table_init() - make empty tables
 * @tab: memory of the caller
 *
 * Context: Process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int uet_table_init(struct uet_table *tab)
{
	int err;

	/* A peer may remember ids from before a restart: begin elsewhere. */
	tab->next_id = get_random_u32_below(U16_MAX) + 1;
	xa_init_flags(&tab->ids, XA_FLAGS_ALLOC | XA_FLAGS_LOCK_BH);
	xa_init_flags(&tab->tokens, XA_FLAGS_ALLOC1 | XA_FLAGS_LOCK_BH);
	spin_lock_init(&tab->ep_lock);

	err = rhashtable_init(&tab->targets, &table_targets_params);
	if (err)
		return err;
	err = uet_pools_init(&tab->pools);
	if (err)
		goto err_targets;
	err = rhashtable_init(&tab->initiators, &table_initiators_params);
	if (err)
		goto err_pools;
	err = rhashtable_init(&tab->eps, &table_eps_params);
	if (err)
		goto err_initiators;
	err = rhashtable_init(&tab->scopes, &table_scopes_params);
	if (err)
		goto err_eps;
	err = rhashtable_init(&tab->rudis, &table_rudis_params);
	if (err)
		goto err_scopes;
	err = uet_mr_key_init(&tab->small_keys);
	if (err)
		goto err_rudis;
	return 0;

err_rudis:
	rhashtable_destroy(&tab->rudis);
err_scopes:
	rhashtable_destroy(&tab->scopes);
err_eps:
	rhashtable_destroy(&tab->eps);
err_initiators:
	rhashtable_destroy(&tab->initiators);
err_pools:
	uet_pools_fini(&tab->pools);
err_targets:
	rhashtable_destroy(&tab->targets);
	return err;
}

/**
 * uet_table_fini() - take down empty tables
 * @tab: without PDCs, endpoints and requests, out of reach of RCU readers
 *
 * Context: Process, sleeps: never from an RCU callback.
 */
void uet_table_fini(struct uet_table *tab)
{
	rhashtable_destroy(&tab->small_keys);
	rhashtable_destroy(&tab->rudis);
	rhashtable_destroy(&tab->scopes);
	rhashtable_destroy(&tab->eps);
	rhashtable_destroy(&tab->initiators);
	uet_pools_fini(&tab->pools);
	rhashtable_destroy(&tab->targets);
	xa_destroy(&tab->ids);
	xa_destroy(&tab->tokens);
}

/**
 * uet_table_new_id() - reserve a PDCID
 * @tab: tables
 * @id: result, not 0; uet_table_pdc() does not find it before
 *	uet_table_add_pdc()
 * @gfp: how to allocate
 *
 * Context: Any but hard interrupt, as @gfp allows.
 * Return: 0, -ENOMEM, or -ENOSPC when all 65535 are in use.
 */
int uet_table_new_id(struct uet_table *tab, u16 *id, gfp_t gfp)
{
	u32 new;
	int err;

	err = xa_alloc_cyclic_bh(&tab->ids, &new, NULL, TABLE_ID_LIMIT,
				 &tab->next_id, gfp);
	if (err == -EBUSY)
		return -ENOSPC;
	if (err < 0)
		return err;
	*id = new;
	return 0;
}

/**
 * uet_table_free_id() - give a PDCID back that never got a PDC
 * @tab: tables
 * @id: from uet_table_new_id()
 *
 * Context: Any but hard interrupt.
 */
void uet_table_free_id(struct uet_table *tab, u16 id)
{
	xa_erase_bh(&tab->ids, id);
}

/**
 * uet_table_add_pdc() - make a PDC findable
 * @tab: tables of its FEP
 * @pe: complete, with an id from uet_table_new_id() and a place from
 *	uet_pools_take_target() or uet_pools_take_initiator()
 *
 * The caller holds the lock so that whoever finds the PDC in one table waits
 * until it is in all.
 *
 * Context: Any but hard interrupt, pe->lock held.
 * Return: 0; -EEXIST if another PDC has its key; -ENOMEM or -E2BIG from the
 *	hash table.
 */
int uet_table_add_pdc(struct uet_table *tab, struct uet_pdc_entry *pe)
{
	int err;

	lockdep_assert_held(&pe->lock);
	if (pe->role == UET_PDC_TARGET)
		err = rhashtable_lookup_insert_fast(&tab->targets, &pe->node,
						    table_targets_params);
	else
		err = rhashtable_lookup_insert_fast(&tab->initiators,
						    &pe->node,
						    table_initiators_params);
	if (err)
		return err;
	pe->hashed = true;
	/* The slot exists since uet_table_new_id(): nothing is allocated. */
	xa_store_bh(&tab->ids, pe->id, pe, GFP_ATOMIC);
	return 0;
}

/**
 * uet_table_hide_pdc() - let a PDC be found by its PDCID only
 * @tab: tables of its FEP
 * @pe: in the tables; its key is free for another PDC now
 *
 * Context: Any but hard interrupt, pe->lock held.
 */
void uet_table_hide_pdc(struct uet_table *tab, struct uet_pdc_entry *pe)
{
	lockdep_assert_held(&pe->lock);
	if (!pe->hashed)
		return;
	pe->hashed = false;
	if (pe->role == UET_PDC_TARGET) {
		rhashtable_remove_fast(&tab->targets, &pe->node,
				       table_targets_params);
		uet_pools_give_target(&tab->pools, &pe->peer, pe->mem_units,
				      pe->pool);
	} else {
		rhashtable_remove_fast(&tab->initiators, &pe->node,
				       table_initiators_params);
	}
}

/**
 * uet_table_del_pdc() - take a PDC out of the tables
 * @tab: tables of its FEP
 * @pe: in the tables; RCU readers may still see it
 *
 * Context: Any but hard interrupt, pe->lock held.
 */
void uet_table_del_pdc(struct uet_table *tab, struct uet_pdc_entry *pe)
{
	uet_table_hide_pdc(tab, pe);
	xa_erase_bh(&tab->ids, pe->id);
	if (pe->role == UET_PDC_INITIATOR)
		uet_pools_give_initiator(&tab->pools, pe->pool);
}

/**
 * uet_table_pdc() - find a PDC by our PDCID
 * @tab: tables
 * @pdcid: dpdcid of a packet without SYN
 *
 * Context: rcu_read_lock() held.
 * Return: the PDC, perhaps dead by now, or NULL.
 * Spec: uet-wire 2.18.
 */
struct uet_pdc_entry *uet_table_pdc(struct uet_table *tab, u16 pdcid)
{
	return xa_load(&tab->ids, pdcid);
}

/**
 * uet_table_target() - find the PDC a SYN opened
 * @tab: tables
 * @key: sender
 *
 * Context: rcu_read_lock() held.
 * Return: the PDC, perhaps dead by now, or NULL.
 * Spec: uet-wire 2.18.
 */
struct uet_pdc_entry *uet_table_target(struct uet_table *tab,
				       const struct uet_syn_key *key)
{
	return rhashtable_lookup(&tab->targets, key, table_targets_params);
}

/**
 * uet_table_initiator() - find the PDC that serves a pair of endpoints
 * @tab: tables
 * @key: the pair
 *
 * Context: rcu_read_lock() held.
 * Return: the PDC, perhaps dead by now, or NULL.
 */
struct uet_pdc_entry *uet_table_initiator(struct uet_table *tab,
					  const struct uet_peer_key *key)
{
	return rhashtable_lookup(&tab->initiators, key,
				 table_initiators_params);
}

/* The caller frees @new if it is still there afterwards. */
static int table_scope_get(struct uet_table *tab, struct table_scope **new)
{
	struct table_scope *scope;

	lockdep_assert_held(&tab->ep_lock);
	scope = rhashtable_lookup_get_insert_fast(&tab->scopes, &(*new)->node,
						  table_scopes_params);
	if (IS_ERR(scope))
		return PTR_ERR(scope);
	if (!scope) {
		scope = *new;
		*new = NULL;
	}
	scope->nr_eps++;
	return 0;
}

static void table_scope_put(struct uet_table *tab, const struct uet_ep_key *key)
{
	struct table_scope *scope;

	lockdep_assert_held(&tab->ep_lock);
	scope = rhashtable_lookup_fast(&tab->scopes, key, table_scopes_params);
	if (!scope || --scope->nr_eps)
		return;
	rhashtable_remove_fast(&tab->scopes, &scope->node, table_scopes_params);
	kfree_rcu(scope, rcu);
}

static struct uet_ep_key table_job_key(const struct uet_ep_key *key)
{
	return (struct uet_ep_key){ .job = key->job, .pid = TABLE_PID_NONE };
}

static struct uet_ep_key table_pid_key(const struct uet_ep_key *key)
{
	return (struct uet_ep_key){ .job = key->job, .pid = key->pid };
}

static int table_insert_ep(struct uet_table *tab, struct uet_sock *us,
			   struct table_scope **job, struct table_scope **pid)
{
	struct uet_ep_key job_key = table_job_key(&us->key);
	struct uet_ep_key pid_key = table_pid_key(&us->key);
	int err;

	err = table_scope_get(tab, job);
	if (err)
		return err;
	err = table_scope_get(tab, pid);
	if (err)
		goto err_job;
	err = rhashtable_lookup_insert_fast(&tab->eps, &us->node,
					    table_eps_params);
	if (err)
		goto err_pid;
	return 0;

err_pid:
	table_scope_put(tab, &pid_key);
err_job:
	table_scope_put(tab, &job_key);
	return err;
}

/**
 * uet_table_add_ep() - make an endpoint findable
 * @tab: tables of its FEP
 * @us: socket with its uet_sock.key set
 *
 * Context: Process, may sleep.
 * Return: 0; -EADDRINUSE if another endpoint has the key; -ENOMEM.
 */
int uet_table_add_ep(struct uet_table *tab, struct uet_sock *us)
{
	struct table_scope *job, *pid;
	int err = -ENOMEM;

	job = kzalloc(sizeof(*job), GFP_KERNEL);
	pid = kzalloc(sizeof(*pid), GFP_KERNEL);
	if (!job || !pid)
		goto out;
	job->key = table_job_key(&us->key);
	pid->key = table_pid_key(&us->key);

	spin_lock(&tab->ep_lock);
	err = table_insert_ep(tab, us, &job, &pid);
	spin_unlock(&tab->ep_lock);
	if (err == -EEXIST)
		err = -EADDRINUSE;
out:
	kfree(job);
	kfree(pid);
	return err;
}

/**
 * uet_table_del_ep() - take an endpoint out of the tables
 * @tab: tables of its FEP
 * @us: socket, added before; RCU readers may still see it
 *
 * Context: Process.
 */
void uet_table_del_ep(struct uet_table *tab, struct uet_sock *us)
{
	struct uet_ep_key job = table_job_key(&us->key);
	struct uet_ep_key pid = table_pid_key(&us->key);

	spin_lock(&tab->ep_lock);
	rhashtable_remove_fast(&tab->eps, &us->node, table_eps_params);
	table_scope_put(tab, &pid);
	table_scope_put(tab, &job);
	spin_unlock(&tab->ep_lock);
}

/**
 * uet_table_ep() - find an endpoint
 * @tab: tables
 * @key: its address
 *
 * Context: rcu_read_lock() held.
 * Return: the socket, perhaps closing by now, or NULL.
 * Spec: UE 1.0.1 3.4.1 (addressing).
 */
struct uet_sock *uet_table_ep(struct uet_table *tab,
			      const struct uet_ep_key *key)
{
	return rhashtable_lookup(&tab->eps, key, table_eps_params);
}

/**
 * uet_table_why_no_ep() - what of an address is unknown
 * @tab: tables
 * @key: for which uet_table_ep() found nothing
 *
 * Context: rcu_read_lock() held.
 * Return: UET_RC_BAD_JOB_ID, UET_RC_BAD_PID or UET_RC_BAD_INDEX.
 * Spec: UE 1.0.1 Table 3-19.
 */
enum uet_rc uet_table_why_no_ep(struct uet_table *tab,
				const struct uet_ep_key *key)
{
	struct uet_ep_key scope = table_pid_key(key);

	if (rhashtable_lookup(&tab->scopes, &scope, table_scopes_params))
		return UET_RC_BAD_INDEX;
	scope = table_job_key(key);
	if (!key->job ||
	    rhashtable_lookup(&tab->scopes, &scope, table_scopes_params))
		return UET_RC_BAD_PID;
	return UET_RC_BAD_JOB_ID;
}

/**
 * uet_table_has_pid() - is there an endpoint with this PIDonFEP?
 * @tab: tables
 * @job: JobID of a relative address, 0 for an absolute one
 * @pid: PIDonFEP
 *
 * Context: Process; true to the moment under uet_net.cfg_mutex, as far as binding
 *	goes: endpoints can go away.
 * Return: true if there is one.
 */
bool uet_table_has_pid(struct uet_table *tab, u32 job, u16 pid)
{
	struct uet_ep_key scope = { .job = job, .pid = pid };

	return rhashtable_lookup_fast(&tab->scopes, &scope, table_scopes_params);
}

/**
 * uet_table_add_rudi() - make the requests to a peer findable
 * @tab: tables of their FEP
 * @re: complete
 *
 * Context: Any but hard interrupt, re->lock held.
 * Return: 0; -EEXIST if there is an object for this peer; -ENOSPC if there are
 *	UET_TABLE_RUDIS_MAX; -ENOMEM.
 */
int uet_table_add_rudi(struct uet_table *tab, struct uet_rudi_entry *re)
{
	int err;

	lockdep_assert_held(&re->lock);
	err = rhashtable_lookup_insert_fast(&tab->rudis, &re->node,
					    table_rudis_params);
	return err == -E2BIG ? -ENOSPC : err;
}

/**
 * uet_table_del_rudi() - take the requests to a peer out of the table
 * @tab: tables of their FEP
 * @re: in the table; RCU readers may still see it
 *
 * Context: Any but hard interrupt, re->lock held.
 */
void uet_table_del_rudi(struct uet_table *tab, struct uet_rudi_entry *re)
{
	lockdep_assert_held(&re->lock);
	rhashtable_remove_fast(&tab->rudis, &re->node, table_rudis_params);
}

/**
 * uet_table_rudi() - find the requests to a peer
 * @tab: tables
 * @peer: its fabric address
 *
 * Context: rcu_read_lock() held.
 * Return: them, perhaps dead by now, or NULL.
 * Spec: UE 1.0.1 3.5.10.9: an answer comes from who was asked.
 */
struct uet_rudi_entry *uet_table_rudi(struct uet_table *tab,
				      const struct uet_fa *peer)
{
	return rhashtable_lookup(&tab->rudis, peer, table_rudis_params);
}
