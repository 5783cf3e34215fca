// SPDX-License-Identifier: GPL-2.0
/*
 * Keys of memory regions.  A socket finds its regions by RKEY.  Those that the
 * kernel chooses are random, so that knowing one tells nothing of others;
 * guessing one is the only way to a region for who may send to its endpoint at
 * all.
 *
 * An optimized key has 12 bits, which are no secret.  A small request has them
 * where others have the Resource Index, so that they must be unique within job
 * and PIDonFEP: a table of the FEP knows which endpoint's they are.  It tells
 * the rest of the address; the endpoint and the region are then found, and the
 * request is judged, as with any other header.
 * Spec: UE 1.0.1 Table 2-13, Table 3-10.  Level: shell.
 */
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/uet.h>
#include <linux/xarray.h>

#include "mr.h"
#include "mr_key.h"
#include "socket/sock.h"

/* Tries to find a random key that is not in use. */
#define MRKEY_TRIES	16

/* The bits of keys are those of the core. */
static_assert(UET_MR_KEY_IDEMPOTENT_SAFE == UET_KEY_IDEMPOTENT_SAFE);
static_assert(UET_MR_KEY_OPTIMIZED == UET_KEY_OPTIMIZED);
static_assert(UET_MR_OPTIMIZED_KEY_MAX == UET_KEY_SMALL_RKEY);

/**
 * struct mrkey_small - an optimized key in use; does not change
 * @node: in uet_table.small_keys
 * @name: as a small request names it, its RKEY instead of a Resource Index
 * @ri: Resource Index of the endpoint
 * @key: all of the key
 * @rcu: frees it
 *
 * There from before its region can be found until after that, and gone before
 * its endpoint is.
 */
struct mrkey_small {
	struct rhash_head node;
	struct uet_ep_key name;
	u16 ri;
	u64 key;
	struct rcu_head rcu;
};

static const struct rhashtable_params mrkey_params = {
	.key_len = sizeof(struct uet_ep_key),
	.key_offset = offsetof(struct mrkey_small, name),
	.head_offset = offsetof(struct mrkey_small, node),
	.automatic_shrinking = true,
};

/**
 * uet_mr_key_init() - make an empty table of optimized keys
 * @small_keys: memory of the caller; rhashtable_destroy() takes it down
 *
 * Context: Process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int uet_mr_key_init(struct rhashtable *small_keys)
{
	return rhashtable_init(small_keys, &mrkey_params);
}

static struct uet_ep_key mrkey_name(const struct uet_sock *us, u64 key)
{
	return (struct uet_ep_key){
		.job = us->key.job,
		.pid = us->key.pid,
		.ri = key & UET_MR_OPTIMIZED_KEY_MAX,
	};
}

/* Return: 0; -EBUSY: an endpoint of the same PIDonFEP has it; -ENOMEM. */
static int mrkey_claim(struct uet_sock *us, u64 key)
{
	struct rhashtable *small_keys = &us->fep->table.small_keys;
	struct uet_ep_key name = mrkey_name(us, key);
	struct mrkey_small *small;
	int err;

	if (rhashtable_lookup_fast(small_keys, &name, mrkey_params))
		return -EBUSY;
	small = kzalloc(sizeof(*small), GFP_KERNEL_ACCOUNT);
	if (!small)
		return -ENOMEM;
	small->name = name;
	small->ri = us->key.ri;
	small->key = key;
	err = rhashtable_lookup_insert_fast(small_keys, &small->node,
					    mrkey_params);
	if (err)
		kfree(small);
	return err == -EEXIST ? -EBUSY : err;
}

/* Of the keys with this RKEY only that of the socket itself is meant. */
static void mrkey_drop(struct uet_sock *us, u64 rkey)
{
	struct rhashtable *small_keys = &us->fep->table.small_keys;
	struct uet_ep_key name = mrkey_name(us, rkey);
	struct mrkey_small *small;

	rcu_read_lock();
	small = rhashtable_lookup(small_keys, &name, mrkey_params);
	if (small && small->ri == us->key.ri &&
	    !rhashtable_remove_fast(small_keys, &small->node, mrkey_params))
		kfree_rcu(small, rcu);
	rcu_read_unlock();
}

/**
 * uet_mr_key_check() - may a region have the key its owner wants?
 * @us: socket
 * @reg: what the owner wants, flags checked
 *
 * Context: Process.
 * Return: 0 or -EINVAL.
 */
int uet_mr_key_check(struct uet_sock *us, const struct uet_mr_reg *reg)
{
	u64 max = min_t(u64, UET_MR_KEY_MAX, ULONG_MAX);

	if (reg->flags & UET_MR_OPTIMIZED)
		max = UET_MR_OPTIMIZED_KEY_MAX;
	if (!(reg->flags & UET_MR_FIXED_KEY) && reg->key)
		return uet_sock_refuse(us, -EINVAL, "UET_IOC_MR_REG: key is not 0, without UET_MR_FIXED_KEY");
	if (reg->key > max)
		return uet_sock_refuse(us, -EINVAL, "UET_IOC_MR_REG: key 0x%llx is above 0x%llx",
				       reg->key, max);
	return 0;
}

static u64 mrkey_random(void)
{
	return get_random_u64() & min_t(u64, UET_MR_KEY_MAX, ULONG_MAX);
}

/**
 * struct mrkey_want - a region that is to get a key
 * @us: its socket
 * @reg: what the owner wants
 * @mr: the region
 * @key: where it keeps its key
 */
struct mrkey_want {
	struct uet_sock *us;
	struct uet_mr_reg *reg;
	struct uet_mr *mr;
	u64 *key;
};

/* From here on peers can find it, and others deregister it. */
static int mrkey_insert_as(const struct mrkey_want *want, u64 rkey)
{
	u64 key = rkey;
	int err;

	if (want->reg->flags & UET_MR_IDEMPOTENT_SAFE)
		key |= UET_MR_KEY_IDEMPOTENT_SAFE;
	if (want->reg->flags & UET_MR_OPTIMIZED) {
		key |= UET_MR_KEY_OPTIMIZED;
		err = mrkey_claim(want->us, key);
		if (err)
			return err;
	}
	*want->key = key;
	err = xa_insert(&want->us->mrs, rkey, want->mr, GFP_KERNEL_ACCOUNT);
	if (err)
		uet_mr_key_release(want->us, key);
	else
		want->reg->key = key;
	return err;
}

static int mrkey_insert_fixed(const struct mrkey_want *want)
{
	u64 rkey = want->reg->key;
	int err = mrkey_insert_as(want, rkey);

	if (err == -EBUSY)
		return uet_sock_refuse(want->us, -EEXIST, "UET_IOC_MR_REG: key 0x%llx is in use",
				       rkey);
	return err;
}

/* There are so few that each is tried. */
static int mrkey_insert_small(const struct mrkey_want *want)
{
	const struct uet_ses_addr *addr = &want->us->addr;
	u64 first = mrkey_random();
	int i, err = -EBUSY;

	for (i = 0; i <= UET_MR_OPTIMIZED_KEY_MAX && err == -EBUSY; i++) {
		err = mrkey_insert_as(want,
				      (first + i) & UET_MR_OPTIMIZED_KEY_MAX);
		cond_resched();
	}
	if (err == -EBUSY)
		return uet_sock_refuse(want->us, -ENOSPC, "UET_IOC_MR_REG: all %llu optimized keys of job %u pid %u are in use",
				       UET_MR_OPTIMIZED_KEY_MAX + 1, addr->job,
				       addr->pid);
	return err;
}

static int mrkey_insert_random(const struct mrkey_want *want)
{
	int tries, err = -EBUSY;

	for (tries = 0; tries < MRKEY_TRIES && err == -EBUSY; tries++)
		err = mrkey_insert_as(want, mrkey_random());
	return err;
}

/**
 * uet_mr_key_insert() - give a region a key, by which it is found from now on
 * @us: socket, bound
 * @reg: what the owner wants, checked; @reg.key gets the key
 * @mr: the region, complete; it may be gone when this returns
 * @key: where it keeps its key
 *
 * Context: Process, may sleep.
 * Return: 0; -EEXIST: the key is in use; -ENOSPC: all optimized ones are;
 *	-ENOMEM; -EBUSY: no random one was found.
 */
int uet_mr_key_insert(struct uet_sock *us, struct uet_mr_reg *reg,
		      struct uet_mr *mr, u64 *key)
{
	const struct mrkey_want want = {
		.us = us, .reg = reg, .mr = mr, .key = key,
	};

	if (reg->flags & UET_MR_FIXED_KEY)
		return mrkey_insert_fixed(&want);
	if (reg->flags & UET_MR_OPTIMIZED)
		return mrkey_insert_small(&want);
	return mrkey_insert_random(&want);
}

/**
 * uet_mr_key_release() - a key is not in use any more
 * @us: socket, bound
 * @key: key of a region that nobody can find under it
 *
 * Context: Process.
 */
void uet_mr_key_release(struct uet_sock *us, u64 key)
{
	if (key & UET_MR_KEY_OPTIMIZED)
		mrkey_drop(us, key);
}

/**
 * uet_mr_key_purge() - give back the optimized keys of a socket that is closed
 * @us: socket, still bound; nobody registers with it any more
 *
 * Context: Process.
 */
void uet_mr_key_purge(struct uet_sock *us)
{
	struct uet_mr *mr;
	unsigned long rkey;

	xa_for_each_range(&us->mrs, rkey, mr, 0, UET_MR_OPTIMIZED_KEY_MAX)
		mrkey_drop(us, rkey);
}

/**
 * uet_mr_key_find() - whose is an optimized key?
 * @tab: tables of the FEP
 * @name: how a small request names it, its RKEY instead of a Resource Index
 * @ri: result: Resource Index of the endpoint
 * @key: result: all of the key
 *
 * Context: rcu_read_lock() held.
 * Return: false if it is nobody's.
 */
bool uet_mr_key_find(struct uet_table *tab, const struct uet_ep_key *name,
		     u16 *ri, u64 *key)
{
	const struct mrkey_small *small;

	small = rhashtable_lookup(&tab->small_keys, name, mrkey_params);
	if (!small)
		return false;
	*ri = small->ri;
	*key = small->key;
	return true;
}
