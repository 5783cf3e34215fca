// SPDX-License-Identifier: GPL-2.0
/*
 * Keys from the key of a domain: NIST SP 800-108 in counter mode, with
 * AES-256-CMAC as its function and a counter of 8 bits in front.  The context
 * says whose key it is, in which epoch, and for which range of counters.
 *
 * Implements UE 1.0.1 3.7 (key derivation).  Level: core L2.
 */
#include "tss.h"

/* Bits that are derived, as the input tells them. */
#define KDF_BITS	(8 * UET_TSS_DERIVED_LEN)

/* Rounds that make them. */
#define KDF_ROUNDS	DIV_ROUND_UP(UET_TSS_DERIVED_LEN, UET_TSS_MAC_LEN)

/**
 * uet_tss_kdf_input() - what one round of the KDF is computed of
 * @mode: UET_TSS_CLUSTER or UET_TSS_SERVER
 * @kid: which key
 * @round: from 1
 * @buf: result, space for UET_TSS_KDF_MAX bytes
 *
 * Context: Any.
 * Return: bytes written.
 * Spec: UE 1.0.1 3.7: round, label, 0, context, bits to derive.  The context is
 *	epoch, rekey and id; 32 zero bits stand before those of an IPv6 address.
 */
size_t uet_tss_kdf_input(enum uet_tss_mode mode, const struct uet_tss_kid *kid,
			 u8 round, u8 *buf)
{
	u8 *p = buf;

	*p++ = round;
	*p++ = 'U';
	*p++ = mode == UET_TSS_SERVER ? '2' : '1';
	*p++ = 0;
	if (kid->id_len == UET_TSS_ID_MAX) {
		put_unaligned_be32(0, p);
		p += 4;
	}
	put_unaligned_be16(kid->epoch, p);
	put_unaligned_be32(kid->rekey, p + 2);
	memcpy(p + 6, kid->id, kid->id_len);
	p += 6 + kid->id_len;
	put_unaligned_be16(KDF_BITS, p);
	return p + 2 - buf;
}

/**
 * uet_tss_derive() - the key that a packet is sealed with
 * @sd: domain
 * @kid: which key, from uet_tss_seal() or uet_tss_open_begin()
 * @ops: CMAC, not used unless uet_tss_is_derived()
 * @ctx: for @ops
 * @key: result; zero on error
 *
 * Context: That of @ops; the caller serialises per @sd.
 * Return: 0; -ENOKEY: the key of the domain was changed since; or what @ops
 *	failed with.
 * Spec: UE 1.0.1 3.7.
 */
int uet_tss_derive(const struct uet_tss_sd *sd, const struct uet_tss_kid *kid,
		   const struct uet_tss_ops *ops, void *ctx,
		   struct uet_tss_key *key)
{
	const struct uet_tss_sa *sa = &sd->sa[kid->an];
	u8 out[KDF_ROUNDS * UET_TSS_MAC_LEN] = { 0 };
	u8 buf[UET_TSS_KDF_MAX];
	int i, err = 0;
	size_t len;

	memset(key, 0, sizeof(*key));
	if (!sa->is_set || sa->serial != kid->serial)
		return -ENOKEY;
	if (!uet_tss_is_derived(&sd->cfg)) {
		*key = sa->base;
		return 0;
	}
	for (i = 0; i < KDF_ROUNDS && !err; i++) {
		len = uet_tss_kdf_input(sd->cfg.mode, kid, i + 1, buf);
		err = ops->cmac(ctx, sa->base.key, buf, len,
				out + i * UET_TSS_MAC_LEN);
	}
	if (!err) {
		memcpy(key->key, out, sizeof(key->key));
		memcpy(key->mask, out + sizeof(key->key), sizeof(key->mask));
	}
	memzero_explicit(out, sizeof(out));
	return err;
}
