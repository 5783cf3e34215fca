// SPDX-License-Identifier: GPL-2.0
/*
 * State of a sender at its receiver: the counters received, so that no packet is
 * accepted twice, and the lowest PSN at which the sender may open a PDC.
 *
 * The counters of a sender only increase, for all destinations together, and epochs
 * follow one another.  A window behind the latest counter therefore distinguishes
 * new from replayed packets of any type.  A packet that is too late for the window is
 * refused like a replay; its sender retransmits it under another counter.
 *
 * A receiver that restarted has no counters, so recorded packets would pass.  Under
 * each key, the first PDC of a sender must therefore start at a random PSN that the
 * receiver has just drawn; a recording cannot open a PDC.  From then on, packets
 * sealed earlier are refused.
 *
 * Implements UE 1.0.1 3.7 (replay), 3.5.8.2 (Expected_PSN), Limit_PSN_Range of
 * Table 3-28.  Level: core L2.
 */
#include "core/wire/psn.h"
#include "tss.h"

/* Is @tsc a counter not yet received, in the current epoch of the sender? */
static bool src_fits(const struct uet_tss_seen *seen, u64 tsc)
{
	if (tsc < seen->floor)
		return false;
	if (tsc > seen->top)
		return true;
	return seen->top - tsc < UET_TSS_WINDOW &&
	       !test_bit(tsc % UET_TSS_WINDOW, seen->bits);
}

/*
 * Check whether a packet is new.
 * Return: false if the packet is of an older epoch, was received before, or is too
 *	old for the window.
 */
bool uet_tss_src_is_new(const struct uet_tss_src *src,
			const struct uet_tss_op *op)
{
	const struct uet_tss_seen *seen = &src->seen[op->hdr.an];
	s16 ahead = op->hdr.epoch - seen->epoch;

	if (seen->serial != op->kid.serial || ahead > 0)
		return true;
	return !ahead && src_fits(seen, op->hdr.tsc);
}

/* Advance the window so that @tsc is its last counter. */
static void src_slide(struct uet_tss_seen *seen, u64 tsc)
{
	u64 i;

	if (tsc - seen->top >= UET_TSS_WINDOW)
		bitmap_zero(seen->bits, UET_TSS_WINDOW);
	else
		for (i = seen->top + 1; i < tsc; i++)
			__clear_bit(i % UET_TSS_WINDOW, seen->bits);
	seen->top = tsc;
}

/* Start over for another key or epoch; liveness holds for the key, across epochs. */
static void src_restart(struct uet_tss_seen *seen, const struct uet_tss_op *op)
{
	bool is_live = seen->is_live && seen->serial == op->kid.serial;

	*seen = (struct uet_tss_seen) {
		.serial = op->kid.serial,
		.epoch = op->hdr.epoch,
		.top = op->hdr.tsc,
		.is_live = is_live,
	};
}

/*
 * Check the SSI of a packet against its address.
 *
 * To a server, a packet proves the identity of its SSI but not of its address: another
 * client could send under the address of this client and receive its responses.
 * An address therefore keeps the SSI it used first.  In the other modes, any member of
 * the domain can forge packets anyway.
 *
 * Return: false if another SSI was received from this address before.
 */
bool uet_tss_src_is_its_ssi(const struct uet_tss_cfg *cfg,
			    const struct uet_tss_src *src,
			    const struct uet_tss_op *op)
{
	return cfg->mode != UET_TSS_SERVER || !src->has_ssi ||
	       src->ssi == op->hdr.ssi;
}

/*
 * Record a packet whose ICV is correct.
 * Return: false if the packet is not new; @src is then unchanged.
 */
bool uet_tss_src_take(struct uet_tss_src *src, const struct uet_tss_op *op)
{
	struct uet_tss_seen *seen = &src->seen[op->hdr.an];
	u64 tsc = op->hdr.tsc;

	if (!uet_tss_src_is_new(src, op))
		return false;
	if (seen->serial != op->kid.serial || seen->epoch != op->hdr.epoch) {
		src_restart(seen, op);
	} else if (tsc > seen->top) {
		src_slide(seen, tsc);
	}
	__set_bit(tsc % UET_TSS_WINDOW, seen->bits);
	if (op->hdr.has_ssi) {
		src->has_ssi = true;
		src->ssi = op->hdr.ssi;
	}
	return true;
}

/*
 * Record packets in a row whose ICVs are correct.
 *
 * The result is that of as many calls of uet_tss_src_take() if all packets are new.
 *
 * Return: false if a packet is not new; @src is then unchanged.
 */
bool uet_tss_src_take_run(struct uet_tss_src *src, const struct uet_tss_op *op,
			  u32 nr)
{
	struct uet_tss_op step = *op;
	u32 i;

	for (i = 0; i < nr; i++, uet_tss_op_step(&step, 1))
		if (!uet_tss_src_is_new(src, &step))
			return false;
	step = *op;
	for (i = 0; i < nr; i++, uet_tss_op_step(&step, 1))
		uet_tss_src_take(src, &step);
	return true;
}

/**
 * uet_tss_src_start() - permitted Start_PSN of a PDC that a sender opens
 * @src: sender
 * @op: the packet that opens the PDC, recorded
 * @random: fresh random number
 * @psn: result: if true is returned, the only permitted Start_PSN; if false, the
 *	lowest permitted Start_PSN
 *
 * Return: true: Start_PSN must be @random, which costs a round trip and proves that the
 *	sender is live (RANDOM_1RTT_START); false: Start_PSN must not be below PSNs
 *	used before (EXPECTED_0RTT_START).
 * Spec: UE 1.0.1 3.5.8.2.
 */
bool uet_tss_src_start(const struct uet_tss_src *src,
		       const struct uet_tss_op *op, u32 random, u32 *psn)
{
	const struct uet_tss_seen *seen = &src->seen[op->hdr.an];
	bool is_live = seen->is_live && seen->serial == op->kid.serial;

	*psn = is_live ? src->expected_psn : random;
	return !is_live;
}

/**
 * uet_tss_src_live() - a sender opened a PDC at the demanded Start_PSN
 * @src: sender
 * @op: the packet that opened the PDC, recorded
 * @start_psn: Start_PSN of the PDC, from uet_tss_src_start()
 *
 * All packets recorded earlier have a lower counter and are refused from now on.  So
 * are packets that this packet has overtaken: they are lost, once per key.
 *
 * Spec: UE 1.0.1 3.5.8.2.
 */
void uet_tss_src_live(struct uet_tss_src *src, const struct uet_tss_op *op,
		      u32 start_psn)
{
	struct uet_tss_seen *seen = &src->seen[op->hdr.an];

	if (seen->serial != op->kid.serial || seen->is_live)
		return;
	seen->is_live = true;
	src->expected_psn = start_psn + 1;
	if (seen->epoch == op->hdr.epoch)
		seen->floor = op->hdr.tsc;
}

/**
 * uet_tss_src_used() - a PDC of a sender has ended
 * @src: sender
 * @next_psn: the PSN after the last accepted PSN; at least Start_PSN + 1
 *
 * Spec: UE 1.0.1 3.5.8.2.
 */
void uet_tss_src_used(struct uet_tss_src *src, u32 next_psn)
{
	src->expected_psn = uet_psn_later(src->expected_psn, next_psn);
}

/**
 * uet_tss_psn_left() - number of PSNs that a secure PDC may still use
 * @start_psn: Start_PSN of the PDC
 * @next_psn: next PSN to be used, inside the range
 *
 * Return: number of PSNs; at 0 the PDC must be closed.
 * Spec: UE 1.0.1 Table 3-28, Limit_PSN_Range: 2^31.
 */
u32 uet_tss_psn_left(u32 start_psn, u32 next_psn)
{
	u32 used = next_psn - start_psn;

	return used < UET_TSS_PSN_RANGE ? UET_TSS_PSN_RANGE - used : 0;
}
