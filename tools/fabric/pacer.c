// SPDX-License-Identifier: GPL-2.0
/*
 * Pacers of the fabric simulator, built from the code of uet.ko: each host grants the
 * credit of its NICs.  Targets report the demand of their sources and send the granted
 * credit.  A pacer runs when its next grant is due, not at fixed ticks, because
 * simulated timers cost nothing.
 *
 * Spec: UE 1.0.1 3.6.14.  Level: test.
 */
#include <stdlib.h>

#include "fabric.h"

/**
 * fab_pacers_init() - create a pacer for each host, if credit is used
 * @fab: run whose network is built
 *
 * One pacer serves all rails, because a context has one credit.
 */
void fab_pacers_init(struct fab *fab)
{
	const struct fab_params *par = &fab->par;
	u32 i;

	if (!par->cc->grant)
		return;
	fab->pacer = malloc(fab->nr_hosts * sizeof(*fab->pacer));
	if (!fab->pacer)
		abort();
	for (i = 0; i < fab->nr_hosts; i++) {
		uet_pacer_init(&fab->pacer[i].pacer,
			       par->tier[0].mbps * par->rails,
			       fab->base_rtt / FAB_NS, par->packet, fab_ns(fab));
		uet_pacer_set_share(&fab->pacer[i].pacer, fab->cfg.credit_rate,
				    fab_ns(fab));
		uet_pacer_set_run(&fab->pacer[i].pacer, fab->cfg.credit_run);
		fab->pacer[i].timer = UET_NEVER;
	}
}

/* Send the credit that is due, and arm the timer for the next grant. */
static void pacer_run(struct fab *fab, u32 host, u64 now)
{
	struct fab_pacer *p = &fab->pacer[host];
	struct uet_pacer_flow *flow;
	struct fab_chan *ch;
	u32 credit;
	u64 at;

	uet_pacer_run(&p->pacer, now);
	while ((flow = uet_pacer_poll(&p->pacer, &credit))) {
		ch = container_of(flow, struct fab_chan, source);
		uet_pdc_grant_credit(ch->pdc[UET_PDC_TARGET], credit);
		fab_chan_answer(fab, ch - fab->chan, now);
	}
	at = uet_pacer_deadline(&p->pacer);
	if (at == UET_NEVER || at * FAB_NS >= p->timer)
		return;
	p->timer = at * FAB_NS;
	fab_at(&fab->clock, p->timer, FAB_EV_PACER, host);
}

/**
 * fab_pacer_demand() - pass new demand of a channel's source to the pacer
 * @fab: run
 * @chan: number of the channel
 */
void fab_pacer_demand(struct fab *fab, u32 chan)
{
	struct fab_chan *ch = &fab->chan[chan];
	struct uet_pdc_demand demand;
	u64 now = fab_ns(fab);
	struct uet_pacer *pacer;

	if (!uet_pdc_poll_demand(ch->pdc[UET_PDC_TARGET], &demand))
		return;
	pacer = &fab->pacer[ch->dst].pacer;
	if (demand.was_requested)
		uet_pacer_request(pacer, &ch->source, demand.target, now);
	else
		uet_pacer_demand(pacer, &ch->source, demand.target,
				 demand.was_trimmed, now);
	pacer_run(fab, ch->dst, now);
}

/**
 * fab_pacer_timer() - handle the timer of a pacer
 * @fab: run
 * @host: host of the pacer
 */
void fab_pacer_timer(struct fab *fab, u32 host)
{
	if (fab->clock.now != fab->pacer[host].timer)
		return;
	fab->pacer[host].timer = UET_NEVER;
	pacer_run(fab, host, fab_ns(fab));
}
