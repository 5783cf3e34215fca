// SPDX-License-Identifier: GPL-2.0
/*
 * Packets of a burst, sealed or opened one behind the other: one look-up of peer and key
 * and one lock serve for all.  Each packet has a counter, and so an IV, of its own, and an
 * ICV.  Nothing of a burst is used before all of its packets were found authentic and new.
 * If one was not, nothing has changed or was counted, and the caller takes them singly.
 * Spec: UE 1.0.1 3.7.
 */
#include "tss.h"

static void run_set(struct uet_sd_run *run, struct uet_sd *sd, const struct uet_fa *src,
		    const struct uet_fa *dst)
{
	run->sd = sd;
	run->ends.src = (const u8 *)&src->v6;
	run->ends.dst = (const u8 *)&dst->v6;
	run->tss_len = uet_tss_hdr_len(&sd->core.cfg);
}

/* AES-GCM from @from to @to, of @len bytes of plaintext; both start with the text. */
static int run_crypt(const struct uet_sd_run *run, const struct uet_tss_op *op,
		     const u8 *from, u8 *to, u32 len, size_t aad_len, bool seal)
{
	struct uet_sd_cpu *cpu = run->sd->cpu[smp_processor_id()];
	const struct uet_sd_key *key = run->key;

	uet_tss_iv(op, &key->key, cpu->iv);
	sg_init_table(cpu->sg, 2);
	sg_set_buf(&cpu->sg[0], cpu->aad, aad_len);
	sg_set_buf(&cpu->sg[1], from, len + UET_ICV_LEN);
	sg_init_table(cpu->to, 2);
	sg_set_buf(&cpu->to[0], cpu->aad, aad_len);
	sg_set_buf(&cpu->to[1], to, len);
	aead_request_set_tfm(&cpu->req, key->fast && uet_simd_usable() ?
			     key->fast : key->tfm);
	aead_request_set_callback(&cpu->req, 0, NULL, NULL);
	aead_request_set_ad(&cpu->req, aad_len);
	aead_request_set_crypt(&cpu->req, cpu->sg, seal ? cpu->sg : cpu->to,
			       seal ? len : len + UET_ICV_LEN, cpu->iv);
	return seal ? crypto_aead_encrypt(&cpu->req) :
		      crypto_aead_decrypt(&cpu->req);
}

static size_t run_aad(const struct uet_sd_run *run, const void *head, u32 head_len,
		      const u8 *tss)
{
	return uet_tss_aad(&run->sd->core.cfg, &run->ends, head, head_len, tss,
			   run->tss_len, run->sd->cpu[smp_processor_id()]->aad);
}

/**
 * uet_sd_seal_begin() - begin to seal packets to a peer
 * @fep: local FEP with a domain
 * @to: peer
 * @nr: number of packets
 * @run: result; @run->nr of the packets may be sealed, at least 1
 *
 * Context: BH disabled until the last uet_sd_seal_next(), rcu_read_lock() held.
 * Return: UET_DROP_NONE, or the drop reason.
 * Spec: UE 1.0.1 3.7.
 */
enum uet_drop uet_sd_seal_begin(struct uet_fep *fep, const struct uet_fa *to, u32 nr,
				struct uet_sd_run *run)
{
	struct uet_sd *sd = fep->cfg.sd;
	struct uet_sd_src *peer = uet_sd_src(sd, to);
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
		uet_sd_expect(sd, &run->ends, &run->op);
	run->key = uet_sd_key_get(sd, &run->op.kid);
	return run->key ? UET_DROP_NONE : UET_DROP_TSS_KEY_WAIT;
}

/**
 * uet_sd_seal_next() - seal the next packet in place
 * @run: from uet_sd_seal_begin(), with a packet that is not sealed yet
 * @head: its carrier header, final
 * @head_len: length of @head, bytes
 * @buf: space for the security header, the packet in clear, space for the ICV
 * @len: length of the packet in clear, bytes
 *
 * Context: BH disabled, rcu_read_lock() held.
 * Return: false if the cipher had no memory; the counter is used all the same.
 * Spec: UE 1.0.1 3.7.11.
 */
bool uet_sd_seal_next(struct uet_sd_run *run, const void *head, u32 head_len, u8 *buf,
		      u32 len)
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
		uet_sd_key_prove(run->key);
	return !err;
}

/**
 * uet_sd_open_begin() - begin to open packets of a peer
 * @fep: local FEP with a domain
 * @from: peer
 * @buf: security header of the first one
 * @len: length of the first one, bytes
 * @run: result
 *
 * Context: Softirq until uet_sd_open_end(), rcu_read_lock() held.
 * Return: false: the packets go one by one.
 * Spec: UE 1.0.1 3.7.
 */
bool uet_sd_open_begin(struct uet_fep *fep, const struct uet_fa *from, const u8 *buf,
		       u32 len, struct uet_sd_run *run)
{
	struct uet_sd *sd = fep->cfg.sd;
	enum uet_drop why;
	size_t used;

	run_set(run, sd, from, &fep->cfg.fa);
	/* A peer that is not known is taken note of with a single packet. */
	run->src = uet_sd_src(sd, from);
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

/**
 * uet_sd_open_continues() - is a packet the next one of a run?
 * @run: from uet_sd_open_begin()
 * @i: number of the packet, from 0; those before it continue the run
 * @buf: its security header
 * @len: its length, bytes
 *
 * Context: Softirq.
 * Return: true if it is; its ICV is not verified.
 */
bool uet_sd_open_continues(const struct uet_sd_run *run, u32 i, const u8 *buf, u32 len)
{
	return uet_tss_open_run_next(&run->sd->core.cfg, &run->op, i, buf, len);
}

/**
 * uet_sd_open_next() - open a packet
 * @run: from uet_sd_open_begin()
 * @i: number of the packet, which continues the run
 * @head: its carrier header
 * @head_len: length of @head, bytes
 * @buf: the packet, from its security header on; is not changed
 * @len: its length, bytes
 * @to: result: the packet in clear, without ICV; garbage on error
 *
 * Context: Softirq.
 * Return: false if the ICV is wrong, or the cipher had no memory.
 * Spec: UE 1.0.1 3.7.
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

/**
 * uet_sd_open_end() - conclude after all packets were opened
 * @run: from uet_sd_open_begin()
 * @nr: number of packets, all of which uet_sd_open_next() found authentic
 *
 * Context: Softirq.
 * Return: true: the packets are new; false: nothing has changed, and the packets go one by
 *	one.
 * Spec: UE 1.0.1 3.7.
 */
bool uet_sd_open_end(struct uet_sd_run *run, u32 nr)
{
	bool is_new;

	spin_lock(&run->sd->lock);
	is_new = uet_tss_open_run_end(&run->sd->core, &run->op, nr, &run->src->core);
	spin_unlock(&run->sd->lock);
	if (is_new)
		uet_sd_key_prove(run->key);
	return is_new;
}
