// SPDX-License-Identifier: GPL-2.0
/*
 * Faults of the fabric simulator: a cable that is slow, loses packets, clears ECN
 * fields or is dead, in one direction or in both; a switch that is off; or a host that is
 * slow to take in packets.
 * A fault stays, lasts for a time, or comes and goes.  No end point is notified, and no
 * switch routes around a fault.  Level: test.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "../lib/number.h"
#include "fabric.h"

#define FAULT_US_MAX	1000000000ULL
#define FAULT_TIMES	"from=US, until=US, mtbf=US, outage=US"

/* Kinds of nodes, in the order of enum fab_tier. */
static const char *const fault_nodes[] = { "host", "tor", "agg", "core" };

/* Parse @n numbers, each behind a colon, such as ":0:3:1:25". */
static bool fault_numbers(u32 *const *value, u32 n, const char *text)
{
	char *end;
	u32 i;

	for (i = 0; i < n; i++) {
		if (text[0] != ':' || text[1] < '0' || text[1] > '9')
			return false;
		errno = 0;
		*value[i] = min(strtoul(text + 1, &end, 10),
				(unsigned long)U32_MAX);
		text = end;
	}
	return !*text;
}

/* Parse a word that only a cable has. */
static bool fault_cable_word(struct fab_fault *fault, const char *word)
{
	u64 ppm;

	if (!strcmp(word, "up"))
		fault->ways = FAB_WAY_UP;
	else if (!strcmp(word, "down"))
		fault->ways = FAB_WAY_DOWN;
	else if (!strcmp(word, "scaled"))
		fault->is_scaled = true;
	else if (!strcmp(word, "bleach"))
		fault->bleaches = true;
	else if (!strncmp(word, "loss=", 5) &&
		 number_read(word + 5, false, 1, 1000000, &ppm))
		fault->loss_ppm = ppm;
	else
		return false;
	return true;
}

/* Parse a time. */
static bool fault_time_word(struct fab_fault *fault, const char *word)
{
	const struct {
		const char *name;
		u64 least;
		u64 *ps;
	} times[] = {
		{ "from=", 0, &fault->from },
		{ "until=", 1, &fault->until },
		{ "mtbf=", 1, &fault->mtbf },
		{ "outage=", 1, &fault->outage },
	};
	size_t len;
	u64 us;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(times); i++) {
		len = strlen(times[i].name);
		if (!strncmp(word, times[i].name, len) &&
		    number_read(word + len, false, times[i].least, FAULT_US_MAX, &us)) {
			*times[i].ps = us * FAB_US;
			return true;
		}
	}
	return false;
}

static const char *fault_check(const struct fab_fault *fault)
{
	if (fault->percent > 100)
		return "more than 100 percent";
	if (!fault->mtbf != !fault->outage)
		return "mtbf=US and outage=US: one without the other";
	return fault->from < fault->until ? NULL : "ends before it begins";
}

/* Parse the kind of node in front of the first colon of @word, which may be NULL. */
static bool fault_node(const char *word, const char **numbers, u32 *node)
{
	*numbers = word ? strchr(word, ':') : NULL;
	for (*node = 0; *numbers && *node < ARRAY_SIZE(fault_nodes); (*node)++)
		if (!strncmp(word, fault_nodes[*node], *numbers - word) &&
		    !fault_nodes[*node][*numbers - word])
			return true;
	return false;
}

/**
 * fab_fault_read() - parse a fault such as "tor:0:3:1:25,down,from=20,until=90"
 * @fault: result
 * @text: the text
 *
 * Return: NULL, or what is wrong with the text.
 */
const char *fab_fault_read(struct fab_fault *fault, const char *text)
{
	u32 *value[] = { &fault->rail, &fault->node, &fault->up,
			 &fault->percent };
	char copy[80], *rest = copy, *word;
	const char *numbers;
	u32 node;

	*fault = (struct fab_fault) {
		.ways = FAB_WAY_UP | FAB_WAY_DOWN, .until = UET_NEVER,
	};
	if (snprintf(copy, sizeof(copy), "%s", text) >= (int)sizeof(copy))
		return "longer than 79 characters";
	word = strtok_r(copy, ",", &rest);
	if (!fault_node(word, &numbers, &node) || node > FAB_T_AGG ||
	    !fault_numbers(value, ARRAY_SIZE(value), numbers))
		return "not host|tor|agg:RAIL:NODE:UP:PERCENT";
	fault->cable = FAB_CABLE_HOST + node;
	while ((word = strtok_r(NULL, ",", &rest)))
		if (!fault_cable_word(fault, word) &&
		    !fault_time_word(fault, word))
			return "behind the numbers: up, down, scaled, bleach, loss=PPM (1..1000000), and times (US up to 1000000000): "
			       FAULT_TIMES;
	return fault_check(fault);
}

/**
 * fab_slow_host_read() - parse a slow host such as "3:25,from=20,until=90"
 * @fault: result
 * @text: the text
 *
 * Return: NULL, or what is wrong with the text.
 */
const char *fab_slow_host_read(struct fab_fault *fault, const char *text)
{
	u32 *value[] = { &fault->node, &fault->percent };
	char copy[80], *rest = copy, *word;

	*fault = (struct fab_fault) {
		.cable = FAB_RECEIVER, .until = UET_NEVER,
	};
	if (snprintf(copy, sizeof(copy), ":%s", text) >= (int)sizeof(copy))
		return "longer than 78 characters";
	word = strtok_r(copy, ",", &rest);
	if (!fault_numbers(value, ARRAY_SIZE(value), word))
		return "not HOST:PERCENT";
	while ((word = strtok_r(NULL, ",", &rest)))
		if (!fault_time_word(fault, word))
			return "behind the numbers: " FAULT_TIMES;
	if (!fault->percent)
		return "0 percent: a host that takes in nothing";
	return fault_check(fault);
}

/**
 * fab_reboot_read() - parse a switch that goes off such as "agg:0:2,from=20,until=90"
 * @fault: result
 * @text: the text
 *
 * Return: NULL, or what is wrong with the text.
 */
const char *fab_reboot_read(struct fab_fault *fault, const char *text)
{
	u32 *value[] = { &fault->rail, &fault->node };
	char copy[80], *rest = copy, *word;
	const char *numbers;
	u32 node;

	*fault = (struct fab_fault) {
		.cable = FAB_SWITCH, .until = UET_NEVER,
	};
	if (snprintf(copy, sizeof(copy), "%s", text) >= (int)sizeof(copy))
		return "longer than 79 characters";
	word = strtok_r(copy, ",", &rest);
	if (!fault_node(word, &numbers, &node) || node == FAB_T_HOST ||
	    !fault_numbers(value, ARRAY_SIZE(value), numbers))
		return "not tor|agg|core:RAIL:NODE";
	fault->tier = node;
	while ((word = strtok_r(NULL, ",", &rest)))
		if (!fault_time_word(fault, word))
			return "behind the numbers: " FAULT_TIMES;
	return fault_check(fault);
}

/* The ports of a switch. Return: its number is one of its plane. */
static bool fault_switch(const struct fab_shape *s, const struct fab_plane *plane,
			 const struct fab_fault *fault, u32 *first, u32 *nr)
{
	u32 switches = s->pods * s->tors;

	*nr = fab_shape_tor_ports(s);
	*first = plane->tor;
	if (fault->tier == FAB_T_AGG) {
		switches = s->pods * s->aggs;
		*nr = fab_shape_agg_ports(s);
		*first = plane->agg;
	} else if (fault->tier == FAB_T_CORE) {
		switches = s->aggs * s->ups;
		*nr = s->pods * s->agg_bundle;
		*first = plane->core;
	}
	*first += fault->node * *nr;
	return fault->node < switches;
}

/**
 * fab_fault_exists() - is there a cable, a host or a switch of this number?
 * @par: parameters of the run
 * @fault: the fault
 *
 * Return: true if there is.
 */
bool fab_fault_exists(const struct fab_params *par,
		      const struct fab_fault *fault)
{
	const struct fab_shape *s = &par->shape;
	const struct fab_plane plane = { 0 };
	u32 first, nr;

	if (fault->rail >= par->rails)
		return false;
	switch (fault->cable) {
	case FAB_SWITCH:
		return fault_switch(s, &plane, fault, &first, &nr);
	case FAB_RECEIVER:
	case FAB_CABLE_HOST:
		return fault->node < fab_shape_hosts(s) && !fault->up;
	case FAB_CABLE_TOR:
		return fault->node < s->pods * s->tors &&
		       fault->up < s->aggs * s->tor_bundle;
	default:
		return fault->node < s->pods * s->aggs &&
		       fault->up < s->ups * s->agg_bundle;
	}
}

/**
 * fab_fault_object() - what a fault is a fault of
 * @fault: the fault
 *
 * Return: a word.
 */
const char *fab_fault_object(const struct fab_fault *fault)
{
	return fault->cable == FAB_RECEIVER ? "host" :
	       fault->cable == FAB_SWITCH ? "switch" : "link";
}

/* Find the two ports of a cable. */
static void fault_ports(const struct fab *fab, const struct fab_fault *fault,
			u32 *up, u32 *down)
{
	const struct fab_plane *plane = &fab->plane[fault->rail];
	const struct fab_shape *s = &fab->par.shape;
	u32 n = fault->node, peer, link;

	switch (fault->cable) {
	case FAB_CABLE_HOST:
		n = fab_shape_place(s, n);
		*up = plane->nic + n;
		*down = plane->tor + n / s->hosts * fab_shape_tor_ports(s) +
			n % s->hosts;
		break;
	case FAB_CABLE_TOR:
		peer = n / s->tors * s->aggs + fault->up / s->tor_bundle;
		link = n % s->tors * s->tor_bundle +
		       fault->up % s->tor_bundle;
		*up = plane->tor + n * fab_shape_tor_ports(s) + s->hosts +
		      fault->up;
		*down = plane->agg + peer * fab_shape_agg_ports(s) + link;
		break;
	default:
		peer = n % s->aggs * s->ups + fault->up / s->agg_bundle;
		link = n / s->aggs * s->agg_bundle +
		       fault->up % s->agg_bundle;
		*up = plane->agg + n * fab_shape_agg_ports(s) +
		      s->tors * s->tor_bundle + fault->up;
		*down = plane->core + peer * s->pods * s->agg_bundle + link;
	}
}

/* Schedule an event of a fault at @at, unless the fault has ended by then. */
static void fault_schedule(struct fab *fab, u32 arg, u64 at)
{
	const struct fab_fault *fault = &fab->par.faults[arg / 2];

	if (fault->until == UET_NEVER || at < FAB_EPOCH + fault->until)
		fab_at(&fab->clock, at, FAB_EV_FAULT, arg);
}

/* Return: time without a fault that comes and goes, ps, of exponential distribution. */
static u64 fault_pause(struct fab_fault *fault)
{
	double part = ((fab_rand(&fault->rng) >> 11) + 1) / 9007199254740992.0;

	return (u64)(-log(part) * (fault->mtbf / FAB_NS)) * FAB_NS;
}

/**
 * fab_faults_begin() - schedule the begin and end of all faults
 * @fab: run about to start
 */
void fab_faults_begin(struct fab *fab)
{
	struct fab_fault *fault;
	u32 i;

	for (i = 0; i < fab->par.nr_faults; i++) {
		fault = &fab->par.faults[i];
		fault->rng.state = fab_mix(fab->par.seed) + fab_mix(i + 1);
		if (fault->cable == FAB_RECEIVER)
			fab_receivers_init(fab);
		if (fault->mtbf)
			fault_schedule(fab, 2 * i, FAB_EPOCH + fault->from +
				       fault_pause(fault));
		else if (!fault->from)
			fab_fault_event(fab, 2 * i);
		else
			fab_at(&fab->clock, FAB_EPOCH + fault->from,
			       FAB_EV_FAULT, 2 * i);
		if (fault->until != UET_NEVER)
			fab_at(&fab->clock, FAB_EPOCH + fault->until,
			       FAB_EV_FAULT, 2 * i + 1);
	}
}

/* Each fault of a cable has two kinds of links behind those of the healthy cables. */
static void fault_set_cable(struct fab *fab, u32 nr, bool is_faulty)
{
	const struct fab_fault *fault = &fab->par.faults[nr];
	u32 kind = FAB_LINK(fault->cable, false), up, down;

	if (is_faulty) {
		kind = FAB_LINK(FAB_CABLE_NR + nr, false);
		fab_link_fault(fab, kind, fault);
		fab_link_fault(fab, kind + 1, fault);
	}
	fault_ports(fab, fault, &up, &down);
	if (fault->ways & FAB_WAY_UP)
		fab->port[up].link = kind;
	if (fault->ways & FAB_WAY_DOWN)
		fab->port[down].link = kind + 1;
}

static void fault_set_switch(struct fab *fab, const struct fab_fault *fault,
			     bool is_off)
{
	u32 first, nr, i;

	fault_switch(&fab->par.shape, &fab->plane[fault->rail], fault, &first, &nr);
	for (i = first; i < first + nr; i++) {
		if (is_off)
			fab_port_off(fab, i);
		else
			fab->port[i].is_off = false;
	}
}

/**
 * fab_fault_event() - a fault begins or ends
 * @fab: run
 * @arg: twice the number of the fault, plus 1 at its end
 */
void fab_fault_event(struct fab *fab, u32 arg)
{
	struct fab_fault *fault = &fab->par.faults[arg / 2];
	bool begins = !(arg & 1);

	if (fault->cable == FAB_RECEIVER)
		fab_receiver_rate(fab, fab_shape_place(&fab->par.shape, fault->node),
				  begins ? fault->percent : 100);
	else if (fault->cable == FAB_SWITCH)
		fault_set_switch(fab, fault, begins);
	else
		fault_set_cable(fab, arg / 2, begins);
	if (fault->mtbf)
		fault_schedule(fab, arg ^ 1, fab->clock.now +
			       (begins ? fault->outage : fault_pause(fault)));
}
