// SPDX-License-Identifier: GPL-2.0
/*
 * Key derivation: NIST SP 800-108 in counter mode with AES-256-CMAC and an 8-bit
 * counter in front.  The context of the derivation names the owner of the key, the
 * epoch and the range of packet counters.
 *
 * Implements UE 1.0.1 3.7 (key derivation).  Level: core L2.
 */
#include "tss.h"

/* Number of derived bits, as encoded in the KDF input. */
#define KDF_BITS	(8 * UET_TSS_DERIVED_LEN)

/* KDF rounds needed for UET_TSS_DERIVED_LEN bytes. */
#define KDF_ROUNDS	DIV_ROUND_UP(UET_TSS_DERIVED_LEN, UET_TSS_MAC_LEN)

/*
 * Build the input of one KDF round.
 * @buf: result, space for UET_TSS_KDF_MAX bytes
 *
 * Return: bytes written.
 * Spec: UE 1.0.1 3.7: round, label, 0, context, number of bits.  The context holds
 *	epoch, rekey and id; 32 zero bits precede the id if it is an IPv6 address.
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
 * uet_tss_derive() - derive the key of a packet
 * @sd: domain
 * @kid: identity of the key, from uet_tss_seal() or uet_tss_open_begin()
 * @ops: CMAC; used only if uet_tss_is_derived()
 * @ctx: context of the caller, passed to @ops
 * @key: result; zero on error
 *
 * Context: That of @ops; the caller serialises per @sd.
 * Return: 0; -ENOKEY: the key of the domain was replaced meanwhile; or the error of
 *	@ops.
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
