// SPDX-License-Identifier: GPL-2.0
/*
 * A secure domain: validation of its rules, the keys of its two association
 * numbers, and key rotation.  Receivers accept packets under both association
 * numbers, so a rotation loses no packet: set the new key on all hosts, then use
 * the new key on all hosts, then delete the old key.
 *
 * A counter is never used twice under a key that the domain holds: a key is set
 * together with its first epoch and counter, and is removed only by deletion.  To
 * set a key that this end used before a restart, the caller must start where no
 * packet was sealed: in another epoch, or above the last counter.
 *
 * Implements UE 1.0.1 3.7: modes, association numbers, epochs, limits.
 * Level: core L2.
 */
#include "tss.h"

/*
 * RFC 9147 4.5.3 permits this number of forgeries under one key of AES-GCM.  A small
 * limit would let any host that can send packets shut a domain.
 */
#define FAIL_LIMIT_DEFAULT	(1ULL << 36)
#define EPOCH_AGE_DEFAULT	16
#define REKEY_SHIFT_MAX		47	/* highest bit of a counter */

/**
 * uet_tss_cfg_init() - default rules; the caller adds SDI and addresses
 * @cfg: result: mode cluster, a new derived key every 2^32 packets
 *
 * Spec: UE 1.0.1 3.7.
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

/* Check rekey_mask and rekey_shift; Return: NULL or an error text. */
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

/**
 * uet_tss_cfg_wrong() - validate the rules of a domain
 * @cfg: rules
 *
 * Return: NULL, or a text that names the violated rule and its limit.
 * Spec: UE 1.0.1 3.7: over IPv6 in modes direct and server, only the SSI
 *	distinguishes senders in the IV.
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

/**
 * uet_tss_sd_init() - initialise a domain without keys
 * @sd: memory of the caller
 * @cfg: rules that passed uet_tss_cfg_wrong(); copied
 */
void uet_tss_sd_init(struct uet_tss_sd *sd, const struct uet_tss_cfg *cfg)
{
	memset(sd, 0, sizeof(*sd));
	sd->cfg = *cfg;
	sd->an = UET_TSS_AN_NR;
}

/**
 * uet_tss_sd_fini() - erase all keys of a domain
 * @sd: domain; the caller may free the memory afterwards
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

/**
 * uet_tss_key_set() - set the key of an association number
 * @sd: domain
 * @an: association number, 0 or 1
 * @key: key of the domain with mask 0; at a client, the derived key with its mask
 * @epoch: epoch of this end under this key
 * @tsc: first counter, relative to the start of this end's counter range
 *
 * Packets under the key are accepted from now on.  In mode server with SSI, client
 * and server seal with one key under one id.  The server therefore uses counters with
 * the highest bit set and clients use counters without it; this function sets the bit.
 *
 * Context: Any; the caller serialises per @sd, and removes keys derived from the
 *	previous key.
 * Return: 0; -EINVAL: invalid number, all-zero key, mask at an end that is no client,
 *	or counter beyond the last; -EBUSY: @an is in use for sending; -EEXIST: the
 *	domain holds this key already.
 * Spec: UE 1.0.1 3.7.
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
	    (!sd->cfg.is_client &&
	     sd_differ(key->mask, zero, sizeof(key->mask))))
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

/**
 * uet_tss_key_tag() - label a key
 * @sd: domain
 * @an: association number, of a key that is set
 * @number: number of the key
 * @check: check value of the origin of the key; does not reveal the key
 *
 * Keys cannot be read back, so these labels identify the keys to their owner.  The
 * labels affect neither the protocol code nor the wire.
 */
void uet_tss_key_tag(struct uet_tss_sd *sd, u8 an, u32 number, u32 check)
{
	sd->sa[an].number = number;
	sd->sa[an].check = check;
}

/**
 * uet_tss_key_use() - select the association number for sending
 * @sd: domain
 * @an: association number
 *
 * Return: 0; -EINVAL: invalid number; -ENOKEY: the number has no key.
 * Spec: UE 1.0.1 3.7.
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

/**
 * uet_tss_key_del() - erase a key
 * @sd: domain
 * @an: association number; if @an is in use for sending, sending stops
 *
 * Context: Any; the caller serialises per @sd, and removes derived keys.
 * Return: 0; -EINVAL: invalid number; -ENOKEY: the number has no key.
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

/**
 * uet_tss_revoke() - erase all keys and block their re-use
 * @sd: domain; sends and accepts no packet until another key is set
 *
 * A key schedule would soon set the next key, or would replace the missing key.  The
 * check values of the revoked keys are therefore stored and refused.
 *
 * Context: Any; the caller serialises per @sd, and removes derived keys.
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

/**
 * uet_tss_is_revoked() - was a key with this check value revoked?
 * @sd: domain
 * @check: check value of the key; 0: none
 *
 * Return: true if the key must not be set again.
 */
bool uet_tss_is_revoked(const struct uet_tss_sd *sd, u32 check)
{
	u8 an;

	for (an = 0; an < UET_TSS_AN_NR; an++)
		if (check && sd->revoked[an] == check)
			return true;
	return false;
}

/**
 * uet_tss_set_epoch() - start a new epoch
 * @sd: domain; its counter is not reset, so that no IV repeats even when epochs wrap
 * @epoch: later than the epoch of the key in use, by serial comparison
 *
 * Return: 0; -ENOKEY: no key is in use; -EINVAL: not later, or a client, because the
 *	key of a client is valid for one epoch only.
 * Spec: UE 1.0.1 3.7: management changes the epoch when a FEP leaves and returns.
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

/**
 * uet_tss_left() - number of packets that may still be sealed
 * @sd: domain
 *
 * The caller uses the number to rotate keys in time.
 *
 * Return: packets until the counter range or cfg.seal_limit is exhausted; 0 without a
 *	key in use and when the domain is shut.
 */
u64 uet_tss_left(const struct uet_tss_sd *sd)
{
	const struct uet_tss_sa *sa;

	if (sd->is_shut || sd->an == UET_TSS_AN_NR)
		return 0;
	sa = &sd->sa[sd->an];
	return min(sd_tsc_end(&sd->cfg) - sa->tsc,
		   sd->cfg.seal_limit - sa->sealed);
}

/**
 * uet_tss_policy() - check whether a FEP accepts a kind of packet
 * @is_sealed_fep: the FEP is in a secure domain
 * @type: type of the first header, from uet_wire_type()
 * @is_trimmed: a switch has trimmed the packet
 *
 * A trimmed sealed packet has lost its ICV, and only its security header is in
 * clear.  No field can be verified and no PDC can be found.  The packet is dropped
 * without a NACK, and the sender detects the loss as if the switch had dropped the
 * packet.
 *
 * Return: UET_DROP_NONE: accepted, to be opened first if @is_sealed_fep;
 *	TSS_CLEAR, TSS_TRIMMED, TSS_UNSUPPORTED.
 * Spec: UE 1.0.1 3.7, 4.1.
 */
enum uet_drop uet_tss_policy(bool is_sealed_fep, u8 type, bool is_trimmed)
{
	if (!is_sealed_fep)
		return type == UET_TY_TSS ? UET_DROP_TSS_UNSUPPORTED :
					    UET_DROP_NONE;
	if (type != UET_TY_TSS)
		return UET_DROP_TSS_CLEAR;
	return is_trimmed ? UET_DROP_TSS_TRIMMED : UET_DROP_NONE;
}
