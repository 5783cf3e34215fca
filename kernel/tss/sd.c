// SPDX-License-Identifier: GPL-2.0
/*
 * A secure domain: an administrator sets, uses and deletes keys, and starts epochs; no key can
 * be read from the kernel.  And its derived keys, ready for the ciphers.
 *
 * Derivation sleeps, so a work item derives the keys of peers that packets request, a few at a
 * time, and those packets are lost. A flood of unknown ids keeps the work item busy. When it has
 * filled the table, the keys without any authentic packet go, and the keys of peers that have
 * proved themselves stay.
 * Spec: UE 1.0.1 3.7.
 */
#include <crypto/hash.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "fabric/fabric.h"
#include "tss.h"

/*
 * Default start of counters: 2^17 counters for each second since 2020, so that a key that is
 * set again, for example after a reboot, does not restart at used counters. This fails for a
 * sender with a higher average packet rate, and if the clock was set back.
 */
#define SD_TSC_EPOCH		1577836800LL
#define SD_TSC_SHIFT		17
#define SD_TSC_MASK		(BIT_ULL(47) - 1)

/* --------------------------------------------------------------------- derived keys */

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

/* The domain is copied, because CMAC may not run under its lock. */
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
static struct crypto_aead *sd_key_tfm(bool is_fast, unsigned int reqsize, const u8 *key)
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

/* Return: 0; on error @key has no ciphers. */
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

/* Remove keys of an association number, -1: of any. Return: the list of them. */
static struct uet_sd_key *sd_keys_take(struct uet_sd *sd, int an, bool is_unproven)
{
	struct uet_sd_key *key, *gone = NULL;
	struct rhashtable_iter iter;

	rhashtable_walk_enter(&sd->keys, &iter);
	rhashtable_walk_start(&iter);
	while ((key = rhashtable_walk_next(&iter))) {
		if (IS_ERR(key) || (an >= 0 && key->kid.an != an) ||
		    (is_unproven && READ_ONCE(key->is_proven)) ||
		    rhashtable_remove_fast(&sd->keys, &key->node, sd_keys_params))
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
	struct uet_sd_key *key, *gone;

	lockdep_assert_held(&sd->keys_mutex);
	gone = sd_keys_take(sd, an, is_unproven);
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

/*
 * Identifier of a sender's first key, correct if epoch and counter of the sender start at the
 * local values.
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
 * Return: 0, also if the key existed; -ENOKEY: the key of the domain was changed; -ENOMEM, or
 * the error of the cipher.
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
	/* Anybody can request keys under forged sources, so keys that nobody used go first. */
	if (sd_keys_are_full(sd))
		sd_keys_remove(sd, -1, true);
	if (sd_keys_are_full(sd))
		sd_keys_remove(sd, -1, false);
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
		if (!memcmp(&sd->wants[(sd->first_want + i) % UET_SD_WANTS], kid, sizeof(*kid)))
			is_new = false;
	if (is_new && sd->nr_wants < UET_SD_WANTS)
		sd->wants[(sd->first_want + sd->nr_wants++) % UET_SD_WANTS] = *kid;
	spin_unlock(&sd->lock);
	queue_work(sd->wq, &sd->work);
}

/* A key for a packet, valid under RCU; NULL: its derivation is requested. */
struct uet_sd_key *uet_sd_key_get(struct uet_sd *sd, const struct uet_tss_kid *kid)
{
	struct uet_sd_key *key;

	key = rhashtable_lookup(&sd->keys, kid, sd_keys_params);
	if (!key)
		sd_key_want(sd, kid);
	return key;
}

/* The domain key under @an was changed. */
static void sd_keys_drop(struct uet_sd *sd, u8 an)
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

	sd->cpu = kcalloc(nr_cpu_ids, sizeof(*sd->cpu), GFP_KERNEL_ACCOUNT);
	if (!sd->cpu)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		sd->cpu[cpu] = kzalloc_node(size, GFP_KERNEL_ACCOUNT, cpu_to_node(cpu));
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

static int sd_keys_init(struct uet_sd *sd)
{
	int err;

	INIT_WORK(&sd->work, sd_key_work);
	err = rhashtable_init(&sd->keys, &sd_keys_params);
	if (err)
		return err;
	err = sd_cipher_try(sd, false);
	if (err)
		goto err_keys;
	sd->has_fast = UET_HAS_INTERNAL_CIPHERS && !sd_cipher_try(sd, true);
	sd->cmac = crypto_alloc_shash("cmac(aes)", 0, 0);
	err = PTR_ERR_OR_ZERO(sd->cmac);
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

static void sd_keys_fini(struct uet_sd *sd)
{
	destroy_workqueue(sd->wq);
	rhashtable_free_and_destroy(&sd->keys, sd_key_free, NULL);
	sd_cpus_free(sd);
	crypto_free_shash(sd->cmac);
}

/* ---------------------------------------------------------------- lifetime, settings */

/*
 * uet_sd_find() - look up a domain; rcu_read_lock() or uet_net.cfg_mutex held
 */
struct uet_sd *uet_sd_find(struct uet_net *un, const char *name)
{
	unsigned long number;
	struct uet_sd *sd;

	xa_for_each(&un->sds, number, sd) {
		if (!strcmp(sd->name, name))
			return sd;
	}
	return NULL;
}

static void sd_free(struct uet_sd *sd)
{
	sd_keys_fini(sd);
	uet_sd_srcs_fini(sd);
	uet_tss_sd_fini(&sd->core);
	uet_quota_give(sd->un, UET_QUOTA_SD);
	kfree_sensitive(sd);
}

static struct uet_sd *sd_make(struct uet_net *un, const char *name,
			      const struct uet_tss_cfg *cfg, int *err)
{
	struct uet_sd *sd = kzalloc(sizeof(*sd), GFP_KERNEL_ACCOUNT);

	*err = -ENOMEM;
	if (!sd)
		return NULL;
	sd->un = un;
	strscpy(sd->name, name, sizeof(sd->name));
	spin_lock_init(&sd->lock);
	mutex_init(&sd->keys_mutex);
	uet_tss_sd_init(&sd->core, cfg);
	*err = uet_sd_srcs_init(sd);
	if (*err)
		goto err_free;
	*err = sd_keys_init(sd);
	if (*err)
		goto err_srcs;
	/* Readers find it at once. */
	if (xa_alloc_cyclic(&un->sds, &sd->number, sd, xa_limit_32b, &un->next_sd,
			    GFP_KERNEL) >= 0)
		return sd;
	*err = -ENOMEM;
	sd_keys_fini(sd);
err_srcs:
	uet_sd_srcs_fini(sd);
err_free:
	kfree_sensitive(sd);
	return NULL;
}

/* Error text for a failure of the kernel; ciphers may return any errno. */
static void sd_say_failed(struct netlink_ext_ack *extack, int err)
{
	switch (err) {
	case -ENOMEM:
		NL_SET_ERR_MSG(extack, "sd: out of memory");
		break;
	case -ENOENT:
		NL_SET_ERR_MSG(extack, "sd: the kernel has no gcm(aes) or no cmac(aes)");
		break;
	case -ETIMEDOUT:
		NL_SET_ERR_MSG(extack, "sd: gcm(aes) or cmac(aes) was not ready in time");
		break;
	case -EINTR:
		NL_SET_ERR_MSG(extack, "sd: interrupted");
		break;
	default:
		NL_SET_ERR_MSG(extack, "sd: gcm(aes) or cmac(aes) fails");
	}
}

/*
 * uet_sd_add() - create a domain
 * Return: 0; -EINVAL: inconsistent configuration; -EEXIST; -ENOSPC: the quota is used up;
 *	-ENOMEM; -ENOENT: the kernel has no AES-GCM or no AES-CMAC, or the error of these.
 */
int uet_sd_add(struct uet_net *un, const char *name,
	       const struct uet_tss_cfg *cfg, struct netlink_ext_ack *extack)
{
	const char *wrong = uet_tss_cfg_wrong(cfg);
	struct uet_sd *sd;
	int err;

	lockdep_assert_held(&un->cfg_mutex);

	if (wrong) {
		if (extack)
			extack->_msg = wrong;
		return -EINVAL;
	}
	if (uet_sd_find(un, name)) {
		NL_SET_ERR_MSG(extack, "sd: name is taken");
		return -EEXIST;
	}
	err = uet_quota_take(un, UET_QUOTA_SD, extack);
	if (err)
		return err;
	sd = sd_make(un, name, cfg, &err);
	if (!sd) {
		uet_quota_give(un, UET_QUOTA_SD);
		sd_say_failed(extack, err);
		return err;
	}
	uet_net_changed(un);
	return 0;
}

/*
 * uet_sd_del() - delete a domain and its keys
 * Return: 0, -ENOENT, -EBUSY while a FEP uses it.
 */
int uet_sd_del(struct uet_net *un, const char *name, struct netlink_ext_ack *extack)
{
	struct uet_sd *sd = uet_sd_find(un, name);

	lockdep_assert_held(&un->cfg_mutex);

	if (!sd) {
		NL_SET_ERR_MSG(extack, "sd: no such sd");
		return -ENOENT;
	}
	if (sd->nr_feps) {
		NL_SET_ERR_MSG(extack, "sd: a fep uses it");
		return -EBUSY;
	}
	xa_erase(&un->sds, sd->number);
	synchronize_rcu();
	sd_free(sd);
	uet_net_changed(un);
	return 0;
}

/**
 * uet_sd_flush() - delete all domains of a namespace that ends
 * @un: namespace; no FEP, no dump and no operation is left that finds a domain
 */
void uet_sd_flush(struct uet_net *un)
{
	unsigned long number;
	struct uet_sd *sd;

	xa_for_each(&un->sds, number, sd) {
		xa_erase(&un->sds, number);
		sd_free(sd);
	}
}

static u64 sd_default_tsc(void)
{
	s64 age = ktime_get_real_seconds() - SD_TSC_EPOCH;

	return age > 0 ? ((u64)age << SD_TSC_SHIFT) & SD_TSC_MASK : 0;
}

/* Derive a key before a packet needs it. */
static int sd_prepare(struct uet_sd *sd, u8 an, const struct uet_fa *of, u32 ssi)
{
	struct uet_tss_kid kid;

	spin_lock_bh(&sd->lock);
	uet_sd_key_first(sd, an, of, ssi, &kid);
	spin_unlock_bh(&sd->lock);
	return uet_sd_key_make(sd, &kid);
}

/* A server has no key of its own. */
static bool sd_is_server(const struct uet_sd *sd)
{
	return sd->core.cfg.mode == UET_TSS_SERVER && !sd->core.cfg.is_client;
}

/* The local keys: without them the first packets could not be sent at once. */
static int sd_prepare_own(struct uet_sd *sd, u8 an)
{
	static const struct uet_fa none;
	unsigned long number;
	struct uet_fep *fep;
	int err = 0;

	if (sd_is_server(sd))
		return 0;
	if (!uet_tss_is_derived(&sd->core.cfg))
		return sd_prepare(sd, an, &none, sd->core.cfg.ssi);
	xa_for_each(&sd->un->feps, number, fep) {
		if (fep->cfg.sd == sd && !err)
			err = sd_prepare(sd, an, &fep->cfg.fa, sd->core.cfg.ssi);
	}
	return err;
}

/* The keys of known senders, for their first packets. */
static void sd_prepare_peers(struct uet_sd *sd, u8 an)
{
	struct uet_sd_peer *peers;
	unsigned int i, nr;

	if (!uet_tss_is_derived(&sd->core.cfg))
		return;
	peers = kvmalloc_array(UET_SD_PEERS_MAX, sizeof(*peers), GFP_KERNEL);
	if (!peers)
		return;
	nr = uet_sd_srcs_list(sd, peers, UET_SD_PEERS_MAX);
	for (i = 0; i < nr; i++)
		sd_prepare(sd, an, &peers[i].fa, peers[i].ssi);
	kvfree(peers);
}

static int sd_prepare_all(struct uet_sd *sd, u8 an)
{
	int err = sd_prepare_own(sd, an);

	if (!err)
		sd_prepare_peers(sd, an);
	return err;
}

/*
 * uet_sd_use_fep() - start the use of a domain by a FEP that is not published
 */
void uet_sd_use_fep(struct uet_sd *sd, const struct uet_fep *fep)
{
	u8 an;

	lockdep_assert_held(&sd->un->cfg_mutex);

	/* Pairs with the READ_ONCE() in nl_sd_fill(). */
	WRITE_ONCE(sd->nr_feps, sd->nr_feps + 1);
	/* If memory is short, the first packet waits for its key. */
	for (an = 0; an < UET_TSS_AN_NR; an++)
		if (sd->core.sa[an].is_set && !sd_is_server(sd))
			sd_prepare(sd, an, &fep->cfg.fa, sd->core.cfg.ssi);
}

/*
 * uet_sd_unuse_fep() - a FEP that used a domain has ended
 */
void uet_sd_unuse_fep(struct uet_sd *sd)
{
	lockdep_assert_held(&sd->un->cfg_mutex);

	/* Pairs with the READ_ONCE() in nl_sd_fill(). */
	WRITE_ONCE(sd->nr_feps, sd->nr_feps - 1);
}

static void sd_say_refused(struct netlink_ext_ack *extack, int err)
{
	switch (err) {
	case -EKEYREVOKED:
		NL_SET_ERR_MSG(extack, "sd: keys of this check are revoked");
		break;
	case -EINVAL:
		NL_SET_ERR_MSG(extack, "sd: an must be 0 or 1, key not zero, mask a client's, tsc below 2^48 (2^47 in mode server)");
		break;
	case -EEXIST:
		NL_SET_ERR_MSG(extack, "sd: the sd has this key");
		break;
	case -EBUSY:
		NL_SET_ERR_MSG(extack, "sd: an is in use, use the other one first");
		break;
	default:
		NL_SET_ERR_MSG(extack, "sd: the key is refused");
	}
}

/*
 * uet_sd_key_set() - set the key of an association number
 * @new: the key; the caller wipes it
 * Return: 0; -EINVAL, -EBUSY, -EEXIST as uet_tss_key_set(); -EKEYREVOKED; -ENOMEM, or the error
 *	of the cipher.
 */
int uet_sd_key_set(struct uet_sd *sd, const struct uet_sd_new *new,
		   struct netlink_ext_ack *extack)
{
	int err = -EKEYREVOKED;

	lockdep_assert_held(&sd->un->cfg_mutex);

	spin_lock_bh(&sd->lock);
	if (!uet_tss_is_revoked(&sd->core, new->check))
		err = uet_tss_key_set(&sd->core, new->an, &new->key, new->epoch,
				      new->has_tsc ? new->tsc : sd_default_tsc());
	if (!err)
		uet_tss_key_tag(&sd->core, new->an, new->number, new->check);
	spin_unlock_bh(&sd->lock);
	if (err) {
		sd_say_refused(extack, err);
		return err;
	}
	sd_keys_drop(sd, new->an);
	err = sd_prepare_all(sd, new->an);
	if (err) {
		sd_say_failed(extack, err);
		spin_lock_bh(&sd->lock);
		uet_tss_key_del(&sd->core, new->an);
		spin_unlock_bh(&sd->lock);
		sd_keys_drop(sd, new->an);
	}
	return err;
}

/*
 * uet_sd_key_use() - select the association number for sealing: 0, -EINVAL, -ENOKEY
 */
int uet_sd_key_use(struct uet_sd *sd, u8 an, struct netlink_ext_ack *extack)
{
	int err;

	spin_lock_bh(&sd->lock);
	err = uet_tss_key_use(&sd->core, an);
	spin_unlock_bh(&sd->lock);
	if (err)
		NL_SET_ERR_MSG(extack, "sd: no key is set behind this an");
	return err;
}

/*
 * uet_sd_key_del() - delete a key: 0, -EINVAL, -ENOKEY
 */
int uet_sd_key_del(struct uet_sd *sd, u8 an, struct netlink_ext_ack *extack)
{
	int err;

	spin_lock_bh(&sd->lock);
	err = uet_tss_key_del(&sd->core, an);
	spin_unlock_bh(&sd->lock);
	if (err)
		NL_SET_ERR_MSG(extack, "sd: no key is set behind this an");
	else
		sd_keys_drop(sd, an);
	return err;
}

/*
 * uet_sd_revoke() - delete all keys and refuse them in future
 */
void uet_sd_revoke(struct uet_sd *sd)
{
	u8 an;

	lockdep_assert_held(&sd->un->cfg_mutex);

	spin_lock_bh(&sd->lock);
	uet_tss_revoke(&sd->core);
	spin_unlock_bh(&sd->lock);
	for (an = 0; an < UET_TSS_AN_NR; an++)
		sd_keys_drop(sd, an);
}

/*
 * uet_sd_set_epoch() - start an epoch, later than the current one: 0, -EINVAL, -ENOKEY
 */
int uet_sd_set_epoch(struct uet_sd *sd, u16 epoch, struct netlink_ext_ack *extack)
{
	int err;

	spin_lock_bh(&sd->lock);
	err = uet_tss_set_epoch(&sd->core, epoch);
	spin_unlock_bh(&sd->lock);
	if (err == -ENOKEY)
		NL_SET_ERR_MSG(extack, "sd: no key is in use");
	else if (err)
		NL_SET_ERR_MSG(extack, "sd: epoch must be later than ours, and clients have that of their key");
	else
		sd_prepare_all(sd, sd->core.an);
	return err;
}
