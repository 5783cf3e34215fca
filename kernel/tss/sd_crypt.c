// SPDX-License-Identifier: GPL-2.0
/*
 * Sealing and opening of packets in place: the core checks the headers, and the
 * kernel's AES-GCM runs with per-CPU requests. A packet is linearised before
 * sealing, because its payload may be pages of a message that is retransmitted
 * later, or pages of a user.
 * Spec: UE 1.0.1 3.7.
 */
#include <linux/skbuff.h>

#include "tss.h"

static struct uet_tss_ends sd_ends(const struct uet_fa *src,
				   const struct uet_fa *dst)
{
	return (struct uet_tss_ends) {
		.src = (const u8 *)&src->v6,
		.dst = (const u8 *)&dst->v6,
	};
}

/**
 * uet_sd_overhead() - bytes that sealing adds to a packet
 * @sd: domain
 *
 * Return: length of security header plus ICV.
 */
u32 uet_sd_overhead(const struct uet_sd *sd)
{
	return uet_tss_hdr_len(&sd->core.cfg) + UET_ICV_LEN;
}

/*
 * Request the key of a peer that is about to answer.
 * @ends: addresses of a packet to the peer, of whom no packet was received
 *
 * The peer has to use the same sealing mode. With SSIs its key is unknown.
 *
 * Context: BH disabled, rcu_read_lock() held.
 */
void uet_sd_expect(struct uet_sd *sd, const struct uet_tss_ends *ends,
		   const struct uet_tss_op *op)
{
	const struct uet_tss_ends back = { .src = ends->dst, .dst = ends->src };
	struct uet_tss_op answer = { .hdr = op->hdr };

	if (sd->core.cfg.mode != UET_TSS_CLUSTER || op->hdr.has_ssi)
		return;
	uet_tss_op_init(&sd->core.cfg, op->kid.serial, &back, back.src,
			&answer);
	uet_sd_key_get(sd, &answer.kid);
}

/**
 * uet_sd_seal_head() - insert the security header in front of a packet
 * @fep: local FEP with a domain
 * @to: peer
 * @skb: packet, starting at the PDS header; grows
 * @op: result, for uet_sd_seal()
 *
 * Context: BH disabled, rcu_read_lock() held.
 * Return: UET_DROP_NONE, or the drop reason.
 * Spec: UE 1.0.1 3.7.11.
 */
enum uet_drop uet_sd_seal_head(struct uet_fep *fep, const struct uet_fa *to,
			       struct sk_buff *skb, struct uet_tss_op *op)
{
	struct uet_tss_ends ends = sd_ends(&fep->cfg.fa, to);
	struct uet_sd *sd = fep->cfg.sd;
	struct uet_sd_src *peer = uet_sd_src(sd, to);
	enum uet_drop why;
	size_t len;

	spin_lock(&sd->lock);
	why = uet_tss_seal(&sd->core, &ends, peer ? &peer->core : NULL, op);
	spin_unlock(&sd->lock);
	if (why)
		return why;
	if (unlikely(!peer))
		uet_sd_expect(sd, &ends, op);
	len = uet_tss_hdr_len(&sd->core.cfg);
	uet_wire_tss_encode(&op->hdr, __skb_push(skb, len), len);
	return UET_DROP_NONE;
}

/* AES-GCM over @len bytes at @offset of @skb, ICV included. */
static int sd_crypt(struct uet_sd *sd, const struct uet_sd_key *key,
		    const struct uet_tss_op *op, struct sk_buff *skb,
		    int offset, int len, size_t aad_len, bool seal)
{
	struct uet_sd_cpu *cpu = sd->cpu[smp_processor_id()];
	int nr;

	uet_tss_iv(op, &key->key, cpu->iv);
	sg_init_table(cpu->sg, ARRAY_SIZE(cpu->sg));
	sg_set_buf(cpu->sg, cpu->aad, aad_len);
	nr = skb_to_sgvec(skb, cpu->sg + 1, offset, len);
	if (nr < 0)
		return nr;
	aead_request_set_tfm(&cpu->req, key->fast && uet_simd_usable() ?
			     key->fast : key->tfm);
	aead_request_set_callback(&cpu->req, 0, NULL, NULL);
	aead_request_set_ad(&cpu->req, aad_len);
	aead_request_set_crypt(&cpu->req, cpu->sg, cpu->sg,
			       seal ? len - UET_ICV_LEN : len, cpu->iv);
	return seal ? crypto_aead_encrypt(&cpu->req) :
		      crypto_aead_decrypt(&cpu->req);
}

static size_t sd_aad(struct uet_sd *sd, const struct uet_tss_ends *ends,
		     const u8 *l4, size_t l4_len, size_t tss_len)
{
	return uet_tss_aad(&sd->core.cfg, ends, l4, l4_len, l4 + l4_len,
			   tss_len, sd->cpu[smp_processor_id()]->aad);
}

/* Linearise the packet, with space for the ICV. */
static bool sd_make_one(struct sk_buff *skb)
{
	int need = skb->data_len + UET_ICV_LEN - skb_tailroom(skb);

	if (!skb_is_nonlinear(skb) && need <= 0)
		return true;
	if (need > 0 && pskb_expand_head(skb, 0, need, GFP_ATOMIC))
		return false;
	return !skb_linearize(skb);
}

/**
 * uet_sd_seal() - seal a packet
 * @fep: local FEP
 * @to: peer
 * @skb: packet with security header and carrier header; header offsets and
 *	lengths are final
 * @op: from uet_sd_seal_head()
 *
 * Context: BH disabled, rcu_read_lock() held.
 * Return: UET_DROP_NONE; TSS_KEY_WAIT; NO_MEMORY.
 * Spec: UE 1.0.1 3.7.
 */
enum uet_drop uet_sd_seal(struct uet_fep *fep, const struct uet_fa *to,
			  struct sk_buff *skb, const struct uet_tss_op *op)
{
	struct uet_tss_ends ends = sd_ends(&fep->cfg.fa, to);
	u32 head_len = fep->head_len;
	struct uet_sd *sd = fep->cfg.sd;
	size_t tss_len = uet_tss_hdr_len(&sd->core.cfg);
	struct uet_sd_key *key;
	int offset;

	key = uet_sd_key_get(sd, &op->kid);
	if (!key)
		return UET_DROP_TSS_KEY_WAIT;
	if (!sd_make_one(skb))
		return UET_DROP_NO_MEMORY;
	skb_put(skb, UET_ICV_LEN);
	offset = skb_transport_offset(skb) + head_len + tss_len;
	if (sd_crypt(sd, key, op, skb, offset, skb->len - offset,
		     sd_aad(sd, &ends, skb_transport_header(skb), head_len,
			    tss_len), true))
		return UET_DROP_NO_MEMORY;
	uet_sd_key_prove(key);
	return UET_DROP_NONE;
}

static enum uet_drop sd_open_begin(struct uet_sd *sd,
				   const struct uet_tss_ends *ends,
				   const struct uet_fa *from,
				   const struct sk_buff *skb, u32 head_len,
				   struct uet_tss_op *op, size_t *tss_len)
{
	struct uet_sd_src *src = uet_sd_src(sd, from);
	enum uet_drop why;

	spin_lock(&sd->lock);
	why = uet_tss_open_begin(&sd->core, ends, skb->data + head_len,
				 skb->len - head_len, src ? &src->core : NULL,
				 op, tss_len);
	spin_unlock(&sd->lock);
	return why;
}

/*
 * Add a sender that was unknown. If the other key was set before, it was not
 * derived for this sender; request it now, so that it is ready for the first
 * packet under it.
 */
static struct uet_sd_src *sd_meet(struct uet_sd *sd, const struct uet_fa *from,
				  const struct uet_tss_op *op)
{
	struct uet_sd_src *src = uet_sd_src_make(sd, from);
	struct uet_tss_kid kid;
	u8 an = !op->hdr.an;
	bool is_set;

	if (!src)
		return NULL;
	spin_lock(&sd->lock);
	is_set = sd->core.sa[an].is_set;
	if (is_set)
		uet_sd_key_first(sd, an, from, op->hdr.ssi, &kid);
	spin_unlock(&sd->lock);
	if (is_set)
		uet_sd_key_get(sd, &kid);
	return src;
}

/* Report the result to the core; an authentic packet makes its sender known. */
static enum uet_drop sd_open_end(struct uet_sd *sd, const struct uet_fa *from,
				 const struct uet_tss_op *op, bool is_authentic)
{
	struct uet_sd_src *src = uet_sd_src(sd, from);
	enum uet_drop why;

	if (is_authentic && !src) {
		src = sd_meet(sd, from, op);
		if (!src)
			return UET_DROP_NO_MEMORY;
	}
	spin_lock(&sd->lock);
	why = uet_tss_open_end(&sd->core, op, src ? &src->core : NULL,
			       is_authentic);
	spin_unlock(&sd->lock);
	return why;
}

/* Make the data private: no other owner may see it decrypted in place. */
static bool sd_make_own(struct sk_buff *skb)
{
	struct sk_buff *trailer;
	int nr = skb_cow_data(skb, 0, &trailer);

	return nr >= 0 && (nr <= UET_SD_PIECES || !skb_linearize(skb));
}

/**
 * uet_sd_open() - open a packet
 * @fep: local FEP
 * @from: peer
 * @skb: packet, starting at the carrier header, which is in the linear part
 *	with the security header; result: the plaintext packet, starting at the
 *	PDS header, without ICV
 * @op: result: contents of the security header
 *
 * Context: Softirq, rcu_read_lock() held.
 * Return: UET_DROP_NONE, or the drop reason.
 * Spec: UE 1.0.1 3.7.
 */
enum uet_drop uet_sd_open(struct uet_fep *fep, const struct uet_fa *from,
			  struct sk_buff *skb, struct uet_tss_op *op)
{
	struct uet_tss_ends ends = sd_ends(from, &fep->cfg.fa);
	u32 head_len = fep->head_len;
	struct uet_sd *sd = fep->cfg.sd;
	struct uet_sd_key *key;
	enum uet_drop why;
	size_t tss_len;
	int err;

	why = sd_open_begin(sd, &ends, from, skb, head_len, op, &tss_len);
	if (why)
		return why;
	key = uet_sd_key_get(sd, &op->kid);
	if (!key)
		return UET_DROP_TSS_KEY_WAIT;
	if (!sd_make_own(skb))
		return UET_DROP_NO_MEMORY;
	err = sd_crypt(sd, key, op, skb, head_len + tss_len,
		       skb->len - head_len - tss_len,
		       sd_aad(sd, &ends, skb->data, head_len, tss_len), false);
	if (err && err != -EBADMSG)
		return UET_DROP_NO_MEMORY;
	if (!err)
		uet_sd_key_prove(key);
	why = sd_open_end(sd, from, op, !err);
	if (why)
		return why;
	if (pskb_trim(skb, skb->len - UET_ICV_LEN))
		return UET_DROP_NO_MEMORY;
	__skb_pull(skb, head_len + tss_len);
	return UET_DROP_NONE;
}
