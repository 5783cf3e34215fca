// SPDX-License-Identifier: GPL-2.0
/*
 * Form of a sealed packet: identity of its key, its IV, and its additional
 * authenticated data.  The additional data is sent in clear: addresses, UDP or
 * entropy header, and security header.
 *
 * Implements UE 1.0.1 3.7, 3.7.11 (IV, IVMASK, additional data).
 * Level: core L2.
 */
#include "tss.h"

#define FORM_V4_LEN	4
#define FORM_V6_LEN	16
#define FORM_UDP_LEN	8
#define FORM_UDP_CHECK	6	/* offset of the UDP checksum */

/**
 * uet_tss_is_derived() - check whether this end derives packet keys
 * @cfg: rules of the domain
 *
 * Return: false if this end uses the configured key directly.
 */
bool uet_tss_is_derived(const struct uet_tss_cfg *cfg)
{
	return cfg->mode == UET_TSS_CLUSTER ||
	       (cfg->mode == UET_TSS_SERVER && !cfg->is_client);
}

/*
 * How long addresses are.
 * Return: bytes, 4 or 16.
 */
size_t uet_tss_addr_len(const struct uet_tss_cfg *cfg)
{
	return cfg->is_v6 ? FORM_V6_LEN : FORM_V4_LEN;
}

/* Part of the counter @tsc that selects the derived key. */
static u32 form_rekey(const struct uet_tss_cfg *cfg, u64 tsc)
{
	if (cfg->mode != UET_TSS_CLUSTER)
		return 0;
	return (tsc & cfg->rekey_mask) >> cfg->rekey_shift;
}

/*
 * Number of packets in a row that have one key.
 * Return: number of packets, 1 to @max.
 * Spec: UE 1.0.1 3.7: counter bits may select the derived key.
 */
u32 uet_tss_run_len(const struct uet_tss_cfg *cfg, u64 tsc, u32 max)
{
	u32 rekey = form_rekey(cfg, tsc), n = 1;

	while (n < max && form_rekey(cfg, tsc + n) == rekey)
		n++;
	return n;
}

/**
 * uet_tss_op_step() - lead from a packet of a run to a later one
 * @op: packet of uet_tss_seal_run() or uet_tss_open_run_begin()
 * @n: number of packets
 */
void uet_tss_op_step(struct uet_tss_op *op, u32 n)
{
	op->hdr.tsc += n;
}

static void form_kid(const struct uet_tss_cfg *cfg, const u8 *owner,
		     struct uet_tss_op *op)
{
	struct uet_tss_kid *kid = &op->kid;

	if (!uet_tss_is_derived(cfg))
		return;
	kid->epoch = op->hdr.epoch;
	kid->rekey = form_rekey(cfg, op->hdr.tsc);
	if (op->hdr.has_ssi) {
		kid->id_len = sizeof(op->hdr.ssi);
		put_unaligned_be32(op->hdr.ssi, kid->id);
		return;
	}
	kid->id_len = uet_tss_addr_len(cfg);
	memcpy(kid->id, owner, kid->id_len);
}

/**
 * uet_tss_op_init() - derive key identity and IV of a packet from its header
 * @cfg: rules of its domain
 * @serial: serial number of the domain's key
 * @ends: its addresses
 * @client: mode server: the client's address among @ends
 * @op: packet; @op->hdr is the input, the other members are the result
 *
 * Spec: UE 1.0.1 3.7: the id in the IV is the SSI, else the IPv4 source, else the
 *	SDI.  The key belongs to the sender, in mode server to the client.
 */
void uet_tss_op_init(const struct uet_tss_cfg *cfg, u32 serial,
		     const struct uet_tss_ends *ends, const u8 *client,
		     struct uet_tss_op *op)
{
	memset(&op->kid, 0, sizeof(op->kid));
	op->kid.serial = serial;
	op->kid.an = op->hdr.an;
	form_kid(cfg, cfg->mode == UET_TSS_SERVER ? client : ends->src, op);
	if (op->hdr.has_ssi)
		op->iv_id = op->hdr.ssi;
	else if (cfg->is_v6)
		op->iv_id = cfg->sdi;
	else
		op->iv_id = get_unaligned_be32(ends->src);
}

/**
 * uet_tss_iv() - compute the IV of a packet
 * @op: packet
 * @key: key of the packet
 * @iv: result, UET_TSS_IV_LEN bytes
 *
 * Spec: UE 1.0.1 3.7: id, epoch and counter, XORed with the mask of the key.
 */
void uet_tss_iv(const struct uet_tss_op *op, const struct uet_tss_key *key,
		u8 *iv)
{
	int i;

	put_unaligned_be32(op->iv_id, iv);
	put_unaligned_be16(op->hdr.epoch, iv + 4);
	put_unaligned_be48(op->hdr.tsc, iv + 6);
	for (i = 0; i < UET_TSS_IV_LEN; i++)
		iv[i] ^= key->mask[i];
}

/**
 * uet_tss_aad() - collect the additional authenticated data of a packet
 * @cfg: rules of its domain
 * @ends: its addresses
 * @l4: UDP header, with its final length, or entropy header
 * @l4_len: bytes of @l4, 8 or 4
 * @tss: security header as sent in the packet
 * @tss_len: bytes of @tss
 * @aad: result, space for UET_TSS_AAD_MAX bytes
 *
 * Return: bytes written.
 * Spec: UE 1.0.1 3.7.11.1.3: the UDP checksum counts as 0.
 */
size_t uet_tss_aad(const struct uet_tss_cfg *cfg,
		   const struct uet_tss_ends *ends, const u8 *l4, size_t l4_len,
		   const u8 *tss, size_t tss_len, u8 *aad)
{
	size_t addr_len = uet_tss_addr_len(cfg);
	u8 *p = aad;

	memcpy(p, ends->src, addr_len);
	memcpy(p + addr_len, ends->dst, addr_len);
	p += 2 * addr_len;
	memcpy(p, l4, l4_len);
	if (l4_len == FORM_UDP_LEN)
		put_unaligned_be16(0, p + FORM_UDP_CHECK);
	p += l4_len;
	memcpy(p, tss, tss_len);
	return p + tss_len - aad;
}
