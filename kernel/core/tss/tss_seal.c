// SPDX-License-Identifier: GPL-2.0
/*
 * Transmit path of a sealed packet: each packet gets a counter that was never used
 * under the current key, and the security header that carries the counter.  A
 * retransmission is sealed again with a new counter.
 *
 * Implements UE 1.0.1 3.7 (counters, association number for sending).
 * Level: core L2.
 */
#include "tss.h"

/**
 * uet_tss_hdr_len() - length of the security header of sent packets
 * @cfg: rules of a domain
 *
 * Return: 12, or 16 with SSI.
 */
size_t uet_tss_hdr_len(const struct uet_tss_cfg *cfg)
{
	return cfg->has_ssi ? UET_TSS_SSI_LEN : UET_TSS_LEN;
}

/* A server's packets carry the SSI of the client that they are sent to. */
static bool seal_ssi(const struct uet_tss_cfg *cfg,
		     const struct uet_tss_src *to, u32 *ssi)
{
	*ssi = cfg->ssi;
	if (!cfg->has_ssi || cfg->mode != UET_TSS_SERVER || cfg->is_client)
		return true;
	if (!to || !to->has_ssi)
		return false;
	*ssi = to->ssi;
	return true;
}

/**
 * uet_tss_seal_run() - assign counters, headers and a key to packets in a row
 * @sd: domain
 * @ends: addresses of the packets
 * @to: state of the receiving peer; required at a server with SSIs, else may be NULL
 * @nr: number of packets, at least 1; result: the first @nr of them have this key
 * @op: result: header and key of the first one, for uet_tss_op_step(); unchanged on error
 *
 * The result is that of as many calls of uet_tss_seal().
 *
 * Return: UET_DROP_NONE; TSS_SHUT; TSS_TX_NO_KEY: no key is in use; TSS_TX_SPENT: all
 *	counters are used; TSS_TX_NO_SSI: the SSI of the client is unknown.
 * Spec: UE 1.0.1 3.7: a counter is used only once under a key.
 */
enum uet_drop uet_tss_seal_run(struct uet_tss_sd *sd,
			       const struct uet_tss_ends *ends,
			       const struct uet_tss_src *to, u32 *nr,
			       struct uet_tss_op *op)
{
	u64 left = uet_tss_left(sd);
	struct uet_tss_sa *sa;
	u32 ssi;

	if (sd->is_shut)
		return UET_DROP_TSS_SHUT;
	if (sd->an == UET_TSS_AN_NR)
		return UET_DROP_TSS_TX_NO_KEY;
	if (!left)
		return UET_DROP_TSS_TX_SPENT;
	if (!seal_ssi(&sd->cfg, to, &ssi))
		return UET_DROP_TSS_TX_NO_SSI;
	sa = &sd->sa[sd->an];
	op->hdr = (struct uet_tss_hdr) {
		.has_ssi = sd->cfg.has_ssi,
		.an = sd->an,
		.sdi = sd->cfg.sdi,
		.ssi = sd->cfg.has_ssi ? ssi : 0,
		.epoch = sa->epoch,
		.tsc = sa->tsc,
	};
	*nr = uet_tss_run_len(&sd->cfg, sa->tsc, min_t(u64, *nr, left));
	sa->tsc += *nr;
	sa->sealed += *nr;
	uet_tss_op_init(&sd->cfg, sa->serial, ends,
			sd->cfg.is_client ? ends->src : ends->dst, op);
	return UET_DROP_NONE;
}

/**
 * uet_tss_seal() - assign a counter, header and key to a packet
 * @sd: domain
 * @ends: addresses of the packet
 * @to: state of the receiving peer; required at a server with SSIs, else may be NULL
 * @op: result: header, key; unchanged on error
 *
 * The caller encodes @op->hdr in front of the PDS header, finds the key, and seals all
 * bytes behind @op->hdr, with the ICV last.  The counter is consumed even if sealing
 * fails.
 *
 * Return: as uet_tss_seal_run().
 * Spec: UE 1.0.1 3.7: a counter is used only once under a key.
 */
enum uet_drop uet_tss_seal(struct uet_tss_sd *sd,
			   const struct uet_tss_ends *ends,
			   const struct uet_tss_src *to, struct uet_tss_op *op)
{
	u32 nr = 1;

	return uet_tss_seal_run(sd, ends, to, &nr, op);
}
