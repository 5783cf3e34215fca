/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sealed packets for tests, as they are on the wire: the ciphers come from
 * libcrypto, which shares nothing with ours, and everything else from the core.
 * Packets are whole, from the IP header to the ICV, in any of the four forms.
 * Level: test.
 */
#ifndef UET_SELFTESTS_TSSCRYPT_H
#define UET_SELFTESTS_TSSCRYPT_H

#include "tsscipher.h"
#include "utest.h"

#define TSST_SPACE	512

/* Shared parts of the golden vectors. */
#define TSST_KEY \
	"34448a064292601b11a0978f56a2d34cf3fc35ede1a6bc04f8db3e5243a2b0ca"
#define TSST_EPOCH	0x1dc0
#define TSST_TSC	0x74e500000023ULL
#define TSST_SDI	1
#define TSST_PLAIN \
	"118cffff0001200001010000" \
	"050b0001000000010000000f0000000000000000000000100000000000000000" \
	"000000000000000000000008" \
	"5545547565744b41"

/* In which form a packet travels. */
struct tsst_form {
	bool is_v6;
	bool is_udp;
};

/* A packet: bytes from the IP header on, and where its parts begin. */
struct tsst_pkt {
	struct tsst_form form;
	u8 bytes[TSST_SPACE];
	size_t addrs, l4, tss, len;
};

/* 192.168.42.@host, or 2001:cb0::fc0:0:0:@host. */
__maybe_unused static void tsst_addr(bool is_v6, u16 host, u8 *addr)
{
	if (is_v6) {
		utest_unhex("20010cb0000000000fc0000000000000", addr, 16);
		put_unaligned_be16(host, addr + 14);
		return;
	}
	utest_unhex("c0a82a00", addr, 4);
	addr[3] = (u8)host;
}

/* Headers in clear for @rest bytes behind UDP or entropy header. */
__maybe_unused static void tsst_heads(struct tsst_pkt *pkt,
				      struct tsst_form form, u16 from, u16 to,
				      size_t rest)
{
	size_t addr_len = form.is_v6 ? 16 : 4;
	u8 *l4;

	memset(pkt, 0, sizeof(*pkt));
	pkt->form = form;
	pkt->addrs = form.is_v6 ? 8 : 12;
	pkt->l4 = pkt->addrs + 2 * addr_len;
	pkt->tss = pkt->l4 + (form.is_udp ? 8 : 4);
	pkt->len = pkt->tss + rest;
	tsst_addr(form.is_v6, from, pkt->bytes + pkt->addrs);
	tsst_addr(form.is_v6, to, pkt->bytes + pkt->addrs + addr_len);
	l4 = pkt->bytes + pkt->l4;
	put_unaligned_be16(0x4242, l4);
	if (form.is_udp) {
		put_unaligned_be16(4793, l4 + 2);
		put_unaligned_be16((u16)(rest + 8), l4 + 4);
	}
}

__maybe_unused static struct uet_tss_ends tsst_ends(const struct tsst_pkt *pkt)
{
	return (struct uet_tss_ends) {
		.src = pkt->bytes + pkt->addrs,
		.dst = pkt->bytes + pkt->addrs + (pkt->form.is_v6 ? 16 : 4),
	};
}

/* Cipher over what is behind the security header. Return: ICV is right. */
__maybe_unused static bool tsst_crypt(const struct uet_tss_sd *sd,
				      struct tsst_pkt *pkt, bool seal,
				      const struct uet_tss_op *op,
				      size_t hdr_len)
{
	struct uet_tss_ends ends = tsst_ends(pkt);
	u8 aad[UET_TSS_AAD_MAX], iv[UET_TSS_IV_LEN];
	u8 *tss = pkt->bytes + pkt->tss;
	struct uet_tss_key key;
	size_t n;

	if (uet_tss_derive(sd, &op->kid, &tsst_ops, NULL, &key))
		return false;
	uet_tss_iv(op, &key, iv);
	n = uet_tss_aad(&sd->cfg, &ends, pkt->bytes + pkt->l4,
			pkt->tss - pkt->l4, tss, hdr_len, aad);
	return tsst_gcm(seal, key.key, iv, aad, n, tss + hdr_len,
			pkt->len - pkt->tss - hdr_len - UET_ICV_LEN);
}

/* A packet with @plain from @from to @to. */
__maybe_unused static enum uet_drop
tsst_seal(struct uet_tss_sd *sd, struct tsst_form form, u16 from, u16 to,
	  const struct uet_tss_src *peer, const u8 *plain, size_t len,
	  struct tsst_pkt *pkt)
{
	size_t hdr_len = uet_tss_hdr_len(&sd->cfg);
	struct uet_tss_ends ends;
	struct uet_tss_op op;
	enum uet_drop why;
	u8 *tss;

	tsst_heads(pkt, form, from, to, hdr_len + len + UET_ICV_LEN);
	ends = tsst_ends(pkt);
	why = uet_tss_seal(sd, &ends, peer, &op);
	if (why)
		return why;
	tss = pkt->bytes + pkt->tss;
	if (uet_wire_tss_encode(&op.hdr, tss, UET_TSS_SSI_LEN) != hdr_len)
		tsst_die("header");
	memcpy(tss + hdr_len, plain, len);
	tsst_crypt(sd, pkt, true, &op, hdr_len);
	return UET_DROP_NONE;
}

/* As a receiver does it; *@plain is in the packet, which is changed. */
__maybe_unused static enum uet_drop
tsst_open(struct uet_tss_sd *sd, struct uet_tss_src *src, struct tsst_pkt *pkt,
	  struct uet_tss_op *op, u8 **plain, size_t *len)
{
	struct uet_tss_ends ends = tsst_ends(pkt);
	u8 *tss = pkt->bytes + pkt->tss;
	size_t rest = pkt->len > pkt->tss ? pkt->len - pkt->tss : 0;
	size_t used = 0;
	enum uet_drop why;

	why = uet_tss_policy(true, rest ? uet_wire_type(tss) : 0, false);
	if (!why)
		why = uet_tss_open_begin(sd, &ends, tss, rest, src, op, &used);
	if (why)
		return why;
	*plain = tss + used;
	*len = rest - used - UET_ICV_LEN;
	return uet_tss_open_end(sd, op, src, tsst_crypt(sd, pkt, false, op, used));
}

/* A domain with the golden key under AN 0, in use. */
__maybe_unused static void tsst_sd(struct uet_tss_sd *sd,
				   const struct uet_tss_cfg *cfg)
{
	struct uet_tss_key key = { 0 };

	utest_unhex(TSST_KEY, key.key, sizeof(key.key));
	uet_tss_sd_init(sd, cfg);
	if (uet_tss_cfg_wrong(cfg) ||
	    uet_tss_key_set(sd, 0, &key, TSST_EPOCH, 0) ||
	    uet_tss_key_use(sd, 0))
		tsst_die("domain");
	sd->sa[0].tsc = TSST_TSC;
}

#endif /* UET_SELFTESTS_TSSCRYPT_H */
