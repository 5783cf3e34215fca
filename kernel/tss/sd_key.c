// SPDX-License-Identifier: GPL-2.0
/*
 * Derived keys of a secure domain, ready for the ciphers. Derivation sleeps, so
 * a work item derives the keys of peers that packets request, a few at a time,
 * and those packets are lost. A flood of unknown ids keeps the work item busy.
 * When it has filled the table, the keys without any authentic packet go, and the
 * keys of peers that have proved themselves stay.
 * Spec: UE 1.0.1 3.7.
 */
#include <crypto/hash.h>
#include <linux/slab.h>

#include "tss.h"

static const struct rhashtable_params sd_keys_params = {
	.key_len = sizeof(struct uet_tss_kid),
	.key_offset = offsetof(struct uet_sd_key, kid),
	.head_offset = offsetof(struct uet_sd_key, node),
	.automatic_shrinking = true,
};

static int sd_cmac(void *ctx, const u8 *key, const u8 *msg, size_t len, u8 *mac)
{
	struct crypto_shash *tfm = ctx;
	int err = crypto_shash_setkey(tfm, key, UET_TSS_KEY_LEN);

	return err ? err : crypto_shash_tfm_digest(tfm, msg, len, mac);
}

static const struct uet_tss_ops sd_ops = { .cmac = sd_cmac };

/*
 * Derive the bytes of a key. The domain is copied, because CMAC may not run
 * under its lock.
 */
static int sd_key_derive(struct uet_sd *sd, const struct uet_tss_kid *kid,
			 struct uet_tss_key *key)
{
	struct uet_tss_sd *copy = kmalloc(sizeof(*copy), GFP_KERNEL);
	int err;

	if (!copy)
		return -ENOMEM;
	spin_lock_bh(&sd->lock);
	*copy = sd->core;
	spin_unlock_bh(&sd->lock);
	err = uet_tss_derive(copy, kid, &sd_ops, sd->cmac, key);
	kfree_sensitive(copy);
	return err;
}

/*
 * Allocate a synchronous cipher. @is_fast: one in vector registers that may be called
 * only while uet_simd_usable() is true, as in sd_crypt(); see base/compat.h.
 */
static struct crypto_aead *sd_key_tfm(bool is_fast, unsigned int reqsize,
				      const u8 *key)
{
	u32 type = is_fast ? CRYPTO_ALG_INTERNAL : 0;
	struct crypto_aead *tfm;
	int err;

	tfm = crypto_alloc_aead(is_fast ? "__gcm(aes)" : "gcm(aes)", type,
				type | CRYPTO_ALG_ASYNC);

	if (IS_ERR(tfm))
		return tfm;
	err = crypto_aead_setkey(tfm, key, UET_TSS_KEY_LEN);
	if (!err)
		err = crypto_aead_setauthsize(tfm, UET_ICV_LEN);
	if (!err && crypto_aead_reqsize(tfm) > reqsize)
		err = -ENOSPC;
	if (err) {
		crypto_free_aead(tfm);
		return ERR_PTR(err);
	}
	return tfm;
}

/* Return: 0 with the ciphers of @key allocated; on error @key has none. */
static int sd_key_ciphers(const struct uet_sd *sd, struct uet_sd_key *key)
{
	struct crypto_aead *tfm, *fast = NULL;

	tfm = sd_key_tfm(false, sd->reqsize, key->key.key);
	if (IS_ERR(tfm))
		return PTR_ERR(tfm);
	if (sd->has_fast)
		fast = sd_key_tfm(true, sd->reqsize, key->key.key);
	key->tfm = tfm;
	key->fast = IS_ERR(fast) ? NULL : fast;
	return 0;
}

static void sd_key_free(void *ptr, void *arg)
{
	struct uet_sd_key *key = ptr;

	crypto_free_aead(key->fast);
	crypto_free_aead(key->tfm);
	kfree_sensitive(key);
}

/**
 * struct sd_keys_which - which keys to remove
 * @an: those of this association number; -1: of any
 * @is_unproven: only those that are not proven
 */
struct sd_keys_which {
	int an;
	bool is_unproven;
};

static bool sd_key_is_in(const struct uet_sd_key *key,
			 const struct sd_keys_which *which)
{
	return (which->an < 0 || key->kid.an == which->an) &&
	       !(which->is_unproven && READ_ONCE(key->is_proven));
}

/* Remove keys. Return: the list of them. */
static struct uet_sd_key *sd_keys_take(struct uet_sd *sd,
				       const struct sd_keys_which *which)
{
	struct uet_sd_key *key, *gone = NULL;
	struct rhashtable_iter iter;

	rhashtable_walk_enter(&sd->keys, &iter);
	rhashtable_walk_start(&iter);
	while ((key = rhashtable_walk_next(&iter))) {
		if (IS_ERR(key) || !sd_key_is_in(key, which) ||
		    rhashtable_remove_fast(&sd->keys, &key->node,
					   sd_keys_params))
			continue;
		key->next = gone;
		gone = key;
	}
	rhashtable_walk_stop(&iter);
	rhashtable_walk_exit(&iter);
	return gone;
}

static void sd_keys_remove(struct uet_sd *sd, int an, bool is_unproven)
{
	const struct sd_keys_which which = {
		.an = an, .is_unproven = is_unproven,
	};
	struct uet_sd_key *key, *gone;

	lockdep_assert_held(&sd->keys_mutex);
	gone = sd_keys_take(sd, &which);
	if (gone)
		synchronize_rcu();
	while ((key = gone)) {
		gone = key->next;
		sd_key_free(key, NULL);
	}
}

static bool sd_keys_are_full(const struct uet_sd *sd)
{
	return atomic_read(&sd->keys.nelems) >= UET_SD_KEYS_MAX;
}

/* Anybody can request keys under forged sources, so keys that nobody used go first. */
static void sd_keys_make_space(struct uet_sd *sd)
{
	if (sd_keys_are_full(sd))
		sd_keys_remove(sd, -1, true);
	if (sd_keys_are_full(sd))
		sd_keys_remove(sd, -1, false);
}

/*
 * Identifier of a sender's first key.
 * @ssi: SSI of the sender, if SSIs are used
 * @kid: result: correct if epoch and counter of the sender start at the local
 *	values
 *
 * Context: Any, @sd->lock held.
 */
void uet_sd_key_first(const struct uet_sd *sd, u8 an, const struct uet_fa *of,
		      u32 ssi, struct uet_tss_kid *kid)
{
	const u8 *addr = (const u8 *)&of->v6;
	const struct uet_tss_ends ends = { .src = addr, .dst = addr };
	const struct uet_tss_cfg *cfg = &sd->core.cfg;
	const struct uet_tss_sa *sa = &sd->core.sa[an];
	struct uet_tss_op op = {
		.hdr = {
			.an = an,
			.has_ssi = cfg->has_ssi,
			.ssi = ssi,
			.epoch = sa->epoch,
			.tsc = sa->tsc,
		},
	};

	lockdep_assert_held(&sd->lock);
	uet_tss_op_init(cfg, sa->serial, &ends, addr, &op);
	*kid = op.kid;
}

/*
 * Derive a key.
 * Context: Process context, sleeps.
 * Return: 0, also if the key existed; -ENOKEY: the key of the domain was
 *	changed; -ENOMEM, or the error of the cipher.
 */
int uet_sd_key_make(struct uet_sd *sd, const struct uet_tss_kid *kid)
{
	struct uet_sd_key *key;
	int err;

	key = kzalloc(sizeof(*key), GFP_KERNEL);
	if (!key)
		return -ENOMEM;
	key->kid = *kid;
	mutex_lock(&sd->keys_mutex);
	err = 0;
	if (rhashtable_lookup_fast(&sd->keys, kid, sd_keys_params))
		goto out_free;
	sd_keys_make_space(sd);
	err = sd_key_derive(sd, kid, &key->key);
	if (err)
		goto out_free;
	err = sd_key_ciphers(sd, key);
	memzero_explicit(key->key.key, sizeof(key->key.key));
	if (err)
		goto out_free;
	err = rhashtable_insert_fast(&sd->keys, &key->node, sd_keys_params);
	if (!err)
		goto out_unlock;
	crypto_free_aead(key->fast);
	crypto_free_aead(key->tfm);
out_free:
	kfree_sensitive(key);
out_unlock:
	mutex_unlock(&sd->keys_mutex);
	return err;
}

/* Return: true if another key is to be derived. */
static bool sd_key_next(struct uet_sd *sd, struct uet_tss_kid *kid)
{
	bool is_there;

	spin_lock_bh(&sd->lock);
	is_there = sd->nr_wants;
	if (is_there) {
		*kid = sd->wants[sd->first_want];
		sd->first_want = (sd->first_want + 1) % UET_SD_WANTS;
		sd->nr_wants--;
	}
	spin_unlock_bh(&sd->lock);
	return is_there;
}

static void sd_key_work(struct work_struct *work)
{
	struct uet_sd *sd = container_of(work, struct uet_sd, work);
	struct uet_tss_kid kid;

	while (sd_key_next(sd, &kid)) {
		uet_sd_key_make(sd, &kid);
		cond_resched();
	}
}

static void sd_key_want(struct uet_sd *sd, const struct uet_tss_kid *kid)
{
	bool is_new = true;
	u8 i;

	spin_lock(&sd->lock);
	for (i = 0; i < sd->nr_wants; i++)
		if (!memcmp(&sd->wants[(sd->first_want + i) % UET_SD_WANTS],
			    kid, sizeof(*kid)))
			is_new = false;
	if (is_new && sd->nr_wants < UET_SD_WANTS)
		sd->wants[(sd->first_want + sd->nr_wants++) % UET_SD_WANTS] =
			*kid;
	spin_unlock(&sd->lock);
	queue_work(sd->wq, &sd->work);
}

/*
 * A key for a packet.
 * Context: BH disabled, rcu_read_lock() held.
 * Return: the key, valid under RCU; NULL: its derivation is requested.
 */
struct uet_sd_key *uet_sd_key_get(struct uet_sd *sd,
				  const struct uet_tss_kid *kid)
{
	struct uet_sd_key *key;

	key = rhashtable_lookup(&sd->keys, kid, sd_keys_params);
	if (!key)
		sd_key_want(sd, kid);
	return key;
}

/*
 * Record that a packet was sealed or found authentic.
 * Context: BH disabled, rcu_read_lock() held.
 */
void uet_sd_key_prove(struct uet_sd_key *key)
{
	/* Only once, because all CPUs read the key for each packet. */
	if (unlikely(!READ_ONCE(key->is_proven)))
		WRITE_ONCE(key->is_proven, true);
}

/*
 * Remove the keys derived from a domain key.
 * @sd: domain whose key under @an was changed
 *
 * Context: Process context, sleeps.
 */
void uet_sd_keys_drop(struct uet_sd *sd, u8 an)
{
	mutex_lock(&sd->keys_mutex);
	sd_keys_remove(sd, an, false);
	mutex_unlock(&sd->keys_mutex);
}

static void sd_cpus_free(struct uet_sd *sd)
{
	int cpu;

	for_each_possible_cpu(cpu)
		kfree_sensitive(sd->cpu[cpu]);
	kfree(sd->cpu);
}

static int sd_cpus_alloc(struct uet_sd *sd)
{
	size_t size = sizeof(*sd->cpu[0]) + sd->reqsize;
	int cpu;

	sd->cpu = kcalloc(nr_cpu_ids, sizeof(*sd->cpu),
			  GFP_KERNEL_ACCOUNT);
	if (!sd->cpu)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		sd->cpu[cpu] = kzalloc_node(size, GFP_KERNEL_ACCOUNT,
					    cpu_to_node(cpu));
		if (!sd->cpu[cpu]) {
			sd_cpus_free(sd);
			return -ENOMEM;
		}
	}
	return 0;
}

/* Return: 0: the cipher exists, and requests have space for its state. */
static int sd_cipher_try(struct uet_sd *sd, bool is_fast)
{
	static const u8 zero[UET_TSS_KEY_LEN];
	struct crypto_aead *tfm = sd_key_tfm(is_fast, UINT_MAX, zero);

	if (IS_ERR(tfm))
		return PTR_ERR(tfm);
	sd->reqsize = max(sd->reqsize, crypto_aead_reqsize(tfm));
	crypto_free_aead(tfm);
	return 0;
}

static int sd_ciphers_init(struct uet_sd *sd)
{
	int err = sd_cipher_try(sd, false);

	if (err)
		return err;
	sd->has_fast = UET_HAS_INTERNAL_CIPHERS && !sd_cipher_try(sd, true);
	sd->cmac = crypto_alloc_shash("cmac(aes)", 0, 0);
	return PTR_ERR_OR_ZERO(sd->cmac);
}

/*
 * Initialise the keys of a domain.
 * Context: Process context, sleeps.
 * Return: 0, -ENOMEM, -ENOENT: no such cipher.
 */
int uet_sd_keys_init(struct uet_sd *sd)
{
	int err;

	INIT_WORK(&sd->work, sd_key_work);
	err = rhashtable_init(&sd->keys, &sd_keys_params);
	if (err)
		return err;
	err = sd_ciphers_init(sd);
	if (err)
		goto err_keys;
	err = sd_cpus_alloc(sd);
	if (err)
		goto err_cmac;
	sd->wq = alloc_workqueue("uet_sd", WQ_UNBOUND, 1);
	if (!sd->wq) {
		err = -ENOMEM;
		goto err_cpus;
	}
	return 0;

err_cpus:
	sd_cpus_free(sd);
err_cmac:
	crypto_free_shash(sd->cmac);
err_keys:
	rhashtable_destroy(&sd->keys);
	return err;
}

/*
 * Free all keys of a domain.
 * @sd: domain that is unlisted, after a grace period
 *
 * Context: Process context, sleeps.
 */
void uet_sd_keys_fini(struct uet_sd *sd)
{
	destroy_workqueue(sd->wq);
	rhashtable_free_and_destroy(&sd->keys, sd_key_free, NULL);
	sd_cpus_free(sd);
	crypto_free_shash(sd->cmac);
}
