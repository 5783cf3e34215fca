// SPDX-License-Identifier: GPL-2.0
/*
 * Congestion control contexts of the fabric simulator: the code of uet.ko, one context
 * with its entropy selector for each channel.  The PDCs report all events to their
 * contexts.
 *
 * Spec: UE 1.0.1 3.6.12 (contexts), 3.6.16 (paths).  Level: test.
 */
#include <stdlib.h>

#include "ev_check.h"
#include "fabric.h"

static void cms_cfg(const struct fab *fab, struct uet_cc_cfg *cfg)
{
	const struct fab_params *par = &fab->par;
	u32 mbps = par->tier[0].mbps * par->rails;

	uet_cc_cfg_init(cfg);
	cfg->window = par->cc->window;
	cfg->grant = par->cc->grant;
	cfg->htsim = par->cc->htsim;
	cfg->has_trim = par->trims;
	cfg->shares_start = !par->keeps_start && !par->cc->is_strict;
	cfg->adapts = !par->cc->is_strict;
	cfg->rate_mbps = mbps;
	/* A longer path is for the contexts to measure. */
	cfg->base_rtt_ns = min(fab->base_rtt / FAB_NS, UET_CC_BDP_MAX * 8000ULL / mbps);
	cfg->mtu = par->packet;
	cfg->cwnd = min(fab->bdp * par->window_pct / 100, UET_CC_BDP_MAX * 3ULL / 2);
}

static void cms_paths(const struct fab *fab, struct uet_ev_cfg *cfg)
{
	const struct fab_params *par = &fab->par;

	uet_ev_cfg_init(cfg);
	cfg->policy = par->path->policy;
	cfg->values = roundup_pow_of_two(par->paths * par->rails);
	cfg->ports = par->rails;
	cfg->bad_max = UET_EV_BAD_MAX(cfg->values);
	cfg->ring = par->path->ring;
	cfg->freeze_ns = par->freeze_ns;
}

/**
 * fab_cms_init() - initialise the state common to all contexts
 * @fab: run whose network is built
 *
 * Targets send no packets under congestion control.  They have a context, as in the module,
 * where both ends have one.
 */
void fab_cms_init(struct fab *fab)
{
	struct uet_cc_cfg cfg;
	const char *wrong;

	cms_cfg(fab, &cfg);
	cms_paths(fab, &fab->ev);
	fab_settings_cms(&fab->par, &fab->cfg, &cfg, &fab->ev);
	wrong = uet_cc_derive(&fab->cc, &cfg);
	if (!wrong)
		wrong = fab_ev_cfg_check(&fab->ev);
	if (wrong) {
		fprintf(stderr, "uetfabric: congestion control: %s\n", wrong);
		exit(2);
	}
	uet_ccc_init(&fab->idle_ccc, &fab->cc, NULL, fab_ns(fab));
}

/**
 * fab_cms_size() - size of a struct fab_cms
 * @fab: run
 *
 * Return: bytes.
 */
size_t fab_cms_size(const struct fab *fab)
{
	return sizeof(struct fab_cms) + uet_ev_sel_space(&fab->ev);
}

/**
 * fab_cms_new() - create congestion control and path selection of a channel
 * @fab: run
 *
 * Return: memory of @fab->cms_mem.
 */
struct fab_cms *fab_cms_new(struct fab *fab)
{
	struct fab_cms *cms = fab_arena_get(&fab->cms_mem);

	uet_ev_sel_init(&cms->sel, &fab->ev, cms->penalty, fab_rand(&fab->rng),
			fab_ns(fab));
	uet_ccc_init(&cms->ccc, &fab->cc, &cms->sel, fab_ns(fab));
	return cms;
}

static const struct fab_cc_kind cms_kinds[] = {
	{ "none", UET_WINDOW_NONE, UET_GRANT_NONE, 0, false, false },
	{ "constant", UET_WINDOW_CONST, UET_GRANT_NONE, 0, false, false },
	{ "nscc", UET_WINDOW_NSCC, UET_GRANT_NONE, UET_HTSIM_DEFAULT, false, false },
	{ "nscc-spec", UET_WINDOW_NSCC, UET_GRANT_NONE, 0, true, false },
	{ "nscc-htsim", UET_WINDOW_NSCC, UET_GRANT_NONE, UET_HTSIM_ALL, true, false },
	{ "rccc", UET_WINDOW_NONE, UET_GRANT_RCCC, 0, false, false },
	{ "rccc-spec", UET_WINDOW_NONE, UET_GRANT_RCCC, 0, true, false },
	{ "rccc+nscc", UET_WINDOW_NSCC, UET_GRANT_RCCC, UET_HTSIM_DEFAULT,
	  false, false },
	{ "rccc+nscc-htsim", UET_WINDOW_NSCC, UET_GRANT_RCCC, UET_HTSIM_ALL,
	  true, false },
	{ .name = "dcqcn", .is_roce = true },
};

/**
 * fab_cc_names() - print the names that fab_cc_find() knows
 * @out: output stream
 */
void fab_cc_names(FILE *out)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cms_kinds); i++)
		fprintf(out, "%s%s", i ? ", " : "", cms_kinds[i].name);
}

/**
 * fab_cc_find() - find a combination of congestion control algorithms
 * @name: name of the combination
 *
 * Return: the combination, or NULL.
 */
const struct fab_cc_kind *fab_cc_find(const char *name)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cms_kinds); i++)
		if (!strcmp(cms_kinds[i].name, name))
			return &cms_kinds[i];
	return NULL;
}

static const struct fab_path_kind cms_path_kinds[] = {
	{ "single", UET_EV_SINGLE, 0, false },
	{ "oblivious", UET_EV_OBLIVIOUS, 0, false },
	{ "reps", UET_EV_REPS, 8, true },
	{ "map", UET_EV_MAP, 0, false },
	{ "mixed", UET_EV_MIXED, 16, false },
};

/**
 * fab_path_names() - print the names that fab_path_find() knows
 * @out: output stream
 */
void fab_path_names(FILE *out)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cms_path_kinds); i++)
		fprintf(out, "%s%s", i ? ", " : "", cms_path_kinds[i].name);
}

/**
 * fab_path_find() - find a policy to choose entropy values
 * @name: name of the policy
 *
 * Return: the policy, or NULL.
 */
const struct fab_path_kind *fab_path_find(const char *name)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cms_path_kinds); i++)
		if (!strcmp(cms_path_kinds[i].name, name))
			return &cms_path_kinds[i];
	return NULL;
}
