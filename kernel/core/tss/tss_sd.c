// SPDX-License-Identifier: GPL-2.0
/*
 * A secure domain: its rules, the keys of its two association numbers, and key rotation.
 * Receivers accept packets under both numbers, so a rotation loses no packet: set the new key
 * on all hosts, then use it on all hosts, then delete the old key.
 *
 * A counter is never used twice under a key that the domain holds: a key is set together with
 * its first epoch and counter, and removed only by deletion.  To set a key that this end used
 * before a restart, the caller must start in another epoch, or above the last counter.
 *
 * Implements UE 1.0.1 3.7: modes, association numbers, epochs, limits.  Level: core L2.
 */
#include "tss.h"

/*
 * RFC 9147 4.5.3 permits this number of forgeries under one key of AES-GCM.  A small
 * limit would let any host that can send packets shut a domain.
 */
#define FAIL_LIMIT_DEFAULT	(1ULL << 36)
#define EPOCH_AGE_DEFAULT	16
#define REKEY_SHIFT_MAX		47	/* highest bit of a counter */

/*
 * uet_tss_cfg_init() - default rules: mode cluster, a new derived key every 2^32 packets
 */
void uet_tss_cfg_init(struct uet_tss_cfg *cfg)
{
	*cfg = (struct uet_tss_cfg) {
		.mode = UET_TSS_CLUSTER,
		.rekey_mask = 0xffffULL << 32,
		.rekey_shift = 32,
		.epoch_age = EPOCH_AGE_DEFAULT,
		.seal_limit = UET_TSS_TSC_END,
		.fail_limit = FAIL_LIMIT_DEFAULT,
	};
}

static const char *sd_rekey_wrong(const struct uet_tss_cfg *cfg)
{
	if (!cfg->rekey_mask)
		return NULL;
	if (cfg->mode != UET_TSS_CLUSTER)
		return "sd: rekey-mask is for mode cluster";
	if (cfg->rekey_mask >= UET_TSS_TSC_END)
		return "sd: rekey-mask must have no more than 48 bits";
	if (cfg->rekey_shift > REKEY_SHIFT_MAX)
		return "sd: rekey-shift must not be above 47";
	if (cfg->rekey_mask & ((1ULL << cfg->rekey_shift) - 1))
		return "sd: rekey-mask has bits below rekey-shift";
	if (cfg->rekey_mask >> cfg->rekey_shift > U32_MAX)
		return "sd: rekey-mask, shifted, must have no more than 32 bits";
	return NULL;
}

/*
 * uet_tss_cfg_wrong() - NULL, or a text that names the violated rule of a domain and its limit
 * Over IPv6 in modes direct and server, only the SSI distinguishes senders in the IV.
 */
const char *uet_tss_cfg_wrong(const struct uet_tss_cfg *cfg)
{
	if (cfg->sdi > UET_SDI_MAX)
		return "sd: sdi must not be above 16777215";
	if (cfg->mode >= UET_TSS_MODE_NR)
		return "sd: mode must be direct, cluster or server";
	if (cfg->is_client && cfg->mode != UET_TSS_SERVER)
		return "sd: clients are of mode server";
	if (cfg->is_v6 && cfg->mode != UET_TSS_CLUSTER && !cfg->has_ssi)
		return "sd: over IPv6, modes direct and server need an ssi";
	if (cfg->epoch_age > S16_MAX)
		return "sd: epoch-age must not be above 32767";
	if (!cfg->seal_limit || cfg->seal_limit > UET_TSS_TSC_END)
		return "sd: seal-limit must be 1 to 2^48";
	if (!cfg->fail_limit)
		return "sd: fail-limit must not be 0";
	return sd_rekey_wrong(cfg);
}

/*
 * uet_tss_sd_init() - initialise a domain without keys; its rules passed uet_tss_cfg_wrong()
 */
void uet_tss_sd_init(struct uet_tss_sd *sd, const struct uet_tss_cfg *cfg)
{
	memset(sd, 0, sizeof(*sd));
	sd->cfg = *cfg;
	sd->an = UET_TSS_AN_NR;
}

/*
 * uet_tss_sd_fini() - erase all keys, before the caller frees the memory
 */
void uet_tss_sd_fini(struct uet_tss_sd *sd)
{
	memzero_explicit(sd, sizeof(*sd));
}

/* Constant-time comparison. Return: 0 if equal. */
static u8 sd_differ(const u8 *a, const u8 *b, size_t len)
{
	u8 differ = 0;

	while (len--)
		differ |= *a++ ^ *b++;
	return differ;
}

/* Does the domain hold this key, so that counters may be used under the key? */
static bool sd_knows(const struct uet_tss_sd *sd, const struct uet_tss_key *key)
{
	int an;

	for (an = 0; an < UET_TSS_AN_NR; an++)
		if (sd->sa[an].is_set &&
		    !sd_differ(sd->sa[an].base.key, key->key, UET_TSS_KEY_LEN))
			return true;
	return false;
}

/* First counter of this end, and the end of its counter range. */
static u64 sd_tsc_begin(const struct uet_tss_cfg *cfg)
{
	return cfg->mode == UET_TSS_SERVER && cfg->has_ssi && !cfg->is_client ?
	       UET_TSS_TSC_SERVER : 0;
}

static u64 sd_tsc_end(const struct uet_tss_cfg *cfg)
{
	return cfg->mode == UET_TSS_SERVER && cfg->has_ssi && cfg->is_client ?
	       UET_TSS_TSC_SERVER : UET_TSS_TSC_END;
}

/*
 * uet_tss_key_set() - set the key of an association number: packets under it are accepted
 * @key: of the domain with mask 0; at a client, the derived key with its mask
 * @epoch: of this end under this key
 * @tsc: first counter, relative to the start of this end's counter range
 *
 * In mode server with SSI both ends seal with one key under one id.  The server therefore uses
 * counters with the highest bit set, clients those without.  Return: 0; -EINVAL: invalid
 * number, all-zero key, mask at an end that is no client, or counter beyond the last; -EBUSY:
 * @an is in use for sending; -EEXIST: the domain holds this key already.
 */
int uet_tss_key_set(struct uet_tss_sd *sd, u8 an, const struct uet_tss_key *key,
		    u16 epoch, u64 tsc)
{
	static const u8 zero[UET_TSS_KEY_LEN];
	u64 first = sd_tsc_begin(&sd->cfg);
	struct uet_tss_sa *sa;

	if (an >= UET_TSS_AN_NR ||
	    tsc >= sd_tsc_end(&sd->cfg) - first ||
	    !sd_differ(key->key, zero, sizeof(key->key)) ||
	    (!sd->cfg.is_client && sd_differ(key->mask, zero, sizeof(key->mask))))
		return -EINVAL;
	if (sd_knows(sd, key))
		return -EEXIST;
	if (an == sd->an)
		return -EBUSY;
	sa = &sd->sa[an];
	memzero_explicit(sa, sizeof(*sa));
	*sa = (struct uet_tss_sa) {
		.is_set = true,
		.base = *key,
		.serial = ++sd->serials,
		.epoch = epoch,
		.tsc = first + tsc,
	};
	return 0;
}

/*
 * uet_tss_key_tag() - label a key that is set: keys cannot be read back
 * @check: check value of the origin of the key; does not reveal the key
 */
void uet_tss_key_tag(struct uet_tss_sd *sd, u8 an, u32 number, u32 check)
{
	sd->sa[an].number = number;
	sd->sa[an].check = check;
}

/*
 * uet_tss_key_use() - select the number for sending; -EINVAL: invalid; -ENOKEY: it has no key
 */
int uet_tss_key_use(struct uet_tss_sd *sd, u8 an)
{
	if (an >= UET_TSS_AN_NR)
		return -EINVAL;
	if (!sd->sa[an].is_set)
		return -ENOKEY;
	sd->an = an;
	return 0;
}

/*
 * uet_tss_key_del() - erase a key, and stop sending under it; -EINVAL: invalid; -ENOKEY: no key
 */
int uet_tss_key_del(struct uet_tss_sd *sd, u8 an)
{
	if (an >= UET_TSS_AN_NR)
		return -EINVAL;
	if (!sd->sa[an].is_set)
		return -ENOKEY;
	memzero_explicit(&sd->sa[an], sizeof(sd->sa[an]));
	if (an == sd->an)
		sd->an = UET_TSS_AN_NR;
	return 0;
}

/*
 * uet_tss_revoke() - erase all keys: nothing is sent or accepted until another is set
 * A key schedule would soon set the next key, or replace the missing one.  The check values of
 * the revoked keys are therefore stored and refused.
 */
void uet_tss_revoke(struct uet_tss_sd *sd)
{
	u8 an;

	for (an = 0; an < UET_TSS_AN_NR; an++) {
		if (sd->sa[an].is_set && sd->sa[an].check)
			sd->revoked[an] = sd->sa[an].check;
		uet_tss_key_del(sd, an);
	}
}

/*
 * uet_tss_is_revoked() - was a key with this check value, 0: none, revoked?
 */
bool uet_tss_is_revoked(const struct uet_tss_sd *sd, u32 check)
{
	u8 an;

	for (an = 0; an < UET_TSS_AN_NR; an++)
		if (check && sd->revoked[an] == check)
			return true;
	return false;
}

/*
 * uet_tss_set_epoch() - start a new epoch; the counter goes on, so that no IV repeats at a wrap
 * @epoch: later than the epoch of the key in use, by serial comparison
 *
 * Return: 0; -ENOKEY: no key is in use; -EINVAL: not later, or a client, because the key of a
 * client is for one epoch.  Management changes it when a FEP leaves and returns.
 */
int uet_tss_set_epoch(struct uet_tss_sd *sd, u16 epoch)
{
	struct uet_tss_sa *sa;

	if (sd->an == UET_TSS_AN_NR)
		return -ENOKEY;
	sa = &sd->sa[sd->an];
	if (sd->cfg.is_client || (s16)(epoch - sa->epoch) <= 0)
		return -EINVAL;
	sa->epoch = epoch;
	return 0;
}

/*
 * uet_tss_left() - packets that may still be sealed, so that the caller rotates keys in time
 */
u64 uet_tss_left(const struct uet_tss_sd *sd)
{
	const struct uet_tss_sa *sa;

	if (sd->is_shut || sd->an == UET_TSS_AN_NR)
		return 0;
	sa = &sd->sa[sd->an];
	return min(sd_tsc_end(&sd->cfg) - sa->tsc, sd->cfg.seal_limit - sa->sealed);
}

/*
 * uet_tss_policy() - does a FEP accept a kind of packet?
 * @type: type of the first header, from uet_wire_type()
 *
 * A trimmed sealed packet has lost its ICV, and only its security header is in clear: no field
 * can be verified and no PDC can be found.  It is dropped without a NACK, and the sender
 * detects the loss as if the switch had dropped it (UE 1.0.1 3.7, 4.1).
 */
enum uet_drop uet_tss_policy(bool is_sealed_fep, u8 type, bool is_trimmed)
{
	if (!is_sealed_fep)
		return type == UET_TY_TSS ? UET_DROP_TSS_UNSUPPORTED : UET_DROP_NONE;
	if (type != UET_TY_TSS)
		return UET_DROP_TSS_CLEAR;
	return is_trimmed ? UET_DROP_TSS_TRIMMED : UET_DROP_NONE;
}
