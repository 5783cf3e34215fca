// SPDX-License-Identifier: GPL-2.0
/*
 * Faults of the fabric simulator: a cable that is slow or dead, in one direction or in
 * both, always or for a time.  No end point is notified, and no switch routes around a
 * fault.  Level: test.
 */
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

/* Parse the numbers behind the kind of cable, such as "0:3:1:25". */
static bool fault_numbers(struct fab_fault *fault, const char *text)
{
	u32 *value[] = { &fault->rail, &fault->node, &fault->up,
			 &fault->percent };
	char *end;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(value); i++) {
		if (text[0] != ':' || text[1] < '0' || text[1] > '9')
			return false;
		*value[i] = strtoul(text + 1, &end, 10);
		text = end;
	}
	return !*text;
}

/* Parse a word behind the numbers. */
static bool fault_word(struct fab_fault *fault, char *word)
{
	u64 us;

	if (!strcmp(word, "up") || !strcmp(word, "down")) {
		fault->ways = word[0] == 'u' ? FAB_WAY_UP : FAB_WAY_DOWN;
		return true;
	}
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

/**
 * fab_fault_read() - parse a fault such as "tor:0:3:1:25,down,from=20,until=90"
 * @fault: result
 * @text: the text
 *
 * Return: NULL, or what is wrong with the text.
 */
const char *fab_fault_read(struct fab_fault *fault, const char *text)
{
	char copy[80], *rest = copy, *word, *numbers;
	u32 i;

	*fault = (struct fab_fault) {
		.ways = FAB_WAY_UP | FAB_WAY_DOWN, .until = UET_NEVER,
	};
	if (snprintf(copy, sizeof(copy), "%s", text) >= (int)sizeof(copy))
		return "too long";
	word = strtok_r(copy, ",", &rest);
	numbers = word ? strchr(word, ':') : NULL;
	for (i = 0; numbers && i < ARRAY_SIZE(fault_cables); i++)
		if (!strncmp(word, fault_cables[i].name, numbers - word) &&
		    !fault_cables[i].name[numbers - word])
			break;
	if (!numbers || i == ARRAY_SIZE(fault_cables) ||
	    !fault_numbers(fault, numbers))
		return "not host|tor|agg:RAIL:NODE:UP:PERCENT";
	fault->cable = fault_cables[i].cable;
	while ((word = strtok_r(NULL, ",", &rest)))
		if (!fault_word(fault, word))
			return "behind the numbers: up, down, from=US, until=US";
	if (fault->percent > 100)
		return "more than 100 percent";
	return fault->from < fault->until ? NULL : "ends before it begins";
}

/**
 * fab_fault_exists() - is there a cable of this number?
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
	case FAB_CABLE_HOST:
		return fault->node < fab_shape_hosts(s) && !fault->up;
	case FAB_CABLE_TOR:
		return fault->node < s->pods * s->tors && fault->up < s->aggs;
	default:
		return fault->node < s->pods * s->aggs && fault->up < s->ups;
	}
}

/* Find the two ports of a cable. */
static void fault_ports(const struct fab *fab, const struct fab_fault *fault,
			u32 *up, u32 *down)
{
	const struct fab_plane *plane = &fab->plane[fault->rail];
	const struct fab_shape *s = &fab->par.shape;
	u32 n = fault->node;

	switch (fault->cable) {
	case FAB_CABLE_HOST:
		*up = plane->nic + n;
		*down = plane->tor + n / s->hosts * (s->hosts + s->aggs) +
			n % s->hosts;
		break;
	case FAB_CABLE_TOR:
		*up = plane->tor + n * (s->hosts + s->aggs) + s->hosts +
		      fault->up;
		*down = plane->agg + (n / s->tors * s->aggs + fault->up) *
			(s->tors + s->ups) + n % s->tors;
		break;
	default:
		*up = plane->agg + n * (s->tors + s->ups) + s->tors + fault->up;
		*down = plane->core + (n % s->aggs * s->ups + fault->up) *
			s->pods + n / s->aggs;
	}
}

/**
 * fab_faults_init() - schedule the begin and end of all faults
 * @fab: run whose network is built
 */
void fab_faults_init(struct fab *fab)
{
	const struct fab_fault *fault;
	u32 i;

	for (i = 0; i < fab->par.nr_faults; i++) {
		fault = &fab->par.faults[i];
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
	u32 percent = arg & 1 ? 100 : fault->percent;
	u32 up, down;

	fault_ports(fab, fault, &up, &down);
	if (fault->ways & FAB_WAY_UP)
		fab_port_rate(fab, up, percent);
	if (fault->ways & FAB_WAY_DOWN)
		fab_port_rate(fab, down, percent);
}
