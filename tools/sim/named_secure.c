// SPDX-License-Identifier: GPL-2.0
/*
 * Named scenarios of sealed packets, with and without an attacker in the
 * network.  Every run verifies that no packet of the attacker is accepted, and
 * no packet twice.
 * Level: test.
 */
#include "named.h"

static void clean_setup(struct sim_params *par)
{
	par->is_secure = true;
	par->nodes = 3;
	par->flows = 3;
	par->msgs = 20;
	par->size_min = 1;
	par->size_max = 64 << 10;
}

static const char *all_ok(const struct sim *sim)
{
	if (sim->count.ok != sim->nr_msgs || sim->count.failed)
		return "every message arrives";
	return NULL;
}

static const char *clean_verify(const struct sim *sim)
{
	if (sim->count.tss_refused)
		return "nothing is refused";
	if (sim->count.pdc.rx_nack < sim->count.accepted)
		return "the first PDC of each sender is told where to begin";
	return all_ok(sim);
}

/* PDCs open and close, so that recorded packets arrive at other PDCs. */
static void enemy_setup(struct sim_params *par)
{
	clean_setup(par);
	par->msgs = 200;
	par->depth = 4;
	par->close_pct = 20;
	par->loss_ppm = 5000;
	par->dup_ppm = 5000;
	par->reorder_ppm = 20000;
	par->reorder_ns = 300 * SIM_US;
	par->attack_ppm = 100000;
}

static const char *enemy_verify(const struct sim *sim)
{
	const struct sim_count *c = &sim->count;

	if (c->attacks < 500)
		return "the enemy does something";
	/* Lost frames, and recordings of lost frames, explain the difference. */
	if (c->tss_refused < c->attacks / 2)
		return "it is refused";
	return all_ok(sim);
}

static void rod_setup(struct sim_params *par)
{
	enemy_setup(par);
	par->mode = UET_PDC_ROD;
}

/* The attacker sent or changed half of all packets. */
static void flood_setup(struct sim_params *par)
{
	enemy_setup(par);
	par->msgs = 50;
	par->close_pct = 0;
	par->loss_ppm = 0;
	par->attack_ppm = 500000;
	par->pdc.max_rto_retx = 15;
}

static void read_setup(struct sim_params *par)
{
	enemy_setup(par);
	par->read_pct = 60;
	par->fetch_pct = 50;
}

static void rudi_setup(struct sim_params *par)
{
	enemy_setup(par);
	par->flows = 0;
	par->rudi_flows = 3;
	par->rudi_reqs = 500;
	par->rudi_depth = 8;
}

static const char *rudi_verify(const struct sim *sim)
{
	const struct sim_count *c = &sim->count;

	if (c->rudi_ok != 3 * sim->par.rudi_reqs || c->rudi_failed)
		return "every request is answered";
	return c->attacks && c->tss_refused ? NULL : "the enemy is refused";
}

const struct sim_named sim_named_secure[] = {
	{ "sealed", "60 messages between three nodes, sealed", clean_setup,
	  clean_verify },
	{ "sealed-enemy", "with one who changes, replays, reflects and redirects",
	  enemy_setup, enemy_verify },
	{ "sealed-enemy-rod", "the same, ordered", rod_setup, enemy_verify },
	{ "sealed-flood", "half of all packets meet the enemy", flood_setup,
	  enemy_verify },
	{ "sealed-read", "reads and atomics among enemies", read_setup,
	  enemy_verify },
	{ "sealed-rudi", "requests without a PDC among enemies", rudi_setup,
	  rudi_verify },
	{ .name = NULL },
};
