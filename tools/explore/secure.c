// SPDX-License-Identifier: GPL-2.0
/*
 * Sealed packets in the explorer: one secure domain of both nodes in mode cluster.  The
 * cipher is ideal: a packet opens if its key is the one it was sealed with and nobody has
 * changed it.  All else is the core of the module.
 * Spec: UE 1.0.1 3.7.  Level: test.
 */
#include "explore.h"

static const u8 secure_addr[EX_NODES][4] = { { 10, 0, 0, 1 }, { 10, 0, 0, 2 } };

static struct uet_tss_ends secure_ends(u8 from)
{
	return (struct uet_tss_ends) {
		.src = secure_addr[from], .dst = secure_addr[!from],
	};
}

/**
 * ex_secure_init() - create the secure domain
 */
void ex_secure_init(void)
{
	struct uet_tss_cfg cfg;
	u32 i;

	uet_tss_cfg_init(&cfg);
	cfg.sdi = 7;
	for (i = 0; i < EX_NODES; i++)
		uet_tss_sd_init(&ex.sd[i], &cfg);
	ex_secure_rekey();
}

/**
 * ex_secure_rekey() - both nodes begin to use another key
 */
void ex_secure_rekey(void)
{
	struct uet_tss_key key = { .key = { 1, 2, 3 } };
	u32 i;
	u8 an;

	for (i = 0; i < EX_NODES; i++) {
		an = !ex.sd[i].an;
		key.key[3] = ex.sd[i].serials;
		if (uet_tss_key_set(&ex.sd[i], an, &key, 0, 0) ||
		    uet_tss_key_use(&ex.sd[i], an))
			ex_fail("node %u has no key", i);
	}
}

/**
 * ex_secure_seal() - begin a sealed packet
 * @frame: packet with a sender
 *
 * Return: bytes of the security header.
 */
size_t ex_secure_seal(struct ex_frame *frame)
{
	struct uet_tss_ends ends = secure_ends(frame->from);
	struct uet_tss_sd *sd = &ex.sd[frame->from];
	struct uet_tss_op op = {};

	if (uet_tss_seal(sd, &ends, NULL, &op))
		ex_fail("node %u cannot seal", frame->from);
	frame->kid = op.kid;
	return uet_wire_tss_encode(&op.hdr, frame->data, sizeof(frame->data));
}

/**
 * ex_secure_open() - open a sealed packet
 * @frame: the packet; result: without its security header
 * @op: result: contents of that header
 *
 * Return: true if the packet is accepted.
 */
bool ex_secure_open(struct ex_frame *frame, struct uet_tss_op *op)
{
	struct uet_tss_ends ends = secure_ends(frame->from);
	struct uet_tss_src *src = &ex.src[!frame->from];
	struct uet_tss_sd *sd = &ex.sd[!frame->from];
	bool is_authentic, was_new;
	enum uet_drop why;
	size_t used = 0;

	why = uet_tss_open_begin(sd, &ends, frame->data,
				 frame->len + frame->payload + UET_ICV_LEN, src, op,
				 &used);
	if (!why) {
		is_authentic = !frame->is_touched &&
			       !memcmp(&op->kid, &frame->kid, sizeof(op->kid));
		was_new = uet_tss_src_is_new(src, op);
		why = uet_tss_open_end(sd, op, src, is_authentic);
		if (!why && (frame->is_touched || !was_new))
			ex_fail("node %u opens a packet that is %s", !frame->from,
				was_new ? "changed" : "repeated");
		if (!why && uet_tss_src_is_new(src, op))
			ex_fail("node %u would open a packet twice", !frame->from);
	}
	if (why) {
		ex_note("node %u opens not: %s", !frame->from, uet_drop_name(why));
		return false;
	}
	frame->len -= used;
	memmove(frame->data, frame->data + used, frame->len);
	return true;
}

/**
 * ex_secure_start() - determine the Start_PSN of the PDC that a packet opens
 * @node: node of the target
 * @op: the packet
 * @open: result: which end decides, and the PSN
 */
void ex_secure_start(u8 node, const struct uet_tss_op *op, struct uet_pdc_open *open)
{
	open->start = uet_tss_src_start(&ex.src[node], op, ex_random(),
					&open->expected_psn) ?
		      UET_PDC_START_RANDOM : UET_PDC_START_EXPECTED;
	if (open->start == UET_PDC_START_EXPECTED &&
	    !(ex.proven[node] & BIT(op->kid.serial)))
		ex_fail("node %u trusts a key under which its peer has proven nothing",
			node);
}

/**
 * ex_secure_note() - note that a target PDC may have been opened
 * @p: PDC
 * @op: the received request
 */
void ex_secure_note(struct ex_pdc *p, const struct uet_tss_op *op)
{
	enum uet_pdc_state state = uet_pdc_state(ex_core(p));

	if (p->role != UET_PDC_TARGET || p->is_started ||
	    (state != UET_PDC_ST_NEW_ESTABLISHED && state != UET_PDC_ST_ESTABLISHED))
		return;
	p->is_started = true;
	p->start_psn = uet_pdc_first_psn(ex_core(p));
	uet_tss_src_live(&ex.src[p->node], op, p->start_psn);
	ex.proven[p->node] |= BIT(op->kid.serial);
}
