// SPDX-License-Identifier: GPL-2.0
/*
 * Parameters of PDCs and of congestion control by name.  Those of pdc_param.def have the
 * words of "ueadm fep set"; the others are those that the module derives or fixes.
 * Level: test.
 */
#include <stdlib.h>

#include "../lib/number.h"
#include "core/pds/pdc_param.h"
#include "fabric.h"

enum setting_kind {
	SETTING_COUNT,
	SETTING_POW2,
	SETTING_BYTES,
	SETTING_TIME,
	SETTING_SWITCH,
	SETTING_RULES,
};

/* Parameters that pdc_param.def does not have; numbered behind it. */
enum setting_extra {
	SETTING_NEAR_ZERO = UET_PDC_P_NR,
	SETTING_DROP_BDP,
	SETTING_QUICK_ADAPT,
	SETTING_BASE_WINDOW,
	SETTING_IDLE_RESTART,
	SETTING_SHARE_START,
	SETTING_MTU,
	SETTING_RULES_OF_HTSIM,
	SETTING_EV_RING,
	SETTING_EV_BAD,
	SETTING_EV_FREEZE,
	SETTING_EV_REROUTE,
	SETTING_NR,
};

/* A parameter: its word, and its limits. */
struct setting_row {
	const char *word;
	enum setting_kind kind;
	u64 min;
	u64 max;
};

static const struct setting_row setting_rows[SETTING_NR] = {
#define UET_PDC_PARAM(name, field, word, kind, min, max, dflt, doc)	\
	[UET_PDC_P_##name] = { word, SETTING_##kind, min, max },
#include "core/pdc_param.def"
#undef UET_PDC_PARAM
	[SETTING_NEAR_ZERO] = { "cc-near-zero", SETTING_TIME, 0, 10000000 },
	[SETTING_DROP_BDP] = { "cc-drop-bdp", SETTING_COUNT, 0, 100 },
	[SETTING_QUICK_ADAPT] = { "cc-quick-adapt", SETTING_SWITCH, 0, 1 },
	[SETTING_BASE_WINDOW] = {
		"cc-base-window", SETTING_TIME, 0, 86400000000000,
	},
	[SETTING_IDLE_RESTART] = {
		"cc-idle-restart", SETTING_TIME, 0, 86400000000000,
	},
	[SETTING_SHARE_START] = { "cc-share-start", SETTING_SWITCH, 0, 1 },
	[SETTING_MTU] = { "cc-mtu", SETTING_BYTES, 256, 16384 },
	[SETTING_RULES_OF_HTSIM] = {
		"cc-htsim", SETTING_RULES, 0, UET_HTSIM_ALL,
	},
	[SETTING_EV_RING] = { "ev-ring", SETTING_COUNT, 0, UET_EV_RING_MAX },
	[SETTING_EV_BAD] = { "ev-bad", SETTING_COUNT, 0, UET_EV_VALUES_MAX },
	[SETTING_EV_FREEZE] = { "ev-freeze", SETTING_TIME, 0, 86400000000000 },
	[SETTING_EV_REROUTE] = {
		"ev-reroute", SETTING_TIME, 0, 86400000000000,
	},
};

/* Rules of htsim, in the order of their bits. */
static const char *const setting_rules[] = {
	"no-sample", "qa-after", "lasthop-qa", "nack-late", "clamp", "mss",
	"sack-loss", "filter", "no-probe",
};

static_assert(BIT(ARRAY_SIZE(setting_rules)) - 1 == UET_HTSIM_ALL);

/* Parameters of the sockets and of the stack, which a fabric does not have. */
static bool setting_is_foreign(u32 what)
{
	return what == UET_PDC_P_ORPHAN_NS || what == UET_PDC_P_BURST;
}

/**
 * fab_setting_names() - print the words that fab_setting_read() knows
 * @out: output stream
 */
void fab_setting_names(FILE *out)
{
	const char *front = "";
	u32 i;

	for (i = 0; i < SETTING_NR; i++) {
		if (setting_is_foreign(i))
			continue;
		fprintf(out, "%s%s", front, setting_rows[i].word);
		front = ", ";
	}
}

/* Parse rules such as "no-sample+mss", or "none". */
static bool setting_read_rules(const char *text, u64 *value)
{
	char copy[160], *rest = copy, *word;
	u32 i;

	*value = 0;
	if (!strcmp(text, "none"))
		return true;
	if (snprintf(copy, sizeof(copy), "%s", text) >= (int)sizeof(copy))
		return false;
	while ((word = strtok_r(rest, "+", &rest))) {
		for (i = 0; i < ARRAY_SIZE(setting_rules); i++)
			if (!strcmp(word, setting_rules[i]))
				break;
		if (i == ARRAY_SIZE(setting_rules))
			return false;
		*value |= BIT(i);
	}
	return *value;
}

static bool setting_read_value(const struct setting_row *row, const char *text,
			       u64 *value)
{
	uint64_t v = 0;
	bool ok;

	if (row->kind == SETTING_RULES)
		return setting_read_rules(text, value);
	if (row->kind == SETTING_SWITCH) {
		*value = !strcmp(text, "yes");
		return *value || !strcmp(text, "no");
	}
	if (row->kind == SETTING_TIME)
		ok = number_read_time(text, &v) && v >= row->min &&
		     v <= row->max;
	else
		ok = number_read(text, row->kind == SETTING_BYTES, row->min,
				 row->max, &v);
	*value = v;
	return ok && (row->kind != SETTING_POW2 || is_power_of_2(v));
}

/* Say which values a parameter has. */
static void setting_say_limits(const struct setting_row *row, char why[160])
{
	static const char *const what[] = {
		[SETTING_COUNT] = "a number",
		[SETTING_POW2] = "a power of two",
		[SETTING_BYTES] = "bytes",
		[SETTING_TIME] = "a time with ns, us, ms or s, in ns",
	};
	u32 i, used;

	if (row->kind == SETTING_SWITCH) {
		snprintf(why, 160, "%s is yes or no", row->word);
		return;
	}
	if (row->kind == SETTING_RULES) {
		used = snprintf(why, 160, "%s is none, or with + between:",
				row->word);
		for (i = 0; i < ARRAY_SIZE(setting_rules); i++)
			used += snprintf(why + used, 160 - used, " %s",
					 setting_rules[i]);
		return;
	}
	snprintf(why, 160, "%s is %s in %llu..%llu", row->word, what[row->kind],
		 (unsigned long long)row->min, (unsigned long long)row->max);
}

/**
 * fab_setting_read() - parse a parameter such as "cc-target=10us"
 * @par: parameters of the run; the setting is added
 * @text: word and value
 * @why: result: what is wrong
 *
 * Return: NULL, or @why; an empty text if the word is unknown.
 */
const char *fab_setting_read(struct fab_params *par, const char *text,
			     char why[160])
{
	size_t len = strcspn(text, "=");
	struct fab_setting *setting;
	u32 i;

	*why = 0;
	for (i = 0; i < SETTING_NR; i++)
		if (!setting_is_foreign(i) &&
		    strlen(setting_rows[i].word) == len &&
		    !strncmp(setting_rows[i].word, text, len))
			break;
	if (i == SETTING_NR)
		return why;
	if (par->nr_settings == FAB_SETTINGS_MAX) {
		snprintf(why, 160, "more than %u of them", FAB_SETTINGS_MAX);
		return why;
	}
	setting = &par->setting[par->nr_settings];
	setting->what = i;
	if (!text[len] || !setting_read_value(&setting_rows[i], text + len + 1,
					      &setting->value)) {
		setting_say_limits(&setting_rows[i], why);
		return why;
	}
	par->nr_settings++;
	return NULL;
}

/**
 * fab_settings_pdc() - change what the settings say about PDCs
 * @par: parameters of the run
 * @cfg: the parameters of all PDCs
 */
void fab_settings_pdc(const struct fab_params *par, struct uet_pdc_cfg *cfg)
{
	u32 i;

	for (i = 0; i < par->nr_settings; i++)
		uet_pdc_param_set(cfg, par->setting[i].what,
				  par->setting[i].value);
}

static void setting_pdc_to_cms(const struct uet_pdc_cfg *pdc, u32 what,
			       struct uet_cc_cfg *cc, struct uet_ev_cfg *ev)
{
	switch (what) {
	case UET_PDC_P_CC_RATE:
		cc->rate_mbps = pdc->cc_rate_mbps ? pdc->cc_rate_mbps :
						    cc->rate_mbps;
		break;
	case UET_PDC_P_CC_BASE_RTT_NS:
		cc->base_rtt_ns = pdc->cc_base_rtt_ns;
		break;
	case UET_PDC_P_CC_TARGET_NS:
		cc->target_ns = pdc->cc_target_ns;
		break;
	case UET_PDC_P_CC_STRICT:
		cc->htsim = pdc->cc_strict ? 0 : cc->htsim;
		cc->shares_start = cc->shares_start && !pdc->cc_strict;
		cc->adapts = cc->adapts && !pdc->cc_strict;
		break;
	case UET_PDC_P_CWND:
		cc->cwnd = pdc->cwnd;
		break;
	case UET_PDC_P_ACK_GEN_TRIGGER:
		cc->ack_gen_trigger = pdc->ack_gen_trigger;
		break;
	case UET_PDC_P_EV_COUNT:
		ev->values = pdc->ev_count;
		ev->bad_max = UET_EV_BAD_MAX(pdc->ev_count);
		break;
	case UET_PDC_P_EV_BURST:
		ev->burst = pdc->ev_burst;
		break;
	}
}

/**
 * fab_settings_cms() - change what the settings say about congestion control
 * @par: parameters of the run
 * @pdc: parameters of all PDCs, with the settings
 * @cc: configuration of all contexts
 * @ev: configuration of all selectors
 */
void fab_settings_cms(const struct fab_params *par,
		      const struct uet_pdc_cfg *pdc, struct uet_cc_cfg *cc,
		      struct uet_ev_cfg *ev)
{
	u64 value;
	u32 i;

	for (i = 0; i < par->nr_settings; i++) {
		value = par->setting[i].value;
		switch (par->setting[i].what) {
		case SETTING_NEAR_ZERO:		cc->near_zero_ns = value; break;
		case SETTING_DROP_BDP:		cc->drop_bdp = value; break;
		case SETTING_QUICK_ADAPT:	cc->has_quick_adapt = value; break;
		case SETTING_BASE_WINDOW:	cc->base_window_ns = value; break;
		case SETTING_IDLE_RESTART:	cc->idle_ns = value; break;
		case SETTING_SHARE_START:	cc->shares_start = value; break;
		case SETTING_MTU:		cc->mtu = value; break;
		case SETTING_RULES_OF_HTSIM:	cc->htsim = value; break;
		case SETTING_EV_RING:		ev->ring = value; break;
		case SETTING_EV_BAD:		ev->bad_max = value; break;
		case SETTING_EV_FREEZE:		ev->freeze_ns = value; break;
		case SETTING_EV_REROUTE:	ev->reroute_ns = value; break;
		default:
			setting_pdc_to_cms(pdc, par->setting[i].what, cc, ev);
		}
	}
}
