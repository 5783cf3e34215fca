// SPDX-License-Identifier: GPL-2.0
/*
 * Sealing and opening of packets and bursts, and the known senders of a domain: each sender of
 * a packet with a valid ICV, with its replay window and the start PSN for its next PDCs.
 *
 * The core checks the headers, and the kernel's AES-GCM runs with per-CPU requests. A single
 * packet is sealed and opened in place. It is linearised before sealing, because its payload may
 * be pages of a message that is retransmitted later, or pages of a user.
 *
 * The packets of a burst are sealed or opened one behind the other: one look-up of peer and key
 * and one lock serve for all.  Each packet has a counter, and so an IV, of its own, and an ICV.
 * Nothing of a burst is used before all of its packets were found authentic and new.  If one was
 * not, nothing has changed or was counted, and the caller takes them singly.
 * Spec: UE 1.0.1 3.7, 3.5.8.2.
 */
#include <linux/random.h>
#include <linux/skbuff.h>
#include <linux/slab.h>

#include "tss.h"

/* -------------------------------------------------------------------------- senders */

static const struct rhashtable_params sd_srcs_params = {
	.key_len = sizeof(struct uet_fa),
	.key_offset = offsetof(struct uet_sd_src, fa),
	.head_offset = offsetof(struct uet_sd_src, node),
	.max_size = UET_SD_SRCS_MAX / 2,
	.automatic_shrinking = true,
};

int uet_sd_srcs_init(struct uet_sd *sd)
{
	return rhashtable_init(&sd->srcs, &sd_srcs_params);
}

static void sd_src_free(void *ptr, void *arg)
{
	kfree(ptr);
}

void uet_sd_srcs_fini(struct uet_sd *sd)
{
	rhashtable_free_and_destroy(&sd->srcs, sd_src_free, NULL);
}

/* The sender, valid as long as the domain; NULL: unknown.  Under RCU. */
static struct uet_sd_src *sd_src(struct uet_sd *sd, const struct uet_fa *fa)
{
	return rhashtable_lookup(&sd->srcs, fa, sd_srcs_params);
}

/* Return: number of senders; while the table changes, one may be repeated or missing. */
unsigned int uet_sd_srcs_list(struct uet_sd *sd, struct uet_sd_peer *peers, unsigned int space)
{
	struct rhashtable_iter iter;
	struct uet_sd_src *src;
	unsigned int nr = 0;
	u32 ssi;

	rhashtable_walk_enter(&sd->srcs, &iter);
	rhashtable_walk_start(&iter);
	while (nr < space && (src = rhashtable_walk_next(&iter))) {
		if (IS_ERR(src))
			continue;
		spin_lock_bh(&sd->lock);
		ssi = src->core.ssi;
		spin_unlock_bh(&sd->lock);
		peers[nr++] = (struct uet_sd_peer) {
			.fa = src->fa, .ssi = ssi,
		};
	}
	rhashtable_walk_stop(&iter);
	rhashtable_walk_exit(&iter);
	return nr;
}

/*
 * Return: the sender, possibly added by another CPU meanwhile; NULL: no memory, or the table is
 * full.
 */
static struct uet_sd_src *sd_src_make(struct uet_sd *sd, const struct uet_fa *fa)
{
	struct uet_sd_src *src, *other;

	src = kzalloc(sizeof(*src), GFP_ATOMIC | __GFP_NOWARN);
	if (!src)
		return NULL;
	src->fa = *fa;
	other = rhashtable_lookup_get_insert_fast(&sd->srcs, &src->node, sd_srcs_params);
	if (!other)
		return src;
	kfree(src);
	return IS_ERR(other) ? NULL : other;
}

/*
 * uet_sd_start() - start PSN for a PDC that a packet opens
 * @op: security header of the opened packet
 * @open: result: UET_PDC_START_RANDOM or UET_PDC_START_EXPECTED, and the PSN
 * Spec: UE 1.0.1 3.5.8.2.
 */
void uet_sd_start(struct uet_sd *sd, const struct uet_fa *from,
		  const struct uet_tss_op *op, struct uet_pdc_open *open)
{
	struct uet_sd_src *src = sd_src(sd, from);
	u32 random = get_random_u32();

	open->start = UET_PDC_START_RANDOM;
	open->expected_psn = random;
	if (!src)
		return;
	spin_lock(&sd->lock);
	if (!uet_tss_src_start(&src->core, op, random, &open->expected_psn))
		open->start = UET_PDC_START_EXPECTED;
	spin_unlock(&sd->lock);
}

/*
 * uet_sd_live() - a PDC started at the PSN that was chosen for its opened packet
 */
void uet_sd_live(struct uet_sd *sd, const struct uet_fa *from,
		 const struct uet_tss_op *op, u32 start_psn)
{
	struct uet_sd_src *src = sd_src(sd, from);

	if (!src)
		return;
	spin_lock(&sd->lock);
	uet_tss_src_live(&src->core, op, start_psn);
	spin_unlock(&sd->lock);
}

/*
 * uet_sd_used() - a PDC of a sender has ended
 * @next_psn: from uet_pdc_next_expected_psn()
 */
void uet_sd_used(struct uet_sd *sd, const struct uet_fa *from, u32 next_psn)
{
	struct uet_sd_src *src;

	rcu_read_lock();
	src = sd_src(sd, from);
	if (src) {
		spin_lock(&sd->lock);
		uet_tss_src_used(&src->core, next_psn);
		spin_unlock(&sd->lock);
	}
	rcu_read_unlock();
}

/* ------------------------------------------------------------------- single packets */

static struct uet_tss_ends sd_ends(const struct uet_fa *src, const struct uet_fa *dst)
{
	return (struct uet_tss_ends) {
		.src = (const u8 *)&src->v6,
		.dst = (const u8 *)&dst->v6,
	};
}

/*
 * uet_sd_overhead() - bytes that sealing adds to a packet: security header and ICV
 */
u32 uet_sd_overhead(const struct uet_sd *sd)
{
	return uet_tss_hdr_len(&sd->core.cfg) + UET_ICV_LEN;
}

/*
 * Request the key of a peer that is about to answer, and of whom no packet was received. The
 * peer has to use the same sealing mode. With SSIs its key is unknown.
 */
static void sd_expect(struct uet_sd *sd, const struct uet_tss_ends *ends,
		      const struct uet_tss_op *op)
{
	const struct uet_tss_ends back = { .src = ends->dst, .dst = ends->src };
	struct uet_tss_op answer = { .hdr = op->hdr };

	if (sd->core.cfg.mode != UET_TSS_CLUSTER || op->hdr.has_ssi)
		return;
	uet_tss_op_init(&sd->core.cfg, op->kid.serial, &back, back.src, &answer);
	uet_sd_key_get(sd, &answer.kid);
}

/*
 * uet_sd_seal_head() - insert the security header in front of a packet, which grows
 * @skb: packet, starting at the PDS header
 * @op: result, for uet_sd_seal()
 * Spec: UE 1.0.1 3.7.11.
 */
enum uet_drop uet_sd_seal_head(struct uet_fep *fep, const struct uet_fa *to,
			       struct sk_buff *skb, struct uet_tss_op *op)
{
	struct uet_tss_ends ends = sd_ends(&fep->cfg.fa, to);
	struct uet_sd *sd = fep->cfg.sd;
	struct uet_sd_src *peer = sd_src(sd, to);
	enum uet_drop why;
	size_t len;

	spin_lock(&sd->lock);
	why = uet_tss_seal(&sd->core, &ends, peer ? &peer->core : NULL, op);
	spin_unlock(&sd->lock);
	if (why)
		return why;
	if (unlikely(!peer))
		sd_expect(sd, &ends, op);
	len = uet_tss_hdr_len(&sd->core.cfg);
	uet_wire_tss_encode(&op->hdr, __skb_push(skb, len), len);
	return UET_DROP_NONE;
}

/* AES-GCM of @len bytes of plaintext from the per-CPU scatter list to @dst. */
static int sd_cipher(struct uet_sd_cpu *cpu, const struct uet_sd_key *key,
		     const struct uet_tss_op *op, struct scatterlist *dst, u32 len,
		     size_t aad_len, bool seal)
{
	uet_tss_iv(op, &key->key, cpu->iv);
	aead_request_set_tfm(&cpu->req, key->fast && uet_simd_usable() ? key->fast : key->tfm);
	aead_request_set_callback(&cpu->req, 0, NULL, NULL);
	aead_request_set_ad(&cpu->req, aad_len);
	aead_request_set_crypt(&cpu->req, cpu->sg, dst, seal ? len : len + UET_ICV_LEN,
			       cpu->iv);
	return seal ? crypto_aead_encrypt(&cpu->req) : crypto_aead_decrypt(&cpu->req);
}

/* AES-GCM over @len bytes at @offset of @skb, ICV included. */
static int sd_crypt(struct uet_sd *sd, const struct uet_sd_key *key,
		    const struct uet_tss_op *op, struct sk_buff *skb,
		    int offset, int len, size_t aad_len, bool seal)
{
	struct uet_sd_cpu *cpu = sd->cpu[smp_processor_id()];
	int nr;

	sg_init_table(cpu->sg, ARRAY_SIZE(cpu->sg));
	sg_set_buf(cpu->sg, cpu->aad, aad_len);
	nr = skb_to_sgvec(skb, cpu->sg + 1, offset, len);
	if (nr < 0)
		return nr;
	return sd_cipher(cpu, key, op, cpu->sg, len - UET_ICV_LEN, aad_len, seal);
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

/* A packet was sealed or found authentic. */
static void sd_key_prove(struct uet_sd_key *key)
{
	/* Only once, because all CPUs read the key for each packet. */
	if (unlikely(!READ_ONCE(key->is_proven)))
		WRITE_ONCE(key->is_proven, true);
}

/*
 * uet_sd_seal() - seal a packet
 * @skb: with security header and carrier header; header offsets and lengths are final
 * @op: from uet_sd_seal_head()
 * Return: UET_DROP_NONE; TSS_KEY_WAIT; NO_MEMORY.
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
	sd_key_prove(key);
	return UET_DROP_NONE;
}

/*
 * Add a sender that was unknown. If the other key was set before, it was not derived for this
 * sender; request it now, so that it is ready for the first packet under it.
 */
static struct uet_sd_src *sd_meet(struct uet_sd *sd, const struct uet_fa *from,
				  const struct uet_tss_op *op)
{
	struct uet_sd_src *src = sd_src_make(sd, from);
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

/* An authentic packet makes its sender known. */
static enum uet_drop sd_open_end(struct uet_sd *sd, const struct uet_fa *from,
				 const struct uet_tss_op *op, bool is_authentic)
{
	struct uet_sd_src *src = sd_src(sd, from);
	enum uet_drop why;

	if (is_authentic && !src) {
		src = sd_meet(sd, from, op);
		if (!src)
			return UET_DROP_NO_MEMORY;
	}
	spin_lock(&sd->lock);
	why = uet_tss_open_end(&sd->core, op, src ? &src->core : NULL, is_authentic);
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

/*
 * uet_sd_open() - open a packet
 * @skb: packet, starting at the carrier header, which is in the linear part with the security
 *	header; result: the plaintext packet, starting at the PDS header, without ICV
 * @op: result: contents of the security header
 */
enum uet_drop uet_sd_open(struct uet_fep *fep, const struct uet_fa *from,
			  struct sk_buff *skb, struct uet_tss_op *op)
{
	struct uet_tss_ends ends = sd_ends(from, &fep->cfg.fa);
	u32 head_len = fep->head_len;
	struct uet_sd *sd = fep->cfg.sd;
	struct uet_sd_src *src = sd_src(sd, from);
	struct uet_sd_key *key;
	enum uet_drop why;
	size_t tss_len;
	int err;

	spin_lock(&sd->lock);
	why = uet_tss_open_begin(&sd->core, &ends, skb->data + head_len, skb->len - head_len,
				 src ? &src->core : NULL, op, &tss_len);
	spin_unlock(&sd->lock);
	if (why)
		return why;
	key = uet_sd_key_get(sd, &op->kid);
	if (!key)
		return UET_DROP_TSS_KEY_WAIT;
	if (!sd_make_own(skb))
		return UET_DROP_NO_MEMORY;
	err = sd_crypt(sd, key, op, skb, head_len + tss_len, skb->len - head_len - tss_len,
		       sd_aad(sd, &ends, skb->data, head_len, tss_len), false);
	if (err && err != -EBADMSG)
		return UET_DROP_NO_MEMORY;
	if (!err)
		sd_key_prove(key);
	why = sd_open_end(sd, from, op, !err);
	if (why)
		return why;
	if (pskb_trim(skb, skb->len - UET_ICV_LEN))
		return UET_DROP_NO_MEMORY;
	__skb_pull(skb, head_len + tss_len);
	return UET_DROP_NONE;
}

/* ------------------------------------------------------------------ packets of a burst */

static void run_set(struct uet_sd_run *run, struct uet_sd *sd, const struct uet_fa *src,
		    const struct uet_fa *dst)
{
	run->sd = sd;
	run->ends.src = (const u8 *)&src->v6;
	run->ends.dst = (const u8 *)&dst->v6;
	run->tss_len = uet_tss_hdr_len(&sd->core.cfg);
}

/* From @from to @to, @len bytes of plaintext; both start with the text. */
static int run_crypt(const struct uet_sd_run *run, const struct uet_tss_op *op,
		     const u8 *from, u8 *to, u32 len, size_t aad_len, bool seal)
{
	struct uet_sd_cpu *cpu = run->sd->cpu[smp_processor_id()];

	sg_init_table(cpu->sg, 2);
	sg_set_buf(&cpu->sg[0], cpu->aad, aad_len);
	sg_set_buf(&cpu->sg[1], from, len + UET_ICV_LEN);
	sg_init_table(cpu->to, 2);
	sg_set_buf(&cpu->to[0], cpu->aad, aad_len);
	sg_set_buf(&cpu->to[1], to, len);
	return sd_cipher(cpu, run->key, op, seal ? cpu->sg : cpu->to, len, aad_len, seal);
}

static size_t run_aad(const struct uet_sd_run *run, const void *head, u32 head_len,
		      const u8 *tss)
{
	return uet_tss_aad(&run->sd->core.cfg, &run->ends, head, head_len, tss,
			   run->tss_len, run->sd->cpu[smp_processor_id()]->aad);
}

/*
 * uet_sd_seal_begin() - begin to seal packets to a peer
 * @run: result; @run->nr of the @nr packets may be sealed, at least 1
 */
enum uet_drop uet_sd_seal_begin(struct uet_fep *fep, const struct uet_fa *to, u32 nr,
				struct uet_sd_run *run)
{
	struct uet_sd *sd = fep->cfg.sd;
	struct uet_sd_src *peer = sd_src(sd, to);
	enum uet_drop why;

	run_set(run, sd, &fep->cfg.fa, to);
	run->nr = nr;
	spin_lock(&sd->lock);
	why = uet_tss_seal_run(&sd->core, &run->ends, peer ? &peer->core : NULL,
			       &run->nr, &run->op);
	spin_unlock(&sd->lock);
	if (why)
		return why;
	if (unlikely(!peer))
		sd_expect(sd, &run->ends, &run->op);
	run->key = uet_sd_key_get(sd, &run->op.kid);
	return run->key ? UET_DROP_NONE : UET_DROP_TSS_KEY_WAIT;
}

/*
 * uet_sd_seal_next() - seal the next packet in place
 * @head: its carrier header, final
 * @buf: space for the security header, the packet in clear, space for the ICV
 * @len: length of the packet in clear, bytes
 * Return: false if the cipher had no memory; the counter is used all the same.
 * Spec: UE 1.0.1 3.7.11.
 */
bool uet_sd_seal_next(struct uet_sd_run *run, const void *head, u32 head_len, u8 *buf, u32 len)
{
	u8 *text = buf + run->tss_len;
	size_t aad_len;
	int err;

	uet_wire_tss_encode(&run->op.hdr, buf, run->tss_len);
	aad_len = run_aad(run, head, head_len, buf);
	err = run_crypt(run, &run->op, text, text, len, aad_len, true);
	uet_tss_op_step(&run->op, 1);
	run->nr--;
	if (!err)
		sd_key_prove(run->key);
	return !err;
}

/*
 * uet_sd_open_begin() - begin to open packets of a peer
 * @buf: the first one, from its security header on
 * Return: false: the packets go one by one.
 */
bool uet_sd_open_begin(struct uet_fep *fep, const struct uet_fa *from, const u8 *buf,
		       u32 len, struct uet_sd_run *run)
{
	struct uet_sd *sd = fep->cfg.sd;
	enum uet_drop why;
	size_t used;

	run_set(run, sd, from, &fep->cfg.fa);
	/* A peer that is not known is taken note of with a single packet. */
	run->src = sd_src(sd, from);
	if (!run->src)
		return false;
	spin_lock(&sd->lock);
	why = uet_tss_open_run_begin(&sd->core, &run->ends, buf, len,
				     &run->src->core, &run->op, &used);
	spin_unlock(&sd->lock);
	if (why || used != run->tss_len)
		return false;
	run->key = uet_sd_key_get(sd, &run->op.kid);
	return run->key;
}

/*
 * uet_sd_open_continues() - is packet @i the next one of a run?  Its ICV is not verified
 * @buf: the packet, from its security header on
 */
bool uet_sd_open_continues(const struct uet_sd_run *run, u32 i, const u8 *buf, u32 len)
{
	return uet_tss_open_run_next(&run->sd->core.cfg, &run->op, i, buf, len);
}

/*
 * uet_sd_open_next() - open packet @i, which continues the run
 * @head: its carrier header
 * @buf: the packet, from its security header on; is not changed
 * @to: result: the packet in clear, without ICV; garbage on error
 * Return: false if the ICV is wrong, or the cipher had no memory.
 */
bool uet_sd_open_next(const struct uet_sd_run *run, u32 i, const void *head,
		      u32 head_len, const u8 *buf, u32 len, u8 *to)
{
	u32 text = len - run->tss_len - UET_ICV_LEN;
	struct uet_tss_op op = run->op;

	uet_tss_op_step(&op, i);
	return !run_crypt(run, &op, buf + run->tss_len, to, text,
			  run_aad(run, head, head_len, buf), false);
}

/*
 * uet_sd_open_end() - conclude after uet_sd_open_next() found all @nr packets authentic
 * Return: true: the packets are new; false: nothing has changed, and they go one by one.
 */
bool uet_sd_open_end(struct uet_sd_run *run, u32 nr)
{
	bool is_new;

	spin_lock(&run->sd->lock);
	is_new = uet_tss_open_run_end(&run->sd->core, &run->op, nr, &run->src->core);
	spin_unlock(&run->sd->lock);
	if (is_new)
		sd_key_prove(run->key);
	return is_new;
}
