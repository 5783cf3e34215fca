// SPDX-License-Identifier: GPL-2.0
/*
 * Sealed packets in the simulator: one secure domain of all nodes in mode
 * cluster, the module's own core with the ciphers of libcrypto, and the actions
 * of the shell around it.  An attacker in the network without a key inverts
 * bits, replays recorded packets, and sends packets back or to other nodes.  No
 * packet made by the attacker may be accepted, and no packet twice.
 * Spec: UE 1.0.1 3.7.  Level: test.
 */
#include "../../selftests/lib/tsscipher.h"
#include "sim.h"

/* Frames that the attacker records. */
#define SECURE_HEARD	512
/* Counters (TSC) that are tracked; a sender starts at 0 and needs fewer. */
#define SECURE_TSC_MAX	(1U << 20)

/**
 * struct sim_secure - the secure domain of each node
 * @sd: secure domain, by node
 * @src: state of the peers, by node
 * @came: counters already accepted by any node, by sender
 * @kid: latest derived key, by sender: its key id
 * @key: latest derived key, by sender
 * @heard: frames recorded by the attacker, a ring
 * @nr_heard: frames recorded so far
 */
struct sim_secure {
	struct uet_tss_sd sd[SIM_NODES_MAX];
	struct uet_tss_src src[SIM_NODES_MAX][SIM_NODES_MAX];
	unsigned long *came[SIM_NODES_MAX];
	struct uet_tss_kid kid[SIM_NODES_MAX];
	struct uet_tss_key key[SIM_NODES_MAX];
	struct sim_frame *heard[SECURE_HEARD];
	u32 nr_heard;
};

/* Addresses and UDP header that the frame would have. */
struct secure_heads {
	u8 src[4], dst[4], udp[8];
};

static void secure_heads(const struct sim_frame *frame, u32 len,
			 struct secure_heads *h)
{
	*h = (struct secure_heads) {
		.src = { 10, 0, 0, frame->from + 1 },
		.dst = { 10, 0, 0, frame->to + 1 },
	};
	put_unaligned_be16(frame->ev, h->udp);
	put_unaligned_be16(4793, h->udp + 2);
	put_unaligned_be16(len + sizeof(h->udp), h->udp + 4);
}

static struct uet_tss_ends secure_ends(const struct secure_heads *h)
{
	return (struct uet_tss_ends) { .src = h->src, .dst = h->dst };
}

/**
 * sim_secure_init() - create the secure domain, if the run seals packets
 * @sim: the run
 */
void sim_secure_init(struct sim *sim)
{
	struct uet_tss_key key = { .key = { 1, 2, 3 } };
	struct uet_tss_cfg cfg;
	u32 i;

	if (!sim->par.is_secure)
		return;
	sim->secure = calloc(1, sizeof(*sim->secure));
	if (!sim->secure)
		abort();
	uet_tss_cfg_init(&cfg);
	cfg.sdi = 7;
	for (i = 0; i < sim->par.nodes; i++) {
		uet_tss_sd_init(&sim->secure->sd[i], &cfg);
		sim->secure->came[i] = calloc(SECURE_TSC_MAX / 8, 1);
		if (!sim->secure->came[i] ||
		    uet_tss_key_set(&sim->secure->sd[i], 0, &key, 0, 0) ||
		    uet_tss_key_use(&sim->secure->sd[i], 0))
			abort();
	}
}

/**
 * sim_secure_fini() - free the secure domain
 * @sim: the run
 */
void sim_secure_fini(struct sim *sim)
{
	struct sim_secure *s = sim->secure;
	u32 i;

	if (!s)
		return;
	for (i = 0; i < SIM_NODES_MAX; i++)
		free(s->came[i]);
	for (i = 0; i < SECURE_HEARD; i++)
		free(s->heard[i]);
	free(s);
	sim->secure = NULL;
}

/* AES-GCM over the bytes behind the security header.  Return: the ICV is correct. */
static bool secure_crypt(struct sim *sim, struct sim_frame *frame,
			 const struct secure_heads *h, size_t tss_len,
			 const struct uet_tss_op *op, bool seals)
{
	const struct uet_tss_sd *sd = &sim->secure->sd[seals ? frame->from :
							       frame->to];
	struct uet_tss_key *key = &sim->secure->key[frame->from];
	struct uet_tss_kid *kid = &sim->secure->kid[frame->from];
	struct uet_tss_ends ends = secure_ends(h);
	u8 aad[UET_TSS_AAD_MAX], iv[UET_TSS_IV_LEN];
	size_t n;

	/* All nodes have set the same key equally often. */
	if (memcmp(kid, &op->kid, sizeof(*kid))) {
		if (uet_tss_derive(sd, &op->kid, &tsst_ops, NULL, key))
			return false;
		*kid = op->kid;
	}
	uet_tss_iv(op, key, iv);
	n = uet_tss_aad(&sd->cfg, &ends, h->udp, sizeof(h->udp), frame->data,
			tss_len, aad);
	return tsst_gcm(seals, key->key, iv, aad, n, frame->data + tss_len,
			frame->len - tss_len - UET_ICV_LEN);
}

/* Return: a copy that is in no list of the run. */
static struct sim_frame *secure_copy(const struct sim_frame *frame)
{
	struct sim_frame *copy = malloc(sizeof(*copy) + frame->len);

	if (!copy)
		abort();
	memcpy(copy, frame, sizeof(*copy) + frame->len);
	return copy;
}

/**
 * sim_secure_seal() - seal a packet
 * @sim: the run
 * @frame: plaintext packet; freed
 *
 * Return: the sealed packet.
 */
struct sim_frame *sim_secure_seal(struct sim *sim, struct sim_frame *frame)
{
	struct uet_tss_sd *sd = &sim->secure->sd[frame->from];
	size_t tss_len = uet_tss_hdr_len(&sd->cfg);
	u32 len = tss_len + frame->len + UET_ICV_LEN;
	struct sim_frame *sealed = sim_frame_new(sim, len);
	struct uet_tss_ends ends;
	struct secure_heads h;
	struct uet_tss_op op;

	sealed->from = frame->from;
	sealed->to = frame->to;
	sealed->ev = frame->ev;
	sealed->len = len;
	secure_heads(sealed, len, &h);
	ends = secure_ends(&h);
	if (uet_tss_seal(sd, &ends, NULL, &op))
		sim_fail(sim, "node %u cannot seal", frame->from);
	uet_wire_tss_encode(&op.hdr, sealed->data, tss_len);
	memcpy(sealed->data + tss_len, frame->data, frame->len);
	secure_crypt(sim, sealed, &h, tss_len, &op, true);
	sim_frame_free(frame);
	return sealed;
}

/* Verify that an accepted packet is not the attacker's, and was not accepted before. */
static void secure_judge(struct sim *sim, const struct sim_frame *frame)
{
	u64 tsc = frame->op.hdr.tsc;

	sim->count.tss_opened++;
	if (frame->is_evil)
		sim_fail(sim, "node %u took what an enemy had made",
			 frame->to);
	else if (tsc >= SECURE_TSC_MAX)
		sim_fail(sim, "node %u has no counters left", frame->from);
	else if (test_bit(tsc, sim->secure->came[frame->from]))
		sim_fail(sim, "node %u took counter %" PRIu64 " of node %u twice",
			 frame->to, tsc, frame->from);
	else
		__set_bit(tsc, sim->secure->came[frame->from]);
}

/**
 * sim_secure_open() - open a packet, if the run seals packets
 * @sim: the run
 * @frame: sealed packet; result: plaintext
 *
 * Return: true if the packet is accepted.
 */
bool sim_secure_open(struct sim *sim, struct sim_frame *frame)
{
	struct uet_tss_src *src;
	struct uet_tss_ends ends;
	struct secure_heads h;
	struct uet_tss_sd *sd;
	enum uet_drop why;
	size_t used = 0;

	if (!sim->secure)
		return true;
	sd = &sim->secure->sd[frame->to];
	src = &sim->secure->src[frame->to][frame->from];
	secure_heads(frame, frame->len, &h);
	ends = secure_ends(&h);
	why = uet_tss_policy(true, uet_wire_type(frame->data), false);
	if (!why)
		why = uet_tss_open_begin(sd, &ends, frame->data, frame->len,
					 src, &frame->op, &used);
	if (!why)
		why = uet_tss_open_end(sd, &frame->op, src,
				       secure_crypt(sim, frame, &h, used,
						    &frame->op, false));
	if (why) {
		sim->count.tss_refused++;
		sim_note(sim, "node %u opens not: %s", frame->to,
			 uet_drop_name(why));
		return false;
	}
	secure_judge(sim, frame);
	frame->len -= used + UET_ICV_LEN;
	memmove(frame->data, frame->data + used, frame->len);
	return true;
}

/**
 * sim_secure_open_pdc() - determine the Start_PSN of the PDC that a packet opens
 * @sim: the run
 * @frame: the packet
 * @open: result: which end decides, and the PSN; unchanged if packets are not
 *	sealed
 */
void sim_secure_open_pdc(struct sim *sim, const struct sim_frame *frame,
			 struct uet_pdc_open *open)
{
	u32 random;

	if (!sim->secure)
		return;
	random = (u32)sim_rand(&sim->rng);
	open->start = uet_tss_src_start(&sim->secure->src[frame->to][frame->from],
					&frame->op, random,
					&open->expected_psn) ?
		      UET_PDC_START_RANDOM : UET_PDC_START_EXPECTED;
}

/**
 * sim_secure_note_start() - note that a target PDC may have been opened
 * @p: PDC
 * @frame: the received request
 */
void sim_secure_note_start(struct sim_pdc *p, const struct sim_frame *frame)
{
	struct uet_pdc_info info;

	if (!p->sim->secure || p->role != UET_PDC_TARGET || p->is_started)
		return;
	uet_pdc_get_info(p->pdc, &info);
	if (info.state != UET_PDC_ST_NEW_ESTABLISHED &&
	    info.state != UET_PDC_ST_ESTABLISHED)
		return;
	p->is_started = true;
	p->start_psn = info.start_psn;
	uet_tss_src_live(&p->sim->secure->src[p->node][p->peer], &frame->op,
			 info.start_psn);
}

/**
 * sim_secure_end_pdc() - update the Expected_PSN when a PDC ends
 * @p: PDC that ended
 */
void sim_secure_end_pdc(struct sim_pdc *p)
{
	if (p->is_started)
		uet_tss_src_used(&p->sim->secure->src[p->node][p->peer],
				 uet_pdc_next_expected_psn(p->pdc));
}

/* ---------------------------------------------------------------- the attacker */

static void secure_hear(struct sim *sim, const struct sim_frame *frame)
{
	struct sim_secure *s = sim->secure;
	u32 at = s->nr_heard++ % SECURE_HEARD;

	free(s->heard[at]);
	s->heard[at] = secure_copy(frame);
}

static void secure_send(struct sim *sim, const struct sim_frame *of, bool evil,
			u8 from, u8 to)
{
	struct sim_frame *frame = sim_frame_new(sim, of->len);
	struct list_head link = frame->link;

	memcpy(frame, of, sizeof(*frame) + of->len);
	frame->link = link;
	frame->is_evil = evil;
	frame->from = from;
	frame->to = to;
	if (evil && from == of->from && to == of->to)
		frame->data[sim_below(&sim->rng, frame->len)] ^=
			1 << sim_below(&sim->rng, 8);
	sim->count.attacks++;
	sim_net_carry(sim, frame);
}

/**
 * sim_secure_attack() - let the attacker use a frame
 * @sim: the run
 * @frame: sealed frame about to be carried; may be changed
 */
void sim_secure_attack(struct sim *sim, struct sim_frame *frame)
{
	struct sim_secure *s = sim->secure;
	struct sim_frame *old;

	if (!sim->par.attack_ppm)
		return;
	secure_hear(sim, frame);
	if (!sim_chance(&sim->rng, sim->par.attack_ppm))
		return;
	old = s->heard[sim_below(&sim->rng, min(s->nr_heard,
						(u32)SECURE_HEARD))];
	switch (sim_below(&sim->rng, 5)) {
	case 0:	/* changed */
		frame->data[sim_below(&sim->rng, frame->len)] ^=
			1 << sim_below(&sim->rng, 8);
		frame->is_evil = true;
		sim->count.attacks++;
		break;
	case 1:	/* a changed copy overtakes it */
		secure_send(sim, frame, true, frame->from, frame->to);
		break;
	case 2:	/* a replay of an old frame */
		if (!old->is_evil)
			secure_send(sim, old, false, old->from, old->to);
		break;
	case 3:	/* back to its sender */
		secure_send(sim, old, true, old->to, old->from);
		break;
	case 4:	/* to another node */
		secure_send(sim, old, true, old->from,
			    (old->to + 1) % sim->par.nodes);
		break;
	}
}
