// SPDX-License-Identifier: GPL-2.0
/*
 * Parser of connection matrices in the format of htsim.  Each line states a number of
 * nodes, a flow, a trigger, or a dead link.
 *
 *	Nodes 16
 *	Connections 2
 *	Triggers 1
 *	Failures 1
 *	0->1 id 1 start 0 size 2000000 send_done_trigger 1
 *	2->3 id 2 trigger 1 size 2000000
 *	trigger id 1 oneshot
 *	failure switch_type AGG switch_id 0 link_id 1
 *
 * Numbers of nodes precede the flows, and times are microseconds.  Empty lines and
 * lines that start with # are ignored.  Level: test.
 */
#include <errno.h>
#include <stdlib.h>

#include "fabric.h"

#define MATRIX_BYTES_MAX	(1ULL << 40)
#define MATRIX_START_MAX	1000000000ULL	/* us */

/**
 * struct matrix - parser state
 * @fab: run that receives the flows
 * @name: file name for error messages
 * @line: current line number
 * @rest: unread words of the line, for strtok_r()
 * @connections: required number of flows; FAB_NONE: not stated
 * @triggers: required number of triggers; FAB_NONE: not stated
 * @failures: required number of dead links; FAB_NONE: not stated
 * @has_triggers: number of lines of triggers so far
 * @has_failures: number of dead links so far
 */
struct matrix {
	struct fab *fab;
	const char *name;
	u32 line;
	char *rest;
	u32 connections;
	u32 triggers;
	u32 failures;
	u32 has_triggers;
	u32 has_failures;
};

static bool matrix_wrong(const struct matrix *m, const char *what,
			 const char *word)
{
	fprintf(stderr, "uetfabric: %s:%u: %s%s%s\n", m->name, m->line, what,
		word ? ": " : "", word ? word : "");
	return false;
}

static const char *matrix_word(struct matrix *m)
{
	return strtok_r(NULL, " \t\r\n", &m->rest);
}

/* Parse @word, NULL at the end of the line, as the number called @of. */
static bool matrix_number_in(const struct matrix *m, const char *of,
			     const char *word, u64 min, u64 max, u64 *value)
{
	char *end = NULL;

	if (!word)
		return matrix_wrong(m, "a number is missing behind", of);
	errno = 0;
	*value = strtoull(word, &end, 10);
	if (*word < '0' || *word > '9' || *end || errno || *value < min ||
	    *value > max) {
		fprintf(stderr,
			"uetfabric: %s:%u: %s %s: not a number in %llu..%llu\n",
			m->name, m->line, of, word, (unsigned long long)min,
			(unsigned long long)max);
		return false;
	}
	return true;
}

/* Parse the next word as the number called @of. */
static bool matrix_number(struct matrix *m, const char *of, u64 min, u64 max,
			  u64 *value)
{
	return matrix_number_in(m, of, matrix_word(m), min, max, value);
}

static bool matrix_nodes(struct matrix *m)
{
	u64 nodes;

	if (m->fab->nr_flows)
		return matrix_wrong(m, "Nodes behind flows", NULL);
	if (!matrix_number(m, "Nodes", 2, FAB_HOSTS_MAX, &nodes))
		return false;
	if (nodes > fab_shape_hosts(&m->fab->par.shape))
		return matrix_wrong(m, "more Nodes than the network has hosts",
				    NULL);
	m->fab->nr_hosts = nodes;
	return true;
}

/* Parse "0->1". */
static bool matrix_pair(struct matrix *m, const char *word, u32 *src, u32 *dst)
{
	unsigned int from, to;
	int used = -1;

	if (!m->fab->nr_hosts)
		return matrix_wrong(m, "a flow in front of Nodes", word);
	if (sscanf(word, "%9u->%9u%n", &from, &to, &used) != 2 ||
	    used != (int)strlen(word))
		return matrix_wrong(m, "not Nodes, Connections, Triggers, Failures, trigger, failure or SRC->DST",
				    word);
	if (from >= m->fab->nr_hosts || to >= m->fab->nr_hosts)
		return matrix_wrong(m, "no such node", word);
	if (from == to)
		return matrix_wrong(m, "a flow from a node to itself", word);
	*src = from;
	*dst = to;
	return true;
}

/* Parse a time in us, such as "2.5". */
static bool matrix_start(struct matrix *m, u64 *start)
{
	const char *word = matrix_word(m);
	char *end = NULL;
	double us;

	if (!word)
		return matrix_wrong(m, "a number is missing behind", "start");
	us = strtod(word, &end);
	if (*word < '0' || *word > '9' || *end || us > MATRIX_START_MAX) {
		fprintf(stderr, "uetfabric: %s:%u: start %s: not a time in 0..%llu us\n",
			m->name, m->line, word, MATRIX_START_MAX);
		return false;
	}
	*start = (u64)(us * FAB_US + 0.5);
	return true;
}

/* Parse a trigger that a flow waits for, or sets off. */
static bool matrix_attr_trigger(struct matrix *m, const char *word,
				struct fab_flow *flow)
{
	u64 v;

	if (strcmp(word, "trigger") && strcmp(word, "send_done_trigger") &&
	    strcmp(word, "recv_done_trigger"))
		return matrix_wrong(m, "not id, start, size, trigger, send_done_trigger, recv_done_trigger, prio, msg or addon",
				    word);
	if (!matrix_number(m, word, 1, FAB_FLOWS_MAX - 1, &v))
		return false;
	if (word[0] == 't')
		flow->waits = v;
	else if (word[0] == 's')
		flow->on_sent = v;
	else
		flow->on_rcvd = v;
	fab_trigger_get(m->fab, v)->is_waited |= word[0] == 't';
	fab_trigger_get(m->fab, v)->is_set_off |= word[0] != 't';
	return true;
}

/* Parse one attribute of a flow. */
static bool matrix_attr(struct matrix *m, const char *word,
			struct fab_flow *flow, u64 *prio)
{
	u64 v;

	if (!strcmp(word, "size")) {
		if (!matrix_number(m, word, 0, MATRIX_BYTES_MAX, &flow->bytes))
			return false;
		flow->bytes = flow->bytes ? flow->bytes : FAB_ENDLESS;
		return true;
	}
	if (!strcmp(word, "start"))
		return matrix_start(m, &flow->start);
	if (!strcmp(word, "prio"))
		return matrix_number(m, word, 0, U32_MAX, prio);
	/* htsim reads this word and does not use it. */
	if (!strcmp(word, "addon"))
		return true;
	if (!strcmp(word, "id") || !strcmp(word, "msg"))
		return matrix_number(m, word, 1, U32_MAX, &v);
	return matrix_attr_trigger(m, word, flow);
}

static bool matrix_flow(struct matrix *m, const char *pair)
{
	struct fab_flow attr = {
		.waits = FAB_NONE, .on_sent = FAB_NONE, .on_rcvd = FAB_NONE,
		.start = UET_NEVER,
	};
	struct fab_flow *flow;
	u64 prio = U64_MAX;
	const char *word;
	u32 src, dst, nr;

	if (!matrix_pair(m, pair, &src, &dst))
		return false;
	if (m->fab->nr_flows == FAB_FLOWS_MAX)
		return matrix_wrong(m, "too many flows", NULL);
	while ((word = matrix_word(m)))
		if (!matrix_attr(m, word, &attr, &prio))
			return false;
	if (!attr.bytes)
		return matrix_wrong(m, "a flow without size", pair);
	if ((attr.waits == FAB_NONE) == (attr.start == UET_NEVER))
		return matrix_wrong(m, "a flow needs either start or trigger",
				    pair);
	nr = fab_flow_new(m->fab, src, dst, attr.bytes);
	flow = &m->fab->flow[nr];
	flow->start = attr.start;
	flow->waits = attr.waits;
	flow->on_sent = attr.on_sent;
	flow->on_rcvd = attr.on_rcvd;
	if (prio < m->fab->par.urgent_prio)
		fab_flow_urgent(m->fab, nr);
	return true;
}

/* Parse what is behind "barrier": "count N", or "N". */
static bool matrix_barrier(struct matrix *m, struct fab_trigger *trigger)
{
	const char *word = matrix_word(m);
	u64 v;

	if (word && !strcmp(word, "count"))
		word = matrix_word(m);
	if (!matrix_number_in(m, "barrier", word, 1, FAB_FLOWS_MAX, &v))
		return false;
	trigger->left = v;
	return true;
}

/* Parse "trigger id 1 oneshot", "multishot" or "barrier count N". */
static bool matrix_trigger(struct matrix *m)
{
	const char *word = matrix_word(m);
	struct fab_trigger *trigger;
	u64 v;

	m->has_triggers++;

	if (!word || strcmp(word, "id"))
		return matrix_wrong(m, "id is missing behind trigger", word);
	if (!matrix_number(m, "trigger id", 1, FAB_FLOWS_MAX - 1, &v))
		return false;
	trigger = fab_trigger_get(m->fab, v);
	word = matrix_word(m);
	if (word && !strcmp(word, "multishot")) {
		trigger->kind = FAB_MULTISHOT;
	} else if (word && !strcmp(word, "barrier")) {
		trigger->kind = FAB_BARRIER;
		if (!matrix_barrier(m, trigger))
			return false;
	} else if (!word || strcmp(word, "oneshot")) {
		return matrix_wrong(m,
				    "not oneshot, multishot or barrier count N",
				    word);
	}
	word = matrix_word(m);
	return !word || matrix_wrong(m, "unknown word", word);
}

/* The link of a failure: uplinks of ToRs and aggs, and the links of a core. */
static bool matrix_failure_link(const struct matrix *m,
				struct fab_fault *fault, const char *type,
				u64 id, u64 link)
{
	const struct fab_shape *s = &m->fab->par.shape;

	fault->node = id;
	fault->up = link;
	if (!strcmp(type, "TOR")) {
		fault->cable = FAB_CABLE_TOR;
	} else if (!strcmp(type, "AGG")) {
		fault->cable = FAB_CABLE_AGG;
	} else if (!strcmp(type, "CORE")) {
		fault->cable = FAB_CABLE_AGG;
		if (!s->ups || id >= (u64)s->aggs * s->ups ||
		    link >= s->pods * s->agg_bundle)
			return false;
		fault->node = link / s->agg_bundle * s->aggs + id / s->ups;
		fault->up = id % s->ups * s->agg_bundle + link % s->agg_bundle;
	}
	return fab_fault_exists(&m->fab->par, fault);
}

/* Parse "failure switch_type AGG switch_id 0 link_id 1". */
static bool matrix_failure(struct matrix *m)
{
	struct fab_params *par = &m->fab->par;
	struct fab_fault fault = {
		.ways = FAB_WAY_UP | FAB_WAY_DOWN, .until = UET_NEVER,
	};
	u64 id = U64_MAX, link = U64_MAX;
	const char *word, *type = NULL;

	while ((word = matrix_word(m))) {
		if (!strcmp(word, "switch_type")) {
			type = matrix_word(m);
			if (!type || (strcmp(type, "TOR") &&
				      strcmp(type, "AGG") &&
				      strcmp(type, "CORE")))
				return matrix_wrong(m, "switch_type is not TOR, AGG or CORE",
						    type);
		} else if (!strcmp(word, "switch_id")) {
			if (!matrix_number(m, word, 0, FAB_HOSTS_MAX, &id))
				return false;
		} else if (!strcmp(word, "link_id")) {
			if (!matrix_number(m, word, 0, FAB_HOSTS_MAX, &link))
				return false;
		} else {
			return matrix_wrong(m, "not switch_type, switch_id or link_id",
					    word);
		}
	}
	if (!type || id == U64_MAX || link == U64_MAX)
		return matrix_wrong(m, "a failure needs switch_type, switch_id and link_id",
				    NULL);
	if (par->nr_faults == FAB_FAULTS_MAX)
		return matrix_wrong(m, "more than 64 faults", NULL);
	if (!matrix_failure_link(m, &fault, type, id, link))
		return matrix_wrong(m, "there is no such link", NULL);
	par->faults[par->nr_faults++] = fault;
	m->has_failures++;
	return true;
}

/* Parse the number of lines of a kind. */
static bool matrix_count(struct matrix *m, const char *word, u32 min, u32 *count)
{
	u64 v;

	if (!matrix_number(m, word, min, FAB_FLOWS_MAX, &v))
		return false;
	*count = v;
	return true;
}

static bool matrix_line(struct matrix *m, char *line)
{
	const char *word = strtok_r(line, " \t\r\n", &m->rest);

	if (!word || *word == '#')
		return true;
	if (!strcmp(word, "Nodes"))
		return matrix_nodes(m);
	if (!strcmp(word, "Connections"))
		return matrix_count(m, word, 1, &m->connections);
	if (!strcmp(word, "Triggers"))
		return matrix_count(m, word, 0, &m->triggers);
	if (!strcmp(word, "Failures"))
		return matrix_count(m, word, 0, &m->failures);
	if (!strcmp(word, "trigger"))
		return matrix_trigger(m);
	if (!strcmp(word, "failure"))
		return matrix_failure(m);
	return matrix_flow(m, word);
}

/* Every trigger that flows wait for must be fired by a flow. */
static bool matrix_complete(const struct matrix *m)
{
	const struct fab *fab = m->fab;
	u32 i;

	if (!fab->nr_flows)
		return matrix_wrong(m, "no flow", NULL);
	if (m->connections != FAB_NONE && m->connections != fab->nr_flows)
		return matrix_wrong(m, "not as many flows as Connections", NULL);
	if (m->triggers != FAB_NONE && m->triggers != m->has_triggers)
		return matrix_wrong(m, "not as many lines of triggers as Triggers",
				    NULL);
	if (m->failures != FAB_NONE && m->failures != m->has_failures)
		return matrix_wrong(m, "not as many lines of failures as Failures",
				    NULL);
	for (i = 0; i < fab->nr_triggers; i++)
		if (fab->trigger[i].is_waited && !fab->trigger[i].is_set_off)
			return matrix_wrong(m, "flows wait for a trigger nobody sets off",
					    NULL);
	return true;
}

/**
 * fab_matrix_read() - read the flows of a connection matrix
 * @fab: run without flows
 * @name: file name for error messages
 * @file: the matrix
 *
 * Return: false on a syntax error; a message on stderr gives the line and the reason.
 */
bool fab_matrix_read(struct fab *fab, const char *name, FILE *file)
{
	struct matrix m = {
		.fab = fab, .name = name, .connections = FAB_NONE,
		.triggers = FAB_NONE, .failures = FAB_NONE,
	};
	char *line = NULL;
	size_t space = 0;
	bool ok = true;

	fab->nr_hosts = 0;
	while (ok && getline(&line, &space, file) >= 0) {
		m.line++;
		ok = matrix_line(&m, line);
	}
	free(line);
	return ok && matrix_complete(&m);
}
