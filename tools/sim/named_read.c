// SPDX-License-Identifier: GPL-2.0
/*
 * Named scenarios of reads and fetching atomics, on good and bad links.  The
 * run verifies that every byte is correct and that no operation is executed
 * twice.  This file verifies the counters, with bounds that follow from the
 * protocol.  Level: test.
 */
#include "named.h"

#define MSGS	200

static void read_setup(struct sim_params *par)
{
	par->msgs = MSGS;
	par->depth = 8;
	par->size_min = 65536;
	par->size_max = 65536;
	par->read_pct = 100;
}

static u64 read_packets(const struct sim *sim)
{
	return (u64)MSGS * sim->par.size_max / sim->par.mtu;
}

static const char *all_ok(const struct sim *sim)
{
	const struct sim_count *c = &sim->count;

	if (c->ok != MSGS || c->read_ok != MSGS)
		return "every read succeeds";
	if (c->opened != 1 || c->accepted != 1)
		return "all on one PDC";
	return NULL;
}

static const char *clean_verify(const struct sim *sim)
{
	const struct sim_count *c = &sim->count;

	if (c->pdc.tx_retx || c->pdc.rto_fired || c->pdc.tx_nack ||
	    c->pdc.rx_dup)
		return "nothing to repair";
	if (c->pdc.tx_req != 2 * read_packets(sim) ||
	    c->read_back != read_packets(sim) || c->read_in_ack)
		return "a packet of data for each request, and not in the ACK";
	if (c->read_refused || c->protocol || c->told)
		return "a reader like us is not refused";
	return all_ok(sim);
}

static void short_setup(struct sim_params *par)
{
	read_setup(par);
	par->size_min = 1;
	par->size_max = UET_PDC_ACK_DATA_MAX;
}

static const char *short_verify(const struct sim *sim)
{
	if (sim->count.read_in_ack != MSGS || sim->count.read_back)
		return "short reads are answered in the ACK";
	return all_ok(sim);
}

static void bad_link(struct sim_params *par)
{
	par->loss_ppm = 50000;
	par->dup_ppm = 50000;
	par->reorder_ppm = 50000;
	par->reorder_ns = 30 * SIM_US;
}

static void bad_setup(struct sim_params *par)
{
	read_setup(par);
	bad_link(par);
}

static const char *bad_verify(const struct sim *sim)
{
	if (sim->count.read_back != read_packets(sim))
		return "each packet of data is taken once";
	if (sim->count.pdc.tx_retx < sim->count.lost_req)
		return "every lost request is sent again";
	return all_ok(sim);
}

static void rod_setup(struct sim_params *par)
{
	read_setup(par);
	par->mode = UET_PDC_ROD;
	par->loss_ppm = 10000;
}

static void short_bad_setup(struct sim_params *par)
{
	short_setup(par);
	bad_link(par);
}

static void long_setup(struct sim_params *par)
{
	read_setup(par);
	par->msgs = MSGS;
	par->size_min = 4 << 20;
	par->size_max = 4 << 20;
	par->loss_ppm = 1000;
}

static void fetch_setup(struct sim_params *par)
{
	read_setup(par);
	par->read_pct = 0;
	par->fetch_pct = 100;
	par->depth = 64;
	bad_link(par);
}

static const char *fetch_verify(const struct sim *sim)
{
	if (sim->count.read_in_ack != MSGS)
		return "what was fetched is in the ACK";
	return all_ok(sim);
}

/* All kinds of messages at once, and PDCs that close. */
static void mixed_setup(struct sim_params *par)
{
	par->flows = 8;
	par->nodes = 4;
	par->msgs = MSGS;
	par->depth = 8;
	par->size_max = 300000;
	par->read_pct = 40;
	par->fetch_pct = 30;
	par->share_pdc = true;
	par->close_pct = 5;
	par->refuse_ppm = 10000;
	bad_link(par);
}

static const char *mixed_verify(const struct sim *sim)
{
	const struct sim_count *c = &sim->count;

	if (c->ok != 8 * MSGS)
		return "every message succeeds, though PDCs close";
	if (!c->read_in_ack || !c->read_back || c->read_ok < 4 * MSGS)
		return "many of them read, in either way";
	return NULL;
}

/*
 * A close that overtakes the ACKs of read data ends the target in error.
 * Packets that open a PDC are delayed until after the end of their PDC.
 */
static void late_setup(struct sim_params *par)
{
	par->mode = UET_PDC_ROD;
	par->nodes = 4;
	par->flows = 6;
	par->incast = true;
	par->msgs = 4 * MSGS;
	par->depth = 4;
	par->size_min = 2048;
	par->size_max = 4096;
	par->share_pdc = true;
	par->close_pct = 20;
	par->read_pct = 80;
	par->fetch_pct = 100;
	par->rails = 2;
	par->delay_ns[1] = 80 * SIM_US;
	par->loss_ppm = 5000;
	par->reorder_ppm = 70000;
	par->reorder_ns = 500 * SIM_US;
}

static const char *late_verify(const struct sim *sim)
{
	const struct sim_count *c = &sim->count;

	if (c->ok != 6 * 4 * MSGS)
		return "every message succeeds, though PDCs close";
	if (!c->protocol)
		return "targets end in error";
	if (c->accepted > c->opened)
		return "what comes late opens no other PDC";
	return NULL;
}

const struct sim_named sim_named_read[] = {
	{ "read", "200 reads of 64 kB", read_setup, clean_verify },
	{ "read-short", "of up to 16 bytes, in the ACK", short_setup,
	  short_verify },
	{ "read-bad", "with loss, doubles and reordering", bad_setup,
	  bad_verify },
	{ "read-rod", "ordered, at 1 % loss", rod_setup, all_ok },
	{ "read-short-bad", "short ones with loss, doubles and reordering",
	  short_bad_setup, short_verify },
	{ "read-long", "4 MiB each, at 0.1 % loss", long_setup, all_ok },
	{ "fetch-bad", "fetching atomics, each executed once", fetch_setup,
	  fetch_verify },
	{ "read-mixed", "reads, atomics and messages on PDCs that close",
	  mixed_setup, mixed_verify },
	{ "fetch-late", "atomics that come after their PDC ended in error",
	  late_setup, late_verify },
	{ .name = NULL },
};
