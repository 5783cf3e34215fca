// SPDX-License-Identifier: GPL-2.0
/*
 * One run of the fabric simulator: derives the state from the parameters, and executes
 * events until all flows are complete.  Level: test.
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "fabric.h"
#include "pdc_block.h"

/* Events of a lane between the next one and that for which memory is prefetched. */
#define RUN_AHEAD_FIRST		16
#define RUN_AHEAD_SECOND	10
#define RUN_AHEAD_THIRD		5

/* Cache lines of a PDC that each packet needs. */
#define RUN_PDC_LINES		8

/* Events between two calls of the watch. */
#define RUN_WATCH_EVENTS	65536

/**
 * fab_params_default() - default parameters; the caller sets the network
 * @par: result
 *
 * Congestion control is that of a new FEP, all else is as in htsim.
 */
void fab_params_default(struct fab_params *par)
{
	*par = (struct fab_params) {
		.rails = 1,
		.packet = 4150,
		.trims = true,
		.ecn_max = 100,
		.paths = 128,
		.path = fab_path_find("oblivious"),
		.freeze_ns = 400000,
		.credit_rate = 990,
		.cc = fab_cc_find("none"),
		.window_pct = 150,
		.ack_bytes = 16384,
		.rto_ns = 1000000,
		.seed = 1,
		.end_us = 1000000,
		.host_buffer = 1000000,
	};
	fab_tiers_set(par, 100000, FAB_US);
}

/* A PDC tracks twice the packets of a window, within the limits of a PDC. */
static void run_pdc_cfg(struct fab *fab)
{
	const struct fab_params *par = &fab->par;
	u64 inflight = fab->bdp * par->window_pct / 100 / par->packet + 1;
	u32 track = par->track ? par->track : roundup_pow_of_two(2 * inflight);

	fab->cfg = uet_pdc_cfg_default;
	fab->cfg.window = clamp_t(u32, track, UET_PDC_WINDOW_MIN,
				  UET_PDC_WINDOW_MAX);
	fab->cfg.default_mpr = fab->cfg.window / 128;
	fab->cfg.ack_gen_trigger = par->ack_bytes ? par->ack_bytes : 1;
	fab->cfg.ack_per_pkt = !par->ack_bytes || par->path->acks_each;
	fab->cfg.rto_init_ns = par->rto_ns;
	fab->cfg.rto_max_ns = max(fab->cfg.rto_max_ns, par->rto_ns);
	fab->cfg.reorder_min_ns = par->reorder_ns;
	fab->cfg.tail_loss_ns = par->tail_ns ? par->tail_ns :
					       3 * fab->base_rtt / FAB_NS;
	fab->cfg.credit_run = par->credit_run;
	fab->cfg.credit_rate = par->credit_rate;
	fab->cfg.idle_ns = 0;
	fab->cfg.target_idle_ns = 0;
	fab->cfg.has_cc = true;
	fab_settings_pdc(par, &fab->cfg);
}

static void run_queues(struct fab *fab)
{
	const struct fab_params *par = &fab->par;
	u32 pkts = DIV_ROUND_UP(fab->bdp, par->packet);
	u32 queue = par->queue_pkts;

	if (!queue)
		queue = par->trims ? pkts : 5 * pkts;
	fab->queue_bytes = queue * par->packet;
	fab->ecn_low = (par->ecn_low ? par->ecn_low :
				       DIV_ROUND_UP(pkts, 5)) * par->packet;
	fab->ecn_high = (par->ecn_high ? par->ecn_high :
			 DIV_ROUND_UP(4 * pkts, 5)) * par->packet;
}

/**
 * fab_init() - set up a run without flows
 * @fab: result
 * @par: parameters of the run
 */
void fab_init(struct fab *fab, const struct fab_params *par)
{
	u32 hosts, i;

	memset(fab, 0, sizeof(*fab));
	fab->par = *par;
	fab->clock.now = FAB_EPOCH;
	fab->rng.state = fab_mix(par->seed);
	fab->free = FAB_NONE;
	fab->base_rtt = fab_base_rtt(par);
	fab->bdp = fab_bdp(par);
	fab->settled = FAB_EPOCH + par->settle_us * FAB_US;
	run_queues(fab);
	run_pdc_cfg(fab);
	fab_links_init(fab);
	fab_shape_build(fab);
	fab_pfc_init(fab);
	hosts = fab_shape_hosts(&par->shape);
	fab->nr_hosts = hosts;
	fab_cms_init(fab);
	fab_pacers_init(fab);
	fab->host = malloc(hosts * sizeof(*fab->host));
	if (!fab->host)
		abort();
	for (i = 0; i < hosts; i++)
		fab->host[i] = (struct fab_host) {
			.first = { FAB_NONE, FAB_NONE },
			.last = { FAB_NONE, FAB_NONE },
		};
}

static void run_arrive(struct fab *fab, u32 pkt)
{
	struct fab_packet *p = &fab->pkt[pkt];
	const struct fab_port *port = &fab->port[p->port];

	if (port->tier != FAB_T_HOST)
		fab_port_send(fab, fab_route(fab, port, p), pkt);
	else if (port->peer == p->dst)
		fab_receive(fab, pkt);
	else
		fab->why = "a packet came to a host that it is not for";
}

/* A packet will arrive: prefetch the port that it goes to, or its channel. */
static void run_prefetch_arrival(const struct fab *fab, const struct fab_packet *p)
{
	const struct fab_port *port = &fab->port[p->port];

	if (port->tier != FAB_T_HOST)
		__builtin_prefetch(&fab->port[fab_route(fab, port, p)], 1);
	else
		__builtin_prefetch(&fab->chan[p->chan], 1);
}

/* A packet will arrive at its host: prefetch the PDC that takes it. */
static void run_prefetch_pdc(const struct fab *fab, const struct fab_packet *p)
{
	const struct fab_chan *ch = &fab->chan[p->chan];
	const u8 *pdc = (const u8 *)ch->pdc[p->dst == ch->dst];
	u32 i;

	if (fab->port[p->port].tier != FAB_T_HOST || !pdc)
		return;
	for (i = 0; i < RUN_PDC_LINES; i++)
		__builtin_prefetch(pdc + 64 * i, 1);
}

/*
 * Prefetch the memory of later events, which is known in advance, in steps: what an event
 * needs, then what that refers to.
 */
static void run_prefetch(const struct fab *fab)
{
	struct fab_event next;

	if (!fab_clock_ahead(&fab->clock, RUN_AHEAD_FIRST, &next))
		return;
	if (next.what != FAB_EV_ARRIVE) {
		__builtin_prefetch(&fab->port[next.arg], 1);
		if (fab_clock_ahead(&fab->clock, RUN_AHEAD_SECOND, &next) &&
		    fab->port[next.arg].sending < fab->nr_pkts)
			__builtin_prefetch(&fab->pkt[fab->port[next.arg].sending],
					   1);
		return;
	}
	__builtin_prefetch(&fab->pkt[next.arg], 1);
	if (fab_clock_ahead(&fab->clock, RUN_AHEAD_SECOND, &next))
		run_prefetch_arrival(fab, &fab->pkt[next.arg]);
	if (fab_clock_ahead(&fab->clock, RUN_AHEAD_THIRD, &next))
		run_prefetch_pdc(fab, &fab->pkt[next.arg]);
}

static void run_event(struct fab *fab, const struct fab_event *ev)
{
	switch (ev->what) {
	case FAB_EV_ARRIVE:
		run_arrive(fab, ev->arg);
		break;
	case FAB_EV_SENT:
		fab_port_sent(fab, ev->arg);
		break;
	case FAB_EV_TIMER:
		fab_chan_timer(fab, ev->arg);
		break;
	case FAB_EV_PACER:
		fab_pacer_timer(fab, ev->arg);
		break;
	case FAB_EV_FAULT:
		fab_fault_event(fab, ev->arg);
		break;
	case FAB_EV_HOST:
		fab_receiver_event(fab, ev->arg);
		break;
	case FAB_EV_ROCE:
		fab_roce_timer(fab, ev->arg);
		break;
	case FAB_EV_PFC:
		fab_pfc_event(fab, ev->arg);
		break;
	case FAB_EV_TRACE:
		fab_trace_event(fab);
		break;
	default:
		fab_flow_start(fab, ev->arg);
	}
}

/* Count the losses of the channels that are still open. */
static void run_losses(struct fab *fab)
{
	u32 i;

	for (i = 0; i < fab->nr_chans; i++)
		fab_chan_count(fab, &fab->chan[i]);
}

/* Execute events until @end, or until all flows with an end are complete. */
static void run_until(struct fab *fab, u64 end)
{
	bool is_endless = fab->nr_flows > fab->left;
	struct fab_event ev;

	while ((fab->left || is_endless) && !fab->why) {
		if (!fab_clock_take(&fab->clock, &ev)) {
			fab->why = "nothing happens any more";
			return;
		}
		if (ev.at > end) {
			fab->clock.now = end;
			fab->why = fab->left ? "--end-us is reached" : NULL;
			return;
		}
		run_event(fab, &ev);
		if (!(fab->clock.events % RUN_WATCH_EVENTS) && fab->watch)
			fab->watch(fab, fab->watch_arg);
		run_prefetch(fab);
	}
}

/**
 * fab_run() - execute a run
 * @fab: run with its flows
 *
 * Flows without an end run until the end of the run.
 *
 * Return: true if all other flows are complete; else @fab->why gives the reason, and
 *	the counters are those of the part that was run.
 */
bool fab_run(struct fab *fab)
{
	fab_arena_init(&fab->pdc_mem, pdc_block_size(&fab->cfg),
		       2 * (size_t)fab->nr_chans);
	fab_arena_init(&fab->cms_mem, fab_cms_size(fab), fab->nr_chans);
	fab_arena_init(&fab->sent_mem, fab->cfg.window * sizeof(u32),
		       fab->nr_chans);
	fab_roce_init(fab);
	fab_faults_begin(fab);
	fab_flows_begin(fab);
	run_until(fab, FAB_EPOCH + fab->par.end_us * FAB_US);
	run_losses(fab);
	fab_pfc_count(fab);
	return !fab->why;
}

/**
 * fab_fini() - free the memory of a run
 * @fab: run
 */
void fab_fini(struct fab *fab)
{
	fab_trace_end(fab);
	fab_arena_fini(&fab->pdc_mem);
	fab_arena_fini(&fab->cms_mem);
	fab_arena_fini(&fab->sent_mem);
	fab_clock_fini(&fab->clock);
	fab_packets_fini(fab);
	fab_pfc_fini(fab);
	munmap(fab->port, fab->nr_ports * sizeof(*fab->port));
	free(fab->salt);
	free(fab->host);
	free(fab->receiver);
	free(fab->pacer);
	free(fab->chan);
	free(fab->roce);
	free(fab->chan_map);
	free(fab->flow);
	free(fab->trigger);
}
