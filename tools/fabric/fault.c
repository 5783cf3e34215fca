// SPDX-License-Identifier: GPL-2.0
/*
 * Faults of the fabric simulator: a cable that is slow or dead, in one direction or in
 * both, or a host that is slow to take in packets; always or for a time.  No end point
 * is notified, and no switch routes around a fault.  Level: test.
 */
#include <errno.h>
#include <stdlib.h>

#include "../lib/number.h"
#include "fabric.h"

#define FAULT_US_MAX	1000000000ULL

static const struct {
	const char *name;
	enum fab_cable cable;
} fault_cables[] = {
	{ "host", FAB_CABLE_HOST },
	{ "tor", FAB_CABLE_TOR },
	{ "agg", FAB_CABLE_AGG },
};

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
	if (!strcmp(word, "up"))
		fault->ways = FAB_WAY_UP;
	else if (!strcmp(word, "down"))
		fault->ways = FAB_WAY_DOWN;
	else if (!strcmp(word, "scaled"))
		fault->is_scaled = true;
	else
		return false;
	return true;
}

/* Parse a time. */
static bool fault_time_word(struct fab_fault *fault, const char *word)
{
	u64 us;

	if (!strncmp(word, "from=", 5) &&
	    number_read(word + 5, false, 0, FAULT_US_MAX, &us)) {
		fault->from = us * FAB_US;
		return true;
	}
	if (!strncmp(word, "until=", 6) &&
	    number_read(word + 6, false, 1, FAULT_US_MAX, &us)) {
		fault->until = us * FAB_US;
		return true;
	}
	return false;
}

static const char *fault_check(const struct fab_fault *fault)
{
	if (fault->percent > 100)
		return "more than 100 percent";
	return fault->from < fault->until ? NULL : "ends before it begins";
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
	char copy[80], *rest = copy, *word, *numbers;
	u32 i;

	*fault = (struct fab_fault) {
		.ways = FAB_WAY_UP | FAB_WAY_DOWN, .until = UET_NEVER,
	};
	if (snprintf(copy, sizeof(copy), "%s", text) >= (int)sizeof(copy))
		return "longer than 79 characters";
	word = strtok_r(copy, ",", &rest);
	numbers = word ? strchr(word, ':') : NULL;
	for (i = 0; numbers && i < ARRAY_SIZE(fault_cables); i++)
		if (!strncmp(word, fault_cables[i].name, numbers - word) &&
		    !fault_cables[i].name[numbers - word])
			break;
	if (!numbers || i == ARRAY_SIZE(fault_cables) ||
	    !fault_numbers(value, ARRAY_SIZE(value), numbers))
		return "not host|tor|agg:RAIL:NODE:UP:PERCENT";
	fault->cable = fault_cables[i].cable;
	while ((word = strtok_r(NULL, ",", &rest)))
		if (!fault_cable_word(fault, word) &&
		    !fault_time_word(fault, word))
			return "behind the numbers: up, down, scaled, from=US, until=US";
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
			return "behind the numbers: from=US, until=US";
	if (!fault->percent)
		return "0 percent: a host that takes in nothing";
	return fault_check(fault);
}

/**
 * fab_fault_exists() - is there a cable, or a host, of this number?
 * @par: parameters of the run
 * @fault: the fault
 *
 * Return: true if there is.
 */
bool fab_fault_exists(const struct fab_params *par,
		      const struct fab_fault *fault)
{
	const struct fab_shape *s = &par->shape;

	if (fault->rail >= par->rails)
		return false;
	switch (fault->cable) {
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

/**
 * fab_faults_begin() - schedule the begin and end of all faults
 * @fab: run about to start
 */
void fab_faults_begin(struct fab *fab)
{
	const struct fab_fault *fault;
	u32 i;

	for (i = 0; i < fab->par.nr_faults; i++) {
		fault = &fab->par.faults[i];
		if (fault->cable == FAB_RECEIVER)
			fab_receivers_init(fab);
		if (!fault->from)
			fab_fault_event(fab, 2 * i);
		else
			fab_at(&fab->clock, FAB_EPOCH + fault->from,
			       FAB_EV_FAULT, 2 * i);
		if (fault->until != UET_NEVER)
			fab_at(&fab->clock, FAB_EPOCH + fault->until,
			       FAB_EV_FAULT, 2 * i + 1);
	}
}

/**
 * fab_fault_event() - a fault begins or ends
 * @fab: run
 * @arg: twice the number of the fault, plus 1 at its end
 */
void fab_fault_event(struct fab *fab, u32 arg)
{
	const struct fab_fault *fault = &fab->par.faults[arg / 2];
	u32 kind = FAB_LINK(fault->cable, false), up, down;

	if (fault->cable == FAB_RECEIVER) {
		fab_receiver_rate(fab, fab_shape_place(&fab->par.shape,
						       fault->node),
				  arg & 1 ? 100 : fault->percent);
		return;
	}
	/* Each fault has two kinds of links behind those of the healthy cables. */
	if (!(arg & 1)) {
		kind = 2 * FAB_CABLE_NR + arg;
		fab_link_fault(fab, kind, fault);
		fab_link_fault(fab, kind + 1, fault);
	}
	fault_ports(fab, fault, &up, &down);
	if (fault->ways & FAB_WAY_UP)
		fab->port[up].link = kind;
	if (fault->ways & FAB_WAY_DOWN)
		fab->port[down].link = kind + 1;
}
