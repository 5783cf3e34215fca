// SPDX-License-Identifier: GPL-2.0
/*
 * Named scenarios of the simulator: search all tables, run a scenario, and
 * print its counters.  Level: test.
 */
#include <inttypes.h>

#include "named.h"

/* Each table ends with an entry without a name, and so does their union. */
static const struct sim_named *named_at(u32 i)
{
	static const struct sim_named *const tables[] = {
		sim_named_link,	    sim_named_life, sim_named_rudi,
		sim_named_read_rsp, sim_named_read, sim_named_secure,
		sim_named_cc,
	};
	const struct sim_named *named = NULL;
	size_t t;

	for (t = 0; t < ARRAY_SIZE(tables); t++)
		for (named = tables[t]; named->name; named++)
			if (!i--)
				return named;
	return named;
}

/**
 * sim_named_count() - number of named scenarios
 *
 * Return: their number.
 */
u32 sim_named_count(void)
{
	u32 n = 0;

	while (named_at(n)->name)
		n++;
	return n;
}

/**
 * sim_named_name() - name of a scenario
 * @i: index of the scenario
 *
 * Return: its name.
 */
const char *sim_named_name(u32 i)
{
	return named_at(i)->name;
}

/**
 * sim_named_doc() - purpose of a scenario
 * @i: index of the scenario
 *
 * Return: a line of text.
 */
const char *sim_named_doc(u32 i)
{
	return named_at(i)->doc;
}

static void named_print(const struct sim *sim)
{
	const struct sim_count *c = &sim->count;
	const struct uet_pdc_stats *p = &c->pdc;

	printf("#  messages ok %" PRIu64 ", failed %" PRIu64 ", %" PRIu64
	       " bytes; last verdict at %.3f ms\n", c->ok, c->failed, c->bytes,
	       (double)(sim->finish_ns - SIM_S) / SIM_MS);
	printf("#  frames %" PRIu64 ", lost %" PRIu64 " (requests %" PRIu64
	       "), tail drops %" PRIu64 ", doubled %" PRIu64 "\n", c->sent,
	       c->lost, c->lost_req, c->tail_dropped, c->dup);
	printf("#  tx: req %" PRIu64 ", retx %" PRIu64 ", ack %" PRIu64
	       ", nack %" PRIu64 ", cp %" PRIu64 "\n", p->tx_req, p->tx_retx,
	       p->tx_ack, p->tx_nack, p->tx_cp);
	printf("#  rx: req %" PRIu64 ", dup %" PRIu64 ", ooo %" PRIu64
	       "; lost by sack %" PRIu64 ", nack %" PRIu64 ", rto %" PRIu64
	       "; held %" PRIu64 "\n", p->rx_req, p->rx_dup, p->rx_ooo,
	       p->sack_lost, p->nack_lost, p->rto_fired, p->held);
	printf("#  PDCs opened %" PRIu64 ", accepted %" PRIu64
	       "; refused %" PRIu64 ", no PDC %" PRIu64 ", mismatch %" PRIu64
	       "\n", c->opened, c->accepted, c->refused, c->no_pdc,
	       c->mismatch);
	printf("#  RUDI: ok %" PRIu64 ", failed %" PRIu64 ", executed %" PRIu64
	       ", late %" PRIu64 ", stale answers %" PRIu64 "\n", c->rudi_ok,
	       c->rudi_failed, c->rudi_executed, c->rudi_ooo, c->rudi_stale);
	printf("#  RUDI: req %" PRIu64 ", retx %" PRIu64 ", rto %" PRIu64
	       ", nack %" PRIu64 ", held %" PRIu64 "\n", c->rudi.tx_req,
	       c->rudi.tx_retx, c->rudi.rto_fired, c->rudi.rx_nack,
	       c->rudi.held);
	printf("#  back: sent %" PRIu64 ", ok %" PRIu64 ", failed %" PRIu64
	       ", crossed %" PRIu64 ", refused %" PRIu64 "; PDCs in error %"
	       PRIu64 "/%" PRIu64 "\n", c->back_sent, c->back_ok,
	       c->back_failed, c->back_crossed, c->back_refused, c->protocol,
	       c->told);
	printf("#  contexts %" PRIu64 ", waits %" PRIu64 ", marked %" PRIu64
	       ", trims %" PRIu64 ", losses %" PRIu64 ", found %" PRIu64
	       ", decreases %" PRIu64 "; trimmed %" PRIu64 "\n", c->contexts,
	       c->cc_waits, c->cc_marked, c->cc_trims, c->cc_losses,
	       c->cc_found, c->cc_decreases, c->trimmed);
	printf("#  sealed: opened %" PRIu64 ", refused %" PRIu64
	       ", frames of an enemy %" PRIu64 "\n", c->tss_opened,
	       c->tss_refused, c->attacks);
}

/**
 * sim_named_run() - run a named scenario and verify its counters
 * @i: index of the scenario
 * @trace: output of the run
 *
 * Return: true if the scenario passed; otherwise the reason was printed.
 */
bool sim_named_run(u32 i, const struct sim_trace *trace)
{
	const struct sim_named *named = named_at(i);
	const char *what = NULL;
	struct sim_params par;
	struct sim sim;
	bool ok;

	sim_params_default(&par);
	named->setup(&par);
	if (trace->lines)
		sim_params_print(&par, stdout);
	ok = sim_run(&sim, &par, trace);
	if (ok && named->verify)
		what = named->verify(&sim);
	if (!ok)
		printf("# %s: %s\n", named->name, sim.why);
	if (what)
		printf("# %s: it is not true that: %s\n", named->name, what);
	if (!ok || what || trace->lines)
		named_print(&sim);
	sim_fini(&sim);
	return ok && !what;
}
