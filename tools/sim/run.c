// SPDX-License-Identifier: GPL-2.0
/*
 * One run of the simulator: initialises the endpoints, processes events until
 * none is left, closes the remaining PDCs, and verifies the result.  A run
 * passes if all invariants held, all messages got the right verdict, and all
 * objects were freed.  Level: test.
 */
#include <stdarg.h>
#include <inttypes.h>

#include "cc.h"

/* Simulated time within which every message must have a verdict. */
#define RUN_TIME_MAX	(300 * SIM_S)

/**
 * sim_fail() - mark a run as failed
 * @sim: the run
 * @fmt: the reason, as printf(); only the first one is kept
 */
void sim_fail(struct sim *sim, const char *fmt, ...)
{
	va_list ap;

	if (sim->failed)
		return;
	sim->failed = true;
	va_start(ap, fmt);
	vsnprintf(sim->why, sizeof(sim->why), fmt, ap);
	va_end(ap);
	sim_note(sim, "FAILED: %s", sim->why);
}

/**
 * sim_note() - print an event if the trace is on
 * @sim: the run
 * @fmt: text, as printf()
 */
void sim_note(struct sim *sim, const char *fmt, ...)
{
	va_list ap;

	if (!sim->trace.lines || sim->now < sim->trace.from_ns)
		return;
	printf("# %11.3f us  ", (double)sim->now / SIM_US);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	if (!--sim->trace.lines)
		printf("# and so on\n");
}

/* Eight payload bytes are a word computed from message number and offset. */
static u64 run_word(u32 nr, u32 offset)
{
	return sim_mix((u64)nr << 32 | offset >> 3);
}

static u8 run_byte(u32 nr, u32 offset)
{
	return run_word(nr, offset) >> 8 * (offset & 7);
}

/**
 * sim_payload_fill() - generate bytes of a message
 * @nr: number of the message
 * @offset: offset of the first byte
 * @buf: result
 * @len: number of bytes
 */
void sim_payload_fill(u32 nr, u32 offset, u8 *buf, u32 len)
{
	u64 word;
	u32 i = 0;

	for (; !(offset & 7) && i + 8 <= len; i += 8) {
		word = run_word(nr, offset + i);
		memcpy(buf + i, &word, 8);
	}
	for (; i < len; i++)
		buf[i] = run_byte(nr, offset + i);
}

/**
 * sim_payload_equal() - are these bytes of a message correct?
 * @nr: number of the message
 * @offset: offset of the first byte
 * @buf: bytes received
 * @len: number of bytes
 *
 * Return: true if every byte is correct.
 */
bool sim_payload_equal(u32 nr, u32 offset, const u8 *buf, u32 len)
{
	u64 word, got;
	u32 i = 0;

	for (; !(offset & 7) && i + 8 <= len; i += 8) {
		word = run_word(nr, offset + i);
		memcpy(&got, buf + i, 8);
		if (word != got)
			return false;
	}
	for (; i < len; i++)
		if (buf[i] != run_byte(nr, offset + i))
			return false;
	return true;
}

/* Upper bound of the number of events of a correct run. */
static u64 run_event_budget(const struct sim_params *par)
{
	u64 pkts = (u64)par->flows * par->msgs * (par->size_max / par->mtu + 1);

	if (par->back_pct)
		pkts += (u64)par->flows * par->msgs *
			(par->back_max / par->mtu + 1);
	pkts += (u64)par->rudi_flows * par->rudi_reqs;
	return 200 * pkts + 500000;
}

static void run_init(struct sim *sim, const struct sim_params *par)
{
	u32 i;

	memset(sim, 0, sizeof(*sim));
	sim->par = *par;
	sim->rng.state = par->seed;
	/* Not 0, so that an uninitialised time stamp is detected. */
	sim->now = SIM_S;
	INIT_LIST_HEAD(&sim->frames);
	INIT_LIST_HEAD(&sim->dead);
	INIT_LIST_HEAD(&sim->cccs);
	for (i = 0; i < par->nodes; i++) {
		INIT_LIST_HEAD(&sim->node[i].pdcs);
		sim->node[i].next_id = (u16)sim_rand(&sim->rng);
		sim_ep_init(sim, i);
	}
	if (par->unbind_ns)
		sim_at(sim, sim->now + par->unbind_ns, sim_ep_unbind,
		       &sim->node[0].ep[0]);
	sim->par.blackout.start_ns += sim->now;
	sim->par.stall_ns += sim->now;
	sim_secure_init(sim);
	sim_app_init(sim);
	sim_rudi_init(sim);
}

static void run_events(struct sim *sim)
{
	u64 budget = run_event_budget(&sim->par);
	u64 limit = sim->now + RUN_TIME_MAX;
	struct sim_event ev;

	while (!sim->failed && sim_heap_pop(&sim->heap, &ev)) {
		if (ev.at < sim->now)
			sim_fail(sim, "time runs backwards");
		sim->now = ev.at;
		ev.fn(sim, ev.arg);
		if (++sim->events > budget)
			sim_fail(sim, "%" PRIu64 " events: no end in sight",
				 sim->events);
		if (sim->unfinished && sim->now > limit)
			sim_fail(sim, "%u messages without a verdict after %u s",
				 sim->unfinished, (u32)(RUN_TIME_MAX / SIM_S));
	}
	if (!sim->failed && sim->unfinished)
		sim_fail(sim, "deadlock: nothing to do, %u messages unfinished",
			 sim->unfinished);
}

/* Initiators close their PDCs that have no idle time. */
static void run_close(struct sim *sim)
{
	struct sim_pdc *p, *next;
	u32 i;

	for (i = 0; i < sim->par.nodes && !sim->failed; i++) {
		list_for_each_entry_safe(p, next, &sim->node[i].pdcs, link) {
			if (p->role != UET_PDC_INITIATOR)
				continue;
			uet_pdc_close(p->pdc, sim->now);
			sim_pdc_run(p);
		}
	}
	run_events(sim);
}

static void run_judge(struct sim *sim)
{
	u32 i, k;

	if (!sim->failed)
		sim_app_verdict(sim);
	if (!sim->failed)
		sim_rudi_verdict(sim);
	for (i = 0; i < sim->par.nodes && !sim->failed; i++)
		for (k = 0; k < SIM_EPS; k++)
			sim_ep_verdict(&sim->node[i].ep[k]);
	if (!sim->failed && sim->living)
		sim_fail(sim, "%u PDCs never closed", sim->living);
	if (!sim->failed && !list_empty(&sim->frames))
		sim_fail(sim, "frames got lost without being dropped");
}

static void run_print_pdc(const struct sim_pdc *p)
{
	struct uet_pdc_info info;

	uet_pdc_get_info(p->pdc, &info);
	printf("#  node %u PDC %04x %s of %u.%04x, %s, %u messages out, %u in\n",
	       p->node, p->id,
	       p->role == UET_PDC_INITIATOR ? "initiator" : "target", p->peer,
	       info.peer_pdcid, uet_pdc_state_name(info.state), p->ses.nr_tx,
	       p->ses.nr_rx);
	printf("#    sends %08x..%08x (%u out), received to %08x, cleared to %08x, timer %.3f us\n",
	       info.tx_base_psn, info.next_psn, info.inflight_pkts,
	       info.rx_cack_psn, info.clear_psn,
	       p->timer_ns == UET_NEVER ? 0 : (double)p->timer_ns / SIM_US);
}

/**
 * sim_print() - print the objects left in a run, as TAP comments
 * @sim: the run, before sim_fini()
 */
void sim_print(const struct sim *sim)
{
	const struct sim_ep *ep;
	struct sim_pdc *p;
	u32 i, k;

	printf("#  at %.3f us: %u messages unfinished, %u PDCs\n",
	       (double)sim->now / SIM_US, sim->unfinished, sim->living);
	for (i = 0; i < sim->par.nodes; i++) {
		list_for_each_entry(p, &sim->node[i].pdcs, link)
			run_print_pdc(p);
		for (k = 0; k < SIM_EPS; k++) {
			ep = &sim->node[i].ep[k];
			if (ep->reserved)
				printf("#  node %u endpoint %u: holds %u, promised %u bytes\n",
				       i, k, ep->held, ep->reserved);
		}
	}
}

/**
 * sim_run() - run a scenario
 * @sim: result; sim_fini() must follow
 * @par: the scenario
 * @trace: output of the run
 *
 * Return: true if the run passed; otherwise @sim->why is the reason.
 */
bool sim_run(struct sim *sim, const struct sim_params *par,
	     const struct sim_trace *trace)
{
	run_init(sim, par);
	sim->trace = *trace;
	run_events(sim);
	if (!sim->failed && sim->living)
		run_close(sim);
	run_judge(sim);
	return !sim->failed;
}

/**
 * sim_fini() - free all memory of a run
 * @sim: the run; its counters remain valid
 */
void sim_fini(struct sim *sim)
{
	struct sim_frame *frame, *nframe;
	struct sim_pdc *p, *np;
	u32 i, k;

	list_for_each_entry_safe(frame, nframe, &sim->frames, link)
		sim_frame_free(frame);
	for (i = 0; i < sim->par.nodes; i++)
		list_for_each_entry_safe(p, np, &sim->node[i].pdcs, link)
			sim_pdc_free(p);
	list_for_each_entry_safe(p, np, &sim->dead, link)
		sim_pdc_free(p);
	for (i = 0; i < sim->par.nodes; i++)
		for (k = 0; k < SIM_EPS; k++)
			sim_ep_fini(&sim->node[i].ep[k]);
	sim_cc_fini(sim);
	sim_rudi_fini(sim);
	sim_secure_fini(sim);
	for (i = 0; i < sim->nr_msgs; i++)
		free(sim->msg[i].data);
	free(sim->flow);
	free(sim->msg);
	free(sim->heap.ev);
	memset(&sim->heap, 0, sizeof(sim->heap));
}
