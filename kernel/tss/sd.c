// SPDX-License-Identifier: GPL-2.0
/*
 * Lifetime and configuration of a secure domain: an administrator sets, uses
 * and deletes keys, and starts epochs. No key can be read from the kernel.
 * Spec: UE 1.0.1 3.7.
 */
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "fabric/fabric.h"
#include "tss.h"

/*
 * Default start of counters: 2^17 counters for each second since 2020, so that
 * a key that is set again, for example after a reboot, does not restart at used
 * counters. This fails for a sender with a higher average packet rate, and if
 * the clock was set back.
 */
#define SD_TSC_EPOCH		1577836800LL
#define SD_TSC_SHIFT		17
#define SD_TSC_MASK		(BIT_ULL(47) - 1)

/**
 * uet_sd_find() - look up a domain by name
 * @un: namespace
 * @name: name of the domain
 *
 * Context: rcu_read_lock() or uet_net.cfg_mutex held.
 * Return: the domain or NULL.
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
	uet_sd_keys_fini(sd);
	uet_sd_srcs_fini(sd);
	uet_tss_sd_fini(&sd->core);
	uet_quota_give(sd->un, UET_QUOTA_SD);
	kfree_sensitive(sd);
}

/* Put a domain into uet_net.sds, where readers find it at once. */
static int sd_list(struct uet_sd *sd)
{
	struct uet_net *un = sd->un;

	return xa_alloc_cyclic(&un->sds, &sd->number, sd, xa_limit_32b,
			       &un->next_sd, GFP_KERNEL) < 0 ? -ENOMEM : 0;
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
	*err = uet_sd_keys_init(sd);
	if (*err)
		goto err_srcs;
	*err = sd_list(sd);
	if (*err)
		goto err_keys;
	return sd;

err_keys:
	uet_sd_keys_fini(sd);
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

/**
 * uet_sd_add() - create a domain
 * @un: namespace
 * @name: name of the domain
 * @cfg: configuration
 * @extack: error text
 *
 * Context: Process context, uet_net.cfg_mutex held, sleeps.
 * Return: 0; -EINVAL: inconsistent configuration; -EEXIST; -ENOSPC: the quota is
 *	used up; -ENOMEM; -ENOENT: the kernel has no AES-GCM or no AES-CMAC, or the
 *	error of these.
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

/**
 * uet_sd_del() - delete a domain and its keys
 * @un: namespace
 * @name: name of the domain
 * @extack: error text
 *
 * Context: Process context, uet_net.cfg_mutex held, sleeps.
 * Return: 0, -ENOENT, -EBUSY while a FEP uses it.
 */
int uet_sd_del(struct uet_net *un, const char *name,
	       struct netlink_ext_ack *extack)
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
 *
 * Context: Process context, uet_net.cfg_mutex held, sleeps.
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
static int sd_prepare(struct uet_sd *sd, u8 an, const struct uet_fa *of,
		      u32 ssi)
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
			err = sd_prepare(sd, an, &fep->cfg.fa,
					 sd->core.cfg.ssi);
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

/**
 * uet_sd_use_fep() - start the use of a domain by a FEP
 * @sd: domain
 * @fep: unpublished FEP
 *
 * Context: Process context, uet_net.cfg_mutex held, sleeps.
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
			sd_prepare(sd, an, &fep->cfg.fa,
				   sd->core.cfg.ssi);
}

/**
 * uet_sd_unuse_fep() - a FEP that used a domain has ended
 * @sd: domain
 *
 * Context: Process context, uet_net.cfg_mutex held.
 */
void uet_sd_unuse_fep(struct uet_sd *sd)
{
	lockdep_assert_held(&sd->un->cfg_mutex);

	/* Pairs with the READ_ONCE() in nl_sd_fill(). */
	WRITE_ONCE(sd->nr_feps, sd->nr_feps - 1);
}

/* Why the core does not take a key; each errno has a text. */
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

static int sd_take_key(struct uet_sd *sd, const struct uet_sd_new *new)
{
	int err = -EKEYREVOKED;

	spin_lock_bh(&sd->lock);
	if (!uet_tss_is_revoked(&sd->core, new->check))
		err = uet_tss_key_set(&sd->core, new->an, &new->key, new->epoch,
				      new->has_tsc ? new->tsc :
						     sd_default_tsc());
	if (!err)
		uet_tss_key_tag(&sd->core, new->an, new->number, new->check);
	spin_unlock_bh(&sd->lock);
	return err;
}

/**
 * uet_sd_key_set() - set the key of an association number
 * @sd: domain
 * @new: the key; the caller wipes it
 * @extack: error text
 *
 * Context: Process context, uet_net.cfg_mutex held, sleeps.
 * Return: 0; -EINVAL, -EBUSY, -EEXIST as uet_tss_key_set(); -EKEYREVOKED;
 *	-ENOMEM, or the error of the cipher.
 */
int uet_sd_key_set(struct uet_sd *sd, const struct uet_sd_new *new,
		   struct netlink_ext_ack *extack)
{
	int err;

	lockdep_assert_held(&sd->un->cfg_mutex);

	err = sd_take_key(sd, new);
	if (err) {
		sd_say_refused(extack, err);
		return err;
	}
	uet_sd_keys_drop(sd, new->an);
	err = sd_prepare_all(sd, new->an);
	if (err) {
		sd_say_failed(extack, err);
		spin_lock_bh(&sd->lock);
		uet_tss_key_del(&sd->core, new->an);
		spin_unlock_bh(&sd->lock);
		uet_sd_keys_drop(sd, new->an);
	}
	return err;
}

/**
 * uet_sd_key_use() - select the association number for sealing
 * @sd: domain
 * @an: association number
 * @extack: error text
 *
 * Context: Process context, uet_net.cfg_mutex held.
 * Return: 0, -EINVAL, -ENOKEY.
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

/**
 * uet_sd_key_del() - delete a key
 * @sd: domain
 * @an: association number
 * @extack: error text
 *
 * Context: Process context, uet_net.cfg_mutex held, sleeps.
 * Return: 0, -EINVAL, -ENOKEY.
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
		uet_sd_keys_drop(sd, an);
	return err;
}

/**
 * uet_sd_revoke() - delete all keys and refuse them in future
 * @sd: domain
 *
 * Context: Process context, uet_net.cfg_mutex held, sleeps.
 */
void uet_sd_revoke(struct uet_sd *sd)
{
	u8 an;

	lockdep_assert_held(&sd->un->cfg_mutex);

	spin_lock_bh(&sd->lock);
	uet_tss_revoke(&sd->core);
	spin_unlock_bh(&sd->lock);
	for (an = 0; an < UET_TSS_AN_NR; an++)
		uet_sd_keys_drop(sd, an);
}

/**
 * uet_sd_set_epoch() - start an epoch
 * @sd: domain
 * @epoch: epoch number, later than the current one
 * @extack: error text
 *
 * Context: Process context, uet_net.cfg_mutex held, sleeps.
 * Return: 0, -EINVAL, -ENOKEY.
 */
int uet_sd_set_epoch(struct uet_sd *sd, u16 epoch,
		     struct netlink_ext_ack *extack)
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
