// SPDX-License-Identifier: GPL-2.0
/*
 * Parser of connection matrices in the format of htsim.  Each line states a number of
 * nodes, a flow, or a trigger.
 *
 *	Nodes 16
 *	Connections 2
 *	Triggers 1
 *	0->1 id 1 start 0 size 2000000 send_done_trigger 1
 *	2->3 id 2 trigger 1 size 2000000
 *	trigger id 1 oneshot
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
 */
struct matrix {
	struct fab *fab;
	const char *name;
	u32 line;
	char *rest;
	u32 connections;
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

/* Parse the next word as the number called @of. */
static bool matrix_number(struct matrix *m, const char *of, u64 min, u64 max,
			  u64 *value)
{
	const char *word = matrix_word(m);
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
		return matrix_wrong(m, "unknown word", word);
	if (from >= m->fab->nr_hosts || to >= m->fab->nr_hosts)
		return matrix_wrong(m, "no such node", word);
	if (from == to)
		return matrix_wrong(m, "a flow from a node to itself", word);
	*src = from;
	*dst = to;
	return true;
}

/* Parse one attribute of a flow. */
static bool matrix_attr(struct matrix *m, const char *word,
			struct fab_flow *flow)
{
	u64 v;

	if (!strcmp(word, "size"))
		return matrix_number(m, word, 1, MATRIX_BYTES_MAX,
				     &flow->bytes);
	if (!strcmp(word, "start")) {
		if (!matrix_number(m, word, 0, MATRIX_START_MAX, &v))
			return false;
		flow->start = v * FAB_US;
		return true;
	}
	if (!strcmp(word, "id") || !strcmp(word, "prio"))
		return matrix_number(m, word, 0, U32_MAX, &v);
	if (strcmp(word, "trigger") && strcmp(word, "send_done_trigger") &&
	    strcmp(word, "recv_done_trigger"))
		return matrix_wrong(m, "unknown word", word);
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

static bool matrix_flow(struct matrix *m, const char *pair)
{
	struct fab_flow attr = {
		.waits = FAB_NONE, .on_sent = FAB_NONE, .on_rcvd = FAB_NONE,
		.start = UET_NEVER,
	};
	struct fab_flow *flow;
	const char *word;
	u32 src, dst, nr;

	if (!matrix_pair(m, pair, &src, &dst))
		return false;
	if (m->fab->nr_flows == FAB_FLOWS_MAX)
		return matrix_wrong(m, "too many flows", NULL);
	while ((word = matrix_word(m)))
		if (!matrix_attr(m, word, &attr))
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
	return true;
}

/* Parse "trigger id 1 oneshot", "multishot" or "barrier N". */
static bool matrix_trigger(struct matrix *m)
{
	const char *word = matrix_word(m);
	struct fab_trigger *trigger;
	u64 v;

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
		if (!matrix_number(m, word, 1, FAB_FLOWS_MAX, &v))
			return false;
		trigger->left = v;
	} else if (!word || strcmp(word, "oneshot")) {
		return matrix_wrong(m,
				    "not oneshot, multishot or barrier N", word);
	}
	word = matrix_word(m);
	return !word || matrix_wrong(m, "unknown word", word);
}

static bool matrix_line(struct matrix *m, char *line)
{
	const char *word = strtok_r(line, " \t\r\n", &m->rest);
	u64 v;

	if (!word || *word == '#')
		return true;
	if (!strcmp(word, "Nodes"))
		return matrix_nodes(m);
	if (!strcmp(word, "Connections")) {
		if (!matrix_number(m, word, 1, FAB_FLOWS_MAX, &v))
			return false;
		m->connections = v;
		return true;
	}
	if (!strcmp(word, "Triggers"))
		return matrix_number(m, word, 0, U32_MAX, &v);
	if (!strcmp(word, "trigger"))
		return matrix_trigger(m);
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
