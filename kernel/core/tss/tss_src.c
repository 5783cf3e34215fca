// SPDX-License-Identifier: GPL-2.0
/*
 * A sender, as its receiver knows it: which of its counters have come, so that
 * no packet is taken twice, and from which PSN on it may open PDCs.
 *
 * The counters of a sender only grow, whoever it sends to, and epochs come one
 * after the other, so a window behind the latest one tells new from old, for
 * packets of any type.  What is too late for the window is refused like what has
 * come: it was sealed long ago, and is sent again under another counter.
 *
 * A receiver that was away remembers nothing, and recordings would pass.  Under
 * each key, the first PDC of a sender begins at a PSN that was just made up for
 * it, so no recording opens one.  What had been sealed before is refused from
 * then on.
 *
 * Implements UE 1.0.1 3.7 (replay), 3.5.8.2 (Expected_PSN), Limit_PSN_Range of
 * Table 3-28.  Level: core L2.
 */
#include "core/wire/psn.h"
#include "tss.h"

/* Is the counter one that has not come, in the epoch it is known in? */
static bool src_fits(const struct uet_tss_seen *seen, u64 tsc)
{
	if (tsc < seen->floor)
		return false;
	if (tsc > seen->top)
		return true;
	return seen->top - tsc < UET_TSS_WINDOW &&
	       !test_bit(tsc % UET_TSS_WINDOW, seen->bits);
}

/**
 * uet_tss_src_is_new() - could this packet be taken?
 * @src: its sender
 * @op: packet
 *
 * Context: Any; the caller serialises per @src.
 * Return: false if it is older than the epoch of its sender, has come before, or
 *	is too old to tell.
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

/* Let the window end at @tsc. */
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

/* Another key or epoch begins; to a key, epochs do not matter. */
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

/**
 * uet_tss_src_is_its_ssi() - is the SSI of a packet that of its sender?
 * @cfg: rules of the domain
 * @src: its sender
 * @op: packet
 *
 * To a server, a packet proves who has its SSI, and nothing ties the address to
 * that: another client could send in the name of this one, and would get its
 * answers.  So an address keeps the SSI it first had.  In the other modes each
 * member can forge what it likes.
 *
 * Context: Any; the caller serialises per @src.
 * Return: false: another SSI came from this address before.
 */
bool uet_tss_src_is_its_ssi(const struct uet_tss_cfg *cfg,
			    const struct uet_tss_src *src,
			    const struct uet_tss_op *op)
{
	return cfg->mode != UET_TSS_SERVER || !src->has_ssi ||
	       src->ssi == op->hdr.ssi;
}

/**
 * uet_tss_src_take() - take a packet whose ICV is right
 * @src: its sender
 * @op: packet
 *
 * Context: Any; the caller serialises per @src.
 * Return: false if it is not new; nothing is changed then.
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

/**
 * uet_tss_src_start() - where must a PDC begin that a sender opens?
 * @src: sender
 * @op: the packet that wants to open it, taken
 * @random: fresh random number
 * @psn: result: with true, the one Start_PSN that is taken; with false, the
 *	lowest one
 *
 * Context: Any; the caller serialises per @src.
 * Return: true: exactly at @random, which costs a round trip and shows that the
 *	sender is there (RANDOM_1RTT_START); false: not below what it has used
 *	(EXPECTED_0RTT_START).
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
 * uet_tss_src_live() - a sender began a PDC where it was told to
 * @src: sender
 * @op: the packet that shows it, taken
 * @start_psn: of the PDC, made up by uet_tss_src_start()
 *
 * Everything that was recorded before has a lower counter.  So have packets that
 * this one has overtaken: they count as lost, once per key.
 *
 * Context: Any; the caller serialises per @src.
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
 * uet_tss_src_used() - a PDC of a sender is over
 * @src: sender
 * @next_psn: the PSN behind the last one that was taken; at least the one
 *	behind its Start_PSN
 *
 * Context: Any; the caller serialises per @src.
 * Spec: UE 1.0.1 3.5.8.2.
 */
void uet_tss_src_used(struct uet_tss_src *src, u32 next_psn)
{
	src->expected_psn = uet_psn_later(src->expected_psn, next_psn);
}

/**
 * uet_tss_psn_left() - PSNs that a PDC under security may still use
 * @start_psn: its Start_PSN
 * @next_psn: the next one to be used, not beyond its range
 *
 * Context: Any.
 * Return: how many; with 0 it has to be closed.
 * Spec: UE 1.0.1 Table 3-28, Limit_PSN_Range: 2^31.
 */
u32 uet_tss_psn_left(u32 start_psn, u32 next_psn)
{
	u32 used = next_psn - start_psn;

	return used < UET_TSS_PSN_RANGE ? UET_TSS_PSN_RANGE - used : 0;
}
