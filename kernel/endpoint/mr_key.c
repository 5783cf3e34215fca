// SPDX-License-Identifier: GPL-2.0
/*
 * Keys of memory regions. A socket finds its regions by RKEY. Keys chosen by the kernel are
 * random, so that one known key reveals no other key. A peer that may send to the endpoint can
 * reach a region without its key only by guessing.
 *
 * An optimized key has 12 bits and is no secret. A small request carries these bits in the field
 * of the Resource Index, so they must be unique within job and PIDonFEP. A table of the FEP maps
 * them to an endpoint and so completes the address. Endpoint and region are then found, and the
 * request is checked, as with any other header.
 * Spec: UE 1.0.1 Table 2-13, Table 3-10.
 */
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/uet.h>
#include <linux/xarray.h>

#include "endpoint.h"
#include "mr_region.h"

/* Attempts to find an unused random key. */
#define MRKEY_TRIES	16

/* The bits of keys are those of the core. */
static_assert(UET_MR_KEY_IDEMPOTENT_SAFE == UET_KEY_IDEMPOTENT_SAFE);
static_assert(UET_MR_KEY_OPTIMIZED == UET_KEY_OPTIMIZED);
static_assert(UET_MR_OPTIMIZED_KEY_MAX == UET_KEY_SMALL_RKEY);

/**
 * struct mrkey_small - an optimized key in use; immutable
 * @node: entry in uet_ep_table.small_keys
 * @name: address in a small request, with the RKEY as Resource Index
 * @ri: Resource Index of the endpoint
 * @key: the full key
 * @rcu: for freeing
 *
 * Inserted before its region can be found and removed after the region, but
 * before the endpoint is removed.
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

/* Initialise an empty table of optimized keys. */
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

/* Return: 0; -EBUSY: an endpoint of the same PIDonFEP uses the key; -ENOMEM. */
static int mrkey_claim(struct uet_sock *us, u64 key)
{
	struct rhashtable *small_keys = &us->fep->eps->small_keys;
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

/* Remove only the socket's own key with this RKEY. */
static void mrkey_drop(struct uet_sock *us, u64 rkey)
{
	struct rhashtable *small_keys = &us->fep->eps->small_keys;
	struct uet_ep_key name = mrkey_name(us, rkey);
	struct mrkey_small *small;

	rcu_read_lock();
	small = rhashtable_lookup(small_keys, &name, mrkey_params);
	if (small && small->ri == us->key.ri &&
	    !rhashtable_remove_fast(small_keys, &small->node, mrkey_params))
		kfree_rcu(small, rcu);
	rcu_read_unlock();
}

int uet_mr_key_check(struct uet_sock *us, const struct uet_mr_reg *reg)
{
	u64 max = UET_MR_KEY_MAX;

	if (reg->flags & UET_MR_OPTIMIZED)
		max = UET_MR_OPTIMIZED_KEY_MAX;
	if (reg->flags & UET_MR_OPTIMIZED && us->mr.domain)
		return uet_sock_refuse(us, -EINVAL, "UET_IOC_MR_REG: flags UET_MR_OPTIMIZED in a domain: the key would name one socket");
	if (!(reg->flags & UET_MR_FIXED_KEY) && reg->key)
		return uet_sock_refuse(us, -EINVAL, "UET_IOC_MR_REG: key is not 0, without UET_MR_FIXED_KEY");
	if (reg->key > max)
		return uet_sock_refuse(us, -EINVAL, "UET_IOC_MR_REG: key 0x%llx is above 0x%llx",
				       reg->key, max);
	return 0;
}

static u64 mrkey_random(void)
{
	return get_random_u64() & UET_MR_KEY_MAX;
}

/**
 * struct mrkey_want - a region that needs a key
 * @us: socket of the region
 * @space: where the region is found by its key
 * @reg: registration request
 * @mr: the region
 */
struct mrkey_want {
	struct uet_sock *us;
	struct xarray *space;
	struct uet_mr_reg *reg;
	struct uet_mr *mr;
};

/* From here on peers can find the region, and other threads deregister it. */
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
	want->mr->key = key;
	err = xa_insert(want->space, rkey, want->mr, GFP_KERNEL_ACCOUNT);
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

/* There are few optimized keys, so each of them is tried. */
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

/*
 * Assign a key to a region, which peers and other threads find from then on; @key is its field.
 * Return: 0; -EEXIST: the key is in use; -ENOSPC: no optimized key is left; -ENOMEM; -EBUSY: no
 * unused random key was found.
 */
int uet_mr_key_insert(struct uet_sock *us, struct uet_mr_reg *reg, struct uet_mr *mr)
{
	const struct mrkey_want want = {
		.us = us, .space = &us->mr.space->mrs, .reg = reg, .mr = mr,
	};
	int err;

	/* Before other threads can deregister it. */
	atomic_inc(&us->mr.space->nr_mrs);
	if (reg->flags & UET_MR_FIXED_KEY)
		err = mrkey_insert_fixed(&want);
	else if (reg->flags & UET_MR_OPTIMIZED)
		err = mrkey_insert_small(&want);
	else
		err = mrkey_insert_random(&want);
	if (err)
		atomic_dec(&us->mr.space->nr_mrs);
	return err;
}

/* Assign a random key to memory that a peer reads; uet_mr_get() finds it for UET_MR_READ only. */
int uet_mr_key_insert_source(struct uet_sock *us, struct uet_mr *mr)
{
	struct uet_mr_reg reg = {};
	const struct mrkey_want want = {
		.us = us, .space = &us->mr.space->sources, .reg = &reg, .mr = mr,
	};

	return mrkey_insert_random(&want);
}

void uet_mr_key_release(struct uet_sock *us, u64 key)
{
	if (key & UET_MR_KEY_OPTIMIZED)
		mrkey_drop(us, key);
}

/**
 * uet_mr_key_purge() - release the optimized keys of a socket in close()
 * @us: socket, still bound; no further registration is possible
 */
void uet_mr_key_purge(struct uet_sock *us)
{
	struct uet_mr *mr;
	unsigned long rkey;

	/* A domain has no optimized keys. */
	if (us->mr.domain)
		return;
	xa_for_each_range(&us->mr.space->mrs, rkey, mr, 0, UET_MR_OPTIMIZED_KEY_MAX)
		mrkey_drop(us, rkey);
}

/**
 * uet_mr_key_find() - find the endpoint of an optimized key; under RCU
 * @tab: tables of the FEP
 * @name: address in a small request, with the RKEY as Resource Index
 * @ri: result: Resource Index of the endpoint
 * @key: result: the full key
 */
bool uet_mr_key_find(struct uet_ep_table *tab, const struct uet_ep_key *name, u16 *ri, u64 *key)
{
	const struct mrkey_small *small;

	small = rhashtable_lookup(&tab->small_keys, name, mrkey_params);
	if (!small)
		return false;
	*ri = small->ri;
	*key = small->key;
	return true;
}
