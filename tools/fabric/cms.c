// SPDX-License-Identifier: GPL-2.0
/*
 * Congestion control and choice of paths in the fabric simulator: the very
 * objects of uet.ko, one context and one selector for each channel, told what
 * its PDC sends and hears of.
 *
 * Spec: UE 1.0.1 3.6.12 (contexts), 3.6.16 (paths).  Level: test.
 */
#include <stdlib.h>

#include "../../kernel/core/ccc.h"
#include "../../kernel/core/psn.h"
#include "fabric.h"

/* How long REPS uses what it knows after a loss; a few round trips. */
#define CMS_FREEZE_NS	100000

/**
 * struct cms - a context and what belongs to it
 * @ccc: the context
 * @param: its constants
 * @una: first PSN that no CACK_PSN covers
 * @mask: PSNs tracked, less 1
 * @pkt: records of packets, at PSN modulo the window
 */
struct cms {
	struct uet_ccc ccc;
	struct uet_cc_param param;
	u32 una;
	u32 mask;
	struct uet_cc_pkt pkt[];
};

static struct uet_cc_pkt *cms_pkt(struct cms *cms, u32 psn)
{
	return &cms->pkt[psn & cms->mask];
}

static void cms_cfg(const struct fab *fab, struct uet_cc_cfg *cfg)
{
	const struct fab_params *par = &fab->par;

	uet_cc_cfg_init(cfg);
	cfg->window = par->cc->window;
	cfg->htsim = par->cc->htsim;
	cfg->has_trim = par->trims;
	cfg->rate_mbps = par->mbps * par->rails;
	cfg->base_rtt_ns = fab->base_rtt / FAB_NS;
	cfg->mtu = par->packet;
	cfg->cwnd = fab->bdp * par->window_pct / 100;
}

/**
 * fab_cc_init() - congestion control of a new channel
 * @fab: run
 * @psn: first PSN of its first request
 * @now: ns
 *
 * Return: memory of it, to be freed.
 */
struct cms *fab_cc_init(const struct fab *fab, u32 psn, u64 now)
{
	struct uet_cc_cfg cfg;
	const char *wrong;
	struct cms *cms;

	cms = calloc(1, struct_size(cms, pkt, fab->cfg.window));
	if (!cms)
		abort();
	cms_cfg(fab, &cfg);
	wrong = uet_cc_derive(&cms->param, &cfg);
	if (wrong) {
		fprintf(stderr, "uetfabric: congestion control: %s\n", wrong);
		exit(2);
	}
	cms->una = psn;
	cms->mask = fab->cfg.window - 1;
	uet_ccc_init(&cms->ccc, &cms->param, NULL, now);
	return cms;
}

/**
 * fab_cc_new_data() - there is more to send
 * @cms: congestion control
 * @bytes: nominal bytes
 * @now: ns
 */
void fab_cc_new_data(struct cms *cms, u64 bytes, u64 now)
{
	uet_ccc_new_data(&cms->ccc, bytes, now);
}

/**
 * fab_cc_may_send() - may a packet be sent?
 * @cms: congestion control
 *
 * Return: true if so.
 */
bool fab_cc_may_send(const struct cms *cms)
{
	return cms->ccc.state == UET_CCC_READY;
}

/**
 * fab_cc_sent() - a packet is sent
 * @cms: congestion control
 * @psn: its PSN
 * @bytes: its nominal size
 * @now: ns
 *
 * Return: it needs an ACK at once.
 */
bool fab_cc_sent(struct cms *cms, u32 psn, u32 bytes, u64 now)
{
	struct uet_cc_send send;

	uet_ccc_send(&cms->ccc, cms_pkt(cms, psn), bytes, now, &send);
	return send.wants_ack;
}

/**
 * fab_cc_acked() - an ACK arrived
 * @cms: congestion control
 * @in: what it says
 * @now: ns
 */
void fab_cc_acked(struct cms *cms, const struct fab_ack *in, u64 now)
{
	const struct uet_ack *hdr = &in->hdr->u.ack;
	u32 psn, base = hdr->cack_psn + (u32)hdr->sack_off;
	struct uet_cc_ack ack = {
		.new_bytes = in->bytes,
		.rtt_ns = in->rtt_ns,
		.is_marked = in->ce,
	};
	u64 sack = hdr->sack_bitmap;

	for (; !uet_psn_after(cms->una, hdr->cack_psn); cms->una++)
		uet_cc_ack_pkt(&ack, cms_pkt(cms, cms->una));
	while (uet_psn_sack_take(&sack, base, &psn))
		if (!uet_psn_before(psn, cms->una))
			uet_cc_ack_pkt(&ack, cms_pkt(cms, psn));
	psn = hdr->cack_psn + (u32)hdr->ack_off;
	if (!(in->hdr->flags & UET_F_P) && !uet_psn_before(psn, cms->una))
		uet_cc_ack_pkt(&ack, cms_pkt(cms, psn));
	uet_ccc_ack(&cms->ccc, &ack, now);
}

/**
 * fab_cc_nacked() - a packet arrived trimmed, and will be sent again
 * @cms: congestion control
 * @hdr: the NACK
 * @now: ns
 */
void fab_cc_nacked(struct cms *cms, const struct uet_pds_hdr *hdr, u64 now)
{
	struct uet_cc_nack nack = {
		.code = hdr->u.nack.code,
		.is_marked = hdr->flags & UET_F_M,
	};

	uet_ccc_nack(&cms->ccc, cms_pkt(cms, hdr->u.nack.psn), &nack, now);
}

/**
 * fab_cc_lost() - a packet is lost, as its PDC has found out
 * @cms: congestion control
 * @psn: its PSN
 * @now: ns
 */
void fab_cc_lost(struct cms *cms, u32 psn, u64 now)
{
	uet_ccc_loss(&cms->ccc, cms_pkt(cms, psn), UET_CC_LOSS_SACK, now);
}

static const struct fab_cc_kind cms_kinds[] = {
	{ "none", UET_WINDOW_NONE, 0 },
	{ "constant", UET_WINDOW_CONST, 0 },
	{ "nscc", UET_WINDOW_NSCC, 0 },
	{ "nscc-htsim", UET_WINDOW_NSCC, UET_HTSIM_ALL },
};

/**
 * fab_cc_find() - an algorithm of congestion control
 * @name: its name
 *
 * Return: it, or NULL.
 */
const struct fab_cc_kind *fab_cc_find(const char *name)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cms_kinds); i++)
		if (!strcmp(cms_kinds[i].name, name))
			return &cms_kinds[i];
	return NULL;
}

/**
 * fab_path_init() - begin to choose entropy values
 * @fab: run
 *
 * Return: memory of the selector, to be freed.
 */
struct uet_ev_sel *fab_path_init(struct fab *fab)
{
	struct uet_ev_sel *sel;
	struct uet_ev_cfg cfg;

	uet_ev_cfg_init(&cfg);
	cfg.way = fab->par.path->way;
	cfg.values = fab->par.paths;
	cfg.bad_max = fab->par.paths / 2;
	cfg.ring = fab->par.path->ring;
	cfg.freeze_ns = CMS_FREEZE_NS;
	sel = calloc(1, sizeof(*sel) + uet_ev_sel_room(&cfg));
	if (!sel)
		abort();
	uet_ev_sel_init(sel, &cfg, (u8 *)(sel + 1), fab_rand(&fab->rng),
			fab_ns(fab));
	return sel;
}

/**
 * fab_path_next() - an entropy value for a packet about to be sent
 * @fab: run
 * @sel: selector
 *
 * The bits that are the selector's own stay here: the hash of switches knows
 * the channel.
 *
 * Return: below the number of paths.
 */
u16 fab_path_next(const struct fab *fab, struct uet_ev_sel *sel)
{
	return uet_ev_sel_next(sel, 0, fab_ns(fab)) & (sel->cfg.values - 1);
}

/**
 * fab_path_feedback() - what became of a packet
 * @fab: run
 * @sel: selector
 * @ev: its entropy value, as fab_path_next() gave it
 * @fate: enum uet_ev_fate
 */
void fab_path_feedback(const struct fab *fab, struct uet_ev_sel *sel, u16 ev,
		       enum uet_ev_fate fate)
{
	uet_ev_sel_fate(sel, sel->base | ev, fate, fab_ns(fab));
}

static const struct fab_path_kind cms_paths[] = {
	{ "single", UET_EV_SINGLE, 0, false },
	{ "oblivious", UET_EV_OBLIVIOUS, 0, false },
	{ "reps", UET_EV_REPS, 8, true },
	{ "map", UET_EV_MAP, 0, false },
	{ "mixed", UET_EV_MIXED, 16, false },
};

/**
 * fab_path_find() - a way to choose entropy values
 * @name: its name
 *
 * Return: it, or NULL.
 */
const struct fab_path_kind *fab_path_find(const char *name)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cms_paths); i++)
		if (!strcmp(cms_paths[i].name, name))
			return &cms_paths[i];
	return NULL;
}
