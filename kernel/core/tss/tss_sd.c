// SPDX-License-Identifier: GPL-2.0
/*
 * A secure domain: which rules make sense, the keys behind its two association
 * numbers, and how one takes over from the other.  Receivers take packets under
 * both, so a key is changed without losing any: set it everywhere, then use it
 * everywhere, then delete the old one.
 *
 * No counter is ever used twice under a key that is known here: a key comes with
 * the epoch and the counter it begins at, and goes only by being deleted.  Who
 * sets a key that has been used before, in another life of this end, must begin
 * where nothing was sealed: at another epoch, or above the last counter.
 *
 * Implements UE 1.0.1 3.7: modes, association numbers, epochs, limits.
 * Level: core L2.
 */
#include "tss.h"

/*
 * RFC 9147 4.5.3 allows so many forgeries under one key of AES-GCM.  A small
 * number would let anybody who can send packets shut a domain.
 */
#define FAIL_LIMIT_DEFAULT	(1ULL << 36)
#define EPOCH_AGE_DEFAULT	16
#define REKEY_SHIFT_MAX		47

/**
 * uet_tss_cfg_init() - rules that need only an SDI and addresses
 * @cfg: result: mode cluster, another key every 2^32 packets
 *
 * Context: Any.
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

/* What makes another key out of a counter. */
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
 * uet_tss_cfg_wrong() - what is wrong with the rules of a domain?
 * @cfg: rules
 *
 * Context: Any.
 * Return: a text that names the rule and its limit, or NULL.
 * Spec: UE 1.0.1 3.7: over IPv6 the IV of modes direct and server tells senders
 *	apart by their SSI only.
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
 * uet_tss_sd_init() - make a domain without keys
 * @sd: memory of the caller
 * @cfg: rules with which nothing is wrong; copied
 *
 * Context: Any.
 */
void uet_tss_sd_init(struct uet_tss_sd *sd, const struct uet_tss_cfg *cfg)
{
	memset(sd, 0, sizeof(*sd));
	sd->cfg = *cfg;
	sd->an = UET_TSS_AN_NR;
}

/**
 * uet_tss_sd_fini() - leave no key in the memory of a domain
 * @sd: domain, whose memory is the caller's again
 *
 * Context: Any.
 */
void uet_tss_sd_fini(struct uet_tss_sd *sd)
{
	memzero_explicit(sd, sizeof(*sd));
}

/* Bytes that differ, found in a time that does not depend on where. */
static u8 sd_differ(const u8 *a, const u8 *b, size_t len)
{
	u8 differ = 0;

	while (len--)
		differ |= *a++ ^ *b++;
	return differ;
}

/* Is it a key that counters have been used under? */
static bool sd_knows(const struct uet_tss_sd *sd, const struct uet_tss_key *key)
{
	int an;

	for (an = 0; an < UET_TSS_AN_NR; an++)
		if (sd->sa[an].is_set &&
		    !sd_differ(sd->sa[an].base.key, key->key, UET_TSS_KEY_LEN))
			return true;
	return false;
}

/* Where the counters of this end begin at the earliest, and where they end. */
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
 * uet_tss_key_set() - put a key behind an association number
 * @sd: domain
 * @an: association number, 0 or 1
 * @key: of the domain, mask 0; of a client its own derived key with mask
 * @epoch: ours under this key
 * @tsc: counter to begin with, from the first one this end may use
 *
 * Packets under it are taken from now on.  In mode server with SSI client and
 * server seal with one key under one id, so the server's counters have their
 * highest bit set and the clients' have not: it is set here.
 *
 * Context: Any; the caller serialises per @sd, and removes derived keys of what
 *	was set before.
 * Return: 0; -EINVAL: no such number, key all zero, mask of who is no client, or
 *	counter beyond the last; -EBUSY: packets leave under @an; -EEXIST: the
 *	domain has this key.
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
 * uet_tss_key_tag() - say what a key is called
 * @sd: domain
 * @an: association number, of a key that is set
 * @number: its number
 * @check: what it was made of, told by a value that does not tell the key
 *
 * Keys are never told, so this is how their owner knows later which ones there
 * are.  Nothing here or on the wire depends on it.
 *
 * Context: Any; the caller serialises per @sd.
 */
void uet_tss_key_tag(struct uet_tss_sd *sd, u8 an, u32 number, u32 check)
{
	sd->sa[an].number = number;
	sd->sa[an].check = check;
}

/**
 * uet_tss_key_use() - seal what leaves under another association number
 * @sd: domain
 * @an: association number
 *
 * Context: Any; the caller serialises per @sd.
 * Return: 0; -EINVAL: no such number; -ENOKEY: it has no key.
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
 * uet_tss_key_del() - forget a key
 * @sd: domain
 * @an: association number; if packets leave under it, none leaves any more
 *
 * Context: Any; the caller serialises per @sd, and removes derived keys.
 * Return: 0; -EINVAL: no such number; -ENOKEY: it has no key.
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
 * uet_tss_revoke() - forget all keys, and what was made of the same
 * @sd: domain; nothing leaves, and nothing is taken, until it has another key
 *
 * Who sets keys by a schedule would soon set the next one, or has just read that
 * one is missing: what it is made of is remembered and refused.
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
 * uet_tss_is_revoked() - is it a key that must not be set again?
 * @sd: domain
 * @check: what the key is made of; 0: not told
 *
 * Context: Any; the caller serialises per @sd.
 * Return: true if so.
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
 * uet_tss_set_epoch() - begin an epoch
 * @sd: domain; its counter goes on, so that no IV can come again even when
 *	epochs wrap
 * @epoch: later than that of the key in use, by serial comparison
 *
 * Context: Any; the caller serialises per @sd.
 * Return: 0; -ENOKEY: no key is in use; -EINVAL: not later, or a client, whose
 *	key is that of one epoch.
 * Spec: UE 1.0.1 3.7: management changes it when a FEP leaves and comes back.
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
 * uet_tss_left() - packets that may still be sealed
 * @sd: domain
 *
 * For who has to change keys in time.
 *
 * Context: Any; the caller serialises per @sd.
 * Return: packets until a counter or cfg.seal_limit ends it; 0 also without a
 *	key, or when the domain is shut.
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
 * uet_tss_policy() - may a packet come to this FEP at all?
 * @is_sealed_fep: it is in a secure domain
 * @type: of the first header, from uet_wire_type()
 * @is_trimmed: a switch has cut the packet
 *
 * A sealed packet that was trimmed has lost its ICV, and of what is left only
 * the security header is in clear: nothing in it can be believed, and there is
 * no PDC to find by it.  It is dropped without an answer; its sender finds it
 * lost, as if the switch had dropped it.
 *
 * Context: Any.
 * Return: UET_DROP_NONE: it may, and is opened first if @is_sealed_fep;
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
