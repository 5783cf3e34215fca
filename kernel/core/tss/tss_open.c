// SPDX-License-Identifier: GPL-2.0
/*
 * Receive path of a sealed packet.  The checks on the security header come first,
 * because they cost little.  The caller then finds the key and opens the packet.
 * State of the sender changes only after the ICV was verified.  A replayed packet is
 * refused, even if no PDC would detect the duplicate.
 *
 * Implements UE 1.0.1 3.7 (what receivers refuse).  Level: core L2.
 */
#include "tss.h"

/* Minimum length behind the security header: a PDS prologue and the ICV. */
#define OPEN_MIN_LEN	(UET_PROLOGUE_LEN + UET_ICV_LEN)

/* Server mode with SSI: both ends seal with one key and id, so counters have halves. */
static bool open_is_half_wrong(const struct uet_tss_cfg *cfg, u64 tsc)
{
	if (cfg->mode != UET_TSS_SERVER || !cfg->has_ssi)
		return false;
	return cfg->is_client != (tsc >= UET_TSS_TSC_SERVER);
}

static bool open_is_ssi_wrong(const struct uet_tss_cfg *cfg,
			      const struct uet_tss_hdr *hdr)
{
	return hdr->has_ssi != cfg->has_ssi ||
	       (cfg->is_client && hdr->has_ssi && hdr->ssi != cfg->ssi);
}

/* A client has only the derived key of one epoch. */
static bool open_is_epoch_wrong(const struct uet_tss_cfg *cfg,
				const struct uet_tss_sa *sa, u16 epoch)
{
	if (cfg->is_client)
		return epoch != sa->epoch;
	return (s16)(sa->epoch - epoch) > (s16)cfg->epoch_age;
}

/* Return: UET_DROP_NONE, or the reason to refuse the packet by its header alone. */
static enum uet_drop open_judge(const struct uet_tss_sd *sd,
				const struct uet_tss_hdr *hdr)
{
	const struct uet_tss_sa *sa = &sd->sa[hdr->an];

	if (hdr->sdi != sd->cfg.sdi)
		return UET_DROP_TSS_NO_SD;
	if (sd->is_shut)
		return UET_DROP_TSS_SHUT;
	if (!sa->is_set)
		return UET_DROP_TSS_NO_KEY;
	if (open_is_ssi_wrong(&sd->cfg, hdr))
		return UET_DROP_TSS_BAD_SSI;
	if (open_is_half_wrong(&sd->cfg, hdr->tsc))
		return UET_DROP_TSS_REFLECTED;
	if (open_is_epoch_wrong(&sd->cfg, sa, hdr->epoch))
		return UET_DROP_TSS_EPOCH;
	return UET_DROP_NONE;
}

/* Return: UET_DROP_NONE, or why @op is no new packet of @src. */
static enum uet_drop open_judge_src(const struct uet_tss_sd *sd,
				    const struct uet_tss_src *src,
				    const struct uet_tss_op *op)
{
	if (!uet_tss_src_is_its_ssi(&sd->cfg, src, op))
		return UET_DROP_TSS_BAD_SSI;
	return uet_tss_src_is_new(src, op) ? UET_DROP_NONE : UET_DROP_TSS_REPLAY;
}

/* Is the key of @op still there, and in use? */
static enum uet_drop open_judge_key(const struct uet_tss_sd *sd,
				    const struct uet_tss_op *op)
{
	const struct uet_tss_sa *sa = &sd->sa[op->hdr.an];

	if (sd->is_shut)
		return UET_DROP_TSS_SHUT;
	return sa->is_set && sa->serial == op->kid.serial ? UET_DROP_NONE :
							    UET_DROP_TSS_NO_KEY;
}

/* Count a packet that is refused although its ICV may be correct. Return: @why. */
static enum uet_drop open_refuse(struct uet_tss_sd *sd, enum uet_drop why)
{
	if (why == UET_DROP_TSS_REPLAY)
		sd->stats.replays++;
	else
		sd->stats.refused++;
	return why;
}

/**
 * uet_tss_open_run_begin() - check the first packet of several, and find its key
 * @sd: domain of the FEP that received the packet
 * @ends: addresses of the packet
 * @buf: security header of the packet
 * @len: bytes from @buf to the end of the packet
 * @src: sender of the packet, or NULL if unknown
 * @op: result
 * @consumed: result: bytes of the security header; the bytes behind it are sealed
 *
 * A refusal is not counted: the caller passes each packet to uet_tss_open_begin() then.
 * No field of the packet may be trusted before the ICV is verified.
 *
 * Context: Any; the caller serialises per @sd and @src.
 * Return: as uet_tss_open_begin().
 * Spec: UE 1.0.1 3.7.
 */
enum uet_drop uet_tss_open_run_begin(const struct uet_tss_sd *sd,
				     const struct uet_tss_ends *ends,
				     const u8 *buf, size_t len,
				     const struct uet_tss_src *src,
				     struct uet_tss_op *op, size_t *consumed)
{
	enum uet_drop why;

	why = uet_wire_tss_decode(buf, len, &op->hdr, consumed);
	if (!why && len - *consumed < OPEN_MIN_LEN)
		why = UET_DROP_TSS_NO_ICV;
	if (!why)
		why = open_judge(sd, &op->hdr);
	if (why)
		return why;
	uet_tss_op_init(&sd->cfg, sd->sa[op->hdr.an].serial, ends,
			sd->cfg.is_client ? ends->dst : ends->src, op);
	return src ? open_judge_src(sd, src, op) : UET_DROP_NONE;
}

/**
 * uet_tss_open_run_next() - does a packet follow one that passed uet_tss_open_run_begin()?
 * @cfg: rules of the domain
 * @op: the first packet
 * @i: number of the packet, from 0; those before it have passed
 * @buf: security header of the packet
 * @len: bytes from @buf to the end of the packet
 *
 * Return: true if its counter is @i behind that of the first one, and all else, with the
 *	key, is the same, so that it passes the same checks, but for that of replays.
 */
bool uet_tss_open_run_next(const struct uet_tss_cfg *cfg, const struct uet_tss_op *op,
			   u32 i, const u8 *buf, size_t len)
{
	u64 tsc = op->hdr.tsc + i;
	struct uet_tss_hdr hdr;
	size_t used;

	if (uet_wire_tss_decode(buf, len, &hdr, &used) ||
	    len - used < OPEN_MIN_LEN)
		return false;
	return hdr.tsc == tsc && hdr.epoch == op->hdr.epoch &&
	       hdr.sdi == op->hdr.sdi && hdr.an == op->hdr.an &&
	       hdr.has_ssi == op->hdr.has_ssi && hdr.ssi == op->hdr.ssi &&
	       (op->hdr.tsc ^ tsc) < UET_TSS_TSC_SERVER &&
	       (!i || uet_tss_run_len(cfg, tsc - 1, 2) == 2);
}

/**
 * uet_tss_open_run_end() - conclude after the ICVs of all packets were verified
 * @sd: domain
 * @op: the first packet
 * @nr: number of packets, each of which passed uet_tss_open_run_next()
 * @src: their sender
 *
 * Context: Any; the caller serialises per @sd and @src.
 * Return: true: all are authentic and new, with the result of as many calls of
 *	uet_tss_open_end(); false: nothing has changed, and the caller passes each packet
 *	to uet_tss_open_begin().
 * Spec: UE 1.0.1 3.7.
 */
bool uet_tss_open_run_end(struct uet_tss_sd *sd, const struct uet_tss_op *op, u32 nr,
			  struct uet_tss_src *src)
{
	if (open_judge_key(sd, op) || !uet_tss_src_is_its_ssi(&sd->cfg, src, op) ||
	    !uet_tss_src_take_run(src, op, nr))
		return false;
	sd->sa[op->hdr.an].opened += nr;
	return true;
}

/**
 * uet_tss_open_begin() - check a sealed packet and find its key
 * @sd: domain of the FEP that received the packet
 * @ends: addresses of the packet
 * @buf: security header of the packet
 * @len: bytes from @buf to the end of the packet
 * @src: sender of the packet, or NULL if unknown
 * @op: result
 * @consumed: result: bytes of the security header; the bytes behind it are sealed
 *
 * No field of the packet may be trusted before the ICV is verified.
 *
 * Context: Any; the caller serialises per @sd and @src.
 * Return: UET_DROP_NONE; TRUNC_TSS, TRUNC_TSS_SSI, NOT_TSS; TSS_NO_ICV: too short;
 *	TSS_NO_SD, TSS_SHUT, TSS_NO_KEY, TSS_BAD_SSI, TSS_REFLECTED, TSS_EPOCH,
 *	TSS_REPLAY.
 * Spec: UE 1.0.1 3.7.
 */
enum uet_drop uet_tss_open_begin(struct uet_tss_sd *sd,
				 const struct uet_tss_ends *ends,
				 const u8 *buf, size_t len,
				 const struct uet_tss_src *src,
				 struct uet_tss_op *op, size_t *consumed)
{
	enum uet_drop why = uet_tss_open_run_begin(sd, ends, buf, len, src, op,
						   consumed);

	return why ? open_refuse(sd, why) : UET_DROP_NONE;
}

static enum uet_drop open_failed(struct uet_tss_sd *sd)
{
	sd->stats.auth_fails++;
	if (sd->stats.auth_fails >= sd->cfg.fail_limit)
		sd->is_shut = true;
	return UET_DROP_TSS_AUTH;
}

/**
 * uet_tss_open_end() - conclude after the ICV was verified
 * @sd: domain
 * @op: from uet_tss_open_begin()
 * @src: sender of the packet, zeroed if unknown; the caller keeps the struct if the
 *	packet is accepted
 * @is_authentic: the ICV is correct
 *
 * Context: Any; the caller serialises per @sd and @src.
 * Return: UET_DROP_NONE: the packet is authentic and new; TSS_AUTH; TSS_REPLAY;
 *	TSS_BAD_SSI: the source address is bound to another SSI; TSS_NO_KEY: the key
 *	was replaced meanwhile; TSS_SHUT.
 * Spec: UE 1.0.1 3.7: cfg.fail_limit shuts the domain.
 */
enum uet_drop uet_tss_open_end(struct uet_tss_sd *sd,
			       const struct uet_tss_op *op,
			       struct uet_tss_src *src, bool is_authentic)
{
	enum uet_drop why;

	if (!is_authentic)
		return open_failed(sd);
	why = open_judge_key(sd, op);
	if (!why)
		why = open_judge_src(sd, src, op);
	if (why)
		return open_refuse(sd, why);
	uet_tss_src_take(src, op);
	sd->sa[op->hdr.an].opened++;
	return UET_DROP_NONE;
}
