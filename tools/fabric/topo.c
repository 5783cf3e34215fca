// SPDX-License-Identifier: GPL-2.0
/*
 * Parser of networks in the format of the .topo files of htsim.  A header has the number
 * of nodes, of tiers, and of hosts in a pod.  A section for each tier has what its
 * switches are like; tier 0 is that of the ToRs.
 *
 *	Nodes 32
 *	Tiers 2
 *	Podsize 32
 *	Tier 0
 *	Downlink_speed_Gbps 100
 *	Radix_Down 8
 *	Radix_Up 2
 *	Downlink_Latency_ns 1000
 *
 * The letter case of words does not count.  Empty lines and lines that start with # are
 * ignored.  Level: test.
 */
#include <errno.h>
#include <strings.h>

#include "../lib/number.h"
#include "report.h"

/* Words of a tier. */
enum topo_word {
	TOPO_SPEED,
	TOPO_RADIX_DOWN,
	TOPO_RADIX_UP,
	TOPO_LATENCY,
	TOPO_SWITCH,
	TOPO_QUEUE_DOWN,
	TOPO_QUEUE_UP,
	TOPO_BUNDLE,
	TOPO_OVERSUB,
	TOPO_WORDS,
};

static const struct {
	const char *name;
	u64 min;
	u64 max;
} topo_words[TOPO_WORDS] = {
	[TOPO_SPEED]		= { "Downlink_speed_Gbps", 1, 8000 },
	[TOPO_RADIX_DOWN]	= { "Radix_Down", 1, 4096 },
	[TOPO_RADIX_UP]		= { "Radix_Up", 1, 4096 },
	[TOPO_LATENCY]		= { "Downlink_Latency_ns", 1, 10000000 },
	[TOPO_SWITCH]		= { "Switch_Latency_ns", 0, 10000000 },
	[TOPO_QUEUE_DOWN]	= { "Queue_Down", 1, 1 << 30 },
	[TOPO_QUEUE_UP]		= { "Queue_Up", 1, 1 << 30 },
	[TOPO_BUNDLE]		= { "Bundle", 1, FAB_BUNDLE_MAX },
	[TOPO_OVERSUB]		= { "Oversubscribed", 1, 4096 },
};

/* Words of the header. */
enum topo_head {
	TOPO_NODES,
	TOPO_TIERS,
	TOPO_PODSIZE,
	TOPO_HEADS,
};

static const struct {
	const char *name;
	u64 min;
	u64 max;
} topo_heads[TOPO_HEADS] = {
	[TOPO_NODES]	= { "Nodes", 2, FAB_HOSTS_MAX },
	[TOPO_TIERS]	= { "Tiers", 2, FAB_TIERS_MAX },
	[TOPO_PODSIZE]	= { "Podsize", 1, FAB_HOSTS_MAX },
};

/**
 * struct topo - parser state
 * @name: file name for error messages
 * @line: current line number
 * @head: values of the header; 0: missing
 * @tier: current tier; FAB_NONE in the header
 * @value: values of each tier; 0: missing
 */
struct topo {
	const char *name;
	u32 line;
	u64 head[TOPO_HEADS];
	u32 tier;
	u64 value[FAB_TIERS_MAX][TOPO_WORDS];
};

static bool topo_wrong(const struct topo *t, const char *what, const char *word)
{
	fprintf(stderr, "uetfabric: %s:%u: %s%s%s\n", t->name, t->line, what,
		word ? ": " : "", word ? word : "");
	return false;
}

static bool topo_number(const struct topo *t, const char *of, const char *text,
			u64 min, u64 max, u64 *value)
{
	uint64_t v;

	if (!text)
		return topo_wrong(t, "a number is missing behind", of);
	if (!number_read(text, false, min, max, &v)) {
		fprintf(stderr,
			"uetfabric: %s:%u: %s %s: not a number in %llu..%llu\n",
			t->name, t->line, of, text, (unsigned long long)min,
			(unsigned long long)max);
		return false;
	}
	*value = v;
	return true;
}

static bool topo_unknown(const struct topo *t, const char *word)
{
	u32 i;

	fprintf(stderr, "uetfabric: %s:%u: unknown word: %s; one of Tier",
		t->name, t->line, word);
	for (i = 0; i < TOPO_HEADS && t->tier == FAB_NONE; i++)
		fprintf(stderr, ", %s", topo_heads[i].name);
	for (i = 0; i < TOPO_WORDS && t->tier != FAB_NONE; i++)
		fprintf(stderr, ", %s", topo_words[i].name);
	fprintf(stderr, "\n");
	return false;
}

static bool topo_head(struct topo *t, const char *word, const char *text)
{
	u32 i;

	for (i = 0; i < TOPO_HEADS; i++)
		if (!strcasecmp(word, topo_heads[i].name))
			return topo_number(t, word, text, topo_heads[i].min,
					   topo_heads[i].max, &t->head[i]);
	return topo_unknown(t, word);
}

static bool topo_tier(struct topo *t, const char *word, const char *text)
{
	u64 *value = t->value[t->tier];
	u32 i;

	for (i = 0; i < TOPO_WORDS; i++)
		if (!strcasecmp(word, topo_words[i].name))
			break;
	if (i == TOPO_WORDS)
		return topo_unknown(t, word);
	if (value[i])
		return topo_wrong(t, "twice in this tier", word);
	if (!topo_number(t, word, text, topo_words[i].min, topo_words[i].max,
			 &value[i]))
		return false;
	if (i == TOPO_SPEED && 8000 % value[i])
		return topo_wrong(t, "the speed does not divide 8000", text);
	return true;
}

static bool topo_line(struct topo *t, char *line)
{
	char *rest = line;
	const char *word = strtok_r(line, " \t\r\n", &rest);
	const char *text = strtok_r(NULL, " \t\r\n", &rest);
	const char *more = strtok_r(NULL, " \t\r\n", &rest);
	u64 tier;

	if (!word || *word == '#')
		return true;
	if (more && *more != '#')
		return topo_wrong(t, "more than one value", more);
	if (strcasecmp(word, "Tier"))
		return t->tier == FAB_NONE ? topo_head(t, word, text) :
					     topo_tier(t, word, text);
	if (!topo_number(t, word, text, 0, FAB_TIERS_MAX - 1, &tier))
		return false;
	t->tier = tier;
	return true;
}

/* Check that a tier is complete.  The highest tier has no ports upward. */
static bool topo_tier_is_there(const struct topo *t, u32 tier)
{
	bool is_top = tier == t->head[TOPO_TIERS] - 1;
	const u64 *value = t->value[tier];
	const char *lacks = NULL;
	u64 up;

	if (!value[TOPO_SPEED])
		lacks = topo_words[TOPO_SPEED].name;
	else if (!value[TOPO_LATENCY])
		lacks = topo_words[TOPO_LATENCY].name;
	else if (!value[TOPO_RADIX_DOWN])
		lacks = topo_words[TOPO_RADIX_DOWN].name;
	else if (!is_top && !value[TOPO_RADIX_UP])
		lacks = topo_words[TOPO_RADIX_UP].name;
	if (lacks) {
		fprintf(stderr, "uetfabric: %s: tier %u has no %s\n", t->name,
			tier, lacks);
		return false;
	}
	if (is_top && (value[TOPO_RADIX_UP] || value[TOPO_QUEUE_UP])) {
		fprintf(stderr, "uetfabric: %s: tier %u is the highest and has links upwards\n",
			t->name, tier);
		return false;
	}
	if (is_top || !value[TOPO_OVERSUB])
		return true;
	up = value[TOPO_RADIX_UP] * t->value[tier + 1][TOPO_SPEED];
	if (value[TOPO_RADIX_DOWN] * value[TOPO_SPEED] ==
	    up * value[TOPO_OVERSUB])
		return true;
	fprintf(stderr, "uetfabric: %s: tier %u: Oversubscribed %llu: links downwards have %llu Gb/s, upwards %llu\n",
		t->name, tier, (unsigned long long)value[TOPO_OVERSUB],
		(unsigned long long)(value[TOPO_RADIX_DOWN] * value[TOPO_SPEED]),
		(unsigned long long)up);
	return false;
}

/* Return: @all / @part; complains and returns 0 unless it is a whole number. */
static u32 topo_divide(const struct topo *t, const char *what, u64 all, u64 part)
{
	if (part && all && !(all % part))
		return all / part;
	fprintf(stderr, "uetfabric: %s: %s: %llu is not a multiple of %llu\n",
		t->name, what, (unsigned long long)all,
		(unsigned long long)part);
	return 0;
}

static bool topo_matches(const struct topo *t, u32 tier, u64 radix)
{
	if (t->value[tier][TOPO_RADIX_DOWN] == radix)
		return true;
	fprintf(stderr, "uetfabric: %s: tier %u: Radix_Down %llu: the links of the switches below need %llu\n",
		t->name, tier,
		(unsigned long long)t->value[tier][TOPO_RADIX_DOWN],
		(unsigned long long)radix);
	return false;
}

/* Derive the shape. */
static bool topo_shape(const struct topo *t, struct fab_shape *s)
{
	const u64 (*v)[TOPO_WORDS] = t->value;
	bool has_cores = t->head[TOPO_TIERS] == 3;

	s->tiers = t->head[TOPO_TIERS];
	s->gpus = 1;
	s->tor_bundle = v[1][TOPO_BUNDLE] ? v[1][TOPO_BUNDLE] : 1;
	s->agg_bundle = v[2][TOPO_BUNDLE] ? v[2][TOPO_BUNDLE] : 1;
	s->pods = topo_divide(t, "Nodes by Podsize", t->head[TOPO_NODES],
			      t->head[TOPO_PODSIZE]);
	s->hosts = v[0][TOPO_RADIX_DOWN];
	s->tors = topo_divide(t, "Podsize by Radix_Down of tier 0",
			      t->head[TOPO_PODSIZE], s->hosts);
	s->aggs = topo_divide(t, "Radix_Up of tier 0 by Bundle of tier 1",
			      v[0][TOPO_RADIX_UP], s->tor_bundle);
	s->ups = has_cores ? topo_divide(t, "Radix_Up of tier 1 by Bundle of tier 2",
					 v[1][TOPO_RADIX_UP], s->agg_bundle) : 0;
	if (!s->pods || !s->tors || !s->aggs || (has_cores && !s->ups))
		return false;
	if (!has_cores && s->pods > 1) {
		fprintf(stderr, "uetfabric: %s: with two tiers, Podsize is Nodes\n",
			t->name);
		return false;
	}
	if (v[0][TOPO_BUNDLE] > 1) {
		fprintf(stderr, "uetfabric: %s: tier 0: Bundle %llu: a host has one link\n",
			t->name, (unsigned long long)v[0][TOPO_BUNDLE]);
		return false;
	}
	return topo_matches(t, 1, (u64)s->tors * s->tor_bundle) &&
	       (!has_cores || topo_matches(t, 2, (u64)s->pods * s->agg_bundle));
}

static bool topo_apply(const struct topo *t, struct fab_params *par)
{
	const u64 *value;
	u32 i;

	for (i = 0; i < TOPO_HEADS; i++) {
		if (!t->head[i]) {
			fprintf(stderr, "uetfabric: %s: no %s in front of the first Tier\n",
				t->name, topo_heads[i].name);
			return false;
		}
	}
	for (i = 0; i < t->head[TOPO_TIERS]; i++)
		if (!topo_tier_is_there(t, i))
			return false;
	for (i = 0; i < FAB_TIERS_MAX; i++) {
		value = t->value[i];
		par->tier[i] = (struct fab_tier_cfg) {
			.mbps = value[TOPO_SPEED] * 1000,
			.wire_ps = value[TOPO_LATENCY] * FAB_NS,
			.switch_ps = value[TOPO_SWITCH] * FAB_NS,
			.up_bytes = value[TOPO_QUEUE_UP],
			.down_bytes = value[TOPO_QUEUE_DOWN],
		};
	}
	return topo_shape(t, &par->shape);
}

/**
 * fab_topo_read() - read a network
 * @par: parameters of a run; shape and tiers are set
 * @name: file
 *
 * Return: false on an error; a message on stderr gives the reason.
 */
bool fab_topo_read(struct fab_params *par, const char *name)
{
	struct topo t = { .name = name, .tier = FAB_NONE };
	FILE *file = fopen(name, "r");
	char *line = NULL;
	size_t space = 0;
	bool ok = true;

	if (!file) {
		fprintf(stderr, "uetfabric: --topo %s: %s\n", name,
			strerror(errno));
		return false;
	}
	while (ok && getline(&line, &space, file) >= 0) {
		t.line++;
		ok = topo_line(&t, line);
	}
	free(line);
	fclose(file);
	return ok && topo_apply(&t, par);
}
